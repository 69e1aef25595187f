//! The formats' common form: pictures with classes at places, not checked yet.

use setsight_photo::geometry::{Point, Quad};
use setsight_photo::source::{PHOTO_EXTENSIONS, natural_order};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Maximum deviation, in pixels, of a polygon that is really a box. Polygon formats write boxes as
/// four corners, and no photographed card is aligned that well.
const STRAIGHT_PX: f64 = 0.5;

/// Labels found in a folder or file.
#[derive(Debug, Default)]
pub struct Drafts {
    /// Labelled photos, in the order of their files.
    pub photos: Vec<DraftPhoto>,
    /// Labelled crops: file and class.
    pub crops: Vec<(PathBuf, String)>,
    /// Photos without labels.
    pub unlabelled: Vec<PathBuf>,
    /// Errors, each with its file.
    pub problems: Vec<String>,
}

/// A photo and its labels.
#[derive(Debug)]
pub struct DraftPhoto {
    /// The photo's file.
    pub path: PathBuf,
    /// The file with the labels.
    pub told_in: PathBuf,
    /// The picture size given in the labels, in pixels.
    pub told_px: Option<(u32, u32)>,
    /// The unit of the marks' coordinates.
    pub unit: Unit,
    /// Labelled objects: cards, and perhaps others.
    pub marks: Vec<Mark>,
}

/// A unit of coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Pixels from the picture's top left corner.
    Pixels,
    /// Fractions of the picture's width and height, 0 to 1.
    Shares,
}

/// A labelled object.
#[derive(Debug)]
pub struct Mark {
    /// The class name in the labels.
    pub class: String,
    /// Its place.
    pub outline: Outline,
}

/// The place of an object.
#[derive(Debug)]
pub enum Outline {
    /// The centre alone: a box with straight sides does not give a card's corners.
    Center(Point),
    /// Its border, corner by corner.
    Polygon(Vec<Point>),
}

impl Outline {
    /// The centre, and the corners if the border is a quadrilateral that can be a card. Outlines
    /// are in pixels.
    pub fn settle(&self) -> (Point, Option<Quad>) {
        let points = match self {
            Self::Center(center) => return (*center, None),
            Self::Polygon(points) => points.as_slice(),
        };
        // Some programs repeat the first corner to close the border.
        let points = match points {
            [first, .., last] if points.len() > 3 && first == last => &points[..points.len() - 1],
            points => points,
        };
        if let Ok(corners) = <[Point; 4]>::try_from(points) {
            let quad = Quad::new(corners);
            if quad.is_convex() && quad.signed_area().abs() >= 1.0 && !is_a_box(&corners) {
                return (quad.center(), Some(quad));
            }
        }
        (centroid(points), None)
    }

    /// Applies a function to each point.
    pub fn map(&self, change: impl Fn(Point) -> Point) -> Self {
        match self {
            Self::Center(center) => Self::Center(change(*center)),
            Self::Polygon(points) => Self::Polygon(points.iter().map(|&p| change(p)).collect()),
        }
    }
}

fn is_a_box(corners: &[Point; 4]) -> bool {
    let along = |i: usize| {
        let edge = corners[(i + 1) % 4] - corners[i];
        edge.x.abs().min(edge.y.abs()) <= STRAIGHT_PX
    };
    (0..4).all(along)
}

/// Centroid of a polygon; the mean of its corners if it has no area.
fn centroid(points: &[Point]) -> Point {
    let mean = points.iter().fold(Point::default(), |sum, &p| sum + p) / points.len().max(1) as f64;
    let (mut area, mut sum) = (0.0, Point::default());
    for (i, &p) in points.iter().enumerate() {
        let (a, b) = (p - mean, points[(i + 1) % points.len()] - mean);
        let part = a.cross(b);
        area += part;
        sum = sum + (a + b) * (part / 3.0);
    }
    if area.abs() < 1e-9 { mean } else { mean + sum / area }
}

