//! The result for one picture as JSON, CSV or text: everything that writes results uses this module.

use super::card::{Guess, ReadCard};
use super::{
    TableFacts, layout, probable::ProbableSet, table::Colors, table::alike::Class,
    table_reading::TableReading, trace::StageTime, warning::Warning,
};
use serde::Deserialize;
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::{Map, Value, json};
use setsight_files::printable;
use setsight_game::cards::picture::{Ink, Slot, grid_of};
use setsight_game::cards::{Deck, Edition, Property};
use setsight_game::json::{VERSION, path_members};
use setsight_game::sets::Set;
use setsight_nets::engine;
use setsight_photo::geometry::{Point, Quad};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A photo and its result, or why it was not read.
pub struct Record {
    /// The photo's path as found.
    pub image: PathBuf,
    /// The result, or the error message.
    pub result: Result<TableReading, String>,
    /// The time of each stage; empty for a photo with an error.
    pub times: Vec<StageTime>,
}

/// First line of the CSV.
pub const CSV_HEADER: &str =
    "image,card,code,confidence,unsure,x1,y1,x2,y2,x3,y3,x4,y4,sets,error\n";

impl Record {
    /// A photo that could not be read, and why.
    pub fn failed(image: PathBuf, error: String) -> Self {
        Self { image, result: Err(error), times: Vec::new() }
    }

    /// The JSON value of `--format json` and of results.jsonl, one line per photo.
    pub fn to_json(&self) -> Value {
        let head = path_members("image", &self.image);
        match &self.result {
            Ok(table) => line_of(head, table, &self.times),
            Err(error) => self.with("error", json!(error)),
        }
    }

    /// The record whose [JSON](Self::to_json) this is, without times, of the given deck or a known one; `None` for
    /// anything else, and if it does not hold [all](TableReading::is_whole_in_json).
    pub fn from_json(image: &Path, line: &Value, deck: Option<&Arc<Deck>>) -> Option<Self> {
        let table = Line::deserialize(line).ok()?.table(deck)?;
        Some(Self { image: image.to_owned(), result: Ok(table), times: Vec::new() })
    }

    /// The JSON value of `--only-sets`: the photo's sets only, as the codes of their cards, with the
    /// probable ones if they are asked for.
    pub fn sets_to_json(&self, probable: bool) -> Value {
        let Ok(table) = &self.result else { return self.to_json() };
        let codes = |cards: [usize; 3]| cards.map(|i| table.cards[i].card.to_string());
        let (named, unnamed): (Vec<[usize; 3]>, Vec<[usize; 3]>) =
            table.sets.iter().map(|set| set.0).partition(|cards| table.is_named(*cards));
        let sets: Vec<_> = named.into_iter().map(codes).collect();
        let mut line = self.with("sets", json!(sets));
        if !unnamed.is_empty() {
            line["unnamed_sets"] = json!(unnamed);
        }
        if probable {
            let sets: Vec<Value> = table
                .probable_sets
                .iter()
                .map(|set| {
                    let confidence = rounded(f64::from(set.confidence), 1e4);
                    json!({ "cards": codes(set.cards), "confidence": confidence })
                })
                .collect();
            line["probable_sets"] = json!(sets);
        }
        line
    }

    /// The photo's name, and one statement about it.
    fn with(&self, name: &str, value: Value) -> Value {
        let mut members = Map::from_iter([("version".to_owned(), json!(VERSION))]);
        members.extend(path_members("image", &self.image));
        members.insert(name.to_owned(), value);
        Value::Object(members)
    }

