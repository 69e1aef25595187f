//! The first page, pages over the window, settings, and small windows.

use crate::harness::{Fake, ONE_SET, Test};
use eframe::egui::accesskit::Role;
use eframe::egui::{Color32, HoveredFile, Key, Modifiers, Shape};
use egui_kittest::kittest::Queryable;
use setsight_window::Language;
use setsight_window::Page;
use setsight_window::Photos;
use setsight_window::settings::{Brightness, Palette};

#[test]
fn an_empty_window_says_what_to_do() {
    let mut test = Test::at("Photos");
    test.shows("Photograph your SET cards. See every set.");
    test.press("Help…");
    test.press("Keys");
    test.key(Key::F1);
    test.shows_not("Larger display");
    test.press("Play without photos");
    assert_eq!(test.window().tab_id(), "deal");
    test.press("Photos");
    // This system has no dialog: the path is typed.
    for (name, page, words) in [
        ("The rules", Page::Rules, "A set: everything differs"),
        ("How to photograph", Page::HowTo, "From the phone to this computer"),
        ("About", Page::About, "MIT OR Apache-2.0"),
    ] {
        test.press("Help…");
        test.press(name);
        assert_eq!(test.window().page, Some(page));
        test.shows(words);
        test.press("Close");
        assert_eq!(test.window().page, None);
    }
    test.press("Open a folder of photos");
    test.type_text("/no/such/folder");
    test.press("OK");
    // The field shows it, and one can go on from there.
    test.shows_part("\"/no/such/folder\" is not a photo or folder");
    test.press("Cancel");
    std::fs::write(test.path("a.jpg"), b"x").unwrap();
    test.keys(Modifiers::COMMAND, Key::L);
    test.type_path("");
    test.until(|window| window.tab::<Photos>().shelf.progress() == (1, 1));
    test.shows("1 set");
}

#[test]
fn the_page_of_keys_begins_with_the_current_tab_and_is_searched() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.key(Key::F3);
    test.key(Key::F1);
    let mut hints = test.harness.query_all_by_label("One card of a set, then two, then three");
    let first = hints.next().expect("of photos").rect().min.y;
    let live = test.harness.get_by_label("Freeze the picture, or let it go on; nothing is saved");
    assert!(first < live.rect().min.y - 100.0 && first < 200.0, "{first}");
    drop(hints);
    test.harness.get_by_label("Search").click();
    test.settle();
    test.type_text("larger");
    test.shows("Larger display");
    test.shows_not("Smaller display");
    test.type_text("!!");
    test.shows("Nothing found.");
    test.press("Close");
    test.key(Key::F1);
    test.shows("Smaller display");
}

#[test]
fn under_a_page_no_key_leads_elsewhere() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    let keys = [Key::Num2, Key::Num3, Key::N, Key::T, Key::O];
    test.keys(Modifiers::COMMAND, Key::Comma);
    for key in keys {
        test.keys(Modifiers::COMMAND, key);
        assert_eq!(test.window().tab_id(), "photos", "{key:?}");
    }
    test.shows("Display size");
    // Another page takes its place, and the same key closes it.
    test.keys(Modifiers::NONE, Key::F1);
    assert_eq!(test.window().page, Some(Page::Keys));
    test.keys(Modifiers::NONE, Key::F1);
    assert_eq!(test.window().page, None);
    test.keys(Modifiers::COMMAND, Key::Num2);
    assert_eq!(test.window().tab_id(), "deal");
}

fn texts(test: &Test) -> Vec<String> {
    let shapes = test.harness.output().shapes.iter();
    let texts = shapes.filter_map(|shape| match &shape.shape {
        eframe::egui::Shape::Text(text) => Some(text.galley.text().to_owned()),
        _ => None,
    });
    texts.collect()
}

#[test]
fn keys_stand_in_the_menus_and_o_opens_a_photo() {
    let mut test = Test::at("Photos");
    test.press("Open…");
    for key in ["Ctrl+O", "Ctrl+Shift+O", "Ctrl+T"] {
        assert!(texts(&test).iter().any(|text| text == key), "{key}: {:?}", texts(&test));
    }
    test.key(Key::Escape);
    for (held, title) in [
        (Modifiers::COMMAND, "Open photos"),
        (Modifiers::COMMAND | Modifiers::SHIFT, "Open a folder of photos"),
    ] {
        test.keys(held, Key::O);
        test.shows("Path");
        assert!(test.harness.query_all_by_label(title).count() > 0, "{title}");
        test.press("Cancel");
    }
}

