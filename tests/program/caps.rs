//! `setsight caps` as a user calls it.

use crate::common::Start;
use crate::common::called::{program, refused, stdout_of};
use serde_json::Value;
use setsight::general::{Card, Rules};
use std::process::Output;

fn caps(args: &str) -> Output {
    program().arg("caps").args(args.split_whitespace()).ended()
}

fn json(args: &str) -> Value {
    serde_json::from_str(&stdout_of(caps(&format!("{args} --format json")))).unwrap()
}

#[test]
fn the_largest_board_and_the_counts_are_those_that_are_known() {
    let line = json("--values 3 --properties 3 --deals 500");
    assert_eq!(line["is_counted"], true);
    assert_eq!((&line["known_largest"], &line["at_least"]), (&9.into(), &9.into()));
    let rules = Rules::new(3, 3, 1).unwrap();
    let largest: Vec<Card> = line["largest"]
        .as_array()
        .unwrap()
        .iter()
        .map(|code| rules.card_of_code(code.as_str().unwrap()).unwrap())
        .collect();
    assert_eq!(largest.len(), 9);
    assert_eq!(
        setsight::general::sets_of_board(
            &rules,
            &largest,
            &setsight::general::Budget::unlimited(),
            &mut |_| true
        ),
        Ok(0)
    );
    let sizes = line["sizes"].as_array().unwrap();
    // Of 27 cards any three but the 117 sets.
    assert_eq!(sizes[3]["boards"], 27 * 26 * 25 / 6 - 117);
    assert_eq!((&sizes[9]["boards"], &sizes[9]["classes"]), (&2106.into(), &1.into()));
    assert_eq!(sizes.len(), 10);
}

#[test]
fn a_deck_that_is_too_large_to_count_is_dealt() {
    let line = json("--values 3 --properties 6 --deals 300 --seed 5");
    assert_eq!((&line["is_counted"], &line["known_largest"]), (&false.into(), &112.into()));
    assert!(line["largest"].as_array().unwrap().len() > 64);
    let sizes = line["sizes"].as_array().unwrap();
    assert!(sizes.iter().all(|size| size["boards"].is_null() && size["share"].is_null()));
    assert_eq!(sizes[2]["dealt_share"], 1.0);
    assert_eq!(line, json("--values 3 --properties 6 --deals 300 --seed 5"));
    let text = stdout_of(caps("--values 5 --properties 6 --deals 100000 --budget 0.2"));
    assert!(text.contains("the 4,096 cards without a 4 hold none"), "{text}");
    assert!(text.contains("then out of time"), "{text}");
}

#[test]
fn a_count_that_takes_too_long_is_given_up() {
    let text = stdout_of(caps("--values 5 --properties 3 --deals 10 --budget 0.1"));
    assert!(text.contains("that was found has"), "{text}");
    assert!(text.contains("out of time; 0.1 s of CPU are its budget: --budget"), "{text}");
    let text = stdout_of(caps("--values 7 --properties 2 --deals 10 --budget 0.1"));
    assert!(text.contains("has 36 cards (König 1931)"), "{text}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_with_what_it_has() {
    use crate::common::Signal;
    let mut command = program();
    command.args("caps --values 5 --properties 3 --budget 1000 --deals 1".split(' '));
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let run = command.started();
    std::thread::sleep(std::time::Duration::from_millis(500));
    run.signal(Signal::INT);
    let ran = crate::common::Ran::from(run.end());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("not all boards were counted: stopped"), "{}", ran.stdout);
}

#[test]
fn the_page_shows_the_plot() {
    let world = crate::common::World::new();
    world.run(&["caps", "--properties", "2", "--deals", "100", "--report", "found"]).expect(0);
    let page = std::fs::read_to_string(world.path().join("found/index.html")).unwrap();
    assert!(page.contains("Boards without a set, v=3, p=2") && page.contains("100 deals"));
}

#[test]
fn bad_calls_say_what_was_expected() {
    refused(&caps("--budget 0"), 2, &["--budget 0: expected CPU seconds above 0"]);
    refused(&caps("--values 3 --properties 41"), 2, &["3^41 cards"]);
}
