//! Films as phones take them: small and upright or at 60 frames a second, blurred, unsteady, and through
//! H.264.

use setsight_game::cards::Card;
use setsight_live::Watch;
use setsight_live::films::{AviWriter, FILM_PACE, Video};
use setsight_nets::engine::Models;
use setsight_scenes::film::{Film, FilmParams, FrameLabel};
use setsight_scenes::{Kind, Params as Scene};
use setsight_testkit::child::Start;
use setsight_track::Params;
use setsight_vision::ReadingPlan;
use std::{collections::BTreeMap, fs::File, process::Command, sync::Arc};

#[test]
fn a_second_after_the_start_no_card_of_a_phones_film_is_wrong_and_none_changes() {
    let home = tempfile::tempdir().unwrap();
    let eyes = Arc::new(ReadingPlan::with_models(Models::Shipped).build().unwrap());
    for (seed, size_px, fps, least) in [(21, (320, 576), 30.0, 50), (22, (800, 450), 60.0, 90)] {
        let mut scene = Scene::of(Kind::Wood);
        scene.size_px = size_px;
        let film = Film::plan(FilmParams { scene, seconds: 2.5, fps, phone: true }, seed).unwrap();
        let drawn = home.path().join("drawn.avi");
        let mut avi = AviWriter::new(File::create(&drawn).unwrap(), size_px, fps, 95).unwrap();
        let mut labels: Vec<FrameLabel> = Vec::new();
        for i in 0..film.frames() {
            let frame = film.draw(i);
            avi.frame(&frame.image).unwrap();
            labels.push(frame.label);
        }
        avi.finish().unwrap();
        let coded = home.path().join("film.mp4");
        let ffmpeg = Command::new("ffmpeg")
            .args(["-y", "-v", "error", "-i"])
            .arg(&drawn)
            .args(["-c:v", "libx264", "-crf", "28", "-pix_fmt", "yuv420p"])
            .arg(&coded)
            .ended();
        assert!(ffmpeg.status.success(), "{}", String::from_utf8_lossy(&ffmpeg.stderr));
        let mut video = Video::open(&coded).unwrap();
        let mut watch = Watch::new(eyes.clone(), Params::of(&eyes), FILM_PACE).unwrap();
        let mut said: BTreeMap<Card, Card> = BTreeMap::new();
        let (mut judged, mut right) = (0, 0);
        for label in &labels {
            let shot = video.next_shot().unwrap().expect("a frame for each label");
            let table = watch.frame(&shot.frame, shot.time_ms).unwrap().tracked.table;
            if label.time_ms < 1_000.0 {
                continue;
            }
            for card in label.cards.iter().filter(|card| !card.moving && card.in_view > 0.95) {
                judged += 1;
                let at = card.corners.center();
                let there = table.cards.iter().find(|seen| seen.corners_in_image.contains(at));
                let Some(seen) = there.filter(|seen| !seen.unsure) else { continue };
                let code = seen.card;
                assert_eq!(code, card.code, "{size_px:?}, {} ms", label.time_ms);
                assert_eq!(*said.entry(card.code).or_insert(code), code);
                right += 1;
            }
        }
        eprintln!("{size_px:?}: {right} of {judged} cards are right, none is wrong");
        assert!(judged > 300 && 100 * right >= least * judged, "{size_px:?}: {right} of {judged}");
    }
}
