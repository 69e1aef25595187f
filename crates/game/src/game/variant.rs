//! The game as people play it at a table, and its variants, with the rules of setwithfriends.com.

use super::{deal::Deal, rules::START_CARDS};
use crate::cards::{Card, Shading};
use crate::sets::{completing, easiest_first, is_set};

/// Number of cards laid out when nobody sees a set.
const MORE: usize = 3;

/// The variants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Three cards that are a set.
    #[default]
    Normal,
    /// Each set contains exactly one card of the previous set.
    Chain,
    /// Four cards: two pairs that one card completes to sets.
    Ultra,
    /// The 27 filled cards only.
    Junior,
}

impl Variant {
    /// All variants.
    pub const ALL: [Self; 4] = [Self::Normal, Self::Chain, Self::Ultra, Self::Junior];

    /// Its name, which is also used in files.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Chain => "Chain",
            Self::Ultra => "Ultra",
            Self::Junior => "Junior",
        }
    }

    /// Its rule in a sentence.
    pub const fn rule(self) -> &'static str {
        match self {
            Self::Normal => "Find three cards that are a set.",
            Self::Chain => "After the first set, each set uses exactly one card of the last one.",
            Self::Ultra => {
                "Find four cards: two pairs that the same fifth card would complete to a set."
            }
            Self::Junior => "With the 27 filled cards only: number, colour and shape count.",
        }
    }

    /// Number of cards in a set.
    pub const fn set_size(self) -> usize {
        match self {
            Self::Ultra => 4,
            Self::Normal | Self::Chain | Self::Junior => 3,
        }
    }

    /// Number of cards laid out at the start.
    pub const fn start_cards(self) -> usize {
        match self {
            Self::Junior => 9,
            Self::Normal | Self::Chain | Self::Ultra => START_CARDS,
        }
    }

    /// The cards of a deal that this variant uses, in the order of the deal.
    pub fn cards_of(self, deal: &Deal) -> Vec<Card> {
        deal.cards()
            .iter()
            .filter(|card| self != Self::Junior || card.shading == Shading::Filled)
            .copied()
            .collect()
    }
}

/// A selectable card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// On the table, by its place.
    Table(usize),
    /// In the last set, which [`Variant::Chain`] leaves in view.
    Last(usize),
}

/// A game in progress: the table, and what may be taken from it.
#[derive(Clone, Debug)]
pub struct Round {
    variant: Variant,
    places: Vec<Option<Card>>,
    /// Cards not dealt yet, the next card last.
    stock: Vec<Card>,
    last: Option<[Card; 3]>,
}

impl Round {
    /// Lays out the first cards of a deal.
    pub fn new(variant: Variant, deal: &Deal) -> Self {
        let mut stock = variant.cards_of(deal);
        stock.reverse();
        let places = (0..variant.start_cards()).map(|_| stock.pop()).collect();
        Self { variant, places, stock, last: None }
    }

    /// The variant.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The places of the table, column by column; a gap is `None`.
    pub fn places(&self) -> &[Option<Card>] {
        &self.places
    }

    /// Number of cards not dealt yet.
    pub fn stock(&self) -> usize {
        self.stock.len()
    }

    /// The last set, if its cards can be selected.
    pub fn last(&self) -> Option<&[Card; 3]> {
        self.last.as_ref().filter(|_| self.variant == Variant::Chain)
    }

    /// The card at a spot; `None` if there is none.
    pub fn card(&self, spot: Spot) -> Option<Card> {
        match spot {
            Spot::Table(place) => self.places.get(place).copied().flatten(),
            Spot::Last(at) => self.last()?.get(at).copied(),
        }
    }

    /// Whether these cards may be taken as a set.
    pub fn is_set(&self, spots: &[Spot]) -> bool {
        let cards: Option<Vec<Card>> = spots.iter().map(|&spot| self.card(spot)).collect();
        let of_last = spots.iter().filter(|spot| matches!(spot, Spot::Last(_))).count();
        let wanted = usize::from(self.last().is_some());
        let repeated = (1..spots.len()).any(|i| spots[..i].contains(&spots[i]));
        if repeated || of_last != wanted {
            return false;
        }
        match (self.variant, cards.as_deref()) {
            (Variant::Ultra, Some(&[a, b, c, d])) => is_ultra([a, b, c, d]),
            (Variant::Ultra, _) => false,
            (_, Some(&[a, b, c])) => is_set(a, b, c),
            _ => false,
        }
    }

