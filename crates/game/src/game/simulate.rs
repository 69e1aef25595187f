//! Simulates many games of a shuffled deck on all cores: their table (places with cards, and a set chosen among them)
//! and their statistics.

use super::deal::shuffle;
use super::rules::{ROWS, START_CARDS, listing_order};
use crate::cards::DECK_SIZE;
#[cfg(target_arch = "x86_64")]
use crate::sets::wide;
use crate::sets::{Finder, Key, Set, gap_key};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::ops::AddAssign;

/// Which of several sets a game takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// A uniformly random one.
    Random,
    /// The first by place: the lowest first place, then the lowest second and third.
    First,
    /// The first in the contest's [`listing_order`].
    Listed,
}

/// Number of games per random stream: few enough to keep all cores busy to the end, and many enough
/// to make the cost of starting a stream negligible.
const GAMES_PER_BLOCK: u64 = 2048;

/// Plays many games with the current rayon thread pool. The games are divided into blocks with a
/// random stream each, so the same seed gives the same result on any number of threads. `on_block`
/// is called, from any thread, with the number of games completed since the last call.
pub fn simulate(
    games: u64,
    seed: u64,
    policy: Policy,
    on_block: impl Fn(u64) + Sync,
) -> Statistics {
    let blocks = games.div_ceil(GAMES_PER_BLOCK);
    let blocks = (0..blocks).into_par_iter().fold(Statistics::default, |mut sum, block| {
        let in_block = GAMES_PER_BLOCK.min(games - block * GAMES_PER_BLOCK);
        play_block(in_block, stream(seed, block), policy, &mut sum);
        on_block(in_block);
        sum
    });
    blocks.reduce(Statistics::default, |mut a, b| {
        a += &b;
        a
    })
}

/// A separate generator for each block.
fn stream(seed: u64, block: u64) -> Pcg64Mcg {
    // Neighbouring numbers give unrelated streams only after mixing, which seeding from one number
    // does. The seed is mixed first, so that blocks of neighbouring seeds do not coincide.
    let of_seed: u64 = Pcg64Mcg::seed_from_u64(seed).random();
    Pcg64Mcg::seed_from_u64(of_seed ^ block.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn play_block(games: u64, rng: Pcg64Mcg, policy: Policy, sum: &mut Statistics) {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return simd.vectorize(Wide { games, rng, policy, sum, table: InRegister::new(simd) });
    }
    play_games(games, rng, policy, sum, &mut Plain::default());
}

/// A block of games on a processor with AVX2, as one piece: its searches are inlined.
#[cfg(target_arch = "x86_64")]
struct Wide<'a> {
    games: u64,
    rng: Pcg64Mcg,
    policy: Policy,
    sum: &'a mut Statistics,
    table: InRegister,
}

#[cfg(target_arch = "x86_64")]
impl pulp::NullaryFnOnce for Wide<'_> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        play_games(self.games, self.rng, self.policy, self.sum, &mut self.table);
    }
}

#[inline(always)]
fn play_games<T: Table>(
    games: u64,
    mut rng: Pcg64Mcg,
    policy: Policy,
    sum: &mut Statistics,
    table: &mut T,
) {
    let mut deck: [u8; DECK_SIZE] = std::array::from_fn(|i| T::byte(i as Key));
    for _ in 0..games {
        shuffle(&mut deck, &mut rng);
        play(&deck, table, policy, &mut rng, sum);
    }
}

/// The rules of [`Game`](super::rules::Game) for a deck without repeats, on plain numbers.
#[inline(always)]
fn play<T: Table>(
    deck: &[u8; DECK_SIZE],
    table: &mut T,
    policy: Policy,
    rng: &mut Pcg64Mcg,
    sum: &mut Statistics,
) {
    table.lay(deck.first_chunk().expect("81 cards"));
    // Places of the layout including gaps; cards on it; cards dealt.
    let (mut places, mut in_play, mut dealt) = (START_CARDS, START_CARDS, START_CARDS);
    loop {
        let chosen = table.choose(places, policy, rng);
        let in_deck = DECK_SIZE - dealt;
        if in_play > 0 {
            sum.board(in_play, in_deck, chosen.is_some());
        }
        let next = deck[dealt..].first_chunk().copied();
        let Some(set) = chosen else {
            // Gaps arise only once the deck is used up, so there are none here.
            let Some(cards) = next else { break };
            table.put([places, places + 1, places + 2], Some(cards));
            (places, in_play, dealt) = (places + ROWS, in_play + ROWS, dealt + ROWS);
            continue;
        };
        if places > START_CARDS {
            table.close(places, set);
            (places, in_play) = (places - ROWS, in_play - ROWS);
        } else {
            table.put(set.0, next);
            match next {
                Some(_) => dealt += ROWS,
                None => in_play -= ROWS,
            }
        }
    }
    sum.game(in_play);
}

