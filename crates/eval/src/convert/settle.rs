//! Checks labels against the pictures and converts them.

use super::draft::{DraftPhoto, Drafts, Unit};
use super::find::{Format, Found};
use super::words::Unknown;
use image::metadata::Orientation;
use setsight_game::cards::{Card, Deck, NameError, Vocabulary};
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
    /// Photos without labels.
    pub unlabelled: Vec<PathBuf>,
    /// Number of photos with an EXIF rotation whose labels were taken to refer to the upright
    /// picture.
    pub turned: usize,
    /// Number of marks of classes that were left out.
    pub left_out: usize,
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
        let Drafts { photos: drafts, crops, unlabelled, mut problems } = drafts;
        let classes = Classes::of(&drafts, &crops, leave_out, &words)?;
        problems.extend(classes.unknown.problem());
        problems.extend(classes.problem());
        let mut converted = Converted {
            format,
            photos: Vec::new(),
            crops: Vec::new(),
            unlabelled,
            turned: 0,
            left_out: classes.left_out,
            from,
        };
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
                    let is_turned = stored.orientation != Orientation::NoTransforms;
                    converted.turned += usize::from(is_turned && speaks_of_upright);
                    converted.photos.push((draft.path.clone(), label));
                }
                Err(why) => problems
                    .extend(why.iter().map(|why| format!("{}: {why}", draft.path.display()))),
            }
        }
        for (path, class) in crops {
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

/// The classes in the labels.
struct Classes {
    /// The card of each class; `None` for classes that are left out or name no card.
    cards: BTreeMap<String, Option<Card>>,
    /// The only class, if it says that something is a card and not which one.
    only_card: Option<String>,
    /// Classes of known words that name no card: how often they occur, and the reason.
    strange: BTreeMap<String, (usize, String)>,
    /// The words of the others.
    unknown: Unknown,
    left_out: usize,
}

impl Classes {
    fn of(
        drafts: &[DraftPhoto],
        crops: &[(PathBuf, String)],
        leave_out: &[String],
        words: &Vocabulary,
    ) -> Result<Self, SettleError> {
        let mut uses: BTreeMap<String, usize> = BTreeMap::new();
        let marks = drafts.iter().flat_map(|draft| &draft.marks).map(|mark| &mark.class);
        for class in marks.chain(crops.iter().map(|(_, class)| class)) {
            *uses.entry(class.clone()).or_default() += 1;
        }
        if let Some(class) = leave_out.iter().find(|class| !uses.contains_key(*class)) {
            let classes = uses.keys().cloned().collect::<Vec<_>>().join(", ");
            return Err(SettleError::NoSuchClass { class: class.clone(), classes });
        }
        let kept: Vec<&String> = uses.keys().filter(|class| !leave_out.contains(class)).collect();
        let only_card = match kept.as_slice() {
            [class] if crops.is_empty() && says_only_card(class) => Some((*class).clone()),
            _ => None,
        };
        let mut classes = Self {
            only_card,
            cards: BTreeMap::new(),
            strange: BTreeMap::new(),
            unknown: Unknown::default(),
            left_out: 0,
        };
        for (class, count) in uses {
            let card = if leave_out.contains(&class) {
                classes.left_out += count;
                None
            } else if classes.only_card.is_some() {
                None
            } else {
                match words.card(&class) {
                    Ok(card) => Some(card),
                    Err(NameError::Unknown { words }) => {
                        classes.unknown.add(words, &class, count);
                        None
                    }
                    Err(why) => {
                        classes.strange.insert(class.clone(), (count, why.to_string()));
                        None
                    }
                }
            };
            classes.cards.insert(class, card);
        }
        Ok(classes)
    }

    fn problem(&self) -> Option<String> {
        let of = |(class, (count, why)): (&String, &(usize, String))| {
            format!("\n  {class} (used {count} times): {why}")
        };
        let strange: String = self.strange.iter().map(of).collect();
        let hint = if self.strange.keys().any(|class| says_only_card(class)) {
            "\n  Labels that say only where cards lie are kept if they are the only ones: convert them \
             apart from the others"
        } else {
            ""
        };
        (!strange.is_empty()).then(|| {
            format!(
                "classes that name no card:{strange}\n  expected a code such as 2spd or a name such \
                 as \"two striped purple diamonds\"; rename them, or leave out what is no card with \
                 --leave-out CLASS{hint}"
            )
        })
    }
}

/// Whether a class says that something is a card, and not which: data for a detector have it.
fn says_only_card(class: &str) -> bool {
    let class = class.trim().to_lowercase();
    ["card", "cards", "karte", "karten"].contains(&class.as_str())
}

/// A photo's label in pixels of the file as stored, and whether the source labels referred to the
/// upright picture.
///
/// Labelling programs show photos upright, so coordinates refer to the upright picture unless the
/// stated size is that of the file as stored.
fn label_of(
    draft: &DraftPhoto,
    stored: &Stored,
    classes: &Classes,
) -> Result<(PhotoLabel, bool), Vec<String>> {
    let (width, height) = (stored.width, stored.height);
    let upright = stored.upright_px();
    let speaks_of_upright = match draft.told_px {
        Some(told) if told == upright => true,
        Some(told) if told == (width, height) => false,
        None => true,
        Some((w, h)) => {
            return Err(vec![format!(
                "is {}x{} pixels, but {} says {w}x{h}; are these labels of another photo, or was it \
                 scaled since?",
                upright.0,
                upright.1,
                draft.told_in.display()
            )]);
        }
    };
    let (w, h) = if speaks_of_upright { upright } else { (width, height) };
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
    for mark in &draft.marks {
        let code = classes.cards.get(&mark.class).copied().flatten();
        if code.is_none() && classes.only_card.as_ref() != Some(&mark.class) {
            continue;
        }
        let outline = mark.outline.map(|p| Point::new(p.x * scale.x, p.y * scale.y));
        let (center, corners) = outline.settle();
        if !((0.0..=w).contains(&center.x) && (0.0..=h).contains(&center.y)) {
            problems.push(format!(
                "the centre of {}, {}, lies outside of the picture ({w}x{h} pixels)",
                code.map_or_else(|| mark.class.clone(), |code| code.to_string()),
                place(center)
            ));
            continue;
        }
        let center = as_stored(center);
        let corners = corners.map(|quad| quad.map(as_stored));
        let Some(code) = code else {
            places.push(Place { center, corners });
            continue;
        };
        if let Some(before) = cards.iter().find(|card| card.code == code) {
            problems.push(format!(
                "card {code} is labelled twice, at {} and at {}; a deck holds it once: correct one \
                 of them",
                place(before.center),
                place(center)
            ));
            continue;
        }
        cards.push(CardLabel { code, center, corners, said_by: SaidBy::Person });
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let label = PhotoLabel {
        file: String::new(),
        width,
        height,
        tags: if classes.only_card.is_some() { vec![UNCHECKED.to_owned()] } else { Vec::new() },
        deck: Deck::NAMES[0].to_owned(),
        mirrored: false,
        cards,
        places,
    };
    Ok((label, speaks_of_upright))
}

fn place(p: Point) -> String {
    format!("({:.0}, {:.0})", p.x, p.y)
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
