//! Estimates the motion from one frame to the next as one homography, because the table is flat.
//!
//! A few dozen patches are tracked by Lucas and Kanade's method (1981; with a pyramid as in Bouguet
//! 2001, and mean levels subtracted so that the light may change). A homography is fitted to them
//! with robust weights (Tukey's biweight), which reject what moves by itself, such as a hand.

use crate::grey::{Grey, Plane};
use nalgebra::Matrix3;
use setsight_photo::geometry::{Homography, Point};
use setsight_photo::numeric::median;

/// Number of cells across and down; each gives at most one patch.
const CELLS: (usize, usize) = (14, 8);
/// Half the side of a patch, in pixels.
const REACH: i32 = 4;
/// Least mean squared gradient along a patch's weakest direction, in grey levels per pixel; sensor
/// grain stays below it.
const LEAST_TEXTURE: f32 = 6.0;
/// Deviation from the common motion, in pixels of the fine plane, beyond which a patch belongs to
/// something else.
const OWN_MOTION_PX: f64 = 1.5;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// From pixels of the earlier frame to pixels of the later one.
    pub now_from_before: Homography,
    /// Texture of the patches in the later frame relative to the same patches in the earlier one:
    /// below 1 if the picture becomes blurred. 1 for patches just chosen.
    pub sharper: f32,
}

/// The tracked patches, in pixels of the fine plane.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patches {
    points: Vec<Point>,
    /// Number of patches chosen.
    chosen: usize,
    /// The patches have not been tracked yet. They were chosen for their texture, part of which is
    /// noise and pixel alignment that is lost with the first step.
    fresh: bool,
}

impl Patches {
    /// Chooses patches with structure in every direction, at most one per cell.
    pub(crate) fn choose(grey: &Grey) -> Self {
        let plane = &grey.fine;
        let mut points = Vec::new();
        let (across, down) = CELLS;
        let margin = REACH as usize + 3;
        if plane.width < across * 8 || plane.height < down * 8 {
            return Self::default();
        }
        for j in 0..down {
            for i in 0..across {
                let [rows, columns] =
                    [(j, down, plane.height), (i, across, plane.width)].map(|(k, n, limit)| {
                        let from = (k * limit / n).max(margin);
                        from..((k + 1) * limit / n).min(limit - margin)
                    });
                let mut best = (LEAST_TEXTURE, None);
                for y in rows.step_by(4) {
                    for x in columns.clone().step_by(4) {
                        let p = Point::new(x as f64 + 0.5, y as f64 + 0.5);
                        let strength = weakest_gradient(plane, x, y);
                        if strength > best.0 {
                            best = (strength, Some(p));
                        }
                    }
                }
                points.extend(best.1);
            }
        }
        Self { chosen: points.len(), points, fresh: true }
    }

