//! Constants printed by `tools/fit_finder.rs`; not to be changed by hand.

use super::evidence::Weights;

/// In the order of [`super::evidence::NAMES`], then the constant.
#[rustfmt::skip]
pub const WEIGHTS: Weights = [
    1.4793, // heat
    0.4405, // symbols
    0.2817, // a symbol
    -2.6449, // misfit
    -1.7551, // too large
    -0.8729, // too small
    -1.5078, // no table
    1.5672, // sides
    0.3155, // rim
    0.0115, // measured
    0.0463, // agreed
    0.5003, // own
    -0.9273, // taken
    0.0074, // constant
];
