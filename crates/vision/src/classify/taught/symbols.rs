//! The symbols of a card, cut out inside its white: regions that blank stock encloses, in a row.

use super::face::{Face, HEIGHT, PX_PER_MM, WIDTH, within_margin};
use crate::grid::Grid;
use crate::runs::{Run, extent};
use std::ops::Range;

/// Columns and rows of the piece of a face that holds one symbol, about its middle.
pub const PATCH_WIDTH: usize = 104;
/// Rows of a patch.
pub const PATCH_HEIGHT: usize = 200;

/// One symbol.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    /// Its centre of area, in pixels of the face.
    pub center: (f32, f32),
    /// Its inside with its outline, [`PATCH_WIDTH`] x [`PATCH_HEIGHT`] about the centre.
    pub mask: Vec<bool>,
    /// Ink of the face, the same.
    pub ink: Vec<f32>,
    /// Light of the face, the same.
    pub light: Vec<[f32; 3]>,
}

/// Cuts, as shares of the strongest ink, in the order in which they are tried.
const CUTS: [f32; 4] = [0.42, 0.28, 0.6, 0.18];
/// Ink that is weaker is no print: stains, shade, noise.
const LEAST_INK: f32 = 0.07;
/// Smallest area of a symbol, in square millimetres.
const LEAST_AREA_MM2: f32 = 22.0;

/// The symbols of a card from left to right: one to three alike in a row about its middle; empty
/// where nothing like that is seen.
pub(super) fn cut(face: &Face) -> Vec<Symbol> {
    let inside = (0..WIDTH * HEIGHT).filter(|i| within_margin(i % WIDTH, i / WIDTH));
    let mut inks: Vec<f32> = inside.map(|i| face.ink[i]).collect();
    let rank = inks.len() * 993 / 1000;
    let strongest = *inks.select_nth_unstable_by(rank, f32::total_cmp).1;
    if strongest < 2.0 * LEAST_INK {
        return Vec::new();
    }
    for cut in CUTS {
        let level = (cut * strongest).max(LEAST_INK);
        let regions = enclosed(face, level);
        if let Some(row) = row_of(regions) {
            return row.into_iter().map(|region| region.symbol(face)).collect();
        }
    }
    Vec::new()
}

/// A region of the face, its holes filled.
struct Region {
    runs: Vec<Run>,
    columns: Range<u32>,
    rows: Range<u32>,
    /// How many pixels it has.
    count: u32,
    center: (f32, f32),
}

impl Region {
    fn new(area: &[Run]) -> Self {
        let (columns, rows, count) = extent(area);
        let sum = area.iter().fold((0.0, 0.0), |sum, run| {
            let pixels = f64::from(run.to - run.from);
            let (x, y) = (f64::from(run.from + run.to) / 2.0, f64::from(run.y) + 0.5);
            (sum.0 + pixels * x, sum.1 + pixels * y)
        });
        let [x, y] = [sum.0, sum.1].map(|sum| (sum / f64::from(count)) as f32);
        Self { runs: area.to_vec(), columns, rows, count, center: (x, y) }
    }

    fn area_mm2(&self) -> f32 {
        self.count as f32 / (PX_PER_MM * PX_PER_MM)
    }

    fn symbol(self, face: &Face) -> Symbol {
        let mut inside = Grid { width: WIDTH, values: vec![false; WIDTH * HEIGHT] };
        inside.set(&self.runs, true);
        let (mut mask, mut ink, mut light) = (Vec::new(), Vec::new(), Vec::new());
        let left = (self.center.0 - PATCH_WIDTH as f32 / 2.0).round() as i32;
        let top = (self.center.1 - PATCH_HEIGHT as f32 / 2.0).round() as i32;
        for y in 0..PATCH_HEIGHT as i32 {
            for x in 0..PATCH_WIDTH as i32 {
                let (u, v) = (left + x, top + y);
                let on = (0..WIDTH as i32).contains(&u) && (0..HEIGHT as i32).contains(&v);
                let at = if on { v as usize * WIDTH + u as usize } else { 0 };
                mask.push(on && inside.values[at]);
                ink.push(if on { face.ink[at] } else { 0.0 });
                light.push(if on { face.light[at] } else { [1.0; 3] });
            }
        }
        Symbol { center: self.center, mask, ink, light }
    }
}

/// What the blank stock encloses at a level of ink, clear of the card's border.
fn enclosed(face: &Face, level: f32) -> Vec<Region> {
    let inked = Grid { width: WIDTH, values: face.ink.iter().map(|ink| *ink >= level).collect() };
    // Less is no card's stock.
    let Some(rest) = inked.beside_stock(WIDTH * HEIGHT / 4) else { return Vec::new() };
    let is_within =
        |range: &Range<u32>, size: usize| range.start > 3 && range.end as usize + 3 < size;
    let mut regions = Vec::new();
    for area in rest.areas() {
        let region = Region::new(area);
        let within_sides = is_within(&region.columns, WIDTH);
        let is_symbol = is_within(&region.rows, HEIGHT) && region.area_mm2() >= LEAST_AREA_MM2;
        // A symbol on the card's short side: the outline is beside its card, and further ones may be
        // beyond it.
        if is_symbol && !within_sides && region.rows.len() > HEIGHT / 5 + 1 {
            return Vec::new();
        }
        if is_symbol && within_sides {
            regions.push(region);
        }
    }
    regions
}

/// The regions that form a row of symbols, or `None`.
fn row_of(mut regions: Vec<Region>) -> Option<Vec<Region>> {
    let largest = regions.iter().map(|region| region.count).max()?;
    regions.retain(|region| region.count > largest / 3);
    regions.sort_by(|a, b| a.center.0.total_cmp(&b.center.0));
    let smallest = regions.iter().map(|region| region.count).min()?;
    let fits = regions.iter().all(|region| {
        region.columns.len() < PATCH_WIDTH - 4 && region.rows.len() < PATCH_HEIGHT - 4
    });
    if regions.len() > 3 || !fits || (smallest as f32) < 0.72 * largest as f32 {
        return None;
    }
    // In one line, evenly, about the middle of the card.
    let n = regions.len() as f32;
    let mean_x = regions.iter().map(|region| region.center.0).sum::<f32>() / n;
    let mean_y = regions.iter().map(|region| region.center.1).sum::<f32>() / n;
    let off_middle = (mean_x - WIDTH as f32 / 2.0).abs() / PX_PER_MM;
    let off_line = (mean_y - HEIGHT as f32 / 2.0).abs() / PX_PER_MM;
    let level = regions.iter().all(|r| (r.center.1 - mean_y).abs() < 2.0 * PX_PER_MM);
    let gaps: Vec<f32> = regions.windows(2).map(|w| w[1].center.0 - w[0].center.0).collect();
    let apart = gaps.iter().all(|gap| (0.17..0.36).contains(&(gap / WIDTH as f32)));
    let even = gaps.len() < 2 || (gaps[0] - gaps[1]).abs() < 2.5 * PX_PER_MM;
    (off_middle < 6.0 && off_line < 8.0 && level && apart && even).then_some(regions)
}
