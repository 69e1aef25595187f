//! Trains the reader network on from the one in use, on a person's cards together with drawn ones, and
//! joins the evidence anew.
//!
//! Scenes are dealt into folds; what a fold keeps aside is read by a network that has not seen it. Those
//! readings tell what the training is worth, and how sure the network may be of this camera's cards. The
//! network that is handed on has learned from all of them.

use super::photos::OwnPhoto;
use crate::export::onnx;
use crate::model::graph::Graph;
use crate::model::{Kind, Metadata};
use crate::pipeline::classify::fusion::Fusion;
use crate::pipeline::classify::mirror;
use crate::pipeline::classify::neural::NeuralReader;
use crate::pipeline::classify::reader::Cards;
use crate::pipeline::engine::{
    FUSION, MANIFEST, Manifest, ManifestFile, Models, Network, file_of, sha256,
};
use crate::pipeline::{
    CardImage, CardOutline, FinderChoice, Pipeline, StageClock, rectify, shared_refiner, source,
};
use crate::train::first::First;
use crate::train::fuse::{self, Source, Table, Truth};
use crate::train::optimiser::Schedule;
use crate::train::reader::sample::{Group, Label};
use crate::train::reader::{self, ReaderTask};
use crate::train::run::{Ended, Keeping, Settings, TrainError, train};
use crate::whole_file::write_whole;
use anyhow::Context;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// Shares of a batch: a person's cards, what lies beside them, drawn cards, drawn outlines without a card.
const SHARES: [f64; 4] = [0.35, 0.08, 0.45, 0.12];
/// Drawn tables on which the evidence is joined anew, with each finder, by the steps of the training: a short
/// one is a try.
pub fn tables(steps: u64) -> u64 {
    (steps / 4).clamp(8, 96)
}
/// Their seed: one that no training draws from.
const TABLES_SEED: u64 = 2_700_001;

/// Deals scenes into folds, by chance and evenly: the fold of each photo.
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
    /// The network to go on from.
    pub first: &'a Graph,
    /// Cards and what is none, cut from drawn tables.
    pub drawn: &'a [Group],
    /// Everything random comes from it.
    pub seed: u64,
    /// Steps of 64 crops.
    pub steps: u64,
}

impl Reader<'_> {
    /// Trains on photos; none when it was stopped.
    ///
    /// # Errors
    /// A run that cannot be kept.
    pub fn train(
        &self,
        photos: &[&OwnPhoto],
        keeping: &Keeping,
    ) -> Result<Option<Graph>, TrainError> {
        let own = |is_card: bool| {
            let samples = photos.iter().flat_map(|photo| &photo.samples);
            let chosen = samples.filter(|sample| (sample.label != Label::NoCard) == is_card);
            Group {
                name: if is_card { "yours" } else { "yours, no cards" }.into(),
                is_drawn: false,
                // What is added is of the camera that the network is for.
                teaches_color: true,
                samples: chosen.filter(|sample| sample.shows_its_shading()).cloned().collect(),
            }
        };
        let groups = [own(true), own(false), self.drawn[0].clone(), self.drawn[1].clone()];
        let training: Vec<(Group, f64)> =
            groups.into_iter().zip(SHARES).filter(|(group, _)| !group.samples.is_empty()).collect();
        let validation = self.drawn[2..].to_vec();
        // A run is gone on with only on the same pictures, labelled alike.
        let samples = training.iter().flat_map(|(group, _)| &group.samples);
        let data = json!({"steps": self.steps, "training_set": reader::fingerprint(samples)});
        let task = ReaderTask {
            plan: reader::plan(),
            seed: self.seed,
            first: First::Network(self.first.clone()),
            training,
            validation,
            data,
        };
        let settings = Settings {
            seed: self.seed,
            schedule: Schedule {
                learning_rate: 1e-3,
                warm_up: self.steps / 10,
                steps: self.steps,
                weight_decay: 0.02,
                longest_gradient: 5.0,
                average: 0.98,
            },
            validate_every: self.steps,
            patience: u32::MAX,
        };
        Ok(match train(&task, &settings, keeping)? {
            Ended::Done(trained) => Some(trained.graph),
            Ended::Stopped { .. } => None,
        })
    }
}

/// What readers say of the photos that they have not learned from: `reader_of` gives the one of each photo.
/// Crops are left out: they were found by nobody.
///
/// # Errors
/// A photo that cannot be read any more, a network that does not run.
pub fn witnesses(
    photos: &[OwnPhoto],
    reader_of: &(dyn Fn(usize) -> Arc<NeuralReader> + Sync),
    finder: FinderChoice,
    base: &Models,
) -> anyhow::Result<Source> {
    let refiner = shared_refiner(base)?;
    let finder = finder.finder(base, refiner.clone())?;
    let mut tables = Vec::new();
    for (i, own) in photos.iter().enumerate() {
        let Some(photo) = &own.photo else { continue };
        let loaded = source::load_photo(&photo.path)?;
        let mut labels = photo.label.upright_cards(loaded.orientation);
        let mut frame = loaded.frame;
        if own.mirrored {
            // It is read in a mirror, so that is where the network is asked.
            let width = f64::from(frame.image.width());
            frame = mirror::turned_back(&frame);
            labels.iter_mut().for_each(|label| label.center.x = width - label.center.x);
        }
        let outlines = finder.find(&frame, None)?;
        let images: Vec<CardImage> =
            outlines.iter().map(|outline| rectify::rectify(&frame, outline)).collect();
        let cards = Cards { frame: &frame, outlines: &outlines, images: &images };
        let truth = |outline: &CardOutline| {
            let quad = &outline.corners_in_image;
            let near = |at: crate::geometry::Point| at.distance(quad.center()) / quad.long_side();
            let nearest = labels.iter().min_by(|a, b| near(a.center).total_cmp(&near(b.center)));
            match nearest {
                Some(label) if near(label.center) <= crate::dataset::MATCH_RADIUS => {
                    Truth::Card(label.code)
                }
                _ => Truth::Nothing,
            }
        };
        let reader = reader_of(i);
        let table: Table = fuse::ask(&cards, &reader, refiner.as_deref(), own.edition, truth)?;
        tables.push(table);
    }
    Ok(Source { name: "yours".into(), has_outlines: true, tables })
}

