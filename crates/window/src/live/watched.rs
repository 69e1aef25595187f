//! What the camera's tab watches: choosing a camera, a phone or a film, and a film's place; and how it reads
//! cards, as the command was told.

use crate::{
    live::ASK_FILM,
    shared::{
        keys::Action,
        reasons,
        tab::Command,
        theme::{bordered, check_box},
        words::{Word, t},
    },
    window::Page,
};
use eframe::egui::{
    Button, ComboBox, Context, Label, RichText, Role, Slider, TextEdit, Ui, WidgetInfo,
};
use setsight_live::{
    CameraChoice, FramePace, Input, LiveCommand, LiveSource, Recording, RecordingState, Session,
    cameras::{CameraInfo, CameraOffer, CameraWish, Span},
    films::FilmPlace,
};
use setsight_track::Params;
use setsight_vision::{Mirrored, ReadingPlan};
use std::sync::Arc;

/// The choice of what is watched, open or not.
#[derive(Default)]
pub(crate) struct Chooser {
    /// The cameras that were there when it was opened; `None` while it is closed.
    cameras: Option<Vec<CameraInfo>>,
    address: String,
    /// Whether what was typed is no address.
    is_wrong: bool,
}

impl Chooser {
    /// Opens it, or closes it again.
    pub(crate) fn toggle(&mut self, cameras: impl FnOnce() -> Vec<CameraInfo>) {
        self.cameras = match self.cameras.take() {
            Some(_) => None,
            None => Some(cameras()),
        };
        self.is_wrong = false;
    }

    pub(crate) fn is_open(&self) -> bool {
        self.cameras.is_some()
    }

    pub(crate) fn ui(&mut self, ui: &mut Ui) -> Option<Command> {
        let cameras = self.cameras.as_ref()?;
        let mut command = None;
        if cameras.is_empty() {
            ui.label(t!("no-camera-connected"));
        }
        for camera in cameras {
            if ui.button(&camera.name).clicked() {
                command = Some(Command::Watch(Input::Camera(CameraChoice::Number(camera.number))));
            }
        }
        ui.add_space(6.0);
        if ui.button(t!("phone-button")).on_hover_text(t!("phone-scan")).clicked() {
            command = Some(Command::Act(Action::Page(Page::Phone)));
        }
        ui.add_space(6.0);
        let label = ui.label(t!("phone-label"));
        ui.weak(t!("phone-help"));
        ui.horizontal(|ui| {
            let width = (ui.available_width() - 70.0).max(80.0);
            // It may hold a password; it is kept nowhere.
            let field = TextEdit::singleline(&mut self.address)
                .hint_text("http://192.168.1.20:8080/video")
                .desired_width(width);
            bordered(ui, |ui| ui.add(field)).labelled_by(label.id);
            if ui.button(t!("watch-this")).clicked() {
                match self.address.trim().parse() {
                    Ok(address) => command = Some(Command::Watch(Input::Network(address))),
                    Err(_) => self.is_wrong = true,
                }
            }
        });
        if self.is_wrong {
            ui.colored_label(ui.visuals().error_fg_color, t!("address-wrong"));
        }
        ui.add_space(6.0);
        if ui.button(t!("open-film-button")).clicked() {
            command = Some(Command::Ask(ASK_FILM, String::new()));
        }
        if command.is_some() {
            *self = Self::default();
        }
        command
    }
}

/// A film's buttons and its place on a line.
pub(crate) fn film_ui(ui: &mut Ui, film: &FilmPlace, ended: bool) -> Option<LiveCommand> {
    let mut command = None;
    // In one row the words of a film that has ended are wider than the panel.
    ui.horizontal_wrapped(|ui| {
        let word = if film.paused { t!("play") } else { t!("pause") };
        if ui.add_enabled(!ended, Button::new(word)).clicked() {
            command = Some(LiveCommand::Pause(!film.paused));
        }
        if ui.button(t!("film-again")).clicked() {
            command = Some(LiveCommand::Seek(0.0));
        }
        if ended {
            ui.add(Label::new(t!("film-ended")).extend());
        }
        let place = match film.length_ms {
            Some(length_ms) => t!("film-place", at = clock(film.at_ms), length = clock(length_ms)),
            None => clock(film.at_ms),
        };
        ui.add(Label::new(RichText::new(place).weak()).extend());
    });
    if let Some(length_ms) = film.length_ms {
        let mut at_s = film.at_ms / 1e3;
        ui.spacing_mut().slider_width = (ui.available_width() - 8.0).max(60.0);
        let slider = Slider::new(&mut at_s, 0.0..=length_ms / 1e3).show_value(false);
        let moved = ui.add(slider);
        moved.widget_info(|| WidgetInfo::slider(true, at_s, t!("film-slider")));
        if moved.changed() {
            command = Some(LiveCommand::Seek(1e3 * at_s));
        }
    }
    command
}

