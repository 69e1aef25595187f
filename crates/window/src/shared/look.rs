//! The three ways to look at a table: all sets, a hint, or three cards of one's own choice.

use crate::shared::keys::{Action, previewed};
use crate::shared::{table::Table, words::Word};
use eframe::egui::Context;
use setsight_game::cards::Card;
use setsight_game::sets::{Verdict, explain};

/// From so many sets on, rings for all of them would hide the cards: badges alone name them, and the
/// one that is looked at has its rings.
const MANY_SETS: usize = 6;

/// From so many on badges would, too: cards have their own numbers, by which sets are listed.
pub(crate) const SETS_BY_NUMBERS: usize = 20;

/// A way to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// All sets, or one after the other.
    #[default]
    Solve,
    /// One card of a set, then two, then three.
    Hint,
    /// Why three chosen cards are a set or are not.
    Learn,
}

impl Mode {
    pub(crate) const ALL: [Self; 3] = [Self::Solve, Self::Hint, Self::Learn];

    /// Its name on a button.
    pub(crate) const fn word(self) -> Word {
        match self {
            Self::Solve => Word("mode-solve"),
            Self::Hint => Word("mode-hint"),
            Self::Learn => Word("mode-learn"),
        }
    }
}

/// How a card is to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Outlined, no more.
    Plain,
    /// In the background: something else is being shown.
    Quiet,
    /// Part of these sets, by place.
    Sets(Vec<usize>),
    /// The same, without rings.
    Badges(Vec<usize>),
    /// Outlined, with its own number.
    Numbered(usize),
    /// Given away by a hint.
    Hinted,
    Chosen,
}

