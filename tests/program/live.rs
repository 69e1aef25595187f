//! What a user does with `setsight live`, what tracking promises on drawn films, and a game recorded from a camera of
//! the network, a server on this machine, and read again.

use crate::common::called::{program, refused};
use crate::common::{Start, World};
use serde_json::Value;
use setsight::cards::Card;
use setsight_live::films::{AviReader, FILM_PACE, stamp_of};
use setsight_live::{
    Cameras, FramePace, Input, LiveCommand, LiveSource, LiveView, RecordingState, Session, Watch,
    cameras::SystemCameras, parts::RunningSession,
};
use setsight_nets::engine::Models;
use setsight_scenes::film::{Film, FilmFrame, FilmParams, FrameLabel};
use setsight_scenes::{Kind, Params as Scene};
use setsight_testkit::camera::serve;
use setsight_track::{Params, TrackedTable};
use setsight_vision::{Pipeline, ReadingPlan};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn setsight(arguments: &[&str]) -> Output {
    program().args(arguments).ended()
}

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/samples/9-film.avi")
}

/// The lines of a run, without the members that tell of time.
fn lines(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let mut lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines {
        let members = line.as_object_mut().unwrap();
        let stages = members.remove("stage_ms").unwrap();
        assert!(stages["load"].is_number() && stages["track"].is_number(), "{stages}");
        assert!(members.remove("latency_ms").unwrap().as_f64().unwrap() >= 0.0);
    }
    lines
}

#[test]
fn a_film_gives_a_line_for_each_frame_and_always_the_same() {
    let film = sample();
    let arguments = ["live", "--video", film.to_str().unwrap(), "--headless", "--format", "json"];
    let first = lines(&setsight(&arguments));
    let labels = std::fs::read_to_string(film.with_extension("jsonl")).unwrap();
    let labels: Vec<FrameLabel> =
        labels.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(first.len(), labels.len());
    for (i, (line, label)) in first.iter().zip(&labels).enumerate() {
        assert_eq!(line["frame"], i);
        assert!((line["time_ms"].as_f64().unwrap() - label.time_ms).abs() < 1.0);
        assert!(line["width"].is_u64() && line["height"].is_u64() && line.get("image").is_none());
        assert!(line["sets"].is_array() && line["resting"].is_array() && line["taken"].is_array());
        let (shown, left) = (line["seen"].as_u64().unwrap(), line["left"].as_u64().unwrap());
        assert_eq!(shown + left, 81);
        let is_looked_at = line["looked_at"].as_bool().unwrap();
        assert!(is_looked_at || line["cards"].as_array().unwrap().is_empty());
        for card in line["cards"].as_array().unwrap() {
            assert!(card["hidden"].is_boolean() && card["id"].is_u64(), "{card}");
        }
    }
    assert_eq!((&first[0]["looked_at"], &first[20]["looked_at"]), (&false.into(), &true.into()));
    let last = first.last().unwrap()["cards"].as_array().unwrap();
    assert!(last.len() > 8, "{last:?}");
    assert!(last[0]["code"].is_string() && last[0]["corners"].as_array().unwrap().len() == 4);
    let short = lines(&setsight(&[&arguments[..], &["--frames", "30"]].concat()));
    assert_eq!(short, first[..30], "the same film gives the same lines");
}

#[test]
fn without_a_camera_it_says_what_to_do() {
    if !SystemCameras::default().list().is_empty() {
        crate::common::not_run("this machine has a camera");
        return;
    }
    refused(&setsight(&["live", "--list"]), 1, &["no camera is connected", "--video FILE"]);
    for camera in [&[][..], &["--camera", "0"], &["--camera", "webcam"]] {
        let output = setsight(&[&["live", "--headless"][..], camera].concat());
        refused(&output, 1, &["no camera is connected", "connect one"]);
    }
}

/// What the tracker makes of each frame of a drawn film.
fn watched(eyes: Pipeline, seed: u64, seconds: f64) -> Vec<(FrameLabel, TrackedTable)> {
    let mut scene = Scene::for_kind(Kind::Plain);
    scene.size_px = (960, 540);
    let film = Film::plan(FilmParams { scene, seconds, fps: 15.0, phone: false }, seed).unwrap();
    let params = Params::for_pipeline(&eyes);
    let mut watch = Watch::new(Arc::new(eyes), params, FILM_PACE).unwrap();
    (0..film.frames())
        .map(|i| {
            let FilmFrame { image, label } = film.draw(i);
            let frame = Arc::new(image);
            let table = watch.frame(&frame, label.time_ms).unwrap().tracked;
            (label, table)
        })
        .collect()
}

/// What a table says lies where a card of the labels lies: its code when sure.
fn read_as(table: &TrackedTable, corners: &setsight_photo::geometry::Quad) -> Option<Card> {
    let (center, reach) = (corners.center(), 0.4 * corners.long_side());
    let mut cards = table.table.cards.iter();
    let card = cards.find(|card| card.corners_in_image.center().distance(center) < reach)?;
    (!card.unsure).then_some(card.card)
}

