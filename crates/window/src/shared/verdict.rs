//! Why three cards are a set, or not; a tick and a cross, drawn, since the fonts of the window have none.

use crate::shared::{names, theme::GOOD, words::t};
use eframe::egui::{
    Color32, Painter, Pos2, RichText, Role, Sense, Shape, Stroke, Ui, WidgetInfo, vec2,
};
use setsight_game::cards::{Deck, Property};
use setsight_game::sets::Verdict;

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
