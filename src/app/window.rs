//! The whole window: tabs, messages, dialogs. It edits nothing but state; whoever runs it (the
//! system's window, or a test) hands it a frame to draw into.

use super::deal::DealTab;
use super::dialogs::{Answer, Ask, Dialogs};
use super::eye::Eye;
use super::keys::{self, Action, Place};
use super::live::LiveTab;
use super::photos::Photos;
use super::reading::{self, Reading};
use super::settings::{Brightness, Keeper, SCALES};
use super::{export, pages, theme};
use crate::live::Input;
use eframe::egui::{
    Align, Align2, Area, Button, CentralPanel, Color32, Context, Event, Frame, Id, Key, Layout,
    Panel, RichText, TextEdit, Ui, ViewportCommand, vec2,
};
use image::RgbImage;
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
    /// What the user has chosen.
    pub keeper: Keeper,
    /// Whether the page of keys is open.
    pub help: bool,
    /// Whether the settings are open.
    pub settings: bool,
    dialogs: Dialogs,
    /// A path that is being typed, and what for.
    typing_path: Option<(Ask, String)>,
    /// What was said last, and when, in seconds.
    message: Option<(String, f64)>,
}

impl Window {
    /// A window with nothing open.
    pub fn new(ctx: &Context, eye: Arc<dyn Eye>, keeper: Keeper) -> Self {
        theme::install(ctx);
        theme::apply(ctx, &keeper.settings);
        Self {
            tab: Tab::default(),
            photos: Photos::new(eye),
            deal: DealTab::default(),
            live: LiveTab::new(reading::system(Reading::default())),
            keeper,
            help: false,
            settings: false,
            dialogs: Dialogs::default(),
            typing_path: None,
            message: None,
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
        self.keeper.settings.last_opened = paths.first().map(|path| {
            // Wherever the program is started from the next time.
            path.canonicalize().unwrap_or_else(|_| path.clone())
        });
        self.photos.open(ctx, paths);
    }

    /// Says something to the user for a while.
    pub fn say(&mut self, ctx: &Context, message: String) {
        let now = ctx.input(|input| input.time);
        self.message = Some((message, now));
    }

    /// What was said last.
    pub fn said(&self) -> Option<&str> {
        self.message.as_ref().map(|(text, _)| text.as_str())
    }

    /// Whether all that was asked for is on the screen.
    pub fn is_settled(&self) -> bool {
        match self.tab {
            Tab::Live => self.live.is_settled(),
            Tab::Photos | Tab::Deal => self.photos.is_settled(),
        }
    }

    /// Draws a frame and takes in what the user did.
    pub fn ui(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        theme::apply(&ctx, &self.keeper.settings);
        self.photos.update(&ctx);
        let mut messages = std::mem::take(&mut self.photos.messages);
        messages.append(&mut self.deal.messages);
        messages.append(&mut self.live.messages);
        if self.tab != Tab::Live && self.live.is_watching() {
            self.live.leave();
        }
        for message in messages {
            self.say(&ctx, message);
        }
        let typing = ctx.text_edit_focused();
        self.take_dropped(&ctx);
        self.take_answers(&ctx);
        let over =
            self.help || self.settings || self.typing_path.is_some() || self.deal.is_typing();
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
        match self.tab {
            Tab::Photos if self.photos.is_open() => {
                self.photos.ui(ui, &self.keeper.settings, typing || over);
            }
            Tab::Photos => {
                CentralPanel::default().show(ui, |ui| self.welcome(ui));
            }
            Tab::Deal => self.deal.ui(ui, &self.keeper.settings),
            Tab::Live => self.live.ui(ui, &mut self.keeper.settings),
        }
        self.pages(&ctx);
        self.message_ui(&ctx);
        if let Err(error) = self.keeper.save() {
            self.say(&ctx, format!("The settings cannot be kept: {error}"));
        }
    }

    fn places(&self) -> Vec<Place> {
        match self.tab {
            Tab::Photos if self.photos.is_open() => self.photos.places(),
            Tab::Photos => Vec::new(),
            Tab::Deal => vec![Place::Deal],
            Tab::Live => self.live.places(),
        }
    }

    fn act(&mut self, ctx: &Context, action: Action) {
        let settings = &mut self.keeper.settings;
        match action {
            Action::Help => self.help = !self.help,
            Action::Settings => self.settings = !self.settings,
            Action::OpenFolder => self.ask(ctx, Ask::Folder),
            Action::OpenPhoto => self.ask(ctx, Ask::Photo),
            Action::TypePath => self.typing_path = Some((Ask::Folder, String::new())),
            Action::Photos => self.tab = Tab::Photos,
            Action::Deal => self.tab = Tab::Deal,
            Action::Live => self.tab = Tab::Live,
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
            action => match self.tab {
                Tab::Photos => self.photos.act(action),
                Tab::Deal => {
                    let now = ctx.input(|input| input.time);
                    self.deal.act(action, now);
                }
                Tab::Live => self.live.act(action),
            },
        }
    }

    fn ask(&mut self, ctx: &Context, ask: Ask) {
        let name =
            self.photos.current().map_or_else(String::new, |(path, _)| export::name(path, ask));
        let ctx = ctx.clone();
        self.dialogs.ask(ask, &name, move || ctx.request_repaint());
    }

    fn ask_export(&mut self, ctx: &Context, ask: Ask) {
        if self.photos.current().is_some_and(|(_, found)| found.is_some()) {
            self.ask(ctx, ask);
        } else {
            self.say(ctx, "There is nothing to save yet.".into());
        }
    }

    fn take_answers(&mut self, ctx: &Context) {
        match self.dialogs.answer() {
            Some((ask, Answer::Path(path))) => self.use_path(ctx, ask, path),
            Some((ask, Answer::NoDialog)) => self.typing_path = Some((ask, String::new())),
            Some((_, Answer::Cancelled)) | None => {}
        }
    }

    /// Does what a path was asked for.
    fn use_path(&mut self, ctx: &Context, ask: Ask, path: PathBuf) {
        match ask {
            Ask::Folder | Ask::Photo => self.open(ctx, vec![path]),
            Ask::Deals => {
                self.tab = Tab::Deal;
                self.deal.open(&path);
            }
            Ask::Film => {
                self.tab = Tab::Live;
                self.live.choose(Input::Film(path));
            }
            Ask::SavePicture | Ask::SaveJson => {
                let written = export::write(&self.photos, ask, &path);
                self.say(ctx, written.unwrap_or_else(|error| error));
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
                self.use_path(ctx, Ask::Deals, path.clone());
            }
            _ => self.open(ctx, paths),
        }
    }

    /// Copy and paste, where no text is being edited.
    fn take_clipboard(&mut self, ctx: &Context) {
        let events: Vec<Event> = ctx.input(|input| {
            let wanted = |event: &&Event| {
                matches!(event, Event::Copy | Event::Paste(_) | Event::PasteImage(_))
            };
            input.events.iter().filter(wanted).cloned().collect()
        });
        for event in events {
            match event {
                Event::Copy => {
                    self.copy(ctx);
                }
                Event::Paste(text) if self.tab == Tab::Deal => self.deal.paste(&text),
                Event::Paste(text) => match export::paths_in(&text) {
                    Ok(paths) => self.open(ctx, paths),
                    Err(reason) => self.say(ctx, reason),
                },
                Event::PasteImage(picture) => {
                    let [width, height] = picture.size.map(|side| side as u32);
                    let rgb = picture.pixels.iter().flat_map(|p| [p.r(), p.g(), p.b()]).collect();
                    if let Some(picture) = RgbImage::from_raw(width, height, rgb) {
                        self.tab = Tab::Photos;
                        self.photos.paste(ctx, picture);
                    }
                }
                _ => {}
            }
        }
    }

    /// Copies the board, or the game's transcript, as text.
    fn copy(&mut self, ctx: &Context) {
        let (text, what) = match self.tab {
            Tab::Photos => (export::text(&self.photos), "board"),
            Tab::Deal => (self.deal.transcript(), "transcript"),
            Tab::Live => (self.live.text(), "board"),
        };
        if let Some(text) = text {
            ctx.copy_text(text);
            self.say(ctx, format!("The {what} is on the clipboard."));
        }
    }

    fn bar(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        ui.horizontal(|ui| {
            let narrow = ui.available_width() < 560.0;
            if !narrow {
                ui.label(RichText::new("setsight").heading().strong());
                ui.add_space(10.0);
            }
            for (tab, word) in [(Tab::Photos, "Photos"), (Tab::Deal, "Deal"), (Tab::Live, "Live")] {
                if ui.add(Button::selectable(self.tab == tab, word)).clicked() {
                    self.tab = tab;
                }
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if narrow {
                    ui.menu_button("Menu", |ui| {
                        self.entries(ui, &OPENING);
                        if self.can_save() {
                            self.entries(ui, &SAVING);
                        }
                        self.entries(ui, &ABOUT);
                    });
                    return;
                }
                for (action, word) in ABOUT.into_iter().rev() {
                    if ui.button(word).clicked() {
                        self.act(&ctx, action);
                    }
                }
                ui.menu_button("Open…", |ui| self.entries(ui, &OPENING));
                if self.can_save() {
                    ui.menu_button("Save…", |ui| self.entries(ui, &SAVING));
                }
            });
        });
    }