    /// Whether many patches have left the picture.
    pub(crate) fn is_worn(&self) -> bool {
        3 * self.points.len() < 2 * self.chosen
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Tracks the patches from one frame to the next and updates their places; `guess` is the
    /// motion of the previous frame. `None` if too few agree.
    pub(crate) fn follow(
        &mut self,
        before: &Grey,
        now: &Grey,
        guess: &Homography,
    ) -> Option<Motion> {
        if before.fine.width != now.fine.width || before.fine.height != now.fine.height {
            return None;
        }
        let scale = now.scale;
        let mut pairs = Vec::with_capacity(self.points.len());
        for &p in &self.points {
            let guessed = guess.apply(p * scale) / scale;
            let coarse = step(&before.coarse, &now.coarse, p / 2.0, guessed / 2.0);
            let start = coarse.map_or(guessed, |found| found * 2.0);
            if let Some(found) = step(&before.fine, &now.fine, p, start) {
                pairs.push((p, found));
            }
        }
        let least = (self.points.len() / 3).max(10);
        if pairs.len() < least {
            return None;
        }
        let (fine, inliers) = fit(&pairs)?;
        if inliers < least {
            return None;
        }
        let mut moved: Vec<(Point, Point)> =
            self.points.iter().map(|&p| (p, fine.apply(p))).collect();
        moved.retain(|&(_, p)| now.fine.holds(p, f64::from(REACH) + 2.0));
        // Measure all patches, tracked or not. A patch too blurred to be tracked is tracked again
        // later; leaving it out would count the loss of texture but not its return.
        let was: f32 = moved.iter().map(|&(p, _)| texture(&before.fine, p)).sum();
        let is: f32 = moved.iter().map(|&(_, p)| texture(&now.fine, p)).sum();
        let sharper = if was > 0.0 && !self.fresh { is / was } else { 1.0 };
        self.fresh = false;
        self.points = moved.into_iter().map(|(_, p)| p).collect();
        let up = Matrix3::new(scale, 0.0, 0.0, 0.0, scale, 0.0, 0.0, 0.0, 1.0);
        let down = Matrix3::new(1.0 / scale, 0.0, 0.0, 0.0, 1.0 / scale, 0.0, 0.0, 0.0, 1.0);
        Some(Motion { now_from_before: Homography(up * fine.0 * down), sharper })
    }
}

/// Approximately the smaller eigenvalue of a patch's structure tensor, per pixel (Shi and Tomasi
/// 1994), computed on every other pixel.
fn weakest_gradient(plane: &Plane, x: usize, y: usize) -> f32 {
    let (mut xx, mut xy, mut yy, mut n) = (0.0f32, 0.0f32, 0.0f32, 0.0f32);
    for dy in (-REACH..=REACH).step_by(2) {
        for dx in (-REACH..=REACH).step_by(2) {
            let k = (y as i32 + dy) as usize * plane.width + (x as i32 + dx) as usize;
            let at = |k: usize| f32::from(plane.pixels[k]);
            let gx = (at(k + 1) - at(k - 1)) / 2.0;
            let gy = (at(k + plane.width) - at(k - plane.width)) / 2.0;
            xx += gx * gx;
            xy += gx * gy;
            yy += gy * gy;
            n += 1.0;
        }
    }
    let (half, off) = ((xx + yy) / 2.0, (xx - yy) / 2.0);
    (half - (off * off + xy * xy).sqrt()) / n
}

/// The new place of a patch; `None` if it is lost.
fn step(before: &Plane, now: &Plane, from: Point, guess: Point) -> Option<Point> {
    const SIDE: usize = (2 * REACH + 1) as usize;
    let margin = f64::from(REACH) + 1.5;
    if !before.holds(from, margin) || !now.holds(guess, margin) {
        return None;
    }
    // The patch and one pixel around it, sampled at the point's sub-pixel place.
    let mut around = [[0f32; SIDE + 2]; SIDE + 2];
    for (j, row) in around.iter_mut().enumerate() {
        for (i, value) in row.iter_mut().enumerate() {
            let off =
                Point::new(i as f64 - f64::from(REACH) - 1.0, j as f64 - f64::from(REACH) - 1.0);
            *value = before.at(from + off);
        }
    }
    let mut slopes = [[(0f32, 0f32); SIDE]; SIDE];
    let (mut xx, mut xy, mut yy, mut mean) = (0.0f32, 0.0f32, 0.0f32, 0.0f32);
    for j in 0..SIDE {
        for i in 0..SIDE {
            let gx = (around[j + 1][i + 2] - around[j + 1][i]) / 2.0;
            let gy = (around[j + 2][i + 1] - around[j][i + 1]) / 2.0;
            slopes[j][i] = (gx, gy);
            xx += gx * gx;
            xy += gx * gy;
            yy += gy * gy;
            mean += around[j + 1][i + 1];
        }
    }
    let n = (SIDE * SIDE) as f32;
    mean /= n;
    let determinant = xx * yy - xy * xy;
    if determinant < (0.5 * n) * (0.5 * n) {
        return None;
    }
    let mut at = guess;
    for _ in 0..8 {
        let mut values = [[0f32; SIDE]; SIDE];
        let mut mean_now = 0.0;
        for (j, row) in values.iter_mut().enumerate() {
            for (i, value) in row.iter_mut().enumerate() {
                let off = Point::new(i as f64 - f64::from(REACH), j as f64 - f64::from(REACH));
                *value = now.at(at + off);
                mean_now += *value;
            }
        }
        mean_now /= n;
        let (mut bx, mut by) = (0.0, 0.0);
        for j in 0..SIDE {
            for i in 0..SIDE {
                let off = (around[j + 1][i + 1] - mean) - (values[j][i] - mean_now);
                let (gx, gy) = slopes[j][i];
                bx += gx * off;
                by += gy * off;
            }
        }
        let dx = f64::from((yy * bx - xy * by) / determinant);
        let dy = f64::from((xx * by - xy * bx) / determinant);
        if dx.abs() > 6.0 || dy.abs() > 6.0 {
            return None;
        }
        at = at + Point::new(dx, dy);
        if !now.holds(at, margin) {
            return None;
        }
        if dx.hypot(dy) < 0.01 {
            break;
        }
    }
    Some(at)
}

/// Sum of the squared gradients around a point, at integer pixels: interpolating between pixels
/// would smooth them.
fn texture(plane: &Plane, p: Point) -> f32 {
    let (x, y) = (p.x as i32, p.y as i32);
    let at = |x: i32, y: i32| f32::from(plane.pixels[y as usize * plane.width + x as usize]);
    let mut sum = 0.0;
    for j in y - REACH..=y + REACH {
        for i in x - REACH..=x + REACH {
            let (gx, gy) = (at(i + 1, j) - at(i - 1, j), at(i, j + 1) - at(i, j - 1));
            sum += gx * gx + gy * gy;
        }
    }
    sum
}

/// The common motion of most pairs, and the number of pairs that follow it.
fn fit(pairs: &[(Point, Point)]) -> Option<(Homography, usize)> {
    let x = median(pairs.iter().map(|p| p.1.x - p.0.x))?;
    let shift = Point::new(x, median(pairs.iter().map(|p| p.1.y - p.0.y))?);
    let mut off: Vec<f64> = pairs.iter().map(|&(a, b)| (b - a).distance(shift)).collect();
    // Wide enough at first for a rotation or an approach.
    let mut width = (3.0 * median(off.iter().copied())?).max(3.0);
    let mut found = None;
    for _ in 0..5 {
        let weights: Vec<f64> = off
            .iter()
            .map(|o| {
                let part = o / width;
                if part < 1.0 { (1.0 - part * part).powi(2) } else { 0.0 }
            })
            .collect();
        let kept = weights.iter().filter(|&&w| w > 0.0).count();
        if kept < 8 {
            return None;
        }
        let fitted = Homography::fit(pairs, &weights)?;
        off = pairs.iter().map(|&(a, b)| fitted.apply(a).distance(b)).collect();
        found = Some(fitted);
        width = (width / 2.0).max(OWN_MOTION_PX);
    }
    let inliers = off.iter().filter(|&&o| o < OWN_MOTION_PX).count();
    found.map(|fitted| (fitted, inliers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};

    /// A smooth texture, seen through a map from picture to texture, partly covered by a patch that
    /// moves differently.
    fn picture(texture_from_image: &Homography, hand: (f64, f64)) -> Grey {
        let image = RgbImage::from_fn(960, 540, |x, y| {
            let p = Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
            let (u, v) = (p.x - hand.0, p.y - hand.1);
            let value = if (0.0..300.0).contains(&u) && (0.0..240.0).contains(&v) {
                wave(1.7 * u + 500.0, 1.7 * v)
            } else {
                let t = texture_from_image.apply(p);
                wave(t.x, t.y)
            };
            Rgb([value.clamp(0.0, 255.0) as u8; 3])
        });
        Grey::new(&image)
    }

    fn wave(x: f64, y: f64) -> f64 {
        128.0
            + 40.0 * (x * 0.11).sin() * (y * 0.13).cos()
            + 30.0 * (x * 0.31 + y * 0.07).sin()
            + 25.0 * (y * 0.27 - x * 0.05).cos()
    }

    #[test]
    fn the_tables_motion_is_found_despite_a_hands() {
        let still = Homography(Matrix3::identity());
        let moved =
            Homography(Matrix3::new(1.003, -0.006, 4.0, 0.007, 0.998, -3.0, 2e-6, -3e-6, 1.0));
        let before = picture(&still, (500.0, 200.0));
        let now = picture(&moved.inverse().unwrap(), (470.0, 225.0));
        let mut patches = Patches::choose(&before);
        assert!(patches.points.len() > 60, "{}", patches.points.len());
        let motion = patches.follow(&before, &now, &still).unwrap();
        for (x, y) in [(40.0, 40.0), (900.0, 60.0), (100.0, 500.0), (700.0, 450.0)] {
            let p = Point::new(x, y);
            let error = motion.now_from_before.apply(p).distance(moved.apply(p));
            assert!(error < 0.3, "{x},{y}: {error}");
        }
    }

    #[test]
    fn blur_is_measured_on_the_same_patches() {
        let still = Homography(Matrix3::identity());
        let sharp = picture(&still, (5000.0, 0.0));
        let mut blurred = sharp.clone();
        let plane = &sharp.fine;
        for y in 2..plane.height - 2 {
            for x in 2..plane.width - 2 {
                let around = (0..25).map(|k| (y + k / 5 - 2) * plane.width + x + k % 5 - 2);
                let sum: u32 = around.map(|k| u32::from(plane.pixels[k])).sum();
                blurred.fine.pixels[y * plane.width + x] = (sum / 25) as u8;
            }
        }
        let mut patches = Patches::choose(&sharp);
        assert_eq!(patches.follow(&sharp, &sharp, &still).unwrap().sharper, 1.0);
        let sharper = patches.follow(&sharp, &blurred, &still).unwrap().sharper;
        assert!(sharper < 0.8, "{sharper}");
        let back = patches.follow(&blurred, &sharp, &still).unwrap().sharper;
        assert!((back * sharper - 1.0).abs() < 0.1, "{back} {sharper}");
        // Repeated steps of less than a pixel must not look like blur.
        let mut level = 1.0;
        for step in 0..10 {
            let at = |n: f64| {
                let shift = Matrix3::new(1.0, 0.0, 0.7 * n, 0.0, 1.0, 0.4 * n, 0.0, 0.0, 1.0);
                picture(&Homography(shift), (5000.0, 0.0))
            };
            let (before, now) = (at(f64::from(step)), at(f64::from(step + 1)));
            level *= patches.follow(&before, &now, &still).unwrap().sharper;
        }
        assert!((level - 1.0).abs() < 0.1, "{level}");
    }

    #[test]
    fn an_even_picture_and_a_cut_say_nothing() {
        let still = Homography(Matrix3::identity());
        let even = Grey::new(&RgbImage::from_pixel(960, 540, Rgb([90; 3])));
        assert!(Patches::choose(&even).is_empty());
        let before = picture(&still, (5000.0, 0.0));
        let mut patches = Patches::choose(&before);
        assert!(patches.follow(&before, &even, &still).is_none());
    }
}
