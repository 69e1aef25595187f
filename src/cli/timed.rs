//! Games of the generalised game against the clock: only the solver's work counts.

pub use setsight_generalized::human;

use crate::cli::common::BadCall;
use cpu_time::ThreadTime;
use setsight_generalized::deal::{Dealer, Rejection};
use setsight_generalized::{Budget, Card, Kind, Record, Rules, Solver, Stop, Without, play};
use std::time::{Duration, Instant};

/// The deck of the generalised game.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct DeckArgs {
    /// Values of each property, and cards of a set: v
    #[arg(long, value_name = "V", default_value_t = 3)]
    values: u64,
    /// Properties of each card: p
    #[arg(long, value_name = "P", default_value_t = 4)]
    properties: u64,
}

impl DeckArgs {
    /// The game that ends with so many sets.
    pub fn rules(self, sets: u64) -> Result<Rules, BadCall> {
        Rules::new(self.values, self.properties, sets).map_err(|error| BadCall(error.to_string()))
    }
}

/// What a solver may use.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct LimitArgs {
    /// CPU seconds a game, or the games of a cell, may take before they are given up
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub budget: f64,
    /// Memory in MiB a solver may hold, where it can be measured
    #[arg(hide = true, long, value_name = "MIB", default_value_t = 1024)]
    pub memory: usize,
}

impl LimitArgs {
    /// The limits in the units of the solvers.
    pub fn limits(self) -> Result<Limits, BadCall> {
        Ok((cpu_budget(self.budget)?, self.memory.saturating_mul(1 << 20)))
    }
}

/// CPU time in seconds, as `--budget` gives it.
pub fn cpu_budget(seconds: f64) -> Result<Duration, BadCall> {
    let cpu = Duration::try_from_secs_f64(seconds).ok().filter(|cpu| !cpu.is_zero());
    cpu.ok_or_else(|| {
        BadCall(format!("--budget {seconds}: expected CPU seconds above 0, such as 10 or 0.5"))
    })
}

/// How every command deals, as JSON names it.
pub const DEALER: &str = "rejection";

/// An optimisation that the paper's SMT encoding can do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Optimisation {
    /// The cards of a set in lexicographic order
    Order,
    /// A removed set only forbidden, not a new solver built
    DelayedDeletion,
}

impl Optimisation {
    /// What a solver without all of these does without.
    pub fn without(these: &[Self]) -> Without {
        Without {
            order: these.contains(&Self::Order),
            delayed_deletion: these.contains(&Self::DelayedDeletion),
        }
    }
}

/// Games shorter than this are timed together, as the clock itself takes a good part of a
/// microsecond to read. Each of them is another game: the same one again and again would flatter
/// the solver, whose branches the processor then learns.
const ENOUGH: Duration = Duration::from_micros(500);

/// Most games timed together: their cards and records should stay in the processor's caches.
const MOST_TOGETHER: usize = 256;

/// What a game may use: CPU time, and bytes of memory where the solver can tell.
pub type Limits = (Duration, usize);

/// Fresh games, each from the next seed, against the clock.
pub struct Series<'a> {
    rules: &'a Rules,
    dealer: Rejection,
    solver: Box<dyn Solver>,
    /// Seed of the next game.
    seed: u64,
    /// How many games to time together.
    together: usize,
    /// Cards dealt for each game before the clock starts.
    ahead: usize,
    games: Vec<Game>,
    by_clock: bool,
}

/// A game that was played.
#[derive(Default)]
pub struct Game {
    /// What it was dealt from.
    pub seed: u64,
    /// What happened in it.
    pub record: Record,
    cards: Vec<Card>,
}

/// Games that were timed together.
pub struct Batch<'a> {
    /// CPU seconds of each, without dealing: the mean where they are several.
    pub seconds: f64,
    /// The games.
    pub games: &'a [Game],
}

