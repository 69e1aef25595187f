//! A deck or a pile of won sets, face up beside the table's cards.
//!
//! Its top card looks like any other, with three differences: it is nearer to the camera, the
//! visible sides of the stack show, and its shadow is longer because of the stack's height.

use super::paint::{Owner, to_border};
use super::{camera::View, distractors::for_pixels, light::Light, params::Params, table::Lying};
use setsight_game::cards::Card;
use setsight_game::cards::outline::{CARD_LONG_MM, CARD_SHORT_MM};
use setsight_photo::geometry::Point;
use setsight_photo::print::card::{self, Print};
use setsight_photo::print::dice::Dice;

/// Half of a card's sides.
const HALF_MM: (f64, f64) = (CARD_LONG_MM / 2.0, CARD_SHORT_MM / 2.0);
/// Minimum gap to the other cards.
const MARGIN_MM: f64 = 6.0;
/// Height of a layer of the sides: a few cards with their own shade.
const LAYER_MM: f64 = 0.9;
/// Number of steps that make up the shadow of the stack's sides.
const SHADOW_STEPS: usize = 6;

#[derive(Clone, Debug)]
pub(super) struct Stack {
    /// The position of each layer, from the lowest to the highest; `curl_mm` is 0.
    layers: Vec<Lying>,
    /// Brightness of each layer's side, relative to the light on a face.
    tones: Vec<f64>,
    height_mm: f64,
    /// Length of the shadow relative to the stack's height.
    slant: f64,
}

impl Stack {
    /// A stack in view and clear of the cards; `None` by chance or if there is no room.
    pub(super) fn random(
        params: &Params,
        view: &View,
        cards: &[Lying],
        dice: &mut Dice,
    ) -> Option<Self> {
        if !dice.chance(params.stack) {
            return None;
        }
        let free: Vec<Card> =
            Card::deck().filter(|card| cards.iter().all(|lying| lying.card != *card)).collect();
        let card = *free.get(dice.below(free.len()))?;
        let height_mm = dice.between(5.0, 26.0);
        let base = place(params, view, cards, height_mm, dice)?;
        let count = ((height_mm / LAYER_MM) as usize).max(2);
        // Neatly stacked or thrown on one another.
        let (off_mm, off_angle) = dice.pick(&[((0.3, 0.006), 2.0), ((1.0, 0.03), 1.0)]);
        let light = dice.between(0.45, 0.95);
        let mut layers = Vec::with_capacity(count);
        let mut tones = Vec::with_capacity(count);
        for _ in 0..count {
            let turn = off_angle * dice.normal();
            let shift = Point::new(off_mm * dice.normal(), off_mm * dice.normal());
            let along = base.along + base.along.perpendicular() * turn;
            layers.push(Lying {
                card,
                center: base.center + shift,
                along: along / along.norm(),
                curl_mm: 0.0,
            });
            tones.push(light * dice.between(0.75, 1.05));
        }
        Some(Self { layers, tones, height_mm, slant: dice.between(0.25, 1.2) })
    }

