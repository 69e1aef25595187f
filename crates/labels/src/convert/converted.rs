//! Checks labels against the pictures and converts them.

use super::draft::{DraftCrop, DraftPhoto, Drafts, Unit};
use super::{document::Format, draft::Outline, error::ConvertError, find::Found};
use image::metadata::Orientation;
use setsight_game::cards::{Card, Deck};
use setsight_photo::{
    geometry::{Point, Quad},
    labels::{CardLabel, CropLabel, LabelledBy, PhotoLabel},
    source::{self, Stored, stored_from_upright},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::{Path, PathBuf},
};

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
    /// Photos that their EXIF data turn, with labels that speak of them as stored.
    pub as_stored: Vec<PathBuf>,
    /// Photos whose labels are those of several files.
    pub joined: Vec<PathBuf>,
    /// Links that lead nowhere.
    pub lost_links: Vec<PathBuf>,
    /// The folder that was converted.
    pub(super) from: PathBuf,
}

impl Converted {
    /// The pictures that lie outside of the folder that was converted, through links too.
    pub fn outside(&self) -> Vec<&Path> {
        let Ok(folder) = self.from.canonicalize() else { return Vec::new() };
        self.files()
            .filter(|path| path.canonicalize().is_ok_and(|path| !path.starts_with(&folder)))
            .map(PathBuf::as_path)
            .collect()
    }
}

impl Found {
    /// Converts the labels. `go_on` is called before each photo; `false` cancels.
    pub fn convert(
        self,
        leave_out: &[String],
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Converted, ConvertError> {
        let Self { format, from, drafts, lost_links } = self;
        let Drafts { photos: drafts, crops, skipped, mut problems } = drafts;
        let classes = Classes::new(&drafts, &crops, leave_out)?;
        problems.extend(classes.problems());
        // Another file may hold a photo's labels.
        let labelled: BTreeSet<Option<&PathBuf>> =
            drafts.iter().map(|draft| Some(&draft.path)).collect();
        let skipped =
            skipped.into_iter().filter(|(_, picture)| !labelled.contains(&picture.as_ref()));
        let skipped = skipped.map(|(at, _)| at).collect();
        let mut converted = Converted::new(format, skipped, lost_links, from);
        let all = drafts.len();
        let mut measured = Vec::new();
        for (done, draft) in drafts.iter().enumerate() {
            if !go_on() {
                return Err(ConvertError::Stopped { done, all });
            }
            match source::measure(&draft.path) {
                Ok(stored) => measured.push((draft, stored)),
                Err(error) => problems.push(format!("{}: {error}", draft.path.display())),
            }
        }
        let common_frame = frame_of_all(&measured);
        // The file with a photo's first labels, and the photo's place if they are in order.
        let mut first: BTreeMap<PathBuf, (&Path, Option<usize>)> = BTreeMap::new();
        for (draft, stored) in &measured {
            let path = draft.path.display();
            let (frame, label) = match label_of(draft, stored, &classes, common_frame) {
                Ok((frame, label)) => (frame, Some(label)),
                Err(why) => {
                    problems.extend(why.iter().map(|why| format!("{path}: {why}")));
                    (Frame::Upright, None)
                }
            };
            let canonical = draft.path.canonicalize().unwrap_or_else(|_| draft.path.clone());
            if let Some(&(before, place)) = first.get(&canonical) {
                if let Err(why) = converted.join(place, label) {
                    let (before, now) = (before.display(), draft.labels_file.display());
                    problems
                        .push(format!("{path}: is labelled in {before} and again in {now}: {why}"));
                }
                continue;
            }
            first.insert(
                canonical,
                (&draft.labels_file, label.as_ref().map(|_| converted.photos.len())),
            );
            let Some(label) = label else { continue };
            match frame {
                _ if stored.orientation == Orientation::NoTransforms => {}
                Frame::Upright => converted.turned.push(draft.path.clone()),
                Frame::Stored => converted.as_stored.push(draft.path.clone()),
            }
            converted.photos.push((draft.path.clone(), label));
        }
        for DraftCrop { path, class, .. } in crops {
            if let Some(code) = classes.cards.get(&class).copied().flatten() {
                converted.crops.push((path, CropLabel { file: String::new(), code }));
            }
        }
        if !problems.is_empty() {
            return Err(ConvertError::Problems(problems));
        }
        if converted.cards() == 0 {
            return Err(ConvertError::Empty(converted.from));
        }
        Ok(converted)
    }
}

/// The picture that places refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    /// As viewers show it.
    Upright,
    /// As the file holds it.
    Stored,
}

