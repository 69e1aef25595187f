//! What a window of the system shows, and what it is told.

use eframe::egui::{ColorImage, Context, Ui};
use image::RgbImage;
use setsight_photo::source::SourceError;

/// What a window shows. It is drawn anew for each frame.
pub trait Content: 'static {
    /// What it can close the window with.
    type Outcome: 'static;

    /// Draws a frame.
    fn ui(&mut self, ui: &mut Ui);

    /// Hears why a paste or a drop gave nothing.
    fn refuse(&mut self, refusal: Refusal);

    /// A picture that is dragged out of the window from now on, and the name of its file; once.
    fn dragged_out(&mut self) -> Option<(String, ColorImage)>;

    /// Whether all is shown that a picture of the window is taken for.
    fn is_ready(&mut self) -> bool;

    /// What the window closes with once its picture is taken, of this width and height in pixels.
    fn describe(&self, ctx: &Context, size: [usize; 2]) -> Self::Outcome;

    /// The window closes. `size` is its width and height in points of the screen, when it last did
    /// not fill it.
    fn close(&mut self, size: Option<(f32, f32)>);
}

/// Why what another program has is not taken.
#[derive(Debug)]
pub enum Refusal {
    /// It has more bytes than a photo may have.
    TooMuch,
    /// Its program does not answer in time.
    TooSlow,
    /// Its program does not give it, or has ended.
    NotGiven,
    /// It is no picture that can be read.
    Picture(SourceError),
}

/// A picture as the toolkit wants it.
pub fn color_image(picture: &RgbImage) -> ColorImage {
    let size = [picture.width() as usize, picture.height() as usize];
    ColorImage::from_rgb(size, picture.as_raw())
}
