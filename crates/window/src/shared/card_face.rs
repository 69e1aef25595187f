//! A card drawn with lines and surfaces: sharp at any size.

use crate::shared::picture::corners_of;
use crate::shared::settings::{Palette, Settings};
use crate::shared::theme::{RIM, SET_COLORS, text_on};
use eframe::egui::{
    Align2, Color32, CornerRadius, FontId, Painter, Pos2, Rect, Shape as Ink, Stroke, StrokeKind,
    Vec2, epaint::Mesh, pos2, vec2,
};
use setsight_game::cards::{
    Card, Deck, Shading, Shape,
    deck::FillKind,
    outline::{CARD_LONG_MM, CARD_SHORT_MM},
};
use std::{borrow::Cow, f32::consts::TAU, sync::LazyLock};

/// Width of a card over its height, lying.
pub(crate) const ASPECT: f32 = (CARD_LONG_MM / CARD_SHORT_MM) as f32;

/// The ground of a card.
pub(crate) const WHITE: Color32 = Color32::from_rgb(253, 252, 248);

/// How many stripes go over a symbol's height: fewer than on a card, for a small picture.
const STRIPES: usize = 13;

/// Triangles of an outline, as indices of its 48 points.
type Triangles = Vec<[usize; 3]>;

/// Those of the known decks' symbols.
static TRIANGLES: LazyLock<[[Triangles; 3]; 2]> = LazyLock::new(|| {
    [Deck::classic(), Deck::rectangles()]
        .map(|deck| Shape::ALL.map(|shape| triangles(&deck.outline(shape))))
});

/// Cuts a symbol into triangles; those of the known decks are cut once.
fn triangles_of(deck: &Deck, shape: Shape) -> Cow<'static, Triangles> {
    match Deck::NAMES.iter().position(|name| *name == deck.name) {
        Some(place) => Cow::Borrowed(&TRIANGLES[place][shape.index()]),
        None => Cow::Owned(triangles(&deck.outline(shape))),
    }
}

