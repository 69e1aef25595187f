//! What the table says of its fills.
//!
//! An app fills all of its symbols in one way. An even tint of the ink may be its middle filling, or a
//! full one that is paler than its outline; a card by itself does not tell. The table does: beside
//! symbols that are full of ink the tint is the middle one, beside stripes and dots it is the full one.
//! Beside neither, it stays in doubt.

use crate::data::Reading;
use setsight_game::cards::{Property, Shading};

/// Probability from which a card is clearly of a filling.
const CLEAR: f32 = 0.95;
/// Probability that both fillings of a card in doubt have at least.
const DOUBT: f32 = 0.03;

/// Settles the cards of a copy of a screen whose filling is in doubt.
pub(crate) fn settle(readings: &mut [Reading]) {
    const ROW: usize = Property::Shading as usize;
    let (full, middle) = (Shading::Filled.index(), Shading::Striped.index());
    let is_clear = |reading: &Reading, filling: usize| {
        reading.is_card > CLEAR && reading.values[ROW][filling] > CLEAR
    };
    let clear = |filling: usize| readings.iter().filter(|r| is_clear(r, filling)).count();
    let (right, wrong) = match (clear(full), clear(middle)) {
        (0, 1..) => (full, middle),
        (1.., 0) => (middle, full),
        _ => return,
    };
    for reading in readings {
        let values = &mut reading.values[ROW];
        if values[right] > DOUBT && values[wrong] > DOUBT {
            values[right] += values[wrong];
            values[wrong] = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A card with these probabilities of filled, open and striped.
    fn card(filled: f32, open: f32, striped: f32) -> Reading {
        let mut reading = Reading { is_card: 0.99, ..Reading::UNKNOWN };
        let row = &mut reading.values[Property::Shading as usize];
        row[Shading::Filled.index()] = filled;
        row[Shading::Open.index()] = open;
        row[Shading::Striped.index()] = striped;
        reading
    }

    fn settled(other: Reading) -> [f32; 3] {
        let mut readings = [other, card(0.01, 0.98, 0.01), card(0.3, 0.1, 0.6)];
        settle(&mut readings);
        readings[2].values[Property::Shading as usize]
    }

    #[test]
    fn a_tint_is_what_is_left() {
        let (full, middle) = (Shading::Filled.index(), Shading::Striped.index());
        let beside_stripes = settled(card(0.01, 0.01, 0.98));
        assert!(beside_stripes[full] > 0.89 && beside_stripes[middle] == 0.0);
        let beside_full = settled(card(0.98, 0.01, 0.01));
        assert!(beside_full[middle] > 0.89 && beside_full[full] == 0.0);
        let alone = settled(card(0.4, 0.0, 0.6));
        assert!((alone[middle] - 0.6).abs() < 1e-6);
    }
}
