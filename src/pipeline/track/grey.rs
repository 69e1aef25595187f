//! What tracking looks at: a small grey picture of each frame, at three sizes.

use crate::geometry::{Homography, Point, Quad};
use crate::pipeline::Frame;
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
    pub fn glance(&self, quad: &Quad) -> Option<Glance> {
        let scale = self.scale * COARSER as f64;
        let small = quad.scaled(1.0 / scale);
        let inside = small.0.iter().filter(|p| self.coarse.holds(**p, 0.0)).count();
        if inside < 3 {
            return None;
        }
        let unit = Quad::rectangle(GLANCE_WIDTH as f64, GLANCE_HEIGHT as f64);
        // A little within the card's border, which wavers by a pixel.
        let center = small.center();
        let inner = Quad(small.0.map(|p| center.lerp(p, 0.92)));
        let coarse_from_glance = Homography::between(&unit, &inner)?;
        let mut raw = [0.0; GLANCE_WIDTH * GLANCE_HEIGHT];
        for (i, value) in raw.iter_mut().enumerate() {
            let (x, y) = ((i % GLANCE_WIDTH) as f64 + 0.5, (i / GLANCE_WIDTH) as f64 + 0.5);
            *value = self.coarse.at(coarse_from_glance.apply(Point::new(x, y)));
        }
        Some(Glance { raw: Box::new(raw) })
    }

    /// Part of the cells that changed since an earlier frame, 0 to 1, when `earlier_from_now`
    /// (pixels of frames) is how the picture moved.
    pub fn changed_since(&self, earlier: &Self, earlier_from_now: &Homography) -> f64 {
        let scale = self.scale * (COARSER * CELL) as f64;
        let (now, before) = (&self.cells, &earlier.cells);
        if now.pixels.is_empty() || before.width != now.width || before.height != now.height {
            return 1.0;
        }
        let mut differences = Vec::with_capacity(now.pixels.len());
        for (i, &value) in now.pixels.iter().enumerate() {
            let at = Point::new((i % now.width) as f64 + 0.5, (i / now.width) as f64 + 0.5);
            let was = earlier_from_now.apply(at * scale) / scale;
            if before.holds(was, 0.5) {
                differences.push(f32::from(value) - before.at(was));
            }
        }
        if differences.is_empty() {
            return 1.0;
        }
        // The exposure may have changed as a whole.
        let mut sorted = differences.clone();
        let middle = sorted.len() / 2;
        let (_, &mut median, _) = sorted.select_nth_unstable_by(middle, f32::total_cmp);
        let changed = differences.iter().filter(|d| (*d - median).abs() > CELL_CHANGE).count();
        changed as f64 / differences.len() as f64
    }
}

/// Grey levels by which a cell must change: above what grain of wood does between two pixels.
const CELL_CHANGE: f32 = 14.0;

const GLANCE_WIDTH: usize = 24;
const GLANCE_HEIGHT: usize = 16;

/// What a card looks like at a glance: 24 x 16 grey levels, the long side across.
#[derive(Clone, Debug)]
pub struct Glance {
    raw: Box<[f32; GLANCE_WIDTH * GLANCE_HEIGHT]>,
}

impl Glance {
    /// Correlation with another glance, -1 to 1: what light and contrast do as a whole counts for
    /// nothing. Two even pictures agree when both are even.
    pub fn likeness(&self, other: &Self) -> f64 {
        let n = self.raw.len() as f32;
        let mean = |glance: &Self| glance.raw.iter().sum::<f32>() / n;
        let (a, b) = (mean(self), mean(other));
        let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
        for (x, y) in self.raw.iter().zip(other.raw.iter()) {
            ab += (x - a) * (y - b);
            aa += (x - a) * (x - a);
            bb += (y - b) * (y - b);
        }
        // What noise alone leaves of an even surface.
        let floor = 1.5 * 1.5 * n;
        f64::from((ab + floor.min(aa.min(bb))) / ((aa.max(floor) * bb.max(floor)).sqrt()))
            .clamp(-1.0, 1.0)
    }

    /// Mean absolute difference in grey levels.
    pub fn difference(&self, other: &Self) -> f64 {
        let sum: f32 = self.raw.iter().zip(other.raw.iter()).map(|(a, b)| (a - b).abs()).sum();
        f64::from(sum) / self.raw.len() as f64
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
        Quad(Quad::rectangle(150.0, 100.0).0.map(|p| p + Point::new(left, top)))
    }

    #[test]
    fn a_card_looks_alike_elsewhere_and_in_other_light() {
        let here = Grey::of(&card_at(100.0, 90.0, 60, 1.0)).unwrap();
        let there = Grey::of(&card_at(113.5, 101.25, 60, 0.8)).unwrap();
        let blank = Grey::of(&card_at(100.0, 90.0, 230, 1.0)).unwrap();
        let glance = here.glance(&quad(100.0, 90.0)).unwrap();
        assert!(glance.likeness(&there.glance(&quad(113.5, 101.25)).unwrap()) > 0.93);
        assert!(glance.likeness(&blank.glance(&quad(100.0, 90.0)).unwrap()) < 0.4);
        assert!(here.glance(&quad(1000.0, 90.0)).is_none());
    }

    #[test]
    fn change_is_seen_past_the_cameras_own_motion() {
        let before = Grey::of(&card_at(100.0, 90.0, 60, 1.0)).unwrap();
        let now = Grey::of(&card_at(108.0, 90.0, 60, 1.0)).unwrap();
        let still = Homography(nalgebra::Matrix3::identity());
        let mut moved = still;
        moved.0[(0, 2)] = -8.0;
        assert_eq!(now.changed_since(&before, &moved), 0.0);
        assert!(now.changed_since(&before, &still) > 0.003);
        let gone = Grey::of(&card_at(5000.0, 90.0, 60, 1.0)).unwrap();
        assert!(gone.changed_since(&before, &still) > 0.04);
    }
}
