//! All cards of one photo together: a deck holds each card once.

use super::overlap::{shared_area, shares};
use super::{CardOutline, Reading};
use crate::cards::{Card, DECK_SIZE};
use crate::geometry::Quad;
use pathfinding::prelude::{Matrix, kuhn_munkres};
use serde::{Deserialize, Serialize};

/// Length of a card's long side that counts as usual, in pixels.
const USUAL_LONG_SIDE_PX: f32 = 110.0;

/// What decides which outlines become cards, and which of them are sure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// An outline that is a card with less than this probability, the others' claims weighed, is
    /// dropped.
    pub least_is_card: f32,
    /// What makes a confidence of the evidence, and which is enough.
    pub calibration: Calibration,
    /// Two outlines that share this much of the smaller one's area are one card seen twice.
    pub one_card_overlap: f64,
    /// The same for two outlines whose best readings agree.
    pub one_card_overlap_when_alike: f64,
}

/// How evidence becomes the probability that a card is right: a logistic model, fitted by
/// `setsight train fuse`. The log odds of the board's own posterior are weighed by how much of the
/// card other cards cover, because a symbol that nobody sees leaves no trace in a reading.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Of the outline's score in the log odds of a card.
    pub score: f32,
    /// Added to the log odds of a card, all evidence of its own weighed.
    pub card_bias: f32,
    /// Of these log odds.
    pub card_own: f32,
    /// Of the part that other cards share, 0 to 1, in the log odds of a card: what lies by itself and
    /// still hardly looks like a card is none, what lies under a card may be one.
    pub card_covered: f32,
    /// Added to the log odds of a card that the board keeps, where it comes to how sure that is.
    pub kept_bias: f32,
    /// Of these log odds, the others' claims weighed.
    pub kept_own: f32,
    /// Of the part that other cards share, 0 to 1, in them.
    pub kept_covered: f32,
    /// Of the posterior's log odds in them: under an outline that lies over no card, what is read is
    /// seldom clear.
    pub kept_posterior: f32,
    /// Added to the log odds of being right.
    pub bias: f32,
    /// Of the posterior's log odds.
    pub posterior: f32,
    /// Of the part that others share, 0 to 1.
    pub covered: f32,
    /// Of that part times the posterior's log odds.
    pub covered_posterior: f32,
    /// Of how small the card is: ln(110 / its long side in pixels), -0.5 to 1.2.
    pub small: f32,
    /// A card with less confidence than this is `unsure`.
    pub least_confidence: f32,
}

impl Default for Calibration {
    /// The posterior as it is. Two outlines with equal claims to one card come out just below the
    /// limit.
    fn default() -> Self {
        Self {
            score: 0.0,
            card_bias: 0.0,
            card_own: 1.0,
            card_covered: 0.0,
            kept_bias: 0.0,
            kept_own: 1.0,
            kept_covered: 0.0,
            kept_posterior: 0.0,
            bias: 0.0,
            posterior: 1.0,
            covered: 0.0,
            covered_posterior: 0.0,
            small: 0.0,
            least_confidence: 0.6,
        }
    }
}

/// What the confidence in one card rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Probability that this is a card.
    pub is_card: f32,
    /// Log odds, given that it is a card, that it is the one chosen, the others' claims weighed.
    pub posterior: f32,
    /// Part of the outline that other cards share, 0 to 1.
    pub covered: f32,
    /// How small the card is, see [`Calibration::small`].
    pub small: f32,
}

impl Calibration {
    /// What the log odds of being right are weighed by, in the order bias, posterior, covered,
    /// `covered_posterior`, small.
    pub fn features(evidence: &Evidence) -> [f32; 5] {
        let Evidence { posterior, covered, small, .. } = *evidence;
        [1.0, posterior, covered, covered * posterior, small]
    }

