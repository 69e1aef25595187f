//! Films and streams as they come: other codecs, pipes, folders, and what is cut off.

use crate::common::called::{program, refused};
use crate::common::{Start, in_time};
use image::{Rgb, RgbImage};
use setsight_live::cameras::Camera;
use setsight_live::films::{AviReader, AviWriter, Video, VideoError};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::Command;

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/samples/9-film.avi")
}

/// Runs ffmpeg, which the set-up installs for these tests.
#[track_caller]
fn ffmpeg(arguments: &[&str]) {
    let output = Command::new("ffmpeg").args(["-y", "-v", "error"]).args(arguments).ended();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Level of a pixel and time in ms of each frame.
fn frames(path: &Path) -> Vec<(u8, f64)> {
    let mut video = Video::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    std::iter::from_fn(|| video.next_shot().unwrap())
        .map(|shot| (shot.frame[(30, 20)].0[0], shot.time_ms))
        .collect()
}

/// An AVI film of 64x48 pixels whose frames have these levels.
fn film(levels: &[u8]) -> Vec<u8> {
    let mut avi = AviWriter::new(Cursor::new(Vec::new()), (64, 48), 10.0, 95).unwrap();
    for &level in levels {
        avi.frame(&RgbImage::from_pixel(64, 48, Rgb([level; 3]))).unwrap();
    }
    avi.finish().unwrap().into_inner()
}

/// The film with its left half dark and its right half bright, upright 96x64.
fn picture(dir: &Path) -> PathBuf {
    let path = dir.join("picture.png");
    let image = RgbImage::from_fn(96, 64, |x, _| Rgb([if x < 48 { 20 } else { 220 }; 3]));
    image.save(&path).unwrap();
    path
}

#[test]
fn an_avi_film_is_read_in_order_and_reported_when_it_is_cut_short() {
    let complete = film(&[10, 60, 110, 160]);
    let mut avi = AviReader::open(&complete[..]).unwrap().unwrap();
    assert_eq!(avi.fps(), 10.0);
    let numbers: Vec<u64> =
        std::iter::from_fn(|| avi.next_jpeg().unwrap()).map(|(_, number)| number).collect();
    assert_eq!(numbers, [0, 1, 2, 3]);
    // An empty chunk stands for the frame before, and frames may lie in lists of their own.
    let movi = complete.windows(4).position(|four| four == b"movi").unwrap() + 4;
    let odd = [
        &complete[..movi],
        b"00dc\0\0\0\0LIST\x04\0\0\0rec ",
        b"junk\x03\0\0\0abc\0",
        &complete[movi..],
    ];
    let odd = odd.concat();
    let mut avi = AviReader::open(&odd[..]).unwrap().unwrap();
    assert_eq!(avi.next_jpeg().unwrap().unwrap().1, 1);
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("film.avi");
    for cut in [complete.len() * 6 / 10, movi + 8 + 2_000] {
        let cut = cut.min(complete.len() - 500);
        std::fs::write(&path, &complete[..cut]).unwrap();
        let mut video = Video::open(&path).unwrap();
        let end = loop {
            match video.next_shot() {
                Ok(Some(_)) => {}
                other => break other,
            }
        };
        assert!(matches!(end, Err(VideoError::Damaged { .. })), "{cut}");
    }
    let times: Vec<f64> = {
        std::fs::write(&path, &complete).unwrap();
        frames(&path).iter().map(|frame| frame.1).collect()
    };
    assert_eq!(times, [0.0, 100.0, 200.0, 300.0]);
}

#[test]
fn films_of_every_kind_play() {
    let home = tempfile::tempdir().unwrap();
    let first = frames(&sample());
    let encoders = Command::new("ffmpeg").args(["-hide_banner", "-encoders"]).ended();
    let encoders = String::from_utf8_lossy(&encoders.stdout).into_owned();
    for (name, codec) in [
        ("film.mp4", &["-c:v", "libx264", "-crf", "10"][..]),
        ("film.mov", &["-c:v", "libx265", "-crf", "10", "-x265-params", "log-level=none"]),
        ("film.webm", &["-c:v", "libvpx-vp9", "-crf", "10", "-b:v", "0", "-deadline", "realtime"]),
        ("old.webm", &["-c:v", "libvpx", "-crf", "5", "-b:v", "4M"]),
        ("film.gif", &[]),
        ("other codec.avi", &["-c:v", "mpeg4", "-q:v", "2"]),
    ] {
        let path = home.path().join(name);
        let encoder = codec.get(1).copied().unwrap_or("gif");
        if !encoders.contains(encoder) {
            crate::common::not_run(&format!("this ffmpeg does not write {encoder}"));
            continue;
        }
        ffmpeg(&[&["-i", text(&sample()), "-t", "2"], codec, &[text(&path)]].concat());
        let these = frames(&path);
        assert!(these.len() >= 17, "{name}: {} frames", these.len());
        for (one, other) in first.iter().zip(&these) {
            // A GIF counts hundredths of a second.
            assert!((one.1 - other.1).abs() < 12.0, "{name}: {one:?} {other:?}");
            assert!(one.0.abs_diff(other.0) < 40, "{name}: {one:?} {other:?}");
        }
    }
}

#[test]
fn a_film_of_variable_rate_keeps_its_times() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("variable.mkv");
    // Every third frame is left out, and the others keep their times.
    let select = ["-vf", "select='mod(n,3)',setpts=PTS", "-fps_mode", "vfr"];
    let sample = sample();
    let input = ["-i", text(&sample), "-t", "2"];
    ffmpeg(&[&input[..], &select, &["-c:v", "libx264", text(&path)]].concat());
    let times: Vec<f64> = frames(&path).iter().map(|frame| frame.1).collect();
    let steps: Vec<f64> = times.windows(2).map(|two| (two[1] - two[0]).round()).collect();
    assert!(steps.contains(&111.0) && steps.contains(&222.0), "{steps:?}");
}

