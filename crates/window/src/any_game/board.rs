//! A board of any deck, its cards as large as the room allows, and the face of each.

use crate::shared::card_face::{ASPECT, WHITE, filled, triangles};
use crate::shared::{look::Mark, overlay, settings::Settings, words::t};
use eframe::egui::{
    Align2, Color32, FontId, Id, Painter, Pos2, Rect, Role, Sense, Stroke, StrokeKind, Ui, Vec2,
    WidgetInfo, pos2, vec2,
};
use setsight_game::cards::{
    Color, Shape,
    deck::{FillKind, invented::cross},
    outline::symbol_outline,
};
use setsight_generalized::{Card, Rules};
use std::{f64::consts::TAU, sync::LazyLock};

/// Cards are no narrower, in points: beyond that the board scrolls.
const LEAST_CARD: f32 = 46.0;

/// Puts cards into the holes of a board, and beside it.
pub(crate) fn fill(board: &mut Vec<Option<Card>>, cards: &[Card]) {
    let mut cards = cards.iter().copied();
    for hole in board.iter_mut().filter(|place| place.is_none()) {
        *hole = cards.next();
    }
    board.extend(cards.map(Some));
}

/// Draws a board; the card that was clicked, if `sense` lets cards be.
pub(crate) fn show(
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
        let name = t!("any-card", n = i + 1, values = values(rules, card));
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
        paint(&painter, rect, rules, card, settings);
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

/// Properties that symbols show.
const BY_SYMBOLS: usize = 4;
/// Room between the symbols' middles, in the long sides of the card that they are drawn for.
const SPACING: f32 = 0.285;
/// Height of a row of cells, in the card's.
const FACE_ROW: f32 = 0.1;

/// Fillings by value. Without a property for it, symbols are solid.
const FILLS: [FillKind; 6] = [
    FillKind::Solid,
    FillKind::None,
    FillKind::Stripes,
    FillKind::Dots,
    FillKind::Bars,
    FillKind::Crosshatch,
];

/// Inks beyond the game's three.
const MORE_INKS: [Color32; 3] =
    [Color32::from_rgb(0, 110, 180), Color32::from_rgb(226, 142, 0), Color32::from_rgb(60, 60, 66)];

type Outline = Vec<(f64, f64)>;

/// Symbols by value: those of the game, and three that differ from them at any size. Each with its
/// triangles.
static SHAPES: LazyLock<Vec<(Outline, Vec<[usize; 3]>)>> = LazyLock::new(|| {
    let known = [Shape::Oval, Shape::Diamond, Shape::Squiggle].map(|s| symbol_outline(s).to_vec());
    let scaled = |(x, y): (f64, f64)| (0.125 * x, 0.3 * y);
    let triangle = vec![(0.0, -1.0), (-1.0, 0.9), (1.0, 0.9)];
    let star = (0..10).map(|i| {
        let (angle, radius) = (TAU * f64::from(i) / 10.0, if i % 2 == 0 { 1.1 } else { 0.45 });
        (-angle.sin() * radius, -angle.cos() * radius)
    });
    let more =
        [triangle, star.collect(), cross(0.36, 0.36)].map(|o| o.into_iter().map(scaled).collect());
    let all = known.into_iter().chain(more);
    all.map(|outline: Outline| (outline.clone(), triangles(&outline))).collect()
});

fn ink(value: usize, settings: &Settings) -> Color32 {
    match value {
        0 => settings.palette.ink(Color::Red),
        1 => settings.palette.ink(Color::Green),
        2 => settings.palette.ink(Color::Purple),
        n => MORE_INKS[(n - 3) % MORE_INKS.len()],
    }
}

/// The values of a card as people count them, from 1.
pub(crate) fn values(rules: &Rules, card: Card) -> String {
    let values: Vec<String> = rules.values_of(card).map(|value| (value + 1).to_string()).collect();
    values.join(" ")
}

/// Paints a card of at most six values that fills `rect` (of the proportions [`ASPECT`]).
pub(crate) fn paint(painter: &Painter, rect: Rect, rules: &Rules, card: Card, settings: &Settings) {
    let radius = (rect.height() * 0.1).clamp(1.0, 40.0);
    painter.rect_filled(rect, radius, WHITE);
    let edge = Stroke::new((rect.height() * 0.012).max(1.0), Color32::from_rgb(190, 186, 176));
    painter.rect_stroke(rect, radius, edge, StrokeKind::Inside);
    let values: Vec<usize> = rules.values_of(card).map(usize::from).collect();
    let shown = |property: usize| values.get(property).copied();
    let rows = values.len().saturating_sub(BY_SYMBOLS);
    let mut room = rect.shrink(0.04 * rect.height());
    room.max.y -= rows as f32 * FACE_ROW * rect.height();
    let color = shown(1).map_or(Color32::from_rgb(52, 70, 110), |value| ink(value, settings));
    let shape = &SHAPES[shown(2).unwrap_or(0) % SHAPES.len()];
    let fill = FILLS[shown(3).unwrap_or(0) % FILLS.len()];
    symbols(room, shown(0).unwrap_or(0) + 1, |size, center| {
        filled(painter, (center, size), (&shape.0, &shape.1), fill, color);
    });
    for (row, &value) in values.iter().skip(BY_SYMBOLS).enumerate() {
        let height = FACE_ROW * rect.height();
        let top = room.max.y + row as f32 * height;
        cells(painter, rect, (top, height), value, rules.values());
    }
    if settings.letters {
        let size = (rect.height() * 0.16).clamp(6.0, 20.0);
        let at = rect.left_top() + vec2(rect.height() * 0.07, rect.height() * 0.02);
        let text: String = values.iter().map(|value| (value + 1).to_string()).collect();
        let ink = Color32::from_gray(70);
        painter.text(at, Align2::LEFT_TOP, text, FontId::proportional(size), ink);
    }
}

/// Places so many symbols in one row, or in two beyond three: calls with the size of the card that
/// each is drawn for, and its middle.
fn symbols(room: Rect, count: usize, mut draw: impl FnMut(Vec2, Pos2)) {
    let rows = if count > 3 { 2 } else { 1 };
    let columns = count.div_ceil(rows);
    let tall = room.height() / rows as f32 * if rows == 2 { 1.3 } else { 1.0 };
    let long = (tall * ASPECT).min(room.width() / (SPACING * columns as f32 + 0.04));
    let size = vec2(long, long / ASPECT);
    for i in 0..count {
        let (row, column) = (i / columns, i % columns);
        let in_row = if row + 1 < rows { columns } else { count - columns * (rows - 1) };
        let x = (column as f32 - (in_row as f32 - 1.0) / 2.0) * SPACING * long;
        let y = (row as f32 - (rows as f32 - 1.0) / 2.0) * room.height() / rows as f32;
        draw(size, room.center() + vec2(x, y));
    }
}

/// A row of cells, one for each value, of which the card's is filled.
fn cells(painter: &Painter, card: Rect, (top, height): (f32, f32), value: usize, values: usize) {
    let ink = Color32::from_rgb(70, 74, 84);
    let width = (card.width() * 0.8) / values as f32;
    for i in 0..values {
        let left = card.min.x + card.width() * 0.1 + i as f32 * width;
        let cell = Rect::from_min_size(pos2(left, top), vec2(width, height));
        let cell = cell.shrink2(vec2(0.08 * width, 0.18 * height));
        if i == value {
            painter.rect_filled(cell, 0.0, ink);
        } else {
            painter.rect_filled(cell, 0.0, Color32::from_rgb(222, 218, 208));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::any_game::steps::VALUES;

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

    #[test]
    fn every_value_that_is_offered_looks_different() {
        let most = *VALUES.end() as usize;
        let settings = Settings::default();
        let inks: Vec<Color32> = (0..most).map(|value| ink(value, &settings)).collect();
        for i in 0..most {
            for j in 0..i {
                assert!(inks[i] != inks[j] && FILLS[i] != FILLS[j] && SHAPES[i].0 != SHAPES[j].0);
            }
        }
        assert_eq!(SHAPES.len(), most);
    }

    #[test]
    fn symbols_stay_on_the_card_and_apart() {
        let room = Rect::from_min_size(pos2(10.0, 20.0), vec2(156.0, 100.0));
        for count in 1..=6 {
            let mut placed = Vec::new();
            symbols(room, count, |size, center| placed.push((size, center)));
            assert_eq!(placed.len(), count);
            for (i, (size, center)) in placed.iter().enumerate() {
                // No symbol is wider than a quarter of its card or higher than 0.7 of it.
                let symbol = Rect::from_center_size(*center, vec2(0.26 * size.x, 0.7 * size.y));
                assert!(room.contains_rect(symbol), "{count}: {symbol:?}");
                for (_, other) in &placed[..i] {
                    let apart = (*center - *other).abs();
                    assert!(apart.x > 0.26 * size.x || apart.y > 0.7 * size.y, "{count}");
                }
            }
        }
    }
}