/// Where the system has no dialog, folders are gone through, names completed and proposed.
#[test]
fn a_path_is_found_in_the_window_itself() {
    let mut test = Test::new(ONE_SET, &[]);
    std::fs::create_dir_all(test.path("holiday/evening")).unwrap();
    std::fs::write(test.path("holiday/evening/a.jpg"), b"x").unwrap();
    std::fs::write(test.path("holiday/notes.txt"), b"x").unwrap();
    test.settle();
    test.keys(Modifiers::COMMAND, Key::O);
    let start = test.path("ho").display().to_string();
    test.type_text(&start);
    let slash = std::path::MAIN_SEPARATOR;
    test.press(&format!("holiday{slash}"));
    test.shows_not("notes.txt");
    test.press(&format!("evening{slash}"));
    test.press("Folder above");
    test.press(&format!("evening{slash}"));
    test.press("a.jpg");
    test.until(|window| window.tab::<Photos>().shelf.progress() == (1, 1));
    // A name is proposed for what is written, beside what was open; one that is there is refused.
    test.keys(Modifiers::COMMAND, Key::J);
    let json = test.path("holiday/evening/a.json");
    test.press("OK");
    assert!(json.is_file(), "{:?}", test.window().message());
    test.keys(Modifiers::COMMAND, Key::J);
    test.press("OK");
    test.shows_part("already exists. Choose another name.");
    test.type_path("nowhere/b.json");
    test.shows_part("is not a folder on this computer");
    test.press("Cancel");
}

#[test]
fn settings_are_remembered() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.press("Settings");
    for choice in ["Dark", "Strong contrast"] {
        test.press(choice);
    }
    test.harness
        .get_by_role_and_label(Role::CheckBox, "Show the colour of drawn cards as a letter, too")
        .click();
    test.settle();
    test.press("Close");
    assert!(test.harness.ctx.global_style().visuals.dark_mode);
    // As on a keyboard where + lies above =.
    test.keys(Modifiers::COMMAND | Modifiers::SHIFT, Key::Plus);
    test.restart(ONE_SET);
    let settings = &test.window().app.store.settings;
    assert_eq!((settings.brightness, settings.palette), (Brightness::Dark, Palette::Strong));
    assert!(settings.letters && (settings.scale - 1.1).abs() < 1e-6);
    test.shows("Recent");
    let name = test.folder.path().file_name().unwrap().to_string_lossy().into_owned();
    test.harness.get_by_role_and_label(Role::Link, &name).click();
    test.until(|window| window.tab::<Photos>().shelf.progress() == (1, 1));
}

#[test]
fn a_small_window_shows_the_same() {
    for size in [(640.0, 480.0), (420.0, 700.0)] {
        let mut test = Test::sized(Fake::seeing(ONE_SET), &["a.jpg", "b.jpg"], size);
        test.shows("1 set");
        let placement = test.photos().view.placement.unwrap();
        assert!(placement.room.width() > 250.0 && placement.room.height() > 90.0, "{placement:?}");
        for key in [Key::F3, Key::F4, Key::F5, Key::F6] {
            test.key(key);
        }
        test.key(Key::F1);
        test.press("Close");
        test.press("Deal");
        test.press("Shuffle and play");
        test.press("Start");
        test.shows_part("Place 12: ");
    }
}

/// At 250 % of 640x480 there are 256x192 points: every page scrolls, and every button is reached.
#[test]
fn everything_is_reached_at_the_largest_scale_in_a_small_window() {
    let size = (256.0, 192.0);
    let mut test = Test::sized(Fake::seeing(ONE_SET), &[], size);
    test.settle();
    for name in ["Try a sample table", "Open a folder of photos"] {
        test.harness.get_by_role_and_label(Role::Button, name).scroll_to_me();
        test.settle();
        let rect = test.harness.get_by_role_and_label(Role::Button, name).rect();
        assert!(test.harness.ctx.content_rect().contains_rect(rect), "{name}: {rect:?}");
    }
    for key in
        [(Modifiers::NONE, Key::F1), (Modifiers::SHIFT, Key::F1), (Modifiers::COMMAND, Key::F1)]
    {
        test.keys(key.0, key.1);
        assert!(test.window().page.is_some());
        test.press_anywhere("Close");
        assert_eq!(test.window().page, None);
    }
    test.keys(Modifiers::COMMAND, Key::Comma);
    test.press_anywhere("Normal size");
    test.press_anywhere("Strong contrast");
    test.press_anywhere("Close");
    test.press("Menu");
    test.press("Deal");
    test.press_anywhere("Shuffle and play");
    test.press_anywhere("Players: 3");
    test.press_anywhere("Start");
    test.press_anywhere("Player 2 calls");
    let place = test.harness.query_all_by_label_contains("Place 5: ").next().unwrap().rect();
    assert!(
        test.harness.ctx.content_rect().contains_rect(place) && place.width() > 15.0,
        "{place:?}"
    );
    let mut test = Test::sized(Fake::seeing(ONE_SET), &["a.jpg", "b.jpg"], size);
    for mode in ["Hint", "Learn", "Correct", "Solve"] {
        test.press_anywhere(mode);
    }
    let placement = test.photos().view.placement.unwrap();
    assert!(placement.rect.width() > 90.0, "{placement:?}");
    test.press_anywhere("Correct");
    test.press_anywhere("Card 4: one open red diamond");
    for value in ["number: two", "shading: striped", "colour: purple", "shape: oval"] {
        test.press_anywhere(value);
    }
    test.shows("Card 4: two striped purple ovals");
    test.press_anywhere("All cards are right");
}

