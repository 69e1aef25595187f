//! A deck's file: parsed field by field, for precise error messages, and written as the known ones are.

use super::{Deck, DeckError, Fill, FillKind, Ink, MOST_REACH, NamedFill, Sides, Symbol};
use serde_json::{Map, Value, json};
use setsight_files::printable;
use std::ops::RangeInclusive;

/// Most characters of a name, and of a deck's title.
const MAX_NAME: usize = 60;
const MAX_TITLE: usize = 300;

/// One value in the file, with its path.
#[derive(Clone)]
struct Field<'a> {
    deck: &'a str,
    path: String,
    value: &'a Value,
}

type Read<T> = Result<T, DeckError>;

impl<'a> Field<'a> {
    fn wrong<T>(&self, expected: impl Into<String>) -> Read<T> {
        let mut found = self.value.to_string();
        if found.chars().count() > 60 {
            found = found.chars().take(57).chain("...".chars()).collect();
        }
        let (deck, field) = (self.deck.to_owned(), self.path.clone());
        Err(DeckError::Field { deck, field, expected: expected.into(), found })
    }

    fn object(&self, fields: &[&str]) -> Read<&'a Map<String, Value>> {
        let Some(object) = self.value.as_object() else {
            return self.wrong(format!("an object with {}", fields.join(", ")));
        };
        match object.keys().find(|key| !fields.contains(&key.as_str())) {
            Some(key) => {
                self.wrong(format!("no field but {}; \"{key}\" is new", fields.join(", ")))
            }
            None => Ok(object),
        }
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// A field of this object; `None` if it is missing.
    fn find(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key)?;
        Some(Self { deck: self.deck, path: self.path_of(key), value })
    }

    fn get(&self, key: &str, expected: &str) -> Read<Self> {
        self.find(key).ok_or_else(|| DeckError::Field {
            deck: self.deck.to_owned(),
            field: self.path_of(key),
            expected: expected.to_owned(),
            found: "nothing".to_owned(),
        })
    }

    fn items(&self, count: RangeInclusive<usize>, of: &str) -> Read<Vec<Self>> {
        let (low, high) = (*count.start(), *count.end());
        let many = if low == high { low.to_string() } else { format!("{low} to {high}") };
        match self.value.as_array() {
            Some(items) if count.contains(&items.len()) => Ok(items
                .iter()
                .enumerate()
                .map(|(i, value)| Self {
                    deck: self.deck,
                    path: format!("{}[{i}]", self.path),
                    value,
                })
                .collect()),
            Some(items) => self.wrong(format!("{many} {of}, not {}", items.len())),
            None => self.wrong(format!("a list of {many} {of}")),
        }
    }

    fn three<T>(&self, of: &str, read: impl Fn(&Self) -> Read<T>) -> Read<[T; 3]> {
        let items = self.items(3..=3, of)?;
        Ok([read(&items[0])?, read(&items[1])?, read(&items[2])?])
    }

    fn number(&self, range: RangeInclusive<f64>, unit: &str) -> Read<f64> {
        match self.value.as_f64() {
            Some(number) if range.contains(&number) => Ok(number),
            _ => self.wrong(format!("a number of {} to {}{unit}", range.start(), range.end())),
        }
    }

    /// A text that goes to terminals, labels and pages.
    fn words(&self, most: usize) -> Read<String> {
        match self
            .value
            .as_str()
            .filter(|text| !text.trim().is_empty() && text.chars().count() <= most)
        {
            Some(text) if printable::line(text) == text => Ok(text.to_owned()),
            _ => self.wrong(format!("a text of 1 to {most} characters without control characters")),
        }
    }

    fn characters<const N: usize>(&self) -> Read<[char; N]> {
        let characters = self.value.as_str().map(|text| text.chars().collect::<Vec<char>>());
        match characters.and_then(|all| <[char; N]>::try_from(all).ok()) {
            Some(characters) if !characters.iter().any(|c| c.is_control()) => Ok(characters),
            _ => self.wrong(format!("a text of {}", printable::counted(N, "character"))),
        }
    }

    fn point(&self) -> Read<(f64, f64)> {
        let items = self.items(2..=2, "numbers, x and y")?;
        let (most_x, most_y) = MOST_REACH;
        Ok((
            items[0].number(-most_x..=most_x, " card long sides")?,
            items[1].number(-most_y..=most_y, " card short sides")?,
        ))
    }

    fn points(&self, count: RangeInclusive<usize>) -> Read<Vec<(f64, f64)>> {
        self.items(count, "points [x, y]")?.iter().map(Self::point).collect()
    }
}

