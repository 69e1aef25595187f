//! The outcome of each photo, card by card, with the names used in the JSON; counts over photos, and their text
//! output.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use setsight_game::cards::{Card, Deck, Property};
use setsight_game::sets::is_set;
use setsight_labels::{Match, Verdict};
use setsight_photo::labels::CardLabel;
use setsight_vision::{ReadCard, TableReading};
use std::collections::BTreeSet;

/// The outcome of one photo. Source and file name identify the photo across evaluations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhotoOutcome {
    pub source: String,
    /// Its file, as the labels name it.
    pub image: String,
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

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Right => "right",
        Verdict::Wrong => "wrong",
        Verdict::Unsure => "unsure",
        Verdict::Missed => "missed",
    }
}

impl CardOutcome {
    fn new(card: Option<Card>, verdict: &str, reading: Option<&ReadCard>) -> Self {
        Self {
            card: card.map(|card| card.to_string()),
            verdict: verdict.to_owned(),
            read: reading.map(|reading| reading.card.to_string()),
            // Four digits are enough.
            confidence: reading.map(|reading| (reading.confidence * 1e4).round() / 1e4),
        }
    }
}

impl PhotoOutcome {
    /// The outcome of a photo's labels.
    pub(crate) fn new(
        (source, image): (&str, &str),
        (table, found): (TableLabel, TableLabel),
        labels: &[CardLabel],
        readings: &[ReadCard],
        matched: &Match,
    ) -> Self {
        let (mut right, mut mistakes) = (Vec::new(), Vec::new());
        for (i, label) in labels.iter().enumerate() {
            let verdict = matched.verdict(i, labels, readings);
            if verdict == Verdict::Right {
                right.push(label.code.to_string());
            } else {
                let reading = matched.reading_of_label[i].map(|j| &readings[j]);
                mistakes.push(CardOutcome::new(Some(label.code), word(verdict), reading));
            }
        }
        let falsely = matched
            .false_cards
            .iter()
            .map(|&j| CardOutcome::new(None, "false", Some(&readings[j])));
        mistakes.extend(falsely);
        let (source, image) = (source.to_owned(), image.to_owned());
        Self { source, image, table, found, cards: labels.len(), right, mistakes }
    }

    /// The verdict on one of its labels; `None` if it has no such label.
    pub(crate) fn verdict_of(&self, code: &str) -> Option<&str> {
        if self.right.iter().any(|right| right == code) {
            return Some("right");
        }
        let mistake = self.mistakes.iter().find(|mistake| mistake.card.as_deref() == Some(code));
        mistake.map(|mistake| mistake.verdict.as_str())
    }

    /// Number of readings without a label.
    pub(crate) fn false_cards(&self) -> usize {
        self.mistakes.iter().filter(|mistake| mistake.card.is_none()).count()
    }
}

/// Counts over some photos. The four verdicts add up to `cards`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Photos that were read.
    pub photos: usize,
    /// Crops of single cards that were read.
    pub crops: usize,
    /// Labelled cards.
    pub cards: usize,
    /// Labels with [`Verdict::Right`].
    pub right: usize,
    /// Labels with [`Verdict::Wrong`].
    pub wrong: usize,
    /// Labels with [`Verdict::Unsure`].
    pub unsure: usize,
    /// Labels with [`Verdict::Missed`].
    pub missed: usize,
    /// Unsure cards whose best guess is right.
    pub unsure_but_right: usize,
    /// Readings without a label, sure or not.
    pub false_cards: usize,
    /// Claimed readings without a label.
    pub false_claims: usize,
    /// Photos with every labelled card right and no other claim.
    pub perfect_boards: usize,
    /// Sets among the labelled cards.
    pub sets: usize,
    /// Sets among the claimed cards.
    pub sets_claimed: usize,
    /// Claimed sets that exist among the labels.
    pub sets_right: usize,
    pub sets_probable: usize,
    /// Probable sets that exist among the labels.
    pub sets_probable_right: usize,
    /// Photos all of whose labelled sets are shown, sure or probable.
    pub boards_shown: usize,
    /// For each property, in [`Property::ALL`] order: labelled value by best guess, over the cards
    /// that were found.
    pub confusion: [[[usize; 3]; 3]; 4],
}

