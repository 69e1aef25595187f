//! The panel beside a picture for the three ways to look. The camera's tab shows the same.

use super::card_face::{self, ASPECT};
use super::look::{Look, Mode};
use super::settings::Settings;
use super::signs;
use super::table::Table;
use super::theme::GOOD;
use crate::cards::{Card, Deck, Property};
use crate::sets::Relation;
use eframe::egui::{
    Button, Color32, CornerRadius, RichText, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui,
    WidgetInfo, vec2,
};

/// Opacity of a set in the list while a card of it is covered.
const RESTING: f32 = 0.3;

/// Three buttons for the three ways to look.
pub fn modes(ui: &mut Ui, look: &mut Look) {
    for mode in Mode::ALL {
        if ui.add(Button::selectable(look.mode == mode, mode.word())).clicked() {
            look.mode = mode;
        }
    }
}

/// What there is to say and to press in the way chosen. Fills the height there is.
pub fn show(ui: &mut Ui, table: &Table, look: &mut Look, settings: &Settings) {
    look.fit(table);
    for remark in table.remarks() {
        ui.weak(remark);
    }
    match look.mode {
        Mode::Solve => solve(ui, table, look, settings),
        Mode::Hint => hint(ui, table, look, settings),
        Mode::Learn => learn(ui, table, look, settings),
    }
}

/// "No set here." and how likely three more cards bring one.
pub fn no_set(ui: &mut Ui, table: &Table) {
    ui.heading("No set here.");
    if !table.chance_is_told
        && let Some(chance) = table.chance_of_three_more()
    {
        ui.label(format!("Three more cards bring one in {}.", in_words(chance.value())));
    }
    if table.unsure() > 0 {
        ui.label("Perhaps one with the cards marked ?.");
    }
}

/// A probability as people say it.
fn in_words(p: f64) -> String {
    if p >= 1.0 {
        "every case".to_owned()
    } else {
        format!("{:.0} of 100 cases", (100.0 * p).clamp(1.0, 99.0))
    }
}

fn solve(ui: &mut Ui, table: &Table, look: &mut Look, settings: &Settings) {
    if table.cards.is_empty() {
        ui.heading("No cards found.");
        return;
    }
    if table.sets.is_empty() {
        return no_set(ui, table);
    }
    ui.heading(count(table.sets.len(), "set"));
    ui.horizontal(|ui| {
        if ui.button("‹").accessible_name("Set before").clicked() {
            look.previous_set(table.sets.len());
        }
        let shown =
            look.set.map_or("all".to_owned(), |set| format!("{} of {}", set + 1, table.sets.len()));
        if ui
            .add(Button::selectable(look.set.is_none(), "All"))
            .accessible_name("All sets")
            .clicked()
        {
            look.set = None;
        }
        if ui.button("›").accessible_name("Next set").clicked() {
            look.next_set(table.sets.len());
        }
        ui.weak(format!("Showing {shown}"));
    });
    ui.add_space(2.0);
    let deck = table.deck();
    scrolled(ui, |ui| {
        for (place, set) in table.sets.iter().enumerate() {
            let cards = set.0.map(|i| table.cards[i].card);
            let pressed = ui.scope(|ui| {
                if table.rests(place) {
                    ui.multiply_opacity(RESTING);
                }
                set_row(ui, place, (&deck, cards), look.set == Some(place), settings)
            });
            if pressed.inner {
                look.set = if look.set == Some(place) { None } else { Some(place) };
            }
        }
    });
}

/// A set in a row: its number and its cards, drawn. Whether it was pressed.
fn set_row(
    ui: &mut Ui,
    place: usize,
    (deck, cards): (&Deck, [Card; 3]),
    selected: bool,
    settings: &Settings,
) -> bool {
    let width = ui.available_width();
    let card_width = ((width - 44.0 - 4.0 * 6.0) / 3.0).clamp(36.0, 92.0);
    let height = card_width / ASPECT + 12.0;
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::click());
    response.widget_info(|| {
        let names = cards.map(|card| deck.card_name(card)).join(", ");
        WidgetInfo::selected(Role::Button, true, selected, format!("Set {}: {names}", place + 1))
    });
    if !ui.is_rect_visible(rect) {
        return response.clicked();
    }
    let color = settings.palette.set_color(place);
    let painter = ui.painter();
    if selected || response.hovered() || response.has_focus() {
        painter.rect_filled(rect, CornerRadius::same(8), ui.visuals().widgets.hovered.weak_bg_fill);
    }
    if selected || response.has_focus() {
        let line = Stroke::new(2.0, if selected { color } else { ui.visuals().selection.bg_fill });
        painter.rect_stroke(rect, CornerRadius::same(8), line, StrokeKind::Inside);
    }
    let center = rect.left_center() + vec2(22.0, 0.0);
    card_face::disc(painter, center, 12.0, color, &(place + 1).to_string());
    for (i, card) in cards.into_iter().enumerate() {
        let min = rect.left_top() + vec2(44.0 + i as f32 * (card_width + 6.0), 6.0);
        card_face::paint_of(painter, card_face::rect_at(min, card_width), deck, card, settings);
    }
    response.clicked()
}

