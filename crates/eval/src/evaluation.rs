//! The figures of a whole evaluation, of one reader or of several side by side, with its
//! calibration: whether confidence matches accuracy.
//!
//! Readings are binned by 1 - confidence on a logarithmic scale. What matters is whether one claim
//! in a hundred or one in a thousand is wrong; with equal bins from 0 to 1, the last bin would hold
//! both.

use super::figures::{Figures, PhotoOutcome, percent, set_at};
use super::run::PhotoResult;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use setsight_files::printable::{counted, line};
use setsight_game::cards::{Deck, Property};
use setsight_game::json::VERSION;
use setsight_labels::Match;
use setsight_photo::labels::CardLabel;
use setsight_vision::{ReadCard, TableReading};
use std::fmt::{self, Write as _};
use std::{borrow::Cow, collections::BTreeMap};

/// The figures of a whole evaluation.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    pub reader: String,
    /// Photos that could not be read: file and reason.
    pub failed: Vec<(String, String)>,
    /// Over all photos.
    pub all: Figures,
    /// By tag; a photo with several tags counts for each.
    pub by_tag: BTreeMap<String, Figures>,
    /// By the labelled deck and whether the picture is mirrored.
    pub by_table: BTreeMap<String, Figures>,
    /// Number of photos for each pair of labelled table (see `by_table`) and other, detected table.
    pub tables_taken_for: BTreeMap<(String, String), usize>,
    /// By source.
    pub by_source: BTreeMap<String, Figures>,
    /// CPU time of each stage in ms, one value per photo; stages in the order in which they run.
    pub stage_cpu_ms: Vec<(Cow<'static, str>, Vec<f64>)>,
    /// Calibration of the confidences.
    pub reliability: Reliability,
    pub probable_sets: Reliability,
    pub photos: Vec<PhotoOutcome>,
}

impl Evaluation {
    /// An empty evaluation of this reader.
    pub fn of_reader(reader: &str) -> Self {
        Self { reader: reader.to_owned(), ..Self::default() }
    }

    pub fn add(&mut self, tags: &[String], result: &PhotoResult) {
        let PhotoResult { figures, stage_cpu_ms, outcome, .. } = result;
        self.all.add(figures);
        self.by_source.entry(outcome.source.clone()).or_default().add(figures);
        let [table, found] = [&outcome.table, &outcome.found].map(ToString::to_string);
        self.by_table.entry(table.clone()).or_default().add(figures);
        if table != found {
            *self.tables_taken_for.entry((table, found)).or_default() += 1;
        }
        for tag in tags {
            self.by_tag.entry(tag.clone()).or_default().add(figures);
        }
        self.reliability.add(&result.reliability);
        self.probable_sets.add(&result.probable_sets);
        self.photos.push(outcome.clone());
        let total = stage_cpu_ms.iter().map(|(_, ms)| ms).sum();
        // Crops are read together, so that none has times of its own.
        let total = (!stage_cpu_ms.is_empty()).then_some(("total".into(), total));
        for (stage, ms) in stage_cpu_ms.iter().chain(&total) {
            match self.stage_cpu_ms.iter_mut().find(|(name, _)| name == stage) {
                Some((_, all)) => all.push(*ms),
                None => self.stage_cpu_ms.push((stage.clone(), vec![*ms])),
            }
        }
    }

    /// Median CPU time of each stage over the photos, in ms; the last is `total`.
    pub(crate) fn median_stage_ms(&self) -> Vec<(&str, f64)> {
        // Of an even number the mean of the middle two.
        self.stage_cpu_ms.iter().map(|(name, ms)| (&**name, median_ms(ms.clone()))).collect()
    }

    /// All of it as one JSON object.
    pub fn to_json(&self) -> Value {
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
        let taken: Vec<Value> = self
            .tables_taken_for
            .iter()
            .map(|((table, found), photos)| json!({"table": table, "found": found, "photos": photos}))
            .collect();
        let failed: Vec<Value> = self
            .failed
            .iter()
            .map(|(image, error)| json!({"image": image, "error": error}))
            .collect();
        json!({
            "version": VERSION,
            "reader": self.reader,
            "all": self.all.to_json(),
            "by_source": group(&self.by_source),
            "by_tag": group(&self.by_tag),
            "by_table": group(&self.by_table),
            "tables_taken_for": taken,
            "confusion": confusion,
            "reliability": self.reliability.to_json(),
            "reliability_of_probable_sets": self.probable_sets.to_json(),
            "median_cpu_ms": stages,
            "failed": failed,
            "photos": self.photos,
        })
    }
}

