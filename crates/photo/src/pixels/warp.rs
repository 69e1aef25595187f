use super::{MOST_IN_A_BLOCK, View, block_means};
use crate::geometry::{Homography, Point, Quad};
use image::RgbImage;
use nalgebra::Matrix3;

/// What a warped picture shows of places outside the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// The nearest pixel of the border.
    Border,
    /// This colour, R, G, B.
    Color([u8; 3]),
}

/// Places are rounded to so many parts of a pixel.
const PARTS: u32 = 32;
const PARTS_BITS: u32 = PARTS.trailing_zeros();
/// Adding this to a double rounds it to the nearest whole number (halves to the even one), which its
/// low bits then hold.
const ROUNDER: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52

/// A picture of `size_px` columns and rows, each pixel taken from its place in `view` by bilinear
/// interpolation. `view_from_warped` maps places in the new picture, in pixels, to places in `view`;
/// the centre of the first pixel is (0.5, 0.5). Places are rounded to 1/32 of a pixel, and the
/// weighted mean of four pixels to the nearest whole number, halves up.
pub fn warped(
    view: View<'_>,
    view_from_warped: &Homography,
    size_px: (u32, u32),
    outside: Outside,
) -> RgbImage {
    let mut image = RgbImage::new(size_px.0, size_px.1);
    if size_px.0 > 0 {
        // From centres of pixels, counted from 0, to such centres, in parts of a pixel.
        let parts = f64::from(PARTS);
        let centers = Matrix3::new(1.0, 0.0, 0.5, 0.0, 1.0, 0.5, 0.0, 0.0, 1.0);
        let back = Matrix3::new(parts, 0.0, -parts / 2.0, 0.0, parts, -parts / 2.0, 0.0, 0.0, 1.0);
        let map = back * view_from_warped.0 * centers;
        let width = size_px.0 as usize;
        pulp::Arch::new().dispatch(Warp { view, map, width, outside, pixels: &mut image });
    }
    image
}

struct Warp<'a> {
    view: View<'a>,
    map: Matrix3<f64>,
    width: usize,
    outside: Outside,
    pixels: &'a mut [u8],
}

impl pulp::WithSimd for Warp<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self { view, map, width, outside, pixels } = self;
        let (right, bottom) = (PARTS * (view.width as u32 - 1), PARTS * (view.height as u32 - 1));
        let mut places = Places::new(width);
        for (y, line) in pixels.chunks_exact_mut(3 * width).enumerate() {
            let y = y as f64;
            let row = [0, 1, 2].map(|i| map[(i, 1)] * y + map[(i, 2)]);
            for (x, (px, py)) in places.xs.iter_mut().zip(&mut places.ys).enumerate() {
                let x = x as f64;
                let depth = map[(2, 0)] * x + row[2];
                *px = within((map[(0, 0)] * x + row[0]) / depth, right);
                *py = within((map[(1, 0)] * x + row[1]) / depth, bottom);
            }
            places.mix(view, line);
            if let Outside::Color(color) = outside {
                for (x, pixel) in line.chunks_exact_mut(3).enumerate() {
                    let x = x as f64;
                    let depth = map[(2, 0)] * x + row[2];
                    let at = [0, 1].map(|i| (map[(i, 0)] * x + row[i]) / depth);
                    let half = f64::from(PARTS) / 2.0;
                    let holds = |v: f64, last: u32| v >= -half && v <= f64::from(last) + half;
                    if !holds(at[0], right) || !holds(at[1], bottom) {
                        pixel.copy_from_slice(&color);
                    }
                }
            }
        }
    }
}

/// A place in parts of a pixel, rounded and moved to the nearest from 0 to `last`; 0 for what is no
/// number.
#[inline(always)]
fn within(place: f64, last: u32) -> u32 {
    let place = if place > 0.0 { place } else { 0.0 };
    let last = f64::from(last);
    let place = if place < last { place } else { last };
    (place + ROUNDER).to_bits() as u32
}

/// The places of a row of pixels, in parts of a pixel, and the four pixels around each.
struct Places {
    xs: Vec<u32>,
    ys: Vec<u32>,
    /// Upper left, upper right, lower left, lower right; each as R, G, B and any byte.
    around: [Vec<u32>; 4],
}

impl Places {
    fn new(width: usize) -> Self {
        let around = [0; 4].map(|_: u8| vec![0; width]);
        Self { xs: vec![0; width], ys: vec![0; width], around }
    }

