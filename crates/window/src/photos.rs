//! The tab of photos: a strip of thumbnails, the picture, and what is done with it.

mod correct;
mod correct_panel;
mod corrections;
pub mod export;
pub mod folder_export;
mod history;
mod labels;
mod learn;
pub mod library;
mod show;
mod stages;
mod strip;
pub mod welcome;

use crate::photos::correct::Change;
use crate::photos::correct_panel::{Correcting, Wish, next_card};
use crate::photos::corrections::{Corrections, Trouble};
use crate::photos::labels::LabelProblem;
use crate::photos::library::{CardWanted, Found, Library, News};
use crate::photos::stages::Stages;
use crate::photos::strip::{Filter, Strip, Summary};
use crate::shared::eye::Eye;
use crate::shared::keys::{Action, Place};
use crate::shared::look::{Look, Mode};
use crate::shared::picture::{Picture, color_image};
use crate::shared::placement::View;
use crate::shared::reasons;
use crate::shared::table::Table;
use crate::shared::words::t;
use eframe::egui::{Context, TextureHandle, TextureOptions};
use image::RgbImage;
use setsight_photo::geometry::Quad;
use setsight_photo::labels::Clash;
use setsight_vision::CardImage;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long news may be taken over in one frame.
const NEWS_TIME: Duration = Duration::from_millis(5);
/// How often labels are looked at for what other programs have written.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// So many photos have all been read before the window counts as settled: all are in view.
const FEW: usize = 12;

/// What is done with the photo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Task {
    /// Looking, in one of the three ways.
    #[default]
    Look,
    /// Putting right.
    Correct,
    /// Seeing how it was read.
    Stages,
}

/// The tab.
pub struct Photos {
    eye: Arc<dyn Eye>,
    library: Option<Library>,
    strip: Strip,
    summaries: Vec<Option<Summary>>,
    current: usize,
    picture: Option<Picture>,
    /// Straightened cards of the current photo as found, and those cut since at other corners.
    straight: Vec<CardImage>,
    cut: Vec<(Quad, CardImage)>,
    /// The corners for which one is being cut.
    being_cut: Option<Quad>,
    /// The one in hand.
    straight_texture: Option<(Quad, TextureHandle)>,
    table: Table,
    /// Whether anything is written of the current photo.
    said: bool,
    /// What another program says otherwise of the current photo, until the user has chosen.
    clash: Option<Clash>,
    /// The card that is to take the keyboard's focus, and the one that has it.
    focus: (Option<usize>, Option<usize>),
    /// Which photos the strip shows, by what is known of them.
    pub filter: Filter,
    /// Their places, in order.
    in_strip: Vec<usize>,
    /// Photos whose summaries are to be made anew.
    to_summarise: VecDeque<usize>,
    looked_again: Instant,
    view: View,
    /// What is looked at, in which way.
    pub look: Look,
    /// What is done with the photo.
    pub task: Task,
    correcting: Correcting,
    corrections: Corrections,
    stages: Stages,
    /// Where the picture stood in the last frame, for whoever wants to know.
    placement: Option<crate::shared::placement::Placement>,
    opened_at: Option<Instant>,
    first_thumb: Option<Duration>,
    /// What there is to tell the user.
    pub messages: Vec<String>,
    learning: crate::photos::learn::Learning,
}

impl Photos {
    /// Nothing open yet.
    pub fn new(eye: Arc<dyn Eye>) -> Self {
        Self {
            eye,
            library: None,
            strip: Strip::default(),
            summaries: Vec::new(),
            current: 0,
            picture: None,
            straight: Vec::new(),
            cut: Vec::new(),
            being_cut: None,
            straight_texture: None,
            table: Table::default(),
            said: false,
            clash: None,
            focus: (None, None),
            filter: Filter::default(),
            in_strip: Vec::new(),
            to_summarise: VecDeque::new(),
            looked_again: Instant::now(),
            view: View::default(),
            look: Look::default(),
            task: Task::default(),
            correcting: Correcting::default(),
            corrections: Corrections::default(),
            stages: Stages::default(),
            placement: None,
            opened_at: None,
            first_thumb: None,
            messages: Vec::new(),
            learning: crate::photos::learn::Learning::default(),
        }
    }

    /// Stops reading and waits for what has been begun.
    pub fn close(&mut self) {
        if let Some(library) = self.library.take() {
            library.close();
        }
    }

