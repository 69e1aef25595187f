//! What a release promises before anything is built: versions that agree, workflows that call what there is, and
//! a script that refuses what it should.

use setsight_testkit::{child::Start, files_in, in_repository, text_of};
use std::path::Path;
use std::process::{Command, Output};

/// What stands behind the first of these words, up to a character.
fn behind<'a>(text: &'a str, words: &str, end: char) -> &'a str {
    let (_, rest) = text.split_once(words).unwrap_or_else(|| panic!("no {words:?}"));
    rest.split(end).next().unwrap()
}

#[test]
fn versions_agree() {
    let (manifest, changes) = (text_of("Cargo.toml"), text_of("CHANGELOG.md"));
    let version = behind(&manifest, "[workspace.package]\nversion = \"", '"');
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    let (newest, day) = behind(&changes, "\n## ", '\n').split_once(", ").unwrap();
    assert_eq!(newest, version, "CHANGELOG.md");
    let is_day = day.len() == 10 && day.chars().all(|c| c.is_ascii_digit() || c == '-');
    assert!(is_day || day == "not yet released", "CHANGELOG.md: {day}");
    let packages = manifest
        .lines()
        .filter(|line| line.starts_with("setsight-"))
        .filter(|l| l.contains("version = "));
    for line in packages {
        assert_eq!(behind(line, "version = \"", '"'), version, "Cargo.toml: {line}");
    }
    let metainfo = text_of("tools/package.d/io.github.setsight.setsight.metainfo.xml");
    assert_eq!(behind(&metainfo, "<release version=\"", '"'), version);
    if is_day {
        assert_eq!(behind(&metainfo, "date=\"", '"'), day, "the metainfo's day is another");
    }
    let readme = text_of("README.md");
    assert_eq!(behind(&readme, "package/setsight_", '-'), version, "README.md");
    let mut files = readme.split("setsight-").filter(|rest| rest.starts_with(char::is_numeric));
    assert!(
        files.all(|rest| rest.starts_with(version)),
        "README.md names a file of another version"
    );
}

fn exists(path: &str) -> bool {
    in_repository(path).exists()
}

/// All texts below some folders, one after the other, but this file's.
fn texts(folders: &[&str]) -> String {
    let files = folders.iter().flat_map(|folder| files_in(folder, ""));
    let files = files.filter(|file| file != "tests/release.rs");
    files.filter_map(|file| std::fs::read_to_string(in_repository(&file)).ok()).collect()
}

/// The shell's lines in a workflow.
fn shell_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut block = None;
    for line in text.lines() {
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        if block.is_some_and(|least| indent >= least) {
            // A line that the shell continues.
            match lines.last_mut().and_then(|last| last.strip_suffix('\\').map(str::to_owned)) {
                Some(start) => *lines.last_mut().unwrap() = start + bare,
                None => lines.push(bare.to_owned()),
            }
            continue;
        }
        block = None;
        match bare.trim_start_matches("- ").split_once("run: ") {
            Some(("", "|")) => {
                lines.push(String::new());
                block = Some(indent + 2);
            }
            Some(("", command)) => lines.push(command.to_owned()),
            _ => {}
        }
    }
    lines
}

/// The workflows, by name, and the shell's lines in each.
fn workflows() -> Vec<(String, String, Vec<String>)> {
    let all: Vec<_> = files_in(".github/workflows", "")
        .into_iter()
        .map(|file| {
            let text = text_of(&file);
            let lines = shell_lines(&text);
            (file, text, lines)
        })
        .collect();
    assert!(all.len() >= 3 && all.iter().all(|(_, _, lines)| !lines.is_empty()));
    all
}

