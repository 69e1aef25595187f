//! Finds cards whose symbols cannot be read: regions of the binary maps with a card's shape and, on
//! the table that the other cards determine, a card's size.
//!
//! The reader decides whether such a region is a card, or else a card's back or a phone.

use super::components::{Component, Components};
use super::maps::BinaryMap;
use super::shape::MomentFrame;
use crate::find::plane::{CARD_ASPECT, TablePlane};
use crate::find::working::Working;
use crate::find::working::WorkingQuad;
use setsight_photo::geometry::Point;
use std::sync::LazyLock;

/// Thresholds for a card's border.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Shortest bounding box (longer side), in working pixels.
    pub smallest_px: f64,
    /// Least share of the probes around a rectangle's sides that agree with it.
    pub iou: f64,
    /// Largest mean distance of the corners from a card on the table, in card short sides.
    pub misfit: f64,
    /// Number of maps that must show the region; a chance shape appears in one.
    pub votes: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { smallest_px: 36.0, iou: 0.91, misfit: 0.13, votes: 2 }
    }
}

/// Collects rectangular regions, map by map.
#[derive(Debug)]
pub struct BorderSearch {
    params: Params,
    largest_px: f64,
    quads: Vec<WorkingQuad>,
}

/// Rotations of the moment frame that are tried, in radians. In this frame a rectangle is a square,
/// so 45 degrees to either side cover all.
const TURNS: [f64; 9] = [0.0, 0.09, -0.09, 0.18, -0.18, 0.36, -0.36, 0.6, -0.6];

/// Half the side of a square of unit variance: the square root of three.
const SQUARE_REACH: f64 = 1.732_050_807_568_877_2;

/// Points in the moment frame just inside and just outside a square's sides, and whether they are
/// inside. A few dozen points identify a rectangle as well as a whole mask does.
static PROBES: LazyLock<Vec<(Point, bool)>> = LazyLock::new(|| {
    let mut probes = Vec::new();
    for along in [-0.84, -0.6, -0.36, -0.12, 0.12, 0.36, 0.6, 0.84] {
        for (out, inside) in [(0.91, true), (1.09, false)] {
            let (a, o) = (along * SQUARE_REACH, out * SQUARE_REACH);
            for p in [Point::new(a, o), Point::new(a, -o), Point::new(o, a), Point::new(-o, a)] {
                probes.push((p, inside));
            }
        }
    }
    probes
});

impl BorderSearch {
    /// For the maps of one working image.
    pub fn new(working: &Working, params: &Params) -> Self {
        // A single card may fill the photo.
        let largest_px = 0.9 * working.width.max(working.height) as f64;
        Self { params: *params, largest_px, quads: Vec::new() }
    }

    /// Collects the rectangular regions of one map.
    pub fn add(&mut self, map: &BinaryMap<'_>, components: &Components) {
        for component in &components.all {
            if let Some(quad) = self.rectangle(map, components, component) {
                self.quads.push(quad);
            }
        }
    }

    fn rectangle(
        &self,
        map: &BinaryMap<'_>,
        components: &Components,
        component: &Component,
    ) -> Option<WorkingQuad> {
        let [left, top, right, bottom] = component.bounds;
        let (w, h) = (f64::from(right - left) * map.step, f64::from(bottom - top) * map.step);
        if w.max(h) < self.params.smallest_px
            || w.max(h) > self.largest_px
            || w.min(h) < 0.25 * self.params.smallest_px
        {
            return None;
        }
        let frame = MomentFrame::new(&component.filled)?;
        // A rectangle has 0.955; rounded corners raise this a little.
        if !(0.92..0.99).contains(&frame.compactness()) || frame.elongation() > 4.0 {
            return None;
        }
        let likeness_at = |turn: f64| {
            let (sin, cos) = turn.sin_cos();
            let (x_axis, y_axis) =
                (frame.minor * cos - frame.major * sin, frame.minor * sin + frame.major * cos);
            let right = PROBES.iter().filter(|(p, expected)| {
                let at = frame.center + x_axis * p.x + y_axis * p.y;
                let inside = at.x >= 0.0
                    && at.y >= 0.0
                    && components.filled_contains(component, at.x as i32, at.y as i32);
                inside == *expected
            });
            right.count() as f64 / PROBES.len() as f64
        };
        let (turn, iou) = TURNS
            .into_iter()
            .map(|turn| (turn, likeness_at(turn)))
            .max_by(|a, b| a.1.total_cmp(&b.1))?;
        if iou < self.params.iou {
            return None;
        }
        let reach = SQUARE_REACH;
        let corner = |x: f64, y: f64| {
            frame.image_from_frame(Point::new(x * reach, y * reach), turn) * map.step
        };
        Some(WorkingQuad::of([corner(-1., -1.), corner(1., -1.), corner(1., 1.), corner(-1., 1.)]))
    }

    /// The regions that have a card's size on the table, each once, with corners in a card's order.
    pub fn cards_on(self, table: &TablePlane) -> Vec<WorkingQuad> {
        let mut fitting: Vec<(f64, WorkingQuad)> = self
            .quads
            .iter()
            .filter_map(|quad| {
                let quad = if quad.signed_area() < 0.0 {
                    WorkingQuad::of([quad.0[0], quad.0[3], quad.0[2], quad.0[1]])
                } else {
                    *quad
                };
                let mut turned = quad;
                turned.0.rotate_left(1);
                [quad, turned]
                    .into_iter()
                    .map(|q| (table.misfit(&q), q))
                    .min_by(|a, b| a.0.total_cmp(&b.0))
                    .filter(|(misfit, _)| *misfit < self.params.misfit)
            })
            .collect();
        fitting.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut cards: Vec<(WorkingQuad, usize)> = Vec::new();
        for (_, quad) in fitting {
            let near = |other: &WorkingQuad| {
                other.center().distance(quad.center()) < 0.4 * other.long_side() / CARD_ASPECT
            };
            match cards.iter_mut().find(|(other, _)| near(other)) {
                Some((_, votes)) => *votes += 1,
                None => cards.push((quad, 1)),
            }
        }
        cards.retain(|(_, votes)| *votes >= self.params.votes);
        cards.into_iter().map(|(quad, _)| quad).collect()
    }
}