    /// Opens photos and folders in place of those that are open.
    pub fn open(&mut self, ctx: &Context, paths: Vec<PathBuf>) {
        let ctx = ctx.clone();
        let library = Library::open(paths, Arc::clone(&self.eye), move || ctx.request_repaint());
        self.take(library);
    }

    /// Opens more photos beside those that are open.
    pub fn add(&mut self, ctx: &Context, paths: Vec<PathBuf>) {
        match &mut self.library {
            Some(library) if !library.is_pasted() => library.add(paths),
            _ => self.open(ctx, paths),
        }
    }

    /// Opens a picture that lies in no file.
    pub fn paste(&mut self, ctx: &Context, picture: RgbImage, name: &str) {
        let ctx = ctx.clone();
        let wake = move || ctx.request_repaint();
        let library = Library::paste(picture, name, Arc::clone(&self.eye), wake);
        self.take(library);
    }

    /// Reads the open photos anew: cards are others now.
    pub fn read_again(&mut self, ctx: &Context) {
        let Some(library) = &self.library else { return };
        let ctx = ctx.clone();
        let wake = move || ctx.request_repaint();
        let library = library.again(self.current, Arc::clone(&self.eye), wake);
        self.take(library);
    }

    fn take(&mut self, library: Library) {
        let keep = (self.look.mode, self.task);
        let learning = std::mem::take(&mut self.learning);
        *self = Self::new(Arc::clone(&self.eye));
        self.learning = learning;
        (self.look.mode, self.task) = keep;
        self.library = Some(library);
        self.opened_at = Some(Instant::now());
    }

    /// Whether photos are open, or being opened.
    pub fn is_open(&self) -> bool {
        self.library.is_some()
    }

    /// The photo that is looked at: its path and what was found in it.
    pub fn current(&self) -> Option<(&Path, Option<&Found>)> {
        let entry = self.library.as_ref()?.entries.get(self.current)?;
        let found = entry.found.as_ref().and_then(|found| found.as_ref().ok());
        Some((&entry.path, found))
    }

    /// The cards and sets of the photo that is looked at, as read and corrected.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// All pixels of the photo that is looked at.
    pub fn pixels(&self) -> Option<&Arc<RgbImage>> {
        self.picture.as_ref().map(Picture::full)
    }

    /// Whether the photo that is looked at is shown and read, or cannot be, and so are the others
    /// if there are few.
    pub fn is_settled(&self) -> bool {
        let Some(library) = &self.library else { return true };
        if library.listed && library.entries.is_empty() {
            return true;
        }
        let Some(entry) = library.entries.get(self.current) else { return false };
        if library.entries.len() <= FEW && library.read < library.entries.len() {
            return false;
        }
        let stages_there = self.task != Task::Stages || self.stages.is_there();
        match &entry.found {
            Some(Ok(_)) => self.picture.is_some() && stages_there,
            Some(Err(_)) => true,
            None => false,
        }
    }

    /// How many photos are open, and how many of them have been read.
    pub fn progress(&self) -> (usize, usize) {
        self.library.as_ref().map_or((0, 0), |library| (library.entries.len(), library.read))
    }

    /// Where the picture stood in the last frame.
    pub fn placement(&self) -> Option<crate::shared::placement::Placement> {
        self.placement
    }

    /// How long the first thumbnail took from opening.
    pub fn first_thumb(&self) -> Option<Duration> {
        self.first_thumb
    }

    /// Scrolls the strip to a place, in points: for measuring.
    pub fn scroll_strip(&mut self, to: Option<f32>) {
        self.strip.scroll_to = to;
    }

    /// What reads the photos.
    pub fn eye(&self) -> Arc<dyn Eye> {
        Arc::clone(&self.eye)
    }

    /// How many photos a person has checked.
    pub fn checked(&self) -> usize {
        self.summaries.iter().flatten().filter(|summary| summary.checked).count()
    }

