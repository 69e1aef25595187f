//! The interface of all readers.

use crate::card::{CardImage, CardOutline, Reading};
use crate::table::TableFacts;
use crate::table::alike::Likeness;
use setsight_nets::engine::NetworkError;
use setsight_nets::reader::OUTPUTS;
use setsight_photo::Frame;
use std::borrow::Cow;

/// The cards of one photo, straightened.
#[derive(Clone)]
pub struct Cards<'a> {
    /// The photo.
    pub frame: Cow<'a, Frame>,
    /// The outline of each card.
    pub outlines: Cow<'a, [CardOutline]>,
    /// The straightened image of each card, in the same order.
    pub images: Vec<CardImage>,
}

impl<'a> Cards<'a> {
    /// Straightens the card of each outline.
    pub fn straighten(frame: &'a Frame, outlines: &'a [CardOutline]) -> Self {
        Self::new(Cow::Borrowed(frame), Cow::Borrowed(outlines))
    }

    /// Straightens the card of each outline, and keeps the outlines.
    pub fn of_found(frame: &'a Frame, outlines: Vec<CardOutline>) -> Self {
        Self::new(Cow::Borrowed(frame), Cow::Owned(outlines))
    }

    pub(crate) fn new(frame: Cow<'a, Frame>, outlines: Cow<'a, [CardOutline]>) -> Self {
        let images = outlines.iter().map(|outline| CardImage::rectify(&frame, outline)).collect();
        Self { frame, outlines, images }
    }
}

/// A reader's first look at the cards of one photo.
#[derive(Clone, Debug, Default)]
pub struct FirstLook {
    /// One reading for each card, in the same order.
    pub readings: Vec<Reading>,
    /// The reader network's logits of each card; empty if no network looked.
    pub logits: Vec<[f32; OUTPUTS]>,
    /// How alike the cards are to the network that reads screens, if it was fitted for that.
    pub likeness: Option<Likeness>,
}

/// Classifies cards, in two steps: the first look gives what concerns the table as a whole, and with that
/// each card is read.
pub trait Reader: Send + Sync {
    /// The table facts given these cards, and the first look that they rest on. A reader may judge
    /// the cards together. One that cannot distinguish editions assumes the likeliest known one, so
    /// that this open question does not make every card unsure.
    fn table_facts(
        &self,
        cards: &Cards,
        before: TableFacts,
    ) -> Result<(FirstLook, TableFacts), NetworkError>;

    /// The reading of each card, given the first look at these cards and the table facts. Most
    /// readers have nothing to add to their first look.
    fn card_readings(
        &self,
        cards: &Cards,
        look: FirstLook,
        facts: &TableFacts,
    ) -> Result<Vec<Reading>, NetworkError> {
        let _ = (cards, facts);
        Ok(look.readings)
    }
}
