//! Both readers together: their log probabilities weighed, by weights that validation data gave.

use super::classical::ClassicalReader;
use super::ink;
use super::neural::{NeuralReader, doubts};
use super::stripes;
use super::{Closer, Reader};
use crate::cards::Property;
use crate::model::refiner::VALUE_LOGITS;
use crate::model::{Kind, reader};
use crate::pipeline::board;
use crate::pipeline::engine::{FUSION, Models, ModelsError, NetworkError, file_of, sha256};
use crate::pipeline::rectify::BALANCED_WHITE;
use crate::pipeline::{CardImage, InPlace, Reading};
use image::RgbImage;
use serde::{Deserialize, Serialize};

/// Length of a card's long side in the photo at which its context is nought, in pixels.
const USUAL_LONG_SIDE_PX: f32 = 110.0;
/// Numbers that say under which circumstances a card was seen, see [`context_of`].
pub const CONTEXTS: usize = 10;
/// Of these: how far its white is clipped in every channel, how likely its outline is off, and whether it
/// was looked at in place.
const CLIPPED_IN_ALL: usize = 3;
const MISPLACED: usize = 6;
const LOOKED_AT: usize = 7;
/// Evidence beyond this says no more: log odds.
const MOST_LOG_ODDS: f32 = 12.0;

/// `fusion.json`: how the readers' evidence becomes one probability, and when it is enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fusion {
    /// Version of the program that fitted it.
    pub version: String,
    /// SHA-256 of the reading network that it was fitted with, in hexadecimal.
    pub reader_sha256: String,
    /// The same of the network that looks at cards in place, if there was one.
    pub refiner_sha256: Option<String>,
    /// For the learned finder.
    pub learned: Joints,
    /// For the classical finder.
    pub classical: Joints,
    /// How it was fitted and what that gave, for people.
    pub fitted: serde_json::Value,
}

/// Weights for one finder: each finder's outlines and scores are its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joints {
    /// For both readers together.
    pub fused: Joint,
    /// For the network alone: what the classical reader says has no weight.
    pub neural: Joint,
}

/// Weights of the evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// For each property, in [`crate::cards::Property::ALL`] order.
    pub properties: [PropertyWeights; 4],
    /// Of the log likelihoods of colours by the inks of the table, by context as the others.
    pub color_of_table: [f32; CONTEXTS],
    /// How often the stripes of a table are lost whose white is clipped in every channel, 0 to 1, as
    /// thought before its cards are looked at.
    pub stripes_lost: f32,
    /// For card-or-not.
    pub card: CardWeights,
    /// What the board makes of it.
    pub board: board::Calibration,
}

/// A property's log probabilities are multiplied by the first three, and the last is added: each the
/// weights of the context (see [`context_of`]), summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PropertyWeights {
    /// Of the classical reader.
    pub classical: [f32; CONTEXTS],
    /// Of the network's logits: the reciprocal of a temperature.
    pub neural: [f32; CONTEXTS],
    /// Of the logits of a look at the card in place, where there was one.
    pub in_place: [f32; CONTEXTS],
    /// Of each value as such: where light bleaches stripes, many a card that looks open is none.
    pub values: [[f32; CONTEXTS]; 3],
}

/// Log odds of a card: a sum, each weight by context as the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardWeights {
    /// Added to it all.
    pub bias: [f32; CONTEXTS],
    /// Of the classical reader's log odds.
    pub classical: [f32; CONTEXTS],
    /// Of the network's.
    pub neural: [f32; CONTEXTS],
    /// Of the log odds that an outline that was looked at in place is right.
    pub right: f32,
}

/// How a card was seen, beside what the readers say of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circumstances {
    /// See [`context_of`].
    pub context: [f32; CONTEXTS],
    /// See [`crate::pipeline::InPlace::values`]; all alike where that was not asked.
    pub in_place: [f32; VALUE_LOGITS],
    /// Log likelihood of each colour by the inks of its table, see [`ink::colors_beside`].
    pub color: [f32; 3],
    /// See [`stripes::lost_by_table`].
    pub stripes_lost: f32,
}

