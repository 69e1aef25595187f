//! The whole window: tabs, messages, dialogs. It edits nothing but state; whoever runs it (the
//! system's window, or a test) hands it a frame to draw into.

mod bar;
mod guide;

use crate::deal::DealTab;
use crate::deal::scores::Scores;
use crate::deck::used_deck::UsedDeck;
use crate::deck::{NewDeck, Wish};
use crate::live::LiveTab;
use crate::live::watchers;
use crate::photos::export;
use crate::photos::folder_export::FolderExport;
use crate::photos::welcome;
use crate::photos::{Photos, Task};
use crate::shared::dialogs::{Answer, Ask, Dialogs};
use crate::shared::eye::Eye;
use crate::shared::keys::{self, Action, Place};
use crate::shared::pages;
use crate::shared::picture;
use crate::shared::rules;
use crate::shared::settings::{Brightness, Keeper, SCALES};
use crate::shared::theme;
use crate::shared::words::{self, Language, Word, t};
use eframe::egui::{
    Align, Align2, CentralPanel, Color32, Context, Event, FontId, Frame, Id, Key, Label, LayerId,
    Layout, Order, Panel, RichText, Stroke, StrokeKind, TextEdit, Ui, ViewportCommand, vec2,
};
use image::RgbImage;
use setsight_files::whole_file::write_whole;
use setsight_live::Input;
use setsight_vision::ReaderChoice;
use setsight_vision::plan::ReadingPlan;
use std::path::PathBuf;
use std::sync::Arc;

/// How long a message stays, in seconds.
const MESSAGE_SECONDS: f64 = 8.0;

/// The large parts of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// Photos of tables.
    #[default]
    Photos,
    /// A game without photos.
    Deal,
    /// The camera.
    Live,
    /// A deck that is taught from photos.
    NewDeck,
}

/// A page over the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// All keys.
    Keys,
    /// What the user has chosen.
    Settings,
    /// The rules of the game.
    Rules,
    /// How to photograph.
    HowTo,
    /// What this program is.
    About,
}

/// Something that was said to the user.
struct Message {
    text: String,
    /// When, in seconds.
    since: f64,
    /// Where: elsewhere it is no longer seen.
    place: (Tab, Task),
}

/// The window's state.
pub struct Window {
    /// Which part is seen.
    pub tab: Tab,
    /// The photos.
    pub photos: Photos,
    /// The dealt game.
    pub deal: DealTab,
    /// The camera.
    pub live: LiveTab,
    /// How the command says that the camera's pictures are read.
    pub live_plan: ReadingPlan,
    new_deck: NewDeck,
    used_deck: UsedDeck,
    /// What the user has chosen.
    pub keeper: Keeper,
    /// The page that is open.
    pub page: Option<Page>,
    dialogs: Dialogs,
    /// A path that is being typed, and what for.
    typing_path: Option<(Ask, String)>,
    /// What was said last.
    message: Option<Message>,
    saving: Option<FolderExport>,
    /// What stands in the title bar.
    title: String,
}

impl Window {
    /// A window with nothing open.
    pub fn new(ctx: &Context, eye: Arc<dyn Eye>, keeper: Keeper) -> Self {
        theme::install(ctx);
        theme::apply(ctx, &keeper.settings);
        let mut deal = DealTab::default();
        deal.scores = Scores::at(keeper.beside("games.json"));
        Self {
            tab: Tab::default(),
            photos: Photos::new(eye),
            deal,
            live: LiveTab::new(watchers::system(ReadingPlan::default())),
            live_plan: ReadingPlan::default(),
            new_deck: NewDeck::default(),
            used_deck: UsedDeck::default(),
            keeper,
            page: None,
            dialogs: Dialogs::default(),
            typing_path: None,
            message: None,
            saving: None,
            title: String::new(),
        }
    }

    /// The same without the system's dialogs: paths are typed in the window.
    #[must_use]
    pub fn without_dialogs(mut self) -> Self {
        self.dialogs.never = true;
        self
    }

