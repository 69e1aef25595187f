//! The interface of all readers.

use super::table_facts::TableFacts;
use crate::data::{CardImage, CardOutline, Reading};
use setsight_nets::engine::NetworkError;
use setsight_photo::Frame;

/// The cards of one photo.
#[derive(Clone, Copy)]
pub struct Cards<'a> {
    /// The photo.
    pub frame: &'a Frame,
    /// The outline of each card.
    pub outlines: &'a [CardOutline],
    /// The straightened image of each card, in the same order.
    pub images: &'a [CardImage],
}

/// Classifies cards.
pub trait Reader: Send + Sync {
    /// Returns one reading for each card, in the same order, and the table facts given these cards.
    /// A reader may judge the cards together. A reader that cannot tell editions apart assumes the
    /// likeliest known one, so that this open question does not make every card unsure.
    ///
    /// # Errors
    /// A network does not run; a reader without networks never fails.
    fn read(
        &self,
        cards: &Cards,
        before: TableFacts,
    ) -> Result<(Vec<Reading>, TableFacts), NetworkError>;
}
