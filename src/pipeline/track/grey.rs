//! What tracking looks at: a small grey picture of each frame, at three sizes.

use crate::geometry::{Homography, Point, Quad};
use crate::pipeline::data::Frame;
use opencv::core::{Mat, MatTraitConst, MatTraitConstManual, Size};
use opencv::imgproc;

/// The long side of the largest grey picture is at most this, in pixels.
const LONG_SIDE_PX: u32 = 640;

/// One grey picture: 8 bits, row by row.
#[derive(Clone, Debug, Default)]
pub struct Plane {
    /// In pixels.
    pub width: usize,
    /// In pixels.
    pub height: usize,
    /// 0 to 255.
    pub pixels: Vec<u8>,
}

impl Plane {
    /// Bilinear, at a point in pixels of this plane (pixel centres at .5), the border repeated.
    #[inline]
    pub fn at(&self, p: Point) -> f32 {
        let x = (p.x - 0.5).clamp(0.0, self.width as f64 - 1.001) as f32;
        let y = (p.y - 0.5).clamp(0.0, self.height as f64 - 1.001) as f32;
        let (i, j) = (x as usize, y as usize);
        let (u, v) = (x - i as f32, y - j as f32);
        let k = j * self.width + i;
        let row = |k: usize| {
            let (a, b) = (f32::from(self.pixels[k]), f32::from(self.pixels[k + 1]));
            a + (b - a) * u
        };
        let (upper, lower) = (row(k), row(k + self.width));
        upper + (lower - upper) * v
    }

    /// The darkest and the brightest of the nine pixels around a point in the plane: what a pixel
    /// there may be after a shift by parts of one. Between two pixels an edge has any value.
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

    /// Whether a point lies in the plane, `margin` pixels from its border at least.
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
    /// Pixels of the frame to one of [`Self::fine`].
    pub scale: f64,
    /// For motion, at most 640 pixels long.
    pub fine: Plane,
    /// Half as large: for large motions and for cards' glances.
    pub coarse: Plane,
    /// A sixteenth of `coarse`: for seeing that something changed.
    pub cells: Plane,
}

/// From one level to the next.
const COARSER: usize = 2;
/// From the coarse picture to the cells.
const CELL: usize = 4;

impl Grey {
    /// Of a frame of at least 32 x 32 pixels.
    ///
    /// # Errors
    /// Those of OpenCV, such as no memory.
    pub fn of(frame: &Frame) -> opencv::Result<Self> {
        let image = &frame.image;
        let scale = image.width().max(image.height()).div_ceil(LONG_SIDE_PX).max(1);
        let whole = Mat::from_slice(image.as_raw())?;
        let whole = whole.reshape(3, image.height() as i32)?;
        let size = Size::new((image.width() / scale) as i32, (image.height() / scale) as i32);
        let mut grey = Mat::default();
        if scale == 1 {
            imgproc::cvt_color_def(&whole, &mut grey, imgproc::COLOR_RGB2GRAY)?;
        } else {
            let mut small = Mat::default();
            imgproc::resize(&whole, &mut small, size, 0.0, 0.0, imgproc::INTER_AREA)?;
            imgproc::cvt_color_def(&small, &mut grey, imgproc::COLOR_RGB2GRAY)?;
        }
        let fine = Plane {
            width: grey.cols() as usize,
            height: grey.rows() as usize,
            pixels: grey.data_bytes()?.to_vec(),
        };
        let coarse = fine.shrunk(COARSER);
        let cells = coarse.shrunk(CELL);
        Ok(Self { scale: f64::from(scale), fine, coarse, cells })
    }

