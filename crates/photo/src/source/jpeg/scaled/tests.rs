//! Scaled decoding beside that of whole pictures.

use super::super::super::{Photo, decode as decode_full, decode_to_read};
use super::*;
use crate::geometry::Point;
use crate::pixels::{View, block_means};
use std::sync::atomic::AtomicBool;

/// Writes codes and values behind each other.
#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    bits: u64,
    count: u32,
}

impl Writer {
    fn put(&mut self, bits: u32, count: u32) {
        self.bits = self.bits << count | u64::from(bits);
        self.count += count;
        while self.count >= 8 {
            self.count -= 8;
            let byte = (self.bits >> self.count) as u8;
            self.bytes.push(byte);
            if byte == 0xff {
                self.bytes.push(0);
            }
        }
    }

    fn value(&mut self, value: i32) -> u32 {
        let size = 32 - value.unsigned_abs().leading_zeros();
        let bits = if value < 0 { value - 1 } else { value } as u32;
        self.put(bits & ((1 << size) - 1), size);
        size
    }

    fn align(&mut self) {
        let fill = (8 - self.count % 8) % 8;
        self.put((1 << fill) - 1, fill);
    }
}

/// Codes of zeros and sizes in a table of the shortest code for the end of a block, and of others of 8, 9 and
/// 12 bits.
fn code_of(zeros: u32, size: u32) -> (u32, u32) {
    let index = zeros * 10 + size - 1;
    match index {
        0..=99 => (0x80 + index, 8),
        100..=119 => (2 * (0x80 + 100) + index - 100, 9),
        _ => (8 * (2 * (0x80 + 100) + 20) + index - 120, 12),
    }
}

/// A JPEG whose luma has so many samples for each of its colours, with a marker after so many units. Its waves
/// are long, but for a little.
fn jpeg((width, height): (u16, u16), sampling: Option<(u8, u8)>, restart: u16) -> Vec<u8> {
    let side = |side: u16| side.to_be_bytes();
    let count: u8 = if sampling.is_some() { 3 } else { 1 };
    let (h, v) = sampling.unwrap_or((1, 1));
    let frame: Vec<u8> = [8].into_iter().chain(side(height)).chain(side(width)).collect();
    let parts = (0..count).flat_map(|i| [i + 1, if i == 0 { h << 4 | v } else { 0x11 }, 0]);
    let frame = [frame, vec![count], parts.collect()].concat();
    let dc = [vec![0, 0, 0, 0, 12], vec![0; 12], (0..12).collect()].concat();
    let symbols = (0..16u8).flat_map(|zeros| (1..11).map(move |size| zeros << 4 | size));
    let mut counts = [0u8; 17];
    (counts[0], counts[1], counts[8], counts[9], counts[12]) = (0x10, 1, 100, 20, 40);
    let ac = [counts.to_vec(), vec![0], symbols.collect()].concat();
    let wanted = (0..count).flat_map(|i| [i + 1, 0]);
    let scan = [vec![count], wanted.collect(), vec![0, 63, 0]].concat();
    let mut writer = Writer::default();
    let mut state = 7u32;
    let mut random = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % below
    };
    let mut last = [0; 3];
    let units = units(width, h) * units(height, v);
    for unit in 0..units {
        for component in 0..count {
            for _ in 0..if component == 0 { h * v } else { 1 } {
                let mean = if component == 0 { random(160) as i32 - 80 } else { 30 };
                let mut of_dc = Writer::default();
                let more = mean - std::mem::replace(&mut last[usize::from(component)], mean);
                let size = of_dc.value(more);
                writer.put(size, 4);
                writer.value(more);
                let mut k = 1;
                // A full block has no end of its own.
                while k < 64 {
                    let zeros = random(9);
                    k += zeros;
                    if k > 63 || component > 0 || random(30) == 0 {
                        writer.put(0, 1);
                        break;
                    }
                    let most = if k < 3 { 24 } else { 1 };
                    let value = if random(2) == 0 { 1 } else { -1 } * (1 + random(most) as i32);
                    let size = 32 - value.unsigned_abs().leading_zeros();
                    let (code, length) = code_of(zeros, size);
                    writer.put(code, length);
                    writer.value(value);
                    k += 1;
                }
            }
        }
        if restart > 0 && (unit + 1) % usize::from(restart) == 0 && unit + 1 < units {
            writer.align();
            writer.bytes.extend([0xff, 0xd0 + ((unit + 1) / usize::from(restart) - 1) as u8 % 8]);
            last = [0; 3];
        }
    }
    writer.align();
    let steps = [vec![0], vec![2; 64]].concat();
    [
        vec![0xff, 0xd8],
        segment(0xdb, &steps),
        segment(0xc0, &frame),
        segment(0xc4, &dc),
        segment(0xc4, &ac),
        segment(0xdd, &side(restart)),
        segment(0xda, &scan),
        writer.bytes,
        vec![0xff, 0xd9],
    ]
    .concat()
}

fn units(side: u16, samples: u8) -> usize {
    usize::from(side).div_ceil(8 * usize::from(samples))
}

