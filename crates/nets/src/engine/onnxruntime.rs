//! Runs a network on ONNX Runtime.

use super::network::{Output, Program};
use super::{runtime::StartError, stopwatch::uncounted};
pub use ort::environment::Environment;
use ort::ep::CPU;
use ort::session::{Session, builder::GraphOptimizationLevel};
use ort::value::Tensor;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Opens a library and starts it; gives its description of its build, too. Only the first call has an
/// effect.
pub fn start(library: &Path) -> Result<(Environment, String), StartError> {
    let builder =
        ort::init_from(library).map_err(|error| StartError::NotOpened(error.to_string()))?;
    let started = builder.with_name("setsight").with_telemetry(false).build();
    let environment = started.map_err(|error| StartError::NoStart(error.to_string()))?;
    Ok((environment, ort::info().to_owned()))
}

/// Most sessions kept for later runs; each concurrent run needs one.
const SESSIONS_KEPT: usize = 32;

/// The sessions of one network; each concurrent run has one to itself.
pub struct Sessions {
    environment: &'static Environment,
    bytes: Vec<u8>,
    idle: Mutex<Vec<Session>>,
}

impl Sessions {
    /// Without any open session.
    pub fn new(environment: &'static Environment, bytes: &[u8]) -> Self {
        Self { environment, bytes: bytes.to_vec(), idle: Mutex::default() }
    }

    fn open(&self) -> ort::Result<Session> {
        // Photos are read in parallel already; more threads within a network would only compete.
        Session::builder(self.environment)?
            .with_optimization_level(GraphOptimizationLevel::Level3)?
            .with_intra_threads(1)?
            // An arena keeps the most that it ever held, for each network and thread; without it nothing is slower.
            .with_execution_providers([CPU::default().with_arena_allocator(false).build()])?
            .commit_from_memory(&self.bytes)
    }

    fn run(&self, values: Vec<f32>, shape: [usize; 4]) -> ort::Result<Output> {
        let idle = self.idle().pop();
        let mut session = match idle {
            Some(session) => session,
            None => uncounted(|| self.open())?,
        };
        let output = {
            let outputs = session.run(ort::inputs![Tensor::from_array((shape, values))?])?;
            let (shape, values) = outputs[0].try_extract_tensor::<f32>()?;
            let shape = shape.iter().map(|&side| usize::try_from(side).unwrap_or(0)).collect();
            Output { values: values.to_vec(), shape }
        };
        let mut idle = self.idle();
        if idle.len() < SESSIONS_KEPT {
            idle.push(session);
        }
        Ok(output)
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Session>> {
        // A panic of another thread leaves the list intact.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Program for Sessions {
    fn run(&self, values: Vec<f32>, shape: [usize; 4]) -> Result<Output, String> {
        self.run(values, shape).map_err(|error| error.to_string())
    }
}
