//! Data augmentation of crops: other cameras and other lighting, random at every use.
//!
//! Crops are never mirrored, because a squiggle has a handedness. Half a turn leaves a card
//! unchanged.

use super::sample::BYTES;
use rand::RngExt;
use rand_pcg::Pcg64;
use setsight_nets::reader::{HEIGHT, WIDTH};
use setsight_photo::encode;

const PIXELS: usize = WIDTH * HEIGHT;

/// R, G, B of each pixel, 0 to 1.
type Picture = Vec<[f32; 3]>;

/// An augmented copy of a crop ([`BYTES`] long). Camera effects are applied less often to drawn
/// crops, which have passed through a simulated camera already.
pub fn augment(pixels: &[u8], is_drawn: bool, rng: &mut Pcg64) -> Vec<u8> {
    let mut picture = picture_of(pixels);
    if rng.random() {
        picture.reverse();
    }
    let often = if is_drawn { 0.6 } else { 1.0 };
    let mut chance = |p: f64| rng.random_bool(p);
    let (moved, covered, shaded) = (chance(0.4), chance(0.15), chance(0.15));
    let (glare, washed) = (chance(0.06), chance(0.12));
    let (coarse, blurred, toned, tinted) =
        (chance(0.3 * often), chance(0.25 * often), chance(0.6), chance(0.7));
    let (noisy, jpeg, board) = (chance(0.45 * often), chance(0.15 * often), chance(0.2));
    let rgb565 = board || chance(0.25);
    if moved {
        picture = shift(&picture, rng);
    }
    if covered {
        cover(&mut picture, rng);
    }
    if shaded {
        shade(&mut picture, rng);
    }
    if glare {
        add_glare(&mut picture, rng);
    }
    if washed {
        wash(&mut picture, rng);
    }
    if coarse || board {
        picture = coarsen(&picture, board, rng);
    }
    if blurred {
        let sigma = rng.random_range(0.3..1.1);
        picture = blur(&picture, sigma);
    }
    if toned {
        tone(&mut picture, rng);
    }
    if board {
        // The board packs pixels into 16 bits both before and after it balances the colours.
        pack(&mut picture);
    }
    if tinted {
        tint(&mut picture, rng);
    }
    if noisy {
        noise(&mut picture, rng);
    }
    let mut bytes = bytes_of(&picture);
    if jpeg {
        bytes = through_jpeg(bytes, rng.random_range(40..90));
    }
    if rgb565 {
        bytes.chunks_exact_mut(3).for_each(pack_pixel);
    }
    debug_assert_eq!(bytes.len(), BYTES);
    bytes
}

/// A way to augment a crop ([`BYTES`] long, and so is the result): its bytes, and whether it was
/// drawn.
pub type Augment = fn(&[u8], bool, &mut Pcg64) -> Vec<u8>;

/// An augmented copy of a crop of a screen ([`BYTES`] long): no lamp and no lens comes between, but
/// the outline may be off, and the picture may have been scaled and saved once more.
pub fn augment_on_screen(pixels: &[u8], _: bool, rng: &mut Pcg64) -> Vec<u8> {
    let mut picture = picture_of(pixels);
    if rng.random() {
        picture.reverse();
    }
    let (moved, blurred, jpeg) = (rng.random_bool(0.5), rng.random_bool(0.2), rng.random_bool(0.2));
    if moved {
        picture = shift(&picture, rng);
    }
    if blurred {
        picture = blur(&picture, rng.random_range(0.3..1.0));
    }
    let bytes = bytes_of(&picture);
    if jpeg { through_jpeg(bytes, rng.random_range(50..95)) } else { bytes }
}

fn picture_of(pixels: &[u8]) -> Picture {
    pixels.chunks_exact(3).map(|p| [p[0], p[1], p[2]].map(|v| f32::from(v) / 255.0)).collect()
}

