//! Labels as JSON: COCO's of detections, as Label Studio, CVAT and Roboflow write it, and LabelMe's, one file
//! for each photo, which X-AnyLabeling and others write too.

use super::document::{Content, Document, Format, Pictures, Read, numbers_of, text_of};
use super::draft::{Drafts, Mark, Outline};
use serde_json::Value;
use setsight_photo::geometry::Point;
use std::collections::BTreeMap;

pub(super) const COCO: Format = Format {
    name: "coco",
    looks_like: "COCO's JSON with boxes, polygons or keypoints",
    read: Read::File(read_coco),
};

/// Reads the labels in a file of this form.
fn read_coco(
    file: &Document,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Option<Result<(), String>> {
    let Content::Json(document) = &file.content else { return None };
    let lists = ["images", "annotations", "categories"].map(|key| document[key].as_array());
    match lists {
        [Some(images), Some(annotations), Some(categories)] => {
            let read = read_labels(file, [images, annotations, categories], pictures, drafts);
            // It measures the file as stored beside boxes of the upright photo.
            let shown_upright = document["info"]["contributor"] == "Label Studio";
            drafts.photos.iter_mut().for_each(|photo| photo.shown_upright = shown_upright);
            Some(read)
        }
        [Some(_), Some(_), None] => Some(Err("looks like COCO, but has no categories".to_owned())),
        [Some(_), None, Some(_)] => Some(Err("looks like COCO, but has no annotations".to_owned())),
        [None, Some(_), Some(_)] => Some(Err("looks like COCO, but has no images".to_owned())),
        _ => None,
    }
}

fn read_labels(
    file: &Document,
    [images, annotations, categories]: [&Vec<Value>; 3],
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Result<(), String> {
    let classes = by_id(categories, "name", "categories")?;
    let names = by_id(images, "file_name", "images")?;
    let mut marks: BTreeMap<String, Vec<Mark>> =
        names.into_keys().map(|id| (id, Vec::new())).collect();
    for (i, annotation) in annotations.iter().enumerate() {
        let at = format!("annotation {}", i + 1);
        let Some(image) = id_of(&annotation["image_id"]) else {
            drafts.problem(file.path, &format!("{at} has no image_id"));
            continue;
        };
        let Some(marks) = marks.get_mut(&image) else {
            drafts.problem(
                file.path,
                &format!("{at} is of image {image}, which is not listed so; write its ID alike or take it out"),
            );
            continue;
        };
        match mark_of(annotation, &classes, &at) {
            Ok(mark) => marks.push(mark),
            Err(why) => drafts.problem(file.path, &format!("{at} {why}")),
        }
    }
    for (i, image) in images.iter().enumerate() {
        let (Some(id), Some(name)) = (id_of(&image["id"]), image["file_name"].as_str()) else {
            drafts.problem(file.path, &format!("image {} has no id or no file_name", i + 1));
            continue;
        };
        let marks = marks.get_mut(&id).map(std::mem::take).unwrap_or_default();
        if marks.is_empty() {
            // The file lists the photos that nobody has come to yet, too.
            let at = format!("image {} ({name})", i + 1);
            drafts.skip(file.path, &at, file.picture(pictures, name));
            continue;
        }
        let stated_px = image["width"].as_f64().zip(image["height"].as_f64());
        drafts.add_photo(file.path, file.picture(pictures, name), stated_px, marks);
    }
    Ok(())
}

/// What entries are called, by their IDs.
fn by_id(entries: &[Value], name: &str, what: &str) -> Result<BTreeMap<String, String>, String> {
    let mut names = BTreeMap::new();
    let named = entries.iter().filter_map(|one| Some((id_of(&one["id"])?, text_of(&one[name])?)));
    for (id, name) in named {
        if let Some(before) = names.insert(id.clone(), name.clone()) {
            return Err(format!(
                "{before} and {name} are both {what} of the ID {id}; give each an ID of its own"
            ));
        }
    }
    Ok(names)
}

/// An ID as it stands in the file: a number, or a text in some programs' files.
fn id_of(id: &Value) -> Option<String> {
    (id.is_number() || id.is_string()).then(|| id.to_string())
}

fn mark_of(
    annotation: &Value,
    classes: &BTreeMap<String, String>,
    at: &str,
) -> Result<Mark, String> {
    let id = id_of(&annotation["category_id"]).ok_or("has no category_id")?;
    let class = classes.get(&id).ok_or_else(|| {
        format!("is of category {id}, which is not listed so; write its ID alike")
    })?;
    let outline = outline_of(annotation).ok_or(
        "says no place; expected \"bbox\": [left, top, width, height] or \"segmentation\": [[x, \
         y, x, y, ..]]",
    )?;
    Ok(Mark { class: class.clone(), outline, at: at.to_owned() })
}

/// The polygon if there is one, four keypoints, otherwise the box. Masks as run lengths are reduced
/// to their box.
fn outline_of(annotation: &Value) -> Option<Outline> {
    let polygons = annotation["segmentation"].as_array().map_or(&[][..], Vec::as_slice);
    let polygons = polygons.iter().filter_map(|polygon| Outline::of_numbers(&numbers_of(polygon)?));
    // An object that is partly occluded has several polygons; the largest holds most of it.
    if let Some(polygon) = polygons.max_by(|a, b| a.area().total_cmp(&b.area())) {
        return Some(polygon);
    }
    let a_box = match numbers_of(&annotation["bbox"]).as_deref() {
        Some(&[left, top, width, height]) => {
            Some(Outline::of_box(Point::new(left, top), (width, height)))
        }
        _ => None,
    };
    let keypoints = numbers_of(&annotation["keypoints"]).unwrap_or_default();
    let points = keypoints.as_chunks::<3>().0.iter();
    // Visibility 0: not labelled.
    let points: Vec<Point> =
        points.filter(|point| point[2] > 0.0).map(|&[x, y, _]| Point::new(x, y)).collect();
    Outline::of_keypoints(&points, a_box)
}

/// LabelMe's format.
pub(super) const LABELME: Format =
    Format { name: "labelme", looks_like: "LabelMe's JSON", read: Read::File(read_labelme) };

/// Reads the labels in a file of this form. The picture's own pixels may follow as `imageData`; they
/// are not looked at.
fn read_labelme(
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
            let kind = shape["shape_type"].as_str().unwrap_or("polygon");
            match outline_of_shape(shape) {
                _ if !SHAPES.contains(&kind) => drafts.problem(
                    file.path,
                    &format!(
                        "{at} ({class}) is a {kind}, whose place cannot be read; draw a polygon"
                    ),
                ),
                Some(outline) => marks.push(Mark { class, outline, at }),
                None => drafts.problem(file.path, &format!("{at} ({class}) has too few points")),
            }
        }
        let stated_px = document["imageWidth"].as_f64().zip(document["imageHeight"].as_f64());
        let name = document["imagePath"].as_str().unwrap_or_default();
        drafts.add_photo(file.path, file.picture(pictures, name), stated_px, marks);
        Ok(())
    })
}

/// Kinds of shapes whose points are corners, a middle, or two ends of a diagonal.
const SHAPES: [&str; 9] = [
    "polygon",
    "rectangle",
    "oriented_rectangle",
    "rotation",
    "quadrilateral",
    "mask",
    "point",
    "circle",
    "line",
];

fn outline_of_shape(shape: &Value) -> Option<Outline> {
    let points: Vec<Point> = shape["points"]
        .as_array()?
        .iter()
        .map(|point| match numbers_of(point)?.as_slice() {
            &[x, y] => Some(Point::new(x, y)),
            _ => None,
        })
        .collect::<Option<_>>()?;
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
