//! The tab of photos: a strip of thumbnails, the picture, and what is done with it.

mod correct;
mod correct_panel;
mod correcting;
mod corrections;
mod deck_check;
pub(crate) mod export;
mod labels;
mod learn;
pub(crate) mod library;
mod show;
mod stages;
mod strip;
pub(crate) mod welcome;

use crate::{
    photos::{
        correct::Change,
        correcting::{Correcting, Edit, next_card},
        corrections::{Trouble, Undo},
        deck_check::DeckCheck,
        learn::Learning,
        library::{CardWanted, Library, LibraryEvent},
        stages::Stages,
    },
    shared::{
        keys::{Action, CTRL, Go, Place, key_of},
        look::{Look, Mode},
        picture::{Picture, Placement, View},
        reasons,
        tab::{AppContext, Ask, Command, Tab, TabSpec},
        table::{Heap, Table},
        words::{Word, t},
    },
};
use eframe::egui::{CentralPanel, Context, Key, TextureHandle, TextureOptions, Ui};
use export::FolderExport;
use image::RgbImage;
use setsight_desktop::{Pick, color_image};
use setsight_photo::{geometry::Quad, labels::Clash};
use setsight_vision::{CardImage, Reading, ReadingPlan};
use std::time::{Duration, Instant};
use std::{path::PathBuf, sync::Arc};
use strip::Shelf;

/// Its entry in the list of tabs.
pub(crate) const TAB: TabSpec = TabSpec {
    id: "photos",
    word: Word("tab-photos"),
    shortcut: (CTRL, Key::Num1, Word("tab-photos")),
    in_bar: true,
    // There is more than one way to show it: see `Show`.
    opens: |_| None,
    make: |_| Box::<Photos>::default(),
};

pub(crate) const ASK_FOLDER: Ask = Ask::new(TAB.id, Word("ask-folder"), Pick::Folder);
pub(crate) const ASK_PHOTOS: Ask = Ask::new(TAB.id, Word("ask-photos"), Pick::Files);
/// Photos that join those that are open.
pub(crate) const MORE_PHOTOS: Ask = Ask::new(TAB.id, Word("add-these-photos"), Pick::Files);
/// Asks where to write the annotated picture.
const SAVE_PICTURE: Ask = Ask::new(TAB.id, Word("ask-picture"), Pick::NewFile);
const SAVE_JSON: Ask = Ask::new(TAB.id, Word("ask-json"), Pick::NewFile);
/// Asks in which folder to write pictures and a table of all photos.
const SAVE_ALL: Ask = Ask::new(TAB.id, Word("ask-all"), Pick::Folder);
/// Asks where to write a page of the cards that a deck lacks.
const SAVE_MISSING: Ask = Ask::new(TAB.id, Word("ask-missing"), Pick::NewFile);

/// What can be saved of photos.
const SAVING: [(Action, Word); 5] = [
    (Action::ExportPicture, Word("save-picture")),
    (Action::ExportJson, Word("save-json")),
    (Action::ExportAll, Word("save-all")),
    (Action::CopyPicture, Word("copy-picture")),
    (Action::Copy, Word("copy-board")),
];

/// How long news may be taken over in one frame.
const EVENTS_TIME: Duration = Duration::from_millis(5);
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

/// A photo, and how many of its cards are unsure.
pub(crate) type PhotoState = (PathBuf, usize);

/// What is seen of the photo that is looked at.
#[derive(Default)]
pub struct PhotoView {
    picture: Option<Picture>,
    /// Straightened cards of the photo as found, and those cut since at other corners.
    straight: Vec<CardImage>,
    cut: Vec<(Quad, CardImage)>,
    /// The corners for which one is being cut.
    being_cut: Option<Quad>,
    /// The one in hand.
    straight_texture: Option<(Quad, TextureHandle)>,
    table: Table,
    /// Which of its cards lie on others.
    heap: Heap,
    /// Whether anything is written of the photo.
    is_labelled: bool,
    /// What another program says otherwise of it, until the user has chosen.
    clash: Option<Clash>,
    /// The card that is to take the keyboard's focus, and the one that has it.
    focus: (Option<usize>, Option<usize>),
    zoom: View,
    /// What is looked at, in which way.
    pub look: Look,
    pub task: Task,
    correcting: Correcting,
    stages: Stages,
    /// Where the picture stood in the last frame.
    pub placement: Option<Placement>,
}

