//! `setsight general` as a user calls it.

use crate::common::Start;
use crate::common::called::{program, stdout_of};
use serde_json::Value;
use setsight::general::{Card, Rules};
use std::path::Path;
use std::process::Output;

fn general(args: &str) -> Output {
    program().arg("general").args(args.split_whitespace()).ended()
}

fn stdout(args: &str) -> String {
    stdout_of(general(args))
}

fn refused(args: &str) -> String {
    let output = general(args);
    assert_eq!(output.status.code(), Some(2), "{args}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_sets_of_a_game_are_shown_and_are_sets() {
    let text = stdout("--values 5 --properties 4 --sets 4 --seed 3");
    assert!(text.starts_with(
        "5 values, 4 properties: 625 cards with 2,034,500 sets; 4 sets to find; solver cover, seed \
             3\n"
    ));
    let rules = Rules::new(5, 4, 4).unwrap();
    let sets: Vec<Vec<Card>> = text
        .lines()
        .filter_map(|line| line.split_once("cards: "))
        .map(|(_, cards)| {
            cards.split(' ').map(|card| rules.card(card.bytes().map(|b| b - b'0'))).collect()
        })
        .collect();
    assert_eq!(sets.len(), 4);
    assert!(sets.iter().all(|set| rules.is_set(set)));
    assert!(text.contains("4 sets found in "));
}

#[test]
fn json_is_one_line_with_a_time_for_each_game() {
    let text = stdout("--values 4 --properties 4 --sets 3 --games 5 --seed 9 --format json");
    assert_eq!(text.lines().count(), 1);
    let line: Value = serde_json::from_str(&text).unwrap();
    for (name, value) in [("values", 4), ("properties", 4), ("sets", 3), ("games", 5), ("seed", 9)]
    {
        assert_eq!(line[name], value, "{name}");
    }
    assert_eq!(line["solver"], "cover");
    let seconds: Vec<f64> =
        line["seconds"].as_array().unwrap().iter().map(|s| s.as_f64().unwrap()).collect();
    assert_eq!(seconds.len(), 5);
    let mean = seconds.iter().sum::<f64>() / 5.0;
    assert!((line["mean_seconds"].as_f64().unwrap() - mean).abs() <= mean * 1e-9);
    assert!(line["board_sizes"].as_array().unwrap().iter().all(|n| n.as_u64().unwrap() >= 16));
}

#[test]
fn every_solver_meets_its_first_set_on_the_same_board() {
    let sizes = |solver: &str| {
        let args = "--values 4 --properties 3 --games 6 --seed 2 --format json";
        let text = stdout(&format!("{args} --solver {solver}"));
        serde_json::from_str::<Value>(&text).unwrap()["board_sizes"].clone()
    };
    let expected = sizes("cover");
    let mut others = vec!["brute", "dynamic"];
    if cfg!(feature = "smt") {
        others.extend(["smt", "smt-boolean"]);
    }
    for solver in others {
        assert_eq!(sizes(solver), expected, "{solver}");
    }
}

#[test]
fn the_same_call_gives_the_same_game_and_says_its_seed() {
    let cards = |args: &str| -> Vec<String> {
        let text = stdout(args);
        assert!(text.lines().next().unwrap().contains(", seed "), "{text}");
        text.lines().filter(|line| line.contains("cards: ")).map(str::to_owned).collect()
    };
    let game = cards("--sets 5");
    assert_eq!(game.len(), 5);
    assert_eq!(cards("--sets 5 --seed 1"), game);
    assert_ne!(cards("--sets 5 --seed 2"), game);
}

#[test]
fn a_deck_that_runs_out_is_said_to() {
    let text = stdout("--sets 27 --seed 1");
    assert!(text.contains("the deck is out; "), "{text}");
}

#[test]
fn one_and_two_values_are_answered() {
    assert!(stdout("--values 1 --properties 5 --seed 1").contains("among 1 cards: 00000"));
    assert!(stdout("--values 2 --properties 60 --sets 9 --seed 1").contains("9 sets found"));
}

#[test]
fn a_page_has_the_plots_and_a_line_for_each_game() {
    let folder = tempfile::tempdir().unwrap();
    // Games too short for the clock share a time, which is then not drawn.
    for (games, solver, plots) in [(1, "cover", 1), (300, "cover", 1), (3, "brute", 2)] {
        let report = folder.path().join(games.to_string());
        let path = report.to_str().unwrap();
        let args = format!("--values 4 --properties 5 --sets 2 --games {games} --solver {solver}");
        stdout(&format!("{args} --report {path}"));
        let page = std::fs::read_to_string(report.join("index.html")).unwrap();
        assert_eq!(page.matches("<svg").count(), plots, "{games} games");
        assert!(page.contains("v=4, p=5, n=2") && page.contains("<li>"), "{page}");
        for outside in ["src=", "href=", "url(", "@import"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    assert!(refused("--values 0").contains("0 values"));
    assert!(refused("--properties 0").contains("0 properties"));
    assert!(refused("--sets 28").contains("no more than 27 sets of 3 cards"));
    assert!(refused("--values 9 --properties 30").contains("9^30 cards are more than"));
    assert!(refused("--solver quick").contains("no solver is called quick"));
    assert!(refused("--without order").contains("for the solver smt"));
    assert!(refused("--games 0").contains("--games"));
    assert!(refused("--budget 0").contains("CPU seconds above 0"));
}

#[test]
fn a_game_out_of_time_is_named_and_fails() {
    let output =
        general("--values 6 --properties 6 --solver brute --seed 4 --budget 0.05 --format json");
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("game 1 (seed 4) after 0 sets: out of time"), "{message}");
}

/// A folder with a file of this text, and the path of that file.
fn file(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cards.txt");
    std::fs::write(&path, text).unwrap();
    (folder, path.to_str().unwrap().to_owned())
}

#[test]
fn a_board_of_ones_own_is_looked_at() {
    let (_folder, path) = file("0120 1021\n2222 0000 1111\n");
    let text = stdout(&format!("--board {path} --all"));
    assert!(text.contains("1. 0120 1021 2222\n") && text.contains("2. 2222 0000 1111\n"), "{text}");
    assert!(text.ends_with("\n2 sets\n"), "{text}");
    assert!(stdout(&format!("--board {path} --count")).ends_with("\n2 sets\n"));
    let text = stdout(&format!("--board {path} --solver brute"));
    assert!(text.contains("\na set: 0120 1021 2222\nbrute took "), "{text}");
    let (_folder, path) = file("0.11 11.0");
    assert!(stdout(&format!("--values 12 --properties 2 --board {path}")).contains("\nno set\n"));
    for (text, reason) in [
        ("", "no cards; a card is written as 0000"),
        ("0120 012", "card 2: \"012\" is no card: expected 4 values from 0 to 2, such as 2222"),
        ("0120 0001 0120", "card 3: 0120 is card 1 already"),
    ] {
        let (_folder, path) = file(text);
        let message = refused(&format!("--board {path}"));
        assert!(message.contains(reason), "{message}");
    }
    assert!(refused("--all").contains("--board"));
    assert!(refused("--board cards.txt --games 2").contains("cannot be used with"));
}

#[test]
fn constraints_and_proofs_are_written_for_other_solvers() {
    let (folder, path) = file("0000 0001 0010 0011 1100");
    let out = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (smt2, dimacs, proof) = (out("b.smt2"), out("b.cnf"), out("b.drat"));
    let args = format!("--board {path} --smt2 {smt2} --dimacs {dimacs} --proof {proof}");
    let text = stdout(&args);
    assert!(text.contains("\nno set: the proof has "), "{text}");
    let read = |name: &str| std::fs::read_to_string(name).unwrap();
    assert!(
        read(&smt2).contains("(declare-const x2_3 Int)") && read(&dimacs).starts_with("p cnf ")
    );
    assert!(read(&proof).ends_with("\n0\n"), "the empty clause is the last");
    // Again over what it wrote, but not over something else.
    stdout(&args);
    assert!(refused(&format!("--board {path} --dimacs {path}")).contains("name another place"));
    // A board with a set has no proof that it has none.
    let (_folder, path) = file("0000 1111 2222");
    let other = out("c.drat");
    let output = general(&format!("--board {path} --proof {other}"));
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("the board holds a set"));
    assert!(!Path::new(&other).exists());
}

#[test]
fn threads_are_for_the_solver_that_has_them() {
    for args in ["--jobs 2 --solver dynamic --values 5", "--jobs 2 --values 4"] {
        assert!(refused(args).contains("only the solver cover searches on several threads"));
    }
    let sets = |jobs: &str| {
        let args = "--values 7 --properties 7 --sets 2 --seed 3 --format json --jobs";
        let text = stdout(&format!("{args} {jobs}"));
        serde_json::from_str::<Value>(&text).unwrap()["records"].clone()
    };
    assert_eq!(sets("3"), sets("1"));
}
