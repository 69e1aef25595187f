//! The whole window: tabs, messages, dialogs. It edits nothing but state; its runner (the
//! system's window, or a test) hands it a frame to draw into.

mod bar;
pub(crate) mod pages;
mod path_page;

use crate::{
    live::{self, LiveTab},
    phones::{self, PhoneEvent, Phones},
    photos::{self, ASK_FOLDER, ASK_PHOTOS, MORE_PHOTOS, PhotoState, Photos, Task, export},
    shared::{
        keys::{self, Action, Place},
        pages::modal,
        settings::{Brightness, SCALES, SettingsStore},
        tab::{AppContext, Ask, Command, Eye, Tab},
        theme,
        words::{self, Language, Word, t},
    },
    tabs::{self, Tabs},
};
use eframe::egui::{
    Align, Align2, Area, Color32, Context, Event, FontId, Frame, Id, Key, Label, LayerId, Layout,
    Modifiers, Order, Panel, Popup, RichText, Stroke, StrokeKind, Ui, ViewportCommand, vec2,
};
use image::RgbImage;
pub use pages::Page;
use path_page::{Outcome, PathPage};
use setsight_desktop::{Answer, Dialogs, Pick};
use setsight_live::LiveSource;
use setsight_vision::{ReaderChoice, ReadingPlan};
use std::path::{Path, PathBuf};
use std::{sync::Arc, time::Duration};

/// How long a message stays, in seconds.
const MESSAGE_SECONDS: f64 = 8.0;
/// How long the way back is shown after the pointer has moved, in seconds.
const EXIT_FULLSCREEN_SECONDS: f32 = 3.0;

/// Asks for the file of a deck, as which cards are read then.
const ASK_DECK: Ask = Ask { tab: None, word: Word("ask-open-deck"), pick: Pick::File };

/// Something that was said to the user.
struct Message {
    text: String,
    /// When, in seconds.
    since: f64,
    /// Where: elsewhere it is no longer seen.
    place: (&'static str, Task),
    /// What it is about.
    photo: Option<PhotoState>,
}

/// The window's state.
pub struct Window {
    /// Its large parts.
    pub tabs: Tabs,
    /// How the command says that the camera's pictures are read.
    pub(crate) live_plan: ReadingPlan,
    /// Phones that send photos and live pictures.
    pub phones: Phones,
    /// What they share.
    pub app: AppContext,
    pub page: Option<Page>,
    dialogs: Dialogs<Ask>,
    /// What the page of keys is searched for.
    searched: String,
    /// Whether the user is asked about leaving.
    is_leaving: bool,
    /// A path that is being typed.
    typing_path: Option<PathPage>,
    /// The name that was proposed for the file that a dialog asks for.
    proposed: String,
    /// What was said last.
    message: Option<Message>,
    /// What stands in the title bar.
    title: String,
}

impl Window {
    /// A window with nothing open.
    pub fn new(ctx: &Context, eye: Arc<dyn Eye>, store: SettingsStore) -> Self {
        theme::install(ctx);
        theme::apply(ctx, &store.settings);
        let app = AppContext::new(ctx, eye, store);
        Self {
            tabs: Tabs::new(&app),
            live_plan: ReadingPlan::default(),
            phones: Phones::default(),
            app,
            page: None,
            dialogs: Dialogs::default(),
            searched: String::new(),
            is_leaving: false,
            typing_path: None,
            proposed: String::new(),
            message: None,
            title: String::new(),
        }
    }

    /// The name of the tab that is seen.
    pub fn tab_id(&self) -> &'static str {
        self.tabs.spec().id
    }

    /// The tab of this type.
    pub fn tab<T: Tab>(&self) -> &T {
        self.tabs.get()
    }

    /// The same without the system's dialogs: paths are typed in the window.
    #[must_use]
    pub fn without_dialogs(mut self) -> Self {
        self.dialogs.never = true;
        self
    }

    /// Opens photos and folders, or a single file of another tab's kind.
    pub fn open(&mut self, paths: Vec<PathBuf>) {
        if let Some(ask) = ask_for_one(&paths) {
            return self.use_paths(ask, paths);
        }
        self.tabs.see(photos::TAB.id);
        if let Some(path) = paths.first() {
            // Wherever the program is started from the next time.
            let path = dunce::canonicalize(path).unwrap_or_else(|_| path.clone());
            self.app.store.settings.remember(path);
        }
        self.tabs.get_mut::<Photos>().open(&self.app, paths);
    }