    /// The means of the four pixels around each place, weighted by how near they are. First all are
    /// fetched, so that the sums, for which vector instructions exist, stand alone.
    #[inline(always)]
    fn mix(&mut self, view: View<'_>, line: &mut [u8]) {
        let Self { xs, ys, around: [a, b, c, d] } = self;
        let down = 3 * view.width;
        let pixels = a.iter_mut().zip(b.iter_mut()).zip(c.iter_mut().zip(d.iter_mut()));
        for ((&x, &y), ((a, b), (c, d))) in xs.iter().zip(ys.iter()).zip(pixels) {
            let at = down * (y >> PARTS_BITS) as usize + 3 * (x >> PARTS_BITS) as usize;
            // Below the last row there is nothing to fetch. What is fetched beyond the last column has no
            // weight.
            let down = if y % PARTS == 0 { 0 } else { down };
            (*a, *b) = fetch_two(view.rgb, at);
            (*c, *d) = fetch_two(view.rgb, at + down);
        }
        let pixels = a.iter_mut().zip(b.iter()).zip(c.iter().zip(d.iter()));
        for ((&x, &y), ((a, &b), (&c, &d))) in xs.iter().zip(ys.iter()).zip(pixels) {
            let (u, v) = (x % PARTS, y % PARTS);
            let (left, upper) = (PARTS - u, PARTS - v);
            let weights = [left * upper, u * upper, left * v, u * v];
            let pixels = [*a, b, c, d];
            *a = mean(pixels, weights, 0) | mean(pixels, weights, 8) | mean(pixels, weights, 16);
        }
        for (pixel, a) in line.as_chunks_mut::<3>().0.iter_mut().zip(a.iter()) {
            let [r, g, b, _] = a.to_le_bytes();
            *pixel = [r, g, b];
        }
    }
}

/// The weighted mean of four pixels in the channel at a shift, at that shift.
#[inline(always)]
fn mean([a, b, c, d]: [u32; 4], weights: [u32; 4], shift: u32) -> u32 {
    let channel = |pixel: u32| (pixel >> shift) & 255;
    let sum = channel(a) * weights[0]
        + channel(b) * weights[1]
        + channel(c) * weights[2]
        + channel(d) * weights[3];
    ((sum + PARTS * PARTS / 2) >> (2 * PARTS_BITS)) << shift
}

/// A pixel and the next, each as three bytes and any fourth, the first lowest. Behind the last pixel
/// there is black.
#[inline(always)]
fn fetch_two(rgb: &[u8], at: usize) -> (u32, u32) {
    let bytes = match rgb[at..].first_chunk() {
        Some(bytes) => *bytes,
        None => std::array::from_fn(|i| rgb.get(at + i).copied().unwrap_or_default()),
    };
    let both = u64::from_le_bytes(bytes);
    (both as u32, (both >> 24) as u32)
}

/// Warps a quad of a photo (R, G, B row by row, of `photo_px` columns and rows) to a picture of
/// `size_px`, with its first edge on top. If the quad is more than twice as large, whole blocks of
/// pixels around it are averaged first. `None` if three corners are collinear or no pixel is near.
pub fn straightened(
    rgb: &[u8],
    photo_px: (u32, u32),
    quad: &Quad,
    size_px: (u32, u32),
) -> Option<RgbImage> {
    let view = View::new(rgb, photo_px)?;
    if !quad.0.iter().all(|p| p.x.is_finite() && p.y.is_finite()) {
        return None;
    }
    let (left, right) = pixels_around(quad.0.map(|p| p.x), photo_px.0)?;
    let (top, bottom) = pixels_around(quad.0.map(|p| p.y), photo_px.1)?;
    let by = (quad.long_side() / f64::from(size_px.0)) as usize;
    let by = by.clamp(1, MOST_IN_A_BLOCK);
    if by == 1 {
        return warped_quad(view, quad, size_px);
    }
    let size = ((right - left).div_ceil(by), (bottom - top).div_ceil(by));
    let small = block_means(view, (left, top), size, by);
    let first = Point::new(left as f64, top as f64);
    let quad = Quad::new(quad.0.map(|p| (p - first) / by as f64));
    warped_quad(View::from_image(&small)?, &quad, size_px)
}

/// The pixels around corners on one axis: the first, and the one behind the last.
fn pixels_around(corners: [f64; 4], limit: u32) -> Option<(usize, usize)> {
    let low = (corners.into_iter().fold(f64::MAX, f64::min).floor() - 2.0).max(0.0);
    let high = (corners.into_iter().fold(f64::MIN, f64::max).ceil() + 2.0).min(f64::from(limit));
    (high > low).then_some((low as usize, high as usize))
}

