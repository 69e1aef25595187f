//! What cargo does not hold: which crates need nothing but Rust, that each is introduced, and why
//! each dependency is there.

#[path = "../tools/weight.rs"]
mod weight;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Lines from which a file needs a reason to be one.
const LONG_FILE_LINES: usize = 800;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The crates, by the names of their folders.
fn crates() -> Vec<String> {
    let folders = std::fs::read_dir(root().join("crates")).unwrap();
    let names = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    assert!(names.len() > 10, "{names:?}");
    names
}

/// What a crate and its crates depend on, without what only their tests use.
fn all_dependencies(name: &str, manifests: &BTreeMap<String, String>) -> BTreeSet<String> {
    let manifest = &manifests[name];
    let (_, rest) = manifest.split_once("[dependencies]\n").expect(name);
    let section = rest.split("\n[").next().unwrap();
    let mut all = BTreeSet::new();
    for line in section.lines().filter(|line| !line.starts_with('#')) {
        let Some(dependency) = line.split(['.', ' ']).next().filter(|name| !name.is_empty()) else {
            continue;
        };
        all.insert(dependency.to_owned());
        let ours = dependency.strip_prefix("setsight-");
        if let Some(ours) = ours.filter(|name| manifests.contains_key(*name)) {
            all.extend(all_dependencies(ours, manifests));
        }
    }
    all
}

#[test]
fn crates_need_only_what_they_say() {
    let manifest = |name: &String| (name.clone(), read(&format!("crates/{name}/Cargo.toml")));
    let manifests: BTreeMap<String, String> = crates().iter().map(manifest).collect();
    for name in manifests.keys() {
        let all = all_dependencies(name, &manifests);
        assert!(!all.contains("clap"), "{name}: the command line is the program's alone");
    }
    let with_opencv = |(_, text): &(&String, &String)| text.contains("opencv");
    let with_opencv: Vec<_> = manifests.iter().filter(with_opencv).collect();
    let [(name, text)] = with_opencv[..] else { panic!("more than one: {with_opencv:?}") };
    assert_eq!(name, "vision");
    assert!(text.contains("opencv = { workspace = true, optional = true }"), "{text}");
}

#[test]
fn every_crate_is_introduced() {
    let page = read("docs/inside/architecture.md");
    for name in crates() {
        assert!(
            page.contains(&format!("`crates/{name}`")),
            "docs/inside/architecture.md lacks {name}"
        );
        let readme = read(&format!("crates/{name}/README.md"));
        assert!(readme.starts_with(&format!("# setsight-{name}\n")), "{name}: {readme}");
        assert!(readme.lines().count() <= 20, "{name}: its README is to be read at a glance");
        let front = read(&format!("crates/{name}/src/lib.rs"));
        assert!(front.starts_with("//! "), "{name}: its front page says nothing");
    }
}

/// What the page says of each crate, in the column of what it uses.
#[test]
fn the_page_names_what_each_crate_uses() {
    let page = read("docs/inside/architecture.md");
    for name in crates() {
        let start = format!("| `crates/{name}` |");
        let row = page.lines().find(|line| line.starts_with(&start)).expect(&name);
        let cell = row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap().trim();
        let listed: BTreeSet<&str> = cell.split(", ").filter(|used| *used != "-").collect();
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        let (_, rest) = manifest.split_once("[dependencies]\n").expect(&name);
        let dependencies = rest.split("\n[").next().unwrap().lines();
        let uses = dependencies
            .filter_map(|line| line.strip_prefix("setsight-")?.split(['.', ' ']).next());
        assert_eq!(listed, uses.collect(), "docs/inside/architecture.md, crates/{name}");
    }
}

#[test]
fn every_dependency_has_a_reason() {
    let manifest = read("Cargo.toml");
    let (_, rest) = manifest.split_once("[workspace.dependencies]\n").unwrap();
    let section = rest.split("\n[").next().unwrap();
    let mut above = "";
    let mut checked = 0;
    for line in section.lines() {
        if line.contains(" = ") && !line.starts_with('#') && !line.starts_with("setsight-") {
            checked += 1;
            assert!(line.contains(" # ") || above.starts_with('#'), "Cargo.toml: why {line}?");
        }
        above = line;
    }
    assert!(checked > 40, "only {checked}: the test looks in the wrong place");
}

#[test]
fn docs_rs_is_asked_for_features_that_there_are() {
    let manifest = read("Cargo.toml");
    let section = |name: &str| {
        let (_, rest) = manifest.split_once(&format!("\n[{name}]\n")).expect(name);
        rest.split("\n[").next().unwrap()
    };
    let (_, asked) = section("package.metadata.docs.rs").split_once("features = [").unwrap();
    let asked: Vec<&str> = asked.split(']').next().unwrap().split('"').skip(1).step_by(2).collect();
    assert!(!asked.is_empty(), "the pages would lack what reads photos");
    for feature in asked {
        let is_there =
            section("features").lines().any(|line| line.starts_with(&format!("{feature} =")));
        assert!(is_there, "docs.rs: no feature {feature}");
    }
}

