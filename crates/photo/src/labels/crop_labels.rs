//! `labels.csv` of a folder of crops, and tables as CSV, however a spreadsheet writes them.

use super::{CROP_LABELS, DatasetError, as_code, check_files, write_all};
use crate::source::{self, SourceError};
use image::{RgbImage, imageops};
use serde::{Deserialize, Serialize};
use setsight_files::{printable::is_formula, small_file::read_text};
use setsight_game::cards::{Card, CodeError};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Largest file that is read, in bytes: a million crops.
const MAX_BYTES: u64 = 32 << 20;

/// One line of `labels.csv`: a rectified card and its code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CropLabel {
    /// File name, relative to the folder.
    pub file: String,
    /// Its code.
    #[serde(with = "as_code")]
    pub code: Card,
}

/// A line that was read, whether or not it holds what it should.
#[derive(Clone, Debug)]
pub enum CropLine {
    /// A crop and its code.
    Label {
        /// Number of the line in the file, counted from 1.
        line: u64,
        /// What it says.
        label: CropLabel,
    },
    /// A line with a file name and no valid code.
    BadCode {
        /// Number of the line in the file, counted from 1.
        line: u64,
        /// The file name.
        file: String,
        /// What is wrong with the code.
        error: CodeError,
    },
    /// A line that cannot be read as CSV.
    Malformed {
        /// Number of the line in the file, counted from 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
}

/// Reads `labels.csv` of a folder of crops, without checking that the crops exist.
///
/// # Errors
/// [`DatasetError`]: the file is missing, its first line lacks `file,code`, or a code is invalid.
pub fn read_crop_labels(folder: &Path) -> Result<Vec<CropLabel>, DatasetError> {
    let labels = read_crop_lines(folder)?.into_iter().map(|line| {
        let (line, why) = match line {
            CropLine::Label { label, .. } => return Ok(label),
            CropLine::BadCode { line, error, .. } => (line, error.to_string()),
            CropLine::Malformed { line, reason } => (line, reason),
        };
        let (path, reason) = (folder.join(CROP_LABELS), format!("line {line}: {why}"));
        Err(DatasetError::Malformed { path, reason })
    });
    labels.collect()
}

/// Reads the lines of `labels.csv` of a folder, good and bad, to report all that is wrong.
///
/// # Errors
/// [`DatasetError`]: the file cannot be read, or its first line lacks `file,code`.
pub fn read_crop_lines(folder: &Path) -> Result<Vec<CropLine>, DatasetError> {
    let path = folder.join(CROP_LABELS);
    let text = match read_text(&path, MAX_BYTES) {
        Ok(text) => text,
        Err(source) => return Err(DatasetError::Unreadable { path, source }),
    };
    // Lines that are too short or too long are reported like any other fault.
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .flexible(true)
        .delimiter(separator(text.as_bytes()))
        .from_reader(text.as_bytes());
    let header =
        reader.headers().map(|header| (header.iter().take(2).eq(["file", "code"]), header.len()));
    let Ok((true, columns)) = header else {
        let reason = "the first line must be \"file,code\"".to_owned();
        return Err(DatasetError::Malformed { path, reason });
    };
    let mut lines = Vec::new();
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line);
                lines.push(CropLine::Malformed { line, reason: error.to_string() });
                continue;
            }
        };
        let line = record.position().map_or(0, csv::Position::line);
        if record.len() > columns {
            let fields = record.len();
            let reason = format!(
                "has {fields} fields; expected {columns}, with quotes around names that hold commas"
            );
            lines.push(CropLine::Malformed { line, reason });
            continue;
        }
        let file = record[0].to_owned();
        lines.push(match record.get(1).unwrap_or_default().parse() {
            Ok(code) => CropLine::Label { line, label: CropLabel { file, code } },
            Err(error) => CropLine::BadCode { line, file, error },
        });
    }
    Ok(lines)
}

/// Writes `labels.csv` of a folder of crops, completely or not at all.
///
/// # Errors
/// [`DatasetError::Unwritable`].
pub fn write_crop_labels(folder: &Path, labels: &[CropLabel]) -> Result<(), DatasetError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut put = |file: &str, code: &str| {
        writer.write_record([file, code]).expect("two fields each, into memory");
    };
    put("file", "code");
    for label in labels {
        // The same file by another name.
        let formula = is_formula(&label.file).then(|| format!("./{}", label.file));
        put(formula.as_ref().unwrap_or(&label.file), &label.code.to_string());
    }
    write_all(&folder.join(CROP_LABELS), &writer.into_inner().expect("into memory"))
}

/// Checks that every labelled crop is in the folder.
///
/// # Errors
/// [`DatasetError::MissingFile`].
pub fn check_crop_files(folder: &Path, labels: &[CropLabel]) -> Result<(), DatasetError> {
    check_files(folder, CROP_LABELS, labels.iter().map(|label| &label.file))
}

/// Reads a crop as a photo is read, and rotates it so that its long side is horizontal.
///
/// # Errors
/// See [`SourceError`].
pub fn load_crop(path: &Path) -> Result<RgbImage, SourceError> {
    let crop = source::load(path)?;
    Ok(if crop.height() > crop.width() { imageops::rotate90(&crop) } else { crop })
}

/// Most fields of a table: each takes some 50 bytes in memory.
const MAX_FIELDS: usize = 4_000_000;

/// A table whose first line names its columns.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The columns' names in lower case.
    pub columns: Vec<String>,
    /// The other lines: the number of each in the file, counted from 1, and its fields.
    pub rows: Vec<(u64, Vec<String>)>,
}

