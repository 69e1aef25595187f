//! How fast a film is read, stage by stage, with the default finder and reader and each engine in
//! turn: `cargo bench --bench live`. Arguments select one engine, finder or reader:
//! `-- [onnxruntime|embedded] [learned|classical] [fused|neural|measured]`.
//!
//! A film of 1280x720 at 30 frames per second is drawn once. Its quiet beginning, played forwards
//! and backwards for ten seconds, is the steady state. Its first second, read from scratch, is a
//! table on which all cards are new. Both run like `setsight live --video --headless`, with
//! decoding, tracking and detection on a thread each. Last, the quiet film is played at its own
//! pace, like a camera, and the time from each frame to its overlay is measured. Criterion is not
//! used, because this bench measures threads that run together, not a function.

use setsight_live::{
    CameraChoice, Cameras, Watch,
    cameras::{Camera, Shot},
    films::{AviWriter, FILM_PACE, FilmCamera, Pace, Video},
};
use setsight_nets::engine::{self, Models};
use setsight_scenes::film::{Film, FilmParams};
use setsight_scenes::{Kind, Params as Scene};
use setsight_track::{Detector, Params};
use setsight_vision::{FinderChoice, ReaderChoice, ReadingPlan, StageTime};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, mpsc::sync_channel},
    time::Instant,
};

/// Number of frames of the film in which only the camera moves.
const QUIET: usize = 36;
/// Number of frames of the steady film.
const STEADY: usize = 300;
const FPS: f64 = 30.0;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    // A process chooses its engine only once.
    if std::env::var_os(engine::CHOICE_VARIABLE).is_none() {
        let has = |name: &str| words.iter().any(|word| word == name);
        let both = !has("onnxruntime") && !has("embedded");
        for name in ["onnxruntime", "embedded"].into_iter().filter(|name| both || has(name)) {
            let program = std::env::current_exe().expect("the path of this program");
            let run = std::process::Command::new(program)
                .args(&words)
                .env(engine::CHOICE_VARIABLE, name)
                .status();
            assert!(run.is_ok_and(|status| status.success()), "the {name} engine failed");
        }
        return;
    }
    let finder = FinderChoice::ALL.into_iter().find(|f| words.iter().any(|word| word == f.name()));
    let finder = finder.unwrap_or_default();
    let name_of = |reader: ReaderChoice| match reader {
        // "classical" is also a finder's name.
        ReaderChoice::Classical => "measured",
        other => other.name(),
    };
    let reader = ReaderChoice::ALL.into_iter().find(|&r| words.iter().any(|w| w == name_of(r)));
    let reader = reader.unwrap_or_default();
    let plan = ReadingPlan { finder, reader, ..ReadingPlan::with_models(Models::Shipped) };
    let pipeline = plan.build().expect("the weights");
    let params = Params::of(&pipeline);
    let eyes: Eyed = (Arc::new(pipeline), params);
    let home = tempfile::tempdir().expect("a place for films");
    let quiet = drawn(1);
    let steady = home.path().join("steady.avi");
    let there_and_back = (0..STEADY).map(|i| {
        let at = i % (2 * QUIET - 2);
        &quiet[if at < QUIET { at } else { 2 * QUIET - 2 - at }]
    });
    write(&steady, there_and_back);
    let fresh = home.path().join("fresh.avi");
    write(&fresh, quiet.iter().take(30));

    let engine = engine::in_use().map_or("none", |engine| engine.name());
    println!(
        "\n=== engine {engine}, finder {}, reader {}, 1280x720, {} cores",
        finder.name(),
        name_of(reader),
        cores()
    );
    // An engine prepares itself at its first pictures, once per process.
    run(&fresh, &eyes);
    report("steady", &[run(&steady, &eyes)], 30);
    let runs: Vec<Run> = (0..6).map(|_| run(&fresh, &eyes)).collect();
    report("all cards new", &runs, 0);
    latency(&steady, &eyes);
}

/// Finder and reader, and the tracker's parameters.
type Eyed = (Arc<dyn Detector>, Params);

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The quiet beginning of a film.
fn drawn(seed: u64) -> Vec<image::RgbImage> {
    let mut scene = Scene::of(Kind::Plain);
    scene.size_px = (1280, 720);
    let film = Film::plan(FilmParams { scene, seconds: 2.0, fps: FPS, phone: false }, seed)
        .expect("a size in range");
    (0..QUIET).map(|i| film.draw(i).image).collect()
}

