//! The photos that are open: what is known of each, and which of them the strip shows.

use crate::photos::library::{Found, Library};
use crate::photos::strip::{Filter, Strip, Summary};
use crate::{photos::corrections::Corrections, shared::table::Table};
use setsight_photo::source::ListError;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// A deck is taught from so many photos at most.
const MOST_TAUGHT: usize = 30;

/// The open photos.
#[derive(Default)]
pub struct Shelf {
    /// What threads read of them.
    pub(crate) library: Option<Library>,
    /// Their thumbnails.
    pub(crate) strip: Strip,
    /// What the strip says of each.
    pub(crate) summaries: Vec<Option<Summary>>,
    /// The one that is looked at.
    pub current: usize,
    /// Which photos the strip shows, by what is known of them.
    pub(crate) filter: Filter,
    /// Their places, in order.
    pub(crate) in_strip: Vec<usize>,
    /// Photos whose summaries are to be made anew.
    pub(crate) to_summarise: VecDeque<usize>,
    /// What people have said of their cards.
    pub(crate) corrections: Corrections,
    /// Why what was opened gives no photos, where there are none.
    pub(crate) no_photos: Vec<ListError>,
}

impl Shelf {
    /// The photo that is looked at: its path and what was found in it.
    pub fn current(&self) -> Option<(&Path, Option<&Found>)> {
        let entry = self.library.as_ref()?.entries.get(self.current)?;
        let found = entry.found.as_ref().and_then(|found| found.as_ref().ok());
        Some((&entry.path, found))
    }

    /// The same, once it has been read.
    pub(crate) fn found(&self) -> Option<(&Path, &Found)> {
        let (path, found) = self.current()?;
        Some((path, found?))
    }

    /// The same, and what people have said of it.
    pub(crate) fn in_hand(&mut self) -> Option<(&Path, &Found, &mut Corrections)> {
        let entry = self.library.as_ref()?.entries.get(self.current)?;
        let found = entry.found.as_ref()?.as_ref().ok()?;
        Some((&entry.path, found, &mut self.corrections))
    }

    /// The photos from the one that is looked at on; not more than a deck is taught from.
    pub(crate) fn some_paths(&self) -> Vec<PathBuf> {
        let entries = self.library.iter().flat_map(|library| &library.entries);
        entries.skip(self.current).take(MOST_TAUGHT).map(|entry| entry.path.clone()).collect()
    }

    /// How many photos are open, and how many of them have been read.
    pub fn progress(&self) -> (usize, usize) {
        self.library.as_ref().map_or((0, 0), |library| (library.entries.len(), library.read))
    }

    /// How many photos a person has checked.
    pub(crate) fn checked(&self) -> usize {
        self.summaries.iter().flatten().filter(|summary| summary.checked).count()
    }

    /// Whether it is a picture that lies in no file.
    pub(crate) fn is_pasted(&self) -> bool {
        self.library.as_ref().is_some_and(Library::is_pasted)
    }

    /// All photos that have been read, with their cards and sets as corrected.
    pub(crate) fn all_read(&mut self) -> Vec<(PathBuf, Found, Table)> {
        let Some(library) = &self.library else { return Vec::new() };
        let mut all = Vec::new();
        for entry in &library.entries {
            if let Some(Ok(found)) = &entry.found {
                let (table, _) = self.corrections.table(&entry.path, found);
                all.push((entry.path.clone(), found.clone(), table));
            }
        }
        all
    }

    /// Says anew in the strip what is known of a photo.
    pub(crate) fn summarise(&mut self, index: usize) {
        let entry = self.library.as_ref().and_then(|library| library.entries.get(index));
        let Some(entry) = entry else { return };
        let Some(Ok(found)) = &entry.found else { return };
        let (table, corrected) = self.corrections.table(&entry.path, found);
        let (cards, sets, unsure) = (table.cards.len(), table.sets.len(), table.unsure());
        let checked = table.checked;
        self.summaries[index] = Some(Summary { cards, sets, unsure, corrected, checked });
    }

    /// Which photos the strip shows: the one that is looked at always.
    pub(crate) fn fill_strip(&mut self) {
        let (filter, current) = (self.filter, self.current);
        self.in_strip.clear();
        let shown = |&(i, summary): &(usize, &Option<Summary>)| {
            filter == Filter::All || i == current || summary.is_some_and(|s| filter.shows(&s))
        };
        self.in_strip.extend(self.summaries.iter().enumerate().filter(shown).map(|(i, _)| i));
    }

    /// The first or last photo of the strip for which this holds.
    pub(crate) fn in_strip_where(
        &mut self,
        wanted: impl Fn(usize, usize) -> bool,
        first: bool,
    ) -> Option<usize> {
        self.fill_strip();
        let mut fits = self.in_strip.iter().copied().filter(|&at| wanted(at, self.current));
        if first { fits.next() } else { fits.next_back() }
    }

    /// The next photo with a card that is unsure, or the one before; round and round.
    pub(crate) fn unsure(&self, forward: bool) -> Option<usize> {
        let count = self.summaries.len();
        let at = |step: usize| {
            let step = if forward { step } else { count - step };
            (self.current + step) % count
        };
        let unsure = |&i: &usize| self.summaries[i].is_some_and(|s| s.unsure > 0 && !s.checked);
        (1..count).map(at).find(unsure)
    }

    /// Tells the threads what is in view.
    pub(crate) fn want(&self, missing: &[usize], in_view: &[usize]) {
        let Some(library) = &self.library else { return };
        let first =
            in_view.iter().copied().filter(|&i| library.entries[i].found.is_none()).collect();
        library.want_in_view(missing.to_vec(), first);
    }
}
