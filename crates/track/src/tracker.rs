//! The tracker: the state of each card from frame to frame.

mod relocate;

use crate::card::{PendingDetection, Track, apart, in_order_of};
use crate::detect::{Detection, Detections, Request, TrackedCard};
use crate::grey::{Grey, Thumbnail};
use crate::{evidence::Evidence, motion::Patches, table_tracker::Params};
use nalgebra::Matrix3;
use setsight_game::{cards::Card, sets::Set};
use setsight_photo::geometry::{Homography, Point, Quad};
use setsight_vision::{
    CardOutline, Guess, ReadCard, Reading, TableFacts, TableReading, board::Board, output::rows,
};
use std::sync::Arc;

/// What tracking adds to a card of a [`TrackedTable`].
#[derive(Clone, Debug, PartialEq)]
pub struct CardTrack {
    /// The card's identity; constant for as long as the card is on the table.
    pub id: u64,
    /// The combined readings.
    pub reading: Reading,
    /// Whether it is covered at present, for instance by a hand.
    pub hidden: bool,
}

/// The table in its current state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackedTable {
    /// The cards, and the sets among those that are sure and visible.
    pub table: TableReading,
    /// What tracking adds to each card of `table`.
    pub tracks: Vec<CardTrack>,
    /// Sets that are suspended because one of their cards is covered: it may be in a hand. Indices
    /// into the cards of `table`.
    pub resting: Vec<Set>,
    /// Identities of cards that were removed since the last call although they were not taken: they
    /// left the picture, or vanished while the camera's motion was unknown.
    pub departed: Vec<u64>,
    /// Whether any detection has been applied; before that, the table is unknown.
    pub looked: bool,
}

impl TrackedTable {
    /// Each card with what tracking adds to it, in reading order.
    pub fn cards(&self) -> impl Iterator<Item = (&ReadCard, &CardTrack)> {
        self.table.cards.iter().zip(&self.tracks)
    }

    /// Sure, visible cards; a card's place in the deck is its identity. For tests.
    #[doc(hidden)]
    pub fn sure(cards: impl IntoIterator<Item = setsight_game::cards::Card>) -> Self {
        let corners_in_image = Quad::rectangle(9.0, 6.0);
        let (cards, tracks) = cards
            .into_iter()
            .map(|card| {
                let id = card.index() as u64;
                let read = ReadCard::new(corners_in_image, card, 0.99, false);
                (read, CardTrack { id, reading: Reading::UNKNOWN, hidden: false })
            })
            .unzip();
        Self { table: TableReading::new(cards, (640, 480)), tracks, ..Self::default() }
    }
}

/// Tracks the cards of a film or a camera.
pub struct Tracker {
    params: Params,
    tracks: Vec<Track>,
    /// The table's facts; each detection updates them.
    facts: TableFacts,
    next_id: u64,
    now: Option<(f64, Arc<Grey>)>,
    patches: Patches,
    /// When the patches were chosen, in milliseconds.
    chosen_ms: f64,
    /// The last frame's motion, which is the initial guess for the next.
    motion: Homography,
    /// Texture of the last frame, relative to the best of the last seconds.
    focus: f32,
    /// Whether the last motion could not be estimated.
    lost: bool,
    /// Time between the last two frames, in milliseconds.
    elapsed_ms: f64,
    pending: Option<PendingDetection>,
    /// Time and picture of the frame of the last detection, and the motion from that frame to the
    /// current one.
    looked: Option<(f64, Arc<Grey>, Homography)>,
    /// Number of detections in a row that found no card.
    empty_detections: u32,
    /// Whether any detection has been applied.
    has_detections: bool,
    departed: Vec<u64>,
    absent: Vec<Absent>,
}

/// A sure card that left the picture without being taken. It keeps its claim on its code: there is
/// no second one in the deck.
#[derive(Clone, Debug)]
struct Absent {
    card: Card,
    reading: Reading,
    left_ms: f64,
}

fn identity() -> Homography {
    Homography(Matrix3::identity())
}

impl Tracker {
    /// Without any cards.
    pub fn new(params: Params) -> Self {
        Self {
            facts: params.facts.clone(),
            params,
            tracks: Vec::new(),
            next_id: 1,
            now: None,
            patches: Patches::default(),
            chosen_ms: 0.0,
            motion: identity(),
            focus: 1.0,
            lost: true,
            elapsed_ms: 0.0,
            pending: None,
            looked: None,
            empty_detections: 0,
            has_detections: false,
            departed: Vec::new(),
            absent: Vec::new(),
        }
    }

