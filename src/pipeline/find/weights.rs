//! Constants printed by `tools/fit_finder.rs`; not to be changed by hand.

use super::evidence::Weights;

/// In the order of [`super::evidence::NAMES`], then the constant.
#[rustfmt::skip]
pub const WEIGHTS: Weights = [
    1.5725, // heat
    0.2288, // symbols
    0.3752, // a symbol
    -2.1049, // misfit
    -1.3416, // too large
    -0.8039, // too small
    -0.2091, // no table
    1.8168, // sides
    -0.0269, // rim
    0.0462, // measured
    0.3634, // agreed
    0.7213, // own
    -0.7342, // taken
    -0.5404, // constant
];
