//! Marks that people draw on pictures afterwards: rings and frames around cards, detectors' boxes,
//! arrows, scribbles, words, captions on a plate.
//!
//! Marks are drawn on the finished 8-bit picture with round-ended strokes. Strokes are thin
//! compared with a symbol, and plates that could hide one are beside their card or over its border.
//! The visible fractions of cards are therefore those without marks.

use crate::{DrawnCard, paint::pixel_range};
use ab_glyph::{Font, FontRef, OutlineCurve, PxScale, ScaleFont, point};
use image::RgbImage;
use setsight_photo::geometry::{Point, Quad, bounding_box};
use setsight_photo::print::dice::Dice;
use std::{f64::consts::TAU, sync::LazyLock};

static FONTS: LazyLock<[FontRef<'static>; 2]> = LazyLock::new(|| {
    [epaint_default_fonts::HACK_REGULAR, epaint_default_fonts::UBUNTU_LIGHT]
        .map(|bytes| FontRef::try_from_slice(bytes).expect("a font in the program"))
});

/// Colours of phones' pens, painting programs and detectors, sRGB.
const PENS: [[u8; 3]; 12] = [
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
    [255, 255, 0],
    [255, 0, 255],
    [0, 255, 255],
    [20, 20, 20],
    [250, 250, 250],
    [235, 60, 40],
    [40, 160, 70],
    [110, 50, 160],
    [255, 140, 0],
];

const WORDS: [&str; 20] = [
    "SET", "set!", "OK", "no", "1", "2", "3", "00", "O O", "here", "card", "0.98", "red 2", "?",
    "START", "<>", "oval", "IMG 0081", "x", "A B C",
];

/// Coverage of each pixel by a mark, inside the mark's bounding box.
struct Mask {
    left: i64,
    top: i64,
    width: usize,
    cover: Vec<f32>,
}

impl Mask {
    /// For a mark between these points, clipped to the picture.
    fn around(points: &[Point], margin: f64, size: (u32, u32)) -> Self {
        let (low, high) = bounding_box(points.iter().copied());
        let columns = pixel_range(low.x - margin, high.x + margin + 1.0, size.0 as usize);
        let rows = pixel_range(low.y - margin, high.y + margin + 1.0, size.1 as usize);
        let (left, top, width) = (columns.start as i64, rows.start as i64, columns.len());
        Self { left, top, width, cover: vec![0.0; width * rows.len()] }
    }

    /// A line with round ends.
    fn line(&mut self, a: Point, b: Point, wide: f64) {
        if self.width == 0 {
            return;
        }
        let reach = 0.5 * wide + 1.0;
        let height = self.cover.len() / self.width;
        let range = |low: f64, high: f64, offset: i64, limit: usize| {
            let offset = offset as f64;
            pixel_range(low - reach - offset, high + reach + 1.0 - offset, limit)
        };
        let along = b - a;
        let length = along.dot(along).max(1e-9);
        for y in range(a.y.min(b.y), a.y.max(b.y), self.top, height) {
            for x in range(a.x.min(b.x), a.x.max(b.x), self.left, self.width) {
                let p = Point::new(
                    (x as i64 + self.left) as f64 + 0.5,
                    (y as i64 + self.top) as f64 + 0.5,
                );
                let t = ((p - a).dot(along) / length).clamp(0.0, 1.0);
                let cover = (0.5 + 0.5 * wide - p.distance(a + along * t)).clamp(0.0, 1.0);
                let value = &mut self.cover[y * self.width + x];
                *value = value.max(cover as f32);
            }
        }
    }

    fn polyline(points: &[Point], wide: f64, size: (u32, u32)) -> Self {
        let mut mask = Self::around(points, wide + 2.0, size);
        for pair in points.windows(2) {
            mask.line(pair[0], pair[1], wide);
        }
        mask
    }

    fn paint(&self, picture: &mut RgbImage, color: [u8; 3], opacity: f64) {
        for (k, cover) in self.cover.iter().enumerate().filter(|(_, cover)| **cover > 0.0) {
            let x = self.left + (k % self.width) as i64;
            let y = self.top + (k / self.width) as i64;
            blend(picture, x, y, color, f64::from(*cover) * opacity);
        }
    }
}

