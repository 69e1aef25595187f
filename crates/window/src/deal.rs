//! The tab of the dealt game: cards drawn, watched step by step or played.

mod board;
pub(crate) mod game;
pub(crate) mod play;
mod printing;
pub(crate) mod scores;
mod side;

use crate::{
    deal::{
        board::{Looks, Pressed},
        game::{Watch, deals_in, deals_of, is_file_of_deals},
        play::{Phase, Play},
        printing::Printing,
        scores::{Day, Score, Scores},
    },
    shared::{
        keys::{Action, CTRL, Go, Place},
        pages,
        split::Split,
        tab::{AppContext, Ask, Tab, TabSpec},
        theme::{bordered, felt},
        words::{Word, t},
    },
};
use eframe::egui::{
    Button, CentralPanel, Event, Frame, Key, RichText, ScrollArea, TextEdit, Ui, vec2,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use setsight_desktop::Pick;
use setsight_game::game::{Deal, Spot, Variant};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Its entry in the list of tabs.
pub(crate) const TAB: TabSpec = TabSpec {
    id: "deal",
    word: Word("tab-deal"),
    shortcut: (CTRL, Key::Num2, Word("keys-deal")),
    in_bar: true,
    // There is more than one way to show it: see `Show`.
    opens: |path| is_file_of_deals(path).then_some(ASK_DEALS),
    make: |app| {
        let scores = Scores::at(app.store.sibling("games.json"));
        let mut tab = DealTab { scores, ..DealTab::default() };
        tab.go_on_with(app.store.sibling("game-under-way.json"));
        Box::new(tab)
    },
};

/// Asks where to write sheets of boards.
const SAVE_BOARDS: Ask = Ask::new(TAB.id, Word("ask-boards"), Pick::NewFile);
const ASK_DEALS: Ask = Ask::new(TAB.id, Word("ask-deals"), Pick::File);

/// Most width of the panel, and the height below which it scrolls as a whole.
const PANEL: (f32, f32) = (346.0, 600.0);
/// Keys of the places, down the columns as the cards lie, and those of the last set in a chain. They
/// count by where they lie on the keyboard, whatever is printed on them.
const PLACE_KEYS: [Key; 21] = {
    use Key::{A, B, C, D, E, F, G, H, J, M, N, Q, R, S, T, U, V, W, X, Y, Z};
    [Q, A, Z, W, S, X, E, D, C, R, F, V, T, G, B, Y, H, N, U, J, M]
};
const LAST_KEYS: [Key; 3] = [Key::Comma, Key::Period, Key::Slash];
/// Keys with which players call.
const PLAYER_KEYS: [Key; 8] =
    [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::Num7, Key::Num8];

/// How the game is followed.
enum Mode {
    Watch(Watch),
    Play(Box<Play>),
}

/// Where the cards come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Source {
    /// Shuffled for this game.
    #[default]
    Shuffled,
    /// The day's deal, the same for all.
    Daily(Day),
    /// From a file or typed.
    Given,
}

/// What is to be done instead of the game.
enum Next {
    Act(Action),
    Number(u64),
    Take(Vec<Deal>),
}

#[derive(Default)]
pub struct DealTab {
    deals: Vec<Deal>,
    at: usize,
    source: Source,
    /// By which number anybody gets the same deal.
    number: Option<u64>,
    mode: Option<Mode>,
    /// What is played, and by how many.
    variant: Variant,
    players: usize,
    /// Whether the deck that is drawn has no more than 27 cards, of one fill.
    only_junior: bool,
    /// Codes that are being typed.
    codes: Option<String>,
    /// What the user wants though a game is under way: asked first.
    instead: Option<Next>,
    /// How boards are to be printed, while that is asked.
    printing: Option<Printing>,
    /// Games that were played to their end.
    pub scores: Scores,
    /// Whether the game that is over is among them.
    kept: Option<Score>,
    /// Where a game that is under way is kept when the program ends.
    under_way: Option<PathBuf>,
    /// The time of the last frame, in seconds.
    now: f64,
}

