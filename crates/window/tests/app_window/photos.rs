//! Looking at photos, sorting many, and what leaves the window.

use crate::harness::{NO_SET, ONE_SET, Test};
use eframe::egui::accesskit::Role;
use eframe::egui::{ColorImage, Event, Key, Modifiers, OutputCommand, Rect, pos2};
use egui_kittest::kittest::Queryable;
use setsight_game::cards::parse_codes;
use setsight_game::sets::three_more;
use setsight_window::Mode;
use setsight_window::Photos;
use std::sync::Arc;

#[test]
fn the_strip_shows_and_leads_to_every_photo() {
    let mut test = Test::new("1fgd 2fgd 3fgd 1ord?", &["a.jpg", "b.jpg", "bad.jpg", "d.jpg"]);
    for name in ["a.jpg", "b.jpg", "d.jpg"] {
        test.shows(&format!("{name}: 1 set, 1 card unsure"));
    }
    test.shows("bad.jpg: cannot be read");
    test.press("b.jpg: 1 set, 1 card unsure");
    test.shows_part("photo 2 of 4");
    for (key, place) in [(Key::PageDown, 3), (Key::End, 4), (Key::PageUp, 3), (Key::Home, 1)] {
        test.key(key);
        test.shows_part(&format!("photo {place} of 4"));
    }
    test.press("bad.jpg: cannot be read");
    test.until(|window| window.is_settled());
    test.shows("This photo cannot be read.");
    test.shows_part("It is cut off: the JPEG data end");
}

#[test]
fn problems_of_a_photo_are_listed_with_its_sets() {
    let mut test = Test::new(ONE_SET, &["a.jpg", "cut.jpg"]);
    test.shows_not(
        "The photo's file is incomplete, so its lower edge may be missing. Copy it again.",
    );
    test.key(Key::PageDown);
    test.until(|window| window.is_settled());
    test.shows("1 set");
    test.shows_part("is incomplete");
}

#[test]
fn sets_are_shown_together_and_one_by_one() {
    let mut test = Test::new("1fgd 2fgd 3fgd 1ord 2ord 3ord", &["a.jpg"]);
    test.shows("2 sets");
    test.shows_not(" of 2");
    test.key(Key::ArrowRight);
    test.shows("1 of 2");
    test.key(Key::ArrowRight);
    test.key(Key::ArrowRight);
    test.shows_not(" of 2");
    test.key(Key::ArrowLeft);
    test.shows("2 of 2");
    test.press("All sets");
    let first =
        "Set 1: one filled green diamond, two filled green diamonds, three filled green diamonds";
    test.press(first);
    assert_eq!(test.photos().view.look.set, Some(0));
    // A card of the other set leads there.
    test.press("Card 5: two open red diamonds");
    assert_eq!(test.photos().view.look.set, Some(1));
}

/// The names that are painted on the picture, each within a card of the set and on no other.
fn circled(test: &Test) -> Vec<String> {
    let placement = test.photos().view.placement.unwrap();
    let cards = &test.photos().table().cards;
    let quads = cards.iter().map(|card| card.corners_in_image.0);
    let quads: Vec<_> = quads.map(|quad| quad.map(|p| placement.window_from_image(p))).collect();
    let painted = test.painted().into_iter();
    let named = painted.filter(|(text, _)| text.chars().count() > 2 && text != "Fit");
    named
        .map(|(text, rect)| {
            let (in_set, rest) = quads.split_at(3);
            assert!(
                in_set.iter().any(|quad| Rect::from_points(quad).contains_rect(rect)),
                "{text}"
            );
            assert!(!rest.iter().any(|quad| Rect::from_points(quad).intersects(rect)), "{text}");
            text
        })
        .collect()
}

