//! COCO's JSON of detections, as Label Studio, CVAT and Roboflow write it.

use super::document::{Content, Document};
use super::draft::{Drafts, Mark, Pictures};
use super::find::{Format, Read};
use super::outline::Outline;
use serde::Deserialize;
use serde_json::Value;
use setsight_photo::geometry::Point;
use std::collections::{BTreeMap, BTreeSet};

/// This format.
pub(super) const FORMAT: Format = Format {
    name: "coco",
    looks_like: "COCO's JSON with boxes, polygons or keypoints",
    read: Read::File(read),
};

#[derive(Deserialize)]
struct Labels {
    images: Vec<Image>,
    annotations: Vec<Annotation>,
    categories: Vec<Category>,
}

/// IDs are numbers in the standard, but text in some programs' files.
#[derive(Deserialize)]
struct Image {
    id: Value,
    file_name: String,
    #[serde(default)]
    width: Option<f64>,
    #[serde(default)]
    height: Option<f64>,
}

#[derive(Deserialize)]
struct Annotation {
    image_id: Value,
    category_id: Value,
    #[serde(default)]
    bbox: Option<Vec<f64>>,
    #[serde(default)]
    segmentation: Value,
    #[serde(default)]
    keypoints: Vec<f64>,
}

#[derive(Deserialize)]
struct Category {
    id: Value,
    name: String,
}

/// Reads the labels in a file of this form.
pub(super) fn read(
    file: &Document,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Option<Result<(), String>> {
    let Content::Json(document) = &file.content else { return None };
    let is_coco =
        ["images", "annotations", "categories"].iter().all(|key| document[key].is_array());
    is_coco.then(|| read_labels(file, document, pictures, drafts))
}

fn read_labels(
    file: &Document,
    document: &Value,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Result<(), String> {
    let document = Labels::deserialize(document)
        .map_err(|e| format!("is no COCO JSON: {e}; expected images, annotations, categories"))?;
    let classes: BTreeMap<String, &str> =
        document.categories.iter().map(|c| (c.id.to_string(), c.name.as_str())).collect();
    let mut marks: BTreeMap<String, Vec<Mark>> = BTreeMap::new();
    let known: BTreeSet<String> =
        document.images.iter().map(|image| image.id.to_string()).collect();
    for (i, annotation) in document.annotations.iter().enumerate() {
        let number = i + 1;
        let image = annotation.image_id.to_string();
        if !known.contains(&image) {
            return Err(format!("annotation {number} is of image {image}, which is not listed"));
        }
        let class = annotation.category_id.to_string();
        let class = classes.get(&class).ok_or_else(|| {
            format!("annotation {number} is of category {class}, which is not listed")
        })?;
        let outline = outline_of(annotation).ok_or_else(|| {
            format!(
                "annotation {number} says no place; expected \"bbox\": [left, top, width, height] \
                 or \"segmentation\": [[x, y, x, y, ..]]"
            )
        })?;
        marks.entry(image).or_default().push(Mark { class: (*class).to_owned(), outline });
    }
    for image in &document.images {
        let marks = marks.remove(&image.id.to_string()).unwrap_or_default();
        let told_px = image.width.zip(image.height);
        drafts.add_photo(file.path, file.picture(pictures, &image.file_name), told_px, marks);
    }
    Ok(())
}

/// The polygon if there is one, four keypoints, otherwise the box. Masks as run lengths are reduced
/// to their box.
fn outline_of(annotation: &Annotation) -> Option<Outline> {
    let polygons = annotation.segmentation.as_array().map_or(&[][..], Vec::as_slice);
    let polygons = polygons.iter().filter_map(polygon_of);
    // An object that is partly occluded has several polygons; the largest holds most of it.
    if let Some(polygon) = polygons.max_by(|a, b| a.area().total_cmp(&b.area())) {
        return Some(polygon);
    }
    let a_box = match annotation.bbox.as_deref() {
        Some(&[left, top, width, height]) => {
            Outline::of_box(Point::new(left, top), (width, height))
        }
        _ => None,
    };
    let points = annotation.keypoints.as_chunks::<3>().0.iter();
    // Visibility 0: not labelled.
    let points: Vec<Point> =
        points.filter(|point| point[2] > 0.0).map(|&[x, y, _]| Point::new(x, y)).collect();
    Outline::of_keypoints(&points, a_box)
}

fn polygon_of(polygon: &Value) -> Option<Outline> {
    let numbers: Vec<f64> = polygon.as_array()?.iter().map(Value::as_f64).collect::<Option<_>>()?;
    Outline::of_numbers(&numbers)
}
