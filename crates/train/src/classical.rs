//! Fits the constants of the classical reader on folders of labelled crops.
//!
//! Each crop counts as it is, along a wrong outline, and in copies along wrong outlines that are
//! augmented as for the reader network; what lies beside it is no card. Newton's method fits a logit for
//! each of number, shape, shading and card-or-not. The colours are means and covariances.

use crate::optimiser::{self, Choice};
use crate::reader::drawn::{holds, near_miss, outline};
use crate::reader::labelled_crops::{CropsError, labelled_folders, on_a_table, straight_crops};
use crate::reader::sample::{Label, Sample};
use crate::reader::{augment::augment, key};
use image::RgbImage;
use nalgebra::{Matrix2, Matrix6, Vector2, Vector6};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use rayon::prelude::*;
use setsight_game::cards::{Card, Edition, Property};
use setsight_nets::reader::{HEIGHT, WIDTH};
use setsight_vision::classify::{Features, Masks, quadratic};
use setsight_vision::{CardImage, CardOutline};
use std::f64::consts::{PI, TAU};
use std::{collections::BTreeMap, path::Path};

/// Ridge on weights of terms scaled to a mean square of 1, as a share of all observations.
const RIDGE: f64 = 5e-5;
/// Weight of a card relative to a non-card; there are more cards.
const CARD_AGAINST_OTHERS: f64 = 0.6;
/// Steps of the white's chromaticity that distinguish two lights.
const LIGHT_STEP: f32 = 0.015;
/// Crops of each colour that a light needs.
const LEAST_PER_COLOR: usize = 3;
/// Roughly where the angles of the colours lie: each is taken the short way round from here.
const ANGLES: [f64; 3] = [2.6, -1.3, 0.0];
/// A change of hue larger than this is a misread symbol, not light: left out.
const LARGEST_CHANGE: f64 = 1.0;
/// Scale of Student's distribution with four degrees of freedom from its covariance.
const STUDENT: f64 = 0.5;
/// Few cameras do not show how far others lie: their moves are widened by this factor of variance.
const UNSEEN_CAMERAS: f64 = 1.5;

/// The hues of each colour.
type Hues = [Vec<Vector2<f64>>; 3];

struct Observation {
    source: usize,
    card: Option<Card>,
    /// The light of the crop.
    light: [i32; 2],
    /// Of a copy: the hue of the crop itself.
    before: Option<[f32; 2]>,
    features: Features,
}

impl Observation {
    /// The choice of a property's value; `None` without a card.
    fn choice(
        &self,
        property: Property,
        weight: f64,
        features: &dyn Fn(&Features) -> Vec<Vec<f64>>,
    ) -> Option<Choice> {
        let truth = self.card?.value(property);
        Some(Choice { features: features(&self.features), truth, weight })
    }
}

/// The constants, as Rust source: from a folder of crops, or from a folder of such folders.
pub fn fit(folder: &Path) -> Result<String, CropsError> {
    let mut observations = Vec::new();
    for (source, folder) in labelled_folders(folder)?.iter().enumerate() {
        let (crops, _) = straight_crops(folder, Edition::Classic)?;
        let crops = crops.par_iter().enumerate();
        observations.par_extend(
            crops.flat_map_iter(|(i, (crop, card))| observations_of(source, i, crop, *card)),
        );
    }
    observations.retain(|observation| !observation.features.symbols.is_empty());
    Ok(constants(&observations))
}

fn observations_of(source: usize, i: usize, crop: &RgbImage, card: Card) -> Vec<Observation> {
    let mut rng = Pcg64::seed_from_u64(key(source as u64, i as u64));
    let plain = CardImage::from_crop(crop.clone());
    let sum: f32 = plain.white_in_image.iter().sum();
    let light = [0, 2].map(|c| (plain.white_in_image[c] / sum / LIGHT_STEP).round() as i32);
    let observe = |image: &CardImage, card, before| {
        let features = Features::measure(image, Masks::of_edition(Edition::Classic));
        Observation { source, card, light, before, features }
    };
    let mut all = vec![observe(&plain, Some(card), None)];
    let before = (!all[0].features.symbols.is_empty()).then_some(all[0].features.hue);
    let (frame, quad) = on_a_table(crop, &mut rng);
    for (is_card, augmented) in
        [(true, false), (true, true), (true, true), (false, false), (false, true)]
    {
        let outline_quad =
            if is_card { outline(&quad, &mut rng) } else { near_miss(&quad, &mut rng) };
        if !is_card && holds(&outline_quad, &quad) {
            continue;
        }
        let mut image = CardImage::rectify(&frame, &CardOutline::at(outline_quad));
        if augmented {
            let pixels =
                augment(&Sample::from_image(&image, Label::NoCard).pixels, false, &mut rng);
            let pixels = RgbImage::from_raw(WIDTH as u32, HEIGHT as u32, pixels);
            image = CardImage::from_crop(pixels.expect("the network's size"));
        }
        all.push(observe(&image, is_card.then_some(card), before));
    }
    all
}

