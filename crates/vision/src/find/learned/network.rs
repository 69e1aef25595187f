//! The finder network's interface, so that tests need no weights.

use setsight_nets::engine::{Network, NetworkError};
use setsight_nets::finder;

/// A scaled photo as the network's input (see [`setsight_nets::finder`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// All of R, then all of G, then all of B, each row by row; 8-bit sRGB divided by 255.
    pub pixels: Vec<f32>,
    /// Columns, a multiple of [`finder::SIDE_MULTIPLE_PX`].
    pub width: usize,
    /// Rows, a multiple of [`finder::SIDE_MULTIPLE_PX`].
    pub height: usize,
}

/// The network's output: [`finder::OUTPUTS`] planes of `rows` x `columns` cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Maps {
    /// Plane by plane, each row by row.
    pub values: Vec<f32>,
    /// Number of cells in a column.
    pub rows: usize,
    /// Number of cells in a row.
    pub columns: usize,
}

impl Maps {
    /// One plane.
    pub(crate) fn plane(&self, output: usize) -> &[f32] {
        let cells = self.rows * self.columns;
        &self.values[output * cells..(output + 1) * cells]
    }

    /// The value of one plane in one cell.
    pub(crate) fn at(&self, output: usize, row: usize, column: usize) -> f64 {
        f64::from(self.values[(output * self.rows + row) * self.columns + column])
    }
}

/// Detects cards in a scaled photo: the network, or a fake in a test.
pub trait FinderNetwork: Send + Sync {
    /// The maps for one picture.
    fn maps(&self, input: &Input) -> Result<Maps, NetworkError>;
}

impl FinderNetwork for Network {
    fn maps(&self, input: &Input) -> Result<Maps, NetworkError> {
        let output = self.run(input.pixels.clone(), [1, 3, input.height, input.width])?;
        // Loading the network has checked that its output has this size.
        let (rows, columns) = (input.height / finder::STRIDE_PX, input.width / finder::STRIDE_PX);
        Ok(Maps { values: output.values, rows, columns })
    }
}
