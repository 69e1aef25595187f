//! The facts that hold for a whole table: the edition of its deck, and whether the picture is
//! mirrored. The cards are combined by Bayes' rule; in a film, each frame's posterior is the next
//! frame's prior.

use crate::cards::{Deck, Edition};
use crate::model::reader::{CARD, EDITION, OUTPUTS};
use crate::pipeline::probability::{logistic, softmax};
use std::sync::Arc;

/// The probabilities of a table's facts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableFacts {
    /// Probability of each edition, in the order of [`Edition::ALL`]; they sum to 1.
    pub editions: [f32; 3],
    /// Log odds that the picture is mirrored.
    pub mirrored: f32,
    /// The deck of one's own that lies there, by whose file its cards are read. It lives as long as the
    /// program.
    pub own_deck: Option<&'static Deck>,
}

/// Whether pictures are mirrored, as far as the user says.
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
        Self { editions: [0.9, 0.08, 0.02], mirrored: -2.4, own_deck: None }
    }
}

/// Bound on the evidence of one card for an edition, as log odds (natural logarithm): the cards of
/// a table share light, camera and printing, so their errors are correlated.
const MOST_TOLD: f32 = 3.0;
/// Log odds from which the orientation of a film is settled: later frames are read that way only,
/// no longer both ways.
const SETTLED: f32 = 8.0;

impl TableFacts {
    /// Sets the edition as certain.
    pub fn of_edition(self, edition: Edition) -> Self {
        let editions = Edition::ALL.map(|own| f32::from(u8::from(own == edition)));
        Self { editions, ..self }
    }

    /// Sets what the user says of the orientation.
    pub fn with_mirror(self, mirrored: Mirrored) -> Self {
        match mirrored {
            Mirrored::No => self.with_mirrored(false),
            Mirrored::Yes => self.with_mirrored(true),
            // What a deck of one's own looks like in a mirror is not known.
            Mirrored::Auto if self.own_deck.is_some() => self.with_mirrored(false),
            Mirrored::Auto => self,
        }
    }

    /// Sets as certain whether pictures are mirrored.
    pub fn with_mirrored(self, mirrored: bool) -> Self {
        Self { mirrored: if mirrored { f32::INFINITY } else { f32::NEG_INFINITY }, ..self }
    }

    /// The likeliest edition.
    pub fn edition(&self) -> Edition {
        self.likeliest(&Edition::ALL)
    }

    /// The likeliest of the known editions, and its probability.
    pub fn named_edition(&self) -> (Edition, f32) {
        let edition = self.likeliest(&Edition::KNOWN);
        (edition, self.editions[edition.index()])
    }

    /// With it known that a deck of one's own lies there; pictures are taken as they are unless it is said that
    /// they are mirrored.
    pub fn of_own_deck(self, deck: &'static Deck) -> Self {
        let mirrored = if self.mirrored.is_finite() { f32::NEG_INFINITY } else { self.mirrored };
        // Its cards are named by its own readers, beside which no edition comes into question.
        Self { own_deck: Some(deck), mirrored, ..self.of_edition(Edition::Classic) }
    }

    /// With it known which deck lies there.
    pub fn of_deck(self, deck: &Arc<Deck>) -> Self {
        if deck.is_taught() {
            self.of_own_deck(Box::leak(Box::new(Deck::clone(deck))))
        } else {
            self.of_edition(deck.edition())
        }
    }

