//! Assigns names to all cards of one photo together.
//!
//! A deck holds each card once, so surer cards help to name the rest. But a screen may show a card twice, such
//! as found sets beside the board. The independent readings are the evidence for either case.

use super::card::{CardOutline, Guess, ReadCard, Reading};
use super::probability::{log_odds, logistic};
use super::{overlap::shares, table::TableFacts};
use pathfinding::prelude::{Matrix, kuhn_munkres};
use serde::{Deserialize, Serialize};
use setsight_game::cards::{Card, DECK_SIZE, Property};
use setsight_photo::geometry::Quad;

/// Which outlines become cards, and which of them are sure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// An outline whose probability of being a card is below this, after weighing the other
    /// outlines' claims, is dropped.
    pub least_is_card: f32,
    /// Turns the evidence into a confidence; holds the threshold for sure cards.
    pub calibration: Calibration,
    /// The same for copies of screens, if they are read by weights of their own.
    pub on_screen: Option<Calibration>,
    /// Two outlines that share at least this part of the smaller one's area are one card, detected
    /// twice.
    pub one_card_overlap: f64,
    /// The corresponding share for two outlines whose likeliest card is the same.
    pub one_card_overlap_when_alike: f64,
    /// The meaning of one card in several places.
    pub duplicates: Duplicates,
}

/// The meaning of one card in several places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// In a film, a card that has moved is for a while both where it was and where it is.
    Transient,
    /// On a photo of a table, three places or more do not show a card of the deck, but similar things, such
    /// as the pips of playing cards. Pairs beyond doubt are copies, as in a booklet of rules.
    Suspicious,
    /// On a screen they may be copies.
    Allowed,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            least_is_card: 0.4,
            calibration: Calibration::default(),
            on_screen: None,
            // Cards in a heap cover half of each other or more. Beyond this share, nothing of the
            // lower card could have been read.
            one_card_overlap: 0.75,
            one_card_overlap_when_alike: 0.3,
            duplicates: Duplicates::Suspicious,
        }
    }
}

impl Params {
    /// With what holds for this table.
    pub fn of_table(self, facts: &TableFacts) -> Self {
        if !facts.on_screen {
            return self;
        }
        let is_film = self.duplicates == Duplicates::Transient;
        let duplicates = if is_film { Duplicates::Transient } else { Duplicates::Allowed };
        Self { calibration: self.on_screen.unwrap_or(self.calibration), duplicates, ..self }
    }
}

/// Turns the board's posterior into the probability that the chosen card is right: a logistic
/// model, fitted by `setsight train fuse`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The constant term of the log odds.
    pub bias: f32,
    /// Weight of the posterior's log odds.
    pub posterior: f32,
    /// Weight of the part of the outline that other cards share, 0 to 1: a hidden symbol leaves no
    /// trace in a reading.
    pub covered: f32,
    /// The threshold: a card with a lower confidence is `unsure`.
    pub least_confidence: f32,
}

impl Default for Calibration {
    /// Leaves the posterior as it is. Two outlines with equal claims to one card then come out just
    /// below the threshold.
    fn default() -> Self {
        Self::PLAIN
    }
}

/// The evidence for the confidence in one card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// Probability that the outline is a card.
    pub is_card: f32,
    /// Log odds that the chosen card is right, given that the outline is a card, after weighing the
    /// other outlines' claims.
    pub posterior: f32,
    /// Part of the outline that other cards share, 0 to 1.
    pub covered: f32,
}

impl Evidence {
    /// The values that the weights of a [`Calibration`] multiply, in their order.
    pub fn features(&self) -> [f32; 3] {
        [1.0, self.posterior, self.covered]
    }
}

impl Calibration {
    /// See [`Calibration::default`].
    pub(crate) const PLAIN: Self =
        Self { bias: 0.0, posterior: 1.0, covered: 0.0, least_confidence: 0.6 };

    /// Probability that the outline is a card and the chosen card is right.
    pub(crate) fn confidence(&self, evidence: &Evidence) -> f32 {
        let weights = [self.bias, self.posterior, self.covered];
        let right: f32 = weights.iter().zip(evidence.features()).map(|(w, f)| w * f).sum();
        evidence.is_card * logistic(right)
    }
}

