//! The networks' inputs and outputs: one contract for training, inference and both exports.
//!
//! [`reader`] classifies a straightened card. [`finder`] detects the cards of a photo. [`refiner`]
//! judges whether an outline is right and which card it shows. A trained network is passed on as a
//! [`graph::Graph`], with its batch norms folded in.

#![allow(missing_docs, reason = "a name of the program's own crates need not be said twice")]

pub mod engine;
pub mod graph;
pub mod onnx;

use onnx::OnnxError;

/// The three kinds of network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// See [`reader`].
    Reader,
    /// See [`finder`].
    Finder,
    /// See [`refiner`].
    Refiner,
}

impl Kind {
    pub const ALL: [Self; 3] = [Self::Reader, Self::Finder, Self::Refiner];

    /// `reader`, `finder` or `refiner`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Finder => "finder",
            Self::Refiner => "refiner",
        }
    }

    /// The names of the outputs, in order.
    pub fn labels(self) -> &'static [&'static str] {
        match self {
            Self::Reader => &reader::LABELS,
            Self::Finder => &finder::LABELS,
            Self::Refiner => &refiner::LABELS,
        }
    }

    pub fn input_channels(self) -> usize {
        reader::CHANNELS
    }

    /// Rows and columns of the input, if they are fixed.
    pub fn input_size(self) -> Option<[usize; 2]> {
        match self {
            Self::Reader => Some([reader::HEIGHT, reader::WIDTH]),
            Self::Finder => None,
            Self::Refiner => Some([refiner::HEIGHT, refiner::WIDTH]),
        }
    }

    pub fn input_name(self) -> &'static str {
        match self {
            Self::Reader => reader::INPUT_NAME,
            Self::Finder => finder::INPUT_NAME,
            Self::Refiner => refiner::INPUT_NAME,
        }
    }

    pub fn output_name(self) -> &'static str {
        match self {
            Self::Reader => reader::OUTPUT_NAME,
            Self::Finder => finder::OUTPUT_NAME,
            Self::Refiner => refiner::OUTPUT_NAME,
        }
    }

    /// A one-line description of the input for people who open the file.
    pub fn input_spec(self) -> String {
        match self {
            Self::Reader => format!(
                "[n, 3, {}, {}] R G B, 8-bit sRGB / 255, the card's white at {}, long side across",
                reader::HEIGHT,
                reader::WIDTH,
                reader::WHITE
            ),
            Self::Finder => format!(
                "[n, 3, height, width] R G B, 8-bit sRGB / 255, sides multiples of {}",
                finder::SIDE_MULTIPLE_PX
            ),
            Self::Refiner => format!(
                "[n, 3, {}, {}] R G B, 8-bit sRGB / 255, the outline {} x {} in the middle",
                refiner::HEIGHT,
                refiner::WIDTH,
                refiner::OUTLINE_PX.0,
                refiner::OUTLINE_PX.1
            ),
        }
    }
}

/// The origin of a network's weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// The kind of network; it determines labels and input.
    pub kind: Kind,
    /// Version of the program that trained the network.
    pub version: String,
    /// SHA-256 of the whole training set, in hexadecimal.
    pub training_set: String,
    pub command: String,
    pub seed: u64,
}

impl Metadata {
    /// The names and values for ONNX's `metadata_props`.
    pub fn properties(&self) -> Vec<(&'static str, String)> {
        vec![
            ("kind", self.kind.name().to_owned()),
            ("labels", self.kind.labels().join(",")),
            ("input", self.kind.input_spec()),
            ("version", self.version.clone()),
            ("training_set_sha256", self.training_set.clone()),
            ("command", self.command.clone()),
            ("seed", self.seed.to_string()),
        ]
    }

    /// Reads the properties of a file; `property` looks them up by name.
    ///
    /// # Errors
    /// A property is missing, or labels or input differ from this program's.
    pub fn from_properties<'a>(
        property: impl Fn(&str) -> Option<&'a str>,
    ) -> Result<Self, OnnxError> {
        let get = |name: &'static str| property(name).ok_or(OnnxError::NoProperty(name));
        let found = get("kind")?;
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == found).ok_or_else(|| {
            OnnxError::Property {
                what: "kind",
                found: found.to_owned(),
                expected: "`reader`, `finder` or `refiner`".to_owned(),
            }
        })?;
        check("labels", get("labels")?, &kind.labels().join(","))?;
        check("input", get("input")?, &kind.input_spec())?;
        let found = get("seed")?;
        let seed = found.parse().map_err(|_| OnnxError::Property {
            what: "seed",
            found: found.to_owned(),
            expected: "a whole number".to_owned(),
        })?;
        Ok(Self {
            kind,
            version: get("version")?.to_owned(),
            training_set: get("training_set_sha256")?.to_owned(),
            command: get("command")?.to_owned(),
            seed,
        })
    }
}

fn check(what: &'static str, found: &str, expected: &str) -> Result<(), OnnxError> {
    if found == expected {
        return Ok(());
    }
    let (found, expected) = (found.to_owned(), format!("`{expected}`"));
    Err(OnnxError::Property { what, found, expected })
}

pub mod reader {
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
    pub const INPUT_NAME: &str = "card";
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
}

pub mod finder {
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
    pub const INPUT_NAME: &str = "photo";
    pub const OUTPUT_NAME: &str = "maps";
}

pub mod refiner {
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
    pub const INPUT_NAME: &str = "surroundings";
    pub const OUTPUT_NAME: &str = "answers";
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_game::cards::{Edition, Property};

    #[test]
    fn labels_are_the_words_of_the_cards() {
        for (p, property) in Property::ALL.into_iter().enumerate() {
            for value in 0..3 {
                assert_eq!(reader::LABELS[3 * p + value], property.value_word(value));
                let label = refiner::LABELS[refiner::VALUES + 3 * p + value];
                assert_eq!(label, property.value_word(value));
            }
        }
        assert_eq!(Property::ALL.len(), reader::PROPERTIES);
        assert_eq!(reader::LABELS[reader::CARD], "card");
        assert_eq!(reader::LABELS[reader::RECTANGLE], "rectangle");
        for edition in Edition::ALL {
            assert_eq!(reader::LABELS[reader::EDITION + edition.index()], edition.name());
        }
    }

    fn metadata() -> Metadata {
        Metadata {
            kind: Kind::Reader,
            version: "0.1.0".into(),
            training_set: "00ff".into(),
            command: "setsight train reader".into(),
            seed: 7,
        }
    }

    #[test]
    fn properties_come_back() {
        for kind in Kind::ALL {
            let metadata = Metadata { kind, ..metadata() };
            let properties = metadata.properties();
            assert_eq!(
                Metadata::from_properties(|name| {
                    properties.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str())
                }),
                Ok(metadata.clone())
            );
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(
            Metadata::from_properties(|_| None),
            Err(OnnxError::NoProperty("kind")),
            "a file of someone else"
        );
        let labels = Kind::Reader.labels().join(",");
        let properties = metadata().properties();
        for (changed, value, expected) in [
            ("kind", "dog", "its kind is `dog`; expected `reader`, `finder` or `refiner`"),
            ("labels", "a,b", &format!("its labels is `a,b`; expected `{labels}`")),
            ("seed", "x", "its seed is `x`; expected a whole number"),
        ] {
            let error = Metadata::from_properties(|name| {
                let (_, unchanged) = properties.iter().find(|(key, _)| *key == name)?;
                Some(if name == changed { value } else { unchanged })
            });
            let error = error.unwrap_err().to_string();
            assert_eq!(error, expected);
        }
    }
}
