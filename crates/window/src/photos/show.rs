//! How the tab of photos is drawn.

use super::{Photos, Task};
use crate::{
    deck,
    photos::{
        correct::{Change, Refusal},
        correct_panel::{self, Shown},
        correcting::{Correcting, Edit},
        strip::{Filter, Photographs},
    },
    shared::{
        keys::{Action, key_hover},
        look::{Look, Mode},
        look_panel::{self, with_foot},
        overlay,
        picture::{Picture, Placement, zoom_buttons},
        reasons,
        split::Split,
        tab::{AppContext, Command},
        table::Heap,
        verdict,
        words::{Word, t},
    },
    window::Page,
};
use eframe::egui::{
    Button, Color32, Frame, Id, Margin, Rect, RichText, ScrollArea, Ui, UiBuilder, pos2, vec2,
};
use setsight_photo::source::ListError;
use setsight_vision::StageTime;
use std::time::Duration;

/// Most width of the panel, and the height below which it scrolls as a whole.
const PANEL: (f32, f32) = (392.0, 420.0);
/// Below this height there is no room for thumbnails; keys lead to the other photos.
const NO_STRIP: f32 = 240.0;
/// From so many photos on they can be filtered.
const FILTERED: usize = 10;

/// What can be done where there is nothing to see.
const OTHER_FOLDER: (Action, Word) = (Action::OpenFolder, Word("another-folder"));
const SAMPLE: (Action, Word) = (Action::Sample, Word("try-sample"));
const HOW_TO: (Action, Word) = (Action::Page(Page::HowTo), Word("how-to-photograph-a-table"));

/// What may be done next, as buttons.
fn steps(ui: &mut Ui, app: &mut AppContext, steps: &[(Action, Word)]) {
    ui.add_space(8.0);
    for &(action, word) in steps {
        if ui.button(word.say()).clicked() {
            app.commands.push(Command::Act(action));
        }
    }
}

/// Where the parts of the tab stand.
struct Parts {
    picture: Rect,
    side: Rect,
    side_scrolls: bool,
    margin: f32,
    strip: Option<Rect>,
}

impl Parts {
    fn new(room: Rect, several: bool) -> Self {
        let height = match room.height() {
            h if !several || h < NO_STRIP => 0.0,
            h if h < 600.0 => 86.0,
            _ => 150.0,
        };
        let (upper, strip) = room.split_top_bottom_at_y(room.max.y - height);
        let split = Split::new(upper.size(), PANEL.0, PANEL.1);
        let (picture, side) = split.parts(upper);
        let margin = if split.narrow { 8.0 } else { 14.0 };
        let strip = (height > 0.0).then_some(strip);
        Self { picture, side, side_scrolls: split.scrolls, margin, strip }
    }
}

/// A part of the window, framed; nothing of it is drawn outside.
fn part(ui: &mut Ui, rect: Rect, frame: Frame, add: impl FnOnce(&mut Ui)) {
    let mut child = ui.new_child(UiBuilder::new().max_rect(rect));
    child.set_clip_rect(rect.intersect(ui.clip_rect()));
    frame.show(&mut child, |ui| {
        ui.set_min_size(ui.available_size());
        add(ui);
    });
}

impl Photos {
    /// Shows the tab. It ignores letters that are typed into a field.
    pub(crate) fn show(&mut self, ui: &mut Ui, app: &mut AppContext, keys: bool) {
        let room = ui.available_rect_before_wrap();
        let count = self.shelf.progress().0;
        let mut parts = Parts::new(room, count > 1);
        if app.presenting {
            (parts.picture, parts.strip) = (room, None);
            self.view.look.pointed = None;
        }
        // In the order in which one reads, which is that of the Tab key.
        let ground =
            if ui.visuals().dark_mode { Color32::from_gray(18) } else { Color32::from_gray(226) };
        part(ui, parts.picture, Frame::NONE.fill(ground), |ui| self.middle(ui, app, keys));
        if !app.presenting {
            self.side_panel(ui, &parts, app, keys);
        }
        match parts.strip {
            Some(rect) => {
                let frame = Frame::side_top_panel(ui.style()).inner_margin(Margin::symmetric(8, 4));
                part(ui, rect, frame, |ui| self.strip_ui(ui));
            }
            // Nothing else asks for what is open.
            None => self.shelf.want(&[], &[]),
        }
        ui.advance_cursor_after_rect(room);
        self.clash_ui(app);
        self.want_stages();
        // After what the user did in this frame, which was meant for what was seen.
        self.look_again(app);
        if let Some(library) = &self.shelf.library
            && !library.listed
        {
            app.ctx.request_repaint_after(Duration::from_millis(100));
        }
    }

