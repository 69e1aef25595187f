//! Which of two cards that overlap lies on the other, by the picture: of the upper one the edge is
//! seen, of the lower one there is but the other's face. So outlines go no further than the cards.

use image::RgbImage;
use setsight_photo::geometry::{Point, Quad, median};

/// Points that are looked at along each side.
const STEPS: usize = 40;
/// So far on both sides of an edge its contrast is looked for, in times the card's short side.
const REACH: f64 = 0.03;
/// So many points tell; fewer are a corner that hardly overlaps.
const LEAST_POINTS: usize = 4;
/// By so much one edge is clearer than the other, or nothing is told.
const CLEARLY: f64 = 1.6;

/// For each card those that lie on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Heap {
    quads: Vec<Quad>,
    on_it: Vec<Vec<usize>>,
}

impl Heap {
    /// That of these cards of a picture.
    pub(crate) fn of(picture: &RgbImage, quads: Vec<Quad>) -> Self {
        let mut on_it = vec![Vec::new(); quads.len()];
        for (i, a) in quads.iter().enumerate() {
            for (j, b) in quads.iter().enumerate().skip(i + 1) {
                if a.center().distance(b.center()) > a.long_side() + b.long_side() {
                    continue;
                }
                let (Some(of_a), Some(of_b)) = (contrast(picture, a, b), contrast(picture, b, a))
                else {
                    continue;
                };
                if of_a > CLEARLY * of_b {
                    on_it[j].push(i);
                } else if of_b > CLEARLY * of_a {
                    on_it[i].push(j);
                }
            }
        }
        Self { quads, on_it }
    }

    /// Whether it is that of these cards.
    pub(crate) fn is_of(&self, quads: impl Iterator<Item = Quad>) -> bool {
        quads.eq(self.quads.iter().copied())
    }

    /// The cards that lie on one.
    pub(crate) fn on(&self, card: usize) -> Vec<Quad> {
        let on_it = self.on_it.get(card).into_iter().flatten();
        on_it.map(|&other| self.quads[other]).collect()
    }
}

/// How clearly a card's edge is seen where it runs over another card: the middle of the steps in
/// lightness across it. None where it does not.
fn contrast(picture: &RgbImage, card: &Quad, other: &Quad) -> Option<f64> {
    let reach = (REACH * card.short_side()).max(2.0);
    // Near its own edge the other card is dark, too.
    let inner = smaller(other, 1.0 - 2.5 * reach / other.short_side().max(1.0));
    let mut steps = Vec::new();
    for side in 0..4 {
        let (from, to) = (card.0[side], card.0[(side + 1) % 4]);
        let along = to - from;
        let across = Point::new(-along.y, along.x) * (reach / along.norm().max(1.0));
        for step in 1..STEPS {
            let at = from.lerp(to, step as f64 / STEPS as f64);
            if !inner.contains(at) {
                continue;
            }
            let light = |part: f64| lightness(picture, at + across * part);
            let profile: Vec<f64> = (-4..=4).filter_map(|n| light(f64::from(n) / 4.0)).collect();
            let least = profile.iter().copied().fold(f64::INFINITY, f64::min);
            let most = profile.iter().copied().fold(0.0, f64::max);
            if !profile.is_empty() {
                steps.push(most - least);
            }
        }
    }
    if steps.len() < LEAST_POINTS { None } else { median(steps) }
}

/// A card that is smaller by a factor, at the same place.
fn smaller(card: &Quad, factor: f64) -> Quad {
    let center = card.center();
    card.map(|corner| center.lerp(corner, factor))
}

fn lightness(picture: &RgbImage, at: Point) -> Option<f64> {
    let pixel = picture.get_pixel_checked(at.x.max(0.0) as u32, at.y.max(0.0) as u32)?;
    let [r, g, b] = pixel.0.map(f64::from);
    Some(0.299 * r + 0.587 * g + 0.114 * b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    /// Two white cards with grey edges on a green ground, the second on the first.
    #[test]
    fn the_card_whose_edge_is_seen_lies_above() {
        let card = |x: f64, y: f64| {
            Quad::new(Quad::rectangle(180.0, 120.0).0.map(|p| p + Point::new(x, y)))
        };
        let cards = vec![card(40.0, 40.0), card(120.0, 90.0), card(400.0, 60.0)];
        let mut picture = RgbImage::from_pixel(640, 360, Rgb([40, 110, 70]));
        for card in &cards {
            for (x, y, pixel) in picture.enumerate_pixels_mut() {
                let at = Point::new(x.into(), y.into());
                if card.contains(at) {
                    let is_edge = !smaller(card, 0.95).contains(at);
                    *pixel = Rgb([if is_edge { 190 } else { 245 }; 3]);
                }
            }
        }
        let heap = Heap::of(&picture, cards.clone());
        assert_eq!(heap.on(0), [cards[1]]);
        assert!(heap.on(1).is_empty() && heap.on(2).is_empty());
        assert!(heap.is_of(cards.iter().copied()) && !heap.is_of(cards.into_iter().take(2)));
        // Where the picture does not tell, nothing is said.
        let blank = RgbImage::new(640, 360);
        assert!(Heap::of(&blank, vec![card(40.0, 40.0), card(120.0, 90.0)]).on(0).is_empty());
    }
}