#[test]
fn the_window_speaks_german_at_once_and_the_next_time() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.press("Settings");
    test.press("Deutsch");
    test.shows("Anzeigegröße");
    test.press("Schließen");
    test.restart(ONE_SET);
    test.shows("Fotografiere deine SET-Karten. Sieh jedes Set.");
}

/// German words are longer: at 640x480, there also at 250 %, all buttons are reached and lie within the
/// window.
#[test]
fn german_words_fit_into_a_small_window() {
    for size in [(256.0, 192.0), (640.0, 480.0)] {
        let mut test = Test::sized(Fake::seeing(ONE_SET), &[], size);
        test.window_mut().app.store.settings.language = Some(Language::German);
        test.settle();
        test.reaches(&["Einen Beispieltisch ausprobieren", "Ohne Fotos spielen"]);
        for held in [Modifiers::NONE, Modifiers::SHIFT, Modifiers::COMMAND, Modifiers::ALT] {
            test.keys(held, Key::F1);
            assert!(test.window().page.is_some());
            test.press_anywhere("Schließen");
        }
        test.keys(Modifiers::COMMAND, Key::Comma);
        test.reaches(&["English", "Deutsch", "Dunkel", "Starker Kontrast", "Normale Größe"]);
        test.press_anywhere("Schließen");
        test.keys(Modifiers::COMMAND, Key::Num2);
        test.reaches(&["Spiel des Tages", "Nummer oder Codes eintippen"]);
        test.press_anywhere("Mischen und spielen");
        test.reaches(&["Zusehen", "Neues Spiel…", "Kette", "Junior", "Spieler: 8"]);
        test.press_anywhere("Los");
        test.reaches(&["Pause", "Kein Set da", "Hinweis"]);
        let mut test = Test::sized(Fake::seeing(ONE_SET), &["a.jpg", "b.jpg"], size);
        test.window_mut().app.store.settings.language = Some(Language::German);
        test.settle();
        for mode in ["Hinweis", "Lernen", "Lösen", "Korrigieren"] {
            test.press_anywhere(mode);
        }
        test.reaches(&["Karte hinzufügen", "Rückgängig", "Alles verwerfen", "Alle Karten stimmen"]);
        test.press_anywhere("Karte 4: eine leere rote Raute");
        test.reaches(&["Anzahl: drei", "Füllung: gestreift", "Farbe: lila", "Form: Welle"]);
        test.reaches(&["Stimmt", "Keine Karte", "Fertig"]);
    }
}

#[test]
fn a_sample_table_opens_at_once() {
    let mut test = Test::at("Photos");
    test.press("Try a sample table");
    test.until(|window| window.is_settled() && window.tab::<Photos>().shelf.current().is_some());
    test.shows("1 set");
    test.key(Key::F4);
    test.shows("What is a set?");
    test.key(Key::F5);
    test.press("Card 4: one open red diamond");
    test.press("colour: green");
    assert!(test.window().message().unwrap().contains("corrections cannot be saved"));
}

#[test]
fn what_is_held_over_the_window_is_shown_and_the_photo_named() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    assert_eq!(test.window().title(), "a.jpg — setsight");
    test.press("Deal");
    assert_eq!(test.window().title(), "setsight");
    test.press("Photos");
    let shapes = test.harness.output().shapes.len();
    test.harness.input_mut().hovered_files.push(HoveredFile::default());
    test.harness.step();
    assert!(test.harness.output().shapes.len() > shapes, "a frame and words over the window");
}

