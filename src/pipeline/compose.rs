//! The one place that puts the stages together.

use super::board::{self, Board};
use super::classify::{Reader, classical::ClassicalReader};
use super::engine::NetworkError;
use super::find::{CardFinder, FindError};
use super::{
    CardImage, CardOutline, Frame, ReadCard, Reading, dump, layout, rectify, segment, sets_of,
};
use crate::sets::Set;
use cpu_time::ThreadTime;
use image::RgbImage;
use std::io;
use std::time::Instant;

/// Why a frame was not read. "No cards in view" is no error.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// OpenCV gave up, for want of memory perhaps.
    #[error("the cards cannot be looked for: {0}")]
    Segment(#[from] opencv::Error),
    /// A network that loaded does not run.
    #[error("the cards cannot be read: {0}")]
    Network(#[from] NetworkError),
    /// A stage's picture could not be written.
    #[error("a stage's picture cannot be written: {0}")]
    Sink(#[from] io::Error),
}

impl From<FindError> for PipelineError {
    fn from(error: FindError) -> Self {
        match error {
            FindError::Image(error) => Self::Segment(error),
            FindError::Network(error) => Self::Network(error),
        }
    }
}

/// How long a stage took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageTime {
    /// `load`, `segment`, `rectify`, `classify`, `board` or `sets`; `overlay` is drawing the
    /// annotated picture and writing it.
    pub stage: &'static str,
    /// On the clock.
    pub elapsed_ms: f64,
    /// Of this thread's CPU alone.
    pub cpu_ms: f64,
}

/// Takes the time of stages that run on this thread.
#[derive(Clone, Debug, Default)]
pub struct StageClock {
    /// In the order in which they ran.
    pub times: Vec<StageTime>,
}

impl StageClock {
    /// Runs a stage and notes how long it took.
    pub fn time<T>(&mut self, stage: &'static str, run: impl FnOnce() -> T) -> T {
        let (start, cpu_start) = (Instant::now(), ThreadTime::now());
        let result = run();
        self.times.push(StageTime {
            stage,
            elapsed_ms: start.elapsed().as_secs_f64() * 1e3,
            cpu_ms: cpu_start.elapsed().as_secs_f64() * 1e3,
        });
        result
    }
}

/// Takes the pictures that stages make for people to look at.
pub trait StageSink {
    /// Takes the picture of one stage.
    ///
    /// # Errors
    /// It cannot be written.
    fn picture(&self, stage: &str, picture: &RgbImage) -> io::Result<()>;
}

/// What a frame holds.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The cards on the table, row by row from the left (see [`layout::rows`]).
    pub cards: Vec<ReadCard>,
    /// All sets among the cards that are sure, as indices into `cards`.
    pub sets: Vec<Set>,
    /// For each card what the reader said of it alone.
    pub readings: Vec<Reading>,
    /// For each card its straightened picture.
    pub images: Vec<CardImage>,
}

/// The stages and their parameters.
pub struct Pipeline {
    /// What finds the cards.
    pub finder: Box<dyn CardFinder>,
    /// What reads them.
    pub reader: Box<dyn Reader>,
    /// What makes them a board.
    pub board: board::Params,
}

impl Pipeline {
    /// The stages with their default parameters and the reader without a network.
    pub fn classical() -> Self {
        Self::with_reader(Box::new(ClassicalReader))
    }

    /// The stages with their default parameters, the finder without a network and a reader.
    pub fn with_reader(reader: Box<dyn Reader>) -> Self {
        Self::new(Box::new(segment::Params::default()), reader)
    }

    /// The stages with their default parameters, a finder and a reader.
    pub fn new(finder: Box<dyn CardFinder>, reader: Box<dyn Reader>) -> Self {
        Self { finder, reader, board: board::Params::default() }
    }

    /// Reads straightened cards of a frame, the outline of each given.
    ///
    /// # Errors
    /// A network that does not run.
    pub fn read_cards(
        &self,
        frame: &Frame,
        outlines: &[CardOutline],
        cards: &[CardImage],
    ) -> Result<Vec<Reading>, NetworkError> {
        let closer = |asked: &[usize]| self.finder.in_place(frame, outlines, asked);
        self.reader.read(cards, &closer)
    }

