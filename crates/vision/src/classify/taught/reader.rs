//! Reads the cards of a deck by its file alone: compares measurements of the table's cards with those of the
//! deck's drawn cards, all cards of a table together.
//!
//! The deck is drawn in several printings and blurs, and all cards of a table together select among these.
//! Fills and inks still vary a little from lamp to lamp, for all cards alike: their means and their scatter are
//! adapted to the table's cards, if there are enough of them (expectation maximisation with a prior).

use super::drawn;
use super::face::{Face, WIDTH};
use super::measure::{FEATURES_WORTH, FILL_FEATURES, Mask, Measured, fill_point, lab};
use crate::Reading;
use crate::TableFacts;
use crate::board::Calibration;
use crate::classify::reader::{Cards, FirstLook, Reader};
use crate::probability::{logistic, softmax};
use rayon::prelude::*;
use setsight_game::cards::{Card, Color, Deck, Number, Shading, Shape};
use setsight_nets::engine::NetworkError;
use setsight_photo::print::card::Print;
use setsight_photo::print::color::linear_rgb;
use setsight_photo::print::dice::{Dice, Purpose};
use std::sync::Arc;

/// Deviations of the Gaussians that blur the drawn cards, in pixels of a face of 384.
const BLURS_PX: [f32; 6] = [0.7, 1.15, 1.75, 2.5, 3.4, 4.6];
/// Printings of each symbol that are drawn.
const PRINTINGS: usize = 8;
/// Deviations of the Gaussians that may blur a photo, in pixels of the photo.
const PHOTO_BLURS_PX: [f32; 9] = [0.45, 0.57, 0.72, 0.9, 1.14, 1.44, 1.8, 2.3, 3.0];
/// Sizes of symbols relative to the deck's: printings and outlines differ.
const SIZES: [f64; 5] = [0.92, 0.96, 1.0, 1.04, 1.08];

/// Reads by a deck's file.
pub(crate) struct DeckReader {
    deck: Arc<Deck>,
    /// For each size the outlines of the three shapes, upright and after half a turn.
    outlines: Vec<[[Mask; 2]; 3]>,
    /// By printing, shape and fill.
    looks: Vec<[[Look; 3]; 3]>,
    /// Linear light of each ink as shares of the stock's.
    inks: [[f32; 3]; 3],
}

/// A symbol of one shape and fill in one printing, at each of [`BLURS_PX`].
#[derive(Clone, Debug)]
struct Look([DrawnSymbol; BLURS_PX.len()]);

/// The measurements of a drawn symbol.
#[derive(Clone, Copy, Debug)]
struct DrawnSymbol {
    fill: [f32; FILL_FEATURES],
    /// Natural logarithm of the blur that is measured.
    log_blur: f32,
    /// Share of the strongest ink that is left after the blur, 0 to 1.
    strength: f32,
}

fn card_of(shading: usize, shape: usize) -> Card {
    Card {
        number: Number::One,
        shading: Shading::from_index(shading),
        color: Color::from_index(0),
        shape: Shape::from_index(shape),
    }
}

impl DeckReader {
    /// Turns evidence into a confidence: see docs/lab/experiments/2026-11-deck-learning.md.
    pub(crate) const CALIBRATION: Calibration =
        Calibration { least_confidence: 0.9, ..Calibration::PLAIN };

