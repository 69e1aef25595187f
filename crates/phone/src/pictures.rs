//! Photos that phones send, and live pictures: a phone sends JPEGs over a WebSocket, and is answered for each with what `live` prints.
//!
//! The next picture is read when the last one is answered, so that nothing piles up here, whatever a
//! phone sends: its page has two pictures on their way, and makes the next one when an answer comes.

use crate::{request::Answer, server::ServerEvent, sessions::Connection, socket::Stream};
use image::{ImageDecoder, codecs::jpeg::JpegDecoder};
use serde_json::Value;
use setsight_live::parts::{Latest, RunningSession, jpeg};
use setsight_live::{
    CameraError, Feed, FramePace, Input, LiveCommand, LiveSource, LiveView, Observer, Session,
    cameras::Shot, views::snapshot,
};
use setsight_photo::encode;
use setsight_photo::source::{self, Photo, SourceError};
use setsight_track::Params;
use setsight_vision::{PhotoReading, Pipeline, Trace, output::line_of};
use std::collections::VecDeque;
use std::io::{self, Cursor, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{CloseFrame, Role, WebSocket, WebSocketConfig};
use tungstenite::{Bytes, Message};

/// Largest picture, in bytes; one of 1280x720 has 200,000.
const MOST_BYTES: usize = 4 << 20;
/// Most pixels of a picture: beyond it tracking would be slow, and gain nothing.
const MOST_PIXELS: u64 = 1920 * 1920;
/// A phone that sends nothing for so long is gone.
const SILENCE: Duration = Duration::from_secs(10);
/// How long the view of a picture is waited for. The first ones wait for a detection.
const PATIENCE: Duration = Duration::from_secs(3);
/// When it takes longer than this, it is asked what is wrong.
const LATE: Duration = Duration::from_millis(300);
/// Most messages between two pictures; the page sends one where a person taps.
const MOST_WORDS: u32 = 100;
/// The error for a phone that sends more.
const FLOOD: &str = "too many messages";
/// The word by which a phone begins a new game.
const NEW_GAME: &str = "new-game";

/// A game that a phone shows. It waits where the phone is away for a while.
pub(crate) struct Game {
    feed: Feed,
    session: RunningSession,
    changed: Arc<Latest<()>>,
}

/// What became of a picture.
enum Followed {
    View(Arc<LiveView>),
    /// A word for what is wrong.
    Wrong(&'static str),
    /// The session has failed; its message was printed.
    Failed,
}

impl Game {
    fn new(reads: &dyn Reads, phone: u32) -> io::Result<Self> {
        let feed = Feed::new(&format!("phone {phone}"));
        let changed: Arc<Latest<()>> = Arc::default();
        let wake = Arc::clone(&changed);
        let wake = Box::new(move || {
            wake.put(());
        });
        let session = reads.session()?.start(Input::Feed(feed.clone()), wake)?;
        Ok(Self { feed, session, changed })
    }

    fn observer(&self) -> Observer {
        self.session.observer()
    }

    fn follow(&mut self, bytes: &Bytes) -> Followed {
        let taken = Instant::now();
        let Some(image) = decoded(bytes) else { return Followed::Wrong("unreadable") };
        let frame = Arc::new(image);
        let shot = Shot {
            frame: Arc::clone(&frame),
            time_ms: 0.0,
            taken,
            jpeg: Some(bytes[..].into()),
            times: Vec::new(),
        };
        self.feed.put(shot);
        while taken.elapsed() < PATIENCE {
            self.changed.take(LATE);
            let view = self.session.view();
            if view.frame.as_ref().is_some_and(|shown| Arc::ptr_eq(shown, &frame)) {
                return Followed::View(view);
            }
            if taken.elapsed() < LATE {
                continue;
            }
            match view.notice.as_ref().map(|notice| &notice.error) {
                Some(Some(CameraError::Black { .. })) => return Followed::Wrong("black"),
                Some(None) => return Followed::Failed,
                Some(Some(_)) | None => {}
            }
        }
        Followed::Wrong("slow")
    }
}

impl Drop for Game {
    fn drop(&mut self) {
        self.feed.close();
    }
}

fn decoded(bytes: &[u8]) -> Option<setsight_photo::Frame> {
    let (width, height) = JpegDecoder::new(Cursor::new(bytes)).ok()?.dimensions();
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return None;
    }
    jpeg::decode(bytes).ok()
}

/// Follows one picture; gives its line, or the word for what is wrong. `None` if there is no game.
fn follow(
    game: &mut Option<Game>,
    bytes: &Bytes,
    is_new: bool,
    connection: &Connection<'_>,
    reads: &dyn Reads,
    on_event: &dyn Fn(ServerEvent<'_>),
) -> Option<Value> {
    if game.is_none() {
        *game = Some(Game::new(reads, connection.number).ok()?);
    }
    let playing = game.as_mut()?;
    if is_new {
        on_event(ServerEvent::Live { phone: connection.number, game: playing.observer() });
    }
    match playing.follow(bytes) {
        Followed::View(view) => {
            on_event(ServerEvent::View { phone: connection.number, view: &view });
            Some(snapshot::line(&view))
        }
        Followed::Wrong(word) => Some(serde_json::json!({ "error": word })),
        Followed::Failed => {
            *game = None;
            None
        }
    }
}

fn begin_again(game: Option<&mut Game>) {
    if let Some(game) = game {
        game.session.command(LiveCommand::NewGame);
    }
}

/// Answers one picture, or [`NEW_GAME`], of a phone that can open no WebSocket. The game goes on with
/// its next one.
pub(crate) fn frame(
    bytes: Vec<u8>,
    connection: &Connection<'_>,
    reads: &dyn Reads,
    on_event: &dyn Fn(ServerEvent<'_>),
) -> Answer {
    if bytes.len() > MOST_BYTES {
        return Answer::wrong("413 Content Too Large", "too-large");
    }
    let Some(mut game) = connection.lock_game() else { return Answer::replaced() };
    if bytes == NEW_GAME.as_bytes() {
        begin_again(game.as_mut());
        return Answer::json(&serde_json::json!({}));
    }
    let is_new = game.is_none();
    match follow(&mut game, &bytes.into(), is_new, connection, reads, on_event) {
        Some(line) => Answer::json(&line),
        None => Answer::wrong("500 Internal Server Error", "failed"),
    }
}

/// Answers the pictures of a phone until it leaves, or is sent away, with the reason.
pub(crate) fn play(
    stream: Stream,
    connection: &Connection<'_>,
    reads: &dyn Reads,
    on_event: &dyn Fn(ServerEvent<'_>),
) -> Option<&'static str> {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MOST_BYTES))
        .max_frame_size(Some(MOST_BYTES));
    let mut socket = WebSocket::from_raw_socket(stream, Role::Server, Some(config));
    let mut game = connection.lock_game()?;
    let mut has_begun = false;
    let mut words = 0;
    loop {
        socket.get_mut().allow(SILENCE);
        match socket.read() {
            Ok(Message::Binary(bytes)) => {
                words = 0;
                let is_new = !std::mem::replace(&mut has_begun, true);
                let line = follow(&mut game, &bytes, is_new, connection, reads, on_event)?;
                let text = line.to_string();
                socket.get_mut().allow(SILENCE);
                if socket.send(Message::text(text)).is_err() {
                    return None;
                }
            }
            Ok(Message::Text(_) | Message::Ping(_) | Message::Pong(_)) if words == MOST_WORDS => {
                let reason = CloseFrame { code: CloseCode::Policy, reason: FLOOD.into() };
                let _ = socket.close(Some(reason));
                let _ = socket.flush();
                return Some(FLOOD);
            }
            Ok(Message::Text(text)) if text.as_str() == NEW_GAME => {
                words += 1;
                begin_again(game.as_mut());
            }
            Ok(Message::Text(_)) => {
                words += 1;
                let line = serde_json::json!({ "error": "unknown" }).to_string();
                if socket.send(Message::text(line)).is_err() {
                    return None;
                }
            }
            Ok(Message::Ping(_) | Message::Pong(_)) => words += 1,
            // What is no part of the protocol ends it.
            Ok(_) | Err(_) => {
                let _ = socket.close(None);
                let _ = socket.flush();
                return None;
            }
        }
    }
}

/// Largest photo, in bytes: phones make them of up to 20 MB.
pub(crate) const MOST_PHOTO_BYTES: u64 = 25_000_000;

/// What reads tables: the stages of [`Pipeline`], or a fake in tests.
pub trait Reads: Send + Sync {
    fn read(&self, photo: Photo, trace: &mut Trace<'_>) -> Result<PhotoReading, String>;
    /// A game whose pictures are still to come.
    fn session(&self) -> io::Result<Session>;
}

impl Reads for Arc<Pipeline> {
    fn read(&self, photo: Photo, trace: &mut Trace<'_>) -> Result<PhotoReading, String> {
        self.read_photo(photo, trace).map_err(|error| error.to_string())
    }

    fn session(&self) -> io::Result<Session> {
        Session::new(Arc::<Pipeline>::clone(self), Params::for_pipeline(self), FramePace::Newest)
    }
}

/// Photos are decoded and read one after the other, in the order in which they came, so that four large ones need
/// the memory of one. A phone has one in this line at most, as its next one takes the place of its last.
#[derive(Default)]
pub(crate) struct DecodeQueue {
    /// The connections whose photos wait; the first one's is in hand.
    line: Mutex<VecDeque<u64>>,
    moved: Condvar,
}

/// The slot of a connection, until this is dropped.
struct DecodeSlot<'a>(&'a DecodeQueue, u64);

impl DecodeQueue {
    fn line(&self) -> MutexGuard<'_, VecDeque<u64>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the slot of a connection; `None` if its phone has sent another photo meanwhile.
    fn slot(&self, connection: &Connection<'_>) -> Option<DecodeSlot<'_>> {
        /// How often it is looked whether it still counts.
        const LOOK: Duration = Duration::from_millis(50);
        let slot = DecodeSlot(self, connection.id);
        self.line().push_back(connection.id);
        while !connection.is_over() {
            let (line, _) = self
                .moved
                .wait_timeout_while(self.line(), LOOK, |line| line.front() != Some(&connection.id))
                .unwrap_or_else(PoisonError::into_inner);
            if line.front() == Some(&connection.id) {
                return Some(slot);
            }
        }
        None
    }
}

impl Drop for DecodeSlot<'_> {
    fn drop(&mut self) {
        self.0.line().retain(|connection| *connection != self.1);
        self.0.moved.notify_all();
    }
}

/// A stream that ends for who reads it when its connection is over: what is on its way still comes.
struct Until<'a, R> {
    from: &'a mut R,
    connection: &'a Connection<'a>,
}

impl<R: Read> Read for Until<'_, R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.connection.is_over() { Ok(0) } else { self.from.read(to) }
    }
}