    /// Opens the table that the program brings with it.
    fn open_sample(&mut self) {
        match image::load_from_memory(SAMPLE) {
            Ok(picture) => self.paste(picture.into_rgb8(), &t!("sample-name")),
            Err(error) => self.app.say(t!("sample-failed", error = error.to_string())),
        }
    }

    /// Opens a picture that lies in no file.
    fn paste(&mut self, picture: RgbImage, name: &str) {
        self.tabs.see(photos::TAB.id);
        self.tabs.get_mut::<Photos>().paste(&self.app, picture, name);
    }

    /// Says something to the user for a while.
    pub(crate) fn say(&mut self, text: String) {
        let since = self.app.now();
        self.message = Some(Message { text, since, place: self.place(), photo: None });
    }

    fn place(&self) -> (&'static str, Task) {
        (self.tab_id(), self.tab::<Photos>().view.task)
    }

    /// The message that is shown.
    pub fn message(&self) -> Option<&str> {
        self.message.as_ref().map(|message| message.text.as_str())
    }

    /// What stands in the window's title bar.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether all that was asked for is on the screen.
    pub fn is_settled(&self) -> bool {
        self.tabs.current().is_settled() && self.tab::<Photos>().is_settled()
    }

    /// Stops what threads are at and waits for them: before the program ends.
    pub fn close(&mut self) {
        self.phones.close();
        self.tabs.iter_mut().for_each(|(tab, _)| tab.close());
    }

