//! Cards over time: each keeps its identity from frame to frame, and its readings add up.
//!
//! Most frames change little, so most frames are only *followed*: a handful of patches tell how the
//! table moved ([`motion`]), every card moves along, and a glance at each ([`grey`]) tells whether
//! its picture is still the same. The finder and the reader *look* at one frame in several, and only
//! at cards that need it. A look takes longer than a frame: it is asked for at one frame
//! ([`Tracker::ask`]), may run elsewhere ([`look`]), and what it found is taken in at a later one
//! ([`Tracker::learn`]), carried along by how the table moved meanwhile.
//!
//! | what happens | how it is told |
//! |---|---|
//! | nothing | glances agree: the card is not read again |
//! | the camera moves | one homography moves all cards |
//! | a hand covers a card | its glance changes and the place does not look like the table beside it: it is kept |
//! | a card is taken | the place looks like the table and is still: it goes |
//! | a card is replaced | its glance changed for a while, and it is read as another card |
//! | a card is pushed elsewhere | one goes and the same card comes: it keeps its identity |
//! | the focus hunts | the patches lose texture: readings count for little |
//!
//! Only the frames' own times count, never the clock: the same frames give the same cards.

pub mod evidence;
pub mod grey;
mod looking;
pub mod motion;

pub use looking::{Ask, Eyes, Known, Look, Seen, look};

use super::board::{self, Board};
use super::{CardOutline, ReadCard, Reading, layout, sets_of};
use crate::cards::Card;
use crate::geometry::{Homography, Point, Quad};
use crate::sets::Set;
use evidence::Evidence;
use grey::{Glance, Grey};
use motion::Patches;
use nalgebra::Matrix3;
use std::sync::Arc;

/// How cards are tracked. Times in milliseconds of the frames' own clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Longest time between two looks when nothing seems to happen.
    pub idle_ms: f64,
    /// Shortest time between two looks.
    pub busy_ms: f64,
    /// Patches for the motion are chosen anew after so long.
    pub patches_ms: f64,
    /// Part of the picture that must change for a look to be due.
    pub change: f64,
    /// Likeness of two glances at one unchanged card.
    pub alike: f64,
    /// Likeness below which something else is there.
    pub unlike: f64,
    /// A card whose evidence is worth so many readings and so probable is not read again.
    pub settled: (f32, f32),
    /// Readings after which an unchanged card is not read again, whatever they say.
    pub most_readings: u32,
    /// Change of a place from frame to frame, in grey levels, below which nothing moves there.
    pub still_levels: f64,
    /// Or likeness from frame to frame above which nothing moves there.
    pub still_likeness: f64,
    /// A place that looks like the table and was still for so long holds no card.
    pub bare_ms: f64,
    /// A place without a card to be seen that was still for so long holds none, whatever it
    /// looks like: a resting hand moves.
    pub hidden_still_ms: f64,
    /// A card that could not be seen for so long is given up.
    pub hidden_ms: f64,
    /// What was read and is no card is not read again for so long, if it does not change.
    pub no_card_ms: f64,
    /// Looks in a row that must not find a card that looks unchanged before it is taken for gone,
    /// where its place is bare; more of them, and it counts as hidden.
    pub misses: u32,
    /// Looks that must contradict before a code on the screen changes.
    pub contradictions: u32,
    /// Time in which a drawn outline goes most of the way to the measured one.
    pub smooth_ms: f64,
    /// Texture, relative to the best of late, below which a reading counts for nothing, and above
    /// which it counts in full.
    pub focus: (f32, f32),
    /// What makes readings a board.
    pub board: board::Params,
}

impl Params {
    /// The usual ones, with what makes a board of these readings.
    pub fn for_board(board: board::Params) -> Self {
        Self { board, ..Self::default() }
    }
}

