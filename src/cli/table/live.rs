//! `setsight live`: a camera or a film, watched; and what it prints with `--headless`.

use super::photos::ReadingArgs;
use crate::cli::common::{BadCall, Format, Outcome, within};
use crate::cli::stop;
use anyhow::{anyhow, bail};
use setsight_files::{print_result, printable, say};
use setsight_live::{
    CameraChoice, CameraError, Cameras, FramePace, Input, LiveView, Notice, Recording,
    RecordingState, Session, SessionEvent, Sink,
    cameras::{Address, SystemCameras},
    films::{Rate, Video, rate_of_pictures, record},
    views::snapshot,
};
use setsight_track::{Params, TrackedTable};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;

/// Arguments of `live`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  setsight live\n  setsight live --camera webcam\n  \
                        setsight live --url http://192.168.1.20:8080/video\n  \
                        setsight live --url http://192.168.1.20:8080/video --record game.avi\n  \
                        setsight live --video game.mp4 --headless --format json > game.jsonl\n  \
                        ffmpeg -i game.mp4 -c:v mjpeg -f avi - | setsight live --video - --headless")]
pub struct Args {
    /// The camera, by number or a part of its name [default: the first]
    #[arg(long, value_name = "N|NAME", conflicts_with_all = ["video", "url", "list"])]
    camera: Option<String>,
    /// A phone or another camera on the network: Motion JPEG over HTTP, or RTSP
    ///
    /// Its app shows the address. A name and a password go before the host:
    /// http://NAME:PASSWORD@192.168.1.20:8080/video; they are never shown.
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["video", "list"])]
    url: Option<String>,
    /// Read a film instead, every frame of it
    ///
    /// A file, a named pipe, - for standard input, a folder of pictures in the order of their names,
    /// or a pattern of them such as frames/%04d.png. Motion JPEG in .avi and pictures need nothing
    /// else; other films are decoded by the program ffmpeg.
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    video: Option<PathBuf>,
    /// How many pictures make a second, for a folder or pattern of pictures [default: by their times]
    ///
    /// Their times are those in the pictures (EXIF), in their names, or of their files, in this order;
    /// without any, 30.
    #[arg(hide = true, long, value_name = "N", requires = "video", requires = "headless", value_parser = fps)]
    fps: Option<f64>,
    /// Record the game: this film, .avi, and its lines of JSON beside it, .jsonl
    ///
    /// Motion JPEG, about 10 GB an hour at 1280x720. `live --video FILE --headless --format json` gives
    /// the same lines. No file is overwritten. In the window the game can be recorded at any time.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["video", "list"])]
    record: Option<PathBuf>,
    /// List the cameras
    #[arg(long)]
    list: bool,
    /// No window: print what is seen
    #[arg(long)]
    headless: bool,
    /// How to print: text, events in words; json, a line for each frame
    #[arg(
        short,
        long,
        value_enum,
        default_value_t,
        requires = "headless",
        conflicts_with = "screenshot"
    )]
    format: Format,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Write a picture of the window (PNG) once a set is drawn, and close
    ///
    /// Without a set for 10 s, or until the end of a film, the picture is taken without one.
    #[arg(hide = true, long, value_name = "FILE", conflicts_with = "headless")]
    screenshot: Option<PathBuf>,
    /// Stop after so many frames
    #[arg(hide = true, long, value_name = "N", requires = "headless", conflicts_with = "screenshot",
          value_parser = within::<u64>(1..=u64::MAX))]
    frames: Option<u64>,
}

/// Watches.
pub fn run(args: Args) -> anyhow::Result<Outcome> {
    if args.list {
        return list();
    }
    let input = match (&args.url, &args.video) {
        // Parsed here and not by clap, whose messages say again what was typed: a password perhaps.
        (Some(text), _) => {
            let address = text.parse::<Address>();
            let address = address.map_err(|error| BadCall(format!("--url: {error}")))?;
            Input::Network(address)
        }
        (None, Some(path)) => Input::Film(path.clone()),
        (None, None) => {
            let choice = args.camera.as_deref().map_or(CameraChoice::First, CameraChoice::from);
            Input::Camera(choice)
        }
    };
    if let Some(film) = &args.record {
        record::check(film).map_err(|error| BadCall(format!("--record: {error}")))?;
    }
    if args.headless { headless(&args, input) } else { window(&args, input) }
}

fn list() -> anyhow::Result<Outcome> {
    let cameras = SystemCameras::default().list();
    if cameras.is_empty() {
        say!("{}", with_advice(&CameraError::None));
        return Ok(Outcome::SomeFailed);
    }
    for camera in cameras {
        print_result!("{camera}")?;
    }
    Ok(Outcome::Done)
}

