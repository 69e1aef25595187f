//! Learns a deck from photos of its cards, without labels, and reads by a deck's file.
//!
//! A deck's own structure says what its cards are: four properties of three values, each
//! combination printed once. So the cards that the finder sees ([`seen`]) are straightened
//! ([`face`]), their symbols cut out inside their white ([`symbols`]) and measured ([`measure`]);
//! all cards are grouped together ([`group`]), a person may put some right ([`draft`]), and the
//! groups become outlines, fills and inks ([`mod@print`]).

mod checks;
mod draft;
mod drawn;
mod face;
mod group;
mod measure;
mod print;
mod reader;
mod seen;
mod symbols;
mod told;

pub use checks::LearnError;
pub use draft::{Draft, DraftCard, Learnt};
pub use reader::DeckReader;
pub use seen::{SeenPhoto, detect};
pub use told::{NameError, Note, Place, check_name, values_of};

use crate::cards::Deck;
use crate::cards::deck::DeckError;
use crate::pipeline::classify::neural::NeuralReader;
use crate::pipeline::engine::{Models, ModelsError, used};
use crate::pipeline::{FinderChoice, Pipeline, TableFacts, board, shared_refiner};
use std::path::Path;
use std::sync::Arc;

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
    match trained_for(folder)? {
        Some(own) if own.to_text() == deck.to_text() => {
            Ok(NeuralReader::load(&Models::Folder(folder.to_path_buf()))?)
        }
        _ => Err(ByDeckError::OtherDeck {
            folder: folder.display().to_string(),
            deck: deck.name.clone(),
        }),
    }
}

/// The deck that the networks of a folder were trained for, if it is one of one's own.
///
/// # Errors
/// [`DeckError`]: a file that is no deck's.
pub fn trained_for(folder: &Path) -> Result<Option<Deck>, DeckError> {
    let path = folder.join(TRAINED_FOR);
    let name = path.display().to_string();
    match std::fs::read_to_string(&path) {
        Ok(text) => Deck::parse(&name, &text).map(Some),
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(DeckError::Unreadable { name, source }),
    }
}