    fn can_save(&self) -> bool {
        self.tab == Tab::Photos && self.photos.is_open()
    }

    /// Actions in a menu.
    fn entries(&mut self, ui: &mut Ui, entries: &[(Action, &str)]) {
        let ctx = ui.ctx().clone();
        for &(action, words) in entries {
            if ui.button(words).clicked() {
                self.act(&ctx, action);
                ui.close();
            }
        }
    }

    fn welcome(&mut self, ui: &mut Ui) {
        let ctx = ui.ctx().clone();
        ui.vertical_centered(|ui| {
            ui.add_space((ui.available_height() * 0.16).max(8.0));
            fan(ui, &self.keeper.settings);
            ui.add_space(18.0);
            ui.label(RichText::new("Which cards are a set?").size(30.0).strong());
            ui.add_space(4.0);
            ui.label("Drop photos of a table here, paste one, or open them.");
            ui.add_space(16.0);
            let size = vec2(260.0, 42.0);
            for (action, words) in [
                (Action::OpenFolder, "Open a folder of photos"),
                (Action::OpenPhoto, "Open a photo"),
            ] {
                if ui.add(Button::new(words).min_size(size)).clicked() {
                    self.act(&ctx, action);
                }
            }
            if ui.add(Button::new("Deal cards without photos").min_size(size)).clicked() {
                self.tab = Tab::Deal;
            }
            if let Some(last) =
                self.keeper.settings.last_opened.clone().filter(|path| path.exists())
            {
                let name =
                    last.file_name().unwrap_or(last.as_os_str()).to_string_lossy().into_owned();
                if ui.add(Button::new(format!("Open {name} again")).min_size(size)).clicked() {
                    self.open(&ctx, vec![last]);
                }
            }
        });
    }

