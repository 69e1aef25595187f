//! The refiner: a network that judges an outline, corrects its corners and classifies the card.
//!
//! The finder network sees the whole photo at a small scale, and a side that it finds may belong to
//! a neighbour. A [`context_crop`], straightened and at the card's own scale, shows what lies
//! around the card, even if half of the card is covered. The finder uses the refiner for outlines,
//! the reader uses it for cards in doubt.

use super::planes;
use image::RgbImage;
use setsight_nets::{
    Kind,
    engine::{Models, ModelsError, Network, NetworkError, file_of},
    refiner::{HEIGHT, OUTLINE_PX, OUTPUTS, RIGHT, VALUE_LOGITS, VALUES, WIDTH},
};
use setsight_photo::geometry::{Homography, Point, Quad};
use setsight_photo::{Frame, pixels::straightened};
use std::sync::Arc;

/// Classifies context crops: the network, or a fake in a test.
pub trait RefinerNetwork: Send + Sync {
    /// From `crops` context crops, `[crops, 3, 64, 96]` (see [`setsight_nets::refiner`]), to outputs
    /// `[crops, 21]`, the last dimension fastest in both.
    fn answers(&self, input: Vec<f32>, crops: usize) -> Result<Vec<f32>, NetworkError>;
}

impl RefinerNetwork for Network {
    fn answers(&self, input: Vec<f32>, crops: usize) -> Result<Vec<f32>, NetworkError> {
        Ok(self.run(input, [crops, 3, HEIGHT, WIDTH])?.values)
    }
}

/// The network's output for one outline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// Log odds that the outline is right, see [`setsight_nets::refiner::RIGHT`].
    pub right: f32,
    /// Logit of value v of property p at `3 p + v`, in [`setsight_game::cards::Property::ALL`] order.
    pub values: [f32; VALUE_LOGITS],
    /// The corrected corners, in pixels of the photo; `None` if they are not convex.
    pub corrected: Option<Quad>,
}

/// Classifies the context crops of some outlines, given in pixels of the upright photo. `None` for
/// an outline that has no crop, see [`context_crop`].
///
/// # Errors
/// The network does not run.
pub fn classify(
    frame: &Frame,
    outlines: &[Quad],
    network: &dyn RefinerNetwork,
) -> Result<Vec<Option<Answer>>, NetworkError> {
    let rows = numbers(frame, outlines, network, [false])?;
    Ok(outlines.iter().zip(rows).map(|(outline, row)| Some(answer(outline, &row?[0]))).collect())
}

/// Like [`classify`], with test-time augmentation: the mean of the logits of the crop and of the
/// crop turned by 180 degrees. The corners are those of the unturned crop.
pub(crate) fn classify_augmented(
    frame: &Frame,
    outlines: &[Quad],
    network: &dyn RefinerNetwork,
) -> Result<Vec<Option<Answer>>, NetworkError> {
    let rows = numbers(frame, outlines, network, [false, true])?;
    let means = outlines.iter().zip(rows).map(|(outline, rows)| {
        let [one, other] = rows?.map(|numbers| answer(outline, &numbers));
        Some(one.mean(&other))
    });
    Ok(means.collect())
}

/// The answers of [`classify_augmented`], given those of [`classify`] on the same outlines: only the
/// turned crops are run.
pub(crate) fn augmented(
    frame: &Frame,
    outlines: &[Quad],
    answers: &[Option<Answer>],
    network: &dyn RefinerNetwork,
) -> Result<Vec<Option<Answer>>, NetworkError> {
    let turned = numbers(frame, outlines, network, [true])?;
    let all = outlines.iter().zip(answers).zip(turned);
    let means = all.map(|((outline, unturned), turned)| {
        Some(unturned.as_ref()?.mean(&answer(outline, &turned?[0])))
    });
    Ok(means.collect())
}

impl Answer {
    /// The mean with the answer on the crop turned by 180 degrees.
    fn mean(&self, turned: &Self) -> Self {
        Self {
            right: (self.right + turned.right) / 2.0,
            values: std::array::from_fn(|i| (self.values[i] + turned.values[i]) / 2.0),
            corrected: self.corrected,
        }
    }
}

fn answer(outline: &Quad, numbers: &[f32; OUTPUTS]) -> Answer {
    let unmoved = outline_in_short_sides();
    let moved: [Point; 4] = std::array::from_fn(|i| {
        unmoved.0[i] + Point::new(f64::from(numbers[2 * i]), f64::from(numbers[2 * i + 1]))
    });
    let corrected = Homography::between(&unmoved, outline)
        .map(|image_from_outline| Quad::new(moved.map(|p| image_from_outline.apply(p))))
        .filter(Quad::is_convex);
    let values = std::array::from_fn(|i| numbers[VALUES + i]);
    Answer { right: numbers[RIGHT], values, corrected }
}

