//! The panel and the handles with which cards are corrected.

use crate::photos::correct::{Change, Refusal};
use crate::photos::correcting::{Correcting, Edit, accept, guesses};
use crate::shared::card_face::{self, ASPECT};
use crate::shared::keys::{Action, key_hover, key_of};
use crate::shared::theme::{CHOSEN, RIM};
use crate::shared::{names, picture::Placement, settings::Settings, table::Table, words::t};
use eframe::egui::{
    Align, Button, Color32, CursorIcon, FontId, Id, Label, Pos2, Rect, RichText, Role, Sense,
    Shape, Stroke, StrokeKind, TextStyle, TextureHandle, Ui, WidgetInfo, vec2,
};
use setsight_game::cards::{Card, Deck, Property};
use setsight_vision::Guess;

/// Narrower than this, in points, a button does not hold the word for a value.
const LEAST_VALUE: f32 = 62.0;
/// Height of a button for a value whose word stands beside its card, or under it, and of one for a
/// guess, in points.
const VALUE_HEIGHT: f32 = 34.0;
const VALUE_UNDER: f32 = 46.0;
const GUESS_HEIGHT: f32 = 42.0;
/// In a window that is high enough, height of the card as in the photo in times the window's, as on the phone's
/// page; and its most width in times the panel's. In a lower one it is as wide as the drawn card: nothing may scroll.
const CROP: (f32, f32) = (0.2, 0.68);
const HIGH: f32 = 870.0;
/// Most width of the drawn card beside it, in points.
const CARD_WIDTH: f32 = 112.0;
/// There must be so much room for the card's sets, in points.
const SETS_WIDTH: f32 = 84.0;
/// So many cards to check are listed; a table of doubts may have 81.
const MOST_LISTED: usize = 12;

/// What the panel is given to show.
pub(crate) struct Shown<'a> {
    pub(crate) table: &'a Table,
    /// How the photo shows the card in hand, straightened.
    pub(crate) straight: Option<&'a TextureHandle>,
    /// Whether there is anything to undo, and to redo.
    pub(crate) steps: (bool, bool),
    /// Whether anything is written of this photo.
    pub(crate) is_labelled: bool,
    /// Whether it is another card than the reader found that lies at one of the places, or elsewhere.
    pub(crate) differs: bool,
}

/// The panel. What is wished for.
pub(crate) fn panel(
    ui: &mut Ui,
    correcting: &mut Correcting,
    shown: &Shown<'_>,
    settings: &Settings,
) -> Option<Edit> {
    correcting.fit(shown.table);
    let edit = tools(ui, correcting, shown);
    if correcting.adding {
        ui.label(t!("click-the-missed"));
    }
    let other = match correcting.selected {
        Some(card) => card_in_hand(ui, correcting, card, shown, settings),
        None => {
            to_check(ui, correcting, shown);
            None
        }
    };
    edit.or(other)
}

/// What is done with the photo as a whole.
fn tools(ui: &mut Ui, correcting: &mut Correcting, shown: &Shown<'_>) -> Option<Edit> {
    let (table, mut edit) = (shown.table, None);
    ui.scope(|ui| {
        ui.spacing_mut().button_padding = vec2(8.0, 3.0);
        ui.spacing_mut().interact_size.y = 26.0;
        ui.spacing_mut().item_spacing = vec2(5.0, 5.0);
        ui.horizontal_wrapped(|ui| {
            let adding = Button::selectable(correcting.adding, t!("add-a-card"));
            if ui.add(adding).on_hover_text(t!("add-a-card-help")).clicked() {
                correcting.adding = !correcting.adding;
            }
            let (undo, redo) = shown.steps;
            let back = ui.add_enabled(undo, Button::new(t!("undo")));
            if back.on_hover_text(key_hover(Action::Undo)).clicked() {
                edit = Some(Edit::Undo);
            }
            let forth = ui.add_enabled(redo, Button::new(t!("redo")));
            if forth.on_hover_text(key_hover(Action::Redo)).clicked() {
                edit = Some(Edit::Redo);
            }
            let found = ui.add_enabled(shown.differs, Button::new(t!("as-found")));
            let tip = t!("as-found-help", key = key_of(Action::StartOver));
            if found.on_hover_text(tip).clicked() {
                edit = Some(Edit::StartOver);
            }
            if table.checked {
                let good = crate::shared::verdict::good_color(ui);
                crate::shared::verdict::sign(ui, true, good);
                ui.add(Label::new(t!("person-checked")).extend());
                return;
            }
            let right = ui.add_enabled(!table.cards.is_empty(), Button::new(t!("all-right")));
            let tip = t!("all-right-help", key = key_of(Action::AllRight));
            if right.on_hover_text(tip).clicked() {
                edit = Some(Edit::Change(Change::AllRight));
            }
        });
    });
    edit
}

