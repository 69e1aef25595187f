//! The camera's tab: the picture as it runs, its sets in the three ways to look, and the game's
//! count.

pub(crate) mod watched;

use crate::{
    live::watched::{Chooser, Watchers},
    shared::{
        keys::{Action, CTRL, Place, key_hover, key_of},
        look::{Look, Mode},
        look_panel, overlay,
        picture::{View, ground, zoom_buttons},
        reasons,
        settings::{CameraSettings, Settings},
        split::Split,
        tab::{AppContext, Ask, Command, Tab, TabSpec},
        table::{Heap, Table},
        verdict,
        words::{Word, t},
    },
    window::Page,
};
use eframe::egui::{
    Align2, Button, CentralPanel, Color32, Context, FontId, Frame, Id, Key, Label, Pos2, Rect,
    RichText, ScrollArea, TextureHandle, TextureOptions, Ui, pos2, vec2,
};
use serde_json::{Value, json};
use setsight_desktop::{Pick, color_image};
use setsight_game::cards::Card;
use setsight_live::{
    CameraChoice, Cameras, FramePace, Input, LiveCommand, LiveSource, LiveView, Notice, Recording,
    cameras::{self, CameraInfo, CameraWish, SystemCameras},
    films::record,
    views::{snapshot, top_view},
};
use setsight_photo::geometry::Homography;
use setsight_vision::{Mirrored, ReadingPlan};
use std::path::{Path, PathBuf};
use std::{io, sync::Arc};

/// What the switch for mirrored pictures offers.
const MIRRORED: [(Word, Mirrored); 3] = [
    (Word("mirrored-auto"), Mirrored::Auto),
    (Word("mirrored-yes"), Mirrored::Yes),
    (Word("mirrored-no"), Mirrored::No),
];

/// A picture that comes later than this is seen to be late.
const LATE_MS: f64 = 400.0;
/// A table seen for so long is known.
const SETTLED_MS: f64 = 1_500.0;
/// Most width of the panel, and the height below which it scrolls as a whole.
const PANEL: (f32, f32) = (330.0, 640.0);

/// How the names of films end. Others are opened by the button for films.
const FILM_EXTENSIONS: [&str; 9] =
    ["avi", "mp4", "m4v", "mov", "mkv", "webm", "mpg", "mpeg", "3gp"];

/// Its entry in the list of tabs.
pub(crate) const TAB: TabSpec = TabSpec {
    id: "live",
    word: Word("tab-live"),
    shortcut: (CTRL, Key::Num3, Word("keys-live")),
    in_bar: true,
    opens: |path| is_film(path).then_some(ASK_FILM),
    make: |_| Box::new(LiveTab::new(watched::system(ReadingPlan::default(), FramePace::Newest))),
};

pub(crate) const ASK_FILM: Ask = Ask::new(TAB.id, Word("ask-film"), Pick::File);

fn is_film(path: &Path) -> bool {
    FILM_EXTENSIONS
        .iter()
        .any(|end| path.extension().is_some_and(|given| given.eq_ignore_ascii_case(end)))
        && !path.is_dir()
}

/// Makes a source of the pictures that a phone sends.
type PhoneSource = Box<dyn Fn() -> Box<dyn LiveSource>>;

pub struct LiveTab {
    watchers: Watchers,
    /// What is watched.
    input: Input,
    /// By which name its settings are remembered; `None` for films, and while no camera is there.
    camera: Option<String>,
    /// What is wanted of it.
    wish: CameraWish,
    /// A film to record as soon as the camera is watched.
    pub(crate) record_as: Option<PathBuf>,
    /// Whether the table is shown as from straight above.
    top_view: bool,
    /// How it was straightened last.
    top_view_from_image: Option<Homography>,
    /// Whether its pictures are mirrored.
    pub(crate) mirrored: Mirrored,
    /// By how many quarters they are turned to the right.
    quarters: u8,
    /// A phone that is watched in place of it, by its number: it sends its pictures by itself.
    phone: Option<(u32, PhoneSource)>,
    source: Option<Box<dyn LiveSource>>,
    view: Arc<LiveView>,
    texture: Option<TextureHandle>,
    /// The frame that the texture shows.
    shown: Option<u64>,
    table: Table,
    zoom: View,
    frozen: bool,
    pub cameras: Box<dyn Fn() -> Vec<CameraInfo>>,
    chooser: Chooser,
    /// Whether what can be set and pressed stands above the sets.
    shows_controls: bool,
    /// Where pictures are kept.
    pub folder: PathBuf,
    /// What is looked at, in which way.
    pub look: Look,
}

