//! What is to be done with the open photos, what the threads do of it (list, decode, read), and what they tell.

use crate::shared::picture::{Prepared, shrunk};
use crate::shared::{reasons::Reason, tab::Eye, table::Table};
use eframe::egui::ColorImage;
use image::{RgbImage, metadata::Orientation};
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::source::{ListError, Photo, list_photos};
use setsight_vision::{CardImage, Reading, StageTime, TableFacts, Trace};
use std::collections::{HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc::SyncSender};
use thread_priority::{ThreadPriority, set_current_thread_priority};

/// Long side of a thumbnail in pixels: sharp at twice the size of a point.
const THUMB_PX: u32 = 240;
/// Long side of a stage's picture in pixels.
const STAGE_PX: u32 = 1600;
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
        let [stored, picture] = [self.stored_px, self.size_px]
            .map(|(width, height): (u32, u32)| f64::from(width.max(height)));
        (stored / picture).round().max(1.0) as u32
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
    /// The photo that is looked at, until it has been read: nothing else is begun meanwhile.
    pub(super) looked_at: Option<usize>,
    /// The photo to decode first.
    pub(super) open: Option<usize>,
    /// The photo that is looked at, decoded, and to be read before the others.
    pub(super) opened: Option<(usize, Photo)>,
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
        if self.looked_at.is_some() {
            return None;
        }
        while let Some(i) = self.thumbs.pop_front() {
            if self.thumbs_taken.insert(i) {
                return Some(Job::Thumb(i));
            }
        }
        None
    }

    pub(super) fn read_job(&mut self) -> Option<Job> {
        if self.looked_at.is_some() {
            return None;
        }
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

    /// Goes on with the other photos, unless another one is looked at by now.
    fn has_read(&self, i: usize) {
        self.plan().looked_at.take_if(|looked_at| *looked_at == i);
        self.changed.notify_all();
    }

    /// Tells the window; false when nobody listens any more.
    pub(super) fn tell(&self, event: LibraryEvent) -> bool {
        let heard = self.events.send(event).is_ok();
        (self.wake)();
        heard
    }

    /// A photo as large as reading needs.
    pub(super) fn load(&self, path: &Path) -> Result<Photo, Reason> {
        if let Some(picture) = &self.pasted {
            return Ok(Photo::of_picture(RgbImage::clone(picture)));
        }
        guarded(|| Ok(self.eye.load_to_read(path)?))
    }
}

/// A panic costs one photo, not the window.
fn guarded<T>(work: impl FnOnce() -> Result<T, Reason>) -> Result<T, Reason> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(Reason::Fault))
}

/// Takes jobs until the library is closed.
pub(super) fn work(shared: &Shared, next: fn(&mut Plan) -> Option<Job>) {
    // With as many busy threads as cores, the window's own would else wait its turn for longer than
    // a frame. Where the system refuses, reading goes on as before.
    let _ = set_current_thread_priority(ThreadPriority::Min);
    loop {
        let mut plan = shared.plan();
        let job = loop {
            if plan.stopped {
                return;
            }
            if let Some(job) = next(&mut plan) {
                break job;
            }
            plan = shared.changed.wait(plan).unwrap_or_else(PoisonError::into_inner);
        };
        let paths = Arc::clone(&plan.paths);
        drop(plan);
        let heard = match job {
            Job::Open(i) => open(shared, &paths, i),
            Job::Opened(i, photo) => read_opened(shared, i, photo),
            Job::Card(card) => {
                let read = read_card(shared, &card);
                shared.tell(LibraryEvent::Card(card.photo, card.corners_in_image, read))
            }
            Job::Stages(i) => {
                let stages = stages(shared, &paths[i]);
                shared.tell(LibraryEvent::Stages(i, stages))
            }
            Job::Thumb(i) => {
                let photo = shared.load(&paths[i]);
                let thumb = photo.map(|photo| shrunk(&photo.frame, THUMB_PX));
                shared.tell(LibraryEvent::Thumb(i, thumb))
            }
            Job::Read(i) => {
                let photo = shared.load(&paths[i]);
                // Not in the condition: the plan would stay locked while the window, which waits for it, has to
                // receive.
                let takes_thumb = shared.plan().take_thumb(i);
                if let (true, Ok(photo)) = (takes_thumb, &photo) {
                    // Decoded once for both.
                    let thumb = shrunk(&photo.frame, THUMB_PX);
                    shared.tell(LibraryEvent::Thumb(i, Ok(thumb)));
                }
                let read = photo.and_then(|photo| read(shared, photo));
                shared.tell(LibraryEvent::Read(i, Box::new(read.map(|(found, _)| found))))
            }
        };
        if !heard {
            return;
        }
    }
}

