//! A user's own words for the cards' values, and what is said of words that are not known.

use setsight_files::small_file::{MAX_SETTINGS_BYTES, read_text};
use setsight_game::cards::{Property, Vocabulary};
use setsight_photo::labels::rows_of;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// Why a file of words cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(
    "{}: {reason}; expected two columns, a word and what it means: a word that is known (striped), a \
     card (2spd), or - for nothing", .path.display()
)]
pub struct WordsError {
    /// The file.
    path: PathBuf,
    /// What is wrong, and where.
    reason: String,
}

/// Reads a table of two columns, a word or a class and its meaning (see [`Vocabulary::add`]);
/// comma, semicolon or tab between them, `#` before remarks.
///
/// # Errors
/// [`WordsError`].
pub fn read_words(path: &Path) -> Result<Vocabulary, WordsError> {
    let wrong = |reason| WordsError { path: path.to_path_buf(), reason };
    let text = read_text(path, MAX_SETTINGS_BYTES)
        .map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let rows = rows_of(text.as_bytes()).map_err(|error| wrong(error.to_string()))?;
    let mut words = Vocabulary::default();
    let mut meanings: HashMap<String, (u64, String)> = HashMap::new();
    for (line, row) in rows {
        if let [word, value] = row.as_slice()
            && let value = value.to_lowercase()
            && let Some((before, other)) =
                meanings.insert(word.to_lowercase(), (line, value.clone()))
            && other != value
        {
            let reason =
                format!("line {line}: \"{word}\" means {value}, and in line {before} {other}");
            return Err(wrong(reason));
        }
        match row.as_slice() {
            [first, ..] if first.starts_with('#') => {}
            [word, value] if !word.is_empty() && words.add(word, value) => {}
            [word, value] if !word.is_empty() => {
                return Err(wrong(format!("line {line}: \"{value}\" is no meaning of \"{word}\"")));
            }
            row => return Err(wrong(format!("line {line}: has {} columns", row.len()))),
        }
    }
    Ok(words)
}

/// A word that is not known, in the classes of some labels.
#[derive(Debug, Default)]
struct Use {
    /// Number of classes with it.
    classes: usize,
    /// Number of cards of those classes.
    cards: usize,
    /// One of the classes.
    example: String,
    /// Where it is used first.
    at: String,
}

/// All words that are not known.
#[derive(Debug, Default)]
pub(super) struct Unknown(BTreeMap<String, Use>);

impl Unknown {
    /// Adds the words of a class that `cards` cards have, the first of them `at` a place.
    pub(super) fn add(&mut self, words: Vec<String>, class: &str, (cards, at): (usize, &str)) {
        for word in words {
            let of_word = self.0.entry(word).or_default();
            of_word.classes += 1;
            of_word.cards += cards;
            if of_word.example.is_empty() {
                class.clone_into(&mut of_word.example);
                at.clone_into(&mut of_word.at);
            }
        }
    }

    /// Each of them with a proposal, and what to do; `None` if there are none.
    pub(super) fn problem(&self) -> Option<String> {
        let mut text = "words that are not known:".to_owned();
        let mut lines = String::new();
        for (word, Use { classes, cards, example, at }) in &self.0 {
            let proposal = nearest(word);
            let perhaps = match proposal {
                Some(known) => format!("perhaps {known}"),
                None => "no known word is like it".to_owned(),
            };
            text += &format!("\n  {word} (cards: {cards}, classes: {classes}");
            let such_as = if example.eq_ignore_ascii_case(word) {
                String::new()
            } else {
                format!(", such as {example}")
            };
            text += &format!("{such_as}): {perhaps}; first in {at}");
            lines += &format!("\n    {word},{}", proposal.unwrap_or("?"));
        }
        (!self.0.is_empty()).then(|| {
            format!(
                "{text}\n  write what they mean into a file, and give it with --words FILE:{lines}\n  \
                 the second column is a word that is known (filled, open, striped, ..), a card \
                 (2spd) or - for nothing; or leave out what is no card with --leave-out CLASS"
            )
        })
    }
}

/// The known word that is most like another: at most two letters, and a third of it, are different.
/// Of words that are equally like it, the one that is a value's own name.
fn nearest(word: &str) -> Option<&'static str> {
    let far = word.chars().count() / 3;
    let is_name = |known: &str| {
        Property::ALL.into_iter().any(|p| (0..3).any(|value| p.value_word(value) == known))
    };
    Vocabulary::words()
        .filter(|known| known.len() > 2)
        .map(|known| (strsim::osa_distance(word, known), !is_name(known), known))
        .filter(|&(distance, ..)| distance <= far.min(2))
        .min()
        .map(|(.., known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_means_two_things_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("words.csv");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read_words(&path).map(drop).map_err(|error| error.to_string())
        };
        assert_eq!(read("blue,red\nhatch,striped\nBlue, Red\n"), Ok(()));
        let told = read("blue,red\nhatch,striped\nBlue,green\n").unwrap_err();
        assert!(told.contains("line 3: \"Blue\" means green, and in line 1 red"), "{told}");
    }

    #[test]
    fn the_nearest_word_is_proposed() {
        assert_eq!(nearest("stripd"), Some("striped"));
        assert_eq!(nearest("sqiggle"), Some("squiggle"));
        assert_eq!(nearest("chequered"), None);
        assert_eq!(nearest("x"), None);
    }
}