fn median_ms(mut ms: Vec<f64>) -> f64 {
    ms.sort_by(f64::total_cmp);
    let (low, high) = (ms.len().saturating_sub(1) / 2, ms.len() / 2);
    ms.get(high).map_or(0.0, |high| (ms[low] + high) / 2.0)
}

/// For a terminal: the main figures, then tables.
impl fmt::Display for Evaluation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &self.all;
        writeln!(out, "reader {}: {}, {} labelled cards", self.reader, f.pictures(), f.cards)?;
        write_figures(out, f)?;
        for (property, matrix) in Property::ALL.into_iter().zip(&f.confusion) {
            let errors = confusions(property, matrix);
            if !errors.is_empty() {
                writeln!(out, "  {property} taken for another: {errors}")?;
            }
        }
        for ((table, found), photos) in &self.tables_taken_for {
            writeln!(out, "  table taken for another: {table} for {found} in {photos} photos")?;
        }
        let by_table = ("by table", &self.by_table);
        for (title, groups) in [("by source", &self.by_source), ("by tag", &self.by_tag), by_table]
        {
            write_groups(out, title, groups, f.photos > 0)?;
        }
        let off = 100.0 * self.reliability.calibration_error();
        writeln!(out, "\nconfidence is off by {off:.2} % on average (expected calibration error)")?;
        for (low, high, bin) in self.probable_sets.filled() {
            let (from, to) = (100.0 * (1.0 - high), 100.0 * (1.0 - low));
            let (right, all) = (bin.right, bin.readings);
            writeln!(out, "probable sets of {from:.1} to {to:.1} %: {right} of {all} are there")?;
        }
        if f.photos == 0 {
            return Ok(());
        }
        let mut stages = String::new();
        for (name, ms) in self.median_stage_ms() {
            write!(stages, "  {name} {ms:.1}")?;
        }
        writeln!(out, "CPU time a photo on one thread, median, ms:{stages}")
    }
}

/// A line for each figure.
fn write_figures(out: &mut fmt::Formatter<'_>, f: &Figures) -> fmt::Result {
    let mut line = |name: &str, value: String, detail: String| -> fmt::Result {
        writeln!(out, "  {name:<24}{value:>9}   {detail}")
    };
    line("cards found", per_cent(f.found_percent()), format!("{} of {}", f.found(), f.cards))?;
    let pictures = if f.photos > 0 { counted(f.photos, "photo") } else { counted(f.crops, "crop") };
    line("false cards", f.false_cards.to_string(), format!("in {pictures}"))?;
    line("read right", per_cent(f.right_percent()), format!("{} of {}", f.right, f.cards))?;
    line("best guess right", per_cent(f.best_guess_percent()), "unsure cards counted too".into())?;
    line(
        "claims right",
        per_cent(f.claims_right_percent()),
        format!("{} of {}; {} wrong, {} false cards", f.right, f.claims(), f.wrong, f.false_claims),
    )?;
    line(
        "unsure",
        per_cent(percent(f.unsure, f.cards)),
        format!("{} cards, the best guess right on {}", f.unsure, f.unsure_but_right),
    )?;
    for (property, right) in Property::ALL.into_iter().zip(f.property_percents()) {
        line(&format!("{property} right"), per_cent(right), "of the cards found".into())?;
    }
    // Crops are no boards, and show no sets.
    let mut line = |name: &str, value: String, detail: String| match f.photos {
        0 => Ok(()),
        _ => line(name, value, detail),
    };
    line(
        "perfect boards",
        per_cent(percent(f.perfect_boards, f.photos)),
        format!("{} of {}", f.perfect_boards, f.photos),
    )?;
    line(
        "sets: precision",
        per_cent(percent(f.sets_right, f.sets_claimed)),
        format!("{} of {} reported sets are real", f.sets_right, f.sets_claimed),
    )?;
    line(
        "sets: recall",
        per_cent(percent(f.sets_right, f.sets)),
        format!("{} of {} found", f.sets_right, f.sets),
    )?;
    line(
        "with probable sets",
        per_cent(f.sets_shown_percent()),
        format!("{} more; {} called probable", f.sets_probable_right, f.sets_probable),
    )?;
    line(
        "boards with all sets",
        per_cent(percent(f.boards_shown, f.photos)),
        format!("{} of {}, sure or probable", f.boards_shown, f.photos),
    )
}

