//! Compares the quantised network with the floating-point one, and both with the truth.

use super::{crops::Crop, float, net::Net, reference};
use rayon::prelude::*;
use serde::Serialize;
use setsight_game::cards::{Card, Property};
use setsight_nets::{graph::Graph, reader};

/// Agreement of the two networks on the same crops.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Agreement {
    /// Number of crops.
    pub crops: usize,
    /// Number of crops that both read as the same card, right or wrong.
    pub same_card: usize,
    /// The same count for each property, in the order of [`Property::ALL`].
    pub same_value: [usize; 4],
    /// Cards that the floating-point network reads correctly.
    pub float_right: usize,
    /// Cards that the quantised network reads correctly.
    pub int8_right: usize,
    /// Mean absolute difference of a logit.
    pub mean_logit_error: f64,
}

impl Agreement {
    /// `count` in per cent of the crops.
    pub(crate) fn percent(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.crops.max(1) as f64
    }
}

/// The most likely card: the largest logit of each property.
pub(crate) fn card_of(logits: &[f32]) -> Card {
    let best = |p: usize| {
        let three = &logits[3 * p..3 * p + 3];
        (0..3).rev().max_by(|&a, &b| three[a].total_cmp(&three[b])).expect("three values")
    };
    Card::from_index((0..reader::PROPERTIES).fold(0, |index, p| 3 * index + best(p)))
}

/// The logits that the network's integer outputs represent.
pub(crate) fn int8_logits(net: &Net, bytes: &[i8]) -> Vec<f32> {
    let quant = net.output().quant;
    let made = reference::run(net, bytes);
    let real = |v: i8| (i32::from(v) - quant.zero) as f32 * quant.scale - net.output_offset;
    made.into_iter().map(real).collect()
}

/// Runs both networks on all crops.
pub(crate) fn agreement(graph: &Graph, net: &Net, crops: &[Crop]) -> Agreement {
    let one = |crop: &Crop| {
        let exact = float::logits(graph, &crop.planes);
        let got = int8_logits(net, &crop.bytes);
        let error: f32 = exact.iter().zip(&got).map(|(a, b)| (a - b).abs()).sum();
        let (a, b) = (card_of(&exact), card_of(&got));
        Agreement {
            crops: 1,
            same_card: usize::from(a == b),
            same_value: Property::ALL.map(|p| usize::from(a.value(p) == b.value(p))),
            float_right: usize::from(a == crop.card),
            int8_right: usize::from(b == crop.card),
            mean_logit_error: f64::from(error) / exact.len() as f64,
        }
    };
    let all: Vec<Agreement> = crops.par_iter().map(one).collect();
    let mut sum = all.iter().fold(Agreement::default(), |sum, one| Agreement {
        crops: sum.crops + 1,
        same_card: sum.same_card + one.same_card,
        same_value: [0, 1, 2, 3].map(|p| sum.same_value[p] + one.same_value[p]),
        float_right: sum.float_right + one.float_right,
        int8_right: sum.int8_right + one.int8_right,
        mean_logit_error: sum.mean_logit_error + one.mean_logit_error,
    });
    sum.mean_logit_error /= sum.crops.max(1) as f64;
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_of_each_three_counts_and_ties_go_to_the_first() {
        let mut logits = vec![0.0; 13];
        assert_eq!(card_of(&logits).index(), 0);
        for card in Card::deck() {
            logits.fill(-1.0);
            for (p, property) in Property::ALL.into_iter().enumerate() {
                logits[3 * p + card.value(property)] = 2.0;
            }
            assert_eq!(card_of(&logits), card);
        }
    }
}
