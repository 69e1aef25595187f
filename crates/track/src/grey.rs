//! The tracker's input: a small grey picture of each frame, at three sizes.

use setsight_photo::{
    Frame,
    geometry::{Homography, Point, Quad},
    numeric::median,
    pixels::{View, block_means, luma},
};

/// Largest long side of the largest grey picture, in pixels.
const LONG_SIDE_PX: u32 = 640;

/// One grey picture: 8 bits, row by row.
#[derive(Clone, Debug, Default)]
pub struct Plane {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Grey levels, 0 to 255.
    pub pixels: Vec<u8>,
}

impl Plane {
    /// Bilinear interpolation at a point in pixels of this plane (pixel centres at .5); the border
    /// is repeated.
    #[inline]
    pub fn at(&self, p: Point) -> f32 {
        let x = (p.x - 0.5).clamp(0.0, self.width as f64 - 1.001) as f32;
        let y = (p.y - 0.5).clamp(0.0, self.height as f64 - 1.001) as f32;
        let (i, j) = (x as usize, y as usize);
        let (u, v) = (x - i as f32, y - j as f32);
        let k = j * self.width + i;
        let [upper, lower] = [k, k + self.width].map(|k| {
            let (a, b) = (f32::from(self.pixels[k]), f32::from(self.pixels[k + 1]));
            a + (b - a) * u
        });
        upper + (lower - upper) * v
    }

    /// The darkest and the brightest of the nine pixels around a point of the plane: the possible
    /// values there after a shift of less than a pixel. Between two pixels, an edge can have any
    /// value.
    fn range_around(&self, p: Point) -> (f32, f32) {
        let (x, y) = (p.x.max(0.0) as usize, p.y.max(0.0) as usize);
        let (mut least, mut most) = (u8::MAX, u8::MIN);
        for row in y.saturating_sub(1)..=(y + 1).min(self.height - 1) {
            let line = &self.pixels[row * self.width..][..self.width];
            for &value in &line[x.saturating_sub(1)..=(x + 1).min(self.width - 1)] {
                least = least.min(value);
                most = most.max(value);
            }
        }
        (f32::from(least), f32::from(most))
    }

    /// Whether a point lies in the plane, at least `margin` pixels from its border.
    pub fn holds(&self, p: Point, margin: f64) -> bool {
        p.x >= margin
            && p.y >= margin
            && p.x <= self.width as f64 - margin
            && p.y <= self.height as f64 - margin
    }

    /// Means over blocks of `step` x `step` pixels.
    fn shrunk(&self, step: usize) -> Self {
        let (width, height) = (self.width / step, self.height / step);
        let mut sums = vec![0u32; width * height];
        for (y, row) in self.pixels.chunks_exact(self.width).take(height * step).enumerate() {
            let line = &mut sums[y / step * width..][..width];
            for (sum, block) in line.iter_mut().zip(row.chunks_exact(step)) {
                *sum += block.iter().map(|&v| u32::from(v)).sum::<u32>();
            }
        }
        let n = (step * step) as u32;
        let pixels = sums.into_iter().map(|sum| ((sum + n / 2) / n) as u8).collect();
        Self { width, height, pixels }
    }
}

/// The grey pictures of one frame.
#[derive(Clone, Debug, Default)]
pub struct Grey {
    /// Pixels of the frame per pixel of [`Self::fine`].
    pub scale: f64,
    /// Width and height of the frame, in pixels.
    pub frame_px: (u32, u32),
    /// For motion; at most 640 pixels long.
    pub fine: Plane,
    /// Half as large: for large motions and for thumbnails.
    pub coarse: Plane,
    /// A quarter as large as `coarse`: for detecting changes.
    pub cells: Plane,
}

/// Ratio of the sizes of `fine` and `coarse`.
const COARSER: usize = 2;
/// Ratio of the sizes of `coarse` and `cells`.
const CELL: usize = 4;

