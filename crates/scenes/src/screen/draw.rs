//! Draws an app's page and cards, flat, in sRGB, by the outlines of symbols as apps draw them.

use super::Placed;
use super::style::{Color, Inside, Shadow, Strange, Style, accent};
use crate::distractors::annotations::{blend, write};
use crate::distractors::for_pixels;
use image::{Rgb, RgbImage};
use setsight_game::cards::{Deck, Shape};
use setsight_photo::print::ink::{coverage, rounded_rectangle, stripes};
use setsight_photo::{geometry::Point, print::dice::Dice};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

pub(super) fn bytes(color: Color) -> [u8; 3] {
    color.map(|v| (v * 255.0).round().clamp(0.0, 255.0) as u8)
}

pub(super) fn mix(a: Color, b: Color, t: f64) -> Color {
    [0, 1, 2].map(|c| a[c] + (b[c] - a[c]) * t)
}

/// What lies under the cards of a page, in pixels.
pub(super) struct Ground {
    /// The page's colour at its top and its bottom.
    pub page: [Color; 2],
    pub dark: bool,
    /// A card's short side.
    pub unit: f64,
    pub gap: f64,
    /// The upper left and the lower right corner of all cards together.
    pub bounds: (Point, Point),
    /// The middle of the gap under each card.
    pub under: Vec<Point>,
}

/// The page with everything that is not a card.
pub(super) fn page(ground: &Ground, (width, height): (u32, u32), dice: &mut Dice) -> RgbImage {
    let mut picture = RgbImage::new(width, height);
    for (y, row) in picture.enumerate_rows_mut() {
        let color = bytes(mix(ground.page[0], ground.page[1], f64::from(y) / f64::from(height)));
        row.for_each(|(_, _, pixel)| *pixel = Rgb(color));
    }
    let (wide, high) = (f64::from(width), f64::from(height));
    let unit = ground.unit;
    let (low, high_end) = ground.bounds;
    // A board behind the cards.
    if dice.chance(0.2) {
        let margin = dice.between(0.05, 0.3) * unit;
        let tone = if ground.dark { dice.between(1.2, 2.2) } else { dice.between(0.75, 0.97) };
        let color = ground.page[0].map(|v| ((v + 0.01) * tone).min(1.0));
        let (a, b) = (low - Point::new(margin, margin), high_end + Point::new(margin, margin));
        plate(&mut picture, (a, b), dice.between(0.0, 0.15) * unit, color);
    }
    // A bar at the top or at one side.
    if dice.chance(0.35) {
        let color = accent(ground.dark, dice);
        let end = if dice.chance(0.75) {
            Point::new(wide, (low.y - 0.03 * unit).min(0.5 * unit))
        } else {
            Point::new((low.x - 0.03 * unit).min(unit), high)
        };
        if end.x > 1.0 && end.y > 1.0 {
            plate(&mut picture, (Point::default(), end), 0.0, color);
        }
    }
    for _ in 0..dice.below(4) {
        let size = (unit * dice.between(0.1, 0.28)).max(9.0);
        let y = if dice.chance(0.5) { 0.5 * low.y } else { 0.5 * (high_end.y + high) };
        words(&mut picture, Point::new(wide * dice.between(0.02, 0.8), y), size, ground.dark, dice);
    }
    for _ in 0..dice.pick(&[(0, 3.0), (1, 1.0), (3, 1.0)]) {
        let top = if dice.chance(0.4) { 0.2 * low.y } else { high_end.y + 0.1 * unit };
        let at = Point::new(wide * dice.between(0.02, 0.85), top);
        button(&mut picture, at, (unit * dice.between(0.14, 0.3)).max(10.0), ground.dark, dice);
    }
    // Under every card: a name, a key, a box to tick.
    if dice.chance(0.16) {
        let size = (ground.gap * dice.between(0.5, 0.95)).min(0.2 * unit);
        let kind = dice.below(2);
        let color = accent(ground.dark, dice);
        for &at in ground.under.iter().filter(|_| size > 5.0) {
            let half = Point::new(0.5 * size, 0.5 * size);
            if kind == 0 {
                plate(&mut picture, (at - half, at + half), 0.1 * size, color);
            } else {
                words(&mut picture, at - half, size, ground.dark, dice);
            }
        }
    }
    picture
}

