//! What the pages show: a command that is shown is one that there is, and what runs everywhere prints what the
//! page says.
//!
//! - A block of `console` is run, each page in a folder of its own. Lines behind `$ ` are called by the shell;
//!   what stands below one is all that it prints. `...` stands for any lines, or within a line for any text.
//! - What else calls `setsight` in a block needs a camera, a screen, a network, photos of one's own or more than a few seconds.
//!   It is held against the command line alone: its commands, options and values.
//!
//! Pages of the laboratory tell what was called at their date.

use crate::common::called::{program, stdout_of};
use crate::common::{Start, World};
use image::imageops::FilterType;
use setsight_testkit::{files_in, text_of};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Most lines of a page for users.
const MOST_LINES: usize = 150;
/// Most levels of 255 by which a picture may be off, as a mean: those of JPEG and of another way to shrink.
const MOST_LEVELS: f64 = 5.0;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Each page below a folder, by its path from the root.
fn pages_in(folder: &str) -> Vec<String> {
    files_in(folder, ".md")
}

/// The pages of now.
fn pages() -> Vec<String> {
    let docs = pages_in("docs").into_iter().filter(|page| !page.starts_with("docs/lab/"));
    ["README.md", "CONTRIBUTING.md", "models/README.md", "datasets/README.md"]
        .map(str::to_owned)
        .into_iter()
        .chain(docs)
        .collect()
}

/// The blocks of code: what is between fences with their word, and what is indented.
fn blocks(text: &str) -> Vec<(&str, Vec<String>)> {
    let mut blocks: Vec<(&str, Vec<String>)> = Vec::new();
    let mut goes_on = false;
    let mut open: Option<(&str, usize, Vec<String>)> = None;
    for line in text.lines() {
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        match (&mut open, bare.strip_prefix("```")) {
            (None, Some(word)) => open = Some((word, indent, Vec::new())),
            (None, None) if indent >= 4 => match blocks.last_mut().filter(|_| goes_on) {
                Some((_, lines)) => lines.push(bare.to_owned()),
                None => blocks.push(("", vec![bare.to_owned()])),
            },
            (None, None) => {}
            (Some(_), Some("")) => {
                let (word, _, lines) = open.take().unwrap();
                blocks.push((word, lines));
            }
            (Some((_, indent, lines)), _) => {
                lines.push(line.get(*indent..).unwrap_or_default().to_owned());
            }
        }
        goes_on = open.is_none() && indent >= 4;
    }
    blocks
}

/// A call in a block of `console`, and what the page shows of its output.
struct Shown {
    call: String,
    lines: Vec<String>,
}

fn shown(block: &[String]) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    for line in block {
        match (line.strip_prefix("$ "), all.last_mut()) {
            (Some(call), _) => all.push(Shown { call: call.to_owned(), lines: Vec::new() }),
            (None, Some(last)) => last.lines.push(line.trim_end().to_owned()),
            (None, None) => panic!("{line:?} stands above the first call"),
        }
    }
    all
}

/// Whether a line is as shown, with `...` for any text.
fn is_as_shown(shown: &str, line: &str) -> bool {
    let Some((start, rest)) = shown.split_once("...") else { return shown == line };
    let Some(line) = line.strip_prefix(start) else { return false };
    rest.is_empty() || line.char_indices().any(|(at, _)| is_as_shown(rest, &line[at..]))
}

/// What is wrong with an output, if anything is.
fn difference(shown: &[String], printed: &str) -> Option<String> {
    let mut printed = printed.lines().map(str::trim_end);
    let mut any = false;
    for line in shown {
        if line == "..." {
            any = true;
            continue;
        }
        let found = match std::mem::take(&mut any) {
            true => printed.any(|printed| is_as_shown(line, printed)),
            false => printed.next().is_some_and(|printed| is_as_shown(line, printed)),
        };
        if !found {
            return Some(format!("no {line:?} there"));
        }
    }
    let more = printed.next().filter(|_| !any && !shown.is_empty());
    more.map(|line| format!("{line:?} is not shown"))
}

