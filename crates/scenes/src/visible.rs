//! The visible parts of each card in the picture.

use super::scene::DrawnCard;
use setsight_photo::geometry::{Point, Quad};

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
        let (mut seen, mut low, mut high) = (0usize, Point::default(), Point::default());
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
            seen += row.iter().filter(|&&c| usize::from(c) == number).count();
        }
        card.area_in_view = (seen as f64 / corners.signed_area().abs().max(1.0)).min(1.0);
        let each = probes.len() / card.symbols_seen.len().max(1);
        for (seen, probes) in card.symbols_seen.iter_mut().zip(probes.chunks(each.max(1))) {
            let own = |p: &&Point| self.at(**p).is_some_and(|c| usize::from(c) == number);
            *seen = probes.iter().filter(own).count() as f64 / probes.len() as f64;
        }
    }

    /// The quadrilaterals that are mostly in the picture and not covered by cards.
    pub(super) fn uncovered(&self, mut quads: Vec<Quad>) -> Vec<Quad> {
        const STEPS: usize = 8;
        quads.retain(|quad| {
            let part = |i: usize| (i as f64 + 0.5) / STEPS as f64;
            let open = (0..STEPS * STEPS).filter(|k| {
                let (u, v) = (part(k % STEPS), part(k / STEPS));
                let top = quad.0[0].lerp(quad.0[1], u);
                let p = top.lerp(quad.0[3].lerp(quad.0[2], u), v);
                self.at(p) == Some(0)
            });
            quad.is_convex() && open.count() as f64 >= MOST * (STEPS * STEPS) as f64
        });
        quads
    }
}
