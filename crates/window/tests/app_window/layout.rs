//! Every page at the sizes of usual screens: nothing is cut off, what is pressed most is in view, and all that can
//! be read or pressed is, or can be scrolled there.

use crate::harness::{Fake, Test};
use eframe::egui::{Key, Modifiers, Rect, Shape, WidgetRect, accesskit::Role};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use setsight_window::{DealTab, Language, Phase};

/// A small laptop; a usual one without the system's bar of titles; a window; a television at 250 %; a
/// large screen.
const SIZES: [(f32, f32); 5] =
    [(1280.0, 800.0), (1366.0, 731.0), (800.0, 600.0), (768.0, 432.0), (1920.0, 1080.0)];
/// So many controls an open photo has before its first set; and one more to go through unsure cards.
const MOST_CONTROLS: usize = 14;
/// Buttons above this are those of the bar.
const BAR_HEIGHT: f32 = 40.0;
const LANGUAGES: [Language; 2] = [Language::English, Language::German];
/// One set and two cards of which the reader is unsure: of one it has two guesses that are as likely.
const UNSURE: &str = "1fgd 2fgd 3fgd 1ord? 2srs=2sps=3sps 3opo 1sgo 2fro 3ors 1opd 2ord 3sgs";

fn at_each_size(photos: &[&str], mut run: impl FnMut(&mut Test, &str, Language)) {
    for size in SIZES {
        for language in LANGUAGES {
            let mut test = Test::sized(Fake::seeing(UNSURE), photos, size);
            test.window_mut().app.store.settings.language = Some(language);
            test.settle();
            let name = format!("{}x{} {}", size.0, size.1, language.name());
            run(&mut test, &name, language);
        }
    }
}

fn check(test: &mut Test, size: &str, page: &str) {
    // The code of a phone is another each time, and the page of paths lists the folder of who runs the test.
    let differs = test.window().phones.are_served() || page == "path";
    let name = size.strip_prefix("1280x800 ").filter(|_| !differs);
    if let Some(language) = LANGUAGES.into_iter().find(|language| Some(language.name()) == name) {
        test.is_as_in(page, language);
    }
    all_in_view(&mut test.harness, &format!("{page} at {size}"));
}

#[test]
fn nothing_is_cut_off_on_the_pages_over_the_window() {
    at_each_size(&[], |test, size, _| {
        check(test, size, "welcome");
        for (held, key, page) in [
            (Modifiers::NONE, Key::F1, "keys"),
            (Modifiers::SHIFT, Key::F1, "rules"),
            (Modifiers::COMMAND, Key::F1, "how to photograph"),
            (Modifiers::ALT, Key::F1, "about"),
            (Modifiers::COMMAND, Key::Comma, "settings"),
            (Modifiers::COMMAND, Key::L, "path"),
        ] {
            test.keys(held, key);
            check(test, size, page);
            test.key(Key::Escape);
        }
        test.keys(Modifiers::COMMAND, Key::N);
        check(test, size, "a new deck");
        test.key(Key::Escape);
        test.keys(Modifiers::COMMAND, Key::I);
        check(test, size, "no photos of a deck");
    });
}

/// None, one, seven, fourteen and twenty sets.
const BOARDS: [&str; 5] = [
    "2frd 3fgd 3frd 2sgo 3opd 1spd 3fpo 1ogd 2frs 2spo 1spo 1fgo",
    "1ors 3fpo 2sgd 1sgd 2sps 3srs 1fgs 1sro 2fpd 2sgs 1opo 2ogd",
    "3opd 1ors 1spd 1fgo 2fro 2ord 2fgd 3ord 2ogo 3srd 2fpd 2ops",
    "3oro 1fgo 1fgd 1opo 2sps 3ors 3sgs 3ord 3fpd 2frd 2ogo 1srs",
    "1sgs 1fro 2oro 3fpd 3opo 1srd 2sgo 2fpo 2srs 3ord 3sgd 1spo 3frs 1ors 1ogo",
];
const LONG_NAME: &str = "Great-grandmother Wilhelmina's cards from the summer of 1994";