/// The largest board has 21 cards: it always contains a set, so the layout shrinks.
const PLACES: usize = 21;

/// A table of 12, 15, 18 or 21 places. A card is a byte, which differs from form to form.
trait Table {
    /// The byte of a card.
    fn byte(card: Key) -> u8;

    /// Lays the first cards of a game.
    fn lay(&mut self, cards: &[u8; START_CARDS]);

    /// The set that the policy takes from so many places, if there is one. Every form of the table
    /// chooses the same, with the same random numbers.
    fn choose(&mut self, places: usize, policy: Policy, rng: &mut Pcg64Mcg) -> Option<Set>;

    /// Puts cards on three places, or none.
    fn put(&mut self, places: [usize; 3], cards: Option<[u8; 3]>);

    /// Takes a set from so many places, more than 12; the cards behind move up.
    fn close(&mut self, places: usize, set: Set);
}

/// The table for any processor: the key of each place.
struct Plain {
    places: [Key; PLACES],
    finder: Finder,
}

impl Default for Plain {
    fn default() -> Self {
        Self { places: std::array::from_fn(gap_key), finder: Finder::new() }
    }
}

impl Table for Plain {
    fn byte(card: Key) -> u8 {
        card
    }

    #[inline(always)]
    fn lay(&mut self, cards: &[u8; START_CARDS]) {
        self.places = std::array::from_fn(gap_key);
        self.places[..START_CARDS].copy_from_slice(cards);
    }

    #[inline(always)]
    fn choose(&mut self, places: usize, policy: Policy, rng: &mut Pcg64Mcg) -> Option<Set> {
        let table = &self.places;
        let sets = match places {
            12 => self.finder.find_keys::<12>(table.first_chunk().expect("21 places")),
            15 => self.finder.find_keys::<15>(table.first_chunk().expect("21 places")),
            18 => self.finder.find_keys::<18>(table.first_chunk().expect("21 places")),
            _ => self.finder.find_keys(table),
        };
        match policy {
            _ if sets.is_empty() => None,
            Policy::Random => Some(sets[rng.random_range(..sets.len())]),
            Policy::First => sets.iter().min().copied(),
            Policy::Listed => sets.iter().min_by_key(|set| listing_order(set)).copied(),
        }
    }

    #[inline(always)]
    fn put(&mut self, places: [usize; 3], cards: Option<[u8; 3]>) {
        let cards = cards.unwrap_or_else(|| places.map(gap_key));
        for (place, card) in places.into_iter().zip(cards) {
            self.places[place] = card;
        }
    }

    #[inline(always)]
    fn close(&mut self, places: usize, set: Set) {
        let [i, j, k] = set.0;
        self.places.copy_within(i + 1..j, i);
        self.places.copy_within(j + 1..k, j - 1);
        self.places.copy_within(k + 1..places, k - 2);
        (places - ROWS..places).for_each(|gap| self.places[gap] = gap_key(gap));
    }
}

/// The table for processors with AVX2: up to 15 places stay in a register.
#[cfg(target_arch = "x86_64")]
struct InRegister {
    board: wide::Board,
    /// Boards of 18 and 21 places, which are rare.
    large: Plain,
}

/// Most places in the register.
#[cfg(target_arch = "x86_64")]
const IN_REGISTER: usize = 15;

#[cfg(target_arch = "x86_64")]
impl InRegister {
    fn new(simd: pulp::x86::V3) -> Self {
        Self { board: wide::Board::new(simd, [wide::GAP; 16]), large: Plain::default() }
    }
}

#[cfg(target_arch = "x86_64")]
impl Table for InRegister {
    fn byte(card: Key) -> u8 {
        wide::code_of_key(card)
    }