fn bytes_of(picture: &Picture) -> Vec<u8> {
    picture.iter().flatten().map(|v| (v * 255.0 + 0.5).clamp(0.0, 255.0) as u8).collect()
}

/// Rounds to 5, 6 and 5 bits and expands to 8 again, as an RGB565 frame buffer does.
fn pack_pixel(pixel: &mut [u8]) {
    let (r, g, b) = (pixel[0] >> 3, pixel[1] >> 2, pixel[2] >> 3);
    pixel.copy_from_slice(&[(r << 3) | (r >> 2), (g << 2) | (g >> 4), (b << 3) | (b >> 2)]);
}

fn pack(picture: &mut Picture) {
    for pixel in picture {
        let mut bytes = pixel.map(|v| (v * 255.0 + 0.5).clamp(0.0, 255.0) as u8);
        pack_pixel(&mut bytes);
        *pixel = bytes.map(|v| f32::from(v) / 255.0);
    }
}

/// Bilinear interpolation; outside the picture, its border is repeated.
fn sample(picture: &Picture, x: f32, y: f32) -> [f32; 3] {
    let (x, y) = (x.clamp(0.0, (WIDTH - 1) as f32), y.clamp(0.0, (HEIGHT - 1) as f32));
    let (left, top) = ((x as usize).min(WIDTH - 2), (y as usize).min(HEIGHT - 2));
    let (u, v) = (x - left as f32, y - top as f32);
    let at = top * WIDTH + left;
    let (a, b) = (&picture[at], &picture[at + 1]);
    let (c, d) = (&picture[at + WIDTH], &picture[at + WIDTH + 1]);
    [0, 1, 2].map(|i| (a[i] + (b[i] - a[i]) * u) * (1.0 - v) + (c[i] + (d[i] - c[i]) * u) * v)
}

/// A small random shift, rotation, scale and shear: the remaining error of an outline.
fn shift(picture: &Picture, rng: &mut Pcg64) -> Picture {
    let mut by = |most: f32| rng.random_range(-most..most);
    let (turn, shear) = (by(0.035), by(0.04));
    let (wide, high) = (1.0 + by(0.03), 1.0 + by(0.03));
    let (dx, dy) = (by(2.0), by(2.0));
    let (cx, cy) = (WIDTH as f32 / 2.0 - 0.5, HEIGHT as f32 / 2.0 - 0.5);
    let mut out = Vec::with_capacity(PIXELS);
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            let (u, v) = (x as f32 - cx, y as f32 - cy);
            let (p, q) = (wide * u + (shear - turn) * v + dx, turn * u + high * v + dy);
            out.push(sample(picture, p + cx, q + cy));
        }
    }
    out
}

/// A neighbouring card, a finger or the table over one side. It covers so little that a row of
/// three symbols cannot pass for a row of two.
fn cover(picture: &mut Picture, rng: &mut Pcg64) {
    let paper = rng.random_bool(0.5);
    let base: f32 = if paper { rng.random_range(0.7..1.0) } else { rng.random_range(0.0..0.9) };
    let spread: f32 = if paper { 0.04 } else { 0.5 };
    let color: [f32; 3] =
        std::array::from_fn(|_| (base + rng.random_range(-spread..spread)).clamp(0.0, 1.0));
    let (wide, high) = (WIDTH as f32, HEIGHT as f32);
    let lean = rng.random_range(-0.35..0.35f32);
    let edge = rng.random_range(0.4..1.0f32);
    let from_end = rng.random_bool(0.6);
    let other_side = rng.random_bool(0.5);
    let reach = if from_end {
        rng.random_range(0.04..0.27) * wide
    } else {
        rng.random_range(0.05..0.4) * high
    };
    // A covering card sometimes shows ink of its own.
    let ink = paper && rng.random_bool(0.5);
    let ink_color: [f32; 3] = std::array::from_fn(|_| rng.random_range(0.1..0.7));
    let ink_at = rng.random_range(0.2..0.8f32);
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            let (mut u, mut v) = (x as f32, y as f32);
            if other_side {
                (u, v) = (wide - 1.0 - u, high - 1.0 - v);
            }
            let inside = if from_end {
                reach + lean * (v - high / 2.0) - u
            } else {
                reach + lean * (u - wide / 2.0) - v
            };
            if inside > 0.0 {
                let along = if from_end { v / high } else { u / wide };
                let spot = ink && inside > 4.0 && (along - ink_at).abs() < 0.15;
                let dark = if inside < 1.5 { edge } else { 1.0 };
                picture[y * WIDTH + x] = if spot { ink_color } else { color.map(|c| c * dark) };
            }
        }
    }
}

