//! One tracked card: its state, and how detections change it.

use crate::detect::{self, Detection};
use crate::grey::{Grey, Thumbnail};
use crate::{evidence::Evidence, table_tracker::Params};
use setsight_game::cards::Card;
use setsight_photo::geometry::{Homography, Quad};
use setsight_vision::{CardOutline, Guess};
use std::sync::Arc;

/// A tracked card.
#[derive(Clone, Debug)]
pub struct Track {
    /// Identity; never reused for another card.
    pub id: u64,
    /// The measured corners, in pixels of the frame.
    pub quad: Quad,
    /// The drawn corners, which follow `quad` smoothly.
    pub drawn: Quad,
    /// The combined readings.
    pub evidence: Evidence,
    /// The card as displayed, with its confidence and whether it is unsure.
    pub shown: Option<(Card, f32, bool)>,
    /// The other cards that it may be, most probable first.
    pub alternatives: Vec<Guess>,
    /// Whether its picture differs from the reference.
    pub hidden: bool,
    /// Whether its symbols are hidden at present; fingers on its blank border do not count.
    pub covered: bool,
    /// Whether the camera's motion was lost since a detection found the card: it may lie elsewhere.
    pub(super) position_unverified: bool,
    /// When it was first detected, in milliseconds.
    pub since_ms: f64,
    pub(super) outline: CardOutline,
    /// Its thumbnail when it was last read, or last found unchanged in focus.
    pub(super) reference: Thumbnail,
    pub(super) last: Thumbnail,
    /// Time from which its picture has differed from the reference; `None` while it does not
    /// differ.
    pub(super) hidden_since: Option<f64>,
    pub(super) still_since: f64,
    /// It was hidden since its last reading: another card may have come.
    pub(super) doubtful: bool,
    /// Another card that it was read as since then, and how many times in a row.
    pub(super) another: Option<(Card, u32)>,
    pub(super) readings: u32,
    pub(super) looks: u32,
    pub(super) contradicted: u32,
    /// Number of detections in a row that found it away from its place.
    pub(super) elsewhere: u32,
    /// Number of detections in a row that did not find it, although its picture is unchanged: at
    /// the edge of a hard shadow, the thumbnails of card and table are similar.
    pub(super) missed: u32,
    /// Time from which it is known to be no card. The place is kept, so that it is not read again
    /// and again.
    pub(super) no_card: Option<f64>,
    /// Colour of the table around it.
    pub(super) ground: Option<detect::Ground>,
}

pub(super) struct PendingDetection {
    pub(super) number: u64,
    pub(super) grey: Arc<Grey>,
    pub(super) now_from_request: Homography,
    /// Whether the motion since the request is known.
    pub(super) followed: bool,
    pub(super) quality: f32,
    /// Whether the motion up to its frame is unknown.
    pub(super) lost: bool,
}

impl Track {
    /// Updates the flags by comparing the card's thumbnail with the reference.
    pub(super) fn thumbnail(&mut self, grey: &Grey, time_ms: f64, params: &Params) {
        let Some(now) = grey.thumbnail(&self.quad) else {
            self.hidden = true;
            self.covered = true;
            self.hidden_since.get_or_insert(time_ms);
            return;
        };
        // Under a moving camera a textured table is never quite still, but its pictures stay
        // correlated.
        let still = now.difference(&self.last) <= params.still_levels
            || now.correlation(&self.last) > params.still_correlation;
        if !still {
            self.still_since = time_ms;
        }
        let correlation = now.correlation(&self.reference);
        self.last = now;
        let overlooked = self.missed > params.misses;
        if correlation >= params.alike && !overlooked {
            self.hidden = false;
            self.hidden_since = None;
        } else if correlation < params.unlike || overlooked {
            self.hidden = true;
            self.doubtful = true;
            self.hidden_since.get_or_insert(time_ms);
        }
        let count = self.shown.map_or(3, |(card, ..)| card.number.index() + 1);
        // Something on its border explains why detections miss it.
        let unexplained = overlooked && correlation >= params.unlike;
        self.covered = self.hidden
            && (unexplained
                || self.last.symbols(count).correlation(&self.reference.symbols(count))
                    < params.alike);
    }

    /// Whether its sets are suspended: its symbols are covered, or several detections in a row
    /// missed it although its picture is unchanged.
    pub(super) fn rests(&self) -> bool {
        self.covered || self.missed > 1 && !self.hidden
    }

    pub(super) fn is_settled(&self, params: &Params) -> bool {
        let (weight, probability) = params.settled;
        self.no_card.is_some()
            || self.readings >= params.most_readings
            || self.evidence.weight() >= weight
                && self.evidence.reading().best().1 >= probability
                && self.shown.is_some_and(|(.., unsure)| !unsure)
    }

    /// Whether it was known to be no card, but may be one now.
    pub(super) fn is_card_again(&self, time_ms: f64, params: &Params) -> bool {
        self.no_card.is_some_and(|since| {
            let looks_another = self.last.correlation(&self.reference) < params.alike;
            looks_another || self.elsewhere > 0 || time_ms - since > params.no_card_ms
        })
    }

