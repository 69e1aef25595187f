//! What a tab is: its entry in the list of all (`TABS` in `lib.rs`), and what it can do.

use crate::shared::{
    app_context::{AppContext, Ask},
    keys::{Action, Binding, Place},
    words::Word,
};
use eframe::egui::{Key, Modifiers, Ui};
use serde_json::Value;
use setsight_vision::ReadingPlan;
use std::any::Any;
use std::path::{Path, PathBuf};

/// What the window knows of a tab before there is one.
pub(crate) struct TabSpec {
    /// A stable name: of [`Action::Tab`], of [`Ask::tab`] and on the command line.
    pub(crate) id: &'static str,
    /// Its name in the bar.
    pub(crate) word: Word,
    /// The key that leads to it from everywhere, and what the page of keys says of it.
    pub(crate) shortcut: (Modifiers, Key, Word),
    /// Whether it is in the bar; a tab that is not needs a way to it from elsewhere.
    pub(crate) in_bar: bool,
    /// What `--show` with its name shows; without, the command line does not offer it.
    pub(crate) show_help: Option<&'static str>,
    /// What a file of its own kind is opened as, wherever it is dropped or named.
    pub(crate) opens: fn(&Path) -> Option<Ask>,
    /// Makes the tab, with nothing open.
    pub(crate) make: fn(&AppContext) -> Box<dyn Tab>,
}

impl TabSpec {
    /// The key that leads there.
    pub(crate) fn binding(&self) -> Binding {
        let (held, key, word) = self.shortcut;
        Binding { place: Place::Window, held, key, action: Action::Tab(self.id), word }
    }
}

/// A large part of the window.
pub trait Tab: Any {
    /// Takes over what its threads have done; in each frame, whether it is seen or not.
    fn update(&mut self, app: &mut AppContext) {
        let _ = app;
    }

    /// Draws it. `keys` says whether keys are meant for it.
    fn ui(&mut self, ui: &mut Ui, app: &mut AppContext, keys: bool);

    /// Where keys work.
    fn places(&self) -> Vec<Place> {
        Vec::new()
    }

    /// Does what a key asks for.
    fn act(&mut self, action: Action, app: &mut AppContext) {
        let _ = (action, app);
    }

    /// Whether it asks the user something, and keys mean nothing else.
    fn is_asking(&self) -> bool {
        false
    }

    /// Whether the focused widget belongs to this tab's own keys, so that Enter goes to the tab.
    fn has_focus_in_hand(&self) -> bool {
        false
    }

    /// Whether it has something that may fill the window ([`AppContext::presenting`]).
    fn can_present(&self) -> bool {
        false
    }

    /// What files dropped on it are opened as, and what stands over the window meanwhile. None
    /// opens them as photos.
    fn drops(&self) -> Option<(Ask, Word)> {
        None
    }

    /// Takes the paths that the user has named, at least one.
    fn take(&mut self, ask: Ask, paths: Vec<PathBuf>, app: &mut AppContext) {
        let _ = (ask, paths, app);
    }

    /// Takes a text that is pasted; not if it is one that names photos.
    fn paste(&mut self, text: &str, app: &mut AppContext) -> bool {
        let _ = (text, app);
        false
    }

    /// What is copied as text, and what the user is told of it.
    fn copy(&self) -> Option<(String, Word)> {
        None
    }

    /// What can be saved of it, as entries of a menu.
    fn saving(&self) -> &'static [(Action, Word)] {
        &[]
    }

    /// How far work is that goes on whatever tab is seen.
    fn progress(&self) -> Option<String> {
        None
    }

    /// What it adds to the window's title.
    fn title(&self) -> Option<String> {
        None
    }

    /// Adds what it shows to the JSON that is printed with a picture of the window.
    fn describe(&self, line: &mut Value) {
        let _ = line;
    }

    /// Whether all that was asked for is on the screen.
    fn is_settled(&self) -> bool {
        true
    }

    /// Cards are read otherwise from now on.
    fn read_by(&mut self, plan: &ReadingPlan, app: &mut AppContext) {
        let _ = (plan, app);
    }

    /// A page lies over the window.
    fn cover(&mut self, app: &mut AppContext) {
        let _ = app;
    }

    /// Another tab is seen from now on.
    fn leave(&mut self, app: &mut AppContext) {
        let _ = app;
    }

    /// Stops its threads and waits for them: before the program ends.
    fn close(&mut self) {}
}
