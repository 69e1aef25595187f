//! The reading options as plain data, from which a [`Pipeline`] is built.

use crate::{
    FinderChoice, FinderError, Mirrored, Pipeline, ReaderChoice, Step, TableFacts, board,
    classify::{
        classical::ClassicalReader, fused::FusedReader, fusion::Fusion, neural::NeuralReader,
        reader::Reader, screens::Screens, taught::DeckReader,
    },
    find::CardFinder,
    refiner::{self, RefinerNetwork},
};
use setsight_files::printable;
use setsight_game::cards::Deck;
use setsight_nets::Kind;
use setsight_nets::engine::{Models, ModelsError, sha256, used};
use std::{path::PathBuf, sync::Arc};

/// How cards are read.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ReadingPlan {
    /// The deck on the table; `None` if its cards show which of the built-in ones it is.
    pub deck: Option<Arc<Deck>>,
    /// The finder.
    pub finder: FinderChoice,
    /// The reader; a taught deck has its own.
    pub reader: ReaderChoice,
    /// Whether pictures are mirrored.
    pub mirrored: Mirrored,
    /// The weights; `None` for those that this user has chosen (see [`used`]).
    pub models: Option<Models>,
    /// Steps that are left out. The weights of the evidence remain those fitted with all steps.
    pub without: Vec<Step>,
}

/// Why cards cannot be read as planned.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum PlanError {
    /// Weights are missing or broken.
    #[error(transparent)]
    Models(#[from] ModelsError),
    /// A reader was chosen, or steps of one, for a deck that has its own.
    #[error(
        "the deck {deck} has a file, and with it a reader of its own: no other can be chosen, and no step \
         left out"
    )]
    OwnReader { deck: String },
    /// The classical finder was chosen in a build without it.
    #[error("{}", FinderError::NoOpenCv)]
    NoOpenCv,
    /// The models that this user has chosen cannot be used.
    #[error(
        "the models that were chosen ({}) cannot be used: {error}", folder.display()
    )]
    Chosen { folder: PathBuf, error: Box<PlanError> },
}

impl PlanError {
    /// Whether the call was wrong: it names a folder without the files, or things that do not go
    /// together. A broken file is not the call's fault.
    pub fn is_wrong_call(&self) -> bool {
        match self {
            Self::Models(error) => {
                matches!(error, ModelsError::NotShipped(_) | ModelsError::Unreadable { .. })
            }
            Self::Chosen { error, .. } => error.is_wrong_call(),
            Self::OwnReader { .. } | Self::NoOpenCv => true,
        }
    }
}

impl From<FinderError> for PlanError {
    fn from(error: FinderError) -> Self {
        match error {
            FinderError::NoOpenCv => Self::NoOpenCv,
            FinderError::Models(error) => Self::Models(error),
        }
    }
}

type Refiner = Option<Arc<dyn RefinerNetwork>>;

impl ReadingPlan {
    /// Reads with these weights, and otherwise as usual.
    pub fn with_models(models: Models) -> Self {
        Self { models: Some(models), ..Self::default() }
    }

    /// Loads the weights and assembles the stages.
    ///
    /// # Errors
    /// [`PlanError`].
    pub fn build(&self) -> Result<Pipeline, PlanError> {
        self.with_remedy(self.assembled())
    }

    /// The finder alone, for those who only look where cards lie.
    ///
    /// # Errors
    /// Weights are missing or broken.
    pub fn build_finder(&self) -> Result<Box<dyn CardFinder>, PlanError> {
        let models = self.models.clone().unwrap_or_else(used::models);
        let refiner = refiner::shared(&models).map_err(PlanError::from);
        self.with_remedy(refiner.and_then(|refiner| self.finder_of(&models, refiner)))
    }