/// What a look in place says of each card: those that the finder asked of, and those of which the network's
/// logits leave a doubt.
///
/// # Errors
/// Those of `closer`.
pub fn looks_in_place(
    cards: &[CardImage],
    logits: &[[f32; reader::OUTPUTS]],
    closer: &Closer,
) -> Result<Vec<Option<InPlace>>, NetworkError> {
    let mut looks: Vec<Option<InPlace>> = cards.iter().map(|card| card.in_place).collect();
    let doubted = doubts(cards, logits);
    if !doubted.is_empty() {
        for (i, said) in doubted.iter().zip(closer(&doubted)?) {
            looks[*i] = said;
        }
    }
    Ok(looks)
}

/// The circumstances of all cards of a table, the network's logits and the look in place of each given.
pub fn circumstances_of(
    cards: &[CardImage],
    logits: &[[f32; reader::OUTPUTS]],
    in_place: &[Option<InPlace>],
) -> Vec<Circumstances> {
    let inks: Vec<_> = cards.iter().map(ink::ink_of).collect();
    let colors = ink::colors_beside(&inks, logits);
    let all = cards.iter().zip(in_place).zip(colors).zip(stripes::lost_by_table(logits));
    all.map(|(((card, look), color), stripes_lost)| {
        let in_place = look.map_or([0.0; VALUE_LOGITS], |said| said.values);
        Circumstances { context: context_of(card, *look), in_place, color, stripes_lost }
    })
    .collect()
}

/// Under which circumstances a card was seen: 1; how small it is, 0 for usual and 1 for a third of
/// that; how coloured the light was, 1 for a warm lamp; how over-exposed it is, 1 where its white is
/// clipped in every channel, so that pale stripes are lost; how much of its rim is not stock, 1 where
/// a neighbour or a finger lies over a side; how warm the light was, negative for cold, 1 where the
/// card's white has 1.65 times as much red as blue; how likely its outline is off; 1 where it was
/// looked at in place, because it does not lie open to view or left a doubt; the share of the channels in which its
/// white is clipped, so that ink looks to have more of them than it has; the part of it that other outlines
/// share, for what is seen there may be another card's.
pub fn context_of(card: &CardImage, in_place: Option<InPlace>) -> [f32; CONTEXTS] {
    let small = (USUAL_LONG_SIDE_PX / card.long_side_in_image_px.max(1.0)).ln();
    let [red, _, blue] = card.white_in_image;
    let clipped = card.white_in_image.map(|white| ((white - 245.0) / 10.0).clamp(0.0, 1.0));
    [
        1.0,
        small.clamp(-0.5, 1.2),
        (card.light_cast * 10.0).clamp(0.0, 2.0),
        clipped.into_iter().fold(1.0, f32::min),
        (rim_covered(&card.pixels) / 0.15).clamp(0.0, 1.0),
        (2.0 * (red.max(1.0) / blue.max(1.0)).ln()).clamp(-1.5, 1.5),
        in_place.map_or(0.0, |said| said.misplaced),
        if in_place.is_some() { 1.0 } else { 0.0 },
        clipped.into_iter().sum::<f32>() / 3.0,
        card.shared,
    ]
}

/// Of the four sides' rims, where a card is blank, the largest share that is not stock.
fn rim_covered(card: &RgbImage) -> f32 {
    /// Beginning and end of the rim along the side's normal and along the side, in sides.
    const RIM: (f32, f32) = (0.03, 0.11);
    const SIDE: (f32, f32) = (0.05, 0.95);
    /// Darker than this in any channel is not stock. A shadow that the white field did not follow
    /// leaves more than this.
    const STOCK: f32 = 0.6 * BALANCED_WHITE * 255.0;
    let (width, height) = (card.width() as f32, card.height() as f32);
    let part = |x: (f32, f32), y: (f32, f32)| {
        let (mut all, mut dark) = (0u32, 0u32);
        for v in (y.0 * height) as u32..(y.1 * height) as u32 {
            for u in (x.0 * width) as u32..(x.1 * width) as u32 {
                all += 1;
                dark += u32::from(card.get_pixel(u, v).0.iter().any(|&c| f32::from(c) < STOCK));
            }
        }
        dark as f32 / all.max(1) as f32
    };
    let far = (1.0 - RIM.1, 1.0 - RIM.0);
    [part(RIM, SIDE), part(far, SIDE), part(SIDE, RIM), part(SIDE, far)]
        .into_iter()
        .fold(0.0, f32::max)
}

