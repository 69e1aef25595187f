//! Tests whether a dealer is uniform: counts over many deals, with a chi-square test.

use super::{deal::Dealer, rules::Rules};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Each card of the deck.
    Cards,
    /// Each value of each property: v counts for each of p properties, for decks too large for a
    /// count of each card.
    Values,
}

impl Counted {
    /// Cards, if each is expected at least five times in as many deals (Cochran's rule for a
    /// chi-square test), or else values.
    pub fn suited_to(rules: &Rules, trials: u64) -> Self {
        const LEAST_EXPECTED: u64 = 5;
        // The smaller of the two histograms has v cards of each deal.
        let drawn = u128::from(trials) * rules.values() as u128;
        let needed = u128::from(rules.deck()) * u128::from(LEAST_EXPECTED);
        if drawn >= needed { Self::Cards } else { Self::Values }
    }

    /// Number of counts, and how many of them a card adds to.
    const fn counts(self, rules: &Rules) -> (usize, usize) {
        match self {
            Self::Cards => (rules.deck() as usize, 1),
            Self::Values => (rules.values() * rules.properties(), rules.properties()),
        }
    }
}

/// The frequency of each card or value, and the test's result.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Number of times that each card of the deck was drawn, or each value of each property, the
    /// first property first.
    pub counts: Vec<u64>,
    /// Number of cards counted in each deal.
    pub per_trial: usize,
    /// Expected count, the same for all.
    pub expected: f64,
    /// The test statistic.
    pub chi_square: f64,
    /// Its degrees of freedom: for each group of counts that have one sum, their number minus one.
    pub degrees: u64,
    /// Probability that a uniform dealer gives a statistic at least this large.
    pub p_value: f64,
}

impl Histogram {
    /// Tests counts, with `per_trial` different cards in each of `trials` deals.
    ///
    /// Pearson's statistic assumes independent cards. The k cards of one deal are different, so the
    /// counts vary less, by the factor (D - k) / (D - 1) for a deck of D cards: the correction for
    /// sampling without replacement. The statistic is divided by it. The values of two properties
    /// are uncorrelated, so the statistics of the properties add up.
    fn new(
        rules: &Rules,
        counted: Counted,
        counts: Vec<u64>,
        trials: u64,
        per_trial: usize,
    ) -> Self {
        let deck = rules.deck() as f64;
        let groups = counted.counts(rules).1;
        let expected = trials as f64 * (per_trial * groups) as f64 / counts.len() as f64;
        let pearson: f64 = counts.iter().map(|&n| (n as f64 - expected).powi(2) / expected).sum();
        let chi_square = pearson * (deck - 1.0) / (deck - per_trial as f64);
        let degrees = (counts.len() - groups) as u64;
        let p_value = upper_gamma(degrees as f64 / 2.0, chi_square / 2.0);
        Self { counts, per_trial, expected, chi_square, degrees, p_value }
    }
}

/// Histograms of the first board and of the v cards drawn next, over deals with the seeds
/// `first_seed`, `first_seed + 1`, ...
///
/// # Panics
/// If the deck is smaller than the first board plus v cards.
pub fn histograms(
    rules: &Rules,
    counted: Counted,
    dealer: &mut dyn Dealer,
    trials: u64,
    first_seed: u64,
) -> [Histogram; 2] {
    let (board, more) = (rules.first_board(), rules.values());
    assert!((board + more) as u64 <= rules.deck(), "cards are left to draw after the first board");
    let mut counts = [vec![0; counted.counts(rules).0], vec![0; counted.counts(rules).0]];
    for trial in 0..trials {
        dealer.shuffle(first_seed.wrapping_add(trial));
        for i in 0..board + more {
            let Some(card) = dealer.draw() else { break };
            let counts = &mut counts[usize::from(i >= board)];
            match counted {
                Counted::Cards => counts[card.0 as usize] += 1,
                Counted::Values => {
                    for (values, value) in counts.chunks_mut(more).zip(rules.values_of(card)) {
                        values[usize::from(value)] += 1;
                    }
                }
            }
        }
    }
    let [first, drawn] = counts;
    [
        Histogram::new(rules, counted, first, trials, board),
        Histogram::new(rules, counted, drawn, trials, more),
    ]
}

/// Q(a, x), the upper regularised incomplete gamma function: a series below a + 1, otherwise a
/// continued fraction by Lentz's method (Press et al., "Numerical Recipes", chapter 6.2).
fn upper_gamma(a: f64, x: f64) -> f64 {
    const STEPS: usize = 10_000;
    const ENOUGH: f64 = 1e-14;
    if x <= 0.0 {
        return 1.0;
    }
    let front = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        for n in 1..STEPS {
            term *= x / (a + n as f64);
            sum += term;
            if term < sum * ENOUGH {
                break;
            }
        }
        return 1.0 - front * sum;
    }
    let mut b = x + 1.0 - a;
    let mut c = f64::MAX;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for n in 1..STEPS {
        let factor = -(n as f64) * (n as f64 - a);
        b += 2.0;
        d = 1.0 / (factor * d + b);
        c = b + factor / c;
        let step = c * d;
        fraction *= step;
        if (step - 1.0).abs() < ENOUGH {
            break;
        }
    }
    front * fraction
}