fn group(figures: &BTreeMap<String, Figures>) -> Value {
    figures.iter().map(|(name, figures)| (name.clone(), figures.to_json())).collect()
}

/// To five decimal places.
fn round(value: f64) -> f64 {
    (value * 1e5).round() / 1e5
}

fn per_cent(value: f64) -> String {
    format!("{value:.1} %")
}

/// A table with a line for each group of pictures.
fn write_groups(
    out: &mut fmt::Formatter<'_>,
    title: &str,
    groups: &BTreeMap<String, Figures>,
    are_photos: bool,
) -> fmt::Result {
    // The table is omitted if all photos show the classic edition.
    if groups.is_empty() || groups.keys().eq([Deck::NAMES[0]]) {
        return Ok(());
    }
    let width = groups.keys().map(|name| name.chars().count()).max().unwrap_or(0);
    let width = width.max(title.len());
    let pictures = if are_photos { "photos" } else { "crops" };
    writeln!(
        out,
        "\n{title:<0$}   {pictures:>6}  cards   found   right  claims right  unsure  false/photo",
        width
    )?;
    for (name, g) in groups {
        let name = line(name);
        writeln!(
            out,
            "  {name:<width$}{:>7}{:>7}{:>7.1}%{:>7.1}%{:>13.1}%{:>8}{:>13.2}",
            if are_photos { g.photos } else { g.crops },
            g.cards,
            g.found_percent(),
            g.right_percent(),
            g.claims_right_percent(),
            g.unsure,
            g.false_cards_a_photo()
        )?;
    }
    Ok(())
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

/// Several readers' figures for the same photos, one column each.
pub struct SideBySide<'a>(pub &'a [Evaluation]);

/// The name of a figure, and its format.
type Row = (&'static str, fn(&Figures) -> String);

/// The figures of the comparison.
pub(super) const ROWS: [Row; 12] = [
    ("cards found", |f| format!("{:.1} %", f.found_percent())),
    ("false cards a photo", |f| format!("{:.2}", f.false_cards_a_photo())),
    ("read right", |f| format!("{:.1} %", f.right_percent())),
    ("best guess right", |f| format!("{:.1} %", f.best_guess_percent())),
    ("claims right", |f| format!("{:.2} %", f.claims_right_percent())),
    ("claims wrong", |f| (f.wrong + f.false_claims).to_string()),
    ("unsure", |f| format!("{:.1} %", percent(f.unsure, f.cards))),
    ("perfect boards", |f| format!("{} of {}", f.perfect_boards, f.photos)),
    ("sets: precision", |f| format!("{:.1} %", percent(f.sets_right, f.sets_claimed))),
    ("sets: recall", |f| format!("{:.1} %", percent(f.sets_right, f.sets))),
    ("with probable sets", |f| format!("{:.1} %", f.sets_shown_percent())),
    ("boards with all sets", |f| format!("{} of {}", f.boards_shown, f.photos)),
];

impl SideBySide<'_> {
    /// As JSON, by reader.
    pub(crate) fn to_json(&self) -> Value {
        let readers: serde_json::Map<String, Value> =
            self.0.iter().map(|e| (e.reader.clone(), e.to_json())).collect();
        json!({ "version": VERSION, "readers": readers })
    }
}

impl SideBySide<'_> {
    fn write_columns(
        &self,
        out: &mut fmt::Formatter<'_>,
        text: &dyn Fn(&Evaluation) -> String,
    ) -> fmt::Result {
        for evaluation in self.0 {
            write!(out, "{:>14}", text(evaluation))?;
        }
        writeln!(out)
    }
}