impl Fusion {
    /// From a folder of models or the program itself.
    ///
    /// # Errors
    /// It is not there, or not of this form.
    pub fn load(models: &Models) -> Result<Self, ModelsError> {
        let bytes = models.read(FUSION)?;
        serde_json::from_slice(&bytes).map_err(|error| ModelsError::Json {
            file: models.name_of(FUSION),
            reason: error.to_string(),
        })
    }

    /// The networks beside it that are not those it was fitted with, by file name: how sure it is of what
    /// they say was never looked at.
    ///
    /// # Errors
    /// A network that is there cannot be read.
    pub fn not_fitted_with(&self, models: &Models) -> Result<Vec<&'static str>, ModelsError> {
        let known = [
            (file_of(Kind::Reader), Some(&self.reader_sha256)),
            (file_of(Kind::Refiner), self.refiner_sha256.as_ref()),
        ];
        let mut others = Vec::new();
        for (file, fitted_with) in known {
            if models.has(file) && fitted_with != Some(&sha256(&models.read(file)?)) {
                others.push(file);
            }
        }
        Ok(others)
    }
}

impl Joint {
    /// How likely it is that a card's stripes, if it has any, cannot be seen, 0 to 1.
    fn stripes_lost(&self, seen: &Circumstances) -> f32 {
        stripes::lost(self.stripes_lost * seen.context[CLIPPED_IN_ALL], seen.stripes_lost)
    }

    /// One reading from what both say of a card.
    pub fn join(
        &self,
        classical: &Reading,
        logits: &[f32; reader::OUTPUTS],
        seen: &Circumstances,
    ) -> Reading {
        let sum_of = |weights: &[f32; CONTEXTS]| -> f32 {
            weights.iter().zip(seen.context).map(|(w, c)| w * c).sum()
        };
        // Never against what is said, whatever the circumstances.
        let of = |weights: &[f32; CONTEXTS]| sum_of(weights).max(0.0);
        let values = std::array::from_fn(|p| {
            let weights = &self.properties[p];
            let (by_rule, by_net) = (of(&weights.classical), of(&weights.neural));
            let by_place = of(&weights.in_place);
            let is_color = Property::ALL[p] == Property::Color;
            let by_table = if is_color { of(&self.color_of_table) } else { 0.0 };
            let scores: [f32; 3] = std::array::from_fn(|v| {
                by_rule * log_of(classical.values[p][v])
                    + by_net * logits[3 * p + v]
                    + by_place * seen.in_place[3 * p + v]
                    + by_table * seen.color[v]
                    + sum_of(&weights.values[v])
            });
            let chances = softmax(scores);
            if Property::ALL[p] == Property::Shading {
                stripes::with_lost(chances, self.stripes_lost(seen))
            } else {
                chances
            }
        });
        let card = sum_of(&self.card.bias)
            + of(&self.card.classical) * log_odds(classical.is_card)
            + of(&self.card.neural) * logits[reader::CARD].clamp(-MOST_LOG_ODDS, MOST_LOG_ODDS)
            + self.card.right * log_odds_right(&seen.context);
        Reading { values, is_card: 1.0 / (1.0 + (-card).exp()) }
    }
}

/// Log odds that an outline that was looked at in place is right, 0 where none was.
pub fn log_odds_right(context: &[f32; CONTEXTS]) -> f32 {
    /// Beyond this it says no more.
    const MOST: f32 = 8.0;
    context[LOOKED_AT] * -log_odds(context[MISPLACED]).clamp(-MOST, MOST)
}

/// Natural logarithm of a probability, not below e^-12.
pub fn log_of(probability: f32) -> f32 {
    probability.max((-MOST_LOG_ODDS).exp()).ln()
}

/// Log odds of a probability, -12 to 12.
pub fn log_odds(probability: f32) -> f32 {
    let odds = probability.clamp(1e-9, 1.0 - f32::EPSILON);
    (odds / (1.0 - odds)).ln().clamp(-MOST_LOG_ODDS, MOST_LOG_ODDS)
}

fn softmax(scores: [f32; 3]) -> [f32; 3] {
    let most = scores.into_iter().fold(f32::MIN, f32::max);
    let odds = scores.map(|score| (score - most).exp());
    let sum: f32 = odds.iter().sum();
    odds.map(|odds| odds / sum)
}

