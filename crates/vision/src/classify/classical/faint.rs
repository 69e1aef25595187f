//! Reads cards on which no complete symbol is visible, for instance under glare: it searches for
//! remains of the outlines where a card has its symbols.

use super::template::Masks;
use crate::card::{CARD_LONG_PX, CARD_SHORT_PX, CardImage, Reading};
use setsight_game::cards::Shape;

/// Shifts of the card against its outline that are tried, in pixels of the card image.
const SHIFTS_X: [f32; 5] = [-6.0, -3.0, 0.0, 3.0, 6.0];
const SHIFTS_Y: [f32; 5] = [-4.0, -2.0, 0.0, 2.0, 4.0];
/// Darkness, 0 to 1, at which an edge counts half: above noise, below the faintest print.
const HALF_EDGE: f32 = 0.025;
/// An edge weaker than this is evidence against a symbol.
const NEUTRAL: f32 = 0.25;
/// Threshold on the mean edge strength around a card's symbols. Chosen by hand between measured
/// values: the straight crops of pascualy/SetSolver reach 0.70 to 0.95, grain at most 0.24.
const LEAST_EDGE: f32 = 0.40;
/// Probability of a card for such weak evidence: enough to keep the card, never enough to be sure
/// of it.
const IS_CARD: f32 = 0.6;
/// Factor from scores to log odds.
const SHARPNESS: f32 = 6.0;

/// Number and shape of a card from the remains of its outlines; `None` if there are too few.
/// Shading and colour are left open, because glare changes them first.
pub(super) fn read(card: &CardImage, masks: &Masks) -> Option<Reading> {
    let darkness = Darkness::new(card);
    if !darkness.rim_is_even() {
        return None;
    }
    let outlines = masks.outlines_px.each_ref().map(edges);
    let strongest = |outline: &[EdgePoint]| {
        masks.centers_px.each_ref().map(|centers| darkness.strongest_edges(outline, centers))
    };
    let scores = outlines.each_ref().map(|outline| strongest(outline));
    let mirrored: Vec<EdgePoint> =
        outlines[Shape::Squiggle.index()].iter().map(EdgePoint::mirrored).collect();
    let per_symbol = |scores: &[f32; 3]| {
        let each = scores.iter().zip(&masks.centers_px);
        each.map(|(score, centers)| score / centers.len() as f32).fold(f32::MIN, f32::max)
    };
    let most = scores.iter().map(per_symbol).fold(f32::MIN, f32::max);
    if most + NEUTRAL < LEAST_EDGE || per_symbol(&strongest(&mirrored)) > most {
        return None;
    }
    let best = scores.as_flattened().iter().copied().fold(f32::MIN, f32::max);
    let weights = [0, 1, 2].map(|n| scores.map(|row| ((row[n] - best) * SHARPNESS).exp()));
    let total: f32 = weights.as_flattened().iter().sum();
    let mut reading = Reading { is_card: IS_CARD, ..Reading::UNKNOWN };
    reading.values[0] = weights.map(|row| row.iter().sum::<f32>() / total);
    reading.values[3] = [0, 1, 2].map(|s| weights.iter().map(|row| row[s]).sum::<f32>() / total);
    Some(reading)
}

const LONG: f32 = CARD_LONG_PX as f32;
const SHORT: f32 = CARD_SHORT_PX as f32;

/// A point on the print and a point on the stock beside it, relative to the symbol's centre.
struct EdgePoint {
    on_print: (f32, f32),
    on_stock: (f32, f32),
}

impl EdgePoint {
    fn mirrored(&self) -> Self {
        Self { on_print: mirrored(self.on_print), on_stock: mirrored(self.on_stock) }
    }
}

fn mirrored((x, y): (f32, f32)) -> (f32, f32) {
    (-x, y)
}

fn edges(points: &[[f32; 2]; 48]) -> Vec<EdgePoint> {
    /// Half a pen stroke inwards, and clear of the stroke outwards.
    const INWARDS_PX: f32 = 1.3;
    const OUTWARDS_PX: f32 = 4.5;
    let n = points.len();
    (0..n)
        .map(|i| {
            let ([ax, ay], [bx, by]) = (points[(i + n - 1) % n], points[(i + 1) % n]);
            let length = (bx - ax).hypot(by - ay).max(1e-6);
            // The outlines run anticlockwise on the screen: outwards is to their right.
            let (nx, ny) = (-(by - ay) / length, (bx - ax) / length);
            let [x, y] = points[i];
            EdgePoint {
                on_print: (x - nx * INWARDS_PX, y - ny * INWARDS_PX),
                on_stock: (x + nx * OUTWARDS_PX, y + ny * OUTWARDS_PX),
            }
        })
        .collect()
}

/// Darkness of the darkest channel for each pixel, 0 (white) to 1, slightly smoothed.
struct Darkness(Vec<f32>);