    #[inline(always)]
    fn lay(&mut self, cards: &[u8; START_CARDS]) {
        let codes = std::array::from_fn(|i| cards.get(i).copied().unwrap_or(wide::GAP));
        self.board = self.board.holding(codes);
    }

    #[inline(always)]
    fn choose(&mut self, places: usize, policy: Policy, rng: &mut Pcg64Mcg) -> Option<Set> {
        match policy {
            _ if places > IN_REGISTER => self.large.choose(places, policy, rng),
            Policy::Random => self.board.nth(places, |sets| rng.random_range(..sets)),
            Policy::First => self.board.first(places),
            Policy::Listed => self.board.listed(places),
        }
    }

    #[inline(always)]
    fn put(&mut self, places: [usize; 3], cards: Option<[u8; 3]>) {
        if places[2] < IN_REGISTER {
            self.board = self.board.with(places, cards.unwrap_or([wide::GAP; 3]));
            return;
        }
        if places[0] == IN_REGISTER {
            let codes = self.board.codes();
            self.large = Plain::default();
            for (place, &code) in codes[..IN_REGISTER].iter().enumerate() {
                self.large.places[place] = wide::key_of_code(code);
            }
        }
        self.large.put(places, cards.map(|codes| codes.map(wide::key_of_code)));
    }

    #[inline(always)]
    fn close(&mut self, places: usize, set: Set) {
        if places <= IN_REGISTER {
            self.board = self.board.without(set);
            return;
        }
        self.large.close(places, set);
        if places - ROWS == IN_REGISTER {
            let codes = std::array::from_fn(|place| match self.large.places.get(place) {
                Some(&key) if place < IN_REGISTER => wide::code_of_key(key),
                _ => wide::GAP,
            });
            self.board = self.board.holding(codes);
        }
    }
}

/// Cards are added and removed in threes.
const STEP: usize = 3;
/// At most 21 cards are in play, because any 21 different cards contain a set.
const IN_PLAY: usize = 21 / STEP + 1;
/// At most 69 cards are in the deck, because 12 are on the table from the start.
const IN_DECK: usize = 69 / STEP + 1;

/// Number of boards with and without a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoardCount {
    /// Boards with at least one set.
    pub with: u64,
    /// Boards without any.
    pub without: u64,
}

impl BoardCount {
    /// Boards with a set per board without one; `None` if no board is without one.
    pub fn ratio(self) -> Option<f64> {
        (self.without > 0).then(|| self.with as f64 / self.without as f64)
    }
}

impl AddAssign for BoardCount {
    fn add_assign(&mut self, other: Self) {
        self.with += other.with;
        self.without += other.without;
    }
}

/// Counts over many games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// Games played.
    pub games: u64,
    /// Sets taken in all games.
    pub sets: u64,
    /// Games by cards left at the end, in threes.
    left: [u64; IN_PLAY],
    /// Boards by cards in play and cards left in the deck, both divided by three.
    boards: [[BoardCount; IN_DECK]; IN_PLAY],
}

impl Default for Statistics {
    fn default() -> Self {
        let boards = [[BoardCount::default(); IN_DECK]; IN_PLAY];
        Self { games: 0, sets: 0, left: [0; IN_PLAY], boards }
    }
}

impl Statistics {
    /// Counts one board.
    #[inline]
    pub fn board(&mut self, in_play: usize, in_deck: usize, has_set: bool) {
        let count = &mut self.boards[in_play / STEP][in_deck / STEP];
        count.with += u64::from(has_set);
        count.without += u64::from(!has_set);
    }

    /// Counts one finished game.
    #[inline]
    pub fn game(&mut self, left: usize) {
        self.games += 1;
        self.sets += ((DECK_SIZE - left) / STEP) as u64;
        self.left[left / STEP] += 1;
    }

    /// Mean number of sets taken in a game.
    pub fn mean_sets(&self) -> f64 {
        self.sets as f64 / self.games as f64
    }

    /// Games by the number of cards left at the end: pairs (cards, games), without zeros.
    pub fn left(&self) -> impl Iterator<Item = (usize, u64)> {
        self.left.iter().enumerate().filter(|(_, n)| **n > 0).map(|(i, &n)| (i * STEP, n))
    }

    /// Share of the games that ended with this many cards left, 0 to 1.
    pub fn share_left(&self, cards: usize) -> f64 {
        let games = self.left.get(cards / STEP).filter(|_| cards.is_multiple_of(STEP));
        games.copied().unwrap_or(0) as f64 / self.games as f64
    }

