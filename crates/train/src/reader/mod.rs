//! The card classifier: the network that reads one rectified card, and its training.
//!
//! | file | what it holds |
//! |---|---|
//! | [`sample`] | a crop with its label; crops in groups |
//! | [`drawn`] | crops of drawn tables, with errors and without a card, too; cached on disk |
//! | [`labelled_crops`] | crops and corrected photos from folders |
//! | [`mod@augment`] | data augmentation |
//!
//! Every crop goes through the real [`CardImage::rectify`](setsight_vision::CardImage::rectify), so that training and inference
//! get the same input. The crops drawn at the start and the contents of each batch depend on the
//! seed and the step alone.

pub(crate) mod augment;
pub(crate) mod drawn;
pub(crate) mod labelled_crops;
pub(crate) mod sample;

use super::layers::{Loss, binary_cross_entropy, softmax_cross_entropy};
use super::net::{Layer, Plan};
use super::{
    Task, Validation,
    checkpoint::{First, Weights},
    layers::Tensor,
};
use augment::Augment;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use sample::{Group, Label, Sample};
use setsight_game::cards::{Edition, Property, Shape};
use setsight_nets::reader::{CARD, EDITION, HEIGHT, INPUT_SCALE, OUTPUTS, RECTANGLE, WIDTH};

/// Crops in a batch.
pub const BATCH: usize = 64;
/// Label smoothing (Szegedy et al. 2016), so that the network is not driven to overconfidence.
const SMOOTHING: f32 = 0.02;
/// Weight of card-or-not relative to the four properties.
const CARD_WEIGHT: f32 = 0.7;
/// Weight of the edition relative to the four properties.
const EDITION_WEIGHT: f32 = 0.5;
/// The network's softmax outputs: the name, the output indices, the weight. Shape has four values,
/// and each edition has three of them.
const CHOICES: [(&str, &[usize], f32); 5] = [
    ("number", &[0, 1, 2], 1.0),
    ("shading", &[3, 4, 5], 1.0),
    ("colour", &[6, 7, 8], 1.0),
    ("shape", &[9, 10, 11, RECTANGLE], 1.0),
    ("edition", &[EDITION, EDITION + 1, EDITION + 2], EDITION_WEIGHT),
];
/// Crops per validation batch.
const VALIDATION_BATCH: usize = 256;

/// The network: 3.4 million multiply-accumulates, 27 thousand weights, sequential, and only layers
/// that an int8 microcontroller runs well.
pub fn plan() -> Plan {
    let layers = vec![
        Layer::conv3(3, 12, 2),
        Layer::conv3(12, 24, 2),
        Layer::depthwise3(24, 1),
        Layer::conv1(24, 48),
        Layer::depthwise3(48, 2),
        Layer::conv1(48, 64),
        Layer::depthwise3(64, 1),
        Layer::conv1(64, 64),
        Layer::depthwise3(64, 1),
        Layer::conv1(64, 80),
        Layer::AveragePool { size: 4 },
        Layer::Flatten,
        Layer::Dense { inputs: 80 * 2 * 3, outputs: OUTPUTS, relu: false },
    ];
    Plan::chain(3, [HEIGHT, WIDTH], layers)
}

/// The network for copies of screens: 17 million multiply-accumulates, 122 thousand weights. No board runs
/// it, and each app draws in a way of its own.
pub fn large_plan() -> Plan {
    let layers = vec![
        Layer::conv3(3, 16, 2),
        Layer::conv3(16, 32, 2),
        Layer::conv3(32, 48, 1),
        Layer::conv3(48, 48, 2),
        Layer::conv3(48, 64, 1),
        Layer::conv3(64, 80, 1),
        Layer::AveragePool { size: 4 },
        Layer::Flatten,
        Layer::Dense { inputs: 80 * 2 * 3, outputs: OUTPUTS, relu: false },
    ];
    Plan::chain(3, [HEIGHT, WIDTH], layers)
}

pub struct ReaderTask {
    pub plan: Plan,
    /// Seed of all randomness in batches.
    pub seed: u64,
    /// The initial weights.
    pub first: First,
    /// The groups that batches are drawn from, with the share of each.
    pub training: Vec<(Group, f64)>,
    /// The validation groups; each is evaluated by itself.
    pub validation: Vec<Group>,
    /// How a crop is augmented: its bytes, and whether it was drawn.
    pub augment: Augment,
    /// The data that decide the outcome, for the run's configuration.
    pub data: serde_json::Value,
}

/// Crops ready for the network.
pub struct Batch {
    /// `[n, 3, HEIGHT, WIDTH]`.
    pixels: Vec<f32>,
    /// `[n, OUTPUTS]`: the target probability of each output.
    wanted: Vec<f32>,
    /// `[n, OUTPUTS]`: the loss weight of each output.
    weight: Vec<f32>,
}

