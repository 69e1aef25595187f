//! Tests the tracker on small drawn frames, with a fake that knows what they show.

use super::*;
use crate::{Detector, detect};
use image::{Rgb, RgbImage};
use setsight_game::cards::{Card, Edition, Property};
use setsight_photo::Frame;
use setsight_vision::{CardImage, PipelineError, Trace, classify::Cards};

/// A table with cards: number of the code, left, top. A hand may cover a part.
#[derive(Clone, Default)]
struct Scene {
    cards: Vec<(usize, f64, f64)>,
    hand: Option<(f64, f64)>,
    /// Whether the hand wears a dark glove.
    glove: bool,
    /// Whether the cards' pattern is limited to their middle.
    blank: bool,
    shift: (f64, f64),
}

const CARD: (f64, f64) = (120.0, 80.0);

impl Scene {
    fn draw(&self) -> Frame {
        RgbImage::from_fn(640, 400, |x, y| {
            let p = Point::new(f64::from(x) - self.shift.0, f64::from(y) - self.shift.1);
            let (px, py) = (f64::from(x), f64::from(y));
            if self.hand.is_some_and(|(hx, hy)| {
                (hx..hx + 220.0).contains(&px) && (hy..hy + 160.0).contains(&py)
            }) {
                let skin = if self.glove { 30 } else { 150 };
                let shade = skin + (10.0 * (px * 0.2 - self.hand.unwrap().0 * 0.2).sin()) as i32;
                return Rgb([
                    shade as u8 + skin as u8 / 4,
                    shade as u8,
                    shade as u8 - skin as u8 / 5,
                ]);
            }
            for &(code, left, top) in &self.cards {
                let (u, v) = (p.x - left, p.y - top);
                if (0.0..CARD.0).contains(&u) && (0.0..CARD.1).contains(&v) {
                    // A pattern of bars that differs between cards.
                    let bar = ((u / 12.0) as usize * 7 + (v / 20.0) as usize * 3 + code * 5) % 11;
                    let in_middle = (36.0..84.0).contains(&u) || !self.blank;
                    return if bar < 3 && in_middle {
                        Rgb([60, 30, 90])
                    } else {
                        Rgb([235, 235, 230])
                    };
                }
            }
            let wave = 12.0 * ((p.x * 0.09).sin() + (p.y * 0.12 + p.x * 0.03).cos());
            Rgb([(90.0 + wave) as u8, (75.0 + wave) as u8, (50.0 + wave) as u8])
        })
    }
}

/// Reads each card of a scene by its place, correctly or as `says`.
struct SceneReader<'a> {
    scene: &'a Scene,
    says: Option<usize>,
    certainty: f32,
    /// What else it does to the outlines that it finds, and to what it reads on these cards.
    finds: fn(&mut Vec<CardOutline>),
    reads: fn(&[CardImage], &mut [Reading]),
}

impl<'a> SceneReader<'a> {
    fn new(scene: &'a Scene) -> Self {
        Self { scene, says: None, certainty: 0.97, finds: |_| {}, reads: |_, _| {} }
    }
}

impl Detector for SceneReader<'_> {
    fn find(&self, _: &Frame) -> Result<Vec<CardOutline>, PipelineError> {
        let scene = self.scene;
        let cards = scene.cards.iter().map(|&(code, left, top)| {
            let at = Point::new(left + scene.shift.0, top + scene.shift.1);
            let quad = Quad::new(Quad::rectangle(CARD.0, CARD.1).0.map(|p| p + at));
            (code, quad)
        });
        let in_view = cards.filter(|(_, quad)| {
            scene.hand.is_none_or(|(hx, hy)| {
                let c = quad.center();
                !((hx..hx + 220.0).contains(&c.x) && (hy..hy + 160.0).contains(&c.y))
            })
        });
        // A card cut by the picture's edge has no complete outline.
        let in_view = in_view.filter(|(_, quad)| {
            quad.0.iter().all(|p| (0.0..=640.0).contains(&p.x) && (0.0..=400.0).contains(&p.y))
        });
        // The score carries the code.
        let outlines = in_view.map(|(code, corners_in_image)| CardOutline {
            score: code as f64,
            ..CardOutline::at(corners_in_image)
        });
        let mut found = outlines.collect();
        (self.finds)(&mut found);
        Ok(found)
    }
    fn read(
        &self,
        frame: &Frame,
        outlines: &[CardOutline],
        f: TableFacts,
        _: &mut Trace<'_>,
    ) -> Result<(Vec<Reading>, TableFacts), PipelineError> {
        // All cards of a detection are read; the pattern's mean identifies each, so the fake
        // recomputes it from the pixels.
        let facts = f.of_edition(Edition::Classic);
        let cards = Cards::straighten(frame, outlines);
        let mut readings: Vec<_> = cards.images.iter().map(|c| self.reading_of(c)).collect();
        (self.reads)(&cards.images, &mut readings);
        Ok((readings, facts))
    }
}

