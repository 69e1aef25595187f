//! The help of every command: the same words and letters for the same things, readable on 80 columns.

use crate::common::Start;
use crate::common::called::{program, stdout_of};
use std::path::Path;

fn help(command: &[&str], columns: &str) -> String {
    stdout_of(program().args(command).arg("--help").env("COLUMNS", columns).ended())
}

/// The commands below one, by its help; each with its words from the start.
fn commands(above: &[String]) -> Vec<Vec<String>> {
    let words: Vec<&str> = above.iter().map(String::as_str).collect();
    let text = help(&words, "100");
    // The program's own are in groups; what is below them, in one list.
    let lists = if above.is_empty() { "\n\n" } else { "\nCommands:\n" };
    let Some((_, list)) = text.split_once(lists) else { return Vec::new() };
    let listed = list
        .lines()
        .take_while(|line| *line != "Options:" && (above.is_empty() || !line.is_empty()));
    let listed = listed.filter(|line| line.starts_with("  "));
    let named = listed.filter(|line| line.as_bytes()[2] != b' ').filter_map(|line| {
        let name = line.split_whitespace().next()?;
        (name != "help").then(|| [above, &[name.to_owned()]].concat())
    });
    named.flat_map(|command| [vec![command.clone()], commands(&command)].concat()).collect()
}

#[test]
fn the_same_thing_has_the_same_word_and_letter_everywhere() {
    let commands = commands(&[]);
    assert!(commands.len() >= 5, "{commands:?}");
    let (mut jobs, mut seeds) = (0, 0);
    for command in commands {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let text = help(&words, "100");
        for (long, short) in [("--jobs", "-j"), ("--out", "-o"), ("--format", "-f")] {
            for line in text.lines().map(str::trim_start) {
                // Behind the short one, if it has one; an example may begin with an option too.
                let option = line.split_once(", ").map_or(line, |(_, option)| option);
                if line.starts_with('-') && option.split(' ').next() == Some(long) {
                    assert!(line.starts_with(&format!("{short}, {long}")), "{command:?}: {line}");
                    jobs += usize::from(long == "--jobs");
                }
            }
        }
        for other in ["--threads", "--trials", "--output"] {
            assert!(!text.contains(other), "{command:?} says {other}");
        }
        if let Some((_, after)) = text.split_once("--seed <SEED>") {
            let help = after.split("\n      --").next().unwrap();
            let random = text.contains("--random");
            assert!(random || help.contains("[default: 1]"), "{command:?}: --seed{help}");
            seeds += 1;
        }
        assert!(!text.contains("--seed <S>"), "{command:?}");
    }
    assert!(jobs >= 1 && seeds >= 3, "{jobs} {seeds}");
}

fn is_option(line: &str) -> bool {
    let option = line.trim_start();
    let is_indented = line.len() - option.len() <= 6;
    option.starts_with('-') && is_indented && !option.starts_with("-h, --help")
}

/// An option costs its code, its words, its tests and everybody who reads past it; a rarely needed one, too.
#[test]
fn no_command_has_more_options_than_its_budget() {
    const BUDGETS: &str = "docs/inside/weight.toml";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(BUDGETS);
    let text = std::fs::read_to_string(path).unwrap();
    let (_, budgets) = text.split_once("[options]\n").unwrap();
    let now: String = commands(&[])
        .iter()
        .map(|command| {
            let words: Vec<&str> = command.iter().map(String::as_str).collect();
            let text = stdout_of(program().args(&words).arg("--help-all").ended());
            let count = text.lines().filter(|line| is_option(line)).count();
            format!("\"{}\" = {count}\n", words.join(" "))
        })
        .collect();
    assert_eq!(
        now, budgets,
        "{BUDGETS}: take an option away for a new one, or say in this commit why not"
    );
}

/// A manual page and completions for each command that `--help` names.
#[test]
fn manual_pages_and_completions_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    stdout_of(program().args(["man", "--out"]).arg(&pages).ended());
    let page = stdout_of(program().arg("man").ended());
    let bash = stdout_of(program().args(["completions", "bash"]).ended());
    let commands = commands(&[]);
    assert!(commands.iter().any(|command| command == &["train", "fuse"]), "{commands:?}");
    for command in commands {
        let name = format!("setsight-{}", command.join("-"));
        let page_of_command = std::fs::read_to_string(pages.join(format!("{name}.1")));
        let page_of_command = page_of_command.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(page_of_command.contains(".SH SYNOPSIS"), "{page_of_command}");
        if let [command] = &command[..] {
            assert!(page.contains(&format!("setsight\\-{command}(1)")), "{command}");
            assert!(bash.contains(&format!("setsight,{command})")), "{command}");
        }
    }
}

#[test]
fn help_fits_the_terminal() {
    for command in [vec![Vec::new()], commands(&[])].concat() {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        for (columns, most) in [(Some("80"), 80), (Some("100"), 100), (None, 80)] {
            for option in ["--help", "-h", "--help-all"] {
                let mut call = program();
                call.args(&words).arg(option).env_remove("COLUMNS");
                let text = stdout_of(
                    columns.iter().fold(&mut call, |call, n| call.env("COLUMNS", n)).ended(),
                );
                for line in text.lines() {
                    let fits = line.chars().count() <= most;
                    assert!(fits, "{command:?} {option} at {columns:?}: {line}");
                }
            }
        }
    }
}
