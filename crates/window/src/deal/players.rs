//! Those who play at one table, large enough to be read from across the room: who has how many points,
//! and who has called.

use crate::deal::play::Play;
use crate::shared::settings::Settings;
use crate::shared::theme::text_on;
use crate::shared::words::t;
use eframe::egui::{Align2, Color32, FontId, Id, Rect, Role, Sense, Ui, WidgetInfo, vec2};

/// Height of the row over the cards: a part of the table's, and its bounds in points.
const ROW: (f32, f32, f32) = (0.17, 34.0, 170.0);

/// Draws a row at the top of the table; what is left of the room. Of one player there is none, so that
/// the cards lie where they lie whoever has called.
pub fn row(ui: &Ui, play: &Play, settings: &Settings, room: Rect, now: f64) -> Rect {
    if play.players().len() < 2 {
        return room;
    }
    let (part, least, most) = ROW;
    let height = (part * room.height()).clamp(least, most);
    let (row, below) = room.split_top_bottom_at_y(room.min.y + height);
    match play.caller(now) {
        Some((who, left)) => {
            called(ui, row, &play.name(who), left, settings.palette.set_color(who))
        }
        None => points(ui, row, play, settings),
    }
    below.with_min_y(below.min.y + 0.12 * height)
}

/// Who has called, and how many seconds are left.
fn called(ui: &Ui, row: Rect, name: &str, left: f64, color: Color32) {
    let seconds = left.ceil();
    let response = ui.interact(row, Id::unique("caller"), Sense::hover());
    response.widget_info(|| {
        let words = t!("has-called-left", player = name, seconds = seconds);
        WidgetInfo::labeled(Role::Label, true, words)
    });
    let painter = ui.painter();
    painter.rect_filled(row, 0.15 * row.height(), color);
    let (font, ink) = (FontId::proportional(0.78 * row.height()), text_on(color));
    let count = painter.layout_no_wrap(format!("{seconds:.0}"), font, ink);
    let margin = 0.25 * row.height();
    let right = row.right_center() - vec2(count.size().x + margin, count.size().y / 2.0);
    let name_room = row.width() - count.size().x - 3.0 * margin;
    painter.galley(right, count, ink);
    let left = Align2::LEFT_CENTER.pos_in_rect(&row) + vec2(margin, 0.0);
    fitted(ui, name, left, Align2::LEFT_CENTER, vec2(name_room, 0.7 * row.height()), ink);
}

/// What everybody has.
fn points(ui: &Ui, row: Rect, play: &Play, settings: &Settings) {
    let count = play.players().len() as f32;
    let gap = 8.0;
    let width = (row.width() - gap * (count - 1.0)) / count;
    for (who, player) in play.players().iter().enumerate() {
        let left = row.min.x + who as f32 * (width + gap);
        let tile =
            Rect::from_min_size(eframe::egui::pos2(left, row.min.y), vec2(width, row.height()));
        let color = settings.palette.set_color(who);
        let painter = ui.painter();
        painter.rect_filled(tile, 0.12 * row.height(), color);
        let (upper, lower) = tile.split_top_bottom_at_fraction(0.45);
        let ink = text_on(color);
        let most = |part: Rect| part.size() * vec2(0.88, 0.86);
        let middle = Align2::CENTER_CENTER;
        fitted(ui, &play.name(who), upper.center(), middle, most(upper), ink);
        fitted(ui, &player.points().to_string(), lower.center(), middle, most(lower), ink);
    }
}

/// Words as large as the room allows.
fn fitted(
    ui: &Ui,
    words: &str,
    at: eframe::egui::Pos2,
    anchor: Align2,
    room: eframe::egui::Vec2,
    ink: Color32,
) {
    let painter = ui.painter();
    let high = room.y.max(6.0);
    let galley = painter.layout_no_wrap(words.to_owned(), FontId::proportional(high), ink);
    let wide = (room.x / galley.size().x.max(1.0)).min(1.0);
    let low = (room.y / galley.size().y.max(1.0)).min(1.0);
    let font = FontId::proportional((high * wide.min(low)).max(6.0));
    painter.text(at, anchor, words, font, ink);
}