impl PhotoView {
    /// Nothing of a photo yet, in the way in which the last one was looked at.
    fn start_again(&mut self) {
        let mut last = std::mem::take(self);
        last.look.start_again();
        last.stages.clear();
        (self.task, self.look, self.stages) = (last.task, last.look, last.stages);
    }
}

#[derive(Default)]
pub struct Photos {
    pub shelf: Shelf,
    /// The one that is looked at.
    pub view: PhotoView,
    looked_again: Option<Instant>,
    pub(crate) learning: Learning,
    deck_check: DeckCheck,
    /// All photos being written.
    pub(crate) saving: Option<FolderExport>,
}

impl Photos {
    /// Opens photos and folders in place of those that are open.
    pub(crate) fn open(&mut self, app: &AppContext, paths: Vec<PathBuf>) {
        self.put(Library::open(paths, Arc::clone(&app.eye), app.wake()));
    }

    /// Opens a picture that lies in no file.
    pub(crate) fn paste(&mut self, app: &AppContext, picture: RgbImage, name: &str) {
        self.put(Library::paste(picture, name, Arc::clone(&app.eye), app.wake()));
    }

    /// Reads the open photos anew: cards are others now.
    fn read_again(&mut self, app: &AppContext) {
        let Some(library) = &self.shelf.library else { return };
        self.put(library.again(self.shelf.current, Arc::clone(&app.eye), app.wake()));
    }

    fn put(&mut self, library: Library) {
        self.shelf = Shelf { library: Some(library), ..Shelf::default() };
        self.view.start_again();
    }

    pub(crate) fn is_open(&self) -> bool {
        self.shelf.library.is_some()
    }

    /// The cards and sets of the photo that is looked at, as read and corrected.
    pub fn table(&self) -> &Table {
        &self.view.table
    }

    /// Which photo is looked at, and in which state.
    pub(crate) fn state(&self) -> Option<PhotoState> {
        let (path, _) = self.shelf.current()?;
        Some((path.to_path_buf(), self.view.table.unsure()))
    }

    /// All pixels of the photo that is looked at.
    pub(crate) fn pixels(&self) -> Option<&Arc<RgbImage>> {
        self.view.picture.as_ref().and_then(Picture::full)
    }

    /// Whether somebody else has written labels beside these photos.
    fn look_again(&mut self, app: &mut AppContext) {
        app.ctx.request_repaint_after(LOOK_AGAIN);
        let looked = self.looked_again.get_or_insert_with(Instant::now);
        if looked.elapsed() < LOOK_AGAIN {
            return;
        }
        *looked = Instant::now();
        let Some(path) = self.shelf.current().map(|(path, _)| path.to_path_buf()) else { return };
        if !self.shelf.is_pasted() && self.shelf.corrections.look_again(&path) {
            self.refresh();
            self.shelf.to_summarise = (0..self.shelf.summaries.len()).collect();
        }
        self.tell_problems(app);
    }

    fn tell_problems(&mut self, app: &mut AppContext) {
        let problems = std::mem::take(&mut self.shelf.corrections.problems);
        problems.iter().for_each(|problem| app.say(problem.words()));
    }

