//! Photos that phones send.

use crate::answer::Answer;
use crate::server::News;
use setsight_live::{FramePace, Session};
use setsight_photo::encode;
use setsight_photo::source::{self, Photo, SourceError};
use setsight_track::Params;
use setsight_vision::output::line_of;
use setsight_vision::{PhotoReading, Pipeline, Trace};
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// Largest photo, in bytes: phones make them of up to 20 MB.
pub(crate) const MOST_BYTES: u64 = 25_000_000;

/// What reads tables: the stages of [`Pipeline`], or a fake in tests.
pub trait Reads: Send + Sync {
    /// Reads a photo.
    ///
    /// # Errors
    /// Why it could not be read, in words.
    fn read(&self, photo: Photo, trace: &mut Trace<'_>) -> Result<PhotoReading, String>;
    /// A game whose pictures are still to come.
    ///
    /// # Errors
    /// A thread cannot be started.
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

/// Photos are decoded and read one after the other, so that four large ones need the memory of one.
#[derive(Default)]
pub(crate) struct Turn(Mutex<()>);

/// Reads the body of a request.
///
/// # Errors
/// An answer that says what is wrong, or none if the connection has failed.
pub(crate) fn body(
    length: Option<u64>,
    begun: Vec<u8>,
    from: &mut impl Read,
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
    from.take(rest).read_to_end(&mut bytes).map_err(|_| None)?;
    if bytes.len() as u64 != length {
        return Err(None);
    }
    Ok(bytes)
}

/// Reads a photo: its line of JSON, as `scan` prints it, but without a path.
pub(crate) fn read(
    reads: &dyn Reads,
    turn: &Turn,
    phone: u32,
    bytes: &[u8],
    news: &dyn Fn(News<'_>),
) -> Answer {
    let _turn = turn.0.lock().unwrap_or_else(PoisonError::into_inner);
    let mut trace = Trace::default();
    let photo = match trace.stage("load", |_| source::decode(bytes)) {
        Ok(photo) => photo,
        Err(error) => {
            news(News::NotRead { phone, reason: error.to_string() });
            return unread(&error);
        }
    };
    let reading = match reads.read(photo, &mut trace) {
        Ok(reading) => reading,
        Err(reason) => {
            news(News::NotRead { phone, reason });
            return Answer::wrong("500 Internal Server Error", "failed");
        }
    };
    news(News::Photo { phone, bytes, reading: &reading, times: &trace.times });
    Answer::json(&line_of(Vec::new(), &reading.table, &trace.times))
}

/// A photo as a JPEG that every browser shows, upright and of a moderate size.
pub(crate) fn picture(turn: &Turn, bytes: &[u8]) -> Answer {
    let _turn = turn.0.lock().unwrap_or_else(PoisonError::into_inner);
    match source::decode(bytes) {
        Ok(photo) => match encode::for_browsers(&photo.frame) {
            Ok(bytes) => Answer::jpeg(bytes),
            Err(_) => Answer::wrong("500 Internal Server Error", "failed"),
        },
        Err(error) => unread(&error),
    }
}

/// What is wrong with a photo, by a word that the page knows.
fn unread(error: &SourceError) -> Answer {
    Answer::wrong("422 Unprocessable Content", error.word())
}
