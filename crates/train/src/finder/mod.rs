//! The card detector: a network that finds cards in a downscaled photo, trained on drawn tables
//! only.
//!
//! Every batch holds new scenes and a few past ones, mirrored and with different lighting, because
//! drawing a scene costs about as much as learning from it. [`setsight_nets::finder`] describes the
//! output maps. The loss is that of CornerNet (Law and Deng 2018) for the peaks and an absolute
//! difference for the boxes.
//!
//! | file | what it holds |
//! |---|---|
//! | [`scenes`] | drawn tables in sequence, with replay |
//! | [`target`] | the target maps of a table |
//! | [`Tally`] | precision and recall of the network's claims |

pub(crate) mod scenes;
pub(crate) mod target;
#[cfg(test)]
mod tests;

use super::checkpoint::{First, Weights};
use super::layers::{Loss, Tensor, softplus};
use super::net::{Layer, Plan, Step};
use super::run::{Settings, Task, Validation};
use scenes::{Draw, Drawn, Stream};
use setsight_nets::finder;
use setsight_photo::geometry::Quad;
use setsight_photo::numeric::sigmoid;
use setsight_scenes::scenes::HELD_BACK;
use setsight_vision::find::{Candidate, Maps, Params, cards};
use std::sync::OnceLock;
use target::{SHAPE_PLANES, SeenCard, Target, Wanted};

/// Width and height of a training picture in pixels.
pub const SIZE_PX: (u32, u32) = (320, 256);
/// Pictures in a step.
pub const BATCH: usize = 8;
/// Pictures per step that are replayed.
const REPLAYED: usize = 4;
/// Number of validation tables.
pub const VALIDATION_SCENES: u64 = 160;
/// Steps between validations.
pub const VALIDATE_EVERY: u64 = 250;
/// Number of pictures in the training of the shipped weights.
pub const SCENES: u64 = 64_000;
/// Seed of the validation tables, outside the range that training draws from.
const VALIDATION_SEED: u64 = HELD_BACK + 0x0066_696e_6465_7231;
/// Threshold for claiming a card in validation: log odds of a probability of two in five.
const THRESHOLD: f64 = -0.405;
/// Weights of the symbols' peaks and of the boxes; the cards' peaks have weight 1.
const SYMBOL_WEIGHT: f32 = 0.4;
const BOX_WEIGHT: f32 = 0.6;
/// Initial logit of both kinds of peak. Peaks are rare; a network that starts with a low prior need
/// not unlearn thousands of false ones.
const RARE: f32 = -3.5;

/// The finder's training.
pub struct Finder {
    seed: u64,
    plan: Plan,
    /// The initial weights.
    first: First,
    stream: Stream,
    /// A description of the stream's tables, if they are not all drawn.
    tables: Option<serde_json::Value>,
    validation: Validating,
}

/// The validation tables, drawn when first needed.
struct Validating {
    draw: Draw,
    scenes: u64,
    size_px: (u32, u32),
    drawn: OnceLock<Vec<Drawn>>,
}

/// The options that define a run of the finder.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Seed of the initial weights and of every table.
    pub seed: u64,
    /// How tables are drawn.
    pub draw: Draw,
    /// Width and height of a table's picture, multiples of 16.
    pub size_px: (u32, u32),
    /// Number of validation tables.
    pub validation_scenes: u64,
}

impl Options {
    /// The options of the shipped weights' training.
    pub fn new(seed: u64) -> Self {
        Self { seed, draw: scenes::draw, size_px: SIZE_PX, validation_scenes: VALIDATION_SCENES }
    }
}

/// Settings of a run over `pictures` pictures. A run that goes on from finished weights learns more
/// slowly, so as not to lose them.
pub fn settings(seed: u64, pictures: u64, goes_on: bool) -> Settings {
    let steps = pictures.div_ceil(BATCH as u64);
    let rate = if goes_on { 4e-3 } else { 1.2e-2 };
    Settings::to_the_end(seed, steps, rate, VALIDATE_EVERY)
}

