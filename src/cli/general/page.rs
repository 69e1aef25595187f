//! Games of one solver as a page.

use super::Played;
use crate::cli::{
    page,
    timed::{human, paper},
};
use maud::html;
use setsight_eval::plots::{Bars, Curve, Curves, PlotError, Rgb};
use setsight_files::printable::counted;
use std::collections::BTreeMap;

const BLUE: Rgb = (0, 114, 178);
const ORANGE: Rgb = (213, 94, 0);

/// The page in HTML; it refers to no other file.
pub fn page(played: &Played) -> Result<String, PlotError> {
    let (rules, kind) = (&played.rules, played.kind);
    let fixed = format!("v={}, p={}, n={}", rules.values(), rules.properties(), rules.sets());
    let several = played.seconds.len() > 1;
    let plot = if several {
        page::plot(&first_sets(played, &fixed))?
    } else {
        page::plot(&growth(played, &fixed))?
    };
    let times = match several && played.timed_alone {
        true => Some(page::plot(&times(played, &fixed))?),
        false => None,
    };
    let mean = played.mean_seconds();
    let body = html! {
        h1 { "The generalised game: " (fixed) }
        p {
            (counted(played.seconds.len() as u64, "game")) " by the solver " (kind)
            ", on average " (human(mean)) " of its CPU time, without dealing."
            @if let Some((paper, games)) = paper(kind, rules) {
                " The paper's took " (human(paper)) " (Python, mean of " (games) " games)."
            }
        }
        "\n"
        (plot)
        p { "While the board holds no set, v more cards come." }
        @if let Some(times) = times { (times) }
        "\n"
        h2 { "The games" }
        ul { @for line in played.text.lines().skip(1) { li { (line.trim_start()) } "\n" } }
    };
    Ok(page::whole("setsight: the generalised game", &body))
}

/// How many games had their first set among how many cards.
fn first_sets(played: &Played, fixed: &str) -> Bars {
    let sizes = || played.board_sizes.iter().flatten().copied();
    let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
    let mut heights = vec![0.0; most - least + 1];
    sizes().for_each(|size| heights[size - least] += 1.0);
    Bars {
        title: format!("Cards on the board at the first set, {fixed}"),
        x_label: "cards on the board".into(),
        y_label: "games".into(),
        heights,
        first: least as i64,
        color: BLUE,
        level: None,
    }
}

/// Mean time by the size of the board at the first set, and the paper's mean.
fn times(played: &Played, fixed: &str) -> Curves {
    let mut by_size: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (size, seconds) in played.board_sizes.iter().zip(&played.seconds) {
        let Some(size) = size else { continue };
        let (sum, games) = by_size.entry(*size).or_default();
        *sum += seconds;
        *games += 1.0;
    }
    let points: Vec<(f64, f64)> =
        by_size.iter().map(|(&size, (sum, games))| (size as f64, sum / games)).collect();
    let mut curves = Vec::new();
    if let (Some((paper, _)), [(first, _), .., (last, _)]) =
        (paper(played.kind, &played.rules), &points[..])
    {
        curves.push(Curve {
            name: "paper, all games".into(),
            color: ORANGE,
            points: vec![(*first, paper), (*last, paper)],
            dashed: true,
        });
    }
    curves.insert(0, Curve { name: played.kind.name().into(), color: BLUE, points, dashed: false });
    Curves {
        title: format!("CPU time of a game, {fixed}"),
        x_label: "cards on the board at the first set".into(),
        y_label: "seconds, mean".into(),
        log_y: true,
        curves,
    }
}

/// The size of the board at each set of the one game.
fn growth(played: &Played, fixed: &str) -> Bars {
    Bars {
        title: format!("Cards on the board at each set, {fixed}"),
        x_label: "set".into(),
        y_label: "cards on the board".into(),
        heights: played.growth.iter().map(|&board| board as f64).collect(),
        first: 1,
        color: BLUE,
        level: None,
    }
}