/// What white balance leaves of an uneven light or of a shadow's edge.
fn shade(picture: &mut Picture, rng: &mut Pcg64) {
    let (sin, cos) = rng.random_range(0.0..std::f32::consts::TAU).sin_cos();
    // The light in a shadow differs in colour from the light that is blocked.
    let depth = tinted_depth(rng.random_range(0.05..0.35f32), 0.35, rng);
    let soft = rng.random_range(0.02..0.5f32);
    let at = rng.random_range(-0.4..0.4f32);
    for (i, pixel) in picture.iter_mut().enumerate() {
        let u = (i % WIDTH) as f32 / WIDTH as f32 - 0.5;
        let v = (i / WIDTH) as f32 / WIDTH as f32 - 0.33;
        let t = ((u * cos + v * sin - at) / soft + 0.5).clamp(0.0, 1.0);
        (0..3).for_each(|c| pixel[c] *= 1.0 - depth[c] * t);
    }
}

/// One depth per channel, varied by up to `part`: from warm to cold, and slightly from green to
/// magenta.
fn tinted_depth(depth: f32, part: f32, rng: &mut Pcg64) -> [f32; 3] {
    let warm = rng.random_range(-part..part);
    let green = rng.random_range(-0.3 * part..0.3 * part);
    [1.0 + warm, 1.0 + green, 1.0 - warm].map(|tint| (depth * tint).clamp(0.0, 0.95))
}

/// A bright spot that washes out the colours.
fn add_glare(picture: &mut Picture, rng: &mut Pcg64) {
    let (x, y) = (rng.random_range(0.0..WIDTH as f32), rng.random_range(0.0..HEIGHT as f32));
    let (rx, ry) = (rng.random_range(4.0..22.0f32), rng.random_range(4.0..22.0f32));
    let strength = rng.random_range(0.1..0.7f32);
    for (i, pixel) in picture.iter_mut().enumerate() {
        let (u, v) = (((i % WIDTH) as f32 - x) / rx, ((i / WIDTH) as f32 - y) / ry);
        let veil = strength * (-(u * u + v * v) / 2.0).exp();
        *pixel = pixel.map(|c| (c + veil).min(1.0));
    }
}

/// The reflection of a lamp on the whole card or a part of it, after white balance: the paper stays
/// as it is, and the ink pales, most in the lamp's own colour.
fn wash(picture: &mut Picture, rng: &mut Pcg64) {
    const STOCK: f32 = 0.9;
    let (x, y) = (rng.random_range(0.0..WIDTH as f32), rng.random_range(0.0..HEIGHT as f32));
    let (rx, ry) = (rng.random_range(10.0..80.0f32), rng.random_range(10.0..60.0f32));
    let depth = tinted_depth(rng.random_range(0.15..0.8f32), 0.3, rng);
    for (i, pixel) in picture.iter_mut().enumerate() {
        let (u, v) = (((i % WIDTH) as f32 - x) / rx, ((i / WIDTH) as f32 - y) / ry);
        let here = (-(u * u + v * v) / 2.0).exp();
        (0..3).for_each(|c| pixel[c] += (STOCK - pixel[c]).max(0.0) * depth[c] * here);
    }
}