/// Loads the network that finder and reader share. A user's own folder may lack it; reading is less exact then.
///
/// # Errors
/// The network is broken.
pub fn shared(models: &Models) -> Result<Option<Arc<dyn RefinerNetwork>>, ModelsError> {
    if !models.has(file_of(Kind::Refiner)) {
        return Ok(None);
    }
    Ok(Some(Arc::new(models.network(Kind::Refiner)?)))
}

/// The corners of the outline itself, with (0, 0) at its centre and its short side as the unit.
pub fn outline_in_short_sides() -> Quad {
    let half = (OUTLINE_PX.0 / OUTLINE_PX.1 / 2.0, 0.5);
    Quad::new(
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .map(|(x, y)| Point::new(x * half.0, y * half.1)),
    )
}

/// The context crop of an outline, the network's input before scaling, see
/// [`setsight_nets::refiner`]. `rgb` is the photo, row by row, of `size_px` columns and rows. `None`
/// if the outline has no area, or if the crop reaches beyond the horizon or lies outside the photo.
pub fn context_crop(rgb: &[u8], size_px: (u32, u32), outline: &Quad) -> Option<RgbImage> {
    let image_from_outline = Homography::between(&outline_in_short_sides(), outline)?;
    let (x, y) = (WIDTH as f64 / OUTLINE_PX.1 / 2.0, HEIGHT as f64 / OUTLINE_PX.1 / 2.0);
    let around = Quad::new([(-x, -y), (x, -y), (x, y), (-x, y)].map(|(x, y)| Point::new(x, y)));
    let quad = image_from_outline.apply_quad(&around);
    // The surroundings of a steep outline may lie beyond the horizon.
    if !quad.is_convex() || !outline.is_convex() {
        return None;
    }
    straightened(rgb, size_px, &quad, (WIDTH as u32, HEIGHT as u32))
}

/// The crop as the network's input: `[3, 64, 96]`, 0 to 1.
pub fn input_of(crop: &RgbImage) -> Vec<f32> {
    let mut input = Vec::with_capacity(3 * WIDTH * HEIGHT);
    push_input(crop, false, &mut input);
    input
}

/// Appends a crop to a batch, as it is or turned by 180 degrees.
fn push_input(crop: &RgbImage, turned: bool, input: &mut Vec<f32>) {
    let start = input.len();
    planes::push(crop.as_raw(), input);
    if turned {
        input[start..].chunks_exact_mut(WIDTH * HEIGHT).for_each(<[f32]>::reverse);
    }
}

