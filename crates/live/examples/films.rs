//! Measures tracking on drawn films:
//!
//!     cargo run --release -p setsight-live --example films -- shared [FILMS]
//!     cargo run --release -p setsight-live --example films -- rates [FILMS]
//!     cargo run --release -p setsight-live --example films -- lamps [FILMS]
//!
//! `shared` fits what readings of one card have in common (`track::Params::shared_error`): on films
//! under coloured lamps, out of focus and in little light, the correlation under which the readings of a card, taken together, give
//! its true values the highest likelihood, and the highest one that the films allow, which is taken. `rates` counts the cards that are sure by the third
//! picture in which they are in view, at 30 to 1 pictures a second and with a hand that holds the
//! camera. `lamps` counts wrong sure cards under coloured lamps. The seeds of `shared` begin at
//! 100,000, those of the other two at 200,000 and 300,000: nothing is judged on films it was fitted
//! on.

use image::imageops;
use setsight_game::cards::{Card, Property};
use setsight_live::Watch;
use setsight_live::films::FILM_PACE;
use setsight_nets::engine::Models;
use setsight_photo::Frame;
use setsight_photo::geometry::Point;
use setsight_photo::print::dice::Span;
use setsight_scenes::film::{Film, FilmCard, FilmFrame, FilmParams};
use setsight_scenes::{Kind, Params as Scene};
use setsight_track::independent;
use setsight_track::{Detector, Params};
use setsight_vision::ReadingPlan;
use setsight_vision::{Pipeline, Reading, Trace};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What one picture shows: the frame and the cards in it that lie still and open to view.
struct Picture {
    frame: Arc<Frame>,
    time_ms: f64,
    cards: Vec<FilmCard>,
}

fn main() {
    let mut words = std::env::args().skip(1);
    let what = words.next().unwrap_or_default();
    let films = words.next().and_then(|n| n.parse().ok()).unwrap_or(20);
    match &*what {
        "shared" => shared(films),
        "rates" => rates(films),
        "lamps" => lamps(films),
        _ => eprintln!("call it with shared, rates or lamps, and a number of films"),
    }
}

fn pipeline() -> Pipeline {
    ReadingPlan::with_models(Models::Shipped).build().expect("the shipped weights")
}

/// A table under a lamp of some colour, more blue or more orange than a camera's white balance can
/// undo.
fn under_a_lamp(seed: u64) -> Scene {
    let kinds = [Kind::Plain, Kind::Warm, Kind::Plain, Kind::Wood];
    let mut scene = Scene::of(kinds[(seed % 4) as usize]);
    if seed.is_multiple_of(2) {
        scene.kelvin = Span::new(9_000.0, 25_000.0);
    } else {
        scene.kelvin = Span::new(1_800.0, 2_800.0);
    }
    scene.balance = Span::new(0.1, 0.7);
    scene
}

/// A table that is hard to read for one reason: its lamp, the focus, or little light on small cards.
fn hard(seed: u64) -> Scene {
    let mut scene = match seed % 4 {
        0 | 1 => return under_a_lamp(seed),
        2 => Scene::of(Kind::Blur),
        _ => Scene::of(Kind::Dim),
    };
    scene.fill = Span::new(0.3, 0.55);
    scene.defocus = Span::new(0.012, 0.04);
    scene
}

