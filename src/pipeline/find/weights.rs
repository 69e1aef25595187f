//! Constants printed by `tools/fit_finder.rs`; not to be changed by hand.

use super::evidence::Weights;

/// In the order of [`super::evidence::NAMES`], then the constant.
#[rustfmt::skip]
pub const WEIGHTS: Weights = [
    1.6730, // heat
    -0.0148, // symbols
    0.4971, // a symbol
    -2.2550, // misfit
    -1.4221, // too large
    -0.8172, // too small
    -0.2833, // no table
    2.1359, // sides
    -0.1412, // rim
    0.0597, // measured
    0.2574, // agreed
    0.7676, // own
    -0.1572, // taken
    -0.6453, // constant
];
