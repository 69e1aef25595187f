//! Named arrays of numbers, all weights of a network: those that a run begins with, random, from another run, or
//! from a finished network; and a run on disk, everything needed to resume it bit for bit.
//!
//! One safetensors file, written atomically. Its tensors are named `weights/NAME`, `first/NAME`,
//! `second/NAME`, `average/NAME` and, after the first validation, `best/NAME`. Its metadata hold
//! the rest: `run`, which is JSON, and `sha256`, over that text and then the bytes of all tensors.

use super::{layers::Tensor, net::Plan, optimiser::State};
use safetensors::{Dtype, SafeTensors, View, tensor::Metadata};
use serde::{Deserialize, Serialize};
use setsight_files::small_file::{MAX_WEIGHTS_BYTES, read_small};
use setsight_files::whole_file::write_atomic;
use setsight_nets::{engine::hex, graph::Graph};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// The kind of an array, which decides how it is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Weights of a convolution or a matrix product: trained, with weight decay.
    Weight,
    /// Added to a result: trained.
    Bias,
    /// A norm's factor: trained.
    Scale,
    /// Running mean of a norm's input: updated from batches, not by gradients.
    Mean,
    /// Running variance of a norm's input: updated from batches, not by gradients.
    Variance,
}

impl Role {
    /// Whether gradients update it.
    pub(crate) fn is_trained(self) -> bool {
        !matches!(self, Self::Mean | Self::Variance)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The node's number and the part's name: `3.weight`.
    pub name: String,
    pub role: Role,
    /// Length of each dimension.
    pub shape: Vec<usize>,
    /// The numbers, the last index fastest.
    pub values: Vec<f32>,
}

/// All arrays of a network, in the order of its plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    pub arrays: Vec<Array>,
}

impl Weights {
    /// Arrays of the same names and shapes, filled with 0.
    pub(crate) fn zeros_like(&self) -> Self {
        Self {
            arrays: self
                .arrays
                .iter()
                .map(|array| Array { values: vec![0.0; array.values.len()], ..array.clone() })
                .collect(),
        }
    }

    /// Moves every number towards `other` by `share` of the difference; 1 copies `other`.
    pub(crate) fn approach(&mut self, other: &Self, share: f32) {
        for (mine, theirs) in self.arrays.iter_mut().zip(&other.arrays) {
            for (a, b) in mine.values.iter_mut().zip(&theirs.values) {
                *a += (b - *a) * share;
            }
        }
    }

    /// Whether the names, roles and shapes equal those of `other`.
    pub(crate) fn same_shape(&self, other: &Self) -> bool {
        self.arrays.len() == other.arrays.len()
            && self
                .arrays
                .iter()
                .zip(&other.arrays)
                .all(|(a, b)| a.name == b.name && a.role == b.role && a.shape == b.shape)
    }
}

/// Keys of the metadata.
const RUN: &str = "run";
const SHA256: &str = "sha256";

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    #[error("{}: cannot be read: {source}", .path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error(
        "{}: cannot be written: {source}; the checkpoint before it is unharmed: make room", .path.display()
    )]
    Unwritable { path: PathBuf, source: std::io::Error },
    /// It is not a checkpoint, or it is damaged.
    #[error("{}: {reason}; delete the run's folder and train again", .path.display())]
    Broken { path: PathBuf, reason: String },
}

/// The best weights so far.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Best {
    /// Steps taken by then.
    pub step: u64,
    pub loss: f64,
    pub weights: Weights,
}

/// The whole changing state of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Checkpoint {
    /// Weights and optimiser.
    pub state: State,
    /// The best weights so far; `None` before the first validation.
    pub best: Option<Best>,
    /// Validations since the best one.
    pub without_gain: u32,
    /// Results so far, one entry per validation.
    pub history: Vec<super::run::Entry>,
    /// Seconds that the run has taken, over all sessions.
    pub seconds: f64,
}

