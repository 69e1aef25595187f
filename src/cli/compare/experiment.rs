//! What is varied, and the measurement of one cell.

use crate::cli::timed::Series;
use anyhow::Context;
use setsight_generalized::{Budget, Kind, Overlooked, Rules, Stop, check, overlooked};
use std::{str::FromStr, time::Duration};

/// Games that differ in one number.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// As it was written.
    pub text: String,
    /// The number that varies: v, p or n.
    pub varied: char,
    /// The games, in ascending order of that number.
    pub games: Vec<Rules>,
}

impl Experiment {
    /// The varied number of a game.
    pub fn position(&self, rules: &Rules) -> u64 {
        match self.varied {
            'v' => rules.values() as u64,
            'p' => rules.properties() as u64,
            _ => rules.sets(),
        }
    }

    /// The numbers that stay: "v=3, p=4".
    pub fn fixed(&self) -> String {
        let fixed = self.text.split(',').filter(|part| !part.trim().starts_with(self.varied));
        fixed.map(str::trim).collect::<Vec<_>>().join(", ")
    }
}

/// Most games of an experiment.
const MOST: u64 = 1_000;

impl FromStr for Experiment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            format!("{text}: expected v, p and n, one of them as a range, such as v=3,p=4,n=2..6")
        };
        let mut ranges: [Option<(u64, u64)>; 3] = [None; 3];
        for part in text.split(',') {
            let (name, value) = part.trim().split_once('=').ok_or_else(expected)?;
            let place = ["v", "p", "n"].iter().position(|n| *n == name).ok_or_else(expected)?;
            let (low, high) = value.split_once("..").unwrap_or((value, value));
            let [low, high] = [low, high].map(|s| s.trim_start_matches('=').parse());
            let range = low.and_then(|low| Ok((low, high?))).map_err(|_| expected())?;
            if ranges[place].replace(range).is_some() || range.1 < range.0 {
                return Err(expected());
            }
        }
        let [Some(v), Some(p), Some(n)] = ranges else { return Err(expected()) };
        let varied: Vec<char> =
            [('v', v), ('p', p), ('n', n)].iter().filter(|r| r.1.0 < r.1.1).map(|r| r.0).collect();
        let varied = match varied[..] {
            [] => 'n',
            [one] => one,
            _ => return Err(expected()),
        };
        if [v, p, n].iter().any(|r| r.1 - r.0 >= MOST) {
            return Err(format!("{text}: expected {MOST} games or fewer"));
        }
        let mut games = Vec::new();
        for v in v.0..=v.1 {
            for p in p.0..=p.1 {
                for n in n.0..=n.1 {
                    games.push(Rules::new(v, p, n).map_err(|error| format!("{text}: {error}"))?);
                }
            }
        }
        Ok(Self { text: text.to_owned(), varied, games })
    }
}

/// What a cell may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Games of a cell, or more of them where they are short.
    pub games: u64,
    /// Seed of the first.
    pub seed: u64,
    /// CPU time of the solver for all of them.
    pub cpu: Duration,
    /// Memory of the solver in bytes, where it can be measured.
    pub bytes: usize,
}

/// One solver, one kind of game.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The solver.
    pub kind: Kind,
    /// The game.
    pub rules: Rules,
    /// CPU seconds of each finished game; those timed together have their mean.
    pub seconds: Vec<f64>,
    /// Cards on the board when the first set was found, of each finished game with a set.
    pub first_boards: Vec<usize>,
    /// Most memory the solver held after a game, where it can be measured.
    pub bytes: Option<usize>,
    /// What `dynamic-paper` overlooked in the finished games; the others overlook nothing.
    pub overlooked: Option<Overlooked>,
    /// Why it was given up before all games were finished.
    pub stopped: Option<Stop>,
}

impl Cell {
    /// Mean over all games; none where one is missing, as those that finished are the easy ones.
    pub fn mean(&self) -> Option<f64> {
        let complete = self.stopped.is_none() && !self.seconds.is_empty();
        complete.then(|| self.seconds.iter().sum::<f64>() / self.seconds.len() as f64)
    }

    /// Mean size of the board at the first set.
    pub fn first_board(&self) -> Option<f64> {
        let sum: usize = self.first_boards.iter().sum();
        (!self.first_boards.is_empty()).then(|| sum as f64 / self.first_boards.len() as f64)
    }
}

