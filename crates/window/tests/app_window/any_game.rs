//! The generalised game.

use crate::harness::{Fake, ONE_SET, Test};
use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};
use setsight_window::Window;

fn opened(size: (f32, f32)) -> Test {
    let mut test = Test::sized(Fake::seeing(ONE_SET), &[], size);
    test.settle();
    test.keys(Modifiers::COMMAND, Key::Num4);
    assert_eq!(test.window().seen(), "any-game");
    test.until(Window::is_settled);
    test
}

/// How many cards lie there, by the names that a screen reader says.
fn cards(test: &Test) -> Vec<String> {
    let shown = test.harness.query_all_by_role(Role::Image);
    let names = shown.map(|node| node.accesskit_node().label().unwrap_or_default());
    names.filter(|name| name.starts_with("Card ")).collect()
}

#[test]
fn a_search_is_watched_from_the_deal_to_the_set() {
    let mut test = opened((1280.0, 800.0));
    test.shows("16 cards are dealt.");
    let first = cards(&test);
    assert_eq!(first.len(), 16);
    // Four values of four properties, counted from 1.
    assert!(first[0].starts_with("Card 1: ") && first[0].len() == "Card 1: 4 1 2 3".len());
    test.key(Key::ArrowRight);
    test.shows_part("This card has its turn");
    test.press("Previous step");
    test.shows("16 cards are dealt.");
    test.key(Key::End);
    test.shows("A set!");
    test.shows_part("Stored: ");
    let all = cards(&test);
    assert!(all.len() > 16 && all[..16] == first);
    test.press("Previous step");
    test.shows("What completes these cards is looked up, and there.");

    test.press("Next deal");
    test.until(Window::is_settled);
    test.shows("16 cards are dealt.");
    assert_ne!(cards(&test), first);
}

#[test]
fn steps_run_past_until_the_end() {
    let mut test = opened((1280.0, 800.0));
    test.press_anywhere("Run");
    test.shows("Pause");
    for _ in 0..200 {
        test.harness.step();
    }
    test.settle();
    test.shows("A set!");
    test.shows("Run");
}

#[test]
fn all_of_it_is_reached_in_small_windows() {
    for size in [(640.0, 480.0), (420.0, 360.0), (256.0, 192.0)] {
        let mut test = opened(size);
        test.reaches(&["Next deal", "Next step", "Run"]);
    }
}

#[test]
fn a_person_plays() {
    let mut test = opened((1280.0, 800.0));
    test.press("Play");
    test.shows("Sets: 0 of 1");
    test.shows("Choose 4 cards that make a set.");
    let buttons = |test: &Test| {
        let shown = test.harness.query_all_by_role(Role::Button);
        let names = shown.map(|node| node.accesskit_node().label().unwrap_or_default());
        names.filter(|name| name.starts_with("Card ")).collect::<Vec<_>>()
    };
    let board = buttons(&test);
    assert_eq!(board.len(), 16);
    // The first four are no set, and it is said why.
    board[..4].iter().for_each(|card| test.press(card));
    test.shows("No set:");
    test.shows_part("neither all alike nor all different");
    // Without a set the player is right to say so, and gets four more cards.
    test.press("No set here");
    test.shows_part("more cards came.");
    assert_eq!(buttons(&test).len(), 20);
    test.press("From the start");
    assert_eq!(buttons(&test), board);
    test.press("Watch a solver");
    test.shows("16 cards are dealt.");
}
