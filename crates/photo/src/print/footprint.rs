//! The area that a pixel covers.

/// The footprint of a pixel: the vectors on the card for one step right and one step down in the
/// picture, in millimetres.
#[derive(Clone, Copy, Debug)]
pub struct Footprint {
    /// One step right, in millimetres on the card.
    pub right: (f64, f64),
    /// One step down, in millimetres on the card.
    pub down: (f64, f64),
}

impl Footprint {
    /// Extent of the pixel along a unit vector.
    pub(crate) fn along(&self, (x, y): (f64, f64)) -> f64 {
        (self.right.0 * x + self.right.1 * y).abs() + (self.down.0 * x + self.down.1 * y).abs()
    }

    /// A footprint of half the size each way.
    pub(crate) fn half(self) -> Self {
        let half = |(x, y): (f64, f64)| (x / 2.0, y / 2.0);
        Self { right: half(self.right), down: half(self.down) }
    }
}