impl Deck {
    /// Parses a deck's file. `name` is used in error messages.
    ///
    /// # Errors
    /// [`DeckError::NotJson`]; [`DeckError::Field`] for the first field that is missing, unknown or
    /// out of range, and for another deck under the name of one of the program's own.
    pub fn parse(name: &str, text: &str) -> Result<Self, DeckError> {
        let deck = Self::parse_unreserved(name, text)?;
        if Self::named(&deck.name).is_some_and(|reserved| *reserved != deck) {
            return Err(DeckError::Field {
                deck: name.to_owned(),
                field: "name".to_owned(),
                expected: format!("another name than {}", Self::NAMES.join(" and ")),
                found: format!("\"{}\" for a deck that differs", deck.name),
            });
        }
        Ok(deck)
    }

    /// Parses a deck's file, which may be the program's own.
    pub(super) fn parse_unreserved(name: &str, text: &str) -> Result<Self, DeckError> {
        let value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(source) => return Err(DeckError::NotJson { deck: name.to_owned(), source }),
        };
        let deck = Field { deck: name, path: String::new(), value: &value };
        const FIELDS: [&str; 7] =
            ["name", "title", "symbol_size", "symbol_spacing", "shapes", "fills", "inks"];
        if !value.is_object() {
            let file = Field { path: "the file".into(), ..deck };
            return file.wrong(format!("an object with {}", FIELDS.join(", ")));
        }
        deck.object(&FIELDS)?;
        let read = Self {
            name: deck.get("name", "the deck's name")?.words(MAX_NAME)?,
            title: deck.get("title", "what the deck is, for people")?.words(MAX_TITLE)?,
            symbol_size: deck.get("symbol_size", "1, or how much larger")?.number(0.5..=1.5, "")?,
            symbol_spacing: deck
                .get("symbol_spacing", "the distance of neighbours in card long sides")?
                .number(0.15..=0.33, " card long sides")?,
            shapes: deck.get("shapes", "three shapes")?.three("shapes", symbol)?,
            fills: fills(&deck.get("fills", "three fills, or one")?)?,
            inks: deck.get("inks", "three inks")?.three("inks", ink)?,
        };
        let counts = [0, 1, 2].map(|i| read.inks[i].printings.len());
        if counts.iter().any(|count| *count != counts[0]) {
            let inks = deck.get("inks", "three inks")?;
            return inks.wrong(format!("as many printings for each ink, not {counts:?}"));
        }
        Ok(read)
    }
}

fn symbol(field: &Field) -> Read<Symbol> {
    field.object(&["name", "text", "sides", "points", "measured"])?;
    let name = field.get("name", "the shape's name")?.words(MAX_NAME)?;
    let text = field.get("text", "two characters for a terminal")?.characters()?;
    let sides = field.get("sides", "\"straight\" or \"curved\"")?;
    let sides = match sides.value.as_str() {
        Some("straight") => Sides::Straight,
        Some("curved") => Sides::Curved,
        _ => return sides.wrong("\"straight\" or \"curved\""),
    };
    let points_field = field.get("points", "3 to 400 points [x, y]")?;
    let points = points_field.points(3..=400)?;
    if super::doubled_area(&points).abs() < 1e-3 {
        return points_field.wrong("an outline with an area of 0.0005 at least");
    }
    let measured = match field.find("measured") {
        Some(field) => field.points(48..=48)?.try_into().ok(),
        None => None,
    };
    Ok(Symbol::new(name, text, sides, points, measured))
}

/// Three fills, or the one of a deck of 27 cards.
fn fills(field: &Field) -> Read<[NamedFill; 3]> {
    match field.value.as_array() {
        Some(items) if items.len() == 1 => {
            let only = fill(&field.items(1..=1, "fill")?[0])?;
            Ok([only.clone(), only.clone(), only])
        }
        _ => field.three("fills, or 1 where all cards have one", fill),
    }
}

fn fill(field: &Field) -> Read<NamedFill> {
    field.object(&["name", "text", "kind", "outline_mm", "pitch_mm", "duty"])?;
    let name = field.get("name", "the fill's name")?.words(MAX_NAME)?;
    let [text] = field.get("text", "a character for a terminal")?.characters()?;
    let kinds = format!("one of {}", FillKind::ALL.map(FillKind::name).join(", "));
    let kind_field = field.get("kind", &kinds)?;
    let kind = FillKind::ALL.into_iter().find(|k| Some(k.name()) == kind_field.value.as_str());
    let Some(kind) = kind else { return kind_field.wrong(kinds) };
    let width = |key: &str, range: RangeInclusive<f64>| {
        field.get(key, "a width in millimetres")?.number(range, " millimetres")
    };
    let outline_mm = if kind == FillKind::Solid { 0.0 } else { width("outline_mm", 0.0..=4.0)? };
    let (pitch_mm, duty) = match kind {
        FillKind::Solid => (1.0, 1.0),
        FillKind::None => (1.0, 0.0),
        FillKind::Gradient => (1.0, field.get("duty", "the mean tint")?.number(0.05..=0.95, "")?),
        _ => (
            width("pitch_mm", 0.3..=8.0)?,
            field.get("duty", "the inked part")?.number(0.05..=0.95, "")?,
        ),
    };
    Ok(NamedFill { name, text, fill: Fill { kind, outline_mm, pitch_mm, duty } })
}

