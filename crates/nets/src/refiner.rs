//! The network that judges an outline, corrects its corners and classifies the card.
//!
//! Input `[n, 3, 64, 96]`: R, G, B; 8-bit sRGB divided by 255. It is the context crop: the photo
//! warped so that the outline is an upright rectangle of [`OUTLINE_PX`] in the middle, its first
//! edge on top.
//! Output `[n, 21]`: for each corner, in the outline's order, the vector from there to the card's
//! true corner, x along the first edge and y along the second, in short sides of the outline; then
//! the log odds that the outline is right as it is, see [`RIGHT`]; then logits of the card's
//! properties, which hold even if the outline is far off, see [`VALUES`].

/// Columns of the input.
pub const WIDTH: usize = 96;
/// Rows of the input.
pub const HEIGHT: usize = 64;
/// Width and height of the outline in the input, in pixels.
pub const OUTLINE_PX: (f64, f64) = (64.68, 42.0);
/// Length of the output.
pub const OUTPUTS: usize = 21;
/// Index of the log odds that the mean error of the outline's corners is below [`RIGHT_WITHIN`].
/// Where there is no card, no outline is right, and the other outputs mean nothing.
pub const RIGHT: usize = 8;
/// Output `VALUES + 3 p + v` is the logit of value v of property p, numbered as in
/// [`super::reader`].
pub const VALUES: usize = 9;
/// Number of logits of values.
pub const VALUE_LOGITS: usize = OUTPUTS - VALUES;
/// An outline is right up to this mean distance of its corners, in short sides.
pub const RIGHT_WITHIN: f64 = 0.08;
/// Names of the outputs, in order.
pub const LABELS: [&str; OUTPUTS] = [
    "x0", "y0", "x1", "y1", "x2", "y2", "x3", "y3", "right", "one", "two", "three", "filled",
    "open", "striped", "green", "purple", "red", "diamond", "oval", "squiggle",
];
/// Name of the input in ONNX.
pub const INPUT_NAME: &str = "surroundings";
/// Name of the output in ONNX.
pub const OUTPUT_NAME: &str = "answers";
