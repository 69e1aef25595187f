//! A dealt game, watched step by step or played against the clock. Plain state: whoever draws it
//! brings the time.

use crate::cards::{Card, parse_codes};
use crate::game::{
    Deal, Game, MAX_CARDS, MIN_CARDS, ROWS, START_CARDS, Step, describe, parse_deals,
};
use crate::sets::{self, Finder, Set, Verdict, explain, is_set};

/// The contest's game taken apart: each step with the table as it is then.
pub struct Watch {
    steps: Vec<(Step, Game)>,
    words: Vec<String>,
    at: usize,
}

impl Watch {
    /// The whole game of a deal, at its first step.
    pub fn new(deal: &Deal) -> Self {
        let mut game = Game::new(deal);
        let (mut steps, mut words) = (Vec::new(), Vec::new());
        while let Some(step) = game.next() {
            words.push(describe(&step, &game));
            steps.push((step, game.clone()));
        }
        Self { steps, words, at: 0 }
    }

    /// How many steps the game has.
    pub fn count(&self) -> usize {
        self.steps.len()
    }

    /// The step that is seen, from 0.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Goes to a step; beyond the last one to the last.
    pub fn go_to(&mut self, step: usize) {
        self.at = step.min(self.steps.len().saturating_sub(1));
    }

    /// What happens in the step that is seen.
    pub fn step(&self) -> &Step {
        &self.steps[self.at].0
    }

    /// The table after it.
    pub fn game(&self) -> &Game {
        &self.steps[self.at].1
    }

    /// The transcript of each step up to the one that is seen.
    pub fn transcript(&self) -> &[String] {
        &self.words[..=self.at]
    }

    /// The places that the step is about.
    pub fn marked(&self) -> &[usize] {
        match self.step() {
            Step::Found(sets) => &sets[0].0,
            Step::Added(places) => places,
            _ => &[],
        }
    }
}

/// What was said to the player last.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// These cards were a set and are taken.
    Taken([Card; 3]),
    /// These cards are no set.
    Wrong([Card; 3], Verdict),
    /// There is a set, though the player said that there is none.
    ThereIsOne,
    /// There was no set: this many cards more.
    More(usize),
    /// The game is over.
    Over,
}

/// A game that is played.
pub struct Play {
    places: Vec<Option<Card>>,
    /// Yet to be dealt, the next card last.
    stock: Vec<Card>,
    /// The places chosen.
    pub chosen: Vec<usize>,
    /// How many cards of a set are given away.
    pub hint: usize,
    taken: Vec<[Card; 3]>,
    mistakes: usize,
    hints: usize,
    begun: f64,
    ended: Option<f64>,
    said: Option<Said>,
    log: Vec<String>,
    finder: Finder,
}

impl Play {
    /// Deals the first cards at a time in seconds.
    pub fn new(deal: &Deal, now: f64) -> Self {
        let mut stock: Vec<Card> = deal.cards().iter().rev().copied().collect();
        let places = (0..START_CARDS).map(|_| stock.pop()).collect();
        let mut play = Self {
            places,
            stock,
            chosen: Vec::new(),
            hint: 0,
            taken: Vec::new(),
            mistakes: 0,
            hints: 0,
            begun: now,
            ended: None,
            said: None,
            log: vec!["0:00  12 cards dealt".to_owned()],
            finder: Finder::new(),
        };
        play.end_if_done(now);
        play
    }

    /// The places of the table, down the columns; a gap is `None`.
    pub fn places(&self) -> &[Option<Card>] {
        &self.places
    }

    /// How many cards are yet to be dealt.
    pub fn stock(&self) -> usize {
        self.stock.len()
    }

    /// How many sets are taken.
    pub fn taken(&self) -> usize {
        self.taken.len()
    }

    /// How often the player was wrong.
    pub fn mistakes(&self) -> usize {
        self.mistakes
    }

    /// What was said last.
    pub fn said(&self) -> Option<&Said> {
        self.said.as_ref()
    }