    /// Opens photos and folders.
    pub fn open(&mut self, ctx: &Context, paths: Vec<PathBuf>) {
        self.tab = Tab::Photos;
        if let Some(path) = paths.first() {
            // Wherever the program is started from the next time.
            let path = path.canonicalize().unwrap_or_else(|_| path.clone());
            self.keeper.settings.remember(path);
        }
        self.photos.open(ctx, paths);
    }

    /// Opens the table that the program brings with it.
    pub fn open_sample(&mut self, ctx: &Context) {
        self.tab = Tab::Photos;
        match image::load_from_memory(SAMPLE) {
            Ok(picture) => self.photos.paste(ctx, picture.into_rgb8(), &t!("sample-name")),
            Err(error) => self.say(ctx, t!("sample-failed", error = error.to_string())),
        }
    }

    /// Says something to the user for a while.
    pub fn say(&mut self, ctx: &Context, message: String) {
        let since = ctx.input(|input| input.time);
        self.message = Some(Message { text: message, since, place: self.place() });
    }

    fn place(&self) -> (Tab, Task) {
        (self.tab, self.photos.task)
    }

    /// What was said last.
    pub fn said(&self) -> Option<&str> {
        self.message.as_ref().map(|message| message.text.as_str())
    }

    /// What stands in the window's title bar.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether all that was asked for is on the screen.
    pub fn is_settled(&self) -> bool {
        match self.tab {
            Tab::Live => self.live.is_settled(),
            Tab::Photos | Tab::Deal => self.photos.is_settled(),
            Tab::NewDeck => self.new_deck.is_settled(),
        }
    }

    /// Stops what threads are at and waits for them: before the program ends.
    pub fn close(&mut self) {
        self.photos.close();
        self.new_deck.close();
    }

