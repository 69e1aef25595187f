//! Named arrays of numbers: all weights of a network.

/// The kind of an array, which decides how it is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Weights of a convolution or a matrix product: trained, with weight decay.
    Weight,
    /// Added to a result: trained.
    Bias,
    /// A norm's factor: trained.
    Scale,
    /// Running mean of a norm's input: updated from batches, not by gradients.
    Mean,
    /// Running variance of a norm's input: updated from batches, not by gradients.
    Variance,
}

impl Role {
    /// Whether gradients update it.
    pub(crate) fn is_trained(self) -> bool {
        !matches!(self, Self::Mean | Self::Variance)
    }
}

/// One array.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The node's number and the part's name: `3.weight`.
    pub name: String,
    /// Its kind.
    pub role: Role,
    /// Length of each dimension.
    pub shape: Vec<usize>,
    /// The numbers, the last index fastest.
    pub values: Vec<f32>,
}

/// All arrays of a network, in the order of its plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// The arrays.
    pub arrays: Vec<Array>,
}

impl Weights {
    /// Arrays of the same names and shapes, filled with 0.
    pub(crate) fn zeros_like(&self) -> Self {
        let zero = |array: &Array| Array { values: vec![0.0; array.values.len()], ..array.clone() };
        Self { arrays: self.arrays.iter().map(zero).collect() }
    }

    /// Moves every number towards `other` by `share` of the difference; 1 copies `other`.
    pub(crate) fn approach(&mut self, other: &Self, share: f32) {
        for (mine, theirs) in self.arrays.iter_mut().zip(&other.arrays) {
            for (a, b) in mine.values.iter_mut().zip(&theirs.values) {
                *a += (b - *a) * share;
            }
        }
    }

    /// Whether the names, roles and shapes equal those of `other`.
    pub(crate) fn same_shape(&self, other: &Self) -> bool {
        self.arrays.len() == other.arrays.len()
            && self
                .arrays
                .iter()
                .zip(&other.arrays)
                .all(|(a, b)| a.name == b.name && a.role == b.role && a.shape == b.shape)
    }
}