/// A mean of games shorter than this together is more chance than measurement: more are played.
const LONG_ENOUGH: Duration = Duration::from_millis(20);

/// Plays the games of a cell until they are done or the budget is.
pub fn measure(kind: Kind, rules: &Rules, limits: &Limits) -> anyhow::Result<Cell> {
    let mut series = Series::new(rules, kind.solver(rules)?, limits.seed);
    let mut cell = Cell {
        kind,
        rules: *rules,
        seconds: Vec::new(),
        first_boards: Vec::new(),
        bytes: None,
        overlooked: (kind == Kind::DynamicPaper).then(Overlooked::default),
        stopped: None,
    };
    let mut spent = Duration::ZERO;
    loop {
        let missing = limits.games.saturating_sub(cell.seconds.len() as u64);
        if missing == 0 && spent >= LONG_ENOUGH.min(limits.cpu / 2) {
            break;
        }
        let most = if missing == 0 { u64::MAX } else { missing };
        match series.next(most, (limits.cpu.saturating_sub(spent), limits.bytes)) {
            Ok(batch) => {
                for game in batch.games {
                    check(rules, &game.record)?;
                    cell.seconds.push(batch.seconds);
                    cell.first_boards.extend(game.record.found.first().map(|first| first.board));
                    cell.bytes = cell.bytes.max(game.record.bytes);
                    if let Some(all) = &mut cell.overlooked {
                        let budget = Budget::new(limits.cpu, limits.bytes);
                        *all += overlooked(rules, &game.record, &budget)
                            .context("looking for overlooked sets")?;
                    }
                }
                spent += Duration::from_secs_f64(batch.seconds * batch.games.len() as f64);
            }
            Err(_) if missing == 0 => break,
            Err(stop) => {
                cell.bytes = cell.bytes.max(series.stopped().record.bytes);
                cell.stopped = Some(stop);
                break;
            }
        }
    }
    Ok(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experiments_are_read() {
        let e: Experiment = "v=3,p=4,n=2..6".parse().unwrap();
        assert_eq!((e.varied, e.games.len(), e.fixed().as_str()), ('n', 5, "v=3, p=4"));
        let e: Experiment = "n=2, v=3..=5, p=4".parse().unwrap();
        assert_eq!((e.varied, e.games[2].values(), e.fixed().as_str()), ('v', 5, "n=2, p=4"));
        assert_eq!(e.position(&e.games[0]), 3);
        let e: Experiment = "v=3,p=4,n=2".parse().unwrap();
        assert_eq!(e.games.len(), 1);
    }

    #[test]
    fn what_is_no_experiment_is_refused() {
        for text in [
            "",
            "v=3",
            "v=3,p=4",
            "v=3..4,p=4..5,n=1",
            "v=4..3,p=4,n=1",
            "v=3,p=4,n=x",
            "v=3,v=3,p=4,n=1",
            "q=3,p=4,n=1",
        ] {
            let error = text.parse::<Experiment>().unwrap_err();
            assert!(error.contains("v=3,p=4,n=2..6"), "{text}: {error}");
        }
        let error = "v=3,p=2,n=1..9".parse::<Experiment>().unwrap_err();
        assert!(error.contains("no more than 3 sets"), "{error}");
        assert!("v=3,p=9,n=1..5000".parse::<Experiment>().unwrap_err().contains("1000 games"));
    }

    #[test]
    fn a_cell_is_all_games_or_says_why_not() {
        let rules = Rules::new(3, 4, 3).unwrap();
        let limits = Limits { games: 4, seed: 1, cpu: Duration::from_secs(60), bytes: 1 << 30 };
        let cell = measure(Kind::Dynamic, &rules, &limits).unwrap();
        // Short games, so more than the four asked for, and each has a first set.
        assert!(cell.seconds.len() > 4 && cell.first_boards.len() == cell.seconds.len());
        assert!(cell.mean().unwrap() > 0.0 && cell.bytes.unwrap() > 1000);
        let hopeless = Rules::new(6, 6, 1).unwrap();
        let limits = Limits { cpu: Duration::from_millis(20), ..limits };
        let cell = measure(Kind::Brute, &hopeless, &limits).unwrap();
        assert_eq!((cell.mean(), cell.stopped), (None, Some(Stop::Time)));
    }
}
