//! All words of the window, in every language that it speaks.
//!
//! They stand in `words/en.ftl` and its translations, in [Fluent](https://projectfluent.org)'s syntax,
//! which knows plurals; code asks for them by key: `t!("photos-open-already")`, and with what is to be
//! filled in `t!("count-sets", n = 2)`. Which language is spoken is a matter of the thread that draws the
//! window: [`speak`] is called at the beginning of each frame, so that a switch is seen in the next one.
//! Threads in the background do not speak; they hand over what happened, and the window says it.

use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle};
use serde::{Deserialize, Serialize};
use std::{cell::Cell, sync::LazyLock};

/// A language that the window speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    #[default]
    #[serde(rename = "en")]
    English,
    #[serde(rename = "de")]
    German,
}

impl Language {
    pub const ALL: [Self; 2] = [Self::English, Self::German];

    /// Its own name for itself.
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "Deutsch",
        }
    }

    /// Its tag (BCP 47).
    const fn tag(self) -> &'static str {
        match self {
            Self::English => "en-GB",
            Self::German => "de",
        }
    }

    const fn source(self) -> &'static str {
        match self {
            Self::English => include_str!("words/en.ftl"),
            Self::German => include_str!("words/de.ftl"),
        }
    }

    /// The language of a system's locale, such as `de_AT.UTF-8`; English where it is not translated.
    fn of_locale(locale: &str) -> Self {
        let is =
            |language: &Self| locale.get(..2).is_some_and(|tag| language.tag().starts_with(tag));
        Self::ALL.into_iter().find(is).unwrap_or_default()
    }

    pub(crate) fn of_system() -> Self {
        static LANGUAGE: LazyLock<Language> = LazyLock::new(|| {
            sys_locale::get_locale().map_or_else(Language::default, |tag| Language::of_locale(&tag))
        });
        *LANGUAGE
    }
}

thread_local! {
    static SPOKEN: Cell<Language> = const { Cell::new(Language::English) };
}

/// From now on words of this thread are in a language.
pub(crate) fn speak(language: Language) {
    SPOKEN.set(language);
}

/// The language that this thread speaks.
fn spoken() -> Language {
    SPOKEN.get()
}

/// A word to be said later: for tables of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(pub &'static str);

impl Word {
    /// It, in the language that is spoken.
    pub(crate) fn say(self) -> String {
        translated(self.0, &[])
    }
}

/// Words by their key, with what is to be filled in: `t!("count-sets", n = 2)`.
macro_rules! t {
    ($key:literal $(, $name:ident = $value:expr)* $(,)?) => {
        $crate::shared::words::translated($key, &[$((stringify!($name), ($value).into())),*])
    };
}
pub(crate) use t;

/// What [`t!`] stands for. A key without a translation appears in English, and one that does not
/// exist as it is; the tests see to it that neither happens.
pub(crate) fn translated(key: &str, values: &[(&'static str, FluentValue<'_>)]) -> String {
    let values: FluentArgs<'_> = values.iter().cloned().collect();
    let words = [spoken(), Language::English]
        .into_iter()
        .find_map(|language| filled(bundle(language)?, key, &values).0);
    words.unwrap_or_else(|| key.to_owned())
}

type Bundle = FluentBundle<FluentResource>;

/// Words with their values, and what was wrong with them.
fn filled(bundle: &Bundle, key: &str, values: &FluentArgs<'_>) -> (Option<String>, bool) {
    let Some(pattern) = bundle.get_message(key).and_then(|message| message.value()) else {
        return (None, true);
    };
    let mut errors = Vec::new();
    let words = bundle.format_pattern(pattern, Some(values), &mut errors).into_owned();
    (Some(words), !errors.is_empty())
}

fn bundle(language: Language) -> Option<&'static Bundle> {
    static BUNDLES: LazyLock<[Option<Bundle>; 2]> = LazyLock::new(|| Language::ALL.map(read));
    BUNDLES[language as usize].as_ref()
}

