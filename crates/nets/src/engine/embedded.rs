//! Runs a network on the engine inside the program.

use super::program::{Output, Program};
use super::stopwatch::Stopwatch;
use crate::Kind;
use rten::{Model, ModelOptions, OpRegistry, RunOptions, ThreadPool, Value, op_types};
use std::sync::{Arc, Mutex, PoisonError};
use std::{cell::Cell, time::Duration};

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
pub struct Embedded {
    model: Model,
    /// Number of dimensions of its output.
    dimensions: usize,
    /// Unused pools of one thread each.
    idle: Mutex<Vec<Arc<ThreadPool>>>,
}

impl Embedded {
    /// Loads an ONNX file. Operators that none of this program's networks uses are not available to
    /// it.
    pub fn load(bytes: &[u8], kind: Kind) -> Result<Self, String> {
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
        let in_pool = || {
            pool.run(|| {
                let watch = Stopwatch::start();
                let output = self.run_in(&pool, values, shape);
                (output, watch.cpu())
            })
        };
        // Photos are read by rayon's workers. A worker that waits for another pool would begin the
        // next photo meanwhile, nested without end; a separate thread just waits.
        // WebAssembly has one thread for all.
        let needs_thread =
            cfg!(not(target_arch = "wasm32")) && rayon::current_thread_index().is_some();
        let (output, cpu) = if needs_thread {
            std::thread::scope(|scope| scope.spawn(in_pool).join())
                .map_err(|_| "it stopped in the middle".to_owned())?
        } else {
            in_pool()
        };
        CPU_ELSEWHERE.set(CPU_ELSEWHERE.get() + cpu);
        let mut idle = self.idle();
        if idle.len() < THREADS_KEPT {
            idle.push(pool);
        }
        output
    }
}