fn ink(field: &Field) -> Read<Ink> {
    field.object(&["name", "printings"])?;
    let name = field.get("name", "the ink's name")?.words(MAX_NAME)?;
    let printings = field.get("printings", "1 to 16 colours [red, green, blue]")?;
    let printings = printings.items(1..=16, "colours")?;
    let printings = printings.iter().map(color).collect::<Read<Vec<_>>>()?;
    Ok(Ink { name, printings })
}

fn color(item: &Field) -> Read<[u8; 3]> {
    item.three("numbers: red, green, blue", |channel| {
        let value = channel.number(0.0..=255.0, "")?;
        if value.fract() == 0.0 { Ok(value as u8) } else { channel.wrong("a whole number") }
    })
}

impl Deck {
    /// The deck as its file holds it, a list of numbers on one line; [`Deck::parse`] reads it back.
    pub fn to_text(&self) -> String {
        let fills = if self.has_one_fill() { &self.fills[..1] } else { &self.fills[..] };
        let rounded = |v: f64, parts: f64| (v * parts).round() / parts;
        let points = |points: &[(f64, f64)]| -> Value {
            points.iter().map(|(x, y)| json!([rounded(*x, 1e4), rounded(*y, 1e4)])).collect()
        };
        let shapes = self.shapes.iter().map(|shape| {
            let sides = match shape.sides {
                Sides::Straight => "straight",
                Sides::Curved => "curved",
            };
            let text: String = shape.text.iter().collect();
            let printed = points(&shape.points);
            let mut value =
                json!({"name": shape.name, "text": text, "sides": sides, "points": printed});
            // What photos show of it, where that is not what is printed.
            let (name, of) = (shape.name.clone(), shape.points.clone());
            let plain = Symbol::new(name, shape.text, shape.sides, of, None);
            if plain.outline != shape.outline {
                value["measured"] = points(&shape.outline);
            }
            value
        });
        let fills = fills.iter().map(|named| {
            let fill = &named.fill;
            let mut value = json!({
                "name": named.name, "text": named.text.to_string(), "kind": fill.kind.name(),
            });
            if fill.kind != FillKind::Solid {
                value["outline_mm"] = json!(rounded(fill.outline_mm, 100.0));
            }
            if !matches!(fill.kind, FillKind::Solid | FillKind::None | FillKind::Gradient) {
                value["pitch_mm"] = json!(rounded(fill.pitch_mm, 100.0));
            }
            if !matches!(fill.kind, FillKind::Solid | FillKind::None) {
                value["duty"] = json!(rounded(fill.duty, 1000.0));
            }
            value
        });
        let inks =
            self.inks.iter().map(|ink| json!({"name": ink.name, "printings": ink.printings}));
        let value = json!({
            "name": self.name,
            "title": self.title,
            "symbol_size": self.symbol_size,
            "symbol_spacing": rounded(self.symbol_spacing, 1e4),
            "shapes": shapes.collect::<Value>(),
            "fills": fills.collect::<Value>(),
            "inks": inks.collect::<Value>(),
        });
        lines_of(&value, 0) + "\n"
    }
}

/// JSON with an item a line, but for lists of pairs of numbers.
fn lines_of(value: &Value, depth: usize) -> String {
    const PAIRS_A_LINE: usize = 6;
    let indent = |depth: usize| format!("\n{}", "  ".repeat(depth));
    let between = |items: Vec<String>, open: char, close: char| {
        let inner = items.join(&format!(",{}", indent(depth + 1)));
        format!("{open}{}{inner}{}{close}", indent(depth + 1), indent(depth))
    };
    match value {
        Value::Object(object) => between(
            object
                .iter()
                .map(|(key, value)| format!("{}: {}", json!(key), lines_of(value, depth + 1)))
                .collect(),
            '{',
            '}',
        ),
        Value::Array(items) if items.iter().all(Value::is_array) && items.len() > 1 => {
            let lines = items
                .chunks(PAIRS_A_LINE)
                .map(|pairs| pairs.iter().map(Value::to_string).collect::<Vec<_>>().join(", "));
            between(lines.collect(), '[', ']')
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            between(items.iter().map(|item| lines_of(item, depth + 1)).collect(), '[', ']')
        }
        other => other.to_string(),
    }
}
