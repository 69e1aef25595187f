//! The network that classifies a context crop and corrects the outline's corners, trained on drawn
//! tables only.
//!
//! A batch holds cards of many tables. Each is cropped along an outline with random errors as large
//! as the finder's ([`jitter`]), or along one of a finder's detections ([`negatives`]).
//! [`setsight_nets::refiner`] describes input and output. The loss is the mean absolute error of the
//! corners plus the cross entropies of whether the outline is right and of the card's properties.
//! One network does both because a covered card can only be read from its visible part, once its
//! position is known.

pub(crate) mod jitter;
pub(crate) mod negatives;

use super::finder::scenes::{self, Draw, Drawn, Kept};
use super::layers::{Loss, binary_cross_entropy, softmax_cross_entropy};
use super::net::{Layer, Plan};
use super::run::{Settings, Task, Validation};
use super::{
    checkpoint::{First, Weights},
    finder::target::SeenCard,
    layers::Tensor,
};
use jitter::Light;
use negatives::{Found, FoundTable};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use setsight_game::cards::Property;
use setsight_nets::refiner::{HEIGHT, OUTPUTS, RIGHT, RIGHT_WITHIN, VALUES, WIDTH};
use setsight_photo::geometry::{Homography, Quad};
use setsight_scenes::scenes::HELD_BACK;
use setsight_vision::refiner::{context_crop, input_of, outline_in_short_sides};
use std::sync::{Arc, OnceLock};

/// Width and height of a training picture in pixels. Its cards are as large as in the image in
/// which the finder's outlines are refined.
pub const SIZE_PX: (u32, u32) = (480, 384);
/// Cards in a step.
pub(crate) const BATCH: usize = 64;
/// New tables per step, without and with a finder. Running a finder takes longer than drawing.
const TABLES_PER_STEP: u64 = 2;
const TABLES_PER_STEP_WHERE_FOUND: u64 = 1;
/// A step's cards come from the latest tables, this many.
const POOL: u64 = 320;
/// Number of steps in the training of the shipped weights.
pub const STEPS: u64 = 24_000;
/// Number of outlines per step without a card under them. A run from random weights adds them late,
/// after it has learnt to read cards; a run from existing weights adds harder ones from the start.
const NOTHING: usize = 10;
const NOTHING_FROM: u64 = STEPS * 3 / 5;
/// Number of validation tables, and cards of each.
pub const VALIDATION_TABLES: u64 = 200;
const VALIDATION_CARDS: usize = 4;
/// Steps between validations.
pub const VALIDATE_EVERY: u64 = 400;
/// Seed of the validation tables, outside the range that training draws from.
const VALIDATION_SEED: u64 = HELD_BACK + 0x7265_6669_6e65;
/// Minimum fraction in view of a card to learn from.
pub const LEAST_IN_VIEW: f64 = 0.15;
/// Minimum mean fraction in view of its symbols.
const LEAST_OF_SYMBOLS: f64 = 0.4;
/// A card with a smaller fraction in view counts as covered and is drawn more often.
const COVERED: f64 = 0.95;
const COVERED_WEIGHT: f64 = 3.0;
/// A card with a smaller fraction in view shows hardly more than its symbols; such cards are rare
/// and hardest.
const MOSTLY_COVERED: f64 = 0.3;
const MOSTLY_COVERED_WEIGHT: f64 = 9.0;
/// Weight of the corners' error in the loss.
const CORNERS_WEIGHT: f32 = 4.0;
/// Weight of each property's cross entropy in the loss.
const VALUE_WEIGHT: f32 = 0.5;