/// Joins the evidence anew, for both finders.
///
/// # Errors
/// Weights that are missing or broken.
pub fn join(
    base: &Models,
    tables: u64,
    reader: &(Arc<NeuralReader>, String),
    photos: &[OwnPhoto],
    reader_of: &(dyn Fn(usize) -> Arc<NeuralReader> + Sync),
    done: &(dyn Fn() + Sync),
) -> anyhow::Result<Fusion> {
    let before = Fusion::load(base)?;
    let refiner = shared_refiner(base)?;
    let fit = |choice: FinderChoice, joint| -> anyhow::Result<_> {
        let finder = choice.finder(base, refiner.clone())?;
        let drawn =
            fuse::drawn(&*finder, &reader.0, refiner.as_deref(), tables, TABLES_SEED, done)?;
        let own = witnesses(photos, reader_of, choice, base)?;
        Ok(fuse::fit_near(&[drawn, own], joint))
    };
    let classical = fit(FinderChoice::Classical, &before.classical)?;
    let learned = fit(FinderChoice::Learned, &before.learned)?;
    Ok(Fusion {
        version: env!("CARGO_PKG_VERSION").into(),
        reader_sha256: reader.1.clone(),
        learned,
        classical,
        fitted: json!({"tables": tables, "seed": TABLES_SEED, "photos": photos.len(),
            "near": "the fit of the models that it was trained on from"}),
        ..before
    })
}

/// A reader from a network, and its file's bytes. `training_set` is the hash of what it learned from.
///
/// # Errors
/// It does not load.
pub fn reader_of(
    graph: &Graph,
    command: &str,
    training_set: String,
    seed: u64,
) -> anyhow::Result<(Arc<NeuralReader>, Vec<u8>)> {
    let metadata = Metadata {
        kind: Kind::Reader,
        version: env!("CARGO_PKG_VERSION").into(),
        training_set,
        command: command.to_owned(),
        seed,
    };
    let bytes = onnx::encode(graph, &metadata);
    let network = Network::load(&bytes, file_of(Kind::Reader), Kind::Reader)?;
    Ok((Arc::new(NeuralReader::with_network(Box::new(network))), bytes))
}

/// Writes a complete folder of models: a reader and a fusion, with the other networks of `base`. The
/// manifest comes last: a folder with one is whole.
///
/// # Errors
/// What cannot be written.
pub fn write_models(
    folder: &Path,
    base: &Models,
    reader: &[u8],
    fusion: &Fusion,
) -> anyhow::Result<()> {
    let made = || format!("{} cannot be written", folder.display());
    std::fs::create_dir_all(folder).with_context(made)?;
    let mut fusion = serde_json::to_string_pretty(fusion)?;
    fusion.push('\n');
    let mut files = vec![
        (file_of(Kind::Reader), "reader", reader.to_vec()),
        (FUSION, "fusion", fusion.into_bytes()),
    ];
    for kind in [Kind::Finder, Kind::Refiner] {
        if base.has(file_of(kind)) {
            files.push((file_of(kind), kind.name(), base.read(file_of(kind))?.into_owned()));
        }
    }
    files.sort_by_key(|(file, ..)| *file);
    // Whatever is written over an older folder: no manifest speaks of half of it.
    let manifest = folder.join(MANIFEST);
    match std::fs::remove_file(&manifest) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).with_context(made);
        }
        _ => {}
    }
    let mut named = Vec::new();
    for (file, kind, bytes) in files {
        write_whole(&folder.join(file), &bytes).with_context(made)?;
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
    write_whole(&manifest, text.as_bytes()).with_context(made)?;
    // What is written is tried.
    let pipeline = Pipeline::with_defaults(&Models::Folder(folder.to_owned()))?;
    let frame = crate::pipeline::Frame { image: image::RgbImage::new(64, 64) };
    pipeline.read(&frame, &mut StageClock::default(), None)?;
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
        let fold_of = |scene: usize| folds[scenes.iter().position(|s| *s == scene).unwrap()];
        let of = |fold: usize| (0..6).filter(|scene| fold_of(*scene) == fold).count();
        assert_eq!((of(0), of(1)), (3, 3));
        assert_eq!(folds, super::folds(&scenes, 2, 7), "by the seed");
    }
}
