//! Learns a deck from photos of its cards, without labels, and reads by a deck's file.
//!
//! A deck's own structure says what its cards are: four properties of three values, each
//! combination printed once. So the cards that the finder sees are straightened ([`face`]), their
//! symbols cut out inside their white ([`symbols`]) and measured ([`measure`]); all cards are
//! grouped together ([`group`]), and the groups become outlines, fills and inks ([`mod@print`]).

mod checks;
mod drawn;
mod face;
mod group;
mod measure;
mod print;
mod reader;
mod symbols;

pub use checks::{LearnError, Place};
pub use reader::DeckReader;

use crate::cards::deck::DeckError;
use crate::cards::{DECK_SIZE, Deck};
use crate::geometry::Quad;
use crate::pipeline::classify::neural::NeuralReader;
use crate::pipeline::engine::{Models, ModelsError, used};
use crate::pipeline::finder::{CardFinder, FindError};
use crate::pipeline::{FinderChoice, Frame, Pipeline, TableFacts, board, layout, shared_refiner};
use face::Face;
use group::{DeckCard, Groups};
use measure::Measured;
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// The cards of one photo as far as they can be learnt from.
#[derive(Clone, Debug)]
pub struct SeenPhoto {
    name: String,
    cards: Vec<SeenCard>,
    /// Outlines of cards of which no row of symbols was seen.
    unclear: usize,
}

#[derive(Clone, Debug)]
struct SeenCard {
    row: usize,
    column: usize,
    measured: Measured,
}

/// What was learnt.
#[derive(Debug)]
pub struct Learnt {
    /// The deck.
    pub deck: Deck,
    /// How many different cards it was learnt from.
    pub cards: usize,
    /// What was left out and what may be wrong, in sentences.
    pub notes: Vec<String>,
}

/// The name of a deck's file beside a network that was trained for it.
pub const TRAINED_FOR: &str = "deck.json";

/// Why a deck cannot be read by its file.
#[derive(Debug, thiserror::Error)]
pub enum ByDeckError {
    /// The finder, or a network of one's own.
    #[error(transparent)]
    Models(#[from] ModelsError),
    /// The file beside the network is no deck's.
    #[error(transparent)]
    Deck(#[from] DeckError),
    /// A network that knows other cards.
    #[error(
        "{folder}: its reader was not trained for the deck {deck}; train one with `setsight train reader --deck \
         FILE --out DIR`, or leave out --models, and the deck is read by measuring alone"
    )]
    OtherDeck {
        /// Where the network lies.
        folder: String,
        /// The deck that is to be read.
        deck: String,
    },
}

/// The stages that read a deck by its file; with the network of a folder that was trained for it,
/// if there is one.
///
/// # Errors
/// [`ByDeckError`].
pub fn pipeline(
    deck: &'static Deck,
    finder: FinderChoice,
    trained: Option<&Path>,
) -> Result<Pipeline, ByDeckError> {
    let network = trained.map(|folder| network_for(deck, folder)).transpose()?;
    // The finder knows cards of any deck.
    let models = used::models();
    let finder = finder.finder(&models, shared_refiner(&models)?)?;
    let reader = DeckReader::new(Arc::new(deck.clone()), network);
    let calibration = reader.calibration();
    let board = board::Params { calibration, ..board::Params::default() };
    let facts = TableFacts::default().of_own_deck(deck);
    Ok(Pipeline { board, facts, ..Pipeline::new(finder, Box::new(reader)) })
}

fn network_for(deck: &Deck, folder: &Path) -> Result<NeuralReader, ByDeckError> {
    let beside = folder.join(TRAINED_FOR);
    let other =
        || ByDeckError::OtherDeck { folder: folder.display().to_string(), deck: deck.name.clone() };
    let text = std::fs::read_to_string(&beside).map_err(|_| other())?;
    // As the file says it: what it leaves out is not compared.
    if Deck::parse(&beside.display().to_string(), &text)?.to_text() != deck.to_text() {
        return Err(other());
    }
    Ok(NeuralReader::load(&Models::Folder(folder.to_path_buf()))?)
}

