//! The tab of the dealt game: cards drawn, steps or a clock, the transcript beside.

use super::card_face::{self, ASPECT};
use super::game::{Play, Said, Watch, clock, deals_in};
use super::keys::Action;
use super::look_panel::{card_line, good_color, verdict_lines};
use super::settings::Settings;
use super::theme::CHOSEN;
use crate::cards::{Card, Deck};
use crate::game::{Deal, ROWS, Step};
use eframe::egui::{
    Button, CentralPanel, Color32, Frame, Id, Panel, Rect, RichText, Role, ScrollArea, Sense,
    Stroke, StrokeKind, TextEdit, Ui, WidgetInfo, vec2,
};
use rand::SeedableRng;
use std::path::Path;
use std::time::Duration;

/// Below this width the panel lies under the table.
const NARROW: f32 = 600.0;
/// Files larger than this are no files of deals.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// How the game is followed.
enum Mode {
    Watch(Watch),
    Play(Box<Play>),
}

/// The tab.
#[derive(Default)]
pub struct DealTab {
    deals: Vec<Deal>,
    at: usize,
    mode: Option<Mode>,
    /// Codes that are being typed.
    codes: Option<String>,
    /// What there is to tell the user.
    pub messages: Vec<String>,
    /// A file is to be asked for.
    pub wants_file: bool,
}

impl DealTab {
    /// A freshly shuffled deck, watched. The same seed gives the same deal.
    pub fn deal_random(&mut self, seed: u64) {
        let deal = Deal::random(&mut rand_pcg::Pcg64Mcg::seed_from_u64(seed));
        self.take(vec![deal]);
    }

