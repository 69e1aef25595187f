//! What the commands on photos share: how they are read, progress.

use crate::cli::common::{BadCall, Jobs, OutputArgs, check_address_space, error_message, one_of};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use setsight_files::say;
use setsight_game::cards::Deck;
use setsight_nets::engine::{self, FUSION, Models, ModelsError, used};
use setsight_photo::source::list_photos;
use setsight_vision::{
    FinderChoice, Mirrored, Pipeline, ReaderChoice, ReadingPlan, Step, classify::fusion::Fusion,
};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The group of options on how cards are read.
const READING: &str = "How cards are read";

/// How photos are read, the same for every command.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = READING)]
pub struct ReadingArgs {
    /// What reads the cards
    #[arg(hide = true, long, value_parser = one_of(&ReaderChoice::ALL, reader_help), default_value = ReaderChoice::default().name())]
    pub reader: ReaderChoice,
    /// What finds the cards
    #[arg(hide = true, long, value_parser = one_of(&FinderChoice::ALL, finder_help), default_value = FinderChoice::default().name())]
    pub finder: FinderChoice,
    /// Whether pictures are mirrored, as webcams and front cameras may store them
    #[arg(long, value_parser = one_of(&Mirrored::ALL, mirrored_help), default_value = Mirrored::default().name())]
    pub mirrored: Mirrored,
    /// Which deck it is: auto (judge by the cards), classic, rectangles or a deck's file
    ///
    /// classic is today's edition, rectangles the older European one. A file is one that `setsight deck
    /// learn` wrote, or like those in crates/game/decks.
    #[arg(long, value_name = "NAME|FILE", default_value = "auto", value_parser = deck_choice)]
    pub deck: DeckChoice,
    #[command(flatten)]
    pub models: ModelsArgs,
}

/// Which models a command works with.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ModelsArgs {
    /// Your own models: a folder with reader.onnx and the others
    #[arg(long, value_name = "DIR")]
    pub models: Option<PathBuf>,
}

impl ModelsArgs {
    /// Those of the folder that was named.
    pub fn named(&self) -> Option<Models> {
        self.models.clone().map(Models::Folder)
    }

    /// Those that were named; otherwise those in use.
    pub fn named_or_used(&self) -> Models {
        self.named().unwrap_or_else(used::models)
    }
}

/// Photos, how many are read at once.
#[derive(Clone, Debug, clap::Args)]
pub struct PhotoArgs {
    /// Photos, and folders of them
    #[arg(required = true, value_name = "PHOTO")]
    photos: Vec<PathBuf>,
    #[command(flatten)]
    pub jobs: Jobs,
}

impl PhotoArgs {
    /// Every photo that is named or in a folder that is.
    pub fn list(&self) -> Result<Vec<PathBuf>, BadCall> {
        let listed: Result<Vec<PathBuf>, _> =
            list_photos(&self.photos, false, &[]).into_iter().collect();
        listed.map_err(|error| BadCall(error.to_string()))
    }
}

/// Labelled pictures, how they are read, and where it goes what was found.
#[derive(Clone, Debug, clap::Args)]
pub struct LabelledArgs {
    /// Folders with labels.json (photos) or labels.csv (crops), or folders of such folders
    #[arg(required = true, value_name = "DATASET")]
    pub folders: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Where to put a page with every mistake or doubt in pictures
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub jobs: Jobs,
}

/// What is said where a page of these cannot be written.
pub fn report_refused(folder: &Path) -> String {
    format!("the report cannot go to {}", folder.display())
}

/// Where most people need none of the options that say how photos are read but the deck: --help-all has the rest.
pub fn without_rare(option: clap::Arg) -> clap::Arg {
    let is_rare = matches!(option.get_id().as_str(), "mirrored" | "models");
    if is_rare { option.hide(true) } else { option }
}

impl ReadingArgs {
    /// How cards are to be read.
    pub fn plan(&self) -> ReadingPlan {
        ReadingPlan {
            deck: self.deck.0.clone(),
            finder: self.finder,
            reader: self.reader,
            mirrored: self.mirrored,
            models: self.models.named(),
            ..ReadingPlan::default()
        }
    }

    /// The stages as asked for. What is wrong with an engine that was passed over goes to stderr, and
    /// which weights of one's own do not belong together.
    pub fn pipeline(&self) -> anyhow::Result<Pipeline> {
        self.pipeline_without(&[])
    }

    /// The same with steps left out.
    pub fn pipeline_without(&self, steps: &[Step]) -> anyhow::Result<Pipeline> {
        check_address_space()?;
        let plan = ReadingPlan { without: steps.to_vec(), ..self.plan() };
        let pipeline = plan.build().map_err(|error| match error.is_wrong_call() {
            true => BadCall(error_message(&error.into())).into(),
            false => anyhow::Error::from(error),
        })?;
        warn_of_engines();
        if let Some(models) = &plan.models
            && self.reader == ReaderChoice::Fused
            && pipeline.facts.taught_deck().is_none()
        {
            warn_of_strangers(models)?;
        }
        Ok(pipeline)
    }
}

fn mirrored_help(choice: Mirrored) -> (&'static str, &'static str) {
    let help = match choice {
        Mirrored::No => "They are not",
        Mirrored::Yes => "They are",
        Mirrored::Auto => "Judge by each picture's squiggles",
    };
    (choice.name(), help)
}

/// Which deck lies on the table, if that is known in advance.
#[derive(Clone, Debug, Default)]
pub struct DeckChoice(Option<Arc<Deck>>);

fn deck_choice(name: &str) -> Result<DeckChoice, String> {
    if name == "auto" {
        return Ok(DeckChoice(None));
    }
    let deck = Deck::open(name).map_err(|error| error.to_string())?;
    Ok(DeckChoice(Some(deck)))
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

fn reader_help(choice: ReaderChoice) -> (&'static str, &'static str) {
    let help = match choice {
        ReaderChoice::Classical => "By measuring: no network",
        ReaderChoice::Neural => "By one network alone, each card by itself",
        ReaderChoice::Fused => "By networks, and by measuring where they leave a doubt",
    };
    (choice.name(), help)
}

fn finder_help(choice: FinderChoice) -> (&'static str, &'static str) {
    let help = match choice {
        FinderChoice::Classical => "By symbols and borders: no network",
        FinderChoice::Learned => "By networks and borders",
    };
    (choice.name(), help)
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

/// A bar on stderr for more than one photo, if that is a terminal.
pub fn progress(photos: usize) -> ProgressBar {
    let target =
        if photos > 1 { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(photos as u64), target);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} photos, {rate}, {eta} left");
    let style = style.expect("a template that is well formed");
    bar.with_style(style.with_key("rate", |state: &ProgressState, out: &mut dyn fmt::Write| {
        let _ = write!(out, "{:.1} a second", state.per_sec());
    }))
}
