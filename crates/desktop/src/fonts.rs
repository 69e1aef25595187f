//! Letters that the window's own fonts lack: file names in other scripts.
//!
//! The window brings fonts for Latin, Greek and Cyrillic. For any other letter the system's fonts
//! are asked, once per letter; what no font has is drawn as an empty box.

use ab_glyph::{Font, FontRef};
use eframe::egui::{
    Context, FallbackRequest, FontData, FontInsert, FontPriority, FontProvider, InsertFontFamily,
};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Beginnings of the names of files that cover many scripts or large ones, in small letters and
/// without signs, the ones to be preferred first. Other fonts are not opened: there may be
/// thousands.
const BROAD: [&str; 22] = [
    "dejavusans",
    "notosanscjk",
    "notosansjp",
    "notosanssc",
    "notosansregular",
    "notosansarabic",
    "notosanshebrew",
    "notosansdevanagari",
    "notosansthai",
    "droidsansfallback",
    "wqymicrohei",
    "sourcehansans",
    "unifont",
    "arialunicode",
    "pingfang",
    "hiraginosans",
    "applesdgothicneo",
    "msyh",
    "meiryo",
    "malgun",
    "segoeui",
    "nirmala",
];
/// Fonts that are opened at most.
const MOST: usize = 24;
/// A font file larger than this is passed over: it would stay in memory.
const MOST_BYTES: u64 = 40_000_000;

/// The fonts of the system that may help.
struct SystemFonts {
    folders: Vec<PathBuf>,
    /// Looked for when the first letter is missing.
    fonts: Mutex<Option<Vec<SystemFont>>>,
}

/// A file, and which characters of the basic plane it draws: a bit each.
struct SystemFont {
    path: PathBuf,
    draws: Box<[u64; 1024]>,
}

impl SystemFont {
    /// `None` for a file that cannot be read or is no font.
    fn open(path: PathBuf) -> Option<Self> {
        let bytes = std::fs::read(&path).ok()?;
        let font = FontRef::try_from_slice_and_index(&bytes, 0).ok()?;
        let mut draws = Box::new([0u64; 1024]);
        for (_, letter) in font.codepoint_ids() {
            if let Some(word) = draws.get_mut(letter as usize / 64) {
                *word |= 1 << (letter as u32 % 64);
            }
        }
        Some(Self { path, draws })
    }

    fn has(&self, letter: char) -> bool {
        let word = self.draws.get(letter as usize / 64);
        word.is_some_and(|word| word >> (letter as u32 % 64) & 1 == 1)
    }
}

impl FontProvider for SystemFonts {
    fn font_for(&self, request: &FallbackRequest<'_>) -> Option<FontInsert> {
        let letter = request.cluster.chars().next()?;
        let mut fonts = self.fonts.lock().unwrap_or_else(PoisonError::into_inner);
        let fonts = fonts.get_or_insert_with(|| {
            found_in(&self.folders).into_iter().filter_map(SystemFont::open).collect()
        });
        let font = fonts.iter().find(|font| font.has(letter))?;
        let data = FontData::from_owned(std::fs::read(&font.path).ok()?);
        let family = request.family.clone();
        let families = vec![InsertFontFamily { family, priority: FontPriority::Lowest }];
        Some(FontInsert::new(&font.path.display().to_string(), data, families))
    }
}

/// Has the system's fonts asked for letters that the window's own lack.
pub fn install(ctx: &Context) {
    let folders = system_folders();
    ctx.add_font_provider(Arc::new(SystemFonts { folders, fonts: Mutex::new(None) }));
}

fn system_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = [
        "/usr/share/fonts",
        "/usr/local/share/fonts",
        "/System/Library/Fonts",
        "/Library/Fonts",
        "C:\\Windows\\Fonts",
    ]
    .map(PathBuf::from)
    .into();
    folders.extend(dirs::font_dir());
    folders.retain(|folder| folder.is_dir());
    folders
}

/// Font files worth opening, the most helpful first.
fn found_in(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut found: Vec<(usize, PathBuf)> = folders
        .iter()
        .flat_map(|folder| walkdir::WalkDir::new(folder).max_depth(5))
        .flatten()
        .filter(|entry| entry.metadata().is_ok_and(|m| m.is_file() && m.len() <= MOST_BYTES))
        .filter_map(|entry| Some((rank(entry.path())?, entry.into_path())))
        .collect();
    // Regular letters have the shorter names.
    found.sort_by_key(|(rank, path)| (*rank, path.as_os_str().len(), path.clone()));
    found.into_iter().map(|(_, path)| path).take(MOST).collect()
}

fn rank(path: &Path) -> Option<usize> {
    let kind = path.extension()?.to_str()?.to_ascii_lowercase();
    if !["ttf", "otf", "ttc"].contains(&kind.as_str()) {
        return None;
    }
    let name: String =
        path.file_stem()?.to_str()?.chars().filter(|c| c.is_alphanumeric()).collect();
    let name = name.to_lowercase();
    let slanted = ["bold", "italic", "oblique", "light", "black", "thin", "mono", "condensed"];
    if slanted.iter().any(|style| name.contains(style)) {
        return None;
    }
    BROAD.iter().position(|broad| name.starts_with(broad))
}

#[cfg(test)]
mod tests {
    use super::*;
    use eframe::egui::FontFamily;

    #[test]
    fn a_letter_is_looked_for_in_the_systems_fonts() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("truetype/some");
        std::fs::create_dir_all(&folder).unwrap();
        for (name, bytes) in [
            ("NotoSansCJK-Regular.ttc", &b"no font at all"[..]),
            ("DejaVuSans-Bold.ttf", b"not looked at"),
            ("Fancy.ttf", epaint_default_fonts::HACK_REGULAR),
            ("DejaVuSans.ttf", epaint_default_fonts::HACK_REGULAR),
        ] {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
        let fonts =
            SystemFonts { folders: vec![home.path().to_path_buf()], fonts: Mutex::new(None) };
        let ask = |cluster| {
            fonts.font_for(&FallbackRequest { cluster, family: &FontFamily::Proportional })
        };
        assert!(ask("Ж").unwrap().name.ends_with("DejaVuSans.ttf"));
        assert!(ask("家").is_none() && ask("𠀀").is_none() && ask("").is_none());
    }
}
