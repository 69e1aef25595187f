//! Composes the stages.
//!
//! What is decided from a first result, and makes a stage begin anew, is decided in three places and nowhere else:
//! the photo's scale in [`Pipeline::read_scaled`], once its cards are found; whether it is a drawing in
//! [`TableFacts::estimate`], before the cards are read; whether it is a close-up in [`Pipeline::read_found`].

use super::board::{self, Board, BoardCard, Duplicates};
use super::card::{CardImage, CardOutline, ReadCard, Reading};
use super::classify::classical::ClassicalReader;
use super::classify::reader::{Cards, Reader};
use super::find::{self, CardFinder, FindError};
use super::finder_and_reader::{FinderError, Step};
use super::probability::median;
use super::table::alike::{self, Class, Likeness, Measured};
use super::table::{AssessedTable, Colors, DeckFacts, TableFacts};
use super::table_reading::TableReading;
use super::trace::Trace;
use super::{copies, layout, stage_pictures};
use setsight_game::cards::Property;
use setsight_nets::engine::NetworkError;
use setsight_photo::{Frame, geometry::Quad, source::Photo};
use std::borrow::Cow;
use std::{error::Error, io};

/// Why a frame could not be read. A frame without cards is not an error.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// OpenCV, which the classical finder uses, failed, for instance for lack of memory.
    #[error("the cards cannot be looked for: {0}")]
    OpenCv(Box<dyn Error + Send + Sync>),
    /// A network was loaded but does not run.
    #[error("the cards cannot be read: {0}")]
    Network(#[from] NetworkError),
    /// A stage's picture could not be written.
    #[error("a stage's picture cannot be written: {0}")]
    Picture(#[from] io::Error),
}

impl From<FindError> for PipelineError {
    fn from(error: FindError) -> Self {
        match error {
            FindError::OpenCv(error) => Self::OpenCv(error),
            FindError::Network(error) => Self::Network(error),
            FindError::Picture(error) => Self::Picture(error),
        }
    }
}

/// The result of reading a frame, and what each of its cards was read from.
#[derive(Clone, Debug, Default)]
pub struct PipelineOutput {
    /// The result.
    pub table: TableReading,
    /// The reading of each card of `table`, before the board weighed the others.
    pub readings: Vec<Reading>,
    /// The straightened picture of each card of `table`.
    pub images: Vec<CardImage>,
    /// How the cards were looked for.
    pub look: Look,
}

/// How the cards of a frame were looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Look {
    /// Whether the frame was read as one card that fills it.
    pub is_close_up: bool,
    /// Long side of the median outline, card or not, in pixels; `None` if there was none.
    pub place_px: Option<f64>,
}

/// The stages and their parameters.
pub struct Pipeline {
    /// Detects the cards.
    pub finder: Box<dyn CardFinder>,
    /// Classifies the cards.
    pub reader: Box<dyn Reader>,
    /// Parameters for assigning names to cards.
    pub board: board::Params,
    /// The prior for a table's facts.
    pub facts: TableFacts,
    /// Steps that are left out.
    pub without: Vec<Step>,
}

impl Pipeline {
    /// The stages with their default parameters, without any network.
    ///
    /// # Errors
    /// This build has no OpenCV.
    pub fn classical() -> Result<Self, FinderError> {
        Ok(Self::new(crate::find::classical()?, Box::new(ClassicalReader)))
    }

    /// The stages with their default parameters and the given finder and reader.
    pub(crate) fn new(finder: Box<dyn CardFinder>, reader: Box<dyn Reader>) -> Self {
        let (board, facts) = (board::Params::default(), TableFacts::default());
        Self { finder, reader, board, facts, without: Vec::new() }
    }

    /// Reads a frame. `trace` receives each stage's time and picture. Of the time for drawing
    /// pictures, only that of the finder's own pictures is counted.
    ///
    /// # Errors
    /// See [`PipelineError`].
    pub fn read(
        &self,
        frame: &Frame,
        trace: &mut Trace<'_>,
    ) -> Result<PipelineOutput, PipelineError> {
        let outlines = self.find(frame, trace)?;
        self.read_found(frame, &outlines, trace)
    }

