//! Media Foundation's cameras, listed and read.

use crate::formats::{Offer, best};
use image::{ImageFormat, RgbImage};
use nokhwa_bindings_windows::wmf::{MediaFoundationDevice, query_media_foundation_descriptors};
use nokhwa_core::types::{CameraFormat, CameraIndex, FrameFormat};
use nokhwa_core::{buffer::Buffer, error::NokhwaError, pixel_format::RgbFormat};
use std::io::{self, Write};
use std::time::Instant;

/// Number of broken pictures in a row before an error is reported.
const MOST_BROKEN: u32 = 30;

/// Prints a line for each camera: its number, a tab, its name.
///
/// # Errors
/// What Media Foundation says.
pub fn list() -> Result<(), String> {
    for camera in query_media_foundation_descriptors().map_err(message)? {
        println!("{}\t{}", camera.index().as_index().map_err(message)?, camera.human_name());
    }
    Ok(())
}

/// Writes a camera's pictures to stdout, as PPM one after the other, until nobody reads them. Tells their times on
/// stderr.
///
/// # Errors
/// What Media Foundation says; pictures that cannot be decoded.
pub fn read(number: u32) -> Result<(), String> {
    let mut device = MediaFoundationDevice::new(CameraIndex::Index(number)).map_err(message)?;
    let formats = device.compatible_format_list().map_err(message)?;
    let offers: Vec<Offer> = formats.iter().map(offer).collect();
    let best = best(&offers).ok_or("it gives no pictures of a kind that can be decoded")?;
    device.set_format(formats[best]).map_err(message)?;
    device.start_stream().map_err(message)?;
    let format = device.format();
    let (start, mut broken) = (Instant::now(), 0);
    loop {
        let (bytes, _) = device.raw_bytes().map_err(message)?;
        let time_s = start.elapsed().as_secs_f64();
        match picture(&bytes, &format) {
            Some(picture) => {
                broken = 0;
                // A picture's time goes before it, as ffmpeg has it.
                eprintln!("[Parsed_showinfo @ 0] [info] pts_time:{time_s:.6}");
                if write(&picture).is_err() {
                    return Ok(());
                }
            }
            None if broken < MOST_BROKEN => broken += 1,
            None => return Err("its pictures are not whole".to_owned()),
        }
    }
}

fn offer(format: &CameraFormat) -> Offer {
    let size_px = (format.width(), format.height());
    let is_jpeg = format.format() == FrameFormat::MJPEG;
    Offer { size_px, fps: format.frame_rate(), is_jpeg }
}

/// A frame in R, G, B; `None` if it is broken.
fn picture(bytes: &[u8], format: &CameraFormat) -> Option<RgbImage> {
    if format.format() == FrameFormat::MJPEG {
        let picture = image::load_from_memory_with_format(bytes, ImageFormat::Jpeg).ok()?;
        return Some(picture.into_rgb8());
    }
    let buffer = Buffer::new(format.resolution(), bytes, format.format());
    let picture = buffer.decode_image::<RgbFormat>().ok()?;
    let (width, height) = picture.dimensions();
    RgbImage::from_raw(width, height, picture.into_raw())
}

fn write(picture: &RgbImage) -> io::Result<()> {
    let mut out = io::stdout().lock();
    write!(out, "P6\n{} {}\n255\n", picture.width(), picture.height())?;
    out.write_all(picture)?;
    out.flush()
}

fn message(error: NokhwaError) -> String {
    error.to_string()
}
