//! The clipboard and drags on Linux.
//!
//! The toolkit reads the clipboard while the window waits, of pictures it takes PNG alone, and on
//! Wayland it knows no drags. So here a thread reads what another program has copied or lets go
//! over the window, by a connection of its own ([`x11`]) or by the window's ([`wayland`]).

mod wayland;
mod x11;

use crate::content::{Refusal, color_image};
use eframe::CreationContext;
use eframe::egui::{
    self, ColorImage, Context, Event, HoveredFile, Key, Modifiers, PointerButton, Pos2, RawInput,
};
use image::RgbImage;
use setsight_photo::source;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use url::Url;

/// How long the program that copied may be silent: some encode a picture only when it is asked for.
const SILENCE: Duration = Duration::from_secs(10);
/// How long it may take in all.
const PATIENCE: Duration = Duration::from_secs(60);

/// What another program gave.
#[derive(Debug)]
enum Taken {
    Text(String),
    Files(Vec<PathBuf>),
    Picture(RgbImage),
    Refused(Refusal),
    /// Nothing that this window could use.
    Nothing,
}

/// What a thread tells the window.
enum News {
    Pasted(Taken),
    Dropped(Taken),
    /// Whether something that can be used is held over the window.
    Hovers(bool),
    /// The pointer's button no longer belongs to the window: something is dragged out of it.
    LetGo,
}

/// How a thread tells the window something, which is then drawn anew.
#[derive(Clone)]
struct Teller {
    news: Sender<News>,
    ctx: Context,
}

impl Teller {
    fn tell(&self, news: News) {
        // Once the window is gone nobody is left to hear.
        let _ = self.news.send(news);
        self.ctx.request_repaint();
    }
}

/// The clipboard and the drags of one window.
pub struct Clipboard {
    /// The window's own connection, on Wayland.
    listener: Option<wayland::Listener>,
    teller: Teller,
    news: Receiver<News>,
    hovers: bool,
    pastes: bool,
    refusal: Option<Refusal>,
}

impl Clipboard {
    /// Listens for the window that is being made.
    pub fn new(cc: &CreationContext<'_>) -> Self {
        let (sender, news) = channel();
        let teller = Teller { news: sender, ctx: cc.egui_ctx.clone() };
        let listener = wayland::Listener::of_window(cc, &teller);
        if let Some(listener) = &listener {
            cc.egui_ctx.add_plugin(listener.copier());
        }
        Self { listener, teller, news, hovers: false, pastes: false, refusal: None }
    }

    /// Whether a picture can be dragged out of the window: only Wayland's connection knows how.
    pub fn can_drag(&self) -> bool {
        self.listener.is_some()
    }

    /// Lets a picture be dragged out of the window, as a file of this name.
    pub fn drag(&self, name: String, picture: ColorImage) {
        if let Some(listener) = &self.listener {
            listener.drag(name, picture);
        }
    }

    /// Turns the keys of the clipboard into its events, and adds what has come from other programs.
    pub fn hook(&mut self, raw: &mut RawInput) {
        let mut wants_paste = false;
        raw.events.retain_mut(|event| match wish(event) {
            Some(Wish::Cut) => {
                *event = Event::Cut;
                true
            }
            Some(Wish::Copy) => {
                *event = Event::Copy;
                true
            }
            Some(Wish::Paste) => {
                wants_paste = true;
                false
            }
            None => true,
        });
        // Whoever holds the key down wants it once.
        if wants_paste && !self.pastes {
            self.pastes = true;
            match &self.listener {
                Some(listener) => listener.paste(),
                None => x11::paste(self.teller.clone()),
            }
        }
        while let Ok(news) = self.news.try_recv() {
            match news {
                News::Hovers(hovers) => self.hovers = hovers,
                News::LetGo => {
                    let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
                    let pos = Pos2::ZERO;
                    raw.events.push(Event::PointerButton {
                        pos,
                        button,
                        pressed: false,
                        modifiers,
                    });
                    raw.events.push(Event::PointerGone);
                }
                News::Pasted(taken) => {
                    self.pastes = false;
                    self.give(raw, taken, false);
                }
                News::Dropped(taken) => self.give(raw, taken, true),
            }
        }
        if self.hovers {
            raw.hovered_files.push(HoveredFile::default());
        }
    }