/// The network: 27 million multiply-accumulates, 3x3 convolutions down to 8 x 12 and to 4 x 6
/// cells, some of them residual for faster training, then two dense layers, because position
/// matters.
pub fn plan() -> Plan {
    let mut plan = Plan::chain(3, [HEIGHT, WIDTH], Vec::new());
    plan.then(Layer::conv3(3, 16, 2));
    plan.then(Layer::conv3(16, 48, 2));
    plan.then(Layer::conv3(48, 80, 2));
    plan.then_add(Layer::conv3(80, 80, 1));
    plan.then_add(Layer::conv3(80, 80, 1));
    plan.then(Layer::conv3(80, 128, 2));
    plan.then_add(Layer::conv3(128, 128, 1));
    plan.then_add(Layer::conv3(128, 128, 1));
    // Without this, the first dense layer would hold nearly all weights.
    plan.then(Layer::conv1(128, 48));
    plan.then(Layer::Flatten);
    plan.then(Layer::Dense { inputs: 48 * 4 * 6, outputs: 128, relu: true });
    plan.then(Layer::Dense { inputs: 128, outputs: OUTPUTS, relu: false });
    plan
}

/// The refiner's training.
pub struct Refiner {
    seed: u64,
    plan: Plan,
    /// The initial weights.
    first: First,
    least_in_view: f64,
    /// Whether it also learns from a finder's own outlines.
    has_found: bool,
    tables: Kept<FoundTable>,
    /// The validation tables, and their number.
    judged_on: (Kept<FoundTable>, u64),
    validation: OnceLock<Batch>,
}

/// Settings of a run of `steps` steps, from random weights or from existing ones.
pub fn settings(seed: u64, steps: u64, from_another: bool) -> Settings {
    let learning_rate = if from_another { 2.5e-3 } else { 5e-3 };
    Settings::to_the_end(seed, steps, learning_rate, VALIDATE_EVERY)
}

/// Cards ready for the network.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// `[n, 3, HEIGHT, WIDTH]`.
    pixels: Vec<f32>,
    /// `[n, 21]`: the corners' offsets, whether the outline is right (1) or not (0), and a one-hot
    /// value of each property; all 0 where no card lies.
    wanted: Vec<f32>,
}

impl Batch {
    fn len(&self) -> usize {
        self.wanted.len() / OUTPUTS
    }

    /// The targets of each crop, and whether a card lies there.
    fn rows(&self) -> impl Iterator<Item = (&[f32], bool)> {
        let rows = self.wanted.chunks_exact(OUTPUTS);
        rows.map(|row| (row, row[VALUES..].iter().any(|value| *value > 0.0)))
    }

    /// Adds an outline under which no card lies, if there is one. Its target is that the outline is
    /// wrong; the loss ignores all else.
    fn push_nothing(&mut self, table: &FoundTable, outline: Option<Quad>, rng: &mut Pcg64) -> bool {
        let Some(outline) = outline else { return false };
        if !self.push_view(&table.drawn, &outline, rng) {
            return false;
        }
        self.wanted.extend([0.0; OUTPUTS]);
        true
    }

    /// Adds the context crop along an outline.
    fn push_view(&mut self, table: &Drawn, outline: &Quad, rng: &mut Pcg64) -> bool {
        let (width, height) = table.size_px;
        let size_px = (width as u32, height as u32);
        let Some(view) = context_crop(&table.rgb, size_px, outline) else { return false };
        let light = Light::new(rng);
        self.pixels.extend(input_of(&view).into_iter().enumerate().map(|(i, v)| light.on(i, v)));
        true
    }

