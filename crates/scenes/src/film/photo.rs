//! A film made from a real photo, as if a handheld phone filmed the table. Some of its cards are
//! dealt as cut-outs, and a hand passes over it.
//!
//! The photo is treated as a plane, which is right for its flat table; shadows and light stay those
//! of the photo. The place of a card that is not dealt yet is filled in from its surroundings.

use super::hand::Hand;
use super::{FilmCard, FilmFrame, FrameLabel, phone};
use super::{hundredths, rounded};
use image::imageops::{self, FilterType};
use image::{Rgb, RgbImage};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use setsight_game::cards::outline::CARD_LONG_MM;
use setsight_photo::geometry::{Homography, Point, Quad};
use setsight_photo::labels::CardLabel;
use std::f64::consts::TAU;
use std::sync::{Arc, Mutex, PoisonError};

/// Parameters of a film of a photo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhotoFilmParams {
    /// Size of the film's frames; the photo fills them.
    pub size_px: (u32, u32),
    /// Length in seconds, more than 0.
    pub seconds: f64,
    /// Frames per second.
    pub fps: f64,
    /// Number of cards dealt while the film runs.
    pub dealt: usize,
}

/// A planned film of a photo.
pub struct PhotoFilm {
    params: PhotoFilmParams,
    seed: u64,
    /// The photo, scaled to cover the frames.
    photo: RgbImage,
    /// All its cards, with the dealt ones last.
    cards: Vec<CardLabel>,
    deals: Vec<Deal>,
    /// Typical length of a card, in pixels of the photo.
    long_px: f64,
    /// Time and path of a hand that passes over the table and takes nothing.
    pass: (f64, f64, Point, Point),
    skin: usize,
    /// The last table drawn, as a cache: the number of completed deals, and its picture.
    table: Mutex<Option<(usize, Arc<RgbImage>)>>,
}

/// A card that is dealt.
#[derive(Clone, Copy)]
struct Deal {
    /// Index of the card.
    card: usize,
    /// Times at which it enters the picture and comes to rest, in seconds.
    at: (f64, f64),
    /// Its starting point, relative to its place.
    off: Point,
}

/// Duration of a deal in seconds.
const DEALING_S: f64 = 0.6;
/// Size of the filled area relative to the missing card, to include its shadow.
const FILLED: f64 = 1.14;
/// Sensor noise, in levels.
const NOISE: f64 = 3.0;

/// The camera's pose at a moment: the frame's position on the photo.
struct Pose {
    sin: f64,
    cos: f64,
    zoom: f64,
    shift: Point,
    frame_middle: Point,
    photo_middle: Point,
}

impl Pose {
    fn photo_from_frame(&self, at: Point) -> Point {
        let p = at - self.frame_middle;
        let turned = Point::new(self.cos * p.x - self.sin * p.y, self.sin * p.x + self.cos * p.y);
        turned / self.zoom + self.shift + self.photo_middle
    }

    fn frame_from_photo(&self, at: Point) -> Point {
        let p = (at - self.photo_middle - self.shift) * self.zoom;
        Point::new(self.cos * p.x + self.sin * p.y, self.cos * p.y - self.sin * p.x)
            + self.frame_middle
    }
}

