//! A game recorded from a camera of the network, a server on this machine, and read again.

use crate::common::{Start, World};
use serde_json::Value;
use setsight_live::films::{AviReader, stamp_of};
use setsight_live::parts::RunningSession;
use setsight_live::{FramePace, Input, LiveCommand, LiveSource, LiveView, RecordingState, Session};
use setsight_nets::engine::Models;
use setsight_track::Params;
use setsight_vision::ReadingPlan;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The frames of the sample film, as they stand in it.
fn jpegs() -> Vec<Vec<u8>> {
    let film = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/samples/9-film.avi");
    let bytes = std::fs::read(film).unwrap();
    let mut avi = AviReader::open(&bytes[..]).unwrap().unwrap();
    std::iter::from_fn(|| avi.next_jpeg().unwrap()).map(|(jpeg, _)| jpeg).collect()
}

/// A phone that sends the sample film again and again, at uneven times, to whoever asks; its address.
/// It ends after twenty connections, or a minute.
fn phone() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/video", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let jpegs = jpegs();
        for stream in listener.incoming().take(20) {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let head =
                b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n";
            let began = Instant::now();
            let mut sent = stream.write_all(head);
            for (i, jpeg) in (0..).zip(jpegs.iter().cycle()) {
                sent = sent
                    .and_then(|()| stream.write_all(b"--b\r\n\r\n"))
                    .and_then(|()| stream.write_all(jpeg));
                if sent.is_err() || began.elapsed() > Duration::from_secs(60) {
                    break;
                }
                std::thread::sleep(Duration::from_millis(if i % 3 == 0 { 70 } else { 30 }));
            }
        }
    });
    address
}

/// Lines without the members that tell how long something took.
fn without_durations(text: &str) -> Vec<Value> {
    let mut lines = crate::common::json_lines(text);
    for line in &mut lines {
        let members = line.as_object_mut().unwrap();
        members.remove("stage_ms").unwrap();
        members.remove("latency_ms").unwrap();
    }
    lines
}

/// The lines beside a recording, and those that its film gives.
fn recorded_and_read(world: &World, film: &str) -> (Vec<Value>, Vec<Value>) {
    let lines = std::fs::read_to_string(world.path().join(film).with_extension("jsonl")).unwrap();
    let read = world.run(&["live", "--video", film, "--headless", "--format", "json"]).expect(0);
    (without_durations(&lines), without_durations(&read.stdout))
}

#[test]
fn a_recorded_game_gives_the_same_lines_when_it_is_read() {
    let world = World::new();
    let url = phone();
    let live = ["live", "--url", &url, "--headless", "--format", "json"];
    let ran = world.run(&[&live[..], &["--record", "game.avi", "--frames", "40"]].concat());
    let ran = ran.expect(0);
    assert!(
        ran.stderr.contains("40 frames") && ran.stderr.contains("game.jsonl"),
        "{}",
        ran.stderr
    );
    let (recorded, read) = recorded_and_read(&world, "game.avi");
    assert_eq!(recorded.len(), 40);
    assert_eq!(recorded, without_durations(&ran.stdout), "printed as recorded");
    assert_eq!(read, recorded);
    let last = recorded.last().unwrap();
    assert!(last["cards"].as_array().unwrap().len() > 8, "{last}");
    let gaps: Vec<f64> = recorded
        .windows(2)
        .map(|two| two[1]["time_ms"].as_f64().unwrap() - two[0]["time_ms"].as_f64().unwrap())
        .collect();
    let longest = gaps.iter().fold(0.0, |a: f64, b| a.max(*b));
    let shortest = gaps.iter().fold(f64::MAX, |a, b| a.min(*b));
    assert!(longest > shortest + 15.0, "the camera's own times are kept: {gaps:?}");
    // The pictures are the camera's own, but for their time.
    let sent = jpegs();
    let bytes = std::fs::read(world.path().join("game.avi")).unwrap();
    let mut avi = AviReader::open(&bytes[..]).unwrap().unwrap();
    let (first, _) = avi.next_jpeg().unwrap().unwrap();
    assert_eq!(stamp_of(&first), Some(0.0));
    assert!(sent.iter().any(|jpeg| jpeg.ends_with(&first[first.len() - 5_000..])));
    // Nothing is written over, and nothing else than AVI.
    let again = |name: &str| world.run(&[&live[..], &["--record", name]].concat()).expect(2).stderr;
    assert!(again("game.avi").contains("game.avi is there already"));
    assert!(again("game.mp4").contains("call it game.avi"));
    std::fs::remove_file(world.path().join("game.avi")).unwrap();
    assert!(again("game.avi").contains("game.jsonl is there already"));
    assert_eq!(world.names("."), ["game.jsonl"]);
}

