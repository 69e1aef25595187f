//! The panel beside a picture for the three ways to look, which the camera's tab shows, too; and a column of
//! which the foot is always in view.

use crate::shared::card_face::{self, ASPECT};
use crate::shared::keys::{Action, key_hover};
use crate::shared::look::{Look, Mode, SETS_BY_NUMBERS};
use crate::shared::verdict::{property_lines, verdict_lines};
use crate::shared::{names, settings::Settings, table::Table, words::t};
use eframe::egui::{
    Align2, Button, FontId, Id, Response, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui,
    UiBuilder, UiKind, WidgetInfo, vec2,
};
use setsight_game::cards::{Card, Deck};
use setsight_game::sets::{completing, explain};

/// Opacity of a set in the list while a card of it is covered.
const RESTING: f32 = 0.3;

/// Three buttons for the three ways to look.
pub(crate) fn modes(ui: &mut Ui, look: &mut Look) {
    for mode in Mode::ALL {
        if ui.add(Button::selectable(look.mode == mode, mode.word().say())).clicked() {
            look.mode = mode;
        }
    }
}

/// What there is to say and to press in the way chosen. Fills the height there is.
pub(crate) fn show(ui: &mut Ui, table: &Table, look: &mut Look, settings: &Settings) {
    look.fit(table);
    for remark in table.remarks() {
        ui.weak(remark);
    }
    match look.mode {
        Mode::Solve => solve(ui, table, look, settings),
        Mode::Hint => scrolled(ui, |ui| hint(ui, table, look, settings)),
        Mode::Learn => scrolled(ui, |ui| learn(ui, table, look, settings)),
    }
}

/// That no set is here, and how likely three more cards bring one; or what is known while cards are
/// unsure.
fn no_set(ui: &mut Ui, table: &Table) {
    let unsure = table.unsure();
    if unsure > 0 {
        let (sure, probable) = (table.cards.len() - unsure, table.probable_sets.len());
        ui.heading(match sure {
            0 => t!("no-card-sure"),
            _ => t!("no-set-among-sure", n = sure),
        });
        ui.label(match probable {
            0 => t!("perhaps-with-unsure"),
            _ => t!("some-probable", n = probable),
        });
        return;
    }
    ui.heading(t!("no-set-here"));
    if !table.chance_shown_elsewhere
        && let Some(chance) = table.chance_of_three_more()
    {
        ui.label(chance_in_words(chance.value()));
    }
}

/// A probability as people say it.
fn chance_in_words(p: f64) -> String {
    // A chance that is not certain is not said to be.
    let percent = if p >= 1.0 { 100.0 } else { (100.0 * p).clamp(1.0, 99.0).round() };
    t!("chance-of-more", percent = percent)
}

fn solve(ui: &mut Ui, table: &Table, look: &mut Look, settings: &Settings) {
    if table.cards.is_empty() {
        ui.heading(t!("no-cards"));
        return;
    }
    let (sure, shown_sets) = (table.sets.len(), table.shown_sets());
    if sure == 0 {
        no_set(ui, table);
    } else {
        ui.heading(t!("count-sets", n = sure));
        if shown_sets > sure {
            ui.label(t!("more-probable", n = shown_sets - sure));
        }
    }
    if shown_sets == 0 {
        return;
    }
    ui.horizontal(|ui| {
        let all = ui.add(Button::selectable(look.set.is_none(), t!("all")));
        if all.accessible_name(t!("all-sets")).clicked() {
            look.set = None;
        }
        let Some(set) = look.set else { return };
        if table.unnamed_in_words(set).is_none() {
            let why = ui.add(Button::new(t!("why")).selected(look.why));
            if why.on_hover_text(key_hover(Action::Why)).clicked() {
                look.why = !look.why;
            }
        }
        ui.weak(t!("showing", n = set + 1, all = shown_sets));
    });
    ui.add_space(2.0);
    let verdict = look.set.filter(|&set| look.why && table.unnamed_in_words(set).is_none());
    let verdict = verdict.map(|set| explain(table.set_at(set).map(|i| table.cards[i].card)));
    let why = |ui: &mut Ui| {
        verdict.iter().for_each(|verdict| property_lines(ui, &table.deck(), verdict));
    };
    if ui.stack().contained_in(UiKind::ScrollArea) {
        why(ui);
        list(ui, table, look, settings);
    } else {
        // Below the list, whose rows stay where they are.
        with_foot(ui, "why", look, |look, ui| list(ui, table, look, settings), |_, ui| why(ui));
    }
}