    /// All sets that may be taken now; for sets of three cards, the easiest to see first.
    pub fn sets(&self) -> Vec<Vec<Spot>> {
        let on_table: Vec<(Spot, Card)> = self
            .places
            .iter()
            .enumerate()
            .filter_map(|(place, card)| Some((Spot::Table(place), (*card)?)))
            .collect();
        match (self.variant, self.last()) {
            (Variant::Ultra, _) => ultra_sets(&on_table),
            (_, Some(last)) => chain_sets(&on_table, last),
            _ => {
                let board: Vec<Card> = on_table.iter().map(|&(_, card)| card).collect();
                easiest_first(&board)
                    .into_iter()
                    .map(|set: crate::sets::Set| set.0.map(|i| on_table[i].0).to_vec())
                    .collect()
            }
        }
    }

    /// Takes a set and deals new cards in its place. Returns whether it was a set; otherwise
    /// nothing changes.
    pub fn take(&mut self, spots: &[Spot]) -> bool {
        if !self.is_set(spots) {
            return false;
        }
        let cards: Vec<Card> = spots.iter().filter_map(|&spot| self.card(spot)).collect();
        self.last = cards.try_into().ok();
        for spot in spots {
            if let Spot::Table(place) = *spot {
                self.places[place] = None;
            }
        }
        // As in the contest: above the usual number of cards the others move up, otherwise new
        // cards are dealt.
        if self.places.len() > self.variant.start_cards() {
            self.places.retain(Option::is_some);
            while self.places.len() < self.variant.start_cards() {
                let Some(card) = self.stock.pop() else { break };
                self.places.push(Some(card));
            }
        } else {
            for place in self.places.iter_mut().filter(|place| place.is_none()) {
                *place = self.stock.pop();
            }
        }
        true
    }

    /// Lays out three more cards, or the rest of the stock; returns their number.
    pub fn lay_out_more(&mut self) -> usize {
        let more = MORE.min(self.stock.len());
        self.places.retain(Option::is_some);
        let from = self.stock.len() - more;
        self.places.extend(self.stock.drain(from..).rev().map(Some));
        more
    }

    /// Whether no more sets can be taken, now or later.
    pub fn is_over(&self) -> bool {
        self.stock.is_empty() && self.sets().is_empty()
    }
}

/// Whether the four cards can be split into two pairs that one card completes.
fn is_ultra([a, b, c, d]: [Card; 4]) -> bool {
    let pairs = |a, b, c, d| completing(a, b) == completing(c, d);
    let all = [a, b, c, d];
    let different = (1..4).all(|i| !all[..i].contains(&all[i]));
    different && (pairs(a, b, c, d) || pairs(a, c, b, d) || pairs(a, d, b, c))
}

fn ultra_sets(on_table: &[(Spot, Card)]) -> Vec<Vec<Spot>> {
    let mut sets = Vec::new();
    for i in 0..on_table.len() {
        for j in i + 1..on_table.len() {
            for k in j + 1..on_table.len() {
                for l in k + 1..on_table.len() {
                    let four = [i, j, k, l];
                    if is_ultra(four.map(|at| on_table[at].1)) {
                        sets.push(four.map(|at| on_table[at].0).to_vec());
                    }
                }
            }
        }
    }
    sets
}