impl Grey {
    /// Of a frame of at least 32 x 32 pixels; what is left of whole blocks at the right and at the
    /// bottom is not shown.
    pub fn new(frame: &Frame) -> Self {
        let scale = frame.width().max(frame.height()).div_ceil(LONG_SIDE_PX).max(1);
        let (width, height) = ((frame.width() / scale) as usize, (frame.height() / scale) as usize);
        let small = View::from_image(frame)
            .filter(|_| scale > 1)
            .map(|view| block_means(view, (0, 0), (width, height), scale as usize));
        let pixels = luma(small.as_ref().unwrap_or(frame));
        let fine = Plane { width, height, pixels };
        let coarse = fine.shrunk(COARSER);
        let cells = coarse.shrunk(CELL);
        let frame_px = frame.dimensions();
        Self { scale: f64::from(scale), frame_px, fine, coarse, cells }
    }

    /// The thumbnail of a card at a quad in pixels of the frame; `None` if too little of it is in
    /// the picture.
    pub fn thumbnail(&self, quad: &Quad) -> Option<Thumbnail> {
        let scale = self.scale * COARSER as f64;
        let small = quad.scaled(1.0 / scale);
        let unit = Quad::rectangle(THUMBNAIL_WIDTH as f64, THUMBNAIL_HEIGHT as f64);
        // Slightly inside the card's border, which varies by a pixel.
        let center = small.center();
        let inner = Quad::new(small.0.map(|p| center.lerp(p, 0.92)));
        let coarse_from_glance = Homography::between(&unit, &inner)?;
        let mut raw = [0.0; THUMBNAIL_WIDTH * THUMBNAIL_HEIGHT];
        // Average four points each, so that no thin outline falls between two points.
        let parts = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)];
        for (i, value) in raw.iter_mut().enumerate() {
            let (x, y) = ((i % THUMBNAIL_WIDTH) as f64, (i / THUMBNAIL_WIDTH) as f64);
            *value = parts
                .into_iter()
                .map(|(u, v)| {
                    let p = coarse_from_glance.apply(Point::new(x + u, y + v));
                    if self.coarse.holds(p, 0.0) { self.coarse.at(p) } else { f32::NAN }
                })
                .sum::<f32>()
                / parts.len() as f32;
        }
        let present = raw.iter().filter(|value| !value.is_nan()).count();
        (present as f64 >= LEAST_KNOWN * raw.len() as f64).then(|| Thumbnail { raw: Box::new(raw) })
    }

    /// Share of the cells that changed since an earlier frame, 0 to 1. `earlier_from_now` is the
    /// picture's motion, in pixels of the frames.
    pub fn changed_since(&self, earlier: &Self, earlier_from_now: &Homography) -> f64 {
        let scale = self.scale * (COARSER * CELL) as f64;
        let (now, before) = (&self.cells, &earlier.cells);
        if now.pixels.is_empty() || before.width != now.width || before.height != now.height {
            return 1.0;
        }
        let mut cells = Vec::with_capacity(now.pixels.len());
        for (i, &value) in now.pixels.iter().enumerate() {
            let at = Point::new((i % now.width) as f64 + 0.5, (i / now.width) as f64 + 0.5);
            let was = earlier_from_now.apply(at * scale) / scale;
            if before.holds(was, 0.5) {
                cells.push((f32::from(value), was));
            }
        }
        // Compensate for a change of exposure.
        let Some(lighter) = median(cells.iter().map(|&(v, was)| v - before.at(was))) else {
            return 1.0;
        };
        cells
            .iter()
            .filter(|&&(value, was)| {
                let (least, most) = before.range_around(was);
                let value = value - lighter;
                (value - value.clamp(least, most)).abs() > CELL_CHANGE
            })
            .count() as f64
            / cells.len() as f64
    }
}

/// Grey levels by which a cell must leave the range of the cells around its place: above sensor
/// noise and the effect of fine print between two cells.
const CELL_CHANGE: f32 = 12.0;