/// One card on the table.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardCard {
    /// Index of its outline.
    pub outline: usize,
    /// The card, or the best guess if `unsure`.
    pub card: Card,
    /// Probability, 0 to 1, that the outline is a card and that `card` is right, after weighing the
    /// other outlines' claims.
    pub confidence: f32,
    /// Whether the confidence is below the threshold; such a card takes part in no set.
    pub unsure: bool,
    /// The other cards that it may be, see [`ReadCard::alternatives`].
    pub alternatives: Vec<Guess>,
    /// The evidence for the confidence.
    pub evidence: Evidence,
}

/// The cards of one photo.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Board {
    /// In the order of their outlines.
    pub cards: Vec<BoardCard>,
}

impl Board {
    /// Decides which cards lie on the table.
    ///
    /// If several outlines show one card, the best one stays. Outlines that are unlikely to be
    /// cards are dropped. The cards that remain are assigned so that their joint probability is
    /// highest and each card of the deck appears at most once (Kuhn 1955, Munkres 1957). Where that
    /// is very unlikely, `params` say what it means: each card is what it is by itself, but on a photo
    /// no card is sure that seems to lie in three places. Outlines beyond the deck's 81 are dropped,
    /// the least card-like first. `is_deck` is the probability that the cards are of the edition they
    /// were read as; on an unknown deck, no card is sure.
    ///
    /// # Panics
    /// The numbers of readings and outlines differ.
    pub fn assign(
        outlines: &[CardOutline],
        readings: &[Reading],
        is_deck: f32,
        params: &Params,
    ) -> Self {
        assert_eq!(outlines.len(), readings.len(), "one reading for each outline");
        let mut claims = without_doubles(outlines, readings, params);
        claims.retain(|&i| readings[i].is_card >= params.least_is_card);
        let all = chances(readings, &claims);
        let lost = lost_without_repeats(&all);
        let copies = match params.duplicates {
            Duplicates::Transient => 0.0,
            Duplicates::Suspicious => logistic(lost - REPEATS_NATS_ON_PHOTOS),
            Duplicates::Allowed => logistic(lost - REPEATS_NATS),
        };
        let is_pattern = params.duplicates == Duplicates::Allowed && is_pattern(&all);
        let is_repeated = params.duplicates == Duplicates::Suspicious && lost > REPEATS_NATS;
        let is_suspicious =
            |card| is_pattern || is_repeated && places_of(&all, card) >= SUSPICIOUS_PLACES;
        // An outline that was probably a card may turn out to be none once surer cards claim all
        // that it could be: paper that reads like a card of the table.
        let (chances, beliefs) = loop {
            let chances = chances(readings, &claims);
            let is_card: Vec<f32> = claims.iter().map(|&i| readings[i].is_card).collect();
            let mut beliefs = compete(&chances, &is_card);
            for ((belief, chances), is_card) in beliefs.iter_mut().zip(&chances).zip(is_card) {
                belief.mix(copies, chances, is_card);
            }
            // Drop one at a time: without it, the other outlines' claims gain weight.
            let least = (0..beliefs.len())
                .filter(|&i| beliefs[i].is_card < params.least_is_card)
                .min_by(|&a, &b| beliefs[a].is_card.total_cmp(&beliefs[b].is_card));
            match least {
                Some(least) => drop(claims.remove(least)),
                None => break (chances, beliefs),
            }
        };
        let lying: Vec<(Quad, f32)> =
            claims.iter().map(|&i| (outlines[i].corners_in_image, readings[i].is_card)).collect();
        let chosen = if copies > 0.5 {
            claims.iter().map(|&i| readings[i].best().0).collect()
        } else {
            likeliest_names(&chances)
        };
        let alike = |i: usize, card: Card| alike(&readings[claims[i]], card);
        let cards = claims.iter().zip(shares(&lying)).enumerate();
        let cards = cards.map(|(i, (&outline, covered))| {
            let (card, belief) = (chosen[i], &beliefs[i]);
            let posterior = log_odds(alike(i, card).map(|c| belief.posterior[c.index()]).sum());
            let evidence = Evidence { is_card: belief.is_card, posterior, covered };
            let is_deck = if is_suspicious(readings[outline].best().0) { 0.0 } else { is_deck };
            let right = is_deck * params.calibration.confidence(&evidence);
            let guesses = spread(belief, card, right, is_deck, || alike(i, card));
            let confidence = guesses[card.index()];
            let unsure = confidence.is_nan() || confidence < params.calibration.least_confidence;
            let alternatives = alternatives(&guesses, card);
            BoardCard { outline, card, confidence, unsure, alternatives, evidence }
        });
        Self { cards: cards.collect() }
    }
}

