//! LabelMe's JSON, one file for each photo; X-AnyLabeling and others write it too.

use super::{
    document::{Content, Document, Format, Pictures, Read, numbers_of, text_of},
    draft::{Drafts, Mark},
    outline::Outline,
};
use serde_json::Value;
use setsight_photo::geometry::Point;

/// This format.
pub(super) const FORMAT: Format =
    Format { name: "labelme", looks_like: "LabelMe's JSON", read: Read::File(read) };

/// Reads the labels in a file of this form. The picture's own pixels may follow as `imageData`; they
/// are not looked at.
pub(super) fn read(
    file: &Document,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Option<Result<(), String>> {
    let Content::Json(document) = &file.content else { return None };
    let shapes = document["shapes"].as_array()?;
    let is_labelme = document.get("imagePath").is_some()
        || shapes.iter().any(|shape| shape["points"].is_array());
    is_labelme.then(|| {
        let mut marks = Vec::new();
        for (i, shape) in shapes.iter().enumerate() {
            let class = text_of(&shape["label"]).unwrap_or_default();
            let at = format!("shape {}", i + 1);
            match outline_of(shape) {
                Some(outline) => marks.push(Mark { class, outline, at }),
                None => drafts.problem(file.path, &format!("{at} ({class}) has too few points")),
            }
        }
        let told_px = document["imageWidth"].as_f64().zip(document["imageHeight"].as_f64());
        let name = document["imagePath"].as_str().unwrap_or_default();
        drafts.add_photo(file.path, file.picture(pictures, name), told_px, marks);
        Ok(())
    })
}

fn outline_of(shape: &Value) -> Option<Outline> {
    let point = |point: &Value| match numbers_of(point)?.as_slice() {
        &[x, y] => Some(Point::new(x, y)),
        _ => None,
    };
    let points: Vec<Point> =
        shape["points"].as_array()?.iter().map(point).collect::<Option<_>>()?;
    match (shape["shape_type"].as_str(), points.as_slice()) {
        // A point, or a circle by its middle and a point of its border.
        (Some("point"), &[center]) | (Some("circle"), &[center, _]) => {
            Some(Outline::Center(center))
        }
        (_, &[a, b]) => Some(Outline::of_two_corners(a, b)),
        (_, points) if points.len() >= 3 => Some(Outline::Polygon(points.to_vec())),
        _ => None,
    }
}
