//! Decodes films and streams of all other kinds by the program `ffmpeg`, which runs as a separate
//! process.
//!
//! It writes each frame as a PPM picture into a pipe, rotated according to the film's metadata, and
//! information on each frame, including its time, to its stderr. So users who only read photos do
//! not need the hundreds of packages of its library, and a broken film cannot crash this program.
//!
//! The process ends with this program, however that ends. The newest frame of a camera is read all the
//! time, on a thread of its own, so that old frames do not pile up and a silent camera is noticed.

use super::jpeg::{MAX_FRAME_PIXELS, check_frame};
use crate::capture::{Latest, Taken};
use image::RgbImage;
use setsight_files::programs::in_background;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::{collections::VecDeque, path::Path, thread::JoinHandle, time::Duration};

/// How to install it.
pub(crate) use setsight_photo::source::INSTALL_FFMPEG as INSTALL;

/// Why there are no frames, or no more frames.
#[derive(Debug)]
pub(crate) enum FfmpegError {
    /// The program is not installed.
    Missing,
    /// The program cannot be run.
    Unstarted(io::Error),
    /// The program's error message.
    Message(String),
}

/// What `ffmpeg` reads.
#[cfg_attr(
    target_os = "linux",
    allow(dead_code, reason = "cameras have an interface of their own there")
)]
pub(crate) enum Input<'a> {
    /// A file on disk, from this time on, in milliseconds.
    File(&'a Path, f64),
    /// A stream of bytes.
    Bytes(Box<dyn Read + Send>),
    /// A network stream, and how long it may be silent.
    Address(&'a str, Duration),
    /// A camera, by ffmpeg's names for the system's interface and for the camera.
    Camera {
        /// The interface, such as `avfoundation`.
        interface: &'a str,
        /// The camera, such as `0`.
        device: &'a str,
    },
    /// A camera by its number, which the program of `crates/camera` reads and reports as ffmpeg does.
    Helper(&'a Path, u32),
}

/// A running decoder. Dropping it ends the process.
pub(crate) struct Ffmpeg {
    process: Process,
    frames: BufReader<ChildStdout>,
    times_ms: Receiver<f64>,
    length_ms: Arc<Mutex<Option<f64>>>,
    complaints: Arc<Mutex<VecDeque<String>>>,
    listener: Option<JoinHandle<()>>,
}

/// Number of error messages that are kept; the first is usually the most useful.
const COMPLAINTS: usize = 20;

/// The formats of films and streams that are read, by ffmpeg's names. Lists of other files and
/// addresses (concat, hls, dash, image2, sdp, ..) are none of them: a film opens nothing else.
const FORMATS: &str = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,gif,apng,webp_pipe,mpeg,mpegts,\
                       mpegvideo,mpegtsraw,m4v,h261,h263,h264,hevc,vvc,av1,obu,ivf,vc1,mjpeg,mjpeg_2000,\
                       mpjpeg,flv,live_flv,asf,ogg,mxf,nut,dv,rm,wtv,yuv4mpegpipe,swf,jpeg_pipe,png_pipe";

/// What ffmpeg may open for an address of this scheme: what the scheme itself is made of.
fn protocols_of(address: &str) -> &'static str {
    match address.split(':').next().unwrap_or_default() {
        "rtsp" => "rtp,tcp,udp",
        "rtsps" => "rtp,tcp,udp,tls",
        "rtmp" => "rtmp,tcp",
        "rtmps" => "rtmps,tls,tcp",
        "srt" => "srt",
        "http" => "http,tcp",
        "https" => "https,tls,tcp",
        _ => "udp",
    }
}

/// What writes the frames of an input to its stdout.
fn command(input: &Input) -> Command {
    if let Input::Helper(program, number) = input {
        let mut command = in_background(program);
        command.arg("read").arg(number.to_string());
        return command;
    }
    let mut command = bare_command();
    let source = arguments(input, &mut command);
    command.arg("-i").arg(source);
    command.args(["-map", "0:v:0", "-vf", "showinfo=checksum=0", "-fps_mode", "passthrough"]);
    command.args(["-pix_fmt", "rgb24", "-c:v", "ppm", "-f", "image2pipe", "pipe:1"]);
    command
}

/// The arguments up to the input, and its name.
fn arguments(input: &Input, command: &mut Command) -> OsString {
    command.args(["-hide_banner", "-nostats", "-nostdin", "-loglevel", "level+info"]);
    command.args(["-max_pixels", &MAX_FRAME_PIXELS.to_string()]);
    let formats = if matches!(input, Input::Address(address, _) if address.starts_with("rtsp")) {
        "rtsp"
    } else {
        FORMATS
    };
    if !matches!(input, Input::Camera { .. }) {
        command.args(["-format_whitelist", formats]);
    }
    match input {
        Input::File(path, from_ms) => {
            command.args(["-protocol_whitelist", "file"]);
            if *from_ms > 0.0 {
                command.args(["-ss", &format!("{:.3}", from_ms / 1e3)]);
            }
            prefixed("file:", path.as_os_str())
        }
        Input::Bytes(_) => {
            command.args(["-protocol_whitelist", "pipe"]);
            "pipe:0".into()
        }
        Input::Address(address, patience) => {
            let silence_us = patience.as_micros().to_string();
            command.args(["-protocol_whitelist", protocols_of(address)]);
            command.args(["-fflags", "nobuffer", "-flags", "low_delay"]);
            if address.starts_with("rtsp") {
                command.args(["-rtsp_transport", "tcp"]);
            }
            // RTMP's option of that name makes it wait for a caller.
            let option = if address.starts_with("rtmp") { "-rw_timeout" } else { "-timeout" };
            command.args([option, &silence_us]);
            if ["rtsps", "rtmps", "https"].iter().any(|scheme| address.starts_with(scheme)) {
                // Who is in between must not learn the password. ffmpeg knows no fingerprints.
                command.args(["-tls_verify", "1"]);
            }
            address.into()
        }
        Input::Camera { interface, device } => {
            command.args(["-f", interface, "-framerate", "30"]);
            device.into()
        }
        Input::Helper(..) => unreachable!("ffmpeg does not read it"),
    }
}

impl Ffmpeg {
    /// Begins to decode the first video stream.
    pub(crate) fn start(input: Input) -> Result<Self, FfmpegError> {
        let mut command = command(&input);
        let stdin = if matches!(input, Input::Bytes(_)) { Stdio::piped() } else { Stdio::null() };
        // Ctrl-C must not reach ffmpeg: it ends when its pipe closes. On Windows it has no console to hear it from.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let complaints = Arc::<Mutex<VecDeque<String>>>::default();
        let length_ms = Arc::<Mutex<Option<f64>>>::default();
        let (times, times_ms) = channel();
        let heard =
            Heard { times, length_ms: Arc::clone(&length_ms), complaints: Arc::clone(&complaints) };
        let (begun, start) = channel();
        // The process is started by the thread that listens to it, for that lives as long.
        let listener = std::thread::spawn(move || {
            let stderr = match spawn(command) {
                Ok((parts, stderr)) => {
                    let _ = begun.send(Ok(parts));
                    stderr
                }
                Err(error) => return drop(begun.send(Err(error))),
            };
            heard.listen(BufReader::new(stderr));
        });
        let (process, stdin, stdout) =
            start.recv().map_err(|_| FfmpegError::Unstarted(io::Error::other("no thread")))??;
        if let (Input::Bytes(mut bytes), Some(mut stdin)) = (input, stdin) {
            // The thread ends when either end closes; a reader that hangs is abandoned.
            std::thread::spawn(move || io::copy(&mut bytes, &mut stdin));
        }
        let (frames, listener) = (BufReader::new(stdout), Some(listener));
        Ok(Self { process, frames, times_ms, length_ms, complaints, listener })
    }

    /// The next frame, and its time in the film in milliseconds, if it has one; `None` at the end.
    pub(crate) fn next_frame(&mut self) -> Result<Option<(RgbImage, Option<f64>)>, FfmpegError> {
        match read_ppm(&mut self.frames) {
            // A frame's time is printed before the frame is written.
            Ok(Some(image)) => Ok(Some((image, self.times_ms.recv().ok()))),
            // It would go on writing.
            Err(error) if error.get_ref().is_some() => Err(FfmpegError::Message(error.to_string())),
            Ok(None) | Err(_) => self.end(),
        }
    }

    /// Length of the film in milliseconds, available from the first frame on, if at all.
    pub(crate) fn length_ms(&self) -> Option<f64> {
        *self.length_ms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&mut self) -> Result<Option<(RgbImage, Option<f64>)>, FfmpegError> {
        let status = self.process.wait();
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
        let complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        // A truncated film also causes many other messages.
        let cut = ["partial file", "prematurely", "moov atom not found"];
        let chief = complaints.iter().find(|words| cut.iter().any(|cut| words.contains(cut)));
        match chief.or(complaints.front()) {
            Some(words) => Err(FfmpegError::Message(words.clone())),
            None if status.is_ok_and(|status| status.success()) => Ok(None),
            None => Err(FfmpegError::Message("it ended before the film did".to_owned())),
        }
    }
}

impl Drop for Ffmpeg {
    fn drop(&mut self) {
        self.process.end();
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
    }
}

/// A process, its stdin if it was asked for, and its stdout.
type Parts = (Process, Option<ChildStdin>, ChildStdout);

fn spawn(mut command: Command) -> Result<(Parts, ChildStderr), FfmpegError> {
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => FfmpegError::Missing,
        _ => FfmpegError::Unstarted(error),
    })?;
    let stdin = child.stdin.take();
    let stdout = child.stdout.take().expect("it was asked for");
    let stderr = child.stderr.take().expect("it was asked for");
    Ok(((Process::adopt(child), stdin, stdout), stderr))
}

