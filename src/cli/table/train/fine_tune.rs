//! `setsight train --add PHOTOS --out MODELS`: a reader for one's own camera and cards.

use super::{AddArgs, draw};
use crate::cli::common::{BadCall, Outcome, SEED, within};
use crate::cli::stop;
use crate::cli::table::photos::{ModelsArgs, progress};
use anyhow::Context;
use clap::ValueEnum;
use setsight_eval::gain::{self, Verdict};
use setsight_files::{
    print_result,
    printable::{counted, print_lines},
    say,
};
use setsight_labels::find_photos;
use setsight_nets::engine::{Models, file_of};
use setsight_nets::{Kind, graph::Graph, onnx};
use setsight_train::{
    CONFIG, Keeping, TrainError,
    parts::{
        adapt::{
            self, LEAST_CARDS, LEAST_SCENES, Networks, PhotoError, TrainingPhoto, gather, scenes,
        },
        reader::{Group, drawn::Tables, fingerprint},
    },
};
use setsight_vision::{Pipeline, ReadingPlan};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{fs::File, time::Duration};

/// Arguments of `train` without a subcommand.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    user: AddArgs,
    /// Folder for the new models
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    models: ModelsArgs,
    /// Continue where it was stopped
    #[arg(long)]
    resume: bool,
    /// Which networks to train; auto: also the finder if it missed some of your cards
    #[arg(long, value_enum, default_value_t = NetworkChoice::Auto)]
    what: NetworkChoice,
    /// Steps of 64 crops
    #[arg(hide = true, long, value_name = "N", default_value_t = 400, value_parser = within::<u64>(1..=100_000))]
    steps: u64,
    /// Same seed, same models, to the bit
    #[arg(hide = true, long, default_value_t = SEED)]
    seed: u64,
    /// Used by the window: run at the lowest priority and report progress on stderr
    #[arg(long, hide = true)]
    in_background: bool,
}

/// Which networks learn.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum NetworkChoice {
    Reader,
    Finder,
    All,
    Auto,
}

/// Missed and false cards, as a share of the labelled ones, beyond which the finder learns too.
const FINDER_ERRORS: f64 = 0.05;

/// Tells how far a training is: as lines for the window, or by bars.
struct Progress {
    in_background: bool,
    /// Part of it all that is done, and that the stage in hand adds, 0 to 1.
    stage: Mutex<(f64, f64)>,
}

impl Progress {
    /// A stage begins that is this part of it all.
    fn stage(&self, part: f64) {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        *stage = (stage.0 + stage.1, part);
    }

    /// So much of the stage is done, 0 to 1.
    fn at(&self, part: f64) {
        let (before, share) = *self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        if self.in_background {
            say!("done {:.3}", before + share * part.clamp(0.0, 1.0));
        }
    }
}

/// Folder of what is needed to go on, within the folder of models; gone once these are done.
const WORK: &str = "training";
/// The first file in it, of no bytes.
const LOCK: &str = "lock";
/// Parts into which scenes are dealt; there are at least as many scenes.
const FOLDS: usize = 2;
/// Drawn cards to learn from, so that what was known stays known, and those to judge by.
fn drawn_cards(steps: u64) -> [usize; 2] {
    let learned = (6 * steps as usize).clamp(60, 2_400);
    [learned, learned / 12]
}

