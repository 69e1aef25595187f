//! What a solver holds at a step, as lists: the dictionary of `dynamic`, the constraints of `smt`.

use crate::any_game::told::partial_sets;
use crate::shared::words::t;
use eframe::egui::{CollapsingHeader, Label, RichText, ScrollArea, Ui};
use setsight_general::{Card, Rules, Step, encoded};

/// Entries that are shown, the newest first.
const MOST_ENTRIES: usize = 200;
/// Height of a list, in points.
const HEIGHT: f32 = 180.0;

fn codes(rules: &Rules, cards: &[Card]) -> String {
    let codes: Vec<String> =
        cards.iter().map(|&card| super::face::values(rules, card).replace(' ', "")).collect();
    codes.join("  ")
}

/// The dictionary after these steps: a missing card, and the v - 1 cards that it completes.
pub fn dictionary(ui: &mut Ui, rules: &Rules, steps: &[Step]) {
    let partial = partial_sets(steps);
    let last = partial.iter().filter(|cards| cards.len() + 1 == rules.values());
    let entries: Vec<_> = last.rev().collect();
    CollapsingHeader::new(t!("any-dictionary", n = entries.len())).id_salt("dictionary").show(
        ui,
        |ui| {
            ui.weak(t!("any-dictionary-help"));
            ScrollArea::vertical().max_height(HEIGHT).id_salt("entries").show(ui, |ui| {
                for cards in entries.iter().take(MOST_ENTRIES) {
                    let missing = codes(rules, &[rules.completing(cards)]);
                    let line = format!("{missing}  <-  {}", codes(rules, cards));
                    ui.add(Label::new(RichText::new(line).monospace()).extend());
                }
            });
        },
    );
}

/// The constraints that Z3 is asked for a board, and its model where it has found a set: the values of
/// each card of it.
pub fn constraints(ui: &mut Ui, rules: &Rules, board: &[Card], set: Option<&[Card]>) {
    if let Some(set) = set {
        ui.label(t!("any-model"));
        let mut set = set.to_vec();
        // In the order that the constraints leave.
        set.sort();
        for (i, &card) in set.iter().enumerate() {
            let values: Vec<String> = rules
                .values_of(card)
                .enumerate()
                .map(|(j, value)| format!("x{i}_{j} = {value}"))
                .collect();
            ui.add(Label::new(RichText::new(values.join("  ")).monospace()).extend());
        }
    }
    CollapsingHeader::new(t!("any-constraints", n = board.len())).id_salt("constraints").show(
        ui,
        |ui| {
            ui.weak(t!("any-constraints-help"));
            ScrollArea::both().max_height(HEIGHT).id_salt("smt2").show(ui, |ui| {
                let text = encoded::smt2(rules, board);
                ui.add(Label::new(RichText::new(text).monospace().small()).extend());
            });
        },
    );
}
