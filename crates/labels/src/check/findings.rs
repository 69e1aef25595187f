//! Collects, counts and prints the findings.

use super::{Checked, Doubt, Item, LabelledBoard, Picture, Plan, Wrong};
use serde_json::{Value, json};
use setsight_files::printable::{counted, line};
use setsight_game::cards::{Card, DECK_SIZE, Property};
use setsight_game::json::{VERSION, path_members};
use setsight_photo::source::natural_order;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::{Path, PathBuf},
};

/// Values with fewer examples than this are reported.
pub const FEW: usize = 10;
/// Minimum number of labels for a verdict that they belong to another photo.
const LEAST_LABELS: usize = 3;
/// Two boards hold the same cards if they share at least this fraction. By chance, two boards of
/// twelve share two cards.
const SAME_BOARD: f64 = 0.6;

/// The findings in some labelled folders.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Folders with labels.
    pub folders: usize,
    /// Labelled photos that exist.
    pub photos: usize,
    /// Labelled crops that exist.
    pub crops: usize,
    /// Labelled cards in both.
    pub cards: usize,
    /// Photos with unconfirmed labels, which are not checked, evaluated or learnt from.
    pub unchecked: Vec<PathBuf>,
    pub wrong: Vec<Wrong>,
    /// Disagreements between labels and reader.
    pub doubts: Vec<Doubt>,
    /// Labelled cards that the reader finds but does not claim; these say nothing about the labels.
    pub unsure: usize,
    /// How often each value of each property is labelled, in [`Property::ALL`] order.
    pub examples: [[usize; 3]; 4],
    different: BTreeSet<Card>,
    pictures: Vec<Picture>,
    boards: Vec<LabelledBoard>,
}

impl Findings {
    /// The findings before any picture is read.
    pub fn of_plan(plan: &Plan) -> Self {
        let mut findings = Self {
            folders: plan.folders.len(),
            unchecked: plan.unchecked.clone(),
            wrong: plan.wrong.clone(),
            ..Self::default()
        };
        for item in &plan.items {
            let cards: Vec<Card> = match item {
                Item::Photo { label, .. } => {
                    findings.photos += 1;
                    label.cards.iter().map(|card| card.code).collect()
                }
                Item::Crops(crops) => {
                    findings.crops += crops.len();
                    crops.iter().map(|crop| crop.1).collect()
                }
            };
            findings.cards += cards.len();
            for card in cards {
                findings.different.insert(card);
                for property in Property::ALL {
                    findings.examples[property as usize][card.value(property)] += 1;
                }
            }
        }
        findings
    }

    /// Adds the result of an item, without its doubts' pictures.
    pub fn add(&mut self, checked: Checked) {
        self.wrong.extend(checked.wrong);
        self.unsure += checked.unsure;
        self.pictures.extend(checked.pictures);
        self.boards.extend(checked.board);
        let without = checked.doubts.into_iter().map(|doubt| Doubt { mistake: None, ..doubt });
        self.doubts.extend(without);
    }

    /// Finds errors that need all pictures: contradictory labels, and labels of another photo.
    pub fn finish(&mut self) {
        self.find_contradictions();
        self.find_strangers();
        self.wrong.sort_by(|a, b| natural_order(a.path.as_os_str(), b.path.as_os_str()));
        self.doubts.sort_by(|a, b| natural_order(a.path.as_os_str(), b.path.as_os_str()));
    }

    /// Finds the same picture with different labels.
    fn find_contradictions(&mut self) {
        let mut first: BTreeMap<&str, &Picture> = BTreeMap::new();
        for picture in &self.pictures {
            let before = *first.entry(&picture.sha256).or_insert(picture);
            if before.labelled != picture.labelled {
                self.wrong.push(Wrong {
                    path: picture.path.clone(),
                    reason: format!(
                        "is the same picture as {}, but labelled {} here and {} there; correct one \
                         of them",
                        before.path.display(),
                        listed(picture.labelled.difference(&before.labelled)),
                        listed(before.labelled.difference(&picture.labelled)),
                    ),
                });
            }
        }
    }

