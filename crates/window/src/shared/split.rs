//! How a tab divides its room between what is looked at and the panel that belongs to it.

use eframe::egui::{Frame, Margin, Panel, Rect, ScrollArea, Ui, Vec2};

/// Below this width the panel lies under what is looked at.
const NARROW: f32 = 600.0;
/// Below this height nothing lies under something else, unless the room is higher than wide.
const FLAT: f32 = 240.0;
/// Narrower than this no panel lies beside what is looked at, in points.
const LEAST_WIDTH: f32 = 250.0;
/// Higher than this no panel lies under it, in points.
const MOST_HEIGHT: f32 = 320.0;

/// The panel of a tab, as large as the room allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Split {
    /// Whether there is little room across, so that margins are small.
    pub(crate) narrow: bool,
    /// Whether the panel scrolls as a whole.
    pub(crate) scrolls: bool,
    below: bool,
    /// Height of a panel below, width of one beside, in points.
    size: f32,
}

impl Split {
    /// For a panel that is at most so wide and needs so much height if it is not to scroll.
    pub(crate) fn new(room: Vec2, most_width: f32, height: f32) -> Self {
        let narrow = room.x < NARROW;
        let flat = room.y < FLAT && room.x > room.y;
        let size = match (narrow, flat) {
            (true, false) => (room.y * 0.46).min(MOST_HEIGHT),
            // So little room that nothing has enough: beside each other, half and half.
            (true, true) => room.x * 0.55,
            (false, _) => (room.x * 0.36).clamp(LEAST_WIDTH, most_width),
        };
        Self { narrow, scrolls: narrow || room.y < height, below: narrow && !flat, size }
    }

    /// Shows the panel, before what is looked at.
    pub(crate) fn show(
        self,
        ui: &mut Ui,
        name: &'static str,
        margin: impl Into<Margin>,
        add: impl FnOnce(&mut Ui),
    ) {
        let frame = Frame::side_top_panel(ui.style()).inner_margin(margin);
        let panel = if self.below { Panel::bottom(name) } else { Panel::right(name) };
        panel.exact_size(self.size).frame(frame).show(ui, |ui| {
            if self.scrolls {
                ScrollArea::vertical().auto_shrink([false, false]).show(ui, add);
            } else {
                add(ui);
            }
        });
    }

    /// What is looked at, and the panel.
    pub(crate) fn parts(self, room: Rect) -> (Rect, Rect) {
        if self.below {
            room.split_top_bottom_at_y(room.max.y - self.size)
        } else {
            room.split_left_right_at_x(room.max.x - self.size)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eframe::egui::{Pos2, vec2};

    #[test]
    fn what_is_looked_at_and_its_panel_fill_the_room() {
        for (room, is_below) in [
            (vec2(1280.0, 760.0), false),
            (vec2(768.0, 400.0), false),
            (vec2(420.0, 600.0), true),
            (vec2(256.0, 150.0), false),
            (vec2(150.0, 200.0), true),
        ] {
            let rect = Rect::from_min_size(Pos2::ZERO, room);
            let (main, panel) = Split::new(room, 392.0, 420.0).parts(rect);
            assert_eq!(main.union(panel), rect);
            assert!((main.area() + panel.area() - rect.area()).abs() < 1.0, "{room:?}");
            assert_eq!(panel.min.y > 0.0, is_below, "{room:?}");
            assert!(main.area() > 0.4 * rect.area(), "{room:?}: {main:?}");
        }
    }
}