    /// Draws it and its shadow into linear light, row by row. It hides what lies behind it.
    pub(super) fn draw(
        &self,
        pixels: &mut [[f32; 4]],
        owner: &mut Owner,
        print: &Print,
        gloss: f32,
        view: &View,
        light: &Light,
    ) {
        let Some(top) = self.layers.last() else { return };
        let size = owner.size;
        owner.next = 0;
        let reach = self.height_mm * self.slant + 10.0;
        let (a, b) = (HALF_MM.0 + reach, HALF_MM.1 + reach);
        let corners = [(-a, -b), (a, -b), (a, b), (-a, b)].map(|(x, y)| top.table_from_card(x, y));
        let around: Vec<Point> = corners
            .iter()
            .flat_map(|&p| [0.0, self.height_mm].map(|h| view.image_from_table(p, h)))
            .collect();
        let (_, softness, depth) = light.card_shadow;
        // Ambient light fills in a card's shadow, but less so the shadow of a high stack.
        let depth = 0.25 + 0.75 * depth;
        for_pixels(&around, size, |i, j| {
            let point = view.table_from_image(Point::new(i as f64 + 0.5, j as f64 + 0.5));
            let pixel = &mut pixels[j * size.0 + i];
            let thrown = (0..=SHADOW_STEPS)
                .map(|k| {
                    let height = self.height_mm * k as f64 / SHADOW_STEPS as f64;
                    let below = point.place - light.away * (height * self.slant);
                    to_border(top.card_from_table(below), print)
                })
                .fold(f64::INFINITY, f64::min);
            let soft = (softness + 0.2 * self.height_mm).max(point.size_mm);
            let t = (0.5 - thrown / soft).clamp(0.0, 1.0);
            let dark = (1.0 - depth * t * t * (3.0 - 2.0 * t)) as f32;
            pixel[..3].iter_mut().for_each(|value| *value *= dark);
            let last = self.layers.len() - 1;
            for (k, layer) in self.layers.iter().enumerate() {
                let height = self.height_mm * (k + 1) as f64 / self.layers.len() as f64;
                let p = layer.card_from_table(view.below(point.place, height));
                let (color, cover) = if k == last {
                    let footprint = layer.footprint_on_card(&point.footprint);
                    let face = card::face(layer.card, print, p.x, p.y, &footprint);
                    (face.color, face.cover)
                } else {
                    let cover = (0.5 - to_border(p, print) / point.size_mm).clamp(0.0, 1.0);
                    (print.stock.map(|v| v * self.tones[k]), cover)
                };
                if cover > 0.5 {
                    owner.take(j * size.0 + i);
                }
                for (value, color) in pixel.iter_mut().zip(color) {
                    *value += (color as f32 - *value) * cover as f32;
                }
                let gloss = if k == last { gloss } else { 0.0 };
                pixel[3] += (gloss - pixel[3]) * cover as f32;
            }
        });
    }
}

/// A place for a stack: in view, perhaps cut by the picture's border, and clear of the cards.
fn place(
    params: &Params,
    view: &View,
    cards: &[Lying],
    height_mm: f64,
    dice: &mut Dice,
) -> Option<Lying> {
    const TRIES: usize = 60;
    let (width, height) = (f64::from(params.size_px.0), f64::from(params.size_px.1));
    (0..TRIES).find_map(|_| {
        let pixel = Point::new(width * dice.between(0.0, 1.0), height * dice.between(0.0, 1.0));
        let angle = dice.between(0.0, std::f64::consts::TAU);
        let stack = Lying {
            card: Card::from_index(0),
            center: view.below(view.table_from_image(pixel).place, height_mm),
            along: Point::new(angle.cos(), angle.sin()),
            curl_mm: 0.0,
        };
        let is_clear =
            cards.iter().all(|card| is_clear_of(card, &stack) && is_clear_of(&stack, card));
        is_clear.then_some(stack)
    })
}

/// Whether points along the border of one card keep the margin from another.
fn is_clear_of(a: &Lying, b: &Lying) -> bool {
    let (long, short) = (HALF_MM.0 + MARGIN_MM, HALF_MM.1 + MARGIN_MM);
    let border = [(-1.0, -1.0), (0.0, -1.0), (1.0, -1.0), (1.0, 0.0), (0.0, 0.0)];
    border.into_iter().all(|(x, y)| {
        [1.0, -1.0].into_iter().all(|sign| {
            let q =
                b.card_from_table(a.table_from_card(sign * x * HALF_MM.0, sign * y * HALF_MM.1));
            q.x.abs() > long || q.y.abs() > short
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Params, render};
    use setsight_photo::print::dice::Span;

    #[test]
    fn a_stack_stands_next_to_the_cards_and_is_not_labelled() {
        let without = Params { fill: Span::only(0.5), ..Params::for_kind(Kind::Plain) };
        let with = Params { stack: 1.0, ..without.clone() };
        let mut changed = 0;
        for index in 0..4 {
            let (bare, stacked) =
                (render(&without, 9, index).unwrap(), render(&with, 9, index).unwrap());
            // The cards and their places are the same.
            assert_eq!(bare.cards.len(), stacked.cards.len());
            for (a, b) in bare.cards.iter().zip(&stacked.cards) {
                assert_eq!((a.card, a.corners_in_image), (b.card, b.corners_in_image));
                assert!(b.area_in_view > 0.5, "{b:?}");
            }
            let differing = bare
                .image
                .pixels()
                .zip(stacked.image.pixels())
                .filter(|(a, b)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > 40))
                .count();
            changed += usize::from(differing > 2000);
        }
        assert!(changed >= 3, "{changed}");
    }
}