/// Reads by measuring and by a network, and weighs what both say.
pub struct FusedReader {
    classical: Option<ClassicalReader>,
    neural: NeuralReader,
    joint: Joint,
}

impl FusedReader {
    /// Both readers.
    pub fn new(neural: NeuralReader, joint: Joint) -> Self {
        Self { classical: Some(ClassicalReader), neural, joint }
    }

    /// The network alone, calibrated.
    pub fn network_only(neural: NeuralReader, joint: Joint) -> Self {
        Self { classical: None, neural, joint }
    }
}

impl Reader for FusedReader {
    fn read(&self, cards: &[CardImage], closer: &Closer) -> Result<Vec<Reading>, NetworkError> {
        let logits = self.neural.logits(cards)?;
        let in_place = looks_in_place(cards, &logits, closer)?;
        let classical = match self.classical {
            Some(reader) => reader.readings(cards),
            None => vec![Reading::UNKNOWN; cards.len()],
        };
        let seen = circumstances_of(cards, &logits, &in_place);
        let all = classical.iter().zip(&logits).zip(&seen);
        Ok(all
            .map(|((classical, logits), seen)| self.joint.join(classical, logits, seen))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::{Card, Shading};
    use crate::pipeline::{CARD_LONG_PX, CARD_SHORT_PX, InPlace};

    /// The same weight under all circumstances.
    fn only(weight: f32) -> [f32; CONTEXTS] {
        std::array::from_fn(|i| if i == 0 { weight } else { 0.0 })
    }

    fn joint(classical: f32, neural: f32) -> Joint {
        let values = [[0.0; CONTEXTS]; 3];
        let (classical_weights, in_place) = (only(classical), only(0.0));
        let weights = PropertyWeights {
            classical: classical_weights,
            neural: only(neural),
            in_place,
            values,
        };
        Joint {
            properties: [weights; 4],
            color_of_table: [0.0; CONTEXTS],
            stripes_lost: 0.0,
            card: CardWeights {
                bias: only(0.0),
                classical: only(classical),
                neural: only(neural),
                right: 0.0,
            },
            board: board::Calibration::default(),
        }
    }

    fn reading(code: &str, certainty: f32) -> Reading {
        let card: Card = code.parse().unwrap();
        let values = Property::ALL.map(|property| {
            let mut triple = [(1.0 - certainty) / 2.0; 3];
            triple[card.value(property)] = certainty;
            triple
        });
        Reading { values, is_card: certainty }
    }

    fn logits(code: &str, strength: f32) -> [f32; reader::OUTPUTS] {
        let card: Card = code.parse().unwrap();
        let mut logits = [0.0; reader::OUTPUTS];
        for (p, property) in Property::ALL.into_iter().enumerate() {
            logits[3 * p + card.value(property)] = strength;
        }
        logits[reader::CARD] = strength;
        logits
    }

    const USUAL: Circumstances = Circumstances {
        context: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        in_place: [0.0; VALUE_LOGITS],
        color: [0.0; 3],
        stripes_lost: 1.0,
    };

    #[test]
    fn without_weight_a_reader_is_not_heard() {
        let own = reading("2spd", 0.9);
        let alone = joint(1.0, 0.0).join(&own, &logits("1fgo", 9.0), &USUAL);
        for (a, b) in own.values.iter().flatten().zip(alone.values.iter().flatten()) {
            assert!((a - b).abs() < 1e-5);
        }
        assert!((alone.is_card - 0.9).abs() < 1e-5);
        let other = joint(0.0, 1.0).join(&own, &logits("1fgo", 9.0), &USUAL);
        assert_eq!(other.best().0.to_string(), "1fgo");
    }

    #[test]
    fn agreement_is_surer_and_dispute_less_sure_than_either() {
        let joint = joint(1.0, 1.0);
        let own = reading("2spd", 0.9);
        let same = joint.join(&own, &logits("2spd", 3.0), &USUAL);
        assert!(same.best().1 > own.best().1 && same.is_card > 0.9);
        let other = joint.join(&own, &logits("2srd", 3.0), &USUAL);
        assert!(other.values[2].iter().all(|p| *p < 0.6), "{other:?}");
        assert!(other.values[0][1] > 0.9);
    }

    #[test]
    fn circumstances_shift_the_weight() {
        let mut joint = joint(1.0, 1.0);
        joint.properties[1].classical[1] = -2.0;
        let own = reading("1fgd", 0.99);
        let near = joint.join(&own, &logits("1sgd", 2.0), &USUAL);
        let mut small = USUAL;
        small.context[1] = 1.0;
        let far = joint.join(&own, &logits("1sgd", 2.0), &small);
        assert_eq!(near.best().0.to_string(), "1fgd");
        assert_eq!(far.best().0.to_string(), "1sgd");
    }

    #[test]
    fn a_value_can_be_likelier_than_it_looks() {
        let mut joint = joint(1.0, 1.0);
        // In clipped light an open symbol may be a striped one.
        joint.properties[1].values[Shading::Striped.index()][3] = 3.0;
        let (own, net) = (reading("1ogd", 0.6), logits("1ogd", 1.0));
        let mut clipped = USUAL;
        clipped.context[3] = 1.0;
        assert_eq!(joint.join(&own, &net, &USUAL).best().0.to_string(), "1ogd");
        assert_eq!(joint.join(&own, &net, &clipped).best().0.to_string(), "1sgd");
    }

    #[test]
    fn an_outline_that_is_right_is_of_a_card() {
        let mut joint = joint(1.0, 1.0);
        (joint.card.right, joint.card.neural[7]) = (0.5, -0.75);
        let seen = |misplaced: f32, was_looked_at: f32| {
            let mut seen = USUAL;
            (seen.context[6], seen.context[7]) = (misplaced, was_looked_at);
            log_odds(joint.join(&reading("1fgd", 0.5), &logits("1fgd", 2.0), &seen).is_card)
        };
        assert!((seen(0.0, 0.0) - 2.0).abs() < 1e-4);
        // A quarter of the reader's two counts there, and half the log odds of being right.
        assert!((seen(0.5, 1.0) - 0.5).abs() < 1e-4);
        assert!((seen(0.1, 1.0) - (0.5 + 0.5 * 9f32.ln())).abs() < 1e-4);
        assert!((seen(1.0, 1.0) - (0.5 - 4.0)).abs() < 1e-4);
    }

    #[test]
    fn circumstances_are_seen_in_the_card() {
        let white = (255.0 * BALANCED_WHITE) as u8;
        let mut pixels = RgbImage::from_pixel(CARD_LONG_PX, CARD_SHORT_PX, image::Rgb([white; 3]));
        let card = |pixels: &RgbImage, white_in_image: [f32; 3]| CardImage {
            pixels: pixels.clone(),
            white_in_image,
            light_cast: 0.0,
            long_side_in_image_px: USUAL_LONG_SIDE_PX,
            in_place: None,
            shared: 0.0,
        };
        let context_of = |card: &CardImage| super::context_of(card, card.in_place);
        assert_eq!(context_of(&card(&pixels, [180.0; 3])), USUAL.context);
        let clipped = context_of(&card(&pixels, [255.0; 3]));
        assert_eq!((clipped[3], clipped[8]), (1.0, 1.0));
        // Where one channel is not clipped, stripes leave a trace.
        let partly = context_of(&card(&pixels, [255.0, 255.0, 200.0]));
        assert_eq!((partly[3], partly[8]), (0.0, 2.0 / 3.0));
        let warm = context_of(&card(&pixels, [180.0, 150.0, 110.0]))[5];
        let cold = context_of(&card(&pixels, [110.0, 150.0, 180.0]))[5];
        assert!((warm - 0.985).abs() < 0.01 && (warm + cold).abs() < 1e-6, "{warm} {cold}");
        // A finger over an end.
        for y in 40..80 {
            for x in 0..30 {
                pixels.put_pixel(x, y, image::Rgb([150, 110, 90]));
            }
        }
        let mut covered = card(&pixels, [180.0; 3]);
        covered.shared = 0.4;
        assert_eq!(context_of(&covered), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.4]);
        covered.in_place = Some(InPlace { misplaced: 0.2, values: [0.0; VALUE_LOGITS] });
        assert_eq!(context_of(&covered), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.2, 1.0, 0.0, 0.4]);
    }