/// Logarithm of the gamma function for positive arguments: the recurrence moves them above 10, then
/// Stirling's series applies.
fn ln_gamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 10.0 {
        shift -= x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series =
        (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse / 1680.0))) / x;
    shift + (x - 0.5) * x.ln() - x + (2.0 * std::f64::consts::PI).ln() / 2.0 + series
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deal::{FisherYates, Rejection};
    use crate::{Card, deal};

    #[test]
    fn the_gamma_functions_have_tabulated_values() {
        for (x, value) in [(1.0, 0.0), (5.0, 24f64.ln()), (0.5, 0.572_364_942_924_700_1)] {
            assert!((ln_gamma(x) - value).abs() < 1e-11, "{x}");
        }
        // Q(1, x) = exp(-x); Q(1/2, x) = erfc(sqrt x).
        for x in [0.1, 1.0, 1.9, 2.1, 9.0] {
            assert!((upper_gamma(1.0, x) - (-x).exp()).abs() < 1e-12, "{x}");
        }
        assert!((upper_gamma(0.5, 1.0) - 0.157_299_207_050_285_1).abs() < 1e-11);
        // Chi-square tables: 5 per cent above 3.841 (1) and 82.529 (63), 1 per cent above 11.345
        // (3).
        for (degrees, x, share) in [(1.0, 3.8415, 0.05), (63.0, 82.529, 0.05), (3.0, 11.345, 0.01)]
        {
            assert!((upper_gamma(degrees / 2.0, x / 2.0) - share).abs() < 1e-5, "{degrees}");
        }
    }

    #[test]
    fn both_dealers_pass() {
        let rules = Rules::new(4, 3, 1).unwrap();
        let dealers: [Box<dyn Dealer>; 2] =
            [Box::new(Rejection::new(&rules, 0)), Box::new(FisherYates::new(&rules, 0))];
        for mut dealer in dealers {
            for histogram in histograms(&rules, Counted::Cards, &mut *dealer, 10_000, 1) {
                assert!(histogram.p_value > 1e-3 && histogram.p_value < 1.0 - 1e-3);
                assert_eq!(histogram.degrees, 63);
            }
        }
    }

    #[test]
    fn the_statistic_has_the_mean_of_chi_square() {
        // Without the correction the means would be smaller by the factor (64 - 12) / 63.
        let rules = Rules::new(4, 3, 1).unwrap();
        let mut dealer = Rejection::new(&rules, 0);
        for (counted, degrees) in [(Counted::Cards, 63.0), (Counted::Values, 9.0)] {
            let values: Vec<f64> = (0..400)
                .map(|i| histograms(&rules, counted, &mut dealer, 100, i * 100)[0].chi_square)
                .collect();
            let mean = values.iter().sum::<f64>() / 400.0;
            // Variance twice the degrees, over 400 values.
            let standard_error = (2.0f64 * degrees / 400.0).sqrt();
            assert!((mean - degrees).abs() < 4.0 * standard_error, "{counted:?}: {mean}");
        }
    }

    #[test]
    fn large_decks_are_counted_by_value() {
        let large = Rules::new(10, 10, 1).unwrap();
        assert_eq!(Counted::suited_to(&large, 1_000), Counted::Values);
        assert_eq!(Counted::suited_to(&Rules::new(5, 4, 1).unwrap(), 625), Counted::Cards);
        assert_eq!(Counted::suited_to(&Rules::new(5, 4, 1).unwrap(), 624), Counted::Values);
        let mut dealer = Rejection::new(&large, 0);
        let [first, drawn] = histograms(&large, Counted::Values, &mut dealer, 1_000, 1);
        assert_eq!((first.counts.len(), first.degrees), (100, 90));
        for (histogram, cards) in [(first, 100_000), (drawn, 10_000)] {
            for values in histogram.counts.chunks(10) {
                assert_eq!(values.iter().sum::<u64>(), cards);
            }
            assert!(histogram.p_value > 1e-3 && histogram.p_value < 1.0 - 1e-3);
        }
    }

    #[test]
    fn an_unfair_dealer_is_caught() {
        /// A dealer that deals the lowest card first slightly too often.
        struct Unfair(Rejection, u64, bool);
        impl deal::Dealer for Unfair {
            fn draw(&mut self) -> Option<Card> {
                let card = self.0.draw()?;
                let swap = std::mem::take(&mut self.2) && self.1.is_multiple_of(20);
                Some(if swap { Card(0) } else { card })
            }
            fn shuffle(&mut self, seed: u64) {
                self.0.shuffle(seed);
                self.1 = seed;
                self.2 = true;
            }
        }
        let rules = Rules::new(4, 3, 1).unwrap();
        let mut dealer = Unfair(Rejection::new(&rules, 0), 0, true);
        let [first, _] = histograms(&rules, Counted::Cards, &mut dealer, 10_000, 1);
        assert!(first.p_value < 1e-6);
    }
}
