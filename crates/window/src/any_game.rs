//! The tab of the generalised game: cards with p properties of v values, a solver at work step by
//! step, and what each solver takes.

mod face;
mod told;
mod work;

use crate::shared::card_face::{ASPECT, paint_gap};
use crate::shared::desk::Desk;
use crate::shared::keys::{Action, CTRL, Place};
use crate::shared::look::Mark;
use crate::shared::overlay;
use crate::shared::settings::Settings;
use crate::shared::tab::{Tab, TabSpec};
use crate::shared::theme::{CHOSEN, felt};
use crate::shared::words::{Word, t};
use eframe::egui::{
    Button, CentralPanel, Color32, ComboBox, DragValue, Frame, Id, Key, Panel, Rect, Role,
    ScrollArea, Sense, Slider, Spinner, Ui, Vec2, WidgetInfo, pos2, vec2,
};
use setsight_general::{Card, Kind, Rules, Step, Stop, human};
use std::ops::RangeInclusive;
use std::time::Duration;
use told::{About, about, in_words, stored};
use work::{Game, Job, LIMIT, MOST_GAMES, Search, Time, VALUES, search, times};

/// Its entry in the list of tabs.
pub const TAB: TabSpec = TabSpec {
    id: "any-game",
    word: Word("tab-any-game"),
    shortcut: (CTRL, Key::Num4, Word("keys-any-game")),
    in_bar: true,
    show_help: Some("The generalised game, a solver step by step"),
    opens: |_| None,
    make: |_| Box::<AnyGameTab>::default(),
};

/// Below this width the panel lies under the cards.
const NARROW: f32 = 640.0;
/// Cards are no narrower, in points: beyond that the board scrolls.
const LEAST_CARD: f32 = 46.0;
/// A whole search runs past in about so many seconds, if its steps are not slower.
const RUN_SECONDS: f64 = 20.0;
/// Steps of a short search in a second.
const SLOW_STEPS: f64 = 3.0;

/// The tab.
pub struct AnyGameTab {
    game: Game,
    kind: Kind,
    searching: Option<Job<Search>>,
    shown: Option<Search>,
    /// The step that is seen.
    at: usize,
    /// Since when steps run past, and from which one.
    runs: Option<(f64, usize)>,
    measuring: Option<Job<Time>>,
    /// What solvers took for this deal.
    times: Option<Vec<Time>>,
}

impl Default for AnyGameTab {
    fn default() -> Self {
        Self {
            game: Game { values: 4, properties: 4, seed: 1 },
            kind: Kind::Dynamic,
            searching: None,
            shown: None,
            at: 0,
            runs: None,
            measuring: None,
            times: None,
        }
    }
}

impl AnyGameTab {
    /// The search that is seen, if it is the one that is wanted.
    fn current(&self) -> Option<&Search> {
        self.shown.as_ref().filter(|s| (s.game, s.kind) == (self.game, self.kind))
    }

    fn last_step(&self) -> usize {
        self.current().map_or(0, |search| search.trace.steps.len().saturating_sub(1))
    }

    fn go_to(&mut self, step: usize) {
        self.at = step.min(self.last_step());
        self.runs = None;
    }

    /// Has the wanted deal searched, one search at a time.
    fn follow(&mut self, desk: &Desk) {
        if let Some(job) = &self.searching {
            let over = job.is_over();
            // One that was stopped is not what is wanted, or no longer all of it.
            let whole = |search: &Search| !matches!(search.outcome, Err(Stop::Told));
            if let Some(search) = job.news().into_iter().rfind(whole) {
                self.shown = Some(search);
                (self.at, self.runs) = (0, None);
            }
            if !over {
                return;
            }
            self.searching = None;
        }
        if self.current().is_none() {
            self.searching = Some(search(self.game, self.kind, desk.wake()));
        }
    }

    /// Another deal, or another solver.
    fn choose(&mut self, game: Game, kind: Kind) {
        if (game, kind) == (self.game, self.kind) {
            return;
        }
        if let Some(job) = &self.searching {
            job.stop();
        }
        if game != self.game {
            if let Some(job) = &self.measuring {
                job.stop();
            }
            self.times = None;
        }
        (self.game, self.kind) = (game, kind);
    }