fn open(shared: &Shared, paths: &[PathBuf], i: usize) -> bool {
    let Some(path) = paths.get(i) else { return true };
    let photo = match shared.load(path) {
        Ok(photo) => photo,
        Err(reason) => {
            shared.has_read(i);
            return shared.tell(LibraryEvent::Opened(i, Err(reason)));
        }
    };
    // Of somebody who leafs through the photos the last one counts.
    shared.plan().opened = Some((i, photo.clone()));
    shared.changed.notify_all();
    if photo.file.is_some() {
        // It is seen before the rest of it is decoded.
        let size_px = photo.without_reduction().picture_px();
        shared.tell(LibraryEvent::Opened(i, Ok(Prepared::stand_in(&photo.frame, size_px))));
    }
    let full = photo.decode_full().map_or_else(|| photo.frame.clone(), |full| full.frame);
    let full = Arc::new(full);
    shared.tell(LibraryEvent::Opened(i, Ok(Prepared::new(full))))
}

/// Reads the photo that is looked at, unless another one is already.
fn read_opened(shared: &Shared, i: usize, photo: Photo) -> bool {
    let mut plan = shared.plan();
    if plan.looked_at != Some(i) {
        return true;
    }
    plan.take_read(i);
    drop(plan);
    let read = read(shared, photo);
    shared.has_read(i);
    match read {
        Ok((found, images)) => {
            shared.tell(LibraryEvent::Read(i, Box::new(Ok(found))))
                && shared.tell(LibraryEvent::Cards(i, images))
        }
        Err(reason) => shared.tell(LibraryEvent::Read(i, Box::new(Err(reason)))),
    }
}

fn read(shared: &Shared, photo: Photo) -> Result<(Found, Vec<CardImage>), Reason> {
    let eye = &shared.eye;
    let mut trace = Trace::default();
    let stored_px = (photo.stored_width, photo.stored_height);
    let orientation = photo.orientation;
    let reading = guarded(|| eye.read(photo, &mut trace).map_err(Reason::Reader))?;
    let table = Table::of_reading(&reading);
    let found =
        Found { size_px: table.reading.size_px, table, times: trace.times, stored_px, orientation };
    Ok((found, reading.images))
}

/// Where a side of the part around these coordinates begins, and how long it is.
fn side_around(at: [f64; 4], margin: f64, px: u32) -> (u32, u32) {
    let (least, most) =
        (at.into_iter().fold(f64::MAX, f64::min), at.into_iter().fold(f64::MIN, f64::max));
    let from = (least - margin).clamp(0.0, f64::from(px)) as u32;
    let to = (most + margin).clamp(0.0, f64::from(px)) as u32;
    (from, to.saturating_sub(from).max(1))
}

/// Reads a card in the part of the photo around it.
fn read_card(shared: &Shared, card: &CardWanted) -> Result<(CardImage, Reading), Reason> {
    let (width, height) = card.picture.dimensions();
    let quad = card.corners_in_image;
    let margin = 0.5 * quad.long_side();
    let (left, w) = side_around(quad.0.map(|p| p.x), margin, width);
    let (top, h) = side_around(quad.0.map(|p| p.y), margin, height);
    let image = image::imageops::crop_imm(&*card.picture, left, top, w, h).to_image();
    let shift = Point::new(f64::from(left), f64::from(top));
    let corners = Quad::new(quad.0.map(|p| p - shift));
    let eye = &shared.eye;
    guarded(|| eye.read_card(&image, corners, card.facts.clone()).map_err(Reason::Reader))
}

/// The photos that paths mean, what is wrong with some, and which is to be seen first: one photo brings
/// those of its folder with it.
pub(super) fn list(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<ListError>, usize) {
    if let [photo] = paths
        && photo.is_file()
        && let Some(folder) = photo.parent()
    {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let (mut found, ..) = list_named(&[folder.to_path_buf()]);
        let name = photo.file_name();
        let at = found.iter().position(|path| path.file_name() == name);
        if let Some(at) = at {
            // As it was named: messages say it so.
            found[at].clone_from(photo);
            return (found, Vec::new(), at);
        }
    }
    list_named(paths)
}

/// The photos that paths mean and no others. A folder without photos means its folders' photos.
pub(super) fn list_named(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<ListError>, usize) {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for path in paths {
        let one = std::slice::from_ref(path);
        let mut listed = list_photos(one, false, &[]);
        if listed.iter().all(Result::is_err) && path.is_dir() {
            listed = list_photos(one, true, &[]);
        }
        for photo in listed {
            match photo {
                Ok(photo) => found.push(photo),
                Err(error) => problems.push(error),
            }
        }
    }
    (found, problems, 0)
}

/// The stages' pictures of a photo, by name.
fn stages(shared: &Shared, path: &Path) -> Result<Vec<(String, Arc<RgbImage>)>, Reason> {
    let photo = shared.load(path)?;
    let mut kept = Vec::new();
    let mut trace = Trace::default().on_picture(|stage, picture| {
        kept.push((stage.to_owned(), Arc::new(for_stage(picture))));
        Ok(())
    });
    guarded(|| shared.eye.read(photo, &mut trace).map_err(Reason::Reader))?;
    drop(trace);
    Ok(kept)
}

/// A stage's picture at the size that a window shows.
fn for_stage(picture: &RgbImage) -> RgbImage {
    let (width, height) = picture.dimensions();
    let long = width.max(height);
    if long <= STAGE_PX {
        return picture.clone();
    }
    let [width, height] = [width, height].map(|px| (px * STAGE_PX / long).max(1));
    image::imageops::thumbnail(picture, width, height)
}
