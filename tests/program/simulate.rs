//! `setsight simulate` as a user calls it.

use crate::common::Start;
use crate::common::called::{program, stdout_of};
use serde_json::Value;
use std::process::Output;

fn run(args: &[&str]) -> Output {
    program().arg("simulate").args(args).ended()
}

fn stdout(args: &[&str]) -> String {
    stdout_of(run(args))
}

#[test]
fn the_figures_add_up() {
    for policy in ["random", "first", "listed"] {
        let text =
            stdout(&["--games", "5000", "--seed", "3", "--policy", policy, "--format", "json"]);
        assert_eq!(text.lines().count(), 1);
        let line: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&line["games"], &line["policy"]), (&5000.into(), &policy.into()));
        let number = |value: &Value| value.as_u64().unwrap();
        let left = line["left"].as_array().unwrap();
        assert_eq!(left.iter().map(|l| number(&l["games"])).sum::<u64>(), 5000);
        let cards: u64 = left.iter().map(|l| number(&l["games"]) * number(&l["cards"])).sum();
        assert_eq!(3 * number(&line["sets"]) + cards, 5000 * 81);
        let boards = line["boards"].as_array().unwrap();
        // Every set is taken from a board that had one.
        let with: u64 = boards.iter().map(|b| number(&b["with_set"])).sum();
        assert_eq!(with, number(&line["sets"]));
        let ratio = |cards: u64| {
            let mut sizes = line["by_in_play"].as_array().unwrap().iter();
            sizes.find(|b| b["in_play"] == cards).unwrap()["fresh_ratio"].as_f64()
        };
        assert!(
            (ratio(12).unwrap() - 29.96).abs() < 0.01
                && (2740.0..2742.0).contains(&ratio(15).unwrap())
        );
        assert!(ratio(18).is_some() && ratio(21).is_none());
        // Every game begins with 12 cards on the table and 69 in the deck.
        let first = boards.iter().find(|b| b["in_play"] == 12 && b["in_deck"] == 69).unwrap();
        assert_eq!(number(&first["with_set"]) + number(&first["without_set"]), 5000);
    }
}

#[test]
fn the_same_seed_gives_the_same_text_however_many_are_played_at_once() {
    let with = |jobs: &str| stdout(&["--games", "9000", "--seed", "5", "-j", jobs]);
    let one = with("1");
    assert_eq!(one, with("3"));
    assert_eq!(one, with("0"), "as many as there are cores");
    assert!(one.starts_with("9,000 games, seed 5, policy random\n\nSets taken in a game: 24.4"));
    assert_ne!(one, stdout(&["--games", "9000", "--seed", "6"]));
}

#[test]
fn impossible_calls_are_refused() {
    let calls = [
        &["--games", "0"][..],
        &["--games", "18446744073709551615"],
        &["--policy", "best"],
        &["--jobs", "-1"],
    ];
    for args in calls {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn charts_are_drawn_beside_the_figures() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("games");
    stdout(&["--games", "3000", "--report", report.to_str().unwrap()]);
    let page = std::fs::read_to_string(report.join("index.html")).unwrap();
    assert_eq!(page.matches("<svg").count(), 2, "{page}");
    assert!(page.contains("Cards left at the end of 3,000 games"), "{page}");
}
