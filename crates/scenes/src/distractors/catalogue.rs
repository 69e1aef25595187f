//! Objects on a table besides the cards of the game: sheets, boxes, cups, pens, fingers.

use super::objects::{Form, Layer, Object, Print};
use setsight_game::cards::Shape;
use setsight_photo::geometry::Point;
use setsight_photo::print::dice::{Dice, Span};

pub(super) const WHITE: [f64; 3] = [0.8, 0.8, 0.78];
pub(super) const NEAR_BLACK: [f64; 3] = [0.012, 0.012, 0.014];

pub(super) fn paint(dice: &mut Dice) -> [f64; 3] {
    let bright = dice.between(0.03, 0.7);
    [0, 1, 2].map(|_| bright * dice.within(Span::new(0.25, 1.0)))
}

pub(super) fn layer(half: (f64, f64), radius: f64, color: [f64; 3]) -> Layer {
    Layer {
        offset: Point::default(),
        half,
        radius,
        color,
        print: Print::Plain,
        gloss: 0.15,
        form: Form::Box,
        turn: (1.0, 0.0),
        bent: false,
    }
}

impl Layer {
    pub(super) fn at(self, x: f64, y: f64) -> Self {
        Self { offset: Point::new(x, y), ..self }
    }
    fn turned(self, angle: f64) -> Self {
        Self { turn: (angle.cos(), angle.sin()), ..self }
    }
    pub(super) fn printed(self, print: Print) -> Self {
        Self { print, ..self }
    }
    pub(super) fn shiny(self, gloss: f64) -> Self {
        Self { gloss, ..self }
    }
    fn bent(self) -> Self {
        Self { bent: true, ..self }
    }
    pub(super) fn framed(self, width_mm: f64) -> Self {
        Self { form: Form::Frame(width_mm), ..self }
    }
}

fn symbol(dice: &mut Dice, scale: f64, color: [f64; 3]) -> Layer {
    symbol_of(Shape::ALL[dice.below(3)], scale, color)
}

pub(super) fn symbol_of(shape: Shape, scale: f64, color: [f64; 3]) -> Layer {
    Layer { form: Form::Symbol(shape, scale), ..layer((11.0 * scale, 20.0 * scale), 0.0, color) }
}

impl Object {
    /// An object at the table's origin; its extent is that of its first layer.
    pub(super) fn new(height_mm: f64, layers: Vec<Layer>, like_card: bool) -> Self {
        let reach_mm = layers[0].half.0.hypot(layers[0].half.1) + 3.0 * height_mm + 8.0;
        let (center, along) = (Point::default(), Point::new(1.0, 0.0));
        Self { center, along, height_mm, layers, like_card, reach_mm }
    }
}

/// Approximate inks of the game.
pub(super) const INKS: [[f64; 3]; 3] = [[0.01, 0.26, 0.06], [0.09, 0.02, 0.2], [0.75, 0.03, 0.02]];