pub(crate) fn blend(picture: &mut RgbImage, x: i64, y: i64, color: [u8; 3], amount: f64) {
    let (width, height) = picture.dimensions();
    if amount > 0.0 && (0..i64::from(width)).contains(&x) && (0..i64::from(height)).contains(&y) {
        if amount == 1.0 {
            picture.get_pixel_mut(x as u32, y as u32).0 = color;
            return;
        }
        for (old, new) in picture.get_pixel_mut(x as u32, y as u32).0.iter_mut().zip(color) {
            *old = (f64::from(*old) + (f64::from(new) - f64::from(*old)) * amount).round() as u8;
        }
    }
}

/// Draws random marks around these cards.
pub(crate) fn draw(picture: &mut RgbImage, cards: &[DrawnCard], count: usize, dice: &mut Dice) {
    // One hand, or one detector, draws most of them.
    let (width, height) = (f64::from(picture.width()), f64::from(picture.height()));
    let usual = cards.first().map_or(0.2 * width, |card| card.corners_in_image.long_side());
    let pen = PENS[dice.below(PENS.len())];
    let habit = dice.below(KINDS);
    let wide = (usual * dice.between(0.012, 0.045)).max(1.0);
    for _ in 0..count {
        let pen = if dice.chance(0.7) { pen } else { PENS[dice.below(PENS.len())] };
        let kind = if dice.chance(0.6) { habit } else { dice.below(KINDS) };
        let card = cards.get(dice.below(cards.len())).map(|card| card.corners_in_image);
        let anywhere = Point::new(width * dice.unit(), height * dice.unit());
        let quad = card.unwrap_or_else(|| {
            let corner = anywhere - Point::new(0.5 * usual, 0.3 * usual);
            Quad::new(Quad::rectangle(usual, 0.64 * usual).0.map(|p| p + corner))
        });
        mark(picture, kind, &quad, pen, wide, dice);
    }
}

/// Number of kinds of marks.
const KINDS: usize = 8;

fn mark(
    picture: &mut RgbImage,
    kind: usize,
    quad: &Quad,
    pen: [u8; 3],
    wide: f64,
    dice: &mut Dice,
) {
    let size = picture.dimensions();
    let (center, long, short) = (quad.center(), quad.long_side(), quad.short_side());
    let opacity = if dice.chance(0.75) { 1.0 } else { dice.between(0.4, 0.9) };
    let points = match kind {
        // A hand-drawn ring, around a card or partly across it.
        0 | 1 => {
            let off = if kind == 0 { 0.06 } else { 0.4 };
            let center = center + Point::new(dice.normal(), dice.normal()) * (off * long);
            let radii = if kind == 0 {
                (long * dice.between(0.55, 0.8), short * dice.between(0.65, 0.95))
            } else {
                (long * dice.between(0.15, 0.7), long * dice.between(0.15, 0.6))
            };
            let side = quad.0[1] - quad.0[0];
            ring(center, radii, side.y.atan2(side.x), dice)
        }
        // A frame along the card's sides.
        2 => {
            let grow = dice.between(0.97, 1.2);
            let mut corners = quad.0.map(|p| center + (p - center) * grow).to_vec();
            corners.push(corners[0]);
            if dice.chance(0.4) { corners } else { shaken(&corners, 0.02 * long, dice) }
        }
        // A detector's box with a caption.
        3 => {
            let (low, high) = bounding_box(quad.0);
            if dice.chance(0.6) {
                plate(picture, low, 0.13 * long, pen, dice);
            }
            let (b, d) = (Point::new(high.x, low.y), Point::new(low.x, high.y));
            vec![low, b, high, d, low]
        }
        // An arrow that points at a card.
        4 => {
            let angle = dice.between(0.0, TAU);
            let toward = Point::new(angle.cos(), angle.sin());
            let tip = center - toward * (long * dice.between(0.2, 0.6));
            let tail = tip - toward * (long * dice.between(0.4, 1.4));
            let head = long * dice.between(0.08, 0.18);
            let wing =
                |side: f64| tip - toward * head + toward.perpendicular() * (0.6 * side * head);
            let shaft = shaken(&[tail, tip], 0.015 * long, dice);
            shaft.into_iter().chain([wing(1.0), tip, wing(-1.0)]).collect()
        }
        // Handwriting.
        5 => {
            let start = center + Point::new(dice.normal(), dice.normal()) * (0.5 * long);
            scribble(start, long * dice.between(0.06, 0.16), dice)
        }
        // A printed word without a plate.
        6 => {
            let at = center + Point::new(dice.normal(), dice.normal()) * (0.45 * long);
            let word = WORDS[dice.below(WORDS.len())];
            let font = dice.below(2);
            write(picture, font, word, at, long * dice.between(0.12, 0.3), pen, opacity);
            return;
        }
        // A line under it, or through it.
        _ => {
            let along = (quad.0[1] - quad.0[0]) * dice.between(0.3, 0.6);
            let down = (quad.0[3] - quad.0[0]) * dice.between(-0.65, 0.65);
            shaken(&[center - along + down, center + along + down], 0.02 * long, dice)
        }
    };
    Mask::polyline(&points, wide * dice.between(0.7, 1.4), size).paint(picture, pen, opacity);
}