    /// Adds a random card of a table, along an outline with an error; `false` if no card is
    /// sufficiently in view.
    fn push(&mut self, table: &FoundTable, least_in_view: f64, rng: &mut Pcg64) -> bool {
        let FoundTable { drawn: table, found } = table;
        let weight = |card| weight_of(card, least_in_view);
        let total: f64 = table.cards.iter().map(weight).sum();
        let mut place = rng.random::<f64>() * total;
        let card = table.cards.iter().find(|card| {
            place -= weight(card);
            place < 0.0
        });
        let Some(card) = card else { return false };
        let mut truth = card.corners;
        if rng.random::<bool>() {
            // A card looks the same after half a turn.
            truth.0.rotate_left(2);
        }
        let found = negatives::outline_of(found, table, card).filter(|_| rng.random::<bool>());
        let outline = match found {
            Some(found) => jitter::nearly(&turned_like(found, &truth), rng),
            None => jitter::outline(&truth, rng),
        };
        let Some(outline) = outline else { return false };
        let reference = outline_in_short_sides();
        let Some(from_image) = Homography::between(&outline, &reference) else { return false };
        if !self.push_view(table, &outline, rng) {
            return false;
        }
        let mut error = 0.0;
        for (corner, at) in truth.0.map(|p| from_image.apply(p)).into_iter().zip(reference.0) {
            let off = corner - at;
            error += off.norm() / 4.0;
            self.wanted.extend([off.x as f32, off.y as f32]);
        }
        self.wanted.push(f32::from(u8::from(error < RIGHT_WITHIN)));
        for property in Property::ALL {
            let value = card.card.value(property);
            self.wanted.extend((0..3).map(|v| f32::from(u8::from(v == value))));
        }
        true
    }
}

/// How often a card is chosen.
fn weight_of(card: &SeenCard, least_in_view: f64) -> f64 {
    let symbols = card.symbols.iter().map(|symbol| symbol.1).sum::<f64>();
    match card.in_view {
        part if part < least_in_view => 0.0,
        _ if symbols / (card.symbols.len() as f64) < LEAST_OF_SYMBOLS => 0.0,
        part if part < MOSTLY_COVERED => MOSTLY_COVERED_WEIGHT,
        part if part < COVERED => COVERED_WEIGHT,
        _ => 1.0,
    }
}

/// The outline, rotated by half a turn if that brings its corners nearer to another's.
fn turned_like(outline: &Quad, other: &Quad) -> Quad {
    let mut turned = *outline;
    turned.0.rotate_left(2);
    let [far, near] = [outline, &turned].map(|quad| -> f64 {
        quad.0.iter().zip(other.0).map(|(corner, other)| corner.distance(other)).sum()
    });
    if near < far { turned } else { *outline }
}

/// Drawn tables with the finder's outlines, the last `most` cached.
fn tables_with_outlines(
    seed: u64,
    most: usize,
    draw: Draw,
    size_px: (u32, u32),
    finder: &Option<Arc<Found>>,
) -> Kept<FoundTable> {
    let finder = finder.clone();
    Kept::new(most, move |index| {
        let drawn = draw(seed, index, size_px);
        let found = finder.as_ref().map_or_else(Vec::new, |finder| finder.on(&drawn));
        FoundTable { drawn, found }
    })
}

impl Refiner {
    /// A task that draws its own tables. `first` gives the initial weights, `least_in_view` is the
    /// minimum fraction in view of a card to learn from (see [`LEAST_IN_VIEW`]), and `finder` adds
    /// its outlines to the training data.
    pub fn new(
        seed: u64,
        first: First,
        least_in_view: f64,
        finder: Option<Found>,
        validation_tables: u64,
    ) -> Self {
        Self {
            first,
            least_in_view,
            ..Self::with(seed, scenes::draw_covered, SIZE_PX, finder, validation_tables)
        }
    }

    fn with(
        seed: u64,
        draw: Draw,
        size_px: (u32, u32),
        finder: Option<Found>,
        validation_tables: u64,
    ) -> Self {
        let finder = finder.map(Arc::new);
        Self {
            seed,
            plan: plan(),
            first: First::Chance,
            least_in_view: LEAST_IN_VIEW,
            has_found: finder.is_some(),
            tables: tables_with_outlines(seed, POOL as usize + 8, draw, size_px, &finder),
            judged_on: (
                tables_with_outlines(VALIDATION_SEED, 1, draw, size_px, &finder),
                validation_tables,
            ),
            validation: OnceLock::new(),
        }
    }

    /// SHA-256, in hexadecimal digits, that identifies the tables of a run of `steps` steps: of the
    /// seed, the number and the contents of the first tables, which determine all others.
    pub fn fingerprint(&self, steps: u64) -> String {
        let first = (0..self.tables_per_step()).map(|index| self.tables.at(index).drawn);
        scenes::fingerprint(self.seed, steps, first)
    }