    /// Reads a photo at the scale that its cards need: where they have too few pixels, it is decoded larger, and the
    /// cards are found anew. Gives the photo at that scale, in whose pixels the result is.
    ///
    /// # Errors
    /// See [`PipelineError`].
    pub fn read_scaled<'a>(
        &self,
        mut photo: Cow<'a, Photo>,
        trace: &mut Trace<'_>,
    ) -> Result<(Cow<'a, Photo>, PipelineOutput), PipelineError> {
        let mut outlines = self.find(&photo.frame, trace)?;
        while photo.file.is_some()
            && are_small(&outlines)
            && let Some(larger) = trace.stage("load", |_| photo.decode_larger())
        {
            photo = Cow::Owned(larger);
            outlines = self.find(&photo.frame, trace)?;
        }
        let output = self.read_found(&photo.frame, &outlines, trace)?;
        Ok((photo, output))
    }

    fn find(
        &self,
        frame: &Frame,
        trace: &mut Trace<'_>,
    ) -> Result<Vec<CardOutline>, PipelineError> {
        trace.picture("load", || frame.clone())?;
        Ok(trace.stage("segment", |trace| self.finder.find(frame, trace))?)
    }

    /// Reads the cards at the finder's outlines. Where none is sure, the picture may be a close-up of one card,
    /// whose parts look like a few: it is read as that, too.
    fn read_found(
        &self,
        frame: &Frame,
        outlines: &[CardOutline],
        trace: &mut Trace<'_>,
    ) -> Result<PipelineOutput, PipelineError> {
        const MOST_PARTS: usize = 4;
        trace.picture("segment", || stage_pictures::outlines(frame, outlines))?;
        let mut found = None;
        if !outlines.is_empty() {
            let output = self.read_outlines(frame, outlines, false, trace)?;
            let cards = &output.table.cards;
            if cards.len() > MOST_PARTS || cards.iter().any(|card| !card.unsure) {
                return Ok(output);
            }
            found = Some(output);
        }
        let near = self.read_outlines(frame, &close_up(frame), true, trace)?;
        Ok(found.filter(|_| near.table.cards.is_empty()).unwrap_or(near))
    }

    /// Reads the cards at some outlines and assigns their names. Those of a close-up are a guess: unclear readings
    /// are dropped.
    fn read_outlines(
        &self,
        frame: &Frame,
        outlines: &[CardOutline],
        is_close_up: bool,
        trace: &mut Trace<'_>,
    ) -> Result<PipelineOutput, PipelineError> {
        let mut before = self.facts.clone();
        if is_close_up && before.mirror_is_settled().is_none() {
            // One card is little evidence of a mirror, and a large photo would be turned for it.
            before = before.with_mirrored(false);
        }
        let read = self.read_cards(frame, outlines, before, trace)?;
        let CardsRead { readings, images, facts, classes, on_board } = read;
        let (_, is_deck) = facts.named_edition();
        let mut params = self.board.of_table(&facts);
        if find::is_long(frame.dimensions()) {
            // It shows several boards, each with cards of its own game.
            params.duplicates = Duplicates::Allowed;
        }
        let board = trace.stage("board", |_| Board::assign(outlines, &readings, is_deck, &params));
        let mut cards = reading_order(&board, outlines);
        // Non-cards are no evidence of the table's facts.
        cards.retain(|card| {
            let i = card.outline;
            let is_vague = || !on_board[i] && is_vague(&outlines[i], &readings[i]);
            !(card.unsure && (is_close_up || is_vague()))
        });
        let facts = if cards.is_empty() && is_close_up { self.facts.clone() } else { facts };
        let read_cards = cards.iter().map(|card| ReadCard {
            alternatives: card.alternatives.clone(),
            ..ReadCard::new(
                outlines[card.outline].corners_in_image,
                card.card,
                card.confidence,
                card.unsure,
            )
        });
        let read_cards = read_cards.collect();
        let kept = || cards.iter().map(|card| card.outline);
        let classes = classes.map_or_else(Vec::new, |classes| kept().map(|i| classes[i]).collect());
        let size_px = frame.dimensions();
        let table =
            trace.stage("sets", |_| TableReading::with_classes(read_cards, classes, size_px));
        trace.picture("board", || stage_pictures::board(frame, &table))?;

        let sides = outlines.iter().map(|outline| outline.corners_in_image.long_side());
        let place_px = (!is_close_up).then(|| median(sides));
        Ok(PipelineOutput {
            table: TableReading { facts, ..table },
            readings: kept().map(|i| readings[i].clone()).collect(),
            images: kept().map(|i| images[i].clone()).collect(),
            look: Look { is_close_up, place_px },
        })
    }
}