/// What is heard from stderr.
struct Heard {
    times: Sender<f64>,
    length_ms: Arc<Mutex<Option<f64>>>,
    complaints: Arc<Mutex<VecDeque<String>>>,
}

impl Heard {
    fn listen(self, stderr: impl BufRead) {
        for line in stderr.split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            if let Some(time_ms) = time_of(&line) {
                let _ = self.times.send(time_ms);
            } else if let Some(length_ms) = length_of(&line) {
                *self.length_ms.lock().unwrap_or_else(PoisonError::into_inner) = Some(length_ms);
            } else if let Some(words) = complaint(&line) {
                let mut kept = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() < COMPLAINTS {
                    kept.push_back(words.to_owned());
                }
            }
        }
    }
}

/// The text that `ffmpeg` prints to stderr with these arguments; empty if it cannot be run.
#[cfg_attr(target_os = "linux", allow(dead_code, reason = "lists the cameras of other systems"))]
pub(crate) fn stderr_of(arguments: &[&str]) -> String {
    let output = in_background(PROGRAM).args(arguments).stdin(Stdio::null()).output();
    output.map(|output| String::from_utf8_lossy(&output.stderr).into_owned()).unwrap_or_default()
}

fn prefixed(prefix: &str, name: &OsStr) -> OsString {
    let mut all = OsString::from(prefix);
    all.push(name);
    all
}