    fn hear(&mut self, app: &mut AppContext, event: LibraryEvent) {
        match event {
            LibraryEvent::Listed(_, problems, at) => {
                let count = self.shelf.library.as_ref().map_or(0, |library| library.entries.len());
                self.shelf.summaries = vec![None; count];
                self.shelf.no_photos.clear();
                if count > 0 {
                    problems.iter().for_each(|problem| app.say(reasons::listing(problem)));
                    self.go_to(at);
                } else {
                    self.shelf.no_photos = problems; // Told where a photo would be.
                }
                let first = self.shelf.current().map(|(path, _)| path.to_path_buf());
                if let (Some(path), false) = (first, self.shelf.is_pasted()) {
                    // Labels that cannot be read are reported now, not at the first correction.
                    self.shelf.corrections.look_at(&path);
                    self.tell_problems(app);
                }
            }
            LibraryEvent::Added(new, problems) => {
                problems.iter().for_each(|problem| app.say(reasons::listing(problem)));
                let first = self.shelf.summaries.len();
                self.shelf.summaries.resize(first + new.len(), None);
                match new.len() {
                    0 => app.say(t!("photos-open-already")),
                    _ => self.go_to(first),
                }
            }
            LibraryEvent::Card(i, corners, read) if i == self.shelf.current => match read {
                Ok((image, reading)) => {
                    self.view.being_cut = None;
                    self.view.cut.push((corners, image));
                    self.take_reading(&corners, &reading, app);
                }
                Err(reason) => app.say_of_photo(t!("card-unread", error = reason.words())),
            },
            LibraryEvent::Thumb(i, thumb) => {
                self.shelf.strip.put(&app.ctx, i, thumb);
            }
            LibraryEvent::Opened(i, Ok(prepared)) if i == self.shelf.current => {
                self.view.picture = Some(Picture::new(&app.ctx, prepared));
            }
            LibraryEvent::Opened(..) => {}
            LibraryEvent::Read(i, _) => {
                self.shelf.summarise(i);
                if i == self.shelf.current {
                    let before = std::mem::take(&mut self.view.table);
                    self.refresh();
                    // A photo that is opened again is read again; what is being looked at stays.
                    if before != self.view.table {
                        self.view.look.start_again();
                    }
                }
            }
            LibraryEvent::Cards(i, images) if i == self.shelf.current => {
                self.view.straight = images
            }
            LibraryEvent::Stages(i, pictures) if i == self.shelf.current => {
                self.view.stages.put(&app.ctx, pictures)
            }
            LibraryEvent::Cards(..) | LibraryEvent::Card(..) | LibraryEvent::Stages(..) => {}
        }
    }

    /// The current table anew, after reading or a correction.
    fn refresh(&mut self) {
        (self.view.table, self.view.is_labelled) = match self.shelf.current_mut() {
            Some((path, found, corrections)) => corrections.table(path, found),
            None => (Table::default(), false),
        };
        self.view.look.fit(&self.view.table);
        self.view.correcting.fit(&self.view.table);
    }

    /// Looks at another photo.
    pub(crate) fn go_to(&mut self, index: usize) {
        let Some(library) = &self.shelf.library else { return };
        if library.entries.is_empty() {
            return;
        }
        self.shelf.current = index.min(library.entries.len() - 1);
        self.shelf.passed = None;
        library.want_open(self.shelf.current);
        self.view.start_again();
        self.shelf.strip.reveal(self.shelf.current);
        self.refresh();
    }

    /// To the first or last photo of the strip for which this holds.
    fn go_on(&mut self, wanted: impl Fn(usize, usize) -> bool, first: bool) {
        if let Some(at) = self.shelf.in_strip_where(wanted, first) {
            self.go_to(at);
        }
    }

    /// Asks where to write something of the photo.
    fn ask_where(&self, ask: Ask, app: &mut AppContext) {
        match self.shelf.found() {
            Some((path, _)) => app.commands.push(Command::Ask(ask, export::name(path, ask))),
            None => app.say_of_photo(t!("nothing-to-save")),
        }
    }

