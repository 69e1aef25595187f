//! Tests whether a dealer is uniform: counts of cards over many deals, with a chi-square test.

use super::deal::Dealer;
use super::rules::Rules;

/// The frequency of each card, and the test's result.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Number of times that each card of the deck was drawn.
    pub counts: Vec<u64>,
    /// Number of deals.
    pub trials: u64,
    /// Number of cards counted in each deal.
    pub per_trial: usize,
    /// The test statistic; see [`Histogram::new`].
    pub chi_square: f64,
    /// Its degrees of freedom: the number of cards in the deck minus one.
    pub degrees: u64,
    /// Probability that a uniform dealer gives a statistic at least this large.
    pub p_value: f64,
}

impl Histogram {
    /// Tests counts of cards, with `per_trial` different ones in each of `trials` deals.
    ///
    /// Pearson's statistic assumes independent cards. The k cards of one deal are different, so the
    /// counts vary less, by the factor (D - k) / (D - 1) for a deck of D cards: the correction for
    /// sampling without replacement. The statistic is divided by it.
    pub fn new(counts: Vec<u64>, trials: u64, per_trial: usize) -> Self {
        let deck = counts.len() as f64;
        let expected = trials as f64 * per_trial as f64 / deck;
        let pearson: f64 = counts.iter().map(|&n| (n as f64 - expected).powi(2) / expected).sum();
        let chi_square = pearson * (deck - 1.0) / (deck - per_trial as f64);
        let degrees = counts.len() as u64 - 1;
        let p_value = upper_gamma(degrees as f64 / 2.0, chi_square / 2.0);
        Self { counts, trials, per_trial, chi_square, degrees, p_value }
    }

    /// Expected count of each card.
    pub fn expected(&self) -> f64 {
        self.trials as f64 * self.per_trial as f64 / self.counts.len() as f64
    }
}

/// Histograms of the first board and of the v cards drawn next, over deals with the seeds
/// `first_seed`, `first_seed + 1`, ...
///
/// # Panics
/// If the deck is not larger than the first board plus v cards.
pub fn histograms(
    rules: &Rules,
    dealer: &mut dyn Dealer,
    trials: u64,
    first_seed: u64,
) -> [Histogram; 2] {
    let (board, more) = (rules.first_board(), rules.values());
    assert!((board + more) as u64 <= rules.deck(), "cards are left to draw after the first board");
    let mut counts = [vec![0; rules.deck() as usize], vec![0; rules.deck() as usize]];
    for trial in 0..trials {
        dealer.shuffle(first_seed.wrapping_add(trial));
        for i in 0..board + more {
            if let Some(card) = dealer.draw() {
                counts[usize::from(i >= board)][card.0 as usize] += 1;
            }
        }
    }
    let [first, drawn] = counts;
    [Histogram::new(first, trials, board), Histogram::new(drawn, trials, more)]
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
    fn the_gamma_functions_have_their_known_values() {
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
            for histogram in histograms(&rules, &mut *dealer, 10_000, 1) {
                assert!(histogram.p_value > 1e-3 && histogram.p_value < 1.0 - 1e-3);
                assert_eq!(histogram.degrees, 63);
            }
        }
    }

    #[test]
    fn the_statistic_has_the_mean_and_spread_of_chi_square() {
        // Without the correction the mean would be 63 * (64 - 12) / 63 = 52, not 63.
        let rules = Rules::new(4, 3, 1).unwrap();
        let mut dealer = Rejection::new(&rules, 0);
        let values: Vec<f64> =
            (0..400).map(|i| histograms(&rules, &mut dealer, 100, i * 100)[0].chi_square).collect();
        let mean = values.iter().sum::<f64>() / 400.0;
        // Variance 2 * 63, so the mean's standard error is 0.56.
        assert!((mean - 63.0).abs() < 3.0, "{mean}");
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
        assert!(histograms(&rules, &mut dealer, 10_000, 1)[0].p_value < 1e-6);
    }
}