impl Finder {
    /// A task that draws its own tables.
    pub fn new(options: &Options, first: First) -> Self {
        let Options { seed, draw, size_px, .. } = *options;
        let stream = Stream::new(seed, move |index| draw(seed, index, size_px));
        Self { first, ..Self::with_stream(options, stream) }
    }

    /// A task that continues from a network on the tables that `table` returns by index; `tables`
    /// describes them in the run's `config.json`.
    pub(crate) fn going_on(
        options: &Options,
        first: First,
        table: impl Fn(u64) -> Drawn + Send + Sync + 'static,
        tables: serde_json::Value,
    ) -> Self {
        let stream = Stream::new(options.seed, table);
        Self { first, tables: Some(tables), ..Self::with_stream(options, stream) }
    }

    fn with_stream(options: &Options, stream: Stream) -> Self {
        let Options { seed, draw, size_px, validation_scenes } = *options;
        Self {
            seed,
            plan: plan(),
            first: First::default(),
            stream,
            tables: None,
            validation: Validating {
                draw,
                scenes: validation_scenes,
                size_px,
                drawn: OnceLock::new(),
            },
        }
    }

    /// SHA-256, in hexadecimal digits, that identifies the tables of a run over `pictures`: of the
    /// seed, the number and the contents of the first tables, which determine all others.
    pub fn fingerprint(&self, pictures: u64) -> String {
        scenes::fingerprint(self.seed, pictures, self.stream.step(0, BATCH, REPLAYED))
    }
}

/// The network: plain 3x3 convolutions at strides 2, 4, 8 and 16, residual blocks (He et al. 2016), one
/// at 8 and two at 16, the last dilated, and back to stride 4 by nearest-neighbour upsampling and
/// sums. 259 thousand parameters. Inner channels are multiples of 16, to which ONNX Runtime fills them up
/// with AVX-512.
pub fn plan() -> Plan {
    let mut net = Builder::default();
    let half = net.conv(0, [3, 16], 3, 2, 1);
    let quarter = net.conv(half, [16, 16], 3, 2, 1);
    let quarter = net.conv(quarter, [16, 16], 3, 1, 1);
    let eighth = net.conv(quarter, [16, 48], 3, 2, 1);
    let eighth = net.block(eighth, 48, 1);
    let sixteenth = net.conv(eighth, [48, 64], 3, 2, 1);
    let sixteenth = net.block(sixteenth, 64, 1);
    let sixteenth = net.block(sixteenth, 64, 2);
    let wide = net.conv_plain(sixteenth, [64, 48]);
    let wide = net.push(Layer::Upsample, &[wide]);
    let eighth = net.push(Layer::Add { relu: true }, &[eighth, wide]);
    let eighth = net.conv(eighth, [48, 48], 3, 1, 1);
    let wide = net.conv_plain(eighth, [48, 16]);
    let wide = net.push(Layer::Upsample, &[wide]);
    let quarter = net.push(Layer::Add { relu: true }, &[quarter, wide]);
    let quarter = net.conv(quarter, [16, 32], 3, 1, 1);
    net.conv_plain(quarter, [32, finder::OUTPUTS]);
    Plan { input_channels: 3, input_size: None, steps: net.steps }
}

#[derive(Default)]
struct Builder {
    steps: Vec<Step>,
}

impl Builder {
    fn push(&mut self, layer: Layer, inputs: &[usize]) -> usize {
        self.steps.push(Step { layer, inputs: inputs.to_vec() });
        self.steps.len()
    }

    fn conv(
        &mut self,
        from: usize,
        channels: [usize; 2],
        kernel: usize,
        stride: usize,
        dilation: usize,
    ) -> usize {
        self.push(conv(channels, kernel, stride, dilation, true, true), &[from])
    }