/// The readings at some outlines.
#[derive(Clone, Debug)]
pub struct CardsRead {
    /// The reading of each card, before the board weighs the others.
    pub readings: Vec<Reading>,
    /// The straightened picture of each card, as the photo shows it.
    pub images: Vec<CardImage>,
    /// The table's facts, given these cards.
    pub facts: TableFacts,
    /// Which cards are alike, where that is clear.
    pub classes: Option<Vec<Option<Class>>>,
    /// Whether each lies on a drawn board whose prints show that it is one, whatever the deck.
    pub on_board: Vec<bool>,
}

impl Pipeline {
    /// Reads the cards at some outlines of a frame whose facts are known in advance. Every reading goes through
    /// this.
    ///
    /// # Errors
    /// See [`PipelineError`].
    pub fn read_cards(
        &self,
        frame: &Frame,
        outlines: &[CardOutline],
        before: TableFacts,
        trace: &mut Trace<'_>,
    ) -> Result<CardsRead, PipelineError> {
        let reader = &*self.reader;
        let cards = trace.stage("rectify", |_| Cards::straighten(frame, outlines));
        trace.picture("rectify", || stage_pictures::cards(&cards.images))?;
        let images = cards.images.clone();
        let crops_drawings = !self.without.contains(&Step::Closer);
        let table = trace.stage("facts", |_| before.estimate(reader, cards, crops_drawings))?;
        trace.picture("facts", || {
            stage_pictures::readings(&table.cards.images, &table.look.readings)
        })?;
        let read = trace.stage("classify", |_| self.classify(table, outlines, images))?;
        trace.picture("classify", || stage_pictures::readings(&read.images, &read.readings))?;
        Ok(read)
    }

    /// Reads each card, and groups those of a drawn table.
    fn classify(
        &self,
        table: AssessedTable<'_>,
        outlines: &[CardOutline],
        images: Vec<CardImage>,
    ) -> Result<CardsRead, NetworkError> {
        // Without colours inks are one group, or as many as there are greys.
        let shows_inks = table.facts.colors == Colors::Shown;
        let with_groups = !self.without.contains(&Step::Groups);
        let is_grouped = table.facts.on_screen && shows_inks && with_groups;
        let straight = is_grouped.then(|| table.cards.images.clone());
        let likeness = table.look.likeness.clone();
        let (mut readings, mut facts) = table.read(&*self.reader)?;
        let mut on_board = vec![false; outlines.len()];
        let classes = straight.zip(likeness).and_then(|(straight, likeness)| {
            let counts = self.of_usual_size(outlines, &readings);
            let measured = alike::measured(&straight, |i| counts[i]);
            if alike::is_board(&measured) {
                on_board = measured.iter().map(Option::is_some).collect();
            }
            self.group(&measured, &likeness, outlines, &mut readings, &mut facts)
        });
        Ok(CardsRead { readings, images, facts, classes, on_board })
    }

    /// Whether each outline may be a card and is about as large as most of them: buttons, and found sets beside a
    /// board, often are not.
    fn of_usual_size(&self, outlines: &[CardOutline], readings: &[Reading]) -> Vec<bool> {
        const TOLERANCE: f64 = 0.15;
        let may_be = |i: &usize| readings[*i].is_card >= self.board.least_is_card;
        let sides = |i: usize| {
            let quad = &outlines[i].corners_in_image;
            [quad.long_side(), quad.short_side()]
        };
        let is_near = |a: usize, b: usize| {
            let mut both = sides(a).into_iter().zip(sides(b));
            both.all(|(a, b)| (a - b).abs() <= TOLERANCE * b)
        };
        let cards: Vec<usize> = (0..outlines.len()).filter(may_be).collect();
        let usual = cards.iter().max_by_key(|&&i| cards.iter().filter(|&&j| is_near(j, i)).count());
        (0..outlines.len()).map(|i| may_be(&i) && usual.is_some_and(|&j| is_near(i, j))).collect()
    }

