//! Corrections: made, undone, written down, and put together with those of others; and cards to check, the unsure
//! ones of a photo, one after the other.

use crate::harness::{Fake, ONE_SET, Test, harness};
use eframe::egui::{Key, Modifiers, accesskit::Role};
use egui_kittest::kittest::{NodeT, Queryable};
use setsight_photo::geometry::Point;
use setsight_photo::labels::{LabelFile, LabelledBy};
use setsight_window::{Language, Photos, Task};

#[test]
fn a_correction_is_undone_saved_and_kept_after_a_restart() {
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
fn a_card_already_on_the_table_is_swapped_on_request() {
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
        window.message().is_some_and(|message| message.contains("labels.json: is not valid JSON"))
    });
    test.shows_part("labels.json: is not valid JSON");
    test.key(Key::F5);
    test.shows_not("labels.json: is not valid JSON");
    test.until(|window| window.is_settled());
    test.press("Card 4: one open red diamond");
    test.press("colour: green");
    assert!(test.window().message().unwrap().contains("labels.json"));
    assert_eq!(std::fs::read_to_string(test.path("labels.json")).unwrap(), "{ half");
}

#[test]
fn one_changed_card_does_not_confirm_the_rest() {
    let mut test = Test::new("1fgd 2fgd 3srs 1ord?", &["a.jpg"]);
    test.key(Key::F5);
    test.press("Card 3: three striped red squiggles");
    test.press("shading: filled");
    let labels = |test: &Test| LabelFile::read(test.folder.path()).unwrap();
    let authors: Vec<LabelledBy> =
        labels(&test).photos().unwrap()[0].cards.iter().map(|card| card.labelled_by).collect();
    assert_eq!(authors, [LabelledBy::Reader, LabelledBy::Reader, LabelledBy::Person]);
    let (_, unchecked) = labels(&test).checked_photos().unwrap();
    assert_eq!(unchecked, ["a.jpg"], "it is no ground truth");
    test.shows_part("corrected");
    test.key(Key::Escape);
    test.press("All cards are right");
    test.shows("Checked by a person.");
    let (photos, unchecked) = labels(&test).checked_photos().unwrap();
    assert!(unchecked.is_empty());
    assert!(photos[0].cards.len() == 4, "the unsure one is right as well");
    assert!(photos[0].cards.iter().all(|card| card.labelled_by == LabelledBy::Person));
    test.press("Undo");
    assert_eq!(labels(&test).checked_photos().unwrap().1, ["a.jpg"]);
}

#[test]
fn the_result_of_the_reader_comes_back() {
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
    let message = test.window().message().unwrap().to_owned();
    allow(0o755);
    assert!(message.contains("labels.json: cannot be written"), "{message}");
    assert!(!message.contains(".setsight-"), "{message}");
}

/// A set that hangs on card 3, a tie, and a card whose second guess is the right one.
const THREE: &str = "1fgd 2fgd 3fgd>3sgd 1ord 1spo=1sro 2ops>2ogs>3ogs";

#[test]
fn three_right_guesses_cost_enter_three_times() {
    let mut test = Test::new(THREE, &["a.jpg"]);
    test.press("Go through 3 unsure cards");
    assert_eq!(test.photos().view.task, Task::Correct);
    test.shows("Card 3: perhaps three filled green diamonds");
    for _ in 0..3 {
        test.key(Key::Enter);
    }
    let table = test.photos().table();
    assert_eq!((table.unsure(), table.sets.len(), table.probable_sets.len()), (0, 1, 0));
    // What a person says is sure, and so it is written.
    let written = &LabelFile::read(test.folder.path()).unwrap().photos().unwrap()[0];
    assert_eq!(written.cards.len(), 6);
    assert!(table.cards.iter().all(|card| card.alternatives.is_empty()));
    assert!(
        [2, 4, 5].iter().all(|&card| table.confirmed[card] && table.cards[card].confidence == 1.0)
    );
    // The list is done: nothing is in hand, one more Enter means nothing, Escape leaves.
    test.shows_part("The drawn cards show what was read.");
    test.key(Key::Enter);
    test.key(Key::Escape);
    assert_eq!(test.photos().view.task, Task::Look);
    test.shows("1 set");
}

#[test]
fn the_list_names_the_cards_and_enter_begins_it() {
    let mut test = Test::new(THREE, &["a.jpg"]);
    test.key(Key::F5);
    test.shows("3 unsure cards");
    let tie = "Card 5: perhaps one striped purple oval or one striped red oval";
    test.shows(tie);
    test.key(Key::Enter);
    test.shows("In set 1?");
    // The other guesses, by their probability; a tie has both in view at once.
    test.shows_not("Guess 1");
    test.key(Key::W);
    test.shows("Guess 1: three filled green diamonds, 60 %");
    test.shows("Guess 2: three striped green diamonds, 30 %");
    test.key(Key::Enter);
    assert_eq!(test.codes()[2], "3sgd");
    test.shows(tie);
    test.shows("Guess 1: one striped purple oval, 30 %");
    test.press("Guess 2: one striped red oval, 30 %");
    assert_eq!(test.codes()[4], "1sro");
    // Escape closes the guesses, then lets go of the card, then leaves.
    test.key(Key::W);
    test.key(Key::Escape);
    test.shows_not("Guess 1");
    test.shows("Drawn: two open purple squiggles");
    test.key(Key::Escape);
    test.shows("1 unsure card");
    test.key(Key::Escape);
    assert_eq!(test.photos().view.task, Task::Look);
    // What is taken back is to be checked again, with all its guesses.
    test.key(Key::F5);
    test.keys(Modifiers::COMMAND, Key::Z);
    test.keys(Modifiers::COMMAND, Key::Z);
    test.shows("3 unsure cards");
    test.key(Key::F7);
    test.key(Key::W);
    test.shows("Guess 2: three striped green diamonds, 30 %");
}

