//! Antialiased lines, discs and text on an RGB picture.

use ab_glyph::{Font, FontRef, PxScale, ScaleFont};
use image::{Rgb, RgbImage};
use imageproc::drawing::{draw_text_mut, text_size};
use setsight_photo::geometry::{Point, Quad};
use std::sync::LazyLock;

/// The only font of all pictures, built in, with digits of equal width.
static FONT: LazyLock<FontRef<'static>> = LazyLock::new(|| {
    FontRef::try_from_slice(epaint_default_fonts::HACK_REGULAR).expect("a font in the program")
});

/// A dash pattern.
#[derive(Clone, Copy, Debug)]
pub struct Dash {
    /// Length of the drawn part, in pixels.
    pub on_px: f64,
    /// Period of the pattern, in pixels.
    pub period_px: f64,
}

/// Blends `color` into one pixel, with a coverage of 0 to 1. Does nothing outside the picture.
fn blend(image: &mut RgbImage, x: i64, y: i64, color: Rgb<u8>, coverage: f64) {
    if coverage <= 0.0 || x < 0 || y < 0 || x >= image.width().into() || y >= image.height().into()
    {
        return;
    }
    let pixel = &mut image[(x as u32, y as u32)];
    for (old, new) in pixel.0.iter_mut().zip(color.0) {
        let mixed = f64::from(*old) + (f64::from(new) - f64::from(*old)) * coverage.min(1.0);
        *old = mixed.round() as u8;
    }
}

/// Draws a line with round ends. `dash` holds the pattern and the offset in pixels at which the
/// line begins. Lines stay our own: imageproc's antialiased line is one pixel wide, and tiny-skia
/// draws only on a picture with alpha.
pub(super) fn segment(
    image: &mut RgbImage,
    (a, b): (Point, Point),
    width_px: f64,
    color: Rgb<u8>,
    dash: Option<(Dash, f64)>,
) {
    let length = a.distance(b);
    if !length.is_finite() || length < 1e-6 {
        return;
    }
    let along = (b - a) / length;
    let reach = width_px / 2.0 + 1.0;
    let y0 = limited((a.y.min(b.y) - reach).floor(), image.height());
    let y1 = limited((a.y.max(b.y) + reach).ceil(), image.height());
    for y in y0..=y1 {
        let yc = y as f64 + 0.5;
        // Visit only the part of each row near the line; the bounding box of a long slanted line is
        // large.
        let (mut x0, mut x1) = (a.x.min(b.x) - reach, a.x.max(b.x) + reach);
        if along.y.abs() > 1e-6 {
            let middle = a.x + (yc - a.y) * along.x / along.y;
            let half = reach / along.y.abs();
            (x0, x1) = (x0.max(middle - half), x1.min(middle + half));
        }
        for x in limited(x0.floor(), image.width())..=limited(x1.ceil(), image.width()) {
            let p = Point::new(x as f64 + 0.5, yc) - a;
            let t = p.dot(along);
            let distance = (p - along * t.clamp(0.0, length)).norm();
            let mut coverage = (width_px / 2.0 + 0.5 - distance).clamp(0.0, 1.0);
            if let Some((dash, start_px)) = dash {
                let phase = (t + start_px).rem_euclid(dash.period_px);
                coverage *= (phase.min(dash.on_px - phase) + 0.5).clamp(0.0, 1.0);
            }
            blend(image, x, y, color, coverage);
        }
    }
}

fn limited(v: f64, max: u32) -> i64 {
    (v as i64).clamp(-1, i64::from(max))
}

/// Draws a closed outline; dashes continue around the corners.
pub fn outline(
    image: &mut RgbImage,
    quad: &Quad,
    width_px: f64,
    color: Rgb<u8>,
    dash: Option<Dash>,
) {
    let mut start = 0.0;
    for i in 0..4 {
        let (a, b) = (quad.0[i], quad.0[(i + 1) % 4]);
        segment(image, (a, b), width_px, color, dash.map(|dash| (dash, start)));
        start += a.distance(b);
    }
}

/// Draws a filled disc.
pub(crate) fn disc(image: &mut RgbImage, centre: Point, radius_px: f64, color: Rgb<u8>) {
    let reach = radius_px.ceil() as i64 + 1;
    let (cx, cy) = (centre.x.round() as i64, centre.y.round() as i64);
    for y in cy - reach..=cy + reach {
        for x in cx - reach..=cx + reach {
            let distance = Point::new(x as f64 + 0.5, y as f64 + 0.5).distance(centre);
            blend(image, x, y, color, radius_px + 0.5 - distance);
        }
    }
}