    /// Has the stages of the photo made, if they are looked at.
    fn want_stages(&mut self) {
        let current = self.shelf.current;
        if self.view.task == Task::Stages
            && self.view.stages.photo != Some(current)
            && self.shelf.progress().0 > 0
        {
            self.view.stages.photo = Some(current);
            if let Some(library) = &self.shelf.library {
                library.want_stages(current);
            }
        }
    }

    /// The panel beside the picture, or below it.
    fn side_panel(&mut self, ui: &mut Ui, parts: &Parts, app: &mut AppContext, keys: bool) {
        let frame = Frame::side_top_panel(ui.style()).inner_margin(parts.margin);
        part(ui, parts.side, frame, |ui| {
            if self.view.task == Task::Correct && self.shelf.found().is_some() {
                self.correct_side(ui, app, keys);
            } else if parts.side_scrolls {
                let area = ScrollArea::vertical().auto_shrink([false, false]).id_salt("side");
                area.show(ui, |ui| self.side(ui, app));
            } else {
                self.side(ui, app);
            }
        });
    }

    /// Two programs say something else of one card: the user knows which is right.
    fn clash_ui(&mut self, app: &mut AppContext) {
        let Some(clash) = self.view.clash else { return };
        let answer = crate::shared::pages::modal(&app.ctx, "clash", 460.0, |ui| {
            ui.heading(t!("clash-title"));
            ui.label(t!("clash-what", n = clash.cards));
            ui.add_space(6.0);
            let mine = ui.button(t!("clash-mine")).clicked();
            let theirs = ui.button(t!("clash-theirs")).clicked();
            (mine, theirs)
        });
        match answer.inner {
            (true, _) => self.resolve(true, app),
            (_, true) => self.resolve(false, app),
            _ => {}
        }
    }

    fn strip_ui(&mut self, ui: &mut Ui) {
        self.shelf.fill_strip();
        if ui.available_height() > 100.0 {
            ui.horizontal(|ui| {
                ui.spacing_mut().button_padding = vec2(8.0, 1.0);
                ui.spacing_mut().interact_size.y = 22.0;
                let (count, read) = self.shelf.progress();
                // A few are all in view.
                for filter in Filter::ALL.into_iter().filter(|_| count >= FILTERED) {
                    let button =
                        Button::selectable(self.shelf.filter == filter, filter.word().say());
                    if ui.add(button).on_hover_text(filter.help().say()).clicked() {
                        self.shelf.filter = filter;
                    }
                }
                let mut words = t!("checked-of", n = self.shelf.checked(), all = count);
                if read < count {
                    words = t!("read-and-checked", n = read, checked = words);
                }
                ui.weak(words);
            });
        }
        let Some(library) = &self.shelf.library else { return };
        // The number of sets is hidden from a user who looks for them.
        let tell_sets = self.view.task != Task::Look || self.view.look.mode == Mode::Solve;
        let strip = Photographs {
            entries: &library.entries,
            summaries: &self.shelf.summaries,
            shown: &self.shelf.in_strip,
            current: self.shelf.current,
            tell_sets,
        };
        let shown = self.shelf.strip.show(ui, &strip);
        self.shelf.want(&shown.missing, &shown.in_view);
        if let Some(index) = shown.pressed {
            self.go_to(index);
        }
    }

