//! Places for a few phones. A phone that comes back finds its game again.

use crate::live::Game;
use crate::request::Phone;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

/// Most phones at once.
pub(crate) const MOST_PHONES: usize = 4;

/// How long the game of a phone is kept that is away.
const AWAY: Duration = Duration::from_secs(600);

/// The places.
#[derive(Default)]
pub(crate) struct Seats {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    seats: Vec<Seat>,
    /// Number of visits so far, by which a visit knows whether another has replaced it.
    visits: u64,
    /// Number of phones so far.
    phones: u32,
    closed: bool,
}

/// The present visit of a phone.
struct Present {
    id: u64,
    connection: TcpStream,
    over: Arc<AtomicBool>,
}

impl Present {
    fn end(&self, how: Shutdown) {
        self.over.store(true, Ordering::Relaxed);
        let _ = self.connection.shutdown(how);
    }
}

struct Seat {
    phone: Phone,
    number: u32,
    visit: Option<Present>,
    used: Instant,
    game: SeatGame,
}

/// The game of a phone that is or was live; held locked by its connection.
pub(crate) type SeatGame = Arc<Mutex<Option<Game>>>;

/// A phone on its place, until this is dropped.
pub(crate) struct Visit<'a> {
    seats: &'a Seats,
    pub id: u64,
    /// Whether the same phone has come again since, or the server stops.
    pub over: Arc<AtomicBool>,
    /// Which phone it is, from 1, in the order in which they came.
    pub number: u32,
    /// Whether it was not here before.
    pub is_first: bool,
    /// Its game.
    pub game: SeatGame,
}

impl Seats {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place. What the same phone was doing ends, because the newest picture counts, and
    /// because a phone that lost its network comes back sooner than the loss shows here. `None` if
    /// all places are taken.
    pub(crate) fn take(
        &self,
        phone: &Phone,
        connection: io::Result<TcpStream>,
    ) -> io::Result<Option<Visit<'_>>> {
        let connection = connection?;
        let mut inner = self.lock();
        if inner.closed {
            return Ok(None);
        }
        inner.visits += 1;
        let id = inner.visits;
        let is_gone = |seat: &mut Seat| seat.visit.is_none() && seat.used.elapsed() > AWAY;
        let mut given_up: Vec<Seat> = inner.seats.extract_if(.., is_gone).collect();
        let known = inner.seats.iter().position(|seat| seat.phone == *phone);
        let place = match known {
            Some(place) => place,
            None => {
                if inner.seats.len() == MOST_PHONES {
                    let empty =
                        inner.seats.iter().enumerate().filter(|(_, seat)| seat.visit.is_none());
                    let Some((oldest, _)) = empty.min_by_key(|(_, seat)| seat.used) else {
                        return Ok(None);
                    };
                    given_up.push(inner.seats.swap_remove(oldest));
                }
                inner.phones += 1;
                let number = inner.phones;
                let (phone, used) = (phone.clone(), Instant::now());
                inner.seats.push(Seat { phone, number, visit: None, used, game: Arc::default() });
                inner.seats.len() - 1
            }
        };
        let seat = &mut inner.seats[place];
        let over: Arc<AtomicBool> = Arc::default();
        let present = Present { id, connection, over: Arc::clone(&over) };
        if let Some(older) = seat.visit.replace(present) {
            // It can still be told why.
            older.end(Shutdown::Read);
        }
        let (number, game) = (seat.number, Arc::clone(&seat.game));
        drop(inner);
        // Their threads are waited for, which others need not.
        drop(given_up);
        Ok(Some(Visit { seats: self, id, over, number, is_first: known.is_none(), game }))
    }

    /// Whether a phone would get a place.
    pub(crate) fn has_place(&self, phone: Option<&Phone>) -> bool {
        let inner = self.lock();
        let is_free = |seat: &Seat| seat.visit.is_none() || Some(&seat.phone) == phone;
        !inner.closed && (inner.seats.len() < MOST_PHONES || inner.seats.iter().any(is_free))
    }

    /// Ends all visits and takes no more.
    pub(crate) fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        inner
            .seats
            .iter()
            .filter_map(|seat| seat.visit.as_ref())
            .for_each(|visit| visit.end(Shutdown::Both));
    }

    /// Whether a phone is there.
    pub(crate) fn are_empty(&self) -> bool {
        self.lock().seats.iter().all(|seat| seat.visit.is_none())
    }
}

impl Visit<'_> {
    /// The game of its phone, once the older visit that holds it has ended; `None` if this one is over before.
    pub(crate) fn lock_game(&self) -> Option<MutexGuard<'_, Option<Game>>> {
        /// Between two looks; the older visit ends within a picture.
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

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        let mut inner = self.seats.lock();
        let own = |seat: &&mut Seat| seat.visit.as_ref().is_some_and(|visit| visit.id == self.id);
        if let Some(seat) = inner.seats.iter_mut().find(own) {
            seat.visit = None;
            seat.used = Instant::now();
        }
    }
}