/// The sets: those of a usual table drawn, so many that nobody looks through them by the numbers of their cards.
fn list(ui: &mut Ui, table: &Table, look: &mut Look, settings: &Settings) {
    let rows = if table.shown_sets() < SETS_BY_NUMBERS {
        rows(ui, table, look, settings)
    } else {
        ui.horizontal_wrapped(|ui| rows(ui, table, look, settings)).inner
    };
    if table.probable_sets_left_out > 0 {
        ui.weak(t!("probable-left-out", n = table.probable_sets_left_out));
    }
    if let Some(place) = rows.iter().position(Response::clicked) {
        look.set = (look.set != Some(place)).then_some(place);
    }
    // What was pressed is in view, and stays where it is.
    look.listed = look.set;
    look.point_at(rows.iter().position(Response::hovered), ui.ctx());
}

/// A row for each set. What was chosen by a key is scrolled into view.
fn rows(ui: &mut Ui, table: &Table, look: &Look, settings: &Settings) -> Vec<Response> {
    let deck = table.deck();
    let places = 0..table.shown_sets();
    places
        .map(|place| {
            let selected = look.set == Some(place);
            let row = set_row(ui, (table, &deck), (place, selected), settings);
            if selected && look.listed != look.set {
                row.scroll_to_me(None);
            }
            row
        })
        .collect()
}

/// A set in the list: drawn, or the numbers of its cards on a button.
fn set_row(
    ui: &mut Ui,
    (table, deck): (&Table, &Deck),
    (place, selected): (usize, bool),
    settings: &Settings,
) -> Response {
    let of_set = table.set_at(place);
    let (label, cards) = (table.set_label(place), of_set.map(|i| table.cards[i].card));
    let words = table.unnamed_in_words(place);
    let row = SetRow { place, label: &label, cards, words, places: None, selected };
    let probable = place.checked_sub(table.sets.len()).map(|n| &table.probable_sets[n]);
    let because = probable.map(|set| {
        let (percent, card) = ((100.0 * set.confidence).floor(), table.numbers[set.decided_by]);
        t!("probable-because", percent = percent, card = card)
    });
    if table.shown_sets() >= SETS_BY_NUMBERS {
        let numbers = of_set.map(|i| table.numbers[i].to_string()).join(" · ");
        let mark = if because.is_some() { "?" } else { "" };
        let third = (ui.max_rect().width() - 2.0 * ui.spacing().item_spacing.x) / 3.0;
        let button = Button::selectable(selected, numbers + mark);
        let button = ui.add(button.min_size(vec2(third.floor(), 0.0)));
        let button = button.accessible_name(row.name(deck));
        if let Some(because) = because { button.on_hover_text(because) } else { button }
    } else {
        because.map(|because| ui.weak(because));
        ui.scope(|ui| {
            ui.multiply_opacity(if table.rests(place) { RESTING } else { 1.0 });
            row.show(ui, deck, settings)
        })
        .inner
    }
}

/// A set as a row of a list: its mark and its cards, drawn.
pub(crate) struct SetRow<'a> {
    /// Its place, from which its mark follows.
    pub(crate) place: usize,
    /// Its number.
    pub(crate) label: &'a str,
    pub(crate) cards: [Card; 3],
    /// A description in place of cards that have no sure names.
    pub(crate) words: Option<String>,
    /// What the places are called where they lie, if they have names.
    pub(crate) places: Option<[String; 3]>,
    /// Whether it is shown alone.
    pub(crate) selected: bool,
}

