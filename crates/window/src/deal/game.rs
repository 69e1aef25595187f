//! A dealt game, watched step by step, and the deals that a text means.

use crate::shared::{reasons::first_upper, words::t};
use setsight_files::small_file::read_text;
use setsight_game::game::{Deal, Game, MAX_CARDS, MIN_CARDS, Step, describe, parse_deals};
use setsight_game::{cards::parse_codes, sets::Set};
use std::path::Path;

/// Files larger than this are no files of deals.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The contest's game taken apart: each step with the table as it is then.
pub(crate) struct Watch {
    steps: Vec<(Step, Game)>,
    words: Vec<String>,
    at: usize,
    /// The set that is shown alone, by place.
    pub(crate) alone: Option<usize>,
    /// The set under the pointer in the list, which goes before it.
    pub(crate) pointed: Option<usize>,
}

impl Watch {
    /// The whole game of a deal, at its first step.
    pub(crate) fn new(deal: &Deal) -> Self {
        let mut game = Game::new(deal);
        let (mut steps, mut words) = (Vec::new(), Vec::new());
        while let Some(step) = game.next() {
            words.push(describe(&step, &game));
            steps.push((step, game.clone()));
        }
        Self { steps, words, at: 0, alone: None, pointed: None }
    }

    /// How many steps the game has.
    pub(crate) fn count(&self) -> usize {
        self.steps.len()
    }

    /// The step that is seen, from 0.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Goes to a step; beyond the last one to the last.
    pub(crate) fn go_to(&mut self, step: usize) {
        self.at = step.min(self.steps.len().saturating_sub(1));
        (self.alone, self.pointed) = (None, None);
    }

    /// What happens in the step that is seen.
    pub(crate) fn step(&self) -> &Step {
        &self.steps[self.at].0
    }

    /// The table after it.
    pub(crate) fn game(&self) -> &Game {
        &self.steps[self.at].1
    }

    /// The transcript of each step up to the one that is seen.
    pub(crate) fn transcript(&self) -> &[String] {
        &self.words[..=self.at]
    }

    /// The places where cards are new.
    pub(crate) fn added(&self) -> &[usize] {
        match self.step() {
            Step::Added(places) => places,
            _ => &[],
        }
    }

    /// The sets that are listed in the step.
    pub(crate) fn sets(&self) -> &[Set] {
        match self.step() {
            Step::Found(sets) => sets,
            _ => &[],
        }
    }
}

/// Whether a path names a file of deals: a text, which photos never are.
pub fn is_file_of_deals(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("txt")) && !path.is_dir()
}

/// The deals of a file: see [`deals_in`].
pub fn deals_of(path: &Path) -> Result<Vec<Deal>, String> {
    match std::fs::metadata(path).map(|data| data.len()) {
        Ok(size) if size > MAX_FILE_BYTES => {
            return Err(t!("deals-too-large", bytes = size, most = MAX_FILE_BYTES));
        }
        Ok(_) => {}
        Err(error) => return Err(error.to_string()),
    }
    let text = read_text(path, MAX_FILE_BYTES).map_err(|error| error.to_string())?;
    deals_in(&text)
}

/// The deals that a text means: a file of deals, or bare codes.
pub(crate) fn deals_in(text: &str) -> Result<Vec<Deal>, String> {
    let first = text.split_whitespace().next().unwrap_or_default();
    // A code begins with a digit too; a count is digits only.
    if first.chars().all(|c| c.is_ascii_digit()) && !first.is_empty() {
        return parse_deals(text.as_bytes()).map_err(|error| first_upper(&error.to_string()));
    }
    let cards = parse_codes(text)
        .map_err(|(at, error)| t!("code-wrong", n = at, error = error.to_string()))?;
    let count = cards.len();
    let deal = Deal::new(cards)
        .ok_or_else(|| t!("codes-count", n = count, least = MIN_CARDS, most = MAX_CARDS))?;
    Ok(vec![deal])
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_game::{cards::Card, game::transcript};

    #[test]
    fn the_steps_watched_are_the_transcript() {
        let deal = Deal::random(5);
        let mut watch = Watch::new(&deal);
        assert_eq!(watch.transcript().len(), 1);
        watch.go_to(usize::MAX);
        assert_eq!(watch.at() + 1, watch.count());
        let full = transcript(&[deal]);
        assert!(full.ends_with(&watch.transcript().concat()), "{full}");
    }

    #[test]
    fn codes_are_distinguished_from_files() {
        let codes: Vec<String> = Card::deck().take(12).map(|c| c.to_string()).collect();
        let deal = Deal::new(Card::deck().take(12).collect()).unwrap();
        assert_eq!(deals_in(&codes.join(" ")), Ok(vec![deal.clone()]));
        assert_eq!(deals_in(&format!("1\n12\n{}\n", codes.join("\n"))), Ok(vec![deal]));
        assert!(deals_in("1fgd 2fgd").unwrap_err().contains("2 codes were given"));
        assert!(deals_in("1\n12\n1fgd").unwrap_err().starts_with("Line 3"));
        assert!(deals_in("1fgx 2fgd").unwrap_err().contains('x'));
        assert!(deals_in("").is_err());
    }
}
