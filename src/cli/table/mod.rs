//! The commands on tables of cards: photos, films, cameras, training, the window.

mod app;
mod dataset;
mod deck;
pub mod eval;
mod export;
mod live;
pub mod models;
mod photos;
mod render;
mod scan;
mod serve;
mod train;

use super::common::Outcome;
use clap::Subcommand;

/// A command and its arguments.
#[derive(Subcommand)]
pub enum Command {
    /// Read photos: find the cards, read them, and draw every set
    Scan(scan::Args),
    /// Watch a table through a camera, or read a film
    Live(live::Args),
    /// Use a phone as the camera, through a page on the local network
    Serve(serve::Args),
    /// Measure how well labelled photos are read
    Eval(eval::Args),
    /// Convert labels from other programs, and check labels
    Dataset(dataset::Args),
    /// Teach the program your own deck, or check that a deck is complete
    Deck(deck::Args),
    /// Draw labelled tables of cards from a seed
    Render(render::Args),
    /// Train on your own photos, or train the networks from scratch
    Train(Box<train::Args>),
    /// Choose which models to read with
    Models(models::Args),
    /// Open the window: photos, their sets, hints, corrections
    App(app::Args),
    /// Write the trained networks for other programs and machines
    Export(export::Args),
}

impl Command {
    /// Runs it.
    pub fn run(self) -> anyhow::Result<Outcome> {
        match self {
            Self::Scan(args) => scan::run(args),
            Self::Live(args) => live::run(args),
            Self::Serve(args) => serve::run(args),
            Self::Eval(args) => eval::run(args),
            Self::Dataset(args) => dataset::run(args),
            Self::Deck(args) => deck::run(args),
            Self::Render(args) => render::run(args),
            Self::Train(args) => train::run(*args),
            Self::Models(args) => models::run(args),
            Self::App(args) => app::run(args),
            Self::Export(args) => export::run(args),
        }
    }
}
