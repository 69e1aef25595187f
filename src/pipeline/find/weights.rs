//! Constants printed by `tools/fit_finder.rs`; not to be changed by hand.

use super::evidence::Weights;

/// In the order of [`super::evidence::NAMES`], then the constant.
#[rustfmt::skip]
pub const WEIGHTS: Weights = [
    1.9104, // heat
    -0.0408, // symbols
    0.3102, // a symbol
    -2.1686, // misfit
    -1.3290, // too large
    -0.5221, // too small
    -0.0338, // no table
    2.2820, // sides
    0.1964, // rim
    0.2561, // measured
    -0.0323, // agreed
    -0.3844, // constant
];
