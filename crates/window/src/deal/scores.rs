//! Games that are kept: those played to their end, from day to day, and the one that was under way when the
//! program ended, which goes on at the next start.
//!
//! [`show_end`] draws the page at the end of a game.

use super::Source;
use crate::deal::play::{Logged, Play, clock};
use crate::shared::{keys, names, words::t};
use eframe::egui::{Button, Color32, Frame, Grid, RichText, ScrollArea, Ui, vec2};
use serde::{Deserialize, Serialize};
use setsight_files::small_file::{MAX_DATA_BYTES, read_text};
use setsight_files::whole_file::{FolderLock, write_atomic};
use setsight_game::cards::{Card, parse_codes};
use setsight_game::game::{Deal, Variant};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A day of the calendar in Greenwich, so that it is the same day for all: `2026-11-24`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Day(String);

impl Day {
    pub(crate) fn from_time(time: SystemTime) -> Self {
        let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let (year, month, day) = civil(seconds / 86_400);
        Self(format!("{year:04}-{month:02}-{day:02}"))
    }

    /// The number from which the day's deal is shuffled: the digits of the day.
    pub(crate) fn seed(&self) -> u64 {
        self.0.replace('-', "").parse().unwrap_or(0)
    }

    /// As it is written.
    pub(crate) fn word(&self) -> &str {
        &self.0
    }
}

/// Year, month and day of a number of days since 1970 (Hinnant, "chrono-compatible low-level date
/// algorithms", 2013).
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

/// A game that one player has played to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// When.
    pub(crate) day: Day,
    /// What was played, by [`Variant::word`].
    pub(crate) variant: String,
    /// Whether it was the day's deal, which is the same for all.
    pub(crate) daily: bool,
    /// How long it took.
    pub(crate) seconds: f64,
    /// How many sets were taken.
    pub(crate) sets: usize,
    /// How often the player was wrong.
    pub(crate) mistakes: usize,
    /// How many hints were asked for.
    pub hints: usize,
}

impl Score {
    /// Better is who needed fewer hints, then who was faster.
    fn rank(&self) -> (usize, f64) {
        (self.hints, self.seconds)
    }

    /// Whether it is better than another.
    pub(crate) fn beats(&self, other: &Self) -> bool {
        self.rank() < other.rank()
    }
}

/// All scores, and the file that they are kept in.
#[derive(Debug, Default)]
pub struct Scores {
    all: Vec<Score>,
    path: Option<PathBuf>,
}

impl Scores {
    /// Scores of a file that need not exist; with no file they are forgotten at the end.
    pub(crate) fn at(path: Option<PathBuf>) -> Self {
        // What cannot be read must not keep anybody from playing; it is left alone, see `add`.
        let all = path.as_deref().and_then(|path| read(path).ok()).unwrap_or_default();
        Self { all, path }
    }

    /// Keeps a score, beside those that another window has kept meanwhile.
    pub(crate) fn add(&mut self, score: Score) -> io::Result<()> {
        self.all.push(score.clone());
        let Some(path) = &self.path else { return Ok(()) };
        let folder = path.parent().unwrap_or(Path::new(""));
        std::fs::create_dir_all(folder)?;
        let _one_at_a_time = FolderLock::wait_for(folder)?;
        let mut all = read(path)?;
        all.push(score);
        let text = serde_json::to_string_pretty(&all).expect("plain data");
        write_atomic(path, text.as_bytes())?;
        self.all = all;
        Ok(())
    }

    /// The best game of each day, the last day first.
    pub fn best_by_day(&self, variant: Variant) -> Vec<&Score> {
        let mut games: Vec<&Score> =
            self.all.iter().filter(|score| score.variant == variant.word()).collect();
        games.sort_by(|a, b| {
            b.day.cmp(&a.day).then(a.hints.cmp(&b.hints)).then(a.seconds.total_cmp(&b.seconds))
        });
        games.dedup_by(|later, first| later.day == first.day);
        games
    }
}