impl Batch {
    fn new() -> Self {
        Self { pixels: Vec::new(), wanted: Vec::new(), weight: Vec::new() }
    }

    fn len(&self) -> usize {
        self.wanted.len() / OUTPUTS
    }

    /// Adds a crop. Colour is learnt from drawn crops, whose lights and inks vary, and from crops
    /// that a user adds from the camera in use. Other crops come from a few cameras only: when
    /// colour was learnt from two of them, its accuracy on a third fell from 96.4 % to 92.4 %.
    fn push(&mut self, pixels: &[u8], sample: &Sample, teaches_color: bool) {
        for c in 0..3 {
            self.pixels
                .extend(pixels.iter().skip(c).step_by(3).map(|&v| f32::from(v) * INPUT_SCALE));
        }
        let mut wanted = [0.0; OUTPUTS];
        let mut weight = [0.0; OUTPUTS];
        weight[CARD] = 1.0;
        if sample.label.edition().is_some() {
            wanted[CARD] = 1.0;
        }
        for ((name, outputs, _), right) in CHOICES.into_iter().zip(right_outputs(sample.label)) {
            let counts = name != "colour" || teaches_color;
            let Some(right) = right.filter(|_| counts) else { continue };
            for output in outputs {
                let is_right = f32::from(u8::from(*output == right));
                wanted[*output] = is_right * (1.0 - SMOOTHING) + SMOOTHING / outputs.len() as f32;
                weight[*output] = 1.0;
            }
        }
        self.wanted.extend(wanted);
        self.weight.extend(weight);
    }
}

/// The right output of each of [`CHOICES`]; `None` where there is none, such as the values of a
/// card from an unknown deck.
fn right_outputs(label: Label) -> [Option<usize>; 5] {
    let value = |property: Property| Some(3 * property as usize + label.card()?.value(property));
    let shape = match label {
        Label::Card(Edition::Rectangles, card) if card.shape == Shape::Diamond => Some(RECTANGLE),
        _ => value(Property::Shape),
    };
    let edition = label.edition().map(|edition| EDITION + edition.index());
    let [number, shading, color] =
        [Property::Number, Property::Shading, Property::Color].map(value);
    [number, shading, color, shape, edition]
}

impl Task for ReaderTask {
    type Batch = Batch;

    fn name(&self) -> &'static str {
        "reader"
    }

    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn config(&self) -> serde_json::Value {
        self.data.clone()
    }

    fn init(&self, seed: u64) -> Weights {
        self.first.weights(&self.plan, seed, || self.input(&self.batch(0)))
    }

    fn batch(&self, step: u64) -> Batch {
        let mut rng = Pcg64::seed_from_u64(key(self.seed, step));
        let total: f64 = self.training.iter().map(|group| group.1).sum();
        let mut batch = Batch::new();
        for i in 0..BATCH {
            // Places are spread evenly over the groups, so that every batch keeps the shares.
            let mut place = (i as f64 + rng.random::<f64>()) / BATCH as f64 * total;
            let group = self.training.iter().find(|group| {
                place -= group.1;
                place < 0.0
            });
            let Some((group, _)) = group.or(self.training.last()) else { break };
            let sample = group.pick(&mut rng);
            let pixels = (self.augment)(&sample.pixels, group.is_drawn, &mut rng);
            batch.push(&pixels, sample, group.teaches_color);
        }
        batch
    }

    fn input(&self, batch: &Batch) -> Tensor {
        Tensor::new(batch.pixels.clone(), &[batch.len(), 3, HEIGHT, WIDTH])
    }

    fn loss(&self, output: &Tensor, batch: &Batch) -> Loss {
        let n = batch.len() as f32;
        let cards = batch.wanted.chunks_exact(OUTPUTS).map(|w| w[CARD]).sum::<f32>().max(1.0);
        let mut gradient = vec![0.0; output.values.len()];
        let (mut choices, mut card) = ([0.0f64; CHOICES.len()], 0.0f64);
        let rows = output.values.chunks_exact(OUTPUTS).zip(gradient.chunks_exact_mut(OUTPUTS));
        let wanted = batch.wanted.chunks_exact(OUTPUTS).zip(batch.weight.chunks_exact(OUTPUTS));
        for ((logits, gradient), (wanted, weight)) in rows.zip(wanted) {
            for ((_, outputs, factor), loss) in CHOICES.into_iter().zip(&mut choices) {
                let targets: Vec<f32> = outputs.iter().map(|&i| wanted[i] * weight[i]).collect();
                *loss += softmax_cross_entropy(logits, outputs, &targets, factor / cards, gradient);
            }
            let share = CARD_WEIGHT / n;
            card += binary_cross_entropy(logits[CARD], wanted[CARD], share, &mut gradient[CARD]);
        }
        let choices = CHOICES
            .into_iter()
            .zip(choices)
            .map(|((name, _, factor), loss)| (name, factor, (loss / f64::from(cards)) as f32));
        let card = ("card", CARD_WEIGHT, (card / f64::from(n)) as f32);
        let parts: Vec<(&'static str, f32, f32)> = choices.chain([card]).collect();
        let total = parts.iter().map(|(_, weight, part)| weight * part).sum();
        Loss {
            total,
            parts: parts.into_iter().map(|(name, _, part)| (name, part)).collect(),
            gradient,
        }
    }

    fn validate(&self, forward: &dyn Fn(Tensor) -> Tensor) -> Validation {
        let mut loss = 0.0;
        let mut figures = Vec::new();
        for group in &self.validation {
            let judged = judge(group, forward);
            loss += judged.loss / self.validation.len() as f64;
            let has_cards = group.samples.iter().any(|sample| sample.label != Label::NoCard);
            if has_cards {
                figures.push((format!("{}: cards correct", group.name), judged.right));
            }
            if let Some(figure) = judged.is_card_right {
                figures.push((format!("{}: card or not", group.name), figure));
            }
            if has_cards {
                figures.push((format!("{}: edition", group.name), judged.editions));
            }
        }
        Validation { loss, figures }
    }
}

