//! What the finder asks of a network, so that tests can do without weights.

use crate::model::finder;
use crate::pipeline::engine::{Network, NetworkError};

/// A shrunk photo as the network takes it (see [`crate::model::finder`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// All of R, then all of G, then all of B, each row-major; 8-bit sRGB divided by 255.
    pub pixels: Vec<f32>,
    /// Columns, a multiple of [`finder::SIDE_MULTIPLE_PX`].
    pub width: usize,
    /// Rows, a multiple of [`finder::SIDE_MULTIPLE_PX`].
    pub height: usize,
}

/// What the network says: [`finder::OUTPUTS`] planes of `rows` x `columns` cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Maps {
    /// Plane by plane, each row-major.
    pub values: Vec<f32>,
    /// Cells in a column.
    pub rows: usize,
    /// Cells in a row.
    pub columns: usize,
}

impl Maps {
    /// One plane.
    pub fn plane(&self, output: usize) -> &[f32] {
        let cells = self.rows * self.columns;
        &self.values[output * cells..(output + 1) * cells]
    }

    /// The value of one plane in one cell.
    pub fn at(&self, output: usize, row: usize, column: usize) -> f64 {
        f64::from(self.values[(output * self.rows + row) * self.columns + column])
    }
}

/// Something that finds cards in a shrunk photo.
pub trait FinderNetwork: Send + Sync {
    /// The maps of one picture.
    ///
    /// # Errors
    /// The engine failed.
    fn maps(&self, input: &Input) -> Result<Maps, NetworkError>;
}

impl FinderNetwork for Network {
    fn maps(&self, input: &Input) -> Result<Maps, NetworkError> {
        let output = self.run(input.pixels.clone(), [1, 3, input.height, input.width])?;
        // Loading has tried that a finder gives planes of this size.
        let (rows, columns) = (input.height / finder::STRIDE_PX, input.width / finder::STRIDE_PX);
        Ok(Maps { values: output.values, rows, columns })
    }
}
