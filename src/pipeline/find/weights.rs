//! Constants printed by `tools/fit_finder.rs`; not to be changed by hand.

use super::evidence::Weights;

/// In the order of [`super::evidence::NAMES`], then the constant.
#[rustfmt::skip]
pub const WEIGHTS: Weights = [
    1.4284, // heat
    -0.0516, // symbols
    0.4687, // a symbol
    -2.0501, // misfit
    -1.0010, // too large
    -0.3993, // too small
    -1.7772, // no table
    0.3014, // sides
    -0.1786, // rim
    -0.0085, // measured
    0.0521, // agreed
    0.5038, // own
    -0.2729, // taken
    0.3463, // in place
    -1.4019, // in doubt
    1.6725, // constant
];
