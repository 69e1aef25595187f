//! The results of a fit, source by source, printed and written to `fusion.json`.

use super::collect::{Example, Source, cards_of};
use super::threshold::{ScoredCard, most_wrong};
use serde::Serialize;
use setsight_game::cards::{Card, Property};
use setsight_vision::{
    Reading,
    classify::{fusion::EvidenceWeights, neural::reading_of},
};
use std::fmt;

/// The results of a fit.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// One for each source.
    pub sources: Vec<SourceReport>,
    /// Per source, the temperature at which a fit without that source is calibrated on it.
    pub temperatures_left_out: Vec<(String, f64)>,
    /// The temperature by which all log probabilities were divided.
    pub temperature: f64,
    /// The threshold: below this confidence a card is unsure.
    pub limit: f32,
    /// Number of cards claimed at that threshold, each by a fit that did not see its table.
    pub claims: usize,
    /// Number of wrong claims among them.
    pub claims_wrong: usize,
    /// Observed accuracy by confidence.
    pub reliability: Vec<Bin>,
    /// The upper bound of the share of wrong claims, at 95 % confidence.
    pub claims_wrong_at_most: f64,
}

/// Cards whose confidence lies in one range.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Bin {
    /// The range's lower end; the range ends where the next one begins.
    pub from: f32,
    pub cards: usize,
    /// Their mean confidence.
    pub confidence: f64,
    /// The share of correct cards.
    pub right: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct SourceReport {
    pub name: String,
    pub cards: usize,
    /// Correct codes before the board's assignment, per cent: the network alone, and the fusion.
    pub right_percent: [f64; 2],
    /// Number of cards claimed by a fit that did not see them.
    pub claims: usize,
    /// Number of wrong claims among them.
    pub claims_wrong: usize,
    /// Number of cards that the board keeps.
    pub kept: usize,
    pub properties: Vec<PropertyReport>,
}

/// One property of a source's cards, for the network alone and for the fusion.
#[derive(Clone, Debug, Serialize)]
pub struct PropertyReport {
    pub name: &'static str,
    /// Mean negative log likelihood, in nats.
    pub unlikelihood: [f64; 2],
    /// Correct values, per cent.
    pub right_percent: [f64; 2],
}

pub(super) fn report(
    sources: &[Source],
    joint: &EvidenceWeights,
    temperatures_left_out: Vec<(String, f64)>,
    temperature: f64,
    (claims, claims_wrong): (usize, usize),
    scored: &[ScoredCard],
) -> Report {
    let of_source = |(i, source): (usize, &Source)| {
        let scored: Vec<ScoredCard> =
            scored.iter().filter(|card| card.source == i).copied().collect();
        of_source(source, joint, &scored)
    };
    Report {
        sources: sources.iter().enumerate().map(of_source).collect(),
        temperatures_left_out,
        temperature,
        limit: joint.board.least_confidence,
        claims,
        claims_wrong,
        reliability: reliability(scored),
        claims_wrong_at_most: most_wrong(claims_wrong, claims),
    }
}

fn reliability(scored: &[ScoredCard]) -> Vec<Bin> {
    const FROM: [f32; 10] = [0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.997];
    let bin = |i: usize| {
        let to = FROM.get(i + 1).copied().unwrap_or(f32::INFINITY);
        let inside: Vec<&ScoredCard> =
            scored.iter().filter(|card| (FROM[i]..to).contains(&card.confidence)).collect();
        let n = inside.len().max(1) as f64;
        Bin {
            from: FROM[i],
            cards: inside.len(),
            confidence: inside.iter().map(|card| f64::from(card.confidence)).sum::<f64>() / n,
            right: inside.iter().filter(|card| card.right).count() as f64 / n,
        }
    };
    (0..FROM.len()).map(bin).filter(|bin| bin.cards > 0).collect()
}

fn of_source(source: &Source, joint: &EvidenceWeights, scored: &[ScoredCard]) -> SourceReport {
    let readings = |seen: &Example| -> [Reading; 2] {
        [
            reading_of(&seen.outputs.values, seen.outputs.card),
            joint.reading(&seen.outputs, &seen.outline),
        ]
    };
    let all: Vec<([Reading; 2], Card)> =
        cards_of(source).map(|(seen, card)| (readings(seen), card)).collect();
    let n = all.len().max(1) as f64;
    let percent = |right: &dyn Fn(&Reading, Card) -> bool| -> [f64; 2] {
        std::array::from_fn(|r| {
            let count = all.iter().filter(|(readings, card)| right(&readings[r], *card)).count();
            100.0 * count as f64 / n
        })
    };
    let properties = Property::ALL
        .into_iter()
        .enumerate()
        .map(|(p, property)| PropertyReport {
            name: property.word(),
            unlikelihood: std::array::from_fn(|r| {
                let sum: f64 = all
                    .iter()
                    .map(|(readings, card)| readings[r].values[p][card.value(property)])
                    .map(|probability| -f64::from(probability.max(1e-6).ln()))
                    .sum();
                sum / n
            }),
            right_percent: percent(&|reading, card| {
                let own = card.value(property);
                reading.values[p].iter().all(|v| *v <= reading.values[p][own])
            }),
        })
        .collect();
    let limit = joint.board.least_confidence;
    let claimed = || scored.iter().filter(|card| card.confidence >= limit);
    SourceReport {
        name: source.name.clone(),
        cards: all.len(),
        right_percent: percent(&|reading, card| reading.best().0 == card),
        claims: claimed().count(),
        claims_wrong: claimed().filter(|card| !card.right).count(),
        kept: scored.len(),
        properties,
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{:28}{:>9}{:>9}{:>9}", "right, %", "cards", "neural", "fused")?;
        for source in &self.sources {
            let [a, b] = source.right_percent;
            writeln!(f, "{:28}{:>9}{a:>9.2}{b:>9.2}", source.name, source.cards)?;
            for property in &source.properties {
                let [a, b] = property.right_percent;
                writeln!(f, "  {:35}{a:>9.2}{b:>9.2}", property.name)?;
            }
        }
        writeln!(f, "{:28}{:>9}{:>11}{:>9}", "claims", "kept", "claimed", "wrong")?;
        for source in &self.sources {
            let SourceReport { name, kept, claims, claims_wrong, .. } = source;
            writeln!(f, "{name:28}{kept:>9}{claims:>11}{claims_wrong:>9}")?;
        }
        writeln!(f, "{:28}{:>9}{:>11}{:>9}", "confidence from", "cards", "said, %", "right, %")?;
        for bin in &self.reliability {
            let (said, right) = (100.0 * bin.confidence, 100.0 * bin.right);
            writeln!(f, "{:<28}{:>9}{said:>11.2}{right:>9.2}", bin.from, bin.cards)?;
        }
        for (name, temperature) in &self.temperatures_left_out {
            writeln!(f, "temperature of {name}, left out: {temperature:.2}")?;
        }
        writeln!(f, "temperature applied: {:.2}", self.temperature)?;
        writeln!(
            f,
            "limit {:.4}: {} of {} claims wrong, with 95 % at most {:.2} in a thousand",
            self.limit,
            self.claims_wrong,
            self.claims,
            1e3 * self.claims_wrong_at_most
        )
    }
}
