//! Label Studio's own exports: JSON, JSON-MIN and CSV.
//!
//! Places are percentages of the picture, and boxes are turned about their left top corner. A
//! region's class is its label together with the choices for it.

use super::{
    document::{Content, Document, Format, Pictures, Read, text_of},
    draft::{DraftCrop, Drafts, Mark, Outline, is_picture},
};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use setsight_photo::{geometry::Point, labels::Table};
use std::{collections::BTreeMap, path::Path};

pub(super) const FORMAT: Format = Format {
    name: "label-studio",
    looks_like: "Label Studio's JSON, JSON-MIN or CSV",
    read: Read::File(read),
};

/// One picture of a project.
struct Task {
    /// Names that each picture may have, the address in the project among them.
    pictures: Vec<Vec<String>>,
    /// Its annotations; `None` if nobody labelled it.
    regions: Option<Vec<Region>>,
}

/// An annotation of a part of a picture, or of all of it.
struct Region {
    id: String,
    words: Vec<String>,
    place: Place,
    original_px: Option<(f64, f64)>,
}

/// What a region is of.
enum Place {
    Part(Outline),
    /// The whole picture.
    Whole,
    /// A region of a kind that is not read.
    Unread(String),
}

/// What a region is called that has a place which is read, but for `labels` at the end.
const PLACES: [&str; 5] = ["rectangle", "polygon", "vector", "keypoint", "ellipse"];
/// What may be said of a whole picture, or of a region beside its place.
const REMARKS: [&str; 9] = [
    "choices", "textarea", "text", "rating", "number", "datetime", "taxonomy", "pairwise", "ranker",
];

