//! Processes many photos in parallel and returns the results in order.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, mpsc};
use std::{collections::BTreeMap, ops::ControlFlow};

/// How many photos per worker may be begun ahead of the slowest: enough that no worker waits for
/// one large photo among small ones, few enough to bound the memory.
const AHEAD_PER_JOB: usize = 8;

/// The state that the workers share.
struct Progress {
    /// Index of the first item not yet taken.
    next: usize,
    /// Number of results passed to `done`.
    handed_on: usize,
}

/// Calls `work` on every item with `jobs` threads and passes the results to `done`, on the calling
/// thread and in the items' order. A panic in `work` affects that item alone: its result is the
/// panic's message.
///
/// No new item is begun once `stop` is set or `done` breaks. Items already begun are finished;
/// after `stop` their results still go to `done`. Returns the number of results passed to `done`.
pub fn in_order<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    stop: &AtomicBool,
    work: impl Fn(usize, &T) -> R + Sync,
    mut done: impl FnMut(usize, Result<R, String>) -> ControlFlow<()>,
) -> usize {
    let jobs = jobs.clamp(1, items.len().max(1));
    // In a pool, a stage that is itself parallel uses these threads.
    let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(jobs).build() else {
        return one_by_one(items, stop, work, done);
    };
    let progress = Mutex::new(Progress { next: 0, handed_on: 0 });
    let moved = Condvar::new();
    let broken_off = AtomicBool::new(false);
    let (sender, receiver) = mpsc::channel();
    let take = || {
        next_item(&progress, &moved, (items.len(), AHEAD_PER_JOB * jobs), &|| {
            stop.load(Ordering::Relaxed) || broken_off.load(Ordering::Relaxed)
        })
    };
    let mut handed_on = 0;
    pool.in_place_scope(|scope| {
        // The scope waits for its workers even while a panic of `done` unwinds, so all must be
        // woken.
        let _woken = OnDrop(|| {
            broken_off.store(true, Ordering::Relaxed);
            // Holding the lock ensures that no worker is between its check and its wait.
            let _held = progress.lock();
            moved.notify_all();
        });
        for _ in 0..jobs {
            let sender = sender.clone();
            let (take, work) = (&take, &work);
            scope.spawn(move |_| {
                while let Some(i) = take() {
                    let result = catch_unwind(AssertUnwindSafe(|| work(i, &items[i])));
                    // After `done` has broken off, nobody receives.
                    let _ = sender.send((i, result.map_err(|panic| message_of(&*panic))));
                }
            });
        }
        drop(sender);
        let mut early = BTreeMap::new();
        for (i, result) in &receiver {
            early.insert(i, result);
            while let Some(result) = early.remove(&handed_on) {
                if broken_off.load(Ordering::Relaxed) {
                    break;
                }
                if done(handed_on, result).is_break() {
                    broken_off.store(true, Ordering::Relaxed);
                }
                handed_on += 1;
            }
            progress.lock().expect("no panic while held").handed_on = handed_on;
            moved.notify_all();
        }
    });
    handed_on
}

/// The index of the next of `items`, once fewer than `ahead` have not been handed on; `None` at the end, or if
/// stopped.
fn next_item(
    progress: &Mutex<Progress>,
    moved: &Condvar,
    (items, ahead): (usize, usize),
    stopped: &impl Fn() -> bool,
) -> Option<usize> {
    let mut p = progress.lock().expect("no panic while held");
    while p.next >= p.handed_on + ahead && !stopped() {
        p = moved.wait(p).expect("no panic while held");
    }
    let taken = p.next;
    (taken < items && !stopped()).then(|| {
        p.next += 1;
        taken
    })
}

/// The same on this thread, where the system gives no more.
fn one_by_one<T, R>(
    items: &[T],
    stop: &AtomicBool,
    work: impl Fn(usize, &T) -> R,
    mut done: impl FnMut(usize, Result<R, String>) -> ControlFlow<()>,
) -> usize {
    for (i, item) in items.iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            return i;
        }
        let result = catch_unwind(AssertUnwindSafe(|| work(i, item)));
        if done(i, result.map_err(|panic| message_of(&*panic))).is_break() {
            return i + 1;
        }
    }
    items.len()
}

/// Calls a function when it goes out of scope, also during a panic.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

fn message_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn run(jobs: usize, stop: &AtomicBool, break_at: usize) -> (Vec<usize>, usize) {
        let items: Vec<usize> = (0..200).collect();
        let mut handed_on = Vec::new();
        let count = in_order(
            &items,
            jobs,
            stop,
            |_, &item| {
                // The first items take longest, so the results arrive in another order.
                std::thread::sleep(Duration::from_micros(400 - 2 * item as u64));
                assert!(item != 7, "item seven");
                item * 2
            },
            |i, result| {
                match result {
                    Ok(value) => assert_eq!(value, 2 * i),
                    Err(message) => assert_eq!((i, message.as_str()), (7, "item seven")),
                }
                handed_on.push(i);
                if i == break_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        (handed_on, count)
    }

    #[test]
    fn without_threads_they_come_one_by_one() {
        let (mut handed_on, go_on) = (Vec::new(), AtomicBool::new(false));
        let work = |_: usize, &item: &usize| {
            assert!(item != 1, "one");
            item
        };
        let count = one_by_one(&[0, 1, 2, 3], &go_on, work, |i, result| {
            handed_on.push((i, result));
            if i == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(
            (count, handed_on),
            (3, vec![(0, Ok(0)), (1, Err("one".to_owned())), (2, Ok(2))])
        );
        go_on.store(true, Ordering::Relaxed);
        assert_eq!(one_by_one(&[0], &go_on, work, |_, _| ControlFlow::Continue(())), 0);
    }

    #[test]
    fn results_come_in_order_with_any_number_of_jobs() {
        for jobs in [1, 3, 16] {
            let (handed_on, count) = run(jobs, &AtomicBool::new(false), usize::MAX);
            assert_eq!(handed_on, (0..200).collect::<Vec<_>>());
            assert_eq!(count, 200);
        }
    }

    #[test]
    fn a_panic_while_results_are_handed_on_leaves_nobody_waiting() {
        let items: Vec<usize> = (0..200).collect();
        let go_on = AtomicBool::new(false);
        assert!(
            catch_unwind(AssertUnwindSafe(|| in_order(
                &items,
                4,
                &go_on,
                |_, item| *item,
                |i, _| {
                    assert!(i != 3, "nobody can be told");
                    ControlFlow::Continue(())
                }
            )))
            .is_err()
        );
    }

    #[test]
    fn a_break_ends_it_and_a_stop_begins_nothing() {
        let (handed_on, count) = run(4, &AtomicBool::new(false), 20);
        assert_eq!((handed_on.len(), count), (21, 21));
        assert_eq!(run(4, &AtomicBool::new(true), usize::MAX).1, 0);
    }

    #[test]
    fn nothing_to_do_is_done() {
        let none: [u8; 0] = [];
        let done = in_order(
            &none,
            4,
            &AtomicBool::new(false),
            |_, _| (),
            |_, _| ControlFlow::Continue(()),
        );
        assert_eq!(done, 0);
    }
}