/// Looks at one photo.
///
/// # Errors
/// The finder gives up.
pub fn detect(name: &str, frame: &Frame, finder: &dyn CardFinder) -> Result<SeenPhoto, FindError> {
    /// Log odds that an outline is a card, from which it is measured, and from which it is missed
    /// where nothing can be measured.
    const LEAST_SCORE: f64 = -1.0;
    const MISSED_SCORE: f64 = 2.0;
    let outlines = finder.find(frame, None)?;
    let measured: Vec<_> = outlines
        .par_iter()
        .filter(|outline| outline.score > LEAST_SCORE)
        .map(|outline| {
            let face = Face::of(frame, &outline.corners_in_image);
            (outline, face.as_ref().and_then(Measured::of))
        })
        .collect();
    let unclear = measured.iter().filter(|(o, m)| m.is_none() && o.score > MISSED_SCORE).count();
    let clear: Vec<(Quad, Measured)> =
        measured.into_iter().filter_map(|(o, m)| Some((o.corners_in_image, m?))).collect();
    let quads: Vec<Quad> = clear.iter().map(|card| card.0).collect();
    let mut cards = Vec::new();
    for (row, places) in layout::rows(&quads).into_iter().enumerate() {
        for (column, i) in places.into_iter().enumerate() {
            let measured = clear[i].1.clone();
            cards.push(SeenCard { row: row + 1, column: column + 1, measured });
        }
    }
    Ok(SeenPhoto { name: name.to_owned(), cards, unclear })
}

/// Learns the deck that the photos show together.
///
/// # Errors
/// [`LearnError`].
pub fn learn(photos: &[SeenPhoto], name: &str) -> Result<Learnt, LearnError> {
    let mut notes = Vec::new();
    let sharp: Vec<usize> = (0..photos.len()).filter(|&p| photos[p].is_sharp(&mut notes)).collect();
    let mut places = Vec::new();
    let mut seen: Vec<DeckCard> = Vec::new();
    for &photo in &sharp {
        for card in &photos[photo].cards {
            places.push((photo, card.row, card.column));
            seen.push(DeckCard { photo, measured: card.measured.clone() });
        }
    }
    if seen.is_empty() {
        return Err(LearnError::NoCards { photos: photos.len(), notes });
    }
    let place = |i: usize| {
        let (photo, row, column) = places[i];
        Place { photo: photos[photo].name.clone(), row, column }
    };
    let one_fill = group::has_one_fill(&seen);
    let of = if one_fill { DECK_SIZE / 3 } else { DECK_SIZE };
    // Two thirds show every value in many cards.
    let needed = of * 2 / 3;
    if seen.len() < needed {
        return Err(LearnError::TooFew { seen: seen.len(), of, needed, notes });
    }
    let mut groups: Groups = group::group(&seen, one_fill);
    print::in_order(&seen, &mut groups);
    checks::values(&seen, &groups, of, &place)?;
    let (cards, copies) = checks::copies(&seen, &groups, &place)?;
    if cards < needed {
        return Err(LearnError::TooFew { seen: cards, of, needed, notes });
    }
    if let Some((a, b)) = copies.first() {
        let more = if copies.len() > 1 {
            format!(", and {} more", copies.len() - 1)
        } else {
            String::new()
        };
        notes.push(format!("seen in two photos: {} is {}{more}", place(*a), place(*b)));
    }
    if cards < of {
        notes.push(format!(
            "{} of {of} cards are not seen; the deck is learnt from the others",
            of - cards
        ));
    }
    let deck = print::deck(&seen, &groups, name)?;
    Ok(Learnt { deck, cards, notes })
}

impl SeenPhoto {
    /// Whether its cards are sharp enough to be learnt from; what is wrong goes to the notes.
    fn is_sharp(&self, notes: &mut Vec<String>) -> bool {
        /// Of the blur, in pixels of a face: two thirds of a millimetre. Stripes are lost by then.
        const MOST_BLUR_PX: f32 = 3.6;
        let mut blurs: Vec<f32> = self.cards.iter().map(|card| card.measured.blur_px).collect();
        blurs.sort_by(f32::total_cmp);
        let blur = blurs.get(blurs.len() / 2).copied().unwrap_or(0.0);
        if blur > MOST_BLUR_PX {
            notes.push(format!(
                "{} is blurred and was left out; take it again, closer and with a steady hand",
                self.name
            ));
            return false;
        }
        if self.unclear > 0 {
            notes.push(format!(
                "{}: of {} card{} no symbols are seen clearly; glare, a shadow or another card may be in the way",
                self.name,
                self.unclear,
                if self.unclear == 1 { "" } else { "s" }
            ));
        }
        true
    }
}