fn constants(observations: &[Observation]) -> String {
    let mut counts: BTreeMap<usize, f64> = BTreeMap::new();
    observations.iter().for_each(|o| *counts.entry(o.source).or_default() += 1.0);
    // A large source does not drown the others.
    let weight = |observation: &Observation| 1.0 / counts[&observation.source].sqrt();
    let of_property = |property, features: &dyn Fn(&Features) -> Vec<Vec<f64>>| {
        let choices = observations.iter().filter_map(|o| o.choice(property, weight(o), features));
        weights(choices.collect())
    };
    let wide = |row: &[f32]| row.iter().map(|v| f64::from(*v)).collect();
    let number =
        of_property(Property::Number, &|f| f.number.map(|row| wide(&quadratic(&row))).to_vec());
    let shape = of_property(Property::Shape, &|f| f.shape.map(|row| wide(&row)).to_vec());
    let shading = of_property(Property::Shading, &|f| for_each_value(&f.shading, 3));
    let cards = observations.iter().map(|observation| {
        let (truth, share) = observation.card.map_or((0, 1.0), |_| (1, CARD_AGAINST_OTHERS));
        let features = for_each_value(&observation.features.card, 2);
        Choice { features, truth, weight: share * weight(observation) }
    });
    let card = weights(cards.collect());
    let rows = |all: &[f64], values: usize| {
        all.chunks(all.len() / values).map(|row| rounded(row, 1e4)).collect::<Vec<_>>()
    };
    let (center, scatter, moves) = colors(observations);
    let each = |row: &[f64]| rounded(row, 1e5);
    let (center, scatter) = (center.map(|v| each(&v)), scatter.map(|v| each(&v)));
    let moves: Vec<_> = moves.row_iter().map(|row| each(row.transpose().as_slice())).collect();
    [
        ("NUMBER: [f32; quadratic_terms(NUMBER_FEATURES)]", format!("{:?}", rounded(&number, 1e4))),
        ("SHAPE: [f32; SHAPE_FEATURES]", format!("{:?}", rounded(&shape, 1e4))),
        (
            "SHADING: [[f32; quadratic_terms(SHADING_FEATURES) + 1]; 3]",
            format!("{:?}", rows(&shading, 3)),
        ),
        ("COLOR_CENTER: [[f32; 2]; 3]", format!("{center:?}")),
        ("COLOR_SCATTER: [[f32; 3]; 3]", format!("{scatter:?}")),
        ("COLOR_MOVE: [[f32; 6]; 6]", format!("{moves:?}")),
        ("CARD: [[f32; quadratic_terms(CARD_FEATURES) + 1]; 2]", format!("{:?}", rows(&card, 2))),
    ]
    .map(|(name, value)| format!("#[rustfmt::skip]\npub(super) const {name} = {value};\n"))
    .join("\n")
}

/// A few decimals, and no more digits than the type holds.
fn rounded(row: &[f64], unit: f64) -> Vec<f32> {
    row.iter().map(|v| ((v * unit).round() / unit) as f32).collect()
}

/// For each value weights of its own, the constant last.
fn for_each_value(features: &[f32], values: usize) -> Vec<Vec<f64>> {
    let terms = quadratic(features).into_iter().chain([1.0]);
    let terms: Vec<f64> = terms.map(f64::from).collect();
    let n = terms.len();
    (0..values)
        .map(|value| {
            let mut row = vec![0.0; values * n];
            row[value * n..][..n].copy_from_slice(&terms);
            row
        })
        .collect()
}

