//! Corrections: made, undone, written down, and put together with those of others.

use crate::harness::{Fake, ONE_SET, Test, harness};
use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use setsight_photo::geometry::Point;
use setsight_photo::labels::{LabelFile, SaidBy};
use setsight_window::Photos;
use setsight_window::Task;

#[test]
fn a_correction_is_undone_saved_and_there_after_a_restart() {
    let mut test = Test::new("1fgd 2fgd 3srs 1ord?", &["a.jpg"]);
    test.key(Key::F5);
    assert_eq!(test.photos().view.task, Task::Correct);
    test.press("Card 3: three striped red squiggles");
    test.press("shading: filled");
    assert_eq!(test.codes()[2], "3frs");
    assert_eq!(test.written().unwrap(), ["1fgd", "2fgd", "3frs"], "what is unsure is not written");
    // The rest by four keys.
    test.type_text("3fgd");
    assert_eq!(test.written().unwrap()[2], "3fgd");
    assert_eq!(test.photos().table().sets.len(), 1);
    test.press("Undo");
    assert_eq!(test.codes()[2], "3frs");
    test.keys(Modifiers::COMMAND, Key::Z);
    assert_eq!((test.codes()[2].as_str(), test.written()), ("3srs", None));
    test.press("Redo");
    test.keys(Modifiers::COMMAND, Key::Y);
    assert_eq!(test.written().unwrap()[2], "3fgd");
    // The unsure one is right after all; the first is no card.
    test.key(Key::ArrowRight);
    test.press("That's right");
    test.key(Key::ArrowRight);
    test.press("Not a card");
    assert_eq!(test.written().unwrap(), ["2fgd", "3fgd", "1ord"]);
    // Another window on the same folder.
    test.restart("1fgd 2fgd 3srs 1ord?");
    test.open(vec![test.path("")]);
    assert_eq!(test.codes(), ["2fgd", "3fgd", "1ord"]);
    test.shows_part("corrected");
}

#[test]
fn a_card_that_lies_there_already_is_swapped_on_request() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.key(Key::F5);
    test.press("Card 4: one open red diamond");
    test.type_text("2fgd");
    test.shows_part("Card 2 is already two filled green diamonds");
    assert_eq!((test.codes()[3].as_str(), test.written()), ("1ord", None));
    test.press("Swap the two");
    assert_eq!(test.codes(), ["1fgd", "1ord", "3fgd", "2fgd"]);
    test.shows_not("already");
}

#[test]
fn a_missed_card_is_added_and_its_corner_moved() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.key(Key::F5);
    test.key(Key::A);
    test.shows("Click the middle of the card that was missed.");
    let placement = test.photos().view.placement.unwrap();
    let at = placement.window_from_image(Point::new(240.0, 250.0));
    test.harness.hover_at(at);
    test.harness.drag_at(at);
    test.harness.drop_at(at);
    test.settle();
    assert_eq!(test.codes().len(), 5);
    // It is read at once where it lies.
    test.until(|window| window.tab::<Photos>().table().cards[4].card.to_string() == "3sps");
    test.shows("Card 5: perhaps three striped purple squiggles");
    test.shows("The card as in the photo");
    assert_eq!(test.written().unwrap().len(), 4, "a proposal is no label");
    test.type_text("3sps");
    assert_eq!(test.written().unwrap()[4], "3sps");
    let corner = |test: &Test| test.photos().table().cards[4].corners_in_image.0[0];
    let before = corner(&test);
    test.keys(Modifiers::ALT, Key::ArrowLeft);
    assert!((before.x - corner(&test).x - 1.0).abs() < 1e-9);
    // Its picture is cut anew.
    test.until(|_| true);
    test.shows("The card as in the photo");
    // By the mouse, in one drag.
    let handle = test.harness.get_by_label("Corner 1 of card 5").rect().center();
    test.harness.hover_at(handle);
    test.harness.drag_at(handle);
    for step in 1..=4 {
        test.harness.hover_at(handle - eframe::egui::vec2(5.0 * step as f32, 0.0));
    }
    test.harness.drop_at(handle - eframe::egui::vec2(20.0, 0.0));
    test.settle();
    let moved = before.x - 1.0 - corner(&test).x;
    assert!((moved - 20.0 / f64::from(placement.scale)).abs() < 1.0, "{moved}");
    test.press("Undo");
    assert!((before.x - corner(&test).x - 1.0).abs() < 1e-9, "a drag is one change");
}

#[test]
fn labels_that_cannot_be_read_are_left_alone() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    std::fs::write(test.path("labels.json"), "{ half").unwrap();
    let folder = test.path("");
    test.window_mut().open(vec![folder]);
    // Told at once, and gone on the next page.
    test.until(|window| {
        window.said().is_some_and(|said| said.contains("labels.json: is not valid JSON"))
    });
    test.shows_part("labels.json: is not valid JSON");
    test.key(Key::F5);
    test.shows_not("labels.json: is not valid JSON");
    test.until(|window| window.is_settled());
    test.press("Card 4: one open red diamond");
    test.press("colour: green");
    assert!(test.window().said().unwrap().contains("labels.json"));
    assert_eq!(std::fs::read_to_string(test.path("labels.json")).unwrap(), "{ half");
}

