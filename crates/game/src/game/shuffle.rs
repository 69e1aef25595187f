//! A fast uniform shuffle of the deck.

use crate::cards::DECK_SIZE;
use rand::Rng;

/// Number of places drawn from one 64-bit number: 81^8 is far below 2^64, so that a number is
/// almost never rejected, and ten batches shuffle the deck.
const BATCH: usize = 8;

/// Shuffles a deck uniformly, whatever its order was.
///
/// Fisher and Yates' shuffle, with the bounded numbers drawn in batches from one random number
/// (Brackett-Rozinsky and Lemire, "Batched Ranged Random Integer Generation", 2024).
pub fn shuffle(deck: &mut [u8; DECK_SIZE], rng: &mut impl Rng) {
    for start in (0..DECK_SIZE - 1).step_by(BATCH) {
        // Place start + i takes a card from the DECK_SIZE - start - i places from there on.
        let bound = |i: usize| (DECK_SIZE - start - i) as u64;
        let product: u64 = (0..BATCH).map(bound).product();
        let mut offsets = [0; BATCH];
        let mut draw = || {
            let mut rest = rng.next_u64();
            for (i, offset) in offsets.iter_mut().enumerate() {
                let scaled = u128::from(rest) * u128::from(bound(i));
                *offset = (scaled >> 64) as usize;
                rest = scaled as u64;
            }
            rest
        };
        // The lowest remainders have one outcome more than the others.
        let mut rest = draw();
        if rest < product {
            let surplus = product.wrapping_neg() % product;
            while rest < surplus {
                rest = draw();
            }
        }
        for (i, offset) in offsets.into_iter().enumerate() {
            deck.swap(start + i, start + i + offset);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn every_card_is_as_likely_on_every_place() {
        let mut rng = rand_pcg::Pcg64Mcg::seed_from_u64(3);
        let mut counts = vec![[0u32; DECK_SIZE]; DECK_SIZE];
        const SHUFFLES: u32 = 81_000;
        for _ in 0..SHUFFLES {
            let mut deck = std::array::from_fn(|i| i as u8);
            shuffle(&mut deck, &mut rng);
            for (place, card) in deck.into_iter().enumerate() {
                counts[place][usize::from(card)] += 1;
            }
        }
        let expected = f64::from(SHUFFLES) / DECK_SIZE as f64;
        let chi_square: f64 =
            counts.iter().flatten().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
        // 80 * 80 degrees of freedom: mean 6,400, standard deviation 113.
        assert!((chi_square - 6400.0).abs() < 4.0 * 113.2, "{chi_square}");
    }
}
