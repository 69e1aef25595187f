//! Pages for whoever is here for the first time: how to photograph, and what this program is.

use super::pages;
use eframe::egui::{Context, Ui};

/// Every few words of the guide, with their heading.
const HOW_TO: [(&str, &[&str]); 2] = [
    (
        "The photo",
        &[
            "Hold the camera above the middle of the table, as level as you can, and near enough that \
             the cards fill most of the picture.",
            "Even light without hard shadows; tilt a little when lamps are mirrored in the cards.",
            "A ground of one colour that is not white. Cards may lie askew, and may touch.",
            "Keep still. A card whose symbols you can tell on the screen can be read.",
        ],
    ),
    (
        "From the phone to this computer",
        &[
            "By cable: the phone shows up as a drive; drag the photos onto this window.",
            "By a shared folder (a cloud's, or the phone maker's): open that folder here. New photos are \
             found when it is opened again.",
            "By message or mail to yourself: save the picture at full size and drop it here, or copy it \
             and press Ctrl+V.",
            "Without any photo: Live shows what a camera, or a phone that serves its camera in your \
             network, sees right now.",
        ],
    ),
];

/// How to photograph a table. Whether the page is to be closed.
pub fn how_to(ctx: &Context) -> bool {
    pages::page(ctx, "how to", 620.0, |ui| {
        ui.heading("How to photograph a table");
        for (heading, points) in HOW_TO {
            ui.add_space(4.0);
            ui.strong(heading);
            for point in points {
                ui.label(format!("• {point}"));
            }
        }
    })
}

/// What this program is. Whether the page is to be closed.
pub fn about(ctx: &Context) -> bool {
    pages::page(ctx, "about", 520.0, |ui| {
        ui.heading(concat!("setsight ", env!("CARGO_PKG_VERSION")));
        ui.label(env!("CARGO_PKG_DESCRIPTION"));
        line(ui, "Licence", env!("CARGO_PKG_LICENSE"));
        line(
            ui,
            "Your photos",
            "stay on this computer: nothing is sent anywhere. Corrections are written to labels.json \
             beside them.",
        );
        line(ui, "More", "\"setsight version\" in a terminal names models and engines in use.");
        ui.add_space(4.0);
        ui.weak("SET is a trademark of its owner, who has no part in this program.");
    })
}

fn line(ui: &mut Ui, name: &str, words: &str) {
    ui.add_space(4.0);
    ui.strong(name);
    ui.label(words);
}