/// What can be read of a language's words: a message with a fault is passed over.
fn read(language: Language) -> Option<Bundle> {
    let mut bundle = FluentBundle::new_concurrent(vec![language.tag().parse().ok()?]);
    // Marks around what is filled in, for letters that run the other way: no font draws them.
    bundle.set_use_isolating(false);
    let resource = match FluentResource::try_new(language.source().to_owned()) {
        Ok(resource) | Err((resource, _)) => resource,
    };
    let _ = bundle.add_resource(resource);
    Some(bundle)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::{Path, PathBuf};

    pub(crate) fn in_german(run: impl FnOnce()) {
        speak(Language::German);
        run();
        // Where tests share a thread.
        speak(Language::English);
    }

    type Keys = BTreeMap<String, BTreeSet<String>>;

    /// The keys of a language, each with the names of what is filled in, and with the other keys that it
    /// is made of as `key`.
    fn keys_of(language: Language) -> (Keys, Keys) {
        let (mut values, mut parts) = (Keys::new(), Keys::new());
        let mut key = String::new();
        for line in language.source().lines().filter(|line| !line.starts_with('#')) {
            if let Some((name, _)) = line.split_once(" =").filter(|_| !line.starts_with(' ')) {
                key = name.to_owned();
                assert!(
                    values.insert(key.clone(), BTreeSet::new()).is_none(),
                    "{key} is there twice"
                );
                parts.insert(key.clone(), BTreeSet::new());
            }
            let text = line.strip_prefix(&format!("{key} =")).unwrap_or(line);
            for inside in text.split('{').skip(1) {
                let word = inside.trim_start().split([' ', '}']).next().unwrap_or_default();
                match word.strip_prefix('$') {
                    Some(name) => values.get_mut(&key).unwrap().insert(name.to_owned()),
                    None => parts.get_mut(&key).unwrap().insert(word.to_owned()),
                };
            }
        }
        (values, parts)
    }

    /// The same with what the parts of each want.
    fn wanted(language: Language) -> Keys {
        let (values, parts) = keys_of(language);
        fn all(key: &str, values: &Keys, parts: &Keys) -> BTreeSet<String> {
            let mut names = values[key].clone();
            for part in &parts[key] {
                names.extend(all(part, values, parts));
            }
            names
        }
        values.keys().map(|key| (key.clone(), all(key, &values, &parts))).collect()
    }

    /// The sources of the window without their tests, and without comments.
    fn sources() -> Vec<(PathBuf, String)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let files = walkdir::WalkDir::new(folder).into_iter().flatten();
        let paths = files.map(walkdir::DirEntry::into_path).filter(|path| {
            path.extension().is_some_and(|end| end == "rs") && !path.ends_with("words.rs")
        });
        paths
            .map(|path| {
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\n").next().unwrap();
                let code = code.split("#[cfg(all(test").next().unwrap();
                let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
                (path, lines.map(|line| format!("{line}\n")).collect())
            })
            .collect()
    }

    /// What is asked for in a source: keys, and the names of what is filled in.
    fn asked(code: &str) -> Vec<(String, BTreeSet<String>)> {
        let mut found = Vec::new();
        for (start, names_values) in [("t!(", true), ("Word(", false)] {
            for (at, _) in code.match_indices(start) {
                let before = code[..at].chars().next_back().unwrap_or(' ');
                let rest = code[at + start.len()..].trim_start();
                let Some(rest) = rest.strip_prefix('"') else { continue };
                if before.is_alphanumeric() || before == '_' {
                    continue;
                }
                let (key, rest) = rest.split_once('"').unwrap();
                let names = if names_values { names_in(rest) } else { BTreeSet::new() };
                found.push((key.to_owned(), names));
            }
        }
        found
    }

    /// The names in `, n = 2, name = names::card(a, b))`.
    fn names_in(rest: &str) -> BTreeSet<String> {
        let (mut depth, mut names, mut word) = (1, BTreeSet::new(), String::new());
        for letter in rest.chars() {
            match letter {
                '(' | '{' | '[' => depth += 1,
                ')' | '}' | ']' => depth -= 1,
                _ => {}
            }
            match letter {
                _ if depth == 0 => break,
                '=' if depth == 1 => {
                    names.insert(word.trim().to_owned());
                }
                ',' if depth == 1 => word.clear(),
                _ => word.push(letter),
            }
        }
        names
    }

    #[test]
    fn every_language_has_exactly_the_keys_that_code_asks_for() {
        let mut asked_for = Keys::new();
        for (path, code) in sources() {
            for (key, names) in asked(&code) {
                let before = asked_for.insert(key.clone(), names.clone());
                let alike = before.is_none_or(|before| before == names);
                assert!(alike, "{key} is asked for otherwise in {}", path.display());
            }
        }
        for language in Language::ALL {
            let (here, name) = (wanted(language), language.name());
            for (key, names) in &asked_for {
                assert_eq!(here.get(key), Some(names), "{key} in {name}");
            }
            // Each language may have parts of its own, of which it makes its messages.
            let parts: BTreeSet<String> = keys_of(language).1.into_values().flatten().collect();
            let all = here.keys();
            let unused: Vec<_> =
                all.filter(|key| !asked_for.contains_key(*key) && !parts.contains(*key)).collect();
            assert!(unused.is_empty(), "{name}: nobody asks for {unused:?}");
        }
    }

    #[test]
    fn every_message_can_be_filled_in() {
        for language in Language::ALL {
            let read = FluentResource::try_new(language.source().to_owned());
            assert!(read.is_ok(), "{}: {:?}", language.name(), read.unwrap_err().1);
            let bundle = bundle(language).unwrap();
            for (key, names) in wanted(language) {
                for n in [0, 1, 2, 5, 100] {
                    // What is no number is a word that some of them choose by.
                    let words = ["shape", "color", "shading", "value", "property"];
                    let (text, is_wrong) = filled(
                        bundle,
                        &key,
                        &names
                            .iter()
                            .map(|name| match words.contains(&name.as_str()) {
                                true => (name.clone(), FluentValue::from("oval")),
                                false => (name.clone(), FluentValue::from(n)),
                            })
                            .collect(),
                    );
                    assert!(!is_wrong && text.is_some_and(|text| !text.is_empty()), "{key}");
                }
            }
        }
    }

    #[test]
    fn plurals_and_what_is_missing() {
        let says = |n: i64| t!("count-points", n = n);
        assert_eq!([-1, 0, 1, 2].map(says), ["-1 point", "0 points", "1 point", "2 points"]);
        in_german(|| {
            assert_eq!([-1, 0, 1, 2].map(says), ["-1 Punkt", "0 Punkte", "1 Punkt", "2 Punkte"]);
            assert_eq!([1, 2].map(|n: i64| t!("count-sets", n = n)), ["1 Set", "2 Sets"]);
        });
        assert_eq!(translated("no-such-key", &[]), "no-such-key");
    }

    #[test]
    fn the_locale_chooses() {
        for (locale, language) in [
            ("de_AT.UTF-8", Language::German),
            ("de", Language::German),
            ("en-US", Language::English),
            ("fr_FR", Language::English),
            ("C", Language::English),
            ("é", Language::English),
            ("", Language::English),
        ] {
            assert_eq!(Language::of_locale(locale), language, "{locale}");
        }
    }

    /// What stands between quotes in the window's code and is no word for its user: names of pictures,
    /// files and parts of the window that nobody sees.
    const NO_WORDS: &[&str] = &[
        "how to",
        "CARGO_PKG_VERSION",
        "CARGO_PKG_LICENSE",
        "live panel",
        "camera picture",
        "deal side",
        "a reading, or none, for each card",
        "Option::is_none",
        "scale in hand",
        "best by day",
    ];

    #[test]
    fn no_words_stand_in_the_code() {
        let mut found = Vec::new();
        for (path, code) in sources() {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // What the program says in the terminal, in English, and a test in a file of its own.
            if ["runner.rs", "two_programs.rs"].contains(&&*name) {
                continue;
            }
            for text in quoted(&code) {
                let letters = text.chars().filter(|c| c.is_alphabetic()).count();
                let several = text.split_whitespace().filter(|w| w.len() > 1).count() > 1;
                let capital = text.chars().next().is_some_and(char::is_uppercase) && letters > 1;
                if (several || capital) && !NO_WORDS.contains(&text.as_str()) {
                    found.push(format!("{name}: {text:?}"));
                }
            }
        }
        assert!(found.is_empty(), "these belong into words/en.ftl:\n{}", found.join("\n"));
    }

    /// What stands between quotes, but for keys of words and panics' reasons.
    fn quoted(code: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut rest = code;
        while let Some(at) = rest.find(['"', '\'']) {
            let before = &rest[..at];
            let quote = rest[at..].chars().next().unwrap();
            rest = &rest[at + 1..];
            if quote == '\'' {
                // A letter such as '"', or a lifetime.
                if let Some(after) = rest.strip_prefix("\"'") {
                    rest = after;
                }
                continue;
            }
            let mut end = 0;
            while let Some(next) = rest[end..].find(['"', '\\']) {
                end += next;
                if rest[end..].starts_with('"') {
                    break;
                }
                end += 2;
            }
            // The last is for the terminal.
            let skipped = ["t!(", "Word(", "expect(", "assert!(", "show_help: Some("];
            let spoken = skipped.iter().any(|start| before.trim_end().ends_with(start));
            if !spoken {
                found.push(rest[..end].to_owned());
            }
            rest = &rest[(end + 1).min(rest.len())..];
        }
        found
    }
}
