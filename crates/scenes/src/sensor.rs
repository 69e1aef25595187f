//! Effects of lens and sensor: vignette, blur, noise, tone, sharpening.

use super::params::Params;
use image::RgbImage;
use setsight_photo::print::color::srgb_from_linear;
use setsight_photo::print::dice::{Dice, mix};

/// Linear light of a picture, row by row: R, G, B and the surface's gloss (which a lens ignores).
pub(super) type Light4 = Vec<[f32; 4]>;

/// Turns light into an 8-bit sRGB picture. `long_px` is a card's long side in the picture.
pub(super) fn expose(
    mut light: Light4,
    params: &Params,
    long_px: f64,
    dice: &mut Dice,
    pixel_seed: u64,
) -> RgbImage {
    let (width, height) = (params.size_px.0 as usize, params.size_px.1 as usize);
    let exposure = dice.within(params.exposure) as f32;
    let vignette = dice.within(params.vignette) as f32;
    // The lens is never sharper than a third of a pixel.
    let optics = dice.between(0.33, 0.6);
    let sigma = optics.hypot(dice.within(params.defocus) * long_px) as f32;
    let shake = dice.within(params.motion) * long_px;
    let shake_angle = dice.between(0.0, std::f64::consts::TAU);
    let noise = dice.within(params.noise) as f32;
    let grain = dice.between(0.1, 0.4) as f32;
    let saturation = dice.within(params.saturation) as f32;
    let contrast = dice.between(-0.1, 0.5);
    let sharpen = dice.within(params.sharpen) as f32;
    let mosaic = dice.chance(params.mosaic);
    let haze = dice.within(params.haze) as f32;
    let chroma_px = dice.within(params.chroma_px) as f32;

    let radius2 = (width * width + height * height) as f32 / 4.0;
    for (y, row) in light.chunks_exact_mut(width).enumerate() {
        let dy = y as f32 + 0.5 - height as f32 / 2.0;
        for (x, pixel) in row.iter_mut().enumerate() {
            let dx = x as f32 + 0.5 - width as f32 / 2.0;
            let gain = exposure * (1.0 - vignette * (dx * dx + dy * dy) / radius2);
            // Highlights are blurred before they clip, but limited so that they do not spread
            // without bound.
            *pixel = pixel.map(|v| (v * gain + haze).min(4.0));
        }
    }
    if shake >= 0.7 {
        light = smear(&light, width, shake, shake_angle);
    }
    light = gaussian(&light, width, sigma);

    add_noise(&mut light, noise, grain, pixel_seed);
    if mosaic {
        light = through_mosaic(&light, width);
    }
    let tone = tone_table(contrast);
    for pixel in &mut light {
        let luma = 0.2126 * pixel[0] + 0.7152 * pixel[1] + 0.0722 * pixel[2];
        for value in &mut pixel[..3] {
            *value = toned(&tone, luma + (*value - luma) * saturation);
        }
    }
    let blurred = (sharpen > 0.02).then(|| gaussian(&light, width, 1.1));
    if let Some(blurred) = &blurred {
        for (pixel, blurred) in light.iter_mut().zip(blurred) {
            for c in 0..3 {
                pixel[c] += sharpen * (pixel[c] - blurred[c]);
            }
        }
    }
    if chroma_px > 0.1 {
        light = with_blurred_chroma(light, width, chroma_px);
    }
    rounded(&light, params.size_px)
}

/// Noise of the photons, and `grain` of the sensor.
fn add_noise(light: &mut Light4, noise: f32, grain: f32, pixel_seed: u64) {
    let mut key = pixel_seed;
    for pixel in light {
        key = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = mix(key);
        for (c, value) in pixel[..3].iter_mut().enumerate() {
            // The sum of three uniform 7-bit numbers is close enough to normal: mean 190.5,
            // standard deviation 64.
            let part = (bits >> (21 * c)) as u32;
            let sum = (part & 127) + (part >> 7 & 127) + (part >> 14 & 127);
            let normal = (sum as f32 - 190.5) / 64.0;
            // Photon noise grows with the root of the light; `grain` is the remaining noise in the
            // dark.
            let deviation = noise * (value.max(0.0) * (1.0 - grain) + grain * 0.25).sqrt();
            *value += deviation * normal;
        }
    }
}

