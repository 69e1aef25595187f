//! `setsight train`: the networks, from drawn tables and labelled crops: what the trainings share, where a run is kept,
//! how its end is reported; and `train finder` and `train refiner`, which learn from drawn tables alone.

mod fine_tune;
mod fuse;
mod reader;

use crate::cli::common::{BadCall, Outcome, SEED, within};
use crate::cli::stop;
use anyhow::Context;
use setsight_eval::plots::{Curve, Curves, SIZE_PX, svg};
use setsight_files::small_file::{MAX_WEIGHTS_BYTES, read_small};
use setsight_files::whole_file::write_atomic;
use setsight_files::{print_result, say};
use setsight_game::cards::Edition;
use setsight_nets::engine::{Models, file_of};
use setsight_nets::{Kind, Metadata, onnx};
use setsight_train::parts::reader::Group;
use setsight_train::parts::reader::drawn::{self, Tables};
use setsight_train::parts::{finder, refiner};
use setsight_train::{
    CONFIG, Ended, Entry, First, Keeping, Plan, Settings, Task, Trained, best_weights, train,
};
use setsight_vision::find::{CardFinder, Learned};
use std::path::{Path, PathBuf};
use std::{str::FromStr, sync::atomic::Ordering, time::Duration};

/// Arguments of `train`.
#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
        setsight train --add my-photos --out my-models\n  \
        setsight models use my-models\n\n\
        The first command takes corrected photos (the window writes labels.json beside them), continues \
        training the shipped reader with them, and writes a complete folder of models and a table of the \
        gain. The subcommands train single networks, for experts."
)]
pub struct Args {
    #[command(flatten)]
    photos: fine_tune::Args,
    #[command(subcommand)]
    subcommand: Option<Subcommand>,
}

#[derive(clap::Subcommand)]
enum Subcommand {
    /// Train the network that reads a card
    Reader(reader::Args),
    /// Train the network that finds cards, on drawn tables
    Finder(FinderArgs),
    /// Train the network that judges whether an outline is a card's own, on drawn tables
    Refiner(RefinerArgs),
    /// Fit how the networks and the classical reader are combined, and when a card is unsure
    Fuse(fuse::Args),
}

/// Trains.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    match args.subcommand {
        None => fine_tune::run(&args.photos),
        Some(Subcommand::Reader(args)) => reader::run(args),
        Some(Subcommand::Finder(args)) => finder(args),
        Some(Subcommand::Refiner(args)) => refiner(args),
        Some(Subcommand::Fuse(args)) => fuse::run(args),
    }
}

/// The group of options of one.
const RUN: &str = "The run";

/// What a loss of power may cost.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(120);

/// Where a run is kept.
#[derive(clap::Args)]
#[command(next_help_heading = RUN)]
pub struct RunArgs {
    /// Folder of the run: its configuration, checkpoint and curves; created if missing
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// Continue the run in the folder; repeat the other options
    #[arg(long)]
    pub resume: bool,
    /// Same seed, same network, to the bit
    #[arg(long, default_value_t = SEED)]
    pub seed: u64,
    /// Begin with the best weights of another run, or with a network: a run's folder or its .onnx file
    #[arg(hide = true, long, value_name = "RUN|FILE")]
    pub start_from: Option<PathBuf>,
    /// Stop after this step as Ctrl-C would, to go on later
    #[arg(hide = true, long, value_name = "STEP")]
    pub stop_after: Option<u64>,
    /// Steps between validations [default: depends on the network]
    #[arg(hide = true, long, value_name = "N", value_parser = within::<u64>(1..=u64::MAX))]
    pub validate_every: Option<u64>,
}

/// The person's labelled pictures to learn from.
#[derive(clap::Args)]
pub struct AddArgs {
    /// Folder of your own corrected photos (labels.json) or crops (labels.csv); may be repeated
    #[arg(long, value_name = "DIR")]
    pub add: Vec<PathBuf>,
    #[command(flatten)]
    pub editions: EditionArgs,
}

/// Which editions crops show; the labels of photos name theirs.
#[derive(clap::Args)]
pub struct EditionArgs {
    /// The edition that a folder's crops show, if not classic: rectangles or unknown; may be repeated
    #[arg(hide = true, long, value_name = "FOLDER=EDITION", value_parser = edition_of_folder)]
    edition: Vec<(String, Edition)>,
}

