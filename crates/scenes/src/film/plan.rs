//! The plan of a film: its scene, the game, the hands (flat above the table: capsules of skin and a soft shadow),
//! the camera and its focus.

use super::super::{camera::View, distractors::for_pixels, light::Light, table::Lying};
use crate::params::Params;
use nalgebra::Vector3;
use setsight_game::cards::{Card, Property};
use setsight_photo::geometry::Point;
use setsight_photo::print::dice::{Dice, Span};
use std::f64::consts::TAU;

#[derive(Clone, Debug, PartialEq)]
pub struct FilmParams {
    /// Table, deck, light and lens. Its cards and layout are ignored, because a game is played on a
    /// grid; so are its casts, annotations, flyers and mirroring.
    pub scene: Params,
    /// Length in seconds, more than 0.
    pub seconds: f64,
    /// Frames per second, 1 to 120.
    pub fps: f64,
    /// Whether a handheld phone films: camera shake, a rolling shutter with motion blur, and a
    /// hunting exposure.
    pub phone: bool,
}

/// Places on the table: twelve, and three for tables without a set.
pub(super) const SLOTS: usize = 15;
/// Number of cards dealt at the start.
const START: usize = 12;

/// The time of one card on the table, in seconds.
#[derive(Clone, Copy, Debug)]
struct Stay {
    lying: Lying,
    /// When a hand brings it in, and when it is at rest; both before the film for the first cards.
    dealt: (f64, f64),
    /// When it is taken, and when it leaves the picture; after the film for most cards.
    taken: (f64, f64),
    /// The place outside the picture where it comes from and goes to.
    outside: Point,
}

/// The path of a hand: positions of the tip with times, in order.
#[derive(Clone, Debug)]
struct Reach {
    way: Vec<(f64, Point)>,
    /// The place that its arm comes from.
    elbow: Point,
}

/// A card that is on the table at some time.
#[derive(Clone, Copy, Debug)]
pub(super) struct InPlay {
    /// Index of its stay, the same in all frames.
    pub(super) index: usize,
    pub(super) lying: Lying,
    pub(super) moving: bool,
}

/// A sum of slow waves.
#[derive(Clone, Copy, Debug)]
struct Sway([(f64, f64, f64); 3]);

impl Sway {
    fn random(size: f64, dice: &mut Dice) -> Self {
        let waves = [
            (size, Span::new(5.0, 9.0)),
            (0.35 * size, Span::new(1.8, 4.0)),
            // The camera shake of a handheld camera.
            (0.025 * size, Span::new(0.2, 0.4)),
        ];
        Self(waves.map(|(size, period)| {
            (size * dice.between(0.5, 1.0), TAU / dice.within(period), dice.between(0.0, TAU))
        }))
    }

    /// The sway, which is 0 at time 0 so that the film starts at the camera's planned position.
    fn at(&self, time: f64) -> f64 {
        self.0
            .iter()
            .map(|&(size, pace, phase)| size * ((pace * time + phase).sin() - phase.sin()))
            .sum()
    }
}

#[derive(Clone, Debug)]
pub(super) struct Plan {
    stays: Vec<Stay>,
    reaches: Vec<Reach>,
    turn: [Sway; 3],
    shift: [Sway; 3],
    /// When the focus hunts: start, duration, and maximum blur as a fraction of a card's long side.
    hunts: Vec<(f64, f64, f64)>,
    skin: usize,
}

