//! Table-level inference, before the cards are read: whether the picture is a copy of
//! a screen ([`screens`](crate::classify::screens)), which edition lies there ([`facts`]), whether the picture is mirrored
//! ([`mirror`]), in which direction symbols follow each other ([`direction`]), whether it shows the cards'
//! colours ([`colors`]), and the similarity of its cards ([`alike`], [`company`]).

pub mod alike;
mod colors;
pub mod company;
mod direction;
mod facts;
mod mirror;

pub(crate) use facts::DeckFacts;
pub use facts::{Colors, Mirrored, TableFacts};
pub use mirror::{in_a_mirror, turned_back};

use crate::card::Reading;
use crate::classify::reader::{Cards, FirstLook, Reader};
use setsight_game::cards::Property;
use setsight_nets::engine::NetworkError;

/// The cards of a table with the facts that hold for all of them.
pub(crate) struct AssessedTable<'a> {
    /// The cards as they lie on the table: of a mirrored picture those of the picture turned back.
    pub cards: Cards<'a>,
    /// The reader's first look at them.
    pub look: FirstLook,
    /// The facts, given these cards.
    pub facts: TableFacts,
}

impl TableFacts {
    /// Estimates the facts of a table from the reader's first look at its cards; these are the prior. If it is a
    /// drawing, its cards are then cropped as such, unless that is left out, and looked at again.
    pub(crate) fn estimate<'a>(
        self,
        reader: &dyn Reader,
        cards: Cards<'a>,
        crops_drawings: bool,
    ) -> Result<AssessedTable<'a>, NetworkError> {
        let cards = cards.along_their_symbols();
        let AssessedTable { cards, look, facts } = mirror::choose_mirror(reader, cards, self)?;
        let colors = colors::shown(&cards.images, &look.readings, facts.colors);
        let facts = TableFacts { colors, ..facts };
        if facts.on_screen && crops_drawings {
            return AssessedTable::assess(reader, cards.of_drawing(), facts);
        }
        Ok(AssessedTable { cards, look, facts })
    }
}

impl<'a> AssessedTable<'a> {
    /// The reader's first look at some cards, and the facts given these.
    fn assess(
        reader: &dyn Reader,
        cards: Cards<'a>,
        before: TableFacts,
    ) -> Result<Self, NetworkError> {
        let (look, facts) = reader.table_facts(&cards, before)?;
        Ok(Self { cards, look, facts })
    }

    /// Reads each card. If the picture does not show the cards' colours, all are equally likely.
    pub(crate) fn read(
        self,
        reader: &dyn Reader,
    ) -> Result<(Vec<Reading>, TableFacts), NetworkError> {
        let mut readings = reader.card_readings(&self.cards, self.look, &self.facts)?;
        if self.facts.colors != Colors::Shown {
            for reading in &mut readings {
                reading.values[Property::Color as usize] = [1.0 / 3.0; 3];
            }
        }
        Ok((readings, self.facts))
    }
}
