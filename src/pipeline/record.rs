//! The result for one photo as text, JSON or CSV.

use super::classify::table_facts::TableFacts;
use super::data::ReadCard;
use super::stage::StageTime;
use super::{engine, layout};
use crate::cards::Deck;
use crate::cards::picture::{Ink, Slot, grid_of};
use crate::json::{VERSION, path_members};
use crate::printable;
use crate::sets::Set;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// A photo and its result, or why it was not read.
pub struct Record {
    /// The photo's path as found.
    pub image: PathBuf,
    /// The result, or the error message.
    pub result: Result<PhotoRecord, String>,
}

/// The result for one photo.
pub struct PhotoRecord {
    /// Width of the upright photo, in pixels.
    pub width: u32,
    /// Height of the upright photo, in pixels.
    pub height: u32,
    /// The table facts.
    pub facts: TableFacts,
    /// The cards, in reading order.
    pub scan: Vec<ReadCard>,
    /// The sets, as indices into `scan`.
    pub sets: Vec<Set>,
    /// The time of each stage.
    pub times: Vec<StageTime>,
    /// What is wrong with the file, in words, though it could be read.
    pub warning: Option<&'static str>,
}

/// First line of the CSV.
pub const CSV_HEADER: &str =
    "image,card,code,confidence,unsure,x1,y1,x2,y2,x3,y3,x4,y4,sets,error\n";

impl Record {
    /// The JSON value of `--format json` and of results.jsonl, one line per photo.
    pub fn to_json(&self) -> Value {
        match &self.result {
            Ok(photo) => photo.to_json(path_members("image", &self.image)),
            Err(error) => self.with("error", json!(error)),
        }
    }

    /// The JSON value of `--only-sets`: the photo's sets only, as the codes of their cards.
    pub fn sets_to_json(&self) -> Value {
        let Ok(photo) = &self.result else { return self.to_json() };
        let codes = |set: &Set| set.0.map(|i| photo.scan[i].card.to_string());
        let sets: Vec<_> = photo.sets.iter().map(codes).collect();
        self.with("sets", json!(sets))
    }

    /// The photo's name, and one thing that is said of it.
    fn with(&self, name: &str, value: Value) -> Value {
        let mut members = Map::from_iter([("version".to_owned(), json!(VERSION))]);
        members.extend(path_members("image", &self.image));
        members.insert(name.to_owned(), value);
        Value::Object(members)
    }

    /// One CSV line for each card, or a single line for a photo without cards or with an error,
    /// each with its line end. `sets` holds the numbers (from 1) of the card's sets.
    pub fn to_csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let image = self.image.to_string_lossy();
        let image = printable::cell(&image);
        let mut line = |fields: Vec<String>| {
            let fields = std::iter::once(image.to_string()).chain(fields);
            writer.write_record(fields).expect("into memory, always the same number of fields");
        };
        let empty = |n: usize| vec![String::new(); n];
        match &self.result {
            Err(error) => line([empty(13), vec![printable::cell(error).into_owned()]].concat()),
            Ok(photo) if photo.scan.is_empty() => line(empty(14)),
            Ok(photo) => {
                for (i, card) in photo.scan.iter().enumerate() {
                    let member =
                        photo.sets.iter().enumerate().filter(|(_, set)| set.0.contains(&i));
                    let sets: Vec<String> = member.map(|(n, _)| (n + 1).to_string()).collect();
                    let mut fields = vec![
                        (i + 1).to_string(),
                        card.card.to_string(),
                        format!("{:.3}", card.confidence),
                        card.unsure.to_string(),
                    ];
                    for corner in card.corners_in_image.0 {
                        fields.extend([format!("{:.1}", corner.x), format!("{:.1}", corner.y)]);
                    }
                    fields.extend([sets.join(" "), String::new()]);
                    line(fields);
                }
            }
        }
        String::from_utf8(writer.into_inner().expect("into memory")).expect("text from text")
    }

    /// Text for people: the board in its rows, then its sets. Empty for a photo with an error.
    pub fn to_text(&self, ink: Ink) -> String {
        let Ok(photo) = &self.result else { return String::new() };
        let name = ink.bold(&printable::line(&self.image.display().to_string()));
        let mut text = format!("{name}: {}\n", photo.summary());
        if photo.scan.is_empty() {
            return text;
        }
        let quads: Vec<_> = photo.scan.iter().map(|card| card.corners_in_image).collect();
        let rows: Vec<Vec<Slot>> = layout::rows(&quads)
            .into_iter()
            .map(|row| row.into_iter().map(|i| slot(i, &photo.scan[i])).collect())
            .collect();
        let deck = photo.deck();
        text += &grid_of(&deck, &rows, ink);
        for (n, set) in photo.sets.iter().enumerate() {
            let named = |i: usize| format!("{} {}", i + 1, photo.name_of(i, &deck, ink));
            text += &format!("set {}: {}\n", n + 1, set.0.map(named).join(", "));
        }
        text
    }

    /// Text for people: the sets only. Empty for a photo with an error.
    pub fn sets_to_text(&self, ink: Ink) -> String {
        let Ok(photo) = &self.result else { return String::new() };
        let mut text = format!(
            "{}: {}\n",
            ink.bold(&printable::line(&self.image.display().to_string())),
            photo.summary()
        );
        let deck = photo.deck();
        for set in &photo.sets {
            let codes = set.0.map(|i| photo.scan[i].card.to_string()).join(" ");
            let names = set.0.map(|i| photo.name_of(i, &deck, ink)).join(", ");
            text += &format!("{codes}   {names}\n");
        }
        text
    }
}

