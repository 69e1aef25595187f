//! Reading with a network.

use super::{Closer, Reader};
use crate::model::{Kind, reader};
use crate::pipeline::engine::{Models, ModelsError, Network, NetworkError};
use crate::pipeline::{CARD_LONG_PX, CARD_SHORT_PX, CardImage, Reading, least_lead};
use image::RgbImage;

/// Something that gives logits for cards: the network, or a fake in a test.
pub trait CardNetwork: Send + Sync {
    /// `cards` card pictures `[cards, 3, 64, 96]` (see [`reader`]) to `[cards, 13]` logits, the last
    /// dimension fastest in both.
    ///
    /// # Errors
    /// The network does not run.
    fn logits(&self, input: Vec<f32>, cards: usize) -> Result<Vec<f32>, NetworkError>;
}

impl CardNetwork for Network {
    fn logits(&self, input: Vec<f32>, cards: usize) -> Result<Vec<f32>, NetworkError> {
        let shape = [cards, reader::CHANNELS, reader::HEIGHT, reader::WIDTH];
        Ok(self.run(input, shape)?.values)
    }
}

/// The reader that a network is.
pub struct NeuralReader {
    network: Box<dyn CardNetwork>,
}

impl NeuralReader {
    /// With weights.
    ///
    /// # Errors
    /// They are missing, or no reader's.
    pub fn load(models: &Models) -> Result<Self, ModelsError> {
        Ok(Self::with_network(Box::new(models.network(Kind::Reader)?)))
    }

    /// With any network.
    pub fn with_network(network: Box<dyn CardNetwork>) -> Self {
        Self { network }
    }

    /// The network's logits of each card, see [`reader`].
    ///
    /// Where they leave a doubt, the card is looked at again the other way round and moved by as much
    /// as outlines are usually off, both of which change no card, and the mean counts: what hangs on
    /// how the pixels happened to fall cancels out.
    ///
    /// # Errors
    /// The network does not run.
    pub fn logits(&self, cards: &[CardImage]) -> Result<Vec<[f32; reader::OUTPUTS]>, NetworkError> {
        if cards.is_empty() {
            return Ok(Vec::new());
        }
        let mut logits = self.run(cards.iter().flat_map(input_of).collect(), cards.len())?;
        let unclear: Vec<usize> = (0..cards.len()).filter(|&i| !is_clear(&logits[i])).collect();
        if unclear.is_empty() {
            return Ok(logits);
        }
        let others = unclear.iter().flat_map(|&i| other_views(&cards[i])).collect();
        let others = self.run(others, OTHER_VIEWS * unclear.len())?;
        for (i, others) in unclear.into_iter().zip(others.chunks_exact(OTHER_VIEWS)) {
            for (k, logit) in logits[i].iter_mut().enumerate() {
                let sum = *logit + others.iter().map(|other| other[k]).sum::<f32>();
                *logit = sum / (OTHER_VIEWS + 1) as f32;
            }
        }
        Ok(logits)
    }

    fn run(
        &self,
        input: Vec<f32>,
        cards: usize,
    ) -> Result<Vec<[f32; reader::OUTPUTS]>, NetworkError> {
        let logits = self.network.logits(input, cards)?;
        let rows = logits.chunks_exact(reader::OUTPUTS);
        Ok(rows.map(|row| row.try_into().expect("13 of them")).collect())
    }
}

/// Whether each property has a value that leads by far.
fn is_clear(logits: &[f32; reader::OUTPUTS]) -> bool {
    /// Odds of about seven to one.
    const LEAD: f32 = 2.0;
    least_lead(&logits[..reader::CARD]) >= LEAD
}