impl EditionArgs {
    /// The edition of a folder's crops, by its name.
    pub fn of_folder(&self, name: &str) -> Edition {
        let named = self.edition.iter().find(|(folder, _)| folder == name);
        named.map_or(Edition::Classic, |(_, edition)| *edition)
    }

    /// The folders that are named.
    pub fn folders(&self) -> impl Iterator<Item = &String> {
        self.edition.iter().map(|(folder, _)| folder)
    }

    /// `FOLDER=EDITION` as they were given.
    pub fn pairs(&self) -> Vec<String> {
        self.edition
            .iter()
            .map(|(folder, edition)| format!("{folder}={}", edition.name()))
            .collect()
    }
}

/// What one network's training adds to the run of any.
pub struct Recipe<T> {
    pub task: T,
    pub settings: Settings,
    /// SHA-256 of what is learnt from.
    pub training_set: String,
    /// The options of the call that decide the outcome, without folders: they are of one machine.
    pub options: String,
}

impl RunArgs {
    /// Whether there are weights to begin with.
    pub const fn goes_on(&self) -> bool {
        self.start_from.is_some()
    }

    /// Trains a network by its recipe, if there is one, writes it and reports how it ended: by Ctrl-C or
    /// with a network.
    pub fn train<T: Task>(
        &self,
        kind: Kind,
        plan: &Plan,
        recipe: impl FnOnce(First) -> anyhow::Result<Option<Recipe<T>>>,
    ) -> anyhow::Result<Outcome> {
        let [path, curve] = [file_of(kind), CURVE].map(|file| self.out.join(file));
        let is_new = !self.resume && !self.out.join(CONFIG).exists();
        if let Some(file) = [&path, &curve].into_iter().find(|file| is_new && file.exists()) {
            let reason = format!("{}: is there already; give another --out", file.display());
            return Err(BadCall(reason).into());
        }
        let (first, began_as) = match &self.start_from {
            Some(path) => first_of(path, kind, plan)?,
            None => (First::Chance, None),
        };
        let Some(mut recipe) = recipe(first)? else { return Ok(Outcome::SomeFailed) };
        if let Some(every) = self.validate_every {
            recipe.settings.validate_every = every;
        }
        let keeping = Keeping {
            folder: &self.out,
            resume: self.resume,
            stop: stop::asked(),
            stop_after: self.stop_after,
            checkpoint_every: CHECKPOINT_EVERY,
            quiet: false,
            on_step: None,
            on_validation: Some(&|history| draw_curves(kind.name(), history, &curve)),
        };
        let steps = recipe.settings.schedule.steps;
        let trained = match train(&recipe.task, &recipe.settings, &keeping)? {
            Ended::Done(trained) => trained,
            Ended::Stopped { step } => {
                say!(
                    "stopped after step {step} of {steps}; continue with the same call and --resume"
                );
                return Ok(Outcome::SomeFailed);
            }
        };
        let go_on = if self.goes_on() { " --start-from FIRST" } else { "" };
        let (name, seed) = (kind.name(), self.seed);
        let mut command = format!("setsight train {name} --seed {seed}{go_on}{}", recipe.options);
        // What began it, if that run came to its end.
        if let Some(first) = began_as {
            command += &format!(" (FIRST: {})", first.command);
        }
        write_atomic(
            &path,
            &setsight_train::parts::adapt::file(
                kind,
                &trained.graph,
                &command,
                recipe.training_set,
                seed,
            ),
        )
        .with_context(|| format!("cannot write {}", path.display()))?;
        report_end(kind, &path, &trained, steps);
        Ok(Outcome::Done)
    }
}

/// Name of the picture of a run's curves.
const CURVE: &str = "curve.svg";

