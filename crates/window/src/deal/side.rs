//! The panel beside the table of a dealt game.

use super::{DealTab, Mode, SOURCES, Source};
use crate::{
    deal::{
        board::Looks,
        game::Watch,
        play::{Announcement, MOST_PLAYERS, Phase, Play, clock},
    },
    shared::{
        card_face::disc,
        keys::{Action, key_hover, key_of, previewed},
        look_panel::{SetRow, card_line, scrolled},
        names,
        settings::Settings,
        tab::{AppContext, Tab},
        theme::bordered,
        verdict::{good_color, verdict_lines},
        words::t,
    },
};
use eframe::egui::{
    Button, RichText, Role, ScrollArea, Sense, Stroke, TextEdit, Ui, UiKind, WidgetInfo, vec2,
};
use setsight_game::cards::Card;
use setsight_game::game::{Step, Variant, place_name};

impl DealTab {
    pub(super) fn side(&mut self, ui: &mut Ui, app: &mut AppContext) {
        let playing = matches!(self.mode, Some(Mode::Play(_)));
        ui.horizontal_wrapped(|ui| {
            if ui.add(Button::selectable(!playing, t!("watch"))).clicked() && playing {
                self.act(Action::WatchGame, app);
            }
            if ui.add(Button::selectable(playing, t!("play"))).clicked() && !playing {
                self.lay_out();
            }
            ui.menu_button(t!("new-game-menu"), |ui| {
                for (action, word) in SOURCES {
                    if ui.button(word.say()).clicked() {
                        self.act(action, app);
                        ui.close();
                    }
                }
            });
        });
        if let Source::Daily(day) = &self.source {
            ui.weak(t!("deal-of-day", day = day.word()));
        }
        if let Some(number) = self.number {
            ui.weak(t!("deal-number", n = format!("{number}")));
        }
        if self.deals.len() > 1 {
            ui.horizontal_wrapped(|ui| {
                ui.weak(t!("data-set-of", n = self.at + 1, all = self.deals.len()));
                if ui.button(t!("next-data-set")).clicked() {
                    self.act(Action::NextDeal, app);
                }
            });
        }
        ui.separator();
        let ready = matches!(&self.mode, Some(Mode::Play(play)) if play.phase() == Phase::Ready);
        if ready {
            self.choose_terms(ui, app);
            return;
        }
        let deck = app.used_deck.drawn();
        let looks = Looks { deck: &deck, settings: app.settings() };
        match &mut self.mode {
            Some(Mode::Watch(watch)) => watch_side(ui, watch, looks),
            Some(Mode::Play(play)) => {
                play_side(ui, play, looks, app.now());
            }
            None => {}
        }
    }

    /// What is played, and by how many; then it begins.
    fn choose_terms(&mut self, ui: &mut Ui, app: &mut AppContext) {
        let (variant, players) = (self.variant, self.players.max(1));
        let (mut new_variant, mut new_players) = (variant, players);
        let start = Button::new(RichText::new(t!("start")).size(20.0)).min_size(vec2(0.0, 44.0));
        let start = ui.vertical_centered_justified(|ui| ui.add(start)).inner;
        if start.on_hover_text(t!("start-help", key = key_of(Action::Play))).clicked() {
            self.start(app.now());
            return;
        }
        // Names of eight players are more than a low window holds.
        scrolled(ui, |ui| {
            self.variants(ui, &mut new_variant);
            how_many_play(ui, &mut new_players);
            if new_players > 1 {
                names_of_players(ui, &mut app.store.settings, new_players);
            }
        });
        if (new_variant, new_players) != (variant, players) {
            (self.variant, self.players) = (new_variant, new_players);
            self.lay_out();
        }
    }

    /// What may be played.
    fn variants(&self, ui: &mut Ui, chosen: &mut Variant) {
        ui.add_space(6.0);
        ui.strong(t!("rules"));
        ui.horizontal_wrapped(|ui| {
            // A deal of the contest is played as the contest has it.
            let given = self.source == Source::Given;
            for variant in Variant::ALL {
                let button = Button::selectable(*chosen == variant, names::variant(variant));
                let may = match variant {
                    Variant::Junior => !given,
                    Variant::Normal => given || !self.only_junior,
                    _ => !given && !self.only_junior,
                };
                if ui.add_enabled(may, button).on_hover_text(names::rule(variant)).clicked() {
                    *chosen = variant;
                }
            }
        });
        ui.label(names::rule(*chosen));
    }
}

fn how_many_play(ui: &mut Ui, players: &mut usize) {
    ui.add_space(6.0);
    ui.strong(t!("players"));
    ui.horizontal_wrapped(|ui| {
        // All of them fit beside each other in the usual panel.
        ui.spacing_mut().button_padding.x = 9.0;
        ui.spacing_mut().item_spacing.x = 4.0;
        for number in 1..=MOST_PLAYERS {
            let button = Button::selectable(*players == number, number.to_string());
            let name = t!("players-number", n = number);
            if ui.add(button).accessible_name(&name).clicked() {
                *players = number;
            }
        }
    });
    ui.label(match *players {
        1 => t!("alone"),
        n => t!("together", n = n),
    });
}

