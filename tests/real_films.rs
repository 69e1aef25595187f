//! Films made of real photos: a camera in a hand looks at a photographed table. The photos belong to
//! their authors and are no part of the project: they are looked for in `../shared/photos`, or where
//! SETSIGHT_PHOTOS says.
#![cfg(feature = "vision")]

mod common;

use common::photos;
use image::imageops::{self, FilterType};
use image::{Rgb, RgbImage};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use setsight::cards::Card;
use setsight::dataset::{PhotoLabel, PhotoLabels};
use setsight::geometry::Point;
use setsight::live::Watch;
use setsight::live::watch::FILM_PACE;
use setsight::pipeline::engine::Models;
use setsight::pipeline::track::Params;
use setsight::pipeline::{Frame, Pipeline, source};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LONG_SIDE_PX: u32 = 1280;
const FPS: f64 = 15.0;
const SECONDS: f64 = 2.5;

/// How a hand holds the camera at a time: a slow drift, a tremble, a turn, a step nearer.
#[derive(Clone, Copy)]
struct Pose {
    turn: f64,
    zoom: f64,
    shift: Point,
    /// Of the light: what the exposure makes of it.
    gain: f64,
}

impl Pose {
    fn at(seconds: f64, rng: &mut Pcg64) -> Self {
        let mut tremble = |px: f64| rng.random_range(-px..px);
        let wave =
            |period: f64, phase: f64| (std::f64::consts::TAU * seconds / period + phase).sin();
        Self {
            turn: 0.04 * wave(3.1, 0.0),
            zoom: 1.06 + 0.03 * wave(4.3, 1.0),
            shift: Point::new(
                14.0 * wave(2.3, 0.5) + tremble(1.0),
                10.0 * wave(2.9, 2.0) + tremble(1.0),
            ),
            gain: 1.0 + 0.08 * wave(1.7, 0.0),
        }
    }

    /// Where a place of the frame lies in the photo; `middle` is the middle of both.
    fn photo_from_frame(&self, at: Point, middle: Point) -> Point {
        let (sin, cos) = self.turn.sin_cos();
        let p = at - middle;
        let turned = Point::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y);
        turned / self.zoom + self.shift + middle
    }

    /// The way back.
    fn frame_from_photo(&self, at: Point, middle: Point) -> Point {
        let (sin, cos) = self.turn.sin_cos();
        let p = (at - middle - self.shift) * self.zoom;
        Point::new(cos * p.x + sin * p.y, cos * p.y - sin * p.x) + middle
    }

    /// What the camera sees, with its sensor's noise.
    fn shot(&self, photo: &RgbImage, rng: &mut Pcg64) -> RgbImage {
        let (width, height) = photo.dimensions();
        let middle = Point::new(f64::from(width) / 2.0, f64::from(height) / 2.0);
        RgbImage::from_fn(width, height, |x, y| {
            let at = Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
            let p = self.photo_from_frame(at, middle) - Point::new(0.5, 0.5);
            let (x, y) = (
                p.x.clamp(0.0, f64::from(width) - 1.001),
                p.y.clamp(0.0, f64::from(height) - 1.001),
            );
            let (u, v) = (x.fract(), y.fract());
            let pixel = |dx: u32, dy: u32| photo[(x as u32 + dx, y as u32 + dy)].0;
            let corners = [pixel(0, 0), pixel(1, 0), pixel(0, 1), pixel(1, 1)];
            let noise = rng.random_range(-3.0..3.0);
            Rgb(std::array::from_fn(|c| {
                let [a, b, d, e] = corners.map(|corner| f64::from(corner[c]));
                let upper = a + (b - a) * u;
                let lower = d + (e - d) * u;
                ((upper + (lower - upper) * v) * self.gain + noise).clamp(0.0, 255.0) as u8
            }))
        })
    }
}

/// What became of the cards of a film.
#[derive(Default, Debug)]
struct Tally {
    judged: usize,
    right: usize,
    wrong: Vec<String>,
    changed: Vec<String>,
}

fn watch(folder: &Path, label: &PhotoLabel, eyes: &Arc<Pipeline>, seed: u64, tally: &mut Tally) {
    let photo = source::load_photo(&folder.join(&label.file)).unwrap();
    let cards = label.upright_cards(photo.orientation);
    let photo = photo.frame.image;
    let scale = f64::from(LONG_SIDE_PX) / f64::from(photo.width().max(photo.height()));
    let side = |px: u32| (f64::from(px) * scale).round() as u32;
    let photo =
        imageops::resize(&photo, side(photo.width()), side(photo.height()), FilterType::Triangle);
    let (width, height) = (f64::from(photo.width()), f64::from(photo.height()));
    let middle = Point::new(width / 2.0, height / 2.0);
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut watch = Watch::new(eyes.clone(), Params::of(eyes), FILM_PACE).unwrap();
    let mut said: BTreeMap<Card, Card> = BTreeMap::new();
    for i in 0..(SECONDS * FPS) as usize {
        let time_ms = i as f64 * 1e3 / FPS;
        let pose = Pose::at(time_ms / 1e3, &mut rng);
        let frame = Arc::new(Frame { image: pose.shot(&photo, &mut rng) });
        let table = watch.frame(&frame, time_ms).unwrap().table;
        if time_ms < 1_000.0 {
            continue;
        }
        for card in &cards {
            let at = pose.frame_from_photo(card.center * scale, middle);
            let margin = 0.04 * width;
            let in_view = (margin..width - margin).contains(&at.x)
                && (margin..height - margin).contains(&at.y);
            if !in_view {
                continue;
            }
            tally.judged += 1;
            let there = table.cards.iter().find(|seen| seen.card.corners_in_image.contains(at));
            let Some(seen) = there.filter(|seen| !seen.card.unsure) else { continue };
            let code = seen.card.card;
            let name = format!("{} {} at {time_ms:.0} ms", folder.display(), label.file);
            if code == card.code {
                tally.right += 1;
            } else {
                tally.wrong.push(format!("{name}: {} is {code}", card.code));
            }
            if let Some(before) = said.insert(card.code, code).filter(|before| *before != code) {
                tally.changed.push(format!("{name}: {} from {before} to {code}", card.code));
            }
        }
    }
}

#[test]
fn a_second_after_the_start_no_card_is_wrong_and_none_changes() {
    let Some(photos) = photos() else { return };
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&photos)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("labels.json").is_file())
        .collect();
    folders.sort();
    assert!(!folders.is_empty(), "no labelled photos in {}", photos.display());
    let eyes = Arc::new(Pipeline::with_defaults(&Models::Shipped).unwrap());
    let mut tally = Tally::default();
    let mut films = 0;
    for (seed, folder) in (1..).zip(folders.iter().take(10)) {
        let labels = PhotoLabels::read(folder).unwrap();
        // Other editions and mirrored pictures have tests of their own.
        let usual = |label: &&PhotoLabel| {
            !label.tags.iter().any(|tag| tag == "mirrored" || tag == "other_edition")
        };
        if let Some(label) = labels.photos.iter().find(usual) {
            watch(folder, label, &eyes, seed, &mut tally);
            films += 1;
        }
    }
    eprintln!(
        "{films} films: of {} cards judged, frame by frame, {} are right, {} wrong, {} changed",
        tally.judged,
        tally.right,
        tally.wrong.len(),
        tally.changed.len()
    );
    assert!(tally.wrong.is_empty(), "{:#?}", tally.wrong);
    assert!(tally.changed.is_empty(), "{:#?}", tally.changed);
    assert!(tally.judged > 500 && tally.right * 100 >= tally.judged * 95, "{} right", tally.right);
}