    #[test]
    fn a_closer_look_is_asked_for_where_a_property_is_in_doubt() {
        let said = InPlace { misplaced: 0.1, values: [0.5; VALUE_LOGITS] };
        let card = |in_place| CardImage {
            pixels: RgbImage::new(CARD_LONG_PX, CARD_SHORT_PX),
            white_in_image: [180.0; 3],
            light_cast: 0.0,
            long_side_in_image_px: USUAL_LONG_SIDE_PX,
            in_place,
            shared: 0.0,
        };
        let finders = InPlace { misplaced: 0.3, ..said };
        let cards = [card(None), card(None), card(Some(finders))];
        let mut doubted = logits("1fgo", 9.0);
        // Two colours nearly alike.
        (doubted[6], doubted[7]) = (9.0, 8.0);
        let closer = |which: &[usize]| {
            assert_eq!(which, [1], "neither the clear one nor that which was looked at");
            Ok(vec![Some(said)])
        };
        let logits = [logits("1fgo", 9.0), doubted, doubted];
        let looks = looks_in_place(&cards, &logits, &closer).unwrap();
        assert_eq!(looks, [None, Some(said), Some(finders)]);
        let seen = circumstances_of(&cards, &logits, &looks);
        assert_eq!(seen.iter().map(|one| one.in_place[0]).collect::<Vec<_>>(), [0.0, 0.5, 0.5]);
        assert_eq!(seen.iter().map(|one| one.context[7]).collect::<Vec<_>>(), [0.0, 1.0, 1.0]);
    }