/// A field for the name of each player, beside the colour.
fn names_of_players(ui: &mut Ui, settings: &mut Settings, players: usize) {
    settings.players.resize(settings.players.len().max(players), String::new());
    let palette = settings.palette;
    for (who, name) in settings.players.iter_mut().enumerate().take(players) {
        ui.horizontal(|ui| {
            let (rect, _) = ui.allocate_exact_size(vec2(24.0, 24.0), Sense::hover());
            let color = palette.set_color(who);
            disc(ui.painter(), rect.center(), 11.0, color, &(who + 1).to_string());
            let usual = t!("player-numbered", n = who + 1);
            let field = TextEdit::singleline(name).hint_text(usual).char_limit(20);
            let field = field.desired_width(ui.available_width());
            let field = bordered(ui, |ui| ui.add(field));
            field.widget_info(|| {
                let label = t!("name-of-player", n = who + 1);
                WidgetInfo::labeled(Role::TextInput, true, label)
            });
        });
    }
}

/// A button that leads to another step.
fn step_button(ui: &mut Ui, sign: &str, name: String, to: usize, here: usize) -> Option<usize> {
    let button = ui.add_enabled(to != here, Button::new(sign)).accessible_name(name);
    button.clicked().then_some(to)
}

fn watch_side(ui: &mut Ui, watch: &mut Watch, looks: Looks<'_>) {
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
        let (at, last) = (watch.at(), watch.count() - 1);
        let to = [
            step_button(ui, "«", t!("first-step"), 0, at),
            step_button(ui, "‹", t!("previous-step"), at.saturating_sub(1), at),
            step_button(ui, "›", t!("next-step"), (at + 1).min(last), at),
            step_button(ui, "»", t!("last-step"), last, at),
        ];
        if let Some(to) = to.into_iter().flatten().next() {
            watch.go_to(to);
        }
    });
    listed_sets(ui, watch, looks);
    ui.add_space(4.0);
    ui.strong(t!("transcript"));
    transcript(ui, |ui| {
        // Line by line: fourteen sets in one piece are higher than the room.
        ui.spacing_mut().item_spacing.y = 1.0;
        for line in watch.transcript().iter().flat_map(|words| words.lines()) {
            ui.monospace(line);
        }
    });
}

/// The sets of the step in the order of the transcript: the one under the pointer, or chosen, is shown
/// alone on the table.
fn listed_sets(ui: &mut Ui, watch: &mut Watch, looks: Looks<'_>) {
    if watch.sets().is_empty() {
        return;
    }
    ui.weak(t!("first-is-taken"));
    let pointed = if ui.stack().contained_in(UiKind::ScrollArea) {
        set_rows(ui, watch, looks)
    } else {
        // The transcript below has room, too.
        let area = ScrollArea::vertical().id_salt("sets").auto_shrink([false, true]);
        let area = area.max_height(0.6 * ui.available_height());
        area.show(ui, |ui| set_rows(ui, watch, looks)).inner
    };
    let pointed = previewed(ui.ctx(), pointed);
    if std::mem::replace(&mut watch.pointed, pointed) != pointed {
        ui.ctx().request_repaint(); // The table may have been drawn already.
    }
}

/// A row for each set of the step; the one under the pointer.
fn set_rows(ui: &mut Ui, watch: &mut Watch, looks: Looks<'_>) -> Option<usize> {
    let (sets, places) = (watch.sets().to_vec(), watch.game().places().to_vec());
    let mut pointed = None;
    for (number, set) in sets.iter().enumerate() {
        let mut set = set.0;
        set.sort_by_key(|&place| places[place]);
        let selected = watch.alone == Some(number);
        let row = SetRow {
            place: number,
            label: &(number + 1).to_string(),
            cards: set.map(|place| places[place].expect("a card of a set")),
            words: None,
            places: Some(set.map(place_name)),
            selected,
        };
        let row = row.show(ui, looks.deck, looks.settings);
        if row.clicked() {
            watch.alone = (!selected).then_some(number);
        }
        if row.hovered() {
            pointed = Some(number);
        }
    }
    pointed
}

