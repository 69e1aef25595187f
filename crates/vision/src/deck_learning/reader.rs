//! Reads the cards of a deck by its file alone: by what is measured on a card, against what is
//! measured on the deck's own cards when they are drawn, all cards of a table together.
//!
//! The drawn cards are blurred in several ways, and the table tells which of them its photo is
//! like. Fills and inks look a little different from print to print and from lamp to lamp, for all
//! cards alike: their means are moved by what the table's cards show, as far as there are enough of
//! them (expectation maximisation with a prior).

use super::drawn;
use super::face::Face;
use super::group::fill_point;
use super::measure::{FILL_FEATURES, Mask, Measured, lab};
use crate::Reading;
use crate::TableFacts;
use crate::board::Calibration;
use crate::classify::neural::{self, NeuralReader};
use crate::classify::reader::{Cards, Reader};
use crate::probability::{logistic, softmax};
use rayon::prelude::*;
use setsight_game::cards::{Card, Color, Deck, Edition, Number, Shading, Shape};
use setsight_nets::engine::NetworkError;
use setsight_nets::reader;
use setsight_photo::print::card::Print;
use setsight_photo::print::color::linear_from_srgb;
use setsight_photo::print::dice::{Dice, Purpose};
use std::sync::Arc;

/// Deviations of the Gaussians that blur the drawn cards, in pixels of a face of 384.
const BLURS_PX: [f32; 4] = [0.9, 1.7, 2.8, 4.4];
/// Printings of each symbol that are drawn.
const PRINTINGS: u64 = 6;
/// Sizes of symbols relative to the deck's: printings and outlines differ.
const SIZES: [f64; 5] = [0.92, 0.96, 1.0, 1.04, 1.08];

/// What makes a confidence of the evidence, by measuring alone and with a network: see
/// docs/experiments/2026-11-deck-learning.md.
const BY_MEASURING: Calibration = Calibration { least_confidence: 0.9, ..Calibration::PLAIN };
const WITH_NETWORK: Calibration = Calibration { least_confidence: 0.9, ..Calibration::PLAIN };

/// Reads by a deck's file.
pub struct DeckReader {
    deck: Arc<Deck>,
    /// For each size the outlines of the three shapes, upright and after half a turn.
    outlines: Vec<[[Mask; 2]; 3]>,
    /// By blur, shape and fill.
    looks: Vec<[[Look; 3]; 3]>,
    /// Linear light of each ink as shares of the stock's.
    inks: [[f32; 3]; 3],
    /// A network that was trained for the deck.
    network: Option<NeuralReader>,
}

/// What a symbol of one shape and fill looks like at one blur.
#[derive(Clone, Debug)]
struct Look {
    fill: [f32; FILL_FEATURES],
    variance: [f32; FILL_FEATURES],
    /// Natural logarithm of the blur that is measured.
    log_blur: f32,
    /// How much of the strongest ink is left after the blur, 0 to 1.
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
    /// Draws the deck's symbols and measures them. A network that was trained for the deck has its
    /// say too.
    pub fn new(deck: Arc<Deck>, network: Option<NeuralReader>) -> Self {
        let plain = Print::of(Arc::clone(&deck));
        let fullest = (0..3)
            .max_by(|&a, &b| {
                let duty = |f: usize| deck.fills[f].fill.duty;
                duty(a).total_cmp(&duty(b))
            })
            .unwrap_or(0);
        let outlines = SIZES.map(|size| {
            [0, 1, 2].map(|shape| {
                let mut print = plain.clone();
                print.symbol_scale = size;
                let measured = drawn::measure(card_of(fullest, shape), &print, 1.4);
                let mask = measured.map_or_else(|| Mask::of(std::iter::empty()), |m| m.mask);
                [mask.turned(), mask]
            })
        });
        let jobs: Vec<(usize, usize, u64)> = (0..3)
            .flat_map(|shape| (0..3).map(move |fill| (shape, fill)))
            .flat_map(|(shape, fill)| (0..PRINTINGS).map(move |k| (shape, fill, k)))
            .collect();
        let measured: Vec<Vec<Option<Measured>>> = jobs
            .par_iter()
            .map(|&(shape, fill, k)| {
                let dice = &mut Dice::new(k, 0, Purpose::Print);
                let mut print = Print::random(Arc::clone(&deck), dice, 1.0);
                print.symbol_scale = 1.0;
                print.offset_mm = (0.0, 0.0);
                let card = card_of(fill, shape);
                drawn::measure_blurred(card, &print, &BLURS_PX)
            })
            .collect();
        let looks = (0..BLURS_PX.len())
            .map(|blur| {
                [0, 1, 2].map(|shape| {
                    [0, 1, 2].map(|fill| {
                        let own = jobs.iter().zip(&measured);
                        let own = own.filter(|(job, _)| job.0 == shape && job.1 == fill);
                        Look::of(own.filter_map(|(_, m)| m[blur].as_ref()).collect())
                    })
                })
            })
            .collect();
        let inks = deck
            .inks
            .each_ref()
            .map(|ink| ink.printings[0].map(|v| linear_from_srgb(f64::from(v) / 255.0) as f32));
        Self { deck, outlines: outlines.into(), looks, inks, network }
    }