impl LiveTab {
    /// Watches nothing yet.
    pub fn new(watchers: Watchers) -> Self {
        Self {
            watchers,
            input: Input::default(),
            camera: None,
            wish: CameraWish::default(),
            record_as: None,
            top_view: false,
            top_view_from_image: None,
            mirrored: Mirrored::default(),
            quarters: 0,
            phone: None,
            source: None,
            view: Arc::default(),
            texture: None,
            shown: None,
            table: Table::default(),
            zoom: View::default(),
            frozen: false,
            cameras: Box::new(|| SystemCameras::default().list()),
            chooser: Chooser::default(),
            shows_controls: false,
            folder: PathBuf::from("setsight-live"),
            look: Look::default(),
        }
    }

    /// The sets that are drawn now: none of their cards is covered.
    pub(crate) fn drawn_sets(&self) -> Vec<[Card; 3]> {
        let drawn = (0..self.table.shown_sets()).filter(|&set| !self.table.rests(set));
        drawn.map(|set| self.table.set_at(set).map(|card| self.table.cards[card].card)).collect()
    }

    /// Whether no other picture comes: the film has ended, or something is wrong.
    pub(crate) fn is_over(&self) -> bool {
        self.view.ended || self.view.notice.is_some()
    }

    /// Watches this from now on.
    pub fn choose(&mut self, input: Input, app: &mut AppContext) {
        // What was chosen for the last one does not hold for this one.
        (self.camera, self.quarters, self.wish) = (None, 0, CameraWish::default());
        self.mirrored = Mirrored::Auto;
        self.input = input;
        self.leave(app);
        self.phone = None;
    }

    /// Watches a phone from now on, which sends its pictures by itself.
    pub fn watch_phone(&mut self, number: u32, source: PhoneSource, app: &mut AppContext) {
        self.leave(app);
        self.phone = Some((number, source));
    }

    /// Phones send nothing more: what was watched before is watched again.
    pub fn forget_phone(&mut self, app: &mut AppContext) {
        if self.phone.is_some() {
            self.leave(app);
            self.phone = None;
        }
    }

    /// What is watched, by name.
    fn source_name(&self) -> String {
        match &self.phone {
            Some((number, _)) => t!("phone-number", n = *number),
            None => named(&self.input),
        }
    }

    fn command(&mut self, command: LiveCommand) {
        if let Some(source) = &mut self.source {
            source.command(command);
        }
    }

    fn freeze(&mut self, hold: bool) {
        self.frozen = hold;
        self.command(LiveCommand::Freeze(hold));
    }

    fn turn(&mut self) {
        if self.phone.is_some() {
            return; // Its pictures stand upright, there and here.
        }
        self.quarters = (self.quarters + 1) % 4;
        self.command(LiveCommand::Turn(self.quarters));
    }

    fn straighten(&mut self) {
        self.top_view = !self.top_view;
        self.top_view_from_image = None;
        self.shown = None; // The same frame is drawn otherwise.
    }

    /// Whether a game can be recorded: a film is recorded already.
    fn can_record(&self) -> bool {
        let is_film = self.phone.is_none() && matches!(self.input, Input::Film(_));
        !is_film && self.view.frame.is_some()
    }

    /// Begins to record under the next free name, or ends the recording.
    fn record(&mut self, app: &mut AppContext) {
        if self.view.recording.as_ref().is_some_and(Recording::is_running) {
            self.command(LiveCommand::StopRecording);
        } else if self.can_record() {
            match next_film(&self.folder) {
                Ok(film) => self.command(LiveCommand::Record(film)),
                Err(error) => {
                    let (path, error) = (self.folder.display().to_string(), error.to_string());
                    app.say(t!("recording-impossible", path = path, error = error));
                }
            }
        }
    }