/// Reads the body of a request.
pub(crate) fn body(
    length: Option<u64>,
    begun: Vec<u8>,
    from: &mut impl Read,
    connection: &Connection<'_>,
) -> Result<Vec<u8>, Option<Answer>> {
    let Some(length) = length else {
        return Err(Some(Answer::wrong("411 Length Required", "length")));
    };
    if length > MOST_PHOTO_BYTES {
        return Err(Some(Answer::wrong("413 Content Too Large", "too-large")));
    }
    let mut bytes = begun;
    // What is announced is not believed: the memory grows with what comes.
    let rest = length.saturating_sub(bytes.len() as u64);
    let read = Until { from, connection }.take(rest).read_to_end(&mut bytes);
    if connection.is_over() {
        return Err(Some(Answer::replaced()));
    }
    if read.is_err() || bytes.len() as u64 != length {
        return Err(None);
    }
    Ok(bytes)
}

/// Reads a photo: its line of JSON, as `scan` prints it, but without a path.
pub(crate) fn read(
    reads: &dyn Reads,
    queue: &DecodeQueue,
    connection: &Connection<'_>,
    bytes: &[u8],
    on_event: &dyn Fn(ServerEvent<'_>),
) -> Answer {
    let Some(_slot) = queue.slot(connection) else { return Answer::replaced() };
    let phone = connection.number;
    let mut trace = Trace::default();
    let photo = match trace.stage("load", |_| source::decode_to_read(bytes, &connection.over)) {
        Ok(photo) => photo,
        Err(_) if connection.is_over() => return Answer::replaced(),
        Err(error) => {
            on_event(ServerEvent::NotRead { phone, reason: error.to_string() });
            return unread(&error);
        }
    };
    let reading = match reads.read(photo, &mut trace) {
        Ok(reading) => reading,
        Err(reason) => {
            on_event(ServerEvent::NotRead { phone, reason });
            return Answer::wrong("500 Internal Server Error", "failed");
        }
    };
    on_event(ServerEvent::Photo { phone, bytes, reading: &reading, times: &trace.times });
    Answer::json(&line_of(Vec::new(), &reading.table, &trace.times))
}

/// A photo as a JPEG that every browser shows, upright and of a moderate size.
pub(crate) fn picture(queue: &DecodeQueue, connection: &Connection<'_>, bytes: &[u8]) -> Answer {
    let Some(_slot) = queue.slot(connection) else { return Answer::replaced() };
    match source::decode_until(bytes, &connection.over) {
        Ok(photo) => match encode::for_browsers(&photo.frame) {
            Ok(bytes) => Answer::jpeg(bytes),
            Err(_) => Answer::wrong("500 Internal Server Error", "failed"),
        },
        Err(_) if connection.is_over() => Answer::replaced(),
        Err(error) => unread(&error),
    }
}

/// What is wrong with a photo, by a word that the page knows.
fn unread(error: &SourceError) -> Answer {
    Answer::wrong("422 Unprocessable Content", error.word())
}
