//! Films as phones take them: small and upright or at 60 frames a second, blurred, unsteady, and through H.264;
//! and films that refer to other files, promise more than there is, or lie about their times.

use image::{Rgb, RgbImage};
use setsight_game::cards::Card;
use setsight_live::films::{AviWriter, FILM_PACE, FilmCamera, FilmControl, Video, VideoError};
use setsight_live::{CameraChoice, Cameras, Watch};
use setsight_nets::engine::Models;
use setsight_scenes::film::{Film, FilmParams, FrameLabel};
use setsight_scenes::{Kind, Params as Scene};
use setsight_testkit::child::{Start, in_time};
use setsight_track::Params;
use setsight_vision::ReadingPlan;
use std::time::{Duration, Instant};
use std::{collections::BTreeMap, fs::File, io::Cursor, path::Path, process::Command, sync::Arc};

/// An AVI film of 64x48 pixels with three frames.
fn film() -> Vec<u8> {
    let mut avi = AviWriter::new(Cursor::new(Vec::new()), (64, 48), 10.0, 95).unwrap();
    for level in [40, 90, 140] {
        avi.frame(&RgbImage::from_pixel(64, 48, Rgb([level; 3]))).unwrap();
    }
    avi.finish().unwrap().into_inner()
}

fn refusal(path: &Path) -> VideoError {
    match Video::open(path) {
        Ok(_) => panic!("{} was played", path.display()),
        Err(error) => error,
    }
}

#[test]
fn a_list_of_other_films_is_no_film_whatever_it_is_called() {
    if !setsight_testkit::on_path("ffmpeg") {
        return setsight_testkit::not_run("there is no ffmpeg");
    }
    let home = tempfile::tempdir().unwrap();
    let other = home.path().join("other.mp4");
    let source = home.path().join("source.avi");
    std::fs::write(&source, film()).unwrap();
    let made = Command::new("ffmpeg")
        .args(["-v", "error", "-i", source.to_str().unwrap(), "-c:v", "mpeg4"])
        .arg(&other)
        .ended();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    assert!(Video::open(&other).is_ok());
    let lists = [
        "ffconcat version 1.0\nfile other.mp4\n".to_owned(),
        format!("ffconcat version 1.0\nfile '{}'\n", other.display()),
        "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nother.mp4\n#EXT-X-ENDLIST\n".to_owned(),
        "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 26\n"
            .to_owned(),
    ];
    for list in lists {
        let path = home.path().join("game.mp4");
        std::fs::write(&path, &list).unwrap();
        let error = refusal(&path);
        assert!(matches!(error, VideoError::NotAFilm(_)), "{list}: {error}");
    }
}

#[test]
fn a_header_of_4_gb_is_not_kept() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("film.avi");
    let head = [b"RIFF\xff\xff\xff\xffAVI ".as_slice(), b"JUNK\xf0\xff\xff\xff"].concat();
    std::fs::write(&path, head).unwrap();
    // Sparse: as long as it claims.
    std::fs::File::options().write(true).open(&path).unwrap().set_len(4 << 30).unwrap();
    let begun = Instant::now();
    assert!(matches!(refusal(&path), VideoError::NotAFilm(_) | VideoError::NoFfmpeg));
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_frame_larger_than_any_photo_is_refused() {
    let film = film();
    // The size in the first JPEG's frame header.
    let at = film.windows(4).position(|four| four == [0xff, 0xc0, 0, 17]).unwrap() + 5;
    let mut large = film;
    large[at..at + 4].copy_from_slice(&[0x40, 0, 0x40, 0]);
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("film.avi");
    std::fs::write(&path, large).unwrap();
    let error = refusal(&path).to_string();
    assert!(error.contains("16384x16384"), "{error}");
}

#[test]
fn a_time_that_cannot_be_is_not_waited_for() {
    let mut avi = AviWriter::new(Cursor::new(Vec::new()), (64, 48), 10.0, 95).unwrap();
    for (level, time_ms) in [(40, "0"), (90, "1e300"), (140, "-1e300"), (190, "1e12")] {
        let mut jpeg = Vec::new();
        image::codecs::jpeg::JpegEncoder::new_with_quality(&mut jpeg, 90)
            .encode_image(&RgbImage::from_pixel(64, 48, Rgb([level; 3])))
            .unwrap();
        let comment = format!("setsight time_ms {time_ms}");
        let head = [0xff, 0xfe, 0, comment.len() as u8 + 2];
        avi.jpeg(&[&jpeg[..2], &head, comment.as_bytes(), &jpeg[2..]].concat()).unwrap();
    }
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("film.avi");
    std::fs::write(&path, avi.finish().unwrap().into_inner()).unwrap();
    let mut video = Video::open(&path).unwrap();
    let times: Vec<f64> =
        std::iter::from_fn(|| video.next_shot().unwrap()).map(|shot| shot.time_ms).collect();
    assert_eq!(times, [0.0, 100.0, 200.0, 300.0]);
    // The same at its own pace, as the window plays it.
    let camera = FilmCamera { path, control: Arc::new(FilmControl::default()) };
    let mut playing = camera.open(&CameraChoice::First).unwrap();
    let begun = Instant::now();
    in_time(move || while playing.read().unwrap().is_some() {});
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_second_after_the_start_no_card_of_a_phones_film_is_wrong_and_none_changes() {
    let home = tempfile::tempdir().unwrap();
    let eyes = Arc::new(ReadingPlan::with_models(Models::Shipped).build().unwrap());
    for (seed, size_px, fps, least) in [(21, (320, 576), 30.0, 50), (22, (800, 450), 60.0, 90)] {
        let mut scene = Scene::for_kind(Kind::Wood);
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
        let mut watch = Watch::new(eyes.clone(), Params::for_pipeline(&eyes), FILM_PACE).unwrap();
        let mut codes: BTreeMap<Card, Card> = BTreeMap::new();
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
                let found =
                    table.cards.iter().find(|reading| reading.corners_in_image.contains(at));
                let Some(reading) = found.filter(|reading| !reading.unsure) else { continue };
                let code = reading.card;
                assert_eq!(code, card.code, "{size_px:?}, {} ms", label.time_ms);
                assert_eq!(*codes.entry(card.code).or_insert(code), code);
                right += 1;
            }
        }
        eprintln!("{size_px:?}: {right} of {judged} cards are right, none is wrong");
        assert!(judged > 300 && 100 * right >= least * judged, "{size_px:?}: {right} of {judged}");
    }
}
