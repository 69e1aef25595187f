//! Cards to check: the unsure ones of a photo, one after the other.

use crate::harness::{Fake, Test};
use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT, Queryable};
use setsight_photo::labels::LabelFile;
use setsight_window::{Language, Task};

/// A set that hangs on card 3, a tie, and a card whose second guess is the right one.
const THREE: &str = "1fgd 2fgd 3fgd>3sgd 1ord 1spo=1sro 2ops>2ogs>3ogs";

#[test]
fn three_right_guesses_cost_enter_three_times() {
    let mut test = Test::new(THREE, &["a.jpg"]);
    test.press("Check 3 cards");
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
    assert!([2, 4, 5].iter().all(|&card| table.said[card] && table.cards[card].confidence == 1.0));
    // The list is done: nothing is in hand, one more Enter means nothing, Escape leaves.
    test.shows("Click a card that was read wrongly.");
    test.key(Key::Enter);
    test.key(Key::Escape);
    assert_eq!(test.photos().view.task, Task::Look);
    test.shows("1 set");
}

#[test]
fn the_list_names_the_cards_and_enter_begins_it() {
    let mut test = Test::new(THREE, &["a.jpg"]);
    test.key(Key::F5);
    test.shows("3 cards to check");
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
    test.shows("1 card to check");
    test.key(Key::Escape);
    assert_eq!(test.photos().view.task, Task::Look);
    // What is taken back is to be checked again, with all its guesses.
    test.key(Key::F5);
    test.keys(Modifiers::COMMAND, Key::Z);
    test.keys(Modifiers::COMMAND, Key::Z);
    test.shows("3 cards to check");
    test.key(Key::F7);
    test.key(Key::W);
    test.shows("Guess 2: three striped green diamonds, 30 %");
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
        let buttons = |test: &Test| -> Vec<(String, String)> {
            let all = test.harness.query_all_by_role(Role::Button);
            let placed = all.filter_map(|button| {
                let name = button.accesskit_node().label()?;
                let side = button.rect().min.x > 890.0 && !name.starts_with(['V', 'G']);
                side.then(|| (name, format!("{:?}", button.rect())))
            });
            placed.collect()
        };
        let first = buttons(&test);
        assert!(first.len() > 20, "{first:?}");
        test.key(Key::Enter);
        // The tie has its guesses open, where the values were.
        test.key(Key::Escape);
        assert_eq!(buttons(&test), first);
    }
}

#[test]
fn a_whole_deck_of_doubts_is_a_short_list() {
    let deck: Vec<String> =
        setsight_game::cards::Card::deck().map(|card| format!("{card}?")).collect();
    let mut test = Test::new(&deck.join(" "), &["a.jpg"]);
    test.press("Check 81 cards");
    test.key(Key::Escape);
    test.shows("81 cards to check");
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
fn the_keyboards_focus_is_where_it_is_seen() {
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
    for photo in 0..2 {
        test.key(Key::F7);
        assert_eq!(test.photos().shelf.current, photo);
        test.shows("Drawn: three filled green diamonds");
        for _ in 0..3 {
            test.key(Key::Enter);
        }
        test.shows_part("All checked. 1 set.");
    }
    test.shows("All checked. 1 set.");
    test.key(Key::F7);
    test.shows("No cards are unsure any more.");
}

/// Nothing is framed that is not in hand, and whoever looks for more to check is told.
#[test]
fn when_all_is_checked_nothing_stays_framed() {
    let mut test = Test::new("1fgd 2fgd 3fgd?", &["a.jpg"]);
    let is_framed = |test: &Test| {
        let focused = test.harness.query_by(|node| node.is_focused());
        focused
            .and_then(|node| node.accesskit_node().label())
            .is_some_and(|n| n.starts_with("Card"))
    };
    test.key(Key::F5);
    test.key(Key::ArrowLeft);
    assert!(is_framed(&test));
    test.key(Key::Enter);
    assert!(!is_framed(&test));
    test.key(Key::ArrowLeft);
    assert!(is_framed(&test));
    test.key(Key::F7);
    test.shows("No cards are unsure any more.");
    assert!(!is_framed(&test));
}
