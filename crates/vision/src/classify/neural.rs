//! Classifies cards with a network.

use super::reader::{Cards, FirstLook, Reader};
use crate::card::{CARD_LONG_PX, CARD_SHORT_PX, CardImage, Reading};
use crate::probability::{logistic, softmax};
use crate::table::TableFacts;
use setsight_nets::engine::{Models, ModelsError, Network, NetworkError, SECOND_READER};
use setsight_nets::{Kind, reader};

/// Gives logits for cards: the network, or a fake in a test.
pub trait CardNetwork: Send + Sync {
    /// From card pictures, `[cards, 3, 64, 96]` (see [`reader`]), to logits, `[cards, 17]` or more, the
    /// last dimension fastest in both.
    fn logits(&self, input: Vec<f32>, cards: usize) -> Result<Vec<f32>, NetworkError>;
}

impl CardNetwork for Network {
    fn logits(&self, input: Vec<f32>, cards: usize) -> Result<Vec<f32>, NetworkError> {
        let shape = [cards, reader::CHANNELS, reader::HEIGHT, reader::WIDTH];
        Ok(self.run(input, shape)?.values)
    }
}

/// A network's outputs for each card.
#[derive(Default)]
pub(crate) struct NetworkOutput {
    pub logits: Vec<[f32; reader::OUTPUTS]>,
    /// Its further outputs; empty if it has none.
    pub embeddings: Vec<Vec<f32>>,
}

/// The reader that runs the reader network.
pub struct NeuralReader {
    network: Box<dyn CardNetwork>,
}

impl NeuralReader {
    /// Loads the network.
    ///
    /// # Errors
    /// The weights are missing, or belong to another kind of network.
    pub fn load(models: &Models) -> Result<Self, ModelsError> {
        Ok(Self::with_network(Box::new(models.network(Kind::Reader)?)))
    }

    /// Loads the larger network for cards in doubt: the shipped one if the models have none.
    ///
    /// # Errors
    /// It cannot be read, or belongs to another kind of network.
    pub fn load_second(models: &Models) -> Result<Option<Self>, ModelsError> {
        let Some(models) = models.or_shipped(SECOND_READER) else { return Ok(None) };
        let (bytes, name) = (models.read(SECOND_READER)?, models.name_of(SECOND_READER));
        let network = Network::load(&bytes, &name, Kind::Reader)?;
        Ok(Some(Self::with_network(Box::new(network))))
    }

    /// From any network.
    pub fn with_network(network: Box<dyn CardNetwork>) -> Self {
        Self { network }
    }

    /// The network's logits for each card, see [`reader`].
    ///
    /// # Errors
    /// The network does not run.
    pub fn logits<'a>(
        &self,
        cards: impl IntoIterator<Item = &'a CardImage, IntoIter: ExactSizeIterator>,
    ) -> Result<Vec<[f32; reader::OUTPUTS]>, NetworkError> {
        Ok(self.outputs(cards)?.logits)
    }

    pub(crate) fn outputs<'a>(
        &self,
        cards: impl IntoIterator<Item = &'a CardImage, IntoIter: ExactSizeIterator>,
    ) -> Result<NetworkOutput, NetworkError> {
        let cards = cards.into_iter();
        let count = cards.len();
        if count == 0 {
            return Ok(NetworkOutput::default());
        }
        let mut input = Vec::with_capacity(count * INPUT);
        cards.for_each(|card| push_input(card, &mut input));
        let outputs = self.network.logits(input, count)?;
        let rows = outputs.chunks_exact(outputs.len() / count).map(|row| {
            let (logits, rest) = row.split_first_chunk().expect("loading has checked its length");
            (*logits, rest.to_vec())
        });
        let (logits, embeddings) = rows.unzip();
        Ok(NetworkOutput { logits, embeddings })
    }
}

impl Reader for NeuralReader {
    fn table_facts(
        &self,
        cards: &Cards,
        before: TableFacts,
    ) -> Result<(FirstLook, TableFacts), NetworkError> {
        let logits = self.logits(&cards.images)?;
        let facts = before.after_cards(&logits);
        let (edition, _) = facts.named_edition();
        let readings = logits
            .iter()
            .map(|logits| reading_of(&reader::of_edition(logits, edition), logits[reader::CARD]))
            .collect();
        Ok((FirstLook { readings, logits, likeness: None }, facts))
    }
}

/// Pixels of the network's input.
const PIXELS: usize = reader::HEIGHT * reader::WIDTH;
/// Length of the network's input for one card.
const INPUT: usize = reader::CHANNELS * PIXELS;

/// A card as the network's input: `[3, 64, 96]`, the mean of each 2 x 2 pixels, 0 to 1.
pub fn input_of(card: &CardImage) -> Vec<f32> {
    let mut input = Vec::new();
    push_input(card, &mut input);
    input
}

