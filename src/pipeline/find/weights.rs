//! Constants printed by `tools/fit_finder.rs`; not to be changed by hand.

use super::evidence::Weights;

/// In the order of [`super::evidence::NAMES`], then the constant.
#[rustfmt::skip]
pub const WEIGHTS: Weights = [
    1.4210, // heat
    0.0764, // symbols
    0.3512, // a symbol
    -2.1541, // misfit
    -0.9350, // too large
    -0.3619, // too small
    -1.8114, // no table
    0.2621, // sides
    -0.4265, // rim
    -0.0013, // measured
    0.0397, // agreed
    0.7787, // own
    -0.3319, // taken
    0.3496, // in place
    -1.4662, // in doubt
    1.7548, // constant
];