fn write<'a>(path: &Path, frames: impl Iterator<Item = &'a image::RgbImage>) {
    let file = std::fs::File::create(path).expect("a folder to write to");
    let mut avi = AviWriter::new(file, (1280, 720), FPS, 85).expect("a disk with room");
    for image in frames {
        avi.frame(image).expect("a disk with room");
    }
    avi.finish().expect("a disk with room");
}

/// The run of one film from its file.
struct Run {
    /// When each frame was done, in seconds.
    done: Vec<f64>,
    times: Vec<Vec<StageTime>>,
    cards: usize,
}

fn run(path: &Path, (eyes, params): &Eyed) -> Run {
    let mut video = Video::open(path).expect("a film that was just written");
    let mut watch = Watch::new(Arc::clone(eyes), params.clone(), FILM_PACE).expect("a thread");
    let (shots, decoded) = sync_channel::<(Shot, StageTime)>(4);
    let start = Instant::now();
    let decoder = std::thread::spawn(move || {
        loop {
            let (clock, cpu) = (Instant::now(), cpu_time::ThreadTime::now());
            let Ok(Some(shot)) = video.read() else { return };
            let load = StageTime {
                stage: "load",
                elapsed_ms: clock.elapsed().as_secs_f64() * 1e3,
                cpu_ms: cpu.elapsed().as_secs_f64() * 1e3,
            };
            if shots.send((shot, load)).is_err() {
                return;
            }
        }
    });
    let mut run = Run { done: Vec::new(), times: Vec::new(), cards: 0 };
    for (shot, load) in decoded {
        let mut watched = watch.frame(&shot.frame, shot.time_ms).expect("memory enough");
        watched.times.push(load);
        run.times.push(watched.times);
        run.cards = watched.tracked.table.cards.len();
        run.done.push(start.elapsed().as_secs_f64());
    }
    decoder.join().expect("the decoder ends");
    run
}

/// Prints frames per second from frame `from` on, and the mean time of each stage, per frame and
/// per run of the stage.
fn report(name: &str, runs: &[Run], from: usize) {
    let (mut frames, mut seconds) = (0, 0.0);
    let mut stages: BTreeMap<&str, (usize, f64, f64)> = BTreeMap::new();
    for run in runs {
        let first = if from == 0 { 0.0 } else { run.done[from - 1] };
        frames += run.done.len() - from;
        seconds += run.done.last().expect("frames") - first;
        for time in run.times[from..].iter().flatten() {
            let stage = stages.entry(time.stage).or_default();
            *stage = (stage.0 + 1, stage.1 + time.elapsed_ms, stage.2 + time.cpu_ms);
        }
    }
    let rate = frames as f64 / seconds;
    println!("\n{name}: {rate:.0} frames a second, {} cards at the end", runs[0].cards);
    println!(
        "  {:<10} {:>7} {:>12} {:>14} {:>12}",
        "stage", "times", "mean ms", "processor ms", "a frame"
    );
    let mut all = 0.0;
    for (stage, (times, elapsed, cpu)) in stages {
        all += cpu;
        let n = times as f64;
        let (mean, own, share) = (elapsed / n, cpu / n, cpu / frames as f64);
        println!("  {stage:<10} {times:>7} {mean:>12.2} {own:>14.2} {share:>12.2}");
    }
    let frame = all / frames as f64;
    println!(
        "  processor time per frame {frame:.2} ms: {:.0} frames a second on two idle cores at most",
        2e3 / frame
    );
}

/// Prints the time from a frame to its overlay, at the film's own pace.
fn latency(path: &Path, (eyes, params): &Eyed) {
    let film = FilmCamera { path: PathBuf::from(path), control: Arc::default() };
    let mut camera = film.open(&CameraChoice::First).expect("a film that was just written");
    let mut watch = Watch::new(Arc::clone(eyes), params.clone(), Pace::Ready).expect("a thread");
    let mut late = Vec::new();
    while let Ok(Some(shot)) = camera.read() {
        watch.frame(&shot.frame, shot.time_ms).expect("memory enough");
        late.push(shot.taken.elapsed().as_secs_f64() * 1e3);
    }
    late.sort_by(f64::total_cmp);
    let at = |part: f64| late[((late.len() - 1) as f64 * part) as usize];
    println!(
        "\nfrom frame to overlay: median {:.1} ms, 95th percentile {:.1} ms, longest {:.1} ms",
        at(0.5),
        at(0.95),
        at(1.0)
    );
}
