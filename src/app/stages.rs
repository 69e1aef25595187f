//! How a photo was read: each stage's picture.

use super::picture::{Picture, Prepared};
use super::placement::View;
use crate::pipeline::StageTime;
use eframe::egui::{Button, Context, Id, Ui, vec2};
use image::RgbImage;
use std::sync::Arc;

/// The stages of one photo.
#[derive(Default)]
pub struct Stages {
    /// The photo they are of, once they have been asked for.
    pub photo: Option<usize>,
    result: Option<Result<Vec<(String, Picture)>, String>>,
    at: usize,
    view: View,
}

impl Stages {
    /// For another photo: the stage looked at stays.
    pub fn clear(&mut self) {
        *self = Self { at: self.at, ..Self::default() };
    }

    /// Takes the pictures.
    pub fn put(&mut self, ctx: &Context, result: Result<Vec<(String, Arc<RgbImage>)>, String>) {
        self.result = Some(result.map(|stages| {
            stages
                .into_iter()
                .map(|(name, picture)| (name, Picture::new(ctx, Prepared::new(picture))))
                .collect()
        }));
    }

    /// Whether the pictures are there, or cannot be made.
    pub fn is_there(&self) -> bool {
        self.result.is_some()
    }

    fn count(&self) -> usize {
        match &self.result {
            Some(Ok(stages)) => stages.len(),
            _ => 0,
        }
    }

    /// The next stage, or the one before.
    pub fn step(&mut self, forward: bool) {
        let count = self.count().max(1);
        self.at = (self.at + if forward { 1 } else { count - 1 }) % count;
        self.view = View::default();
    }

    /// The list of stages with what each does and how long it took.
    pub fn panel(&mut self, ui: &mut Ui, times: &[StageTime]) {
        ui.label("What each stage of the reader makes of the photo.");
        let Some(result) = &self.result else {
            ui.horizontal(|ui| {
                ui.spinner();
                ui.label("Reading once more…");
            });
            return;
        };
        let stages = match result {
            Ok(stages) => stages,
            Err(reason) => {
                ui.label(format!("The photo {reason}"));
                return;
            }
        };
        super::look_panel::scrolled(ui, |ui| {
            for (i, (name, _)) in stages.iter().enumerate() {
                let (title, words, timed) = words_of(name);
                let time = times.iter().find(|time| time.stage == timed);
                let time = time.map_or(String::new(), |time| {
                    // A view on the way is a part of its stage.
                    let part = if timed == name { "" } else { "part of " };
                    format!("{part}{:.0} ms", time.elapsed_ms)
                });
                let button = Button::selectable(self.at == i, title)
                    .right_text(time)
                    .min_size(vec2(ui.available_width(), 0.0));
                if ui.add(button).on_hover_text(words).clicked() {
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
    pub fn picture(&mut self, ui: &mut Ui, typing: bool) {
        let at = self.at.min(self.count().saturating_sub(1));
        self.at = at;
        let Some(Ok(stages)) = &mut self.result else { return };
        if let Some((name, picture)) = stages.get_mut(at) {
            let (title, ..) = words_of(name);
            let name = format!("Picture of the stage {title}");
            let (_, placement) = picture.show(ui, &mut self.view, Id::unique("stage"), &name);
            if !typing {
                picture.keys(ui, &mut self.view, placement.room);
            }
        }
    }
}

/// A picture's name and what it shows, for people, and the stage whose time it takes part in.
fn words_of(picture: &str) -> (&str, &'static str, &'static str) {
    match picture {
        "load" => ("The photo", "As it was loaded, upright.", "load"),
        "maps" => (
            "Maps",
            "Black and white views of the photo in which symbols are looked for.",
            "segment",
        ),
        "maps-closer" => ("Maps, closer", "The same views, nearer to where cards lie.", "segment"),
        "symbols" => ("Symbols", "Every place that looks like a symbol of a card.", "segment"),
        "symbols-closer" => {
            ("Symbols, closer", "Symbols again, nearer to where cards lie.", "segment")
        }
        "heat" => ("Heat", "How strongly the network sees a card at each place.", "segment"),
        "places" => (
            "Places",
            "The cards that the network proposes, with the corners that it names.",
            "segment",
        ),
        "segment" => ("Outlines", "Where cards are thought to lie.", "segment"),
        "rectify" => {
            ("Straight cards", "Each card seen from above, its white made white.", "rectify")
        }
        "classify" => {
            ("Readings", "What the reader says of each card, and how sure it is.", "classify")
        }
        "board" => (
            "The table",
            "All cards together, each of the deck at most once, and the sets.",
            "board",
        ),
        other => (other, "A stage of the reader.", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::engine::Models;
    use crate::pipeline::{Frame, Pipeline, StageClock, StageSink};
    use std::cell::RefCell;
    use std::io;

    #[derive(Default)]
    struct Names(RefCell<Vec<String>>);
    impl StageSink for Names {
        fn picture(&self, stage: &str, _: &RgbImage) -> io::Result<()> {
            self.0.borrow_mut().push(stage.to_owned());
            Ok(())
        }
    }

    #[test]
    fn every_picture_that_a_pipeline_makes_has_words_and_a_time() {
        let frame = Frame { image: RgbImage::from_pixel(320, 240, image::Rgb([30, 90, 40])) };
        let usual = Pipeline::with_defaults(&Models::Shipped).unwrap();
        for pipeline in [Pipeline::classical(), usual] {
            let (mut clock, names) = (StageClock::default(), Names::default());
            pipeline.read(&frame, &mut clock, Some(&names)).unwrap();
            for name in names.0.into_inner() {
                let (title, _, timed) = words_of(&name);
                assert_ne!(title, name, "no words for it");
                let is_timed = clock.times.iter().any(|time| time.stage == timed);
                assert!(is_timed || name == "load", "{name}");
            }
        }
    }
}
