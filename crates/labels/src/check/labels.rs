//! Reads the labels of folders and finds errors that show without the pictures.

use super::item::{Item, Wrong};
use crate::crops::together;
use setsight_game::cards::Card;
use setsight_photo::geometry::Point;
use setsight_photo::labels::{
    CROP_LABELS, CropLine, DatasetError, LabelFile, PHOTO_LABELS, PhotoLabel, has_labels,
    labelled_folders, leads_outside, read_crop_lines, told_twice,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

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
pub fn plan(folders: &[PathBuf]) -> Result<Plan, DatasetError> {
    let mut plan = Plan::default();
    for folder in folders {
        for folder in labelled(folder)? {
            if has_labels(&folder, PHOTO_LABELS) {
                plan.add_photos(&folder);
            }
            if has_labels(&folder, CROP_LABELS) {
                plan.add_crops(&folder);
            }
            plan.folders.push(folder);
        }
    }
    Ok(plan)
}

fn labelled(folder: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    let folders = labelled_folders(folder, &[CROP_LABELS, PHOTO_LABELS])?;
    if folders.is_empty() {
        return Err(DatasetError::NoLabels(folder.to_path_buf()));
    }
    Ok(folders)
}

impl Plan {
    fn wrong(&mut self, path: &Path, reason: String) {
        self.wrong.push(Wrong { path: path.to_path_buf(), reason });
    }

    fn add_photos(&mut self, folder: &Path) {
        let labels = folder.join(PHOTO_LABELS);
        let file = match LabelFile::read(folder) {
            Ok(file) => file,
            Err(error) => return self.wrong(&labels, unreadable(&error)),
        };
        let mut files = BTreeSet::new();
        for label in file.each_photo() {
            let label = match label {
                Ok(label) => label,
                Err(why) => {
                    self.wrong(&labels, why);
                    continue;
                }
            };
            let path = folder.join(&label.file);
            if !files.insert(label.file.clone()) {
                self.wrong(&path, "is labelled twice; take one of its labels out".to_owned());
                continue;
            }
            if let Some((code, first, second)) = label.twice() {
                self.wrong(&path, told_twice(code, first, second));
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
        let lines = match read_crop_lines(folder) {
            Ok(lines) => lines,
            Err(error) => return self.wrong(&labels, unreadable(&error)),
        };
        let mut files = BTreeSet::new();
        let mut crops: Vec<(PathBuf, Card)> = Vec::new();
        for line in lines {
            let (line, label) = match line {
                CropLine::Label { line, label } => (line, label),
                CropLine::BadCode { line, file, error } => {
                    self.wrong(&labels, format!("line {line}: {file}: {error}"));
                    continue;
                }
                CropLine::Malformed { reason, .. } => {
                    self.wrong(&labels, reason);
                    continue;
                }
            };
            let path = folder.join(&label.file);
            if files.contains(&label.file) {
                self.wrong(&labels, format!("line {line}: {} is labelled twice", label.file));
                continue;
            }
            if !path.is_file() {
                let reason = "is labelled but not there; put it there or take its labels out";
                self.wrong(&path, reason.to_owned());
            } else {
                if leads_outside(&label.file) {
                    self.outside.push(path.clone());
                }
                crops.push((path, label.code));
            }
            files.insert(label.file);
        }
        self.items.extend(together(&crops).into_iter().map(Item::Crops));
    }
}

/// Why a file of labels cannot be read, without its name.
fn unreadable(error: &DatasetError) -> String {
    match error {
        DatasetError::Unreadable { source, .. } => format!("cannot be read: {source}"),
        DatasetError::NotJson { reason, .. } => format!("is no JSON: {reason}"),
        DatasetError::NoPhotos(_) => "holds no list \"photos\"".to_owned(),
        DatasetError::Malformed { reason, .. } => reason.clone(),
        other => other.to_string(),
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
    let quad = setsight_photo::geometry::Quad::new(ordered);
    quad.signed_area().abs() >= 1.0 && quad.contains(center)
}
