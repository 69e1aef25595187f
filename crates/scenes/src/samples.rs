//! The tables of `datasets/samples`: a few small pictures of increasing difficulty.

use super::params::{Kind, Params};
use super::{RenderError, Scene, render};
use super::{background::Material, table::Layout};
use setsight_photo::print::dice::Span;

/// A sample: its file name and its parameters.
#[derive(Clone, Debug)]
pub struct Sample {
    /// File name.
    pub file: &'static str,
    seed: u64,
    params: Params,
}

impl Sample {
    /// Draws it.
    ///
    /// # Errors
    /// As [`render`].
    pub fn draw(&self) -> Result<Scene, RenderError> {
        render(&self.params, self.seed, 0)
    }
}

/// All samples, the easiest first.
pub fn all() -> Vec<Sample> {
    let of = |file, seed, kind: Kind, change: fn(&mut Params)| {
        let mut params = Params::of(kind);
        params.variety = 0.4;
        params.jpeg = Span::only(88.0);
        params.noise = Span::new(0.003, 0.008);
        change(&mut params);
        Sample { file, seed, params }
    };
    vec![
        of("1-plain-on-wood.jpg", 11, Kind::Wood, |p| p.tilt = Span::only(0.08)),
        of("2-fifteen-on-felt.jpg", 12, Kind::Plain, |p| {
            p.materials = vec![(Material::Felt, 1.0)];
            p.cards = (15, 15);
            p.tilt = Span::only(0.3);
        }),
        of("3-lamp-on-black.jpg", 13, Kind::Black, |p| {
            p.kelvin = Span::only(2_900.0);
            p.balance = Span::only(0.72);
            p.falloff = Span::only(0.5);
            p.layouts = vec![(Layout::Scatter, 1.0)];
            p.cards = (9, 9);
        }),
        of("4-cloth-and-clutter.jpg", 14, Kind::Cloth, |p| {
            p.distractors = (7, 9);
            p.fill = Span::only(0.68);
        }),
        of("5-white-on-white.jpg", 15, Kind::White, |p| p.tilt = Span::only(0.25)),
        of("6-flat-angle.jpg", 16, Kind::Perspective, |p| {
            p.tilt = Span::only(0.85);
            p.materials = vec![(Material::Wood, 1.0)];
        }),
        of("7-hard-shadow-and-glare.jpg", 17, Kind::Shadow, |p| {
            p.glare = 1.0;
            p.glare_strength = Span::only(0.5);
            p.materials = vec![(Material::Wood, 1.0)];
        }),
        // Every symbol must be in view, because a card with hidden symbols could not be identified.
        of("8-overlap.jpg", 18, Kind::Overlap, |p| {
            p.cards = (14, 14);
            p.symbols_in_view = 1.0;
            p.materials = vec![(Material::Wood, 1.0)];
        }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_photo::labels::LabelFile;
    use std::path::Path;

    /// Maximum mean difference of a channel, 0 to 255, between a committed sample and a new
    /// drawing: mathematical functions and JPEG decoders differ slightly between platforms.
    const MEAN_TOLERANCE: f64 = 0.05;

    #[test]
    fn a_sample_is_what_the_command_draws() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/samples");
        let labels = LabelFile::read(&folder).unwrap().photos().unwrap();
        let samples = all();
        assert_eq!(labels.len(), samples.len());
        for (sample, label) in samples.iter().zip(&labels) {
            assert_eq!(sample.file, label.file);
        }
        // One easy and one hard table, because drawing all takes long.
        for i in [0, 7] {
            let scene = samples[i].draw().unwrap();
            let drawn = scene.through_jpeg().unwrap();
            let committed = image::open(folder.join(samples[i].file)).unwrap().into_rgb8();
            assert_eq!(committed.dimensions(), drawn.dimensions());
            let sum: u64 =
                committed.iter().zip(drawn.iter()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
            let mean = sum as f64 / committed.len() as f64;
            assert!(
                mean <= MEAN_TOLERANCE,
                "{} differs by {mean} a channel: draw the samples anew with \
                 `setsight render --samples --out datasets/samples --overwrite`",
                samples[i].file
            );
            let codes = |cards: Vec<_>| cards;
            assert_eq!(
                codes(scene.cards.iter().map(|c| c.card).collect()),
                codes(labels[i].cards.iter().map(|c| c.code).collect())
            );
        }
    }

    #[test]
    fn every_sample_shows_all_of_its_cards() {
        for sample in all() {
            assert_eq!(sample.params.cards.0, sample.params.cards.1, "{}", sample.file);
        }
    }
}
