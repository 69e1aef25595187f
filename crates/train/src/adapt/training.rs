//! Trains the reader and the finder further on a person's cards together with drawn ones, and fits
//! the fusion of the evidence again.
//!
//! Cross-validation: scenes are split into folds, and each fold is read by networks that were not
//! trained on it. Those readings measure what the training is worth, and calibrate the confidence
//! for this camera's cards. The final networks are trained on all scenes.

use super::photos::{TrainingPhoto, TrainingTable};
use crate::{
    checkpoint::First,
    finder::{
        self,
        scenes::{Drawn, draw},
    },
    fuse::{self, ExampleTable, Source, Truth},
    optimiser::Schedule,
    reader::{
        self, ReaderTask,
        sample::{Group, Label},
    },
    run::{Ended, Keeping, Settings, TrainError, train},
};
use anyhow::Context;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::json;
use setsight_files::whole_file::write_atomic;
use setsight_nets::engine::{
    FUSION, MANIFEST, Manifest, ManifestFile, Models, Network, SECOND_READER, file_of, sha256,
};
use setsight_nets::{Kind, Metadata, graph::Graph, onnx};
use setsight_photo::{
    labels::{CardLabel, MATCH_RADIUS},
    source,
};
use setsight_vision::{
    CardOutline, FinderChoice, ReadingPlan, Trace,
    classify::{Cards, fused::FurtherNetworks, fusion::Fusion, neural::NeuralReader},
    find::{CardFinder, Learned},
    refiner::{self, RefinerNetwork},
    table::turned_back,
};
use std::{path::Path, sync::Arc};

/// Shares of a batch: a person's cards, crops beside them, drawn cards, drawn crops without a card.
const SHARES: [f64; 4] = [0.35, 0.08, 0.45, 0.12];
/// Number of drawn tables, per finder, for fitting the fusion; fewer for a short training, which is
/// a trial run.
pub fn tables(steps: u64) -> u64 {
    (steps / 4).clamp(8, 96)
}
/// Seed of those tables, which no training uses.
const TABLES_SEED: u64 = 2_700_001;

/// Splits scenes at random into folds of equal size; returns the fold of each photo.
pub fn folds(scenes: &[usize], folds: usize, seed: u64) -> Vec<usize> {
    let count = scenes.iter().max().map_or(0, |last| last + 1);
    let mut order: Vec<usize> = (0..count).collect();
    let mut rng = Pcg64::seed_from_u64(seed);
    for i in (1..count).rev() {
        order.swap(i, rng.random_range(0..=i));
    }
    scenes.iter().map(|scene| order[*scene] % folds.max(1)).collect()
}

/// A training of the reader network.
pub struct Reader<'a> {
    /// The initial network.
    pub first: &'a Graph,
    /// Crops of drawn tables, with and without a card.
    pub drawn: &'a [Group],
    pub seed: u64,
    /// Number of steps of 64 crops.
    pub steps: u64,
}

impl Reader<'_> {
    /// Trains on photos; `None` if it was stopped.
    pub fn train(
        &self,
        photos: &[&TrainingPhoto],
        keeping: &Keeping,
    ) -> Result<Option<Graph>, TrainError> {
        let groups = [
            photographed(photos, true),
            photographed(photos, false),
            self.drawn[0].clone(),
            self.drawn[1].clone(),
        ];
        let training: Vec<(Group, f64)> =
            groups.into_iter().zip(SHARES).filter(|(group, _)| !group.samples.is_empty()).collect();
        let validation = self.drawn[2..].to_vec();
        // A run resumes only on the same crops with the same labels.
        let samples = training.iter().flat_map(|(group, _)| &group.samples);
        let data = json!({"steps": self.steps, "training_set": reader::fingerprint(samples)});
        let task = ReaderTask {
            plan: reader::plan(),
            seed: self.seed,
            first: First::Network(self.first.clone()),
            training,
            validation,
            augment: reader::augment::augment,
            data,
        };
        let settings = Settings { seed: self.seed, ..on_from(1e-3, 0.02, self.steps) };
        Ok(match train(&task, &settings, keeping)? {
            Ended::Done(trained) => Some(trained.graph),
            Ended::Stopped { .. } => None,
        })
    }
}

