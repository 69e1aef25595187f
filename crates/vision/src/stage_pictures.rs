//! Draws each stage's picture, for people.

use super::{
    card::{CARD_LONG_PX, CARD_SHORT_PX, CardImage, CardOutline, Reading},
    overlay::{self, Style},
    table_reading::TableReading,
};
use image::{Rgb, RgbImage, imageops};
use setsight_files::whole_file::write_atomic;
use setsight_photo::{Frame, encode, geometry::Point};
use std::{io, path::PathBuf};

const INK: Rgb<u8> = Rgb([255, 255, 255]);
const GROUND: Rgb<u8> = Rgb([40, 40, 44]);
const FOR: Rgb<u8> = Rgb([0, 158, 115]);
const AGAINST: Rgb<u8> = Rgb([230, 159, 0]);
/// Size of captions, in pixels.
const SMALL_PX: f64 = 13.0;
/// Number of cards in a row of a sheet of straightened cards.
const SHEET_COLUMNS: u32 = 4;
/// Room for a caption below each card of a sheet, in pixels.
const CAPTION_PX: u32 = 44;

/// Writes the stages' pictures into a folder, numbered in order of arrival.
pub struct PictureFolder {
    folder: PathBuf,
    count: usize,
}

impl PictureFolder {
    /// Writes into this folder, which is created.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn new(folder: PathBuf) -> io::Result<Self> {
        std::fs::create_dir_all(&folder)?;
        Ok(Self { folder, count: 0 })
    }

    /// Writes the picture of a stage as a PNG.
    ///
    /// # Errors
    /// It cannot be written; nothing half-written stays.
    pub fn write(&mut self, stage: &str, picture: &RgbImage) -> io::Result<()> {
        self.count += 1;
        let path = self.folder.join(format!("{}-{stage}.png", self.count));
        write_atomic(&path, &encode::png(picture).map_err(io::Error::other)?)
    }
}

/// The photo with the finder's outlines and their log odds: green if positive, otherwise orange.
pub(crate) fn outlines(frame: &Frame, outlines: &[CardOutline]) -> RgbImage {
    let mut picture = frame.clone();
    for outline in outlines {
        let quad = &outline.corners_in_image;
        let color = if outline.score > 0.0 { FOR } else { AGAINST };
        overlay::outline(&mut picture, quad, (0.02 * quad.long_side()).max(2.0), color, None);
        let size = (0.14 * quad.long_side()).max(11.0);
        let label = format!("{:.1}", outline.score);
        let (middle, width) = (quad.0[0].lerp(quad.0[1], 0.5), overlay::text_width(&label, size));
        let corner = (middle.x - 0.6 * width, middle.y - 0.55 * size);
        overlay::rectangle(&mut picture, corner, (1.2 * width, 1.1 * size), GROUND, 0.85);
        overlay::text_centred(&mut picture, middle, size, INK, &label);
    }
    picture
}

/// All straightened cards on one sheet.
pub(crate) fn cards(images: &[CardImage]) -> RgbImage {
    sheet(images, |i| {
        let image = &images[i];
        [
            format!("{i}: {:.0} px", image.long_side_in_image_px),
            format!("cast {:.3}", image.light_cast),
        ]
    })
}

/// All straightened cards on one sheet, with their readings.
pub(crate) fn readings(images: &[CardImage], readings: &[Reading]) -> RgbImage {
    sheet(images, |i| {
        let reading = &readings[i];
        let (best, probability) = reading.best();
        // The highest probability of each property, in the order of the code.
        let sure =
            reading.values.map(|v| format!("{:.0}", 100.0 * v.iter().copied().fold(0.0, f32::max)));
        [
            format!("{i}: {best} {probability:.2}, card {:.2}", reading.is_card),
            format!("{} %", sure.join(" ")),
        ]
    })
}

/// The photo with the board's cards and sets.
pub(crate) fn board(frame: &Frame, table: &TableReading) -> RgbImage {
    overlay::draw(frame, table, &Style { codes: true, ..Style::default() })
}

fn sheet(images: &[CardImage], caption: impl Fn(usize) -> [String; 2]) -> RgbImage {
    let (cell_width, cell_height) = (CARD_LONG_PX + 16, CARD_SHORT_PX + CAPTION_PX);
    let rows = (images.len() as u32).div_ceil(SHEET_COLUMNS).max(1);
    let mut sheet = RgbImage::from_pixel(SHEET_COLUMNS * cell_width, rows * cell_height, GROUND);
    for (i, image) in images.iter().enumerate() {
        let (column, row) = (i as u32 % SHEET_COLUMNS, i as u32 / SHEET_COLUMNS);
        let (left, top) = (column * cell_width + 8, row * cell_height + 8);
        imageops::replace(&mut sheet, &image.pixels, left.into(), top.into());
        for (line, text) in caption(i).iter().enumerate() {
            let y = f64::from(top + CARD_SHORT_PX) + 9.0 + 15.0 * line as f64;
            overlay::text(&mut sheet, Point::new(left.into(), y), SMALL_PX, INK, text);
        }
    }
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_holds_the_stages_in_their_order() {
        let dir = tempfile::tempdir().unwrap();
        let mut folder = PictureFolder::new(dir.path().join("a photo")).unwrap();
        for stage in ["load", "segment"] {
            folder.write(stage, &RgbImage::new(4, 4)).unwrap();
        }
        assert!(dir.path().join("a photo/1-load.png").is_file());
        assert!(dir.path().join("a photo/2-segment.png").is_file());
    }
}
