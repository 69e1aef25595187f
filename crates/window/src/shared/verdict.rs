//! Why three cards are a set, or not: in words, with a tick or a cross, drawn, since the fonts of the window have
//! none; and on the picture itself, where what the words are about is circled on the cards.

use crate::shared::theme::{CHOSEN, GOOD, RIM};
use crate::shared::{
    look::{Look, Mode},
    names, overlay,
    picture::{Placement, bounds, corners_of},
    table::Table,
    words::t,
};
use eframe::egui::{
    Color32, FontId, Painter, Pos2, Rect, RichText, Role, Sense, Shape, Stroke, Ui, Vec2,
    WidgetInfo, vec2,
};
use setsight_game::cards::{Deck, Property};
use setsight_game::sets::{Verdict, explain};
use setsight_photo::geometry::Quad;
use std::{f32::consts::TAU, time::Duration};

/// A verdict on cards of a deck: property by property, then in a word.
pub(crate) fn verdict_lines(ui: &mut Ui, deck: &Deck, verdict: &Verdict) {
    property_lines(ui, deck, verdict);
    ui.add_space(2.0);
    if verdict.is_set() {
        ui.label(RichText::new(names::verdict(verdict)).heading().color(good_color(ui)));
    } else {
        ui.label(RichText::new(names::verdict(verdict)).size(18.0));
    }
}

pub(crate) fn property_lines(ui: &mut Ui, deck: &Deck, verdict: &Verdict) {
    for (property, relation) in Property::ALL.into_iter().zip(verdict.relations) {
        let good = relation.fits() && !verdict.repeated;
        ui.horizontal_wrapped(|ui| {
            let color = if good { good_color(ui) } else { ui.visuals().error_fg_color };
            sign(ui, good, color);
            ui.strong(names::property(property));
            ui.label(names::relation(deck, property, relation));
        });
    }
}

/// Green that can be read on the window's ground.
pub(crate) fn good_color(ui: &Ui) -> Color32 {
    if ui.visuals().dark_mode {
        Color32::from_rgb(88, 206, 160)
    } else {
        GOOD.gamma_multiply(0.8).to_opaque()
    }
}

/// A tick around a point, so many points wide.
pub(crate) fn tick(painter: &Painter, center: Pos2, size: f32, color: Color32) {
    let points =
        [(-0.42, 0.02), (-0.12, 0.32), (0.42, -0.32)].map(|(x, y)| center + vec2(x, y) * size);
    let points = points.to_vec();
    painter.add(Shape::line(points, Stroke::new((0.16 * size).max(1.5), color)));
}

/// A cross around a point, so many points wide.
pub(crate) fn cross(painter: &Painter, center: Pos2, size: f32, color: Color32) {
    let stroke = Stroke::new((0.14 * size).max(1.5), color);
    for slope in [-1.0, 1.0] {
        let arm = vec2(0.36, 0.36 * slope) * size;
        painter.line_segment([center - arm, center + arm], stroke);
    }
}

/// A tick or a cross in the line of text, named for screen readers.
pub(crate) fn sign(ui: &mut Ui, good: bool, color: Color32) {
    let (rect, response) = ui.allocate_exact_size(vec2(16.0, 18.0), Sense::hover());
    let name = if good { t!("fits") } else { t!("does-not-fit") };
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
    let draw = if good { tick } else { cross };
    draw(ui.painter(), rect.center(), 15.0, color);
}

/// From a property to the next, in seconds.
const LINE_SECONDS: f64 = 1.2;
/// Half the axes of a circle round a symbol, in times the card's sides.
const AXES: Vec2 = vec2(0.14, 0.43);
const POINTS: usize = 40;
/// From a card's lower edge to its middle, where a name is tried.
const STEPS: usize = 24;

/// Circles what makes the three cards that are asked about a set, a property after the other, round and round; of
/// three that are none what spoils it. Where the picture stands alone, the verdict is written on it, too.
pub(crate) fn paint(ui: &Ui, placement: &Placement, table: &Table, look: &Look, alone: bool) {
    let Some(cards) = look.asked_about(table) else { return };
    let verdict = explain(cards.map(|place| table.cards[place].card));
    if alone && look.mode == Mode::Learn {
        let painter = ui.painter_at(placement.room);
        overlay::caption(&painter, placement.room, &names::verdict(&verdict));
    }
    let all = Property::ALL.into_iter().zip(verdict.relations);
    let properties: Vec<Property> =
        all.filter(|(_, relation)| verdict.is_set() || !relation.fits()).map(|(p, _)| p).collect();
    let turn = (ui.input(|input| input.time) / LINE_SECONDS) as usize;
    let Some(property) = properties.get(turn % properties.len().max(1)) else { return };
    if properties.len() > 1 {
        ui.ctx().request_repaint_after(Duration::from_secs_f64(LINE_SECONDS));
    }
    let painter = ui.painter_at(placement.room);
    for place in cards {
        circle(&painter, placement, table, place, *property);
    }
}

/// Circles on a card what shows its value of a property, and names the value at its lower edge.
fn circle(
    painter: &Painter,
    placement: &Placement,
    table: &Table,
    place: usize,
    property: Property,
) {
    let (card, deck) = (&table.cards[place], table.deck());
    let corners = placement.quad(&card.corners_in_image);
    let [a, b, c, d] = corners;
    let symbols = deck.symbol_centers(card.card.number);
    // Number is what all of them show; anything else each shows.
    let shown = if property == Property::Number { symbols.len() } else { 1 };
    for x in symbols.iter().take(shown) {
        let points: Vec<Pos2> = (0..POINTS)
            .map(|n| Vec2::angled(n as f32 * TAU / POINTS as f32) * AXES)
            .map(|off| vec2(0.5 + *x as f32, 0.5) + off)
            .map(|at| a.lerp(b, at.x).lerp(d.lerp(c, at.x), at.y))
            .collect();
        painter.add(Shape::closed_line(points.clone(), Stroke::new(6.0, RIM)));
        painter.add(Shape::closed_line(points, Stroke::new(3.0, CHOSEN)));
    }
    let value = names::value(&deck, property, card.card.value(property));
    // As high as the margin below the symbols, as far as it can be read then.
    let height = (0.13 * (d - a).length().min((b - a).length())).clamp(9.0, 18.0);
    let galley = painter.layout_no_wrap(value, FontId::proportional(height), RIM);
    let ground = on_card(placement, &card.corners_in_image, galley.size() + vec2(8.0, 2.0));
    if let Some(ground) = ground {
        painter.rect_filled(ground, 4.0, CHOSEN);
        painter.galley(ground.center() - galley.size() / 2.0, galley, RIM);
    }
}

/// Where something of this size lies on a card, as near to the middle of its lower edge as it goes; none
/// where it is larger than what is seen of the card.
fn on_card(placement: &Placement, card: &Quad, size: Vec2) -> Option<Rect> {
    let corners = placement.quad(card);
    let middles = (0..4).map(|i| corners[i].lerp(corners[(i + 1) % 4], 0.5));
    let lowest = middles.max_by(|a, b| a.y.total_cmp(&b.y))?;
    let center = bounds(&corners).center();
    let mut places = (0..=STEPS)
        .map(|n| Rect::from_center_size(lowest.lerp(center, n as f32 / STEPS as f32), size));
    places.find(|ground| {
        let mut corners = corners_of(*ground).into_iter();
        placement.room.contains_rect(*ground)
            && corners.all(|corner| card.contains(placement.image_from_window(corner)))
    })
}
