//! Reads tables in a browser: [`Reader`] photos, [`Follower`] live pictures.
//!
//! An error is a word, for which the page has sentences in its languages. Here is no
//! decision about reading: [`setsight_vision`] and [`setsight_track`] read as they do everywhere.

#[cfg(target_arch = "wasm32")]
mod binding;

use image::{ImageFormat, RgbImage};
use setsight_photo::encode;
use setsight_photo::source::{self, Photo, check_size};
use setsight_track::{TableTracker, TrackedTable, counter::Counter};
use setsight_vision::{Pipeline, ReadOptions, Trace, output::line_of};
use std::{sync::atomic::AtomicBool, time::Duration};

/// A picture from a canvas, height x width x (R, G, B, A). The page has laid it on white.
fn rgb_of(width: u32, height: u32, rgba: &[u8]) -> Result<RgbImage, &'static str> {
    check_size(width, height).map_err(|error| error.word())?;
    if rgba.len() as u64 != 4 * u64::from(width) * u64::from(height) {
        return Err("failed");
    }
    let rgb = rgba.as_chunks::<4>().0.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
    RgbImage::from_raw(width, height, rgb).ok_or("failed")
}

/// Reads photos, with networks that are loaded once.
pub struct Reader {
    pipeline: Pipeline,
    picture: Option<Vec<u8>>,
}

impl Reader {
    /// Loads the networks inside the module.
    ///
    /// # Errors
    /// A word: they cannot be run.
    pub fn new() -> Result<Self, &'static str> {
        let pipeline = ReadOptions::default().build().map_err(|_| "failed")?;
        Ok(Self { pipeline, picture: None })
    }

    /// Reads a photo's file: its line of JSON, as `scan` prints it, but without a path.
    ///
    /// # Errors
    /// A word for what is wrong.
    pub fn read(&mut self, bytes: &[u8]) -> Result<String, &'static str> {
        self.picture = None;
        let mut trace = Trace::default();
        let photo = trace
            .stage("load", |_| source::decode_to_read(bytes, &AtomicBool::new(false)))
            .map_err(|error| error.word())?;
        if !is_shown_by_browsers(bytes) {
            self.picture = encode::for_browsers(&photo.frame).ok();
        }
        self.line(photo, trace)
    }

    /// The photo that was read last as a JPEG, if its file is none that every browser shows.
    pub fn take_picture(&mut self) -> Option<Vec<u8>> {
        self.picture.take()
    }

    /// Reads a picture that the browser has decoded, height x width x (R, G, B, A).
    ///
    /// # Errors
    /// A word for what is wrong.
    pub fn read_pixels(
        &mut self,
        width: u32,
        height: u32,
        rgba: &[u8],
    ) -> Result<String, &'static str> {
        self.picture = None;
        self.line(Photo::of_picture(rgb_of(width, height, rgba)?), Trace::default())
    }

    fn line(&self, photo: Photo, mut trace: Trace<'_>) -> Result<String, &'static str> {
        let reading = self.pipeline.read_photo(photo, &mut trace).map_err(|_| "failed")?;
        Ok(line_of(Vec::new(), &reading.table, &trace.times).to_string())
    }
}

fn is_shown_by_browsers(bytes: &[u8]) -> bool {
    use ImageFormat::{Avif, Bmp, Jpeg, Png, WebP};
    matches!(image::guess_format(bytes), Ok(Jpeg | Png | WebP | Bmp | Avif))
}

/// Follows a table through live pictures, and counts the game.
pub struct Follower {
    tracker: TableTracker,
    counter: Counter,
    /// Pictures so far.
    number: u64,
    /// The last table and its time, with which a new game begins.
    last: Option<(TrackedTable, f64)>,
}

