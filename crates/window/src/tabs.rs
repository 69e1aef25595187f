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
    seen: usize,
    /// The one that was seen before.
    before: usize,
}

impl Tabs {
    /// With nothing open.
    pub(crate) fn new(app: &AppContext) -> Self {
        Self { all: TABS.iter().map(|spec| (spec.make)(app)).collect(), seen: 0, before: 0 }
    }

    /// The entry of the tab that is seen.
    pub(crate) fn spec(&self) -> &'static TabSpec {
        &TABS[self.seen]
    }

    /// Shows the tab of this name.
    pub(crate) fn see(&mut self, id: &str) {
        let place = TABS.iter().position(|spec| spec.id == id);
        let place = place.expect("a name in the list of tabs");
        if place != self.seen {
            self.before = std::mem::replace(&mut self.seen, place);
        }
    }

    /// Shows the tab that was seen before.
    pub(crate) fn go_back(&mut self) {
        std::mem::swap(&mut self.seen, &mut self.before);
    }

    pub(crate) fn seen(&self) -> &dyn Tab {
        &*self.all[self.seen]
    }

    /// The same, to be changed.
    pub(crate) fn seen_mut(&mut self) -> &mut dyn Tab {
        &mut *self.all[self.seen]
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &dyn Tab> {
        self.all.iter().map(|tab| &**tab)
    }

    /// All of them, and whether each is seen.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&mut dyn Tab, bool)> {
        let seen = self.seen;
        self.all.iter_mut().enumerate().map(move |(place, tab)| (&mut **tab, place == seen))
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
    fn every_tab_has_a_name_of_its_own() {
        for (place, spec) in TABS.iter().enumerate() {
            let first = TABS.iter().position(|other| other.id == spec.id);
            assert_eq!(first, Some(place), "{}", spec.id);
        }
    }
}
