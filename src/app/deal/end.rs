//! The page at the end of a game.

use super::super::look_panel::count;
use super::super::play::{Play, clock};
use super::super::scores::Score;
use eframe::egui::{Button, Color32, Frame, Grid, RichText, ScrollArea, Ui, vec2};

/// So many days are shown.
const DAYS: usize = 7;

/// What the players want.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Another game.
    Again,
}

/// How the game was: what it came to, and the best of the last days.
pub fn show(ui: &mut Ui, play: &Play, kept: Option<&Score>, best: &[&Score]) -> Option<Wish> {
    let mut wish = None;
    let paper = ui.visuals().panel_fill;
    ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
        ui.vertical_centered(|ui| {
            ui.add_space(((ui.available_height() - 420.0) * 0.4).max(4.0));
            let width = ui.available_width().min(460.0);
            let frame = Frame::new().fill(paper).corner_radius(14.0).inner_margin(22.0);
            ui.allocate_ui(vec2(width, 0.0), |ui| {
                frame.show(ui, |ui| {
                    ui.set_width(width - 44.0);
                    ui.label(RichText::new("Well played!").size(30.0).strong());
                    ui.label("No set is left and no card to deal.");
                    ui.add_space(8.0);
                    figures(ui, play);
                    if play.players().len() > 1 {
                        players(ui, play);
                    }
                    ui.add_space(10.0);
                    let again = Button::new("Play again").min_size(vec2(180.0, 40.0));
                    if ui.add(again).on_hover_text("Key: P").clicked() {
                        wish = Some(Wish::Again);
                    }
                    if let Some(kept) = kept {
                        ui.add_space(10.0);
                        best_by_day(ui, kept, best);
                    }
                });
            });
        });
    });
    wish
}

fn figures(ui: &mut Ui, play: &Play) {
    ui.label(RichText::new(clock(play.seconds(0.0))).size(44.0).strong());
    ui.label(format!(
        "{} · {} · {}",
        count(play.taken(), "set"),
        count(play.mistakes(), "mistake"),
        count(play.hints(), "hint")
    ));
}

/// Who has won, the best first.
fn players(ui: &mut Ui, play: &Play) {
    let mut order: Vec<usize> = (0..play.players().len()).collect();
    order.sort_by_key(|&who| (-play.players()[who].points(), who));
    ui.add_space(8.0);
    for (place, who) in order.into_iter().enumerate() {
        let player = play.players()[who];
        let lost = if player.lost == 0 { String::new() } else { format!(", {} lost", player.lost) };
        ui.label(format!(
            "{}. Player {}: {} ({}{lost})",
            place + 1,
            who + 1,
            points(player.points()),
            count(player.sets, "set")
        ));
    }
}

/// Points in words: "1 point", "-2 points".
pub fn points(points: i64) -> String {
    format!("{points} point{}", if points.abs() == 1 { "" } else { "s" })
}

fn best_by_day(ui: &mut Ui, kept: &Score, best: &[&Score]) {
    let is_best = best.iter().all(|other| other.day != kept.day || !other.beats(kept));
    if is_best {
        let good = super::super::look_panel::good_color(ui);
        ui.label(RichText::new("The best of today!").color(good).strong());
    }
    ui.strong(format!("Best times by day: {}", kept.variant));
    Grid::new("best by day").num_columns(4).spacing(vec2(16.0, 4.0)).show(ui, |ui| {
        for score in best.iter().take(DAYS) {
            let today = score.day == kept.day;
            let color = if today { ui.visuals().strong_text_color() } else { Color32::PLACEHOLDER };
            let cell = |ui: &mut Ui, text: String| ui.label(RichText::new(text).color(color));
            cell(ui, score.day.word().to_owned());
            cell(ui, clock(score.seconds));
            cell(ui, count(score.mistakes, "mistake"));
            cell(ui, count(score.hints, "hint"));
            if score.daily {
                cell(ui, "today's deal".to_owned());
            }
            ui.end_row();
        }
    });
}
