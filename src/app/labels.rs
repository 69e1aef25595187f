//! `labels.json` beside the photos, as the window reads and writes it.
//!
//! The file is kept as it was found: entries of other photos and fields that this program does not
//! know stay as they are. It is read again, and written whole, on every change (see
//! [`super::correct`]).

use super::library::Found;
use super::table::Table;
use super::words::t;
use crate::cards::{Deck, Edition};
use crate::dataset::{CardLabel, PHOTO_LABELS, PhotoLabel, SaidBy, UNCHECKED};
use crate::geometry::{Point, Quad};
use crate::pipeline::ReadCard;
use crate::whole_file::write_whole;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// What is written of a photo: its label as every dataset has it, and what is still to be said.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Written {
    /// The cards that are sure.
    #[serde(flatten)]
    pub label: PhotoLabel,
    /// The others, each with its best guess, of a photo with the tag [`UNCHECKED`]. Others than this
    /// program tag photos too: without a list all that the reader is unsure of is still to be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<Vec<CardLabel>>,
}

/// Why labels cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelProblem {
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
    /// In words for the user.
    pub fn words(&self) -> String {
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

impl Written {
    /// Whether its codes mean what the codes of a reading mean: those of a deck of one's own are its
    /// own.
    pub fn is_of_deck_of(&self, found: &Found) -> bool {
        match found.table.facts.own_deck {
            Some(deck) => self.label.deck == deck.name,
            None => Edition::named(&self.label.deck).is_some(),
        }
    }
}

/// The labels of one folder.
#[derive(Clone, Debug)]
pub struct LabelFile {
    path: PathBuf,
    document: Value,
}

impl LabelFile {
    /// Reads the labels of a folder; none there is an empty list.
    ///
    /// # Errors
    /// They are there and cannot be read: then they must not be written over.
    pub fn read(folder: &Path) -> Result<Self, LabelProblem> {
        let path = folder.join(PHOTO_LABELS);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self { path, document: json!({"photos": []}) });
            }
            Err(error) => return Err(LabelProblem::Unreadable(path, error.to_string())),
        };
        let document: Value = match serde_json::from_str(&text) {
            Ok(document) => document,
            Err(error) => return Err(LabelProblem::NotJson(path, error.to_string())),
        };
        if !document["photos"].is_array() {
            return Err(LabelProblem::NoPhotos(path));
        }
        Ok(Self { path, document })
    }

    fn photos(&self) -> &Vec<Value> {
        self.document["photos"].as_array().expect("looked at when it was read")
    }

    fn place_of(&self, file: &str) -> Option<usize> {
        self.photos().iter().position(|photo| photo["file"] == file)
    }

    /// The label of a photo by its file name, if there is one that can be read.
    pub fn photo(&self, file: &str) -> Option<Written> {
        serde_json::from_value(self.photos()[self.place_of(file)?].clone()).ok()
    }

    /// Puts, replaces or removes the label of a photo.
    pub fn put(&mut self, file: &str, label: Option<&Written>) {
        let place = self.place_of(file);
        let photos = self.document["photos"].as_array_mut().expect("looked at when it was read");
        match (place, label) {
            (Some(place), Some(label)) => {
                // Fields of other programs stay.
                let new = serde_json::to_value(label).expect("plain data");
                let old = photos[place].as_object_mut().expect("an entry with a file name");
                // Absent means the usual, so none of the old ones may stay.
                for key in [UNCHECKED, "deck", "mirrored"] {
                    old.remove(key);
                }
                for (key, value) in new.as_object().expect("a struct") {
                    old.insert(key.clone(), value.clone());
                }
            }
            (None, Some(label)) => {
                photos.push(serde_json::to_value(label).expect("plain data"));
            }
            (Some(place), None) => {
                photos.remove(place);
            }
            (None, None) => {}
        }
    }

    /// Writes the file, whole or not at all; a file of nothing is taken away.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self) -> Result<(), LabelProblem> {
        let empty = self.document == json!({"photos": []});
        let written = if empty {
            match std::fs::remove_file(&self.path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
                removed => removed,
            }
        } else {
            let text = serde_json::to_string_pretty(&self.document).expect("text keys only") + "\n";
            write_whole(&self.path, text.as_bytes())
        };
        written.map_err(|error| LabelProblem::Unwritable(self.path.clone(), error.to_string()))
    }
}

