//! The pixels that the cards are read from, beside those that OpenCV makes.
#![cfg(feature = "opencv")]

use image::{Rgb, RgbImage};
use opencv::core::{BORDER_REPLICATE, Mat, MatTraitConst, MatTraitConstManual, Rect, Scalar, Size};
use opencv::imgproc;
use setsight_photo::geometry::{Homography, Point, Quad};
use setsight_photo::pixels::{Outside, View, block_means, luma, warped};

/// A picture of lines, gradients and grain.
fn picture() -> RgbImage {
    let mut state = 7u32;
    RgbImage::from_fn(211, 157, |x, y| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let grain = state >> 28;
        let line = if (x / 9 + y / 13) % 4 == 0 { 90 } else { 0 };
        Rgb([x + grain, y + grain + line, 255u32.saturating_sub(x.abs_diff(y) + line)]
            .map(|v| v.min(255) as u8))
    })
}

/// Largest difference of two levels, and the share of those that differ.
fn differences(ours: &[u8], theirs: &[u8]) -> (u8, f64) {
    assert_eq!(ours.len(), theirs.len());
    let off = ours.iter().zip(theirs).map(|(a, b)| a.abs_diff(*b));
    let share = off.clone().filter(|&off| off > 0).count() as f64 / ours.len() as f64;
    (off.max().unwrap(), share)
}

#[test]
fn a_warped_picture_is_nearly_that_of_opencv() {
    let image = picture();
    let mat = Mat::from_slice(image.as_raw()).unwrap();
    let mat = mat.reshape(3, image.height() as i32).unwrap();
    let corners = [(30.2, 20.7), (190.1, 8.4), (205.9, 140.3), (-4.5, 120.6)];
    let quad: Quad = Quad::new(corners.map(|(x, y)| Point::new(x, y)));
    let map: Homography = Homography::between(&Quad::rectangle(192.0, 128.0), &quad).unwrap();
    let ours = warped(View::from_image(&image).unwrap(), &map, (192, 128), Outside::Border);

    // OpenCV counts from the centre of the first pixel.
    let half = Homography(nalgebra::Matrix3::new(1.0, 0.0, 0.5, 0.0, 1.0, 0.5, 0.0, 0.0, 1.0));
    let back = half.inverse().unwrap();
    let rows = back.after(&map).after(&half).0.transpose();
    let matrix = Mat::from_slice(rows.as_slice()).unwrap();
    let matrix = matrix.reshape(1, 3).unwrap();
    let (mut theirs, size) = (Mat::default(), Size::new(192, 128));
    let flags = imgproc::INTER_LINEAR | imgproc::WARP_INVERSE_MAP;
    let (border, none) = (BORDER_REPLICATE, Scalar::default());
    opencv::opencv_branch_5! {{
        let hint = opencv::core::AlgorithmHint::ALGO_HINT_DEFAULT;
        imgproc::warp_perspective(&mat, &mut theirs, &matrix, size, flags, border, none, hint).unwrap();
    } else {
        imgproc::warp_perspective(&mat, &mut theirs, &matrix, size, flags, border, none).unwrap();
    }}
    let (most, share) = differences(&ours, theirs.data_bytes().unwrap());
    // Places half way between two parts of a pixel may be rounded either way.
    assert!(most <= 4 && share < 0.001, "{most} in {share}");
}

#[test]
fn means_and_greys_are_those_of_opencv_to_a_level() {
    let image = picture();
    let mat = Mat::from_slice(image.as_raw()).unwrap();
    let mat = mat.reshape(3, image.height() as i32).unwrap();
    for (by, size) in [(2, (90, 60)), (3, (60, 40)), (4, (45, 30)), (7, (20, 15)), (16, (10, 8))] {
        let part = Rect::new(11, 7, (size.0 * by) as i32, (size.1 * by) as i32);
        let (part, mut theirs) = (Mat::roi(&mat, part).unwrap(), Mat::default());
        let small = Size::new(size.0 as i32, size.1 as i32);
        imgproc::resize(&part, &mut theirs, small, 0.0, 0.0, imgproc::INTER_AREA).unwrap();
        let ours = block_means(View::from_image(&image).unwrap(), (11, 7), size, by);
        let (most, share) = differences(&ours, theirs.data_bytes().unwrap());
        // OpenCV rounds halves to even numbers from blocks of 3 x 3 on.
        assert!(most <= 1 && share < 0.06, "{by}: {most} in {share}");
    }
    let mut theirs = Mat::default();
    imgproc::cvt_color_def(&mat, &mut theirs, imgproc::COLOR_RGB2GRAY).unwrap();
    let (most, share) = differences(&luma(&image), theirs.data_bytes().unwrap());
    assert!(most <= 1 && share < 0.01, "{most} in {share}");
}
