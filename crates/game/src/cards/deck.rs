//! Decks as data: three outlines, three fills and three inks define all cards of a deck.
//!
//! Editions of the game print their cards differently, but the 81 cards, their codes and the rules
//! are the same. A letter of a code is an index into the deck: `d` is the first of its shapes,
//! whether a diamond or a rectangle, and `s` the third of its fills, whether striped or dotted.
//!
//! A deck is one JSON file; the known ones are in `crates/game/decks` and compiled into the program.
//! Outlines are in the space of [`outline`](super::outline): x in card long sides, y in card short
//! sides, relative to the symbol's own centre, y down. Line widths are in millimetres of the card.

use super::card::{CARD_LONG_MM, CARD_SHORT_MM, Card, Color, Number, Shading, Shape};
use super::outline::closed_spline;
use setsight_files::json_fault;
use setsight_files::small_file::{MAX_SETTINGS_BYTES, read_text};
use std::path::Path;
use std::sync::{Arc, LazyLock};

pub mod invented;
mod read;

/// Maximum distance of an outline from the symbol's centre, in card long sides and in card short
/// sides. Beyond it, neighbouring symbols would touch and a symbol would leave its card.
pub const MOST_REACH: (f64, f64) = (0.12, 0.37);

/// One edition of the game.
#[derive(Clone, Debug, PartialEq)]
pub struct Deck {
    /// Its name on the command line, in labels and in readings: `classic`, `rectangles`.
    pub name: String,
    /// A short description.
    pub title: String,
    /// Scale of the outlines; 1 as they are in the file.
    pub symbol_size: f64,
    /// Distance between the centres of neighbouring symbols, in card long sides.
    pub symbol_spacing: f64,
    /// The three outlines, by [`Shape::index`].
    pub shapes: [Symbol; 3],
    /// The three fills, by [`Shading::index`]; a deck of 27 cards has one, three times.
    pub fills: [NamedFill; 3],
    /// The three inks, by [`Color::index`].
    pub inks: [Ink; 3],
}

/// The decks that the reader network distinguishes: the index of its output for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edition {
    /// The present deck: diamonds, ovals and squiggles.
    Classic,
    /// The older European deck: rectangles in place of diamonds, dots in place of stripes.
    Rectangles,
    /// Any other deck, whose cards have no known codes.
    Unknown,
}

impl Edition {
    /// All editions.
    pub const ALL: [Self; 3] = [Self::Classic, Self::Rectangles, Self::Unknown];
    /// The editions whose cards have codes.
    pub const KNOWN: [Self; 2] = [Self::Classic, Self::Rectangles];
    /// The edition that a taught deck counts as.
    pub const OF_TAUGHT: Self = Self::Classic;

    /// Index in [`Self::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The name of its deck; `unknown` if there is none.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Classic => Deck::NAMES[0],
            Self::Rectangles => Deck::NAMES[1],
            Self::Unknown => "unknown",
        }
    }

    /// The edition with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|edition| edition.name() == name)
    }

    /// Its deck; `None` if it is unknown.
    pub fn deck(self) -> Option<Arc<Deck>> {
        Deck::named(self.name())
    }
}

/// One of a deck's three shapes, by the outer edge of the print.
#[derive(Clone, Debug, PartialEq)]
pub struct Symbol {
    /// Its name in a sentence, in the singular.
    pub name: String,
    /// The two characters for its sides in a terminal.
    pub text: [char; 2],
    /// Its points, without `symbol_size`: see [`Self::sides`].
    pub points: Vec<(f64, f64)>,
    /// How the points are connected.
    pub sides: Sides,
    /// Evenly spaced along the outline, anticlockwise on the screen.
    outline: [(f64, f64); 48],
}

/// How the points of an outline are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// By straight lines: the points are corners.
    Straight,
    /// By a closed Catmull-Rom spline through all of them.
    Curved,
}

/// A named fill.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedFill {
    /// Its name in a sentence.
    pub name: String,
    /// The character for it in a terminal.
    pub text: char,
    /// The fill.
    pub fill: Fill,
}

/// What is printed inside an outline, and how wide the outline itself is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fill {
    /// The pattern.
    pub kind: FillKind,
    /// Width of the outline in millimetres; ignored if the inside is solid.
    pub outline_mm: f64,
    /// Period of the stripes, dots or strokes, in millimetres.
    pub pitch_mm: f64,
    /// Inked fraction of the inside, 0 to 1.
    pub duty: f64,
}

/// A fill pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FillKind {
    /// Completely inked.
    Solid,
    /// No ink.
    None,
    /// Lines along the card's long side.
    Stripes,
    /// Lines along the card's short side.
    Bars,
    /// Lines in both directions, at 45 degrees to the card's sides.
    Crosshatch,
    /// Round dots in rows.
    Dots,
    /// Short strokes at random angles.
    Strokes,
    /// Alternating inked and blank squares.
    Checks,
    /// A tint that increases from one end of the symbol to the other; `duty` is its mean.
    Gradient,
}

