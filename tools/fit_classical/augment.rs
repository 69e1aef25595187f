//! Altered copies of labelled crops: what other cameras, other light and a poor outline would give.

use image::{Rgb, RgbImage, imageops};
use rand::{Rng, RngExt};
use setsight_photo::geometry::{Point, Quad};
use setsight_vision::parts::rectify;
use setsight_vision::{CardImage, CardOutline};

/// A straightened card. With `altered` its outline misses, and its resolution, light, colours and noise
/// are others.
pub fn card(crop: &RgbImage, altered: bool, rng: &mut impl Rng) -> CardImage {
    let (w, h) = (f64::from(crop.width()), f64::from(crop.height()));
    if !altered {
        return straighten(crop.clone(), Quad::rectangle(w, h));
    }
    let (photo, quad) = on_a_table(crop, rng);
    // A shift of all and an error of each corner, as shares of the card.
    let miss = rng.random_range(0.0..0.05);
    let shift =
        Point::new(rng.random_range(-1.0..1.0) * miss * w, rng.random_range(-1.0..1.0) * miss * h);
    let quad = Quad::new(quad.0.map(|p| {
        p + shift
            + Point::new(
                rng.random_range(-1.0..1.0) * miss * w,
                rng.random_range(-1.0..1.0) * miss * h,
            )
    }));
    photograph(photo, quad, rng)
}

/// A card of `number` symbols of which another card, or the end of the table, hides a part from one end. The
/// outline is the true one or, as when only the whole symbols were seen, lies around those.
pub fn covered(crop: &RgbImage, number: usize, rng: &mut impl Rng) -> CardImage {
    let (w, h) = (f64::from(crop.width()), f64::from(crop.height()));
    let (mut photo, quad) = on_a_table(crop, rng);
    let kept = rng.random_range(1..=number);
    let side = if rng.random::<bool>() { 1.0 } else { -1.0 };
    // Symbols from the covered end, in card long sides from the centre.
    let place = |i: usize| (i as f64 - (number - 1) as f64 / 2.0) * 0.285;
    let cut = if kept < number {
        place(kept) + rng.random_range(-0.10..0.09)
    } else {
        place(kept - 1) + rng.random_range(0.11..0.2)
    };
    let lean = rng.random_range(-0.4..0.4);
    let center = quad.center();
    let paper = photo.get_pixel(center.x as u32, (center.y - 0.45 * h) as u32).0;
    let cover = if rng.random_bool(0.75) { paper } else { photo.get_pixel(2, 2).0 };
    let blot = rng.random_bool(0.4).then(|| {
        (
            rng.random_range(0.1..0.4) * w,
            rng.random_range(-0.3..0.3) * h,
            std::array::from_fn(|c| cover[c] / [2, 3, 4][c]),
        )
    });
    let edge = rng.random_range(0.5..0.95);
    for (x, y, pixel) in photo.enumerate_pixels_mut() {
        let (dx, dy) = (f64::from(x) - center.x, f64::from(y) - center.y);
        let beyond = dx * side - cut * w - lean * dy;
        if beyond > 0.0 {
            pixel.0 = match blot {
                Some((bx, by, ink))
                    if ((beyond - bx) / (0.1 * w)).hypot((dy - by) / (0.2 * h)) < 1.0 =>
                {
                    ink
                }
                _ if beyond < 2.0 => cover.map(|v| (f64::from(v) * edge) as u8),
                _ => cover,
            };
        }
    }
    let shift = if kept < number && rng.random_bool(0.6) {
        side * (0..kept).map(place).sum::<f64>() / kept as f64
    } else {
        0.0
    };
    let quad = Quad::new(quad.0.map(|p| {
        p + Point::new(
            shift * w + rng.random_range(-0.02..0.02) * w,
            rng.random_range(-0.03..0.03) * h,
        )
    }));
    photograph(photo, quad, rng)
}

