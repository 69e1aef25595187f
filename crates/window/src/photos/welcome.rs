//! The first page: what can be done here.

use crate::shared::card_face::{ASPECT, paint, rect_at};
use crate::shared::{keys::Action, settings::Settings, tab::Command, words::t};
use crate::{deal, window::Page};
use eframe::egui::{Button, RichText, Role, ScrollArea, Sense, Ui, WidgetInfo, vec2};
use std::path::Path;

/// Shows the page. What the user wants.
pub(crate) fn show(ui: &mut Ui, settings: &Settings) -> Option<Command> {
    ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| content(ui, settings)).inner
}

fn content(ui: &mut Ui, settings: &Settings) -> Option<Command> {
    let mut command = None;
    ui.vertical_centered(|ui| {
        let room = ui.available_height();
        ui.add_space(((room - 600.0) * 0.5).max(4.0));
        fan(ui, room, settings);
        ui.add_space(14.0);
        ui.label(RichText::new(t!("welcome")).size(30.0).strong());
        ui.label(t!("drop-photos"));
        ui.add_space(10.0);
        let size = vec2(260.0_f32.min(ui.available_width()), 46.0);
        let colors = ui.visuals().selection;
        let words = RichText::new(t!("ask-photos")).size(20.0).color(colors.stroke.color);
        if ui.add(Button::new(words).min_size(size).fill(colors.bg_fill)).clicked() {
            command = Some(Command::Act(Action::OpenPhoto));
        }
        let size = vec2(size.x, 32.0);
        for (action, words) in [
            (Action::Sample, t!("try-sample")),
            (Action::OpenFolder, t!("ask-folder")),
            (Action::Page(Page::Phone), t!("phone-title")),
            (Action::Tab(deal::TAB.id), t!("deal-without-photos")),
        ] {
            if ui.add(Button::new(words).min_size(size)).clicked() {
                command = Some(Command::Act(action));
            }
        }
        let recent: Vec<_> = settings.recent.iter().filter(|path| path.exists()).collect();
        if !recent.is_empty() {
            ui.add_space(8.0);
            ui.weak(t!("opened-before"));
        }
        for path in recent {
            let button = ui.link(name_of(path)).on_hover_text(path.display().to_string());
            if button.clicked() {
                command = Some(Command::Open(vec![path.clone()]));
            }
        }
    });
    command
}

/// A file's or folder's own name.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// A set of three cards, as a greeting.
fn fan(ui: &mut Ui, height: f32, settings: &Settings) {
    // In a low window what can be pressed is in view, too.
    let width = (ui.available_width() / 3.6).min(0.3 * height).min(150.0);
    let all = vec2(3.0 * width + 28.0, width / ASPECT);
    let (rect, response) = ui.allocate_exact_size(all, Sense::hover());
    response
        .widget_info(|| WidgetInfo::labeled(Role::Image, true, t!("three-cards-that-are-a-set")));
    for (i, code) in ["1fgd", "2sps", "3oro"].into_iter().enumerate() {
        let card = code.parse().expect("a code");
        let min = rect.min + vec2(i as f32 * (width + 14.0), 0.0);
        paint(ui.painter(), rect_at(min, width), card, settings);
    }
}
