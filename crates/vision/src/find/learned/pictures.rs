//! Draws the finder's intermediate results, for people.

use super::{Detections, evidence};
use crate::{overlay, probability::sigmoid};
use image::{Rgb, RgbImage, imageops};
use setsight_nets::finder;
use setsight_photo::Frame;

const INK: Rgb<u8> = Rgb([255, 255, 255]);
const GROUND: Rgb<u8> = Rgb([40, 40, 44]);
const FITTED: Rgb<u8> = Rgb([0, 158, 115]);
const EXPECTED: Rgb<u8> = Rgb([230, 159, 0]);
const PREDICTED: Rgb<u8> = Rgb([86, 180, 233]);

/// The network's heat map over its input, enlarged three times: centres of cards in red, of symbols
/// in blue.
pub(crate) fn heat(detections: &Detections) -> RgbImage {
    const LARGER: u32 = 3;
    let input = &detections.found.scaled.input;
    let (width, height) = detections.found.scaled.size;
    let plane = input.width * input.height;
    let stride = finder::STRIDE_PX;
    let mut picture = RgbImage::from_fn(width as u32, height as u32, |x, y| {
        let (x, y) = (x as usize, y as usize);
        let at = y * input.width + x;
        let probability =
            |output| sigmoid(detections.found.maps.at(output, y / stride, x / stride)) as f32;
        // Use a dark grey photo, so that the only colours are the network's.
        let grey = (0..3).map(|c| input.pixels[c * plane + at]).sum::<f32>() / 3.0 * 0.6;
        let (card, symbol) = (probability(finder::CARD), probability(finder::SYMBOL));
        Rgb([card, 0.35 * card.max(symbol), symbol].map(|color| {
            let rest = 1.0 - card.max(symbol);
            (255.0 * (grey * rest + color).clamp(0.0, 1.0)) as u8
        }))
    });
    let size = (picture.width() * LARGER, picture.height() * LARGER);
    picture = imageops::resize(&picture, size.0, size.1, imageops::FilterType::Nearest);
    picture
}

/// The photo with each candidate: the network's prediction in blue, the expected place by table and
/// symbols in orange, and the fitted corners in green (grey if the log odds, written in the middle,
/// are negative), with the number of sides found; the network's symbols as dots.
pub(crate) fn places(
    frame: &Frame,
    detections: &Detections,
    weights: &evidence::Weights,
) -> RgbImage {
    const AGAINST: Rgb<u8> = Rgb([90, 90, 90]);
    let mut picture = frame.clone();
    let working = &detections.found.working;
    let unit = (f64::from(picture.width().max(picture.height())) / 1000.0).max(0.5);
    for (card, features) in detections.fitted.cards.iter().zip(&detections.features) {
        let log_odds = evidence::log_odds(features, weights);
        let quad = working.in_image(&card.refined.quad);
        let color = if log_odds > 0.0 { FITTED } else { AGAINST };
        let predicted = working.in_image(&card.candidate.quad);
        overlay::outline(&mut picture, &predicted, unit, PREDICTED, None);
        let expected = working.in_image(&card.expected);
        overlay::outline(&mut picture, &expected, unit, EXPECTED, None);
        overlay::outline(&mut picture, &quad, 2.0 * unit, color, None);
        let size = (0.12 * quad.long_side()).max(11.0);
        let sides = card.refined.sides_found();
        let label = format!("{log_odds:.1} {sides}/4");
        let (middle, width) = (quad.0[0].lerp(quad.0[1], 0.5), overlay::text_width(&label, size));
        let corner = (middle.x - 0.6 * width, middle.y - 0.55 * size);
        overlay::rectangle(&mut picture, corner, (1.2 * width, 1.1 * size), GROUND, 0.85);
        overlay::text_centred(&mut picture, middle, size, INK, &label);
    }
    for symbol in &detections.found.symbols {
        overlay::disc(&mut picture, symbol.center / working.scale, 3.0 * unit, PREDICTED);
    }
    picture
}