    /// What may be done with the photo, and which photo it is.
    fn head(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            // All in one row beside a usual picture, in German too.
            ui.spacing_mut().button_padding.x = 7.0;
            ui.spacing_mut().item_spacing.x = 3.0;
            for mode in Mode::ALL {
                let selected = self.view.task == Task::Look && self.view.look.mode == mode;
                if ui.add(Button::selectable(selected, mode.word().say())).clicked() {
                    self.look_in(mode, ui.ctx());
                }
            }
            let is_corrected = self.view.task == Task::Correct;
            if ui.add(Button::selectable(is_corrected, t!("task-correct"))).clicked() {
                self.turn_to(Task::Correct, ui.ctx());
            }
        });
        self.title(ui);
        ui.separator();
    }

    fn side(&mut self, ui: &mut Ui, app: &mut AppContext) {
        self.head(ui);
        if self.shelf.found().is_none() {
            return self.not_read(ui, app);
        }
        if self.view.task == Task::Stages {
            let times = self.times();
            return self.view.stages.panel(ui, &times);
        }
        let unsure = self.view.table.unsure();
        if self.view.look.mode == Mode::Solve && unsure > 0 && !self.shelf.is_pasted() {
            let check = ui.button(t!("check-cards", n = unsure));
            if check.on_hover_text(key_hover(Action::Check)).clicked() {
                app.commands.push(Command::Act(Action::Check));
            }
        }
        look_panel::show(ui, &self.view.table, &mut self.view.look, app.settings());
        if self.view.table.cards.is_empty() {
            steps(ui, app, &[HOW_TO, SAMPLE]);
        } else if self.view.table.facts.deck().is_none() && ui.button(t!("teach-this")).clicked() {
            app.commands.push(Command::Act(Action::Tab(deck::TAB.id)));
            app.commands.push(Command::Take(deck::ASK_PHOTOS, self.shelf.some_paths()));
        }
    }

    /// The panel of corrections.
    fn correct_side(&mut self, ui: &mut Ui, app: &mut AppContext, keys: bool) {
        if keys {
            let edit = self.view.correcting.typing(ui);
            self.grant(edit, app);
        }
        self.make_straight(ui.ctx());
        with_foot(
            ui,
            "correct",
            &mut (&mut *self, &mut *app),
            |(photos, app), ui| {
                photos.head(ui);
                let settings = app.settings();
                let edit = photos.correct_part(|correcting, shown| {
                    correct_panel::panel(ui, correcting, shown, settings)
                });
                photos.grant(edit, app);
                photos.learning(ui);
            },
            |(photos, app), ui| {
                let edit = photos
                    .correct_part(|correcting, shown| correct_panel::foot(ui, correcting, shown));
                photos.grant(edit, app);
            },
        );
    }

    /// Shows a part of the panel of corrections.
    fn correct_part(
        &mut self,
        show: impl FnOnce(&mut Correcting, &Shown<'_>) -> Option<Edit>,
    ) -> Option<Edit> {
        let steps = self
            .shelf
            .current()
            .map_or((false, false), |(path, _)| self.shelf.corrections.steps(path));
        let steps = (steps.0 || self.shelf.passed.is_some(), steps.1);
        let differs = self.shelf.found().is_some_and(|(_, found)| {
            self.view.table.checked
                || self.view.table.confirmed.contains(&true)
                || self.view.table.cards != found.table.cards
        });
        let view = &mut self.view;
        let straight = view.straight_texture.as_ref().map(|(_, texture)| texture);
        let shown =
            Shown { table: &view.table, straight, steps, is_labelled: view.is_labelled, differs };
        show(&mut view.correcting, &shown)
    }

    /// Learning from the corrections of the folder, while no card is in hand.
    fn learning(&mut self, ui: &mut Ui) {
        let folder = self.shelf.current().and_then(|(path, _)| path.parent());
        if let (None, Some(folder)) = (self.view.correcting.selected, folder) {
            let folder = folder.to_path_buf();
            ui.separator();
            self.learning.show(ui, &folder);
        }
    }

    fn times(&self) -> Vec<StageTime> {
        self.shelf.found().map(|(_, found)| found.times.clone()).unwrap_or_default()
    }

    /// The photo's name, its place in the folder, and what is unsure.
    fn title(&self, ui: &mut Ui) {
        let Some((path, _)) = self.shelf.current() else { return };
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let (count, read) = self.shelf.progress();
        ui.add(eframe::egui::Label::new(RichText::new(name).strong()).truncate());
        let mut words = Vec::new();
        if count > 1 {
            words.push(t!("photo-of", n = self.shelf.current + 1, all = count));
        }
        if read < count && count > 1 {
            words.push(t!("read-so-far", n = read));
        }
        if !self.view.table.cards.is_empty() {
            words.push(t!("count-cards", n = self.view.table.cards.len()));
        }
        match self.view.table.unsure() {
            0 => {}
            n => words.push(t!("unsure-cards", n = n)),
        }
        if self.view.table.checked {
            words.push(t!("checked"));
        } else if self.view.is_labelled {
            words.push(t!("corrected"));
        }
        // Never a second line: what stands below keeps its place.
        let words = RichText::new(words.join(" · ")).weak();
        ui.add(eframe::egui::Label::new(words).truncate());
    }

    fn not_read(&self, ui: &mut Ui, app: &mut AppContext) {
        let entry =
            self.shelf.library.as_ref().and_then(|library| library.entries.get(self.shelf.current));
        match entry.map(|entry| &entry.found) {
            Some(Some(Err(reason))) => {
                ui.heading(t!("photo-unread"));
                ui.label(t!("it-reason", reason = reason.words()));
            }
            Some(_) => {
                ui.horizontal(|ui| {
                    ui.spinner();
                    ui.label(t!("reading"));
                });
            }
            None if self.shelf.library.as_ref().is_some_and(|library| library.listed) => {
                let is_refused = self
                    .shelf
                    .no_photos
                    .iter()
                    .any(|reason| matches!(reason, ListError::Unreadable { .. }));
                ui.heading(if is_refused { t!("not-opened") } else { t!("no-photos") });
                for reason in &self.shelf.no_photos {
                    ui.label(reasons::listing(reason));
                }
                if !is_refused {
                    ui.label(t!("no-photos-advice"));
                }
                steps(ui, app, &[OTHER_FOLDER, SAMPLE, HOW_TO]);
            }
            None => {
                ui.horizontal(|ui| {
                    ui.spinner();
                    ui.label(t!("looking-for-photos"));
                });
            }
        }
    }

    fn middle(&mut self, ui: &mut Ui, app: &mut AppContext, keys: bool) {
        if self.view.task == Task::Stages && self.shelf.found().is_some() {
            self.view.stages.picture(ui, keys);
            return;
        }
        let Some(picture) = &mut self.view.picture else {
            self.waiting(ui, app);
            return;
        };
        let id = Id::unique("photo");
        let size_px = picture.size_px();
        let (ground, placement) = picture.show(ui, &mut self.view.zoom, id, &t!("the-photo"));
        self.view.placement = Some(placement);
        if keys {
            picture.keys(ui, &mut self.view.zoom, placement.room);
        }
        if self.shelf.found().is_none() {
            return;
        }
        let painter = ui.painter_at(placement.room);
        let looking = self.looking();
        self.find_heap();
        let table = (&self.view.table, &self.view.heap);
        overlay::paint(&painter, &placement, table, &looking, app.settings());
        let mut edit = None;
        let in_hand = self.view.correcting.selected;
        let correct = self.view.task == Task::Correct;
        if correct {
            overlay::paint_faces(&painter, &placement, table.0, in_hand, app.settings());
        }
        let cards = overlay::Cards {
            chosen: if correct { in_hand.as_slice() } else { &self.view.look.chosen },
            tell_sets: !correct && self.view.look.mode == Mode::Solve,
            focus: self.view.focus.0.take().or(self.view.correcting.focus.take()),
        };
        let hits = overlay::cards(ui, &placement, &self.view.table, id.with("card"), &cards);
        self.view.focus.1 = hits.focused;
        if !app.presenting {
            zoom_buttons(ui, &mut self.view.zoom, size_px, placement.room);
        }
        match (self.view.task, hits.clicked) {
            (Task::Look, Some(card)) if self.view.look.mode == Mode::Learn => {
                self.view.look.choose(card)
            }
            (Task::Look, Some(card)) if self.view.look.mode == Mode::Solve => {
                self.step_sets_of(card)
            }
            (Task::Correct, Some(card)) if !self.view.correcting.adding => {
                self.view.correcting.select(Some(card), &self.view.table)
            }
            _ => {}
        }
        if let Some((_, Refusal::AlreadyPlaced(other) | Refusal::BothAre(_, other))) =
            self.view.correcting.clash
            && correct
        {
            overlay::point_out(&painter, &placement, &self.view.table, other);
        }
        if correct {
            edit = correct_panel::handles(
                ui,
                &placement,
                &self.view.table,
                &mut self.view.correcting,
                id,
            );
            let clicked = ground.clicked() || hits.clicked.is_some();
            let pointer = ui.input(|input| input.pointer.clone());
            let at = pointer.interact_pos().filter(|_| clicked && pointer.primary_clicked());
            let table = &self.view.table;
            let on_face = at.and_then(|at| overlay::face_at(&placement, table, in_hand, at));
            if let (true, Some(at)) = (self.view.correcting.adding, at) {
                let center = placement.image_from_window(at);
                edit = Some(Edit::Change(Change::Add(center)));
            } else if on_face.is_some() || ground.clicked() {
                self.view.correcting.select(on_face, &self.view.table);
            }
        }
        self.explain(ui, &placement, &looking, app.presenting);
        self.grant(edit, app);
    }

    /// What is written on the picture itself.
    fn explain(&self, ui: &Ui, placement: &Placement, looking: &Look, alone: bool) {
        let table = &self.view.table;
        verdict::paint(ui, placement, table, looking, alone);
        let solving = self.view.task == Task::Look && self.view.look.mode == Mode::Solve;
        // While a card is unsure nobody knows that there is none.
        let has_none = !table.cards.is_empty() && table.shown_sets() + table.unsure() == 0;
        if solving && has_none {
            let painter = ui.painter_at(placement.room);
            overlay::caption(&painter, placement.room, &t!("no-set-caption"));
        }
    }

    /// Finds out which cards lie on others, where cards are other ones than before.
    fn find_heap(&mut self) {
        let Some(full) = self.view.picture.as_ref().and_then(Picture::full) else { return };
        let quads = self.view.table.cards.iter().map(|card| card.corners_in_image);
        if !self.view.heap.is_of(quads.clone()) {
            self.view.heap = Heap::new(full, quads.collect());
        }
    }

    /// What of the cards is drawn on the picture.
    fn looking(&self) -> Look {
        match (self.view.task, self.view.correcting.selected) {
            (Task::Look, _) => self.view.look.clone(),
            // The sets that hang on the card in hand.
            (_, Some(card)) => Look { with: Some(card), ..Look::default() },
            // What comes of the corrections.
            (_, None) if self.view.is_labelled && self.view.table.unsure() == 0 => Look::default(),
            (_, None) => Look { mode: Mode::Hint, ..Look::default() },
        }
    }

    /// A click on a card shows its sets, one after the other.
    fn step_sets_of(&mut self, card: usize) {
        let sets = self.view.table.sets_with(card);
        let at = self.view.look.set.and_then(|set| sets.iter().position(|&s| s == set));
        self.view.look.set = match at {
            None => sets.first().copied(),
            Some(at) => sets.get(at + 1).copied(),
        };
    }

    /// The thumbnail, enlarged, and what is known of the cards on it, until the picture itself is there.
    fn waiting(&self, ui: &mut Ui, app: &AppContext) {
        let room = ui.available_rect_before_wrap();
        if let Some(thumb) = self.shelf.strip.thumb(self.shelf.current) {
            let rect = self.view.zoom.place(room, thumb.size_vec2()).rect;
            let all = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            ui.painter().image(thumb.id(), rect, all, Color32::WHITE);
            if let Some((_, found)) = self.shelf.found() {
                let (width, height) = found.size_px;
                let placement = self.view.zoom.place(room, vec2(width as f32, height as f32));
                let (table, looking) = ((&self.view.table, &self.view.heap), self.looking());
                overlay::paint(&ui.painter_at(room), &placement, table, &looking, app.settings());
            }
            return;
        }
        let failed = self.shelf.current().is_some_and(|_| {
            let entry =
                &self.shelf.library.as_ref().expect("a current photo").entries[self.shelf.current];
            matches!(entry.found, Some(Err(_)))
        });
        if !failed
            && self.shelf.library.as_ref().is_some_and(|l| !l.listed || !l.entries.is_empty())
        {
            let spinner = Rect::from_center_size(room.center(), vec2(48.0, 48.0));
            ui.put(spinner, eframe::egui::Spinner::new().size(40.0));
        }
    }
}
