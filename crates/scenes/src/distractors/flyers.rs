//! Printed things with signs that resemble one or two symbols but are not cards: buttons on a
//! screen, pills in a blister pack, pictograms on a box, a rules leaflet with small pictures of
//! cards.

use super::catalogue::{INKS, NEAR_BLACK, WHITE, layer, paint, symbol_of};
use super::objects::{Layer, Object, Print};
use setsight_game::cards::Shape;
use setsight_photo::print::dice::Dice;

/// A thing of this kind.
pub(super) fn flyer(dice: &mut Dice) -> Object {
    let white = WHITE.map(|v| v * dice.between(0.85, 1.1));
    match dice.below(6) {
        0 => sign(dice, white),
        1 => buttons(dice),
        2 => blister(dice),
        3 => rules(dice, white),
        4 => packing(dice, white),
        _ => page(dice, white),
    }
}

fn ink(dice: &mut Dice) -> [f64; 3] {
    match dice.below(3) {
        0 => INKS[dice.below(3)],
        1 => NEAR_BLACK,
        _ => paint(dice),
    }
}

/// An oval or its outline, upright or lying, `half` millimetres from its centre to its sides.
fn oval(dice: &mut Dice, half: (f64, f64), color: [f64; 3]) -> Layer {
    let body = layer(half, half.0.min(half.1), color);
    if dice.chance(0.5) { body.framed(half.0.min(half.1) * dice.between(0.1, 0.35)) } else { body }
}

/// One, two or three signs in a row: ovals, diamonds, squiggles, squares.
fn signs(dice: &mut Dice, layers: &mut Vec<Layer>, at: (f64, f64), scale: f64, color: [f64; 3]) {
    let count = 1 + dice.below(3);
    let (kind, apart) = (dice.below(5), dice.between(21.0, 30.0) * scale);
    let framed = dice.chance(0.4);
    for k in 0..count {
        let x = at.0 + (k as f64 - 0.5 * (count as f64 - 1.0)) * apart;
        let half = (9.0 * scale, 18.5 * scale);
        let sign = match kind {
            0 | 1 => layer(half, half.0, color),
            2 => layer((half.0, half.1 * 0.8), 0.5, color),
            3 => layer((half.0, half.0), half.0, color),
            _ => symbol_of(Shape::ALL[dice.below(3)], scale, color),
        };
        let sign = if framed && kind < 4 { sign.framed(1.4 * scale) } else { sign };
        layers.push(sign.at(x, at.1));
    }
}

/// A note or a label with a pair of signs and a word.
fn sign(dice: &mut Dice, white: [f64; 3]) -> Object {
    let half = (dice.between(36.0, 80.0), dice.between(24.0, 60.0));
    let body = if dice.chance(0.8) { white } else { paint(dice) };
    let mut layers = vec![layer(half, dice.between(0.3, 4.0), body)];
    let scale = dice.between(0.35, 1.0).min(half.1 / 24.0);
    let color = ink(dice);
    let (x, y) = (half.0 * dice.between(-0.3, 0.3), half.1 * dice.between(-0.2, 0.1));
    signs(dice, &mut layers, (x, y), scale, color);
    if dice.chance(0.7) {
        let word = layer((half.0 * 0.6, half.1 * 0.12), 0.0, body);
        let seed = dice.bits();
        layers.push(word.at(0.0, 0.8 * half.1).printed(Print::Word { ink: color, seed }));
    }
    if dice.chance(0.3) {
        layers.push(layer((half.0 - 2.5, half.1 - 2.5), 2.0, color).framed(0.8));
    }
    Object::of(0.2, layers, true)
}

/// A phone or a tablet: rows of buttons and switches.
fn buttons(dice: &mut Dice) -> Object {
    let half = if dice.chance(0.6) { (73.0, 36.0) } else { (115.0, 80.0) };
    let glass = if dice.chance(0.5) { [0.75, 0.77, 0.8] } else { [0.02, 0.02, 0.025] };
    let mut layers = vec![
        layer(half, 8.0, NEAR_BLACK).shiny(0.6),
        layer((half.0 - 4.0, half.1 - 3.0), 5.0, glass).shiny(0.5),
    ];
    let size = dice.between(4.0, 8.0);
    let tall = size * dice.between(1.0, 2.1);
    let (step_x, step_y) = (size * dice.between(2.4, 3.6), tall * dice.between(2.3, 3.0));
    let one = ink(dice);
    let mut y = -half.1 + 5.0 + tall;
    while y < half.1 - 4.0 - tall {
        let mut x = -half.0 + 7.0 + size;
        while x < half.0 - 6.0 - size {
            if dice.chance(0.8) && layers.len() < 42 {
                let color = if dice.chance(0.6) { one } else { paint(dice) };
                layers.push(oval(dice, (size, tall), color).at(x, y).shiny(0.5));
            }
            x += step_x;
        }
        y += step_y;
    }
    Object::of(8.0, layers, true)
}