/// Reads the labels in a file of this form.
pub(super) fn read(
    file: &Document,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Option<Result<(), String>> {
    let tasks: Vec<Result<Task, String>> = match &file.content {
        Content::Json(document) => {
            let document = document.as_array()?;
            if document
                .iter()
                .any(|task| ["data", "annotations"].iter().all(|key| task.get(key).is_some()))
            {
                document.iter().map(task_of_json).collect()
            } else if document.iter().any(|task| OWN.iter().any(|key| task.get(key).is_some())) {
                let members = document.iter().filter_map(Value::as_object);
                members.map(|members| Ok(task_of_members(members))).collect()
            } else {
                return None;
            }
        }
        Content::Table(table) => table
            .columns
            .iter()
            .any(|name| OWN.contains(&name.as_str()))
            .then(|| tasks_of_table(table))?,
        Content::Xml(_) => return None,
    };
    let has_parts = tasks.iter().any(|task| {
        let regions = task.as_ref().ok().and_then(|task| task.regions.as_ref());
        regions.is_some_and(|all| all.iter().any(|region| !matches!(region.place, Place::Whole)))
    });
    for (i, task) in tasks.into_iter().enumerate() {
        let at = format!("task {}", i + 1);
        match task {
            Ok(task) => add(file, task, &at, has_parts, pictures, drafts),
            Err(why) => drafts.problem(file.path, &format!("{at} {why}")),
        }
    }
    Some(Ok(()))
}

/// Members of tasks, and columns, that only Label Studio has.
const OWN: [&str; 2] = ["annotation_id", "annotator"];

/// `has_parts`: the project labels parts of pictures, so that a label of a complete one is no card.
fn add(
    file: &Document,
    task: Task,
    at: &str,
    has_parts: bool,
    pictures: &Pictures,
    drafts: &mut Drafts,
) {
    let names = task.pictures.first().map_or(&[][..], Vec::as_slice);
    let first = names.first().map_or("", String::as_str);
    let existing = names.iter().find_map(|name| file.picture(pictures, name).ok());
    let picture = existing.map_or_else(|| file.picture(pictures, first), Ok);
    let Some(regions) = task.regions else {
        drafts.skip(file.path, &format!("{at} ({first})"), picture);
        return;
    };
    if let Some(other) = task
        .pictures
        .iter()
        .skip(1)
        .find(|other| other.iter().all(|name| !names.contains(name)))
        .filter(|_| !regions.is_empty())
    {
        let why = format!(
            "{at} has two pictures, {first} and {}, and nothing says which of them is labelled; \
             export tasks with one picture each",
            other[0]
        );
        return drafts.problem(file.path, &why);
    }
    if !has_parts && regions.iter().any(|region| !region.words.is_empty()) {
        // A picture that is one card.
        let words: Vec<String> = regions.into_iter().flat_map(|region| region.words).collect();
        match picture {
            Ok(path) => {
                let at = format!("{}: {at}", file.path.display());
                drafts.crops.push(DraftCrop { path, class: words.join(" "), at });
            }
            Err(why) => drafts.problem(file.path, &format!("{at}: {why}")),
        }
        return;
    }
    let stated_px = regions.iter().find_map(|region| region.original_px);
    let mut marks = Vec::new();
    for (i, region) in regions.into_iter().enumerate() {
        let (class, at) = (region.words.join(" "), format!("{at}, region {}", i + 1));
        match region.place {
            Place::Part(outline) => marks.push(Mark { class, outline, at }),
            Place::Whole => {}
            Place::Unread(kind) => drafts.problem(
                file.path,
                &format!(
                    "{at}: \"{class}\" is a region of the kind {kind}, whose place cannot be read; \
                     label rectangles, polygons, ellipses or keypoints"
                ),
            ),
        }
    }
    drafts.add_photo(file.path, picture, stated_px, marks);
}

fn task_of_json(task: &Value) -> Result<Task, String> {
    let annotations = task["annotations"].as_array().map_or(&[][..], Vec::as_slice);
    let kept: Vec<&Value> =
        annotations.iter().filter(|annotation| annotation["was_cancelled"] != true).collect();
    if kept.len() > 1 {
        let n = kept.len();
        return Err(format!("has {n} annotations; keep one of them"));
    }
    let mut pictures = task["data"].as_object().map(pictures_in).unwrap_or_default();
    let regions = kept.first().map(|annotation| {
        let mut regions: Vec<Region> = Vec::new();
        for result in annotation["result"].as_array().into_iter().flatten() {
            let Some(value) = result["value"].as_object() else { continue };
            let id = result["id"].as_str().unwrap_or_default();
            add_region(&mut regions, region_of(id, value, result));
        }
        regions
    });
    let results = kept.first().and_then(|annotation| annotation["result"].as_array());
    let mut labelled =
        results.into_iter().flatten().filter_map(|result| result["to_name"].as_str());
    let only = labelled.next().filter(|first| labelled.all(|name| name == *first));
    if let Some(name) = only.filter(|name| pictures.contains_key(*name)) {
        pictures.retain(|other, _| other == name);
    }
    let mut pictures: Vec<Vec<String>> = pictures.into_values().collect();
    let upload = task["file_upload"].as_str().map(local_names).unwrap_or_default();
    match pictures.as_mut_slice() {
        [] => pictures.push(upload),
        [names] => drop(names.splice(0..0, upload)),
        _ => {}
    }
    Ok(Task { pictures, regions })
}

/// A task as JSON-MIN has it: the lists of regions are members beside the picture's address.
fn task_of_members(task: &Map<String, Value>) -> Task {
    let mut regions: Vec<Region> = Vec::new();
    for (name, member) in task {
        for value in member.as_array().into_iter().flatten().filter_map(Value::as_object) {
            let id = value.get("id").and_then(Value::as_str).unwrap_or_default();
            add_region(&mut regions, region_of(id, value, &Value::Object(value.clone())));
        }
        if let ("choice", Some(choice)) = (name.as_str(), text_of(member)) {
            let (id, words) = (String::new(), vec![choice]);
            regions.push(Region { id, words, place: Place::Whole, original_px: None });
        }
    }
    let is_labelled =
        !regions.is_empty() || OWN.iter().any(|key| task.get(*key).and_then(text_of).is_some());
    let pictures = pictures_in(task).into_values().collect();
    Task { pictures, regions: is_labelled.then_some(regions) }
}

/// A table's cells are what JSON-MIN has as members; lists are JSON in a cell.
fn tasks_of_table(table: &Table) -> Vec<Result<Task, String>> {
    let rows = table.rows.iter().map(|(_, row)| {
        let cells = table.columns.iter().cloned().zip(row.iter().map(|cell| value_of_cell(cell)));
        Ok(task_of_members(&cells.collect()))
    });
    rows.collect()
}

fn value_of_cell(cell: &str) -> Value {
    let list = cell.starts_with('[').then(|| serde_json::from_str(cell).ok());
    list.flatten().unwrap_or_else(|| Value::String(cell.to_owned()))
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
        if let Some(border) = border_of(value) {
            return Outline::of_numbers(&border?)
                .map(|border| border.map(|p| Point::new(p.x * across, p.y * down)));
        }
        let corner = Point::new(number("x")? * across, number("y")? * down);
        match (number("width"), number("height")) {
            (Some(w), Some(h)) => {
                let angle = number("rotation").unwrap_or(0.0).to_radians();
                Some(Outline::of_turned_box(corner, (w * across, h * down), corner, angle))
            }
            // A keypoint, or an ellipse, by its middle.
            _ => Some(Outline::Center(corner)),
        }
    });
    let kind = kind_of(value, result);
    let shape = kind.strip_suffix("labels").unwrap_or(&kind);
    let is_remark = REMARKS.contains(&shape);
    let place = match outline {
        Some(outline) if is_remark || shape.is_empty() || PLACES.contains(&shape) => {
            Place::Part(outline)
        }
        None if is_remark && value.keys().all(|key| is_picture_member(key)) => Place::Whole,
        _ => Place::Unread(kind),
    };
    Region { id: id.to_owned(), words, place, original_px }
}