#[test]
fn workflows_call_what_exists() {
    let mut scripts = 0;
    let tools = texts(&["tools"]);
    for (workflow, _, lines) in workflows() {
        for line in &lines {
            // YAML would take the colon for a name's.
            let is_plain = !line.starts_with(['"', '\'']);
            assert!(!(is_plain && line.ends_with(':')), "{workflow}: quote {line:?}");
            for command in line.trim_matches('"').split(['|', '&', ';']) {
                let words: Vec<&str> = command.split_whitespace().collect();
                let Some(first) = words.first() else { continue };
                if first.starts_with("tools/") || first.starts_with(".ci/") {
                    scripts += 1;
                    let script = text_of(first);
                    assert!(script.starts_with("#!"), "{workflow}: {first} is no program");
                    // Of other scripts each word, which is an option or a part, is one that they know.
                    for word in words.iter().skip(1).filter(|_| *first != "tools/test.sh") {
                        let script_words =
                            script.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
                        assert!(
                            script_words.into_iter().any(|option| option == *word),
                            "{workflow}: {first} {word}"
                        );
                    }
                }
                for pair in words.windows(2) {
                    let value = pair[1].trim_end_matches('"');
                    let is_found = match pair[0] {
                        "-p" => {
                            exists(&format!("crates/{}", value.trim_start_matches("setsight-")))
                        }
                        "--test" => {
                            let is_of = words.windows(2).find(|pair| pair[0] == "-p");
                            let folder = is_of.map_or(String::new(), |pair| {
                                pair[1].replacen("setsight-", "crates/", 1) + "/"
                            });
                            ["", "/main"]
                                .iter()
                                .any(|end| exists(&format!("{folder}tests/{value}{end}.rs")))
                        }
                        "--bench" => exists(&format!("benches/{value}.rs")),
                        "--root" => tools.contains(value),
                        _ => true,
                    };
                    assert!(is_found, "{workflow}: there is no {} {value}", pair[0]);
                }
                if command.contains("rustup target add") {
                    for triple in words.iter().filter(|word| word.contains("-")) {
                        assert!(
                            tools.contains(triple),
                            "{workflow}: no script builds for {triple}"
                        );
                    }
                }
            }
        }
    }
    assert!(scripts >= 8, "only {scripts}: the test looks in the wrong place");
}

#[test]
fn workflows_name_what_is_written_and_read() {
    let sources = texts(&["tools", "crates", "tests"]);
    let mut names = 0;
    for (workflow, text, _) in workflows() {
        for name in text.split(|c: char| !(c.is_ascii_alphanumeric() || "_-/".contains(c))) {
            if name.starts_with("SETSIGHT_") || name.starts_with("target/") {
                names += 1;
                assert!(sources.contains(name), "{workflow}: nothing knows {name}");
            }
        }
    }
    assert!(names >= 5, "only {names}: the test looks in the wrong place");
}

/// Runs with neither cargo's own programs nor settings of this user.
fn run(at: &Path, program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"] {
        command.env_remove(name);
    }
    command.env("PATH", "/usr/bin:/bin").env("HOME", at).args(arguments).current_dir(at).ended()
}

fn git(at: &Path, arguments: &[&str]) {
    let user = ["-c", "user.name=ann", "-c", "user.email=ann@example.org"];
    let output = run(at, "git", &[&user, arguments].concat());
    assert!(output.status.success(), "{output:?}");
}

