//! How many hands there are of each kind, counted exactly and compared with the known figures.
//!
//! There are too many hands to look at, but most differ only by a symmetry. A card is a point of
//! the affine space of four dimensions over three numbers and a set is a line of it, so every
//! affine map takes sets to sets. Classes of hands under these maps are grown card by card, each
//! with the number of hands in it: of a class with n hands each further card leads n times into
//! some class, and every hand of k cards is met once for each of its k cards.

use setsight::cards::{Card, DECK_SIZE};
use setsight::sets::{completing, none_among};
use std::collections::HashMap;

/// A set of cards: bit i for the card of index i.
type Hand = u128;

fn cards(hand: Hand) -> impl Iterator<Item = usize> + Clone {
    (0..DECK_SIZE).filter(move |&i| hand >> i & 1 == 1)
}

struct Counter {
    completing: Vec<[u8; DECK_SIZE]>,
    /// Differences and sums of points.
    minus: Vec<[u8; DECK_SIZE]>,
    plus: Vec<[u8; DECK_SIZE]>,
}

impl Counter {
    fn new() -> Self {
        let table = |f: &dyn Fn(usize, usize) -> usize| -> Vec<[u8; DECK_SIZE]> {
            (0..DECK_SIZE).map(|a| std::array::from_fn(|b| f(a, b) as u8)).collect()
        };
        let digits = |a: usize, b: usize, f: &dyn Fn(usize, usize) -> usize| -> usize {
            [1, 3, 9, 27].into_iter().map(|place| f(a / place % 3, b / place % 3) % 3 * place).sum()
        };
        Self {
            completing: table(&|a, b| completing(Card::from_index(a), Card::from_index(b)).index()),
            minus: table(&|a, b| digits(a, b, &|x, y| x + 3 - y)),
            plus: table(&|a, b| digits(a, b, &|x, y| x + y)),
        }
    }

    fn completing(&self, a: usize, b: usize) -> usize {
        usize::from(self.completing[a][b])
    }

    /// How many pairs of a hand each card completes.
    fn completed_pairs(&self, hand: Hand) -> [u32; DECK_SIZE] {
        let mut counts = [0; DECK_SIZE];
        for a in cards(hand) {
            for b in cards(hand).filter(|&b| b > a) {
                counts[self.completing(a, b)] += 1;
            }
        }
        counts
    }

    /// One hand for all of a class: the smallest of the images under the maps that take some
    /// frame of the hand (a point and independent directions) to the standard one. Only frames of
    /// points that stand out are tried; what stands out does not depend on how the hand lies.
    fn representative(&self, hand: Hand) -> Hand {
        let pairs = self.completed_pairs(hand);
        let points: Vec<usize> = cards(hand).collect();
        let mut color = [0u64; DECK_SIZE];
        for _ in 0..3 {
            let mut next = color;
            for &p in &points {
                next[p] = points.iter().filter(|&&q| q != p).fold(mix(color[p]), |sum, &q| {
                    let third = self.completing(p, q);
                    let inside = u64::from(hand >> third & 1 == 1);
                    let seen = color[q] ^ mix(2 * u64::from(pairs[third]) + inside + 1);
                    sum.wrapping_add(mix(seen ^ mix(color[third].wrapping_mul(inside))))
                });
            }
            color = next;
        }
        // Rare colours first: few frames to try.
        let size = |p: usize| points.iter().filter(|&&q| color[q] == color[p]).count();
        let mut ranked: Vec<(usize, u64, usize)> =
            points.iter().map(|&p| (size(p), color[p], p)).collect();
        ranked.sort_unstable();
        let mut best = Hand::MAX;
        self.try_frames(hand, &ranked, &mut Vec::new(), 0, &mut best);
        best
    }

    /// `span` holds the points spanned so far in the order of their new indices.
    fn try_frames(
        &self,
        hand: Hand,
        ranked: &[(usize, u64, usize)],
        span: &mut Vec<u8>,
        spanned: Hand,
        best: &mut Hand,
    ) {
        let mut free = ranked.iter().filter(|(_, _, p)| spanned >> p & 1 == 0).peekable();
        let Some(&&(_, color, _)) = free.peek() else {
            let image = span.iter().enumerate().filter(|(_, p)| hand >> **p & 1 == 1);
            *best = (*best).min(image.fold(0, |image, (i, _)| image | 1 << i));
            return;
        };
        for &(_, _, p) in free.take_while(|point| point.1 == color) {
            let before = span.len();
            if let Some(&origin) = span.first() {
                let direction = usize::from(self.minus[p][usize::from(origin)]);
                for _ in 0..2 {
                    let start = span.len() - before;
                    for i in start..start + before {
                        span.push(self.plus[usize::from(span[i])][direction]);
                    }
                }
            } else {
                span.push(p as u8);
            }
            let spanned = span.iter().fold(0, |hand, &p| hand | 1 << p);
            self.try_frames(hand, ranked, span, spanned, best);
            span.truncate(before);
        }
    }

