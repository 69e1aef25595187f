//! `setsight train fuse`: how the outputs are joined.

use super::EditionArgs;
use crate::cli::common::{Outcome, SEED};
use crate::cli::table::photos::{self, ModelsArgs};
use anyhow::Context;
use indicatif::ProgressBar;
use serde_json::json;
use setsight_files::small_file::{MAX_WEIGHTS_BYTES, read_small};
use setsight_files::whole_file::write_atomic;
use setsight_game::cards::Property;
use setsight_nets::engine::{
    FUSION, Models, Network, SCREEN_READER, SECOND_READER, file_of, sha256,
};
use setsight_nets::{Kind, onnx};
use setsight_train::parts::fuse::{self, Drawn, Networks, Source};
use setsight_vision::{
    FinderChoice,
    classify::screens::ScreenWeights,
    classify::{
        fused::FurtherNetworks,
        fusion::{EvidenceWeights, Fusion},
        neural::NeuralReader,
    },
    find::{CardFinder, Learned},
    refiner,
};
use std::path::{Path, PathBuf};

/// Arguments of `train fuse`.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  setsight train fuse --models models --out models/fusion.json \\\n      \
                  --crops crops/one=no-one.onnx"
)]
pub struct Args {
    #[command(flatten)]
    models: ModelsArgs,
    /// A folder of labelled crops and the network to read it with, whose training left that folder out: one that
    /// has seen the crops would seem surer than it is; may be repeated
    #[arg(hide = true, long, value_name = "DIR=FILE", value_parser = crops_and_network)]
    crops: Vec<(PathBuf, PathBuf)>,
    #[command(flatten)]
    editions: EditionArgs,
    /// Fit the weights for copies of screens instead, as screens.json; screen-reader.onnx and second-reader.onnx
    /// beside it then also tell how alike cards are
    #[arg(hide = true, long, conflicts_with_all = ["crops", "edition"])]
    screens: bool,
    /// How many tables to draw
    #[arg(hide = true, long, value_name = "N", default_value_t = 1200)]
    tables: u64,
    /// Seed of the drawn tables, in a range that no training draws from
    #[arg(long, default_value_t = SEED)]
    seed: u64,
    /// Where to write the weights
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Where the seeds of the drawn tables begin.
const SEEDS: u64 = 2_600_000;
/// Where those of the tables with stacks begin.
const STACK_SEEDS: u64 = 2_650_000;
/// Where those of the tables begin that the weights of outlines are fitted on.
const OUTLINE_SEEDS: u64 = 881_000;

/// Fits and writes `fusion.json`, and prints what the fit gave.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let models = args.models.named().unwrap_or(Models::Shipped);
    if args.screens {
        return fuse_screens(&args, &models);
    }
    let network = NeuralReader::load(&models)?;
    let mut photographed = Vec::new();
    for (crops, network) in &args.crops {
        let name = crops.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let edition = args.editions.of_folder(&name);
        let network = load_reader(network)?;
        photographed.push(fuse::crops(crops, edition, &network, &|| ())?);
    }
    let a_fit = (args.tables + args.tables / 20 + args.tables / 4) as usize;
    let bar = photos::progress(args.tables as usize + a_fit * FinderChoice::ALL.len());
    let (refiner, second) = (refiner::shared(&models)?, NeuralReader::load_second(&models)?);
    let extra = FurtherNetworks {
        refiner: refiner.as_deref(),
        second: second.as_ref(),
        ..FurtherNetworks::default()
    };
    let seed = SEEDS + args.seed;
    let mut finder = Learned::load(&models, refiner.clone())?;
    let (outlines, outlines_report) =
        fuse::fit_outlines(&finder, args.tables, OUTLINE_SEEDS + args.seed, &|| bar.inc(1))?;
    finder.weights = outlines;
    let classical = FinderChoice::Classical.finder(&models, None, &[])?;
    let fit = |choice: FinderChoice, finder: &dyn CardFinder| {
        let networks = Networks { finder, reader: &network, extra };
        fit_joint(&args, choice, networks, &photographed, &bar)
    };
    let (classical, classical_report) = fit(FinderChoice::Classical, &*classical)?;
    let (learned, learned_report) = fit(FinderChoice::Learned, &finder)?;
    bar.finish_and_clear();
    let hash = |file: &str| models.read(file).map(|bytes| sha256(&bytes));
    let fusion = Fusion {
        version: env!("CARGO_PKG_VERSION").into(),
        reader_sha256: hash(file_of(Kind::Reader))?,
        refiner_sha256: refiner.is_some().then(|| hash(file_of(Kind::Refiner))).transpose()?,
        second_sha256: models
            .or_shipped(SECOND_READER)
            .map(|models| models.read(SECOND_READER).map(|bytes| sha256(&bytes)))
            .transpose()?,
        finder_sha256: Some(hash(file_of(Kind::Finder))?),
        outlines: Some(outlines),
        // `--screens` fits it to these weights.
        company: None,
        learned,
        classical,
        fitted: json!({
            "seed": seed,
            "tables": args.tables,
            "properties": Property::ALL.map(Property::word),
            "outlines": outlines_report,
            "classical": classical_report,
            "learned": learned_report,
        }),
    };
    write_json(&args.out, &serde_json::to_string_pretty(&fusion)?)
}

