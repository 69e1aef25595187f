//! What concerns a table as a whole, decided before its cards are read: whether the picture is a copy of
//! a screen ([`screens`]), which edition lies there ([`facts`]), whether the picture is mirrored
//! ([`mirror`]), and whether it shows the cards' colours ([`colors`]).

mod closer;
mod colors;
mod facts;
mod mirror;
pub mod screens;

pub(crate) use facts::DeckFacts;
pub use facts::{Colors, Mirrored, TableFacts};
pub use mirror::{in_a_mirror, turned_back};

use crate::classify::reader::{Cards, FirstLook, Reader};
use crate::data::Reading;
use setsight_game::cards::Property;
use setsight_nets::engine::NetworkError;

/// The cards of a table on which all that concerns it as a whole is settled.
pub(crate) struct SettledTable<'a> {
    /// The cards as they lie on the table: of a mirrored picture those of the picture turned back.
    pub cards: Cards<'a>,
    /// The reader's first look at them.
    pub look: FirstLook,
    /// The facts, given these cards.
    pub facts: TableFacts,
}

impl<'a> SettledTable<'a> {
    /// Settles what concerns the table as a whole, from the reader's first look at its cards.
    pub(crate) fn of(
        reader: &dyn Reader,
        cards: Cards<'a>,
        before: TableFacts,
    ) -> Result<Self, NetworkError> {
        let Self { cards, look, facts } = mirror::settle(reader, cards, before)?;
        let colors = colors::shown(&cards.images, &look.readings, facts.colors);
        Ok(Self { cards, look, facts: TableFacts { colors, ..facts } })
    }

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
        if self.facts.colors != Colors::Told {
            for reading in &mut readings {
                reading.values[Property::Color as usize] = [1.0 / 3.0; 3];
            }
        }
        Ok((readings, self.facts))
    }
}
