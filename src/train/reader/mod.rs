//! The network that reads one straightened card: what it is, and how it learns.
//!
//! | file | what it holds |
//! |---|---|
//! | [`sample`] | one crop and what is known of it; crops in groups |
//! | [`drawn`] | crops cut from drawn tables |
//! | [`kept`] | drawn crops on disk |
//! | [`real`] | crops and corrected photos from folders |
//! | [`miss`] | how outlines miss, and outlines that hold no card |
//! | [`mod@alter`] | other cameras and other light, while training goes |
//!
//! Every crop goes through the real [`crate::pipeline::rectify`], so that training sees what reading
//! sees. What is drawn at the start and what a batch holds depends on the seed and the step alone.

pub mod alter;
pub mod drawn;
pub mod kept;
pub mod miss;
pub mod real;
pub mod sample;

use super::net::{Layer, Output, Plan};
use super::weights::Weights;
use super::{Task, Validation};
use crate::cards::Property;
use crate::model::reader::{CARD, HEIGHT, INPUT_SCALE, OUTPUTS, PROPERTIES, WIDTH};
use alter::alter;
use burn::tensor::{Device, Tensor, TensorData, activation};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use sample::{Group, Sample};

/// Crops in a batch.
pub const BATCH: usize = 64;
/// What a right value's probability is trained towards is 1 less this, so that the network is not
/// driven to be surer than it can be (Szegedy et al. 2016).
const SMOOTHING: f32 = 0.02;
/// Weight of card-or-not beside the four properties.
const CARD_WEIGHT: f32 = 0.7;
/// Crops judged at a time in validation.
const VALIDATION_BATCH: usize = 256;

/// The network: 3.4 million multiply-accumulates, 25 thousand weights, sequential, with nothing but
/// what an int8 microcontroller runs well.
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

/// Training of the reader.
pub struct ReaderTask {
    /// The network.
    pub plan: Plan,
    /// Everything random in batches comes from it.
    pub seed: u64,
    /// Weights to begin with; fresh ones from the run's seed without.
    pub first: Option<Weights>,
    /// What batches are made of, with the share of each.
    pub training: Vec<(Group, f64)>,
    /// What is judged, each group by itself.
    pub validation: Vec<Group>,
    /// What of the data decides the outcome, for the run's configuration.
    pub data: serde_json::Value,
}

/// Crops ready for the network.
pub struct Batch {
    /// `[n, 3, HEIGHT, WIDTH]`.
    pixels: Vec<f32>,
    /// `[n, OUTPUTS]`: the probability wanted of each output.
    wanted: Vec<f32>,
    /// `[n, OUTPUTS]`: how much each output counts.
    weight: Vec<f32>,
}

impl Batch {
    fn new() -> Self {
        Self { pixels: Vec::new(), wanted: Vec::new(), weight: Vec::new() }
    }

    fn len(&self) -> usize {
        self.wanted.len() / OUTPUTS
    }