/// Whether a member of a value says nothing of a part of the picture.
fn is_picture_member(member: &str) -> bool {
    const ALSO: [&str; 6] =
        ["id", "type", "selected", "original_width", "original_height", "image_rotation"];
    REMARKS.contains(&member) || ALSO.contains(&member)
}

/// The kind of a region: what the export says, else the member that holds its words.
fn kind_of(value: &Map<String, Value>, result: &Value) -> String {
    let kind = result["type"]
        .as_str()
        .or_else(|| value.keys().find(|key| key.ends_with("labels")).map(String::as_str))
        .or_else(|| REMARKS.into_iter().find(|remark| value.contains_key(*remark)));
    kind.unwrap_or_default().to_lowercase()
}

/// The border of a region in percentages, as x, y, x, y and so on; an inner `None` for a line that is open, curved
/// or branched.
fn border_of(value: &Map<String, Value>) -> Option<Option<Vec<f64>>> {
    let corners = ["points", "vertices"].iter().find_map(|name| value.get(*name)?.as_array())?;
    let at =
        |p: &Value, i: usize, axis: &str| p.get(i).or_else(|| p.get(axis)).and_then(Value::as_f64);
    let numbers: Option<Vec<f64>> =
        corners.iter().flat_map(|p| [at(p, 0, "x"), at(p, 1, "y")]).collect();
    let is_closed = value.get("points").is_some_and(Value::is_array)
        || value.get("closed").is_some_and(|is| is == true);
    let is_straight = corners.iter().all(|p| p["isBezier"] != true)
        && corners
            .windows(2)
            .all(|pair| pair[1].get("prevPointId").is_none_or(|before| *before == pair[0]["id"]));
    Some(numbers.filter(|_| is_closed && is_straight))
}

/// Joins the annotations of one region, which have one ID.
fn add_region(regions: &mut Vec<Region>, region: Region) {
    match regions.iter_mut().find(|other| !region.id.is_empty() && other.id == region.id) {
        Some(before) => {
            before.words.extend(region.words);
            if matches!(before.place, Place::Whole) {
                before.place = region.place;
            }
            before.original_px = before.original_px.or(region.original_px);
        }
        None => regions.push(region),
    }
}

/// The names of each picture among the members of a task.
fn pictures_in(members: &Map<String, Value>) -> BTreeMap<String, Vec<String>> {
    let names = members.iter().map(|(member, value)| {
        let names = value.as_str().map(local_names).unwrap_or_default();
        (
            member.clone(),
            names.into_iter().filter(|name| is_picture(Path::new(name))).collect::<Vec<String>>(),
        )
    });
    names.filter(|(_, names)| !names.is_empty()).collect()
}

/// The file that an address in a project is of, with and without the eight digits that an upload
/// gets in front of its name: `/data/local-files/?d=a%20b.jpg`, `/data/upload/1/0a1b2c3d-a.jpg`.
fn local_names(address: &str) -> Vec<String> {
    let path = match address.split_once("?d=") {
        Some((_, path)) => path,
        // The signature of an address in a cloud.
        None => address.split('?').next().unwrap_or(address),
    };
    let path = percent_decode_str(path).decode_utf8_lossy().into_owned();
    let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let uploaded = last
        .split_once('-')
        .filter(|(mark, _)| mark.len() == 8 && mark.chars().all(|c| c.is_ascii_hexdigit()));
    let file_name = uploaded.map(|(_, file_name)| file_name.to_owned());
    std::iter::once(path.clone()).chain(file_name).collect()
}
