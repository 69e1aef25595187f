//! The network that says which cards of a table are alike, trained on drawn boards of invented decks only.
//!
//! A step shows tables of equally many cards, and things that are none. Each card is straightened as inference
//! does it, along an outline with small errors, of which a table has one in common. The loss is the pairwise
//! logistic loss of "alike in this property", the cross entropies of the number of symbols and of card or not,
//! and as further tasks in training alone what the generator knows of the card's filling and outline.
//! [`setsight_nets::sameness`] describes input and output.

use super::checkpoint::{First, Weights};
use super::finder::scenes::Kept;
use super::layers::{Loss, Tensor, binary_cross_entropy, softmax_cross_entropy, softplus};
use super::net::{Layer, Plan, Step};
use super::run::{Settings, Task, Validation};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use setsight_nets::reader::{CHANNELS, HEIGHT, WIDTH};
use setsight_nets::sameness::{ALIKE, CARD, EMBEDDINGS, NUMBER, OUTPUTS};
use setsight_photo::geometry::Quad;
use setsight_photo::numeric::sigmoid;
use setsight_photo::print::dice::{Dice, Purpose};
use setsight_scenes::invented::{self, FillingKind, InventedBoard};
use setsight_scenes::scenes::HELD_BACK;
use setsight_vision::classify::neural::input_of;
use setsight_vision::{CardImage, CardOutline};
use sha2::{Digest, Sha256};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Tables in a step.
const TABLES: usize = 5;
/// Fewest and most cards of a table.
const CARDS: Range<usize> = 6..13;
/// New tables per step; the others come from the latest, this many.
const TABLES_PER_STEP: u64 = 2;
const POOL: u64 = 1_500;
/// Number of steps in the training of the shipped weights.
pub const STEPS: u64 = 15_000;
/// Steps between validations, and the tables of one.
const VALIDATE_EVERY: u64 = 250;
const VALIDATION_TABLES: u64 = 100;
/// Seed of the validation tables, outside the range that training draws from.
const VALIDATION_SEED: u64 = HELD_BACK + 0x7361_6d65;
const LEARNING_RATE: f32 = 2e-3;
/// See [`super::optimiser::Schedule::orthogonal`].
const ORTHOGONAL: f32 = 10.0;
/// Changed whenever the same seed gives other batches.
const VERSION: u32 = 2;

/// Weights of the parts of the loss. Alike pairs are rarer than others and count twice as much.
const NUMBER_WEIGHT: f32 = 0.5;
const CARD_WEIGHT: f32 = 0.3;
const PAIR_WEIGHTS: [f32; 2] = [0.75, 1.5];
const KIND_WEIGHT: f32 = 0.3;
const COVERAGE_WEIGHT: f32 = 1.0;
const OUTLINE_WEIGHT: f32 = 2.0;

/// Further outputs in training: the kind of the filling, its coverage, the outline as a picture.
const KINDS: Range<usize> = OUTPUTS..OUTPUTS + KIND_COUNT;
const KIND_COUNT: usize = FillingKind::Noise as usize + 1;
const COVERAGE: usize = KINDS.end;
const MASK: Range<usize> = COVERAGE + 1..COVERAGE + 1 + MASK_PX * MASK_PX;
const MASK_PX: usize = 16;
const ALL_OUTPUTS: usize = MASK.end;

/// Pixels of a card.
const INPUT: usize = CHANNELS * HEIGHT * WIDTH;

/// The network: 16 million multiply-accumulates a card. Convolutions at four scales, the three coarsest added (the
/// finest of these for the texture of fillings), then [`setsight_nets::graph::AgainstTable`].
pub fn plan() -> Plan {
    let mut plan = Plan::chain(CHANNELS, [HEIGHT, WIDTH], Vec::new());
    plan.then(Layer::conv3(3, 16, 2));
    plan.then(Layer::conv3(16, 32, 2));
    plan.then_add(Layer::conv3(32, 32, 1));
    let texture = plan.steps.len();
    plan.then(Layer::conv3(32, 64, 2));
    plan.then_add(Layer::conv3(64, 64, 1));
    plan.then_add(Layer::conv3(64, 64, 1));
    let middle = plan.steps.len();
    plan.then(Layer::conv3(64, 64, 2));
    plan.then(Layer::Upsample);
    add_last(&mut plan, middle);
    let sum = plan.steps.len();
    plan.steps.push(Step { layer: Layer::AveragePool { size: 2 }, inputs: vec![texture] });
    plan.then(Layer::conv1(32, 64));
    add_last(&mut plan, sum);
    plan.then(Layer::AgainstTable {
        tables: TABLES,
        channels: 64,
        maps: 8,
        hidden: 96,
        outputs: ALL_OUTPUTS,
        kept: OUTPUTS,
    });
    plan
}