impl Frame {
    fn size_px(self, stored: &Stored) -> (u32, u32) {
        match self {
            Self::Upright => stored.upright_px(),
            Self::Stored => (stored.width, stored.height),
        }
    }

    /// The only one that holds all places of a photo.
    fn by_places(draft: &DraftPhoto, stored: &Stored) -> Option<Self> {
        let frames = [Self::Upright, Self::Stored];
        let mut frames =
            frames.into_iter().filter(|_| draft.unit == Unit::Pixels).filter(|frame| {
                let (w, h) = frame.size_px(stored);
                let size = (f64::from(w), f64::from(h));
                draft.marks.iter().all(|mark| is_inside(mark.outline.extent(), size))
            });
        frames.next().filter(|_| frames.next().is_none())
    }
}

/// Whether labels state the size of the file as stored, which EXIF data contradict.
fn states_stored_size(draft: &DraftPhoto, stored: &Stored) -> bool {
    let stated = draft.stated_px;
    stated != Some(stored.upright_px()) && stated == Some((stored.width, stored.height))
}

/// The frame of the photos whose stated size their EXIF data contradict, if the places of some decide it and none
/// differ: one program wrote them all.
fn frame_of_all(photos: &[(&DraftPhoto, Stored)]) -> Option<Frame> {
    let doubtful = photos.iter().filter(|(draft, stored)| states_stored_size(draft, stored));
    let mut frames = doubtful.filter_map(|(draft, stored)| Frame::by_places(draft, stored));
    let first = frames.next();
    first.filter(|first| frames.all(|frame| frame == *first))
}

/// The frame that the places themselves decide, otherwise the upright one, because labelling programs show photos
/// so. If the stated size contradicts that, the other photos decide.
fn frame_of(
    draft: &DraftPhoto,
    stored: &Stored,
    common_frame: Option<Frame>,
) -> Result<Frame, String> {
    let (upright, as_stored) = (stored.upright_px(), (stored.width, stored.height));
    let file = draft.labels_file.display();
    let by_places = Frame::by_places(draft, stored);
    match draft.stated_px {
        Some(px) if px == upright => Ok(Frame::Upright),
        Some((w, h)) if (w, h) != as_stored => Err(format!(
            "is {}x{} pixels, but {file} says {w}x{h}; are these labels of another photo, or was it \
             scaled since?",
            upright.0, upright.1,
        )),
        Some((w, h)) if !draft.shown_upright && !draft.marks.is_empty() => {
            by_places.or(common_frame).ok_or_else(|| {
                format!(
                    "its EXIF data turn it to {}x{} pixels, but {file} says {w}x{h}, its size as stored, and the \
                     labelled places do not decide; if they are of the upright photo, correct the size there, otherwise take the \
                     orientation out of the photo's EXIF data",
                    upright.0, upright.1,
                )
            })
        }
        _ => Ok(by_places.unwrap_or(Frame::Upright)),
    }
}

