//! What a tab is: its entry in the list of all (`TABS` in `lib.rs`), and what it can do; what the tabs share, and
//! how they ask for more; and what reads photos for them: one small trait, so that tests can put a fake in its
//! place.

use crate::shared::keys::{Action, Binding, Place};
use crate::shared::settings::{Settings, SettingsStore};
use crate::shared::words::{Word, t};
use crate::{deck::UsedDeck, shared::reasons};
use eframe::egui::{Context, Key, Modifiers, Ui};
use serde_json::Value;
use setsight_desktop::{Dialog, Pick};
use setsight_game::cards::Deck;
use setsight_live::Input;
use setsight_nets::engine::{Models, used};
use setsight_photo::source::{self, PHOTO_EXTENSIONS, Photo, SourceError};
use setsight_photo::{Frame, geometry::Quad};
use setsight_vision::{CardImage, PhotoReading, Pipeline, Reading, ReadingPlan, TableFacts, Trace};
use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What the window knows of a tab before there is one.
pub(crate) struct TabSpec {
    /// A stable name: of [`Action::Tab`] and of [`Ask::tab`].
    pub(crate) id: &'static str,
    /// Its name in the bar.
    pub(crate) word: Word,
    /// The key that leads to it from everywhere, and what the page of keys says of it.
    pub(crate) shortcut: (Modifiers, Key, Word),
    /// Whether it is in the bar; a tab that is not needs a way to it from elsewhere.
    pub(crate) in_bar: bool,
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

    /// What is copied as text, and the message about it.
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

/// What a tab or a page asks of the window.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Command {
    /// To tell the user something, for a while.
    Say(String),
    /// The same of the photo that is shown, as it is.
    SayOfPhoto(String),
    /// To do what a key does.
    Act(Action),
    /// To show these photos and folders.
    Open(Vec<PathBuf>),
    /// To ask the user for paths, with a proposed name for a file to be written. The answer arrives
    /// in [`Tab::take`].
    Ask(Ask, String),
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

    /// Tells the user something of the photo that is shown, until another one is, or more or fewer
    /// of its cards are sure.
    pub(crate) fn say_of_photo(&mut self, words: String) {
        self.commands.push(Command::SayOfPhoto(words));
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
    pub(crate) const fn new(tab: &'static str, word: Word, pick: Pick) -> Self {
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

/// Reads photos on threads in the background.
pub trait Eye: Send + Sync {
    fn load(&self, path: &Path) -> Result<Photo, SourceError> {
        source::load_photo(path)
    }

    /// Decodes a photo only as large as reading needs.
    fn load_to_read(&self, path: &Path) -> Result<Photo, SourceError> {
        self.load(path)
    }

    /// From now on cards are those of this deck, or of any that the program knows.
    fn use_deck(&self, deck: Option<Arc<Deck>>) {
        let _ = deck;
    }

    /// Reads one card that a person has shown.
    fn read_card(
        &self,
        frame: &Frame,
        corners_in_image: Quad,
        facts: TableFacts,
    ) -> Result<(CardImage, Reading), String>;

    /// Reads a photo; `trace` receives each stage's time and picture.
    fn read(&self, photo: Photo, trace: &mut Trace<'_>) -> Result<PhotoReading, String>;
}

/// A pipeline, or why there is none.
type Made = Arc<Result<Pipeline, String>>;

/// The stages of the program itself, made when first needed: a window opens before its reader.
#[derive(Default)]
pub struct PipelineEye {
    plan: Mutex<ReadingPlan>,
    /// With the plan and the chosen models that it was made for: others may be chosen while the
    /// window is open.
    made: Mutex<Option<(ReadingPlan, Models, Made)>>,
}

impl PipelineEye {
    /// Reads by this plan; its deck is the one that is used last.
    pub(crate) fn new(plan: ReadingPlan) -> Self {
        Self { plan: Mutex::new(plan), made: Mutex::default() }
    }

    fn pipeline(&self) -> Made {
        let plan = self.plan.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let chosen = used::models();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        match &*made {
            Some((of, with, pipeline)) if *of == plan && *with == chosen => Arc::clone(pipeline),
            _ => {
                let pipeline = Arc::new(plan.build().map_err(|error| reasons::plan(&error)));
                *made = Some((plan, chosen, Arc::clone(&pipeline)));
                pipeline
            }
        }
    }
}

impl Eye for PipelineEye {
    fn load_to_read(&self, path: &Path) -> Result<Photo, SourceError> {
        source::load_to_read(path)
    }

    fn use_deck(&self, deck: Option<Arc<Deck>>) {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner).deck = deck;
    }

    fn read_card(
        &self,
        frame: &Frame,
        corners_in_image: Quad,
        facts: TableFacts,
    ) -> Result<(CardImage, Reading), String> {
        let pipeline = self.pipeline();
        let pipeline = pipeline.as_ref().as_ref().map_err(Clone::clone)?;
        pipeline.read_card(frame, corners_in_image, facts).map_err(|error| error.to_string())
    }

    fn read(&self, photo: Photo, trace: &mut Trace<'_>) -> Result<PhotoReading, String> {
        let pipeline = self.pipeline();
        let pipeline = pipeline.as_ref().as_ref().map_err(Clone::clone)?;
        pipeline.read_photo(photo, trace).map_err(|error| error.to_string())
    }
}