/// All files in a folder and its subfolders except hidden ones, in natural order.
///
/// # Errors
/// A folder that cannot be read.
pub fn files_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    WalkDir::new(folder)
        .follow_links(true)
        .sort_by(|a, b| natural_order(a.file_name(), b.file_name()))
        .into_iter()
        .filter_entry(|entry| {
            entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".")
        })
        .filter(|entry| entry.as_ref().map_or(true, |entry| !entry.file_type().is_dir()))
        .map(|entry| Ok(entry?.into_path()))
        .collect()
}

/// Whether a file has the extension of a picture.
pub fn is_picture(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    extension.is_some_and(|e| PHOTO_EXTENSIONS.contains(&e.as_str()))
}

/// Resolves picture names in labels.
pub struct Pictures<'a> {
    by_name: BTreeMap<&'a OsStr, Vec<&'a PathBuf>>,
}

impl<'a> Pictures<'a> {
    /// For these files.
    pub fn among(files: &'a [PathBuf]) -> Self {
        let mut by_name: BTreeMap<&OsStr, Vec<&PathBuf>> = BTreeMap::new();
        for file in files.iter().filter(|file| is_picture(file)) {
            by_name.entry(file.file_name().unwrap_or_default()).or_default().push(file);
        }
        Self { by_name }
    }

    /// The picture that labels in `folder` call `name`: the file at that path, otherwise the only
    /// file with that base name, because programs store the paths of their own machine.
    ///
    /// # Errors
    /// A message if there is no such file, or several.
    pub fn find(&self, folder: &Path, name: &str) -> Result<PathBuf, String> {
        let direct = folder.join(name);
        if direct.is_file() {
            return Ok(direct);
        }
        // The path may come from Windows.
        let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let called: &[&PathBuf] = self.by_name.get(OsStr::new(last)).map_or(&[], Vec::as_slice);
        match called {
            [only] => Ok((*only).clone()),
            [] => Err(format!(
                "{name} is labelled but not there; put the photo beside the labels or take its \
                 labels out"
            )),
            several => {
                let all: Vec<String> = several.iter().map(|p| p.display().to_string()).collect();
                Err(format!(
                    "{name} may be any of {}; give them different names, or convert their folders \
                     one by one",
                    all.join(", ")
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polygon(points: &[(f64, f64)]) -> Outline {
        Outline::Polygon(points.iter().map(|&(x, y)| Point::new(x, y)).collect())
    }

    #[test]
    fn only_four_corners_of_a_card_are_corners() {
        let turned = [(10.0, 0.0), (90.0, 20.0), (80.0, 70.0), (0.0, 50.0)];
        let (center, corners) = polygon(&turned).settle();
        assert_eq!(center, Point::new(45.0, 35.0));
        assert_eq!(corners.unwrap().0[1], Point::new(90.0, 20.0));
        let closed = [&turned[..], &turned[..1]].concat();
        assert_eq!(polygon(&closed).settle(), (center, corners));
        // A box, a bow tie, a triangle, one corner too many.
        let a_box = [(10.0, 10.0), (90.0, 10.2), (90.3, 60.0), (10.0, 60.0)];
        let (middle, none) = polygon(&a_box).settle();
        assert!(none.is_none() && middle.distance(Point::new(50.0, 35.0)) < 0.3, "{middle:?}");
        let bow = [turned[0], turned[2], turned[1], turned[3]];
        assert_eq!(polygon(&bow).settle().1, None);
        let (middle, none) = polygon(&[(0.0, 0.0), (30.0, 0.0), (0.0, 30.0)]).settle();
        assert!(none.is_none() && middle.distance(Point::new(10.0, 10.0)) < 1e-9, "{middle:?}");
        let five = [(0.0, 0.0), (50.0, 0.0), (100.0, 0.0), (100.0, 50.0), (0.0, 50.0)];
        let (middle, none) = polygon(&five).settle();
        assert!(none.is_none() && middle.distance(Point::new(50.0, 25.0)) < 1e-9, "{middle:?}");
    }
}
