//! The camera's tab: the picture as it runs, its sets in the three ways to look, and the game's
//! count.

use super::keys::{Action, Place};
use super::look::{Look, Mode};
use super::picture::color_image;
use super::placement::View;
use super::settings::Settings;
use super::table::Table;
use super::{look_panel, overlay};
use crate::live::session::MakeCameras;
use crate::live::video::FilmCamera;
use crate::live::{
    CameraChoice, LiveCommand, LiveSource, LiveView, Notice, Session, SystemCameras, freeze,
};
use crate::pipeline::Pipeline;
use crate::pipeline::engine::used;
use crate::pipeline::track::Params;
use eframe::egui::{
    Align2, Button, CentralPanel, Color32, Context, FontId, Frame, Id, Panel, Pos2, Rect, RichText,
    Role, Sense, TextureHandle, TextureOptions, Ui, WidgetInfo, pos2, vec2,
};
use std::path::PathBuf;
use std::sync::Arc;

/// What begins to watch a camera; the reason in words when it cannot.
pub type Watchers = Box<dyn Fn(&Context, &CameraChoice) -> Result<Box<dyn LiveSource>, String>>;

/// A table seen for so long is known.
const SETTLED_MS: f64 = 1_500.0;
/// Below this width the panel lies under the picture.
const NARROW: f32 = 760.0;
/// Width of the panel beside the picture.
const PANEL: f32 = 330.0;

/// Watches the system's cameras, or a film in place of one, with the program's own reader.
pub fn system(film: Option<PathBuf>) -> Watchers {
    Box::new(move |ctx, choice| {
        let ctx = ctx.clone();
        let pipeline = Pipeline::with_defaults(&used::models()).map_err(|error| {
            used::remedy().map_or(error.to_string(), |remedy| format!("{remedy}: {error}"))
        })?;
        let film = film.clone();
        let cameras: MakeCameras = Box::new(move || match &film {
            Some(path) => Box::new(FilmCamera { path: path.clone() }),
            None => Box::new(SystemCameras),
        });
        let wake = Box::new(move || ctx.request_repaint());
        let params = Params::of(&pipeline);
        let eyes = Arc::new(pipeline);
        let session = Session::start(cameras, choice.clone(), eyes, params, wake);
        session
            .map(|session| Box::new(session) as Box<dyn LiveSource>)
            .map_err(|error| format!("the camera cannot be watched: {error}"))
    })
}

/// The tab.
pub struct LiveTab {
    watchers: Watchers,
    /// Which camera.
    choice: CameraChoice,
    source: Option<Box<dyn LiveSource>>,
    view: Arc<LiveView>,
    texture: Option<TextureHandle>,
    /// The frame that the texture shows.
    shown: Option<u64>,
    table: Table,
    zoom: View,
    frozen: bool,
    /// Where pictures are kept.
    pub folder: PathBuf,
    /// What is looked at, in which way.
    pub look: Look,
    /// What there is to tell the user.
    pub messages: Vec<String>,
}

impl LiveTab {
    /// Watches nothing yet.
    pub fn new(watchers: Watchers) -> Self {
        Self {
            watchers,
            choice: CameraChoice::First,
            source: None,
            view: Arc::default(),
            texture: None,
            shown: None,
            table: Table::default(),
            zoom: View::default(),
            frozen: false,
            folder: PathBuf::from("setsight-live"),
            look: Look::default(),
            messages: Vec::new(),
        }
    }

    /// Watches this camera from now on.
    pub fn choose(&mut self, choice: CameraChoice) {
        self.choice = choice;
        self.leave();
    }

    /// Lets go of the camera: the tab is not seen any more.
    pub fn leave(&mut self) {
        self.source = None;
        self.view = Arc::default();
        self.texture = None;
        self.shown = None;
        self.frozen = false;
    }

    /// Whether a camera is open, or being opened.
    pub fn is_watching(&self) -> bool {
        self.source.is_some()
    }

    /// Whether a table was seen long enough to be known.
    pub fn is_settled(&self) -> bool {
        self.view.time_ms > SETTLED_MS || self.view.notice.is_some()
    }