impl DealTab {
    /// Goes on with the game of a file, if there is one.
    fn go_on_with(&mut self, path: Option<PathBuf>) {
        let game = path.as_deref().and_then(scores::read_under_way);
        if let Some((play, deal, source, number)) = game {
            (self.variant, self.players) = (play.round().variant(), play.players().len());
            self.put(vec![deal], source);
            self.number = number;
            self.mode = Some(Mode::Play(Box::new(play)));
        }
        self.under_way = path;
    }

    /// A freshly shuffled deck, to be played. The same seed gives the same deal.
    pub fn shuffle(&mut self, seed: u64) {
        self.put(vec![Deal::random(seed)], Source::Shuffled);
        self.number = Some(seed);
        self.lay_out();
    }

    /// The deal of a day, to be played: the same for all.
    fn deal_of(&mut self, day: Day) {
        self.put(vec![Deal::random(day.seed())], Source::Daily(day));
        self.lay_out();
    }

    /// These deals of a file, the first of them watched from its beginning.
    pub fn give(&mut self, deals: Vec<Deal>) {
        self.put(deals, Source::Given);
    }

    /// Whether there is something to watch or to play.
    pub(crate) fn has_deals(&self) -> bool {
        !self.deals.is_empty()
    }

    /// The deals of a file.
    fn open(&mut self, path: &Path, app: &mut AppContext) {
        match deals_of(path) {
            Ok(deals) => self.unless_playing(Next::Take(deals), app),
            Err(error) => {
                let path = path.display().to_string();
                app.say(t!("deals-failed", path = path, error = error));
            }
        }
    }

    /// The deals that a text means, or the one of a number.
    fn read(&mut self, text: &str, app: &mut AppContext) {
        if let Ok(number) = text.trim().parse() {
            self.codes = None;
            return self.unless_playing(Next::Number(number), app);
        }
        match deals_in(text) {
            Ok(deals) => {
                self.codes = None;
                self.unless_playing(Next::Take(deals), app);
            }
            Err(error) => app.say(error),
        }
    }

    fn put(&mut self, deals: Vec<Deal>, source: Source) {
        self.deals = deals;
        (self.at, self.number) = (0, None);
        self.source = source;
        self.watch();
    }

    pub fn watch(&mut self) {
        self.mode = self.deals.get(self.at).map(|deal| Mode::Watch(Watch::new(deal)));
    }

    /// Lays the deal out to be played, its cards face down.
    pub(crate) fn lay_out(&mut self) {
        if self.source == Source::Given {
            // Such deals are of the contest, and may hold a card twice.
            self.variant = Variant::Normal;
        } else if self.only_junior {
            self.variant = Variant::Junior;
        }
        let (variant, players) = (self.variant, self.players.max(1));
        self.mode = self
            .deals
            .get(self.at)
            .map(|deal| Mode::Play(Box::new(Play::new(variant, deal, players))));
        self.kept = None;
    }

    /// Shows the cards and lets the clock run.
    pub(crate) fn start(&mut self, now: f64) {
        if let Some(Mode::Play(play)) = &mut self.mode {
            play.start(now);
        }
    }

    /// Hides the cards and stops the clock, if it runs.
    pub(crate) fn pause(&mut self, now: f64) {
        if let Some(Mode::Play(play)) = &mut self.mode {
            play.pause(now);
        }
    }

    /// What has happened so far, as text.
    pub fn transcript(&self) -> Option<String> {
        match self.mode.as_ref()? {
            Mode::Watch(watch) => Some(watch.transcript().concat()),
            Mode::Play(play) => Some(play.log().join("\n") + "\n"),
        }
    }

    pub fn play(&self) -> Option<&Play> {
        match &self.mode {
            Some(Mode::Play(play)) => Some(play),
            _ => None,
        }
    }

    /// Does something that ends the game, unless one is under way: then it is asked for first.
    fn unless_playing(&mut self, next: Next, app: &mut AppContext) {
        if self.play().is_some_and(Play::is_under_way) {
            self.pause(app.now());
            self.instead = Some(next);
        } else {
            self.go_to(next, app);
        }
    }