pub(super) const WORDS: [&str; 18] = [
    "Score 3",
    "New game",
    "Hint",
    "Level 7",
    "01:24",
    "Pause",
    "Sets: 2",
    "Deal 3",
    "Player 1",
    "Daily",
    "Best 58 s",
    "No set",
    "Undo",
    "69 cards left",
    "?",
    "Menu",
    "OK",
    "+3",
];

pub(super) fn words(picture: &mut RgbImage, at: Point, size: f64, dark: bool, dice: &mut Dice) {
    let ink = bytes(accent(dark, dice));
    write(picture, dice.below(2), WORDS[dice.below(WORDS.len())], at, size, ink, 1.0);
}

fn button(picture: &mut RgbImage, at: Point, size: f64, dark: bool, dice: &mut Dice) {
    let word = WORDS[dice.below(WORDS.len())];
    let end = at + Point::new(0.55 * size * (word.len() as f64 + 2.0), 1.6 * size);
    let color = accent(dark, dice);
    plate(picture, (at, end), dice.between(0.0, 0.8) * size, color);
    let ink = if color.iter().sum::<f64>() > 1.6 { [10; 3] } else { [245; 3] };
    let start = at + Point::new(0.55 * size, 0.8 * size);
    write(picture, dice.below(2), word, start, size, ink, 1.0);
}

/// A rounded box from its upper left to its lower right corner.
pub(super) fn plate(picture: &mut RgbImage, (a, b): (Point, Point), radius: f64, color: Color) {
    let (center, half) = ((a + b) / 2.0, (b - a) / 2.0);
    let size = (picture.width() as usize, picture.height() as usize);
    let radius = radius.min(half.x).min(half.y).max(0.0);
    let color = bytes(color);
    for_pixels(&[a, Point::new(b.x, a.y), b, Point::new(a.x, b.y)], size, |i, j| {
        let p = Point::new(i as f64 + 0.5, j as f64 + 0.5) - center;
        let d = rounded_rectangle(p.x, p.y, half.x, half.y, radius).mm;
        blend(picture, i as i64, j as i64, color, coverage(d, 1.0));
    });
}

/// Fraction of a shadow's depth at a distance from what throws it.
pub(super) fn shade(shadow: &Shadow, distance: f64, px: f64) -> f64 {
    let t = (0.5 - distance / shadow.soft.max(px)).clamp(0.0, 1.0);
    shadow.depth * t * t * (3.0 - 2.0 * t)
}

/// The shadow of a rounded box, or in another colour its glow.
pub(super) fn glow(
    picture: &mut RgbImage,
    (a, b): (Point, Point),
    radius: f64,
    shadow: &Shadow,
    color: Color,
) {
    let off = Point::new(shadow.offset.0, shadow.offset.1);
    let (center, half) = ((a + b) / 2.0 + off, (b - a) / 2.0);
    let size = (picture.width() as usize, picture.height() as usize);
    let reach = Point::new(shadow.soft, shadow.soft);
    let color = bytes(color);
    for_pixels(&[a + off - reach, b + off + reach], size, |i, j| {
        let p = Point::new(i as f64 + 0.5, j as f64 + 0.5) - center;
        let d = rounded_rectangle(p.x, p.y, half.x, half.y, radius).mm;
        blend(picture, i as i64, j as i64, color, shade(shadow, d, 1.0));
    });
}

/// A symbol as it is drawn by itself, upright. Lengths in pixels.
#[derive(Clone, Copy)]
pub(super) struct Mark<'a> {
    pub field: &'a Field,
    pub inside: &'a Inside,
    pub ink: Color,
    pub edge: Color,
    /// How far the outline is drawn outward and inward.
    pub lines: (f64, f64),
    /// Dashes around the symbol, and their part of it.
    pub dashes: Option<(f64, f64)>,
    pub shadow: Option<Shadow>,
}