    /// Takes what was measured.
    fn take_times(&mut self) {
        let Some(job) = &self.measuring else { return };
        let over = job.is_over();
        if let Some(times) = &mut self.times {
            times.extend(job.news());
        }
        if over {
            self.measuring = None;
        }
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

    fn side(&mut self, ui: &mut Ui, desk: &Desk) {
        let (mut game, mut kind) = (self.game, self.kind);
        // Where there is little room, the steps come before the explanations.
        let roomy = ui.available_height() > 420.0;
        if roomy {
            ui.label(t!("any-what"));
        }
        number(ui, Word("any-values"), &mut game.values, VALUES);
        let offered = Game::properties_of(game.values);
        game.properties = game.properties.clamp(*offered.start(), *offered.end());
        number(ui, Word("any-properties"), &mut game.properties, offered);
        ui.horizontal_wrapped(|ui| {
            let label = ui.label(t!("any-deal"));
            ui.add(DragValue::new(&mut game.seed)).labelled_by(label.id);
            if ui.button(t!("any-next-deal")).clicked() {
                game.seed = game.seed.wrapping_add(1);
            }
        });
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
        if roomy {
            ui.weak(told::idea(kind).say());
        }
        self.choose(game, kind);
        ui.separator();
        self.steps_ui(ui, desk);
        ui.separator();
        self.times_ui(ui, desk);
        if !roomy {
            ui.separator();
            ui.label(t!("any-what"));
            ui.weak(told::idea(kind).say());
        }
    }

    fn steps_ui(&mut self, ui: &mut Ui, desk: &Desk) {
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
            shown_cards(ui, &rules, &about, desk.settings());
        }
        if let Some(counts) = stored(&search.trace.steps, self.at) {
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
        ui.weak(t!("any-step-of", n = self.at + 1, all = kept));
        if all > kept as u64 {
            ui.weak(t!("any-steps-kept", all = all));
        }
        match unfinished {
            None if z3 || self.kind == Kind::SmtBoolean => {
                ui.weak(t!("any-no-steps"));
            }
            None | Some(Stop::Told) => {}
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
            self.runs = if self.runs.is_some() { None } else { Some((desk.now(), from)) };
        }
    }

    /// What each solver takes, as bars.
    fn times_ui(&mut self, ui: &mut Ui, desk: &Desk) {
        ui.strong(t!("any-times"));
        ui.weak(t!("any-times-help", n = MOST_GAMES));
        match &self.measuring {
            Some(job) => {
                ui.horizontal(|ui| {
                    ui.add(Spinner::new().size(16.0));
                    if ui.button(t!("any-stop")).clicked() {
                        job.stop();
                    }
                });
            }
            None => {
                if ui.button(t!("any-measure")).clicked() {
                    self.times = Some(Vec::new());
                    self.measuring = Some(times(self.game, desk.wake()));
                }
            }
        }
        if let Some(times) = &self.times {
            times.iter().for_each(|time| bar(ui, time));
        }
    }

    /// The board with the cards of the step.
    fn board(&self, ui: &mut Ui, settings: &Settings) {
        let Some(search) = self.current() else { return };
        let Ok(rules) = search.game.rules() else { return };
        let steps = &search.trace.steps[..search.trace.steps.len().min(self.at + 1)];
        let cards: Vec<Card> = steps
            .iter()
            .filter_map(|step| if let Step::Drawn(cards) = step { Some(cards) } else { None })
            .flatten()
            .copied()
            .collect();
        let about = steps.last().map(about).unwrap_or_default();
        let room = ui.available_size();
        let (columns, size, gap) = grid(room, cards.len());
        let used = extent(columns, cards.len(), size, gap);
        let (all, _) = ui.allocate_exact_size(vec2(room.x, used.y.max(room.y)), Sense::hover());
        let origin = Rect::from_center_size(all.center(), used).min;
        let mut marks = Vec::new();
        for (i, &card) in cards.iter().enumerate() {
            let place = vec2((i % columns) as f32, (i / columns) as f32);
            let rect = Rect::from_min_size(origin + place * (size + vec2(gap, gap)), size);
            let name = t!("any-card", n = i + 1, values = face::values(&rules, card));
            let response = ui.interact(rect, Id::unique("any-card").with(i), Sense::hover());
            response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
            if response.hovered() {
                overlay::tip_in_corner(ui, ui.clip_rect(), rect.center(), |ui| ui.label(name));
            }
            let mark = about.mark(card);
            let mut painter = ui.painter().clone();
            if mark == Some(Mark::Quiet) {
                painter.set_opacity(0.35);
            }
            face::paint(&painter, rect, &rules, card, settings);
            marks.extend(mark.filter(|mark| *mark != Mark::Quiet).map(|mark| (rect, mark)));
        }
        overlay::paint_drawn(ui.painter(), &marks, settings);
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
        face::paint(ui.painter(), at(i), rules, card, settings);
    }
    if let Some((missing, found)) = about.missing {
        let rect = at(about.cards.len().min(count - 1));
        let mut painter = ui.painter().clone();
        painter.set_opacity(if found { 1.0 } else { 0.35 });
        face::paint(&painter, rect, rules, missing, settings);
        if found {
            overlay::paint_drawn(ui.painter(), &[(rect, Mark::Chosen)], settings);
        } else {
            paint_gap(ui.painter(), rect, ui.visuals().text_color());
        }
    }
}

/// The time of a solver: from 100 ns to the limit, on a logarithmic scale.
fn bar(ui: &mut Ui, time: &Time) {
    const LEAST: f64 = 1e-7;
    let (part, words) = match &time.seconds {
        Ok(seconds) => {
            let part = (seconds / LEAST).ln() / (LIMIT.as_secs_f64() / LEAST).ln();
            (part.clamp(0.02, 1.0) as f32, human(*seconds))
        }
        Err(Stop::Time) => (1.0, t!("any-over-limit", n = LIMIT.as_secs())),
        Err(stop) => (0.0, stop.to_string()),
    };
    ui.label(format!("{}: {words}", time.kind));
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 10.0), Sense::hover());
    ui.painter().rect_filled(rect, 3.0, ui.visuals().extreme_bg_color);
    let filled = rect.with_max_x(rect.min.x + part * rect.width());
    let color = if time.seconds.is_ok() { CHOSEN } else { Color32::from_gray(140) };
    ui.painter().rect_filled(filled, 3.0, color);
}

