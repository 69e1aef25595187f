//! The network that reads one straightened card.
//!
//! Input `[n, 3, 64, 96]`: R, G, B; 8-bit sRGB divided by 255, the card's own white at
//! [`WHITE`], its long side across. Which long side is on top does not matter.
//! Output `[n, 17]`: logits, see [`PROPERTIES`], [`CARD`], [`RECTANGLE`] and
//! [`EDITION`].

use crate::cards::{Edition, Property};

/// Columns of the input.
pub const WIDTH: usize = 96;
/// Rows of the input.
pub const HEIGHT: usize = 64;
/// Planes of the input: R, G, B.
pub const CHANNELS: usize = 3;
/// An 8-bit value times this is the network's input.
pub const INPUT_SCALE: f32 = 1.0 / 255.0;
/// Where the card's own white lies in the input, 0 to 1.
pub const WHITE: f32 = 0.9;
/// Length of the output.
pub const OUTPUTS: usize = 17;
/// Output 3 p + v is the logit of value v of property p, in the order of
/// [`crate::cards::Property::ALL`]: a softmax over each three, see [`of_edition`].
pub const PROPERTIES: usize = 4;
/// The output that is the log odds of a face-up card.
pub const CARD: usize = 12;
/// The logit of a rectangle, which one edition has in the diamond's place.
pub const RECTANGLE: usize = 13;
/// Output `EDITION + i` is the logit of edition i of [`Edition::ALL`]: a softmax over the three.
pub const EDITION: usize = 14;
/// Outputs by name, in order.
pub const LABELS: [&str; OUTPUTS] = [
    "one",
    "two",
    "three",
    "filled",
    "open",
    "striped",
    "green",
    "purple",
    "red",
    "diamond",
    "oval",
    "squiggle",
    "card",
    "rectangle",
    "classic",
    "rectangles",
    "unknown",
];
/// Name of the input in ONNX.
pub const INPUT_NAME: &str = "card";
/// Name of the output in ONNX.
pub const OUTPUT_NAME: &str = "logits";

/// Of a card's logits those of the values of an edition, value v of property p at 3 p + v: its first
/// shape is a diamond or a rectangle.
pub fn of_edition(logits: &[f32; OUTPUTS], edition: Edition) -> [f32; 3 * PROPERTIES] {
    let mut values = std::array::from_fn(|i| logits[i]);
    if edition == Edition::Rectangles {
        values[3 * Property::Shape as usize] = logits[RECTANGLE];
    }
    values
}