impl FillKind {
    /// All patterns.
    pub const ALL: [Self; 9] = [
        Self::Solid,
        Self::None,
        Self::Stripes,
        Self::Bars,
        Self::Crosshatch,
        Self::Dots,
        Self::Strokes,
        Self::Checks,
        Self::Gradient,
    ];

    /// Its name in a deck's file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Solid => "solid",
            Self::None => "none",
            Self::Stripes => "stripes",
            Self::Bars => "bars",
            Self::Crosshatch => "crosshatch",
            Self::Dots => "dots",
            Self::Strokes => "strokes",
            Self::Checks => "checks",
            Self::Gradient => "gradient",
        }
    }
}

/// One of a deck's three colours.
#[derive(Clone, Debug, PartialEq)]
pub struct Ink {
    /// Its name in a sentence.
    pub name: String,
    /// Colours of the ink in several printings of the deck, as sRGB under white balance with white
    /// at 0.86; each ink of a deck has the same number of them. The first is the most common.
    pub printings: Vec<[u8; 3]>,
}

/// Why a deck cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum DeckError {
    /// Neither the name of a known deck nor a readable file.
    #[error(
        "{name}: neither a known deck ({known}) nor a deck's file that can be read: {source}",
        known = Deck::NAMES.join(", ")
    )]
    Unreadable { name: String, source: std::io::Error },
    /// Not JSON.
    #[error("{deck}: no JSON: {}; expected a deck as in crates/game/decks/classic.json", json_fault(.source))]
    NotJson { deck: String, source: serde_json::Error },
    /// A field is missing or out of range.
    #[error("{deck}: {field}: expected {expected}, found {found}")]
    Field { deck: String, field: String, expected: String, found: String },
}

impl Deck {
    /// Names of the decks that are part of the program.
    pub const NAMES: [&'static str; 2] = ["classic", "rectangles"];

    /// Today's edition: diamonds, ovals and squiggles; filled, open and striped.
    pub fn classic() -> Arc<Self> {
        static DECK: LazyLock<Arc<Deck>> =
            LazyLock::new(|| built_in("classic", include_str!("../../decks/classic.json")));
        Arc::clone(&DECK)
    }

    /// The older European edition: rectangles, ellipses and small squiggles; filled, open and
    /// dotted.
    pub fn rectangles() -> Arc<Self> {
        static DECK: LazyLock<Arc<Deck>> =
            LazyLock::new(|| built_in("rectangles", include_str!("../../decks/rectangles.json")));
        Arc::clone(&DECK)
    }

    /// The known deck of this name.
    pub fn named(name: &str) -> Option<Arc<Self>> {
        match name {
            "classic" => Some(Self::classic()),
            "rectangles" => Some(Self::rectangles()),
            _ => None,
        }
    }

    /// The known deck of this name, or the one in the file of this name.
    ///
    /// # Errors
    /// [`DeckError`]: neither, or a broken file.
    pub fn open(name: &str) -> Result<Arc<Self>, DeckError> {
        if let Some(deck) = Self::named(name) {
            return Ok(deck);
        }
        Self::read(Path::new(name)).map(Arc::new)
    }

    /// Reads a deck's file.
    ///
    /// # Errors
    /// [`DeckError`]: no ordinary file, too large a one, or a broken one.
    pub fn read(path: &Path) -> Result<Self, DeckError> {
        let name = path.display().to_string();
        match read_text(path, MAX_SETTINGS_BYTES) {
            Ok(text) => Self::parse(&name, &text),
            Err(source) => Err(DeckError::Unreadable { name, source }),
        }
    }

    /// The edition of this deck, as the shipped networks distinguish them.
    pub fn edition(&self) -> Edition {
        let built_in = Edition::named(&self.name).filter(|_| !self.is_taught());
        built_in.unwrap_or(Edition::Unknown)
    }

    /// Whether it is not one of the built-in decks, whose cards the shipped networks know.
    pub fn is_taught(&self) -> bool {
        Self::named(&self.name).is_none_or(|deck| *deck != *self)
    }

    /// Whether it is today's edition.
    pub fn is_classic(&self) -> bool {
        self.name == Self::NAMES[0]
    }

    /// The outline of a shape, scaled by `symbol_size`: 48 points evenly spaced along it,
    /// anticlockwise on the screen.
    pub fn outline(&self, shape: Shape) -> [(f64, f64); 48] {
        let size = self.symbol_size;
        self.shapes[shape.index()].outline.map(|(x, y)| (x * size, y * size))
    }

    /// The centres of a card's symbols: x relative to the card's centre, in card long sides, from
    /// left to right.
    pub fn symbol_centers(&self, number: Number) -> Vec<f64> {
        let last = number.index() as f64;
        (0..=number.index()).map(|k| (k as f64 - last / 2.0) * self.symbol_spacing).collect()
    }

    /// The fill of a shading.
    pub fn fill(&self, shading: Shading) -> &Fill {
        &self.fills[shading.index()].fill
    }

    /// A card's long name: "two dotted purple rectangles".
    pub fn card_name(&self, card: Card) -> String {
        let plural = if card.number == Number::One { "" } else { "s" };
        let (fill, ink) = (&self.fills[card.shading.index()], &self.inks[card.color.index()]);
        let shape = &self.shapes[card.shape.index()];
        format!("{} {} {} {}{plural}", card.number, fill.name, ink.name, shape.name)
    }

    /// Whether all its cards have one fill: a deck of 27 cards. Each of them counts as of the first
    /// [`Shading`].
    pub fn has_one_fill(&self) -> bool {
        self.fills.iter().all(|fill| *fill == self.fills[0])
    }

    /// Its cards, 81 or 27.
    pub fn cards(&self) -> impl Iterator<Item = Card> {
        let one_fill = self.has_one_fill();
        Card::deck().filter(move |card| !one_fill || card.shading.index() == 0)
    }

    /// Its values in a sentence: "circle, star, moon; solid, open, striped; green, red, blue".
    pub fn value_list(&self) -> String {
        let shapes = self.shapes.each_ref().map(|shape| shape.name.as_str()).join(", ");
        let fills = &self.fills[..if self.has_one_fill() { 1 } else { 3 }];
        let fills: Vec<&str> = fills.iter().map(|fill| fill.name.as_str()).collect();
        let inks = self.inks.each_ref().map(|ink| ink.name.as_str()).join(", ");
        format!("{shapes}; {}; {inks}", fills.join(", "))
    }

    /// The most common printed colour, sRGB.
    pub fn srgb(&self, color: Color) -> [u8; 3] {
        self.inks[color.index()].printings[0]
    }
}

fn built_in(name: &str, text: &str) -> Arc<Deck> {
    Arc::new(Deck::parse_unreserved(name, text).expect("a deck that the tests have read"))
}

impl Symbol {
    /// A symbol from its points, with a measured outline if there is one.
    pub fn new(
        name: String,
        text: [char; 2],
        sides: Sides,
        points: Vec<(f64, f64)>,
        measured: Option<[(f64, f64); 48]>,
    ) -> Self {
        let outline = measured
            .or_else(|| (sides == Sides::Curved).then(|| points.clone().try_into().ok()).flatten())
            .unwrap_or_else(|| evenly(&joined(&points, sides)));
        Self { name, text, points, sides, outline }
    }

