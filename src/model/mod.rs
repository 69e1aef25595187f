//! The networks' inputs and outputs: one contract for training, inference and both exports.
//!
//! [`reader`] classifies a straightened card. [`finder`] detects the cards of a photo. [`refiner`]
//! judges whether an outline is right and which card it shows. A trained network is passed on as a
//! [`graph::Graph`], with its batch norms folded in.

pub mod graph;
mod metadata;

pub use metadata::{Kind, Metadata, MetadataError};

/// The network that classifies one straightened card.
///
/// Input `[n, 3, 64, 96]`: R, G, B; 8-bit sRGB divided by 255, with the card's own white scaled to
/// [`reader::WHITE`] and its long side horizontal. Either long side may be on top. Output `[n,
/// 17]`: logits, see [`reader::PROPERTIES`], [`reader::CARD`], [`reader::RECTANGLE`] and
/// [`reader::EDITION`].
pub mod reader {
    use crate::cards::{Edition, Property};

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
    /// [`crate::cards::Property::ALL`]. A softmax applies to each group of three; see
    /// [`of_edition`].
    pub const PROPERTIES: usize = 4;
    /// Index of the log odds that the picture shows a face-up card.
    pub const CARD: usize = 12;
    /// Index of the logit of a rectangle, which one edition has instead of the diamond.
    pub const RECTANGLE: usize = 13;
    /// Output `EDITION + i` is the logit of edition i of [`Edition::ALL`]; a softmax applies to the
    /// three.
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

    /// Selects from a card's outputs the logits of an edition's values, value v of property p at
    /// index 3 p + v. The first shape is a diamond or a rectangle, depending on the edition.
    pub fn of_edition(logits: &[f32; OUTPUTS], edition: Edition) -> [f32; 3 * PROPERTIES] {
        let mut values = std::array::from_fn(|i| logits[i]);
        if edition == Edition::Rectangles {
            values[3 * Property::Shape as usize] = logits[RECTANGLE];
        }
        values
    }
}

/// The network that detects cards in a photo scaled down.
///
/// Input `[1, 3, height, width]`: R, G, B; 8-bit sRGB divided by 255, both sides multiples of
/// [`finder::SIDE_MULTIPLE_PX`]. Output `[1, 12, height / 4, width / 4]`. Cell (x, y) has its
/// centre at pixel (4 x + 2, 4 y + 2), counted from the outer corner of the first pixel. Vectors
/// are in cells. A turn of a card by 180 degrees changes no output, so no angle wraps.
pub mod finder {
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
    /// a aT / |a| as xx, yy, xy, where a is half the long axis.
    pub const LONG_AXIS: usize = 4;
    /// b bT / |b| as xx, yy, xy, where b is half the short axis.
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
}

/// The network that judges an outline, corrects its corners and classifies the card.
///
/// Input `[n, 3, 64, 96]`: R, G, B; 8-bit sRGB divided by 255. It is the context crop: the photo
/// warped so that the outline is an upright rectangle of [`refiner::OUTLINE_PX`] in the middle, its
/// first edge on top. Output `[n, 21]`: for each corner, in the outline's order, the vector from
/// there to the card's true corner, x along the first edge and y along the second, in short sides
/// of the outline; then the log odds that the outline is right as it is, see [`refiner::RIGHT`];
/// then logits of the card's properties, which hold even if the outline is far off, see
/// [`refiner::VALUES`].
pub mod refiner {
    /// Columns of the input.
    pub const WIDTH: usize = 96;
    /// Rows of the input.
    pub const HEIGHT: usize = 64;
    /// Width and height of the outline in the input, in pixels.
    pub const OUTLINE_PX: (f64, f64) = (64.68, 42.0);
    /// Length of the output.
    pub const OUTPUTS: usize = 21;
    /// Index of the log odds that the mean error of the outline's corners is below
    /// [`RIGHT_WITHIN`]. Where there is no card, no outline is right, and the other outputs mean
    /// nothing.
    pub const RIGHT: usize = 8;
    /// Output `VALUES + 3 p + v` is the logit of value v of property p, in the order of
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
