//! A film stored as single pictures: a folder, or a pattern of names; and how many pictures a second it holds, by
//! what the pictures themselves say of their times.

use super::jpeg::check_frame;
use image::RgbImage;
use setsight_photo::source;
use std::path::{Path, PathBuf};
use std::{fmt::Display, fs::File, io::Read, time::UNIX_EPOCH};

/// Pictures on disk, in the order of their names.
pub(crate) struct Pictures {
    paths: std::vec::IntoIter<PathBuf>,
}

impl Pictures {
    /// Whether a path is a pattern: its last part contains one `%d`, or one with a width such as
    /// `%04d`.
    pub(crate) fn is_pattern(path: &Path) -> bool {
        pattern(path).is_some()
    }

    /// The pictures of a folder; or those of a pattern, from the first (number 0 or 1) to the last
    /// before a gap. `None` if there are none.
    pub(crate) fn open(path: &Path) -> Option<Self> {
        let paths: Vec<PathBuf> = if path.is_dir() {
            source::list_photos(&[path.to_owned()], false, &[]).into_iter().flatten().collect()
        } else {
            let (before, width, after) = pattern(path)?;
            let numbered = |n: usize| PathBuf::from(format!("{before}{n:0width$}{after}"));
            let first = (0..=1).find(|&n| numbered(n).is_file())?;
            (first..).map(numbered).take_while(|path| path.is_file()).collect()
        };
        (!paths.is_empty()).then(|| Self { paths: paths.into_iter() })
    }

    /// Number of pictures that are left.
    pub(crate) fn len(&self) -> usize {
        self.paths.len()
    }

    /// How many of those that are left make a second, as far as they say.
    pub(crate) fn rate(&self) -> Rate {
        Rate::estimate(self.paths.as_slice())
    }

    pub(crate) fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.paths.next();
        }
    }

    /// The next picture, upright; `None` at the end.
    pub(crate) fn next_picture(&mut self) -> Result<Option<RgbImage>, String> {
        let Some(path) = self.paths.next() else { return Ok(None) };
        let with_path = |reason: &dyn Display| format!("{}: {reason}", path.display());
        let frame = source::load(&path).map_err(|error| with_path(&error))?;
        check_frame(frame.width(), frame.height()).map_err(|reason| with_path(&reason))?;
        Ok(Some(frame))
    }
}

/// The text before the number, the number's least width, and the text after it.
fn pattern(path: &Path) -> Option<(String, usize, String)> {
    let text = path.to_str()?;
    let (before, rest) = text.split_once('%')?;
    let (width, after) = rest.split_once('d')?;
    let is_name = !after.contains(['/', '%']);
    let width = if width.is_empty() { 0 } else { width.strip_prefix('0')?.parse().ok()? };
    (is_name && width < 20).then(|| (before.to_owned(), width, after.to_owned()))
}

/// Pictures a second, and what says so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Pictures a second.
    pub fps: f64,
    /// Where that comes from, for messages: "by ..".
    pub by: &'static str,
}

/// The rate where nothing states another.
const USUAL: Rate = Rate { fps: 30.0, by: "default, for they state no times" };
/// The slowest rate that is taken from pictures: one that is played must not seem to stand.
const LEAST_FPS: f64 = 0.2;
/// Files that were written faster than this were not written as they were taken: a program made them
/// from a film, or they were copied.
const MOST_FPS_OF_FILES: f64 = 5.0;

/// The time in a picture's file, in seconds.
type TimeOf = fn(&Path) -> Option<f64>;

impl Rate {
    /// The rate of these pictures, from the first one's time and the last one's.
    pub(crate) fn estimate(paths: &[PathBuf]) -> Self {
        let (Some(first), Some(last)) = (paths.first(), paths.last()) else { return USUAL };
        let ways: [(TimeOf, _, _); 3] = [
            (exif_time, "the times in the pictures", USUAL.fps),
            (name_time, "the times in their names", USUAL.fps),
            (file_time, "the times of their files", MOST_FPS_OF_FILES),
        ];
        for (time, by, most) in ways {
            let (Some(from), Some(to)) = (time(first), time(last)) else { continue };
            let fps = (paths.len() - 1) as f64 / (to - from);
            if to > from && fps <= most {
                return Self { fps: fps.max(LEAST_FPS), by };
            }
        }
        USUAL
    }
}

