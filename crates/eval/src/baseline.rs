//! Differences between this evaluation and an earlier one.
//!
//! Both are read from the JSON that `eval --format json` prints and that a report stores as
//! `figures.json`, so that an older version's figures can be compared where both have them.

use super::figures::PhotoOutcome;
use serde_json::{Value, json};
use setsight_files::{json_fault, printable, small_file::read_json};
use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, fmt};

/// Why an earlier evaluation cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    #[error("{path}: cannot be read: {source}")]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error(
        "{path}: {reason}; expected an evaluation as JSON, or the figures.json \
         of a report"
    )]
    Malformed { path: PathBuf, reason: String },
}

/// A quality figure.
struct Measure {
    key: &'static str,
    name: &'static str,
    more_is_better: bool,
}

const fn measure(key: &'static str, name: &'static str, more_is_better: bool) -> Measure {
    Measure { key, name, more_is_better }
}

/// The figures that are compared, by their names in the JSON.
const MEASURES: [Measure; 11] = [
    measure("found_percent", "cards found, %", true),
    measure("false_cards_a_photo", "false cards a photo", false),
    measure("right_percent", "read right, %", true),
    measure("best_guess_percent", "best guess right, %", true),
    measure("claims_right_percent", "claims right, %", true),
    measure("unsure_percent", "unsure, %", false),
    measure("perfect_boards_percent", "perfect boards, %", true),
    measure("sets_precision_percent", "sets: precision, %", true),
    measure("sets_recall_percent", "sets: recall, %", true),
    measure("sets_shown_recall_percent", "sets with probable ones: recall, %", true),
    measure("boards_shown_percent", "boards with all sets, %", true),
];

/// Earlier figures, of one reader or of several.
#[derive(Clone, Debug)]
pub struct Baseline(Value);

impl Baseline {
    pub fn read(path: &Path) -> Result<Self, BaselineError> {
        let text = read_json(path)
            .map_err(|source| BaselineError::Unreadable { path: path.to_path_buf(), source })?;
        let bad = |reason: String| BaselineError::Malformed { path: path.to_path_buf(), reason };
        let json: Value = serde_json::from_str(&text).map_err(|error| bad(json_fault(&error)))?;
        let several = json["readers"].as_object();
        let sound = match several {
            Some(readers) => {
                !readers.is_empty() && readers.values().all(|reader| reader["all"].is_object())
            }
            None => json["all"].is_object(),
        };
        if sound { Ok(Self(json)) } else { Err(bad("no figures in it".into())) }
    }

    /// The figures of the reader of this name; the only figures if there is one reader with another
    /// name.
    fn figures_of(&self, reader: &str) -> Option<&Value> {
        let Some(readers) = self.0["readers"].as_object() else { return Some(&self.0) };
        let only = if readers.len() == 1 { readers.values().next() } else { None };
        readers.get(reader).or(only)
    }

    /// Compares the figures; `None` if the baseline has none for this reader.
    pub fn compare(&self, now: &Value) -> Option<Comparison> {
        let before = self.figures_of(now["reader"].as_str().unwrap_or_default())?;
        Some(Comparison::new(before, now))
    }
}

/// A figure before and now.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub name: String,
    /// Its earlier value.
    pub before: f64,
    /// Its current value.
    pub now: f64,
    /// Whether a larger value is better.
    pub more_is_better: bool,
}

impl Change {
    /// The improvement; negative if it got worse.
    pub(crate) fn gain(&self) -> f64 {
        let more = self.now - self.before;
        if self.more_is_better { more } else { -more }
    }

    fn to_json(&self) -> Value {
        json!({
            "figure": self.name,
            "before": self.before,
            "now": self.now,
            "better_by": (self.gain() * 100.0).round() / 100.0,
        })
    }
}

/// A card, or the false cards of a photo, with a different outcome than before.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CardChange {
    /// The photo: source and file.
    pub photo: String,
    /// The labelled code, or `false cards`.
    pub card: String,
    /// The earlier outcome, such as `wrong`, or the earlier number of false cards.
    pub before: String,
    /// The current outcome.
    pub now: String,
}

/// The comparison of two evaluations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Names of the earlier and the current reader.
    pub readers: (String, String),
    /// The figures over all photos.
    pub all: Vec<Change>,
    /// `read right` and `cards found` of each source and tag that changed.
    pub groups: Vec<Change>,
    /// Cards with a better outcome than before.
    pub better: Vec<CardChange>,
    /// Cards with a worse outcome than before.
    pub worse: Vec<CardChange>,
    /// Number of photos in only one of the two.
    pub photos_not_in_both: usize,
    /// Whether the earlier figures list single cards.
    pub lists_cards: bool,
}