/// A photo's label in pixels of the file as stored, and the frame of the source labels.
fn label_of(
    draft: &DraftPhoto,
    stored: &Stored,
    classes: &Classes,
    common_frame: Option<Frame>,
) -> Result<(Frame, PhotoLabel), Vec<String>> {
    let (width, height) = (stored.width, stored.height);
    let frame = frame_of(draft, stored, common_frame).map_err(|why| vec![why])?;
    let (w, h) = frame.size_px(stored);
    let (w, h) = (f64::from(w), f64::from(h));
    let scale = match draft.unit {
        Unit::Pixels => Point::new(1.0, 1.0),
        Unit::Shares => Point::new(w, h),
    };
    let turn = stored_from_upright(stored.orientation, width, height);
    let as_stored = |p: Point| if frame == Frame::Upright { turn(p) } else { p };
    let mut problems = Vec::new();
    let mut cards: Vec<CardLabel> = Vec::new();
    for mark in &draft.marks {
        let at = format!("{}: {}", draft.labels_file.display(), mark.at);
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
        let card = CardLabel { code, center, corners, labelled_by: LabelledBy::Person };
        if let Err(why) = add_card(&mut cards, card, (w, h)) {
            problems.push(format!("{why}, in {at}"));
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
    Ok((frame, label))
}

/// Adds a card to those of a photo of this size, unless it has this label already.
fn add_card(cards: &mut Vec<CardLabel>, card: CardLabel, (w, h): (f64, f64)) -> Result<(), String> {
    let place = place_text(card.center);
    match cards.iter_mut().find(|before| before.code == card.code) {
        Some(before) if before.center.distance(card.center) <= SAME_PLACE_PX => {
            before.corners = before.corners.or(card.corners);
            return Ok(());
        }
        Some(before) => {
            let (code, before) = (card.code, place_text(before.center));
            return Err(format!(
                "card {code} is labelled twice, at {before} and at {place}; correct one of them"
            ));
        }
        None => {}
    }
    if let Some(before) =
        cards.iter().find(|before| before.center.distance(card.center) < margin(w.max(h)))
    {
        let (a, b) = (before.code, card.code);
        return Err(format!("{place} is labelled {a} and {b}; correct one of them"));
    }
    cards.push(card);
    Ok(())
}

/// Labels of a card no further apart than this are one, in pixels: programs round.
const SAME_PLACE_PX: f64 = 0.5;
/// How far outside of the picture rounding puts a place, in pixels.
const ROUNDING_PX: f64 = 1.0;
/// The same in shares of the picture's sides: shares with two decimals.
const ROUNDING: f64 = 0.01;
/// No card lies this near the picture's left top corner, in pixels: shares of the picture do, and
/// thousands with a point.
const NO_CARD_PX: f64 = 10.0;

/// How far outside of a side of this length, in pixels, rounding puts a place.
fn margin(side: f64) -> f64 {
    (ROUNDING * side).max(ROUNDING_PX)
}

/// Whether a place lies in a picture of this size, but for rounding.
fn is_inside((from, to): (Point, Point), (w, h): (f64, f64)) -> bool {
    from.x >= -margin(w) && from.y >= -margin(h) && to.x <= w + margin(w) && to.y <= h + margin(h)
}

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
    let (from, to) = outline.extent();
    if !is_inside((from, to), (w, h)) {
        let (from, to) = (place_text(from), place_text(to));
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
        return Ok(outline.center_and_corners());
    }
    Ok(outline.map(|p| Point::new(p.x.clamp(0.0, w), p.y.clamp(0.0, h))).center_and_corners())
}

/// A point, for messages.
fn place_text(p: Point) -> String {
    format!("({:.0}, {:.0})", p.x, p.y)
}

impl Converted {
    fn new(format: Format, skipped: Vec<String>, lost_links: Vec<PathBuf>, from: PathBuf) -> Self {
        let (photos, crops, turned) = (Vec::new(), Vec::new(), Vec::new());
        let (as_stored, joined) = (Vec::new(), Vec::new());
        Self { format, photos, crops, skipped, turned, as_stored, joined, lost_links, from }
    }

    /// Adds the labels that another file has of a photo. Files that are a photo's own must agree.
    fn join(&mut self, place: Option<usize>, label: Option<PhotoLabel>) -> Result<(), String> {
        let (Some(place), Some(label)) = (place, label) else {
            return Err("not all of these labels can be read".to_owned());
        };
        let (path, before) = &mut self.photos[place];
        let count = [before.cards.len(), label.cards.len()];
        let size = (f64::from(before.width), f64::from(before.height));
        for card in label.cards {
            add_card(&mut before.cards, card, size)?;
        }
        if count == [before.cards.len(); 2] {
            return Ok(());
        }
        if !["coco", "csv"].contains(&self.format.name) {
            return Err("the two differ; keep the one that is right".to_owned());
        }
        if !self.joined.contains(path) {
            self.joined.push(path.clone());
        }
        Ok(())
    }

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
    fn new(
        drafts: &[DraftPhoto],
        crops: &[DraftCrop],
        leave_out: &[String],
    ) -> Result<Self, ConvertError> {
        let mut uses: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for draft in drafts {
            for mark in draft.marks.iter().filter(|mark| !mark.class.is_empty()) {
                let first = uses.entry(mark.class.clone()).or_insert_with(|| {
                    (0, format!("{}: {}", draft.labels_file.display(), mark.at))
                });
                first.0 += 1;
            }
        }
        for crop in crops {
            uses.entry(crop.class.clone()).or_insert_with(|| (0, crop.at.clone())).0 += 1;
        }
        if let Some(class) = leave_out.iter().find(|class| !uses.contains_key(*class)) {
            let classes = uses.keys().cloned().collect::<Vec<_>>().join(", ");
            return Err(ConvertError::NoSuchClass { class: class.clone(), classes });
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
        if self.strange.is_empty() {
            return Vec::new();
        }
        let advice = "  expected a code such as 2spd or a name such as \"two striped purple diamonds\"; rename \
                      them, or leave those out that are no cards";
        let first = "classes that name no card:".to_owned();
        [first]
            .into_iter()
            .chain(self.strange.iter().map(|(class, (count, at, why))| {
                format!("  {class} (used {count} times): {why}; first in {at}")
            }))
            .chain([advice.to_owned()])
            .collect()
    }
}
