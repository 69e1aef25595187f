//! Labels on disk: a folder of photos with `labels.json`, or of crops with `labels.csv`.
//!
//! Labels use the pixels of the file as stored; everything else in this crate uses the upright
//! photo. [`PhotoLabel::upright_cards`] and [`CardLabel::stored`] convert.

pub mod convert;
mod crop;
mod nearest;

use crate::cards::{Card, CodeError, Deck};
use crate::geometry::{Point, Quad};
use crate::pipeline::source::{stored_from_upright, upright_from_stored};
use crate::whole_file::write_whole;
use image::metadata::Orientation;
use serde::{Deserialize, Serialize};
use std::path::{Component, Path, PathBuf};

pub use crop::load_crop;
pub use nearest::{MATCH_RADIUS, nearest};

/// Name of the labels in a folder of photos.
pub const PHOTO_LABELS: &str = "labels.json";
/// Tag of a photo whose labels nobody has confirmed; such a photo is not ground truth.
pub const UNCHECKED: &str = "unchecked";
/// Name of the labels in a folder of crops.
pub const CROP_LABELS: &str = "labels.csv";

/// Why labels cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The labels' file cannot be read.
    #[error("{}: cannot be read: {source}; expected a labelled folder", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The labels' file cannot be written.
    #[error("{}: cannot be written: {source}", .path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file has a wrong format, or a code is invalid.
    #[error("{}: {reason}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// A card is labelled twice, although a deck holds each card once.
    #[error(
        "{}: {photo}: card {code} is labelled twice, as card {first} and card {second}; a deck holds \
         it once: correct one of them", .path.display()
    )]
    Twice {
        /// The labels' file.
        path: PathBuf,
        /// The photo's file name.
        photo: String,
        /// The card.
        code: Card,
        /// The index of its first label in the photo, counted from 1.
        first: usize,
        /// The index of its second label, counted from 1.
        second: usize,
    },
    /// A labelled photo or crop is missing.
    #[error(
        "{}: {file} is labelled but not in the folder; put it there or take its labels out",
        .path.display()
    )]
    MissingFile {
        /// The labels' file.
        path: PathBuf,
        /// The file name in the labels.
        file: String,
    },
}

/// `labels.json` of a folder of photos.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PhotoLabels {
    /// The source of the photos, as free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<serde_json::Value>,
    /// One entry per photo.
    pub photos: Vec<PhotoLabel>,
}

/// One photo and the cards in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PhotoLabel {
    /// File name, relative to the folder.
    pub file: String,
    /// Width of the file as stored, before any EXIF rotation, in pixels.
    pub width: u32,
    /// Height of the file as stored, in pixels.
    pub height: u32,
    /// Why the photo is hard: `perspective`, `white_background`, ...
    #[serde(default)]
    pub tags: Vec<String>,
    /// Name of the deck on the table; the classic one if omitted.
    #[serde(default = "classic", skip_serializing_if = "is_classic")]
    pub deck: String,
    /// Whether the picture is mirrored left to right; false if omitted.
    #[serde(default, skip_serializing_if = "is_false")]
    pub mirrored: bool,
    /// Every card in view.
    pub cards: Vec<CardLabel>,
}

fn classic() -> String {
    Deck::NAMES[0].to_owned()
}

fn is_classic(deck: &str) -> bool {
    deck == Deck::NAMES[0]
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// One card of a photo. Coordinates in pixels of the file as stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardLabel {
    /// Its code.
    #[serde(with = "as_code")]
    pub code: Card,
    /// Its centre.
    pub center: Point,
    /// Its corners where known; their order is not reliable.
    pub corners: Option<Quad>,
    /// Who assigned the code; a person if omitted.
    #[serde(default, skip_serializing_if = "SaidBy::is_person")]
    pub said_by: SaidBy,
}

/// Who assigned a card's code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SaidBy {
    /// A person.
    #[default]
    Person,
    /// The reader; nobody has confirmed it yet.
    Reader,
}

impl SaidBy {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
    fn is_person(&self) -> bool {
        *self == Self::Person
    }
}

/// One line of `labels.csv`: a rectified card and its code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CropLabel {
    /// File name, relative to the folder.
    pub file: String,
    /// Its code.
    #[serde(with = "as_code")]
    pub code: Card,
}