    /// A 1x1 convolution with a bias, without norm or ReLU.
    fn conv_plain(&mut self, from: usize, channels: [usize; 2]) -> usize {
        self.push(conv(channels, 1, 1, 1, false, false), &[from])
    }

    fn block(&mut self, from: usize, channels: usize, dilation: usize) -> usize {
        let inner = self.conv(from, [channels; 2], 3, 1, dilation);
        let inner = self.push(conv([channels; 2], 3, 1, 1, true, false), &[inner]);
        self.push(Layer::Add { relu: true }, &[from, inner])
    }
}

fn conv(
    [inputs, outputs]: [usize; 2],
    kernel: usize,
    stride: usize,
    dilation: usize,
    norm: bool,
    relu: bool,
) -> Layer {
    let padding = [dilation * (kernel / 2); 4];
    Layer::Conv { inputs, outputs, kernel, stride, padding, dilation, groups: 1, norm, relu }
}

/// Data of one step. Maps are `[pictures, planes, rows, columns]`.
pub struct Batch {
    /// Pictures, columns and rows of the input.
    size: [usize; 3],
    /// `[pictures, 3, rows, columns]`, 0 to 1.
    pixels: Vec<f32>,
    /// Weight of each true and each false peak, for cards and for symbols.
    peak: [Vec<f32>; 2],
    quiet: [Vec<f32>; 2],
    shape: Vec<f32>,
    /// Weight of the boxes' values.
    shape_weight: Vec<f32>,
}

impl Batch {
    /// Tables and their targets; each part of the loss is averaged over its own count.
    fn from_scenes(scenes: &[Drawn]) -> Self {
        let (width, height) = scenes[0].size_px;
        let mut batch = Self {
            size: [scenes.len(), height, width],
            pixels: Vec::with_capacity(scenes.len() * 3 * width * height),
            peak: Default::default(),
            quiet: Default::default(),
            shape: Vec::new(),
            shape_weight: Vec::new(),
        };
        for scene in scenes {
            batch.pixels.extend(scene.planes());
            let target = Target::for_cards(&scene.cards, scene.size_px);
            for kind in [finder::CARD, finder::SYMBOL] {
                batch.peak[kind].extend(&target.peak[kind]);
                batch.quiet[kind].extend(&target.quiet[kind]);
            }
            batch.shape.extend(&target.shape);
            batch.shape_weight.extend(&target.shape_weight);
        }
        for (kind, weight) in [(finder::CARD, 1.0), (finder::SYMBOL, SYMBOL_WEIGHT)] {
            let peaks = batch.peak[kind].iter().filter(|p| **p > 0.0).count();
            let share = weight / peaks.max(1) as f32;
            let (peak, quiet) = (&mut batch.peak[kind], &mut batch.quiet[kind]);
            peak.iter_mut().chain(quiet).for_each(|w| *w *= share);
        }
        let boxes = batch.shape_weight.iter().filter(|w| **w > 0.0).count();
        let share = BOX_WEIGHT / boxes.max(1) as f32;
        batch.shape_weight.iter_mut().for_each(|w| *w *= share);
        batch
    }
}

impl Task for Finder {
    type Batch = Batch;

