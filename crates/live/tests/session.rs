//! One session from its first frame to its end, and what is left of it then; and what may happen to a camera
//! in a long evening: it is slow, or the computer sleeps.

use setsight_game::cards::Card;
use setsight_live::films::{FILM_PACE, Pace};
use setsight_live::{FramePace, Input, LiveCommand, LiveView, Session, SessionEvent, Sink, Watch};
use setsight_nets::engine::Models;
use setsight_scenes::film::{Film, FilmCard, FilmFrame, FilmParams, FrameLabel};
use setsight_scenes::{Kind, Params as Scene};
use setsight_track::{Detector, Params, TrackedTable, counter::Counter};
use setsight_vision::ReadingPlan;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Weak};
use std::{ops::ControlFlow, path::Path};

fn sample() -> Input {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Input::Film(root.join("datasets/samples/9-film.avi"))
}

/// A session for every frame, and its eyes while it has them.
fn session() -> (Session, Weak<dyn Detector>) {
    let pipeline = ReadingPlan::with_models(Models::Shipped).build().unwrap();
    let params = Params::for_pipeline(&pipeline);
    let eyes: Arc<dyn Detector> = Arc::new(pipeline);
    let used = Arc::downgrade(&eyes);
    (Session::new(eyes, params, FramePace::Every).unwrap(), used)
}

/// The state after a frame: its time, the cards, how many were seen.
type Known = (f64, Vec<String>, usize);

/// Plays a film twice, and keeps what is known after each frame of each time.
struct Twice {
    commands: Sender<LiveCommand>,
    played: Vec<Vec<Known>>,
}