impl PhotoRecord {
    /// The deck whose names are used for the cards.
    fn deck(&self) -> Arc<Deck> {
        self.facts.named_deck()
    }

    fn name_of(&self, index: usize, deck: &Deck, ink: Ink) -> String {
        let card = self.scan[index].card;
        ink.colored(card.color, &deck.card_name(card))
    }

    /// The result as JSON; `head` holds the members that identify the picture.
    pub fn to_json(&self, head: Vec<(String, Value)>) -> Value {
        let cards: Vec<Value> = self.scan.iter().map(card_json).collect();
        let sets: Vec<_> = self.sets.iter().map(|set| set.0).collect();
        let times = self.times.iter();
        let stage_ms: serde_json::Map<String, Value> = times
            .map(|time| (time.stage.to_owned(), json!(rounded(time.elapsed_ms, 100.0))))
            .collect();
        let facts = [
            ("deck", json!(self.facts.deck_name())),
            ("mirrored", json!(self.facts.is_mirrored())),
        ];
        let rest = [
            ("cards", Value::Array(cards)),
            ("sets", json!(sets)),
            ("stage_ms", Value::Object(stage_ms)),
            ("engine", json!(engine::in_use().map(|engine| engine.name()))),
        ];
        let size = [("width", json!(self.width)), ("height", json!(self.height))];
        let warning = self.warning.map(|warning| ("warning", json!(warning)));
        let members = size.into_iter().chain(warning).chain(facts).chain(rest);
        let mut all = Map::from_iter([("version".to_owned(), json!(VERSION))]);
        all.extend(head);
        all.extend(members.map(|(name, value)| (name.to_owned(), value)));
        Value::Object(all)
    }

    /// A summary such as "12 cards, 3 sets, 1 unsure (?)".
    pub fn summary(&self) -> String {
        if self.scan.is_empty() {
            return "no cards found".to_owned();
        }
        let count = |n: usize, what: &str| match n {
            0 => format!("no {what}"),
            1 => format!("1 {what}"),
            n => format!("{n} {what}s"),
        };
        let mut text =
            format!("{}, {}", count(self.scan.len(), "card"), count(self.sets.len(), "set"));
        let unsure = self.scan.iter().filter(|card| card.unsure).count();
        if unsure > 0 {
            text += &format!(", {unsure} unsure (?)");
        }
        match self.facts.deck() {
            None => text += ", of a deck that is not known",
            Some(deck) if deck.is_taught() => {
                text += &format!(", of the deck {}", printable::line(&deck.name));
            }
            Some(deck) if deck.is_classic() => {}
            Some(_) => text += ", of the rectangle edition",
        }
        if self.facts.is_mirrored() {
            text += ", a mirrored picture";
        }
        text
    }
}

