//! Where a picture stands in the window: zoom, and the way between its pixels and the window.

use eframe::egui::{Pos2, Rect, Vec2, pos2, vec2};
use setsight_photo::geometry::{Point, Quad};

/// Largest zoom, in times the size at which the whole picture is seen.
const MOST_ZOOM: f32 = 16.0;

/// What part of a picture is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct View {
    /// 1 shows the whole picture.
    zoom: f32,
    /// The point of the picture in the middle of the view, 0 to 1 both ways.
    middle: Vec2,
}

impl Default for View {
    fn default() -> Self {
        Self { zoom: 1.0, middle: vec2(0.5, 0.5) }
    }
}

impl View {
    /// Where a picture of this size in pixels comes to stand in a part of the window.
    pub(crate) fn place(&self, room: Rect, size_px: Vec2) -> Placement {
        let fit = (room.width() / size_px.x).min(room.height() / size_px.y);
        let scale = (fit * self.zoom).max(1e-6);
        let size = size_px * scale;
        let center = room.center() - (self.middle - vec2(0.5, 0.5)) * size;
        Placement { room, rect: Rect::from_center_size(center, size), scale }
    }

    /// Whether the whole picture is seen.
    pub(crate) fn is_whole(&self) -> bool {
        self.zoom <= 1.0
    }

    /// Makes the picture larger by a factor; the point of the picture under `at` stays where it is.
    pub(crate) fn zoom_at(&mut self, room: Rect, size_px: Vec2, at: Pos2, factor: f32) {
        let before = self.place(room, size_px);
        let held = (at - before.rect.min) / before.rect.size();
        self.zoom = (self.zoom * factor).clamp(1.0, MOST_ZOOM);
        let after = self.place(room, size_px);
        let moved = after.rect.min + held * after.rect.size() - at;
        self.middle += moved / after.rect.size();
        self.keep_in(room, size_px);
    }

    /// Moves the picture by so many points.
    pub(crate) fn pan(&mut self, room: Rect, size_px: Vec2, by: Vec2) {
        self.middle -= by / self.place(room, size_px).rect.size();
        self.keep_in(room, size_px);
    }

    /// No empty border where there is more of the picture to see.
    fn keep_in(&mut self, room: Rect, size_px: Vec2) {
        let size = self.place(room, size_px).rect.size();
        for i in 0..2 {
            let half = (room.size()[i] / size[i] / 2.0).min(0.5);
            self.middle[i] = self.middle[i].clamp(half, 1.0 - half);
        }
    }
}

/// Where a picture stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// The part of the window that may be painted.
    pub room: Rect,
    /// The whole picture, which may reach beyond the room. Points of the window.
    pub rect: Rect,
    /// Points of the window for a pixel of the picture.
    pub scale: f32,
}

impl Placement {
    /// From pixels of the picture to points of the window.
    pub fn window_from_image(&self, p: Point) -> Pos2 {
        self.rect.min + vec2(p.x as f32, p.y as f32) * self.scale
    }

    /// From points of the window to pixels of the picture.
    pub(crate) fn image_from_window(&self, p: Pos2) -> Point {
        let v = (p - self.rect.min) / self.scale;
        Point::new(f64::from(v.x), f64::from(v.y))
    }

    /// The four corners in the window.
    pub(crate) fn quad(&self, quad: &Quad) -> [Pos2; 4] {
        quad.0.map(|p| self.window_from_image(p))
    }
}

/// The upright rectangle around four corners.
pub(crate) fn bounds(corners: &[Pos2; 4]) -> Rect {
    Rect::from_points(corners)
}

/// The quad with every side moved outward (inward when negative); points of the window.
pub(crate) fn offset(corners: &[Pos2; 4], outward: f32) -> [Pos2; 4] {
    let quad = Quad::new(corners.map(|p| Point::new(f64::from(p.x), f64::from(p.y))));
    let moved = setsight_vision::output::overlay::offset(&quad, f64::from(outward));
    moved.0.map(|p| pos2(p.x as f32, p.y as f32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn room() -> Rect {
        Rect::from_min_size(pos2(40.0, 60.0), vec2(800.0, 500.0))
    }

    proptest! {
        #[test]
        fn zooming_holds_the_point_under_the_pointer(
            x in 0.2..0.8f32, y in 0.2..0.8f32, steps in prop::collection::vec(1.05..1.5f32, 1..6),
        ) {
            let size = vec2(1600.0, 1000.0);
            let mut view = View::default();
            let at = room().min + vec2(x, y) * room().size();
            let held = view.place(room(), size).image_from_window(at);
            for step in steps {
                view.zoom_at(room(), size, at, step);
            }
            let now = view.place(room(), size).image_from_window(at);
            prop_assert!(held.distance(now) < 0.5, "{held:?} {now:?}");
            view.zoom_at(room(), size, at, 1e-3);
            prop_assert!(view.zoom <= 1.0);
            prop_assert_eq!(view.place(room(), size).rect.center(), room().center());
        }

        #[test]
        fn the_way_there_and_back_agree(x in 0.0..1600.0f64, y in 0.0..1000.0f64, zoom in 1.0..9.0f32) {
            let mut view = View::default();
            view.zoom_at(room(), vec2(1600.0, 1000.0), room().center(), zoom);
            let placement = view.place(room(), vec2(1600.0, 1000.0));
            let p = Point::new(x, y);
            let back = placement.image_from_window(placement.window_from_image(p));
            prop_assert!(back.distance(p) < 0.05);
        }

        #[test]
        fn a_picture_never_leaves_its_room(dx in -5000.0..5000.0f32, dy in -5000.0..5000.0f32) {
            let size = vec2(1600.0, 1000.0);
            let mut view = View::default();
            view.zoom_at(room(), size, room().center(), 3.0);
            view.pan(room(), size, vec2(dx, dy));
            prop_assert!(view.place(room(), size).rect.expand(0.1).contains_rect(room()));
        }
    }
}
