//! `setsight deal` as a user calls it.

use crate::common::Start;
use crate::common::called::{program, stdout_of};
use std::path::{Path, PathBuf};
use std::process::Output;

fn run(args: &[&str], stdin: &[u8]) -> Output {
    program().arg("deal").args(args).fed(stdin)
}

fn stdout(args: &[&str], stdin: &[u8]) -> String {
    stdout_of(run(args, stdin))
}

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/contest").join(name)
}

/// The contest's sample and its transcript.
fn contest(number: usize) -> (PathBuf, String) {
    let expected = std::fs::read_to_string(sample(&format!("sample{number}.expected.txt")));
    (sample(&format!("sample{number}.txt")), expected.unwrap())
}

#[test]
fn the_contests_samples_come_out_to_the_letter() {
    for number in 1..=3 {
        let (file, expected) = contest(number);
        // The first sample ends with two lines the other way round than the others; the order
        // of the others is printed always.
        let expected = expected.replace(
            "No cards remain.\nNo SETs found.\nThe game",
            "No SETs found.\nNo cards remain.\nThe game",
        );
        assert_eq!(stdout(&[file.to_str().unwrap()], b""), expected, "sample {number}");
        let input = std::fs::read(file).unwrap();
        assert_eq!(stdout(&[], &input), expected, "sample {number} from stdin");
        assert_eq!(stdout(&["-"], &input.to_ascii_uppercase()), expected);
    }
}

#[test]
fn several_data_sets_follow_each_other() {
    let mut file = "3\n".to_owned();
    let mut expected = "Analyzing 3 data set(s)\n".to_owned();
    for number in [2, 3, 2] {
        let (input, transcript) = contest(number);
        file.push_str(std::fs::read_to_string(input).unwrap().split_once('\n').unwrap().1);
        let set = expected.matches("Data Set").count() + 1;
        let body = transcript.split_once("Data Set 1\n").unwrap().1;
        expected.push_str(&format!("Data Set {set}\n{body}"));
    }
    assert_eq!(stdout(&[], file.as_bytes()), expected);
}

