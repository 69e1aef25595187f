//! The numbers of a batch, with their shape.

/// Numbers, the last index fastest: maps `[n, channels, rows, columns]`, or rows `[n, values]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Length of each dimension.
    pub shape: Vec<usize>,
    /// The numbers.
    pub values: Vec<f32>,
}

impl Tensor {
    /// Numbers of this shape.
    ///
    /// # Panics
    /// If there are more or fewer numbers than the shape says.
    pub fn new(values: Vec<f32>, shape: &[usize]) -> Self {
        assert_eq!(values.len(), shape.iter().product::<usize>(), "numbers of shape {shape:?}");
        Self { shape: shape.to_vec(), values }
    }

    /// Zeros.
    pub(crate) fn zeros(shape: &[usize]) -> Self {
        Self { shape: shape.to_vec(), values: vec![0.0; shape.iter().product()] }
    }

    /// Images, channels, rows and columns of maps.
    ///
    /// # Panics
    /// If these are rows, which is a mistake in the plan.
    pub(crate) fn maps(&self) -> [usize; 4] {
        self.shape[..].try_into().expect("maps, where the plan needs them")
    }

    /// The numbers of one channel of one image of these maps.
    pub(crate) fn plane(&self, image: usize, channel: usize) -> &[f32] {
        let [_, channels, rows, columns] = self.maps();
        &self.values[(image * channels + channel) * rows * columns..][..rows * columns]
    }

    /// Images and values of rows.
    ///
    /// # Panics
    /// If these are maps, which is a mistake in the plan.
    pub fn rows(&self) -> [usize; 2] {
        self.shape[..].try_into().expect("rows, where the plan needs them")
    }
}