#[test]
fn the_picture_alone_fills_the_screen_and_escape_leads_back() {
    let mut test = Test::new(ONE_SET, &["a.jpg", "b.jpg"]);
    let room = test.photos().view.placement.unwrap().room;
    test.key(Key::F11);
    test.shows_not("Settings");
    test.shows_not("b.jpg");
    let alone = test.photos().view.placement.unwrap().room;
    // But for the margin that the harness puts around everything.
    assert!(alone.width() > 1250.0 && alone.height() > 770.0, "{alone:?}");
    // Keys lead through sets and photos as ever.
    test.key(Key::ArrowRight);
    assert_eq!(test.photos().view.look.set, Some(0));
    test.key(Key::PageDown);
    test.until(|window| window.is_settled());
    assert_eq!(test.photos().shelf.current, 1);
    test.key(Key::Escape);
    assert_eq!(test.photos().view.placement.unwrap().room, room);
    // And without a key one moves the pointer.
    test.key(Key::F11);
    test.harness.hover_at(eframe::egui::pos2(300.0, 300.0));
    test.settle();
    test.press("Back to the window");
    test.shows("Settings");
}

/// A chosen button and a tab are as blue as the line that marks what has the focus elsewhere.
#[test]
fn the_focus_has_a_ring_in_black_and_white_on_any_button() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    for (role, name) in [(Role::Button, "Solve"), (Role::Button, "Hint"), (Role::Tab, "Photos")] {
        let button = test.harness.get_by_role_and_label(role, name);
        let rect = button.rect();
        button.focus();
        test.settle();
        let shapes = test.harness.output().shapes.iter();
        let rings = shapes.filter_map(|shape| match &shape.shape {
            Shape::Rect(ring) if ring.rect.min.distance(rect.expand(3.0).min) < 0.1 => {
                shape.clip_rect.contains_rect(ring.rect).then_some(ring.stroke.color)
            }
            _ => None,
        });
        assert_eq!(rings.collect::<Vec<_>>(), [Color32::BLACK, Color32::WHITE], "{name}");
    }
}

#[test]
fn the_screen_is_full_in_every_view_and_shows_what_three_cards_are() {
    let mut test = Test::new(ONE_SET, &["a.jpg"]);
    test.key(Key::F4);
    for card in ["Card 1: one ", "Card 2: two ", "Card 3: three "] {
        test.press(&format!(
            "{card}filled green diamond{}",
            if card.contains('1') { "" } else { "s" }
        ));
    }
    test.key(Key::F11);
    assert!(test.painted().iter().any(|(text, _)| text == "A set!"));
    let keys =
        [(Modifiers::NONE, Key::F5), (Modifiers::COMMAND, Key::Num2), (Modifiers::COMMAND, Key::N)];
    for (held, key) in keys {
        test.keys(held, key);
        test.shows_not("Settings");
    }
    test.key(Key::Escape);
    test.shows("Settings");
}

#[test]
fn pages_without_photos_offer_what_to_do_next() {
    let mut test = Test::new("", &["a.jpg"]);
    test.shows("No cards found.");
    test.press("How to photograph a table");
    assert_eq!(test.window().page, Some(Page::HowTo));
    test.press("Close");
    std::fs::create_dir(test.path("empty")).unwrap();
    let empty = test.path("empty");
    test.window_mut().open(vec![empty]);
    test.until(|window| window.is_settled());
    test.shows("No photos here.");
    test.shows_part("looked for names that end in");
    assert!(!test.window().message().unwrap_or_default().contains("looked for"), "it is said once");
    test.press("Open another folder");
    test.press("Cancel");
    test.press("Try a sample table");
    test.until(|window| window.is_settled() && window.tab::<Photos>().shelf.current().is_some());
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_opened_is_not_called_empty() {
    use std::os::unix::fs::PermissionsExt;
    let mut test = Test::new(ONE_SET, &[]);
    let shut = test.path("shut");
    std::fs::create_dir(&shut).unwrap();
    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read_dir(&shut).is_ok() {
        setsight_testkit::not_run("this user may read whatever they like");
        return;
    }
    test.settle();
    test.window_mut().app.store.settings.language = Some(Language::German);
    test.window_mut().open(vec![shut]);
    test.until(|window| window.is_settled());
    test.shows("Das lässt sich nicht öffnen.");
    test.shows_part("dir fehlt die Berechtigung");
    test.shows_not("Hier sind keine Fotos.");
}