const THUMBNAIL_WIDTH: usize = 24;
const THUMBNAIL_HEIGHT: usize = 16;

/// A small picture of a card: 24 x 16 grey levels, long side horizontal. Pixels outside the frame
/// are missing.
#[derive(Clone, Debug)]
pub struct Thumbnail {
    /// NaN where missing.
    raw: Box<[f32; THUMBNAIL_WIDTH * THUMBNAIL_HEIGHT]>,
}

/// Least share of a card's pixels that must be present.
const LEAST_KNOWN: f64 = 0.6;

impl Thumbnail {
    /// Correlation with another thumbnail, -1 to 1, over the pixels that both have. Uniform changes
    /// of light and contrast, and gradients across the card, do not count. Two uniform pictures
    /// correlate; a uniform one and another do not.
    pub fn correlation(&self, other: &Self) -> f64 {
        let present: Vec<usize> = (0..self.raw.len())
            .filter(|&i| !(self.raw[i].is_nan() || other.raw[i].is_nan()))
            .collect();
        if present.len() < 8 {
            return 1.0; // Too few pixels to contradict it.
        }
        let (a, b) = (self.levelled(&present), other.levelled(&present));
        let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
        for (x, y) in a.iter().zip(&b) {
            ab += x * y;
            aa += x * x;
            bb += y * y;
        }
        // The energy that noise alone leaves in a uniform surface.
        let floor = 1.5 * 1.5 * present.len() as f32;
        f64::from((ab + floor.min(aa.min(bb))) / ((aa.max(floor) * bb.max(floor)).sqrt()))
            .clamp(-1.0, 1.0)
    }

    /// Subtracts the mean and the gradients along and across, which come from the light or a
    /// shadow.
    fn levelled(&self, present: &[usize]) -> Vec<f32> {
        let n = present.len() as f32;
        let at = |i: usize| ((i % THUMBNAIL_WIDTH) as f32, (i / THUMBNAIL_WIDTH) as f32);
        let (sx, sy) =
            present.iter().map(|&i| at(i)).fold((0.0, 0.0), |s, (x, y)| (s.0 + x, s.1 + y));
        let (mx, my) = (sx / n, sy / n);
        let (mut sum, mut along, mut across, mut xx, mut yy) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for &i in present {
            let (x, y) = (at(i).0 - mx, at(i).1 - my);
            let value = self.raw[i];
            sum += value;
            along += x * value;
            across += y * value;
            xx += x * x;
            yy += y * y;
        }
        let (mean, along, across) =
            (sum / n, along / f32::max(xx, 1.0), across / f32::max(yy, 1.0));
        present
            .iter()
            .map(|&i| self.raw[i] - mean - (at(i).0 - mx) * along - (at(i).1 - my) * across)
            .collect()
    }

    /// The part of the thumbnail where a card of `count` symbols, 1 to 3, has them.
    pub fn symbols(&self, count: usize) -> Self {
        let mut part = self.clone();
        // As a share of the card's length: each symbol takes 0.3 of it, including the gaps.
        let half = THUMBNAIL_WIDTH as f32 * 0.15 * count.clamp(1, 3) as f32;
        for (i, value) in part.raw.iter_mut().enumerate() {
            let x = (i % THUMBNAIL_WIDTH) as f32 + 0.5 - THUMBNAIL_WIDTH as f32 / 2.0;
            let y = i / THUMBNAIL_WIDTH;
            if x.abs() > half || !(2..THUMBNAIL_HEIGHT - 2).contains(&y) {
                *value = f32::NAN;
            }
        }
        part
    }

