//! Create ML's JSON of detections, as Roboflow, RectLabel and MakeSense write it.

use super::document::{Content, Document, number_of, text_of};
use super::draft::{Drafts, Mark};
use super::find::{Format, Read};
use super::outline::Outline;
use super::pictures::Pictures;
use serde_json::Value;
use setsight_photo::geometry::Point;

/// This format.
pub(super) const FORMAT: Format =
    Format { name: "createml", looks_like: "Create ML's JSON", read: Read::File(read) };

/// Reads the labels in a file of this form.
pub(super) fn read(
    file: &Document,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Option<Result<(), String>> {
    let Content::Json(document) = &file.content else { return None };
    let images = document.as_array()?;
    images.iter().any(|image| parts_of(image).is_some()).then(|| {
        for (i, image) in images.iter().enumerate() {
            match parts_of(image) {
                Some((name, annotations)) => add(file, name, annotations, pictures, drafts),
                None => drafts.problem(
                    file.path,
                    &format!("image {} has no name (image) or no list of annotations", i + 1),
                ),
            }
        }
        Ok(())
    })
}

/// The name of an image and what it shows.
fn parts_of(image: &Value) -> Option<(&str, &Vec<Value>)> {
    let member = |names: [&str; 2]| names.iter().find_map(|name| image.get(name));
    let name = member(["image", "imagefilename"])?.as_str()?;
    Some((name, member(["annotations", "annotation"])?.as_array()?))
}

fn add(
    file: &Document,
    name: &str,
    annotations: &[Value],
    pictures: &Pictures,
    drafts: &mut Drafts,
) {
    let mut marks = Vec::new();
    for (i, annotation) in annotations.iter().enumerate() {
        let at = format!("annotation {} of {name}", i + 1);
        let place = &annotation["coordinates"];
        match ["x", "y", "width", "height"].map(|key| number_of(&place[key])) {
            // The middle of the box, and its size.
            [Some(x), Some(y), Some(width), Some(height)] => {
                let corner = Point::new(x - width / 2.0, y - height / 2.0);
                let outline = Outline::of_box(corner, (width, height));
                marks.push(Mark {
                    class: text_of(&annotation["label"]).unwrap_or_default(),
                    outline,
                    at,
                });
            }
            _ => {
                let why = "says no place; expected coordinates with x, y, width and height";
                drafts.problem(file.path, &format!("{at} {why}"));
            }
        }
    }
    drafts.add_photo(file.path, file.picture(pictures, name), None, marks);
}
