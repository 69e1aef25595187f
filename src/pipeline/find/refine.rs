//! Whether an outline is right, by a network that looks at one card at a time.
//!
//! The finder's network sees the whole photo small, and a side that is seen may be a neighbour's. Seen
//! straight and at its own size with what lies around it ([`view`]), a card shows better whether an
//! outline is its own, though half of it is covered.

use crate::geometry::{Homography, Point, Quad};
use crate::model::refiner::{HEIGHT, OUTLINE_PX, OUTPUTS, RIGHT, WIDTH};
use crate::pipeline::engine::{Network, NetworkError};
use crate::pipeline::rectify::straightened;
use crate::pipeline::segment::maps::Working;
use image::RgbImage;
use opencv::prelude::*;

/// Something that says whether outlines are right: the network, or a fake in a test.
pub trait RefinerNetwork: Send + Sync {
    /// `outlines` views `[outlines, 3, 64, 96]` (see [`crate::model::refiner`]) to `[outlines, 9]`
    /// numbers, the last dimension fastest in both.
    ///
    /// # Errors
    /// The network does not run.
    fn corners(&self, input: Vec<f32>, outlines: usize) -> Result<Vec<f32>, NetworkError>;
}

impl RefinerNetwork for Network {
    fn corners(&self, input: Vec<f32>, outlines: usize) -> Result<Vec<f32>, NetworkError> {
        Ok(self.run(input, [outlines, 3, HEIGHT, WIDTH])?.values)
    }
}

/// A photo: R, G, B row by row, 8-bit.
#[derive(Clone, Copy, Debug)]
pub struct Photo<'a> {
    /// Three bytes a pixel.
    pub rgb: &'a [u8],
    /// Columns and rows.
    pub size_px: (u32, u32),
}

impl<'a> Photo<'a> {
    /// The photo at working resolution.
    ///
    /// # Errors
    /// Its pixels cannot be read.
    pub fn of(working: &'a Working) -> opencv::Result<Self> {
        let size_px = (working.width as u32, working.height as u32);
        Ok(Self { rgb: working.rgb.data_bytes()?, size_px })
    }
}

/// The outline's own corners, with (0, 0) in its middle and its short side for a unit.
pub fn outline_in_short_sides() -> Quad {
    let half = (OUTLINE_PX.0 / OUTLINE_PX.1 / 2.0, 0.5);
    Quad(
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .map(|(x, y)| Point::new(x * half.0, y * half.1)),
    )
}

/// The photo around an outline as the network takes it, see [`crate::model::refiner`]; `None` for an
/// outline without a surface or outside of the photo.
pub fn view(photo: &Photo, outline: &Quad) -> Option<RgbImage> {
    let image_from_outline = Homography::between(&outline_in_short_sides(), outline)?;
    let (x, y) = (WIDTH as f64 / OUTLINE_PX.1 / 2.0, HEIGHT as f64 / OUTLINE_PX.1 / 2.0);
    let around = Quad([(-x, -y), (x, -y), (x, y), (-x, y)].map(|(x, y)| Point::new(x, y)));
    let quad = image_from_outline.apply_quad(&around);
    // A steep outline's surroundings may lie beyond the horizon.
    if !quad.is_convex() || !outline.is_convex() {
        return None;
    }
    straightened(photo.rgb, photo.size_px, &quad, (WIDTH as u32, HEIGHT as u32))
}

/// `[3, 64, 96]`, 0 to 1.
pub fn input_of(view: &RgbImage) -> impl Iterator<Item = f32> + '_ {
    (0..3).flat_map(|c| view.as_raw().iter().skip(c).step_by(3).map(|&v| f32::from(v) / 255.0))
}

/// Log odds that each of some outlines (in pixels of the photo) is right, all of them at once; of those
/// that cannot be looked at nothing is said.
///
/// # Errors
/// The network does not run.
pub fn right(
    photo: &Photo,
    outlines: &[Quad],
    network: &dyn RefinerNetwork,
) -> Result<Vec<Option<f64>>, NetworkError> {
    let views: Vec<Option<RgbImage>> = outlines.iter().map(|quad| view(photo, quad)).collect();
    let seen: Vec<&RgbImage> = views.iter().flatten().collect();
    if seen.is_empty() {
        return Ok(vec![None; outlines.len()]);
    }
    let input = seen.iter().flat_map(|view| input_of(view)).collect();
    let numbers = network.corners(input, seen.len())?;
    let mut rows = numbers.chunks_exact(OUTPUTS);
    let each = views.iter().map(|view| {
        view.as_ref()?;
        Some(f64::from(rows.next()?[RIGHT]))
    });
    Ok(each.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says the same of every outline.
    struct Says([f32; OUTPUTS]);

    impl RefinerNetwork for Says {
        fn corners(&self, input: Vec<f32>, outlines: usize) -> Result<Vec<f32>, NetworkError> {
            assert_eq!(input.len(), outlines * 3 * WIDTH * HEIGHT);
            Ok(self.0.repeat(outlines))
        }
    }

    fn card(x: f64, y: f64) -> Quad {
        Quad(
            [(0.0, 0.0), (90.0, 10.0), (84.0, 66.0), (-6.0, 58.0)]
                .map(|(u, v)| Point::new(x + u, y + v)),
        )
    }

    #[test]
    fn the_outline_fills_the_middle_of_its_view() {
        let outline = card(60.0, 50.0);
        let photo = RgbImage::from_fn(220, 180, |x, y| {
            let inside = outline.contains(Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5));
            image::Rgb([if inside { 220 } else { 20 }, 0, 255])
        });
        let photo = Photo { rgb: photo.as_raw(), size_px: photo.dimensions() };
        let view = view(&photo, &outline).unwrap();
        assert_eq!(view.dimensions(), (WIDTH as u32, HEIGHT as u32));
        let (left, top) = ((96.0 - OUTLINE_PX.0) / 2.0, (64.0 - OUTLINE_PX.1) / 2.0);
        for (x, y, pixel) in view.enumerate_pixels() {
            let (x, y) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
            let depth = (x - left).min(96.0 - left - x).min(y - top).min(64.0 - top - y);
            if depth.abs() > 1.5 {
                assert_eq!(pixel.0[0] > 120, depth > 0.0, "{x} {y}");
            }
        }
        let planes: Vec<f32> = input_of(&view).collect();
        assert_eq!(planes.len(), 3 * WIDTH * HEIGHT);
        assert_eq!((planes[WIDTH * HEIGHT], planes[2 * WIDTH * HEIGHT]), (0.0, 1.0));
    }

    #[test]
    fn only_what_can_be_looked_at_is_judged() {
        let image = RgbImage::new(300, 200);
        let photo = Photo { rgb: image.as_raw(), size_px: image.dimensions() };
        let outline = Quad(Quad::rectangle(77.0, 50.0).0.map(|p| p + Point::new(80.0, 60.0)));
        let far = Quad(outline.0.map(|p| p + Point::new(5e3, 0.0)));
        let line = Quad([0.0, 10.0, 20.0, 30.0].map(|v| Point::new(v, v)));
        let mut numbers = [0.0; OUTPUTS];
        numbers[RIGHT] = 1.5;
        let says = Says(numbers);
        let found = right(&photo, &[line, outline, far, outline], &says).unwrap();
        assert_eq!(found, [None, Some(1.5), None, Some(1.5)]);
        assert_eq!(right(&photo, &[], &says).unwrap(), []);
        assert_eq!(crate::model::refiner::LABELS.len(), OUTPUTS);
    }
}
