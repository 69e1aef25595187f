//! Rasterises the table and the cards into linear light.

use super::{
    camera::View, distractors::placement::for_pixels, light::Light, table::Lying, visible::Owner,
};
use setsight_game::cards::outline::{CARD_LONG_MM, CARD_SHORT_MM};
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::print::card::{self, Print};
use setsight_photo::print::{
    dice,
    ink::{Footprint, rounded_rectangle},
};

impl Lying {
    /// Height above the table at a distance from the card's centre along its long side.
    pub(super) fn height_mm(&self, x: f64) -> f64 {
        let part = (2.0 * x / CARD_LONG_MM).clamp(-1.0, 1.0);
        if self.curl_mm >= 0.0 {
            self.curl_mm * part * part
        } else {
            -self.curl_mm * (1.0 - part * part)
        }
    }

    /// A pixel's footprint on the table, in the card's own axes.
    pub(super) fn footprint_on_card(&self, on_table: &Footprint) -> Footprint {
        let turned = |(x, y): (f64, f64)| {
            (x * self.along.x + y * self.along.y, y * self.along.x - x * self.along.y)
        };
        Footprint { right: turned(on_table.right), down: turned(on_table.down) }
    }

    /// Slope of the card there.
    fn slope(&self, x: f64) -> f64 {
        let part = (2.0 * x / CARD_LONG_MM).clamp(-1.0, 1.0);
        4.0 * self.curl_mm.abs() * part * self.curl_mm.signum() / CARD_LONG_MM
    }
}

/// Marks the pixels well inside a card, where the table need not be drawn.
pub(super) fn hidden(lying: &[Lying], view: &View, size: (usize, usize)) -> Vec<bool> {
    let mut hidden = vec![false; size.0 * size.1];
    for card in lying {
        // Clear of the rounded corners, of a curled card's bent sides and of the pixel's width.
        let (a, b) = (CARD_LONG_MM / 2.0 - 5.0, CARD_SHORT_MM / 2.0 - 5.0);
        let at = |x: f64, y: f64| view.image_from_table(card.table_from_card(x, y), 0.0);
        let quad = Quad::new([(-a, -b), (a, -b), (a, b), (-a, b)].map(|(x, y)| at(x, y)));
        let pixel_mm = 2.0 * a / quad.long_side().min(quad.short_side() * a / b);
        if pixel_mm > 2.0 || card.curl_mm.abs() > 3.0 {
            continue;
        }
        for_pixels(&quad.0, size, |x, y| {
            if quad.contains(Point::new(x as f64 + 0.5, y as f64 + 0.5)) {
                hidden[y * size.0 + x] = true;
            }
        });
    }
    hidden
}

/// Draws every second pixel of every second row, and interpolates between them.
pub(super) fn draw_coarse(
    pixels: &mut [[f32; 4]],
    (width, height): (usize, usize),
    hidden: &[bool],
    at: impl Fn(usize, usize) -> [f32; 4],
) {
    let mean = |a: [f32; 4], b: [f32; 4]| [0, 1, 2, 3].map(|c| 0.5 * (a[c] + b[c]));
    let columns = width / 2 + 1;
    let needed = |i: usize, j: usize| {
        // A node is needed if one of the pixels around it is.
        (j.saturating_sub(1)..(j + 2).min(height))
            .any(|y| (i.saturating_sub(1)..(i + 2).min(width)).any(|x| !hidden[y * width + x]))
    };
    let row = |j: usize| -> Vec<[f32; 4]> {
        (0..columns).map(|i| if needed(2 * i, j) { at(2 * i, j) } else { [0.0; 4] }).collect()
    };
    let mut above = row(0);
    for (j, two) in pixels.chunks_mut(2 * width).enumerate() {
        let below = row(2 * j + 2);
        for (k, line) in two.chunks_exact_mut(width).enumerate() {
            let node = |i: usize| if k == 0 { above[i] } else { mean(above[i], below[i]) };
            let mut left = node(0);
            for (i, pair) in line.chunks_mut(2).enumerate() {
                let right = node((i + 1).min(columns - 1));
                pair[0] = left;
                if let Some(second) = pair.get_mut(1) {
                    *second = mean(left, right);
                }
                left = right;
            }
        }
        above = below;
    }
}

/// Width of the dark seam between a card and the table.
const SEAM_MM: f64 = 1.2;

pub(super) fn draw_card(
    pixels: &mut [[f32; 4]],
    owner: &mut Owner,
    card: &Lying,
    print: &Print,
    gloss: f32,
    view: &View,
    light: &Light,
) {
    let (length, softness, depth) = light.card_shadow;
    let reach = length + softness + 2.0 * card.curl_mm.abs() + 2.0;
    let (a, b) = (CARD_LONG_MM / 2.0 + reach, CARD_SHORT_MM / 2.0 + reach);
    let around = [(-a, -b), (a, -b), (a, b), (-a, b)]
        .map(|(x, y)| view.image_from_table(card.table_from_card(x, y), 0.0));
    let along_light = card.along.dot(light.away);
    let size = owner.size;
    for_pixels(&around, size, |i, j| {
        let seen = view.table_from_image(Point::new(i as f64 + 0.5, j as f64 + 0.5));
        let flat = card.card_from_table(seen.place);
        if flat.x.abs() > a || flat.y.abs() > b {
            return;
        }
        let pixel = &mut pixels[j * size.0 + i];
        let distance = |p: Point| {
            let (long, short) = (CARD_LONG_MM / 2.0, CARD_SHORT_MM / 2.0);
            rounded_rectangle(p.x, p.y, long, short, print.corner_mm).mm
        };
        let thrown = distance(
            card.card_from_table(seen.place - light.away * (length + card.height_mm(flat.x))),
        );
        let soft = (softness + card.height_mm(flat.x)).max(seen.size_mm);
        let t = (0.5 - thrown / soft).clamp(0.0, 1.0);
        let seam = (1.0 - distance(flat).max(0.0) / SEAM_MM.max(seen.size_mm)).clamp(0.0, 1.0);
        let dark = (1.0 - depth * (t * t * (3.0 - 2.0 * t)).max(0.55 * seam)) as f32;
        for value in &mut pixel[..3] {
            *value *= dark;
        }
        let raised = view.below(seen.place, card.height_mm(flat.x));
        let p = card.card_from_table(raised);
        let footprint = card.footprint_on_card(&seen.footprint);
        let face = card::face(card.card, print, p.x, p.y, &footprint);
        if face.cover > 0.0 {
            if face.cover > 0.5 {
                owner.take(j * size.0 + i);
            }
            // A side that rises away from the lamp faces the lamp.
            let shade = 1.0 + 1.2 * card.slope(p.x) * along_light;
            let paper = if seen.size_mm < 0.6 {
                0.012 * dice::value(card.card.index() as u64, p.x / 0.7, p.y / 0.7)
            } else {
                0.0
            };
            let cover = face.cover as f32;
            for (value, color) in pixel.iter_mut().zip(face.color) {
                *value += ((color * (shade + paper)) as f32 - *value) * cover;
            }
            pixel[3] += (gloss - pixel[3]) * cover;
        }
    });
}
