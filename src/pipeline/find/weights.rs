//! Constants printed by `tools/fit_finder.rs`; not to be changed by hand.

use super::evidence::Weights;

/// In the order of [`super::evidence::NAMES`], then the constant.
#[rustfmt::skip]
pub const WEIGHTS: Weights = [
    1.7784, // heat
    0.1762, // symbols
    0.4898, // a symbol
    -2.0170, // misfit
    -1.5989, // too large
    -0.4851, // too small
    -2.2381, // no table
    0.8297, // sides
    0.8733, // rim
    0.2785, // own
    -0.5960, // taken
    0.0388, // constant
];
