//! A slot that holds the newest item only.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A slot between two threads. A new item replaces one that was not taken.
#[derive(Debug)]
pub struct Latest<T> {
    inner: Mutex<Inner<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Inner<T> {
    item: Option<T>,
    closed: bool,
}

/// The result of [`Latest::take`].
#[derive(Debug, PartialEq)]
pub enum Taken<T> {
    /// The newest item.
    Item(T),
    /// No item came in time.
    Nothing,
    /// The slot is closed; no item will come.
    Closed,
}

impl<T> Default for Latest<T> {
    fn default() -> Self {
        let inner = Inner { item: None, closed: false };
        Self { inner: Mutex::new(inner), changed: Condvar::new() }
    }
}

impl<T> Latest<T> {
    fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        // A thread that panicked leaves either a complete item or none.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts an item in. False if the slot is closed.
    pub fn put(&self, item: T) -> bool {
        let mut inner = self.lock();
        if inner.closed {
            return false;
        }
        inner.item = Some(item);
        self.changed.notify_all();
        true
    }

    /// Takes the newest item out, and waits for one up to the given time.
    pub fn take(&self, wait: Duration) -> Taken<T> {
        let inner = self.lock();
        let waiting = |inner: &mut Inner<T>| inner.item.is_none() && !inner.closed;
        let (mut inner, _) = self
            .changed
            .wait_timeout_while(inner, wait, waiting)
            .unwrap_or_else(PoisonError::into_inner);
        match inner.item.take() {
            Some(item) => Taken::Item(item),
            None if inner.closed => Taken::Closed,
            None => Taken::Nothing,
        }
    }

    /// Closes the slot: no more items are put in.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Whether the slot is closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Whether the slot holds no item.
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().item.is_none()
    }

    /// Waits for the given time or until the slot is closed. False if it is closed.
    pub(crate) fn pause(&self, wait: Duration) -> bool {
        let inner = self.lock();
        let (inner, _) = self
            .changed
            .wait_timeout_while(inner, wait, |inner| !inner.closed)
            .unwrap_or_else(PoisonError::into_inner);
        !inner.closed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_item_is_there() {
        let slot = Latest::default();
        for i in 0..5 {
            assert!(slot.put(i));
        }
        assert_eq!(slot.take(Duration::ZERO), Taken::Item(4));
        assert_eq!(slot.take(Duration::ZERO), Taken::Nothing);
        slot.put(7);
        slot.close();
        assert!(!slot.put(8) && !slot.pause(Duration::from_secs(100)));
        assert_eq!(slot.take(Duration::from_secs(100)), Taken::Item(7));
        assert_eq!(slot.take(Duration::from_secs(100)), Taken::Closed);
    }
}
