//! Suites: named series of tables for evaluation, the same for everybody.
//!
//! A suite's seeds start at [`HELD_BACK`], which training never uses.
//!
//! And the tables of `datasets/samples`: a few small pictures of increasing difficulty.

use super::params::{DeckChoice, Kind, Params, all_materials};
use super::{RenderError, Scene, background::Material, render, scenes::HELD_BACK, table::Layout};
use setsight_game::cards::Deck;
use setsight_photo::print::dice::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// Heaps of twenty cards on black, wood and white; strong glare; white on white; 640x480
    Hard,
    /// Violet light, two lamps, pictures drawn on, printed signs, mirrored pictures, other decks
    Wide,
    /// Games on a screen, copied and photographed
    Screens,
}

/// Tables of one kind within a suite.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its folder, and the prefix of its file names.
    pub name: &'static str,
    /// Its number of tables.
    pub count: usize,
    /// The seed of its series.
    pub seed: u64,
    params: Params,
}

impl Suite {
    pub const ALL: [Self; 3] = [Self::Hard, Self::Wide, Self::Screens];

    /// Its name on the command line, and its contents.
    pub fn name_and_help(self) -> (&'static str, &'static str) {
        match self {
            Self::Hard => (
                "hard",
                "Heaps of twenty cards on black, wood and white; strong glare; white on white; 640x480",
            ),
            Self::Wide => (
                "wide",
                "Violet light, two lamps, pictures drawn on, printed signs, mirrored pictures, other decks",
            ),
            Self::Screens => ("screens", "Games on a screen, copied and photographed"),
        }
    }

    pub fn parts(self) -> Vec<Part> {
        match self {
            Self::Hard => hard(),
            Self::Wide => wide(),
            Self::Screens => screens(),
        }
    }
}

impl Part {
    /// Draws one of its tables.
    ///
    /// # Errors
    /// As [`render`].
    pub fn draw(&self, index: usize) -> Result<Scene, RenderError> {
        render(&self.params, self.seed, index as u64)
    }
}

/// Numbers of tables in each part of the hard suite: heaps, with twenty cards, and the others,
/// mostly with twelve.
const HEAPS: usize = 15;
const TABLES: usize = 25;

