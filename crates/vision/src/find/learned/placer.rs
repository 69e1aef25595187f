//! Fits one card to a given table.

use super::decode::{Candidate, SymbolPeak};
use crate::find::{
    plane::{CARD_ASPECT, Pose, TablePlane},
    sides::{self, Refined, even_rim},
    working::{Working, WorkingQuad},
};
use setsight_game::cards::{Number, outline::symbol_centers};
use setsight_photo::geometry::{Homography, Point, Quad, space};

/// A candidate with fitted corners. Coordinates are in working pixels.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// The network's prediction.
    pub candidate: Candidate<space::Working>,
    /// The outline that table and symbols predict.
    pub expected: WorkingQuad,
    /// The outline with the sides found.
    pub refined: Refined,
    /// Even share of its rim, 0 to 1, see [`even_rim`].
    pub rim: f64,
    /// How the network's outline fits the table of the other cards, if there is one.
    pub on_table: Option<OnTable>,
}

/// How an outline fits the table of the other cards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnTable {
    /// Mean distance of its corners from those of the nearest possible card, in short sides.
    pub misfit: f64,
    /// Natural logarithm of its size relative to a card at that place.
    pub log_size: f64,
}

/// Fits cards to a table.
pub(crate) struct Placer<'a> {
    /// The working image in which sides are searched for.
    pub working: &'a Working,
    /// The table that the cards lie on, if one could be fitted.
    pub table: Option<&'a TablePlane>,
    /// The network's symbols, in working pixels.
    pub peaks: &'a [SymbolPeak],
    /// Parameters for finding sides.
    pub sides: &'a sides::Params,
    /// Mean distance of the corners, in short sides, from which a card does not lie on the table.
    pub elsewhere: f64,
}

impl Placer<'_> {
    /// The predicted outline of a card whose rough outline is given: laid on the table, if it is
    /// close to it, and moved to the symbols that the network detected.
    pub(crate) fn expected(&self, outline: &WorkingQuad) -> WorkingQuad {
        let laid = match self.table {
            Some(table) if table.misfit(outline) < self.elsewhere => {
                let seen = table.table_from_working.apply_quad(outline);
                table.quad_in_working(&Pose::nearest(&seen))
            }
            _ => *outline,
        };
        centred_on_symbols(&laid, self.peaks)
    }

    /// Searches for the card's sides near the expected outline.
    pub(crate) fn put(
        &self,
        candidate: &Candidate<space::Working>,
        expected: &WorkingQuad,
    ) -> Placed {
        let table = self.table.filter(|table| table.misfit(expected) < self.elsewhere);
        let refined = Refined::of(self.working, expected, table, self.sides);
        let rim = even_rim(&refined.quad, self.working);
        let on_table = self.table.map(|table| fit_on(table, &candidate.quad));
        Placed { candidate: *candidate, expected: *expected, refined, rim, on_table }
    }
}

/// Natural logarithm of the long side of a card with this quad's area.
pub(crate) fn log_size<S>(quad: &Quad<S>) -> f64 {
    (quad.signed_area().abs() * CARD_ASPECT).max(1e-9).ln() / 2.0
}

/// How an outline fits a table.
pub(crate) fn fit_on(table: &TablePlane, quad: &WorkingQuad) -> OnTable {
    let seen: Quad = table.table_from_working.apply_quad(quad);
    OnTable {
        misfit: table.misfit(quad).min(10.0),
        log_size: (log_size(&seen) - CARD_ASPECT.ln()).clamp(-3.0, 3.0),
    }
}

/// Moves the card so that the symbols on it coincide with a card's places.
///
/// The number of symbols is unknown: of one, two and three, it takes the one that leaves the fewest
/// symbols unexplained and the fewest places empty (in a heap, some symbols are covered).
fn centred_on_symbols(quad: &WorkingQuad, symbols: &[SymbolPeak]) -> WorkingQuad {
    /// Largest distance of a symbol from its place, in long and in short sides.
    const REACH: (f64, f64) = (0.10, 0.16);
    const UNEXPLAINED: f64 = 0.7;
    const EMPTY: f64 = 0.5;
    /// Weight of the predicted centre, as a number of symbols whose mean would weigh the same.
    const PREDICTION: f64 = 0.5;
    let unit = Quad::unit_card();
    let Some(image_from_card) = Homography::between(&unit, quad) else { return *quad };
    let Some(card_from_image) = image_from_card.inverse() else { return *quad };
    let reach_px = 0.5 * quad.long_side().max(quad.short_side());
    let inside: Vec<Point> = symbols
        .iter()
        .filter(|s| s.heat > 0.0 && s.center.distance(quad.center()) < reach_px)
        .map(|s| card_from_image.apply(s.center))
        .filter(|p| p.x.abs() < 0.42 && p.y.abs() < 0.22)
        .collect();
    let mut best = (f64::MIN, Point::default());
    for number in Number::ALL {
        let places = symbol_centers(number);
        let (mut shift, mut matched) = (Point::default(), 0.0);
        for &p in &inside {
            let nearest =
                places.iter().copied().min_by(|a, b| (p.x - a).abs().total_cmp(&(p.x - b).abs()));
            if let Some(x) = nearest
                && (p.x - x).abs() < REACH.0
                && p.y.abs() < REACH.1
            {
                matched += 1.0;
                shift = shift + Point::new(p.x - x, p.y);
            }
        }
        let score = matched
            - UNEXPLAINED * (inside.len() as f64 - matched)
            - EMPTY * (places.len() as f64 - matched).abs();
        if score > best.0 {
            best = (score, shift / (matched + PREDICTION));
        }
    }
    let moved = Quad::new(unit.0.map(|p| p + best.1));
    image_from_card.apply_quad(&moved)
}
