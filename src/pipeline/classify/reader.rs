//! What reads cards, whichever way.

use super::table_facts::TableFacts;
use crate::pipeline::data::{CardImage, CardOutline, Frame, Reading};
use crate::pipeline::engine::NetworkError;

/// The cards of one photo, under one light.
#[derive(Clone, Copy)]
pub struct Cards<'a> {
    /// The photo that they lie in.
    pub frame: &'a Frame,
    /// Where each lies.
    pub outlines: &'a [CardOutline],
    /// Each straightened, in the same order.
    pub images: &'a [CardImage],
}

/// Something that reads cards.
pub trait Reader: Send + Sync {
    /// One reading for each card, in the same order, and what is believed of the table after them. A
    /// reader may judge the cards together; one that cannot tell editions apart takes the likeliest for
    /// granted, since what nobody looks into must not make every card unsure.
    ///
    /// # Errors
    /// A network that does not run; a reader without one never fails.
    fn read(
        &self,
        cards: &Cards,
        before: TableFacts,
    ) -> Result<(Vec<Reading>, TableFacts), NetworkError>;
}