impl Default for Params {
    fn default() -> Self {
        Self {
            idle_ms: 500.0,
            busy_ms: 60.0,
            patches_ms: 1_000.0,
            // Fourteen cells of 3,600: a card is about forty.
            change: 0.004,
            alike: 0.85,
            unlike: 0.7,
            settled: (1.8, 0.97),
            most_readings: 6,
            still_levels: 3.0,
            still_likeness: 0.95,
            bare_ms: 60.0,
            hidden_still_ms: 1_500.0,
            hidden_ms: 5_000.0,
            no_card_ms: 2_000.0,
            misses: 3,
            contradictions: 3,
            smooth_ms: 90.0,
            focus: (0.35, 0.75),
            board: board::Params::default(),
        }
    }
}

/// A card that is followed.
#[derive(Clone, Debug)]
pub struct Track {
    /// Never given to another card.
    pub id: u64,
    /// Where it is measured to lie, in pixels of the frame.
    pub quad: Quad,
    /// Where it is drawn: follows `quad` smoothly.
    pub drawn: Quad,
    /// What its readings say together.
    pub evidence: Evidence,
    /// The card as shown, with its confidence and whether it is unsure.
    pub shown: Option<(Card, f32, bool)>,
    /// Whether its picture is not to be seen now.
    pub hidden: bool,
    /// When it was first seen.
    pub since_ms: f64,
    outline: CardOutline,
    /// Its picture when it was last read or found unchanged in focus.
    reference: Glance,
    last: Glance,
    /// Since when its picture differs from the reference; `None` while it does not.
    hidden_since: Option<f64>,
    still_since: f64,
    /// It was hidden since it was read last: another card may have come.
    doubtful: bool,
    /// What it was read as since, when that was another card, and how many times in a row.
    another: Option<(Card, u32)>,
    readings: u32,
    looks: u32,
    contradicted: u32,
    /// Looks in a row that found it away from its place.
    elsewhere: u32,
    /// Looks in a row that did not find it, though its picture is the same: under the edge of a hard
    /// shadow card and table look alike at a glance.
    missed: u32,
    /// Since when it is known to be no card; the place is remembered, so that it is not read over
    /// and over.
    no_card: Option<f64>,
    /// Colour of the table beside it: mean and spread of each channel.
    beside: Option<looking::Ground>,
}

/// A card as it is now.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackedCard {
    /// The same in every frame in which the card is on the table.
    pub id: u64,
    /// Where and what it is.
    pub card: ReadCard,
    /// What its readings say together.
    pub reading: Reading,
    /// Whether it is covered now, by a hand perhaps.
    pub hidden: bool,
}

/// The table as it is now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// In reading order.
    pub cards: Vec<TrackedCard>,
    /// All sets among the sure ones that are to be seen, as indices into `cards`.
    pub sets: Vec<Set>,
}

/// Follows the cards of a film or a camera.
pub struct Tracker {
    params: Params,
    tracks: Vec<Track>,
    next_id: u64,
    now: Option<(f64, Arc<Grey>)>,
    patches: Patches,
    /// When the patches were chosen.
    chosen_ms: f64,
    /// The last frame's motion: the guess for the next.
    motion: Homography,
    /// Texture of the last frame, as a part of the best of late.
    focus: f32,
    /// Whether the last motion could not be found.
    lost: bool,
    asked: Option<Asked>,
    /// The frame of the last look, and how the picture moved since: from then to now.
    looked: Option<(f64, Arc<Grey>, Homography)>,
}

/// A look under way.
struct Asked {
    number: u64,
    grey: Arc<Grey>,
    now_from_asked: Homography,
    /// Whether the way from there to here is known.
    followed: bool,
    quality: f32,
}

fn identity() -> Homography {
    Homography(Matrix3::identity())
}

impl Tracker {
    /// With no card yet.
    pub fn new(params: Params) -> Self {
        Self {
            params,
            tracks: Vec::new(),
            next_id: 1,
            now: None,
            patches: Patches::default(),
            chosen_ms: 0.0,
            motion: identity(),
            focus: 1.0,
            lost: true,
            asked: None,
            looked: None,
        }
    }

