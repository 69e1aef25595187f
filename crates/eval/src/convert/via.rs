//! The JSON of the VGG Image Annotator (VIA), versions 1 and 2.

use super::document::{Content, Document, number_of, numbers_of, text_of};
use super::draft::{Drafts, Mark};
use super::find::{Format, Read};
use super::outline::Outline;
use super::pictures::Pictures;
use serde_json::Value;
use setsight_photo::geometry::Point;

/// This format.
pub(super) const FORMAT: Format = Format {
    name: "via",
    looks_like: "The JSON of the VGG Image Annotator, or its project",
    read: Read::File(read),
};

/// Reads the labels in a file of this form.
pub(super) fn read(
    file: &Document,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Option<Result<(), String>> {
    let Content::Json(document) = &file.content else { return None };
    // A project has them among its settings.
    let images = document.get("_via_img_metadata").unwrap_or(document).as_object()?;
    let is_image = |image: &Value| image["filename"].is_string() && image.get("regions").is_some();
    (!images.is_empty() && images.values().all(is_image)).then(|| {
        for image in images.values() {
            add(file, image, pictures, drafts);
        }
        Ok(())
    })
}

fn add(file: &Document, image: &Value, pictures: &Pictures, drafts: &mut Drafts) {
    let name = image["filename"].as_str().unwrap_or_default();
    // A list, or members "0", "1" and so on in version 1.
    let regions: Vec<&Value> = match &image["regions"] {
        Value::Array(regions) => regions.iter().collect(),
        Value::Object(regions) => regions.values().collect(),
        _ => Vec::new(),
    };
    let mut marks = Vec::new();
    for (i, region) in regions.into_iter().enumerate() {
        let at = format!("region {} of {name}", i + 1);
        match outline_of(&region["shape_attributes"]) {
            Some(outline) => {
                marks.push(Mark { class: class_of(&region["region_attributes"]), outline, at });
            }
            None => drafts.problem(
                file.path,
                &format!("{at} says no place that is read; label rectangles or polygons"),
            ),
        }
    }
    drafts.add_photo(file.path, file.picture(pictures, name), None, marks);
}

/// All that is said of a region: texts, and options that are ticked.
fn class_of(attributes: &Value) -> String {
    let mut words = Vec::new();
    for value in attributes.as_object().into_iter().flat_map(|members| members.values()) {
        words.extend(text_of(value));
        let options = value.as_object().into_iter().flatten();
        words.extend(options.filter(|(_, is)| **is == true).map(|(option, _)| option.clone()));
    }
    words.join(" ")
}

fn outline_of(shape: &Value) -> Option<Outline> {
    let at = |key: &str| number_of(&shape[key]);
    match shape["name"].as_str()? {
        "rect" => {
            Some(Outline::of_box(Point::new(at("x")?, at("y")?), (at("width")?, at("height")?)))
        }
        "polygon" | "polyline" => {
            let [xs, ys] = ["all_points_x", "all_points_y"].map(|key| numbers_of(&shape[key]));
            let numbers: Vec<f64> = xs?.into_iter().zip(ys?).flat_map(|(x, y)| [x, y]).collect();
            Outline::of_numbers(&numbers)
        }
        "point" | "circle" | "ellipse" => Some(Outline::Center(Point::new(at("cx")?, at("cy")?))),
        _ => None,
    }
}