    fn give(&mut self, raw: &mut RawInput, taken: Taken, drops: bool) {
        match taken {
            Taken::Files(paths) if drops => {
                let files = paths.into_iter().map(|path| Arc::new(Dropped(path)) as _);
                raw.dropped_files.extend(files);
            }
            Taken::Files(paths) => {
                let lines: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
                raw.events.push(Event::Paste(lines.join("\n")));
            }
            Taken::Text(text) => raw.events.push(Event::Paste(text.replace("\r\n", "\n"))),
            Taken::Picture(picture) => {
                raw.events.push(Event::PasteImage(Arc::new(color_image(&picture))));
            }
            Taken::Refused(refusal) => self.refusal = Some(refusal),
            Taken::Nothing => {}
        }
    }

    /// Why the last paste or drop gave nothing, once.
    pub fn refusal(&mut self) -> Option<Refusal> {
        self.refusal.take()
    }
}

/// A file that was let go over the window.
#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

/// What a key asks of the clipboard.
enum Wish {
    Cut,
    Copy,
    Paste,
}

/// The same keys as the toolkit takes on Linux.
fn wish(event: &Event) -> Option<Wish> {
    let Event::Key { key, pressed: true, modifiers, .. } = event else { return None };
    match key {
        Key::Cut => Some(Wish::Cut),
        Key::Copy => Some(Wish::Copy),
        Key::Paste => Some(Wish::Paste),
        Key::X if is_command(*modifiers) => Some(Wish::Cut),
        Key::C if is_command(*modifiers) => Some(Wish::Copy),
        Key::V if is_command(*modifiers) => Some(Wish::Paste),
        _ => None,
    }
}

fn is_command(modifiers: Modifiers) -> bool {
    modifiers.command_only()
}

/// What a kind of data that another program offers is to this window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Files,
    Text,
    Picture,
}

/// Kinds of data by their names, best first. Files come before text, which names the same files
/// less exactly; text before pictures, because programs offer a picture of the text they copied.
const KINDS: [(&str, Kind); 12] = [
    ("text/uri-list", Kind::Files),
    ("x-special/gnome-copied-files", Kind::Files),
    ("text/plain;charset=utf-8", Kind::Text),
    ("UTF8_STRING", Kind::Text),
    ("text/plain", Kind::Text),
    ("image/png", Kind::Picture),
    ("image/jpeg", Kind::Picture),
    ("image/webp", Kind::Picture),
    ("image/tiff", Kind::Picture),
    ("image/bmp", Kind::Picture),
    ("image/heic", Kind::Picture),
    ("image/avif", Kind::Picture),
];