    fn go_to(&mut self, next: Next, app: &mut AppContext) {
        match next {
            Next::Take(deals) => self.give(deals),
            Next::Number(number) => self.shuffle(number),
            Next::Act(Action::DealRandom) => self.shuffle(fresh_seed()),
            Next::Act(Action::DealDaily) => self.deal_of(Day::from_time(SystemTime::now())),
            Next::Act(Action::OpenDeals) => app.ask(ASK_DEALS),
            Next::Act(Action::TypeCodes) => self.codes = Some(String::new()),
            Next::Act(Action::WatchGame) => self.watch(),
            Next::Act(Action::NextDeal) if !self.deals.is_empty() => {
                self.at = (self.at + 1) % self.deals.len();
                self.watch();
            }
            Next::Act(_) => {}
        }
    }

    /// From watching to playing, from there to the running clock, and from the end to another game.
    fn begin(&mut self, now: f64) {
        match self.play().map(Play::phase) {
            Some(Phase::Ready | Phase::Paused) => self.start(now),
            Some(Phase::Running(_)) => {}
            Some(Phase::Over) if self.source == Source::Shuffled => self.shuffle(fresh_seed()),
            Some(Phase::Over) | None => self.lay_out(),
        }
    }

    fn table_and_side(&mut self, ui: &mut Ui, app: &mut AppContext) {
        // Each of several players has a button, perhaps in a row of its own.
        let players = self.play().map_or(1, |play| play.players().len());
        let height = PANEL.1 + 40.0 * (players - 1) as f32;
        let split = Split::new(ui.available_size(), PANEL.0, height);
        let (panel_margin, margin) = if split.narrow { (8.0, 6.0) } else { (14.0, 18.0) };
        if !app.presenting {
            split.show(ui, "deal side", panel_margin, |ui| self.side(ui, app));
        }
        CentralPanel::no_frame()
            .frame(Frame::NONE.fill(felt(ui)).inner_margin(margin))
            .show(ui, |ui| self.table(ui, app));
    }

    fn table(&mut self, ui: &mut Ui, app: &AppContext) {
        let (deck, now) = (app.used_deck.drawn(), app.now());
        let looks = Looks { deck: &deck, settings: app.settings() };
        match &mut self.mode {
            Some(Mode::Watch(watch)) => board::watched(ui, watch, looks),
            Some(Mode::Play(play)) if play.phase() == Phase::Over => {
                let best = self.scores.best_by_day(play.round().variant());
                if scores::show_end(ui, play, self.kept.as_ref(), &best) {
                    self.begin(now);
                }
            }
            Some(Mode::Play(play)) => match board::played(ui, play, looks, now) {
                Some(Pressed::Card(spot)) => play.choose(spot, now),
                Some(Pressed::Start) => play.start(now),
                None => {}
            },
            None => {}
        }
    }

    /// Cards and players have keys of their own while the clock runs.
    fn card_keys(&mut self, ui: &Ui, now: f64) {
        let Some(Mode::Play(play)) = &mut self.mode else { return };
        if !play.is_running() {
            return;
        }
        let pressed: Vec<Key> = ui.input(|input| {
            input
                .events
                .iter()
                .filter_map(|event| match event {
                    Event::Key { key, physical_key, pressed: true, repeat: false, modifiers }
                        if !modifiers.any() =>
                    {
                        Some(physical_key.unwrap_or(*key))
                    }
                    _ => None,
                })
                .collect()
        });
        for key in pressed {
            let place = PLACE_KEYS.iter().position(|&other| other == key).map(Spot::Table);
            let last = LAST_KEYS.iter().position(|&other| other == key).map(Spot::Last);
            if let Some(spot) = place.or(last) {
                play.choose(spot, now);
            } else if let Some(player) = PLAYER_KEYS.iter().position(|&other| other == key) {
                play.call(player, now);
            }
        }
    }

