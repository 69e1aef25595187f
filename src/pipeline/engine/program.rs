//! A network as an engine runs it.

/// What a network gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The last dimension fastest.
    pub values: Vec<f32>,
    /// `[n, outputs]` of a reader or refiner, `[n, outputs, rows, columns]` of a finder.
    pub shape: Vec<usize>,
}

/// A network as an engine has it. Several threads may run it at once; each waits for its own answer.
pub(super) trait Program: Send + Sync {
    /// Runs it on `[n, channels, rows, columns]` values on one thread.
    fn run(&self, values: Vec<f32>, shape: [usize; 4]) -> Result<Output, String>;
}
