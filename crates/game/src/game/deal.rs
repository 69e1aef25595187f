//! A deal: the order of the cards of a game, a fast uniform shuffle of the deck, and the contest's file format for
//! deals.

use crate::cards::{Card, CodeError, DECK_SIZE};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use setsight_files::small_file::{NotText, decode_text};

/// Minimum number of cards in a deal: the ones laid out at the start.
pub const MIN_CARDS: usize = 12;
/// Maximum number of cards in a deal.
pub const MAX_CARDS: usize = 81;
/// Maximum number of deals in a file.
pub const MAX_DEALS: usize = 100;
/// Maximum length of the excerpt of a bad line in an error, in characters.
const EXCERPT_CHARS: usize = 40;

/// The cards of one game in the order in which they are dealt; cards may repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deal(Vec<Card>);

impl Deal {
    /// A deal of these cards; `None` unless there are [`MIN_CARDS`] to [`MAX_CARDS`].
    pub fn new(cards: Vec<Card>) -> Option<Self> {
        (MIN_CARDS..=MAX_CARDS).contains(&cards.len()).then_some(Self(cards))
    }

    /// The whole deck, shuffled: the same seed gives the same order on every machine.
    pub fn random(seed: u64) -> Self {
        let mut deck: [u8; DECK_SIZE] = std::array::from_fn(|i| i as u8);
        shuffle(&mut deck, &mut Pcg64Mcg::seed_from_u64(seed));
        Self(deck.map(|index| Card::from_index(index.into())).to_vec())
    }

    /// The cards in order.
    pub fn cards(&self) -> &[Card] {
        &self.0
    }
}

/// Why a file of deals cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct DealError {
    /// Line number, counted from 1.
    pub line: usize,
    /// The problem there.
    pub problem: Problem,
}

/// The problem with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Problem {
    /// Bytes that are neither UTF-8 nor UTF-16 with its mark.
    #[error("this is no text; expected one card, such as 2spd, or a count on each line")]
    NoText,
    /// The file has ended.
    #[error("the file ends here; expected {expected}")]
    End { expected: String },
    /// Not a whole number in the allowed range.
    #[error(
        "\"{text}\" is not a valid number of {what}; expected a whole number from {min} to {max}"
    )]
    Count { text: String, what: &'static str, min: usize, max: usize },
    /// Not a valid card.
    #[error("{error} (card {card} of {of} in data set {data_set})")]
    Card { error: CodeError, card: usize, of: usize, data_set: usize },
    /// Additional text on a line.
    #[error("\"{text}\" after \"{word}\"; expected one {what} to a line")]
    TrailingText { text: String, word: String, what: &'static str },
    /// More lines than the counts announce.
    #[error("\"{text}\" after the last card of the last data set; expected the end of the file")]
    TrailingLine { text: String },
}

/// Parses a file of deals: the number of data sets (1 to 100), then for each the number of its
/// cards (12 to 81) and the cards, one entry per line. Blank lines, white space around an entry and
/// letter case are ignored.
///
/// # Errors
/// The first invalid line. No deal is returned unless all are valid.
pub fn parse_deals(file: &[u8]) -> Result<Vec<Deal>, DealError> {
    let text = decode_text(file.to_vec())
        .map_err(|NotText { line }| DealError { line, problem: Problem::NoText })?;
    let mut entries = Entries {
        lines: text
            .lines()
            .enumerate()
            .map(|(i, line)| (i + 1, line.trim()))
            .filter(|(_, line)| !line.is_empty()),
        end: text.lines().count().max(1),
    };

    let data_sets =
        entries.count("data sets", 1, MAX_DEALS, |what| format!("the number of {what}"))?;
    let mut deals = Vec::new();
    for data_set in 1..=data_sets {
        let of = entries.count("cards", MIN_CARDS, MAX_CARDS, |what| {
            format!("the number of {what} of data set {data_set} of {data_sets}")
        })?;
        let mut cards = Vec::with_capacity(of);
        for card in 1..=of {
            let (line, word) =
                entries.next("card", || format!("card {card} of {of} in data set {data_set}"))?;
            let read = if word.chars().count() > EXCERPT_CHARS {
                Err(CodeError::Length { text: excerpt(word), found: word.chars().count() })
            } else {
                word.parse()
            };
            let problem = |error| Problem::Card { error, card, of, data_set };
            cards.push(read.map_err(|error| DealError { line, problem: problem(error) })?);
        }
        deals.push(Deal(cards));
    }
    match entries.lines.next() {
        None => Ok(deals),
        Some((line, text)) => {
            Err(DealError { line, problem: Problem::TrailingLine { text: excerpt(text) } })
        }
    }
}

/// Writes deals in the format that [`parse_deals`] reads.
pub fn write_deals(deals: &[Deal]) -> String {
    let mut text = format!("{}\n", deals.len());
    for deal in deals {
        text.push_str(&format!("{}\n", deal.0.len()));
        text.extend(deal.0.iter().map(|card| format!("{card}\n")));
    }
    text
}

/// The lines that are not blank, with their line numbers.
struct Entries<L> {
    lines: L,
    /// Number of the file's last line.
    end: usize,
}

impl<'a, L: Iterator<Item = (usize, &'a str)>> Entries<L> {
    /// The only word of the next line.
    fn next(
        &mut self,
        what: &'static str,
        expected: impl Fn() -> String,
    ) -> Result<(usize, &'a str), DealError> {
        let Some((line, text)) = self.lines.next() else {
            return Err(DealError {
                line: self.end,
                problem: Problem::End { expected: expected() },
            });
        };
        match text.split_once(char::is_whitespace) {
            None => Ok((line, text)),
            Some((word, rest)) => {
                let (text, word) = (excerpt(rest.trim_start()), excerpt(word));
                Err(DealError { line, problem: Problem::TrailingText { text, word, what } })
            }
        }
    }