/// How many bars of a pattern an image has, less those that differ.
fn likeness(image: &CardImage, code: usize) -> i64 {
    let mut score = 0i64;
    for row in 0..4 {
        for column in 3..7 {
            let bar = (column * 7 + row * 3 + code * 5) % 11;
            let (x, y) = ((column as f64 + 0.5) * 19.2, (row as f64 + 0.5) * 32.0);
            let level = image.pixels.get_pixel(x as u32, y as u32).0[0];
            score += if (bar < 3) == (level < 140) { 1 } else { -1 };
        }
    }
    score
}

impl SceneReader<'_> {
    fn reading_of(&self, image: &CardImage) -> Reading {
        let here = self.scene.cards.iter().map(|c| c.0);
        let code = here.max_by_key(|&code| (likeness(image, code), code)).unwrap_or(0);
        let card = Card::from_index(self.says.unwrap_or(code));
        let mut values = [[(1.0 - self.certainty) / 2.0; 3]; 4];
        for (row, property) in values.iter_mut().zip(Property::ALL) {
            row[card.value(property)] = self.certainty;
        }
        Reading { values, is_card: 0.98 }
    }
}

/// A tracker, its time, and the number of cards read.
struct Run {
    tracker: Tracker,
    time_ms: f64,
    /// Time between two frames.
    step_ms: f64,
    read: usize,
    looks: usize,
}

impl Run {
    fn new() -> Self {
        let tracker = Tracker::new(Params::default());
        Self { tracker, time_ms: 0.0, step_ms: 33.0, read: 0, looks: 0 }
    }

    /// One that has read this scene.
    fn on(scene: &Scene) -> Self {
        let mut run = Self::new();
        run.show(scene, 15);
        run
    }

    /// Shows some frames of one scene; each detection is applied at the next frame, or at its own if
    /// frames come slowly.
    fn show(&mut self, scene: &Scene, frames: usize) {
        self.show_to(&SceneReader::new(scene), scene, frames);
    }

    fn show_to(&mut self, eyes: &dyn Detector, scene: &Scene, frames: usize) {
        let frame = scene.draw();
        let grey = Arc::new(Grey::new(&frame));
        let mut waiting = None;
        for _ in 0..frames {
            self.time_ms += self.step_ms;
            self.tracker.follow(Arc::clone(&grey), self.time_ms);
            if let Some(found) = waiting.take() {
                self.tracker.apply_detections(found);
            }
            if let Some(ask) = self.tracker.ask() {
                let found = detect(eyes, &frame, &ask, &mut Trace::default()).unwrap();
                self.read += found.read;
                self.looks += 1;
                if self.tracker.is_slow() {
                    self.tracker.apply_detections(found);
                } else {
                    waiting = Some(found);
                }
            }
        }
        if let Some(found) = waiting {
            self.tracker.apply_detections(found);
        }
    }

    /// Identities and codes of the sure cards.
    fn codes(&mut self) -> Vec<(u64, usize)> {
        let table = self.tracker.table();
        let sure = table.cards().filter(|(card, _)| !card.unsure);
        sure.map(|(card, track)| (track.id, card.card.index())).collect()
    }
}