    fn pages(&mut self, ctx: &Context) {
        if self.help && pages::help(ctx) {
            self.help = false;
        }
        if self.settings && pages::settings(ctx, &mut self.keeper.settings) {
            self.settings = false;
        }
        self.path_page(ctx);
    }

    /// A field for a path, where the system has no dialog or the user would rather type.
    fn path_page(&mut self, ctx: &Context) {
        let Some((ask, mut text)) = self.typing_path.take() else { return };
        let answer =
            eframe::egui::Modal::new(Id::unique("path")).frame(pages::page(ctx)).show(ctx, |ui| {
                ui.set_width((ctx.content_rect().width() - 60.0).min(520.0));
                ui.heading(ask.words());
                let label = ui.label("Path");
                let field = ui
                    .add(TextEdit::singleline(&mut text).desired_width(f32::INFINITY))
                    .labelled_by(label.id);
                if !field.has_focus() && !field.lost_focus() {
                    field.request_focus();
                }
                let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
                ui.add_space(6.0);
                ui.horizontal(|ui| {
                    let go = ui.button("OK").clicked() || entered;
                    (go, ui.button("Cancel").clicked())
                })
                .inner
            });
        let (go, cancel) = answer.inner;
        if go && !text.trim().is_empty() {
            match export::paths_in(&text) {
                Ok(paths) if ask != Ask::SavePicture && ask != Ask::SaveJson => {
                    self.use_path(ctx, ask, paths[0].clone());
                    return;
                }
                Err(reason) if ask != Ask::SavePicture && ask != Ask::SaveJson => {
                    self.say(ctx, reason);
                }
                _ => {
                    self.use_path(ctx, ask, PathBuf::from(text.trim()));
                    return;
                }
            }
        }
        if !(cancel || answer.should_close()) {
            self.typing_path = Some((ask, text));
        }
    }

