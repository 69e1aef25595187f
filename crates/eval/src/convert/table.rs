//! A table as CSV: a line for each card, with its file, its class and perhaps its place.
//!
//! The class is in one column, or in one column for each property. The place is a centre, a box by
//! two corners (TensorFlow, Roboflow) or by a corner and its size; without one, each file is a crop.

use super::document::{Content, Document};
use super::draft::{DraftPhoto, Drafts, Mark, Pictures, Unit, number};
use super::find::{Format, Read};
use super::outline::Outline;
use setsight_photo::geometry::Point;
use setsight_photo::labels::Table;
use std::collections::BTreeMap;

/// This format.
pub(super) const FORMAT: Format = Format {
    name: "csv",
    looks_like: "A CSV file with the columns file and code (or one for each property), with x,y or \
                 xmin,ymin,xmax,ymax for cards in photos",
    read: Read::File(read),
};

/// Names of the columns.
const FILE: &[&str] = &[
    "file",
    "filename",
    "file_name",
    "image",
    "image_name",
    "image_path",
    "path",
    "filepath",
    "picture",
    "photo",
    "datei",
    "bild",
];
const CLASS: &[&str] = &[
    "code",
    "class",
    "class_name",
    "label",
    "label_name",
    "card",
    "card_name",
    "category",
    "klasse",
    "karte",
];
const PROPERTIES: [&[&str]; 4] = [
    &["number", "count", "num", "amount", "quantity", "anzahl", "zahl"],
    &["shading", "shade", "fill", "filling", "pattern", "texture", "füllung", "fuellung"],
    &["color", "colour", "farbe"],
    &["shape", "form", "symbol"],
];
/// Columns of a place: a centre, two corners, a corner and a size.
const PLACES: [[&[&str]; 4]; 3] = [
    [
        &["xmin", "x_min", "x1", "left"],
        &["ymin", "y_min", "y1", "top"],
        &["xmax", "x_max", "x2", "right"],
        &["ymax", "y_max", "y2", "bottom"],
    ],
    [
        &["bbox_x", "box_x"],
        &["bbox_y", "box_y"],
        &["bbox_width", "box_width"],
        &["bbox_height", "box_height"],
    ],
    [&["x"], &["y"], &["w"], &["h"]],
];
const CENTER: [&[&str]; 2] = [&["x", "cx", "center_x"], &["y", "cy", "center_y"]];
const SIZE: [&[&str]; 2] = [&["width", "image_width"], &["height", "image_height"]];

/// Where the table has what.
struct Columns {
    file: usize,
    class: Vec<usize>,
    place: Place,
    size: Option<[usize; 2]>,
}

/// Where the table has a card's place.
enum Place {
    TwoCorners([usize; 4]),
    CornerAndSize([usize; 4]),
    Center([usize; 2]),
    None,
}

impl Columns {
    /// `None` if the table is not of this form.
    fn of(table: &Table) -> Option<Self> {
        let place = |names: &[&str]| {
            table.columns.iter().position(|column| names.contains(&column.as_str()))
        };
        let all = |names: [&[&str]; 4]| {
            let [a, b, c, d] = names.map(place);
            Some([a?, b?, c?, d?])
        };
        let two = |names: [&[&str]; 2]| {
            let [a, b] = names.map(place);
            Some([a?, b?])
        };
        // Label Studio's have JSON in their cells.
        if ["annotation_id", "annotator"].iter().any(|own| place(&[own]).is_some()) {
            return None;
        }
        let class = match (place(CLASS), all(PROPERTIES)) {
            (_, Some(properties)) => properties.to_vec(),
            (class, None) => vec![class?],
        };
        let [corners, sized, short] = PLACES.map(all);
        let place_of_card = match (corners, sized.or(short), two(CENTER)) {
            (Some(corners), _, _) => Place::TwoCorners(corners),
            (None, Some(sized), _) => Place::CornerAndSize(sized),
            (None, None, Some(center)) => Place::Center(center),
            (None, None, None) => Place::None,
        };
        Some(Self { file: place(FILE)?, class, place: place_of_card, size: two(SIZE) })
    }
}

/// Reads the labels in a file of this form.
pub(super) fn read(
    file: &Document,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Option<Result<(), String>> {
    let Content::Table(table) = &file.content else { return None };
    let columns = Columns::of(table)?;
    read_rows(file, table, &columns, pictures, drafts);
    Some(Ok(()))
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
    let mut largest: f64 = 0.0;
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
        let picture = match before {
            Some(place) => photos[place].path.clone(),
            None => match file.picture(pictures, name) {
                Ok(picture) => picture,
                Err(why) => {
                    problem(why);
                    continue;
                }
            },
        };
        if before.is_none() {
            let told = columns.size.map(|size| size.map(|column| number(field(column))));
            let told_px = told.and_then(|[width, height]| {
                Some((width? as u32, height? as u32)).filter(|&(w, h)| w > 0 && h > 0)
            });
            places.insert(name, photos.len());
            photos.push(DraftPhoto {
                path: picture,
                told_in: path.to_path_buf(),
                told_px,
                unit: Unit::Pixels,
                marks: Vec::new(),
            });
        }
        match (outline, &columns.place) {
            (Some(outline), _) => {
                largest = largest.max(outline.largest());
                photos[places[name]].marks.push(Mark { class, outline });
            }
            (None, Place::None) if before.is_some() => problem(format!(
                "{name} is there twice; a crop shows one card, and cards of a photo need their \
                 places: columns x, y or xmin, ymin, xmax, ymax"
            )),
            (None, Place::None) => drafts.crops.push((photos[places[name]].path.clone(), class)),
            // A photo without a card.
            (None, _) => {}
        }
    }
    if matches!(columns.place, Place::None) {
        return;
    }
    // Shares of the picture; no table of pixels has all its cards in the first one.
    if largest > 0.0 && largest <= 1.0 {
        photos.iter_mut().for_each(|photo| photo.unit = Unit::Shares);
    }
    drafts.photos.extend(photos);
}

/// The place that a row says; `None` if its fields are empty or there are none.
fn outline_of<'a>(
    place: &Place,
    field: &dyn Fn(usize) -> &'a str,
    names: &[String],
) -> Result<Option<Outline>, String> {
    let columns = match place {
        Place::TwoCorners(columns) | Place::CornerAndSize(columns) => columns.as_slice(),
        Place::Center(columns) => columns.as_slice(),
        Place::None => return Ok(None),
    };
    if columns.iter().all(|&column| field(column).is_empty()) {
        return Ok(None);
    }
    let mut numbers = Vec::new();
    for &column in columns {
        let value = number(field(column)).ok_or_else(|| {
            let (name, text) = (&names[column], field(column));
            format!("{name} is \"{text}\"; expected a number of pixels")
        })?;
        numbers.push(value);
    }
    let outline = match (place, numbers.as_slice()) {
        (Place::TwoCorners(_), &[x, y, x2, y2]) => {
            Outline::of_two_corners(Point::new(x, y), Point::new(x2, y2))
        }
        (_, &[x, y, width, height]) => Outline::of_box(Point::new(x, y), (width, height)),
        (_, &[x, y]) => Some(Outline::Center(Point::new(x, y))),
        _ => None,
    };
    outline.map(Some).ok_or_else(|| "its box has no area".to_owned())
}