impl Figures {
    pub(crate) fn of_photo(labels: &[CardLabel], table: &TableReading, matched: &Match) -> Self {
        let readings = &table.cards[..];
        let mut f = Self { photos: 1, cards: labels.len(), ..Self::default() };
        for (i, label) in labels.iter().enumerate() {
            match matched.verdict(i, labels, readings) {
                Verdict::Right => f.right += 1,
                Verdict::Wrong => f.wrong += 1,
                Verdict::Unsure => f.unsure += 1,
                Verdict::Missed => f.missed += 1,
            }
            let Some(reading) = matched.reading_of_label[i].map(|j| &readings[j]) else { continue };
            f.unsure_but_right += usize::from(reading.unsure && reading.card == label.code);
            for (p, property) in Property::ALL.into_iter().enumerate() {
                f.confusion[p][label.code.value(property)][reading.card.value(property)] += 1;
            }
        }
        f.false_cards = matched.false_cards.len();
        f.false_claims = matched.false_cards.iter().filter(|&&j| !readings[j].unsure).count();
        f.perfect_boards = usize::from(f.right == f.cards && f.false_claims == 0);
        let labelled: Vec<Card> = labels.iter().map(|label| label.code).collect();
        let sure: Vec<Card> = readings.iter().filter(|r| !r.unsure).map(|r| r.card).collect();
        let (labelled, claimed) = (sets_among(&labelled), sets_among(&sure));
        f.sets = labelled.len();
        f.sets_claimed = claimed.len();
        f.sets_right = claimed.iter().filter(|set| labelled.binary_search(set).is_ok()).count();
        // What probably is a set is three places, whatever they are called.
        let probable = table.probable_sets.iter();
        let probable: Vec<_> =
            probable.filter_map(|set| set_at(set.cards, labels, matched)).collect();
        (f.sets_probable, f.sets_probable_right) = (table.probable_sets.len(), probable.len());
        let sure = table.sets.iter().filter_map(|set| set_at(set.0, labels, matched));
        let shown: Vec<[Card; 3]> = probable.into_iter().chain(sure).collect();
        f.boards_shown = usize::from(labelled.iter().all(|set| shown.contains(set)));
        f
    }

    /// The figures of one crop, which is no board and shows no set.
    pub(crate) fn of_crop(labels: &[CardLabel], table: &TableReading, matched: &Match) -> Self {
        let one = Self::of_photo(labels, table, matched);
        Self { photos: 0, crops: 1, perfect_boards: 0, boards_shown: 0, ..one }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        let Self { photos, cards, right, wrong, unsure, missed, unsure_but_right, .. } = other;
        self.photos += photos;
        self.crops += other.crops;
        self.cards += cards;
        self.right += right;
        self.wrong += wrong;
        self.unsure += unsure;
        self.missed += missed;
        self.unsure_but_right += unsure_but_right;
        self.false_cards += other.false_cards;
        self.false_claims += other.false_claims;
        self.perfect_boards += other.perfect_boards;
        self.sets += other.sets;
        self.sets_claimed += other.sets_claimed;
        self.sets_right += other.sets_right;
        self.sets_probable += other.sets_probable;
        self.sets_probable_right += other.sets_probable_right;
        self.boards_shown += other.boards_shown;
        let cells = self.confusion.as_flattened_mut().as_flattened_mut();
        for (cell, more) in cells.iter_mut().zip(other.confusion.as_flattened().as_flattened()) {
            *cell += more;
        }
    }

    /// What was read, in words: photos, crops or both.
    pub(crate) fn pictures(&self) -> String {
        match (self.photos, self.crops) {
            (photos, 0) => format!("{photos} photos"),
            (0, crops) => format!("{crops} crops"),
            (photos, crops) => format!("{photos} photos, {crops} crops"),
        }
    }

