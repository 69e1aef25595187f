//! What stands in `labels.json` beside the photos, as the window's tables and in its words.

use crate::{
    photos::library::Found,
    shared::{table::Table, words::t},
};
use setsight_game::cards::{Deck, Edition};
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::labels::{
    CardLabel, DatasetError, LabelledBy, PhotoEntry, PhotoLabel, UNCHECKED,
};
use setsight_vision::ReadCard;
use std::path::PathBuf;

/// Why labels cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LabelProblem {
    /// The system does not give the file.
    Unreadable(PathBuf, String),
    /// The file is not JSON.
    NotJson(PathBuf, String),
    /// The file holds no list of photos.
    NoPhotos(PathBuf),
    /// The system does not take the file.
    Unwritable(PathBuf, String),
    /// It names the photo's cards by the codes of another deck than the one that is read by.
    OtherDeck(PathBuf, String),
}

impl LabelProblem {
    pub(crate) fn words(&self) -> String {
        let (Self::Unreadable(path, _)
        | Self::NotJson(path, _)
        | Self::NoPhotos(path)
        | Self::Unwritable(path, _)
        | Self::OtherDeck(path, _)) = self;
        let path = path.display().to_string();
        match self {
            Self::Unreadable(_, error) => {
                t!("labels-unreadable", path = path, error = error.as_str())
            }
            Self::NotJson(_, error) => t!("labels-no-json", path = path, error = error.as_str()),
            Self::NoPhotos(_) => t!("labels-no-list", path = path),
            Self::Unwritable(_, error) => t!("unwritable", path = path, error = error.as_str()),
            Self::OtherDeck(_, deck) => t!("labels-other-deck", path = path, deck = deck.as_str()),
        }
    }
}

impl From<DatasetError> for LabelProblem {
    fn from(error: DatasetError) -> Self {
        match error {
            DatasetError::Unreadable { path, source } => Self::Unreadable(path, source.to_string()),
            DatasetError::Unwritable { path, source } => Self::Unwritable(path, source.to_string()),
            DatasetError::NotJson { path, reason } => Self::NotJson(path, reason),
            DatasetError::NoPhotos(path) => Self::NoPhotos(path),
            DatasetError::Malformed { path, reason } => Self::Unreadable(path, reason),
            DatasetError::Twice { ref path, .. }
            | DatasetError::MissingFile { ref path, .. }
            | DatasetError::NoLabels(ref path) => Self::Unreadable(path.clone(), error.to_string()),
        }
    }
}

/// Whether the codes of an entry mean what the codes of a reading mean: those of a deck of one's own
/// are its own.
pub(crate) fn is_of_deck_of(entry: &PhotoEntry, found: &Found) -> bool {
    match found.table.facts.taught_deck() {
        Some(deck) => entry.label.deck == deck.name,
        None => Edition::named(&entry.label.deck).is_some(),
    }
}

/// A table as it is written. Until somebody has said that all its cards are right, the photo is tagged
/// [`UNCHECKED`], and what is unsure stands in a list of its own.
pub(crate) fn label_of(
    table: &Table,
    found: &Found,
    file: &str,
    before: Option<&PhotoEntry>,
) -> PhotoEntry {
    let (width, height) = found.stored_px;
    let mut tags = before.map(|before| before.label.tags.clone()).unwrap_or_default();
    tags.retain(|tag| tag != UNCHECKED);
    let unchecked = (!table.checked || table.unsure() > 0).then(|| card_labels(table, found, true));
    if unchecked.is_some() {
        tags.push(UNCHECKED.to_owned());
    }
    let deck = match (table.facts.taught_deck(), before) {
        (Some(deck), _) => deck.name.clone(),
        (None, Some(before)) => before.label.deck.clone(),
        (None, None) => Deck::classic().name.clone(),
    };
    let mirrored = before.is_some_and(|before| before.label.mirrored);
    let file = file.to_owned();
    let label = PhotoLabel {
        file,
        width,
        height,
        tags,
        deck,
        mirrored,
        cards: card_labels(table, found, false),
    };
    PhotoEntry { label, unchecked }
}

/// The labels of the cards that are sure, or of those that are not.
fn card_labels(table: &Table, found: &Found, unsure: bool) -> Vec<CardLabel> {
    let all = table.cards.iter().zip(&table.confirmed);
    all.filter(|(card, _)| card.unsure == unsure)
        .map(|(card, &by_person)| card_label(card, by_person, found))
        .collect()
}

fn card_label(card: &ReadCard, by_person: bool, found: &Found) -> CardLabel {
    let (width, height) = found.stored_px;
    let reduced = f64::from(found.reduced());
    let corners = Quad::new(card.corners_in_image.0.map(|p| p * reduced));
    let labelled_by = if by_person { LabelledBy::Person } else { LabelledBy::Reader };
    let label = CardLabel::stored(card.card, corners, found.orientation, width, height);
    CardLabel { labelled_by, ..label }
}