    /// Stands for all that readings depend on: options, decks and every file of the weights. Two plans with
    /// the same fingerprint read alike. SHA-256 in hexadecimal.
    ///
    /// # Errors
    /// Weights that cannot be read.
    pub fn fingerprint(&self) -> Result<String, PlanError> {
        let models = self.models.clone().unwrap_or_else(used::models);
        let deck = self.deck.as_ref().map(|deck| deck.to_text());
        let mut text = format!(
            "{} {} {} {:?} {deck:?}",
            self.reader.name(),
            self.finder.name(),
            self.mirrored.name(),
            self.without
        );
        // What a folder lacks may be taken from the shipped ones.
        for models in [models, Models::Shipped] {
            text += &format!(" {:?}", models.hashes()?);
        }
        Ok(sha256(text.as_bytes()))
    }

    /// The facts of a table that are known in advance.
    fn facts(&self) -> TableFacts {
        let facts = TableFacts::default().with_mirror(self.mirrored);
        match &self.deck {
            None => facts,
            Some(deck) => facts.of_deck(deck),
        }
    }

    fn assembled(&self) -> Result<Pipeline, PlanError> {
        let models = self.models.clone().unwrap_or_else(used::models);
        match self.deck.as_ref().filter(|deck| deck.is_taught()) {
            Some(deck) => self.for_taught_deck(deck, &models),
            None => self.for_builtin_decks(&models),
        }
    }

    /// The stages that read a deck by its file.
    fn for_taught_deck(&self, deck: &Arc<Deck>, models: &Models) -> Result<Pipeline, PlanError> {
        if !self.without.is_empty() || self.reader != ReaderChoice::default() {
            return Err(PlanError::OwnReader { deck: printable::line(&deck.name).into_owned() });
        }
        // The finder knows cards of any deck.
        let finder = self.finder_of(models, refiner::shared(models)?)?;
        let reader = DeckReader::new(Arc::clone(deck));
        let facts = TableFacts::default().with_mirror(self.mirrored).of_deck(deck);
        Ok(pipeline(finder, Box::new(reader), DeckReader::CALIBRATION, facts))
    }

    /// The stages that read the decks that the networks know.
    fn for_builtin_decks(&self, models: &Models) -> Result<Pipeline, PlanError> {
        let needs_refiner =
            self.finder == FinderChoice::Learned || self.reader == ReaderChoice::Fused;
        let refiner = if needs_refiner { refiner::shared(models)? } else { None };
        let finder = self.finder_of(models, refiner.clone())?;
        let plain = board::Calibration::default();
        let mut on_screen = None;
        let (reader, calibration): (Box<dyn Reader>, _) = match self.reader {
            ReaderChoice::Classical => (Box::new(ClassicalReader), plain),
            ReaderChoice::Neural => (Box::new(network_of(models)?), plain),
            ReaderChoice::Fused => {
                let network = network_of(models)?;
                let fusion = Fusion::load(models)?;
                // Weights that were fitted without it give it none.
                let has_second = fusion.second_sha256.is_some();
                let weights = match self.finder {
                    FinderChoice::Learned => fusion.learned,
                    FinderChoice::Classical => fusion.classical,
                };
                let calibration = weights.board;
                let mut reader = FusedReader::new(network, refiner, weights);
                reader.without.clone_from(&self.without);
                reader.company = fusion.company;
                if has_second {
                    reader.second = NeuralReader::load_second(models)?;
                }
                let with_screens = !self.without.contains(&Step::Screens);
                if self.finder == FinderChoice::Learned && with_screens {
                    reader.screens = Screens::load(models)?;
                    on_screen = reader.screens.as_ref().map(|screens| screens.evidence.board);
                }
                (Box::new(reader), calibration)
            }
        };
        let mut pipeline = pipeline(finder, reader, calibration, self.facts());
        pipeline.board.on_screen = on_screen;
        pipeline.without.clone_from(&self.without);
        Ok(pipeline)
    }

    fn finder_of(
        &self,
        models: &Models,
        refiner: Refiner,
    ) -> Result<Box<dyn CardFinder>, PlanError> {
        Ok(self.finder.finder(models, refiner, &self.without)?)
    }