    /// What is remembered of the camera that is to be opened.
    fn recall(&mut self, settings: &Settings) {
        self.camera = match &self.input {
            Input::Camera(choice) => {
                cameras::choose(&(self.cameras)(), choice).ok().map(|camera| camera.name)
            }
            Input::Network(address) => Some(address.to_string()),
            Input::Film(_) | Input::Feed(_) => None,
        };
        let Some(saved) = self.camera.as_ref().and_then(|name| settings.cameras.get(name)) else {
            return;
        };
        self.quarters = saved.quarters % 4;
        self.wish = saved.wish;
        // The command line's word goes before what is remembered.
        if let (Mirrored::Auto, Some(mirrored)) = (self.mirrored, saved.mirrored) {
            self.mirrored = if mirrored { Mirrored::Yes } else { Mirrored::No };
        }
    }

    /// Remembers what is chosen for the camera.
    fn remember(&self, settings: &mut Settings) {
        let Some(name) = self.camera.as_ref().filter(|_| self.phone.is_none()) else { return };
        let mirrored = match self.mirrored {
            Mirrored::Auto => None,
            Mirrored::Yes => Some(true),
            Mirrored::No => Some(false),
        };
        let now = CameraSettings { quarters: self.quarters, mirrored, wish: self.wish };
        let before = settings.cameras.get(name).copied().unwrap_or_default();
        if now != before {
            settings.cameras.insert(name.clone(), now);
        }
    }

    fn choose_source(&mut self) {
        self.chooser.toggle(&self.cameras);
    }

    /// Keeps the frame that is seen and its JSON.
    fn save(&self, app: &mut AppContext) {
        app.say(match snapshot::save(&self.view, &self.folder) {
            Ok((picture, _)) => t!("picture-kept", path = picture.display().to_string()),
            Err(error) => t!("picture-unkept", error = error.to_string()),
        });
    }

    fn show(&mut self, ui: &mut Ui, app: &mut AppContext) {
        if app.presenting {
            self.look.pointed = None;
        } else {
            let split = Split::new(ui.available_size(), PANEL.0, PANEL.1);
            split.show(ui, "live panel", vec2(14.0, 10.0), |ui| self.side_panel(ui, app));
        }
        let ground = Frame::new().fill(Color32::from_gray(24));
        CentralPanel::default().frame(ground).show(ui, |ui| self.picture(ui, app));
    }

    /// Takes over what the camera saw since.
    fn watch(&mut self, ctx: &Context, settings: &Settings) {
        if self.source.is_none() && self.view.notice.is_none() {
            if self.camera.is_none() && self.phone.is_none() {
                self.recall(settings);
            }
            let begun = match &self.phone {
                Some((_, source)) => Ok(source()),
                None => (self.watchers)(ctx, &self.input, self.mirrored),
            };
            match begun {
                Ok(mut source) => {
                    if self.quarters != 0 {
                        source.command(LiveCommand::Turn(self.quarters));
                    }
                    if self.wish != CameraWish::default() {
                        source.command(LiveCommand::Set(self.wish));
                    }
                    if let Some(film) = self.record_as.take() {
                        source.command(LiveCommand::Record(film));
                    }
                    self.source = Some(source);
                }
                Err(reason) => {
                    let notice = Some(Notice::new(reason, &t!("camera-unread-advice")));
                    self.view = Arc::new(LiveView { notice, ..LiveView::default() });
                }
            }
        }
        let Some(source) = &mut self.source else { return };
        self.view = source.view();
        if self.shown == Some(self.view.number) && self.texture.is_some() {
            return;
        }
        let Some(frame) = &self.view.frame else { return };
        self.shown = Some(self.view.number);
        let mut read = self.view.tracked.table.clone();
        if self.top_view {
            // Under a hand too few cards may be in view: it stays as it was then.
            let map = top_view::top_view_from_image(&self.view.tracked);
            self.top_view_from_image = map.or(self.top_view_from_image);
        }
        let map = self.top_view_from_image;
        let top_view = map.and_then(|map| Some((top_view::top_view_of(frame, &map)?, map)));
        let picture = match top_view {
            Some((image, map)) => {
                for card in &mut read.cards {
                    card.corners_in_image = map.apply_quad(&card.corners_in_image);
                }
                color_image(&image)
            }
            None => color_image(frame),
        };
        match &mut self.texture {
            Some(texture) => texture.set(picture, TextureOptions::LINEAR),
            None => {
                self.texture = Some(ctx.load_texture("camera", picture, TextureOptions::LINEAR))
            }
        }
        // Sets with a covered card keep their place in the list.
        read.find_sets();
        let tracks = &self.view.tracked.tracks;
        let readings = tracks.iter().map(|track| Some(track.reading.clone())).collect();
        let mut table = Table::new(read, readings);
        table.covered = (0..tracks.len()).filter(|&place| tracks[place].hidden).collect();
        // The game's own chance stands above the list of sets.
        table.chance_shown_elsewhere = true;
        let codes = |table: &Table| -> Vec<_> {
            table.cards.iter().map(|card| (card.card, card.unsure)).collect()
        };
        if codes(&table) != codes(&self.table) {
            // Another table: what was given away or chosen was of the last one.
            self.look.start_again();
        }
        self.table = table;
    }