fn weights(mut choices: Vec<Choice>) -> Vec<f64> {
    let terms = choices.first().map_or(0, |choice| choice.features[0].len());
    let mut scale = vec![0.0; terms];
    let n = choices.iter().map(|choice| choice.features.len()).sum::<usize>() as f64;
    for row in choices.iter().flat_map(|choice| &choice.features) {
        scale.iter_mut().zip(row).for_each(|(sum, v)| *sum += v * v / n);
    }
    scale.iter_mut().for_each(|square| *square = square.max(1e-8).sqrt());
    for row in choices.iter_mut().flat_map(|choice| &mut choice.features) {
        row.iter_mut().zip(&scale).for_each(|(v, scale)| *v /= scale);
    }
    let all: f64 = choices.iter().map(|choice| choice.weight).sum();
    let fitted = optimiser::fit(&choices, &vec![0.0; terms], RIDGE * all);
    fitted.iter().zip(&scale).map(|(w, scale)| w / scale).collect()
}

/// With the angle that is nearest to the color's.
fn hue_near(color: usize, [angle, length]: [f32; 2]) -> Vector2<f64> {
    let turn = (f64::from(angle) - ANGLES[color] + PI).rem_euclid(TAU) - PI;
    Vector2::new(ANGLES[color] + turn, f64::from(length))
}

/// The centre of each colour (angle, logarithm of length), its scatter within a light (angle angle,
/// angle length, length length), and the covariance of all centres from light to light. Centres are
/// means over sources of means over lights. Of what altering a crop changes, half counts as scatter
/// and half as a move.
fn colors(observations: &[Observation]) -> ([[f64; 2]; 3], [[f64; 3]; 3], Matrix6<f64>) {
    let mut lights: BTreeMap<(usize, [i32; 2]), Hues> = BTreeMap::new();
    let mut changes: Hues = Default::default();
    for observation in observations {
        let Some(color) = observation.card.map(|card| card.value(Property::Color)) else {
            continue;
        };
        let hue = hue_near(color, observation.features.hue);
        match observation.before.map(|before| hue - hue_near(color, before)) {
            None => {
                lights.entry((observation.source, observation.light)).or_default()[color].push(hue)
            }
            Some(change) if change.norm() < LARGEST_CHANGE => changes[color].push(change),
            Some(_) => {}
        }
    }
    lights.retain(|_, colors| colors.iter().all(|hues| hues.len() >= LEAST_PER_COLOR));
    let mut by_source: BTreeMap<usize, Vec<Vector6<f64>>> = BTreeMap::new();
    let (mut within, mut counts) = ([Matrix2::zeros(); 3], [0.0; 3]);
    for ((source, _), colors) in &lights {
        let mut centers = Vector6::<f64>::zeros();
        for (k, hues) in colors.iter().enumerate() {
            let mean = hues.iter().sum::<Vector2<f64>>() / hues.len() as f64;
            centers.fixed_rows_mut::<2>(2 * k).copy_from(&mean);
            within[k] +=
                hues.iter().map(|h| (h - mean) * (h - mean).transpose()).sum::<Matrix2<_>>();
            counts[k] += hues.len() as f64 - 1.0;
        }
        by_source.entry(*source).or_default().push(centers);
    }
    let sources = by_source.len() as f64;
    let center = by_source
        .values()
        .map(|places| places.iter().sum::<Vector6<f64>>() / places.len() as f64)
        .sum::<Vector6<f64>>()
        / sources;
    let mut moves = by_source
        .values()
        .map(|places| {
            places.iter().map(|p| (p - center) * (p - center).transpose()).sum::<Matrix6<f64>>()
                / places.len() as f64
        })
        .sum::<Matrix6<f64>>()
        * (UNSEEN_CAMERAS / sources);
    let scatter = std::array::from_fn(|k| {
        let n = changes[k].len().max(1) as f64;
        let change = changes[k].iter().map(|d| d * d.transpose()).sum::<Matrix2<_>>() / n;
        let mut block = moves.fixed_view_mut::<2, 2>(2 * k, 2 * k);
        block += change / 2.0 + Matrix2::identity() * 5e-3;
        let scatter = (within[k] / counts[k] + change / 2.0) * STUDENT;
        [scatter[(0, 0)], scatter[(0, 1)], scatter[(1, 1)]]
    });
    (std::array::from_fn(|k| [center[2 * k], center[2 * k + 1]]), scatter, moves)
}
