//! The panel and the handles with which cards are corrected.

use crate::photos::correct::{Change, Refusal};
use crate::shared::card_face::{self, ASPECT};
use crate::shared::keys::{Action, key_of};
use crate::shared::look_panel::scrolled;
use crate::shared::names;
use crate::shared::placement::Placement;
use crate::shared::settings::Settings;
use crate::shared::table::Table;
use crate::shared::theme::{CHOSEN, RIM};
use crate::shared::words::t;
use eframe::egui::{
    Button, Color32, CursorIcon, Event, Id, RichText, Role, Sense, Shape, Stroke, TextureHandle,
    Ui, WidgetInfo, vec2,
};
use setsight_game::cards::{Card, Color, Deck, Property, Shading};
use setsight_photo::geometry::Point;
use std::time::Duration;

/// Letters of a code that are longer ago than this begin a new one.
const TYPING_PAUSE: Duration = Duration::from_secs(3);
/// Narrower than this, in points, a button does not hold the word for a value.
const LEAST_VALUE: f32 = 62.0;
/// How far a key moves a corner, in pixels of the photo.
const NUDGE_PX: f64 = 1.0;

/// What is being corrected.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Correcting {
    /// The card in hand.
    pub selected: Option<usize>,
    /// The corner of it that keys move.
    pub corner: usize,
    /// The next click says where a missed card lies.
    pub adding: bool,
    /// The letters typed so far, and when the last one came.
    typed: String,
    typed_at: f64,
    /// What stands in the way of the last change.
    pub clash: Option<(Change, Refusal)>,
    /// This card is to take the keyboard's focus.
    pub focus: Option<usize>,
}

/// A change that is wanted, and whether it only goes on with the one before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Edit {
    /// This change.
    Change(Change),
    /// The same drag goes on.
    Amend(Change),
    /// It has ended.
    Settle,
    /// Back to what the reader found.
    StartOver,
    /// Take back.
    Undo,
    /// Make again.
    Redo,
}

impl Correcting {
    /// After the table has changed.
    pub fn fit(&mut self, table: &Table) {
        self.selected = self.selected.filter(|&i| i < table.cards.len());
    }

    /// Takes a card in hand.
    pub fn select(&mut self, card: Option<usize>) {
        if self.selected != card {
            *self = Self { selected: card, adding: self.adding, ..Self::default() };
        }
    }

    /// What a key asks for.
    pub fn act(&mut self, action: Action, table: &Table) -> Option<Edit> {
        match action {
            Action::CardLeft | Action::CardRight | Action::CardUp | Action::CardDown => {
                let next = next_card(table, self.selected, action);
                self.select(next);
                self.focus = next;
            }
            Action::AllRight => return Some(Edit::Change(Change::AllRight)),
            Action::StartOver => return Some(Edit::StartOver),
            Action::Clear => {
                self.adding = false;
                self.select(None);
            }
            Action::AddCard => self.adding = !self.adding,
            Action::Undo => return Some(Edit::Undo),
            Action::Redo => return Some(Edit::Redo),
            Action::NextCorner => self.corner = (self.corner + 1) % 4,
            Action::Confirm => return Some(Edit::Change(Change::Confirm(self.selected?))),
            Action::Strike => return Some(Edit::Change(Change::Strike(self.selected?))),
            Action::CornerLeft => return self.nudge(table, -NUDGE_PX, 0.0),
            Action::CornerRight => return self.nudge(table, NUDGE_PX, 0.0),
            Action::CornerUp => return self.nudge(table, 0.0, -NUDGE_PX),
            Action::CornerDown => return self.nudge(table, 0.0, NUDGE_PX),
            _ => {}
        }
        None
    }

    fn nudge(&self, table: &Table, dx: f64, dy: f64) -> Option<Edit> {
        let card = self.selected?;
        let at = table.cards.get(card)?.corners_in_image.0[self.corner];
        let change = Change::MoveCorner(card, self.corner, at + Point::new(dx, dy));
        Some(Edit::Change(change))
    }