impl fmt::Display for SideBySide<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.0.first() else { return Ok(()) };
        writeln!(out, "{}, {} labelled cards", first.all.pictures(), first.all.cards)?;
        write!(out, "  {:<24}", "")?;
        self.write_columns(out, &|e| e.reader.clone())?;
        for (name, value) in ROWS {
            write!(out, "  {name:<24}")?;
            self.write_columns(out, &|e| value(&e.all))?;
        }
        write!(out, "  {:<24}", "confidence off by")?;
        self.write_columns(out, &|e| {
            format!("{:.2} %", 100.0 * e.reliability.calibration_error())
        })?;
        write!(out, "  {:<24}", "CPU ms a photo")?;
        self.write_columns(out, &|e| {
            e.median_stage_ms().last().map_or(String::new(), |(_, ms)| format!("{ms:.1}"))
        })?;
        for (title, groups) in
            [("read right, by source", &first.by_source), ("read right, by tag", &first.by_tag)]
        {
            if groups.is_empty() {
                continue;
            }
            let width = groups.keys().map(|name| name.chars().count()).max().unwrap_or(0).max(24);
            write!(out, "\n{title:<0$}", width + 2)?;
            self.write_columns(out, &|e| e.reader.clone())?;
            for name in groups.keys() {
                write!(out, "  {:<width$}", line(name))?;
                self.write_columns(out, &|e| {
                    let group = e.by_source.get(name).filter(|_| title.ends_with("source"));
                    let group = group.or_else(|| e.by_tag.get(name));
                    group.map_or(String::new(), |f| format!("{:.1} %", f.right_percent()))
                })?;
            }
        }
        Ok(())
    }
}

/// Upper ends of the bins of 1 - confidence, the most confident last.
const OPEN_UP_TO: [f64; 10] = [1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];

/// Readings with similar confidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Number of readings.
    pub readings: usize,
    /// Number of readings whose best guess is right.
    pub right: usize,
    /// Sum of 1 - confidence: the expected number of errors.
    pub expected_wrong: f64,
}

impl Bin {
    /// Number of errors.
    pub(crate) fn wrong(&self) -> usize {
        self.readings - self.right
    }

    /// The 95 % confidence interval of the share of errors (Wilson's interval, 1927).
    pub(crate) fn wrong_between(&self) -> (f64, f64) {
        const Z: f64 = 1.96;
        let n = self.readings.max(1) as f64;
        let p = self.wrong() as f64 / n;
        let center = p + Z * Z / (2.0 * n);
        let spread = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        (((center - spread) / scale).max(0.0), ((center + spread) / scale).min(1.0))
    }
}

/// All readings by bin. Unsure readings count with their best guess, false cards as wrong.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reliability {
    /// By 1 - confidence, the least confident first.
    pub bins: [Bin; OPEN_UP_TO.len()],
}

impl Reliability {
    pub(crate) fn of_photo(labels: &[CardLabel], readings: &[ReadCard], matched: &Match) -> Self {
        let mut all = Self::default();
        for (label, reading) in labels.iter().zip(&matched.reading_of_label) {
            if let Some(reading) = reading.map(|j| &readings[j]) {
                all.count(reading.confidence, reading.card == label.code);
            }
        }
        for &j in &matched.false_cards {
            all.count(readings[j].confidence, false);
        }
        all
    }

    pub(crate) fn of_probable_sets(
        labels: &[CardLabel],
        table: &TableReading,
        matched: &Match,
    ) -> Self {
        let mut all = Self::default();
        for set in &table.probable_sets {
            all.count(set.confidence, set_at(set.cards, labels, matched).is_some());
        }
        all
    }

    pub(crate) fn count(&mut self, confidence: f32, right: bool) {
        let open = (1.0 - f64::from(confidence)).clamp(0.0, 1.0);
        let bin = OPEN_UP_TO.iter().rposition(|&end| open <= end).unwrap_or(0);
        let bin = &mut self.bins[bin];
        bin.readings += 1;
        bin.right += usize::from(right);
        bin.expected_wrong += open;
    }

    /// Adds the readings of other photos.
    pub(crate) fn add(&mut self, other: &Self) {
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            bin.readings += more.readings;
            bin.right += more.right;
            bin.expected_wrong += more.expected_wrong;
        }
    }

    /// The bins that are not empty: lower and upper end of 1 - confidence, and the bin.
    pub(crate) fn filled(&self) -> impl Iterator<Item = (f64, f64, &Bin)> {
        self.bins
            .iter()
            .enumerate()
            .filter(|(_, bin)| bin.readings > 0)
            .map(|(i, bin)| (OPEN_UP_TO.get(i + 1).copied().unwrap_or(0.0), OPEN_UP_TO[i], bin))
    }

    /// Expected calibration error: the mean over all readings of the distance between their bin's
    /// mean confidence and its accuracy (Naeini, Cooper and Hauskrecht 2015, with the bins above).
    pub(crate) fn calibration_error(&self) -> f64 {
        let total: usize = self.bins.iter().map(|bin| bin.readings).sum();
        let off = self.bins.iter().map(|bin| (bin.wrong() as f64 - bin.expected_wrong).abs());
        off.sum::<f64>() / total.max(1) as f64
    }

    /// As JSON, without empty bins.
    pub(crate) fn to_json(&self) -> Value {
        let bins: Vec<Value> = self
            .filled()
            .map(|(low, high, bin)| {
                json!({
                    "confidence_from": round(1.0 - high),
                    "confidence_to": round(1.0 - low),
                    "readings": bin.readings,
                    "right": bin.right,
                    "mean_confidence": round(1.0 - bin.expected_wrong / bin.readings as f64),
                    "right_share": round(bin.right as f64 / bin.readings as f64),
                })
            })
            .collect();
        json!({"expected_calibration_error": round(self.calibration_error()), "bins": bins})
    }
}