    /// Mean absolute difference, in grey levels.
    pub fn difference(&self, other: &Self) -> f64 {
        let off = self.raw.iter().zip(other.raw.iter()).map(|(a, b)| (a - b).abs());
        let present = off.filter(|off| !off.is_nan());
        let (n, sum) = present.fold((0, 0.0), |(n, sum), off| (n + 1, sum + off));
        f64::from(sum) / f64::from(n.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};

    fn card_at(left: f64, top: f64, ink: u8, light: f32) -> Frame {
        RgbImage::from_fn(640, 360, |x, y| {
            let (u, v) = (f64::from(x) - left, f64::from(y) - top);
            let on_card = (0.0..150.0).contains(&u) && (0.0..100.0).contains(&v);
            let on_ink = (60.0..90.0).contains(&u) && (20.0..80.0).contains(&v);
            let value = if on_ink {
                ink
            } else if on_card {
                230
            } else {
                80
            };
            Rgb([(f32::from(value) * light) as u8; 3])
        })
    }

    fn quad(left: f64, top: f64) -> Quad {
        Quad::new(Quad::rectangle(150.0, 100.0).0.map(|p| p + Point::new(left, top)))
    }

    #[test]
    fn pictures_of_any_shape_that_comes_in_are_followed() {
        use crate::{Params, Tracker};
        for (width, height) in [(16, 16), (16, 511), (511, 16), (320, 9984), (9984, 321), (641, 21)]
        {
            setsight_photo::source::check_size(width, height).unwrap();
            let mut tracker = Tracker::new(Params::default());
            for level in 0..3 {
                let frame =
                    Frame::from_fn(width, height, |x, y| image::Rgb([(x ^ y) as u8, level, 90]));
                tracker.follow(std::sync::Arc::new(Grey::new(&frame)), 40.0 * f64::from(level));
            }
            assert!(tracker.table().table.cards.is_empty());
        }
    }

    #[test]
    fn a_card_looks_alike_elsewhere_and_in_other_light() {
        let here = Grey::new(&card_at(100.0, 90.0, 60, 1.0));
        let same = Grey::new(&card_at(113.5, 101.25, 60, 0.8));
        let blank = Grey::new(&card_at(100.0, 90.0, 230, 1.0));
        let glance = here.thumbnail(&quad(100.0, 90.0)).unwrap();
        assert!(glance.correlation(&same.thumbnail(&quad(113.5, 101.25)).unwrap()) > 0.93);
        assert!(glance.correlation(&blank.thumbnail(&quad(100.0, 90.0)).unwrap()) < 0.4);
        assert!(here.thumbnail(&quad(1000.0, 90.0)).is_none());
    }

    #[test]
    fn a_shadow_across_a_card_leaves_it_like_itself() {
        let even = card_at(100.0, 90.0, 190, 1.0);
        let mut shaded = even.clone();
        for (x, _, pixel) in shaded.enumerate_pixels_mut() {
            let light = 1.0 - 0.5 * ((x as f32 - 100.0) / 150.0).clamp(0.0, 1.0);
            pixel.0 = pixel.0.map(|v| (f32::from(v) * light) as u8);
        }
        let thumbnail = |frame: &Frame| Grey::new(frame).thumbnail(&quad(100.0, 90.0)).unwrap();
        assert!(thumbnail(&even).correlation(&thumbnail(&shaded)) > 0.85);
    }

    #[test]
    fn change_is_detected_despite_the_cameras_motion() {
        let before = Grey::new(&card_at(100.0, 90.0, 60, 1.0));
        let now = Grey::new(&card_at(144.0, 90.0, 60, 1.0));
        let still = Homography(nalgebra::Matrix3::identity());
        // A few pixels from the true motion, edges fall between other cells: that is no change.
        for off in [-44.0, -47.0, -41.0] {
            let mut moved = still;
            moved.0[(0, 2)] = off;
            assert_eq!(now.changed_since(&before, &moved), 0.0, "{off}");
        }
        assert!(now.changed_since(&before, &still) > 0.003);
        let gone = Grey::new(&card_at(5000.0, 90.0, 60, 1.0));
        assert!(gone.changed_since(&before, &still) > 0.04);
    }
}