impl<'a> Series<'a> {
    /// Games from `seed` on.
    pub fn new(rules: &'a Rules, solver: Box<dyn Solver>, seed: u64) -> Self {
        Self {
            rules,
            dealer: Rejection::new(rules, 0),
            solver,
            seed,
            together: 1,
            ahead: rules.first_board() * 4,
            games: Vec::new(),
            by_clock: false,
        }
    }

    /// The same timed by the clock, for a solver on several threads.
    pub fn by_clock(self, by_clock: bool) -> Self {
        Self { by_clock, ..self }
    }

    /// Plays the next game, or the next few where they are short, but not more than `most`.
    pub fn next(&mut self, most: u64, limits: Limits) -> Result<Batch<'_>, Stop> {
        let count = self.together.min(usize::try_from(most).unwrap_or(usize::MAX)).max(1);
        let time = match self.play(count, limits) {
            Ok(time) => time,
            Err(_) if count > 1 => {
                // What one game may use was used by all of them.
                self.together = 1;
                return self.next(1, limits);
            }
            Err(stop) => return Err(stop),
        };
        self.seed = self.seed.wrapping_add(count as u64);
        if time < ENOUGH {
            self.together = (self.together * 2).min(MOST_TOGETHER);
        } else if time > ENOUGH * 4 {
            self.together = (self.together / 2).max(1);
        }
        let games = &self.games[..count];
        let longest = games.iter().map(|game| game.record.drawn.len()).max().unwrap_or(0);
        self.ahead = self.ahead.max(longest);
        Ok(Batch { seconds: time.as_secs_f64() / count as f64, games })
    }

    /// The game in which the solver stopped, as far as it came.
    pub fn stopped(&self) -> &Game {
        &self.games[0]
    }

    fn play(&mut self, count: usize, (cpu, bytes): Limits) -> Result<Duration, Stop> {
        if self.games.len() < count {
            self.games.resize_with(count, Game::default);
        }
        let games = &mut self.games[..count];
        for (i, game) in (0..).zip(games.iter_mut()) {
            game.seed = self.seed.wrapping_add(i);
            self.dealer.shuffle(game.seed);
            game.cards.clear();
            self.dealer.deal(self.ahead, &mut game.cards);
        }
        let mut dealing = Duration::ZERO;
        let budget = match self.by_clock {
            true => Budget::by_clock(cpu, bytes),
            false => Budget::new(cpu, bytes),
        };
        let (start, start_by_clock) = (ThreadTime::now(), Instant::now());
        for Game { seed, record, cards } in games {
            let mut dealt = Dealt {
                rules: self.rules,
                dealer: &mut self.dealer,
                seed: *seed,
                cards,
                next: 0,
                dealing: &mut dealing,
            };
            play(self.rules, &mut dealt, &mut *self.solver, &budget, record)?;
        }
        let elapsed = if self.by_clock { start_by_clock.elapsed() } else { start.elapsed() };
        Ok(elapsed.saturating_sub(dealing))
    }
}

/// Cards dealt ahead of a game, and how long it took to deal more during it.
struct Dealt<'a> {
    rules: &'a Rules,
    dealer: &'a mut Rejection,
    seed: u64,
    cards: &'a mut Vec<Card>,
    next: usize,
    dealing: &'a mut Duration,
}

impl Dealt<'_> {
    /// As many again. The dealer may have dealt other games since, so it begins anew.
    #[cold]
    fn deal(&mut self) {
        let start = ThreadTime::now();
        self.dealer.shuffle(self.seed);
        let wanted = (self.cards.len() * 2).max(self.rules.first_board());
        self.cards.clear();
        self.dealer.deal(wanted, self.cards);
        *self.dealing += start.elapsed();
    }
}

impl Dealer for Dealt<'_> {
    fn draw(&mut self) -> Option<Card> {
        if self.next == self.cards.len() && (self.next as u64) < self.rules.deck() {
            self.deal();
        }
        let card = self.cards.get(self.next).copied();
        self.next += usize::from(card.is_some());
        card
    }

    fn shuffle(&mut self, seed: u64) {
        self.dealer.shuffle(seed);
        self.seed = seed;
        self.cards.clear();
        self.next = 0;
    }
}