impl Run {
    fn cards(&mut self) -> Vec<usize> {
        self.codes().iter().map(|card| card.1).collect()
    }
}

fn three() -> Scene {
    let cards = vec![(0, 40.0, 40.0), (40, 220.0, 45.0), (80, 400.0, 240.0)];
    Scene { cards, ..Scene::default() }
}

#[test]
fn cards_come_are_sets_and_are_not_read_again() {
    let mut run = Run::on(&three());
    let first = run.codes();
    assert_eq!(first.iter().map(|c| c.1).collect::<Vec<_>>(), [0, 40, 80]);
    assert_eq!(run.tracker.table().table.sets, [Set([0, 1, 2])]);
    let read = run.read;
    run.show(&three(), 60);
    assert_eq!(run.read, read, "nothing changed");
    assert_eq!(run.codes(), first);
}

#[test]
fn identity_stays_while_the_camera_moves() {
    let mut run = Run::on(&three());
    let first = run.codes();
    let mut scene = three();
    for step in 1..30 {
        scene.shift = (1.5 * f64::from(step), -0.8 * f64::from(step));
        run.show(&scene, 1);
    }
    assert_eq!(run.codes(), first);
    let table = run.tracker.table();
    let corner = table.table.cards[1].corners_in_image.0[0];
    let expected = Point::new(220.0 + scene.shift.0, 45.0 + scene.shift.1);
    assert!(corner.distance(expected) < 2.0, "{corner:?} {expected:?}");
}

#[test]
fn a_hand_hides_and_takes_nothing() {
    let mut run = Run::on(&three());
    let first = run.codes();
    let mut scene = three();
    for step in 0..24 {
        scene.hand = Some((15.0 * f64::from(step) - 150.0, 20.0));
        run.show(&scene, 1);
        assert_eq!(run.codes(), first, "step {step}");
        let table = run.tracker.table();
        let covered = table.tracks.iter().any(|track| track.hidden);
        assert_eq!(table.table.sets.len(), usize::from(!covered), "step {step}");
    }
    assert!(run.tracker.table().tracks.iter().any(|track| track.hidden));
    run.show(&three(), 12);
    assert_eq!(run.codes(), first);
    assert_eq!(run.tracker.table().table.sets.len(), 1);
    assert!(!run.tracker.table().tracks.iter().any(|track| track.hidden));
}

#[test]
fn a_taken_card_goes_and_a_new_one_comes_within_half_a_second() {
    let mut run = Run::on(&three());
    let mut scene = three();
    scene.cards.remove(1);
    run.show(&scene, 12);
    assert_eq!(run.cards(), [0, 80]);
    assert!(run.tracker.table().table.sets.is_empty());
    scene.cards.push((17, 230.0, 50.0));
    run.show(&scene, 12);
    assert_eq!(run.cards(), [0, 17, 80]);
    // The card is replaced at once; the bare table is never visible.
    let ids: Vec<u64> = run.codes().iter().map(|c| c.0).collect();
    scene.cards[2] = (33, 230.0, 50.0);
    run.show(&scene, 15);
    assert_eq!(run.cards(), [0, 33, 80]);
    let now: Vec<u64> = run.codes().iter().map(|c| c.0).collect();
    assert!(now[0] == ids[0] && now[2] == ids[2] && now[1] != ids[1], "{ids:?} {now:?}");
}

#[test]
fn a_wrong_reading_now_and_then_flips_nothing() {
    let scene = three();
    let mut run = Run::on(&scene);
    let first = run.codes();
    // A hand passes, so that all cards are read again; the first detection misreads everything.
    let mut covered = scene.clone();
    covered.hand = Some((20.0, 20.0));
    run.show(&covered, 6);
    let wrong = SceneReader { says: Some(5), certainty: 0.6, ..SceneReader::new(&scene) };
    run.show_to(&wrong, &scene, 2);
    run.show(&scene, 20);
    assert_eq!(run.codes(), first);
}

