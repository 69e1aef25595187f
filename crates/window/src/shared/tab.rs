//! What a tab is: its entry in the list of all (`TABS` in `lib.rs`), and what it can do.

use crate::shared::ask::Ask;
use crate::shared::desk::Desk;
use crate::shared::keys::{Action, Binding, Place};
use crate::shared::words::Word;
use eframe::egui::{Key, Modifiers, Ui};
use serde_json::Value;
use setsight_vision::ReadingPlan;
use std::any::Any;
use std::path::{Path, PathBuf};

/// What the window knows of a tab before there is one.
pub struct TabSpec {
    /// A stable name: of [`Action::Tab`], of [`Ask::tab`] and on the command line.
    pub id: &'static str,
    /// Its name in the bar.
    pub word: Word,
    /// The key that leads to it from everywhere, and what the page of keys says of it.
    pub shortcut: (Modifiers, Key, Word),
    /// Whether it is in the bar; a tab that is not needs a way to it from elsewhere.
    pub in_bar: bool,
    /// What `--show` with its name shows; without, the command line does not offer it.
    pub show_help: Option<&'static str>,
    /// What a file of its own kind is opened as, wherever it is dropped or named.
    pub opens: fn(&Path) -> Option<Ask>,
    /// Makes the tab, with nothing open.
    pub make: fn(&Desk) -> Box<dyn Tab>,
}

impl TabSpec {
    /// The key that leads there.
    pub fn binding(&self) -> Binding {
        let (held, key, word) = self.shortcut;
        Binding { place: Place::Window, held, key, action: Action::Tab(self.id), word }
    }
}

/// A large part of the window.
pub trait Tab: Any {
    /// Takes over what its threads have done; in each frame, whether it is seen or not.
    fn update(&mut self, desk: &mut Desk) {
        let _ = desk;
    }

    /// Draws it. `keys` says whether keys are meant for it.
    fn ui(&mut self, ui: &mut Ui, desk: &mut Desk, keys: bool);

    /// Where keys work.
    fn places(&self) -> Vec<Place> {
        Vec::new()
    }

    /// Does what a key asks for.
    fn act(&mut self, action: Action, desk: &mut Desk) {
        let _ = (action, desk);
    }

    /// Whether it asks the user something, and keys mean nothing else.
    fn is_asking(&self) -> bool {
        false
    }

    /// Whether the focused widget belongs to this tab's own keys, so that Enter goes to the tab.
    fn has_focus_in_hand(&self) -> bool {
        false
    }

    /// Whether it has something that may fill the window ([`Desk::presenting`]).
    fn can_present(&self) -> bool {
        false
    }

    /// What files dropped on it are opened as, and what stands over the window meanwhile. None
    /// opens them as photos.
    fn drops(&self) -> Option<(Ask, Word)> {
        None
    }

    /// Takes the paths that the user has named, at least one.
    fn take(&mut self, ask: Ask, paths: Vec<PathBuf>, desk: &mut Desk) {
        let _ = (ask, paths, desk);
    }

    /// Takes a text that is pasted; not if it is one that names photos.
    fn paste(&mut self, text: &str, desk: &mut Desk) -> bool {
        let _ = (text, desk);
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
    fn read_by(&mut self, plan: &ReadingPlan, desk: &mut Desk) {
        let _ = (plan, desk);
    }

    /// A page lies over the window.
    fn cover(&mut self, desk: &mut Desk) {
        let _ = desk;
    }

    /// Another tab is seen from now on.
    fn leave(&mut self, desk: &mut Desk) {
        let _ = desk;
    }

    /// Stops its threads and waits for them: before the program ends.
    fn close(&mut self) {}
}
