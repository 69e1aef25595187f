//! What `setsight live --headless` prints.

use crate::cli::common::Format;
use setsight_game::sets::Set;
use setsight_live::LiveView;
use setsight_live::views::freeze;
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
                serde_json::to_writer(&mut self.out, &freeze::line(view))?;
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

/// The table in a line: "12 cards: 1fgd 2spo ..; sets: 1fgd 2fgd 3fgd; 3 taken, 60 in the deck".
/// It says of a set only what is known: not that there is none while cards are covered or doubtful.
pub fn summary(view: &LiveView) -> String {
    let TrackedTable { table, tracks, resting, looked, .. } = &view.tracked;
    if !looked {
        return "looking for cards".to_owned();
    }
    let mut text = match table.cards.len() {
        0 => "no cards".to_owned(),
        1 => "1 card:".to_owned(),
        n => format!("{n} cards:"),
    };
    for card in &table.cards {
        let mark = if card.unsure { "?" } else { "" };
        text += &format!(" {}{mark}", card.card);
    }
    let codes = |set: &Set| set.0.map(|i| table.cards[i].card.to_string()).join(" ");
    let sets: Vec<String> = table.sets.iter().map(codes).collect();
    let covered = tracks.iter().filter(|card| card.hidden).count();
    let unsure = table.unsure();
    let count = |n: usize, one: &str, more: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {more}"),
    };
    text += &match (sets.len(), resting.len()) {
        (0, 0) if covered + unsure > 0 => format!(
            "; no set among those in sight ({} covered, {unsure} unsure)",
            count(covered, "card", "cards")
        ),
        (0, 0) => "; no set".to_owned(),
        (0, n) => format!("; {} with a card that is covered", count(n, "set", "sets")),
        (_, 0) => format!("; sets: {}", sets.join(", ")),
        (_, n) => format!("; sets: {}; {n} more with a card that is covered", sets.join(", ")),
    };
    if !table.probable_sets.is_empty() {
        let probable = table.probable_sets.iter().map(|set| codes(&Set(set.cards)));
        text += &format!("; probably: {}", probable.collect::<Vec<_>>().join(", "));
    }
    if text.ends_with("no set")
        && !table.cards.is_empty()
        && let Some(chance) = view.score.chance
    {
        text += &format!(" (three more bring one with {:.0} %)", 100.0 * chance.value());
    }
    let taken = count(view.score.taken.len(), "set", "sets");
    text + &format!("; {taken} taken, {} cards in the deck", view.score.left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_game::cards::parse_codes;
    use setsight_game::sets::Chance;
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
        assert!(doubtful.contains("no set among those in sight (0 cards covered, 1 unsure)"));
        assert!(!doubtful.contains("97 %"), "{doubtful}");
        view.tracked.looked = false;
        assert_eq!(summary(&view), "looking for cards");
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
