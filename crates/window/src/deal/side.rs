//! The panel beside the table of a dealt game.

use super::{DealTab, Mode, SOURCES, Source};
use crate::deal::game::Watch;
use crate::deal::play::{MOST_PLAYERS, Phase, Play, Said, clock};
use crate::shared::card_face::disc;
use crate::shared::desk::{Desk, Tab};
use crate::shared::keys::{Action, key_of};
use crate::shared::look_panel::card_line;
use crate::shared::names;
use crate::shared::settings::Settings;
use crate::shared::verdict::{good_color, verdict_lines};
use crate::shared::words::t;
use eframe::egui::{Button, RichText, ScrollArea, Sense, Ui, UiKind, vec2};
use setsight_game::cards::{Card, Deck};
use setsight_game::game::{Step, Variant, place_name};

impl DealTab {
    pub(super) fn side(&mut self, ui: &mut Ui, desk: &mut Desk) {
        let playing = matches!(self.mode, Some(Mode::Play(_)));
        ui.horizontal_wrapped(|ui| {
            if ui.add(Button::selectable(!playing, t!("watch"))).clicked() && playing {
                self.act(Action::WatchGame, desk);
            }
            if ui.add(Button::selectable(playing, t!("play"))).clicked() && !playing {
                self.lay_out();
            }
            ui.menu_button(t!("new-game-menu"), |ui| {
                for (action, word) in SOURCES {
                    if ui.button(word.say()).clicked() {
                        self.act(action, desk);
                        ui.close();
                    }
                }
            });
        });
        if let Source::Daily(day) = &self.source {
            ui.weak(t!("deal-of-day", day = day.word()));
        }
        if self.deals.len() > 1 {
            ui.horizontal_wrapped(|ui| {
                ui.weak(t!("data-set-of", n = self.at + 1, all = self.deals.len()));
                if ui.button(t!("next-data-set")).clicked() {
                    self.act(Action::NextDeal, desk);
                }
            });
        }
        ui.separator();
        let ready = matches!(&self.mode, Some(Mode::Play(play)) if play.phase() == Phase::Ready);
        if ready {
            self.choose_terms(ui, desk.now());
            return;
        }
        match &mut self.mode {
            Some(Mode::Watch(watch)) => watch_side(ui, watch, desk.settings()),
            Some(Mode::Play(play)) => play_side(ui, play, desk.settings(), desk.now()),
            None => {}
        }
    }

    /// What is played, and by how many; then it begins.
    fn choose_terms(&mut self, ui: &mut Ui, now: f64) {
        let (variant, players) = (self.variant, self.players.max(1));
        let (mut new_variant, mut new_players) = (variant, players);
        let start = Button::new(RichText::new(t!("start")).size(20.0)).min_size(vec2(0.0, 44.0));
        let start = ui.vertical_centered_justified(|ui| ui.add(start)).inner;
        if start.on_hover_text(t!("start-help", key = key_of(Action::Play))).clicked() {
            self.start(now);
            return;
        }
        ui.add_space(6.0);
        ui.strong(t!("rules"));
        ui.horizontal_wrapped(|ui| {
            // A deal of the contest is played as the contest has it.
            let given = self.source == Source::Given;
            for variant in Variant::ALL {
                let button = Button::selectable(new_variant == variant, names::variant(variant));
                let may = !given || variant == Variant::Normal;
                if ui.add_enabled(may, button).on_hover_text(names::rule(variant)).clicked() {
                    new_variant = variant;
                }
            }
        });
        ui.label(names::rule(new_variant));
        ui.add_space(6.0);
        ui.strong(t!("players"));
        ui.horizontal_wrapped(|ui| {
            for number in 1..=MOST_PLAYERS {
                let button = Button::selectable(new_players == number, number.to_string());
                let name = t!("players-number", n = number);
                if ui.add(button).accessible_name(&name).clicked() {
                    new_players = number;
                }
            }
        });
        ui.label(match new_players {
            1 => t!("alone"),
            n => t!("together", n = n),
        });
        if (new_variant, new_players) != (variant, players) {
            (self.variant, self.players) = (new_variant, new_players);
            self.lay_out();
        }
    }
}