fn segment(marker: u8, content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u16 + 2).to_be_bytes();
    [&[0xff, marker, length[0], length[1]], content].concat()
}

fn small(bytes: &[u8], by: u32) -> Option<RgbImage> {
    let going = AtomicBool::new(false);
    decode(bytes, by, &Budget::new(1_000_000, &going))
}

#[test]
fn each_pixel_is_the_mean_of_those_that_it_stands_for() {
    let samplings = [None, Some((1, 1)), Some((2, 1)), Some((1, 2)), Some((2, 2))];
    for (sampling, restart) in samplings.into_iter().zip([0, 3, 7, 0, 5]) {
        let bytes = jpeg((203, 117), sampling, restart);
        let full = decode_full(&bytes).unwrap().frame;
        for by in [2, 4, 8] {
            let small = small(&bytes, by).unwrap_or_else(|| panic!("{sampling:?} {by}"));
            let size = (203u32.div_ceil(by), 117u32.div_ceil(by));
            assert_eq!(small.dimensions(), size);
            // Where a block ends beyond the picture, its mean is of what is not seen.
            let inner = (203 / by, 117 / by);
            let view = View::from_image(&full).unwrap();
            let means =
                block_means(view, (0, 0), (inner.0 as usize, inner.1 as usize), by as usize);
            for (x, y, mean) in means.enumerate_pixels() {
                for (a, b) in mean.0.iter().zip(small[(x, y)].0) {
                    assert!(a.abs_diff(b) <= 6, "{sampling:?} {by}, {x} {y}: {mean:?} {b}");
                }
            }
        }
    }
}

#[test]
fn what_is_damaged_or_unusual_is_left_to_other_decoders() {
    let bytes = jpeg((203, 117), Some((2, 2)), 5);
    assert!(small(&bytes, 4).is_some());
    let marker = |wanted: u8| bytes.windows(2).position(|two| two == [0xff, wanted]).unwrap();
    let changed = |at: usize, value: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = value;
        bytes
    };
    let scan = marker(0xda);
    for (what, bytes) in [
        ("cut", bytes[..bytes.len() / 2].to_vec()),
        ("no end", bytes[..bytes.len() - 2].to_vec()),
        ("more data than units", [&bytes[..bytes.len() - 2], &[9, 9, 0xff, 0xd9]].concat()),
        ("another marker", changed(marker(0xd2) + 1, 0xd4)),
        ("progressive", changed(marker(0xc0) + 1, 0xc2)),
        ("twelve bits", changed(marker(0xc0) + 4, 12)),
        ("RGB by name", changed(marker(0xc0) + 10, b'R')),
        ("no such table", changed(scan + 6, 0x33)),
        ("codes that are none", changed(marker(0xc4) + 5, 9)),
    ] {
        assert!(small(&bytes, 4).is_none(), "{what}");
    }
    let stop = AtomicBool::new(true);
    assert!(decode(&bytes, 4, &Budget::new(1, &stop)).is_none(), "stopped");
}

#[test]
fn places_in_a_turned_photo_are_those_of_its_file() {
    // Neither side is a multiple of four.
    let bytes = jpeg((4007, 3001), None, 0);
    for exif in [1u8, 3, 6, 7] {
        let mut tiff = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
        tiff.extend([exif, 0, 0, 0, 0, 0, 0, 0]);
        let length = (tiff.len() as u16 + 2).to_be_bytes();
        let turned =
            [&bytes[..2], &[0xff, 0xe1, length[0], length[1]], &tiff, &bytes[2..]].concat();
        let photo = decode_to_read(&turned, &AtomicBool::new(false)).unwrap();
        assert_eq!((photo.reduced, photo.orientation.to_exif()), (4, exif));
        let full = photo.decode_full().unwrap();
        assert_eq!((full.reduced, full.frame.dimensions()), (1, photo.upright_px()));
        assert_means_of(&photo, 4, &full, exif);
        assert_means_of(&photo.decode_larger().unwrap(), 2, &full, exif);
        assert!(
            photo.decode_larger().unwrap().decode_larger().is_some_and(|full| full.file.is_none())
        );
    }
}

fn assert_means_of(photo: &Photo, by: u32, full: &Photo, exif: u8) {
    let place = photo.file_from_picture();
    for (x, y) in [(3, 5), (400, 300), (700, 720)] {
        let at = Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
        let center = place(at);
        let back = photo.picture_from_file()(center);
        assert!(back.distance(at) < 1e-9);
        // The mean of the pixels that it stands for.
        let half = by as i64 / 2;
        let (left, top) = (center.x.round() as i64 - half, center.y.round() as i64 - half);
        let all = (0..i64::from(by * by)).map(|i| {
            let (u, v) = (i % i64::from(by), i / i64::from(by));
            u32::from(full.frame[((left + u) as u32, (top + v) as u32)].0[0])
        });
        let mean = all.sum::<u32>() / (by * by);
        let level = u32::from(photo.frame[(x, y)].0[0]);
        assert!(mean.abs_diff(level) <= 6, "EXIF {exif}, {x} {y}: {level} for {mean}");
    }
}
