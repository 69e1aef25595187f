//! The network that classifies one straightened card.
//!
//! Input `[n, 3, 64, 96]`: R, G, B; 8-bit sRGB divided by 255, with the card's own white scaled to
//! [`WHITE`] and its long side horizontal. Either long side may be on top.
//! Output `[n, 17]`: logits, see [`PROPERTIES`], [`CARD`], [`RECTANGLE`] and [`EDITION`].

use setsight_game::cards::{Edition, Property};

/// Columns of the input.
pub const WIDTH: usize = 96;
/// Rows of the input.
pub const HEIGHT: usize = 64;
/// Channels of the input: R, G, B.
pub const CHANNELS: usize = 3;
/// Factor from an 8-bit value to the network's input.
pub const INPUT_SCALE: f32 = 1.0 / 255.0;
/// Value of the card's own white in the input, 0 to 1.
pub const WHITE: f32 = 0.9;
/// Length of the output.
pub const OUTPUTS: usize = 17;
/// Output 3 p + v is the logit of value v of property p, in the order of
/// [`setsight_game::cards::Property::ALL`]. A softmax applies to each group of three; see [`of_edition`].
pub const PROPERTIES: usize = 4;
/// Index of the log odds that the picture shows a face-up card.
pub const CARD: usize = 12;
/// Index of the logit of a rectangle, which one edition has instead of the diamond.
pub const RECTANGLE: usize = 13;
/// Output `EDITION + i` is the logit of edition i of [`Edition::ALL`]; one softmax covers them.
pub const EDITION: usize = 14;
/// Names of the outputs, in order.
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

/// Selects from a card's outputs the logits of an edition's values, value v of property p at index
/// 3 p + v. The first shape is a diamond or a rectangle, depending on the edition.
pub fn of_edition(logits: &[f32; OUTPUTS], edition: Edition) -> [f32; 3 * PROPERTIES] {
    let mut values = std::array::from_fn(|i| logits[i]);
    if edition == Edition::Rectangles {
        values[3 * Property::Shape as usize] = logits[RECTANGLE];
    }
    values
}
