//! Pages to print: dealt boards on the front and their sets on the back, or cards in their own size.

use crate::drawn_card::{fills, svg};
use crate::html;
use maud::{Markup, html};
use setsight_game::cards::outline::CARD_LONG_MM;
use setsight_game::cards::{Card, Color, Deck};
use setsight_game::game::Deal;
use setsight_game::sets::{Set, explain, find_all};

/// Cards that are dealt first.
const BOARD_CARDS: usize = 12;

/// What the patterns of the page's deck are called.
const DECK: &str = "deck";

/// Two sides for so many deals at a time, in HTML; each deal has a name.
pub fn boards(deals: &[(String, Deal)], per_sheet: usize) -> String {
    let deck = Deck::classic();
    let sheets = deals.chunks(per_sheet.max(1));
    let side = format!("sheet of{per_sheet}");
    let body = html! {
        @for sheet in sheets {
            section class=(side) { @for (name, deal) in sheet { (front(&deck, name, deal)) } }
            "\n"
            section class=(side) { @for (name, deal) in sheet { (back(&deck, name, deal)) } }
            "\n"
        }
    };
    let title = deals.first().map_or("", |(name, _)| name);
    page(&deck, title, &body)
}

/// A board with a line for whoever looks for its sets.
fn front(deck: &Deck, name: &str, deal: &Deal) -> Markup {
    let board = &deal.cards()[..BOARD_CARDS];
    let letter = |color: Color| {
        html! { b { (color.letter().to_ascii_uppercase()) } " " (color.word()) " " }
    };
    html! {
        article {
            h1 { (name) }
            p.who { "Name" i {} "Date" i {} span { @for color in Color::ALL { (letter(color)) } } }
            div.board { @for place in 0..BOARD_CARDS { (card(deck, board, place)) } }
        }
    }
}

/// The board's sets, each with why it is one.
fn back(deck: &Deck, name: &str, deal: &Deal) -> Markup {
    let board = &deal.cards()[..BOARD_CARDS];
    let sets = find_all(board);
    let count = match sets.len() {
        0 => "no set".to_owned(),
        1 => "1 set".to_owned(),
        n => format!("{n} sets"),
    };
    let why = |set: &Set| explain(set.0.map(|place| board[place]));
    html! {
        article {
            h1 { (name) ": " (count) }
            div.sets {
                @for set in &sets {
                    div {
                        @for place in set.0 { (card(deck, board, place)) }
                        ul { @for line in why(set).lines() { li { (line) } } }
                    }
                }
            }
        }
    }
}

/// Cards of a deck in HTML, as large as they are printed, to be cut out.
pub fn cards(deck: &Deck, cards: &[Card], title: &str) -> String {
    let body = html! {
        section {
            h1 { (title) }
            div.cards { @for &card in cards { (svg(deck, DECK, card, false)) } }
        }
    };
    page(deck, title, &body)
}

fn page(deck: &Deck, title: &str, body: &Markup) -> String {
    let body = html! { (fills(deck, DECK)) (body) };
    let style = format!(
        "{STYLE}.cards{{display:flex;flex-wrap:wrap;gap:2mm}}.cards svg{{width:{CARD_LONG_MM}mm}}"
    );
    html::page(title, &style, &body).into_string()
}

/// A card of the board with the number of its place.
fn card(deck: &Deck, board: &[Card], place: usize) -> Markup {
    html! { figure { (svg(deck, DECK, board[place], true)) figcaption { (place + 1) } } }
}

/// Lengths are of paper. `--card` and `--small` are the widths of a card on the front and on the back.
const STYLE: &str = "@page{size:A4 landscape;margin:12mm}body{font:3.4mm sans-serif;margin:0}\
section{break-after:page}h1{font-size:4.2mm;font-weight:normal;margin:0 0 2mm}\
.sheet{display:grid;gap:8mm;align-content:start;--card:60mm;--small:22mm}\
.of2,.of4{grid-template-columns:1fr 1fr}.of2{--card:30mm;--small:18mm}\
.of4{grid-auto-rows:minmax(88mm,auto);--card:28mm;--small:13mm;font-size:2.2mm}\
.sheet h1{display:inline-block;margin-right:4mm}.who{display:flex;gap:2mm;margin:0 0 3mm;align-items:end}\
.who i{flex:1;max-width:50mm;border-bottom:.2mm solid #000}.who span{white-space:nowrap}\
.board{display:grid;grid-template-columns:repeat(4,var(--card));gap:3mm}.of4 .board{gap:1mm 3mm}\
.sets{display:grid;gap:3mm}.of1 .sets{grid-template-columns:1fr 1fr}.of4 .sets{gap:1.5mm}\
.sets div{display:flex;gap:2mm;break-inside:avoid}.sets figure{width:var(--small)}\
.sets ul{margin:0;padding:0;list-style:none;line-height:1.3;font-size:.8em}.of4 .sets ul{font-size:1em;line-height:1.15}\
figure{margin:0}figcaption{text-align:center;color:#555}svg{width:100%;height:auto;display:block}";
