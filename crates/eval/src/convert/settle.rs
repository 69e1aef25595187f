//! Checks labels against the pictures and converts them.

use super::account::{Account, Oddity, line};
use super::classes::Classes;
use super::draft::{DraftCrop, DraftPhoto, Drafts, Unit};
use super::find::{Format, Found};
use super::places::{find_units, place_of, told_place};
use image::metadata::Orientation;
use setsight_game::cards::{Card, Deck};
use setsight_photo::geometry::Point;
use setsight_photo::labels::{CardLabel, CropLabel, PhotoLabel, Place, SaidBy, UNCHECKED};
use setsight_photo::source::{self, Stored, stored_from_upright};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

/// Why the labels cannot be converted.
#[derive(Debug, thiserror::Error)]
pub enum SettleError {
    /// All errors, each with its file.
    #[error("{}", told(.0))]
    Problems(Vec<String>),
    /// Nothing is labelled.
    #[error("{}: no picture is labelled there", .0.display())]
    Empty(PathBuf),
    /// A class to leave out that does not occur.
    #[error("no class {class} in the labels to leave out; there are: {classes}")]
    NoSuchClass {
        /// Its name.
        class: String,
        /// The classes that occur.
        classes: String,
    },
    /// The conversion was cancelled.
    #[error("stopped: {done} of {all} pictures looked at, nothing written")]
    Stopped {
        /// Number of pictures checked.
        done: usize,
        /// Number of all pictures.
        all: usize,
    },
}

/// One problem per line; only the first of very many.
fn told(problems: &[String]) -> String {
    const SHOWN: usize = 30;
    let mut text = problems.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("\n");
    if problems.len() > SHOWN {
        text += &format!("\nand {} more", problems.len() - SHOWN);
    }
    text
}

/// Converted labels, not written yet. Files are named by their paths.
#[derive(Debug)]
pub struct Converted {
    /// Their original format.
    pub format: Format,
    /// Photos, each with its file's path; `file` is not the final name yet.
    pub photos: Vec<(PathBuf, PhotoLabel)>,
    /// Crops, each with its file's path.
    pub crops: Vec<(PathBuf, CropLabel)>,
    /// What was changed or left out.
    pub(super) account: Account,
    /// The folder that was converted.
    pub(super) from: PathBuf,
}

impl Converted {
    /// The pictures that lie outside of the folder that was converted, through links too.
    pub fn outside(&self) -> Vec<&Path> {
        let Ok(folder) = self.from.canonicalize() else { return Vec::new() };
        let is_outside =
            |path: &&PathBuf| path.canonicalize().is_ok_and(|path| !path.starts_with(&folder));
        self.files().filter(is_outside).map(PathBuf::as_path).collect()
    }
}