impl PhotoLabels {
    /// Reads and checks `labels.json` of a folder, without checking that the photos exist.
    ///
    /// # Errors
    /// [`DatasetError`]: the file is missing or malformed, a code is invalid, or a card is labelled
    /// twice in one photo.
    pub fn read(folder: &Path) -> Result<Self, DatasetError> {
        let path = folder.join(PHOTO_LABELS);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(source) => return Err(DatasetError::Unreadable { path, source }),
        };
        let labels: Self = match serde_json::from_str(&text) {
            Ok(labels) => labels,
            Err(error) => {
                let reason = format!("not labels as they should be: {error}");
                return Err(DatasetError::Malformed { path, reason });
            }
        };
        for photo in &labels.photos {
            photo.check(&path)?;
        }
        Ok(labels)
    }

    /// Writes `labels.json` of a folder, completely or not at all.
    ///
    /// # Errors
    /// [`DatasetError`]: a card is labelled twice in one photo, or the file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), DatasetError> {
        let path = folder.join(PHOTO_LABELS);
        for photo in &self.photos {
            photo.check(&path)?;
        }
        let mut text = serde_json::to_string_pretty(self).expect("labels have text keys only");
        text.push('\n');
        write_whole(&path, text.as_bytes())
            .map_err(|source| DatasetError::Unwritable { path, source })
    }

    /// Removes the photos that are not ground truth (see [`PhotoLabel::is_checked`]), and returns
    /// their file names.
    pub fn take_unchecked(&mut self) -> Vec<String> {
        let (checked, others) =
            std::mem::take(&mut self.photos).into_iter().partition(PhotoLabel::is_checked);
        self.photos = checked;
        let others: Vec<PhotoLabel> = others;
        others.into_iter().map(|photo| photo.file).collect()
    }

    /// Checks that every labelled photo is in the folder.
    ///
    /// # Errors
    /// [`DatasetError::MissingFile`].
    pub fn check_files(&self, folder: &Path) -> Result<(), DatasetError> {
        check_files(folder, PHOTO_LABELS, self.photos.iter().map(|photo| &photo.file))
    }
}

impl PhotoLabel {
    fn check(&self, path: &Path) -> Result<(), DatasetError> {
        match self.twice() {
            None => Ok(()),
            Some((code, first, second)) => Err(DatasetError::Twice {
                path: path.to_path_buf(),
                photo: self.file.clone(),
                code,
                first,
                second,
            }),
        }
    }

    /// Whether a person has confirmed that all visible cards are labelled correctly. Only such
    /// photos are used for evaluation and training. Labels without the tag [`UNCHECKED`] count as
    /// confirmed.
    pub fn is_checked(&self) -> bool {
        !self.tags.iter().any(|tag| tag == UNCHECKED)
    }

    /// The first card that is labelled twice, with the indices of both labels, counted from 1.
    pub fn twice(&self) -> Option<(Card, usize, usize)> {
        self.cards.iter().enumerate().find_map(|(second, card)| {
            let first = self.cards[..second].iter().position(|c| c.code == card.code)?;
            Some((card.code, first + 1, second + 1))
        })
    }

    /// The cards in pixels of the upright photo, corners clockwise starting with a long side.
    /// `orientation` is the one in the photo's file.
    pub fn upright_cards(&self, orientation: Orientation) -> Vec<CardLabel> {
        let turn = upright_from_stored(orientation, self.width, self.height);
        let card = |card: &CardLabel| CardLabel {
            code: card.code,
            center: turn(card.center),
            corners: card.corners.map(|quad| around_its_centre(quad.0.map(turn)).as_card()),
            said_by: card.said_by,
        };
        self.cards.iter().map(card).collect()
    }
}

impl CardLabel {
    /// A label in pixels of the file as stored (width and height in pixels), from corners in the
    /// upright photo.
    pub fn stored(
        code: Card,
        corners_in_upright: Quad,
        orientation: Orientation,
        stored_width: u32,
        stored_height: u32,
    ) -> Self {
        let turn = stored_from_upright(orientation, stored_width, stored_height);
        let corners = Quad::new(corners_in_upright.0.map(turn));
        let said_by = SaidBy::Person;
        Self { code, center: corners.center(), corners: Some(corners), said_by }
    }
}

/// Completes labels without corners with the outlines at their centres: one outline per label,
/// nearest first, up to [`MATCH_RADIUS`] of the outline's long side. Labels without a near outline
/// stay as they are. All coordinates are in pixels of the upright photo, corners clockwise starting
/// with a long side.
pub fn with_corners(mut labels: Vec<CardLabel>, outlines: &[Quad]) -> Vec<CardLabel> {
    let centres: Vec<Point> = labels.iter().map(|label| label.center).collect();
    let found: Vec<Point> = outlines.iter().map(Quad::center).collect();
    // Labels with corners take part, so that no other label gets their outline.
    let long_side =
        |i: usize, j: usize| labels[i].corners.as_ref().unwrap_or(&outlines[j]).long_side();
    let outline_of_label = nearest(&centres, &found, long_side);
    for (label, outline) in labels.iter_mut().zip(outline_of_label) {
        label.corners = label.corners.or(outline.map(|j| outlines[j]));
    }
    labels
}

