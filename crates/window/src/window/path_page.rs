//! A path is named where the system has no dialog, or where the user would rather type: a field, and
//! what lies in the folder that it names.

use crate::{
    photos::{export, welcome::name_of},
    shared::{pages, tab::Ask, theme::bordered, words::t},
};
use eframe::egui::text::{CCursor, CCursorRange};
use eframe::egui::{Button, Context, Id, Key, ScrollArea, TextEdit, Ui, vec2};
use setsight_desktop::Pick;
use setsight_photo::source::PHOTO_EXTENSIONS;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// So many entries of a folder are listed; typing a few letters leaves the others out.
const MOST_LISTED: usize = 200;

pub(crate) struct PathPage {
    pub(crate) ask: Ask,
    text: String,
    /// Why what was typed last was not taken.
    error: Option<String>,
    /// The folder that is listed, and what lies in it: folders first.
    listed: (PathBuf, Vec<Entry>),
    /// Whether all that stands in the field is to be selected: typing takes its place.
    select_all: bool,
}

struct Entry {
    name: String,
    is_folder: bool,
}

/// What came of a frame.
pub(crate) enum Outcome {
    /// It stays open.
    Open,
    /// Nothing is named.
    Cancelled,
    Paths(Vec<PathBuf>),
}

impl PathPage {
    /// Begins in a folder, with a proposed name for a file to be written.
    pub(crate) fn new(ask: Ask, folder: Option<PathBuf>, name: &str) -> Self {
        let folder = folder.or_else(dirs::home_dir).unwrap_or_default();
        let text = folder.join(name).display().to_string();
        let text = if name.is_empty() { with_separator(text) } else { text };
        Self { ask, text, error: None, listed: Default::default(), select_all: true }
    }

    pub(crate) fn show(&mut self, ctx: &Context) -> Outcome {
        self.list();
        let answer = pages::modal(ctx, "path", 520.0, |ui| {
            ui.heading(self.ask.word.say());
            let label = ui.label(t!("path"));
            let id = Id::unique("path-field");
            let field = TextEdit::singleline(&mut self.text).id(id).desired_width(f32::INFINITY);
            let output = bordered(ui, |ui| field.show(ui));
            let field = output.response.response.labelled_by(label.id);
            if self.select_all {
                let mut state = output.state;
                let all = CCursorRange::two(CCursor::default(), CCursor::end_of_str(&self.text));
                state.cursor.set_char_range(Some(all));
                state.store(ui.ctx(), id);
                self.select_all = false;
            }
            if field.changed() {
                self.error = None;
            }
            if !field.has_focus() && !field.lost_focus() {
                field.request_focus();
            }
            let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            if let Some(error) = &self.error {
                ui.colored_label(ui.visuals().error_fg_color, error);
            }
            ui.add_space(2.0);
            // Above the list: in a low window they are pressed all the same.
            let pressed = ui.horizontal(|ui| {
                let go = ui.button(t!("ok")).clicked() || entered;
                (go, ui.button(t!("cancel")).clicked())
            });
            let (go, cancel) = pressed.inner;
            (self.entries(ui) || go, cancel)
        });
        let (go, cancel) = answer.inner;
        if cancel || answer.should_close() && !go {
            return Outcome::Cancelled;
        }
        match go.then(|| self.paths()) {
            None => Outcome::Open,
            Some(Ok(paths)) => Outcome::Paths(paths),
            Some(Err(reason)) => {
                self.error = Some(reason);
                Outcome::Open
            }
        }
    }

    /// The folder of what is typed, and the beginning of a name in it.
    fn folder_and_start(&self) -> (PathBuf, String) {
        let path = export::expanded(self.text.trim());
        if self.text.trim_end().ends_with(['/', MAIN_SEPARATOR]) {
            return (path, String::new());
        }
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        (folder, path.file_name().unwrap_or_default().to_string_lossy().to_lowercase())
    }

