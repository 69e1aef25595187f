//! What a user does with `setsight live`, and what tracking promises on drawn films.

use crate::common::Start;
use crate::common::called::{program, refused};
use serde_json::Value;
use setsight::cards::Card;
use setsight_live::cameras::SystemCameras;
use setsight_live::films::FILM_PACE;
use setsight_live::{Cameras, Watch};
use setsight_nets::engine::Models;
use setsight_scenes::film::{Film, FilmFrame, FilmParams, FrameLabel};
use setsight_scenes::{Kind, Params as Scene};
use setsight_track::{Params, TrackedTable};
use setsight_vision::Pipeline;
use setsight_vision::ReadingPlan;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;

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
        let (seen, left) = (line["seen"].as_u64().unwrap(), line["left"].as_u64().unwrap());
        assert_eq!(seen + left, 81);
        let known = line["looked_at"].as_bool().unwrap();
        assert!(known || line["cards"].as_array().unwrap().is_empty());
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
    let mut scene = Scene::of(Kind::Plain);
    scene.size_px = (960, 540);
    let film = Film::plan(FilmParams { scene, seconds, fps: 15.0, phone: false }, seed).unwrap();
    let params = Params::of(&eyes);
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
fn said_of(table: &TrackedTable, corners: &setsight_photo::geometry::Quad) -> Option<Card> {
    let near = |quad: &setsight_photo::geometry::Quad| {
        quad.center().distance(corners.center()) < 0.4 * corners.long_side()
    };
    let card = table.table.cards.iter().find(|card| near(&card.corners_in_image))?;
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
        let mut said: BTreeMap<Card, Card> = BTreeMap::new();
        let mut lying: BTreeSet<Card> = BTreeSet::new();
        for (label, table) in watched(eyes, seed, 7.0) {
            let time = label.time_ms;
            let now: BTreeSet<Card> =
                label.cards.iter().filter(|c| !c.moving).map(|c| c.code).collect();
            for &card in lying.difference(&now) {
                left.insert(card, time);
                open.remove(&card);
                said.remove(&card);
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
                let says = said_of(&table, &card.corners);
                if let Some(code) = says {
                    let before = said.insert(card.code, code);
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
