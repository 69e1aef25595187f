//! Reads the labels of folders and finds errors that show without the pictures.

use super::item::{Item, Wrong};
use crate::cards::Card;
use crate::dataset::{CROP_LABELS, DatasetError, PHOTO_LABELS, PhotoLabel, leads_outside};
use crate::geometry::Point;
use crate::pipeline::source::natural_order;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Number of crops read together: as many as a table has cards, enough to detect their edition and
/// whether they are mirrored.
const TOGETHER: usize = 12;

/// The items to check, and the errors found so far.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Folders with labels.
    pub folders: Vec<PathBuf>,
    /// Photos with unconfirmed labels, which are not checked.
    pub unchecked: Vec<PathBuf>,
    /// The items to check.
    pub items: Vec<Item>,
    /// Pictures outside the folder of their labels.
    pub outside: Vec<PathBuf>,
    /// Errors in the labels themselves.
    pub wrong: Vec<Wrong>,
}

/// Reads the labels of each folder, or of its direct subfolders.
///
/// # Errors
/// [`DatasetError`]: a folder without labels. Errors in the labels go into the plan.
pub fn plan(folders: &[PathBuf]) -> Result<Plan, DatasetError> {
    let mut plan = Plan::default();
    for folder in folders {
        for folder in labelled(folder)? {
            if folder.join(PHOTO_LABELS).is_file() {
                plan.add_photos(&folder);
            }
            if folder.join(CROP_LABELS).is_file() {
                plan.add_crops(&folder);
            }
            plan.folders.push(folder);
        }
    }
    Ok(plan)
}

fn labelled(folder: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    let is_labelled =
        |path: &Path| path.join(CROP_LABELS).is_file() || path.join(PHOTO_LABELS).is_file();
    if is_labelled(folder) {
        return Ok(vec![folder.to_path_buf()]);
    }
    let unreadable = |source| DatasetError::Unreadable { path: folder.to_path_buf(), source };
    let mut inside: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(unreadable)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| is_labelled(path))
        .collect();
    inside.sort_by(|a, b| natural_order(a.as_os_str(), b.as_os_str()));
    if inside.is_empty() {
        let reason = format!(
            "neither {PHOTO_LABELS} (photos) nor {CROP_LABELS} (crops) there, nor in a folder directly \
             in it; labels of other programs become such ones with `setsight dataset convert`"
        );
        return Err(DatasetError::Malformed { path: folder.to_path_buf(), reason });
    }
    Ok(inside)
}

impl Plan {
    fn wrong(&mut self, path: &Path, reason: String) {
        self.wrong.push(Wrong { path: path.to_path_buf(), reason });
    }

    fn add_photos(&mut self, folder: &Path) {
        let labels = folder.join(PHOTO_LABELS);
        let document: Value = match fs::read_to_string(&labels).map(|t| serde_json::from_str(&t)) {
            Err(error) => return self.wrong(&labels, format!("cannot be read: {error}")),
            Ok(Err(error)) => return self.wrong(&labels, format!("is no JSON: {error}")),
            Ok(Ok(document)) => document,
        };
        let Some(photos) = document["photos"].as_array() else {
            return self.wrong(&labels, "holds no list \"photos\"".to_owned());
        };
        let mut files = BTreeSet::new();
        for (i, photo) in photos.iter().enumerate() {
            let label: PhotoLabel = match serde_json::from_value(photo.clone()) {
                Ok(label) => label,
                Err(error) => {
                    let file = photo["file"].as_str().unwrap_or("without a file name");
                    self.wrong(&labels, format!("photo {} ({file}): {error}", i + 1));
                    continue;
                }
            };
            let path = folder.join(&label.file);
            if !files.insert(label.file.clone()) {
                self.wrong(&path, "is labelled twice; take one of its labels out".to_owned());
                continue;
            }
            if let Some((code, first, second)) = label.twice() {
                self.wrong(
                    &path,
                    format!(
                        "card {code} is labelled twice, as card {first} and card {second}; a deck \
                         holds it once: correct one of them"
                    ),
                );
            }
            for why in out_of_place(&label) {
                self.wrong(&path, why);
            }
            if !path.is_file() {
                let reason = "is labelled but not there; put it there or take its labels out";
                self.wrong(&path, reason.to_owned());
                continue;
            }
            if leads_outside(&label.file) {
                self.outside.push(path.clone());
            }
            if label.is_checked() {
                self.items.push(Item::Photo { path, label });
            } else {
                self.unchecked.push(path);
            }
        }
    }