impl<'a> Mark<'a> {
    /// All ink, without an outline.
    pub(super) fn solid(field: &'a Field, ink: Color) -> Self {
        let inside = &Inside::Full;
        Self { field, inside, ink, edge: ink, lines: (0.0, 0.0), dashes: None, shadow: None }
    }

    pub(super) fn draw(&self, picture: &mut RgbImage, center: Point, scale: f64) {
        let (x, y) = self.field.extent();
        let reach = Point::new(x, y) * scale;
        let size = (picture.width() as usize, picture.height() as usize);
        let px = 1.0 / scale;
        let (ink, edge_ink) = (bytes(self.ink), bytes(self.edge));
        for_pixels(&[center - reach, center + reach], size, |i, j| {
            let p = (Point::new(i as f64 + 0.5, j as f64 + 0.5) - center) / scale;
            let (column, row) = (i as i64, j as i64);
            if let Some(shadow) = &self.shadow
                && let Some(d) = self.field.at(p.x - shadow.offset.0, p.y - shadow.offset.1)
            {
                blend(picture, column, row, [0; 3], shade(shadow, d, px));
            }
            let Some((edge, within)) =
                covered(self.field, self.inside, self.lines, (p.x, p.y), (px, px))
            else {
                return;
            };
            blend(picture, column, row, ink, within);
            if edge > 0.0 {
                // What is left of the pixel after what is inside.
                let dash = self.dashes.map_or(1.0, |(count, part)| {
                    let turn = p.y.atan2(p.x) / TAU * count;
                    stripes(turn, px * count / (TAU * p.norm().max(px)), 1.0, part)
                });
                blend(picture, column, row, edge_ink, dash * edge / (1.0 - within).max(edge));
            }
        });
    }
}

pub(super) fn card(picture: &mut RgbImage, placed: &Placed, short_px: f64, style: &Style) {
    let scale = short_px * if placed.chosen { style.chosen.grows } else { 1.0 };
    let px = style.edge_px / scale;
    let (a, b) = (style.aspect / 2.0, 0.5);
    let reach =
        style.shadow.map_or(0.0, |s| s.soft + s.offset.0.abs().max(s.offset.1.abs())) + 2.0 * px;
    let around = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        .map(|(i, j)| placed.at(i * (a + reach) * scale, j * (b + reach) * scale));
    let size = (picture.width() as usize, picture.height() as usize);
    let local = |p: Point| {
        let off = (p - placed.center) / scale;
        Point::new(off.dot(placed.along), placed.along.cross(off))
    };
    for_pixels(&around, size, |i, j| {
        let p = Point::new(i as f64 + 0.5, j as f64 + 0.5);
        let q = local(p);
        let d = rounded_rectangle(q.x, q.y, a, b, style.radius).mm;
        let cover = coverage(d, px);
        if cover < 1.0
            && let Some(shadow) = &style.shadow
        {
            let thrown = local(p - Point::new(shadow.offset.0, shadow.offset.1) * scale);
            let d = rounded_rectangle(thrown.x, thrown.y, a, b, style.radius).mm;
            blend(picture, i as i64, j as i64, [0; 3], shade(shadow, d, px));
        }
        if cover == 0.0 {
            return;
        }
        let color = face(placed, style, (q, d), px, scale);
        blend(picture, i as i64, j as i64, bytes(color), cover);
    });
}