/// The cards, not looked at in place yet, of which these logits leave such a doubt that a look in place is
/// worth its time: of drawn tables a reader's mistakes are a twelfth fewer with it, and hardly fewer if all
/// cards are looked at.
pub fn doubts(cards: &[CardImage], logits: &[[f32; reader::OUTPUTS]]) -> Vec<usize> {
    /// Odds of about fifty to one.
    const LEAD: f32 = 4.0;
    let in_doubt =
        |i: &usize| cards[*i].in_place.is_none() && least_lead(&logits[*i][..reader::CARD]) < LEAD;
    (0..cards.len()).filter(in_doubt).collect()
}

/// Other views of a doubtful card: see [`other_views`].
const OTHER_VIEWS: usize = 9;

/// The same card turned by 180 degrees, and moved in each of four directions either way round, each
/// as the network takes it.
fn other_views(card: &CardImage) -> Vec<f32> {
    /// A sixtieth of a card.
    const BY_PX: i64 = 3;
    let turned = |input: &[f32]| -> Vec<f32> {
        let planes = input.chunks_exact(reader::WIDTH * reader::HEIGHT);
        planes.flat_map(|plane| plane.iter().rev()).copied().collect()
    };
    let mut views = turned(&input_of(card));
    for (x, y) in [(BY_PX, 0), (-BY_PX, 0), (0, BY_PX), (0, -BY_PX)] {
        let view = input_of_pixels(&moved(&card.pixels, x, y));
        views.extend(turned(&view));
        views.extend(view);
    }
    views
}

/// The picture moved by whole pixels; what comes in repeats the border.
fn moved(pixels: &RgbImage, x: i64, y: i64) -> RgbImage {
    let (width, height) = (i64::from(pixels.width()), i64::from(pixels.height()));
    RgbImage::from_fn(pixels.width(), pixels.height(), |u, v| {
        let u = (i64::from(u) - x).clamp(0, width - 1);
        let v = (i64::from(v) - y).clamp(0, height - 1);
        *pixels.get_pixel(u as u32, v as u32)
    })
}

impl Reader for NeuralReader {
    fn read(&self, cards: &[CardImage], _: &Closer) -> Result<Vec<Reading>, NetworkError> {
        Ok(self.logits(cards)?.iter().map(reading_of).collect())
    }
}

/// A card as the network takes it: `[3, 64, 96]`, the mean of each 2 x 2 pixels, 0 to 1.
pub fn input_of(card: &CardImage) -> Vec<f32> {
    input_of_pixels(&card.pixels)
}

fn input_of_pixels(pixels: &RgbImage) -> Vec<f32> {
    const ACROSS: usize = CARD_LONG_PX as usize / reader::WIDTH;
    const DOWN: usize = CARD_SHORT_PX as usize / reader::HEIGHT;
    let row = CARD_LONG_PX as usize * reader::CHANNELS;
    let pixels = pixels.as_raw();
    let mut input = Vec::with_capacity(reader::CHANNELS * reader::HEIGHT * reader::WIDTH);
    for channel in 0..reader::CHANNELS {
        for y in 0..reader::HEIGHT {
            for x in 0..reader::WIDTH {
                let mut sum = 0u32;
                for down in 0..DOWN {
                    for across in 0..ACROSS {
                        let at = (DOWN * y + down) * row
                            + (ACROSS * x + across) * reader::CHANNELS
                            + channel;
                        sum += u32::from(pixels[at]);
                    }
                }
                input.push(sum as f32 / (ACROSS * DOWN) as f32 * reader::INPUT_SCALE);
            }
        }
    }
    input
}

