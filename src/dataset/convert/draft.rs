//! What the formats have in common: pictures, and classes at places in them, not looked at yet.

use crate::geometry::{Point, Quad};
use crate::pipeline::source::{PHOTO_EXTENSIONS, natural_order};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// A box's border in a polygon's clothes: how far its corners may be off, in pixels. Formats of
/// polygons write boxes as four corners, and no photographed card lies so straight.
const STRAIGHT_PX: f64 = 0.5;

/// What was found in a folder or file of labels.
#[derive(Debug, Default)]
pub struct Drafts {
    /// Labelled photos, in the order of their files.
    pub photos: Vec<DraftPhoto>,
    /// Labelled crops: file and class.
    pub crops: Vec<(PathBuf, String)>,
    /// Photos of which nothing is said.
    pub unlabelled: Vec<PathBuf>,
    /// What is wrong, each with its file.
    pub problems: Vec<String>,
}

/// A photo and what is said of it.
#[derive(Debug)]
pub struct DraftPhoto {
    /// The photo's file.
    pub path: PathBuf,
    /// Where it is said.
    pub told_in: PathBuf,
    /// The size that the labels say the picture has, in pixels.
    pub told_px: Option<(u32, u32)>,
    /// What the marks' coordinates are in.
    pub unit: Unit,
    /// Cards, and perhaps other things.
    pub marks: Vec<Mark>,
}

/// What coordinates are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Pixels from the picture's top left corner.
    Pixels,
    /// Shares of the picture's width and height, 0 to 1.
    Shares,
}

/// Something of a class at a place.
#[derive(Debug)]
pub struct Mark {
    /// As the labels name it.
    pub class: String,
    /// Where it is.
    pub outline: Outline,
}

/// Where something is.
#[derive(Debug)]
pub enum Outline {
    /// Its centre is known, its border not: the middle of a box with straight sides says no more.
    Center(Point),
    /// Its border, corner by corner.
    Polygon(Vec<Point>),
}

impl Outline {
    /// Centre and, where the border is a quadrilateral that a card can be, corners. Outlines are in
    /// pixels.
    pub fn settle(&self) -> (Point, Option<Quad>) {
        let points = match self {
            Self::Center(center) => return (*center, None),
            Self::Polygon(points) => points.as_slice(),
        };
        // Some close the border by naming the first corner again.
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

    /// Each point moved.
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

/// Of a polygon's area; of what has none the mean of its corners.
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

/// All files of a folder and those below it but for hidden ones, as people count.
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

/// Whether a file is called like a picture.
pub fn is_picture(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    extension.is_some_and(|e| PHOTO_EXTENSIONS.contains(&e.as_str()))
}

/// Finds pictures by what labels call them.
pub struct Pictures<'a> {
    by_name: BTreeMap<&'a OsStr, Vec<&'a PathBuf>>,
}

impl<'a> Pictures<'a> {
    /// Among these files.
    pub fn among(files: &'a [PathBuf]) -> Self {
        let mut by_name: BTreeMap<&OsStr, Vec<&PathBuf>> = BTreeMap::new();
        for file in files.iter().filter(|file| is_picture(file)) {
            by_name.entry(file.file_name().unwrap_or_default()).or_default().push(file);
        }
        Self { by_name }
    }

    /// The picture that labels in `folder` call `name`: that very path, else the only one of its last
    /// name, for programs name pictures by where they had them themselves.
    ///
    /// # Errors
    /// None, or several, in words.
    pub fn find(&self, folder: &Path, name: &str) -> Result<PathBuf, String> {
        let direct = folder.join(name);
        if direct.is_file() {
            return Ok(direct);
        }
        // Written on Windows, perhaps.
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
