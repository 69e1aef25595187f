//! The programs that tests start: each hears the usual signals, is waited for with a limit, and ends with its test.

pub use rustix::process::Signal;

use rustix::process::{Pid, kill_process, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::io::{ErrorKind, Read, Write};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};
use std::{mem::take, os::unix::process::CommandExt, thread};

/// How long a test waits for one thing, such as a line or an end that it asks for.
pub const LIMIT: Duration = Duration::from_secs(60);
/// The same for a whole run. A short training takes 50 s beside other work on a busy machine.
const WHOLE_RUN: Duration = Duration::from_secs(300);
/// Time between two polls.
const PAUSE: Duration = Duration::from_millis(2);

/// Starts a command as tests do, in place of the standard library's `spawn`, `output` and `status`.
pub trait Start {
    /// Starts it. What is piped of stdout and stderr is gathered from then on.
    fn started(&mut self) -> Running;

    /// Runs it to its end, with nothing on its stdin.
    fn ended(&mut self) -> Output;

    /// Runs it to its end, with this on its stdin.
    fn fed(&mut self, stdin: &[u8]) -> Output;
}

impl Start for Command {
    #[track_caller]
    fn started(&mut self) -> Running {
        listen();
        // A group of its own, so that what it starts can be ended with it.
        let child = self.process_group(0).spawn().unwrap_or_else(|error| {
            let program = self.get_program().display();
            panic!("{program} does not start: {error}; tools/setup.sh installs what tests need")
        });
        Running::new(format!("{self:?}"), child)
    }

    #[track_caller]
    fn ended(&mut self) -> Output {
        let command = self.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.started().within(WHOLE_RUN).end()
    }

    #[track_caller]
    fn fed(&mut self, stdin: &[u8]) -> Output {
        let command = self.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = command.started();
        let (mut pipe, stdin) = (running.child.stdin.take().expect("it is piped"), stdin.to_vec());
        // Beside the test. A call that is refused may end before it has read its input.
        thread::spawn(move || pipe.write_all(&stdin));
        running.within(WHOLE_RUN).end()
    }
}

/// A program that a test has started. Dropped, it is killed with all that it has started.
pub struct Running {
    command: String,
    child: Child,
    /// Stdout and stderr.
    streams: [Stream; 2],
    limit: Duration,
}

impl Running {
    fn new(command: String, mut child: Child) -> Self {
        groups().push(Pid::from_child(&child));
        let streams = [Stream::new(child.stdout.take()), Stream::new(child.stderr.take())];
        Self { command, child, streams, limit: LIMIT }
    }

    /// The same with another limit for each wait.
    pub fn within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Its process's number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal.
    #[track_caller]
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("it runs");
    }

    fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a child of this process").is_some()
    }

    /// Waits until something has come that it is at; it must not end before.
    #[track_caller]
    pub fn until(&mut self, mut has_come: impl FnMut() -> bool) {
        let last = Instant::now() + self.limit;
        while !has_come() {
            if self.has_ended() {
                self.fail("ended by itself");
            }
            self.pause(last);
        }
    }

    /// The next line on its stdout.
    #[track_caller]
    pub fn line(&mut self) -> String {
        self.line_of(0)
    }

    /// The next line on its stderr.
    #[track_caller]
    pub fn line_of_stderr(&mut self) -> String {
        self.line_of(1)
    }

    #[track_caller]
    fn line_of(&mut self, stream: usize) -> String {
        let last = Instant::now() + self.limit;
        loop {
            if let Some(line) = self.streams[stream].line() {
                return line;
            }
            match self.streams[stream].hear(last) {
                Ok(()) => {}
                Err(RecvTimeoutError::Disconnected) => self.fail("has no further line"),
                Err(RecvTimeoutError::Timeout) => self.fail_late(),
            }
        }
    }

    /// Kills it, and nothing that it has started; what it said until then.
    #[track_caller]
    pub fn kill(mut self) -> Output {
        self.child.kill().expect("it can be killed");
        self.end()
    }

    /// Waits for its end; all that it said.
    #[track_caller]
    pub fn end(self) -> Output {
        self.end_watched(|| ())
    }

    /// The same, and looks at it again and again meanwhile.
    #[track_caller]
    pub fn end_watched(mut self, mut look: impl FnMut()) -> Output {
        let last = Instant::now() + self.limit;
        while !self.has_ended() {
            look();
            self.pause(last);
        }
        for stream in 0..self.streams.len() {
            loop {
                match self.streams[stream].hear(last) {
                    Ok(()) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => self.fail_late(),
                }
            }
        }
        let status = self.child.wait().expect("it has ended");
        let [stdout, stderr] = self.streams.each_mut().map(|stream| take(&mut stream.bytes));
        Output { status, stdout, stderr }
    }

    /// Waits a little before another look; the test fails once the last moment is over.
    #[track_caller]
    fn pause(&mut self, last: Instant) {
        if Instant::now() > last {
            self.fail_late();
        }
        thread::sleep(PAUSE);
    }

    #[track_caller]
    fn fail_late(&mut self) -> ! {
        self.fail(&format!("lets the test wait for more than {:?}", self.limit))
    }

    /// Ends the test, and all that was started for it.
    #[track_caller]
    fn fail(&mut self, what: &str) -> ! {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let [stdout, stderr] = self.streams.each_mut().map(Stream::so_far);
        panic!("{} {what}\nstdout:\n{stdout}\nstderr:\n{stderr}", self.command);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let group = Pid::from_child(&self.child);
        if !self.has_ended() {
            let _ = kill_process_group(group, Signal::KILL);
            let _ = self.child.wait();
        }
        groups().retain(|other| *other != group);
    }
}