    /// Draws a frame and takes in what the user did.
    pub fn ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        theme::apply(&ctx, self.app.settings());
        words::speak(self.app.settings().language.unwrap_or_else(Language::of_system));
        self.use_deck();
        for (tab, is_current) in self.tabs.iter_mut() {
            tab.update(&mut self.app);
            if !is_current {
                tab.leave(&mut self.app);
            }
        }
        self.take_from_phones();
        self.run_commands(&ctx);
        let typing = ctx.text_edit_focused();
        self.take_dropped(&ctx);
        self.take_answers();
        let has_page = self.page.is_some() || self.typing_path.is_some() || self.is_leaving;
        if has_page {
            self.tabs.current_mut().cover(&mut self.app);
        }
        // A menu that is open has the keys: Escape closes it.
        let has_menu = Popup::is_any_open(&ctx);
        let is_covered = has_page || self.tabs.current().is_asking();
        let keys = !(typing || is_covered || has_menu);
        let mut places = vec![Place::Window];
        if keys {
            places.extend(self.tabs.current().places());
            self.take_clipboard(&ctx);
        }
        if keys
            && self.app.presenting
            && ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape))
        {
            self.present(&ctx, false);
        }
        let focused = ctx.memory(|memory| memory.focused()).is_some();
        let on_button = focused && !self.tabs.current().has_focus_in_hand();
        for action in keys::pressed(&ctx, &places, on_button) {
            if !is_covered || action.is_done_under_a_page() {
                self.act(&ctx, action);
            }
        }
        self.run_commands(&ctx);
        let alone = self.app.presenting;
        if !alone {
            let frame = Frame::side_top_panel(ui.style()).inner_margin(vec2(14.0, 8.0));
            Panel::top("bar").frame(frame).show(ui, |ui| self.bar(ui));
        }
        self.message_ui(ui);
        if !alone {
            let action = phones::row(ui, &self.phones);
            self.run_page_action(action);
        }
        self.tabs.current_mut().ui(ui, &mut self.app, keys);
        if alone {
            self.exit_fullscreen_button(&ctx);
        }
        self.pages(&ctx);
        self.dragged_ui(&ctx);
        theme::focus_ring(&ctx);
        self.run_commands(&ctx);
        self.name_window(&ctx);
        if let Err(error) = self.app.store.save() {
            self.say(t!("settings-unkept", error = error.to_string()));
        }
    }

    /// Does what was asked for.
    fn run_commands(&mut self, ctx: &Context) {
        for command in std::mem::take(&mut self.app.commands) {
            match command {
                Command::Say(words) => self.say(words),
                Command::SayOfPhoto(words) => {
                    self.say(words);
                    let photo = self.tab::<Photos>().state();
                    self.message.iter_mut().for_each(|message| message.photo.clone_from(&photo));
                }
                Command::Act(action) => self.act(ctx, action),
                Command::Open(paths) => self.open(paths),
                Command::Ask(ask, name) => {
                    self.proposed.clone_from(&name);
                    self.dialogs.ask(ask, ask.dialog(name), self.app.wake());
                }
                Command::Watch(input) => {
                    self.tabs.get_mut::<LiveTab>().choose(input, &mut self.app);
                }
                Command::Take(ask, paths) => self.use_paths(ask, paths),
            }
        }
    }

    /// Has everything read as the deck that the settings name, if that is another than before.
    fn use_deck(&mut self) {
        let app = &mut self.app;
        let Some(opened) = app.used_deck.changed(&mut app.store.settings) else { return };
        let deck = opened.unwrap_or_else(|error| {
            app.say(error);
            None
        });
        app.eye.use_deck(deck);
        let plan = self.plan();
        self.tabs.iter_mut().for_each(|(tab, _)| tab.read_by(&plan, &mut self.app));
        self.phones.read_by(plan);
    }

    /// How cameras' and phones' pictures are read.
    fn plan(&self) -> ReadingPlan {
        let mut plan = self.live_plan.clone();
        // What the command says of the cards goes before the settings.
        let is_open = plan.models.is_none() && plan.deck.is_none();
        if let Some(deck) = self.app.used_deck.deck().filter(|_| is_open) {
            if deck.is_taught() {
                plan.reader = ReaderChoice::default();
            }
            plan.deck = Some(deck);
        }
        plan
    }

    /// Takes over what phones have sent. A user of photos or of the camera sees it at once; a
    /// player gets a message.
    fn take_from_phones(&mut self) {
        for event in self.phones.events() {
            let looks = [photos::TAB.id, live::TAB.id].contains(&self.tab_id());
            match event {
                PhoneEvent::Came(phone) => {
                    self.page.take_if(|page| *page == Page::Phone);
                    self.say(t!("phone-came", n = phone));
                }
                PhoneEvent::Photo(path) => {
                    if looks {
                        self.tabs.see(photos::TAB.id);
                    }
                    let photos = self.tabs.get_mut::<Photos>();
                    photos.take(MORE_PHOTOS, vec![path], &mut self.app);
                    self.say(t!("phone-photo-came"));
                }
                PhoneEvent::Unkept(error) => {
                    self.say(t!("phone-unkept", error = error.to_string()))
                }
                PhoneEvent::Live(game) => {
                    if looks {
                        self.tabs.see(live::TAB.id);
                    }
                    let phone = game.phone;
                    self.say(t!("phone-live", n = phone));
                    let live = self.tabs.get_mut::<LiveTab>();
                    live.watch_phone(
                        phone,
                        Box::new(move || Box::new(game.clone()) as Box<dyn LiveSource>),
                        &mut self.app,
                    );
                }
            }
        }
    }

    fn run_page_action(&mut self, action: phones::PageAction) {
        if action.stop {
            self.phones.stop();
            self.tabs.get_mut::<LiveTab>().forget_phone(&mut self.app);
            self.say(t!("phone-stopped"));
        }
        if action.close {
            self.page.take_if(|page| *page == Page::Phone);
        }
        if action.open {
            self.page = Some(Page::Phone);
        }
    }

    fn act(&mut self, ctx: &Context, action: Action) {
        // A menu would lie over what comes now.
        Popup::close_all(ctx);
        let settings = &mut self.app.store.settings;
        match action {
            Action::Page(page) => self.toggle_page(page),
            Action::Sample => self.open_sample(),
            Action::OpenFolder => self.app.ask(ASK_FOLDER),
            Action::OpenPhoto => self.app.ask(ASK_PHOTOS),
            Action::TypePath => self.type_path(ASK_FOLDER, ""),
            Action::Tab(id) => self.tabs.see(id),
            Action::Back => self.tabs.go_back(),
            Action::ScaleUp => settings.scale = (settings.scale + 0.1).min(*SCALES.end()),
            Action::ScaleDown => settings.scale = (settings.scale - 0.1).max(*SCALES.start()),
            Action::Brightness => {
                let dark = ctx.global_style().visuals.dark_mode;
                settings.brightness = if dark { Brightness::Light } else { Brightness::Dark };
            }
            Action::Copy => self.copy(),
            Action::FullScreen => self.present(ctx, !self.app.presenting),
            Action::Stages => {
                self.tabs.see(photos::TAB.id);
                self.tabs.current_mut().act(action, &mut self.app);
            }
            Action::Quit if self.tabs.get_mut::<Photos>().learning.is_running(ctx) => {
                self.is_leaving = true;
            }
            Action::Quit => ctx.send_viewport_cmd(ViewportCommand::Close),
            action => self.tabs.current_mut().act(action, &mut self.app),
        }
    }

    /// Has the whole screen show the picture or the table alone, or a window again.
    fn present(&mut self, ctx: &Context, presenting: bool) {
        self.app.presenting = presenting;
        ctx.send_viewport_cmd(ViewportCommand::Fullscreen(presenting));
    }

    /// The way back without a key, as long as the pointer moves.
    fn exit_fullscreen_button(&mut self, ctx: &Context) {
        let rests = ctx.input(|input| input.pointer.time_since_last_movement());
        if rests > EXIT_FULLSCREEN_SECONDS {
            return;
        }
        ctx.request_repaint_after(Duration::from_secs_f32(EXIT_FULLSCREEN_SECONDS));
        let area = Area::new(Id::unique("exit-fullscreen")).order(Order::Foreground);
        let shown = area.anchor(Align2::RIGHT_TOP, vec2(-12.0, 12.0)).show(ctx, |ui| {
            let tip = keys::key_hover(Action::FullScreen);
            ui.button(t!("back-to-window")).on_hover_text(tip).clicked()
        });
        if shown.inner {
            self.present(ctx, false);
        }
    }

    fn take_answers(&mut self) {
        match self.dialogs.answer() {
            Some((ask, Answer::Paths(paths))) => self.use_paths(ask, paths),
            Some((ask, Answer::NoDialog)) => {
                let name = std::mem::take(&mut self.proposed);
                self.type_path(ask, &name);
            }
            Some((_, Answer::Cancelled)) | None => {}
        }
    }

    /// Does what paths were asked for.
    fn use_paths(&mut self, ask: Ask, paths: Vec<PathBuf>) {
        let Some(path) = paths.first() else { return };
        match ask.tab {
            Some(id) => {
                self.tabs.see(id);
                self.tabs.current_mut().take(ask, paths, &mut self.app);
            }
            None => {
                let path = dunce::canonicalize(path).unwrap_or_else(|_| path.clone());
                self.app.store.settings.use_deck(path);
            }
        }
    }

    fn take_dropped(&mut self, ctx: &Context) {
        let paths: Vec<PathBuf> = ctx.input(|input| {
            input.raw.dropped_files.iter().map(|file| file.path().to_path_buf()).collect()
        });
        let ask = ask_for_one(&paths).or_else(|| Some(self.tabs.current().drops()?.0));
        self.use_paths(ask.unwrap_or(ASK_PHOTOS), paths);
    }

    /// Copy and paste, where no text is being edited.
    fn take_clipboard(&mut self, ctx: &Context) {
        let events: Vec<Event> = ctx.input(|input| {
            input
                .events
                .iter()
                .filter(|event| {
                    matches!(event, Event::Copy | Event::Paste(_) | Event::PasteImage(_))
                })
                .cloned()
                .collect()
        });
        for event in events {
            match event {
                Event::Paste(text) => {
                    if !self.tabs.current_mut().paste(&text, &mut self.app) {
                        self.paste_paths(&text);
                    }
                }
                Event::PasteImage(picture) => {
                    let [width, height] = picture.size.map(|side| side as u32);
                    let rgb = picture.pixels.iter().flat_map(|p| [p.r(), p.g(), p.b()]).collect();
                    if let Some(picture) = RgbImage::from_raw(width, height, rgb) {
                        self.paste(picture, &t!("pasted-name"));
                    }
                }
                _ => self.copy(),
            }
        }
    }

    /// Opens the photos that a text names.
    fn paste_paths(&mut self, text: &str) {
        // Those that are open make room for them.
        let ask = match self.tabs.current().drops() {
            Some((MORE_PHOTOS, _)) | None => ASK_PHOTOS,
            Some((ask, _)) => ask,
        };
        match export::paths_in(text) {
            Ok(paths) => self.use_paths(ask, paths),
            Err(reason) => self.app.say(reason),
        }
    }

    /// Copies the board, or the game's transcript, as text.
    fn copy(&mut self) {
        if let Some((text, what)) = self.tabs.current().copy() {
            self.app.ctx.copy_text(text);
            self.app.say_of_photo(what.say());
        }
    }

    fn pages(&mut self, ctx: &Context) {
        if let Some(page) = self.page
            && (page.spec().draw)(self, ctx)
        {
            self.page = None;
        }
        self.path_page(ctx);
        self.leave_page(ctx);
    }

    /// A training would be stopped: does the user want that?
    fn leave_page(&mut self, ctx: &Context) {
        if !self.is_leaving {
            return;
        }
        let answer = modal(ctx, "leave", 380.0, |ui| {
            ui.heading(t!("still-learning"));
            ui.label(t!("still-learning-what"));
            ui.add_space(6.0);
            let buttons = |ui: &mut Ui| {
                (ui.button(t!("go-on-learning")).clicked(), ui.button(t!("keys-leave")).clicked())
            };
            ui.horizontal_wrapped(buttons).inner
        });
        let (go_on, leave) = answer.inner;
        if leave {
            ctx.send_viewport_cmd(ViewportCommand::Close);
        }
        self.is_leaving = !(go_on || leave || answer.should_close());
    }

    fn type_path(&mut self, ask: Ask, name: &str) {
        let recent = self.app.settings().recent.first();
        let folder = recent.and_then(|path| path.parent()).filter(|folder| folder.is_dir());
        self.typing_path = Some(PathPage::new(ask, folder.map(Path::to_path_buf), name));
    }

    fn path_page(&mut self, ctx: &Context) {
        let Some(page) = &mut self.typing_path else { return };
        let ask = page.ask;
        match page.show(ctx) {
            Outcome::Open => {}
            Outcome::Cancelled => self.typing_path = None,
            Outcome::Paths(paths) => {
                self.typing_path = None;
                self.use_paths(ask, paths);
            }
        }
    }

    /// What was said last, in a row of its own: it covers nothing. On another page it is gone.
    fn message_ui(&mut self, ui: &mut Ui) {
        let now = self.app.now();
        let (place, photo) = (self.place(), self.tab::<Photos>().state());
        self.message.take_if(|message| {
            now - message.since > MESSAGE_SECONDS
                || message.place != place
                || message.photo.is_some() && message.photo != photo
        });
        let text = match &self.message {
            Some(message) => {
                let left = (MESSAGE_SECONDS - (now - message.since)).max(0.05);
                ui.request_repaint_after(std::time::Duration::from_secs_f64(left));
                message.text.clone()
            }
            None => match self.tabs.iter().find_map(Tab::progress) {
                Some(progress) => progress,
                None => return,
            },
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
        let words =
            self.tabs.current().drops().map_or(Word("open-these-photos"), |(_, words)| words);
        let font = FontId::proportional(28.0);
        painter.text(room.center(), Align2::CENTER_CENTER, words.say(), font, Color32::WHITE);
    }

    /// The photo's name in the title bar, as far as one is seen.
    fn name_window(&mut self, ctx: &Context) {
        let title = match self.tabs.current().title() {
            Some(name) => format!("{name} — setsight"),
            None => "setsight".to_owned(),
        };
        if title != self.title {
            ctx.send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }
}

/// As what a single path is opened that names a file of a tab's own kind.
fn ask_for_one(paths: &[PathBuf]) -> Option<Ask> {
    if let [path] = paths { tabs::ask_for(path) } else { None }
}

/// The table that the program brings with it.
const SAMPLE: &[u8] = include_bytes!("../sample.jpg");
