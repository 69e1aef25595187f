//! The default reader, a cascade: on every card the reader network, and on photos a larger one that knows bad
//! light; in doubt, the refiner on a context crop; still in doubt, the refiner with test-time augmentation, and
//! the classical features.
//!
//! The outputs for a property, logits or log probabilities, are weighted and summed.
//! `setsight train fuse` fits the weights.

use super::classical::ClassicalReader;
use super::fusion::{CLASSIFIERS, EvidenceWeights};
use super::neural::{NetworkOutput, NeuralReader};
use super::reader::{Cards, FirstLook, Reader};
use crate::card::{CardImage, CardOutline, Reading};
use crate::classify::screens::{self, Screens};
use crate::finder_and_reader::Step;
use crate::probability::{logistic, softmax};
use crate::refiner::{self, Answer, RefinerNetwork};
use crate::table::alike::Likeness;
use crate::table::company::{self, Company, Place};
use crate::table::{DeckFacts, TableFacts};
use setsight_game::cards::Edition;
use setsight_nets::engine::NetworkError;
use setsight_nets::reader;
use setsight_photo::geometry::Quad;
use std::sync::Arc;

/// The outputs of all classifiers for one card.
#[derive(Clone, Debug)]
pub struct ClassifierOutputs {
    /// The reader network's logits for the values of the table's edition, see
    /// [`reader::of_edition`].
    pub values: [f32; 3 * reader::PROPERTIES],
    /// The reader network's log odds that this is a card.
    pub card: f32,
    /// The second reader's logits for the values of the table's edition; `None` on a drawing, and if there is no
    /// second reader.
    pub second: Option<[f32; 3 * reader::PROPERTIES]>,
    /// The card's place among prints, if the second reader gives it.
    pub place: Option<Place>,
    /// Outputs of the other classifiers, if the reader network leaves a doubt.
    pub escalation: Option<Escalation>,
}

/// The outputs for a card in doubt.
#[derive(Clone, Debug)]
pub struct Escalation {
    /// The refiner's answer on the context crop; `None` if there is no crop or no refiner.
    pub context: Option<Answer>,
    /// The reading of the classical features; `None` if the context crop left no doubt.
    pub features: Option<Reading>,
}

/// The reader that runs the cascade.
pub(crate) struct FusedReader {
    network: NeuralReader,
    refiner: Option<Arc<dyn RefinerNetwork>>,
    /// The larger network, which knows bad light.
    pub second: Option<NeuralReader>,
    /// Weights of the evidence from a photo's other cards.
    pub company: Option<Company>,
    evidence: EvidenceWeights,
    /// The reader of copies of screens; without it they are read as photos are.
    pub screens: Option<Screens>,
    /// Steps that are left out.
    pub without: Vec<Step>,
}

impl FusedReader {
    /// From the networks and the weights.
    pub(crate) fn new(
        network: NeuralReader,
        refiner: Option<Arc<dyn RefinerNetwork>>,
        evidence: EvidenceWeights,
    ) -> Self {
        let without = Vec::new();
        Self { network, refiner, second: None, company: None, evidence, screens: None, without }
    }
}

impl Reader for FusedReader {
    fn table_facts(
        &self,
        cards: &Cards,
        before: TableFacts,
    ) -> Result<(FirstLook, TableFacts), NetworkError> {
        let screens = self.screens.as_ref();
        let screens = screens.filter(|s| screens::is_screen(cards, &s.weights, before.on_screen));
        let (network, evidence) = match screens {
            Some(screens) => (&screens.network, &screens.evidence),
            None => (&self.network, &self.evidence),
        };
        let NetworkOutput { logits, embeddings } = network.outputs(&cards.images)?;
        let measured = screens.and_then(|screens| screens.likeness.as_ref());
        let likeness = match measured.zip(self.second.as_ref()) {
            Some((measured, second)) => {
                let second = second.outputs(&cards.images)?.embeddings;
                Likeness::new(&embeddings, &second, measured)
            }
            None => None,
        };
        let facts = TableFacts { on_screen: screens.is_some(), ..before }.after_cards(&logits);
        // As if every card was clear: so the network's own certainty is weighed as the table's is.
        let outputs = outputs_of(&logits, facts.named_edition().0).into_iter();
        let outputs = outputs.zip(&*cards.outlines);
        let readings = outputs.map(|(outputs, outline)| evidence.reading(&outputs, outline));
        Ok((FirstLook { readings: readings.collect(), logits, likeness }, facts))
    }

