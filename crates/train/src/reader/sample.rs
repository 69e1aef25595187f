//! A crop with its label; crops in groups.

use rand::RngExt;
use rand_pcg::Pcg64;
use setsight_game::cards::{Card, DECK_SIZE, Edition, Shading, outline::symbol_centers};
use setsight_nets::reader::{HEIGHT, WIDTH};
use setsight_vision::CardImage;

/// Bytes per crop: 8-bit R, G, B, row by row.
pub(crate) const BYTES: usize = 3 * WIDTH * HEIGHT;

/// A crop of the network's size.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// `HEIGHT` x `WIDTH` x (R, G, B), 8-bit, [`BYTES`] long.
    pub pixels: Box<[u8]>,
    pub label: Label,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    NoCard,
    Card(Edition, Card),
    /// A card of an unknown deck, which has no code.
    OfUnknownDeck,
}

impl Label {
    /// The label of a card of this edition.
    pub(crate) fn for_card(edition: Edition, card: Card) -> Self {
        match edition {
            Edition::Unknown => Self::OfUnknownDeck,
            edition => Self::Card(edition, card),
        }
    }

    pub fn card(self) -> Option<Card> {
        match self {
            Self::Card(_, card) => Some(card),
            Self::NoCard | Self::OfUnknownDeck => None,
        }
    }

    pub(crate) fn edition(self) -> Option<Edition> {
        match self {
            Self::NoCard => None,
            Self::Card(edition, _) => Some(edition),
            Self::OfUnknownDeck => Some(Edition::Unknown),
        }
    }

    /// The label as one byte, for files and hashes.
    pub(crate) fn to_byte(self) -> u8 {
        match self {
            Self::Card(edition, card) => (edition.index() * DECK_SIZE + card.index()) as u8,
            Self::OfUnknownDeck => 254,
            Self::NoCard => 255,
        }
    }

    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            254 => Some(Self::OfUnknownDeck),
            255 => Some(Self::NoCard),
            byte => {
                let (edition, card) =
                    (usize::from(byte) / DECK_SIZE, usize::from(byte) % DECK_SIZE);
                let edition = Edition::KNOWN.get(edition)?;
                Some(Self::Card(*edition, Card::from_index(card)))
            }
        }
    }
}

impl Sample {
    /// The crop of a rectified card, halved in size by 2x2 means.
    pub(crate) fn from_image(image: &CardImage, label: Label) -> Self {
        Self { pixels: shrink(image), label }
    }
}

/// Minimum difference between the stock and the inside of a striped symbol, of 255, in any channel.
const FAINTEST_STRIPES: f32 = 5.0;

impl Sample {
    /// Whether the crop shows its labelled shading. Stripes that light or exposure has bleached to
    /// the white of the stock look like an open symbol; training on them as striped would make
    /// every open symbol look striped.
    pub fn shows_its_shading(&self) -> bool {
        let Some(card) = self.label.card().filter(|card| card.shading == Shading::Striped) else {
            return true;
        };
        // Compares each symbol's inside with the stock between the symbol and the long borders; the
        // symbol with the strongest contrast counts.
        let faintest = symbol_centers(card.number)
            .iter()
            .map(|center| {
                let inside = self.mean_color((0.5 + center, 0.5), (8, 24));
                let stock = [0.07, 0.93].map(|y| self.mean_color((0.5 + center, y), (10, 4)));
                let [r, g, b] = [0, 1, 2].map(|c| (stock[0][c] + stock[1][c]) / 2.0 - inside[c]);
                r.max(g).max(b)
            })
            .fold(0.0, f32::max);
        faintest >= FAINTEST_STRIPES
    }

    /// Mean colour of a patch of `wide` x `high` pixels about a place, in fractions of the crop.
    fn mean_color(&self, (x, y): (f64, f64), (wide, high): (usize, usize)) -> [f32; 3] {
        let left = ((x * WIDTH as f64) as usize).saturating_sub(wide / 2).min(WIDTH - wide);
        let top = ((y * HEIGHT as f64) as usize).saturating_sub(high / 2).min(HEIGHT - high);
        let mut sum = [0.0f32; 3];
        for row in top..top + high {
            for pixel in self.pixels[3 * (row * WIDTH + left)..][..3 * wide].chunks_exact(3) {
                (0..3).for_each(|c| sum[c] += f32::from(pixel[c]));
            }
        }
        sum.map(|v| v / (wide * high) as f32)
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

/// Crops sampled with equal probability: the cards of one source, or crops without a card.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its name in messages.
    pub name: String,
    /// Whether the crops come from a simulated camera.
    pub is_drawn: bool,
    /// Whether its cards are used to learn colours.
    pub teaches_color: bool,
    pub samples: Vec<Sample>,
}

impl Group {
    /// One of them at random.
    ///
    /// # Panics
    /// If the group is empty.
    pub(crate) fn pick(&self, rng: &mut Pcg64) -> &Sample {
        &self.samples[rng.random_range(0..self.samples.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A card of three bars whose insides are darker than the stock by `darker`.
    fn card(code: &str, darker: u8) -> Sample {
        let pixels = (0..WIDTH * HEIGHT)
            .flat_map(|i| {
                let (x, y) = (i % WIDTH, i / WIDTH);
                let bar = [20, 48, 75].iter().any(|&c: &usize| x.abs_diff(c) < 9);
                let inside = bar && (10..54).contains(&y);
                let edge = inside && !(14..50).contains(&y);
                let green = if inside { 230 - darker } else { 230 };
                if edge { [40, 160, 60] } else { [green, 230, green] }
            })
            .collect();
        Sample { pixels, label: Label::for_card(Edition::Classic, code.parse().unwrap()) }
    }

    #[test]
    fn labels_come_back_from_their_bytes() {
        let mut with_card = 0;
        for byte in 0..=u8::MAX {
            if let Some(label) = Label::from_byte(byte) {
                assert_eq!(label.to_byte(), byte);
                with_card += 1;
            }
        }
        assert_eq!(with_card, 2 * DECK_SIZE + 2);
    }

    #[test]
    fn stripes_that_have_vanished_are_noticed() {
        assert!(card("3sgo", 20).shows_its_shading());
        assert!(!card("3sgo", 1).shows_its_shading());
        assert!(card("3ogo", 1).shows_its_shading(), "an open symbol is as white as the stock");
        assert!(Sample { label: Label::NoCard, ..card("3sgo", 1) }.shows_its_shading());
    }
}
