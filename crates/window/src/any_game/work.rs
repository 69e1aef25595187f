//! What takes long: a search with its steps, on a thread of its own.

use setsight_generalized::{
    Budget, Card, Kind, Rules, RulesError, Stop, Trace, deal::Rejection, watch,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::{ops::RangeInclusive, sync::Arc, time::Duration};

/// Values that are offered: with two any cards are a set, beyond six no solver is quick enough for
/// somebody who waits.
pub(crate) const VALUES: RangeInclusive<u64> = 3..=6;
/// Least and most properties that are offered; with many values fewer.
const PROPERTIES: RangeInclusive<u64> = 2..=7;
/// The largest deck that is offered: about 60 cards lie there when the first set is found.
const MOST_CARDS: u64 = 4096;

/// Processor time of a search. Z3 may take as much again.
pub(crate) const LIMIT: Duration = Duration::from_secs(2);
/// Memory of a solver, in bytes.
const MOST_BYTES: usize = 256 << 20;
/// Steps that are kept of a search.
const MOST_STEPS: usize = 20_000;

/// Sets that are offered to be found.
const MOST_SETS: u64 = 50;

/// A deal of a generalised game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Game {
    /// v, one of [`VALUES`].
    pub(crate) values: u64,
    /// p, one of [`Self::properties_of`] v.
    pub(crate) properties: u64,
    /// Sets to find, one of [`Self::sets_offered`].
    pub(crate) sets: u64,
    /// The deal.
    pub(crate) seed: u64,
}

impl Game {
    /// How many properties are offered for so many values.
    pub(crate) fn properties_of(values: u64) -> RangeInclusive<u64> {
        let fits = |&p: &u64| values.pow(p as u32) <= MOST_CARDS;
        *PROPERTIES.start()..=PROPERTIES.rev().find(fits).unwrap_or(*PROPERTIES.start())
    }

    /// How many sets to find are offered: with the last, a small deck is played to its end.
    pub(crate) fn sets_offered(&self) -> RangeInclusive<u64> {
        1..=self.values.pow(self.properties as u32 - 1).min(MOST_SETS)
    }

    /// Its rules.
    pub(crate) fn rules(&self) -> Result<Rules, RulesError> {
        Rules::new(self.values, self.properties, self.sets)
    }

    /// The cards in the order in which they come.
    pub(crate) fn dealer(&self, rules: &Rules) -> Rejection {
        Rejection::new(rules, self.seed)
    }
}

/// A search, as it was watched.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    /// What was searched.
    pub(crate) game: Game,
    /// Who searched.
    pub(crate) kind: Kind,
    /// What happened.
    pub(crate) trace: Trace,
    /// The cards of the sets, or why there is no answer.
    pub(crate) outcome: Result<Vec<Card>, Stop>,
}

/// A thread and what it has done so far.
pub(crate) struct Job<T> {
    news: Receiver<T>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> Job<T> {
    fn begin(
        wake: impl Fn() + Send + 'static,
        work: impl FnOnce(&Arc<AtomicBool>, &dyn Fn(T)) + Send + 'static,
    ) -> Self {
        let (sender, news): (Sender<T>, _) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let run = move || {
            work(&told, &|piece| {
                // Nobody may want it any more.
                let _ = sender.send(piece);
                wake();
            });
            wake();
        };
        let thread = thread::Builder::new().name("any-game".to_owned()).spawn(run).ok();
        Self { news, stop, thread }
    }

    /// What was done since the last call.
    pub(crate) fn news(&self) -> Vec<T> {
        self.news.try_iter().collect()
    }

    /// Whether nothing more comes.
    pub(crate) fn is_over(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Has it end soon.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Ends it.
    pub(crate) fn close(mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            // What went wrong there is of no interest any more.
            let _ = thread.join();
        }
    }
}

/// Searches a deal for its first set.
pub(crate) fn search(game: Game, kind: Kind, wake: impl Fn() + Send + 'static) -> Job<Search> {
    Job::begin(wake, move |stop, tell| {
        let mut trace = Trace::up_to(MOST_STEPS);
        let outcome = searched(&game, kind, stop, &mut trace);
        tell(Search { game, kind, trace, outcome });
    })
}

fn searched(
    game: &Game,
    kind: Kind,
    stop: &Arc<AtomicBool>,
    trace: &mut Trace,
) -> Result<Vec<Card>, Stop> {
    let gave_up = |reason: String| Stop::GaveUp(reason);
    let rules = game.rules().map_err(|error| gave_up(error.to_string()))?;
    let mut solver = kind.solver(&rules).map_err(|error| gave_up(error.to_string()))?;
    let mut dealer = game.dealer(&rules);
    let budget = Budget::new(LIMIT, MOST_BYTES).until_told(stop);
    watch(&rules, &mut dealer, &mut *solver, &budget, trace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_generalized::Step;
    use setsight_testkit::child::LIMIT;

    #[test]
    fn every_deck_that_is_offered_is_searched() {
        for values in VALUES {
            for properties in Game::properties_of(values) {
                let game = Game { values, properties, sets: 1, seed: 3 };
                let job = search(game, Kind::Cover, || ());
                let search = job.news.recv_timeout(LIMIT).unwrap();
                let set = search.outcome.unwrap();
                assert_eq!(
                    !set.is_empty(),
                    matches!(search.trace.steps.last(), Some(Step::Found(_)))
                );
                assert!(set.is_empty() || search.game.rules().unwrap().is_set(&set));
                job.close();
            }
        }
        assert_eq!(VALUES.map(|v| *Game::properties_of(v).end()).collect::<Vec<_>>(), [7, 6, 5, 4]);
    }

    #[test]
    fn what_is_stopped_ends() {
        let game = Game { values: 6, properties: 4, sets: 1, seed: 1 };
        let job = search(game, Kind::Brute, || ());
        job.stop();
        let search = job.news.recv_timeout(LIMIT).unwrap();
        assert!(matches!(search.outcome, Err(Stop::Told) | Ok(_)), "{:?}", search.outcome);
    }
}
