//! A table as CSV: a line for each card, with its file, its class and perhaps its place.
//!
//! The class is in one column, or in one column for each property. The place is a centre, or a box by
//! two corners as TensorFlow and Roboflow write it; without one, each file is a crop.

use super::{
    document::{Content, Document, Format, Pictures, Read, number},
    draft::{DraftCrop, DraftPhoto, Drafts, Mark, Outline, Unit},
};
use setsight_photo::{geometry::Point, labels::Table};
use std::collections::BTreeMap;

pub(super) const FORMAT: Format = Format {
    name: "csv",
    looks_like: "A CSV file with the columns file and code (or one for each property), with x,y or \
                 xmin,ymin,xmax,ymax for cards in photos",
    read: Read::File(read),
};

/// Names of the columns.
const FILE: &[&str] = &["file", "filename", "image"];
const CLASS: &[&str] = &["code", "class", "label"];
const PROPERTIES: [&str; 4] = ["number", "shading", "color", "shape"];
const CENTER: [&str; 2] = ["x", "y"];
const CORNERS: [&str; 4] = ["xmin", "ymin", "xmax", "ymax"];
const SIZE: [&str; 2] = ["width", "height"];

/// Where the table has what.
struct Columns {
    file: usize,
    class: Vec<usize>,
    /// Of a centre or of two corners; empty in a table of crops.
    place: Vec<usize>,
    size: Option<Vec<usize>>,
}

/// Whether a name is that of a column that says a card or a property of it.
pub(super) fn says_a_card(name: &str) -> bool {
    CLASS.contains(&name) || PROPERTIES.contains(&name)
}

impl Columns {
    /// `None` if the table is not of this form.
    fn find(table: &Table) -> Option<Result<Self, String>> {
        let place = |name: &str| table.columns.iter().position(|column| column == name);
        let all = |names: &[&str]| names.iter().map(|name| place(name)).collect::<Option<Vec<_>>>();
        let one = |names: &[&str]| names.iter().find_map(|name| place(name));
        let class = all(&PROPERTIES).or_else(|| Some(vec![one(CLASS)?]))?;
        let (corners, center) = (all(&CORNERS), all(&CENTER));
        // Beside a centre they could be the card's.
        let size = corners.as_ref().and_then(|_| all(&SIZE));
        let place = corners.or(center).unwrap_or_default();
        let columns = Self { file: one(FILE)?, class, place, size };
        let strange = (0..table.columns.len()).find(|column| {
            let parts = columns.class.iter().chain(&columns.place);
            let mut expected = parts.chain(columns.size.iter().flatten()).chain([&columns.file]);
            expected.all(|expected| expected != column)
        });
        Some(match strange {
            None => Ok(columns),
            Some(column) => Err(format!(
                "the column \"{}\" is not known there; expected file, code (or {}), and {} or {} of \
                 cards in photos, the latter with {} of the photo; rename it or take it out",
                table.columns[column],
                PROPERTIES.join(", "),
                CENTER.join(", "),
                CORNERS.join(", "),
                SIZE.join(", ")
            )),
        })
    }
}

/// Reads the labels in a file of this form.
pub(super) fn read(
    file: &Document,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Option<Result<(), String>> {
    let Content::Table(table) = &file.content else { return None };
    Some(Columns::find(table)?.map(|columns| read_rows(file, table, &columns, pictures, drafts)))
}

fn read_rows(
    file: &Document,
    table: &Table,
    columns: &Columns,
    pictures: &Pictures,
    drafts: &mut Drafts,
) {
    let path = file.path;
    let mut photos: Vec<DraftPhoto> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (line, row) in &table.rows {
        let field = |column: usize| row.get(column).map_or("", String::as_str);
        let mut problem =
            |why: String| drafts.problems.push(format!("{}: line {line}: {why}", path.display()));
        let name = field(columns.file);
        let class: Vec<&str> = columns.class.iter().map(|&column| field(column)).collect();
        let class = class.join(" ").trim().to_owned();
        let outline = match outline_of(&columns.place, &field, &table.columns) {
            Ok(outline) => outline,
            Err(why) => {
                problem(why);
                continue;
            }
        };
        let before = places.get(name).copied();
        if before.is_none() {
            let picture = match file.picture(pictures, name) {
                Ok(picture) => picture,
                Err(why) => {
                    problem(why);
                    continue;
                }
            };
            let sizes = columns.size.iter().flatten().map(|&column| field(column).parse().ok());
            let stated_px = match sizes.collect::<Option<Vec<u32>>>().as_deref() {
                Some(&[width, height]) => Some((width, height)),
                _ => None,
            };
            places.insert(name, photos.len());
            photos.push(DraftPhoto {
                path: picture,
                labels_file: path.to_path_buf(),
                stated_px,
                shown_upright: false,
                unit: Unit::Pixels,
                marks: Vec::new(),
            });
        }
        match outline {
            Some(outline) => {
                let at = format!("line {line}");
                photos[places[name]].marks.push(Mark { class, outline, at });
            }
            None if !columns.place.is_empty() && class.is_empty() => {} // A photo without a card.
            None if !columns.place.is_empty() => problem(format!("{class} has no place")),
            None if before.is_some() => problem(format!(
                "{name} is there twice; a crop shows one card, and cards of a photo need their \
                 places: columns x, y or xmin, ymin, xmax, ymax"
            )),
            None => {
                let at = format!("{}: line {line}", path.display());
                let path = photos[places[name]].path.clone();
                drafts.crops.push(DraftCrop { path, class, at });
            }
        }
    }
    if !columns.place.is_empty() {
        drafts.photos.extend(photos);
    }
}

/// The place in a row; `None` if its fields are empty or missing.
fn outline_of<'a>(
    columns: &[usize],
    field: &dyn Fn(usize) -> &'a str,
    names: &[String],
) -> Result<Option<Outline>, String> {
    if columns.iter().all(|&column| field(column).is_empty()) {
        return Ok(None);
    }
    let values = columns
        .iter()
        .map(|&column| {
            let (name, text) = (&names[column], field(column));
            number(text).ok_or_else(|| {
                format!("{name} is \"{text}\"; expected pixels, such as 1024 or 20.5")
            })
        })
        .collect::<Result<Vec<f64>, String>>()?;
    Ok(match *values.as_slice() {
        [x, y] => Some(Outline::Center(Point::new(x, y))),
        [x, y, x2, y2] => Some(Outline::of_two_corners(Point::new(x, y), Point::new(x2, y2))),
        _ => None,
    })
}
