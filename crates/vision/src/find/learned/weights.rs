//! Constants printed by `tools/fit_finder.rs`; do not edit.

use super::evidence::Weights;

/// The weights in the order of [`super::evidence::NAMES`], then the constant.
#[rustfmt::skip]
pub const WEIGHTS: Weights = [
    1.7239, // heat
    0.3095, // symbols
    0.3542, // a symbol
    -2.0163, // misfit
    -1.4376, // too large
    -0.5311, // too small
    -2.2619, // no table
    0.8360, // sides
    0.9160, // rim
    0.2807, // own
    -0.3788, // taken
    -0.0060, // constant
];