/// The network's outputs for each outline, for its crop unchanged or turned by 180 degrees, one after
/// the other. `None` if there is no crop.
fn numbers<const ENDS: usize>(
    frame: &Frame,
    outlines: &[Quad],
    network: &dyn RefinerNetwork,
    turned: [bool; ENDS],
) -> Result<Vec<Option<[[f32; OUTPUTS]; ENDS]>>, NetworkError> {
    /// Outlines per batch. A whole deck in a heap has more than a thousand crops, a hundred
    /// megabytes.
    const AT_ONCE: usize = 32;
    let photo = (frame.as_raw(), frame.dimensions());
    let mut all = Vec::with_capacity(outlines.len());
    for outlines in outlines.chunks(AT_ONCE) {
        let mut input = Vec::new();
        let mut crops = 0;
        let mut has_crop = Vec::with_capacity(outlines.len());
        for outline in outlines {
            let crop = context_crop(photo.0, photo.1, outline);
            has_crop.push(crop.is_some());
            if let Some(crop) = crop {
                turned.iter().for_each(|&turned| push_input(&crop, turned, &mut input));
                crops += ENDS;
            }
        }
        let numbers = if crops == 0 { Vec::new() } else { network.answers(input, crops)? };
        let mut of_outlines = numbers.as_chunks().0.as_chunks().0.iter().copied();
        all.extend(
            has_crop.into_iter().map(|has_crop| if has_crop { of_outlines.next() } else { None }),
        );
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers each crop with a function of its three channels.
    struct OfCrop<F>(F);

    impl<F: Fn(&[f32]) -> [f32; OUTPUTS] + Send + Sync> RefinerNetwork for OfCrop<F> {
        fn answers(&self, input: Vec<f32>, crops: usize) -> Result<Vec<f32>, NetworkError> {
            let views = input.chunks_exact(3 * WIDTH * HEIGHT);
            assert_eq!(views.len(), crops);
            Ok(views.flat_map(&self.0).collect())
        }
    }

    fn frame(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 3]) -> Frame {
        RgbImage::from_fn(width, height, |x, y| image::Rgb(pixel(x, y)))
    }

    fn card_at(x: f64, y: f64) -> Quad {
        Quad::new(Quad::rectangle(77.0, 50.0).0.map(|p| p + Point::new(x, y)))
    }

    #[test]
    fn the_outline_fills_the_middle_of_its_context_crop() {
        let outline = Quad::new(
            [(60.0, 50.0), (150.0, 60.0), (144.0, 116.0), (54.0, 108.0)]
                .map(|(x, y)| Point::new(x, y)),
        );
        let inside =
            |x: u32, y: u32| outline.contains(Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5));
        let frame = frame(220, 180, |x, y| [if inside(x, y) { 220 } else { 20 }, 0, 255]);
        let crop = context_crop(frame.as_raw(), frame.dimensions(), &outline).unwrap();
        assert_eq!(crop.dimensions(), (WIDTH as u32, HEIGHT as u32));
        let (left, top) = ((96.0 - OUTLINE_PX.0) / 2.0, (64.0 - OUTLINE_PX.1) / 2.0);
        for (x, y, pixel) in crop.enumerate_pixels() {
            let (x, y) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
            let depth = (x - left).min(96.0 - left - x).min(y - top).min(64.0 - top - y);
            if depth.abs() > 1.5 {
                assert_eq!(pixel.0[0] > 120, depth > 0.0, "{x} {y}");
            }
        }
        let planes = input_of(&crop);
        assert_eq!(planes.len(), 3 * WIDTH * HEIGHT);
        assert_eq!((planes[WIDTH * HEIGHT], planes[2 * WIDTH * HEIGHT]), (0.0, 1.0));
    }

    #[test]
    fn outlines_without_a_crop_have_no_answer() {
        let frame = frame(300, 200, |_, _| [0; 3]);
        let (outline, far) = (card_at(80.0, 60.0), card_at(5e3, 60.0));
        let line = Quad::new([0.0, 10.0, 20.0, 30.0].map(|v| Point::new(v, v)));
        let mut numbers = [0.0; OUTPUTS];
        numbers[RIGHT] = 1.5;
        let says = OfCrop(|_: &[f32]| numbers);
        // More crops than one batch.
        let many = [vec![line, outline, far], vec![outline; 70]].concat();
        for classify in [classify, classify_augmented] {
            let found = classify(&frame, &many, &says).unwrap();
            let right: Vec<_> = found.iter().map(|answer| answer.map(|a| a.right)).collect();
            assert_eq!(right[..4], [None, Some(1.5), None, Some(1.5)]);
            assert_eq!((right.len(), right[72]), (73, Some(1.5)));
            assert_eq!(classify(&frame, &[], &says).unwrap(), []);
        }
    }

    #[test]
    fn corners_are_corrected_where_the_outline_lies() {
        let frame = frame(300, 200, |_, _| [0; 3]);
        let outline = card_at(80.0, 60.0);
        let standing = Quad::new([1, 2, 3, 0].map(|i| outline.0[i]));
        let mut numbers = [0.0; OUTPUTS];
        // All corners move by a fifth of a short side along the first edge, the third also by half
        // a side down.
        (0..4).for_each(|i| numbers[2 * i] = 0.2);
        numbers[5] = 0.5;
        let quads = [outline, standing];
        let found = classify(&frame, &quads, &OfCrop(|_: &[f32]| numbers)).unwrap();
        let off = |i: usize, k: usize| found[i].unwrap().corrected.unwrap().0[k] - quads[i].0[k];
        let near = |p: Point, x: f64, y: f64| p.distance(Point::new(x, y)) < 0.05;
        assert!(near(off(0, 0), 10.0, 0.0) && near(off(0, 2), 10.0, 25.0), "{found:?}");
        // The offset follows the first edge, whatever its direction, and the outline's own stretch.
        assert!(near(off(1, 0), 0.0, 0.2 / 1.54 * 50.0), "{found:?}");
    }

    #[test]
    fn from_augmented_the_mean_counts() {
        // White to the left of x = 100, which is the card's middle.
        let frame = frame(200, 200, |x, _| [if x < 100 { 255 } else { 0 }; 3]);
        let network = OfCrop(|view: &[f32]| {
            let left = view.iter().enumerate().filter(|(i, _)| i % WIDTH < WIDTH / 2);
            let bright = left.map(|(_, v)| v).sum::<f32>() / (1.5 * (WIDTH * HEIGHT) as f32);
            let mut answer = [0.0; OUTPUTS];
            (answer[RIGHT], answer[VALUES]) = (bright, bright);
            answer
        });
        let outline = [card_at(61.5, 75.0)];
        let one = classify(&frame, &outline, &network).unwrap()[0].unwrap();
        let both = classify_augmented(&frame, &outline, &network).unwrap()[0].unwrap();
        assert_eq!(augmented(&frame, &outline, &[Some(one)], &network).unwrap(), [Some(both)]);
        assert!(
            is_near(one.right, 1.0) && is_near(both.right, 0.5) && is_near(both.values[0], 0.5)
        );
    }

    fn is_near(a: f32, b: f32) -> bool {
        (a - b).abs() < 0.02
    }
}