    /// Draws the deck's symbols and measures them.
    pub(crate) fn new(deck: Arc<Deck>) -> Self {
        let plain = Print::new(Arc::clone(&deck));
        let duties = deck.fills.each_ref().map(|named| named.fill.duty);
        let fullest = (0..3).max_by(|&a, &b| duties[a].total_cmp(&duties[b])).unwrap_or(0);
        let outlines = SIZES.map(|size| {
            [0, 1, 2].map(|shape| {
                let mut print = plain.clone();
                print.symbol_scale = size;
                let measured = drawn::measure(card_of(fullest, shape), &print, 1.4);
                let mask =
                    measured.map_or_else(|| Mask::from_pixels(std::iter::empty()), |m| m.mask);
                [mask.turned(), mask]
            })
        });
        let jobs: Vec<(usize, usize, usize)> = (0..PRINTINGS)
            .flat_map(|k| (0..3).map(move |shape| (k, shape)))
            .flat_map(|(k, shape)| (0..3).map(move |fill| (k, shape, fill)))
            .collect();
        let drawn: Vec<Look> = jobs
            .par_iter()
            .map(|&(k, shape, fill)| {
                let dice = &mut Dice::new(k as u64, 0, Purpose::Print);
                // From the deck as its file has it to the widest range of printings.
                let variety = k as f64 / (PRINTINGS - 1) as f64;
                let mut print = Print::random(Arc::clone(&deck), dice, variety);
                print.symbol_scale = 1.0;
                print.offset_mm = (0.0, 0.0);
                // Evenly spread, as multiples of the golden ratio are.
                print.phase = (0.618 * k as f64).fract();
                Look::new(&drawn::measure_blurred(card_of(fill, shape), &print, &BLURS_PX))
            })
            .collect();
        let looks = (0..PRINTINGS)
            .map(|k| {
                [0, 1, 2].map(|shape| [0, 1, 2].map(|fill| drawn[9 * k + 3 * shape + fill].clone()))
            })
            .collect();
        let inks = deck.inks.each_ref().map(|ink| linear_rgb(ink.printings[0]).map(|v| v as f32));
        Self { deck, outlines: outlines.into(), looks, inks }
    }

    /// For each card, with its long side in the photo in pixels, what its four properties may be;
    /// `None` for one that was not measured.
    fn values(&self, cards: &[Option<(f32, Measured)>]) -> Vec<Option<CardEvidence>> {
        let measured_cards: Vec<&Measured> =
            cards.iter().flatten().map(|(_, measured)| measured).collect();
        let long_sides_px: Vec<f32> = cards.iter().flatten().map(|(px, _)| *px).collect();
        let overlaps = self.overlaps(&measured_cards);
        let shapes: Vec<[f32; 3]> =
            overlaps.iter().map(|o| o.map(shape_log)).map(softmax).collect();
        let (fills, strength) = self.fills(&measured_cards, &long_sides_px, &shapes);
        let inks = self.inks(&measured_cards, &strength);
        let mut k = 0;
        cards
            .iter()
            .map(|card| {
                let (_, measured) = card.as_ref()?;
                let mut number = [NUMBER_MISTAKEN / 2.0; 3];
                number[measured.number - 1] = 1.0 - NUMBER_MISTAKEN;
                let best = overlaps[k].iter().copied().fold(0.0, f32::max);
                let evidence =
                    CardEvidence { values: [number, fills[k], inks[k], shapes[k]], overlap: best };
                k += 1;
                Some(evidence)
            })
            .collect()
    }

    /// By card and shape the overlap with its outline, at the size that suits the table.
    fn overlaps(&self, cards: &[&Measured]) -> Vec<[f32; 3]> {
        let all: Vec<Vec<[f32; 3]>> = self
            .outlines
            .iter()
            .map(|sized| {
                let overlaps = cards.iter().map(|card| {
                    sized.each_ref().map(|outlines| {
                        outlines.iter().map(|mask| card.mask.overlap(mask)).fold(0.0, f32::max)
                    })
                });
                overlaps.collect()
            })
            .collect();
        let totals: Vec<f32> = all
            .iter()
            .map(|sized| sized.iter().map(|o| o.iter().copied().fold(0.0, f32::max)).sum())
            .collect();
        let size = (0..all.len()).max_by(|&a, &b| totals[a].total_cmp(&totals[b])).unwrap_or(0);
        let near = &all[size.saturating_sub(1)..(size + 2).min(all.len())];
        (0..cards.len())
            .map(|i| {
                [0, 1, 2].map(|shape| near.iter().map(|sized| sized[i][shape]).fold(0.0, f32::max))
            })
            .collect()
    }

