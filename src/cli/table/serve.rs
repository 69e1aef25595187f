//! `setsight serve`: a page on which a phone is the camera; its photos on disk, with their results; and the terminal
//! that the command runs in: prints what phones do, without waiting for the terminal, and hears Enter.

use super::{
    live::summary,
    photos::{ReadingArgs, without_rare},
};
use crate::cli::common::{BadCall, Outcome, error_message};
use crate::cli::table::scan::folder::{Counts, OutFolder, write_pictures};
use crate::cli::{stop, terminal};
use anyhow::{Context, bail};
use setsight_files::{printable::print_lines, say, whole_file::write_atomic};
use setsight_phone::{Code, Listen, Options, Server, ServerEvent};
use setsight_vision::output::{Record, Style};
use setsight_vision::{PhotoReading, StageTime};
use std::io::{self, ErrorKind, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{collections::HashMap, thread};

/// How often it is looked whether the command is to end.
const PAUSE: Duration = Duration::from_millis(100);
/// How often it is looked whether this computer has come into another network.
const NETWORK_PAUSE: Duration = Duration::from_secs(2);

/// Arguments of `serve`.
#[derive(clap::Args)]
#[command(mut_args(without_rare))]
#[command(after_help = "Examples:\n  setsight serve\n  setsight serve --keep found\n  \
                        setsight serve --listen 192.168.1.20:8780\n\n\
                        Press Enter to show the code again, Ctrl-C to stop.")]
pub struct Args {
    /// Keep photos and results in this folder, as `scan --out` writes them
    ///
    /// By default nothing is kept. The photos go to its subfolder photos. Live pictures are never kept.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Listen on this address only [default: all private addresses of this computer]
    ///
    /// Such as 192.168.1.20 or [fd00::2]:8780. Without a port it is 8780, or the next free one. Public
    /// addresses are used only if you name one here.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    listen: Option<Listen>,
    #[command(flatten)]
    reading: ReadingArgs,
}

fn address(text: &str) -> Result<Listen, String> {
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Ok(Listen::At(address.ip(), Some(address.port()).filter(|&port| port > 0)));
    }
    let ip = text.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let ip = ip.map_err(|_| "expected an address such as 192.168.1.20, with :PORT if need be")?;
    Ok(Listen::At(ip, None))
}

/// Serves the page until Ctrl-C.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    let stop = stop::asked();
    let pipeline = Arc::new(args.reading.pipeline()?);
    let archive = args.keep.as_deref().map(ResultArchive::create).transpose()?.map(Mutex::new);
    let handler = Arc::new(EventHandler {
        archive,
        reported: Mutex::default(),
        printer: LinePrinter::start()?,
    });
    let hears = Arc::clone(&handler);
    let on_event = Box::new(move |event: ServerEvent<'_>| hears.handle(event));
    let listen = args.listen.unwrap_or(Listen::Private);
    let mut server = Server::start(&Options::at(listen), Box::new(pipeline), on_event)
        .map_err(|error| BadCall(error_message(&error.into())))?;
    print_addresses(&server, &handler.printer);
    let mut looked = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(PAUSE);
        if enter_was_pressed() {
            handler.printer.draw(code_of(&server));
        }
        if looked.elapsed() >= NETWORK_PAUSE {
            looked = Instant::now();
            if server.follow_network() {
                handler.printer.say("This computer's network has changed.".to_owned());
                handler.printer.draw(code_of(&server));
            }
        }
    }
    server.stop();
    setsight_live::end_children();
    let failed = handler.finish()?;
    Ok(if failed { Outcome::SomeFailed } else { Outcome::Done })
}

/// The code to scan, the addresses, and what is typed instead.
fn code_of(server: &Server) -> String {
    let addresses = server.addresses();
    let colors = terminal::shows_colors(&io::stderr());
    let code = addresses.first().and_then(|first| Code::new(first));
    let code = code.map(|code| code.text(colors) + "\n").unwrap_or_default();
    let open = "Scan this code with a phone on the same network, or open there:\n  ";
    let typed = addresses.first().and_then(|first| first.split_once("/#")).map_or("", |(at, _)| at);
    code + open + &addresses.join("\n  ") + &format!("\nor type {typed} and then {}", server.code())
}

