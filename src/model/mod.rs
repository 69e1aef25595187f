//! What the networks' inputs and outputs mean: one contract for training, reading and both exports.
//!
//! [`reader`] names a straightened card, [`finder`] says where cards lie in a photo, [`refiner`]
//! whether an outline is a card's own, and of which card it is. A trained network is handed on as a [`graph::Graph`], batch
//! norms folded in.

pub mod graph;
mod metadata;

pub use metadata::{Kind, Metadata, MetadataError};

/// The network that reads one straightened card.
///
/// Input `[n, 3, 64, 96]`: R, G, B; 8-bit sRGB divided by 255, the card's own white at
/// [`reader::WHITE`], its long side across. Which long side is on top does not matter.
/// Output `[n, 17]`: logits, see [`reader::PROPERTIES`], [`reader::CARD`], [`reader::RECTANGLE`] and
/// [`reader::EDITION`].
pub mod reader {
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
}

/// The network that finds cards in a shrunk photo.
///
/// Input `[1, 3, height, width]`: R, G, B; 8-bit sRGB divided by 255, both sides multiples of
/// [`finder::SIDE_MULTIPLE_PX`]. Output `[1, 12, height / 4, width / 4]`. Cell (x, y) has its
/// centre at pixel (4 x + 2, 4 y + 2), counted from the outer corner of the first pixel. Vectors
/// are in cells. Every output stays the same when a card is turned by 180 degrees, so that no angle
/// wraps.
pub mod finder {
    /// Pixels of the input per cell of the output, on each side.
    pub const STRIDE_PX: usize = 4;
    /// Both sides of the input are multiples of this.
    pub const SIDE_MULTIPLE_PX: usize = 16;
    /// Planes of the output.
    pub const OUTPUTS: usize = 12;
    /// Logit of a card's centre (where its diagonals cross in the picture).
    pub const CARD: usize = 0;
    /// Logit of a symbol's centre.
    pub const SYMBOL: usize = 1;
    /// From the cell's centre to the mean of the four corners: x, y.
    pub const OFFSET: usize = 2;
    /// With a the half long axis: a aT / |a| as xx, yy, xy.
    pub const LONG_AXIS: usize = 4;
    /// With b the half short axis: b bT / |b| as xx, yy, xy.
    pub const SHORT_AXIS: usize = 7;
    /// The bilinear term e: x, y. Corners are m - a - b + e, m + a - b - e, m + a + b + e,
    /// m - a + b - e with m the mean of the corners.
    pub const BILINEAR: usize = 10;
    /// Outputs by name, in order.
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
}

/// The network that says whether an outline is a card's own, and of which card it is.
///
/// Input `[n, 3, 64, 96]`: R, G, B; 8-bit sRGB divided by 255. It is the photo seen so that the rough
/// outline is an upright rectangle of [`refiner::OUTLINE_PX`] in the middle, its first edge on top.
/// Output `[n, 21]`: for each corner in the outline's order where the card's own corner is, seen from
/// there, x along the first edge, y along the second, in short sides of the outline; then how likely the
/// outline is right as it is, see [`refiner::RIGHT`]; then logits of the card's properties, however far
/// off the outline is, see [`refiner::VALUES`].
pub mod refiner {
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
}

#[cfg(test)]
mod tests {
    use super::{reader, refiner};
    use crate::cards::{Edition, Property};

    #[test]
    fn labels_are_the_words_of_the_cards() {
        for (p, property) in Property::ALL.into_iter().enumerate() {
            for value in 0..3 {
                assert_eq!(reader::LABELS[3 * p + value], property.value_word(value));
                let own = refiner::LABELS[refiner::VALUES + 3 * p + value];
                assert_eq!(own, property.value_word(value));
            }
        }
        assert_eq!(Property::ALL.len(), reader::PROPERTIES);
        assert_eq!(reader::LABELS[reader::CARD], "card");
        assert_eq!(reader::LABELS[reader::RECTANGLE], "rectangle");
        for edition in Edition::ALL {
            assert_eq!(reader::LABELS[reader::EDITION + edition.index()], edition.name());
        }
    }
}