    /// Whether the frames come so slowly that a detection is to be applied to the very frame that it
    /// was asked for.
    pub fn is_slow(&self) -> bool {
        self.elapsed_ms >= self.params.slow_ms
    }

    /// Follows the cards into a new frame. Times must not decrease.
    pub fn follow(&mut self, grey: Arc<Grey>, time_ms: f64) {
        let before = self.now.replace((time_ms, Arc::clone(&grey)));
        let elapsed_ms = before.as_ref().map_or(0.0, |(then, _)| (time_ms - then).max(0.0));
        let motion = before
            .as_ref()
            .and_then(|(_, before)| self.patches.follow(before, &grey, &self.motion));
        self.lost = motion.is_none();
        self.elapsed_ms = elapsed_ms;
        if let Some(motion) = motion {
            self.motion = motion.now_from_before;
            // Focus is relative to the best of the last seconds, so that a darker picture does not
            // count as blurred forever. Each patch is compared with itself, because newly chosen
            // patches differ in texture.
            let forgotten = (elapsed_ms / 4_000.0).exp() as f32;
            self.focus = (self.focus * motion.sharper * forgotten).clamp(0.05, 1.0);
        } else {
            self.motion = identity();
            self.focus = 1.0; // The focus is not known.
        }
        if let Some(pending) = &mut self.pending {
            pending.now_from_request = self.motion.after(&pending.now_from_request);
            pending.followed &= !self.lost;
        }
        if let Some(looked) = &mut self.looked {
            looked.2 = self.motion.after(&looked.2);
        }
        let still_share = 1.0 - (-elapsed_ms / self.params.smooth_ms).exp();
        for track in &mut self.tracks {
            track.quad = self.motion.apply_quad(&track.quad);
            track.drawn = self.motion.apply_quad(&track.drawn);
            for (drawn, measured) in track.drawn.0.iter_mut().zip(track.quad.0) {
                *drawn = drawn.lerp(measured, still_share);
            }
            track.position_unverified |= self.lost;
        }
        if !(self.lost && self.is_slow()) {
            // Else the cards' places are known again after the detection on this frame.
            self.look_at_places(&grey, time_ms);
        }
    }

    /// Compares every card's place with what it looked like, and forgets cards outside the picture.
    fn look_at_places(&mut self, grey: &Grey, time_ms: f64) {
        let params = &self.params;
        self.tracks.iter_mut().for_each(|track| track.thumbnail(grey, time_ms, params));
        self.depart(time_ms, |track| !is_in_picture(&track.quad, grey));
        let params = &self.params;
        self.tracks.retain_mut(|track| !track.is_card_again(time_ms, params));
    }

    /// Removes cards that nobody took.
    fn depart(&mut self, time_ms: f64, is_off: impl Fn(&Track) -> bool) {
        for track in self.tracks.extract_if(.., |track| is_off(track)) {
            self.departed.push(track.id);
            if let Some((card, _, false)) = track.shown {
                let reading = track.evidence.reading();
                self.absent.push(Absent { card, reading, left_ms: time_ms });
            }
        }
    }