    /// Draws a frame and takes in what the user did.
    pub fn ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        theme::apply(&ctx, &self.keeper.settings);
        words::speak(self.keeper.settings.language.unwrap_or_else(Language::of_system));
        self.use_deck(&ctx);
        self.photos.update(&ctx);
        let mut messages = std::mem::take(&mut self.photos.messages);
        messages.append(&mut self.deal.messages);
        messages.append(&mut self.live.messages);
        messages.append(&mut self.new_deck.messages);
        if self.tab != Tab::Live && self.live.is_watching() {
            self.live.leave();
        }
        for message in messages {
            self.say(&ctx, message);
        }
        let typing = ctx.text_edit_focused();
        self.take_dropped(&ctx);
        self.take_answers(&ctx);
        let over = self.page.is_some() || self.typing_path.is_some() || self.deal.is_asking();
        // Nobody plays while something else is seen.
        if over && !self.deal.is_asking() || self.tab != Tab::Deal {
            self.deal.pause(ctx.input(|input| input.time));
        }
        let mut places = vec![Place::Window];
        if !typing && !over {
            places.extend(self.places());
            self.take_clipboard(&ctx);
        }
        for action in keys::pressed(&ctx, &places) {
            self.act(&ctx, action);
        }
        if std::mem::take(&mut self.deal.wants_file) {
            self.ask(&ctx, Ask::Deals);
        }
        if std::mem::take(&mut self.live.wants_film) {
            self.ask(&ctx, Ask::Film);
        }
        let frame = Frame::side_top_panel(ui.style()).inner_margin(vec2(14.0, 8.0));
        Panel::top("bar").frame(frame).show(ui, |ui| self.bar(ui));
        self.message_ui(ui);
        match self.tab {
            Tab::Photos if self.photos.is_open() => {
                self.photos.ui(ui, &self.keeper.settings, typing || over);
            }
            Tab::Photos => {
                let wish =
                    CentralPanel::default().show(ui, |ui| welcome::show(ui, &self.keeper.settings));
                match wish.inner {
                    Some(welcome::Wish::Act(action)) => self.act(&ctx, action),
                    Some(welcome::Wish::Open(path)) => self.open(&ctx, vec![path]),
                    None => {}
                }
            }
            Tab::Deal => self.deal.ui(ui, &self.keeper.settings, !(typing || over)),
            Tab::Live => self.live.ui(ui, &mut self.keeper.settings),
            Tab::NewDeck => match self.new_deck.ui(ui, &self.keeper.settings) {
                Some(Wish::Photos) => self.ask(&ctx, Ask::DeckPhotos),
                Some(Wish::Folder) => self.ask(&ctx, Ask::DeckFolder),
                Some(Wish::Save) => self.ask(&ctx, Ask::SaveDeck),
                None => {}
            },
        }
        self.pages(&ctx);
        self.dragged_ui(&ctx);
        self.name_window(&ctx);
        if let Err(error) = self.keeper.save() {
            self.say(&ctx, t!("settings-unkept", error = error.to_string()));
        }
    }

    fn places(&self) -> Vec<Place> {
        match self.tab {
            Tab::Photos if self.photos.is_open() => self.photos.places(),
            Tab::Photos => Vec::new(),
            Tab::Deal => self.deal.places(),
            Tab::Live => self.live.places(),
            Tab::NewDeck => Vec::new(),
        }
    }

    /// Has everything read as the deck that the settings name, if that is another than before.
    fn use_deck(&mut self, ctx: &Context) {
        let Some(opened) = self.used_deck.changed(&mut self.keeper.settings) else { return };
        let deck = opened.unwrap_or_else(|error| {
            self.say(ctx, error);
            None
        });
        self.photos.eye().use_deck(deck.clone());
        self.photos.read_again(ctx);
        let mut plan = self.live_plan.clone();
        // What the command says of the cards goes before the settings.
        let is_open = plan.models.is_none() && plan.deck.is_none();
        if let Some(deck) = deck.filter(|_| is_open) {
            if deck.is_taught() {
                plan.reader = ReaderChoice::default();
            }
            plan.deck = Some(deck);
        }
        self.live.read_by(watchers::system(plan));
    }

    /// Writes the deck that was taught; from now on cards are read as its.
    fn save_deck(&mut self, ctx: &Context, path: PathBuf) {
        let Some(deck) = self.new_deck.deck() else { return };
        let name = path.display().to_string();
        match write_whole(&path, deck.to_text().as_bytes()) {
            Ok(()) => {
                self.say(ctx, t!("deck-saved", name = deck.name.as_str(), path = name));
                // Its file may be that of the deck in use.
                self.used_deck = UsedDeck::default();
                self.keeper.settings.use_deck(path.canonicalize().unwrap_or(path));
            }
            Err(error) => self.say(ctx, t!("unwritable", path = name, error = error.to_string())),
        }
    }

    fn act(&mut self, ctx: &Context, action: Action) {
        let settings = &mut self.keeper.settings;
        match action {
            Action::Help => self.show_or_hide(Page::Keys),
            Action::Settings => self.show_or_hide(Page::Settings),
            Action::Rules => self.show_or_hide(Page::Rules),
            Action::HowTo => self.show_or_hide(Page::HowTo),
            Action::About => self.show_or_hide(Page::About),
            Action::Sample => self.open_sample(ctx),
            Action::OpenFolder => self.ask(ctx, Ask::Folder),
            Action::OpenPhoto => self.ask(ctx, Ask::Photo),
            Action::TypePath => self.typing_path = Some((Ask::Folder, String::new())),
            Action::Photos => self.tab = Tab::Photos,
            Action::Deal => self.tab = Tab::Deal,
            Action::Live => self.tab = Tab::Live,
            Action::NewDeck => self.tab = Tab::NewDeck,
            Action::ScaleUp => settings.scale = (settings.scale + 0.1).min(*SCALES.end()),
            Action::ScaleDown => settings.scale = (settings.scale - 0.1).max(*SCALES.start()),
            Action::Brightness => {
                let dark = ctx.global_style().visuals.dark_mode;
                settings.brightness = if dark { Brightness::Light } else { Brightness::Dark };
            }
            Action::Copy => self.copy(ctx),
            Action::FullScreen => {
                let full = ctx.input(|input| input.viewport().fullscreen.unwrap_or(false));
                ctx.send_viewport_cmd(ViewportCommand::Fullscreen(!full));
            }
            Action::Quit => ctx.send_viewport_cmd(ViewportCommand::Close),
            Action::ExportPicture => self.ask_export(ctx, Ask::SavePicture),
            Action::ExportJson => self.ask_export(ctx, Ask::SaveJson),
            Action::ExportAll => self.ask_export(ctx, Ask::SaveAll),
            action => match self.tab {
                Tab::Photos => self.photos.act(action),
                Tab::Deal => {
                    let now = ctx.input(|input| input.time);
                    self.deal.act(action, now);
                }
                Tab::Live => self.live.act(action),
                Tab::NewDeck => {}
            },
        }
    }

    fn show_or_hide(&mut self, page: Page) {
        self.page = if self.page == Some(page) { None } else { Some(page) };
    }

    fn ask(&mut self, ctx: &Context, ask: Ask) {
        let name = match ask {
            Ask::SaveDeck => self.new_deck.file_name(),
            _ => {
                self.photos.current().map_or_else(String::new, |(path, _)| export::name(path, ask))
            }
        };
        let ctx = ctx.clone();
        self.dialogs.ask(ask, &name, move || ctx.request_repaint());
    }

    fn ask_export(&mut self, ctx: &Context, ask: Ask) {
        if self.photos.current().is_some_and(|(_, found)| found.is_some()) {
            self.ask(ctx, ask);
        } else {
            self.say(ctx, t!("nothing-to-save"));
        }
    }

    fn take_answers(&mut self, ctx: &Context) {
        match self.dialogs.answer() {
            Some((ask, Answer::Paths(paths))) => self.use_paths(ctx, ask, paths),
            Some((ask, Answer::NoDialog)) => self.typing_path = Some((ask, String::new())),
            Some((_, Answer::Cancelled)) | None => {}
        }
    }

    /// Does what paths were asked for; all but photos are one.
    fn use_paths(&mut self, ctx: &Context, ask: Ask, paths: Vec<PathBuf>) {
        let Some(path) = paths.first().cloned() else { return };
        match ask {
            Ask::Folder | Ask::Photo => self.open(ctx, paths),
            Ask::Deals => {
                self.tab = Tab::Deal;
                self.deal.open(&path);
            }
            Ask::DeckPhotos | Ask::DeckFolder => {
                self.tab = Tab::NewDeck;
                self.new_deck.add(ctx, self.photos.eye(), &paths);
            }
            Ask::SaveDeck => self.save_deck(ctx, path),
            Ask::OpenDeck => {
                let path = path.canonicalize().unwrap_or(path);
                self.keeper.settings.use_deck(path);
            }
            Ask::Film => {
                self.tab = Tab::Live;
                self.live.choose(Input::Film(path));
            }
            Ask::SavePicture | Ask::SaveJson => {
                let codes = self.keeper.settings.codes;
                let written = export::write(&self.photos, ask, &path, codes);
                self.say(ctx, written.unwrap_or_else(|error| error));
            }
            Ask::SaveAll => {
                let (photos, eye) = (self.photos.all_read(), self.photos.eye());
                let wake = {
                    let ctx = ctx.clone();
                    move || ctx.request_repaint()
                };
                let codes = self.keeper.settings.codes;
                self.saving = Some(FolderExport::begin(photos, eye, &path, codes, wake));
            }
        }
    }

    fn take_dropped(&mut self, ctx: &Context) {
        let paths: Vec<PathBuf> = ctx.input(|input| {
            input.raw.dropped_files.iter().map(|file| file.path().to_path_buf()).collect()
        });
        match paths.as_slice() {
            [] => {}
            // A file of deals is a text; photos never are.
            [path] if path.extension().is_some_and(|end| end == "txt") => {
                self.use_paths(ctx, Ask::Deals, paths);
            }
            _ if self.tab == Tab::NewDeck => self.use_paths(ctx, Ask::DeckPhotos, paths),
            _ if self.tab == Tab::Photos && self.photos.is_open() => self.photos.add(ctx, paths),
            _ => self.open(ctx, paths),
        }
    }

    /// Copy and paste, where no text is being edited.
    fn take_clipboard(&mut self, ctx: &Context) {
        let events: Vec<Event> = ctx.input(|input| {
            let wanted = |event: &&Event| {
                matches!(event, Event::Copy | Event::Paste(_) | Event::PasteImage(_))
                    || copies_picture(event)
            };
            input.events.iter().filter(wanted).cloned().collect()
        });
        for event in events {
            match event {
                Event::Copy => self.copy(ctx),
                Event::Paste(text) if self.tab == Tab::Deal => self.deal.paste(&text),
                Event::Paste(text) => match export::paths_in(&text) {
                    Ok(paths) if self.tab == Tab::NewDeck => {
                        self.use_paths(ctx, Ask::DeckPhotos, paths);
                    }
                    Ok(paths) => self.open(ctx, paths),
                    Err(reason) => self.say(ctx, reason),
                },
                Event::PasteImage(picture) => {
                    let [width, height] = picture.size.map(|side| side as u32);
                    let rgb = picture.pixels.iter().flat_map(|p| [p.r(), p.g(), p.b()]).collect();
                    if let Some(picture) = RgbImage::from_raw(width, height, rgb) {
                        self.tab = Tab::Photos;
                        self.photos.paste(ctx, picture, &t!("pasted-name"));
                    }
                }
                _ => self.copy_picture(ctx),
            }
        }
    }

    /// Copies the board, or the game's transcript, as text.
    fn copy(&mut self, ctx: &Context) {
        let (text, what) = match self.tab {
            Tab::Photos => (export::text(&self.photos), Word("board-copied")),
            Tab::Deal => (self.deal.transcript(), Word("transcript-copied")),
            Tab::Live => (self.live.text(), Word("board-copied")),
            Tab::NewDeck => return,
        };
        if let Some(text) = text {
            ctx.copy_text(text);
            self.say(ctx, what.say());
        }
    }

    /// Copies the photo with its sets.
    fn copy_picture(&mut self, ctx: &Context) {
        if self.tab != Tab::Photos {
            return;
        }
        match export::picture(&self.photos, self.keeper.settings.codes) {
            Some(image) => {
                ctx.copy_image(picture::color_image(&image));
                self.say(ctx, t!("picture-copied"));
            }
            None => self.say(ctx, t!("no-picture-yet")),
        }
    }

    fn pages(&mut self, ctx: &Context) {
        let settings = &mut self.keeper.settings;
        let closed = match self.page {
            Some(Page::Keys) => pages::help(ctx),
            Some(Page::Settings) => {
                let chosen = pages::settings(ctx, settings);
                if chosen.open_deck {
                    self.ask(ctx, Ask::OpenDeck);
                }
                chosen.close || chosen.open_deck
            }
            Some(Page::Rules) => rules::page(ctx, settings),
            Some(Page::HowTo) => guide::how_to(ctx),
            Some(Page::About) => guide::about(ctx),
            None => false,
        };
        if closed {
            self.page = None;
        }
        self.path_page(ctx);
    }

    /// A field for a path, where the system has no dialog or the user would rather type.
    fn path_page(&mut self, ctx: &Context) {
        let Some((ask, mut text)) = self.typing_path.take() else { return };
        let answer = pages::modal(ctx, "path", 520.0, |ui| {
            ui.heading(ask.words());
            let label = ui.label(t!("path"));
            let field = ui
                .add(TextEdit::singleline(&mut text).desired_width(f32::INFINITY))
                .labelled_by(label.id);
            if !field.has_focus() && !field.lost_focus() {
                field.request_focus();
            }
            let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            ui.add_space(6.0);
            ui.horizontal(|ui| {
                let go = ui.button(t!("ok")).clicked() || entered;
                (go, ui.button(t!("cancel")).clicked())
            })
            .inner
        });
        let (go, cancel) = answer.inner;
        if go && !text.trim().is_empty() {
            match export::paths_in(&text) {
                Ok(paths) if !ask.writes_file() => {
                    self.use_paths(ctx, ask, paths);
                    return;
                }
                Err(reason) if !ask.writes_file() => {
                    self.say(ctx, reason);
                }
                _ => {
                    self.use_paths(ctx, ask, vec![PathBuf::from(text.trim())]);
                    return;
                }
            }
        }
        if !(cancel || answer.should_close()) {
            self.typing_path = Some((ask, text));
        }
    }

    /// What was said last, in a row of its own: it covers nothing. On another page it is gone.
    fn message_ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        if let Some(words) = self.saving.as_ref().and_then(FolderExport::outcome) {
            self.saving = None;
            self.say(&ctx, words);
        }
        let now = ctx.input(|input| input.time);
        let place = self.place();
        let is_over =
            |message: &mut Message| now - message.since > MESSAGE_SECONDS || message.place != place;
        self.message.take_if(is_over);
        let text = match (&self.saving, &self.message) {
            (_, Some(message)) => {
                let left = (MESSAGE_SECONDS - (now - message.since)).max(0.05);
                ctx.request_repaint_after(std::time::Duration::from_secs_f64(left));
                message.text.clone()
            }
            (Some(saving), None) => saving.progress(),
            (None, None) => return,
        };
        let frame = Frame::new().fill(Color32::from_rgb(44, 48, 56)).inner_margin(vec2(14.0, 6.0));
        let mut closed = false;
        Panel::top("message").frame(frame).show(ui, |ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if self.message.is_some() {
                    closed = ui.small_button("×").accessible_name(t!("close-message")).clicked();
                }
                ui.with_layout(Layout::left_to_right(Align::Center).with_main_wrap(true), |ui| {
                    ui.add(Label::new(RichText::new(&text).color(Color32::WHITE)).wrap());
                });
            });
        });
        if closed {
            self.message = None;
        }
    }

    /// Files that are held over the window: here they may be let go.
    fn dragged_ui(&self, ctx: &Context) {
        if ctx.input(|input| input.raw.hovered_files.is_empty()) {
            return;
        }
        let painter = ctx.layer_painter(LayerId::new(Order::Foreground, Id::unique("dragged")));
        let room = ctx.content_rect();
        painter.rect_filled(room, 0.0, Color32::from_black_alpha(150));
        let line = Stroke::new(4.0, theme::CHOSEN);
        painter.rect_stroke(room.shrink(10.0), 12.0, line, StrokeKind::Inside);
        let adds = self.tab == Tab::Photos && self.photos.is_open();
        let words = if self.tab == Tab::NewDeck {
            t!("learn-from-these-photos")
        } else if adds {
            t!("add-these-photos")
        } else {
            t!("open-these-photos")
        };
        let font = FontId::proportional(28.0);
        painter.text(room.center(), Align2::CENTER_CENTER, words, font, Color32::WHITE);
    }

    /// The photo's name in the title bar, as far as one is seen.
    fn name_window(&mut self, ctx: &Context) {
        let photo = self.photos.current().filter(|_| self.tab == Tab::Photos);
        let title = match photo {
            Some((path, _)) => format!("{} — setsight", welcome::name_of(path)),
            None => "setsight".to_owned(),
        };
        if title != self.title {
            ctx.send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }
}

/// Whether an event is the key that copies the picture: with Shift, the toolkit gives it as any key.
fn copies_picture(event: &Event) -> bool {
    let Event::Key { key: Key::C, pressed: true, modifiers, .. } = event else { return false };
    modifiers.command && modifiers.shift && !modifiers.alt
}

/// The table that the program brings with it.
const SAMPLE: &[u8] = include_bytes!("../../../datasets/samples/1-plain-on-wood.jpg");
