//! `setsight train reader`.

use super::{AddArgs, Recipe, RunArgs, draw, positive};
use crate::cli::common::{BadCall, Outcome, within};
use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use setsight_files::say;
use setsight_nets::Kind;
use setsight_nets::engine::{Models, file_of, sha256};
use setsight_train::{
    First, Plan, Schedule, Settings,
    parts::reader::{
        self, Augment, Group, ReaderTask, augment, augment_on_screen, crop_cache,
        drawn::{Tables, VERSION},
        fingerprint,
        labelled_crops::{self, Source},
    },
};
use setsight_vision::{FinderChoice, ReadingPlan, find::CardFinder};
use std::path::{Path, PathBuf};

/// Arguments of `train reader`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    setsight train reader --out runs/reader\n  \
    setsight train reader --out runs/reader --cards cards --add corrected\n  \
    setsight train reader --out runs/reader --resume")]
pub struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Folder of labelled crops (labels.csv), or of such folders: one source each
    #[arg(long, value_name = "DIR")]
    cards: Option<PathBuf>,
    #[command(flatten)]
    user: AddArgs,
    /// A source of --cards to validate on, not to learn from; may be repeated
    #[arg(hide = true, long, value_name = "NAME")]
    hold_out: Vec<String>,
    /// Learn cards as games on a screen draw them: the network for screenshots, which photos never see
    #[arg(hide = true, long, conflicts_with_all = ["cards", "add"])]
    screens: bool,
    /// Learn the larger network that reads each card of a photo again: drawn tables are in bad light and by bad
    /// cameras
    #[arg(hide = true, long, conflicts_with = "screens")]
    second: bool,
    /// Keep the drawn crops in this file, and take them from there when it has them
    #[arg(hide = true, long, value_name = "FILE")]
    keep_drawn: Option<PathBuf>,
    /// Cards to cut from drawn tables before training
    #[arg(hide = true, long, value_name = "N", default_value_t = 14_000)]
    drawn: usize,
    /// Steps of 64 crops each
    #[arg(hide = true, long, value_name = "N", default_value_t = 4_000, value_parser = within::<u64>(1..=u64::MAX))]
    steps: u64,
    /// Highest learning rate
    #[arg(hide = true, long, value_name = "RATE", default_value_t = 3e-3, value_parser = positive::<f32>)]
    learning_rate: f32,
}

/// Drawn cards that are judged for each hundred that are learnt from.
const JUDGED_PER_HUNDRED: usize = 6;
/// Share of a batch for drawn cards and for real ones; the rest is no card.
const DRAWN_SHARE: f64 = 0.55;
const REAL_SHARE: f64 = 0.25;

/// Trains the reader.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let plan = if args.screens || args.second { reader::large_plan() } else { reader::plan() };
    args.run.train(Kind::Reader, &plan, |first| recipe(&args, &plan, first))
}

/// What it learns from and how; none when stopped before.
fn recipe(args: &Args, plan: &Plan, first: First) -> anyhow::Result<Option<Recipe<ReaderTask>>> {
    let (learnt, mut judged) = labelled(args)?;
    let tables = match (args.screens, args.second) {
        (true, _) => Tables::OnScreen,
        (_, true) => Tables::InBadLight,
        _ => Tables::Photographed,
    };
    let Some(mut drawn) = drawn(args, &tables)? else {
        say!("stopped before the first step; nothing to go on with");
        return Ok(None);
    };
    for group in &mut drawn {
        // What it knows of stripes is the classic edition's.
        group.samples.retain(|sample| sample.shows_its_shading());
    }
    let judged_drawn: Vec<Group> = drawn.split_off(drawn.len().min(2));
    judged.splice(0..0, merged(judged_drawn));
    if judged.is_empty() {
        let reason = "nothing to judge by: draw some cards (--drawn) or hold a source out";
        return Err(BadCall(reason.into()).into());
    }
    let training = shares(drawn, learnt);
    labelled_crops::check_classes(training.iter().map(|group| &group.0))?;
    let data = serde_json::json!({
        "cards": args.cards, "add": args.user.add, "hold_out": args.hold_out,
        "edition": args.user.editions.pairs(), "start_from": args.run.start_from, "drawn": args.drawn, "screens": args.screens, "second": args.second,
        "finder": finder_of_drawn()?, "batch": reader::BATCH, "learning_rate": args.learning_rate,
        "groups": training.iter().map(|(group, share)| serde_json::json!({
            "name": group.name, "crops": group.samples.len(), "share": share,
        })).collect::<Vec<_>>(),
    });
    for (group, share) in &training {
        let part = 100.0 * share;
        say!("{:>6} crops, {part:>4.1} % of a batch: {}", group.samples.len(), group.name);
    }
    let augment: Augment = if args.screens { augment_on_screen } else { augment };
    Ok(Some(Recipe {
        settings: settings(args),
        training_set: fingerprint(training.iter().flat_map(|(group, _)| &group.samples)),
        options: options(args),
        task: ReaderTask {
            plan: plan.clone(),
            seed: args.run.seed,
            first,
            training,
            validation: judged,
            data,
            augment,
        },
    }))
}