impl PhotoFilm {
    /// Plans a film of an upright photo and the cards on it (in its pixels, corners clockwise). A
    /// card without known corners is not dealt, and its label shows only its centre.
    pub fn plan(photo: &RgbImage, cards: &[CardLabel], params: PhotoFilmParams, seed: u64) -> Self {
        let mut rng = Pcg64::seed_from_u64(seed);
        let (width, height) = params.size_px;
        let scale = (f64::from(width) / f64::from(photo.width()))
            .max(f64::from(height) / f64::from(photo.height()));
        let side = |px: u32, least: u32| ((f64::from(px) * scale).round() as u32).max(least);
        let (wide, high) = (side(photo.width(), width), side(photo.height(), height));
        let photo = imageops::resize(photo, wide, high, FilterType::Triangle);
        let mut cards: Vec<CardLabel> = cards
            .iter()
            .map(|card| CardLabel {
                said_by: card.said_by,
                code: card.code,
                center: card.center * scale,
                corners: card.corners.map(|quad| quad.map(|p| p * scale)),
            })
            .collect();
        let mut sides: Vec<f64> =
            cards.iter().filter_map(|card| Some(card.corners?.long_side())).collect();
        sides.sort_by(f64::total_cmp);
        let long_px = sides.get(sides.len() / 2).copied().unwrap_or(f64::from(wide) / 8.0);
        // Only cards that lie by themselves can be cut out and filled in.
        let alone = |i: usize, cards: &[CardLabel]| {
            cards[i].corners.is_some()
                && cards.iter().enumerate().all(|(j, other)| {
                    j == i || other.center.distance(cards[i].center) > 0.7 * long_px
                })
        };
        let mut chosen: Vec<usize> = (0..cards.len()).filter(|&i| alone(i, &cards)).collect();
        for i in (1..chosen.len()).rev() {
            chosen.swap(i, rng.random_range(0..=i));
        }
        // Some cards are there from the beginning.
        chosen.truncate(params.dealt.min(cards.len() / 2));
        chosen.sort_unstable();
        let dealt: Vec<CardLabel> = chosen.iter().rev().map(|&i| cards.remove(i)).collect();
        let first = cards.len();
        cards.extend(dealt);
        let apart = params.seconds * 0.5 / (cards.len() - first).max(1) as f64;
        let reach = f64::from(wide).hypot(f64::from(high));
        let deals = (first..cards.len())
            .zip(0..)
            .map(|(card, n)| {
                let begin = params.seconds * 0.25 + apart * f64::from(n);
                let angle = rng.random_range(0.0..TAU);
                let off = Point::new(angle.cos(), angle.sin()) * (0.6 * reach);
                Deal { card, at: (begin, begin + DEALING_S), off }
            })
            .collect();
        let (begin, end) = (params.seconds * 0.78, params.seconds * 0.98);
        let angle = rng.random_range(0.0..TAU);
        let way = Point::new(angle.cos(), angle.sin());
        let middle = Point::new(f64::from(wide), f64::from(high)) / 2.0;
        let pass = (begin, end, middle + way * (0.8 * reach), middle);
        let (skin, table) = (rng.random_range(0..4), Mutex::new(None));
        Self { params, seed, photo, cards, deals, long_px, pass, skin, table }
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        (self.params.seconds * self.params.fps).round().max(1.0) as usize
    }

    fn pose(&self, time_s: f64) -> Pose {
        let wave = |period: f64, phase: f64| (TAU * time_s / period + phase).sin();
        let (width, height) = self.params.size_px;
        let pixel = f64::from(width.max(height)) / 1280.0;
        let turn = 0.04 * wave(3.1, 0.0) + 0.0015 * phone::tremor(time_s, 0);
        let (sin, cos) = turn.sin_cos();
        Pose {
            sin,
            cos,
            zoom: 1.06 + 0.03 * wave(4.3, 1.0),
            shift: Point::new(
                14.0 * wave(2.3, 0.5) + 1.5 * phone::tremor(time_s, 1),
                10.0 * wave(2.9, 2.0) + 1.5 * phone::tremor(time_s, 2),
            ) * pixel,
            frame_middle: Point::new(f64::from(width), f64::from(height)) / 2.0,
            photo_middle: Point::new(f64::from(self.photo.width()), f64::from(self.photo.height()))
                / 2.0,
        }
    }

