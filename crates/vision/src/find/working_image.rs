//! The working image: the photo at the size at which a finder measures it.

use image::RgbImage;
use setsight_photo::geometry::{Quad, space};
use setsight_photo::{Frame, pixels::resize_into};

/// An outline in working pixels.
pub(crate) type WorkingQuad = Quad<space::Working>;

/// The photo at working resolution.
#[derive(Debug)]
pub struct Working {
    /// 8-bit RGB, height x width.
    pub rgb: RgbImage,
    /// Working pixels per photo pixel.
    pub scale: f64,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl Working {
    /// Scales a photo to a long side of `long_side_px`, enlarging it at most twice.
    pub(crate) fn new(frame: &Frame, long_side_px: f64) -> Self {
        let (w, h) = frame.dimensions();
        let scale = (long_side_px / f64::from(w.max(h))).min(2.0);
        let (width, height) = (scaled_side(w, scale), scaled_side(h, scale));
        let rgb = scaled(frame, (width, height));
        Self { rgb, scale, width: width as usize, height: height as usize }
    }

    /// Converts an outline from working pixels to pixels of the photo.
    pub fn in_image(&self, quad: &WorkingQuad) -> Quad {
        quad.in_space(1.0 / self.scale)
    }

    /// Converts an outline from pixels of the photo to working pixels.
    pub(crate) fn in_working(&self, quad: &Quad) -> WorkingQuad {
        quad.in_space(self.scale)
    }
}

fn scaled_side(px: u32, scale: f64) -> u32 {
    (f64::from(px) * scale).round().max(1.0) as u32
}

/// Resizes as [`resize_into`] does.
pub(crate) fn scaled(image: &RgbImage, to_px: (u32, u32)) -> RgbImage {
    let mut to = RgbImage::new(to_px.0, to_px.1);
    resize_into(image.as_raw(), image.dimensions(), &mut to, to_px)
        .expect("both have three bytes per pixel");
    to
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::drawn::{FlatCard, card_at, photo};

    #[test]
    fn outlines_go_to_the_working_image_and_back() {
        let card = card_at(150.0, 120.0, 0.2);
        let photo = photo((400, 300), &[FlatCard::at(card)]);
        let working = Working::new(&photo, 200.0);
        assert_eq!((working.width, working.height, working.scale), (200, 150, 0.5));
        let back = working.in_image(&working.in_working(&card));
        assert!(back.0.iter().zip(card.0).all(|(a, b)| a.distance(b) < 1e-9));
        // A small photo is enlarged to at most twice its size.
        assert_eq!(Working::new(&photo, 4000.0).scale, 2.0);
    }
}
