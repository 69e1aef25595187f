//! What takes long: a search with its steps, on a thread of its own; and the steps in words, with the cards that
//! each is about.

use crate::any_game::board::fill;
use crate::shared::look::Mark;
use crate::shared::names;
use crate::shared::words::{Word, t};
use setsight_generalized::deal::Rejection;
use setsight_generalized::{Budget, Card, Kind, Rules, RulesError, Step, Stop, Trace, watch};
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

    pub(crate) fn rules(&self) -> Result<Rules, RulesError> {
        Rules::new(self.values, self.properties, self.sets)
    }

    /// The cards in the order in which they come.
    pub(crate) fn dealer(&self, rules: &Rules) -> Rejection {
        Rejection::new(rules, self.seed)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Search {
    pub(crate) game: Game,
    /// Who searched.
    pub(crate) kind: Kind,
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
    let budget = Budget::new(LIMIT, MOST_BYTES).until_set(stop);
    watch(&rules, &mut dealer, &mut *solver, &budget, trace)
}

/// What a solver does, in a sentence.
pub(crate) const fn idea(kind: Kind) -> Word {
    match kind {
        Kind::Brute => Word("any-brute"),
        Kind::Smt(_) => Word("any-smt"),
        Kind::SmtBoolean => Word("any-smt-boolean"),
        Kind::Dynamic => Word("any-dynamic"),
        Kind::DynamicPaper => Word("any-dynamic-paper"),
        Kind::Cover => Word("any-cover"),
    }
}

/// A step in words.
pub(crate) fn in_words(step: &Step) -> String {
    match step {
        Step::Drawn(cards) => t!("any-drawn", n = cards.len()),
        Step::Turn(_) => t!("any-turn"),
        Step::Tried(_) => t!("any-tried"),
        Step::Grown(cards) => t!("any-grown", n = cards.len()),
        Step::LookedUp { found: true, .. } => t!("any-hit"),
        Step::LookedUp { cards, .. } if cards.is_empty() => t!("any-lacked-by-none"),
        Step::LookedUp { .. } => t!("any-miss"),
        Step::Branch { cards, left } => t!("any-branch", n = cards.len(), left = left.len()),
        Step::Found(_) => t!("a-set"),
        Step::NoSet => t!("any-none"),
    }
}

/// The cards that a step is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct About {
    /// Those that the solver has put together.
    pub(crate) cards: Vec<Card>,
    /// The one that completes them, and whether it is there.
    pub(crate) missing: Option<(Card, bool)>,
    /// Those that fit; `None` where the step says nothing of the others.
    left: Option<Vec<Card>>,
    is_set: bool,
}

pub(crate) fn about(step: &Step) -> About {
    let only = |cards: &[Card]| About { cards: cards.to_vec(), ..About::default() };
    match step {
        Step::Drawn(_) | Step::NoSet => About::default(),
        Step::Turn(card) => only(&[*card]),
        Step::Tried(cards) | Step::Grown(cards) => only(cards),
        Step::LookedUp { cards, missing, found } => {
            About { missing: Some((*missing, *found)), ..only(cards) }
        }
        Step::Branch { cards, left } => About { left: Some(left.clone()), ..only(cards) },
        Step::Found(cards) => About { is_set: true, ..only(cards) },
    }
}

impl About {
    /// How a card of the board is to be drawn.
    pub(crate) fn mark(&self, card: Card) -> Option<Mark> {
        if self.is_set {
            return Some(if self.cards.contains(&card) {
                Mark::Sets(vec![0])
            } else {
                Mark::Quiet
            });
        }
        if self.cards.contains(&card) || self.missing.is_some_and(|(missing, _)| missing == card) {
            return Some(Mark::Chosen);
        }
        match &self.left {
            Some(left) if left.contains(&card) => Some(Mark::Plain),
            Some(_) => Some(Mark::Quiet),
            None => None,
        }
    }
}

/// The name of a property as the cards show it.
pub(crate) fn property(at: usize) -> String {
    use setsight_game::cards::Property;
    const SHOWN: [Property; 4] =
        [Property::Number, Property::Color, Property::Shape, Property::Shading];
    match SHOWN.get(at) {
        Some(&property) => names::property(property),
        None => t!("any-row", n = at + 1 - SHOWN.len()),
    }
}

