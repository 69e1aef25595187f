//! One crop and what is known of it; crops in groups.

use crate::cards::Card;
use crate::model::reader::{HEIGHT, WIDTH};
use crate::pipeline::CardImage;
use rand::RngExt;
use rand_pcg::Pcg64;

/// Bytes of a crop: 8-bit R, G, B by rows.
pub const BYTES: usize = 3 * WIDTH * HEIGHT;

/// A crop of the network's size.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// `HEIGHT` x `WIDTH` x (R, G, B), 8-bit, [`BYTES`] long.
    pub pixels: Box<[u8]>,
    /// The card; none for what is no card seen whole.
    pub card: Option<Card>,
}

impl Sample {
    /// Of a straightened card, shrunk to half by the mean of 2x2.
    pub fn of(image: &CardImage, card: Option<Card>) -> Self {
        Self { pixels: shrink(image), card }
    }
}

fn shrink(image: &CardImage) -> Box<[u8]> {
    let (raw, stride) = (image.pixels.as_raw(), 3 * image.pixels.width() as usize);
    let mut out = Vec::with_capacity(BYTES);
    for y in 0..HEIGHT {
        let (top, below) = (&raw[2 * y * stride..], &raw[(2 * y + 1) * stride..]);
        for x in 0..WIDTH {
            for c in 0..3 {
                let at = 6 * x + c;
                let sum = [top[at], top[at + 3], below[at], below[at + 3]].map(u16::from);
                out.push(((sum.iter().sum::<u16>() + 2) / 4) as u8);
            }
        }
    }
    out.into_boxed_slice()
}

/// Crops that are drawn from alike: one source's cards, or what is no card.
#[derive(Clone, Debug)]
pub struct Group {
    /// For messages.
    pub name: String,
    /// Whether a simulated camera took them already.
    pub is_drawn: bool,
    /// The crops.
    pub samples: Vec<Sample>,
}

impl Group {
    /// Any of them.
    ///
    /// # Panics
    /// If there is none.
    pub fn pick(&self, rng: &mut Pcg64) -> &Sample {
        &self.samples[rng.random_range(0..self.samples.len())]
    }
}