    fn message_ui(&mut self, ctx: &Context) {
        let now = ctx.input(|input| input.time);
        let Some((text, since)) = &self.message else { return };
        if now - since > MESSAGE_SECONDS {
            self.message = None;
            return;
        }
        let left = (MESSAGE_SECONDS - (now - since)).max(0.05);
        ctx.request_repaint_after(std::time::Duration::from_secs_f64(left));
        let text = text.clone();
        let mut closed = false;
        Area::new(Id::unique("message")).anchor(Align2::CENTER_TOP, vec2(0.0, 56.0)).show(
            ctx,
            |ui| {
                Frame::popup(ui.style())
                    .fill(Color32::from_rgb(44, 48, 56))
                    .inner_margin(12.0)
                    .show(ui, |ui| {
                        ui.set_max_width((ctx.content_rect().width() - 60.0).min(620.0));
                        ui.horizontal(|ui| {
                            ui.add(
                                eframe::egui::Label::new(
                                    RichText::new(&text).color(Color32::WHITE),
                                )
                                .wrap(),
                            );
                            closed =
                                ui.small_button("×").accessible_name("Close the message").clicked();
                        });
                    });
            },
        );
        if closed {
            self.message = None;
        }
    }
}

const OPENING: [(Action, &str); 3] = [
    (Action::OpenFolder, "A folder of photos"),
    (Action::OpenPhoto, "A photo"),
    (Action::TypePath, "Type a path"),
];
const SAVING: [(Action, &str); 3] = [
    (Action::ExportPicture, "The picture with its sets"),
    (Action::ExportJson, "Cards and sets as JSON"),
    (Action::Copy, "Copy the board as text"),
];
const ABOUT: [(Action, &str); 2] = [(Action::Settings, "Settings"), (Action::Help, "Keys")];

/// A set of three cards, as a greeting.
fn fan(ui: &mut Ui, settings: &super::settings::Settings) {
    use super::card_face::{ASPECT, paint, rect_at};
    let width = (ui.available_width() / 3.6).min(150.0);
    let all = vec2(3.0 * width + 28.0, width / ASPECT);
    let (rect, response) = ui.allocate_exact_size(all, eframe::egui::Sense::hover());
    response.widget_info(|| {
        eframe::egui::WidgetInfo::labeled(
            eframe::egui::Role::Image,
            true,
            "Three cards that are a set",
        )
    });
    for (i, code) in ["1fgd", "2sps", "3oro"].into_iter().enumerate() {
        let card = code.parse().expect("a code");
        let min = rect.min + vec2(i as f32 * (width + 14.0), 0.0);
        paint(ui.painter(), rect_at(min, width), card, settings);
    }
}
