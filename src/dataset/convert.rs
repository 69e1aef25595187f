//! Labels as other programs write them become ours.
//!
//! [`find`] reads what is said, [`Found::settle`] looks at the pictures and makes labels of it,
//! [`Converted::write`] puts them into a folder. Nothing is written before all of it is known to be
//! right.

mod centres;
mod coco;
mod draft;
mod folders;
pub mod write;
mod yolo;

use super::{CROP_LABELS, CardLabel, CropLabel, PHOTO_LABELS, PhotoLabel};
use crate::cards::{Card, Deck};
use crate::geometry::{Point, Quad};
use crate::pipeline::source::{self, Stored, stored_from_upright};
use draft::{DraftPhoto, Drafts, Unit};
use image::metadata::Orientation;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

/// How labels may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A folder for each card with its crops.
    Folders,
    /// COCO's JSON.
    Coco,
    /// YOLO's text files.
    Yolo,
    /// A table of centres.
    Centres,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Folders, Self::Coco, Self::Yolo, Self::Centres];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Folders => "folders",
            Self::Coco => "coco",
            Self::Yolo => "yolo",
            Self::Centres => "centres",
        }
    }

    /// What it looks like.
    pub fn looks_like(self) -> &'static str {
        match self {
            Self::Folders => "A folder for each card with its crops, such as 2spd/1.jpg",
            Self::Coco => "COCO's JSON with boxes or polygons, or a folder with such files",
            Self::Yolo => "YOLO's text files beside data.yaml or classes.txt: boxes or corners",
            Self::Centres => "A CSV file with the columns file,code,x,y, or a folder with one",
        }
    }
}

/// Why nothing can be converted.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// Nothing there, or not allowed to look.
    #[error("{}: cannot be read: {source}; expected labels or a folder of them", .path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
    /// Labels as this program has them.
    #[error("{} is in the program's own form already; nothing is to be converted", .0.display())]
    Ours(PathBuf),
    /// Labels of no known form.
    #[error(
        "{}: no labels of a known form there; looked for a folder for each card (2spd/1.jpg), \
         COCO's JSON, YOLO's text files beside data.yaml or classes.txt, and a CSV file that begins \
         with file,code,x,y", .0.display()
    )]
    Unknown(PathBuf),
    /// Labels of a form other than asked for.
    #[error("{}: no labels of the form {} there; expected: {}", .path.display(), .format.name(), .format.looks_like())]
    Other {
        /// The path.
        path: PathBuf,
        /// What was asked for.
        format: Format,
    },
    /// Labels of several forms.
    #[error(
        "{}: labels of several forms there ({forms}); say which is meant, such as --format {}",
        .path.display(), .forms.split(' ').next().unwrap_or_default()
    )]
    Several {
        /// The path.
        path: PathBuf,
        /// Their names.
        forms: String,
    },
}

/// Why what was found makes no labels.
#[derive(Debug, thiserror::Error)]
pub enum SettleError {
    /// All that is wrong, each with its file.
    #[error("{}", told(.0))]
    Problems(Vec<String>),
    /// Nothing is labelled.
    #[error("{}: no picture is labelled there", .0.display())]
    Empty(PathBuf),
    /// A class to be left out that is none.
    #[error("no class {class} in the labels to leave out; there are: {classes}")]
    NoSuchClass {
        /// Its name.
        class: String,
        /// Those that there are.
        classes: String,
    },
    /// Told to stop.
    #[error("stopped: {done} of {all} pictures looked at, nothing written")]
    Stopped {
        /// Pictures looked at.
        done: usize,
        /// Pictures.
        all: usize,
    },
}

/// One a line; of very many the first.
fn told(problems: &[String]) -> String {
    const SHOWN: usize = 30;
    let mut text = problems.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("\n");
    if problems.len() > SHOWN {
        text += &format!("\nand {} more", problems.len() - SHOWN);
    }
    text
}

/// What was found, not checked yet.
#[derive(Debug)]
pub struct Found {
    /// Its form.
    pub format: Format,
    from: PathBuf,
    drafts: Drafts,
}

