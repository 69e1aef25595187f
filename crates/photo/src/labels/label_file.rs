//! `labels.json`: the one place that reads and writes it.
//!
//! The file is kept as it was found: what is not changed stays, and so do the members that this
//! program does not know, of the file, of a photo and of a card. A photo's labels are understood
//! when they are asked for, so that a bad one is in nobody's way but its own.

use super::{
    CardLabel, DatasetError, LabelledBy, PHOTO_LABELS, PhotoLabel, UNCHECKED, check_files,
    label::few, merge::same_cards, write_all,
};
use crate::geometry::{Point, Quad};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use setsight_files::{json_fault, small_file::read_json, whole_file::FolderLock};
use setsight_game::cards::{Card, MAX_ON_TABLE};
use std::path::{Path, PathBuf};
use std::{collections::HashMap, io::ErrorKind};

/// The member with the list of photos.
const PHOTOS: &str = "photos";

/// What is written of a photo: its label as every dataset has it, and what is still to be said.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PhotoEntry {
    /// The cards that are sure.
    #[serde(flatten)]
    pub label: PhotoLabel,
    /// The others, each with its best guess, of a photo with the tag [`UNCHECKED`]. Other programs
    /// tag photos too: without a list, all that the reader is unsure of is still to be said.
    #[serde(default, deserialize_with = "few_if_any", skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<Vec<CardLabel>>,
}

