//! A game that is played, alone or by several at one table. Plain state: whoever draws it brings the
//! time.

use crate::shared::words::t;
use serde::{Deserialize, Serialize};
use setsight_game::{
    cards::{Card, parse_codes},
    game::{Deal, Round, Spot, Variant},
    sets::{Verdict, explain, is_set},
};

/// Most players at one table: a key from 1 on calls for each.
pub(crate) const MOST_PLAYERS: usize = 8;
/// So long cards that are no set stay marked, in seconds.
const WRONG_SECONDS: f64 = 3.0;
/// Seconds in which the player who has called must choose.
const CALL_SECONDS: f64 = 6.0;
/// Seconds in which taken cards leave the table.
pub(crate) const LEAVING_SECONDS: f64 = 0.45;

/// How far the game is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// The cards lie face down.
    Ready,
    /// The clock has run since this time, in seconds.
    Running(f64),
    /// The clock stands, and the cards lie face down.
    Paused,
    /// No set is left, and no card to deal.
    Over,
}

/// What was said last. `by` is the player, counted from 0, where there are several.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Announcement {
    /// These cards were a set and are taken.
    Taken(Vec<Card>, Option<usize>),
    /// These three cards are no set.
    Wrong([Card; 3], Verdict, Option<usize>),
    /// These cards are not what the variant asks for.
    NotThese(Vec<Card>, Option<usize>),
    /// There is a set, though a player said that there is none.
    ThereIsOne(Option<usize>),
    /// There was no set: this many cards more.
    More(usize),
    /// A player has called and has a few seconds.
    Called(usize),
    /// A player called and did not choose in time.
    TooLate(usize),
    /// Somebody must call before cards are chosen.
    CallFirst,
}

/// Something that has happened: after how many seconds, who did it, and what.
pub(crate) type Logged = (f64, Option<usize>, Note);

/// Something that has happened, for the transcript.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Note {
    /// So many cards were dealt.
    Dealt(usize),
    /// The cards of these codes were taken.
    Taken(String),
    /// Cards were chosen that may not be taken.
    Wrong,
    /// A player called and did not choose in time.
    Nothing,
    /// A player said that there is no set, and there is one.
    ThereIsOne,
    /// There was none: so many cards more.
    More(usize),
    /// Nothing is left.
    Over,
}

impl Note {
    fn words(&self) -> String {
        match self {
            Self::Dealt(n) => t!("log-dealt", n = *n),
            Self::Taken(_) => t!("log-set"),
            Self::Wrong => t!("log-no-set"),
            Self::Nothing => t!("log-nothing"),
            Self::ThereIsOne => t!("log-there-is-one"),
            Self::More(n) => t!("log-more", n = *n),
            Self::Over => t!("log-over"),
        }
    }
}

/// What one of several has won and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Player {
    /// Sets taken.
    pub(crate) sets: usize,
    /// Points lost: a wrong call, or one that came to nothing.
    pub(crate) lost: usize,
}

impl Player {
    /// Sets less points lost.
    pub fn points(self) -> i64 {
        self.sets as i64 - self.lost as i64
    }
}

/// Cards that have just been taken: they leave before the eyes of the player.
#[derive(Clone, Debug)]
pub(crate) struct Leaving {
    /// Where they lay, and which they are.
    pub(crate) cards: Vec<(usize, Card)>,
    /// When they were taken, in seconds.
    pub(crate) since: f64,
}

pub struct Play {
    round: Round,
    /// The cards chosen.
    pub(crate) chosen: Vec<Spot>,
    /// How many cards of a set are given away.
    pub(crate) hint: usize,
    /// Of which of the sets.
    hint_rank: usize,
    players: Vec<Player>,
    /// What they are called; where nothing stands they are numbered.
    pub(crate) names: Vec<String>,
    /// Who has called, and when on the game's clock.
    caller: Option<(usize, f64)>,
    mistakes: usize,
    hints: usize,
    /// Seconds played before the clock was last started.
    before: f64,
    phase: Phase,
    announcement: Option<Announcement>,
    /// What has happened.
    log: Vec<Logged>,
    leaving: Option<Leaving>,
    /// Cards that were chosen and are no set, and when.
    wrong: (Vec<Spot>, f64),
}