fn watch_side(ui: &mut Ui, watch: &mut Watch, settings: &Settings) {
    let game = watch.game();
    ui.heading(in_words(watch.step()));
    ui.weak(t!(
        "step-of",
        n = watch.at() + 1,
        all = watch.count(),
        cards = t!("count-cards", n = game.stock()),
        sets = t!("count-sets", n = game.removed().len() / 3)
    ));
    ui.horizontal(|ui| {
        let step = |ui: &mut Ui, sign: &str, name: String, to: usize, here: usize| {
            let button = ui.add_enabled(to != here, Button::new(sign)).accessible_name(name);
            button.clicked().then_some(to)
        };
        let (at, last) = (watch.at(), watch.count() - 1);
        let to = [
            step(ui, "«", t!("first-step"), 0, at),
            step(ui, "‹", t!("previous-step"), at.saturating_sub(1), at),
            step(ui, "›", t!("next-step"), (at + 1).min(last), at),
            step(ui, "»", t!("last-step"), last, at),
        ];
        if let Some(to) = to.into_iter().flatten().next() {
            watch.go_to(to);
        }
    });
    listed_sets(ui, watch, settings);
    ui.add_space(4.0);
    ui.strong(t!("transcript"));
    transcript_area(ui).show(ui, |ui| {
        for words in watch.transcript() {
            ui.monospace(words.trim_end());
        }
    });
}

/// The sets of the step by the places of their cards, in the order of the transcript.
fn listed_sets(ui: &mut Ui, watch: &Watch, settings: &Settings) {
    if watch.sets().is_empty() {
        return;
    }
    ui.add_space(4.0);
    ui.horizontal_wrapped(|ui| {
        for (number, set) in watch.sets().iter().enumerate() {
            let mut places = set.0;
            places.sort_by_key(|&place| watch.game().places()[place]);
            let places = places.map(place_name).join(" ");
            ui.horizontal(|ui| {
                let (rect, _) = ui.allocate_exact_size(vec2(20.0, 20.0), Sense::hover());
                let color = settings.palette.set_color(number);
                disc(ui.painter(), rect.center(), 9.0, color, &(number + 1).to_string());
                ui.monospace(places);
            });
        }
    });
    ui.weak(t!("first-is-taken"));
}

/// Room for a transcript: all that is left, or a few lines where the panel itself scrolls.
fn transcript_area(ui: &Ui) -> ScrollArea {
    let scrolls_as_a_whole = ui.stack().contained_in(UiKind::ScrollArea);
    let height = if scrolls_as_a_whole { 160.0 } else { ui.available_height().max(120.0) };
    ScrollArea::vertical()
        .id_salt("transcript")
        .max_height(height)
        .auto_shrink([false, false])
        .stick_to_bottom(true)
}

/// A step in a few words.
fn in_words(step: &Step) -> String {
    match step {
        Step::Dealt => t!("step-dealt"),
        Step::Found(sets) => t!("count-sets", n = sets.len()),
        Step::NoSet => t!("no-set-here"),
        Step::Removed(_) => t!("step-removed"),
        Step::Compacted => t!("step-compacted"),
        Step::Added(places) => t!("step-added", n = places.len()),
        Step::NoCards => t!("step-no-cards"),
        Step::Over => t!("game-over"),
    }
}

fn play_side(ui: &mut Ui, play: &mut Play, settings: &Settings, now: f64) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(clock(play.seconds(now))).size(34.0).strong());
        ui.vertical(|ui| {
            ui.label(t!("sets-taken", n = play.taken()));
            let counts = [
                t!("cards-to-deal", n = play.round().stock()),
                t!("count-mistakes", n = play.mistakes()),
            ];
            ui.weak(counts.join(" · "));
        });
    });
    if play.players().len() > 1 {
        players(ui, play, now);
    }
    if play.phase() != Phase::Over {
        buttons(ui, play, now);
    }
    ui.add_space(4.0);
    match play.phase() {
        Phase::Paused => {
            ui.heading(t!("paused"));
            ui.label(t!("clock-stands"));
        }
        Phase::Over => {
            ui.heading(t!("game-over"));
        }
        Phase::Ready | Phase::Running(_) => said(ui, play, settings),
    }
    ui.add_space(4.0);
    ui.strong(t!("transcript"));
    transcript_area(ui).show(ui, |ui| {
        for line in play.log() {
            ui.monospace(line);
        }
    });
}

