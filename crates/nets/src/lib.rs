//! The networks' inputs and outputs: one contract for training, inference and both exports.
//!
//! [`reader`] classifies a straightened card. [`finder`] detects the cards of a photo. [`refiner`]
//! judges whether an outline is right and which card it shows. A trained network is passed on as a
//! [`graph::Graph`], with its batch norms folded in.

pub mod engine;
pub mod finder;
pub mod graph;
mod metadata;
pub mod onnx;
pub mod reader;
pub mod refiner;

pub use metadata::{Kind, Metadata, MetadataError};

#[cfg(test)]
mod tests {
    use super::{reader, refiner};
    use setsight_game::cards::{Edition, Property};

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
