//! The outcome of each photo, card by card, with the names used in the JSON.

use serde::{Deserialize, Serialize};
use setsight_game::cards::{Card, Deck};
use setsight_labels::{Match, Verdict};
use setsight_photo::labels::CardLabel;
use setsight_vision::ReadCard;

/// The outcome of one photo. Source and file name identify the photo across evaluations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhotoOutcome {
    /// Its source.
    pub source: String,
    /// Its file, as the labels name it.
    pub image: String,
    /// The labelled table.
    #[serde(default)]
    pub table: TableLabel,
    /// The detected table.
    #[serde(default)]
    pub found: TableLabel,
    /// Number of labelled cards.
    pub cards: usize,
    /// Codes of the cards claimed correctly.
    pub right: Vec<String>,
    /// Every label that is not right and every reading without a label.
    pub mistakes: Vec<CardOutcome>,
}

/// Which deck lies on a table, and whether its picture is mirrored.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TableLabel {
    /// Its name; `unknown` for one that has none here.
    pub deck: String,
    /// Whether the picture is mirrored.
    pub mirrored: bool,
}

impl Default for TableLabel {
    fn default() -> Self {
        Self { deck: Deck::NAMES[0].to_owned(), mirrored: false }
    }
}

impl std::fmt::Display for TableLabel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.deck)?;
        if self.mirrored { f.write_str(", mirrored") } else { Ok(()) }
    }
}

/// A label that is not right, or a reading without a label.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CardOutcome {
    /// The label's code; `None` for a false card.
    pub card: Option<String>,
    /// `wrong`, `unsure`, `missed` or `false`.
    pub verdict: String,
    /// The code that was read, or the best guess.
    pub read: Option<String>,
    /// Its confidence, 0 to 1.
    pub confidence: Option<f32>,
}

/// The word for a verdict.
pub(crate) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Right => "right",
        Verdict::Wrong => "wrong",
        Verdict::Unsure => "unsure",
        Verdict::Missed => "missed",
    }
}

impl PhotoOutcome {
    /// The outcome of a photo's labels.
    pub(crate) fn of(
        (source, image): (&str, &str),
        (table, found): (TableLabel, TableLabel),
        labels: &[CardLabel],
        readings: &[ReadCard],
        matched: &Match,
    ) -> Self {
        let outcome = |card: Option<Card>, verdict: &str, reading: Option<&ReadCard>| CardOutcome {
            card: card.map(|card| card.to_string()),
            verdict: verdict.to_owned(),
            read: reading.map(|reading| reading.card.to_string()),
            // Four digits are enough.
            confidence: reading.map(|reading| (reading.confidence * 1e4).round() / 1e4),
        };
        let (mut right, mut mistakes) = (Vec::new(), Vec::new());
        for (i, label) in labels.iter().enumerate() {
            let verdict = matched.verdict(i, labels, readings);
            if verdict == Verdict::Right {
                right.push(label.code.to_string());
            } else {
                let reading = matched.reading_of_label[i].map(|j| &readings[j]);
                mistakes.push(outcome(Some(label.code), word(verdict), reading));
            }
        }
        let falsely =
            matched.false_cards.iter().map(|&j| outcome(None, "false", Some(&readings[j])));
        mistakes.extend(falsely);
        let (source, image) = (source.to_owned(), image.to_owned());
        Self { source, image, table, found, cards: labels.len(), right, mistakes }
    }

    /// The verdict on one of its labels; `None` if it has no such label.
    pub(crate) fn verdict_of(&self, code: &str) -> Option<&str> {
        if self.right.iter().any(|right| right == code) {
            return Some("right");
        }
        let own = self.mistakes.iter().find(|mistake| mistake.card.as_deref() == Some(code));
        own.map(|mistake| mistake.verdict.as_str())
    }

    /// Number of readings without a label.
    pub(crate) fn false_cards(&self) -> usize {
        self.mistakes.iter().filter(|mistake| mistake.card.is_none()).count()
    }
}