/// The time of a frame in milliseconds, if the line contains one.
fn time_of(line: &str) -> Option<f64> {
    let line = line.strip_prefix("[Parsed_showinfo")?;
    let (_, rest) = line.split_once(" pts_time:")?;
    // A frame without a time of its own has "NOPTS"; such frames are counted instead.
    let seconds: f64 = rest.split_whitespace().next()?.parse().unwrap_or(f64::NAN);
    Some(1e3 * seconds)
}

/// The film's length in milliseconds, if the line contains it: `Duration: 00:01:05.56, start: ..`.
fn length_of(line: &str) -> Option<f64> {
    // At its beginning: a film's title may contain the same words.
    let rest = line.strip_prefix("[info]   Duration: ")?;
    let mut parts = rest.split([':', ',']);
    let mut next = || parts.next()?.trim().parse::<f64>().ok();
    Some(1e3 * (3600.0 * next()? + 60.0 * next()? + next()?))
}

/// An error message without its prefix: the component's name and the name of the film.
fn complaint(line: &str) -> Option<&str> {
    // The level stands first, or right behind `[component @ 0x..] `: a film's title may contain it.
    let text =
        line.split_once("] ").filter(|(head, _)| head.starts_with('[') && head.contains(" @ 0x"));
    let text = text.map_or(line, |(_, text)| text);
    let words = ["[error] ", "[fatal] "].iter().find_map(|level| text.strip_prefix(level))?.trim();
    if words.contains("matches no streams") {
        return Some("it holds no pictures");
    }
    let of_film = words.starts_with("file:") || words.starts_with("pipe:");
    Some(words.rsplit_once(": ").filter(|_| of_film).map_or(words, |(_, words)| words))
}