/// The cards that a reading cannot distinguish from this one, this one included: a property whose values
/// are all equally likely is one that the picture does not show.
fn alike(reading: &Reading, card: Card) -> impl Iterator<Item = Card> + Clone {
    let is_open = reading.values.map(|[a, b, c]| a == b && b == c);
    (0..DECK_SIZE).map(Card::from_index).filter(move |other| {
        let mut properties = Property::ALL.into_iter().zip(is_open);
        properties.all(|(property, open)| open || other.value(property) == card.value(property))
    })
}

/// The probability of each card of the deck. The cards that cannot be distinguished from the chosen one
/// share `right`, the calibrated probability that it is one of them; the others share the remaining probability
/// that the outline is a card of the deck. Shares are in proportion to the posterior.
fn spread<A: Iterator<Item = Card>>(
    belief: &Belief,
    card: Card,
    right: f32,
    is_deck: f32,
    alike: impl Fn() -> A,
) -> [f32; DECK_SIZE] {
    let posterior = &belief.posterior;
    let inside: f32 = alike().map(|c| posterior[c.index()]).sum();
    let left = (is_deck * belief.is_card - right).max(0.0);
    let mut guesses = posterior.map(|p| left * p / (1.0 - inside).max(1e-6));
    for c in alike() {
        guesses[c.index()] = match inside > 0.0 {
            true => right * posterior[c.index()] / inside,
            false => right * f32::from(u8::from(c == card)),
        };
    }
    guesses
}

/// The likely cards besides the chosen one, most probable first.
fn alternatives(guesses: &[f32; DECK_SIZE], chosen: Card) -> Vec<Guess> {
    let likely = guesses.iter().enumerate().filter(|(_, p)| **p > ReadCard::LEAST);
    let likely = likely.map(|(k, &confidence)| Guess { card: Card::from_index(k), confidence });
    let mut alternatives: Vec<Guess> = likely.filter(|guess| guess.card != chosen).collect();
    alternatives.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    alternatives
}

/// Indices of the outlines that stay, in ascending order: of outlines that show one card, the most
/// card-like; at most 81.
fn without_doubles(outlines: &[CardOutline], readings: &[Reading], params: &Params) -> Vec<usize> {
    let mut order: Vec<usize> = (0..outlines.len()).collect();
    let merit = |i: usize| readings[i].is_card * readings[i].best().1;
    order.sort_by(|&a, &b| {
        let by_score = outlines[b].score.total_cmp(&outlines[a].score);
        merit(b).total_cmp(&merit(a)).then(by_score)
    });
    let mut kept: Vec<usize> = Vec::new();
    for i in order {
        let double = kept.iter().any(|&k| {
            let share = outlines[i].corners_in_image.shared_area(&outlines[k].corners_in_image);
            share >= params.one_card_overlap
                || share >= params.one_card_overlap_when_alike
                    && readings[i].best().0 == readings[k].best().0
        });
        if !double && kept.len() < DECK_SIZE {
            kept.push(i);
        }
    }
    kept.sort_unstable();
    kept
}

/// For each outline, the probability of each card of the deck.
fn chances(readings: &[Reading], claims: &[usize]) -> Vec<[f32; DECK_SIZE]> {
    claims
        .iter()
        .map(|&i| std::array::from_fn(|k| readings[i].probability(Card::from_index(k))))
        .collect()
}

/// How much less likely the likeliest names are if each card lies once, natural logarithm: evidence, from the cards
/// read alone, that a picture shows one card several times.
fn lost_without_repeats(chances: &[[f32; DECK_SIZE]]) -> f32 {
    let once = likeliest_names(chances);
    let cards = chances.iter().zip(&once);
    cards.map(|(row, card)| bounded_ln(highest(row)) - bounded_ln(row[card.index()])).sum()
}