fn few_if_any<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Vec<CardLabel>>, D::Error> {
    #[derive(Deserialize)]
    struct Few(#[serde(deserialize_with = "few")] Vec<CardLabel>);
    Ok(Option::deserialize(d)?.map(|Few(cards)| cards))
}

/// What other programs wrote of the cards of a photo, kept for cards that come back.
#[derive(Clone, Debug, Default)]
pub struct ForeignMembers(Vec<(CardLabel, Map<String, Value>)>);

/// The labels of one folder.
#[derive(Clone, Debug)]
pub struct LabelFile {
    path: PathBuf,
    /// All members of the file, in their order; [`PHOTOS`] is a list.
    document: Map<String, Value>,
    /// Where each photo stands in the list, by its file name.
    places: HashMap<String, usize>,
}

impl LabelFile {
    /// Reads the labels of a folder, without checking that the photos exist.
    ///
    /// # Errors
    /// [`DatasetError`]: the file is missing or cannot be read, is no JSON, or has no list of
    /// photos. Faults in a photo's labels are reported when they are asked for.
    pub fn read(folder: &Path) -> Result<Self, DatasetError> {
        let path = folder.join(PHOTO_LABELS);
        let text = match read_json(&path) {
            Ok(text) => text,
            Err(source) => return Err(DatasetError::Unreadable { path, source }),
        };
        let document = match serde_json::from_str(&text) {
            Ok(Value::Object(document)) => document,
            Ok(_) => return Err(DatasetError::NoPhotos(path)),
            Err(error) => {
                return Err(DatasetError::NotJson { path, reason: json_fault(&error) });
            }
        };
        if !document.get(PHOTOS).is_some_and(Value::is_array) {
            return Err(DatasetError::NoPhotos(path));
        }
        let mut labels = Self { path, document, places: HashMap::new() };
        labels.note_places();
        Ok(labels)
    }

    /// Like [`Self::read`], but a folder without labels has an empty list.
    ///
    /// # Errors
    /// [`DatasetError`]: they are there and cannot be read; they must not be written over then.
    pub fn read_or_empty(folder: &Path) -> Result<Self, DatasetError> {
        match Self::read(folder) {
            Err(DatasetError::Unreadable { path, source })
                if source.kind() == ErrorKind::NotFound =>
            {
                let document = Map::from_iter([(PHOTOS.to_owned(), Value::Array(Vec::new()))]);
                Ok(Self { path, document, places: HashMap::new() })
            }
            read => read,
        }
    }

    /// Writes new labels of a folder, completely or not at all, in place of any others. `source`
    /// says where the photos are from.
    ///
    /// # Errors
    /// [`DatasetError`]: a card is labelled twice in one photo, or the file cannot be written.
    pub fn create(
        folder: &Path,
        source: Option<&str>,
        photos: &[PhotoLabel],
    ) -> Result<(), DatasetError> {
        Self::create_under(&Self::lock(folder)?, folder, source, photos)
    }

    /// The same for a run that holds the folder's lock, or that of one around it.
    ///
    /// # Errors
    /// See [`Self::create`].
    pub fn create_under(
        _lock: &FolderLock,
        folder: &Path,
        source: Option<&str>,
        photos: &[PhotoLabel],
    ) -> Result<(), DatasetError> {
        #[derive(Serialize)]
        struct New<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            source: Option<&'a str>,
            photos: &'a [PhotoLabel],
        }
        let path = folder.join(PHOTO_LABELS);
        photos.iter().try_for_each(|photo| photo.check(&path))?;
        write_all(&path, &pretty(&New { source, photos }))
    }

    /// Waits until no other program writes the labels of a folder, and keeps others from it.
    ///
    /// # Errors
    /// [`DatasetError::Unwritable`]: the folder cannot be opened, or another program does not end.
    pub fn lock(folder: &Path) -> Result<FolderLock, DatasetError> {
        FolderLock::wait_for(folder).map_err(|source| {
            let path = folder.join(PHOTO_LABELS);
            DatasetError::Unwritable { path, source }
        })
    }

    /// Writes the file, completely or not at all; a file of nothing is taken away. The lock must be
    /// held since the file was read ([`Self::lock`]), otherwise another program's change is lost.
    ///
    /// # Errors
    /// [`DatasetError::Unwritable`].
    pub fn write(&self, _lock: &FolderLock) -> Result<(), DatasetError> {
        let empty = self.document.len() == 1 && self.photo_values().is_empty();
        if !empty {
            return write_all(&self.path, &pretty(&self.document));
        }
        match std::fs::remove_file(&self.path) {
            Err(source) if source.kind() != ErrorKind::NotFound => {
                Err(DatasetError::Unwritable { path: self.path.clone(), source })
            }
            _ => Ok(()),
        }
    }

    /// Where the photos are from, as text, if the file says so.
    pub fn source(&self) -> Option<&str> {
        self.document.get("source")?.as_str()
    }

    /// The label of each photo, in order; for a bad one, which it is and what is wrong with it.
    pub fn each_photo(&self) -> impl Iterator<Item = Result<PhotoLabel, String>> {
        self.photo_values().iter().enumerate().map(|(i, value)| {
            PhotoLabel::deserialize(value).map_err(|error| {
                let file = value["file"].as_str().unwrap_or("without a file name");
                let member = member_at_fault(value).map(|at| format!(" at {at}"));
                let (fault, member) = (json_fault(&error), member.unwrap_or_default());
                format!("photo {} ({file}): {fault}{member}", i + 1)
            })
        })
    }

    /// The labels of all photos.
    ///
    /// # Errors
    /// [`DatasetError`]: the labels of a photo are malformed, a code is invalid, or a card is
    /// labelled twice in one photo.
    pub fn photos(&self) -> Result<Vec<PhotoLabel>, DatasetError> {
        self.each_photo()
            .map(|photo| {
                let photo = photo.map_err(|why| DatasetError::Malformed {
                    path: self.path.clone(),
                    reason: format!("not labels as they should be: {why}"),
                })?;
                photo.check(&self.path).map(|()| photo)
            })
            .collect()
    }

    /// The labels of all photos that are ground truth (see [`PhotoLabel::is_checked`]), and the
    /// file names of the rest.
    ///
    /// # Errors
    /// As for [`Self::photos`].
    pub fn checked_photos(&self) -> Result<(Vec<PhotoLabel>, Vec<String>), DatasetError> {
        let (checked, unchecked): (Vec<_>, Vec<_>) =
            self.photos()?.into_iter().partition(PhotoLabel::is_checked);
        Ok((checked, unchecked.into_iter().map(|photo| photo.file).collect()))
    }

    /// What is written of a photo by its file name, if there is anything that can be read.
    pub fn photo(&self, file: &str) -> Option<PhotoEntry> {
        PhotoEntry::deserialize(self.value_of(file)?).ok()
    }

    /// What other programs wrote of the cards of a photo.
    pub fn foreign_members(&self, file: &str) -> ForeignMembers {
        let cards = self.value_of(file).map(cards_with_foreign_members).unwrap_or_default();
        ForeignMembers(cards.into_iter().filter(|(_, foreign)| !foreign.is_empty()).collect())
    }

    /// Puts, replaces or removes what is written of a photo. Members of other programs stay: of a
    /// card those in the file at its place, otherwise those of a card at its place in `earlier`.
    pub fn put(&mut self, file: &str, entry: Option<&PhotoEntry>, earlier: &ForeignMembers) {
        let place = self.places.get(file).copied();
        let photos = photos_of(&mut self.document);
        match (place, entry) {
            (Some(place), Some(entry)) => {
                let new = value_with_foreign_members(entry, Some(&photos[place]), earlier);
                let old = photos[place].as_object_mut().expect("an entry with a file name");
                // Absent means the usual, so none of the old ones may stay.
                for key in [UNCHECKED, "deck", "mirrored"] {
                    old.remove(key);
                }
                old.extend(new);
            }
            (None, Some(entry)) => {
                let new = value_with_foreign_members(entry, None, earlier);
                self.places.insert(file.to_owned(), photos.len());
                photos.push(Value::Object(new));
            }
            (Some(place), None) => {
                photos.remove(place);
                self.note_places();
            }
            (None, None) => {}
        }
    }

    fn photo_values(&self) -> &[Value] {
        self.document[PHOTOS].as_array().expect("looked at when it was read")
    }

    fn value_of(&self, file: &str) -> Option<&Value> {
        Some(&self.photo_values()[*self.places.get(file)?])
    }

    fn note_places(&mut self) {
        let mut places = HashMap::new();
        for (place, photo) in self.photo_values().iter().enumerate() {
            if let Some(file) = photo["file"].as_str() {
                // Of a photo that is labelled twice the first labels count.
                places.entry(file.to_owned()).or_insert(place);
            }
        }
        self.places = places;
    }
}

