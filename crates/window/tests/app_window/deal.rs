//! The dealt game.

use crate::harness::{ONE_SET, Test};
use eframe::egui::{Event, Key, Modifiers, Shape, accesskit::Role};
use egui_kittest::kittest::Queryable;
use setsight_game::cards::{Card, Deck};
use setsight_game::game::{Deal, Spot, transcript};
use setsight_window::{DealTab, Language, Phase};

#[test]
fn a_game_is_watched_step_by_step() {
    let mut test = Test::at("Deal");
    test.press("Type a number or codes");
    let cards: Vec<Card> = Card::deck().take(18).collect();
    let codes: Vec<String> = cards.iter().map(ToString::to_string).collect();
    test.harness.get_by_role(Role::MultilineTextInput).type_text(&codes.join(" "));
    test.settle();
    test.press("Deal these");
    test.shows("The first twelve cards");
    test.shows("Place 1, A1: one filled green diamond");
    test.shows_not(", A1 B1 C1: ");
    test.press("Next step");
    test.shows_part("sets taken");
    // Every listed set by the places of its cards, the one that is taken first.
    test.shows_part("Set 1, A1 B1 C1: one filled green diamond, ");
    test.shows_part(", A1 A2 A3: ");
    test.shows("The first one listed is taken.");
    for _ in 0..40 {
        test.key(Key::ArrowRight);
    }
    test.shows("The game is over");
    let full = transcript(&[Deal::new(cards).unwrap()]);
    assert!(full.ends_with(&test.deal().transcript().unwrap()));
    test.key(Key::Home);
    test.shows("The first twelve cards");
}