/// Adds the last result to that of an earlier step.
fn add_last(plan: &mut Plan, earlier: usize) {
    let last = plan.steps.len();
    plan.steps.push(Step { layer: Layer::Add { relu: false }, inputs: vec![earlier, last] });
}

/// Settings of a run of `steps` steps.
pub fn settings(seed: u64, steps: u64) -> Settings {
    let mut settings = Settings::to_the_end(seed, steps, LEARNING_RATE, VALIDATE_EVERY);
    settings.schedule.orthogonal = Some(ORTHOGONAL);
    settings
}

/// The training.
pub struct Sameness {
    seed: u64,
    plan: Plan,
    /// The initial weights.
    first: First,
    tables: Kept<Arc<Table>>,
    validation: OnceLock<Vec<Batch>>,
}

/// A drawn table as the network sees it.
struct Table {
    entries: Vec<Entry>,
    kinds: [usize; 3],
    coverages: [f32; 3],
    masks: [[f32; MASK_PX * MASK_PX]; 3],
}

struct Entry {
    /// `[3, 64, 96]`, 0 to 255.
    pixels: Vec<u8>,
    /// The value of each property; none for what is no card.
    class: Option<[usize; 4]>,
}

impl Table {
    /// Straightens all cards of a board along outlines with errors.
    fn new(board: &InventedBoard, rng: &mut Dice) -> Self {
        let spread = rng.pick(&[(0.003, 1.0), (0.012, 2.0), (0.025, 1.0)]);
        let bias = [0; 4].map(|_| spread * rng.normal());
        let each = rng.pick(&[(0.002, 1.0), (0.008, 1.0), (0.02, 1.0)]);
        // Inference turns cards along their symbols, and errs now and then.
        let turned = board.stacked != rng.chance(0.05);
        let mut entry = |quad: &Quad, class: Option<[usize; 4]>| {
            let errors = bias.map(|bias| bias + each * rng.normal());
            let mut quad = moved(quad, errors);
            if turned {
                quad.0.rotate_left(1);
            }
            let image = CardImage::rectify_drawn(&board.image, &CardOutline::at(quad));
            let pixels = input_of(&image).into_iter().map(|v| (255.0 * v).round() as u8);
            Entry { pixels: pixels.collect(), class }
        };
        let cards: Vec<Entry> =
            board.cards.iter().map(|card| entry(&card.corners, Some(card.class))).collect();
        let strays = board.strays.iter().map(|quad| entry(quad, None));
        Self {
            entries: cards.into_iter().chain(strays.collect::<Vec<_>>()).collect(),
            kinds: board.fillings.map(|filling| filling.kind as usize),
            coverages: board.fillings.map(|filling| filling.coverage as f32),
            masks: board.outlines.map(|outline| mask_of(&outline, turned)),
        }
    }
}

/// An outline, 0 to 1, as a card shows it that is turned by a quarter or is not.
fn mask_of(outline: &[u8; MASK_PX * MASK_PX], turned: bool) -> [f32; MASK_PX * MASK_PX] {
    std::array::from_fn(|i| {
        let (y, x) = (i / MASK_PX, i % MASK_PX);
        let at = if turned { x * MASK_PX + MASK_PX - 1 - y } else { i };
        f32::from(outline[at]) / 255.0
    })
}

/// A quadrilateral whose left, right, upper and lower side is off by parts of its width.
fn moved(quad: &Quad, [left, right, upper, lower]: [f64; 4]) -> Quad {
    let [a, b, c, d] = quad.0;
    let (across, down) = ((b - a + c - d) / 2.0, (d - a + c - b) / 2.0);
    let down = down * (across.norm() / down.norm().max(1e-9));
    Quad::new([
        a + across * left + down * upper,
        b + across * right + down * upper,
        c + across * right + down * lower,
        d + across * left + down * lower,
    ])
}

/// Tables of equally many cards.
#[derive(Default)]
pub struct Batch {
    pixels: Vec<f32>,
    cards_of_table: usize,
    truths: Vec<Option<Truth>>,
}

/// What is right for a card.
struct Truth {
    class: [usize; 4],
    kind: usize,
    coverage: f32,
    mask: [f32; MASK_PX * MASK_PX],
}

/// How a table is shown.
#[derive(Clone, Copy)]
struct View {
    mirrored: bool,
    upside_down: bool,
    channels: [usize; 3],
}

