//! Games that were played to their end, kept from day to day.

use serde::{Deserialize, Serialize};
use setsight_files::small_file::{MAX_DATA_BYTES, read_text};
use setsight_files::whole_file::{FolderLock, write_whole};
use setsight_game::game::Variant;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A day of the calendar in Greenwich, so that it is the same day for all: `2026-11-24`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Day(String);

impl Day {
    /// The day of a time.
    pub fn of(time: SystemTime) -> Self {
        let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let (year, month, day) = civil(seconds / 86_400);
        Self(format!("{year:04}-{month:02}-{day:02}"))
    }

    /// The number from which the day's deal is shuffled: the digits of the day.
    pub fn seed(&self) -> u64 {
        self.0.replace('-', "").parse().unwrap_or(0)
    }

    /// As it is written.
    pub fn word(&self) -> &str {
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
    pub day: Day,
    /// What was played, by [`Variant::word`].
    pub variant: String,
    /// Whether it was the day's deal, which is the same for all.
    pub daily: bool,
    /// How long it took.
    pub seconds: f64,
    /// How many sets were taken.
    pub sets: usize,
    /// How often the player was wrong.
    pub mistakes: usize,
    /// How many hints were asked for.
    pub hints: usize,
}

impl Score {
    /// Better is who needed fewer hints, then who was faster.
    fn rank(&self) -> (usize, f64) {
        (self.hints, self.seconds)
    }

    /// Whether it is better than another.
    pub fn beats(&self, other: &Self) -> bool {
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
    pub fn at(path: Option<PathBuf>) -> Self {
        // What cannot be read must not keep anybody from playing; it is left alone, see `add`.
        let all = path.as_deref().and_then(|path| read(path).ok()).unwrap_or_default();
        Self { all, path }
    }

    /// Keeps a score, beside those that another window has kept meanwhile.
    pub fn add(&mut self, score: Score) -> io::Result<()> {
        self.all.push(score.clone());
        let Some(path) = &self.path else { return Ok(()) };
        let folder = path.parent().unwrap_or(Path::new(""));
        std::fs::create_dir_all(folder)?;
        let _one_at_a_time = FolderLock::wait_for(folder)?;
        let mut all = read(path)?;
        all.push(score);
        let text = serde_json::to_string_pretty(&all).expect("plain data");
        write_whole(path, text.as_bytes())?;
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
        let day = |seconds: u64| Day::of(UNIX_EPOCH + Duration::from_secs(seconds));
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
}
