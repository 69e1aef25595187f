//! Fits the constants of the classical reader and prints them as Rust source.
//!
//!     cargo run --release --example fit-classical -- CARDS_DIR > crates/vision/src/classify/classical/weights.rs
//!
//! `CARDS_DIR` holds one folder per source, each with `labels.csv` (file, code) and rectified
//! crops. Every crop is used as it is and in several copies with outline errors of up to 8 %, lower
//! resolution and other lighting. First, each source is held out in turn and read with constants
//! fitted on the others (figures on stderr); the printed constants are fitted on all sources. The
//! run is seeded: the same folder gives the same constants.

#[path = "fit_classical/augment.rs"]
mod augment;
#[path = "fit_classical/hues.rs"]
mod hues;
#[path = "fit_classical/logit.rs"]
mod logit;

use hues::{Hues, Sighting};
use logit::{Example, Logit};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;
use setsight::cards::{Card, Edition, Property, Shape};
use setsight_vision::CardImage;
use setsight_vision::parts::classical::Features;
use setsight_vision::parts::classical::Masks;
use setsight_vision::parts::classical::quadratic;
use setsight_vision::parts::rectify;
use std::path::Path;

/// Number of samples per crop.
const COPIES: u64 = 4;

struct Sample {
    source: usize,
    /// `None`: not a card.
    card: Option<Card>,
    /// Partly hidden, perhaps too much to be read; counted separately.
    covered: bool,
    /// Lighting of the original crop, see [`Sighting::light`].
    light: (i32, i32),
    /// For an altered copy: the hue of the original, if it could be measured.
    unaltered: Option<[f32; 2]>,
    features: Features,
}

fn main() -> anyhow::Result<()> {
    let Some(folder) = std::env::args_os().nth(1) else {
        anyhow::bail!("no folder of cards given; call it as fit-classical CARDS_DIR");
    };
    let (names, samples) = load(Path::new(&folder))?;
    let positive: Vec<&Sample> = samples.iter().filter(|s| s.card.is_some()).collect();
    let seen = positive.iter().filter(|s| !s.features.symbols.is_empty()).count();
    eprintln!(
        "{} cards, symbols seen on {seen}; {} others",
        positive.len(),
        samples.len() - positive.len()
    );

    for (held_out, name) in names.iter().enumerate() {
        let heads = Heads::fit(&samples, Some(held_out));
        heads.report(name, samples.iter().filter(|s| s.source == held_out));
    }
    let heads = Heads::fit(&samples, None);
    heads.report("all (fitted on them)", samples.iter());
    print!("{}", heads.source());
    Ok(())
}

fn load(folder: &Path) -> anyhow::Result<(Vec<String>, Vec<Sample>)> {
    let mut names: Vec<String> = std::fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| folder.join(name).join("labels.csv").is_file())
        .collect();
    names.sort();
    let mut jobs = Vec::new();
    for (source, name) in names.iter().enumerate() {
        let table = std::fs::read_to_string(folder.join(name).join("labels.csv"))?;
        for line in table.lines().skip(1).filter(|line| !line.trim().is_empty()) {
            let (file, code) = line.split_once(',').ok_or_else(|| {
                anyhow::anyhow!("{name}/labels.csv: \"{line}\" is not \"file,code\"")
            })?;
            jobs.push((source, folder.join(name).join(file), code.trim().parse::<Card>()?));
        }
    }
    let samples: Vec<Vec<Sample>> = jobs
        .par_iter()
        .enumerate()
        .map(|(i, (source, path, card))| {
            let crop = image::open(path)?.to_rgb8();
            let mut rng = Pcg64Mcg::seed_from_u64(i as u64);
            let crop =
                if crop.height() > crop.width() { image::imageops::rotate90(&crop) } else { crop };
            let crop = unmirrored(crop, *card);
            let plain = augment::card(&crop, false, &mut rng);
            let sum: f32 = plain.white_in_image.iter().sum();
            let step = |c: usize| (plain.white_in_image[c] / sum / 0.015).round() as i32;
            let light = (step(0), step(2));
            let sample = |image: &CardImage, card, unaltered| Sample {
                source: *source,
                card,
                covered: false,
                light,
                unaltered,
                features: Features::of(image, Masks::of_edition(Edition::Classic)),
            };
            let mut out = vec![sample(&plain, Some(*card), None)];
            let hue = (!out[0].features.symbols.is_empty()).then_some(out[0].features.hue);
            for _ in 1..COPIES {
                out.push(sample(&augment::card(&crop, true, &mut rng), Some(*card), hue));
            }
            let number = card.number.index() + 1;
            let image = augment::covered(&crop, number, &mut rng);
            out.push(Sample { covered: true, ..sample(&image, Some(*card), hue) });
            out.push(sample(&augment::no_card(&crop, &mut rng), None, None));
            Ok(out)
        })
        .collect::<anyhow::Result<_>>()?;
    Ok((names, samples.into_iter().flatten().collect()))
}

