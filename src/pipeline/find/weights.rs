//! Constants printed by `tools/fit_finder.rs`; not to be changed by hand.

use super::evidence::Weights;

/// In the order of [`super::evidence::NAMES`], then the constant.
#[rustfmt::skip]
pub const WEIGHTS: Weights = [
    1.7092, // heat
    0.0722, // symbols
    0.3387, // a symbol
    -3.0875, // misfit
    -1.8138, // too large
    -0.7296, // too small
    -1.9058, // no table
    2.3010, // sides
    0.9068, // rim
    0.2251, // measured
    -0.0200, // agreed
    0.5332, // own
    -0.7017, // taken
    -1.1128, // constant
];
