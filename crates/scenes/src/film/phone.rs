//! Artefacts of a handheld phone: camera shake, a rolling shutter with motion blur, and a hunting
//! exposure.

use std::f64::consts::TAU;

/// Readout time of a frame from the first row to the last, in seconds: a rolling shutter.
const READOUT_S: f64 = 0.02;
/// Exposure time of a row in seconds, as in a room in the evening.
const EXPOSURE_S: f64 = 0.016;
/// Number of moments averaged in each row.
pub(super) const MOMENTS: usize = 3;
/// Frequencies of the hand's tremor in hertz, and their weights.
const TREMOR: [(f64, f64); 3] = [(4.3, 1.0), (7.9, 0.6), (11.3, 0.35)];
/// Period of the exposure's hunting, in seconds.
const HUNT_S: f64 = 2.7;

/// The time at which a row of a frame is exposed: `share` of the way from the first row to the
/// last, at moment `number` of its exposure.
pub(super) fn moment(frame_s: f64, share: f64, number: usize) -> f64 {
    let middle = (number as f64 + 0.5) / MOMENTS as f64 - 0.5;
    frame_s + READOUT_S * (share - 0.5) + EXPOSURE_S * middle
}

/// Displacement by tremor at a time, about -1 to 1; `way` selects a direction.
pub(super) fn tremor(time_s: f64, way: u32) -> f64 {
    let phase = 1.7 * f64::from(way);
    let sum = |(pace, part): &(f64, f64)| part * (TAU * pace * time_s + phase * pace).sin();
    TREMOR.iter().map(sum).sum::<f64>() / 1.95
}

/// Gain of the exposure: it drops suddenly and recovers with a slight overshoot.
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