/// A hand-drawn ellipse: it wobbles and does not quite close.
fn ring(center: Point, radii: (f64, f64), turn: f64, dice: &mut Dice) -> Vec<Point> {
    let (start, over) = (dice.between(0.0, TAU), dice.between(-0.2, 0.6));
    let drift = dice.between(-0.1, 0.1);
    let waves: Vec<(f64, f64)> =
        (2..5).map(|_| (0.025 * dice.normal(), dice.between(0.0, TAU))).collect();
    let (sin, cos) = turn.sin_cos();
    (0..=72)
        .map(|i| {
            let t = f64::from(i) / 72.0;
            let angle = start + t * (TAU + over);
            let wobble: f64 = (2..5)
                .zip(&waves)
                .map(|(k, (size, phase))| size * (f64::from(k) * angle + phase).sin())
                .sum();
            let r = 1.0 + wobble + drift * t;
            let (x, y) = (radii.0 * r * angle.cos(), radii.1 * r * angle.sin());
            center + Point::new(x * cos - y * sin, x * sin + y * cos)
        })
        .collect()
}

/// Hand-drawn straight lines: each is slightly bent, and corners are missed slightly.
fn shaken(points: &[Point], size: f64, dice: &mut Dice) -> Vec<Point> {
    const STEPS: usize = 16;
    let corners: Vec<Point> = points
        .iter()
        .map(|p| *p + Point::new(dice.normal(), dice.normal()) * (0.8 * size))
        .collect();
    let mut line = Vec::new();
    for pair in corners.windows(2) {
        let along = pair[1] - pair[0];
        let across = along.perpendicular() / along.norm().max(1e-9);
        let (bend, ripple) = (size * dice.normal(), 0.4 * size * dice.normal());
        for k in 0..STEPS {
            let t = k as f64 / STEPS as f64;
            let off = bend * (0.5 * TAU * t).sin() + ripple * (1.5 * TAU * t).sin();
            line.push(pair[0].lerp(pair[1], t) + across * off);
        }
    }
    line.extend(corners.last());
    line
}

/// Illegible letters.
fn scribble(start: Point, height: f64, dice: &mut Dice) -> Vec<Point> {
    let letters = 3 + dice.below(7);
    let slant = dice.between(-0.2, 0.5);
    let mut points = Vec::new();
    for letter in 0..letters {
        let x = letter as f64 * height * 0.75;
        let (rise, loops) = (dice.between(0.4, 1.2), dice.between(0.5, 1.3));
        for k in 0..10 {
            let t = k as f64 / 10.0;
            let y = -rise * height * (TAU * t * loops).sin().abs();
            let wave = 0.3 * height * (TAU * t).sin();
            points.push(start + Point::new(x + 0.7 * height * t + wave - slant * y, y));
        }
    }
    points
}

/// A word on a plate in the pen's colour; `at` is the plate's lower left corner.
fn plate(picture: &mut RgbImage, at: Point, height: f64, pen: [u8; 3], dice: &mut Dice) {
    let word = WORDS[dice.below(WORDS.len())];
    let wide = 0.55 * height * (word.chars().count() as f64 + 0.5);
    let (right, top) = ((at.x + wide) as i64, (at.y - height) as i64);
    for y in top..at.y as i64 {
        for x in at.x as i64..right {
            blend(picture, x, y, pen, 1.0);
        }
    }
    let bright = pen.iter().map(|v| u32::from(*v)).sum::<u32>() > 380;
    let ink = if bright { [0; 3] } else { [255; 3] };
    let place = Point::new(at.x + 0.15 * height, at.y - 0.5 * height);
    write(picture, 0, word, place, 0.8 * height, ink, 1.0);
}