/// The results for one group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judged {
    /// Mean cross entropy of properties and card-or-not together, as in training.
    pub loss: f64,
    /// Share of the cards of known editions with all four properties right.
    pub right: f64,
    /// Share of all crops with card-or-not right; `None` if all are cards.
    pub is_card_right: Option<f64>,
    /// Share of the cards with the right edition.
    pub editions: f64,
}

/// Evaluates a network on every crop of a group, without augmentation.
pub(crate) fn judge(group: &Group, forward: &dyn Fn(Tensor) -> Tensor) -> Judged {
    let (mut loss, mut named, mut right, mut is_card_right) = (0.0, 0u32, 0u32, 0u32);
    let (mut cards, mut editions) = (0u32, 0u32);
    for samples in group.samples.chunks(VALIDATION_BATCH) {
        let mut batch = Batch::new();
        for sample in samples {
            batch.push(&sample.pixels, sample, true);
        }
        let logits = forward(Tensor::new(batch.pixels, &[samples.len(), 3, HEIGHT, WIDTH])).values;
        for (sample, logits) in samples.iter().zip(logits.chunks_exact(OUTPUTS)) {
            let x = f64::from(logits[CARD]);
            let is_card = sample.label != Label::NoCard;
            cards += u32::from(is_card);
            is_card_right += u32::from((x > 0.0) == is_card);
            let odds = if is_card { -x } else { x };
            loss +=
                f64::from(CARD_WEIGHT) * odds.max(0.0).mul_add(1.0, (-odds.abs()).exp().ln_1p());
            let mut all = true;
            let choices = CHOICES.into_iter().zip(right_outputs(sample.label));
            for ((name, outputs, factor), output) in choices {
                let Some(output) = output else { continue };
                let most = outputs.iter().map(|&i| logits[i]).fold(f32::MIN, f32::max);
                let sum: f32 = outputs.iter().map(|&i| (logits[i] - most).exp()).sum();
                loss += f64::from(factor * (most + sum.ln() - logits[output]));
                if name == "edition" {
                    editions += u32::from(logits[output] >= most);
                } else {
                    all &= logits[output] >= most;
                }
            }
            if sample.label.card().is_some() {
                named += 1;
                right += u32::from(all);
            }
        }
    }
    let share = |n: u32, of: u32| f64::from(n) / f64::from(of.max(1));
    let all = group.samples.len() as u32;
    Judged {
        loss: loss / f64::from(all.max(1)),
        right: share(right, named),
        is_card_right: (cards < all).then(|| share(is_card_right, all)),
        editions: share(editions, cards),
    }
}