impl SetRow<'_> {
    /// What it is called: its number and its cards.
    fn name(&self, deck: &Deck) -> String {
        let cards = self.cards.map(|card| names::card(deck, card)).join(", ");
        let cards = self.words.clone().unwrap_or(cards).replace('\n', ", ");
        match &self.places {
            None => t!("set-numbered", n = self.label, cards = cards),
            Some(places) => {
                t!("set-at-places", n = self.label, places = places.join(" "), cards = cards)
            }
        }
    }

    pub(crate) fn show(self, ui: &mut Ui, deck: &Deck, settings: &Settings) -> Response {
        let width = ui.available_width();
        let mark_width = 44.0_f32.min(0.2 * width);
        let below = if self.places.is_some() { 18.0 } else { 0.0 };
        let card_width = ((width - mark_width - 4.0 * 6.0) / 3.0).clamp(24.0, 92.0);
        let card_width = if self.places.is_some() { card_width.min(70.0) } else { card_width };
        let height = card_width / ASPECT + 12.0 + below;
        let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::click());
        response.widget_info(|| {
            WidgetInfo::selected(Role::Button, true, self.selected, self.name(deck))
        });
        if !ui.is_rect_visible(rect) {
            return response;
        }
        let (painter, visuals) = (ui.painter(), ui.visuals());
        if self.selected || response.hovered() || response.has_focus() {
            painter.rect_filled(rect, 8.0, visuals.widgets.hovered.weak_bg_fill);
        }
        if self.selected || response.has_focus() {
            let color = settings.palette.set_color(self.place);
            let color = if self.selected { color } else { visuals.selection.bg_fill };
            painter.rect_stroke(rect, 8.0, Stroke::new(2.0, color), StrokeKind::Inside);
        }
        let center = rect.left_top() + vec2(0.5 * mark_width, 6.0 + 0.5 * card_width / ASPECT);
        let radius = (0.5 * mark_width - 2.0).min(12.0);
        card_face::set_mark(painter, center, radius, (self.place, self.label), settings.palette);
        if let Some(words) = self.words {
            let (at, font) =
                (rect.left_center() + vec2(mark_width, 0.0), FontId::proportional(15.0));
            painter.text(at, Align2::LEFT_CENTER, words, font, visuals.text_color());
            return response;
        }
        for (i, card) in self.cards.into_iter().enumerate() {
            let min = rect.left_top() + vec2(mark_width + i as f32 * (card_width + 6.0), 6.0);
            let face = card_face::rect_at(min, card_width);
            card_face::paint_of(painter, face, deck, card, settings);
            if let Some(places) = &self.places {
                let (at, font) = (face.center_bottom() + vec2(0.0, 2.0), FontId::monospace(13.0));
                painter.text(at, Align2::CENTER_TOP, &places[i], font, visuals.text_color());
            }
        }
        response
    }
}

fn hint(ui: &mut Ui, table: &Table, look: &mut Look, settings: &Settings) {
    if table.sets.is_empty() {
        return no_set(ui, table);
    }
    let words = match look.hint {
        0 => t!("hint-none"),
        1 => t!("hint-one"),
        2 => t!("hint-two"),
        _ => t!("hint-three"),
    };
    ui.heading(t!("hint"));
    ui.label(words);
    ui.add_space(4.0);
    let next = match look.hint {
        0 => t!("hint-show-one"),
        1 => t!("hint-show-two"),
        2 => t!("hint-show-three"),
        _ => t!("hint-hide"),
    };
    let button = Button::new(next).min_size(vec2(0.0, 40.0));
    if ui.vertical_centered_justified(|ui| ui.add(button)).inner.clicked() {
        look.more_hint();
    }
    ui.weak(key_hover(Action::MoreHint));
    if look.hint > 0 {
        // Offered whether or not there is another: the button itself must not tell.
        let another = ui.button(t!("another-set"));
        if another.on_hover_text(key_hover(Action::AnotherHint)).clicked() {
            look.another_hint();
        }
        if look.hint_rank > 0 && table.sets.len() == 1 {
            ui.label(t!("no-other-set"));
        }
    }
    ui.add_space(8.0);
    let given = match look.hint {
        0 => Vec::new(),
        step => table.hint(look.hint_rank, step).unwrap_or_default(),
    };
    // The picture shows the others, whose names nobody knows.
    for card in given.into_iter().filter(|&card| !table.cards[card].unsure) {
        card_line(ui, &table.deck(), table.cards[card].card, settings);
    }
}

