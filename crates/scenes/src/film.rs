//! A labelled film of a table: the camera drifts, cards are dealt and taken by a hand, a hand
//! passes over them, and the focus hunts.
//!
//! All events are planned from the seed, so any frame can be drawn by itself. The bare table
//! and the cards at rest are drawn once, slightly finer and wider than the film, and each frame
//! resamples that picture through its own view; moving objects are drawn for each frame. Light,
//! lens and sensor are those of single pictures, with new noise in each frame.
//! A handheld phone adds camera shake, a rolling shutter with motion blur, and a hunting exposure.

mod plan;

use super::table::{self, Layout, Lying};
use super::{MAX_SIDE_PX, MIN_SIDE_PX, RenderError, draw_card, extent, sensor, upper_first};
use super::{background::Top, camera::View, distractors::Distractors, light::Light, paint::Owner};
use image::RgbImage;
use plan::{Hand, Plan, SLOTS};
use serde::{Deserialize, Serialize};
use setsight_game::cards::Card;
use setsight_game::cards::outline::{CARD_LONG_MM, CARD_SHORT_MM};
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::labels::as_code;
use setsight_photo::numeric::median;
use setsight_photo::print::card::{Print, symbol_probes};
use setsight_photo::print::dice::{Dice, Purpose, Span, mix};
use std::f64::consts::TAU;
use std::sync::{Arc, Mutex};

pub use plan::FilmParams;

/// The label of one frame, a line in the file of labels beside the film.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameLabel {
    pub frame: usize,
    /// Time since the first frame.
    pub time_ms: f64,
    /// The cards on the table, and those in motion.
    pub cards: Vec<FilmCard>,
    pub hand: bool,
    /// Blur of the focus, in pixels (standard deviation of a Gaussian).
    pub blur_px: f64,
}

/// A card in a frame. Coordinates in pixels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FilmCard {
    #[serde(with = "as_code")]
    pub code: Card,
    /// Clockwise, starting with a long side, as in labels of pictures.
    pub corners: Quad,
    /// Fraction of its symbols that is in the picture and not covered, 0 to 1.
    pub in_view: f64,
    /// Whether it is being dealt or taken; otherwise it is at rest.
    pub moving: bool,
}

#[derive(Clone, Debug)]
pub struct FilmFrame {
    /// 8-bit sRGB.
    pub image: RgbImage,
    pub label: FrameLabel,
}

pub struct Film {
    params: FilmParams,
    seed: u64,
    print: Print,
    gloss: f32,
    view: View,
    master: View,
    master_size: (usize, usize),
    light: Light,
    long_px: f64,
    plan: Plan,
    bare: Vec<[f32; 4]>,
    /// The last table drawn, as a cache: its cards and its picture.
    table: Mutex<Option<LastTable>>,
}

/// The cards at rest on a table, and its picture.
type LastTable = (Vec<usize>, Arc<Vec<[f32; 4]>>);

/// Width of the prepared table relative to the film, as a margin for the camera's drift.
const MARGIN: f64 = 1.12;
/// Resolution of the prepared table relative to the film, so that resampling costs little
/// sharpness.
const FINER: f64 = 1.15;

