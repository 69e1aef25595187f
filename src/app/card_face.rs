//! A card drawn with lines and surfaces: sharp at any size.

use super::settings::{Palette, Settings};
use crate::cards::outline::{CARD_LONG_MM, CARD_SHORT_MM, symbol_centers, symbol_outline};
use crate::cards::{Card, Shading, Shape};
use eframe::egui::epaint::Mesh;
use eframe::egui::{
    Align2, Color32, CornerRadius, FontId, Painter, Pos2, Rect, Shape as Ink, Stroke, StrokeKind,
    Vec2, pos2, vec2,
};
use std::sync::LazyLock;

/// Width of a card over its height, lying.
pub const ASPECT: f32 = (CARD_LONG_MM / CARD_SHORT_MM) as f32;

/// How many stripes go over a symbol's height.
const STRIPES: usize = 13;

/// The triangles of the three symbols' outlines, as indices of their 48 points.
static TRIANGLES: LazyLock<[Vec<[usize; 3]>; 3]> =
    LazyLock::new(|| Shape::ALL.map(|shape| triangles(symbol_outline(shape))));

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

/// The largest card that fits into a rectangle, in its middle.
pub fn fitted(room: Rect) -> Rect {
    let width = room.width().min(room.height() * ASPECT);
    Rect::from_center_size(room.center(), vec2(width, width / ASPECT))
}

/// Paints a card that fills `rect` (of the proportions [`ASPECT`]).
pub fn paint(painter: &Painter, rect: Rect, card: Card, settings: &Settings) {
    let radius = CornerRadius::same((rect.height() * 0.1).clamp(1.0, 40.0) as u8);
    painter.rect_filled(rect, radius, Color32::from_rgb(253, 252, 248));
    let edge = Stroke::new((rect.height() * 0.012).max(1.0), Color32::from_rgb(190, 186, 176));
    painter.rect_stroke(rect, radius, edge, StrokeKind::Inside);
    let ink = settings.palette.ink(card.color);
    for &x in symbol_centers(card.number) {
        let center = rect.center() + vec2(x as f32 * rect.width(), 0.0);
        symbol(painter, center, rect.size(), card.shape, card.shading, ink);
    }
    if settings.letters {
        let letter = card.color.letter().to_ascii_uppercase();
        let size = (rect.height() * 0.2).clamp(7.0, 26.0);
        let at = rect.left_top() + vec2(rect.height() * 0.08, rect.height() * 0.04);
        painter.text(at, Align2::LEFT_TOP, letter, FontId::proportional(size), ink);
    }
}

/// Paints one symbol around `center`, as it is on a card of this size.
pub fn symbol(
    painter: &Painter,
    center: Pos2,
    card_size: Vec2,
    shape: Shape,
    shading: Shading,
    ink: Color32,
) {
    let outline = symbol_outline(shape);
    let place = |(x, y): (f64, f64)| center + vec2(x as f32, y as f32) * card_size;
    let points: Vec<Pos2> = outline.iter().copied().map(place).collect();
    let pen = (card_size.x * 0.016).max(1.0);
    match shading {
        Shading::Filled => {
            let mut mesh = Mesh::default();
            for &p in &points {
                mesh.colored_vertex(p, ink);
            }
            for &[a, b, c] in &TRIANGLES[shape.index()] {
                mesh.add_triangle(a as u32, b as u32, c as u32);
            }
            painter.add(Ink::mesh(mesh));
        }
        Shading::Striped => {
            let fine = Stroke::new((pen * 0.55).max(0.7), ink);
            for i in 0..STRIPES {
                let y = (i as f64 + 0.5) / STRIPES as f64 * 0.68 - 0.34;
                for (from, to) in crossings(outline, y) {
                    painter.add(Ink::line_segment([place((from, y)), place((to, y))], fine));
                }
            }
        }
        Shading::Open => {}
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

/// Paints the place where a card may lie.
pub fn paint_gap(painter: &Painter, rect: Rect, line: Color32) {
    let points: Vec<Pos2> = [
        rect.left_top(),
        rect.right_top(),
        rect.right_bottom(),
        rect.left_bottom(),
        rect.left_top(),
    ]
    .to_vec();
    painter.extend(Ink::dashed_line(&points, Stroke::new(1.0, line), 5.0, 5.0));
}

/// A disc with a set's number, such as outlines carry.
pub fn disc(painter: &Painter, center: Pos2, radius: f32, color: Color32, label: &str) {
    painter.circle_filled(center, radius + 1.5, super::theme::RIM);
    painter.circle_filled(center, radius, color);
    let size = radius * if label.chars().count() > 1 { 1.15 } else { 1.4 };
    let text = super::theme::text_on(color);
    painter.text(center, Align2::CENTER_CENTER, label, FontId::proportional(size), text);
}

/// The colour of a set in the palette chosen.
pub fn set_color(palette: Palette, place: usize) -> Color32 {
    palette.set_color(place)
}

/// Corners of a card of this size at a place: for tests and small pictures.
pub fn rect_at(min: Pos2, width: f32) -> Rect {
    Rect::from_min_size(pos2(min.x, min.y), vec2(width, width / ASPECT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_cover_each_symbol_once() {
        for shape in Shape::ALL {
            let outline = symbol_outline(shape);
            let area = |points: &[(f64, f64)]| {
                let n = points.len();
                (0..n)
                    .map(|i| (points[i], points[(i + 1) % n]))
                    .map(|(a, b)| a.0 * b.1 - b.0 * a.1)
                    .sum::<f64>()
                    .abs()
                    / 2.0
            };
            let parts: f64 =
                TRIANGLES[shape.index()].iter().map(|t| area(&t.map(|i| outline[i]))).sum();
            assert!((parts / area(outline) - 1.0).abs() < 1e-6, "{shape}: {parts}");
        }
    }

    #[test]
    fn stripes_stay_inside() {
        for shape in Shape::ALL {
            for i in 0..STRIPES {
                let y = (i as f64 + 0.5) / STRIPES as f64 * 0.68 - 0.34;
                for (from, to) in crossings(symbol_outline(shape), y) {
                    assert!(from < to && from > -0.15 && to < 0.15, "{shape} {y}");
                }
            }
        }
    }
}
