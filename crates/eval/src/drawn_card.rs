//! Cards as drawings in a page (SVG), of any deck.

use maud::{Markup, html};
use setsight_game::cards::{
    Card, Color, Deck, Shading, Shape,
    deck::{Fill, FillKind},
    outline::{CARD_LONG_MM, CARD_SHORT_MM},
};
use std::{collections::HashSet, f64::consts::PI, sync::Arc};

/// What the cards of a deck refer to, to be written once in a page: the marks of their fills, and the
/// outlines that cut these. `name` tells them from another deck's.
///
/// A fill is lines, not a pattern of SVG: browsers print that as a picture, whose stripes are a grey tint.
pub fn fills(deck: &Deck, name: &str) -> Markup {
    let corners = Shape::ALL.into_iter().flat_map(|shape| deck.outline(shape));
    let half_mm = corners.fold((0.0_f64, 0.0_f64), |(across, down), (x, y)| {
        (across.max((x * CARD_LONG_MM).abs()), down.max((y * CARD_SHORT_MM).abs()))
    });
    html! {
        svg width="0" height="0" style="position:absolute" {
            defs {
                @for shape in Shape::ALL {
                    clipPath id={ (name) "-in-" (shape.letter()) } {
                        polygon points=(points(deck, shape)) {}
                    }
                }
                @for shading in Shading::ALL {
                    (marks(deck.fill(shading), half_mm, &format!("{name}-{}", shading.letter())))
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
    let fill = deck.fill(card.shading);
    let inside = if fill.kind == FillKind::Solid { ink.as_str() } else { "none" };
    let line_mm = fill.outline_mm.max(0.8);
    let place = |center: f64| {
        format!("translate({:.1} {:.1})", (center + 0.5) * CARD_LONG_MM, 0.5 * CARD_SHORT_MM)
    };
    // In SVG an element ends where it says so: hence the braces.
    html! {
        rect x="0.5" y="0.5" width=(CARD_LONG_MM - 1.0) height=(CARD_SHORT_MM - 1.0) rx="4"
            fill="#fff" stroke="#999" {}
        @for center in deck.symbol_centers(card.number) {
            g transform=(place(center)) {
                @if !matches!(fill.kind, FillKind::Solid | FillKind::None) {
                    g clip-path={ "url(#" (name) "-in-" (card.shape.letter()) ")" } {
                        use href={ "#" (name) "-" (card.shading.letter()) } fill=(ink) {}
                    }
                }
                polygon points=(points(deck, card.shape)) fill=(inside) stroke=(ink) stroke-width=(line_mm) {}
            }
        }
    }
}

/// A symbol's outline about its centre, in millimetres.
fn points(deck: &Deck, shape: Shape) -> String {
    let points = deck
        .outline(shape)
        .into_iter()
        .map(|(x, y)| format!("{:.1},{:.1}", x * CARD_LONG_MM, y * CARD_SHORT_MM));
    points.collect::<Vec<String>>().join(" ")
}

/// The marks of a fill, without a colour of their own, so far from the centre in each direction.
fn marks(fill: &Fill, half_mm: (f64, f64), id: &str) -> Markup {
    let turn = match fill.kind {
        FillKind::Solid | FillKind::None => return html! {},
        FillKind::Gradient => return wash(half_mm, id),
        FillKind::Crosshatch => 45.0,
        FillKind::Strokes => 30.0,
        _ => 0.0,
    };
    let far = half_mm.0.hypot(half_mm.1);
    let (across, down) = if turn == 0.0 { half_mm } else { (far, far) };
    let (pitch, part) = (fill.pitch_mm, fill.pitch_mm * fill.duty);
    // Of a square's area a round dot covers its share with this radius, a square one with this side.
    let (radius, side) = (pitch * (fill.duty / PI).sqrt(), pitch * fill.duty.sqrt());
    let steps = |half: f64| {
        (0..(2.0 * half / pitch).ceil() as u32).map(move |i| f64::from(i) * pitch - half)
    };
    let block = |x: f64, y: f64, width: f64, height: f64| {
        format!("M{x:.2},{y:.2}h{width:.2}v{height:.2}h{:.2}z", -width)
    };
    let lines = |part: f64| steps(down).map(|y| block(-across, y, 2.0 * across, part)).collect();
    let bars = |part: f64| steps(across).map(|x| block(x, -down, part, 2.0 * down)).collect();
    let tiles = |tile: &dyn Fn(f64, f64) -> String| {
        steps(down).flat_map(|y| steps(across).map(|x| tile(x, y)).collect::<Vec<_>>()).collect()
    };
    let path: String = match fill.kind {
        FillKind::Solid | FillKind::None | FillKind::Gradient => String::new(),
        FillKind::Stripes => lines(part),
        FillKind::Bars => bars(part),
        FillKind::Crosshatch => {
            // Two directions that cover the share together.
            let line = pitch * (1.0 - (1.0 - fill.duty).max(0.0).sqrt());
            [lines(line), bars(line)].concat()
        }
        FillKind::Dots => tiles(&|x, y| {
            format!(
                "M{x:.2},{y:.2}a{radius:.2},{radius:.2} 0 1 0 {:.2},0a{radius:.2},{radius:.2} 0 1 0 {:.2},0z",
                2.0 * radius,
                -2.0 * radius
            )
        }),
        FillKind::Strokes => tiles(&|x, y| block(x, y, side, side)),
        FillKind::Checks => {
            let half = pitch / 2.0;
            tiles(&|x, y| block(x, y, half, half) + &block(x + half, y + half, half, half))
        }
    };
    html! { path id=(id) d=(path) transform=[(turn != 0.0).then(|| format!("rotate({turn})"))] {} }
}

/// The ink, and over it white that becomes less from left to right.
fn wash((across, down): (f64, f64), id: &str) -> Markup {
    let all = |fill: Option<&str>| {
        html! { rect x=(-across) y=(-down) width=(2.0 * across) height=(2.0 * down) fill=[fill] {} }
    };
    html! {
        linearGradient id={ (id) "-wash" } {
            stop stop-color="#fff" {}
            stop offset="1" stop-color="#fff" stop-opacity="0" {}
        }
        g id=(id) { (all(None)) (all(Some(&format!("url(#{id}-wash)")))) }
    }
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
                for (i, rest) in text.match_indices('#').map(|(i, _)| (i, &text[i + 1..])) {
                    let id = rest.split([')', '"']).next().unwrap();
                    let is_ink = text[..i].ends_with(['"']) && !text[..i].ends_with("href=\"");
                    assert!(
                        is_ink || fills.matches(&format!("id=\"{id}\"")).count() == 1,
                        "{id}: {fills}"
                    );
                }
            }
        }
    }

    /// Browsers print a pattern of SVG as a picture: the stripes become a tint.
    #[test]
    fn fills_are_lines_within_the_outline_and_no_patterns() {
        let deck = Deck::classic();
        let page = fills(&deck, "d").into_string()
            + &svg(&deck, "d", deck.cards().next().unwrap(), false).into_string();
        assert!(!page.contains("<pattern"), "{page}");
    }

    #[test]
    fn a_card_is_drawn_once() {
        let (mut cards, deck) = (DrawnOnce::default(), Deck::classic());
        let mut draw = |deck, code: &str| cards.svg(deck, code.parse().unwrap()).into_string();
        let first = draw(&deck, "2sgo");
        // The outlines of three shapes cut the marks; two symbols are drawn.
        assert_eq!((first.matches("<polygon").count(), first.matches("<clipPath").count()), (5, 3));
        assert_eq!(first.matches("clip-path=\"url(#d0-in-o)\"><use href=\"#d0-s\"").count(), 2);
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