    fn count(
        &mut self,
        what: &'static str,
        min: usize,
        max: usize,
        expected: impl Fn(&str) -> String,
    ) -> Result<usize, DealError> {
        let (line, word) = self.next("number", || expected(what))?;
        let digits = word.bytes().all(|b| b.is_ascii_digit());
        match word.parse() {
            Ok(count) if digits && (min..=max).contains(&count) => Ok(count),
            _ => Err(DealError {
                line,
                problem: Problem::Count { text: excerpt(word), what, min, max },
            }),
        }
    }
}

fn excerpt(text: &str) -> String {
    match text.char_indices().nth(EXCERPT_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// Number of places drawn from one 64-bit number: 81^8 is far below 2^64, so that a number is
/// almost never rejected, and ten batches shuffle the deck.
const BATCH: usize = 8;

/// Draws a number below each bound from one random number. The remainder tells whether they are to be
/// drawn again.
#[inline(always)]
fn draw_offsets(rng: &mut impl Rng, bounds: &[u64; BATCH], offsets: &mut [usize; BATCH]) -> u64 {
    let mut rest = rng.next_u64();
    for (offset, bound) in offsets.iter_mut().zip(bounds) {
        let scaled = u128::from(rest) * u128::from(*bound);
        *offset = (scaled >> 64) as usize;
        rest = scaled as u64;
    }
    rest
}

/// Shuffles a deck uniformly, whatever its order was.
///
/// Fisher and Yates' shuffle, with the bounded numbers drawn in batches from one random number
/// (Brackett-Rozinsky and Lemire, "Batched Ranged Random Integer Generation", 2024).
pub fn shuffle(deck: &mut [u8; DECK_SIZE], rng: &mut impl Rng) {
    for start in (0..DECK_SIZE - 1).step_by(BATCH) {
        // Place start + i takes a card from the DECK_SIZE - start - i places from there on.
        let bounds: [u64; BATCH] = std::array::from_fn(|i| (DECK_SIZE - start - i) as u64);
        let product: u64 = bounds.iter().product();
        let mut offsets = [0; BATCH];
        // The lowest remainders have one outcome more than the others.
        let mut rest = draw_offsets(rng, &bounds, &mut offsets);
        if rest < product {
            let surplus = product.wrapping_neg() % product;
            while rest < surplus {
                rest = draw_offsets(rng, &bounds, &mut offsets);
            }
        }
        for (i, offset) in offsets.into_iter().enumerate() {
            deck.swap(start + i, start + i + offset);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand::SeedableRng;

    fn file(lines: &[&str]) -> String {
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn twelve() -> Vec<&'static str> {
        let mut lines = vec!["1", "12"];
        lines.extend(["2spd"; 12]);
        lines
    }

    #[track_caller]
    fn complains(text: &str, message: &str) {
        assert_eq!(parse_deals(text.as_bytes()).unwrap_err().to_string(), message);
    }

    #[test]
    fn each_fault_is_named_with_its_line() {
        complains("", "line 1: the file ends here; expected the number of data sets");
        let mut lines = twelve();
        lines[0] = "101";
        let message =
            "\"101\" is not a valid number of data sets; expected a whole number from 1 to 100";
        complains(&file(&lines), &format!("line 1: {message}"));
        for bad in ["11", "82", "-12", "+12", "twelve", "99999999999999999999999"] {
            let mut lines = twelve();
            lines[1] = bad;
            let message = "is not a valid number of cards; expected a whole number from 12 to 81";
            complains(&file(&lines), &format!("line 2: \"{bad}\" {message}"));
        }
        let mut lines = twelve();
        lines[6] = "2sxd";
        let expected = "expected g (green), p (purple) or r (red) (card 5 of 12 in data set 1)";
        complains(
            &file(&lines),
            &format!("line 7: \"2sxd\": 'x' at place 3 is not a valid colour; {expected}"),
        );
        lines[6] = "2spd 3frs";
        complains(&file(&lines), "line 7: \"3frs\" after \"2spd\"; expected one card to a line");
        lines.truncate(6);
        complains(&file(&lines), "line 6: the file ends here; expected card 5 of 12 in data set 1");
        let mut lines = twelve();
        lines.push("3frs");
        let expected = "expected the end of the file";
        complains(
            &file(&lines),
            &format!("line 15: \"3frs\" after the last card of the last data set; {expected}"),
        );
        let mut lines = twelve();
        lines[0] = "2";
        complains(
            &file(&lines),
            "line 14: the file ends here; expected the number of cards of data set 2 of 2",
        );
        let error = parse_deals(b"1\n12\n2spd\n\xff\n").unwrap_err();
        assert_eq!((error.line, error.problem), (4, Problem::NoText));
        let long = "x".repeat(100_000);
        let error = parse_deals(format!("1\n12\n{long}").as_bytes()).unwrap_err().to_string();
        assert!(error.contains("100000 characters") && error.len() < 300, "{error}");
    }

    #[test]
    fn blank_lines_case_and_line_ends_do_not_matter() {
        let plain = parse_deals(file(&twelve()).as_bytes()).unwrap();
        let loose = twelve().join("  \r\n\r\n ").to_uppercase();
        assert_eq!(parse_deals(format!("\u{feff}\n{loose}").as_bytes()), Ok(plain));
    }

    fn deals() -> impl Strategy<Value = Vec<Deal>> {
        let card = (0..DECK_SIZE).prop_map(Card::from_index);
        let deal = prop::collection::vec(card, MIN_CARDS..=MAX_CARDS).prop_map(Deal);
        prop::collection::vec(deal, 1..6)
    }

    proptest! {
        #[test]
        fn a_written_file_reads_back(deals in deals()) {
            prop_assert_eq!(parse_deals(write_deals(&deals).as_bytes()), Ok(deals));
        }

        #[test]
        fn any_bytes_are_answered(bytes: Vec<u8>) {
            let _ = parse_deals(&bytes);
        }

        #[test]
        fn a_damaged_file_is_refused_or_still_complete(
            deals in deals(), at: prop::sample::Index, cut: bool, byte: u8,
        ) {
            let mut file = write_deals(&deals).into_bytes();
            let at = at.index(file.len());
            if cut { file.truncate(at) } else { file[at] = byte }
            match parse_deals(&file) {
                Ok(read) => prop_assert!(
                    read.iter().all(|d| (MIN_CARDS..=MAX_CARDS).contains(&d.cards().len()))
                ),
                Err(error) => {
                    let lines = file.split(|&b| b == b'\n').count();
                    prop_assert!((1..=lines).contains(&error.line), "{}", error);
                }
            }
        }

        #[test]
        fn a_random_deal_is_the_deck(seed: u64) {
            let mut cards = Deal::random(seed).0;
            cards.sort();
            prop_assert_eq!(cards, Card::deck().collect::<Vec<_>>());
        }
    }

    #[test]
    fn every_card_is_as_likely_on_every_place() {
        let mut rng = rand_pcg::Pcg64Mcg::seed_from_u64(3);
        let mut counts = vec![[0u32; DECK_SIZE]; DECK_SIZE];
        const SHUFFLES: u32 = 81_000;
        for _ in 0..SHUFFLES {
            let mut deck = std::array::from_fn(|i| i as u8);
            shuffle(&mut deck, &mut rng);
            for (place, card) in deck.into_iter().enumerate() {
                counts[place][usize::from(card)] += 1;
            }
        }
        let expected = f64::from(SHUFFLES) / DECK_SIZE as f64;
        let chi_square: f64 =
            counts.iter().flatten().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
        // 80 * 80 degrees of freedom: mean 6,400, standard deviation 113.
        assert!((chi_square - 6400.0).abs() < 4.0 * 113.2, "{chi_square}");
    }
}
