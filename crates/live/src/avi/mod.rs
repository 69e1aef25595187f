//! Motion JPEG in AVI: films, read and written without a codec.

mod read;
mod write;

pub(crate) use read::AviEnd;
pub use read::AviReader;
use setsight_photo::source::jpeg_segments;
pub use write::AviWriter;

/// Prefix of a frame's own time in a comment segment of its JPEG.
const STAMP: &[u8] = b"setsight time_ms ";

/// Adds a time in milliseconds to a JPEG, as a comment segment. AVI stores one rate for all frames,
/// but a camera's frames are not evenly spaced; this keeps the exact time of each.
pub(crate) fn stamped(jpeg: &[u8], time_ms: f64) -> Vec<u8> {
    // The comment goes behind the JFIF segment, which must stay first.
    let mut at = 2;
    jpeg_segments(jpeg, |marker, content| {
        if marker == 0xe0 {
            at += 4 + content.len();
        }
        false
    });
    let text = [STAMP, time_ms.to_string().as_bytes()].concat();
    let head = [0xff, 0xfe, 0, text.len() as u8 + 2];
    [&jpeg[..at], &head, &text, &jpeg[at..]].concat()
}

/// Latest time that a frame may state, in milliseconds: a hundred days.
pub(crate) const MOST_MS: f64 = 100.0 * 86_400e3;

/// The time that [`stamped`] wrote into a JPEG, in milliseconds; `None` also if no film is that long.
pub fn stamp_of(jpeg: &[u8]) -> Option<f64> {
    let mut time = None;
    jpeg_segments(jpeg, |marker, content| {
        time = content.strip_prefix(STAMP).filter(|_| marker == 0xfe);
        time.is_none() && marker != 0xda
    });
    std::str::from_utf8(time?).ok()?.parse().ok().filter(|time| (0.0..=MOST_MS).contains(time))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{ImageFormat, Rgb, RgbImage, codecs::jpeg::JpegEncoder};

    #[test]
    fn a_stamped_picture_is_the_same_picture_and_keeps_its_time() {
        let mut jpeg = Vec::new();
        let image = RgbImage::from_fn(64, 48, |x, y| Rgb([3 * x as u8, 5 * y as u8, 90]));
        JpegEncoder::new_with_quality(&mut jpeg, 90).encode_image(&image).unwrap();
        assert_eq!(stamp_of(&jpeg), None);
        for time_ms in [0.0, 1e3 / 3.0, 3_600_000.000_123] {
            let stamped = stamped(&jpeg, time_ms);
            assert_eq!(stamp_of(&stamped), Some(time_ms));
            let decoded = |bytes: &[u8]| {
                image::load_from_memory_with_format(bytes, ImageFormat::Jpeg).unwrap()
            };
            assert_eq!(decoded(&stamped), decoded(&jpeg));
        }
        assert_eq!(stamp_of(b""), None);
        assert_eq!(stamp_of(&jpeg[..30]), None);
    }
}
