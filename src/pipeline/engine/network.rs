//! One network, ready to run.

use super::runtime::{Chosen, Engine, EngineError, chosen};
use crate::model::{Kind, Metadata, MetadataError};
use onnx_rs::ast::Dimension;
use ort::session::{Session, builder::GraphOptimizationLevel};
use ort::value::Tensor;
use std::sync::{Mutex, PoisonError};

/// Sessions kept for later runs. ONNX Runtime needs one for each thread that runs at once; the
/// embedded engine one for each thread and size of input.
const SESSIONS_KEPT: usize = 32;
/// Side of the picture that a network with a free size is tried on.
const TRIAL_SIDE_PX: usize = 64;

/// Why a network cannot be loaded or run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// No engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A file that is no network, or cut off.
    #[error("{file}: {reason}; fetch or train it again")]
    Broken {
        /// The file's name.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// A network of another kind, or one with other inputs or outputs.
    #[error(
        "{file}: {reason}; expected a {expected} that this version's `setsight export onnx` wrote"
    )]
    Foreign {
        /// The file's name.
        file: String,
        /// What it is.
        reason: String,
        /// `reader`, `finder` or `refiner`.
        expected: &'static str,
    },
    /// The engine failed at running it.
    #[error("{file}: the {engine} engine cannot run it: {reason}")]
    Run {
        /// The file's name.
        file: String,
        /// The engine's name.
        engine: &'static str,
        /// What the engine says.
        reason: String,
    },
}

/// What a network gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The last dimension fastest.
    pub values: Vec<f32>,
    /// `[n, outputs]` of a reader or refiner, `[n, outputs, rows, columns]` of a finder.
    pub shape: Vec<usize>,
}

/// A network that is loaded. Runs on the calling thread alone; several threads may run it at once.
pub struct Network {
    file: String,
    bytes: Vec<u8>,
    metadata: Metadata,
    chosen: &'static Chosen,
    /// Idle sessions, each with the size of input it is made for (none: any).
    sessions: Mutex<Vec<(Option<[usize; 4]>, Session)>>,
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
    /// Loads a network of one kind from the bytes of an ONNX file and runs it once. `file` is what
    /// errors call it.
    ///
    /// # Errors
    /// [`NetworkError`]: no engine, no whole ONNX file, another kind, labels or sizes.
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
        let model =
            onnx_rs::parse(bytes).map_err(|e| broken(format!("it is no whole ONNX file ({e})")))?;
        let metadata = Metadata::from_properties(|name| {
            model.metadata_props.iter().find(|entry| entry.key == name).map(|entry| entry.value)
        });
        let metadata = match metadata {
            // The properties stand at the end of a file.
            Err(MetadataError::Missing(_)) if model.producer_name == "setsight" => {
                return Err(broken("its end is missing".to_owned()));
            }
            other => other.map_err(|error| foreign(error.to_string()))?,
        };
        if metadata.kind != kind {
            return Err(foreign(format!("it is a {}", metadata.kind.name())));
        }
        let network = Self {
            file: file.to_owned(),
            bytes: bytes.to_vec(),
            metadata,
            chosen: chosen()?,
            sessions: Mutex::default(),
        };
        let [rows, columns] = kind.input_size().unwrap_or([TRIAL_SIDE_PX; 2]);
        let shape = [1, kind.input_channels(), rows, columns];
        let blank = vec![0.5; shape.iter().product()];
        // What cannot run a blank picture is no network of this kind, whatever it says of itself.
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

    /// Where the weights come from.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Runs the network on `[n, channels, rows, columns]` values, the last dimension fastest.
    ///
    /// # Errors
    /// [`NetworkError::Run`]: sizes that the network does not take, no memory.
    pub fn run(&self, values: Vec<f32>, shape: [usize; 4]) -> Result<Output, NetworkError> {
        let [n, channels, rows, columns] = shape;
        let length = channels * rows * columns;
        if self.chosen.engine != Engine::Embedded || n <= 1 {
            return self.run_at_once(values, shape);
        }
        // The embedded engine is faster by the piece, and needs no session for each n.
        let mut all = Output { values: Vec::new(), shape: Vec::new() };
        for one in values.chunks(length) {
            let output = self.run_at_once(one.to_vec(), [1, channels, rows, columns])?;
            all.values.extend(output.values);
            all.shape = output.shape;
        }
        all.shape[0] = n;
        Ok(all)
    }