    /// Probabilities of each fill, and how much of its ink each card's print keeps: the mean over
    /// all printings and blurs, each as likely as it makes the measurements.
    fn fills(
        &self,
        measured_cards: &[&Measured],
        long_sides_px: &[f32],
        shapes: &[[f32; 3]],
    ) -> (Vec<[f32; 3]>, Vec<f32>) {
        let cards: Vec<MeasuredFill> = measured_cards
            .iter()
            .zip(long_sides_px)
            .zip(shapes)
            .map(|((measured, px), shape)| MeasuredFill {
                point: fill_point(measured),
                log_blur: measured.blur_px.ln(),
                shape: largest(shape),
                face_px: WIDTH as f32 / px.max(1.0),
            })
            .collect();
        let likely: Vec<TableLook> = self
            .looks
            .iter()
            .flat_map(|looks| PHOTO_BLURS_PX.iter().map(move |px| (looks, *px)))
            .map(|(looks, photo_px)| TableLook::fit(&cards, looks, photo_px))
            .collect();
        let most = likely.iter().map(|look| look.evidence).fold(f32::MIN, f32::max);
        let weights: Vec<f32> = likely.iter().map(|look| (look.evidence - most).exp()).collect();
        let all: f32 = weights.iter().sum();
        let mut shares = vec![[0.0; 3]; cards.len()];
        let mut strength = vec![0.0; cards.len()];
        for (look, weight) in likely.iter().zip(weights).filter(|(_, weight)| *weight > 1e-6) {
            for (i, by_fill) in look.shares.iter().enumerate() {
                shares[i].iter_mut().zip(by_fill).for_each(|(sum, p)| *sum += weight / all * p);
                strength[i] += weight / all * look.strength[i];
            }
        }
        if self.deck.has_one_fill() {
            shares.iter_mut().for_each(|three| *three = [1.0, 0.0, 0.0]);
        }
        (shares, strength)
    }

    /// Probabilities of each ink.
    fn inks(&self, cards: &[&Measured], strength: &[f32]) -> Vec<[f32; 3]> {
        let expected: Vec<[[f32; 3]; 3]> = strength
            .iter()
            .map(|kept| self.inks.map(|ink| lab(ink.map(|v| 1.0 - kept * (1.0 - v)))))
            .collect();
        let mut moves = [[0.0f32; 3]; 3];
        let mut spread = INK_SPREAD;
        let mut shares = Vec::new();
        for _ in 0..ROUNDS + 4 {
            let off = |i: usize, k: usize| difference(cards[i].ink, expected[i][k]);
            shares = (0..cards.len())
                .map(|i| {
                    softmax(std::array::from_fn(|k| {
                        let off = difference(off(i, k), moves[k]);
                        let far: f32 = off.iter().zip(spread).map(|(o, s)| (o / s).powi(2)).sum();
                        student(far, 3.0)
                    }))
                })
                .collect::<Vec<[f32; 3]>>();
            // What moves all inks alike, then what moves each.
            let (mut together, mut all) = ([0.0; 3], 0.0);
            let mut by_ink = [([0.0f32; 3], 0.0f32); 3];
            for (i, share) in shares.iter().enumerate() {
                for k in 0..3 {
                    let off = off(i, k);
                    for d in 0..3 {
                        together[d] += share[k] * off[d];
                        by_ink[k].0[d] += share[k] * off[d];
                    }
                    all += share[k];
                    by_ink[k].1 += share[k];
                }
            }
            let together = together.map(|v| v / (all + 3.0));
            for (by, (sum, n)) in moves.iter_mut().zip(by_ink) {
                for d in 0..3 {
                    by[d] = together[d] + (sum[d] - n * together[d]) / (n + INK_PRIOR);
                }
            }
            // How much the inks of this table scatter.
            let mut squares = INK_SPREAD.map(|s| 8.0 * s * s);
            let mut n = 8.0;
            for (i, share) in shares.iter().enumerate() {
                let k = largest(share);
                let off = difference(off(i, k), moves[k]);
                squares.iter_mut().zip(off).for_each(|(s, o)| *s += o.powi(2).min(400.0));
                n += 1.0;
            }
            spread = squares.map(|s| (s / n).sqrt());
        }
        shares
    }
}

