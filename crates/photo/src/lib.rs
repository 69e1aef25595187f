//! A photo of a table before any recognition.
//!
//! | module | what it holds |
//! |---|---|
//! | [`encode`] | pictures as JPEG and PNG |
//! | [`source`] | photos decoded within limits, turned upright |
//! | [`pixels`] | pictures warped, averaged, resized, in grey |
//! | [`geometry`] | points, quadrilaterals, homographies |
//! | [`numeric`] | the median, the logistic function |
//! | [`labels`] | labels on disk: photos with outlines, crops |
//! | [`mod@print`] | cards as they are printed: stock, inks, fills |

#![warn(unreachable_pub)]

pub mod encode;
pub mod geometry;
pub mod labels;
pub mod numeric;
pub mod pixels;
pub mod print;
pub mod source;

use image::RgbImage;

/// An upright photo: 8-bit sRGB, height x width x (R, G, B), the file's orientation applied.
pub type Frame = RgbImage;
