//! Why three cards are a set, or not: in words, with a tick or a cross, drawn, since the fonts of the window have
//! none; and on the picture itself, where four lines come one after the other, and what each is about is circled
//! on the cards.

use crate::shared::theme::{CHOSEN, GOOD, RIM};
use crate::shared::{look::Look, names, picture::Placement, table::Table, words::t};
use eframe::egui::{
    Align2, Color32, FontId, Id, Painter, Pos2, Rect, RichText, Role, Sense, Shape, Stroke, Ui,
    Vec2, WidgetInfo, pos2, vec2,
};
use setsight_game::cards::{Deck, Property};
use setsight_game::sets::{Verdict, explain};
use std::{f32::consts::TAU, time::Duration};

/// A verdict on cards of a deck: property by property, then in a word.
pub(crate) fn verdict_lines(ui: &mut Ui, deck: &Deck, verdict: &Verdict) {
    for (property, relation) in Property::ALL.into_iter().zip(verdict.relations) {
        let good = relation.fits() && !verdict.repeated;
        ui.horizontal_wrapped(|ui| {
            let color = if good { good_color(ui) } else { ui.visuals().error_fg_color };
            sign(ui, good, color);
            ui.strong(names::property(property));
            ui.label(names::relation(deck, property, relation));
        });
    }
    ui.add_space(2.0);
    if verdict.is_set() {
        ui.label(RichText::new(names::verdict(verdict)).heading().color(good_color(ui)));
    } else {
        ui.label(RichText::new(names::verdict(verdict)).size(18.0));
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
    let at = |x: f32, y: f32| center + vec2(x, y) * size;
    let points = vec![at(-0.42, 0.02), at(-0.12, 0.32), at(0.42, -0.32)];
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

/// From a line to the next, in seconds.
const LINE_SECONDS: f64 = 1.2;
/// Half the axes of a circle round a symbol, in times the card's sides.
const AXES: Vec2 = vec2(0.14, 0.43);
/// Points of a circle.
const POINTS: usize = 40;
/// A cross on a dark ground.
const WRONG: Color32 = Color32::from_rgb(255, 140, 128);

/// Paints the lines for the three cards that are asked about, if there are three.
pub(crate) fn paint(ui: &Ui, placement: &Placement, table: &Table, look: &Look) {
    let (id, now) = (Id::unique("why"), ui.input(|input| input.time));
    let Some(cards) = look.asked_about(table) else {
        return ui.data_mut(|data| data.remove::<([usize; 3], f64)>(id));
    };
    let since = ui.data_mut(|data| {
        let asked = data.get_temp_mut_or_insert_with(id, || (cards, now));
        if asked.0 != cards {
            *asked = (cards, now);
        }
        asked.1
    });
    let lines = ((now - since) / LINE_SECONDS) as usize + 1;
    if lines <= Property::ALL.len() {
        ui.ctx().request_repaint_after(Duration::from_secs_f64(LINE_SECONDS));
    }
    let verdict = explain(cards.map(|place| table.cards[place].card));
    let painter = ui.painter_at(placement.room);
    // At the end what spoils it stays circled.
    let spoils = || verdict.relations.iter().position(|relation| !relation.fits());
    let circled = if lines <= 4 { Some(lines - 1) } else { spoils() };
    if let Some(property) = circled {
        for place in cards {
            circle(&painter, placement, table, place, Property::ALL[property]);
        }
    }
    let deck = table.deck();
    let told = Property::ALL.into_iter().zip(verdict.relations).take(lines);
    let told: Vec<(bool, String)> = told
        .map(|(property, relation)| {
            let words = names::relation(&deck, property, relation);
            let property = names::property(property);
            let line = t!("property-values", property = property, values = words);
            (relation.fits() && !verdict.repeated, line)
        })
        .collect();
    tell(&painter, placement.room, &told);
}

/// Circles on a card what shows its value of a property, and names the value.
fn circle(
    painter: &Painter,
    placement: &Placement,
    table: &Table,
    place: usize,
    property: Property,
) {
    let (card, deck) = (&table.cards[place], table.deck());
    let [a, b, c, d] = placement.quad(&card.corners_in_image);
    let at = |x: f32, y: f32| a.lerp(b, x).lerp(d.lerp(c, x), y);
    let symbols = deck.symbol_centers(card.card.number);
    // Number is what all of them show; anything else each shows.
    let shown = if property == Property::Number { symbols.len() } else { 1 };
    for x in symbols.iter().take(shown) {
        let turn = |n: usize| Vec2::angled(n as f32 * TAU / POINTS as f32) * AXES;
        let point = |n: usize| at(0.5 + *x as f32 + turn(n).x, 0.5 + turn(n).y);
        let points: Vec<Pos2> = (0..POINTS).map(point).collect();
        painter.add(Shape::closed_line(points.clone(), Stroke::new(6.0, RIM)));
        painter.add(Shape::closed_line(points, Stroke::new(3.0, CHOSEN)));
    }
    let value = names::value(&deck, property, card.card.value(property));
    let galley = painter.layout_no_wrap(value, FontId::proportional(14.0), RIM);
    let ground = Align2::CENTER_CENTER.anchor_size(at(0.5, 1.0), galley.size() + vec2(12.0, 4.0));
    painter.rect_filled(ground, 6.0, CHOSEN);
    painter.galley(ground.center() - galley.size() / 2.0, galley, RIM);
}

/// The lines on a dark ground, at the picture's lower edge.
fn tell(painter: &Painter, room: Rect, lines: &[(bool, String)]) {
    let size = (room.height() * 0.04).clamp(11.0, 17.0);
    let lay_out = |(_, line): &(bool, String)| {
        let font = FontId::proportional(size);
        painter.layout(line.clone(), font, Color32::WHITE, (room.width() - 70.0).max(80.0))
    };
    let galleys: Vec<_> = lines.iter().map(lay_out).collect();
    let width = galleys.iter().map(|galley| galley.size().x).fold(0.0, f32::max);
    let height: f32 = galleys.iter().map(|galley| galley.size().y + 4.0).sum();
    let all = vec2(width + 50.0, height + 14.0);
    let center = room.center_bottom() - vec2(0.0, 0.5 * all.y + 8.0);
    let ground = Align2::CENTER_CENTER.anchor_size(center, all);
    painter.rect_filled(ground, 10.0, Color32::from_black_alpha(215));
    let mut y = ground.min.y + 8.0;
    for ((fits, _), galley) in lines.iter().zip(galleys) {
        let middle = pos2(ground.min.x + 20.0, y + 0.5 * galley.size().y);
        let (sign, color): (fn(&Painter, Pos2, f32, Color32), _) =
            if *fits { (tick, GOOD) } else { (cross, WRONG) };
        sign(painter, middle, size, color);
        let below = galley.size().y + 4.0;
        painter.galley(pos2(ground.min.x + 36.0, y), galley, Color32::WHITE);
        y += below;
    }
}
