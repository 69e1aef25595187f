//! One session from its first frame to its end, and what is left of it then.

use setsight_live::{FramePace, Input, LiveCommand, LiveView, Session, SessionEvent, Sink};
use setsight_nets::engine::Models;
use setsight_track::{Detector, Params};
use setsight_vision::ReadingPlan;
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
    let params = Params::of(&pipeline);
    let eyes: Arc<dyn Detector> = Arc::new(pipeline);
    let used = Arc::downgrade(&eyes);
    (Session::new(eyes, params, FramePace::Every).unwrap(), used)
}

/// What is known after a frame: its time, the cards, how many were seen.
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
                let known = (view.time_ms, cards.collect(), view.score.seen);
                self.played.last_mut().unwrap().push(known);
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