#[test]
fn nothing_of_a_broken_file_is_played() {
    let good = std::fs::read_to_string(sample("sample3.txt")).unwrap();
    let two = |second: &str| format!("2\n{}{second}", good.split_once('\n').unwrap().1);
    let cases = [
        (two("12\n2spd\n9frs\n"), "line 17: \"9frs\": '9' at place 1 is no number"),
        (
            two("11\n"),
            "line 15: \"11\" is no number of cards; expected a whole number from 12 to 81",
        ),
        (two("12\n2spd\n"), "line 16: the file ends here; expected card 2 of 12 in data set 2"),
        (format!("{good}2spd\n"), "line 15: \"2spd\" after the last card of the last data set"),
        (good.replacen("1spd", "1spd 2spd", 1), "line 3: \"2spd\" after \"1spd\""),
        (
            "0\n".to_owned(),
            "line 1: \"0\" is no number of data sets; expected a whole number from 1",
        ),
        (String::new(), "line 1: the file ends here; expected the number of data sets"),
        ("\n".repeat(2_000_000), "that is no file of deals"),
    ];
    for (file, message) in cases {
        for args in [&[][..], &["--watch"], &["--write"]] {
            let output = run(args, file.as_bytes());
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{stderr}");
            assert!(output.stdout.is_empty(), "{message}");
            assert!(stderr.starts_with("error: stdin") && stderr.contains(message), "{stderr}");
        }
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let output = run(&["no such deal.txt"], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("cannot open no such deal.txt"));
}

#[test]
fn a_random_deal_repeats_with_its_seed_and_can_be_kept() {
    let game = stdout(&["--random", "--seed", "7"], b"");
    assert!(game.starts_with("Analyzing 1 data set(s)\nData Set 1\nInitial Deal:\n"), "{game}");
    assert!(game.ends_with("No SETs found.\nNo cards remain.\nThe game is over.\n"), "{game}");
    let kept = stdout(&["--random", "--seed", "7", "--write"], b"");
    assert_eq!(kept.lines().count(), 83);
    assert_eq!(stdout(&[], kept.as_bytes()), game);
    assert_eq!(stdout(&["--write"], kept.as_bytes()), kept);
    assert_ne!(stdout(&["--random", "--seed", "8"], b""), game);

    let fresh = run(&["--random"], b"");
    let hint = String::from_utf8(fresh.stderr).unwrap();
    let seed = hint.trim().rsplit(' ').next().unwrap();
    assert_eq!(stdout(&["--random", "--seed", seed], b"").as_bytes(), fresh.stdout);
}

#[test]
fn watching_shows_every_step_with_pictures() {
    let (file, expected) = contest(2);
    let text = stdout(&[file.to_str().unwrap(), "--watch"], b"");
    for line in expected.lines().filter(|line| line.ends_with(':') || line.ends_with('.')) {
        assert!(text.contains(line), "{line}");
    }
    let steps = text.matches("Data Set 1 of 1, step ").count();
    let sets = expected.matches("First SET removed").count();
    assert!(text.contains(&format!("step {steps} of {steps}: 0 cards to deal, {sets} sets taken")));
    assert!(text.contains("| PO*O |") && text.contains("########"), "{text}");
    assert!(text.contains("1 A1") && text.contains("12 C4"), "{text}");
    // As the rows of the contest's own transcript have them, card by card.
    assert!(text.contains("1sps 2sgo 3srd   C6 B3 B4\n"), "{text}");
    assert!(!text.contains('\x1b'), "no colours and no clearing in a pipe");
    let colored = stdout(&[file.to_str().unwrap(), "--watch", "--color", "always"], b"");
    assert!(colored.contains("\x1b[95mO*O\x1b[0m"));
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    for args in [&["--seed", "1"][..], &["--random", "x"], &["--write", "--watch"]] {
        assert_eq!(run(args, b"").status.code(), Some(2), "{args:?}");
    }
}

/// Twelve cards on the front, all of their sets on the back.
#[test]
fn a_sheet_has_a_board_and_its_sets() {
    use setsight::game::{Deal, write_deals};
    use setsight::sets::{explain, find_all};
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("board.html");
    let path = file.to_str().unwrap();
    assert_eq!(stdout(&["--random", "--seed", "7", "--print", path], b""), "");
    let page = std::fs::read_to_string(&file).unwrap();
    let deal = Deal::random(7);
    let board = &deal.cards()[..12];
    let sets = find_all(board);
    assert!(!sets.is_empty());
    let (front, back) = page.split_once(&format!("Deal of seed 7: {} sets", sets.len())).unwrap();
    assert_eq!((front.matches("<figure>").count(), front.matches("<text ").count()), (12, 12));
    assert!(front.contains("Name<i></i>Date<i></i>"), "{front}");
    for card in board {
        assert!(front.contains(&format!("aria-label=\"{}\"", card.name())), "{card}");
    }
    let shown: Vec<&str> =
        back.split("aria-label=\"").skip(1).map(|card| card.split('"').next().unwrap()).collect();
    let names: Vec<String> =
        sets.iter().flat_map(|set| set.0.map(|place| board[place].name())).collect();
    assert_eq!(shown, names);
    let why: Vec<&str> =
        back.split("<li>").skip(1).map(|line| line.split('<').next().unwrap()).collect();
    let lines: Vec<String> = sets
        .iter()
        .flat_map(|set| explain(set.0.map(|place| board[place])).lines().collect::<Vec<_>>())
        .collect();
    assert_eq!(why, lines);

    // Four on a sheet: this seed and the next ones.
    let four = ["--random", "--seed", "7", "--print", path, "--per-sheet", "4"];
    assert_eq!(stdout(&four, b""), "");
    let page = std::fs::read_to_string(&file).unwrap();
    assert_eq!(page.matches("<section class=\"sheet of4\">").count(), 2);
    let (front, back) = page.split_once("The sets are on the next sheet.").unwrap();
    for seed in 7..=10 {
        assert_eq!(page.matches(&format!("<h1>Deal of seed {seed}</h1>")).count(), 1);
        assert!(front.contains(&format!("<h1>Deal of seed {seed}</h1>")), "{seed}");
        let count = find_all(&Deal::random(seed).cards()[..12]).len();
        assert!(back.contains(&format!("<h1>Deal of seed {seed}: {count} set")), "{seed}");
    }
    // Paper of any size, or a browser shrinks what is said in millimetres.
    assert!(page.contains("@page{size:landscape;"), "{page}");

    // On two sheets their backs are taken, so the sets begin on a new one by themselves.
    let deals = folder.path().join("deals.txt");
    let three: Vec<Deal> = (1..=3).map(Deal::random).collect();
    std::fs::write(&deals, write_deals(&three)).unwrap();
    let two = [deals.to_str().unwrap(), "--print", path, "--per-sheet", "2"];
    assert_eq!(stdout(&two, b""), "");
    let page = std::fs::read_to_string(&file).unwrap();
    let titles: Vec<&str> = page.split("<h1>").skip(1).collect();
    let are_sets = |title: &&str| title.split("</h1>").next().unwrap().contains(" set");
    assert_eq!(
        titles.iter().map(are_sets).collect::<Vec<_>>(),
        [false, false, false, true, true, true]
    );
    assert_eq!(page.matches("<section").count(), 4);
    let three = run(&["--random", "--print", path, "--per-sheet", "3"], b"");
    assert_eq!(three.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&three.stderr).contains("expected 1, 2 or 4"));

    let output = run(&["--random", "--print", "no/such/folder/board.html"], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("board.html cannot be written"));
}

#[test]
fn the_output_of_another_program_is_judged() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.txt");
    let judged = |number: usize, text: &str| {
        std::fs::write(&output, text).unwrap();
        let (file, _) = contest(number);
        let args = ["--check", output.to_str().unwrap(), file.to_str().unwrap()];
        let judged = run(&args, b"");
        (judged.status.code(), String::from_utf8(judged.stdout).unwrap())
    };
    for number in 1..=3 {
        // The contest's own outputs: both orders of the last two messages are right.
        let (_, expected) = contest(number);
        let (code, text) = judged(number, &expected.to_uppercase().replace('\n', "\r\n\n"));
        assert_eq!((code, text.ends_with("out.txt: right\n")), (Some(0), true), "{number}: {text}");
        let wrong = expected.replacen("First SET removed:", "First SET taken:", 1);
        let (code, text) = judged(number, &wrong);
        assert_eq!(code, Some(1));
        let difference =
            ", data set 1: expected \"First SET removed:\", found \"First SET taken:\"\n";
        assert!(text.contains("out.txt, line ") && text.ends_with(difference), "{text}");
    }
    let (code, text) = judged(1, "");
    assert_eq!(code, Some(1));
    let begins = "out.txt, line 1: expected \"Analyzing 1 data set(s)\", found the end\n";
    assert!(text.ends_with(begins), "{text}");
}
