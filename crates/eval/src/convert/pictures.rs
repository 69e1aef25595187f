//! Finds the pictures that labels name, however they write the names.

use super::draft::is_picture;
use icu_normalizer::ComposingNormalizerBorrowed;
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Resolves picture names in labels.
pub(super) struct Pictures<'a> {
    by_name: Names<'a>,
    by_loose_name: Names<'a>,
    by_loose_stem: Names<'a>,
}

type Names<'a> = BTreeMap<String, Vec<&'a PathBuf>>;

impl<'a> Pictures<'a> {
    /// For these files.
    pub(super) fn among(files: &'a [PathBuf]) -> Self {
        let [mut by_name, mut by_loose_name, mut by_loose_stem] = [const { Names::new() }; 3];
        for file in files.iter().filter(|file| is_picture(file)) {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            by_loose_stem.entry(loose(stem(&name))).or_default().push(file);
            by_loose_name.entry(loose(&name)).or_default().push(file);
            by_name.entry(name.into_owned()).or_default().push(file);
        }
        Self { by_name, by_loose_name, by_loose_stem }
    }

    /// The picture whose file is called like a file of labels but for the extension: the one beside
    /// it, otherwise the only one.
    pub(super) fn called_like(&self, labels: &Path) -> Option<PathBuf> {
        let alike = self.by_loose_stem.get(&loose(&labels.file_stem()?.to_string_lossy()))?;
        nearest(alike, labels.parent()?, "").cloned()
    }

    /// The picture that labels in `folder` call `name`: the file at that path, otherwise the only
    /// file with that base name, because programs store the paths of their own machine. A name
    /// that is not there may be the address of a download, and differ in case, in how its
    /// accents are written, or in the extension.
    ///
    /// # Errors
    /// A message if there is no such file, or several.
    pub(super) fn find(&self, folder: &Path, name: &str) -> Result<PathBuf, String> {
        if name.trim().is_empty() {
            return Err("names no photo".to_owned());
        }
        let direct = folder.join(name);
        if direct.is_file() {
            return Ok(direct);
        }
        for way in spellings(name) {
            // The path may come from Windows.
            let last = way.rsplit(['/', '\\']).next().unwrap_or(&way);
            let called = [
                self.by_name.get(last),
                self.by_loose_name.get(&loose(last)),
                self.by_loose_stem.get(&loose(stem(last))),
            ];
            let Some(called) = called.into_iter().flatten().next() else { continue };
            return nearest(called, folder, &way).cloned().ok_or_else(|| {
                let all: Vec<String> = called.iter().map(|p| p.display().to_string()).collect();
                format!(
                    "{name} may be any of {}; give them different names, or convert their folders \
                     one by one",
                    all.join(", ")
                )
            });
        }
        Err(format!(
            "{name} is labelled but not there; put the photo beside the labels or take its labels out"
        ))
    }
}

/// The only one of some pictures; of several the only one in a folder, or the one that has most of
/// a way's last parts in common with it.
fn nearest<'a>(pictures: &[&'a PathBuf], folder: &Path, way: &str) -> Option<&'a PathBuf> {
    let only = |some: &[&'a PathBuf]| if let [only] = some { Some(*only) } else { None };
    let inside = pictures.iter().copied().filter(|picture| picture.parent() == Some(folder));
    let shared = |picture: &Path| {
        let parts = picture.iter().rev().skip(1).map(|part| loose(&part.to_string_lossy()));
        let told = way.rsplit(['/', '\\']).skip(1).map(loose);
        parts.zip(told).take_while(|(a, b)| a == b).count()
    };
    let most = pictures.iter().map(|picture| shared(picture)).max()?;
    let alike = pictures.iter().copied().filter(|picture| shared(picture) == most);
    only(pictures)
        .or_else(|| only(&inside.collect::<Vec<_>>()))
        .or_else(|| only(&alike.collect::<Vec<_>>()))
}

/// A name as it is, as the path of an address, and as that without its escapes.
fn spellings(name: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let path = name.split(['?', '#']).next().unwrap_or(name);
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    [Cow::Borrowed(name), Cow::Borrowed(path), decoded].into_iter().filter(|way| !way.is_empty())
}

/// A name without the extension of a picture. Other dots belong to the name.
fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if is_picture(Path::new(name)) => stem,
        _ => name,
    }
}

/// A name in small letters, its accents as single characters: macOS writes them apart.
fn loose(name: &str) -> String {
    const NFC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfc();
    NFC.normalize(&name.to_lowercase()).into_owned()
}
