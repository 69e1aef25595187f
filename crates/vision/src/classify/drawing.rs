//! Measures drawings, which no camera blurs: the meaning of an even tint in symbols.
//!
//! A program draws all of its cards in one way, so fillings have a meaning by comparison: an even tint, with or
//! without an outline, is the middle filling beside symbols full of ink, and the full one, paler than its
//! outline, beside stripes. Beside neither, it may be either.

use crate::card::CardImage;
use crate::probability::rank;
use crate::runs::{ByArea, Run, Runs, extent};
use setsight_game::cards::{Property, Shading};
use std::ops::RangeInclusive;

/// The measurements of a card. `None` where unclear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drawing {
    /// Index of the shading, for an even tint; what else there is shows by itself what it is.
    pub shading: Option<usize>,
}

impl Drawing {
    /// The index of the value of a property, if it was measured.
    pub fn value(&self, property: Property) -> Option<usize> {
        match property {
            Property::Shading => self.shading,
            _ => None,
        }
    }
}

/// Measures all cards of a drawn table.
pub(crate) fn measure(images: &[CardImage]) -> Vec<Drawing> {
    let symbols: Vec<Option<Symbols>> = images.iter().map(Symbols::measure).collect();
    shadings(&fills(&symbols)).into_iter().map(|shading| Drawing { shading }).collect()
}

/// The filling of each card. A symbol without an outline has nothing by itself to be compared with: its ink
/// counts as a part of the strongest of the table that has the same colour.
fn fills(symbols: &[Option<Symbols>]) -> Vec<Option<Fill>> {
    let fills = symbols.iter().map(|card| {
        let card = card.as_ref()?;
        let alike = symbols.iter().flatten().filter(|other| card.ink.is_as(&other.ink));
        let strongest = alike.map(|other| other.ink.levels).fold(1.0, f32::max);
        card.fill.map(|fill| fill.times(card.ink.levels / strongest))
    });
    fills.collect()
}

/// The symbols of a card.
struct Symbols {
    fill: Option<Fill>,
    ink: Ink,
}

/// The strongest ink of a card.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ink {
    /// By how much it differs from the stock, in levels.
    levels: f32,
    /// In which direction: a unit vector of R, G, B.
    direction: [f32; 3],
}

impl Ink {
    /// Whether another one has the same colour, however pale.
    fn is_as(&self, other: &Self) -> bool {
        /// Least cosine of the angle between two pictures of one ink.
        const SAME: f32 = 0.98;
        self.direction.iter().zip(other.direction).map(|(a, b)| a * b).sum::<f32>() > SAME
    }
}

/// The filling of symbols, by the ink well inside their outlines.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fill {
    /// Its mean, as a part of the outline's.
    level: f32,
    /// Its standard deviation, in the same unit.
    texture: f32,
}

impl Fill {
    /// Some programs tint open symbols, up to this.
    const TINT: f32 = 0.3;
    /// From here on an even filling is full, or hardly differs from it.
    const STRONG: f32 = 0.8;
    /// Up to here a filling is even.
    const EVEN: f32 = 0.1;
    /// From here on there are stripes or dots.
    const TEXTURED: f32 = 0.2;
    /// Least distance between two tints of one table.
    const APART: f32 = 0.15;
    /// Fewer cards with stripes may be errors.
    const LEAST_TEXTURED: usize = 2;

    /// The same in relation to a stronger ink; its own is this part of that.
    fn times(self, part: f32) -> Self {
        Self { level: part * self.level, texture: part * self.texture }
    }

    fn is_even(&self) -> bool {
        self.level >= Self::TINT && self.texture < Self::EVEN
    }

    fn is_tint(&self) -> bool {
        self.is_even() && self.level < Self::STRONG
    }

    fn is_textured(&self) -> bool {
        (Self::TINT..Self::STRONG).contains(&self.level) && self.texture >= Self::TEXTURED
    }
}

/// The index of the shading of each tint of a table; `None` if it may be either. What else there is shows by
/// itself what it is.
fn shadings(fills: &[Option<Fill>]) -> Vec<Option<usize>> {
    let clear = || fills.iter().flatten();
    let has_texture = clear().filter(|fill| fill.is_textured()).count() >= Fill::LEAST_TEXTURED;
    let levels = || clear().filter(|fill| fill.is_even()).map(|fill| fill.level);
    let (palest, strongest) = (levels().fold(f32::MAX, f32::min), levels().fold(0.0, f32::max));
    // Of two even fillings the paler is the middle one.
    let has_two = strongest - palest >= Fill::APART;
    let between = (palest + strongest) / 2.0;
    let has_full = strongest >= Fill::STRONG;
    let shadings = fills.iter().map(|fill| {
        let tint = fill.filter(Fill::is_tint)?;
        match (has_texture && !has_full, has_two) {
            (true, _) => Some(Shading::Filled.index()),
            (false, true) if tint.level > between => Some(Shading::Filled.index()),
            (false, true) => Some(Shading::Striped.index()),
            (false, false) => None,
        }
    });
    shadings.collect()
}