    /// Labelled cards of which each property was guessed right, in per cent of those found, in
    /// [`Property::ALL`] order.
    pub(crate) fn property_percents(&self) -> [f64; 4] {
        self.confusion.map(|matrix| {
            let right = (0..3).map(|value| matrix[value][value]).sum();
            percent(right, matrix.as_flattened().iter().sum())
        })
    }

    /// Labelled cards that were found, whatever code was read.
    pub(crate) fn found(&self) -> usize {
        self.cards - self.missed
    }
    /// Claimed readings, right or wrong; neither unsure cards nor guesses.
    pub(crate) fn claims(&self) -> usize {
        self.right + self.wrong + self.false_claims
    }
    /// Labelled cards found, per cent.
    pub(crate) fn found_percent(&self) -> f64 {
        percent(self.found(), self.cards)
    }
    /// Labelled cards claimed correctly, per cent.
    pub(crate) fn right_percent(&self) -> f64 {
        percent(self.right, self.cards)
    }
    /// Labelled cards whose best guess is right, sure or not, per cent.
    pub(crate) fn best_guess_percent(&self) -> f64 {
        percent(self.right + self.unsure_but_right, self.cards)
    }
    /// Claims that are right, per cent; a claimed false card is a wrong claim.
    pub(crate) fn claims_right_percent(&self) -> f64 {
        percent(self.right, self.claims())
    }
    /// Mean number of false cards per photo.
    pub(crate) fn false_cards_a_photo(&self) -> f64 {
        self.false_cards as f64 / self.photos.max(1) as f64
    }

    /// Labelled sets that are shown, sure or probable, per cent.
    pub(crate) fn sets_shown_percent(&self) -> f64 {
        percent(self.sets_right + self.sets_probable_right, self.sets)
    }

    /// As JSON, with the most useful percentages.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "photos": self.photos,
            "crops": self.crops,
            "cards": self.cards,
            "found": self.found(),
            "found_percent": round(self.found_percent()),
            "right": self.right,
            "right_percent": round(self.right_percent()),
            "best_guess_percent": round(self.best_guess_percent()),
            "wrong": self.wrong,
            "unsure": self.unsure,
            "unsure_percent": round(percent(self.unsure, self.cards)),
            "unsure_but_right": self.unsure_but_right,
            "missed": self.missed,
            "claims": self.claims(),
            "claims_right_percent": round(self.claims_right_percent()),
            "false_cards": self.false_cards,
            "false_cards_a_photo": round(self.false_cards_a_photo()),
            "false_claims": self.false_claims,
            "perfect_boards": self.perfect_boards,
            "perfect_boards_percent": round(percent(self.perfect_boards, self.photos)),
            "sets": self.sets,
            "sets_claimed": self.sets_claimed,
            "sets_right": self.sets_right,
            "sets_precision_percent": round(percent(self.sets_right, self.sets_claimed)),
            "sets_recall_percent": round(percent(self.sets_right, self.sets)),
            "sets_probable": self.sets_probable,
            "sets_probable_right": self.sets_probable_right,
            "sets_shown_recall_percent": round(self.sets_shown_percent()),
            "boards_shown": self.boards_shown,
            "boards_shown_percent": round(percent(self.boards_shown, self.photos)),
        })
    }
}

/// To two decimal places.
fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// The labelled cards at three places of a table, sorted, if they are a set.
pub(super) fn set_at(
    places: [usize; 3],
    labels: &[CardLabel],
    matched: &Match,
) -> Option<[Card; 3]> {
    let [a, b, c] = places.map(|place| {
        let label = matched.reading_of_label.iter().position(|r| *r == Some(place))?;
        Some(labels[label].code)
    });
    let mut cards = [a?, b?, c?];
    cards.sort_unstable();
    is_set(cards[0], cards[1], cards[2]).then_some(cards)
}

