//! The measured outlines of the classic deck's symbols and their positions on a card.
//!
//! The coordinate space of everything here: x in card long sides, y in card short sides, with the
//! card's long side horizontal and y down. One unit of x is therefore [`CARD_LONG_MM`] and one of y
//! [`CARD_SHORT_MM`].
//!
//! The outlines are in the file of the classic [deck](super::deck). They follow the outer edge of
//! the print, measured on 243 photographed symbols: 48 points each, closed (the last point joins
//! the first), anticlockwise on the screen. Each looks the same after half a turn; the squiggle is
//! not its own mirror image.

pub use super::card::{CARD_LONG_MM, CARD_SHORT_MM};
use super::card::{Number, Shape};
use super::deck::Deck;
use std::sync::LazyLock;

/// Distance between the centres of neighbouring symbols of the classic deck, in card long sides.
pub const SYMBOL_SPACING: f64 = 0.285;

/// The outline of a shape of the classic deck relative to its own centre (see the module's page for
/// units and order). For other decks: [`Deck::outline`].
pub fn symbol_outline(shape: Shape) -> &'static [(f64, f64); 48] {
    static OUTLINES: LazyLock<[[(f64, f64); 48]; 3]> = LazyLock::new(|| {
        let deck = Deck::classic();
        Shape::ALL.map(|shape| deck.outline(shape))
    });
    &OUTLINES[shape.index()]
}

/// The centres of the symbols on a card of the classic deck: x relative to the card's centre, in
/// card long sides, from left to right. Their y is 0.
pub const fn symbol_centers(number: Number) -> &'static [f64] {
    match number {
        Number::One => &[0.0],
        Number::Two => &[-SYMBOL_SPACING / 2.0, SYMBOL_SPACING / 2.0],
        Number::Three => &[-SYMBOL_SPACING, 0.0, SYMBOL_SPACING],
    }
}

/// A coordinate of a Catmull-Rom spline, `t` of the way (0 to 1) from the second of four points to the
/// third.
fn catmull_rom([a, b, c, d]: [f64; 4], t: f64) -> f64 {
    b + 0.5 * t * (c - a + t * (2.0 * a - 5.0 * b + 4.0 * c - d + t * (3.0 * (b - c) + d - a)))
}

/// Points along a closed Catmull-Rom spline through `points`: each of them, and three between it
/// and the next.
pub fn closed_spline(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    const PIECES: usize = 4;
    let n = points.len();
    let mut smooth = Vec::with_capacity(n * PIECES);
    for i in 0..n {
        let p = [points[(i + n - 1) % n], points[i], points[(i + 1) % n], points[(i + 2) % n]];
        for piece in 0..PIECES {
            let t = piece as f64 / PIECES as f64;
            smooth.push((catmull_rom(p.map(|p| p.0), t), catmull_rom(p.map(|p| p.1), t)));
        }
    }
    smooth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_are_symmetric_under_half_a_turn_and_fit_between_neighbours() {
        for shape in Shape::ALL {
            let outline = symbol_outline(shape);
            for (i, &(x, y)) in outline.iter().enumerate() {
                let (u, v) = outline[(i + 24) % 48];
                assert!((x + u).abs() < 2e-3 && (y + v).abs() < 2e-3, "{shape} {i}");
                assert!(x.abs() < SYMBOL_SPACING / 2.0 && y.abs() < 0.5);
            }
            let area: f64 = (0..48)
                .map(|i| (outline[i], outline[(i + 1) % 48]))
                .map(|(a, b)| a.0 * b.1 - b.0 * a.1)
                .sum::<f64>()
                / 2.0;
            assert!(area < 0.0, "{shape}: anticlockwise with y down");
        }
    }

    #[test]
    fn the_squiggle_has_a_handedness() {
        let outline = symbol_outline(Shape::Squiggle);
        let mirrored_is_near =
            outline.iter().all(|&(x, y)| outline.iter().any(|&(u, v)| (x + u).hypot(y - v) < 0.02));
        assert!(!mirrored_is_near);
    }
}