impl Plan {
    /// Plays a game with `deck` on `slots`; `around` is the centre of the slots and their extent.
    pub(super) fn new(
        params: &FilmParams,
        deck: &[Card],
        slots: &[Lying],
        (middle, reach): (Point, f64),
        dice: &mut Dice,
    ) -> Self {
        let end = params.seconds;
        let mut plan = Self {
            stays: Vec::new(),
            reaches: Vec::new(),
            turn: [0.008, 0.008, 0.012].map(|size| Sway::random(size, dice)),
            shift: [6.0, 6.0, 10.0].map(|size| Sway::random(size, dice)),
            hunts: Vec::new(),
            skin: dice.below(4),
        };
        // Players sit around the table; each one takes and deals from one side.
        let outside = |dice: &mut Dice| {
            let angle = dice.between(0.0, TAU);
            middle + Point::new(angle.cos(), angle.sin()) * (2.2 * reach + 120.0)
        };
        let curl_mm = params.scene.curl_mm;
        let never = f64::INFINITY;
        let before = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        let mut deck = deck.iter().copied();
        let mut table: Vec<Option<usize>> = vec![None; SLOTS];
        for (slot, place) in table.iter_mut().enumerate().take(START) {
            let Some(card) = deck.next() else { break };
            let lying = placed(slots[slot], card, curl_mm, dice);
            *place = Some(plan.stays.len());
            let stay = Stay { lying, dealt: before, taken: (never, never), outside: middle };
            plan.stays.push(stay);
        }
        let mut time = dice.between(1.3, 1.8);
        while time < end {
            let on_table: Vec<usize> = table.iter().flatten().copied().collect();
            let set = plan.some_set(&on_table, dice);
            if let Some(set) = set {
                for stay in set {
                    time = plan.take(stay, time, outside(dice), dice);
                    for place in &mut table {
                        if *place == Some(stay) {
                            *place = None;
                        }
                    }
                }
                time += dice.between(0.2, 0.6);
            }
            // Deal up to twelve again, or three more if there was no set.
            let wanted = if set.is_some() { START } else { on_table.len() + 3 };
            while table.iter().flatten().count() < wanted.min(SLOTS) {
                let Some(slot) = table.iter().position(Option::is_none) else { break };
                let Some(card) = deck.next() else { break };
                let lying = placed(slots[slot], card, curl_mm, dice);
                table[slot] = Some(plan.stays.len());
                time = plan.deal(lying, time, outside(dice), dice);
            }
            let dealt = time;
            time += dice.between(1.4, 2.6);
            // While the players think, a hand may point at something, or the focus may hunt.
            if dice.chance(0.6) {
                time += plan.pass(dealt + 0.3, middle, reach, dice);
            }
            if dice.chance(0.7) {
                let (length, worst) = (dice.between(0.5, 0.9), dice.between(0.012, 0.03));
                plan.hunts.push((time - 0.9, length, worst));
            }
            if set.is_none() && on_table.len() >= SLOTS {
                break; // Fifteen cards without a set: the players give up.
            }
        }
        plan
    }

    /// A random set among these cards.
    fn some_set(&self, on_table: &[usize], dice: &mut Dice) -> Option<[usize; 3]> {
        let card = |stay: usize| self.stays[stay].lying.card;
        let mut sets = Vec::new();
        for (i, &a) in on_table.iter().enumerate() {
            for (j, &b) in on_table.iter().enumerate().skip(i + 1) {
                let third =
                    on_table[j + 1..].iter().filter(|&&c| is_set(card(a), card(b), card(c)));
                sets.extend(third.map(|&c| [a, b, c]));
            }
        }
        (!sets.is_empty()).then(|| sets[dice.below(sets.len())])
    }

    /// A hand takes a card; returns the earliest time of the next action.
    fn take(&mut self, stay: usize, time: f64, outside: Point, dice: &mut Dice) -> f64 {
        let (approach, retreat) = (dice.between(0.3, 0.5), dice.between(0.35, 0.55));
        let place = self.stays[stay].lying.center;
        let taken = (time + approach, time + approach + retreat);
        self.stays[stay].taken = taken;
        self.stays[stay].outside = outside;
        self.reaches.push(Reach {
            way: vec![(time, outside), (taken.0, place), (taken.1, outside)],
            elbow: outside,
        });
        taken.1 + 0.05
    }

    /// A hand deals a card; returns the earliest time of the next action.
    fn deal(&mut self, lying: Lying, time: f64, outside: Point, dice: &mut Dice) -> f64 {
        let (approach, retreat) = (dice.between(0.35, 0.55), dice.between(0.25, 0.4));
        let dealt = (time, time + approach);
        let never = f64::INFINITY;
        self.stays.push(Stay { lying, dealt, taken: (never, never), outside });
        self.reaches.push(Reach {
            way: vec![(time, outside), (dealt.1, lying.center), (dealt.1 + retreat, outside)],
            elbow: outside,
        });
        dealt.1 + 0.6 * retreat
    }

    /// A hand passes over the cards and may pause above some; returns the duration.
    fn pass(&mut self, time: f64, middle: Point, reach: f64, dice: &mut Dice) -> f64 {
        let angle = dice.between(0.0, TAU);
        let side = Point::new(angle.cos(), angle.sin());
        let outside = middle + side * (2.2 * reach + 120.0);
        let off = Point::new(dice.normal(), dice.normal()) * (0.25 * reach);
        let (a, b) = (middle + off, middle - off + side.perpendicular() * (0.3 * reach));
        let (approach, rest, on) =
            (dice.between(0.4, 0.7), dice.between(0.0, 0.8), dice.between(0.3, 0.6));
        let mut way = vec![(time, outside)];
        for (wait, place) in [(approach, a), (rest, a), (on, b), (approach, outside)] {
            way.push((way[way.len() - 1].0 + wait, place));
        }
        self.reaches.push(Reach { way, elbow: outside + side * 200.0 });
        2.0 * approach + rest + on
    }

