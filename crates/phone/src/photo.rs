//! Photos that phones send.

use crate::{answer::Answer, server::ServerEvent, sessions::Connection};
use setsight_live::{FramePace, Session};
use setsight_photo::encode;
use setsight_photo::source::{self, Photo, SourceError};
use setsight_track::Params;
use setsight_vision::{PhotoReading, Pipeline, Trace, output::line_of};
use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::{collections::VecDeque, time::Duration};

/// Largest photo, in bytes: phones make them of up to 20 MB.
pub(crate) const MOST_BYTES: u64 = 25_000_000;

/// What reads tables: the stages of [`Pipeline`], or a fake in tests.
pub trait Reads: Send + Sync {
    /// Reads a photo.
    fn read(&self, photo: Photo, trace: &mut Trace<'_>) -> Result<PhotoReading, String>;
    /// A game whose pictures are still to come.
    fn session(&self) -> io::Result<Session>;
}

impl Reads for Arc<Pipeline> {
    fn read(&self, photo: Photo, trace: &mut Trace<'_>) -> Result<PhotoReading, String> {
        self.read_photo(photo, trace).map_err(|error| error.to_string())
    }

    fn session(&self) -> io::Result<Session> {
        Session::new(Arc::<Pipeline>::clone(self), Params::of(self), FramePace::Newest)
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
        let waits = |line: &mut VecDeque<u64>| line.front() != Some(&connection.id);
        while !connection.is_over() {
            let (line, _) = self
                .moved
                .wait_timeout_while(self.line(), LOOK, waits)
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
    if length > MOST_BYTES {
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
    let photo = match trace.stage("load", |_| source::decode_until(bytes, &connection.over)) {
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
