//! The types that pass between the stages.

use image::RgbImage;
use setsight_game::cards::{Card, Property};
use setsight_photo::geometry::Quad;

/// The place of a possible card.
#[derive(Clone, Debug, PartialEq)]
pub struct CardOutline {
    /// The corners, clockwise, a long side first, in pixels of the upright photo.
    pub corners_in_image: Quad,
    /// Log odds that this is a card, from the finder's evidence alone.
    pub score: f64,
    /// Part of the outline that the photo's other outlines share, 0 to 1, see
    /// [`super::overlap::shares`].
    pub shared: f32,
}

impl CardOutline {
    /// An outline with nothing but its corners.
    pub fn at(corners_in_image: Quad) -> Self {
        Self { corners_in_image, score: 0.0, shared: 0.0 }
    }
}

/// Long side of a [`CardImage`] in pixels: twice the reader network's input.
pub(crate) const CARD_LONG_PX: u32 = 192;
/// Short side of a [`CardImage`] in pixels: twice the reader network's input.
pub(crate) const CARD_SHORT_PX: u32 = 128;

/// A straightened card with its long side horizontal.
#[derive(Clone, Debug)]
pub struct CardImage {
    /// [`CARD_LONG_PX`] x [`CARD_SHORT_PX`] RGB, balanced so that the card's own white becomes
    /// (255, 255, 255) times [`super::rectify::BALANCED_WHITE`].
    pub pixels: RgbImage,
    /// The card's white in the photo before balancing, R, G, B, 0 to 255.
    pub white_in_image: [f32; 3],
    /// Deviation of the light from neutral: length of the white's chromaticity vector, 0 for grey,
    /// about 0.1 for a warm lamp.
    pub light_cast: f32,
    /// Length of the card's long side in the photo, in pixels; it limits the visible detail.
    pub long_side_in_image_px: f32,
}

/// A reader's output for one card: four probability triples and the probability that it is a card.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Probability of each value of each property, in [`Property::ALL`] order. Each triple has
    /// sum 1.
    pub values: [[f32; 3]; 4],
    /// Probability that this is a face-up card.
    pub is_card: f32,
}

impl Reading {
    /// The reading that carries no information.
    pub const UNKNOWN: Self = Self { values: [[1.0 / 3.0; 3]; 4], is_card: 0.5 };

    /// The reading of a card that belongs to the deck with this probability; otherwise its values are uniformly
    /// distributed.
    pub(crate) fn if_of_deck(mut self, probability: f32) -> Self {
        self.values =
            self.values.map(|three| three.map(|v| probability * v + (1.0 - probability) / 3.0));
        self
    }

    /// Probability of `card`, given that this is a card: the product over the properties.
    pub fn probability(&self, card: Card) -> f32 {
        Property::ALL.into_iter().zip(&self.values).map(|(p, v)| v[card.value(p)]).product()
    }

    /// The most probable card and its probability.
    pub fn best(&self) -> (Card, f32) {
        let index = self.values.iter().fold(0, |index, v| index * 3 + likeliest(v));
        let card = Card::from_index(index);
        (card, self.probability(card))
    }
}

fn likeliest(values: &[f32; 3]) -> usize {
    (0..3).max_by(|&a, &b| values[a].total_cmp(&values[b])).expect("three values")
}

/// A card that may lie somewhere, and the probability that it is this one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess {
    /// The card.
    pub card: Card,
    /// Probability that it is this card, 0 to 1.
    pub confidence: f32,
}

/// A card of a [`TableReading`](super::TableReading).
#[derive(Clone, Debug, PartialEq)]
pub struct ReadCard {
    /// The corners, clockwise, a long side first, in pixels of the upright photo.
    pub corners_in_image: Quad,
    /// The card, or the best guess if `unsure`.
    pub card: Card,
    /// Probability that `card` is right, 0 to 1.
    pub confidence: f32,
    /// Whether the confidence is below the threshold. Such a card takes part in no sure set.
    pub unsure: bool,
    /// The other cards that it may be, each with a probability above [`ReadCard::LEAST`], most
    /// probable first.
    pub alternatives: Vec<Guess>,
}

impl ReadCard {
    /// Probability from which another card is an alternative.
    pub const LEAST: f32 = 0.01;
    /// Probability from which a value of a property is known.
    const KNOWN: f32 = 0.5;

    /// A card without alternatives.
    pub fn new(corners_in_image: Quad, card: Card, confidence: f32, unsure: bool) -> Self {
        Self { corners_in_image, card, confidence, unsure, alternatives: Vec::new() }
    }

    /// All that it may be, `card` first.
    pub fn guesses(&self) -> impl Iterator<Item = Guess> + '_ {
        let first = Guess { card: self.card, confidence: self.confidence };
        std::iter::once(first).chain(self.alternatives.iter().copied())
    }

    /// The index of the likeliest value of a property and its probability, 0 to 1; `None` if no
    /// value is more likely than not, so that the property is unknown.
    pub fn property(&self, property: Property) -> Option<(usize, f32)> {
        let mut values = [0.0f32; 3];
        for guess in self.guesses() {
            values[guess.card.value(property)] += guess.confidence;
        }
        let best = (0..3).max_by(|&a, &b| values[a].total_cmp(&values[b])).expect("three values");
        (values[best] >= Self::KNOWN).then_some((best, values[best].min(1.0)))
    }
}