fn highest(row: &[f32; DECK_SIZE]) -> f32 {
    row.iter().copied().fold(0.0, f32::max)
}

fn bounded_ln(p: f32) -> f32 {
    p.max(1e-30).ln()
}

/// The most likely assignment that gives every outline a different card.
fn likeliest_names(chances: &[[f32; DECK_SIZE]]) -> Vec<Card> {
    if chances.is_empty() {
        return Vec::new();
    }
    // The algorithm needs integers: millionths of a natural logarithm.
    let weights = Matrix::from_rows(
        chances.iter().map(|row| row.map(|p| (f64::from(p.max(1e-30)).ln() * 1e6) as i64)),
    )
    .expect("rows of one length");
    let (_, columns) = kuhn_munkres(&weights);
    columns.into_iter().map(Card::from_index).collect()
}

/// One card is not in so many places of a table: two may be one that is misread.
const SUSPICIOUS_PLACES: usize = 3;

/// The number of outlines that probably show this card.
fn places_of(chances: &[[f32; DECK_SIZE]], card: Card) -> usize {
    chances.iter().filter(|row| row[card.index()] > 0.5).count()
}

/// Whether a picture repeats a few cards again and again, as wallpaper or the pips of playing cards do. Beside
/// a board, found sets show its cards again, but each set only once: that makes two or three places a card.
fn is_pattern(chances: &[[f32; DECK_SIZE]]) -> bool {
    /// The mean number of places of a card from which on they are a pattern.
    const PATTERN_PLACES: usize = 4;
    let places = (0..DECK_SIZE).map(|k| places_of(chances, Card::from_index(k)));
    let (cards, places) = places.filter(|&n| n > 0).fold((0, 0), |(c, n), more| (c + 1, n + more));
    cards > 0 && places >= PATTERN_PLACES * cards
}

/// Natural logarithms lost from which on cards probably are repeated. Errors of one lamp agree with each other: a
/// table of different cards that is read badly has several that seem to be the same. If each lay once, that cost up
/// to 5 nats on 600 drawn tables without copies, and up to 9 on photos of bad cameras.
const REPEATS_NATS: f32 = 10.0;
/// The same on a photo, where copies are rare. On 37 photos that show two copies of a table it is 38 and more.
const REPEATS_NATS_ON_PHOTOS: f32 = 20.0;

/// An outline's posterior after weighing the other outlines' claims.
struct Belief {
    /// Probability that the outline is a card.
    is_card: f32,
    /// Probability of each card of the deck, given that the outline is a card.
    posterior: [f32; DECK_SIZE],
}

impl Belief {
    /// Weighs what the outline is by itself, where cards may lie more than once, with this
    /// probability.
    fn mix(&mut self, copies: f32, alone: &[f32; DECK_SIZE], is_card: f32) {
        let mix = |once: f32, alone: f32| (1.0 - copies) * once + copies * alone;
        self.is_card = mix(self.is_card, is_card);
        for (once, &alone) in self.posterior.iter_mut().zip(alone) {
            *once = mix(*once, alone);
        }
    }
}

