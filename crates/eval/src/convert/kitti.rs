//! KITTI's text files: a class, three numbers, a box in pixels, and numbers of a place in space.

use super::find::{Format, Read};
use super::numbers::number;
use super::outline::Outline;
use super::texts::{Lines, Object};
use setsight_photo::geometry::Point;

/// This format.
pub(super) const FORMAT: Format = Format {
    name: "kitti",
    looks_like: "KITTI's text files: a class, then 14 numbers in each line",
    read: Read::Lines(Lines { is_own: |line| object_of(line).is_some(), mark: read }),
};

/// What parts of a picture are called that nobody looked at.
const NOT_LOOKED_AT: &str = "DontCare";

fn read(line: &str) -> Result<Option<Object>, String> {
    let (class, [left, top, right, bottom]) = object_of(line).ok_or(
        "is no object; expected a class and 14 numbers, the fourth to seventh a box in pixels",
    )?;
    let outline = Outline::of_two_corners(Point::new(left, top), Point::new(right, bottom));
    Ok((class != NOT_LOOKED_AT).then(|| (class.to_owned(), outline)))
}

/// A class and its box.
fn object_of(line: &str) -> Option<(&str, [f64; 4])> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (class, rest) = words.split_first()?;
    let numbers: Vec<f64> = rest.iter().map(|word| number(word)).collect::<Option<_>>()?;
    // A detector's own objects end with a confidence.
    let is_object = number(class).is_none() && (14..=15).contains(&numbers.len());
    is_object.then(|| Some((*class, numbers[3..7].try_into().ok()?)))?
}