    /// The hand at a time; `None` when it is away.
    fn hand(&self, time_s: f64) -> Option<Hand> {
        let mm = CARD_LONG_MM / self.long_px;
        let hand = |tip: Point, from: Point| {
            let back = from - tip;
            Hand::new(tip * mm, back / back.norm().max(1e-9), self.skin)
        };
        let (begin, end, outside, middle) = self.pass;
        if (begin..end).contains(&time_s) {
            // In, across the middle, and out again.
            let there = (std::f64::consts::PI * (time_s - begin) / (end - begin)).sin();
            return Some(hand(outside.lerp(middle, there), outside));
        }
        let (deal, off) = self.dealing(time_s)?;
        let center = self.cards[deal.card].center;
        let outside = center + deal.off;
        let away = deal.off / deal.off.norm().max(1e-9);
        Some(hand(center + off + away * (0.35 * self.long_px), outside + away))
    }

    /// The card that is being dealt, and its offset from its place.
    fn dealing(&self, time_s: f64) -> Option<(&Deal, Point)> {
        let deal = self.deals.iter().find(|deal| (deal.at.0..deal.at.1).contains(&time_s))?;
        let t = (time_s - deal.at.0) / (deal.at.1 - deal.at.0);
        // It slows down as it arrives.
        Some((deal, deal.off * (1.0 - t).powi(2)))
    }

    /// The photo without the cards that are not dealt yet.
    fn table(&self, done: usize) -> Arc<RgbImage> {
        let mut last = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, table)) = &*last
            && *known == done
        {
            return Arc::clone(table);
        }
        let mut table = self.photo.clone();
        for deal in &self.deals[done..] {
            if let Some(corners) = &self.cards[deal.card].corners {
                let center = corners.center();
                let around = corners.map(|p| center + (p - center) * FILLED);
                fill(&mut table, &self.photo, &around);
            }
        }
        let table = Arc::new(table);
        *last = Some((done, Arc::clone(&table)));
        table
    }

    /// Draws a frame.
    pub fn draw(&self, index: usize) -> FilmFrame {
        let time_s = index as f64 / self.params.fps;
        let (width, height) = self.params.size_px;
        let done = self.deals.iter().filter(|deal| time_s >= deal.at.1).count();
        let table = self.table(done);
        let moving = self
            .dealing(time_s)
            .and_then(|(deal, off)| Some((self.cards[deal.card].corners?, off)));
        let hand = self.hand(time_s);
        let mm = CARD_LONG_MM / self.long_px;
        let gain = phone::gain(time_s);
        let mut rng = Pcg64::seed_from_u64(self.seed ^ (index as u64) << 20);
        let mut image = RgbImage::new(width, height);
        for (y, row) in image.enumerate_rows_mut() {
            let share = (f64::from(y) + 0.5) / f64::from(height);
            let poses: [Pose; phone::MOMENTS] =
                std::array::from_fn(|n| self.pose(phone::moment(time_s, share, n)));
            for (x, _, pixel) in row {
                let at = Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
                let mut sum = [0.0; 3];
                for pose in &poses {
                    let p = pose.photo_from_frame(at);
                    let cut_out = moving.filter(|(corners, off)| corners.contains(p - *off));
                    let mut seen = match cut_out {
                        Some((_, off)) => sample(&self.photo, p - off),
                        None => sample(&table, p),
                    };
                    if let Some(hand) = &hand {
                        hand.tint(&mut seen, p * mm, mm);
                    }
                    (0..3).for_each(|c| sum[c] += seen[c]);
                }
                *pixel = Rgb(sum.map(|v| {
                    let noise = rng.random_range(-NOISE..NOISE);
                    (v / phone::MOMENTS as f64 * gain + noise).clamp(0.0, 255.0) as u8
                }));
            }
        }
        FilmFrame { image, label: self.label(index, time_s, hand.as_ref()) }
    }

    /// For a card without known corners, a small quadrilateral at its centre for the label.
    fn middle_of(&self, card: &CardLabel) -> Quad {
        let side = 0.3 * self.long_px;
        let off = card.center - Point::new(side, side) / 2.0;
        Quad::new(Quad::rectangle(side, side).0.map(|p| p + off))
    }

    fn label(&self, index: usize, time_s: f64, hand: Option<&Hand>) -> FrameLabel {
        let pose = self.pose(time_s);
        let (width, height) = self.params.size_px;
        let mm = CARD_LONG_MM / self.long_px;
        let moving = self.dealing(time_s);
        let inside = |p: Point| {
            let p = pose.frame_from_photo(p);
            (0.0..f64::from(width)).contains(&p.x) && (0.0..f64::from(height)).contains(&p.y)
        };
        let card = |(i, card): (usize, &CardLabel)| {
            let deal = self.deals.iter().find(|deal| deal.card == i);
            let moves = moving.filter(|(deal, _)| deal.card == i);
            if deal.is_some_and(|deal| time_s < deal.at.1) && moves.is_none() {
                return None;
            }
            let off = moves.map_or(Point::default(), |(_, off)| off);
            let corners = card.corners.unwrap_or_else(|| self.middle_of(card));
            // A grid over the card's inner part, which holds its symbols.
            let from_unit = Homography::between(&Quad::rectangle(1.0, 1.0), &corners)?;
            let probes = (0..25).map(|k| {
                let place = |k: usize| 0.18 + 0.16 * k as f64;
                from_unit.apply(Point::new(place(k % 5), place(k / 5)))
            });
            let covered = |p: Point| {
                let under = moving.is_some_and(|(deal, off)| {
                    let over = self.cards[deal.card].corners;
                    deal.card != i && over.is_some_and(|quad| quad.contains(p - off))
                });
                under || hand.is_some_and(|hand| hand.covers(p * mm))
            };
            let seen = probes.filter(|p| inside(*p + off) && !covered(*p + off)).count();
            let quad = corners.map(|p| pose.frame_from_photo(p + off));
            Some(FilmCard {
                code: card.code,
                corners: rounded(quad),
                in_view: hundredths(seen as f64 / 25.0),
                moving: moves.is_some(),
            })
        };
        FrameLabel {
            frame: index,
            time_ms: hundredths(1e3 * time_s),
            cards: self.cards.iter().enumerate().filter_map(card).collect(),
            hand: hand.is_some(),
            blur_px: 0.0,
        }
    }
}