    fn nothing(&self, table: &FoundTable, rng: &mut Pcg64) -> Option<Quad> {
        let FoundTable { drawn, found } = table;
        let found = negatives::of_none_found(found, drawn, rng).filter(|_| rng.random::<bool>());
        if found.is_some() {
            found
        } else if self.first.goes_on() {
            negatives::harder(drawn, rng)
        } else {
            negatives::outline(drawn, rng)
        }
    }

    fn tables_per_step(&self) -> u64 {
        if self.has_found { TABLES_PER_STEP_WHERE_FOUND } else { TABLES_PER_STEP }
    }

    fn nothing_from(&self) -> u64 {
        if self.first.goes_on() { 0 } else { NOTHING_FROM }
    }

    fn validation(&self) -> &Batch {
        self.validation.get_or_init(|| {
            let (tables, number) = &self.judged_on;
            let mut batch = Batch::default();
            for index in 0..*number {
                let table = tables.at(index);
                let mut rng = Pcg64::seed_from_u64(VALIDATION_SEED ^ index);
                for _ in 0..VALIDATION_CARDS {
                    batch.push(&table, self.least_in_view, &mut rng);
                }
                let outline = self.nothing(&table, &mut rng);
                batch.push_nothing(&table, outline, &mut rng);
            }
            batch
        })
    }
}

impl Task for Refiner {
    type Batch = Batch;

