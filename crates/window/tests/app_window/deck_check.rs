//! Whether the deck on the open photos is complete.

use crate::harness::{Fake, ONE_SET, Test};
use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use setsight_game::cards::Card;
use setsight_window::{Page, Photos, Task};

/// A deck without two striped green ovals, with a card twice and one that is unsure.
fn almost_whole() -> String {
    let lacking = ["2sgo", "3fpd"];
    let all = Card::deck().map(|card| card.to_string());
    let there: Vec<String> = all.filter(|code| !lacking.contains(&code.as_str())).collect();
    there.join(" ") + " 1fgd 3fpd?"
}

#[test]
fn a_deck_that_lacks_cards_is_told_shown_and_printed() {
    let mut test = Test::new(&almost_whole(), &["a.jpg"]);
    test.press("More…");
    test.press("Is my deck complete?");
    test.shows("79 of 81 cards are there");
    test.shows("Missing: 2 cards");
    test.shows("two striped green ovals");
    test.shows("More than once: 1 card");
    test.shows("one filled green diamond:");
    test.shows("perhaps three filled purple diamonds:");
    test.press("Save a sheet to print");
    let sheet = test.path("missing.html");
    test.keys(Modifiers::COMMAND, Key::A);
    test.type_text(&sheet.display().to_string());
    test.press("OK");
    assert!(test.window().said().unwrap().contains("missing.html"));
    let page = std::fs::read_to_string(&sheet).unwrap();
    assert_eq!(page.matches("<svg viewBox").count(), 2);
    assert!(page.contains("aria-label=\"two striped green ovals\""), "{page}");
    // A place leads to its card, where it can be put right; then it counts.
    test.harness.get_by_role_and_label(Role::Link, "a.jpg, card 81").click();
    test.settle();
    assert_eq!((test.window().page, test.photos().view.task), (None, Task::Correct));
    test.shows("Drawn: three filled purple diamonds");
    test.key(Key::Enter);
    test.keys(Modifiers::COMMAND, Key::I);
    test.shows("80 of 81 cards are there");
    test.shows("Missing: 1 card");
    test.shows_not("perhaps");
}

#[test]
fn a_whole_deck_is_complete_and_photos_that_come_are_counted() {
    let whole: Vec<String> = Card::deck().map(|card| card.to_string()).collect();
    let mut test = Test::sized(Fake::seeing(&whole.join(" ")), &[], (800.0, 600.0));
    test.settle();
    test.keys(Modifiers::COMMAND, Key::I);
    assert_eq!(test.window().page, Some(Page::DeckCheck));
    test.press("Photos of the deck");
    std::fs::write(test.path("a.jpg"), b"x").unwrap();
    let photo = test.path("a.jpg");
    test.type_text(&photo.display().to_string());
    test.press("OK");
    test.until(|window| window.is_settled());
    assert_eq!(test.window().page, Some(Page::DeckCheck));
    test.shows("81 of 81 cards are there");
    test.shows("The deck is complete.");
    test.shows_not("Save a sheet to print");
    test.shows_not("More than once");
    // One more is dropped.
    std::fs::write(test.path("z.jpg"), b"x").unwrap();
    test.drop_file("z.jpg");
    test.until(|window| window.is_settled() && window.tab::<Photos>().shelf.progress() == (2, 2));
    test.shows("More than once: 81 cards");
    test.key(Key::Escape);
    assert_eq!(test.window().page, None);
}

#[test]
fn of_what_is_not_known_nothing_is_said() {
    let mut test = Test::new("1fgd? 2fgd?", &["a.jpg", "bad.jpg"]);
    test.keys(Modifiers::COMMAND, Key::I);
    test.shows_part("No card is read clearly");
    test.shows_part("bad.jpg: ");
    test.shows_not("Missing");
    test.key(Key::Escape);
    // It counts what is open, from wherever it is asked for.
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.press("Deal");
    test.keys(Modifiers::COMMAND, Key::I);
    test.shows("4 of 81 cards are there");
}
