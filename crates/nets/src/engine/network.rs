//! One network, ready to run, and the engine inside the program.

use super::allowed::{MAX_BYTES, check};
use super::onnxruntime::Sessions;
use super::runtime::{Chosen, EngineError, chosen};
use super::stopwatch::Stopwatch;
use crate::onnx::OnnxError;
use crate::{Kind, Metadata};
use rten::{Model, ModelOptions, OpRegistry, RunOptions, ThreadPool, Value, op_types};
use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A network's output.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The values, the last dimension fastest.
    pub values: Vec<f32>,
    /// `[n, outputs]` for a reader or refiner, `[n, outputs, rows, columns]` for a finder.
    pub shape: Vec<usize>,
}

/// A network loaded by an engine. Several threads may run it at once; each call waits for its
/// result.
pub(super) trait Program: Send + Sync {
    /// Runs the network on `[n, channels, rows, columns]` values, on one thread.
    fn run(&self, values: Vec<f32>, shape: [usize; 4]) -> Result<Output, String>;
}

/// Side of the blank picture on which a network without a fixed size is tested.
const TRIAL_SIDE_PX: usize = 64;

/// Why a network cannot be loaded or run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("{file}: {reason}; fetch or train it again")]
    Broken { file: String, reason: String },
    /// A network of another kind, or with other inputs or outputs.
    #[error("{file}: {reason}; expected a {expected} that this version wrote")]
    Foreign { file: String, reason: String, expected: &'static str },
    #[error("{file}: the {engine} engine cannot run it: {reason}")]
    Run { file: String, engine: &'static str, reason: String },
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
        let foreign = |reason: String| NetworkError::Foreign {
            file: file.to_owned(),
            reason,
            expected: kind.name(),
        };
        if bytes.is_empty() {
            return Err(broken("it is empty".to_owned(), file));
        }
        if bytes.len() > MAX_BYTES {
            return Err(foreign(format!(
                "it has {} bytes, at most {MAX_BYTES} are read",
                bytes.len()
            )));
        }
        let model = onnx_rs::parse(bytes)
            .map_err(|e| broken(format!("it is not a complete ONNX file ({e})"), file))?;
        let metadata = Metadata::from_properties(|name| {
            model.metadata_props.iter().find(|entry| entry.key == name).map(|entry| entry.value)
        });
        let metadata = match metadata {
            // The properties are at the end of a file.
            Err(OnnxError::NoProperty(_)) if model.producer_name == "setsight" => {
                return Err(broken("its end is missing".to_owned(), file));
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
                broken(
                    format!("the {} engine does not load it ({reason})", chosen.engine.name()),
                    file,
                )
            })?),
        };
        let network = Self { file: file.to_owned(), metadata, chosen, program };
        let [rows, columns] = kind.input_size().unwrap_or([TRIAL_SIDE_PX; 2]);
        let shape = [1, kind.input_channels(), rows, columns];
        let blank = vec![0.5; shape.iter().product()];
        // A network that cannot run a blank picture is not of this kind, whatever its metadata
        // claims.
        let output = network.run(blank, shape).map_err(|error| match error {
            NetworkError::Run { reason, .. } => broken(format!("it does not run ({reason})"), file),
            other => other,
        })?;
        let mut expected = network.output_shape(shape);
        // A reader may have further outputs for a card.
        if kind == Kind::Reader && output.shape.get(1) > expected.get(1) {
            expected[1] = output.shape[1];
        }
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
        let output = self.run_in_parts(values, shape).map_err(|reason| self.failed(&reason))?;
        if output.values.iter().any(|value| !value.is_finite()) {
            return Err(self.failed("it gives numbers that are none"));
        }
        Ok(output)
    }

    /// Runs a few of the inputs at a time: an engine's memory grows with their number.
    fn run_in_parts(&self, values: Vec<f32>, shape: [usize; 4]) -> Result<Output, String> {
        const MOST_AT_ONCE: usize = 8;
        let [count, channels, rows, columns] = shape;
        if count <= MOST_AT_ONCE {
            return self.program.run(values, shape);
        }
        let length = channels * rows * columns;
        let mut all = Output { values: Vec::new(), shape: Vec::new() };
        for part in values.chunks(MOST_AT_ONCE * length) {
            let shape = [part.len() / length, channels, rows, columns];
            let output = self.program.run(part.to_vec(), shape)?;
            all.values.extend(output.values);
            all.shape = output.shape;
        }
        if let Some(first) = all.shape.first_mut() {
            *first = count;
        }
        Ok(all)
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

fn broken(reason: String, file: &str) -> NetworkError {
    NetworkError::Broken { file: file.to_owned(), reason }
}

/// Most thread pools kept for later runs.
const THREADS_KEPT: usize = 32;

thread_local! {
    static CPU_ELSEWHERE: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// CPU time that other threads have spent so far on running networks for this thread.
pub fn cpu_elsewhere() -> Duration {
    CPU_ELSEWHERE.get()
}

/// One loaded network.
struct Embedded {
    model: Model,
    /// Number of dimensions of its output.
    dimensions: usize,
    /// Unused pools of one thread each.
    idle: Mutex<Vec<Arc<ThreadPool>>>,
}

impl Embedded {
    /// Loads an ONNX file. Operators that none of this program's networks uses are not available to
    /// it.
    fn load(bytes: &[u8], kind: Kind) -> Result<Self, String> {
        let operators = OpRegistry::with_ops(&[
            &op_types::Add,
            &op_types::AveragePool,
            &op_types::Cast,
            &op_types::Conv,
            &op_types::Flatten,
            &op_types::Gemm,
            &op_types::GlobalAveragePool,
            &op_types::MaxPool,
            &op_types::Relu,
            &op_types::Resize,
        ]);
        let model = ModelOptions::with_ops(operators).load(bytes.to_vec());
        let model = model.map_err(|error| error.to_string())?;
        if model.input_ids().len() != 1 || model.output_ids().len() != 1 {
            return Err("it has more than one input or output".to_owned());
        }
        let dimensions = match kind {
            Kind::Reader | Kind::Refiner => 2,
            Kind::Finder => 4,
        };
        Ok(Self { model, dimensions, idle: Mutex::default() })
    }

    /// [`Self::run_in`] on the pool's thread, and the processor time that it took.
    fn timed_in(
        &self,
        pool: &Arc<ThreadPool>,
        values: Vec<f32>,
        shape: [usize; 4],
    ) -> (Result<Output, String>, Duration) {
        pool.run(|| {
            let watch = Stopwatch::start();
            let output = self.run_in(pool, values, shape);
            (output, watch.cpu())
        })
    }

    fn run_in(
        &self,
        pool: &Arc<ThreadPool>,
        values: Vec<f32>,
        shape: [usize; 4],
    ) -> Result<Output, String> {
        let input = Value::from_shape(shape, values).map_err(|error| error.to_string())?;
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(pool)));
        let outputs = self
            .model
            .run(
                vec![(self.model.input_ids()[0], input.into())],
                self.model.output_ids(),
                Some(options),
            )
            .map_err(|error| error.to_string())?;
        let output = outputs.into_iter().next().ok_or("it gives nothing")?;
        let (shape, values) = if self.dimensions == 2 {
            let (shape, values) = output.into_shape_vec::<f32, 2>().map_err(|e| e.to_string())?;
            (shape.to_vec(), values)
        } else {
            let (shape, values) = output.into_shape_vec::<f32, 4>().map_err(|e| e.to_string())?;
            (shape.to_vec(), values)
        };
        Ok(Output { values, shape })
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Arc<ThreadPool>>> {
        // A panic of another thread leaves the list intact.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Program for Embedded {
    fn run(&self, values: Vec<f32>, shape: [usize; 4]) -> Result<Output, String> {
        let pool = self.idle().pop().unwrap_or_else(|| Arc::new(ThreadPool::with_num_threads(1)));
        // Photos are read by rayon's workers. A worker that waits for another pool would begin the
        // next photo meanwhile, nested without end; a separate thread just waits.
        // A lone worker has no other photo, and WebAssembly one thread for all.
        let needs_thread = cfg!(not(target_arch = "wasm32"))
            && rayon::current_thread_index().is_some()
            && rayon::current_num_threads() > 1;
        let (output, cpu) = if needs_thread {
            std::thread::scope(|scope| scope.spawn(|| self.timed_in(&pool, values, shape)).join())
                .map_err(|_| "it stopped in the middle".to_owned())?
        } else {
            self.timed_in(&pool, values, shape)
        };
        CPU_ELSEWHERE.set(CPU_ELSEWHERE.get() + cpu);
        let mut idle = self.idle();
        if idle.len() < THREADS_KEPT {
            idle.push(pool);
        }
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Models;
    use crate::reader::{CHANNELS, HEIGHT, WIDTH};

    #[test]
    fn many_inputs_give_what_each_gives_alone() {
        const COUNT: usize = 19;
        let network = Models::Shipped.network(Kind::Reader).unwrap();
        let length = CHANNELS * HEIGHT * WIDTH;
        let values: Vec<f32> = (0..COUNT * length).map(|i| (i % 251) as f32 / 251.0).collect();
        let run = |values: &[f32]| {
            let shape = [values.len() / length, CHANNELS, HEIGHT, WIDTH];
            network.run(values.to_vec(), shape).unwrap()
        };
        let all = run(&values);
        let each: Vec<f32> = values.chunks(length).flat_map(|one| run(one).values).collect();
        assert_eq!(all.shape, [COUNT, each.len() / COUNT]);
        assert_eq!(all.values.len(), each.len());
        let off = all.values.iter().zip(&each).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off < 1e-4, "{off}");
    }
}