/// Names of 60 characters, wherever people give them.
fn give_long_names(test: &mut Test) {
    let settings = &mut test.window_mut().app.store.settings;
    settings.players = vec![LONG_NAME.to_owned(); 8];
    settings.decks = vec![format!("/decks/{LONG_NAME}.json").into()];
}

#[test]
fn nothing_is_cut_off_with_many_sets_and_long_names() {
    assert_eq!(LONG_NAME.chars().count(), 60);
    for board in BOARDS {
        for size in SIZES {
            let page = format!("{board} at {}x{}", size.0, size.1);
            let photos = [format!("{LONG_NAME}.jpg"), "b.jpg".to_owned()];
            let photos = photos.each_ref().map(String::as_str);
            let mut test = Test::sized(Fake::seeing(board), &photos, size);
            give_long_names(&mut test);
            for key in [Key::F2, Key::ArrowRight, Key::F3, Key::F4, Key::F5] {
                test.key(key);
                check(&mut test, &page, &format!("photo {key:?}"));
            }
            test.keys(Modifiers::COMMAND, Key::Comma);
            check(&mut test, &page, "settings");
            test.key(Key::Escape);
            test.keys(Modifiers::COMMAND, Key::Num2);
            let deal = setsight_game::cards::parse_codes(board).unwrap();
            let deal = setsight_game::game::Deal::new(deal).unwrap();
            test.window_mut().tabs.get_mut::<DealTab>().give(vec![deal]);
            test.settle();
            for step in 0..3 {
                check(&mut test, &page, &format!("watched, step {step}"));
                let table = test.harness.get_by_label_contains("Place 12, ").rect();
                let next = test.harness.get_by_label("Next step").rect();
                assert!(!table.intersects(next), "{page}: {table:?} and {next:?}");
                test.key(Key::ArrowRight);
            }
            test.press_anywhere("Play");
            test.press_anywhere("Players: 8");
            check(&mut test, &page, "names of players");
            test.press_anywhere("Start");
            check(&mut test, &page, "players");
        }
    }
}

#[test]
fn nothing_is_cut_off_where_a_phone_is_the_camera() {
    at_each_size(&["a.jpg"], |test, size, _| {
        crate::live::on_loopback(test);
        test.keys(Modifiers::COMMAND, Key::P);
        assert!(test.window().phones.are_served());
        check(test, size, "the code for a phone");
        test.key(Key::Escape);
        check(test, size, "photos while phones can send some");
        test.keys(Modifiers::COMMAND, Key::Num2);
        check(test, size, "deal while phones can send photos");
    });
}

#[test]
fn nothing_is_cut_off_among_the_photos() {
    at_each_size(&["a.jpg", "b.jpg", "bad.jpg"], |test, size, language| {
        for (key, page) in [
            (Key::F2, "solve"),
            (Key::F3, "hint"),
            (Key::F4, "learn"),
            (Key::F6, "stages"),
            (Key::F5, "correct"),
        ] {
            test.key(key);
            test.until(|window| window.is_settled());
            check(test, size, page);
        }
        let most_used: [&str; 4] = match language {
            Language::English => ["That's right", "Not a card", "Other guesses", "Done"],
            Language::German => ["Stimmt", "Keine Karte", "Andere Vermutungen", "Fertig"],
        };
        test.key(Key::ArrowRight);
        at_once(&test.harness, &format!("correct a card at {size}"), &most_used);
        let values: [&str; 4] = match language {
            Language::English => ["number: two", "shading: open", "colour: red", "shape: oval"],
            Language::German => ["Anzahl: zwei", "Füllung: leer", "Farbe: rot", "Form: Oval"],
        };
        // The lowest window has room for three rows of them.
        let low = if size.starts_with("768x432") { 1 } else { 0 };
        at_once(&test.harness, &format!("values at {size}"), &values[low..]);
        check(test, size, "correct a card");
        // With guesses open, and with something in the way of a change.
        test.key(Key::F7);
        test.key(Key::F7);
        at_once(&test.harness, &format!("guesses at {size}"), &most_used);
        check(test, size, "guesses");
        test.type_text("1fgd");
        at_once(&test.harness, &format!("a card twice at {size}"), &most_used);
        check(test, size, "a card twice");
        test.key(Key::Escape);
        test.key(Key::Escape);
        test.key(Key::Escape);
        test.key(Key::End);
        test.until(|window| window.is_settled());
        check(test, size, "a photo that cannot be read");
    });
}

