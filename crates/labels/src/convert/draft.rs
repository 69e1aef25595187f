//! The formats' common form: pictures with classes at places, not checked yet. A place has one form for
//! boxes, turned boxes, polygons and keypoints.

use setsight_photo::geometry::{Point, Quad};
use setsight_photo::source::PHOTO_EXTENSIONS;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Labels found in a folder or file.
#[derive(Debug, Default)]
pub(super) struct Drafts {
    /// Labelled photos, in the order of their files.
    pub photos: Vec<DraftPhoto>,
    pub crops: Vec<DraftCrop>,
    /// Photos that a file lists and nobody labelled: where they stand, and their files if they are found.
    pub skipped: Vec<(String, Option<PathBuf>)>,
    /// Errors, each with its file.
    pub problems: Vec<String>,
}

#[derive(Debug)]
pub(super) struct DraftPhoto {
    /// The photo's file.
    pub path: PathBuf,
    /// The file with the labels.
    pub labels_file: PathBuf,
    /// The picture size given in the labels, in pixels.
    pub stated_px: Option<(u32, u32)>,
    /// Whether the labels are of the upright photo even if that is not the size given.
    pub shown_upright: bool,
    /// The unit of the marks' coordinates.
    pub unit: Unit,
    /// Labelled objects: cards, and perhaps others.
    pub marks: Vec<Mark>,
}

/// A picture of one card.
#[derive(Debug)]
pub(super) struct DraftCrop {
    /// The picture's file.
    pub path: PathBuf,
    /// The class name in the labels.
    pub class: String,
    /// Where the labels state it.
    pub at: String,
}

impl Drafts {
    /// Adds the labels of a picture; a problem where it was not found.
    pub(super) fn add_photo(
        &mut self,
        labels_file: &Path,
        picture: Result<PathBuf, String>,
        stated_px: Option<(f64, f64)>,
        marks: Vec<Mark>,
    ) {
        match picture {
            Ok(path) => self.photos.push(DraftPhoto {
                path,
                labels_file: labels_file.to_path_buf(),
                stated_px: stated_px
                    .map(|(width, height)| (width as u32, height as u32))
                    .filter(|&(width, height)| width > 0 && height > 0),
                shown_upright: false,
                unit: Unit::Pixels,
                marks,
            }),
            Err(reason) => self.problem(labels_file, &reason),
        }
    }

    /// Adds an error in a file.
    pub(super) fn problem(&mut self, file: &Path, why: &str) {
        self.problems.push(format!("{}: {why}", file.display()));
    }

    /// Notes a photo that a file lists and nobody labelled. `at` says where it stands there.
    pub(super) fn skip(&mut self, file: &Path, at: &str, picture: Result<PathBuf, String>) {
        self.skipped.push((format!("{}: {at}", file.display()), picture.ok()));
    }

    pub(super) fn extend(&mut self, more: Self) {
        self.photos.extend(more.photos);
        self.crops.extend(more.crops);
        self.skipped.extend(more.skipped);
        self.problems.extend(more.problems);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Pixels from the picture's top left corner.
    Pixels,
    /// Fractions of the picture's width and height, 0 to 1.
    Shares,
}

/// A labelled object.
#[derive(Debug)]
pub(super) struct Mark {
    /// The class name in the labels; empty if nobody gave it one.
    pub class: String,
    /// Its place.
    pub outline: Outline,
    /// Where it stands in the file of labels, such as `line 3`.
    pub at: String,
}

/// Whether a file has the extension of a picture.
pub(super) fn is_picture(path: &Path) -> bool {
    PHOTO_EXTENSIONS.iter().any(|extension| has_extension(path, extension))
}

/// Whether a file has this extension, in whatever case.
pub(super) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension()
        .and_then(OsStr::to_str)
        .is_some_and(|name| name.eq_ignore_ascii_case(extension))
}

/// Maximum deviation, in pixels, of a polygon that is really a box. Polygon formats write boxes as
/// four corners, and no photographed card is aligned that well.
const STRAIGHT_PX: f64 = 0.5;

/// The place of an object.
#[derive(Debug)]
pub(super) enum Outline {
    /// The centre alone.
    Center(Point),
    /// The left top and the right bottom corner of a box with straight sides, which does not give
    /// a card's corners.
    Box(Point, Point),
    /// Its border, corner by corner.
    Polygon(Vec<Point>),
}

