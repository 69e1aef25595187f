//! Which deck photos and the camera's pictures are read as: the usual ones, or one of the user's own.

use crate::shared::{settings::Settings, words::t};
use setsight_game::cards::{Deck, deck::DeckError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file of the deck that is read by; none for the usual ones.
#[derive(Debug, Default)]
pub(crate) struct UsedDeck {
    path: Option<PathBuf>,
    deck: Option<Arc<Deck>>,
}

/// Opens a deck's file.
fn open(path: &Path) -> Result<Arc<Deck>, String> {
    Deck::read(path).map(Arc::new).map_err(|error| match error {
        DeckError::Unreadable { name, source } => {
            t!("unreadable", path = name, error = source.to_string())
        }
        other => other.to_string(),
    })
}

impl UsedDeck {
    /// Whether the settings name another deck than before; if so that deck, or none for the usual
    /// ones. A file that cannot be used is forgotten and told.
    pub(crate) fn changed(
        &mut self,
        settings: &mut Settings,
    ) -> Option<Result<Option<Arc<Deck>>, String>> {
        if self.path == settings.deck {
            return None;
        }
        let opened = settings.deck.as_deref().map(open).transpose();
        if opened.is_err() {
            settings.forget_deck();
        }
        self.path.clone_from(&settings.deck);
        self.deck = opened.as_ref().ok().cloned().flatten();
        Some(opened)
    }

    /// The deck that the settings name; none for the usual ones.
    pub(crate) fn deck(&self) -> Option<Arc<Deck>> {
        self.deck.clone()
    }

    /// The deck as cards are drawn and named where no photo shows them.
    pub(crate) fn drawn(&self) -> Arc<Deck> {
        self.deck.clone().unwrap_or_else(Deck::classic)
    }
}