/// Draws a film at this rate. `hand_px` is how far the hand that holds the camera sways.
fn pictures(
    mut scene: Scene,
    seed: u64,
    seconds: f64,
    fps: f64,
    hand_px: f64,
) -> impl Iterator<Item = Picture> {
    const SIZE: (u32, u32) = (960, 540);
    let margin = hand_px.ceil() as u32;
    scene.size_px = (SIZE.0 + 2 * margin, SIZE.1 + 2 * margin);
    let film = Film::plan(FilmParams { scene, seconds, fps, phone: false }, seed).expect("a size");
    (0..film.frames()).map(move |i| {
        let FilmFrame { image, label } = film.draw(i);
        let t = label.time_ms / 1e3;
        let sway = |pace: f64| ((1.0 + (pace * t + seed as f64).sin()) * hand_px) as u32;
        let (x, y) = (sway(2.1), sway(2.9));
        let frame = imageops::crop_imm(&image, x, y, SIZE.0, SIZE.1).to_image();
        let off = Point::new(f64::from(x), f64::from(y));
        let is_in = |p: &Point| {
            (0.0..f64::from(SIZE.0)).contains(&p.x) && (0.0..f64::from(SIZE.1)).contains(&p.y)
        };
        let mut cards = label.cards;
        cards.iter_mut().for_each(|c| c.corners.0.iter_mut().for_each(|p| *p = *p - off));
        cards.retain(|c| !c.moving && c.in_view > 0.9 && c.corners.0.iter().all(is_in));
        if label.blur_px > 1.0 {
            cards.clear();
        }
        Picture { frame: Arc::new(frame), time_ms: label.time_ms, cards }
    })
}

/// The readings of each card of a film, one for each picture.
fn readings(eyes: &Pipeline, seed: u64) -> BTreeMap<Card, Vec<Reading>> {
    let mut all: BTreeMap<Card, Vec<Reading>> = BTreeMap::new();
    let mut facts = Params::of(eyes).facts;
    for picture in pictures(hard(seed), seed, 1.4, 5.0, 12.0) {
        let frame = &*picture.frame;
        let outlines = Detector::find(eyes, frame).expect("it finds");
        let trace = &mut Trace::default();
        let (read, known) =
            Detector::read(eyes, frame, &outlines, facts.clone(), trace).expect("it reads");
        facts = known.for_the_next_frame();
        for card in &picture.cards {
            let near = outlines.iter().position(|o| {
                let off = o.corners_in_image.center().distance(card.corners.center());
                off < 0.2 * card.corners.long_side()
            });
            if let Some(i) = near {
                all.entry(card.code).or_default().push(read[i].clone());
            }
        }
    }
    all
}

fn shared(films: u64) {
    let eyes = pipeline();
    let all: Vec<(Card, Vec<Reading>)> =
        (0..films).flat_map(|i| readings(&eyes, 100_000 + i)).collect();
    let several = all.iter().filter(|(_, readings)| readings.len() > 1).count();
    println!("{films} films, {several} cards read more than once");
    for property in Property::ALL {
        let place = Property::ALL.iter().position(|p| *p == property).unwrap_or(0);
        let loss = |shared: f32| -> f64 {
            let card = |(card, readings): &(Card, Vec<Reading>)| {
                let n = readings.len() as f32;
                let mut logs = [0.0f32; 3];
                for reading in readings {
                    for (log, p) in logs.iter_mut().zip(reading.values[place]) {
                        *log += p.max(0.004).ln();
                    }
                }
                let times = independent(n, shared) / n;
                let parts = logs.map(|log| f64::from(times * log).exp());
                -(parts[card.value(property)] / parts.iter().sum::<f64>()).ln()
            };
            all.iter().map(card).sum()
        };
        let tried = || (0..=50).map(|i| i as f32 / 50.0);
        let best = tried().min_by(|&a, &b| loss(a).total_cmp(&loss(b))).unwrap_or(1.0);
        // The upper end of the interval in which it lies with 95 %: where few cards were misread,
        // little is known of it, and no more certainty than is known of.
        let most = tried().filter(|&shared| loss(shared) <= loss(best) + 1.92).fold(0.0, f32::max);
        println!(
            "{property:?}: shared {best:.2}, at most {most:.2}; loss {:.2}, of independent readings {:.2}, of one {:.2}; wrong {}",
            loss(best),
            loss(0.0),
            loss(1.0),
            all.iter()
                .filter(|(card, readings)| {
                    readings.iter().any(|r| r.best().0.value(property) != card.value(property))
                })
                .count()
        );
    }
}