    /// Groups cards that are alike, and names the groups; `None` if they are not clear.
    fn group(
        &self,
        measured: &[Option<Measured>],
        likeness: &Likeness,
        outlines: &[CardOutline],
        readings: &mut [Reading],
        facts: &mut TableFacts,
    ) -> Option<Vec<Option<Class>>> {
        let before = readings.to_vec();
        let quads: Vec<&Quad> = outlines.iter().map(|outline| &outline.corners_in_image).collect();
        let board = copies::parts(&quads).into_iter().next().unwrap_or_default();
        let grouped = |named| alike::classes(measured, likeness, named, &board);
        // Readers know nothing of an unknown deck.
        let has_names = facts.named_edition().1 > 0.5;
        if has_names && let Some(classes) = grouped(Some(&before[..])) {
            let are_named = alike::name(&classes, readings).is_ok();
            return are_named.then(|| alike::without_copies(classes, &board));
        }
        let classes = grouped(None)?;
        if let Err(denied) = alike::name(&classes, readings)
            && has_names
        {
            // Groups that are clear, and are not what readers are sure of, are those of another deck. Symbols that are
            // miscounted show none.
            if denied == Property::Number || matches!(facts.deck, DeckFacts::Known(_)) {
                return None;
            }
            *facts = facts.clone().with_unknown_deck();
        }
        Some(alike::without_copies(classes, &board))
    }

    /// Reads one card whose corners are given, in a frame whose facts are given.
    ///
    /// # Errors
    /// See [`PipelineError`].
    pub fn read_card(
        &self,
        frame: &Frame,
        corners_in_image: Quad,
        facts: TableFacts,
    ) -> Result<(CardImage, Reading), PipelineError> {
        let outlines = [CardOutline::at(corners_in_image)];
        let mut read = self.read_cards(frame, &outlines, facts, &mut Trace::default())?;
        let image = read.images.pop().expect("one outline");
        Ok((image, read.readings.pop().unwrap_or(Reading::UNKNOWN)))
    }
}

/// Whether neither the finder nor the reader recognises a card here, as in the cells of a spreadsheet or on the keys
/// of a keyboard.
fn is_vague(outline: &CardOutline, reading: &Reading) -> bool {
    /// Log odds and probability of the likeliest name. Of 432 places on pictures without cards 288 are below both, of
    /// 470 cards on screens 12, which have no name either, and none on photos.
    const LEAST_SCORE: f64 = 2.5;
    const LEAST_NAMED: f32 = 0.3;
    outline.score <= LEAST_SCORE && reading.best().1 < LEAST_NAMED
}

/// Whether half of the cards have fewer pixels than the reader needs.
fn are_small(outlines: &[CardOutline]) -> bool {
    /// The reader network's input: of 997 cards of 60 to 300 pixels one in a thousand is read otherwise than on a
    /// picture of eight times the sides.
    const LEAST_PX: f64 = 96.0;
    let likely = outlines.iter().filter(|outline| outline.score > 0.0);
    let (small, large): (Vec<f64>, Vec<f64>) =
        likely.map(|outline| outline.corners_in_image.long_side()).partition(|&px| px < LEAST_PX);
    small.len() > large.len()
}

/// The outlines of a card that fills the picture, so that its sides are not in view, or hardly.
fn close_up(frame: &Frame) -> Vec<CardOutline> {
    /// The card's sides by the picture's.
    const LARGER: [f64; 3] = [1.0, 1.08, 1.16];
    let (width, height) = (f64::from(frame.width()), f64::from(frame.height()));
    let picture: Quad = Quad::rectangle(width, height).as_card();
    let center = picture.center();
    LARGER.map(|by| CardOutline::at(picture.map(|p| center + (p - center) * by))).into()
}

