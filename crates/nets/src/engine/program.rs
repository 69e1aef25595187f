//! The interface of the engines.

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