#[test]
fn nothing_is_cut_off_of_what_a_deck_lacks() {
    at_each_size(&["a.jpg", "bad.jpg"], |test, size, _| {
        test.keys(Modifiers::COMMAND, Key::I);
        check(test, size, "what a deck lacks");
    });
}

#[test]
fn nothing_is_cut_off_in_a_dealt_game() {
    at_each_size(&[], |test, size, language| {
        test.keys(Modifiers::COMMAND, Key::Num2);
        check(test, size, "deal");
        test.key(Key::T);
        check(test, size, "codes");
        test.key(Key::Escape);
        test.window_mut().tabs.get_mut::<DealTab>().shuffle(7);
        test.settle();
        check(test, size, "ready");
        test.press_anywhere(match language {
            Language::English => "Players: 8",
            Language::German => "Spieler: 8",
        });
        check(test, size, "eight players");
        test.key(Key::P);
        test.key(Key::Num3);
        check(test, size, "eight play");
        test.key(Key::P);
        check(test, size, "paused");
        test.window_mut().tabs.get_mut::<DealTab>().watch();
        test.settle();
        check(test, size, "watched");
        test.window_mut().tabs.get_mut::<DealTab>().shuffle(7);
        test.settle();
        test.press_anywhere(match language {
            Language::English => "Players: 2",
            Language::German => "Spieler: 2",
        });
        test.key(Key::P);
        for _ in 0..200 {
            if test.deal().play().unwrap().phase() == Phase::Over {
                break;
            }
            crate::deal::go_on(test, Some(Key::Num2));
        }
        test.settle();
        check(test, size, "the end");
    });
}

#[test]
fn an_open_photo_has_few_controls_before_its_first_set() {
    let mut test = Test::new(UNSURE, &["a.jpg", "b.jpg"]);
    for chosen in [None, Some(0)] {
        assert_eq!(test.photos().view.look.set, chosen);
        let nodes = test.harness.root().children_recursive();
        let named = nodes.map(|node| node.accesskit_node()).filter_map(|node| {
            let is_control = [Role::Button, Role::Tab].contains(&node.role());
            node.label().filter(|_| is_control)
        });
        let before: Vec<String> = named
            .take_while(|name| !name.starts_with("Set 1: "))
            .filter(|name| !name.starts_with("Card "))
            .collect();
        assert!(before.len() > 8 && before.len() <= MOST_CONTROLS + 1, "{before:?}");
        test.key(Key::ArrowRight);
    }
}

#[test]
fn the_bar_shows_what_fits() {
    for language in LANGUAGES {
        let mut test = Test::sized(Fake::seeing(UNSURE), &["a.jpg"], SIZES[0]);
        test.window_mut().app.store.settings.language = Some(language);
        for width in (200..=1000).step_by(20) {
            let width = width as f32;
            test.harness.set_size(eframe::egui::vec2(width, 600.0));
            test.settle();
            let roles = [Role::Button, Role::Tab];
            let all = roles.iter().flat_map(|role| test.harness.query_all_by_role(*role));
            let bar: Vec<Rect> =
                all.map(|node| node.rect()).filter(|rect| rect.center().y < BAR_HEIGHT).collect();
            assert!(!bar.is_empty());
            for (place, rect) in bar.iter().enumerate() {
                assert!(rect.min.x >= 0.0 && rect.max.x <= width, "{rect:?} at {width}");
                let later = &bar[place + 1..];
                assert!(later.iter().all(|other| !other.intersects(*rect)), "{bar:?} at {width}");
            }
        }
    }
}

/// Each of these is in view at once, without any scrolling.
#[track_caller]
fn at_once<S>(harness: &Harness<'_, S>, page: &str, names: &[&str]) {
    for name in names {
        let node = harness.get_by_role_and_label(Role::Button, name);
        if let Some(why) = clipped(harness, id_of(&node)) {
            panic!("{page}: \"{name}\" {why}");
        }
    }
}

