//! What the commands on photos share: how they are read, jobs, progress.

use crate::cards::{Deck, Edition};
use crate::cli::common::{BadCall, Jobs};
use crate::deck_learning::{self, ByDeckError};
use crate::pipeline::classify::fusion::Fusion;
use crate::pipeline::engine::{self, FUSION, Models, ModelsError, used};
use crate::pipeline::{FinderChoice, Mirrored, Pipeline, ReaderChoice, Step, TableFacts};
use crate::printable::{self, say};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::path::PathBuf;
use std::sync::Arc;

/// The group of options that say it.
const READING: &str = "How cards are read";

/// How photos are read, the same for every command.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ReadingArgs {
    /// What reads the cards
    #[arg(help_heading = READING, long, value_enum, default_value_t)]
    pub reader: ReaderChoice,
    /// What finds the cards
    #[arg(help_heading = READING, long, value_enum, default_value_t)]
    pub finder: FinderChoice,
    /// Whether pictures are mirrored, as webcams and front cameras may store them
    #[arg(help_heading = READING, long, value_enum, default_value_t)]
    pub mirrored: Mirrored,
    /// Which deck lies on the table: auto (the cards tell), classic, rectangles or a deck's file
    ///
    /// classic is today's edition, rectangles the older European one. A file is one that `setsight deck
    /// learn` wrote, or like those in models/decks.
    #[arg(help_heading = READING, long, value_name = "NAME|FILE", default_value = "auto", value_parser = deck_choice)]
    pub deck: DeckChoice,
    /// Weights of your own: a folder with reader.onnx and what else is asked for
    #[arg(help_heading = READING, long, value_name = "DIR")]
    pub models: Option<PathBuf>,
}

impl ReadingArgs {
    /// The stages as asked for. What is wrong with an engine that was passed over goes to stderr, and
    /// which weights of one's own do not belong together.
    ///
    /// # Errors
    /// Weights that are missing or broken.
    pub fn pipeline(&self) -> anyhow::Result<Pipeline> {
        self.pipeline_without(&[])
    }

    /// The same with steps left out.
    ///
    /// # Errors
    /// Weights that are missing or broken.
    pub fn pipeline_without(&self, steps: &[Step]) -> anyhow::Result<Pipeline> {
        if let DeckChoice::File(deck) = self.deck {
            return self.by_deck(deck, steps);
        }
        let models = self.models.clone().map_or_else(used::models, Models::Folder);
        let mut pipeline = Pipeline::without(steps, self.finder, self.reader, &models)
            .map_err(bad_models)
            .map_err(|error| match used::remedy() {
                Some(remedy) if self.models.is_none() => error.context(remedy),
                _ => error,
            })?;
        pipeline.facts = self.facts();
        warn_of_engines();
        if self.models.is_some() && self.reader == ReaderChoice::Fused {
            warn_of_strangers(&models)?;
        }
        Ok(pipeline)
    }

    /// The stages that read a deck by its file.
    fn by_deck(&self, deck: &'static Deck, steps: &[Step]) -> anyhow::Result<Pipeline> {
        if !steps.is_empty() || self.reader != ReaderChoice::default() {
            return Err(BadCall(format!(
                "--deck {}: a deck's file has a reader of its own; leave out --reader and --without",
                printable::line(&deck.name)
            ))
            .into());
        }
        let pipeline = match deck_learning::pipeline(deck, self.finder, self.models.as_deref()) {
            Ok(pipeline) => pipeline,
            Err(ByDeckError::Models(error)) => return Err(bad_models(error)),
            Err(error) => return Err(BadCall(error.to_string()).into()),
        };
        warn_of_engines();
        Ok(Pipeline { facts: self.facts(), ..pipeline })
    }

    /// What is known of a table before it is seen.
    pub fn facts(&self) -> TableFacts {
        let facts = TableFacts::default().with_mirror(self.mirrored);
        match &self.deck {
            DeckChoice::Auto => facts,
            DeckChoice::Known(edition) => facts.of_edition(*edition),
            DeckChoice::File(deck) => facts.of_own_deck(deck),
        }
    }
}

impl ValueEnum for Mirrored {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::No => "They are not",
            Self::Yes => "They are",
            Self::Auto => "Each picture's squiggles tell",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

/// Which deck lies on the table, as far as it is known before it is seen.
#[derive(Clone, Debug, Default)]
pub enum DeckChoice {
    /// The cards tell, together.
    #[default]
    Auto,
    /// One that the networks know.
    Known(Edition),
    /// One of one's own.
    File(&'static Deck),
}

fn deck_choice(name: &str) -> Result<DeckChoice, String> {
    if name == "auto" {
        return Ok(DeckChoice::Auto);
    }
    let deck = Deck::open(name).map_err(|error| error.to_string())?;
    let known = Edition::KNOWN.into_iter().find(|edition| edition.deck().as_ref() == Some(&deck));
    // One deck a call, which lives as long: it is not given back.
    let own = |deck: Arc<Deck>| &*Box::leak(Box::new(Arc::unwrap_or_clone(deck)));
    Ok(known.map_or_else(|| DeckChoice::File(own(deck)), DeckChoice::Known))
}

/// Names on stderr the networks that the weights of the evidence were not fitted with.
fn warn_of_strangers(models: &Models) -> Result<(), ModelsError> {
    for file in Fusion::load(models)?.not_fitted_with(models)? {
        say!(
            "warning: {} was fitted with another {file} than the one beside it, so that how sure a card \
             is may not hold; fit it anew with `setsight train fuse`",
            models.name_of(FUSION)
        );
    }
    Ok(())
}

impl ValueEnum for ReaderChoice {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::Classical => "By measuring: no network",
            Self::Neural => "By one network alone, each card by itself",
            Self::Fused => "By networks, and by measuring where they leave a doubt",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

impl ValueEnum for FinderChoice {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Self::Classical => "By symbols and borders: no network",
            Self::Learned => "By networks and borders",
        };
        Some(PossibleValue::new(self.name()).help(help))
    }
}

impl ValueEnum for Step {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = self.name_and_help();
        Some(PossibleValue::new(name).help(help))
    }
}

/// A folder without the files is a bad call; a broken file is not.
fn bad_models(error: ModelsError) -> anyhow::Error {
    match error {
        ModelsError::NotShipped(_) | ModelsError::Unreadable { .. } => {
            BadCall(error.to_string()).into()
        }
        error => error.into(),
    }
}

/// Names on stderr the libraries that are there but could not be used, if any network was loaded.
fn warn_of_engines() {
    if let Some(engine) = engine::in_use()
        && let Ok(chosen) = engine::chosen()
    {
        for warning in &chosen.warnings {
            say!("warning: {warning}; reading with the {} engine", engine.name());
        }
    }
}

/// Photos side by side.
pub fn jobs(asked: Jobs) -> usize {
    // Photos run side by side; OpenCV's own threads within each would only be in their way. It
    // fails where OpenCV has no threads to begin with.
    let _ = opencv::core::set_num_threads(1);
    asked.count()
}

/// A bar on stderr for more than one photo, if that is a terminal.
pub fn progress(photos: usize) -> ProgressBar {
    let target =
        if photos > 1 { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(photos as u64), target);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} photos, {per_sec}, {eta} left");
    bar.with_style(style.expect("a template that is well formed"))
}