/// What is wrong, what to do, and how this command does it.
fn with_advice(error: &CameraError) -> String {
    let how = match error {
        CameraError::None => ": setsight live --url http://PHONE:8080/video or --video FILE",
        CameraError::NoSuch { .. }
        | CameraError::Ambiguous { .. }
        | CameraError::Unopened { .. } => "; setsight live --list shows all cameras",
        _ => "",
    };
    format!("{error}; {}{how}", error.advice())
}

/// The window, straight on the camera or the film.
fn window(args: &Args, input: Input) -> anyhow::Result<Outcome> {
    use setsight_window::{LiveOptions, Options, Show};
    if let Input::Film(path) = &input
        && !is_stream(path)
    {
        // What cannot be opened is reported here, not in a window.
        if let Err(error) = Video::open(path) {
            let message = format!("{}: {error}", path.display());
            return Err(if path.exists() { anyhow!(message) } else { BadCall(message).into() });
        }
    }
    // So is what is wrong with the weights.
    args.reading.pipeline()?;
    let options = Options {
        paths: Vec::new(),
        deals: Vec::new(),
        show: Show::default(),
        models: None,
        live: Some(LiveOptions { input, record: args.record.clone(), plan: args.reading.plan() }),
        size: None,
        brightness: None,
        screenshot: args.screenshot.clone(),
        stop: stop::asked(),
    };
    let shown = setsight_window::open(options)?;
    if shown.is_some_and(|shown| shown["sets"].as_array().is_some_and(Vec::is_empty)) {
        say!("no set came into view in time: the picture shows none");
    }
    Ok(Outcome::Done)
}

/// Whether a film can be opened once only.
fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-" || path.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir())
}

/// Prints the table, line by line.
fn headless(args: &Args, input: Input) -> anyhow::Result<Outcome> {
    let pipeline = args.reading.pipeline()?;
    let params = Params::for_pipeline(&pipeline);
    let is_film = matches!(input, Input::Film(_));
    let pace = if is_film { FramePace::Every } else { FramePace::Newest };
    let mut session = Session::new(Arc::new(pipeline), params, pace)?;
    if let Some(fps) = args.fps.or_else(|| report_rate(&input)) {
        session.set_fps(fps);
    }
    // A source that does not open is reported at once, and so that a script knows; a camera that goes
    // later is waited for.
    let opened = session.open(&input).map_err(|error| not_opened(&error, &input))?;
    if let Some(film) = &args.record {
        session.record(film)?;
    }
    let mut lines = Lines {
        printer: Printer::new(args.format, io::stdout().lock()),
        most: args.frames,
        printed: 0,
        is_film,
        outcome: Ok(Outcome::Done),
    };
    let (_, no_commands) = channel();
    let recording = session.run(input, Some(opened), &no_commands, stop::asked(), &mut lines);
    setsight_live::end_children();
    lines.printer.print_current()?;
    let outcome = lines.outcome;
    if let Some(recording) = recording {
        if let (Ok(_), RecordingState::Failed(reason)) = (&outcome, &recording.state) {
            bail!("{reason}");
        }
        print_recorded(lines.printed, &recording);
    }
    outcome
}

/// Pictures a second: a number that a film can have.
fn fps(text: &str) -> Result<f64, String> {
    let fps = text.parse().ok().filter(|fps| (0.01..=120.0).contains(fps));
    fps.ok_or_else(|| "expected pictures a second, 0.01 to 120".to_owned())
}

/// The rate that single pictures have by themselves, which is printed: a wrong one spoils everything.
fn report_rate(input: &Input) -> Option<f64> {
    let Input::Film(path) = input else { return None };
    let (pictures, rate) = rate_of_pictures(path)?;
    let Rate { fps, by } = rate;
    let rounded = (100.0 * fps).round() / 100.0;
    say!("{pictures} pictures, {rounded} a second by {by}; --fps N sets another rate");
    Some(fps)
}

fn not_opened(error: &CameraError, input: &Input) -> anyhow::Error {
    let is_missing = matches!(input, Input::Film(path) if !is_stream(path) && !path.exists());
    let message = with_advice(error);
    match error {
        CameraError::NoSuch { .. } | CameraError::Ambiguous { .. } => BadCall(message).into(),
        _ if is_missing => BadCall(message).into(),
        _ => anyhow!(message),
    }
}