    fn run_at_once(&self, values: Vec<f32>, shape: [usize; 4]) -> Result<Output, NetworkError> {
        let failed = |error: ort::Error| self.failed(&error.to_string());
        let fixed = (self.chosen.engine == Engine::Embedded).then_some(shape);
        let idle = {
            let mut sessions = self.sessions();
            let found = sessions.iter().rposition(|(made_for, _)| *made_for == fixed);
            found.map(|i| sessions.remove(i).1)
        };
        let mut session = match idle {
            Some(session) => session,
            None => self.session(fixed).map_err(failed)?,
        };
        let input = Tensor::from_array((shape, values)).map_err(failed)?;
        let output = {
            let outputs = session.run(ort::inputs![input]).map_err(failed)?;
            let (shape, values) = outputs[0].try_extract_tensor::<f32>().map_err(failed)?;
            let shape = shape.iter().map(|&side| usize::try_from(side).unwrap_or(0)).collect();
            Output { values: values.to_vec(), shape }
        };
        if output.values.iter().any(|value| !value.is_finite()) {
            return Err(self.failed("it gives numbers that are none"));
        }
        let mut sessions = self.sessions();
        if sessions.len() >= SESSIONS_KEPT {
            // The longest unused.
            sessions.remove(0);
        }
        sessions.push((fixed, session));
        Ok(output)
    }

    fn failed(&self, reason: &str) -> NetworkError {
        NetworkError::Run {
            file: self.file.clone(),
            engine: self.chosen.engine.name(),
            reason: reason.to_owned(),
        }
    }

    fn sessions(&self) -> std::sync::MutexGuard<'_, Vec<(Option<[usize; 4]>, Session)>> {
        // A panic elsewhere leaves the list whole.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn session(&self, fixed: Option<[usize; 4]>) -> ort::Result<Session> {
        let builder = Session::builder(&self.chosen.environment)?
            .with_optimization_level(GraphOptimizationLevel::Level3)?;
        match fixed {
            // Photos are read side by side; a network's own threads would only be in their way.
            None => builder.with_intra_threads(1)?.commit_from_memory(&self.bytes),
            Some(shape) => {
                let mut builder = builder;
                builder.commit_from_memory(&with_input_shape(&self.bytes, shape))
            }
        }
    }

    fn output_shape(&self, [n, _, rows, columns]: [usize; 4]) -> Vec<usize> {
        let outputs = self.metadata.kind.labels().len();
        let stride = crate::model::finder::STRIDE_PX;
        match self.metadata.kind {
            Kind::Reader | Kind::Refiner => vec![n, outputs],
            Kind::Finder => vec![n, outputs, rows / stride, columns / stride],
        }
    }
}

/// The same network for one size of input: the embedded engine plans better when nothing is open.
fn with_input_shape(bytes: &[u8], shape: [usize; 4]) -> Vec<u8> {
    use onnx_rs::ast::TypeValue;
    let mut model = onnx_rs::parse(bytes).expect("was parsed when it was loaded");
    for value in model.graph.iter_mut().flat_map(|graph| &mut graph.input) {
        let tensor = value.r#type.as_mut().and_then(|kind| kind.value.as_mut());
        if let Some(TypeValue::Tensor(tensor)) = tensor
            && let Some(dims) = &mut tensor.shape
        {
            for (dim, side) in dims.dim.iter_mut().zip(shape) {
                dim.value = Dimension::Value(side as i64);
            }
        }
    }
    onnx_rs::encode(&model)
}
