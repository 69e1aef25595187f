//! What the tabs of the window share, what each of them can do, and how they ask for more.

use crate::deck::used_deck::UsedDeck;
use crate::shared::dialogs::Ask;
use crate::shared::eye::Eye;
use crate::shared::keys::{Action, Place};
use crate::shared::settings::{Keeper, Settings};
use crate::shared::words::Word;
use eframe::egui::{ColorImage, Context, Ui};
use setsight_live::Input;
use std::path::PathBuf;
use std::sync::Arc;

/// What a tab or a page asks of the window.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// To tell the user something, for a while.
    Say(String),
    /// To do what a key does.
    Act(Action),
    /// To show these photos and folders.
    Open(Vec<PathBuf>),
    /// To have the user name a path, for a file to be written with this name as a proposal. What is
    /// named goes to [`Tab::take`].
    Ask(Ask, String),
    /// To watch this.
    Watch(Input),
    /// To take these paths as if the user had named them.
    Take(Ask, Vec<PathBuf>),
}

/// What all tabs share.
pub struct Desk {
    /// The window's context.
    pub ctx: Context,
    /// What reads photos.
    pub eye: Arc<dyn Eye>,
    /// What the user has chosen, and where it is kept.
    pub keeper: Keeper,
    /// The deck that cards are read as.
    pub used_deck: UsedDeck,
    /// Whether the picture or the table fills the window, with nothing beside it.
    pub presenting: bool,
    /// What was asked for and is not done yet.
    pub commands: Vec<Command>,
    /// Whether the system lets pictures be dragged out of the window.
    pub can_drag_out: bool,
    /// One that is dragged out from now on, and the name of its file.
    pub dragged_out: Option<(String, ColorImage)>,
}

impl Desk {
    /// With nothing asked for.
    pub fn new(ctx: &Context, eye: Arc<dyn Eye>, keeper: Keeper) -> Self {
        let (ctx, used_deck) = (ctx.clone(), UsedDeck::default());
        Self {
            ctx,
            eye,
            keeper,
            used_deck,
            presenting: false,
            commands: Vec::new(),
            can_drag_out: false,
            dragged_out: None,
        }
    }

    /// Tells the user something, for a while.
    pub fn say(&mut self, words: String) {
        self.commands.push(Command::Say(words));
    }

    /// Has the user name a path that is there already.
    pub fn ask(&mut self, ask: Ask) {
        self.commands.push(Command::Ask(ask, String::new()));
    }

    /// What the user has chosen.
    pub fn settings(&self) -> &Settings {
        &self.keeper.settings
    }

    /// The time of this frame, in seconds.
    pub fn now(&self) -> f64 {
        self.ctx.input(|input| input.time)
    }

    /// Has the window drawn again, from any thread.
    pub fn wake(&self) -> impl Fn() + Send + Sync + 'static {
        let ctx = self.ctx.clone();
        move || ctx.request_repaint()
    }
}

/// A large part of the window.
pub trait Tab {
    /// Its name.
    fn word(&self) -> Word;

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

    /// Whether what has the keyboard's focus is what its own keys are about, so that Enter is a key of
    /// its own there, too.
    fn has_focus_in_hand(&self) -> bool {
        false
    }

    /// Whether it has something that may fill the window ([`Desk::presenting`]).
    fn can_present(&self) -> bool {
        false
    }

    /// What files are for that are let go over it.
    fn drops(&self) -> Ask {
        Ask::Photo
    }

    /// Does what paths were asked for, of which there is at least one.
    fn take(&mut self, ask: Ask, paths: Vec<PathBuf>, desk: &mut Desk);

    /// Takes a text that is pasted; not if it is one that names photos.
    fn paste(&mut self, text: &str, desk: &mut Desk) -> bool {
        let _ = (text, desk);
        false
    }

    /// What is copied as text, and what the user is told of it.
    fn copy(&self) -> Option<(String, Word)> {
        None
    }

    /// What it adds to the window's title.
    fn title(&self) -> Option<String> {
        None
    }

    /// Whether all that was asked for is on the screen.
    fn is_settled(&self) -> bool {
        true
    }

    /// Something else is seen from now on.
    fn leave(&mut self, desk: &mut Desk) {
        let _ = desk;
    }

    /// Stops what threads are at and waits for them: before the program ends.
    fn close(&mut self) {}
}
