//! What cargo does not hold: which crates need nothing but Rust, that each is introduced, and why
//! each dependency is there.

#[path = "../tools/weight.rs"]
mod weight;

use setsight_testkit::{child::Start, files_in, in_repository, text_of};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Lines from which a file needs a reason to be one.
const LONG_FILE_LINES: usize = 800;

/// The crates, by the names of their folders.
fn crates() -> Vec<String> {
    let folders = std::fs::read_dir(in_repository("crates")).unwrap();
    let names = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    assert!(names.len() > 10, "{names:?}");
    names
}

/// The sources below these folders, with their texts.
fn sources(folders: &[&str]) -> impl Iterator<Item = (String, String)> {
    let files: Vec<String> = folders.iter().flat_map(|folder| files_in(folder, ".rs")).collect();
    files.into_iter().map(|file| {
        let text = text_of(&file);
        (file, text)
    })
}

/// A source without its tests.
fn program(text: &str) -> &str {
    text.split("mod tests {").next().unwrap()
}

/// The lines of a source without its tests and comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    program(text).lines().filter(|line| !line.trim_start().starts_with("//"))
}

/// The lines of a section of TOML.
fn section<'a>(manifest: &'a str, name: &str) -> std::str::Lines<'a> {
    let (_, rest) = manifest.split_once(&format!("[{name}]\n")).expect(name);
    rest.split("\n[").next().unwrap().lines()
}