    fn picture(&mut self, ui: &mut Ui, app: &mut AppContext) {
        let room = ui.available_rect_before_wrap();
        let id = Id::unique("camera picture");
        if let (Some(texture), Some(frame)) = (&self.texture, &self.view.frame) {
            let size = vec2(frame.width() as f32, frame.height() as f32);
            let name = t!("camera-picture");
            let (_, placement) = ground(ui, texture.id(), size, &mut self.zoom, id, &name);
            let painter = ui.painter_at(room);
            // Which card lies on another is found out for photos alone: here all moves.
            let table = (&self.table, &Heap::default());
            overlay::paint(&painter, &placement, table, &self.look, app.settings());
            let hits = overlay::interact(ui, &placement, &self.table, id, &self.look);
            if let (Mode::Learn, Some(card)) = (self.look.mode, hits.clicked) {
                self.look.choose(card);
            }
            verdict::paint(ui, &placement, &self.table, &self.look, app.presenting);
            if !app.presenting {
                zoom_buttons(ui, &mut self.zoom, size, room);
            }
            if self.frozen {
                let text = t!("held", key = key_of(Action::Freeze));
                overlay::caption(&painter, room, &text);
            } else if self.top_view && self.top_view_from_image.is_none() {
                let text = t!("straightened-soon", key = key_of(Action::Straighten));
                overlay::caption(&painter, room, &text);
            }
        } else if self.view.notice.is_none() {
            words(ui, room.center(), &t!("waiting-for-camera"));
        }
        let command = match &self.view.notice {
            _ if self.chooser.is_open() => popup(ui, room, |ui| {
                ui.label(RichText::new(t!("what-to-watch")).heading());
                let command = self.chooser.ui(ui);
                if ui.button(t!("close")).clicked() {
                    self.chooser = Chooser::default();
                }
                command
            }),
            Some(notice) => {
                let notice = notice.clone();
                popup(ui, room, |ui| self.notice_ui(ui, &notice))
            }
            None => None,
        };
        app.commands.extend(command);
    }

    /// What is wrong, what to do, and what else could be watched.
    fn notice_ui(&mut self, ui: &mut Ui, notice: &Notice) -> Option<Command> {
        let (title, advice) = reasons::notice(notice);
        ui.label(RichText::new(title).heading());
        ui.label(advice);
        ui.add_space(8.0);
        let mut command = None;
        ui.horizontal_wrapped(|ui| {
            if ui.button(t!("choose-camera")).clicked() {
                self.choose_source();
            }
            if ui.button(t!("open-film")).clicked() {
                command = Some(Command::Ask(ASK_FILM, String::new()));
            }
            if ui.button(t!("phone-button")).on_hover_text(t!("phone-scan")).clicked() {
                command = Some(Command::Act(Action::Page(Page::Phone)));
            }
        });
        command
    }

    fn side_panel(&mut self, ui: &mut Ui, app: &mut AppContext) {
        ui.horizontal_wrapped(|ui| {
            look_panel::modes(ui, &mut self.look);
            ui.toggle_value(&mut self.shows_controls, t!("camera-controls"));
        });
        ui.add_space(6.0);
        if self.shows_controls {
            self.controls(ui, app);
            ui.separator();
        }
        let film = self.view.film;
        let command = film.and_then(|film| watched::film_ui(ui, &film, self.view.ended));
        if let Some(command) = command {
            self.command(command);
        }
        if let Some(recording) = &self.view.recording {
            watched::recording_ui(ui, recording);
        }
        if self.view.frame.is_some() {
            self.game(ui);
        }
        ui.separator();
        // Before the first look nothing is known, not even that there is no card.
        if self.view.tracked.looked {
            look_panel::show(ui, &self.table, &mut self.look, app.settings());
        } else if self.view.frame.is_some() {
            ui.heading(t!("looking-for-cards"));
        }
    }