fn lines_of(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_line_is_compared_as_the_pages_mean_it() {
    for (shown, printed) in [
        ("a\nb", "a\nb"),
        ("a\n...", "a"),
        ("...\nb", "a\na\nb"),
        ("took ... ms", "took 3.2 ms"),
        ("", "anything"),
    ] {
        assert_eq!(difference(&lines_of(shown), printed), None, "{shown}");
    }
    for (shown, printed) in [
        ("a", "a\nb"),
        ("a\nb", "a"),
        ("b", "a\nb"),
        ("a\n...\nc", "a\nb"),
        ("took ... ms", "took"),
    ] {
        assert!(difference(&lines_of(shown), printed).is_some(), "{shown}");
    }
}

/// What is wrong with calls, made one after the other in this world.
fn wrong_in(name: &str, world: &World, calls: &[Shown]) -> Vec<String> {
    let folder = Path::new(env!("CARGO_BIN_EXE_setsight")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).unwrap();
    let folders = ["datasets", "tests/data/contest", "crates/game/decks"];
    for folder in folders.map(|folder| root().join(folder)) {
        let name = world.path().join(folder.file_name().unwrap());
        std::os::unix::fs::symlink(&folder, name).unwrap();
    }
    let mut wrong = Vec::new();
    let mut code = Some(0);
    for (i, Shown { call, lines }) in calls.iter().enumerate() {
        if call == "echo $?" {
            assert_eq!(lines.first().map(|line| line.parse().ok()), Some(code), "{name}");
            continue;
        }
        let mut command = Command::new("sh");
        for screen in ["WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DISPLAY"] {
            command.env_remove(screen);
        }
        let ended = command
            .args(["-c", &format!("exec 2>&1; {call}")])
            .current_dir(world.path())
            .env("PATH", &path)
            .env("XDG_CONFIG_HOME", world.path().join("settings"))
            .env("COLUMNS", "80")
            .ended();
        code = ended.status.code();
        let asks = calls.get(i + 1).is_some_and(|next| next.call == "echo $?");
        let printed = String::from_utf8_lossy(&ended.stdout);
        let mut lines = &lines[..];
        while let [rest @ .., last] = lines
            && last.is_empty()
        {
            lines = rest;
        }
        // A message of several lines that was escaped as one.
        let reason = printed.contains("\\u{a}").then(|| "spells out an end of line".to_owned());
        let reason = reason.or_else(|| difference(lines, &printed));
        let reason = reason.or_else(|| (!asks && code != Some(0)).then(|| format!("{code:?}")));
        wrong.extend(reason.map(|reason| format!("{name}: {call}: {reason}\n{printed}")));
    }
    wrong
}

#[test]
fn what_the_pages_show_is_what_comes_out() {
    let mut wrong = Vec::new();
    let mut run = 0;
    for page in pages() {
        let text = text_of(&page);
        let console = blocks(&text).into_iter().filter(|(word, _)| *word == "console");
        let calls: Vec<Shown> = console.flat_map(|(_, lines)| shown(&lines)).collect();
        wrong.extend(wrong_in(&page, &World::new(), &calls));
        run += calls.len();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(run > 30, "only {run}: the test looks in the wrong place");
}

#[cfg(target_os = "linux")]
fn wrong_in_transcript(file: &str) -> Vec<String> {
    let world = World::new();
    world.file("small.png", &crate::common::pictures::small_png());
    wrong_in(file, &world, &shown(&lines_of(&text_of(file))))
}

/// Calls that are no page's, a file for each command, as a block of `console` would have them: `$ #` begins a
/// remark, and `|| echo $?` shows the exit code in the last line. They call tools as Linux has them.
#[cfg(target_os = "linux")]
#[test]
fn what_the_transcripts_show_is_what_comes_out() {
    let files = files_in("tests/data/console", ".txt");
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            files.iter().map(|file| scope.spawn(|| wrong_in_transcript(file))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The words behind `setsight` of each call on a line of a shell.
fn calls_on(line: &str) -> Vec<Vec<String>> {
    let line = line.split(" #").next().unwrap();
    let parts = line.split(['|', ';', '<', '>', '&']);
    let parts = parts.filter(|part| !part.trim_start().starts_with("cargo "));
    let calls = parts.filter_map(|part| {
        let mut words = part.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
        words.find(|word| *word == "setsight")?;
        // What a shell or `parallel` puts in.
        let filled = words.map(|word| match word.split_once('/') {
            Some((one, of)) if one.starts_with(['$', '{']) => format!("1/{of}"),
            _ => word.to_owned(),
        });
        Some(filled.collect())
    });
    calls.collect()
}

#[test]
fn every_command_on_the_pages_exists() {
    let world = World::new();
    let deck = root().join("crates/game/decks/classic.json");
    std::fs::copy(deck, world.path().join("ours.json")).unwrap();
    let mut wrong = Vec::new();
    let mut checked = 0;
    for page in pages() {
        for (word, lines) in blocks(&text_of(&page)) {
            if !["", "sh"].contains(&word) {
                continue;
            }
            for line in lines.join("\n").replace("\\\n", " ").lines() {
                for call in calls_on(line) {
                    // The command line is read up to the option that is asked for help.
                    let mut command = program();
                    let ended = command.args(&call).arg("--help").current_dir(world.path()).ended();
                    if !ended.status.success() {
                        let reason = String::from_utf8_lossy(&ended.stderr).into_owned();
                        wrong.push(format!("{page}: {line}: {reason}"));
                    }
                    checked += 1;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 80, "only {checked}: the test looks in the wrong place");
}

/// Where a link leads, from the page that it stands on.
fn links(page: &str) -> Vec<PathBuf> {
    let text = text_of(page);
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let files = targets.filter_map(|(target, _)| target.split('#').next());
    let local =
        files.filter(|file| !file.is_empty() && !file.contains("://") && !file.contains(' '));
    local.map(|file| root().join(page).parent().unwrap().join(file)).collect()
}

#[test]
fn links_lead_somewhere_and_the_book_holds_every_page() {
    let mut all = [pages(), pages_in("docs/lab")].concat();
    all.extend(["CHANGELOG.md", "SECURITY.md"].map(str::to_owned));
    let mut checked = 0;
    for page in &all {
        for link in links(page) {
            assert!(link.exists(), "{page}: {}", link.display());
            checked += 1;
        }
    }
    assert!(checked > 200, "only {checked}: the test looks in the wrong place");
    let listed: Vec<PathBuf> = links("docs/SUMMARY.md");
    for page in pages_in("docs").iter().filter(|page| *page != "docs/SUMMARY.md") {
        assert!(listed.contains(&root().join(page)), "docs/SUMMARY.md lacks {page}");
    }
}

/// But for their size and compression.
#[test]
fn pictures_of_a_reading_show_what_the_program_draws_now() {
    let world = World::new();
    let name = "7-hard-shadow-and-glare";
    let photo = root().join(format!("datasets/samples/{name}.jpg")).display().to_string();
    world.run(&["scan", &photo, "--out", "found"]).expect(0);
    world.run(&["scan", &photo, "--dump-stages", "stages"]).expect(0);
    for (picture, made) in [
        ("scan", format!("found/{name}.jpg")),
        ("rectify", format!("stages/{name}/5-rectify.png")),
        ("classify", format!("stages/{name}/7-classify.png")),
        ("board", format!("stages/{name}/8-board.png")),
    ] {
        let shown = image::open(root().join(format!("docs/images/{picture}.jpg"))).unwrap();
        let (shown, made) = (shown.into_rgb8(), image::open(world.path().join(made)).unwrap());
        let (width, height) = shown.dimensions();
        let made = made.resize_exact(width, height, FilterType::Triangle).into_rgb8();
        let levels = shown.iter().zip(made.iter()).map(|(a, b)| f64::from(a.abs_diff(*b)));
        let mean = levels.sum::<f64>() / shown.len() as f64;
        assert!(mean < MOST_LEVELS, "{picture} is {mean:.1} levels off: tools/pictures {picture}");
    }
}

#[test]
fn each_picture_is_on_a_page_and_in_the_script_that_makes_it() {
    let script = text_of("tools/pictures");
    let all: String = pages().iter().map(|page| text_of(page)).collect();
    let all = all + &pages_in("docs/lab").iter().map(|page| text_of(page)).collect::<String>();
    for file in files_in("docs/images", "") {
        let name = file.trim_start_matches("docs/images/");
        let (stem, _) = name.split_once('.').unwrap();
        let words = script.split(|c: char| !c.is_alphanumeric() && c != '-');
        assert!(words.into_iter().any(|word| word == stem), "tools/pictures: {stem}");
        assert!(all.contains(&format!("images/{name}")), "no page shows {name}");
    }
}

#[test]
fn limits_are_documented_as_they_are() {
    use setsight_files::small_file::{MAX_DATA_BYTES, MAX_JSON_VALUES, MAX_SETTINGS_BYTES};
    use setsight_photo::source::{MAX_FILE_BYTES, MAX_PIXELS, MAX_REDUCED_PIXELS};
    let page = text_of("docs/inside/security.md");
    let million = 1_000_000;
    for row in [
        format!(
            "| size of a photo | {} megapixels; a JPEG, or a HEIC in tiles, {},",
            MAX_PIXELS / million,
            MAX_REDUCED_PIXELS / million
        ),
        format!("| file of a photo | {} million bytes;", MAX_FILE_BYTES / million),
        format!("| decks, settings, lists of names | {} MB |", MAX_SETTINGS_BYTES >> 20),
        format!(
            "| JSON of labels and figures | {} MB and {} million values |",
            MAX_DATA_BYTES >> 20,
            MAX_JSON_VALUES / million as usize
        ),
    ] {
        assert!(page.contains(&row), "docs/inside/security.md: {row}");
    }
}

#[test]
fn exit_codes_are_those_that_the_help_tells() {
    let help = stdout_of(program().arg("--help").env("COLUMNS", "400").ended());
    let (_, listed) = help.split_once("Exit code: ").unwrap();
    let listed: Vec<&str> =
        listed.split_whitespace().filter(|word| word.parse::<u8>().is_ok()).collect();
    let page = text_of("docs/reference/commands.md");
    let (_, section) = page.split_once("\n## Exit codes\n").unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(' ').next());
    let codes: Vec<&str> = rows.filter(|cell| cell.parse::<u8>().is_ok()).collect();
    assert_eq!(codes, listed);
}

/// Those who train from crops wait for each run.
#[test]
fn each_run_of_the_training_script_is_documented() {
    let script = text_of("tools/train_reader.sh");
    let runs = script.lines().filter(|line| line.starts_with("run "));
    let of_screens = runs.filter(|line| line.contains("screens"));
    let words = ["No run", "One run", "Two runs", "Three runs", "Four runs"][of_screens.count()];
    let page = text_of("docs/guides/your-crops.md");
    assert!(page.contains(&format!("{words} of `train reader --screens`")), "{words}");
}

#[test]
fn a_page_for_users_is_short() {
    let pages = [pages_in("docs/start"), pages_in("docs/guides"), vec!["docs/faq.md".to_owned()]];
    for page in pages.concat() {
        let lines = text_of(&page).lines().count();
        assert!(lines <= MOST_LINES, "{page} has {lines} lines: part it");
    }
}