impl Outline {
    /// A box with straight sides, by its left top corner and its size.
    pub(super) fn of_box(corner: Point, (width, height): (f64, f64)) -> Self {
        Self::Box(corner, corner + Point::new(width, height))
    }

    /// A box with straight sides, by two opposite corners in any order.
    pub(super) fn of_two_corners(a: Point, b: Point) -> Self {
        Self::Box(Point::new(a.x.min(b.x), a.y.min(b.y)), Point::new(a.x.max(b.x), a.y.max(b.y)))
    }

    /// A box that is turned clockwise about a point of it by an angle in radians. `corner` is its
    /// left top corner, and `about` the point, both before it is turned.
    pub(super) fn of_turned_box(
        corner: Point,
        (width, height): (f64, f64),
        about: Point,
        angle: f64,
    ) -> Self {
        if angle == 0.0 {
            return Self::of_box(corner, (width, height));
        }
        let (sin, cos) = angle.sin_cos();
        let corners = Quad::rectangle(width, height).0.map(|p| {
            let d = corner + p - about;
            about + Point::new(d.x * cos - d.y * sin, d.x * sin + d.y * cos)
        });
        Self::Polygon(corners.to_vec())
    }

    /// Keypoints are a card's corners where there are four, in any order; otherwise the box counts.
    pub(super) fn of_keypoints(points: &[Point], within: Option<Self>) -> Option<Self> {
        let Ok(corners) = <[Point; 4]>::try_from(points) else { return within };
        Some(Self::Polygon(Quad::from_unordered(corners).0.to_vec()))
    }

    /// A polygon from the numbers x, y, x, y and so on; `None` for less than three corners.
    pub(super) fn of_numbers(numbers: &[f64]) -> Option<Self> {
        let (points, rest) = numbers.as_chunks::<2>();
        let points: Vec<Point> = points.iter().map(|&[x, y]| Point::new(x, y)).collect();
        (points.len() >= 3 && rest.is_empty()).then_some(Self::Polygon(points))
    }

