//! Constants printed by `tools/fit_finder.rs`; not to be changed by hand.

use super::evidence::Weights;

/// In the order of [`super::evidence::NAMES`], then the constant.
#[rustfmt::skip]
pub const WEIGHTS: Weights = [
    1.4759, // heat
    0.1107, // symbols
    0.3553, // a symbol
    -2.0411, // misfit
    0.3936, // too large
    -1.0419, // too small
    -1.7321, // no table
    0.5285, // sides
    -0.8665, // rim
    -0.0356, // measured
    0.0026, // agreed
    0.7222, // own
    -0.1903, // taken
    0.3186, // in place
    -1.1557, // in doubt
    1.7779, // constant
];
