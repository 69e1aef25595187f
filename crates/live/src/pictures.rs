//! A film stored as single pictures: a folder, or a pattern of names.

mod times;

pub use times::Rate;

use super::jpeg::check_frame;
use image::RgbImage;
use setsight_photo::source;
use std::fmt::Display;
use std::path::{Path, PathBuf};

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
        Rate::of(self.paths.as_slice())
    }

    /// Skips some pictures.
    pub(crate) fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.paths.next();
        }
    }

    /// The next picture, upright; `None` at the end.
    pub(crate) fn next_picture(&mut self) -> Result<Option<RgbImage>, String> {
        let Some(path) = self.paths.next() else { return Ok(None) };
        let told = |reason: &dyn Display| format!("{}: {reason}", path.display());
        let frame = source::load(&path).map_err(|error| told(&error))?;
        check_frame(frame.width(), frame.height()).map_err(|reason| told(&reason))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    #[test]
    fn a_folder_and_a_pattern_give_the_same_pictures() {
        let home = tempfile::tempdir().unwrap();
        for n in [1u8, 2, 10] {
            let image = RgbImage::from_pixel(64, 48, Rgb([10 * n; 3]));
            image.save(home.path().join(format!("frame-{n}.png"))).unwrap();
        }
        let levels = |path: &Path| {
            let mut pictures = Pictures::open(path).unwrap();
            std::iter::from_fn(|| pictures.next_picture().unwrap())
                .map(|image| image[(3, 3)].0[0])
                .collect::<Vec<_>>()
        };
        assert_eq!(levels(home.path()), [10, 20, 100], "2 stands before 10");
        assert_eq!(levels(&home.path().join("frame-%d.png")), [10, 20], "up to a gap");
        assert!(Pictures::open(&home.path().join("frame-%04d.png")).is_none());
        assert!(!Pictures::is_pattern(Path::new("100%.avi")));
        assert!(!Pictures::is_pattern(Path::new("frames%d/film.avi")));
    }
}
