//! Pages to print: dealt boards and their sets, or cards in their own size.

use crate::drawn_card::{fills, svg};
use crate::html;
use maud::{Markup, html};
use setsight_game::{
    cards::{Card, Color, Deck, outline::CARD_LONG_MM},
    game::Deal,
    sets::{Set, explain, find_all},
};

/// Cards that are dealt first.
const BOARD_CARDS: usize = 12;

/// What the patterns of the page's deck are called.
const DECK: &str = "deck";

/// Sheets of so many deals each, in HTML; each deal has a name. The sets of a single board are on its
/// back. Boards that share a sheet lie otherwise on its back than on its front: their sets come on
/// pages of their own after the last sheet, in the same order.
pub fn boards(deals: &[(String, Deal)], per_sheet: usize) -> String {
    let deck = Deck::classic();
    let per_sheet = per_sheet.max(1);
    let sheet = |deals: &[(String, Deal)], side: fn(&Deck, &str, &Deal) -> Markup| {
        html! {
            section class={ "sheet of" (per_sheet) } {
                @for (name, deal) in deals { (side(&deck, name, deal)) }
            }
            "\n"
        }
    };
    let at_once = if per_sheet == 1 { 1 } else { deals.len().max(1) };
    let body = html! {
        @for deals in deals.chunks(at_once) {
            @let sheets = deals.chunks(per_sheet);
            @for deals in sheets.clone() { (sheet(deals, front)) }
            // Nobody's board has the answers on its back.
            @if per_sheet > 1 && sheets.len() % 2 == 1 { section { "The sets are on the next sheet." } }
            @for deals in sheets { (sheet(deals, back)) }
        }
    };
    let title = deals.first().map_or("", |(name, _)| name);
    page(&deck, title, if per_sheet == 2 { "portrait" } else { "landscape" }, &body)
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
    page(deck, title, "portrait", &body)
}

/// No size of paper is named, because a browser shrinks a page to fit another one.
fn page(deck: &Deck, title: &str, orientation: &str, body: &Markup) -> String {
    let body = html! { (fills(deck, DECK)) (body) };
    let style = format!(
        "@page{{size:{orientation};margin:12mm}}{STYLE}\
         .cards{{display:flex;flex-wrap:wrap;gap:2mm}}.cards svg{{width:{CARD_LONG_MM}mm}}"
    );
    html::page(title, &style, &body).into_string()
}

/// A card of the board with the number of its place.
fn card(deck: &Deck, board: &[Card], place: usize) -> Markup {
    html! { figure { (svg(deck, DECK, board[place], true)) figcaption { (place + 1) } } }
}

/// Lengths are of paper, and fit both A4 and Letter. `--card` and `--small` are the widths of a card on
/// the front and on the back.
const STYLE: &str = "body{font:3.4mm sans-serif;margin:0}\
section{break-after:page}h1{font-size:4.2mm;font-weight:normal;margin:0 0 2mm}\
.sheet{display:grid;gap:8mm;align-content:start;--card:60mm;--small:22mm}\
.of2{--card:43mm;--small:18mm;grid-auto-rows:minmax(123mm,auto)}.of4{grid-template-columns:1fr 1fr}\
.of4{grid-auto-rows:minmax(88mm,auto);--card:28mm;--small:13mm;font-size:2.2mm}\
.sheet h1{display:inline-block;margin-right:4mm}.who{display:flex;gap:2mm;margin:0 0 3mm;align-items:end}\
.who i{flex:1;max-width:50mm;border-bottom:.2mm solid #000}.who span{white-space:nowrap}\
.board{display:grid;grid-template-columns:repeat(4,var(--card));gap:3mm}.of4 .board{gap:1mm 3mm}\
.sets{display:grid;gap:3mm}.of1 .sets,.of2 .sets{grid-template-columns:1fr 1fr}.of4 .sets{gap:1.5mm}\
.sets div{display:flex;gap:2mm;break-inside:avoid}.sets figure{width:var(--small)}\
.sets ul{margin:0;padding:0;list-style:none;line-height:1.3;font-size:.8em}.of4 .sets ul{font-size:1em;line-height:1.15}\
figure{margin:0}figcaption{text-align:center;color:#555}svg{width:100%;height:auto;display:block}";