    fn card_readings(
        &self,
        cards: &Cards,
        look: FirstLook,
        facts: &TableFacts,
    ) -> Result<Vec<Reading>, NetworkError> {
        let on_screen = self.screens.as_ref().filter(|_| facts.on_screen);
        let evidence = on_screen.map_or(&self.evidence, |screens| &screens.evidence);
        let (edition, _) = facts.named_edition();
        let networks = FurtherNetworks {
            refiner: self.refiner.as_deref(),
            second: self.second.as_ref(),
            without: &self.without,
        };
        let outputs = ask(cards, &look.logits, networks, edition, on_screen.is_some())?;
        // On photos in bad light the reader doubts its deck's own cards: one right card of a
        // hundred would be lost.
        let weighs_deck = on_screen.is_some() && matches!(facts.deck, DeckFacts::Among(_));
        let all = outputs.iter().zip(&*cards.outlines).zip(&look.logits);
        let readings = all.map(|((outputs, outline), logits)| {
            let reading = evidence.reading(outputs, outline);
            if weighs_deck { reading.if_of_deck(of_deck(logits, edition)) } else { reading }
        });
        let mut readings: Vec<Reading> = readings.collect();
        let places = outputs.iter().map(|outputs| outputs.place).collect::<Option<Vec<_>>>();
        let company = self.company.as_ref().filter(|_| !self.without.contains(&Step::Company));
        if let Some((company, places)) = company.zip(places) {
            company.join(&mut readings, &places);
        }
        Ok(readings)
    }
}

/// Probability that a card is one of the deck of this edition rather than of one that is not known.
fn of_deck(logits: &[f32; reader::OUTPUTS], edition: Edition) -> f32 {
    /// Training smooths its targets, which keeps logits together.
    const SHARPNESS: f32 = 2.0;
    logistic(SHARPNESS * (edition_logit(edition, logits) - edition_logit(Edition::Unknown, logits)))
}

fn edition_logit(edition: Edition, logits: &[f32; reader::OUTPUTS]) -> f32 {
    logits[reader::EDITION + edition.index()]
}

/// The networks that are asked after the reader network.
#[derive(Clone, Copy, Default)]
pub struct FurtherNetworks<'a> {
    /// Is asked about a card in doubt, on its context crop.
    pub refiner: Option<&'a dyn RefinerNetwork>,
    /// Is asked about every card of a photo.
    pub second: Option<&'a NeuralReader>,
    /// Steps that are left out.
    pub without: &'a [Step],
}

/// Runs the other classifiers, given the reader network's logits of each card and the edition whose values count:
/// the second reader on every card, the others on cards in doubt. Only this function decides which are in doubt.
///
/// A card is in doubt if the reader network's two likeliest values of a property are within [`LEAST_LEAD`] of each
/// other, if the second reader names another card, or if other outlines share part of it, because that part may
/// show another card. It is still in doubt if the refiner's values are that close, if the refiner names another
/// card, or if the outline may be off.
///
/// # Errors
/// A network does not run.
pub fn ask(
    cards: &Cards,
    logits: &[[f32; reader::OUTPUTS]],
    networks: FurtherNetworks,
    edition: Edition,
    is_drawn: bool,
) -> Result<Vec<ClassifierOutputs>, NetworkError> {
    let with = |step| !networks.without.contains(&step);
    let mut outputs = outputs_of(logits, edition);
    if let Some(network) = networks.second.filter(|_| !is_drawn && with(Step::Second)) {
        let NetworkOutput { logits, embeddings } = network.outputs(&cards.images)?;
        for (outputs, (logits, embedding)) in outputs.iter_mut().zip(logits.iter().zip(embeddings))
        {
            outputs.second = Some(reader::of_edition(logits, edition));
            outputs.place = company::place(&embedding);
        }
    }
    // The refiner was trained on the classic edition alone, and takes a rectangle for an oval.
    let refiner = networks.refiner.filter(|_| edition == Edition::Classic && with(Step::Context));
    let doubtful: Vec<usize> = (0..outputs.len())
        .filter(|&i| outputs[i].is_doubtful() || cards.outlines[i].shared > LEAST_SHARED)
        .collect();
    let places = |which: &[usize]| -> Vec<Quad> {
        which.iter().map(|&i| cards.outlines[i].corners_in_image).collect()
    };
    let contexts = match refiner {
        Some(network) => refiner::classify(&cards.frame, &places(&doubtful), network)?,
        None => vec![None; doubtful.len()],
    };
    for (&i, context) in doubtful.iter().zip(contexts) {
        outputs[i].escalation = Some(Escalation { context, features: None });
    }
    // What follows costs as much again for each card, so that it is asked where one crop leaves a doubt.
    let still: Vec<usize> = doubtful.into_iter().filter(|&i| outputs[i].stays_in_doubt()).collect();
    if let Some(network) = refiner.filter(|_| with(Step::Augmented)) {
        let answers: Vec<_> = still.iter().map(|&i| outputs[i].context()).collect();
        let augmented = refiner::augmented(&cards.frame, &places(&still), &answers, network)?;
        for (&i, context) in still.iter().zip(augmented) {
            outputs[i].escalation = Some(Escalation { context, features: None });
        }
    }
    if with(Step::Features) {
        let readings = classical_readings_with_neighbours(&still, &cards.images, edition);
        for (&i, reading) in still.iter().zip(readings) {
            let context = outputs[i].context();
            outputs[i].escalation = Some(Escalation { context, features: Some(reading) });
        }
    }
    Ok(outputs)
}

