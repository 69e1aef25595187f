//! The contest's transcript of a game.

use super::deal::Deal;
use super::rules::{Game, Step};
use std::fmt::Write;

/// The transcript of all data sets, without blank lines between them.
pub fn transcript(deals: &[Deal]) -> String {
    let mut text = format!("Analyzing {} data set(s)\n", deals.len());
    for (i, deal) in deals.iter().enumerate() {
        let _ = writeln!(text, "Data Set {}", i + 1);
        let mut game = Game::new(deal);
        while let Some(step) = game.next() {
            text.push_str(&describe(&step, &game));
        }
    }
    text
}

/// Where a transcript first differs from the right one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Line of the other transcript, counted from 1; the one after its last where it ends too early.
    pub line: usize,
    /// Number of the data set, counted from 1; 0 before the first.
    pub data_set: usize,
    /// The right line; none where the transcript should have ended.
    pub expected: Option<String>,
    /// The line that is there; none where the transcript ends.
    pub found: Option<String>,
}

/// A line without what does not matter: white space around and between words, and letter case.
fn plain(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Compares another transcript of these deals with the right one. Blank lines, white space around and
/// between words and letter case do not matter, nor which of "No SETs found." and "No cards remain."
/// stands first at the end of a game: the contest's own samples have both orders.
pub fn first_difference(deals: &[Deal], other: &str) -> Option<Difference> {
    const EITHER_ORDER: [&str; 2] = ["no sets found.", "no cards remain."];
    let expected = transcript(deals);
    let expected: Vec<(&str, String)> = expected
        .lines()
        .map(|line| (line, plain(line)))
        .filter(|line| !line.1.is_empty())
        .collect();
    let found: Vec<(usize, &str, String)> = (1..)
        .zip(other.lines())
        .map(|(number, line)| (number, line.trim(), plain(line)))
        .filter(|line| !line.2.is_empty())
        .collect();
    let mut data_set = 0;
    let mut swapped = false;
    for i in 0..expected.len().max(found.len()) {
        let (expected_line, found_line) = (expected.get(i), found.get(i));
        let of_found = |i: usize| found.get(i).map(|line| line.2.as_str());
        let of_expected = |i: usize| expected.get(i).map(|line| line.1.as_str());
        if of_expected(i).is_some_and(|line| line.starts_with("data set ")) {
            data_set += 1;
        }
        let same = of_expected(i) == of_found(i);
        if std::mem::take(&mut swapped) || same {
            continue;
        }
        let pair = [of_expected(i), of_expected(i + 1)];
        if pair == EITHER_ORDER.map(Some) && [of_found(i + 1), of_found(i)] == pair {
            swapped = true;
            continue;
        }
        return Some(Difference {
            line: found_line.map_or(other.lines().count() + 1, |line| line.0),
            data_set,
            expected: expected_line.map(|line| line.0.to_owned()),
            found: found_line.map(|line| line.1.to_owned()),
        });
    }
    None
}

/// The transcript of one step, with the table after it where the contest shows it.
pub fn describe(step: &Step, after: &Game) -> String {
    match step {
        Step::Dealt => format!("Initial Deal:\n{}", table(after)),
        Step::Found(sets) => {
            let mut text = format!("SETs found: {}\n", sets.len());
            for set in sets {
                let mut cards: Vec<_> = set.0.iter().filter_map(|&i| after.places()[i]).collect();
                cards.sort_unstable();
                let codes: Vec<String> = cards.iter().map(ToString::to_string).collect();
                let _ = writeln!(text, "{}", codes.join(" "));
            }
            text
        }
        Step::NoSet => "No SETs found.\n".to_owned(),
        Step::Removed(_) => format!("First SET removed:\n{}", table(after)),
        Step::Compacted => format!("Layout compacted:\n{}", table(after)),
        Step::Added(places) => format!("{} cards added:\n{}", places.len(), table(after)),
        Step::NoCards => "No cards remain.\n".to_owned(),
        Step::Over => "The game is over.\n".to_owned(),
    }
}

/// The rows of the table; an empty place shows its number, counted from 1.
fn table(game: &Game) -> String {
    game.rows()
        .map(|row| {
            let words: Vec<String> = row
                .map(|i| match game.places()[i] {
                    Some(card) => card.to_string(),
                    None => format!("_{:_>2}_", i + 1),
                })
                .collect();
            words.join(" ") + "\n"
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::Card;

    #[test]
    fn a_deal_of_no_set_runs_to_its_end() {
        let deal = Deal::new(vec![Card::from_index(0); 14]).unwrap();
        let row = "1fgd 1fgd 1fgd 1fgd";
        let table = |rows: [&str; 3]| rows.map(|r| format!("{r}\n")).concat();
        let expected = format!(
            "Analyzing 1 data set(s)\nData Set 1\nInitial Deal:\n{}No SETs found.\n\
             2 cards added:\n{}No SETs found.\nNo cards remain.\nThe game is over.\n",
            table([row; 3]),
            table([&format!("{row} 1fgd"), &format!("{row} 1fgd"), row]),
        );
        assert_eq!(transcript(&[deal]), expected);
    }

    #[test]
    fn the_first_difference_is_named_and_what_does_not_matter_is_none() {
        let deals = [Deal::new(vec![Card::from_index(0); 14]).unwrap(), Deal::random(5)];
        let right = transcript(&deals);
        assert_eq!(first_difference(&deals, &right), None);
        let lax = right.to_uppercase().replace('\n', "  \r\n\r\n").replace(' ', "  ");
        assert_eq!(first_difference(&deals, &lax), None);
        let ends = "No SETs found.\nNo cards remain.\n";
        let swapped = right.replace(ends, "No cards remain.\nNo SETs found.\n");
        assert_ne!(swapped, right);
        assert_eq!(first_difference(&deals, &swapped), None);

        let first = |other: &str| first_difference(&deals, other).unwrap();
        let wrong = right.replacen("SETs found: ", "SETs found: 1", 1);
        let difference = first(&wrong);
        let line = wrong.lines().position(|line| line.starts_with("SETs found: 1")).unwrap() + 1;
        assert_eq!((difference.line, difference.data_set), (line, 2));
        assert!(difference.found.unwrap().starts_with("SETs found: 1"));
        let difference = first(right.trim_end().strip_suffix("The game is over.").unwrap());
        assert_eq!(difference.line, right.lines().count());
        assert_eq!(difference.expected.as_deref(), Some("The game is over."));
        assert_eq!(difference.found, None);
        let difference = first(&format!("{right}\nThanks!\n"));
        assert_eq!((difference.expected, difference.found), (None, Some("Thanks!".into())));
        let difference = first("");
        assert_eq!((difference.line, difference.data_set), (1, 0));
        // One of the two lines alone is a difference.
        let once = right.replacen(ends, "No cards remain.\nNo cards remain.\n", 1);
        assert_eq!(first(&once).data_set, 1);
    }
}