impl Film {
    /// Plans a film.
    ///
    /// # Errors
    /// A size out of range.
    pub fn plan(params: FilmParams, seed: u64) -> Result<Self, RenderError> {
        let (width, height) = params.scene.size_px;
        if [width, height].iter().any(|side| !(MIN_SIDE_PX..=MAX_SIDE_PX).contains(side)) {
            return Err(RenderError::Size(width, height));
        }
        let scene = &params.scene;
        let dice = |purpose| Dice::new(seed, 0, purpose);
        let deck = scene.deck(&mut dice(Purpose::Deck));
        let print = Print::random(deck, &mut dice(Purpose::Print), scene.variety);
        let gloss = dice(Purpose::Print).between(0.5, 1.0) as f32;
        let mut layout_dice = dice(Purpose::Layout);
        let mut deck: Vec<Card> = print.deck.cards().collect();
        layout_dice.shuffle(&mut deck);
        let aspect = f64::from(width) / f64::from(height);
        let slots = table::lay(Layout::Grid, &deck[..SLOTS], aspect, &print, 0.5, &mut layout_dice);
        let corners: Vec<Quad> = slots.iter().map(Lying::corners).collect();
        let view = View::random(scene, &corners, &mut dice(Purpose::Camera));
        let master_size = (
            (f64::from(width) * MARGIN * FINER).ceil() as usize,
            (f64::from(height) * MARGIN * FINER).ceil() as usize,
        );
        let master = view.ideal(FINER, master_size);
        let (middle, reach) = extent(&slots);
        let plan = Plan::new(&params, &deck, &slots, (middle, reach), &mut layout_dice);

        let mut table_dice = dice(Purpose::Table);
        let material = table_dice.pick(&scene.materials);
        let top = Top::random(material, print.stock, scene.white_table, &mut table_dice);
        let long_px = median(slots.iter().map(|slot| {
            Quad::new(slot.corners().0.map(|p| view.image_from_table(p, 0.0))).long_side()
        }))
        .expect("a table with slots");
        let probes: Vec<Vec<Point>> = slots
            .iter()
            .map(|slot| {
                let probes = symbol_probes(slot.card, &print).into_iter();
                probes
                    .map(|(x, y)| view.image_from_table(slot.table_from_card(x, y), 0.0))
                    .collect()
            })
            .collect();
        let light =
            Light::random(scene, &mut dice(Purpose::Light), (middle, reach), long_px, &probes);
        let distractors =
            Distractors::random(scene, &view, &slots, &mut dice(Purpose::Distractors));
        let mut bare = vec![[0.0; 4]; master_size.0 * master_size.1];
        for (i, pixel) in bare.iter_mut().enumerate() {
            let point = master.table_from_image(pixel_center(i, master_size.0));
            *pixel = top.at(point.place.x, point.place.y, point.size_mm);
        }
        distractors.draw(&mut bare, &mut Owner::new(master_size), &master, &light);
        Ok(Self {
            params,
            seed,
            print,
            gloss,
            view,
            master,
            master_size,
            light,
            long_px,
            plan,
            bare,
            table: Mutex::new(None),
        })
    }

    pub fn frames(&self) -> usize {
        (self.params.seconds * self.params.fps).round().max(1.0) as usize
    }

    /// Draws a frame. Consecutive frames are fastest, because they share the prepared table.
    pub fn draw(&self, index: usize) -> FilmFrame {
        let time = index as f64 / self.params.fps;
        let view = self.view_at(time);
        let (resting, moving): (Vec<_>, Vec<_>) =
            self.plan.cards(time).into_iter().partition(|card| !card.moving);
        let key: Vec<usize> = resting.iter().map(|card| card.index).collect();
        let lying: Vec<Lying> = resting.iter().map(|card| card.lying).collect();
        let table = self.table_with(key, &lying);
        let (width, height) = self.params.scene.size_px;
        let size = (width as usize, height as usize);
        let mut pixels = if self.params.phone {
            self.exposed(&table, time, size)
        } else {
            self.resampled(&table, |_| view.clone(), size)
        };
        let mut master_light = self.light.clone();
        // A card in a hand is lifted, so its shadow is longer.
        master_light.card_shadow.0 += 4.0;
        master_light.card_shadow.1 += 6.0;
        let mut owner = Owner::new(size);
        for card in &moving {
            let light = &master_light;
            draw_card(&mut pixels, &mut owner, &card.lying, &self.print, self.gloss, &view, light);
        }
        let hands = self.plan.hands(time);
        for hand in &hands {
            hand.draw(&mut pixels, size, &view, &self.light);
        }
        self.light.shine(&mut pixels, size.0, &view);
        self.light.add_glare(&mut pixels, size.0);
        if self.params.phone {
            let gain = gain(time) as f32;
            pixels.iter_mut().for_each(|pixel| pixel[..3].iter_mut().for_each(|v| *v *= gain));
        }
        let focus = self.plan.defocus(time);
        let mut scene = self.params.scene.clone();
        // The constant blur is the lens's own; the hunting focus is added to it.
        let still = Dice::new(self.seed, 1, Purpose::Sensor).within(scene.defocus);
        scene.defocus = Span::only(still.hypot(focus));
        scene.motion = Span::only(0.0);
        let noise = mix(mix(self.seed ^ 0xf11a) ^ index as u64);
        let sensor_dice = &mut Dice::new(self.seed, 0, Purpose::Sensor);
        let image = sensor::expose(pixels, &scene, self.long_px, sensor_dice, noise);

        let all: Vec<&plan::InPlay> = resting.iter().chain(&moving).collect();
        let cards = all
            .iter()
            .enumerate()
            .map(|(i, card)| FilmCard {
                code: card.lying.card,
                corners: rounded(corners_of(&card.lying, &view)),
                in_view: hundredths(self.in_view(card, &all[i + 1..], &hands, &view)),
                moving: card.moving,
            })
            .filter(|card| card.in_view > 0.0 || !card.moving)
            .collect();
        let label = FrameLabel {
            frame: index,
            time_ms: hundredths(1000.0 * time),
            cards,
            hand: hands.iter().any(|hand| hand.is_in_view(&view, size)),
            blur_px: hundredths(focus * self.long_px),
        };
        FilmFrame { image, label }
    }