    /// Points evenly spaced along the outline, anticlockwise on the screen, without `symbol_size`.
    pub const fn outline(&self) -> &[(f64, f64); 48] {
        &self.outline
    }

    /// Whether it looks the same after half a turn, as all symbols of the game's editions do.
    pub fn is_half_turn_symmetric(&self) -> bool {
        /// Tolerance for the error of a measured outline, in card long sides.
        const NEAR: f64 = 4e-3;
        self.outline.iter().all(|&(x, y)| distance_to_border(&self.outline, (-x, -y)) < NEAR)
    }
}

/// The polygon through these points.
fn joined(points: &[(f64, f64)], sides: Sides) -> Vec<(f64, f64)> {
    match sides {
        Sides::Straight => points.to_vec(),
        Sides::Curved => closed_spline(points),
    }
}

/// The length of a unit of x in units of y.
const STRETCH: f64 = CARD_LONG_MM / CARD_SHORT_MM;

/// Twice the area of a polygon, negative if it is anticlockwise on the screen.
fn doubled_area(polygon: &[(f64, f64)]) -> f64 {
    let next = polygon.iter().cycle().skip(1);
    polygon.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum()
}

/// 48 points evenly spaced along a polygon, by its length on the card, anticlockwise.
fn evenly(polygon: &[(f64, f64)]) -> [(f64, f64); 48] {
    let mut corners = polygon.to_vec();
    if doubled_area(&corners) > 0.0 {
        corners.reverse();
    }
    corners.push(corners[0]);
    let length = |a: (f64, f64), b: (f64, f64)| ((a.0 - b.0) * STRETCH).hypot(a.1 - b.1);
    let total: f64 = corners.windows(2).map(|w| length(w[0], w[1])).sum();
    let (mut side, mut before) = (0, 0.0);
    std::array::from_fn(|i| {
        let along = total * i as f64 / 48.0;
        while side + 2 < corners.len() && before + length(corners[side], corners[side + 1]) < along
        {
            before += length(corners[side], corners[side + 1]);
            side += 1;
        }
        let (a, b) = (corners[side], corners[side + 1]);
        let t = ((along - before) / length(a, b).max(1e-12)).clamp(0.0, 1.0);
        (a.0 + (b.0 - a.0) * t, a.1 + (b.1 - a.1) * t)
    })
}

/// Distance from a point to the nearest side of a polygon, in card long sides.
fn distance_to_border(polygon: &[(f64, f64)], (x, y): (f64, f64)) -> f64 {
    let next = polygon.iter().cycle().skip(1);
    let sides = polygon.iter().zip(next).map(|(a, b)| {
        let (ex, ey) = (b.0 - a.0, (b.1 - a.1) / STRETCH);
        let (px, py) = (x - a.0, (y - a.1) / STRETCH);
        let t = ((px * ex + py * ey) / (ex * ex + ey * ey).max(1e-18)).clamp(0.0, 1.0);
        (px - t * ex).hypot(py - t * ey)
    });
    sides.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests;