/// The sources of labelled cards to learn from, and the cards that are held out to judge by.
fn labelled(args: &Args) -> anyhow::Result<(Vec<Source>, Vec<Group>)> {
    let AddArgs { add, editions } = &args.user;
    // For cards of which only the centre is labelled.
    let finder = finder()?;
    let sources = |folder: &Path| {
        labelled_crops::sources(folder, &|name| editions.of_folder(name), &*finder, args.run.seed)
    };
    let (mut learnt, mut judged) = (Vec::new(), Vec::new());
    if let Some(folder) = &args.cards {
        for source in sources(folder)? {
            print_source(&source);
            if args.hold_out.contains(&source.name) {
                judged.push(source.cards);
            } else {
                learnt.push(source);
            }
        }
        let mut named = args.hold_out.iter().chain(editions.folders());
        let unknown = named.find(|&name| {
            !folder.join(name).is_dir()
                && learnt.iter().all(|source| source.name != *name)
                && !add.iter().any(|folder| folder.ends_with(name))
        });
        if let Some(name) = unknown {
            let reason = format!("no source {name} in {}", folder.display());
            return Err(BadCall(reason).into());
        }
    } else if !args.hold_out.is_empty() {
        return Err(BadCall("--hold-out names a source of --cards DIR".into()).into());
    }
    for folder in add {
        for mut source in sources(folder)? {
            print_source(&source);
            // What is added is of the camera that the network is for.
            source.cards.teaches_color = true;
            learnt.push(source);
        }
    }
    Ok((learnt, judged))
}

/// Steps between validations.
const VALIDATE_EVERY: u64 = 500;
/// Validations without a better one after which a run ends.
const PATIENCE: u32 = 6;

fn settings(args: &Args) -> Settings {
    Settings {
        seed: args.run.seed,
        schedule: Schedule {
            learning_rate: args.learning_rate,
            warm_up: 200.min(args.steps / 10),
            steps: args.steps,
            weight_decay: 0.02,
            longest_gradient: 5.0,
            average: 0.998,
        },
        validate_every: VALIDATE_EVERY,
        patience: PATIENCE,
    }
}

/// The options that decide the outcome; the model's card names the sources.
fn options(args: &Args) -> String {
    let mut options = String::new();
    if args.screens {
        options += " --screens";
    }
    if args.second {
        options += " --second";
    }
    if args.cards.is_some() {
        options += " --cards DIR";
    }
    options += &" --add DIR".repeat(args.user.add.len());
    options.extend(args.hold_out.iter().map(|name| format!(" --hold-out {name}")));
    options.extend(args.user.editions.pairs().iter().map(|pair| format!(" --edition {pair}")));
    let (drawn, steps, rate) = (args.drawn, args.steps, args.learning_rate);
    options + &format!(" --drawn {drawn} --steps {steps} --learning-rate {rate}")
}