impl Play {
    /// A game of so many players (1 to [`MOST_PLAYERS`]), its cards still face down.
    pub(crate) fn new(variant: Variant, deal: &Deal, players: usize) -> Self {
        let round = Round::new(variant, deal);
        Self {
            round,
            chosen: Vec::new(),
            hint: 0,
            hint_rank: 0,
            players: vec![Player::default(); players.clamp(1, MOST_PLAYERS)],
            names: Vec::new(),
            caller: None,
            mistakes: 0,
            hints: 0,
            before: 0.0,
            phase: Phase::Ready,
            announcement: None,
            log: vec![(0.0, None, Note::Dealt(variant.start_cards()))],
            leaving: None,
            wrong: (Vec::new(), 0.0),
        }
    }

    /// The cards, and what may be taken of them.
    pub fn round(&self) -> &Round {
        &self.round
    }

    /// How far the game is.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Whether the cards can be seen and chosen.
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Running(_))
    }

    /// Whether something would be lost if the game were given up.
    pub(crate) fn is_under_way(&self) -> bool {
        matches!(self.phase, Phase::Running(_) | Phase::Paused)
    }

    /// All who play.
    pub fn players(&self) -> &[Player] {
        &self.players
    }

    /// What a player, counted from 0, is called.
    pub(crate) fn name(&self, who: usize) -> String {
        let name = self.names.get(who).map_or("", |name| name.trim());
        if name.is_empty() { t!("player-numbered", n = who + 1) } else { name.to_owned() }
    }

    /// How many seconds each set took, from the one before or the beginning.
    pub(crate) fn set_times(&self) -> Vec<f64> {
        let taken = self.log.iter().filter(|(_, _, note)| matches!(note, Note::Taken(_)));
        let times = taken.map(|(seconds, ..)| *seconds);
        let mut last = 0.0;
        times.map(|at| at - std::mem::replace(&mut last, at)).collect()
    }

    /// Who has called, and how many seconds are left.
    pub(crate) fn caller(&self, now: f64) -> Option<(usize, f64)> {
        self.caller.map(|(who, at)| (who, (at + CALL_SECONDS - self.seconds(now)).max(0.0)))
    }

    /// How many sets are taken.
    pub fn taken(&self) -> usize {
        self.players.iter().map(|player| player.sets).sum()
    }

    /// How often somebody was wrong.
    pub(crate) fn mistakes(&self) -> usize {
        self.mistakes
    }

    /// How many hints were asked for.
    pub(crate) fn hints(&self) -> usize {
        self.hints
    }

    /// What was said last.
    pub(crate) fn announcement(&self) -> Option<&Announcement> {
        self.announcement.as_ref()
    }

    /// What has happened, to be kept.
    pub(crate) fn logged(&self) -> &[Logged] {
        &self.log
    }

    /// The same game after all this, its clock standing; none if that cannot have happened in it.
    pub(crate) fn gone_on_with(
        mut self,
        log: &[Logged],
        hints: usize,
        seconds: f64,
    ) -> Option<Self> {
        for (_, by, note) in log {
            let player = self.players.get_mut(by.unwrap_or(0))?;
            match note {
                Note::Dealt(_) => {}
                Note::Taken(codes) => {
                    player.sets += 1;
                    let spots = self.spots_of(&parse_codes(codes).ok()?)?;
                    self.round.take(&spots).then_some(())?;
                }
                Note::More(_) => {
                    self.round.lay_out_more();
                }
                Note::Wrong | Note::Nothing | Note::ThereIsOne => {
                    self.mistakes += 1;
                    player.lost += usize::from(by.is_some());
                }
                Note::Over => return None,
            }
        }
        (self.log, self.hints, self.before) = (log.to_vec(), hints, seconds);
        self.phase = Phase::Paused;
        Some(self)
    }

    /// Where these cards lie.
    fn spots_of(&self, cards: &[Card]) -> Option<Vec<Spot>> {
        let table = (0..self.round.places().len()).map(Spot::Table);
        let all: Vec<Spot> = table.chain((0..3).map(Spot::Last)).collect();
        let mut spots = Vec::new();
        for &card in cards {
            let is_it =
                |spot: &&Spot| self.round.card(**spot) == Some(card) && !spots.contains(*spot);
            spots.push(*all.iter().find(is_it)?);
        }
        Some(spots)
    }

    /// What has happened, with the time of each.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log
            .iter()
            .map(|(seconds, by, note)| {
                let words = match by {
                    Some(who) => t!("log-by", player = self.name(*who), words = note.words()),
                    None => note.words(),
                };
                format!("{}  {words}", clock(*seconds))
            })
            .collect()
    }

    /// Cards that are leaving the table at this time.
    pub(crate) fn leaving(&self, now: f64) -> Option<&Leaving> {
        self.leaving.as_ref().filter(|leaving| now - leaving.since < LEAVING_SECONDS)
    }

    /// Cards that were chosen a moment ago and are no set.
    pub(crate) fn wrong(&self, now: f64) -> &[Spot] {
        if now - self.wrong.1 < WRONG_SECONDS { &self.wrong.0 } else { &[] }
    }

    /// Seconds played, at a time.
    pub fn seconds(&self, now: f64) -> f64 {
        match self.phase {
            Phase::Running(since) => self.before + (now - since).max(0.0),
            Phase::Ready | Phase::Paused | Phase::Over => self.before,
        }
    }

    /// Shows the cards and lets the clock run.
    pub(crate) fn start(&mut self, now: f64) {
        if matches!(self.phase, Phase::Ready | Phase::Paused) {
            self.phase = Phase::Running(now);
            self.end_if_done(now);
        }
    }

    /// Hides the cards and stops the clock.
    pub(crate) fn pause(&mut self, now: f64) {
        if self.is_running() {
            self.before = self.seconds(now);
            self.phase = Phase::Paused;
        }
    }

    /// What time alone does: a call runs out.
    pub(crate) fn tick(&mut self, now: f64) {
        if let Some((who, left)) = self.caller(now)
            && left <= 0.0
            && self.is_running()
        {
            self.lose(Some(who), now, Note::Nothing);
            self.announcement = Some(Announcement::TooLate(who));
        }
    }

    /// A player sees a set: from now on the choice is theirs, for a few seconds.
    pub(crate) fn call(&mut self, player: usize, now: f64) {
        let may = self.players.len() > 1 && player < self.players.len();
        if may && self.is_running() && self.caller.is_none() {
            self.chosen.clear();
            self.caller = Some((player, self.seconds(now)));
            self.announcement = Some(Announcement::Called(player));
        }
    }

    /// Whose turn a choice is: of one player always, of several the caller's. `Err` when nobody has
    /// called, which is announced.
    fn chooser(&mut self) -> Result<Option<usize>, ()> {
        match (self.players.len(), self.caller) {
            (1, _) => Ok(None),
            (_, Some((who, _))) => Ok(Some(who)),
            (_, None) => {
                self.announcement = Some(Announcement::CallFirst);
                Err(())
            }
        }
    }

    /// The spots that the hint gives away.
    pub(crate) fn hinted(&self) -> Vec<Spot> {
        if self.hint == 0 || !self.is_running() {
            return Vec::new();
        }
        let sets = self.round.sets();
        let set = sets.get(self.hint_rank % sets.len().max(1));
        set.map_or_else(Vec::new, |set| set[..self.hint.min(set.len())].to_vec())
    }

    /// Gives one card more away; after the last one they are hidden again.
    pub(crate) fn more_hint(&mut self) {
        if self.is_running() {
            self.hint = (self.hint + 1) % (self.round.variant().set_size() + 1);
            self.hints += usize::from(self.hint == 1);
        }
    }

    /// Gives away as much of another set.
    pub(crate) fn another_hint(&mut self) {
        if self.is_running() {
            self.hint_rank += 1;
            self.hint = self.hint.max(1);
            self.hints += 1;
        }
    }

    /// Takes a card into the choice or out of it; as many as a set has are judged.
    pub(crate) fn choose(&mut self, spot: Spot, now: f64) {
        if !self.is_running() || self.round.card(spot).is_none() {
            return;
        }
        let Ok(by) = self.chooser() else { return };
        if let Some(at) = self.chosen.iter().position(|&other| other == spot) {
            self.chosen.remove(at);
            return;
        }
        self.chosen.push(spot);
        if self.chosen.len() < self.round.variant().set_size() {
            return;
        }
        let spots = std::mem::take(&mut self.chosen);
        let cards: Vec<Card> = spots.iter().filter_map(|&spot| self.round.card(spot)).collect();
        let leaving = spots.iter().zip(&cards).filter_map(|(spot, &card)| match *spot {
            Spot::Table(place) => Some((place, card)),
            Spot::Last(_) => None,
        });
        let leaving = Leaving { cards: leaving.collect(), since: now };
        if self.round.take(&spots) {
            self.leaving = Some(leaving);
            self.win(cards, by, now);
            return;
        }
        self.wrong = (spots, now);
        self.lose(by, now, Note::Wrong);
        self.announcement = Some(match cards[..] {
            [a, b, c] if !is_set(a, b, c) => Announcement::Wrong([a, b, c], explain([a, b, c]), by),
            _ => Announcement::NotThese(cards, by),
        });
    }

    fn win(&mut self, cards: Vec<Card>, by: Option<usize>, now: f64) {
        self.note(now, by, Note::Taken(in_codes(&cards)));
        self.players[by.unwrap_or(0)].sets += 1;
        self.caller = None;
        self.announcement = Some(Announcement::Taken(cards, by));
        (self.hint, self.hint_rank) = (0, 0);
        self.end_if_done(now);
    }

    fn lose(&mut self, by: Option<usize>, now: f64, note: Note) {
        self.mistakes += 1;
        self.chosen.clear();
        self.caller = None;
        if let Some(who) = by {
            self.players[who].lost += 1;
        }
        self.note(now, by, note);
    }

    /// A player says that there is no set: more cards if that is so.
    pub(crate) fn no_set(&mut self, now: f64) {
        if !self.is_running() {
            return;
        }
        let Ok(by) = self.chooser() else { return };
        if !self.round.sets().is_empty() {
            self.lose(by, now, Note::ThereIsOne);
            self.announcement = Some(Announcement::ThereIsOne(by));
            return;
        }
        self.chosen.clear();
        self.caller = None;
        let more = self.round.lay_out_more();
        self.note(now, by, Note::More(more));
        self.announcement = Some(Announcement::More(more));
        (self.hint, self.hint_rank) = (0, 0);
        self.end_if_done(now);
    }

    fn end_if_done(&mut self, now: f64) {
        if self.is_running() && self.round.is_over() {
            self.note(now, None, Note::Over);
            self.before = self.seconds(now);
            self.phase = Phase::Over;
        }
    }

    fn note(&mut self, now: f64, by: Option<usize>, note: Note) {
        self.log.push((self.seconds(now), by, note));
    }
}

