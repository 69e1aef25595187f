//! A photo as the board would show it.

use anyhow::{Context, bail};
use image::imageops::{self, FilterType};
use image::{Rgb, RgbImage};
use setsight_game::sets;
use setsight_h7::parts::board::{self, Framed};
use setsight_h7::{Net, Seen, seen};
use setsight_photo::geometry::{Point, Quad};
use setsight_vision::PhotoReader;
use setsight_vision::output::overlay::{offset, outline, text_centred};
use std::path::Path;

/// The frame's pixels are drawn so many times as large.
const SCALE: u32 = 3;
const GREY: Rgb<u8> = Rgb([128, 128, 128]);
const BLACK: Rgb<u8> = Rgb([0, 0, 0]);
/// Those of `main.py`.
const SET_COLORS: [Rgb<u8>; 6] = [
    Rgb([255, 60, 60]),
    Rgb([60, 220, 60]),
    Rgb([80, 120, 255]),
    Rgb([255, 200, 0]),
    Rgb([255, 0, 255]),
    Rgb([0, 230, 230]),
];

/// A frame of the photo with the board's readings and sets, and how many cards and sets it shows.
/// Where the cards lie is found here, not by the board's own script.
pub fn preview(photo: &Path, net: &Net) -> anyhow::Result<(RgbImage, [usize; 2])> {
    let read = PhotoReader::new()?.read_file(photo).context("--preview")?;
    let quads: Vec<Quad> = read.table.cards.iter().map(|card| card.corners_in_image).collect();
    let Some(framed) = board::frame_photo(&read.image, &quads) else {
        bail!("--preview {}: shows no card; give a photo of a table", photo.display());
    };
    let cards = seen(net, &framed);
    Ok(draw(&framed, &cards))
}

/// As `draw` of `main.py`: a code on each card, and for each set a frame around its cards.
fn draw(framed: &Framed, cards: &[Seen]) -> (RgbImage, [usize; 2]) {
    let frame = &framed.frame;
    let bytes = frame.channels().flatten().collect();
    let small = RgbImage::from_raw(frame.width as u32, frame.height as u32, bytes)
        .expect("three bytes for each pixel");
    let (width, height) = (small.width() * SCALE, small.height() * SCALE);
    let mut picture = imageops::resize(&small, width, height, FilterType::Nearest);
    let scale = f64::from(SCALE);
    let place = |(x, y): (i32, i32)| Point::new(f64::from(x) * scale, f64::from(y) * scale);
    let quads: Vec<Quad> =
        framed.corners.iter().map(|corners| Quad::new(corners.map(place))).collect();
    for (quad, seen) in quads.iter().zip(cards) {
        let (text, color) = match seen.unsure {
            true => (format!("{}?", seen.card), GREY),
            false => (seen.card.to_string(), BLACK),
        };
        text_centred(&mut picture, quad.center(), 9.0 * scale, color, &text);
        if seen.unsure {
            outline(&mut picture, quad, 2.0 * scale, GREY, None);
        }
    }
    let sure: Vec<usize> = (0..cards.len()).filter(|&i| !cards[i].unsure).collect();
    let codes: Vec<_> = sure.iter().map(|&i| cards[i].card).collect();
    let found = sets::find_all(&codes);
    for (number, set) in found.iter().enumerate() {
        let color = SET_COLORS[number % SET_COLORS.len()];
        let grow = f64::from(1 + 3 * (number as u32 % 4)) * scale;
        for place in set.0 {
            let quad = offset(&quads[sure[place]], grow);
            outline(&mut picture, &quad, 2.0 * scale, color, None);
        }
    }
    (picture, [cards.len(), found.len()])
}