    /// Follows the cards into a new frame. Times must not fall.
    pub fn follow(&mut self, grey: Arc<Grey>, time_ms: f64) {
        let before = self.now.replace((time_ms, Arc::clone(&grey)));
        let elapsed_ms = before.as_ref().map_or(0.0, |(then, _)| (time_ms - then).max(0.0));
        let motion = before
            .as_ref()
            .and_then(|(_, before)| self.patches.follow(before, &grey, &self.motion));
        self.lost = motion.is_none();
        if let Some(motion) = motion {
            self.motion = motion.now_from_before;
            // The best of the last seconds, so that a darker picture is not blurred for ever. Each
            // patch is compared with itself: others that are chosen later may have more or less.
            let forgotten = (elapsed_ms / 4_000.0).exp() as f32;
            self.focus = (self.focus * motion.sharper * forgotten).clamp(0.05, 1.0);
        } else {
            self.motion = identity();
            self.focus = 1.0; // Nothing known of it.
        }
        if let Some(asked) = &mut self.asked {
            asked.now_from_asked = self.motion.after(&asked.now_from_asked);
            asked.followed &= !self.lost;
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
            track.glance(&grey, time_ms, &self.params);
        }
        let params = &self.params;
        self.tracks.retain(|track| {
            is_in_picture(&track.quad, &grey) && !track.is_no_more_no_card(time_ms, params)
        });
    }

