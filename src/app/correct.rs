//! Corrections: what a person says of the cards, with undo, written down on each change.

use super::history::History;
use super::labels::{LabelFile, Written, label_of, table_of, usual_card_at};
use super::library::Found;
use super::table::Table;
use crate::cards::Card;
use crate::geometry::Point;
use crate::pipeline::ReadCard;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A change to a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// This card is that one.
    Be(usize, Card),
    /// Two cards are each the other's.
    Swap(usize, usize),
    /// The best guess is right.
    Confirm(usize),
    /// This is no card.
    Strike(usize),
    /// A card was missed; its middle, in pixels of the upright photo.
    Add(Point),
    /// A corner (0 to 3) of a card lies there.
    MoveCorner(usize, usize, Point),
}

/// Why a change is not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A deck holds each card once, and this one lies on the table already.
    LiesThere(usize),
    /// The corners would no longer go round a card.
    Twisted,
    /// There is no such card.
    NoCard,
    /// All 81 cards lie on the table.
    DeckIsOut,
}

/// The table after a change.
///
/// # Errors
/// [`Refusal`].
pub fn changed(table: &Table, change: Change, size_px: (u32, u32)) -> Result<Table, Refusal> {
    let (mut cards, mut readings) = (table.cards.clone(), table.readings.clone());
    let exists = |i: usize| if i < table.cards.len() { Ok(()) } else { Err(Refusal::NoCard) };
    let said = |card: &mut ReadCard| {
        card.confidence = 1.0;
        card.unsure = false;
    };
    match change {
        Change::Be(i, card) => {
            exists(i)?;
            if let Some(other) = lies_there(table, i, card) {
                return Err(Refusal::LiesThere(other));
            }
            cards[i].card = card;
            said(&mut cards[i]);
        }
        Change::Swap(i, j) => {
            exists(i).and_then(|()| exists(j))?;
            // A guess may be the card that the other surely is: swapped they would both be sure.
            if i != j && cards[i].card == cards[j].card {
                return Err(Refusal::LiesThere(j));
            }
            (cards[i].card, cards[j].card) = (cards[j].card, cards[i].card);
            said(&mut cards[i]);
            said(&mut cards[j]);
            // A guess that was unsure may be one that surely lies elsewhere.
            let clash = |but: usize, other: usize| {
                lies_there(table, but, cards[but].card).filter(|&k| k != other)
            };
            if let Some(other) = clash(i, j).or_else(|| clash(j, i)) {
                return Err(Refusal::LiesThere(other));
            }
        }
        Change::Confirm(i) => {
            exists(i)?;
            if let Some(other) = lies_there(table, i, cards[i].card) {
                return Err(Refusal::LiesThere(other));
            }
            said(&mut cards[i]);
        }
        Change::Strike(i) => {
            exists(i)?;
            cards.remove(i);
            readings.remove(i);
        }
        Change::Add(center) => {
            let free = Card::deck().find(|card| cards.iter().all(|c| c.card != *card));
            cards.push(ReadCard {
                corners_in_image: usual_card_at(table, size_px, center),
                card: free.ok_or(Refusal::DeckIsOut)?,
                confidence: 0.0,
                unsure: true,
            });
            readings.push(None);
        }
        Change::MoveCorner(i, corner, to) => {
            exists(i)?;
            let quad = &mut cards[i].corners_in_image;
            let inside = |v: f64, px: u32| v.clamp(0.0, f64::from(px));
            quad.0[corner % 4] = Point::new(inside(to.x, size_px.0), inside(to.y, size_px.1));
            if !quad.is_convex() || quad.signed_area() < 16.0 {
                return Err(Refusal::Twisted);
            }
        }
    }
    Ok(Table { facts: table.facts, ..Table::new(cards, readings) })
}

/// Another card of the table that is surely this one.
fn lies_there(table: &Table, but: usize, card: Card) -> Option<usize> {
    (0..table.cards.len())
        .find(|&i| i != but && table.cards[i].card == card && !table.cards[i].unsure)
}

/// A photo's table with its past, and what was written of it before.
struct Edited {
    history: History<Table>,
    /// How many steps lead from the table that `before` describes to the one that is now.
    steps: usize,
    before: Option<Written>,
}

/// All corrections of the photos that are open.
#[derive(Default)]
pub struct Corrections {
    /// By folder; read when the first photo of it is asked for.
    files: HashMap<PathBuf, Result<LabelFile, String>>,
    edited: HashMap<PathBuf, Edited>,
}

