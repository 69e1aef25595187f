//! A column of which the foot is always in view.

use eframe::egui::{Id, ScrollArea, Ui, UiBuilder};

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
