//! Constants printed by `tools/fit_finder.rs`; not to be changed by hand.

use super::evidence::Weights;

/// In the order of [`super::evidence::NAMES`], then the constant.
#[rustfmt::skip]
pub const WEIGHTS: Weights = [
    1.5672, // heat
    -0.0917, // symbols
    0.6512, // a symbol
    -2.0378, // misfit
    0.0115, // too large
    -0.2208, // too small
    -1.2794, // no table
    0.4638, // sides
    -0.7042, // rim
    -0.0370, // measured
    -0.1173, // agreed
    0.5885, // own
    -0.3762, // taken
    0.4591, // in place
    -1.3797, // in doubt
    2.1532, // constant
];