    /// All boards that occurred: (cards in play, cards left in the deck, counts).
    pub fn boards(&self) -> impl Iterator<Item = (usize, usize, BoardCount)> {
        self.boards.iter().enumerate().flat_map(|(in_play, row)| {
            row.iter()
                .enumerate()
                .filter(|(_, count)| **count != BoardCount::default())
                .map(move |(in_deck, &count)| (in_play * STEP, in_deck * STEP, count))
        })
    }

    /// All boards with this many cards in play.
    pub fn in_play(&self, cards: usize) -> BoardCount {
        let mut sum = BoardCount::default();
        self.boards().filter(|b| b.0 == cards).for_each(|b| sum += b.2);
        sum
    }
}

impl AddAssign<&Self> for Statistics {
    fn add_assign(&mut self, other: &Self) {
        self.games += other.games;
        self.sets += other.sets;
        self.left.iter_mut().zip(other.left).for_each(|(a, b)| *a += b);
        let ours = self.boards.iter_mut().flatten();
        ours.zip(other.boards.iter().flatten()).for_each(|(a, &b)| *a += b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::Card;
    use crate::game::{Deal, Game, Step};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_listed_policy_is_the_contests_game(seed: u64) {
            let mut rng = Pcg64Mcg::seed_from_u64(seed);
            let mut deck: [Key; DECK_SIZE] = std::array::from_fn(|i| i as Key);
            let mut fast = Statistics::default();
            play_block(1, rng.clone(), Policy::Listed, &mut fast);
            shuffle(&mut deck, &mut rng);

            let cards = deck.map(|key| Card::from_index(key.into())).to_vec();
            let mut game = Game::new(&Deal::new(cards).unwrap());
            let mut slow = Statistics::default();
            while let Some(step) = game.next() {
                let in_play = game.places().iter().flatten().count();
                match step {
                    Step::Found(_) => slow.board(in_play, game.stock(), true),
                    Step::NoSet if in_play > 0 => slow.board(in_play, game.stock(), false),
                    Step::Over => slow.game(in_play),
                    _ => {}
                }
            }
            prop_assert_eq!(fast, slow);
        }
    }

    #[test]
    fn the_processor_does_not_matter() {
        // Enough games for boards of 18 cards.
        for policy in [Policy::Random, Policy::First, Policy::Listed] {
            let (mut plain, mut best) = <(Statistics, Statistics)>::default();
            play_games(3000, stream(9, 0), policy, &mut plain, &mut Plain::default());
            play_block(3000, stream(9, 0), policy, &mut best);
            assert_eq!(plain, best, "{policy:?}");
            assert!(plain.in_play(18).with > 0);
        }
    }

    #[test]
    fn the_number_of_threads_does_not_matter() {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| simulate(5000, 7, Policy::Random, |_| ()))
        };
        let one = with(1);
        assert_eq!(one, with(5));
        assert_eq!(one.games, 5000);
        assert_ne!(one, simulate(5000, 8, Policy::Random, |_| ()));
        // More games with a seed start with the same games as fewer.
        let (few, more) = [2048, 4096].map(|n| simulate(n, 7, Policy::First, |_| ())).into();
        assert!(few.left().all(|(cards, n)| more.left().any(|(c, m)| c == cards && m >= n)));
    }

    /// Results of 10^7 games of an independent program: shares of games by cards left, in per cent,
    /// mean sets, and boards with a set per board without one at 12 and 15 cards in play.
    struct Expected {
        policy: Policy,
        left_percent: [(usize, f64); 6],
        mean_sets: f64,
        ratios: [(usize, f64); 2],
    }

    const EXPECTED: [Expected; 2] = [
        Expected {
            policy: Policy::Random,
            left_percent: [
                (0, 1.228),
                (6, 46.841),
                (9, 44.488),
                (12, 7.366),
                (15, 0.0768),
                (18, 4e-5),
            ],
            mean_sets: 24.430,
            ratios: [(12, 14.02), (15, 87.87)],
        },
        Expected {
            policy: Policy::First,
            left_percent: [
                (0, 1.491),
                (6, 48.554),
                (9, 42.908),
                (12, 6.975),
                (15, 0.0722),
                (18, 7e-5),
            ],
            mean_sets: 24.459,
            ratios: [(12, 14.88), (15, 89.38)],
        },
    ];

    /// Number of games behind the expected figures.
    const REFERENCE_GAMES: f64 = 1e7;

    fn assert_within(what: String, found: f64, expected: f64, error: f64, printed: f64) {
        // Rounding to the printed digits adds to the statistical error.
        let limit = 4.0 * error + printed / 2.0;
        let errors = (found - expected) / error;
        println!("{what}: {found:.6}, expected {expected}, {errors:+.2} standard errors");
        assert!((found - expected).abs() <= limit, "{what}: {found} against {expected}");
    }

    fn compare(games: u64) {
        for expected in EXPECTED {
            let found = simulate(games, 20_231_120, expected.policy, |_| ());
            assert_eq!(found.games, games);
            let both = 1.0 / games as f64 + 1.0 / REFERENCE_GAMES;
            for (cards, percent) in expected.left_percent {
                let p = percent / 100.0;
                let error = 100.0 * (p * (1.0 - p) * both).sqrt();
                let printed = if cards < 15 {
                    1e-3
                } else if cards == 15 {
                    1e-4
                } else {
                    1e-5
                };
                let what = format!("{:?}, {cards} left, %", expected.policy);
                assert_within(what, 100.0 * found.share_left(cards), percent, error, printed);
            }
            assert_eq!(found.share_left(3), 0.0, "78 cards taken leave a set");
            let variance: f64 = found
                .left()
                .map(|(cards, n)| {
                    let sets = (DECK_SIZE - cards) as f64 / 3.0;
                    (sets - found.mean_sets()).powi(2) * n as f64 / games as f64
                })
                .sum();
            let error = (variance * both).sqrt();
            assert_within(
                format!("{:?}, sets", expected.policy),
                found.mean_sets(),
                expected.mean_sets,
                error,
                1e-3,
            );
            for (cards, ratio) in expected.ratios {
                let count = found.in_play(cards);
                // The rarer boards, without a set, dominate the error: relative error 1 / sqrt(n).
                let per_game = count.without as f64 / games as f64;
                let error = ratio * (both / per_game).sqrt();
                let what = format!("{:?}, with : without at {cards}", expected.policy);
                assert_within(what, count.ratio().expect("some without"), ratio, error, 1e-2);
            }
        }
    }

    #[test]
    fn a_hundred_thousand_games_agree_with_published_figures() {
        compare(100_000);
    }

    #[test]
    #[ignore = "ten million games of each policy: some ten seconds on two free cores"]
    fn ten_million_games_agree_with_published_figures() {
        compare(10_000_000);
    }

    #[test]
    fn sets_among_twelve_cards_are_as_frequent_as_counted() {
        // Hands of 12 with 0 to 6 sets among C(81, 12), counted exactly.
        const HANDS: [f64; 7] = [
            2_284_535_476_080.0,
            10_266_579_666_720.0,
            18_459_179_294_400.0,
            19_278_240_770_880.0,
            12_746_054_337_120.0,
            5_650_817_178_240.0,
            1_649_199_670_560.0,
        ];
        const ALL: f64 = 70_724_320_184_700.0;
        const BOARDS: usize = 200_000;
        let mut counts = [0; 16];
        let mut finder = Finder::new();
        let mut rng = stream(5, 0);
        let mut deck: [Key; DECK_SIZE] = std::array::from_fn(|i| i as Key);
        for _ in 0..BOARDS {
            shuffle(&mut deck, &mut rng);
            counts[finder.find_keys::<12>(deck.first_chunk().unwrap()).len()] += 1;
        }
        for (sets, hands) in HANDS.into_iter().enumerate() {
            let p = hands / ALL;
            let error = (p * (1.0 - p) / BOARDS as f64).sqrt();
            let share = f64::from(counts[sets]) / BOARDS as f64;
            assert!((share - p).abs() < 4.0 * error, "{sets} sets: {share} against {p}");
        }
        let sets: usize = counts.iter().enumerate().map(|(n, &count)| n * count as usize).sum();
        // Variance of the number of sets among 12 cards, from the same count: 1.8936.
        let error = (1.8936 / BOARDS as f64).sqrt();
        let mean = sets as f64 / BOARDS as f64;
        assert!((mean - 220.0 / 79.0).abs() < 4.0 * error, "{mean}");
    }
}