/// A transcript in all the room that is left; where the panel itself scrolls, as long as it is.
fn transcript(ui: &mut Ui, lines: impl FnOnce(&mut Ui)) {
    if ui.stack().contained_in(UiKind::ScrollArea) {
        return lines(ui);
    }
    let area = ScrollArea::vertical().id_salt("transcript").auto_shrink([false, false]);
    let height = ui.available_height().max(120.0);
    area.max_height(height).stick_to_bottom(true).show(ui, lines);
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

fn play_side(ui: &mut Ui, play: &mut Play, looks: Looks<'_>, now: f64) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(clock(play.seconds(now))).size(34.0).strong());
        ui.vertical(|ui| {
            ui.label(t!("sets-taken", n = play.taken()));
            let counts = [
                t!("cards-to-deal", n = play.round().stock()),
                t!("count-mistakes", n = play.mistakes()),
            ];
            // No line ends between a number and what it counts.
            ui.weak(counts.map(|count| count.replace(' ', "\u{a0}")).join(" · "));
        });
    });
    if play.players().len() > 1 {
        players(ui, play, looks.settings, now);
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
        Phase::Ready | Phase::Running(_) => announcement(ui, play, looks),
    }
    ui.add_space(4.0);
    ui.strong(t!("transcript"));
    transcript(ui, |ui| {
        for line in play.log() {
            ui.monospace(line);
        }
    });
}

fn buttons(ui: &mut Ui, play: &mut Play, now: f64) {
    let running = play.is_running();
    ui.horizontal_wrapped(|ui| {
        let word = if running { t!("pause") } else { t!("go-on") };
        if ui.button(word).on_hover_text(key_hover(Action::Pause)).clicked() {
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
            .on_hover_text(key_hover(Action::DealHint))
            .clicked()
        {
            play.more_hint();
        }
        let another = play.hint > 0;
        if another
            && ui.button(t!("another-set")).on_hover_text(key_hover(Action::AnotherHint)).clicked()
        {
            play.another_hint();
        }
    });
}

/// A button for each player, with which they call.
fn players(ui: &mut Ui, play: &mut Play, settings: &Settings, now: f64) {
    let caller = play.caller(now);
    let all = play.players().to_vec();
    ui.horizontal_wrapped(|ui| {
        for (who, player) in all.into_iter().enumerate() {
            let calls = caller.filter(|(caller, _)| *caller == who);
            let (name, points) = (play.name(who), t!("count-points", n = player.points()));
            let words = match calls {
                Some((_, left)) => {
                    let seconds = left.ceil();
                    t!("player-button-left", player = name, points = points, seconds = seconds)
                }
                None => t!("player-button", player = name, points = points),
            };
            // The player who has called stays as readable as the rest.
            let may = play.is_running() && (caller.is_none() || calls.is_some());
            let line = Stroke::new(2.0, settings.palette.set_color(who));
            let button = Button::selectable(calls.is_some(), words).stroke(line);
            let name = t!("player-calls", player = play.name(who));
            if ui.add_enabled(may, button).accessible_name(&name).clicked() {
                play.call(who, now);
            }
        }
    });
}

fn card_lines(ui: &mut Ui, looks: Looks<'_>, cards: &[Card]) {
    for &card in cards {
        card_line(ui, looks.deck, card, looks.settings);
    }
}

fn announcement(ui: &mut Ui, play: &Play, looks: Looks<'_>) {
    let by = |who: &Option<usize>, words: String| match who {
        Some(who) => t!("by-player", player = play.name(*who), words = words),
        None => words,
    };
    let variant = play.round().variant();
    match play.announcement() {
        None if play.players().len() > 1 => {
            ui.label(t!("said-call"));
        }
        None if variant == Variant::Ultra => {
            ui.label(t!("said-four"));
        }
        None => {
            ui.label(t!("said-three"));
        }
        Some(Announcement::Taken(cards, who)) => {
            let words = by(who, t!("a-set"));
            ui.label(RichText::new(words).heading().color(good_color(ui)));
            card_lines(ui, looks, cards);
        }
        Some(Announcement::Wrong(cards, verdict, who)) => {
            ui.heading(by(who, t!("said-wrong")));
            card_lines(ui, looks, cards);
            verdict_lines(ui, looks.deck, verdict);
        }
        Some(Announcement::NotThese(cards, who)) => {
            ui.heading(by(who, t!("said-not-these")));
            ui.label(names::rule(variant));
            card_lines(ui, looks, cards);
        }
        Some(Announcement::ThereIsOne(who)) => {
            ui.heading(by(who, t!("said-there-is-one")));
            ui.label(t!("said-look-again"));
        }
        Some(Announcement::More(n)) => {
            ui.heading(t!("said-no-set"));
            ui.label(t!("said-more", n = *n));
        }
        Some(Announcement::Called(who)) => {
            ui.heading(t!("said-called", player = play.name(*who)));
            ui.label(t!("said-choose"));
        }
        Some(Announcement::TooLate(who)) => {
            ui.heading(t!("said-too-late", player = play.name(*who)));
            ui.label(t!("said-point-lost"));
        }
        Some(Announcement::CallFirst) => {
            ui.heading(t!("said-who"));
            ui.label(t!("said-call-first"));
        }
    }
}
