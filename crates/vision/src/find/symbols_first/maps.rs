//! The binary maps in which symbols and cards are searched for.
//!
//! No single threshold shows all symbols of a photo; several cheap maps of different kinds do. A true
//! symbol appears in many of them, a chance shape in one.

use crate::find::working_image::Working;
use opencv::core::{self, CV_8U, Mat, Scalar, Size};
use opencv::imgproc;
use opencv::prelude::*;

#[derive(Debug)]
pub(crate) struct BinaryMap {
    /// 255 is dark or ink, 0 is light.
    pub pixels: Mat,
    /// What it shows.
    pub name: &'static str,
}

/// Windows of the local mean, as shares of the long side.
const LOCAL_WINDOWS: [f64; 2] = [0.018, 0.044];
/// How much darker than the local mean a pixel must be, in levels of 255.
const LOCAL_OFFSETS: [f64; 2] = [5.0, 10.0];
/// Window of the local white, as a share of the long side.
const WHITE_WINDOW: f64 = 0.050;
/// Thresholds of the ink, where white is 0 and black is 1.
const INK: [f64; 2] = [0.10, 0.26];

/// Makes the maps of one working image.
pub(crate) fn maps(working: &Working) -> opencv::Result<Vec<BinaryMap>> {
    let long = working.width.max(working.height) as f64;
    let mut maps = Vec::new();
    let darker = imgproc::THRESH_BINARY_INV;

    let rgb = Mat::from_slice(working.rgb.as_raw())?;
    let rgb = rgb.reshape(3, working.height as i32)?.try_clone()?;
    let dark = darkest_channel(&blurred(&rgb, 5)?)?;
    for window in LOCAL_WINDOWS {
        for offset in LOCAL_OFFSETS {
            let mut pixels = Mat::default();
            let (mean, side) = (imgproc::ADAPTIVE_THRESH_MEAN_C, odd(window * long));
            imgproc::adaptive_threshold(&dark, &mut pixels, 255.0, mean, darker, side, offset)?;
            maps.push(BinaryMap { pixels, name: "darker than around" });
        }
    }
    let paper = paper_of(&blurred(&rgb, 3)?, WHITE_WINDOW * long)?;
    for ink in INK {
        let mut pixels = Mat::default();
        imgproc::threshold(&paper, &mut pixels, PAPER * (1.0 - ink), 255.0, darker)?;
        maps.push(BinaryMap { pixels, name: "ink" });
    }
    Ok(maps)
}

/// Level of pixels as light as the local white.
const PAPER: f64 = 200.0;

/// The darkest channel relative to the local white, 0 (black) to [`PAPER`] and more. The local white
/// is a grey closing over `window_px`. It is smooth, so it is computed at a quarter of the size.
fn paper_of(rgb: &Mat, window_px: f64) -> opencv::Result<Mat> {
    const SHRINK: f64 = 0.25;
    let side = odd(window_px * SHRINK);
    let (mut small, mut closed, mut smooth) = (Mat::default(), Mat::default(), Mat::default());
    let area = imgproc::INTER_AREA;
    imgproc::resize(rgb, &mut small, Size::default(), SHRINK, SHRINK, area)?;
    let round =
        imgproc::get_structuring_element_def(imgproc::MORPH_ELLIPSE, Size::new(side, side))?;
    imgproc::morphology_ex_def(&small, &mut closed, imgproc::MORPH_CLOSE, &round)?;
    let blur = odd(f64::from(side) / 2.0);
    imgproc::blur_def(&closed, &mut smooth, Size::new(blur, blur))?;
    let (mut white, mut lit, mut relative) = (Mat::default(), Mat::default(), Mat::default());
    imgproc::resize_def(&smooth, &mut white, rgb.size()?)?;
    // A white below this is indistinguishable from noise.
    let darkest_white = Scalar::all(16.0);
    core::max(&white, &darkest_white, &mut lit)?;
    core::divide2(rgb, &lit, &mut relative, PAPER, -1)?;
    darkest_channel(&relative)
}

/// The darkest channel of each pixel: every ink of the game is dark in at least one channel.
fn darkest_channel(rgb: &Mat) -> opencv::Result<Mat> {
    let mut dark =
        Mat::new_rows_cols_with_default(rgb.rows(), rgb.cols(), CV_8U, Scalar::all(0.0))?;
    for (out, px) in dark.data_bytes_mut()?.iter_mut().zip(rgb.data_bytes()?.chunks_exact(3)) {
        *out = px[0].min(px[1]).min(px[2]);
    }
    Ok(dark)
}

/// Blurs by a Gaussian of `side` by `side` pixels.
fn blurred(image: &Mat, side: i32) -> opencv::Result<Mat> {
    let mut out = Mat::default();
    imgproc::gaussian_blur_def(image, &mut out, Size::new(side, side), 0.0)?;
    Ok(out)
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

    /// The name and the pixels of each map, of 400 x 300 pixels.
    fn maps_of(frame: &Frame) -> Vec<(&'static str, Vec<u8>)> {
        let maps = maps(&Working::new(frame, 400.0)).unwrap();
        maps.iter().map(|map| (map.name, map.pixels.data_bytes().unwrap().to_vec())).collect()
    }

    fn one_card() -> Frame {
        photo((400, 300), &[FlatCard::at(card_at(150.0, 120.0, 0.2))])
    }

    #[test]
    fn every_map_shows_a_symbol_or_its_outline_and_none_shows_plain_paper() {
        let paper = RgbImage::from_pixel(400, 300, image::Rgb([235, 233, 228]));
        for (name, pixels) in maps_of(&paper) {
            assert!(pixels.iter().all(|&value| value == 0), "{name}");
        }
        let frame = one_card();
        let card = card_at(150.0, 120.0, 0.2);
        for (name, pixels) in maps_of(&frame) {
            let marked =
                |p: setsight_photo::geometry::Point| pixels[p.y as usize * 400 + p.x as usize] > 0;
            // Points across a symbol's edge, from the white into the ink.
            let (left, right) = (card.0[0].lerp(card.0[3], 0.5), card.0[1].lerp(card.0[2], 0.5));
            let across = (30..50).map(|i| left.lerp(right, f64::from(i) / 100.0));
            assert!(across.filter(|p| marked(*p)).count() >= 2, "{name}");
            // The white between the symbols and the card's edge, out of reach of all windows.
            assert!(!marked(left.lerp(right, 0.14)), "{name}");
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
        let [bright, dim] = [&bright, &dim]
            .map(|frame| maps_of(frame).into_iter().find(|map| map.0 == "ink").unwrap().1);
        let differ = bright.iter().zip(&dim).filter(|(a, b)| a != b).count();
        let inked = bright.iter().filter(|value| **value > 0).count();
        assert!(inked > 500 && differ * 10 < inked, "{differ} of {inked}");
    }
}