/// The weights for the outlines of one finder, and what is kept of the fit.
fn fit_joint(
    args: &Args,
    choice: FinderChoice,
    networks: Networks<'_>,
    photographed: &[Source],
    bar: &ProgressBar,
) -> anyhow::Result<(EvidenceWeights, serde_json::Value)> {
    let seed = SEEDS + args.seed;
    let drawn = |what, tables, seed| fuse::drawn(networks, what, tables, seed, &|| bar.inc(1));
    let mut sources = vec![drawn(Drawn::Photos, args.tables, seed)?];
    let auxiliary = fuse::AuxiliaryTables {
        with_stacks: drawn(Drawn::WithStacks, args.tables / 20, STACK_SEEDS + args.seed)?,
        in_bad_light: drawn(Drawn::InBadLight, args.tables / 4, seed)?,
    };
    sources.extend(photographed.iter().cloned());
    fuse::score_crops_as_usual(&mut sources);
    let (joint, report) = fuse::fit_joint(&sources, Some(&auxiliary), fuse::MOST_WRONG);
    let counts: Vec<_> = sources.iter().map(counted).collect();
    bar.suspend(|| print!("{} finder\n{report}", choice.name()));
    Ok((joint, json!({"sources": counts, "fused": report})))
}

/// Fits and writes `screens.json`, and prints what the fit gave.
fn fuse_screens(args: &Args, models: &Models) -> anyhow::Result<Outcome> {
    let bytes = models.read(SCREEN_READER)?;
    let network = Network::load(&bytes, &models.name_of(SCREEN_READER), Kind::Reader)?;
    let reader = &NeuralReader::with_network(Box::new(network));
    let refiner = refiner::shared(models)?;
    let finder = &Learned::load(models, refiner.clone())?;
    let extra = FurtherNetworks { refiner: refiner.as_deref(), ..FurtherNetworks::default() };
    let networks = Networks { finder, reader, extra };
    let clipped = args.tables / 2;
    let (in_company, in_bad_light) = (args.tables / 2, args.tables / 4);
    let bar = photos::progress((4 * args.tables + clipped + in_company + in_bad_light) as usize);
    let seed = SEEDS + args.seed;
    let drawn = |what, tables| fuse::drawn(networks, what, tables, seed, &|| bar.inc(1));
    let photos = [drawn(Drawn::Photos, args.tables)?, drawn(Drawn::Clipped, clipped)?];
    let screens = drawn(Drawn::OnScreen, args.tables)?;
    // The rows that an earlier fit added are made anew.
    let (graph, metadata) = onnx::decode(&bytes)?;
    let second = models.read(SECOND_READER)?;
    let (second_graph, second_metadata) = onnx::decode(&second)?;
    let graphs = [&graph, &second_graph];
    let prints = fuse::prints(graphs, networks, args.tables, seed, &|| bar.inc(1))?;
    let no_last_layer = "the networks cannot tell how alike cards are: one has no dense last layer";
    let ([graph, mut second_graph], likeness) =
        fuse::fit_likeness(graphs, &prints).context(no_last_layer)?;
    let prints =
        fuse::prints_on_photos(&second_graph, networks, args.tables, seed, &|| bar.inc(1))?;
    fuse::fit_places(&mut second_graph, &prints).context(no_last_layer)?;
    let bytes = onnx::encode(&graph, &metadata);
    let second_bytes = onnx::encode(&second_graph, &second_metadata);
    // The further outputs leave the logits as they are, with which the other weights were fitted.
    let fusion = models.has(FUSION).then(|| Fusion::load(models)).transpose()?;
    let mut fusion = fusion.filter(|fusion| fusion.second_sha256 == Some(sha256(&second)));
    if let Some(fusion) = &mut fusion {
        fusion.second_sha256 = Some(sha256(&second_bytes));
        let retrained = Network::load(&second_bytes, SECOND_READER, Kind::Reader)?;
        let second = Some(&NeuralReader::with_network(Box::new(retrained)));
        let (reader, extra) = (&NeuralReader::load(models)?, FurtherNetworks { second, ..extra });
        let networks = Networks { finder, reader, extra };
        let company = [
            // Of other tables than those that places were fitted on.
            fuse::drawn(networks, Drawn::Photos, in_company, seed + 1, &|| bar.inc(1))?,
            fuse::drawn(networks, Drawn::KnownInBadLight, in_bad_light, seed + 1, &|| bar.inc(1))?,
        ];
        fusion.company = Some(fuse::fit_company(&company, &fusion.learned));
    }
    bar.finish_and_clear();
    let (is_screen, screen_report) = fuse::fit_is_screen(&photos, &screens);
    let (evidence, report) = fuse::fit_joint(&[screens], None, fuse::MOST_WRONG_ON_SCREENS);
    print!("{report}");
    let weights = ScreenWeights {
        version: env!("CARGO_PKG_VERSION").into(),
        reader_sha256: sha256(&bytes),
        is_screen,
        evidence,
        likeness: Some(likeness),
        fitted: json!({
            "seed": seed, "tables": args.tables, "is_screen": screen_report, "fused": report,
        }),
    };
    let mut files = vec![(SCREEN_READER, bytes), (SECOND_READER, second_bytes)];
    if let Some(fusion) = fusion {
        files.push((FUSION, format!("{}\n", serde_json::to_string_pretty(&fusion)?).into_bytes()));
    }
    for (file, bytes) in files {
        let path = args.out.with_file_name(file);
        write_atomic(&path, &bytes)
            .with_context(|| format!("{} cannot be written", path.display()))?;
    }
    write_json(&args.out, &serde_json::to_string_pretty(&weights)?)
}

fn write_json(path: &Path, weights: &str) -> anyhow::Result<Outcome> {
    write_atomic(path, format!("{weights}\n").as_bytes())
        .with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(Outcome::Done)
}

fn counted(source: &Source) -> serde_json::Value {
    let outlines: usize = source.tables.iter().map(|table| table.examples.len()).sum();
    json!({"name": source.name, "tables": source.tables.len(), "outlines": outlines})
}

/// `DIR=FILE`, for clap.
fn crops_and_network(text: &str) -> Result<(PathBuf, PathBuf), String> {
    let pair =
        text.split_once('=').filter(|(crops, network)| !crops.is_empty() && !network.is_empty());
    let (crops, network) = pair.ok_or("expected DIR=FILE, as in crops/one=no-one.onnx")?;
    Ok((crops.into(), network.into()))
}

fn load_reader(file: &Path) -> anyhow::Result<NeuralReader> {
    let name = file.display().to_string();
    let bytes =
        read_small(file, MAX_WEIGHTS_BYTES).with_context(|| format!("{name} cannot be read"))?;
    Ok(NeuralReader::with_network(Box::new(Network::load(&bytes, &name, Kind::Reader)?)))
}
