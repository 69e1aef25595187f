//! Finds the cards that a program has drawn: upright panels of one flat colour and of one size, with
//! something on them.
//!
//! The network was trained on photos. On a drawing it takes a striped symbol for a card, or overlooks
//! grey cards on black, where the panels themselves are exact to the pixel.

use crate::probability::rank;
use crate::runs::{ByArea, Run, Runs, extent};
use image::{Rgb, RgbImage};
use setsight_photo::geometry::{Point, Quad, bounding_box};
use setsight_photo::numeric::median;
use std::{
    borrow::Cow,
    ops::{Range, RangeInclusive},
};

/// Criteria of a flat area.
#[derive(Clone, Copy)]
struct Flat {
    /// Greatest step between neighbouring pixels, in levels.
    most: u8,
    /// Whether a pixel beside a greater step belongs to no area, so that soft edges join none. The stock of small
    /// cards may be a pixel wide beside their symbols, and then all of it is beside a step.
    has_rims: bool,
}

/// Of drawings, and of those that were stored as JPEG.
const FLAT: [Flat; 4] = [
    Flat { most: EXACT, has_rims: true },
    Flat { most: 6, has_rims: true },
    Flat { most: EXACT, has_rims: false },
    Flat { most: 6, has_rims: false },
];
/// The step within an area that no JPEG has spoilt.
const EXACT: u8 = 1;
/// Fewer panels of one size may be chance.
const LEAST_ALIKE: usize = 3;
/// The shortest side of a panel.
const SMALLEST_PX: u32 = 8;

/// The panels, in pixels of the picture; none where few neighbours are of one colour, as in photos.
pub(crate) fn panels(picture: &RgbImage) -> Vec<Quad> {
    /// Longest side that is looked at, in pixels.
    const MOST_PX: u32 = 1600;
    /// Below this, areas that are flat but for JPEG are as likely those of a photo.
    const EVEN_AS_JPEG: f32 = 0.8;
    if !is_drawing(picture) {
        return Vec::new();
    }
    let even = alike_within(picture, 1);
    let step = picture.width().max(picture.height()).div_ceil(MOST_PX).max(1);
    let (width, height) = (picture.width() / step, picture.height() / step);
    if width.min(height) < SMALLEST_PX {
        return Vec::new();
    }
    let every = |x: u32, y: u32| *picture.get_pixel(x * step, y * step);
    let pixels = match step {
        1 => Cow::Borrowed(picture),
        _ => Cow::Owned(RgbImage::from_fn(width, height, every)),
    };
    let steps = Steps::measure(&pixels);
    let ways = FLAT.iter().filter(|flat| flat.most == EXACT || even >= EVEN_AS_JPEG);
    let found = ways.map(|&flat| {
        let areas = steps.areas(flat);
        alike(areas.areas().filter_map(|area| Panel::detect(area, &pixels, flat)).collect())
    });
    let most = found.rev().max_by_key(Vec::len).unwrap_or_default();
    let step = f64::from(step);
    most.into_iter().map(|panel| panel.quad().map(|p| p * step)).collect()
}

/// A flat area that fills a rectangle except for the drawing on it.
#[derive(Clone, Debug)]
struct Panel {
    /// The first pixel and the one after the last, x and y.
    from: [u32; 2],
    to: [u32; 2],
    color: Rgb<u8>,
}

impl Panel {
    /// The panel of a flat area.
    fn detect(area: &[Run], pixels: &RgbImage, flat: Flat) -> Option<Self> {
        /// Part of a panel that has its very colour.
        const EVEN_PART: f64 = 0.95;
        if !is_panel(area) {
            return None;
        }
        let (columns, rows, count) = extent(area);
        let width = pixels.width() as usize;
        let all = pixels.as_raw().as_chunks::<3>().0;
        let mut sum = [0u64; 3];
        for pixel in area.iter().flat_map(|run| &all[run.pixels(width)]) {
            sum.iter_mut().zip(pixel).for_each(|(sum, &level)| *sum += u64::from(level));
        }
        let color = Rgb(sum.map(|sum| (sum / u64::from(count)) as u8));
        // Light makes a slope on the stock of a photo, however smooth it is.
        let is_near = |pixel: &&[u8; 3]| off(color, Rgb(**pixel)) <= flat.most + 1;
        let even = area.iter().map(|run| all[run.pixels(width)].iter().filter(is_near).count());
        let is_even = even.sum::<usize>() as f64 >= EVEN_PART * f64::from(count);
        let panel = Self { from: [columns.start, rows.start], to: [columns.end, rows.end], color };
        (is_even && panel.has_ink(pixels)).then(|| panel.up_to_its_edges(pixels, flat))
    }

