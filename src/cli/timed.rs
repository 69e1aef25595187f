//! Games of the generalised game against the clock: only the solver's work counts.

use crate::general::deal::{Dealer, FisherYates, Rejection};
use crate::general::{Budget, Card, Record, Rules, Solver, Stop, play};
use cpu_time::ThreadTime;
use std::time::Duration;

/// How cards are dealt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Dealing {
    /// Draw a random card, again while it was dealt already
    #[default]
    Rejection,
    /// Shuffle step by step, without the deck in memory
    FisherYates,
}

impl Dealing {
    /// A dealer with a full deck, shuffled by 0.
    pub fn dealer(self, rules: &Rules) -> Box<dyn Dealer> {
        match self {
            Self::Rejection => Box::new(Rejection::new(rules, 0)),
            Self::FisherYates => Box::new(FisherYates::new(rules, 0)),
        }
    }
}

/// A game shorter than this is played again from the same cards until so much time has passed: the
/// clock itself takes a good part of a microsecond to read.
const ENOUGH: Duration = Duration::from_micros(500);

/// Most times the same game is played.
const MOST_TIMES: u32 = 2_000;

/// Plays one game and returns the CPU time of this thread without that for dealing. The solver may
/// use so much time and memory for it.
///
/// # Errors
/// The solver stopped; `record` holds the game so far.
pub fn play_timed(
    rules: &Rules,
    dealer: &mut dyn Dealer,
    seed: u64,
    solver: &mut dyn Solver,
    (cpu, bytes): (Duration, usize),
    record: &mut Record,
) -> Result<Duration, Stop> {
    dealer.shuffle(seed);
    let mut ahead = Ahead { dealer, cards: Vec::new(), next: 0, dealing: Duration::ZERO };
    ahead.deal(rules.first_board() * 4);
    let mut once = |ahead: &mut Ahead| {
        ahead.next = 0;
        ahead.dealing = Duration::ZERO;
        let budget = Budget::new(cpu, bytes);
        let start = ThreadTime::now();
        play(rules, ahead, solver, &budget, record)?;
        Ok(start.elapsed().saturating_sub(ahead.dealing))
    };
    let first = once(&mut ahead)?;
    if first >= ENOUGH {
        return Ok(first);
    }
    let times = (ENOUGH.as_nanos() / first.as_nanos().max(1)).clamp(2, MOST_TIMES.into()) as u32;
    let budget = Budget::new(cpu.max(ENOUGH * 10), bytes);
    let start = ThreadTime::now();
    for _ in 0..times {
        ahead.next = 0;
        play(rules, &mut ahead, solver, &budget, record)?;
    }
    Ok(start.elapsed() / times)
}

/// Deals ahead of the game, and knows how long that took during it.
struct Ahead<'a> {
    dealer: &'a mut dyn Dealer,
    cards: Vec<Card>,
    next: usize,
    dealing: Duration,
}

impl Ahead<'_> {
    fn deal(&mut self, count: usize) {
        let more = std::iter::from_fn(|| self.dealer.draw()).take(count);
        self.cards.extend(more);
    }
}

impl Dealer for Ahead<'_> {
    fn draw(&mut self) -> Option<Card> {
        if self.next == self.cards.len() {
            let start = ThreadTime::now();
            self.deal(self.cards.len());
            self.dealing += start.elapsed();
        }
        let card = self.cards.get(self.next).copied();
        self.next += usize::from(card.is_some());
        card
    }

    fn shuffle(&mut self, seed: u64) {
        self.dealer.shuffle(seed);
        self.cards.clear();
        self.next = 0;
    }
}

/// A time in the unit that suits it.
pub fn human(seconds: f64) -> String {
    match seconds {
        s if s >= 100.0 => format!("{s:.0} s"),
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.3} ms", s * 1e3),
        s if s >= 1e-6 => format!("{:.2} µs", s * 1e6),
        s => format!("{:.0} ns", s * 1e9),
    }
}

/// A number with its noun.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::general::{Kind, check};

    const ROOM: (Duration, usize) = (Duration::from_secs(60), usize::MAX);

    #[test]
    fn a_timed_game_is_the_game_its_dealer_deals() {
        for (v, p, n) in [(3, 4, 27), (3, 4, 2), (4, 3, 9), (5, 4, 2), (1, 1, 1), (2, 1, 1)] {
            let rules = Rules::new(v, p, n).unwrap();
            for dealing in [Dealing::Rejection, Dealing::FisherYates] {
                let mut solver = Kind::Cover.solver(&rules).unwrap();
                let mut dealer = dealing.dealer(&rules);
                let (mut timed, mut plain) = (Record::default(), Record::default());
                let time =
                    play_timed(&rules, &mut *dealer, 7, &mut *solver, ROOM, &mut timed).unwrap();
                assert!(time > Duration::ZERO);
                dealer.shuffle(7);
                play(&rules, &mut *dealer, &mut *solver, &Budget::unlimited(), &mut plain).unwrap();
                assert_eq!((&timed.drawn, &timed.cards), (&plain.drawn, &plain.cards));
                check(&rules, &timed).unwrap();
            }
        }
    }

    #[test]
    fn a_hopeless_game_is_stopped() {
        let rules = Rules::new(7, 7, 1).unwrap();
        let mut dealer = Dealing::Rejection.dealer(&rules);
        let mut record = Record::default();
        let mut brute = Kind::Brute.solver(&rules).unwrap();
        let little = (Duration::from_millis(50), usize::MAX);
        let result = play_timed(&rules, &mut *dealer, 1, &mut *brute, little, &mut record);
        assert_eq!(result, Err(Stop::Time));
        let mut dynamic = Kind::Dynamic.solver(&rules).unwrap();
        let small = (Duration::from_secs(60), 1 << 20);
        let result = play_timed(&rules, &mut *dealer, 1, &mut *dynamic, small, &mut record);
        assert_eq!(result, Err(Stop::Memory));
    }

    #[test]
    fn times_come_in_their_unit() {
        let times = [123.4, 12.345, 0.012_345, 12.346e-6, 123.4e-9].map(human);
        assert_eq!(times, ["123 s", "12.35 s", "12.345 ms", "12.35 µs", "123 ns"]);
    }
}