    /// Keeps a game that has just ended, if it was of one player and of a whole deck.
    fn keep_score(&mut self, app: &mut AppContext) {
        let Some(Mode::Play(play)) = &self.mode else { return };
        let counts = play.players().len() == 1 && self.source != Source::Given;
        if play.phase() != Phase::Over || self.kept.is_some() || !counts {
            return;
        }
        let today = Day::from_time(SystemTime::now());
        let score = Score {
            day: today,
            variant: play.round().variant().word().to_owned(),
            daily: matches!(self.source, Source::Daily(_)),
            seconds: play.seconds(0.0),
            sets: play.taken(),
            mistakes: play.mistakes(),
            hints: play.hints(),
        };
        self.kept = Some(score.clone());
        if let Err(error) = self.scores.add(score) {
            app.say(t!("score-unkept", error = error.to_string()));
        }
    }

    fn welcome(&mut self, ui: &mut Ui, app: &mut AppContext) {
        ui.vertical_centered(|ui| {
            ui.add_space((ui.available_height() * 0.2).clamp(8.0, 200.0));
            ui.label(RichText::new(t!("deal-title")).size(28.0).strong());
            ui.add_space(6.0);
            ui.label(t!("deal-what"));
            ui.add_space(16.0);
            let size = vec2(260.0_f32.min(ui.available_width()), 38.0);
            for (action, word) in SOURCES {
                if ui.add(Button::new(word.say()).min_size(size)).clicked() {
                    self.act(action, app);
                }
            }
        });
    }

    fn codes_page(&mut self, app: &mut AppContext) {
        let Some(mut text) = self.codes.take() else { return };
        let answer = pages::modal(&app.ctx, "codes", 520.0, |ui| {
            ui.heading(t!("type-codes"));
            let label = ui.label(t!("codes-label"));
            let field = TextEdit::multiline(&mut text).desired_rows(6).desired_width(f32::INFINITY);
            let field = bordered(ui, |ui| ui.add(field)).labelled_by(label.id);
            if !field.has_focus() && !field.lost_focus() && text.is_empty() {
                field.request_focus();
            }
            ui.horizontal(|ui| {
                (ui.button(t!("deal-these")).clicked(), ui.button(t!("cancel")).clicked())
            })
            .inner
        });
        let (go, cancel) = answer.inner;
        if cancel || answer.should_close() {
            return;
        }
        self.codes = Some(text.clone());
        if go {
            self.read(&text, app);
        }
    }

    /// Something would end the game: does the user want that?
    fn instead_page(&mut self, app: &mut AppContext) {
        if self.instead.is_none() {
            return;
        }
        let answer = pages::modal(&app.ctx, "instead", 380.0, |ui| {
            ui.heading(t!("give-up-game"));
            ui.label(t!("would-be-lost"));
            ui.add_space(6.0);
            ui.horizontal_wrapped(|ui| {
                (ui.button(t!("play-on")).clicked(), ui.button(t!("give-up")).clicked())
            })
            .inner
        });
        let (play_on, give_up) = answer.inner;
        if give_up && let Some(next) = self.instead.take() {
            self.mode = None;
            self.go_to(next, app);
            if self.mode.is_none() {
                // A file or codes are asked for: until there are any the deal lies there anew.
                self.lay_out();
            }
        } else if play_on || answer.should_close() {
            self.instead = None;
            self.start(app.now());
        }
    }
}

impl Tab for DealTab {
    fn ui(&mut self, ui: &mut Ui, app: &mut AppContext, keys: bool) {
        let now = app.now();
        self.now = now;
        if keys {
            self.card_keys(ui, now);
        }
        self.only_junior = app.used_deck.drawn().has_one_fill();
        if let Some(Mode::Play(play)) = &mut self.mode {
            play.tick(now);
            play.names.clone_from(&app.settings().players);
        }
        self.keep_score(app);
        if self.deals.is_empty() {
            CentralPanel::default().show(ui, |ui| {
                ScrollArea::vertical()
                    .auto_shrink([false, false])
                    .show(ui, |ui| self.welcome(ui, app));
            });
        } else {
            self.table_and_side(ui, app);
        }
        self.codes_page(app);
        self.printing_page(app);
        self.instead_page(app);
        if let Some(Mode::Play(play)) = &self.mode
            && play.is_running()
        {
            // The clock goes on; animations and calls want more.
            let quick = play.leaving(now).is_some() || play.caller(now).is_some();
            let wait = if quick { Duration::from_millis(16) } else { Duration::from_millis(250) };
            ui.ctx().request_repaint_after(wait);
        }
    }

