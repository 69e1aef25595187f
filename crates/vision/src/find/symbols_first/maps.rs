//! The binary maps in which symbols and borders are searched for.
//!
//! No single threshold shows all symbols of a photo; ten cheap maps of different kinds do. A true
//! symbol appears in many of them, a chance shape in one.

use crate::find::working::Working;
use opencv::core::{self, BORDER_REPLICATE, CV_8U, CV_16S, Mat, Point as CvPoint, Scalar, Size};
use opencv::imgproc;
use opencv::prelude::*;

/// The kind of a binary map; it names the map's picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum MapKind {
    /// Darker than the local mean.
    Local,
    /// Edges, thickened so that outlines close.
    Edges,
    /// Darker than the local white in some channel.
    Ink,
    /// Ink at half resolution, where stripes merge.
    CoarseInk,
}

/// A binary map: 255 is dark or ink, 0 is light.
#[derive(Debug)]
pub(crate) struct BinaryMap<'a> {
    /// Row by row, [`Self::width`] columns.
    pub pixels: &'a [u8],
    /// Columns of this map.
    pub width: usize,
    /// Working pixels per pixel of this map: 1 or 2.
    pub step: f64,
    /// The kind of this map.
    pub kind: MapKind,
}

/// Windows of the local mean, as shares of the long side.
const LOCAL_WINDOWS: [f64; 2] = [0.018, 0.044];
/// How much darker than the local mean a pixel must be, in levels of 255.
const LOCAL_OFFSETS: [i16; 2] = [4, 9];
/// Lower and upper threshold of Canny's hysteresis, on the L1 gradient of the darkest channel.
const CANNY: [(f64, f64); 2] = [(10.0, 30.0), (25.0, 70.0)];
const WHITE_WINDOW: f64 = 0.050;
const COARSE_WHITE_WINDOW: f64 = 0.087;
/// Thresholds of the ink, where white is 0 and black is [`INK_FULL`].
const INK: [u8; 2] = [20, 52];
const COARSE_INK: [u8; 2] = [10, 26];
const INK_FULL: f64 = 200.0;

