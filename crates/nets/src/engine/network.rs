//! One network, ready to run.

use super::{
    allowed::{MAX_BYTES, check},
    embedded::Embedded,
    onnxruntime::Sessions,
    program::{Output, Program},
    runtime::{Chosen, EngineError, chosen},
};
use crate::{Kind, Metadata, MetadataError};

/// Side of the blank picture on which a network without a fixed size is tested.
const TRIAL_SIDE_PX: usize = 64;

/// Why a network cannot be loaded or run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// There is no engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The file is no network, or is cut off.
    #[error("{file}: {reason}; fetch or train it again")]
    Broken {
        /// The file's name.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// A network of another kind, or with other inputs or outputs.
    #[error("{file}: {reason}; expected a {expected} that this version wrote")]
    Foreign {
        /// The file's name.
        file: String,
        /// How it differs.
        reason: String,
        /// `reader`, `finder` or `refiner`.
        expected: &'static str,
    },
    /// The engine failed to run the network.
    #[error("{file}: the {engine} engine cannot run it: {reason}")]
    Run {
        /// The file's name.
        file: String,
        /// The engine's name.
        engine: &'static str,
        /// The engine's message.
        reason: String,
    },
}

/// A loaded network. Each run uses one thread; several runs may go on at once.
pub struct Network {
    file: String,
    metadata: Metadata,
    chosen: &'static Chosen,
    program: Box<dyn Program>,
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Network")
            .field("file", &self.file)
            .field("metadata", &self.metadata)
            .finish()
    }
}

impl Network {
    /// Loads a network of the given kind from the bytes of an ONNX file and runs it once. `file` is
    /// its name in error messages.
    ///
    /// # Errors
    /// [`NetworkError`]: there is no engine, the file is no complete ONNX file, or kind, labels or
    /// sizes differ.
    pub fn load(bytes: &[u8], file: &str, kind: Kind) -> Result<Self, NetworkError> {
        let broken = |reason: String| NetworkError::Broken { file: file.to_owned(), reason };
        let foreign = |reason: String| NetworkError::Foreign {
            file: file.to_owned(),
            reason,
            expected: kind.name(),
        };
        if bytes.is_empty() {
            return Err(broken("it is empty".to_owned()));
        }
        if bytes.len() > MAX_BYTES {
            return Err(foreign(format!(
                "it has {} bytes, at most {MAX_BYTES} are read",
                bytes.len()
            )));
        }
        let model =
            onnx_rs::parse(bytes).map_err(|e| broken(format!("it is no whole ONNX file ({e})")))?;
        let metadata = Metadata::from_properties(|name| {
            model.metadata_props.iter().find(|entry| entry.key == name).map(|entry| entry.value)
        });
        let metadata = match metadata {
            // The properties are at the end of a file.
            Err(MetadataError::Missing(_)) if model.producer_name == "setsight" => {
                return Err(broken("its end is missing".to_owned()));
            }
            other => other.map_err(|error| foreign(error.to_string()))?,
        };
        if metadata.kind != kind {
            return Err(foreign(format!("it is a {}", metadata.kind.name())));
        }
        check(&model, kind).map_err(foreign)?;
        let chosen = chosen()?;
        let program: Box<dyn Program> = match &chosen.environment {
            Some(environment) => Box::new(Sessions::new(environment, bytes)),
            None => Box::new(Embedded::load(bytes, kind).map_err(|reason| {
                broken(format!("the {} engine does not load it ({reason})", chosen.engine.name()))
            })?),
        };
        let network = Self { file: file.to_owned(), metadata, chosen, program };
        let [rows, columns] = kind.input_size().unwrap_or([TRIAL_SIDE_PX; 2]);
        let shape = [1, kind.input_channels(), rows, columns];
        let blank = vec![0.5; shape.iter().product()];
        // A network that cannot run a blank picture is not of this kind, whatever its metadata
        // claims.
        let output = network.run(blank, shape).map_err(|error| match error {
            NetworkError::Run { reason, .. } => broken(format!("it does not run ({reason})")),
            other => other,
        })?;
        let expected = network.output_shape(shape);
        if output.shape != expected {
            let found = &output.shape;
            return Err(foreign(format!("it gives {found:?} for {shape:?}, not {expected:?}")));
        }
        Ok(network)
    }

    /// The origin of the weights.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Runs the network on `[n, channels, rows, columns]` values, the last dimension fastest.
    ///
    /// # Errors
    /// [`NetworkError::Run`]: the network does not accept this size, gives values that are not
    /// finite, or lacks memory.
    pub fn run(&self, values: Vec<f32>, shape: [usize; 4]) -> Result<Output, NetworkError> {
        let output = self.program.run(values, shape).map_err(|reason| self.failed(&reason))?;
        if output.values.iter().any(|value| !value.is_finite()) {
            return Err(self.failed("it gives numbers that are none"));
        }
        Ok(output)
    }

    fn failed(&self, reason: &str) -> NetworkError {
        NetworkError::Run {
            file: self.file.clone(),
            engine: self.chosen.engine.name(),
            reason: reason.to_owned(),
        }
    }

    fn output_shape(&self, [n, _, rows, columns]: [usize; 4]) -> Vec<usize> {
        let outputs = self.metadata.kind.labels().len();
        let stride = crate::finder::STRIDE_PX;
        match self.metadata.kind {
            Kind::Reader | Kind::Refiner => vec![n, outputs],
            Kind::Finder => vec![n, outputs, rows / stride, columns / stride],
        }
    }
}