/// The table that was written. A card without corners gets those that were found around its
/// centre, or those of an average card; of a photo that is [`UNCHECKED`] the unsure cards come too.
pub(crate) fn table_of(written: &PhotoEntry, found: &Found) -> Table {
    let (mut cards, mut readings, mut confirmed) = (Vec::new(), Vec::new(), Vec::new());
    let mut numbers = Numbers::new(&found.table);
    let label = &written.label;
    let tagged = !label.is_checked();
    let mut cards_written = label.reduced_cards(found.orientation, found.reduced());
    let sure = cards_written.len();
    if let Some(unchecked) = written.unchecked.as_ref().filter(|_| tagged) {
        let unsure = PhotoLabel { cards: unchecked.clone(), ..label.clone() };
        cards_written.extend(unsure.reduced_cards(found.orientation, found.reduced()));
    }
    for (place, card) in cards_written.into_iter().enumerate() {
        let unsure = place >= sure;
        let read = found.table.card_at(card.center);
        let found_corners = read.map(|i| found.table.cards[i].corners_in_image);
        let corners_in_image = card
            .corners
            .or(found_corners)
            .unwrap_or_else(|| usual_card_at(&found.table, found.size_px, card.center));
        let by_person = !unsure && card.labelled_by == LabelledBy::Person;
        let reader = read.map_or(0.0, |i| found.table.cards[i].confidence);
        let confidence = if by_person { 1.0 } else { reader };
        confirmed.push(by_person);
        numbers.put(read);
        let mut now = ReadCard::new(corners_in_image, card.code, confidence, unsure);
        if let Some(i) = read.filter(|&i| unsure && found.table.cards[i].card == card.code) {
            // What else it may be is written nowhere.
            now.alternatives.clone_from(&found.table.cards[i].alternatives);
        }
        cards.push(now);
        readings.push(read.and_then(|i| found.table.readings[i].clone()));
    }
    if tagged && written.unchecked.is_none() {
        let labelled = found.table.with_cards(cards.clone(), readings.clone());
        let of_found = found.table.cards.iter().zip(&found.table.readings);
        for (i, (card, reading)) in of_found.enumerate() {
            if card.unsure && labelled.card_at(card.corners_in_image.center()).is_none() {
                confirmed.push(false);
                numbers.put(Some(i));
                cards.push(card.clone());
                readings.push(reading.clone());
            }
        }
    }
    let (checked, numbers) = (!tagged, numbers.given);
    Table { confirmed, numbers, checked, ..found.table.with_cards(cards, readings) }
}

/// Numbers for cards in whatever order they were written: a card that was found keeps that of the
/// reading, the others go on from there.
struct Numbers {
    free: Vec<Option<usize>>,
    last: usize,
    given: Vec<usize>,
}

impl Numbers {
    fn new(found: &Table) -> Self {
        let free = found.numbers.iter().copied().map(Some).collect();
        Self { free, last: found.numbers.len(), given: Vec::new() }
    }

    /// The number of the next card, which was found at this place, if anywhere.
    fn put(&mut self, read: Option<usize>) {
        let given = read.and_then(|i| self.free.get_mut(i)).and_then(Option::take);
        self.given.push(given.unwrap_or_else(|| {
            self.last += 1;
            self.last
        }));
    }
}

