//! The cards in their groups: each value of a property with the cards that photos show. A card is
//! dragged to where it belongs, or chosen and put there.

use super::work::{CUT_PX, Cut, Job, Standing};
use crate::shared::words::{Word, t};
use crate::{photos::welcome::name_of, shared::theme::CHOSEN};
use eframe::egui::{
    Button, Color32, Frame, Id, LayerId, Order, Pos2, Rect, Role, Sense, Stroke, StrokeKind,
    TextEdit, TextureHandle, TextureOptions, Ui, Vec2, WidgetInfo, pos2, vec2,
};
use setsight_decks::Place;
use setsight_game::cards::{Deck, Property};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Width of a card's picture, in points.
const CUT_WIDTH: f32 = 72.0;
/// Below this width, in points, groups lie one below the other.
const NARROW: f32 = 560.0;

pub(crate) struct GroupsView {
    property: Property,
    chosen: Option<Place>,
    textures: HashMap<String, TextureHandle>,
}

impl Default for GroupsView {
    fn default() -> Self {
        Self { property: Property::Shape, chosen: None, textures: HashMap::new() }
    }
}

/// Where a card lies, in words.
pub(crate) fn place_words(place: &Place) -> String {
    let photo = name_of(Path::new(&place.photo));
    t!("place-of-card", column = place.column, row = place.row, photo = photo)
}

impl GroupsView {
    /// No card is chosen any more. Whether one was.
    pub(crate) fn let_go(&mut self) -> bool {
        self.chosen.take().is_some()
    }

    /// Shows them. What is to be done.
    pub(crate) fn show(
        &mut self,
        ui: &mut Ui,
        standing: &Standing,
        names: &mut ValueNames,
    ) -> Option<Job> {
        let mut job = None;
        if standing.one_fill && self.property == Property::Shading {
            self.property = Property::Shape;
        }
        ui.horizontal_wrapped(|ui| {
            for (property, word) in [
                (Property::Shape, Word("outlines")),
                (Property::Shading, Word("fills")),
                (Property::Color, Word("inks")),
            ] {
                if !(standing.one_fill && property == Property::Shading) {
                    ui.selectable_value(&mut self.property, property, word.say());
                }
            }
        });
        self.chosen.take_if(|chosen| !standing.cards.iter().any(|cut| cut.place == *chosen));
        match self.chosen.clone() {
            None => {
                ui.weak(t!("groups-help"));
            }
            Some(chosen) => {
                ui.horizontal_wrapped(|ui| {
                    ui.label(t!("chosen-card", place = place_words(&chosen)));
                    if ui.button(t!("leave-card-out")).clicked() {
                        job = Some(Job::LeaveOut(chosen));
                    }
                    if ui.button(t!("choose-none")).clicked() {
                        self.chosen = None;
                    }
                });
            }
        }
        if ui.available_width() < NARROW {
            for value in 0..3 {
                job = self.group(ui, standing, value, names).or(job);
            }
        } else {
            ui.columns(3, |columns| {
                for (value, ui) in columns.iter_mut().enumerate() {
                    job = self.group(ui, standing, value, names).or(job.take());
                }
            });
        }
        job
    }

    fn group(
        &mut self,
        ui: &mut Ui,
        standing: &Standing,
        value: usize,
        names: &mut ValueNames,
    ) -> Option<Job> {
        let (property, mut job) = (self.property, None);
        let at = Property::ALL.iter().position(|of| *of == property).unwrap_or(0);
        let mut cuts: Vec<&Cut> =
            standing.cards.iter().filter(|cut| cut.values[at] == value).collect();
        // Cards that look alike lie together, so that one in the wrong group shows.
        cuts.sort_by_key(|cut| (cut.values[1], cut.values[3], cut.values[2], cut.values[0]));
        let held = eframe::egui::DragAndDrop::payload::<Place>(ui.ctx());
        let inside = Frame::group(ui.style()).show(ui, |ui| {
            ui.set_width(ui.available_width());
            let name = names.name(standing.deck.as_deref(), property, value);
            ui.horizontal(|ui| {
                // A real card: what is drawn by a fill's name may look like none of them.
                if let Some(cut) = cuts.iter().min_by_key(|cut| cut.values[0]) {
                    self.example(ui, cut, &name);
                }
                let mut text = name.clone();
                let width = ui.available_width();
                let field = TextEdit::singleline(&mut text).desired_width(width).char_limit(40);
                let field = ui.add(field);
                field.widget_info(|| {
                    let label = t!("name-of-value", n = value + 1);
                    WidgetInfo::labeled(Role::TextInput, true, label)
                });
                if field.changed() {
                    names.put(property, value, text);
                }
            });
            if let Some(chosen) =
                self.chosen.as_ref().filter(|chosen| !cuts.iter().any(|cut| cut.place == **chosen))
                && ui.add(Button::new(t!("put-here", name = name.as_str()))).clicked()
            {
                job = Some(Job::Put(chosen.clone(), property, value));
            }
            ui.weak(t!("count-cards", n = cuts.len()));
            ui.horizontal_wrapped(|ui| {
                ui.spacing_mut().item_spacing = vec2(4.0, 4.0);
                for cut in &cuts {
                    self.cut(ui, cut);
                }
            });
        });
        let response = inside.response;
        if let Some(place) = held
            && response.contains_pointer()
            && !cuts.iter().any(|cut| cut.place == *place)
        {
            let line = Stroke::new(2.0, CHOSEN);
            ui.painter().rect_stroke(response.rect, 6.0, line, StrokeKind::Inside);
            if response.dnd_release_payload::<Place>().is_some() {
                job = Some(Job::Put(Place::clone(&place), property, value));
            }
        }
        job
    }