/// Trains the reader on a person's cards and writes a complete folder of models.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let Some(out) = args.out.as_deref().filter(|_| !args.user.add.is_empty()) else {
        return Err(BadCall(
            "give --add PHOTOS --out MODELS to train on your own photos, or name a network to train: \
             reader, finder, refiner or fuse (setsight train --help)"
                .into(),
        )
        .into());
    };
    let base = args.models.named_or_used();
    if let Models::Folder(folder) = &base
        && same_folder(folder, out)
    {
        let reason = format!("{}: the models to train on from; give another --out", out.display());
        return Err(BadCall(reason).into());
    }
    let work = out.join(WORK);
    if work.exists() && !is_work(&work) {
        let reason =
            format!("{}: is there and is no training's; give another --out", work.display());
        return Err(BadCall(reason).into());
    }
    let mut written = adapt::FILES.into_iter().chain([gain::WORTH]);
    if let Some(file) = written.find(|file| !work.exists() && out.join(file).exists()) {
        let reason = format!("{}: holds a {file} already; give another --out", out.display());
        return Err(BadCall(reason).into());
    }
    if work.exists() && !args.resume {
        let reason = format!(
            "{}: a training was stopped there; go on with --resume, or delete that folder",
            work.display()
        );
        return Err(BadCall(reason).into());
    }
    std::fs::create_dir_all(&work).with_context(|| format!("{} cannot be made", work.display()))?;
    let _lock = locked(&work)?;
    let stop = stop::asked();
    let done = match train(args, out, &work, &base, stop) {
        Ok(done) => done,
        Err(error) => {
            // Nothing was begun that could be gone on with.
            if !work.join("all").exists() && !work.join("fold-1").exists() {
                let _ = std::fs::remove_dir_all(&work);
                let _ = std::fs::remove_dir(out);
            }
            return Err(error);
        }
    };
    if !done {
        say!("stopped; continue with the same call and --resume");
        return Ok(Outcome::SomeFailed);
    }
    std::fs::remove_dir_all(&work).with_context(|| format!("{} stays", work.display()))?;
    Ok(Outcome::Done)
}

/// Whether it was done, not stopped.
fn train(
    args: &Args,
    out: &Path,
    work: &Path,
    base: &Models,
    stop: &'static AtomicBool,
) -> anyhow::Result<bool> {
    if args.in_background {
        use thread_priority::{ThreadPriority, set_current_thread_priority};
        // Threads that are started later inherit it.
        let _ = set_current_thread_priority(ThreadPriority::Min);
    }
    let stage_progress = Progress { in_background: args.in_background, stage: Mutex::default() };
    let before = pipeline_with(base)?;
    let photos = user_photos(args, &before)?;
    let wanted = args.what.wanted(&photos)?;
    let fold_of = adapt::folds(&scenes(&photos), FOLDS, args.seed);
    stage_progress.stage(0.1);
    let drawn = match wanted.reader {
        true => drawn_crops(args, base, &|part| stage_progress.at(part))?,
        false => Some(Vec::new()),
    };
    let Some(drawn) = drawn else { return Ok(false) };
    let training = Training { args, work, base, stop, wanted, drawn, progress: &stage_progress };
    let mut aside = Vec::new();
    for fold in 0..FOLDS {
        say!("part {} of 3: learning without part {} of your photos", fold + 1, fold + 1);
        let rest = photos.iter().zip(&fold_of).filter(|(_, photo_fold)| **photo_fold != fold);
        let rest: Vec<&TrainingPhoto> = rest.map(|(photo, _)| photo).collect();
        let networks = training.networks(&format!("fold-{}", fold + 1), &rest)?;
        let Some(networks) = networks else { return Ok(false) };
        aside.push(networks);
    }
    say!("part 3 of 3: learning from all of your photos");
    let all: Vec<&TrainingPhoto> = photos.iter().collect();
    let Some(trained) = training.networks("all", &all)? else { return Ok(false) };

    stage_progress.stage(0.16);
    let tables = adapt::tables(args.steps);
    let bar = progress(2 * tables as usize);
    let joined = AtomicU64::new(0);
    bar.set_message("joining the evidence");
    let fusion = adapt::join(base, tables, &trained, &photos, &|i| &aside[fold_of[i]], &|| {
        bar.inc(1);
        let joined = joined.fetch_add(1, Ordering::Relaxed);
        stage_progress.at(joined as f64 / (2 * tables) as f64);
    })?;
    bar.finish_and_clear();
    if stop.load(Ordering::Relaxed) {
        return Ok(false);
    }
    let mut pipelines = Vec::new();
    for (fold, networks) in aside.iter().enumerate() {
        let folder = work.join(format!("models-{}", fold + 1));
        adapt::write_models(&folder, base, networks, &fusion)?;
        pipelines.push(pipeline_with(&Models::Folder(folder))?);
    }
    adapt::write_models(out, base, &trained, &fusion)?;
    let after = pipeline_with(&Models::Folder(out.to_owned()))?;
    let read_by = photos.iter().zip(fold_of.iter().map(|&fold| &pipelines[fold]));
    let kept_aside: Vec<_> =
        read_by.filter_map(|(photo, pipeline)| Some((photo.photo.as_ref()?, pipeline))).collect();
    let worth = gain::measure(&kept_aside, &before, &after)?;
    gain::write(out, &worth).with_context(|| format!("{} has no report", out.display()))?;
    print_gain(out, &worth);
    Ok(true)
}