/// An object that resembles a card.
#[expect(clippy::too_many_lines, reason = "a catalogue with an arm for each thing")]
pub(super) fn distractor(dice: &mut Dice) -> Object {
    let white = WHITE.map(|v| v * dice.between(0.85, 1.12));
    let ink = if dice.chance(0.5) { INKS[dice.below(3)] } else { paint(dice) };
    let seed = dice.bits();
    match dice.below(14) {
        // A face-down card or the pack itself: plain with a border, a lattice, a name.
        0 | 1 => {
            let back = paint(dice);
            let stock = layer((44.5, 28.5), 4.2, white).shiny(0.4);
            let margin = dice.between(0.0, 5.0);
            let mut field = layer((44.5 - margin, 28.5 - margin), 3.0, back).shiny(0.4);
            let mut layers = vec![stock];
            match dice.below(3) {
                0 => field.print = Print::Lattice { pitch_mm: dice.between(1.5, 9.0), ink: white },
                1 => field.print = Print::Keys { pitch_mm: dice.between(4.0, 12.0), ink },
                _ => {}
            }
            layers.push(field);
            if dice.chance(0.6) {
                let half = (dice.between(14.0, 32.0), dice.between(4.0, 11.0));
                let word = layer(half, half.1, back).printed(Print::Word { ink: white, seed });
                layers.push(word);
            }
            let height = if dice.chance(0.3) { dice.between(5.0, 22.0) } else { 0.4 };
            Object::new(height, layers, true)
        }
        // A blank or a business card: text, a logo.
        2 | 3 => {
            let half = (dice.between(40.0, 46.0), dice.between(26.0, 32.0));
            let mut layers = vec![layer(half, dice.between(0.2, 4.5), white).shiny(0.3)];
            if dice.chance(0.7) {
                let word = layer((half.0 * 0.55, half.1 * dice.between(0.1, 0.3)), 0.0, white);
                let (x, y) = (half.0 * dice.between(-0.3, 0.3), half.1 * dice.between(-0.5, 0.5));
                layers.push(word.at(x, y).printed(Print::Word { ink, seed }));
            }
            if dice.chance(0.5) {
                let r = dice.between(3.0, 12.0);
                let (x, y) = (half.0 * dice.between(-0.6, 0.6), half.1 * dice.between(-0.4, 0.4));
                layers.push(layer((r, r), dice.between(0.0, r), paint(dice)).at(x, y));
            }
            if dice.chance(0.3) {
                layers.push(layer((half.0 - 3.0, half.1 - 3.0), 2.0, ink).framed(0.8));
            }
            Object::new(0.3, layers, true)
        }
        // Another game's card: a number in an oval on a colour, or a framed picture.
        4 | 5 => {
            let half = (dice.between(42.0, 46.0), dice.between(27.0, 32.0));
            let stock = layer(half, 4.0, white).shiny(0.4);
            let field = layer((half.0 - 3.5, half.1 - 3.5), 3.0, paint(dice)).shiny(0.4);
            let mut layers = vec![stock, field];
            let oval = (half.0 * dice.between(0.3, 0.75), half.1 * dice.between(0.3, 0.75));
            let center =
                layer(oval, oval.0.min(oval.1), if dice.chance(0.6) { white } else { ink });
            layers.push(center.turned(dice.between(-0.5, 0.5)));
            let number = layer((half.1 * 0.35, half.1 * 0.4), 0.0, white);
            layers.push(number.printed(Print::Word { ink, seed }));
            Object::new(0.4, layers, true)
        }
        // The game's box: a name and some symbols on a colour, or on white.
        6 => {
            let half = (dice.between(46.0, 75.0), dice.between(32.0, 55.0));
            let body = if dice.chance(0.6) { paint(dice) } else { white };
            let mut layers = vec![layer(half, 1.5, body).shiny(0.3)];
            for k in 0..1 + dice.below(4) {
                let scale = dice.between(0.5, 1.3);
                let color = INKS[dice.below(3)];
                let (x, y) = (half.0 * (-0.6 + 0.4 * k as f64), half.1 * dice.between(-0.3, 0.3));
                if dice.chance(0.5) {
                    let mat = layer((12.0 * scale, 22.0 * scale), 3.0, white);
                    layers.push(mat.at(x, y));
                }
                layers.push(symbol(dice, scale, color).at(x, y));
            }
            let word = layer((half.0 * 0.5, half.1 * 0.2), 0.0, body);
            layers.push(word.at(0.0, half.1 * 0.7).printed(Print::Word { ink: white, seed }));
            Object::new(dice.between(12.0, 30.0), layers, true)
        }
        // A ruled notebook with a wire binding along one side.
        7 => {
            let half = (dice.between(60.0, 110.0), dice.between(45.0, 80.0));
            let sheet = layer(half, 2.0, white).printed(Print::Ruled {
                pitch_mm: dice.between(4.0, 9.0),
                crossed: dice.chance(0.5),
                ink: [0.3, 0.4, 0.6],
            });
            let side = dice.between(3.0, 7.0);
            let wire = layer((half.0, side), 0.0, white).printed(Print::Spiral {
                pitch_mm: dice.between(5.0, 13.0),
                wire: [dice.between(0.02, 0.7); 3],
            });
            let y = -half.1 - if dice.chance(0.5) { 0.0 } else { 0.4 * side };
            Object::new(dice.between(1.0, 12.0), vec![sheet, wire.at(0.0, y)], true)
        }
        // Stickers or prints of comic figures: a coloured shape with a white outline, eyes.
        8 | 9 => {
            let r = dice.between(10.0, 42.0);
            let half = (r, r * dice.between(0.5, 1.0));
            let angle = dice.between(0.0, 3.0);
            let rim = r * dice.between(0.08, 0.2);
            let body = layer(half, half.1 * dice.between(0.3, 1.0), paint(dice)).turned(angle);
            let border = Layer { half: (half.0 + rim, half.1 + rim), color: white, ..body };
            let mut layers = vec![Layer { radius: body.radius + rim, ..border }, body];
            for side in [-1.0, 1.0] {
                let eye = layer((r * 0.12, r * 0.16), r * 0.12, NEAR_BLACK);
                layers.push(eye.at(side * r * 0.3, -0.2 * half.1));
                if dice.chance(0.5) {
                    let ear = layer((r * 0.3, r * 0.2), r * 0.2, ink).turned(side * 0.8);
                    layers.push(ear.at(side * half.0 * 0.7, -half.1 * 0.8));
                }
            }
            if dice.chance(0.5) {
                let word = layer((half.0 * 0.8, half.1 * 0.2), 0.0, white);
                layers.push(word.at(0.0, half.1 * 0.6).printed(Print::Word { ink, seed }));
            }
            Object::new(0.1, layers, false)
        }
        // Symbols of the game without a card: printed on a sheet, or cut out.
        10 => {
            let scale = dice.between(0.5, 1.6);
            if dice.chance(0.5) {
                return Object::new(0.1, vec![symbol(dice, scale, ink)], false);
            }
            let half = (dice.between(60.0, 105.0), dice.between(60.0, 80.0));
            let mut layers =
                vec![layer(half, 1.0, if dice.chance(0.6) { white } else { paint(dice) })];
            for _ in 0..3 + dice.below(6) {
                let (x, y) = (half.0 * dice.between(-0.8, 0.8), half.1 * dice.between(-0.7, 0.7));
                let color = INKS[dice.below(3)];
                layers.push(symbol(dice, scale, color).at(x, y));
            }
            Object::new(0.2, layers, true)
        }
        // Keys on a ring.
        11 => {
            let metal = [dice.between(0.25, 0.6); 3];
            let mut layers = vec![layer((16.0, 16.0), 16.0, metal).framed(2.0).shiny(0.6)];
            for _ in 0..1 + dice.below(3) {
                let angle: f64 = dice.between(0.0, 6.3);
                let bow = layer((10.0, 10.0), 10.0, metal);
                let blade = layer((16.0, 3.5), 1.0, metal).turned(angle);
                for (part, d) in [(bow, 24.0), (blade, 42.0)] {
                    layers.push(part.at(angle.cos() * d, angle.sin() * d).shiny(0.6));
                }
            }
            Object { reach_mm: 75.0, ..Object::new(3.0, layers, false) }
        }
        // A keyboard or a calculator.
        12 => {
            let half = (dice.between(60.0, 150.0), dice.between(30.0, 55.0));
            let body = [dice.between(0.01, 0.7); 3];
            let keys = layer((half.0 - 6.0, half.1 - 6.0), 1.0, body).printed(Print::Keys {
                pitch_mm: dice.between(12.0, 19.0),
                ink: [dice.between(0.01, 0.8); 3],
            });
            Object::new(12.0, vec![layer(half, 6.0, body), keys], false)
        }
        // A tile or a coaster with a frame or a picture in its middle.
        _ => {
            let half = (dice.between(35.0, 60.0), dice.between(28.0, 45.0));
            let body = if dice.chance(0.5) { white } else { paint(dice) };
            let mut layers = vec![layer(half, dice.between(0.5, 8.0), body).shiny(0.5)];
            layers
                .push(layer((half.0 * 0.8, half.1 * 0.8), 2.0, ink).framed(dice.between(0.6, 4.0)));
            if dice.chance(0.6) {
                let oval = (half.0 * 0.2, half.1 * 0.5);
                layers.push(layer(oval, oval.0.min(oval.1), paint(dice)));
            }
            Object::new(dice.between(1.0, 8.0), layers, true)
        }
    }
}

