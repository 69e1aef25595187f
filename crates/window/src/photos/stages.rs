//! How a photo was read: each stage's picture.

use crate::shared::picture::{Picture, Prepared, zoom_buttons};
use crate::shared::words::{Word, t};
use crate::shared::{picture::View, reasons::Reason};
use eframe::egui::{Button, Context, Id, Ui, vec2};
use image::RgbImage;
use setsight_vision::StageTime;
use std::sync::Arc;

#[derive(Default)]
pub(crate) struct Stages {
    /// The photo they are of, once they have been asked for.
    pub(crate) photo: Option<usize>,
    result: Option<Result<Vec<(String, Picture)>, Reason>>,
    at: usize,
    view: View,
}

impl Stages {
    /// For another photo: the stage looked at stays.
    pub(crate) fn clear(&mut self) {
        *self = Self { at: self.at, ..Self::default() };
    }

    /// Takes the pictures.
    pub(crate) fn put(
        &mut self,
        ctx: &Context,
        result: Result<Vec<(String, Arc<RgbImage>)>, Reason>,
    ) {
        self.result = Some(result.map(|stages| {
            stages
                .into_iter()
                .map(|(name, picture)| (name, Picture::new(ctx, Prepared::new(picture))))
                .collect()
        }));
    }

    /// Whether the pictures are there, or cannot be made.
    pub(crate) fn is_ready(&self) -> bool {
        self.result.is_some()
    }

    fn count(&self) -> usize {
        match &self.result {
            Some(Ok(stages)) => stages.len(),
            _ => 0,
        }
    }

    /// The next stage, or the one before.
    pub(crate) fn step(&mut self, forward: bool) {
        let count = self.count().max(1);
        self.at = (self.at + if forward { 1 } else { count - 1 }) % count;
        self.view = View::default();
    }

    /// The list of stages with what each does and how long it took.
    pub(crate) fn panel(&mut self, ui: &mut Ui, times: &[StageTime]) {
        ui.label(t!("stages-what"));
        let Some(result) = &self.result else {
            ui.horizontal(|ui| {
                ui.spinner();
                ui.label(t!("reading-once-more"));
            });
            return;
        };
        let stages = match result {
            Ok(stages) => stages,
            Err(reason) => {
                ui.label(t!("photo-reason", reason = reason.words()));
                return;
            }
        };
        crate::shared::look_panel::scrolled(ui, |ui| {
            for (i, (name, _)) in stages.iter().enumerate() {
                let (title, help, timed) = words_of(name);
                let words = help.say();
                let time = times.iter().find(|time| time.stage == timed);
                let time = time.map_or(String::new(), |time| {
                    // A view on the way is a part of its stage.
                    let ms = time.elapsed_ms.round();
                    if timed == name {
                        t!("stage-time", ms = ms)
                    } else {
                        t!("stage-time-part", ms = ms)
                    }
                });
                let button = Button::selectable(self.at == i, title.say())
                    .right_text(time)
                    .min_size(vec2(ui.available_width(), 0.0));
                if ui.add(button).on_hover_text(&words).clicked() {
                    self.at = i;
                    self.view = View::default();
                }
                if self.at == i {
                    ui.weak(words);
                }
            }
        });
    }

    /// The picture of the stage that is looked at.
    pub(crate) fn picture(&mut self, ui: &mut Ui, keys: bool) {
        let at = self.at.min(self.count().saturating_sub(1));
        self.at = at;
        let Some(Ok(stages)) = &mut self.result else { return };
        if let Some((name, picture)) = stages.get_mut(at) {
            let (title, ..) = words_of(name);
            let name = t!("stage-picture", stage = title.say());
            let (_, placement) = picture.show(ui, &mut self.view, Id::unique("stage"), &name);
            zoom_buttons(ui, &mut self.view, picture.size_px(), placement.room);
            if keys {
                picture.keys(ui, &mut self.view, placement.room);
            }
        }
    }
}

/// A picture's name and what it shows, for people, and the stage whose time it takes part in.
fn words_of(picture: &str) -> (Word, Word, &'static str) {
    match picture {
        "load" => (Word("stage-load"), Word("stage-load-help"), "load"),
        "maps" => (Word("stage-maps"), Word("stage-maps-help"), "segment"),
        "maps-closer" => (Word("stage-maps-closer"), Word("stage-maps-closer-help"), "segment"),
        "symbols" => (Word("stage-symbols"), Word("stage-symbols-help"), "segment"),
        "symbols-closer" => {
            (Word("stage-symbols-closer"), Word("stage-symbols-closer-help"), "segment")
        }
        "contours" => (Word("stage-contours"), Word("stage-contours-help"), "segment"),
        "contours-closer" => {
            (Word("stage-contours-closer"), Word("stage-contours-closer-help"), "segment")
        }
        "heat" => (Word("stage-heat"), Word("stage-heat-help"), "segment"),
        "places" => (Word("stage-places"), Word("stage-places-help"), "segment"),
        "segment" => (Word("stage-segment"), Word("stage-segment-help"), "segment"),
        "rectify" => (Word("stage-rectify"), Word("stage-rectify-help"), "rectify"),
        "facts" => (Word("stage-facts"), Word("stage-facts-help"), "facts"),
        "classify" => (Word("stage-classify"), Word("stage-classify-help"), "classify"),
        "board" => (Word("stage-board"), Word("stage-board-help"), "board"),
        _ => (Word("stage-other"), Word("stage-other-help"), ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_nets::engine::Models;
    use setsight_vision::{Pipeline, ReadingPlan, Trace};

    #[test]
    fn every_picture_that_a_pipeline_makes_has_words_and_a_time() {
        let frame = RgbImage::from_pixel(320, 240, image::Rgb([30, 90, 40]));
        let usual = ReadingPlan::with_models(Models::Shipped).build().unwrap();
        for pipeline in [Pipeline::classical().unwrap(), usual] {
            let mut names = Vec::new();
            let mut trace = Trace::default().on_picture(|stage, _| {
                names.push(stage.to_owned());
                Ok(())
            });
            pipeline.read(&frame, &mut trace).unwrap();
            let times = std::mem::take(&mut trace.times);
            drop(trace);
            for name in names {
                let (title, _, timed) = words_of(&name);
                assert_ne!(title, words_of("").0, "no words for {name}");
                let is_timed = times.iter().any(|time| time.stage == timed);
                assert!(is_timed || name == "load", "{name}");
            }
        }
    }
}
