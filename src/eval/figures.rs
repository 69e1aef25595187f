//! Counts over photos, and their words.

use super::matching::{Match, Verdict, sets_among};
use crate::cards::{Card, Property};
use crate::dataset::CardLabel;
use crate::pipeline::ReadCard;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

/// What is counted over some photos. The four verdicts add up to `cards`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Photos that were read.
    pub photos: usize,
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
    /// Among the unsure ones, those whose best guess is right all the same.
    pub unsure_but_right: usize,
    /// Readings that belong to no label, sure or not.
    pub false_cards: usize,
    /// Readings that belong to no label and are claimed with a code.
    pub false_claims: usize,
    /// Photos on which every labelled card is right and nothing else is claimed.
    pub perfect_boards: usize,
    /// Sets among the labelled cards.
    pub sets: usize,
    /// Sets among the claimed cards.
    pub sets_claimed: usize,
    /// Claimed sets that are there.
    pub sets_right: usize,
    /// For each property, in [`Property::ALL`] order: labelled value by best guess, over the cards
    /// that were found.
    pub confusion: [[[usize; 3]; 3]; 4],
}

impl Figures {
    /// The figures of one photo.
    pub fn of_photo(labels: &[CardLabel], readings: &[ReadCard], matched: &Match) -> Self {
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
        let there: Vec<Card> = labels.iter().map(|label| label.code).collect();
        let sure: Vec<Card> = readings.iter().filter(|r| !r.unsure).map(|r| r.card).collect();
        let (there, claimed) = (sets_among(&there), sets_among(&sure));
        f.sets = there.len();
        f.sets_claimed = claimed.len();
        f.sets_right = claimed.iter().filter(|set| there.binary_search(set).is_ok()).count();
        f
    }

    /// Adds those of other photos.
    pub fn add(&mut self, other: &Self) {
        let Self { photos, cards, right, wrong, unsure, missed, unsure_but_right, .. } = other;
        self.photos += photos;
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
        let cells = self.confusion.as_flattened_mut().as_flattened_mut();
        for (cell, more) in cells.iter_mut().zip(other.confusion.as_flattened().as_flattened()) {
            *cell += more;
        }
    }

    /// Labelled cards that were found, whatever was read.
    pub fn found(&self) -> usize {
        self.cards - self.missed
    }
    /// Readings that are claimed, true or not: neither unsure nor a guess.
    pub fn claims(&self) -> usize {
        self.right + self.wrong + self.false_claims
    }
    /// Labelled cards found, per cent.
    pub fn found_percent(&self) -> f64 {
        percent(self.found(), self.cards)
    }
    /// Labelled cards claimed rightly, per cent.
    pub fn right_percent(&self) -> f64 {
        percent(self.right, self.cards)
    }
    /// Labelled cards whose best guess is right, sure or not, per cent.
    pub fn best_guess_percent(&self) -> f64 {
        percent(self.right + self.unsure_but_right, self.cards)
    }
    /// Claims that are right, per cent; a claimed false card is a wrong claim.
    pub fn claims_right_percent(&self) -> f64 {
        percent(self.right, self.claims())
    }
    /// False cards a photo.
    pub fn false_cards_a_photo(&self) -> f64 {
        self.false_cards as f64 / self.photos.max(1) as f64
    }

    /// As JSON, with the percentages that are read off most often.
    pub fn to_json(&self) -> Value {
        let round = |v: f64| (v * 100.0).round() / 100.0;
        json!({
            "photos": self.photos,
            "cards": self.cards,
            "found": self.found(),
            "found_percent": round(self.found_percent()),
            "right": self.right,
            "right_percent": round(self.right_percent()),
            "best_guess_percent": round(self.best_guess_percent()),
            "wrong": self.wrong,
            "unsure": self.unsure,
            "unsure_but_right": self.unsure_but_right,
            "missed": self.missed,
            "claims": self.claims(),
            "claims_right_percent": round(self.claims_right_percent()),
            "false_cards": self.false_cards,
            "false_cards_a_photo": round(self.false_cards_a_photo()),
            "false_claims": self.false_claims,
            "perfect_boards": self.perfect_boards,
            "sets": self.sets,
            "sets_claimed": self.sets_claimed,
            "sets_right": self.sets_right,
            "sets_precision_percent": round(percent(self.sets_right, self.sets_claimed)),
            "sets_recall_percent": round(percent(self.sets_right, self.sets)),
        })
    }
}

/// The share of `part` in `whole` in per cent; of nothing, all.
fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { 100.0 * part as f64 / whole as f64 }
}

/// The middle value; of an even number of values the mean of the two in the middle.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    (n > 0).then(|| (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0)
}