#[cfg(test)]
mod tests {
    use super::super::figures::TableLabel;
    use super::*;

    fn fake(source: &str) -> PhotoResult {
        let outcome = PhotoOutcome {
            table: TableLabel::default(),
            found: TableLabel::default(),
            source: source.into(),
            image: "a.jpg".into(),
            cards: 0,
            right: Vec::new(),
            mistakes: Vec::new(),
        };
        PhotoResult {
            figures: Figures::default(),
            stage_cpu_ms: Vec::new(),
            reliability: Reliability::default(),
            probable_sets: Reliability::default(),
            outcome,
            mistakes: Vec::new(),
            stages: Vec::new(),
        }
    }

    #[test]
    fn sums_and_groups() {
        let one = Figures { photos: 1, cards: 3, right: 1, missed: 2, ..Figures::default() };
        let result = |source: &str, load: f64, segment: f64| PhotoResult {
            figures: one.clone(),
            stage_cpu_ms: vec![("load".into(), load), ("segment".into(), segment)],
            ..fake(source)
        };
        let mut e = Evaluation::of_reader("fake");
        e.add(&["glare".into()], &result("a", 2.0, 10.0));
        e.add(&[], &result("b", 4.0, 20.0));
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
    fn readers_stand_side_by_side() {
        let both = [reader_with("classical", 2), reader_with("neural", 4)];
        let text = SideBySide(&both).to_string();
        let line = text.lines().find(|line| line.contains("read right")).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words, ["read", "right", "50.0", "%", "100.0", "%"]);
        assert!(text.lines().any(|line| line.trim().starts_with("kitchen")), "{text}");
        assert_eq!(SideBySide(&both).to_json()["readers"]["neural"]["all"]["right"], 4);
    }

    fn reader_with(name: &str, right: usize) -> Evaluation {
        let mut evaluation = Evaluation::of_reader(name);
        let figures =
            Figures { photos: 1, cards: 4, right, missed: 4 - right, ..Figures::default() };
        evaluation.add(&[], &PhotoResult { figures, ..fake("kitchen") });
        evaluation
    }

    #[test]
    fn confusions_are_named() {
        let matrix = [[4, 0, 1], [0, 9, 12], [0, 0, 3]];
        let text = confusions(Property::Color, &matrix);
        assert_eq!(text, "purple read as red 12, green read as red 1");
    }

    #[test]
    fn honest_confidence_has_no_error_and_boasting_has() {
        let mut honest = Reliability::default();
        let mut boasting = Reliability::default();
        for i in 0..100 {
            honest.count(0.9, i % 10 != 0);
            boasting.count(0.9995, i % 10 != 0);
        }
        assert!(honest.calibration_error() < 1e-6, "{}", honest.calibration_error());
        assert!((boasting.calibration_error() - 0.0995).abs() < 1e-6);
        let bins: Vec<_> = honest.filled().collect();
        assert_eq!(bins.len(), 1);
        assert_eq!((bins[0].2.readings, bins[0].2.right), (100, 90));
        let (low, high) = bins[0].2.wrong_between();
        assert!(low > 0.04 && low < 0.1 && high > 0.1 && high < 0.18, "{low} {high}");
        assert_eq!(boasting.filled().next().unwrap().1, 0.001);
        let mut both = honest.clone();
        both.add(&boasting);
        assert_eq!(both.filled().map(|(_, _, bin)| bin.readings).sum::<usize>(), 200);
    }

    #[test]
    fn every_confidence_has_a_bin() {
        let mut all = Reliability::default();
        for confidence in [0.0, 0.3, 0.5, 0.999, 1.0, f32::NAN, -1.0, 2.0] {
            all.count(confidence, true);
        }
        assert_eq!(all.bins.iter().map(|bin| bin.readings).sum::<usize>(), 8);
    }
}
