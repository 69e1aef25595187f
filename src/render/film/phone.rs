//! What a phone in a hand adds to a film: it trembles, its rows are exposed one after the other and
//! for a while, and its exposure hunts.

use std::f64::consts::TAU;

/// From the first row to the last, in seconds: a rolling shutter.
const READOUT_S: f64 = 0.02;
/// How long a row is exposed, in seconds, as in a room in the evening.
const EXPOSURE_S: f64 = 0.016;
/// A row is the mean of so many moments.
pub(super) const MOMENTS: usize = 3;
/// Paces of a hand's tremor, in hertz, and how much each counts.
const TREMOR: [(f64, f64); 3] = [(4.3, 1.0), (7.9, 0.6), (11.3, 0.35)];
/// The exposure hunts once in so many seconds.
const HUNT_S: f64 = 2.7;

/// When a row of a frame is exposed: `share` of the way from the first row to the last, in one of its
/// moments.
pub(super) fn moment(frame_s: f64, share: f64, number: usize) -> f64 {
    let middle = (number as f64 + 0.5) / MOMENTS as f64 - 0.5;
    frame_s + READOUT_S * (share - 0.5) + EXPOSURE_S * middle
}

/// How far the hand has trembled off at a time, about -1 to 1; `way` tells directions apart.
pub(super) fn tremor(time_s: f64, way: u32) -> f64 {
    let phase = 1.7 * f64::from(way);
    let sum = |(pace, part): &(f64, f64)| part * (TAU * pace * time_s + phase * pace).sin();
    TREMOR.iter().map(sum).sum::<f64>() / 1.95
}

/// By how much the picture is brighter than it should be: the exposure falls at once and is found
/// again, overshooting a little.
pub(super) fn gain(time_s: f64) -> f64 {
    let since = (time_s + 1.1).rem_euclid(HUNT_S);
    1.0 - 0.3 * (-3.0 * since).exp() * (6.0 * since).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_each_other_and_exposure_returns() {
        assert!(moment(1.0, 0.0, 0) < moment(1.0, 0.0, 2));
        assert!(moment(1.0, 0.0, 1) < moment(1.0, 1.0, 1));
        assert!((moment(1.0, 0.5, 1) - 1.0).abs() < 1e-9);
        let gains: Vec<f64> = (0..100).map(|i| gain(0.05 * f64::from(i))).collect();
        let least = gains.iter().copied().fold(f64::MAX, f64::min);
        assert!((0.65..0.75).contains(&least), "{least}");
        assert!(gains.iter().all(|gain| *gain < 1.15));
        assert!((0..1_000).all(|i| tremor(0.01 * f64::from(i), 2).abs() <= 1.0));
    }
}
