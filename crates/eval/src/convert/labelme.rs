//! LabelMe's JSON, one file for each photo; X-AnyLabeling and others write it too.

use super::document::{Content, Document};
use super::draft::{Drafts, Mark, Pictures};
use super::find::{Format, Read};
use super::outline::Outline;
use serde::Deserialize;
use serde_json::Value;
use setsight_photo::geometry::Point;

/// This format.
pub(super) const FORMAT: Format =
    Format { name: "labelme", looks_like: "LabelMe's JSON", read: Read::File(read) };

/// The picture's own pixels may follow as `imageData`; they are not looked at.
#[derive(Deserialize)]
struct Labels {
    shapes: Vec<Shape>,
    #[serde(rename = "imagePath")]
    image_path: String,
    #[serde(rename = "imageWidth", default)]
    image_width: Option<f64>,
    #[serde(rename = "imageHeight", default)]
    image_height: Option<f64>,
}

#[derive(Deserialize)]
struct Shape {
    label: String,
    points: Vec<[f64; 2]>,
    #[serde(default)]
    shape_type: Option<String>,
}

/// Reads the labels in a file of this form.
pub(super) fn read(
    file: &Document,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Option<Result<(), String>> {
    let Content::Json(document) = &file.content else { return None };
    let is_labelme = document["shapes"].is_array() && document.get("imagePath").is_some();
    is_labelme.then(|| read_labels(file, document, pictures, drafts))
}

fn read_labels(
    file: &Document,
    document: &Value,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Result<(), String> {
    let labels = Labels::deserialize(document).map_err(|e| format!("is no LabelMe JSON: {e}"))?;
    let mut marks = Vec::new();
    for (i, shape) in labels.shapes.into_iter().enumerate() {
        let outline = outline_of(&shape).ok_or_else(|| {
            format!("shape {} ({}) has too few points or no area", i + 1, shape.label)
        })?;
        marks.push(Mark { class: shape.label, outline });
    }
    let told_px = labels.image_width.zip(labels.image_height);
    let picture = file.picture(pictures, &labels.image_path);
    drafts.add_photo(file.path, picture, told_px, marks);
    Ok(())
}

fn outline_of(shape: &Shape) -> Option<Outline> {
    let points: Vec<Point> = shape.points.iter().map(|&[x, y]| Point::new(x, y)).collect();
    match (shape.shape_type.as_deref(), points.as_slice()) {
        // A point, or a circle by its middle and a point of its border.
        (Some("point"), &[center]) | (Some("circle"), &[center, _]) => {
            Some(Outline::Center(center))
        }
        (_, &[a, b]) => Outline::of_two_corners(a, b),
        (_, points) if points.len() >= 3 => Some(Outline::Polygon(points.to_vec())),
        _ => None,
    }
}