/// The cards that are unsure, while none is in hand.
fn to_check(ui: &mut Ui, correcting: &mut Correcting, shown: &Shown<'_>) {
    ui.label(t!("click-the-wrong", key = key_of(Action::AllRight)));
    let cards = shown.table.to_check();
    if cards.is_empty() {
        if shown.is_labelled {
            ui.weak(t!("every-change-saved"));
        }
        return;
    }
    ui.add_space(4.0);
    ui.strong(t!("cards-to-check", n = cards.len()));
    for &card in cards.iter().take(MOST_LISTED) {
        if ui.button(shown.table.describe(card)).clicked() {
            correcting.select(Some(card), shown.table);
        }
    }
    if let Some(more @ 1..) = cards.len().checked_sub(MOST_LISTED) {
        ui.weak(t!("and-more-to-check", n = more));
    }
}

/// The card in hand: how it looks, and what else it may be. Whatever card it is, each thing keeps its
/// place.
fn card_in_hand(
    ui: &mut Ui,
    correcting: &mut Correcting,
    index: usize,
    shown: &Shown<'_>,
    settings: &Settings,
) -> Option<Edit> {
    let table = shown.table;
    let (deck, guesses) = (table.deck(), guesses(table, index));
    let open = correcting.guess.filter(|_| guesses.len() > 1);
    let looked_at = open.and_then(|at| guesses.get(at));
    let card = looked_at.map_or(table.cards[index].card, |guess| guess.card);
    let top = ui.cursor().min;
    // Two lines, though most names need but one.
    let line = ui.text_style_height(&TextStyle::Body).ceil();
    let lines = vec2(ui.available_width(), 2.0 * line + 1.0);
    ui.allocate_ui(lines, |ui| {
        ui.set_min_size(lines);
        ui.add(Label::new(RichText::new(table.describe(index)).strong()).wrap());
    });
    pictures(ui, shown.straight, (&deck, card), &table.sets_in_words(index), settings);
    let mut edit = None;
    if open.is_some() {
        for (at, guess) in guesses.iter().enumerate() {
            let is_looked_at = open == Some(at);
            if guess_button(ui, (&deck, at, guess), is_looked_at, settings) {
                edit = Some(accept(table, index, Some(*guess)));
            }
        }
        let more = table.cards[index].guesses().count() - guesses.len();
        if more > 0 {
            ui.weak(t!("guesses-left-out", n = more));
        }
        ui.weak(t!("guesses-help", key = key_of(Action::Guesses)));
        reveal(ui, correcting, top, Align::Min);
        return edit;
    }
    for property in Property::ALL {
        if let Some(value) = values(ui, &deck, (property, card), settings) {
            edit = Some(Edit::Change(Change::Be(index, with(card, property, value))));
        }
    }
    reveal(ui, correcting, top, Align::Max);
    let typed: &str = if correcting.typed.is_empty() { "2 s p d" } else { &correcting.typed };
    ui.weak(t!("or-type", letters = typed));
    edit
}