/// Pills in a blister pack.
fn blister(dice: &mut Dice) -> Object {
    let (columns, rows) = (3 + dice.below(3), 2 + dice.below(2));
    let pill = (dice.between(3.5, 6.0), dice.between(6.0, 10.0));
    let half = (columns as f64 * pill.0 * 1.7, rows as f64 * pill.1 * 1.45);
    let foil = [dice.between(0.4, 0.75); 3];
    let mut layers = vec![layer(half, 3.0, foil).shiny(0.6)];
    let color = if dice.chance(0.4) { WHITE } else { ink(dice) };
    for row in 0..rows {
        for column in 0..columns {
            let middle = |k: usize, n: usize| (2.0 * k as f64 + 1.0 - n as f64) / n as f64;
            let at = (half.0 * middle(column, columns), half.1 * middle(row, rows));
            let rim = layer((pill.0 * 1.2, pill.1 * 1.15), pill.0 * 1.2, foil.map(|v| v * 0.8));
            layers.push(rim.at(at.0, at.1).shiny(0.6));
            if dice.chance(0.85) {
                layers.push(layer(pill, pill.0, color).at(at.0, at.1).shiny(0.4));
            }
        }
    }
    Object::of(5.0, layers, true)
}

/// A rules leaflet: lines of text and small pictures of cards.
fn rules(dice: &mut Dice, white: [f64; 3]) -> Object {
    let half = (dice.between(55.0, 105.0), dice.between(45.0, 75.0));
    let sheet = layer(half, 0.5, white).printed(Print::Text {
        pitch_mm: dice.between(2.6, 4.5),
        ink: NEAR_BLACK,
        seed: dice.bits(),
    });
    let mut layers = vec![sheet];
    let scale = dice.between(0.22, 0.42);
    let card = (44.5 * scale, 28.5 * scale);
    for row in 0..1 + dice.below(2) {
        let y = half.1 * (-0.45 + 0.85 * row as f64);
        for k in -1..=1 {
            let x = f64::from(k) * (2.0 * card.0 + 5.0);
            let rim = layer((card.0 + 0.8, card.1 + 0.8), 2.0, NEAR_BLACK.map(|v| v + 0.15));
            layers.push(rim.at(x, y));
            layers.push(layer(card, 1.8, white).at(x, y));
            let color = INKS[dice.below(3)];
            signs(dice, &mut layers, (x, y), 0.9 * scale, color);
        }
    }
    Object::of(0.3, layers, true)
}

/// A box with pictograms: two ovals, a recycling mark, a name.
fn packing(dice: &mut Dice, white: [f64; 3]) -> Object {
    let half = (dice.between(45.0, 90.0), dice.between(32.0, 60.0));
    let body = if dice.chance(0.5) { paint(dice) } else { white };
    let mut layers = vec![layer(half, 1.5, body).shiny(0.3)];
    for _ in 0..2 + dice.below(3) {
        let (x, y) = (half.0 * dice.between(-0.7, 0.7), half.1 * dice.between(-0.6, 0.5));
        let color = if dice.chance(0.5) { ink(dice) } else { white };
        let scale = dice.between(0.25, 0.8);
        signs(dice, &mut layers, (x, y), scale, color);
    }
    let word = layer((half.0 * 0.6, half.1 * 0.18), 0.0, body);
    let (color, seed) = (ink(dice), dice.bits());
    layers.push(word.at(0.0, 0.75 * half.1).printed(Print::Word { ink: color, seed }));
    Object::of(dice.between(4.0, 30.0), layers, true)
}

/// A page of a magazine: large type, whose O and 0 are ovals.
fn page(dice: &mut Dice, white: [f64; 3]) -> Object {
    let half = (dice.between(60.0, 120.0), dice.between(50.0, 85.0));
    let mut layers = vec![layer(half, 0.5, white)];
    let text = layer((half.0 * 0.9, half.1 * 0.4), 0.0, white);
    let pitch_mm = dice.between(3.0, 5.0);
    let seed = dice.bits();
    layers.push(text.at(0.0, half.1 * 0.5).printed(Print::Text {
        pitch_mm,
        ink: NEAR_BLACK,
        seed,
    }));
    let color = ink(dice);
    let size = dice.between(4.0, 13.0);
    let mut x = -half.0 + 2.5 * size;
    while x < half.0 - 1.5 * size {
        let letter = match dice.below(4) {
            0 | 1 => layer((0.62 * size, size), 0.62 * size, color).framed(0.24 * size),
            2 => layer((0.14 * size, size), 0.0, color),
            _ => layer((0.6 * size, size), 0.1 * size, color).framed(0.22 * size),
        };
        layers.push(letter.at(x, -0.5 * half.1));
        x += size * 1.7;
    }
    Object::of(0.3, layers, true)
}