impl ClassifierOutputs {
    /// The refiner's answer, if it was asked and has one.
    fn context(&self) -> Option<Answer> {
        self.escalation.as_ref()?.context
    }

    /// Whether the reader network's two likeliest values of a property are close, or the second reader disagrees.
    fn is_doubtful(&self) -> bool {
        least_lead(&self.values) < LEAST_LEAD
            || self.second.is_some_and(|second| likeliest(&second) != likeliest(&self.values))
    }

    /// Whether the refiner has not settled the doubt about a card.
    fn stays_in_doubt(&self) -> bool {
        self.context().is_none_or(|context| {
            context.right < LEAST_LEAD
                || least_lead(&context.values) < LEAST_LEAD
                || likeliest(&context.values) != likeliest(&self.values)
        })
    }
}

/// The outputs of the reader network alone for each card.
fn outputs_of(logits: &[[f32; reader::OUTPUTS]], edition: Edition) -> Vec<ClassifierOutputs> {
    let outputs = logits.iter().map(|logits| ClassifierOutputs {
        values: reader::of_edition(logits, edition),
        card: logits[reader::CARD],
        second: None,
        place: None,
        escalation: None,
    });
    outputs.collect()
}

/// Log odds (natural logarithm) from which a network leaves no doubt: about fifty to one.
pub(crate) const LEAST_LEAD: f32 = 4.0;
/// Shared part of an outline, 0 to 1, from which it counts as covered; smaller overlaps are errors
/// of the outlines.
const LEAST_SHARED: f32 = 0.02;

/// Index of the likeliest value of each property.
fn likeliest(values: &[f32]) -> Vec<usize> {
    values
        .chunks_exact(3)
        .filter_map(|three| (0..3).max_by(|&a, &b| three[a].total_cmp(&three[b])))
        .collect()
}

/// Readings of the classical features for the cards with these indices. They are judged together with as many other
/// cards as the estimate of the table's colours needs.
fn classical_readings_with_neighbours(
    indices: &[usize],
    images: &[CardImage],
    edition: Edition,
) -> Vec<Reading> {
    /// It takes about two cards of each colour to distinguish three.
    const LEAST_CARDS: usize = 6;
    if indices.is_empty() {
        return Vec::new();
    }
    let neighbours = (0..images.len()).filter(|i| !indices.contains(i));
    let neighbours = neighbours.take(LEAST_CARDS.saturating_sub(indices.len()));
    let cards: Vec<&CardImage> =
        indices.iter().copied().chain(neighbours).map(|i| &images[i]).collect();
    let mut readings = ClassicalReader.readings(&cards, edition);
    readings.truncate(indices.len());
    readings
}

/// The smallest lead in any property: the logit of its likeliest value minus the next one's.
/// `values` holds three logits for each property.
pub fn least_lead(values: &[f32]) -> f32 {
    let leads = values.chunks_exact(3).map(|three| {
        let mut sorted = [three[0], three[1], three[2]];
        sorted.sort_by(f32::total_cmp);
        sorted[2] - sorted[1]
    });
    leads.fold(f32::MAX, f32::min)
}