fn difference(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|d| a[d] - b[d])
}

/// Rounds of expectation and maximisation.
const ROUNDS: usize = 6;
/// Deviation of the features of fills from the drawn ones: noise, light, a bent card. The prior counts as
/// much as this many cards of a table.
const FILL_DEVIATION: f32 = 0.03;
const DEVIATION_PRIOR: f32 = 8.0;
/// Deviation of the natural logarithm of a card's blur.
const BLUR_DEVIATION: f32 = 0.3;
/// The prior of a fill, and of an ink, counts as much as this many cards of a table.
const FILL_PRIOR: f32 = 2.0;
const INK_PRIOR: f32 = 1.5;
/// Deviation of inks within a table: lightness, green to red, blue to yellow.
const INK_SPREAD: [f32; 3] = [9.0, 6.0, 6.0];
/// Probability that a row misses some of a card's symbols.
const NUMBER_MISTAKEN: f32 = 0.004;

/// The evidence for one card.
struct CardEvidence {
    values: [[f32; 3]; 4],
    /// Of its outline with the likeliest shape's.
    overlap: f32,
}

impl DrawnSymbol {
    const NOTHING: Self = Self { fill: [0.0; FILL_FEATURES], log_blur: 0.0, strength: 1.0 };

    fn new(measured: &Measured) -> Self {
        let strength = (1.0 - measured.light[1]) / drawn::TAKES;
        Self {
            fill: fill_point(measured),
            log_blur: measured.blur_px.ln(),
            strength: strength.clamp(0.1, 1.0),
        }
    }
}

impl Look {
    fn new(blurred: &[Option<Measured>]) -> Self {
        // Where blur leaves nothing to measure, it looks like the last that was measured.
        let mut last =
            blurred.iter().flatten().next().map_or(DrawnSymbol::NOTHING, DrawnSymbol::new);
        Self(std::array::from_fn(|b| {
            last = blurred[b].as_ref().map_or(last, DrawnSymbol::new);
            last
        }))
    }

    /// At any blur, in pixels of a face.
    fn at(&self, blur_px: f32) -> DrawnSymbol {
        let last = BLURS_PX.len() - 1;
        let above = BLURS_PX.iter().position(|px| *px > blur_px).unwrap_or(last).max(1);
        let (low, high) = (BLURS_PX[above - 1], BLURS_PX[above]);
        let part = ((blur_px / low).ln() / (high / low).ln()).clamp(0.0, 1.0);
        let (a, b) = (&self.0[above - 1], &self.0[above]);
        let between = |a: f32, b: f32| a + part * (b - a);
        DrawnSymbol {
            fill: std::array::from_fn(|d| between(a.fill[d], b.fill[d])),
            log_blur: between(a.log_blur, b.log_blur),
            strength: between(a.strength, b.strength),
        }
    }
}

/// The measurements of a card's fill.
struct MeasuredFill {
    point: [f32; FILL_FEATURES],
    /// Natural logarithm of the blur that is measured.
    log_blur: f32,
    shape: usize,
    /// Pixels of the face in one of the photo.
    face_px: f32,
}

/// A table's cards, if they are of one printing and its photo has one blur.
struct TableLook {
    /// Natural logarithm of how likely this makes the measurements, up to a constant.
    evidence: f32,
    shares: Vec<[f32; 3]>,
    strength: Vec<f32>,
}

