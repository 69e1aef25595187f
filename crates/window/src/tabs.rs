//! All tabs of the window.

use crate::{
    TABS,
    shared::tab::{AppContext, Ask, Tab, TabSpec},
};
use std::{any::Any, path::Path};

/// As what a file of a tab's own kind is opened.
pub(crate) fn ask_for(path: &Path) -> Option<Ask> {
    TABS.iter().find_map(|spec| (spec.opens)(path))
}

/// One tab of each kind, of which one is seen.
pub struct Tabs {
    /// In the order of [`TABS`].
    all: Vec<Box<dyn Tab>>,
    current: usize,
    /// The one that was seen before.
    before: usize,
}

impl Tabs {
    /// With nothing open.
    pub(crate) fn new(app: &AppContext) -> Self {
        Self { all: TABS.iter().map(|spec| (spec.make)(app)).collect(), current: 0, before: 0 }
    }

    /// The entry of the tab that is seen.
    pub(crate) fn spec(&self) -> &'static TabSpec {
        &TABS[self.current]
    }

    /// Shows the tab of this name.
    pub(crate) fn see(&mut self, id: &str) {
        let place = TABS.iter().position(|spec| spec.id == id);
        let place = place.expect("a name in the list of tabs");
        if place != self.current {
            self.before = std::mem::replace(&mut self.current, place);
        }
    }

    /// Shows the tab that was seen before.
    pub(crate) fn go_back(&mut self) {
        std::mem::swap(&mut self.current, &mut self.before);
    }

    pub(crate) fn current(&self) -> &dyn Tab {
        &*self.all[self.current]
    }

    /// The same, to be changed.
    pub(crate) fn current_mut(&mut self) -> &mut dyn Tab {
        &mut *self.all[self.current]
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &dyn Tab> {
        self.all.iter().map(|tab| &**tab)
    }

    /// All of them, and whether each is seen.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&mut dyn Tab, bool)> {
        let current = self.current;
        self.all.iter_mut().enumerate().map(move |(place, tab)| (&mut **tab, place == current))
    }

    /// The tab of this type.
    pub(crate) fn get<T: Tab>(&self) -> &T {
        let found = self.iter().find_map(|tab| (tab as &dyn Any).downcast_ref());
        found.expect("a type in the list of tabs")
    }

    /// The same, to be changed.
    pub fn get_mut<T: Tab>(&mut self) -> &mut T {
        let mut found = self.iter_mut().filter_map(|(tab, _)| (tab as &mut dyn Any).downcast_mut());
        found.next().expect("a type in the list of tabs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tab_has_a_unique_name() {
        for (place, spec) in TABS.iter().enumerate() {
            let first = TABS.iter().position(|other| other.id == spec.id);
            assert_eq!(first, Some(place), "{}", spec.id);
        }
    }
}
