//! Pictures of what to lay out for a deck to be learnt: apart from each other, not on each other.

use crate::shared::card_face::{ASPECT, paint, rect_at};
use crate::shared::theme::{GOOD, felt};
use crate::shared::{settings::Settings, verdict, words::t};
use eframe::egui::{Rect, Role, Sense, Ui, Vec2, WidgetInfo, vec2};
use setsight_game::cards::Card;

/// Size of a picture, in points.
const SIZE: Vec2 = vec2(250.0, 150.0);
/// From a card to the next, in times its own width and height: where they lie apart, where they do
/// not.
const STEPS: [Vec2; 2] = [vec2(1.15, 1.2), vec2(0.7, 0.62)];

/// A table as it should be, and one as it should not.
pub(crate) fn show(ui: &mut Ui, settings: &Settings) {
    let size = SIZE * (ui.available_width() / SIZE.x).min(1.0);
    ui.horizontal_wrapped(|ui| {
        for (step, good) in STEPS.into_iter().zip([true, false]) {
            let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
            let name = if good { t!("lay-out-apart") } else { t!("lay-out-on-another") };
            response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
            table(ui, rect, step, settings);
            let at = rect.right_bottom() - vec2(18.0, 18.0);
            let ground = if good { GOOD } else { ui.visuals().error_fg_color };
            ui.painter().circle_filled(at, 13.0, ground);
            let sign = if good { verdict::tick } else { verdict::cross };
            sign(ui.painter(), at, 16.0, ui.visuals().panel_fill);
        }
    });
}

fn table(ui: &Ui, rect: Rect, step: Vec2, settings: &Settings) {
    ui.painter().rect_filled(rect, 8.0, felt(ui));
    let width = 50.0 * rect.width() / SIZE.x;
    let (size, by) = (vec2(width, width / ASPECT), step * vec2(width, width / ASPECT));
    let all = size + by * vec2(3.0, 2.0);
    for (place, card) in Card::deck().step_by(7).take(12).enumerate() {
        let at = vec2((place % 4) as f32, (place / 4) as f32) * by;
        let min = rect.center() - all / 2.0 + at;
        paint(ui.painter(), rect_at(min, width), card, settings);
    }
}