    /// What makes a confidence of what it says.
    pub fn calibration(&self) -> Calibration {
        if self.network.is_some() { WITH_NETWORK } else { BY_MEASURING }
    }

    /// For each card what its four properties may be; `None` for one that was not measured.
    fn values(&self, cards: &[Option<Measured>]) -> Vec<Option<Said>> {
        let seen: Vec<&Measured> = cards.iter().flatten().collect();
        let overlaps = self.overlaps(&seen);
        let shapes: Vec<[f32; 3]> =
            overlaps.iter().map(|o| o.map(shape_log)).map(softmax).collect();
        let (fills, strength) = self.fills(&seen, &shapes);
        let inks = self.inks(&seen, &strength);
        let mut k = 0;
        cards
            .iter()
            .map(|card| {
                let measured = card.as_ref()?;
                let mut number = [NUMBER_MISTAKEN / 2.0; 3];
                number[measured.number - 1] = 1.0 - NUMBER_MISTAKEN;
                let best = overlaps[k].iter().copied().fold(0.0, f32::max);
                let said = Said { values: [number, fills[k], inks[k], shapes[k]], overlap: best };
                k += 1;
                Some(said)
            })
            .collect()
    }

    /// By card and shape the overlap with its outline, at the size that suits the table.
    fn overlaps(&self, seen: &[&Measured]) -> Vec<[f32; 3]> {
        let at = |size: usize, measured: &Measured| -> [f32; 3] {
            std::array::from_fn(|shape| {
                let both = self.outlines[size][shape].iter();
                both.map(|mask| measured.mask.overlap(mask)).fold(0.0, f32::max)
            })
        };
        let all: Vec<Vec<[f32; 3]>> = (0..self.outlines.len())
            .map(|size| seen.iter().map(|measured| at(size, measured)).collect())
            .collect();
        let best = |three: &[f32; 3]| three.iter().copied().fold(0.0, f32::max);
        let total = |size: &usize| all[*size].iter().map(best).sum::<f32>();
        let size = (0..all.len()).max_by(|a, b| total(a).total_cmp(&total(b))).unwrap_or(0);
        let near = size.saturating_sub(1)..(size + 2).min(all.len());
        (0..seen.len())
            .map(|i| {
                let most =
                    |shape: usize| near.clone().map(|s| all[s][i][shape]).fold(0.0, f32::max);
                std::array::from_fn(most)
            })
            .collect()
    }

