//! The tab of the generalised game: cards with p properties of v values, played by a person or by a
//! solver step by step.

mod board;
mod play;
pub(crate) mod steps;

use crate::shared::{
    card_face::{ASPECT, paint_gap},
    keys::{Action, CTRL, Place},
    look::Mark,
    overlay,
    settings::Settings,
    tab::{AppContext, Tab, TabSpec},
    theme::felt,
    words::{Word, t},
};
use eframe::egui::{
    Button, CentralPanel, ComboBox, DragValue, Frame, Key, Panel, Rect, ScrollArea, Sense, Slider,
    Spinner, Ui, WidgetInfo, pos2, vec2,
};
use play::Play;
use setsight_generalized::{Kind, Rules, Stop};
use std::{ops::RangeInclusive, time::Duration};
use steps::{About, Game, Job, LIMIT, Search, VALUES, about, in_words, search, stored};

/// Its entry in the list of tabs.
pub(crate) const TAB: TabSpec = TabSpec {
    id: "any-game",
    word: Word("tab-any-game"),
    shortcut: (CTRL, Key::Num4, Word("keys-any-game")),
    in_bar: false,
    show_help: Some("The game of any size, a solver step by step"),
    opens: |_| None,
    make: |_| Box::<AnyGameTab>::default(),
};

/// Below this width the panel lies under the cards.
const NARROW: f32 = 640.0;
/// A whole search runs past in about so many seconds, if its steps are not slower.
const RUN_SECONDS: f64 = 20.0;
/// Steps of a short search in a second.
const SLOW_STEPS: f64 = 3.0;

pub(crate) struct AnyGameTab {
    game: Game,
    kind: Kind,
    searching: Option<Job<Search>>,
    shown: Option<Search>,
    /// The step that is seen.
    at: usize,
    /// The step that is to be seen first.
    wanted: Option<usize>,
    /// Since when steps run past, and from which one.
    runs: Option<(f64, usize)>,
    /// The game of a person; `None` while a solver is watched.
    play: Option<Play>,
}

impl Default for AnyGameTab {
    fn default() -> Self {
        Self {
            game: Game { values: 4, properties: 4, sets: 1, seed: 1 },
            kind: Kind::Dynamic,
            searching: None,
            shown: None,
            at: 0,
            wanted: None,
            runs: None,
            play: None,
        }
    }
}

impl AnyGameTab {
    /// The search that is seen, if it is the one that is wanted.
    fn current(&self) -> Option<&Search> {
        self.shown.as_ref().filter(|s| s.game == self.game && s.kind == self.kind)
    }

    /// Shows this search at a step, from 1, once it is there.
    pub(crate) fn watch(&mut self, game: Game, kind: Kind, step: usize) {
        self.choose(game, kind);
        self.wanted = Some(step.saturating_sub(1));
    }

    fn last_step(&self) -> usize {
        self.current().map_or(0, |search| search.trace.steps.len().saturating_sub(1))
    }

    fn go_to(&mut self, step: usize) {
        self.at = step.min(self.last_step());
        self.runs = None;
    }

    /// Has the wanted deal searched, one search at a time.
    fn follow(&mut self, app: &AppContext) {
        if let Some(job) = &self.searching {
            let over = job.is_over();
            // One that was stopped is not what is wanted, or no longer all of it.
            let whole = |search: &Search| !matches!(search.outcome, Err(Stop::Requested));
            if let Some(search) = job.news().into_iter().rfind(whole) {
                self.shown = Some(search);
                (self.at, self.runs) = (0, None);
                if self.current().is_some()
                    && let Some(step) = self.wanted.take()
                {
                    self.go_to(step);
                }
            }
            if !over {
                return;
            }
            self.searching = None;
        }
        if self.current().is_none() {
            self.searching = Some(search(self.game.clone(), self.kind, app.wake()));
        }
    }

    /// Another deal, or another solver.
    fn choose(&mut self, game: Game, kind: Kind) {
        if game == self.game && kind == self.kind {
            return;
        }
        if let Some(job) = &self.searching {
            job.stop();
        }
        (self.game, self.kind) = (game, kind);
    }

    /// Moves on while steps run past.
    fn run(&mut self, ui: &Ui, now: f64) {
        let Some((since, from)) = self.runs else { return };
        let rate = SLOW_STEPS.max(self.last_step() as f64 / RUN_SECONDS);
        self.at = (from + ((now - since) * rate) as usize).min(self.last_step());
        if self.at == self.last_step() {
            self.runs = None;
        } else {
            ui.ctx().request_repaint_after(Duration::from_secs_f64((1.0 / rate).clamp(0.016, 1.0)));
        }
    }