/// What is read or pressed.
const ROLES: [Role; 10] = [
    Role::Button,
    Role::CheckBox,
    Role::ComboBox,
    Role::Label,
    Role::Link,
    Role::MultilineTextInput,
    Role::ProgressIndicator,
    Role::Slider,
    Role::Tab,
    Role::TextInput,
];

/// A widget: its identity, what it is, and what it is called.
type Named = (u64, Role, String);

/// Every widget of the page lies in the window, whole and not clipped, once it is scrolled to; and no
/// button lies on another one.
#[track_caller]
pub fn all_in_view<S>(harness: &mut Harness<'_, S>, page: &str) {
    let named = widgets(harness);
    for (id, role, name) in &named {
        if clipped(harness, *id).is_none() {
            continue;
        }
        let node = harness.query_all_by_role(*role).find(|node| id_of(node) == *id);
        let Some(node) = node else { continue };
        node.scroll_to_me();
        for _ in 0..4 {
            harness.step();
        }
        if let Some(why) = clipped(harness, *id) {
            panic!("{page}: {role:?} \"{name}\" {why}");
        }
    }
    none_on_another(harness, page, &named);
    none_justified(harness, page);
}

/// No lines are stretched to the width of their column: of three words in a narrow one nobody reads
/// a sentence.
fn none_justified<S>(harness: &Harness<'_, S>, page: &str) {
    for shape in &harness.output().shapes {
        if let Shape::Text(text) = &shape.shape {
            let galley = &text.galley;
            let is_torn = galley.job.justify && galley.rows.len() > 1;
            assert!(!is_torn, "{page}: \"{}\" is justified", galley.text());
        }
    }
}

/// The identity of a node.
fn id_of<'tree>(node: &impl NodeT<'tree>) -> u64 {
    node.accesskit_node().locate().0.0
}

fn widgets<S>(harness: &Harness<'_, S>) -> Vec<Named> {
    let mut named = Vec::new();
    for role in ROLES {
        for node in harness.query_all_by_role(role) {
            let of_node = node.accesskit_node();
            let name = of_node.label().or_else(|| of_node.value()).unwrap_or_default();
            named.push((id_of(&node), role, name));
        }
    }
    named
}

fn rect_of<S>(harness: &Harness<'_, S>, id: u64) -> Option<WidgetRect> {
    harness.ctx.viewport(|viewport| {
        let mut layers = viewport.prev_pass.widgets.layers();
        layers.find_map(|(_, all)| all.iter().find(|widget| widget.id.value() == id).copied())
    })
}

/// Why a widget is not seen whole; none if it is, or is no more.
fn clipped<S>(harness: &Harness<'_, S>, id: u64) -> Option<String> {
    let widget = rect_of(harness, id)?;
    let screen = harness.ctx.content_rect();
    let (full, visible) = (widget.rect, widget.interact_rect);
    if !screen.expand(1.0).contains_rect(full) {
        return Some(format!("at {full:?} is outside of the window, {screen:?}"));
    }
    // Nothing but a line may be clipped.
    let lost = (full.width() - visible.width()).max(full.height() - visible.height());
    (lost > 1.5).then(|| format!("at {full:?} is clipped to {visible:?}"))
}

/// Cards of the picture may lie on each other.
fn none_on_another<S>(harness: &Harness<'_, S>, page: &str, named: &[Named]) {
    let of_picture = ["Card ", "Karte ", "Corner ", "Ecke ", "Place ", "Platz "];
    let buttons: Vec<(&str, Rect, _)> = named
        .iter()
        .filter(|(_, role, name)| {
            *role == Role::Button && !of_picture.iter().any(|start| name.starts_with(start))
        })
        .filter_map(|(id, _, name)| {
            let widget = rect_of(harness, *id)?;
            Some((name.as_str(), widget.interact_rect, widget.layer_id))
        })
        .collect();
    for (i, (name, rect, layer)) in buttons.iter().enumerate() {
        for (other, other_rect, other_layer) in &buttons[i + 1..] {
            let both = rect.intersect(*other_rect);
            let apart = !both.is_positive() || both.width() < 1.5 || both.height() < 1.5;
            assert!(
                apart || layer != other_layer,
                "{page}: \"{name}\" at {rect:?} and \"{other}\" at {other_rect:?} lie on each other"
            );
        }
    }
}