/// On the picture the values by name, one property after the other, round and round.
#[test]
fn why_three_cards_are_a_set_is_explained_and_circled() {
    let mut test = Test::new("1fgd 2fgd 3fgd 1ord", &["a.jpg"]);
    let rows = |test: &Test| test.harness.get_by_label_contains("Set 1: ").rect();
    let before = rows(&test);
    test.key(Key::ArrowRight);
    assert_eq!(circled(&test), [""; 0]);
    test.press("Why?");
    assert_eq!(rows(&test), before, "the list stays where it is");
    test.shows("all different: one, two, three");
    test.shows("all the same: green");
    // A frame is a quarter of a second.
    let mut rounds = Vec::new();
    for _ in 0..60 {
        test.harness.step();
        let names = circled(&test);
        if rounds.last() != Some(&names) {
            rounds.push(names);
        }
    }
    let times = |words: [&str; 3]| rounds.iter().filter(|names| **names == words).count();
    assert!(times(["one", "two", "three"]) > 1 && times(["green"; 3]) > 1, "{rounds:?}");
    // Of a card that is partly seen, too.
    for _ in 0..3 {
        test.key(Key::Plus);
        circled(&test);
    }
    test.key(Key::Num0);
    test.key(Key::W);
    assert_eq!(circled(&test), [""; 0]);
    // Three cards that are none: what spoils it stays circled.
    test.key(Key::F4);
    for card in ["Card 1: one filled green diamond", "Card 2: two filled green diamonds"] {
        test.press(card);
    }
    test.shows("This card would complete the set:");
    test.shows("three filled green diamonds");
    test.press("Card 4: one open red diamond");
    test.shows("Or click another card to start again with it.");
}

/// What the chosen set and a previewed one are called on their cards.
fn badges(test: &Test) -> Vec<String> {
    test.painted().into_iter().map(|(text, _)| text).filter(|text| text.len() == 1).collect()
}

#[test]
fn a_set_under_the_pointer_is_a_preview_until_the_next_key() {
    let mut test = Test::new("1fgd 2fgd 3fgd 1ord 2ord 3ord", &["a.jpg"]);
    let row = test.harness.get_by_label_contains("Set 2: ").rect().center();
    hover_anew(&mut test, row);
    assert_eq!(badges(&test), ["2"; 3]);
    // The pointer still lies there.
    test.key(Key::ArrowRight);
    test.key(Key::W);
    assert_eq!((badges(&test), circled(&test).len()), (vec!["1".to_owned(); 3], 3));
    hover_anew(&mut test, row);
    assert_eq!((badges(&test), circled(&test).len()), (vec!["2".to_owned(); 3], 0));
}

#[test]
fn no_set_comes_with_the_chance_of_one() {
    let mut test = Test::new(NO_SET, &["a.jpg"]);
    test.shows("No set here.");
    let chance = three_more(&parse_codes(NO_SET).unwrap()).unwrap().value();
    test.shows(&format!("Three more cards bring one {:.0} times out of 100.", 100.0 * chance));
    for mode in ["Hint", "Solve"] {
        test.press(mode);
        test.shows("No set here.");
    }
}

#[test]
fn hints_come_one_by_one() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.key(Key::F3);
    assert_eq!(test.photos().view.look.mode, Mode::Hint);
    test.shows_part("There is a set here.");
    test.shows_not("Set 1:");
    let given = |test: &Test| test.harness.query_all_by_role(Role::Image).count();
    let before = given(&test);
    test.press("Show one card");
    assert_eq!(given(&test), before + 1);
    test.key(Key::H);
    test.shows_part("Which card is the third?");
    assert_eq!(given(&test), before + 2);
    test.press("Show the third card");
    assert_eq!(given(&test), before + 3);
    test.shows("This is a set.");
    // As much of another set; here is none.
    test.key(Key::N);
    test.shows("There is no other set.");
    test.key(Key::Escape);
    test.shows_part("There is a set here.");
}

fn hover_anew(test: &mut Test, at: eframe::egui::Pos2) {
    test.harness.hover_at(pos2(5.0, 5.0));
    test.settle();
    test.harness.hover_at(at);
    test.settle();
}