impl Corrections {
    fn file(&mut self, photo: &Path) -> &mut Result<LabelFile, String> {
        let folder = photo.parent().unwrap_or(Path::new("")).to_path_buf();
        self.files.entry(folder).or_insert_with_key(|folder| LabelFile::read(folder))
    }

    /// Why the labels beside a photo cannot be used, if they cannot.
    pub fn problem(&mut self, photo: &Path) -> Option<String> {
        self.file(photo).as_ref().err().cloned()
    }

    /// The table of a photo as corrected, and whether anybody has said anything of it.
    pub fn table(&mut self, photo: &Path, found: &Found) -> (Table, bool) {
        if let Some(edited) = self.edited.get(photo) {
            return (edited.history.now().clone(), edited.steps > 0 || edited.before.is_some());
        }
        match self.written(photo) {
            Some(label) => (table_of(&label, found), true),
            None => (found.table.clone(), false),
        }
    }

    fn written(&mut self, photo: &Path) -> Option<Written> {
        let name = name_of(photo)?;
        self.file(photo).as_ref().ok()?.photo(&name)
    }

    /// Makes a change and writes it down.
    ///
    /// # Errors
    /// The change is refused, in words for the user (and the card that is in the way); or it
    /// cannot be written, and then is made all the same.
    pub fn change(
        &mut self,
        photo: &Path,
        found: &Found,
        change: Change,
        amend: bool,
    ) -> Result<(), Trouble> {
        if let Some(problem) = self.problem(photo) {
            return Err(Trouble::Unwritten(problem));
        }
        let (now, _) = self.table(photo, found);
        let next = changed(&now, change, found.size_px).map_err(Trouble::Refused)?;
        let before = self.written(photo);
        let edited = self.edited.entry(photo.to_path_buf()).or_insert_with(|| Edited {
            history: History::new(now),
            steps: 0,
            before,
        });
        if amend && edited.steps > 0 {
            edited.history.amend(next);
        } else {
            edited.history.change(next);
            edited.steps += 1;
        }
        self.write(photo, found)
    }

    /// Takes the last change of a photo back, or makes it again. Whether there was one.
    ///
    /// # Errors
    /// It cannot be written, and is taken back all the same.
    pub fn step(&mut self, photo: &Path, found: &Found, forward: bool) -> Result<bool, Trouble> {
        let Some(edited) = self.edited.get_mut(photo) else { return Ok(false) };
        let stepped = if forward { edited.history.redo() } else { edited.history.undo() };
        if stepped {
            edited.steps = if forward { edited.steps + 1 } else { edited.steps - 1 };
            self.write(photo, found)?;
        }
        Ok(stepped)
    }

    /// Whether there is anything to undo, and to redo.
    pub fn steps(&self, photo: &Path) -> (bool, bool) {
        let edited = self.edited.get(photo);
        edited.map_or((false, false), |e| (e.history.can_undo(), e.history.can_redo()))
    }

    fn write(&mut self, photo: &Path, found: &Found) -> Result<(), Trouble> {
        let (Some(name), Some(edited)) = (name_of(photo), self.edited.get(photo)) else {
            return Ok(());
        };
        let label = if edited.steps == 0 {
            edited.before.clone()
        } else {
            Some(label_of(edited.history.now(), found, &name, edited.before.as_ref()))
        };
        match self.file(photo) {
            Ok(file) => file.set(&name, label.as_ref()).map_err(Trouble::Unwritten),
            Err(problem) => Err(Trouble::Unwritten(problem.clone())),
        }
    }
}

/// What went wrong with a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It is not made.
    Refused(Refusal),
    /// It could not be written down.
    Unwritten(String),
}