    fn name(&self) -> &'static str {
        "finder"
    }

    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn config(&self) -> serde_json::Value {
        let mut config = serde_json::json!({
            "scenes": scenes::VERSION,
            "size_px": [self.validation.size_px.0, self.validation.size_px.1],
            "batch": BATCH,
            "replayed": REPLAYED,
            "validation_scenes": self.validation.scenes,
            "weights_of_the_loss": { "symbols": SYMBOL_WEIGHT, "boxes": BOX_WEIGHT },
        });
        if let Some(tables) = &self.tables {
            config["tables"] = tables.clone();
        }
        config
    }

    fn init(&self, seed: u64) -> Weights {
        if self.first.goes_on() {
            return self.first.weights(&self.plan, seed, || self.input(&self.batch(0)));
        }
        let mut weights = self.plan.init(seed);
        let head = weights.arrays.last_mut().expect("a head");
        head.values[finder::CARD] = RARE;
        head.values[finder::SYMBOL] = RARE;
        weights
    }

    fn batch(&self, step: u64) -> Batch {
        Batch::from_scenes(&self.stream.step(step, BATCH, REPLAYED))
    }

    fn input(&self, batch: &Batch) -> Tensor {
        let [pictures, height, width] = batch.size;
        Tensor::new(batch.pixels.clone(), &[pictures, 3, height, width])
    }

    fn loss(&self, output: &Tensor, batch: &Batch) -> Loss {
        let [_, planes, rows, columns] = output.maps();
        let cells = rows * columns;
        let mut gradient = vec![0.0; output.values.len()];
        let (mut peaks, mut boxes) = ([0.0f64; 2], 0.0f64);
        let pictures = output.values.chunks_exact(planes * cells);
        let pictures = pictures.zip(gradient.chunks_exact_mut(planes * cells));
        for (picture, (maps, gradient)) in pictures.enumerate() {
            for kind in [finder::CARD, finder::SYMBOL] {
                for cell in 0..cells {
                    let (at, of_batch) = (kind * cells + cell, picture * cells + cell);
                    let (peak, quiet) = (batch.peak[kind][of_batch], batch.quiet[kind][of_batch]);
                    let (loss, slope) = focal_loss(maps[at], peak, quiet);
                    peaks[kind] += f64::from(loss);
                    gradient[at] = slope;
                }
            }
            for plane in 0..SHAPE_PLANES {
                for cell in 0..cells {
                    let at = (finder::OFFSET + plane) * cells + cell;
                    let weight = batch.shape_weight[picture * cells + cell];
                    let asked = batch.shape[(picture * SHAPE_PLANES + plane) * cells + cell];
                    let off = maps[at] - asked;
                    boxes += f64::from(off.abs() * weight);
                    gradient[at] = if off == 0.0 { 0.0 } else { off.signum() * weight };
                }
            }
        }
        let [cards, symbols] = peaks;
        let parts =
            vec![("cards", cards as f32), ("symbols", symbols as f32), ("boxes", boxes as f32)];
        Loss { total: (cards + symbols + boxes) as f32, parts, gradient }
    }

    fn validate(&self, forward: &dyn Fn(Tensor) -> Tensor) -> Validation {
        let mut tally = Tally::default();
        let (mut loss, mut batches) = (0.0, 0);
        for scenes in self.validation.drawn().chunks(BATCH) {
            let batch = Batch::from_scenes(scenes);
            let output = forward(self.input(&batch));
            loss += f64::from(self.loss(&output, &batch).total);
            batches += 1;
            let [_, planes, rows, columns] = output.maps();
            for (maps, scene) in output.values.chunks_exact(planes * rows * columns).zip(scenes) {
                let maps = Maps { values: maps.to_vec(), rows, columns };
                let claims = cards(&maps, THRESHOLD, Params::default().apart);
                tally.add(&claims, &scene.cards, scene.size_px);
            }
        }
        Validation { loss: loss / f64::from(batches.max(1)), figures: tally.figures() }
    }
}

/// The focal loss (Lin et al. 2017) of one cell: its logit, the weight of a peak that is missed
/// there, and that of one that is invented. Also its derivative.
fn focal_loss(logit: f32, peak: f32, quiet: f32) -> (f32, f32) {
    /// Far beyond this the sigmoid as a float equals 1.
    const FAR: f32 = 12.0;
    let x = logit.clamp(-FAR, FAR);
    let (sure, rest) = (sigmoid(x), sigmoid(-x));
    let (missed, invented) = (softplus(-x), softplus(x));
    let loss = peak * rest * rest * missed + quiet * sure * sure * invented;
    if x != logit {
        return (loss, 0.0);
    }
    let of_missed = -rest * rest * (2.0 * sure * missed + rest);
    let of_invented = sure * sure * (2.0 * rest * invented + sure);
    (loss, peak * of_missed + quiet * of_invented)
}

