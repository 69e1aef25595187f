//! A page to print: a dealt board on the front, its sets on the back.

use crate::cards::outline::{CARD_LONG_MM, CARD_SHORT_MM};
use crate::cards::{Card, Color, Deck, Shading};
use crate::game::Deal;
use crate::html::escape;
use crate::sets::find_all;
use std::fmt::Write;

/// Cards that are dealt first.
const BOARD_CARDS: usize = 12;

/// The page in HTML, two sides for each deal; `title` stands at its head.
pub fn page(deals: &[Deal], title: &str) -> String {
    let deck = Deck::classic();
    let mut html = format!(
        "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n<title>{title}</title>\n<style>{STYLE}</style>\n",
        title = escape(title)
    );
    // Written once; every card refers to it.
    html += "<svg width=0 height=0 style=position:absolute><defs>";
    let pitch = deck.fill(Shading::Striped).pitch_mm;
    for color in Color::ALL {
        let (name, ink) = (stripes(color), hex(&deck, color));
        let _ = write!(
            html,
            "<pattern id={name} width=8 height={pitch} patternUnits=userSpaceOnUse><rect width=8 height={} \
             fill=\"{ink}\"/></pattern>",
            pitch / 2.0
        );
    }
    html += "</defs></svg>\n";
    for (number, deal) in deals.iter().enumerate() {
        let board = &deal.cards()[..BOARD_CARDS];
        let name = match deals.len() {
            1 => escape(title),
            n => format!("{}, board {} of {n}", escape(title), number + 1),
        };
        let _ = write!(html, "<section><h1>{name}</h1><div class=board>");
        for (place, card) in board.iter().enumerate() {
            let _ = write!(
                html,
                "<figure>{}<figcaption>{}</figcaption></figure>",
                svg(&deck, *card),
                place + 1
            );
        }
        let sets = find_all(board);
        let count = match sets.len() {
            0 => "no set".to_owned(),
            1 => "1 set".to_owned(),
            n => format!("{n} sets"),
        };
        let _ = write!(html, "</div></section>\n<section><h1>{name}: {count}</h1><div class=sets>");
        for set in &sets {
            html += "<div>";
            for place in set.0 {
                let card = svg(&deck, board[place]);
                let _ =
                    write!(html, "<figure>{card}<figcaption>{}</figcaption></figure>", place + 1);
            }
            html += "</div>";
        }
        html += "</div></section>\n";
    }
    html + "</html>\n"
}

const STYLE: &str = "@page{size:A4 landscape;margin:12mm}body{font:14px sans-serif;margin:0}\
section{break-after:page}h1{font-size:16px;font-weight:normal;margin:0 0 4mm}\
.board{display:grid;grid-template-columns:repeat(4,1fr);gap:4mm}.board figure{width:60mm}\
.sets{columns:2}.sets div{display:flex;gap:3mm;margin-bottom:4mm;break-inside:avoid}.sets figure{width:36mm}\
figure{margin:0}figcaption{text-align:center;color:#555}svg{width:100%;height:auto;display:block}";

/// A card in its millimetres, lying.
fn svg(deck: &Deck, card: Card) -> String {
    let ink = hex(deck, card.color);
    let fill = match card.shading {
        Shading::Filled => ink.clone(),
        Shading::Open => "none".to_owned(),
        Shading::Striped => format!("url(#{})", stripes(card.color)),
    };
    let line_mm = deck.fill(card.shading).outline_mm.max(0.8);
    let mut out = format!(
        "<svg viewBox=\"0 0 {CARD_LONG_MM} {CARD_SHORT_MM}\" role=img aria-label=\"{name}\"><rect x=.5 y=.5 \
         width={} height={} rx=4 fill=#fff stroke=#999 />",
        CARD_LONG_MM - 1.0,
        CARD_SHORT_MM - 1.0,
        name = escape(&card.name())
    );
    for center in deck.symbol_centers(card.number) {
        let points: Vec<String> = deck
            .outline(card.shape)
            .iter()
            .map(|(x, y)| {
                let (x, y) = ((x + center + 0.5) * CARD_LONG_MM, (y + 0.5) * CARD_SHORT_MM);
                format!("{x:.1},{y:.1}")
            })
            .collect();
        let _ = write!(
            out,
            "<polygon points=\"{}\" fill=\"{fill}\" stroke=\"{ink}\" stroke-width={line_mm} />",
            points.join(" ")
        );
    }
    out + "</svg>"
}

/// What the page calls the stripes of a colour.
fn stripes(color: Color) -> String {
    format!("stripes{}", color.index())
}

fn hex(deck: &Deck, color: Color) -> String {
    let [r, g, b] = deck.srgb(color);
    format!("#{r:02x}{g:02x}{b:02x}")
}
