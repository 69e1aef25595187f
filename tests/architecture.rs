//! Dependencies between the rooms of `src` point one way, and the map names every room.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Each room and what it may use of the project. A path such as `pipeline::source` allows that part
/// alone.
const ROOMS: &[(&str, &[&str])] = &[
    ("cards", &[]),
    ("geometry", &[]),
    ("general", &[]),
    ("html", &[]),
    ("printable", &[]),
    ("json", &[]),
    ("avi", &[]),
    ("small_file", &[]),
    ("whole_file", &[]),
    ("plot", &["whole_file"]),
    ("sets", &["cards"]),
    ("game", &["cards", "sets"]),
    ("model", &["cards"]),
    ("pipeline", &["cards", "sets", "geometry", "model", "json", "printable", "whole_file"]),
    // Labels speak of the stored file, everything else of the upright photo: how the two lie to
    // each other is the source's knowledge.
    ("dataset", &["cards", "geometry", "small_file", "whole_file", "pipeline::source"]),
    // A drawn table comes with its labels.
    ("render", &["cards", "geometry", "dataset"]),
    // A deck that is learnt is compared with its own cards, drawn.
    ("deck_learning", &["cards", "geometry", "model", "pipeline", "render"]),
    ("plan", &["cards", "model", "pipeline", "printable", "deck_learning"]),
    ("reading", &["cards", "sets", "geometry", "pipeline", "plan"]),
    ("live", &["cards", "sets", "geometry", "pipeline", "whole_file", "avi"]),
    ("eval", MEASURING),
    ("train", MEASURING),
    ("export", MEASURING),
    // From corrected photos to models: it trains, measures and writes.
    ("own", TRAINING_AND_MEASURING),
    ("app", BELOW_THE_SURFACE),
    ("fuzzing", COMMANDS),
    ("cli", COMMANDS),
    ("internals", EVERYTHING),
];

const MEASURING: &[&str] = &[
    "cards",
    "sets",
    "geometry",
    "model",
    "pipeline",
    "render",
    "dataset",
    "html",
    "printable",
    "json",
    "plot",
    "whole_file",
];

const TRAINING_AND_MEASURING: &[&str] = &[
    "cards",
    "sets",
    "geometry",
    "model",
    "pipeline",
    "render",
    "dataset",
    "html",
    "printable",
    "json",
    "plot",
    "whole_file",
    "plan",
    "eval",
    "train",
    "export",
];

/// All but the two surfaces.
const BELOW_THE_SURFACE: &[&str] = &[
    "cards",
    "sets",
    "geometry",
    "model",
    "pipeline",
    "render",
    "dataset",
    "html",
    "printable",
    "json",
    "plot",
    "whole_file",
    "avi",
    "general",
    "game",
    "live",
    "eval",
    "train",
    "export",
    "own",
    "deck_learning",
    "plan",
];

/// A command opens the window.
const COMMANDS: &[&str] = &[
    "cards",
    "sets",
    "geometry",
    "model",
    "pipeline",
    "render",
    "dataset",
    "html",
    "printable",
    "json",
    "plot",
    "whole_file",
    "avi",
    "general",
    "game",
    "live",
    "eval",
    "train",
    "export",
    "own",
    "app",
    "deck_learning",
    "plan",
];

/// What the crate's own tests see.
const EVERYTHING: &[&str] = &[
    "cards", "sets", "geometry", "model", "pipeline", "render", "dataset", "avi", "game", "live",
    "eval", "train", "export", "app", "fuzzing", "cli", "plan",
];

#[test]
fn rooms_use_only_what_they_may() {
    let mut wrong = Vec::new();
    let mut looked_at = 0;
    for room in rooms() {
        let Some((_, may_use)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            panic!("src/{room} is no room that this test knows: say in ROOMS what it may use");
        };
        for file in files_of(&room) {
            looked_at += 1;
            let code = without_comments(&std::fs::read_to_string(&file).unwrap());
            for path in crate_paths(&code) {
                let allowed = |may: &str| path == may || path.starts_with(&format!("{may}::"));
                let own = path == room || path.starts_with(&format!("{room}::"));
                if !own && !may_use.iter().any(|may| allowed(may)) {
                    wrong.push(format!("{}: crate::{path}", file.display()));
                }
            }
        }
    }
    assert!(looked_at > 50, "only {looked_at} files: the test looks in the wrong place");
    assert!(wrong.is_empty(), "against the direction of dependencies:\n{}", wrong.join("\n"));
}