#[test]
fn what_is_no_card_is_not_read_over_and_over() {
    let scene = three();
    let eyes = SceneReader {
        // A card on the bare table, which the reader rejects.
        finds: |cards| {
            let at = Point::new(60.0, 270.0);
            let quad = Quad::new(Quad::rectangle(CARD.0, CARD.1).0.map(|p| p + at));
            cards.push(CardOutline { corners_in_image: quad, ..cards[0].clone() });
        },
        reads: |cards, readings| {
            let is_card = |card: &CardImage| card.pixels.pixels().any(|p| p.0[0] > 200);
            for (reading, card) in readings.iter_mut().zip(cards) {
                // Balanced on its own white, the table is bright too, but its white is green.
                reading.is_card = if is_card(card) && card.light_cast < 0.05 { 0.98 } else { 0.02 };
            }
        },
        ..SceneReader::new(&scene)
    };
    let mut run = Run::new();
    run.show_to(&eyes, &scene, 15);
    assert_eq!(run.codes().len(), 3);
    assert_eq!(run.tracker.table().tracks.len(), 3);
    let read = run.read;
    run.show_to(&eyes, &scene, 45);
    assert_eq!(run.read, read, "known to be no card");
}

/// Finds all cards except the first.
fn but_one(scene: &Scene) -> SceneReader<'_> {
    SceneReader {
        finds: |cards| {
            cards.remove(0);
        },
        ..SceneReader::new(scene)
    }
}

#[test]
fn a_card_that_is_not_found_any_more_goes_though_its_place_looks_the_same() {
    let scene = three();
    let mut run = Run::on(&scene);
    let blind = but_one(&scene);
    run.show_to(&blind, &scene, 4);
    assert_eq!(run.codes().len(), 3, "passed over once");
    run.show(&scene, 10);
    assert_eq!(run.tracker.table().table.sets.len(), 1, "found again");
    run.show_to(&blind, &scene, 30);
    assert!(run.tracker.table().table.sets.is_empty());
    run.show_to(&blind, &scene, 60);
    assert_eq!(run.codes().len(), 2);
}

#[test]
fn a_pushed_card_keeps_its_identity() {
    let mut run = Run::on(&three());
    let first = run.codes();
    let mut scene = three();
    scene.cards[2] = (80, 60.0, 250.0);
    run.show(&scene, 25);
    let mut now = run.codes();
    now.sort();
    let mut first = first;
    first.sort();
    assert_eq!(now, first);
}

#[test]
fn corners_keep_their_names() {
    let quad = Quad::rectangle(90.0, 60.0);
    for turn in 0..4 {
        let mut corners = quad.0;
        corners.rotate_left(turn);
        assert_eq!(in_order_of(Quad::new(corners), &quad), quad);
    }
}

#[test]
fn a_card_whose_border_leaves_the_picture_keeps_its_sets() {
    let mut run = Run::on(&three());
    let first = run.codes();
    let mut scene = three();
    // The first card's symbols stay visible; 10 of its 120 pixels leave the picture.
    for step in 1..=10 {
        scene.shift = (-5.0 * f64::from(step), 0.0);
        run.show(&scene, 1);
        assert_eq!(run.tracker.table().table.sets.len(), 1, "step {step}");
    }
    for _ in 0..40 {
        run.show(&scene, 3);
        let table = run.tracker.table();
        assert_eq!((table.table.sets.len(), table.resting.len()), (1, 0));
    }
    assert_eq!(run.codes(), first);
}