/// The first date in the file's beginning, as EXIF spells it, in seconds.
fn exif_time(path: &Path) -> Option<f64> {
    const BEGINNING_BYTES: u64 = 64 << 10;
    if !path.is_file() {
        return None; // A pipe would be waited for.
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(BEGINNING_BYTES).read_to_end(&mut bytes).ok()?;
    let mut dates = bytes.windows(20).filter(|date| {
        date.iter().zip(b"0000:00:00 00:00:00\0").all(|(byte, like)| match like {
            b'0' => byte.is_ascii_digit(),
            like => byte == like,
        })
    });
    dates.find_map(|date| seconds(&digits(std::str::from_utf8(date).ok()?)))
}

/// A time in the file's name: a date and a time of day (`IMG_20261125_170518`, with thousandths or
/// not, with separators or not), or seconds or milliseconds since 1970, in seconds.
fn name_time(path: &Path) -> Option<f64> {
    let stem = path.file_stem()?.to_str()?;
    let numbers: String = stem.chars().filter(|c| !"-_:. T".contains(*c)).collect();
    let number = numbers.split(|c: char| !c.is_ascii_digit()).max_by_key(|run| run.len())?;
    match number.len() {
        14.. => seconds(number),
        13 => Some(number.parse::<f64>().ok()? / 1e3),
        10 => number.parse().ok(),
        _ => None,
    }
}

/// When the file was written, in seconds.
fn file_time(path: &Path) -> Option<f64> {
    let written = path.metadata().ok()?.modified().ok()?;
    Some(written.duration_since(UNIX_EPOCH).ok()?.as_secs_f64())
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Seconds since 1970 of year, month, day, hour, minute, second and perhaps thousandths.
fn seconds(digits: &str) -> Option<f64> {
    let part = |from: usize, to: usize| digits.get(from..to)?.parse::<i64>().ok();
    let within =
        |value: i64, least: i64, most: i64| (least..=most).contains(&value).then_some(value);
    let year = within(part(0, 4)?, 1970, 2100)?;
    let month = within(part(4, 6)?, 1, 12)?;
    let day = within(part(6, 8)?, 1, 31)?;
    let hour = within(part(8, 10)?, 0, 23)?;
    let minute = within(part(10, 12)?, 0, 59)?;
    let second = within(part(12, 14)?, 0, 60)?;
    let thousandths = part(14, 17).unwrap_or(0);
    // Days of the civil calendar, counted from March on.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days =
        365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 719_469;
    let total_s = ((days * 24 + hour) * 60 + minute) * 60 + second;
    Some(total_s as f64 + thousandths as f64 / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_folder_and_a_pattern_give_the_same_pictures() {
        let home = tempfile::tempdir().unwrap();
        for n in [1u8, 2, 10] {
            let image = RgbImage::from_pixel(64, 48, Rgb([10 * n; 3]));
            image.save(home.path().join(format!("frame-{n}.png"))).unwrap();
        }
        assert_eq!(levels(home.path()), [10, 20, 100], "2 stands before 10");
        assert_eq!(levels(&home.path().join("frame-%d.png")), [10, 20], "up to a gap");
        assert!(Pictures::open(&home.path().join("frame-%04d.png")).is_none());
        assert!(!Pictures::is_pattern(Path::new("100%.avi")));
        assert!(!Pictures::is_pattern(Path::new("frames%d/film.avi")));
    }

    fn levels(path: &Path) -> Vec<u8> {
        let mut pictures = Pictures::open(path).unwrap();
        std::iter::from_fn(|| pictures.next_picture().unwrap())
            .map(|image| image[(3, 3)].0[0])
            .collect()
    }

    /// A file that was written at this second.
    fn make(path: PathBuf, content: &[u8], written_s: f64) -> PathBuf {
        std::fs::write(&path, content).unwrap();
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs_f64(1e9 + written_s);
        File::options().write(true).open(&path).unwrap().set_modified(at).unwrap();
        path
    }

    #[test]
    fn times_are_read_from_names() {
        let time = |name: &str| name_time(Path::new(name));
        assert_eq!(time("IMG_19700102_000001.jpg"), Some(86_401.0));
        assert_eq!(time("cam 2026-11-25 17-05-18.250.png"), Some(1_795_626_318.25));
        assert_eq!(time("1795626318250.jpg"), Some(1_795_626_318.25));
        assert_eq!(time("1795626318.jpg"), Some(1_795_626_318.0));
        for none in ["frame-0001.png", "20261399_170518.jpg", "a.jpg"] {
            assert_eq!(time(none), None, "{none}");
        }
    }

    #[test]
    fn a_series_has_the_rate_that_its_pictures_state() {
        let home = tempfile::tempdir().unwrap();
        let made = |name: &str, content: &[u8], written_s| {
            make(home.path().join(name), content, written_s)
        };
        let files: Vec<PathBuf> =
            (0..5).map(|i| made(&format!("a{i}.jpg"), b"", 0.5 * f64::from(i))).collect();
        assert_eq!(Rate::estimate(&files), Rate { fps: 2.0, by: "the times of their files" });
        let fast: Vec<PathBuf> =
            (0..5).map(|i| made(&format!("b{i}.jpg"), b"", 0.01 * f64::from(i))).collect();
        assert_eq!(Rate::estimate(&fast).fps, 30.0, "written by a program");
        let exif = |second: u32| format!("Exif\0\02026:11:25 17:05:{second:02}\0");
        let exif: Vec<PathBuf> =
            (0..5).map(|i| made(&format!("c{i}.jpg"), exif(10 + i).as_bytes(), 0.0)).collect();
        assert_eq!(Rate::estimate(&exif), Rate { fps: 1.0, by: "the times in the pictures" });
        assert_eq!(Rate::estimate(&exif[..1]).fps, 30.0);
    }
}
