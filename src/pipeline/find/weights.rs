//! Constants printed by `tools/fit_finder.rs`; not to be changed by hand.

use super::evidence::Weights;

/// In the order of [`super::evidence::NAMES`], then the constant.
#[rustfmt::skip]
pub const WEIGHTS: Weights = [
    1.5715, // heat
    -0.0992, // symbols
    0.4696, // a symbol
    -1.6171, // misfit
    -0.1214, // too large
    -0.3175, // too small
    -1.2042, // no table
    0.1912, // sides
    -0.9394, // rim
    -0.0350, // measured
    -0.1369, // agreed
    0.6208, // own
    -0.5114, // taken
    0.6094, // in place
    -1.5614, // in doubt
    2.8357, // constant
];