fn print_source(source: &Source) {
    let mirrored = if source.mirrored { ", mirror images, turned back" } else { "" };
    say!("{}: {} labelled cards{mirrored}", source.name, source.labelled);
    for photo in &source.unchecked {
        say!(
            "{}: {photo}: not checked by a person and not learnt from; say \"All cards are right\" of it \
             in the window, under Correct",
            source.name
        );
    }
    for (photo, cards) in &source.not_found {
        say!(
            "{}: {photo}: {cards} of its labelled cards not found near their centres and not learnt \
             from; label their corners, or see `setsight dataset check`",
            source.name
        );
    }
}

/// The finder that is shipped.
fn finder() -> anyhow::Result<Box<dyn CardFinder>> {
    Ok(ReadingPlan::with_models(Models::Shipped).build_finder()?)
}

/// Which finder drawn crops are cut with: with another finder they differ.
fn finder_of_drawn() -> anyhow::Result<serde_json::Value> {
    let choice = FinderChoice::default();
    let weights = match choice {
        FinderChoice::Learned => Some(sha256(&Models::Shipped.read(file_of(Kind::Finder))?)),
        FinderChoice::Classical => None,
    };
    Ok(serde_json::json!({"name": choice.name(), "sha256": weights}))
}

/// Cards to learn from and what is none, then the same to judge by; none when stopped.
fn drawn(args: &Args, tables: &Tables) -> anyhow::Result<Option<Vec<Group>>> {
    if args.drawn == 0 {
        return Ok(Some(Vec::new()));
    }
    let finder = finder()?;
    let recipe = serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"), "drawing": VERSION, "seed": args.run.seed,
        "drawn": args.drawn, "screens": args.screens, "second": args.second, "finder": finder_of_drawn()?,
    });
    if let Some(path) = &args.keep_drawn {
        let kept = crop_cache::read(path, &recipe).with_context(|| {
            format!("{}: cannot be used; delete it, and the crops are drawn anew", path.display())
        })?;
        if kept.is_some() {
            return Ok(kept);
        }
    }
    let judged = (args.drawn * JUDGED_PER_HUNDRED).div_ceil(100);
    let bar = ProgressBar::new((args.drawn + judged) as u64).with_style(
        ProgressStyle::with_template("drawing {bar:24} {pos}/{len} cards, {eta} left")
            .context("a template that is well formed")?,
    );
    let groups = draw([args.drawn, judged], args.run.seed, tables, &*finder, &|n| {
        bar.set_position(n as u64)
    })?;
    bar.finish_and_clear();
    let Some(groups) = groups else { return Ok(None) };
    if let Some(path) = &args.keep_drawn {
        crop_cache::write(path, &recipe, &groups)
            .with_context(|| format!("the drawn crops cannot be kept in {}", path.display()))?;
    }
    Ok(Some(groups))
}

/// One group of several.
fn merged(groups: Vec<Group>) -> Option<Group> {
    groups.into_iter().reduce(|mut all, group| {
        all.samples.extend(group.samples);
        all
    })
}

/// What a batch is made of. A source's share goes by the root of its size, so that a small one is
/// heard.
fn shares(drawn: Vec<Group>, sources: Vec<Source>) -> Vec<(Group, f64)> {
    let total: f64 = sources.iter().map(|source| (source.labelled as f64).sqrt()).sum();
    let (mut drawn_cards, mut real) = (DRAWN_SHARE, REAL_SHARE);
    let none_share = 1.0 - DRAWN_SHARE - REAL_SHARE;
    if drawn.is_empty() {
        (drawn_cards, real) = (0.0, DRAWN_SHARE + REAL_SHARE);
    } else if sources.is_empty() {
        (drawn_cards, real) = (DRAWN_SHARE + REAL_SHARE, 0.0);
    }
    let drawn_none = none_share * if sources.is_empty() { 1.0 } else { 0.7 };
    let drawn_shares = [drawn_cards, drawn_none];
    let mut out: Vec<(Group, f64)> = drawn.into_iter().zip(drawn_shares).collect();
    let real_none = if out.is_empty() { none_share } else { none_share - drawn_none };
    for source in sources {
        let part = (source.labelled as f64).sqrt() / total;
        out.push((source.cards, real * part));
        out.push((source.negatives, real_none * part));
    }
    out.retain(|(group, _)| !group.samples.is_empty());
    out
}