    /// A card of the group, as a photo shows it.
    fn example(&mut self, ui: &mut Ui, cut: &Cut, name: &str) {
        let (rect, response) = ui.allocate_exact_size(cut_size(), Sense::hover());
        response.widget_info(|| {
            WidgetInfo::labeled(Role::Image, true, t!("example-of-value", name = name))
        });
        paint(ui.painter(), self.texture(ui, cut), rect);
    }

    fn texture(&mut self, ui: &Ui, cut: &Cut) -> &TextureHandle {
        self.textures.entry(cut.place.to_string()).or_insert_with(|| {
            ui.ctx().load_texture("cut", (*cut.picture).clone(), TextureOptions::LINEAR)
        })
    }

    /// A card as a photo shows it: to be dragged, or chosen.
    fn cut(&mut self, ui: &mut Ui, cut: &Cut) {
        let size = cut_size();
        let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
        let chosen = self.chosen.as_ref() == Some(&cut.place);
        response.widget_info(|| {
            WidgetInfo::selected(Role::Button, true, chosen, place_words(&cut.place))
        });
        response.dnd_set_drag_payload(cut.place.clone());
        if response.clicked() {
            self.chosen = (!chosen).then(|| cut.place.clone());
        }
        if !ui.is_rect_visible(rect) && !response.dragged() {
            return;
        }
        let texture = self.texture(ui, cut);
        paint(ui.painter(), texture, rect);
        if chosen || response.has_focus() || response.hovered() {
            let line = Stroke::new(if chosen { 3.0 } else { 1.5 }, CHOSEN);
            ui.painter().rect_stroke(rect, 3.0, line, StrokeKind::Outside);
        }
        if response.dragged()
            && let Some(at) = ui.ctx().pointer_interact_pos()
        {
            let layer = LayerId::new(Order::Tooltip, Id::unique("dragged-card"));
            let painter = ui.ctx().layer_painter(layer);
            paint(&painter, texture, Rect::from_center_size(at, size));
        }
        response.on_hover_text(place_words(&cut.place));
    }
}

/// Size of a card's picture, in points.
fn cut_size() -> Vec2 {
    vec2(CUT_WIDTH, CUT_WIDTH * CUT_PX.1 as f32 / CUT_PX.0 as f32)
}

fn paint(painter: &eframe::egui::Painter, texture: &TextureHandle, rect: Rect) {
    let all = Rect::from_min_max(Pos2::ZERO, pos2(1.0, 1.0));
    painter.image(texture.id(), rect, all, Color32::WHITE);
}

/// Names that a person has given.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValueNames(BTreeMap<(&'static str, usize), String>);

impl ValueNames {
    /// A person names a value.
    pub(crate) fn put(&mut self, property: Property, value: usize, name: String) {
        self.0.insert((property.word(), value), name);
    }

    pub(crate) fn name(&self, deck: Option<&Deck>, property: Property, value: usize) -> String {
        match self.0.get(&(property.word(), value)) {
            Some(name) => name.clone(),
            None => usual(deck, property, value),
        }
    }

    /// The deck with these names; what has none is called as it looks.
    pub(crate) fn given_to(&self, mut deck: Deck) -> Deck {
        let drawn = deck.clone();
        let name = |property: Property, value: usize| {
            let name = self.name(Some(&drawn), property, value).trim().to_owned();
            if name.is_empty() { usual(Some(&drawn), property, value) } else { name }
        };
        let one_fill = deck.has_one_fill();
        for value in 0..3 {
            deck.shapes[value].name = name(Property::Shape, value);
            deck.inks[value].name = name(Property::Color, value);
            deck.fills[value].name = name(Property::Shading, if one_fill { 0 } else { value });
        }
        deck
    }
}

/// What a value looks like. Outlines are counted: nobody knows what they are.
fn usual(deck: Option<&Deck>, property: Property, value: usize) -> String {
    if property == Property::Shape {
        return t!("usual-value", n = value + 1);
    }
    // Before the deck has been drawn nobody knows what fills and inks look like.
    let Some(deck) = deck else { return t!("usual-group", n = value + 1) };
    let name = fill_or_ink(deck, property, value);
    let alone = deck.has_one_fill() && property == Property::Shading
        || (0..3).all(|other| other == value || fill_or_ink(deck, property, other) != name);
    if alone { name } else { t!("numbered-value", name = name, n = value + 1) }
}

/// What a fill is, or an ink, in words.
fn fill_or_ink(deck: &Deck, property: Property, value: usize) -> String {
    if property == Property::Shading {
        return t!("fill-kind", kind = deck.fills[value].fill.kind.name());
    }
    // Two of one name are numbered in the deck.
    let name = deck.inks[value].name.trim_end_matches(|c: char| c.is_ascii_digit());
    t!("ink-name", ink = name.trim().replace(' ', "-"))
}
