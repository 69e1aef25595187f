//! How a run is stopped: Ctrl-C, SIGTERM and SIGHUP, the same in every command.
//!
//! The first of them ends a command that can end between two photos, games or steps after what is in hand, closes
//! the window, and ends any other at once; the second ends all of them at once. At once means: what is in the making goes away, and
//! nothing more is said.

use setsight_files::{say, whole_file};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{sync::mpsc, thread, time::Duration};

/// As shells have it for a program that Ctrl-C ends.
const STOPPED_AT_ONCE: i32 = 130;

/// Set by the first signal.
static STOP: AtomicBool = AtomicBool::new(false);
/// Whether the command looks at it.
static IS_ASKED: AtomicBool = AtomicBool::new(false);

/// Listens for the signals, from the start of the program on. Where the system refuses, its own way stays: an
/// end at once.
#[cfg(unix)]
pub fn listen() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let ignored = ignored();
    // What the caller has ignored, as nohup does, stays ignored.
    let wanted =
        [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted) else { return };
    let listener = std::thread::Builder::new().name("signals".to_owned());
    let _ = listener.spawn(move || signals.forever().for_each(|_| stop()));
}

/// The signals that the program was started without, a bit for each, the first for number 1.
#[cfg(unix)]
fn ignored() -> u64 {
    // Where that cannot be known, a closed terminal ends the program in the system's way.
    const HANG_UP: u64 = 1;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(HANG_UP)
}

/// The same of Ctrl-C, and of a console that is closed, in place of signals.
#[cfg(windows)]
pub fn listen() {
    super::console::listen(stop);
}

/// Elsewhere the system's own way stays.
#[cfg(not(any(unix, windows)))]
pub fn listen() {}

fn stop() {
    if STOP.swap(true, Ordering::Relaxed) || !IS_ASKED.load(Ordering::Relaxed) {
        at_once();
    }
    // Below the ^C of a terminal.
    say!("");
    say!("stopping after the current item (Ctrl-C again to stop at once)");
}

/// What says that the run is to end: for a command that looks at it between its steps.
pub fn asked() -> &'static AtomicBool {
    IS_ASKED.store(true, Ordering::Relaxed);
    &STOP
}

/// Ends the program from another thread than its work. What the work would still print is no longer true.
fn at_once() -> ! {
    let (held, quiet) = mpsc::channel();
    thread::spawn(move || {
        let _locks = (std::io::stderr().lock(), std::io::stdout().lock());
        let _ = held.send(());
        loop {
            thread::park();
        }
    });
    // Who holds one of them himself, and writes to a pipe that nobody reads, is not waited for.
    let _ = quiet.recv_timeout(Duration::from_millis(100));
    whole_file::forget_all();
    setsight_live::end_children();
    // Not the usual exit, which tears down libraries while other threads are still within them.
    #[cfg(unix)]
    signal_hook::low_level::exit(STOPPED_AT_ONCE);
    #[cfg(not(unix))]
    std::process::exit(STOPPED_AT_ONCE)
}
