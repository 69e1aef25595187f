//! The loop: batches, steps, validation, early stopping, checkpoints; and how a run reports its progress: a display
//! while it runs, and a table.

use super::checkpoint::{Best, Checkpoint, CheckpointError};
use super::net::{Plan, run_graph};
use super::optimiser::{Schedule, State};
use super::{
    checkpoint::Weights,
    layers::{Loss, Tensor},
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::{Deserialize, Serialize};
use setsight_files::small_file::{MAX_SETTINGS_BYTES, read_text};
use setsight_files::{say, whole_file::write_atomic};
use setsight_nets::graph::Graph;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fmt::Write, io::IsTerminal, sync::mpsc::sync_channel};

/// Version of the run folder; a folder of another one is refused.
const RUN_VERSION: u32 = 2;
/// Name of the file that defines a run.
pub const CONFIG: &str = "config.json";
/// Name of the checkpoint file.
pub const CHECKPOINT: &str = "checkpoint.safetensors";
/// Batches prepared ahead, so that neither side waits.
const AHEAD: usize = 4;
/// Steps without a finite gradient after which a run fails.
const LOST_STEPS: u32 = 20;

/// Something to train.
pub trait Task: Sync {
    /// Data of one training step.
    type Batch: Send;
    /// Its name in messages, such as `reader`.
    fn name(&self) -> &'static str;
    fn plan(&self) -> &Plan;
    /// The parts of the task that decide the outcome. They are written to the run's `config.json`,
    /// and a run resumes only if they are unchanged.
    fn config(&self) -> serde_json::Value;
    fn init(&self, seed: u64) -> Weights {
        self.plan().init(seed)
    }
    /// The batch of a step, counted from 0. It depends on the task and the step alone, so that a
    /// resumed run continues exactly as it would have.
    fn batch(&self, step: u64) -> Self::Batch;
    /// The network's input for a batch.
    fn input(&self, batch: &Self::Batch) -> Tensor;
    fn loss(&self, output: &Tensor, batch: &Self::Batch) -> Loss;
    /// Evaluates a network.
    fn validate(&self, forward: &dyn Fn(Tensor) -> Tensor) -> Validation;
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Validation {
    /// Loss for early stopping; smaller is better.
    pub loss: f64,
    /// Figures to report by name, 0 to 1; larger is better.
    pub figures: Vec<(String, f64)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The same seed gives the same run, to the bit.
    pub seed: u64,
    /// Learning rate and related settings.
    pub schedule: Schedule,
    /// Steps between validations.
    pub validate_every: u64,
    /// Validations without improvement after which a run ends early.
    pub patience: u32,
}

impl Settings {
    /// Settings for a run whose pictures never repeat: it cannot overfit, so it never stops early.
    pub(crate) fn to_the_end(
        seed: u64,
        steps: u64,
        learning_rate: f32,
        validate_every: u64,
    ) -> Self {
        let schedule = Schedule {
            learning_rate,
            warm_up: 200.min(steps / 5),
            steps,
            weight_decay: 1e-3,
            longest_gradient: 5.0,
            average: 0.998,
        };
        Self { seed, schedule, validate_every, patience: u32::MAX }
    }
}

/// Shows a run's validations; an error says why it cannot.
type OnValidation<'a> = &'a dyn Fn(&[Entry]) -> Result<(), String>;

/// Where a run is kept, and how it is controlled.
#[derive(Clone, Copy)]
pub struct Keeping<'a> {
    /// The run's folder; created if it does not exist.
    pub folder: &'a Path,
    /// Whether to resume from the folder's checkpoint.
    pub resume: bool,
    /// Ends the run after the current step once it is true.
    pub stop: &'a AtomicBool,
    /// Ends the session after this step, as `stop` would.
    pub stop_after: Option<u64>,
    /// Longest time between checkpoints.
    pub checkpoint_every: Duration,
    /// Prints no messages.
    pub quiet: bool,
    /// Called after each step with its number.
    pub on_step: Option<&'a (dyn Fn(u64) + Sync)>,
    /// Called after each validation with all so far; an error ends the run.
    pub on_validation: Option<OnValidation<'a>>,
}

#[derive(Clone, Debug)]
pub enum Ended {
    /// All steps were taken, or validation no longer improved.
    Done(Box<Trained>),
    /// It was stopped after this many steps and can be resumed.
    Stopped {
        /// Steps taken.
        step: u64,
    },
}