    /// One CSV line for each card, or a single line for a photo without cards or with an error,
    /// each with its line end. `sets` holds the card's sets, numbered from 1, such as `s1 s3`: a reader
    /// could take plain numbers for a number or a date, and "set 3" is a date in Italian.
    pub fn to_csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let image = self.image.to_string_lossy();
        let image = printable::cell(&image);
        let mut line = |fields: Vec<String>| {
            let fields = std::iter::once(image.to_string()).chain(fields);
            writer.write_record(fields).expect("into memory, always the same number of fields");
        };
        match &self.result {
            Err(error) => {
                line([vec![String::new(); 13], vec![printable::cell(error).into_owned()]].concat())
            }
            Ok(table) if table.cards.is_empty() => line(vec![String::new(); 14]),
            Ok(table) => {
                for (i, card) in table.cards.iter().enumerate() {
                    let member =
                        table.sets.iter().enumerate().filter(|(_, set)| set.0.contains(&i));
                    let sets: Vec<String> = member.map(|(n, _)| format!("s{}", n + 1)).collect();
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
        let Ok(table) = &self.result else { return String::new() };
        let name = ink.bold(&printable::line(&self.image.display().to_string()));
        let mut text = format!("{name}: {}\n", table.summary());
        if table.cards.is_empty() {
            return text;
        }
        let quads: Vec<_> = table.cards.iter().map(|card| card.corners_in_image).collect();
        let rows: Vec<Vec<Slot>> = layout::rows(&quads)
            .into_iter()
            .map(|row| row.into_iter().map(|i| slot(i, &table.cards[i])).collect())
            .collect();
        let deck = table.deck();
        text += &grid_of(&deck, &rows, ink);
        for (n, set) in table.sets.iter().enumerate() {
            let words = table.unnamed(set.0).unwrap_or_else(|| {
                set.0
                    .map(|i| format!("{} {}", i + 1, name_of(&table.cards[i], &deck, ink)))
                    .join(", ")
            });
            text += &format!("set {}: {words}\n", n + 1);
        }
        for (n, set) in table.probable_sets.iter().enumerate() {
            let (number, names) = (
                table.sets.len() + n + 1,
                set.cards
                    .map(|i| {
                        let mark = if table.cards[i].unsure { "?" } else { "" };
                        format!("{}{mark} {}", i + 1, name_of(&table.cards[i], &deck, ink))
                    })
                    .join(", "),
            );
            text += &format!("probable set {number}, {}: {names}\n", likelihood(set));
        }
        text += &table.left_out();
        for places in table.copies() {
            let numbers: Vec<String> = places.iter().map(|i| (i + 1).to_string()).collect();
            let name = name_of(&table.cards[places[0]], &deck, ink);
            text += &format!("the same card: {} ({name})\n", numbers.join(", "));
        }
        text
    }

    /// Text for people: the sets only, with the probable ones if they are asked for. Empty for a
    /// photo with an error.
    pub fn sets_to_text(&self, ink: Ink, probable: bool) -> String {
        let Ok(table) = &self.result else { return String::new() };
        let mut text = format!(
            "{}: {}\n",
            ink.bold(&printable::line(&self.image.display().to_string())),
            table.summary()
        );
        let deck = table.deck();
        for set in &table.sets {
            text += &format!("{}\n", set_line(table, set.0, &deck, ink));
        }
        if probable {
            for set in &table.probable_sets {
                let line = set_line(table, set.cards, &deck, ink);
                text += &format!("{line}   (probable, {})\n", likelihood(set));
            }
            text += &table.left_out();
        }
        text
    }
}

/// How probable a set is, and what decides.
fn likelihood(set: &ProbableSet) -> String {
    format!("{:.0} %, card {} decides", 100.0 * set.confidence, set.decided_by + 1)
}

impl TableReading {
    /// A set without names, such as "cards 1, 4, 6, alike in shading, different in number, colour and shape"; `None`
    /// for one with names, or where only names are evidence.
    pub fn unnamed(&self, cards: [usize; 3]) -> Option<String> {
        let likeness = if self.is_named(cards) { None } else { self.likeness(cards) }?;
        let [a, b, c] = cards.map(|i| i + 1);
        Some(format!("cards {a}, {b}, {c}, {likeness}"))
    }

    /// How many sets and cards there are and how sure that is, such as "12 cards, 3 sets, 2 more
    /// probable, 1 card unsure (?)". "No set" is printed only if all cards are sure.
    pub(crate) fn counts(&self) -> String {
        if self.cards.is_empty() {
            return "no cards found".to_owned();
        }
        let (cards, unsure) = (self.cards.len(), self.unsure());
        let probable = self.probable_sets.len() + self.probable_sets_left_out;
        let sets = match (self.sets.len(), unsure) {
            (0, 0) => "no set".to_owned(),
            (0, _) if !self.classes.is_empty() => "no set".to_owned(),
            (0, unsure) if unsure == cards => "no sure set".to_owned(),
            (0, _) => format!("no set among the {}", counted(cards - unsure, "sure card")),
            (n, _) => counted(n, "set"),
        };
        let mut text = format!("{}, {sets}", counted(cards, "card"));
        if probable > 0 {
            let more = if self.sets.is_empty() { "" } else { " more" };
            text += &format!(", {probable}{more} probable");
        }
        if unsure > 0 {
            text += &format!(", {unsure} unsure (?)");
        }
        text
    }

    /// The probable sets that are not listed, as a line of their own, or nothing.
    fn left_out(&self) -> String {
        match self.probable_sets_left_out {
            0 => String::new(),
            n => format!("and {n} more probable sets, which are less probable\n"),
        }
    }

    /// The [counts](Self::counts), and what is special about the table, such as ", a mirrored
    /// picture".
    pub fn summary(&self) -> String {
        let mut text = self.counts();
        if self.cards.is_empty() {
            return text;
        }
        match self.colors() {
            Colors::Shown => {}
            Colors::Grey => text += ", the colours are unknown: the picture is grey",
            Colors::Alike => {
                text += ", the colours are unknown: all look alike in this light";
            }
        }
        match self.facts.deck() {
            None => text += ", of a deck that is not known",
            Some(deck) if deck.is_taught() => {
                text += &format!(", of the deck {}", printable::line(&deck.name));
            }
            Some(deck) if deck.is_classic() => {}
            Some(_) => text += ", of the rectangle edition",
        }
        if self.sets.iter().any(|set| !self.is_named(set.0)) {
            text += ", sets by what is alike, without names";
        }
        match self.copies().len() {
            0 => {}
            1 => text += ", one card lies there more than once",
            n => text += &format!(", {n} cards lie there more than once"),
        }
        if self.is_mirrored() {
            text += ", a mirrored picture";
        }
        text
    }
}

fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// The line of JSON of a table; `head` holds the members that identify the picture.
pub fn line_of(head: Vec<(String, Value)>, table: &TableReading, times: &[StageTime]) -> Value {
    let stage_ms: Map<String, Value> = times
        .iter()
        .map(|time| (time.stage.to_owned(), json!(rounded(time.elapsed_ms, 100.0))))
        .collect();
    let mut line = Map::from_iter([("version".to_owned(), json!(VERSION))]);
    line.extend(head);
    if let Value::Object(members) = json!(table) {
        line.extend(members);
    }
    line.insert("stage_ms".to_owned(), Value::Object(stage_ms));
    let engine = engine::in_use().map(|engine| engine.name());
    line.insert("engine".to_owned(), json!(engine));
    Value::Object(line)
}

impl Serialize for TableReading {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let left_out = self.probable_sets_left_out;
        let warned = !self.warnings.is_empty();
        let copies = self.copies();
        let has_copies = !copies.is_empty();
        let members =
            8 + 2 * usize::from(warned) + usize::from(has_copies) + usize::from(left_out > 0);
        let mut table = serializer.serialize_struct("TableReading", members)?;
        table.serialize_field("width", &self.size_px.0)?;
        table.serialize_field("height", &self.size_px.1)?;
        if warned {
            let words: Vec<String> = self.warnings.iter().map(Warning::to_string).collect();
            table.serialize_field("warning", &words.join("; "))?;
            table.serialize_field("warnings", &self.warnings)?;
        } else {
            table.skip_field("warning")?;
            table.skip_field("warnings")?;
        }
        table.serialize_field("deck", self.facts.deck_name())?;
        table.serialize_field("mirrored", &self.is_mirrored())?;
        table.serialize_field("cards", &self.cards)?;
        match self.classes.as_slice() {
            [] => table.skip_field("classes")?,
            classes => table.serialize_field("classes", classes)?,
        }
        let sets: Vec<[usize; 3]> = self.sets.iter().map(|set| set.0).collect();
        table.serialize_field("sets", &sets)?;
        if has_copies {
            table.serialize_field("copies", &copies)?;
        } else {
            table.skip_field("copies")?;
        }
        table.serialize_field("probable_sets", &self.probable_sets)?;
        match left_out {
            0 => table.skip_field("probable_sets_left_out")?,
            n => table.serialize_field("probable_sets_left_out", &n)?,
        }
        table.end()
    }
}

/// A table as its line of JSON has it.
#[derive(Deserialize)]
struct Line {
    width: u32,
    height: u32,
    #[serde(default)]
    warnings: Vec<Warning>,
    deck: String,
    mirrored: bool,
    cards: Vec<LineCard>,
    #[serde(default)]
    classes: Vec<Option<Class>>,
    sets: Vec<[usize; 3]>,
    probable_sets: Vec<LineSet>,
    #[serde(default)]
    probable_sets_left_out: usize,
}

#[derive(Deserialize)]
struct LineCard {
    #[serde(flatten)]
    guess: LineGuess,
    unsure: bool,
    corners: [[f64; 2]; 4],
    alternatives: Vec<LineGuess>,
}

#[derive(Deserialize)]
struct LineGuess {
    code: String,
    confidence: f32,
}

#[derive(Deserialize)]
struct LineSet {
    cards: [usize; 3],
    confidence: f32,
    decided_by: usize,
}

impl Line {
    fn table(self, deck: Option<&Arc<Deck>>) -> Option<TableReading> {
        let deck = deck
            .cloned()
            .or_else(|| Edition::named(&self.deck).and_then(Edition::deck))
            .filter(|deck| deck.name == self.deck)?;
        let cards = self.cards.into_iter().map(LineCard::read_card);
        let probable_sets = self.probable_sets.iter().map(|set| ProbableSet {
            cards: set.cards,
            confidence: set.confidence,
            decided_by: set.decided_by,
        });
        let mut table = TableReading::new(cards.collect::<Option<_>>()?, (self.width, self.height));
        table.warnings = self.warnings;
        table.facts = TableFacts::default().of_deck(&deck).with_mirrored(self.mirrored);
        table.classes = self.classes;
        table.sets = self.sets.into_iter().map(Set).collect();
        table.probable_sets = probable_sets.collect();
        table.probable_sets_left_out = self.probable_sets_left_out;
        let places = table.sets.iter().map(|set| set.0);
        let mut places = places.chain(table.probable_sets.iter().map(|set| set.cards)).flatten();
        let count = table.cards.len();
        let are_there = places.all(|place| place < count)
            && table.probable_sets.iter().all(|set| set.cards.contains(&set.decided_by))
            && [0, count].contains(&table.classes.len())
            && table.classes.iter().flatten().flatten().all(|&value| value < 3);
        are_there.then_some(table)
    }
}

impl LineCard {
    fn read_card(self) -> Option<ReadCard> {
        let corners = Quad::new(self.corners.map(|[x, y]| Point::new(x, y)));
        let Guess { card, confidence } = self.guess.guess()?;
        let alternatives = self.alternatives.into_iter().map(LineGuess::guess);
        let card = ReadCard::new(corners, card, confidence, self.unsure);
        Some(ReadCard { alternatives: alternatives.collect::<Option<_>>()?, ..card })
    }
}

impl LineGuess {
    fn guess(self) -> Option<Guess> {
        Some(Guess { card: self.code.parse().ok()?, confidence: self.confidence })
    }
}

impl Serialize for ReadCard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut card = serializer.serialize_struct("ReadCard", 6)?;
        card.serialize_field("code", &self.card.to_string())?;
        card.serialize_field("confidence", &rounded(f64::from(self.confidence), 1e4))?;
        card.serialize_field("unsure", &self.unsure)?;
        card.serialize_field(
            "corners",
            &self.corners_in_image.0.map(|p| [rounded(p.x, 100.0), rounded(p.y, 100.0)]),
        )?;
        card.serialize_field("alternatives", &self.alternatives)?;
        let names = ["number", "shading", "color", "shape"].into_iter().map(str::to_owned);
        let values = Property::ALL.into_iter().map(|p| self.property_to_json(p));
        card.serialize_field("properties", &names.zip(values).collect::<Map<_, _>>())?;
        card.end()
    }
}

