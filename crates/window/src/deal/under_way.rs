//! A game that was under way when the program ended: it goes on at the next start.

use super::Source;
use crate::deal::play::{Logged, Play};
use serde::{Deserialize, Serialize};
use setsight_files::small_file::{MAX_DATA_BYTES, read_text};
use setsight_files::whole_file::write_whole;
use setsight_game::cards::{Card, parse_codes};
use setsight_game::game::{Deal, Variant};
use std::io;
use std::path::Path;

/// What is written of it: how it was dealt, and what has happened, from which the table follows.
#[derive(Serialize, Deserialize)]
struct Written {
    source: Source,
    /// By [`Variant::word`].
    variant: String,
    deal: String,
    players: usize,
    hints: usize,
    seconds: f64,
    log: Vec<Logged>,
}

/// Writes a game. A file of an earlier one is taken away if there is none.
pub fn write(path: &Path, game: Option<(&Play, &Deal, &Source)>, now: f64) -> io::Result<()> {
    let Some((play, deal, source)) = game else {
        return match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    };
    let codes: Vec<String> = deal.cards().iter().map(Card::to_string).collect();
    let written = Written {
        source: source.clone(),
        variant: play.round().variant().word().to_owned(),
        deal: codes.join(" "),
        players: play.players().len(),
        hints: play.hints(),
        seconds: play.seconds(now),
        log: play.logged().to_vec(),
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    write_whole(path, serde_json::to_string(&written).expect("plain data").as_bytes())
}

/// The game of a file, its clock standing; none where there is none that can be gone on with.
pub fn read(path: &Path) -> Option<(Play, Deal, Source)> {
    let text = read_text(path, MAX_DATA_BYTES).ok()?;
    let written: Written = serde_json::from_str(&text).ok()?;
    let deal = Deal::new(parse_codes(&written.deal).ok()?)?;
    let variant = Variant::ALL.into_iter().find(|variant| variant.word() == written.variant)?;
    let play = Play::new(variant, &deal, written.players);
    let play = play.gone_on_with(&written.log, written.hints, written.seconds)?;
    Some((play, deal, written.source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_goes_on_as_it_was_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("game.json");
        for (variant, players) in [(Variant::Normal, 1), (Variant::Chain, 2), (Variant::Ultra, 1)] {
            let deal = Deal::random(4);
            let mut play = Play::new(variant, &deal, players);
            play.start(0.0);
            for turn in 1..10 {
                let now = f64::from(turn);
                play.call(players - 1, now);
                match play.round().sets().first().cloned() {
                    Some(set) => set.into_iter().for_each(|spot| play.choose(spot, now)),
                    None => play.no_set(now),
                }
                if turn == 3 {
                    play.call(0, now);
                    play.no_set(now);
                    play.more_hint();
                }
            }
            write(&path, Some((&play, &deal, &Source::Shuffled)), 30.0).unwrap();
            let (read, ..) = read(&path).unwrap();
            assert!(read.is_under_way() && !read.is_running());
            assert_eq!(read.round().places(), play.round().places(), "{variant:?}");
            assert_eq!(read.round().last(), play.round().last());
            assert_eq!((read.players(), read.log()), (play.players(), play.log()));
            assert_eq!((read.mistakes(), read.hints()), (play.mistakes(), play.hints()));
            assert!((read.seconds(99.0) - 30.0).abs() < 1e-9);
        }
        for text in ["", "{}", "[1]"] {
            std::fs::write(&path, text).unwrap();
            assert!(read(&path).is_none(), "{text}");
        }
        write(&path, None, 0.0).unwrap();
        write(&path, None, 0.0).unwrap();
        assert!(!path.exists());
    }
}