/// A child's stdout or stderr, read on a separate thread: a full pipe would stop the child.
struct Stream {
    pieces: Receiver<Vec<u8>>,
    bytes: Vec<u8>,
    /// Number of bytes of the lines that were returned.
    read_to: usize,
}

impl Stream {
    fn new(pipe: Option<impl Read + Send + 'static>) -> Self {
        let (sender, pieces) = channel();
        if let Some(mut pipe) = pipe {
            let mut piece = [0; 8192];
            thread::spawn(move || {
                loop {
                    match pipe.read(&mut piece) {
                        Ok(count @ 1..) if sender.send(piece[..count].to_vec()).is_ok() => {}
                        Err(error) if error.kind() == ErrorKind::Interrupted => {}
                        _ => break,
                    }
                }
            });
        }
        Self { pieces, bytes: Vec::new(), read_to: 0 }
    }

    /// Waits for more, until the last moment.
    fn hear(&mut self, last: Instant) -> Result<(), RecvTimeoutError> {
        let left = last.saturating_duration_since(Instant::now());
        self.bytes.extend(self.pieces.recv_timeout(left)?);
        Ok(())
    }

    /// The next line of the output, without its end.
    fn line(&mut self) -> Option<String> {
        let rest = &self.bytes[self.read_to..];
        let end = rest.iter().position(|&byte| byte == b'\n')?;
        let line = String::from_utf8_lossy(&rest[..end]).into_owned();
        self.read_to += end + 1;
        Some(line)
    }

    fn so_far(&mut self) -> String {
        self.bytes.extend(self.pieces.try_iter().flatten());
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// What a wait gives that may be one without end; the test fails after [`LIMIT`].
#[track_caller]
pub fn in_time<T: Send + 'static>(wait: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(wait()));
    receiver.recv_timeout(LIMIT).expect("it fails, as told above, or takes too long")
}

/// The groups of all children that run.
fn groups() -> MutexGuard<'static, Vec<Pid>> {
    static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Listens for the signals that end programs, for two reasons. What this process ignores, as in a shell's
/// background job or under `nohup`, its children would ignore as well; what it listens for is theirs to hear. And
/// a terminal's Ctrl-C does not reach the groups of the children, which are ended here. A signal that this process
/// has ignored still does nothing to it.
fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let signals = [SIGHUP, SIGINT, SIGTERM];
        let ignored: Vec<i32> = signals.into_iter().filter(|&signal| is_ignored(signal)).collect();
        let mut heard = signal_hook::iterator::Signals::new(signals).expect("they can be had");
        thread::spawn(move || {
            for signal in heard.forever().filter(|signal| !ignored.contains(signal)) {
                for group in &*groups() {
                    let _ = kill_process_group(*group, Signal::KILL);
                }
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
    });
}

/// Whether this process ignores a signal. The system does not tell everywhere, but a shell inherits it.
fn is_ignored(signal: i32) -> bool {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("kill -{signal} $$; exit 0")]);
    shell.status().expect("there is a shell").success()
}