    /// What is watched and how, and what is kept of it.
    fn controls(&mut self, ui: &mut Ui, app: &mut AppContext) {
        ui.horizontal(|ui| {
            if ui.button(t!("watch-what")).on_hover_text(t!("watch-help")).clicked() {
                self.choose_source();
            }
            if ui.button(t!("phone-button")).on_hover_text(t!("phone-scan")).clicked() {
                app.commands.push(Command::Act(Action::Page(Page::Phone)));
            }
            let name = self.source_name();
            ui.add(Label::new(RichText::new(&name).weak()).truncate()).on_hover_text(name);
        });
        ui.horizontal_wrapped(|ui| {
            let tip = t!("turn-help", key = key_of(Action::Turn));
            if self.phone.is_none() && ui.button(t!("turn")).on_hover_text(tip).clicked() {
                self.turn();
            }
            let above = Button::selectable(self.top_view, t!("from-above"));
            let words = t!("from-above-help", key = key_of(Action::Straighten));
            if ui.add(above).on_hover_text(words).clicked() {
                self.straighten();
            }
        });
        if self.phone.is_none() {
            self.mirrored_ui(ui, app);
        }
        ui.horizontal_wrapped(|ui| {
            let word = if self.frozen { t!("go-on") } else { t!("hold") };
            if ui.add(Button::new(word)).on_hover_text(key_hover(Action::Freeze)).clicked() {
                self.freeze(!self.frozen);
            }
            let keep = ui.button(t!("keep-picture"));
            if keep.on_hover_text(key_hover(Action::SaveFrame)).clicked() {
                self.save(app);
            }
            let new_game = ui.button(t!("new-game"));
            if new_game.on_hover_text(key_hover(Action::NewGame)).clicked() {
                self.command(LiveCommand::NewGame);
            }
            let running = self.view.recording.as_ref().is_some_and(Recording::is_running);
            if running || self.can_record() {
                let word = if running { t!("stop-recording") } else { t!("record") };
                let path = self.folder.display().to_string();
                let help = t!("record-help", path = path, key = key_of(Action::Record));
                if ui.button(word).on_hover_text(help).clicked() {
                    self.record(app);
                }
            }
        });
        if let Some(wish) = watched::camera_ui(ui, &self.view.offer, self.wish) {
            self.wish = wish;
            self.command(LiveCommand::Set(wish));
        }
    }

    /// Whether the camera's pictures are mirrored: a row of its own, for it is no button of another.
    fn mirrored_ui(&mut self, ui: &mut Ui, app: &mut AppContext) {
        ui.horizontal_wrapped(|ui| {
            ui.label(t!("mirrored"));
            let before = self.mirrored;
            for (word, mirrored) in MIRRORED {
                let is_chosen = self.mirrored == mirrored;
                if ui.add(Button::selectable(is_chosen, word.say())).clicked() {
                    self.mirrored = mirrored;
                }
            }
            if self.mirrored != before {
                self.leave(app); // Read anew.
            }
        });
    }

    fn game(&self, ui: &mut Ui) {
        let score = &self.view.score;
        ui.label(t!(
            "live-count",
            cards = t!("count-cards", n = score.distinct_cards),
            sets = t!("count-sets", n = score.taken.len()),
            left = score.left
        ));
        match score.chance {
            Some(chance) => ui.label(t!("live-chance", percent = (100.0 * chance.value()).round())),
            None => ui.label(t!("live-no-three")),
        };
        // Where the picture keeps up nobody need think of it.
        if self.view.latency_ms > LATE_MS {
            let seconds = format!("{:.1}", self.view.latency_ms / 1e3);
            ui.label(t!("live-late", seconds = seconds));
        }
    }
}

impl Tab for LiveTab {
    fn ui(&mut self, ui: &mut Ui, app: &mut AppContext, _: bool) {
        self.watch(ui.ctx(), app.settings());
        self.show(ui, app);
        self.remember(&mut app.store.settings);
    }

    fn places(&self) -> Vec<Place> {
        vec![Place::Live]
    }