/// A view from farther away: fewer pixels, scaled up again. The board takes nearest neighbours
/// without smoothing.
fn coarsen(picture: &Picture, nearest: bool, rng: &mut Pcg64) -> Picture {
    let wide = if nearest { rng.random_range(56..96) } else { rng.random_range(40..90) };
    let high = wide * HEIGHT / WIDTH;
    let step = (WIDTH as f32 / wide as f32, HEIGHT as f32 / high as f32);
    let mut small = Vec::with_capacity(wide * high);
    for y in 0..high {
        for x in 0..wide {
            // The mean of four points approximates the mean over a small pixel's area.
            let mut sum = [0.0; 3];
            for (du, dv) in [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)] {
                let p =
                    sample(picture, (x as f32 + du) * step.0 - 0.5, (y as f32 + dv) * step.1 - 0.5);
                (0..3).for_each(|i| sum[i] += p[i] / 4.0);
            }
            small.push(sum);
        }
    }
    let (du, dv) = (rng.random_range(0.0..1.0f32), rng.random_range(0.0..1.0f32));
    let mut out = Vec::with_capacity(PIXELS);
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            if nearest {
                let u = ((x as f32 + du) / step.0) as usize;
                let v = ((y as f32 + dv) / step.1) as usize;
                out.push(small[v.min(high - 1) * wide + u.min(wide - 1)]);
            } else {
                let u = ((x as f32 + 0.5) / step.0 - 0.5).clamp(0.0, wide as f32 - 1.001);
                let v = ((y as f32 + 0.5) / step.1 - 0.5).clamp(0.0, high as f32 - 1.001);
                let (left, top) = (u as usize, v as usize);
                let (u, v) = (u - left as f32, v - top as f32);
                let at = top * wide + left;
                let (a, b) = (small[at], small[at + 1]);
                let (c, d) = (small[at + wide], small[at + wide + 1]);
                out.push([0, 1, 2].map(|i| {
                    (a[i] + (b[i] - a[i]) * u) * (1.0 - v) + (c[i] + (d[i] - c[i]) * u) * v
                }));
            }
        }
    }
    out
}

/// A Gaussian blur with five taps on each side.
fn blur(picture: &Picture, sigma: f32) -> Picture {
    let taps: Vec<f32> =
        (-2i32..=2).map(|d| (-(d * d) as f32 / (2.0 * sigma * sigma)).exp()).collect();
    let across = filtered(picture, &taps, &|i, d| {
        let x = (i % WIDTH) as i32 + d;
        i / WIDTH * WIDTH + x.clamp(0, WIDTH as i32 - 1) as usize
    });
    filtered(&across, &taps, &|i, d| {
        let y = (i / WIDTH) as i32 + d;
        y.clamp(0, HEIGHT as i32 - 1) as usize * WIDTH + i % WIDTH
    })
}

/// A picture filtered along one axis; `at` is the place of a tap of a pixel.
fn filtered(from: &Picture, taps: &[f32], at: &dyn Fn(usize, i32) -> usize) -> Picture {
    let sum: f32 = taps.iter().sum();
    (0..PIXELS)
        .map(|i| {
            let mut out = [0.0; 3];
            for (k, tap) in taps.iter().enumerate() {
                let p = from[at(i, k as i32 - 2)];
                (0..3).for_each(|c| out[c] += p[c] * tap / sum);
            }
            out
        })
        .collect()
}

/// Brightness, contrast and gamma: a different exposure and tone curve.
fn tone(picture: &mut Picture, rng: &mut Pcg64) {
    let gamma = rng.random_range(-0.3..0.3f32).exp();
    // White balance puts the stock at 0.9. At 1, pale stripes would clip and vanish.
    let gain = rng.random_range(-0.12..0.03f32).exp();
    let lift = rng.random_range(-0.03..0.05f32);
    for pixel in picture {
        *pixel = pixel.map(|v| {
            ((v.clamp(0.0, 1.0).powf(gamma) * gain) * (1.0 - lift) + lift).clamp(0.0, 1.0)
        });
    }
}