/// Scrolls to the part about a card when it is taken in hand: all of it, or the end that counts where
/// there is not so much room.
fn reveal(ui: &Ui, correcting: &mut Correcting, top: Pos2, end: Align) {
    // A frame that is drawn anew, because the foot has grown, has less room than its first try.
    let frame = ui.ctx().cumulative_frame_nr();
    if *correcting.revealed.get_or_insert(frame) == frame {
        let part = Rect::from_min_max(top, ui.min_rect().max);
        let fits = part.height() <= ui.clip_rect().height();
        ui.scroll_to_rect(part, (!fits).then_some(end));
    }
}

/// The card in hand as the photo shows it, and drawn; and its sets, above where there is no room
/// below the drawn card or beside it.
fn pictures(
    ui: &mut Ui,
    straight: Option<&TextureHandle>,
    (deck, card): (&Deck, Card),
    sets: &str,
    settings: &Settings,
) {
    let (room, gap) = (ui.available_width(), ui.spacing().item_spacing.x);
    let height = ui.ctx().content_rect().height();
    let is_high = height >= HIGH;
    let crop_width = match is_high {
        true => (CROP.0 * height * ASPECT).min(CROP.1 * room),
        false => ((room - gap) / 2.0).min(CARD_WIDTH),
    };
    let width = (room - gap - crop_width).min(CARD_WIDTH);
    let [crop, drawn] = [crop_width, width].map(|width| vec2(width, width / ASPECT));
    let sets_fit = is_high || room >= crop_width + width + 2.0 * gap + SETS_WIDTH;
    if !sets_fit {
        ui.weak(sets);
    }
    ui.horizontal_top(|ui| {
        if let Some(texture) = straight {
            let image = eframe::egui::Image::new((texture.id(), crop));
            let shown = ui.add(image).on_hover_text(t!("as-in-the-photo"));
            shown.accessible_name(t!("card-as-in-the-photo"));
        } else {
            ui.allocate_space(crop);
        }
        let drawn_and_sets = |ui: &mut Ui| {
            let (rect, response) = ui.allocate_exact_size(drawn, Sense::hover());
            response.widget_info(|| {
                let card = names::card(deck, card);
                WidgetInfo::labeled(Role::Image, true, t!("drawn", card = card))
            });
            card_face::paint_of(ui.painter(), rect, deck, card, settings);
            if sets_fit {
                ui.add(Label::new(RichText::new(sets).weak()).wrap());
            }
        };
        if is_high {
            ui.vertical(drawn_and_sets);
        } else {
            drawn_and_sets(ui);
        }
    });
}