impl View {
    const PLAIN: Self = Self { mirrored: false, upside_down: false, channels: [0, 1, 2] };

    fn random(rng: &mut Pcg64) -> Self {
        let mut channels = [0, 1, 2];
        if rng.random_bool(0.5) {
            channels.shuffle(rng);
        }
        Self { mirrored: rng.random(), upside_down: rng.random(), channels }
    }

    /// The pixels of one plane or mask in the order in which they are shown.
    fn places(self, rows: usize, columns: usize) -> impl Iterator<Item = usize> {
        (0..rows * columns).map(move |i| {
            let (y, x) = (i / columns, i % columns);
            let y = if self.upside_down { rows - 1 - y } else { y };
            let x = if self.mirrored { columns - 1 - x } else { x };
            y * columns + x
        })
    }
}

impl Batch {
    /// Adds some cards of a table; `false` if it has too few.
    fn push(&mut self, table: &Table, view: View, rng: &mut Pcg64) -> bool {
        let (mut cards, mut strays): (Vec<&Entry>, Vec<&Entry>) =
            table.entries.iter().partition(|entry| entry.class.is_some());
        cards.shuffle(rng);
        strays.shuffle(rng);
        let strays = &strays
            [..strays.len().min(if rng.random_bool(0.4) { rng.random_range(1..3) } else { 0 })];
        let wanted = self.cards_of_table - strays.len().min(self.cards_of_table);
        if cards.len() < wanted {
            return false;
        }
        for entry in cards[..wanted].iter().chain(strays) {
            for channel in view.channels {
                let plane = &entry.pixels[channel * HEIGHT * WIDTH..][..HEIGHT * WIDTH];
                let places = view.places(HEIGHT, WIDTH);
                self.pixels.extend(places.map(|i| f32::from(plane[i]) / 255.0));
            }
            self.truths.push(entry.class.map(|class| Truth {
                class,
                kind: table.kinds[class[1]],
                coverage: table.coverages[class[1]],
                mask: masked(&table.masks[class[3]], view),
            }));
        }
        true
    }

    fn tables(&self) -> usize {
        self.truths.len() / self.cards_of_table.max(1)
    }
}

fn masked(mask: &[f32; MASK_PX * MASK_PX], view: View) -> [f32; MASK_PX * MASK_PX] {
    let mut out = [0.0; MASK_PX * MASK_PX];
    out.iter_mut().zip(view.places(MASK_PX, MASK_PX)).for_each(|(v, i)| *v = mask[i]);
    out
}

fn table(seed: u64, index: u64) -> Table {
    let board = invented::board(seed, index);
    Table::new(&board, &mut Dice::new(seed, index, Purpose::Sensor))
}

impl Sameness {
    /// A task that draws its own boards. `first` gives the initial weights; a network without those of the
    /// further tasks cannot.
    pub fn new(seed: u64, first: First) -> Self {
        Self {
            seed,
            plan: plan(),
            first,
            tables: Kept::new(POOL as usize + 64, move |index| {
                Arc::new(table(seed % HELD_BACK, index))
            }),
            validation: OnceLock::new(),
        }
    }

    /// SHA-256, in hexadecimal digits, that identifies the tables of a run of `steps` steps: of the seed, the
    /// number and the contents of the first tables, which determine all others.
    pub fn fingerprint(&self, steps: u64) -> String {
        let mut hash = Sha256::new();
        hash.update(self.seed.to_le_bytes());
        hash.update(steps.to_le_bytes());
        for index in 0..TABLES_PER_STEP {
            self.tables.at(index).entries.iter().for_each(|entry| hash.update(&entry.pixels));
        }
        setsight_nets::engine::hex(&hash.finalize())
    }

    fn validation(&self) -> &[Batch] {
        self.validation.get_or_init(|| {
            let mut rng = Pcg64::seed_from_u64(VALIDATION_SEED);
            let batches = (0..VALIDATION_TABLES).filter_map(|index| {
                let table = table(VALIDATION_SEED, index);
                let mut batch =
                    Batch { cards_of_table: table.entries.len().min(12), ..Batch::default() };
                batch.push(&table, View::PLAIN, &mut rng).then_some(batch)
            });
            batches.collect()
        })
    }
}

/// The losses of a batch, and their gradient.
struct Losses {
    number: f64,
    card: f64,
    pairs: [f64; 3],
    kind: f64,
    coverage: f64,
    outline: f64,
    gradient: Vec<f32>,
}