    /// Whether another card has replaced the hidden one. Two detections in a row must say so, or
    /// three if the picture matches the reference.
    pub(super) fn is_replaced_by(
        &mut self,
        detection: &Detection,
        quality: f32,
        correlation: f64,
        params: &Params,
    ) -> bool {
        let Some(reading) = detection.reading.as_ref().filter(|_| self.doubtful && quality > 0.5)
        else {
            return false;
        };
        let (card, probability) = reading.best();
        if card == self.evidence.reading().best().0 || reading.is_card < 0.5 || probability < 0.8 {
            self.another = None;
            return false;
        }
        let before = self.another.filter(|&(other, _)| other == card).map_or(0, |(_, times)| times);
        self.another = Some((card, before + 1));
        before + 1 >= if correlation >= params.alike { 3 } else { 2 }
    }

    /// Applies a detection of this card.
    pub(super) fn apply(
        &mut self,
        detection: &Detection,
        quad: Quad,
        then: Thumbnail,
        pending: &PendingDetection,
        params: &Params,
    ) {
        let correlation = then.correlation(&self.reference);
        if let Some(reading) = &detection.reading {
            if self.doubtful && pending.quality > 0.5 {
                // It is read again after it was hidden: most likely it is the same card.
                self.evidence.doubt(0.8);
                self.readings = 0;
            }
            self.evidence.add(
                reading,
                pending.quality,
                &pending.grey,
                &detection.outline.corners_in_image,
            );
            if pending.quality > 0.5 {
                self.readings += 1;
                self.reference = then;
                self.doubtful = false;
                self.hidden = false;
                self.covered = false;
                self.hidden_since = None;
            }
        } else if correlation >= params.alike && pending.quality > 0.5 {
            self.reference = then;
        }
        let quad = in_order_of(quad, &self.quad);
        let off = apart(&quad, &self.quad);
        self.looks += 1;
        let name = self.evidence.reading().best().0;
        let agrees = detection.reading.as_ref().is_some_and(|reading| reading.best().0 == name);
        self.elsewhere = if off > PUSHED { self.elsewhere + 1 } else { 0 };
        let share = if off > PUSHED {
            // If its picture is unchanged, or the same card is read there repeatedly, it was
            // pushed. Otherwise half of it is covered, and the rest was taken for a whole card.
            self.doubtful |= !agrees;
            if correlation >= params.alike || agrees && self.elsewhere > 3 { 1.0 } else { 0.0 }
        } else if self.looks < 4 {
            0.5
        } else if correlation >= params.alike {
            0.2
        } else {
            0.05 // A cover also distorts the outline.
        };
        for (old, measured) in self.quad.0.iter_mut().zip(quad.0) {
            *old = old.lerp(measured, share);
        }
        if detection.ground.is_some() {
            self.ground = detection.ground;
        }
        // A partly covered card is still a card: keep its score.
        let score = if correlation >= params.alike && pending.quality > 0.5 {
            self.outline.score + (detection.outline.score - self.outline.score) * SCORE_SHARE
        } else {
            self.outline.score
        };
        self.outline =
            CardOutline { corners_in_image: self.quad, score, ..detection.outline.clone() };
    }

    /// Whether a card that a detection missed has left the table.
    pub(super) fn is_gone(&self, bare: bool, time_ms: f64, params: &Params) -> bool {
        if self.no_card.is_some() {
            return true; // Not even an outline is left.
        }
        let Some(since) = self.hidden_since else {
            return bare && self.missed >= params.misses;
        };
        // It may have been still before it was hidden.
        let still_ms = time_ms - self.still_since.max(since);
        bare && still_ms >= params.bare_ms
            || still_ms >= params.hidden_still_ms
            || time_ms - since >= params.hidden_ms
    }

    pub(super) fn show(&mut self, card: Card, confidence: f32, unsure: bool, params: &Params) {
        // A single reading needs a high confidence, unless the picture is a still, which allows no
        // other reading.
        let alone = self.evidence.weight() < 1.2 && !self.evidence.is_of_a_still();
        let unsure = unsure || alone && confidence < 0.97;
        match self.shown {
            Some((old, _, false)) if old != card => {
                self.contradicted += 1;
                if self.contradicted >= params.contradictions && !unsure {
                    self.shown = Some((card, confidence, unsure));
                    self.contradicted = 0;
                } else if self.contradicted >= params.contradictions {
                    self.shown = Some((old, 1.0 - confidence, true));
                }
            }
            Some((old, _, false)) if unsure && old == card => {
                // The card was sure before, and nothing suggests another card.
                self.shown = Some((
                    old,
                    confidence,
                    confidence < 0.5 * params.board.calibration.least_confidence,
                ));
            }
            _ => {
                self.contradicted = 0;
                self.shown = Some((card, confidence, unsure));
            }
        }
    }
}

/// Distance of a corner, as a share of the card's long side, from which it is no measurement error:
/// the card was pushed.
const PUSHED: f64 = 0.15;

/// Largest distance between corresponding corners, as a share of the long side.
pub(super) fn apart(quad: &Quad, from: &Quad) -> f64 {
    let off = (0..4).map(|i| quad.0[i].distance(from.0[i])).fold(0.0, f64::max);
    off / from.long_side().max(1.0)
}

/// Weight of a new detection's score relative to the earlier ones.
const SCORE_SHARE: f64 = 0.4;

/// Renumbers the corners of `quad` to match those of `like`: the rotation that moves them least.
pub(super) fn in_order_of(quad: Quad, like: &Quad) -> Quad {
    let turned = (0..4).map(|n| {
        let mut corners = quad.0;
        corners.rotate_left(n);
        let off = corners.iter().zip(like.0).map(|(a, b)| a.distance(b)).sum::<f64>();
        (off, Quad::new(corners))
    });
    turned.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(quad, |(_, nearest)| nearest)
}
