//! What a window of the system shows, and what it is told.

use eframe::egui::{ColorImage, Context, Ui};
use image::RgbImage;

/// What a window shows. It is drawn anew for each frame.
pub trait Content: 'static {
    /// What it can close the window with.
    type Outcome: 'static;

    /// Draws a frame.
    fn ui(&mut self, ui: &mut Ui);

    /// Whether all is shown that a picture of the window is taken for.
    fn is_ready(&mut self) -> bool;

    /// What the window closes with once its picture is taken, of this width and height in pixels.
    fn describe(&self, ctx: &Context, size: [usize; 2]) -> Self::Outcome;

    /// The window closes. `size` is its width and height in points of the screen, when it last did
    /// not fill it.
    fn close(&mut self, size: Option<(f32, f32)>);
}

/// A picture as the toolkit wants it.
pub fn color_image(picture: &RgbImage) -> ColorImage {
    let size = [picture.width() as usize, picture.height() as usize];
    ColorImage::from_rgb(size, picture.as_raw())
}