fn print_recorded(frames: u64, recording: &Recording) {
    let film = &recording.film;
    match frames {
        0 => say!("nothing was recorded: no picture came"),
        1 => say!("1 frame is recorded in {}", film.display()),
        n => say!(
            "{n} frames ({:.0} s) are recorded in {}, their lines in {}",
            recording.length_ms / 1e3,
            film.display(),
            record::lines_of(film).display()
        ),
    }
}

/// Where the views of a session without a window go.
struct Lines<W: Write> {
    printer: Printer<W>,
    /// As many frames are enough.
    most: Option<u64>,
    printed: u64,
    /// A film that fails does not come back, a camera may.
    is_film: bool,
    /// How the command ends if the session ends now.
    outcome: anyhow::Result<Outcome>,
}

impl<W: Write> Lines<W> {
    fn frame(&mut self, view: &LiveView) -> anyhow::Result<Outcome> {
        let recording = view.recording.as_ref().map(|recording| &recording.state);
        if let Some(RecordingState::Failed(reason)) = recording {
            bail!("{reason}");
        }
        self.printer.print(view)?;
        self.printed += 1;
        Ok(Outcome::Done)
    }

    fn trouble(&self, view: &LiveView) -> anyhow::Result<Outcome> {
        if let Some(Notice { title, advice, .. }) = &view.notice {
            if self.is_film {
                bail!("{title}; {advice}");
            }
            say!("{title}; {advice}");
        }
        Ok(Outcome::SomeFailed)
    }
}