    /// The deals of a file.
    pub fn open(&mut self, path: &Path) {
        let size = std::fs::metadata(path).map(|data| data.len());
        let text = match size {
            Ok(size) if size > MAX_FILE_BYTES => Err(format!(
                "{size} bytes are no file of deals, which has at most {MAX_FILE_BYTES}"
            )),
            Ok(_) => std::fs::read_to_string(path).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match text.and_then(|text| deals_in(&text)) {
            Ok(deals) => self.take(deals),
            Err(error) => self.messages.push(format!("{}: {error}", path.display())),
        }
    }

    /// The deals that a text means.
    pub fn paste(&mut self, text: &str) {
        match deals_in(text) {
            Ok(deals) => {
                self.codes = None;
                self.take(deals);
            }
            Err(error) => self.messages.push(error),
        }
    }

    fn take(&mut self, deals: Vec<Deal>) {
        self.deals = deals;
        self.at = 0;
        self.watch();
    }

    fn watch(&mut self) {
        self.mode = self.deals.get(self.at).map(|deal| Mode::Watch(Watch::new(deal)));
    }

    /// Plays the deal against the clock from its beginning.
    pub fn play(&mut self, now: f64) {
        self.mode = self.deals.get(self.at).map(|deal| Mode::Play(Box::new(Play::new(deal, now))));
    }

    /// What has happened so far, as text.
    pub fn transcript(&self) -> Option<String> {
        match self.mode.as_ref()? {
            Mode::Watch(watch) => Some(watch.transcript().concat()),
            Mode::Play(play) => Some(play.log().join("\n") + "\n"),
        }
    }

    /// Whether codes are being typed.
    pub fn is_typing(&self) -> bool {
        self.codes.is_some()
    }

    /// Does what a key asks for.
    pub fn act(&mut self, action: Action, now: f64) {
        match action {
            Action::DealRandom => self.deal_random(fresh_seed()),
            Action::OpenDeals => self.wants_file = true,
            Action::TypeCodes => self.codes = Some(String::new()),
            Action::NextDeal if self.at + 1 < self.deals.len() => {
                self.at += 1;
                self.watch();
            }
            Action::NextDeal if !self.deals.is_empty() => {
                self.at = 0;
                self.watch();
            }
            Action::PlayOrWatch => match self.mode {
                Some(Mode::Play(_)) => self.watch(),
                _ => self.play(now),
            },
            _ => {}
        }
        match (&mut self.mode, action) {
            (Some(Mode::Watch(watch)), Action::NextStep) => watch.go_to(watch.at() + 1),
            (Some(Mode::Watch(watch)), Action::PreviousStep) => {
                watch.go_to(watch.at().saturating_sub(1))
            }
            (Some(Mode::Watch(watch)), Action::FirstStep) => watch.go_to(0),
            (Some(Mode::Watch(watch)), Action::LastStep) => watch.go_to(usize::MAX),
            (Some(Mode::Play(play)), Action::NoSet) => play.no_set(now),
            (Some(Mode::Play(play)), Action::DealHint) => play.more_hint(),
            (Some(Mode::Play(play)), Action::Clear) => play.chosen.clear(),
            _ => {}
        }
    }

    /// Shows the tab.
    pub fn ui(&mut self, ui: &mut Ui, settings: &Settings) {
        let now = ui.input(|input| input.time);
        if self.deals.is_empty() {
            CentralPanel::default().show(ui, |ui| self.welcome(ui, now));
        } else {
            let frame = Frame::side_top_panel(ui.style()).inner_margin(14.0);
            if ui.available_width() < NARROW {
                let height = (ui.available_height() * 0.45).min(340.0);
                Panel::bottom("deal side").exact_size(height).frame(frame).show(ui, |ui| {
                    let area = ScrollArea::vertical().auto_shrink([false, false]);
                    area.show(ui, |ui| self.side(ui, settings, now));
                });
            } else {
                Panel::right("deal side")
                    .exact_size((ui.available_width() * 0.36).clamp(250.0, 346.0))
                    .frame(frame)
                    .show(ui, |ui| self.side(ui, settings, now));
            }
            let felt = if ui.visuals().dark_mode {
                Color32::from_rgb(26, 48, 42)
            } else {
                Color32::from_rgb(58, 112, 92)
            };
            CentralPanel::no_frame()
                .frame(Frame::NONE.fill(felt).inner_margin(18.0))
                .show(ui, |ui| self.table(ui, settings, now));
        }
        self.codes_page(ui);
        if let Some(Mode::Play(play)) = &self.mode
            && !play.is_over()
        {
            // The clock goes on.
            ui.ctx().request_repaint_after(Duration::from_millis(250));
        }
    }

    fn welcome(&mut self, ui: &mut Ui, now: f64) {
        ui.vertical_centered(|ui| {
            ui.add_space((ui.available_height() * 0.25).max(8.0));
            ui.label(RichText::new("A game without a camera or cards").size(28.0).strong());
            ui.add_space(6.0);
            ui.label("Watch it step by step, or play it against the clock.");
            ui.add_space(16.0);
            let size = vec2(260.0, 42.0);
            for (action, words) in SOURCES {
                if ui.add(Button::new(words).min_size(size)).clicked() {
                    self.act(action, now);
                }
            }
        });
    }

    fn side(&mut self, ui: &mut Ui, settings: &Settings, now: f64) {
        let playing = matches!(self.mode, Some(Mode::Play(_)));
        ui.horizontal_wrapped(|ui| {
            if ui.add(Button::selectable(!playing, "Watch")).clicked() && playing {
                self.watch();
            }
            if ui.add(Button::selectable(playing, "Play")).clicked() && !playing {
                self.play(now);
            }
            ui.menu_button("New game…", |ui| {
                for (action, words) in SOURCES {
                    if ui.button(words).clicked() {
                        self.act(action, now);
                        ui.close();
                    }
                }
            });
        });
        if self.deals.len() > 1 {
            ui.horizontal(|ui| {
                ui.weak(format!("Data set {} of {}", self.at + 1, self.deals.len()));
                if ui.button("Next data set").clicked() {
                    self.act(Action::NextDeal, now);
                }
            });
        }
        ui.separator();
        match &mut self.mode {
            Some(Mode::Watch(watch)) => watch_side(ui, watch),
            Some(Mode::Play(play)) => play_side(ui, play, settings, now),
            None => {}
        }
    }

    fn table(&mut self, ui: &mut Ui, settings: &Settings, now: f64) {
        match &mut self.mode {
            Some(Mode::Watch(watch)) => {
                grid(ui, watch.game().places(), watch.marked(), &[], settings);
            }
            Some(Mode::Play(play)) => {
                let hinted = play.hinted();
                let pressed = grid(ui, play.places(), &hinted, &play.chosen, settings);
                if let Some(place) = pressed {
                    play.choose(place, now);
                }
            }
            None => {}
        }
    }

    fn codes_page(&mut self, ui: &Ui) {
        let Some(mut text) = self.codes.take() else { return };
        let ctx = ui.ctx();
        let answer = eframe::egui::Modal::new(Id::unique("codes"))
            .frame(super::pages::page(ctx))
            .show(ctx, |ui| {
                ui.set_width((ctx.content_rect().width() - 60.0).min(520.0));
                ui.heading("Type or paste codes");
                let label = ui.label("12 to 81 cards such as 2spd, or a whole file of deals");
                let field =
                    TextEdit::multiline(&mut text).desired_rows(6).desired_width(f32::INFINITY);
                let field = ui.add(field).labelled_by(label.id);
                if !field.has_focus() && !field.lost_focus() && text.is_empty() {
                    field.request_focus();
                }
                ui.horizontal(|ui| {
                    (ui.button("Deal these").clicked(), ui.button("Cancel").clicked())
                })
                .inner
            });
        let (go, cancel) = answer.inner;
        if cancel || answer.should_close() {
            return;
        }
        self.codes = Some(text.clone());
        if go {
            self.paste(&text);
        }
    }
}

const SOURCES: [(Action, &str); 3] = [
    (Action::DealRandom, "Shuffle and deal"),
    (Action::OpenDeals, "Open a file of deals"),
    (Action::TypeCodes, "Type or paste codes"),
];

/// A seed that nobody has had before.
fn fresh_seed() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(1, |time| time.as_nanos() as u64)
}