    /// Finds photos whose labels belong to another photo or have wrong coordinates.
    fn find_strangers(&mut self) {
        for board in &self.boards {
            let count = board.labelled.len();
            let is_strange = count >= LEAST_LABELS
                && board.sure.len() >= LEAST_LABELS
                && 3 * board.against >= 2 * count
                && 3 * board.agree < count;
            if !is_strange {
                continue;
            }
            let reason = if shared(&board.labelled, &board.sure) >= SAME_BOARD {
                "its labels name the cards that lie there, but at other places: are their coordinates \
                 of another size, or of the photo before EXIF turned it?"
                    .to_owned()
            } else {
                let rest = self.boards.iter().filter(|other| other.path != board.path);
                let owner = rest
                    .map(|other| (shared(&board.labelled, &other.sure), &other.path))
                    .max_by(|a, b| a.0.total_cmp(&b.0))
                    .filter(|(share, _)| *share >= SAME_BOARD);
                let whose = owner
                    .map_or("another photo".to_owned(), |(_, path)| path.display().to_string());
                format!(
                    "has the labels of {whose}, it seems: of {count} labelled cards {} are there; \
                     correct the file's name in the labels",
                    board.agree
                )
            };
            self.wrong.push(Wrong { path: board.path.clone(), reason });
        }
    }

    /// Values with fewer examples than [`FEW`]: name and number.
    fn few(&self) -> Vec<(&'static str, usize)> {
        let mut few = Vec::new();
        for property in Property::ALL {
            for (value, &count) in self.examples[property as usize].iter().enumerate() {
                if count < FEW {
                    few.push((property.value_word(value), count));
                }
            }
        }
        few
    }

    /// Number of different labelled cards.
    pub fn different(&self) -> usize {
        self.different.len()
    }

    /// All of it as one JSON object.
    pub fn to_json(&self) -> Value {
        let wrong: Vec<Value> =
            self.wrong.iter().map(|w| about(&w.path, &json!({"reason": w.reason}))).collect();
        let doubtful: Vec<Value> = self.doubts.iter().map(doubt_json).collect();
        let examples: serde_json::Map<String, Value> = Property::ALL
            .into_iter()
            .zip(&self.examples)
            .map(|(property, counts)| {
                let values = (0..3).map(|v| (property.value_word(v).to_owned(), counts[v].into()));
                (property.word().to_owned(), Value::Object(values.collect()))
            })
            .collect();
        let few: Vec<&str> = self.few().into_iter().map(|(word, _)| word).collect();
        json!({
            "version": VERSION,
            "folders": self.folders,
            "photos": self.photos,
            "crops": self.crops,
            "cards": self.cards,
            "different_cards": self.different(),
            "not_checked": self.unchecked.iter().map(|p| p.to_string_lossy()).collect::<Vec<_>>(),
            "wrong": wrong,
            "doubtful": doubtful,
            "unsure": self.unsure,
            "examples": examples,
            "few": {"fewer_than": FEW, "values": few},
        })
    }
}

fn about(path: &Path, rest: &Value) -> Value {
    let rest = rest.as_object().cloned().into_iter().flatten();
    Value::Object(path_members("file", path).into_iter().chain(rest).collect())
}

fn doubt_json(doubt: &Doubt) -> Value {
    let rest = json!({
        "doubt": doubt.kind.name(),
        "labelled": doubt.labelled.map(|card| card.to_string()),
        "read": doubt.read.map(|(card, _)| card.to_string()),
        // Four digits are enough.
        "confidence": doubt.read.map(|(_, sure)| (f64::from(sure) * 1e4).round() / 1e4),
        "center_in_upright_photo":
            doubt.center_in_image.map(|p| [p.x, p.y].map(|v| (v * 10.0).round() / 10.0)),
    });
    about(&doubt.path, &rest)
}

/// The fraction of the smaller board's cards that are in the other.
fn shared(a: &BTreeSet<Card>, b: &BTreeSet<Card>) -> f64 {
    let both = a.intersection(b).count();
    both as f64 / a.len().min(b.len()).max(1) as f64
}

fn listed<'a>(cards: impl Iterator<Item = &'a Card>) -> String {
    let codes: Vec<String> = cards.map(Card::to_string).collect();
    if codes.is_empty() { "no more".to_owned() } else { codes.join(", ") }
}

