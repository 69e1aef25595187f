//! Cards as drawings in a page (SVG), of any deck.

use maud::{Markup, html};
use setsight_game::cards::deck::{Fill, FillKind};
use setsight_game::cards::outline::{CARD_LONG_MM, CARD_SHORT_MM};
use setsight_game::cards::{Card, Color, Deck, Shading};
use std::collections::HashSet;
use std::f64::consts::PI;
use std::sync::Arc;

/// Across the stripes' direction a pattern repeats nothing: any length does, in millimetres.
const LONG_MM: f64 = 8.0;

/// What the cards of a deck refer to, to be written once in a page: the patterns of their fills.
/// `name` tells them from another deck's.
pub fn fills(deck: &Deck, name: &str) -> Markup {
    html! {
        svg width="0" height="0" style="position:absolute" {
            defs {
                @for shading in Shading::ALL {
                    @for color in Color::ALL {
                        (pattern(deck.fill(shading), &hex(deck, color), &id(name, shading, color)))
                    }
                }
            }
        }
    }
}

/// The drawing of a card, lying, in its millimetres; with the letter of its colour in a corner, for
/// paper without colours.
pub fn svg(deck: &Deck, name: &str, card: Card, letter: bool) -> Markup {
    let letter_of = html! {
        text x="3" y="10" font-size="9" font-family="sans-serif" fill="#444" {
            (card.color.letter().to_ascii_uppercase())
        }
    };
    framed(deck, card, &html! { (face(deck, name, card)) @if letter { (letter_of) } })
}

/// The cards of a long page: each is drawn once and then referred to.
#[derive(Default)]
pub struct DrawnOnce {
    decks: Vec<Arc<Deck>>,
    drawn: HashSet<(usize, Card)>,
}

impl DrawnOnce {
    /// A card, at its place in the page.
    pub fn svg(&mut self, deck: &Arc<Deck>, card: Card) -> Markup {
        let known = self.decks.iter().position(|known| known == deck);
        let place = known.unwrap_or_else(|| {
            self.decks.push(Arc::clone(deck));
            self.decks.len() - 1
        });
        let name = format!("d{place}");
        let id = format!("{name}-{card}");
        let content = match self.drawn.insert((place, card)) {
            true => html! { g id=(id) { (face(deck, &name, card)) } },
            false => html! { use href={ "#" (id) } {} },
        };
        html! {
            @if known.is_none() { (fills(deck, &name)) }
            (framed(deck, card, &content))
        }
    }
}

fn framed(deck: &Deck, card: Card, content: &Markup) -> Markup {
    html! {
        svg viewBox={ "0 0 " (CARD_LONG_MM) " " (CARD_SHORT_MM) } role="img" aria-label=(deck.card_name(card)) {
            (content)
        }
    }
}

/// What is printed on a card.
fn face(deck: &Deck, name: &str, card: Card) -> Markup {
    let ink = hex(deck, card.color);
    let fill = match deck.fill(card.shading).kind {
        FillKind::Solid => ink.clone(),
        FillKind::None => "none".to_owned(),
        _ => format!("url(#{})", id(name, card.shading, card.color)),
    };
    let line_mm = deck.fill(card.shading).outline_mm.max(0.8);
    let points = |center: f64| {
        let outline = deck.outline(card.shape);
        let points = outline.iter().map(|(x, y)| {
            let (x, y) = ((x + center + 0.5) * CARD_LONG_MM, (y + 0.5) * CARD_SHORT_MM);
            format!("{x:.1},{y:.1}")
        });
        points.collect::<Vec<String>>().join(" ")
    };
    // In SVG an element ends where it says so: hence the braces.
    html! {
        rect x="0.5" y="0.5" width=(CARD_LONG_MM - 1.0) height=(CARD_SHORT_MM - 1.0) rx="4"
            fill="#fff" stroke="#999" {}
        @for center in deck.symbol_centers(card.number) {
            polygon points=(points(center)) fill=(fill) stroke=(ink) stroke-width=(line_mm) {}
        }
    }
}