    /// Reads a frame. Each stage's time goes to `clock`, and its picture to `sink` if there is
    /// one; the time of pictures counts for no stage.
    ///
    /// # Errors
    /// [`PipelineError`].
    pub fn read(
        &self,
        frame: &Frame,
        clock: &mut StageClock,
        sink: Option<&dyn StageSink>,
    ) -> Result<Scan, PipelineError> {
        let show = |stage: &str, picture: &dyn Fn() -> opencv::Result<RgbImage>| match sink {
            Some(sink) => Ok(sink.picture(stage, &picture()?)?),
            None => Ok::<(), PipelineError>(()),
        };
        show("load", &|| Ok(frame.image.clone()))?;
        if let Some(sink) = sink {
            for (stage, picture) in self.finder.pictures(frame)? {
                sink.picture(stage, &picture)?;
            }
        }

        let outlines = clock.time("segment", || self.finder.find(frame))?;
        show("segment", &|| Ok(dump::outlines(frame, &outlines)))?;

        let images: Vec<CardImage> = clock.time("rectify", || {
            outlines.iter().map(|outline| rectify::rectify(frame, outline)).collect()
        });
        show("rectify", &|| Ok(dump::cards(&images)))?;

        let readings = clock.time("classify", || self.read_cards(frame, &outlines, &images))?;
        show("classify", &|| Ok(dump::readings(&images, &readings)))?;

        // The board keeps outlines, not pictures: which picture is a card's is found by its outline.
        let given = outlines.clone();
        let mut board = clock.time("board", || Board::settle(outlines, readings, &self.board));
        in_reading_order(&mut board);
        let cards: Vec<ReadCard> = board.cards.iter().map(ReadCard::from).collect();

        let sets = clock.time("sets", || sets_of(&cards));
        show("board", &|| Ok(dump::board(frame, &cards, &sets)))?;

        let mut images: Vec<Option<CardImage>> = images.into_iter().map(Some).collect();
        let image_of = |outline: &CardOutline| {
            let found = (0..given.len()).find(|&i| images[i].is_some() && given[i] == *outline);
            found.and_then(|i| images[i].take()).expect("the board's outlines are the segmenter's")
        };
        let images = board.cards.iter().map(|card| &card.outline).map(image_of).collect();
        let readings = board.cards.into_iter().map(|card| card.reading).collect();
        Ok(Scan { cards, sets, readings, images })
    }
}

/// Row by row from the left, so that a card's index says where it lies.
fn in_reading_order(board: &mut Board) {
    let quads: Vec<_> = board.cards.iter().map(|card| card.outline.corners_in_image).collect();
    let mut cards: Vec<_> = std::mem::take(&mut board.cards).into_iter().map(Some).collect();
    let order = layout::rows(&quads).concat();
    board.cards = order.into_iter().filter_map(|i| cards[i].take()).collect();
}

impl From<&board::BoardCard> for ReadCard {
    fn from(card: &board::BoardCard) -> Self {
        Self {
            corners_in_image: card.outline.corners_in_image,
            card: card.card,
            confidence: card.confidence,
            unsure: card.unsure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::Card;
    use crate::pipeline::classify::Closer;
    use std::cell::RefCell;

    /// Says of the nth outline that it is the nth card of the deck.
    struct Fake;
    impl Reader for Fake {
        fn read(&self, cards: &[CardImage], _: &Closer) -> Result<Vec<Reading>, NetworkError> {
            Ok((0..cards.len()).map(|i| certain(Card::from_index(i))).collect())
        }
    }

    fn certain(card: Card) -> Reading {
        let values = crate::cards::Property::ALL.map(|property| {
            let mut triple = [0.005; 3];
            triple[card.value(property)] = 0.99;
            triple
        });
        Reading { values, is_card: 0.99 }
    }

    #[derive(Default)]
    struct Names(RefCell<Vec<String>>);
    impl StageSink for Names {
        fn picture(&self, stage: &str, picture: &RgbImage) -> io::Result<()> {
            assert!(picture.width() > 0 && picture.height() > 0);
            self.0.borrow_mut().push(stage.to_owned());
            Ok(())
        }
    }

    #[test]
    fn an_empty_table_holds_nothing_and_every_stage_is_timed_and_shown() {
        let frame = Frame { image: RgbImage::from_pixel(320, 240, image::Rgb([30, 90, 40])) };
        let (mut clock, names) = (StageClock::default(), Names::default());
        let pipeline = Pipeline::with_reader(Box::new(Fake));
        let scan = pipeline.read(&frame, &mut clock, Some(&names)).unwrap();
        assert!(scan.cards.is_empty() && scan.sets.is_empty());
        let stages: Vec<_> = clock.times.iter().map(|time| time.stage).collect();
        assert_eq!(stages, ["segment", "rectify", "classify", "board", "sets"]);
        assert_eq!(
            names.0.into_inner(),
            ["load", "maps", "symbols", "segment", "rectify", "classify", "board"]
        );
    }
}