    /// The table with cards at rest.
    fn table_with(&self, key: Vec<usize>, lying: &[Lying]) -> Arc<Vec<[f32; 4]>> {
        // Locked while drawing, because frames drawn in parallel mostly wait for the same table.
        let mut last = self.table.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((cached, table)) = &*last
            && *cached == key
        {
            return Arc::clone(table);
        }
        let mut table = self.bare.clone();
        let mut owner = Owner::new(self.master_size);
        for card in lying {
            let print = &self.print;
            draw_card(&mut table, &mut owner, card, print, self.gloss, &self.master, &self.light);
        }
        let table = Arc::new(table);
        *last = Some((key, Arc::clone(&table)));
        table
    }

    fn view_at(&self, time: f64) -> View {
        /// Amplitude of the camera shake in radians: a few pixels of a picture 1280 wide.
        const TREMOR: f64 = 0.001;
        let (mut turn, shift) = self.plan.camera(time);
        if self.params.phone {
            for (way, turn) in (0..).zip(turn.iter_mut()) {
                *turn += TREMOR * tremor(time, way);
            }
        }
        self.view.drifted(turn, shift)
    }

    /// The table as a phone exposes it in one frame.
    fn exposed(&self, table: &[[f32; 4]], time: f64, size: (usize, usize)) -> Vec<[f32; 4]> {
        let moment =
            |number| self.resampled(table, |share| self.view_at(moment(time, share, number)), size);
        let mut pixels = moment(0);
        for other in (1..MOMENTS).map(moment) {
            for (sum, other) in pixels.iter_mut().zip(other) {
                sum.iter_mut().zip(other).for_each(|(sum, v)| *sum += v);
            }
        }
        let part = 1.0 / MOMENTS as f32;
        pixels.iter_mut().for_each(|pixel| pixel.iter_mut().for_each(|v| *v *= part));
        pixels
    }

    /// Resamples the table's picture through another view, which may differ for each row (given as
    /// a fraction of the height). Exact on a grid of nodes, with linear interpolation between them.
    fn resampled(
        &self,
        table: &[[f32; 4]],
        view: impl Fn(f64) -> View,
        size: (usize, usize),
    ) -> Vec<[f32; 4]> {
        const STEP: usize = 8;
        let columns = size.0 / STEP + 2;
        let nodes: Vec<Point> = (0..size.1 / STEP + 2)
            .flat_map(|row| {
                let y = (row * STEP) as f64 + 0.5;
                let view = view(y / size.1 as f64);
                (0..columns).map(move |column| {
                    let at = Point::new((column * STEP) as f64 + 0.5, y);
                    self.master.image_from_table(view.table_from_image(at).place, 0.0)
                })
            })
            .collect();
        let (master_width, master_height) = self.master_size;
        let mut pixels = Vec::with_capacity(size.0 * size.1);
        for y in 0..size.1 {
            let (j, v) = (y / STEP, (y % STEP) as f64 / STEP as f64);
            for x in 0..size.0 {
                let (i, u) = (x / STEP, (x % STEP) as f64 / STEP as f64);
                let k = j * columns + i;
                let left = nodes[k].lerp(nodes[k + columns], v);
                let right = nodes[k + 1].lerp(nodes[k + columns + 1], v);
                let p = left.lerp(right, u) - Point::new(0.5, 0.5);
                let cx = p.x.clamp(0.0, master_width as f64 - 1.001);
                let cy = p.y.clamp(0.0, master_height as f64 - 1.001);
                let (ix, iy) = (cx as usize, cy as usize);
                let (fx, fy) = ((cx - ix as f64) as f32, (cy - iy as f64) as f32);
                let row = &table[iy * master_width + ix..];
                let below = &table[(iy + 1) * master_width + ix..];
                let (a, b, c, d) = (row[0], row[1], below[0], below[1]);
                pixels.push(std::array::from_fn(|n| {
                    let upper = a[n] + (b[n] - a[n]) * fx;
                    let lower = c[n] + (d[n] - c[n]) * fx;
                    upper + (lower - upper) * fy
                }));
            }
        }
        pixels
    }

