//! `setsight compare` as a user calls it.

use crate::common::Start;
use crate::common::called::program;
use std::path::Path;
use std::process::Output;

fn compare(folder: &Path, args: &str) -> Output {
    program().args(["compare", "--out"]).arg(folder).args(args.split_whitespace()).ended()
}

fn text(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn an_experiment_leaves_a_table_and_a_page_with_plots() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new/folder");
    let output = compare(
        &out,
        "--experiment v=3,p=4,n=2..3 --experiment v=3..4,p=3,n=1 --solver dynamic,cover --games 3 \
         --seed 1",
    );
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = printed(&output);
    assert!(report.contains("## n varies, v=3, p=4") && report.contains("## v varies, p=3, n=1"));
    assert!(report.contains("| n | solver | paper | here |"), "{report}");
    assert_eq!(text(&out, "results.csv").lines().count(), 1 + 8);
    let page = text(&out, "index.html");
    for (axis, plots) in [("microseconds", 2), ("cards, mean", 1)] {
        assert_eq!(page.lines().filter(|line| *line == axis).count(), plots, "{axis}");
    }
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 2);
}

#[test]
fn a_hopeless_cell_is_given_up_and_the_others_stand() {
    let folder = tempfile::tempdir().unwrap();
    let output = compare(
        folder.path(),
        "--experiment v=7,p=5,n=1 --solver brute,cover --games 2 --seed 1 --budget 0.2",
    );
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = printed(&output);
    assert!(report.contains("| out of time after 0 games | "), "{report}");
    assert!(text(folder.path(), "results.csv").contains("brute,0,,,"));
}

#[test]
fn the_dealers_are_tested_and_drawn() {
    for dealer in ["rejection", "fisher-yates"] {
        let folder = tempfile::tempdir().unwrap();
        let output = compare(folder.path(), &format!("--uniformity --seed 1 --dealer {dealer}"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        let report = printed(&output);
        assert_eq!(report.lines().filter(|line| line.contains(" times |")).count(), 4);
        assert!(
            report.contains("| 4, 3 | the first board (12) | each card 1875.0 times |"),
            "{report}"
        );
        assert_eq!(text(folder.path(), "uniformity.csv").lines().count(), 1 + 2 * (64 + 625));
        let page = text(folder.path(), "uniformity.html");
        assert!(page.matches("<svg").count() == 4 && page.contains("each card 1875.0 times"));
    }
}

/// The paper's trial: a deck of 10^10 cards, counted by values.
#[test]
fn the_dealer_is_tested_with_the_deck_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let output = compare(folder.path(), "--uniformity --experiment v=10,p=10,n=1 --games 1000");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let report = printed(&output);
    assert!(report.starts_with("# Is the dealer fair?\n\n1000 deals"), "{report}");
    assert!(report.contains("| 10, 10 | the first board (100) | each value 10000.0 times |"));
    assert_eq!(text(folder.path(), "uniformity.csv").lines().count(), 1 + 2 * 100);
}

#[cfg(feature = "smt")]
#[test]
fn the_optimisations_of_smt_are_measured() {
    let folder = tempfile::tempdir().unwrap();
    let args = "--solver smt --without order,delayed-deletion --games 1 --experiment v=3,p=3,n=2";
    let output = compare(folder.path(), args);
    assert!(output.status.success());
    let report = printed(&output);
    assert!(
        report.contains("| n | smt | without delayed deletion | without order | without both |"),
        "{report}"
    );
    assert_eq!(text(folder.path(), "results.csv").lines().count(), 1 + 4);
}

#[test]
fn a_bad_call_is_answered_with_what_was_expected() {
    let folder = tempfile::tempdir().unwrap();
    for (args, expected) in [
        ("--experiment v=3,p=4", "such as v=3,p=4,n=2..6"),
        ("--experiment v=3,p=4,n=20..30", "no more than 27 sets"),
        ("--solver quick", "brute, smt, smt-boolean, dynamic, dynamic-paper, cover"),
        ("--budget 0", "CPU seconds above 0"),
        ("--uniformity --solver brute", "cannot be used with"),
        ("--uniformity --games 4", "needs 5 deals"),
        ("--uniformity --experiment v=3,p=1,n=1", "the deck of 3 cards"),
        ("--solver cover --without order", "--without measures the solver smt"),
    ] {
        let output = compare(folder.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(expected), "{args}: {message}");
    }
}