impl Symbols {
    /// Measures a card; `None` if it has nothing on it.
    fn measure(image: &CardImage) -> Option<Self> {
        /// Part of the full ink from which a pixel is inked.
        const INKED: f32 = 0.4;
        /// Least difference of the ink from the stock, in levels.
        const LEAST_INK: f32 = 20.0;
        /// Smallest symbol, as a part of the card.
        const LEAST_PART: f32 = 0.008;
        /// From this part of the full ink on, a pixel shows its colour.
        const STRONG: f32 = 0.75;
        let (ink, stock) = Grid::ink_of(image);
        let full = ink.rank(0.995);
        if full < LEAST_INK {
            return None;
        }
        let inked = ink.map(|ink| ink > INKED * full);
        let solid = inked.without_holes();
        let parts = solid.parts();
        let least = LEAST_PART * ink.values.len() as f32;
        let symbols: Vec<Part> =
            parts.into_iter().filter(|part| part.count as f32 >= least).collect();
        let symbols = solid.of_parts(&symbols);
        let mut color = [0.0f32; 3];
        for (pixel, ink_levels) in image.pixels.pixels().zip(&ink.values) {
            if *ink_levels > STRONG * full {
                (0..3).for_each(|c| color[c] += f32::from(pixel[c]) - stock[c]);
            }
        }
        let length = color.iter().map(|v| v * v).sum::<f32>().sqrt().max(1.0);
        let strongest = Ink { levels: full, direction: color.map(|v| v / length) };
        Some(Self { fill: fill(&ink, &symbols), ink: strongest })
    }
}

/// The ink inside symbols; `None` if they are too small to have an inside.
fn fill(ink: &Grid<f32>, symbols: &Grid<bool>) -> Option<Fill> {
    /// Width of an outline with its soft edge, in pixels.
    const OUTLINE_PX: usize = 6;
    /// Fewest pixels that show a filling.
    const LEAST_PX: usize = 60;
    /// The ink of the outline is measured where it is strongest.
    const STRONGEST: f64 = 0.85;
    let depths = symbols.depths();
    let deeper = |px: usize| depths.values.iter().filter(|&&depth| usize::from(depth) > px).count();
    let edge_px = OUTLINE_PX / 2;
    let rim_px = if deeper(OUTLINE_PX) < LEAST_PX { edge_px } else { OUTLINE_PX };
    if deeper(rim_px) < LEAST_PX {
        return None;
    }
    let within = |range: RangeInclusive<usize>| {
        let levels = ink.values.iter().zip(&depths.values);
        let inside = levels.filter(move |(_, depth)| range.contains(&usize::from(**depth)));
        inside.map(|(level, _)| *level)
    };
    let full = rank(within(1..=edge_px), STRONGEST).max(1.0);
    let filling: Vec<f32> = within(rim_px + 1..=usize::MAX).collect();
    let count = filling.len() as f32;
    let mean = filling.iter().sum::<f32>() / count;
    let variance = filling.iter().map(|ink| (ink - mean).powi(2)).sum::<f32>() / count;
    Some(Fill { level: mean / full, texture: variance.sqrt() / full })
}

/// A value for each pixel of a card, row by row.
#[derive(Clone)]
pub(crate) struct Grid<T> {
    pub width: usize,
    pub values: Vec<T>,
}

/// A connected part of a mask.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Its first pixel, row by row.
    pub start: usize,
    pub count: usize,
    pub left: usize,
    pub top: usize,
    pub width: usize,
    pub height: usize,
}