/// One source holds mirror images, which only squiggles reveal; mirrors them back.
fn unmirrored(crop: image::RgbImage, card: Card) -> image::RgbImage {
    if card.shape != Shape::Squiggle {
        return crop;
    }
    let mirrored = image::imageops::flip_horizontal(&crop);
    let fit = |image: &image::RgbImage| {
        let features =
            Features::of(&rectify::from_crop(image.clone()), Masks::of_edition(Edition::Classic));
        features.symbols.iter().map(|s| s.overlap[Shape::Squiggle.index()]).fold(0.0, f32::max)
    };
    if fit(&mirrored) > fit(&crop) { mirrored } else { crop }
}

/// The fitted models.
struct Heads {
    number: Logit,
    shading: Logit,
    color: Hues,
    shape: Logit,
    card: Logit,
}

impl Heads {
    fn fit(samples: &[Sample], held_out: Option<usize>) -> Self {
        let used = || {
            samples
                .iter()
                .filter(move |s| Some(s.source) != held_out && !s.features.symbols.is_empty())
        };
        let cards = |p: Property| used().filter_map(move |s| s.card.map(|c| (s, c.value(p))));
        // All sources weigh the same in total, however many crops they have.
        let sources = 1 + samples.iter().map(|s| s.source).max().unwrap_or(0);
        let mut counts = vec![0.0; sources];
        for s in used() {
            counts[s.source] += 1.0;
        }
        // Covered cards are rarer on tables than in the samples.
        let weight = |s: &Sample| if s.covered { 0.35 } else { 1.0 } / f64::sqrt(counts[s.source]);
        let hypotheses = |p: Property, rows: fn(&Features) -> Vec<Vec<f32>>| -> Vec<Example> {
            cards(p)
                .map(|(s, value)| Example { rows: rows(&s.features), value, weight: weight(s) })
                .collect()
        };
        let own = |p: Property, row: fn(&Features) -> &[f32]| -> Vec<Example> {
            cards(p)
                .map(|(s, value)| Example {
                    rows: vec![quadratic(row(&s.features))],
                    value,
                    weight: weight(s),
                })
                .collect()
        };
        let is_card: Vec<Example> = used()
            .map(|s| Example {
                rows: vec![quadratic(&s.features.card)],
                value: usize::from(s.card.is_some()),
                weight: weight(s) * if s.card.is_some() { 0.3 } else { 1.0 },
            })
            .collect();
        let sightings: Vec<Sighting> = cards(Property::Color)
            .map(|(s, color)| Sighting {
                source: s.source,
                light: s.light,
                color,
                hue: s.features.hue,
                unaltered: s.unaltered,
            })
            .collect();
        Self {
            number: Logit::fit_shared(&hypotheses(Property::Number, |f| {
                f.number.map(|r| quadratic(&r)).to_vec()
            })),
            shape: Logit::fit_shared(&hypotheses(Property::Shape, |f| {
                f.shape.map(|r| r.to_vec()).to_vec()
            })),
            shading: Logit::fit_own(&own(Property::Shading, |f| &f.shading), 3),
            color: Hues::fit(&sightings),
            card: Logit::fit_own(&is_card, 2),
        }
    }

    fn predict(&self, f: &Features) -> [Vec<f64>; 4] {
        [
            self.number.probabilities(&f.number.map(|r| quadratic(&r))),
            self.shading.probabilities(&[quadratic(&f.shading)]),
            self.color.probabilities(f.hue),
            self.shape.probabilities(&f.shape.map(|r| r.to_vec())),
        ]
    }