    #[test]
    fn a_look_in_place_counts_where_there_was_one() {
        let mut joint = joint(1.0, 1.0);
        joint.properties[0].in_place[7] = 1.0;
        let (own, net) = (reading("1spd", 0.7), logits("1spd", 0.5));
        let mut looked = USUAL;
        looked.in_place[2] = 6.0;
        // Without the circumstance its weight is none.
        assert_eq!(joint.join(&own, &net, &looked).best().0.to_string(), "1spd");
        looked.context[7] = 1.0;
        assert_eq!(joint.join(&own, &net, &looked).best().0.to_string(), "3spd");
    }

    #[test]
    fn a_table_tells_colours_alone() {
        let mut joint = joint(1.0, 1.0);
        joint.color_of_table[0] = 1.0;
        let seen = Circumstances { color: [0.0, -4.0, 0.0], ..USUAL };
        let (own, net) = (reading("2spd", 0.6), logits("2spd", 0.5));
        let (plain, told) = (joint.join(&own, &net, &USUAL), joint.join(&own, &net, &seen));
        assert_eq!(plain.best().0.to_string(), "2spd");
        assert!(told.values[2][1] < 0.1, "{told:?}");
        for p in [0, 1, 3] {
            assert_eq!(plain.values[p], told.values[p]);
        }
    }

    #[test]
    fn stripes_may_be_lost_where_white_is_clipped() {
        let joint = Joint { stripes_lost: 0.1, ..joint(1.0, 1.0) };
        let (own, net) = (reading("1ogd", 0.9), logits("1ogd", 9.0));
        let without_stripes = Circumstances { stripes_lost: 90.0, ..USUAL };
        assert_eq!(joint.join(&own, &net, &without_stripes), joint.join(&own, &net, &USUAL));
        let mut clipped = without_stripes;
        clipped.context[3] = 1.0;
        let [filled, open, striped] = joint.join(&own, &net, &clipped).values[1];
        assert!(filled < 0.01 && open < 0.6 && striped > 0.4, "{open} {striped}");
        // One striped card on the table.
        let beside = Circumstances { stripes_lost: 0.0, ..clipped };
        assert!(joint.join(&own, &net, &beside).values[1][1] > 0.99);
    }

    #[test]
    fn certainty_stays_finite() {
        for p in [0.0, 1.0, f32::MIN_POSITIVE] {
            assert!(log_odds(p).is_finite() && log_of(p).is_finite());
        }
        let reading = joint(1.0, 1.0).join(&reading("1fgd", 1.0), &logits("3sps", 800.0), &USUAL);
        assert!(reading.values.iter().flatten().all(|p| p.is_finite()), "{reading:?}");
    }
}