fn chain_sets(on_table: &[(Spot, Card)], last: &[Card; 3]) -> Vec<Vec<Spot>> {
    let mut sets = Vec::new();
    for (at, &old) in last.iter().enumerate() {
        for (i, &(one, first)) in on_table.iter().enumerate() {
            for &(two, second) in &on_table[i + 1..] {
                if is_set(old, first, second) {
                    sets.push(vec![Spot::Last(at), one, two]);
                }
            }
        }
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::parse_codes;
    use proptest::prelude::*;

    fn random(seed: u64) -> Deal {
        Deal::random(seed)
    }

    fn round(variant: Variant, codes: &str) -> Round {
        let mut cards = parse_codes(codes).unwrap();
        // Fewer cards than at the start of a game make a table with gaps.
        let rest = cards.split_off(cards.len().min(variant.start_cards()));
        let mut places: Vec<Option<Card>> = cards.into_iter().map(Some).collect();
        places.resize(variant.start_cards(), None);
        Round { variant, places, stock: rest.into_iter().rev().collect(), last: None }
    }

    fn table<const N: usize>(places: [usize; N]) -> Vec<Spot> {
        places.map(Spot::Table).to_vec()
    }

    #[test]
    fn a_set_of_the_chain_takes_one_card_of_the_last() {
        // 1fgd 2fgd 3fgd; then 1ord 1spd with 1fgd, and 1fps 1frs 1fgs without.
        let mut chain = round(Variant::Chain, "1fgd 2fgd 3fgd 1ord 1spd 1fps 1frs 1fgs");
        assert!(chain.last().is_none() && chain.take(&table([0, 1, 2])));
        assert_eq!(chain.last().unwrap().map(|card| card.to_string()), ["1fgd", "2fgd", "3fgd"]);
        assert!(!chain.is_set(&table([5, 6, 7])), "a set, and no link of the chain");
        let linked = [Spot::Last(0), Spot::Table(3), Spot::Table(4)];
        assert_eq!(chain.sets(), [linked.to_vec()]);
        let stays = chain.places().iter().flatten().count();
        assert!(chain.take(&linked));
        assert_eq!(chain.places().iter().flatten().count(), stays - 2);
        assert!(chain.last().unwrap().iter().any(|card| card.to_string() == "1ord"));
        assert!(!chain.is_set(&[Spot::Last(0), Spot::Last(1), Spot::Last(2)]));
    }

    #[test]
    fn four_cards_are_ultra_when_one_card_completes_two_pairs() {
        // 3fgd completes 1fgd 2fgd; and it completes 1srs 2opo: number, shading, colour, shape.
        let ultra = round(Variant::Ultra, "1fgd 2fgd 1srs 2opo 3fro");
        assert!(ultra.is_set(&table([0, 1, 2, 3])));
        assert!(ultra.is_set(&table([3, 0, 2, 1])), "in any order");
        assert!(!ultra.is_set(&table([0, 1, 2, 4])));
        assert!(!ultra.is_set(&table([0, 1, 2])) && !ultra.is_set(&table([0, 0, 1, 1])));
    }

    #[test]
    fn juniors_play_with_filled_cards_on_nine_places() {
        let junior = Round::new(Variant::Junior, &random(3));
        assert_eq!((junior.places().len(), junior.stock()), (9, 18));
        assert!(junior.places().iter().flatten().all(|card| card.shading == Shading::Filled));
    }

    #[test]
    fn more_cards_come_when_asked_for_and_the_table_shrinks_again() {
        let deal = random(2);
        let mut round = Round::new(Variant::Normal, &deal);
        assert_eq!(round.lay_out_more(), 3);
        assert_eq!(
            round.places()[12..],
            deal.cards()[12..15].iter().copied().map(Some).collect::<Vec<_>>()
        );
        let set = round.sets().remove(0);
        assert!(round.take(&set));
        assert_eq!((round.places().len(), round.stock()), (12, 66));
        assert!(!round.take(&table([90, 91, 92])), "no such places");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn every_variant_ends_and_loses_no_card(seed: u64, which in 0usize..4) {
            let variant = Variant::ALL[which];
            let mut round = Round::new(variant, &random(seed));
            let all = variant.cards_of(&random(seed)).len();
            let (mut taken, mut steps) = (0, 0);
            while !round.is_over() {
                steps += 1;
                prop_assert!(steps < 200);
                let before = round.places().iter().flatten().count() + round.stock();
                match round.sets().first().cloned() {
                    Some(set) => {
                        prop_assert!(round.is_set(&set) && set.len() == variant.set_size());
                        prop_assert!(round.take(&set));
                        let after = round.places().iter().flatten().count() + round.stock();
                        taken += before - after;
                    }
                    None => { round.lay_out_more(); }
                }
            }
            let left = round.places().iter().flatten().count();
            prop_assert_eq!((round.stock(), taken + left), (0, all));
        }

        #[test]
        fn every_set_that_is_named_is_one_and_no_other_is(seed: u64, which in 0usize..4) {
            let variant = Variant::ALL[which];
            let mut round = Round::new(variant, &random(seed));
            if let (Variant::Chain, Some(first)) = (variant, round.sets().first().cloned()) {
                round.take(&first);
            }
            let mut spots: Vec<Spot> = (0..round.places().len()).map(Spot::Table).collect();
            spots.extend((0..3).filter(|_| round.last().is_some()).map(Spot::Last));
            let mut count = 0;
            for i in 0..spots.len() {
                for j in i + 1..spots.len() {
                    for k in j + 1..spots.len() {
                        let three = [spots[i], spots[j], spots[k]];
                        count += usize::from(round.is_set(&three));
                        for &l in &spots[k + 1..] {
                            count += usize::from(round.is_set(&[spots[i], spots[j], spots[k], l]));
                        }
                    }
                }
            }
            prop_assert_eq!(round.sets().len(), count);
        }
    }
}
