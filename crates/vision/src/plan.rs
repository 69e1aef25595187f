//! How cards are read, as plain data, and the one place that assembles a [`Pipeline`] of it.

use crate::choice::shared_refiner;
use crate::classify::classical::ClassicalReader;
use crate::classify::fused::FusedReader;
use crate::classify::fusion::Fusion;
use crate::classify::neural::NeuralReader;
use crate::classify::reader::Reader;
use crate::classify::taught::{DeckReader, trained_for};
use crate::find::CardFinder;
use crate::refiner::RefinerNetwork;
use crate::table::screens::Screens;
use crate::{FinderChoice, FinderError, Mirrored, Pipeline, ReaderChoice, Step, TableFacts, board};
use setsight_files::printable;
use setsight_game::cards::Deck;
use setsight_game::cards::deck::DeckError;
use setsight_nets::Kind;
use setsight_nets::engine::{Models, ModelsError, sha256, used};
use std::path::PathBuf;
use std::sync::Arc;

/// How cards are read.
///
/// The models of a folder that `setsight train reader --deck` wrote know the cards of one deck, which
/// lies beside them. Where such models are given, that deck is read unless another is named, which
/// is an error. Where such models are those that the user has chosen, they read their own deck only:
/// any other deck is read as if none had been chosen.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ReadingPlan {
    /// The deck on the table; `None` if its cards tell which of the known ones it is.
    pub deck: Option<Arc<Deck>>,
    /// What finds the cards.
    pub finder: FinderChoice,
    /// What reads the cards; a taught deck has a reader of its own.
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
pub enum PlanError {
    /// Weights are missing or broken.
    #[error(transparent)]
    Models(#[from] ModelsError),
    /// The file beside a network that should hold its deck holds none.
    #[error(transparent)]
    Deck(#[from] DeckError),
    /// The given network does not know the deck.
    #[error(
        "{folder}: its reader was not trained for the deck {deck}; without it the deck is read by \
         measuring alone"
    )]
    NotTrainedFor {
        /// Where the network lies.
        folder: String,
        /// The deck that is to be read.
        deck: String,
    },
    /// The given network knows another deck.
    #[error("{folder}: its reader was trained for the deck {deck} alone")]
    TrainedForOther {
        /// Where the network lies.
        folder: String,
        /// The deck that the network knows.
        deck: String,
    },
    /// A reader was chosen, or steps of one, for a deck that has its own.
    #[error(
        "the deck {deck} has a file, and with it a reader of its own: no other can be chosen, and no step \
         left out"
    )]
    OwnReader {
        /// The deck that is to be read.
        deck: String,
    },
    /// The classical finder was chosen in a build without it.
    #[error("{}", FinderError::NoOpenCv)]
    NoOpenCv,
    /// The models that this user has chosen cannot be used.
    #[error(
        "the models that were chosen ({}) cannot be used: {error}", folder.display()
    )]
    Chosen {
        /// Where they lie.
        folder: PathBuf,
        /// What is wrong with them.
        error: Box<PlanError>,
    },
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
            Self::Deck(_)
            | Self::NotTrainedFor { .. }
            | Self::TrainedForOther { .. }
            | Self::OwnReader { .. }
            | Self::NoOpenCv => true,
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
        let models = self.models.clone().map_or_else(usual_models, Ok);
        self.with_remedy(models.and_then(|models| {
            let refiner = shared_refiner(&models)?;
            self.finder_of(&models, refiner)
        }))
    }

    /// Stands for all that readings depend on: options, decks and every file of the weights. Two plans with
    /// the same fingerprint read alike. SHA-256 in hexadecimal.
    ///
    /// # Errors
    /// Weights or a deck beside them that cannot be read.
    pub fn fingerprint(&self) -> Result<String, PlanError> {
        let models = self.models.clone().unwrap_or_else(used::models);
        let trained = deck_of(&models)?;
        let decks = [&self.deck, &trained].map(|deck| deck.as_ref().map(|deck| deck.to_text()));
        let mut text = format!(
            "{} {} {} {:?} {decks:?}",
            self.reader.name(),
            self.finder.name(),
            self.mirrored.name(),
            self.without
        );
        let mut all = vec![models];
        if trained.is_some() || self.deck.as_ref().is_some_and(|deck| deck.is_taught()) {
            // These find the cards of a taught deck.
            all.push(usual_models()?);
        }
        // What a folder lacks may be taken from here.
        all.push(Models::Shipped);
        for models in all {
            text += &format!(" {:?}", models.hashes()?);
        }
        Ok(sha256(text.as_bytes()))
    }

    /// What is known of a table before it is seen.
    fn facts(&self) -> TableFacts {
        let facts = TableFacts::default().with_mirror(self.mirrored);
        match &self.deck {
            None => facts,
            Some(deck) => facts.of_deck(deck),
        }
    }

    fn assembled(&self) -> Result<Pipeline, PlanError> {
        let models = self.models.clone().unwrap_or_else(used::models);
        let trained = deck_of(&models)?;
        let taught = match &self.deck {
            None => trained.clone().filter(|_| self.models.is_some()),
            Some(deck) => Some(Arc::clone(deck)).filter(|deck| deck.is_taught()),
        };
        let given = match &self.models {
            Some(Models::Folder(folder)) => Some(folder.display().to_string()),
            Some(Models::Shipped) | None => None,
        };
        let named = |deck: &Deck| printable::line(&deck.name).into_owned();
        match (taught, trained) {
            (None, None) => self.of_known_decks(&models),
            (None, Some(own)) => match given {
                Some(folder) => Err(PlanError::TrainedForOther { folder, deck: named(&own) }),
                None => self.of_known_decks(&Models::Shipped),
            },
            // As text: the file beside a network was written once more, and rounded.
            (Some(deck), Some(own)) if own.to_text() == deck.to_text() => {
                self.of_taught_deck(&deck, Some(&models))
            }
            (Some(deck), _) => match given {
                Some(folder) => Err(PlanError::NotTrainedFor { folder, deck: named(&deck) }),
                None => self.of_taught_deck(&deck, None),
            },
        }
    }

    /// The stages that read a deck by its file, with a network that was trained for it if there is
    /// one.
    fn of_taught_deck(
        &self,
        deck: &Arc<Deck>,
        network: Option<&Models>,
    ) -> Result<Pipeline, PlanError> {
        if !self.without.is_empty() || self.reader != ReaderChoice::default() {
            return Err(PlanError::OwnReader { deck: printable::line(&deck.name).into_owned() });
        }
        let network = network.map(|models| network_for(models, Some(deck))).transpose()?;
        // The finder knows cards of any deck.
        let models = usual_models()?;
        let finder = self.finder_of(&models, shared_refiner(&models)?)?;
        let reader = DeckReader::new(Arc::clone(deck), network);
        let calibration = reader.calibration();
        let facts = TableFacts::default().with_mirror(self.mirrored).of_deck(deck);
        Ok(pipeline(finder, Box::new(reader), calibration, facts))
    }

    /// The stages that read the decks that the networks know.
    fn of_known_decks(&self, models: &Models) -> Result<Pipeline, PlanError> {
        let needs_refiner =
            self.finder == FinderChoice::Learned || self.reader == ReaderChoice::Fused;
        let refiner = if needs_refiner { shared_refiner(models)? } else { None };
        let finder = self.finder_of(models, refiner.clone())?;
        let plain = board::Calibration::default();
        let mut on_screen = None;
        let (reader, calibration): (Box<dyn Reader>, _) = match self.reader {
            ReaderChoice::Classical => (Box::new(ClassicalReader), plain),
            ReaderChoice::Neural => (Box::new(network_for(models, None)?), plain),
            ReaderChoice::Fused => {
                let network = network_for(models, None)?;
                let fusion = Fusion::load(models)?;
                // Weights that were fitted without it give it none.
                let has_second = fusion.second_sha256.is_some();
                let weights = match self.finder {
                    FinderChoice::Learned => fusion.learned,
                    FinderChoice::Classical => fusion.classical,
                };
                let calibration = weights.board;
                let refiner = refiner.filter(|_| !self.without.contains(&Step::Context));
                let mut reader = FusedReader::new(network, refiner, weights);
                if has_second {
                    reader.second = NeuralReader::load_second(models)?;
                }
                reader.with_features = !self.without.contains(&Step::Features);
                if self.finder == FinderChoice::Learned {
                    reader.screens = Screens::load(models)?;
                    on_screen = reader.screens.as_ref().map(|screens| screens.evidence.board);
                }
                (Box::new(reader), calibration)
            }
        };
        let mut pipeline = pipeline(finder, reader, calibration, self.facts());
        pipeline.board.on_screen = on_screen;
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

/// The models to read known decks with, and to find cards of any deck, unless others are given: those
/// that this user has chosen, if they were not trained for one deck alone.
///
/// # Errors
/// The file beside them that should hold their deck holds none.
pub fn usual_models() -> Result<Models, PlanError> {
    let models = used::models();
    let is_for_one_deck = deck_of(&models)?.is_some();
    Ok(if is_for_one_deck { Models::Shipped } else { models })
}

/// The taught deck that models were trained for, if there is one.
///
/// # Errors
/// The file beside them that should hold it holds none.
pub fn deck_of(models: &Models) -> Result<Option<Arc<Deck>>, DeckError> {
    match models {
        Models::Shipped => Ok(None),
        Models::Folder(folder) => trained_for(folder),
    }
}

/// The reader network, which must have been trained for this taught deck, or for the known ones.
fn network_for(models: &Models, deck: Option<&Deck>) -> Result<NeuralReader, PlanError> {
    let network = models.network(Kind::Reader)?;
    let folder = match models {
        Models::Folder(folder) => folder.display().to_string(),
        Models::Shipped => models.name_of(""),
    };
    match (&network.metadata().deck, deck) {
        (Some(own), None) => {
            Err(PlanError::TrainedForOther { folder, deck: printable::line(own).into_owned() })
        }
        (Some(own), Some(deck)) if *own != deck.name => {
            Err(PlanError::NotTrainedFor { folder, deck: printable::line(&deck.name).into_owned() })
        }
        // Networks of taught decks have not always named them.
        _ => Ok(NeuralReader::with_network(Box::new(network))),
    }
}

fn pipeline(
    finder: Box<dyn CardFinder>,
    reader: Box<dyn Reader>,
    calibration: board::Calibration,
    facts: TableFacts,
) -> Pipeline {
    let board = board::Params { calibration, ..board::Params::default() };
    Pipeline { finder, reader, board, facts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Trace;
    use crate::classify::taught::TRAINED_FOR;
    use setsight_nets::engine::{WEIGHTS, file_of};
    use setsight_scenes::{DeckChoice, Params};
    use std::collections::HashSet;
    use std::path::Path;

    /// An invented deck as its file holds it, whose numbers are rounded.
    fn deck(seed: u64) -> Arc<Deck> {
        let text = Deck::invented(seed).to_text();
        Arc::new(Deck::parse("a test", &text).unwrap())
    }

    /// A folder as training for a deck leaves it, with this as the network.
    fn trained(folder: &Path, deck: &Deck, network: &[u8]) -> ReadingPlan {
        std::fs::write(folder.join(TRAINED_FOR), deck.to_text()).unwrap();
        std::fs::write(folder.join(file_of(Kind::Reader)), network).unwrap();
        ReadingPlan::with_models(Models::Folder(folder.to_owned()))
    }

    fn shipped_reader() -> Vec<u8> {
        Models::Shipped.read(file_of(Kind::Reader)).unwrap().into_owned()
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
    fn what_readings_depend_on_is_told_apart() {
        let home = tempfile::tempdir().unwrap();
        let plan = ReadingPlan::with_models(Models::Folder(home.path().to_owned()));
        let mut told = HashSet::from([plan.fingerprint().unwrap()]);
        let mut is_new = |plan: &ReadingPlan| told.insert(plan.fingerprint().unwrap());
        for file in WEIGHTS {
            for content in ["one", "another"] {
                std::fs::write(home.path().join(file), content).unwrap();
                assert!(is_new(&plan), "{file} is {content}");
            }
        }
        for seed in [31, 32] {
            std::fs::write(home.path().join(TRAINED_FOR), deck(seed).to_text()).unwrap();
            assert!(is_new(&plan), "trained for deck {seed}");
        }
        for other in [
            ReadingPlan { deck: Some(Deck::classic()), ..plan.clone() },
            ReadingPlan { finder: FinderChoice::Classical, ..plan.clone() },
            ReadingPlan { reader: ReaderChoice::Neural, ..plan.clone() },
            ReadingPlan { mirrored: Mirrored::Yes, ..plan.clone() },
            ReadingPlan { without: vec![Step::Search], ..plan.clone() },
        ] {
            assert!(is_new(&other), "{other:?}");
        }
    }

    #[test]
    fn models_of_one_deck_read_that_deck() {
        let home = tempfile::tempdir().unwrap();
        let (ours, other) = (deck(31), deck(32));
        let plan = trained(home.path(), &ours, &shipped_reader());
        let facts = plan.build().unwrap().facts;
        assert_eq!(facts.deck_name(), ours.name);
        let with = |deck| ReadingPlan { deck: Some(deck), ..plan.clone() };
        assert_eq!(with(Arc::clone(&ours)).build().unwrap().facts, facts);
        let refused = |plan: ReadingPlan, words: &str| {
            let error = plan.build().err().unwrap();
            assert!(error.is_wrong_call() && error.to_string().contains(words), "{error}");
        };
        refused(with(Arc::clone(&other)), &format!("not trained for the deck {}", other.name));
        refused(with(Deck::classic()), &format!("trained for the deck {} alone", ours.name));
        let neural = ReadingPlan { reader: ReaderChoice::Neural, ..plan.clone() };
        refused(neural, "a reader of its own");
        let without = ReadingPlan { without: vec![Step::Search], ..plan };
        refused(without, "a reader of its own");
        let plain = ReadingPlan { deck: Some(other), ..ReadingPlan::with_models(Models::Shipped) };
        assert_eq!(plain.build().unwrap().facts.deck_name(), deck(32).name);
    }

    #[test]
    fn the_network_of_a_taught_deck_has_its_say() {
        let home = tempfile::tempdir().unwrap();
        let broken = trained(home.path(), &deck(31), b"no network").build().err().unwrap();
        assert!(!broken.is_wrong_call(), "{broken}");
        // Cards of another deck than the network's own: it takes part, and contradicts.
        let mut params = Params::of(setsight_scenes::Kind::Plain);
        params.decks = vec![(DeckChoice::Known(deck(31)), 1.0)];
        let scene = setsight_scenes::render(&params, 5, 0).unwrap();
        let readings = |plan: ReadingPlan| {
            let pipeline = plan.build().unwrap();
            pipeline.read(&scene.image, &mut Trace::default()).unwrap().readings
        };
        let measured =
            ReadingPlan { deck: Some(deck(31)), ..ReadingPlan::with_models(Models::Shipped) };
        let both = readings(trained(home.path(), &deck(31), &shipped_reader()));
        assert_ne!(readings(measured), both);
    }
}