    /// Says what to do where the models are the user's choice.
    fn with_remedy<T>(&self, built: Result<T, PlanError>) -> Result<T, PlanError> {
        built.map_err(|error| match used::chosen() {
            _ if matches!(error, PlanError::OwnReader { .. }) => error,
            Some(folder) if self.models.is_none() => {
                PlanError::Chosen { folder, error: Box::new(error) }
            }
            _ => error,
        })
    }
}

fn network_of(models: &Models) -> Result<NeuralReader, PlanError> {
    Ok(NeuralReader::with_network(Box::new(models.network(Kind::Reader)?)))
}

fn pipeline(
    finder: Box<dyn CardFinder>,
    reader: Box<dyn Reader>,
    calibration: board::Calibration,
    facts: TableFacts,
) -> Pipeline {
    let board = board::Params { calibration, ..board::Params::default() };
    Pipeline { finder, reader, board, facts, without: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_nets::engine::WEIGHTS;
    use std::collections::HashSet;

    /// An invented deck as its file holds it, whose numbers are rounded.
    fn deck(seed: u64) -> Arc<Deck> {
        let text = Deck::invented(seed).to_text();
        Arc::new(Deck::parse("a test", &text).unwrap())
    }

    #[test]
    fn what_is_asked_for_is_assembled() {
        let plan = ReadingPlan {
            finder: FinderChoice::Classical,
            reader: ReaderChoice::Classical,
            mirrored: Mirrored::Yes,
            ..ReadingPlan::with_models(Models::Shipped)
        };
        let pipeline = plan.build().unwrap();
        assert_eq!(pipeline.facts.mirror_is_settled(), Some(true));
        assert_eq!(pipeline.finder.name(), "classical");
        let named = ReadingPlan { deck: Some(Deck::rectangles()), ..plan };
        assert_eq!(named.build().unwrap().facts.deck_name(), "rectangles");
    }

    #[test]
    fn what_readings_depend_on_changes_the_fingerprint() {
        let home = tempfile::tempdir().unwrap();
        let plan = ReadingPlan::with_models(Models::Folder(home.path().to_owned()));
        let mut fingerprints = HashSet::from([plan.fingerprint().unwrap()]);
        let mut is_new = |plan: &ReadingPlan| fingerprints.insert(plan.fingerprint().unwrap());
        for file in WEIGHTS {
            for content in ["one", "another"] {
                std::fs::write(home.path().join(file), content).unwrap();
                assert!(is_new(&plan), "{file} is {content}");
            }
        }
        for other in [
            ReadingPlan { deck: Some(Deck::classic()), ..plan.clone() },
            ReadingPlan { deck: Some(deck(31)), ..plan.clone() },
            ReadingPlan { deck: Some(deck(32)), ..plan.clone() },
            ReadingPlan { finder: FinderChoice::Classical, ..plan.clone() },
            ReadingPlan { reader: ReaderChoice::Neural, ..plan.clone() },
            ReadingPlan { mirrored: Mirrored::Yes, ..plan.clone() },
            ReadingPlan { without: vec![Step::Search], ..plan.clone() },
        ] {
            assert!(is_new(&other), "{other:?}");
        }
    }

    #[test]
    fn a_deck_with_a_file_has_a_separate_reader() {
        let plan =
            ReadingPlan { deck: Some(deck(31)), ..ReadingPlan::with_models(Models::Shipped) };
        assert_eq!(plan.build().unwrap().facts.deck_name(), deck(31).name);
        for wrong in [
            ReadingPlan { reader: ReaderChoice::Neural, ..plan.clone() },
            ReadingPlan { without: vec![Step::Search], ..plan },
        ] {
            let error = wrong.build().err().unwrap();
            assert!(error.is_wrong_call() && error.to_string().contains("a reader of its own"));
        }
    }
}
