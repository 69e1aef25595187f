//! The style of an app: everything random about how it draws its cards, chosen once for a table.

use super::draw::{Field, outlines};
use setsight_game::cards::Deck;
use setsight_game::cards::deck::{Fill, FillKind};
use setsight_photo::print::dice::Dice;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// sRGB, 0 to 1.
pub(super) type Color = [f64; 3];

/// A shadow under a card or a symbol; lengths in card short sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shadow {
    pub offset: (f64, f64),
    pub soft: f64,
    pub depth: f64,
}

/// What is inside an outline.
#[derive(Clone, Copy, Debug)]
pub(super) enum Inside {
    Full,
    Nothing,
    /// An even tint of this strength.
    Tint(f64),
    /// A tint that changes along a direction, from one strength to another; lengths in card short
    /// sides.
    Gradient {
        turn: f64,
        from: f64,
        to: f64,
        reach: f64,
    },
    /// A pattern, turned; its lengths are in card short sides instead of millimetres.
    Pattern {
        fill: Fill,
        turn: f64,
    },
    /// Outlines within the outline.
    Rings {
        pitch: f64,
        duty: f64,
    },
    /// The symbol itself, smaller by this factor, inked or left blank.
    Inset {
        factor: f64,
        blank: bool,
    },
    /// Stripes that bend to and fro, each bend as deep as `bend` pitches.
    Zigzag {
        pitch: f64,
        duty: f64,
        turn: f64,
        bend: f64,
    },
    /// Little figures in rows, each a superellipse: stars below a power of 1, boxes above 2.
    Motif {
        pitch: f64,
        radius: f64,
        power: f64,
        turn: f64,
    },
    /// Random spots.
    Noise {
        seed: u64,
        pitch: f64,
    },
}

/// How an app draws. Lengths in card short sides.
#[derive(Clone, Debug)]
pub(super) struct Style {
    /// A card's long side by its short side.
    pub aspect: f64,
    pub upright: bool,
    pub page: [Color; 2],
    pub dark: bool,
    pub card: Color,
    pub radius: f64,
    pub border: Option<(Color, f64)>,
    pub shadow: Option<Shadow>,
    pub symbol_shadow: Option<Shadow>,
    pub inks: [Color; 3],
    pub insides: [Inside; 3],
    /// Width of the outline of each shading; 0 for none.
    pub strokes: [f64; 3],
    /// The part of the outline that is outside of the symbol.
    pub outer: f64,
    pub fields: [Field; 3],
    /// Distance of neighbouring symbols' centres.
    pub spacing: f64,
    /// The same of a pair, in spacings: two of three fixed places are the outer ones.
    pub pair: f64,
    /// What cards that the deck has not look like.
    pub strange: Strange,
    /// Width over which an edge is blended, in pixels.
    pub edge_px: f64,
    pub chosen: Chosen,
    /// Largest turn of a card that is not quite straight.
    pub hasty: f64,
}

/// What a card has that no card of the deck has: one of these.
#[derive(Clone, Debug)]
pub(super) enum Strange {
    Ink(Color),
    Shape(Field),
    Four,
    /// Two inks on one card: that of every second symbol is another one of the deck's.
    TwoInks,
    TwoShapes,
}

impl Strange {
    fn random(wide: f64, high: f64, dice: &mut Dice) -> Self {
        match dice.below(12) {
            0..=5 => Self::Ink(strange_ink(dice)),
            6..=8 => {
                let points = strange_shape(wide, high, dice);
                Self::Shape(Field::new(&points, 0.0, 0.09, 0.006))
            }
            9 => Self::Four,
            10 => Self::TwoInks,
            _ => Self::TwoShapes,
        }
    }
}

/// An ink between those of the deck, or none at all. Blue is excluded: many an app has it for
/// purple.
fn strange_ink(dice: &mut Dice) -> Color {
    let hues = [(24.0, 44.0), (46.0, 62.0), (172.0, 198.0), (314.0, 336.0)];
    match dice.below(6) {
        4 => hsl(dice.between(18.0, 34.0), dice.between(0.35, 0.7), dice.between(0.18, 0.36)),
        5 => grey(dice.between(0.0, 0.5)),
        k => hsl(
            dice.between(hues[k].0, hues[k].1),
            dice.between(0.55, 1.0),
            dice.between(if k == 3 { 0.55 } else { 0.36 }, if k == 3 { 0.78 } else { 0.6 }),
        ),
    }
}