/// The crops of photos with a card, or those without.
fn photographed(photos: &[&TrainingPhoto], is_card: bool) -> Group {
    let samples = photos.iter().flat_map(|photo| &photo.samples);
    let chosen = samples.filter(|sample| (sample.label != Label::NoCard) == is_card);
    Group {
        name: if is_card { "yours" } else { "yours, no cards" }.into(),
        is_drawn: false,
        // These crops come from the camera that the network is for.
        teaches_color: true,
        samples: chosen.filter(|sample| sample.shows_its_shading()).cloned().collect(),
    }
}

/// Number of different drawn tables for the finder; after that they repeat.
const DRAWN_TABLES: u64 = 240;
/// Number of finder steps for a number of reader steps. It is lower because a finder's picture is a
/// hundred times larger.
pub fn finder_steps(steps: u64) -> u64 {
    (3 * steps / 8).max(1)
}
/// Size of the pictures that the finder trains on.
const TABLE_PX: (u32, u32) = finder::SIZE_PX;

/// A training of the finder network.
pub struct Finder<'a> {
    /// The initial network.
    pub first: &'a Graph,
    pub seed: u64,
    /// Number of steps of 8 pictures.
    pub steps: u64,
}

impl Finder<'_> {
    /// Trains on photos and as many drawn tables; `None` if it was stopped.
    pub fn train(
        &self,
        photos: &[&TrainingPhoto],
        keeping: &Keeping,
    ) -> Result<Option<Graph>, TrainError> {
        let tables: Vec<TrainingTable> =
            photos.iter().filter_map(|photo| photo.table.clone()).collect();
        // Avoids the tables that the network was trained on already.
        let (seed, drawn_seed) = (self.seed, self.seed ^ (1 << 30));
        let options = finder::Options { validation_scenes: 24, ..finder::Options::new(seed) };
        let data = json!({"photos": tables_fingerprint(&tables), "drawn": DRAWN_TABLES});
        let first = First::Network(self.first.clone());
        let task = finder::Finder::going_on(
            &options,
            first,
            move |index| picture(&tables, index, [seed, drawn_seed]),
            data,
        );
        let settings = Settings { seed, ..on_from(1e-3, 1e-3, self.steps) };
        Ok(match train(&task, &settings, keeping)? {
            Ended::Done(trained) => Some(trained.graph),
            Ended::Stopped { .. } => None,
        })
    }
}

/// Photos and drawn tables in turn, by the seeds of each.
fn picture(photos: &[TrainingTable], index: u64, [seed, drawn_seed]: [u64; 2]) -> Drawn {
    let round = index / 2;
    match photos.get(round as usize % photos.len().max(1)) {
        Some(table) if index.is_multiple_of(2) => table.shown(seed, round, TABLE_PX),
        _ => draw(drawn_seed, round % DRAWN_TABLES, TABLE_PX),
    }
}

/// SHA-256, in hexadecimal digits, of the photos that a finder learns from.
pub fn tables_fingerprint<'a>(tables: impl IntoIterator<Item = &'a TrainingTable>) -> String {
    let pixels: Vec<u8> = tables.into_iter().flat_map(|table| table.pixels()).copied().collect();
    sha256(&pixels)
}

/// Settings of a short run from a trained network.
fn on_from(learning_rate: f32, weight_decay: f32, steps: u64) -> Settings {
    Settings {
        seed: 0,
        schedule: Schedule {
            learning_rate,
            warm_up: steps / 10,
            steps,
            weight_decay,
            longest_gradient: 5.0,
            average: 0.98,
        },
        validate_every: steps,
        patience: u32::MAX,
    }
}

/// The networks of a training; the finder is `None` if it was not trained.
#[derive(Clone)]
pub struct Networks {
    /// The card classifier.
    pub reader: Arc<NeuralReader>,
    /// Its file.
    pub reader_file: Vec<u8>,
    /// The finder's file, if it was trained.
    pub finder_file: Option<Vec<u8>>,
}