fn watch_side(ui: &mut Ui, watch: &mut Watch) {
    let game = watch.game();
    ui.heading(in_words(watch.step()));
    ui.weak(format!(
        "Step {} of {} · {} cards to deal · {} sets taken",
        watch.at() + 1,
        watch.count(),
        game.stock(),
        game.removed().len() / 3
    ));
    ui.horizontal(|ui| {
        let step = |ui: &mut Ui, sign: &str, name: &str, to: usize, here: usize| {
            let button = ui.add_enabled(to != here, Button::new(sign)).accessible_name(name);
            button.clicked().then_some(to)
        };
        let (at, last) = (watch.at(), watch.count() - 1);
        let to = [
            step(ui, "«", "First step", 0, at),
            step(ui, "‹", "Step before", at.saturating_sub(1), at),
            step(ui, "›", "Next step", (at + 1).min(last), at),
            step(ui, "»", "Last step", last, at),
        ];
        if let Some(to) = to.into_iter().flatten().next() {
            watch.go_to(to);
        }
    });
    ui.add_space(4.0);
    ui.strong("Transcript");
    transcript_area(ui).show(ui, |ui| {
        for words in watch.transcript() {
            ui.monospace(words.trim_end());
        }
    });
}

/// Room for a transcript: all that is left, or a few lines where the panel itself scrolls.
fn transcript_area(ui: &Ui) -> ScrollArea {
    let left = ui.available_height();
    let height = if left.is_finite() { left.max(120.0) } else { 160.0 };
    ScrollArea::vertical().max_height(height).auto_shrink([false, false]).stick_to_bottom(true)
}

/// A step in a few words.
fn in_words(step: &Step) -> String {
    match step {
        Step::Dealt => "The first twelve cards".into(),
        Step::Found(sets) if sets.len() == 1 => "1 set".into(),
        Step::Found(sets) => format!("{} sets", sets.len()),
        Step::NoSet => "No set here.".into(),
        Step::Removed(_) => "The first set is taken".into(),
        Step::Compacted => "The cards move up".into(),
        Step::Added(places) => format!("{} new cards", places.len()),
        Step::NoCards => "No cards remain".into(),
        Step::Over => "The game is over".into(),
    }
}

