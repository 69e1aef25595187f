//! COCO's JSON of detections, as Label Studio, CVAT and Roboflow write it.

use super::draft::{DraftPhoto, Drafts, Mark, Outline, Pictures, Unit};
use serde::Deserialize;
use serde_json::Value;
use setsight_files::small_file::{MAX_DATA_BYTES, read_text};
use setsight_photo::geometry::Point;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Document {
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
}

#[derive(Deserialize)]
struct Category {
    id: Value,
    name: String,
}

/// Whether a file holds such labels.
pub fn is_coco(path: &Path) -> bool {
    let text = read_text(path, MAX_DATA_BYTES).unwrap_or_default();
    let document: Value = serde_json::from_str(&text).unwrap_or_default();
    ["images", "annotations", "categories"].iter().all(|key| document[key].is_array())
}

/// Reads the labels in the files.
pub fn read(documents: &[PathBuf], pictures: &Pictures) -> Drafts {
    let mut drafts = Drafts::default();
    for path in documents {
        if let Err(reason) = read_one(path, pictures, &mut drafts) {
            drafts.problems.push(format!("{}: {reason}", path.display()));
        }
    }
    drafts
}

fn read_one(path: &Path, pictures: &Pictures, drafts: &mut Drafts) -> Result<(), String> {
    let text = read_text(path, MAX_DATA_BYTES).map_err(|e| format!("cannot be read: {e}"))?;
    let document: Document = serde_json::from_str(&text)
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
    let folder = path.parent().unwrap_or(Path::new("."));
    for image in &document.images {
        let found = match pictures.find(folder, &image.file_name) {
            Ok(found) => found,
            Err(reason) => {
                drafts.problems.push(format!("{}: {reason}", path.display()));
                continue;
            }
        };
        let told_px = image.width.zip(image.height).map(|(w, h)| (w as u32, h as u32));
        drafts.photos.push(DraftPhoto {
            path: found,
            told_in: path.to_path_buf(),
            told_px: told_px.filter(|&(w, h)| w > 0 && h > 0),
            unit: Unit::Pixels,
            marks: marks.remove(&image.id.to_string()).unwrap_or_default(),
        });
    }
    Ok(())
}

/// The polygon if there is one, otherwise the box's centre. Masks as run lengths are reduced to
/// their box.
fn outline_of(annotation: &Annotation) -> Option<Outline> {
    let polygons = annotation.segmentation.as_array().map_or(&[][..], Vec::as_slice);
    // An object that is partly occluded has several polygons; the largest holds most of it.
    let polygons = polygons.iter().filter_map(points_of);
    if let Some(polygon) = polygons.max_by(|a, b| extent(a).total_cmp(&extent(b))) {
        return Some(Outline::Polygon(polygon));
    }
    match annotation.bbox.as_deref() {
        Some(&[left, top, width, height]) if width > 0.0 && height > 0.0 => {
            Some(Outline::Center(Point::new(left + width / 2.0, top + height / 2.0)))
        }
        _ => None,
    }
}

fn points_of(polygon: &Value) -> Option<Vec<Point>> {
    let numbers: Vec<f64> = polygon.as_array()?.iter().map(Value::as_f64).collect::<Option<_>>()?;
    let points = numbers.as_chunks::<2>().0.iter().map(|&[x, y]| Point::new(x, y));
    (numbers.len() >= 6 && numbers.len().is_multiple_of(2)).then(|| points.collect())
}

/// Area of a polygon, in square pixels.
fn extent(points: &[Point]) -> f64 {
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).map(|(a, b)| a.cross(*b)).sum::<f64>().abs() / 2.0
}