fn name_of(photo: &Path) -> Option<String> {
    Some(photo.file_name()?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::table_of as cards;
    use super::*;
    use crate::dataset::PHOTO_LABELS;
    use image::metadata::Orientation;
    use proptest::prelude::*;

    fn found() -> Found {
        let (size, orientation) = ((480, 360), Orientation::NoTransforms);
        let mut table = cards("1fgd 2fgd 3srs 1ord");
        table.cards[3].unsure = true;
        let table = Table::new(table.cards, table.readings);
        Found { table, times: Vec::new(), size_px: size, stored_px: size, orientation }
    }

    fn card(code: &str) -> Card {
        code.parse().unwrap()
    }

    #[test]
    fn a_card_lies_on_the_table_once() {
        let table = found().table;
        let be = |i, code| changed(&table, Change::Be(i, card(code)), (480, 360));
        assert_eq!(be(0, "2fgd"), Err(Refusal::LiesThere(1)));
        assert_eq!(be(9, "2fgd"), Err(Refusal::NoCard));
        // The guess of an unsure card is in nobody's way.
        assert_eq!(be(0, "1ord").unwrap().cards[0].card, card("1ord"));
        let doubtful = be(0, "1ord").unwrap();
        let swap = changed(&doubtful, Change::Swap(0, 3), (480, 360));
        assert_eq!(swap, Err(Refusal::LiesThere(3)));
        let swapped = changed(&table, Change::Swap(0, 1), (480, 360)).unwrap();
        assert_eq!((swapped.cards[0].card, swapped.cards[1].card), (card("2fgd"), card("1fgd")));
    }

    #[test]
    fn corners_stay_in_the_picture_and_go_round() {
        let table = found().table;
        let to = |x, y| changed(&table, Change::MoveCorner(0, 0, Point::new(x, y)), (480, 360));
        assert_eq!(to(-50.0, 10.0).unwrap().cards[0].corners_in_image.0[0], Point::new(0.0, 10.0));
        assert_eq!(to(200.0, 200.0), Err(Refusal::Twisted));
    }

    #[test]
    fn a_correction_is_on_disk_at_once_and_gone_after_undo() {
        let dir = tempfile::tempdir().unwrap();
        let (photo, found) = (dir.path().join("a.jpg"), found());
        let mut corrections = Corrections::default();
        assert_eq!(corrections.table(&photo, &found), (found.table.clone(), false));
        corrections.change(&photo, &found, Change::Be(3, card("3ogo")), false).unwrap();
        corrections.change(&photo, &found, Change::Strike(0), false).unwrap();
        let (now, said) = corrections.table(&photo, &found);
        assert!(said && now.cards.len() == 3);
        // Another window sees the same.
        let (read, said) = Corrections::default().table(&photo, &found);
        assert!(said);
        let codes = |table: &Table| table.cards.iter().map(|c| c.card).collect::<Vec<_>>();
        assert_eq!(codes(&read), codes(&now));
        assert_eq!(corrections.step(&photo, &found, false), Ok(true));
        assert_eq!(corrections.step(&photo, &found, false), Ok(true));
        assert_eq!(corrections.step(&photo, &found, false), Ok(false));
        assert!(!dir.path().join(PHOTO_LABELS).exists());
        assert_eq!(corrections.table(&photo, &found), (found.table.clone(), false));
        assert_eq!(corrections.step(&photo, &found, true), Ok(true));
        assert!(dir.path().join(PHOTO_LABELS).exists());
    }

    #[test]
    fn labels_that_cannot_be_read_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(PHOTO_LABELS);
        std::fs::write(&path, "not json").unwrap();
        let mut corrections = Corrections::default();
        let photo = dir.path().join("a.jpg");
        let answer = corrections.change(&photo, &found(), Change::Strike(0), false);
        assert!(matches!(answer, Err(Trouble::Unwritten(_))));
        assert_eq!(std::fs::read_to_string(path).unwrap(), "not json");
    }

    fn any_change() -> impl Strategy<Value = Change> {
        let point = || (-20.0..500.0f64, -20.0..400.0f64).prop_map(|(x, y)| Point::new(x, y));
        prop_oneof![
            (0..6usize, 0..81usize).prop_map(|(i, c)| Change::Be(i, Card::from_index(c))),
            (0..6usize, 0..6usize).prop_map(|(i, j)| Change::Swap(i, j)),
            (0..6usize).prop_map(Change::Confirm),
            (0..6usize).prop_map(Change::Strike),
            point().prop_map(Change::Add),
            (0..6usize, 0..4usize, point()).prop_map(|(i, k, p)| Change::MoveCorner(i, k, p)),
        ]
    }

    proptest! {
        #[test]
        fn whatever_is_changed_no_sure_card_lies_twice(
            changes in prop::collection::vec(any_change(), 0..30),
        ) {
            let mut table = found().table;
            for change in changes {
                if let Ok(next) = changed(&table, change, (480, 360)) {
                    table = next;
                }
                let mut sure: Vec<Card> = table.sure().into_iter().map(|(_, c)| c).collect();
                let count = sure.len();
                sure.sort();
                sure.dedup();
                prop_assert_eq!(sure.len(), count);
            }
        }
    }
}