/// Appends a card to a batch.
fn push_input(card: &CardImage, input: &mut Vec<f32>) {
    const ACROSS: usize = CARD_LONG_PX as usize / reader::WIDTH;
    const DOWN: usize = CARD_SHORT_PX as usize / reader::HEIGHT;
    const ROW: usize = CARD_LONG_PX as usize * reader::CHANNELS;
    let start = input.len();
    input.resize(start + INPUT, 0.0);
    let rows = card.pixels.as_raw().chunks_exact(DOWN * ROW);
    for (y, rows) in rows.enumerate() {
        let mut sums = [0u16; ROW];
        for row in rows.chunks_exact(ROW) {
            sums.iter_mut().zip(row).for_each(|(sum, &value)| *sum += u16::from(value));
        }
        for channel in 0..reader::CHANNELS {
            let line = start + channel * PIXELS + y * reader::WIDTH;
            let line = &mut input[line..][..reader::WIDTH];
            for (mean, block) in line.iter_mut().zip(sums.chunks_exact(ACROSS * reader::CHANNELS)) {
                let pixels = (0..ACROSS).map(|across| block[across * reader::CHANNELS + channel]);
                let sum = f32::from(pixels.sum::<u16>());
                *mean = sum / (ACROSS * DOWN) as f32 * reader::INPUT_SCALE;
            }
        }
    }
}

/// Probabilities from the logits of the values (see [`reader::of_edition`]) and the log odds of a
/// card.
pub fn reading_of(values: &[f32; 3 * reader::PROPERTIES], card: f32) -> Reading {
    let values = std::array::from_fn(|p| softmax(std::array::from_fn(|v| values[3 * p + v])));
    Reading { values, is_card: logistic(card) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};
    use setsight_game::cards::Edition;

    /// Returns the mean of each channel as the first three logits.
    struct Means;
    impl CardNetwork for Means {
        fn logits(&self, input: Vec<f32>, cards: usize) -> Result<Vec<f32>, NetworkError> {
            let plane = reader::HEIGHT * reader::WIDTH;
            assert_eq!(input.len(), cards * reader::CHANNELS * plane);
            Ok(input
                .chunks(reader::CHANNELS * plane)
                .flat_map(|card| {
                    let mut logits = [0.0; reader::OUTPUTS];
                    for (logit, plane) in logits.iter_mut().zip(card.chunks(plane)) {
                        *logit = plane.iter().sum::<f32>() / plane.len() as f32;
                    }
                    logits
                })
                .collect())
        }
    }

    fn card(pixels: RgbImage) -> CardImage {
        CardImage {
            pixels,
            white_in_image: [255.0; 3],
            light_cast: 0.0,
            long_side_in_image_px: 100.0,
        }
    }

    #[test]
    fn planes_are_red_green_blue_and_one_is_255() {
        let reader = NeuralReader::with_network(Box::new(Means));
        let logits = reader.logits(&[flat([255, 0, 0]), flat([0, 51, 255])]).unwrap();
        assert!(
            is_near(logits[0][0], 1.0) && is_near(logits[0][1], 0.0) && is_near(logits[0][2], 0.0)
        );
        assert!(
            is_near(logits[1][0], 0.0) && is_near(logits[1][1], 0.2) && is_near(logits[1][2], 1.0)
        );
        assert!(reader.logits(&[]).unwrap().is_empty());
    }

    fn is_near(a: f32, b: f32) -> bool {
        (a - b).abs() < 1e-4
    }

    fn flat(color: [u8; 3]) -> CardImage {
        card(RgbImage::from_pixel(CARD_LONG_PX, CARD_SHORT_PX, Rgb(color)))
    }

    #[test]
    fn each_input_pixel_is_the_mean_of_four() {
        let picture = RgbImage::from_fn(CARD_LONG_PX, CARD_SHORT_PX, |x, y| {
            let at =
                |x: u32, y: u32| if (x / 2, y / 2) == (5, 7) { x % 2 + 2 * (y % 2) } else { 9 };
            Rgb([at(x, y) as u8 * 10, 0, 0])
        });
        let input = input_of(&card(picture));
        let at = |x: usize, y: usize| input[y * reader::WIDTH + x] * 255.0;
        assert!((at(5, 7) - 15.0).abs() < 1e-3 && (at(4, 7) - 90.0).abs() < 1e-3);
    }

    #[test]
    fn logits_become_probabilities() {
        let mut logits = [0.0; reader::OUTPUTS];
        logits[4] = 2f32.ln();
        logits[6] = 500.0;
        logits[reader::CARD] = 3f32.ln();
        logits[reader::RECTANGLE] = 9.0;
        let [reading, of_rectangles] = [Edition::Classic, Edition::Rectangles]
            .map(|edition| reading_of(&reader::of_edition(&logits, edition), logits[reader::CARD]));
        assert!((reading.values[1][1] - 0.5).abs() < 1e-6);
        assert_eq!(reading.values[2], [1.0, 0.0, 0.0]);
        assert!((reading.is_card - 0.75).abs() < 1e-6);
        assert_eq!(reading.values[3], [1.0 / 3.0; 3]);
        assert!(of_rectangles.values[3][0] > 0.99);
    }
}
