//! Constants printed by `tools/fit_finder.rs`; not to be changed by hand.

use super::evidence::Weights;

/// In the order of [`super::evidence::NAMES`], then the constant.
#[rustfmt::skip]
pub const WEIGHTS: Weights = [
    1.5034, // heat
    -0.0759, // symbols
    0.4497, // a symbol
    -1.6949, // misfit
    -0.2262, // too large
    -0.1709, // too small
    -1.2682, // no table
    0.4111, // sides
    -1.1247, // rim
    -0.0298, // measured
    -0.1229, // agreed
    0.6506, // own
    -0.3971, // taken
    0.5961, // in place
    -1.4791, // in doubt
    2.7595, // constant
];
