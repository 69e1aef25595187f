//! The metadata that an ONNX file carries beside its weights.

use super::{finder, reader, refiner};

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
    /// All of them.
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

    /// Number of input channels.
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

    /// Name of the input in ONNX.
    pub fn input_name(self) -> &'static str {
        match self {
            Self::Reader => reader::INPUT_NAME,
            Self::Finder => finder::INPUT_NAME,
            Self::Refiner => refiner::INPUT_NAME,
        }
    }

    /// Name of the output in ONNX.
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
    /// The command that trained it.
    pub command: String,
    /// The seed of that training.
    pub seed: u64,
}

/// Why a file's properties do not describe a network of this program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetadataError {
    /// A property is missing.
    #[error("it has no property `{0}`: it was not written by this program")]
    Missing(&'static str),
    /// A property does not have the expected value.
    #[error("its {what} is `{found}`; expected {expected}")]
    Unexpected {
        /// The name of the property.
        what: &'static str,
        /// The value found.
        found: String,
        /// The value expected.
        expected: String,
    },
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
    ) -> Result<Self, MetadataError> {
        let of = |name: &'static str| property(name).ok_or(MetadataError::Missing(name));
        let check = |what: &'static str, expected: String| match of(what)? {
            found if found == expected => Ok(()),
            found => Err(MetadataError::Unexpected {
                what,
                found: found.to_owned(),
                expected: format!("`{expected}`"),
            }),
        };
        let found = of("kind")?;
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == found).ok_or_else(|| {
            MetadataError::Unexpected {
                what: "kind",
                found: found.to_owned(),
                expected: "`reader`, `finder` or `refiner`".to_owned(),
            }
        })?;
        check("labels", kind.labels().join(","))?;
        check("input", kind.input_spec())?;
        let found = of("seed")?;
        let seed = found.parse().map_err(|_| MetadataError::Unexpected {
            what: "seed",
            found: found.to_owned(),
            expected: "a whole number".to_owned(),
        })?;
        Ok(Self {
            kind,
            version: of("version")?.to_owned(),
            training_set: of("training_set_sha256")?.to_owned(),
            command: of("command")?.to_owned(),
            seed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let look_up = |name: &str| {
                properties.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str())
            };
            assert_eq!(Metadata::from_properties(look_up), Ok(metadata.clone()));
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(
            Metadata::from_properties(|_| None),
            Err(MetadataError::Missing("kind")),
            "a file of someone else"
        );
        let properties = metadata().properties();
        let with = |changed: &str, value: &'static str| {
            Metadata::from_properties(|name| {
                let (_, own) = properties.iter().find(|(key, _)| *key == name)?;
                Some(if name == changed { value } else { own })
            })
            .unwrap_err()
            .to_string()
        };
        assert_eq!(
            with("kind", "dog"),
            "its kind is `dog`; expected `reader`, `finder` or `refiner`"
        );
        assert!(with("labels", "a,b").starts_with("its labels is `a,b`; expected `one,two,"));
        assert_eq!(with("seed", "x"), "its seed is `x`; expected a whole number");
    }
}