/// Makes the ten maps one by one and passes each to `use_map`.
///
/// # Errors
/// OpenCV failed, for instance for lack of memory; and those of `use_map`.
pub(crate) fn for_each_map(
    working: &Working,
    mut use_map: impl FnMut(&BinaryMap<'_>) -> opencv::Result<()>,
) -> opencv::Result<()> {
    let long = working.width.max(working.height) as f64;
    let mut map = vec![0u8; working.width * working.height];

    let rgb = Mat::from_slice(working.rgb.as_raw())?;
    let rgb = rgb.reshape(3, working.height as i32)?.try_clone()?;
    let smooth = blurred(&rgb, 5)?;
    let dark = darkest_channel(&smooth)?;
    let dark_px = dark.data_bytes()?;
    for window in LOCAL_WINDOWS {
        let side = odd(window * long);
        let mut mean = Mat::default();
        imgproc::box_filter(
            &dark,
            &mut mean,
            CV_8U,
            Size::new(side, side),
            CvPoint::new(-1, -1),
            true,
            BORDER_REPLICATE,
        )?;
        for offset in LOCAL_OFFSETS {
            for ((m, &value), &mean) in map.iter_mut().zip(dark_px).zip(mean.data_bytes()?) {
                *m = if i16::from(value) < i16::from(mean) - offset { 255 } else { 0 };
            }
            use_map(&BinaryMap {
                pixels: &map,
                width: working.width,
                step: 1.0,
                kind: MapKind::Local,
            })?;
        }
    }

    let (mut dx, mut dy) = (Mat::default(), Mat::default());
    imgproc::sobel(&dark, &mut dx, CV_16S, 1, 0, 3, 1.0, 0.0, BORDER_REPLICATE)?;
    imgproc::sobel(&dark, &mut dy, CV_16S, 0, 1, 3, 1.0, 0.0, BORDER_REPLICATE)?;
    let cross = square(3)?;
    for (low, high) in CANNY {
        let (mut edges, mut thick) = (Mat::default(), Mat::default());
        imgproc::canny_derivative(&dx, &dy, &mut edges, low, high, false)?;
        imgproc::dilate(
            &edges,
            &mut thick,
            &cross,
            CvPoint::new(-1, -1),
            1,
            core::BORDER_CONSTANT,
            Scalar::all(0.0),
        )?;
        use_map(&BinaryMap {
            pixels: thick.data_bytes()?,
            width: working.width,
            step: 1.0,
            kind: MapKind::Edges,
        })?;
    }

    let fine = blurred(&rgb, 3)?;

    let ink = ink_of(&fine, WHITE_WINDOW * long, 0.25)?;
    for threshold in INK {
        for (m, &value) in map.iter_mut().zip(ink.data_bytes()?) {
            *m = if value > threshold { 255 } else { 0 };
        }
        let width = working.width;
        use_map(&BinaryMap { pixels: &map, width, step: 1.0, kind: MapKind::Ink })?;
    }

    let mut half = Mat::default();
    imgproc::resize(&fine, &mut half, Size::new(0, 0), 0.5, 0.5, imgproc::INTER_AREA)?;
    let half = blurred(&half, 3)?;
    let coarse = ink_of(&half, COARSE_WHITE_WINDOW * long / 2.0, 0.5)?;
    let width = half.cols() as usize;
    map.resize(width * half.rows() as usize, 0);
    for threshold in COARSE_INK {
        for (m, &value) in map.iter_mut().zip(coarse.data_bytes()?) {
            *m = if value > threshold { 255 } else { 0 };
        }
        use_map(&BinaryMap { pixels: &map, width, step: 2.0, kind: MapKind::CoarseInk })?;
    }
    Ok(())
}

/// The ink: how much darker than the local white the darkest channel is, 0 (white) to [`INK_FULL`]
/// (black), one byte per pixel. The local white is a grey closing over `window_px`. It is smooth,
/// so it is computed at `shrink` of the size.
fn ink_of(rgb: &Mat, window_px: f64, shrink: f64) -> opencv::Result<Mat> {
    let mut small = Mat::default();
    imgproc::resize(rgb, &mut small, Size::new(0, 0), shrink, shrink, imgproc::INTER_AREA)?;
    let side = odd(window_px * shrink);
    let kernel = imgproc::get_structuring_element(
        imgproc::MORPH_ELLIPSE,
        Size::new(side, side),
        CvPoint::new(-1, -1),
    )?;
    let mut white = Mat::default();
    imgproc::morphology_ex(
        &small,
        &mut white,
        imgproc::MORPH_CLOSE,
        &kernel,
        CvPoint::new(-1, -1),
        1,
        BORDER_REPLICATE,
        Scalar::all(0.0),
    )?;
    let blur = odd(f64::from(side) / 2.0);
    let mut smooth = Mat::default();
    imgproc::blur(
        &white,
        &mut smooth,
        Size::new(blur, blur),
        CvPoint::new(-1, -1),
        BORDER_REPLICATE,
    )?;
    imgproc::resize(&smooth, &mut white, rgb.size()?, 0.0, 0.0, imgproc::INTER_LINEAR)?;
    let mut ink = zeros(rgb.rows(), rgb.cols())?;
    {
        let out = ink.data_bytes_mut()?;
        let (rgb, white) = (rgb.data_bytes()?, white.data_bytes()?);
        for ((out, px), white) in out.iter_mut().zip(rgb.chunks_exact(3)).zip(white.chunks_exact(3))
        {
            // A white below this is indistinguishable from noise.
            const DARKEST_WHITE: f32 = 16.0;
            let mut lightest = f32::MAX;
            for c in 0..3 {
                lightest = lightest.min(f32::from(px[c]) / f32::from(white[c]).max(DARKEST_WHITE));
            }
            *out = ((1.0 - lightest).max(0.0) * INK_FULL as f32) as u8;
        }
    }
    Ok(ink)
}

fn zeros(rows: i32, cols: i32) -> opencv::Result<Mat> {
    Mat::new_rows_cols_with_default(rows, cols, CV_8U, Scalar::all(0.0))
}

/// The darkest channel of each pixel: every ink of the game is dark in at least one channel.
pub(crate) fn darkest_channel(rgb: &Mat) -> opencv::Result<Mat> {
    let mut dark = zeros(rgb.rows(), rgb.cols())?;
    for (out, px) in dark.data_bytes_mut()?.iter_mut().zip(rgb.data_bytes()?.chunks_exact(3)) {
        *out = px[0].min(px[1]).min(px[2]);
    }
    Ok(dark)
}

/// Blurs by a Gaussian of `side` by `side` pixels. In two steps, since the signature of `gaussian_blur` changes
/// with OpenCV 4.11.
fn blurred(image: &Mat, side: i32) -> opencv::Result<Mat> {
    let kernel = imgproc::get_gaussian_kernel_def(side, 0.0)?;
    let middle = CvPoint::new(-1, -1);
    let mut out = Mat::default();
    imgproc::sep_filter_2d(
        image,
        &mut out,
        CV_8U,
        &kernel,
        &kernel,
        middle,
        0.0,
        BORDER_REPLICATE,
    )?;
    Ok(out)
}

fn square(side: i32) -> opencv::Result<Mat> {
    imgproc::get_structuring_element(
        imgproc::MORPH_RECT,
        Size::new(side, side),
        CvPoint::new(-1, -1),
    )
}

fn odd(side: f64) -> i32 {
    (side as i32).max(2) | 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::drawn::{FlatCard, card_at, photo};
    use image::RgbImage;
    use setsight_photo::Frame;

    /// The kind, step and pixels of each map.
    fn maps_of(frame: &Frame) -> Vec<(MapKind, f64, usize, Vec<u8>)> {
        let working = Working::new(frame, 400.0);
        let mut maps = Vec::new();
        for_each_map(&working, |map| {
            maps.push((map.kind, map.step, map.width, map.pixels.to_vec()));
            Ok(())
        })
        .unwrap();
        maps
    }

    fn one_card() -> Frame {
        photo((400, 300), &[FlatCard::at(card_at(150.0, 120.0, 0.2))])
    }

    #[test]
    fn there_are_ten_maps_and_two_of_them_at_half_resolution() {
        let maps = maps_of(&one_card());
        let count = |kind| maps.iter().filter(|map| map.0 == kind).count();
        assert_eq!(count(MapKind::Local), 4);
        assert_eq!([MapKind::Edges, MapKind::Ink, MapKind::CoarseInk].map(count), [2, 2, 2]);
        for (kind, step, width, pixels) in &maps {
            let half = *kind == MapKind::CoarseInk;
            assert_eq!((*step, *width), if half { (2.0, 200) } else { (1.0, 400) });
            assert_eq!(pixels.len(), if half { 200 * 150 } else { 400 * 300 });
        }
    }

    #[test]
    fn every_map_shows_a_symbol_or_its_outline_and_none_shows_plain_paper() {
        let paper = RgbImage::from_pixel(400, 300, image::Rgb([235, 233, 228]));
        for (kind, _, _, pixels) in maps_of(&paper) {
            assert!(pixels.iter().all(|&value| value == 0), "{kind:?}");
        }
        let frame = one_card();
        let card = card_at(150.0, 120.0, 0.2);
        for (kind, step, width, pixels) in maps_of(&frame) {
            let marked = |p: setsight_photo::geometry::Point| {
                pixels[(p.y / step) as usize * width + (p.x / step) as usize] > 0
            };
            // Points across a symbol's edge, from the white into the ink.
            let (left, right) = (card.0[0].lerp(card.0[3], 0.5), card.0[1].lerp(card.0[2], 0.5));
            let across = (30..50).map(|i| left.lerp(right, f64::from(i) / 100.0));
            assert!(across.filter(|p| marked(*p)).count() >= 2, "{kind:?}");
            // The white between the symbols and the card's edge, out of reach of all windows.
            assert!(!marked(left.lerp(right, 0.14)), "{kind:?}");
        }
    }

    #[test]
    fn ink_does_not_depend_on_the_light() {
        let bright = one_card();
        let mut dim = bright.clone();
        for (x, _, pixel) in dim.enumerate_pixels_mut() {
            let light = 1.0 - 0.5 * x as f32 / 400.0;
            pixel.0 = pixel.0.map(|value| (f32::from(value) * light) as u8);
        }
        let ink = |frame| maps_of(frame).into_iter().find(|map| map.0 == MapKind::Ink).unwrap().3;
        let (bright, dim) = (ink(&bright), ink(&dim));
        let differ = bright.iter().zip(&dim).filter(|(a, b)| a != b).count();
        let inked = bright.iter().filter(|value| **value > 0).count();
        assert!(inked > 500 && differ * 10 < inked, "{differ} of {inked}");
    }
}