/// Whether a file that labels name lies elsewhere than in their folder or below it, by its name. Labels may name
/// such, as those of other programs do; whoever reads them says so.
pub fn leads_outside(file: &str) -> bool {
    let mut depth = 0usize;
    for part in Path::new(file).components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    false
}

/// What is said of such pictures, in a sentence; nothing where there are none.
pub fn told_of_outside(pictures: &[PathBuf]) -> Option<String> {
    let first = pictures.first()?.display();
    let what = match pictures.len() {
        1 => format!("{first} lies"),
        n => format!("{n} labelled pictures lie"),
    };
    let such_as = if pictures.len() > 1 { format!(", such as {first}") } else { String::new() };
    Some(format!(
        "{what} outside of the folder of the labels{such_as}; they are read all the same, and a report shows \
         parts of them"
    ))
}

/// Sorts corners by their angle around the centre.
fn around_its_centre(mut corners: [Point; 4]) -> Quad {
    let centre = (corners[0] + corners[1] + corners[2] + corners[3]) / 4.0;
    let angle = |p: &Point| (p.y - centre.y).atan2(p.x - centre.x);
    corners.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
    Quad::new(corners)
}

/// Reads `labels.csv` of a folder of crops, without checking that the crops exist.
///
/// # Errors
/// [`DatasetError`]: the file is missing, its first line lacks `file,code`, or a code is invalid.
pub fn read_crop_labels(folder: &Path) -> Result<Vec<CropLabel>, DatasetError> {
    let path = folder.join(CROP_LABELS);
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(source) => return Err(DatasetError::Unreadable { path, source }),
    };
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_slice());
    match reader.headers() {
        Ok(header) if header.iter().take(2).eq(["file", "code"]) => {}
        _ => {
            let reason = "the first line must be \"file,code\"".to_owned();
            return Err(DatasetError::Malformed { path, reason });
        }
    }
    let mut labels = Vec::new();
    for (i, record) in reader.records().enumerate() {
        let line = i + 2;
        let malformed = |why: String| DatasetError::Malformed {
            path: path.clone(),
            reason: format!("line {line}: {why}"),
        };
        let record = record.map_err(|error| malformed(error.to_string()))?;
        let code = record[1].parse().map_err(|error: CodeError| malformed(error.to_string()))?;
        labels.push(CropLabel { file: record[0].to_owned(), code });
    }
    Ok(labels)
}

/// Writes `labels.csv` of a folder of crops, completely or not at all.
///
/// # Errors
/// [`DatasetError::Unwritable`].
pub fn write_crop_labels(folder: &Path, labels: &[CropLabel]) -> Result<(), DatasetError> {
    let path = folder.join(CROP_LABELS);
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut put = |file: &str, code: &str| {
        writer.write_record([file, code]).expect("two fields each, into memory");
    };
    put("file", "code");
    for label in labels {
        put(&label.file, &label.code.to_string());
    }
    let bytes = writer.into_inner().expect("into memory");
    write_whole(&path, &bytes).map_err(|source| DatasetError::Unwritable { path, source })
}

/// Checks that every labelled crop is in the folder.
///
/// # Errors
/// [`DatasetError::MissingFile`].
pub fn check_crop_files(folder: &Path, labels: &[CropLabel]) -> Result<(), DatasetError> {
    check_files(folder, CROP_LABELS, labels.iter().map(|label| &label.file))
}

fn check_files<'a>(
    folder: &Path,
    labels: &str,
    mut files: impl Iterator<Item = &'a String>,
) -> Result<(), DatasetError> {
    match files.find(|file| !folder.join(file).is_file()) {
        Some(file) => {
            Err(DatasetError::MissingFile { path: folder.join(labels), file: file.clone() })
        }
        None => Ok(()),
    }
}

/// Serialises a card as its code, for serde's `with`.
pub(crate) mod as_code {
    use super::Card;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(card: &Card, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(card)
    }
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Card, D::Error> {
        String::deserialize(d)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn folder_with(name: &str, text: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(name), text).unwrap();
        dir
    }

    fn card(code: &str, corners: Quad) -> CardLabel {
        let said_by = SaidBy::Person;
        let code = code.parse().unwrap();
        CardLabel { code, center: corners.center(), corners: Some(corners), said_by }
    }

    fn labels(cards: Vec<CardLabel>) -> PhotoLabels {
        let photo = PhotoLabel {
            file: "table 1.jpg".into(),
            width: 400,
            height: 300,
            tags: vec!["glare".into()],
            deck: classic(),
            mirrored: false,
            cards,
        };
        PhotoLabels { source: Some("drawn".into()), photos: vec![photo] }
    }