#[derive(Clone, Debug)]
pub struct Trained {
    /// The best network, norms folded.
    pub graph: Graph,
    /// The step at which it was best.
    pub step: u64,
    pub loss: f64,
    /// Every validation.
    pub history: Vec<Entry>,
    /// Seconds over all sessions.
    pub seconds: f64,
    /// Whether it ended before the last step of its schedule.
    pub early: bool,
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// The folder cannot be used.
    #[error("{}: {reason}", .folder.display())]
    Folder { folder: PathBuf, reason: String },
    /// A checkpoint cannot be read or written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The loss or a weight was no number, or many gradients in a row.
    #[error(
        "at step {0} the loss is no longer a number; train again with a smaller learning rate, or begin with \
         other weights"
    )]
    Lost(u64),
}

/// What defines a run: the first file of its folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Config {
    run_version: u32,
    program_version: String,
    network: String,
    settings: Settings,
    task: serde_json::Value,
    plan: Plan,
}

impl Config {
    fn new(task: &impl Task, settings: &Settings) -> Self {
        Self {
            run_version: RUN_VERSION,
            program_version: env!("CARGO_PKG_VERSION").into(),
            network: task.name().into(),
            settings: settings.clone(),
            task: task.config(),
            plan: task.plan().clone(),
        }
    }
}

/// Trains from the beginning, or resumes.
pub fn train<T: Task>(
    task: &T,
    settings: &Settings,
    keeping: &Keeping,
) -> Result<Ended, TrainError> {
    let mut run = open(task, &Config::new(task, settings), keeping)?;
    let began = Instant::now();
    let earlier = run.seconds;
    let display = Display::new(settings.schedule.steps, run.state.step, keeping.quiet);
    let path = keeping.folder.join(CHECKPOINT);
    let patience = settings.patience.max(1);
    let ended = std::thread::scope(|scope| -> Result<bool, TrainError> {
        let (send, batches) = sync_channel(AHEAD);
        let (from, to) = (run.state.step, settings.schedule.steps);
        scope.spawn(move || {
            // Ends when the receiver of the batches is gone.
            (from..to).all(|step| send.send(task.batch(step)).is_ok())
        });
        let mut lately = Lately::default();
        let mut saved = Instant::now();
        let mut lost = 0;
        while run.state.step < to && run.without_gain < patience {
            let enough = keeping.stop_after.is_some_and(|step| run.state.step >= step);
            if enough || keeping.stop.load(Ordering::Relaxed) {
                run.seconds = earlier + began.elapsed().as_secs_f64();
                run.write(&path)?;
                return Ok(false);
            }
            let Ok(batch) = batches.recv() else { break };
            let finite = one_step(task, &batch, &mut run.state, settings, &mut lately);
            lost = if finite { 0 } else { lost + 1 };
            if lost == LOST_STEPS {
                return Err(TrainError::Lost(run.state.step));
            }
            let step = run.state.step;
            display.step(step, lately.loss());
            if let Some(on_step) = keeping.on_step {
                on_step(step);
            }
            if step % settings.validate_every.max(1) == 0 || step == to {
                let entry = validate(task, &mut run, lately.take())?;
                display.validated(&entry);
                run.history.push(entry);
                run.seconds = earlier + began.elapsed().as_secs_f64();
                run.write(&path)?;
                saved = Instant::now();
                report(&run.history, keeping)?;
            } else if saved.elapsed() > keeping.checkpoint_every {
                // The losses summed since the last validation are not saved; they are only
                // displayed.
                run.seconds = earlier + began.elapsed().as_secs_f64();
                run.write(&path)?;
                saved = Instant::now();
            }
        }
        Ok(true)
    });
    display.end();
    if !ended? {
        return Ok(Ended::Stopped { step: run.state.step });
    }
    let early = run.state.step < settings.schedule.steps;
    let best = run.best.ok_or(TrainError::Lost(run.state.step))?;
    Ok(Ended::Done(Box::new(Trained {
        graph: task.plan().graph(&best.weights),
        step: best.step,
        loss: best.loss,
        history: run.history,
        seconds: run.seconds,
        early,
    })))
}

/// Mean losses since the last validation.
#[derive(Default)]
struct Lately {
    steps: u32,
    loss: f64,
    parts: Vec<(&'static str, f64)>,
}

impl Lately {
    fn loss(&self) -> f64 {
        self.loss / f64::from(self.steps.max(1))
    }