    /// The classes of hands with one card more, chosen by `may_join` from the number of pairs it
    /// completes.
    fn grow(
        &self,
        classes: &HashMap<Hand, u128>,
        may_join: fn(u32) -> bool,
    ) -> HashMap<Hand, u128> {
        let mut grown: HashMap<Hand, u128> = HashMap::new();
        for (&hand, &hands) in classes {
            let pairs = self.completed_pairs(hand);
            for card in (0..DECK_SIZE).filter(|&i| hand >> i & 1 == 0 && may_join(pairs[i])) {
                *grown.entry(self.representative(hand | 1 << card)).or_default() += hands;
            }
        }
        for (hand, hands) in &mut grown {
            let met = u128::from(hand.count_ones());
            assert_eq!(*hands % met, 0, "every hand is met once for each of its cards");
            *hands /= met;
        }
        grown
    }
}

/// A fixed scrambling of 64 bits (the finaliser of SplitMix64).
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn nothing() -> HashMap<Hand, u128> {
    HashMap::from([(0, 1)])
}

/// Hands of 12 cards, by number of sets.
const TWELVE: [u128; 15] = [
    2_284_535_476_080,
    10_266_579_666_720,
    18_459_179_294_400,
    19_278_240_770_880,
    12_746_054_337_120,
    5_650_817_178_240,
    1_649_199_670_560,
    330_527_433_600,
    48_500_063_820,
    8_323_838_640,
    2_091_005_280,
    160_729_920,
    86_346_000,
    21_340_800,
    3_032_640,
];

fn choose(n: u128, k: u128) -> u128 {
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}

#[test]
fn small_hands_without_a_set() {
    let counter = Counter::new();
    let mut classes = nothing();
    let mut hands = vec![1];
    for _ in 1..=6 {
        classes = counter.grow(&classes, |pairs| pairs == 0);
        hands.push(classes.values().sum());
    }
    assert_eq!(hands[1..4], [81, 3240, choose(81, 3) - 1080]);
    // Four cards hold at most one set: two sets share at most a card, and make five.
    assert_eq!(hands[4], choose(81, 4) - 1080 * 78);
    // Five hold two sets, with a card in common: each card is in 40 sets.
    let two_sets = 81 * choose(40, 2);
    assert_eq!(hands[5], choose(81, 5) - 1080 * choose(78, 2) + two_sets);
}

#[test]
fn hands_without_a_set_by_number_of_cards() {
    let counter = Counter::new();
    let mut classes = nothing();
    let mut hands = vec![1];
    while hands.last() != Some(&0) {
        classes = counter.grow(&classes, |pairs| pairs == 0);
        hands.push(classes.values().sum());
    }
    for (cards, &hands) in hands.iter().enumerate().skip(12) {
        let chance = none_among(cards).unwrap();
        assert_eq!(u128::from(chance.favourable), hands, "{cards} cards");
        assert_eq!(u128::from(chance.total), choose(81, cards as u128));
    }
}

#[test]
fn sets_among_twelve_cards() {
    let counter = Counter::new();
    let mut classes = nothing();
    for k in 1..=11 {
        classes = counter.grow(&classes, |_| true);
        assert_eq!(classes.values().sum::<u128>(), choose(81, k));
    }
    let mut hands = [0; 15];
    for (&hand, &count) in &classes {
        let pairs = counter.completed_pairs(hand);
        // Each set within the hand is completed by each of its three cards.
        let within: u32 = cards(hand).map(|i| pairs[i]).sum::<u32>() / 3;
        for card in (0..DECK_SIZE).filter(|&i| hand >> i & 1 == 0) {
            hands[(within + pairs[card]) as usize] += count;
        }
    }
    assert_eq!(hands.map(|count| count / 12), TWELVE);
    assert_eq!(TWELVE.iter().sum::<u128>(), choose(81, 12));
    let sets: u128 = TWELVE.iter().zip(0..).map(|(hands, sets)| hands * sets).sum();
    // The mean is 220/79.
    assert_eq!(sets * 79, 220 * choose(81, 12));
}