    /// The board as text: codes, sets. `None` before anything was seen.
    pub fn text(&self) -> Option<String> {
        self.view.frame.as_ref()?;
        let code = |i: usize| self.table.cards[i].card.to_string();
        let cards: Vec<String> = (0..self.table.cards.len()).map(code).collect();
        let sets =
            self.table.sets.iter().map(|set| format!("set: {}\n", set.0.map(code).join(" ")));
        Some(format!("{}\n{}", cards.join(" "), sets.collect::<String>()))
    }

    /// Where keys work.
    pub fn places(&self) -> Vec<Place> {
        vec![Place::Live]
    }

    /// Does what a key says.
    pub fn act(&mut self, action: Action) {
        let sets = self.table.sets.len();
        match action {
            Action::Solve => self.look.mode = Mode::Solve,
            Action::Hint => self.look.mode = Mode::Hint,
            Action::Learn => self.look.mode = Mode::Learn,
            Action::NextSet => self.look.next_set(sets),
            Action::PreviousSet => self.look.previous_set(sets),
            Action::AllSets => self.look.set = None,
            Action::MoreHint => {
                self.look.mode = Mode::Hint;
                self.look.more_hint();
            }
            Action::Clear => self.look.start_again(),
            Action::Freeze => self.freeze(!self.frozen),
            Action::SaveFrame => self.save(),
            Action::NewGame => self.command(LiveCommand::NewGame),
            _ => {}
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
        if hold {
            self.save();
        }
    }

    /// Keeps the frame that is seen and its JSON.
    fn save(&mut self) {
        self.messages.push(match freeze::save(&self.view, &self.folder) {
            Ok((picture, _)) => format!("Kept as {}, with its JSON beside it.", picture.display()),
            Err(error) => format!("The picture cannot be kept: {error}"),
        });
    }

    /// Draws a frame of the window and takes in what the user did.
    pub fn ui(&mut self, ui: &mut Ui, settings: &Settings) {
        self.update(ui.ctx());
        let narrow = ui.available_width() < NARROW;
        let frame = Frame::side_top_panel(ui.style()).inner_margin(vec2(14.0, 10.0));
        let panel = |tab: &mut Self, ui: &mut Ui| tab.panel(ui, settings);
        if narrow {
            let height = ui.available_height() * 0.42;
            Panel::bottom("live panel")
                .exact_size(height)
                .frame(frame)
                .show(ui, |ui| panel(self, ui));
        } else {
            Panel::right("live panel")
                .exact_size(PANEL)
                .frame(frame)
                .show(ui, |ui| panel(self, ui));
        }
        let ground = Frame::new().fill(Color32::from_gray(24));
        CentralPanel::default().frame(ground).show(ui, |ui| self.picture(ui, settings));
    }

    /// Takes over what the camera saw since.
    fn update(&mut self, ctx: &Context) {
        if self.source.is_none() && self.view.notice.is_none() {
            match (self.watchers)(ctx, &self.choice) {
                Ok(source) => self.source = Some(source),
                Err(reason) => {
                    let advice = "close other programs and open this tab again".to_owned();
                    let notice = Some(Notice { title: reason, advice });
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
        let picture = color_image(&frame.image);
        match &mut self.texture {
            Some(texture) => texture.set(picture, TextureOptions::LINEAR),
            None => {
                self.texture = Some(ctx.load_texture("camera", picture, TextureOptions::LINEAR))
            }
        }
        let readings = self.view.cards.iter().map(|card| Some(card.reading.clone())).collect();
        let mut table = Table::new(self.view.read_cards(), readings);
        let covered = self.view.cards.iter().enumerate().filter(|(_, card)| card.hidden);
        table.covered = covered.map(|(place, _)| place).collect();
        table.facts = self.view.facts;
        let codes = |table: &Table| -> Vec<_> {
            table.cards.iter().map(|card| (card.card, card.unsure)).collect()
        };
        if codes(&table) != codes(&self.table) {
            // Another table: what was given away or chosen was of the last one.
            self.look.start_again();
        }
        self.table = table;
    }

    fn picture(&mut self, ui: &mut Ui, settings: &Settings) {
        let room = ui.available_rect_before_wrap();
        let id = Id::unique("camera picture");
        if let (Some(texture), Some(frame)) = (&self.texture, &self.view.frame) {
            let response = ui.interact(room, id, Sense::click_and_drag());
            response.widget_info(|| WidgetInfo::labeled(Role::Image, true, "The camera's picture"));
            let size = vec2(frame.image.width() as f32, frame.image.height() as f32);
            if response.dragged() {
                self.zoom.pan(room, size, response.drag_delta());
            }
            if response.double_clicked() {
                self.zoom = View::default();
            }
            if let Some(at) = response.hover_pos() {
                let (zoom, scroll) = ui.input(|i| (i.zoom_delta(), i.smooth_scroll_delta().y));
                let factor = zoom * (scroll / 240.0).exp();
                if (factor - 1.0).abs() > 1e-4 {
                    self.zoom.zoom_at(room, size, at, factor);
                }
            }
            let placement = self.zoom.place(room, size);
            let painter = ui.painter_at(room);
            let all = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            painter.image(texture.id(), placement.rect, all, Color32::WHITE);
            overlay::paint(&painter, &placement, &self.table, &self.look, settings);
            let hits = overlay::interact(ui, &placement, &self.table, id, &self.look.chosen);
            if let (Mode::Learn, Some(card)) = (self.look.mode, hits.clicked) {
                self.look.choose(card);
            }
            if self.frozen {
                overlay::caption(&painter, room, "Held. Press F to go on.");
            }
        } else if self.view.notice.is_none() {
            words(ui, room.center(), "Waiting for the camera…");
        }
        if let Some(notice) = &self.view.notice {
            notice_ui(ui, room, notice);
        }
    }

    fn panel(&mut self, ui: &mut Ui, settings: &Settings) {
        ui.horizontal(|ui| look_panel::modes(ui, &mut self.look));
        ui.add_space(6.0);
        self.game(ui);
        ui.horizontal_wrapped(|ui| {
            let word = if self.frozen { "Go on" } else { "Hold" };
            if ui.add(Button::new(word)).on_hover_text("Key: F").clicked() {
                self.freeze(!self.frozen);
            }
            if ui.button("Keep picture").on_hover_text("Key: S").clicked() {
                self.save();
            }
            if ui.button("New game").on_hover_text("Key: N").clicked() {
                self.command(LiveCommand::NewGame);
            }
        });
        ui.separator();
        look_panel::show(ui, &self.table, &mut self.look, settings);
    }

    /// The game so far.
    fn game(&self, ui: &mut Ui) {
        let score = &self.view.score;
        let count = |n: usize, what: &str| match n {
            1 => format!("1 {what}"),
            n => format!("{n} {what}s"),
        };
        ui.label(format!(
            "{} seen, {} taken, {} in the deck",
            count(score.seen, "card"),
            count(score.taken.len(), "set"),
            score.left
        ));
        match score.chance {
            Some(chance) => {
                ui.label(format!("Three more bring a set: {:.0} %", 100.0 * chance.value()))
            }
            None => ui.label("The deck holds no three more."),
        };
        if self.view.fps > 0.0 {
            ui.weak(format!(
                "{:.0} pictures a second, {:.0} ms behind",
                self.view.fps, self.view.latency_ms
            ));
        }
    }
}

fn words(ui: &Ui, at: Pos2, text: &str) {
    let color = Color32::from_gray(200);
    ui.painter().text(at, Align2::CENTER_CENTER, text, FontId::proportional(18.0), color);
}

/// What is wrong, and what to do, in the middle of the picture.
fn notice_ui(ui: &mut Ui, room: Rect, notice: &Notice) {
    let width = (room.width() - 40.0).clamp(160.0, 460.0);
    let rect = Rect::from_center_size(room.center(), vec2(width, 120.0));
    let mut child = ui.new_child(eframe::egui::UiBuilder::new().max_rect(rect));
    Frame::popup(child.style()).inner_margin(18.0).show(&mut child, |ui| {
        ui.set_width(width - 36.0);
        ui.label(RichText::new(first_upper(&notice.title)).heading());
        ui.label(format!("{}.", first_upper(&notice.advice)));
    });
}

fn first_upper(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    first + chars.as_str()
}
