//! The tab of photos: a strip of thumbnails, the picture, and what is done with it.

use super::correct::{Corrections, Trouble};
use super::correct_panel::{self, Correcting, Wish};
use super::eye::Eye;
use super::keys::{Action, Place};
use super::library::{Found, Library, News};
use super::look::{Look, Mode};
use super::picture::{Picture, color_image};
use super::placement::View;
use super::settings::Settings;
use super::stages::Stages;
use super::strip::{Strip, Summary};
use super::table::Table;
use super::{look_panel, overlay};
use crate::pipeline::{CardImage, StageTime};
use eframe::egui::{
    Button, CentralPanel, Color32, Context, Frame, Id, Panel, Rect, RichText, ScrollArea,
    TextureHandle, TextureOptions, Ui, pos2, vec2,
};
use image::RgbImage;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long news may be taken over in one frame.
const NEWS_TIME: Duration = Duration::from_millis(5);
/// Below this width the panel lies under the picture.
const NARROW: f32 = 600.0;
/// So many photos have all been read before the window counts as settled: all are in view.
const FEW: usize = 12;
/// Least and usual width of the panel beside the picture.
const PANEL: (f32, f32) = (250.0, 346.0);

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
    /// Straightened cards of the current photo as found, and the texture of the one in hand.
    straight: Vec<CardImage>,
    straight_texture: Option<(usize, TextureHandle)>,
    table: Table,
    /// Whether a person has said something of the current photo.
    said: bool,
    view: View,
    /// What is looked at, in which way.
    pub look: Look,
    /// What is done with the photo.
    pub task: Task,
    correcting: Correcting,
    corrections: Corrections,
    stages: Stages,
    /// Where the picture stood in the last frame, for whoever wants to know.
    placement: Option<super::placement::Placement>,
    opened_at: Option<Instant>,
    first_thumb: Option<Duration>,
    /// What there is to tell the user.
    pub messages: Vec<String>,
    #[cfg(feature = "train")]
    learning: super::learn::Learning,
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
            straight_texture: None,
            table: Table::default(),
            said: false,
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
            #[cfg(feature = "train")]
            learning: super::learn::Learning::default(),
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

    /// Opens a picture that lies in no file.
    pub fn paste(&mut self, ctx: &Context, picture: RgbImage) {
        let ctx = ctx.clone();
        let library = Library::paste(picture, Arc::clone(&self.eye), move || ctx.request_repaint());
        self.take(library);
    }

    fn take(&mut self, library: Library) {
        let keep = (self.look.mode, self.task);
        #[cfg(feature = "train")]
        let learning = std::mem::take(&mut self.learning);
        *self = Self::new(Arc::clone(&self.eye));
        #[cfg(feature = "train")]
        {
            self.learning = learning;
        }
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
    pub fn placement(&self) -> Option<super::placement::Placement> {
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

    /// Takes over what the threads have to say.
    pub fn update(&mut self, ctx: &Context) {
        let start = Instant::now();
        while start.elapsed() < NEWS_TIME {
            let Some(news) = self.library.as_mut().and_then(Library::next_news) else { return };
            self.hear(ctx, news);
        }
        // There may be more.
        ctx.request_repaint();
    }

    fn hear(&mut self, ctx: &Context, news: News) {
        match news {
            News::Listed(_, problems) => {
                self.messages.extend(problems);
                let count = self.library.as_ref().map_or(0, |library| library.entries.len());
                self.summaries = vec![None; count];
                if count > 0 {
                    self.go_to(0);
                }
            }
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
            News::Cards(..) | News::Stages(..) => {}
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
        let (sets, unsure) = (table.sets.len(), table.unsure());
        self.summaries[index] = Some(Summary { sets, unsure, corrected });
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
        self.straight_texture = None;
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
        let (count, _) = self.progress();
        match action {
            Action::NextPhoto if self.current + 1 < count => self.go_to(self.current + 1),
            Action::PreviousPhoto if self.current > 0 => self.go_to(self.current - 1),
            Action::FirstPhoto => self.go_to(0),
            Action::LastPhoto => self.go_to(count.saturating_sub(1)),
            Action::Solve => self.look_in(Mode::Solve),
            Action::Hint => self.look_in(Mode::Hint),
            Action::Learn => self.look_in(Mode::Learn),
            Action::Correct => self.task = Task::Correct,
            Action::Stages => self.task = Task::Stages,
            Action::NextSet => self.look.next_set(self.table.sets.len()),
            Action::PreviousSet => self.look.previous_set(self.table.sets.len()),
            Action::AllSets => self.look.set = None,
            Action::MoreHint => self.look.more_hint(),
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
        if path.parent().is_none_or(|folder| folder.as_os_str().is_empty() && !path.exists()) {
            self.messages
                .push("A pasted picture lies in no folder: corrections cannot be kept.".into());
            return;
        }
        self.correcting.clash = None;
        let trouble = match wish {
            Wish::Change(change) => self.corrections.change(path, found, change, false),
            Wish::Amend(change) => self.corrections.change(path, found, change, true),
            Wish::Undo => self.corrections.step(path, found, false).map(|_| ()),
            Wish::Redo => self.corrections.step(path, found, true).map(|_| ()),
        };
        match (trouble, wish) {
            (Err(Trouble::Refused(refusal)), Wish::Change(change)) => {
                self.correcting.clash = Some((change, refusal));
            }
            (Err(Trouble::Unwritten(reason)), _) => self.messages.push(reason),
            _ => {}
        }
        let cards_before = self.table.cards.len();
        self.refresh();
        self.summarise(self.current);
        if matches!(wish, Wish::Change(super::correct::Change::Add(_)))
            && self.table.cards.len() > cards_before
        {
            self.correcting.adding = false;
            self.correcting.select(Some(self.table.cards.len() - 1));
        }
    }

    /// Shows the tab. Letters that are typed into a field are none of its business.
    pub fn ui(&mut self, ui: &mut Ui, settings: &Settings, typing: bool) {
        let ctx = ui.ctx().clone();
        let room = ui.available_size();
        let count = self.progress().0;
        if count > 1 {
            let height = if room.y < 600.0 { 86.0 } else { 122.0 };
            Panel::bottom("strip")
                .exact_size(height)
                .resizable(false)
                .show(ui, |ui| self.strip_ui(ui));
        } else {
            // Nothing else asks for what is open.
            self.want(&[], 0..0);
        }
        let frame = Frame::side_top_panel(ui.style()).inner_margin(14.0);
        if room.x < NARROW {
            let height = (room.y * 0.42).min(320.0);
            let frame = frame.inner_margin(8.0);
            Panel::bottom("side").exact_size(height).frame(frame).show(ui, |ui| {
                let area = ScrollArea::vertical().auto_shrink([false, false]);
                area.show(ui, |ui| self.side(ui, settings, typing));
            });
        } else {
            Panel::right("side")
                .exact_size((room.x * 0.36).clamp(PANEL.0, PANEL.1))
                .frame(frame)
                .show(ui, |ui| self.side(ui, settings, typing));
        }
        let ground =
            if ui.visuals().dark_mode { Color32::from_gray(18) } else { Color32::from_gray(226) };
        CentralPanel::no_frame()
            .frame(Frame::NONE.fill(ground))
            .show(ui, |ui| self.middle(ui, settings, typing));
        if self.task == Task::Stages && self.stages.photo != Some(self.current) && count > 0 {
            self.stages.photo = Some(self.current);
            if let Some(library) = &self.library {
                library.want_stages(self.current);
            }
        }
        if let Some(library) = &self.library
            && !library.listed
        {
            ctx.request_repaint_after(Duration::from_millis(100));
        }
    }

    fn strip_ui(&mut self, ui: &mut Ui) {
        let Some(library) = &self.library else { return };
        let shown = self.strip.show(ui, &library.entries, &self.summaries, self.current);
        self.want(&shown.missing, shown.in_view);
        if let Some(index) = shown.pressed {
            self.go_to(index);
        }
    }

    /// Tells the threads what is in view.
    fn want(&self, missing: &[usize], in_view: std::ops::Range<usize>) {
        let Some(library) = &self.library else { return };
        let first = in_view.filter(|&i| library.entries[i].found.is_none()).collect();
        library.want_in_view(missing.to_vec(), first);
    }

    fn side(&mut self, ui: &mut Ui, settings: &Settings, typing: bool) {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().button_padding.x = 9.0;
            ui.spacing_mut().item_spacing.x = 4.0;
            for mode in Mode::ALL {
                let selected = self.task == Task::Look && self.look.mode == mode;
                if ui.add(Button::selectable(selected, mode.word())).clicked() {
                    self.look_in(mode);
                }
            }
            for (task, word) in [(Task::Correct, "Correct"), (Task::Stages, "Stages")] {
                if ui.add(Button::selectable(self.task == task, word)).clicked() {
                    self.task = task;
                }
            }
        });
        self.title(ui);
        ui.separator();
        match self.found(self.current).is_some() {
            false => self.not_read(ui),
            true => match self.task {
                Task::Look => look_panel::show(ui, &self.table, &mut self.look, settings),
                Task::Stages => {
                    let times = self.times();
                    self.stages.panel(ui, &times);
                }
                Task::Correct => self.correct_panel(ui, settings, typing),
            },
        }
    }

    fn times(&self) -> Vec<StageTime> {
        self.found(self.current).map(|(_, found)| found.times.clone()).unwrap_or_default()
    }

    /// The photo's name, its place in the folder, and what is unsure.
    fn title(&self, ui: &mut Ui) {
        let Some((path, _)) = self.current() else { return };
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let (count, read) = self.progress();
        ui.add(eframe::egui::Label::new(RichText::new(name).strong()).truncate());
        let mut words = Vec::new();
        if count > 1 {
            words.push(format!("photo {} of {count}", self.current + 1));
        }
        if read < count && count > 1 {
            words.push(format!("{read} read"));
        }
        if !self.table.cards.is_empty() {
            let cards = self.table.cards.len();
            words.push(format!("{cards} card{}", if cards == 1 { "" } else { "s" }));
        }
        match self.table.unsure() {
            0 => {}
            1 => words.push("1 unsure (?)".into()),
            n => words.push(format!("{n} unsure (?)")),
        }
        if self.said {
            words.push("labelled".into());
        }
        ui.weak(words.join(" · "));
    }

    fn not_read(&self, ui: &mut Ui) {
        let entry = self.library.as_ref().and_then(|library| library.entries.get(self.current));
        match entry.map(|entry| &entry.found) {
            Some(Some(Err(reason))) => {
                ui.heading("This photo cannot be read.");
                ui.label(format!("It {reason}."));
            }
            Some(_) => {
                ui.horizontal(|ui| {
                    ui.spinner();
                    ui.label("Reading…");
                });
            }
            None if self.library.as_ref().is_some_and(|library| library.listed) => {
                ui.heading("No photos here.");
                ui.label("Open another folder, or drop photos on this window.");
            }
            None => {
                ui.horizontal(|ui| {
                    ui.spinner();
                    ui.label("Looking for photos…");
                });
            }
        }
    }

    fn correct_panel(&mut self, ui: &mut Ui, settings: &Settings, typing: bool) {
        if !typing {
            let wish = self.correcting.typing(ui);
            self.grant(wish);
        }
        let steps = self.current().map_or((false, false), |(path, _)| self.corrections.steps(path));
        self.make_straight(ui.ctx());
        let shown = correct_panel::Shown {
            table: &self.table,
            straight: self.straight_texture.as_ref().map(|(_, texture)| texture),
            steps,
            said: self.said,
        };
        let wish = correct_panel::panel(ui, &mut self.correcting, &shown, settings);
        self.grant(wish);
        #[cfg(feature = "train")]
        if let Some(folder) = self.current().and_then(|(path, _)| path.parent()) {
            let folder = folder.to_path_buf();
            ui.separator();
            self.learning.show(ui, &folder);
        }
        #[cfg(not(feature = "train"))]
        {
            ui.separator();
            ui.weak(
                "Learning from corrections is not in this build; in the folder of its sources: cargo \
                 install --path . --features train",
            );
        }
    }

    /// The texture of the card in hand, straightened as the reader saw it.
    fn make_straight(&mut self, ctx: &Context) {
        let Some(selected) = self.correcting.selected.filter(|&i| i < self.table.cards.len())
        else {
            self.straight_texture = None;
            return;
        };
        if self.straight_texture.as_ref().is_some_and(|(i, _)| *i == selected) {
            return;
        }
        self.straight_texture = None;
        let center = self.table.cards[selected].corners_in_image.center();
        let image = self
            .found(self.current)
            .and_then(|(_, found)| found.table.card_at(center))
            .and_then(|i| self.straight.get(i));
        if let Some(image) = image {
            let picture = color_image(&image.pixels);
            let texture = ctx.load_texture("card", picture, TextureOptions::LINEAR);
            self.straight_texture = Some((selected, texture));
        }
    }

    fn middle(&mut self, ui: &mut Ui, settings: &Settings, typing: bool) {
        if self.task == Task::Stages && self.found(self.current).is_some() {
            self.stages.picture(ui, typing);
            return;
        }
        let Some(picture) = &mut self.picture else {
            self.waiting(ui);
            return;
        };
        let id = Id::unique("photo");
        let (ground, placement) = picture.show(ui, &mut self.view, id, "The photo");
        self.placement = Some(placement);
        if !typing {
            picture.keys(ui, &mut self.view, placement.room);
        }
        if self.found(self.current).is_none() {
            return;
        }
        let painter = ui.painter_at(placement.room);
        let looking = match self.task {
            Task::Look => self.look.clone(),
            _ => Look { mode: Mode::Hint, ..Look::default() },
        };
        overlay::paint(&painter, &placement, &self.table, &looking, settings);
        let mut wish = None;
        let shown = match self.task {
            Task::Correct => {
                let chosen = self.correcting.selected.into_iter().collect();
                Look { chosen, ..Look::default() }
            }
            _ => self.look.clone(),
        };
        let hits = overlay::interact(ui, &placement, &self.table, id.with("card"), &shown);
        match (self.task, hits.clicked) {
            (Task::Look, Some(card)) if self.look.mode == Mode::Learn => self.look.choose(card),
            (Task::Look, Some(card)) if self.look.mode == Mode::Solve => self.step_sets_of(card),
            (Task::Correct, Some(card)) if !self.correcting.adding => {
                self.correcting.select(Some(card))
            }
            _ => {}
        }
        if self.task == Task::Correct {
            wish = correct_panel::handles(ui, &placement, &self.table, &mut self.correcting, id);
            let clicked = ground.clicked() || hits.clicked.is_some();
            let at = ui.input(|input| input.pointer.interact_pos());
            if let (true, true, Some(at)) = (self.correcting.adding, clicked, at) {
                let center = placement.image_from_window(at);
                wish = Some(Wish::Change(super::correct::Change::Add(center)));
            } else if ground.clicked() {
                self.correcting.select(None);
            }
        }
        if self.task == Task::Look && self.table.sets.is_empty() && !self.table.cards.is_empty() {
            overlay::caption(&painter, placement.room, "No set here");
        }
        self.grant(wish);
    }

    /// A click on a card shows its sets, one after the other.
    fn step_sets_of(&mut self, card: usize) {
        let sets = self.table.sets_with(card);
        let at = self.look.set.and_then(|set| sets.iter().position(|&s| s == set));
        self.look.set = match at {
            None => sets.first().copied(),
            Some(at) => sets.get(at + 1).copied(),
        };
    }

    /// The thumbnail, enlarged, until the picture itself is there.
    fn waiting(&self, ui: &mut Ui) {
        let room = ui.available_rect_before_wrap();
        if let Some(thumb) = self.strip.thumb(self.current) {
            let rect = self.view.place(room, thumb.size_vec2()).rect;
            let all = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            ui.painter().image(thumb.id(), rect, all, Color32::WHITE);
        }
        let failed = self.current().is_some_and(|_| {
            let entry = &self.library.as_ref().expect("a current photo").entries[self.current];
            matches!(entry.found, Some(Err(_)))
        });
        if !failed && self.library.as_ref().is_some_and(|l| !l.listed || !l.entries.is_empty()) {
            let spinner = Rect::from_center_size(room.center(), vec2(48.0, 48.0));
            ui.put(spinner, eframe::egui::Spinner::new().size(40.0));
        }
    }
}
