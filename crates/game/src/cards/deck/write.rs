//! A deck's file, written as the known ones are.

use super::{Deck, FillKind, Sides, Symbol};
use serde_json::{Value, json};

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
        Value::Object(object) => {
            let member = |(key, value): (&String, &Value)| {
                format!("{}: {}", json!(key), lines_of(value, depth + 1))
            };
            between(object.iter().map(member).collect(), '{', '}')
        }
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