    #[test]
    fn photo_labels_survive_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        let mut written = labels(vec![card("2spd", Quad::rectangle(90.0, 60.0))]);
        written.photos[0].cards.push(CardLabel {
            code: "1ogd".parse().unwrap(),
            center: Point::new(200.5, 100.25),
            corners: None,
            said_by: SaidBy::Reader,
        });
        written.write(dir.path()).unwrap();
        let read = PhotoLabels::read(dir.path()).unwrap();
        assert_eq!(read.photos[0].cards, written.photos[0].cards);
        assert_eq!(read.photos[0].tags, ["glare"]);
        let missing = read.check_files(dir.path()).unwrap_err().to_string();
        assert!(missing.contains("table 1.jpg is labelled but not in the folder"), "{missing}");
    }

    #[test]
    fn what_nobody_has_checked_is_taken_out() {
        let mut both = labels(Vec::new());
        let mut other = both.photos[0].clone();
        other.file = "b.jpg".into();
        other.tags.push(UNCHECKED.into());
        both.photos.push(other);
        assert_eq!(both.take_unchecked(), ["b.jpg"]);
        assert_eq!(both.photos.len(), 1, "labels without the tag are a person's word");
        assert!(both.take_unchecked().is_empty());
    }

    #[test]
    fn deck_and_mirror_are_written_where_they_are_not_the_usual() {
        let dir = tempfile::tempdir().unwrap();
        let mut usual = labels(Vec::new());
        usual.write(dir.path()).unwrap();
        let text = |dir: &Path| std::fs::read_to_string(dir.join(PHOTO_LABELS)).unwrap();
        assert!(!text(dir.path()).contains("deck") && !text(dir.path()).contains("mirrored"));
        let read = PhotoLabels::read(dir.path()).unwrap().photos.remove(0);
        assert_eq!((read.deck.as_str(), read.mirrored), ("classic", false));
        usual.photos[0].deck = "rectangles".into();
        usual.photos[0].mirrored = true;
        usual.write(dir.path()).unwrap();
        let read = PhotoLabels::read(dir.path()).unwrap().photos.remove(0);
        assert_eq!((read.deck.as_str(), read.mirrored), ("rectangles", true));
    }

    #[test]
    fn bad_photo_labels_are_named() {
        let missing = PhotoLabels::read(Path::new("/no/such")).unwrap_err().to_string();
        assert!(missing.contains("/no/such/labels.json: cannot be read"), "{missing}");
        let bad = r#"{"photos": [{"file": "a.jpg", "width": 1, "height": 1,
            "cards": [{"code": "2xpd", "center": [1, 1], "corners": null}]}]}"#;
        let error =
            PhotoLabels::read(folder_with(PHOTO_LABELS, bad).path()).unwrap_err().to_string();
        assert!(error.contains("'x' at place 2") && error.contains("line 2"), "{error}");
        let twice = vec![card("2spd", Quad::rectangle(9.0, 6.0)); 2];
        let error = labels(twice).write(tempfile::tempdir().unwrap().path()).unwrap_err();
        assert!(
            error.to_string().contains("2spd is labelled twice, as card 1 and card 2"),
            "{error}"
        );
    }

    #[test]
    fn crop_labels_survive_the_disk_and_bad_ones_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let label = |file: &str| CropLabel { file: file.into(), code: "3frs".parse().unwrap() };
        let written = [label("plain.jpg"), label("with, comma \"and\" quotes.jpg")];
        write_crop_labels(dir.path(), &written).unwrap();
        assert_eq!(read_crop_labels(dir.path()).unwrap(), written);
        assert!(check_crop_files(dir.path(), &written).is_err());
        let says = |text: &str, part: &str| {
            let dir = folder_with(CROP_LABELS, text);
            let error = read_crop_labels(dir.path()).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        says("name,code\na.jpg,2spd\n", "first line must be");
        says("file,code\na.jpg,2spd\nb.jpg,2spq\n", "line 3: \"2spq\": 'q' at place 4");
        says("file,code\na.jpg\n", "line 2");
    }

    proptest! {
        #[test]
        fn labels_turn_upright_and_back(exif in 1u8..=8, x in 0.0..300.0f64, y in 0.0..200.0f64) {
            let orientation = Orientation::from_exif(exif).unwrap();
            let corners = Quad::new(Quad::rectangle(90.0, 60.0).0.map(|p| p + Point::new(x, y)));
            let photo = labels(vec![card("2spd", corners)]).photos.remove(0);
            let upright = photo.upright_cards(orientation).remove(0);
            let quad = upright.corners.unwrap();
            prop_assert!(quad.signed_area() > 0.0 && quad.long_side() > quad.short_side());
            prop_assert!(quad.center().distance(upright.center) < 1e-9);
            let stored = CardLabel::stored(upright.code, quad, orientation, 400, 300);
            prop_assert!(stored.center.distance(corners.center()) < 1e-9);
            for p in stored.corners.unwrap().0 {
                prop_assert!(corners.0.iter().any(|q| q.distance(p) < 1e-9));
            }
        }
    }
}
