//! Label Studio's own exports: JSON, JSON-MIN and CSV.
//!
//! Places are percentages of the picture, and boxes are turned about their left top corner. A
//! region's class is all that was said of it: its label, and choices for each region.

use super::document::{Content, Document};
use super::draft::{Drafts, Mark, Pictures, is_picture};
use super::find::{Format, Read};
use super::outline::Outline;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use setsight_photo::geometry::Point;
use setsight_photo::labels::Table;
use std::path::Path;

/// This format.
pub(super) const FORMAT: Format = Format {
    name: "label-studio",
    looks_like: "Label Studio's JSON, JSON-MIN or CSV",
    read: Read::File(read),
};

/// One picture of a project.
struct Task {
    /// Names that it may have: that of the upload, the address in the project.
    names: Vec<String>,
    regions: Vec<Region>,
}

/// What was said of a part of a picture, or of all of it.
struct Region {
    id: String,
    words: Vec<String>,
    outline: Option<Outline>,
    original_px: Option<(f64, f64)>,
}

/// Reads the labels in a file of this form.
pub(super) fn read(
    file: &Document,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Option<Result<(), String>> {
    let tasks = match &file.content {
        Content::Json(document) => {
            let document = document.as_array()?;
            let first = document.first()?.as_object()?;
            if first.contains_key("data") && first.contains_key("annotations") {
                document.iter().enumerate().map(task_of_json).collect()
            } else if first.contains_key("annotation_id") || first.contains_key("annotator") {
                Ok(document.iter().filter_map(Value::as_object).map(task_of_members).collect())
            } else {
                return None;
            }
        }
        Content::Table(table) => {
            let is_ours = |name: &String| ["annotation_id", "annotator"].contains(&name.as_str());
            table.columns.iter().any(is_ours).then(|| Ok(tasks_of_table(table)))?
        }
        Content::Xml(_) => return None,
    };
    let added =
        |tasks: Vec<Task>| tasks.into_iter().try_for_each(|task| add(file, task, pictures, drafts));
    Some(tasks.and_then(added))
}

fn add(
    file: &Document,
    task: Task,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Result<(), String> {
    let first = task.names.first().map_or("", String::as_str);
    let there = task.names.iter().find_map(|name| file.picture(pictures, name).ok());
    let picture = there.map_or_else(|| file.picture(pictures, first), Ok);
    let whole = task.regions.iter().all(|region| region.outline.is_none());
    if let ([region], true) = (task.regions.as_slice(), whole) {
        // A picture that is one card.
        match picture {
            Ok(picture) => drafts.crops.push((picture, region.words.join(" "))),
            Err(reason) => drafts.problems.push(format!("{}: {reason}", file.path.display())),
        }
        return Ok(());
    }
    let told_px = task.regions.iter().find_map(|region| region.original_px);
    let mut marks = Vec::new();
    for region in task.regions {
        let class = region.words.join(" ");
        let outline = region.outline.ok_or_else(|| {
            format!(
                "{first}: \"{class}\" says no place; masks of a brush cannot be read: label boxes"
            )
        })?;
        marks.push(Mark { class, outline });
    }
    drafts.add_photo(file.path, picture, told_px, marks);
    Ok(())
}

fn task_of_json((i, task): (usize, &Value)) -> Result<Task, String> {
    let annotations = task["annotations"].as_array().map_or(&[][..], Vec::as_slice);
    let kept: Vec<&Value> =
        annotations.iter().filter(|annotation| annotation["was_cancelled"] != true).collect();
    if kept.len() > 1 {
        let n = kept.len();
        return Err(format!("task {} has {n} annotations; keep one of them", i + 1));
    }
    let mut names: Vec<String> = task["file_upload"].as_str().map(local_names).unwrap_or_default();
    names.extend(task["data"].as_object().map(names_in).unwrap_or_default());
    let mut regions: Vec<Region> = Vec::new();
    let results = kept.first().and_then(|annotation| annotation["result"].as_array());
    for result in results.into_iter().flatten() {
        let Some(value) = result["value"].as_object() else { continue };
        let id = result["id"].as_str().unwrap_or_default();
        add_region(&mut regions, region_of(id, value, result));
    }
    Ok(Task { names, regions })
}

/// A task as JSON-MIN has it: the lists of regions are members beside the picture's address.
fn task_of_members(task: &Map<String, Value>) -> Task {
    let mut regions: Vec<Region> = Vec::new();
    for (name, member) in task {
        for value in member.as_array().into_iter().flatten().filter_map(Value::as_object) {
            let id = value.get("id").and_then(Value::as_str).unwrap_or_default();
            add_region(&mut regions, region_of(id, value, &Value::Object(value.clone())));
        }
        if let ("choice", Some(choice)) = (name.as_str(), member.as_str()) {
            let words = vec![choice.to_owned()];
            let id = String::new();
            regions.push(Region { id, words, outline: None, original_px: None });
        }
    }
    Task { names: names_in(task), regions }
}

/// A table's cells are what JSON-MIN has as members; lists are JSON in a cell.
fn tasks_of_table(table: &Table) -> Vec<Task> {
    let task = |(_, row): &(u64, Vec<String>)| {
        let cell = |cell: &String| match cell.starts_with('[') {
            true => serde_json::from_str(cell).unwrap_or_else(|_| Value::String(cell.clone())),
            false => Value::String(cell.clone()),
        };
        let cells = table.columns.iter().cloned().zip(row.iter().map(cell));
        task_of_members(&cells.collect())
    };
    table.rows.iter().map(task).collect()
}

fn region_of(id: &str, value: &Map<String, Value>, result: &Value) -> Region {
    let lists = value.iter().filter(|(name, _)| name.ends_with("labels") || *name == "choices");
    let words = lists.filter_map(|(_, list)| list.as_array()).flatten();
    let words = words.filter_map(Value::as_str).map(str::to_owned).collect();
    let number = |name: &str| value.get(name).and_then(Value::as_f64);
    let original = ["original_width", "original_height"].map(|name| result[name].as_f64());
    let original_px = original[0].zip(original[1]);
    let outline = original_px.and_then(|(width, height)| {
        let (across, down) = (width / 100.0, height / 100.0);
        let points = value.get("points").and_then(Value::as_array);
        if let Some(points) = points {
            let numbers: Option<Vec<f64>> = points
                .iter()
                .flat_map(|point| [(0, across), (1, down)].map(|(i, by)| (&point[i], by)))
                .map(|(number, by)| Some(number.as_f64()? * by))
                .collect();
            return Outline::of_numbers(&numbers?);
        }
        let corner = Point::new(number("x")? * across, number("y")? * down);
        match (number("width"), number("height")) {
            (Some(w), Some(h)) => {
                let angle = number("rotation").unwrap_or(0.0).to_radians();
                Outline::of_turned_box(corner, (w * across, h * down), corner, angle)
            }
            // A keypoint, or an ellipse, by its middle.
            _ => Some(Outline::Center(corner)),
        }
    });
    Region { id: id.to_owned(), words, outline, original_px }
}

/// Joins what is said of one region, which has one ID.
fn add_region(regions: &mut Vec<Region>, region: Region) {
    let same = |other: &&mut Region| !region.id.is_empty() && other.id == region.id;
    match regions.iter_mut().find(same) {
        Some(before) => {
            before.words.extend(region.words);
            before.outline = before.outline.take().or(region.outline);
        }
        None => regions.push(region),
    }
}

/// The names of pictures among the members of a task.
fn names_in(members: &Map<String, Value>) -> Vec<String> {
    let texts = members.values().filter_map(Value::as_str);
    texts.flat_map(local_names).filter(|name| is_picture(Path::new(name))).collect()
}

/// The file that an address in a project is of, with and without the eight digits that an upload
/// gets in front of its name: `/data/local-files/?d=a%20b.jpg`, `/data/upload/1/0a1b2c3d-a.jpg`.
fn local_names(address: &str) -> Vec<String> {
    let path = address.split_once("?d=").map_or(address, |(_, path)| path);
    let path = percent_decode_str(path).decode_utf8_lossy().into_owned();
    let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let uploaded = last
        .split_once('-')
        .filter(|(mark, _)| mark.len() == 8 && mark.chars().all(|c| c.is_ascii_hexdigit()));
    let own = uploaded.map(|(_, own)| own.to_owned());
    std::iter::once(path.clone()).chain(own).collect()
}