    /// Adds a crop. What colours look like is learnt from drawn crops, whose lights and inks vary, and
    /// from what a user adds of the camera at hand. Others are of a few cameras: with the colours of
    /// two learnt, cards of the third were read worse (their colours 92.4 % right, not 96.4).
    fn push(&mut self, pixels: &[u8], sample: &Sample, teaches_color: bool) {
        for c in 0..3 {
            self.pixels
                .extend(pixels.iter().skip(c).step_by(3).map(|&v| f32::from(v) * INPUT_SCALE));
        }
        let mut wanted = [0.0; OUTPUTS];
        let mut weight = [0.0; OUTPUTS];
        weight[CARD] = 1.0;
        if let Some(card) = sample.card {
            wanted[CARD] = 1.0;
            for (p, property) in Property::ALL.into_iter().enumerate() {
                let counts = property != Property::Color || teaches_color;
                for v in 0..3 {
                    let right = f32::from(u8::from(card.value(property) == v));
                    wanted[3 * p + v] = right * (1.0 - SMOOTHING) + SMOOTHING / 3.0;
                    weight[3 * p + v] = f32::from(u8::from(counts));
                }
            }
        }
        self.wanted.extend(wanted);
        self.weight.extend(weight);
    }
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
        self.first.clone().unwrap_or_else(|| self.plan.init(seed))
    }

    fn batch(&self, step: u64) -> Batch {
        let mut rng = Pcg64::seed_from_u64(key(self.seed, step));
        let total: f64 = self.training.iter().map(|group| group.1).sum();
        let mut batch = Batch::new();
        for i in 0..BATCH {
            // Shares are kept within every batch: places are spread evenly over the groups.
            let mut place = (i as f64 + rng.random::<f64>()) / BATCH as f64 * total;
            let group = self.training.iter().find(|group| {
                place -= group.1;
                place < 0.0
            });
            let Some((group, _)) = group.or(self.training.last()) else { break };
            let sample = group.pick(&mut rng);
            let pixels = alter(&sample.pixels, group.is_drawn, &mut rng);
            batch.push(&pixels, sample, group.teaches_color);
        }
        batch
    }

    fn input(&self, batch: &Batch, device: &Device) -> Tensor<4> {
        let shape = [batch.len(), 3, HEIGHT, WIDTH];
        Tensor::from_data(TensorData::new(batch.pixels.clone(), shape), device)
    }

    fn loss(&self, output: Output, batch: &Batch) -> (Tensor<1>, Vec<(&'static str, Tensor<1>)>) {
        let logits = output.flat();
        let device = logits.device();
        let n = batch.len();
        let rows = |values: &[f32]| {
            Tensor::<2>::from_data(TensorData::new(values.to_vec(), [n, OUTPUTS]), &device)
        };
        let (wanted, weight) = (rows(&batch.wanted), rows(&batch.weight));
        let cards = batch.weight.chunks_exact(OUTPUTS).map(|w| w[0]).sum::<f32>().max(1.0);
        let mut parts = Vec::with_capacity(PROPERTIES + 1);
        let mut total: Option<Tensor<1>> = None;
        for (p, name) in ["number", "shading", "colour", "shape"].into_iter().enumerate() {
            let of = |tensor: &Tensor<2>| tensor.clone().slice([0..n, 3 * p..3 * p + 3]);
            let log = activation::log_softmax(of(&logits), 1);
            let part = (log * of(&wanted) * of(&weight)).sum().div_scalar(-cards);
            total = Some(match total {
                Some(total) => total + part.clone(),
                None => part.clone(),
            });
            parts.push((name, part));
        }
        let card = |tensor: &Tensor<2>| tensor.clone().slice([0..n, CARD..CARD + 1]);
        // log(1 + exp(x)) - x y, the cross entropy of a logit.
        let x = card(&logits);
        let part = (activation::softplus(x.clone(), 1.0) - x * card(&wanted)).mean();
        parts.push(("card", part.clone()));
        let total = total.expect("four properties") + part.mul_scalar(CARD_WEIGHT);
        (total, parts)
    }

    fn validate(&self, forward: &dyn Fn(Tensor<4>) -> Output, device: &Device) -> Validation {
        let mut loss = 0.0;
        let mut figures = Vec::new();
        for group in &self.validation {
            let judged = judge(group, forward, device);
            loss += judged.loss / self.validation.len() as f64;
            figures.push((format!("{} cards right", group.name), judged.right));
            if let Some(told) = judged.told_apart {
                figures.push((format!("{} card or not", group.name), told));
            }
        }
        Validation { loss, figures }
    }
}

/// How well a group is read.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// Mean cross entropy, properties and card-or-not together, as in training.
    pub loss: f64,
    /// Share of the cards of which all four properties are right.
    pub right: f64,
    /// Share of all crops that are rightly told to be cards or not; none when all are cards.
    pub told_apart: Option<f64>,
}

/// Reads every crop of a group, unaltered.
pub fn judge(group: &Group, forward: &dyn Fn(Tensor<4>) -> Output, device: &Device) -> Judged {
    let (mut loss, mut cards, mut right, mut told) = (0.0, 0u32, 0u32, 0u32);
    for samples in group.samples.chunks(VALIDATION_BATCH) {
        let mut batch = Batch::new();
        for sample in samples {
            batch.push(&sample.pixels, sample, true);
        }
        let shape = [samples.len(), 3, HEIGHT, WIDTH];
        let input = Tensor::from_data(TensorData::new(batch.pixels, shape), device);
        let logits = forward(input).flat().into_data().try_to_vec::<f32>().unwrap_or_default();
        for (sample, logits) in samples.iter().zip(logits.chunks_exact(OUTPUTS)) {
            let x = f64::from(logits[CARD]);
            told += u32::from((x > 0.0) == sample.card.is_some());
            let odds = if sample.card.is_some() { -x } else { x };
            loss +=
                f64::from(CARD_WEIGHT) * odds.max(0.0).mul_add(1.0, (-odds.abs()).exp().ln_1p());
            let Some(card) = sample.card else { continue };
            let mut all = true;
            for (p, property) in Property::ALL.into_iter().enumerate() {
                let three = &logits[3 * p..3 * p + 3];
                let value = card.value(property);
                let most = three.iter().copied().fold(f32::MIN, f32::max);
                let sum: f32 = three.iter().map(|v| (v - most).exp()).sum();
                loss += f64::from(most + sum.ln() - three[value]);
                all &= three[value] >= most;
            }
            cards += 1;
            right += u32::from(all);
        }
    }
    let share = |n: u32, of: u32| f64::from(n) / f64::from(of.max(1));
    let all = group.samples.len() as u32;
    Judged {
        loss: loss / f64::from(all.max(1)),
        right: share(right, cards),
        told_apart: (cards < all).then(|| share(told, all)),
    }
}