/// A polygon of this width and height that does not belong to the deck.
fn strange_shape(wide: f64, high: f64, dice: &mut Dice) -> Vec<(f64, f64)> {
    let unit: Vec<(f64, f64)> = match dice.below(6) {
        0 => vec![(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)],
        1 => vec![(-1.0, -0.5), (0.0, -1.0), (1.0, -0.5), (1.0, 0.5), (0.0, 1.0), (-1.0, 0.5)],
        2 => vec![(0.0, -1.0), (1.0, 1.0), (-1.0, 1.0)],
        3 => {
            let w = dice.between(0.25, 0.45);
            let (a, b) = (w, w * wide / high);
            let arm = [(a, -1.0), (a, -b), (1.0, -b), (1.0, b), (a, b), (a, 1.0)];
            arm.iter().copied().chain(arm.iter().map(|p| (-p.0, -p.1))).collect()
        }
        k => (0..2 * (k + 1))
            .map(|i| {
                let angle = PI * i as f64 / (k + 1) as f64;
                let radius = if i % 2 == 0 { 1.0 } else { 0.5 };
                (radius * angle.sin(), -radius * angle.cos())
            })
            .collect(),
    };
    unit.iter().map(|p| (0.5 * wide * p.0, 0.5 * high * p.1)).collect()
}

/// How chosen cards differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    pub frame: Color,
    pub frame_width: f64,
    pub tint: f64,
    pub grows: f64,
    /// The fraction of the cards that is chosen.
    pub part: f64,
}

/// sRGB from hue in degrees, saturation and lightness.
pub(super) fn hsl(hue: f64, saturation: f64, lightness: f64) -> Color {
    let chroma = saturation * lightness.min(1.0 - lightness);
    [0.0, 8.0, 4.0].map(|n: f64| {
        let k = (n + hue / 30.0).rem_euclid(12.0);
        lightness - chroma * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)
    })
}

pub(super) fn grey(value: f64) -> Color {
    [value; 3]
}

