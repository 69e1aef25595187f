//! `setsight sets` as a user calls it.

use crate::common::Start;
use crate::common::called::{program, stdout_of};
use serde_json::Value;
use std::process::Output;

fn setsight(args: &[&str], stdin: &[u8]) -> Output {
    program().arg("sets").args(args).env_remove("COLUMNS").fed(stdin)
}

fn stdout(args: &[&str], stdin: &[u8]) -> String {
    stdout_of(setsight(args, stdin))
}

fn refused(args: &[&str], stdin: &[u8]) -> String {
    let output = setsight(args, stdin);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

const BOARD: &str = "2spd 2ord 3fgs 3spo 3fgo 2sgs 3fpo 2ors 2ogd 1srs 3opo 1ogo";

#[test]
fn the_board_is_drawn_and_its_sets_are_listed() {
    let text = stdout(&BOARD.split(' ').collect::<Vec<_>>(), b"");
    assert!(text.contains("| P<=> |"), "{text}");
    assert!(
        text.contains("Sets: 2\n   4   7  11   3spo 3fpo 3opo\n   7   9  10   3fpo 2ogd 1srs\n")
    );
    assert!(!text.contains('\x1b'), "no colours into a pipe");
}

#[test]
fn stdin_and_arguments_give_the_same() {
    let words: Vec<&str> = BOARD.split(' ').collect();
    let commas = BOARD.replace(' ', ",\r\n");
    assert_eq!(stdout(&words, b""), stdout(&[], commas.as_bytes()));
    assert_eq!(stdout(&words, b""), stdout(&["-"], BOARD.to_uppercase().as_bytes()));
}

#[test]
fn json_is_one_line_of_indices_from_0() {
    let text = stdout(&["--format", "json"], BOARD.as_bytes());
    assert_eq!(text.lines().count(), 1);
    let line: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(line["sets"], serde_json::json!([[3, 6, 10], [6, 8, 9]]));
    assert_eq!(line["cards"][0]["code"], "2spd");
    assert_eq!(line["cards"][0]["name"], "two striped purple diamonds");
    assert_eq!(line["three_more"]["total"], 52_394);
}

#[test]
fn a_random_board_repeats_with_its_seed() {
    let args = ["--random", "12", "--seed", "7", "--format", "json"];
    let first: Value = serde_json::from_str(&stdout(&args, b"")).unwrap();
    let second: Value = serde_json::from_str(&stdout(&args, b"")).unwrap();
    assert_eq!(first, second);
    let codes: std::collections::BTreeSet<&str> =
        first["cards"].as_array().unwrap().iter().map(|c| c["code"].as_str().unwrap()).collect();
    assert_eq!(codes.len(), 12);
    let fresh = setsight(&["--random", "12"], b"");
    let seed = String::from_utf8(fresh.stderr).unwrap();
    let again: Vec<&str> = seed.trim().rsplit(": ").next().unwrap().split(' ').collect();
    assert_eq!(stdout(&again, b"").as_bytes(), fresh.stdout);
}

#[test]
fn three_cards_are_explained_and_two_completed() {
    let text = stdout(&["1fgd", "2frd", "3frs"], b"");
    assert!(text.contains("These three: no set, because of the colour and the shape"), "{text}");
    assert!(text.contains("colour: neither: two cards show red, the first green"), "{text}");
    let text = stdout(&["2spd", "3frs"], b"");
    assert!(text.contains("The card that makes a set: 1ogo, one open green oval"), "{text}");
    let text = stdout(&["--why"], BOARD.as_bytes());
    assert!(text.contains("shading: all different (striped, filled, open)"), "{text}");
}

#[test]
fn hints_tell_one_card_more_at_each_step() {
    let step = |n: &str| {
        let text = stdout(&["--hint", n], BOARD.as_bytes());
        text[text.find("set:\n").unwrap() + 5..].to_owned()
    };
    assert_eq!(step("1"), "   4  3spo  three striped purple ovals\n");
    assert!(step("2").starts_with(&step("1")) && step("3").starts_with(&step("2")));
    assert_eq!(step("3").lines().count(), 3);
}

#[test]
fn no_set_is_said_with_the_chance_of_three_more() {
    let text = stdout(&[], b"1fgd 1fgo 1fpd 1fpo");
    assert!(text.contains("No set here.\nThree more cards bring one with a chance of "), "{text}");
    assert!(text.contains(" of 73150 draws)"), "{text}");
    let text = stdout(&["--hint", "1"], b"1fgd 1fgo 1fpd 1fpo");
    assert!(text.contains("No set here."), "{text}");
}

#[test]
fn a_board_that_no_deck_makes_has_no_chances() {
    let text = stdout(&["2spd", "2spd"], b"");
    assert!(
        text.contains(
            "No set here.\n2spd lies here more than once: chances are told of a single deck only"
        ),
        "{text}"
    );
    assert!(!text.contains('%'), "{text}");
    let text = stdout(&["2spd", "2spd", "--format", "json"], b"");
    let line: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&line["repeated"], line.get("three_more")), (&serde_json::json!(["2spd"]), None));
}

#[test]
fn a_repeated_card_counts_on_each_of_its_places() {
    let text = stdout(&["--format", "json"], b"1fgd 2fgd 3fgd 3fgd");
    let line: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(line["sets"], serde_json::json!([[0, 1, 2], [0, 1, 3]]));
}

#[test]
fn colours_when_asked_for() {
    let text = stdout(&["--color", "always"], BOARD.as_bytes());
    assert!(text.contains("\x1b[95m<=>\x1b[0m"), "{text}");
}

#[test]
fn bad_input_is_named() {
    let message = refused(&["2spd", "9frs"], b"");
    assert!(message.contains("card 2: \"9frs\": '9' at place 1 is no number"), "{message}");
    assert!(refused(&[], b"2spd 2sp\xff").contains("card 2"));
    assert!(refused(&[], b"").contains("no cards given; try: setsight sets 2spd"));
    assert!(refused(&["--random", "82"], b"").contains("82"));
    assert!(refused(&["--random", "12", "2spd"], b"").contains("cannot be used"));
    assert!(refused(&["--seed", "1"], b"").contains("--random"));
    assert!(refused(&[], "2spd ".repeat(244).as_bytes()).contains("244 cards"));
    assert!(refused(&[], &b" ".repeat(70_000)).contains("65536 bytes"));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = program();
    command.args(["sets", "--random", "81", "--seed", "1"]).stdout(writer);
    let status = command.started().end().status;
    assert!(status.success(), "{status}");
}
