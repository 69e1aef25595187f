//! Programs, not threads, that correct the photos of one folder: at once, and killed in the middle of it.
//!
//! `SETSIGHT_SECONDS=60` has two of them correct for a minute, `SETSIGHT_KILLS=50` kills one so often.

use crate::{
    photos::{
        correct::Change,
        corrections::{Corrections, Undo},
        library::Found,
    },
    shared::table::tests::table_of,
};
use image::metadata::Orientation;
use setsight_photo::labels::{LabelFile, PHOTO_LABELS};
use setsight_testkit::child::{LIMIT, Running, Start};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime};
use std::{collections::HashMap, io::Write, path::Path};

/// The variable that gives a program of this test which folder it is to correct, which of two it is, and how long.
const TASK: &str = "SETSIGHT_TEST_CORRECTS";
/// The card that each of the two corrects in every photo, and what it makes of it.
const MINE: [(usize, &str); 2] = [(0, "1ogd"), (2, "3ogs")];

fn asked(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().expect("a number"))
}

#[test]
#[ignore = "it is the program that the others start"]
fn a_program_that_corrects() {
    let Ok(task) = std::env::var(TASK) else { return };
    let [number, first, ms, folder] = task.splitn(4, ' ').collect::<Vec<_>>()[..] else { panic!() };
    let (place, code) = MINE[number.parse::<usize>().unwrap()];
    let until = Instant::now() + Duration::from_millis(ms.parse().unwrap());
    let size = (480, 360);
    let table = table_of("1fgd 2fgd 3srs 1ord");
    let orientation = Orientation::NoTransforms;
    let found = Found { table, times: Vec::new(), size_px: size, stored_px: size, orientation };
    let mut corrections = Corrections::default();
    let mut photo = first.parse::<u64>().unwrap();
    while Instant::now() < until {
        let path = Path::new(folder).join(format!("{photo}.jpg"));
        let change = Change::Be(place, code.parse().unwrap());
        corrections.apply(&path, &found, change, Undo::NewStep).unwrap();
        // The correction is on the disk from here on.
        writeln!(std::io::stdout(), "said of {photo}.jpg").unwrap();
        photo += 1;
    }
}

fn start(number: usize, first: u64, time: Duration, folder: &Path) -> Running {
    let (_, module) = module_path!().split_once("::").expect("below the crate");
    let name = &format!("{module}::a_program_that_corrects");
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--ignored", "--nocapture"])
        .env(TASK, format!("{number} {first} {} {}", time.as_millis(), folder.display()))
        .stdout(Stdio::piped())
        .started()
        .within(time + LIMIT)
}

/// The photos that it corrected.
fn corrected(output: Output) -> Vec<String> {
    let lines = String::from_utf8(output.stdout).unwrap();
    let files = lines.lines().filter_map(|line| line.split_once("said of "));
    files.map(|(_, file)| file.to_owned()).collect()
}

/// What is on the disk: each photo's codes.
fn written(folder: &Path) -> HashMap<String, Vec<String>> {
    let photos = LabelFile::read(folder).unwrap().photos().unwrap();
    photos
        .into_iter()
        .map(|photo| (photo.file, photo.cards.iter().map(|card| card.code.to_string()).collect()))
        .collect()
}

#[test]
fn what_two_programs_say_at_once_is_all_kept() {
    let dir = tempfile::tempdir().unwrap();
    let time = Duration::from_secs(asked("SETSIGHT_SECONDS", 1));
    let both = [0, 1].map(|number| start(number, 0, time, dir.path()));
    let all = both.map(|child| {
        let output = child.end();
        assert!(output.status.success());
        corrected(output)
    });
    let disk = written(dir.path());
    for (files, (_, code)) in all.iter().zip(MINE) {
        assert!(files.len() > 3, "{}", files.len());
        let lost = files.iter().find(|file| !disk[*file].iter().any(|c| c == code));
        assert_eq!(lost, None, "{code}");
    }
    println!("{} and {} corrections of {} photos", all[0].len(), all[1].len(), disk.len());
}

#[test]
fn corrections_made_before_a_kill_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let kills = asked("SETSIGHT_KILLS", 5);
    let mut all = Vec::new();
    for kill in 0..kills {
        let first = kill * 100_000;
        let child = start(0, first, Duration::from_secs(60), dir.path());
        std::thread::sleep(Duration::from_millis(60 + kill * 37 % 250));
        all.extend(corrected(child.kill()));
    }
    let disk = written(dir.path());
    let lost = all.iter().find(|file| !disk[*file].iter().any(|code| code == MINE[0].1));
    assert_eq!(lost, None);
    let in_the_making = || {
        let files = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| !path.ends_with(PHOTO_LABELS)).collect::<Vec<_>>()
    };
    let left = in_the_making();
    println!("{} corrections, {kills} kills, {} temporary files", all.len(), left.len());
    // Half of them was in the making; a minute later the next program sweeps it.
    for path in &left {
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(120)).unwrap();
    }
    let next = start(1, 0, Duration::from_millis(200), dir.path());
    assert!(next.end().status.success());
    assert_eq!(in_the_making(), Vec::<std::path::PathBuf>::new());
}