#[test]
fn on_a_film_codes_stay_new_cards_are_read_in_time_and_sets_are_sets() {
    /// A new card is right, and a taken one gone, within this.
    const IN_TIME_MS: f64 = 500.0;
    let (mut judged, mut sets, mut dealt) = (0, 0, 0);
    let default = ReadingPlan::with_models(Models::Shipped).build().unwrap();
    for (seed, eyes) in [(1, Pipeline::classical().unwrap()), (2, default)] {
        // Since when each card lies still and open to view; when each left.
        let mut open: BTreeMap<Card, f64> = BTreeMap::new();
        let mut left: BTreeMap<Card, f64> = BTreeMap::new();
        let mut codes: BTreeMap<Card, Card> = BTreeMap::new();
        let mut lying: BTreeSet<Card> = BTreeSet::new();
        for (label, table) in watched(eyes, seed, 7.0) {
            let time = label.time_ms;
            let now: BTreeSet<Card> =
                label.cards.iter().filter(|c| !c.moving).map(|c| c.code).collect();
            for &card in lying.difference(&now) {
                left.insert(card, time);
                open.remove(&card);
                codes.remove(&card);
            }
            dealt += now.difference(&lying).count();
            left.retain(|card, _| !now.contains(card));
            lying = now;
            for card in label.cards.iter().filter(|card| !card.moving) {
                if card.in_view > 0.95 && label.blur_px < 1.0 {
                    open.entry(card.code).or_insert(time);
                } else {
                    open.remove(&card.code);
                }
                let says = read_as(&table, &card.corners);
                if let Some(code) = says {
                    let before = codes.insert(card.code, code);
                    assert!(
                        time < 1_000.0 || before.is_none_or(|before| before == code),
                        "film {seed}, {time} ms: {} turned from {before:?} to {code}",
                        card.code
                    );
                }
                if open.get(&card.code).is_some_and(|since| time - since > IN_TIME_MS) {
                    judged += 1;
                    assert_eq!(says, Some(card.code), "film {seed}, {time} ms");
                }
            }
            for set in &table.table.sets {
                sets += 1;
                for card in set.0.map(|i| table.table.cards[i].card) {
                    let just_left = left.get(&card).is_some_and(|at| time - at <= IN_TIME_MS);
                    assert!(
                        lying.contains(&card) || just_left,
                        "film {seed}, {time} ms: {card} is in a set and not on the table"
                    );
                }
            }
        }
    }
    assert!(judged > 1_000 && sets > 50 && dealt > 26, "{judged} {sets} {dealt}");
}

/// The frames of the sample film, as they stand in it.
fn jpegs() -> Vec<Vec<u8>> {
    let film = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/samples/9-film.avi");
    let bytes = std::fs::read(film).unwrap();
    let mut avi = AviReader::open(&bytes[..]).unwrap().unwrap();
    std::iter::from_fn(|| avi.next_jpeg().unwrap()).map(|(jpeg, _)| jpeg).collect()
}

/// A phone that sends the sample film again and again, at uneven times, on request; its address.
/// It ends after twenty connections, or a minute.
fn phone() -> String {
    let jpegs = jpegs();
    let (port, _) = serve(20, move |_, out| {
        let head =
            b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n";
        let began = Instant::now();
        out.write_all(head)?;
        for (i, jpeg) in (0..).zip(jpegs.iter().cycle()) {
            if began.elapsed() > Duration::from_secs(60) {
                break;
            }
            out.write_all(b"--b\r\n\r\n")?;
            out.write_all(jpeg)?;
            std::thread::sleep(Duration::from_millis(if i % 3 == 0 { 70 } else { 30 }));
        }
        Ok(())
    });
    format!("http://127.0.0.1:{port}/video")
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
    assert!(again("game.avi").contains("game.avi already exists"));
    assert!(again("game.mp4").contains("call it game.avi"));
    std::fs::remove_file(world.path().join("game.avi")).unwrap();
    assert!(again("game.avi").contains("game.jsonl already exists"));
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

fn state(view: &LiveView) -> Option<RecordingState> {
    view.recording.as_ref().map(|recording| recording.state.clone())
}

fn is_recording(view: &LiveView, name: &str) -> bool {
    let recording = view.recording.as_ref();
    recording.is_some_and(|recording| recording.film.ends_with(name) && recording.length_ms > 0.0)
}

#[test]
fn a_recording_of_the_window_begins_anywhere_and_gives_the_same_lines() {
    let world = World::new();
    let input = Input::Network(phone().parse().unwrap());
    let pipeline = ReadingPlan::with_models(Models::Shipped).build().unwrap();
    let params = Params::for_pipeline(&pipeline);
    let session = Session::new(Arc::new(pipeline), params, FramePace::Newest).unwrap();
    let mut session = session.start(input, Box::new(|| ())).unwrap();
    // Pictures that are turned are no longer the camera's own JPEGs.
    session.command(LiveCommand::Turn(2));
    wait_for(&mut session, |view| view.tracked.table.cards.len() > 8);
    let film = world.path().join("turned.avi");
    session.command(LiveCommand::Record(film.clone()));
    let view = wait_for(&mut session, |view| {
        view.recording.as_ref().is_some_and(|recording| recording.length_ms > 1_500.0)
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
    // The same name again is refused with a reason.
    session.command(LiveCommand::Record(film));
    let view =
        wait_for(&mut session, |view| matches!(state(view), Some(RecordingState::Failed(_))));
    let recording = format!("{:?}", view.recording);
    assert!(recording.contains("turned.avi already exists"), "{recording}");
    // A new game ends a recording; dropped, a session completes one.
    session.command(LiveCommand::Record(world.path().join("two.avi")));
    wait_for(&mut session, |view| is_recording(view, "two.avi"));
    session.command(LiveCommand::NewGame);
    wait_for(&mut session, |view| state(view) == Some(RecordingState::Kept));
    session.command(LiveCommand::Record(world.path().join("three.avi")));
    wait_for(&mut session, |view| is_recording(view, "three.avi"));
    drop(session);
    let bytes = std::fs::read(world.path().join("three.avi")).unwrap();
    assert!(AviReader::open(&bytes[..]).unwrap().unwrap().frames().unwrap() > 1);
    let (recorded, read) = recorded_and_read(&world, "three.avi");
    assert_eq!(read, recorded);
}
