//! The facts that hold for a whole table: which deck lies there, and whether the picture is
//! mirrored. The cards are combined by Bayes' rule; in a film, each frame's posterior is the next
//! frame's prior.

use crate::classify::fused::least_lead;
use crate::probability::{logistic, softmax};
use setsight_game::cards::{Deck, Edition, Property};
use setsight_nets::reader::{CARD, EDITION, OUTPUTS, of_edition};
use std::sync::Arc;

/// The facts of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableFacts {
    /// Which deck lies there.
    pub deck: DeckFacts,
    /// Log odds that the picture is mirrored.
    pub mirrored: f32,
    /// Whether it shows the cards' colours.
    pub colors: Colors,
    /// Whether it is a copy of a screen, such as a screenshot of a game.
    pub on_screen: bool,
}

/// Whether a picture shows the colours of its cards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colors {
    /// It does.
    #[default]
    Shown,
    /// The picture is grey: a black-and-white filter, a scan, a camera in the dark.
    Grey,
    /// Its light makes all inks alike.
    Alike,
}

/// The facts of a table's deck.
#[derive(Clone, Debug, PartialEq)]
pub enum DeckFacts {
    /// It is this one; no card changes that.
    Known(Arc<Deck>),
    /// Probability of each edition, in the order of [`Edition::ALL`]; they sum to 1.
    Among([f32; 3]),
}

/// The user's choice whether pictures are mirrored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mirrored {
    /// Pictures are not mirrored.
    No,
    /// Pictures are mirrored.
    Yes,
    /// The squiggles decide.
    #[default]
    Auto,
}

impl Mirrored {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::No, Self::Yes, Self::Auto];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Yes => "yes",
            Self::Auto => "auto",
        }
    }
}

impl Default for TableFacts {
    /// The prior, before any card is seen.
    fn default() -> Self {
        // Of 35 public sources of photos, three show the rectangle edition and three are mirrored;
        // unknown decks are rarer.
        Self {
            deck: DeckFacts::Among([0.9, 0.08, 0.02]),
            mirrored: -2.4,
            colors: Colors::Shown,
            on_screen: false,
        }
    }
}

/// Bound on the evidence of one card for an edition, as log odds (natural logarithm): the cards of
/// a table share light, camera and printing, so their errors are correlated.
const MOST_EVIDENCE: f32 = 3.0;
/// Log odds from which the orientation of a film is settled: later frames are read that way only,
/// no longer both ways.
const SETTLED: f32 = 8.0;

impl TableFacts {
    /// Sets the deck as certain. What a taught deck looks like in a mirror is not known: its pictures
    /// are taken as they are unless it is certain that they are mirrored.
    pub fn of_deck(self, deck: &Arc<Deck>) -> Self {
        let is_open = self.mirrored.is_finite() && deck.is_taught();
        let mirrored = if is_open { f32::NEG_INFINITY } else { self.mirrored };
        Self { deck: DeckFacts::Known(Arc::clone(deck)), mirrored, ..self }
    }

    /// Sets the edition as certain.
    pub fn of_edition(self, edition: Edition) -> Self {
        match edition.deck() {
            Some(deck) => self.of_deck(&deck),
            None => {
                let only = Edition::ALL.map(|each| f32::from(u8::from(each == edition)));
                Self { deck: DeckFacts::Among(only), ..self }
            }
        }
    }

    /// Sets that the cards are of no deck whose cards have names.
    pub(crate) fn with_unknown_deck(self) -> Self {
        self.of_edition(Edition::Unknown)
    }

    /// Sets the orientation that the user chose.
    pub(crate) fn with_mirror(self, mirrored: Mirrored) -> Self {
        match mirrored {
            Mirrored::No => self.with_mirrored(false),
            Mirrored::Yes => self.with_mirrored(true),
            Mirrored::Auto => self,
        }
    }

    /// Sets as certain whether pictures are mirrored.
    pub(crate) fn with_mirrored(self, mirrored: bool) -> Self {
        Self { mirrored: if mirrored { f32::INFINITY } else { f32::NEG_INFINITY }, ..self }
    }

    /// The likeliest edition; [`Edition::Unknown`] for a taught deck.
    pub(crate) fn edition(&self) -> Edition {
        match &self.deck {
            DeckFacts::Known(deck) => deck.edition(),
            DeckFacts::Among(editions) => likeliest(editions, &Edition::ALL),
        }
    }

