//! Draws cards of a deck and measures them as photographed ones: a deck's file and a photo are compared by the
//! same numbers.

use super::face::{Face, HEIGHT, WIDTH};
use super::measure::Measured;
use setsight_game::cards::Card;
use setsight_photo::print::card::{Print, ink_map};

/// How much of the light the drawn ink takes: about what most inks do.
pub(crate) const TAKES: f32 = 0.75;

/// Where the one symbol of a card may be, with room for its blur: left, top, right, bottom.
const WINDOW: [usize; 4] = [WIDTH / 2 - 66, 16, WIDTH / 2 + 66, HEIGHT - 16];

/// Measures a drawn card of one symbol that is blurred by a Gaussian of this deviation, in pixels
/// of a face.
pub fn measure(card: Card, print: &Print, blur_px: f32) -> Option<Measured> {
    measure_blurred(card, print, &[blur_px]).pop().flatten()
}

/// The same for each of several deviations.
pub fn measure_blurred(card: Card, print: &Print, blurs_px: &[f32]) -> Vec<Option<Measured>> {
    let sharp = ink_map(card, print, (WIDTH, HEIGHT), WINDOW);
    let measured = blurs_px.iter().map(|blur| {
        let ink = blurred(&sharp, *blur);
        let light = ink.iter().map(|share| [1.0 - TAKES * share; 3]).collect();
        let ink = ink.iter().map(|share| TAKES * share).collect();
        Measured::new(&Face { light, ink })
    });
    measured.collect()
}

/// Blurs a map of a face along both axes, within the window.
fn blurred(map: &[f32], deviation_px: f32) -> Vec<f32> {
    if deviation_px < 0.2 {
        return map.to_vec();
    }
    let reach = ((2.6 * deviation_px).ceil() as usize).min(WINDOW[1]);
    let mut weights: Vec<f32> = (0..=2 * reach)
        .map(|k| (-0.5 * ((k as f32 - reach as f32) / deviation_px).powi(2)).exp())
        .collect();
    let sum: f32 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
    convolved(&convolved(map, &weights, 1), &weights, WIDTH)
}

/// Along a row with step 1, along a column with step [`WIDTH`]; beyond the window all is blank.
fn convolved(map: &[f32], weights: &[f32], step: usize) -> Vec<f32> {
    let [left, top, right, bottom] = WINDOW;
    let mut out = vec![0.0; map.len()];
    for y in top..bottom {
        let row = y * WIDTH + left..y * WIDTH + right;
        for (i, value) in row.clone().zip(&mut out[row]) {
            let from = i - weights.len() / 2 * step;
            *value = weights.iter().enumerate().map(|(k, w)| w * map[from + k * step]).sum();
        }
    }
    out
}
