//! What `setsight live --headless` prints.

use crate::cli::common::Format;
use setsight_live::{LiveView, views::snapshot};
use setsight_track::TrackedTable;
use std::io::{self, Write};

/// Prints views.
pub struct Printer<W: Write> {
    format: Format,
    last: String,
    out: W,
}

impl<W: Write> Printer<W> {
    pub fn new(format: Format, out: W) -> Self {
        Self { format, last: String::new(), out }
    }

    pub fn print(&mut self, view: &LiveView) -> io::Result<()> {
        match self.format {
            Format::Json => {
                serde_json::to_writer(&mut self.out, &snapshot::line(view))?;
                self.out.write_all(b"\n")?;
                self.out.flush()
            }
            Format::Text => {
                let text = summary(view);
                if text == self.last {
                    return Ok(());
                }
                let time = view.time_ms / 1e3;
                writeln!(self.out, "{time:8.2} s  {text}")?;
                self.out.flush()?;
                self.last = text;
                Ok(())
            }
        }
    }
}

/// The table in words: "12 cards, 1 set: one filled green diamond, two filled green diamonds, three
/// filled green diamonds. 3 sets taken, 60 cards in the deck". It says of a set only what is known: not
/// that there is none while cards are covered or doubtful.
pub fn summary(view: &LiveView) -> String {
    let TrackedTable { table, tracks, resting, looked, .. } = &view.tracked;
    if !looked {
        return "looking for cards".to_owned();
    }
    let count = |n: usize, one: &str, more: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {more}"),
    };
    let deck = table.deck();
    let names = |cards: [usize; 3]| cards.map(|i| deck.card_name(table.cards[i].card)).join(", ");
    let all =
        |sets: &mut dyn Iterator<Item = [usize; 3]>| sets.map(names).collect::<Vec<_>>().join("; ");
    let mut text = match table.cards.len() {
        0 => "no cards".to_owned(),
        n => count(n, "card", "cards"),
    };
    let covered = tracks.iter().filter(|card| card.hidden).count();
    let has_none = table.sets.is_empty() && resting.is_empty();
    // Hands come and go: what they cover matters only where no set is seen.
    let hidden = [(table.unsure(), "unsure"), (if has_none { covered } else { 0 }, "covered")];
    let hidden: Vec<String> =
        hidden.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if !hidden.is_empty() {
        text += &format!(" ({})", hidden.join(", "));
    }
    text += &match (table.sets.len(), resting.len()) {
        (0, 0) if table.cards.is_empty() => String::new(),
        (0, 0) if !hidden.is_empty() => ", no set among those in sight".to_owned(),
        (0, 0) => match view.score.chance {
            Some(chance) => {
                format!(", no set (three more bring one with {:.0} %)", 100.0 * chance.value())
            }
            None => ", no set".to_owned(),
        },
        (0, n) => format!(", {} with a card that is covered", count(n, "set", "sets")),
        (n, rest) => {
            let sets = all(&mut table.sets.iter().map(|set| set.0));
            let more = match rest {
                0 => String::new(),
                n => format!("; {n} more with a card that is covered"),
            };
            format!(", {}: {sets}{more}", count(n, "set", "sets"))
        }
    };
    if !table.probable_sets.is_empty() {
        let probable = all(&mut table.probable_sets.iter().map(|set| set.cards));
        text += &format!("; probably: {probable}");
    }
    let taken = count(view.score.taken.len(), "set", "sets");
    text + &format!(". {taken} taken, {} in the deck", count(view.score.left, "card", "cards"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_game::{cards::parse_codes, sets::Chance};
    use setsight_track::counter::Score;

    fn view(codes: &str) -> LiveView {
        let table = TrackedTable::sure(parse_codes(codes).unwrap());
        let chance = Some(Chance { favourable: 97, total: 100 });
        let score = Score { left: 70, chance, ..Score::default() };
        let tracked = TrackedTable { looked: true, ..table };
        LiveView { tracked, score, ..LiveView::default() }
    }

    #[test]
    fn what_is_not_known_yet_is_not_said() {
        let mut view = view("1fgd 2fgd 1ord");
        assert!(summary(&view).contains("no set (three more bring one with 97 %)"));
        view.tracked.table.cards[1].unsure = true;
        let doubtful = summary(&view);
        assert!(
            doubtful.starts_with("3 cards (1 unsure), no set among those in sight."),
            "{doubtful}"
        );
        assert!(!doubtful.contains("97 %"), "{doubtful}");
        view.tracked.looked = false;
        assert_eq!(summary(&view), "looking for cards");
    }

    #[test]
    fn sets_are_told_in_words() {
        let set =
            "one filled green diamond, two filled green diamonds, three filled green diamonds";
        let text = summary(&view("1fgd 2fgd 3fgd 1ord"));
        assert_eq!(text, format!("4 cards, 1 set: {set}. 0 sets taken, 70 cards in the deck"));
    }

    #[test]
    fn a_set_under_a_hand_is_not_denied() {
        let mut view = view("1fgd 2fgd 3fgd");
        view.tracked.tracks[2].hidden = true;
        view.tracked.resting = std::mem::take(&mut view.tracked.table.sets);
        let text = summary(&view);
        assert!(text.contains("1 set with a card that is covered"), "{text}");
        assert!(!text.contains("no set") && !text.contains('%'), "{text}");
    }
}
