//! How the tab of photos is drawn.

use super::{Photos, Task};
use crate::photos::correct::{Change, Refusal};
use crate::photos::correct_panel::{self, Wish};
use crate::photos::strip::{Filter, Photographs};
use crate::shared::look::{Look, Mode};
use crate::shared::look_panel;
use crate::shared::overlay;
use crate::shared::settings::Settings;
use crate::shared::words::{Word, t};
use eframe::egui::{
    Button, Color32, Context, Frame, Id, Margin, Rect, RichText, ScrollArea, Ui, UiBuilder, pos2,
    vec2,
};
use setsight_vision::StageTime;
use std::time::Duration;

/// Below this width the panel lies under the picture.
const NARROW: f32 = 600.0;
/// Least and usual width of the panel beside the picture.
const PANEL: (f32, f32) = (250.0, 346.0);
/// Below this height there is no room for thumbnails; keys lead to the other photos.
const NO_STRIP: f32 = 240.0;
/// Below this height the panel scrolls as a whole.
const LOW: f32 = 420.0;

/// Where the parts of the tab stand.
struct Parts {
    picture: Rect,
    side: Rect,
    side_scrolls: bool,
    margin: f32,
    strip: Option<Rect>,
}

impl Parts {
    fn of(whole: Rect, several: bool) -> Self {
        let height = match whole.height() {
            h if !several || h < NO_STRIP => 0.0,
            h if h < 600.0 => 86.0,
            _ => 150.0,
        };
        let (upper, strip) = whole.split_top_bottom_at_y(whole.max.y - height);
        let narrow = whole.width() < NARROW;
        // So little room that nothing has enough: beside each other, half and half.
        let tiny = narrow && upper.height() < NO_STRIP && upper.width() > upper.height();
        let (picture, side) = if tiny {
            upper.split_left_right_at_fraction(0.45)
        } else if narrow {
            upper.split_top_bottom_at_y(upper.max.y - (upper.height() * 0.46).min(320.0))
        } else {
            let width = (upper.width() * 0.36).clamp(PANEL.0, PANEL.1);
            upper.split_left_right_at_x(upper.max.x - width)
        };
        let side_scrolls = narrow || upper.height() < LOW;
        let margin = if narrow { 8.0 } else { 14.0 };
        let strip = (height > 0.0).then_some(strip);
        Self { picture, side, side_scrolls, margin, strip }
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
    /// Shows the tab. Letters that are typed into a field are none of its business.
    pub fn ui(&mut self, ui: &mut Ui, settings: &Settings, typing: bool) {
        let ctx = ui.ctx().clone();
        let whole = ui.available_rect_before_wrap();
        let count = self.progress().0;
        let parts = Parts::of(whole, count > 1);
        // In the order in which one reads, which is that of the Tab key.
        let ground =
            if ui.visuals().dark_mode { Color32::from_gray(18) } else { Color32::from_gray(226) };
        part(ui, parts.picture, Frame::NONE.fill(ground), |ui| self.middle(ui, settings, typing));
        let frame = Frame::side_top_panel(ui.style()).inner_margin(parts.margin);
        part(ui, parts.side, frame, |ui| {
            if parts.side_scrolls {
                let area = ScrollArea::vertical().auto_shrink([false, false]).id_salt("side");
                area.show(ui, |ui| self.side(ui, settings, typing));
            } else {
                self.side(ui, settings, typing);
            }
        });
        match parts.strip {
            Some(rect) => {
                let frame = Frame::side_top_panel(ui.style()).inner_margin(Margin::symmetric(8, 4));
                part(ui, rect, frame, |ui| self.strip_ui(ui));
            }
            // Nothing else asks for what is open.
            None => self.want(&[], &[]),
        }
        ui.advance_cursor_after_rect(whole);
        self.clash_ui(&ctx);
        if self.task == Task::Stages && self.stages.photo != Some(self.current) && count > 0 {
            self.stages.photo = Some(self.current);
            if let Some(library) = &self.library {
                library.want_stages(self.current);
            }
        }
        // After what the user did in this frame, which was meant for what was seen.
        self.look_again(&ctx);
        if let Some(library) = &self.library
            && !library.listed
        {
            ctx.request_repaint_after(Duration::from_millis(100));
        }
    }

    /// Two programs say something else of one card: the user knows which is right.
    fn clash_ui(&mut self, ctx: &Context) {
        let Some(clash) = self.clash else { return };
        let answer = crate::shared::pages::modal(ctx, "clash", 460.0, |ui| {
            ui.heading(t!("clash-title"));
            ui.label(t!("clash-what", n = clash.cards));
            ui.add_space(6.0);
            let mine = ui.button(t!("clash-mine")).clicked();
            let theirs = ui.button(t!("clash-theirs")).clicked();
            (mine, theirs)
        });
        match answer.inner {
            (true, _) => self.resolve(true),
            (_, true) => self.resolve(false),
            _ => {}
        }
    }

    fn strip_ui(&mut self, ui: &mut Ui) {
        self.fill_strip();
        if ui.available_height() > 100.0 {
            ui.horizontal(|ui| {
                ui.spacing_mut().button_padding = vec2(8.0, 1.0);
                ui.spacing_mut().interact_size.y = 22.0;
                for filter in Filter::ALL {
                    let button = Button::selectable(self.filter == filter, filter.word().say());
                    if ui.add(button).on_hover_text(filter.help().say()).clicked() {
                        self.filter = filter;
                    }
                }
                let (count, read) = self.progress();
                let mut words = t!("checked-of", n = self.checked(), all = count);
                if read < count {
                    words = t!("read-and-checked", n = read, checked = words);
                }
                ui.weak(words);
            });
        }
        let Some(library) = &self.library else { return };
        // Whoever looks for sets is not told how many there are.
        let tell_sets = self.task != Task::Look || self.look.mode == Mode::Solve;
        let strip = Photographs {
            entries: &library.entries,
            summaries: &self.summaries,
            shown: &self.in_strip,
            current: self.current,
            tell_sets,
        };
        let shown = self.strip.show(ui, &strip);
        self.want(&shown.missing, &shown.in_view);
        if let Some(index) = shown.pressed {
            self.go_to(index);
        }
    }

    /// Tells the threads what is in view.
    fn want(&self, missing: &[usize], in_view: &[usize]) {
        let Some(library) = &self.library else { return };
        let first =
            in_view.iter().copied().filter(|&i| library.entries[i].found.is_none()).collect();
        library.want_in_view(missing.to_vec(), first);
    }

    fn side(&mut self, ui: &mut Ui, settings: &Settings, typing: bool) {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().button_padding.x = 9.0;
            ui.spacing_mut().item_spacing.x = 4.0;
            for mode in Mode::ALL {
                let selected = self.task == Task::Look && self.look.mode == mode;
                if ui.add(Button::selectable(selected, mode.word().say())).clicked() {
                    self.look_in(mode);
                }
            }
            let tasks =
                [(Task::Correct, Word("task-correct")), (Task::Stages, Word("task-stages"))];
            for (task, word) in tasks {
                if ui.add(Button::selectable(self.task == task, word.say())).clicked() {
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
            words.push(t!("photo-of", n = self.current + 1, all = count));
        }
        if read < count && count > 1 {
            words.push(t!("read-so-far", n = read));
        }
        if !self.table.cards.is_empty() {
            words.push(t!("count-cards", n = self.table.cards.len()));
        }
        match self.table.unsure() {
            0 => {}
            n => words.push(t!("unsure-cards", n = n)),
        }
        if self.table.checked {
            words.push(t!("checked"));
        } else if self.said {
            words.push(t!("corrected"));
        }
        ui.weak(words.join(" · "));
    }

    fn not_read(&self, ui: &mut Ui) {
        let entry = self.library.as_ref().and_then(|library| library.entries.get(self.current));
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
            None if self.library.as_ref().is_some_and(|library| library.listed) => {
                ui.heading(t!("no-photos"));
                ui.label(t!("no-photos-advice"));
            }
            None => {
                ui.horizontal(|ui| {
                    ui.spinner();
                    ui.label(t!("looking-for-photos"));
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
            differs: self.found(self.current).is_some_and(|(_, found)| {
                self.table.checked
                    || self.table.said.contains(&true)
                    || self.table.cards != found.table.cards
            }),
        };
        let wish = correct_panel::panel(ui, &mut self.correcting, &shown, settings);
        self.grant(wish);
        if let Some(folder) = self.current().and_then(|(path, _)| path.parent()) {
            let folder = folder.to_path_buf();
            ui.separator();
            self.learning.show(ui, &folder);
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
        let (ground, placement) = picture.show(ui, &mut self.view, id, &t!("the-photo"));
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
        let in_hand: Vec<usize> = self.correcting.selected.into_iter().collect();
        let correct = self.task == Task::Correct;
        let cards = overlay::Cards {
            chosen: if correct { &in_hand } else { &self.look.chosen },
            tell_sets: !correct && self.look.mode == Mode::Solve,
            focus: self.focus.0.take().or(self.correcting.focus.take()),
        };
        let hits = overlay::cards(ui, &placement, &self.table, id.with("card"), &cards);
        self.focus.1 = hits.focused;
        match (self.task, hits.clicked) {
            (Task::Look, Some(card)) if self.look.mode == Mode::Learn => self.look.choose(card),
            (Task::Look, Some(card)) if self.look.mode == Mode::Solve => self.step_sets_of(card),
            (Task::Correct, Some(card)) if !self.correcting.adding => {
                self.correcting.select(Some(card))
            }
            _ => {}
        }
        if let Some((_, Refusal::LiesThere(other) | Refusal::BothAre(_, other))) =
            self.correcting.clash
            && correct
        {
            overlay::point_out(&painter, &placement, &self.table, other);
        }
        if correct {
            wish = correct_panel::handles(ui, &placement, &self.table, &mut self.correcting, id);
            let clicked = ground.clicked() || hits.clicked.is_some();
            let at = ui.input(|input| input.pointer.interact_pos());
            if let (true, true, Some(at)) = (self.correcting.adding, clicked, at) {
                let center = placement.image_from_window(at);
                wish = Some(Wish::Change(Change::Add(center)));
            } else if ground.clicked() {
                self.correcting.select(None);
            }
        }
        let solving = self.task == Task::Look && self.look.mode == Mode::Solve;
        if solving && self.table.sets.is_empty() && !self.table.cards.is_empty() {
            overlay::caption(&painter, placement.room, &t!("no-set-caption"));
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