/// An object that lies or is held over the cards. Its tip is at its centre, and it comes in along
/// its x axis.
pub(super) fn cover(dice: &mut Dice) -> Object {
    match dice.below(6) {
        // Fingers, rarely a whole hand.
        0..=2 => {
            let tone = dice.between(0.08, 0.65);
            let skin = [tone, tone * dice.between(0.55, 0.75), tone * dice.between(0.35, 0.6)];
            let nail = skin.map(|v| (v * 1.25).min(0.8));
            let mut layers = Vec::new();
            for finger in 0..1 + dice.below(3) {
                let thick = dice.between(6.5, 9.5);
                let x = 60.0 + dice.between(0.0, 14.0) * finger as f64;
                let y = 18.0 * finger as f64;
                let turn = 0.08 * dice.normal();
                layers.push(layer((62.0, thick), thick, skin).at(x, y).turned(turn).bent());
                if dice.chance(0.7) {
                    let nail = layer((6.0, thick * 0.6), 4.0, nail).shiny(0.3);
                    layers.push(nail.at(x - 53.0, y).turned(turn));
                }
            }
            Object { reach_mm: 190.0, ..Object::new(dice.between(4.0, 16.0), layers, false) }
        }
        // A pen or a pencil.
        3 => {
            let thick = dice.between(3.4, 5.5);
            let body = layer((70.0, thick), 2.0, paint(dice)).at(66.0, 0.0).bent().shiny(0.4);
            let tip = layer((9.0, thick * 0.6), 2.0, paint(dice)).at(-8.0, 0.0).bent();
            let cap = layer((18.0, thick * 1.1), 2.0, paint(dice)).at(118.0, 0.0).bent();
            Object { reach_mm: 170.0, ..Object::new(7.0, vec![body, tip, cap], false) }
        }
        // A die.
        4 => {
            let a = dice.between(6.0, 10.0);
            let body = if dice.chance(0.5) { WHITE } else { paint(dice) };
            let pip = if body[1] > 0.4 { NEAR_BLACK } else { WHITE };
            let mut layers = vec![layer((a, a), 2.0, body).shiny(0.5)];
            let spots: &[(f64, f64)] = match dice.below(4) {
                0 => &[(0.0, 0.0)],
                1 => &[(-0.5, -0.5), (0.5, 0.5)],
                2 => &[(-0.5, -0.5), (0.0, 0.0), (0.5, 0.5)],
                _ => &[(-0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (0.5, -0.5)],
            };
            let dots = spots.iter().map(|&(x, y)| layer((1.6, 1.6), 1.6, pip).at(x * a, y * a));
            layers.extend(dots);
            Object::new(2.0 * a, layers, false)
        }
        // A coin, a counter or a string.
        _ if dice.chance(0.7) => {
            let r = dice.between(7.0, 14.0);
            let color = paint(dice);
            let rim = layer((r, r), r, color.map(|v| v * 1.15)).shiny(0.5);
            let inner = (r * 0.85, r * 0.85);
            Object::new(2.0, vec![rim, layer(inner, inner.0, color).shiny(0.5)], false)
        }
        _ => {
            let thick = dice.between(0.8, 2.2);
            Object::new(1.0, vec![layer((180.0, thick), thick, paint(dice)).bent()], false)
        }
    }
}

/// A common object.
pub(super) fn usual(dice: &mut Dice) -> Object {
    let which = dice.below(9);
    let (height_mm, layers) = match which {
        // A sheet or a note with writing.
        0 | 1 => {
            let half = (dice.between(35.0, 110.0), dice.between(25.0, 80.0));
            let mut sheet = layer(half, 0.5, WHITE.map(|v| v * dice.between(0.8, 1.1)));
            if dice.chance(0.75) {
                sheet.print = Print::Text {
                    pitch_mm: dice.between(3.5, 9.0),
                    ink: [0.03, 0.03, 0.05],
                    seed: dice.bits(),
                };
            }
            (0.2, vec![sheet])
        }
        // A phone, its screen dark or lit.
        2 => {
            let mut body = layer((73.0, 36.0), 9.0, NEAR_BLACK);
            body.gloss = 0.6;
            let lit = dice.chance(0.4);
            let mut screen = layer((69.0, 33.0), 5.0, if lit { paint(dice) } else { [0.006; 3] });
            screen.gloss = 0.8;
            (8.0, vec![body, screen])
        }
        // A card of the game, face down.
        3 => {
            let ink = paint(dice);
            let mut stock = layer((44.5, 28.5), 4.2, WHITE.map(|v| v * 1.06));
            stock.gloss = 0.4;
            let mut back = layer((40.5, 24.5), 2.0, WHITE);
            back.print = Print::Lattice { pitch_mm: dice.between(2.0, 6.0), ink };
            back.gloss = 0.4;
            (0.4, vec![stock, back])
        }
        // A card of another game: pips in one colour, without the game's symbols.
        4 => {
            let ink = if dice.chance(0.5) { [0.6, 0.02, 0.03] } else { NEAR_BLACK };
            let mut stock = layer((44.0, 31.5), 3.5, WHITE.map(|v| v * 1.06));
            stock.gloss = 0.4;
            let mut layers = vec![stock];
            let rows = 1 + dice.below(2);
            for column in -2..=2 {
                for row in 0..=rows {
                    let mut pip = layer((4.0, 4.0), 4.0, ink);
                    pip.offset = Point::new(
                        f64::from(column) * 14.0,
                        (row as f64 - rows as f64 / 2.0) * 20.0,
                    );
                    layers.push(pip);
                }
            }
            (0.4, layers)
        }
        // An envelope or a box with a label.
        5 => {
            let half = (dice.between(50.0, 115.0), dice.between(35.0, 80.0));
            let body = layer(half, 1.0, if dice.chance(0.5) { WHITE } else { paint(dice) });
            let mut label = layer((half.0 * 0.4, half.1 * 0.3), 1.0, paint(dice));
            label.offset = Point::new(half.0 * dice.between(-0.4, 0.4), half.1 * 0.3);
            (dice.between(0.5, 20.0), vec![body, label])
        }
        // A coin.
        6 => {
            let r = dice.between(8.0, 14.0);
            let tone = dice.between(0.25, 0.6);
            let rim = layer((r, r), r, [tone * 1.1, tone, tone * dice.between(0.5, 1.0)]);
            let face = layer((r * 0.85, r * 0.85), r * 0.85, rim.color.map(|v| v * 0.85));
            (1.8, vec![rim, face])
        }
        // A pen.
        7 => {
            let body = layer((68.0, 4.2), 4.0, paint(dice));
            let mut cap = layer((18.0, 4.8), 2.0, paint(dice));
            cap.offset = Point::new(48.0, 0.0);
            (7.0, vec![body, cap])
        }
        // A mug from above.
        _ => {
            let r = dice.between(30.0, 44.0);
            let color = if dice.chance(0.5) { WHITE } else { paint(dice) };
            let body = layer((r, r), r, color);
            let inside = layer((r * 0.88, r * 0.88), r * 0.88, [0.05, 0.025, 0.012]);
            let mut handle = layer((r * 0.25, 6.0), 4.0, color);
            handle.offset = Point::new(r * 1.15, 0.0);
            (35.0, vec![body, inside, handle])
        }
    };
    Object::new(height_mm, layers, which < 6)
}
