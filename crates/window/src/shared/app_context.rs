//! What the tabs of the window share, and how they ask for more.

use crate::{
    deck::used_deck::UsedDeck,
    shared::{
        eye::Eye,
        keys::Action,
        settings::{Settings, SettingsStore},
        words::{Word, t},
    },
};
use eframe::egui::Context;
use setsight_desktop::{Dialog, Pick};
use setsight_live::Input;
use setsight_photo::source::PHOTO_EXTENSIONS;
use std::{path::PathBuf, sync::Arc};

/// What a tab or a page asks of the window.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Command {
    /// To tell the user something, for a while.
    Say(String),
    /// To do what a key does.
    Act(Action),
    /// To show these photos and folders.
    Open(Vec<PathBuf>),
    /// To ask the user for paths, with a proposed name for a file to be written. The answer arrives
    /// in [`Tab::take`](crate::shared::tab::Tab::take).
    Ask(Ask, String),
    /// To watch this.
    Watch(Input),
    /// To take these paths as if the user had named them.
    Take(Ask, Vec<PathBuf>),
}

/// What all tabs share.
pub struct AppContext {
    /// The window's context.
    pub(crate) ctx: Context,
    /// What reads photos.
    pub(crate) eye: Arc<dyn Eye>,
    /// What the user has chosen, and where it is kept.
    pub store: SettingsStore,
    /// The deck that cards are read as.
    pub(crate) used_deck: UsedDeck,
    /// Whether the picture or the table fills the window, with nothing beside it.
    pub(crate) presenting: bool,
    /// What was asked for and is not done yet.
    pub(crate) commands: Vec<Command>,
}

impl AppContext {
    /// With nothing asked for.
    pub(crate) fn new(ctx: &Context, eye: Arc<dyn Eye>, store: SettingsStore) -> Self {
        let (ctx, used_deck) = (ctx.clone(), UsedDeck::default());
        Self { ctx, eye, store, used_deck, presenting: false, commands: Vec::new() }
    }

    /// Tells the user something, for a while.
    pub(crate) fn say(&mut self, words: String) {
        self.commands.push(Command::Say(words));
    }

    /// Has the user name a path that is there already.
    pub(crate) fn ask(&mut self, ask: Ask) {
        self.commands.push(Command::Ask(ask, String::new()));
    }

    /// What the user has chosen.
    pub(crate) fn settings(&self) -> &Settings {
        &self.store.settings
    }

    /// The time of this frame, in seconds.
    pub(crate) fn now(&self) -> f64 {
        self.ctx.input(|input| input.time)
    }

    /// Has the window drawn again, from any thread.
    pub(crate) fn wake(&self) -> impl Fn() + Send + Sync + 'static {
        let ctx = self.ctx.clone();
        move || ctx.request_repaint()
    }
}

/// A question for paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The tab that takes the paths; none is the window itself.
    pub(crate) tab: Option<&'static str>,
    /// The question.
    pub(crate) word: Word,
    /// What may be named; files are photos.
    pub(crate) pick: Pick,
}

impl Ask {
    /// The question of a tab.
    pub(crate) const fn of(tab: &'static str, word: Word, pick: Pick) -> Self {
        Self { tab: Some(tab), word, pick }
    }

    /// Its dialog, which proposes a name for a file to be written.
    pub(crate) fn dialog(self, name: String) -> Dialog {
        let mut filters = Vec::new();
        if self.pick == Pick::Files {
            // Some systems tell large letters from small ones.
            let large = PHOTO_EXTENSIONS.iter().map(|end| end.to_ascii_uppercase());
            let small = PHOTO_EXTENSIONS.iter().map(|end| (*end).to_owned());
            filters.push((t!("filter-photos"), small.chain(large).collect()));
            filters.push((t!("filter-all"), vec!["*".to_owned()]));
        }
        Dialog { title: self.word.say(), pick: self.pick, name, filters }
    }
}
