//! A run on disk: everything needed to resume it bit for bit.
//!
//! One file, written atomically: 8 bytes of magic, the length of a JSON header (8 bytes, little
//! endian), the header, the arrays as 32-bit floats (little endian), SHA-256 of everything before.

use super::optimiser::State;
use super::weights::{Array, Role, Weights};
use crate::whole_file::write_whole;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"SETSCKP1";
const HASH_BYTES: usize = 32;

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// It cannot be read.
    #[error("{}: cannot be read: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// It cannot be written; the previous checkpoint is unharmed.
    #[error(
        "{}: cannot be written: {source}; the checkpoint before it is unharmed: make room and go on \
         with --resume", .path.display()
    )]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// It is not a checkpoint, or it is damaged.
    #[error("{}: {reason}; delete the run's folder and train anew", .path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// The best weights so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Steps taken by then.
    pub step: u64,
    /// Validation loss.
    pub loss: f64,
    /// The averaged weights.
    pub weights: Weights,
}

/// The whole changing state of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Weights and optimiser.
    pub state: State,
    /// The best weights so far; `None` before the first validation.
    pub best: Option<Best>,
    /// Validations since the best one.
    pub without_gain: u32,
    /// Results so far, one entry per validation.
    pub history: Vec<super::curve::Entry>,
    /// Seconds that the run has taken, over all sessions.
    pub seconds: f64,
}

#[derive(Serialize, Deserialize)]
struct Header {
    step: u64,
    best: Option<(u64, f64)>,
    without_gain: u32,
    history: Vec<super::curve::Entry>,
    seconds: f64,
    arrays: Vec<(String, Role, Vec<usize>)>,
}

impl Checkpoint {
    /// Writes the file completely or not at all.
    ///
    /// # Errors
    /// [`CheckpointError::Unwritable`].
    pub fn write(&self, path: &Path) -> Result<(), CheckpointError> {
        write_whole(path, &self.encode())
            .map_err(|source| CheckpointError::Unwritable { path: path.to_path_buf(), source })
    }

    /// Reads a checkpoint.
    ///
    /// # Errors
    /// [`CheckpointError`]: the file is missing, truncated or altered.
    pub fn read(path: &Path) -> Result<Self, CheckpointError> {
        let bytes = std::fs::read(path)
            .map_err(|source| CheckpointError::Unreadable { path: path.to_path_buf(), source })?;
        Self::decode(&bytes)
            .map_err(|reason| CheckpointError::Broken { path: path.to_path_buf(), reason })
    }

    fn sets(&self) -> Vec<&Weights> {
        let state = &self.state;
        let mut sets = vec![&state.weights, &state.first, &state.second, &state.average];
        sets.extend(self.best.as_ref().map(|best| &best.weights));
        sets
    }

    fn encode(&self) -> Vec<u8> {
        let arrays = self.state.weights.arrays.iter();
        let header = Header {
            step: self.state.step,
            best: self.best.as_ref().map(|best| (best.step, best.loss)),
            without_gain: self.without_gain,
            history: self.history.clone(),
            seconds: self.seconds,
            arrays: arrays.map(|a| (a.name.clone(), a.role, a.shape.clone())).collect(),
        };
        let header = serde_json::to_vec(&header).expect("plain data");
        let mut bytes = MAGIC.to_vec();
        bytes.extend((header.len() as u64).to_le_bytes());
        bytes.extend(header);
        for set in self.sets() {
            for array in &set.arrays {
                bytes.extend(array.values.iter().flat_map(|v| v.to_le_bytes()));
            }
        }
        let hash = Sha256::digest(&bytes);
        bytes.extend(hash);
        bytes
    }

    fn decode(bytes: &[u8]) -> Result<Self, String> {
        let rest = bytes.strip_prefix(MAGIC).ok_or("is no checkpoint of this version")?;
        let cut = "is cut off or altered";
        let body = bytes.len().checked_sub(HASH_BYTES).ok_or(cut)?;
        if Sha256::digest(&bytes[..body])[..] != bytes[body..] {
            return Err(cut.into());
        }
        let rest = &rest[..rest.len() - HASH_BYTES];
        let (length, rest) = rest.split_first_chunk().ok_or(cut)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| cut)?;
        let (header, mut numbers) = rest.split_at_checked(length).ok_or(cut)?;
        let header: Header = serde_json::from_slice(header)
            .map_err(|error| format!("has a header of another version: {error}"))?;
        let mut take = || -> Result<Weights, String> {
            let mut arrays = Vec::with_capacity(header.arrays.len());
            for (name, role, shape) in &header.arrays {
                let bytes = 4 * shape.iter().product::<usize>();
                let (mine, rest) = numbers.split_at_checked(bytes).ok_or(cut)?;
                numbers = rest;
                let values = mine
                    .chunks_exact(4)
                    .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                    .collect();
                arrays.push(Array {
                    name: name.clone(),
                    role: *role,
                    shape: shape.clone(),
                    values,
                });
            }
            Ok(Weights { arrays })
        };
        let state = State {
            step: header.step,
            weights: take()?,
            first: take()?,
            second: take()?,
            average: take()?,
        };
        let best = match header.best {
            Some((step, loss)) => Some(Best { step, loss, weights: take()? }),
            None => None,
        };
        if !numbers.is_empty() {
            return Err("is longer than it should be".into());
        }
        Ok(Self {
            state,
            best,
            without_gain: header.without_gain,
            history: header.history,
            seconds: header.seconds,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::curve::Entry;
    use crate::train::net::{Layer, Plan};

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
        let path = dir.path().join("checkpoint.bin");
        let written = checkpoint();
        written.write(&path).unwrap();
        assert_eq!(Checkpoint::read(&path).unwrap(), written);
    }

    #[test]
    fn a_broken_checkpoint_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("checkpoint.bin");
        let whole = checkpoint().encode();
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 1;
        let foreign = [b"PNG".as_slice(), &whole].concat();
        for bytes in [&whole[..whole.len() - 5], &whole[..10], &flipped, &foreign, &[]] {
            std::fs::write(&path, bytes).unwrap();
            let error = Checkpoint::read(&path).unwrap_err().to_string();
            assert!(
                error.contains("checkpoint.bin: is ") && error.contains("train anew"),
                "{error}"
            );
        }
    }
}
