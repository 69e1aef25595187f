//! The result of reading a picture of a table: the same for photos, films, the window and files.

use super::copies::{copies, sets_of};
use super::data::ReadCard;
use super::probable::{ProbableSet, codes, probable_sets};
use super::table::{Colors, TableFacts};
use super::warning::Warning;
use setsight_game::cards::{Deck, Edition};
use setsight_game::sets::Set;
use setsight_photo::geometry::Quad;
use std::sync::Arc;

/// The cards and sets on a table, as one picture shows them.
///
/// A picture without cards gives an empty one. [`serde::Serialize`] writes the members that
/// `setsight scan --format json` prints for a table.
///
/// # Examples
/// ```
/// # std::env::set_current_dir("../../datasets/samples").unwrap();
/// let photo = setsight_vision::read_photo("1-plain-on-wood.jpg")?;
/// let json = serde_json::to_string(&photo.table)?;
/// assert!(json.starts_with(r#"{"width":"#), "{json}");
/// assert!(json.contains(r#""deck":"classic","mirrored":false,"cards":[{"code":"#), "{json}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TableReading {
    /// Width and height of the upright picture, in pixels.
    pub size_px: (u32, u32),
    /// The cards in reading order: row by row, each row from left to right. They are the cards as
    /// they lie on the table, even if the picture is mirrored; their corners are where the picture
    /// shows them.
    pub cards: Vec<ReadCard>,
    /// The sure sets: all among the cards that are not [`unsure`](ReadCard::unsure), as indices into
    /// `cards`.
    pub sets: Vec<Set>,
    /// The sets that hang on unsure cards and are more likely there than not, most probable first.
    pub probable_sets: Vec<ProbableSet>,
    /// How many more probable sets there are than are listed: a table of doubts may have a thousand.
    pub probable_sets_left_out: usize,
    /// The probabilities behind [`TableReading::edition`] and [`TableReading::is_mirrored`].
    #[doc(hidden)]
    pub facts: TableFacts,
    /// What is wrong with the picture's file, though it could be read.
    pub warnings: Vec<Warning>,
}

impl TableReading {
    /// Cards in reading order in a picture of this width and height, with all their sets.
    pub fn new(cards: Vec<ReadCard>, size_px: (u32, u32)) -> Self {
        let mut table = Self { size_px, cards, ..Self::default() };
        table.find_sets();
        table
    }

    /// The same in pixels of a picture of this size, so many times larger in each direction.
    pub(crate) fn enlarged(mut self, by: f64, size_px: (u32, u32)) -> Self {
        self.size_px = size_px;
        for card in &mut self.cards {
            let corners = &mut card.corners_in_image;
            *corners = Quad::new(corners.0.map(|p| p * by));
        }
        self
    }

    /// Finds the sets anew, after cards were changed.
    pub fn find_sets(&mut self) {
        self.sets = sets_of(&self.cards);
        let copies = self.copies();
        let repeated: Vec<usize> = copies.iter().flat_map(|places| &places[1..]).copied().collect();
        let known = self.sets.iter().map(|set| codes(&self.cards, set.0)).collect();
        let probable = probable_sets(&self.cards, &repeated, &known);
        (self.probable_sets, self.probable_sets_left_out) = probable;
    }

    /// The cards that the picture shows more than once, each as the indices of its sure places,
    /// ascending: found sets beside the board, or two games.
    pub fn copies(&self) -> Vec<Vec<usize>> {
        copies(&self.cards)
    }

    /// The deck's edition; unknown for a taught deck, and for one that nobody knows, whose cards are
    /// all unsure.
    pub fn edition(&self) -> Edition {
        self.facts.edition()
    }

    /// Whether the picture shows the table mirrored, as webcams often store it. On a copy of a screen
    /// squiggles do not tell: apps draw them either way round.
    pub fn is_mirrored(&self) -> bool {
        self.facts.is_mirrored() && !self.facts.on_screen
    }

    /// Whether the picture shows the cards' colours. If not, each card's colour is unknown.
    pub fn colors(&self) -> Colors {
        self.facts.colors
    }

    /// The deck in whose words the cards are named.
    pub fn deck(&self) -> Arc<Deck> {
        self.facts.named_deck()
    }

    /// How many cards are unsure.
    pub fn unsure(&self) -> usize {
        self.cards.iter().filter(|card| card.unsure).count()
    }
}