#[test]
fn fingers_on_a_cards_blank_border_cover_nothing() {
    // A card with one symbol, in its middle; a thumb lies on its end.
    let cards = vec![(0, 40.0, 40.0), (40, 220.0, 245.0), (80, 400.0, 240.0)];
    let mut scene = Scene { cards, blank: true, glove: true, ..Scene::default() };
    assert_eq!(Card::from_index(0).number.index(), 0, "one symbol");
    let mut run = Run::on(&scene);
    scene.hand = Some((126.0, -30.0));
    let mut noticed = false;
    let thumb = scene.clone();
    // The thumb distorts the outline: the card is not found.
    let blind = but_one(&thumb);
    for step in 0..20 {
        run.show_to(&blind, &thumb, 1);
        assert_eq!(run.tracker.table().table.sets.len(), 1, "step {step}");
        noticed |= run.tracker.tracks.iter().any(|track| track.hidden);
    }
    assert!(noticed, "the thumb was not seen: the test says nothing");
    // The whole hand, without the glove, which would resemble the table in a shadow.
    (scene.hand, scene.glove) = (Some((30.0, -30.0)), false);
    run.show(&scene, 10);
    let table = run.tracker.table();
    assert_eq!((table.table.sets.len(), table.resting.len()), (0, 1), "now it is covered");
}

/// Identities of the cards that left the table unseen in some frames of a scene.
fn departed(run: &mut Run, scene: &Scene, frames: usize) -> Vec<u64> {
    (0..frames)
        .flat_map(|_| {
            run.show(scene, 1);
            run.tracker.table().departed
        })
        .collect()
}

#[test]
fn a_camera_that_looks_aside_takes_nothing() {
    // Slow enough for the motion to be tracked, and fast enough for it to be lost.
    for (px, steps) in [(5.0, 112), (14.0, 40)] {
        let mut run = Run::on(&three());
        let ids: Vec<u64> = run.codes().iter().map(|card| card.0).collect();
        let mut scene = three();
        let mut gone = Vec::new();
        for step in 1..=steps {
            scene.shift = (-px * f64::from(step), 0.0);
            gone.extend(departed(&mut run, &scene, 1));
        }
        gone.extend(departed(&mut run, &scene, 250));
        assert!(run.codes().is_empty());
        // Cards that were misread on the way departed too.
        assert!(ids.iter().all(|id| gone.contains(id)), "{px}: {gone:?} of {ids:?}");
    }
    // A card that a hand takes in view has not departed.
    let mut run = Run::on(&three());
    let mut scene = three();
    scene.cards.remove(0);
    assert!(departed(&mut run, &scene, 30).is_empty());
    assert_eq!(run.codes().len(), 2);
}

#[test]
fn a_camera_that_is_torn_aside_takes_nothing() {
    let mut run = Run::on(&three());
    let mut ids: Vec<u64> = run.codes().iter().map(|card| card.0).collect();
    // The picture jumps to another place of the table.
    let aside = Scene { shift: (1_517.0, 911.0), ..Scene::default() };
    let mut gone = departed(&mut run, &aside, 250);
    assert!(run.codes().is_empty());
    gone.sort_unstable();
    ids.sort_unstable();
    assert_eq!(gone, ids);
}

#[test]
fn the_same_pixels_are_one_reading_and_other_light_is_another() {
    let scene = three();
    let doubtful = SceneReader { certainty: 0.8, ..SceneReader::new(&scene) };
    let mut run = Run::new();
    run.show_to(&doubtful, &scene, 150);
    let certainty = |run: &mut Run| {
        let table = run.tracker.table();
        assert_eq!(table.tracks.len(), 3);
        table.tracks.iter().map(|track| track.reading.best().1).fold(0.0, f32::max)
    };
    let once = 0.8f32.powi(4);
    assert!((certainty(&mut run) - once).abs() < 0.02, "{} {once}", certainty(&mut run));
    // A hand passes: the evidence is reduced, the card is read again, and its confidence hardly
    // rises.
    let mut covered = scene.clone();
    covered.hand = Some((20.0, 20.0));
    run.show_to(&doubtful, &covered, 6);
    run.show_to(&doubtful, &scene, 60);
    let again = certainty(&mut run);
    assert!((once - 0.05..once + 0.15).contains(&again), "{again}");
    // The camera moves: each detection sees other pixels.
    let mut run = Run::new();
    for step in 0..60 {
        let shift = (1.3 * f64::from(step % 7), 0.9 * f64::from(step % 5));
        let moved = Scene { shift, ..scene.clone() };
        run.show_to(&SceneReader { certainty: 0.8, ..SceneReader::new(&moved) }, &moved, 2);
    }
    // They add up, but no further than what they have in common lets them.
    let moved = certainty(&mut run);
    let most = Params::default().shared_error.map(|shared| {
        let odds = 8.0f32.powf(1.0 / shared);
        odds / (odds + 2.0)
    });
    assert!(moved > once + 0.05 && moved < most.iter().product(), "{moved}");
}

