//! Cards that are partly covered by another.

use crate::find::{
    plane::{CARD_ASPECT, Pose, TablePlane},
    sides::{Params, Refined, rim},
    working_image::{Working, WorkingQuad},
};
use setsight_game::cards::outline::SYMBOL_SPACING;
use setsight_photo::geometry::Point;

/// Weight of an entirely white rim relative to one fully supported side.
const RIM_WEIGHT: f64 = 2.0;

/// Tries a card with its visible symbols at other places of its axis: in a heap, one symbol of
/// three may be all that is visible. The card moves if that explains the picture's lines much
/// better. `contested` says that other cards overlap this place, or that the picture ends there.
/// `white` is the card's stock, R, G, B, 0 to 255: just inside its sides a card shows nothing else,
/// and a card that covers it is equally white.
pub(crate) fn elsewhere_on_axis(
    card: &Refined,
    working: &Working,
    table: &TablePlane,
    symbols_found: usize,
    white: [f64; 3],
    contested: bool,
    params: &Params,
) -> Refined {
    // Extra support that another place needs: a neighbour's border may lie there, and a card that
    // lies free shows all its symbols.
    let needed = if contested { 0.25 } else { 0.9 };
    let half = SYMBOL_SPACING / 2.0;
    let shifts: &[f64] = match symbols_found {
        1 => &[-half, half, -2.0 * half, 2.0 * half],
        2 => &[-half, half],
        _ => &[],
    };
    if card.confirmed[1] && card.confirmed[3] {
        return *card;
    }
    let evidence =
        |card: &Refined| support(card) + RIM_WEIGHT * white_rim(&card.quad, working, white);
    let mut best = (evidence(card) + needed, *card);
    let pose = Pose::nearest(&table.table_from_working.apply_quad(&card.quad));
    let along = Point::new(pose.angle.cos(), pose.angle.sin()) * CARD_ASPECT;
    for shift in shifts {
        let shifted = Pose { center: pose.center + along * *shift, ..pose };
        let card = Refined::locate(working, &table.quad_in_working(&shifted), Some(table), params);
        let evidence = evidence(&card);
        if evidence > best.0 {
            best = (evidence, card);
        }
    }
    best.1
}

/// Sum of the support of all confirmed sides, 0 to 4.
fn support(card: &Refined) -> f64 {
    let confirmed = card.sides.iter().zip(card.confirmed).filter(|(_, ok)| *ok);
    confirmed.filter_map(|(side, _)| side.map(|s| s.support)).sum()
}

/// Share of the rim that is as white as a card's stock (R, G, B, 0 to 255), 0 to 1. Points outside
/// the picture do not count.
fn white_rim(quad: &WorkingQuad, working: &Working, white: [f64; 3]) -> f64 {
    let rim_colors = rim(quad, working, 0.1, 9);
    rim_colors
        .iter()
        .filter(|rgb| {
            (0..3).all(|c| (0.75 * white[c]..1.3 * white[c] + 8.0).contains(&f64::from(rgb[c])))
        })
        .count() as f64
        / rim_colors.len().max(1) as f64
}