/// Warps a quad of a picture to one of `size_px`.
fn warped_quad(view: View<'_>, quad: &Quad, size_px: (u32, u32)) -> Option<RgbImage> {
    let card = Quad::rectangle(f64::from(size_px.0), f64::from(size_px.1));
    let view_from_card = Homography::between(&card, quad)?;
    Some(warped(view, &view_from_card, size_px, Outside::Border))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Point, Quad};
    use proptest::prelude::*;

    fn noise(width: u32, height: u32, seed: u32) -> RgbImage {
        let mut state = seed;
        RgbImage::from_fn(width, height, |_, _| {
            image::Rgb([0; 3].map(|_: u8| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            }))
        })
    }

    /// The same, pixel by pixel, in exact shares of the four pixels.
    fn plain(image: &RgbImage, map: &Homography, size: (u32, u32), outside: Outside) -> RgbImage {
        let (width, height) = (image.width() as i64, image.height() as i64);
        RgbImage::from_fn(size.0, size.1, |x, y| {
            let p = map.apply(Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5));
            match outside {
                Outside::Color(color)
                    if !(0.0..=width as f64).contains(&p.x)
                        || !(0.0..=height as f64).contains(&p.y) =>
                {
                    return image::Rgb(color);
                }
                _ => {}
            }
            let (x, y) = [p.x, p.y].map(|v| (32.0 * (v - 0.5)).round_ties_even() as i64).into();
            let mut sum = [0i64; 3];
            for (i, j) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let [across, down] = [(x, i), (y, j)].map(|(v, next): (i64, i64)| {
                    if next == 1 { v.rem_euclid(32) } else { 32 - v.rem_euclid(32) }
                });
                let weight = across * down;
                let near =
                    |v: i64, next: i64, most: i64| (v.div_euclid(32) + next).clamp(0, most - 1);
                let pixel = image.get_pixel(near(x, i, width) as u32, near(y, j, height) as u32).0;
                (0..3).for_each(|c| sum[c] += weight * i64::from(pixel[c]));
            }
            image::Rgb(sum.map(|sum| ((sum + 512) / 1024) as u8))
        })
    }

    /// One corner in each of four boxes that lie apart by half their size, turned by any angle: always
    /// convex, and as often beyond the picture's border as within.
    fn convex_quad() -> impl Strategy<Value = Quad> {
        (prop::array::uniform8(0.0..1.0f64), 0.0..std::f64::consts::TAU).prop_map(|(j, angle)| {
            let (sin, cos) = angle.sin_cos();
            let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
            Quad::new([0, 1, 2, 3].map(|i| {
                let (x, y) = (
                    30.0 * corners[i].0 - 15.0 + 14.0 * (j[2 * i] - 0.5),
                    24.0 * corners[i].1 - 12.0 + 11.0 * (j[2 * i + 1] - 0.5),
                );
                Point::new(20.0 + cos * x - sin * y, 15.0 + sin * x + cos * y)
            }))
        })
    }

    proptest! {
        /// A place within a billionth of half a part may be rounded either way, so few pixels may
        /// differ, by one part of a pixel.
        #[test]
        fn pixels_are_mixed_as_by_hand(
            (width, height) in (1u32..40, 1u32..30),
            quad in convex_quad(),
            size in (1u32..50, 1u32..40),
            colored: bool,
            seed: u32,
        ) {
            let image = noise(width, height, seed);
            let target = Quad::rectangle(f64::from(size.0), f64::from(size.1));
            let map = Homography::between(&target, &quad).unwrap();
            let outside = if colored { Outside::Color([1, 2, 3]) } else { Outside::Border };
            let fast = warped(View::from_image(&image).unwrap(), &map, size, outside);
            let slow = plain(&image, &map, size, outside);
            let differ = fast.pixels().zip(slow.pixels()).filter(|(a, b)| a != b).count();
            prop_assert!(differ <= 1, "{differ} of {size:?}");
        }
    }

    #[test]
    fn nothing_is_read_where_no_place_is() {
        let image = noise(3, 2, 1);
        let nowhere = Homography(Matrix3::from_element(f64::NAN));
        let far = Homography(Matrix3::new(1e300, 0.0, 1e300, 0.0, -1e300, 0.0, 0.0, 0.0, 1.0));
        for map in [nowhere, far, Homography(Matrix3::zeros())] {
            let view = View::from_image(&image).unwrap();
            assert_eq!(warped(view, &map, (5, 4), Outside::Border).dimensions(), (5, 4));
            let colored = warped(view, &map, (5, 4), Outside::Color([9; 3]));
            assert!(colored.pixels().filter(|pixel| pixel.0 == [9; 3]).count() >= 15);
        }
        assert_eq!(
            warped(View::from_image(&image).unwrap(), &nowhere, (0, 4), Outside::Border)
                .dimensions(),
            (0, 4)
        );
    }

    #[test]
    fn the_identity_changes_nothing() {
        let image = noise(37, 21, 7);
        let identity = Homography(Matrix3::identity());
        let same = warped(View::from_image(&image).unwrap(), &identity, (37, 21), Outside::Border);
        assert_eq!(same, image);
    }
}
