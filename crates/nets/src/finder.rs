//! The network that detects cards in a scaled photo.
//!
//! Input `[1, 3, height, width]`: R, G, B; 8-bit sRGB divided by 255, both sides multiples of
//! [`SIDE_MULTIPLE_PX`]. Output `[1, 12, height / 4, width / 4]`. Cell (x, y) has its
//! centre at pixel (4 x + 2, 4 y + 2), counted from the outer corner of the first pixel. Vectors
//! are in cells. A turn of a card by 180 degrees changes no output, so no angle wraps.

/// Pixels of the input per cell of the output, along each axis.
pub const STRIDE_PX: usize = 4;
/// Both sides of the input are multiples of this.
pub const SIDE_MULTIPLE_PX: usize = 16;
/// Number of output channels.
pub const OUTPUTS: usize = 12;
/// Logit of a card's centre (where its diagonals meet in the picture).
pub const CARD: usize = 0;
/// Logit of a symbol's centre.
pub const SYMBOL: usize = 1;
/// Vector from the cell's centre to the mean of the four corners: x, y.
pub const OFFSET: usize = 2;
/// `a aT / |a|` as xx, yy, xy, where a is half the long axis.
pub const LONG_AXIS: usize = 4;
/// `b bT / |b|` as xx, yy, xy, where b is half the short axis.
pub const SHORT_AXIS: usize = 7;
/// The bilinear term e: x, y. With m the mean of the corners, they are m - a - b + e,
/// m + a - b - e, m + a + b + e and m - a + b - e.
pub const BILINEAR: usize = 10;
/// Names of the outputs, in order.
pub const LABELS: [&str; OUTPUTS] = [
    "card",
    "symbol",
    "offset_x",
    "offset_y",
    "long_xx",
    "long_yy",
    "long_xy",
    "short_xx",
    "short_yy",
    "short_xy",
    "bilinear_x",
    "bilinear_y",
];
/// Name of the input in ONNX.
pub const INPUT_NAME: &str = "photo";
/// Name of the output in ONNX.
pub const OUTPUT_NAME: &str = "maps";