/// By source and file.
fn by_photo(outcomes: &[PhotoOutcome]) -> BTreeMap<(&str, &str), &PhotoOutcome> {
    outcomes.iter().map(|photo| ((&*photo.source, &*photo.image), photo)).collect()
}

/// Rank of an outcome, the best first.
fn rank(verdict: &str) -> u8 {
    match verdict {
        "right" => 0,
        "unsure" => 1,
        "missed" => 2,
        _ => 3,
    }
}

impl Comparison {
    fn new(before: &Value, now: &Value) -> Self {
        let readers =
            [before, now].map(|v| v["reader"].as_str().unwrap_or("unknown").to_owned()).into();
        let mut result = Self { readers, ..Self::default() };
        let change = |measure: &Measure, name: String, before: &Value, now: &Value| {
            let (before, now) = (before[measure.key].as_f64()?, now[measure.key].as_f64()?);
            Some(Change { name, before, now, more_is_better: measure.more_is_better })
        };
        let all = MEASURES.iter();
        let all = all.filter_map(|m| change(m, m.name.into(), &before["all"], &now["all"]));
        result.all = all.collect();
        for kind in ["by_source", "by_tag"] {
            for (group, figures) in now[kind].as_object().into_iter().flatten() {
                for measure in [&MEASURES[2], &MEASURES[0], &MEASURES[1]] {
                    let name = format!("{group}: {}", measure.name);
                    let change = change(measure, name, &before[kind][group], figures);
                    result.groups.extend(change.filter(|c| c.gain().abs() >= 0.005));
                }
            }
        }
        result.compare_cards(before, now);
        result
    }

    /// The comparison of the cards alone.
    pub(crate) fn of_photos(before: &[PhotoOutcome], now: &[PhotoOutcome]) -> Self {
        let mut result = Self::default();
        result.compare_photos(before, now);
        result
    }

    fn compare_cards(&mut self, before: &Value, now: &Value) {
        let [before, now] = [before, now]
            .map(|value| serde_json::from_value::<Vec<PhotoOutcome>>(value["photos"].clone()).ok());
        if let (Some(before), Some(now)) = (before, now) {
            self.compare_photos(&before, &now);
        }
    }

    fn compare_photos(&mut self, before: &[PhotoOutcome], now: &[PhotoOutcome]) {
        let [before, now] = [before, now].map(by_photo);
        self.lists_cards = true;
        let gone = before.keys().filter(|key| !now.contains_key(*key));
        let added = now.keys().filter(|key| !before.contains_key(*key));
        self.photos_not_in_both = gone.count() + added.count();
        for (key, new) in &now {
            let Some(old) = before.get(key) else { continue };
            let photo = format!("{}/{}", key.0, key.1);
            let mut codes: Vec<&str> = [old, new]
                .iter()
                .flat_map(|photo| photo.mistakes.iter().filter_map(|m| m.card.as_deref()))
                .collect();
            codes.sort_unstable();
            codes.dedup();
            for code in codes {
                // A label in only one of the two is a difference between datasets, not between
                // readers.
                let both = (old.verdict_of(code), new.verdict_of(code));
                let (Some(then), Some(now)) = both else { continue };
                self.note(rank(then).cmp(&rank(now)), &photo, code, (then.into(), now.into()));
            }
            let (then, now) = (old.false_cards(), new.false_cards());
            let words = (then.to_string(), now.to_string());
            self.note(then.cmp(&now), &photo, "false cards", words);
        }
    }

    fn note(
        &mut self,
        order: std::cmp::Ordering,
        photo: &str,
        card: &str,
        (before, now): (String, String),
    ) {
        let list = match order {
            std::cmp::Ordering::Greater => &mut self.better,
            std::cmp::Ordering::Less => &mut self.worse,
            std::cmp::Ordering::Equal => return,
        };
        list.push(CardChange { photo: photo.into(), card: card.into(), before, now });
    }

    pub fn to_json(&self) -> Value {
        json!({
            "reader_before": self.readers.0,
            "all": self.all.iter().map(Change::to_json).collect::<Vec<_>>(),
            "groups": self.groups.iter().map(Change::to_json).collect::<Vec<_>>(),
            "better": self.better,
            "worse": self.worse,
            "photos_not_in_both": self.photos_not_in_both,
        })
    }
}