    /// All photos that have been read, with their cards and sets as corrected.
    pub fn all_read(&mut self) -> Vec<(PathBuf, Found, Table)> {
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

    /// Takes over what the threads have to say.
    pub fn update(&mut self, ctx: &Context) {
        let start = Instant::now();
        while start.elapsed() < NEWS_TIME {
            if let Some(news) = self.library.as_mut().and_then(Library::next_news) {
                self.hear(ctx, news);
            } else if let Some(index) = self.to_summarise.pop_front() {
                self.summarise(index);
            } else {
                return;
            }
        }
        // There may be more.
        ctx.request_repaint();
    }

    /// Whether somebody else has written labels beside these photos.
    fn look_again(&mut self, ctx: &Context) {
        if self.is_open() {
            ctx.request_repaint_after(LOOK_AGAIN);
        }
        if self.looked_again.elapsed() < LOOK_AGAIN {
            return;
        }
        self.looked_again = Instant::now();
        let Some(path) = self.current().map(|(path, _)| path.to_path_buf()) else { return };
        if !self.is_pasted() && self.corrections.look_again(&path) {
            self.refresh();
            self.to_summarise = (0..self.summaries.len()).collect();
        }
        self.tell_problems();
    }

    fn tell_problems(&mut self) {
        let problems = std::mem::take(&mut self.corrections.problems);
        self.messages.extend(problems.iter().map(LabelProblem::words));
    }

    fn is_pasted(&self) -> bool {
        self.library.as_ref().is_some_and(Library::is_pasted)
    }

    fn hear(&mut self, ctx: &Context, news: News) {
        match news {
            News::Listed(_, problems, at) => {
                self.messages.extend(problems.iter().map(reasons::listing));
                let count = self.library.as_ref().map_or(0, |library| library.entries.len());
                self.summaries = vec![None; count];
                if count > 0 {
                    self.go_to(at);
                }
                let first = self.current().map(|(path, _)| path.to_path_buf());
                if let (Some(path), false) = (first, self.is_pasted()) {
                    // Labels that cannot be read are told now, not at the first correction.
                    self.corrections.look_at(&path);
                    self.tell_problems();
                }
            }
            News::Added(new, problems) => {
                self.messages.extend(problems.iter().map(reasons::listing));
                let first = self.summaries.len();
                self.summaries.resize(first + new.len(), None);
                match new.len() {
                    0 => self.messages.push(t!("photos-open-already")),
                    _ => self.go_to(first),
                }
            }
            News::Card(i, corners, read) if i == self.current => match read {
                Ok((image, reading)) => {
                    self.being_cut = None;
                    self.cut.push((corners, image));
                    self.take_reading(&corners, &reading);
                }
                Err(reason) => self.messages.push(t!("card-unread", error = reason.words())),
            },
            News::Thumb(i, thumb) => {
                if self.first_thumb.is_none() {
                    self.first_thumb = self.opened_at.map(|at| at.elapsed());
                }
                self.strip.put(ctx, i, thumb);
            }
            News::Opened(i, Ok(prepared)) if i == self.current => {
                self.picture = Some(Picture::new(ctx, prepared));
            }
            News::Opened(..) => {}
            News::Read(i, _) => {
                self.summarise(i);
                if i == self.current {
                    let before = std::mem::take(&mut self.table);
                    self.refresh();
                    // A photo that is opened again is read again; what is being looked at stays.
                    if before != self.table {
                        self.look.start_again();
                    }
                }
            }
            News::Cards(i, images) if i == self.current => self.straight = images,
            News::Stages(i, pictures) if i == self.current => self.stages.put(ctx, pictures),
            News::Cards(..) | News::Card(..) | News::Stages(..) => {}
        }
    }

    fn found(&self, index: usize) -> Option<(&PathBuf, &Found)> {
        let entry = self.library.as_ref()?.entries.get(index)?;
        Some((&entry.path, entry.found.as_ref()?.as_ref().ok()?))
    }

    fn summarise(&mut self, index: usize) {
        let entry = self.library.as_ref().and_then(|library| library.entries.get(index));
        let Some(entry) = entry else { return };
        let Some(Ok(found)) = &entry.found else { return };
        let (table, corrected) = self.corrections.table(&entry.path, found);
        let (sets, unsure, checked) = (table.sets.len(), table.unsure(), table.checked);
        self.summaries[index] = Some(Summary { sets, unsure, corrected, checked });
    }

    /// The current table anew, after reading or a correction.
    fn refresh(&mut self) {
        let entry = self.library.as_ref().and_then(|library| library.entries.get(self.current));
        (self.table, self.said) = match entry.and_then(|e| Some((&e.path, e.found.as_ref()?))) {
            Some((path, Ok(found))) => self.corrections.table(path, found),
            _ => (Table::default(), false),
        };
        self.look.fit(&self.table);
        self.correcting.fit(&self.table);
    }

    /// Looks at another photo.
    pub fn go_to(&mut self, index: usize) {
        let Some(library) = &self.library else { return };
        if library.entries.is_empty() {
            return;
        }
        self.current = index.min(library.entries.len() - 1);
        library.want_open(self.current);
        self.picture = None;
        self.straight.clear();
        self.cut.clear();
        self.being_cut = None;
        self.clash = None;
        self.focus = (None, None);
        self.view = View::default();
        self.look.start_again();
        self.correcting.start_again();
        self.stages.clear();
        self.strip.reveal(self.current);
        self.refresh();
    }

    /// Changes what is done with the photo.
    pub fn set_task(&mut self, task: Task) {
        self.task = task;
    }

    /// The places of which keys work here.
    pub fn places(&self) -> Vec<Place> {
        let here = match (self.task, self.look.mode) {
            (Task::Correct, _) => Place::Correct,
            (Task::Stages, _) => Place::Stages,
            (Task::Look, Mode::Solve) => Place::Solve,
            (Task::Look, Mode::Hint) => Place::Hint,
            (Task::Look, Mode::Learn) => Place::Learn,
        };
        vec![Place::Photos, here]
    }

    /// Does what a key asks for.
    pub fn act(&mut self, action: Action) {
        match action {
            Action::NextPhoto => self.go_on(|at, current| at > current, true),
            Action::PreviousPhoto => self.go_on(|at, current| at < current, false),
            Action::FirstPhoto => self.go_on(|_, _| true, true),
            Action::LastPhoto => self.go_on(|_, _| true, false),
            Action::NextUnsure | Action::PreviousUnsure => {
                self.go_to_unsure(action == Action::NextUnsure);
            }
            Action::Solve => self.look_in(Mode::Solve),
            Action::Hint => self.look_in(Mode::Hint),
            Action::Learn => self.look_in(Mode::Learn),
            Action::Correct => self.task = Task::Correct,
            Action::Stages => self.task = Task::Stages,
            Action::NextSet => self.look.next_set(self.table.sets.len()),
            Action::PreviousSet => self.look.previous_set(self.table.sets.len()),
            Action::AllSets => self.look.set = None,
            Action::MoreHint => self.look.more_hint(),
            Action::AnotherHint => self.look.another_hint(),
            Action::CardLeft | Action::CardRight | Action::CardUp | Action::CardDown
                if self.task == Task::Look =>
            {
                self.focus.0 = next_card(&self.table, self.focus.1, action);
            }
            Action::NextStage => self.stages.step(true),
            Action::PreviousStage => self.stages.step(false),
            Action::Clear if self.task == Task::Look => self.look.start_again(),
            action if self.task == Task::Correct => {
                let wish = self.correcting.act(action, &self.table);
                self.grant(wish);
            }
            _ => {}
        }
    }

    fn look_in(&mut self, mode: Mode) {
        self.task = Task::Look;
        self.look.mode = mode;
    }

    /// Makes a change that is wished for, if any.
    fn grant(&mut self, wish: Option<Wish>) {
        let Some(wish) = wish else { return };
        let entry = self.library.as_ref().and_then(|library| library.entries.get(self.current));
        let Some((path, Ok(found))) = entry.and_then(|e| Some((&e.path, e.found.as_ref()?))) else {
            return;
        };
        if self.library.as_ref().is_some_and(Library::is_pasted) {
            self.messages.push(t!("pasted-uncorrected"));
            return;
        }
        self.correcting.clash = None;
        let trouble = match wish {
            Wish::Change(change) => self.corrections.change(path, found, change, false),
            Wish::Amend(change) => self.corrections.change(path, found, change, true),
            Wish::Settle => self.corrections.write(path, found),
            Wish::StartOver => self.corrections.start_over(path, found),
            Wish::Undo => self.corrections.step(path, found, false).map(|_| ()),
            Wish::Redo => self.corrections.step(path, found, true).map(|_| ()),
        };
        if let (Err(Trouble::Refused(refusal)), Wish::Change(change)) = (&trouble, wish) {
            self.correcting.clash = Some((change, *refusal));
        }
        self.tell(trouble);
        let cards_before = self.table.cards.len();
        self.refresh();
        self.summarise(self.current);
        if matches!(wish, Wish::Change(Change::Add(_))) && self.table.cards.len() > cards_before {
            self.correcting.adding = false;
            self.correcting.select(Some(self.table.cards.len() - 1));
        }
    }

    fn tell(&mut self, trouble: Result<(), Trouble>) {
        match trouble {
            Err(Trouble::Unwritten(problem)) => self.messages.push(problem.words()),
            Err(Trouble::Clash(clash)) => self.clash = Some(clash),
            Err(Trouble::Refused(_)) | Ok(()) => {}
        }
    }

    /// Takes over what the reader says of a card at corners that a person has set.
    fn take_reading(&mut self, at: &Quad, reading: &setsight_vision::Reading) {
        let entry = self.library.as_ref().and_then(|library| library.entries.get(self.current));
        let Some((path, Ok(found))) = entry.and_then(|e| Some((&e.path, e.found.as_ref()?))) else {
            return;
        };
        let trouble = self.corrections.read_again(path, found, at, reading);
        self.tell(trouble);
        self.refresh();
        self.summarise(self.current);
    }

    /// The user has chosen between what this window says and what another program does.
    fn resolve(&mut self, mine: bool) {
        self.clash = None;
        let entry = self.library.as_ref().and_then(|library| library.entries.get(self.current));
        let Some((path, Ok(found))) = entry.and_then(|e| Some((&e.path, e.found.as_ref()?))) else {
            return;
        };
        let trouble = self.corrections.resolve(path, found, mine);
        self.tell(trouble);
        self.refresh();
        self.summarise(self.current);
    }

    /// Which photos the strip shows: the one that is looked at always.
    fn fill_strip(&mut self) {
        let (filter, current) = (self.filter, self.current);
        self.in_strip.clear();
        let shown = |&(i, summary): &(usize, &Option<Summary>)| {
            filter == Filter::All || i == current || summary.is_some_and(|s| filter.shows(&s))
        };
        self.in_strip.extend(self.summaries.iter().enumerate().filter(shown).map(|(i, _)| i));
    }

    /// To the first or last photo of the strip for which this holds.
    fn go_on(&mut self, wanted: impl Fn(usize, usize) -> bool, first: bool) {
        self.fill_strip();
        let current = self.current;
        let mut fits = self.in_strip.iter().copied().filter(|&at| wanted(at, current));
        if let Some(at) = if first { fits.next() } else { fits.next_back() } {
            self.go_to(at);
        }
    }

    /// To the next photo with a card that is unsure, or the one before; round and round.
    fn go_to_unsure(&mut self, forward: bool) {
        let count = self.summaries.len();
        let at = |step: usize| {
            let step = if forward { step } else { count - step };
            (self.current + step) % count
        };
        let unsure = |&i: &usize| self.summaries[i].is_some_and(|s| s.unsure > 0 && !s.checked);
        match (1..count).map(at).find(unsure) {
            Some(index) => self.go_to(index),
            None => self.messages.push(t!("no-other-unsure")),
        }
    }

    /// The texture of the card in hand, straightened at the corners that it has now. Where there is none
    /// yet, it is cut and read.
    fn make_straight(&mut self, ctx: &Context) {
        let card = self.correcting.selected.and_then(|i| self.table.cards.get(i));
        let Some(corners) = card.map(|card| card.corners_in_image) else {
            self.straight_texture = None;
            return;
        };
        if self.straight_texture.as_ref().is_some_and(|(of, _)| *of == corners) {
            return;
        }
        let found = self.found(self.current).map(|(_, found)| &found.table.cards);
        let as_found = found
            .and_then(|cards| {
                cards.iter().position(|card| same_place(&card.corners_in_image, &corners))
            })
            .and_then(|i| self.straight.get(i));
        let cut = self.cut.iter().find(|(of, _)| *of == corners).map(|(_, image)| image);
        match as_found.or(cut) {
            Some(image) => {
                let picture = color_image(&image.pixels);
                let texture = ctx.load_texture("card", picture, TextureOptions::LINEAR);
                self.straight_texture = Some((corners, texture));
            }
            None => self.want_cut(ctx, corners),
        }
    }

    fn want_cut(&mut self, ctx: &Context, corners: Quad) {
        // A corner that is being dragged is not where it will be.
        let dragged = ctx.input(|input| input.pointer.any_down());
        if dragged || self.being_cut == Some(corners) {
            return;
        }
        let (Some(picture), Some(library)) = (&self.picture, &self.library) else { return };
        let picture = Arc::clone(picture.full());
        let (photo, facts) = (self.current, self.table.facts.clone());
        library.want_card(CardWanted { photo, picture, corners_in_image: corners, facts });
        self.being_cut = Some(corners);
    }
}

/// Corners that went through a file are rounded.
fn same_place(a: &Quad, b: &Quad) -> bool {
    a.0.iter().zip(b.0).all(|(p, q)| p.distance(q) < 0.01)
}

#[cfg(test)]
mod two_programs;