fn panel_buttons(test: &Test) -> Vec<(String, String)> {
    let all = test.harness.query_all_by_role(Role::Button);
    let placed = all.filter_map(|button| {
        let name = button.accesskit_node().label()?;
        let side = button.rect().min.x > 890.0 && !name.starts_with(['V', 'G']);
        side.then(|| (name, format!("{:?}", button.rect())))
    });
    placed.collect()
}

/// Whatever card is in hand, each button of the panel stays where it is.
#[test]
fn the_panel_keeps_its_place() {
    for (size, language) in
        [((1280.0, 800.0), Language::English), ((1280.0, 800.0), Language::German)]
    {
        let mut test = Test::sized(Fake::seeing(THREE), &["a.jpg", "b.jpg"], size);
        test.window_mut().app.store.settings.language = Some(language);
        test.key(Key::F7);
        let first = panel_buttons(&test);
        assert!(first.len() > 20, "{first:?}");
        test.key(Key::Enter);
        // The tie has its guesses open, where the values were.
        test.key(Key::Escape);
        assert_eq!(panel_buttons(&test), first);
    }
}

#[test]
fn a_full_deck_of_doubts_is_a_short_list() {
    let deck: Vec<String> =
        setsight_game::cards::Card::deck().map(|card| format!("{card}?")).collect();
    let mut test = Test::new(&deck.join(" "), &["a.jpg"]);
    test.press("Go through 81 unsure cards");
    test.key(Key::Escape);
    test.shows("81 unsure cards");
    test.shows("and 69 more");
    let listed = test.harness.query_all_by_label_contains(": perhaps ").count();
    assert!(listed <= 81 + 12 + 1, "{listed}");
    // The first Enter takes one in hand.
    for _ in 0..4 {
        test.key(Key::Enter);
    }
    assert_eq!(test.photos().table().unsure(), 78);
}

/// With the keyboard alone: Enter presses the button that has the focus, and no key moves the focus to
/// a card that is not in hand.
#[test]
fn the_keyboard_focus_is_visible() {
    let mut test = Test::new(THREE, &["a.jpg"]);
    test.key(Key::F5);
    for card in ["Card 1: one filled green diamond", "Card 2: two filled green diamonds"] {
        test.key(Key::ArrowRight);
        test.shows(&format!("Drawn: {}", &card[8..]));
        assert_eq!(test.focused(), card);
    }
    test.harness.get_by_role_and_label(Role::Button, "Not a card").focus();
    test.settle();
    test.key(Key::Enter);
    assert_eq!(test.codes().len(), 5);
    // Looking at sets no card is framed.
    test.key(Key::ArrowRight);
    test.key(Key::F2);
    test.key(Key::ArrowRight);
    let focused = test.harness.query_by(|node| node.is_focused());
    let name = focused.and_then(|node| node.accesskit_node().label()).unwrap_or_default();
    assert!(!name.starts_with("Card "), "{name}");
}

#[test]
fn the_check_says_what_came_of_it_and_goes_on_to_the_next_photo() {
    let mut test = Test::new(THREE, &["a.jpg", "b.jpg"]);
    test.key(Key::F7);
    for photo in 0..2 {
        assert_eq!(test.photos().shelf.current, photo);
        test.shows("Drawn: three filled green diamonds");
        for _ in 0..3 {
            test.key(Key::Enter);
        }
        test.shows_part("No card is unsure any more. 1 set.");
        // Its sets are drawn, and Enter goes on.
        test.until(|window| window.is_settled());
        let sets = test.painted().into_iter().filter(|(text, _)| text == "1");
        assert_eq!(sets.count(), 3);
        test.key(Key::Enter);
    }
    test.shows("No card is unsure any more.");
}

#[test]
fn a_message_about_a_photo_goes_with_it() {
    let mut test = Test::new(THREE, &["a.jpg", "b.jpg"]);
    test.key(Key::F7);
    for _ in 0..3 {
        test.key(Key::Enter);
    }
    test.shows_part("No card is unsure any more.");
    test.keys(Modifiers::COMMAND, Key::Z);
    test.shows_not("No card is unsure any more.");
    test.keys(Modifiers::COMMAND, Key::Y);
    test.shows_part("No card is unsure any more.");
    test.key(Key::PageDown);
    test.shows_not("No card is unsure any more.");
}

