//! Pages for whoever is here for the first time: how to photograph, and what this program is.

use crate::shared::pages;
use crate::shared::words::{Word, t};
use eframe::egui::{Context, Ui};

/// Every few words of the guide, with their heading.
const HOW_TO: [(Word, &[Word]); 2] = [
    (
        Word("guide-photo"),
        &[Word("guide-above"), Word("guide-light"), Word("guide-ground"), Word("guide-still")],
    ),
    (
        Word("guide-phone"),
        &[
            Word("guide-code"),
            Word("guide-cable"),
            Word("guide-shared"),
            Word("guide-message"),
            Word("guide-live"),
        ],
    ),
];

/// How to photograph a table. Whether the page is to be closed.
pub fn how_to(ctx: &Context) -> bool {
    pages::page(ctx, "how to", 620.0, |ui| {
        ui.heading(t!("how-to-photograph-a-table"));
        for (heading, points) in HOW_TO {
            ui.add_space(4.0);
            ui.strong(heading.say());
            for point in points {
                ui.label(format!("• {}", point.say()));
            }
        }
    })
}

/// What this program is. Whether the page is to be closed.
pub fn about(ctx: &Context) -> bool {
    pages::page(ctx, "about", 520.0, |ui| {
        ui.heading(concat!("setsight ", env!("CARGO_PKG_VERSION")));
        ui.label(t!("about-what"));
        line(ui, &t!("about-licence"), env!("CARGO_PKG_LICENSE"));
        line(ui, &t!("about-photos"), &t!("about-photos-stay"));
        line(ui, &t!("about-more"), &t!("about-version"));
        ui.add_space(4.0);
        ui.weak(t!("about-trademark"));
    })
}

fn line(ui: &mut Ui, name: &str, words: &str) {
    ui.add_space(4.0);
    ui.strong(name);
    ui.label(words);
}