    /// What has happened, with the time of each.
    pub fn log(&self) -> &[String] {
        &self.log
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    /// Seconds played, at a time.
    pub fn seconds(&self, now: f64) -> f64 {
        self.ended.unwrap_or(now) - self.begun
    }

    /// The sets on the table, by place.
    pub fn sets(&mut self) -> Vec<Set> {
        self.finder.find(&self.places).to_vec()
    }

    /// The places that the hint gives away.
    pub fn hinted(&self) -> Vec<usize> {
        if self.hint == 0 {
            return Vec::new();
        }
        let there: Vec<(usize, Card)> =
            (0..).zip(&self.places).filter_map(|(i, card)| Some((i, (*card)?))).collect();
        let board: Vec<Card> = there.iter().map(|&(_, card)| card).collect();
        let given = sets::hint(&board, self.hint).unwrap_or_default();
        given.into_iter().map(|i| there[i].0).collect()
    }

    /// Gives one card more away; says so when there is none to give.
    pub fn more_hint(&mut self) {
        if self.is_over() {
            return;
        }
        self.hint = (self.hint + 1) % 4;
        self.hints += usize::from(self.hint == 1);
    }

    /// Takes a place into the choice or out of it; three places are judged.
    pub fn choose(&mut self, place: usize, now: f64) {
        if self.is_over() || self.places.get(place).copied().flatten().is_none() {
            return;
        }
        if let Some(at) = self.chosen.iter().position(|&p| p == place) {
            self.chosen.remove(at);
            return;
        }
        self.chosen.push(place);
        if self.chosen.len() < 3 {
            return;
        }
        let places = std::mem::take(&mut self.chosen);
        let cards: Vec<Card> = places.iter().filter_map(|&p| self.places[p]).collect();
        let [a, b, c] = cards[..] else { return };
        if is_set(a, b, c) {
            self.take(&places, [a, b, c], now);
        } else {
            self.mistakes += 1;
            self.note(now, &format!("no set: {a} {b} {c}"));
            self.said = Some(Said::Wrong([a, b, c], explain([a, b, c])));
        }
    }

    fn take(&mut self, places: &[usize], cards: [Card; 3], now: f64) {
        let [a, b, c] = cards;
        self.note(now, &format!("set: {a} {b} {c}"));
        self.taken.push(cards);
        self.said = Some(Said::Taken(cards));
        self.hint = 0;
        for &place in places {
            self.places[place] = None;
        }
        // As the contest has it: above twelve cards the rest moves up, else new ones come.
        if self.places.len() > START_CARDS {
            self.places.retain(Option::is_some);
        } else {
            for place in &mut self.places {
                if place.is_none() {
                    *place = self.stock.pop();
                }
            }
        }
        self.end_if_done(now);
    }

    /// The player says that there is no set: more cards if that is so.
    pub fn no_set(&mut self, now: f64) {
        if self.is_over() {
            return;
        }
        self.chosen.clear();
        if !self.sets().is_empty() {
            self.mistakes += 1;
            self.note(now, "said there is no set, and there is one");
            self.said = Some(Said::ThereIsOne);
            return;
        }
        let before = self.stock.len();
        for _ in 0..ROWS {
            self.places.extend(self.stock.pop().map(Some));
        }
        let more = before - self.stock.len();
        self.note(now, &format!("no set; {more} cards more"));
        self.said = Some(Said::More(more));
        self.hint = 0;
        self.end_if_done(now);
    }

    fn end_if_done(&mut self, now: f64) {
        if self.stock.is_empty() && self.sets().is_empty() {
            self.ended = Some(now);
            self.said = Some(Said::Over);
            self.note(now, "no set and no cards left: the game is over");
        }
    }

    fn note(&mut self, now: f64, words: &str) {
        let time = clock(self.seconds(now));
        self.log.push(format!("{time}  {words}"));
    }
}

/// Seconds as minutes and seconds: `3:07`.
pub fn clock(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    format!("{}:{:02}", whole / 60, whole % 60)
}

/// The deals that a text means: a file of deals, or bare codes.
///
/// # Errors
/// What is wrong with it, in words.
pub fn deals_in(text: &str) -> Result<Vec<Deal>, String> {
    let first = text.split_whitespace().next().unwrap_or_default();
    // A code begins with a digit too; a count is digits only.
    if first.chars().all(|c| c.is_ascii_digit()) && !first.is_empty() {
        return parse_deals(text.as_bytes()).map_err(|error| capitalised(&error.to_string()));
    }
    let cards = parse_codes(text).map_err(|(at, error)| format!("Code {at}: {error}."))?;
    let count = cards.len();
    let deal = Deal::new(cards).ok_or_else(|| {
        format!("A game takes {MIN_CARDS} to {MAX_CARDS} cards; {count} codes were given.")
    })?;
    Ok(vec![deal])
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default() + chars.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::transcript;
    use proptest::prelude::*;
    use rand::SeedableRng;

    fn random(seed: u64) -> Deal {
        Deal::random(&mut rand_pcg::Pcg64Mcg::seed_from_u64(seed))
    }

    #[test]
    fn the_steps_watched_are_the_transcript() {
        let deal = random(5);
        let mut watch = Watch::new(&deal);
        assert_eq!(watch.transcript().len(), 1);
        watch.go_to(usize::MAX);
        assert_eq!(watch.at() + 1, watch.count());
        let whole = transcript(&[deal]);
        assert!(whole.ends_with(&watch.transcript().concat()), "{whole}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn a_game_played_well_takes_every_set_and_ends(seed: u64) {
            let mut play = Play::new(&random(seed), 0.0);
            let mut now = 0.0;
            while !play.is_over() {
                now += 1.0;
                match play.sets().first().copied() {
                    Some(set) => set.0.into_iter().for_each(|place| play.choose(place, now)),
                    None => play.no_set(now),
                }
                prop_assert!(now < 200.0);
            }
            let left = play.places().iter().flatten().count();
            prop_assert_eq!((play.stock(), play.mistakes()), (0, 0));
            prop_assert_eq!(3 * play.taken() + left, 81);
            prop_assert_eq!(play.said(), Some(&Said::Over));
            prop_assert_eq!(play.seconds(now + 100.0), now);
        }
    }

    #[test]
    fn mistakes_are_counted_and_explained() {
        let deal = random(1);
        let mut play = Play::new(&deal, 10.0);
        let set = play.sets()[0].0;
        let other = (0..12).find(|i| !set.contains(i)).unwrap();
        for place in [set[0], set[1], other] {
            play.choose(place, 13.0);
        }
        assert!(matches!(play.said(), Some(Said::Wrong(_, verdict)) if !verdict.is_set()));
        play.no_set(15.0);
        assert_eq!((play.said(), play.mistakes()), (Some(&Said::ThereIsOne), 2));
        assert!(play.chosen.is_empty());
        play.more_hint();
        assert_eq!(play.hinted().len(), 1);
        play.choose(99, 16.0);
        assert!(play.chosen.is_empty(), "there is no such place");
        assert!(play.log()[1].starts_with("0:03  no set: "), "{:?}", play.log());
    }

    #[test]
    fn codes_and_files_are_told_apart() {
        let codes: Vec<String> = Card::deck().take(12).map(|c| c.to_string()).collect();
        let deal = Deal::new(Card::deck().take(12).collect()).unwrap();
        assert_eq!(deals_in(&codes.join(" ")), Ok(vec![deal.clone()]));
        assert_eq!(deals_in(&format!("1\n12\n{}\n", codes.join("\n"))), Ok(vec![deal]));
        assert!(deals_in("1fgd 2fgd").unwrap_err().contains("2 codes were given"));
        assert!(deals_in("1\n12\n1fgd").unwrap_err().starts_with("Line 3"));
        assert!(deals_in("1fgx 2fgd").unwrap_err().contains('x'));
        assert!(deals_in("").is_err());
        assert_eq!((clock(187.9), clock(-1.0)), ("3:07".to_owned(), "0:00".to_owned()));
    }
}
