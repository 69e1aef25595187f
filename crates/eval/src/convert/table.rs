//! A table as CSV: a line for each card, with its file, its class and perhaps its place.
//!
//! The class is in one column, or in one column for each property. The place is a centre, a box by
//! two corners (TensorFlow, Roboflow, OpenImages), by a corner and its size, or four numbers in one
//! column; without one, each file is a crop.

use super::document::{Content, Document};
use super::draft::{DraftCrop, DraftPhoto, Drafts, Mark, Unit};
use super::find::{Format, Read};
use super::numbers::{Numbers, number};
use super::outline::Outline;
use super::pictures::Pictures;
use setsight_photo::geometry::Point;
use setsight_photo::labels::Table;
use setsight_photo::source;
use std::collections::{BTreeMap, BTreeSet};

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
    "image_id",
    "imageid",
    "image_file",
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
    "labelname",
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
const CENTER: [&[&str]; 2] =
    [&["x", "cx", "center_x", "x_center"], &["y", "cy", "center_y", "y_center"]];
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
    /// Four numbers in one field.
    List {
        column: usize,
        corners: bool,
    },
    None,
}

impl Place {
    /// The columns with one number each.
    fn columns(&self) -> &[usize] {
        match self {
            Self::TwoCorners(columns) | Self::CornerAndSize(columns) => columns,
            Self::Center(columns) => columns,
            Self::List { .. } | Self::None => &[],
        }
    }
}

/// Whether a name is that of a column that says a card or a property of it.
pub(super) fn says_a_card(name: &str) -> bool {
    let name = plain(name);
    PROPERTIES.iter().chain([&CLASS]).any(|names| names.contains(&name.as_str()))
}

/// A name as those above are written: `X Min` is `x_min`.
fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

impl Columns {
    /// `None` if the table is not of this form.
    fn of(table: &Table) -> Option<Self> {
        let names_of_table: Vec<String> = table.columns.iter().map(|name| plain(name)).collect();
        let place = |names: &[&str]| {
            names_of_table.iter().position(|column| names.contains(&column.as_str()))
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
        let file = place(FILE)?;
        let [corners, sized, short] = PLACES.map(all);
        let mut size = two(SIZE);
        let place_of_card = match (corners, sized.or(short), two(CENTER)) {
            (Some(corners), _, _) => Place::TwoCorners(corners),
            (None, Some(sized), _) => Place::CornerAndSize(sized),
            (None, None, Some([x, y])) => match size.filter(|size| is_of_boxes(table, file, *size))
            {
                Some([width, height]) if place(&["x"]) == Some(x) => {
                    size = None;
                    Place::CornerAndSize([x, y, width, height])
                }
                Some(_) => {
                    size = None;
                    Place::Center([x, y])
                }
                None => Place::Center([x, y]),
            },
            (None, None, None) => {
                let is_free = |column: &usize| *column != file && !class.contains(column);
                let lists = |column: &usize| is_free(column) && holds_lists(table, *column);
                let list = (0..table.columns.len()).find(lists);
                list.map_or(Place::None, |column| {
                    let corners = ["xyxy", "corner", "min", "x1", "x2"];
                    let name = &names_of_table[column];
                    Place::List { column, corners: corners.iter().any(|part| name.contains(part)) }
                })
            }
        };
        Some(Self { file, class, place: place_of_card, size })
    }
}

/// Whether columns called `width` and `height` are the boxes', not the pictures': shares, or
/// several for one file.
fn is_of_boxes(table: &Table, file: usize, [width, height]: [usize; 2]) -> bool {
    let mut sizes: BTreeMap<&str, [&str; 2]> = BTreeMap::new();
    table.rows.iter().any(|(_, row)| {
        let field = |column: usize| row.get(column).map_or("", String::as_str);
        let size = [field(width), field(height)];
        let is_share = size.iter().any(|text| number(text).is_some_and(|n| n > 0.0 && n <= 1.0));
        let before = sizes.insert(field(file), size);
        is_share || before.is_some_and(|before| before != size)
    })
}

/// Whether all fields of a column that are not empty hold lists, as `[10, 20, 30, 40]`.
fn holds_lists(table: &Table, column: usize) -> bool {
    let fields = table.rows.iter().filter_map(|(_, row)| row.get(column));
    let mut fields = fields.filter(|field| !field.is_empty()).peekable();
    let is_list = |field: &String| field.starts_with(['[', '(', '{']) || four(field).is_some();
    fields.peek().is_some() && fields.all(is_list)
}

/// Four numbers in a field.
fn four(field: &str) -> Option<[f64; 4]> {
    let inside = field.trim_matches(['[', ']', '(', ')', '{', '}']);
    let parts = inside.split([',', ';', ' ']).filter(|part| !part.is_empty());
    parts.map(number).collect::<Option<Vec<f64>>>()?.try_into().ok()
}

/// Reads the labels in a file of this form.
pub(super) fn read(
    file: &Document,
    pictures: &Pictures,
    drafts: &mut Drafts,
) -> Option<Result<(), String>> {
    let Content::Table(table) = &file.content else { return None };
    let columns = Columns::of(table)?;
    if matches!(columns.place, Place::None) {
        let is_place = |name: &&String| {
            let [two, sized, short] = PLACES;
            let mut names = two.iter().chain(&sized[..2]).chain(&short[..2]).chain(&CENTER);
            names.any(|names| names.contains(&plain(name).as_str()))
        };
        let parts: Vec<&str> = table.columns.iter().filter(is_place).map(String::as_str).collect();
        if !parts.is_empty() {
            let parts = parts.join(", ");
            return Some(Err(format!(
                "has {parts}, but not all columns of a place; expected x, y or xmin, ymin, xmax, ymax"
            )));
        }
    }
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
    let numbers = numbers_of(file, table, columns, pictures);
    for (line, row) in &table.rows {
        let field = |column: usize| row.get(column).map_or("", String::as_str);
        let mut problem =
            |why: String| drafts.problems.push(format!("{}: line {line}: {why}", path.display()));
        let name = field(columns.file);
        let class: Vec<&str> = columns.class.iter().map(|&column| field(column)).collect();
        let class = class.join(" ").trim().to_owned();
        let outline = match outline_of(&columns.place, &field, &table.columns, &numbers) {
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
            let told = columns.size.map(|size| size.map(|column| numbers.read(field(column))));
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
                let at = format!("line {line}");
                photos[places[name]].marks.push(Mark { class, outline, at });
            }
            (None, Place::None) if before.is_some() => problem(format!(
                "{name} is there twice; a crop shows one card, and cards of a photo need their \
                 places: columns x, y or xmin, ymin, xmax, ymax"
            )),
            (None, Place::None) => {
                let at = format!("{}: line {line}", path.display());
                let path = photos[places[name]].path.clone();
                drafts.crops.push(DraftCrop { path, class, at });
            }
            // A photo without a card.
            (None, _) => {}
        }
    }
    if !matches!(columns.place, Place::None) {
        drafts.photos.extend(photos);
    }
}

