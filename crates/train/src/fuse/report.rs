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
    Report {
        sources: sources
            .iter()
            .enumerate()
            .map(|(i, source)| source_report(source, joint, scored, i))
            .collect(),
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
    let ends = FROM[1..].iter().copied().chain([f32::INFINITY]);
    let bins = FROM.into_iter().zip(ends).map(|(from, to)| bin(scored, from, to));
    bins.filter(|bin| bin.cards > 0).collect()
}

fn bin(scored: &[ScoredCard], from: f32, to: f32) -> Bin {
    let inside: Vec<&ScoredCard> =
        scored.iter().filter(|card| (from..to).contains(&card.confidence)).collect();
    let n = inside.len().max(1) as f64;
    Bin {
        from,
        cards: inside.len(),
        confidence: inside.iter().map(|card| f64::from(card.confidence)).sum::<f64>() / n,
        right: inside.iter().filter(|card| card.right).count() as f64 / n,
    }
}

/// The report of the source with this index.
fn source_report(
    source: &Source,
    joint: &EvidenceWeights,
    scored: &[ScoredCard],
    index: usize,
) -> SourceReport {
    let scored: Vec<&ScoredCard> = scored.iter().filter(|card| card.source == index).collect();
    let all: Vec<([Reading; 2], Card)> = cards_of(source)
        .map(|(Example { outputs, outline, .. }, card)| {
            let network = reading_of(&outputs.values, outputs.card);
            ([network, joint.reading(outputs, outline)], card)
        })
        .collect();
    let n = all.len().max(1) as f64;
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
            right_percent: percent_right(&all, &|reading, card| {
                let truth = card.value(property);
                reading.values[p].iter().all(|v| *v <= reading.values[p][truth])
            }),
        })
        .collect();
    let limit = joint.board.least_confidence;
    let claimed = scored.iter().filter(|card| card.confidence >= limit);
    SourceReport {
        name: source.name.clone(),
        cards: all.len(),
        right_percent: percent_right(&all, &|reading, card| reading.best().0 == card),
        claims: claimed.clone().count(),
        claims_wrong: claimed.filter(|card| !card.right).count(),
        kept: scored.len(),
        properties,
    }
}

/// Per cent of the cards that are read rightly, by the network alone and by the fusion.
fn percent_right(
    all: &[([Reading; 2], Card)],
    is_right: &dyn Fn(&Reading, Card) -> bool,
) -> [f64; 2] {
    std::array::from_fn(|r| {
        let right = all.iter().filter(|(readings, card)| is_right(&readings[r], *card)).count();
        100.0 * right as f64 / all.len().max(1) as f64
    })
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
            let (claimed, right) = (100.0 * bin.confidence, 100.0 * bin.right);
            writeln!(f, "{:<28}{:>9}{claimed:>11.2}{right:>9.2}", bin.from, bin.cards)?;
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
