//! The network that says whether an outline is a card's own, and of which card it is.
//!
//! Input `[n, 3, 64, 96]`: R, G, B; 8-bit sRGB divided by 255. It is the photo seen so that the rough
//! outline is an upright rectangle of [`OUTLINE_PX`] in the middle, its first edge on top.
//! Output `[n, 21]`: for each corner in the outline's order where the card's own corner is, seen from
//! there, x along the first edge, y along the second, in short sides of the outline; then how likely the
//! outline is right as it is, see [`RIGHT`]; then logits of the card's properties, however far
//! off the outline is, see [`VALUES`].

/// Columns of the input.
pub const WIDTH: usize = 96;
/// Rows of the input.
pub const HEIGHT: usize = 64;
/// Width and height of the outline in the input, in its pixels.
pub const OUTLINE_PX: (f64, f64) = (64.68, 42.0);
/// Length of the output.
pub const OUTPUTS: usize = 21;
/// The output that is the log odds that the outline's corners are off by less than
/// [`RIGHT_WITHIN`] in the mean; where no card lies, none is right, and the other outputs mean nothing.
pub const RIGHT: usize = 8;
/// Output `VALUES + 3 p + v` is the logit of value v of property p, as [`super::reader`] has them.
pub const VALUES: usize = 9;
/// How many logits of values there are.
pub const VALUE_LOGITS: usize = OUTPUTS - VALUES;
/// Mean distance of corners up to which an outline is right, in its short sides.
pub const RIGHT_WITHIN: f64 = 0.08;
/// Outputs by name, in order.
pub const LABELS: [&str; OUTPUTS] = [
    "x0", "y0", "x1", "y1", "x2", "y2", "x3", "y3", "right", "one", "two", "three", "filled",
    "open", "striped", "green", "purple", "red", "diamond", "oval", "squiggle",
];
/// Name of the input in ONNX.
pub const INPUT_NAME: &str = "surroundings";
/// Name of the output in ONNX.
pub const OUTPUT_NAME: &str = "answers";
