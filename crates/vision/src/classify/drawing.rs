//! Measures drawings, which no camera blurs: the meaning of an even tint in symbols.
//!
//! A program draws all of its cards in one way, so fillings have a meaning by comparison: an even tint, with or
//! without an outline, is the middle filling beside symbols full of ink, and the full one, paler than its
//! outline, beside stripes. Beside neither, it may be either.

use crate::card::CardImage;
use crate::probability::rank;
use crate::runs::{ByArea, Run, Runs, extent};
use setsight_game::cards::{Property, Shading};
use std::{iter::StepBy, ops::Range};

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
    let without_rim =
        |from: &Grid<bool>| (0..OUTLINE_PX / 2).fold(from.clone(), |inside, _| inside.eroded());
    let edge = without_rim(symbols);
    let inside = without_rim(&edge);
    let inside = if inside.count() < LEAST_PX { edge.clone() } else { inside };
    if inside.count() < LEAST_PX {
        return None;
    }
    let outline = (0..ink.values.len()).filter(|&at| symbols.values[at] && !edge.values[at]);
    let full = rank(outline.map(|at| ink.values[at]), STRONGEST).max(1.0);
    let filling: Vec<f32> =
        (0..ink.values.len()).filter(|&at| inside.values[at]).map(|at| ink.values[at]).collect();
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
        let stock = [0, 1, 2].map(|c| rank(ring.iter().map(|pixel| f32::from(pixel[c])), 0.5));
        let values = image.pixels.enumerate_pixels().map(|(x, y, pixel)| {
            let off = |c: usize| (f32::from(pixel[c]) - stock[c]).powi(2);
            if to_side(x, y) < RIM_PX { 0.0 } else { (off(0) + off(1) + off(2)).sqrt() }
        });
        (Self { width: width as usize, values: values.collect() }, stock)
    }

    pub(crate) fn rank(&self, part: f64) -> f32 {
        rank(self.values.iter().copied(), part)
    }

    pub(crate) fn map(&self, change: impl Fn(f32) -> bool) -> Grid<bool> {
        let values = self.values.iter().map(|&value| change(value)).collect();
        Grid { width: self.width, values }
    }
}

impl Grid<bool> {
    pub(crate) fn count(&self) -> usize {
        self.values.iter().filter(|set| **set).count()
    }

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
        let (width, height) = (self.width, self.values.len() / self.width);
        let mut closed = self.clone();
        for y in 0..height {
            closed.close(&self.values, (y * width..(y + 1) * width).step_by(1), most_px);
        }
        for x in 0..width {
            closed.close(&self.values, (x..width * height).step_by(width), most_px);
        }
        closed
    }

    /// Closes the gaps of a line in `values`.
    fn close(&mut self, values: &[bool], line: StepBy<Range<usize>>, most_px: usize) {
        let mut gap = Vec::with_capacity(most_px);
        let mut is_open = false;
        for at in line {
            if !values[at] {
                gap.push(at);
                continue;
            }
            if is_open && gap.len() <= most_px {
                gap.iter().for_each(|&at| self.values[at] = true);
            }
            gap.clear();
            is_open = true;
        }
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

    /// Without the pixels at its border.
    pub(crate) fn eroded(&self) -> Self {
        let (width, all) = (self.width, self.values.len());
        let mut eroded = Self { width, values: vec![false; all] };
        for start in (width..all - width).step_by(width) {
            let row = |start: usize| &self.values[start..start + width];
            let inner = &mut eroded.values[start + 1..start + width - 1];
            let near =
                row(start).windows(3).zip(&row(start - width)[1..]).zip(&row(start + width)[1..]);
            for (value, ((row, above), below)) in inner.iter_mut().zip(near) {
                *value = row[0] & row[1] & row[2] & above & below;
            }
        }
        eroded
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