#[test]
fn nothing_gives_sets_away_to_whoever_looks_for_them() {
    let codes = "1fgd>1sgd 2fgd 3fgd 1ord 2ord 3ord 1spo 2spo 3spo";
    let mut test = Test::new(codes, &["a.jpg", "b.jpg"]);
    test.shows("a.jpg: 2 sets, 1 card unsure");
    let card = test
        .photos()
        .view
        .placement
        .unwrap()
        .window_from_image(setsight_photo::geometry::Point::new(60.0, 50.0));
    hover_anew(&mut test, card);
    test.shows("60 % sure, code 1fgd");
    test.shows("In set 3?");
    for key in [Key::F3, Key::F4, Key::F5] {
        test.key(key);
        hover_anew(&mut test, card);
        test.shows_part("code 1fgd");
        test.shows_not("In set");
    }
    // A sure card shows no note.
    let scale = test.photos().view.placement.unwrap().scale;
    hover_anew(&mut test, card + eframe::egui::vec2(110.0 * scale, 0.0));
    test.shows_not("code ");
    for key in [Key::F3, Key::F4] {
        test.key(key);
        test.shows_not("2 sets");
        test.shows("a.jpg: 1 card unsure");
    }
    let mut none = Test::new(NO_SET, &["a.jpg"]);
    none.key(Key::F4);
    none.shows_not("No set here");
}

#[test]
fn three_chosen_cards_are_explained() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.key(Key::F4);
    test.shows("Choose three cards in the picture.");
    for card in ["Card 1: one filled green diamond", "Card 2: two filled green diamonds"] {
        test.press(card);
    }
    test.shows("Choose one more.");
    test.press("Card 3: three filled green diamonds");
    test.shows("A set!");
    test.shows("all different: one, two, three");
    test.shows("all the same: green");
    test.press("Choose other cards");
    for card in [
        "Card 1: one filled green diamond",
        "Card 2: two filled green diamonds",
        "Card 4: one open red diamond",
    ] {
        test.press(card);
    }
    test.shows("two have one symbol, one has two");
    test.shows("Not a set: the number, the shading and the colour don't fit.");
}

#[test]
fn every_stage_can_be_looked_at() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.key(Key::F6);
    test.until(|window| window.is_settled());
    test.shows("Picture of the step The photo");
    test.key(Key::ArrowRight);
    test.shows("Picture of the step Outlines");
    test.shows("Where cards are thought to lie.");
    test.key(Key::ArrowLeft);
    test.key(Key::ArrowLeft);
    test.shows("Picture of the step The table");
}