/// What a crate and its crates depend on, without what only their tests use.
fn all_dependencies(name: &str, manifests: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for line in section(&manifests[name], "dependencies").filter(|line| !line.starts_with('#')) {
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
    let manifests: BTreeMap<String, String> = crates()
        .into_iter()
        .map(|name| (name.clone(), text_of(&format!("crates/{name}/Cargo.toml"))))
        .collect();
    for name in manifests.keys() {
        let all = all_dependencies(name, &manifests);
        assert!(!all.contains("clap"), "{name}: the command line is the program's alone");
    }
    let with_opencv: Vec<_> =
        manifests.iter().filter(|(_, text)| text.contains("opencv")).collect();
    let [(name, text)] = with_opencv[..] else { panic!("more than one: {with_opencv:?}") };
    assert_eq!(name, "vision");
    assert!(text.contains("opencv = { workspace = true, optional = true }"), "{text}");
}

#[test]
fn every_crate_is_introduced() {
    let page = text_of("docs/inside/architecture.md");
    for name in crates() {
        assert!(
            page.contains(&format!("`crates/{name}`")),
            "docs/inside/architecture.md lacks {name}"
        );
        let readme = text_of(&format!("crates/{name}/README.md"));
        assert!(readme.starts_with(&format!("# setsight-{name}\n")), "{name}: {readme}");
        assert!(readme.lines().count() <= 20, "{name}: its README is to be read at a glance");
        let front = text_of(&format!("crates/{name}/src/lib.rs"));
        assert!(front.starts_with("//! "), "{name}: its front page says nothing");
    }
}

/// What the page says of each crate, in the column of what it uses.
#[test]
fn the_page_names_what_each_crate_uses() {
    let page = text_of("docs/inside/architecture.md");
    for name in crates() {
        let start = format!("| `crates/{name}` |");
        let row = page.lines().find(|line| line.starts_with(&start)).expect(&name);
        let cell = row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap().trim();
        let listed: BTreeSet<&str> = cell.split(", ").filter(|used| *used != "-").collect();
        let manifest = text_of(&format!("crates/{name}/Cargo.toml"));
        let uses = section(&manifest, "dependencies")
            .filter_map(|line| line.strip_prefix("setsight-")?.split(['.', ' ']).next());
        assert_eq!(listed, uses.collect(), "docs/inside/architecture.md, crates/{name}");
    }
}

#[test]
fn every_dependency_has_a_reason() {
    let manifest = text_of("Cargo.toml");
    let mut above = "";
    let mut checked = 0;
    for line in section(&manifest, "workspace.dependencies") {
        if line.contains(" = ") && !line.starts_with('#') && !line.starts_with("setsight-") {
            checked += 1;
            assert!(line.contains(" # ") || above.starts_with('#'), "Cargo.toml: why {line}?");
        }
        above = line;
    }
    assert!(checked > 40, "only {checked}: the test looks in the wrong place");
}

#[test]
fn docs_rs_is_asked_for_features_that_exist() {
    let manifest = text_of("Cargo.toml");
    let settings: String = section(&manifest, "package.metadata.docs.rs").collect();
    let (_, asked) = settings.split_once("features = [").unwrap();
    let asked: Vec<&str> = asked.split(']').next().unwrap().split('"').skip(1).step_by(2).collect();
    assert!(!asked.is_empty(), "the pages would lack what reads photos");
    for feature in asked {
        let mut features = section(&manifest, "features");
        let start = format!("{feature} =");
        assert!(features.any(|line| line.starts_with(&start)), "docs.rs: no feature {feature}");
    }
}

/// What `cargo package` does not ask for; tools/check-packages does with the packages what a user does.
#[test]
fn every_crate_can_be_published() {
    let root_manifest = text_of("Cargo.toml");
    for part in crates().iter().map(|name| format!("crates/{name}/")).chain(["models/".into()]) {
        let manifest = text_of(&format!("{part}Cargo.toml"));
        for field in ["license.workspace", "keywords.workspace", "description"] {
            assert!(manifest.contains(&format!("\n{field} = ")), "{part}Cargo.toml: no {field}");
        }
        for file in ["README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
            assert!(!text_of(&format!("{part}{file}")).is_empty(), "{part}{file}");
        }
        // A package takes along nothing that lies beside its crate; its tests are not for users.
        for (file, text) in sources(&[part.trim_end_matches('/')]) {
            let name = file.strip_prefix(&part).unwrap();
            let up = "../".repeat(name.split('/').count());
            for call in ["include_bytes!", "include_str!"] {
                let outside = program(&text).contains(&format!("{call}(\"{up}"));
                assert!(name.starts_with("tests/") || !outside, "{file}: {call}");
            }
        }
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
    let manifest = text_of("Cargo.toml");
    let release: String = section(&manifest, "profile.release").collect();
    assert!(release.contains("lto = \"thin\"") && !release.contains("opt-level"), "{release}");
    assert!(!manifest.contains("[profile.release."), "Cargo.toml: a level of its own in release");
}

/// A package that tests need with more features is compiled a second time, with all that depends on it.
#[test]
fn tests_compile_nothing_of_the_program_again() {
    let features = |of: &[&str]| -> BTreeSet<String> {
        let mut tree = Command::new(env!("CARGO"));
        tree.args(["tree", "--locked", "--offline", "--prefix", "none", "--format", "{p} {f}"]);
        let output = tree.args(of).current_dir(in_repository("")).ended();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8(output.stdout).unwrap();
        lines.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
    };
    let of_tests = features(&["--workspace", "--edges", "normal,build,dev"]);
    let of_program = features(&["--edges", "normal,build"]);
    let again: Vec<&String> = of_program.difference(&of_tests).collect();
    assert!(again.is_empty() && of_program.len() > 300, "{}: {again:?}", of_program.len());
}

#[test]
fn no_file_is_too_long() {
    let mut looked_at = 0;
    for (file, text) in sources(&["src", "crates", "tests", "benches", "examples"]) {
        looked_at += 1;
        let lines = text.lines().count();
        assert!(lines <= LONG_FILE_LINES, "{file}: {lines} lines");
    }
    assert!(looked_at > 300, "only {looked_at}: the test looks in the wrong place");
}

#[test]
fn nothing_is_heavier_than_its_budget() {
    const BUDGETS: &str = "docs/inside/weight.toml";
    let text = text_of(BUDGETS);
    let weight = weight::Weight::measure(&in_repository("")).unwrap();
    let sections =
        [("lines", &weight.lines, weight::LINE_STEP), ("words", &weight.words, weight::WORD_STEP)];
    let mut faults = Vec::new();
    for (unit, counts, step) in sections {
        let budgets: BTreeMap<&str, usize> = section(&text, unit)
            .filter_map(|line| line.split_once(" = "))
            .map(|(name, budget)| (name, budget.parse().expect(name)))
            .collect();
        for name in budgets.keys().filter(|name| !counts.contains_key(**name)) {
            faults.push(format!("{name}: nothing is there; take its budget away"));
        }
        for (name, &count) in counts {
            let budget = budgets.get(name.as_str()).copied().unwrap_or_default();
            assert_eq!(budget % step, 0, "{name}: budgets are whole steps of {step} {unit}");
            if count > budget {
                faults.push(format!(
                    "{name}: {count} {unit} are more than its budget of {budget}; take something \
                     away, or raise it in this commit and say for what"
                ));
            } else if count + 2 * step <= budget {
                faults.push(format!("{name}: {count} {unit}; lower its budget of {budget}"));
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
fn untrusted_files_are_opened_in_one_place() {
    // The system's fonts, and a lock.
    let exempt = ["desktop/src/fonts.rs", "train/fine_tune.rs", "testkit/"];
    let bare =
        ["fs::text_of(", "fs::read_to_string(", "File::open(", "File::create(", "fs::write("];
    let mut opened = BTreeSet::new();
    for (file, text) in sources(&["src", "crates"]) {
        if file.contains("/tests") || exempt.iter().any(|part| file.contains(part)) {
            continue;
        }
        let text = text.replace("WholeFile::create(", "").replace("LabelFile::create(", "");
        if code(&text).any(|line| {
            bare.iter().any(|call| line.contains(call)) || line.contains("().from_path(")
        }) {
            opened.insert(file);
        }
    }
    let listed: BTreeSet<String> =
        OPENED_ELSEWHERE.iter().map(|(name, _)| (*name).into()).collect();
    assert_eq!(opened, listed, "use setsight_files::small_file and whole_file");
}

/// What a library says is true without the command line, too; `src/cli/common.rs` adds the options.
#[test]
fn libraries_name_no_command_or_option() {
    let budgets = text_of("docs/inside/weight.toml");
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
        for (file, text) in sources(&[&format!("crates/{name}/src")]) {
            let found = code(&text).find(|line| named(line));
            assert!(file.ends_with("/tests.rs") || found.is_none(), "{file}: {found:?}");
        }
    }
}

#[test]
fn each_unsafe_line_is_documented() {
    let page = text_of("CONTRIBUTING.md");
    let mut lines = 0;
    for (file, text) in sources(&["src", "crates"]) {
        let count = text.matches("unsafe {").count();
        assert!(count == 0 || page.contains(&format!("`{file}`")), "CONTRIBUTING.md: {file}");
        lines += count;
    }
    assert_eq!(lines, 4, "CONTRIBUTING.md says how many");
}

/// Started otherwise, a program may ignore Ctrl-C as the tests do, and be waited for without end.
#[test]
fn tests_start_programs_by_the_testkit_alone() {
    let mut started = 0;
    for (file, text) in sources(&["tests", "crates"]) {
        let starts = ["Command::new(", "program()", "world.command("];
        if file.contains("tests") && starts.iter().any(|start| text.contains(start)) {
            started += 1;
            for call in ["output", "spawn", "status"].map(|call| format!(".{call}()")) {
                assert!(!text.contains(&call), "{file}: {call}; use setsight_testkit::child");
            }
        }
    }
    assert!(started > 20, "only {started}: the test looks in the wrong place");
}