    /// The edition as which the networks read the cards, and the probability that the cards are
    /// those of its deck: the likeliest of the known ones.
    pub fn named_edition(&self) -> (Edition, f32) {
        match &self.deck {
            DeckFacts::Known(deck) if deck.is_taught() => (Edition::OF_TAUGHT, 1.0),
            DeckFacts::Known(deck) => (deck.edition(), 1.0),
            DeckFacts::Among(editions) => {
                let edition = likeliest(editions, &Edition::KNOWN);
                (edition, editions[edition.index()])
            }
        }
    }

    /// The likeliest deck; `None` if its cards cannot be named.
    pub fn deck(&self) -> Option<Arc<Deck>> {
        match &self.deck {
            DeckFacts::Known(deck) => Some(Arc::clone(deck)),
            DeckFacts::Among(_) => self.edition().deck(),
        }
    }

    /// The taught deck that lies there, if it is one.
    pub fn taught_deck(&self) -> Option<&Arc<Deck>> {
        match &self.deck {
            DeckFacts::Known(deck) if deck.is_taught() => Some(deck),
            _ => None,
        }
    }

    /// The name of the likeliest deck; `unknown` if its cards cannot be named.
    pub fn deck_name(&self) -> &str {
        match &self.deck {
            DeckFacts::Known(deck) => &deck.name,
            DeckFacts::Among(_) => self.edition().name(),
        }
    }

    /// The likeliest deck whose cards can be named.
    pub(crate) fn named_deck(&self) -> Arc<Deck> {
        match &self.deck {
            DeckFacts::Known(deck) => Arc::clone(deck),
            DeckFacts::Among(_) => self.named_edition().0.deck().unwrap_or_else(Deck::classic),
        }
    }

    /// Whether the picture is more likely mirrored than not.
    pub fn is_mirrored(&self) -> bool {
        self.mirrored > 0.0
    }

    /// Whether the picture is mirrored, if that is settled.
    pub(crate) fn mirror_is_settled(&self) -> Option<bool> {
        (self.mirrored.abs() >= SETTLED).then(|| self.is_mirrored())
    }

    /// The posterior after some cards, given the reader network's logits of each.
    pub(crate) fn after_cards<'a>(
        self,
        cards: impl IntoIterator<Item = &'a [f32; OUTPUTS]>,
    ) -> Self {
        let DeckFacts::Among(before) = self.deck else { return self };
        let mut evidence = [0.0; 3];
        for logits in cards {
            let [classic, mut rectangles, unknown] = std::array::from_fn(|i| logits[EDITION + i]);
            if !is_of_the_rectangle_edition(logits) {
                rectangles = rectangles.min(classic);
            }
            let of_card = [classic, rectangles, unknown];
            let most = of_card.iter().copied().fold(f32::MIN, f32::max);
            let is_card = logistic(logits[CARD]);
            for (evidence, logit) in evidence.iter_mut().zip(of_card) {
                *evidence += is_card * (logit - most).max(-MOST_EVIDENCE);
            }
        }
        let least = f32::MIN_POSITIVE.ln();
        let log = |p: f32| if p > 0.0 { p.ln() } else { least };
        let after: [f32; 3] = softmax(std::array::from_fn(|i| log(before[i]) + evidence[i]));
        let possible = std::array::from_fn(|i| if before[i] > 0.0 { after[i] } else { 0.0 });
        Self { deck: DeckFacts::Among(possible), ..self }
    }

    /// The prior for a film's next frame. It keeps every edition possible, so that later frames can
    /// correct it, unless the deck was set as certain. It also bounds the log odds of a mirror.
    pub fn for_the_next_frame(self) -> Self {
        /// Least probability of an edition that was not ruled out.
        const LEAST: f32 = 1e-3;
        let deck = match self.deck {
            DeckFacts::Known(ref deck) => DeckFacts::Known(Arc::clone(deck)),
            DeckFacts::Among(editions) => {
                let raised = editions.map(|p| if p > 0.0 { p.max(LEAST) } else { 0.0 });
                let sum: f32 = raised.iter().sum();
                DeckFacts::Among(raised.map(|p| p / sum))
            }
        };
        let mirrored = if self.mirrored.is_finite() {
            self.mirrored.clamp(-1.5 * SETTLED, 1.5 * SETTLED)
        } else {
            self.mirrored
        };
        Self { deck, mirrored, ..self }
    }
}

/// Whether a card is clearly one of the rectangle edition. What is odd in other ways, such as a page's
/// boxes or a card with four symbols, looks more like that edition than like the classic one, but not
/// clearly like any of its cards. Colours do not count: no edition has its own.
fn is_of_the_rectangle_edition(logits: &[f32; OUTPUTS]) -> bool {
    /// Least lead of a logit, natural logarithm: of 213 cards of this edition 196 have it, of 145 dominoes,
    /// pages' boxes and cards of four symbols that were drawn 11.
    const CLEAR: f32 = 2.0;
    let values = of_edition(logits, Edition::Rectangles);
    let (number_and_shading, shape) =
        (&values[..3 * Property::Color as usize], &values[3 * Property::Shape as usize..]);
    let [classic, rectangles, unknown] = std::array::from_fn(|i| logits[EDITION + i]);
    least_lead(number_and_shading).min(least_lead(shape)) > CLEAR
        && rectangles > classic.max(unknown) + CLEAR
}

