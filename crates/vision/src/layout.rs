//! Groups the cards of a table into rows, as a person would.

use setsight_photo::geometry::{Point, Quad, bounding_box};

/// A card begins a new row if its centre lies this far below the row's, in heights of the card:
/// half a card down is the next row, less is a card laid carelessly.
const ROW_STEP: f64 = 0.5;
/// How well the sides must agree on a direction, 0 to 1, for the rows to follow it; the sides of a
/// heap do not agree on any.
const LEAST_AGREEMENT: f64 = 0.4;

/// Rows from top to bottom, each from left to right, as indices into the outlines (in pixels of the
/// upright photo). If the cards' sides agree on a direction, rows run along it, within 45 degrees
/// of horizontal.
pub fn rows(outlines: &[Quad]) -> Vec<Vec<usize>> {
    let tilt = common_tilt(outlines);
    let (sin, cos) = tilt.sin_cos();
    let level = |p: Point| Point::new(p.x * cos + p.y * sin, p.y * cos - p.x * sin);
    let centres: Vec<Point> = outlines.iter().map(|quad| level(quad.center())).collect();
    let mut order: Vec<usize> = (0..outlines.len()).collect();
    order.sort_by(|&a, &b| centres[a].y.total_cmp(&centres[b].y).then(a.cmp(&b)));
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for i in order {
        let joins = rows.last().is_some_and(|row| {
            let middle = row.iter().map(|&j| centres[j].y).sum::<f64>() / row.len() as f64;
            let (top, bottom) = bounding_box(outlines[i].0.map(level));
            centres[i].y - middle < ROW_STEP * (bottom.y - top.y)
        });
        match rows.last_mut() {
            Some(row) if joins => row.push(i),
            _ => rows.push(vec![i]),
        }
    }
    for row in &mut rows {
        row.sort_by(|&a, &b| centres[a].x.total_cmp(&centres[b].x).then(a.cmp(&b)));
    }
    rows
}

/// The direction of the cards' sides, in radians, modulo quarter turns: the circular mean of four
/// times the angle, which is the same for all sides of a rectangle. 0 if the sides do not agree.
fn common_tilt(outlines: &[Quad]) -> f64 {
    let (mut x, mut y, mut n) = (0.0, 0.0, 0.0);
    for quad in outlines {
        for i in 0..4 {
            let side = quad.0[(i + 1) % 4] - quad.0[i];
            let angle = 4.0 * side.y.atan2(side.x);
            (x, y, n) = (x + angle.cos(), y + angle.sin(), n + 1.0);
        }
    }
    if f64::hypot(x, y) < LEAST_AGREEMENT * n { 0.0 } else { f64::atan2(y, x) / 4.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Three rows of four cards with horizontal long sides, the whole table turned about its
    /// corner.
    fn board(turn: f64) -> Vec<Quad> {
        let (sin, cos) = turn.sin_cos();
        (0..12)
            .map(|i| {
                Quad::new(Quad::rectangle(90.0, 60.0).0.map(|p| {
                    let p = p + Point::new((i % 4) as f64 * 110.0, (i / 4) as f64 * 80.0);
                    Point::new(p.x * cos - p.y * sin, p.x * sin + p.y * cos)
                }))
            })
            .collect()
    }

    proptest! {
        #[test]
        fn a_board_stays_in_its_rows_when_the_camera_turns(turn in -0.7..0.7f64, jitter in 0.0..9.0f64) {
            let mut board = board(turn);
            for (i, quad) in board.iter_mut().enumerate() {
                let shift = Point::new(0.0, if i % 2 == 0 { jitter } else { -jitter });
                *quad = Quad::new(quad.0.map(|p| p + shift));
            }
            let expected: Vec<Vec<usize>> = (0..3).map(|r| (4 * r..4 * r + 4).collect()).collect();
            prop_assert_eq!(rows(&board), expected);
        }

        #[test]
        fn every_card_stands_once(xs in prop::collection::vec((0.0..500.0f64, 0.0..500.0f64, 0.0..7.0f64), 0..20)) {
            let quads: Vec<Quad> = xs.iter().map(|&(x, y, a)| {
                let (s, c) = a.sin_cos();
                Quad::new(Quad::rectangle(90.0, 60.0).0.map(|p| Point::new(x + p.x * c - p.y * s, y + p.x * s + p.y * c)))
            }).collect();
            let mut all: Vec<usize> = rows(&quads).concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..quads.len()).collect::<Vec<_>>());
        }
    }
}