    /// The camera's rotation (radians about its own axes) and shift (millimetres along them).
    pub(super) fn camera(&self, time: f64) -> (Vector3<f64>, Vector3<f64>) {
        [&self.turn, &self.shift].map(|sways| Vector3::from_fn(|i, _| sways[i].at(time))).into()
    }

    /// The cards on the table, with those that a hand moves last.
    pub(super) fn cards(&self, time: f64) -> Vec<InPlay> {
        let stays = self.stays.iter().enumerate();
        let mut cards: Vec<InPlay> = stays
            .filter(|(_, stay)| time >= stay.dealt.0 && time < stay.taken.1)
            .map(|(index, stay)| {
                let out = if time < stay.dealt.1 {
                    1.0 - eased((time - stay.dealt.0) / (stay.dealt.1 - stay.dealt.0))
                } else if time >= stay.taken.0 {
                    eased((time - stay.taken.0) / (stay.taken.1 - stay.taken.0))
                } else {
                    0.0
                };
                let mut lying = stay.lying;
                lying.center = lying.center.lerp(stay.outside, out);
                InPlay { index, lying, moving: out > 0.0 }
            })
            .collect();
        cards.sort_by_key(|card| (card.moving, card.index));
        cards
    }

    /// The hands above the table.
    pub(super) fn hands(&self, time: f64) -> Vec<Hand> {
        let reaches = self.reaches.iter().filter(|reach| {
            let (start, end) = (reach.way[0].0, reach.way[reach.way.len() - 1].0);
            (start..=end).contains(&time)
        });
        reaches
            .map(|reach| {
                let next = reach.way.iter().position(|step| step.0 > time);
                let next = next.unwrap_or(reach.way.len() - 1).max(1);
                let (from, to) = (reach.way[next - 1], reach.way[next]);
                let part = (time - from.0) / (to.0 - from.0).max(1e-9);
                let grip = from.1.lerp(to.1, eased(part));
                let back = reach.elbow - grip;
                let back =
                    if back.norm() > 1.0 { back / back.norm() } else { Point::new(0.0, 1.0) };
                // The fingers reach beyond the grip, and the arm is longer than its path.
                Hand::new(grip - back * 15.0, back, self.skin)
            })
            .collect()
    }

    /// Blur of the hunting focus, as a fraction of a card's long side.
    pub(super) fn defocus(&self, time: f64) -> f64 {
        let hunt = self.hunts.iter().find(|h| time > h.0 && time < h.0 + h.1);
        hunt.map_or(0.0, |&(start, length, worst)| {
            worst * (std::f64::consts::PI * (time - start) / length).sin().powi(2)
        })
    }
}

/// Whether three different cards are a set: the values of each property must sum to a multiple of
/// three.
fn is_set(a: Card, b: Card, c: Card) -> bool {
    Property::ALL.into_iter().all(|p| (a.value(p) + b.value(p) + c.value(p)).is_multiple_of(3))
}

