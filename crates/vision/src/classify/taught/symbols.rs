//! The symbols of a card, cut out inside its white: regions that blank stock encloses, in a row.

use super::face::{Face, HEIGHT, PX_PER_MM, WIDTH, within_margin};

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
    pixels: Vec<u32>,
    center: (f32, f32),
    /// Left, top, right, bottom.
    bounds: [usize; 4],
}

impl Region {
    fn area_mm2(&self) -> f32 {
        self.pixels.len() as f32 / (PX_PER_MM * PX_PER_MM)
    }

    fn symbol(self, face: &Face) -> Symbol {
        let mut is_inside = vec![false; WIDTH * HEIGHT];
        self.pixels.iter().for_each(|&i| is_inside[i as usize] = true);
        let (mut mask, mut ink, mut light) = (Vec::new(), Vec::new(), Vec::new());
        let left = (self.center.0 - PATCH_WIDTH as f32 / 2.0).round() as i32;
        let top = (self.center.1 - PATCH_HEIGHT as f32 / 2.0).round() as i32;
        for y in 0..PATCH_HEIGHT as i32 {
            for x in 0..PATCH_WIDTH as i32 {
                let (u, v) = (left + x, top + y);
                let on = (0..WIDTH as i32).contains(&u) && (0..HEIGHT as i32).contains(&v);
                let at = if on { v as usize * WIDTH + u as usize } else { 0 };
                mask.push(on && is_inside[at]);
                ink.push(if on { face.ink[at] } else { 0.0 });
                light.push(if on { face.light[at] } else { [1.0; 3] });
            }
        }
        Symbol { center: self.center, mask, ink, light }
    }
}

/// Neighbours by an edge.
fn neighbours(i: usize) -> impl Iterator<Item = usize> {
    let (x, y) = (i % WIDTH, i / WIDTH);
    let left = (x > 0).then(|| i - 1);
    let right = (x + 1 < WIDTH).then_some(i + 1);
    let up = (y > 0).then(|| i.wrapping_sub(WIDTH));
    let down = (y + 1 < HEIGHT).then_some(i + WIDTH);
    [left, right, up, down].into_iter().flatten()
}

/// Labels the region of equal `kind` around a pixel and gives its pixels.
fn flood(start: usize, visited: &mut [bool], belongs: &dyn Fn(usize) -> bool) -> Vec<u32> {
    let mut pixels = vec![start as u32];
    visited[start] = true;
    let mut next = 0;
    while next < pixels.len() {
        for i in neighbours(pixels[next] as usize) {
            if !visited[i] && belongs(i) {
                visited[i] = true;
                pixels.push(i as u32);
            }
        }
        next += 1;
    }
    pixels
}

/// What the blank stock encloses at a level of ink, clear of the card's border.
fn enclosed(face: &Face, level: f32) -> Vec<Region> {
    let inked: Vec<bool> = face.ink.iter().map(|ink| *ink >= level).collect();
    let mut visited = vec![false; inked.len()];
    let mut stock: Vec<u32> = Vec::new();
    for start in 0..inked.len() {
        if !visited[start] && !inked[start] {
            let region = flood(start, &mut visited, &|i| !inked[i]);
            if region.len() > stock.len() {
                stock = region;
            }
        }
    }
    // Less is no card's stock.
    if stock.len() < inked.len() / 4 {
        return Vec::new();
    }
    let mut visited = vec![false; inked.len()];
    stock.iter().for_each(|&i| visited[i as usize] = true);
    let mut regions = Vec::new();
    for start in 0..inked.len() {
        if visited[start] {
            continue;
        }
        // Visited pixels are stock or another region, so that all that is left belongs.
        let pixels = flood(start, &mut visited, &|_| true);
        let (mut sum, mut bounds) = ((0.0, 0.0), [WIDTH, HEIGHT, 0, 0]);
        for &i in &pixels {
            let (x, y) = (i as usize % WIDTH, i as usize / WIDTH);
            sum.0 += x as f64 + 0.5;
            sum.1 += y as f64 + 0.5;
            bounds = [bounds[0].min(x), bounds[1].min(y), bounds[2].max(x), bounds[3].max(y)];
        }
        let n = pixels.len() as f64;
        let center = ((sum.0 / n) as f32, (sum.1 / n) as f32);
        let region = Region { pixels, center, bounds };
        let [l, t, r, b] = region.bounds;
        let (within_sides, within_ends) = (l > 3 && r + 4 < WIDTH, t > 3 && b + 4 < HEIGHT);
        // A symbol on the card's short side: the outline is beside its card, and further ones may be
        // beyond it.
        if within_ends && !within_sides && b - t > HEIGHT / 5 && region.area_mm2() >= LEAST_AREA_MM2
        {
            return Vec::new();
        }
        if within_ends && within_sides && region.area_mm2() >= LEAST_AREA_MM2 {
            regions.push(region);
        }
    }
    regions
}

/// The regions that form a row of symbols, or `None`.
fn row_of(mut regions: Vec<Region>) -> Option<Vec<Region>> {
    let largest = regions.iter().map(|region| region.pixels.len()).max()?;
    regions.retain(|region| region.pixels.len() > largest / 3);
    regions.sort_by(|a, b| a.center.0.total_cmp(&b.center.0));
    let smallest = regions.iter().map(|region| region.pixels.len()).min()?;
    let fits = regions.iter().all(|region| {
        let (width, height) = size_px(region);
        width < PATCH_WIDTH - 4 && height < PATCH_HEIGHT - 4
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

fn size_px(region: &Region) -> (usize, usize) {
    let [l, t, r, b] = region.bounds;
    (r + 1 - l, b + 1 - t)
}