/// The figures of a whole evaluation.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    /// Who read.
    pub reader: String,
    /// Photos that could not be read: file and reason.
    pub failed: Vec<(String, String)>,
    /// Over all photos.
    pub all: Figures,
    /// By each tag that a photo has; photos with several tags count for each.
    pub by_tag: BTreeMap<String, Figures>,
    /// By source.
    pub by_source: BTreeMap<String, Figures>,
    /// CPU time of each stage in ms, a value for each photo; stages in the order in which they run.
    pub stage_cpu_ms: Vec<(&'static str, Vec<f64>)>,
}

impl Evaluation {
    /// Adds one photo.
    pub fn add(
        &mut self,
        source: &str,
        tags: &[String],
        figures: &Figures,
        stage_cpu_ms: &[(&'static str, f64)],
    ) {
        self.all.add(figures);
        self.by_source.entry(source.to_owned()).or_default().add(figures);
        for tag in tags {
            self.by_tag.entry(tag.clone()).or_default().add(figures);
        }
        let total = stage_cpu_ms.iter().map(|(_, ms)| ms).sum();
        for &(stage, ms) in stage_cpu_ms.iter().chain(&[("total", total)]) {
            match self.stage_cpu_ms.iter_mut().find(|(name, _)| *name == stage) {
                Some((_, all)) => all.push(ms),
                None => self.stage_cpu_ms.push((stage, vec![ms])),
            }
        }
    }

    /// Median CPU time of each stage over the photos, in ms; the last is `total`.
    pub fn median_stage_ms(&self) -> Vec<(&'static str, f64)> {
        self.stage_cpu_ms.iter().map(|(name, ms)| (*name, median(ms).unwrap_or(0.0))).collect()
    }

    /// All of it as one JSON object.
    pub fn to_json(&self) -> Value {
        let group = |map: &BTreeMap<String, Figures>| -> Value {
            map.iter().map(|(name, figures)| (name.clone(), figures.to_json())).collect()
        };
        let confusion: serde_json::Map<String, Value> = Property::ALL
            .into_iter()
            .zip(&self.all.confusion)
            .map(|(property, matrix)| {
                let values: Vec<_> = (0..3).map(|v| property.value_word(v)).collect();
                let table = json!({"values": values, "labelled_by_read": matrix});
                (property.word().to_owned(), table)
            })
            .collect();
        let stages: serde_json::Map<String, Value> = self
            .median_stage_ms()
            .into_iter()
            .map(|(name, ms)| (name.to_owned(), json!((ms * 100.0).round() / 100.0)))
            .collect();
        let failed: Vec<Value> = self
            .failed
            .iter()
            .map(|(image, error)| json!({"image": image, "error": error}))
            .collect();
        json!({
            "reader": self.reader,
            "all": self.all.to_json(),
            "by_source": group(&self.by_source),
            "by_tag": group(&self.by_tag),
            "confusion": confusion,
            "median_cpu_ms": stages,
            "failed": failed,
        })
    }
}

/// For a terminal: the main figures, then tables.
impl fmt::Display for Evaluation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &self.all;
        writeln!(out, "reader {}: {} photos, {} labelled cards", self.reader, f.photos, f.cards)?;
        let mut line = |name: &str, value: String, detail: String| {
            writeln!(out, "  {name:<24}{value:>9}   {detail}")
        };
        let per_cent = |v: f64| format!("{v:.1} %");
        line("cards found", per_cent(f.found_percent()), format!("{} of {}", f.found(), f.cards))?;
        line(
            "false cards",
            format!("{:.2}", f.false_cards_a_photo()),
            format!("a photo; {} in all, {} of them claimed", f.false_cards, f.false_claims),
        )?;
        line("read right", per_cent(f.right_percent()), format!("{} of {}", f.right, f.cards))?;
        line(
            "best guess right",
            per_cent(f.best_guess_percent()),
            "unsure cards counted too".into(),
        )?;
        line(
            "claims right",
            per_cent(f.claims_right_percent()),
            format!(
                "{} of {}; {} wrong, {} false cards",
                f.right,
                f.claims(),
                f.wrong,
                f.false_claims
            ),
        )?;
        line(
            "unsure",
            per_cent(percent(f.unsure, f.cards)),
            format!("{} cards, the best guess right on {}", f.unsure, f.unsure_but_right),
        )?;
        line(
            "perfect boards",
            per_cent(percent(f.perfect_boards, f.photos)),
            format!("{} of {}", f.perfect_boards, f.photos),
        )?;
        line(
            "sets: precision",
            per_cent(percent(f.sets_right, f.sets_claimed)),
            format!("{} of {} claimed are there", f.sets_right, f.sets_claimed),
        )?;
        line(
            "sets: recall",
            per_cent(percent(f.sets_right, f.sets)),
            format!("{} of {} found", f.sets_right, f.sets),
        )?;
        for (property, matrix) in Property::ALL.into_iter().zip(&f.confusion) {
            let errors = confusions(property, matrix);
            if !errors.is_empty() {
                writeln!(out, "  {property} taken for another: {errors}")?;
            }
        }
        for (title, groups) in [("by source", &self.by_source), ("by tag", &self.by_tag)] {
            if groups.is_empty() {
                continue;
            }
            let width = groups.keys().map(|name| name.chars().count()).max().unwrap_or(0);
            let width = width.max(title.len());
            writeln!(
                out,
                "\n{title:<0$}   photos  cards   found   right  claims right  unsure  false/photo",
                width
            )?;
            for (name, g) in groups {
                writeln!(
                    out,
                    "  {name:<width$}{:>7}{:>7}{:>7.1}%{:>7.1}%{:>13.1}%{:>8}{:>13.2}",
                    g.photos,
                    g.cards,
                    g.found_percent(),
                    g.right_percent(),
                    g.claims_right_percent(),
                    g.unsure,
                    g.false_cards_a_photo()
                )?;
            }
        }
        let mut stages = String::new();
        for (name, ms) in self.median_stage_ms() {
            write!(stages, "  {name} {ms:.1}")?;
        }
        writeln!(out, "\nCPU time a photo on one thread, median, ms:{stages}")
    }
}