/// SHA-256 of every training crop and its label, as hexadecimal digits.
pub fn fingerprint<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> String {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    for sample in samples {
        hash.update(&sample.pixels);
        hash.update([sample.label.to_byte()]);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hashes a seed and a number, so that neighbouring numbers give unrelated results (SplitMix64's
/// finaliser, Steele, Lea and Flood 2014).
pub(crate) fn key(seed: u64, number: u64) -> u64 {
    let mut z = seed.rotate_left(32) ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::sample::BYTES;
    use super::*;
    use crate::{
        checkpoint::Weights, layers::tests::gradient_is_that_of_differences, net::run_graph,
    };
    use setsight_game::cards::Card;

    /// Cards of a uniform grey each; these resemble no cards, but a network can memorise them.
    fn task() -> ReaderTask {
        ReaderTask {
            plan: plan(),
            seed: 3,
            first: First::Chance,
            training: vec![(group("cards", 1..4), 0.75), (group("none", 0..1), 0.25)],
            validation: vec![group("all", 0..4)],
            augment: augment::augment,
            data: serde_json::Value::Null,
        }
    }

    fn group(name: &str, samples: std::ops::Range<usize>) -> Group {
        let samples = samples.map(sample).collect();
        Group { name: name.into(), is_drawn: true, teaches_color: true, samples }
    }

    fn sample(i: usize) -> Sample {
        let label = match i {
            0 => Label::NoCard,
            3 => Label::OfUnknownDeck,
            i => Label::for_card(Edition::KNOWN[i - 1], Card::from_index(40 * (i - 1))),
        };
        Sample { pixels: vec![60 * i as u8; BYTES].into_boxed_slice(), label }
    }

    #[test]
    fn the_network_has_the_documented_size() {
        let plan = plan();
        let graph = plan.graph(&plan.init(1));
        assert_eq!(graph.parameters(), 26_825);
        let input = Tensor::zeros(&[2, 3, HEIGHT, WIDTH]);
        assert_eq!(run_graph(&graph, input.clone()).rows(), [2, OUTPUTS]);
        let plan = large_plan();
        let graph = plan.graph(&plan.init(1));
        assert_eq!(graph.parameters(), 121_793);
        assert_eq!(run_graph(&graph, input).rows(), [2, OUTPUTS]);
    }

    #[test]
    fn a_batch_fingerprint_seed_and_step_and_keeps_its_shares() {
        let task = task();
        let (batch, again, next) = (task.batch(5), task.batch(5), task.batch(6));
        assert!(batch.pixels == again.pixels && batch.wanted == again.wanted);
        assert!(batch.pixels != next.pixels);
        assert_eq!(batch.len(), BATCH);
        for row in batch.weight.chunks_exact(OUTPUTS).zip(batch.wanted.chunks_exact(OUTPUTS)) {
            let asked = CHOICES.map(|(_, outputs, _)| {
                let sum: f32 = outputs.iter().map(|&i| row.1[i]).sum();
                let counts = row.0[outputs[0]];
                assert!((sum - counts).abs() < 1e-6, "{sum} {counts}");
                counts > 0.0
            });
            let is_card = row.1[CARD] > 0.5;
            assert_eq!(asked[4], is_card, "what is no card has no edition");
            let has_values = row.1[EDITION + Edition::Unknown.index()] < 0.5;
            assert_eq!(asked[..4], [is_card && has_values; 4], "only known decks have values");
        }
        let cards = batch.wanted.chunks_exact(OUTPUTS).filter(|row| row[CARD] > 0.5).count();
        assert!((47..=49).contains(&cards), "{cards}");
    }

    #[test]
    fn a_group_without_cards_has_no_figure_of_cards() {
        let mut task = task();
        let without_cards = task.training.remove(1).0;
        task.validation.push(without_cards);
        let graph = task.plan.graph(&task.init(9));
        let figures = task.validate(&|input| run_graph(&graph, input)).figures;
        let names: Vec<&str> = figures.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            ["all: cards correct", "all: card or not", "all: edition", "none: card or not"]
        );
    }

    #[test]
    fn the_loss_of_validation_is_that_of_training() {
        let task = task();
        let weights: Weights = task.init(9);
        let mut batch = Batch::new();
        for sample in &task.validation[0].samples {
            batch.push(&sample.pixels, sample, true);
        }
        // Without smoothing the two differ only in the weights of cards and other crops.
        let graph = task.plan.graph(&weights);
        let judged = task.validate(&|input| run_graph(&graph, input));
        assert!(judged.loss.is_finite() && judged.figures.len() == 3);
        let pass = task.plan.forward(&weights, task.input(&batch));
        assert_eq!(pass.statistics().len(), 10);
        let loss = task.loss(pass.output(), &batch);
        let weighed = loss.parts.iter().map(|(name, part)| match *name {
            "card" => part * CARD_WEIGHT,
            "edition" => part * EDITION_WEIGHT,
            _ => *part,
        });
        let sum: f32 = weighed.sum();
        assert!((loss.total - sum).abs() < 1e-4);
        let output = pass.output().clone();
        gradient_is_that_of_differences(&output.values, 1, |values| {
            task.loss(&Tensor::new(values, &output.shape), &batch)
        });
    }
}