/// Something that an outline may hold but that is no card seen whole: a part of one, one far too
/// small, one across, or shapes of chance.
pub fn no_card(crop: &RgbImage, rng: &mut impl Rng) -> CardImage {
    let (w, h) = (f64::from(crop.width()), f64::from(crop.height()));
    let (photo, quad) = on_a_table(crop, rng);
    let about = |quad: Quad, scale: (f64, f64), shift: Point| {
        let c = quad.center();
        Quad::new(
            quad.0.map(|p| c + shift + Point::new((p.x - c.x) * scale.0, (p.y - c.y) * scale.1)),
        )
    };
    let side = |rng: &mut dyn Rng| if rng.random::<bool>() { 1.0 } else { -1.0 };
    match rng.random_range(0..5) {
        // A window on a part of the card.
        0 => {
            let s = rng.random_range(0.25..0.6);
            let shift =
                Point::new(rng.random_range(-0.3..0.3) * w, rng.random_range(-0.3..0.3) * h);
            photograph(photo, about(quad, (s, s), shift), rng)
        }
        // Half off the card, sideways or up.
        1 => {
            let far = side(rng) * rng.random_range(0.45..0.8);
            let shift = if rng.random::<bool>() {
                Point::new(far * w, 0.0)
            } else {
                Point::new(0.0, far * h)
            };
            photograph(photo, about(quad, (1.0, 1.0), shift), rng)
        }
        // Across the card: the long side taken for the short one.
        2 => {
            let s = rng.random_range(0.8..1.1);
            photograph(photo, Quad::new(about(quad, (s, s), Point::default()).0).turned(), rng)
        }
        // Far too much around it.
        3 => {
            let s = rng.random_range(1.7..2.6);
            photograph(photo, about(quad, (s, s), Point::default()), rng)
        }
        _ => photograph(shapes(rng), Quad::rectangle(192.0, 128.0), rng),
    }
}

trait Turned {
    fn turned(self) -> Self;
}
impl Turned for Quad {
    fn turned(mut self) -> Self {
        self.0.rotate_left(1);
        self
    }
}

fn straighten(image: RgbImage, quad: Quad) -> CardImage {
    let outline = CardOutline::at(quad);
    rectify::rectify(&image, &outline)
}

/// The crop on a table a half larger, of one colour with a slope and grain.
fn on_a_table(crop: &RgbImage, rng: &mut impl Rng) -> (RgbImage, Quad) {
    let (w, h) = crop.dimensions();
    let (mx, my) = (w / 4, h / 4);
    let base: [f64; 3] = if rng.random_bool(0.3) {
        let v = rng.random_range(150.0..255.0);
        [v, v * rng.random_range(0.93..1.0), v * rng.random_range(0.85..1.02)]
    } else {
        std::array::from_fn(|_| rng.random_range(10.0..190.0))
    };
    let grain = rng.random_range(0.0..25.0);
    let mut photo = RgbImage::from_fn(w + 2 * mx, h + 2 * my, |_, _| {
        let g = grain * (rng.random::<f64>() - 0.5);
        Rgb(base.map(|v| (v + g).clamp(0.0, 255.0) as u8))
    });
    imageops::replace(&mut photo, crop, i64::from(mx), i64::from(my));
    let corner = Point::new(f64::from(mx), f64::from(my));
    let quad = Quad::new(Quad::rectangle(f64::from(w), f64::from(h)).0.map(|p| p + corner));
    (photo, quad)
}

/// Dark shapes of chance on paper.
fn shapes(rng: &mut impl Rng) -> RgbImage {
    let paper = rng.random_range(120u8..=255);
    let mut image = RgbImage::from_pixel(192, 128, Rgb([paper, paper, paper]));
    for _ in 0..rng.random_range(1..9) {
        let ink = Rgb(std::array::from_fn(|_| rng.random_range(0..=paper)));
        let (cx, cy) = (rng.random_range(0.0..192.0f32), rng.random_range(20.0..108.0f32));
        let (rx, ry) = (rng.random_range(3.0..40.0f32), rng.random_range(3.0..50.0f32));
        let kind = rng.random_range(0..3);
        let lean = rng.random_range(-0.5..0.5f32);
        for (x, y, pixel) in image.enumerate_pixels_mut() {
            let (dy, dx) = ((y as f32 - cy) / ry, (x as f32 - cx + lean * (y as f32 - cy)) / rx);
            let inside = match kind {
                0 => dx.abs() < 1.0 && dy.abs() < 1.0,
                1 => dx * dx + dy * dy < 1.0,
                _ => dx.abs() + dy < 1.0 && dy > -1.0 && dx.abs() < 1.0,
            };
            if inside {
                *pixel = ink;
            }
        }
    }
    image
}