/// Bilinear interpolation of the photo; the border is repeated outside.
fn sample(photo: &RgbImage, at: Point) -> [f64; 3] {
    let (width, height) = photo.dimensions();
    let (x, y) = (
        (at.x - 0.5).clamp(0.0, f64::from(width) - 1.001),
        (at.y - 0.5).clamp(0.0, f64::from(height) - 1.001),
    );
    let (u, v) = (x.fract(), y.fract());
    let pixel = |dx: u32, dy: u32| photo[(x as u32 + dx, y as u32 + dy)].0;
    let [a, b, d, e] = [pixel(0, 0), pixel(1, 0), pixel(0, 1), pixel(1, 1)];
    std::array::from_fn(|c| {
        let (a, b, d, e) = (f64::from(a[c]), f64::from(b[c]), f64::from(d[c]), f64::from(e[c]));
        let (upper, lower) = (a + (b - a) * u, d + (e - d) * u);
        upper + (lower - upper) * v
    })
}

/// Fills a quadrilateral from its border: each pixel is the mean of the four border points beside,
/// above and below it, weighted by nearness (a Coons patch, 1967).
fn fill(table: &mut RgbImage, photo: &RgbImage, quad: &Quad) {
    let unit: Quad = Quad::rectangle(1.0, 1.0);
    let Some(quad_from_unit) = Homography::between(&unit, quad) else { return };
    let Some(unit_from_quad) = quad_from_unit.inverse() else { return };
    let span = |of: fn(&Point) -> f64, most: u32| {
        let values = || quad.0.iter().map(of);
        let low = values().fold(f64::MAX, f64::min).clamp(0.0, f64::from(most));
        let high = values().fold(f64::MIN, f64::max).clamp(0.0, f64::from(most));
        low as u32..high.ceil() as u32
    };
    for y in span(|p| p.y, table.height()) {
        for x in span(|p| p.x, table.width()) {
            let at = Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
            if !quad.contains(at) {
                continue;
            }
            let p = unit_from_quad.apply(at);
            let border =
                [(0.0, p.y, p.x), (1.0, p.y, 1.0 - p.x), (p.x, 0.0, p.y), (p.x, 1.0, 1.0 - p.y)];
            let (mut sum, mut weights) = ([0.0; 3], 0.0);
            for (u, v, away) in border {
                let weight = 1.0 / away.max(0.01);
                let seen = sample(photo, quad_from_unit.apply(Point::new(u, v)));
                (0..3).for_each(|c| sum[c] += weight * seen[c]);
                weights += weight;
            }
            table[(x, y)] = Rgb(sum.map(|v| (v / weights).round() as u8));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_game::cards::Card;

    /// Six cards of a uniform grey on a green table.
    fn photo() -> (RgbImage, Vec<CardLabel>) {
        let mut image = RgbImage::from_pixel(640, 480, Rgb([40, 110, 60]));
        let cards = Card::deck().step_by(7).take(6).enumerate().map(|(i, code)| {
            let at = Point::new(60.0 + 200.0 * (i % 3) as f64, 120.0 + 170.0 * (i / 3) as f64);
            let corners = Quad::new(Quad::rectangle(120.0, 78.0).0.map(|p| p + at));
            CardLabel {
                code,
                center: corners.center(),
                corners: Some(corners),
                said_by: setsight_photo::labels::SaidBy::Person,
            }
        });
        let cards: Vec<CardLabel> = cards.collect();
        for (x, y, pixel) in image.enumerate_pixels_mut() {
            let at = Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
            if cards.iter().any(|card| card.corners.unwrap().contains(at)) {
                *pixel = Rgb([230; 3]);
            }
        }
        (image, cards)
    }

    #[test]
    fn cards_are_dealt_and_lie_where_the_labels_say() {
        let (photo, cards) = photo();
        let params = PhotoFilmParams { size_px: (320, 240), seconds: 6.0, fps: 10.0, dealt: 2 };
        let film = PhotoFilm::plan(&photo, &cards, params, 3);
        assert_eq!(film.frames(), 60);
        let frames: Vec<FilmFrame> = (0..60).map(|i| film.draw(i)).collect();
        let lying = |frame: &FilmFrame| frame.label.cards.iter().filter(|c| !c.moving).count();
        assert_eq!((lying(&frames[0]), lying(&frames[59])), (4, 6));
        assert!(frames.iter().any(|frame| frame.label.cards.iter().any(|card| card.moving)));
        assert!(frames.iter().any(|frame| frame.label.hand));
        let is_white =
            |frame: &FilmFrame, at: Point| frame.image[(at.x as u32, at.y as u32)].0[0] > 110;
        for frame in &frames {
            for card in frame.label.cards.iter().filter(|card| card.in_view > 0.95) {
                let at = card.corners.center();
                let inside = (0.0..320.0).contains(&at.x) && (0.0..240.0).contains(&at.y);
                assert!(!inside || is_white(frame, at), "{:?}", frame.label);
            }
        }
        // The bare table shows where a card is not dealt yet.
        let late = &frames[59].label;
        let new = late
            .cards
            .iter()
            .find(|card| frames[0].label.cards.iter().all(|c| c.code != card.code));
        assert!(!is_white(&frames[0], new.unwrap().corners.center()));
        assert_eq!(film.draw(7).image, frames[7].image);
        assert_ne!(PhotoFilm::plan(&photo, &cards, params, 4).draw(0).image, frames[0].image);
    }
}