impl Networks {
    /// A finder of this kind, with this training's network if it needs one.
    pub(crate) fn finder(
        &self,
        choice: FinderChoice,
        base: &Models,
        refiner: Option<Arc<dyn RefinerNetwork>>,
    ) -> anyhow::Result<Box<dyn CardFinder>> {
        Ok(match (&self.finder_file, choice) {
            (Some(file), FinderChoice::Learned) => {
                let network = Network::load(file, file_of(Kind::Finder), Kind::Finder)?;
                let weights = Fusion::outline_weights(base)?;
                Box::new(Learned::new(Box::new(network), refiner, weights))
            }
            _ => choice.finder(base, refiner, &[])?,
        })
    }
}

/// The outputs of networks on photos that they were not trained on; `networks_of` returns the
/// networks for each photo. Crops are left out, because no finder located them.
fn outputs<'a>(
    photos: &[TrainingPhoto],
    networks_of: &dyn Fn(usize) -> &'a Networks,
    choice: FinderChoice,
    base: &Models,
) -> anyhow::Result<Source> {
    let (refiner, second) = (refiner::shared(base)?, NeuralReader::load_second(base)?);
    let mut tables = Vec::new();
    for (i, photo) in photos.iter().enumerate() {
        let Some(labelled) = &photo.photo else { continue };
        let loaded = source::load_photo(&labelled.path)?;
        let mut labels = labelled.label.cards_in(&loaded);
        let mut frame = loaded.frame;
        if photo.mirrored {
            // The photo is read mirrored back, so the networks get it mirrored back too.
            let width = f64::from(frame.width());
            frame = turned_back(&frame);
            labels.iter_mut().for_each(|label| label.center.x = width - label.center.x);
        }
        let networks = networks_of(i);
        let outlines =
            networks.finder(choice, base, refiner.clone())?.find(&frame, &mut Trace::default())?;
        let cards = Cards::straighten(&frame, &outlines);
        let reader = &networks.reader;
        let extra = FurtherNetworks {
            refiner: refiner.as_deref(),
            second: second.as_ref(),
            ..FurtherNetworks::default()
        };
        let table: ExampleTable =
            fuse::ask(&cards, reader, extra, photo.edition, false, |outline| {
                truth_at(&labels, outline)
            })?;
        tables.push(table);
    }
    Ok(Source { name: "yours".into(), has_outlines: true, tables })
}

/// The label nearest to an outline's centre.
fn truth_at(labels: &[CardLabel], outline: &CardOutline) -> Truth {
    let quad = &outline.corners_in_image;
    let distance = |label: &CardLabel| label.center.distance(quad.center()) / quad.long_side();
    match labels.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))) {
        Some(label) if distance(label) <= MATCH_RADIUS => Truth::Card(label.code),
        _ => Truth::Nothing,
    }
}

/// Fits the fusion again, for each finder that this build has.
pub fn join<'a>(
    base: &Models,
    tables: u64,
    networks: &Networks,
    photos: &[TrainingPhoto],
    networks_of: &dyn Fn(usize) -> &'a Networks,
    done: &(dyn Fn() + Sync),
) -> anyhow::Result<Fusion> {
    let before = Fusion::load(base)?;
    let (refiner, second) = (refiner::shared(base)?, NeuralReader::load_second(base)?);
    let extra = FurtherNetworks {
        refiner: refiner.as_deref(),
        second: second.as_ref(),
        ..FurtherNetworks::default()
    };
    let mut fusion = Fusion {
        version: env!("CARGO_PKG_VERSION").into(),
        reader_sha256: sha256(&networks.reader_file),
        finder_sha256: networks.finder_file.as_deref().map(sha256).or(before.finder_sha256),
        fitted: json!({"tables": tables, "seed": TABLES_SEED, "photos": photos.len(),
            "near": "the fit of the models that it was trained on from"}),
        ..before
    };
    for (choice, joint) in [
        (FinderChoice::Classical, &mut fusion.classical),
        (FinderChoice::Learned, &mut fusion.learned),
    ] {
        if choice.is_built() {
            let finder = networks.finder(choice, base, refiner.clone())?;
            let networks = fuse::Networks { finder: &*finder, reader: &networks.reader, extra };
            let drawn = fuse::drawn(networks, fuse::Drawn::Photos, tables, TABLES_SEED, done)?;
            let photographs = outputs(photos, networks_of, choice, base)?;
            *joint = fuse::fit_near(&[drawn, photographs], joint);
        }
    }
    Ok(fusion)
}

