//! Constants printed by `tools/fit_finder.rs`; not to be changed by hand.

use super::evidence::Weights;

/// In the order of [`super::evidence::NAMES`], then the constant.
#[rustfmt::skip]
pub const WEIGHTS: Weights = [
    1.4350, // heat
    0.0917, // symbols
    0.4063, // a symbol
    -1.5995, // misfit
    0.2707, // too large
    -0.6986, // too small
    -1.6898, // no table
    0.3327, // sides
    -0.6621, // rim
    -0.0267, // measured
    -0.0411, // agreed
    0.9312, // own
    -0.1755, // taken
    0.3263, // in place
    -1.5465, // in doubt
    1.8340, // constant
];