/// Weighs the claims of all outlines by belief propagation, where every card of the deck is used at
/// most once (as for permanents, Chertkov and others 2010). Exact for two outlines.
fn compete(chances: &[[f32; DECK_SIZE]], is_card: &[f32]) -> Vec<Belief> {
    const ROUNDS: usize = 8;
    // Factor by which the other outlines' claims reduce the probability that this outline is this card.
    let mut free = vec![[1.0f32; DECK_SIZE]; chances.len()];
    for _ in 0..ROUNDS {
        // Odds that an outline is a card, without the other outlines' claims to that same card.
        let mut odds = vec![[0.0f32; DECK_SIZE]; chances.len()];
        let mut total = [0.0f32; DECK_SIZE];
        for (i, row) in odds.iter_mut().enumerate() {
            let all: f32 = (0..DECK_SIZE).map(|k| is_card[i] * chances[i][k] * free[i][k]).sum();
            for k in 0..DECK_SIZE {
                let claim = is_card[i] * chances[i][k];
                let elsewhere = all - claim * free[i][k] + (1.0 - is_card[i]);
                row[k] = claim / elsewhere.max(1e-6);
                total[k] += row[k];
            }
        }
        for (free, odds) in free.iter_mut().zip(&odds) {
            for k in 0..DECK_SIZE {
                free[k] = 1.0 / (1.0 + (total[k] - odds[k]).max(0.0));
            }
        }
    }
    chances
        .iter()
        .zip(&free)
        .zip(is_card)
        .map(|((chances, free), &is_card)| {
            let row: [f32; DECK_SIZE] = std::array::from_fn(|k| chances[k] * free[k]);
            let sum = row.iter().sum::<f32>().max(1e-30);
            let posterior = row.map(|p| p / sum);
            Belief { is_card: is_card * sum / (is_card * sum + 1.0 - is_card), posterior }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use setsight_photo::geometry::Point;

    fn outline_at(x: f64, y: f64) -> CardOutline {
        let quad = Quad::rectangle(89.0, 57.0);
        let outline = CardOutline::at(Quad::new(quad.0.map(|p| p + Point::new(x, y))));
        CardOutline { score: 1.0, ..outline }
    }

    /// A reading with probability `certainty` for each of the card's values.
    fn reading(code: &str, certainty: f32) -> Reading {
        let card: Card = code.parse().unwrap();
        let rest = (1.0 - certainty) / 2.0;
        let mut values = [[rest; 3]; 4];
        for (row, property) in values.iter_mut().zip(setsight_game::cards::Property::ALL) {
            row[card.value(property)] = certainty;
        }
        Reading { values, is_card: 0.99 }
    }

    fn board_of(cards: &[((f64, f64), Reading)]) -> Board {
        assign_with(Duplicates::Suspicious, cards)
    }

    fn assign_with(duplicates: Duplicates, cards: &[((f64, f64), Reading)]) -> Board {
        let outlines: Vec<CardOutline> =
            cards.iter().map(|((x, y), _)| outline_at(*x, *y)).collect();
        let readings: Vec<Reading> = cards.iter().map(|(_, r)| r.clone()).collect();
        Board::assign(&outlines, &readings, 1.0, &Params { duplicates, ..Params::default() })
    }

    #[test]
    fn no_card_of_an_unknown_deck_is_sure() {
        let (outlines, readings) = ([outline_at(0.0, 0.0)], [reading("2spd", 0.99)]);
        let [likely, unlikely] = [0.999, 0.1].map(|is_deck| {
            Board::assign(&outlines, &readings, is_deck, &Params::default()).cards.remove(0)
        });
        assert!(!likely.unsure);
        assert!(unlikely.unsure && unlikely.confidence < 0.1);
    }

    /// For each outline of a board the card, or a `?` where it is unsure.
    fn names(board: &Board) -> Vec<String> {
        let names = board.cards.iter().map(|c| match c.unsure {
            true => format!("{} ?", c.outline),
            false => format!("{} {}", c.outline, c.card),
        });
        names.collect()
    }

    #[test]
    fn outlines_are_named_together() {
        let [clear, claim] = [("2spd", 0.99), ("3fgo", 0.995)].map(|(code, p)| reading(code, p));
        let paper = Reading { is_card: 0.1, ..reading("1sro", 0.9) };
        // It could be red, the one beside it could not.
        let mut doubtful = clear.clone();
        doubtful.values[2] = [0.02, 0.55, 0.43];
        for (what, first, second, expected) in [
            ("what is no card is dropped", &paper, (200.0, &clear), &["1 2spd"][..]),
            ("on one card", &reading("2spd", 0.8), (4.0, &reading("2fpd", 0.99)), &["1 2fpd"]),
            ("read alike", &clear, (200.0, &doubtful), &["0 2spd", "1 2srd"]),
            ("two equal claims", &claim, (200.0, &claim), &["0 ?", "1 ?"]),
        ] {
            let second = ((second.0, 0.0), second.1.clone());
            let board = board_of(&[((0.0, 0.0), first.clone()), second]);
            assert_eq!(names(&board), expected, "{what}: {board:?}");
        }
        assert_eq!(board_of(&[]), Board::default());
    }

    #[test]
    fn a_card_is_as_sure_as_that_it_is_one_and_less_if_covered() {
        let evidence = Evidence { is_card: 0.9, posterior: 12.0, covered: 0.5 };
        let usual = Calibration::default();
        assert!((usual.confidence(&evidence) - 0.9).abs() < 1e-3);
        let covered = Calibration { covered: -24.0, ..usual };
        assert!((covered.confidence(&evidence) - 0.45).abs() < 1e-3);
    }

    #[test]
    fn a_hundred_outlines_leave_a_deck_at_most() {
        let cards: Vec<_> =
            (0..100).map(|i| ((f64::from(i) * 100.0, 0.0), reading("1ogs", 0.5))).collect();
        assert_eq!(board_of(&cards).cards.len(), DECK_SIZE);
    }

    const CODES: [&str; 5] = ["1frd", "2frd", "3frd", "1ogs", "2spo"];

    #[test]
    fn copies_stay_what_they_are() {
        use Duplicates::{Allowed, Suspicious, Transient};
        // In a film they are a card that moves, on a photo a few are misread.
        for (count, duplicates, expected) in [
            (8, Allowed, 8),
            (8, Suspicious, 2),
            (8, Transient, 2),
            (10, Suspicious, 10),
            (10, Transient, 0),
        ] {
            let cards = (0..count).map(|i| (place(i), reading(CODES[i % 5], 0.99)));
            let board = assign_with(duplicates, &cards.collect::<Vec<_>>());
            let sure = board.cards.iter().filter(|card| !card.unsure);
            assert!(sure.clone().all(|card| card.card.to_string() == CODES[card.outline % 5]));
            assert_eq!(sure.count(), expected, "{count} {duplicates:?}: {board:?}");
        }
    }

    #[test]
    fn a_few_cards_again_and_again_are_a_pattern() {
        for (cards, places, expected) in [(3, 3, 9), (3, 4, 0), (5, 2, 10), (5, 6, 0)] {
            assert_eq!(
                sure_cards(cards, places),
                expected,
                "{cards} cards in {places} places each"
            );
        }
    }

    fn sure_cards(cards: usize, places: usize) -> usize {
        let all: Vec<_> = (0..cards * places)
            .map(|i| ((100.0 * i as f64, 0.0), reading(CODES[i % cards], 0.99)))
            .collect();
        assign_with(Duplicates::Allowed, &all).cards.iter().filter(|card| !card.unsure).count()
    }

    #[test]
    fn what_lies_three_times_on_a_photo_is_not_of_the_deck() {
        let mut cards = vec![(place(0), reading("1frd", 0.999_99))];
        cards.extend([1, 2].map(|i| (place(i), reading("1frd", 0.99))));
        cards.push((place(3), reading("2spo", 0.99)));
        assert_eq!(names(&board_of(&cards)), ["0 ?", "1 ?", "2 ?", "3 2spo"]);
        // By itself the clearest one would be taken for the card.
        cards.truncate(2);
        assert_eq!(names(&board_of(&cards)), ["0 1frd", "1 ?"]);
    }

    fn place(i: usize) -> (f64, f64) {
        (100.0 * i as f64, 0.0)
    }

    proptest! {
        #[test]
        fn no_card_lies_twice(raw in prop::collection::vec(prop::array::uniform12(0.01f32..1.0), 0..20)) {
            let cards: Vec<_> = raw
                .iter()
                .enumerate()
                .map(|(i, raw)| {
                    let values = std::array::from_fn(|p| {
                        let row: [f32; 3] = std::array::from_fn(|v| raw[3 * p + v]);
                        let sum: f32 = row.iter().sum();
                        row.map(|v| v / sum)
                    });
                    ((100.0 * i as f64, 0.0), Reading { values, is_card: 0.9 })
                })
                .collect();
            let (outlines, readings): (Vec<CardOutline>, Vec<Reading>) =
                cards.iter().map(|((x, y), reading)| (outline_at(*x, *y), reading.clone())).unzip();
            let once = Params { duplicates: Duplicates::Transient, ..Params::default() };
            let board = Board::assign(&outlines, &readings, 1.0, &once);
            prop_assert_eq!(board.cards.len(), cards.len());
            let mut names: Vec<Card> = board.cards.iter().map(|c| c.card).collect();
            names.sort();
            names.dedup();
            prop_assert_eq!(names.len(), cards.len());
            for c in &board.cards {
                prop_assert!((0.0..=1.0).contains(&c.confidence));
            }
        }
    }
}