impl TableLook {
    fn fit(cards: &[MeasuredFill], looks: &[[Look; 3]; 3], photo_px: f32) -> Self {
        /// A face has no more detail than its own pixels.
        const LEAST_PX: f32 = 0.4;
        let expected: Vec<[DrawnSymbol; 3]> = cards
            .iter()
            .map(|card| {
                let blur_px = LEAST_PX.hypot(photo_px * card.face_px);
                [0, 1, 2].map(|f| looks[card.shape][f].at(blur_px))
            })
            .collect();
        let off = |i: usize, f: usize, d: usize| cards[i].point[d] - expected[i][f].fill[d];
        let mut moves = [[0.0f32; FILL_FEATURES]; 3];
        let mut variance = [FILL_DEVIATION.powi(2); FILL_FEATURES];
        let mut shares = vec![[0.0; 3]; cards.len()];
        let mut evidence = 0.0;
        for _ in 0..ROUNDS {
            evidence = 0.0;
            for (i, card) in cards.iter().enumerate() {
                let logs = std::array::from_fn(|f| {
                    let sum: f32 = (0..FILL_FEATURES)
                        .map(|d| {
                            (off(i, f, d) - moves[f][d]).powi(2) / variance[d] + variance[d].ln()
                        })
                        .sum();
                    let blur = (card.log_blur - expected[i][f].log_blur) / BLUR_DEVIATION;
                    -0.5 * (FEATURES_WORTH * sum + blur * blur)
                });
                evidence += log_sum(logs);
                shares[i] = softmax(logs);
            }
            for (f, by) in moves.iter_mut().enumerate() {
                let n: f32 = shares.iter().map(|three| three[f]).sum();
                for (d, by) in by.iter_mut().enumerate() {
                    let sum: f32 =
                        shares.iter().enumerate().map(|(i, p)| p[f] * off(i, f, d)).sum();
                    *by = sum / (n + FILL_PRIOR);
                }
            }
            for (d, variance) in variance.iter_mut().enumerate() {
                let mut sum = DEVIATION_PRIOR * FILL_DEVIATION.powi(2);
                for (i, three) in shares.iter().enumerate() {
                    for f in 0..3 {
                        sum += three[f] * (off(i, f, d) - moves[f][d]).powi(2);
                    }
                }
                *variance = sum / (DEVIATION_PRIOR + cards.len() as f32);
            }
        }
        // What the moves cost.
        for by in &moves {
            let squares = by.iter().map(|by| (by / FILL_DEVIATION).powi(2));
            evidence -= 0.5 * FEATURES_WORTH * FILL_PRIOR * squares.sum::<f32>();
        }
        let strength = expected.iter().zip(&shares);
        let strength = strength.map(|(looks, p)| looks[largest(p)].strength).collect();
        Self { evidence, shares, strength }
    }
}

/// Natural logarithm of a shape's likelihood by its overlap.
fn shape_log(overlap: f32) -> f32 {
    /// How far an outline is off its own shape's, as a rule.
    const DEVIATION: f32 = 0.05;
    -0.5 * ((1.0 - overlap) / DEVIATION).powi(2)
}

/// Logarithm of Student's density, up to a constant, so that one odd card does not rule.
fn student(square: f32, dimensions: f32) -> f32 {
    const FREEDOM: f32 = 5.0;
    -(FREEDOM + dimensions) / 2.0 * (1.0 + square / FREEDOM).ln()
}

fn log_sum(logs: [f32; 3]) -> f32 {
    let most = logs.into_iter().fold(f32::MIN, f32::max);
    most + logs.map(|l| (l - most).exp()).iter().sum::<f32>().ln()
}

fn largest(three: &[f32; 3]) -> usize {
    (0..3).max_by(|&a, &b| three[a].total_cmp(&three[b])).unwrap_or(0)
}

impl Reader for DeckReader {
    fn table_facts(
        &self,
        cards: &Cards,
        before: TableFacts,
    ) -> Result<(FirstLook, TableFacts), NetworkError> {
        let measured: Vec<Option<(f32, Measured)>> = cards
            .outlines
            .par_iter()
            .map(|outline| {
                let face = Face::straighten(&cards.frame, &outline.corners_in_image)?;
                let long_side_px = outline.corners_in_image.long_side() as f32;
                Some((long_side_px, Measured::new(&face)?))
            })
            .collect();
        let evidence = self.values(&measured);
        let readings = evidence.into_iter().zip(&*cards.outlines);
        let readings = readings.map(|(evidence, outline)| {
            let score = outline.score.clamp(-6.0, 6.0) as f32;
            match evidence {
                Some(evidence) => Reading {
                    values: evidence.values.map(never_certain),
                    is_card: logistic(2.0 + score + 25.0 * (evidence.overlap - 0.75)),
                },
                None => Reading {
                    values: Reading::UNKNOWN.values.map(never_certain),
                    is_card: logistic(score - 1.0),
                },
            }
        });
        // The deck was named beforehand: none of its cards is of another.
        let look = FirstLook { readings: readings.collect(), ..FirstLook::default() };
        Ok((look, before.of_deck(&self.deck)))
    }
}

