//! What the networks' inputs and outputs mean: one contract for training, reading and both exports.
//!
//! [`reader`] names a straightened card, [`finder`] says where cards lie in a photo, [`refiner`]
//! whether an outline is a card's own, and of which card it is. A trained network is handed on as a [`graph::Graph`], batch
//! norms folded in.

pub mod finder;
pub mod graph;
mod metadata;
pub mod reader;
pub mod refiner;

pub use metadata::{Kind, Metadata, MetadataError};

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