/// Counts of cards over some films.
#[derive(Default)]
struct Count {
    /// Cards in view for at least as long as they are given.
    cards: u32,
    /// Of those, sure and right in time.
    in_time: u32,
    /// Cards that were ever sure and wrong.
    wrong: u32,
    /// Outlines of hidden cards, of all outlines, after the third picture.
    hidden: (u32, u32),
}

/// Follows a film; a card has three pictures, or 0.3 s, to be sure.
fn followed(
    eyes: Arc<dyn Detector>,
    params: Params,
    film: impl Iterator<Item = Picture>,
    count: &mut Count,
) {
    const GIVEN_MS: f64 = 300.0;
    let mut watch = Watch::new(eyes, params, FILM_PACE).expect("a thread");
    // Since when each card is in view, in how many pictures, and whether it was judged and wrong.
    let mut in_view: BTreeMap<Card, (f64, u32, bool)> = BTreeMap::new();
    let mut wrong: BTreeMap<Card, bool> = BTreeMap::new();
    for (number, picture) in film.enumerate() {
        let tracked = watch.frame(&picture.frame, picture.time_ms).expect("a frame").tracked;
        if number > 2 {
            count.hidden.0 += tracked.tracks.iter().filter(|track| track.hidden).count() as u32;
            count.hidden.1 += tracked.tracks.len() as u32;
        }
        in_view.retain(|code, _| picture.cards.iter().any(|card| card.code == *code));
        for card in &picture.cards {
            let near = tracked.table.cards.iter().find(|read| {
                let off = read.corners_in_image.center().distance(card.corners.center());
                off < 0.4 * card.corners.long_side() && !read.unsure
            });
            let (since, seen, judged) =
                in_view.entry(card.code).or_insert((picture.time_ms, 0, false));
            *seen += 1;
            if near.is_some_and(|read| read.card != card.code) && *seen > 1 {
                wrong.insert(card.code, true);
            }
            if !*judged && *seen >= 3 && picture.time_ms - *since >= GIVEN_MS {
                *judged = true;
                count.cards += 1;
                count.in_time += u32::from(near.is_some_and(|read| read.card == card.code));
            }
        }
    }
    count.wrong += wrong.len() as u32;
}

fn rates(films: u64) {
    let eyes = pipeline();
    let params = Params::of(&eyes);
    let eyes: Arc<dyn Detector> = Arc::new(eyes);
    for hand_px in [0.0, 60.0] {
        for fps in [30.0, 10.0, 5.0, 2.0, 1.0] {
            let mut count = Count::default();
            for i in 0..films {
                let scene =
                    Scene::of([Kind::Plain, Kind::Wood, Kind::Warm, Kind::Dim][(i % 4) as usize]);
                let seconds = if fps > 5.0 { 3.0 } else { 8.0 };
                let film = pictures(scene, 200_000 + i, seconds, fps, hand_px);
                followed(Arc::clone(&eyes), params.clone(), film, &mut count);
            }
            tell(&format!("{fps} a second, hand {hand_px} px"), &count);
        }
    }
}

fn lamps(films: u64) {
    let eyes = pipeline();
    let params = Params::of(&eyes);
    let eyes: Arc<dyn Detector> = Arc::new(eyes);
    let mut count = Count::default();
    for i in 0..films {
        let seed = 300_000 + i;
        let film = pictures(under_a_lamp(seed), seed, 3.0, 10.0, 12.0);
        followed(Arc::clone(&eyes), params.clone(), film, &mut count);
    }
    tell("coloured lamps, 10 a second", &count);
}

fn tell(what: &str, count: &Count) {
    let Count { cards, in_time, wrong, hidden } = count;
    let share = 100.0 * f64::from(*in_time) / f64::from((*cards).max(1));
    println!(
        "{what}: {in_time} of {cards} sure in time ({share:.1} %), {wrong} wrong, {} of {} outlines hidden",
        hidden.0, hidden.1
    );
}