    /// Probability that what the evidence is about is a card and the one chosen.
    pub fn confidence(&self, evidence: &Evidence) -> f32 {
        let weights = [self.bias, self.posterior, self.covered, self.covered_posterior, self.small];
        let features = Self::features(evidence);
        let right: f32 = weights.iter().zip(features).map(|(w, f)| w * f).sum();
        let weights = [self.kept_bias, self.kept_own, self.kept_covered, self.kept_posterior];
        let features = Self::kept_features(evidence);
        let card: f32 = weights.iter().zip(features).map(|(w, f)| w * f).sum();
        (logistic(card) * logistic(right)).clamp(0.0, 1.0)
    }

    /// What the log odds of a card that the board keeps are weighed by, in the order `kept_bias`,
    /// `kept_own`, `kept_covered`, `kept_posterior`.
    pub fn kept_features(evidence: &Evidence) -> [f32; 4] {
        [1.0, log_odds(evidence.is_card), evidence.covered, evidence.posterior]
    }

    /// Probability of a card, 0 to 1, from an outline's own evidence and the part of it that other
    /// cards share: a logistic model of [`Claim::log_odds`] and [`Claim::covered`].
    fn presence(&self, claim: &Claim) -> f32 {
        let log_odds =
            self.card_bias + self.card_own * claim.log_odds + self.card_covered * claim.covered;
        logistic(log_odds)
    }

    /// Probability of a card from the reader's and the outline's evidence.
    fn is_card(&self, outline: &CardOutline, reading: &Reading) -> f32 {
        if self.score == 0.0 {
            return reading.is_card;
        }
        let score = outline.score.clamp(-8.0, 8.0) as f32;
        logistic(log_odds(reading.is_card) + self.score * score)
    }
}

fn logistic(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// Log odds of a probability, within what a 32-bit number tells from 0 and 1.
fn log_odds(probability: f32) -> f32 {
    let p = f64::from(probability).clamp(1e-6, 1.0 - 1e-6);
    (p / (1.0 - p)).ln() as f32
}

impl Default for Params {
    fn default() -> Self {
        Self {
            least_is_card: 0.4,
            calibration: Calibration::default(),
            // Cards of a heap cover each other by half and more; beyond this nothing of the lower
            // one could have been read.
            one_card_overlap: 0.75,
            one_card_overlap_when_alike: 0.3,
        }
    }
}

/// One card on the table.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardCard {
    /// Where it lies.
    pub outline: CardOutline,
    /// What the reader said of it alone.
    pub reading: Reading,
    /// What it is, or is thought to be.
    pub card: Card,
    /// Probability of being a card and this one, with the other cards' claims weighed, 0 to 1.
    pub confidence: f32,
    /// Not clearly this card: it takes part in no set.
    pub unsure: bool,
    /// What the confidence rests on.
    pub evidence: Evidence,
}

/// The cards of one photo, no two alike.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Board {
    /// In the order of the outlines they come from.
    pub cards: Vec<BoardCard>,
}

impl Board {
    /// What may be the cards of a table: of outlines that cover one another the most card-like.
    ///
    /// # Panics
    /// If there are not as many readings as outlines.
    pub fn claims(
        outlines: Vec<CardOutline>,
        readings: Vec<Reading>,
        params: &Params,
    ) -> Vec<Claim> {
        assert_eq!(outlines.len(), readings.len(), "one reading for each outline");
        let seen = without_doubles(outlines.into_iter().zip(readings).collect(), params);
        let mut claims: Vec<Claim> = seen
            .into_iter()
            .map(|(outline, reading)| {
                let log_odds = log_odds(params.calibration.is_card(&outline, &reading));
                Claim { outline, reading, log_odds, covered: 0.0 }
            })
            .collect();
        cover(&mut claims);
        claims
    }

