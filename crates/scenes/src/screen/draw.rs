//! Draws an app's page and cards, flat, in sRGB.

use super::style::{Color, Shadow, Strange, Style, accent};
use super::{Placed, Plan};
use crate::distractors::annotations::{blend, write};
use crate::distractors::placement::for_pixels;
use image::{Rgb, RgbImage};
use setsight_photo::print::ink::{coverage, rounded_rectangle};
use setsight_photo::{geometry::Point, print::dice::Dice};

fn bytes(color: Color) -> [u8; 3] {
    color.map(|v| (v * 255.0).round().clamp(0.0, 255.0) as u8)
}

fn mix(a: Color, b: Color, t: f64) -> Color {
    [0, 1, 2].map(|c| a[c] + (b[c] - a[c]) * t)
}

/// The page with everything that is not a card.
pub(super) fn page(
    plan: &Plan,
    style: &Style,
    (width, height): (u32, u32),
    dice: &mut Dice,
) -> RgbImage {
    let mut picture = RgbImage::new(width, height);
    for (y, row) in picture.enumerate_rows_mut() {
        let color = bytes(mix(style.page[0], style.page[1], f64::from(y) / f64::from(height)));
        row.for_each(|(_, _, pixel)| *pixel = Rgb(color));
    }
    let (wide, high) = (f64::from(width), f64::from(height));
    let unit = plan.short_px;
    let (low, high_end) = plan.bounds;
    // A board behind the cards.
    if dice.chance(0.2) {
        let margin = dice.between(0.05, 0.3) * unit;
        let tone = if style.dark { dice.between(1.2, 2.2) } else { dice.between(0.75, 0.97) };
        let color = style.page[0].map(|v| ((v + 0.01) * tone).min(1.0));
        let (a, b) = (low - Point::new(margin, margin), high_end + Point::new(margin, margin));
        plate(&mut picture, (a, b), dice.between(0.0, 0.15) * unit, color);
    }
    // A bar at the top or at one side.
    if dice.chance(0.35) {
        let color = accent(style.dark, dice);
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
        words(&mut picture, Point::new(wide * dice.between(0.02, 0.8), y), size, style.dark, dice);
    }
    for _ in 0..dice.pick(&[(0, 3.0), (1, 1.0), (3, 1.0)]) {
        let top = if dice.chance(0.4) { 0.2 * low.y } else { high_end.y + 0.1 * unit };
        let at = Point::new(wide * dice.between(0.02, 0.85), top);
        button(&mut picture, at, (unit * dice.between(0.14, 0.3)).max(10.0), style, dice);
    }
    // Under every card: a name, a key, a box to tick.
    if dice.chance(0.16) {
        let size = (plan.gap_px * dice.between(0.5, 0.95)).min(0.2 * unit);
        let kind = dice.below(2);
        let color = accent(style.dark, dice);
        for card in plan.cards.iter().filter(|_| size > 5.0) {
            let down = if style.upright { 0.5 * style.aspect } else { 0.5 };
            let at = card.center + Point::new(0.0, down * unit + 0.5 * plan.gap_px);
            let half = Point::new(0.5 * size, 0.5 * size);
            if kind == 0 {
                plate(&mut picture, (at - half, at + half), 0.1 * size, color);
            } else {
                words(&mut picture, at - half, size, style.dark, dice);
            }
        }
    }
    picture
}

const WORDS: [&str; 18] = [
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

fn words(picture: &mut RgbImage, at: Point, size: f64, dark: bool, dice: &mut Dice) {
    let ink = bytes(accent(dark, dice));
    write(picture, dice.below(2), WORDS[dice.below(WORDS.len())], at, size, ink, 1.0);
}

fn button(picture: &mut RgbImage, at: Point, size: f64, style: &Style, dice: &mut Dice) {
    let word = WORDS[dice.below(WORDS.len())];
    let end = at + Point::new(0.55 * size * (word.len() as f64 + 2.0), 1.6 * size);
    let color = accent(style.dark, dice);
    plate(picture, (at, end), dice.between(0.0, 0.8) * size, color);
    let ink = if color.iter().sum::<f64>() > 1.6 { [10; 3] } else { [245; 3] };
    let start = at + Point::new(0.55 * size, 0.8 * size);
    write(picture, dice.below(2), word, start, size, ink, 1.0);
}

/// A rounded box from its upper left to its lower right corner.
fn plate(picture: &mut RgbImage, (a, b): (Point, Point), radius: f64, color: Color) {
    let (center, half) = ((a + b) / 2.0, (b - a) / 2.0);
    let size = (picture.width() as usize, picture.height() as usize);
    let radius = radius.min(half.x).min(half.y).max(0.0);
    for_pixels(&[a, Point::new(b.x, a.y), b, Point::new(a.x, b.y)], size, |i, j| {
        let p = Point::new(i as f64 + 0.5, j as f64 + 0.5) - center;
        let d = rounded_rectangle(p.x, p.y, half.x, half.y, radius).mm;
        blend(picture, i as i64, j as i64, bytes(color), coverage(d, 1.0));
    });
}

/// Fraction of a shadow's depth at a distance from what throws it.
fn shade(shadow: &Shadow, distance: f64, px: f64) -> f64 {
    let t = (0.5 - distance / shadow.soft.max(px)).clamp(0.0, 1.0);
    shadow.depth * t * t * (3.0 - 2.0 * t)
}

/// Draws one card.
pub(super) fn card(picture: &mut RgbImage, placed: &Placed, short_px: f64, style: &Style) {
    let scale = short_px * if placed.chosen { style.chosen.grows } else { 1.0 };
    let px = style.edge_px / scale;
    let (a, b) = (style.aspect / 2.0, 0.5);
    let reach =
        style.shadow.map_or(0.0, |s| s.soft + s.offset.0.abs().max(s.offset.1.abs())) + 2.0 * px;
    let at = |x: f64, y: f64| placed.at(x * scale, y * scale);
    let around = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        .map(|(i, j)| at(i * (a + reach), j * (b + reach)));
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
    let hollow = matches!(style.insides[shading], super::style::Inside::Nothing);
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
    let Some(d) = field.at(x, y) else { return color };
    let outside = coverage(d - outer, px);
    if outside == 0.0 {
        return color;
    }
    let within = if stroke > 0.0 { coverage(d + inner, px) } else { outside };
    let inked =
        if within > 0.0 { style.insides[shading].at((x, y), d + inner, 1.0 / scale) } else { 0.0 };
    mix(color, ink, outside - within + within * inked)
}
