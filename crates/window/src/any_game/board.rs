//! A board of any deck, its cards as large as the room allows.

use crate::any_game::face;
use crate::shared::card_face::ASPECT;
use crate::shared::look::Mark;
use crate::shared::overlay;
use crate::shared::settings::Settings;
use crate::shared::words::t;
use eframe::egui::{Id, Rect, Role, Sense, Ui, Vec2, WidgetInfo, vec2};
use setsight_generalized::{Card, Rules};

/// Cards are no narrower, in points: beyond that the board scrolls.
const LEAST_CARD: f32 = 46.0;

/// Puts cards into the holes of a board, and beside it.
pub fn fill(board: &mut Vec<Option<Card>>, cards: &[Card]) {
    let mut cards = cards.iter().copied();
    for hole in board.iter_mut().filter(|place| place.is_none()) {
        *hole = cards.next();
    }
    board.extend(cards.map(Some));
}

/// Draws a board; the card that was clicked, if `sense` lets cards be.
pub fn show(
    ui: &mut Ui,
    rules: &Rules,
    board: &[Option<Card>],
    sense: Sense,
    mark: impl Fn(Card) -> Option<Mark>,
    settings: &Settings,
) -> Option<Card> {
    let room = ui.available_size();
    let (columns, size, gap) = grid(room, board.len());
    let used = extent(columns, board.len(), size, gap);
    let (all, _) = ui.allocate_exact_size(vec2(room.x, used.y.max(room.y)), Sense::hover());
    let origin = Rect::from_center_size(all.center(), used).min;
    let (mut marks, mut clicked) = (Vec::new(), None);
    for (i, &place) in board.iter().enumerate() {
        let Some(card) = place else { continue };
        let at = vec2((i % columns) as f32, (i / columns) as f32);
        let rect = Rect::from_min_size(origin + at * (size + vec2(gap, gap)), size);
        let name = t!("any-card", n = i + 1, values = face::values(rules, card));
        let response = ui.interact(rect, Id::unique("any-card").with(i), sense);
        let role = if sense.senses_click() { Role::Button } else { Role::Image };
        response.widget_info(|| WidgetInfo::labeled(role, true, &name));
        if response.clicked() {
            clicked = Some(card);
        }
        if response.has_focus() {
            let stroke = ui.visuals().selection.stroke;
            ui.painter().rect_stroke(
                rect.expand(3.0),
                4.0,
                stroke,
                eframe::egui::StrokeKind::Outside,
            );
        }
        if response.hovered() {
            overlay::tip_in_corner(ui, ui.clip_rect(), rect.center(), |ui| ui.label(name));
        }
        let mark = mark(card);
        let mut painter = ui.painter().clone();
        if mark == Some(Mark::Quiet) {
            painter.set_opacity(0.35);
        }
        face::paint(&painter, rect, rules, card, settings);
        marks.extend(mark.filter(|mark| *mark != Mark::Quiet).map(|mark| (rect, mark)));
    }
    overlay::paint_drawn(ui.painter(), &marks, settings);
    clicked
}

/// Columns, size of a card and gap with which so many cards are as large as the room allows.
fn grid(room: Vec2, cards: usize) -> (usize, Vec2, f32) {
    let gap = (room.x * 0.012).clamp(4.0, 14.0);
    let width = |columns: usize| {
        let rows = cards.div_ceil(columns) as f32;
        let wide = (room.x + gap) / columns as f32 - gap;
        wide.min(((room.y + gap) / rows - gap) * ASPECT).min(170.0)
    };
    // Of those that are alike, the one with the fullest rows.
    let empty = |columns: usize| columns * cards.div_ceil(columns) - cards;
    let best = (1..=cards.max(1))
        .max_by(|&a, &b| width(a).total_cmp(&width(b)).then(empty(b).cmp(&empty(a))))
        .unwrap_or(1);
    if width(best) >= LEAST_CARD {
        return (best, vec2(width(best), width(best) / ASPECT), gap);
    }
    let columns = (((room.x + gap) / (LEAST_CARD + gap)) as usize).max(1);
    (columns, vec2(LEAST_CARD, LEAST_CARD / ASPECT), gap)
}

/// What so many cards in these columns take up.
fn extent(columns: usize, cards: usize, size: Vec2, gap: f32) -> Vec2 {
    let rows = cards.div_ceil(columns);
    vec2(columns as f32, rows as f32) * (size + vec2(gap, gap)) - vec2(gap, gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_fits_unless_its_cards_are_the_least() {
        for room in [vec2(404.0, 528.0), vec2(480.0, 360.0), vec2(900.0, 700.0), vec2(200.0, 90.0)]
        {
            for cards in 1..=81 {
                let (columns, size, gap) = grid(room, cards);
                let used = extent(columns, cards, size, gap);
                let fits = used.x <= room.x + 0.01 && used.y <= room.y + 0.01;
                assert!(fits || size.x == LEAST_CARD, "{cards} in {room:?}: {used:?}");
            }
        }
    }
}