/// Draws the losses and figures of a run's validations.
fn draw_curves(name: &str, history: &[Entry], path: &Path) -> Result<(), String> {
    let curve = |name: String, color, pick: &dyn Fn(&Entry) -> f64| {
        let points = history.iter().map(|entry| (entry.step as f64, pick(entry)));
        Curve { name, color, points: points.filter(|p| p.1.is_finite()).collect(), dashed: false }
    };
    let mut curves = vec![
        curve("training".into(), (40, 90, 200), &|e| e.loss),
        curve("validation".into(), (200, 40, 30), &|e| e.validation),
    ];
    // Error shares use the same falling scale as the losses.
    let colors = [
        (20, 130, 60),
        (150, 90, 200),
        (210, 140, 0),
        (90, 90, 90),
        (0, 150, 160),
        (130, 80, 40),
        (230, 110, 170),
    ];
    if let Some(entry) = history.first() {
        for (i, (figure, _)) in entry.figures.iter().enumerate() {
            curves.push(curve(format!("not {figure}"), colors[i % colors.len()], &|entry| {
                1.0 - entry.figures.get(i).map_or(f64::NAN, |figure| figure.1)
            }));
        }
    }
    let chart = Curves {
        title: format!("training the {name}"),
        x_label: "steps".into(),
        y_label: "loss; share wrong in validation".into(),
        log_y: true,
        curves,
    };
    let svg = svg(&chart, SIZE_PX).map_err(|error| error.to_string())?;
    write_atomic(path, svg.as_bytes())
        .map_err(|error| format!("{CURVE} cannot be written: {error}"))
}

/// What a run begins with, from the folder of another run or from an ONNX file; also what the network says
/// of itself, if it is finished.
fn first_of(path: &Path, kind: Kind, plan: &Plan) -> anyhow::Result<(First, Option<Metadata>)> {
    if path.is_dir() {
        let weights = best_weights(path, plan)?;
        let finished = read_small(&path.join(file_of(kind)), MAX_WEIGHTS_BYTES);
        let metadata = finished.ok().and_then(|bytes| Some(onnx::decode(&bytes).ok()?.1));
        return Ok((First::Run(weights), metadata));
    }
    let bytes = read_small(path, MAX_WEIGHTS_BYTES)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    let (graph, metadata) =
        onnx::decode(&bytes).with_context(|| format!("{} cannot be used", path.display()))?;
    if metadata.kind != kind {
        let (found, wanted) = (metadata.kind.name(), kind.name());
        return Err(BadCall(format!("{}: a {found}, expected a {wanted}", path.display())).into());
    }
    Ok((First::Network(graph), Some(metadata)))
}

/// Cards of drawn tables to learn from and what is none, then the same of another series of tables to judge
/// by; none when stopped. Calls `done` with the number of cards so far.
pub fn draw(
    [learn, judge]: [usize; 2],
    seed: u64,
    tables: &Tables,
    finder: &dyn CardFinder,
    done: &(dyn Fn(usize) + Sync),
) -> anyhow::Result<Option<Vec<Group>>> {
    let stop = stop::asked();
    let learnt = drawn::crops(learn, (seed, tables), "drawn", finder, stop, done)?;
    let other = (seed ^ (1 << 31), tables);
    let judged = drawn::crops(judge, other, "drawn test set", finder, stop, &|n| done(learn + n))?;
    Ok((!stop.load(Ordering::Relaxed)).then(|| learnt.into_iter().chain(judged).collect()))
}

/// A finite number above 0, for clap.
pub fn positive<T: FromStr + Copy + Into<f64>>(text: &str) -> Result<T, String> {
    let number = text.parse::<T>().ok().filter(|&number| {
        let number: f64 = number.into();
        number.is_finite() && number > 0.0
    });
    number.ok_or_else(|| "expected a number above 0".to_owned())
}

/// `FOLDER=EDITION`, for clap.
fn edition_of_folder(text: &str) -> Result<(String, Edition), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, edition) = pair.ok_or("expected FOLDER=EDITION, as in old-deck=rectangles")?;
    let edition = Edition::named(edition).ok_or_else(|| {
        format!("{edition}: no edition; expected {}", Edition::ALL.map(Edition::name).join(", "))
    })?;
    Ok((name.to_owned(), edition))
}

