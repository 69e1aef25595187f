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
    /// Estimates the facts of a table from the reader's first look at its cards; these are the prior.
    pub(crate) fn estimate<'a>(
        self,
        reader: &dyn Reader,
        cards: Cards<'a>,
    ) -> Result<AssessedTable<'a>, NetworkError> {
        let cards = cards.along_their_symbols();
        let AssessedTable { cards, look, facts } = mirror::choose_mirror(reader, cards, self)?;
        let colors = colors::shown(&cards.images, &look.readings, facts.colors);
        Ok(AssessedTable { cards, look, facts: TableFacts { colors, ..facts } })
    }
}

impl AssessedTable<'_> {
    /// Looked at again as a drawing if it is one.
    pub(crate) fn into_drawn(self, reader: &dyn Reader) -> Result<Self, NetworkError> {
        if !self.facts.on_screen {
            return Ok(self);
        }
        let cards = self.cards.of_drawing();
        let (look, facts) = reader.table_facts(&cards, self.facts)?;
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
