//! Features of a candidate, and the logistic regression that turns them into the log odds of a
//! card.

use super::candidates::{Found, SymbolPeak, symbol_heat_at};
use super::place::{FittedCard, FittedTable};
use crate::find::{sides::even_rim, working_image::WorkingQuad};
use setsight_game::cards::{Number, outline::symbol_centers};
use setsight_photo::geometry::{Homography, Point, Quad};

/// Number of features.
pub const FEATURES: usize = 11;

/// Name of each feature, in order.
pub const NAMES: [&str; FEATURES] = [
    "heat",
    "symbols",
    "a symbol",
    "misfit",
    "too large",
    "too small",
    "no table",
    "sides",
    "rim",
    "own",
    "taken",
];

/// The features of each candidate.
pub(crate) fn features(found: &Found, fitted: &FittedTable) -> Vec<[f64; FEATURES]> {
    let cards = fitted.cards.iter().zip(symbol_owners(&fitted.cards, &found.symbols));
    let features = cards.map(|(card, (owned, taken))| {
        let (all, best) = symbols(&card.refined.quad, found);
        let (misfit, log_size) =
            fitted.table.map_or((0.0, 0.0), |table| table.fit_of(&card.candidate.quad));
        [
            card.candidate.heat.clamp(-4.0, 5.0),
            all,
            best,
            misfit.min(0.6),
            log_size.clamp(0.0, 1.0),
            (-log_size).clamp(0.0, 1.0),
            f64::from(fitted.table.is_none()),
            card.refined.sides_found() as f64 / 4.0,
            even_rim(&card.refined.quad, &found.working),
            f64::from(owned > 0),
            taken as f64 / (owned + taken).max(1) as f64,
        ]
    });
    features.collect()
}

/// For each card, the number of the network's symbols on it that are its own, and the number that
/// belong to a likelier card. An outline shifted by one symbol on the same card has few symbols of
/// its own.
fn symbol_owners(cards: &[FittedCard], peaks: &[SymbolPeak]) -> Vec<(usize, usize)> {
    /// Half extents of the area with symbols around a card's centre, in long and in short sides.
    const BAND: (f64, f64) = (0.40, 0.16);
    let strength = |i: usize| cards[i].candidate.heat + cards[i].refined.sides_found() as f64;
    let mut order: Vec<usize> = (0..cards.len()).collect();
    order.sort_by(|&a, &b| strength(b).total_cmp(&strength(a)));
    let mut taken = vec![false; peaks.len()];
    let mut owned = vec![(0, 0); cards.len()];
    for i in order {
        let quad = &cards[i].refined.quad;
        let Some(card_from_image) =
            Homography::between(&Quad::unit_card(), quad).and_then(|image| image.inverse())
        else {
            continue;
        };
        let reach = 0.7 * quad.long_side().max(quad.short_side());
        for (peak, taken) in peaks.iter().zip(&mut taken) {
            if peak.center.distance(quad.center()) > reach {
                continue;
            }
            let p = card_from_image.apply(peak.center);
            if p.x.abs() < BAND.0 && p.y.abs() < BAND.1 {
                if *taken {
                    owned[i].1 += 1
                } else {
                    owned[i].0 += 1
                }
                *taken = true;
            }
        }
    }
    owned
}

/// Log odds of symbols at a card's places: the mean over the places of the best fitting number, and
/// the highest single value.
fn symbols(quad: &WorkingQuad, found: &Found) -> (f64, f64) {
    /// Range to which a symbol's log odds are clamped.
    const RANGE: (f64, f64) = (-4.0, 3.0);
    let Some(image_from_card) = Homography::between(&Quad::unit_card(), quad) else {
        return (RANGE.0, RANGE.0);
    };
    let (mut all, mut best) = (RANGE.0, RANGE.0);
    for number in Number::ALL {
        // Places outside the picture carry no information.
        let heats: Vec<f64> = symbol_centers(number)
            .iter()
            .map(|&x| image_from_card.apply(Point::new(x, 0.0)))
            .filter_map(|p| symbol_heat_at(&found.maps, found.scaled.input_from_working(p)))
            .map(|heat| heat.clamp(RANGE.0, RANGE.1))
            .collect();
        if heats.is_empty() {
            continue;
        }
        all = all.max(heats.iter().sum::<f64>() / heats.len() as f64);
        best = heats.into_iter().fold(best, f64::max);
    }
    (all, best)
}

/// Weights of the features, followed by the constant.
pub type Weights = [f64; FEATURES + 1];

/// Log odds that a candidate with these features is a card.
pub fn log_odds(features: &[f64; FEATURES], weights: &Weights) -> f64 {
    features.iter().zip(weights).map(|(s, w)| s * w).sum::<f64>() + weights[FEATURES]
}