    fn size(&self) -> [f64; 2] {
        [0, 1].map(|axis| f64::from(self.to[axis] - self.from[axis]))
    }

    /// Whether the sizes differ by this part of a side, or by the softness of an edge.
    fn has_size_of(&self, other: &Self, part: f64) -> bool {
        const SOFT_PX: f64 = 2.0;
        let mut sides = self.size().into_iter().zip(other.size());
        sides.all(|(a, b)| (a - b).abs() <= (part * a.max(b)).max(SOFT_PX))
    }

    fn has_color_of(&self, other: &Self) -> bool {
        const LEVELS: u8 = 3;
        off(self.color, other.color) <= LEVELS
    }

    fn holds_center_of(&self, other: &Self) -> bool {
        let inside = |axis: usize| {
            let middle = (other.from[axis] + other.to[axis]) / 2;
            (self.from[axis]..self.to[axis]).contains(&middle)
        };
        inside(0) && inside(1)
    }

    /// Whether something is drawn on it. Patterns of a table are fainter.
    fn has_ink(&self, pixels: &RgbImage) -> bool {
        const STRONG: u8 = 40;
        const LEAST: f64 = 0.005;
        let [left, right] = [self.from[0], self.to[0]].map(|x| x as usize);
        let rows = pixels.as_raw().chunks_exact(3 * pixels.width() as usize);
        let rows = rows.take(self.to[1] as usize).skip(self.from[1] as usize);
        let is_strong = |pixel: &&[u8; 3]| off(self.color, Rgb(**pixel)) >= STRONG;
        let strong = rows.map(|row| {
            row[3 * left..3 * right].as_chunks::<3>().0.iter().filter(is_strong).count()
        });
        let [width, height] = self.size();
        strong.sum::<usize>() as f64 >= LEAST * (width * height)
    }

    /// With its edges where the stock's colour ends: beside a soft edge no pixel is flat, and JPEG spoils the
    /// blocks of 8 x 8 pixels through which an edge goes.
    fn up_to_its_edges(self, pixels: &RgbImage, flat: Flat) -> Self {
        let mut extended = self.clone();
        for axis in [0, 1] {
            extended.from[axis] -= self.beyond(pixels, flat, axis, -1).min(self.from[axis]);
            extended.to[axis] += self.beyond(pixels, flat, axis, 1);
        }
        extended
    }

    /// How many pixels of stock lie beyond a side: as long as most of what a line crosses is nearer to the stock
    /// than half of what differs further out.
    fn beyond(&self, pixels: &RgbImage, flat: Flat, axis: usize, way: i64) -> u32 {
        const BLOCK_PX: i64 = 8;
        const FURTHER_PX: i64 = 11;
        const LIKE_STOCK: u8 = 12;
        const MOST_OF_IT: f64 = 0.8;
        let rim = u32::from(flat.has_rims);
        let across = 1 - axis;
        // Corners may be round.
        let inset = (self.to[across] - self.from[across]) * 15 / 100;
        let side = if way < 0 { i64::from(self.from[axis]) } else { i64::from(self.to[axis]) - 1 };
        let line = self.from[across] + inset..self.to[across] - inset;
        let offs = |step: i64| {
            let at = u32::try_from(side + way * step).ok()?;
            self.offs_along(pixels, axis, at, line.clone())
        };
        let Some(further) = offs(FURTHER_PX) else { return rim };
        let most = LIKE_STOCK.min(rank(further.into_iter(), 0.5) / 2);
        if most < 2 {
            return rim;
        }
        let is_stock = |offs: Vec<u8>| {
            let alike = offs.iter().filter(|&&off| off <= most).count();
            alike > (offs.len() as f64 * MOST_OF_IT) as usize
        };
        (1..=BLOCK_PX).take_while(|step| offs(*step).is_some_and(is_stock)).count() as u32
    }