/// Which of the offered kinds to ask for, best first, one of each sort.
fn ways<'a>(offered: &'a [String], drags: bool) -> Vec<(&'static str, Kind)> {
    let is_offered =
        |name: &str| offered.iter().any(|offer: &'a String| offer.eq_ignore_ascii_case(name));
    let mut ways: Vec<(&'static str, Kind)> = KINDS
        .into_iter()
        .filter(|(name, kind)| is_offered(name) && !(drags && *kind == Kind::Text))
        .collect();
    ways.dedup_by_key(|(_, kind)| *kind);
    ways
}

/// Asks for one kind after the other until one of them holds something.
fn take(
    ways: &[(&'static str, Kind)],
    mut read: impl FnMut(&'static str) -> Result<Vec<u8>, Refusal>,
) -> Taken {
    let mut outcome = Taken::Nothing;
    for &(name, kind) in ways {
        let bytes = match read(name) {
            Ok(bytes) if bytes.is_empty() => continue,
            Ok(bytes) => bytes,
            Err(refusal) => {
                outcome = Taken::Refused(refusal);
                continue;
            }
        };
        match kind {
            Kind::Files => {
                let files = files_in(&String::from_utf8_lossy(&bytes));
                if !files.is_empty() {
                    return Taken::Files(files);
                }
            }
            Kind::Text => {
                let text = String::from_utf8_lossy(&bytes);
                let text = text.trim_end_matches('\0');
                if !text.trim().is_empty() {
                    return Taken::Text(text.to_owned());
                }
            }
            Kind::Picture => {
                return match source::decode(&bytes) {
                    Ok(photo) => Taken::Picture(photo.frame),
                    Err(error) => Taken::Refused(Refusal::Picture(error)),
                };
            }
        }
    }
    outcome
}

/// The files of this machine in a list of addresses, one a line (RFC 2483; file managers of GNOME
/// write "copy" or "cut" above it).
fn files_in(list: &str) -> Vec<PathBuf> {
    let address = |line: &str| Url::parse(line.trim()).ok().filter(|url| url.scheme() == "file");
    list.lines().filter_map(address).filter_map(|url| url.to_file_path().ok()).collect()
}

/// How long something may still take.
struct Clock {
    since: Instant,
    heard: Instant,
}

impl Clock {
    fn new() -> Self {
        let now = Instant::now();
        Self { since: now, heard: now }
    }

    /// Notes that the other side has said something.
    fn hear(&mut self) {
        self.heard = Instant::now();
    }

    /// The time left.
    ///
    /// # Errors
    /// [`Refusal::TooSlow`] if none is.
    fn left(&self) -> Result<Duration, Refusal> {
        let silence = SILENCE.checked_sub(self.heard.elapsed());
        let whole = PATIENCE.checked_sub(self.since.elapsed());
        let left = silence.zip(whole).map(|(silence, whole)| silence.min(whole));
        left.filter(|left| !left.is_zero()).ok_or(Refusal::TooSlow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_photo::source::SourceError;

    fn offered(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn the_best_of_each_sort_is_asked_for() {
        let asked = |names: &[&str], drags| {
            let ways = ways(&offered(names), drags);
            ways.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(asked(&["image/jpeg", "image/png", "TARGETS"], false), ["image/png"]);
        assert_eq!(asked(&["image/jpeg"], false), ["image/jpeg"]);
        let files = ["text/plain", "text/uri-list", "x-special/gnome-copied-files", "UTF8_STRING"];
        assert_eq!(asked(&files, false), ["text/uri-list", "UTF8_STRING"]);
        assert_eq!(asked(&files, true), ["text/uri-list"]);
        assert_eq!(asked(&["image/png", "TEXT/PLAIN"], false), ["text/plain", "image/png"]);
        assert!(asked(&["text/html"], false).is_empty());
        assert!(asked(&["text/plain"], true).is_empty());
    }

    #[test]
    fn what_holds_something_is_taken() {
        let png = {
            let mut bytes = std::io::Cursor::new(Vec::new());
            RgbImage::new(40, 50).write_to(&mut bytes, image::ImageFormat::Png).unwrap();
            bytes.into_inner()
        };
        let all = ways(&offered(&["text/uri-list", "text/plain", "image/png"]), false);
        let taken = |list: &'static [u8], text: &'static [u8], picture: &[u8]| {
            take(&all, |name| {
                Ok(match name {
                    "text/uri-list" => list.to_vec(),
                    "text/plain" => text.to_vec(),
                    _ => picture.to_vec(),
                })
            })
        };
        let Taken::Files(files) = taken(b"file:///a%20b\r\n", b"x", &png) else { panic!() };
        assert_eq!(files, [PathBuf::from("/a b")]);
        let Taken::Text(text) = taken(b"https://example.org/a.png", b"x y", &png) else { panic!() };
        assert_eq!(text, "x y");
        let Taken::Picture(picture) = taken(b"", b" \n", &png) else { panic!() };
        assert_eq!(picture.dimensions(), (40, 50));
        let refused = taken(b"", b"", &png[..60]);
        let cut_off = Refusal::Picture(SourceError::Truncated { format: "PNG" });
        assert_eq!(format!("{refused:?}"), format!("{:?}", Taken::Refused(cut_off)));
        assert!(matches!(taken(b"", b"", b""), Taken::Nothing));
        // A kind that is not given does not hide the next one.
        let taken = take(&all, |name| match name {
            "image/png" => Ok(png.clone()),
            _ => Err(Refusal::NotGiven),
        });
        assert!(matches!(taken, Taken::Picture(_)));
        let taken = take(&all, |_| Err(Refusal::TooSlow));
        assert!(matches!(taken, Taken::Refused(Refusal::TooSlow)));
    }

    #[test]
    fn lists_of_files_are_understood() {
        let list = "copy\nfile:///tmp/a%20b.jpg\r\n# file:///no\nfile://localhost/tmp/%C3%A9\n\
                    https://example.org/c.png\n/tmp/plain";
        assert_eq!(files_in(list), [PathBuf::from("/tmp/a b.jpg"), PathBuf::from("/tmp/é")]);
        assert!(files_in("").is_empty());
    }
}