/// Prints what came of a run, of which the network was written to `path`.
fn report_end(kind: Kind, path: &Path, trained: &Trained, steps: u64) {
    let best = trained.history.iter().find(|entry| entry.step == trained.step);
    // The reader has three figures for each source, too many for a line.
    let best = best.filter(|_| kind != Kind::Reader);
    let figures = best.into_iter().flat_map(|entry| &entry.figures);
    let figures: String =
        figures.map(|(name, share)| format!(", {name} {:.2} %", 100.0 * share)).collect();
    let _ = print_result!(
        "{}: best at step {} of {steps}{}, loss {:.4} in validation{figures}, {:.1} minutes",
        path.display(),
        trained.step,
        if trained.early { ", ended early" } else { "" },
        trained.loss,
        trained.seconds / 60.0
    );
}

/// Arguments of `train finder`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    setsight train finder --out runs/finder\n  \
    setsight train finder --out runs/finder --resume\n  \
    setsight train finder --out runs/quick --scenes 4000")]
struct FinderArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Drawn tables to show, half of them new ones, half in a mirror
    #[arg(hide = true,
        long, value_name = "N", default_value_t = finder::SCENES,
        value_parser = within::<u64>(finder::BATCH as u64..=u64::MAX)
    )]
    scenes: u64,
}

/// Tables to learn from for each one on which a short training judges.
const LEARNT_PER_JUDGED: u64 = 12;

fn finder(FinderArgs { run, scenes }: FinderArgs) -> anyhow::Result<Outcome> {
    run.train(Kind::Finder, &finder::plan(), |first| {
        let validation_scenes = finder::VALIDATION_SCENES.min(scenes.div_ceil(LEARNT_PER_JUDGED));
        let options = finder::Options { validation_scenes, ..finder::Options::new(run.seed) };
        let task = finder::Finder::new(&options, first);
        Ok(Some(Recipe {
            settings: finder::settings(run.seed, scenes, run.goes_on()),
            training_set: task.fingerprint(scenes),
            options: format!(" --scenes {scenes}"),
            task,
        }))
    })
}

/// Arguments of `train refiner`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    setsight train refiner --out runs/refiner\n  \
    setsight train refiner --out runs/refiner --resume\n  \
    setsight train refiner --out runs/second --start-from runs/refiner\n  \
    setsight train refiner --out runs/quick --steps 600")]
struct RefinerArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Half of the outlines are where the finder of these models puts cards: a folder of models
    #[arg(hide = true, long, value_name = "MODELS")]
    found_by: Option<PathBuf>,
    /// Part of a card, 0 to 1, that must be in view to learn from it
    #[arg(hide = true, long, value_name = "PART", default_value_t = refiner::LEAST_IN_VIEW, value_parser = part)]
    least_in_view: f64,
    /// Steps of 64 cards to train for, one or two new tables in each
    #[arg(long, value_name = "N", default_value_t = refiner::STEPS, value_parser = within::<u64>(1..=u64::MAX))]
    steps: u64,
}

/// Trains the refiner. What goes on from another network learns harder outlines of no card.
fn refiner(args: RefinerArgs) -> anyhow::Result<Outcome> {
    let RefinerArgs { run, found_by, least_in_view, steps } = args;
    run.train(Kind::Refiner, &refiner::plan(), |first| {
        let found = found_by.as_deref().map(found_in).transpose()?;
        let found_option = if found.is_some() { " --found-by MODELS" } else { "" };
        // Each step learns from one table or two.
        let validation_tables = refiner::VALIDATION_TABLES.min(steps);
        let task = refiner::Refiner::new(run.seed, first, least_in_view, found, validation_tables);
        Ok(Some(Recipe {
            settings: refiner::settings(run.seed, steps, run.goes_on()),
            training_set: task.fingerprint(steps),
            options: format!("{found_option} --least-in-view {least_in_view} --steps {steps}"),
            task,
        }))
    })
}

fn found_in(models: &Path) -> anyhow::Result<refiner::Found> {
    let models = Models::Folder(models.to_owned());
    let table = finder::draw_covered(0, 0, refiner::SIZE_PX);
    let finder = setsight_vision::refiner::shared(&models)
        .and_then(|refiner| Learned::load(&models, refiner))
        .context("--found-by needs a folder with finder.onnx and, better, refiner.onnx")?;
    Ok(refiner::Found::by(Box::new(finder), &table)?)
}

fn part(text: &str) -> Result<f64, String> {
    let part = text.parse().ok().filter(|part| (0.0..=1.0).contains(part));
    part.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}
