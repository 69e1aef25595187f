//! Sessions of a few phones. A phone that comes back finds its game again.

use crate::{pictures::Game, request::Phone};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};
use std::{io, thread};

pub(crate) const MOST_PHONES: usize = 4;

/// How long the game of a phone is kept that is away.
const AWAY: Duration = Duration::from_secs(600);

#[derive(Default)]
pub(crate) struct Sessions {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    sessions: Vec<PhoneSession>,
    /// Number of connections so far, by which a connection knows whether another has replaced it.
    connections: u64,
    /// Number of phones so far.
    phones: u32,
    closed: bool,
}

/// The present connection of a phone.
struct Current {
    id: u64,
    stream: TcpStream,
    over: Arc<AtomicBool>,
}

impl Current {
    fn end(&self, how: Shutdown) {
        self.over.store(true, Ordering::Relaxed);
        let _ = self.stream.shutdown(how);
    }
}

struct PhoneSession {
    phone: Phone,
    number: u32,
    connection: Option<Current>,
    used: Instant,
    game: SessionGame,
}

/// The game of a phone that is or was live; held locked by its connection.
pub(crate) type SessionGame = Arc<Mutex<Option<Game>>>;

/// A phone's connection to its session, until this is dropped.
pub(crate) struct Connection<'a> {
    sessions: &'a Sessions,
    pub id: u64,
    /// Whether the same phone has come again since, or the server stops.
    pub over: Arc<AtomicBool>,
    /// Which phone it is, from 1, in the order in which they came.
    pub number: u32,
    /// Whether it was not here before.
    pub is_first: bool,
    pub game: SessionGame,
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place. What the same phone was doing ends, because the newest picture counts, and
    /// because a phone that lost its network comes back sooner than the loss shows here. `None` if
    /// all places are taken.
    pub(crate) fn take(
        &self,
        phone: &Phone,
        stream: io::Result<TcpStream>,
    ) -> io::Result<Option<Connection<'_>>> {
        let stream = stream?;
        let mut inner = self.lock();
        if inner.closed {
            return Ok(None);
        }
        inner.connections += 1;
        let id = inner.connections;
        let given_up = inner.sessions.extract_if(.., |session| {
            session.connection.is_none() && session.used.elapsed() > AWAY
        });
        let mut given_up: Vec<PhoneSession> = given_up.collect();
        let existing = inner.sessions.iter().position(|session| session.phone == *phone);
        let place = match existing {
            Some(place) => place,
            None => {
                if inner.sessions.len() == MOST_PHONES {
                    let empty = inner
                        .sessions
                        .iter()
                        .enumerate()
                        .filter(|(_, session)| session.connection.is_none());
                    let Some((oldest, _)) = empty.min_by_key(|(_, session)| session.used) else {
                        return Ok(None);
                    };
                    given_up.push(inner.sessions.swap_remove(oldest));
                }
                inner.phones += 1;
                let number = inner.phones;
                let (phone, used) = (phone.clone(), Instant::now());
                inner.sessions.push(PhoneSession {
                    phone,
                    number,
                    connection: None,
                    used,
                    game: Arc::default(),
                });
                inner.sessions.len() - 1
            }
        };
        let session = &mut inner.sessions[place];
        let over: Arc<AtomicBool> = Arc::default();
        let present = Current { id, stream, over: Arc::clone(&over) };
        if let Some(older) = session.connection.replace(present) {
            // It can still get the reason.
            older.end(Shutdown::Read);
        }
        let (number, game) = (session.number, Arc::clone(&session.game));
        drop(inner);
        // Their threads are waited for, which other phones need not wait for.
        drop(given_up);
        Ok(Some(Connection {
            sessions: self,
            id,
            over,
            number,
            is_first: existing.is_none(),
            game,
        }))
    }

    /// Whether a phone would get a place.
    pub(crate) fn has_place(&self, phone: Option<&Phone>) -> bool {
        let inner = self.lock();
        let is_free =
            |session: &PhoneSession| session.connection.is_none() || Some(&session.phone) == phone;
        !inner.closed && (inner.sessions.len() < MOST_PHONES || inner.sessions.iter().any(is_free))
    }

    /// Ends all connections and takes no more.
    pub(crate) fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        inner
            .sessions
            .iter()
            .filter_map(|session| session.connection.as_ref())
            .for_each(|connection| connection.end(Shutdown::Both));
    }

    /// Whether a phone is there.
    pub(crate) fn are_empty(&self) -> bool {
        self.lock().sessions.iter().all(|session| session.connection.is_none())
    }
}

impl Connection<'_> {
    /// The game of its phone, once the older connection that holds it has ended; `None` if this
    /// one is over before.
    pub(crate) fn lock_game(&self) -> Option<MutexGuard<'_, Option<Game>>> {
        /// Between two looks; the older connection ends within a picture.
        const LOOK: Duration = Duration::from_millis(5);
        while !self.is_over() {
            match self.game.try_lock() {
                Ok(game) => return Some(game),
                Err(TryLockError::Poisoned(game)) => return Some(game.into_inner()),
                Err(TryLockError::WouldBlock) => thread::sleep(LOOK),
            }
        }
        None
    }

    /// Whether nobody waits for it any more.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        let mut inner = self.sessions.lock();
        let mut sessions = inner.sessions.iter_mut();
        let current = sessions.find(|session| {
            session.connection.as_ref().is_some_and(|connection| connection.id == self.id)
        });
        if let Some(session) = current {
            session.connection = None;
            session.used = Instant::now();
        }
    }
}