impl Losses {
    /// Of outputs of which each card has `stride`: without those of training alone, their losses are 0.
    fn new(output: &[f32], batch: &Batch) -> Self {
        let stride = output.len() / batch.truths.len();
        let mut losses = Self {
            number: 0.0,
            card: 0.0,
            pairs: [0.0; 3],
            kind: 0.0,
            coverage: 0.0,
            outline: 0.0,
            gradient: vec![0.0; output.len()],
        };
        let cards = batch.truths.iter().flatten().count().max(1) as f32;
        let all = batch.truths.len() as f32;
        let rows = output.chunks_exact(stride).zip(batch.truths.iter().enumerate());
        for (row, (i, truth)) in rows {
            let gradient = &mut losses.gradient[i * stride..][..stride];
            let is_card = f32::from(u8::from(truth.is_some()));
            losses.card +=
                binary_cross_entropy(row[CARD], is_card, CARD_WEIGHT / all, &mut gradient[CARD]);
            if let Some(truth) = truth {
                losses.number +=
                    one_hot(row, NUMBER, truth.class[0], NUMBER_WEIGHT / cards, gradient);
                if stride == ALL_OUTPUTS {
                    losses.generators(row, truth, cards, i * stride);
                }
            }
        }
        for t in 0..batch.tables() {
            losses.of_pairs(output, batch, t, stride);
        }
        losses.number /= f64::from(cards);
        losses.card /= f64::from(all);
        losses
    }

    /// What the generator knows of a card, whose outputs begin at `at`.
    fn generators(&mut self, row: &[f32], truth: &Truth, cards: f32, at: usize) {
        let gradient = &mut self.gradient[at..][..row.len()];
        let share = f64::from(cards);
        self.kind += one_hot(row, KINDS, truth.kind, KIND_WEIGHT / cards, gradient) / share;
        let off = row[COVERAGE] - truth.coverage;
        self.coverage += f64::from(off * off) / share;
        gradient[COVERAGE] += 2.0 * off * COVERAGE_WEIGHT / cards;
        let pixels = MASK.len() as f32;
        for (k, wanted) in MASK.zip(truth.mask) {
            let part = OUTLINE_WEIGHT / (cards * pixels);
            let loss = binary_cross_entropy(row[k], wanted, part, &mut gradient[k]);
            self.outline += loss / (share * f64::from(pixels));
        }
    }

    /// The pairs of cards of table `t`.
    fn of_pairs(&mut self, output: &[f32], batch: &Batch, t: usize, stride: usize) {
        let first = t * batch.cards_of_table;
        let cards: Vec<(usize, &Truth)> = (first..first + batch.cards_of_table)
            .filter_map(|i| Some((i, batch.truths[i].as_ref()?)))
            .collect();
        let share = 1.0 / (pairs(&cards).count().max(1) * batch.tables()) as f32;
        for ((i, a), (j, b)) in pairs(&cards) {
            for (p, range) in EMBEDDINGS.into_iter().enumerate() {
                let alike = a.class[p + 1] == b.class[p + 1];
                let off = |k: usize| output[i * stride + k] - output[j * stride + k];
                let logit = ALIKE - range.clone().map(|k| off(k) * off(k)).sum::<f32>();
                let target = f32::from(u8::from(alike));
                let weight = PAIR_WEIGHTS[usize::from(alike)] * share;
                self.pairs[p] += f64::from(weight * (softplus(logit) - target * logit));
                let slope = weight * (sigmoid(logit) - target);
                for k in range {
                    let along = -2.0 * slope * off(k);
                    self.gradient[i * stride + k] += along;
                    self.gradient[j * stride + k] -= along;
                }
            }
        }
    }

    fn total(&self) -> f64 {
        self.number * f64::from(NUMBER_WEIGHT)
            + self.card * f64::from(CARD_WEIGHT)
            + self.pairs.iter().sum::<f64>()
            + self.kind * f64::from(KIND_WEIGHT)
            + self.coverage * f64::from(COVERAGE_WEIGHT)
            + self.outline * f64::from(OUTLINE_WEIGHT)
    }
}

/// Each two of a list.
fn pairs<T: Copy>(all: &[T]) -> impl Iterator<Item = (T, T)> {
    all.iter().enumerate().flat_map(|(i, a)| all[i + 1..].iter().map(move |b| (*a, *b)))
}

fn one_hot(
    row: &[f32],
    range: Range<usize>,
    truth: usize,
    share: f32,
    gradient: &mut [f32],
) -> f64 {
    let targets: Vec<f32> = (0..range.len()).map(|v| f32::from(u8::from(v == truth))).collect();
    let outputs: Vec<usize> = range.collect();
    softmax_cross_entropy(row, &outputs, &targets, share, gradient)
}

