//! What the window remembers between two starts.

use crate::shared::words::Language;
use serde::{Deserialize, Serialize};
use setsight_files::small_file::{MAX_SETTINGS_BYTES, read_text};
use setsight_files::whole_file::write_atomic;
use setsight_live::cameras::CameraWish;
use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, io};

/// Smallest and largest scale of the interface.
pub(crate) const SCALES: std::ops::RangeInclusive<f32> = 0.7..=2.5;

/// So many folders are remembered, and so many decks.
const MOST_RECENT: usize = 6;

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Brightness {
    /// As the system says.
    #[default]
    System,
    /// Dark letters on a light ground.
    Light,
    /// Light letters on a dark ground.
    Dark,
}

impl Brightness {
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];
}

/// The colours of sets and of drawn cards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Palette {
    /// Okabe and Ito's, distinct for people with any colour vision.
    #[default]
    Okabe,
    /// Paul Tol's "bright", made for the same.
    Tol,
    /// Few colours of very different lightness: also distinct in grey.
    Strong,
}

/// What the user has chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The language of the window; none is the system's.
    pub language: Option<Language>,
    /// Light or dark.
    pub brightness: Brightness,
    /// Colours of sets and of drawn cards.
    pub palette: Palette,
    /// Size of everything, 1 is the system's.
    pub scale: f32,
    /// Whether drawn cards and outlines also say their colour as a letter.
    pub letters: bool,
    /// Whether saved pictures name each card by its code.
    pub(crate) codes: bool,
    /// Folders and photos that were open, the last one first.
    pub(crate) recent: Vec<PathBuf>,
    /// Width and height of the window in points, once it has been another than the usual.
    pub(crate) size: Option<(f32, f32)>,
    /// The file of the deck that cards are read as; none for those that the program knows.
    pub deck: Option<PathBuf>,
    /// Files of decks that were used, the last one first.
    pub decks: Vec<PathBuf>,
    /// What those who play at one table are called, by their places; where nothing stands they are
    /// numbered.
    pub players: Vec<String>,
    /// What was chosen for each camera, by its name; of one of the network by its address, without
    /// name and password.
    pub(crate) cameras: BTreeMap<String, CameraSettings>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CameraSettings {
    /// By how many quarters its pictures are turned to the right.
    pub(crate) quarters: u8,
    /// Whether they are mirrored; `None` where they tell themselves.
    pub(crate) mirrored: Option<bool>,
    /// Size, exposure, focus.
    pub(crate) wish: CameraWish,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            language: None,
            brightness: Brightness::default(),
            palette: Palette::default(),
            scale: 1.0,
            letters: false,
            cameras: BTreeMap::new(),
            codes: false,
            recent: Vec::new(),
            size: None,
            deck: None,
            decks: Vec::new(),
            players: Vec::new(),
        }
    }
}

impl Settings {
    /// Remembers what was opened, before all that was opened earlier.
    pub(crate) fn remember(&mut self, path: PathBuf) {
        put_first(&mut self.recent, path);
    }

    /// Has cards read as those of the deck in a file.
    pub fn use_deck(&mut self, path: PathBuf) {
        put_first(&mut self.decks, path.clone());
        self.deck = Some(path);
    }

    /// Forgets the deck that is used: its file is no good.
    pub(crate) fn forget_deck(&mut self) {
        let path = self.deck.take();
        self.decks.retain(|other| Some(other) != path.as_ref());
    }
}

/// Puts a path before all others.
fn put_first(paths: &mut Vec<PathBuf>, path: PathBuf) {
    paths.retain(|other| *other != path);
    paths.insert(0, path);
    paths.truncate(MOST_RECENT);
}

/// Settings and the file that they are kept in.
#[derive(Clone, Debug, Default)]
pub struct SettingsStore {
    /// The settings as they are now.
    pub settings: Settings,
    saved: Settings,
    /// Light or dark for now, and what is kept instead as long as nobody chooses.
    for_now: Option<(Brightness, Brightness)>,
    path: Option<PathBuf>,
}

