//! A deck is taught in the window: photos, groups, a name, and tables are read by it; and whether the deck on the
//! open photos is complete.

use crate::harness::{Fake, ONE_SET, Test};
use eframe::egui::{Key, Modifiers, accesskit::Role};
use egui_kittest::kittest::{NodeT, Queryable};
use setsight_game::cards::{Card, Deck};
use setsight_scenes::{DeckChoice, Kind, Params, render};
use setsight_window::{Language, Page, Photos, PipelineEye, Task};
use std::{path::Path, sync::Arc};

/// Draws photos of an invented deck.
fn draw(out: &Path, count: usize, full_deck: bool, seed: u64) {
    let mut params = Params::for_kind(Kind::Plain);
    params.size_px = (1600, 1200);
    params.decks = vec![(DeckChoice::Known(Arc::new(Deck::invented(31))), 1.0)];
    params.full_deck = full_deck.then_some(count);
    std::fs::create_dir_all(out).unwrap();
    for index in 0..count {
        let scene = render(&params, seed, index as u64).unwrap();
        scene.image.save(out.join(format!("plain-{:04}.jpg", index + 1))).unwrap();
    }
}

/// Names of the cards that are in a group, as the buttons are in order.
fn cuts(test: &Test) -> Vec<String> {
    let buttons = test.harness.query_all_by_role(Role::Button);
    let labels = buttons.filter_map(|button| button.accesskit_node().label());
    labels.filter(|label| label.starts_with("card ") && label.contains(" of row ")).collect()
}

#[test]
fn a_deck_is_taught_mended_named_and_read_by() {
    let mut test = Test::sized(Arc::new(PipelineEye::default()), &[], (1280.0, 2400.0));
    draw(&test.path("deck"), 5, true, 1);
    draw(&test.path("table"), 1, false, 5);
    test.settle();
    test.press("More…");
    test.press("Teach a new deck");
    assert_eq!(test.window().tab_id(), "new-deck");
    test.press("Photos of the deck");
    test.type_path("deck/plain-0001.jpg");
    test.until(|window| window.is_settled());
    test.shows_part("different cards of 81 are seen clearly");
    test.shows_not("Save and use");
    test.press("A folder of photos of the deck");
    test.type_path("deck");
    test.until(|window| window.is_settled());
    test.shows("81 of 81 cards are known.");
    for name in ["Shapes", "Shadings", "Colours"] {
        test.press(name);
        assert_eq!(cuts(&test).len(), 81, "{name}");
        assert_eq!(test.harness.query_all_by_label("27 cards").count(), 3, "{name}");
    }
    // A card is put into another ink: then two cards of one photo or of two are the same.
    let card = cuts(&test)[0].clone();
    test.press(&card);
    test.shows(&format!("Chosen: {card}"));
    let names: Vec<String> = (1..=3).map(|n| field(&test, n)).collect();
    test.press(&format!("Put it into {}", names[1]));
    test.until(|window| window.is_settled());
    assert_eq!(test.harness.query_all_by_label("27 cards").count(), 1);
    // And back.
    test.press(&format!("Put it into {}", names[0]));
    test.until(|window| window.is_settled());
    test.shows("81 of 81 cards are known.");
    // A name of its own for the first ink, and one for the deck that is taken.
    test.harness.get_by_label("Name of value 1").click();
    test.settle();
    test.keys(Modifiers::COMMAND, Key::A);
    test.type_text("heather");
    test.harness.get_by_label("Name of the deck").click();
    test.settle();
    test.type_text("classic");
    test.shows("\"classic\" means another deck.");
    test.type_text(" no more");
    test.press("Save and use");
    let file = test.path("ours.json");
    test.type_path("ours.json");
    assert!(
        test.window().message().unwrap().contains("From now on cards are read as classic no more")
    );
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("\"heather\"") && text.contains("\"classic no more\""), "{text}");
    // Its tables are read by it.
    let table = test.path("table");
    test.open(vec![table]);
    let sure = test.photos().table().cards.iter().filter(|card| !card.unsure).count();
    assert!(sure >= 10, "{sure}");
    assert_eq!(test.photos().table().facts.deck_name(), "classic no more");
    test.shows_part("heather");
    // Until the settings say otherwise.
    test.press("Settings");
    test.press("The usual cards");
    test.press("Close");
    test.until(|window| window.is_settled() && window.tab::<Photos>().shelf.progress() == (1, 1));
    assert_ne!(test.photos().table().facts.deck_name(), "classic no more");
}