fn photos_of(document: &mut Map<String, Value>) -> &mut Vec<Value> {
    document[PHOTOS].as_array_mut().expect("looked at when it was read")
}

/// Checks that every labelled photo is in the folder.
///
/// # Errors
/// [`DatasetError::MissingFile`].
pub fn check_photo_files(folder: &Path, photos: &[PhotoLabel]) -> Result<(), DatasetError> {
    check_files(folder, PHOTO_LABELS, photos.iter().map(|photo| &photo.file))
}

fn pretty(document: &impl Serialize) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(document).expect("labels have text keys only");
    text.push(b'\n');
    text
}

/// The cards of a photo's JSON that can be read, sure ones and guesses, and what other programs
/// wrote of each.
fn cards_with_foreign_members(photo: &Value) -> Vec<(CardLabel, Map<String, Value>)> {
    let members = ["code", "center", "corners", "said_by"];
    let lists = ["cards", UNCHECKED].into_iter().filter_map(|list| photo[list].as_array());
    lists
        .flatten()
        .take(2 * MAX_ON_TABLE)
        .filter_map(|value| {
            let mut foreign = value.as_object()?.clone();
            foreign.retain(|member, _| !members.contains(&member.as_str()));
            Some((CardLabel::deserialize(value).ok()?, foreign))
        })
        .collect()
}