/// Columns, size of a card and gap with which so many cards are as large as the room allows.
fn grid(room: Vec2, cards: usize) -> (usize, Vec2, f32) {
    let gap = (room.x * 0.012).clamp(4.0, 14.0);
    let width = |columns: usize| {
        let rows = cards.div_ceil(columns) as f32;
        let wide = (room.x + gap) / columns as f32 - gap;
        wide.min(((room.y + gap) / rows - gap) * ASPECT).min(170.0)
    };
    // Of those that are alike, the one with the fullest rows.
    let empty = |columns: usize| columns * cards.div_ceil(columns) - cards;
    let best = (1..=cards.max(1))
        .max_by(|&a, &b| width(a).total_cmp(&width(b)).then(empty(b).cmp(&empty(a))))
        .unwrap_or(1);
    if width(best) >= LEAST_CARD {
        return (best, vec2(width(best), width(best) / ASPECT), gap);
    }
    let columns = (((room.x + gap) / (LEAST_CARD + gap)) as usize).max(1);
    (columns, vec2(LEAST_CARD, LEAST_CARD / ASPECT), gap)
}

/// What so many cards in these columns take up.
fn extent(columns: usize, cards: usize, size: Vec2, gap: f32) -> Vec2 {
    let rows = cards.div_ceil(columns);
    vec2(columns as f32, rows as f32) * (size + vec2(gap, gap)) - vec2(gap, gap)
}

impl Tab for AnyGameTab {
    fn update(&mut self, _: &mut Desk) {
        self.take_times();
    }

    fn ui(&mut self, ui: &mut Ui, desk: &mut Desk, _: bool) {
        self.follow(desk);
        self.run(ui, desk.now());
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
            ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| self.side(ui, desk));
        });
        let table = Frame::NONE.fill(felt(ui)).inner_margin(12.0);
        CentralPanel::no_frame().frame(table).show(ui, |ui| {
            let area = ScrollArea::vertical().id_salt("any-board").auto_shrink([false, false]);
            area.show(ui, |ui| self.board(ui, desk.settings()));
        });
    }

    fn places(&self) -> Vec<Place> {
        vec![Place::Watch]
    }

    fn act(&mut self, action: Action, _: &mut Desk) {
        match action {
            Action::NextStep => self.go_to(self.at + 1),
            Action::PreviousStep => self.go_to(self.at.saturating_sub(1)),
            Action::FirstStep => self.go_to(0),
            Action::LastStep => self.go_to(usize::MAX),
            _ => {}
        }
    }

    fn is_settled(&self) -> bool {
        self.current().is_some() && self.measuring.is_none()
    }

    fn leave(&mut self, _: &mut Desk) {
        self.runs = None;
    }

    fn close(&mut self) {
        self.searching.take().into_iter().for_each(Job::close);
        self.measuring.take().into_iter().for_each(Job::close);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_fits_unless_its_cards_are_the_least() {
        for room in [vec2(404.0, 528.0), vec2(480.0, 360.0), vec2(900.0, 700.0), vec2(200.0, 90.0)]
        {
            for cards in 1..=81 {
                let (columns, size, gap) = grid(room, cards);
                let used = extent(columns, cards, size, gap);
                let fits = used.x <= room.x + 0.01 && used.y <= room.y + 0.01;
                assert!(fits || size.x == LEAST_CARD, "{cards} in {room:?}: {used:?}");
            }
        }
    }
}