impl ReadCard {
    /// `{"value": …, "confidence": …}`: a number, or a word for the others; null if unknown.
    fn property_to_json(&self, property: Property) -> Value {
        let Some((value, confidence)) = self.property(property) else { return Value::Null };
        let confidence = rounded(f64::from(confidence), 1e4);
        let value = match property {
            Property::Number => json!(value + 1),
            _ => json!(property.value_word(value)),
        };
        json!({ "value": value, "confidence": confidence })
    }
}

impl Serialize for Guess {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut guess = serializer.serialize_struct("Guess", 2)?;
        guess.serialize_field("code", &self.card.to_string())?;
        guess.serialize_field("confidence", &rounded(f64::from(self.confidence), 1e4))?;
        guess.end()
    }
}

impl Serialize for ProbableSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut set = serializer.serialize_struct("ProbableSet", 3)?;
        set.serialize_field("cards", &self.cards)?;
        set.serialize_field("confidence", &rounded(f64::from(self.confidence), 1e4))?;
        set.serialize_field("decided_by", &self.decided_by)?;
        set.end()
    }
}

/// Rounds to multiples of 1 / `parts`: further digits would be noise.
fn rounded(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

/// A set's codes and names, or that it has none.
fn set_line(table: &TableReading, cards: [usize; 3], deck: &Deck, ink: Ink) -> String {
    if let Some(words) = table.unnamed(cards) {
        return words;
    }
    let codes = cards.map(|i| table.cards[i].card.to_string()).join(" ");
    let names = cards.map(|i| name_of(&table.cards[i], deck, ink)).join(", ");
    format!("{codes}   {names}")
}

fn name_of(card: &ReadCard, deck: &Deck, ink: Ink) -> String {
    ink.colored(card.card.color, &deck.card_name(card.card))
}

fn slot(index: usize, card: &ReadCard) -> Slot {
    let mut slot = Slot::numbered(index, card.card);
    if card.unsure {
        slot.label += "?";
    }
    slot
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_photo::geometry::Point;
    use setsight_photo::geometry::Quad;

    fn record() -> Record {
        let codes = ["1fgd", "2fgd", "3fgd", "1ord"];
        let cards: Vec<ReadCard> = codes
            .iter()
            .enumerate()
            .map(|(i, code)| {
                let at = Point::new(100.0 * i as f64, 0.126);
                let quad = Quad::new(Quad::rectangle(90.0, 60.0).0.map(|p| p + at));
                ReadCard::new(quad, code.parse().unwrap(), 0.98769, i == 3)
            })
            .collect();
        Record {
            image: "a, \"b\".jpg".into(),
            result: Ok(TableReading::new(cards, (400, 300))),
            times: vec![StageTime { stage: "load", elapsed_ms: 6.1234, cpu_ms: 6.0 }],
        }
    }

    fn failed(error: &str) -> Record {
        Record::failed("x.jpg".into(), error.to_owned())
    }

    #[test]
    fn a_record_comes_back_from_its_json() {
        let mut record = record();
        let Ok(table) = &mut record.result else { panic!("it was read") };
        table.facts = TableFacts::default().of_deck(&Deck::rectangles()).with_mirrored(true);
        table.cards[3].alternatives = vec![Guess { card: table.cards[0].card, confidence: 0.25 }];
        table.find_sets();
        assert!(table.is_whole_in_json());
        let line = record.to_json();
        let back = Record::from_json(&record.image, &line, None).unwrap();
        let without_times = Record { times: Vec::new(), ..record };
        assert_eq!(back.to_json(), without_times.to_json());
        assert_eq!(back.to_csv(), without_times.to_csv());
        assert_eq!(back.to_text(Ink::PLAIN), without_times.to_text(Ink::PLAIN));
        // What is not such a line is no record.
        for (member, value) in [
            ("sets", json!([[0, 1, 4]])),
            ("deck", json!("unknown")),
            ("cards", json!(3)),
            ("classes", json!([[0, 1, 2, 3], null, null, null])),
        ] {
            let mut line = line.clone();
            line[member] = value;
            assert!(Record::from_json(Path::new("x"), &line, None).is_none(), "{member}");
        }
    }

    #[test]
    fn json_is_as_programs_expect_it() {
        let json = record().to_json();
        let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            [
                "version",
                "image",
                "width",
                "height",
                "deck",
                "mirrored",
                "cards",
                "sets",
                "probable_sets",
                "stage_ms",
                "engine"
            ]
        );
        let expected = r#"{"code":"1fgd","confidence":0.9877,"unsure":false,"corners":[[0.0,0.13],[90.0,0.13],[90.0,60.13],[0.0,60.13]],"alternatives":[],"properties":{"number":{"value":1,"confidence":0.9877},"shading":{"value":"filled","confidence":0.9877},"color":{"value":"green","confidence":0.9877},"shape":{"value":"diamond","confidence":0.9877}}}"#;
        assert_eq!(json["cards"][0].to_string(), expected);
        assert_eq!(json["sets"].to_string(), "[[0,1,2]]");
        let table = record().result.unwrap();
        let table =
            serde_json::to_string(&TableReading { warnings: vec![Warning::CutOff], ..table })
                .unwrap();
        let start = r#"{"width":400,"height":300,"warning":"the JPEG data end early, so that its lower edge may be missing; copy it again from where it came","warnings":[{"kind":"cut-off"}],"deck":"classic","mirrored":false,"cards":[{"code":"1fgd","#;
        let end = r#""sets":[[0,1,2]],"probable_sets":[]}"#;
        assert!(table.starts_with(start) && table.ends_with(end), "{table}");
        assert_eq!(json["stage_ms"].to_string(), r#"{"load":6.12}"#);
        assert_eq!(
            failed("is empty").to_json().to_string(),
            r#"{"version":1,"image":"x.jpg","error":"is empty"}"#
        );
    }

    #[test]
    fn csv_has_as_many_fields_as_its_header() {
        let text = CSV_HEADER.to_owned() + &record().to_csv() + &failed("is, well, empty").to_csv();
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 5);
        assert_eq!((&rows[0][0], &rows[0][2], &rows[0][13]), ("a, \"b\".jpg", "1fgd", "s1"));
        assert_eq!((&rows[3][4], &rows[3][13], &rows[4][14]), ("true", "", "is, well, empty"));
    }

    #[test]
    fn text_shows_the_board_and_names_the_sets() {
        let text = record().to_text(Ink::PLAIN);
        assert!(text.starts_with("a, \"b\".jpg: 4 cards, 1 set, 1 unsure (?)\n"), "{text}");
        assert!(text.contains("4?"), "{text}");
        let line = "set 1: 1 one filled green diamond, 2 two filled green diamonds, 3 three filled green diamonds";
        assert!(text.contains(line), "{text}");
    }

    #[test]
    fn sets_of_unsure_cards_follow_the_sure_ones() {
        let mut probable = record();
        let Ok(table) = &mut probable.result else { unreachable!() };
        (table.cards[2].confidence, table.cards[2].unsure) = (0.7, true);
        table.find_sets();
        let text = probable.to_text(Ink::PLAIN);
        let head = "4 cards, no set among the 2 sure cards, 1 probable, 2 unsure (?)";
        assert!(text.contains(head), "{text}");
        // The number of sets stands after the sure ones.
        assert!(text.contains("probable set 1, 68 %, card 3 decides: 1 one filled"), "{text}");
        assert!(!probable.sets_to_text(Ink::PLAIN, false).contains("probable, 68"));
        assert!(
            probable.sets_to_text(Ink::PLAIN, true).contains("(probable, 68 %, card 3 decides)")
        );
        let json = probable.to_json();
        assert_eq!(json["probable_sets"][0]["cards"].to_string(), "[0,1,2]");
        assert_eq!(json["probable_sets"][0]["decided_by"], 2);
        assert_eq!(probable.sets_to_json(true)["probable_sets"][0]["cards"][2], "3fgd");
    }

    #[test]
    fn only_sets_names_their_cards() {
        let json = record().sets_to_json(false).to_string();
        assert_eq!(json, r#"{"version":1,"image":"a, \"b\".jpg","sets":[["1fgd","2fgd","3fgd"]]}"#);
        let text = record().sets_to_text(Ink::PLAIN, false);
        let names =
            "one filled green diamond, two filled green diamonds, three filled green diamonds";
        assert_eq!(
            text,
            format!("a, \"b\".jpg: 4 cards, 1 set, 1 unsure (?)\n1fgd 2fgd 3fgd   {names}\n")
        );
    }
}
