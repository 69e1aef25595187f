//! Watches a table through a webcam, or in a film, and names each set once it lies there. The frames
//! come from `ffmpeg`.
//!
//!     cargo run --example webcam_set /dev/video0

use setsight::{TableTracker, TrackedTable, cards::Card, image::RgbImage};
use std::process::{Command, Stdio};
use std::{collections::BTreeSet, error::Error, io::Read, time::Instant};

/// Width and height to which frames are scaled, in pixels.
const SIZE_PX: (u32, u32) = (1280, 720);

fn main() -> Result<(), Box<dyn Error>> {
    let camera = std::env::args().nth(1).unwrap_or_else(|| "/dev/video0".to_owned());
    let (width, height) = SIZE_PX;
    let scale = format!(
        "scale={width}:{height}:force_original_aspect_ratio=decrease,pad={width}:{height}:-1:-1"
    );
    let mut ffmpeg = Command::new("ffmpeg")
        .args(["-loglevel", "error", "-i", &camera, "-vf", &scale])
        .args(["-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
        .stdout(Stdio::piped())
        .spawn()?;
    let mut frames = ffmpeg.stdout.take().ok_or("ffmpeg gives no frames")?;
    let mut tracker = TableTracker::new()?;
    let mut before = BTreeSet::new();
    let start = Instant::now();
    let mut frame = RgbImage::new(width, height);
    while frames.read_exact(&mut frame).is_ok() {
        let sets = sets_of(&tracker.update(&frame, start.elapsed())?);
        for set in sets.difference(&before) {
            println!("{}", set.map(|card| card.name()).join(", "));
        }
        before = sets;
    }
    let status = ffmpeg.wait()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{camera}: ffmpeg ends with {status}").into())
    }
}

fn sets_of(table: &TrackedTable) -> BTreeSet<[Card; 3]> {
    let cards = &table.table.cards;
    table.table.sets.iter().map(|set| set.0.map(|i| cards[i].card)).collect()
}