    /// The name of the likeliest deck; `unknown` where it is none that has a name.
    pub fn deck_name(&self) -> &'static str {
        self.own_deck.map_or_else(|| self.edition().name(), |deck| deck.name.as_str())
    }

    /// The likeliest deck whose cards can be named.
    pub fn named_deck(&self) -> Arc<Deck> {
        match self.own_deck {
            Some(deck) => Arc::new(deck.clone()),
            None => self.named_edition().0.deck().unwrap_or_else(Deck::classic),
        }
    }

    /// Whether the picture is more likely mirrored than not.
    pub fn is_mirrored(&self) -> bool {
        self.mirrored > 0.0
    }

    /// Whether the picture is mirrored, if that is settled.
    pub fn mirror_is_settled(&self) -> Option<bool> {
        (self.mirrored.abs() >= SETTLED).then(|| self.is_mirrored())
    }

    fn likeliest(&self, among: &[Edition]) -> Edition {
        let of = |edition: &Edition| self.editions[edition.index()];
        *among.iter().max_by(|a, b| of(a).total_cmp(&of(b))).expect("some editions")
    }

    /// The posterior after some cards, given the reader network's logits of each.
    pub fn after_cards<'a>(self, cards: impl IntoIterator<Item = &'a [f32; OUTPUTS]>) -> Self {
        let mut told = [0.0; 3];
        for logits in cards {
            let own = &logits[EDITION..EDITION + Edition::ALL.len()];
            let most = own.iter().copied().fold(f32::MIN, f32::max);
            let is_card = logistic(logits[CARD]);
            for (told, own) in told.iter_mut().zip(own) {
                *told += is_card * (own - most).max(-MOST_TOLD);
            }
        }
        let least = f32::MIN_POSITIVE.ln();
        let log = |i: usize| if self.editions[i] > 0.0 { self.editions[i].ln() } else { least };
        let editions: [f32; 3] = softmax(std::array::from_fn(|i| log(i) + told[i]));
        let known = |i: usize| if self.editions[i] > 0.0 { editions[i] } else { 0.0 };
        Self { editions: std::array::from_fn(known), ..self }
    }

    /// The prior for a film's next frame. It keeps every edition possible, so that later frames can
    /// correct it, unless an edition was set as certain. It also bounds the log odds of a mirror.
    pub fn for_the_next_frame(self) -> Self {
        /// Least probability of an edition that was not ruled out.
        const LEAST: f32 = 1e-3;
        let raised = self.editions.map(|p| if p > 0.0 { p.max(LEAST) } else { 0.0 });
        let sum: f32 = raised.iter().sum();
        let mirrored = if self.mirrored.is_finite() {
            self.mirrored.clamp(-1.5 * SETTLED, 1.5 * SETTLED)
        } else {
            self.mirrored
        };
        Self { editions: raised.map(|p| p / sum), mirrored, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(edition: Edition, strength: f32) -> [f32; OUTPUTS] {
        let mut logits = [0.0; OUTPUTS];
        logits[CARD] = 9.0;
        logits[EDITION + edition.index()] = strength;
        logits
    }

    #[test]
    fn cards_tell_their_edition_together() {
        let usual = TableFacts::default();
        assert_eq!(usual.edition(), Edition::Classic);
        let one = usual.after_cards(&[says(Edition::Rectangles, 2.0)]);
        assert_eq!(one.edition(), Edition::Classic, "one card that may be either");
        let three = usual.after_cards(&[says(Edition::Rectangles, 4.0); 3]);
        assert!(three.edition() == Edition::Rectangles && three.named_edition().1 > 0.98);
        let strange = usual.after_cards(&[says(Edition::Unknown, 6.0); 5]);
        assert_eq!(strange.edition(), Edition::Unknown);
        assert!(strange.named_edition().1 < 0.01, "its cards have no name");
        // One odd card among many decides nothing, however certain it is.
        let mut cards = [says(Edition::Classic, 4.0); 6];
        cards[0] = says(Edition::Unknown, 50.0);
        assert!(usual.after_cards(&cards).named_edition().1 > 0.99);
        let mut nothing = says(Edition::Unknown, 50.0);
        nothing[CARD] = -20.0;
        assert_eq!(usual.after_cards(&[nothing; 9]), usual.after_cards(&[]));
    }

    #[test]
    fn what_is_said_beforehand_stays() {
        let forced = TableFacts::default().of_edition(Edition::Classic).with_mirrored(true);
        let after = forced.after_cards(&[says(Edition::Unknown, 9.0); 9]).for_the_next_frame();
        assert_eq!(after, forced);
        assert_eq!(after.mirror_is_settled(), Some(true));
    }

    #[test]
    fn a_film_can_change_its_mind() {
        let sure = TableFacts { mirrored: 90.0, ..TableFacts::default() }
            .after_cards(&[says(Edition::Unknown, 9.0); 20])
            .for_the_next_frame();
        assert!(sure.editions.iter().all(|p| *p > 5e-4) && sure.mirrored < 20.0);
        let back = sure.after_cards(&[says(Edition::Classic, 9.0); 9]);
        assert_eq!(back.edition(), Edition::Classic);
    }
}