impl<W: Write> Sink for Lines<W> {
    fn show(&mut self, view: &LiveView, event: SessionEvent) -> ControlFlow<()> {
        match event {
            SessionEvent::Frame => self.outcome = self.frame(view),
            SessionEvent::Trouble => self.outcome = self.trouble(view),
            SessionEvent::Changed => {}
            SessionEvent::End => return ControlFlow::Break(()),
        }
        if self.outcome.is_err() || self.most == Some(self.printed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// A table that has stayed as it is for so long is printed: readings come and go.
const STAYS_MS: f64 = 1000.0;

/// Prints views, in words what has happened.
struct Printer<W: Write> {
    format: Format,
    /// How many sets were taken, and the table, as printed last.
    taken: usize,
    last: String,
    /// The table as it is now, and since when.
    current: (String, f64),
    out: W,
}

impl<W: Write> Printer<W> {
    fn new(format: Format, out: W) -> Self {
        Self { format, taken: 0, last: String::new(), current: (String::new(), 0.0), out }
    }

    fn print(&mut self, view: &LiveView) -> io::Result<()> {
        match self.format {
            Format::Json => {
                writeln!(self.out, "{}", printable::json(&snapshot::line(view)))?;
                self.out.flush()
            }
            Format::Text => {
                let (taken, now) = (&view.score.taken, view.time_ms);
                let deck = view.tracked.table.deck();
                for set in taken.iter().skip(self.taken) {
                    let names = set.map(|card| deck.card_name(card)).join(", ");
                    self.line(now, &format!("set taken: {names}"))?;
                }
                self.taken = taken.len();
                let text = summary(view);
                if self.current.0 != text {
                    self.current = (text, now);
                }
                if now - self.current.1 < STAYS_MS { Ok(()) } else { self.print_current() }
            }
        }
    }

    /// Prints the table as it is now, if it has changed.
    fn print_current(&mut self) -> io::Result<()> {
        let (text, since) = self.current.clone();
        if text == self.last {
            return Ok(());
        }
        self.line(since, &text)?;
        self.last = text;
        Ok(())
    }

    fn line(&mut self, time_ms: f64, text: &str) -> io::Result<()> {
        writeln!(self.out, "{:6.1} s  {text}", time_ms / 1e3)?;
        self.out.flush()
    }
}

fn count(n: usize, one: &str, more: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        n => format!("{n} {more}"),
    }
}

/// The table in words: "12 cards, 1 set: one filled green diamond, two filled green diamonds, three
/// filled green diamonds. 3 sets taken, 60 cards in the deck". It says of a set only what is known: not
/// that there is none while cards are covered or doubtful.
pub fn summary(view: &LiveView) -> String {
    let TrackedTable { table, tracks, resting, looked, .. } = &view.tracked;
    if !looked {
        return "looking for cards".to_owned();
    }
    let deck = table.deck();
    let names = |cards: [usize; 3]| cards.map(|i| deck.card_name(table.cards[i].card)).join(", ");
    let all =
        |sets: &mut dyn Iterator<Item = [usize; 3]>| sets.map(names).collect::<Vec<_>>().join("; ");
    let mut text = match table.cards.len() {
        0 => "no cards".to_owned(),
        n => count(n, "card", "cards"),
    };
    let covered = tracks.iter().filter(|card| card.hidden).count();
    let has_none = table.sets.is_empty() && resting.is_empty();
    // Hands come and go: what they cover matters only where no set is seen.
    let hidden = [(table.unsure(), "unsure"), (if has_none { covered } else { 0 }, "covered")];
    let hidden: Vec<String> =
        hidden.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if !hidden.is_empty() {
        text += &format!(" ({})", hidden.join(", "));
    }
    text += &match (table.sets.len(), resting.len()) {
        (0, 0) if table.cards.is_empty() => String::new(),
        (0, 0) if !hidden.is_empty() => ", no set among those in sight".to_owned(),
        (0, 0) => match view.score.chance {
            Some(chance) => {
                format!(
                    ", no set ({:.0} % chance that three more cards bring one)",
                    100.0 * chance.value()
                )
            }
            None => ", no set".to_owned(),
        },
        (0, n) => format!(", {} with a card that is covered", count(n, "set", "sets")),
        (n, rest) => {
            let sets = all(&mut table.sets.iter().map(|set| set.0));
            let more = match rest {
                0 => String::new(),
                n => format!("; {n} more with a card that is covered"),
            };
            format!(", {}: {sets}{more}", count(n, "set", "sets"))
        }
    };
    if !table.probable_sets.is_empty() {
        let probable = all(&mut table.probable_sets.iter().map(|set| set.cards));
        text += &format!("; probably: {probable}");
    }
    let taken = count(view.score.taken.len(), "set", "sets");
    text + &format!(". {taken} taken, {} in the deck", count(view.score.left, "card", "cards"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_game::{cards::parse_codes, sets::Chance};
    use setsight_track::counter::Score;

    fn view(codes: &str) -> LiveView {
        let table = TrackedTable::sure(parse_codes(codes).unwrap());
        let chance = Some(Chance { favourable: 97, total: 100 });
        let score = Score { left: 70, chance, ..Score::default() };
        let tracked = TrackedTable { looked: true, ..table };
        LiveView { tracked, score, ..LiveView::default() }
    }

    #[test]
    fn what_is_uncertain_is_left_out() {
        let mut view = view("1fgd 2fgd 1ord");
        assert!(summary(&view).contains("no set (97 % chance that three more cards bring one)"));
        view.tracked.table.cards[1].unsure = true;
        let doubtful = summary(&view);
        assert!(
            doubtful.starts_with("3 cards (1 unsure), no set among those in sight."),
            "{doubtful}"
        );
        assert!(!doubtful.contains("97 %"), "{doubtful}");
        view.tracked.looked = false;
        assert_eq!(summary(&view), "looking for cards");
    }

    #[test]
    fn events_are_printed_and_changes_of_mind_are_not() {
        let mut printer = Printer::new(Format::Text, Vec::new());
        let set = parse_codes("1fgd 2fgd 3fgd").unwrap();
        let steps = [
            (0.0, "1fgd 2fgd 3fgd 1ord", 0),
            (1100.0, "1fgd 2fgd 3fgd 1ord", 0),
            (1200.0, "1fgd 2fgd", 0),
            (1300.0, "1fgd 2fgd 3fgd 1ord", 0),
            (3900.0, "1ord", 1),
            (4000.0, "1ord 2spd", 1),
        ];
        for (time_ms, codes, taken) in steps {
            let mut view = view(codes);
            view.time_ms = time_ms;
            view.score.taken = vec![[set[0], set[1], set[2]]; taken];
            printer.print(&view).unwrap();
        }
        printer.print_current().unwrap();
        let printed = String::from_utf8(printer.out).unwrap();
        let printed: Vec<&str> = printed.lines().map(|line| &line[..20]).collect();
        assert_eq!(
            printed,
            ["   0.0 s  4 cards, 1", "   3.9 s  set taken:", "   4.0 s  2 cards, n"]
        );
    }

    #[test]
    fn sets_are_printed_in_words() {
        let set =
            "one filled green diamond, two filled green diamonds, three filled green diamonds";
        let text = summary(&view("1fgd 2fgd 3fgd 1ord"));
        assert_eq!(text, format!("4 cards, 1 set: {set}. 0 sets taken, 70 cards in the deck"));
    }

    #[test]
    fn a_set_under_a_hand_is_not_denied() {
        let mut view = view("1fgd 2fgd 3fgd");
        view.tracked.tracks[2].hidden = true;
        view.tracked.resting = std::mem::take(&mut view.tracked.table.sets);
        let text = summary(&view);
        assert!(text.contains("1 set with a card that is covered"), "{text}");
        assert!(!text.contains("no set") && !text.contains('%'), "{text}");
    }
}