/// The colour of a card at a place `d` from its border.
fn face(placed: &Placed, style: &Style, (q, d): (Point, f64), px: f64, scale: f64) -> Color {
    let chosen = placed.chosen;
    let mut color = style.card;
    if chosen {
        color = mix(color, style.chosen.frame, style.chosen.tint);
    }
    let frame =
        if chosen { Some((style.chosen.frame, style.chosen.frame_width)) } else { style.border };
    if let Some((frame, width)) = frame {
        color = mix(color, frame, 1.0 - coverage(d + width, px));
    }
    let strange = placed.strange.then_some(&style.strange);
    // Four symbols are smaller.
    let (last, smaller) = match strange {
        Some(Strange::Four) => (3.0, 0.7),
        Some(Strange::TwoInks | Strange::TwoShapes) => {
            (placed.card.number.index().max(1) as f64, 1.0)
        }
        _ => (placed.card.number.index() as f64, 1.0),
    };
    let (q, px) = (q / smaller, px / smaller);
    let gap = style.center(1.0, last) - style.center(0.0, last);
    let k = (q.x / gap + last / 2.0).round().clamp(0.0, last);
    let (x, y) = (q.x - style.center(k, last), q.y);
    let is_second = k as usize % 2 == 1;
    let field = match strange {
        Some(Strange::Shape(field)) => field,
        Some(Strange::TwoShapes) if is_second => &style.fields[(placed.card.shape.index() + 1) % 3],
        _ => &style.fields[placed.card.shape.index()],
    };
    let ink = match strange {
        Some(Strange::Ink(ink)) => *ink,
        Some(Strange::TwoInks) if is_second => style.inks[(placed.card.color.index() + 1) % 3],
        _ => style.inks[placed.card.color.index()],
    };
    let shading = placed.card.shading.index();
    let stroke = style.strokes[shading];
    // Signed distance to what is inked, holes as holes.
    let hollow = matches!(style.insides[shading], Inside::Nothing);
    let (outer, inner) = (stroke * style.outer, stroke * (1.0 - style.outer));
    if let Some(shadow) = &style.symbol_shadow {
        // Shadows fall on the screen's axes, whichever way the card is turned.
        let off = Point::new(shadow.offset.0, shadow.offset.1);
        let (u, v) = (off.dot(placed.along), placed.along.cross(off));
        if let Some(d) = field.at(x - u, y - v) {
            let d = if hollow { (d - outer).max(-inner - d) } else { d - outer };
            color = mix(color, [0.0; 3], shade(shadow, d, px));
        }
    }
    let inside = &style.insides[shading];
    match covered(field, inside, (outer, inner), (x, y), (px, 1.0 / scale)) {
        Some((edge, within)) => mix(color, ink, edge + within),
        None => color,
    }
}

/// Coverage at a place relative to a symbol's centre: by its outline, which is drawn this far outward
/// and inward, and by what is inside. `px` is the width of an edge and that of a pixel.
pub(super) fn covered(
    field: &Field,
    inside: &Inside,
    (outer, inner): (f64, f64),
    at: (f64, f64),
    px: (f64, f64),
) -> Option<(f64, f64)> {
    let d = field.at(at.0, at.1)?;
    let outside = coverage(d - outer, px.0);
    if outside == 0.0 {
        return None;
    }
    let within = if outer + inner > 0.0 { coverage(d + inner, px.0) } else { outside };
    let inked = if within > 0.0 { inside.at(field, at, d + inner, px.1) } else { 0.0 };
    Some((outside - within, within * inked))
}

/// Signed distance to a symbol's outline, negative inside, on a grid around its centre.
/// Lengths are in card short sides.
#[derive(Clone, Debug)]
pub(super) struct Field {
    step: f64,
    reach: (f64, f64),
    columns: usize,
    values: Vec<f32>,
}

impl Field {
    /// `margin` is how far the field reaches beyond the outline, and `step` the distance of its
    /// nodes. Corners are rounded by `round`.
    pub(super) fn new(outline: &[(f64, f64)], round: f64, margin: f64, step: f64) -> Self {
        let (wide, high) = half_extent(outline);
        let shrunk: Vec<(f64, f64)> = outline
            .iter()
            .map(|&(x, y)| (x * (1.0 - round / wide), y * (1.0 - round / high)))
            .collect();
        let reach = (wide + margin + step, high + margin + step);
        let columns = (2.0 * reach.0 / step) as usize + 2;
        let rows = (2.0 * reach.1 / step) as usize + 2;
        Self {
            step,
            reach,
            columns,
            values: (0..columns * rows)
                .map(|k| {
                    let (i, j) = (k % columns, k / columns);
                    let at = (i as f64 * step - reach.0, j as f64 * step - reach.1);
                    (distance(&shrunk, at) - round) as f32
                })
                .collect(),
        }
    }