/// Labels as ours, not written yet. Files are named by where they lie.
#[derive(Debug)]
pub struct Converted {
    /// The form that they had.
    pub format: Format,
    /// Photos, each with its file's path; `file` is not the final name yet.
    pub photos: Vec<(PathBuf, PhotoLabel)>,
    /// Crops, in the same way.
    pub crops: Vec<(PathBuf, CropLabel)>,
    /// Photos of which nothing is said.
    pub unlabelled: Vec<PathBuf>,
    /// Photos that EXIF turns, of which the labels were taken to speak as viewers show them.
    pub turned: usize,
    /// Marks of classes that were left out.
    pub left_out: usize,
    /// The folder that was converted.
    from: PathBuf,
}

/// Finds out what form the labels of a file or folder have, and reads them.
///
/// # Errors
/// [`FindError`]: no labels there, or of another or of several forms.
pub fn find(from: &Path, format: Option<Format>) -> Result<Found, FindError> {
    let unreadable = |source| FindError::Unreadable { path: from.to_path_buf(), source };
    let is_file = from.metadata().map_err(unreadable)?.is_file();
    let root = if is_file { root_of(from) } else { from.to_path_buf() };
    let files = draft::files_below(&root).map_err(unreadable)?;
    let named = |extension: &str| -> Vec<PathBuf> {
        let is =
            |path: &&PathBuf| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension));
        if is_file { vec![from.to_path_buf()] } else { files.iter().filter(is).cloned().collect() }
    };
    let own = [PHOTO_LABELS, CROP_LABELS].map(|name| from.join(name));
    if let Some(own) = own.iter().find(|own| own.is_file()) {
        return Err(FindError::Ours(own.clone()));
    }
    let wanted = |one: Format| format.is_none_or(|format| format == one);
    let mut forms: Vec<(Format, Vec<PathBuf>)> = Vec::new();
    let documents = || named("json").into_iter().filter(|path| coco::is_coco(path)).collect();
    let tables = || named("csv").into_iter().filter(|path| centres::is_centres(path)).collect();
    let names = || yolo::names_in(&root).into_iter().collect();
    if wanted(Format::Coco) {
        forms.push((Format::Coco, documents()));
    }
    if wanted(Format::Centres) {
        forms.push((Format::Centres, tables()));
    }
    if wanted(Format::Yolo) {
        forms.push((Format::Yolo, names()));
    }
    if wanted(Format::Folders) && !is_file {
        let card = |file: &&PathBuf| {
            let folder = file.parent().and_then(Path::file_name).and_then(OsStr::to_str);
            let named = folder.is_some_and(|name| Card::from_name(name).is_ok());
            // Asked for, any folder will do: those that are no card's are named then.
            draft::is_picture(file) && (named || format.is_some())
        };
        forms.push((Format::Folders, files.iter().filter(card).take(1).cloned().collect()));
    }
    forms.retain(|(_, at)| !at.is_empty());
    let (format, at) = match (forms.len(), format) {
        (1, _) => forms.remove(0),
        (0, Some(format)) => return Err(FindError::Other { path: from.to_path_buf(), format }),
        (0, None) => return Err(FindError::Unknown(from.to_path_buf())),
        _ => {
            let forms: Vec<&str> = forms.iter().map(|(format, _)| format.name()).collect();
            return Err(FindError::Several {
                path: from.to_path_buf(),
                forms: forms.join(" and "),
            });
        }
    };
    let pictures = draft::Pictures::among(&files);
    let drafts = match format {
        Format::Coco => coco::read(&at, &pictures),
        Format::Yolo => yolo::read(&at[0], &files),
        Format::Folders => folders::read(&root, &files),
        Format::Centres => {
            let mut all = Drafts::default();
            for table in &at {
                let one = centres::read(table, &pictures);
                all.photos.extend(one.photos);
                all.problems.extend(one.problems);
            }
            all
        }
    };
    Ok(Found { format, from: root, drafts })
}

/// The folder in which a file of labels has its pictures: its own, but `annotations/` is beside them.
fn root_of(file: &Path) -> PathBuf {
    let parent = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    match parent.parent() {
        Some(above) if parent.ends_with("annotations") && !above.as_os_str().is_empty() => {
            above.to_path_buf()
        }
        _ => parent.to_path_buf(),
    }
}