    fn side(&mut self, ui: &mut Ui, app: &AppContext) {
        ui.horizontal_wrapped(|ui| {
            let plays = self.play.is_some();
            if ui.selectable_label(plays, t!("any-play")).clicked() && !plays {
                self.play = Play::new(self.game.clone()).ok();
            }
            if ui.selectable_label(!plays, t!("any-watch")).clicked() {
                self.play = None;
            }
        });
        self.choice_ui(ui);
        ui.separator();
        if self.play.is_some() {
            self.play_ui(ui, app);
            ui.separator();
        } else {
            self.steps_ui(ui, app);
            ui.separator();
        }
        ui.label(t!("any-what"));
    }

    /// The deck, the deal, and who looks for its sets.
    fn choice_ui(&mut self, ui: &mut Ui) {
        let (mut game, mut kind) = (self.game.clone(), self.kind);
        number(ui, Word("any-values"), &mut game.values, VALUES);
        let offered = Game::properties_of(game.values);
        game.properties = game.properties.clamp(*offered.start(), *offered.end());
        number(ui, Word("any-properties"), &mut game.properties, offered);
        let offered = game.sets_offered();
        game.sets = game.sets.clamp(*offered.start(), *offered.end());
        number(ui, Word("any-sets"), &mut game.sets, offered);
        ui.horizontal_wrapped(|ui| {
            let label = ui.label(t!("any-deal"));
            ui.add(DragValue::new(&mut game.seed)).labelled_by(label.id);
            if ui.button(t!("any-next-deal")).clicked() {
                game.seed = game.seed.wrapping_add(1);
            }
        });
        if self.play.is_none() {
            ui.horizontal_wrapped(|ui| {
                let label = ui.label(t!("any-solver")).id;
                let list = ComboBox::from_id_salt("solver").selected_text(kind.name());
                let shown = list.show_ui(ui, |ui| {
                    for &one in Kind::COMPLETE {
                        ui.selectable_value(&mut kind, one, one.name());
                    }
                });
                shown.response.labelled_by(label);
            });
            ui.weak(steps::idea(kind).say());
        }
        self.choose(game, kind);
        if self.play.as_ref().is_some_and(|play| play.game != self.game) {
            self.play = Play::new(self.game.clone()).ok();
        }
    }

    fn play_ui(&mut self, ui: &mut Ui, app: &AppContext) {
        let Some(play) = &mut self.play else { return };
        play.ui(ui, app.now());
        if ui.button(t!("any-again")).clicked() {
            self.play = Play::new(self.game.clone()).ok();
        } else if play.is_running() {
            ui.ctx().request_repaint_after(Duration::from_secs(1));
        }
    }

    fn steps_ui(&mut self, ui: &mut Ui, app: &AppContext) {
        let Some(search) = self.current() else {
            ui.horizontal(|ui| {
                ui.add(Spinner::new().size(16.0));
                ui.label(t!("any-searching"));
            });
            return;
        };
        let (all, kept) = (search.trace.count, search.trace.steps.len());
        let last = kept.saturating_sub(1);
        let Ok(rules) = search.game.rules() else { return };
        if let Some(step) = search.trace.steps.get(self.at) {
            ui.heading(in_words(step));
            let about = about(step);
            shown_cards(ui, &rules, &about, app.settings());
        }
        if let Some(counts) = stored(&search.trace.steps[..kept.min(self.at + 1)]) {
            ui.weak(counts);
        }
        let (unfinished, z3) = (search.outcome.clone().err(), matches!(self.kind, Kind::Smt(_)));
        let mut to = None;
        let mut run = false;
        ui.horizontal_wrapped(|ui| {
            let mut step = |ui: &mut Ui, sign: &str, name: String, there: usize| {
                let button = ui.add_enabled(there != self.at, Button::new(sign));
                if button.accessible_name(name).clicked() {
                    to = Some(there);
                }
            };
            step(ui, "«", t!("first-step"), 0);
            step(ui, "‹", t!("previous-step"), self.at.saturating_sub(1));
            step(ui, "›", t!("next-step"), (self.at + 1).min(last));
            step(ui, "»", t!("last-step"), last);
            let word = if self.runs.is_some() { t!("pause") } else { t!("any-run") };
            run = ui.add_enabled(last > 0, Button::new(word)).clicked();
            ui.weak(t!("any-step-of", n = self.at + 1, all = kept));
        });
        if last > 0 {
            let mut at = self.at;
            ui.spacing_mut().slider_width = (ui.available_width() - 8.0).max(60.0);
            let slider = ui.add(Slider::new(&mut at, 0..=last).show_value(false));
            slider.widget_info(|| WidgetInfo::slider(true, at as f64, t!("any-step-slider")));
            if slider.changed() {
                to = Some(at);
            }
        }
        if all > kept as u64 {
            ui.weak(t!("any-steps-kept", all = all));
        }
        match unfinished {
            None if z3 || self.kind == Kind::SmtBoolean => {
                ui.weak(t!("any-no-steps"));
            }
            None | Some(Stop::Requested) => {}
            Some(Stop::GaveUp(reason)) => {
                ui.label(reason);
            }
            Some(Stop::Time | Stop::Memory) => {
                ui.label(t!("any-unfinished", n = LIMIT.as_secs()));
            }
        }
        if let Some(to) = to {
            self.go_to(to);
        }
        if run {
            let from = if self.at == last { 0 } else { self.at };
            self.runs = if self.runs.is_some() { None } else { Some((app.now(), from)) };
        }
    }

