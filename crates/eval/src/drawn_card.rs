//! Cards as drawings in a page (SVG), of any deck; and pages to print: dealt boards and their sets, or cards in their
//! own size.

use crate::html;
use maud::{Markup, html};
use setsight_game::cards::deck::{Fill, FillKind};
use setsight_game::cards::outline::{CARD_LONG_MM, CARD_SHORT_MM};
use setsight_game::cards::{Card, Color, Deck, Shading, Shape};
use setsight_game::game::Deal;
use setsight_game::sets::{Verdict, explain, find_all};
use std::{collections::HashSet, f64::consts::PI, sync::Arc};

/// What the cards of a deck refer to, to be written once in a page: the marks of their fills, and the
/// outlines that cut these. `name` distinguishes them from another deck's.
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
        let index = self.decks.iter().position(|other| other == deck);
        let place = index.unwrap_or_else(|| {
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
            @if index.is_none() { (fills(deck, &name)) }
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
    // In SVG an element ends where it says so: hence the braces.
    html! {
        rect x="0.5" y="0.5" width=(CARD_LONG_MM - 1.0) height=(CARD_SHORT_MM - 1.0) rx="4"
            fill="#fff" stroke="#999" {}
        @for center in deck.symbol_centers(card.number) {
            g transform=(format!("translate({:.1} {:.1})", (center + 0.5) * CARD_LONG_MM, 0.5 * CARD_SHORT_MM)) {
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

/// A rectangle as a path of SVG.
fn block(x: f64, y: f64, width: f64, height: f64) -> String {
    format!("M{x:.2},{y:.2}h{width:.2}v{height:.2}h{:.2}z", -width)
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

/// Cards that are dealt first.
pub const BOARD_CARDS: usize = 12;

/// What the patterns of the page's deck are called.
const DECK: &str = "deck";

/// The words of sheets, in the user's language.
pub struct SheetWords<'a> {
    /// What is to be done with a board, after its name.
    pub task: String,
    /// Before the blanks for who, when and how many sets.
    pub blanks: [String; 3],
    /// Where the sets are, on the back of the last board.
    pub next: String,
    /// A colour, whose letter stands on cards.
    pub color: &'a dyn Fn(Color) -> String,
    /// So many sets.
    pub count: &'a dyn Fn(usize) -> String,
    /// Why three cards are a set, line by line.
    pub why: &'a dyn Fn(&Verdict) -> Vec<String>,
}

impl Default for SheetWords<'_> {
    fn default() -> Self {
        Self {
            task: "find all the sets.".into(),
            blanks: ["Name", "Date", "Sets"].map(str::to_owned),
            next: "The sets are on the next sheet.".into(),
            color: &|color| color.word().to_owned(),
            count: &|n| match n {
                0 => "no set".to_owned(),
                1 => "1 set".to_owned(),
                n => format!("{n} sets"),
            },
            why: &|verdict| verdict.lines().collect(),
        }
    }
}

/// A size of paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paper {
    A4,
    Letter,
}

impl Paper {
    pub const ALL: [Self; 2] = [Self::A4, Self::Letter];

    pub const fn name(self) -> &'static str {
        match self {
            Self::A4 => "A4",
            Self::Letter => "Letter",
        }
    }

    /// The short side and the long one.
    pub const fn size_mm(self) -> [f64; 2] {
        match self {
            Self::A4 => [210.0, 297.0],
            Self::Letter => [215.9, 279.4],
        }
    }
}

/// How boards are put on paper.
#[derive(Clone, Copy, Debug)]
pub struct Sheets {
    /// Boards on each: 1, 2 or 4.
    pub per_sheet: usize,
    /// Without one the browser's own is used.
    pub paper: Option<Paper>,
    /// Whether the sets of a single board are not on its back.
    pub answers_apart: bool,
}

impl Sheets {
    pub const fn is_single(&self) -> bool {
        self.per_sheet <= 1
    }

    /// Boards that share a sheet lie otherwise on its back than on its front: their sets come on pages of
    /// their own after the last sheet, in the same order.
    pub const fn are_answers_apart(&self) -> bool {
        self.answers_apart || !self.is_single()
    }
}

/// Sheets of boards in HTML, and their sets; each deal has a name.
pub fn boards(words: &SheetWords<'_>, deals: &[(String, Deal)], sheets: Sheets) -> String {
    let deck = Deck::classic();
    let (per_sheet, apart) = (sheets.per_sheet.max(1), sheets.are_answers_apart());
    type Side = fn(&SheetWords<'_>, &Deck, &str, &Deal) -> Markup;
    let sheet = |deals: &[(String, Deal)], side: Side| {
        let sides = deals.iter().map(|(name, deal)| side(words, &deck, name, deal));
        html! { section class={ "sheet of" (per_sheet) } { @for side in sides { (side) } } "\n" }
    };
    let at_once = if apart { deals.len().max(1) } else { 1 };
    let body = html! {
        @for deals in deals.chunks(at_once) {
            @let sheets = deals.chunks(per_sheet);
            @for deals in sheets.clone() { (sheet(deals, front)) }
            // Nobody's board has the answers on its back.
            @if apart && sheets.len() % 2 == 1 { section { (words.next) } }
            @for deals in sheets { (sheet(deals, back)) }
        }
    };
    let title = deals.first().map_or("", |(name, _)| name);
    let orientation = if per_sheet == 2 { "portrait" } else { "landscape" };
    let size = sheets.paper.map_or(String::new(), |paper| format!("{} ", paper.name()));
    page(&deck, title, &(size + orientation), &body)
}

/// A board with a line to note its sets on.
fn front(words: &SheetWords<'_>, deck: &Deck, name: &str, deal: &Deal) -> Markup {
    let board = &deal.cards()[..BOARD_CARDS];
    html! {
        article {
            h1 { (name) ": " (words.task) }
            p.who { @for blank in &words.blanks { (blank) i {} } span { @for color in Color::ALL {
                b { (color.letter().to_ascii_uppercase()) } " " ((words.color)(color)) " "
            } } }
            div.board { @for place in 0..BOARD_CARDS { (card(deck, board, place)) } }
        }
    }
}

/// The board's sets, each with why it is one.
fn back(words: &SheetWords<'_>, deck: &Deck, name: &str, deal: &Deal) -> Markup {
    let board = &deal.cards()[..BOARD_CARDS];
    let sets = find_all(board);
    html! {
        article {
            h1 { (name) ": " ((words.count)(sets.len())) }
            div.sets {
                @for set in &sets {
                    div {
                        @for place in set.0 { (card(deck, board, place)) }
                        ul { @for line in (words.why)(&explain(set.0.map(|place| board[place]))) { li { (line) } } }
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

/// The margin of sheets on each side.
pub const SHEET_MARGIN_MM: f64 = 12.0;

/// Unless the user has named a size of paper none is, because a browser shrinks a page to fit another one.
fn page(deck: &Deck, title: &str, size: &str, body: &Markup) -> String {
    let body = html! { (fills(deck, DECK)) (body) };
    let style = format!(
        "@page{{size:{size};margin:{SHEET_MARGIN_MM}mm}}{STYLE}\
         .cards{{display:flex;flex-wrap:wrap;gap:2mm}}.cards svg{{width:{CARD_LONG_MM}mm}}"
    );
    html::page(title, &style, &body).into_string()
}

/// A card of the board with the number of its place.
fn card(deck: &Deck, board: &[Card], place: usize) -> Markup {
    html! { figure { (svg(deck, DECK, board[place], true)) figcaption { (place + 1) } } }
}

/// Lengths are of paper, and fit both A4 and Letter: a board is as wide as its part of the sheet, within which
/// the border of its cards lies even if it is rounded. `--small` is the width of a card on the back.
const STYLE: &str = "body{font:3.4mm sans-serif;margin:0}\
section{break-after:page}h1{font-size:4.2mm;font-weight:normal;margin:0 0 2mm}\
.sheet{display:grid;gap:8mm;align-content:start;padding:0 .3mm;--small:22mm}\
.of2{--small:18mm;grid-auto-rows:minmax(123mm,auto)}.of4{grid-template-columns:repeat(2,minmax(0,1fr))}\
.of4{grid-auto-rows:minmax(88mm,auto);--small:13mm;font-size:2.2mm}\
.sheet h1{display:inline-block;margin-right:4mm}.who{display:flex;gap:2mm;margin:0 0 3mm;align-items:end}\
.who i{flex:1;max-width:50mm;border-bottom:.2mm solid #000}.who span{white-space:nowrap}\
.board{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:3mm}.of4 .board{gap:1mm 3mm}\
.sets{display:grid;gap:3mm}.of1 .sets,.of2 .sets{grid-template-columns:1fr 1fr}.of4 .sets{gap:1.5mm}\
.sets div{display:flex;gap:2mm;break-inside:avoid}.sets figure{width:var(--small)}\
.sets ul{margin:0;padding:0;list-style:none;line-height:1.3;font-size:.8em}.of4 .sets ul{font-size:1em;line-height:1.15}\
figure{margin:0}figcaption{text-align:center;color:#555}svg{width:100%;height:auto;display:block;overflow:visible}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_of_a_card_resolve() {
        let decks = [Deck::classic(), Deck::rectangles()].map(|deck| (*deck).clone());
        for deck in decks.into_iter().chain((0..30).map(Deck::invented)) {
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