impl Style {
    /// `short_px` is the length of a card's short side, `deck` what is drawn, and `odd` that of
    /// [`Params`](crate::Params).
    pub(super) fn random(
        deck: &Deck,
        aspect: f64,
        upright: bool,
        short_px: f64,
        odd: f64,
        dice: &mut Dice,
    ) -> Self {
        let dark = dice.chance(0.3);
        // Other decks' inks are for white cards.
        let dark_cards = dice.chance(if dark { 0.55 } else { 0.06 }) && deck.is_classic();
        let (mut wide, mut high) = (dice.between(0.16, 0.245), dice.between(0.5, 0.8));
        let mut spacing = aspect * dice.between(wide + 0.025, 0.31f64.max(wide + 0.03));
        // Some draw small symbols, far from the card's ends or close together.
        if dice.chance(0.22 * odd) {
            let smaller = dice.between(0.45, 0.9);
            (wide, high) = (wide * smaller, high * smaller);
            if dice.chance(0.7) {
                spacing = aspect * wide * dice.between(1.06, 1.5);
            }
        }
        let pair = dice.pick(&[(1.0, 9.0), (2.0, 1.2 * odd), (1.5, 0.3 * odd)]);
        let outlines = outlines(deck, wide * aspect, high, dice);
        let px = 1.0 / short_px;
        let stroke = (dice.between(0.1, 0.235).powi(2)).max(0.9 * px);
        let fields = outlines
            .map(|outline| Field::new(&outline.points, outline.round, 0.09, (0.5 * px).max(0.004)));
        let middle =
            if deck.is_classic() { middle(px, dice) } else { of_deck(&deck.fills[2].fill) };
        let bare = !matches!(middle, Inside::Rings { .. } | Inside::Nothing) && dice.chance(0.15);
        // Where the middle one is a pattern, full may be paler than its outline.
        let is_pattern = matches!(middle, Inside::Pattern { .. } | Inside::Rings { .. });
        let pale = dice.chance(if is_pattern { 0.16 * odd } else { 0.0 });
        let full = if pale { Inside::Tint(dice.between(0.3, 0.75)) } else { Inside::Full };
        let strokes = [
            if pale || dice.chance(0.6) { stroke } else { 0.0 },
            stroke,
            if bare { 0.0 } else { stroke * dice.pick(&[(1.0, 4.0), (0.6, 1.0)]) },
        ];
        let (mut page, mut card) = grounds(dark, dark_cards, dice);
        // Cards of the page's own colour.
        let borderless = dice.chance(0.07 * odd);
        if borderless {
            if dark_cards || card.iter().sum::<f64>() < 2.4 || dice.chance(0.5) {
                card = page[0];
            }
            if card.iter().sum::<f64>() < 2.2 && !dark_cards {
                card = grey(1.0);
            }
            page = [card; 2];
        }
        let strange = Strange::random(wide * aspect, high, dice);
        Self {
            aspect,
            upright,
            page,
            dark,
            card,
            radius: dice.between(0.0, 0.16) * f64::from(u8::from(dice.chance(0.9))),
            border: border(dark, px, dice).filter(|_| !borderless),
            shadow: (!borderless && dice.chance(0.5)).then(|| Shadow {
                offset: (dice.between(-0.03, 0.05), dice.between(0.0, 0.06)),
                soft: dice.between(0.02, 0.16),
                depth: dice.between(0.15, 0.65),
            }),
            symbol_shadow: dice.chance(0.22).then(|| Shadow {
                offset: (dice.between(-0.03, 0.04), dice.between(0.0, 0.045)),
                soft: dice.between(0.015, 0.08),
                depth: dice.between(0.2, 0.6),
            }),
            inks: if deck.is_classic() {
                inks(dark_cards, dice)
            } else {
                [0, 1, 2].map(|i| deck.inks[i].printings[0].map(|v| f64::from(v) / 255.0))
            },
            insides: if deck.is_classic() {
                [full, Inside::Nothing, middle]
            } else {
                [0, 1, 2].map(|i| of_deck(&deck.fills[i].fill))
            },
            strokes,
            outer: dice.pick(&[(0.5, 3.0), (0.0, 1.0), (1.0, 0.4)]),
            fields,
            spacing,
            pair,
            strange,
            edge_px: dice.pick(&[(1.0, 4.0), (1.35, 1.0), (1.8, 0.6)]),
            chosen: chosen(px, dice),
            hasty: if dice.chance(0.08) { dice.between(0.01, 0.06) } else { 0.0 },
        }
    }
}

impl Style {
    /// The place of symbol `k` of `last` + 1 along the card, from its middle.
    pub(super) fn center(&self, k: f64, last: f64) -> f64 {
        let pair = if last == 1.0 { self.pair } else { 1.0 };
        (k - last / 2.0) * self.spacing * pair
    }
}

/// A fill of a printed deck, its lengths in card short sides.
fn of_deck(fill: &Fill) -> Inside {
    match fill.kind {
        FillKind::Solid => Inside::Full,
        FillKind::None => Inside::Nothing,
        _ => {
            let pitch_mm = fill.pitch_mm / setsight_game::cards::outline::CARD_SHORT_MM;
            Inside::Pattern { fill: Fill { pitch_mm, ..*fill }, turn: 0.0 }
        }
    }
}

/// What the middle one of the three shadings looks like, between full ink and nothing.
fn middle(px: f64, dice: &mut Dice) -> Inside {
    let pitch = (0.028 * 4.5f64.powf(dice.unit())).max(2.0 * px);
    let duty = dice.between(0.2, 0.58).max(0.8 * px / pitch).min(0.62);
    let pattern = |kind: FillKind, turn: f64| Inside::pattern(kind, pitch, duty, turn);
    match dice.below(20) {
        0..=5 => pattern(FillKind::Stripes, 0.0),
        6 | 7 => pattern(FillKind::Stripes, FRAC_PI_2),
        8..=10 => {
            let turn = if dice.chance(0.5) { FRAC_PI_4 } else { dice.between(0.2, 1.37) };
            pattern(FillKind::Stripes, if dice.chance(0.5) { turn } else { -turn })
        }
        11..=14 => Inside::Tint(dice.between(0.16, 0.6)),
        15 | 16 => pattern(FillKind::Dots, dice.pick(&[(0.0, 1.0), (FRAC_PI_4, 1.0)])),
        17 => {
            let (low, high) = (dice.between(0.0, 0.25), dice.between(0.55, 1.0));
            let (from, to) = if dice.chance(0.5) { (low, high) } else { (high, low) };
            let turn = dice.pick(&[(0.0, 2.0), (FRAC_PI_2, 1.0), (FRAC_PI_4, 1.0)]);
            Inside::Gradient { turn, from, to, reach: if turn == 0.0 { 0.32 } else { 0.16 } }
        }
        18 => {
            let kind = if dice.chance(0.8) { FillKind::Crosshatch } else { FillKind::Checks };
            pattern(kind, dice.pick(&[(0.0, 1.0), (FRAC_PI_4, 1.0)]))
        }
        _ => Inside::Rings { pitch: pitch.max(0.05), duty: duty.max(0.35) },
    }
}

