//! The result of reading a picture of a table: the same for photos, films, the window and files.

use super::copies::{copies, sets_of};
use super::probable::{ProbableSet, codes, probable_sets};
use super::table::{Colors, TableFacts};
use super::{card::ReadCard, table::alike::Class, warning::Warning};
use setsight_game::cards::{Card, Deck, Edition, Property};
use setsight_game::sets::{Set, find_all};
use setsight_photo::geometry::{Point, Quad};
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
    /// What is alike, of a drawn table where it is clear though names may not be: the class of each card.
    /// Empty where it is not clear.
    pub classes: Vec<Option<Class>>,
    /// The sure sets: all among the cards that are not [`unsure`](ReadCard::unsure), and all by
    /// `classes`, as indices into `cards`.
    pub sets: Vec<Set>,
    /// The sets that hang on unsure cards and are more likely there than not, most probable first.
    pub probable_sets: Vec<ProbableSet>,
    /// How many more probable sets there are than are listed: a table of doubts may have a thousand.
    pub probable_sets_left_out: usize,
    /// The probabilities behind [`TableReading::edition`] and [`TableReading::is_mirrored`].
    #[doc(hidden)]
    pub facts: TableFacts,
    /// Problems of the picture's file, though it could be read.
    pub warnings: Vec<Warning>,
}

impl TableReading {
    /// Cards in reading order in a picture of this width and height, with all their sets.
    pub fn new(cards: Vec<ReadCard>, size_px: (u32, u32)) -> Self {
        Self::with_classes(cards, Vec::new(), size_px)
    }

    /// The same, with the classes of similar cards.
    pub(crate) fn with_classes(
        cards: Vec<ReadCard>,
        classes: Vec<Option<Class>>,
        size_px: (u32, u32),
    ) -> Self {
        let mut table = Self { size_px, cards, classes, ..Self::default() };
        table.find_sets();
        table
    }

    /// The same in a picture of this size, in which every place is elsewhere.
    pub(crate) fn moved(mut self, to: impl Fn(Point) -> Point, size_px: (u32, u32)) -> Self {
        self.size_px = size_px;
        for card in &mut self.cards {
            card.corners_in_image = card.corners_in_image.map(&to);
        }
        self
    }

    /// Makes the cards at such places unsure.
    pub(crate) fn doubt(&mut self, is_doubtful: impl Fn(&Quad) -> bool) {
        let places: Vec<usize> = (0..self.cards.len())
            .filter(|&i| is_doubtful(&self.cards[i].corners_in_image))
            .collect();
        for &i in &places {
            self.cards[i].unsure = true;
            if let Some(class) = self.classes.get_mut(i) {
                *class = None;
            }
        }
        if !places.is_empty() {
            self.find_sets();
        }
    }

    /// Finds the sets anew, after cards were changed.
    pub fn find_sets(&mut self) {
        self.sets = sets_of(&self.cards);
        let unnamed = self.unnamed_sets();
        if !unnamed.is_empty() {
            self.sets.extend(unnamed);
            self.sets.sort_by_key(|set| set.0);
        }
        let copies = self.copies();
        let repeated: Vec<usize> = copies.iter().flat_map(|places| &places[1..]).copied().collect();
        let sure_sets = self.sets.iter().map(|set| codes(&self.cards, set.0)).collect();
        // Where all that is alike is known, nothing is probable.
        (self.probable_sets, self.probable_sets_left_out) = match self.classes.is_empty() {
            true => probable_sets(&self.cards, &repeated, &sure_sets),
            false => (Vec::new(), 0),
        };
    }

    /// The sets by [`classes`](Self::classes) that have an unsure card, which has no name.
    fn unnamed_sets(&self) -> Vec<Set> {
        let grouped: Vec<(usize, Class)> =
            self.classes.iter().enumerate().filter_map(|(i, class)| Some((i, (*class)?))).collect();
        let board: Vec<Card> =
            grouped.iter().map(|(_, class)| Card::from_index(index_of(class))).collect();
        let sets = find_all(&board).into_iter().map(|set| Set(set.0.map(|k| grouped[k].0)));
        sets.filter(|set| !self.is_named(set.0)).collect()
    }

    /// Whether all cards of a set have sure names.
    pub fn is_named(&self, cards: [usize; 3]) -> bool {
        cards.iter().all(|&i| !self.cards[i].unsure)
    }

    /// The properties that are alike in a set and those that differ, such as "alike in shading, different in
    /// number, colour and shape"; `None` where that is not known.
    pub fn likeness(&self, cards: [usize; 3]) -> Option<String> {
        let [a, b, _] = cards.map(|i| self.classes.get(i).copied().flatten());
        let (a, b) = (a?, b?);
        let [alike, different] = [true, false].map(|alike| {
            let all =
                Property::ALL.into_iter().filter(|p| (a[*p as usize] == b[*p as usize]) == alike);
            joined(&all.map(|property| property.to_string()).collect::<Vec<_>>())
        });
        let alike = if alike.is_empty() { alike } else { format!("alike in {alike}, ") };
        Some(format!("{alike}different in {different}"))
    }

    /// The cards that the picture shows more than once, each as the indices of its sure places,
    /// ascending: found sets beside the board, or two games.
    pub fn copies(&self) -> Vec<Vec<usize>> {
        copies(&self.cards)
    }

    /// The deck's edition; unknown for a taught deck, and for an unknown one, whose cards are all unsure.
    pub fn edition(&self) -> Edition {
        self.facts.edition()
    }

    /// Whether the picture shows the table mirrored, as webcams often store it. On a copy of a screen
    /// squiggles decide nothing: apps draw them either way round.
    pub fn is_mirrored(&self) -> bool {
        self.facts.is_mirrored() && !self.facts.on_screen
    }

    /// Whether the picture shows the cards' colours. If not, each card's colour is unknown.
    pub fn colors(&self) -> Colors {
        self.facts.colors
    }

    /// Whether the members of [`serde::Serialize`] are enough to make an equal reading of, but for rounding.
    pub fn is_whole_in_json(&self) -> bool {
        self.facts.deck().is_some() && self.colors() == Colors::Shown
    }

    /// The deck in whose words the cards are named.
    pub fn deck(&self) -> Arc<Deck> {
        self.facts.named_deck()
    }

    /// Number of unsure cards.
    pub fn unsure(&self) -> usize {
        self.cards.iter().filter(|card| card.unsure).count()
    }
}

fn index_of(class: &Class) -> usize {
    class.iter().fold(0, |index, value| 3 * index + value)
}

fn joined(words: &[String]) -> String {
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_game::cards::Card;

    #[test]
    fn sets_need_no_names() {
        let classes = vec![Some([0, 0, 1, 2]), Some([1, 0, 2, 1]), None, Some([2, 0, 0, 0])];
        let table = TableReading::with_classes(
            (0..4)
                .map(|i| {
                    let corners = setsight_photo::geometry::Quad::rectangle(90.0, 60.0);
                    ReadCard::new(corners, Card::from_index(i), 0.3, true)
                })
                .collect(),
            classes,
            (400, 300),
        );
        assert_eq!(table.sets, [Set([0, 1, 3])]);
        assert!(table.probable_sets.is_empty() && !table.is_named([0, 1, 3]));
        let words = "cards 1, 2, 4, alike in shading, different in number, colour and shape";
        assert_eq!(table.unnamed([0, 1, 3]).as_deref(), Some(words));
        let text = table.summary();
        assert_eq!(text, "4 cards, 1 set, 4 unsure (?), sets by what is alike, without names");
    }
}