/// The JSON of an entry, its cards with what other programs wrote of them: in the entry that it
/// replaces, or earlier.
fn value_with_foreign_members(
    entry: &PhotoEntry,
    replaced: Option<&Value>,
    earlier: &ForeignMembers,
) -> Map<String, Value> {
    let Ok(Value::Object(mut new)) = serde_json::to_value(entry) else {
        unreachable!("an entry is a struct with text keys")
    };
    let old = replaced.map(cards_with_foreign_members).unwrap_or_default();
    if earlier.0.is_empty() && old.iter().all(|(_, foreign)| foreign.is_empty()) {
        return new;
    }
    let cards: Vec<&CardLabel> =
        entry.label.cards.iter().chain(entry.unchecked.iter().flatten()).collect();
    let [in_old, in_earlier] = [&old, &earlier.0].map(|list| {
        let listed: Vec<&CardLabel> = list.iter().map(|(card, _)| card).collect();
        same_cards(&cards, &listed, entry.label.width)
    });
    let mut places = in_old.into_iter().zip(in_earlier);
    for list in ["cards", UNCHECKED] {
        let values = new.get_mut(list).and_then(Value::as_array_mut);
        for (value, place) in values.into_iter().flatten().zip(&mut places) {
            let foreign = match place {
                (Some(in_old), _) => &old[in_old].1,
                (None, Some(in_earlier)) => &earlier.0[in_earlier].1,
                (None, None) => continue,
            };
            value.as_object_mut().expect("a card is a struct").extend(foreign.clone());
        }
    }
    new
}