/// All sets among some cards, each sorted, in sorted order.
fn sets_among(cards: &[Card]) -> Vec<[Card; 3]> {
    let cards: Vec<Card> = BTreeSet::from_iter(cards.iter().copied()).into_iter().collect();
    let found = setsight_game::sets::find_all(&cards).into_iter();
    let mut found: Vec<[Card; 3]> = found.map(|set| set.0.map(|place| cards[place])).collect();
    found.sort_unstable();
    found
}

/// `part` of `total` in per cent; 100 if `total` is 0.
pub(super) fn percent(part: usize, total: usize) -> f64 {
    if total == 0 { 100.0 } else { 100.0 * part as f64 / total as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_labels::compare;
    use setsight_photo::geometry::{Point, Quad};
    use setsight_photo::labels::LabelledBy;

    fn at(x: f64) -> Quad {
        Quad::new(Quad::rectangle(90.0, 60.0).0.map(|p| p + Point::new(x, 0.0)))
    }

    fn label(code: &str, x: f64) -> CardLabel {
        let (corners, labelled_by) = (at(x), LabelledBy::Person);
        let code = code.parse().unwrap();
        CardLabel { code, center: corners.center(), corners: Some(corners), labelled_by }
    }

    fn reading(code: &str, x: f64, unsure: bool) -> ReadCard {
        ReadCard::new(at(x), code.parse().unwrap(), 0.9, unsure)
    }

    fn figures(readings: &[ReadCard]) -> Figures {
        let labels = [label("1fgd", 0.), label("2fgd", 100.), label("3fgd", 200.)];
        let table = TableReading::new(readings.to_vec(), (480, 360));
        Figures::of_photo(&labels, &table, &compare(&labels, readings))
    }

    #[test]
    fn what_is_probable_counts_by_itself() {
        let with = |third: &str| {
            let cards = [("1fgd", 0., false), ("2fgd", 100., false), (third, 200., true)];
            figures(&cards.map(|(code, x, unsure)| reading(code, x, unsure)))
        };
        let f = with("3fgd");
        assert_eq!((f.sets, f.sets_claimed, f.sets_probable, f.sets_probable_right), (1, 0, 1, 1));
        assert_eq!((f.boards_shown, f.perfect_boards, f.sets_shown_percent()), (1, 0, 100.0));
        let f = with("3sgd");
        assert_eq!((f.sets_probable, f.boards_shown, f.sets_shown_percent()), (0, 0, 0.0));
    }

    #[test]
    fn a_perfect_board_has_all_and_nothing_else() {
        let all = [
            reading("1fgd", 0., false),
            reading("2fgd", 100., false),
            reading("3fgd", 200., false),
        ];
        let f = figures(&all);
        assert_eq!(
            (f.right, f.perfect_boards, f.sets, f.sets_claimed, f.sets_right),
            (3, 1, 1, 1, 1)
        );
        assert_eq!((f.right_percent(), f.claims_right_percent()), (100.0, 100.0));
        let mut more = all.to_vec();
        more.push(reading("1ord", 400., true));
        assert_eq!(figures(&more).perfect_boards, 1, "an unsure false card claims nothing");
        more[3].unsure = false;
        let f = figures(&more);
        assert_eq!((f.perfect_boards, f.false_cards, f.false_claims, f.claims()), (0, 1, 1, 4));
        assert_eq!(f.claims_right_percent(), 75.0);
    }

    #[test]
    fn verdicts_add_up_and_confusion_counts_what_was_found() {
        let f = figures(&[reading("1frd", 0., false), reading("2fgd", 100., true)]);
        assert_eq!((f.wrong, f.unsure, f.missed, f.right), (1, 1, 1, 0));
        assert_eq!(f.unsure_but_right, 1);
        assert_eq!((f.sets, f.sets_claimed), (1, 0));
        // `Property::Color` has index 2; green is 0 and red is 2.
        assert_eq!(f.confusion[2][0], [1, 0, 1]);
    }
}