/// Probabilities from logits.
pub fn reading_of(logits: &[f32; reader::OUTPUTS]) -> Reading {
    let values = std::array::from_fn(|p| {
        let logits = [logits[3 * p], logits[3 * p + 1], logits[3 * p + 2]];
        let most = logits.into_iter().fold(f32::MIN, f32::max);
        let odds = logits.map(|logit| (logit - most).exp());
        let sum: f32 = odds.iter().sum();
        odds.map(|odds| odds / sum)
    });
    Reading { values, is_card: 1.0 / (1.0 + (-logits[reader::CARD]).exp()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::classify::no_closer;
    use image::{Rgb, RgbImage};

    /// Tells the mean of each plane as the first three logits.
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
            in_place: None,
            shared: 0.0,
        }
    }

    #[test]
    fn planes_are_red_green_blue_and_one_is_255() {
        let reader = NeuralReader::with_network(Box::new(Means));
        // In one colour, so that all views are alike.
        let flat = |color| card(RgbImage::from_pixel(CARD_LONG_PX, CARD_SHORT_PX, Rgb(color)));
        let logits = reader.logits(&[flat([255, 0, 0]), flat([0, 51, 255])]).unwrap();
        let near = |a: f32, b: f32| (a - b).abs() < 1e-4;
        assert!(near(logits[0][0], 1.0) && near(logits[0][1], 0.0) && near(logits[0][2], 0.0));
        assert!(near(logits[1][0], 0.0) && near(logits[1][1], 0.2) && near(logits[1][2], 1.0));
        assert!(reader.read(&[], &no_closer).unwrap().is_empty());
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

    /// Doubts a card whose first view begins with white; of other views says how bright their left
    /// column is.
    struct Doubting;
    impl CardNetwork for Doubting {
        fn logits(&self, input: Vec<f32>, cards: usize) -> Result<Vec<f32>, NetworkError> {
            let one = reader::CHANNELS * reader::HEIGHT * reader::WIDTH;
            assert_eq!(input.len(), cards * one);
            let of = |card: &[f32]| {
                let left = (0..reader::HEIGHT).map(|y| card[y * reader::WIDTH]).sum::<f32>();
                let mut logits = [0.0; reader::OUTPUTS];
                for three in logits[..reader::CARD].chunks_exact_mut(3) {
                    three[1] = if card[0] > 0.9 { 1.0 } else { 5.0 };
                }
                logits[reader::CARD] = left / reader::HEIGHT as f32;
                logits
            };
            Ok(input.chunks(one).flat_map(of).collect())
        }
    }

    #[test]
    fn a_doubtful_card_is_looked_at_from_all_sides() {
        let reader = NeuralReader::with_network(Box::new(Doubting));
        let half = |left: u8, right: u8| {
            card(RgbImage::from_fn(CARD_LONG_PX, CARD_SHORT_PX, |x, _| {
                Rgb([if x < CARD_LONG_PX / 2 { left } else { right }; 3])
            }))
        };
        let logits = reader.logits(&[half(0, 255), half(255, 0)]).unwrap();
        // No doubt: one look.
        assert_eq!((logits[0][1], logits[0][reader::CARD]), (5.0, 0.0));
        // Five of ten views have the white end on the left.
        assert!((logits[1][reader::CARD] - 0.5).abs() < 1e-6, "{logits:?}");
        assert!((logits[1][1] - 3.0).abs() < 1e-6, "{logits:?}");
    }

    #[test]
    fn a_moved_card_repeats_its_border() {
        let picture = RgbImage::from_fn(4, 2, |x, y| Rgb([x as u8, y as u8, 0]));
        let right = moved(&picture, 2, 0);
        assert_eq!([0, 1, 2, 3].map(|x| right.get_pixel(x, 1).0[0]), [0, 0, 0, 1]);
        let up = moved(&picture, 0, -1);
        assert_eq!([0, 1].map(|y| up.get_pixel(3, y).0), [[3, 1, 0], [3, 1, 0]]);
    }

    #[test]
    fn logits_become_probabilities() {
        let mut logits = [0.0; reader::OUTPUTS];
        logits[4] = 2f32.ln();
        logits[6] = 500.0;
        logits[reader::CARD] = 3f32.ln();
        let reading = reading_of(&logits);
        assert!((reading.values[1][1] - 0.5).abs() < 1e-6);
        assert_eq!(reading.values[2], [1.0, 0.0, 0.0]);
        assert!((reading.is_card - 0.75).abs() < 1e-6);
    }
}