/// A table as it is written. Until somebody has said that all its cards are right, the photo is tagged
/// [`UNCHECKED`], and what is unsure stands in a list of its own.
pub fn label_of(table: &Table, found: &Found, file: &str, before: Option<&Written>) -> Written {
    let (width, height) = found.stored_px;
    let mut tags = before.map(|before| before.label.tags.clone()).unwrap_or_default();
    tags.retain(|tag| tag != UNCHECKED);
    let label = |(card, said): (&ReadCard, bool)| {
        let corners = card.corners_in_image;
        let said_by = if said { SaidBy::Person } else { SaidBy::Reader };
        let label = CardLabel::stored(card.card, corners, found.orientation, width, height);
        CardLabel { said_by, ..label }
    };
    let labels = |unsure: bool| -> Vec<CardLabel> {
        let all = table.cards.iter().zip(table.said.iter().copied());
        all.filter(|(card, _)| card.unsure == unsure).map(label).collect()
    };
    let unchecked = (!table.checked || table.unsure() > 0).then(|| labels(true));
    if unchecked.is_some() {
        tags.push(UNCHECKED.to_owned());
    }
    let deck = match (table.facts.own_deck, before) {
        (Some(deck), _) => deck.name.clone(),
        (None, Some(before)) => before.label.deck.clone(),
        (None, None) => Deck::classic().name.clone(),
    };
    let mirrored = before.is_some_and(|before| before.label.mirrored);
    let file = file.to_owned();
    let label = PhotoLabel { file, width, height, tags, deck, mirrored, cards: labels(false) };
    Written { label, unchecked }
}

/// The table that was written. A card without corners gets those that were found around its
/// centre, or those of an average card; of a photo that is [`UNCHECKED`] the unsure cards come too.
pub fn table_of(written: &Written, found: &Found) -> Table {
    let (mut cards, mut readings, mut said) = (Vec::new(), Vec::new(), Vec::new());
    let mut put = |card: CardLabel, unsure: bool| {
        let read = found.table.card_at(card.center);
        let found_corners = read.map(|i| found.table.cards[i].corners_in_image);
        let corners_in_image = card
            .corners
            .or(found_corners)
            .unwrap_or_else(|| usual_card_at(&found.table, found.size_px, card.center));
        let by_person = !unsure && card.said_by == SaidBy::Person;
        let reader = read.map_or(0.0, |i| found.table.cards[i].confidence);
        let confidence = if by_person { 1.0 } else { reader };
        said.push(by_person);
        cards.push(ReadCard { corners_in_image, card: card.code, confidence, unsure });
        readings.push(read.and_then(|i| found.table.readings[i].clone()));
    };
    let label = &written.label;
    for card in label.upright_cards(found.orientation) {
        put(card, false);
    }
    let tagged = !label.is_checked();
    match &written.unchecked {
        Some(unchecked) if tagged => {
            let others = PhotoLabel { cards: unchecked.clone(), ..label.clone() };
            for card in others.upright_cards(found.orientation) {
                put(card, true);
            }
        }
        None if tagged => {
            let labelled = found.table.with_cards(cards.clone(), readings.clone());
            for (card, reading) in found.table.cards.iter().zip(&found.table.readings) {
                if card.unsure && labelled.card_at(card.corners_in_image.center()).is_none() {
                    said.push(false);
                    cards.push(card.clone());
                    readings.push(reading.clone());
                }
            }
        }
        _ => {}
    }
    let checked = !tagged;
    Table { said, checked, ..found.table.with_cards(cards, readings) }
}

