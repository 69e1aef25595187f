//! What the threads do: list, decode, read.

use super::queue::{
    CardWanted, Found, Job, LibraryEvent, Plan, STAGE_PX, Shared, THUMB_PX, guarded,
};
use crate::shared::picture::{Prepared, shrunk};
use crate::shared::{reasons::Reason, table::Table};
use image::RgbImage;
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::source::{ListError, Photo, list_photos};
use setsight_vision::{CardImage, Reading, Trace};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use thread_priority::{ThreadPriority, set_current_thread_priority};

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
                if let (true, Ok(photo)) = (shared.plan().take_thumb(i), &photo) {
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
        Err(reason) => return shared.tell(LibraryEvent::Opened(i, Err(reason))),
    };
    let full = Arc::new(photo.frame.clone());
    let heard = shared.tell(LibraryEvent::Opened(i, Ok(Prepared::new(full))));
    // Of somebody who leafs through the photos the last one counts.
    shared.plan().opened = Some((i, photo));
    shared.changed.notify_all();
    heard
}

/// Reads the photo that is looked at, unless another one is already.
fn read_opened(shared: &Shared, i: usize, photo: Photo) -> bool {
    let mut plan = shared.plan();
    if plan.open.is_some_and(|next| next != i) {
        return true;
    }
    plan.take_read(i);
    drop(plan);
    match read(shared, photo) {
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
    let found = Found {
        table: Table::of_reading(&reading),
        times: trace.times,
        size_px: reading.image.dimensions(),
        stored_px,
        orientation,
    };
    Ok((found, reading.images))
}

/// Reads a card in the part of the photo around it.
fn read_card(shared: &Shared, card: &CardWanted) -> Result<(CardImage, Reading), Reason> {
    let (width, height) = card.picture.dimensions();
    let quad = card.corners_in_image;
    let margin = 0.5 * quad.long_side();
    let side = |least: f64, most: f64, px: u32| {
        let from = (least - margin).clamp(0.0, f64::from(px)) as u32;
        let to = (most + margin).clamp(0.0, f64::from(px)) as u32;
        (from, to.saturating_sub(from).max(1))
    };
    let least = |of: fn(&Point) -> f64| quad.0.iter().map(of).fold(f64::MAX, f64::min);
    let most = |of: fn(&Point) -> f64| quad.0.iter().map(of).fold(f64::MIN, f64::max);
    let (left, w) = side(least(|p| p.x), most(|p| p.x), width);
    let (top, h) = side(least(|p| p.y), most(|p| p.y), height);
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
    let side = |px: u32| (px * STAGE_PX / long).max(1);
    image::imageops::thumbnail(picture, side(width), side(height))
}