    /// Probabilities of each fill, and how much of its ink each card's print keeps.
    fn fills(&self, seen: &[&Measured], shapes: &[[f32; 3]]) -> (Vec<[f32; 3]>, Vec<f32>) {
        let points: Vec<_> = seen.iter().map(|measured| fill_point(measured)).collect();
        let shape: Vec<usize> = shapes.iter().map(largest).collect();
        let mut best: Option<(f32, Vec<[f32; 3]>, Vec<f32>)> = None;
        for looks in &self.looks {
            let mut moves = [[0.0f32; FILL_FEATURES]; 3];
            let (mut shares, mut evidence) = (Vec::new(), 0.0);
            for _ in 0..ROUNDS {
                evidence = 0.0;
                shares = (0..points.len())
                    .map(|i| {
                        let logs = std::array::from_fn(|f| {
                            let look = &looks[shape[i]][f];
                            look.log_density(&points[i], &moves[f], seen[i].blur_px)
                        });
                        evidence += log_sum(logs);
                        softmax(logs)
                    })
                    .collect::<Vec<[f32; 3]>>();
                for (f, by) in moves.iter_mut().enumerate() {
                    let (mut sum, mut n) = ([0.0; FILL_FEATURES], 0.0);
                    for (i, share) in shares.iter().enumerate() {
                        let look = &looks[shape[i]][f];
                        for (d, sum) in sum.iter_mut().enumerate() {
                            *sum += share[f] * (points[i][d] - look.fill[d]);
                        }
                        n += share[f];
                    }
                    *by = sum.map(|v| v / (n + FILL_PRIOR));
                }
            }
            if best.as_ref().is_none_or(|(most, ..)| evidence > *most) {
                let strength = (0..points.len())
                    .map(|i| looks[shape[i]][largest(&shares[i])].strength)
                    .collect();
                best = Some((evidence, shares, strength));
            }
        }
        let (_, mut shares, strength) = best.unwrap_or_default();
        if self.deck.has_one_fill() {
            shares.iter_mut().for_each(|three| *three = [1.0, 0.0, 0.0]);
        }
        (shares, strength)
    }

    /// Probabilities of each ink.
    fn inks(&self, seen: &[&Measured], strength: &[f32]) -> Vec<[f32; 3]> {
        let expected: Vec<[[f32; 3]; 3]> = strength
            .iter()
            .map(|kept| self.inks.map(|ink| lab(ink.map(|v| 1.0 - kept * (1.0 - v)))))
            .collect();
        let mut moves = [[0.0f32; 3]; 3];
        let mut spread = INK_SPREAD;
        let mut shares = Vec::new();
        for _ in 0..ROUNDS + 4 {
            let off = |i: usize, k: usize, by: &[f32; 3]| -> [f32; 3] {
                std::array::from_fn(|d| seen[i].ink[d] - expected[i][k][d] - by[d])
            };
            shares = (0..seen.len())
                .map(|i| {
                    softmax(std::array::from_fn(|k| {
                        let off = off(i, k, &moves[k]);
                        let far: f32 = off.iter().zip(spread).map(|(o, s)| (o / s).powi(2)).sum();
                        student(far, 3.0)
                    }))
                })
                .collect::<Vec<[f32; 3]>>();
            // What moves all inks alike, then what moves each.
            let (mut together, mut all) = ([0.0; 3], 0.0);
            let mut own = [([0.0f32; 3], 0.0f32); 3];
            for (i, share) in shares.iter().enumerate() {
                for k in 0..3 {
                    let off = off(i, k, &[0.0; 3]);
                    for d in 0..3 {
                        together[d] += share[k] * off[d];
                        own[k].0[d] += share[k] * off[d];
                    }
                    all += share[k];
                    own[k].1 += share[k];
                }
            }
            let together = together.map(|v| v / (all + 3.0));
            for (by, (sum, n)) in moves.iter_mut().zip(own) {
                for d in 0..3 {
                    by[d] = together[d] + (sum[d] - n * together[d]) / (n + INK_PRIOR);
                }
            }
            // How much the inks of this table scatter.
            let mut squares = INK_SPREAD.map(|s| 8.0 * s * s);
            let mut n = 8.0;
            for (i, share) in shares.iter().enumerate() {
                let k = largest(share);
                let off = off(i, k, &moves[k]);
                squares.iter_mut().zip(off).for_each(|(s, o)| *s += o.powi(2).min(400.0));
                n += 1.0;
            }
            spread = squares.map(|s| (s / n).sqrt());
        }
        shares
    }
}

/// Rounds of expectation and maximisation.
const ROUNDS: usize = 6;
/// So many cards of a table count as much as what is known of a fill, and of an ink.
const FILL_PRIOR: f32 = 2.0;
const INK_PRIOR: f32 = 1.5;
/// How inks scatter within a table: lightness, green to red, blue to yellow.
const INK_SPREAD: [f32; 3] = [9.0, 6.0, 6.0];
/// How often a row of symbols is not all that a card has.
const NUMBER_MISTAKEN: f32 = 0.004;