fn in_codes(cards: &[Card]) -> String {
    let codes: Vec<String> = cards.iter().map(Card::to_string).collect();
    codes.join(" ")
}

/// Seconds as minutes and seconds: `3:07`.
pub(crate) fn clock(seconds: f64) -> String {
    let seconds = seconds.max(0.0) as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn started(variant: Variant, seed: u64, players: usize) -> Play {
        let mut play = Play::new(variant, &Deal::random(seed), players);
        play.start(0.0);
        play
    }

    /// Three places of which two are of a set and one is not.
    fn wrong(play: &Play) -> [Spot; 3] {
        let set = play.round().sets().remove(0);
        let other = (0..12).map(Spot::Table).find(|spot| !set.contains(spot)).unwrap();
        [set[0], set[1], other]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn a_game_played_well_takes_every_set_and_ends(seed: u64, which in 0usize..4) {
            let mut play = started(Variant::ALL[which], seed, 1);
            let mut now = 0.0;
            while play.phase() != Phase::Over {
                now += 1.0;
                match play.round().sets().first().cloned() {
                    Some(set) => set.into_iter().for_each(|spot| play.choose(spot, now)),
                    None => play.no_set(now),
                }
                prop_assert!(now < 200.0);
            }
            prop_assert_eq!((play.round().stock(), play.mistakes()), (0, 0));
            prop_assert_eq!(play.seconds(now + 100.0), now);
        }
    }

    #[test]
    fn mistakes_are_counted_and_explained() {
        let mut play = started(Variant::Normal, 1, 1);
        for spot in wrong(&play) {
            play.choose(spot, 3.0);
        }
        assert!(
            matches!(play.announcement(), Some(Announcement::Wrong(_, verdict, None)) if !verdict.is_set())
        );
        play.no_set(5.0);
        assert_eq!(
            (play.announcement(), play.mistakes()),
            (Some(&Announcement::ThereIsOne(None)), 2)
        );
        play.more_hint();
        let first = play.hinted();
        play.another_hint();
        assert!(first.len() == 1 && play.hinted().len() == 1 && play.hints() == 2);
        play.choose(Spot::Table(99), 16.0);
        play.choose(Spot::Last(0), 16.0);
        assert!(play.chosen.is_empty(), "there are no such cards");
        assert_eq!(play.log()[1], "0:03  not a set");
    }

    #[test]
    fn nothing_happens_before_the_clock_runs_or_while_it_stands() {
        let mut play = Play::new(Variant::Normal, &Deal::random(1), 1);
        play.choose(Spot::Table(0), 1.0);
        play.no_set(2.0);
        play.more_hint();
        assert!(play.chosen.is_empty() && play.mistakes() == 0 && play.hinted().is_empty());
        play.start(10.0);
        play.pause(14.0);
        play.choose(Spot::Table(0), 20.0);
        assert!(play.chosen.is_empty() && play.is_under_way() && !play.is_running());
        assert!((play.seconds(1000.0) - 4.0).abs() < 1e-9);
        play.start(100.0);
        assert!((play.seconds(103.0) - 7.0).abs() < 1e-9);
    }

    #[test]
    fn whoever_calls_has_a_few_seconds_and_pays_for_nothing() {
        let mut play = started(Variant::Normal, 4, 3);
        let set = play.round().sets().remove(0);
        play.choose(set[0], 1.0);
        assert_eq!(play.announcement(), Some(&Announcement::CallFirst));
        play.call(1, 2.0);
        play.call(2, 2.5);
        assert_eq!(play.caller(3.0), Some((1, CALL_SECONDS - 1.0)), "the first one counts");
        for spot in set {
            play.choose(spot, 4.0);
        }
        assert_eq!(play.players()[1], Player { sets: 1, lost: 0 });
        assert_eq!(play.set_times(), [4.0]);
        play.names = vec![String::new(), " Anna ".to_owned()];
        assert_eq!((play.name(0).as_str(), play.name(1).as_str()), ("Player 1", "Anna"));
        assert!(play.log().last().unwrap().ends_with("Anna: set"), "{:?}", play.log());
        assert!(play.caller(4.0).is_none() && play.leaving(4.1).is_some());
        play.call(0, 10.0);
        play.tick(10.0 + CALL_SECONDS - 0.1);
        assert!(play.caller(15.0).is_some());
        // The clock of a call stands while the game does.
        play.pause(11.0);
        play.tick(99.0);
        play.start(100.0);
        play.tick(101.0);
        assert!(play.caller(101.0).is_some());
        play.tick(100.0 + CALL_SECONDS);
        assert_eq!(
            (play.announcement(), play.players()[0].points()),
            (Some(&Announcement::TooLate(0)), -1)
        );
        play.call(2, 200.0);
        for spot in wrong(&play) {
            play.choose(spot, 201.0);
        }
        assert_eq!(play.players()[2].points(), -1);
        play.call(9, 202.0);
        assert!(play.caller(202.0).is_none(), "there is no such player");
    }

    #[test]
    fn a_set_that_the_variant_does_not_ask_for_is_not_explained_as_none() {
        let mut play = started(Variant::Chain, 8, 1);
        for spot in play.round().sets().remove(0) {
            play.choose(spot, 1.0);
        }
        // Three cards of the table that are a set, and no link.
        let mut more = 0;
        let found = loop {
            let places = play.round().places();
            let board: Vec<Card> = places.iter().copied().flatten().collect();
            if let Some(set) = setsight_game::sets::find_all(&board).first() {
                break set.0;
            }
            more += 1;
            assert!(more < 5);
            play.no_set(2.0);
        };
        for place in found {
            play.choose(Spot::Table(place), 3.0);
        }
        assert!(
            matches!(play.announcement(), Some(Announcement::NotThese(..))),
            "{:?}",
            play.announcement()
        );
        assert_eq!((clock(187.9), clock(-1.0)), ("3:07".to_owned(), "0:00".to_owned()));
    }
}
