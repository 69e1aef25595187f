//! `setsight deal` as a user calls it.

use crate::common::Start;
use crate::common::called::{program, stdout_of};

fn stdout(args: &[&str]) -> String {
    stdout_of(program().arg("deal").args(args).ended())
}

/// Twelve cards on the front, all of their sets on the back.
#[test]
fn a_sheet_has_a_board_and_its_sets() {
    use setsight::game::{Deal, write_deals};
    use setsight::sets::{explain, find_all};
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("board.html");
    let path = file.to_str().unwrap();
    assert_eq!(stdout(&["--random", "--seed", "7", "--print", path]), "");
    let page = std::fs::read_to_string(&file).unwrap();
    let deal = Deal::random(7);
    let board = &deal.cards()[..12];
    let sets = find_all(board);
    assert!(!sets.is_empty());
    let (front, back) = page.split_once(&format!("Board 7: {} sets", sets.len())).unwrap();
    assert_eq!((front.matches("<figure>").count(), front.matches("<text ").count()), (12, 12));
    assert!(front.contains("Name<i></i>Date<i></i>Sets<i></i>"), "{front}");
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
    assert_eq!(stdout(&four), "");
    let page = std::fs::read_to_string(&file).unwrap();
    assert_eq!(page.matches("<section class=\"sheet of4\">").count(), 2);
    let (front, back) = page.split_once("The sets are on the next sheet.").unwrap();
    for seed in 7..=10 {
        assert_eq!(page.matches(&format!("<h1>Board {seed}: find all the sets.</h1>")).count(), 1);
        assert!(front.contains(&format!("<h1>Board {seed}: find all the sets.</h1>")), "{seed}");
        let count = find_all(&Deal::random(seed).cards()[..12]).len();
        assert!(back.contains(&format!("<h1>Board {seed}: {count} set")), "{seed}");
    }
    // Paper of any size, or a browser shrinks what is said in millimetres.
    assert!(page.contains("@page{size:landscape;"), "{page}");

    // On two sheets their backs are taken, so the sets begin on a new one by themselves.
    let deals = folder.path().join("deals.txt");
    let three: Vec<Deal> = (1..=3).map(Deal::random).collect();
    std::fs::write(&deals, write_deals(&three)).unwrap();
    let two = [deals.to_str().unwrap(), "--print", path, "--per-sheet", "2"];
    assert_eq!(stdout(&two), "");
    let page = std::fs::read_to_string(&file).unwrap();
    let titles: Vec<&str> = page.split("<h1>").skip(1).collect();
    assert_eq!(
        titles
            .iter()
            .map(|title| !title.split("</h1>").next().unwrap().ends_with(": find all the sets."))
            .collect::<Vec<_>>(),
        [false, false, false, true, true, true]
    );
    assert_eq!(page.matches("<section").count(), 4);
}
