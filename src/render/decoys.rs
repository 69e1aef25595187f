//! Things on the table that are no cards: papers, phones, coins, card backs, other cards.

use super::camera::{Seen, View};
use super::dice::{Dice, Span};
use super::ink::{coverage, rounded_rectangle, stripes};
use super::light::Light;
use super::noise;
use super::params::Params;
use super::table::Lying;
use crate::geometry::{Point, Quad};

/// What is printed on a layer.
#[derive(Clone, Copy, Debug)]
enum Print {
    Plain,
    /// Lines of writing.
    Text {
        pitch_mm: f64,
        ink: [f64; 3],
        seed: u64,
    },
    /// Crossed lines, as on the backs of cards.
    Lattice {
        pitch_mm: f64,
        ink: [f64; 3],
    },
}

/// A rounded rectangle; a circle where the radius is half of both sides.
#[derive(Clone, Copy, Debug)]
struct Layer {
    offset: Point,
    half: (f64, f64),
    radius: f64,
    color: [f64; 3],
    print: Print,
    gloss: f64,
}

/// One thing: layers from the table upwards, the first the largest.
#[derive(Clone, Debug)]
struct Thing {
    center: Point,
    along: Point,
    height_mm: f64,
    layers: Vec<Layer>,
    /// Whether its outline is that of a sheet or a box, as a card's is.
    like_card: bool,
}

/// Everything on the table besides the cards.
#[derive(Clone, Debug, Default)]
pub(super) struct Decoys(Vec<Thing>);

const WHITE: [f64; 3] = [0.8, 0.8, 0.78];
const NEAR_BLACK: [f64; 3] = [0.012, 0.012, 0.014];

impl Decoys {
    /// Things in view, clear of the cards.
    pub(super) fn random(params: &Params, view: &View, cards: &[Lying], dice: &mut Dice) -> Self {
        let (fewest, most) = params.decoys;
        let count = fewest + dice.below(most - fewest + 1);
        let (width, height) = (f64::from(params.size_px.0), f64::from(params.size_px.1));
        let mut things: Vec<Thing> = Vec::new();
        for _ in 0..count {
            let mut thing = thing(dice);
            let (a, b) = thing.layers[0].half;
            let anywhere = params.decoys_under > 0.0 && dice.chance(params.decoys_under);
            for _ in 0..30 {
                let pixel = Point::new(
                    width * dice.between(-0.08, 1.08),
                    height * dice.between(-0.08, 1.08),
                );
                let place = view.table_from_image(pixel).place;
                let angle = dice.between(0.0, std::f64::consts::TAU);
                thing.center = place;
                thing.along = Point::new(angle.cos(), angle.sin());
                let clear = cards.iter().all(|card| {
                    // The card's corners and middle against the thing's rectangle, with a margin.
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
                    things.push(thing);
                    break;
                }
            }
        }
        Self(things)
    }

    /// Whether there is nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Corners of those that look like cards, in the picture, clockwise from a long side.
    pub(super) fn like_cards(&self, view: &View) -> Vec<Quad> {
        let alike = self.0.iter().filter(|thing| thing.like_card);
        alike
            .map(|thing| {
                let mut corners = thing.corners().map(|p| view.image_from_table(p, 0.0));
                if thing.layers[0].half.0 < thing.layers[0].half.1 {
                    corners.rotate_left(1);
                }
                Quad(corners)
            })
            .collect()
    }

    /// Draws them with their shadows into linear light, row by row.
    pub(super) fn draw(
        &self,
        light4: &mut [[f32; 4]],
        size: (usize, usize),
        view: &View,
        light: &Light,
    ) {
        for thing in &self.0 {
            let reach =
                thing.layers[0].half.0.hypot(thing.layers[0].half.1) + 3.0 * thing.height_mm + 8.0;
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
                .map(|(x, y)| thing.center + Point::new(x, y) * reach)
                .map(|p| view.image_from_table(p, 0.0));
            for_pixels(&corners, size, |x, y| {
                let seen = view.table_from_image(Point::new(x as f64 + 0.5, y as f64 + 0.5));
                thing.draw(&mut light4[y * size.0 + x], &seen, light);
            });
        }
    }
}

/// Calls `draw` for every pixel of the box around some points.
pub(super) fn for_pixels(
    points: &[Point],
    (width, height): (usize, usize),
    mut draw: impl FnMut(usize, usize),
) {
    let range = |value: fn(&Point) -> f64, limit: usize| {
        let low = points.iter().map(value).fold(f64::INFINITY, f64::min);
        let high = points.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
        let limit = limit as f64;
        (low - 2.0).clamp(0.0, limit) as usize..(high + 3.0).clamp(0.0, limit) as usize
    };
    for y in range(|p| p.y, height) {
        for x in range(|p| p.x, width) {
            draw(x, y);
        }
    }
}

impl Thing {
    fn local(&self, p: Point) -> Point {
        let off = p - self.center;
        Point::new(off.dot(self.along), self.along.cross(off))
    }