    /// How much a reading of this frame is worth, by its focus, 0 to 1.
    fn quality(&self) -> f32 {
        let (low, high) = self.params.focus;
        ((self.focus - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// Says what to look at in the frame last followed, when a look is due and none is under way.
    pub fn ask(&mut self) -> Option<Ask> {
        if self.asked.is_some() {
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
                let changed = || {
                    let then_from_now = now_from_then.inverse();
                    then_from_now.is_none_or(|m| grey.changed_since(before, &m) > params.change)
                };
                waited >= params.idle_ms
                    || waited >= params.busy_ms
                        && (self.lost
                            || quality > 0.0 && (self.tracks.iter().any(unread) || changed()))
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
        let known = self
            .tracks
            .iter()
            .map(|track| Known {
                id: track.id,
                quad: track.quad,
                read: self.lost || track.doubtful || !track.is_settled(params) && quality > 0.0,
                unchanged: !track.hidden && !self.lost,
                beside: track.beside,
            })
            .collect();
        let number = self.asked_number();
        self.asked = Some(Asked {
            number,
            grey: Arc::clone(&grey),
            now_from_asked: identity(),
            followed: true,
            quality,
        });
        self.looked = Some((time_ms, grey, identity()));
        Some(Ask { number, known, lost: self.lost })
    }

    fn asked_number(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// A look under way has failed.
    pub fn forget_look(&mut self) {
        self.asked = None;
    }

    /// Takes in what a look has found. A look that was not asked for last is passed over.
    pub fn learn(&mut self, found: Look) {
        let Some(asked) = self.asked.take_if(|asked| asked.number == found.number) else { return };
        let Some((time_ms, grey)) = self.now.clone() else { return };
        if !asked.followed {
            // Between then and now the picture jumped: what was found there is not here.
            self.tracks.iter_mut().for_each(|track| track.doubtful = true);
            self.looked = None;
            return;
        }
        let mut missing: Vec<u64> = self.tracks.iter().map(|track| track.id).collect();
        let mut new = Vec::new();
        for seen in found.seen {
            let quad = asked.now_from_asked.apply_quad(&seen.outline.corners_in_image);
            let Some(then) = asked.grey.glance(&seen.outline.corners_in_image) else { continue };
            // It must still lie where it was seen: what is in motion has no place yet.
            let lies =
                grey.glance(&quad).is_some_and(|now| now.likeness(&then) > self.params.alike);
            let place = seen.known.and_then(|id| self.tracks.iter().position(|t| t.id == id));
            let Some(i) = place else {
                if lies {
                    new.push((seen, quad, then));
                }
                continue;
            };
            let track = &mut self.tracks[i];
            if track.hidden && !lies {
                continue; // Another card is moved over it, or a hand is.
            }
            missing.retain(|&id| id != track.id);
            track.missed = 0;
            let likeness = then.likeness(&track.reference);
            if track.is_replaced_by(&seen, asked.quality, likeness, &self.params) {
                self.tracks.remove(i);
                new.push((seen, quad, then));
            } else if track.another.is_none() {
                track.see(&seen, quad, then, &asked, &self.params);
            }
        }
        // What is still there though the finder passed it over once is not missing.
        for track in self.tracks.iter_mut().filter(|track| missing.contains(&track.id)) {
            track.missed += u32::from(asked.quality > 0.5);
        }
        let bare: Vec<u64> = found.bare;
        let gone: Vec<u64> = missing
            .into_iter()
            .filter(|&id| {
                let track = self.tracks.iter().find(|track| track.id == id);
                track.is_some_and(|t| t.is_gone(bare.contains(&id), time_ms, &self.params))
            })
            .collect();
        for (seen, quad, then) in new {
            let place_taken = self.tracks.iter().any(|track| {
                let there = !gone.contains(&track.id) && !track.hidden && track.no_card.is_none();
                there && overlap(&track.quad, &quad)
            });
            if place_taken || seen.reading.is_none() {
                continue;
            }
            self.add(seen, quad, then, &gone, &asked, time_ms);
        }
        self.tracks.retain(|track| !gone.contains(&track.id));
        self.settle(time_ms);
    }

    /// A card that was not there, or that was pushed here from elsewhere.
    fn add(
        &mut self,
        seen: Seen,
        quad: Quad,
        glance: Glance,
        gone: &[u64],
        asked: &Asked,
        time_ms: f64,
    ) {
        let Some(reading) = &seen.reading else { return };
        let mut evidence = Evidence::default();
        evidence.add(reading, asked.quality);
        let best = reading.best();
        // The same card, gone from elsewhere in the same look.
        let pushed = self.tracks.iter().position(|track| {
            let same = track.shown.is_some_and(|(card, ..)| card == best.0);
            same && best.1 > 0.8
                && seen.outline.score > 0.0
                && (gone.contains(&track.id) || track.hidden)
        });
        let (id, since_ms, drawn) = match pushed {
            Some(i) => {
                let track = self.tracks.remove(i);
                evidence = track.evidence;
                evidence.add(reading, asked.quality);
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
            hidden: false,
            since_ms,
            outline: CardOutline { corners_in_image: quad, ..seen.outline },
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
            beside: seen.beside,
        });
    }

    /// Gives out the cards: a deck holds each once.
    fn settle(&mut self, time_ms: f64) {
        let outlines: Vec<CardOutline> = self
            .tracks
            .iter()
            .map(|track| CardOutline { corners_in_image: track.quad, ..track.outline.clone() })
            .collect();
        let readings: Vec<Reading> = self.tracks.iter().map(|t| t.evidence.reading()).collect();
        let board = Board::settle(outlines.clone(), readings, &self.params.board);
        let mut kept = vec![false; self.tracks.len()];
        for card in board.cards {
            // The board keeps the outlines it was given.
            let Some(i) = (0..outlines.len()).find(|&i| !kept[i] && outlines[i] == card.outline)
            else {
                continue;
            };
            kept[i] = true;
            self.tracks[i].show(card.card, card.confidence, card.unsure, &self.params);
        }
        // No card, or another card's double.
        let mut kept = kept.into_iter();
        self.tracks.retain_mut(|track| {
            let was_sure = track.shown.is_some_and(|(.., unsure)| !unsure);
            if kept.next().unwrap_or(false) {
                track.no_card = None;
            } else if !track.hidden && track.evidence.weight() >= 1.5 {
                track.shown = None;
                track.no_card.get_or_insert(time_ms);
                // What was a card once is looked at afresh.
                return !was_sure;
            }
            true
        });
    }

    /// The table as it is now.
    pub fn table(&self) -> Table {
        let shown: Vec<(&Track, ReadCard)> = self
            .tracks
            .iter()
            .filter_map(|track| {
                let (card, confidence, unsure) = track.shown?;
                let corners_in_image = track.drawn.higher_corner_first();
                Some((track, ReadCard { corners_in_image, card, confidence, unsure }))
            })
            .collect();
        let quads: Vec<Quad> = shown.iter().map(|(_, card)| card.corners_in_image).collect();
        let cards: Vec<TrackedCard> = layout::rows(&quads)
            .concat()
            .into_iter()
            .map(|i| TrackedCard {
                id: shown[i].0.id,
                card: shown[i].1.clone(),
                reading: shown[i].0.evidence.reading(),
                hidden: shown[i].0.hidden || shown[i].0.missed > 1,
            })
            .collect();
        // A card that cannot be seen may be in a hand: its sets rest until it is seen again.
        let in_sight: Vec<ReadCard> = cards
            .iter()
            .map(|card| ReadCard { unsure: card.card.unsure || card.hidden, ..card.card.clone() })
            .collect();
        Table { sets: sets_of(&in_sight), cards }
    }

    /// Whether a look is under way.
    pub fn is_looking(&self) -> bool {
        self.asked.is_some()
    }

    /// Whether the motion of the last frame could not be found.
    pub fn is_lost(&self) -> bool {
        self.lost
    }
}

impl Track {
    /// Whether its picture is still the same.
    fn glance(&mut self, grey: &Grey, time_ms: f64, params: &Params) {
        let Some(now) = grey.glance(&self.quad) else {
            self.hidden = true;
            self.hidden_since.get_or_insert(time_ms);
            return;
        };
        // A textured table is never quite still under a camera in motion; it stays like itself.
        let still = now.difference(&self.last) <= params.still_levels
            || now.likeness(&self.last) > params.still_likeness;
        if !still {
            self.still_since = time_ms;
        }
        let likeness = now.likeness(&self.reference);
        self.last = now;
        let overlooked = self.missed > params.misses;
        if likeness >= params.alike && !overlooked {
            self.hidden = false;
            self.hidden_since = None;
        } else if likeness < params.unlike || overlooked {
            self.hidden = true;
            self.doubtful = true;
            self.hidden_since.get_or_insert(time_ms);
        }
    }

    fn is_settled(&self, params: &Params) -> bool {
        let (weight, probability) = params.settled;
        self.no_card.is_some()
            || self.readings >= params.most_readings
            || self.evidence.weight() >= weight
                && self.evidence.reading().best().1 >= probability
                && self.shown.is_some_and(|(.., unsure)| !unsure)
    }

    /// Whether it was known to be no card, and may be one now.
    fn is_no_more_no_card(&self, time_ms: f64, params: &Params) -> bool {
        self.no_card.is_some_and(|since| {
            let looks_another = self.last.likeness(&self.reference) < params.alike;
            looks_another || self.elsewhere > 0 || time_ms - since > params.no_card_ms
        })
    }

    /// Whether what lies here now is another card than the one that was hidden: looks in a row must
    /// say so, one more where the picture is as it was before.
    fn is_replaced_by(
        &mut self,
        seen: &Seen,
        quality: f32,
        likeness: f64,
        params: &Params,
    ) -> bool {
        let Some(reading) = seen.reading.as_ref().filter(|_| self.doubtful && quality > 0.5) else {
            return false;
        };
        let (card, probability) = reading.best();
        if card == self.evidence.reading().best().0 || reading.is_card < 0.5 || probability < 0.8 {
            self.another = None;
            return false;
        }
        let before = self.another.filter(|&(other, _)| other == card).map_or(0, |(_, times)| times);
        self.another = Some((card, before + 1));
        before + 1 >= if likeness >= params.alike { 3 } else { 2 }
    }

    /// Takes in that a look has found it.
    fn see(&mut self, seen: &Seen, quad: Quad, then: Glance, asked: &Asked, params: &Params) {
        let likeness = then.likeness(&self.reference);
        if let Some(reading) = &seen.reading {
            if self.doubtful && asked.quality > 0.5 {
                // Read again after it was hidden: most likely the same card.
                self.evidence.doubt(0.5);
                self.readings = 0;
            }
            self.evidence.add(reading, asked.quality);
            if asked.quality > 0.5 {
                self.readings += 1;
                self.reference = then;
                self.doubtful = false;
                self.hidden = false;
                self.hidden_since = None;
            }
        } else if likeness >= params.alike && asked.quality > 0.5 {
            self.reference = then;
        }
        let quad = in_order_of(quad, &self.quad);
        let long = self.quad.long_side().max(1.0);
        let off = (0..4).map(|i| quad.0[i].distance(self.quad.0[i])).fold(0.0, f64::max) / long;
        self.looks += 1;
        let known = self.evidence.reading().best().0;
        let agrees = seen.reading.as_ref().is_some_and(|reading| reading.best().0 == known);
        self.elsewhere = if off > PUSHED { self.elsewhere + 1 } else { 0 };
        let share = if off > PUSHED {
            // Its own picture in another place, or the same card read there again and again: it was
            // pushed. Else half of it is covered, and what is left was taken for a whole card.
            self.doubtful |= !agrees;
            if likeness >= params.alike || agrees && self.elsewhere > 3 { 1.0 } else { 0.0 }
        } else if self.looks < 4 {
            0.5
        } else if likeness >= params.alike {
            0.2
        } else {
            0.05 // What covers a card also bends its outline.
        };
        for (old, measured) in self.quad.0.iter_mut().zip(quad.0) {
            *old = old.lerp(measured, share);
        }
        if seen.beside.is_some() {
            self.beside = seen.beside;
        }
        // A hand over a part of it makes it no less of a card.
        let score = if likeness >= params.alike && asked.quality > 0.5 {
            self.outline.score + (seen.outline.score - self.outline.score) * SCORE_SHARE
        } else {
            self.outline.score
        };
        self.outline = CardOutline { corners_in_image: self.quad, score, ..seen.outline.clone() };
    }

    /// Whether a card that a look did not find is off the table.
    fn is_gone(&self, bare: bool, time_ms: f64, params: &Params) -> bool {
        if self.no_card.is_some() {
            return true; // Not even an outline is left.
        }
        let Some(since) = self.hidden_since else {
            return bare && self.missed >= params.misses;
        };
        // It may have lain still before it was hidden.
        let still_ms = time_ms - self.still_since.max(since);
        bare && still_ms >= params.bare_ms
            || still_ms >= params.hidden_still_ms
            || time_ms - since >= params.hidden_ms
    }

    fn show(&mut self, card: Card, confidence: f32, unsure: bool, params: &Params) {
        // One reading alone must be very sure of itself.
        let unsure = unsure || self.evidence.weight() < 1.2 && confidence < 0.97;
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
                // Sure once, and nothing speaks for another card.
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

/// A corner that is farther off than this, as a part of the card's long side, was not measured badly:
/// the card was pushed.
const PUSHED: f64 = 0.15;

/// What a look's score of an outline counts against those before.
const SCORE_SHARE: f64 = 0.4;

/// The corners of `quad` named as those of `like`: the turn that moves them least.
fn in_order_of(quad: Quad, like: &Quad) -> Quad {
    let turned = |n: usize| {
        let mut corners = quad.0;
        corners.rotate_left(n);
        Quad(corners)
    };
    let off = |q: &Quad| q.0.iter().zip(like.0).map(|(a, b)| a.distance(b)).sum::<f64>();
    (0..4).map(turned).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(quad)
}

/// Whether one's centre lies well within the other.
fn overlap(a: &Quad, b: &Quad) -> bool {
    let within = |inner: &Quad, outer: &Quad| {
        let center = outer.center();
        Quad(outer.0.map(|p| center.lerp(p, 0.7))).contains(inner.center())
    };
    within(a, b) || within(b, a)
}

/// Whether at least half of a quad can be in the picture.
fn is_in_picture(quad: &Quad, grey: &Grey) -> bool {
    let center = quad.center() / grey.scale;
    let finite = quad.0.iter().all(|p: &Point| p.x.is_finite() && p.y.is_finite());
    finite && grey.fine.holds(center, 0.0)
}

#[cfg(test)]
mod tests;
