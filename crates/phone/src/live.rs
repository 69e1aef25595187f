//! Live pictures: a phone sends JPEGs over a WebSocket, and is told for each what `live` prints.
//!
//! The next picture is read when the last one is answered, so that nothing piles up here, whatever a
//! phone sends: its page has two pictures on their way, and makes the next one when an answer comes.

use crate::photo::Reads;
use crate::seats::Visit;
use crate::server::News;
use crate::socket::Stream;
use image::ImageDecoder;
use image::codecs::jpeg::JpegDecoder;
use setsight_live::cameras::Shot;
use setsight_live::parts::{Latest, RunningSession, jpeg};
use setsight_live::views::freeze;
use setsight_live::{CameraError, Feed, Input, LiveCommand, LiveSource, LiveView, Onlooker};
use std::io::{self, Cursor};
use std::sync::{Arc, PoisonError};
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

    fn onlooker(&self) -> Onlooker {
        self.session.onlooker()
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

/// Answers the pictures of a phone until it leaves, or is sent away, with the reason.
pub(crate) fn play(
    stream: Stream,
    visit: &Visit<'_>,
    reads: &dyn Reads,
    news: &dyn Fn(News<'_>),
) -> Option<&'static str> {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MOST_BYTES))
        .max_frame_size(Some(MOST_BYTES));
    let mut socket = WebSocket::from_raw_socket(stream, Role::Server, Some(config));
    // An older connection of this phone ends now, as its socket was shut down.
    let mut game = visit.game.lock().unwrap_or_else(PoisonError::into_inner);
    let mut is_told = false;
    let mut words = 0;
    loop {
        socket.get_mut().allow(SILENCE);
        match socket.read() {
            Ok(Message::Binary(bytes)) => {
                words = 0;
                if game.is_none() {
                    match Game::new(reads, visit.number) {
                        Ok(new) => *game = Some(new),
                        Err(_) => return None,
                    }
                }
                let playing = game.as_mut()?;
                if !std::mem::replace(&mut is_told, true) {
                    news(News::Live { phone: visit.number, game: playing.onlooker() });
                }
                let text = match playing.follow(&bytes) {
                    Followed::View(view) => {
                        news(News::View { phone: visit.number, view: &view });
                        freeze::line(&view).to_string()
                    }
                    Followed::Wrong(word) => serde_json::json!({ "error": word }).to_string(),
                    Followed::Failed => {
                        *game = None;
                        return None;
                    }
                };
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
                if let Some(game) = game.as_mut() {
                    game.session.command(LiveCommand::NewGame);
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