/// What stands in the field for a value's name.
fn field(test: &Test, n: usize) -> String {
    let label = format!("Name of value {n}");
    let field = test.harness.get_by_label(&label);
    field.accesskit_node().value().unwrap_or_default()
}

#[test]
fn what_to_lay_out_is_shown_and_escape_leads_back() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.press("Deal");
    test.keys(Modifiers::COMMAND, Key::N);
    test.shows("Like this: every card by itself");
    test.shows("Not like this: cards on top of each other");
    test.key(Key::Escape);
    assert_eq!(test.window().tab_id(), "deal");
}

#[test]
fn photos_without_a_deck_are_reported_in_german_in_a_small_window() {
    let mut test = Test::sized(Fake::seeing(ONE_SET), &[], (256.0, 192.0));
    std::fs::write(test.path("a.jpg"), b"x").unwrap();
    std::fs::write(test.path("bad.jpg"), b"x").unwrap();
    test.settle();
    test.window_mut().app.store.settings.language = Some(Language::German);
    test.keys(Modifiers::COMMAND, Key::N);
    test.reaches(&["Fotos der Karten", "Ein Ordner mit Fotos der Karten"]);
    test.press_anywhere("Ein Ordner mit Fotos der Karten");
    test.type_path("");
    test.until(|window| window.is_settled());
    test.shows_part("Es sind keine Karten zu sehen");
    test.shows("0 Karten");
    test.reaches(&["a.jpg vergessen", "bad.jpg vergessen", "Von vorn beginnen"]);
    test.press_anywhere("a.jpg vergessen");
    test.until(|window| window.is_settled());
    test.shows_not("0 Karten");
    test.press_anywhere("Von vorn beginnen");
    test.until(|window| window.is_settled());
    test.shows_not("bad.jpg");
    // A file that is no deck's is not read by.
    let path = test.path("a.jpg");
    test.window_mut().app.store.settings.use_deck(path);
    test.settle();
    assert!(test.window().message().unwrap().contains("a.jpg"));
    assert_eq!(test.window().app.store.settings.deck, None);
}

/// A deck without two striped green ovals, with a card twice and one that is unsure.
fn nearly_full_deck() -> String {
    let lacking = ["2sgo", "3fpd"];
    let all = Card::deck().map(|card| card.to_string());
    let present: Vec<String> = all.filter(|code| !lacking.contains(&code.as_str())).collect();
    present.join(" ") + " 1fgd 3fpd?"
}

#[test]
fn missing_cards_are_listed_shown_and_printed() {
    let mut test = Test::new(&nearly_full_deck(), &["a.jpg"]);
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
    test.type_path("missing.html");
    assert!(test.window().message().unwrap().contains("missing.html"));
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
fn a_full_deck_is_complete_and_later_photos_are_counted() {
    let full: Vec<String> = Card::deck().map(|card| card.to_string()).collect();
    let mut test = Test::sized(Fake::seeing(&full.join(" ")), &[], (800.0, 600.0));
    test.settle();
    test.keys(Modifiers::COMMAND, Key::I);
    assert_eq!(test.window().page, Some(Page::DeckCheck));
    test.press("Photos of the deck");
    std::fs::write(test.path("a.jpg"), b"x").unwrap();
    test.type_path("a.jpg");
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
fn unknown_cards_are_not_counted() {
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