fn hint(ui: &mut Ui, table: &Table, look: &mut Look, settings: &Settings) {
    if table.sets.is_empty() {
        return no_set(ui, table);
    }
    let words = match look.hint {
        0 => "There is a set here. Look for it yourself, or ask for a card.",
        1 => "This card is part of a set.",
        2 => "These two belong together. Which card is the third?",
        _ => "This is a set.",
    };
    ui.heading("Hint");
    ui.label(words);
    ui.add_space(4.0);
    let next = ["Show one card", "Show a second card", "Show the third card", "Hide them again"];
    let button = Button::new(next[look.hint.min(3)]).min_size(vec2(0.0, 40.0));
    if ui.vertical_centered_justified(|ui| ui.add(button)).inner.clicked() {
        look.more_hint();
    }
    ui.weak("Key: H");
    if look.hint > 0 {
        // Offered whether or not there is another: the button itself must not tell.
        if ui.button("Another set").on_hover_text("Key: N").clicked() {
            look.another_hint();
        }
        if look.hint_rank > 0 && table.sets.len() == 1 {
            ui.label("There is no other set.");
        }
    }
    ui.add_space(8.0);
    let given = match look.hint {
        0 => Vec::new(),
        step => table.hint(look.hint_rank, step).unwrap_or_default(),
    };
    for card in given {
        card_line(ui, &table.deck(), table.cards[card].card, settings);
    }
}

/// A card, drawn, and its name.
pub fn card_line(ui: &mut Ui, deck: &Deck, card: Card, settings: &Settings) {
    ui.horizontal(|ui| {
        let (rect, response) = ui.allocate_exact_size(vec2(66.0, 66.0 / ASPECT), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, deck.card_name(card)));
        card_face::paint_of(ui.painter(), rect, deck, card, settings);
        ui.label(deck.card_name(card));
    });
}

fn learn(ui: &mut Ui, table: &Table, look: &mut Look, settings: &Settings) {
    ui.heading("Learn");
    if look.chosen.len() < 3 {
        let words = match look.chosen.len() {
            0 => "Choose three cards in the picture.",
            1 => "Choose two more.",
            _ => "Choose one more.",
        };
        ui.label(words);
    }
    if look.chosen.is_empty() {
        ui.add_space(4.0);
        super::rules::in_short(ui, settings);
    }
    let chosen: Vec<Card> = look.chosen.iter().map(|&i| table.cards[i].card).collect();
    for &card in &chosen {
        card_line(ui, &table.deck(), card, settings);
    }
    if let Some(verdict) = look.verdict(table) {
        ui.add_space(4.0);
        verdict_lines(ui, &verdict);
    }
    if !look.chosen.is_empty() {
        ui.add_space(4.0);
        if ui.button("Choose other cards").clicked() {
            look.chosen.clear();
        }
    }
}

/// A verdict: property by property, then in a word.
pub fn verdict_lines(ui: &mut Ui, verdict: &crate::sets::Verdict) {
    for (property, relation) in Property::ALL.into_iter().zip(verdict.relations) {
        let word = |value| property.value_word(value);
        let (good, text) = match relation {
            Relation::AllAlike(value) => (true, format!("all alike: {}", word(value))),
            Relation::AllDifferent(values) => {
                (true, format!("all different: {}", values.map(word).join(", ")))
            }
            Relation::TwoAlike { twice, once, .. } => (false, two_alike(property, twice, once)),
        };
        let good = good && !verdict.repeated;
        ui.horizontal_wrapped(|ui| {
            let color = if good { good_color(ui) } else { ui.visuals().error_fg_color };
            signs::verdict(ui, good, color);
            ui.strong(property.word());
            ui.label(text);
        });
    }
    ui.add_space(2.0);
    if verdict.is_set() {
        ui.label(RichText::new("A set!").heading().color(good_color(ui)));
    } else {
        let text = verdict.to_string();
        let mut chars = text.chars();
        let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        ui.label(RichText::new(format!("{first}{}.", chars.as_str())).size(18.0));
    }
}

/// What spoils a set in one property, as people say it.
fn two_alike(property: Property, twice: usize, once: usize) -> String {
    let (two, one) = (property.value_word(twice), property.value_word(once));
    match property {
        Property::Number => {
            let symbols = if twice == 0 { "symbol" } else { "symbols" };
            format!("two have {two} {symbols}, one has {one}")
        }
        Property::Shading | Property::Color => format!("two are {two}, one is {one}"),
        Property::Shape => {
            let article = if one.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
            format!("two are {two}s, one is {article} {one}")
        }
    }
}

/// Scrolls what does not fit, unless the panel as a whole does: of two areas one in the other only the
/// inner one would bring into view what the keyboard goes to.
pub fn scrolled(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    if ui.available_height().is_finite() {
        ScrollArea::vertical().auto_shrink([false, true]).show(ui, add);
    } else {
        add(ui);
    }
}

/// A number of things: "1 set", "2 sets".
pub fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// Green that can be read on the window's ground.
pub fn good_color(ui: &Ui) -> Color32 {
    if ui.visuals().dark_mode {
        Color32::from_rgb(88, 206, 160)
    } else {
        GOOD.gamma_multiply(0.8).to_opaque()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_said_in_words() {
        assert_eq!(in_words(0.953), "95 of 100 cases");
        assert_eq!(in_words(0.9999), "99 of 100 cases");
        assert_eq!(in_words(1.0), "every case");
    }

    #[test]
    fn what_spoils_a_set_is_said_in_words() {
        let says = |property, twice, once, words: &str| {
            assert_eq!(two_alike(property, twice, once), words);
        };
        says(Property::Number, 0, 1, "two have one symbol, one has two");
        says(Property::Number, 2, 0, "two have three symbols, one has one");
        says(Property::Shape, 2, 0, "two are squiggles, one is a diamond");
        says(Property::Shape, 0, 1, "two are diamonds, one is an oval");
        says(Property::Color, 0, 2, "two are green, one is red");
        assert_eq!((count(1, "set"), count(0, "set")), ("1 set".into(), "0 sets".into()));
    }
}
