//! Finds the pictures that labels name.

use super::draft::is_picture;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Resolves picture names in labels.
pub(super) struct Pictures<'a>(BTreeMap<String, Vec<&'a PathBuf>>);

impl<'a> Pictures<'a> {
    /// For these files.
    pub(super) fn among(files: &'a [PathBuf]) -> Self {
        let mut by_name: BTreeMap<String, Vec<&PathBuf>> = BTreeMap::new();
        for file in files.iter().filter(|file| is_picture(file)) {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            by_name.entry(name).or_default().push(file);
        }
        Self(by_name)
    }

    /// The picture that labels in `folder` call `name`: the file at that path, otherwise the only
    /// file with that base name, because programs store the paths of their own machine. Of several,
    /// the only one whose path ends with the name.
    pub(super) fn find(&self, folder: &Path, name: &str) -> Result<PathBuf, String> {
        if name.trim().is_empty() {
            return Err("names no photo; write its file's name there".to_owned());
        }
        let direct = folder.join(name);
        if direct.is_file() {
            return Ok(direct);
        }
        // The path may come from Windows.
        let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let called = self.0.get(last).map_or(&[][..], Vec::as_slice);
        let whole: Vec<_> = called.iter().filter(|picture| picture.ends_with(name)).collect();
        match (called, whole.as_slice()) {
            ([only], _) => Ok((*only).clone()),
            (_, [only]) => Ok((**only).clone()),
            ([], _) => Err(format!(
                "{name} is labelled but not there; call the photo exactly so, put it beside the \
                 labels, or take its labels out"
            )),
            _ => {
                let all: Vec<String> = called.iter().map(|p| p.display().to_string()).collect();
                Err(format!(
                    "{name} may be any of {}; give them different names, or convert their folders \
                     one by one",
                    all.join(", ")
                ))
            }
        }
    }
}
