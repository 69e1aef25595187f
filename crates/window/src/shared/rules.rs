//! Pages for whoever is here for the first time: the rules of the game in one screen, with drawn cards, how to
//! photograph, and what this program is.

use crate::shared::card_face::{self, ASPECT};
use crate::shared::words::{Word, t};
use crate::shared::{names, pages, settings::Settings, verdict::verdict_lines};
use eframe::egui::{Align, Context, Layout, Role, Sense, Ui, WidgetInfo, vec2};
use setsight_game::cards::{Card, Deck};
use setsight_game::sets::explain;

/// Cards that show it: what they show, and their codes.
const EXAMPLES: [(Word, [&str; 3]); 3] = [
    (Word("set-one-differs"), ["1fgd", "2fgd", "3fgd"]),
    (Word("set-all-differ"), ["1fgd", "2sps", "3oro"]),
    (Word("no-set-example"), ["1frs", "2frs", "3fps"]),
];

/// The page. Whether it is to be closed.
pub(crate) fn page(ctx: &Context, settings: &Settings) -> bool {
    pages::page(ctx, "rules", 760.0, |ui| {
        ui.heading(t!("rules-of-the-game"));
        ui.label(t!("rules-cards"));
        ui.strong(t!("set-rule"));
        ui.add_space(6.0);
        let columns = (ui.available_width() / 220.0).floor().clamp(1.0, 3.0) as usize;
        ui.columns(columns, |uis| {
            for (i, (word, codes)) in EXAMPLES.into_iter().enumerate() {
                // Columns justify their text, which tears a line of three words apart.
                uis[i % columns].with_layout(Layout::top_down(Align::Min), |ui| {
                    ui.strong(word.say());
                    cards(ui, codes, settings);
                    verdict_lines(ui, &Deck::classic(), &explain(cards_of(codes)));
                });
            }
        });
        ui.add_space(6.0);
        ui.label(t!("rules-game"));
    })
}

/// The same in a few lines, for a panel.
pub(crate) fn in_short(ui: &mut Ui, settings: &Settings) {
    ui.strong(t!("what-is-a-set"));
    ui.label(t!("set-rule"));
    for (word, codes) in EXAMPLES {
        ui.label(word.say());
        cards(ui, codes, settings);
    }
}

fn cards_of(codes: [&str; 3]) -> [Card; 3] {
    codes.map(|code| code.parse().expect("a code"))
}

/// Three cards in a row.
fn cards(ui: &mut Ui, codes: [&str; 3], settings: &Settings) {
    const GAP: f32 = 6.0;
    let width = ((ui.available_width() - 2.0 * GAP) / 3.0).clamp(30.0, 84.0);
    let size = vec2(3.0 * width + 2.0 * GAP, width / ASPECT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| {
        let cards = cards_of(codes).map(|card| names::card(&Deck::classic(), card)).join(", ");
        WidgetInfo::labeled(Role::Image, true, t!("example", cards = cards))
    });
    for (i, card) in cards_of(codes).into_iter().enumerate() {
        let min = rect.min + vec2(i as f32 * (width + GAP), 0.0);
        card_face::paint(ui.painter(), card_face::rect_at(min, width), card, settings);
    }
}

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
pub(crate) fn how_to(ctx: &Context) -> bool {
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
pub(crate) fn about(ctx: &Context) -> bool {
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