/// Easing from 0 to 1, slow at both ends.
fn eased(part: f64) -> f64 {
    let t = part.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Linear reflectance of skin, from light to dark.
const SKINS: [[f64; 3]; 4] =
    [[0.62, 0.40, 0.30], [0.50, 0.29, 0.20], [0.32, 0.17, 0.11], [0.13, 0.065, 0.042]];

/// A hand over the table, in millimetres.
#[derive(Clone, Debug)]
pub(super) struct Hand {
    /// Tip of the middle finger.
    tip: Point,
    /// Unit vector from the tip to the elbow.
    back: Point,
    skin: [f32; 3],
}

/// Height of a hand above the table, which offsets its shadow.
const HEIGHT_MM: f64 = 22.0;
/// Width of the shadow's penumbra.
const PENUMBRA_MM: f64 = 16.0;
/// Length of the hand and forearm.
const ARM_MM: f64 = 620.0;
/// Maximum distance of its outline from its axis.
const WIDEST_MM: f64 = 62.0;

/// A card in a slot, a little off its middle and turned a little.
fn placed(slot: Lying, card: Card, curl_mm: Span, dice: &mut Dice) -> Lying {
    let turn = 0.02 * dice.normal().clamp(-2.0, 2.0);
    let center = slot.center + Point::new(dice.normal(), dice.normal());
    let along = slot.along + slot.along.perpendicular() * turn;
    Lying { card, center, along: along / along.norm(), curl_mm: dice.within(curl_mm) }
}

/// The distance of a point from a line segment.
fn to_segment(p: Point, a: Point, b: Point) -> f64 {
    let along = b - a;
    let t = ((p - a).dot(along) / along.dot(along)).clamp(0.0, 1.0);
    p.distance(a.lerp(b, t))
}

impl Hand {
    /// A hand whose middle finger points at `tip`; `back` is the direction towards the elbow.
    pub(super) fn new(tip: Point, back: Point, skin: usize) -> Self {
        let skin = SKINS[skin % SKINS.len()].map(|v| v as f32);
        Self { tip, back, skin }
    }

    /// Signed distance to its outline, negative inside.
    fn distance(&self, place: Point) -> f64 {
        let off = place - self.tip;
        // Coordinates along the arm from the tip, and across it.
        let p = Point::new(off.dot(self.back), self.back.cross(off));
        // From there, to there, radius.
        let capsules: [[f64; 5]; 7] = [
            [9.0, 0.0, 75.0, 4.0, 9.0],        // middle finger
            [16.0, -21.0, 78.0, -14.0, 8.8],   // index finger
            [17.0, 20.0, 78.0, 20.0, 8.5],     // ring finger
            [36.0, 40.0, 86.0, 33.0, 7.5],     // little finger
            [72.0, -52.0, 120.0, -25.0, 10.5], // thumb
            [100.0, 8.0, 140.0, 6.0, 38.0],    // palm
            [170.0, 4.0, ARM_MM, 4.0, 30.0],   // forearm
        ];
        capsules
            .iter()
            .map(|[x, y, u, v, r]| to_segment(p, Point::new(*x, *y), Point::new(*u, *v)) - r)
            .fold(f64::INFINITY, f64::min)
    }

    /// Whether it hides a place of the table.
    pub(super) fn covers(&self, place: Point) -> bool {
        self.distance(place) < 0.0
    }

    /// The corners of its bounding box in the picture.
    fn around(&self, view: &View, more_mm: f64) -> [Point; 4] {
        let side = self.back.perpendicular() * (WIDEST_MM + more_mm);
        let (near, far) =
            (self.tip - self.back * more_mm, self.tip + self.back * (ARM_MM + 30.0 + more_mm));
        [near + side, near - side, far + side, far - side].map(|p| view.image_from_table(p, 0.0))
    }

    /// Whether any of it is in the picture.
    pub(super) fn is_in_view(&self, view: &View, size: (usize, usize)) -> bool {
        let inside =
            |p: Point| p.x > 0.0 && p.y > 0.0 && p.x < size.0 as f64 && p.y < size.1 as f64;
        inside(view.image_from_table(self.tip, 0.0))
            || inside(view.image_from_table(self.tip + self.back * 120.0, 0.0))
            || inside(view.image_from_table(self.tip + self.back * 300.0, 0.0))
    }

    /// Draws its shadow and then itself into a picture of reflectances.
    pub(super) fn draw(
        &self,
        pixels: &mut [[f32; 4]],
        size: (usize, usize),
        view: &View,
        light: &Light,
    ) {
        let around = self.around(view, 2.0 * HEIGHT_MM + PENUMBRA_MM);
        let depth = (0.5 + 0.6 * light.card_shadow.2).min(0.8);
        for_pixels(&around, size, |x, y| {
            let point = view.table_from_image(Point::new(x as f64 + 0.5, y as f64 + 0.5));
            let pixel = &mut pixels[y * size.0 + x];
            let thrown = self.distance(point.place - light.away * HEIGHT_MM);
            let t = (0.5 - thrown / PENUMBRA_MM).clamp(0.0, 1.0);
            let dark = (1.0 - depth * t * t * (3.0 - 2.0 * t)) as f32;
            let distance = self.distance(point.place);
            let cover = (0.5 - distance / point.size_mm).clamp(0.0, 1.0) as f32;
            // Shaded towards its borders, with slight wrinkles.
            let round = (1.0 - (1.0 + distance / 14.0).clamp(0.0, 1.0).powi(2) * 0.55) as f32;
            let wrinkle =
                setsight_photo::print::dice::value(77, point.place.x / 5.0, point.place.y / 5.0);
            let shade = round * (1.0 + 0.06 * wrinkle as f32);
            for (value, skin) in pixel.iter_mut().zip(self.skin) {
                *value *= dark;
                *value += (skin * shade - *value) * cover;
            }
            pixel[3] += (0.05 - pixel[3]) * cover;
        });
    }
}