/// How the table writes its numbers of pixels.
fn numbers_of(file: &Document, table: &Table, columns: &Columns, pictures: &Pictures) -> Numbers {
    let places = columns.place.columns().iter().chain(columns.size.iter().flatten());
    let places: Vec<usize> = places.copied().collect();
    let rows = || table.rows.iter().map(|(_, row)| row);
    let field = |row: &&'_ Vec<String>, column: usize| {
        row.get(column).map_or("", String::as_str).to_owned()
    };
    let texts: Vec<String> = rows()
        .flat_map(|row| places.iter().map(move |&column| field(&row, column)))
        .filter(|text| !text.is_empty())
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Numbers::of(&texts, || {
        let names: BTreeSet<&String> = rows().filter_map(|row| row.get(columns.file)).collect();
        let found = names.into_iter().filter_map(|name| file.picture(pictures, name).ok());
        let sizes = found.filter_map(|path| source::measure(&path).ok());
        sizes.map(|stored| f64::from(stored.width.max(stored.height))).reduce(f64::max)
    })
}

/// The place that a row says; `None` if its fields are empty or there are none.
fn outline_of<'a>(
    place: &Place,
    field: &dyn Fn(usize) -> &'a str,
    names: &[String],
    numbers: &Numbers,
) -> Result<Option<Outline>, String> {
    let values: Vec<f64> = match place {
        Place::None => return Ok(None),
        Place::List { column, .. } => {
            let text = field(*column);
            if text.is_empty() {
                return Ok(None);
            }
            four(text).map(Vec::from).ok_or_else(|| {
                let name = &names[*column];
                format!("{name} is \"{text}\"; expected [left, top, width, height] in pixels")
            })?
        }
        _ => {
            let columns = place.columns();
            if columns.iter().all(|&column| field(column).is_empty()) {
                return Ok(None);
            }
            let value = |&column: &usize| {
                numbers.read(field(column)).ok_or_else(|| {
                    let (name, text) = (&names[column], field(column));
                    format!("{name} is \"{text}\"; expected a number of pixels")
                })
            };
            columns.iter().map(value).collect::<Result<_, String>>()?
        }
    };
    Ok(match (place, values.as_slice()) {
        (Place::TwoCorners(_) | Place::List { corners: true, .. }, &[x, y, x2, y2]) => {
            Some(Outline::of_two_corners(Point::new(x, y), Point::new(x2, y2)))
        }
        (_, &[x, y, width, height]) => Some(Outline::of_box(Point::new(x, y), (width, height))),
        (_, &[x, y]) => Some(Outline::Center(Point::new(x, y))),
        _ => None,
    })
}