fn read(path: &Path) -> io::Result<Vec<Score>> {
    match read_text(path, MAX_DATA_BYTES) {
        Ok(text) => serde_json::from_str(&text).map_err(|error| {
            let words = format!("{}: is damaged ({error}); move it away", path.display());
            io::Error::new(io::ErrorKind::InvalidData, words)
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// What is written of it: how it was dealt, and what has happened, from which the table follows.
#[derive(Serialize, Deserialize)]
struct Written {
    source: Source,
    /// By which anybody gets the same deal.
    #[serde(default)]
    number: Option<u64>,
    /// By [`Variant::word`].
    variant: String,
    deal: String,
    players: usize,
    hints: usize,
    seconds: f64,
    log: Vec<Logged>,
}

/// Writes a game. A file of an earlier one is taken away if there is none.
pub(crate) fn write_under_way(
    path: &Path,
    game: Option<(&Play, &Deal, &Source, Option<u64>)>,
    now: f64,
) -> io::Result<()> {
    let Some((play, deal, source, number)) = game else {
        return match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    };
    let codes: Vec<String> = deal.cards().iter().map(Card::to_string).collect();
    let written = Written {
        source: source.clone(),
        number,
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
    write_atomic(path, serde_json::to_string(&written).expect("plain data").as_bytes())
}

/// The game of a file, its clock standing; none where there is none that can be gone on with.
pub(crate) fn read_under_way(path: &Path) -> Option<(Play, Deal, Source, Option<u64>)> {
    let text = read_text(path, MAX_DATA_BYTES).ok()?;
    let written: Written = serde_json::from_str(&text).ok()?;
    let deal = Deal::new(parse_codes(&written.deal).ok()?)?;
    let variant = Variant::ALL.into_iter().find(|variant| variant.word() == written.variant)?;
    let play = Play::new(variant, &deal, written.players);
    let play = play.gone_on_with(&written.log, written.hints, written.seconds)?;
    Some((play, deal, written.source, written.number))
}

/// So many days are shown.
const DAYS: usize = 7;

/// How the game was: what it came to, and the best of the last days. Whether another one is wanted.
pub(crate) fn show_end(ui: &mut Ui, play: &Play, kept: Option<&Score>, best: &[&Score]) -> bool {
    let mut again = false;
    let paper = ui.visuals().panel_fill;
    ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
        ui.vertical_centered(|ui| {
            ui.add_space(((ui.available_height() - 420.0) * 0.4).max(4.0));
            let width = ui.available_width().min(460.0);
            let frame = Frame::new().fill(paper).corner_radius(14.0).inner_margin(22.0);
            ui.allocate_ui(vec2(width, 0.0), |ui| {
                frame.show(ui, |ui| {
                    ui.set_width(width - 44.0);
                    ui.label(RichText::new(t!("well-played")).size(30.0).strong());
                    ui.label(t!("nothing-left"));
                    ui.add_space(8.0);
                    figures(ui, play);
                    if play.players().len() > 1 {
                        players(ui, play);
                    }
                    ui.add_space(10.0);
                    let button = Button::new(t!("play-again")).min_size(vec2(180.0, 40.0));
                    let tip = keys::key_hover(keys::Action::Play);
                    again = ui.add(button).on_hover_text(tip).clicked();
                    if let Some(kept) = kept {
                        ui.add_space(10.0);
                        best_by_day(ui, play.round().variant(), kept, best);
                    }
                });
            });
        });
    });
    again
}

fn figures(ui: &mut Ui, play: &Play) {
    ui.label(RichText::new(clock(play.seconds(0.0))).size(44.0).strong());
    let counts = [
        t!("count-sets", n = play.taken()),
        t!("count-mistakes", n = play.mistakes()),
        t!("count-hints", n = play.hints()),
    ];
    ui.label(counts.join(" · "));
    set_times(ui, &play.set_times());
}

/// How long each set took.
fn set_times(ui: &mut Ui, times: &[f64]) {
    let Some(slowest) = times.iter().copied().reduce(f64::max) else { return };
    let average = times.iter().sum::<f64>() / times.len() as f64;
    let (average, slowest) = (format!("{average:.1}"), format!("{slowest:.1}"));
    ui.label(t!("set-times", average = average, slowest = slowest));
    let each: Vec<String> = times.iter().map(|seconds| format!("{seconds:.0}")).collect();
    ui.weak(t!("each-set-time", times = each.join(", ")));
}

/// Who has won, the best first.
fn players(ui: &mut Ui, play: &Play) {
    let mut order: Vec<usize> = (0..play.players().len()).collect();
    order.sort_by_key(|&who| (-play.players()[who].points(), who));
    ui.add_space(8.0);
    for (place, who) in order.into_iter().enumerate() {
        let player = play.players()[who];
        let (place, name) = (place + 1, play.name(who));
        let points = t!("count-points", n = player.points());
        let sets = t!("count-sets", n = player.sets);
        ui.label(match player.lost {
            0 => t!("player-result", place = place, player = name, points = points, sets = sets),
            lost => t!(
                "player-result-lost",
                place = place,
                player = name,
                points = points,
                sets = sets,
                lost = lost
            ),
        });
    }
}

fn best_by_day(ui: &mut Ui, variant: Variant, kept: &Score, best: &[&Score]) {
    let is_best = best.iter().all(|other| other.day != kept.day || !other.beats(kept));
    if is_best {
        let good = crate::shared::verdict::good_color(ui);
        ui.label(RichText::new(t!("best-of-today")).color(good).strong());
    }
    ui.strong(t!("best-by-day", variant = names::variant(variant)));
    Grid::new("best by day").num_columns(4).spacing(vec2(16.0, 4.0)).show(ui, |ui| {
        for score in best.iter().take(DAYS) {
            let today = score.day == kept.day;
            let color = if today { ui.visuals().strong_text_color() } else { Color32::PLACEHOLDER };
            let cell = |ui: &mut Ui, text: String| ui.label(RichText::new(text).color(color));
            cell(ui, score.day.word().to_owned());
            cell(ui, clock(score.seconds));
            cell(ui, t!("count-mistakes", n = score.mistakes));
            cell(ui, t!("count-hints", n = score.hints));
            if score.daily {
                cell(ui, t!("todays-deal"));
            }
            ui.end_row();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn score(day: &str, hints: usize, seconds: f64) -> Score {
        Score {
            day: Day(day.into()),
            variant: Variant::Normal.word().into(),
            daily: false,
            seconds,
            sets: 24,
            mistakes: 0,
            hints,
        }
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        let day = |seconds: u64| Day::from_time(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(day(0).word(), "1970-01-01");
        assert_eq!(day(951_782_400).word(), "2000-02-29");
        assert_eq!(day(951_868_799).word(), "2000-02-29");
        assert_eq!(day(951_868_800).word(), "2000-03-01");
        assert_eq!(day(1_798_761_599).word(), "2026-12-31");
        assert_eq!(day(1_798_761_599).seed(), 20_261_231);
    }

    #[test]
    fn the_best_of_each_day_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new").join("games.json");
        let (mut one, mut two) = (Scores::at(Some(path.clone())), Scores::at(Some(path.clone())));
        one.add(score("2026-01-01", 0, 300.0)).unwrap();
        two.add(score("2026-01-01", 1, 100.0)).unwrap();
        two.add(score("2026-01-02", 0, 400.0)).unwrap();
        one.add(score("2026-01-01", 0, 290.0)).unwrap();
        let kept = Scores::at(Some(path.clone()));
        let best: Vec<(&str, f64)> = kept
            .best_by_day(Variant::Normal)
            .iter()
            .map(|score| (score.day.word(), score.seconds))
            .collect();
        assert_eq!(best, [("2026-01-02", 400.0), ("2026-01-01", 290.0)]);
        assert!(kept.best_by_day(Variant::Ultra).is_empty());
        std::fs::write(&path, "[").unwrap();
        let error = Scores::at(Some(path.clone())).add(score("2026-01-03", 0, 1.0)).unwrap_err();
        assert!(error.to_string().contains("games.json"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "[");
    }

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
            write_under_way(&path, Some((&play, &deal, &Source::Shuffled, None)), 30.0).unwrap();
            let (read, ..) = read_under_way(&path).unwrap();
            assert!(read.is_under_way() && !read.is_running());
            assert_eq!(read.round().places(), play.round().places(), "{variant:?}");
            assert_eq!(read.round().last(), play.round().last());
            assert_eq!((read.players(), read.log()), (play.players(), play.log()));
            assert_eq!((read.mistakes(), read.hints()), (play.mistakes(), play.hints()));
            assert!((read.seconds(99.0) - 30.0).abs() < 1e-9);
        }
        for text in ["", "{}", "[1]"] {
            std::fs::write(&path, text).unwrap();
            assert!(read_under_way(&path).is_none(), "{text}");
        }
        write_under_way(&path, None, 0.0).unwrap();
        write_under_way(&path, None, 0.0).unwrap();
        assert!(!path.exists());
    }
}