/// A word on one line in one of the [`FONTS`]; `at` is the middle of its left end.
pub(crate) fn write(
    picture: &mut RgbImage,
    font: usize,
    word: &str,
    at: Point,
    height: f64,
    ink: [u8; 3],
    opacity: f64,
) {
    let font = &FONTS[font];
    let scale = PxScale::from(height.max(4.0) as f32);
    let baseline = at.y as f32 + 0.35 * scale.y;
    let mut x = at.x as f32;
    for c in word.chars() {
        let id = font.glyph_id(c);
        let glyph = id.with_scale_and_position(scale, point(x, baseline));
        if let Some(outline) = font.outline_glyph(glyph) {
            let corner = outline.px_bounds().min;
            outline.draw(|dx, dy, cover| {
                let (x, y) = (corner.x as i64 + i64::from(dx), corner.y as i64 + i64::from(dy));
                blend(picture, x, y, ink, f64::from(cover) * opacity);
            });
        }
        x += font.as_scaled(scale).h_advance(id);
    }
}

/// The largest contour of a character of the first of the [`FONTS`], y downward, in the font's units.
/// `None` if the font lacks the character, or if it is blank.
pub(crate) fn silhouette(c: char) -> Option<Vec<(f64, f64)>> {
    let id = FONTS[0].glyph_id(c);
    let outline = FONTS[0].outline(id).filter(|_| id.0 > 0)?;
    let mut contours: Vec<Vec<(f64, f64)>> = vec![];
    let mut end = None;
    for curve in &outline.curves {
        let (from, control, to) = match *curve {
            OutlineCurve::Line(a, b) => (a, None, b),
            OutlineCurve::Quad(a, c, b) | OutlineCurve::Cubic(a, c, _, b) => (a, Some(c), b),
        };
        if end != Some(from) {
            contours.push(vec![]);
        }
        end = Some(to);
        let contour = contours.last_mut()?;
        let place = |p: ab_glyph::Point| (f64::from(p.x), -f64::from(p.y));
        contour.push(place(from));
        if let Some(control) = control {
            let (a, c, b) = (place(from), place(control), place(to));
            contour.push((0.25 * (a.0 + b.0) + 0.5 * c.0, 0.25 * (a.1 + b.1) + 0.5 * c.1));
        }
    }
    contours.into_iter().max_by(|a, b| twice_area(a).total_cmp(&twice_area(b)))
}

fn twice_area(contour: &[(f64, f64)]) -> f64 {
    let next = contour.iter().cycle().skip(1);
    contour.iter().zip(next).map(|(a, b)| a.0 * b.1 - a.1 * b.0).sum::<f64>().abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;
    use setsight_photo::print::dice::Purpose;

    #[test]
    fn each_kind_of_mark_is_visible_and_stays_in_the_picture() {
        let quad = Quad::new(Quad::rectangle(90.0, 60.0).0.map(|p| p + Point::new(60.0, 50.0)));
        for kind in 0..KINDS {
            let mut marked = 0;
            for index in 0..6 {
                let mut picture = RgbImage::from_pixel(200, 160, Rgb([120, 120, 120]));
                let mut dice = Dice::new(1, index, Purpose::Annotations);
                mark(&mut picture, kind, &quad, [255, 0, 0], 3.0, &mut dice);
                let red = picture.pixels().filter(|p| p[0] > 150 && p[1] < 100).count();
                marked += usize::from(red > 20);
                assert!(red < 200 * 160 / 4, "{kind}: {red} pixels");
            }
            assert!(marked >= 5, "{kind}: {marked}");
        }
        // Cards far outside the picture must not cause an error.
        let mut picture = RgbImage::new(64, 48);
        let away = Quad::new(quad.0.map(|p| p + Point::new(900.0, -700.0)));
        for kind in 0..KINDS {
            mark(
                &mut picture,
                kind,
                &away,
                [9; 3],
                3.0,
                &mut Dice::new(1, 0, Purpose::Annotations),
            );
        }
    }
}