    fn take(&mut self) -> (f64, Vec<(String, f64)>) {
        let share = 1.0 / f64::from(self.steps.max(1));
        let parts =
            self.parts.iter().map(|(name, sum)| ((*name).to_owned(), sum * share)).collect();
        let out = (self.loss(), parts);
        *self = Self::default();
        out
    }
}

/// Trains on one batch; returns whether the gradients were finite.
fn one_step<T: Task>(
    task: &T,
    batch: &T::Batch,
    state: &mut State,
    settings: &Settings,
    lately: &mut Lately,
) -> bool {
    let (loss, statistics, gradients) = {
        let pass = task.plan().forward(&state.weights, task.input(batch));
        let mut loss = task.loss(pass.output(), batch);
        let gradients = pass.gradients(std::mem::take(&mut loss.gradient));
        (loss, pass.statistics(), gradients)
    };
    let value = f64::from(loss.total);
    if value.is_finite() {
        lately.steps += 1;
        lately.loss += value;
        for (i, (name, part)) in loss.parts.into_iter().enumerate() {
            let part = f64::from(part);
            match lately.parts.get_mut(i) {
                Some(sum) => sum.1 += part,
                None => lately.parts.push((name, part)),
            }
        }
        if statistics.iter().all(|(_, m, v)| m.iter().chain(v).all(|x| x.is_finite())) {
            state.follow(&statistics);
        }
    }
    state.step(&gradients, &settings.schedule) && value.is_finite()
}

fn validate<T: Task>(
    task: &T,
    run: &mut Checkpoint,
    (loss, parts): (f64, Vec<(String, f64)>),
) -> Result<Entry, TrainError> {
    let graph = task.plan().graph(&run.state.average);
    let found = task.validate(&|input| run_graph(&graph, input));
    if !(found.loss.is_finite() && graph.is_finite()) {
        return Err(TrainError::Lost(run.state.step));
    }
    if run.best.as_ref().is_none_or(|best| found.loss < best.loss) {
        let weights = run.state.average.clone();
        run.best = Some(Best { step: run.state.step, loss: found.loss, weights });
        run.without_gain = 0;
    } else {
        run.without_gain += 1;
    }
    Ok(Entry { step: run.state.step, loss, parts, validation: found.loss, figures: found.figures })
}

/// Writes the table of a run and calls `on_validation`.
fn report(history: &[Entry], keeping: &Keeping) -> Result<(), TrainError> {
    let folder = keeping.folder.to_path_buf();
    write_atomic(&folder.join(TABLE), table(history).as_bytes())
        .map_err(|error| format!("{} cannot be written: {error}", TABLE))
        .and_then(|()| keeping.on_validation.map_or(Ok(()), |show| show(history)))
        .map_err(|reason| TrainError::Folder { folder, reason })
}

/// Creates the folder, or opens the run in it.
fn open<T: Task>(task: &T, config: &Config, keeping: &Keeping) -> Result<Checkpoint, TrainError> {
    let folder = keeping.folder;
    let wrong = |reason: String| TrainError::Folder { folder: folder.to_path_buf(), reason };
    let path = folder.join(CONFIG);
    if !keeping.resume {
        std::fs::create_dir_all(folder).map_err(|e| wrong(format!("cannot be made: {e}")))?;
        if path.exists() {
            let reason = "holds a run already; resume it, or name another folder";
            return Err(wrong(reason.into()));
        }
        let mut written = [CHECKPOINT, TABLE].into_iter();
        if let Some(file) = written.find(|file| folder.join(file).exists()) {
            return Err(wrong(format!("holds a file {file} already; name another folder")));
        }
        let mut text = serde_json::to_string_pretty(config).expect("plain data");
        text.push('\n');
        write_atomic(&path, text.as_bytes())
            .map_err(|e| wrong(format!("{CONFIG} cannot be written: {e}")))?;
        let fresh = Checkpoint {
            state: State::new(task.init(config.settings.seed)),
            best: None,
            without_gain: 0,
            history: Vec::new(),
            seconds: 0.0,
        };
        fresh.write(&folder.join(CHECKPOINT))?;
        return Ok(fresh);
    }
    let text = read_text(&path, MAX_SETTINGS_BYTES).map_err(|e| {
        wrong(format!("no run to resume: {CONFIG} cannot be read: {e}; train again"))
    })?;
    let value: serde_json::Value = serde_json::from_str(&text)
        .map_err(|e| wrong(format!("{CONFIG} is broken: {e}; train again into another folder")))?;
    let recorded = |key: &str| value.get(key).map_or("none".to_owned(), ToString::to_string);
    if value.get("run_version") != Some(&RUN_VERSION.into())
        || value.get("program_version").and_then(|v| v.as_str()) != Some(&config.program_version)
    {
        return Err(wrong(format!(
            "was made by version {} of setsight (run folder version {}), this is {} ({RUN_VERSION}); \
             go on with that version, or train again into another folder",
            recorded("program_version"),
            recorded("run_version"),
            config.program_version
        )));
    }
    // Both sides go through text, so that floats are compared as written.
    let mine: serde_json::Value =
        serde_json::from_str(&serde_json::to_string(config).expect("plain data"))
            .expect("just written");
    if let Some(difference) = first_difference("", &value, &mine) {
        return Err(wrong(format!(
            "its run is another one: {difference}; give the same options as at its start, or \
             name another folder"
        )));
    }
    let run = Checkpoint::read(&folder.join(CHECKPOINT))?;
    if !run.state.weights.same_shape(&config.plan.init(0)) {
        return Err(wrong(format!("{CHECKPOINT} is of another network; train again")));
    }
    Ok(run)
}

/// The best weights of a run, to start another run from.
pub fn best_weights(folder: &Path, plan: &Plan) -> Result<Weights, TrainError> {
    let run = Checkpoint::read(&folder.join(CHECKPOINT))?;
    let weights = run.best.map_or(run.state.average, |best| best.weights);
    if weights.same_shape(&plan.init(0)) {
        return Ok(weights);
    }
    let reason = format!("{CHECKPOINT} is of another network; begin without it");
    Err(TrainError::Folder { folder: folder.to_path_buf(), reason })
}

/// The first place where two values differ: `settings.seed is 1 there and 2 here`.
fn first_difference(
    at: &str,
    recorded: &serde_json::Value,
    current: &serde_json::Value,
) -> Option<String> {
    use serde_json::Value::Object;
    if let (Object(a), Object(b)) = (recorded, current) {
        let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
        for key in keys {
            let null = serde_json::Value::Null;
            let (a, b) = (a.get(key).unwrap_or(&null), b.get(key).unwrap_or(&null));
            let at = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
            if let Some(difference) = first_difference(&at, a, b) {
                return Some(difference);
            }
        }
        return None;
    }
    (recorded != current).then(|| format!("{at} is {recorded} there and {current} here"))
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Steps taken.
    pub step: u64,
    /// Mean training loss since the previous entry.
    pub loss: f64,
    /// Mean parts of the training loss since the previous entry.
    pub parts: Vec<(String, f64)>,
    /// Validation loss of the averaged weights.
    pub validation: f64,
    /// Other validation figures, 0 to 1.
    pub figures: Vec<(String, f64)>,
}

/// Name of the table in the run's folder.
pub(crate) const TABLE: &str = "curve.csv";

/// The table as CSV, one line per validation.
fn table(history: &[Entry]) -> String {
    let mut text = String::from("step,loss,validation");
    if let Some(entry) = history.first() {
        for (name, _) in entry.parts.iter().chain(&entry.figures) {
            let _ = write!(text, ",{name}");
        }
    }
    text.push('\n');
    for entry in history {
        let _ = write!(text, "{},{:.6},{:.6}", entry.step, entry.loss, entry.validation);
        for (_, value) in entry.parts.iter().chain(&entry.figures) {
            let _ = write!(text, ",{value:.6}");
        }
        text.push('\n');
    }
    text
}

/// A bar on a terminal, otherwise one line per validation; both on stderr.
struct Display {
    bar: ProgressBar,
    lines: bool,
    began: Instant,
    first_step: u64,
    steps: u64,
}

impl Display {
    /// For a run of `steps`, of which `done` are already taken.
    fn new(steps: u64, done: u64, quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let target = if terminal && !quiet {
            ProgressDrawTarget::stderr_with_hz(4)
        } else {
            ProgressDrawTarget::hidden()
        };
        let style = "{bar:24} step {pos}/{len}, {msg}";
        let bar = ProgressBar::with_draw_target(Some(steps), target)
            .with_style(
                ProgressStyle::with_template(style).expect("a template that is well formed"),
            )
            .with_position(done);
        Self { bar, lines: !quiet, began: Instant::now(), first_step: done, steps }
    }

    /// Call after every step.
    fn step(&self, step: u64, loss: f64) {
        self.bar.set_position(step);
        self.bar.set_message(format!("loss {loss:.3}, {} left", self.left(step)));
    }

    /// Call after every validation.
    fn validated(&self, entry: &Entry) {
        if !self.lines {
            return;
        }
        let figures: String = entry
            .figures
            .iter()
            .map(|(name, value)| format!(", {name} {} %", (1e4 * value).round() / 1e2))
            .collect();
        let line = format!(
            "step {} of {}: loss {:.4}, in validation {:.4}{figures}; {} left",
            entry.step,
            self.steps,
            entry.loss,
            entry.validation,
            self.left(entry.step)
        );
        self.bar.suspend(|| say!("{line}"));
    }

    /// Removes the bar.
    fn end(&self) {
        self.bar.finish_and_clear();
    }

    fn left(&self, step: u64) -> String {
        let done = step.saturating_sub(self.first_step);
        if done == 0 {
            return "unknown time".into();
        }
        let each = self.began.elapsed().as_secs_f64() / done as f64;
        let seconds = (each * self.steps.saturating_sub(step) as f64).round() as u64;
        format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }
}