/// What `cargo package` does not ask for; tools/check-packages does with the packages what a user does.
#[test]
fn every_crate_can_be_published() {
    let root_manifest = read("Cargo.toml");
    for part in crates().iter().map(|name| format!("crates/{name}/")).chain(["models/".into()]) {
        let manifest = read(&format!("{part}Cargo.toml"));
        for field in ["license.workspace", "keywords.workspace", "description"] {
            assert!(manifest.contains(&format!("\n{field} = ")), "{part}Cargo.toml: no {field}");
        }
        for file in ["README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
            assert!(!read(&format!("{part}{file}")).is_empty(), "{part}{file}");
        }
        // A package takes along nothing that lies beside its crate; its tests are not for users.
        each_file(&root().join(&part), &mut |path| {
            let name = path.strip_prefix(root().join(&part)).unwrap();
            let up = "../".repeat(name.components().count());
            let text = std::fs::read_to_string(path).unwrap();
            let program = text.split("mod tests {").next().unwrap();
            for call in ["include_bytes!", "include_str!"] {
                let outside = program.contains(&format!("{call}(\"{up}"));
                assert!(name.starts_with("tests") || !outside, "{part}{}: {call}", name.display());
            }
        });
        // With a version, cargo would look for it where it never is.
        if manifest.contains("publish = false") {
            let name = manifest.split('"').nth(1).unwrap();
            let line = root_manifest.lines().find(|line| line.starts_with(&format!("{name} = ")));
            assert!(line.is_none_or(|line| !line.contains("version")), "Cargo.toml: {line:?}");
        }
    }
}

/// What is linked with LTO is vectorised at the level of the program's own crate, or not at all.
#[test]
fn what_is_shipped_is_optimised_throughout() {
    let manifest = read("Cargo.toml");
    let (_, release) = manifest.split_once("\n[profile.release]\n").unwrap();
    let section = release.split("\n[").next().unwrap();
    assert!(section.contains("lto = \"thin\"") && !section.contains("opt-level"), "{section}");
    assert!(!manifest.contains("[profile.release."), "Cargo.toml: a level of its own in release");
}

#[test]
fn no_file_is_too_long() {
    let mut looked_at = 0;
    for folder in ["src", "crates", "tests", "benches", "examples"] {
        each_file(&root().join(folder), &mut |path| {
            looked_at += 1;
            let lines = std::fs::read_to_string(path).unwrap().lines().count();
            assert!(lines <= LONG_FILE_LINES, "{}: {lines} lines", path.display());
        });
    }
    assert!(looked_at > 300, "only {looked_at}: the test looks in the wrong place");
}

#[test]
fn nothing_is_heavier_than_its_budget() {
    const BUDGETS: &str = "docs/inside/weight.toml";
    let text = read(BUDGETS);
    let weight = weight::Weight::measure(&root()).unwrap();
    let sections =
        [("lines", &weight.lines, weight::LINE_STEP), ("words", &weight.words, weight::WORD_STEP)];
    let mut faults = Vec::new();
    for (section, counts, step) in sections {
        let (_, budgets) = text.split_once(&format!("[{section}]\n")).expect(section);
        let budgets = budgets.split("\n[").next().unwrap();
        let budgets: BTreeMap<&str, usize> = budgets
            .lines()
            .filter_map(|line| line.split_once(" = "))
            .map(|(name, budget)| (name, budget.parse().expect(name)))
            .collect();
        for name in budgets.keys().filter(|name| !counts.contains_key(**name)) {
            faults.push(format!("{name}: nothing is there; take its budget away"));
        }
        for (name, &count) in counts {
            let budget = budgets.get(name.as_str()).copied().unwrap_or_default();
            assert_eq!(budget % step, 0, "{name}: budgets are whole steps of {step} {section}");
            if count > budget {
                faults.push(format!(
                    "{name}: {count} {section} are more than its budget of {budget}; take something \
                     away, or raise it in this commit and say for what"
                ));
            } else if count + 2 * step <= budget {
                faults.push(format!("{name}: {count} {section}; lower its budget of {budget}"));
            }
        }
    }
    assert!(faults.is_empty(), "{BUDGETS}:\n{}", faults.join("\n"));
}

