//! Takes one frame of a webcam and names a set on it. The frame comes from `ffmpeg`, as a JPEG.
//!
//!     cargo run --release --example webcam_set /dev/video0

use setsight::PhotoReader;
use std::error::Error;
use std::process::Command;

fn main() -> Result<(), Box<dyn Error>> {
    let camera = std::env::args().nth(1).unwrap_or_else(|| "/dev/video0".to_owned());
    let ffmpeg = Command::new("ffmpeg")
        .args(["-loglevel", "error", "-i", &camera, "-frames:v", "1", "-q:v", "2"])
        .args(["-f", "image2pipe", "-c:v", "mjpeg", "-"])
        .output()?;
    if !ffmpeg.status.success() {
        return Err(format!("{camera}: {}", String::from_utf8_lossy(&ffmpeg.stderr)).into());
    }
    let frame = image::load_from_memory(&ffmpeg.stdout)?.to_rgb8();
    let table = PhotoReader::new()?.read_image(&frame)?;
    match table.sets.first() {
        Some(set) => println!("{}", set.0.map(|i| table.cards[i].card.name()).join(", ")),
        None => println!("no set among {} cards", table.cards.len()),
    }
    Ok(())
}