    /// What a card looks like at a glance, at a quad in pixels of the frame.
    pub fn thumbnail(&self, quad: &Quad) -> Option<Thumbnail> {
        let scale = self.scale * COARSER as f64;
        let small = quad.scaled(1.0 / scale);
        let unit = Quad::rectangle(THUMBNAIL_WIDTH as f64, THUMBNAIL_HEIGHT as f64);
        // A little within the card's border, which wavers by a pixel.
        let center = small.center();
        let inner = Quad::new(small.0.map(|p| center.lerp(p, 0.92)));
        let coarse_from_glance = Homography::between(&unit, &inner)?;
        let mut raw = [0.0; THUMBNAIL_WIDTH * THUMBNAIL_HEIGHT];
        // The mean of four points each: a thin outline must not fall between two of them.
        let parts = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)];
        for (i, value) in raw.iter_mut().enumerate() {
            let (x, y) = ((i % THUMBNAIL_WIDTH) as f64, (i / THUMBNAIL_WIDTH) as f64);
            let at = |(u, v)| {
                let p = coarse_from_glance.apply(Point::new(x + u, y + v));
                if self.coarse.holds(p, 0.0) { self.coarse.at(p) } else { f32::NAN }
            };
            *value = parts.into_iter().map(at).sum::<f32>() / parts.len() as f32;
        }
        let known = raw.iter().filter(|value| !value.is_nan()).count();
        (known as f64 >= LEAST_KNOWN * raw.len() as f64).then(|| Thumbnail { raw: Box::new(raw) })
    }

    /// Part of the cells that changed since an earlier frame, 0 to 1, when `earlier_from_now`
    /// (pixels of frames) is how the picture moved.
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
        if cells.is_empty() {
            return 1.0;
        }
        // The exposure may have changed as a whole.
        let mut lighter: Vec<f32> = cells.iter().map(|&(v, was)| v - before.at(was)).collect();
        let middle = lighter.len() / 2;
        let (_, &mut lighter, _) = lighter.select_nth_unstable_by(middle, f32::total_cmp);
        let changed = |&&(value, was): &&(f32, Point)| {
            let (least, most) = before.range_around(was);
            let value = value - lighter;
            (value - value.clamp(least, most)).abs() > CELL_CHANGE
        };
        cells.iter().filter(changed).count() as f64 / cells.len() as f64
    }
}

/// Grey levels by which a cell must leave the range of those around its place: above the sensor's
/// noise and what a print's fine strokes do between two cells.
const CELL_CHANGE: f32 = 12.0;

const THUMBNAIL_WIDTH: usize = 24;
const THUMBNAIL_HEIGHT: usize = 16;

/// What a card looks like at a glance: 24 x 16 grey levels, the long side across. What lies outside
/// the picture is not known of.
#[derive(Clone, Debug)]
pub struct Thumbnail {
    /// NaN where it is not known.
    raw: Box<[f32; THUMBNAIL_WIDTH * THUMBNAIL_HEIGHT]>,
}

/// Part of a card's picture that must be known for it to be seen.
const LEAST_KNOWN: f64 = 0.6;

impl Thumbnail {
    /// Correlation with another glance, -1 to 1, where both are known: what light and contrast do as
    /// a whole, or from one side of the card to the other, counts for nothing. Two even pictures agree
    /// when both are even.
    pub fn correlation(&self, other: &Self) -> f64 {
        let both = |i: usize| !(self.raw[i].is_nan() || other.raw[i].is_nan());
        let known: Vec<usize> = (0..self.raw.len()).filter(|&i| both(i)).collect();
        if known.len() < 8 {
            return 1.0; // Nothing speaks against it.
        }
        let (a, b) = (self.levelled(&known), other.levelled(&known));
        let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
        for (x, y) in a.iter().zip(&b) {
            ab += x * y;
            aa += x * x;
            bb += y * y;
        }
        // What noise alone leaves of an even surface.
        let floor = 1.5 * 1.5 * known.len() as f32;
        f64::from((ab + floor.min(aa.min(bb))) / ((aa.max(floor) * bb.max(floor)).sqrt()))
            .clamp(-1.0, 1.0)
    }

