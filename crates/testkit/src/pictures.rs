//! Pictures for tests, made here.

use image::{DynamicImage, ImageFormat, Rgb, RgbImage, imageops};
use setsight_photo::print::card;
use std::io::Cursor;

/// A table without cards: an uneven green.
pub fn bare_table(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        Rgb([30 + (x % 7) as u8, 90 + (y % 5) as u8, 50 + ((x + y) % 3) as u8])
    })
}

/// A picture as a file.
pub fn encoded(image: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    image.into().write_to(&mut out, format).unwrap();
    out.into_inner()
}

/// A small photo without cards, as PNG.
pub fn small_png() -> Vec<u8> {
    encoded(bare_table(64, 48), ImageFormat::Png)
}

/// The first bytes of a BMP of 10,000 x 10,000 pixels.
pub fn hundred_megapixels() -> Vec<u8> {
    let mut header = b"BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
    header.extend(10_000u32.to_le_bytes());
    header.extend(10_000u32.to_le_bytes());
    header.extend([1, 0, 24, 0]);
    header.extend([0; 24]);
    header
}

/// A CMYK JPEG of one colour, 48 x 48 pixels, as a printer's software writes it: four components,
/// Adobe's marker, values inverted. Strong cyan ink and nothing else: red is low, green and blue
/// are high. Written by the book (ITU T.81): every block is its mean alone.
pub fn cmyk_jpeg() -> Vec<u8> {
    let mut jpeg = vec![0xff, 0xd8];
    let mut marker = |code: u8, content: &[u8]| {
        jpeg.extend([0xff, code]);
        jpeg.extend((content.len() as u16 + 2).to_be_bytes());
        jpeg.extend(content);
    };
    marker(0xee, b"Adobe\0\x64\0\0\0\0\0");
    // Quantisation: a coefficient of 1 moves the block's mean by 1.
    marker(0xdb, &[&[0u8][..], &[8; 64]].concat());
    let components: Vec<u8> = (1..=4).flat_map(|id| [id, 0x11, 0]).collect();
    marker(0xc0, &[&[8, 0, 48, 0, 48, 4][..], &components].concat());
    // Means: codes 00 (as before) and 01 (a difference of seven bits). The rest: 0 (no more).
    let table = |class: u8, lengths: [u8; 2], symbols: &[u8]| {
        [&[class][..], &lengths, &[0; 14], symbols].concat()
    };
    marker(0xc4, &table(0x00, [0, 2], &[0, 7]));
    marker(0xc4, &table(0x10, [1, 0], &[0]));
    let selectors: Vec<u8> = (1..=4).flat_map(|id| [id, 0]).collect();
    marker(0xda, &[&[4][..], &selectors, &[0, 63, 0]].concat());
    // Cyan 28 (128 - 100: much ink), the others 255 (none). A negative difference is written plus
    // 127.
    let first =
        ["01", "0011011", "0", "01", "1111111", "0", "01", "1111111", "0", "01", "1111111", "0"];
    let blocks = 6 * 6;
    let mut bits = first.concat() + &"000".repeat(4 * (blocks - 1));
    while !bits.len().is_multiple_of(8) {
        bits.push('1');
    }
    for byte in bits.as_bytes().chunks(8) {
        let byte = byte.iter().fold(0, |value, &bit| value << 1 | (bit - b'0'));
        jpeg.push(byte);
        if byte == 0xff {
            jpeg.push(0);
        }
    }
    jpeg.extend([0xff, 0xd9]);
    jpeg
}

/// Long side of the cards of [`table`] in pixels.
pub const CARD_PX: u32 = 180;

/// A table seen straight from above, its cards in rows by their codes, lying across. Gives the
/// picture and where the cards are: left and top in pixels, row by row.
pub fn table(rows: &[&[&str]]) -> (RgbImage, Vec<(u32, u32)>) {
    let (gap, short) = (40, CARD_PX * 57 / 89);
    let columns = rows.iter().map(|row| row.len()).max().unwrap_or(0) as u32;
    let width = gap + columns * (CARD_PX + gap);
    let mut image = bare_table(width, gap + rows.len() as u32 * (short + gap));
    let mut places = Vec::new();
    for (y, row) in (0..).zip(rows) {
        for (x, code) in (0..).zip(*row) {
            let (left, top) = (gap + x * (CARD_PX + gap), gap + y * (short + gap));
            let card = card::picture(
                code.parse().unwrap(),
                &card::Print::default(),
                CARD_PX,
                235,
                [31, 91, 51],
            );
            imageops::replace(&mut image, &card, left.into(), top.into());
            places.push((left, top));
        }
    }
    (image, places)
}

/// Twelve cards, all different.
pub const BOARD: [&[&str]; 3] = [
    &["1fgd", "2fgd", "3fgd", "1ord"],
    &["2spo", "1fps", "3oro", "2srs"],
    &["3spd", "1sgo", "2fpd", "3fro"],
];

/// All sets of [`BOARD`], by index from 0 row by row; worked out by hand.
pub const BOARD_SETS: [[usize; 3]; 6] =
    [[0, 1, 2], [1, 3, 8], [1, 5, 11], [3, 5, 9], [3, 7, 11], [7, 8, 9]];

/// A JPEG whose EXIF block says how the camera was held.
pub fn jpeg_held(image: RgbImage, exif_orientation: u8) -> Vec<u8> {
    let jpeg = encoded(image, ImageFormat::Jpeg);
    // One directory with one entry: tag 0x0112, a short, big-endian.
    let mut exif = b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    exif.extend([exif_orientation, 0, 0, 0, 0, 0, 0]);
    let mut held = jpeg[..2].to_vec();
    held.extend([0xff, 0xe1]);
    held.extend((exif.len() as u16 + 2).to_be_bytes());
    held.extend(exif);
    held.extend(&jpeg[2..]);
    held
}