/// Reads a PPM picture (binary, 8 bits); `None` at the end.
fn read_ppm(input: &mut impl BufRead) -> io::Result<Option<RgbImage>> {
    let bad = || io::Error::from(io::ErrorKind::InvalidData);
    if input.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let (magic, size, most) = (ppm_field(input)?, ppm_field(input)?, ppm_field(input)?);
    let (width, height) = size.split_once(' ').ok_or_else(bad)?;
    let (Ok(width @ 1..), Ok(height @ 1..), "P6", "255") =
        (width.parse::<u32>(), height.parse::<u32>(), &*magic, &*most)
    else {
        return Err(bad());
    };
    check_frame(width, height)
        .map_err(|reason| io::Error::new(io::ErrorKind::InvalidData, reason))?;
    let mut image = RgbImage::new(width, height);
    input.read_exact(&mut image)?;
    Ok(Some(image))
}

fn ppm_field(input: &mut impl BufRead) -> io::Result<String> {
    let mut bytes = Vec::new();
    input.by_ref().take(16).read_until(b'\n', &mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// The program's name, searched for on the PATH.
const PROGRAM: &str = "ffmpeg";

/// A running `ffmpeg`. It ends with the last of its clones.
#[derive(Clone)]
struct Process(Arc<Running>);

struct Running(Mutex<Child>);

/// All that run, for the program's end.
static ALL: Mutex<Vec<Weak<Running>>> = Mutex::new(Vec::new());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The command, without arguments. On Linux the kernel ends the process when the thread that
/// started it is gone, even where the program was killed; `setpriv` asks it to.
fn bare_command() -> Command {
    #[cfg(target_os = "linux")]
    if is_on_path(PROGRAM) && is_on_path("setpriv") {
        let mut command = in_background("setpriv");
        command.args(["--pdeathsig", "KILL", PROGRAM]);
        return command;
    }
    in_background(PROGRAM)
}

#[cfg(target_os = "linux")]
fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

impl Process {
    /// Takes over a process that was just started.
    fn adopt(child: Child) -> Self {
        let process = Self(Arc::new(Running(Mutex::new(child))));
        let mut all = locked(&ALL);
        all.retain(|running| running.strong_count() > 0);
        all.push(Arc::downgrade(&process.0));
        process
    }

    fn end(&self) {
        self.0.end();
    }

    /// Waits until it has ended.
    fn wait(&self) -> io::Result<ExitStatus> {
        loop {
            // Not locked while it runs, so that it can be ended.
            if let Some(status) = locked(&self.0.0).try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Running {
    fn end(&self) {
        let mut child = locked(&self.0);
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// Ends every `ffmpeg` that this program runs. For the end of the program, which does not wait for
/// threads that still read.
pub fn end_all() {
    let all: Vec<Arc<Running>> = locked(&ALL).iter().filter_map(Weak::upgrade).collect();
    all.iter().for_each(|running| running.end());
}

/// A camera's frames. Dropping it ends the process.
pub(crate) struct NewestFrame {
    slot: Arc<Slot>,
    process: Process,
}

/// `None`: the stream has ended.
type Slot = Latest<Result<Option<RgbImage>, FfmpegError>>;

impl NewestFrame {
    /// Begins to read.
    pub(crate) fn start(input: Input) -> Result<Self, FfmpegError> {
        let mut ffmpeg = Ffmpeg::start(input)?;
        let process = ffmpeg.process.clone();
        let slot = Arc::<Slot>::default();
        let out = Arc::clone(&slot);
        std::thread::spawn(move || {
            loop {
                let next = ffmpeg.next_frame().map(|next| next.map(|(image, _)| image));
                let is_last = !matches!(next, Ok(Some(_)));
                // A picture that still waits is taken first.
                while is_last && !out.is_empty() && out.pause(Duration::from_millis(5)) {}
                if !out.put(next) || is_last {
                    return;
                }
            }
        });
        Ok(Self { slot, process })
    }

    /// The newest frame, or why none will come, as [`Ffmpeg::next_frame`]; `None` if the camera is
    /// silent for longer than the patience.
    pub(crate) fn next_frame(
        &self,
        patience: Duration,
    ) -> Option<Result<Option<RgbImage>, FfmpegError>> {
        match self.slot.take(patience) {
            Taken::Item(next) => Some(next),
            Taken::Nothing | Taken::Closed => None,
        }
    }
}

impl Drop for NewestFrame {
    fn drop(&mut self) {
        self.slot.close();
        self.process.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_complaints_are_distinguished() {
        let line = "[Parsed_showinfo_0 @ 0x55] [info] n:   1 pts:   2048 pts_time:0.111111 pos: 3";
        assert!((time_of(line).unwrap() - 111.111).abs() < 1e-6);
        let line = "[Parsed_showinfo_0 @ 0x55] [info] n:   1 pts: NOPTS pts_time:NOPTS  pos: 3";
        assert!(time_of(line).unwrap().is_nan());
        let line = "[info]   Duration: 01:02:05.56, start: 0.0, bitrate: 1 kb/s";
        assert_eq!(time_of(line), None);
        assert_eq!(length_of(line), Some(3_725_560.0));
        assert_eq!(length_of("[info]   Duration: N/A, start: 0.0"), None);
        assert_eq!(
            complaint("[mov @ 0x5] [error] moov atom not found"),
            Some("moov atom not found")
        );
        let title = "[info]     title           : [error] [mov @ 0x5] [error] moov";
        assert_eq!(complaint(title), None, "a film's own words");
        assert_eq!(length_of("[info]     title  : [info]   Duration: 00:00:09.00, start"), None);
        let line = "[error] file:/a: b.avi: Invalid data found when processing input";
        assert_eq!(complaint(line), Some("Invalid data found when processing input"));
        assert_eq!(complaint("[mov @ 0x5] [warning] Packet corrupt"), None);
    }

    #[test]
    fn pictures_follow_each_other() {
        let pixels: Vec<u8> = (0..16 * 17 * 3).map(|i| i as u8).collect();
        let (wide, high) = (&b"P6\n17 16\n255\n"[..], &b"P6\n16 17\n255\n"[..]);
        let bytes = [wide, &pixels, high, &pixels, high, b"x"].concat();
        let mut input = &bytes[..];
        assert_eq!(read_ppm(&mut input).unwrap().unwrap().as_raw(), &pixels);
        assert_eq!(read_ppm(&mut input).unwrap().unwrap().dimensions(), (16, 17));
        assert!(read_ppm(&mut input).is_err(), "cut off");
        assert!(read_ppm(&mut &b""[..]).unwrap().is_none());
        assert!(read_ppm(&mut &b"P6\n9999999 9999999\n255\n"[..]).is_err());
    }
}
