//! Pages to print: a dealt board on the front and its sets on the back, or cards in their own size.

use maud::{Markup, html};
use setsight_eval::html;
use setsight_game::cards::outline::{CARD_LONG_MM, CARD_SHORT_MM};
use setsight_game::cards::{Card, Color, Deck, Shading};
use setsight_game::game::Deal;
use setsight_game::sets::find_all;

/// Cards that are dealt first.
const BOARD_CARDS: usize = 12;

/// Two sides for each deal, in HTML; `title` stands at its head.
pub fn boards(deals: &[Deal], title: &str) -> String {
    let deck = Deck::classic();
    let body = html! {
        @for (number, deal) in deals.iter().enumerate() {
            @let board = &deal.cards()[..BOARD_CARDS];
            @let sets = find_all(board);
            @let name = match deals.len() {
                1 => title.to_owned(),
                n => format!("{title}, board {} of {n}", number + 1),
            };
            @let count = match sets.len() {
                0 => "no set".to_owned(),
                1 => "1 set".to_owned(),
                n => format!("{n} sets"),
            };
            section {
                h1 { (name) }
                div.board { @for place in 0..BOARD_CARDS { (card(&deck, board, place)) } }
            }
            "\n"
            section {
                h1 { (name) ": " (count) }
                div.sets {
                    @for set in &sets { div { @for place in set.0 { (card(&deck, board, place)) } } }
                }
            }
            "\n"
        }
    };
    page(&deck, title, &body)
}

/// Cards of a printed edition in HTML, as large as they are printed, to be cut out.
pub fn cards(deck: &Deck, cards: &[Card], title: &str) -> String {
    let body = html! {
        section {
            h1 { (title) }
            div.cards { @for &card in cards { (svg(deck, card)) } }
        }
    };
    page(deck, title, &body)
}

fn page(deck: &Deck, title: &str, body: &Markup) -> String {
    let pitch = deck.fill(Shading::Striped).pitch_mm;
    let body = html! {
        // Written once; every card refers to it.
        svg width="0" height="0" style="position:absolute" {
            defs {
                @for color in Color::ALL {
                    pattern id=(stripes(color)) width="8" height=(pitch) patternUnits="userSpaceOnUse" {
                        rect width="8" height=(pitch / 2.0) fill=(hex(deck, color)) {}
                    }
                }
            }
        }
        (body)
    };
    let style = format!(
        "{STYLE}.cards{{display:flex;flex-wrap:wrap;gap:2mm}}.cards svg{{width:{CARD_LONG_MM}mm}}"
    );
    html::page(title, &style, &body).into_string()
}

/// A card of the board with the number of its place.
fn card(deck: &Deck, board: &[Card], place: usize) -> Markup {
    html! { figure { (svg(deck, board[place])) figcaption { (place + 1) } } }
}

const STYLE: &str = "@page{size:A4 landscape;margin:12mm}body{font:14px sans-serif;margin:0}\
section{break-after:page}h1{font-size:16px;font-weight:normal;margin:0 0 4mm}\
.board{display:grid;grid-template-columns:repeat(4,1fr);gap:4mm}.board figure{width:60mm}\
.sets{columns:2}.sets div{display:flex;gap:3mm;margin-bottom:4mm;break-inside:avoid}.sets figure{width:36mm}\
figure{margin:0}figcaption{text-align:center;color:#555}svg{width:100%;height:auto;display:block}";

/// A card in its millimetres, lying.
fn svg(deck: &Deck, card: Card) -> Markup {
    let ink = hex(deck, card.color);
    let fill = match card.shading {
        Shading::Filled => ink.clone(),
        Shading::Open => "none".to_owned(),
        Shading::Striped => format!("url(#{})", stripes(card.color)),
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
        svg viewBox={ "0 0 " (CARD_LONG_MM) " " (CARD_SHORT_MM) } role="img" aria-label=(card.name()) {
            rect x="0.5" y="0.5" width=(CARD_LONG_MM - 1.0) height=(CARD_SHORT_MM - 1.0) rx="4"
                fill="#fff" stroke="#999" {}
            @for center in deck.symbol_centers(card.number) {
                polygon points=(points(center)) fill=(fill) stroke=(ink) stroke-width=(line_mm) {}
            }
        }
    }
}

/// What the page calls the stripes of a colour.
fn stripes(color: Color) -> String {
    format!("stripes{}", color.index())
}

fn hex(deck: &Deck, color: Color) -> String {
    let [r, g, b] = deck.srgb(color);
    format!("#{r:02x}{g:02x}{b:02x}")
}
