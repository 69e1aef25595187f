//! The panel beside the table of a dealt game.

use super::super::game::Watch;
use super::super::keys::Action;
use super::super::look_panel::{card_line, count, good_color, verdict_lines};
use super::super::play::{MOST_PLAYERS, Phase, Play, Said, clock};
use super::super::settings::Settings;
use super::end::points;
use super::{DealTab, Mode, SOURCES, Source};
use crate::cards::{Card, Deck};
use crate::game::{Step, Variant};
use eframe::egui::{Button, RichText, ScrollArea, Ui, vec2};

impl DealTab {
    pub(super) fn side(&mut self, ui: &mut Ui, settings: &Settings, now: f64) {
        let playing = matches!(self.mode, Some(Mode::Play(_)));
        ui.horizontal_wrapped(|ui| {
            if ui.add(Button::selectable(!playing, "Watch")).clicked() && playing {
                self.act(Action::WatchGame, now);
            }
            if ui.add(Button::selectable(playing, "Play")).clicked() && !playing {
                self.lay_out();
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
        if let Source::Daily(day) = &self.source {
            ui.weak(format!("The deal of {}, the same for all", day.word()));
        }
        if self.deals.len() > 1 {
            ui.horizontal_wrapped(|ui| {
                ui.weak(format!("Data set {} of {}", self.at + 1, self.deals.len()));
                if ui.button("Next data set").clicked() {
                    self.act(Action::NextDeal, now);
                }
            });
        }
        ui.separator();
        let ready = matches!(&self.mode, Some(Mode::Play(play)) if play.phase() == Phase::Ready);
        if ready {
            self.choose_terms(ui, now);
            return;
        }
        match &mut self.mode {
            Some(Mode::Watch(watch)) => watch_side(ui, watch),
            Some(Mode::Play(play)) => play_side(ui, play, settings, now),
            None => {}
        }
    }

    /// What is played, and by how many; then it begins.
    fn choose_terms(&mut self, ui: &mut Ui, now: f64) {
        let (variant, players) = (self.variant, self.players.max(1));
        let (mut new_variant, mut new_players) = (variant, players);
        let start = Button::new(RichText::new("Start").size(20.0)).min_size(vec2(0.0, 44.0));
        let start = ui.vertical_centered_justified(|ui| ui.add(start)).inner;
        if start.on_hover_text("Shows the cards and lets the clock run. Key: P").clicked() {
            self.start(now);
            return;
        }
        ui.add_space(6.0);
        ui.strong("Rules");
        ui.horizontal_wrapped(|ui| {
            // A deal of the contest is played as the contest has it.
            let given = self.source == Source::Given;
            for variant in Variant::ALL {
                let button = Button::selectable(new_variant == variant, variant.word());
                let may = !given || variant == Variant::Normal;
                if ui.add_enabled(may, button).on_hover_text(variant.rule()).clicked() {
                    new_variant = variant;
                }
            }
        });
        ui.label(new_variant.rule());
        ui.add_space(6.0);
        ui.strong("Players");
        ui.horizontal_wrapped(|ui| {
            for number in 1..=MOST_PLAYERS {
                let button = Button::selectable(new_players == number, number.to_string());
                let name = format!("Players: {number}");
                if ui.add(button).accessible_name(&name).clicked() {
                    new_players = number;
                }
            }
        });
        ui.label(if new_players == 1 {
            "Alone, against the clock.".to_owned()
        } else {
            format!(
                "Whoever sees a set calls, by a key from 1 to {new_players} or their name here, and then \
                 chooses its cards within a few seconds. Else a point is lost."
            )
        });
        if (new_variant, new_players) != (variant, players) {
            (self.variant, self.players) = (new_variant, new_players);
            self.lay_out();
        }
    }
}

fn watch_side(ui: &mut Ui, watch: &mut Watch) {
    let game = watch.game();
    ui.heading(in_words(watch.step()));
    ui.weak(format!(
        "Step {} of {} · {} to deal · {} taken",
        watch.at() + 1,
        watch.count(),
        count(game.stock(), "card"),
        count(game.removed().len() / 3, "set")
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
    ScrollArea::vertical()
        .id_salt("transcript")
        .max_height(height)
        .auto_shrink([false, false])
        .stick_to_bottom(true)
}

/// A step in a few words.
fn in_words(step: &Step) -> String {
    match step {
        Step::Dealt => "The first twelve cards".into(),
        Step::Found(sets) => count(sets.len(), "set"),
        Step::NoSet => "No set here.".into(),
        Step::Removed(_) => "The first set is taken".into(),
        Step::Compacted => "The cards move up".into(),
        Step::Added(places) => format!("{} new", count(places.len(), "card")),
        Step::NoCards => "No cards remain".into(),
        Step::Over => "The game is over".into(),
    }
}

fn play_side(ui: &mut Ui, play: &mut Play, settings: &Settings, now: f64) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(clock(play.seconds(now))).size(34.0).strong());
        ui.vertical(|ui| {
            ui.label(format!("{} taken", count(play.taken(), "set")));
            ui.weak(format!(
                "{} to deal · {}",
                count(play.round().stock(), "card"),
                count(play.mistakes(), "mistake")
            ));
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
            ui.heading("Paused");
            ui.label("The clock stands, and the cards lie face down.");
        }
        Phase::Over => {
            ui.heading("The game is over");
        }
        Phase::Ready | Phase::Running(_) => said(ui, play, settings),
    }
    ui.add_space(4.0);
    ui.strong("Transcript");
    transcript_area(ui).show(ui, |ui| {
        for line in play.log() {
            ui.monospace(line);
        }
    });
}

fn buttons(ui: &mut Ui, play: &mut Play, now: f64) {
    let running = play.is_running();
    ui.horizontal_wrapped(|ui| {
        let word = if running { "Pause" } else { "Go on" };
        if ui.button(word).on_hover_text("Key: P").clicked() {
            if running { play.pause(now) } else { play.start(now) }
        }
        let none = ui.add_enabled(running, Button::new("No set here"));
        if none.on_hover_text("Three more cards, if that is so. Key: O").clicked() {
            play.no_set(now);
        }
        let word = match play.hint {
            0 => "Hint",
            n if n < play.round().variant().set_size() => "One card more",
            _ => "Hide the hint",
        };
        if ui.add_enabled(running, Button::new(word)).on_hover_text("Key: I").clicked() {
            play.more_hint();
        }
        let another = play.hint > 0;
        if another && ui.button("Another set").on_hover_text("Key: K").clicked() {
            play.another_hint();
        }
    });
}

/// A button for each player, with which they call.
fn players(ui: &mut Ui, play: &mut Play, now: f64) {
    let caller = play.caller(now);
    let all = play.players().to_vec();
    ui.horizontal_wrapped(|ui| {
        for (who, player) in all.into_iter().enumerate() {
            let calls = caller.filter(|(caller, _)| *caller == who);
            let left = calls.map_or_else(String::new, |(_, left)| format!(" · {left:.0} s"));
            let words = format!("{}: {}{left}", who + 1, points(player.points()));
            let may = play.is_running() && caller.is_none();
            let button = Button::selectable(calls.is_some(), words);
            let name = format!("Player {} calls", who + 1);
            if ui.add_enabled(may, button).accessible_name(&name).clicked() {
                play.call(who, now);
            }
        }
    });
}

fn said(ui: &mut Ui, play: &Play, settings: &Settings) {
    let by =
        |who: &Option<usize>| who.map_or_else(String::new, |who| format!("Player {}: ", who + 1));
    let lines = |ui: &mut Ui, cards: &[Card]| {
        for &card in cards {
            card_line(ui, &Deck::classic(), card, settings);
        }
    };
    let variant = play.round().variant();
    match play.said() {
        None if play.players().len() > 1 => {
            ui.label("Call when you see a set, then choose its cards.");
        }
        None if variant == Variant::Ultra => {
            ui.label("Click four cards: two pairs that one card would complete.");
        }
        None => {
            ui.label("Click three cards that are a set.");
        }
        Some(Said::Taken(cards, who)) => {
            let words = format!("{}A set!", by(who));
            ui.label(RichText::new(words).heading().color(good_color(ui)));
            lines(ui, cards);
        }
        Some(Said::Wrong(cards, verdict, who)) => {
            ui.heading(format!("{}Not a set.", by(who)));
            lines(ui, cards);
            verdict_lines(ui, verdict);
        }
        Some(Said::NotThese(cards, who)) => {
            ui.heading(format!("{}Not these.", by(who)));
            ui.label(variant.rule());
            lines(ui, cards);
        }
        Some(Said::ThereIsOne(who)) => {
            ui.heading(format!("{}There is a set.", by(who)));
            ui.label("Look again, or ask for a hint.");
        }
        Some(Said::More(n)) => {
            ui.heading("No set, right.");
            let are = if *n == 1 { "Here is" } else { "Here are" };
            ui.label(format!("{are} {} more.", count(*n, "card")));
        }
        Some(Said::Called(who)) => {
            ui.heading(format!("Player {} has called.", who + 1));
            ui.label("Choose the cards.");
        }
        Some(Said::TooLate(who)) => {
            ui.heading(format!("Player {}: too late.", who + 1));
            ui.label("A point is lost.");
        }
        Some(Said::CallFirst) => {
            ui.heading("Who has seen it?");
            ui.label("Call first: press your number, or your name above.");
        }
    }
}
