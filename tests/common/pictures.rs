//! Pictures for tests, made here.

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
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
    let component = |id: u8| [id, 0x11, 0];
    let components: Vec<u8> = (1..=4).flat_map(component).collect();
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
    while bits.len() % 8 != 0 {
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