    fn corners(&self) -> [Point; 4] {
        let (a, b) = self.layers[0].half;
        [(-a, -b), (a, -b), (a, b), (-a, b)]
            .map(|(x, y)| self.center + self.along * x + self.along.perpendicular() * y)
    }

    fn draw(&self, pixel: &mut [f32; 4], seen: &Seen, light: &Light) {
        let base = &self.layers[0];
        let shadow_at = self.local(seen.place - light.away * (0.8 * self.height_mm));
        let shadow =
            rounded_rectangle(shadow_at.x, shadow_at.y, base.half.0, base.half.1, base.radius);
        let soft = (0.6 * self.height_mm + 0.6).max(seen.size_mm);
        let dark = (1.0 - light.card_shadow.2 * coverage(shadow.mm, 2.0 * soft)) as f32;
        for value in &mut pixel[..3] {
            *value *= dark;
        }
        let p = self.local(seen.place);
        for layer in &self.layers {
            let q = p - layer.offset;
            let d = rounded_rectangle(q.x, q.y, layer.half.0, layer.half.1, layer.radius);
            let cover = coverage(d.mm, seen.size_mm * 1.2);
            if cover > 0.0 {
                let color = layer.color_at(q, seen.size_mm);
                for c in 0..3 {
                    pixel[c] += (color[c] as f32 - pixel[c]) * cover as f32;
                }
                pixel[3] += (layer.gloss as f32 - pixel[3]) * cover as f32;
            }
        }
    }
}

impl Layer {
    fn color_at(&self, q: Point, pixel_mm: f64) -> [f64; 3] {
        let (amount, ink) = match self.print {
            Print::Plain => return self.color,
            Print::Text { pitch_mm, ink, seed } => {
                let line = (q.y / pitch_mm).round();
                let word = noise::value(seed, q.x / pitch_mm * 0.8, line * 7.3);
                let margin = q.x.abs() < self.half.0 * 0.85 && q.y.abs() < self.half.1 * 0.88;
                let on = if margin { (0.5 + 4.0 * (word + 0.35)).clamp(0.0, 1.0) } else { 0.0 };
                (0.75 * on * stripes(q.y, pixel_mm, pitch_mm, 0.4), ink)
            }
            Print::Lattice { pitch_mm, ink } => {
                let a = stripes(q.x + q.y, 1.4 * pixel_mm, pitch_mm, 0.35);
                let b = stripes(q.x - q.y, 1.4 * pixel_mm, pitch_mm, 0.35);
                (a + b - a * b, ink)
            }
        };
        [0, 1, 2].map(|c| self.color[c] + (ink[c] - self.color[c]) * amount)
    }
}

fn thing(dice: &mut Dice) -> Thing {
    let paint = |dice: &mut Dice| {
        let bright = dice.between(0.03, 0.7);
        [0, 1, 2].map(|_| bright * dice.within(Span::new(0.25, 1.0)))
    };
    let layer = |half: (f64, f64), radius: f64, color: [f64; 3]| Layer {
        offset: Point::default(),
        half,
        radius,
        color,
        print: Print::Plain,
        gloss: 0.15,
    };
    let which = dice.below(9);
    let (height_mm, layers) = match which {
        // A sheet or a note with writing.
        0 | 1 => {
            let half = (dice.between(35.0, 110.0), dice.between(25.0, 80.0));
            let mut sheet = layer(half, 0.5, WHITE.map(|v| v * dice.between(0.8, 1.1)));
            if dice.chance(0.75) {
                sheet.print = Print::Text {
                    pitch_mm: dice.between(3.5, 9.0),
                    ink: [0.03, 0.03, 0.05],
                    seed: dice.bits(),
                };
            }
            (0.2, vec![sheet])
        }
        // A phone, its screen dark or lit.
        2 => {
            let mut body = layer((73.0, 36.0), 9.0, NEAR_BLACK);
            body.gloss = 0.6;
            let lit = dice.chance(0.4);
            let mut screen = layer((69.0, 33.0), 5.0, if lit { paint(dice) } else { [0.006; 3] });
            screen.gloss = 0.8;
            (8.0, vec![body, screen])
        }
        // A card of the game, face down.
        3 => {
            let ink = paint(dice);
            let mut stock = layer((44.5, 28.5), 4.2, WHITE.map(|v| v * 1.06));
            stock.gloss = 0.4;
            let mut back = layer((40.5, 24.5), 2.0, WHITE);
            back.print = Print::Lattice { pitch_mm: dice.between(2.0, 6.0), ink };
            back.gloss = 0.4;
            (0.4, vec![stock, back])
        }
        // A card of another game: pips in one colour, no symbol of ours.
        4 => {
            let ink = if dice.chance(0.5) { [0.6, 0.02, 0.03] } else { NEAR_BLACK };
            let mut stock = layer((44.0, 31.5), 3.5, WHITE.map(|v| v * 1.06));
            stock.gloss = 0.4;
            let mut layers = vec![stock];
            let rows = 1 + dice.below(2);
            for column in -2..=2 {
                for row in 0..=rows {
                    let mut pip = layer((4.0, 4.0), 4.0, ink);
                    pip.offset = Point::new(
                        f64::from(column) * 14.0,
                        (row as f64 - rows as f64 / 2.0) * 20.0,
                    );
                    layers.push(pip);
                }
            }
            (0.4, layers)
        }
        // An envelope or a box with a label.
        5 => {
            let half = (dice.between(50.0, 115.0), dice.between(35.0, 80.0));
            let body = layer(half, 1.0, if dice.chance(0.5) { WHITE } else { paint(dice) });
            let mut label = layer((half.0 * 0.4, half.1 * 0.3), 1.0, paint(dice));
            label.offset = Point::new(half.0 * dice.between(-0.4, 0.4), half.1 * 0.3);
            (dice.between(0.5, 20.0), vec![body, label])
        }
        // A coin.
        6 => {
            let r = dice.between(8.0, 14.0);
            let tone = dice.between(0.25, 0.6);
            let rim = layer((r, r), r, [tone * 1.1, tone, tone * dice.between(0.5, 1.0)]);
            let face = layer((r * 0.85, r * 0.85), r * 0.85, rim.color.map(|v| v * 0.85));
            (1.8, vec![rim, face])
        }
        // A pen.
        7 => {
            let body = layer((68.0, 4.2), 4.0, paint(dice));
            let mut cap = layer((18.0, 4.8), 2.0, paint(dice));
            cap.offset = Point::new(48.0, 0.0);
            (7.0, vec![body, cap])
        }
        // A mug from above.
        _ => {
            let r = dice.between(30.0, 44.0);
            let color = if dice.chance(0.5) { WHITE } else { paint(dice) };
            let body = layer((r, r), r, color);
            let inside = layer((r * 0.88, r * 0.88), r * 0.88, [0.05, 0.025, 0.012]);
            let mut handle = layer((r * 0.25, 6.0), 4.0, color);
            handle.offset = Point::new(r * 1.15, 0.0);
            (35.0, vec![body, inside, handle])
        }
    };
    let along = Point::new(1.0, 0.0);
    Thing { center: Point::default(), along, height_mm, layers, like_card: which < 6 }
}