#[test]
fn a_class_has_the_same_deal_by_its_number_and_on_paper() {
    let mut test = Test::at("Deal");
    test.harness.event(Event::Paste("4711".into()));
    test.settle();
    test.shows("Deal 4711");
    let first = names::<3>(&Deal::random(4711));
    test.press("Start");
    first.iter().for_each(|name| test.shows_part(name));
    test.key(Key::P);
    for (language, task) in
        [(Language::English, "find all the sets."), (Language::German, "Finde alle Sets.")]
    {
        test.window_mut().app.store.settings.language = Some(language);
        test.window_mut().tabs.get_mut::<DealTab>().shuffle(4711);
        test.settle();
        test.keys(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
        let (save, letter, cancel) = match language {
            Language::English => ("Save to print…", "Letter", "Cancel"),
            Language::German => ("Zum Drucken speichern…", "Letter", "Abbrechen"),
        };
        test.press(letter);
        test.press(save);
        let file = format!("{}.html", language.name());
        test.type_path(&file);
        test.shows_not(cancel);
        let page = std::fs::read_to_string(test.path(&file)).unwrap();
        assert_eq!(page.matches(task).count(), 4, "{language:?}");
        assert!(page.contains("4711") && page.contains("4714") && page.contains("Sets<i>"));
        assert!(page.contains("@page{size:Letter landscape;"));
    }
}

/// A game that runs rests while its board is printed under a title of the teacher's.
#[test]
fn a_running_deal_is_printed_as_the_teacher_wants_it() {
    let mut test = Test::at("Deal");
    test.window_mut().tabs.get_mut::<DealTab>().shuffle(12);
    test.settle();
    test.press("Start");
    test.keys(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
    assert_eq!(test.deal().play().unwrap().phase(), Phase::Paused);
    test.shows("1 page of boards and as many of their sets.");
    test.shows("The first sheet");
    test.press("1 on each sheet");
    test.shows("4 sheets to print on both sides: the sets are on their backs.");
    test.harness.get_by_role_and_label(Role::CheckBox, "The sets on sheets of their own").click();
    test.settle();
    test.shows("4 pages of boards and as many of their sets.");
    let field = test.harness.get_by_role_and_label(Role::TextInput, "Title");
    field.focus();
    field.type_text("Class 3b! ");
    test.settle();
    test.press("Save to print…");
    test.type_path("boards.html");
    let page = std::fs::read_to_string(test.path("boards.html")).unwrap();
    for number in 12..16 {
        assert_eq!(page.matches(&format!("<h1>Deal {number}: ")).count(), 2);
    }
    assert_eq!(page.matches("Class 3b! ").count(), 4);
    assert!(page.contains("@page{size:A4 landscape;"));
}

/// The first cards of a deal, by name.
fn names<const N: usize>(deal: &Deal) -> [String; N] {
    std::array::from_fn(|place| Deck::classic().card_name(deal.cards()[place]))
}

#[test]
fn a_game_is_played_against_the_clock() {
    let mut test = Test::at("Deal");
    let codes = "1fgd 2fgd 3fgd 1ord 2ogs 3sps 1sgo 2fro 3ops 1opd 2srs 3fgo 1frs 1fgs 2sgd";
    test.harness.event(Event::Paste(codes.into()));
    test.settle();
    test.press("Play");
    // Nothing is seen before the clock runs.
    test.shows_not("Place 1");
    test.press("Start");
    test.shows("Click three cards that are a set.");
    for place in [
        "Place 1: one filled green diamond",
        "Place 2: two filled green diamonds",
        "Place 4: one open red diamond",
    ] {
        test.press(place);
    }
    test.shows("Not a set.");
    // On the table, too: a panel is not seen on a full screen.
    let all = test.harness.output().shapes.iter();
    let texts: Vec<&str> = all
        .filter_map(|shape| match &shape.shape {
            Shape::Text(text) => Some(text.galley.text()),
            _ => None,
        })
        .filter(|text| text.starts_with("Not a set: "))
        .collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[0].contains("the shading") && texts[0].contains("the colour"), "{texts:?}");
    test.shows_part("1\u{a0}mistake");
    test.press("No set here");
    test.shows("There is a set.");
    test.key(Key::I);
    for place in [
        "Place 1: one filled green diamond",
        "Place 2: two filled green diamonds",
        "Place 3: three filled green diamonds",
    ] {
        test.press(place);
    }
    test.shows("A set!");
    test.shows("1 set taken");
    test.shows("Place 1: one filled red squiggle");
    test.shows_part("0:");
    // A file of deals that is wrong is named; the game stays.
    std::fs::write(test.path("deals.txt"), "1\n12\n1fgd\n").unwrap();
    test.press("New game…");
    test.press("Open a file of deals");
    test.shows("Give up this game?");
    test.press("Play on");
    test.shows("1 set taken");
    test.press("New game…");
    test.press("Open a file of deals");
    test.press("Give up");
    test.type_path("deals.txt");
    assert!(test.window().message().unwrap().contains("Line 3"), "{:?}", test.window().message());
    test.shows("Start");
}

fn started(players: &str) -> Test {
    let mut test = Test::at("Deal");
    test.press("Shuffle and play");
    test.press(players);
    test.press("Start");
    test
}

fn phase(test: &Test) -> Phase {
    test.deal().play().expect("a game").phase()
}

/// Takes a set, or says that there is none.
pub fn go_on(test: &mut Test, player: Option<Key>) {
    let play = test.deal().play().unwrap();
    let set = play.round().sets().first().cloned();
    if let Some(player) = player {
        test.harness.key_press(player);
        test.harness.step();
    }
    let keys = "QAZWSXEDCRFVTGBYHNUJM".split_inclusive(char::is_alphabetic);
    let keys: Vec<Key> = keys.map(|name| Key::from_name(name).unwrap()).collect();
    for spot in set.iter().flatten() {
        let Spot::Table(place) = *spot else { panic!("no chain here") };
        test.harness.key_press(keys[place]);
        test.harness.step();
    }
    if set.is_none() {
        test.harness.key_press(Key::O);
        test.harness.step();
    }
}

#[test]
fn no_key_ends_a_running_game() {
    let mut test = started("Players: 1");
    go_on(&mut test, None);
    for key in [Key::D, Key::R, Key::G, Key::T, Key::W, Key::Num3] {
        test.key(key);
        assert!(matches!(phase(&test), Phase::Running(_)), "{key:?}");
    }
    for button in ["Watch", "Photos"] {
        test.press(button);
        assert_eq!(phase(&test), Phase::Paused, "{button}");
        match button {
            "Watch" => test.press("Play on"),
            _ => {
                test.press("Deal");
                test.shows("Paused");
                test.shows_not("Place 1");
                test.press("Go on");
            }
        }
        assert!(matches!(phase(&test), Phase::Running(_)), "{button}");
    }
    // Text that is a deal, too; the clock stands meanwhile and has lost nothing.
    let seconds = |test: &Test, now: f64| test.deal().play().unwrap().seconds(now);
    let before = seconds(&test, test.harness.ctx.input(|input| input.time));
    let codes: Vec<String> = Card::deck().take(12).map(|card| card.to_string()).collect();
    test.harness.event(Event::Paste(codes.join(" ")));
    test.settle();
    test.shows("Give up this game?");
    assert!(before > 0.0 && seconds(&test, f64::MAX) >= before);
    test.press("Give up");
    test.shows("The first twelve cards");
}

#[test]
fn a_game_that_is_left_goes_on_the_next_time() {
    let mut test = Test::at("Deal");
    test.harness.event(Event::Paste("4711".into()));
    test.settle();
    test.press("Start");
    go_on(&mut test, None);
    let log = test.deal().transcript();
    test.window_mut().close();
    for _ in 0..2 {
        test.restart(ONE_SET);
        test.press("Deal");
        assert_eq!(phase(&test), Phase::Paused);
        assert_eq!(test.deal().transcript(), log);
        test.shows("Deal 4711");
        test.press("Go on");
        test.shows_part("Place 1:");
        test.window_mut().close();
    }
    // One that was given up does not come again.
    test.press("Watch");
    test.press("Give up");
    test.window_mut().close();
    test.restart(ONE_SET);
    test.press("Deal");
    test.shows("Shuffle and play");
}

#[test]
fn a_pause_hides_the_cards_and_stops_the_clock() {
    let mut test = started("Players: 1");
    test.shows_part("Place 1:");
    test.key(Key::P);
    test.shows("Paused");
    test.shows_not("Place 1:");
    let seconds = |test: &Test| test.deal().play().unwrap().seconds(f64::MAX);
    let stood = seconds(&test);
    for _ in 0..8 {
        test.settle();
    }
    assert!((seconds(&test) - stood).abs() < 1e-9);
    test.key(Key::P);
    test.shows_part("Place 1:");
    // The page of keys hides a game that must not go on behind it.
    test.key(Key::F1);
    test.press("Close");
    test.shows("Paused");
}

#[test]
fn a_game_ends_on_a_page_and_its_time_is_kept() {
    let mut test = started("Players: 1");
    test.key(Key::I);
    for _ in 0..200 {
        if phase(&test) == Phase::Over {
            break;
        }
        go_on(&mut test, None);
    }
    test.settle();
    test.shows("Well played!");
    let play = test.deal().play().unwrap();
    test.shows(&format!("{} sets · 0 mistakes · 1 hint", play.taken()));
    test.shows_part(" s per set on average, ");
    test.shows_part("Seconds per set: ");
    test.shows("Today's best!");
    test.shows("Best times by day: Normal");
    // What the keys of the game meant they do not mean otherwise now.
    for key in [Key::O, Key::R, Key::G, Key::T, Key::W, Key::D, Key::I] {
        test.key(key);
        test.shows("Well played!");
    }
    test.shows_not("Open a file of deals");
    test.key(Key::P);
    assert_eq!(phase(&test), Phase::Ready);
    // There the next day.
    test.restart(ONE_SET);
    let best = test.deal().scores.best_by_day(setsight_game::game::Variant::Normal);
    assert_eq!((best.len(), best[0].hints), (1, 1));
}

#[test]
fn several_play_at_one_table() {
    // One deal in thirty has no set, and so no point for a call.
    let mut test = started("Players: 3");
    while test.deal().play().unwrap().round().sets().is_empty() {
        test = started("Players: 3");
    }
    test.press("No set here");
    test.shows("Who has seen it?");
    go_on(&mut test, Some(Key::Num2));
    test.settle();
    assert_eq!(test.deal().play().unwrap().players()[1].points(), 1);
    // Who calls and does not choose loses a point.
    test.press("Player 3 calls");
    test.shows("Player 3 has called.");
    for _ in 0..8 {
        test.settle();
    }
    test.shows("Player 3: too late.");
    assert_eq!(test.deal().play().unwrap().players()[2].points(), -1);
}

#[test]
fn rules_are_chosen_before_the_clock_runs() {
    let mut test = Test::at("Deal");
    test.press("Today's deal");
    test.shows_part("the same for all");
    for (rules, places, taken) in [("Junior", 9, 3), ("Ultra", 12, 4), ("Chain", 12, 3)] {
        test.press(rules);
        test.press("Start");
        assert_eq!(test.harness.query_all_by_label_contains("Place ").count(), places, "{rules}");
        let sets = |test: &Test| test.deal().play().unwrap().round().sets();
        // The cards of some days begin without a set.
        while sets(&test).is_empty() {
            go_on(&mut test, None);
        }
        assert_eq!(sets(&test)[0].len(), taken);
        if rules == "Chain" {
            go_on(&mut test, None);
            test.settle();
            test.shows_part("Last set 1:");
        }
        test.press("Watch");
        test.press("Give up");
        test.press("Play");
    }
    // The same cards in every window today.
    let cards = |test: &Test| test.deal().play().unwrap().round().places().to_vec();
    let mine = cards(&test);
    test.restart(ONE_SET);
    test.press("Deal");
    test.press("Today's deal");
    assert_eq!(cards(&test), mine);
}

#[test]
fn players_have_names_and_whoever_calls_stands_large_on_the_table() {
    let mut test = Test::at("Deal");
    test.press("Shuffle and play");
    test.press("Players: 2");
    test.harness.get_by_label("Name of player 2").click();
    test.settle();
    test.type_text("Anna");
    test.key(Key::Escape);
    // The words on the cards that lie face down are a button.
    test.press("Ready?");
    assert!(matches!(phase(&test), Phase::Running(_)));
    test.key(Key::Num2);
    test.shows("Anna has called.");
    let banner = test.harness.get_by_label_contains("Anna has called: ").rect();
    assert!(banner.height() > 80.0 && banner.width() > 700.0, "{banner:?}");
    assert!(test.deal().transcript().is_some());
    // Their names are there the next time.
    test.restart(ONE_SET);
    assert_eq!(test.window().app.store.settings.players, ["", "Anna"]);
}

#[test]
fn enter_and_space_start_and_go_on() {
    let mut test = Test::at("Deal");
    test.press("Shuffle and play");
    test.key(Key::Enter);
    assert!(matches!(phase(&test), Phase::Running(_)));
    test.key(Key::P);
    test.key(Key::Space);
    assert!(matches!(phase(&test), Phase::Running(_)));
    // While the clock runs they mean nothing; a card that has the focus is chosen by them.
    test.key(Key::Enter);
    assert!(matches!(phase(&test), Phase::Running(_)));
}

#[test]
fn a_taught_deck_is_dealt_and_played_with() {
    let mut test = Test::new(ONE_SET, &[]);
    let mut deck = Deck::invented(31);
    deck.shapes[0].name = "star".to_owned();
    let file = test.path("ours.json");
    std::fs::write(&file, deck.to_text()).unwrap();
    test.window_mut().app.store.settings.use_deck(file);
    test.settle();
    test.press("Deal");
    let codes = "1fgd 2fgd 3fgd 1ord 2ogs 3sps 1sgo 2fro 3ops 1opd 2srs 3fgo";
    test.harness.event(Event::Paste(codes.into()));
    test.settle();
    test.press("Play");
    test.key(Key::Enter);
    test.shows_part("Place 1: one ");
    test.shows_part(" star");
    test.shows_not("diamond");
}