/// Corners of a card at a place where none was found: like the nearest card's, else a sixth of
/// the picture wide.
pub(crate) fn usual_card_at(table: &Table, size_px: (u32, u32), center: Point) -> Quad {
    let distance = |quad: &Quad| quad.center().distance(center);
    let nearest = table
        .cards
        .iter()
        .map(|card| card.corners_in_image)
        .min_by(|a, b| distance(a).total_cmp(&distance(b)));
    let quad = nearest.unwrap_or_else(|| {
        let width = f64::from(size_px.0) / 6.0;
        Quad::rectangle(width, width / 1.56)
    });
    let shift = center - quad.center();
    Quad::new(quad.0.map(|p| p + shift))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::table::tests::table_of as cards;
    use image::metadata::Orientation;
    use setsight_photo::labels::{ForeignMembers, LabelFile};
    use std::path::Path;

    fn found(table: Table, orientation: Orientation) -> Found {
        let stored_px = (480, 360);
        Found { table, times: Vec::new(), size_px: (360, 480), stored_px, orientation }
    }

    fn put(folder: &Path, file: &str, label: Option<&PhotoEntry>) {
        let lock = LabelFile::lock(folder).unwrap();
        let mut labels = LabelFile::read_or_empty(folder).unwrap();
        labels.put(file, label, &ForeignMembers::default());
        labels.write(&lock).unwrap();
    }

    #[test]
    fn a_table_survives_the_file_in_a_turned_photo() {
        let dir = tempfile::tempdir().unwrap();
        let table = cards("1fgd 2fgd 3srs");
        let found = found(table.clone(), Orientation::Rotate90);
        let label = label_of(&table, &found, "a.jpg", None);
        put(dir.path(), "a.jpg", Some(&label));
        let read = LabelFile::read(dir.path()).unwrap().photo("a.jpg").unwrap();
        let back = table_of(&read, &found);
        for (a, b) in back.cards.iter().zip(&table.cards) {
            assert_eq!(a.card, b.card);
            let (a, b) = (a.corners_in_image, b.corners_in_image);
            assert!(a.0.iter().zip(b.0).all(|(p, q)| p.distance(q) < 1e-9), "{a:?} {b:?}");
        }
        // What others read is the dataset's format.
        assert_eq!(LabelFile::read(dir.path()).unwrap().photos().unwrap()[0].cards.len(), 3);
    }

    #[test]
    fn labels_name_the_deck_that_cards_are_read_as() {
        let deck = std::sync::Arc::new(Deck::invented(31));
        let mut table = cards("1fgd");
        let found = found(table.clone(), Orientation::NoTransforms);
        let usual = label_of(&table, &found, "a.jpg", None);
        table.facts = table.facts.clone().of_deck(&deck);
        let taught = label_of(&table, &found, "a.jpg", Some(&usual));
        assert_eq!(taught.label.deck, deck.name);
        let by_taught = Found { table, ..found.clone() };
        assert!(is_of_deck_of(&usual, &found) && is_of_deck_of(&taught, &by_taught));
        assert!(!is_of_deck_of(&usual, &by_taught) && !is_of_deck_of(&taught, &found));
    }

    #[test]
    fn unsure_cards_come_back_and_struck_ones_do_not() {
        let dir = tempfile::tempdir().unwrap();
        let mut table = cards("1fgd 2fgd 3srs 1ord");
        table.cards[2].unsure = true;
        table.cards[3].unsure = true;
        let found = found(table.clone(), Orientation::Rotate90);
        let mut kept = found.table.clone();
        kept.cards.remove(2);
        kept.readings.remove(2);
        kept.confirmed.remove(2);
        kept.confirmed[0] = true;
        put(dir.path(), "a.jpg", Some(&label_of(&kept, &found, "a.jpg", None)));
        let written = LabelFile::read(dir.path()).unwrap().photo("a.jpg").unwrap();
        assert_eq!(written.label.tags, [UNCHECKED]);
        assert_eq!(written.label.cards.len(), 2, "a dataset's cards are sure ones");
        let back = table_of(&written, &found);
        let codes: Vec<_> = back.cards.iter().map(|c| (c.card.to_string(), c.unsure)).collect();
        assert_eq!(codes[2..], [("1ord".to_owned(), true)], "{codes:?}");
        assert_eq!(back.numbers, [1, 2, 4], "by which people know them");
        assert_eq!((back.confirmed.as_slice(), back.checked), (&[true, false, false][..], false));
        assert!((back.cards[2].confidence - table.cards[3].confidence).abs() < 1e-6);
        // A tag of somebody else's names no cards.
        let foreign = PhotoEntry { unchecked: None, ..written.clone() };
        assert_eq!(table_of(&foreign, &found).unsure(), 2);
        // That no card is unsure any more is no word on the others.
        kept.cards[2].unsure = false;
        kept.confirmed[2] = true;
        let written = label_of(&kept, &found, "a.jpg", Some(&written));
        assert!(!written.label.is_checked() && written.unchecked.as_ref().unwrap().is_empty());
        // Once all are confirmed the list is gone.
        kept.confirmed = vec![true; 3];
        kept.checked = true;
        put(dir.path(), "a.jpg", Some(&label_of(&kept, &found, "a.jpg", Some(&written))));
        let written = LabelFile::read(dir.path()).unwrap().photo("a.jpg").unwrap();
        assert!(written.unchecked.is_none() && written.label.tags.is_empty());
        assert_eq!(LabelFile::read(dir.path()).unwrap().photos().unwrap()[0].cards.len(), 3);
    }

    #[test]
    fn a_label_without_corners_takes_those_that_were_found() {
        let table = cards("1fgd 2fgd");
        let found = found(table.clone(), Orientation::NoTransforms);
        let mut label = label_of(&table, &found, "a.jpg", None);
        for card in &mut label.label.cards {
            card.corners = None;
        }
        label.label.cards[1].center = Point::new(300.0, 300.0);
        let back = table_of(&label, &found);
        assert_eq!(back.cards[0].corners_in_image, table.cards[0].corners_in_image);
        assert!(back.cards[1].corners_in_image.contains(Point::new(300.0, 300.0)));
    }
}