fn slot(index: usize, card: &ReadCard) -> Slot {
    let mut slot = Slot::numbered(index, card.card);
    if card.unsure {
        slot.label += "?";
    }
    slot
}

fn card_json(card: &ReadCard) -> Value {
    let corner = |p: crate::geometry::Point| [rounded(p.x, 100.0), rounded(p.y, 100.0)];
    json!({
        "code": card.card.to_string(),
        "confidence": rounded(f64::from(card.confidence), 1e4),
        "unsure": card.unsure,
        "corners": card.corners_in_image.0.map(corner),
    })
}

/// Rounds to multiples of 1 / `parts`: further digits would be noise.
fn rounded(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

#[cfg(test)]
mod tests {
    use super::super::data::sets_of;
    use super::*;
    use crate::geometry::{Point, Quad};

    fn record() -> Record {
        let codes = ["1fgd", "2fgd", "3fgd", "1ord"];
        let scan: Vec<ReadCard> = codes
            .iter()
            .enumerate()
            .map(|(i, code)| ReadCard {
                corners_in_image: Quad::new(
                    Quad::rectangle(90.0, 60.0).0.map(|p| p + Point::new(100.0 * i as f64, 0.126)),
                ),
                card: code.parse().unwrap(),
                confidence: 0.98769,
                unsure: i == 3,
            })
            .collect();
        let sets = sets_of(&scan);
        let times = vec![StageTime { stage: "load", elapsed_ms: 6.1234, cpu_ms: 6.0 }];
        let photo = PhotoRecord {
            width: 400,
            height: 300,
            facts: TableFacts::default(),
            scan,
            sets,
            times,
            warning: None,
        };
        Record { image: "a, \"b\".jpg".into(), result: Ok(photo) }
    }

    #[test]
    fn json_is_as_others_expect_it() {
        let json = record().to_json();
        let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            [
                "version", "image", "width", "height", "deck", "mirrored", "cards", "sets",
                "stage_ms", "engine"
            ]
        );
        let expected = r#"{"code":"1fgd","confidence":0.9877,"unsure":false,"corners":[[0.0,0.13],[90.0,0.13],[90.0,60.13],[0.0,60.13]]}"#;
        assert_eq!(json["cards"][0].to_string(), expected);
        assert_eq!(json["sets"].to_string(), "[[0,1,2]]");
        assert_eq!(json["stage_ms"].to_string(), r#"{"load":6.12}"#);
        let failed = Record { image: "x.jpg".into(), result: Err("is empty".into()) };
        assert_eq!(
            failed.to_json().to_string(),
            r#"{"version":1,"image":"x.jpg","error":"is empty"}"#
        );
    }

    #[test]
    fn csv_has_as_many_fields_as_its_header() {
        let failed = Record { image: "x.jpg".into(), result: Err("is, well, empty".into()) };
        let text = CSV_HEADER.to_owned() + &record().to_csv() + &failed.to_csv();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 5);
        assert_eq!((&rows[0][0], &rows[0][2], &rows[0][13]), ("a, \"b\".jpg", "1fgd", "1"));
        assert_eq!((&rows[3][4], &rows[3][13], &rows[4][14]), ("true", "", "is, well, empty"));
    }

    #[test]
    fn text_shows_the_board_and_names_the_sets() {
        let text = record().to_text(Ink::Plain);
        assert!(text.starts_with("a, \"b\".jpg: 4 cards, 1 set, 1 unsure (?)\n"), "{text}");
        assert!(text.contains("4?"), "{text}");
        let line = "set 1: 1 one filled green diamond, 2 two filled green diamonds, 3 three filled green diamonds";
        assert!(text.contains(line), "{text}");
    }

    #[test]
    fn only_the_sets_are_told_by_their_cards() {
        let json = record().sets_to_json().to_string();
        assert_eq!(json, r#"{"version":1,"image":"a, \"b\".jpg","sets":[["1fgd","2fgd","3fgd"]]}"#);
        let text = record().sets_to_text(Ink::Plain);
        let names =
            "one filled green diamond, two filled green diamonds, three filled green diamonds";
        assert_eq!(
            text,
            format!("a, \"b\".jpg: 4 cards, 1 set, 1 unsure (?)\n1fgd 2fgd 3fgd   {names}\n")
        );
    }
}