#[test]
fn what_is_allowed_goes_in_no_circle() {
    // A room stands after all that it may use.
    for (place, (room, may_use)) in ROOMS.iter().enumerate() {
        for used in *may_use {
            let used = used.split("::").next().unwrap();
            let at = ROOMS.iter().position(|(name, _)| *name == used);
            assert!(at.is_some_and(|at| at < place), "{room} uses {used}, which comes after it");
        }
    }
}

#[test]
fn within_a_room_files_use_each_other_in_no_circle() {
    for room in rooms() {
        let circles = circles_of(&room);
        assert!(circles.is_empty(), "{room} has files in a circle: {circles:?}");
    }
}

#[test]
fn the_map_names_every_room() {
    let page = std::fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    for room in rooms() {
        assert!(
            page.contains(&format!("`src/{room}/`")) || page.contains(&format!("`src/{room}.rs`")),
            "docs/architecture.md: the map lacks src/{room}"
        );
    }
}

#[test]
fn the_page_says_why_each_dependency_is_there() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let page = std::fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let (_, table) = page.split_once("## Why these dependencies").unwrap();
    let dependencies = dependencies_of(&manifest);
    for known in ["clap", "opencv", "v4l"] {
        assert!(dependencies.contains(&known), "the test overlooks {known}: {dependencies:?}");
    }
    assert!(!dependencies.contains(&"criterion"), "only tests use it");
    let missing = dependencies.iter().filter(|name| !table.contains(&format!("`{name}`")));
    let missing: Vec<_> = missing.collect();
    assert!(missing.is_empty(), "docs/architecture.md does not say why: {missing:?}");
}

/// Names in `[dependencies]` and in those of a target; not what only tests use.
fn dependencies_of(manifest: &str) -> Vec<&str> {
    let mut is_in_section = false;
    let mut names = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_in_section = line == "[dependencies]" || line.ends_with(".dependencies]");
        } else if is_in_section
            && !line.starts_with('#')
            && let Some((name, _)) = line.split_once(" = ")
        {
            names.push(name);
        }
    }
    names
}

#[test]
fn the_scan_sees_what_it_is_for() {
    let code = without_comments(
        "//! See [`setsight_vision`].\nuse setsight_game::cards::Card; // and not setsight_eval\n\
         use crate::\n    sets;
         use setsight_photo::geometry::{Point, Quad};\nlet x = setsight_eval::html::href(y);",
    );
    let paths: Vec<String> = crate_paths(&code);
    assert_eq!(paths, ["cards::Card", "geometry::", "sets", "html::href"]);
}

#[test]
fn paths_upwards_are_seen() {
    let code =
        without_comments("use crate::data::{Card, sub::{A, B}};\nlet x = crate::f(); // crate::no");
    let paths = upward_paths(&code, &["pipeline".into(), "find".into(), "place".into()]);
    assert_eq!(paths.len(), 4, "{paths:?}");
    assert!(paths.contains(&"pipeline::find::data::sub::B".to_owned()), "{paths:?}");
    assert!(paths.contains(&"pipeline::f".to_owned()), "{paths:?}");
}