impl Found {
    /// Converts the labels. `go_on` is called before each photo; `false` cancels.
    ///
    /// # Errors
    /// [`SettleError`], with all errors.
    pub fn settle(
        self,
        leave_out: &[String],
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Converted, SettleError> {
        let Self { format, from, drafts, words } = self;
        let Drafts { photos: mut drafts, crops, mut account, mut problems } = drafts;
        find_units(&mut drafts, &mut account);
        let classes = Classes::of(&drafts, &crops, leave_out, &words)?;
        problems.extend(classes.unknown.problem());
        problems.extend(classes.problem());
        let (photos, crops_taken) = (Vec::new(), Vec::new());
        let mut converted = Converted { format, photos, crops: crops_taken, account, from };
        let all = drafts.len();
        let mut seen: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
        for (done, draft) in drafts.iter().enumerate() {
            if !go_on() {
                return Err(SettleError::Stopped { done, all });
            }
            let canonical = draft.path.canonicalize().unwrap_or_else(|_| draft.path.clone());
            if let Some(before) = seen.insert(canonical, draft.told_in.clone()) {
                let (path, now) = (draft.path.display(), draft.told_in.display());
                let before = before.display();
                problems.push(format!("{path}: is labelled in {before} and again in {now}"));
                continue;
            }
            let stored = match source::measure(&draft.path) {
                Ok(stored) => stored,
                Err(error) => {
                    problems.push(format!("{}: {error}", draft.path.display()));
                    continue;
                }
            };
            match label_of(draft, &stored, &classes, &mut converted.account) {
                Ok((label, speaks_of_upright)) => {
                    if stored.orientation != Orientation::NoTransforms && speaks_of_upright {
                        let at = || draft.path.display().to_string();
                        converted.account.add(Oddity::Turned, at);
                    }
                    converted.photos.push((draft.path.clone(), label));
                }
                Err(why) => problems
                    .extend(why.iter().map(|why| format!("{}: {why}", draft.path.display()))),
            }
        }
        for DraftCrop { path, class, at } in crops {
            if classes.left_out.contains(&class) {
                converted.account.add(Oddity::NoCard, || at);
            } else if let Some(code) = classes.cards.get(&class).copied().flatten() {
                converted.crops.push((path, CropLabel { file: String::new(), code }));
            }
        }
        if !problems.is_empty() {
            return Err(SettleError::Problems(problems));
        }
        if converted.photos.is_empty() && converted.crops.is_empty() {
            return Err(SettleError::Empty(converted.from));
        }
        Ok(converted)
    }
}

/// How far apart the middles of one object may be that is labelled twice, in pixels.
const SAME_PX: f64 = 1.0;

/// Whether labels refer to the upright picture. Labelling programs show photos so, unless the stated
/// size is that of the file as stored.
///
/// # Errors
/// The stated size is another one.
fn speaks_of_upright(draft: &DraftPhoto, stored: &Stored) -> Result<bool, String> {
    let upright = stored.upright_px();
    match draft.told_px {
        None => Ok(true),
        Some(told) if told == upright => Ok(true),
        Some(told) if told == (stored.width, stored.height) => Ok(false),
        Some((w, h)) => Err(format!(
            "is {}x{} pixels, but {} says {w}x{h}; are these labels of another photo, or was it \
             scaled since?",
            upright.0,
            upright.1,
            draft.told_in.display()
        )),
    }
}

/// A photo's label in pixels of the file as stored, and whether the source labels referred to the
/// upright picture.
fn label_of(
    draft: &DraftPhoto,
    stored: &Stored,
    classes: &Classes,
    account: &mut Account,
) -> Result<(PhotoLabel, bool), Vec<String>> {
    let (width, height) = (stored.width, stored.height);
    let speaks_of_upright = speaks_of_upright(draft, stored).map_err(|why| vec![why])?;
    let (w, h) = if speaks_of_upright { stored.upright_px() } else { (width, height) };
    let (w, h) = (f64::from(w), f64::from(h));
    let scale = match draft.unit {
        Unit::Pixels => Point::new(1.0, 1.0),
        Unit::Shares => Point::new(w, h),
    };
    let turn = stored_from_upright(stored.orientation, width, height);
    let as_stored = |p: Point| if speaks_of_upright { turn(p) } else { p };
    let mut problems = Vec::new();
    let mut cards: Vec<CardLabel> = Vec::new();
    let mut places: Vec<Place> = Vec::new();
    let mut has_all_classes = true;
    for mark in &draft.marks {
        let at = || format!("{}: {}", draft.told_in.display(), mark.at);
        let code = classes.cards.get(&mark.class).copied().flatten();
        if mark.class.is_empty() {
            account.add(Oddity::NoClass, at);
            has_all_classes = false;
            continue;
        }
        if code.is_none() && classes.only_card.as_ref() != Some(&mark.class) {
            if classes.left_out.contains(&mark.class) {
                account.add(Oddity::NoCard, at);
            }
            continue;
        }
        let outline = mark.outline.map(|p| Point::new(p.x * scale.x, p.y * scale.y));
        let name = code.map_or_else(|| mark.class.clone(), |code| code.to_string());
        let (center, corners) = match place_of(outline, &name, (w, h), &at(), account) {
            Ok(Some(place)) => place,
            Ok(None) => continue,
            Err(why) => {
                problems.push(why);
                continue;
            }
        };
        let center = as_stored(center);
        let corners = corners.map(|quad| quad.map(as_stored));
        let is_same = |before: Point| before.distance(center) <= SAME_PX;
        let Some(code) = code else {
            if places.iter().any(|place| is_same(place.center)) {
                account.add(Oddity::Twice, at);
            } else {
                places.push(Place { center, corners });
            }
            continue;
        };
        match cards.iter().find(|card| card.code == code) {
            Some(before) if is_same(before.center) => account.add(Oddity::Twice, at),
            Some(before) => problems.push(format!(
                "card {code} is labelled twice, at {} and at {}; correct one of them, in {}",
                told_place(before.center),
                told_place(center),
                at()
            )),
            None => cards.push(CardLabel { code, center, corners, said_by: SaidBy::Person }),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    // Of what nobody knows a place, nobody knows that it is no card.
    let is_bare = cards.is_empty() && draft.marks.iter().any(|mark| mark.outline.is_flat());
    let label = PhotoLabel {
        file: String::new(),
        width,
        height,
        tags: match classes.only_card.is_none() && has_all_classes && !is_bare {
            true => Vec::new(),
            false => vec![UNCHECKED.to_owned()],
        },
        deck: Deck::NAMES[0].to_owned(),
        mirrored: false,
        cards,
        places,
    };
    Ok((label, speaks_of_upright))
}

impl Converted {
    /// Number of labelled cards.
    pub(crate) fn cards(&self) -> usize {
        self.crops.len() + self.photos.iter().map(|(_, photo)| photo.cards.len()).sum::<usize>()
    }

    /// Number of places of cards of which the labels do not say which they are.
    pub fn places(&self) -> usize {
        self.photos.iter().map(|(_, photo)| photo.places.len()).sum()
    }

    /// Number of cards and places in photos with known corners.
    pub fn with_corners(&self) -> usize {
        let photos = || self.photos.iter().map(|(_, photo)| photo);
        let cards = photos().flat_map(|photo| &photo.cards).map(|card| card.corners);
        let places = photos().flat_map(|photo| &photo.places).map(|place| place.corners);
        cards.chain(places).flatten().count()
    }

    /// Number of different cards.
    pub(crate) fn different(&self) -> usize {
        let photos = self.photos.iter().flat_map(|(_, photo)| &photo.cards).map(|card| card.code);
        let all: BTreeSet<Card> = photos.chain(self.crops.iter().map(|crop| crop.1.code)).collect();
        all.len()
    }
}

impl Converted {
    /// What was taken, changed and left out, a line for each kind.
    pub fn account(&self) -> String {
        let photos = self.photos.iter().map(|(_, photo)| photo);
        let bare = photos.filter(|photo| photo.cards.is_empty() && photo.places.is_empty());
        let lines = [
            (self.photos.len(), "photos"),
            (bare.count(), "of them without a card; take out those that nobody labelled"),
            (self.crops.len(), "crops"),
            (self.cards() - self.crops.len(), "cards in photos"),
            (self.places(), "places of cards"),
            (self.with_corners(), "of them with corners"),
        ];
        let taken = lines.into_iter().filter(|(count, _)| *count > 0);
        let taken: Vec<String> = taken.map(|(count, what)| line("taken", count, what)).collect();
        format!("{}{}", taken.join("\n"), self.account)
    }
}

impl fmt::Display for Converted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (photos, places) = (self.photos.len(), self.places());
        if places > 0 {
            let with_corners = self.with_corners();
            return write!(
                f,
                "{photos} photos, {places} places of cards, {with_corners} with corners, no codes"
            );
        }
        if self.crops.is_empty() {
            let cards = self.cards();
            write!(f, "{photos} photos, {cards} cards, {} with corners", self.with_corners())?;
        } else {
            write!(f, "{} crops", self.crops.len())?;
        }
        write!(f, ", {} of the deck's 81 cards", self.different())
    }
}