/// What a checkout of a release holds, and what `tools/release` says of it.
#[test]
fn what_is_no_release_is_refused() {
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    let open = format!("# Changes\n\n## {VERSION}, not yet released\n");
    let dated = format!("# Changes\n\n## {VERSION}, 2027-01-31\n");
    let older = "# Changes\n\n## 0.0.1, 2027-01-31\n".to_owned();
    let (tag, other) = (format!("v{VERSION}"), "v77.0.0".to_owned());
    for (changes, tag, dirty, part, code, words) in [
        (&dated, Some(&other), false, "page", 1, "the tag v77.0.0 is not the version"),
        (&open, Some(&tag), false, "page", 1, "put the day there"),
        (&older, None, false, "page", 1, "make them agree"),
        (&open, None, true, "page", 1, "not committed"),
        (&dated, Some(&tag), false, "pages", 2, "pages: unknown part; see --help"),
        // All is well but that there are no tools.
        (&dated, Some(&tag), false, "page", 1, "cargo-cyclonedx is missing: cargo install"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        std::fs::create_dir_all(at.join("tools/release.d")).unwrap();
        for file in ["Cargo.toml", "tools/release", "tools/release.d/shared.sh"] {
            std::fs::copy(in_repository(file), at.join(file)).unwrap();
        }
        std::fs::write(at.join("CHANGELOG.md"), changes).unwrap();
        git(at, &["init", "--quiet"]);
        git(at, &["add", "."]);
        git(at, &["commit", "--quiet", "--message", "all"]);
        if let Some(tag) = tag {
            git(at, &["tag", tag]);
        }
        if dirty {
            std::fs::write(at.join("note.txt"), "mine").unwrap();
        }
        let output = run(at, "bash", &["tools/release", part]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{words}: {errors}");
        assert!(errors.contains(words), "{words}: {errors}");
        assert!(!at.join("target").exists(), "{words}: something is left");
    }
}

#[test]
fn every_check_is_listed() {
    let (table, mut called) = (text_of("tools/checks.txt"), String::new());
    for row in table.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = row.splitn(6, " | ").map(str::trim).collect();
        let [_, "always" | "due", minutes, needs, paths, command] = cells[..] else {
            panic!("{row}")
        };
        assert!(minutes.parse::<u32>().is_ok(), "{row}");
        let tools = command.split(' ').chain(needs.split(' ')).filter(|word| word.contains('/'));
        for path in tools.chain(paths.split(' ')) {
            assert!(exists(path), "there is no {path}: {row}");
        }
        called += &format!(" {command} ");
    }
    let tools = files_in("tools", "").into_iter().filter(|tool| {
        let name = tool.rsplit('/').next().unwrap();
        ["verify", "build", "check", "check-builds"].contains(&name)
    });
    let targets = files_in("fuzz/fuzz_targets", ".rs").into_iter();
    let targets = targets.map(|target| behind(&target, "fuzz_targets/", '.').to_owned());
    for word in tools.chain(targets) {
        assert!(called.contains(&format!(" {word} ")), "tools/checks.txt does not call {word}");
    }
}

#[test]
fn a_check_is_due_until_it_passes_on_what_it_depends_on() {
    let table = "good | due | 1 | cat | a | cat a\nbad | due | 2 | cat | a/b | false\n\
        long | due | 90 | cat | a | cat\nnone | always | 1 | no-such-tool | a | cat\n";
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let write = |file: &str, text: &str| std::fs::write(at.join(file), text).unwrap();
    std::fs::create_dir_all(at.join("docs/inside")).unwrap();
    std::fs::create_dir(at.join("tools")).unwrap();
    write("tools/checks", &text_of("tools/checks"));
    write("tools/checks.txt", table);
    write("docs/inside/checked.toml", "# head\nhand_over = 6\n");
    git(at, &["init", "--quiet"]);
    git(at, &["add", "."]);
    git(at, &["commit", "--quiet", "--message", "all"]);
    let checks = |arguments: &[&str], code: i32| {
        let output = run(at, "bash", &[&["tools/checks"], arguments].concat());
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    write("a", "1");
    let printed = checks(&["--within", "640"], 1);
    let late = "; OVERDUE: last passed at hand-over 0, now it is 6\n";
    let end = format!(
        "NOT RUN: none: no-such-tool is missing{late}NOT RUN: long: it takes 90 minutes, and 10 are \
         left{late}FAILED: bad\n"
    );
    assert!(printed.ends_with(&end) && !checks(&[], 0).contains("good"), "{printed}");
    write("a", "2");
    assert!(checks(&[], 0).contains("good           1 min  due\n"));
    // A hand-over is counted once until the file is committed.
    write("tools/checks.txt", &table.replace("false", "true"));
    (0..2).for_each(|_| drop(checks(&["--within", "640"], 0)));
    let checked = std::fs::read_to_string(at.join("docs/inside/checked.toml")).unwrap();
    assert!(checked.starts_with("# head\nhand_over = 7\nbad = { state = \""), "{checked}");
}