fn buttons(ui: &mut Ui, play: &mut Play, now: f64) {
    let running = play.is_running();
    ui.horizontal_wrapped(|ui| {
        let word = if running { t!("pause") } else { t!("go-on") };
        if ui.button(word).on_hover_text(by_key(Action::Pause)).clicked() {
            if running { play.pause(now) } else { play.start(now) }
        }
        let none = ui.add_enabled(running, Button::new(t!("no-set-here-button")));
        if none.on_hover_text(t!("no-set-here-help", key = key_of(Action::NoSet))).clicked() {
            play.no_set(now);
        }
        let word = match play.hint {
            0 => t!("hint"),
            n if n < play.round().variant().set_size() => t!("one-card-more"),
            _ => t!("hide-hint"),
        };
        if ui
            .add_enabled(running, Button::new(word))
            .on_hover_text(by_key(Action::DealHint))
            .clicked()
        {
            play.more_hint();
        }
        let another = play.hint > 0;
        if another
            && ui.button(t!("another-set")).on_hover_text(by_key(Action::AnotherHint)).clicked()
        {
            play.another_hint();
        }
    });
}

/// The tip of a button that has a key.
fn by_key(action: Action) -> String {
    t!("key-hover", key = key_of(action))
}

/// A button for each player, with which they call.
fn players(ui: &mut Ui, play: &mut Play, now: f64) {
    let caller = play.caller(now);
    let all = play.players().to_vec();
    ui.horizontal_wrapped(|ui| {
        for (who, player) in all.into_iter().enumerate() {
            let calls = caller.filter(|(caller, _)| *caller == who);
            let (n, points) = (who + 1, t!("count-points", n = player.points()));
            let words = match calls {
                Some((_, left)) => {
                    t!("player-button-left", n = n, points = points, seconds = left.round())
                }
                None => t!("player-button", n = n, points = points),
            };
            let may = play.is_running() && caller.is_none();
            let button = Button::selectable(calls.is_some(), words);
            let name = t!("player-calls", n = who + 1);
            if ui.add_enabled(may, button).accessible_name(&name).clicked() {
                play.call(who, now);
            }
        }
    });
}

fn said(ui: &mut Ui, play: &Play, settings: &Settings) {
    let by = |who: &Option<usize>, words: String| match who {
        Some(who) => t!("by-player", n = who + 1, words = words),
        None => words,
    };
    let lines = |ui: &mut Ui, cards: &[Card]| {
        for &card in cards {
            card_line(ui, &Deck::classic(), card, settings);
        }
    };
    let variant = play.round().variant();
    match play.said() {
        None if play.players().len() > 1 => {
            ui.label(t!("said-call"));
        }
        None if variant == Variant::Ultra => {
            ui.label(t!("said-four"));
        }
        None => {
            ui.label(t!("said-three"));
        }
        Some(Said::Taken(cards, who)) => {
            let words = by(who, t!("a-set"));
            ui.label(RichText::new(words).heading().color(good_color(ui)));
            lines(ui, cards);
        }
        Some(Said::Wrong(cards, verdict, who)) => {
            ui.heading(by(who, t!("said-wrong")));
            lines(ui, cards);
            verdict_lines(ui, &Deck::classic(), verdict);
        }
        Some(Said::NotThese(cards, who)) => {
            ui.heading(by(who, t!("said-not-these")));
            ui.label(names::rule(variant));
            lines(ui, cards);
        }
        Some(Said::ThereIsOne(who)) => {
            ui.heading(by(who, t!("said-there-is-one")));
            ui.label(t!("said-look-again"));
        }
        Some(Said::More(n)) => {
            ui.heading(t!("said-no-set"));
            ui.label(t!("said-more", n = *n));
        }
        Some(Said::Called(who)) => {
            ui.heading(t!("said-called", n = who + 1));
            ui.label(t!("said-choose"));
        }
        Some(Said::TooLate(who)) => {
            ui.heading(t!("said-too-late", n = who + 1));
            ui.label(t!("said-point-lost"));
        }
        Some(Said::CallFirst) => {
            ui.heading(t!("said-who"));
            ui.label(t!("said-call-first"));
        }
    }
}
