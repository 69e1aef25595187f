//! The rules of the game in one screen, with drawn cards.

use super::card_face::{self, ASPECT};
use super::look_panel::verdict_lines;
use super::pages;
use super::settings::Settings;
use crate::cards::Card;
use crate::sets::explain;
use eframe::egui::{Context, Role, Sense, Ui, WidgetInfo, vec2};

/// What a set is, in a sentence.
const WHAT: &str = "Three cards are a set when in each of number, shading, colour and shape all three \
                    are alike or all three are different.";

/// Cards that show it: what they show, and their codes.
const EXAMPLES: [(&str, [&str; 3]); 3] = [
    ("A set: one thing differs", ["1fgd", "2fgd", "3fgd"]),
    ("A set: everything differs", ["1fgd", "2sps", "3oro"]),
    ("No set", ["1frs", "2frs", "3fps"]),
];

/// The page. Whether it is to be closed.
pub fn page(ctx: &Context, settings: &Settings) -> bool {
    pages::page(ctx, "rules", 760.0, |ui| {
        ui.heading("The rules of the game");
        ui.label(
            "Each card shows one, two or three symbols of one shape, colour and shading; no two cards \
             are the same.",
        );
        ui.strong(WHAT);
        ui.add_space(6.0);
        let columns = (ui.available_width() / 220.0).floor().clamp(1.0, 3.0) as usize;
        ui.columns(columns, |uis| {
            for (i, (words, codes)) in EXAMPLES.into_iter().enumerate() {
                let ui = &mut uis[i % columns];
                ui.strong(words);
                cards(ui, codes, settings);
                verdict_lines(ui, &explain(cards_of(codes)));
            }
        });
        ui.add_space(6.0);
        ui.label(
            "Twelve cards lie face up. Whoever sees a set says so and takes its three cards; three new \
             ones take their places. When nobody sees one, three more are laid out. The game ends when \
             the deck is used up and no set is left; who has most sets has won.",
        );
    })
}

/// The same in a few lines, for a panel.
pub fn in_short(ui: &mut Ui, settings: &Settings) {
    ui.strong("What is a set?");
    ui.label(WHAT);
    for (words, codes) in EXAMPLES {
        ui.label(words);
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
        let names = cards_of(codes).map(Card::name).join(", ");
        WidgetInfo::labeled(Role::Image, true, format!("Example: {names}"))
    });
    for (i, card) in cards_of(codes).into_iter().enumerate() {
        let min = rect.min + vec2(i as f32 * (width + GAP), 0.0);
        card_face::paint(ui.painter(), card_face::rect_at(min, width), card, settings);
    }
}