#[test]
fn where_nothing_is_found_fewer_looks_are_taken() {
    let mut run = Run::new();
    for step in 0..90 {
        let shift = (3.0 * f64::from(step), 0.0);
        run.show(&Scene { shift, ..Scene::default() }, 1);
    }
    assert!(run.looks <= 12, "{} looks in three seconds", run.looks);
    // A new card is found soon, and detections then return to the usual rate.
    run.show(&three(), 40);
    assert_eq!(run.codes().len(), 3);
}

#[test]
fn pictures_that_come_too_slowly_to_be_followed_are_detected_one_by_one() {
    let mut run = Run::new();
    run.step_ms = 1_000.0;
    let mut scene = three();
    let mut ids = Vec::new();
    for step in 0..12 {
        // Farther than any patch can be followed, and than a card is long.
        let far = [(0.0, 0.0), (90.0, -35.0), (-35.0, 70.0), (110.0, 60.0)];
        scene.shift = far[step % 4];
        run.show(&scene, 1);
        if step < 2 {
            continue;
        }
        let mut codes = run.codes();
        codes.sort_unstable();
        assert_eq!(codes.iter().map(|c| c.1).collect::<Vec<_>>(), [0, 40, 80], "step {step}");
        let table = run.tracker.table();
        assert!(table.tracks.len() == 3 && table.tracks.iter().all(|t| !t.hidden), "step {step}");
        assert_eq!(table.table.sets.len(), 1);
        ids.push(codes);
    }
    assert!(ids.windows(2).all(|two| two[0] == two[1]), "each card stays itself: {ids:?}");
    // A card is taken while nobody could follow; then the camera looks elsewhere.
    scene.cards.remove(2);
    scene.shift = (60.0, 90.0);
    run.show(&scene, 3);
    assert_eq!(run.codes().len(), 2);
    let aside = Scene { cards: vec![(7, 140.0, 140.0)], shift: (151.0, 91.0), ..Scene::default() };
    run.show(&aside, 3);
    assert_eq!(run.cards(), [7]);
}

/// Reads card 1 as card 0 nearly as often.
fn torn(_: &[CardImage], readings: &mut [Reading]) {
    let (zero, one) = (Card::from_index(0), Card::from_index(1));
    for reading in readings.iter_mut().filter(|reading| reading.best().0 == one) {
        for (row, property) in reading.values.iter_mut().zip(Property::ALL) {
            if zero.value(property) != one.value(property) {
                *row = [0.01; 3];
                row[zero.value(property)] = 0.58;
                row[one.value(property)] = 0.41;
            }
        }
    }
}

#[test]
fn a_card_out_of_the_picture_keeps_its_code_while_the_table_stands() {
    let cards = vec![(0, 20.0, 40.0), (1, 220.0, 45.0), (80, 400.0, 240.0)];
    let mut scene = Scene { cards, ..Scene::default() };
    let mut run = Run::new();
    let show = |run: &mut Run, scene: &Scene, frames: usize| {
        let eyes = SceneReader { reads: torn, ..SceneReader::new(scene) };
        run.show_to(&eyes, scene, frames);
        run.cards()
    };
    assert_eq!(show(&mut run, &scene, 30), [0, 1, 80]);
    for step in 1..=40 {
        scene.shift = (-4.0 * f64::from(step), 0.0);
        show(&mut run, &scene, 1);
    }
    assert_eq!(show(&mut run, &scene, 60), [1, 80], "its rival is only out of view");
    for step in (0..40).rev() {
        scene.shift = (-4.0 * f64::from(step), 0.0);
        show(&mut run, &scene, 1);
    }
    assert_eq!(show(&mut run, &scene, 40), [0, 1, 80], "and comes back");
}