/// The three inks, to one taste.
fn inks(on_dark: bool, dice: &mut Dice) -> [Color; 3] {
    use setsight_game::cards::Color as Ink;
    let (saturation, lightness) = if on_dark {
        dice.pick(&[((0.95, 0.66), 2.0), ((0.6, 0.62), 1.0), ((0.8, 0.5), 1.0), ((0.7, 0.78), 1.0)])
    } else {
        dice.pick(&[
            ((0.9, 0.42), 3.0),  // saturated
            ((0.58, 0.62), 1.6), // pastel
            ((0.95, 0.55), 1.5), // neon
            ((0.95, 0.24), 1.3), // dark
            ((0.45, 0.38), 1.2), // muted
            ((1.0, 0.36), 1.0),  // as the web names them
        ])
    };
    let shift = dice.between(-10.0, 10.0);
    let [red, green, purple] = [
        (-16.0, 13.0, 0.04),
        (92.0, 164.0, if on_dark { -0.02 } else { -0.06 }),
        (256.0, 304.0, if on_dark { 0.07 } else { 0.0 }),
    ]
    .map(|(low, high, lighter)| {
        let hue = dice.between(low, high) + 0.3 * shift;
        let saturation = (saturation + 0.1 * dice.normal()).clamp(0.28, 1.0);
        let lightness = (lightness + lighter + 0.045 * dice.normal()).clamp(0.14, 0.84);
        hsl(hue, saturation, lightness)
    });
    let mut inks = [red; 3];
    inks[Ink::Green.index()] = green;
    inks[Ink::Purple.index()] = purple;
    inks[Ink::Red.index()] = red;
    inks
}

/// The page, at its top and its bottom, and the cards.
fn grounds(dark: bool, dark_cards: bool, dice: &mut Dice) -> ([Color; 2], Color) {
    let hue = dice.between(0.0, 360.0);
    let page = match dice.below(10) {
        0 | 1 if dark => grey(dice.between(0.0, 0.03)),
        _ if dark => hsl(hue, dice.between(0.0, 0.35), dice.between(0.03, 0.22)),
        0..=2 => grey(1.0),
        3 | 4 => hsl(hue, dice.between(0.0, 0.4), dice.between(0.86, 0.97)),
        5 | 6 => hsl(hue, dice.between(0.2, 0.6), dice.between(0.72, 0.9)),
        7 => grey(dice.between(0.5, 0.85)),
        8 => hsl(dice.between(100.0, 170.0), dice.between(0.3, 0.7), dice.between(0.2, 0.42)),
        _ => hsl(hue, dice.between(0.3, 0.8), dice.between(0.25, 0.6)),
    };
    let other = if dice.chance(0.2) { dice.between(0.65, 1.2) } else { 1.0 };
    let hue = if dice.chance(0.5) { dice.between(30.0, 60.0) } else { dice.between(0.0, 360.0) };
    let card = if dark_cards && dice.chance(0.3) {
        grey(dice.between(0.15, 0.5))
    } else if dark_cards {
        hsl(hue, dice.between(0.0, 0.3), dice.between(0.05, 0.3))
    } else if dice.chance(0.72) {
        grey(1.0)
    } else {
        hsl(hue, dice.between(0.05, 0.7), dice.between(0.9, 0.985))
    };
    ([page, page.map(|v| (v * other).min(1.0))], card)
}

