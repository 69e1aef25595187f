//! Suites: named series of tables to measure reading on, the same for everybody.
//!
//! A suite's seeds begin at [`HELD_BACK`], from which no training draws.

use super::background::Material;
use super::dice::Span;
use super::params::{Kind, Params, all_materials};
use super::scenes::HELD_BACK;
use super::{RenderError, Scene, render};

/// A suite by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Suite {
    /// Heaps of twenty cards on black, wood and white; strong glare; white on white; 640x480
    Hard,
}

/// Tables of one kind within a suite.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its folder and the beginning of its files' names.
    pub name: &'static str,
    /// How many tables it has.
    pub count: usize,
    /// The seed of its series.
    pub seed: u64,
    params: Params,
}

impl Suite {
    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hard => "hard",
        }
    }

    /// Its parts.
    pub fn parts(self) -> Vec<Part> {
        match self {
            Self::Hard => hard(),
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

/// Tables in each part of the hard suite: heaps, of twenty cards, and the rest, mostly of twelve.
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
            let mut params = Params::of(kind);
            params.materials = materials;
            params.variety = 1.0;
            // As decks have them.
            params.outline_mm = Some(Span::new(1.4, 2.4));
            params.duty = Some(Span::new(0.2, 0.4));
            params.tilt = Span::new(0.0, 0.45);
            params.roll = Span::new(-0.4, 0.4);
            params.kelvin = Span::new(2_700.0, 7_500.0);
            params.jpeg = Span::new(70.0, 95.0);
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

#[cfg(test)]
mod tests {
    use super::*;

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
            let tag = |tag: &str| scene.tags.iter().any(|t| t == tag);
            match part.name {
                "heap-on-black" => assert!(tag("heap") && tag("dark_background")),
                "heap-on-wood" => assert!(tag("heap") && tag("wood_background")),
                "heap-on-white" => assert!(tag("heap") && tag("white_background")),
                "strong-glare" => assert!(tag("glare")),
                "white-on-white" => assert!(tag("white_background")),
                "640x480" => assert_eq!(scene.image.dimensions(), (640, 480)),
                other => panic!("{other} is new"),
            }
        }
    }
}