#[test]
fn a_recording_that_is_killed_or_fills_the_disk_plays_so_far() {
    let world = World::new();
    let url = phone();
    let mut run = world
        .command(&["live", "--url", &url, "--headless", "--record", "killed.avi"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .started();
    let film = world.path().join("killed.avi");
    run.until(|| film.metadata().is_ok_and(|film| film.len() >= 300_000));
    run.kill();
    let (recorded, read) = recorded_and_read(&world, "killed.avi");
    assert!(recorded.len() > 2 && read.len() - recorded.len() <= 1, "{}", read.len());
    assert_eq!(recorded, read[..recorded.len()]);
    #[cfg(unix)]
    {
        let ran = world
            .run_on_a_full_disk(&format!("live --url {url} --headless --record full.avi"))
            .expect(1);
        assert!(ran.stderr.contains("full.avi cannot be written"), "{}", ran.stderr);
        let (recorded, read) = recorded_and_read(&world, "full.avi");
        assert!(!read.is_empty() && read.len() - recorded.len() <= 1, "{}", read.len());
        assert_eq!(recorded, read[..recorded.len()]);
    }
    // Nobody answers: there is nothing to keep.
    let nobody = ["live", "--url", "http://127.0.0.1:1/", "--headless", "--record", "none.avi"];
    world.run(&nobody).expect(1);
    assert!(!world.path().join("none.avi").exists() && !world.path().join("none.jsonl").exists());
}

/// Waits for a view of a running session.
#[track_caller]
fn wait_for(session: &mut RunningSession, wanted: impl Fn(&LiveView) -> bool) -> Arc<LiveView> {
    let began = Instant::now();
    loop {
        let view = session.view();
        if wanted(&view) {
            return view;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", view.recording);
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_recording_of_the_window_begins_anywhere_and_gives_the_same_lines() {
    let world = World::new();
    let input = Input::Network(phone().parse().unwrap());
    let pipeline = ReadingPlan::with_models(Models::Shipped).build().unwrap();
    let params = Params::of(&pipeline);
    let session = Session::new(Arc::new(pipeline), params, FramePace::Newest).unwrap();
    let mut session = session.start(input, Box::new(|| ())).unwrap();
    // Pictures that are turned are no longer the camera's own JPEGs.
    session.command(LiveCommand::Turn(2));
    wait_for(&mut session, |view| view.tracked.table.cards.len() > 8);
    let film = world.path().join("turned.avi");
    session.command(LiveCommand::Record(film.clone()));
    let state = |view: &LiveView| view.recording.as_ref().map(|told| told.state.clone());
    let view = wait_for(&mut session, |view| {
        view.recording.as_ref().is_some_and(|told| told.length_ms > 1_500.0)
    });
    assert_eq!(state(&view), Some(RecordingState::Running));
    session.command(LiveCommand::StopRecording);
    wait_for(&mut session, |view| state(view) == Some(RecordingState::Kept));
    let (recorded, read) = recorded_and_read(&world, "turned.avi");
    assert_eq!(
        (recorded[0]["frame"].as_u64(), recorded[0]["time_ms"].as_f64()),
        (Some(0), Some(0.0))
    );
    assert!(recorded.last().unwrap()["cards"].as_array().unwrap().len() > 8);
    assert_eq!(read, recorded);
    // The same name again: refused, and told.
    session.command(LiveCommand::Record(film));
    let view =
        wait_for(&mut session, |view| matches!(state(view), Some(RecordingState::Failed(_))));
    let told = format!("{:?}", view.recording);
    assert!(told.contains("turned.avi is there already"), "{told}");
    // A new game ends a recording; dropped, a session completes one.
    let runs = |view: &LiveView, name: &str| {
        let told = view.recording.as_ref();
        told.is_some_and(|told| told.film.ends_with(name) && told.length_ms > 0.0)
    };
    session.command(LiveCommand::Record(world.path().join("two.avi")));
    wait_for(&mut session, |view| runs(view, "two.avi"));
    session.command(LiveCommand::NewGame);
    wait_for(&mut session, |view| state(view) == Some(RecordingState::Kept));
    session.command(LiveCommand::Record(world.path().join("three.avi")));
    wait_for(&mut session, |view| runs(view, "three.avi"));
    drop(session);
    let bytes = std::fs::read(world.path().join("three.avi")).unwrap();
    assert!(AviReader::open(&bytes[..]).unwrap().unwrap().frames().unwrap() > 1);
    let (recorded, read) = recorded_and_read(&world, "three.avi");
    assert_eq!(read, recorded);
}