    /// Letters of a code as they are typed: four make a card.
    pub fn typing(&mut self, ui: &Ui) -> Option<Edit> {
        let (texts, now) = ui.input(|input| {
            let texts = input.events.iter().filter_map(|event| match event {
                Event::Text(text) => Some(text.clone()),
                _ => None,
            });
            (texts.collect::<String>(), input.time)
        });
        let card = self.selected?;
        let mut edit = None;
        for letter in texts.chars() {
            if let Some(is) = self.type_letter(letter, now) {
                edit = Some(Edit::Change(Change::Be(card, is)));
            }
        }
        edit
    }

    /// Takes a letter, at a time in seconds; the card when it was the fourth that fits.
    fn type_letter(&mut self, letter: char, now: f64) -> Option<Card> {
        if now - self.typed_at > TYPING_PAUSE.as_secs_f64() {
            self.typed.clear();
        }
        let fits = |typed: &str| {
            let place = typed.chars().count() - 1;
            let letter = typed.chars().last().expect("just put there");
            match place {
                0 => setsight_game::cards::Number::from_letter(letter).is_some(),
                1 => Shading::from_letter(letter).is_some(),
                2 => Color::from_letter(letter).is_some(),
                _ => setsight_game::cards::Shape::from_letter(letter).is_some(),
            }
        };
        self.typed.push(letter);
        self.typed_at = now;
        if !fits(&self.typed) {
            // A number begins a new code, whatever came before.
            self.typed.clear();
            self.typed.push(letter);
            if !fits(&self.typed) {
                self.typed.clear();
            }
            return None;
        }
        let card = self.typed.parse().ok()?;
        self.typed.clear();
        Some(card)
    }
}

/// The card that an arrow leads to: what lies there, or to the left and right at a row's end the next
/// one as one reads.
pub fn next_card(table: &Table, from: Option<usize>, arrow: Action) -> Option<usize> {
    let order = table.reading_order();
    let Some(from) = from.filter(|&card| card < table.cards.len()) else {
        let last = matches!(arrow, Action::CardLeft | Action::CardUp);
        return if last { order.last().copied() } else { order.first().copied() };
    };
    let (direction, step) = match arrow {
        Action::CardLeft => ((-1.0, 0.0), order.len() - 1),
        Action::CardRight => ((1.0, 0.0), 1),
        Action::CardUp => ((0.0, -1.0), 0),
        _ => ((0.0, 1.0), 0),
    };
    let at = order.iter().position(|&card| card == from)?;
    table.towards(from, direction).or(Some(order[(at + step) % order.len()]))
}

/// What the panel is given to show.
pub struct Shown<'a> {
    /// The cards.
    pub table: &'a Table,
    /// How the photo shows the card in hand, straightened.
    pub straight: Option<&'a TextureHandle>,
    /// Whether there is anything to undo, and to redo.
    pub steps: (bool, bool),
    /// Whether anything is written of this photo.
    pub said: bool,
    /// Whether it is another card than the reader found that lies at one of the places, or elsewhere.
    pub differs: bool,
}