impl Darkness {
    fn new(card: &CardImage) -> Self {
        let (w, h) = (CARD_LONG_PX as usize, CARD_SHORT_PX as usize);
        let raw: Vec<f32> = card
            .pixels
            .pixels()
            .map(|p| 1.0 - f32::from(p.0[0].min(p.0[1]).min(p.0[2])) / 255.0)
            .collect();
        let mut smooth = raw.clone();
        for y in 1..h - 1 {
            for x in 1..w - 1 {
                let sum: f32 = (0..9).map(|k| raw[(y + k / 3 - 1) * w + x + k % 3 - 1]).sum();
                smooth[y * w + x] = sum / 9.0;
            }
        }
        Self(smooth)
    }

    fn at(&self, x: f32, y: f32) -> f32 {
        let x = (x + LONG / 2.0).clamp(0.0, LONG - 1.0) as usize;
        let y = (y + SHORT / 2.0).clamp(0.0, SHORT - 1.0) as usize;
        self.0[y * CARD_LONG_PX as usize + x]
    }

    /// Whether the stock above, below and beside the symbols has an even lightness, as on a card.
    fn rim_is_even(&self) -> bool {
        /// Deviation from the rim's median darkness that dirt and shade explain.
        const SHADE: f32 = 0.15;
        let mut rim = Vec::new();
        for i in -8..=8 {
            let x = i as f32 * 0.05 * LONG;
            rim.extend([self.at(x, -0.42 * SHORT), self.at(x, 0.42 * SHORT)]);
        }
        for i in -5..=5 {
            let y = i as f32 * 0.07 * SHORT;
            rim.extend([self.at(-0.46 * LONG, y), self.at(0.46 * LONG, y)]);
        }
        rim.sort_by(f32::total_cmp);
        let middle = rim[rim.len() / 2];
        let even = rim.iter().filter(|&&d| (d - middle).abs() < SHADE).count();
        5 * even >= 4 * rim.len()
    }

    /// The most that the edges of symbols with these centres have together beyond [`NEUTRAL`], at any shift.
    fn strongest_edges(&self, outline: &[EdgePoint], centers: &[f32]) -> f32 {
        let shifts = SHIFTS_Y.iter().flat_map(|dy| SHIFTS_X.iter().map(move |dx| (dx, *dy)));
        let edges = shifts.map(|(dx, dy)| -> f32 {
            centers.iter().map(|x| self.edge_along(outline, x + dx, dy) - NEUTRAL).sum()
        });
        edges.fold(f32::MIN, f32::max)
    }

    /// Mean strength, -1 to 1, of the edge around a symbol centred at (dx, dy) from the card's
    /// centre: near 1 if the print is much darker than the stock beside it.
    fn edge_along(&self, outline: &[EdgePoint], dx: f32, dy: f32) -> f32 {
        outline
            .iter()
            .map(|p| {
                let edge = self.at(p.on_print.0 + dx, p.on_print.1 + dy)
                    - self.at(p.on_stock.0 + dx, p.on_stock.1 + dy);
                edge / (edge.abs() + HALF_EDGE)
            })
            .sum::<f32>()
            / outline.len() as f32
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawn;
    use super::*;
    use image::{Rgb, RgbImage};
    use setsight_game::cards::Edition;
    use setsight_game::cards::{Card, Property};

    /// Bleaches a card towards white, completely in a band down its middle.
    fn bleach(mut card: CardImage) -> CardImage {
        for (x, y, p) in card.pixels.enumerate_pixels_mut() {
            let from_glare = (x as f32 - 96.0).hypot(0.5 * (y as f32 - 64.0)) / 60.0;
            let kept =
                (0.25 + 0.2 * from_glare).min(0.5) * if y.abs_diff(64) < 16 { 0.0 } else { 1.0 };
            p.0 = p.0.map(|v| (255.0 - (255.0 - f32::from(v)) * kept) as u8);
        }
        card
    }

    #[test]
    fn number_and_shape_outlast_glare() {
        for card in Card::deck().step_by(5) {
            let reading = read(
                &bleach(drawn::draw(card, [1.0; 3], (2.0, -1.0))),
                Masks::of_edition(Edition::Classic),
            )
            .expect("a card");
            for (i, property) in [(0, Property::Number), (3, Property::Shape)] {
                let values = reading.values[i];
                let best = (0..3).max_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap();
                assert_eq!(best, card.value(property), "{card}: {reading:?}");
            }
            assert!(reading.best().1 < 0.5, "nothing is known of shading and colour");
        }
    }

    #[test]
    fn paper_bars_and_grain_are_no_cards() {
        let (w, h) = (CARD_LONG_PX, CARD_SHORT_PX);
        let blank = RgbImage::from_pixel(w, h, Rgb([236; 3]));
        let bars = RgbImage::from_fn(w, h, |x, _| Rgb([if x / 12 % 2 == 0 { 240 } else { 60 }; 3]));
        let rough = RgbImage::from_fn(w, h, |x, y| Rgb([150 + (grain(x, y) % 100) as u8; 3]));
        for (name, image) in [("blank", blank), ("bars", bars), ("rough", rough)] {
            assert_eq!(
                read(&CardImage::from_crop(image), Masks::of_edition(Edition::Classic)),
                None,
                "{name}"
            );
        }
    }

    fn grain(x: u32, y: u32) -> u32 {
        (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503)) >> 7
    }
}
