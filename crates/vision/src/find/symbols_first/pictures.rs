//! Draws the classical finder's intermediate results, for people.

use super::{maps::BinaryMap, symbols::Symbol};
use crate::find::working_image::{Working, WorkingQuad};
use crate::overlay;
use image::{DynamicImage, GrayImage, Rgb, RgbImage, imageops};
use opencv::prelude::*;
use setsight_game::cards::Shape;
use setsight_photo::Frame;
use setsight_photo::geometry::{Point, Quad};

const INK: Rgb<u8> = Rgb([255, 255, 255]);
const GROUND: Rgb<u8> = Rgb([40, 40, 44]);
const DIAMONDS: Rgb<u8> = Rgb([0, 158, 115]);
const OVALS: Rgb<u8> = Rgb([86, 180, 233]);
const SQUIGGLES: Rgb<u8> = Rgb([230, 159, 0]);
/// Size of captions, in pixels.
const SMALL_PX: f64 = 13.0;

/// The binary maps in which symbols and cards are searched for, each scaled down to a third of the
/// working image's width.
pub(crate) fn maps(working: &Working, maps: &[BinaryMap]) -> opencv::Result<RgbImage> {
    let [width, height] = [working.width, working.height].map(|side| (side as u32).div_ceil(3));
    let mut pictures = Vec::new();
    for (i, map) in maps.iter().enumerate() {
        let full = [map.pixels.cols() as u32, map.pixels.rows() as u32];
        let pixels = map.pixels.data_bytes()?.to_vec();
        let full = GrayImage::from_raw(full[0], full[1], pixels).expect("whole rows");
        let small = DynamicImage::ImageLuma8(imageops::thumbnail(&full, width, height));
        pictures.push((format!("{} {}", i + 1, map.name), small.into_rgb8()));
    }
    Ok(sheet_of(&pictures, 3))
}

/// The working image with all detected symbols: diamonds green, ovals blue, squiggles orange, each
/// with its IoU in per cent and the number of maps that show it.
pub(crate) fn symbols(frame: &Frame, working: &Working, symbols: &[Symbol]) -> RgbImage {
    let mut picture = working_picture(frame, working);
    // The best on top.
    for symbol in symbols.iter().rev() {
        let color = match symbol.shape {
            Shape::Diamond => DIAMONDS,
            Shape::Oval => OVALS,
            Shape::Squiggle => SQUIGGLES,
        };
        // The semi-axes of a filled ellipse are twice its standard deviations.
        let (u, v, c) = (symbol.frame.minor * 2.0, symbol.frame.major * 2.0, symbol.frame.center);
        let quad = Quad::new([c - u - v, c + u - v, c + u + v, c - u + v]);
        overlay::outline(&mut picture, &quad, 2.0, color, None);
        let label = format!("{:.0}/{}", 100.0 * symbol.iou, symbol.votes);
        let width = overlay::text_width(&label, SMALL_PX);
        let corner = (c.x - 0.6 * width, c.y - 0.6 * SMALL_PX);
        overlay::rectangle(&mut picture, corner, (1.2 * width, 1.2 * SMALL_PX), GROUND, 0.85);
        overlay::text_centred(&mut picture, c, SMALL_PX, INK, &label);
    }
    picture
}

/// The working image with the quadrangles among its contours, thin and pale, and those that have a
/// card's size on the table, green.
pub(crate) fn contours(
    frame: &Frame,
    working: &Working,
    all: &[WorkingQuad],
    cards: &[WorkingQuad],
) -> RgbImage {
    let mut picture = working_picture(frame, working);
    for (quads, width, color) in [(all, 1.0, INK), (cards, 2.5, DIAMONDS)] {
        for quad in quads {
            overlay::outline(&mut picture, &Quad::new(quad.0), width, color, None);
        }
    }
    picture
}

fn working_picture(frame: &Frame, working: &Working) -> RgbImage {
    let (width, height) = (working.width as u32, working.height as u32);
    imageops::resize(frame, width, height, imageops::FilterType::Triangle)
}

/// Pictures of one size in rows, each with its caption below it.
fn sheet_of(pictures: &[(String, RgbImage)], columns: u32) -> RgbImage {
    let (width, height) = pictures.first().map_or((8, 8), |(_, picture)| picture.dimensions());
    let (cell_width, cell_height) = (width + 8, height + 2 * SMALL_PX as u32);
    let rows = (pictures.len() as u32).div_ceil(columns).max(1);
    let mut sheet = RgbImage::from_pixel(columns * cell_width, rows * cell_height, GROUND);
    for (i, (caption, picture)) in (0..).zip(pictures) {
        let (left, top) = (i % columns * cell_width + 4, i / columns * cell_height + 4);
        imageops::replace(&mut sheet, picture, left.into(), top.into());
        let at = Point::new(f64::from(left), f64::from(top + height) + 0.7 * SMALL_PX);
        overlay::text(&mut sheet, at, SMALL_PX, INK, caption);
    }
    sheet
}