    fn name(&self) -> &'static str {
        "refiner"
    }

    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn config(&self) -> serde_json::Value {
        serde_json::json!({
            "scenes": scenes::VERSION,
            "rough": jitter::VERSION,
            "light": jitter::SHADING_VERSION,
            "nothing": negatives::VERSION,
            "nothing_in_batch": NOTHING,
            "nothing_from": self.nothing_from(),
            "goes_on": self.first.goes_on(),
            "least_in_view": self.least_in_view,
            "found": self.has_found.then_some(negatives::FOUND_VERSION),
            "size_px": [SIZE_PX.0, SIZE_PX.1],
            "batch": BATCH,
            "tables_per_step": self.tables_per_step(),
            "pool": POOL,
            "validation_tables": self.judged_on.1,
            "corners_weight": CORNERS_WEIGHT,
            "value_weight": VALUE_WEIGHT,
        })
    }

    fn init(&self, seed: u64) -> Weights {
        self.first.weights(&self.plan, seed, || self.input(&self.batch(0)))
    }

    fn batch(&self, step: u64) -> Batch {
        // The first step draws enough tables for a varied batch.
        const FIRST: u64 = 24;
        let drawn = FIRST + self.tables_per_step() * step;
        let pool = drawn.saturating_sub(POOL)..drawn;
        let mut rng = Pcg64::seed_from_u64(self.seed ^ step.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut batch = Batch::default();
        let cards = if step < self.nothing_from() { BATCH } else { BATCH - NOTHING };
        while batch.len() < BATCH {
            let table = self.tables.at(rng.random_range(pool.clone()));
            if batch.len() < cards {
                batch.push(&table, self.least_in_view, &mut rng);
            } else {
                let outline = self.nothing(&table, &mut rng);
                batch.push_nothing(&table, outline, &mut rng);
            }
        }
        batch
    }

    fn input(&self, batch: &Batch) -> Tensor {
        Tensor::new(batch.pixels.clone(), &[batch.len(), 3, HEIGHT, WIDTH])
    }

    fn loss(&self, output: &Tensor, batch: &Batch) -> Loss {
        let n = batch.len() as f32;
        let mut gradient = vec![0.0; output.values.len()];
        let (mut corners, mut right, mut values) = (0.0f64, 0.0f64, [0.0f64; 4]);
        let rows = output.values.chunks_exact(OUTPUTS).zip(gradient.chunks_exact_mut(OUTPUTS));
        for ((numbers, gradient), (wanted, is_card)) in rows.zip(batch.rows()) {
            // Outlines without a card have no corner targets.
            for k in (0..RIGHT).filter(|_| is_card) {
                let off = numbers[k] - wanted[k];
                corners += f64::from(off.abs());
                let slope = if off == 0.0 { 0.0 } else { off.signum() };
                gradient[k] = slope * CORNERS_WEIGHT / (n * RIGHT as f32);
            }
            right +=
                binary_cross_entropy(numbers[RIGHT], wanted[RIGHT], 1.0 / n, &mut gradient[RIGHT]);
            for (p, value) in values.iter_mut().enumerate() {
                let outputs: [usize; 3] = std::array::from_fn(|v| VALUES + 3 * p + v);
                let targets = outputs.map(|i| wanted[i]);
                *value +=
                    softmax_cross_entropy(numbers, &outputs, &targets, VALUE_WEIGHT / n, gradient);
            }
        }
        let corners = (corners / f64::from(n * RIGHT as f32)) as f32;
        let right = (right / f64::from(n)) as f32;
        let values = values.map(|value| (value / f64::from(n)) as f32);
        let total = corners * CORNERS_WEIGHT + right + values.iter().sum::<f32>() * VALUE_WEIGHT;
        let mut parts = vec![("corners", corners), ("right", right)];
        // One loss per property, so that each can be reported.
        parts.extend(Property::ALL.map(Property::word).into_iter().zip(values));
        Loss { total, parts, gradient }
    }

    fn validate(&self, forward: &dyn Fn(Tensor) -> Tensor) -> Validation {
        /// Number of cards judged at once.
        const AT_ONCE: usize = 200;
        let all = self.validation();
        let (mut errors, mut loss, mut judged, mut read) = (Vec::new(), 0.0, 0, [0; 4]);
        let (mut nothing, mut rejected) = (0u32, 0u32);
        let views = all.pixels.chunks(AT_ONCE * 3 * WIDTH * HEIGHT);
        for (pixels, wanted) in views.zip(all.wanted.chunks(AT_ONCE * OUTPUTS)) {
            let batch = Batch { pixels: pixels.to_vec(), wanted: wanted.to_vec() };
            let output = forward(self.input(&batch));
            loss += f64::from(self.loss(&output, &batch).total) * batch.len() as f64;
            for (outputs, (wanted, is_card)) in
                output.values.chunks_exact(OUTPUTS).zip(batch.rows())
            {
                if !is_card {
                    nothing += 1;
                    rejected += u32::from(outputs[RIGHT] < 0.0);
                    continue;
                }
                errors.push(
                    (0..4)
                        .map(|i| {
                            f64::from(outputs[2 * i] - wanted[2 * i])
                                .hypot(f64::from(outputs[2 * i + 1] - wanted[2 * i + 1]))
                        })
                        .sum::<f64>()
                        / 4.0,
                );
                judged += usize::from((outputs[RIGHT] > 0.0) == (wanted[RIGHT] > 0.5));
                let values =
                    outputs[VALUES..].chunks_exact(3).zip(wanted[VALUES..].chunks_exact(3));
                for (read, (value, wanted)) in read.iter_mut().zip(values) {
                    *read += usize::from(best_of(value) == best_of(wanted));
                }
            }
        }
        let n = errors.len().max(1) as f64;
        let [near, fair] = [0.08, 0.16]
            .map(|most| errors.iter().filter(|error| **error < most).count() as f64 / n);
        let mut figures = vec![
            ("corners within 0.08".into(), near),
            ("corners within 0.16".into(), fair),
            ("told right from wrong".into(), judged as f64 / n),
        ];
        for (property, read) in Property::ALL.into_iter().zip(read) {
            figures.push((format!("{} right", property.word()), read as f64 / n));
        }
        let share = f64::from(rejected) / f64::from(nothing.max(1));
        figures.push(("told that no card is there".into(), share));
        Validation { loss: loss / (all.len().max(1) as f64), figures }
    }
}

/// Index of the largest value.
fn best_of(values: &[f32]) -> Option<usize> {
    (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b]))
}

#[cfg(test)]
mod tests;