/// What may be in a phone's way, what it will warn of, and last the code to scan and the addresses, so
/// that a terminal of 24 lines shows these together.
fn print_addresses(server: &Server, printer: &LinePrinter) {
    printer.say(
        "If a phone cannot open the page: let setsight through this computer's firewall (TCP), and use no \
         guest Wi-Fi, which keeps devices apart; a hotspot of the phone often works."
            .to_owned(),
    );
    printer.say(
        "For live pictures the page asks for HTTPS; this certificate is the computer's own, SHA-256".to_owned(),
    );
    printer.say(format!("  {}", server.fingerprint()));
    if let Some(reason) = server.certificate_not_kept() {
        printer.say(format!(
            "warning: the certificate cannot be kept ({reason}); phones will ask again next time"
        ));
    }
    printer.draw(code_of(server));
    let enter = if enter_is_heard() { "Enter shows the code again, " } else { "" };
    printer.say(format!("Anyone with this address can use the page; {enter}Ctrl-C ends it."));
}

/// Tells on the terminal what phones do, and keeps their photos.
struct EventHandler {
    archive: Option<Mutex<ResultArchive>>,
    /// What was printed last of each phone's live pictures.
    reported: Mutex<HashMap<u32, String>>,
    printer: LinePrinter,
}

impl EventHandler {
    fn handle(&self, event: ServerEvent<'_>) {
        let say = |text: String| self.printer.say(text);
        match event {
            ServerEvent::Came { phone } => say(format!("phone {phone} is here")),
            ServerEvent::Left { phone, reason } => {
                self.reported.lock().unwrap_or_else(PoisonError::into_inner).remove(&phone);
                let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
                say(format!("phone {phone}: its live pictures have ended{reason}"));
            }
            ServerEvent::NotRead { phone, reason } => {
                say(format!("phone {phone}: the photo {reason}"))
            }
            ServerEvent::Photo { phone, bytes, reading, times } => {
                self.printer.result(format!("phone {phone}, photo: {}", reading.table.summary()));
                if let Some(archive) = &self.archive {
                    let mut archive = archive.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Err(error) = archive.keep(bytes, reading, times) {
                        say(error_message(&error));
                    }
                }
            }
            // The first view says what there is to say.
            ServerEvent::Live { .. } => {}
            ServerEvent::View { phone, view } => {
                let text = summary(view);
                let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
                if reported.get(&phone) != Some(&text) {
                    self.printer.result(format!("phone {phone}, live: {text}"));
                    reported.insert(phone, text);
                }
            }
        }
    }

    /// Finishes the folder of what was kept; whether something could not be kept.
    fn finish(&self) -> anyhow::Result<bool> {
        let Some(archive) = &self.archive else { return Ok(false) };
        let mut archive = archive.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = archive.finish()? {
            self.printer.say(kept);
        }
        Ok(archive.failed)
    }
}

/// The folder of photos, in that of their results.
const PHOTOS: &str = "photos";

/// Keeps photos and their results, in a new folder for each start: a page of results lists the
/// photos of one.
pub struct ResultArchive {
    /// Where these folders are.
    home: PathBuf,
    out: Option<(PathBuf, OutFolder)>,
    counts: Counts,
    /// Whether a photo could not be kept.
    pub failed: bool,
}

impl ResultArchive {
    /// Makes the folder in which the others will be.
    pub fn create(home: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(home)
            .with_context(|| format!("photos cannot be kept in {}", home.display()))?;
        Ok(Self { home: home.to_owned(), out: None, counts: Counts::default(), failed: false })
    }

    /// The folder of this start, made when the first photo comes.
    fn out(&mut self) -> anyhow::Result<&mut (PathBuf, OutFolder)> {
        if self.out.is_none() {
            let folder = self.free_folder()?;
            std::fs::create_dir(folder.join(PHOTOS))
                .with_context(|| format!("photos cannot be kept in {}", folder.display()))?;
            let out = OutFolder::create(&folder, false)?;
            self.out = Some((folder, out));
        }
        Ok(self.out.as_mut().expect("made above"))
    }