    /// Copies the photo with its sets.
    fn copy_picture(&self, app: &mut AppContext) {
        match export::picture(self, app.settings().codes) {
            Some(image) => {
                app.ctx.copy_image(color_image(&image));
                app.say_of_photo(t!("picture-copied"));
            }
            None => app.say_of_photo(t!("no-picture-yet")),
        }
    }

    /// On this photo nothing is left to check: the next one that has an unsure card.
    fn check_next_photo(&mut self, app: &mut AppContext) {
        self.let_go_of_focus(&app.ctx);
        match self.shelf.unsure(true) {
            Some(index) => {
                self.go_to(index);
                let first = self.view.table.next_to_check(None);
                self.view.correcting.select(first, &self.view.table);
            }
            None => app.say_of_photo(t!("none-to-check")),
        }
    }

    fn look_in(&mut self, mode: Mode, ctx: &Context) {
        self.turn_to(Task::Look, ctx);
        self.view.look.mode = mode;
    }

    /// Does something else with the photo.
    fn turn_to(&mut self, task: Task, ctx: &Context) {
        self.view.task = task;
        self.let_go_of_focus(ctx);
    }

    /// A card that has the keyboard's focus lets go of it where nobody would know why it is framed.
    fn let_go_of_focus(&mut self, ctx: &Context) {
        self.view.focus.0 = None;
        if self.view.focus.1.take().is_some() {
            ctx.memory_mut(|memory| {
                memory.focused().into_iter().for_each(|id| memory.surrender_focus(id));
            });
        }
    }

    /// Makes a change that is wished for, if any.
    fn grant(&mut self, edit: Option<Edit>, app: &mut AppContext) {
        let Some(edit) = edit else { return };
        if self.shelf.is_pasted() {
            app.say_of_photo(t!("pasted-uncorrected"));
            return;
        }
        let passed = self.shelf.passed.take();
        if let (Edit::Undo, Some(photo)) = (edit, passed) {
            self.go_to(photo);
        }
        let Some((path, found, corrections)) = self.shelf.current_mut() else { return };
        self.view.correcting.clash = None;
        let trouble = match edit {
            Edit::Change(change) | Edit::Accept(change) => {
                corrections.apply(path, found, change, Undo::NewStep)
            }
            Edit::Amend(change) => corrections.apply(path, found, change, Undo::SameStep),
            Edit::Settle => corrections.write(path, found),
            Edit::StartOver => corrections.start_over(path, found),
            Edit::Undo => corrections.step(path, found, false).map(|_| ()),
            Edit::Redo => corrections.step(path, found, true).map(|_| ()),
        };
        if let (Err(Trouble::Refused(refusal)), Edit::Change(change) | Edit::Accept(change)) =
            (&trouble, edit)
        {
            self.view.correcting.clash = Some((change, *refusal));
        }
        let made = !matches!(trouble, Err(Trouble::Refused(_)));
        let is_written = trouble.is_ok();
        self.tell(trouble, app);
        let before = std::mem::take(&mut self.view.table);
        self.refresh();
        self.shelf.summarise(self.shelf.current);
        if made {
            let had_card = self.view.correcting.selected.is_some();
            self.take_next(edit, &before);
            if had_card && self.view.correcting.selected.is_none() {
                self.let_go_of_focus(&app.ctx);
            }
            if before.unsure() > 0 && self.view.table.unsure() == 0 {
                let sets = t!("count-sets", n = self.view.table.sets.len());
                let key = key_of(Action::Confirm);
                app.say_of_photo(match (edit, self.shelf.unsure(true)) {
                    (Edit::Change(Change::AllRight), _) => {
                        t!("guesses-confirmed", n = before.unsure(), key = key_of(Action::Undo))
                    }
                    (_, None) => t!("all-checked", sets = sets),
                    (_, Some(_)) => t!("all-checked-go-on", sets = sets, key = key),
                });
            } else if is_written && edit == Edit::Change(Change::AllRight) {
                self.pass(app);
            }
        }
    }