/// The first picture's size, and whether each of its corners is light.
fn first_frame(path: &Path) -> ((u32, u32), [bool; 4]) {
    let image = Video::open(path).unwrap().next_shot().unwrap().unwrap().frame.clone();
    let (w, h) = image.dimensions();
    let corners = [(8, 8), (w - 8, 8), (8, h - 8), (w - 8, h - 8)];
    ((w, h), corners.map(|at| image[at].0[0] > 128))
}

#[test]
fn a_film_that_lies_on_its_side_is_turned() {
    let home = tempfile::tempdir().unwrap();
    let lying = home.path().join("lying.mp4");
    let turned = home.path().join("turned.mp4");
    let still = picture(home.path());
    ffmpeg(&["-loop", "1", "-i", text(&still), "-t", "0.5", "-pix_fmt", "yuv420p", text(&lying)]);
    // As phones write it: the matrix of the track's header has a quarter turn.
    let mut bytes = std::fs::read(&lying).unwrap();
    let header = bytes.windows(4).position(|name| name == b"tkhd").unwrap() + 4;
    let matrix = [0, 1 << 16, 0, -1 << 16, 0, 0, 64 << 16, 0, 1 << 30];
    let matrix: Vec<u8> = matrix.iter().flat_map(|number: &i32| number.to_be_bytes()).collect();
    bytes[header + 40..header + 76].copy_from_slice(&matrix);
    std::fs::write(&turned, bytes).unwrap();
    assert_eq!(first_frame(&lying), ((96, 64), [false, true, false, true]));
    let (size, corners) = first_frame(&turned);
    assert_eq!(size, (64, 96));
    // A quarter turn: what was left and right is now above and below.
    assert!(corners[0] == corners[1] && corners[2] == corners[3] && corners[0] != corners[2]);
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_read() {
    let home = tempfile::tempdir().unwrap();
    let pipe = home.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).ended().status.success());
    let writer = {
        let pipe = pipe.clone();
        std::thread::spawn(move || std::fs::write(pipe, film(&[10, 90, 170])))
    };
    let read = in_time(move || frames(&pipe));
    let levels: Vec<u8> = read.iter().map(|frame| frame.0).collect();
    assert_eq!(levels.len(), 3);
    assert!(levels.iter().zip([10u8, 90, 170]).all(|(a, b)| a.abs_diff(b) < 6), "{levels:?}");
    writer.join().unwrap().unwrap();
}

#[test]
fn a_film_too_small_for_cards_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let small = home.path().join("small.avi");
    let mut avi = AviWriter::new(Cursor::new(Vec::new()), (8, 8), 10.0, 95).unwrap();
    avi.frame(&RgbImage::new(8, 8)).unwrap();
    std::fs::write(&small, avi.finish().unwrap().into_inner()).unwrap();
    let live = program().args(["live", "--headless", "--video", text(&small)]).ended();
    refused(&live, 1, &["small.avi", "8x8"]);
}

#[test]
fn a_film_as_a_camera_tells_its_end() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("film.avi");
    std::fs::write(&path, film(&[10, 90])).unwrap();
    let mut video: Box<dyn Camera> = Box::new(Video::open(&path).unwrap());
    assert!(video.read().unwrap().is_some() && video.read().unwrap().is_some());
    assert!(video.read().unwrap().is_none());
}

#[test]
fn a_header_shorter_than_its_name_is_no_film() {
    let bytes = [b"RIFF\0\0\0\0AVI LIST\x02\0\0\0hdrl".as_slice(), &[0; 16]].concat();
    assert!(matches!(AviReader::open(&bytes[..]), Ok(None)));
}
