//! Whether cards that look open are striped.
//!
//! Where a camera clips white, pale stripes go white with it, and those of a whole table alike. No card
//! alone can tell; but of three cards one is striped, and a table of many without any has lost them.

use crate::cards::{Property, Shading};
use crate::model::reader;

/// Share of a deck's cards that are not striped.
const OTHERS: f32 = 2.0 / 3.0;
/// More cards than the rest of a deck say no more; several hundred would leave the range of numbers.
const MOST_OTHERS: f32 = 80.0;

/// For each card of a table how many times likelier it is that none of the others looks striped if all
/// stripes are lost than if they can be seen, by the network's `logits`: 1 for a card alone, 0 beside a
/// card that is striped.
pub fn lost_by_table(logits: &[[f32; reader::OUTPUTS]]) -> Vec<f32> {
    let at = 3 * Property::Shading as usize;
    // How likely each is a card, and a striped one.
    let seen: Vec<[f32; 2]> = logits
        .iter()
        .map(|logits| {
            let is_card = 1.0 / (1.0 + (-logits[reader::CARD]).exp());
            let scores = &logits[at..at + Shading::ALL.len()];
            let most = scores.iter().copied().fold(f32::MIN, f32::max);
            let sum: f32 = scores.iter().map(|score| (score - most).exp()).sum();
            [is_card, is_card * (scores[Shading::Striped.index()] - most).exp() / sum]
        })
        .collect();
    let of_others = |i: usize| {
        let others = seen.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, seen)| seen);
        let (count, none) = others.fold((0.0, 1.0), |(count, none), [is_card, is_striped]| {
            (count + is_card, none * (1.0 - is_striped))
        });
        none * OTHERS.powf(-MOST_OTHERS.min(count))
    };
    (0..logits.len()).map(of_others).collect()
}

/// Probability that stripes are lost, by what is thought before the table's other cards are seen and by
/// what these tell ([`lost_by_table`]), 0 and less than 1 before, 0 to 1 after: Bayes' rule.
pub fn lost(before: f32, by_table: f32) -> f32 {
    let odds = before * by_table;
    odds / (odds + 1.0 - before)
}

/// Chances of the shadings, in [`Shading::ALL`] order, where stripes are lost with a probability: then
/// what looks open is striped as often as not.
pub fn with_lost(chances: [f32; 3], lost: f32) -> [f32; 3] {
    let [open, striped] = [Shading::Open, Shading::Striped].map(Shading::index);
    let moved = chances[open] * lost / 2.0;
    let mut chances = chances;
    chances[open] -= moved;
    chances[striped] += moved;
    chances
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(shading: Shading) -> [f32; reader::OUTPUTS] {
        let mut logits = [0.0; reader::OUTPUTS];
        logits[3 * Property::Shading as usize + shading.index()] = 12.0;
        logits[reader::CARD] = 12.0;
        logits
    }

    #[test]
    fn a_table_without_stripes_has_lost_them_and_one_striped_card_denies_it() {
        let open = card(Shading::Open);
        assert_eq!(lost_by_table(&[open]), [1.0]);
        let many = lost_by_table(&[open; 9]);
        // Eight others, each of which is striped in one deal of three.
        assert!(many.iter().all(|lost| (lost / 1.5f32.powi(8) - 1.0).abs() < 1e-3), "{many:?}");
        let mut one = [open; 9];
        one[4] = card(Shading::Striped);
        let beside = lost_by_table(&one);
        assert!(beside[0] < 1e-3 && beside[4] > 20.0, "{beside:?}");
        // What is no card denies nothing.
        one[4][reader::CARD] = -12.0;
        assert!(lost_by_table(&one)[0] > 15.0);
    }

    #[test]
    fn several_decks_on_one_table_stay_finite() {
        let mut table = vec![card(Shading::Open); 400];
        let without = lost_by_table(&table);
        assert!((0.9..=1.0).contains(&lost(0.03, without[0])) && lost(0.0, without[0]) == 0.0);
        table[7] = card(Shading::Striped);
        assert!(lost_by_table(&table).iter().all(|by_table| lost(0.03, *by_table).is_finite()));
    }

    #[test]
    fn what_is_lost_cannot_be_told_apart() {
        assert_eq!((lost(0.0, 80.0), lost(0.2, 0.0), lost(0.2, 1.0)), (0.0, 0.0, 0.2));
        assert!((lost(0.1, 9.0) - 0.5).abs() < 1e-6);
        let mut chances = [0.0; 3];
        chances[Shading::Open.index()] = 0.8;
        chances[Shading::Filled.index()] = 0.2;
        let told = with_lost(chances, 0.5);
        assert!((told[Shading::Open.index()] - 0.6).abs() < 1e-6);
        assert!((told[Shading::Striped.index()] - 0.2).abs() < 1e-6);
        assert!((told.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
}
