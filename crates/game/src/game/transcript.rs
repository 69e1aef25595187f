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
}