/// Files of a room that can be reached from themselves by what they use, each with its module's path. A
/// file that only names its children and hands their items on uses them; tests do not count.
fn circles_of(room: &str) -> Vec<String> {
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let files = files_of(room);
    let module = |file: &Path| {
        let path = file.strip_prefix(root().join("src")).unwrap().with_extension("");
        let mut parts: Vec<String> =
            path.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
        if parts.last().is_some_and(|last| last == "mod") {
            parts.pop();
        }
        parts
    };
    let modules: BTreeSet<String> = files.iter().map(|file| module(file).join("::")).collect();
    for file in &files {
        let own = module(file);
        let code = without_comments(&std::fs::read_to_string(file).unwrap());
        let code = code.split("mod tests {").next().unwrap();
        let mut paths = upward_paths(code, &own);
        // Its own children, as in `use child::Item` and `child::item()`.
        let children = modules.iter().filter_map(|other| {
            let child = other.strip_prefix(&own.join("::"))?.strip_prefix("::")?;
            (!child.contains("::")).then_some(child)
        });
        for child in children {
            let is_used = code.match_indices(&format!("{child}::")).any(|(at, _)| {
                !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':')
            });
            if is_used {
                paths.push(format!("{}::{child}", own.join("::")));
            }
        }
        let own = own.join("::");
        let used = paths.iter().filter_map(|path| {
            let holds = |m: &&String| path == *m || path.starts_with(&format!("{m}::"));
            modules.iter().filter(holds).max_by_key(|m| m.len())
        });
        uses.insert(own.clone(), used.filter(|used| **used != own).cloned().collect());
    }
    let reaches_itself = |start: &&String| {
        let mut seen = BTreeSet::new();
        let mut next: Vec<&String> = uses[*start].iter().collect();
        while let Some(module) = next.pop() {
            if module == *start {
                return true;
            }
            if seen.insert(module) {
                next.extend(&uses[module]);
            }
        }
        false
    };
    uses.keys().filter(reaches_itself).cloned().collect()
}

/// All paths of `crate::` and `super::` in a module's code, from the crate's root.
fn upward_paths(code: &str, own: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let mut rest = &code[at..];
            let mut base = own.to_vec();
            while let Some(above) = rest.strip_prefix("super::") {
                base.pop();
                rest = above;
            }
            if let Some(inside) = rest.strip_prefix("crate::") {
                base.clear();
                rest = inside;
            }
            expand(&base.join("::"), rest, &mut found);
        }
    }
    found
}

/// The paths that `code` begins with: one, or those of a group.
fn expand(base: &str, code: &str, found: &mut Vec<String>) {
    let code = code.trim_start();
    let join =
        |name: &str| if base.is_empty() { name.to_owned() } else { format!("{base}::{name}") };
    let Some(group) = code.strip_prefix('{') else {
        let end = code.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(code.len());
        let (name, rest) = code.split_at(end);
        match rest.strip_prefix("::") {
            Some(rest) if !name.is_empty() => expand(&join(name), rest, found),
            _ if name.is_empty() || name == "self" => found.push(base.to_owned()),
            _ => found.push(join(name)),
        }
        return;
    };
    let (mut depth, mut from) = (0, 0);
    for (i, c) in group.char_indices() {
        match c {
            ',' | '}' if depth == 0 => {
                if !group[from..i].trim().is_empty() {
                    expand(base, &group[from..i], found);
                }
                from = i + 1;
                if c == '}' {
                    return;
                }
            }
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// What stands in `src`, but for the crate's front page and `main`.
fn rooms() -> BTreeSet<String> {
    std::fs::read_dir(root().join("src"))
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name != "lib" && name != "main")
        .collect()
}

/// The files of a room: `src/room.rs`, and all below `src/room`.
fn files_of(room: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let single = root().join("src").join(format!("{room}.rs"));
    if single.is_file() {
        files.push(single);
    }
    let folder = root().join("src").join(room);
    if folder.is_dir() {
        add_files(&folder, &mut files);
    }
    files
}

fn add_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Comments and docs may speak of any room.
fn without_comments(source: &str) -> String {
    let code = source.lines().map(|line| line.split("//").next().unwrap_or_default());
    code.collect::<Vec<_>>().join("\n")
}

/// What follows each `crate::`: a path, or all paths of a group (each up to its own group).
fn crate_paths(code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let Some(group) = rest.strip_prefix('{') else {
            paths.push(path_at(rest));
            continue;
        };
        let mut depth = 0;
        let mut start = true;
        for (i, c) in group.char_indices() {
            match c {
                '}' if depth == 0 => break,
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => start = true,
                c if start && depth == 0 && !c.is_whitespace() => {
                    paths.push(path_at(&group[i..]));
                    start = false;
                }
                _ => {}
            }
        }
    }
    paths
}

fn path_at(code: &str) -> String {
    let end = code.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    code[..end.unwrap_or(code.len())].to_owned()
}
