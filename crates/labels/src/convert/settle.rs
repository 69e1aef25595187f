//! Checks labels against the pictures and converts them.

use super::draft::{DraftCrop, DraftPhoto, Drafts, Unit};
use super::{document::Format, draft::Outline, find::Found};
use image::metadata::Orientation;
use setsight_game::cards::{Card, Deck};
use setsight_photo::{
    geometry::{Point, Quad},
    labels::{CardLabel, CropLabel, PhotoLabel, SaidBy},
    source::{self, Stored, stored_from_upright},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::{Path, PathBuf},
};

/// Why the labels cannot be converted.
#[derive(Debug, thiserror::Error)]
pub enum SettleError {
    /// All errors, each with its file.
    #[error("{}", .0.first().map_or("", String::as_str))]
    Problems(Vec<String>),
    #[error("{}: no picture is labelled there", .0.display())]
    Empty(PathBuf),
    #[error("no class {class} in the labels to leave out; there are: {classes}")]
    NoSuchClass { class: String, classes: String },
    #[error("stopped: {done} of {all} pictures looked at, nothing written")]
    Stopped { done: usize, all: usize },
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
    /// Photos that nobody labelled, which are left out.
    pub skipped: Vec<String>,
    /// Photos that their EXIF data turn, with labels that speak of them as viewers show them.
    pub turned: Vec<PathBuf>,
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
    pub fn settle(
        self,
        leave_out: &[String],
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Converted, SettleError> {
        let Self { format, from, drafts } = self;
        let Drafts { photos: drafts, crops, skipped, mut problems } = drafts;
        let classes = Classes::of(&drafts, &crops, leave_out)?;
        problems.extend(classes.problems());
        let (photos, crops_taken, turned) = (Vec::new(), Vec::new(), Vec::new());
        let mut converted = Converted { format, photos, crops: crops_taken, skipped, turned, from };
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
            match label_of(draft, &stored, &classes) {
                Ok((label, speaks_of_upright)) => {
                    if stored.orientation != Orientation::NoTransforms && speaks_of_upright {
                        converted.turned.push(draft.path.clone());
                    }
                    converted.photos.push((draft.path.clone(), label));
                }
                Err(why) => problems
                    .extend(why.iter().map(|why| format!("{}: {why}", draft.path.display()))),
            }
        }
        for DraftCrop { path, class, .. } in crops {
            if let Some(code) = classes.cards.get(&class).copied().flatten() {
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

/// Whether labels refer to the upright picture. Labelling programs show photos so, unless the stated
/// size is that of the file as stored.
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
    for mark in &draft.marks {
        let at = format!("{}: {}", draft.told_in.display(), mark.at);
        if mark.class.is_empty() {
            problems.push(format!("an object has no label; give it one or take it out, in {at}"));
        }
        let Some(code) = classes.cards.get(&mark.class).copied().flatten() else { continue };
        let outline = mark.outline.map(|p| Point::new(p.x * scale.x, p.y * scale.y));
        let (center, corners) = match place_of(&outline, (w, h)) {
            Ok(place) => place,
            Err(why) => {
                problems.push(format!("{code} {why}; in {at}"));
                continue;
            }
        };
        let center = as_stored(center);
        let corners = corners.map(|quad| quad.map(as_stored));
        match cards.iter().find(|card| card.code == code) {
            Some(before) => problems.push(format!(
                "card {code} is labelled twice, at {} and at {}; correct one of them, in {at}",
                told_place(before.center),
                told_place(center)
            )),
            None => cards.push(CardLabel { code, center, corners, said_by: SaidBy::Person }),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let label = PhotoLabel {
        file: String::new(),
        width,
        height,
        tags: Vec::new(),
        deck: Deck::NAMES[0].to_owned(),
        mirrored: false,
        cards,
    };
    Ok((label, speaks_of_upright))
}

/// How far outside of the picture rounding puts a place, in pixels.
const ROUNDING_PX: f64 = 1.0;
/// The same in shares of the picture's sides: shares with two decimals.
const ROUNDING: f64 = 0.01;
/// No card lies this near the picture's left top corner, in pixels: shares of the picture do, and
/// thousands with a point.
const NO_CARD_PX: f64 = 10.0;

/// The centre and the corners of a card, in pixels of a picture of this size.
fn place_of(outline: &Outline, (w, h): (f64, f64)) -> Result<(Point, Option<Quad>), String> {
    if let Outline::Box(a, b) = outline
        && (b.x < a.x || b.y < a.y)
    {
        let (width, height) = (b.x - a.x, b.y - a.y);
        return Err(format!(
            "has the size {width:.0}x{height:.0}; expected a width and a height above 0, from its \
             left top corner on"
        ));
    }
    if outline.is_flat() {
        return Err("has no area; draw it anew or take it out".to_owned());
    }
    let points = outline.points();
    let of_all = |least: fn(f64, f64) -> f64| {
        points.iter().copied().reduce(|a, b| Point::new(least(a.x, b.x), least(a.y, b.y)))
    };
    let (from, to) = of_all(f64::min).zip(of_all(f64::max)).unwrap_or_default();
    let margin = |side: f64| (ROUNDING * side).max(ROUNDING_PX);
    if from.x < -margin(w) || from.y < -margin(h) || to.x > w + margin(w) || to.y > h + margin(h) {
        let (from, to) = (told_place(from), told_place(to));
        return Err(format!(
            "reaches from {from} to {to} and leaves the picture ({w}x{h} pixels); expected the part \
             of it that is seen, the middle of its box in YOLO's files, and a corner and the size in \
             COCO's"
        ));
    }
    if to.x.max(to.y) < NO_CARD_PX && w.min(h) > NO_CARD_PX {
        return Err(format!(
            "lies within the picture's first {NO_CARD_PX} pixels; expected pixels, such as 1024, no \
             shares of the picture and no thousands"
        ));
    }
    // A box keeps its size, for its middle is the card's.
    if matches!(outline, Outline::Box(..)) {
        return Ok(outline.settle());
    }
    Ok(outline.map(|p| Point::new(p.x.clamp(0.0, w), p.y.clamp(0.0, h))).settle())
}

/// A point as it is told.
fn told_place(p: Point) -> String {
    format!("({:.0}, {:.0})", p.x, p.y)
}

impl Converted {
    /// Number of labelled cards.
    fn cards(&self) -> usize {
        self.crops.len() + self.photos.iter().map(|(_, photo)| photo.cards.len()).sum::<usize>()
    }

    /// Number of cards in photos with known corners.
    fn with_corners(&self) -> usize {
        let cards = self.photos.iter().flat_map(|(_, photo)| &photo.cards);
        cards.filter(|card| card.corners.is_some()).count()
    }

    /// Number of different cards.
    fn different(&self) -> usize {
        let photos = self.photos.iter().flat_map(|(_, photo)| &photo.cards).map(|card| card.code);
        let all: BTreeSet<Card> = photos.chain(self.crops.iter().map(|crop| crop.1.code)).collect();
        all.len()
    }
}

impl fmt::Display for Converted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let photos = self.photos.len();
        if self.crops.is_empty() {
            let cards = self.cards();
            write!(f, "{photos} photos, {cards} cards, {} with corners", self.with_corners())?;
        } else {
            write!(f, "{} crops", self.crops.len())?;
        }
        write!(f, ", {} of the deck's 81 cards", self.different())
    }
}

struct Classes {
    /// The card of each class; `None` for classes that are left out or name no card.
    cards: BTreeMap<String, Option<Card>>,
    /// Classes that name no card: how often they occur, where first, and the reason.
    strange: BTreeMap<String, (usize, String, String)>,
}

impl Classes {
    fn of(
        drafts: &[DraftPhoto],
        crops: &[DraftCrop],
        leave_out: &[String],
    ) -> Result<Self, SettleError> {
        let mut uses: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for draft in drafts {
            for mark in draft.marks.iter().filter(|mark| !mark.class.is_empty()) {
                let at = || format!("{}: {}", draft.told_in.display(), mark.at);
                uses.entry(mark.class.clone()).or_insert_with(|| (0, at())).0 += 1;
            }
        }
        for crop in crops {
            uses.entry(crop.class.clone()).or_insert_with(|| (0, crop.at.clone())).0 += 1;
        }
        if let Some(class) = leave_out.iter().find(|class| !uses.contains_key(*class)) {
            let classes = uses.keys().cloned().collect::<Vec<_>>().join(", ");
            return Err(SettleError::NoSuchClass { class: class.clone(), classes });
        }
        let mut classes = Self { cards: BTreeMap::new(), strange: BTreeMap::new() };
        for (class, (count, at)) in uses {
            let card = (!leave_out.contains(&class)).then(|| Card::from_name(&class));
            if let Some(Err(why)) = &card {
                classes.strange.insert(class.clone(), (count, at, why.to_string()));
            }
            classes.cards.insert(class, card.and_then(Result::ok));
        }
        Ok(classes)
    }

    /// Those that name no card, each on a line of its own.
    fn problems(&self) -> Vec<String> {
        let of = |(class, (count, at, why)): (&String, &(usize, String, String))| {
            format!("  {class} (used {count} times): {why}; first in {at}")
        };
        if self.strange.is_empty() {
            return Vec::new();
        }
        let advice = "  expected a code such as 2spd or a name such as \"two striped purple diamonds\"; rename \
                      them, or leave those out that are no cards";
        let first = "classes that name no card:".to_owned();
        [first].into_iter().chain(self.strange.iter().map(of)).chain([advice.to_owned()]).collect()
    }
}