fn pipeline_with(models: &Models) -> anyhow::Result<Pipeline> {
    Ok(ReadingPlan::with_models(models.clone()).build()?)
}

/// Networks that are trained, once that is decided.
#[derive(Clone, Copy)]
struct Wanted {
    reader: bool,
    finder: bool,
}

impl NetworkChoice {
    /// Which networks that asks for, with these photos.
    fn wanted(self, photos: &[TrainingPhoto]) -> anyhow::Result<Wanted> {
        let errors: usize = photos.iter().map(|photo| photo.finder_errors).sum();
        let tables = photos.iter().filter(|photo| photo.table.is_some());
        let cards: usize = tables.clone().map(|photo| photo.cards.len()).sum();
        let misses_much = errors as f64 > FINDER_ERRORS * cards as f64;
        let wanted = Wanted {
            reader: self != Self::Finder,
            finder: match self {
                Self::Reader => false,
                Self::Finder | Self::All => true,
                Self::Auto => misses_much,
            },
        };
        if wanted.finder && tables.count() < LEAST_SCENES {
            return Err(BadCall(format!(
                "the finder learns from at least {LEAST_SCENES} photos of tables whose cards have corners or \
                 are found; add some, or train the reader alone: --what reader"
            ))
            .into());
        }
        if self == Self::Auto && wanted.finder {
            say!(
                "{errors} of {cards} cards were missed or are not cards: the finder is trained, too"
            );
        }
        Ok(wanted)
    }
}

/// What the runs of one training share.
struct Training<'a> {
    args: &'a Args,
    work: &'a Path,
    base: &'a Models,
    stop: &'static AtomicBool,
    wanted: Wanted,
    /// Drawn crops that the reader learns from and is judged by.
    drawn: Vec<Group>,
    progress: &'a Progress,
}

impl Training<'_> {
    /// The networks that some photos teach, in a folder of this name; none when it was stopped.
    fn networks(&self, name: &str, photos: &[&TrainingPhoto]) -> anyhow::Result<Option<Networks>> {
        let seed = self.args.seed;
        let runs = f64::from(u8::from(self.wanted.reader) + u8::from(self.wanted.finder));
        let stage = 0.69 / (3.0 * runs);
        let mut reader_file = self.base.read(file_of(Kind::Reader))?.into_owned();
        if self.wanted.reader {
            let (first, _) = onnx::decode(&reader_file)?;
            let steps = self.args.steps;
            let reader = adapt::Reader { first: &first, drawn: &self.drawn, seed, steps };
            let folder = self.work.join(name).join("reader");
            let trained =
                self.run(&folder, stage, steps, |keeping| reader.train(photos, keeping))?;
            let Some(graph) = trained else { return Ok(None) };
            let user_samples = photos.iter().flat_map(|photo| &photo.samples);
            let drawn = self.drawn.iter().flat_map(|group| &group.samples);
            let training_set = fingerprint(user_samples.chain(drawn));
            reader_file =
                adapt::file(Kind::Reader, &graph, &command(self.args), training_set, seed);
        }
        let mut finder_file = None;
        if self.wanted.finder {
            let (first, _) = onnx::decode(&self.base.read(file_of(Kind::Finder))?)?;
            let steps = adapt::finder_steps(self.args.steps);
            let finder = adapt::Finder { first: &first, seed, steps };
            let folder = self.work.join(name).join("finder");
            let trained =
                self.run(&folder, stage, steps, |keeping| finder.train(photos, keeping))?;
            let Some(graph) = trained else { return Ok(None) };
            let tables = photos.iter().filter_map(|photo| photo.table.as_ref());
            let training_set = adapt::tables_fingerprint(tables);
            finder_file =
                Some(adapt::file(Kind::Finder, &graph, &command(self.args), training_set, seed));
        }
        let reader = adapt::reader_in(&reader_file)?;
        Ok(Some(Networks { reader, reader_file, finder_file }))
    }

    /// One run: a stage of so great a part of it all.
    fn run(
        &self,
        folder: &Path,
        stage: f64,
        steps: u64,
        train: impl FnOnce(&Keeping) -> Result<Option<Graph>, TrainError>,
    ) -> anyhow::Result<Option<Graph>> {
        self.progress.stage(stage);
        let on_step = |step: u64| {
            if step.is_multiple_of(10) {
                self.progress.at(step as f64 / steps as f64);
            }
        };
        Ok(train(&Keeping {
            folder,
            resume: self.args.resume && folder.join(CONFIG).exists(),
            stop: self.stop,
            stop_after: None,
            checkpoint_every: Duration::from_secs(30),
            quiet: self.args.in_background,
            on_step: Some(&on_step),
            on_validation: None,
        })?)
    }
}