/// A trained network's file. `training_set` is the hash of its training data.
pub fn file(kind: Kind, graph: &Graph, command: &str, training_set: String, seed: u64) -> Vec<u8> {
    let metadata = Metadata {
        kind,
        version: env!("CARGO_PKG_VERSION").into(),
        training_set,
        command: command.to_owned(),
        seed,
    };
    onnx::encode(graph, &metadata)
}

pub fn reader_in(file: &[u8]) -> anyhow::Result<Arc<NeuralReader>> {
    let network = Network::load(file, file_of(Kind::Reader), Kind::Reader)?;
    Ok(Arc::new(NeuralReader::with_network(Box::new(network))))
}

/// The files that [`write_models`] may write.
pub const FILES: [&str; 6] = [
    MANIFEST,
    FUSION,
    file_of(Kind::Reader),
    file_of(Kind::Finder),
    file_of(Kind::Refiner),
    SECOND_READER,
];

/// Writes a complete folder of models: the networks, the fusion and the remaining files of `base`.
/// The manifest is written last, so a folder with a manifest is complete.
pub fn write_models(
    folder: &Path,
    base: &Models,
    networks: &Networks,
    fusion: &Fusion,
) -> anyhow::Result<()> {
    let made = || format!("{} cannot be written", folder.display());
    std::fs::create_dir_all(folder).with_context(made)?;
    let mut fusion = serde_json::to_string_pretty(fusion)?;
    fusion.push('\n');
    let mut files = vec![
        (file_of(Kind::Reader), Kind::Reader.name(), networks.reader_file.clone()),
        (FUSION, "fusion", fusion.into_bytes()),
    ];
    for (file, kind, trained) in [
        (file_of(Kind::Finder), Kind::Finder, &networks.finder_file),
        (file_of(Kind::Refiner), Kind::Refiner, &None),
        (SECOND_READER, Kind::Reader, &None),
    ] {
        if let Some(trained) = trained {
            files.push((file, kind.name(), trained.clone()));
        } else if base.has(file) {
            files.push((file, kind.name(), base.read(file)?.into_owned()));
        }
    }
    files.sort_by_key(|(file, ..)| *file);
    // An older folder may be overwritten: its manifest is removed first, so that none describes a
    // partial folder.
    let manifest = folder.join(MANIFEST);
    match std::fs::remove_file(&manifest) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).with_context(made);
        }
        _ => {}
    }
    let mut named = Vec::new();
    for (file, kind, bytes) in files {
        write_atomic(&folder.join(file), &bytes).with_context(made)?;
        named.push(ManifestFile {
            file: file.to_owned(),
            kind: kind.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            bytes: bytes.len(),
            sha256: sha256(&bytes),
        });
    }
    let mut text = serde_json::to_string_pretty(&Manifest { files: named })?;
    text.push('\n');
    write_atomic(&manifest, text.as_bytes()).with_context(made)?;
    // Tries the written models.
    let pipeline = ReadingPlan::with_models(Models::Folder(folder.to_owned())).build()?;
    let frame = image::RgbImage::new(64, 64);
    pipeline.read(&frame, &mut Trace::default())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_are_dealt_evenly_and_never_torn_apart() {
        let scenes = [0, 1, 0, 2, 3, 4, 5, 5];
        let folds = folds(&scenes, 2, 7);
        for (i, a) in scenes.iter().enumerate() {
            for (j, b) in scenes.iter().enumerate() {
                assert!(a != b || folds[i] == folds[j]);
            }
        }
        let fold_of =
            [0, 1, 2, 3, 4, 5].map(|scene| folds[scenes.iter().position(|s| *s == scene).unwrap()]);
        assert_eq!([0, 1].map(|fold| fold_of.iter().filter(|f| **f == fold).count()), [3, 3]);
        assert_eq!(folds, super::folds(&scenes, 2, 7), "by the seed");
    }
}