    fn report<'a>(&self, name: &str, samples: impl Iterator<Item = &'a Sample>) {
        let (mut right, mut all, mut cards, mut none) = ([0; 4], 0, 0, 0);
        let (mut taken, mut rejected, mut others) = (0, 0, 0);
        let mut log_loss = [0.0; 4];
        let (mut hidden, mut hidden_number, mut hidden_claimed, mut hidden_claimed_right) =
            (0, 0, 0, 0);
        for s in samples {
            let found = !s.features.symbols.is_empty();
            let is_card = found && self.card.probabilities(&[quadratic(&s.features.card)])[1] > 0.5;
            let Some(card) = s.card else {
                others += 1;
                rejected += usize::from(!is_card);
                continue;
            };
            if s.covered {
                let number = self.predict(&s.features)[0].clone();
                let value = card.value(Property::Number);
                let best = (0..3).max_by(|&a, &b| number[a].total_cmp(&number[b])).expect("three");
                hidden += 1;
                hidden_number += usize::from(found && best == value);
                hidden_claimed += usize::from(found && number[best] > 0.8);
                hidden_claimed_right += usize::from(found && number[best] > 0.8 && best == value);
                continue;
            }
            cards += 1;
            taken += usize::from(is_card);
            if !found {
                none += 1;
                continue;
            }
            let mut good = true;
            for (i, (p, values)) in
                Property::ALL.into_iter().zip(self.predict(&s.features)).enumerate()
            {
                let best = (0..3).max_by(|&a, &b| values[a].total_cmp(&values[b])).expect("three");
                right[i] += usize::from(best == card.value(p));
                good &= best == card.value(p);
                log_loss[i] -= values[card.value(p)].max(1e-9).ln();
            }
            all += usize::from(good);
        }
        let share = |n: usize| 100.0 * n as f64 / (cards - none) as f64;
        eprintln!(
            "{name}: {cards} cards, nothing seen on {none}; number {:.2} shading {:.2} colour {:.2} shape {:.2}, all four {:.2} %; \
             log loss {:.3} {:.3} {:.3} {:.3}; taken for cards {:.2} %, others rejected {:.2} %; \
             partly hidden {hidden}: number right {:.1} %, claimed {:.1} %, of these right {:.1} %",
            share(right[0]),
            share(right[1]),
            share(right[2]),
            share(right[3]),
            share(all),
            log_loss[0] / cards as f64,
            log_loss[1] / cards as f64,
            log_loss[2] / cards as f64,
            log_loss[3] / cards as f64,
            100.0 * taken as f64 / cards as f64,
            100.0 * rejected as f64 / f64::max(others as f64, 1.0),
            100.0 * hidden_number as f64 / f64::max(hidden as f64, 1.0),
            100.0 * hidden_claimed as f64 / f64::max(hidden as f64, 1.0),
            100.0 * hidden_claimed_right as f64 / f64::max(hidden_claimed as f64, 1.0),
        );
    }

    fn source(&self) -> String {
        let mut out = String::from(HEADER);
        out += &self.number.source_shared(
            "NUMBER",
            "each number of symbols",
            "quadratic_terms(NUMBER_FEATURES)",
        );
        out += &self.shape.source_shared("SHAPE", "each shape", "SHAPE_FEATURES");
        out += &self.shading.source_own("SHADING", "each shading", "SHADING_FEATURES");
        out += &self.color.source();
        out += &self.card.source_own("CARD", "something else and a card", "CARD_FEATURES");
        out
    }
}

const HEADER: &str = "\
//! Fitted constants; written by `tools/fit_classical.rs`, not by hand.
//!
//! Fitted on labelled, straightened crops of three public sources and on altered copies of them:
//! tomwhite/set-game (Apache-2.0, 2,040 crops), wangtian24/set-solver (MIT, 1,943) and
//! pascualy/setsolver (MIT, 172).

use crate::features::{CARD_FEATURES, NUMBER_FEATURES, SHADING_FEATURES, SHAPE_FEATURES};
use setsight_nets::quadratic_terms;
";