impl EvidenceWeights {
    /// Combines the outputs for a card into one reading.
    pub fn reading(&self, outputs: &ClassifierOutputs, outline: &CardOutline) -> Reading {
        let values = std::array::from_fn(|p| {
            let weights = &self.properties[p];
            let by_classifier = match outputs.escalation.as_ref().map(|e| (e.context, &e.features))
            {
                None => &weights.clear,
                Some((Some(_), None)) => &weights.context,
                Some((Some(_), Some(_))) => &weights.doubtful,
                Some((None, _)) => &weights.without_context,
            };
            let by_classifier = by_classifier.in_order();
            softmax(
                property_outputs(outputs, p)
                    .map(|outputs| by_classifier.iter().zip(outputs).map(|(w, o)| w * o).sum()),
            )
        });
        let features = CardFeatures::new(outputs, outline).in_order();
        let log_odds: f32 = self.card.in_order().iter().zip(features).map(|(w, f)| w * f).sum();
        Reading { values, is_card: logistic(log_odds) }
    }
}

/// For each value of a property, the outputs of the reader network, the refiner, the features and the second
/// reader, in the order of [`super::fusion::ClassifierWeights::in_order`]: logits, but for the features, which have log
/// probabilities. 0 where a classifier did not run; for a second reader that did not the reader network stands.
pub fn property_outputs(outputs: &ClassifierOutputs, property: usize) -> [[f32; CLASSIFIERS]; 3] {
    /// No feature rules a value out completely: lower bound of the natural logarithm.
    const LEAST_LOG: f32 = -12.0;
    let escalation = outputs.escalation.as_ref();
    let context = outputs.context();
    let features = escalation.and_then(|e| e.features.as_ref());
    let second = outputs.second.unwrap_or(outputs.values);
    std::array::from_fn(|v| {
        let at = 3 * property + v;
        [
            outputs.values[at],
            context.map_or(0.0, |context| context.values[at]),
            features.map_or(0.0, |features| features.values[property][v].ln().max(LEAST_LOG)),
            second[at],
        ]
    })
}

/// The evidence that the outline is a card; see [`super::fusion::CardWeights`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CardFeatures {
    /// The reader network's log odds.
    pub reader: f32,
    /// The outline's log odds.
    pub score: f32,
    /// 1 if there was a context crop, else 0, as are those below.
    pub context: f32,
    /// The refiner's log odds that the outline is right.
    pub right: f32,
    /// The least lead of the refiner's logits.
    pub lead: f32,
    /// The part of the outline that other outlines share.
    pub shared: f32,
}

impl CardFeatures {
    /// The evidence for one card, within bounds.
    pub fn new(outputs: &ClassifierOutputs, outline: &CardOutline) -> Self {
        let context = outputs.context();
        Self {
            reader: outputs.card.clamp(-12.0, 12.0),
            score: outline.score.clamp(-8.0, 8.0) as f32,
            context: f32::from(u8::from(context.is_some())),
            right: context.map_or(0.0, |context| context.right.clamp(-8.0, 8.0)),
            lead: context.map_or(0.0, |context| least_lead(&context.values).clamp(0.0, 8.0)),
            shared: context.map_or(0.0, |_| outline.shared),
        }
    }

    /// After 1 for the constant term, in the order of [`super::fusion::CardWeights::in_order`].
    pub fn in_order(&self) -> [f32; 7] {
        let Self { reader, score, context, right, lead, shared } = *self;
        [1.0, reader, score, context, right, lead, shared]
    }
}

#[cfg(test)]
mod tests {
    use super::super::fusion::{CardWeights, ClassifierWeights, PropertyWeights};
    use super::super::neural::CardNetwork;
    use super::*;
    use crate::board::Calibration;
    use crate::card::{CARD_LONG_PX, CARD_SHORT_PX};
    use image::{Rgb, RgbImage};
    use setsight_game::cards::{Card, Property};
    use setsight_nets::refiner::{OUTPUTS, VALUES};
    use std::borrow::Cow;

