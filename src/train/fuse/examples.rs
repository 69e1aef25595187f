//! What a fit is made of: outlines, what the outputs say of them, and what lies there.

use crate::cards::Card;
use crate::pipeline::CardOutline;
use crate::pipeline::classify::fused::ClassifierOutputs;

/// What the outputs say of one outline, and what it is.
#[derive(Clone, Debug)]
pub struct Example {
    /// Where it lies.
    pub outline: CardOutline,
    /// What the outputs say.
    pub outputs: ClassifierOutputs,
    /// What lies there.
    pub truth: Truth,
}

/// What lies under an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// A card that can be seen.
    Card(Card),
    /// A card of which little can be seen: its code counts, whether it is found does not.
    Hidden(Card),
    /// None.
    Nothing,
}

impl Truth {
    /// Its code, if there is one.
    pub fn card(self) -> Option<Card> {
        match self {
            Self::Card(card) | Self::Hidden(card) => Some(card),
            Self::Nothing => None,
        }
    }
}

/// Cards of one kind of origin.
#[derive(Clone, Debug)]
pub struct Source {
    /// `drawn`, or the name of a folder of crops.
    pub name: String,
    /// Whether its outlines were found, with a score.
    pub has_outlines: bool,
    /// A crop is a table of one card.
    pub tables: Vec<ExampleTable>,
}

/// All outlines of a picture.
#[derive(Clone, Debug, Default)]
pub struct ExampleTable {
    /// In the finder's order.
    pub seen: Vec<Example>,
}

/// The cards that can be seen on the tables of a source.
pub fn cards_of(source: &Source) -> impl Iterator<Item = (&Example, Card)> {
    let seen = source.tables.iter().flat_map(|table| &table.seen);
    seen.filter_map(|seen| Some((seen, seen.truth.card()?)))
}