impl Mark {
    /// That of a card of these sets, where so many are shown, or one of them alone.
    pub(crate) fn of_sets(sets: Vec<usize>, shown: usize, alone: Option<usize>) -> Self {
        match alone {
            Some(set) if sets.contains(&set) => Self::Sets(vec![set]),
            Some(_) => Self::Quiet,
            None if sets.is_empty() => Self::Plain,
            None if shown < MANY_SETS => Self::Sets(sets),
            None => Self::Badges(sets),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    pub mode: Mode,
    /// Which set is shown alone, by place; `None` shows all.
    pub set: Option<usize>,
    /// The set under the pointer in the list: a preview, shown in its place.
    pub(crate) pointed: Option<usize>,
    /// The set to which the list has been scrolled.
    pub(crate) listed: Option<usize>,
    /// Whether it is explained why that set is one.
    pub(crate) why: bool,
    /// If anything, only the sets that hang on this card are shown.
    pub(crate) with: Option<usize>,
    /// How many cards of a set are given away, 0 to 3.
    pub(crate) hint: usize,
    /// Of which set, the easiest to see being 0.
    pub(crate) hint_rank: usize,
    /// The cards chosen, at most three, in the order of choosing.
    pub(crate) chosen: Vec<usize>,
}

impl Look {
    /// For another table: the way stays, what was given away or chosen does not.
    pub(crate) fn start_again(&mut self) {
        *self = Self { mode: self.mode, ..Self::default() };
    }

    /// The next set alone; after the last one all of them again.
    pub(crate) fn next_set(&mut self, sets: usize) {
        self.set = match self.set {
            None if sets > 0 => Some(0),
            Some(at) if at + 1 < sets => Some(at + 1),
            _ => None,
        };
    }

    /// The set before; before the first one all of them.
    pub(crate) fn previous_set(&mut self, sets: usize) {
        self.set = match self.set {
            None => sets.checked_sub(1),
            Some(at) => at.checked_sub(1),
        };
    }

    /// Previews the set under the pointer in the list; without one, what is chosen is shown.
    pub(crate) fn point_at(&mut self, set: Option<usize>, ctx: &Context) {
        let set = previewed(ctx, set);
        if std::mem::replace(&mut self.pointed, set) != set {
            // The picture may have been drawn already.
            ctx.request_repaint();
        }
    }

    /// Gives one card more away; after three cards begins again.
    pub(crate) fn more_hint(&mut self) {
        self.hint = (self.hint + 1) % 4;
    }

    /// Gives away as much of another set.
    pub(crate) fn another_hint(&mut self) {
        self.hint_rank += 1;
        self.hint = self.hint.max(1);
    }

    /// Does what a key asks for where a table is looked at. Whether it was such a key.
    pub(crate) fn act(&mut self, action: Action, table: &Table) -> bool {
        match action {
            Action::NextSet => self.next_set(table.shown_sets()),
            Action::PreviousSet => self.previous_set(table.shown_sets()),
            Action::AllSets => self.set = None,
            Action::Why if self.set.is_none() => {
                self.next_set(table.shown_sets());
                self.why = true;
            }
            Action::Why => self.why = !self.why,
            Action::MoreHint => {
                self.mode = Mode::Hint;
                self.more_hint();
            }
            Action::AnotherHint => self.another_hint(),
            Action::Clear => self.start_again(),
            _ => return false,
        }
        true
    }

    /// Takes a card into the choice or out of it. A fourth card begins a new choice.
    pub(crate) fn choose(&mut self, card: usize) {
        if let Some(at) = self.chosen.iter().position(|&c| c == card) {
            self.chosen.remove(at);
        } else {
            if self.chosen.len() == 3 {
                self.chosen.clear();
            }
            self.chosen.push(card);
        }
    }

    fn three_chosen(&self, table: &Table) -> Option<[Card; 3]> {
        let cards: Option<Vec<Card>> =
            self.chosen.iter().map(|&i| table.cards.get(i).map(|card| card.card)).collect();
        cards?.try_into().ok()
    }

    /// The three cards for which the picture explains why they are a set, or are not.
    pub(crate) fn asked_about(&self, table: &Table) -> Option<[usize; 3]> {
        match (self.mode, self.set) {
            // Not while another set is previewed.
            (Mode::Solve, Some(set)) if self.why && self.pointed.is_none_or(|at| at == set) => {
                Some(table.set_at(set))
            }
            (Mode::Learn, _) => self.chosen.as_slice().try_into().ok(),
            _ => None,
        }
    }

    /// Why the three chosen cards are a set or are not, once there are three.
    pub(crate) fn verdict(&self, table: &Table) -> Option<Verdict> {
        self.three_chosen(table).map(explain)
    }

    /// What a table that has become another one no longer holds is let go.
    pub(crate) fn fit(&mut self, table: &Table) {
        self.chosen.retain(|&card| card < table.cards.len());
        for set in [&mut self.set, &mut self.pointed] {
            set.take_if(|set| *set >= table.shown_sets());
        }
    }

    fn sets_of(&self, table: &Table, card: usize) -> Vec<usize> {
        let mut sets = table.sets_with(card);
        sets.retain(|&set| self.with.is_none_or(|with| table.set_at(set).contains(&with)));
        sets
    }

    /// How each card is to be drawn.
    pub(crate) fn marks(&self, table: &Table) -> Vec<Mark> {
        let given = match self.hint {
            0 => Vec::new(),
            step => table.hint(self.hint_rank, step).unwrap_or_default(),
        };
        let drawn = match self.with {
            Some(card) => table.sets_with(card).len(),
            None => table.shown_sets(),
        };
        (0..table.cards.len()).map(|card| self.mark(table, card, &given, drawn)).collect()
    }

    fn mark(&self, table: &Table, card: usize, given: &[usize], drawn: usize) -> Mark {
        match self.mode {
            Mode::Solve => match self.pointed.or(self.set) {
                None if drawn >= SETS_BY_NUMBERS => Mark::Numbered(table.numbers[card]),
                None => Mark::of_sets(self.sets_of(table, card), drawn, None),
                alone => Mark::of_sets(table.sets_with(card), drawn, alone),
            },
            Mode::Hint if given.contains(&card) => Mark::Hinted,
            Mode::Learn if self.chosen.contains(&card) => Mark::Chosen,
            Mode::Hint | Mode::Learn => Mark::Plain,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::table::tests::table_of;

    #[test]
    fn sets_are_stepped_through_round_and_round() {
        let mut look = Look::default();
        let mut shown = Vec::new();
        for _ in 0..4 {
            look.next_set(3);
            shown.push(look.set);
        }
        assert_eq!(shown, [Some(0), Some(1), Some(2), None]);
        look.previous_set(3);
        assert_eq!(look.set, Some(2));
        let mut none = Look::default();
        none.next_set(0);
        none.previous_set(0);
        assert_eq!(none.set, None);
    }

    #[test]
    fn a_hint_gives_away_no_more_than_asked() {
        let table = table_of("1ord 1fgd 2fgd 3fgd");
        let mut look = Look { mode: Mode::Hint, ..Look::default() };
        let hinted =
            |look: &Look| look.marks(&table).iter().filter(|mark| **mark == Mark::Hinted).count();
        assert!(look.marks(&table).iter().all(|mark| *mark == Mark::Plain));
        for given in [1, 2, 3, 0] {
            look.more_hint();
            assert_eq!(hinted(&look), given);
        }
        // As much of another set.
        let table = table_of("1ord 1fgd 2fgd 3fgd 2ord 3ord");
        let mut look = Look { mode: Mode::Hint, ..Look::default() };
        let given = |look: &Look| -> Vec<usize> {
            let marks = look.marks(&table);
            (0..6).filter(|&i| marks[i] == Mark::Hinted).collect()
        };
        look.more_hint();
        let first = given(&look);
        look.another_hint();
        assert!(given(&look).len() == 1 && given(&look) != first);
        look.another_hint();
        assert_eq!(given(&look), first, "after the last set the first comes again");
    }

    #[test]
    fn three_chosen_cards_are_judged() {
        let table = table_of("1ord 1fgd 2fgd 3fgd");
        let mut look = Look { mode: Mode::Learn, ..Look::default() };
        for card in [1, 2] {
            look.choose(card);
        }
        assert_eq!(look.verdict(&table), None);
        look.choose(3);
        assert!(look.verdict(&table).unwrap().is_set());
        look.choose(0);
        assert_eq!(look.chosen, [0], "a fourth card begins anew");
        look.choose(0);
        assert!(look.chosen.is_empty());
        look.choose(3);
        look.fit(&table_of("1ord"));
        assert!(look.chosen.is_empty());
    }

    #[test]
    fn sets_that_hang_on_a_card_are_shown_with_it() {
        let table = table_of("1ord 2ord 3ord 1fgd 2fgd 3fgd");
        let look = Look { with: Some(0), ..Look::default() };
        let shown = |card: usize| !matches!(look.marks(&table)[card], Mark::Plain);
        assert!((0..3).all(shown) && !(3..6).any(shown));
    }

    #[test]
    fn many_sets_are_named_by_badges_alone_and_one_of_them_has_its_rings() {
        let table = table_of("3opd 1ors 1spd 1fgo 2fro 2ord 2fgd 3ord 2ogo 3srd 2fpd 2ops");
        assert_eq!(table.sets.len(), 7);
        let rings = |look: &Look| {
            look.marks(&table).iter().filter(|mark| matches!(mark, Mark::Sets(_))).count()
        };
        let mut look = Look::default();
        assert_eq!(rings(&look), 0);
        assert!(look.marks(&table).iter().any(|mark| matches!(mark, Mark::Badges(_))));
        look.pointed = Some(6);
        assert_eq!(rings(&look), 3);
        let many =
            table_of("1sgs 1fro 2oro 3fpd 3opo 1srd 2sgo 2fpo 2srs 3ord 3sgd 1spo 3frs 1ors 1ogo");
        assert_eq!(many.sets.len(), SETS_BY_NUMBERS);
        let numbered: Vec<Mark> = (1..=15).map(Mark::Numbered).collect();
        assert_eq!(Look::default().marks(&many), numbered);
        let card = table.set_at(0)[0];
        assert!(rings(&Look { with: Some(card), ..Look::default() }) >= 3);
    }

    #[test]
    fn one_set_alone_leaves_the_rest_in_the_background() {
        let table = table_of("1ord 1fgd 2fgd 3fgd");
        let look = Look { set: Some(0), ..Look::default() };
        assert_eq!(look.marks(&table)[0], Mark::Quiet);
        assert_eq!(look.marks(&table)[3], Mark::Sets(vec![0]));
        assert_eq!(Look::default().marks(&table)[0], Mark::Plain);
    }
}