    fn act(&mut self, action: Action, app: &mut AppContext) {
        match action {
            Action::Look(mode) => self.look.mode = mode,
            Action::Clear if !self.zoom.is_fitted() => self.zoom = View::default(),
            action if self.look.act(action, &self.table) => {}
            Action::Freeze => self.freeze(!self.frozen),
            Action::SaveFrame => self.save(app),
            Action::NewGame => self.command(LiveCommand::NewGame),
            Action::Turn => self.turn(),
            Action::Straighten => self.straighten(),
            Action::Record => self.record(app),
            _ => {}
        }
    }

    fn take(&mut self, _: Ask, paths: Vec<PathBuf>, app: &mut AppContext) {
        self.choose(Input::Film(paths[0].clone()), app);
    }

    /// The board: codes, sets. None before anything was seen.
    fn copy(&self) -> Option<(String, Word)> {
        self.view.frame.as_ref()?;
        let code = |i: usize| self.table.cards[i].card.to_string();
        let cards: Vec<String> = (0..self.table.cards.len()).map(code).collect();
        let sets =
            self.table.sets.iter().map(|set| format!("set: {}\n", set.0.map(code).join(" ")));
        let text = format!("{}\n{}", cards.join(" "), sets.collect::<String>());
        Some((text, Word("board-copied")))
    }

    /// Whether a table was seen long enough to be known.
    fn is_settled(&self) -> bool {
        self.view.time_ms > SETTLED_MS || self.is_over()
    }

    fn describe(&self, line: &mut Value) {
        line["sets"] = json!(
            self.drawn_sets()
                .into_iter()
                .map(|set| set.map(|card| card.to_string()))
                .collect::<Vec<_>>()
        );
    }

    fn read_by(&mut self, plan: &ReadingPlan, app: &mut AppContext) {
        self.leave(app);
        self.watchers = watched::system(plan.clone(), FramePace::Newest);
    }

    /// Lets go of the camera.
    fn leave(&mut self, app: &mut AppContext) {
        let running = self.view.recording.as_ref().filter(|recording| recording.is_running());
        if let Some(path) = running.map(|recording| recording.film.display().to_string()) {
            app.say(t!("recording-kept", path = path));
            // A phone's game goes on where nobody sees it here.
            self.command(LiveCommand::StopRecording);
        }
        self.source = None;
        self.view = Arc::default();
        self.texture = None;
        self.shown = None;
        self.top_view_from_image = None;
        self.frozen = false;
    }
}

/// The next film of a folder that neither it nor its lines are written over.
fn next_film(folder: &Path) -> io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    (1..10_000u32)
        .map(|n| folder.join(format!("game-{n:04}.avi")))
        .find(|film| record::check(film).is_ok())
        .ok_or_else(|| io::Error::other(t!("no-number-free")))
}

fn words(ui: &Ui, at: Pos2, text: &str) {
    let color = Color32::from_gray(200);
    ui.painter().text(at, Align2::CENTER_CENTER, text, FontId::proportional(18.0), color);
}

/// A box in the middle of the picture.
fn popup<T>(ui: &mut Ui, room: Rect, content: impl FnOnce(&mut Ui) -> T) -> T {
    let width = (room.width() - 40.0).clamp(160.0, 480.0);
    let top = (room.center().y - 120.0).max(room.min.y + 4.0);
    let size = vec2(width, room.max.y - top - 4.0);
    let rect = Rect::from_min_size(pos2(room.center().x - width / 2.0, top), size);
    let mut child = ui.new_child(eframe::egui::UiBuilder::new().max_rect(rect));
    let frame = Frame::popup(child.style()).inner_margin(18.0);
    frame
        .show(&mut child, |ui| {
            ui.set_width(width - 36.0);
            ScrollArea::vertical().auto_shrink([false, true]).show(ui, content).inner
        })
        .inner
}

/// What is watched, by name.
fn named(input: &Input) -> String {
    match input {
        Input::Camera(CameraChoice::First) => t!("first-camera"),
        Input::Camera(CameraChoice::Number(number)) => t!("camera-number", n = *number),
        Input::Camera(CameraChoice::Name(name)) => t!("camera-named", name = name.as_str()),
        Input::Network(_) | Input::Film(_) | Input::Feed(_) => input.to_string(),
    }
}