/// A card, drawn, and its name.
pub(crate) fn card_line(ui: &mut Ui, deck: &Deck, card: Card, settings: &Settings) {
    ui.horizontal(|ui| {
        let (rect, response) = ui.allocate_exact_size(vec2(66.0, 66.0 / ASPECT), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, names::card(deck, card)));
        card_face::paint_of(ui.painter(), rect, deck, card, settings);
        ui.label(names::card(deck, card));
    });
}

fn learn(ui: &mut Ui, table: &Table, look: &mut Look, settings: &Settings) {
    ui.heading(t!("mode-learn"));
    if look.chosen.len() < 3 {
        let words = match look.chosen.len() {
            0 => t!("choose-three"),
            1 => t!("choose-two"),
            _ => t!("choose-one"),
        };
        ui.label(words);
    }
    if look.chosen.is_empty() {
        ui.add_space(4.0);
        crate::shared::pages::in_short(ui, settings);
    }
    let chosen: Vec<Card> = look.chosen.iter().map(|&i| table.cards[i].card).collect();
    for &card in &chosen {
        card_line(ui, &table.deck(), card, settings);
    }
    if let [a, b] = chosen[..]
        && a != b
    {
        ui.label(t!("third-needed"));
        card_line(ui, &table.deck(), completing(a, b), settings);
    }
    if let Some(verdict) = look.verdict(table) {
        ui.add_space(4.0);
        verdict_lines(ui, &table.deck(), &verdict);
    }
    if !look.chosen.is_empty() {
        ui.add_space(4.0);
        if ui.button(t!("choose-others")).clicked() {
            look.chosen.clear();
        }
        if look.chosen.len() == 3 {
            ui.weak(t!("fourth-begins-anew"));
        }
    }
}

/// Scrolls what does not fit, unless the panel as a whole does: of two areas one in the other only the
/// inner one would bring into view what the keyboard goes to.
pub(crate) fn scrolled(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    if !ui.stack().contained_in(UiKind::ScrollArea) {
        ScrollArea::vertical().auto_shrink([false, true]).show(ui, add);
    } else {
        add(ui);
    }
}

/// Height of a foot before it has been drawn once, in points.
const FOOT: f32 = 40.0;
/// Below this height, in points, the foot scrolls with the rest.
const LOW: f32 = 200.0;

/// Fills the room there is. What stands above the foot scrolls where it has too little; the foot does
/// not, unless the room is very low.
pub(crate) fn with_foot<S>(
    ui: &mut Ui,
    name: &'static str,
    state: &mut S,
    above: impl FnOnce(&mut S, &mut Ui),
    foot: impl FnOnce(&mut S, &mut Ui),
) {
    let room = ui.available_rect_before_wrap();
    let area = ScrollArea::vertical().id_salt(name).auto_shrink([false, false]);
    if room.height() < LOW {
        area.show(ui, |ui| {
            above(state, ui);
            foot(state, ui);
        });
        return;
    }
    let id = Id::unique("foot").with(name);
    let height = ui.data(|data| data.get_temp(id)).unwrap_or(FOOT).min(0.6 * room.height());
    let gap = ui.spacing().item_spacing.y;
    let (upper, lower) = room.split_top_bottom_at_y(room.max.y - height);
    let mut child = ui.new_child(UiBuilder::new().max_rect(upper.with_max_y(upper.max.y - gap)));
    area.show(&mut child, |ui| above(state, ui));
    let mut child = ui.new_child(UiBuilder::new().max_rect(lower));
    foot(state, &mut child);
    let used = child.min_rect().height();
    if (used - height).abs() > 0.5 {
        // It has become another one: the frame is drawn anew before anybody sees it.
        ui.data_mut(|data| data.insert_temp(id, used));
        ui.ctx().request_discard("foot");
    }
    ui.advance_cursor_after_rect(room);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_put_in_words() {
        let ends = |p, words| assert!(chance_in_words(p).ends_with(words), "{p}");
        ends(0.953, " 95 times out of 100.");
        ends(0.9999, " 99 times out of 100.");
        ends(1.0, "are sure to bring one.");
    }
}