#[test]
fn the_board_is_copied_and_saved() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.harness.event(Event::Copy);
    test.harness.step();
    let commands = test.harness.output().platform_output.commands.clone();
    let copied = commands.iter().find_map(|command| match command {
        OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    let text = copied.expect("copied");
    assert!(text.contains("set 1: 1 one filled green diamond, 2 two"), "{text}");
    for (key, file) in [(Key::J, "found.json"), (Key::E, "found.png")] {
        test.keys(Modifiers::COMMAND, key);
        test.type_path(file);
        assert!(test.window().message().unwrap().contains(file));
    }
    let json = std::fs::read_to_string(test.path("found.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["sets"], serde_json::json!([[0, 1, 2]]));
    let picture = image::open(test.path("found.png")).unwrap();
    assert!(picture.width() == 480 && picture.height() > 360, "with a legend");
    // The photo itself is not replaced.
    let photo = std::fs::read(test.path("a.jpg")).unwrap();
    test.keys(Modifiers::COMMAND, Key::E);
    test.type_path("a.jpg");
    test.shows_part("a.jpg already exists. Choose another name.");
    assert_eq!(std::fs::read(test.path("a.jpg")).unwrap(), photo);
}

#[test]
fn photos_come_by_drop_and_by_paste() {
    let mut test = Test::at("Photos");
    for name in ["a.jpg", "b.jpg"] {
        std::fs::write(test.path(name), b"x").unwrap();
        test.drop_file(name);
    }
    test.until(|window| window.tab::<Photos>().shelf.progress() == (2, 2));
    // More are added to those that are there.
    std::fs::write(test.path("c.jpg"), b"x").unwrap();
    test.drop_file("c.jpg");
    test.until(|window| window.tab::<Photos>().shelf.progress() == (3, 3));
    test.shows_part("photo 3 of 3");
    // One photo brings its neighbours.
    test.harness.event(Event::Paste(test.path("b.jpg").display().to_string()));
    test.until(|window| window.is_settled() && window.tab::<Photos>().shelf.progress() == (3, 3));
    test.shows_part("photo 2 of 3");
    test.harness.event(Event::Paste("nothing of use".into()));
    test.settle();
    assert!(test.window().message().unwrap().contains("nothing of use"));
    let picture = ColorImage::filled([480, 360], eframe::egui::Color32::GREEN);
    test.harness.event(Event::PasteImage(Arc::new(picture)));
    test.until(|window| {
        window.is_settled()
            && window.tab::<Photos>().shelf.current().unwrap().0.ends_with("pasted picture")
    });
    test.shows("1 set");
}

#[test]
fn a_picture_is_zoomed_and_moved() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    let fitted = test.photos().view.placement.unwrap();
    let at = fitted.room.center();
    test.harness.hover_at(at);
    test.type_text("+");
    test.shows_not("Zoom");
    test.key(Key::Plus);
    test.shows("Zoom out");
    let near = test.photos().view.placement.unwrap();
    assert!(near.scale > 1.3 * fitted.scale);
    test.harness.drag_at(at);
    test.harness.hover_at(pos2(at.x + 60.0, at.y));
    test.harness.drop_at(pos2(at.x + 60.0, at.y));
    test.settle();
    let moved = test.photos().view.placement.unwrap();
    assert!((moved.rect.min.x - near.rect.min.x - 60.0).abs() < 8.0, "{near:?} {moved:?}");
    test.key(Key::Num0);
    assert_eq!(test.photos().view.placement.unwrap(), fitted);
}

#[test]
fn a_folder_of_folders_shows_their_photos() {
    let mut test = Test::at("Photos");
    for name in ["one/a.jpg", "two/deep/b.jpg"] {
        std::fs::create_dir_all(test.path(name).parent().unwrap()).unwrap();
        std::fs::write(test.path(name), b"x").unwrap();
    }
    test.open(vec![test.path("")]);
    assert_eq!(test.photos().shelf.progress(), (2, 2));
    test.shows("b.jpg: 1 set");
    std::fs::create_dir(test.path("none")).unwrap();
    let empty = test.path("none");
    test.window_mut().open(vec![empty]);
    test.until(|window| window.is_settled());
    test.shows("No photos here.");
    test.shows_not("--recursive");
}

#[test]
fn many_photos_are_sorted() {
    let few = Test::new(ONE_SET, &["a.jpg", "b.jpg"]);
    few.shows("0 of 2 checked");
    few.shows_not("To check");
    let names = ["a", "b", "bad", "c", "d", "e", "f", "g", "h", "i"].map(|n| format!("{n}.jpg"));
    let mut test = Test::new("1fgd 2fgd 3fgd 1ord?", &names.each_ref().map(String::as_str));
    test.shows("0 of 10 checked");
    test.key(Key::U);
    test.shows_part("photo 2 of 10");
    test.key(Key::U);
    test.shows_part("photo 4 of 10");
    test.keys(Modifiers::SHIFT, Key::U);
    test.shows_part("photo 2 of 10");
    test.key(Key::F5);
    test.keys(Modifiers::COMMAND, Key::Enter);
    test.shows("1 of 10 checked");
    test.shows("b.jpg: 1 set, checked");
    test.key(Key::U);
    test.shows_part("photo 4 of 10");
    test.press("To check");
    test.shows_not("b.jpg: 1 set");
    test.shows("a.jpg: 1 set, 1 card unsure");
    // Keys leaf through what is shown.
    test.key(Key::PageUp);
    test.shows_part("photo 1 of 10");
    test.press("Corrected");
    test.shows("b.jpg: 1 set, checked");
    test.press("No set");
    test.shows_not("b.jpg: 1 set");
    test.press("All photos");
    test.shows("b.jpg: 1 set, checked");
}

#[test]
fn a_folder_is_saved_without_touching_other_files() {
    let mut test = Test::new(ONE_SET, &["a.jpg", "a.png", "bad.jpg"]);
    std::fs::create_dir(test.path("with-sets")).unwrap();
    std::fs::write(test.path("with-sets/a-sets.jpg"), b"mine").unwrap();
    test.keys(Modifiers::COMMAND | Modifiers::SHIFT, Key::E);
    test.type_path("");
    test.until(|window| {
        window.message().is_some_and(|message| message.starts_with("Saved 2 pictures"))
    });
    let saved = test.path("with-sets-2");
    for name in ["a-sets.jpg", "a-sets-2.jpg"] {
        assert!(image::open(saved.join(name)).unwrap().width() >= 480, "{name}");
        assert!(setsight_photo::encode::is_result(&saved.join(name)), "{name}");
    }
    let csv = std::fs::read_to_string(saved.join("cards.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 2 * 4, "{csv}");
    assert_eq!(std::fs::read(test.path("with-sets/a-sets.jpg")).unwrap(), b"mine");
}

#[test]
fn the_picture_is_copied_with_its_sets() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    // The system's window makes Event::Copy of the key without Shift alone.
    let event = Event::Key {
        key: Key::C,
        physical_key: None,
        pressed: true,
        repeat: false,
        modifiers: Modifiers::COMMAND | Modifiers::SHIFT,
    };
    test.harness.event(event);
    test.harness.step();
    let commands = test.harness.output().platform_output.commands.clone();
    let copied = commands.iter().find_map(|command| match command {
        OutputCommand::CopyImage(image) => Some(image.size),
        _ => None,
    });
    let [width, height] = copied.expect("copied");
    assert!(width == 480 && height > 360, "with a legend");
}

#[test]
fn tab_goes_as_one_reads_and_arrows_from_card_to_card() {
    let mut test = Test::new("1fgd 2fgd 3fgd 1ord 2ord 3ord", &["a.jpg", "b.jpg"]);
    test.key(Key::F4);
    let mut names = Vec::new();
    for _ in 0..80 {
        test.key(Key::Tab);
        names.push(test.focused());
    }
    let place = |name: &str| names.iter().position(|other| other.starts_with(name)).unwrap();
    let order =
        ["Photos", "Settings", "Card 1:", "Card 2:", "Card 6:", "Solve", "Correct", "a.jpg:"];
    for pair in order.windows(2) {
        assert!(place(pair[0]) < place(pair[1]), "{pair:?} in {names:?}");
    }
    // Four cards in the first row, two in the second.
    test.key(Key::ArrowRight);
    test.harness.get_by_label("Card 2: two filled green diamonds").focus();
    test.settle();
    for (arrow, card) in [
        (Key::ArrowRight, "Card 3:"),
        (Key::ArrowLeft, "Card 2:"),
        (Key::ArrowDown, "Card 6:"),
        (Key::ArrowUp, "Card 2:"),
    ] {
        test.key(arrow);
        assert!(test.focused().starts_with(card), "{arrow:?} leads to {}", test.focused());
    }
    test.key(Key::Space);
    test.shows("Choose two more.");
    test.key(Key::F5);
    test.key(Key::ArrowRight);
    test.key(Key::ArrowDown);
    assert!(test.focused().starts_with("Card 5:"), "{}", test.focused());
    test.shows("Corner 1 of card 5");
}

#[test]
fn escape_closes_a_menu_before_anything_else() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.key(Key::ArrowRight);
    assert_eq!(test.photos().view.look.set, Some(0));
    test.press("Save…");
    test.shows("Cards and sets as JSON");
    test.key(Key::Escape);
    test.shows_not("Cards and sets as JSON");
    assert_eq!(test.photos().view.look.set, Some(0), "the set is still shown alone");
    // A page does not open under a menu.
    test.press("Save…");
    test.key(Key::F1);
    test.shows_not("Cards and sets as JSON");
    test.shows("Keys");
}