    /// Reads the folder anew if it is another one.
    fn list(&mut self) {
        let (folder, _) = self.folder_and_start();
        if folder == self.listed.0 {
            return;
        }
        let read = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut entries: Vec<Entry> = read.filter_map(|entry| self.entry(&entry)).collect();
        entries.sort_by_key(|entry| (!entry.is_folder, entry.name.to_lowercase()));
        self.listed = (folder, entries);
    }

    /// What is listed of a file or folder.
    fn entry(&self, entry: &std::fs::DirEntry) -> Option<Entry> {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_folder = entry.path().is_dir();
        (!name.starts_with('.') && (is_folder || self.wants(&name)))
            .then_some(Entry { name, is_folder })
    }

    /// Whether a file of this name is one that may be meant.
    fn wants(&self, name: &str) -> bool {
        let end = Path::new(name).extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match self.ask.pick {
            // A folder's photos show that it is the right one.
            Pick::Files | Pick::Folder => PHOTO_EXTENSIONS.contains(&end.as_str()),
            Pick::File | Pick::NewFile => true,
        }
    }

    /// What lies in the folder and begins as what is typed. A click goes into a folder, or names a
    /// file; whether that is all that was to be done.
    fn entries(&mut self, ui: &mut Ui) -> bool {
        let (folder, start) = self.folder_and_start();
        let mut clicked = None;
        let height = (0.5 * ui.ctx().content_rect().height()).clamp(80.0, 300.0);
        let area = ScrollArea::vertical().max_height(height).auto_shrink([false, true]);
        area.show(ui, |ui| {
            if let Some(parent) = folder.parent()
                && row(ui, &t!("folder-above"))
            {
                clicked = Some((with_separator(parent.display().to_string()), true));
            }
            // The name of a new file leaves no folder out.
            let all = self.ask.pick == Pick::NewFile;
            let listed = self.listed.1.iter();
            let listed =
                listed.filter(|entry| all || entry.name.to_lowercase().starts_with(&start));
            for entry in listed.take(MOST_LISTED) {
                let path = folder.join(&entry.name).display().to_string();
                if entry.is_folder && row(ui, &format!("{}{MAIN_SEPARATOR}", entry.name)) {
                    let is_new = self.ask.pick == Pick::NewFile;
                    let name = if is_new { self.file_name() } else { String::new() };
                    clicked = Some((format!("{}{name}", with_separator(path)), true));
                } else if !entry.is_folder && row(ui, &entry.name) {
                    clicked = Some((path, false));
                }
            }
        });
        let Some((text, is_folder)) = clicked else { return false };
        (self.text, self.error) = (text, None);
        // A photo is opened at once; a file that is there is written over by nobody.
        !is_folder && matches!(self.ask.pick, Pick::File | Pick::Files)
    }

    fn file_name(&self) -> String {
        if self.text.trim_end().ends_with(['/', MAIN_SEPARATOR]) {
            return String::new();
        }
        name_of(Path::new(self.text.trim()))
    }

    fn paths(&self) -> Result<Vec<PathBuf>, String> {
        if self.ask.pick != Pick::NewFile {
            return export::paths_in(&self.text);
        }
        let path = export::expanded(self.text.trim());
        let folder = path.parent().unwrap_or(Path::new(""));
        if self.file_name().is_empty() {
            Err(t!("name-the-file"))
        } else if !folder.as_os_str().is_empty() && !folder.is_dir() {
            Err(t!("no-such-folder", path = folder.display().to_string()))
        } else if path.exists() {
            // The system's dialogs ask before they let a file be replaced.
            Err(t!("is-there-already", path = self.text.trim()))
        } else {
            Ok(vec![path])
        }
    }
}

/// An entry in a line of its own. Whether it was pressed.
fn row(ui: &mut Ui, name: &str) -> bool {
    let button = Button::selectable(false, name).truncate();
    ui.add(button.min_size(vec2(ui.available_width(), 0.0))).clicked()
}

fn with_separator(mut path: String) -> String {
    if !path.is_empty() && !path.ends_with(['/', MAIN_SEPARATOR]) {
        path.push(MAIN_SEPARATOR);
    }
    path
}