/// Where files are opened without `setsight_files`, and why.
const OPENED_ELSEWHERE: [(&str, &str); 12] = [
    ("crates/files/src/small_file.rs", "reads them for all"),
    ("crates/files/src/whole_file.rs", "writes them for all"),
    ("crates/photo/src/source.rs", "photos, by their own limits"),
    ("crates/live/src/video.rs", "films, frame by frame"),
    ("crates/live/src/system/linux.rs", "the kernel's list of cameras"),
    (
        "crates/labels/src/convert/write.rs",
        "photos that were decoded before, copied piece by piece",
    ),
    ("crates/nets/src/engine/runtime.rs", "the head of an ordinary file"),
    ("crates/train/src/reader/drawn.rs", "training's own file, crop by crop"),
    ("crates/h7/src/folder.rs", "a new folder of its own"),
    ("crates/live/src/pictures.rs", "the head of a picture, for the time in it"),
    ("src/cli/stop.rs", "the kernel's figures"),
    ("src/cli/common.rs", "deals and boards, which may come from a pipe, up to a limit"),
];

#[test]
fn files_of_others_are_read_and_written_in_one_place() {
    // The system's fonts, and a lock.
    let exempt = ["desktop/src/fonts.rs", "train/own.rs", "testkit/"];
    let bare = ["fs::read(", "fs::read_to_string(", "File::open(", "File::create(", "fs::write("];
    let mut opened = BTreeSet::new();
    for folder in ["src", "crates"] {
        each_file(&root().join(folder), &mut |path| {
            let name = path.strip_prefix(root()).unwrap().display().to_string();
            if name.contains("/tests") || exempt.iter().any(|part| name.contains(part)) {
                return;
            }
            let text = std::fs::read_to_string(path).unwrap();
            let text = text.replace("WholeFile::create(", "").replace("LabelFile::create(", "");
            let program = text.split("mod tests {").next().unwrap();
            let mut lines = program.lines().filter(|line| !line.trim_start().starts_with("//"));
            if lines.any(|line| {
                bare.iter().any(|call| line.contains(call)) || line.contains("().from_path(")
            }) {
                opened.insert(name);
            }
        });
    }
    let listed: BTreeSet<String> =
        OPENED_ELSEWHERE.iter().map(|(name, _)| (*name).into()).collect();
    assert_eq!(opened, listed, "use setsight_files::small_file and whole_file");
}

/// What a library says is true without the command line, too; `src/cli/common.rs` adds the options.
#[test]
fn libraries_name_no_command_or_option() {
    let budgets = read("docs/inside/weight.toml");
    let (_, options) = budgets.split_once("[options]\n").unwrap();
    let commands: Vec<&str> = options.split('"').skip(1).step_by(2).collect();
    assert!(commands.len() > 20, "only {commands:?}: the test looks in the wrong place");
    let named = |line: &str| {
        let is_option = |(_, rest): (_, &str)| rest.starts_with(|c: char| c.is_ascii_lowercase());
        commands.iter().any(|command| line.contains(&format!("setsight {command}")))
            || [" --", "`--"].iter().any(|dashes| line.split_once(dashes).is_some_and(is_option))
    };
    // The window tells its users of the program that it is a part of.
    for name in crates().iter().filter(|name| !["window", "testkit"].contains(&name.as_str())) {
        each_file(&root().join("crates").join(name).join("src"), &mut |path| {
            let text = std::fs::read_to_string(path).unwrap();
            let program = text.split("mod tests {").next().unwrap();
            let is_code = |line: &&str| !line.trim_start().starts_with("//");
            let found = program.lines().filter(is_code).find(|line| named(line));
            let is_test = path.ends_with("tests.rs");
            assert!(is_test || found.is_none(), "{}: {found:?}", path.display());
        });
    }
}

#[test]
fn contributors_are_told_of_each_unsafe_line() {
    let page = read("CONTRIBUTING.md");
    let mut lines = 0;
    for folder in ["src", "crates"] {
        each_file(&root().join(folder), &mut |path| {
            let name = path.strip_prefix(root()).unwrap().display().to_string();
            let count = std::fs::read_to_string(path).unwrap().matches("unsafe {").count();
            assert!(count == 0 || page.contains(&format!("`{name}`")), "CONTRIBUTING.md: {name}");
            lines += count;
        });
    }
    assert_eq!(lines, 4, "CONTRIBUTING.md says how many");
}

/// Started otherwise, a program may ignore Ctrl-C as the tests do, and be waited for without end.
#[test]
fn tests_start_programs_by_the_testkit_alone() {
    let mut started = 0;
    for folder in ["tests", "crates"] {
        each_file(&root().join(folder), &mut |path| {
            let name = path.strip_prefix(root()).unwrap().display().to_string();
            let text = std::fs::read_to_string(path).unwrap();
            let starts = ["Command::new(", "program()", "world.command("];
            if name.contains("tests") && starts.iter().any(|start| text.contains(start)) {
                started += 1;
                for call in ["output", "spawn", "status"].map(|call| format!(".{call}()")) {
                    assert!(!text.contains(&call), "{name}: {call}; use setsight_testkit::child");
                }
            }
        });
    }
    assert!(started > 20, "only {started}: the test looks in the wrong place");
}

fn each_file(folder: &Path, look: &mut dyn FnMut(&Path)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            each_file(&path, look);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            look(&path);
        }
    }
}