fn likeliest(editions: &[f32; 3], among: &[Edition]) -> Edition {
    let likeliest = among.iter().max_by(|a, b| editions[a.index()].total_cmp(&editions[b.index()]));
    *likeliest.expect("some editions")
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_nets::reader::{PROPERTIES, RECTANGLE};

    fn says(edition: Edition, strength: f32) -> [f32; OUTPUTS] {
        let mut logits = [0.0; OUTPUTS];
        logits[CARD] = 9.0;
        logits[EDITION + edition.index()] = strength;
        for property in 0..PROPERTIES {
            logits[3 * property] = 5.0;
        }
        logits[RECTANGLE] = 5.0;
        logits
    }

    #[test]
    fn cards_show_their_edition_together() {
        let usual = TableFacts::default();
        assert_eq!(usual.edition(), Edition::Classic);
        let one = usual.clone().after_cards(&[says(Edition::Rectangles, 2.0)]);
        assert_eq!(one.edition(), Edition::Classic, "one card that may be either");
        let three = usual.clone().after_cards(&[says(Edition::Rectangles, 4.0); 3]);
        assert!(three.edition() == Edition::Rectangles && three.named_edition().1 > 0.98);
        let without =
            says(Edition::Rectangles, 4.0).map(|logit| if logit == 5.0 { 0.0 } else { logit });
        let none = usual.clone().after_cards(&[without; 9]);
        assert_eq!(none.edition(), Edition::Classic, "no card shows a rectangle");
        let strange = usual.clone().after_cards(&[says(Edition::Unknown, 6.0); 5]);
        assert_eq!(strange.edition(), Edition::Unknown);
        assert!(strange.named_edition().1 < 0.01, "its cards have no name");
        // One odd card among many decides nothing, however certain it is.
        let mut cards = [says(Edition::Classic, 4.0); 6];
        cards[0] = says(Edition::Unknown, 50.0);
        assert!(usual.clone().after_cards(&cards).named_edition().1 > 0.99);
        let mut nothing = says(Edition::Unknown, 50.0);
        nothing[CARD] = -20.0;
        assert_eq!(usual.clone().after_cards(&[nothing; 9]), usual.clone().after_cards(&[]));
    }

    #[test]
    fn what_is_given_beforehand_stays() {
        let forced = TableFacts::default().of_edition(Edition::Classic).with_mirrored(true);
        let after =
            forced.clone().after_cards(&[says(Edition::Unknown, 9.0); 9]).for_the_next_frame();
        assert_eq!(after, forced);
        assert_eq!(after.mirror_is_settled(), Some(true));
    }

    #[test]
    fn a_film_can_change_its_mind() {
        let sure = TableFacts { mirrored: 90.0, ..TableFacts::default() }
            .after_cards(&[says(Edition::Unknown, 9.0); 20])
            .for_the_next_frame();
        let DeckFacts::Among(editions) = sure.deck else { panic!("{sure:?}") };
        assert!(editions.iter().all(|p| *p > 5e-4) && sure.mirrored < 20.0);
        let back = sure.after_cards(&[says(Edition::Classic, 9.0); 9]);
        assert_eq!(back.edition(), Edition::Classic);
    }

    #[test]
    fn a_deck_that_is_given_stays() {
        let ours = Arc::new(Deck::invented(31));
        let facts = TableFacts::default().of_deck(&ours);
        let after = facts.clone().after_cards(&[says(Edition::Unknown, 9.0); 9]);
        assert_eq!(after.for_the_next_frame(), facts);
        assert_eq!((facts.deck_name(), facts.named_edition().1), (&*ours.name, 1.0));
        assert_eq!(
            (facts.deck(), facts.named_deck()),
            (Some(Arc::clone(&ours)), Arc::clone(&ours))
        );
        // Its pictures are taken as they are, unless the user says that they are mirrored.
        assert_eq!(facts.mirror_is_settled(), Some(false));
        let mirrored = TableFacts::default().with_mirror(Mirrored::Yes).of_deck(&ours);
        assert_eq!(mirrored.mirror_is_settled(), Some(true));
        assert_eq!(TableFacts::default().of_deck(&Deck::classic()).mirror_is_settled(), None);
    }
}
