//! Two quiet sounds of a dealt game. A program of the system plays them, as most systems have one: a
//! library would need the system's headers wherever this is built.

use setsight_files::programs::in_background;
use std::io::{self, Write};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{f64::consts::TAU, path::Path, sync::Arc, thread};

/// Programs that play a file, and what they are told before its name; the first that does plays.
const PLAYERS: &[(&str, &[&str])] = &[
    ("pw-play", &["--volume=0.6"]),
    ("paplay", &["--volume=40000"]),
    ("aplay", &["-q"]),
    ("afplay", &["-v", "0.6"]),
];
/// Samples a second.
const RATE: u32 = 44_100;
/// How loud a sound is at most, as a part of the loudest.
const LOUDNESS: f64 = 0.15;
/// A player that takes longer waits for something that does not come.
const PATIENCE: Duration = Duration::from_secs(3);

/// What a sound tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cue {
    /// A set was taken.
    Taken,
    /// Somebody was wrong, or too late.
    Wrong,
}

impl Cue {
    /// Its tones, one after the other: Hz, and seconds.
    const fn tones(self) -> &'static [(f64, f64)] {
        match self {
            Self::Taken => &[(659.3, 0.09), (987.8, 0.16)],
            Self::Wrong => &[(196.0, 0.2)],
        }
    }

    /// Its samples, from -1 to 1. Each tone swells and fades, so that nothing clicks.
    fn samples(self) -> Vec<f64> {
        let tone = |&(pitch, seconds): &(f64, f64)| {
            let count = (seconds * f64::from(RATE)) as u32;
            (0..count).map(move |i| {
                let swell = (0.5 * TAU * f64::from(i) / f64::from(count)).sin();
                LOUDNESS * swell * (TAU * pitch * f64::from(i) / f64::from(RATE)).sin()
            })
        };
        self.tones().iter().flat_map(tone).collect()
    }

    /// It as a file: WAV, one channel of 16 bits.
    fn wav(self) -> Vec<u8> {
        let samples = self.samples();
        let length = 2 * samples.len() as u32;
        let mut wav = Vec::with_capacity(44 + length as usize);
        wav.extend(b"RIFF");
        wav.extend((36 + length).to_le_bytes());
        wav.extend(b"WAVEfmt ");
        wav.extend(16_u32.to_le_bytes());
        // Plain numbers, and one channel.
        wav.extend([1_u16, 1].into_iter().flat_map(u16::to_le_bytes));
        wav.extend([RATE, 2 * RATE].into_iter().flat_map(u32::to_le_bytes));
        // Bytes and bits of a sample.
        wav.extend([2_u16, 16].into_iter().flat_map(u16::to_le_bytes));
        wav.extend(b"data");
        wav.extend(length.to_le_bytes());
        let numbers = samples.iter().map(|sample| (f64::from(i16::MAX) * sample) as i16);
        wav.extend(numbers.flat_map(i16::to_le_bytes));
        wav
    }
}

/// Plays sounds, one at a time; silent where the system has nothing to play them.
#[derive(Default)]
pub(crate) struct Sounds {
    playing: Arc<AtomicBool>,
}

impl Sounds {
    /// Begins to play a sound, unless another one is heard.
    pub(crate) fn play(&self, cue: Cue) {
        if self.playing.swap(true, Ordering::AcqRel) {
            return;
        }
        let playing = Arc::clone(&self.playing);
        thread::spawn(move || {
            // Without a sound the game goes on as well.
            let _ = play(PLAYERS, &cue.wav());
            playing.store(false, Ordering::Release);
        });
    }
}

/// Has the first of the players that can play a file. Whether one could.
fn play(players: &[(&str, &[&str])], wav: &[u8]) -> io::Result<bool> {
    let mut file = tempfile::Builder::new().prefix("setsight-").suffix(".wav").tempfile()?;
    file.write_all(wav)?;
    Ok(players.iter().any(|(program, told)| plays(program, told, file.path())))
}

fn plays(program: &str, told: &[&str], path: &Path) -> bool {
    let mut command = in_background(program);
    command.args(told).arg(path);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok_and(ends_well)
}

fn ends_well(mut player: Child) -> bool {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match player.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => thread::sleep(Duration::from_millis(20)),
            Err(_) => break,
        }
    }
    let _ = player.kill();
    let _ = player.wait();
    // Another one would wait as long.
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sound_is_a_short_quiet_file_that_players_understand() {
        for cue in [Cue::Taken, Cue::Wrong] {
            let wav = cue.wav();
            let number = |at: usize| u32::from_le_bytes(wav[at..at + 4].try_into().unwrap());
            let short = |at: usize| u16::from_le_bytes(wav[at..at + 2].try_into().unwrap());
            assert_eq!(
                (&wav[..4], &wav[8..16], &wav[36..40]),
                (&b"RIFF"[..], &b"WAVEfmt "[..], &b"data"[..])
            );
            assert_eq!((number(4), number(40)), (wav.len() as u32 - 8, wav.len() as u32 - 44));
            assert_eq!((number(16), short(20), short(22)), (16, 1, 1));
            assert_eq!((number(24), number(28), short(32), short(34)), (RATE, 2 * RATE, 2, 16));
            let samples: Vec<i16> =
                wav[44..].chunks(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect();
            let loudest = samples.iter().map(|sample| sample.unsigned_abs()).max().unwrap();
            assert!((3_000..6_000).contains(&loudest), "{cue:?}: {loudest}");
            let seconds = samples.len() as f64 / f64::from(RATE);
            assert!((0.1..0.4).contains(&seconds), "{cue:?}: {seconds} s");
            // No jump is heard as a click, not even at the ends.
            let ends = [0, *samples.last().unwrap()];
            let jumps = samples.windows(2).map(|pair| (pair[1] - pair[0]).unsigned_abs());
            assert!(
                jumps.max().unwrap() < 1_000 && ends.iter().all(|end| end.abs() < 20),
                "{cue:?}"
            );
        }
        assert_ne!(Cue::Taken.wav(), Cue::Wrong.wav());
    }

    #[test]
    fn without_a_player_nothing_happens() {
        assert!(!play(&[("setsight-has-no-such-player", &[])], &Cue::Taken.wav()).unwrap());
        assert!(!play(&[], &Cue::Wrong.wav()).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn the_first_player_that_can_is_given_the_sound() {
        let dir = tempfile::tempdir().unwrap();
        let heard = dir.path().join("heard");
        let script = format!("cp \"$0\" '{}'", heard.display());
        let given: [&str; 2] = ["-c", &script];
        let none: &[&str] = &[];
        let players = [("setsight-has-no-such-player", none), ("false", none), ("sh", &given[..])];
        let wav = Cue::Taken.wav();
        assert!(play(&players, &wav).unwrap());
        assert_eq!(std::fs::read(heard).unwrap(), wav);
    }
}