    /// Visible fraction of a card's symbols.
    fn in_view(
        &self,
        card: &plan::InPlay,
        above: &[&plan::InPlay],
        hands: &[Hand],
        view: &View,
    ) -> f64 {
        let (width, height) = self.params.scene.size_px;
        let probes = symbol_probes(card.lying.card, &self.print);
        let visible = probes.iter().filter(|&&(x, y)| {
            let place = card.lying.table_from_card(x, y);
            let p = view.image_from_table(place, card.lying.height_mm(x));
            let inside =
                p.x >= 0.0 && p.y >= 0.0 && p.x < f64::from(width) && p.y < f64::from(height);
            inside
                && !above.iter().any(|other| other.lying.covers(place))
                && !hands.iter().any(|hand| hand.covers(place))
        });
        visible.count() as f64 / probes.len().max(1) as f64
    }
}

fn pixel_center(index: usize, width: usize) -> Point {
    Point::new((index % width) as f64 + 0.5, (index / width) as f64 + 0.5)
}

fn corners_of(card: &Lying, view: &View) -> Quad {
    let (a, b) = (CARD_LONG_MM / 2.0, CARD_SHORT_MM / 2.0);
    upper_first(
        [(-a, -b), (a, -b), (a, b), (-a, b)]
            .map(|(x, y)| view.image_from_table(card.table_from_card(x, y), card.height_mm(x))),
    )
}

fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn rounded(quad: Quad) -> Quad {
    Quad::new(quad.0.map(|p| Point::new(hundredths(p.x), hundredths(p.y))))
}

/// Readout time of a frame from the first row to the last, in seconds: a rolling shutter.
const READOUT_S: f64 = 0.02;
/// Exposure time of a row in seconds, as in a room in the evening.
const EXPOSURE_S: f64 = 0.016;
/// Number of moments averaged in each row.
const MOMENTS: usize = 3;
/// Frequencies of the hand's tremor in hertz, and their weights.
const TREMOR: [(f64, f64); 3] = [(4.3, 1.0), (7.9, 0.6), (11.3, 0.35)];
/// Period of the exposure's hunting, in seconds.
const HUNT_S: f64 = 2.7;

/// The time at which a row of a frame is exposed: `share` of the way from the first row to the
/// last, at moment `number` of its exposure.
fn moment(frame_s: f64, share: f64, number: usize) -> f64 {
    let middle = (number as f64 + 0.5) / MOMENTS as f64 - 0.5;
    frame_s + READOUT_S * (share - 0.5) + EXPOSURE_S * middle
}

/// Displacement by tremor at a time, about -1 to 1; `way` selects a direction.
fn tremor(time_s: f64, way: u32) -> f64 {
    let phase = 1.7 * f64::from(way);
    TREMOR.iter().map(|(pace, part)| part * (TAU * pace * time_s + phase * pace).sin()).sum::<f64>()
        / 1.95
}

/// Gain of the exposure: it drops suddenly and recovers with a slight overshoot.
fn gain(time_s: f64) -> f64 {
    let since = (time_s + 1.1).rem_euclid(HUNT_S);
    1.0 - 0.3 * (-3.0 * since).exp() * (6.0 * since).cos()
}

#[cfg(test)]
mod tests {
    use super::super::params::{Kind, Params};
    use super::*;

    fn film(seconds: f64, seed: u64) -> Film {
        let mut scene = Params::for_kind(Kind::Plain);
        scene.size_px = (320, 180);
        Film::plan(FilmParams { scene, seconds, fps: 10.0, phone: false }, seed).unwrap()
    }