/// What is said of one card.
struct Said {
    values: [[f32; 3]; 4],
    /// Of its outline with the likeliest shape's.
    overlap: f32,
}

impl Look {
    fn of(printings: Vec<&Measured>) -> Self {
        /// What photos add to a feature's deviation: noise, light, a bent card.
        const LEAST: f32 = 0.055;
        let n = printings.len().max(1) as f32;
        let points: Vec<_> = printings.iter().map(|m| fill_point(m)).collect();
        let fill = std::array::from_fn(|d| points.iter().map(|p| p[d]).sum::<f32>() / n);
        let variance = std::array::from_fn(|d| {
            points.iter().map(|p| (p[d] - fill[d]).powi(2)).sum::<f32>() / n + LEAST * LEAST
        });
        let log_blur = printings.iter().map(|m| m.blur_px.ln()).sum::<f32>() / n;
        // Drawn in an ink that takes three quarters of the light.
        let strength = printings.iter().map(|m| (1.0 - m.light[1]) / drawn::TAKES).sum::<f32>() / n;
        Self { fill, variance, log_blur, strength: strength.clamp(0.1, 1.0) }
    }

    fn log_density(
        &self,
        point: &[f32; FILL_FEATURES],
        by: &[f32; FILL_FEATURES],
        blur_px: f32,
    ) -> f32 {
        /// Features of one print err together: so many are worth this many that do not.
        const WORTH: f32 = 4.0 / FILL_FEATURES as f32;
        const BLUR_DEVIATION: f32 = 0.3;
        let mut sum = 0.0;
        for d in 0..FILL_FEATURES {
            let off = point[d] - self.fill[d] - by[d];
            sum += off * off / self.variance[d] + self.variance[d].ln();
        }
        let blur = (blur_px.ln() - self.log_blur) / BLUR_DEVIATION;
        -0.5 * (WORTH * sum + blur * blur)
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
    fn read(
        &self,
        cards: &Cards,
        before: TableFacts,
    ) -> Result<(Vec<Reading>, TableFacts), NetworkError> {
        let measured: Vec<Option<Measured>> = cards
            .outlines
            .par_iter()
            .map(|outline| {
                let face = Face::of(cards.frame, &outline.corners_in_image)?;
                Measured::of(&face)
            })
            .collect();
        let said = self.values(&measured);
        let logits = match &self.network {
            Some(network) => network.logits(cards.images)?.into_iter().map(Some).collect(),
            None => vec![None; cards.images.len()],
        };
        let readings = said.into_iter().zip(logits).zip(cards.outlines);
        let readings = readings.map(|((said, logits), outline)| {
            let score = outline.score.clamp(-6.0, 6.0) as f32;
            let network = logits.map(|logits| {
                let values = reader::of_edition(&logits, Edition::OF_TAUGHT);
                neural::reading_of(&values, logits[reader::CARD])
            });
            match said {
                Some(said) => Reading {
                    values: together(said.values, network.as_ref()),
                    is_card: logistic(2.0 + score + 25.0 * (said.overlap - 0.75)),
                },
                None => {
                    let values = together(Reading::UNKNOWN.values, network.as_ref());
                    Reading { values, is_card: logistic(score - 1.0) }
                }
            }
        });
        // The deck was named beforehand: none of its cards is of another.
        Ok((readings.collect(), before.of_deck(&self.deck)))
    }
}

/// What both witnesses say of the four properties.
fn together(values: [[f32; 3]; 4], network: Option<&Reading>) -> [[f32; 3]; 4] {
    let Some(network) = network else { return values.map(never_certain) };
    std::array::from_fn(|p| {
        let logs = std::array::from_fn(|v| {
            let log = |values: &[f32; 3]| never_certain(*values)[v].ln();
            log(&values[p]) + log(&network.values[p])
        });
        never_certain(softmax(logs))
    })
}

fn never_certain(values: [f32; 3]) -> [f32; 3] {
    const LEAST: f32 = 1e-5;
    let raised = values.map(|p| p.max(LEAST));
    let sum: f32 = raised.iter().sum();
    raised.map(|p| p / sum)
}
