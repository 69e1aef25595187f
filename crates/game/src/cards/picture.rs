//! Cards and boards drawn in text for a terminal.
//!
//! Each symbol of a card takes one line. The sides show its shape: `O` (oval), `~` (squiggle) or
//! `<>` (diamond). The inside shows its shading: `*` filled, `=` striped, `_` open. Another deck's
//! file defines its own characters, such as `[:]` for a dotted rectangle. The colour is shown by
//! terminal colours if available, otherwise by a letter before the symbol: `R`, `G`, `P`.

use super::card::{Card, Color, Number};
use super::deck::Deck;

/// Width of a card's picture in characters, including the frame.
pub const CARD_WIDTH: usize = 8;
/// Gap between two cards in a row.
const GAP: &str = "  ";
/// Height of a card's picture in lines: the label, three lines for symbols, two for the frame.
const CARD_HEIGHT: usize = 6;

/// What the terminal supports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ink {
    /// ANSI escape sequences for colours and bold.
    pub colored: bool,
    /// Lines of Unicode's box drawing around cards, in place of ASCII's `+`, `-` and `|`.
    pub boxed: bool,
}

impl Ink {
    /// ASCII only.
    pub const PLAIN: Self = Self { colored: false, boxed: false };

    /// The text in bold, if supported.
    pub fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// The text in a card's colour, if supported.
    pub fn colored(self, color: Color, text: &str) -> String {
        // Of the 256 colours those halfway: the bright ones of the 16 are hardly readable on white, the others on
        // black, and each terminal has its own.
        let code = match color {
            Color::Green => "38;5;28",
            Color::Purple => "38;5;129",
            Color::Red => "38;5;196",
        };
        self.wrap(code, text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.colored { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// One place of a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Label above the card, centred, such as its index. Truncated to [`CARD_WIDTH`] characters.
    pub label: String,
    /// The card; `None` for an empty place.
    pub card: Option<Card>,
    /// Whether its frame is emphasised.
    pub marked: bool,
}

impl Slot {
    /// A card with its index above it, counted from 1.
    pub fn numbered(index: usize, card: Card) -> Self {
        Self { label: (index + 1).to_string(), card: Some(card), marked: false }
    }
}

/// A board in rows of `columns` cards, each card with its index (from 1) above it.
pub fn board(cards: &[Card], columns: usize, ink: Ink) -> String {
    let slots: Vec<Slot> = cards.iter().enumerate().map(|(i, &c)| Slot::numbered(i, c)).collect();
    let rows: Vec<Vec<Slot>> = slots.chunks(columns.max(1)).map(<[Slot]>::to_vec).collect();
    grid(&rows, ink)
}

/// The number of columns that makes three rows, as in the game, but at least four and at most as
/// many as fit into `width` characters.
pub fn columns_for(cards: usize, width: usize) -> usize {
    let fit = ((width + GAP.len()) / (CARD_WIDTH + GAP.len())).max(1);
    cards.div_ceil(3).max(4).min(fit)
}

/// Places in rows of any lengths, with cards of the classic deck.
pub fn grid(rows: &[Vec<Slot>], ink: Ink) -> String {
    grid_of(&Deck::classic(), rows, ink)
}

/// Like [`grid`], for any deck.
pub fn grid_of(deck: &Deck, rows: &[Vec<Slot>], ink: Ink) -> String {
    let mut text = String::new();
    for row in rows {
        let drawn: Vec<_> = row.iter().map(|slot| lines(deck, slot, ink)).collect();
        for i in 0..CARD_HEIGHT {
            let line: Vec<&str> = drawn.iter().map(|lines| lines[i].as_str()).collect();
            text.push_str(line.join(GAP).trim_end());
            text.push('\n');
        }
    }
    text
}

fn lines(deck: &Deck, slot: &Slot, ink: Ink) -> [String; CARD_HEIGHT] {
    let label: String = slot.label.chars().take(CARD_WIDTH).collect();
    let label = format!("{label:^CARD_WIDTH$}");
    let Some(card) = slot.card else {
        let blank = " ".repeat(CARD_WIDTH);
        let dots = format!("{:^CARD_WIDTH$}", ". .");
        return [label, blank.clone(), blank.clone(), dots, blank.clone(), blank];
    };
    let (top, side, bottom) = match (ink.boxed, slot.marked) {
        (false, false) => ("+------+", "|", "+------+"),
        (false, true) => ("########", "#", "########"),
        (true, false) => ("┌──────┐", "│", "└──────┘"),
        (true, true) => ("╔══════╗", "║", "╚══════╝"),
    };
    let strong = |text: &str| if slot.marked { ink.bold(text) } else { text.to_owned() };
    let line = |filled: bool| {
        let inside = if filled { symbol(deck, card, ink) } else { " ".repeat(CARD_WIDTH - 2) };
        format!("{0}{inside}{0}", strong(side))
    };
    let (outer, middle) = match card.number {
        Number::One => (false, true),
        Number::Two => (true, false),
        Number::Three => (true, true),
    };
    [strong(&label), strong(top), line(outer), line(middle), line(outer), strong(bottom)]
}

/// One symbol across the inside of a card: [`CARD_WIDTH`] - 2 characters.
fn symbol(deck: &Deck, card: Card, ink: Ink) -> String {
    let fill = deck.fills[card.shading.index()].text;
    let [left, right] = deck.shapes[card.shape.index()].text;
    let symbol = format!("{left}{fill}{right}");
    if ink.colored {
        format!("  {} ", ink.colored(card.color, &symbol))
    } else {
        format!(" {}{symbol} ", card.color.letter().to_ascii_uppercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSI: Ink = Ink { colored: true, boxed: false };
    const BOXED: Ink = Ink { colored: false, boxed: true };

    fn card(card: Card, ink: Ink) -> String {
        card_of(&Deck::classic(), card, ink)
    }

    /// A card without an index: five lines, each ending in a line feed.
    fn card_of(deck: &Deck, card: Card, ink: Ink) -> String {
        let slot = Slot { card: Some(card), ..Slot::default() };
        lines(deck, &slot, ink)[1..].iter().map(|line| format!("{line}\n")).collect()
    }
    use crate::cards::parse_codes;

    #[test]
    fn a_plain_board_names_every_property() {
        let cards = parse_codes("2spd 3fro 1ogs").unwrap();
        let expected = "   1         2         3\n\
                        +------+  +------+  +------+\n\
                        | P<=> |  | RO*O |  |      |\n\
                        |      |  | RO*O |  | G~_~ |\n\
                        | P<=> |  | RO*O |  |      |\n\
                        +------+  +------+  +------+\n";
        assert_eq!(board(&cards, 4, Ink::PLAIN), expected);
    }

    #[test]
    fn lines_stand_where_the_plain_characters_do() {
        let mut slots: Vec<Slot> =
            Card::deck().enumerate().map(|(i, c)| Slot::numbered(i, c)).collect();
        slots[1].marked = true;
        let rows = [slots];
        let boxed = grid(&rows, BOXED);
        let first: Vec<String> =
            boxed.lines().map(|line| line.chars().take(18).collect()).collect();
        assert_eq!((&*first[1], &*first[5]), ("┌──────┐  ╔══════╗", "└──────┘  ╚══════╝"));
        let plain = boxed.chars().map(|c| match c {
            '┌' | '┐' | '└' | '┘' => '+',
            '─' => '-',
            '│' => '|',
            '╔' | '╗' | '╚' | '╝' | '═' | '║' => '#',
            c => c,
        });
        assert_eq!(plain.collect::<String>(), grid(&rows, Ink::PLAIN));
    }

    #[test]
    fn another_deck_has_other_symbols() {
        let text = card_of(&Deck::rectangles(), "1spd".parse().unwrap(), Ink::PLAIN);
        assert!(text.contains("| P[:] |"), "{text}");
    }

    #[test]
    fn all_plain_pictures_differ_and_keep_their_size() {
        let pictures: std::collections::BTreeSet<String> =
            Card::deck().map(|c| card(c, Ink::PLAIN)).collect();
        assert_eq!(pictures.len(), 81);
        for picture in pictures {
            assert_eq!(picture.lines().count(), CARD_HEIGHT - 1);
            assert!(picture.lines().all(|line| line.chars().count() == CARD_WIDTH), "{picture}");
        }
    }

    #[test]
    fn a_colour_is_an_escape_or_a_letter_never_both() {
        for c in Card::deck() {
            let picture = card(c, ANSI);
            assert!(
                picture.contains("\x1b[38;5;") && !picture.contains(['R', 'G', 'P']),
                "{picture}"
            );
            assert!(!card(c, Ink::PLAIN).contains('\x1b'));
        }
    }

    /// The contrast of WCAG 2 with white and with black; these colours are a cube of six steps a side.
    #[test]
    fn a_colour_is_readable_on_white_and_on_black() {
        for color in [Color::Green, Color::Purple, Color::Red] {
            let text = ANSI.colored(color, "x");
            let code = text.trim_start_matches("\x1b[38;5;").split('m').next().unwrap();
            let place = code.parse::<usize>().unwrap() - 16;
            let [r, g, b] = [place / 36, place / 6 % 6, place % 6].map(|step| {
                let value = [0.0, 95.0, 135.0, 175.0, 215.0, 255.0][step] / 255.0;
                if value == 0.0 { 0.0 } else { f64::powf((value + 0.055) / 1.055, 2.4) }
            });
            let luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
            let (on_white, on_black) = (1.05 / (luminance + 0.05), (luminance + 0.05) / 0.05);
            assert!(on_white > 3.9 && on_black > 3.9, "{color:?}: {on_white} {on_black}");
        }
    }

    #[test]
    fn rows_wrap_and_may_hold_gaps_and_marks() {
        let cards: Vec<Card> = Card::deck().take(5).collect();
        assert_eq!(board(&cards, 4, Ink::PLAIN).lines().count(), 2 * CARD_HEIGHT);
        assert_eq!(board(&cards, 0, Ink::PLAIN).lines().count(), 5 * CARD_HEIGHT);
        assert_eq!(board(&[], 4, Ink::PLAIN), "");
        let mut marked = Slot::numbered(11, cards[0]);
        marked.marked = true;
        let gap = Slot { label: "_11_".into(), ..Slot::default() };
        let text = grid(&[vec![gap, marked]], Ink::PLAIN);
        assert!(text.contains("  _11_       12") && text.contains("########"), "{text}");
    }

    #[test]
    fn three_rows_when_they_fit() {
        assert_eq!(columns_for(12, 80), 4);
        assert_eq!(columns_for(3, 80), 4);
        assert_eq!(columns_for(21, 80), 7);
        assert_eq!(columns_for(81, 80), 8);
        assert_eq!(columns_for(12, 30), 3);
        assert_eq!(columns_for(12, 0), 1);
    }
}