/// Everything except the values of the arrays.
#[derive(Serialize, Deserialize)]
struct Run {
    step: u64,
    best: Option<(u64, f64)>,
    without_gain: u32,
    history: Vec<super::run::Entry>,
    seconds: f64,
    arrays: Vec<(String, Role, Vec<usize>)>,
}

impl Checkpoint {
    /// Writes the file completely or not at all.
    pub(crate) fn write(&self, path: &Path) -> Result<(), CheckpointError> {
        write_atomic(path, &self.encode())
            .map_err(|source| CheckpointError::Unwritable { path: path.to_path_buf(), source })
    }

    pub(crate) fn read(path: &Path) -> Result<Self, CheckpointError> {
        let bytes = read_small(path, MAX_WEIGHTS_BYTES)
            .map_err(|source| CheckpointError::Unreadable { path: path.to_path_buf(), source })?;
        Self::decode(&bytes)
            .map_err(|reason| CheckpointError::Broken { path: path.to_path_buf(), reason })
    }

    /// The arrays by their names in the file, in the order in which safetensors stores them.
    fn tensors(&self) -> BTreeMap<String, &Array> {
        let State { weights, first, second, average, .. } = &self.state;
        let sets =
            [("weights", weights), ("first", first), ("second", second), ("average", average)];
        let best = self.best.as_ref().map(|best| ("best", &best.weights));
        let arrays = sets.into_iter().chain(best).flat_map(|(set, weights)| {
            weights.arrays.iter().map(move |array| (format!("{set}/{}", array.name), array))
        });
        arrays.collect()
    }

    fn encode(&self) -> Vec<u8> {
        let arrays = self.state.weights.arrays.iter();
        let run = Run {
            step: self.state.step,
            best: self.best.as_ref().map(|best| (best.step, best.loss)),
            without_gain: self.without_gain,
            history: self.history.clone(),
            seconds: self.seconds,
            arrays: arrays.map(|a| (a.name.clone(), a.role, a.shape.clone())).collect(),
        };
        let run = serde_json::to_string(&run).expect("plain data");
        let tensors = self.tensors();
        let mut hash = Sha256::new_with_prefix(&run);
        for array in tensors.values() {
            hash.update(array.data());
        }
        let sha256 = hex(&hash.finalize());
        let metadata = HashMap::from([(RUN.to_owned(), run), (SHA256.to_owned(), sha256)]);
        safetensors::serialize(tensors, Some(metadata)).expect("arrays of their shapes")
    }

    fn decode(bytes: &[u8]) -> Result<Self, String> {
        let damaged = |why: &str| format!("is cut off, altered or no checkpoint: {why}");
        let (header_bytes, header) =
            SafeTensors::read_metadata(bytes).map_err(|error| damaged(&error.to_string()))?;
        let metadata = header.metadata().as_ref();
        let [Some(run), Some(sha256)] =
            [RUN, SHA256].map(|key| metadata.and_then(|all| all.get(key)).map(String::as_str))
        else {
            return Err(damaged("its metadata lack a run or its hash"));
        };
        let numbers = &bytes[size_of::<u64>() + header_bytes..];
        let hash = Sha256::new_with_prefix(run).chain_update(numbers).finalize();
        if hex(&hash) != sha256 {
            return Err(damaged("its hash is another"));
        }
        let run: Run = serde_json::from_str(run)
            .map_err(|error| format!("is of another version of setsight: {error}"))?;
        let take =
            |set: &str| weights_in(&header, numbers, &run.arrays, set).map_err(|n| damaged(&n));
        let state = State {
            step: run.step,
            weights: take("weights")?,
            first: take("first")?,
            second: take("second")?,
            average: take("average")?,
        };
        let best = match run.best {
            Some((step, loss)) => Some(Best { step, loss, weights: take("best")? }),
            None => None,
        };
        Ok(Self {
            state,
            best,
            without_gain: run.without_gain,
            history: run.history,
            seconds: run.seconds,
        })
    }
}