    /// The centre, and the corners if the border is a quadrilateral that can be a card. Outlines
    /// are in pixels.
    pub(super) fn center_and_corners(&self) -> (Point, Option<Quad>) {
        let points = match self {
            Self::Center(center) => return (*center, None),
            Self::Box(a, b) => return ((*a + *b) / 2.0, None),
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

    /// Area in square units; 0 of a centre alone.
    pub(super) fn area(&self) -> f64 {
        let Self::Polygon(points) = self else { return 0.0 };
        let next = points.iter().cycle().skip(1);
        points.iter().zip(next).map(|(a, b)| a.cross(*b)).sum::<f64>().abs() / 2.0
    }

    /// Whether it is a place without area. A centre alone stands for a card.
    pub(super) fn is_flat(&self) -> bool {
        match self {
            Self::Center(_) => false,
            Self::Box(a, b) => b.x <= a.x || b.y <= a.y,
            // A bow tie has area, although its halves cancel out.
            Self::Polygon(points) => {
                let from_first: Vec<Point> = points.iter().map(|&p| p - points[0]).collect();
                let far = from_first.iter().copied().max_by(|a, b| a.norm().total_cmp(&b.norm()));
                far.is_none_or(|far| {
                    from_first.iter().all(|p| p.cross(far).abs() <= 1e-9 * far.norm())
                })
            }
        }
    }

    /// The left top and the right bottom corner of what it takes up.
    pub(super) fn extent(&self) -> (Point, Point) {
        let points = match self {
            Self::Center(center) => &[*center][..],
            Self::Box(a, b) => &[*a, *b],
            Self::Polygon(points) => points,
        };
        let Some(&first) = points.first() else { return Default::default() };
        points.iter().fold((first, first), |(low, high), p| {
            let low = Point::new(low.x.min(p.x), low.y.min(p.y));
            (low, Point::new(high.x.max(p.x), high.y.max(p.y)))
        })
    }

    /// Applies a function to each point.
    pub(super) fn map(&self, change: impl Fn(Point) -> Point) -> Self {
        match self {
            Self::Center(center) => Self::Center(change(*center)),
            Self::Box(a, b) => Self::Box(change(*a), change(*b)),
            Self::Polygon(points) => Self::Polygon(points.iter().map(|&p| change(p)).collect()),
        }
    }
}

fn is_a_box(corners: &[Point; 4]) -> bool {
    (0..4).all(|i| {
        let edge = corners[(i + 1) % 4] - corners[i];
        edge.x.abs().min(edge.y.abs()) <= STRAIGHT_PX
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn polygon(points: &[(f64, f64)]) -> Outline {
        Outline::Polygon(points.iter().map(|&(x, y)| Point::new(x, y)).collect())
    }

    #[test]
    fn only_four_corners_of_a_card_are_corners() {
        let turned = [(10.0, 0.0), (90.0, 20.0), (80.0, 70.0), (0.0, 50.0)];
        let (center, corners) = polygon(&turned).center_and_corners();
        assert_eq!(center, Point::new(45.0, 35.0));
        assert_eq!(corners.unwrap().0[1], Point::new(90.0, 20.0));
        let closed = [&turned[..], &turned[..1]].concat();
        assert_eq!(polygon(&closed).center_and_corners(), (center, corners));
        // A box, a bow tie, a triangle, one corner too many.
        let a_box = [(10.0, 10.0), (90.0, 10.2), (90.3, 60.0), (10.0, 60.0)];
        let (middle, none) = polygon(&a_box).center_and_corners();
        assert!(none.is_none() && middle.distance(Point::new(50.0, 35.0)) < 0.3, "{middle:?}");
        let bow = [turned[0], turned[2], turned[1], turned[3]];
        assert_eq!(polygon(&bow).center_and_corners().1, None);
        let (middle, none) = polygon(&[(0.0, 0.0), (30.0, 0.0), (0.0, 30.0)]).center_and_corners();
        assert!(none.is_none() && middle.distance(Point::new(10.0, 10.0)) < 1e-9, "{middle:?}");
        let five = [(0.0, 0.0), (50.0, 0.0), (100.0, 0.0), (100.0, 50.0), (0.0, 50.0)];
        let (middle, none) = polygon(&five).center_and_corners();
        assert!(none.is_none() && middle.distance(Point::new(50.0, 25.0)) < 1e-9, "{middle:?}");
    }
    #[test]
    fn turned_boxes_and_keypoints_are_corners() {
        // 3-4-5: about its left top corner, and about its middle.
        let angle = 0.6_f64.asin();
        let corner = Point::new(100.0, 50.0);
        let about_corner = Outline::of_turned_box(corner, (50.0, 25.0), corner, angle);
        assert_close(
            Some(about_corner),
            [(100.0, 50.0), (140.0, 80.0), (125.0, 100.0), (85.0, 70.0)],
        );
        let middle = Point::new(125.0, 62.5);
        let about_middle = Outline::of_turned_box(corner, (50.0, 25.0), middle, angle);
        assert_close(
            Some(about_middle),
            [(112.5, 37.5), (152.5, 67.5), (137.5, 87.5), (97.5, 57.5)],
        );
        // In the order of lines of writing, not around.
        let points = [(10.0, 10.0), (60.0, 20.0), (5.0, 40.0), (55.0, 50.0)];
        let points = points.map(|(x, y)| Point::new(x, y));
        let corners = Outline::of_keypoints(&points, None);
        assert_close(corners, [(10.0, 10.0), (60.0, 20.0), (55.0, 50.0), (5.0, 40.0)]);
        let a_box = Outline::of_two_corners(Point::new(60.0, 50.0), Point::new(0.0, 10.0));
        let few = Outline::of_keypoints(&points[..3], Some(a_box)).unwrap();
        assert_eq!(few.center_and_corners(), (Point::new(30.0, 30.0), None));
        assert!(Outline::of_two_corners(points[0], points[0]).is_flat());
    }

    fn assert_close(outline: Option<Outline>, expected: [(f64, f64); 4]) {
        let quad = outline.unwrap().center_and_corners().1.expect("corners");
        for (p, (x, y)) in quad.0.iter().zip(expected) {
            assert!(p.distance(Point::new(x, y)) < 0.01, "{quad:?}");
        }
    }
}
