//! Non-cards: other objects on the table, beside, under and over the cards, and marks that people draw on
//! pictures.

pub(crate) mod annotations;
mod catalogue;
mod objects;

use crate::{camera::View, light::Light, paint::Owner, params::Params, table::Lying};
use objects::{Object, flyer};
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::print::dice::Dice;
use std::ops::Range;

/// Everything on the table besides the cards.
#[derive(Clone, Debug, Default)]
pub(crate) struct Distractors(Vec<Object>);

impl Distractors {
    /// Objects in view, clear of the cards.
    pub(crate) fn random(params: &Params, view: &View, cards: &[Lying], dice: &mut Dice) -> Self {
        let (fewest, most) = params.distractors;
        let count = fewest + dice.below(most - fewest + 1);
        let things = (0..count).filter_map(|_| {
            let friend = params.false_friends > 0.0 && dice.chance(params.false_friends);
            let thing = if friend { catalogue::distractor(dice) } else { catalogue::usual(dice) };
            let anywhere = params.decoys_under > 0.0 && dice.chance(params.decoys_under);
            placed(thing, anywhere, params, view, cards, dice)
        });
        Self(things.collect())
    }

    /// Printed objects with signs that resemble symbols, in view and clear of the cards.
    pub(crate) fn printed(params: &Params, view: &View, cards: &[Lying], dice: &mut Dice) -> Self {
        let (fewest, most) = params.flyers;
        let count = fewest + dice.below(most - fewest + 1);
        let things =
            (0..count).filter_map(|_| placed(flyer(dice), false, params, view, cards, dice));
        Self(things.collect())
    }

    /// Objects over the cards, each with its tip on a card. A finger comes in from the viewer's
    /// side of the picture or from any other side; a pen lies at any angle.
    pub(crate) fn over(params: &Params, cards: &[Lying], dice: &mut Dice) -> Self {
        let (fewest, most) = params.covers;
        let count = fewest + dice.below(most - fewest + 1);
        let mut things = Vec::new();
        for _ in 0..count {
            let Some(card) = cards.get(dice.below(cards.len())) else { break };
            let mut thing = catalogue::cover(dice);
            let (x, y) = (dice.between(-46.0, 46.0), dice.between(-30.0, 30.0));
            thing.center = card.table_from_card(x, y);
            let angle = dice.between(0.0, std::f64::consts::TAU);
            thing.along = Point::new(angle.cos(), angle.sin());
            things.push(thing);
        }
        Self(things)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Corners of the objects that resemble cards, in the picture, clockwise starting with a long
    /// side.
    pub(crate) fn like_cards(&self, view: &View) -> Vec<Quad> {
        let alike = self.0.iter().filter(|thing| thing.like_card);
        alike
            .map(|thing| {
                let mut corners = thing.corners().map(|p| view.image_from_table(p, 0.0));
                if thing.layers[0].half.0 < thing.layers[0].half.1 {
                    corners.rotate_left(1);
                }
                Quad::new(corners)
            })
            .collect()
    }

    /// Draws them with their shadows into linear light, row by row. Pixels that they cover no
    /// longer belong to a card.
    pub(crate) fn draw(
        &self,
        light4: &mut [[f32; 4]],
        owner: &mut Owner,
        view: &View,
        light: &Light,
    ) {
        let size = owner.size;
        owner.next = 0;
        for thing in &self.0 {
            let reach = thing.reach_mm;
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
                .map(|(x, y)| thing.center + Point::new(x, y) * reach)
                .map(|p| view.image_from_table(p, 0.0));
            for_pixels(&corners, size, |x, y| {
                let point = view.table_from_image(Point::new(x as f64 + 0.5, y as f64 + 0.5));
                let at = y * size.0 + x;
                if thing.draw(&mut light4[at], &point, light) > 0.5 {
                    owner.take(at);
                }
            });
        }
    }
}

/// Places an object in view and clear of the cards, or with `anywhere` over them too; `None` if
/// there is no room.
fn placed(
    mut thing: Object,
    anywhere: bool,
    params: &Params,
    view: &View,
    cards: &[Lying],
    dice: &mut Dice,
) -> Option<Object> {
    let (width, height) = (f64::from(params.size_px.0), f64::from(params.size_px.1));
    let (a, b) = thing.layers[0].half;
    for _ in 0..30 {
        let pixel =
            Point::new(width * dice.between(-0.08, 1.08), height * dice.between(-0.08, 1.08));
        let place = view.table_from_image(pixel).place;
        let angle = dice.between(0.0, std::f64::consts::TAU);
        thing.center = place;
        thing.along = Point::new(angle.cos(), angle.sin());
        let clear = cards.iter().all(|card| {
            // Tests the card's corners and centre against the object's rectangle, with a margin.
            card.corners().0.into_iter().chain([card.center]).all(|p| {
                let q = thing.local(p);
                q.x.abs() > a + 3.0 || q.y.abs() > b + 3.0
            }) && {
                let q = card.card_from_table(place);
                let reach = a.min(b) + 3.0;
                q.x.abs() > 44.5 + reach || q.y.abs() > 28.5 + reach
            } && thing.corners().into_iter().all(|p| {
                let q = card.card_from_table(p);
                q.x.abs() > 47.0 || q.y.abs() > 31.0
            })
        });
        if clear || anywhere {
            return Some(thing);
        }
    }
    None
}

/// Calls `draw` for every pixel of the bounding box of some points.
pub(crate) fn for_pixels(
    points: &[Point],
    (width, height): (usize, usize),
    mut draw: impl FnMut(usize, usize),
) {
    for y in pixel_range(points, |p| p.y, height) {
        for x in pixel_range(points, |p| p.x, width) {
            draw(x, y);
        }
    }
}

fn pixel_range(points: &[Point], value: fn(&Point) -> f64, limit: usize) -> Range<usize> {
    let low = points.iter().map(value).fold(f64::INFINITY, f64::min);
    let high = points.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
    let limit = limit as f64;
    (low - 2.0).clamp(0.0, limit) as usize..(high + 3.0).clamp(0.0, limit) as usize
}