/// What a card may be, drawn and named, and how likely that is. Whether it was pressed.
fn guess_button(
    ui: &mut Ui,
    (deck, at, guess): (&Deck, usize, &Guess),
    is_looked_at: bool,
    settings: &Settings,
) -> bool {
    let size = vec2(ui.available_width(), GUESS_HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let (name, percent) = (names::card(deck, guess.card), (100.0 * guess.confidence).floor());
    response.widget_info(|| {
        let name = t!("guess-button", n = at + 1, card = name.as_str(), percent = percent);
        WidgetInfo::selected(Role::Button, true, is_looked_at, name)
    });
    let visuals = ui.style().interact_selectable(&response, is_looked_at);
    let painter = ui.painter();
    painter.rect(rect, 8.0, visuals.weak_bg_fill, visuals.bg_stroke, StrokeKind::Inside);
    let paper = card_at(rect.left_center() + vec2(30.0, 0.0), 48.0);
    card_face::paint_of(painter, paper, deck, guess.card, settings);
    let (font, color) = (FontId::proportional(13.5), visuals.text_color());
    let likely = painter.layout_no_wrap(format!("{percent:.0} %"), font.clone(), color);
    let left = rect.left_center() + vec2(62.0, 0.0);
    let room = rect.width() - 62.0 - likely.size().x - 16.0;
    let name = painter.layout(name, font, color, room.max(40.0));
    painter.galley(left - vec2(0.0, name.size().y / 2.0), name, color);
    let right = rect.right_center() - vec2(likely.size().x + 8.0, likely.size().y / 2.0);
    painter.galley(right, likely, color);
    response.clicked()
}

/// What is pressed most: below all else, and in view whatever the size of the window.
pub(crate) fn foot(ui: &mut Ui, correcting: &mut Correcting, shown: &Shown<'_>) -> Option<Edit> {
    let (table, mut edit) = (shown.table, None);
    if let Some((change, refusal)) = correcting.clash {
        ui.label(RichText::new(refused(refusal, table)).color(ui.visuals().warn_fg_color));
        if let (Change::Be(card, _) | Change::Confirm(card), Refusal::AlreadyPlaced(other)) =
            (change, refusal)
            && ui.button(t!("swap")).clicked()
        {
            edit = Some(Edit::Change(Change::Swap(card, other)));
        }
    }
    let Some(index) = correcting.selected.filter(|&card| card < table.cards.len()) else {
        let n = table.unsure();
        let check = Button::new(t!("check-cards", n = n)).min_size(vec2(0.0, 38.0));
        if n > 0 {
            let check = ui.vertical_centered_justified(|ui| ui.add(check)).inner;
            let tip = key_hover(Action::Confirm);
            if check.on_hover_text(tip).clicked() {
                correcting.select(table.next_to_check(None), table);
            }
        }
        return edit;
    };
    ui.spacing_mut().button_padding.x = 9.0;
    ui.spacing_mut().item_spacing = vec2(5.0, 5.0);
    ui.horizontal_wrapped(|ui| {
        let may = !table.confirmed[index] || correcting.guess.is_some();
        let right = ui.add_enabled(may, Button::new(t!("it-is-right")));
        if right.on_hover_text(key_hover(Action::Confirm)).clicked() {
            edit = correcting.accepted(table);
        }
        let help = t!("strike-help", key = key_of(Action::Strike));
        if ui.button(t!("strike")).on_hover_text(help).clicked() {
            edit = Some(Edit::Change(Change::Strike(index)));
        }
        let has_alternatives = !table.cards[index].alternatives.is_empty();
        let open = Button::selectable(correcting.guess.is_some(), t!("other-guesses"));
        let open = ui.add_enabled(has_alternatives, open).on_hover_text(key_hover(Action::Guesses));
        if open.clicked() && correcting.guess.take().is_none() {
            correcting.next_guess(table);
        }
        if ui.button(t!("done")).on_hover_text(key_hover(Action::Clear)).clicked() {
            correcting.select(None, table);
        }
    });
    edit
}

/// The three values of a property as buttons; the one that was pressed.
fn values(
    ui: &mut Ui,
    deck: &Deck,
    (property, card): (Property, Card),
    settings: &Settings,
) -> Option<usize> {
    let mut pressed = None;
    ui.horizontal_wrapped(|ui| {
        let room = ui.available_width();
        let third = ((room - 2.0 * ui.spacing().item_spacing.x) / 3.0).floor();
        // In a very small window one below the other.
        let width = if third < LEAST_VALUE { room } else { third.min(110.0) };
        let font = FontId::proportional(13.0);
        let galleys = [0, 1, 2].map(|value| {
            let (word, color) = (names::value(deck, property, value), Color32::PLACEHOLDER);
            ui.painter().layout_no_wrap(word, font.clone(), color)
        });
        // Beside the drawn card, or under it where one of the words is too long for that.
        let widest = galleys.iter().map(|galley| galley.size().x).fold(0.0, f32::max);
        let fits_in_line = 39.0 + widest + 4.0 <= width;
        for (value, galley) in galleys.into_iter().enumerate() {
            let selected = card.value(property) == value;
            let size = vec2(width, if fits_in_line { VALUE_HEIGHT } else { VALUE_UNDER });
            let (rect, response) = ui.allocate_exact_size(size, Sense::click());
            let word = names::value(deck, property, value);
            response.widget_info(|| {
                let name =
                    t!("value-button", property = names::property(property), value = word.as_str());
                WidgetInfo::selected(Role::Button, true, selected, name)
            });
            let visuals = ui.style().interact_selectable(&response, selected);
            let painter = ui.painter();
            painter.rect(rect, 8.0, visuals.weak_bg_fill, visuals.bg_stroke, StrokeKind::Inside);
            // What the card would look like, on its own white.
            let words = galley.size();
            let (paper, at) = if fits_in_line {
                let middle = rect.left_center();
                (card_at(middle + vec2(20.0, 0.0), 32.0), middle + vec2(39.0, -words.y / 2.0))
            } else {
                let under = rect.center_bottom() - vec2(words.x / 2.0, words.y + 3.0);
                (card_at(rect.center_top() + vec2(0.0, 15.0), 34.0), under)
            };
            card_face::paint_of(painter, paper, deck, with(card, property, value), settings);
            painter.galley(at, galley, visuals.text_color());
            if response.clicked() {
                pressed = Some(value);
            }
        }
    });
    pressed
}

/// A card of this width around a point.
fn card_at(center: Pos2, width: f32) -> Rect {
    Rect::from_center_size(center, vec2(width, width / ASPECT))
}

fn with(card: Card, property: Property, value: usize) -> Card {
    let index = Property::ALL
        .into_iter()
        .fold(0, |index, p| index * 3 + if p == property { value } else { card.value(p) });
    Card::from_index(index)
}

fn refused(refusal: Refusal, table: &Table) -> String {
    let number = |card: usize| table.numbers.get(card).copied().unwrap_or(card + 1);
    match refusal {
        Refusal::AlreadyPlaced(other) => {
            let other_card = table.cards.get(other).map(|card| card.card);
            let name = other_card.map_or_else(String::new, |card| names::card(&table.deck(), card));
            t!("lies-there", n = number(other), name = name)
        }
        Refusal::BothAre(one, other) => t!("both-are", one = number(one), other = number(other)),
        Refusal::Twisted => t!("twisted"),
        Refusal::NoCard => t!("no-such-card"),
        Refusal::DeckIsOut => t!("deck-is-out"),
    }
}

/// Paints the card in hand and handles on its corners; the corner that is dragged.
pub(crate) fn handles(
    ui: &Ui,
    placement: &Placement,
    table: &Table,
    correcting: &mut Correcting,
    id: Id,
) -> Option<Edit> {
    let index = correcting.selected.filter(|&i| i < table.cards.len())?;
    let quad = table.cards[index].corners_in_image;
    let corners = placement.quad(&quad);
    let painter = ui.painter_at(placement.room);
    painter.add(Shape::closed_line(corners.to_vec(), Stroke::new(5.0, RIM)));
    painter.add(Shape::closed_line(corners.to_vec(), Stroke::new(2.5, CHOSEN)));
    let mut edit = None;
    for (i, at) in corners.into_iter().enumerate() {
        let rect = Rect::from_center_size(at, vec2(24.0, 24.0));
        let response = ui.interact(rect, id.with(("corner", i)), Sense::click_and_drag());
        response.widget_info(|| {
            let name = t!("corner-of", n = i + 1, card = table.numbers[index]);
            WidgetInfo::labeled(Role::Button, true, name)
        });
        let response = response.on_hover_and_drag_cursor(CursorIcon::Move);
        let in_hand = correcting.corner == i;
        painter.circle_filled(at, if in_hand { 9.0 } else { 7.0 }, RIM);
        painter.circle_filled(
            at,
            if in_hand { 7.0 } else { 5.0 },
            if in_hand { CHOSEN } else { Color32::WHITE },
        );
        if response.clicked() {
            correcting.corner = i;
        }
        if response.dragged() {
            correcting.corner = i;
            let to = response.interact_pointer_pos().unwrap_or(at);
            let to = placement.image_from_window(to);
            let change = Change::MoveCorner(index, i, to);
            edit = Some(if response.drag_started() {
                Edit::Change(change)
            } else {
                Edit::Amend(change)
            });
        }
        if response.drag_stopped() {
            edit = Some(Edit::Settle);
        }
    }
    edit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_exchanged() {
        let card: Card = "2spd".parse().unwrap();
        assert_eq!(with(card, Property::Color, 2).to_string(), "2srd");
        assert_eq!(with(card, Property::Number, 0).to_string(), "1spd");
    }
}