pub(super) fn border(dark: bool, px: f64, dice: &mut Dice) -> Option<(Color, f64)> {
    let width = (dice.between(0.05, 0.2).powi(2)).max(px);
    let color = match dice.below(4) {
        0 => return None,
        1 => grey(dice.between(0.55, 0.85)),
        2 if dark => grey(dice.between(0.3, 0.9)),
        2 => grey(dice.between(0.0, 0.3)),
        _ => hsl(dice.between(0.0, 360.0), dice.between(0.1, 0.8), dice.between(0.25, 0.75)),
    };
    dice.chance(0.85).then_some((color, width))
}

pub(super) fn chosen(px: f64, dice: &mut Dice) -> Chosen {
    Chosen {
        frame: hsl(dice.between(0.0, 360.0), dice.between(0.6, 1.0), dice.between(0.4, 0.62)),
        frame_width: dice.between(0.02, 0.075).max(2.0 * px),
        tint: if dice.chance(0.3) { dice.between(0.05, 0.3) } else { 0.0 },
        grows: if dice.chance(0.25) { dice.between(0.94, 1.05) } else { 1.0 },
        part: if dice.chance(0.35) { dice.between(0.05, 0.3) } else { 0.0 },
    }
}

fn turned_by(turn: f64, x: f64, y: f64) -> (f64, f64) {
    let (sin, cos) = turn.sin_cos();
    (x * cos + y * sin, y * cos - x * sin)
}

impl Inside {
    pub(super) fn pattern(kind: FillKind, pitch_mm: f64, duty: f64, turn: f64) -> Self {
        Self::Pattern { fill: Fill { kind, outline_mm: 0.0, pitch_mm, duty }, turn }
    }
    /// Inked fraction at a place relative to the centre of a symbol, `to_outline` from its outline,
    /// for a pixel `px` wide; all in one unit.
    pub(super) fn at(&self, symbol: &Field, (x, y): (f64, f64), to_outline: f64, px: f64) -> f64 {
        use setsight_photo::print::dice::value;
        use setsight_photo::print::ink::{Footprint, coverage, inked, stripes};
        match *self {
            Self::Full => 1.0,
            Self::Nothing => 0.0,
            Self::Tint(strength) => strength,
            Self::Gradient { turn, from, to, reach } => {
                let (sin, cos) = turn.sin_cos();
                let t = (0.5 + 0.5 * (y * cos + x * sin) / reach).clamp(0.0, 1.0);
                from + (to - from) * t
            }
            Self::Pattern { fill, turn } => {
                let (right, down) = (turned_by(turn, px, 0.0), turned_by(turn, 0.0, px));
                inked(&fill, 0.0, turned_by(turn, x, y), &Footprint { right, down })
            }
            Self::Rings { pitch, duty } => stripes(to_outline, px, pitch, duty),
            Self::Inset { factor, blank } => {
                let inset =
                    symbol.at(x / factor, y / factor).map_or(0.0, |d| coverage(d * factor, px));
                if blank { 1.0 - inset } else { inset }
            }
            Self::Zigzag { pitch, duty, turn, bend } => {
                let (u, v) = turned_by(turn, x, y);
                let off = 2.0 * bend * pitch * ((u / (2.0 * pitch)).rem_euclid(1.0) - 0.5).abs();
                stripes(v + off, px * (1.0 + bend), pitch, duty)
            }
            Self::Motif { pitch, radius, power, turn } => {
                let (u, v) = turned_by(turn, x, y);
                let [u, v] =
                    [u, v].map(|w| ((w / pitch - (w / pitch).round()).abs() * pitch).powf(power));
                coverage((u + v).powf(1.0 / power) - radius, px)
            }
            Self::Noise { seed, pitch } => {
                coverage(0.5 * pitch * value(seed, x / pitch, y / pitch), px)
            }
        }
    }
}

/// A colour for text and buttons that is seen on the page.
pub(super) fn accent(dark: bool, dice: &mut Dice) -> Color {
    if dice.chance(0.6) {
        let value = dice.between(0.0, 0.45);
        grey(if dark { 1.0 - value } else { value })
    } else {
        hsl(dice.between(0.0, 360.0), dice.between(0.4, 0.9), dice.between(0.35, 0.6))
    }
}

/// A quarter turn for upright cards, and half a turn now and then.
pub(super) fn turn(upright: bool, dice: &mut Dice) -> f64 {
    let base = if upright { FRAC_PI_2 } else { 0.0 };
    if dice.chance(0.5) { base + PI } else { base }
}