impl SettingsStore {
    /// The user's settings; the defaults where there are none, or none that can be read: a
    /// damaged file must not keep the window shut.
    pub(crate) fn of_user() -> Self {
        match dirs::config_dir() {
            Some(folder) => Self::at(&folder.join("setsight").join("window.json")),
            None => Self::default(),
        }
    }

    /// Settings in a file that need not exist.
    pub fn at(path: &Path) -> Self {
        let text = read_text(path, MAX_SETTINGS_BYTES).unwrap_or_default();
        let mut settings: Settings = serde_json::from_str(&text).unwrap_or_default();
        if !SCALES.contains(&settings.scale) {
            settings.scale = 1.0;
        }
        Self { saved: settings.clone(), settings, for_now: None, path: Some(path.to_path_buf()) }
    }

    /// Light or dark for now, whatever is remembered, which stays as it is.
    #[must_use]
    pub(crate) fn with_brightness(mut self, brightness: Brightness) -> Self {
        self.for_now = Some((brightness, self.settings.brightness));
        self.settings.brightness = brightness;
        self.saved.brightness = brightness;
        self
    }

    /// Where something else of the user's is kept: beside the settings.
    pub(crate) fn sibling(&self, name: &str) -> Option<PathBuf> {
        Some(self.path.as_ref()?.with_file_name(name))
    }

    /// Writes what has changed since the last time, if anything has.
    pub(crate) fn save(&mut self) -> io::Result<()> {
        if self.saved == self.settings {
            return Ok(());
        }
        self.saved = self.settings.clone();
        let Some(path) = &self.path else { return Ok(()) };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut kept = self.settings.clone();
        match self.for_now {
            Some((now, remembered)) if kept.brightness == now => kept.brightness = remembered,
            _ => self.for_now = None, // The user has chosen.
        }
        let text = serde_json::to_string_pretty(&kept).expect("plain data");
        write_atomic(path, text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_a_restart() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new folder").join("window.json");
        let mut store = SettingsStore::at(&path);
        assert_eq!(store.settings, Settings::default());
        store.save().unwrap();
        assert!(!path.exists(), "nothing changed, nothing written");
        store.settings.palette = Palette::Tol;
        store.settings.scale = 1.5;
        store.save().unwrap();
        assert_eq!(SettingsStore::at(&path).settings, store.settings);
    }

    #[test]
    fn light_or_dark_for_now_is_not_remembered_and_a_choice_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("window.json");
        let mut store = SettingsStore::at(&path).with_brightness(Brightness::Dark);
        store.settings.codes = true;
        store.save().unwrap();
        let kept = SettingsStore::at(&path).settings;
        assert!(kept.codes && kept.brightness == Brightness::System);
        for choice in [Brightness::Light, Brightness::Dark] {
            store.settings.brightness = choice;
            store.save().unwrap();
            assert_eq!(SettingsStore::at(&path).settings.brightness, choice);
        }
    }

    #[test]
    fn what_was_opened_last_comes_first_and_once() {
        let mut settings = Settings::default();
        for i in [1, 2, 3, 1, 4, 5, 6, 7] {
            settings.remember(PathBuf::from(i.to_string()));
        }
        let names: Vec<_> = settings.recent.iter().map(|path| path.to_str().unwrap()).collect();
        assert_eq!(names, ["7", "6", "5", "4", "1", "3"]);
    }

    #[test]
    fn a_damaged_file_means_defaults() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("window.json");
        for text in ["{", "[1]", r#"{"scale": 400}"#, r#"{"palette": "pink"}"#] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(SettingsStore::at(&path).settings, Settings::default(), "{text}");
        }
        // What this version does not know, or knows no longer, leaves the rest as it was.
        for unknown in [r#""future": 1"#, r#""sounds": true"#] {
            std::fs::write(&path, format!(r#"{{"palette": "tol", {unknown}}}"#)).unwrap();
            let expected = Settings { palette: Palette::Tol, ..Settings::default() };
            assert_eq!(SettingsStore::at(&path).settings, expected, "{unknown}");
        }
    }
}