    fn evidence() -> EvidenceWeights {
        let all = ClassifierWeights { reader: 1.0, refiner: 1.0, features: 1.0, second: 0.0 };
        let without = ClassifierWeights { refiner: 0.0, ..all };
        let context = ClassifierWeights { features: 0.0, ..all };
        let weights = PropertyWeights {
            clear: ClassifierWeights { reader: 1.0, ..ClassifierWeights::default() },
            context,
            doubtful: all,
            without_context: without,
        };
        let card = CardWeights { reader: 1.0, right: 1.0, ..CardWeights::default() };
        EvidenceWeights { properties: [weights; 4], card, board: Calibration::default() }
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

    fn says(code: &str, strength: f32, right: f32) -> Answer {
        let values = std::array::from_fn(|i| logits(code, strength)[i]);
        Answer { right, values, corrected: None }
    }

    fn measured(code: &str, certainty: f32) -> Reading {
        let card: Card = code.parse().unwrap();
        let values = Property::ALL.map(|property| {
            let mut triple = [(1.0 - certainty) / 2.0; 3];
            triple[card.value(property)] = certainty;
            triple
        });
        Reading { values, is_card: certainty }
    }

    fn read(logits: [f32; reader::OUTPUTS], escalation: Option<Escalation>) -> Reading {
        let outline = CardOutline::at(Quad::rectangle(90.0, 60.0));
        let values = reader::of_edition(&logits, Edition::Classic);
        evidence().reading(
            &ClassifierOutputs {
                values,
                card: logits[reader::CARD],
                second: None,
                place: None,
                escalation,
            },
            &outline,
        )
    }

    #[test]
    fn a_clear_card_is_read_by_the_network_alone() {
        let reading = read(logits("2spd", 9.0), None);
        assert_eq!(reading.best().0.to_string(), "2spd");
        assert!(reading.best().1 > 0.99 && reading.is_card > 0.99);
    }

    #[test]
    fn in_doubt_the_classifiers_agree_or_dispute() {
        let ask = |context, features| Some(Escalation { context, features: Some(features) });
        let alone = read(logits("2spd", 2.0), ask(None, Reading::UNKNOWN));
        let agreed = says("2spd", 2.0, 3.0);
        let agreed = read(logits("2spd", 2.0), ask(Some(agreed), measured("2spd", 0.8)));
        assert!(agreed.best().1 > alone.best().1 && agreed.is_card > alone.is_card);
        let other = says("2srd", 2.0, -3.0);
        let disputed = read(logits("2spd", 2.0), ask(Some(other), Reading::UNKNOWN));
        assert!(disputed.values[2].iter().all(|p| *p < 0.6) && disputed.is_card < alone.is_card);
        let settled = read(logits("2spd", 2.0), ask(Some(other), measured("2srd", 0.9)));
        assert_eq!(settled.best().0.to_string(), "2srd");
    }

    #[test]
    fn certainty_stays_finite() {
        let features = Some(measured("1fgd", 1.0));
        let context = Some(says("3sps", 900.0, -900.0));
        let reading = read(logits("3sps", 800.0), Some(Escalation { context, features }));
        assert!(reading.values.iter().flatten().chain([&reading.is_card]).all(|p| p.is_finite()));
    }

    /// Hesitates between red and purple on a dark card, and is certain of all others.
    struct Doubting;
    impl CardNetwork for Doubting {
        fn logits(&self, input: Vec<f32>, cards: usize) -> Result<Vec<f32>, NetworkError> {
            let logits = input.chunks(input.len() / cards).flat_map(|card| {
                let mut logits = logits("1fro", 9.0);
                if card[0] < 0.5 {
                    logits[7] = 8.0;
                }
                logits
            });
            Ok(logits.collect())
        }
    }

    /// Always gives the same output, and records the size of each batch.
    struct Counting(std::sync::Mutex<Vec<usize>>);
    impl RefinerNetwork for Counting {
        fn answers(&self, _: Vec<f32>, outlines: usize) -> Result<Vec<f32>, NetworkError> {
            self.0.lock().unwrap().push(outlines);
            let mut answer = [0.0; OUTPUTS];
            answer[VALUES] = 5.0;
            Ok(answer.repeat(outlines))
        }
    }

    fn cards_of<'a>(
        frame: &'a RgbImage,
        outlines: &'a [CardOutline],
        images: Vec<CardImage>,
    ) -> Cards<'a> {
        Cards { frame: Cow::Borrowed(frame), outlines: Cow::Borrowed(outlines), images }
    }

    /// A card of one grey level on stock of this white.
    fn card_image(level: u8, white: f32) -> CardImage {
        CardImage {
            pixels: RgbImage::from_pixel(CARD_LONG_PX, CARD_SHORT_PX, Rgb([level; 3])),
            white_in_image: [white; 3],
            light_cast: 0.0,
            long_side_in_image_px: 90.0,
        }
    }

    #[test]
    fn only_what_is_in_doubt_is_asked_about_and_all_of_it_at_once() {
        let image = |level| card_image(level, 180.0);
        let frame = RgbImage::new(400, 300);
        let outlines = [outline_sharing(0.0), outline_sharing(0.0), outline_sharing(0.4)];
        let images = [image(220), image(20), image(220)];
        let cards = cards_of(&frame, &outlines, images.to_vec());
        let counting = Counting(Default::default());
        let network = NeuralReader::with_network(Box::new(Doubting));
        let logits = network.logits(&cards.images).unwrap();
        let refiner = FurtherNetworks { refiner: Some(&counting), ..FurtherNetworks::default() };
        let outputs = ask(&cards, &logits, refiner, Edition::Classic, false).unwrap();
        let escalated: Vec<bool> =
            outputs.iter().map(|outputs| outputs.escalation.is_some()).collect();
        assert_eq!(escalated, [false, true, true], "the doubtful one and the covered one");
        // One crop for each; both are still in doubt, so test-time augmentation runs the turned crop
        // of each.
        assert_eq!(*counting.0.lock().unwrap(), [2, 2]);
        assert!(
            outputs.iter().flat_map(|outputs| &outputs.escalation).all(|e| e.features.is_some())
        );
        let without =
            ask(&cards, &logits, FurtherNetworks::default(), Edition::Classic, false).unwrap();
        assert!(without[1].escalation.as_ref().is_some_and(|e| e.context.is_none()));
    }

    fn outline_sharing(shared: f32) -> CardOutline {
        CardOutline { shared, ..CardOutline::at(Quad::rectangle(90.0, 60.0)) }
    }

    #[test]
    fn the_second_reader_is_asked_about_every_card_but_drawings_and_raises_doubts() {
        let frame = RgbImage::new(400, 300);
        let outlines = [CardOutline::at(Quad::rectangle(90.0, 60.0))];
        let cards = cards_of(&frame, &outlines, vec![card_image(220, 180.0)]);
        let sure = NeuralReader::with_network(Box::new(Always("1fro")));
        let logits = sure.logits(&cards.images).unwrap();
        let asked = |second: &'static str, is_drawn| {
            let second = NeuralReader::with_network(Box::new(Always(second)));
            let networks = FurtherNetworks { second: Some(&second), ..FurtherNetworks::default() };
            let outputs =
                ask(&cards, &logits, networks, Edition::Classic, is_drawn).unwrap().remove(0);
            (outputs.second.is_some(), outputs.escalation.is_some())
        };
        assert_eq!(asked("1fro", false), (true, false));
        assert_eq!(asked("1fpo", false), (true, true), "it names another card");
        assert_eq!(asked("1fpo", true), (false, false));
    }

    /// Gives every card these logits.
    struct Always(&'static str);
    impl CardNetwork for Always {
        fn logits(&self, _: Vec<f32>, cards: usize) -> Result<Vec<f32>, NetworkError> {
            Ok(logits(self.0, 12.0).repeat(cards))
        }
    }

    #[test]
    fn copies_of_screens_have_a_network_of_their_own() {
        let mut reader = FusedReader::new(always("1oro"), None, evidence());
        // Taken for a screen where all whites are the same.
        let weights = [4.0, 0.0, -9.0, 0.0, 0.0];
        reader.screens = Some(Screens {
            network: always("3fps"),
            evidence: evidence(),
            weights,
            likeness: None,
        });
        let frame = RgbImage::new(400, 300);
        let outlines = [0.0; 3].map(|_| CardOutline::at(Quad::rectangle(90.0, 60.0)));
        let read = |whites: [f32; 3]| {
            let images = whites.map(|white| card_image(220, white));
            let cards = cards_of(&frame, &outlines, images.to_vec());
            let (look, facts) = reader.table_facts(&cards, TableFacts::default()).unwrap();
            let readings = reader.card_readings(&cards, look, &facts).unwrap();
            (readings[0].best().0.to_string(), facts.on_screen)
        };
        assert_eq!(read([230.0; 3]), ("3fps".to_owned(), true));
        assert_eq!(read([230.0, 180.0, 205.0]), ("1oro".to_owned(), false));
    }

    fn always(code: &'static str) -> NeuralReader {
        NeuralReader::with_network(Box::new(Always(code)))
    }

    #[test]
    fn a_few_are_measured_with_their_neighbours() {
        let image = card_image(220, 180.0);
        assert_eq!(
            classical_readings_with_neighbours(&[3, 1], &vec![image; 30], Edition::Classic).len(),
            2
        );
    }
}