    /// The photo is all right: on to the next one, from where undo leads back.
    fn pass(&mut self, app: &mut AppContext) {
        let photo = self.shelf.current;
        let Some((path, _)) = self.shelf.current() else { return };
        let (name, key) = (welcome::name_of(path), key_of(Action::Undo));
        self.view.correcting.select(None, &self.view.table);
        self.let_go_of_focus(&app.ctx);
        self.go_on(|at, now| at > now, true);
        let is_last = self.shelf.current == photo;
        self.shelf.passed = (!is_last).then_some(photo);
        app.say_of_photo(match is_last {
            true => t!("all-right-last", name = name, key = key),
            false => t!("all-right-passed", name = name, key = key),
        });
    }

    /// After a change that was made: the card that is in hand from now on.
    fn take_next(&mut self, edit: Edit, before: &Table) {
        let (correcting, table) = (&mut self.view.correcting, &self.view.table);
        let next = match edit {
            Edit::Change(Change::Add(_)) if table.cards.len() > before.cards.len() => {
                correcting.adding = false;
                Some(table.cards.len() - 1)
            }
            Edit::Accept(Change::Be(card, _) | Change::Confirm(card))
                if before.cards[card].unsure =>
            {
                table.next_to_check(Some(card))
            }
            // The next one moves up.
            Edit::Change(Change::Strike(card)) if before.cards[card].unsure => {
                let next = before.next_to_check(Some(card));
                next.map(|next| if next > card { next - 1 } else { next })
            }
            Edit::Change(Change::Strike(_)) => None,
            _ => return,
        };
        correcting.select(None, table);
        correcting.select(next, table);
        correcting.focus = next.filter(|_| self.view.focus.1.is_some());
    }

    fn tell(&mut self, trouble: Result<(), Trouble>, app: &mut AppContext) {
        match trouble {
            Err(Trouble::Unwritten(problem)) => app.say(problem.words()),
            Err(Trouble::Clash(clash)) => self.view.clash = Some(clash),
            Err(Trouble::Refused(_)) | Ok(()) => {}
        }
    }

    /// Takes over what the reader says of a card at corners that a person has set.
    fn take_reading(&mut self, at: &Quad, reading: &Reading, app: &mut AppContext) {
        let Some((path, found, corrections)) = self.shelf.current_mut() else { return };
        let trouble = corrections.read_again(path, found, at, reading);
        self.tell(trouble, app);
        self.refresh();
        self.shelf.summarise(self.shelf.current);
    }

    /// The user has chosen between what this window says and what another program does.
    fn resolve(&mut self, mine: bool, app: &mut AppContext) {
        self.view.clash = None;
        let Some((path, found, corrections)) = self.shelf.current_mut() else { return };
        let trouble = corrections.resolve(path, found, mine);
        self.tell(trouble, app);
        self.refresh();
        self.shelf.summarise(self.shelf.current);
    }

    /// The texture of the card in hand, straightened at the corners that it has now. Where there is none
    /// yet, it is cut and read.
    fn make_straight(&mut self, ctx: &Context) {
        let card = self.view.correcting.selected.and_then(|i| self.view.table.cards.get(i));
        let Some(corners) = card.map(|card| card.corners_in_image) else {
            self.view.straight_texture = None;
            return;
        };
        if self.view.straight_texture.as_ref().is_some_and(|(of, _)| *of == corners) {
            return;
        }
        let found = self.shelf.found().map(|(_, found)| &found.table.cards);
        let as_found = found
            .and_then(|cards| {
                cards.iter().position(|card| same_place(&card.corners_in_image, &corners))
            })
            .and_then(|i| self.view.straight.get(i));
        let cut = self.view.cut.iter().find(|(of, _)| *of == corners).map(|(_, image)| image);
        match as_found.or(cut) {
            Some(image) => {
                let picture = color_image(&image.pixels);
                let texture = ctx.load_texture("card", picture, TextureOptions::LINEAR);
                self.view.straight_texture = Some((corners, texture));
            }
            None => self.want_cut(ctx, corners),
        }
    }