    /// Makes a folder where nothing is, not even a link that leads nowhere.
    fn free_folder(&self) -> anyhow::Result<PathBuf> {
        for n in 1_u32.. {
            let folder = self.home.join(format!("serve-{n:04}"));
            match std::fs::create_dir(&folder) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => {
                    made.with_context(|| format!("photos cannot be kept in {}", folder.display()))?;
                    return Ok(folder);
                }
            }
        }
        bail!("no number is free")
    }

    /// Keeps a photo.
    pub fn keep(
        &mut self,
        bytes: &[u8],
        reading: &PhotoReading,
        times: &[StageTime],
    ) -> anyhow::Result<()> {
        let kept = self.try_keep(bytes, reading, times);
        self.failed |= kept.is_err();
        kept
    }

    fn try_keep(
        &mut self,
        bytes: &[u8],
        reading: &PhotoReading,
        times: &[StageTime],
    ) -> anyhow::Result<()> {
        let name = format!("photo-{:04}", self.counts.photos + 1);
        let record = |path: PathBuf| {
            let result = Ok(reading.table.clone());
            Record { image: path, result, times: times.to_vec() }
        };
        self.counts.add(&record(PathBuf::from(&name)));
        let (folder, out) = self.out()?;
        let ending = image::guess_format(bytes)
            .ok()
            .and_then(|format| format.extensions_str().first().copied());
        // What the `image` crate does not know and was read all the same is HEIC or AVIF.
        let path = folder.join(PHOTOS).join(format!("{name}.{}", ending.unwrap_or("heic")));
        write_atomic(&path, bytes).with_context(|| path.display().to_string())?;
        write_pictures(folder, &name, reading, &Style::default(), false)?;
        let record = record(path);
        out.add(&record, &record.to_json(), Some(&name))
    }

    /// Finishes the page of results, if there is one, and says where it is.
    pub fn finish(&mut self) -> anyhow::Result<Option<String>> {
        let Some((folder, out)) = self.out.take() else { return Ok(None) };
        out.finish(false, &self.counts)?;
        Ok(Some(format!("{} photos are kept in {}", self.counts.photos, folder.display())))
    }
}

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
struct LinePrinter {
    lines: Option<SyncSender<Line>>,
    lost: Arc<AtomicU32>,
    ended: Arc<(Mutex<bool>, Condvar)>,
}

impl LinePrinter {
    /// Starts the thread that prints.
    fn start() -> std::io::Result<Self> {
        let (lines, queue) = sync_channel(MOST);
        let lost: Arc<AtomicU32> = Arc::default();
        let ended: Arc<(Mutex<bool>, Condvar)> = Arc::default();
        let (unreported, end) = (Arc::clone(&lost), Arc::clone(&ended));
        thread::Builder::new().name("tell".into()).spawn(move || {
            for line in queue {
                match line {
                    Line::Message(text) => say!("{text}"),
                    Line::Drawn(text) => drop(writeln!(std::io::stderr().lock(), "{text}")),
                    // The reader of the output has closed it; the phone goes on.
                    Line::Result(text) => drop(print_lines(&text)),
                }
                let lost = unreported.swap(0, Ordering::Relaxed);
                if lost > 0 {
                    say!("{lost} messages are lost, as nobody read them");
                }
            }
            *end.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
            end.1.notify_all();
        })?;
        Ok(Self { lines: Some(lines), lost, ended })
    }

    /// Prints a message.
    fn say(&self, text: String) {
        self.send(Line::Message(text));
    }

    /// Shows a drawing, which must hold no untrusted text.
    fn draw(&self, text: String) {
        self.send(Line::Drawn(text));
    }

    fn result(&self, text: String) {
        self.send(Line::Result(text));
    }

    fn send(&self, line: Line) {
        if let Some(Err(TrySendError::Full(_))) = self.lines.as_ref().map(|to| to.try_send(line)) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for LinePrinter {
    fn drop(&mut self) {
        self.lines = None;
        let (ended, finished) = &*self.ended;
        let ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = finished.wait_timeout_while(ended, FAREWELL, |ended| !*ended);
    }
}

/// Whether Enter can be heard: not where stdin is no terminal.
fn enter_is_heard() -> bool {
    use std::io::IsTerminal;
    cfg!(unix) && std::io::stdin().is_terminal()
}

/// Whether it was pressed. Waits for nothing, and reads nothing in the background, where the system
/// would stop the program for it (SIGTTIN).
#[cfg(unix)]
fn enter_was_pressed() -> bool {
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
fn enter_was_pressed() -> bool {
    false
}
