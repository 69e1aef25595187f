//! What leaves the window: the annotated picture, the JSON, the board as text; and what comes in
//! over the clipboard.

use crate::photos::{Photos, SAVE_JSON, SAVE_PICTURE};
use crate::shared::{app_context::Ask, words::t};
use image::{ImageFormat, RgbImage};
use setsight_files::whole_file::write_whole;
use setsight_game::cards::picture::Ink;
use setsight_photo::encode::{self, JPEG_QUALITY};
use setsight_vision::output::{Record, Style, overlay};
use std::path::{Path, PathBuf};

/// A name for what is written about a photo.
pub(crate) fn name(photo: &Path, ask: Ask) -> String {
    let stem = photo.file_stem().unwrap_or(photo.as_os_str()).to_string_lossy();
    match ask {
        SAVE_PICTURE => format!("{stem}-sets.png"),
        SAVE_JSON => format!("{stem}.json"),
        _ => String::new(),
    }
}

/// What is known of the photo that is looked at, as read and corrected.
pub(crate) fn record(photos: &Photos) -> Option<Record> {
    let (path, found) = photos.shelf.found()?;
    let result = Ok(photos.table().reading.clone());
    Some(Record { image: path.to_path_buf(), result, times: found.times.clone() })
}

/// The board as it lies and its sets, in characters.
pub(crate) fn text(photos: &Photos) -> Option<String> {
    Some(record(photos)?.to_text(Ink::PLAIN))
}

/// The photo that is looked at with its sets drawn on it.
pub(crate) fn picture(photos: &Photos, codes: bool) -> Option<RgbImage> {
    let style = Style { codes, ..Style::default() };
    let table = photos.table();
    Some(overlay::draw(photos.pixels()?, table, &style))
}

/// Writes the annotated picture or the JSON, whole or not at all. What was done, in words.
pub(crate) fn write(photos: &Photos, ask: Ask, path: &Path, codes: bool) -> Result<String, String> {
    let record = record(photos).ok_or_else(|| t!("nothing-to-save"))?;
    let named = path.display().to_string();
    let unwritable = |error: String| t!("unwritable", path = named.as_str(), error = error);
    let failed = |error: std::io::Error| unwritable(error.to_string());
    if ask == SAVE_JSON {
        write_whole(path, format!("{}\n", record.to_json()).as_bytes()).map_err(failed)?;
    } else {
        let picture = picture(photos, codes).ok_or_else(|| t!("no-picture-yet"))?;
        // As the name says; without an ending that is known, PNG.
        let bytes = match ImageFormat::from_path(path) {
            Ok(ImageFormat::Jpeg) => encode::jpeg(&picture, JPEG_QUALITY),
            _ => encode::png(&picture),
        };
        write_whole(path, &bytes.map_err(|error| unwritable(error.to_string()))?)
            .map_err(failed)?;
    }
    Ok(t!("saved-as", path = named.as_str()))
}

/// The paths that a text names, a line each: as typed, or as file managers copy them.
pub(crate) fn paths_in(text: &str) -> Result<Vec<PathBuf>, String> {
    let mut paths = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let line = line.trim_matches('"');
        let path = match line.strip_prefix("file://") {
            Some(uri) => PathBuf::from(decoded(uri)),
            None => expanded(line),
        };
        if !path.exists() {
            let shown: String = line.chars().take(80).collect();
            return Err(t!("no-such-path", path = shown));
        }
        paths.push(path);
    }
    if paths.is_empty() { Err(t!("nothing-to-open")) } else { Ok(paths) }
}

/// A path as it is typed, `~/` being the user's own folder.
pub(crate) fn expanded(typed: &str) -> PathBuf {
    match (typed.strip_prefix("~/"), dirs::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(typed),
    }
}

/// A URI's path without its percent signs (RFC 3986, 2.1).
fn decoded(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let hex = (bytes[i] == b'%')
            .then(|| uri.get(i + 1..i + 3))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match hex {
            Some(byte) => {
                out.push(byte);
                i += 3;
            }
            None => {
                out.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_paths_are_understood() {
        let dir = tempfile::tempdir().unwrap();
        let photo = dir.path().join("a b é.jpg");
        std::fs::write(&photo, b"x").unwrap();
        let plain = photo.display().to_string();
        let uri = format!("file://{}", plain.replace(' ', "%20").replace('é', "%C3%A9"));
        for text in [plain.clone(), format!("\n\"{plain}\" \n"), uri] {
            assert_eq!(paths_in(&text).unwrap(), std::slice::from_ref(&photo), "{text}");
        }
        assert!(paths_in("/no/such").unwrap_err().contains("\"/no/such\""));
        assert!(paths_in(" \n").is_err());
        assert_eq!(decoded("a%2"), "a%2");
    }

    #[test]
    fn names_are_proposed() {
        assert_eq!(name(Path::new("/a/table 1.jpg"), SAVE_PICTURE), "table 1-sets.png");
        assert_eq!(name(Path::new("x.webp"), SAVE_JSON), "x.json");
    }
}