    fn want_cut(&mut self, ctx: &Context, corners: Quad) {
        // A corner that is being dragged is not where it will be.
        let dragged = ctx.input(|input| input.pointer.any_down());
        if dragged || self.view.being_cut == Some(corners) {
            return;
        }
        let full = self.view.picture.as_ref().and_then(Picture::full);
        let (Some(full), Some(library)) = (full, &self.shelf.library) else {
            return;
        };
        let picture = Arc::clone(full);
        let (photo, facts) = (self.shelf.current, self.view.table.facts.clone());
        library.want_card(CardWanted { photo, picture, corners_in_image: corners, facts });
        self.view.being_cut = Some(corners);
    }
}

impl Tab for Photos {
    fn update(&mut self, app: &mut AppContext) {
        if let Some(words) = self.saving.as_ref().and_then(FolderExport::outcome) {
            self.saving = None;
            app.say(words);
        }
        let start = Instant::now();
        while start.elapsed() < EVENTS_TIME {
            if let Some(event) = self.shelf.library.as_mut().and_then(Library::next_event) {
                self.hear(app, event);
            } else if let Some(index) = self.shelf.to_summarise.pop_front() {
                self.shelf.summarise(index);
            } else {
                return;
            }
        }
        // There may be more.
        app.ctx.request_repaint();
    }

    fn ui(&mut self, ui: &mut Ui, app: &mut AppContext, keys: bool) {
        if self.is_open() {
            self.show(ui, app, keys);
        } else {
            let page = CentralPanel::default().show(ui, |ui| welcome::show(ui, app.settings()));
            app.commands.extend(page.inner);
        }
    }

    fn places(&self) -> Vec<Place> {
        if !self.is_open() {
            return Vec::new();
        }
        let here = match (self.view.task, self.view.look.mode) {
            (Task::Correct, _) => Place::Correct,
            (Task::Stages, _) => Place::Stages,
            (Task::Look, Mode::Solve) => Place::Solve,
            (Task::Look, Mode::Hint) => Place::Hint,
            (Task::Look, Mode::Learn) => Place::Learn,
        };
        vec![Place::Photos, here]
    }

    fn act(&mut self, action: Action, app: &mut AppContext) {
        match action {
            Action::Photo(Go::Next) => self.go_on(|at, now| at > now, true),
            Action::Photo(Go::Previous) => self.go_on(|at, now| at < now, false),
            Action::Photo(Go::First) => self.go_on(|_, _| true, true),
            Action::Photo(Go::Last) => self.go_on(|_, _| true, false),
            Action::NextUnsure | Action::PreviousUnsure => {
                match self.shelf.unsure(action == Action::NextUnsure) {
                    Some(index) => self.go_to(index),
                    None => app.say_of_photo(t!("no-other-unsure")),
                }
            }
            Action::CopyPicture => self.copy_picture(app),
            Action::ExportPicture => self.ask_where(SAVE_PICTURE, app),
            Action::ExportJson => self.ask_where(SAVE_JSON, app),
            Action::ExportAll => self.ask_where(SAVE_ALL, app),
            Action::Look(mode) => self.look_in(mode, &app.ctx),
            Action::Correct => self.turn_to(Task::Correct, &app.ctx),
            Action::Stages => self.turn_to(Task::Stages, &app.ctx),
            Action::Card(direction) if self.view.task == Task::Look => {
                self.view.focus.0 = next_card(&self.view.table, self.view.focus.1, direction);
            }
            Action::NextStage => self.view.stages.step(true),
            Action::PreviousStage => self.view.stages.step(false),
            Action::Clear if !self.view.zoom.is_fitted() && self.view.correcting.is_idle() => {
                self.view.zoom = View::default();
            }
            action
                if self.view.task == Task::Look && self.view.look.act(action, &self.view.table) => {
            }
            // Nothing is in hand: it leaves.
            Action::Clear if self.view.task == Task::Correct && self.view.correcting.is_idle() => {
                self.look_in(self.view.look.mode, &app.ctx);
            }
            Action::Check if self.view.task != Task::Correct => {
                self.turn_to(Task::Correct, &app.ctx);
                self.view.correcting.select(None, &self.view.table);
                self.act(Action::Check, app);
            }
            action if self.view.task == Task::Correct => {
                let edit = self.view.correcting.act(action, &self.view.table);
                let goes_on = matches!(action, Action::Check | Action::Confirm) && edit.is_none();
                if goes_on && self.view.correcting.is_idle() {
                    self.check_next_photo(app);
                }
                self.grant(edit, app);
            }
            _ => {}
        }
    }