/// The panel. What is wished for.
pub fn panel(
    ui: &mut Ui,
    correcting: &mut Correcting,
    shown: &Shown<'_>,
    settings: &Settings,
) -> Option<Edit> {
    let table = shown.table;
    correcting.fit(table);
    let mut edit = None;
    ui.horizontal_wrapped(|ui| {
        let adding = Button::selectable(correcting.adding, t!("add-a-card"));
        if ui.add(adding).on_hover_text(t!("add-a-card-help")).clicked() {
            correcting.adding = !correcting.adding;
        }
        let (undo, redo) = shown.steps;
        if ui.add_enabled(undo, Button::new(t!("undo"))).clicked() {
            edit = Some(Edit::Undo);
        }
        if ui.add_enabled(redo, Button::new(t!("redo"))).clicked() {
            edit = Some(Edit::Redo);
        }
        let back = ui.add_enabled(shown.differs, Button::new(t!("as-found")));
        let tip = t!("as-found-help", key = key_of(Action::StartOver));
        if back.on_hover_text(tip).clicked() {
            edit = Some(Edit::StartOver);
        }
    });
    ui.horizontal_wrapped(|ui| {
        if table.checked {
            let good = crate::shared::verdict::good_color(ui);
            crate::shared::signs::verdict(ui, true, good);
            ui.label(t!("person-checked"));
        } else {
            let right = ui.add_enabled(!table.cards.is_empty(), Button::new(t!("all-right")));
            let right = right.on_hover_text(t!("all-right-help", key = key_of(Action::AllRight)));
            if right.clicked() {
                edit = Some(Edit::Change(Change::AllRight));
            }
        }
    });
    if correcting.adding {
        ui.label(t!("click-the-missed"));
    }
    if let Some((change, refusal)) = correcting.clash {
        ui.label(RichText::new(refused(refusal, table)).color(ui.visuals().warn_fg_color));
        if let (Change::Be(card, _) | Change::Confirm(card), Refusal::LiesThere(other)) =
            (change, refusal)
            && ui.button(t!("swap")).clicked()
        {
            edit = Some(Edit::Change(Change::Swap(card, other)));
        }
    }
    let Some(index) = correcting.selected else {
        ui.label(t!("click-the-wrong"));
        if table.unsure() > 0 {
            ui.add_space(4.0);
            ui.strong(t!("unsure-list"));
            scrolled(ui, |ui| {
                for i in (0..table.cards.len()).filter(|&i| table.cards[i].unsure) {
                    if ui.button(table.describe(i)).clicked() {
                        correcting.select(Some(i));
                    }
                }
            });
        } else if shown.said {
            ui.weak(t!("every-change-saved"));
        }
        return edit;
    };
    let card = table.cards[index].card;
    scrolled(ui, |ui| {
        ui.strong(table.describe(index));
        ui.horizontal(|ui| {
            let size = vec2(((ui.available_width() - 8.0) / 2.0).min(150.0), 0.0);
            let size = vec2(size.x, size.x / ASPECT);
            if let Some(texture) = shown.straight {
                let image = eframe::egui::Image::new((texture.id(), size));
                ui.add(image)
                    .on_hover_text(t!("as-in-the-photo"))
                    .accessible_name(t!("card-as-in-the-photo"));
            }
            let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
            response.widget_info(|| {
                let card = names::card(&table.deck(), card);
                WidgetInfo::labeled(Role::Image, true, t!("drawn", card = card))
            });
            card_face::paint_of(ui.painter(), rect, &table.deck(), card, settings);
        });
        for property in Property::ALL {
            if let Some(value) = values(ui, &table.deck(), (property, card), settings) {
                edit = Some(Edit::Change(Change::Be(index, with(card, property, value))));
            }
        }
        ui.add_space(2.0);
        ui.horizontal_wrapped(|ui| {
            if ui
                .add_enabled(!table.said[index], Button::new(t!("it-is-right")))
                .on_hover_text(t!("key-hover", key = key_of(Action::Confirm)))
                .clicked()
            {
                edit = Some(Edit::Change(Change::Confirm(index)));
            }
            let tip = t!("strike-help", key = key_of(Action::Strike));
            if ui.button(t!("strike")).on_hover_text(tip).clicked() {
                edit = Some(Edit::Change(Change::Strike(index)));
            }
            let tip = t!("key-hover", key = key_of(Action::Clear));
            if ui.button(t!("done")).on_hover_text(tip).clicked() {
                correcting.select(None);
            }
        });
        let typed: &str = if correcting.typed.is_empty() { "2 s p d" } else { &correcting.typed };
        ui.weak(t!("or-type", letters = typed));
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
        let font = eframe::egui::FontId::proportional(13.0);
        let galleys = [0, 1, 2].map(|value| {
            let (word, color) = (names::value(deck, property, value), Color32::PLACEHOLDER);
            ui.painter().layout_no_wrap(word, font.clone(), color)
        });
        // Beside the drawn card, or under it where one of the words is too long for that.
        let widest = galleys.iter().map(|galley| galley.size().x).fold(0.0, f32::max);
        let beside = 49.0 + widest + 4.0 <= width;
        for (value, galley) in galleys.into_iter().enumerate() {
            let selected = card.value(property) == value;
            let size = vec2(width, 46.0);
            let (rect, response) = ui.allocate_exact_size(size, Sense::click());
            let word = names::value(deck, property, value);
            response.widget_info(|| {
                let name =
                    t!("value-button", property = names::property(property), value = word.as_str());
                WidgetInfo::selected(Role::Button, true, selected, name)
            });
            let visuals = ui.style().interact_selectable(&response, selected);
            let painter = ui.painter();
            painter.rect(
                rect,
                8.0,
                visuals.weak_bg_fill,
                visuals.bg_stroke,
                eframe::egui::StrokeKind::Inside,
            );
            // What the card would look like, on its own white.
            let words = galley.size();
            let (paper, at) = if beside {
                let middle = rect.left_center();
                (card_at(middle + vec2(24.0, 0.0), 40.0), middle + vec2(49.0, -words.y / 2.0))
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
fn card_at(center: eframe::egui::Pos2, width: f32) -> eframe::egui::Rect {
    eframe::egui::Rect::from_center_size(center, vec2(width, width / ASPECT))
}

/// The card with another value of a property.
fn with(card: Card, property: Property, value: usize) -> Card {
    let index = Property::ALL
        .into_iter()
        .fold(0, |index, p| index * 3 + if p == property { value } else { card.value(p) });
    Card::from_index(index)
}

fn refused(refusal: Refusal, table: &Table) -> String {
    match refusal {
        Refusal::LiesThere(other) => {
            let name = |card: &setsight_vision::ReadCard| names::card(&table.deck(), card.card);
            let name = table.cards.get(other).map_or_else(String::new, name);
            t!("lies-there", n = other + 1, name = name)
        }
        Refusal::BothAre(one, other) => t!("both-are", one = one + 1, other = other + 1),
        Refusal::Twisted => t!("twisted"),
        Refusal::NoCard => t!("no-such-card"),
        Refusal::DeckIsOut => t!("deck-is-out"),
    }
}

/// Paints the card in hand and handles on its corners; the corner that is dragged.
pub fn handles(
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
        let rect = eframe::egui::Rect::from_center_size(at, vec2(24.0, 24.0));
        let response = ui.interact(rect, id.with(("corner", i)), Sense::click_and_drag());
        response.widget_info(|| {
            let name = t!("corner-of", n = i + 1, card = index + 1);
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
    use crate::shared::table::tests::table_of;

    #[test]
    fn four_letters_make_a_card() {
        let mut correcting = Correcting::default();
        let mut kinds = |text: &str, at: f64| {
            text.chars()
                .filter_map(|c| correcting.type_letter(c, at))
                .map(|c| c.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(kinds("2spd", 1.0), ["2spd"]);
        assert_eq!(kinds("2s", 2.0), Vec::<String>::new());
        assert_eq!(kinds("pd", 2.5), ["2spd"], "in one go");
        assert_eq!(kinds("2s", 4.0), Vec::<String>::new());
        assert_eq!(kinds("pd", 60.0), Vec::<String>::new(), "after a pause it is another code");
        assert_eq!(kinds("2x13FrO", 61.0), ["3fro"], "a slip begins anew");
    }

    #[test]
    fn keys_go_round_the_cards_and_ask_for_changes() {
        let table = table_of("1fgd 2fgd 3srs");
        let mut correcting = Correcting::default();
        assert_eq!(correcting.act(Action::Strike, &table), None);
        correcting.act(Action::CardRight, &table);
        assert_eq!(correcting.selected, Some(0));
        correcting.act(Action::CardLeft, &table);
        assert_eq!(correcting.selected, Some(2), "round and round");
        assert_eq!(correcting.act(Action::Strike, &table), Some(Edit::Change(Change::Strike(2))));
        correcting.act(Action::NextCorner, &table);
        let corner = table.cards[2].corners_in_image.0[1];
        let right = Change::MoveCorner(2, 1, corner + Point::new(NUDGE_PX, 0.0));
        assert_eq!(correcting.act(Action::CornerRight, &table), Some(Edit::Change(right)));
        correcting.fit(&table_of("1fgd"));
        assert_eq!(correcting.selected, None);
    }

    #[test]
    fn a_value_is_exchanged() {
        let card: Card = "2spd".parse().unwrap();
        assert_eq!(with(card, Property::Color, 2).to_string(), "2srd");
        assert_eq!(with(card, Property::Number, 0).to_string(), "1spd");
    }
}
