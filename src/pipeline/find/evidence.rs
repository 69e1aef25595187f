//! What speaks for a candidate being a card, as numbers that a logistic regression weighs.

use super::decode::{SymbolPeak, symbol_heat_at};
use super::network::Maps;
use super::place::{Placed, unit_card};
use super::shrink::Look;
use crate::cards::Number;
use crate::cards::outline::symbol_centers;
use crate::geometry::{Homography, Point, Quad};
use crate::pipeline::InPlace;
use crate::pipeline::segment::maps::Working;
use opencv::prelude::*;

/// How many signs there are.
pub const SIGNS: usize = 15;

/// What each sign is, in order.
pub const NAMES: [&str; SIGNS] = [
    "heat",
    "symbols",
    "a symbol",
    "misfit",
    "too large",
    "too small",
    "no table",
    "sides",
    "rim",
    "measured",
    "agreed",
    "own",
    "taken",
    "in place",
    "in doubt",
];

/// The signs of each candidate.
///
/// # Errors
/// Those of OpenCV, when the working image cannot be read.
pub fn signs(
    working: &Working,
    maps: &Maps,
    look: &Look,
    peaks: &[SymbolPeak],
    placed: &[Placed],
) -> opencv::Result<Vec<[f64; SIGNS]>> {
    let owned = owned(placed, peaks);
    placed
        .iter()
        .zip(owned)
        .map(|(card, (own, taken))| {
            let (all, best) = symbols(&card.refined.quad, maps, look);
            let (misfit, log_size) =
                card.on_table.map_or((0.0, 0.0), |fit| (fit.misfit.min(0.6), fit.log_size));
            let sides = card.refined.sides_seen();
            let in_place = card.in_place.map_or(0.0, |said| log_odds_in_place(&said));
            Ok([
                card.candidate.heat.clamp(-4.0, 5.0),
                all,
                best,
                misfit,
                log_size.clamp(0.0, 1.0),
                (-log_size).clamp(0.0, 1.0),
                f64::from(card.on_table.is_none()),
                sides as f64 / 4.0,
                even_rim(&card.refined.quad, working)?,
                card.group.map_or(0.0, |group| group.score.clamp(0.0, 8.0)),
                card.group.map_or(0.0, |group| (4.0 - group.cost).max(0.0)),
                f64::from(own > 0),
                taken as f64 / (own + taken).max(1) as f64,
                in_place,
                f64::from(card.in_place.is_some()),
            ])
        })
        .collect()
}

/// Log odds that a card lies where it was put, by the network that looked at it there.
fn log_odds_in_place(said: &InPlace) -> f64 {
    /// More than this says no more.
    const MOST: f64 = 4.0;
    let misplaced = f64::from(said.misplaced);
    ((1.0 - misplaced) / misplaced).ln().clamp(-MOST, MOST)
}

