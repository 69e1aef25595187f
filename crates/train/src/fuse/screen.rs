//! Fits what tells a copy of a screen from a photo.

use super::examples::Source;
use crate::newton::{self, Choice};
use serde::Serialize;
use setsight_vision::table::screens::{FEATURES, NAMES, Weights, is_likely};

/// Ridge penalty, in tables.
const RIDGE: f64 = 1.0;

/// How a fit to every other table judges the others.
#[derive(Clone, Debug, Serialize)]
pub struct ScreenReport {
    /// The features, in the order of the weights.
    pub features: [&'static str; FEATURES],
    /// Copies of screens, and how many of them are taken for photos.
    pub screens: [usize; 2],
    /// Photos, and how many of them are taken for copies of screens.
    pub photos: [usize; 2],
}

/// Fits the weights by logistic regression on drawn photos and drawn screens.
pub fn fit_is_screen(photos: &[Source], screens: &Source) -> (Weights, ScreenReport) {
    let examples = |source: &Source, yes| {
        let tables = source.tables.iter().filter_map(|table| table.is_screen);
        tables.map(|features| (features, yes)).enumerate().collect::<Vec<_>>()
    };
    let photos = photos.iter().flat_map(|source| examples(source, false));
    let all: Vec<_> = photos.chain(examples(screens, true)).collect();
    let fit = |half: Option<usize>| {
        let taught = all.iter().filter(|(i, _)| half.is_none_or(|half| i % 2 == half));
        let choice = |(_, (features, yes)): &(usize, ([f32; FEATURES], bool))| {
            Choice::yes_or_no(features.map(f64::from).to_vec(), *yes, 1.0)
        };
        let choices: Vec<Choice> = taught.map(choice).collect();
        let weights = newton::fit(&choices, &[0.0; FEATURES], RIDGE);
        std::array::from_fn(|k| ((weights[k] * 1e4).round() / 1e4) as f32)
    };
    let [mut told, mut photographed] = [[0; 2]; 2];
    let half = fit(Some(0));
    for (_, (features, yes)) in all.iter().filter(|(i, _)| i % 2 == 1) {
        let counted = if *yes { &mut told } else { &mut photographed };
        counted[0] += 1;
        counted[1] += usize::from(is_likely(features, &half) != *yes);
    }
    (fit(None), ScreenReport { features: NAMES, screens: told, photos: photographed })
}