/// "purple read as red 12, red read as purple 3"; the most frequent first.
fn confusions(property: Property, matrix: &[[usize; 3]; 3]) -> String {
    let mut errors: Vec<(usize, String)> = Vec::new();
    for (labelled, row) in matrix.iter().enumerate() {
        for (read, &count) in row.iter().enumerate() {
            if labelled != read && count > 0 {
                let (a, b) = (property.value_word(labelled), property.value_word(read));
                errors.push((count, format!("{a} read as {b} {count}")));
            }
        }
    }
    errors.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    errors.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::compare;
    use crate::eval::matching::tests::{label, reading};

    fn figures(readings: &[ReadCard]) -> Figures {
        let labels = [label("1fgd", 0., 0.), label("2fgd", 100., 0.), label("3fgd", 200., 0.)];
        Figures::of_photo(&labels, readings, &compare(&labels, readings, 500.0))
    }

    #[test]
    fn a_perfect_board_has_all_and_nothing_else() {
        let all = [
            reading("1fgd", 0., 0., false),
            reading("2fgd", 100., 0., false),
            reading("3fgd", 200., 0., false),
        ];
        let f = figures(&all);
        assert_eq!(
            (f.right, f.perfect_boards, f.sets, f.sets_claimed, f.sets_right),
            (3, 1, 1, 1, 1)
        );
        assert_eq!((f.right_percent(), f.claims_right_percent()), (100.0, 100.0));
        let mut more = all.to_vec();
        more.push(reading("1ord", 400., 0., true));
        assert_eq!(figures(&more).perfect_boards, 1, "an unsure false card claims nothing");
        more[3].unsure = false;
        let f = figures(&more);
        assert_eq!((f.perfect_boards, f.false_cards, f.false_claims, f.claims()), (0, 1, 1, 4));
        assert_eq!(f.claims_right_percent(), 75.0);
    }

    #[test]
    fn verdicts_add_up_and_confusion_counts_what_was_found() {
        let f = figures(&[reading("1frd", 0., 0., false), reading("2fgd", 100., 0., true)]);
        assert_eq!((f.wrong, f.unsure, f.missed, f.right), (1, 1, 1, 0));
        assert_eq!(f.unsure_but_right, 1);
        assert_eq!((f.sets, f.sets_claimed), (1, 0));
        // Property::Color is the third; green is 0 and red 2.
        assert_eq!(f.confusion[2][0], [1, 0, 1]);
        assert_eq!(confusions(Property::Color, &f.confusion[2]), "green read as red 1");
    }

    #[test]
    fn sums_and_groups() {
        let one = figures(&[reading("1fgd", 0., 0., false)]);
        let mut e = Evaluation { reader: "fake".into(), ..Evaluation::default() };
        e.add("a", &["glare".into()], &one, &[("load", 2.0), ("segment", 10.0)]);
        e.add("b", &[], &one, &[("load", 4.0), ("segment", 20.0)]);
        assert_eq!(
            (e.all.photos, e.all.right, e.all.missed, e.by_tag["glare"].photos),
            (2, 2, 4, 1)
        );
        assert_eq!(e.median_stage_ms(), [("load", 3.0), ("segment", 15.0), ("total", 18.0)]);
        assert_eq!(e.to_json()["all"]["right_percent"], 33.33);
        let text = e.to_string();
        assert!(text.contains("33.3 %   2 of 6") && text.contains("glare"), "{text}");
    }

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}