/// Row by row from left to right, so that a card's index says where it lies.
fn reading_order<'a>(board: &'a Board, outlines: &[CardOutline]) -> Vec<&'a BoardCard> {
    let quads: Vec<Quad> =
        board.cards.iter().map(|card| outlines[card.outline].corners_in_image).collect();
    layout::rows(&quads).concat().into_iter().map(|i| &board.cards[i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::reader::FirstLook;
    use crate::table::alike::tests as alike_tests;
    use image::RgbImage;
    use setsight_game::cards::{Card, Edition};

    struct Nothing;
    impl CardFinder for Nothing {
        fn name(&self) -> &'static str {
            "nothing"
        }

        fn find(
            &self,
            frame: &Frame,
            trace: &mut Trace<'_>,
        ) -> Result<Vec<CardOutline>, FindError> {
            trace.picture("own", || frame.clone())?;
            Ok(Vec::new())
        }
    }

    /// Reads the nth outline as the nth card of the deck, but hardly as a card.
    struct Fake;
    impl Reader for Fake {
        fn table_facts(
            &self,
            cards: &Cards,
            f: TableFacts,
        ) -> Result<(FirstLook, TableFacts), NetworkError> {
            let readings = (0..cards.images.len()).map(|i| hardly(Card::from_index(i))).collect();
            Ok((FirstLook { readings, ..FirstLook::default() }, f))
        }
    }

    #[test]
    fn clear_groups_that_readers_deny_are_those_of_another_deck() {
        let (all, images) = alike_tests::table(8);
        let measured = alike::measured(&images, |_| true);
        let likeness = alike_tests::likeness_of(&all);
        let outlines = vec![CardOutline::at(Quad::rectangle(89.0, 57.0)); all.len()];
        let pipeline = Pipeline::new(Box::new(Nothing), Box::new(Fake));
        let classic = Edition::ALL.map(|each| f32::from(u8::from(each == Edition::Classic)));
        let grouped = |misread: fn(&mut [usize; 4])| {
            let mut read = all.clone();
            read.iter_mut().for_each(misread);
            let deck = DeckFacts::Among(classic);
            let mut facts = TableFacts { deck, ..TableFacts::default() };
            let mut readings = alike_tests::readings_of(&read, 0.99);
            let groups = pipeline.group(&measured, &likeness, &outlines, &mut readings, &mut facts);
            (groups.is_some(), facts.edition())
        };
        assert_eq!(grouped(|_| ()), (true, Edition::Classic));
        // To the readers, two of the outlines are one.
        assert_eq!(grouped(|card| card[3] = card[3].max(1)), (true, Edition::Unknown));
        // A number says nothing of the deck.
        let with_number: fn(&mut [usize; 4]) =
            |card| (card[0], card[3]) = (card[0].min(1), card[3].max(1));
        assert_eq!(grouped(with_number), (false, Edition::Classic));
    }

    fn hardly(card: Card) -> Reading {
        let values = setsight_game::cards::Property::ALL.map(|property| {
            let mut triple = [0.005; 3];
            triple[card.value(property)] = 0.99;
            triple
        });
        Reading { values, is_card: 0.1 }
    }

    #[test]
    fn an_empty_table_holds_nothing_and_every_stage_is_timed_and_shown() {
        let frame = RgbImage::from_pixel(320, 240, image::Rgb([30, 90, 40]));
        let mut names = Vec::new();
        let mut trace = Trace::default().on_picture(|stage, picture| {
            assert!(picture.width() > 0 && picture.height() > 0);
            names.push(stage.to_owned());
            Ok(())
        });
        let pipeline = Pipeline::new(Box::new(Nothing), Box::new(Fake));
        let table = pipeline.read(&frame, &mut trace).unwrap().table;
        assert!(table.cards.is_empty() && table.sets.is_empty());
        assert_eq!(table.size_px, (320, 240));
        let stages: Vec<_> = trace.times.iter().map(|time| time.stage).collect();
        assert_eq!(stages, ["segment", "rectify", "facts", "classify", "board", "sets"]);
        drop(trace);
        assert_eq!(names, ["load", "own", "segment", "rectify", "facts", "classify", "board"]);
    }
}