/// Another camera: resolution, light, colours, glare, noise; then straightened.
fn photograph(photo: RgbImage, quad: Quad, rng: &mut impl Rng) -> CardImage {
    let long = quad.long_side();
    let mut image = photo;
    let mut quad = quad;
    // From a far webcam's 42 pixels up to what the crop has.
    let wanted = (42.0 * f64::exp(rng.random_range(0.0..1.8))).min(long);
    let scale = wanted / long;
    if scale < 0.97 {
        let size = |v: u32| ((f64::from(v) * scale).round() as u32).max(8);
        let (w, h) = (size(image.width()), size(image.height()));
        let (sx, sy) =
            (f64::from(w) / f64::from(image.width()), f64::from(h) / f64::from(image.height()));
        image = imageops::resize(&image, w, h, imageops::FilterType::Triangle);
        quad = Quad::new(quad.0.map(|p| Point::new(p.x * sx, p.y * sy)));
    }
    if rng.random_bool(0.4) {
        // Out of focus or shaken, up to a fiftieth of the card: its outlines are a seventieth wide.
        let sigma = quad.long_side() as f32 * rng.random_range(0.002..0.02f32);
        image = imageops::blur(&image, sigma.max(rng.random_range(0.3..0.9)));
    }
    let gamma = f32::exp(rng.random_range(-0.35..0.35));
    let exposure = rng.random_range(0.45..1.15f32);
    let saturation = rng.random_range(0.7..1.35f32);
    // A lamp from cold to warm, and a little green to pink.
    let warm = rng.random_range(-0.12..0.28f32);
    let pink = rng.random_range(-0.06..0.08f32);
    let light = [1.0 + 0.6 * warm, 1.0 - pink, 1.0 - warm];
    let noise = rng.random_range(0.0..7.0f32);
    let (w, h) = (image.width() as f32, image.height() as f32);
    // A slope of light over the card, and sometimes the edge of a shadow.
    let slope = [rng.random_range(-0.25..0.25f32), rng.random_range(-0.25..0.25f32)];
    let shadow = rng.random_bool(0.2).then(|| {
        let angle = rng.random_range(0.0..std::f32::consts::TAU);
        let depth = rng.random_range(0.45..0.8f32);
        (angle.cos(), angle.sin(), rng.random_range(-0.3..0.3f32), depth)
    });
    let glare = rng.random_bool(0.2).then(|| {
        let at = [rng.random_range(0.2..0.8f32) * w, rng.random_range(0.2..0.8f32) * h];
        (at, rng.random_range(0.08..0.3f32) * w, rng.random_range(0.2..0.8f32))
    });
    for (x, y, pixel) in image.enumerate_pixels_mut() {
        let (x, y) = (x as f32, y as f32);
        let (u, v) = (x / w - 0.5, y / h - 0.5);
        let mut shade = exposure * (1.0 + slope[0] * u + slope[1] * v);
        if let Some((a, b, offset, depth)) = shadow {
            let t = ((a * u + b * v - offset) * 25.0).clamp(-1.0, 1.0);
            shade *= depth + (1.0 - depth) * (t + 1.0) / 2.0;
        }
        let veil = glare.map_or(0.0, |(at, r, strength)| {
            strength * f32::exp(-((x - at[0]).powi(2) + (y - at[1]).powi(2)) / (2.0 * r * r))
        });
        let linear = pixel.0.map(|p| (f32::from(p) / 255.0).powf(2.2));
        let grey = (linear[0] + linear[1] + linear[2]) / 3.0;
        pixel.0 = std::array::from_fn(|c| {
            let tinted =
                (grey + (linear[c] - grey) * saturation).max(0.0) * light[c] * shade + veil;
            let encoded = 255.0 * tinted.clamp(0.0, 1.0).powf(gamma / 2.2);
            (encoded + noise * (rng.random::<f32>() + rng.random::<f32>() - 1.0) * 1.7)
                .clamp(0.0, 255.0) as u8
        });
    }
    straighten(image, quad)
}