    fn has_focus_in_hand(&self) -> bool {
        let (focused, in_hand) = (self.view.focus.1, self.view.correcting.selected);
        self.view.task == Task::Correct && focused.is_some() && focused == in_hand
    }

    fn drops(&self) -> Option<(Ask, Word)> {
        self.is_open().then_some((MORE_PHOTOS, MORE_PHOTOS.word))
    }

    fn take(&mut self, ask: Ask, paths: Vec<PathBuf>, app: &mut AppContext) {
        let codes = app.settings().codes;
        match ask {
            MORE_PHOTOS => match &mut self.shelf.library {
                Some(library) if !library.is_pasted() => library.add(paths),
                _ => self.open(app, paths),
            },
            SAVE_PICTURE | SAVE_JSON => {
                let written = export::write(self, ask, &paths[0], codes);
                app.say(written.unwrap_or_else(|error| error));
            }
            SAVE_MISSING => self.write_missing(&paths[0], app),
            SAVE_ALL => {
                let (photos, eye) = (self.shelf.all_read(), Arc::clone(&app.eye));
                let saving = FolderExport::begin(photos, eye, &paths[0], codes, app.wake());
                self.saving = Some(saving);
            }
            _ => app.commands.push(Command::Open(paths)),
        }
    }

    fn copy(&self) -> Option<(String, Word)> {
        Some((export::text(self)?, Word("board-copied")))
    }

    fn saving(&self) -> &'static [(Action, Word)] {
        if self.is_open() { &SAVING } else { &[] }
    }

    fn progress(&self) -> Option<String> {
        self.saving.as_ref().map(FolderExport::progress)
    }

    fn read_by(&mut self, _: &ReadingPlan, app: &mut AppContext) {
        self.read_again(app);
    }

    fn title(&self) -> Option<String> {
        self.shelf.current().map(|(path, _)| welcome::name_of(path))
    }

    /// Whether the photo that is looked at is shown and read, or cannot be, and so are the others
    /// if there are few.
    fn is_settled(&self) -> bool {
        let Some(library) = &self.shelf.library else { return true };
        if library.listed && library.entries.is_empty() {
            return true;
        }
        let Some(entry) = library.entries.get(self.shelf.current) else { return false };
        if library.entries.len() <= FEW && library.read < library.entries.len() {
            return false;
        }
        let stages_ready = self.view.task != Task::Stages || self.view.stages.is_ready();
        match &entry.found {
            Some(Ok(_)) => self.view.picture.is_some() && stages_ready,
            Some(Err(_)) => true,
            None => false,
        }
    }

    fn close(&mut self) {
        if let Some(library) = self.shelf.library.take() {
            library.close();
        }
    }
}

/// Corners that went through a file are rounded.
fn same_place(a: &Quad, b: &Quad) -> bool {
    a.0.iter().zip(b.0).all(|(p, q)| p.distance(q) < 0.01)
}

#[cfg(test)]
mod two_programs;
