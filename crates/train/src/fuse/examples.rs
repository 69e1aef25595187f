//! Training examples of a fit: outlines, the classifiers' outputs and the true cards.

use setsight_game::cards::Card;
use setsight_vision::{CardOutline, classify::fused::ClassifierOutputs, table::screens};

/// The classifiers' outputs for one outline, and the truth.
#[derive(Clone, Debug)]
pub struct Example {
    /// The outline.
    pub outline: CardOutline,
    /// The classifiers' outputs.
    pub outputs: ClassifierOutputs,
    /// What lies under the outline.
    pub truth: Truth,
}

/// What lies under an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// A card with enough of its symbols in view.
    Card(Card),
    /// A card with most of its symbols hidden: it counts for the code, not for card-or-not.
    Hidden(Card),
    /// No card.
    Nothing,
}

impl Truth {
    /// The card, if there is one.
    pub fn card(self) -> Option<Card> {
        match self {
            Self::Card(card) | Self::Hidden(card) => Some(card),
            Self::Nothing => None,
        }
    }
}

/// Cards from one origin.
#[derive(Clone, Debug)]
pub struct Source {
    /// `drawn`, or the name of a folder of crops.
    pub name: String,
    /// Whether its outlines were found by the finder and carry a score.
    pub has_outlines: bool,
    /// The tables; a crop is a table of one card.
    pub tables: Vec<ExampleTable>,
}

/// All outlines of a picture.
#[derive(Clone, Debug, Default)]
pub struct ExampleTable {
    /// The outlines, in the finder's order.
    pub seen: Vec<Example>,
    /// What tells a copy of a screen from a photo, if the table has enough cards; see
    /// [`screens::features`].
    pub is_screen: Option<[f32; screens::FEATURES]>,
}

/// The visible cards on the tables of a source.
pub(super) fn cards_of(source: &Source) -> impl Iterator<Item = (&Example, Card)> {
    let seen = source.tables.iter().flat_map(|table| &table.seen);
    seen.filter_map(|seen| Some((seen, seen.truth.card()?)))
}