    /// By how much the pixels of a line across `axis` differ from the stock; `None` if the picture ends before.
    fn offs_along(
        &self,
        pixels: &RgbImage,
        axis: usize,
        at: u32,
        line: Range<u32>,
    ) -> Option<Vec<u8>> {
        let offs = line.map(|along| {
            let (x, y) = if axis == 0 { (at, along) } else { (along, at) };
            Some(off(self.color, *pixels.get_pixel_checked(x, y)?))
        });
        offs.collect()
    }

    fn quad(&self) -> Quad {
        upright(self.from.map(f64::from), self.size())
    }
}

fn upright([x, y]: [f64; 2], [width, height]: [f64; 2]) -> Quad {
    /// Up to this ratio of its sides a cell is square, and does not show how its symbols lie: as most do, in a
    /// row.
    const SQUARE: f64 = 1.12;
    let quad = Quad::rectangle(width, height).map(|p| p + Point::new(x, y));
    if height > SQUARE * width { quad.as_card() } else { quad }
}

/// The panels around some points whose stock lies in parts, as where three symbols fill a card: rectangles of the
/// size of the other panels, with their stock within all sides and none beyond.
pub(crate) fn crowded_panels(
    picture: &RgbImage,
    panels: &[Quad],
    centers: impl Iterator<Item = Point>,
) -> Vec<Quad> {
    let Some(kind) = PanelKind::of_most(picture, panels) else { return Vec::new() };
    centers.filter_map(|center| kind.find_near(picture, center)).collect()
}

/// What the panels of a picture have in common.
struct PanelKind {
    size: [f64; 2],
    stock: Rgb<u8>,
}

impl PanelKind {
    /// Points along each side that are looked at.
    const ALONG: u32 = 12;

    /// The medians.
    fn of_most(picture: &RgbImage, panels: &[Quad]) -> Option<Self> {
        let corners = panels.iter().map(|panel| bounding_box(panel.0));
        let sizes: Vec<[f64; 2]> = corners.clone().map(|(a, b)| [b.x - a.x, b.y - a.y]).collect();
        let [width, height] = [0, 1].map(|axis| median(sizes.iter().map(|size| size[axis])));
        let inside: Vec<Rgb<u8>> = corners
            .zip(&sizes)
            .flat_map(|((a, _), &size)| Self::beside_sides([a.x, a.y], size).map(|both| both[0]))
            .filter_map(|[x, y]| picture.get_pixel_checked(x as u32, y as u32).copied())
            .collect();
        let stock = [0, 1, 2].map(|c| median(inside.iter().map(|pixel| f64::from(pixel[c]))));
        let [r, g, b] = stock.map(|level| level.map(|level| level.round() as u8));
        Some(Self { size: [width?, height?], stock: Rgb([r?, g?, b?]) })
    }

    /// Pairs of a point within a side of a rectangle and one beyond it. Edges are soft, and corners may be round.
    fn beside_sides(
        [x, y]: [f64; 2],
        [width, height]: [f64; 2],
    ) -> impl Iterator<Item = [[f64; 2]; 2]> {
        const WITHIN_PX: f64 = 2.5;
        const BEYOND_PX: f64 = 2.5;
        const CORNER: f64 = 0.15;
        (0..Self::ALONG).flat_map(move |i| {
            let part = (f64::from(i) + 0.5) / f64::from(Self::ALONG);
            let part = CORNER + (1.0 - 2.0 * CORNER) * part;
            let (along_x, along_y) = (x + part * width, y + part * height);
            let [right, below] = [x + width, y + height];
            [
                [[along_x, y + WITHIN_PX], [along_x, y - BEYOND_PX]],
                [[along_x, below - WITHIN_PX], [along_x, below + BEYOND_PX]],
                [[x + WITHIN_PX, along_y], [x - BEYOND_PX, along_y]],
                [[right - WITHIN_PX, along_y], [right + BEYOND_PX, along_y]],
            ]
        })
    }

    /// The rectangle around a point that fits best, if one does.
    fn find_near(&self, picture: &RgbImage, center: Point) -> Option<Quad> {
        /// How far it may be off the middle, in parts of its sides.
        const REACH: f64 = 0.35;
        const MOST_MISSES: usize = PanelKind::ALONG as usize / 2;
        let [width, height] = self.size;
        let middle = [center.x - width / 2.0, center.y - height / 2.0].map(f64::round);
        let [reach_x, reach_y] = self.size.map(|side| (REACH * side) as i32);
        let (mut fewest, mut best) = (MOST_MISSES, Vec::new());
        for y in -reach_y..=reach_y {
            for x in -reach_x..=reach_x {
                let corner = [middle[0] + f64::from(x), middle[1] + f64::from(y)];
                let misses = self.misses(picture, corner, fewest);
                if misses < fewest {
                    best.clear();
                    fewest = misses;
                }
                if misses == fewest {
                    best.push(corner);
                }
            }
        }
        // Soft edges leave it a pixel or two of room.
        let corner = [0, 1].map(|axis| mean(best.iter().map(|corner| corner[axis])));
        (!best.is_empty()).then(|| upright(corner, self.size))
    }

