//! Rasterises the table and the cards into linear light, and finds the visible parts of each card.

use super::{DrawnCard, camera::View, distractors::for_pixels, light::Light, table::Lying};
use setsight_game::cards::outline::{CARD_LONG_MM, CARD_SHORT_MM};
use setsight_photo::geometry::{Point, Quad, grid_center};
use setsight_photo::print::card::{self, Print};
use setsight_photo::print::dice;
use setsight_photo::print::ink::{Footprint, rounded_rectangle};

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
        let [right, down] = [on_table.right, on_table.down].map(|(x, y)| {
            (x * self.along.x + y * self.along.y, y * self.along.x - x * self.along.y)
        });
        Footprint { right, down }
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
        let corners = [(-a, -b), (a, -b), (a, b), (-a, b)];
        let quad =
            Quad::new(corners.map(|(x, y)| view.image_from_table(card.table_from_card(x, y), 0.0)));
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
    size: (usize, usize),
    hidden: &[bool],
    at: impl Fn(usize, usize) -> [f32; 4],
) {
    let width = size.0;
    let mean = |a: [f32; 4], b: [f32; 4]| [0, 1, 2, 3].map(|c| 0.5 * (a[c] + b[c]));
    let columns = width / 2 + 1;
    let row = |j: usize| -> Vec<[f32; 4]> {
        (0..columns)
            .map(|i| if is_needed(hidden, size, (2 * i, j)) { at(2 * i, j) } else { [0.0; 4] })
            .collect()
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

/// A node is needed if one of the pixels around it is.
fn is_needed(hidden: &[bool], (width, height): (usize, usize), (i, j): (usize, usize)) -> bool {
    (j.saturating_sub(1)..(j + 2).min(height))
        .any(|y| (i.saturating_sub(1)..(i + 2).min(width)).any(|x| !hidden[y * width + x]))
}

/// Signed distance of a place of a card's plane from the card's border, in millimetres: negative
/// on the card.
pub(super) fn to_border(p: Point, print: &Print) -> f64 {
    rounded_rectangle(p.x, p.y, CARD_LONG_MM / 2.0, CARD_SHORT_MM / 2.0, print.corner_mm).mm
}

/// The pixels between two coordinates, of those below the limit.
pub(super) fn pixel_range(from: f64, to: f64, limit: usize) -> std::ops::Range<usize> {
    let [from, to] = [from, to].map(|v| v.clamp(0.0, limit as f64) as usize);
    from..to
}

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
        let point = view.table_from_image(Point::new(i as f64 + 0.5, j as f64 + 0.5));
        let flat = card.card_from_table(point.place);
        if flat.x.abs() > a || flat.y.abs() > b {
            return;
        }
        let pixel = &mut pixels[j * size.0 + i];
        let thrown = to_border(
            card.card_from_table(point.place - light.away * (length + card.height_mm(flat.x))),
            print,
        );
        let soft = (softness + card.height_mm(flat.x)).max(point.size_mm);
        let t = (0.5 - thrown / soft).clamp(0.0, 1.0);
        let seam =
            (1.0 - to_border(flat, print).max(0.0) / SEAM_MM.max(point.size_mm)).clamp(0.0, 1.0);
        let dark = (1.0 - depth * (t * t * (3.0 - 2.0 * t)).max(0.55 * seam)) as f32;
        for value in &mut pixel[..3] {
            *value *= dark;
        }
        let raised = view.below(point.place, card.height_mm(flat.x));
        let p = card.card_from_table(raised);
        let footprint = card.footprint_on_card(&point.footprint);
        let face = card::face(card.card, print, p.x, p.y, &footprint);
        if face.cover > 0.0 {
            if face.cover > 0.5 {
                owner.take(j * size.0 + i);
            }
            // A side that rises away from the lamp faces the lamp.
            let shade = 1.0 + 1.2 * card.slope(p.x) * along_light;
            let paper = if point.size_mm < 0.6 {
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

/// The card that each pixel shows: its number from 1, or 0 for anything else.
pub(super) struct Owner {
    pub(super) size: (usize, usize),
    /// The card that is being drawn.
    pub(super) next: usize,
    cards: Vec<u8>,
}

/// Minimum visible fraction of an object that is listed.
const MOST: f64 = 0.6;

impl Owner {
    pub(super) fn new(size: (usize, usize)) -> Self {
        Self { size, next: 0, cards: vec![0; size.0 * size.1] }
    }

    /// Assigns a pixel to the card that is being drawn.
    pub(super) fn take(&mut self, pixel: usize) {
        // A deck has fewer than 255 cards.
        self.cards[pixel] = self.next as u8;
    }

    fn at(&self, p: Point) -> Option<u8> {
        let (width, height) = (self.size.0 as f64, self.size.1 as f64);
        let inside = p.x >= 0.0 && p.y >= 0.0 && p.x < width && p.y < height;
        inside.then(|| self.cards[p.y as usize * self.size.0 + p.x as usize])
    }

    /// Fills in the visible fractions of the card `number`. `probes` are points of its symbols in
    /// the picture, the same number for each symbol.
    pub(super) fn see(&self, card: &mut DrawnCard, number: usize, probes: &[Point]) {
        let corners = card.corners_in_image;
        let (mut visible, mut low, mut high) = (0usize, Point::default(), Point::default());
        for (i, p) in corners.0.iter().enumerate() {
            let q =
                Point::new(p.x.clamp(0.0, self.size.0 as f64), p.y.clamp(0.0, self.size.1 as f64));
            low = if i == 0 { q } else { Point::new(low.x.min(q.x), low.y.min(q.y)) };
            high = if i == 0 { q } else { Point::new(high.x.max(q.x), high.y.max(q.y)) };
        }
        // A curled card bends beyond its corners.
        let from = |v: f64| (v as usize).saturating_sub(4);
        let to = |v: f64, limit: usize| (v as usize + 5).min(limit);
        for y in from(low.y)..to(high.y, self.size.1) {
            let row = &self.cards[y * self.size.0..][from(low.x)..to(high.x, self.size.0)];
            visible += row.iter().filter(|&&c| usize::from(c) == number).count();
        }
        card.area_in_view = (visible as f64 / corners.signed_area().abs().max(1.0)).min(1.0);
        let each = probes.len() / card.symbol_visibility.len().max(1);
        for (visibility, probes) in
            card.symbol_visibility.iter_mut().zip(probes.chunks(each.max(1)))
        {
            *visibility = probes
                .iter()
                .filter(|p| self.at(**p).is_some_and(|c| usize::from(c) == number))
                .count() as f64
                / probes.len() as f64;
        }
    }

    /// The quadrilaterals that are mostly in the picture and not covered by cards.
    pub(super) fn uncovered(&self, mut quads: Vec<Quad>) -> Vec<Quad> {
        const STEPS: usize = 8;
        quads.retain(|quad| {
            let open = (0..STEPS * STEPS).filter(|&k| {
                let Point { x, y } = grid_center(k, STEPS);
                let top = quad.0[0].lerp(quad.0[1], x);
                let p = top.lerp(quad.0[3].lerp(quad.0[2], x), y);
                self.at(p) == Some(0)
            });
            quad.is_convex() && open.count() as f64 >= MOST * (STEPS * STEPS) as f64
        });
        quads
    }
}