/// A fill in an ink, as a pattern that repeats.
fn pattern(fill: &Fill, ink: &str, id: &str) -> Markup {
    let (pitch, part) = (fill.pitch_mm, fill.pitch_mm * fill.duty);
    // Of a square's area a round dot covers its share with this radius, a square one with this side.
    let (radius, side) = (pitch * (fill.duty / PI).sqrt(), pitch * fill.duty.sqrt());
    let tile = |width: f64, height: f64, turn: f64, content: Markup| {
        html! {
            pattern id=(id) width=(width) height=(height) patternUnits="userSpaceOnUse"
                patternTransform=[(turn != 0.0).then(|| format!("rotate({turn})"))] { (content) }
        }
    };
    let block =
        |width: f64, height: f64| html! { rect width=(width) height=(height) fill=(ink) {} };
    match fill.kind {
        FillKind::Solid | FillKind::None => html! {},
        FillKind::Stripes => tile(LONG_MM, pitch, 0.0, block(LONG_MM, part)),
        FillKind::Bars => tile(pitch, LONG_MM, 0.0, block(part, LONG_MM)),
        FillKind::Crosshatch => {
            // Two directions that cover the share together.
            let line = pitch * (1.0 - (1.0 - fill.duty).max(0.0).sqrt());
            tile(pitch, pitch, 45.0, html! { (block(pitch, line)) (block(line, pitch)) })
        }
        FillKind::Dots => {
            let middle = pitch / 2.0;
            tile(
                pitch,
                pitch,
                0.0,
                html! { circle cx=(middle) cy=(middle) r=(radius) fill=(ink) {} },
            )
        }
        FillKind::Strokes => tile(pitch, pitch, 30.0, block(side, side)),
        FillKind::Checks => {
            let half = pitch / 2.0;
            let second = html! { rect x=(half) y=(half) width=(half) height=(half) fill=(ink) {} };
            tile(pitch, pitch, 0.0, html! { (block(half, half)) (second) })
        }
        FillKind::Gradient => html! {
            linearGradient id=(id) {
                stop stop-color="#fff" {}
                stop offset="1" stop-color=(ink) {}
            }
        },
    }
}

fn id(name: &str, shading: Shading, color: Color) -> String {
    format!("{name}-{}{}", shading.letter(), color.letter())
}

fn hex(deck: &Deck, color: Color) -> String {
    let [r, g, b] = deck.srgb(color);
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_card_refers_to_is_there() {
        let known = [Deck::classic(), Deck::rectangles()].map(|deck| (*deck).clone());
        for deck in known.into_iter().chain((0..30).map(Deck::invented)) {
            let fills = fills(&deck, "d").into_string();
            for card in deck.cards() {
                let text = svg(&deck, "d", card, false).into_string();
                if let Some((_, rest)) = text.split_once("url(#") {
                    let (id, _) = rest.split_once(')').unwrap();
                    assert_eq!(fills.matches(&format!("id=\"{id}\"")).count(), 1, "{id}: {fills}");
                }
            }
        }
    }

    #[test]
    fn a_card_is_drawn_once() {
        let (mut cards, deck) = (DrawnOnce::default(), Deck::classic());
        let mut draw = |deck, code: &str| cards.svg(deck, code.parse().unwrap()).into_string();
        let first = draw(&deck, "2sgo");
        assert_eq!((first.matches("<polygon").count(), first.matches("<pattern").count()), (2, 3));
        assert!(first.contains("<g id=\"d0-2sgo\">"), "{first}");
        let again = draw(&deck, "2sgo");
        assert!(
            again.contains("<use href=\"#d0-2sgo\">") && !again.contains("<polygon"),
            "{again}"
        );
        assert!(again.contains("aria-label=\"two striped green ovals\""));
        // Another deck's card of that code is another one.
        assert!(draw(&Deck::rectangles(), "2sgo").contains("<g id=\"d1-2sgo\">"));
    }
}