/// Scatters a seed and a number, so that neighbours have nothing in common (SplitMix64's finaliser,
/// Steele, Lea and Flood 2014).
fn key(seed: u64, number: u64) -> u64 {
    let mut z = seed.rotate_left(32) ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::sample::BYTES;
    use super::*;
    use crate::cards::Card;
    use crate::train::net::{Live, run_graph};
    use crate::train::weights::Weights;

    /// Cards of one grey each, which is no picture of a card but is learnt by heart all the same.
    fn task() -> ReaderTask {
        let sample = |i: usize| Sample {
            pixels: vec![60 * i as u8; BYTES].into_boxed_slice(),
            card: (i > 0).then(|| Card::from_index(40 * (i - 1))),
        };
        let group = |name: &str, samples: std::ops::Range<usize>| Group {
            name: name.into(),
            is_drawn: true,
            teaches_color: true,
            samples: samples.map(sample).collect(),
        };
        ReaderTask {
            plan: plan(),
            seed: 3,
            first: None,
            training: vec![(group("cards", 1..4), 0.75), (group("none", 0..1), 0.25)],
            validation: vec![group("all", 0..4)],
            data: serde_json::Value::Null,
        }
    }

    #[test]
    fn the_network_is_as_small_as_said() {
        let plan = plan();
        let graph = plan.graph(&plan.init(1));
        assert_eq!(graph.parameters(), 24_901);
        let device = Device::default();
        let input = Tensor::<4>::zeros([2, 3, HEIGHT, WIDTH], &device);
        assert_eq!(run_graph(&graph, input).flat().dims(), [2, OUTPUTS]);
    }

    #[test]
    fn a_batch_depends_on_seed_and_step_and_keeps_its_shares() {
        let task = task();
        let (batch, again, next) = (task.batch(5), task.batch(5), task.batch(6));
        assert!(batch.pixels == again.pixels && batch.wanted == again.wanted);
        assert!(batch.pixels != next.pixels);
        assert_eq!(batch.len(), BATCH);
        for row in batch.weight.chunks_exact(OUTPUTS).zip(batch.wanted.chunks_exact(OUTPUTS)) {
            let sums: Vec<f32> = row.1[..CARD].chunks_exact(3).map(|v| v.iter().sum()).collect();
            let is_card = row.1[CARD] > 0.5;
            assert!(sums.iter().all(|sum| (sum - f32::from(u8::from(is_card))).abs() < 1e-6));
            assert_eq!(row.0[0] > 0.0, is_card, "what is no card has no properties");
        }
        let cards = batch.wanted.chunks_exact(OUTPUTS).filter(|row| row[CARD] > 0.5).count();
        assert!((47..=49).contains(&cards), "{cards}");
    }

    #[test]
    fn the_loss_of_validation_is_that_of_training() {
        let task = task();
        let device = Device::default().autodiff();
        let weights: Weights = task.init(9);
        let live = Live::new(&weights, &device);
        let mut batch = Batch::new();
        for sample in &task.validation[0].samples {
            batch.push(&sample.pixels, sample, true);
        }
        // Without smoothing the two are the same but for how cards and others are weighed.
        let graph = task.plan.graph(&weights);
        let plain = device.clone().without_autodiff();
        let judged = task.validate(&|input| run_graph(&graph, input), &plain);
        assert!(judged.loss.is_finite() && judged.figures.len() == 2);
        let (output, statistics) = task.plan.forward(&live, task.input(&batch, &device));
        assert_eq!(statistics.len(), 10);
        let (total, parts) = task.loss(output, &batch);
        let number = |tensor: Tensor<1>| tensor.into_data().try_to_vec::<f32>().unwrap()[0];
        let sum: f32 = parts
            .into_iter()
            .map(|(name, part)| number(part) * if name == "card" { CARD_WEIGHT } else { 1.0 })
            .sum();
        assert!((number(total) - sum).abs() < 1e-4);
    }
}