    #[test]
    fn frames_repeat_whatever_was_drawn_before() {
        let (a, b) = (film(6.0, 3), film(6.0, 3));
        let early = a.draw(2);
        let late = a.draw(41);
        assert_eq!(b.draw(41).image, late.image);
        assert_eq!(b.draw(41).label, late.label);
        assert_eq!(b.draw(2).image, early.image);
        assert_ne!(early.image, late.image);
        assert_ne!(film(6.0, 4).draw(2).image, early.image);
    }

    #[test]
    fn a_phone_blurs_and_its_labels_are_those_of_the_middle_of_the_frame() {
        let mut scene = Params::for_kind(Kind::Plain);
        scene.size_px = (320, 180);
        let [phone, still] = [true, false].map(|phone| {
            let params = FilmParams { scene: scene.clone(), seconds: 2.0, fps: 30.0, phone };
            Film::plan(params, 3).unwrap()
        });
        let (mut least, mut most) = (f64::MAX, f64::MIN);
        for i in (0..60).step_by(6) {
            let (a, b): (FilmFrame, FilmFrame) = (phone.draw(i), still.draw(i));
            let [with, without] = [&a.image, &b.image].map(|image| {
                image.as_raw().iter().map(|&v| f64::from(v)).sum::<f64>() / image.len() as f64
            });
            let brighter = with / without;
            (least, most) = (least.min(brighter), most.max(brighter));
            for (a, b) in a.label.cards.iter().zip(&b.label.cards) {
                let off = a.corners.center().distance(b.corners.center());
                assert!(off < 3.0, "{off}");
            }
        }
        assert!(least < 0.93 && most > 0.97, "exposure hunts: {least} {most}");
    }

    #[test]
    fn a_game_is_played_by_a_hand_under_a_drifting_camera() {
        let film = film(12.0, 5);
        let labels: Vec<FrameLabel> = (0..film.frames()).map(|i| film.draw(i).label).collect();
        assert_eq!(labels.len(), 120);
        let first = &labels[0];
        assert_eq!(first.cards.len(), 12);
        assert!(first.cards.iter().all(|c| !c.moving && c.in_view > 0.95), "{first:?}");
        for label in &labels {
            let mut once: Vec<Card> = label.cards.iter().map(|c| c.code).collect();
            once.sort();
            once.dedup();
            assert_eq!(once.len(), label.cards.len(), "each card once");
        }
        let last = labels.last().unwrap();
        let new = last.cards.iter().filter(|c| first.cards.iter().all(|d| d.code != c.code));
        assert!(new.count() > 0, "cards were dealt");
        let gone = first.cards.iter().filter(|c| last.cards.iter().all(|d| d.code != c.code));
        assert!(gone.count() >= 3, "cards were taken");
        assert!(labels.iter().any(|l| l.hand) && labels.iter().any(|l| !l.hand));
        assert!(labels.iter().any(|l| l.cards.iter().any(|c| c.moving)));
        assert!(labels.iter().any(|l| l.blur_px > 1.0) && labels.iter().any(|l| l.blur_px == 0.0));
        let moved = labels[15].cards.iter().find(|c| c.code == first.cards[4].code);
        let shift = moved.map(|c| c.corners.0[0].distance(first.cards[4].corners.0[0]));
        assert!(shift.is_none_or(|s| s > 0.05 && s < 30.0), "{shift:?}");
    }

    #[test]
    fn rows_follow_each_other_and_exposure_returns() {
        assert!(moment(1.0, 0.0, 0) < moment(1.0, 0.0, 2));
        assert!(moment(1.0, 0.0, 1) < moment(1.0, 1.0, 1));
        assert!((moment(1.0, 0.5, 1) - 1.0).abs() < 1e-9);
        let gains: Vec<f64> = (0..100).map(|i| gain(0.05 * f64::from(i))).collect();
        let least = gains.iter().copied().fold(f64::MAX, f64::min);
        assert!((0.65..0.75).contains(&least), "{least}");
        assert!(gains.iter().all(|gain| *gain < 1.15));
        assert!((0..1_000).all(|i| tremor(0.01 * f64::from(i), 2).abs() <= 1.0));
    }
}