impl Task for Sameness {
    type Batch = Batch;

    fn name(&self) -> &'static str {
        "sameness"
    }

    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn config(&self) -> serde_json::Value {
        serde_json::json!({
            "version": VERSION,
            "tables": TABLES,
            "tables_per_step": TABLES_PER_STEP,
            "goes_on": self.first.goes_on(),
            "pool": POOL,
            "validation_tables": VALIDATION_TABLES,
        })
    }

    fn init(&self, seed: u64) -> Weights {
        self.first.weights(&self.plan, seed, || self.input(&self.batch(0)))
    }

    fn batch(&self, step: u64) -> Batch {
        // The first step draws enough tables for a varied batch.
        const FIRST: u64 = 40;
        let drawn = FIRST + TABLES_PER_STEP * step;
        let pool = drawn.saturating_sub(POOL)..drawn;
        let mut rng = Pcg64::seed_from_u64(self.seed ^ step.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut batch = Batch { cards_of_table: rng.random_range(CARDS), ..Batch::default() };
        let mut fresh = drawn - TABLES_PER_STEP..drawn;
        while batch.tables() < TABLES {
            let index = fresh.next().unwrap_or_else(|| rng.random_range(pool.clone()));
            let view = View::random(&mut rng);
            batch.push(&self.tables.at(index), view, &mut rng);
        }
        batch
    }

    fn input(&self, batch: &Batch) -> Tensor {
        Tensor::new(batch.pixels.clone(), &[batch.pixels.len() / INPUT, CHANNELS, HEIGHT, WIDTH])
    }

    fn loss(&self, output: &Tensor, batch: &Batch) -> Loss {
        let losses = Losses::new(&output.values, batch);
        let [filling, ink, outline] = losses.pairs.map(|loss| loss as f32);
        let parts = vec![
            ("number", losses.number as f32),
            ("card", losses.card as f32),
            ("filling", filling),
            ("ink", ink),
            ("outline", outline),
            ("kind of filling", losses.kind as f32),
            ("coverage", losses.coverage as f32),
            ("picture of the outline", losses.outline as f32),
        ];
        Loss { total: losses.total() as f32, parts, gradient: losses.gradient }
    }

    fn validate(&self, forward: &dyn Fn(Tensor) -> Tensor) -> Validation {
        let all = self.validation();
        let (mut loss, mut numbers, mut cards) = (0.0, 0, 0);
        let (mut grouped, mut strays, mut rejected) = ([0; 3], 0, 0);
        for batch in all {
            let output = forward(self.input(batch)).values;
            loss += Losses::new(&output, batch).total();
            for (row, truth) in output.chunks_exact(OUTPUTS).zip(&batch.truths) {
                let Some(truth) = truth else {
                    strays += 1;
                    rejected += u32::from(row[CARD] < 0.0);
                    continue;
                };
                cards += 1;
                let best = NUMBER.max_by(|&a, &b| row[a].total_cmp(&row[b]));
                numbers += u32::from(best == Some(truth.class[0]));
            }
            for (p, grouped) in grouped.iter_mut().enumerate() {
                *grouped += u32::from(is_grouped(&output, batch, p));
            }
        }
        let share = |part: u32, of: u32| f64::from(part) / f64::from(of.max(1));
        let mut figures = vec![("number right".to_owned(), share(numbers, cards))];
        for (name, grouped) in ["filling", "ink", "outline"].into_iter().zip(grouped) {
            figures.push((format!("boards grouped by {name}"), share(grouped, all.len() as u32)));
        }
        figures.push(("no card is rejected".into(), share(rejected, strays)));
        Validation { loss: loss / all.len().max(1) as f64, figures }
    }
}

/// Whether all pairs of a board's cards are on the right side of a property's border.
fn is_grouped(output: &[f32], batch: &Batch, property: usize) -> bool {
    let rows: Vec<(&[f32], &Truth)> = output
        .chunks_exact(OUTPUTS)
        .zip(&batch.truths)
        .filter_map(|(row, truth)| Some((row, truth.as_ref()?)))
        .collect();
    let range = EMBEDDINGS[property].clone();
    pairs(&rows).all(|((a, is), (b, other))| {
        let far: f32 = range.clone().map(|k| (a[k] - b[k]).powi(2)).sum();
        (far < ALIKE) == (is.class[property + 1] == other.class[property + 1])
    })
}