/// The cards on the board with the last of these steps, in their places. A set leaves with the step
/// after it.
pub(crate) fn board(steps: &[Step]) -> Vec<Option<Card>> {
    let mut board = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        match step {
            Step::Drawn(cards) => fill(&mut board, cards),
            Step::Found(set) if at + 1 < steps.len() => {
                let gone =
                    |place: &&mut Option<Card>| place.is_some_and(|card| set.contains(&card));
                board.iter_mut().filter(gone).for_each(|place| *place = None);
            }
            _ => {}
        }
    }
    board
}

/// The partial sets that are stored after these steps.
fn partial_sets(steps: &[Step]) -> Vec<&[Card]> {
    let mut stored: Vec<&[Card]> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        match step {
            Step::Grown(cards) => stored.push(cards),
            Step::Found(set) if at + 1 < steps.len() => {
                stored.retain(|cards| !cards.iter().any(|card| set.contains(card)));
            }
            _ => {}
        }
    }
    stored
}

/// How many partial sets are stored after these steps, by their size; or how many times something was
/// tried, for solvers that store none.
pub(crate) fn stored(steps: &[Step]) -> Option<String> {
    let mut by_size = Vec::new();
    for cards in partial_sets(steps) {
        if by_size.len() <= cards.len() {
            by_size.resize(cards.len() + 1, 0_usize);
        }
        by_size[cards.len()] += 1;
    }
    if !by_size.is_empty() {
        let sizes = by_size.iter().enumerate().filter(|(_, count)| **count > 0);
        let sizes: Vec<String> =
            sizes.map(|(size, count)| t!("any-of-size", count = *count, n = size)).collect();
        return Some(t!("any-stored", sizes = sizes.join(", ")));
    }
    let count = |is_one: fn(&Step) -> bool| steps.iter().filter(|step| is_one(step)).count();
    let tried = count(|step| matches!(step, Step::Tried(_)));
    let branches = count(|step| matches!(step, Step::Branch { .. }));
    let looked = count(|step| matches!(step, Step::LookedUp { .. }));
    match (tried, branches, looked) {
        (0, 0, 0) => None,
        (0, 0, n) => Some(t!("any-looked-so-far", n = n)),
        (0, n, _) => Some(t!("any-branches-so-far", n = n)),
        (n, ..) => Some(t!("any-tried-so-far", n = n)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_testkit::child::LIMIT;

    #[test]
    fn a_branch_leaves_what_does_not_fit_in_the_background() {
        let step = Step::Branch { cards: vec![Card(1)], left: vec![Card(2)] };
        let about = about(&step);
        let marks = [1, 2, 3].map(|card| about.mark(Card(card)));
        assert_eq!(marks, [Some(Mark::Chosen), Some(Mark::Plain), Some(Mark::Quiet)]);
    }

    #[test]
    fn a_set_leaves_with_the_step_after_it_and_new_cards_take_its_places() {
        let cards = |cards: &[u64]| cards.iter().map(|&card| Card(card)).collect::<Vec<_>>();
        let steps = [
            Step::Drawn(cards(&[1, 2, 3, 4])),
            Step::Grown(cards(&[1, 4])),
            Step::Grown(cards(&[2, 3])),
            Step::Found(cards(&[1, 3, 4])),
            Step::Drawn(cards(&[7])),
        ];
        let at = |end: usize| board(&steps[..end]).into_iter().map(|c| c.map_or(0, |c| c.0));
        assert_eq!(at(4).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(at(5).collect::<Vec<_>>(), [7, 2, 0, 0]);
        assert_eq!((partial_sets(&steps[..4]).len(), partial_sets(&steps).len()), (2, 0));
    }

    #[test]
    fn partial_sets_are_counted_by_size_up_to_the_step() {
        let grown = |n: u64| Step::Grown((0..n).map(Card).collect());
        let steps = [grown(2), grown(2), Step::Turn(Card(5)), grown(3), grown(2)];
        assert_eq!(stored(&steps[..4]), Some("Stored: 2 of 2 cards, 1 of 3 cards".to_owned()));
        assert_eq!(stored(&steps[2..3]), None);
    }

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
        assert!(matches!(search.outcome, Err(Stop::Requested) | Ok(_)), "{:?}", search.outcome);
    }
}
