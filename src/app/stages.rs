//! How a photo was read: each stage's picture.

use super::picture::{Picture, Prepared};
use super::placement::View;
use crate::pipeline::StageTime;
use eframe::egui::{Button, Context, Id, ScrollArea, Ui, vec2};
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
        ScrollArea::vertical().show(ui, |ui| {
            for (i, (name, _)) in stages.iter().enumerate() {
                let time = times.iter().find(|time| time.stage == name.as_str());
                let time = time.map_or(String::new(), |t| format!("{:.0} ms", t.elapsed_ms));
                let (title, words) = words_of(name);
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
            let (title, _) = words_of(name);
            let name = format!("Picture of the stage {title}");
            let (_, placement) = picture.show(ui, &mut self.view, Id::unique("stage"), &name);
            if !typing {
                picture.keys(ui, &mut self.view, placement.room);
            }
        }
    }
}

/// A stage's name and what it does, for people.
fn words_of(stage: &str) -> (&str, &'static str) {
    match stage {
        "load" => ("The photo", "As it was loaded, upright."),
        "maps" => ("Maps", "Black and white views of the photo in which symbols are looked for."),
        "symbols" => ("Symbols", "Every place that looks like a symbol of a card."),
        "heat" | "find" => ("Finder", "Where the network sees cards."),
        "segment" => ("Outlines", "Where cards are thought to lie."),
        "rectify" => ("Straight cards", "Each card seen from above, its white made white."),
        "classify" => ("Readings", "What the reader says of each card, and how sure it is."),
        "board" => {
            ("The table", "All cards together, each of the deck at most once, and the sets.")
        }
        other => (other, "A stage of the reader."),
    }
}
