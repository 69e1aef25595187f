//! The page at the end of a game.

use crate::{
    deal::{
        play::{Play, clock},
        scores::Score,
    },
    shared::{keys, names, words::t},
};
use eframe::egui::{Button, Color32, Frame, Grid, RichText, ScrollArea, Ui, vec2};
use setsight_game::game::Variant;

/// So many days are shown.
const DAYS: usize = 7;

/// How the game was: what it came to, and the best of the last days. Whether another one is wanted.
pub(crate) fn show(ui: &mut Ui, play: &Play, kept: Option<&Score>, best: &[&Score]) -> bool {
    let mut again = false;
    let paper = ui.visuals().panel_fill;
    ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
        ui.vertical_centered(|ui| {
            ui.add_space(((ui.available_height() - 420.0) * 0.4).max(4.0));
            let width = ui.available_width().min(460.0);
            let frame = Frame::new().fill(paper).corner_radius(14.0).inner_margin(22.0);
            ui.allocate_ui(vec2(width, 0.0), |ui| {
                frame.show(ui, |ui| {
                    ui.set_width(width - 44.0);
                    ui.label(RichText::new(t!("well-played")).size(30.0).strong());
                    ui.label(t!("nothing-left"));
                    ui.add_space(8.0);
                    figures(ui, play);
                    if play.players().len() > 1 {
                        players(ui, play);
                    }
                    ui.add_space(10.0);
                    let button = Button::new(t!("play-again")).min_size(vec2(180.0, 40.0));
                    let tip = t!("key-hover", key = keys::key_of(keys::Action::Play));
                    again = ui.add(button).on_hover_text(tip).clicked();
                    if let Some(kept) = kept {
                        ui.add_space(10.0);
                        best_by_day(ui, play.round().variant(), kept, best);
                    }
                });
            });
        });
    });
    again
}

fn figures(ui: &mut Ui, play: &Play) {
    ui.label(RichText::new(clock(play.seconds(0.0))).size(44.0).strong());
    let counts = [
        t!("count-sets", n = play.taken()),
        t!("count-mistakes", n = play.mistakes()),
        t!("count-hints", n = play.hints()),
    ];
    ui.label(counts.join(" · "));
    set_times(ui, &play.set_times());
}

/// How long each set took.
fn set_times(ui: &mut Ui, times: &[f64]) {
    let Some(slowest) = times.iter().copied().reduce(f64::max) else { return };
    let average = times.iter().sum::<f64>() / times.len() as f64;
    let told = |seconds: f64| format!("{seconds:.1}");
    ui.label(t!("set-times", average = told(average), slowest = told(slowest)));
    let each: Vec<String> = times.iter().map(|seconds| format!("{seconds:.0}")).collect();
    ui.weak(t!("each-set-time", times = each.join(", ")));
}

/// Who has won, the best first.
fn players(ui: &mut Ui, play: &Play) {
    let mut order: Vec<usize> = (0..play.players().len()).collect();
    order.sort_by_key(|&who| (-play.players()[who].points(), who));
    ui.add_space(8.0);
    for (place, who) in order.into_iter().enumerate() {
        let player = play.players()[who];
        let (place, name) = (place + 1, play.name(who));
        let points = t!("count-points", n = player.points());
        let sets = t!("count-sets", n = player.sets);
        ui.label(match player.lost {
            0 => t!("player-result", place = place, player = name, points = points, sets = sets),
            lost => t!(
                "player-result-lost",
                place = place,
                player = name,
                points = points,
                sets = sets,
                lost = lost
            ),
        });
    }
}

fn best_by_day(ui: &mut Ui, variant: Variant, kept: &Score, best: &[&Score]) {
    let is_best = best.iter().all(|other| other.day != kept.day || !other.beats(kept));
    if is_best {
        let good = crate::shared::verdict::good_color(ui);
        ui.label(RichText::new(t!("best-of-today")).color(good).strong());
    }
    ui.strong(t!("best-by-day", variant = names::variant(variant)));
    Grid::new("best by day").num_columns(4).spacing(vec2(16.0, 4.0)).show(ui, |ui| {
        for score in best.iter().take(DAYS) {
            let today = score.day == kept.day;
            let color = if today { ui.visuals().strong_text_color() } else { Color32::PLACEHOLDER };
            let cell = |ui: &mut Ui, text: String| ui.label(RichText::new(text).color(color));
            cell(ui, score.day.word().to_owned());
            cell(ui, clock(score.seconds));
            cell(ui, t!("count-mistakes", n = score.mistakes));
            cell(ui, t!("count-hints", n = score.hints));
            if score.daily {
                cell(ui, t!("todays-deal"));
            }
            ui.end_row();
        }
    });
}