impl Grid<f32> {
    /// By how much each pixel differs from the stock, in levels, and the stock's R, G, B. The rim, where the
    /// table may show, counts as stock.
    pub(crate) fn ink_of(image: &CardImage) -> (Self, [f32; 3]) {
        const RIM_PX: u32 = 8;
        const RING_PX: u32 = 6;
        let (width, height) = image.pixels.dimensions();
        let to_side = |x: u32, y: u32| x.min(y).min(width - 1 - x).min(height - 1 - y);
        let pixels = image.pixels.enumerate_pixels();
        let ring: Vec<_> = pixels
            .filter(|(x, y, _)| (RIM_PX..RIM_PX + RING_PX).contains(&to_side(*x, *y)))
            .map(|(.., pixel)| pixel.0)
            .collect();
        let stock =
            [0, 1, 2].map(|c| rank_of_levels(ring.iter().map(|pixel| f32::from(pixel[c])), 0.5));
        let (rim, width) = (RIM_PX as usize, width as usize);
        let mut values = vec![0.0; width * height as usize];
        let rows =
            values.chunks_exact_mut(width).zip(image.pixels.as_raw().chunks_exact(3 * width));
        for (row, pixels) in rows.take(height as usize - rim).skip(rim) {
            let pixels = &pixels.as_chunks::<3>().0[rim..width - rim];
            for (value, pixel) in row[rim..].iter_mut().zip(pixels) {
                let off = |c: usize| (f32::from(pixel[c]) - stock[c]).powi(2);
                *value = (off(0) + off(1) + off(2)).sqrt();
            }
        }
        (Self { width, values }, stock)
    }

    pub(crate) fn rank(&self, part: f64) -> f32 {
        rank_of_levels(self.values.iter().copied(), part)
    }

    pub(crate) fn map(&self, change: impl Fn(f32) -> bool) -> Grid<bool> {
        let values = self.values.iter().map(|&value| change(value)).collect();
        Grid { width: self.width, values }
    }
}

/// [`rank`] of many levels, 0 to the length of (255, 255, 255): those with one integer part are few.
fn rank_of_levels(levels: impl ExactSizeIterator<Item = f32> + Clone, part: f64) -> f32 {
    let mut at = (part * levels.len().saturating_sub(1) as f64).round() as usize;
    let mut counts = [0; 442];
    levels.clone().for_each(|level| counts[level as usize] += 1);
    let mut integer = 0;
    while at >= counts[integer] && integer + 1 < counts.len() {
        at -= counts[integer];
        integer += 1;
    }
    let mut same: Vec<f32> = levels.filter(|level| *level as usize == integer).collect();
    same.sort_unstable_by(f32::total_cmp);
    same.get(at).copied().unwrap_or_default()
}

impl Grid<bool> {
    /// The connected areas of what is set, or of what is not.
    pub(crate) fn areas(&self, set: bool) -> ByArea {
        let mut runs = Runs::default();
        for (y, row) in self.values.chunks_exact(self.width).enumerate() {
            runs.start_row();
            let mut to = 0;
            for run in row.chunk_by(|a, b| a == b) {
                let from = to;
                to += run.len();
                if run[0] == set {
                    runs.add(y as u32, from as u32..to as u32, |_| true);
                }
            }
        }
        runs.by_area()
    }

    /// With all that is enclosed.
    pub(crate) fn without_holes(&self) -> Self {
        let (width, height) = (self.width as u32, (self.values.len() / self.width) as u32);
        let mut filled = self.clone();
        for area in self.areas(false).areas() {
            let (columns, rows, _) = extent(area);
            if columns.start > 0 && columns.end < width && rows.start > 0 && rows.end < height {
                filled.set(area, true);
            }
        }
        filled
    }

    /// With the gaps of at most so many pixels in rows and in columns: a closing by lines.
    pub(crate) fn closed(&self, most_px: usize) -> Self {
        let mut closed = self.clone();
        if most_px == 0 {
            return closed;
        }
        // For each column the first place that may begin a gap there: the one below what was set last.
        let mut open: Vec<Option<usize>> = vec![None; self.width];
        for (row, values) in self.values.chunks_exact(self.width).enumerate() {
            let start = row * self.width;
            let mut left = None;
            for (x, open) in open.iter_mut().enumerate().filter(|(x, _)| values[*x]) {
                let at = start + x;
                if let Some(from) = left.filter(|from| at - from <= most_px) {
                    closed.values[from..at].fill(true);
                }
                if let Some(from) = open.filter(|from| (at - from) / self.width <= most_px) {
                    (from..at).step_by(self.width).for_each(|at| closed.values[at] = true);
                }
                (left, *open) = (Some(at + 1), Some(at + self.width));
            }
        }
        closed
    }

    pub(crate) fn set(&mut self, area: &[Run], to: bool) {
        area.iter().for_each(|run| self.values[run.pixels(self.width)].fill(to));
    }

    pub(crate) fn parts(&self) -> Vec<Part> {
        let areas = self.areas(true);
        let parts = areas.areas().map(|area| {
            let (columns, rows, count) = extent(area);
            Part {
                start: area[0].pixels(self.width).start,
                count: count as usize,
                left: columns.start as usize,
                top: rows.start as usize,
                width: columns.len(),
                height: rows.len(),
            }
        });
        parts.collect()
    }