/// The first member of a photo's JSON that is malformed, in words.
fn member_at_fault(photo: &Value) -> Option<String> {
    /// A member that is there and not such a value.
    fn is_bad<T: DeserializeOwned>(object: &Value, member: &str) -> bool {
        object.get(member).is_some_and(|value| T::deserialize(value).is_err())
    }
    let bad = [
        ("file", is_bad::<String>(photo, "file")),
        ("width", is_bad::<u32>(photo, "width")),
        ("height", is_bad::<u32>(photo, "height")),
        ("tags", is_bad::<Vec<String>>(photo, "tags")),
        ("deck", is_bad::<String>(photo, "deck")),
        ("mirrored", is_bad::<bool>(photo, "mirrored")),
        ("cards", is_bad::<Vec<IgnoredAny>>(photo, "cards")),
    ];
    if let Some((member, _)) = bad.iter().find(|(_, is_bad)| *is_bad) {
        return Some((*member).to_owned());
    }
    let cards = photo["cards"].as_array()?;
    let number = cards.iter().position(|card| CardLabel::deserialize(card).is_err())?;
    let card = &cards[number];
    let bad = [
        (
            "code",
            card.get("code")
                .is_some_and(|code| code.as_str().is_none_or(|code| code.parse::<Card>().is_err())),
        ),
        ("center", is_bad::<Point>(card, "center")),
        ("corners", is_bad::<Option<Quad>>(card, "corners")),
        ("said_by", is_bad::<LabelledBy>(card, "said_by")),
    ];
    let member = bad.iter().find(|(_, is_bad)| *is_bad).map(|(member, _)| format!(", {member}"));
    Some(format!("card {}{}", number + 1, member.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::super::COPIES;
    use super::*;
    use serde_json::json;

    fn folder_with(text: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(PHOTO_LABELS), text).unwrap();
        dir
    }

    fn text_in(folder: &Path) -> String {
        std::fs::read_to_string(folder.join(PHOTO_LABELS)).unwrap()
    }

    fn card(code: &str, x: f64) -> CardLabel {
        let corners = Quad::new(Quad::rectangle(90.0, 60.0).0.map(|p| p + Point::new(x, 50.0)));
        let labelled_by = LabelledBy::Person;
        let code = code.parse().unwrap();
        CardLabel { code, center: corners.center(), corners: Some(corners), labelled_by }
    }

    fn photo(file: &str, cards: Vec<CardLabel>) -> PhotoLabel {
        PhotoLabel {
            file: file.into(),
            width: 400,
            height: 300,
            tags: vec!["glare".into()],
            deck: "classic".into(),
            mirrored: false,
            cards,
        }
    }

    /// Changes the labels of a folder as the window does.
    fn put(folder: &Path, file: &str, entry: Option<&PhotoEntry>, earlier: &ForeignMembers) {
        let lock = LabelFile::lock(folder).unwrap();
        let mut labels = LabelFile::read_or_empty(folder).unwrap();
        labels.put(file, entry, earlier);
        labels.write(&lock).unwrap();
    }

    #[test]
    fn photo_labels_survive_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        let mut written = photo("table 1.jpg", vec![card("2spd", 50.0)]);
        written.cards.push(CardLabel {
            corners: None,
            labelled_by: LabelledBy::Reader,
            ..card("1ogd", 200.0)
        });
        LabelFile::create(dir.path(), Some("drawn"), &[written.clone()]).unwrap();
        let labels = LabelFile::read(dir.path()).unwrap();
        assert_eq!(labels.source(), Some("drawn"));
        let read = labels.photos().unwrap();
        assert_eq!(read[0].cards, written.cards);
        assert_eq!(read[0].tags, ["glare"]);
        let missing = check_photo_files(dir.path(), &read).unwrap_err().to_string();
        assert!(missing.contains("table 1.jpg is labelled but not in the folder"), "{missing}");
    }

    #[test]
    fn more_guesses_than_any_table_holds_are_not_read() {
        let dir = tempfile::tempdir().unwrap();
        for (count, is_read) in [(243, true), (244, false), (24_000, false)] {
            let guesses = Some(vec![card("2spd", 50.0); count]);
            let entry = PhotoEntry { label: photo("a.jpg", Vec::new()), unchecked: guesses };
            put(dir.path(), "a.jpg", Some(&entry), &ForeignMembers::default());
            let read = LabelFile::read(dir.path()).unwrap().photo("a.jpg");
            assert_eq!(read.is_some(), is_read, "{count}");
        }
    }

    #[test]
    fn what_nobody_has_checked_is_taken_out() {
        let dir = tempfile::tempdir().unwrap();
        let (checked, mut other) = (photo("a.jpg", Vec::new()), photo("b.jpg", Vec::new()));
        other.tags.push(UNCHECKED.into());
        LabelFile::create(dir.path(), None, &[checked, other]).unwrap();
        let (checked, unchecked) = LabelFile::read(dir.path()).unwrap().checked_photos().unwrap();
        assert_eq!(checked.len(), 1, "labels without the tag are a person's word");
        assert_eq!(unchecked, ["b.jpg"]);
    }

    #[test]
    fn deck_and_mirror_are_written_where_they_are_not_the_usual() {
        let dir = tempfile::tempdir().unwrap();
        let mut label = photo("a.jpg", Vec::new());
        let through_disk = |label: &PhotoLabel| {
            LabelFile::create(dir.path(), None, std::slice::from_ref(label)).unwrap();
            let read = LabelFile::read(dir.path()).unwrap().photos().unwrap().remove(0);
            (read.deck, read.mirrored)
        };
        assert_eq!(through_disk(&label), ("classic".to_owned(), false));
        let text = text_in(dir.path());
        assert!(!text.contains("deck") && !text.contains("mirrored"));
        (label.deck, label.mirrored) = ("rectangles".to_owned(), true);
        assert_eq!(through_disk(&label), ("rectangles".to_owned(), true));
    }

    #[test]
    fn new_labels_are_written_to_the_byte_as_ever() {
        let dir = tempfile::tempdir().unwrap();
        let label = PhotoLabel { tags: Vec::new(), ..photo("a.jpg", Vec::new()) };
        let card = CardLabel { corners: None, ..card("2spd", 45.0) };
        let label = PhotoLabel { cards: vec![card], ..label };
        LabelFile::create(dir.path(), Some("drawn"), std::slice::from_ref(&label)).unwrap();
        let photo = r#"    {
      "file": "a.jpg",
      "width": 400,
      "height": 300,
      "tags": [],
      "cards": [
        {
          "code": "2spd",
          "center": [
            90.0,
            80.0
          ],
          "corners": null
        }
      ]
    }
"#;
        let expected = format!("{{\n  \"source\": \"drawn\",\n  \"photos\": [\n{photo}  ]\n}}\n");
        assert_eq!(text_in(dir.path()), expected);
        // A change of another photo leaves it as it is.
        let other = PhotoEntry { label: self::photo("b.jpg", Vec::new()), unchecked: None };
        put(dir.path(), "b.jpg", Some(&other), &ForeignMembers::default());
        put(dir.path(), "b.jpg", None, &ForeignMembers::default());
        assert_eq!(text_in(dir.path()), expected);
    }

    /// Asserts that a photo with these members is refused in words that contain `part`.
    fn says(photo: &str, part: &str) {
        let text = format!(r#"{{"photos": [{{"file": "a.jpg", "width": 1, {photo}}}]}}"#);
        let dir = folder_with(&text);
        let error = LabelFile::read(dir.path()).unwrap().photos().unwrap_err().to_string();
        assert!(error.contains("labels.json") && error.contains(part), "{error}");
    }

    #[test]
    fn bad_labels_are_named() {
        let missing = LabelFile::read(Path::new("/no/such")).unwrap_err().to_string();
        assert!(missing.contains("/no/such/labels.json: cannot be read"), "{missing}");
        let card = |members: &str| {
            let good = r#"{"code": "1ogo", "center": [1, 1], "corners": null}"#;
            format!(r#""height": 1, "cards": [{good}, {{{members}}}]"#)
        };
        says(
            &card(r#""code": "2xpd", "center": [1, 1]"#),
            "photo 1 (a.jpg): \"2xpd\": 'x' at place 2",
        );
        says(&card(r#""code": "2xpd", "center": [1, 1]"#), " at card 2, code");
        says(&card(r#""code": "2spd", "center": [1]"#), " at card 2, center");
        says(&card(r#""center": [1, 1]"#), "\"code\" is missing at card 2");
        says(
            r#""height": -1, "cards": []"#,
            "-1 is there; expected a whole number from 0 on at height",
        );
        says(r#""cards": []"#, "photo 1 (a.jpg): \"height\" is missing");
        let twice = photo("a.jpg", vec![self::card("2spd", 50.0); 2]);
        let dir = tempfile::tempdir().unwrap();
        let error = LabelFile::create(dir.path(), None, std::slice::from_ref(&twice))
            .unwrap_err()
            .to_string();
        assert!(error.contains("2spd is labelled twice, as card 1 and card 2"), "{error}");
        assert!(
            error.ends_with("give the photo the tag \"copies\" if it shows the card twice"),
            "{error}"
        );
        let shown = PhotoLabel { tags: vec![COPIES.to_owned()], ..twice };
        LabelFile::create(dir.path(), None, std::slice::from_ref(&shown)).unwrap();
        let photos = LabelFile::read(dir.path()).unwrap().photos().unwrap();
        assert_eq!(photos[0].cards, shown.cards);
    }

    #[test]
    fn labels_that_cannot_be_read_are_not_taken_for_none() {
        let says = |text: &str, part: &str| {
            let error = LabelFile::read_or_empty(folder_with(text).path()).unwrap_err();
            assert!(error.to_string().contains(part), "{text}: {error}");
        };
        says("{", "it ends too early, in line 1, column 1");
        says("[]", "no list \"photos\"");
        says(r#"{"photos": 3}"#, "no list \"photos\"");
        let empty = LabelFile::read_or_empty(tempfile::tempdir().unwrap().path()).unwrap();
        assert!(empty.photos().unwrap().is_empty());
    }

    #[test]
    fn a_bad_photo_does_not_block_the_rest() {
        let dir = folder_with(r#"{"photos": [{"file": "bad.jpg", "cards": 7}, 3]}"#);
        let entry = PhotoEntry { label: photo("a.jpg", Vec::new()), unchecked: None };
        put(dir.path(), "a.jpg", Some(&entry), &ForeignMembers::default());
        let labels = LabelFile::read(dir.path()).unwrap();
        let good: Vec<bool> = labels.each_photo().map(|photo| photo.is_ok()).collect();
        assert_eq!(good, [false, false, true]);
        assert!(labels.photo("bad.jpg").is_none() && labels.photo("a.jpg").is_some());
        assert!(text_in(dir.path()).contains("\"cards\": 7"));
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        let dir = folder_with("\u{feff}{\"photos\": []}");
        assert!(LabelFile::read(dir.path()).unwrap().photos().unwrap().is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn labels_that_never_end_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/dev/zero", dir.path().join(PHOTO_LABELS)).unwrap();
        for read in [LabelFile::read, LabelFile::read_or_empty] {
            let error = read(dir.path()).unwrap_err().to_string();
            assert!(
                error.contains("labels.json: cannot be read: it is not an ordinary file"),
                "{error}"
            );
        }
    }

    #[test]
    fn what_other_programs_wrote_stays() {
        let text = r#"{"source": {"camera": "x"}, "note": 7, "photos": [
            {"file": "b.jpg", "width": 1, "height": 1, "cards": [], "weather": "sun"},
            {"file": "a.jpg", "width": 400, "height": 300, "cards": [
                {"code": "1fgd", "center": [95, 80], "corners": null, "worn": true},
                {"code": "2fgd", "center": [295, 80], "corners": null}], "mood": "good"}]}"#;
        let dir = folder_with(text);
        let corrected = |cards: Vec<CardLabel>, guesses: Vec<CardLabel>| {
            let mut label = photo("a.jpg", cards);
            label.tags = vec![UNCHECKED.to_owned()];
            PhotoEntry { label, unchecked: Some(guesses) }
        };
        let now = || serde_json::from_str::<Value>(&text_in(dir.path())).unwrap();
        let none = ForeignMembers::default();
        let before = LabelFile::read(dir.path()).unwrap().foreign_members("a.jpg");
        let (worn, other, new) = (card("3srs", 50.0), card("2fgd", 250.0), card("1ord", 150.0));
        put(
            dir.path(),
            "a.jpg",
            Some(&corrected(vec![new, other.clone()], vec![worn.clone()])),
            &none,
        );
        assert_eq!((&now()["note"], &now()["source"]["camera"]), (&json!(7), &json!("x")));
        assert_eq!(now()["photos"][0]["weather"], "sun");
        let photo = &now()["photos"][1];
        assert_eq!((&photo["mood"], photo["cards"].as_array().unwrap().len()), (&json!("good"), 2));
        assert_eq!(photo["unchecked"][0]["code"], "3srs");
        assert_eq!(photo["unchecked"][0]["worn"], true, "the card lies there, whatever it is");
        assert!(photo["cards"].as_array().unwrap().iter().all(|card| card.get("worn").is_none()));
        // A card that is struck and comes back.
        put(dir.path(), "a.jpg", Some(&corrected(vec![other.clone()], Vec::new())), &before);
        assert!(!text_in(dir.path()).contains("worn"));
        put(dir.path(), "a.jpg", Some(&corrected(vec![other, worn], Vec::new())), &before);
        assert_eq!(now()["photos"][1]["cards"][1]["worn"], true);
        // Another program's word on it since then counts.
        let changed = text_in(dir.path()).replace("\"worn\": true", "\"worn\": false");
        std::fs::write(dir.path().join(PHOTO_LABELS), changed).unwrap();
        let entry = LabelFile::read(dir.path()).unwrap().photo("a.jpg").unwrap();
        put(dir.path(), "a.jpg", Some(&entry), &before);
        assert_eq!(now()["photos"][1]["cards"][1]["worn"], false);
    }

    #[test]
    fn a_file_of_nothing_is_taken_away_again() {
        let dir = tempfile::tempdir().unwrap();
        let entry = PhotoEntry { label: photo("a.jpg", Vec::new()), unchecked: None };
        put(dir.path(), "a.jpg", Some(&entry), &ForeignMembers::default());
        assert!(dir.path().join(PHOTO_LABELS).exists());
        put(dir.path(), "a.jpg", None, &ForeignMembers::default());
        assert!(!dir.path().join(PHOTO_LABELS).exists());
    }

    #[test]
    fn the_lock_keeps_new_labels_waiting() {
        let dir = tempfile::tempdir().unwrap();
        let lock = LabelFile::lock(dir.path()).unwrap();
        std::thread::scope(|scope| {
            let other = scope.spawn(|| LabelFile::create(dir.path(), Some("new"), &[]));
            let mut labels = LabelFile::read_or_empty(dir.path()).unwrap();
            let entry = PhotoEntry { label: photo("a.jpg", Vec::new()), unchecked: None };
            labels.put("a.jpg", Some(&entry), &ForeignMembers::default());
            labels.write(&lock).unwrap();
            assert!(LabelFile::read(dir.path()).unwrap().photo("a.jpg").is_some());
            drop(lock);
            other.join().unwrap().unwrap();
        });
        assert_eq!(LabelFile::read(dir.path()).unwrap().source(), Some("new"));
    }
}
