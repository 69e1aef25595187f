//! The terminal that the command runs in: tells what phones do, without waiting for whoever reads it, and hears
//! Enter.

use setsight_files::{print_result, say};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::{io::Write, thread, time::Duration};

/// Most lines that wait.
const MOST: usize = 100;
/// How long the last ones are waited for.
const FAREWELL: Duration = Duration::from_secs(1);

/// Lines to stderr or, as a result, to stdout.
enum Line {
    Message(String),
    /// To stderr as it is: the program's own drawing, with its colours.
    Drawn(String),
    Result(String),
}

/// Lines on their way to the terminal. Where nobody reads them, as behind Ctrl-S or in a full pipe, those beyond
/// [`MOST`] are lost and counted.
pub struct Teller {
    lines: Option<SyncSender<Line>>,
    lost: Arc<AtomicU32>,
    ended: Arc<(Mutex<bool>, Condvar)>,
}

impl Teller {
    /// Begins to tell.
    pub fn start() -> std::io::Result<Self> {
        let (lines, told) = sync_channel(MOST);
        let lost: Arc<AtomicU32> = Arc::default();
        let ended: Arc<(Mutex<bool>, Condvar)> = Arc::default();
        let (not_told, end) = (Arc::clone(&lost), Arc::clone(&ended));
        thread::Builder::new().name("tell".into()).spawn(move || {
            for line in told {
                match line {
                    Line::Message(text) => say!("{text}"),
                    Line::Drawn(text) => drop(writeln!(std::io::stderr().lock(), "{text}")),
                    // Whoever read our output has seen enough; the phone has not.
                    Line::Result(text) => drop(print_result!("{text}")),
                }
                let lost = not_told.swap(0, Ordering::Relaxed);
                if lost > 0 {
                    say!("{lost} messages are lost, as nobody read them");
                }
            }
            *end.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
            end.1.notify_all();
        })?;
        Ok(Self { lines: Some(lines), lost, ended })
    }

    /// Tells a message.
    pub fn say(&self, text: String) {
        self.tell(Line::Message(text));
    }

    /// Shows a drawing. No text of others may be in it.
    pub fn draw(&self, text: String) {
        self.tell(Line::Drawn(text));
    }

    /// Tells a result.
    pub fn result(&self, text: String) {
        self.tell(Line::Result(text));
    }

    fn tell(&self, line: Line) {
        if let Some(Err(TrySendError::Full(_))) = self.lines.as_ref().map(|to| to.try_send(line)) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Teller {
    fn drop(&mut self) {
        self.lines = None;
        let (ended, told) = &*self.ended;
        let ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = told.wait_timeout_while(ended, FAREWELL, |ended| !*ended);
    }
}

/// Whether Enter can be heard: not where stdin is no terminal.
pub fn enter_is_heard() -> bool {
    use std::io::IsTerminal;
    cfg!(unix) && std::io::stdin().is_terminal()
}

/// Whether it was pressed. Waits for nothing, and reads nothing in the background, where the system
/// would stop the program for it (SIGTTIN).
#[cfg(unix)]
pub fn enter_was_pressed() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::{process::getpgrp, termios::tcgetpgrp};
    let stdin = rustix::stdio::stdin();
    // Of what is no terminal there is no such group.
    let is_in_front = || tcgetpgrp(stdin).is_ok_and(|group| group == getpgrp());
    if !is_in_front() {
        return false;
    }
    let mut wanted = [PollFd::new(&stdin, PollFlags::IN)];
    let is_typed = poll(&mut wanted, Some(&Timespec::default())).is_ok()
        && wanted[0].revents().contains(PollFlags::IN);
    // It may have been sent to the background meanwhile.
    if !(is_typed && is_in_front()) {
        return false;
    }
    let mut bytes = [0; 256];
    rustix::io::read(stdin, &mut bytes).is_ok_and(|count| bytes[..count].contains(&b'\n'))
}

/// Elsewhere nobody listens.
#[cfg(not(unix))]
pub fn enter_was_pressed() -> bool {
    false
}
