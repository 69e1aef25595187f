//! Create ML's JSON of detections, as Roboflow, RectLabel and MakeSense write it.

use super::document::{Content, Document};
use super::draft::{Drafts, Mark, Pictures};
use super::find::{Format, Read};
use super::outline::Outline;
use serde::Deserialize;
use serde_json::Value;
use setsight_photo::geometry::Point;

/// This format.
pub(super) const FORMAT: Format =
    Format { name: "createml", looks_like: "Create ML's JSON", read: Read::File(read) };

#[derive(Deserialize)]
struct Image {
    #[serde(alias = "imagefilename")]
    image: String,
    #[serde(alias = "annotation")]
    annotations: Vec<Annotation>,
}

#[derive(Deserialize)]
struct Annotation {
    label: String,
    coordinates: Coordinates,
}

/// The middle of a box, and its size.
#[derive(Deserialize)]
struct Coordinates {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

/// Reads the labels in a file of this form.
pub(super) fn read(
    file: &Document,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Option<Result<(), String>> {
    let Content::Json(document) = &file.content else { return None };
    let first = document.as_array()?.first()?;
    let has = |names: [&str; 2], is: fn(&Value) -> bool| {
        names.iter().any(|name| first.get(name).is_some_and(is))
    };
    let is_createml = has(["image", "imagefilename"], Value::is_string)
        && has(["annotations", "annotation"], Value::is_array);
    is_createml.then(|| read_labels(file, document, pictures, drafts))
}

fn read_labels(
    file: &Document,
    document: &Value,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Result<(), String> {
    let images = Vec::<Image>::deserialize(document)
        .map_err(|e| format!("is no Create ML JSON: {e}; expected image, annotations"))?;
    for image in images {
        let mut marks = Vec::new();
        for Annotation { label, coordinates: Coordinates { x, y, width, height } } in
            image.annotations
        {
            let corner = Point::new(x - width / 2.0, y - height / 2.0);
            let outline = Outline::of_box(corner, (width, height))
                .ok_or_else(|| format!("{}: the box of {label} has no area", image.image))?;
            marks.push(Mark { class: label, outline });
        }
        drafts.add_photo(file.path, file.picture(pictures, &image.image), None, marks);
    }
    Ok(())
}