    fn places(&self) -> Vec<Place> {
        match &self.mode {
            // Its keys mean nothing else over the score: a last one may come late.
            Some(Mode::Play(play)) if play.phase() != Phase::Ready => vec![Place::Play],
            Some(Mode::Watch(_)) => vec![Place::Deal, Place::Watch],
            _ => vec![Place::Deal],
        }
    }

    fn act(&mut self, action: Action, app: &mut AppContext) {
        let now = app.now();
        match action {
            Action::DealRandom
            | Action::DealDaily
            | Action::OpenDeals
            | Action::TypeCodes
            | Action::WatchGame
            | Action::NextDeal => self.unless_playing(Next::Act(action), app),
            Action::PrintBoards => {
                self.pause(now);
                self.printing = Some(Printing::new(self));
            }
            Action::Play => self.begin(now),
            Action::Pause if self.play().is_some_and(|play| play.phase() == Phase::Over) => {
                return self.begin(now);
            }
            Action::Start if self.play().is_some_and(|play| !play.is_running()) => self.begin(now),
            _ => {}
        }
        match (&mut self.mode, action) {
            (Some(Mode::Watch(watch)), Action::Step(to)) => watch.go_to(match to {
                Go::First => 0,
                Go::Previous => watch.at().saturating_sub(1),
                Go::Next => watch.at() + 1,
                Go::Last => usize::MAX,
            }),
            (Some(Mode::Play(play)), Action::NoSet) => play.no_set(now),
            (Some(Mode::Play(play)), Action::DealHint) => play.more_hint(),
            (Some(Mode::Play(play)), Action::AnotherHint) => play.another_hint(),
            (Some(Mode::Play(play)), Action::Clear) => play.chosen.clear(),
            (Some(Mode::Play(play)), Action::Pause) => match play.is_running() {
                true => play.pause(now),
                false => play.start(now),
            },
            _ => {}
        }
    }

    /// Whether codes are being typed, or the user is asked something.
    fn is_asking(&self) -> bool {
        self.codes.is_some() || self.printing.is_some() || self.instead.is_some()
    }

    fn take(&mut self, ask: Ask, paths: Vec<PathBuf>, app: &mut AppContext) {
        match ask {
            SAVE_BOARDS => self.print_boards(&paths[0], app),
            _ => self.open(&paths[0], app),
        }
    }

    fn paste(&mut self, text: &str, app: &mut AppContext) -> bool {
        self.read(text, app);
        true
    }

    fn copy(&self) -> Option<(String, Word)> {
        Some((self.transcript()?, Word("transcript-copied")))
    }

    fn describe(&self, line: &mut Value) {
        line["transcript"] = json!(self.transcript());
    }

    fn cover(&mut self, app: &mut AppContext) {
        self.leave(app);
    }

    fn close(&mut self) {
        let Some(path) = &self.under_way else { return };
        let play = self.play().filter(|play| play.is_under_way());
        let game =
            play.and_then(|play| Some((play, self.deals.get(self.at)?, &self.source, self.number)));
        // There is nobody left to tell.
        let _ = scores::write_under_way(path, game, self.now);
    }

    /// Nobody plays while something else is seen.
    fn leave(&mut self, app: &mut AppContext) {
        self.pause(app.now());
    }
}

const SOURCES: [(Action, Word); 5] = [
    (Action::DealRandom, Word("shuffle-and-play")),
    (Action::DealDaily, Word("todays-deal")),
    (Action::OpenDeals, Word("open-deals")),
    (Action::TypeCodes, Word("type-codes")),
    (Action::PrintBoards, Word("print-boards")),
];

/// A number of six digits at most, which can be said to a class.
fn fresh_seed() -> u64 {
    let since = SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(1, |time| time.as_micros() as u64 % 1_000_000)
}