/// Draws a filled rectangle with square corners and a coverage of 0 to 1.
pub(crate) fn rectangle(
    image: &mut RgbImage,
    (left, top): (f64, f64),
    (width, height): (f64, f64),
    color: Rgb<u8>,
    coverage: f64,
) {
    for y in top.round() as i64..(top + height).round() as i64 {
        for x in left.round() as i64..(left + width).round() as i64 {
            blend(image, x, y, color, coverage);
        }
    }
}

/// Width of a text in pixels at height `size_px`.
pub(crate) fn text_width(text: &str, size_px: f64) -> f64 {
    text_size(PxScale::from(size_px as f32), &*FONT, text).0.into()
}

/// Draws one line of text; `at` is its left end and vertical middle, rounded to pixels.
pub(crate) fn text(image: &mut RgbImage, at: Point, size_px: f64, color: Rgb<u8>, text: &str) {
    let scale = PxScale::from(size_px as f32);
    let font = FONT.as_scaled(scale);
    // Centre on a capital letter, not on the line height: codes and numbers have no descenders.
    let capital = font
        .outline_glyph(font.scaled_glyph('H'))
        .map_or(font.ascent() * 0.7, |glyph| glyph.px_bounds().height());
    let top = at.y + f64::from(capital / 2.0 - font.ascent());
    draw_text_mut(image, color, at.x.round() as i32, top.round() as i32, scale, &*FONT, text);
}

/// Draws one line of text centred on `centre`.
pub fn text_centred(
    image: &mut RgbImage,
    centre: Point,
    size_px: f64,
    color: Rgb<u8>,
    content: &str,
) {
    let left = centre.x - text_width(content, size_px) / 2.0;
    text(image, Point::new(left, centre.y), size_px, color, content);
}

/// The quad with every side moved outward by the same distance, or inward if it is negative.
pub fn offset(quad: &Quad, outward_px: f64) -> Quad {
    let sign = quad.signed_area().signum();
    // Each moved side as a point and a direction.
    let side = |i: usize| {
        let (a, b) = (quad.0[i % 4], quad.0[(i + 1) % 4]);
        let along = (b - a) / a.distance(b).max(1e-9);
        (a - along.perpendicular() * (outward_px * sign), along)
    };
    Quad::new([0, 1, 2, 3].map(|i| {
        let ((p, u), (q, v)) = (side(i + 3), side(i));
        let cross = u.cross(v);
        // Nearly parallel sides would meet far away: then only shift the corner.
        if cross.abs() < 0.1 { q } else { p + u * ((q - p).cross(v) / cross) }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLACK: Rgb<u8> = Rgb([0, 0, 0]);

    fn ink(image: &RgbImage) -> f64 {
        image.pixels().map(|p| 1.0 - f64::from(p[0]) / 255.0).sum()
    }

    fn white() -> RgbImage {
        RgbImage::from_pixel(100, 80, Rgb([255, 255, 255]))
    }

    #[test]
    fn a_line_has_the_ink_of_its_length_and_width() {
        for (a, b) in [
            ((20.0, 20.0), (80.0, 20.0)),
            ((20.0, 20.0), (20.0, 70.0)),
            ((20.0, 10.0), (70.0, 60.0)),
        ] {
            let (a, b) = (Point::new(a.0, a.1), Point::new(b.0, b.1));
            let mut image = white();
            segment(&mut image, (a, b), 4.0, BLACK, None);
            let expected = a.distance(b) * 4.0 + 4.0 * std::f64::consts::PI;
            assert!((ink(&image) - expected).abs() < 0.06 * expected, "{} {expected}", ink(&image));
        }
    }

    #[test]
    fn lines_and_discs_may_leave_the_picture() {
        let mut image = white();
        segment(&mut image, (Point::new(-1e7, -50.0), Point::new(500.0, 1e7)), 9.0, BLACK, None);
        segment(&mut image, (Point::new(f64::NAN, 0.0), Point::new(9.0, 9.0)), 9.0, BLACK, None);
        disc(&mut image, Point::new(-2.0, 85.0), 12.0, BLACK);
        text(&mut image, Point::new(90.0, -3.0), 30.0, BLACK, "2spd ~ é");
        rectangle(&mut image, (-5.0, 70.0), (30.0, 30.0), BLACK, 0.5);
    }

    #[test]
    fn an_offset_moves_every_side() {
        let quad = Quad::rectangle(90.0, 60.0);
        let wider = offset(&quad, 5.0);
        assert_eq!(wider.0[0], Point::new(-5.0, -5.0));
        assert_eq!(wider.0[2], Point::new(95.0, 65.0));
        let back = offset(&wider, -5.0);
        assert!(back.0.iter().zip(quad.0).all(|(a, b)| a.distance(b) < 1e-9));
        let mut counterclockwise = quad.0;
        counterclockwise.reverse();
        assert!(offset(&Quad::new(counterclockwise), 5.0).signed_area().abs() > quad.signed_area());
    }
}
