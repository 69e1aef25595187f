//! Finds the cards again where the motion from the last frame to this one is unknown: by what was
//! read on them.

use super::Tracker;
use crate::{
    card::in_order_of,
    detect::{self, Detections, TrackedCard},
    grey::Grey,
};
use nalgebra::Matrix3;
use setsight_game::cards::Card;
use setsight_photo::geometry::{Homography, Point, Quad};
use setsight_vision::{CardOutline, Reading};

/// A tracked card that is read again: its old place and its new one.
type Pair = (Quad, Quad);

/// Largest distance of a card from where the other cards say that it lies, as a share of its long side.
const APART: f64 = 0.35;
/// Probability from which one card alone decides where all the rest lie.
const ALONE: f32 = 0.9;

impl Tracker {
    /// Moves the tracks to where a detection on the present frame read their cards, and decides anew
    /// which detection belongs to which track. Where it read none of them, the picture shows another
    /// place: they have departed.
    pub(super) fn relocate(&mut self, found: &mut Detections, grey: &Grey, time_ms: f64) {
        let mut pairs: Vec<(Pair, f32)> = Vec::new();
        let mut read: Vec<Card> = Vec::new();
        for detection in &found.cards {
            let reading = detection.reading.as_ref().filter(|reading| reading.is_card >= 0.5);
            let Some((card, probability)) = reading.and_then(likely_card) else { continue };
            read.push(card);
            let track = self.tracks.iter().find(|track| {
                likely_card(&track.evidence.reading()).is_some_and(|likely| likely.0 == card)
            });
            if let Some(track) = track {
                pairs.push(((track.quad, detection.outline.corners_in_image), probability));
            }
        }
        if let Some(now_from_before) = relocation(&pairs) {
            for track in &mut self.tracks {
                track.quad = now_from_before.apply_quad(&track.quad);
                track.drawn = track.quad;
            }
        } else if !read.is_empty() {
            self.depart(time_ms, |_| true);
        }
        self.look_at_places(grey, time_ms);
        found.bare.clear(); // It was looked for in the old places.
        let tracked: Vec<TrackedCard> = self.tracks.iter().map(TrackedCard::from_track).collect();
        let outlines: Vec<CardOutline> =
            found.cards.iter().map(|detection| detection.outline.clone()).collect();
        for (detection, place) in found.cards.iter_mut().zip(detect::places(&outlines, &tracked)) {
            detection.track = place.map(|k| tracked[k].id);
        }
    }
}

fn likely_card(reading: &Reading) -> Option<(Card, f32)> {
    Some(reading.best()).filter(|&(_, p)| p > 0.5)
}

/// The motion on which most pairs agree.
fn relocation(pairs: &[(Pair, f32)]) -> Option<Homography> {
    if let [((before, now), probability)] = pairs {
        let moved = Homography(shift(now.center() - before.center()));
        let ordered = in_order_of(*now, &moved.apply_quad(before));
        return (*probability >= ALONE).then(|| Homography::between(before, &ordered)).flatten();
    }
    let mut best: (Homography, Vec<Pair>) = (Homography(Matrix3::identity()), Vec::new());
    for (i, (a, _)) in pairs.iter().enumerate() {
        for (b, _) in &pairs[i + 1..] {
            let Some(motion) = similarity(a, b) else { continue };
            let agreeing = agreeing(&motion, pairs);
            if agreeing.len() > best.1.len() {
                best = (motion, agreeing);
            }
        }
    }
    let (motion, agreeing) = best;
    // Half of them are needed, lest two misread cards move all.
    if agreeing.len() < 2 || 2 * agreeing.len() < pairs.len() {
        return None;
    }
    let corners: Vec<(Point, Point)> = agreeing
        .iter()
        .flat_map(|(before, now)| {
            let now = in_order_of(*now, &motion.apply_quad(before));
            before.0.into_iter().zip(now.0)
        })
        .collect();
    Homography::fit(&corners, &vec![1.0; corners.len()]).or(Some(motion))
}

/// The pairs that a motion brings together.
fn agreeing(motion: &Homography, pairs: &[(Pair, f32)]) -> Vec<Pair> {
    let pairs = pairs.iter().map(|(pair, _)| *pair);
    pairs
        .filter(|(before, now)| {
            motion.apply(before.center()).distance(now.center()) < APART * now.long_side()
        })
        .collect()
}

fn shift(by: Point) -> Matrix3<f64> {
    Matrix3::new(1.0, 0.0, by.x, 0.0, 1.0, by.y, 0.0, 0.0, 1.0)
}

/// The shift, turn and scale between two pairs' centres, if the cards have grown or shrunk by as
/// much.
fn similarity(a: &Pair, b: &Pair) -> Option<Homography> {
    let (before, now) = (b.0.center() - a.0.center(), b.1.center() - a.1.center());
    let length = before.dot(before);
    if length < 1.0 {
        return None;
    }
    // Times the complex number now / before.
    let (re, im) = (before.dot(now) / length, before.cross(now) / length);
    let grown = (a.1.long_side() + b.1.long_side()) / (a.0.long_side() + b.0.long_side()).max(1.0);
    if !(0.7..1.4).contains(&(re.hypot(im) / grown)) {
        return None;
    }
    let turn = Matrix3::new(re, -im, 0.0, im, re, 0.0, 0.0, 0.0, 1.0);
    let origin = Point::new(0.0, 0.0);
    Some(Homography(shift(a.1.center()) * turn * shift(origin - a.0.center())))
}