impl Validating {
    fn drawn(&self) -> &[Drawn] {
        self.drawn.get_or_init(|| {
            (0..self.scenes).map(|i| (self.draw)(VALIDATION_SEED, i, self.size_px)).collect()
        })
    }
}

/// Counts of claims and cards over some pictures.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    /// Number of pictures.
    pub scenes: usize,
    /// Number of cards that must be found.
    pub cards: usize,
    /// Number of those that were found.
    pub found: usize,
    /// Number of claims where no card lies, not even an optional one.
    pub false_claims: usize,
    /// For each card found: mean distance of its corners, divided by its long side.
    pub corner_errors: Vec<f64>,
}

/// A claim belongs to a card if their centres are closer than this fraction of the card's long
/// side.
const NEAR: f64 = 0.35;

impl Tally {
    /// Adds a picture of `size_px` (width, height). Each claim is matched to the nearest card, and
    /// each card at most once.
    pub(crate) fn add(
        &mut self,
        claims: &[Candidate],
        cards: &[SeenCard],
        size_px: (usize, usize),
    ) {
        let asked: Vec<Wanted> = cards.iter().map(|card| card.wanted(size_px)).collect();
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        for (i, card) in cards.iter().enumerate() {
            for (j, claim) in claims.iter().enumerate() {
                let apart =
                    card.corners.center().distance(claim.quad.center()) / card.corners.long_side();
                if apart < NEAR && asked[i] != Wanted::Nothing {
                    pairs.push((apart, i, j));
                }
            }
        }
        // Cards that must be found are matched first.
        let rank = |i: usize| asked[i] != Wanted::Found;
        pairs.sort_by(|a, b| (rank(a.1), a.0).partial_cmp(&(rank(b.1), b.0)).expect("no NaN"));
        let (mut card_of, mut claim_of) = (vec![None; claims.len()], vec![None; cards.len()]);
        for (_, i, j) in pairs {
            if card_of[j].is_none() && claim_of[i].is_none() {
                card_of[j] = Some(i);
                claim_of[i] = Some(j);
            }
        }
        self.scenes += 1;
        self.false_claims += card_of.iter().filter(|card| card.is_none()).count();
        for (i, card) in cards.iter().enumerate().filter(|(i, _)| asked[*i] == Wanted::Found) {
            self.cards += 1;
            if let Some(j) = claim_of[i] {
                self.found += 1;
                let error = corner_error(&claims[j].quad, &card.corners);
                self.corner_errors.push(error / card.corners.long_side());
            }
        }
    }

    /// Share of the cards that were found, 0 to 1.
    pub(crate) fn found_share(&self) -> f64 {
        self.found as f64 / self.cards.max(1) as f64
    }

    /// Validation figures: the share of cards found, the share of claims that are right, and the
    /// share of found cards whose corners are off by less than a twentieth of the long side.
    pub(crate) fn figures(&self) -> Vec<(String, f64)> {
        let claims = self.found + self.false_claims;
        let near = self.corner_errors.iter().filter(|error| **error < 0.05).count();
        vec![
            ("found".into(), self.found_share()),
            ("right".into(), self.found as f64 / claims.max(1) as f64),
            ("corners".into(), near as f64 / self.found.max(1) as f64),
        ]
    }
}

/// Mean distance of the corners in pixels, minimised over the starting corner and the direction.
fn corner_error<A, B>(a: &Quad<A>, b: &Quad<B>) -> f64 {
    let orders = (0..4).flat_map(|turn| {
        [[0, 1, 2, 3].map(|i| (i + turn) % 4), [0, 1, 2, 3].map(|i| (7 + turn - i) % 4)]
    });
    orders
        .map(|at| (0..4).map(|i| a.0[at[i]].distance(b.0[i])).sum::<f64>() / 4.0)
        .fold(f64::INFINITY, f64::min)
}