/// Corners of a card at a place where none was found: like the nearest card's, else a sixth of
/// the picture wide.
pub fn usual_card_at(table: &Table, size_px: (u32, u32), center: Point) -> Quad {
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
    use super::super::table::tests::table_of as cards;
    use super::*;
    use crate::dataset::PhotoLabels;
    use image::metadata::Orientation;

    fn found(table: Table, orientation: Orientation) -> Found {
        let stored_px = (480, 360);
        Found { table, times: Vec::new(), size_px: (360, 480), stored_px, orientation }
    }

    fn put(folder: &Path, file: &str, label: Option<&Written>) {
        let mut labels = LabelFile::read(folder).unwrap();
        labels.put(file, label);
        labels.write().unwrap();
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
        assert_eq!(PhotoLabels::read(dir.path()).unwrap().photos[0].cards.len(), 3);
    }

    #[test]
    fn labels_name_the_deck_that_cards_are_read_as() {
        let deck: &Deck = Box::leak(Box::new(Deck::invented(31)));
        let mut table = cards("1fgd");
        let found = found(table.clone(), Orientation::NoTransforms);
        let usual = label_of(&table, &found, "a.jpg", None);
        table.facts = table.facts.of_own_deck(deck);
        let own = label_of(&table, &found, "a.jpg", Some(&usual));
        assert_eq!(own.label.deck, deck.name);
        let by_own = Found { table, ..found.clone() };
        assert!(usual.is_of_deck_of(&found) && own.is_of_deck_of(&by_own));
        assert!(!usual.is_of_deck_of(&by_own) && !own.is_of_deck_of(&found));
    }

    #[test]
    fn what_others_wrote_stays() {
        let dir = tempfile::tempdir().unwrap();
        let text = r#"{"source": {"camera": "x"}, "note": 7, "photos": [
            {"file": "b.jpg", "width": 1, "height": 1, "cards": [], "weather": "sun"},
            {"file": "a.jpg", "width": 480, "height": 360, "cards": [], "mood": "good"}]}"#;
        let path = dir.path().join(PHOTO_LABELS);
        std::fs::write(&path, text).unwrap();
        let mut file = LabelFile::read(dir.path()).unwrap();
        let table = cards("1fgd");
        let found = found(table.clone(), Orientation::NoTransforms);
        file.put("a.jpg", Some(&label_of(&table, &found, "a.jpg", None)));
        file.put("c.jpg", Some(&label_of(&table, &found, "c.jpg", None)));
        file.put("c.jpg", None);
        file.write().unwrap();
        let now: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!((&now["note"], &now["source"]["camera"]), (&json!(7), &json!("x")));
        assert_eq!(now["photos"][0]["weather"], "sun");
        assert_eq!(
            (&now["photos"][1]["mood"], &now["photos"][1]["cards"][0]["code"]),
            (&json!("good"), &json!("1fgd"))
        );
        assert_eq!(now["photos"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn labels_that_cannot_be_read_are_not_written_over() {
        let dir = tempfile::tempdir().unwrap();
        for text in ["{", "[]", r#"{"photos": 3}"#] {
            std::fs::write(dir.path().join(PHOTO_LABELS), text).unwrap();
            let problem = LabelFile::read(dir.path()).unwrap_err();
            assert!(problem.words().contains("labels.json"), "{text}");
        }
    }

    #[test]
    fn a_file_of_nothing_is_taken_away_again() {
        let dir = tempfile::tempdir().unwrap();
        let table = cards("1fgd");
        let found = found(table.clone(), Orientation::NoTransforms);
        put(dir.path(), "a.jpg", Some(&label_of(&table, &found, "a.jpg", None)));
        assert!(dir.path().join(PHOTO_LABELS).exists());
        put(dir.path(), "a.jpg", None);
        assert!(!dir.path().join(PHOTO_LABELS).exists());
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
        kept.said.remove(2);
        kept.said[0] = true;
        put(dir.path(), "a.jpg", Some(&label_of(&kept, &found, "a.jpg", None)));
        let written = LabelFile::read(dir.path()).unwrap().photo("a.jpg").unwrap();
        assert_eq!(written.label.tags, [UNCHECKED]);
        assert_eq!(written.label.cards.len(), 2, "a dataset's cards are sure ones");
        let back = table_of(&written, &found);
        let codes: Vec<_> = back.cards.iter().map(|c| (c.card.to_string(), c.unsure)).collect();
        assert_eq!(codes[2..], [("1ord".to_owned(), true)], "{codes:?}");
        assert_eq!((back.said.as_slice(), back.checked), (&[true, false, false][..], false));
        assert!((back.cards[2].confidence - table.cards[3].confidence).abs() < 1e-6);
        // A tag of somebody else's names no cards.
        let foreign = Written { unchecked: None, ..written.clone() };
        assert_eq!(table_of(&foreign, &found).unsure(), 2);
        // That no card is unsure any more is no word on the others.
        kept.cards[2].unsure = false;
        kept.said[2] = true;
        let written = label_of(&kept, &found, "a.jpg", Some(&written));
        assert!(!written.label.is_checked() && written.unchecked.as_ref().unwrap().is_empty());
        // Once all is said the list is gone.
        kept.said = vec![true; 3];
        kept.checked = true;
        put(dir.path(), "a.jpg", Some(&label_of(&kept, &found, "a.jpg", Some(&written))));
        let written = LabelFile::read(dir.path()).unwrap().photo("a.jpg").unwrap();
        assert!(written.unchecked.is_none() && written.label.tags.is_empty());
        assert_eq!(PhotoLabels::read(dir.path()).unwrap().photos[0].cards.len(), 3);
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
