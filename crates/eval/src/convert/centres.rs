//! A table of centres: `file,code,x,y`.

use super::draft::{DraftPhoto, Drafts, Mark, Outline, Pictures, Unit};
use setsight_files::small_file::{MAX_DATA_BYTES, read_text_bytes};
use setsight_photo::geometry::Point;
use std::collections::BTreeMap;
use std::path::Path;

/// The columns named in the first line.
pub const COLUMNS: [&str; 4] = ["file", "code", "x", "y"];

/// Whether a file's first line is that of such a table.
pub fn is_centres(path: &Path) -> bool {
    let bytes = read_text_bytes(path, MAX_DATA_BYTES).unwrap_or_default();
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(&*bytes);
    reader.headers().is_ok_and(|header| places(header).is_some())
}

/// The index of each column.
fn places(header: &csv::StringRecord) -> Option<[usize; 4]> {
    let place = |name: &str| header.iter().position(|column| column.eq_ignore_ascii_case(name));
    Some([place("file")?, place("code")?, place("x")?, place("y")?])
}

/// Reads the table's labels.
pub fn read(path: &Path, pictures: &Pictures) -> Drafts {
    let mut drafts = Drafts::default();
    let mut photos: BTreeMap<String, usize> = BTreeMap::new();
    let mut problem = |line: Option<u64>, why: String| {
        let line = line.map_or(String::new(), |line| format!(" line {line}:"));
        drafts.problems.push(format!("{}:{line} {why}", path.display()));
    };
    let bytes = match read_text_bytes(path, MAX_DATA_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => {
            problem(None, format!("cannot be read: {error}"));
            return drafts;
        }
    };
    let mut reader =
        csv::ReaderBuilder::new().trim(csv::Trim::All).flexible(true).from_reader(&*bytes);
    let columns = reader.headers().ok().and_then(places);
    let Some([file, code, x, y]) = columns else {
        problem(None, format!("its first line must be \"{}\"", COLUMNS.join(",")));
        return drafts;
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut found: Vec<DraftPhoto> = Vec::new();
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let line = error.position().map(csv::Position::line);
                problem(line, error.to_string());
                continue;
            }
        };
        let line = record.position().map(csv::Position::line);
        let field = |place: usize| record.get(place).unwrap_or_default();
        let number = |place: usize, name: &str| {
            let value: Option<f64> = field(place).parse().ok().filter(|v: &f64| v.is_finite());
            value.ok_or_else(|| {
                format!("{name} is \"{}\"; expected a number of pixels", field(place))
            })
        };
        let center = match (number(x, "x"), number(y, "y")) {
            (Ok(x), Ok(y)) => Point::new(x, y),
            (Err(why), _) | (_, Err(why)) => {
                problem(line, why);
                continue;
            }
        };
        let name = field(file);
        let place = match photos.get(name) {
            Some(place) => *place,
            None => match pictures.find(folder, name) {
                Ok(picture) => {
                    found.push(DraftPhoto {
                        path: picture,
                        told_in: path.to_path_buf(),
                        told_px: None,
                        unit: Unit::Pixels,
                        marks: Vec::new(),
                    });
                    photos.insert(name.to_owned(), found.len() - 1);
                    found.len() - 1
                }
                Err(why) => {
                    problem(line, why);
                    continue;
                }
            },
        };
        let class = field(code).to_owned();
        found[place].marks.push(Mark { class, outline: Outline::Center(center) });
    }
    drafts.photos = found;
    drafts
}