fn user_photos(args: &Args, pipeline: &Pipeline) -> anyhow::Result<Vec<TrainingPhoto>> {
    // Folders without labels are named by what gathers them.
    let found = args.user.add.iter().filter_map(|folder| find_photos(folder).ok());
    for words in found.flat_map(|found| found.remarks().collect::<Vec<_>>()) {
        say!("{words}");
    }
    let AddArgs { add, editions } = &args.user;
    let photos = gather(add, pipeline, &|name| editions.of_folder(name), args.seed)?;
    let cards: usize = photos.iter().map(|photo| photo.cards.len() - photo.without_place).sum();
    let count = scenes(&photos).into_iter().max().map_or(0, |last| last + 1);
    if cards < LEAST_CARDS || count < LEAST_SCENES {
        return Err(PhotoError::TooFew { cards, scenes: count }.into());
    }
    let crops = photos.iter().filter(|photo| photo.photo.is_none()).count();
    let pictures = [(photos.len() - crops, "photo"), (crops, "crop")];
    let pictures: Vec<String> =
        pictures.iter().filter(|(n, _)| *n > 0).map(|&(n, noun)| counted(n, noun)).collect();
    let (pictures, tables) = (pictures.join(" and "), counted(count, "table"));
    say!("{} in {pictures} of {tables}", counted(cards, "card"));
    for photo in photos.iter().filter(|photo| photo.without_place > 0) {
        let (file, count) = (photo.file(), photo.without_place);
        say!(
            "{file}: {count} labelled cards without corners were not found; they are not learned from"
        );
    }
    Ok(photos)
}

/// Cards and others to learn from, then to judge by; none when stopped.
fn drawn_crops(
    args: &Args,
    base: &Models,
    report: &(dyn Fn(f64) + Sync),
) -> anyhow::Result<Option<Vec<Group>>> {
    let finder = ReadingPlan::with_models(base.clone()).build_finder()?;
    let [learn, judge] = drawn_cards(args.steps);
    let bar = progress(learn + judge);
    bar.set_message("drawing cards");
    // Not the tables that the network has learned from already.
    let seed = args.seed ^ (1 << 30);
    let drawn = draw([learn, judge], seed, &Tables::Photographed, &*finder, &|n| {
        bar.set_position(n as u64);
        report(n as f64 / (learn + judge) as f64);
    })?;
    bar.finish_and_clear();
    Ok(drawn)
}

fn command(args: &Args) -> String {
    let adds = " --add DIR".repeat(args.user.add.len());
    let what = args.what.to_possible_value();
    let what = what.as_ref().map_or("auto", |what| what.get_name());
    format!(
        "setsight train{adds} --out DIR --what {what} --seed {} --steps {}",
        args.seed, args.steps
    )
}

fn same_folder(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// Whether a folder is one in which a training keeps what it needs to go on: not a person's of the same name.
fn is_work(folder: &Path) -> bool {
    folder.join(LOCK).metadata().is_ok_and(|file| file.is_file() && file.len() == 0)
        || std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Keeps a second training out of the folder for as long as it lives.
fn locked(work: &Path) -> anyhow::Result<File> {
    let path = work.join(LOCK);
    let file = File::create(&path).with_context(|| format!("{} cannot be made", path.display()))?;
    file.try_lock().map_err(|_| {
        BadCall(format!(
            "{}: another training is running there; wait for it, or give another --out",
            work.display()
        ))
    })?;
    Ok(file)
}

fn print_gain(out: &Path, worth: &gain::Worth) {
    let _ = print_lines(&worth.to_string());
    let folder = out.display();
    let _ = print_result!("");
    if worth.verdict == Verdict::Worse {
        let _ = print_result!("the models are in {folder}, and are not recommended");
    } else {
        let _ = print_result!("try them: setsight scan PHOTOS --models {folder}");
        let _ = print_result!("use them from now on: setsight models use {folder}");
    }
}