/// For a terminal.
impl fmt::Display for Findings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "{}: {}, {}, {}",
            counted(self.folders, "folder"),
            counted(self.photos, "photo"),
            counted(self.crops, "crop"),
            counted(self.cards, "labelled card")
        )?;
        if !self.unchecked.is_empty() {
            writeln!(
                out,
                "\nnot checked by a person, and so not looked at: {}",
                self.unchecked.len()
            )?;
            for path in &self.unchecked {
                writeln!(out, "  {}", line(&path.display().to_string()))?;
            }
        }
        writeln!(out, "\nwrong: {}", self.wrong.len())?;
        for Wrong { path, reason } in &self.wrong {
            writeln!(out, "  {}", line(&format!("{}: {reason}", path.display())))?;
        }
        writeln!(out, "\ndoubtful: {}", self.doubts.len())?;
        for doubt in &self.doubts {
            writeln!(out, "  {}", line(&format!("{}: {doubt}", doubt.path.display())))?;
        }
        if self.unsure > 0 {
            let labels = if self.unsure == 1 { "its label is" } else { "their labels are" };
            let cards = counted(self.unsure, "more card");
            writeln!(out, "  {cards}: the reader is unsure, so {labels} not questioned")?;
        }
        writeln!(out, "\nexamples")?;
        for (property, counts) in Property::ALL.into_iter().zip(&self.examples) {
            write!(out, "  {:<8}", property.word())?;
            for (value, number) in counts.iter().enumerate() {
                write!(out, "  {:>8} {number:<5}", property.value_word(value))?;
            }
            writeln!(out)?;
        }
        writeln!(out, "  {} of the deck's {DECK_SIZE} cards have one", self.different())?;
        let few = self.few();
        if few.is_empty() {
            return writeln!(out, "\nmissing: nothing");
        }
        let few: Vec<String> = few.iter().map(|(word, n)| format!("{word} ({n})")).collect();
        writeln!(out, "\nmissing: fewer than {FEW} examples of {}", few.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cards(codes: &str) -> BTreeSet<Card> {
        codes.split_whitespace().map(|code| code.parse().unwrap()).collect()
    }

    fn board(path: &str, labelled: &str, sure: &str, agree: usize) -> LabelledBoard {
        let labelled = cards(labelled);
        let against = labelled.len() - agree;
        LabelledBoard { path: path.into(), labelled, sure: cards(sure), agree, against }
    }

    fn reasons(boards: Vec<LabelledBoard>) -> Vec<String> {
        let mut findings = Findings { boards, ..Findings::default() };
        findings.finish();
        findings.wrong.iter().map(|w| format!("{}: {}", w.path.display(), w.reason)).collect()
    }

    #[test]
    fn labels_of_another_photo_are_reported_with_its_name() {
        let (a, b) = ("1fgd 2fgd 3fgd 1ogd", "1srs 2srs 3srs 1spo");
        assert!(reasons(vec![board("a", a, a, 4), board("b", b, b, 4)]).is_empty());
        let swapped = reasons(vec![board("a", b, a, 0), board("b", b, b, 4)]);
        assert_eq!(swapped.len(), 1, "{swapped:?}");
        assert!(swapped[0].starts_with("a: has the labels of b, it seems: of 4 labelled cards 0"));
        let alone = reasons(vec![board("a", b, a, 0)]);
        assert!(alone[0].starts_with("a: has the labels of another photo"), "{alone:?}");
        let moved = reasons(vec![board("a", a, a, 0)]);
        assert!(moved[0].contains("at other places"), "{moved:?}");
        // A reader that finds nothing proves nothing, and a single wrong label is only a doubt.
        assert!(reasons(vec![board("a", a, "", 0), board("b", b, b, 3)]).is_empty());
    }

    #[test]
    fn one_picture_with_two_labels_is_a_contradiction() {
        let picture = |path: &str, labelled: &str| Picture {
            path: path.into(),
            sha256: "same".into(),
            labelled: cards(labelled),
        };
        let pictures =
            vec![picture("a.jpg", "2spd"), picture("b.jpg", "2spd"), picture("c.jpg", "2spo")];
        let mut findings = Findings { pictures, ..Findings::default() };
        findings.finish();
        assert_eq!(findings.wrong.len(), 1);
        assert!(findings.wrong[0].reason.contains("a.jpg, but labelled 2spo here and 2spd there"));
    }
}