fn play_side(ui: &mut Ui, play: &mut Play, settings: &Settings, now: f64) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(clock(play.seconds(now))).size(34.0).strong());
        ui.vertical(|ui| {
            let sets = play.taken();
            ui.label(format!("{sets} set{} taken", if sets == 1 { "" } else { "s" }));
            let mistakes = play.mistakes();
            let slips = if mistakes == 1 { "mistake" } else { "mistakes" };
            ui.weak(format!("{} cards to deal · {mistakes} {slips}", play.stock()));
        });
    });
    let over = play.is_over();
    ui.horizontal_wrapped(|ui| {
        let none = Button::new("No set here");
        if ui
            .add_enabled(!over, none)
            .on_hover_text("Three more cards, if that is so. Key: N")
            .clicked()
        {
            play.no_set(now);
        }
        let hint = Button::new(
            ["Hint", "A second card", "The third card", "Hide the hint"][play.hint.min(3)],
        );
        if ui.add_enabled(!over, hint).on_hover_text("Key: H").clicked() {
            play.more_hint();
        }
    });
    ui.add_space(4.0);
    match play.said() {
        None => {
            ui.label("Click three cards that are a set.");
        }
        Some(Said::Taken(cards)) => {
            ui.label(RichText::new("A set!").heading().color(good_color(ui)));
            for &card in cards {
                card_line(ui, &Deck::classic(), card, settings);
            }
        }
        Some(Said::Wrong(cards, verdict)) => {
            ui.heading("Not a set.");
            for &card in cards {
                card_line(ui, &Deck::classic(), card, settings);
            }
            verdict_lines(ui, verdict);
        }
        Some(Said::ThereIsOne) => {
            ui.heading("There is a set.");
            ui.label("Look again, or ask for a hint.");
        }
        Some(Said::More(n)) => {
            ui.heading("No set, right.");
            ui.label(format!("Here are {n} more cards."));
        }
        Some(Said::Over) => {
            ui.heading("Well played!");
            ui.label("No set is left and no card to deal.");
        }
    }
    ui.add_space(4.0);
    ui.strong("Transcript");
    transcript_area(ui).show(ui, |ui| {
        for line in play.log() {
            ui.monospace(line);
        }
    });
}

/// The table as it lies, in three rows; the place that was pressed.
fn grid(
    ui: &mut Ui,
    places: &[Option<Card>],
    marked: &[usize],
    chosen: &[usize],
    settings: &Settings,
) -> Option<usize> {
    let room = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(room);
    let columns = places.len().div_ceil(ROWS).max(4);
    let gap = (room.width() * 0.02).clamp(6.0, 18.0);
    let cell = vec2(
        (room.width() - gap * (columns as f32 - 1.0)) / columns as f32,
        (room.height() - gap * (ROWS as f32 - 1.0)) / ROWS as f32,
    );
    let width = cell.x.min(cell.y * ASPECT).clamp(20.0, 260.0);
    let size = vec2(width, width / ASPECT);
    let all = vec2(columns as f32 * (size.x + gap) - gap, ROWS as f32 * (size.y + gap) - gap);
    let origin = Rect::from_center_size(room.center(), all).min;
    let mut pressed = None;
    for (i, place) in places.iter().enumerate() {
        let (column, row) = ((i / ROWS) as f32, (i % ROWS) as f32);
        let rect =
            Rect::from_min_size(origin + vec2(column * (size.x + gap), row * (size.y + gap)), size);
        let Some(card) = *place else {
            card_face::paint_gap(ui.painter(), rect, Color32::from_white_alpha(90));
            continue;
        };
        let is_chosen = chosen.contains(&i);
        let response = ui.interact(rect, ui.scope_id().with(("place", i)), Sense::click());
        response.widget_info(|| {
            WidgetInfo::selected(
                Role::Button,
                true,
                is_chosen,
                format!("Place {}: {}", i + 1, card.name()),
            )
        });
        let shown = if response.hovered() || is_chosen { rect.expand(3.0) } else { rect };
        card_face::paint(ui.painter(), shown, card, settings);
        let radius = (shown.height() * 0.1).clamp(1.0, 40.0);
        if is_chosen || marked.contains(&i) {
            let line = Stroke::new((0.03 * size.x).clamp(3.0, 7.0), CHOSEN);
            ui.painter().rect_stroke(shown, radius, line, StrokeKind::Outside);
        }
        if response.has_focus() {
            let line = Stroke::new(2.0, Color32::WHITE);
            ui.painter().rect_stroke(shown.expand(6.0), radius, line, StrokeKind::Outside);
        }
        if response.clicked() {
            pressed = Some(i);
        }
    }
    pressed
}