    /// How far it reaches from the symbol's centre across and down.
    pub(super) fn extent(&self) -> (f64, f64) {
        self.reach
    }

    /// How far its innermost place is from the outline.
    pub(super) fn depth(&self) -> f64 {
        f64::from(-self.values.iter().copied().fold(0.0, f32::min))
    }

    /// Distance from a place relative to the symbol's centre; `None` far from it.
    pub(super) fn at(&self, x: f64, y: f64) -> Option<f64> {
        let (u, v) = ((x + self.reach.0) / self.step, (y + self.reach.1) / self.step);
        let rows = self.values.len() / self.columns;
        if !(u >= 0.0 && v >= 0.0 && u < (self.columns - 1) as f64 && v < (rows - 1) as f64) {
            return None;
        }
        let (i, j) = (u as usize, v as usize);
        let (fu, fv) = (u - i as f64, v - j as f64);
        let at = |i: usize, j: usize| f64::from(self.values[j * self.columns + i]);
        let (top, bottom) = (
            at(i, j) + (at(i + 1, j) - at(i, j)) * fu,
            at(i, j + 1) + (at(i + 1, j + 1) - at(i, j + 1)) * fu,
        );
        Some(top + (bottom - top) * fv)
    }
}

/// Signed distance to a closed polygon, negative inside.
fn distance(polygon: &[(f64, f64)], (x, y): (f64, f64)) -> f64 {
    let (mut nearest, mut inside) = (f64::INFINITY, false);
    let mut a = polygon[polygon.len() - 1];
    for &b in polygon {
        let (ex, ey) = (b.0 - a.0, b.1 - a.1);
        let t =
            (((x - a.0) * ex + (y - a.1) * ey) / (ex * ex + ey * ey).max(1e-12)).clamp(0.0, 1.0);
        let (dx, dy) = (x - a.0 - t * ex, y - a.1 - t * ey);
        nearest = nearest.min(dx * dx + dy * dy);
        if (a.1 > y) != (b.1 > y) && x < a.0 + (y - a.1) * ex / ey {
            inside = !inside;
        }
        a = b;
    }
    if inside { -nearest.sqrt() } else { nearest.sqrt() }
}

/// A symbol of an app: its outline about its centre, in card short sides, and the radius by which
/// its corners are rounded.
#[derive(Clone, Debug)]
pub(super) struct Outline {
    pub points: Vec<(f64, f64)>,
    pub round: f64,
}

/// The three outlines of an app, `wide` and `high`. Decks other than the classic one keep their own.
pub(super) fn outlines(deck: &Deck, wide: f64, high: f64, dice: &mut Dice) -> [Outline; 3] {
    Shape::ALL.map(|shape| {
        // A symbol is rarely exactly as large as another.
        let mut wide = wide * dice.between(0.92, 1.06);
        let high = high * dice.between(0.94, 1.03);
        let (points, round) = match shape {
            _ if !deck.is_classic() => (deck.outline(shape).to_vec(), 0.0),
            Shape::Diamond => diamond(dice),
            Shape::Oval => (oval(wide / high, dice), 0.0),
            Shape::Squiggle => {
                let measured = dice.chance(0.3);
                let mut points =
                    if measured { deck.outline(shape).to_vec() } else { squiggle(dice) };
                // An artist who draws by heart gets the curl wrong now and then.
                if dice.chance(0.2) {
                    points.iter_mut().for_each(|p| p.0 = -p.0);
                }
                // In some apps the band is as wide as the other symbols, and its curls reach between
                // its neighbours.
                if !measured && dice.chance(0.5) {
                    let half_bands = points.iter().map(|p| p.0.abs()).fold(1.0, f64::max);
                    wide *= dice.between(1.0, half_bands.min(1.6));
                }
                (points, 0.0)
            }
        };
        Outline { points: scaled(&points, wide, high), round: round * wide }
    })
}

