//! What a run begins with: chance's weights, another run's, or a finished network's.

use super::checkpoint::{Checkpoint, CheckpointError};
use super::net::Plan;
use super::run::{CHECKPOINT, TrainError};
use super::weights::Weights;
use crate::export::onnx;
use crate::model::graph::Graph;
use crate::model::{Kind, Metadata};
use burn::tensor::Tensor;
use std::path::Path;

/// Where first weights come from.
#[derive(Clone, Debug, Default)]
pub enum First {
    /// Chance, by the run's seed.
    #[default]
    Chance,
    /// The best weights of another run.
    Run(Weights),
    /// A network without its norms, as ONNX files hold it.
    Network(Graph),
}

impl First {
    /// From a run's folder, or from the ONNX file of a network of this kind and plan; also what the
    /// network says of itself, if it is finished.
    ///
    /// # Errors
    /// [`TrainError`]: no run and no such file there, a broken one, or another network.
    pub fn open(
        path: &Path,
        kind: Kind,
        plan: &Plan,
    ) -> Result<(Self, Option<Metadata>), TrainError> {
        let wrong = |reason: String| TrainError::Folder { folder: path.to_path_buf(), reason };
        if path.is_dir() {
            let weights = best_weights(path, plan)?;
            let finished = std::fs::read(path.join(format!("{}.onnx", kind.name())));
            let metadata = finished.ok().and_then(|bytes| Some(onnx::decode(&bytes).ok()?.1));
            return Ok((Self::Run(weights), metadata));
        }
        let bytes = std::fs::read(path)
            .map_err(|source| CheckpointError::Unreadable { path: path.to_path_buf(), source })?;
        Self::of_network(&bytes, kind)
            .map(|(first, metadata)| (first, Some(metadata)))
            .map_err(wrong)
    }

    /// From the bytes of an ONNX file.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn of_network(bytes: &[u8], kind: Kind) -> Result<(Self, Metadata), String> {
        let (graph, metadata) = onnx::decode(bytes).map_err(|error| error.to_string())?;
        if metadata.kind != kind {
            return Err(format!("it is a {}, expected a {}", metadata.kind.name(), kind.name()));
        }
        Ok((Self::Network(graph), metadata))
    }

    /// Whether there is something to go on from.
    pub fn goes_on(&self) -> bool {
        !matches!(self, Self::Chance)
    }

    /// The weights; `seen` gives pictures as training shows them.
    ///
    /// # Panics
    /// If a network is of another plan, which its metadata rules out.
    pub fn weights(&self, plan: &Plan, seed: u64, seen: impl FnOnce() -> Tensor<4>) -> Weights {
        match self {
            Self::Chance => plan.init(seed),
            Self::Run(weights) => weights.clone(),
            Self::Network(graph) => plan
                .weights_of(graph, seen())
                .expect("a network of this kind that this version wrote"),
        }
    }
}

fn best_weights(folder: &Path, plan: &Plan) -> Result<Weights, TrainError> {
    let run = Checkpoint::read(&folder.join(CHECKPOINT))?;
    let weights = run.best.map_or(run.state.average, |best| best.weights);
    if weights.same_shape(&plan.init(0)) {
        return Ok(weights);
    }
    let reason = format!("{CHECKPOINT} is of another network; begin without it");
    Err(TrainError::Folder { folder: folder.to_path_buf(), reason })
}