    /// Settles what lies on the table.
    ///
    /// Of two outlines of one card the better stays, what is no card is dropped, and the cards that
    /// remain are given out so that their joint probability is highest, each card of the deck at most
    /// once (Kuhn 1955, Munkres 1957). Outlines beyond the deck's 81 are dropped, the least
    /// card-like first.
    ///
    /// # Panics
    /// If there are not as many readings as outlines.
    pub fn settle(outlines: Vec<CardOutline>, readings: Vec<Reading>, params: &Params) -> Self {
        let calibration = &params.calibration;
        let mut claims = Self::claims(outlines, readings, params);
        let unlikely = |claim: &Claim| calibration.presence(claim) < params.least_is_card;
        while claims.iter().any(unlikely) {
            claims.retain(|claim| !unlikely(claim));
            // What was under one of them lies open now.
            cover(&mut claims);
        }
        // What was most likely a card may be none once surer cards have laid claim to all that it
        // could be: paper that reads like a card of the table.
        let (chances, beliefs) = loop {
            let chances: Vec<[f32; DECK_SIZE]> = claims
                .iter()
                .map(|claim| {
                    std::array::from_fn(|i| claim.reading.probability(Card::from_index(i)))
                })
                .collect();
            // What lies on it speaks for whether to keep it, and not for how sure its code is: where
            // there is hardly a doubt, that was fitted on the doubtful ones.
            let is_card: Vec<f32> = claims.iter().map(|c| logistic(c.log_odds)).collect();
            let beliefs = compete(&chances, &is_card);
            // One at a time: without it the others' claims are worth more.
            let least = (0..beliefs.len())
                .filter(|&i| beliefs[i].is_card < params.least_is_card)
                .min_by(|&a, &b| beliefs[a].is_card.total_cmp(&beliefs[b].is_card));
            match least {
                Some(least) => {
                    claims.remove(least);
                    cover(&mut claims);
                }
                None => break (chances, beliefs),
            }
        };
        let chosen = assign(&chances);
        let cards = claims
            .into_iter()
            .enumerate()
            .map(|(i, Claim { outline, reading, covered, .. })| {
                let long_side_px = outline.corners_in_image.long_side().max(1.0) as f32;
                let evidence = Evidence {
                    is_card: beliefs[i].is_card,
                    posterior: log_odds(beliefs[i].posterior[chosen[i].index()]),
                    covered,
                    small: (USUAL_LONG_SIDE_PX / long_side_px).ln().clamp(-0.5, 1.2),
                };
                let confidence = calibration.confidence(&evidence);
                BoardCard {
                    outline,
                    reading,
                    card: chosen[i],
                    confidence,
                    unsure: confidence < calibration.least_confidence,
                    evidence,
                }
            })
            .collect();
        Self { cards }
    }

    /// The cards that are clearly read, with their indices in [`Self::cards`].
    pub fn sure(&self) -> impl Iterator<Item = (usize, Card)> + '_ {
        self.cards.iter().enumerate().filter(|(_, c)| !c.unsure).map(|(i, c)| (i, c.card))
    }
}

/// What may be a card.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Where it lies.
    pub outline: CardOutline,
    /// What the reader says of it.
    pub reading: Reading,
    /// Of a card, by its own reading and outline.
    pub log_odds: f32,
    /// Part of it that other cards share, each as far as it is one, 0 to 1.
    pub covered: f32,
}

/// Tells each claim what of it the others share. Which card lies on top is not known.
fn cover(claims: &mut [Claim]) {
    let lying: Vec<(Quad, f32)> = claims
        .iter()
        .map(|claim| (claim.outline.corners_in_image, logistic(claim.log_odds)))
        .collect();
    let covered = shares(&lying);
    for (claim, covered) in claims.iter_mut().zip(covered) {
        claim.covered = covered;
    }
}

/// Of outlines that cover one another the most card-like, in the order given, at most a deck.
fn without_doubles(
    seen: Vec<(CardOutline, Reading)>,
    params: &Params,
) -> Vec<(CardOutline, Reading)> {
    let mut order: Vec<usize> = (0..seen.len()).collect();
    let merit = |i: usize| {
        let (outline, reading) = &seen[i];
        (reading.is_card * reading.best().1, outline.score)
    };
    order.sort_by(|&a, &b| {
        let (a, b) = (merit(a), merit(b));
        b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1))
    });
    let mut kept: Vec<usize> = Vec::new();
    for i in order {
        let double = kept.iter().any(|&k| {
            let share = shared_area(&seen[i].0.corners_in_image, &seen[k].0.corners_in_image);
            share >= params.one_card_overlap
                || share >= params.one_card_overlap_when_alike
                    && seen[i].1.best().0 == seen[k].1.best().0
        });
        if !double && kept.len() < DECK_SIZE {
            kept.push(i);
        }
    }
    let mut keep = vec![false; seen.len()];
    for k in kept {
        keep[k] = true;
    }
    seen.into_iter().zip(keep).filter_map(|(item, keep)| keep.then_some(item)).collect()
}