/// Reads a table with a first line of names. Spreadsheets write rows of empty fields, which are left
/// out.
///
/// # Errors
/// The text is no CSV, or not UTF-8.
pub fn table_of(text: &[u8]) -> Result<Table, csv::Error> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .trim(csv::Trim::All)
        .flexible(true)
        .delimiter(separator(text))
        .from_reader(text);
    let mut fields = 0;
    let rows = reader.records().map(|record| row_of(&record?, &mut fields));
    let mut rows = rows.filter(|row| {
        row.as_ref().map_or(true, |(line, fields)| {
            let tells_separator =
                *line == 1 && declared_separator(fields.join("").as_bytes()).is_some();
            !tells_separator && fields.iter().any(|field| !field.is_empty())
        })
    });
    let Some(names) = rows.next() else { return Ok(Table::default()) };
    let columns = names?.1.iter().map(|name| name.to_lowercase()).collect();
    Ok(Table { columns, rows: rows.collect::<Result<_, _>>()? })
}

/// A row with the number of its line. `fields` counts those of the whole table.
fn row_of(
    record: &csv::StringRecord,
    fields: &mut usize,
) -> Result<(u64, Vec<String>), csv::Error> {
    *fields += record.len();
    if *fields > MAX_FIELDS {
        let reason = format!("it has more than {MAX_FIELDS} fields; split it");
        return Err(io::Error::new(ErrorKind::FileTooLarge, reason).into());
    }
    let line = record.position().map_or(0, csv::Position::line);
    Ok((line, record.iter().map(str::to_owned).collect()))
}

/// What Excel writes above a table to say what stands between its fields: `sep=;`.
fn declared_separator(line: &[u8]) -> Option<u8> {
    let declared = line.trim_ascii_end().strip_prefix(b"sep=")?;
    match declared {
        [] => Some(b'\t'),
        [separator] => Some(*separator),
        _ => None,
    }
}

/// What stands between the fields: what the first line says, else the most frequent of comma,
/// semicolon and tab in the first line that has any and is no remark.
fn separator(text: &[u8]) -> u8 {
    let mut lines = text.split(|&byte| byte == b'\n');
    let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if let Some(separator) = declared_separator(first) {
        return separator;
    }
    let found = lines.by_ref().filter(|line| !line.starts_with(b"#")).find_map(most_frequent);
    found.unwrap_or(b',')
}

/// The most frequent separator of a line outside of quotes; of equals the first.
fn most_frequent(line: &[u8]) -> Option<u8> {
    let (mut counts, mut quoted) = ([(b',', 0), (b';', 0), (b'\t', 0)], false);
    for &byte in line {
        quoted ^= byte == b'"';
        for (separator, count) in &mut counts {
            *count += usize::from(!quoted && byte == *separator);
        }
    }
    let (separator, count) = counts.into_iter().rev().max_by_key(|(_, count)| *count)?;
    (count > 0).then_some(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crop_labels_survive_the_disk_and_bad_ones_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let written = [label("plain.jpg"), label("with, comma \"and\" quotes.jpg")];
        write_crop_labels(dir.path(), &written).unwrap();
        assert_eq!(read_crop_labels(dir.path()).unwrap(), written);
        assert!(check_crop_files(dir.path(), &written).is_err());
        let says = |text: &str, part: &str| {
            std::fs::write(dir.path().join(CROP_LABELS), text).unwrap();
            let error = read_crop_labels(dir.path()).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        says("name,code\na.jpg,2spd\n", "first line must be");
        says("file,code\na.jpg,2spd\nb.jpg,2spq\n", "line 3: \"2spq\": 'q' at place 4");
        says("file,code\na.jpg\n", "line 2");
        says("file,code\na.jpg,2spd,x\n", "line 2: has 3 fields; expected 2");
    }

    fn label(file: &str) -> CropLabel {
        CropLabel { file: file.into(), code: "3frs".parse().unwrap() }
    }

    #[test]
    fn what_a_spreadsheet_writes_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let utf16: Vec<u8> = "\u{feff}file\tcode\r\na.jpg\t3frs\r\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let with_a_mark = "\u{feff}file,code\r\na.jpg,3frs\r\n".as_bytes();
        for text in [with_a_mark, b"file;code\r\na.jpg;3frs\r\n", &utf16] {
            std::fs::write(dir.path().join(CROP_LABELS), text).unwrap();
            assert_eq!(read_crop_labels(dir.path()).unwrap()[0].file, "a.jpg");
        }
    }

    #[test]
    fn tables_are_read_however_they_are_separated() {
        for text in [
            "File,\"x; y\",code\na.jpg,\"1,5\",2spd\n",
            "File;x; y;code\r\na.jpg;1,5;2spd\r\n".replace("x; y", "\"x; y\"").as_str(),
            "\nFile\t\"x; y\"\tcode\na.jpg\t1,5\t2spd",
        ] {
            let table = table_of(text.as_bytes()).unwrap();
            assert_eq!(table.columns, ["file", "x; y", "code"], "{text}");
            assert_eq!(table.rows[0].1, ["a.jpg", "1,5", "2spd"], "{text}");
        }
        assert_eq!(table_of(b"a,b\n1,2\n").unwrap().rows, [(2, vec!["1".into(), "2".into()])]);
        assert!(table_of(b"").unwrap().columns.is_empty());
        // As spreadsheets write them.
        for text in ["sep=;\r\na;b\r\n1,5;2\r\n;\r\n", "a;b\n;\n1,5;2\n"] {
            let table = table_of(text.as_bytes()).unwrap();
            assert_eq!(table.columns, ["a", "b"], "{text}");
            assert_eq!(table.rows.len(), 1, "{text}");
            assert_eq!(table.rows[0].1, ["1,5", "2"], "{text}");
        }
        assert!(table_of(b"a,\xff\n").is_err());
    }
}