#[test]
fn one_changed_card_is_no_word_on_the_others() {
    let mut test = Test::new("1fgd 2fgd 3srs 1ord?", &["a.jpg"]);
    test.key(Key::F5);
    test.press("Card 3: three striped red squiggles");
    test.press("shading: filled");
    let labels = |test: &Test| LabelFile::read(test.folder.path()).unwrap();
    let said: Vec<SaidBy> =
        labels(&test).photos().unwrap()[0].cards.iter().map(|card| card.said_by).collect();
    assert_eq!(said, [SaidBy::Reader, SaidBy::Reader, SaidBy::Person]);
    let (_, unchecked) = labels(&test).checked_photos().unwrap();
    assert_eq!(unchecked, ["a.jpg"], "it is no ground truth");
    test.shows_part("corrected");
    test.key(Key::Escape);
    test.press("All cards are right");
    test.shows("Checked by a person.");
    let (photos, unchecked) = labels(&test).checked_photos().unwrap();
    assert!(unchecked.is_empty());
    assert!(photos[0].cards.len() == 4, "the unsure one is right as well");
    assert!(photos[0].cards.iter().all(|card| card.said_by == SaidBy::Person));
    test.press("Undo");
    assert_eq!(labels(&test).checked_photos().unwrap().1, ["a.jpg"]);
}

#[test]
fn the_readers_own_result_comes_back() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.key(Key::F5);
    test.press("Card 4: one open red diamond");
    test.type_text("3sps");
    test.key(Key::Delete);
    assert_eq!(test.codes().len(), 3);
    test.press("Undo all");
    assert_eq!((test.codes().join(" ").as_str(), test.written()), (ONE_SET, None));
    test.press("Undo");
    assert_eq!(test.codes().len(), 3);
}

#[test]
fn two_windows_on_one_folder_keep_what_both_say() {
    let mut test = Test::new(ONE_SET, &["a.jpg", "b.jpg"]);
    test.key(Key::F5);
    let mine = std::mem::replace(
        &mut test.harness,
        harness(Fake::seeing(ONE_SET), &test.folder, (1280.0, 800.0)),
    );
    // The other window.
    test.settle();
    test.open(vec![test.path("")]);
    test.key(Key::F5);
    test.key(Key::PageDown);
    test.until(|window| window.is_settled());
    test.press("Card 1: one filled green diamond");
    test.type_text("1sps");
    test.key(Key::PageUp);
    test.until(|window| window.is_settled());
    test.press("Card 2: two filled green diamonds");
    test.type_text("2sps");
    let theirs = std::mem::replace(&mut test.harness, mine);
    test.press("Card 4: one open red diamond");
    test.type_text("3sps");
    assert_eq!(test.written().unwrap(), ["1fgd", "2sps", "3fgd", "3sps"]);
    assert_eq!(test.codes(), ["1fgd", "2sps", "3fgd", "3sps"], "it is seen here, too");
    let labels = LabelFile::read(test.folder.path()).unwrap().photos().unwrap();
    assert_eq!(labels[0].cards[0].code.to_string(), "1sps", "b.jpg");
    // Both say something of the same card: the user knows.
    test.press("Card 1: one filled green diamond");
    let mine = std::mem::replace(&mut test.harness, theirs);
    test.press("Card 1: one filled green diamond");
    test.type_text("1ogo");
    let theirs = std::mem::replace(&mut test.harness, mine);
    test.type_text("1opo");
    test.shows("Another window says something else");
    assert_eq!(test.written().unwrap()[0], "1ogo", "nothing is written over before the answer");
    test.press("Keep what this window says");
    assert_eq!(test.written().unwrap(), ["1opo", "2sps", "3fgd", "3sps"]);
    test.shows_not("Another window says");
    drop(theirs);
}

#[cfg(unix)]
#[test]
fn what_cannot_be_written_is_named_as_the_user_knows_it() {
    use std::os::unix::fs::PermissionsExt;
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    let folder = test.path("");
    let allow = |mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&folder, permissions).unwrap();
    };
    allow(0o555);
    if std::fs::write(test.path("probe"), b"x").is_ok() {
        allow(0o755);
        setsight_testkit::not_run("this user may write wherever they like");
        return;
    }
    test.key(Key::F5);
    test.press("Card 4: one open red diamond");
    test.type_text("3sps");
    let said = test.window().said().unwrap().to_owned();
    allow(0o755);
    assert!(said.contains("labels.json: cannot be written"), "{said}");
    assert!(!said.contains(".setsight-"), "{said}");
}