/// Where a recording goes, and how long it is.
pub(crate) fn recording_ui(ui: &mut Ui, recording: &Recording) {
    let (path, length) = (recording.film.display().to_string(), clock(recording.length_ms));
    match &recording.state {
        RecordingState::Running => ui.label(t!("recording-running", path = path, length = length)),
        RecordingState::Kept => ui.label(t!("recording-done", path = path, length = length)),
        RecordingState::Failed(reason) => {
            let words = t!("recording-failed", length = length, error = reason.as_str());
            ui.colored_label(ui.visuals().error_fg_color, words)
        }
    };
}

/// What can be set at the camera; the new wish when it was.
pub(crate) fn camera_ui(ui: &mut Ui, offer: &CameraOffer, wish: CameraWish) -> Option<CameraWish> {
    let mut now = wish;
    if offer.sizes_px.len() > 1 {
        ui.horizontal(|ui| {
            let label = ui.label(t!("picture-size")).id;
            let sizes = offer.sizes_px.iter().copied().map(Some);
            let list = ComboBox::from_id_salt("size").selected_text(size_in_words(wish.size_px));
            let shown = list.show_ui(ui, |ui| {
                for size in std::iter::once(None).chain(sizes) {
                    ui.selectable_value(&mut now.size_px, size, size_in_words(size));
                }
            });
            shown.response.labelled_by(label);
        });
    }
    span_ui(ui, Word("exposure"), Word("exposure-automatic"), offer.exposure, &mut now.exposure);
    span_ui(ui, Word("focus"), Word("focus-automatic"), offer.focus, &mut now.focus);
    (now != wish).then_some(now)
}

/// A control of the camera: left to itself, or set.
fn span_ui(ui: &mut Ui, name: Word, by_itself: Word, span: Option<Span>, value: &mut Option<i64>) {
    let Some(span) = span else { return };
    ui.horizontal(|ui| {
        ui.label(name.say());
        let mut automatic = value.is_none();
        let switch = check_box(ui, &mut automatic, t!("automatic"));
        switch
            .widget_info(|| WidgetInfo::selected(Role::CheckBox, true, automatic, by_itself.say()));
        if switch.changed() {
            *value = (!automatic).then_some(span.now.clamp(span.least, span.most));
        }
        if let Some(value) = value {
            // A row that is wider than the panel takes the clicks of those above.
            ui.spacing_mut().slider_width = (ui.available_width() - 8.0).max(40.0);
            let slider = ui.add(Slider::new(value, span.least..=span.most).show_value(false));
            slider.widget_info(|| WidgetInfo::slider(true, *value as f64, name.say()));
        }
    });
}

/// Minutes and seconds.
fn clock(ms: f64) -> String {
    let seconds = (ms / 1e3).max(0.0) as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// What begins to watch a camera or a film, mirrored or not; the reason in words when it cannot.
pub(crate) type Watchers =
    Box<dyn Fn(&Context, &Input, Mirrored) -> Result<Box<dyn LiveSource>, String>>;

/// Watches in earnest: cameras of this machine and of the network, and films, at their own time or each
/// frame however long it takes.
pub(crate) fn system(plan: ReadingPlan, films: FramePace) -> Watchers {
    Box::new(move |ctx, input, mirrored| {
        let ctx = ctx.clone();
        let pace = if matches!(input, Input::Film(_)) { films } else { FramePace::Newest };
        // The switch decides; the command's option was its initial value.
        let session = session(&ReadingPlan { mirrored, ..plan.clone() }, pace)?;
        let wake = Box::new(move || ctx.request_repaint());
        session
            .start(input.clone(), wake)
            .map(|session| Box::new(session) as Box<dyn LiveSource>)
            .map_err(unwatched)
    })
}

/// A game whose pictures are still to come.
pub(crate) fn session(plan: &ReadingPlan, pace: FramePace) -> Result<Session, String> {
    let pipeline = plan.build().map_err(|error| reasons::plan(&error))?;
    let params = Params::for_pipeline(&pipeline);
    Session::new(Arc::new(pipeline), params, pace).map_err(unwatched)
}

fn unwatched(error: std::io::Error) -> String {
    format!("the camera cannot be watched: {error}")
}

fn size_in_words(size_px: Option<(u32, u32)>) -> String {
    match size_px {
        Some((width, height)) => format!("{width}x{height}"),
        None => t!("automatic"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_nets::engine::Models;

    #[test]
    fn cards_are_read_as_asked_for() {
        let home = tempfile::tempdir().unwrap();
        let plan = ReadingPlan::with_models(Models::Folder(home.path().to_owned()));
        let film = Input::Film(home.path().join("none.avi"));
        let begun = system(plan, FramePace::Newest)(&Context::default(), &film, Mirrored::Auto);
        let reason = begun.err().expect("there are no weights in this folder");
        assert!(reason.contains(&*home.path().to_string_lossy()), "{reason}");
    }
}
