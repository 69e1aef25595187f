//! What was, what is, and what was taken back.

/// A value with its past and, after undoing, its future.
#[derive(Clone, Debug)]
pub(crate) struct History<T> {
    past: Vec<T>,
    now: T,
    future: Vec<T>,
}

impl<T: Clone + PartialEq> History<T> {
    /// Nothing has happened yet.
    pub(crate) fn new(now: T) -> Self {
        Self { past: Vec::new(), now, future: Vec::new() }
    }

    /// As it is now.
    pub(crate) fn now(&self) -> &T {
        &self.now
    }

    /// Changes it. What was undone before can no longer be redone.
    pub(crate) fn change(&mut self, to: T) {
        if to != self.now {
            self.past.push(std::mem::replace(&mut self.now, to));
            self.future.clear();
        }
    }

    /// Changes it as a part of the change before: a drag is one change.
    pub(crate) fn amend(&mut self, to: T) {
        self.now = to;
        self.future.clear();
    }

    /// Changes all that was, is and was taken back.
    pub(crate) fn rewrite(&mut self, new: impl Fn(&T) -> T) {
        self.now = new(&self.now);
        for state in self.past.iter_mut().chain(&mut self.future) {
            *state = new(state);
        }
    }

    /// Goes back; whether there was anything to go back to.
    pub(crate) fn undo(&mut self) -> bool {
        let Some(before) = self.past.pop() else { return false };
        self.future.push(std::mem::replace(&mut self.now, before));
        true
    }

    /// Goes forward again; whether there was anything.
    pub(crate) fn redo(&mut self) -> bool {
        let Some(after) = self.future.pop() else { return false };
        self.past.push(std::mem::replace(&mut self.now, after));
        true
    }

    /// Whether there is anything to undo.
    pub(crate) fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether there is anything to redo.
    pub(crate) fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn undo_and_redo_walk_the_same_way(changes in prop::collection::vec(0u8..4, 0..20)) {
            let mut history = History::new(0);
            let mut way = vec![0];
            for to in changes {
                history.change(to);
                if *way.last().unwrap() != to {
                    way.push(to);
                }
            }
            let mut back = vec![*history.now()];
            while history.undo() {
                back.push(*history.now());
            }
            back.reverse();
            prop_assert_eq!(&back, &way);
            let mut forth = vec![*history.now()];
            while history.redo() {
                forth.push(*history.now());
            }
            prop_assert_eq!(forth, way);
        }
    }

    #[test]
    fn a_change_ends_the_future_and_an_amendment_is_no_step() {
        let mut history = History::new(1);
        history.change(2);
        history.amend(3);
        assert!(history.undo() && *history.now() == 1 && !history.can_undo());
        history.change(7);
        assert!(!history.can_redo());
    }
}
