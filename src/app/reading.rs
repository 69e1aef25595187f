//! How the camera's tab reads cards: as the command was told.

use crate::deck_learning;
use crate::live::{Input, LiveSource, Session};
use crate::pipeline::engine::{Models, used};
use crate::pipeline::track::Params;
use crate::pipeline::{FinderChoice, Mirrored, Pipeline, ReaderChoice, TableFacts};
use eframe::egui::Context;
use std::path::PathBuf;
use std::sync::Arc;

/// What begins to watch a camera or a film, mirrored or not; the reason in words when it cannot.
pub type Watchers = Box<dyn Fn(&Context, &Input, Mirrored) -> Result<Box<dyn LiveSource>, String>>;

/// How cards are read: what the commands are told by `--reader`, `--finder`, `--deck`, `--mirrored`
/// and `--models`.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// What reads the cards.
    pub reader: ReaderChoice,
    /// What finds them.
    pub finder: FinderChoice,
    /// What is known of the table.
    pub facts: TableFacts,
    /// Whether pictures are mirrored, as the switch begins.
    pub mirrored: Mirrored,
    /// A folder of weights, in place of the program's own.
    pub models: Option<PathBuf>,
}

impl Reading {
    /// The stages; the reason in words where there are none.
    fn pipeline(&self) -> Result<Pipeline, String> {
        if let Some(deck) = self.facts.own_deck {
            let pipeline = deck_learning::pipeline(deck, self.finder, self.models.as_deref());
            let pipeline = pipeline.map_err(|error| error.to_string())?;
            return Ok(Pipeline { facts: self.facts, ..pipeline });
        }
        let models = self.models.clone().map_or_else(used::models, Models::Folder);
        let pipeline = Pipeline::chosen(self.finder, self.reader, &models);
        let mut pipeline = pipeline.map_err(|error| match used::remedy() {
            Some(remedy) if self.models.is_none() => format!("{remedy}: {error}"),
            _ => error.to_string(),
        })?;
        pipeline.facts = self.facts;
        Ok(pipeline)
    }
}

/// Watches in earnest: cameras of this machine and of the network, and films.
pub fn system(reading: Reading) -> Watchers {
    Box::new(move |ctx, input, mirrored| {
        let ctx = ctx.clone();
        // The switch decides: what the command said of it is where it began.
        let TableFacts { editions, own_deck, .. } = reading.facts;
        let facts = TableFacts { editions, own_deck, ..TableFacts::default() };
        let reading = Reading { facts: facts.with_mirror(mirrored), ..reading.clone() };
        let pipeline = reading.pipeline()?;
        let params = Params::of(&pipeline);
        let eyes = Arc::new(pipeline);
        let wake = Box::new(move || ctx.request_repaint());
        let session = Session::start(input.clone(), eyes, params, wake);
        session
            .map(|session| Box::new(session) as Box<dyn LiveSource>)
            .map_err(|error| format!("the camera cannot be watched: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_read_as_asked_for() {
        let home = tempfile::tempdir().unwrap();
        let reading = Reading { models: Some(home.path().to_owned()), ..Reading::default() };
        let film = Input::Film(home.path().join("none.avi"));
        let begun = system(reading)(&Context::default(), &film, Mirrored::Auto);
        let reason = begun.err().expect("there are no weights in this folder");
        assert!(reason.contains(&*home.path().to_string_lossy()), "{reason}");
        let asked = Reading {
            finder: FinderChoice::Classical,
            reader: ReaderChoice::Classical,
            facts: TableFacts::default().with_mirrored(true),
            ..Reading::default()
        };
        let pipeline = asked.pipeline().unwrap();
        assert_eq!(pipeline.facts.mirror_is_settled(), Some(true));
        assert_eq!(pipeline.finder.name(), "classical");
    }
}