/// The weights of a set in the file's numbers; fails with the name of an array that is missing.
fn weights_in(
    header: &Metadata,
    numbers: &[u8],
    arrays: &[(String, Role, Vec<usize>)],
    set: &str,
) -> Result<Weights, String> {
    let arrays = arrays.iter().map(|(name, role, shape)| {
        let full_name = format!("{set}/{name}");
        let tensor = header.info(&full_name);
        let tensor = tensor.filter(|t| t.dtype == Dtype::F32 && t.shape == *shape);
        let (start, end) = tensor.ok_or(full_name)?.data_offsets;
        let floats = numbers[start..end].chunks_exact(4);
        let values = floats.map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        Ok(Array { name: name.clone(), role: *role, shape: shape.clone(), values })
    });
    Ok(Weights { arrays: arrays.collect::<Result<_, String>>()? })
}

impl View for &Array {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        self.values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    fn data_len(&self) -> usize {
        size_of_val(&self.values[..])
    }
}

/// Where the initial weights come from.
#[derive(Clone, Debug, Default)]
pub enum First {
    /// Random weights from the run's seed.
    #[default]
    Chance,
    /// The best weights of another run.
    Run(Weights),
    /// A network with its norms folded, as ONNX files hold it.
    Network(Graph),
}

impl First {
    /// Whether there are weights to continue from.
    pub(crate) fn goes_on(&self) -> bool {
        !matches!(self, Self::Chance)
    }

    /// The initial weights; `pictures` returns pictures as training shows them.
    ///
    /// # Panics
    /// If a network follows another plan; its metadata rules that out.
    pub(crate) fn weights(
        &self,
        plan: &Plan,
        seed: u64,
        pictures: impl FnOnce() -> Tensor,
    ) -> Weights {
        match self {
            Self::Chance => plan.init(seed),
            Self::Run(weights) => weights.clone(),
            Self::Network(graph) => plan
                .weights_of(graph, pictures())
                .expect("a network of this kind that this version wrote"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Layer, Plan};
    use crate::run::Entry;

    fn checkpoint() -> Checkpoint {
        let plan = Plan::chain(3, [8, 8], vec![Layer::conv3(3, 4, 2), Layer::GlobalAveragePool]);
        let mut state = State::new(plan.init(7));
        state.step = 41;
        state.second.arrays[0].values[3] = f32::MIN_POSITIVE;
        let best = Best { step: 40, loss: 0.1 + 0.2, weights: plan.init(8) };
        let entry = Entry {
            step: 40,
            loss: 1.5,
            parts: vec![("number".into(), 0.25)],
            validation: 0.3,
            figures: vec![("right".into(), 0.5)],
        };
        Checkpoint { state, best: Some(best), without_gain: 2, history: vec![entry], seconds: 1.25 }
    }

    #[test]
    fn a_checkpoint_survives_the_disk_bit_for_bit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("checkpoint.safetensors");
        let written = checkpoint();
        written.write(&path).unwrap();
        assert_eq!(Checkpoint::read(&path).unwrap(), written);
    }

    #[test]
    fn a_broken_checkpoint_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("checkpoint.safetensors");
        let complete = checkpoint().encode();
        let mut flipped = complete.clone();
        flipped[complete.len() / 2] ^= 1;
        let foreign = [b"PNG".as_slice(), &complete].concat();
        // A digit of the step, in the metadata, outside the tensors.
        let step = complete.windows(4).position(|bytes| bytes == b":41,").unwrap();
        let mut other_step = complete.clone();
        other_step[step + 1] = b'5';
        let plain = safetensors::serialize(checkpoint().tensors(), None).unwrap();
        let cut = [&complete[..complete.len() - 5], &complete[..10], &[]];
        for bytes in cut.into_iter().chain([&flipped[..], &foreign, &other_step, &plain]) {
            std::fs::write(&path, bytes).unwrap();
            let error = Checkpoint::read(&path).unwrap_err().to_string();
            assert!(
                error.contains("checkpoint.safetensors: is ") && error.contains("train again"),
                "{error}"
            );
        }
    }
}