fn rounded(light: &[[f32; 4]], (width, height): (u32, u32)) -> RgbImage {
    let mut image = RgbImage::new(width, height);
    for (out, [r, g, b, _]) in image.pixels_mut().zip(light) {
        out.0 = [r, g, b].map(|v| (v + 0.5).clamp(0.0, 255.0) as u8);
    }
    image
}

/// The picture as a file keeps it whose chroma has fewer pixels than its luma; `sigma` in pixels.
pub(super) fn halved_chroma(image: &RgbImage, sigma: f32) -> RgbImage {
    let values = image.pixels().map(|p| [p[0], p[1], p[2], 0].map(f32::from)).collect();
    rounded(&with_blurred_chroma(values, image.width() as usize, sigma), image.dimensions())
}

/// Blurs the chroma of sRGB values (0 to 255) and keeps their luma.
fn with_blurred_chroma(light: Light4, width: usize, sigma: f32) -> Light4 {
    /// Weights of R, G and B in luma by ITU-R BT.601, as in JPEG.
    const LUMA: [f32; 3] = [0.299, 0.587, 0.114];
    let sharp: Light4 = light
        .iter()
        .map(|pixel| {
            let [r, g, b] = [0, 1, 2].map(|c| pixel[c].clamp(0.0, 255.0));
            let luma = LUMA[0] * r + LUMA[1] * g + LUMA[2] * b;
            [r - luma, b - luma, luma, 0.0]
        })
        .collect();
    let blurred = gaussian(&sharp, width, sigma);
    let joined = sharp.iter().zip(blurred).map(|([_, _, luma, _], [red, blue, _, _])| {
        let green = -(LUMA[0] * red + LUMA[2] * blue) / LUMA[1];
        [luma + red, luma + green, luma + blue, 0.0]
    });
    joined.collect()
}

/// Entries of [`tone_table`] for linear light 0 to 1.
const TONES: usize = 4096;

/// sRGB (0 to 255) of linear light, with an S-shaped contrast curve.
fn tone_table(contrast: f64) -> Vec<f32> {
    (0..=TONES + 1)
        .map(|i| {
            let v = srgb_from_linear(i as f64 / TONES as f64).min(1.0);
            (255.0 * (v + contrast * v * (1.0 - v) * (2.0 * v - 1.0))) as f32
        })
        .collect()
}

fn toned(table: &[f32], linear: f32) -> f32 {
    let at = linear.clamp(0.0, 1.0) * TONES as f32;
    let i = at as usize;
    table[i] + (table[i + 1] - table[i]) * (at - i as f32)
}

/// The mean of a channel of some of a pixel's neighbours.
fn mean_near(
    light: &[[f32; 4]],
    width: usize,
    (x, y): (usize, usize),
    offsets: &[(i32, i32)],
    c: usize,
) -> f32 {
    let height = light.len() / width;
    let near = offsets
        .iter()
        .map(|&(dx, dy)| light[mirrored(y, dy, height) * width + mirrored(x, dx, width)][c]);
    near.sum::<f32>() / offsets.len() as f32
}

/// Simulates a Bayer mosaic (red, green; green, blue) and bilinear demosaicing, which gives fine
/// stripes false colours.
fn through_mosaic(light: &[[f32; 4]], width: usize) -> Light4 {
    const SIDES: [(i32, i32); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];
    const DIAGONALS: [(i32, i32); 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];
    let mut out = Vec::with_capacity(light.len());
    for (i, pixel) in light.iter().enumerate() {
        let (x, y) = (i % width, i / width);
        let mean = |offsets: &[(i32, i32)], c| mean_near(light, width, (x, y), offsets, c);
        let (row, column) = (&SIDES[..2], &SIDES[2..]);
        let [r, g, b] = match (x % 2, y % 2) {
            (0, 0) => [pixel[0], mean(&SIDES, 1), mean(&DIAGONALS, 2)],
            (1, 0) => [mean(row, 0), pixel[1], mean(column, 2)],
            (0, _) => [mean(column, 0), pixel[1], mean(row, 2)],
            _ => [mean(&DIAGONALS, 0), mean(&SIDES, 1), pixel[2]],
        };
        out.push([r, g, b, pixel[3]]);
    }
    out
}