    fn add_crops(&mut self, folder: &Path) {
        let labels = folder.join(CROP_LABELS);
        let mut reader = match csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .flexible(true)
            .from_path(&labels)
        {
            Ok(reader) => reader,
            Err(error) => return self.wrong(&labels, format!("cannot be read: {error}")),
        };
        if !reader.headers().is_ok_and(|header| header.iter().take(2).eq(["file", "code"])) {
            return self.wrong(&labels, "the first line must be \"file,code\"".to_owned());
        }
        let mut files = BTreeSet::new();
        let mut crops: Vec<(PathBuf, Card)> = Vec::new();
        for record in reader.records() {
            let record = match record {
                Ok(record) => record,
                Err(error) => {
                    self.wrong(&labels, error.to_string());
                    continue;
                }
            };
            let line = record.position().map_or(0, csv::Position::line);
            let (file, code) = (&record[0], record.get(1).unwrap_or_default());
            let path = folder.join(file);
            match code.parse() {
                Err(error) => self.wrong(&labels, format!("line {line}: {file}: {error}")),
                Ok(_) if !files.insert(file.to_owned()) => {
                    self.wrong(&labels, format!("line {line}: {file} is labelled twice"));
                }
                Ok(_) if !path.is_file() => self.wrong(
                    &path,
                    "is labelled but not there; put it there or take its labels out".to_owned(),
                ),
                Ok(code) => {
                    if leads_outside(file) {
                        self.outside.push(path.clone());
                    }
                    crops.push((path, code));
                }
            }
        }
        // Crops are often sorted by card, so those read together are picked from the whole list.
        let groups = crops.len().div_ceil(TOGETHER);
        self.items.extend(
            (0..groups).map(|group| {
                Item::Crops(crops.iter().skip(group).step_by(groups).cloned().collect())
            }),
        );
    }
}

/// Cards whose coordinates are impossible.
fn out_of_place(label: &PhotoLabel) -> Vec<String> {
    let (width, height) = (f64::from(label.width), f64::from(label.height));
    let inside = |p: Point| (0.0..=width).contains(&p.x) && (0.0..=height).contains(&p.y);
    let mut wrong = Vec::new();
    for (i, card) in label.cards.iter().enumerate() {
        let (name, Point { x, y }) = (format!("card {} ({})", i + 1, card.code), card.center);
        if !inside(card.center) {
            wrong.push(format!(
                "the centre of {name}, ({x:.0}, {y:.0}), lies outside of the picture \
                 ({width}x{height} pixels as stored)"
            ));
        } else if let Some(quad) = card.corners
            && !around(quad.0, card.center)
        {
            wrong.push(format!(
                "the corners of {name} are not around its centre, ({x:.0}, {y:.0}); correct them, or \
                 write null for them"
            ));
        }
    }
    wrong
}

/// Whether a point lies inside four corners, which may be in any order.
fn around(corners: [Point; 4], center: Point) -> bool {
    let middle = (corners[0] + corners[1] + corners[2] + corners[3]) / 4.0;
    let mut ordered = corners;
    ordered.sort_by(|a, b| {
        let angle = |p: &Point| (p.y - middle.y).atan2(p.x - middle.x);
        angle(a).total_cmp(&angle(b))
    });
    let quad = crate::geometry::Quad::new(ordered);
    quad.signed_area().abs() >= 1.0 && quad.contains(center)
}
