//! A large picture in the window: textures made bit by bit; and where it stands: zoom, pan, and the way between
//! its pixels and the window.

use crate::shared::words::t;
use eframe::egui::{
    Button, Color32, ColorImage, Context, Id, Key, Pos2, Rect, Response, Role, Sense, TextStyle,
    TextureHandle, TextureId, TextureOptions, Ui, UiBuilder, Vec2, WidgetInfo, pos2, vec2,
};
use image::{RgbImage, imageops};
use setsight_desktop::color_image;
use setsight_photo::geometry::{Point, Quad};
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

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
    pub(crate) fn is_fitted(&self) -> bool {
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

/// The corners of a rectangle, clockwise from the upper left one.
pub(crate) fn corners_of(rect: Rect) -> [Pos2; 4] {
    [rect.left_top(), rect.right_top(), rect.right_bottom(), rect.left_bottom()]
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

/// Long side of the texture that shows the whole picture: as much as a screen shows, and little
/// enough to be handed to the graphics card within one frame.
const WHOLE_PX: u32 = 1280;
/// Side of the textures that show parts of it at full size.
const TILE_PX: u32 = 512;
/// Tiles made in one frame at most: each takes a millisecond or two.
const TILES_A_FRAME: usize = 2;
/// Tiles kept; a screen at full size needs about a dozen. 1 MB each.
const MOST_TILES: usize = 48;

/// A picture prepared for the window on another thread than the window's.
#[derive(Clone)]
pub(crate) struct Prepared {
    /// All pixels, but of a picture that is a smaller stand-in.
    full: Option<Arc<RgbImage>>,
    /// The whole picture, small enough for one texture.
    overview: ColorImage,
    size_px: (u32, u32),
}

impl Prepared {
    /// Shrinks a picture for the window.
    pub(crate) fn new(full: Arc<RgbImage>) -> Self {
        Self { overview: shrunk(&full, WHOLE_PX), size_px: full.dimensions(), full: Some(full) }
    }

    /// A smaller picture in place of one of this size, until that is there.
    pub(crate) fn stand_in(small: &RgbImage, size_px: (u32, u32)) -> Self {
        Self { overview: shrunk(small, WHOLE_PX), size_px, full: None }
    }
}

/// A picture as the window's toolkit wants it, its long side at most `long_px`.
pub(crate) fn shrunk(picture: &RgbImage, long_px: u32) -> ColorImage {
    let long = picture.width().max(picture.height()).max(1);
    if long <= long_px {
        return color_image(picture);
    }
    let scale = f64::from(long_px) / f64::from(long);
    let [width, height] = [picture.width(), picture.height()]
        .map(|px| ((f64::from(px) * scale).round() as u32).max(1));
    color_image(&imageops::thumbnail(picture, width, height))
}

/// Buttons for a picture's zoom, in a corner of its room, once it is larger than that. To be drawn after what
/// lies on the picture.
pub(crate) fn zoom_buttons(ui: &mut Ui, view: &mut View, size_px: Vec2, room: Rect) {
    let size = vec2(34.0, 30.0);
    let font = TextStyle::Button.resolve(ui.style());
    let fit = ui.painter().layout_no_wrap(t!("zoom-fit"), font, Color32::PLACEHOLDER).size().x;
    let width = 2.0 * size.x + (fit + 4.0).max(size.x) + 24.0;
    if view.is_fitted() || room.width() < 2.0 * width || room.height() < 3.0 * size.y {
        // Keys and the wheel do the same.
        return;
    }
    let corner =
        Rect::from_min_size(room.right_top() + vec2(-width - 8.0, 8.0), vec2(width, size.y));
    let mut child = ui.new_child(UiBuilder::new().max_rect(corner));
    child.spacing_mut().item_spacing.x = 4.0;
    child.spacing_mut().button_padding.x = 2.0;
    child.horizontal(|ui| {
        let mut button = |sign: &str, name: String| {
            let button = ui.add(Button::new(sign).min_size(size));
            button.on_hover_text(&name).accessible_name(name).clicked()
        };
        let out = button("−", t!("zoom-out"));
        let closer = button("+", t!("zoom-in"));
        let fit = button(&t!("zoom-fit"), t!("whole-picture"));
        if out {
            view.zoom_at(room, size_px, room.center(), 1.0 / 1.5);
        }
        if closer {
            view.zoom_at(room, size_px, room.center(), 1.5);
        }
        if fit {
            *view = View::default();
        }
    });
}

/// Shows the part of a texture that the view says in all the room there is, and lets wheel, pinch,
/// drag and double click change the view.
pub(crate) fn ground(
    ui: &mut Ui,
    texture: TextureId,
    size_px: Vec2,
    view: &mut View,
    id: Id,
    name: &str,
) -> (Response, Placement) {
    let room = ui.available_rect_before_wrap();
    ui.advance_cursor_after_rect(room);
    let response = ui.interact(room, id, Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name));
    if response.dragged() {
        view.pan(room, size_px, response.drag_delta());
    }
    if response.double_clicked() {
        *view = View::default();
    }
    // Over the cards, too, which are widgets of their own.
    let pointer = ui.input(|input| input.pointer.hover_pos());
    if let Some(at) = pointer.filter(|_| ui.rect_contains_pointer(room)) {
        let (zoom, scroll) = ui.input(|i| (i.zoom_delta(), i.smooth_scroll_delta().y));
        let factor = zoom * (scroll / 240.0).exp();
        if (factor - 1.0).abs() > 1e-4 {
            view.zoom_at(room, size_px, at, factor);
        }
    }
    let placement = view.place(room, size_px);
    let all = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
    ui.painter_at(room).image(texture, placement.rect, all, Color32::WHITE);
    (response, placement)
}

pub(crate) struct Picture {
    full: Option<Arc<RgbImage>>,
    size_px: (u32, u32),
    overview: TextureHandle,
    tiles: HashMap<(u32, u32), TextureHandle>,
}

impl Picture {
    /// Hands the whole picture to the graphics card.
    pub(crate) fn new(ctx: &Context, prepared: Prepared) -> Self {
        let options = TextureOptions { mipmap_mode: None, ..TextureOptions::LINEAR };
        let Prepared { full, overview, size_px } = prepared;
        let overview = ctx.load_texture("picture", overview, options);
        Self { full, size_px, overview, tiles: HashMap::new() }
    }

    /// All pixels, once they are there.
    pub(crate) fn full(&self) -> Option<&Arc<RgbImage>> {
        self.full.as_ref()
    }

    pub(crate) fn size_px(&self) -> Vec2 {
        vec2(self.size_px.0 as f32, self.size_px.1 as f32)
    }

    /// Shows it as [`ground`] does, and sharper where it is looked at from near.
    pub(crate) fn show(
        &mut self,
        ui: &mut Ui,
        view: &mut View,
        id: Id,
        name: &str,
    ) -> (Response, Placement) {
        let (response, placement) = ground(ui, self.overview.id(), self.size_px(), view, id, name);
        let shown = self.overview.size()[0] as f32 / self.size_px().x;
        // A little softness at the seam is not seen; tiles cost memory.
        if placement.scale * ui.ctx().pixels_per_point() > 1.2 * shown && shown < 1.0 {
            self.paint_tiles(ui, &placement);
        }
        (response, placement)
    }

    /// Larger, smaller or whole, by keys. To be asked for only when no letters are being typed.
    pub(crate) fn keys(&self, ui: &Ui, view: &mut View, room: Rect) {
        let pressed = |key| ui.input(|i| i.key_pressed(key) && !i.modifiers.any());
        let plus = pressed(Key::Plus)
            || ui.input(|i| i.key_pressed(Key::Equals) || i.key_pressed(Key::Plus));
        if plus {
            view.zoom_at(room, self.size_px(), room.center(), 1.5);
        }
        if pressed(Key::Minus) {
            view.zoom_at(room, self.size_px(), room.center(), 1.0 / 1.5);
        }
        if pressed(Key::Num0) {
            *view = View::default();
        }
    }

    fn paint_tiles(&mut self, ui: &Ui, placement: &Placement) {
        let Some(full) = &self.full else { return };
        let (columns, rows) = (full.width().div_ceil(TILE_PX), full.height().div_ceil(TILE_PX));
        let mut made = 0;
        if self.tiles.len() > MOST_TILES {
            self.tiles.clear();
        }
        for tile in (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row))) {
            let (x, y) = (tile.0 * TILE_PX, tile.1 * TILE_PX);
            let (w, h) = (TILE_PX.min(full.width() - x), TILE_PX.min(full.height() - y));
            let min = placement.rect.min + vec2(x as f32, y as f32) * placement.scale;
            let rect = Rect::from_min_size(min, vec2(w as f32, h as f32) * placement.scale);
            if !rect.intersects(placement.room) {
                continue;
            }
            let texture = match self.tiles.entry(tile) {
                Entry::Occupied(texture) => texture.into_mut(),
                Entry::Vacant(_) if made == TILES_A_FRAME => {
                    ui.ctx().request_repaint();
                    continue;
                }
                Entry::Vacant(place) => {
                    made += 1;
                    let part = imageops::crop_imm(&**full, x, y, w, h).to_image();
                    let (part, options) = (color_image(&part), TextureOptions::LINEAR);
                    place.insert(ui.ctx().load_texture("tile", part, options))
                }
            };
            let all = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            ui.painter_at(placement.room).image(texture.id(), rect, all, Color32::WHITE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_large_picture_is_shrunk_and_a_small_one_kept() {
        let large = RgbImage::from_pixel(4000, 3000, image::Rgb([9, 8, 7]));
        let prepared = Prepared::new(Arc::new(large));
        assert_eq!(prepared.overview.size, [1280, 960]);
        assert_eq!(shrunk(&RgbImage::new(100, 900), 1000).size, [100, 900]);
        assert_eq!(shrunk(&RgbImage::new(1, 64_000), 100).size, [1, 100]);
    }

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
        fn conversions_to_and_from_the_picture_agree(x in 0.0..1600.0f64, y in 0.0..1000.0f64, zoom in 1.0..9.0f32) {
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
