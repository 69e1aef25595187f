//! Why three cards are a set, or not.

use crate::shared::names;
use crate::shared::signs;
use crate::shared::theme::GOOD;
use eframe::egui::{Color32, RichText, Ui};
use setsight_game::cards::{Deck, Property};
use setsight_game::sets::Verdict;

/// A verdict on cards of a deck: property by property, then in a word.
pub fn verdict_lines(ui: &mut Ui, deck: &Deck, verdict: &Verdict) {
    for (property, relation) in Property::ALL.into_iter().zip(verdict.relations) {
        let good = relation.fits() && !verdict.repeated;
        ui.horizontal_wrapped(|ui| {
            let color = if good { good_color(ui) } else { ui.visuals().error_fg_color };
            signs::verdict(ui, good, color);
            ui.strong(names::property(property));
            ui.label(names::relation(deck, property, relation));
        });
    }
    ui.add_space(2.0);
    if verdict.is_set() {
        ui.label(RichText::new(names::verdict(verdict)).heading().color(good_color(ui)));
    } else {
        ui.label(RichText::new(names::verdict(verdict)).size(18.0));
    }
}

/// Green that can be read on the window's ground.
pub fn good_color(ui: &Ui) -> Color32 {
    if ui.visuals().dark_mode {
        Color32::from_rgb(88, 206, 160)
    } else {
        GOOD.gamma_multiply(0.8).to_opaque()
    }
}