/// The paper's mean CPU seconds (in Python) for n = 2 to 6, and over how many games.
struct Paper {
    values: usize,
    properties: usize,
    games: u32,
    smt: [f64; 5],
    dynamic: [f64; 5],
    brute: [f64; 5],
}

const PAPER: [Paper; 2] = [
    Paper {
        values: 3,
        properties: 4,
        games: 10,
        smt: [0.0830945, 0.1309777, 0.1469017, 0.1981986, 0.2494722],
        dynamic: [0.0012532, 0.0021258, 0.00206, 0.0031261, 0.0051556],
        brute: [0.0792278, 0.1288052, 0.1598722, 0.2002846, 0.2630714],
    },
    Paper {
        values: 4,
        properties: 5,
        games: 5,
        smt: [0.8491608, 1.7955682, 1.930447, 2.4920082, 2.2934102],
        dynamic: [0.2452296, 0.2946156, 0.4328736, 0.3662846, 0.4965884],
        brute: [1.1175872, 1.1840924, 1.7126942, 2.5330248, 2.2322826],
    },
];

/// The paper's figure for a game, and its number of games. `cover` is not in the paper.
pub fn paper(kind: Kind, rules: &Rules) -> Option<(f64, u32)> {
    let table =
        PAPER.iter().find(|t| t.values == rules.values() && t.properties == rules.properties())?;
    let row = match kind {
        Kind::Smt(Without::NOTHING) | Kind::SmtBoolean => &table.smt,
        Kind::Dynamic | Kind::DynamicPaper => &table.dynamic,
        Kind::Brute => &table.brute,
        Kind::Smt(_) | Kind::Cover => return None,
    };
    let column = usize::try_from(rules.sets().checked_sub(2)?).ok()?;
    row.get(column).map(|&seconds| (seconds, table.games))
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_generalized::{Kind, check};

    const LIMITS: Limits = (Duration::from_secs(60), usize::MAX);

    fn series(rules: &Rules, kind: Kind) -> Series<'_> {
        Series::new(rules, kind.solver(rules).unwrap(), 7)
    }

    #[test]
    fn timed_games_are_those_their_dealer_deals() {
        for (v, p, n) in [(3, 4, 27), (3, 4, 2), (4, 3, 9), (5, 4, 2), (1, 1, 1), (2, 1, 1)] {
            let rules = Rules::new(v, p, n).unwrap();
            let mut solver = Kind::Cover.solver(&rules).unwrap();
            let mut dealer = Rejection::new(&rules, 0);
            let mut plain = Record::default();
            let mut timed = series(&rules, Kind::Cover);
            let mut seed = 7;
            while seed < 107 {
                let batch = timed.next(107 - seed, LIMITS).unwrap();
                assert!(batch.seconds > 0.0);
                for Game { seed: of_game, record, .. } in batch.games {
                    assert_eq!(*of_game, seed);
                    dealer.shuffle(seed);
                    play(&rules, &mut dealer, &mut *solver, &Budget::unlimited(), &mut plain)
                        .unwrap();
                    assert_eq!((&record.drawn, &record.cards), (&plain.drawn, &plain.cards));
                    check(&rules, record).unwrap();
                    seed += 1;
                }
            }
            assert_eq!(seed, 107);
        }
    }

    #[test]
    fn a_hopeless_game_is_stopped() {
        let rules = Rules::new(7, 7, 1).unwrap();
        let stop = |kind, limits| series(&rules, kind).next(1, limits).err();
        let little = (Duration::from_millis(50), usize::MAX);
        assert_eq!(stop(Kind::Brute, little), Some(Stop::Time));
        assert_eq!(stop(Kind::Dynamic, (Duration::from_secs(60), 1 << 20)), Some(Stop::Memory));
    }
}