impl Sink for Twice {
    fn show(&mut self, view: &LiveView, event: SessionEvent) -> ControlFlow<()> {
        match event {
            SessionEvent::Frame => {
                let cards = view.tracked.table.cards.iter().map(|card| card.card.to_string());
                let played = (view.time_ms, cards.collect(), view.score.distinct_cards);
                self.played.last_mut().unwrap().push(played);
            }
            SessionEvent::End if self.played.len() == 2 => return ControlFlow::Break(()),
            SessionEvent::End => {
                assert!(view.ended);
                self.played.push(Vec::new());
                self.commands.send(LiveCommand::Seek(0.0)).unwrap();
            }
            SessionEvent::Trouble => panic!("{:?}", view.notice),
            SessionEvent::Changed => {}
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn a_film_played_again_is_a_new_game_and_a_session_leaves_no_thread_behind() {
    let (session, used) = session();
    let (commands, asked) = channel();
    let mut twice = Twice { commands, played: vec![Vec::new()] };
    session.run(sample(), None, &asked, &AtomicBool::new(false), &mut twice);
    let [first, again] = &twice.played[..] else { panic!("it is played twice") };
    assert!(first.len() == 50 && first.last().unwrap().2 > 8, "{first:?}");
    assert_eq!(again, first, "what was seen before is forgotten");
    assert_eq!(used.strong_count(), 0, "a thread still looks at frames");
}

/// Stops after a frame.
struct Stops<'a> {
    stop: &'a AtomicBool,
    frames: usize,
}

impl Sink for Stops<'_> {
    fn show(&mut self, _: &LiveView, event: SessionEvent) -> ControlFlow<()> {
        assert_eq!(event, SessionEvent::Frame);
        self.frames += 1;
        self.stop.store(true, Ordering::Relaxed);
        ControlFlow::Continue(())
    }
}

#[test]
fn a_stop_ends_a_session_after_the_frame_in_hand() {
    let (session, used) = session();
    let (_, asked) = channel();
    let stop = AtomicBool::new(false);
    let mut stops = Stops { stop: &stop, frames: 0 };
    let opened = session.open(&sample()).unwrap();
    session.run(sample(), Some(opened), &asked, &stop, &mut stops);
    assert_eq!(stops.frames, 1);
    assert_eq!(used.strong_count(), 0, "a thread still looks at frames");
}

const FPS: f64 = 10.0;

fn film(seconds: f64) -> Film {
    let mut scene = Scene::for_kind(Kind::Plain);
    scene.size_px = (960, 540);
    Film::plan(FilmParams { scene, seconds, fps: FPS, phone: false }, 1).unwrap()
}

fn watch(pace: Pace) -> Watch {
    let eyes = ReadingPlan::with_models(Models::Shipped).build().unwrap();
    let params = Params::for_pipeline(&eyes);
    Watch::new(Arc::new(eyes), params, pace).unwrap()
}

/// The sure cards of a table that lie where the labels say, and the cards of the labels in whose places
/// others are said to lie.
fn judged(table: &TrackedTable, label: &FrameLabel) -> (BTreeSet<Card>, BTreeSet<Card>) {
    let (mut right, mut wrong) = (BTreeSet::new(), BTreeSet::new());
    for card in table.table.cards.iter().filter(|card| !card.unsure) {
        let at = card.corners_in_image.center();
        // What a hand moves or has just taken may be shown a little longer.
        if let Some(lies) = label.cards.iter().find(|l| !l.moving && l.corners.contains(at)) {
            let is_right = lies.code == card.card;
            if is_right {
                right.insert(lies.code)
            } else {
                wrong.insert(lies.code)
            };
        }
    }
    (right, wrong)
}

#[test]
fn a_computer_that_slept_goes_on_where_it_was() {
    let film = film(4.0);
    let mut watch = watch(FILM_PACE);
    let mut counter = Counter::default();
    let night_ms = 8.0 * 3_600e3;
    for i in 0..38 {
        let FilmFrame { image, label } = film.draw(i);
        // From one frame to the next a night has passed, and the camera lies elsewhere.
        let time_ms = if i < 19 { label.time_ms } else { label.time_ms + night_ms };
        let table = watch.frame(&Arc::new(image), time_ms).unwrap().tracked;
        counter.update(&table, time_ms);
        let (right, wrong) = judged(&table, &label);
        assert!(wrong.is_empty(), "frame {i}: {wrong:?}");
        if i == 18 || i == 37 {
            let lying = label.cards.iter().filter(|card| !card.moving && card.in_view > 0.95);
            let lying: BTreeSet<Card> = lying.map(|card| card.code).collect();
            assert!(lying.len() > 5 && lying.is_subset(&right), "frame {i}: {lying:?} {right:?}");
        }
    }
    let score = counter.score();
    assert!(score.taken.is_empty() && score.distinct_cards >= 12, "{score:?}");
}

fn is_open(card: &&FilmCard) -> bool {
    !card.moving && card.in_view > 0.95
}

#[test]
fn a_phone_that_sends_a_picture_every_other_second_is_followed() {
    let film = film(20.0);
    let mut watch = watch(FILM_PACE);
    // Since when each card lies open to view.
    let mut open: BTreeMap<Card, f64> = BTreeMap::new();
    let (mut recognised, mut judged_cards) = (0, 0);
    for i in (0..film.frames()).step_by(2 * FPS as usize) {
        let FilmFrame { image, label } = film.draw(i);
        let table = watch.frame(&Arc::new(image), label.time_ms).unwrap().tracked;
        let (right, wrong) = judged(&table, &label);
        let now: BTreeSet<Card> =
            label.cards.iter().filter(is_open).map(|card| card.code).collect();
        open.retain(|card, _| now.contains(card));
        for card in now {
            let since = *open.entry(card).or_insert(label.time_ms);
            // Where a card lies in place of another, three looks are waited for: three pictures.
            if label.time_ms - since > 5_900.0 {
                judged_cards += 1;
                recognised += usize::from(right.contains(&card));
                assert!(!wrong.contains(&card), "frame {i}: {wrong:?}");
            }
        }
    }
    assert!(
        judged_cards > 50 && 100 * recognised >= 95 * judged_cards,
        "{recognised} of {judged_cards}"
    );
}
