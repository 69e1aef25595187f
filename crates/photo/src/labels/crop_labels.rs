//! `labels.csv` of a folder of crops.

use super::{CROP_LABELS, DatasetError, as_code, check_files, table::separator, write_all};
use crate::source::{self, SourceError};
use image::{RgbImage, imageops};
use serde::{Deserialize, Serialize};
use setsight_files::small_file::read_text_bytes;
use setsight_game::cards::{Card, CodeError};
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
    let label = |line: CropLine| {
        let (line, why) = match line {
            CropLine::Label { label, .. } => return Ok(label),
            CropLine::BadCode { line, error, .. } => (line, error.to_string()),
            CropLine::Malformed { line, reason } => (line, reason),
        };
        let (path, reason) = (folder.join(CROP_LABELS), format!("line {line}: {why}"));
        Err(DatasetError::Malformed { path, reason })
    };
    read_crop_lines(folder)?.into_iter().map(label).collect()
}

/// Reads the lines of `labels.csv` of a folder, good and bad, for whoever tells all that is wrong.
///
/// # Errors
/// [`DatasetError`]: the file cannot be read, or its first line lacks `file,code`.
pub fn read_crop_lines(folder: &Path) -> Result<Vec<CropLine>, DatasetError> {
    let path = folder.join(CROP_LABELS);
    let bytes = match read_text_bytes(&path, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(source) => return Err(DatasetError::Unreadable { path, source }),
    };
    // Lines that are too short or too long are told like all others that say something wrong.
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .flexible(true)
        .delimiter(separator(&bytes))
        .from_reader(&*bytes);
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
        put(&label.file, &label.code.to_string());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crop_labels_survive_the_disk_and_bad_ones_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let label = |file: &str| CropLabel { file: file.into(), code: "3frs".parse().unwrap() };
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
}