fn never_certain(values: [f32; 3]) -> [f32; 3] {
    const LEAST: f32 = 1e-5;
    let raised = values.map(|p| p.max(LEAST));
    let sum: f32 = raised.iter().sum();
    raised.map(|p| p / sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_game::cards::deck::FillKind;

    /// A deck whose fills have about as much ink in as fine a pattern each.
    fn alike() -> Arc<Deck> {
        let mut deck = Deck::invented(31);
        let kinds = [FillKind::Checks, FillKind::Crosshatch, FillKind::Dots];
        for (named, kind) in deck.fills.iter_mut().zip(kinds) {
            named.fill.kind = kind;
            (named.fill.pitch_mm, named.fill.duty) = (1.4, 0.5);
        }
        Arc::new(deck)
    }

    /// Probabilities of the fills of nine drawn cards, in the order of their fills and outlines.
    fn fills(reader: &DeckReader, print: &Print, blur_px: f32, long_side_px: f32) -> Vec<[f32; 3]> {
        let cards: Vec<_> = (0..9)
            .map(|i| drawn::measure(card_of(i / 3, i % 3), print, blur_px))
            .map(|card| card.map(|card| (long_side_px, card)))
            .collect();
        let evidence = reader.values(&cards);
        evidence
            .into_iter()
            .map(|evidence| evidence.expect("a card that was measured").values[1])
            .collect()
    }

    #[test]
    fn fills_that_look_alike_are_distinguished_by_all_cards_of_a_table() {
        let deck = alike();
        let reader = DeckReader::new(Arc::clone(&deck));
        for seed in [70, 71, 72] {
            let dice = &mut Dice::new(seed, 0, Purpose::Print);
            let print =
                Print { offset_mm: (0.0, 0.0), ..Print::random(Arc::clone(&deck), dice, 0.6) };
            // A photo of which a pixel is half a millimetre, and one of which it is a quarter.
            for (blur_px, long_side_px, least) in [(2.2, 180.0, 0.5), (1.3, 350.0, 0.95)] {
                for (i, fill) in fills(&reader, &print, blur_px, long_side_px).iter().enumerate() {
                    assert!(fill[i / 3] > least, "{seed}, {blur_px} px, card {i}: {fill:?}");
                }
            }
        }
    }

    #[test]
    fn what_blur_has_made_one_is_not_distinguished() {
        let deck = alike();
        let reader = DeckReader::new(Arc::clone(&deck));
        let fills = fills(&reader, &Print::new(deck), 6.0, 60.0);
        // Nothing but the mean is left of them, and that is about the same.
        let sure = fills.iter().filter(|fill| fill.iter().any(|p| *p > 0.99)).count();
        assert!(sure < 9, "{fills:?}");
    }

    #[test]
    fn between_two_blurs_a_fill_looks_in_between() {
        let print = Print::new(alike());
        let card = card_of(0, 0);
        let look = Look::new(&drawn::measure_blurred(card, &print, &BLURS_PX));
        let between = (BLURS_PX[2] * BLURS_PX[3]).sqrt();
        let drawn = DrawnSymbol::new(&drawn::measure(card, &print, between).unwrap());
        let interpolated = look.at(between);
        assert!((interpolated.fill[1] - drawn.fill[1]).abs() < 0.02, "{interpolated:?} {drawn:?}");
        assert!((interpolated.log_blur - drawn.log_blur).abs() < 0.1);
        // Beyond them it looks like the nearest.
        for (blur_px, nearest) in [(99.0, &look.0[BLURS_PX.len() - 1]), (0.1, &look.0[0])] {
            assert!((look.at(blur_px).fill[1] - nearest.fill[1]).abs() < 1e-5);
        }
    }
}