/// A shifted coordinate. At the border the mosaic is mirrored about the last pixel, which keeps its phase.
fn mirrored(v: usize, d: i32, limit: usize) -> usize {
    match v.checked_add_signed(d as isize) {
        Some(v) if v < limit => v,
        Some(_) => v - 1,
        None => v + 1,
    }
}

/// Gaussian blur; the border is repeated outside.
fn gaussian(light: &[[f32; 4]], width: usize, sigma: f32) -> Light4 {
    let reach = (2.8 * sigma).ceil().max(1.0) as usize;
    let mut kernel: Vec<f32> =
        (0..=reach).map(|i| (-0.5 * (i as f32 / sigma).powi(2)).exp()).collect();
    let total = kernel[0] + 2.0 * kernel[1..].iter().sum::<f32>();
    kernel.iter_mut().for_each(|k| *k /= total);
    let height = light.len() / width;
    let mut across = vec![[0f32; 4]; light.len()];
    let mut padded = vec![[0f32; 4]; width + 2 * reach];
    for (row, out) in light.chunks_exact(width).zip(across.chunks_exact_mut(width)) {
        padded[..reach].fill(row[0]);
        padded[reach..reach + width].copy_from_slice(row);
        padded[reach + width..].fill(row[width - 1]);
        add_scaled(out, &padded[reach..reach + width], kernel[0]);
        for (i, &k) in kernel.iter().enumerate().skip(1) {
            add_scaled(out, &padded[reach - i..reach - i + width], k);
            add_scaled(out, &padded[reach + i..reach + i + width], k);
        }
    }
    let mut result = vec![[0f32; 4]; light.len()];
    for (y, out) in result.chunks_exact_mut(width).enumerate() {
        let row = |y: usize| &across[y * width..(y + 1) * width];
        add_scaled(out, row(y), kernel[0]);
        for (i, &k) in kernel.iter().enumerate().skip(1) {
            add_scaled(out, row(y.saturating_sub(i)), k);
            add_scaled(out, row((y + i).min(height - 1)), k);
        }
    }
    result
}

fn add_scaled(out: &mut [[f32; 4]], add: &[[f32; 4]], factor: f32) {
    for (out, add) in out.as_flattened_mut().iter_mut().zip(add.as_flattened()) {
        *out += add * factor;
    }
}

