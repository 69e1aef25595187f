//! DOTA's text files: four corners in pixels, a class, and how difficult the object is. Roboflow
//! calls them oriented boxes.

use super::find::{Format, Read};
use super::numbers::number;
use super::outline::Outline;
use super::texts::{Lines, Object};

/// This format.
pub(super) const FORMAT: Format = Format {
    name: "dota",
    looks_like: "DOTA's text files (Roboflow's oriented boxes): four corners in pixels, then a class",
    read: Read::Lines(Lines { is_own: |line| object_of(line).is_some(), mark: read }),
};

fn read(line: &str) -> Result<Option<Object>, String> {
    if ["imagesource:", "gsd:"].iter().any(|head| line.starts_with(head)) {
        return Ok(None);
    }
    let object = object_of(line);
    object.map(Some).ok_or_else(|| {
        "is no object; expected x and y of four corners, a class, and 0 or 1".to_owned()
    })
}

fn object_of(line: &str) -> Option<Object> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (numbers, class) = words.split_at_checked(8)?;
    let numbers: Vec<f64> = numbers.iter().map(|word| number(word)).collect::<Option<_>>()?;
    let class = match class {
        [class @ .., difficult] if !class.is_empty() && number(difficult).is_some() => class,
        class => class,
    };
    // Lines of numbers alone are YOLO's.
    let is_object = class.first().is_some_and(|word| number(word).is_none());
    is_object.then(|| Some((class.join(" "), Outline::of_numbers(&numbers)?)))?
}
