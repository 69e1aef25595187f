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

mod card;
mod detect;
pub mod evidence;
pub mod grey;
pub mod motion;
mod params;

pub use card::Track;
use card::{Asked, apart, in_order_of};
pub use detect::{Detection, Detections, Eyes, Known, Request, detect};
pub use params::Params;

use super::board::Board;
use super::classify::table_facts::TableFacts;
use super::data::{CardOutline, ReadCard, Reading, sets_of};
use super::layout;
use crate::geometry::{Homography, Point, Quad};
use crate::sets::Set;
use evidence::Evidence;
use grey::{Grey, Thumbnail};
use motion::Patches;
use nalgebra::Matrix3;
use std::sync::Arc;

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

#[cfg(test)]
impl TrackedCard {
    /// A sure card that is in view.
    pub(crate) fn sure(card: crate::cards::Card) -> Self {
        let corners_in_image = Quad::rectangle(9.0, 6.0);
        let id = card.index() as u64;
        let card = ReadCard { corners_in_image, card, confidence: 0.99, unsure: false };
        Self { id, card, reading: Reading::UNKNOWN, hidden: false }
    }
}

/// The table as it is now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// In reading order.
    pub cards: Vec<TrackedCard>,
    /// All sets among the sure ones that are to be seen, as indices into `cards`.
    pub sets: Vec<Set>,
    /// Which edition lies there, and whether the camera mirrors.
    pub facts: TableFacts,
    /// Sets that rest because a card of theirs is covered: it may be in a hand.
    pub resting: Vec<Set>,
    /// Cards that left since the table was asked for last though nobody took them: by the picture's
    /// edge, or while nobody knew where the camera looked.
    pub departed: Vec<u64>,
    /// Whether a look was taken in: before, nothing is known.
    pub looked: bool,
}

/// Follows the cards of a film or a camera.
pub struct Tracker {
    params: Params,
    tracks: Vec<Track>,
    /// What is believed of the table; the looks of a film tell of it together.
    facts: TableFacts,
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
    /// Looks in a row that found nothing.
    barren: u32,
    /// Whether any was taken in.
    knows: bool,
    departed: Vec<u64>,
}

fn identity() -> Homography {
    Homography(Matrix3::identity())
}

impl Tracker {
    /// With no card yet.
    pub fn new(params: Params) -> Self {
        Self {
            facts: params.facts,
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
            barren: 0,
            knows: false,
            departed: Vec::new(),
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
            track.thumbnail(&grey, time_ms, &self.params);
        }
        let params = &self.params;
        let lost = self.lost;
        let departed = &mut self.departed;
        self.tracks.retain_mut(|track| {
            track.astray |= lost;
            let stays = is_in_picture(&track.quad, &grey);
            if !stays {
                departed.push(track.id);
            }
            stays && !track.is_no_more_no_card(time_ms, params)
        });
    }