/// For each card how many of the network's symbols on it are its own, and how many are a likelier
/// card's: a card's symbols seen once more, shifted by one, make no second card.
fn owned(placed: &[Placed], peaks: &[SymbolPeak]) -> Vec<(usize, usize)> {
    /// Where symbols are, from the card's centre, in long and in short sides.
    const BAND: (f64, f64) = (0.40, 0.16);
    let strength = |card: &Placed| {
        let sides = card.refined.sides_seen();
        card.candidate.heat + sides as f64 + card.group.map_or(0.0, |g| 0.5 * g.score.min(8.0))
    };
    let mut order: Vec<usize> = (0..placed.len()).collect();
    order.sort_by(|&a, &b| strength(&placed[b]).total_cmp(&strength(&placed[a])));
    let mut taken = vec![false; peaks.len()];
    let mut owned = vec![(0, 0); placed.len()];
    for i in order {
        let quad = &placed[i].refined.quad;
        let Some(card_from_image) =
            Homography::between(&unit_card(), quad).and_then(|image| image.inverse())
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

/// Log odds of symbols at a card's places: the mean over the places of the number that fits best,
/// and the best single one.
fn symbols(quad: &Quad, maps: &Maps, look: &Look) -> (f64, f64) {
    /// Log odds that say no more than that there is none, or one.
    const RANGE: (f64, f64) = (-4.0, 3.0);
    let Some(image_from_card) = Homography::between(&unit_card(), quad) else {
        return (RANGE.0, RANGE.0);
    };
    let heat = |x: f64| {
        let at = look.input_from_working(image_from_card.apply(Point::new(x, 0.0)));
        symbol_heat_at(maps, at).map(|h| h.clamp(RANGE.0, RANGE.1))
    };
    let (mut all, mut best) = (RANGE.0, RANGE.0);
    for number in Number::ALL {
        // Places outside the picture say nothing.
        let heats: Vec<f64> = symbol_centers(number).iter().filter_map(|&x| heat(x)).collect();
        if heats.is_empty() {
            continue;
        }
        all = all.max(heats.iter().sum::<f64>() / heats.len() as f64);
        best = heats.into_iter().fold(best, f64::max);
    }
    (all, best)
}

/// Share of the rim just inside the sides that looks like the rim's median, 0 to 1: a card is blank
/// there, in one colour. What lies outside the picture does not count.
///
/// # Errors
/// Those of OpenCV, when the working image cannot be read.
pub fn even_rim(quad: &Quad, working: &Working) -> opencv::Result<f64> {
    /// Where the rim is, from the centre (0) to the side (1).
    const INWARDS: f64 = 0.9;
    const SAMPLES: usize = 10;
    let (rgb, width, height) = (working.rgb.data_bytes()?, working.width, working.height);
    let center = quad.center();
    let mut seen: Vec<[u8; 3]> = Vec::with_capacity(4 * SAMPLES);
    for i in 0..4 {
        let (a, b) = (quad.0[i], quad.0[(i + 1) % 4]);
        for k in 0..SAMPLES {
            let t = 0.08 + 0.84 * k as f64 / (SAMPLES - 1) as f64;
            let p = center.lerp(a.lerp(b, t), INWARDS);
            if p.x >= 0.0 && p.y >= 0.0 && p.x < width as f64 && p.y < height as f64 {
                let at = 3 * (p.y as usize * width + p.x as usize);
                seen.push([rgb[at], rgb[at + 1], rgb[at + 2]]);
            }
        }
    }
    if seen.is_empty() {
        return Ok(0.0);
    }
    let median = [0, 1, 2].map(|c| {
        let mut values: Vec<u8> = seen.iter().map(|px| px[c]).collect();
        let middle = values.len() / 2;
        f64::from(*values.select_nth_unstable(middle).1)
    });
    let alike = seen
        .iter()
        .filter(|px| (0..3).all(|c| (f64::from(px[c]) - median[c]).abs() < 0.12 * median[c] + 6.0));
    Ok(alike.count() as f64 / seen.len() as f64)
}

/// Weights of the signs and, last, the constant: log odds of a card.
pub type Weights = [f64; SIGNS + 1];

/// Log odds that a candidate with these signs is a card.
pub fn log_odds(signs: &[f64; SIGNS], weights: &Weights) -> f64 {
    signs.iter().zip(weights).map(|(s, w)| s * w).sum::<f64>() + weights[SIGNS]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::refiner::VALUE_LOGITS;

    #[test]
    fn the_look_in_place_speaks_either_way_and_never_without_bounds() {
        let says =
            |misplaced| log_odds_in_place(&InPlace { misplaced, values: [0.0; VALUE_LOGITS] });
        assert_eq!(says(0.5), 0.0);
        assert!((says(0.2) - 4f64.ln()).abs() < 1e-6 && says(0.8) < 0.0);
        assert_eq!((says(0.0), says(1.0)), (4.0, -4.0));
    }
}