#[test]
fn guesses_that_are_confirmed_together_are_counted_and_taken_back_at_once() {
    let mut test = Test::new(THREE, &["a.jpg"]);
    test.key(Key::F5);
    test.keys(Modifiers::COMMAND, Key::Enter);
    test.shows("3 guesses were confirmed, too. Ctrl+Z undoes that.");
    test.keys(Modifiers::COMMAND, Key::Z);
    test.shows_not("guesses were confirmed");
    assert_eq!((test.photos().table().unsure(), test.written()), (3, None));
}

/// The number of its set lies beside the handle at the corner of the card in hand, not under it.
#[test]
fn no_handle_covers_a_badge() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.key(Key::F5);
    test.press("Card 1: one filled green diamond");
    let handle = test.harness.get_by_label("Corner 1 of card 1").rect().center();
    let badges = test.painted().into_iter().filter(|(text, _)| text == "1");
    let nearest = badges.map(|(_, rect)| rect.center().distance(handle)).fold(f32::MAX, f32::min);
    assert!(nearest > 22.0, "{nearest}");
}

fn is_framed(test: &Test) -> bool {
    let focused = test.harness.query_by(|node| node.is_focused());
    let name = focused.and_then(|node| node.accesskit_node().label());
    name.is_some_and(|name| name.starts_with("Card"))
}

/// Nothing is framed that is not in hand, and a message says that nothing is left to check.
#[test]
fn when_all_is_checked_nothing_stays_framed() {
    let mut test = Test::new("1fgd 2fgd 3fgd?", &["a.jpg"]);
    test.key(Key::F5);
    test.key(Key::ArrowLeft);
    assert!(is_framed(&test));
    test.key(Key::Enter);
    assert!(!is_framed(&test));
    test.key(Key::ArrowLeft);
    assert!(is_framed(&test));
    test.key(Key::F7);
    test.shows("No card is unsure any more.");
    assert!(!is_framed(&test));
}

const TWELVE: &str = "3opd 1ors 1spd 1fgo 2fro 2ord 2fgd 3ord 2ogo 3srd 2fpd 2ops";

/// The readings lie drawn on the photo, so most photos cost one key.
#[test]
fn thirty_photos_with_three_wrong_cards_cost_45_keys_and_clicks() {
    let photos: Vec<String> = (0..30).map(|n| format!("{n:02}.jpg")).collect();
    let names: Vec<&str> = photos.iter().map(String::as_str).collect();
    let mut test = Test::new(TWELVE, &names);
    test.key(Key::F5);
    let mut used = 0;
    for (n, photo) in photos.iter().enumerate() {
        assert_eq!(test.photos().shelf.current, n);
        if n % 10 == 4 {
            test.until(|window| window.is_settled());
            test.press("Card 3: one striped purple diamond");
            test.type_text("1sro");
            used += 1 + 4;
        }
        test.keys(Modifiers::COMMAND, Key::Enter);
        used += 1;
        test.shows_part(&format!("{photo}: all cards are right. Ctrl+Z undoes that."));
    }
    assert!(used <= 45, "{used}");
    let (checked, unchecked) =
        LabelFile::read(test.folder.path()).unwrap().checked_photos().unwrap();
    assert_eq!((checked.len(), unchecked.len()), (30, 0));
    let corrected = checked.iter().filter(|photo| photo.cards[2].code.to_string() == "1sro");
    assert_eq!(corrected.count(), 3);
}

/// What is drawn below a card is as good as the card.
#[test]
fn a_drawn_card_is_clicked() {
    let mut test = Test::new(TWELVE, &["a.jpg"]);
    test.key(Key::F5);
    let at = test.photos().view.placement.unwrap().window_from_image(Point::new(65.0, 90.0));
    test.harness.hover_at(at);
    test.harness.drag_at(at);
    test.harness.drop_at(at);
    test.settle();
    test.shows("Drawn: three open purple diamonds");
}

#[test]
fn undo_leads_back_to_the_photo_that_was_all_right() {
    let mut test = Test::new(ONE_SET, &["a.jpg", "b.jpg"]);
    test.key(Key::F5);
    test.keys(Modifiers::COMMAND, Key::Enter);
    assert_eq!((test.photos().shelf.current, test.written().unwrap().len()), (1, 4));
    test.press("Undo");
    assert_eq!((test.photos().shelf.current, test.written()), (0, None));
    // Once another photo has been looked at, undo means that one.
    test.keys(Modifiers::COMMAND, Key::Enter);
    test.key(Key::PageUp);
    test.key(Key::PageDown);
    test.keys(Modifiers::COMMAND, Key::Z);
    assert_eq!((test.photos().shelf.current, test.written().unwrap().len()), (1, 4));
    // Guesses are looked at before it goes on.
    let mut test = Test::new(THREE, &["a.jpg", "b.jpg"]);
    test.key(Key::F5);
    test.keys(Modifiers::COMMAND, Key::Enter);
    assert_eq!(test.photos().shelf.current, 0);
    test.keys(Modifiers::COMMAND, Key::Enter);
    assert_eq!(test.photos().shelf.current, 1);
}