    /// The board with the cards of the step, or of the game that is played.
    fn board(&mut self, ui: &mut Ui, app: &AppContext) {
        if let Some(play) = &mut self.play {
            let mark = |card| play.mark(card);
            let sense = Sense::click();
            let clicked = board::show(ui, &play.rules, &play.board, sense, mark, app.settings());
            if let Some(card) = clicked {
                play.choose(card, app.now());
            }
            return;
        }
        let Some(search) = self.current() else { return };
        let Ok(rules) = search.game.rules() else { return };
        let steps = &search.trace.steps[..search.trace.steps.len().min(self.at + 1)];
        let about = steps.last().map(about).unwrap_or_default();
        let mark = |card| about.mark(card);
        board::show(ui, &rules, &steps::board(steps), Sense::hover(), mark, app.settings());
    }
}

/// A whole number by a slider, which lies below its name where there is little room.
fn number(ui: &mut Ui, name: Word, value: &mut u64, offered: RangeInclusive<u64>) {
    let add = |ui: &mut Ui| {
        let label = ui.label(name.say());
        ui.spacing_mut().slider_width = (ui.available_width() - 64.0).clamp(30.0, 180.0);
        ui.add(Slider::new(value, offered)).labelled_by(label.id);
    };
    if ui.available_width() < 240.0 {
        ui.vertical(add);
    } else {
        ui.horizontal(add);
    }
}

/// The cards of a step, and a place for the one that they lack.
fn shown_cards(ui: &mut Ui, rules: &Rules, about: &About, settings: &Settings) {
    let count = rules.values();
    let width = ((ui.available_width() - 8.0) / count as f32 - 6.0).clamp(10.0, 72.0);
    let size = vec2(width, width / ASPECT);
    let (room, _) =
        ui.allocate_exact_size(vec2(count as f32 * (width + 6.0), size.y + 4.0), Sense::hover());
    let at = |i: usize| {
        let left = room.min.x + i as f32 * (width + 6.0);
        Rect::from_min_size(pos2(left, room.min.y + 2.0), size)
    };
    for (i, &card) in about.cards.iter().enumerate().take(count) {
        board::paint(ui.painter(), at(i), rules, card, settings);
    }
    if let Some((missing, found)) = about.missing {
        let rect = at(about.cards.len().min(count - 1));
        let mut painter = ui.painter().clone();
        painter.set_opacity(if found { 1.0 } else { 0.35 });
        board::paint(&painter, rect, rules, missing, settings);
        if found {
            overlay::paint_drawn(ui.painter(), &[(rect, Mark::Chosen)], settings);
        } else {
            paint_gap(ui.painter(), rect, ui.visuals().text_color());
        }
    }
}

impl Tab for AnyGameTab {
    fn ui(&mut self, ui: &mut Ui, app: &mut AppContext, _: bool) {
        self.follow(app);
        self.run(ui, app.now());
        let room = ui.available_size();
        let frame = Frame::side_top_panel(ui.style()).inner_margin(12.0);
        // Wide and very low: beside each other all the same.
        let panel = if room.x < NARROW && room.y > 240.0 {
            Panel::bottom("any-side").exact_size((room.y * 0.5).min(360.0))
        } else {
            let width = (room.x * 0.34).clamp(200.0_f32.min(room.x * 0.6), 360.0);
            Panel::right("any-side").exact_size(width)
        };
        panel.frame(frame).show(ui, |ui| {
            ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| self.side(ui, app));
        });
        let table = Frame::NONE.fill(felt(ui)).inner_margin(12.0);
        CentralPanel::no_frame().frame(table).show(ui, |ui| {
            let area = ScrollArea::vertical().id_salt("any-board").auto_shrink([false, false]);
            area.show(ui, |ui| self.board(ui, app));
        });
    }

    fn places(&self) -> Vec<Place> {
        vec![Place::Watch]
    }

    fn act(&mut self, action: Action, _: &mut AppContext) {
        match action {
            Action::NextStep => self.go_to(self.at + 1),
            Action::PreviousStep => self.go_to(self.at.saturating_sub(1)),
            Action::FirstStep => self.go_to(0),
            Action::LastStep => self.go_to(usize::MAX),
            _ => {}
        }
    }

    fn is_settled(&self) -> bool {
        self.play.is_some() || self.current().is_some()
    }

    fn leave(&mut self, _: &mut AppContext) {
        self.runs = None;
    }

    fn close(&mut self) {
        self.searching.take().into_iter().for_each(Job::close);
    }
}