    /// At how many points beside the sides there is something else than stock within, or stock beyond; not counted
    /// further than one more than is allowed.
    fn misses(&self, picture: &RgbImage, corner: [f64; 2], allowed: usize) -> usize {
        const LIKE_STOCK: u8 = 8;
        let is_stock = |[x, y]: [f64; 2]| {
            let pixel = (x >= 0.0 && y >= 0.0)
                .then(|| picture.get_pixel_checked(x as u32, y as u32))
                .flatten();
            pixel.is_some_and(|pixel| off(*pixel, self.stock) <= LIKE_STOCK)
        };
        let misses = Self::beside_sides(corner, self.size)
            .filter(|[within, beyond]| !is_stock(*within) || is_stock(*beyond));
        misses.take(allowed + 1).count()
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

/// By how much two colours differ in the channel in which they differ most, in levels.
fn off(a: Rgb<u8>, b: Rgb<u8>) -> u8 {
    (0..3).fold(0, |off, c| off.max(a.0[c].abs_diff(b.0[c])))
}

/// The panels that occur several times in one size and colour, and those that differ little from them, such as
/// a chosen card that is drawn with a frame. Panels around smaller ones are dropped.
fn alike(panels: Vec<Panel>) -> Vec<Panel> {
    const SAME: f64 = 0.03;
    const FRAMED: f64 = 0.15;
    let is_same = |a: &Panel, b: &Panel| a.has_size_of(b, SAME) && a.has_color_of(b);
    let several: Vec<&Panel> = panels
        .iter()
        .filter(|a| panels.iter().filter(|b| is_same(a, b)).count() >= LEAST_ALIKE)
        .collect();
    let cards: Vec<&Panel> = panels
        .iter()
        .filter(|panel| several.iter().any(|other| other.has_size_of(panel, FRAMED)))
        .collect();
    let holds_another = |panel: &Panel| {
        let mut smaller = cards.iter().filter(|other| !panel.has_size_of(other, FRAMED));
        smaller.any(|other| panel.holds_center_of(other))
    };
    cards.iter().filter(|panel| !holds_another(panel)).map(|panel| (*panel).clone()).collect()
}

/// By how much each pixel differs from its neighbours, in levels.
struct Steps {
    width: usize,
    /// From the one to the right; beyond the last of a row is a step.
    across: Vec<u8>,
    /// From the one below.
    down: Vec<u8>,
    /// From the one of its neighbours from which it differs most.
    rims: Vec<u8>,
}

impl Steps {
    fn measure(pixels: &RgbImage) -> Self {
        let (raw, width) = (pixels.as_raw(), pixels.width() as usize);
        let mut across = steps(raw, &raw[3..]);
        across.push(u8::MAX);
        let down = steps(raw, &raw[3 * width..]);
        let mut rims = vec![0; across.len()];
        raise(&mut rims, &down);
        raise(&mut rims[width..], &down);
        for (rims, across) in rims.chunks_exact_mut(width).zip(across.chunks_exact_mut(width)) {
            across[width - 1] = u8::MAX;
            raise(rims, &across[..width - 1]);
            raise(&mut rims[1..], &across[..width - 1]);
        }
        Self { width, across, down, rims }
    }

    /// The flat areas.
    fn areas(&self, Flat { most, has_rims }: Flat) -> ByArea {
        let width = self.width;
        let mut runs = Runs::default();
        for (y, start) in (0..self.across.len()).step_by(width).enumerate() {
            runs.start_row();
            let steps = &if has_rims { &self.rims } else { &self.across }[start..start + width];
            let above = start.checked_sub(width).map_or(&[][..], |above| &self.down[above..start]);
            let joins =
                |columns: Range<usize>| has_rims || above[columns].iter().any(|step| *step <= most);
            let mut from = 0;
            while from < width {
                let mut to = from + count_within(&steps[from..], most);
                // A rim is in no run; a step follows the run's last pixel.
                let next = (to + 1).min(width);
                to = if has_rims { to } else { next };
                if to > from {
                    runs.add(y as u32, from as u32..to as u32, joins);
                }
                from = next;
            }
        }
        runs.by_area()
    }
}

/// By how much the pixels of two rows differ, R, G, B.
fn steps(a: &[u8], b: &[u8]) -> Vec<u8> {
    let pairs = a.as_chunks::<3>().0.iter().zip(b.as_chunks::<3>().0);
    pairs.map(|(a, b)| off(Rgb(*a), Rgb(*b))).collect()
}

fn raise(rims: &mut [u8], steps: &[u8]) {
    rims.iter_mut().zip(steps).for_each(|(rim, step)| *rim = *step.max(rim));
}

/// How many steps at the beginning are not greater.
fn count_within(steps: &[u8], most: u8) -> usize {
    const BLOCK: usize = 16;
    let is_within = |block: &&[u8; BLOCK]| block.iter().fold(0, |a: u8, b| a.max(*b)) <= most;
    let blocks = steps.as_chunks().0.iter().take_while(is_within).count();
    let rest = &steps[BLOCK * blocks..];
    BLOCK * blocks + rest.iter().take_while(|step| **step <= most).count()
}

/// Whether an area is a card's stock: a rectangle of a card's shape, perhaps with round corners, whose sides are
/// blank and which is partly covered.
fn is_panel(area: &[Run]) -> bool {
    const ASPECT: RangeInclusive<f64> = 1.0..=2.1;
    const STOCK: RangeInclusive<f64> = 0.25..=0.985;
    const BLANK: f64 = 0.9;
    // Most areas are this small.
    if area.len() < SMALLEST_PX as usize {
        return false;
    }
    let (columns, rows, count) = extent(area);
    let (long, short) = (columns.len().max(rows.len()), columns.len().min(rows.len()));
    let part = f64::from(count) / (columns.len() * rows.len()) as f64;
    if short < SMALLEST_PX as usize
        || !ASPECT.contains(&(long as f64 / short as f64))
        || !STOCK.contains(&part)
    {
        return false;
    }
    let inset = (short as u32 * 3 / 100).max(1);
    let corner = (short as u32 * 15 / 100).max(1);
    let [across, down] = [&columns, &rows].map(|side| side.start + corner..side.end - corner);
    let in_row =
        |y: u32| area.iter().filter(move |run| run.y == y).map(|run| run.count_in(&across));
    let in_column = |x: u32| {
        let runs = area.iter().filter(|run| down.contains(&run.y));
        runs.map(move |run| run.count_in(&(x..x + 1)))
    };
    let is_blank = |count: u32, side: &Range<u32>| f64::from(count) >= BLANK * side.len() as f64;
    [rows.start + inset, rows.end - 1 - inset].iter().all(|&y| is_blank(in_row(y).sum(), &across))
        && [columns.start + inset, columns.end - 1 - inset]
            .iter()
            .all(|&x| is_blank(in_column(x).sum(), &down))
}

/// Whether few neighbouring pixels differ, as in a picture that a program has drawn.
pub(crate) fn is_drawing(picture: &RgbImage) -> bool {
    /// Share of neighbouring pixels of one colour: up to 0.68 in 93 photos, and 0.74 or more in drawings, also as
    /// JPEG. Of drawn photos one with white cards on white has 0.76.
    const LEAST_SAME: f32 = 0.71;
    alike_within(picture, 0) >= LEAST_SAME
}

/// The share of neighbouring pixels in a row that differ by so many levels or less in each channel.
pub(crate) fn alike_within(frame: &RgbImage, most: u8) -> f32 {
    /// Some rows are as good as all.
    const ROWS: usize = 64;
    let width = 3 * frame.width() as usize;
    let (mut all, mut alike) = (0u32, 0u32);
    let rows = frame.as_raw().chunks_exact(width.max(1));
    for row in rows.step_by((frame.height() as usize / ROWS).max(1)) {
        for (a, b) in row.as_chunks::<3>().0.iter().zip(row[3..].as_chunks::<3>().0) {
            let off = (0..3).fold(0, |off: u8, c| off.max(a[c].abs_diff(b[c])));
            alike += u32::from(off <= most);
        }
        all += frame.width() - 1;
    }
    alike as f32 / all.max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: Rgb<u8> = Rgb([224, 234, 244]);
    const STOCK: Rgb<u8> = Rgb([255, 255, 255]);
    const INK: Rgb<u8> = Rgb([60, 120, 90]);

    fn fill(picture: &mut RgbImage, from: (u32, u32), size: (u32, u32), color: Rgb<u8>) {
        for y in from.1..from.1 + size.1 {
            for x in from.0..from.0 + size.0 {
                picture.put_pixel(x, y, color);
            }
        }
    }

    /// Six cards of 60 x 40 pixels, striped across, the first with a frame.
    fn board(ink: Rgb<u8>, stock: Rgb<u8>) -> RgbImage {
        let mut picture = RgbImage::from_pixel(300, 200, BOARD);
        for i in 0..6 {
            let (x, y) = (20 + 90 * (i % 3), 20 + 90 * (i / 3));
            fill(&mut picture, (x, y), (60, 40), if i == 0 { INK } else { stock });
            if i == 0 {
                fill(&mut picture, (x + 3, y + 3), (54, 34), stock);
            }
            for stripe in 0..5 {
                fill(&mut picture, (x + 22, y + 10 + 4 * stripe), (16, 2), ink);
            }
        }
        picture
    }

    #[test]
    fn drawn_cards_are_found_to_the_pixel() {
        let found = panels(&board(INK, STOCK));
        let mut places: Vec<[f64; 3]> =
            found.iter().map(|quad| [quad.center().x, quad.center().y, quad.long_side()]).collect();
        places.sort_by(|a, b| (a[1], a[0]).partial_cmp(&(b[1], b[0])).unwrap());
        let expected = [50.0, 140.0, 230.0];
        assert_eq!(places.len(), 6, "{places:?}");
        for (i, [x, y, long]) in places.into_iter().enumerate() {
            assert!((x - expected[i % 3]).abs() < 1.0, "{x}");
            assert!((y - [40.0, 130.0][i / 3]).abs() < 1.0, "{y}");
            assert!((long - if i == 0 { 54.0 } else { 60.0 }).abs() <= 2.0, "{long}");
        }
    }

    #[test]
    fn jpeg_moves_no_edges_and_makes_no_cards_of_a_tables_pattern() {
        let mut picture = board(INK, STOCK);
        // A weave, where no card lies.
        for (x, y, pixel) in picture.enumerate_pixels_mut() {
            if *pixel == BOARD && (x + y) % 5 == 0 {
                pixel.0 = pixel.0.map(|v| v - 8);
            }
        }
        let mut jpeg = std::io::Cursor::new(Vec::new());
        picture.write_to(&mut jpeg, image::ImageFormat::Jpeg).unwrap();
        let stored = image::load_from_memory(jpeg.get_ref()).unwrap().into_rgb8();
        let found = panels(&stored);
        for quad in &found {
            let long = quad.long_side();
            assert!((52.0..=64.0).contains(&long), "{long}");
        }
        assert!(found.len() <= 6, "{found:?}");
    }

    #[test]
    fn a_panel_whose_stock_lies_in_parts_is_found_by_the_others() {
        let mut picture = board(INK, STOCK);
        // A bar from side to side.
        fill(&mut picture, (110, 129), (60, 3), INK);
        let all = panels(&picture);
        assert_eq!(all.len(), 5, "{all:?}");
        let near = |x, y| crowded_panels(&picture, &all, [Point::new(x, y)].into_iter());
        let [found] = near(133.0, 136.0).try_into().expect("one card");
        let expected = Quad::rectangle(60.0, 40.0).map(|p| p + Point::new(110.0, 110.0));
        // The bar lets it lie nearer to one side.
        assert!(found.corner_error(&expected) <= 1.0, "{found:?}");
        assert_eq!(near(95.0, 85.0), [], "between the cards");
    }

    #[test]
    fn blank_panels_and_noise_are_no_cards() {
        assert!(panels(&board(STOCK, STOCK)).len() <= 1, "blank ones");
        let mut noisy = board(INK, STOCK);
        for (x, y, pixel) in noisy.enumerate_pixels_mut() {
            let noise = ((x * 7919 + y * 104_729) % 23) as u8;
            pixel.0 = pixel.0.map(|v| v.saturating_sub(noise));
        }
        assert!(panels(&noisy).is_empty());
    }
}