/// Maximum number of cards listed on a terminal; the report lists all.
const SHOWN: usize = 20;

impl Change {
    fn write_to(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.gain() {
            g if g >= 0.005 => "better",
            g if g <= -0.005 => "worse",
            _ => "",
        };
        let (name, before, now) = (printable::line(&self.name), self.before, self.now);
        writeln!(out, "  {name:<38}{before:>8.2}{now:>8.2}  {word}")
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reader = printable::line(&self.readers.0);
        writeln!(out, "against the baseline (reader {reader})      before     now")?;
        for change in self.all.iter().chain(&self.groups) {
            change.write_to(out)?;
        }
        if self.photos_not_in_both > 0 {
            writeln!(out, "  {} photos are not in both", self.photos_not_in_both)?;
        }
        if !self.lists_cards {
            return writeln!(out, "  the baseline does not tell of single cards");
        }
        out.write_str(&self.card_lists("; a report lists them"))
    }
}

impl Comparison {
    /// The cards that are better and worse, a line for each; `elsewhere` says where those beyond [`SHOWN`] are.
    pub(crate) fn card_lists(&self, elsewhere: &str) -> String {
        let mut text = String::new();
        for (title, list) in [("better", &self.better), ("worse", &self.worse)] {
            text += &format!("  {title}: {} cards\n", list.len());
            for CardChange { photo, card, before, now } in list.iter().take(SHOWN) {
                let line = format!("{photo}: {card} {before} -> {now}");
                text += &format!("    {}\n", printable::line(&line));
            }
            if list.len() > SHOWN {
                text += &format!("    and {} more{elsewhere}\n", list.len() - SHOWN);
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(right: f64, codes: &[&str], mistakes: Value) -> Value {
        json!({
            "reader": "fake",
            "all": {"right_percent": right, "false_cards_a_photo": 100.0 - right},
            "by_source": {"kitchen": {"right_percent": right, "found_percent": 100.0}},
            "photos": [{
                "source": "kitchen", "image": "a.jpg", "cards": 3, "right": codes, "mistakes": mistakes,
            }],
        })
    }

    fn mistake(card: Option<&str>, verdict: &str) -> Value {
        json!({"card": card, "verdict": verdict, "read": null, "confidence": null})
    }

    #[test]
    fn better_and_worse_are_compared_card_by_card() {
        let before = figures(
            50.0,
            &["3fgd", "1opd"],
            json!([
                mistake(Some("1fgd"), "wrong"),
                mistake(Some("2fgd"), "unsure"),
                mistake(None, "false")
            ]),
        );
        let now = figures(
            75.0,
            &["1fgd", "1opd"],
            json!([mistake(Some("2fgd"), "wrong"), mistake(Some("3fgd"), "missed")]),
        );
        let c = Comparison::new(&before, &now);
        assert_eq!(c.all.iter().map(Change::gain).collect::<Vec<_>>(), [25.0, 25.0]);
        assert_eq!(c.groups.len(), 1, "what did not change is not listed: {:?}", c.groups);
        let cards = |list: &[CardChange]| -> Vec<String> {
            list.iter().map(|c| format!("{} {}>{}", c.card, c.before, c.now)).collect()
        };
        assert_eq!(cards(&c.better), ["1fgd wrong>right", "false cards 1>0"]);
        assert_eq!(cards(&c.worse), ["2fgd unsure>wrong", "3fgd right>missed"]);
        let text = c.to_string();
        assert!(text.contains("kitchen/a.jpg: 3fgd right -> missed"), "{text}");
    }

    #[test]
    fn figures_without_cards_are_compared_as_far_as_they_go() {
        let mut before = figures(50.0, &[], json!([]));
        before.as_object_mut().unwrap().remove("photos");
        let c = Comparison::new(&before, &figures(40.0, &[], json!([])));
        assert!(!c.lists_cards && c.all[0].gain() == -10.0);
        assert!(c.to_string().contains("does not tell of single cards"));
    }

    #[test]
    fn a_file_of_something_else_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("figures.json");
        for text in ["", "[]", "{\"readers\": {}}", "{\"cards\": 3}"] {
            std::fs::write(&path, text).unwrap();
            let error = Baseline::read(&path).unwrap_err().to_string();
            assert!(error.contains("figures.json") && error.contains("an evaluation as JSON"));
        }
        std::fs::write(&path, figures(1.0, &[], json!([])).to_string()).unwrap();
        assert!(Baseline::read(&path).unwrap().compare(&figures(2.0, &[], json!([]))).is_some());
    }
}