    /// With these parts alone.
    pub(crate) fn of_parts(&self, parts: &[Part]) -> Self {
        let mut chosen = Self { width: self.width, values: vec![false; self.values.len()] };
        for area in self.areas(true).areas() {
            let start = area[0].pixels(self.width).start;
            if parts.iter().any(|part| part.start == start) {
                chosen.set(area, true);
            }
        }
        chosen
    }

    /// Between two columns.
    pub(crate) fn between(mut self, left: usize, right: usize) -> Self {
        for row in self.values.chunks_exact_mut(self.width) {
            row[..left].fill(false);
            row[right..].fill(false);
        }
        self
    }

    /// How deep within what is set each pixel lies: its distance from the nearest one that is not, in steps along
    /// rows and columns. Beyond the grid nothing is set.
    ///
    /// In two passes (Rosenfeld, Pfaltz: Sequential Operations in Digital Picture Processing, 1966).
    pub(crate) fn depths(&self) -> Grid<u16> {
        let (width, all) = (self.width, self.values.len());
        let mut depths: Vec<u16> =
            self.values.iter().map(|&set| u16::from(set) * u16::MAX).collect();
        for at in 0..all {
            let left = if at % width == 0 { 0 } else { depths[at - 1] };
            let above = at.checked_sub(width).map_or(0, |above| depths[above]);
            depths[at] = depths[at].min(left.min(above).saturating_add(1));
        }
        for at in (0..all).rev() {
            let right = if at % width == width - 1 { 0 } else { depths[at + 1] };
            let below = depths.get(at + width).copied().unwrap_or(0);
            depths[at] = depths[at].min(right.min(below).saturating_add(1));
        }
        Grid { width, values: depths }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::{CARD_LONG_PX, CARD_SHORT_PX};
    use image::{Rgb, RgbImage};

    /// How symbols are drawn: their inside at (x, y).
    type Inside = fn(u32, u32) -> Rgb<u8>;
    const INK: Rgb<u8> = Rgb([200, 30, 40]);
    const TINT: Rgb<u8> = Rgb([230, 150, 155]);
    const STOCK: Rgb<u8> = Rgb([230, 230, 230]);

    /// Boxes with an outline, with their left sides at `places`.
    fn card(places: &[u32], inside: Inside) -> CardImage {
        outlined(places, INK, inside)
    }

    fn outlined(places: &[u32], outline: Rgb<u8>, inside: Inside) -> CardImage {
        let mut pixels = RgbImage::from_pixel(CARD_LONG_PX, CARD_SHORT_PX, STOCK);
        for &left in places {
            for y in 24..104 {
                for x in 0..34 {
                    let is_outline = x < 4 || y < 28 || x >= 30 || y >= 100;
                    pixels.put_pixel(left + x, y, if is_outline { outline } else { inside(x, y) });
                }
            }
        }
        CardImage {
            pixels,
            white_in_image: [255.0; 3],
            light_cast: 0.0,
            long_side_in_image_px: 192.0,
        }
    }

    const EMPTY: Inside = |_, _| STOCK;
    const FULL: Inside = |_, _| INK;
    const PALE: Inside = |_, _| TINT;
    const STRIPES: Inside = |_, y| if y / 4 % 2 == 0 { INK } else { STOCK };

    #[test]
    fn a_tint_means_what_it_does_in_comparison() {
        let is = |shading: Shading| Some(shading.index());
        let by_itself = None;
        assert_eq!(shadings_of(&[EMPTY, FULL, STRIPES]), [by_itself; 3]);
        // Full ink settles it, whatever else there is.
        assert_eq!(shadings_of(&[PALE, FULL, STRIPES, STRIPES])[0], is(Shading::Striped));
        let with_stripes = shadings_of(&[PALE, STRIPES, STRIPES]);
        assert_eq!(with_stripes, [is(Shading::Filled), by_itself, by_itself]);
        assert_eq!(shadings_of(&[PALE, FULL]), [is(Shading::Striped), by_itself]);
        assert_eq!(shadings_of(&[PALE, EMPTY]), [by_itself; 2]);
    }

    fn shadings_of(insides: &[Inside]) -> Vec<Option<usize>> {
        let images: Vec<CardImage> =
            insides.iter().map(|&inside| card(&[20, 79], inside)).collect();
        measure(&images).iter().map(|m| m.shading).collect()
    }

    #[test]
    fn a_tint_without_an_outline_is_pale_next_to_full_ink() {
        let bare = || outlined(&[20, 79], TINT, PALE);
        let shading = |images: &[CardImage]| measure(images)[0].shading;
        assert_eq!(shading(&[bare(), card(&[20, 79], FULL)]), Some(Shading::Striped.index()));
        assert_eq!(shading(&[bare(), bare()]), None);
    }
}
