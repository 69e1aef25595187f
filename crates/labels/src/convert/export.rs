//! Writes labels as other programs read them: COCO's JSON or YOLO's text files, with copies of the photos, in a
//! folder of their own. Places are of the upright photo, as those programs show it.

use super::error::ConvertError;
use super::write::{copy_file, in_new_folder, plain_names};
use crate::LabelledPhoto;
use serde_json::{Value, json};
use setsight_files::{printable::counted, whole_file::write_atomic};
use setsight_game::cards::{Card, Deck};
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::source;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// A format in which labels are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// `annotations.json` with boxes, and the corners as polygons.
    Coco,
    /// `data.yaml`, and boxes in `labels/`.
    Yolo,
}

/// Labels that were written for other programs.
#[derive(Debug)]
pub struct Exported {
    /// The file to give to them.
    pub file: PathBuf,
    pub photos: usize,
    pub cards: usize,
    /// What the format does not hold, in sentences.
    pub lost: Vec<String>,
}

/// A photo as the formats hold it: in pixels of the upright photo.
struct UprightPhoto {
    /// Its file's name in [`IMAGES`].
    name: String,
    size_px: (u32, u32),
    cards: Vec<(Card, Quad)>,
}

/// Folder of the photos.
const IMAGES: &str = "images";
/// Folder of YOLO's labels, where its programs look for those of [`IMAGES`].
const LABELS: &str = "labels";

/// Writes the labels of photos of the folder `from`, and copies of the photos, to `out`, which must be new or empty.
/// `go_on` is called before each photo; `false` cancels. A photo with a card without corners is left out: the card
/// has no box, and without it the photo would be labelled wrongly.
pub fn export(
    photos: &[LabelledPhoto],
    from: &Path,
    target: Target,
    out: &Path,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Exported, ConvertError> {
    let has_corners =
        |photo: &&LabelledPhoto| photo.label.cards.iter().all(|card| card.corners.is_some());
    let (photos, without): (Vec<_>, Vec<_>) = photos.iter().partition(has_corners);
    let cards = photos.iter().map(|photo| photo.label.cards.len()).sum();
    if cards == 0 {
        return Err(ConvertError::NoCorners(from.to_path_buf()));
    }
    let files: Vec<PathBuf> = photos.iter().map(|photo| photo.path.clone()).collect();
    let file = in_new_folder(out, |making| {
        let names = plain_names(&files, from)?;
        if target == Target::Yolo {
            check_stems(&files, &names)?;
        }
        let images = making.join(IMAGES);
        fs::create_dir(&images)
            .map_err(|source| ConvertError::Unwritable { path: out.join(IMAGES), source })?;
        let (mut upright, mut problems) = (Vec::new(), Vec::new());
        for (photo, name) in photos.iter().zip(names) {
            if !go_on() {
                return Err(ConvertError::WritingStopped);
            }
            copy_file(&photo.path, &images.join(&name))?;
            match upright_photo(photo, name) {
                Ok(photo) => upright.push(photo),
                Err(why) => problems.push(format!("{}: {why}", photo.path.display())),
            }
        }
        if !problems.is_empty() {
            return Err(ConvertError::Problems(problems));
        }
        let written = match target {
            Target::Coco => write_coco(making, &upright),
            Target::Yolo => write_yolo(making, &upright),
        };
        written.map_err(|source| ConvertError::Unwritable { path: out.to_path_buf(), source })
    })?;
    let lost = lost(&photos, &without, target);
    Ok(Exported { file, photos: photos.len(), cards, lost })
}

fn upright_photo(photo: &LabelledPhoto, name: String) -> Result<UprightPhoto, String> {
    let stored = source::measure(&photo.path).map_err(|error| error.to_string())?;
    let label = &photo.label;
    if (stored.width, stored.height) != (label.width, label.height) {
        return Err(format!(
            "is {}x{} pixels as stored, but its labels are of {}x{}; label it as it is",
            stored.width, stored.height, label.width, label.height
        ));
    }
    let cards = label.upright_cards(stored.orientation).into_iter();
    let cards = cards.filter_map(|card| Some((card.code, card.corners?))).collect();
    Ok(UprightPhoto { name, size_px: stored.upright_px(), cards })
}

/// Refuses photos whose label files would have one name.
fn check_stems(files: &[PathBuf], names: &[String]) -> Result<(), ConvertError> {
    let mut taken = BTreeSet::new();
    for (path, name) in files.iter().zip(names) {
        let name = Path::new(name).with_extension("txt").display().to_string();
        if !taken.insert(name.to_lowercase()) {
            return Err(ConvertError::SameName { path: path.clone(), name });
        }
    }
    Ok(())
}

/// The box around a card, as far as it lies in the picture: left top corner, width and height.
fn box_around(corners: &Quad, (width, height): (u32, u32)) -> [f64; 4] {
    let side = |of: fn(&Point) -> f64, length: u32| {
        let all = corners.0.iter().map(|corner| of(corner).clamp(0.0, f64::from(length)));
        let (low, high) =
            all.fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(at), high.max(at)));
        (low, high - low)
    };
    let ((left, width), (top, height)) = (side(|p| p.x, width), side(|p| p.y, height));
    [left, top, width, height]
}