    /// Without its mean and its slope along and across: those are the light's, or a shadow's.
    fn levelled(&self, known: &[usize]) -> Vec<f32> {
        let n = known.len() as f32;
        let at = |i: usize| ((i % THUMBNAIL_WIDTH) as f32, (i / THUMBNAIL_WIDTH) as f32);
        let (sx, sy) =
            known.iter().map(|&i| at(i)).fold((0.0, 0.0), |s, (x, y)| (s.0 + x, s.1 + y));
        let (mx, my) = (sx / n, sy / n);
        let (mut sum, mut along, mut across, mut xx, mut yy) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for &i in known {
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
        known
            .iter()
            .map(|&i| self.raw[i] - mean - (at(i).0 - mx) * along - (at(i).1 - my) * across)
            .collect()
    }

    /// The part of it in which a card of so many symbols has them, 1 to 3.
    pub fn symbols(&self, count: usize) -> Self {
        let mut part = self.clone();
        // Of the card's length: each symbol takes a quarter, with what lies between them.
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

    /// Mean absolute difference in grey levels.
    pub fn difference(&self, other: &Self) -> f64 {
        let off = self.raw.iter().zip(other.raw.iter()).map(|(a, b)| (a - b).abs());
        let known = off.filter(|off| !off.is_nan());
        let (n, sum) = known.fold((0, 0.0), |(n, sum), off| (n + 1, sum + off));
        f64::from(sum) / f64::from(n.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};

    fn card_at(left: f64, top: f64, ink: u8, light: f32) -> Frame {
        let image = RgbImage::from_fn(640, 360, |x, y| {
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
        });
        Frame { image }
    }

    fn quad(left: f64, top: f64) -> Quad {
        Quad::new(Quad::rectangle(150.0, 100.0).0.map(|p| p + Point::new(left, top)))
    }

    #[test]
    fn a_card_looks_alike_elsewhere_and_in_other_light() {
        let here = Grey::of(&card_at(100.0, 90.0, 60, 1.0)).unwrap();
        let there = Grey::of(&card_at(113.5, 101.25, 60, 0.8)).unwrap();
        let blank = Grey::of(&card_at(100.0, 90.0, 230, 1.0)).unwrap();
        let glance = here.thumbnail(&quad(100.0, 90.0)).unwrap();
        assert!(glance.correlation(&there.thumbnail(&quad(113.5, 101.25)).unwrap()) > 0.93);
        assert!(glance.correlation(&blank.thumbnail(&quad(100.0, 90.0)).unwrap()) < 0.4);
        assert!(here.thumbnail(&quad(1000.0, 90.0)).is_none());
    }

    #[test]
    fn a_shadow_across_a_card_leaves_it_like_itself() {
        let even = card_at(100.0, 90.0, 190, 1.0);
        let mut shaded = even.clone();
        for (x, _, pixel) in shaded.image.enumerate_pixels_mut() {
            let light = 1.0 - 0.5 * ((x as f32 - 100.0) / 150.0).clamp(0.0, 1.0);
            pixel.0 = pixel.0.map(|v| (f32::from(v) * light) as u8);
        }
        let thumbnail =
            |frame: &Frame| Grey::of(frame).unwrap().thumbnail(&quad(100.0, 90.0)).unwrap();
        assert!(thumbnail(&even).correlation(&thumbnail(&shaded)) > 0.85);
    }

    #[test]
    fn change_is_seen_past_the_cameras_own_motion() {
        let before = Grey::of(&card_at(100.0, 90.0, 60, 1.0)).unwrap();
        let now = Grey::of(&card_at(144.0, 90.0, 60, 1.0)).unwrap();
        let still = Homography(nalgebra::Matrix3::identity());
        // A few pixels beside the truth, edges fall between other cells: no change.
        for off in [-44.0, -47.0, -41.0] {
            let mut moved = still;
            moved.0[(0, 2)] = off;
            assert_eq!(now.changed_since(&before, &moved), 0.0, "{off}");
        }
        assert!(now.changed_since(&before, &still) > 0.003);
        let gone = Grey::of(&card_at(5000.0, 90.0, 60, 1.0)).unwrap();
        assert!(gone.changed_since(&before, &still) > 0.04);
    }
}
