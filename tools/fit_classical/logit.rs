//! Multinomial logits fitted by gradient descent (Adam, whole batches), ridge on standardised terms.

/// One observation: rows of terms (one for each hypothesis, or one for all) and which value is true.
pub struct Example {
    pub rows: Vec<Vec<f32>>,
    pub value: usize,
    pub weight: f64,
}

/// A fitted model: a row of weights for each value with the constant last, or one row shared by all
/// hypotheses and a constant for each.
pub struct Logit {
    rows: Vec<Vec<f64>>,
    constants: Vec<f64>,
    shared: bool,
}

/// Ridge on standardised weights, as a share of an observation.
const RIDGE: f64 = 5e-5;
const STEPS: usize = 900;

impl Logit {
    /// One row of weights for all hypotheses; the constants stay equal.
    pub fn fit_shared(examples: &[Example]) -> Self {
        Self::fit(examples, examples.first().map_or(3, |e| e.rows.len()), true)
    }

    /// A row of weights for each value.
    pub fn fit_own(examples: &[Example], values: usize) -> Self {
        Self::fit(examples, values, false)
    }

    #[expect(clippy::too_many_lines, reason = "one iteration, whose sums belong together")]
    fn fit(examples: &[Example], values: usize, shared: bool) -> Self {
        let terms = examples.first().map_or(0, |e| e.rows[0].len());
        let (mean, scale) = standard(examples, terms, shared);
        let data: Vec<Vec<Vec<f32>>> = examples
            .iter()
            .map(|e| {
                e.rows
                    .iter()
                    .map(|row| {
                        row.iter()
                            .enumerate()
                            .map(|(t, &v)| ((f64::from(v) - mean[t]) / scale[t]) as f32)
                            .collect()
                    })
                    .collect()
            })
            .collect();
        let total: f64 = examples.iter().map(|e| e.weight).sum();
        let own_rows = if shared { 1 } else { values };
        let size = own_rows * terms + if shared { 0 } else { values };
        let mut w = vec![0.0f64; size];
        let (mut first, mut second) = (vec![0.0; size], vec![0.0; size]);
        for step in 1..=STEPS {
            let chunk = examples.len().div_ceil(8).max(1);
            let partial: Vec<Vec<f64>> = {
                use rayon::prelude::*;
                examples
                    .par_chunks(chunk)
                    .zip(data.par_chunks(chunk))
                    .map(|(examples, data)| {
                        let mut gradient = vec![0.0; size];
                        for (e, rows) in examples.iter().zip(data) {
                            let scores: Vec<f64> = (0..values)
                                .map(|k| {
                                    let (row, x) =
                                        if shared { (0, &rows[k]) } else { (k, &rows[0]) };
                                    let dot: f64 = x
                                        .iter()
                                        .zip(&w[row * terms..])
                                        .map(|(&x, w)| f64::from(x) * w)
                                        .sum();
                                    dot + if shared { 0.0 } else { w[values * terms + k] }
                                })
                                .collect();
                            let p = softmax(&scores);
                            for k in 0..values {
                                let error =
                                    e.weight / total * (p[k] - f64::from(u8::from(k == e.value)));
                                let (row, x) = if shared { (0, &rows[k]) } else { (k, &rows[0]) };
                                for (g, &x) in gradient[row * terms..].iter_mut().zip(x) {
                                    *g += error * f64::from(x);
                                }
                                if !shared {
                                    gradient[values * terms + k] += error;
                                }
                            }
                        }
                        gradient
                    })
                    .collect()
            };
            let rate = 0.05 * (1.0 - step as f64 / (STEPS + 1) as f64);
            for i in 0..size {
                let g = partial.iter().map(|p| p[i]).sum::<f64>()
                    + if i < own_rows * terms { RIDGE * w[i] } else { 0.0 };
                first[i] = 0.9 * first[i] + 0.1 * g;
                second[i] = 0.999 * second[i] + 0.001 * g * g;
                let (a, b) = (
                    first[i] / (1.0 - 0.9f64.powi(step as i32)),
                    second[i] / (1.0 - 0.999f64.powi(step as i32)),
                );
                w[i] -= rate * a / (b.sqrt() + 1e-9);
            }
        }
        // Back to terms as they are measured.
        let mut rows = Vec::new();
        let mut constants = vec![0.0; values];
        for k in 0..own_rows {
            let row: Vec<f64> = (0..terms).map(|t| w[k * terms + t] / scale[t]).collect();
            if !shared {
                constants[k] =
                    w[values * terms + k] - row.iter().zip(&mean).map(|(w, m)| w * m).sum::<f64>();
            }
            rows.push(row);
        }
        Self { rows, constants, shared }
    }

    pub fn probabilities(&self, rows: &[Vec<f32>]) -> Vec<f64> {
        let scores: Vec<f64> = (0..self.constants.len())
            .map(|k| {
                let (w, x) =
                    if self.shared { (&self.rows[0], &rows[k]) } else { (&self.rows[k], &rows[0]) };
                self.constants[k] + w.iter().zip(x).map(|(w, &x)| w * f64::from(x)).sum::<f64>()
            })
            .collect();
        softmax(&scores)
    }

    /// As a Rust constant: the shared row.
    pub fn source_shared(&self, name: &str, of: &str, count: &str) -> String {
        format!(
            "\n/// Weights of the evidence for {of}.\n#[rustfmt::skip]\npub const {name}: [f32; {count}] = [{}];\n",
            numbers(&self.rows[0], None)
        )
    }

    /// As a Rust constant: a row for each value, the constant last.
    pub fn source_own(&self, name: &str, of: &str, count: &str) -> String {
        let rows: String = self
            .rows
            .iter()
            .zip(&self.constants)
            .map(|(row, &constant)| format!("    [{}],\n", numbers(row, Some(constant))))
            .collect();
        format!(
            "\n/// Weights for {of}, a row each, the constant last.\n#[rustfmt::skip]\npub const {name}: [[f32; quadratic_terms({count}) + 1]; {}] = [\n{rows}];\n",
            self.rows.len()
        )
    }
}

fn numbers(row: &[f64], constant: Option<f64>) -> String {
    let mut out = String::new();
    for (i, v) in row.iter().copied().chain(constant).enumerate() {
        out += if i == 0 {
            ""
        } else if i % 10 == 0 {
            ",\n        "
        } else {
            ", "
        };
        // Four decimals, and no more digits than the type holds.
        out += &format!("{:?}", ((v * 1e4).round() / 1e4) as f32);
    }
    out
}

fn softmax(scores: &[f64]) -> Vec<f64> {
    let highest = scores.iter().copied().fold(f64::MIN, f64::max);
    let raised: Vec<f64> = scores.iter().map(|s| (s - highest).exp()).collect();
    let sum: f64 = raised.iter().sum();
    raised.into_iter().map(|v| v / sum).collect()
}

/// Mean and spread of each term. Shared rows keep a mean of 0: only differences count.
fn standard(examples: &[Example], terms: usize, shared: bool) -> (Vec<f64>, Vec<f64>) {
    let rows = || examples.iter().flat_map(|e| &e.rows);
    let n = rows().count().max(1) as f64;
    let mut mean = vec![0.0; terms];
    let mut square = vec![0.0; terms];
    for row in rows() {
        for (t, &v) in row.iter().enumerate() {
            mean[t] += f64::from(v) / n;
            square[t] += f64::from(v).powi(2) / n;
        }
    }
    let scale = (0..terms).map(|t| (square[t] - mean[t].powi(2)).max(1e-8).sqrt()).collect();
    (if shared { vec![0.0; terms] } else { mean }, scale)
}