fn hard() -> Vec<Part> {
    let heap = |name, material| (name, HEAPS, Kind::Heap, vec![(material, 1.0)]);
    let parts = [
        heap("heap-on-black", Material::Black),
        heap("heap-on-wood", Material::Wood),
        heap("heap-on-white", Material::White),
        ("strong-glare", TABLES, Kind::Glare, all_materials()),
        ("white-on-white", TABLES, Kind::White, vec![(Material::White, 1.0)]),
        ("640x480", TABLES, Kind::Plain, all_materials()),
    ];
    let part =
        |(i, (name, count, kind, materials)): (usize, (&'static str, usize, Kind, Vec<_>))| {
            let mut params = usual(kind);
            params.materials = materials;
            match name {
                "strong-glare" => params.glare_strength = Span::new(1.0, 2.4),
                "640x480" => {
                    params.size_px = (640, 480);
                    params.cards = (9, 15);
                    params.noise = Span::new(0.008, 0.025);
                    params.mosaic = 0.5;
                    params.sharpen = Span::new(0.0, 0.8);
                    params.defocus = Span::new(0.0, 0.006);
                    params.jpeg = Span::new(60.0, 88.0);
                }
                _ => {}
            }
            Part { name, count, seed: HELD_BACK + i as u64, params }
        };
    parts.into_iter().enumerate().map(part).collect()
}

/// The parameters of a kind under the conditions shared by all suites.
fn usual(kind: Kind) -> Params {
    Params {
        variety: 1.0,
        // Typical of printed decks.
        outline_mm: Some(Span::new(1.4, 2.4)),
        duty: Some(Span::new(0.2, 0.4)),
        tilt: Span::new(0.0, 0.45),
        roll: Span::new(-0.4, 0.4),
        kelvin: Span::new(2_700.0, 7_500.0),
        jpeg: Span::new(70.0, 95.0),
        ..Params::for_kind(kind)
    }
}

/// The first seed of the wide suite, beyond the hard suite's.
const WIDE: u64 = HELD_BACK + 0x7769_6465;

fn wide() -> Vec<Part> {
    let [classic, rectangles] =
        [Deck::classic(), Deck::rectangles()].map(|deck| vec![(DeckChoice::Known(deck), 1.0)]);
    let invented = vec![(DeckChoice::Invented, 1.0)];
    let parts = [
        ("violet", Kind::Violet, &classic, 0.0),
        ("two-lamps", Kind::TwoLamps, &classic, 0.0),
        ("writing", Kind::Writing, &classic, 0.0),
        ("print", Kind::Print, &classic, 0.0),
        ("mirrored", Kind::Plain, &classic, 1.0),
        ("rectangles", Kind::Plain, &rectangles, 0.0),
        ("rectangles-mirrored", Kind::Plain, &rectangles, 1.0),
        ("unknown-decks", Kind::Plain, &invented, 0.0),
    ];
    let parts = parts.into_iter().zip(WIDE..).map(|((name, kind, decks, mirrored), seed)| {
        let mut params = usual(kind);
        params.decks = decks.clone();
        params.mirrored = mirrored;
        params.materials = all_materials();
        params.layouts = vec![(Layout::Grid, 3.0), (Layout::Scatter, 2.0), (Layout::Overlap, 1.0)];
        if kind == Kind::TwoLamps {
            params.balance = Span::new(0.8, 1.0);
        }
        Part { name, count: TABLES, seed, params }
    });
    parts.collect()
}

/// The first seed of the screens, beyond the wide suite's.
const ON_SCREENS: u64 = HELD_BACK + 0x7363_7265;

fn screens() -> Vec<Part> {
    let parts = [("copied", 0.0), ("photographed", 1.0)].into_iter().zip(ON_SCREENS..);
    let parts = parts.map(|((name, photographed), seed)| {
        let params = Params {
            photographed,
            cards: (9, 18),
            long_side_px: Some(Span::new(60.0, 300.0)),
            ..Params::for_kind(Kind::Screen)
        };
        Part { name, count: 2 * TABLES, seed, params }
    });
    parts.collect()
}

/// A sample: its file name and its parameters.
#[derive(Clone, Debug)]
pub struct Sample {
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
pub fn samples() -> Vec<Sample> {
    vec![
        sample("1-plain-on-wood.jpg", 11, Kind::Wood, |p| p.tilt = Span::only(0.08)),
        sample("2-fifteen-on-felt.jpg", 12, Kind::Plain, |p| {
            p.materials = vec![(Material::Felt, 1.0)];
            p.cards = (15, 15);
            p.tilt = Span::only(0.3);
        }),
        sample("3-lamp-on-black.jpg", 13, Kind::Black, |p| {
            p.kelvin = Span::only(2_900.0);
            p.balance = Span::only(0.72);
            p.falloff = Span::only(0.5);
            p.layouts = vec![(Layout::Scatter, 1.0)];
            p.cards = (9, 9);
        }),
        sample("4-cloth-and-clutter.jpg", 14, Kind::Cloth, |p| {
            p.distractors = (7, 9);
            p.fill = Span::only(0.68);
        }),
        sample("5-white-on-white.jpg", 15, Kind::White, |p| p.tilt = Span::only(0.25)),
        sample("6-flat-angle.jpg", 16, Kind::Perspective, |p| {
            p.tilt = Span::only(0.85);
            p.materials = vec![(Material::Wood, 1.0)];
        }),
        sample("7-hard-shadow-and-glare.jpg", 17, Kind::Shadow, |p| {
            p.glare = 1.0;
            p.glare_strength = Span::only(0.5);
            p.materials = vec![(Material::Wood, 1.0)];
        }),
        // Every symbol must be in view, because a card with hidden symbols could not be identified.
        sample("8-overlap.jpg", 18, Kind::Overlap, |p| {
            p.cards = (14, 14);
            p.symbols_in_view = 1.0;
            p.materials = vec![(Material::Wood, 1.0)];
        }),
    ]
}

fn sample(file: &'static str, seed: u64, kind: Kind, change: fn(&mut Params)) -> Sample {
    let mut params = Params::for_kind(kind);
    params.variety = 0.4;
    params.jpeg = Span::only(88.0);
    params.noise = Span::new(0.003, 0.008);
    change(&mut params);
    Sample { file, seed, params }
}

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_photo::labels::LabelFile;
    use std::path::Path;

    fn has_tag(scene: &Scene, tag: &str) -> bool {
        scene.tags.iter().any(|t| t == tag)
    }

    #[test]
    fn the_hard_suite_is_what_its_name_says() {
        let parts = Suite::Hard.parts();
        assert!(parts.iter().all(|part| part.seed >= HELD_BACK));
        for part in parts {
            let scene = part.draw(0).unwrap();
            let heap = part.name.starts_with("heap");
            assert!(scene.cards.iter().all(|card| card.symbols_in_view >= 0.5));
            if heap {
                assert!(scene.cards.len() >= 18, "{}: {}", part.name, scene.cards.len());
            }
            match part.name {
                "heap-on-black" => {
                    assert!(has_tag(&scene, "heap") && has_tag(&scene, "dark_background"))
                }
                "heap-on-wood" => {
                    assert!(has_tag(&scene, "heap") && has_tag(&scene, "wood_background"))
                }
                "heap-on-white" => {
                    assert!(has_tag(&scene, "heap") && has_tag(&scene, "white_background"))
                }
                "strong-glare" => assert!(has_tag(&scene, "glare")),
                "white-on-white" => assert!(has_tag(&scene, "white_background")),
                "640x480" => assert_eq!(scene.image.dimensions(), (640, 480)),
                other => panic!("{other} is new"),
            }
        }
    }
    #[test]
    fn the_suite_of_screens_is_what_its_names_say() {
        for part in Suite::Screens.parts() {
            assert!(part.seed >= HELD_BACK);
            let scene = part.draw(0).unwrap();
            assert!(has_tag(&scene, "screen") && scene.cards.len() >= 8);
            assert_eq!(has_tag(&scene, "photographed_screen"), part.name == "photographed");
        }
    }
    #[test]
    fn the_wide_suite_is_what_its_names_say() {
        let hard: Vec<u64> = Suite::Hard.parts().iter().map(|part| part.seed).collect();
        for part in Suite::Wide.parts() {
            assert!(part.seed >= HELD_BACK && !hard.contains(&part.seed));
            let scene = part.draw(0).unwrap();
            assert_eq!(scene.mirrored, part.name.ends_with("mirrored"), "{}", part.name);
            assert_eq!(scene.deck.name == "rectangles", part.name.starts_with("rectangles"));
            match part.name {
                "two-lamps" => assert!(has_tag(&scene, "two_lamps")),
                "writing" => assert!(has_tag(&scene, "drawn_on")),
                "print" => assert!(has_tag(&scene, "distractors")),
                "unknown-decks" => {
                    assert!(
                        scene.deck.name.starts_with("invented-") && has_tag(&scene, "other_deck")
                    );
                    assert_ne!(part.draw(1).unwrap().deck.name, scene.deck.name);
                }
                _ => {}
            }
        }
    }

    /// Maximum mean difference of a channel, 0 to 255, between a committed sample and a new
    /// drawing: mathematical functions and JPEG decoders differ slightly between platforms.
    const MEAN_TOLERANCE: f64 = 0.05;

    #[test]
    fn a_sample_is_what_the_command_draws() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/samples");
        let labels = LabelFile::read(&folder).unwrap().photos().unwrap();
        let samples = samples();
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
            assert!(scene.cards.iter().map(|c| c.card).eq(labels[i].cards.iter().map(|c| c.code)));
        }
    }

    #[test]
    fn every_sample_shows_all_of_its_cards() {
        for sample in samples() {
            assert_eq!(sample.params.cards.0, sample.params.cards.1, "{}", sample.file);
        }
    }
}