impl Follower {
    /// Loads the networks inside the module.
    ///
    /// # Errors
    /// A word: they cannot be run.
    pub fn new() -> Result<Self, &'static str> {
        let tracker = TableTracker::new().map_err(|_| "failed")?;
        Ok(Self { tracker, counter: Counter::default(), number: 0, last: None })
    }

    /// Follows the next picture, height x width x (R, G, B, A): its line of JSON, as `live` prints
    /// it, but without `latency_ms`. `time_ms` must not decrease.
    ///
    /// # Errors
    /// A word for what is wrong. The next picture may be followed.
    pub fn follow(
        &mut self,
        width: u32,
        height: u32,
        rgba: &[u8],
        time_ms: f64,
    ) -> Result<String, &'static str> {
        let frame = rgb_of(width, height, rgba)?;
        let time = Duration::try_from_secs_f64(time_ms / 1e3).map_err(|_| "failed")?;
        let tracked = self.tracker.update(&frame, time).map_err(|_| "failed")?;
        self.counter.update(&tracked, time_ms);
        let line =
            setsight_track::line_of(self.number, time_ms, &tracked, &self.counter.score(), &[]);
        self.number += 1;
        self.last = Some((tracked, time_ms));
        Ok(line.to_string())
    }

    /// Begins a new game with the cards that lie there.
    pub fn new_game(&mut self) {
        self.counter.reset();
        if let Some((table, time_ms)) = &self.last {
            self.counter.update(table, *time_ms);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::path::Path;

    fn sample() -> Vec<u8> {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/samples");
        std::fs::read(samples.join("1-plain-on-wood.jpg")).unwrap()
    }

    #[test]
    fn a_file_and_its_pixels_give_the_same_line() {
        let mut reader = Reader::new().unwrap();
        let read = |line: String| {
            let mut line: Value = serde_json::from_str(&line).unwrap();
            line["stage_ms"].take();
            line
        };
        let of_file = read(reader.read(&sample()).unwrap());
        assert_eq!(of_file["cards"].as_array().unwrap().len(), 12);
        assert_eq!(reader.take_picture(), None, "a browser shows a JPEG by itself");
        let rgba = image::load_from_memory(&sample()).unwrap().into_rgba8();
        let (width, height) = rgba.dimensions();
        assert_eq!(read(reader.read_pixels(width, height, &rgba).unwrap()), of_file);
        assert_eq!(reader.read_pixels(width, height, &rgba.as_raw()[4..]).unwrap_err(), "failed");
    }

    #[test]
    fn what_no_browser_shows_comes_as_a_jpeg() {
        let mut reader = Reader::new().unwrap();
        let mut tiff = std::io::Cursor::new(Vec::new());
        let picture = image::load_from_memory(&sample()).unwrap().thumbnail(320, 320);
        picture.write_to(&mut tiff, ImageFormat::Tiff).unwrap();
        reader.read(tiff.get_ref()).unwrap();
        let jpeg = reader.take_picture().unwrap();
        assert_eq!(image::guess_format(&jpeg).unwrap(), ImageFormat::Jpeg);
        assert_eq!(reader.take_picture(), None, "once is enough");
    }

    #[test]
    fn what_is_no_photo_gets_a_word() {
        let mut reader = Reader::new().unwrap();
        assert_eq!(reader.read(b"Dear diary").unwrap_err(), "unreadable");
        assert_eq!(reader.read(b"GIF89a................").unwrap_err(), "format");
        assert_eq!(reader.read_pixels(9_000, 9_000, &[]).unwrap_err(), "too-large");
    }

    #[test]
    fn cards_stay_the_same_and_are_counted_until_a_new_game() {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/samples");
        let picture = image::open(samples.join("1-plain-on-wood.jpg")).unwrap().into_rgba8();
        let (width, height) = picture.dimensions();
        let mut follower = Follower::new().unwrap();
        let mut follow = |time_ms: f64| {
            let line = follower.follow(width, height, &picture, time_ms).unwrap();
            serde_json::from_str::<Value>(&line).unwrap()
        };
        let first = follow(0.0);
        let last = follow(600.0);
        assert_eq!((&first["frame"], &last["frame"]), (&0.into(), &1.into()));
        assert_eq!(first["cards"][3]["id"], last["cards"][3]["id"]);
        assert_eq!((&first["seen"], &last["seen"]), (&0.into(), &12.into()), "{last}");
        follower.new_game();
        let again = follower.follow(width, height, &picture, 633.0).unwrap();
        assert!(again.contains(r#""seen":0,"left":81"#), "{again}");
        assert_eq!(follower.follow(width, height, &picture, f64::NAN).unwrap_err(), "failed");
    }
}
