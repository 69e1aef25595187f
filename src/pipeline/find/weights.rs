//! Constants printed by `tools/fit_finder.rs`; not to be changed by hand.

use super::evidence::Weights;

/// In the order of [`super::evidence::NAMES`], then the constant.
#[rustfmt::skip]
pub const WEIGHTS: Weights = [
    1.6315, // heat
    0.0800, // symbols
    0.4057, // a symbol
    -2.6788, // misfit
    -1.6914, // too large
    -1.1999, // too small
    -1.6356, // no table
    1.6421, // sides
    0.6111, // rim
    0.0741, // measured
    0.0706, // agreed
    0.4904, // own
    -0.9912, // taken
    -0.3844, // constant
];