/// Cuts a polygon into triangles by cutting off its ears (Meisters 1975). Anticlockwise on the
/// screen, y down.
fn triangles(outline: &[(f64, f64)]) -> Vec<[usize; 3]> {
    let cross = |a: usize, b: usize, c: usize| {
        let (a, b, c) = (outline[a], outline[b], outline[c]);
        (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
    };
    let mut left: Vec<usize> = (0..outline.len()).collect();
    let mut cut = Vec::new();
    while left.len() > 3 {
        let n = left.len();
        let ear = (0..n).find(|&i| {
            let [a, b, c] = [left[(i + n - 1) % n], left[i], left[(i + 1) % n]];
            cross(a, b, c) < 0.0
                && left
                    .iter()
                    .filter(|&&p| p != a && p != b && p != c)
                    .all(|&p| cross(a, b, p) > 0.0 || cross(b, c, p) > 0.0 || cross(c, a, p) > 0.0)
        });
        // A polygon always has an ear; rounding could hide it.
        let i = ear.unwrap_or(0);
        cut.push([left[(i + n - 1) % n], left[i], left[(i + 1) % n]]);
        left.remove(i);
    }
    cut.push([left[0], left[1], left[2]]);
    cut
}

/// Paints a card of the classic deck that fills `rect` (of the proportions [`ASPECT`]).
pub(crate) fn paint(painter: &Painter, rect: Rect, card: Card, settings: &Settings) {
    paint_of(painter, rect, &Deck::classic(), card, settings);
}

/// The same of any deck.
pub(crate) fn paint_of(
    painter: &Painter,
    rect: Rect,
    deck: &Deck,
    card: Card,
    settings: &Settings,
) {
    let radius = CornerRadius::same((rect.height() * 0.1).clamp(1.0, 40.0) as u8);
    painter.rect_filled(rect, radius, WHITE);
    let edge = Stroke::new((rect.height() * 0.012).max(1.0), Color32::from_rgb(190, 186, 176));
    painter.rect_stroke(rect, radius, edge, StrokeKind::Inside);
    // A palette has inks for the game's three colours only.
    let usual = deck.inks[card.color.index()].name == card.color.word();
    let [r, g, b] = deck.srgb(card.color);
    let ink = if usual { settings.palette.ink(card.color) } else { Color32::from_rgb(r, g, b) };
    for x in deck.symbol_centers(card.number) {
        let center = rect.center() + vec2(x as f32 * rect.width(), 0.0);
        symbol(painter, center, rect.size(), deck, (card.shape, card.shading), ink);
    }
    if settings.letters {
        let letter = card.color.letter().to_ascii_uppercase();
        let size = (rect.height() * 0.2).clamp(7.0, 26.0);
        let at = rect.left_top() + vec2(rect.height() * 0.08, rect.height() * 0.04);
        painter.text(at, Align2::LEFT_TOP, letter, FontId::proportional(size), ink);
    }
}

/// Paints one symbol around `center`, as it is on a card of this size.
pub(crate) fn symbol(
    painter: &Painter,
    center: Pos2,
    card_size: Vec2,
    deck: &Deck,
    (shape, shading): (Shape, Shading),
    ink: Color32,
) {
    let outline = &deck.outline(shape);
    let place = |(x, y): (f64, f64)| center + vec2(x as f32, y as f32) * card_size;
    let points: Vec<Pos2> = outline.iter().copied().map(place).collect();
    let pen = (card_size.x * 0.016).max(1.0);
    let fine = Stroke::new((pen * 0.55).max(0.7), ink);
    let level = |i: usize| (i as f64 + 0.5) / STRIPES as f64 * 0.68 - 0.34;
    let across = |y: f64, stroke: Stroke| {
        for (from, to) in crossings(outline, y) {
            painter.add(Ink::line_segment([place((from, y)), place((to, y))], stroke));
        }
    };
    let turned: Vec<(f64, f64)> = outline.iter().map(|&(x, y)| (y, x)).collect();
    let down = |x: f64| {
        for (from, to) in crossings(&turned, x) {
            painter.add(Ink::line_segment([place((x, from)), place((x, to))], fine));
        }
    };
    // From stripe to stripe, in card long sides.
    let step = 0.68 / STRIPES as f64 * CARD_SHORT_MM / CARD_LONG_MM;
    let columns = || (-3..=3).map(|i| f64::from(i) * step);
    match deck.fill(shading).kind {
        FillKind::Solid => {
            let mut mesh = Mesh::default();
            for &p in &points {
                mesh.colored_vertex(p, ink);
            }
            for &[a, b, c] in triangles_of(deck, shape).iter() {
                mesh.add_triangle(a as u32, b as u32, c as u32);
            }
            painter.add(Ink::mesh(mesh));
        }
        FillKind::Stripes => (0..STRIPES).for_each(|i| across(level(i), fine)),
        FillKind::Bars => columns().for_each(down),
        FillKind::Crosshatch => {
            (0..STRIPES).for_each(|i| across(level(i), fine));
            columns().for_each(down);
        }
        FillKind::Gradient => {
            let wide = card_size.y * 0.68 / STRIPES as f32;
            for i in 0..STRIPES {
                let part = (i as f32 + 0.5) / STRIPES as f32;
                across(level(i), Stroke::new(wide * part, ink));
            }
        }
        FillKind::Dots | FillKind::Strokes | FillKind::Checks => {
            for i in 0..STRIPES {
                let shift = if i % 2 == 0 { 0.0 } else { 0.5 * step };
                for (from, to) in crossings(outline, level(i)) {
                    let inside = columns().map(|x| x + shift).filter(|x| (from..to).contains(x));
                    for x in inside {
                        painter.circle_filled(place((x, level(i))), 0.8 * fine.width, ink);
                    }
                }
            }
        }
        FillKind::None => {}
    }
    painter.add(Ink::closed_line(points, Stroke::new(pen, ink)));
}

/// Where a level line is inside an outline, as intervals of x.
fn crossings(outline: &[(f64, f64)], y: f64) -> Vec<(f64, f64)> {
    let n = outline.len();
    let mut xs: Vec<f64> = (0..n)
        .filter_map(|i| {
            let ((x0, y0), (x1, y1)) = (outline[i], outline[(i + 1) % n]);
            ((y0 <= y) != (y1 <= y)).then(|| x0 + (y - y0) / (y1 - y0) * (x1 - x0))
        })
        .collect();
    xs.sort_by(f64::total_cmp);
    xs.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

/// Paints a card that lies face down.
pub(crate) fn paint_back(painter: &Painter, rect: Rect) {
    let radius = (rect.height() * 0.1).clamp(1.0, 40.0);
    painter.rect_filled(rect, radius, WHITE);
    let inner = rect.shrink(rect.height() * 0.07);
    painter.rect_filled(inner, 0.7 * radius, Color32::from_rgb(72, 92, 128));
    let line = Stroke::new((rect.height() * 0.02).max(1.0), Color32::from_rgb(150, 166, 196));
    painter.rect_stroke(inner.shrink(0.08 * rect.height()), 0.5 * radius, line, StrokeKind::Inside);
}

/// Paints the place where a card may lie.
pub(crate) fn paint_gap(painter: &Painter, rect: Rect, line: Color32) {
    let [a, b, c, d] = corners_of(rect);
    painter.extend(Ink::dashed_line(&[a, b, c, d, a], Stroke::new(1.0, line), 5.0, 5.0));
}

/// The mark of a set by its place, with its number: where colours come again it is no disc any more.
pub(crate) fn set_mark(
    painter: &Painter,
    center: Pos2,
    radius: f32,
    (place, label): (usize, &str),
    palette: Palette,
) {
    let color = palette.set_color(place);
    match place / SET_COLORS {
        0 => return disc(painter, center, radius, color, label),
        1 => {
            let rect = Rect::from_center_size(center, Vec2::splat(1.8 * radius));
            painter.rect_filled(rect.expand(1.5), 2.0, RIM);
            painter.rect_filled(rect, 2.0, color);
        }
        _ => {
            let corners = (0..4)
                .map(|i| center + 1.25 * radius * Vec2::angled(i as f32 * TAU / 4.0))
                .collect();
            painter.add(Ink::convex_polygon(corners, color, Stroke::new(1.5, RIM)));
        }
    }
    number(painter, center, radius, color, label);
}

/// A disc with a number, such as outlines carry.
pub(crate) fn disc(painter: &Painter, center: Pos2, radius: f32, color: Color32, label: &str) {
    painter.circle_filled(center, radius + 1.5, RIM);
    painter.circle_filled(center, radius, color);
    number(painter, center, radius, color, label);
}

fn number(painter: &Painter, center: Pos2, radius: f32, color: Color32, label: &str) {
    let size = radius * if label.chars().count() > 1 { 1.15 } else { 1.4 };
    let text = text_on(color);
    painter.text(center, Align2::CENTER_CENTER, label, FontId::proportional(size), text);
}

/// Corners of a card of this size at a place: for tests and small pictures.
pub(crate) fn rect_at(min: Pos2, width: f32) -> Rect {
    Rect::from_min_size(pos2(min.x, min.y), vec2(width, width / ASPECT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = (Deck, Shape)> {
        let drawn = [Deck::classic(), Deck::rectangles()].map(|deck| (*deck).clone());
        let decks = drawn.into_iter().chain((0..30).map(Deck::invented));
        decks.flat_map(|deck| Shape::ALL.map(|shape| (deck.clone(), shape)))
    }

    fn area(points: &[(f64, f64)]) -> f64 {
        let next = points.iter().cycle().skip(1);
        let sum: f64 = points.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum();
        sum.abs() / 2.0
    }

    #[test]
    fn triangles_cover_each_symbol_once() {
        for (deck, shape) in all() {
            let outline = &deck.outline(shape);
            let cut = triangles_of(&deck, shape);
            let parts: f64 = cut.iter().map(|t| area(&t.map(|i| outline[i]))).sum();
            assert!((parts / area(outline) - 1.0).abs() < 1e-6, "{shape}: {parts}");
        }
    }

    #[test]
    fn stripes_stay_inside() {
        for (deck, shape) in all() {
            for i in 0..STRIPES {
                let y = (i as f64 + 0.5) / STRIPES as f64 * 0.68 - 0.34;
                for (from, to) in crossings(&deck.outline(shape), y) {
                    assert!(from < to && from > -0.15 && to < 0.15, "{shape} {y}");
                }
            }
        }
    }
}
