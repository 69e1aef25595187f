//! Constants printed by `tools/fit_finder.rs`; not to be changed by hand.

use super::evidence::Weights;

/// In the order of [`super::evidence::NAMES`], then the constant.
#[rustfmt::skip]
pub const WEIGHTS: Weights = [
    1.3942, // heat
    0.2423, // symbols
    0.1487, // a symbol
    -2.2880, // misfit
    -0.7454, // too large
    -0.9924, // too small
    -2.0943, // no table
    0.2894, // sides
    -0.3738, // rim
    -0.0287, // measured
    0.0322, // agreed
    0.9544, // own
    -0.1411, // taken
    0.3310, // in place
    -1.4392, // in doubt
    1.6049, // constant
];