/// Uniform motion blur along a line of `length` pixels.
fn smear(light: &[[f32; 4]], width: usize, length: f64, angle: f64) -> Light4 {
    let height = light.len() / width;
    // The line as shifts by whole pixels, each point split between its four neighbours.
    let steps = (2.0 * length).ceil() as i32;
    let reach = (length / 2.0).ceil() as i32 + 1;
    let side = (2 * reach + 1) as usize;
    let mut kernel = vec![0f64; side * side];
    for step in 0..=steps {
        let along = (f64::from(step) / f64::from(steps) - 0.5) * length;
        let (x, y) = (along * angle.cos(), along * angle.sin());
        let (i, j) = (x.floor(), y.floor());
        let (u, v) = (x - i, y - j);
        let at = |di: i32, dj: i32| {
            ((j as i32 + dj + reach) as usize) * side + (i as i32 + di + reach) as usize
        };
        let share = 1.0 / f64::from(steps + 1);
        kernel[at(0, 0)] += share * (1.0 - u) * (1.0 - v);
        kernel[at(1, 0)] += share * u * (1.0 - v);
        kernel[at(0, 1)] += share * (1.0 - u) * v;
        kernel[at(1, 1)] += share * u * v;
    }
    let mut result = vec![[0f32; 4]; light.len()];
    let mut padded = vec![[0f32; 4]; width + 2 * reach as usize];
    let reach = reach as usize;
    for source_y in 0..height {
        let row = &light[source_y * width..(source_y + 1) * width];
        padded[..reach].fill(row[0]);
        padded[reach..reach + width].copy_from_slice(row);
        padded[reach + width..].fill(row[width - 1]);
        for j in 0..side {
            // Rows beyond the border repeat the first and the last.
            let first = source_y as i64 - (j as i64 - reach as i64);
            let targets = match source_y {
                0 if height > 1 => 0..=first,
                y if y + 1 == height => first..=height as i64 - 1,
                _ => first..=first,
            };
            for target in targets.filter(|t| (0..height as i64).contains(t)) {
                let target = target as usize;
                let out = &mut result[target * width..(target + 1) * width];
                for i in 0..side {
                    let k = kernel[j * side + i];
                    if k > 0.0 {
                        add_scaled(out, &padded[i..i + width], k as f32);
                    }
                }
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spike(width: usize, height: usize, x: usize, y: usize) -> Light4 {
        let mut light = vec![[0.0; 4]; width * height];
        light[y * width + x] = [1.0, 2.0, 0.5, 0.0];
        light
    }

    #[test]
    fn blurs_keep_the_light_and_even_pictures() {
        for blurred in
            [gaussian(&spike(31, 25, 15, 12), 31, 1.7), smear(&spike(31, 25, 15, 12), 31, 6.3, 0.7)]
        {
            let sum: f32 = blurred.iter().map(|p| p[1]).sum();
            assert!((sum - 2.0).abs() < 1e-3, "{sum}");
            assert!(blurred[12 * 31 + 15][1] < 0.7);
        }
        let even = vec![[0.4, 0.5, 0.6, 0.0]; 20 * 15];
        for blurred in [gaussian(&even, 20, 2.0), smear(&even, 20, 5.0, 1.1)] {
            for p in blurred {
                assert!((p[0] - 0.4).abs() < 1e-4 && (p[2] - 0.6).abs() < 1e-4, "{p:?}");
            }
        }
    }

    #[test]
    fn a_mosaic_keeps_even_light_and_colours_fine_stripes() {
        let even = vec![[0.2, 0.5, 0.7, 0.0]; 9 * 7];
        for p in through_mosaic(&even, 9) {
            assert!((p[0] - 0.2).abs() < 1e-6 && (p[1] - 0.5).abs() < 1e-6);
        }
        let striped: Light4 = (0..8 * 8).map(|i| [(i % 2) as f32; 4]).collect();
        let restored = through_mosaic(&striped, 8);
        assert!(restored.iter().any(|p| (p[0] - p[2]).abs() > 0.9), "grey stripes seen in colour");
    }

    #[test]
    fn blurred_chroma_leaves_luma_and_greys_thin_lines() {
        let (white, ink) = ([240.0, 240.0, 240.0, 0.0], [90.0, 40.0, 150.0, 0.0]);
        let line: Light4 = (0..40 * 20).map(|i| if i % 40 == 20 { ink } else { white }).collect();
        let luma = |p: &[f32; 4]| 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2];
        let blurred = with_blurred_chroma(line.clone(), 40, 1.5);
        for (before, after) in line.iter().zip(&blurred) {
            assert!((luma(before) - luma(after)).abs() < 0.1, "{before:?} {after:?}");
        }
        let spread = |p: [f32; 4]| p[2] - p[1];
        let on_line = blurred[10 * 40 + 20];
        assert!(spread(on_line) > 5.0 && spread(on_line) < 0.4 * spread(ink), "{on_line:?}");
    }

    #[test]
    fn tones_rise() {
        for contrast in [-0.1, 0.5] {
            let table = tone_table(contrast);
            let tones: Vec<f32> = (0..=500).map(|i| toned(&table, i as f32 / 500.0)).collect();
            assert!(tones.windows(2).all(|w| w[0] < w[1]));
            assert!(tones[0] == 0.0 && (tones[500] - 255.0).abs() < 1e-2);
        }
    }
}