impl Found {
    /// Pictures to look at.
    pub fn len(&self) -> usize {
        self.drafts.photos.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes labels of it. `go_on` is asked before each photo is looked at.
    ///
    /// # Errors
    /// [`SettleError`], with all that is wrong.
    pub fn settle(
        self,
        leave_out: &[String],
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Converted, SettleError> {
        let Self { format, from, drafts } = self;
        let Drafts { photos: drafts, crops, unlabelled, mut problems } = drafts;
        let classes = Classes::of(&drafts, &crops, leave_out)?;
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

/// The classes that the labels use.
struct Classes {
    /// The card of each; none for those that are left out and those that name no card.
    cards: BTreeMap<String, Option<Card>>,
    /// Those that name no card: how often they are used, and why they do not.
    strange: BTreeMap<String, (usize, String)>,
    left_out: usize,
}

impl Classes {
    fn of(
        drafts: &[DraftPhoto],
        crops: &[(PathBuf, String)],
        leave_out: &[String],
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
        let mut classes = Self { cards: BTreeMap::new(), strange: BTreeMap::new(), left_out: 0 };
        for (class, count) in uses {
            let card = if leave_out.contains(&class) {
                classes.left_out += count;
                None
            } else {
                match Card::from_name(&class) {
                    Ok(card) => Some(card),
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
        (!strange.is_empty()).then(|| {
            format!(
                "classes that name no card:{strange}\n  expected a code such as 2spd or a name such \
                 as \"two striped purple diamonds\"; rename them, or leave out what is no card with \
                 --leave-out CLASS"
            )
        })
    }
}

/// A photo's label in pixels of the file as stored, and whether it was said of the upright picture.
///
/// Labelling programs show photos upright, and so speak of the upright picture, except where they
/// say that the picture has the size of the file as stored.
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
    for mark in &draft.marks {
        let Some(code) = classes.cards.get(&mark.class).copied().flatten() else { continue };
        let outline = mark.outline.map(|p| Point::new(p.x * scale.x, p.y * scale.y));
        let (center, corners) = outline.settle();
        if !((0.0..=w).contains(&center.x) && (0.0..=h).contains(&center.y)) {
            problems.push(format!(
                "the centre of {code}, {}, lies outside of the picture ({w}x{h} pixels)",
                place(center)
            ));
            continue;
        }
        let center = as_stored(center);
        if let Some(before) = cards.iter().find(|card| card.code == code) {
            problems.push(format!(
                "card {code} is labelled twice, at {} and at {}; a deck holds it once: correct one \
                 of them",
                place(before.center),
                place(center)
            ));
            continue;
        }
        let corners = corners.map(|quad| Quad::new(quad.0.map(as_stored)));
        cards.push(CardLabel { code, center, corners });
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

fn place(p: Point) -> String {
    format!("({:.0}, {:.0})", p.x, p.y)
}

impl Converted {
    /// Labelled cards.
    pub fn cards(&self) -> usize {
        self.crops.len() + self.photos.iter().map(|(_, photo)| photo.cards.len()).sum::<usize>()
    }

    /// Cards of photos whose corners are known.
    pub fn with_corners(&self) -> usize {
        let cards = self.photos.iter().flat_map(|(_, photo)| &photo.cards);
        cards.filter(|card| card.corners.is_some()).count()
    }

    /// Different cards.
    pub fn different(&self) -> usize {
        let photos = self.photos.iter().flat_map(|(_, photo)| &photo.cards).map(|card| card.code);
        let all: BTreeSet<Card> = photos.chain(self.crops.iter().map(|crop| crop.1.code)).collect();
        all.len()
    }
}

impl fmt::Display for Converted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.crops.is_empty() {
            let (photos, cards) = (self.photos.len(), self.cards());
            write!(f, "{photos} photos, {cards} cards, {} with corners", self.with_corners())?;
        } else {
            write!(f, "{} crops", self.crops.len())?;
        }
        write!(f, ", {} of the deck's 81 cards", self.different())
    }
}