/// An error of white balance, a change of saturation and a small shift of hue.
fn tint(picture: &mut Picture, rng: &mut Pcg64) {
    let gain: [f32; 3] = std::array::from_fn(|_| rng.random_range(-0.06..0.04f32).exp());
    let colorful = rng.random_range(0.7..1.3f32);
    let (sin, cos) = rng.random_range(-0.08..0.08f32).sin_cos();
    for pixel in picture {
        let [r, g, b] = *pixel;
        let grey = (r + 2.0 * g + b) / 4.0;
        // Two chroma axes of equal length at right angles.
        let (u, v) = ((r - b) * 0.5 * colorful, (g - grey) * 0.866 * 2.0 * colorful);
        let (u, v) = (u * cos - v * sin, u * sin + v * cos);
        let g = grey + v / (0.866 * 2.0);
        let both = 2.0 * (2.0 * grey - g);
        let (r, b) = (both / 2.0 + u, both / 2.0 - u);
        *pixel = [r * gain[0], g * gain[1], b * gain[2]].map(|v| v.clamp(0.0, 1.0));
    }
}

/// Sensor noise, half of it shared by all three channels.
fn noise(picture: &mut Picture, rng: &mut Pcg64) {
    let strength = rng.random_range(0.0..0.05f32);
    for pixel in picture {
        let mut near = || rng.random::<f32>() + rng.random::<f32>() - 1.0;
        let all = near();
        *pixel = pixel.map(|v| (v + strength * (all + near())).clamp(0.0, 1.0));
    }
}

fn through_jpeg(bytes: Vec<u8>, quality: u8) -> Vec<u8> {
    let file = encode::jpeg_of(&bytes, (WIDTH as u32, HEIGHT as u32), quality);
    let decoded =
        file.and_then(|file| image::load_from_memory_with_format(&file, image::ImageFormat::Jpeg));
    decoded.map_or(bytes, |image| image.into_rgb8().into_raw())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn copies_differ_repeat_and_stay_what_they_are() {
        // White with a red bar in the middle of the right half.
        let crop: Vec<u8> = (0..PIXELS)
            .flat_map(|i| {
                let bar = (60..76).contains(&(i % WIDTH)) && (12..52).contains(&(i / WIDTH));
                if bar { [200, 40, 40] } else { [230, 230, 230] }
            })
            .collect();
        let mut results = std::collections::BTreeSet::new();
        let mut turned = 0;
        for seed in 0..200 {
            let once = augment(&crop, false, &mut Pcg64::seed_from_u64(seed));
            assert_eq!(once, augment(&crop, false, &mut Pcg64::seed_from_u64(seed)));
            assert_eq!(once.len(), BYTES);
            let [left, right] = [28, 68].map(|x| {
                let p = &once[3 * (32 * WIDTH + x)..][..3];
                i32::from(p[0]) - i32::from(p[1])
            });
            turned += u32::from(left > right);
            results.insert(once);
        }
        // A few of the copies are only rotated.
        assert!(results.len() > 190, "{}", results.len());
        assert!((60..140).contains(&turned), "{turned}");
    }

    #[test]
    fn colour_without_change_is_kept() {
        // Inverts the two axes of `tint` exactly.
        let (r, g, b) = (0.8f32, 0.3, 0.4);
        let grey = (r + 2.0 * g + b) / 4.0;
        let (u, v) = ((r - b) * 0.5, (g - grey) * 0.866 * 2.0);
        let back = grey + v / (0.866 * 2.0);
        let both = 2.0 * (2.0 * grey - back);
        assert!((back - g).abs() < 1e-6 && (both / 2.0 + u - r).abs() < 1e-6);
        let mut pixel = [255, 255, 255];
        pack_pixel(&mut pixel);
        assert_eq!(pixel, [255; 3]);
    }
}