fn write_coco(folder: &Path, photos: &[UprightPhoto]) -> std::io::Result<PathBuf> {
    let (mut images, mut annotations) = (Vec::new(), Vec::<Value>::new());
    for (image, photo) in (1..).zip(photos) {
        let (width, height) = photo.size_px;
        let file_name = format!("{IMAGES}/{}", photo.name);
        images.push(json!({
            "id": image, "file_name": file_name, "width": width, "height": height,
        }));
        for (card, corners) in &photo.cards {
            annotations.push(json!({
                "id": annotations.len() + 1,
                "image_id": image,
                "category_id": card.index() + 1,
                "bbox": box_around(corners, photo.size_px),
                "area": corners.signed_area().abs(),
                "segmentation": [corners.0.map(|p| [p.x, p.y]).concat()],
                "iscrowd": 0,
            }));
        }
    }
    let category = |card: Card| {
        json!({
            "id": card.index() + 1, "name": card.to_string(), "supercategory": "card",
        })
    };
    let categories: Vec<Value> = Card::deck().map(category).collect();
    let file = folder.join("annotations.json");
    let document = json!({
        "info": { "description": "SET cards labelled with setsight" },
        "images": images, "annotations": annotations, "categories": categories,
    });
    write_atomic(&file, format!("{document}\n").as_bytes())?;
    Ok(file)
}

fn write_yolo(folder: &Path, photos: &[UprightPhoto]) -> std::io::Result<PathBuf> {
    let labels = folder.join(LABELS);
    fs::create_dir(&labels)?;
    for photo in photos {
        let (width, height) = (f64::from(photo.size_px.0), f64::from(photo.size_px.1));
        let mut text = String::new();
        for (card, corners) in &photo.cards {
            let [left, top, w, h] = box_around(corners, photo.size_px);
            let (x, y) = ((left + w / 2.0) / width, (top + h / 2.0) / height);
            let _ = writeln!(text, "{} {x} {y} {} {}", card.index(), w / width, h / height);
        }
        let file = labels.join(&photo.name).with_extension("txt");
        write_atomic(&file, text.as_bytes())?;
    }
    let mut text = format!("train: {IMAGES}\nval: {IMAGES}\nnc: {}\nnames:\n", Card::deck().len());
    for card in Card::deck() {
        let _ = writeln!(text, "  {}: {card}", card.index());
    }
    let file = folder.join("data.yaml");
    write_atomic(&file, text.as_bytes())?;
    Ok(file)
}

/// What the labels say that the format does not hold.
fn lost(photos: &[&LabelledPhoto], without: &[&LabelledPhoto], target: Target) -> Vec<String> {
    type Asks = fn(&LabelledPhoto) -> bool;
    let asks: [(Asks, &str); 3] = [
        (|photo| photo.label.deck != Deck::NAMES[0], "show another deck, which is not written"),
        (|photo| photo.label.mirrored, "are mirrored, which is not written"),
        (|photo| !photo.label.tags.is_empty(), "have tags, which are not written"),
    ];
    let affected = asks.map(|(is_so, words)| {
        (photos.iter().filter(|photo| is_so(photo)).copied().collect::<Vec<_>>(), words)
    });
    let left_out =
        (without.to_vec(), "have cards without corners, so without boxes, and are left out");
    let sentences = std::iter::once(left_out).chain(affected).filter_map(|(photos, words)| {
        let first = photos.first()?.path.display();
        Some(format!("{} of the photos {words}, such as {first}", photos.len()))
    });
    let mut sentences: Vec<String> = sentences.collect();
    if target == Target::Yolo {
        let cards =
            counted(photos.iter().map(|photo| photo.label.cards.len()).sum::<usize>(), "card");
        sentences.push(format!("YOLO's boxes hold no corners: {cards} keep only their boxes"));
    }
    sentences
}