/// Scaled about the centre to this width and height.
pub(super) fn scaled(points: &[(f64, f64)], wide: f64, high: f64) -> Vec<(f64, f64)> {
    let most =
        |value: fn(&(f64, f64)) -> f64| points.iter().map(|p| value(p).abs()).fold(1e-9, f64::max);
    let (x, y) = (0.5 * wide / most(|p| p.0), 0.5 * high / most(|p| p.1));
    points.iter().map(|p| (p.0 * x, p.1 * y)).collect()
}

/// A diamond, and the radius of its corners in widths.
fn diamond(dice: &mut Dice) -> (Vec<(f64, f64)>, f64) {
    let round = dice.pick(&[(0.0, 3.0), (0.04, 1.0), (0.1, 1.0), (0.16, 0.6)]);
    // Sides that bend slightly in or out.
    let bend = if dice.chance(0.75) { 1.0 } else { dice.between(0.88, 1.15) };
    let corners = (0..32).map(|i| {
        let side = i / 8;
        let k = if side % 2 == 0 { i % 8 } else { 8 - i % 8 };
        let t = FRAC_PI_2 * k as f64 / 8.0;
        let (x, y) = (t.cos().powf(2.0 / bend), t.sin().powf(2.0 / bend));
        (if side == 1 || side == 2 { -x } else { x }, if side < 2 { y } else { -y })
    });
    (corners.collect(), round)
}

/// An oval in a square of side 2: a stadium, an ellipse, or something in between. `aspect` is its
/// width by its height.
fn oval(aspect: f64, dice: &mut Dice) -> Vec<(f64, f64)> {
    const STEPS: usize = 48;
    let kind = dice.below(10);
    // Height of the round ends: a half-circle in a stadium, less in a rounded box.
    let end = (aspect * dice.pick(&[(1.0, 3.0), (0.75, 1.0), (1.4, 0.7)])).min(1.0);
    let power = dice.between(2.1, 3.2);
    (0..STEPS)
        .map(|i| {
            let (sin, cos) = (TAU * (i as f64 + 0.5) / STEPS as f64).sin_cos();
            match kind {
                0..=5 => (cos, (1.0 - end) * sin.signum() + end * sin),
                6..=8 => (cos, sin),
                _ => (signed_power(cos, 2.0 / power), signed_power(sin, 2.0 / power)),
            }
        })
        .collect()
}

/// A squiggle: a band along a wave, of the classic handedness.
fn squiggle(dice: &mut Dice) -> Vec<(f64, f64)> {
    const STEPS: usize = 36;
    // In half-widths of the band, from thick and almost straight to thin and curly.
    let curl = dice.between(0.3, 1.25);
    let waves = dice.between(0.9, 1.45);
    let ends = dice.between(2.5, 9.0);
    let waist = dice.between(-0.15, 0.25);
    let lean = dice.between(-0.15, 0.2);
    // A flag in the wind: the band is cut straight across.
    let is_flag = dice.chance(0.2);
    let rows: Vec<(f64, f64, f64)> = (0..=STEPS)
        .map(|i| {
            // Denser toward the ends, where the outline turns.
            let s = (PI * (i as f64 / STEPS as f64 - 0.5)).sin();
            let middle = -curl * (PI * waves * s).sin() + lean * s;
            let neck = 1.0 - waist * (1.0 - s * s);
            let half =
                if is_flag { 1.0 } else { neck * (1.0 - s.abs().powf(ends)).max(0.0).sqrt() };
            (middle, half, s)
        })
        .collect();
    let left = rows.iter().map(|(middle, half, s)| (middle - half, *s));
    let right = rows[1..STEPS].iter().rev().map(|(middle, half, s)| (middle + half, *s));
    left.chain(right).collect()
}

/// A coordinate of a superellipse, from that of a circle.
pub(super) fn signed_power(v: f64, exponent: f64) -> f64 {
    v.signum() * v.abs().powf(exponent)
}

/// The greatest distance from the centre, along both axes.
pub(super) fn half_extent<'a>(points: impl IntoIterator<Item = &'a (f64, f64)>) -> (f64, f64) {
    points.into_iter().fold((0.0, 0.0), |(x, y), p| (p.0.abs().max(x), p.1.abs().max(y)))
}
