//! What is to be done with the open photos, and what the threads tell of it.

use crate::shared::{eye::Eye, picture::Prepared, reasons::Reason, table::Table};
use eframe::egui::ColorImage;
use image::{RgbImage, metadata::Orientation};
use setsight_photo::geometry::Quad;
use setsight_photo::source::{ListError, Photo};
use setsight_vision::{CardImage, Reading, StageTime, TableFacts};
use std::{
    collections::{HashSet, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc::SyncSender},
};

/// Long side of a thumbnail in pixels: sharp at twice the size of a point.
pub(crate) const THUMB_PX: u32 = 240;
/// Long side of a stage's picture in pixels.
pub(super) const STAGE_PX: u32 = 1600;
/// What may wait to be taken by the window.
pub(super) const MOST_EVENTS: usize = 8;

/// What became of a photo that was read.
#[derive(Clone, Debug)]
pub struct Found {
    /// The cards and sets as read.
    pub(crate) table: Table,
    /// How long each stage took.
    pub(crate) times: Vec<StageTime>,
    /// Of the upright photo, in pixels.
    pub(crate) size_px: (u32, u32),
    /// Of the file as stored, in pixels.
    pub(crate) stored_px: (u32, u32),
    /// The turn that made the photo upright.
    pub(crate) orientation: Orientation,
}

impl Found {
    /// Pixels of the file per pixel of the picture in each direction (`Photo::reduced`).
    pub(crate) fn reduced(&self) -> u32 {
        let long_side = |(width, height): (u32, u32)| f64::from(width.max(height));
        (long_side(self.stored_px) / long_side(self.size_px)).round().max(1.0) as u32
    }
}

/// What the threads have to say. Numbers are places in [`Library::entries`](super::Library::entries).
pub(crate) enum LibraryEvent {
    /// Which photos there are, what was asked for but is no photo, and which photo is to be seen first.
    Listed(Vec<PathBuf>, Vec<ListError>, usize),
    /// A small picture, or why there is none.
    Thumb(usize, Result<ColorImage, Reason>),
    /// A photo decoded, to be looked at.
    Opened(usize, Result<Prepared, Reason>),
    /// A photo read.
    Read(usize, Box<Result<Found, Reason>>),
    /// More photos, and what was asked for but is no photo.
    Added(Vec<PathBuf>, Vec<ListError>),
    /// The straightened cards of the photo that is looked at.
    Cards(usize, Vec<CardImage>),
    /// A card at corners that a person has shown: its picture and what the reader says.
    Card(usize, Quad, Result<(CardImage, Reading), Reason>),
    /// A picture of each stage of the photo that is looked at, with the stage's name.
    Stages(usize, Result<Vec<(String, Arc<RgbImage>)>, Reason>),
}

/// Photos of the caller that lie in no file, such as a pasted picture.
pub(crate) type Pasted = Arc<RgbImage>;

/// A card that is to be read where a person has shown it.
pub(crate) struct CardWanted {
    /// The photo's place.
    pub(crate) photo: usize,
    /// All its pixels.
    pub(crate) picture: Arc<RgbImage>,
    /// Where the card lies.
    pub(crate) corners_in_image: Quad,
    /// What is known of the table.
    pub(crate) facts: TableFacts,
}

/// What is to be done, in the order in which it is needed.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) paths: Arc<Vec<PathBuf>>,
    /// The photo to decode first.
    pub(super) open: Option<usize>,
    /// The photo that is looked at, decoded, and to be read before the others.
    pub(super) opened: Option<(usize, Photo)>,
    /// A card to be read.
    pub(super) card: Option<CardWanted>,
    /// The photo whose stages are wanted.
    pub(super) stages: Option<usize>,
    /// Thumbnails in view that are missing.
    pub(super) thumbs: VecDeque<usize>,
    /// Thumbnails in the making, or made and not yet taken by the window.
    pub(super) thumbs_taken: HashSet<usize>,
    /// Photos in view, to be read before the others.
    pub(super) first: VecDeque<usize>,
    pub(super) read_taken: Vec<bool>,
    /// All before this one are taken.
    pub(super) sweep: usize,
    pub(super) stopped: bool,
}

pub(super) enum Job {
    Open(usize),
    Opened(usize, Photo),
    Card(CardWanted),
    Stages(usize),
    Thumb(usize),
    Read(usize),
}

impl Plan {
    pub(super) fn open_job(&mut self) -> Option<Job> {
        self.open.take().map(Job::Open)
    }

    pub(super) fn quick_job(&mut self) -> Option<Job> {
        if let Some((i, photo)) = self.opened.take() {
            return Some(Job::Opened(i, photo));
        }
        if let Some(card) = self.card.take() {
            return Some(Job::Card(card));
        }
        if let Some(i) = self.stages.take() {
            return Some(Job::Stages(i));
        }
        while let Some(i) = self.thumbs.pop_front() {
            if self.thumbs_taken.insert(i) {
                return Some(Job::Thumb(i));
            }
        }
        None
    }

    pub(super) fn read_job(&mut self) -> Option<Job> {
        while let Some(i) = self.first.pop_front() {
            if self.take_read(i) {
                return Some(Job::Read(i));
            }
        }
        while self.sweep < self.paths.len() {
            let i = self.sweep;
            self.sweep += 1;
            if self.take_read(i) {
                return Some(Job::Read(i));
            }
        }
        None
    }

    /// Whether this thumbnail is wanted and nobody is making it; then it is the caller's to make.
    pub(super) fn take_thumb(&mut self, i: usize) -> bool {
        self.thumbs.contains(&i) && self.thumbs_taken.insert(i)
    }

    pub(super) fn take_read(&mut self, i: usize) -> bool {
        self.read_taken.get_mut(i).is_some_and(|taken| !std::mem::replace(taken, true))
    }
}

/// What threads share.
pub(super) struct Shared {
    pub(super) plan: Mutex<Plan>,
    pub(super) changed: Condvar,
    pub(super) eye: Arc<dyn Eye>,
    pub(super) pasted: Option<Pasted>,
    pub(super) events: SyncSender<LibraryEvent>,
    pub(super) wake: Box<dyn Fn() + Send + Sync>,
}

impl Shared {
    pub(super) fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the window; false when nobody listens any more.
    pub(super) fn tell(&self, event: LibraryEvent) -> bool {
        let heard = self.events.send(event).is_ok();
        (self.wake)();
        heard
    }

    pub(super) fn load(&self, path: &Path) -> Result<Photo, Reason> {
        if let Some(picture) = &self.pasted {
            return Ok(Photo::of_picture(RgbImage::clone(picture)));
        }
        guarded(|| Ok(self.eye.load(path)?))
    }
}

/// A panic costs one photo, not the window.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, Reason>) -> Result<T, Reason> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(Reason::Fault))
}