/// The most likely way to give every outline a card of its own.
fn assign(chances: &[[f32; DECK_SIZE]]) -> Vec<Card> {
    if chances.is_empty() {
        return Vec::new();
    }
    // Whole numbers are what the method takes: millionths of a natural logarithm.
    let weights = Matrix::from_rows(
        chances.iter().map(|row| row.map(|p| (f64::from(p.max(1e-30)).ln() * 1e6) as i64)),
    )
    .expect("rows of one length");
    let (_, columns) = kuhn_munkres(&weights);
    columns.into_iter().map(Card::from_index).collect()
}

/// What is thought of one outline after the others' claims.
struct Belief {
    /// Probability that it is a card.
    is_card: f32,
    /// Probability of each card of the deck, given that it is one.
    posterior: [f32; DECK_SIZE],
}

/// Weighs the claims of all outlines: belief propagation where every card of the deck is taken at
/// most once (as for permanents, Chertkov and others 2010). Exact for two outlines.
fn compete(chances: &[[f32; DECK_SIZE]], is_card: &[f32]) -> Vec<Belief> {
    const ROUNDS: usize = 8;
    // How much less likely the others make it that this outline is this card.
    let mut free = vec![[1.0f32; DECK_SIZE]; chances.len()];
    for _ in 0..ROUNDS {
        // Odds that an outline takes a card, leaving aside what the others say of that card.
        let mut odds = vec![[0.0f32; DECK_SIZE]; chances.len()];
        let mut total = [0.0f32; DECK_SIZE];
        for (i, row) in odds.iter_mut().enumerate() {
            let all: f32 = (0..DECK_SIZE).map(|k| is_card[i] * chances[i][k] * free[i][k]).sum();
            for k in 0..DECK_SIZE {
                let own = is_card[i] * chances[i][k];
                let elsewhere = all - own * free[i][k] + (1.0 - is_card[i]);
                row[k] = own / elsewhere.max(1e-6);
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
    use crate::geometry::Point;
    use proptest::prelude::*;

    fn outline_at(x: f64, y: f64) -> CardOutline {
        let quad = Quad::rectangle(89.0, 57.0);
        let outline = CardOutline::at(Quad(quad.0.map(|p| p + Point::new(x, y))));
        CardOutline { score: 1.0, symbols_seen: 1, ..outline }
    }

    /// Sure of a card by `certainty` in every property.
    fn reading(code: &str, certainty: f32) -> Reading {
        let card: Card = code.parse().unwrap();
        let rest = (1.0 - certainty) / 2.0;
        let mut values = [[rest; 3]; 4];
        for (row, property) in values.iter_mut().zip(crate::cards::Property::ALL) {
            row[card.value(property)] = certainty;
        }
        Reading { values, is_card: 0.99 }
    }

    fn settle(cards: &[((f64, f64), Reading)]) -> Board {
        let outlines = cards.iter().map(|((x, y), _)| outline_at(*x, *y)).collect();
        let readings = cards.iter().map(|(_, r)| r.clone()).collect();
        Board::settle(outlines, readings, &Params::default())
    }

    #[test]
    fn an_empty_table_is_an_empty_board() {
        assert_eq!(settle(&[]), Board::default());
    }

    #[test]
    fn what_is_no_card_is_dropped() {
        let mut paper = reading("1sro", 0.9);
        paper.is_card = 0.1;
        let board = settle(&[((0.0, 0.0), reading("2spd", 0.99)), ((200.0, 0.0), paper)]);
        assert_eq!(board.cards.len(), 1);
        assert_eq!(board.cards[0].card.to_string(), "2spd");
        assert!(!board.cards[0].unsure && board.cards[0].confidence > 0.9);
    }

    #[test]
    fn what_lies_by_itself_and_hardly_looks_like_a_card_is_none() {
        let mut doubtful = reading("1sro", 0.9);
        doubtful.is_card = 0.5;
        let calibration =
            Calibration { card_bias: -0.8, card_covered: 2.0, ..Calibration::default() };
        let params = Params { calibration, ..Params::default() };
        let settle = |x: f64| {
            let outlines = vec![outline_at(0.0, 0.0), outline_at(x, 0.0)];
            Board::settle(outlines, vec![reading("2spd", 0.99), doubtful.clone()], &params)
        };
        assert_eq!(settle(200.0).cards.len(), 1);
        // Half of it lies under a card; of that card half lies under what is one only perhaps.
        let covered: Vec<f32> = settle(44.0).cards.iter().map(|c| c.evidence.covered).collect();
        assert!(matches!(covered[..], [a, b] if (a - 0.25).abs() < 0.03 && (b - 0.5).abs() < 0.03));
    }

    #[test]
    fn how_sure_a_card_is_depends_on_how_sure_that_it_is_one() {
        let evidence = Evidence { is_card: 0.9, posterior: 12.0, covered: 0.5, small: 0.0 };
        let usual = Calibration::default();
        assert!((usual.confidence(&evidence) - 0.9).abs() < 1e-3);
        // Readers doubt what is covered more than they should.
        let lenient = Calibration { kept_covered: 2.0, ..usual };
        let odds = 9.0 * 1f32.exp();
        assert!((lenient.confidence(&evidence) - odds / (1.0 + odds)).abs() < 1e-3);
        // What is read clearly is likelier a card.
        let by_reading = Calibration { kept_posterior: 0.05, ..usual };
        let odds = 9.0 * 0.6f32.exp();
        assert!((by_reading.confidence(&evidence) - odds / (1.0 + odds)).abs() < 1e-3);
        let doubtful = Calibration { kept_bias: -1.0, kept_own: 0.5, ..usual };
        let odds = 9.0f32.sqrt() / 1f32.exp();
        assert!((doubtful.confidence(&evidence) - odds / (1.0 + odds)).abs() < 1e-3);
    }

    #[test]
    fn of_two_outlines_on_one_card_the_better_stays() {
        let board =
            settle(&[((0.0, 0.0), reading("2spd", 0.8)), ((4.0, 3.0), reading("2fpd", 0.99))]);
        assert_eq!(board.cards.iter().map(|c| c.card.to_string()).collect::<Vec<_>>(), ["2fpd"]);
    }

    #[test]
    fn two_outlines_read_alike_are_settled_together() {
        // The second could be red, the first could not.
        let mut doubtful = reading("2spd", 0.99);
        doubtful.values[2] = [0.02, 0.55, 0.43];
        let board = settle(&[((0.0, 0.0), reading("2spd", 0.99)), ((200.0, 0.0), doubtful)]);
        assert_eq!(board.cards[0].card.to_string(), "2spd");
        assert_eq!(board.cards[1].card.to_string(), "2srd");
        assert!(board.cards.iter().all(|c| !c.unsure), "{board:?}");
    }

    #[test]
    fn two_equal_claims_are_both_unsure() {
        let claim = reading("3fgo", 0.995);
        let board = settle(&[((0.0, 0.0), claim.clone()), ((200.0, 0.0), claim)]);
        assert!(board.cards.iter().all(|c| c.unsure), "{board:?}");
        assert_eq!(board.sure().count(), 0);
    }

    #[test]
    fn a_hundred_outlines_leave_a_deck_at_most() {
        let cards: Vec<_> =
            (0..100).map(|i| ((f64::from(i) * 100.0, 0.0), reading("1ogs", 0.5))).collect();
        assert_eq!(settle(&cards).cards.len(), DECK_SIZE);
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
            let board = settle(&cards);
            prop_assert_eq!(board.cards.len(), cards.len());
            let mut seen: Vec<Card> = board.cards.iter().map(|c| c.card).collect();
            seen.sort();
            seen.dedup();
            prop_assert_eq!(seen.len(), cards.len());
            for c in &board.cards {
                prop_assert!((0.0..=1.0).contains(&c.confidence));
            }
        }
    }
}
