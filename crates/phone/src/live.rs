//! Live pictures: a phone sends JPEGs over a WebSocket, and is told for each what `live` prints.
//!
//! The next picture is read when the last one is answered, so that nothing piles up here, whatever a
//! phone sends: its page has two pictures on their way, and makes the next one when an answer comes.

use crate::{
    answer::Answer, photo::Reads, server::ServerEvent, sessions::Connection, socket::Stream,
};
use image::{ImageDecoder, codecs::jpeg::JpegDecoder};
use serde_json::Value;
use setsight_live::parts::{Latest, RunningSession, jpeg};
use setsight_live::{CameraError, Feed, Input, LiveCommand, LiveSource, LiveView, Observer};
use setsight_live::{cameras::Shot, views::snapshot};
use std::{
    io::{self, Cursor},
    sync::Arc,
    time::{Duration, Instant},
};
use tungstenite::{
    Bytes, Message,
    protocol::{CloseFrame, Role, WebSocket, WebSocketConfig, frame::coding::CloseCode},
};

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
/// What a phone is told that sends more.
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
    let mut is_told = false;
    let mut words = 0;
    loop {
        socket.get_mut().allow(SILENCE);
        match socket.read() {
            Ok(Message::Binary(bytes)) => {
                words = 0;
                let is_new = !std::mem::replace(&mut is_told, true);
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