    /// How much a reading of this frame is worth, by its focus, 0 to 1.
    fn quality(&self) -> f32 {
        let (low, high) = self.params.focus;
        ((self.focus - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// Says what to look at in the frame last followed, when a look is due and none is under way.
    pub fn ask(&mut self) -> Option<Request> {
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
                // Looks that found nothing are followed by fewer: looking for what may not be there
                // costs most.
                let busy_ms = params.busy_ms * f64::from(1u32 << self.barren.min(8));
                waited >= params.idle_ms
                    || waited >= busy_ms
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
        Some(Request { number, known, facts: self.facts })
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
    pub fn learn(&mut self, found: Detections) {
        let Some(asked) = self.asked.take_if(|asked| asked.number == found.number) else { return };
        let Some((time_ms, grey)) = self.now.clone() else { return };
        self.facts = found.facts.for_the_next_frame();
        if !asked.followed {
            // Between then and now the picture jumped: what was found there is not here.
            self.tracks.iter_mut().for_each(|track| track.doubtful = true);
            self.looked = None;
            return;
        }
        self.knows = true;
        let is_card = |seen: &Detection| seen.reading.as_ref().is_none_or(|r| r.is_card >= 0.5);
        self.barren =
            if found.seen.iter().any(is_card) { 0 } else { self.barren.saturating_add(1) };
        let mut missing: Vec<u64> = self.tracks.iter().map(|track| track.id).collect();
        let mut new = Vec::new();
        let mut at_home = 0;
        for seen in found.seen {
            let quad = asked.now_from_asked.apply_quad(&seen.outline.corners_in_image);
            let Some(then) = asked.grey.thumbnail(&seen.outline.corners_in_image) else { continue };
            // It must still lie where it was seen: what is in motion has no place yet.
            let lies =
                grey.thumbnail(&quad).is_some_and(|now| now.correlation(&then) > self.params.alike);
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
            let off = apart(&in_order_of(quad, &track.quad), &track.quad);
            if leaves_picture(&track.quad, &grey) && off > CUT {
                // What the picture's edge leaves of it was taken for a whole card.
                track.readings += 1;
                continue;
            }
            let correlation = then.correlation(&track.reference);
            at_home += usize::from(correlation >= self.params.alike && off <= CUT);
            if track.is_replaced_by(&seen, asked.quality, correlation, &self.params) {
                if track.astray {
                    self.departed.push(track.id); // It lies elsewhere.
                }
                self.tracks.remove(i);
                new.push((seen, quad, then));
            } else if track.another.is_none() {
                track.astray = false;
                track.see(&seen, quad, then, &asked, &self.params);
            }
        }
        if at_home >= HOME {
            // The camera looks where it looked: who is not found was taken.
            self.tracks.iter_mut().for_each(|track| track.astray = false);
        }
        // What is still there though the finder passed it over once is not missing.
        // Nor is what the picture's edge cuts through: no outline of it is whole.
        for track in self.tracks.iter_mut().filter(|track| missing.contains(&track.id)) {
            let whole = !leaves_picture(&track.quad, &grey);
            track.missed += u32::from(asked.quality > 0.5 && whole);
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
        // What goes while the picture's edge cuts through it, or was not seen since the camera's motion
        // was lost, was not seen to be taken.
        let unseen = |track: &&Track| {
            gone.contains(&track.id) && (track.astray || leaves_picture(&track.quad, &grey))
        };
        self.departed.extend(self.tracks.iter().filter(unseen).map(|track| track.id));
        self.tracks.retain(|track| !gone.contains(&track.id));
        self.settle(time_ms);
    }

    /// A card that was not there, or that was pushed here from elsewhere.
    fn add(
        &mut self,
        seen: Detection,
        quad: Quad,
        glance: Thumbnail,
        gone: &[u64],
        asked: &Asked,
        time_ms: f64,
    ) {
        let Some(reading) = &seen.reading else { return };
        let mut evidence = Evidence::default();
        evidence.add(reading, asked.quality, &asked.grey, &seen.outline.corners_in_image);
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
                evidence.add(reading, asked.quality, &asked.grey, &seen.outline.corners_in_image);
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
            covered: false,
            astray: false,
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
        let (_, known) = self.facts.named_edition();
        let board = Board::settle(&outlines, &readings, known, &self.params.board);
        let mut kept = vec![false; self.tracks.len()];
        // An outline is that of the track of its number.
        for card in board.cards {
            kept[card.outline] = true;
            self.tracks[card.outline].show(card.card, card.confidence, card.unsure, &self.params);
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
    pub fn table(&mut self) -> Table {
        let departed = std::mem::take(&mut self.departed);
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
                hidden: shown[i].0.rests(),
            })
            .collect();
        // A card that cannot be seen may be in a hand: its sets rest until it is seen again.
        let in_sight: Vec<ReadCard> = cards
            .iter()
            .map(|card| ReadCard { unsure: card.card.unsure || card.hidden, ..card.card.clone() })
            .collect();
        let all: Vec<ReadCard> = cards.iter().map(|card| card.card.clone()).collect();
        let sets = sets_of(&in_sight);
        let resting = sets_of(&all).into_iter().filter(|set| !sets.contains(set)).collect();
        Table { sets, resting, departed, looked: self.knows, cards, facts: self.facts }
    }
}

/// An outline that is farther off than this from a card that the picture's edge cuts through, as a
/// part of the long side, is that of what is left.
const CUT: f64 = 0.04;

/// So many cards in their places, with their own pictures, and the camera has not moved.
const HOME: usize = 2;

/// Whether one's centre lies well within the other.
fn overlap(a: &Quad, b: &Quad) -> bool {
    let within = |inner: &Quad, outer: &Quad| {
        let center = outer.center();
        Quad::new(outer.0.map(|p| center.lerp(p, 0.7))).contains(inner.center())
    };
    within(a, b) || within(b, a)
}

/// Whether at least half of a quad can be in the picture.
fn is_in_picture(quad: &Quad, grey: &Grey) -> bool {
    let center = quad.center() / grey.scale;
    let finite = quad.0.iter().all(|p: &Point| p.x.is_finite() && p.y.is_finite());
    finite && grey.fine.holds(center, 0.0)
}

/// Whether the picture's edge cuts through a quad.
fn leaves_picture(quad: &Quad, grey: &Grey) -> bool {
    /// In pixels of the fine plane: corners are measured to less.
    const LEEWAY: f64 = -1.0;
    quad.0.iter().any(|corner| !grey.fine.holds(*corner / grey.scale, LEEWAY))
}

#[cfg(test)]
mod tests;