    /// The weight of readings of this frame, by its focus, 0 to 1.
    fn quality(&self) -> f32 {
        let (low, high) = self.params.focus;
        ((self.focus - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// Requests a detection on the frame followed last, if one is due and none is running.
    pub fn ask(&mut self) -> Option<Request> {
        if self.pending.is_some() {
            return None;
        }
        let (time_ms, grey) = self.now.clone()?;
        let params = &self.params;
        let quality = self.quality();
        let due = match &self.looked {
            None => true,
            Some((then, before, now_from_then)) => {
                let waited = time_ms - then;
                let unread =
                    |t: &Track| !t.is_settled(params) || t.doubtful || t.hidden || t.missed > 0;
                // Detections that found nothing increase the interval: searching for cards that may
                // not be there costs most.
                let busy_ms = params.busy_ms * f64::from(1u32 << self.empty_detections.min(8));
                waited >= params.idle_ms
                    || self.lost && self.is_slow()
                    || waited >= busy_ms
                        && (self.lost
                            || quality > 0.0
                                && (self.tracks.iter().any(unread)
                                    || now_from_then.inverse().is_none_or(|then_from_now| {
                                        grey.changed_since(before, &then_from_now) > params.change
                                    })))
            }
        };
        if !due {
            return None;
        }
        let worn = self.patches.is_worn() || time_ms - self.chosen_ms >= self.params.patches_ms;
        if self.lost || self.patches.is_empty() || worn && quality > 0.5 {
            self.patches = Patches::choose(&grey);
            self.chosen_ms = time_ms;
        }
        let tracked = self
            .tracks
            .iter()
            .map(|track| TrackedCard {
                read: self.lost || track.doubtful || !track.is_settled(params) && quality > 0.0,
                unchanged: !track.hidden && !self.lost,
                ..TrackedCard::from_track(track)
            })
            .collect();
        let number = self.request_number();
        self.pending = Some(PendingDetection {
            number,
            grey: Arc::clone(&grey),
            now_from_request: identity(),
            followed: true,
            quality,
            lost: self.lost,
        });
        self.looked = Some((time_ms, grey, identity()));
        Some(Request { number, tracked, facts: self.facts.clone() })
    }

    fn request_number(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Cancels the requested detection, after it failed.
    pub fn cancel_detection(&mut self) {
        self.pending = None;
    }

    /// Applies the results of a detection. Results other than those requested last are ignored.
    #[expect(clippy::too_many_lines, reason = "the steps share the state of each track")]
    pub fn apply_detections(&mut self, mut found: Detections) {
        let Some(pending) = self.pending.take_if(|pending| pending.number == found.number) else {
            return;
        };
        let Some((time_ms, grey)) = self.now.clone() else { return };
        self.facts = found.facts.clone().for_the_next_frame();
        if !pending.followed {
            // The picture jumped in between: the places found no longer apply.
            self.tracks.iter_mut().for_each(|track| track.doubtful = true);
            self.looked = None;
            return;
        }
        self.has_detections = true;
        if pending.lost && self.is_slow() {
            self.relocate(&mut found, &grey, time_ms);
        }
        let has_card =
            found.cards.iter().any(|d| d.reading.as_ref().is_none_or(|r| r.is_card >= 0.5));
        self.empty_detections = if has_card { 0 } else { self.empty_detections.saturating_add(1) };
        let mut missing: Vec<u64> = self.tracks.iter().map(|track| track.id).collect();
        let mut new = Vec::new();
        let mut at_home = 0;
        // The order of the loops is the algorithm. Tracked cards come first: a detected one is not
        // missing, and a replaced card becomes a new one. Then follow the misses, and from them
        // which cards are gone. New cards come last: they need free places, and a card that was
        // pushed is recognised by its track, so tracks that are gone leave after them.
        for detection in found.cards {
            let quad = pending.now_from_request.apply_quad(&detection.outline.corners_in_image);
            let Some(then) = pending.grey.thumbnail(&detection.outline.corners_in_image) else {
                continue;
            };
            // The card must still lie where it was found; a moving card has no place yet.
            let lies =
                grey.thumbnail(&quad).is_some_and(|now| now.correlation(&then) > self.params.alike);
            let place = detection.track.and_then(|id| self.tracks.iter().position(|t| t.id == id));
            let Some(i) = place else {
                if lies {
                    new.push((detection, quad, then));
                }
                continue;
            };
            let track = &mut self.tracks[i];
            if track.hidden && !lies {
                continue; // Another card or a hand is moving over it.
            }
            missing.retain(|&id| id != track.id);
            track.missed = 0;
            let off = apart(&in_order_of(quad, &track.quad), &track.quad);
            if leaves_picture(&track.quad, &grey) && off > CUT {
                // The part inside the picture was taken for a complete card.
                track.readings += 1;
                continue;
            }
            let correlation = then.correlation(&track.reference);
            at_home += usize::from(correlation >= self.params.alike && off <= CUT);
            if track.is_replaced_by(&detection, pending.quality, correlation, &self.params) {
                if track.position_unverified {
                    self.departed.push(track.id); // It lies elsewhere.
                }
                self.tracks.remove(i);
                new.push((detection, quad, then));
            } else if track.another.is_none() {
                track.position_unverified = false;
                track.apply(&detection, quad, then, &pending, &self.params);
            }
        }
        if at_home >= HOME {
            // The camera points where it did before, so cards that were not found were taken.
            self.tracks.iter_mut().for_each(|track| track.position_unverified = false);
        }
        // A card that was overlooked once but is still there is not missing. Nor is a card cut by
        // the picture's edge: none of its outlines is complete.
        for track in self.tracks.iter_mut().filter(|track| missing.contains(&track.id)) {
            let is_complete = !leaves_picture(&track.quad, &grey);
            track.missed += u32::from(pending.quality > 0.5 && is_complete);
        }
        let bare: Vec<u64> = found.bare;
        let gone: Vec<u64> = missing
            .into_iter()
            .filter(|&id| {
                let track = self.tracks.iter().find(|track| track.id == id);
                track.is_some_and(|t| t.is_gone(bare.contains(&id), time_ms, &self.params))
            })
            .collect();
        for (detection, quad, then) in new {
            let place_taken = self.tracks.iter().any(|track| {
                let is_present =
                    !gone.contains(&track.id) && !track.hidden && track.no_card.is_none();
                is_present && overlap(&track.quad, &quad)
            });
            if place_taken || detection.reading.is_none() {
                continue;
            }
            self.add(detection, quad, then, &gone, &pending, time_ms);
        }
        // If a card vanishes while it is cut by the picture's edge, or before it was found again
        // after the camera's motion was lost, it does not count as taken.
        self.depart(time_ms, |track| {
            gone.contains(&track.id)
                && (track.position_unverified || leaves_picture(&track.quad, &grey))
        });
        self.tracks.retain(|track| !gone.contains(&track.id));
        self.assign_cards(time_ms);
    }

    /// Adds a card that is new, or that was pushed here from elsewhere.
    fn add(
        &mut self,
        detection: Detection,
        quad: Quad,
        glance: Thumbnail,
        gone: &[u64],
        pending: &PendingDetection,
        time_ms: f64,
    ) {
        let Some(reading) = &detection.reading else { return };
        let mut evidence = Evidence::new(self.params.shared_error);
        evidence.add(reading, pending.quality, &pending.grey, &detection.outline.corners_in_image);
        let best = reading.best();
        // The same card, missing from its old place in the same detection.
        let pushed = self.tracks.iter().position(|track| {
            let same = track.shown.is_some_and(|(card, ..)| card == best.0);
            same && best.1 > 0.8
                && detection.outline.score > 0.0
                && (gone.contains(&track.id) || track.hidden)
        });
        let (id, since_ms, drawn) = match pushed {
            Some(i) => {
                let track = self.tracks.remove(i);
                evidence = track.evidence;
                evidence.add(
                    reading,
                    pending.quality,
                    &pending.grey,
                    &detection.outline.corners_in_image,
                );
                (track.id, track.since_ms, track.drawn)
            }
            None => {
                self.next_id += 1;
                (self.next_id, time_ms, quad)
            }
        };
        self.tracks.push(Track {
            id,
            quad,
            drawn,
            evidence,
            shown: None,
            alternatives: Vec::new(),
            hidden: false,
            covered: false,
            position_unverified: false,
            since_ms,
            outline: CardOutline { corners_in_image: quad, ..detection.outline },
            reference: glance.clone(),
            last: glance,
            hidden_since: None,
            still_since: time_ms,
            doubtful: false,
            another: None,
            readings: 1,
            looks: 1,
            contradicted: 0,
            elsewhere: 0,
            missed: 0,
            no_card: None,
            ground: detection.ground,
        });
    }

    /// Assigns the cards: a deck holds each once.
    fn assign_cards(&mut self, time_ms: f64) {
        let mut outlines: Vec<CardOutline> = self
            .tracks
            .iter()
            .map(|track| CardOutline { corners_in_image: track.quad, ..track.outline.clone() })
            .collect();
        let mut readings: Vec<Reading> = self.tracks.iter().map(|t| t.evidence.reading()).collect();
        self.forget_absent();
        for (i, absent) in self.absent.iter().enumerate() {
            // Beyond the picture, so that it covers nothing.
            let beyond = Point::new(-1e6 * (i + 1) as f64, 0.0);
            let quad = Quad::new(Quad::rectangle(90.0, 60.0).0.map(|corner| corner + beyond));
            outlines.push(CardOutline::at(quad));
            readings.push(absent.reading.clone());
        }
        let (_, is_deck) = self.facts.named_edition();
        let params = self.params.board.of_table(&self.facts);
        let board = Board::assign(&outlines, &readings, is_deck, &params);
        let tracks = self.tracks.len();
        let mut kept = vec![false; tracks];
        // Outline i belongs to track i; those beyond are absent.
        for card in board.cards.into_iter().filter(|card| card.outline < tracks) {
            kept[card.outline] = true;
            let track = &mut self.tracks[card.outline];
            track.show(card.card, card.confidence, card.unsure, &self.params);
            let shown = track.shown.map(|(card, ..)| card);
            let first = Guess { card: card.card, confidence: card.confidence };
            let mut alternatives = card.alternatives;
            if shown != Some(first.card) {
                alternatives.insert(0, first);
            }
            alternatives.retain(|guess| Some(guess.card) != shown);
            track.alternatives = alternatives;
        }
        // These are no cards, or doubles of another card.
        let mut kept = kept.into_iter();
        self.tracks.retain_mut(|track| {
            let was_sure = track.shown.is_some_and(|(.., unsure)| !unsure);
            if kept.next().unwrap_or(false) {
                track.no_card = None;
            } else if !track.hidden && track.evidence.weight() >= 1.5 {
                track.shown = None;
                track.no_card.get_or_insert(time_ms);
                // A place that held a sure card is detected afresh.
                return !was_sure;
            }
            true
        });
    }

    /// A card is no longer absent once it is read again on a place that is new since it left; and no
    /// card of the table is once none is left of those that lay there with it.
    fn forget_absent(&mut self) {
        let tracks = &self.tracks;
        self.absent.retain(|absent| {
            let is_back = tracks.iter().any(|track| {
                let (card, probability) = track.evidence.reading().best();
                let is_new = track.since_ms >= absent.left_ms;
                let is_sure =
                    track.shown.is_some_and(|(shown, _, unsure)| shown == absent.card && !unsure);
                is_sure || is_new && card == absent.card && probability > 0.5
            });
            let table_stands =
                tracks.iter().any(|track| track.shown.is_some() && track.since_ms < absent.left_ms);
            !is_back && table_stands
        });
    }

    /// The table in its current state.
    pub fn table(&mut self) -> TrackedTable {
        let departed = std::mem::take(&mut self.departed);
        let shown: Vec<(&Track, ReadCard)> = self
            .tracks
            .iter()
            .filter_map(|track| {
                let (card, confidence, unsure) = track.shown?;
                let corners_in_image = track.drawn.higher_corner_first();
                let alternatives = track.alternatives.clone();
                Some((track, ReadCard { corners_in_image, card, confidence, unsure, alternatives }))
            })
            .collect();
        let quads: Vec<Quad> = shown.iter().map(|(_, card)| card.corners_in_image).collect();
        let (cards, tracks): (Vec<ReadCard>, Vec<CardTrack>) = rows(&quads)
            .concat()
            .into_iter()
            .map(|i| {
                let (track, card) = &shown[i];
                let (reading, hidden) = (track.evidence.reading(), track.rests());
                (card.clone(), CardTrack { id: track.id, reading, hidden })
            })
            .unzip();
        let size_px = self.now.as_ref().map_or((0, 0), |(_, grey)| grey.frame_px);
        let mut table = TableReading::new(cards, size_px);
        table.facts = self.facts.clone();
        // A hidden card may be in a hand: its sets are suspended until it is visible again.
        let rests = |cards: &[usize; 3]| cards.iter().any(|&card| tracks[card].hidden);
        let resting = table.sets.extract_if(.., |set| rests(&set.0)).collect();
        table.probable_sets.retain(|set| !rests(&set.cards));
        TrackedTable { table, tracks, resting, departed, looked: self.has_detections }
    }
}

/// If an outline is farther than this from a card cut by the picture's edge, as a share of the long
/// side, it shows only the visible part of that card.
const CUT: f64 = 0.04;

/// If this many cards lie in their places with unchanged pictures, the camera has not moved.
const HOME: usize = 2;

/// Whether the centre of one quad lies well within the other.
fn overlap(a: &Quad, b: &Quad) -> bool {
    center_within(a, b) || center_within(b, a)
}

fn center_within(inner: &Quad, outer: &Quad) -> bool {
    let center = outer.center();
    Quad::new(outer.0.map(|p| center.lerp(p, 0.7))).contains(inner.center())
}

/// Whether the centre of a quad is in the picture, so that about half of the quad is visible.
fn is_in_picture(quad: &Quad, grey: &Grey) -> bool {
    let center = quad.center() / grey.scale;
    let finite = quad.0.iter().all(|p: &Point| p.x.is_finite() && p.y.is_finite());
    finite && grey.fine.holds(center, 0.0)
}

/// Whether the picture's edge cuts a quad.
fn leaves_picture(quad: &Quad, grey: &Grey) -> bool {
    /// Tolerance in pixels of the fine plane; corners are more exact than this.
    const LEEWAY: f64 = -1.0;
    quad.0.iter().any(|corner| !grey.fine.holds(*corner / grey.scale, LEEWAY))
}

#[cfg(test)]
mod tests;
