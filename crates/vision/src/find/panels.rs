//! Finds the cards that a program has drawn: upright panels of one flat colour and of one size, with
//! something on them.
//!
//! The network was trained on photos. On a drawing it takes a striped symbol for a card, or overlooks
//! grey cards on black, where the panels themselves are exact to the pixel.

use crate::probability::rank;
use crate::runs::{ByArea, Run, Runs, extent};
use image::{GenericImageView, Rgb, RgbImage};
use setsight_photo::geometry::{Point, Quad};
use std::{
    borrow::Cow,
    ops::{Range, RangeInclusive},
};

/// Criteria of a flat area.
#[derive(Clone, Copy)]
struct Flat {
    /// Greatest step between neighbouring pixels, in levels.
    most: u8,
    /// Whether a pixel beside a greater step belongs to no area, so that soft edges join none.
    has_rims: bool,
}

/// Of drawings, and of those that were stored as JPEG.
const FLAT: [Flat; 2] = [Flat { most: EXACT, has_rims: true }, Flat { most: 6, has_rims: true }];
/// The step within an area that no JPEG has spoilt.
const EXACT: u8 = 1;
/// Fewer panels of one size may be chance.
const LEAST_ALIKE: usize = 3;
/// The shortest side of a panel.
const SMALLEST_PX: u32 = 8;
/// Greatest difference of the sizes of a table's panels, as a part of a side, where some are drawn with a frame.
const FRAMED: f64 = 0.15;

/// The panels, in pixels of the picture; none where few neighbours are of one colour, as in photos. So many cards were
/// `detected` otherwise.
pub(crate) fn panels(picture: &RgbImage, detected: usize) -> Vec<Quad> {
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
    // A drawing shows most of its cards so; a few may be the insides of symbols, or chance.
    let flat = found.rev().max_by_key(Vec::len).filter(|flat| 2 * flat.len() >= detected);
    let flat = flat.unwrap_or_default();
    let islands = of_one_size(alike(islands(&steps, &pixels)));
    let most = match &flat[..] {
        // Shadows spoil islands: they count where they are most.
        [] if islands.len() > detected => islands,
        [] => Vec::new(),
        [like, ..] => {
            let is_new = |island: &Panel| {
                island.has_size_of(like, FRAMED)
                    && !flat.iter().any(|panel| panel.holds_center_of(island))
            };
            let new: Vec<Panel> = islands.into_iter().filter(is_new).collect();
            [flat, new].concat()
        }
    };
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
        (is_even && panel.has_ink(pixels)).then(|| panel.up_to_its_edges(pixels))
    }

    /// The panel of an island, which may begin with a shadow or a soft edge.
    fn of_island(area: &[Run], pixels: &RgbImage) -> Option<Self> {
        /// Part of its box that a panel with round corners and a shadow fills.
        const FILLED: f64 = 0.9;
        const MOST_OF_IT: f64 = 0.8;
        let (columns, rows, all) = extent(area);
        let is_inside = columns.start > 0
            && rows.start > 0
            && columns.end < pixels.width()
            && rows.end < pixels.height();
        let (mut by_column, mut by_row) = (vec![0; columns.len()], vec![0; rows.len()]);
        for run in area {
            by_row[(run.y - rows.start) as usize] += run.to - run.from;
            let columns = (run.from - columns.start) as usize..(run.to - columns.start) as usize;
            by_column[columns].iter_mut().for_each(|count| *count += 1);
        }
        // Without a tail, such as a key's name below the card.
        let [columns, rows] = [(columns, by_column), (rows, by_row)].map(|(side, counts)| {
            let most = counts.iter().copied().max().unwrap_or_default();
            let is_wide = |count: &u32| 2 * count >= most;
            let first = counts.iter().position(is_wide).unwrap_or_default() as u32;
            let last = counts.iter().rposition(is_wide).unwrap_or_default() as u32;
            side.start + first..side.start + last + 1
        });
        let within = area.iter().filter(|run| rows.contains(&run.y));
        let count: u32 = within.map(|run| run.count_in(&columns)).sum();
        let (from, to) = ([columns.start, rows.start], [columns.end, rows.end]);
        let is_filled = f64::from(count) >= FILLED * (columns.len() * rows.len()) as f64;
        let is_most = f64::from(count) >= MOST_OF_IT * f64::from(all);
        if !is_inside || !is_filled || !is_most || !has_shape(columns.len(), rows.len()) {
            return None;
        }
        let mut panel = Self { from, to, color: Rgb([0; 3]) };
        for axis in [0, 1] {
            let [before, after] = [-1, 1].map(|way| panel.before_edge(pixels, axis, way));
            panel.from[axis] += before;
            panel.to[axis] -= after;
        }
        let [width, height] = [0, 1].map(|axis| panel.to[axis] - panel.from[axis]);
        if !has_shape(width as usize, height as usize) {
            return None;
        }
        panel.color = panel.stock(pixels);
        panel.has_ink(pixels).then(|| panel.without_frame(pixels))
    }

    /// The most frequent levels near the sides: in the middle may be more ink than stock.
    fn stock(&self, pixels: &RgbImage) -> Rgb<u8> {
        let [width, height] = [0, 1].map(|axis| self.to[axis] - self.from[axis]);
        let short = width.min(height);
        let ring = short * 6 / 100..=(short * 12 / 100).max(1);
        let inside = pixels.view(self.from[0], self.from[1], width, height);
        let to_side = |x: u32, y: u32| x.min(y).min(width - 1 - x).min(height - 1 - y);
        let ring = inside.pixels().filter(|(x, y, _)| ring.contains(&to_side(*x, *y)));
        let ring: Vec<Rgb<u8>> = ring.map(|(.., pixel)| pixel).collect();
        Rgb([0, 1, 2].map(|c| rank(ring.iter().map(|pixel| pixel[c]), 0.5)))
    }

    /// With its edges where the stock begins.
    fn without_frame(self, pixels: &RgbImage) -> Self {
        const WIDEST_PX: i64 = 8;
        const LIKE_STOCK: u8 = 12;
        const MOST_OF_IT: f64 = 0.8;
        let mut inner = self.clone();
        for axis in [0, 1] {
            let across = 1 - axis;
            let inset = (self.to[across] - self.from[across]) * 15 / 100;
            let line = self.from[across] + inset..self.to[across] - inset;
            let frame_px = |first: u32, way: i64| {
                let is_stock = |step: &i64| {
                    let at = (i64::from(first) + way * step) as u32;
                    let offs = self.offs_along(pixels, axis, at, line.clone()).unwrap_or_default();
                    let alike = offs.iter().filter(|&&off| off <= LIKE_STOCK).count();
                    alike as f64 > MOST_OF_IT * offs.len() as f64
                };
                let most = WIDEST_PX.min(i64::from(self.to[axis] - self.from[axis]) / 4);
                (0..=most).find(is_stock).unwrap_or(0) as u32
            };
            inner.from[axis] += frame_px(self.from[axis], 1);
            inner.to[axis] -= frame_px(self.to[axis] - 1, -1);
        }
        let [width, height] = inner.size();
        if has_shape(width as usize, height as usize) { inner } else { self }
    }

    /// How many pixels lie before the edge on one side: where the picture differs from the page half as much as at
    /// its first peak, which is a frame or the stock.
    fn before_edge(&self, pixels: &RgbImage, axis: usize, way: i64) -> u32 {
        const REACH_PX: i64 = 12;
        /// Least height of a peak, in levels: the rest is what scaling adds beside an edge.
        const LEAST: u32 = 12;
        let across = 1 - axis;
        let inset = (self.to[across] - self.from[across]) * 15 / 100;
        let beyond =
            if way < 0 { i64::from(self.from[axis]) - 1 } else { i64::from(self.to[axis]) };
        let length = i64::from(self.to[axis] - self.from[axis]);
        let pixel = |at: i64, along: u32| {
            let at = at as u32;
            let (x, y) = if axis == 0 { (at, along) } else { (along, at) };
            *pixels.get_pixel(x, y)
        };
        let off_page = |step: i64| {
            let line = self.from[across] + inset..self.to[across] - inset;
            let offs =
                line.map(|along| off(pixel(beyond, along), pixel(beyond - way * step, along)));
            offs.map(u32::from).sum::<u32>()
        };
        let profile: Vec<u32> = (1..=REACH_PX.min(length / 4)).map(off_page).collect();
        let least = LEAST * (self.to[across] - self.from[across] - 2 * inset);
        let is_peak = |two: &[u32]| two[0] > two[1] && two[0] >= least;
        let peak = profile.windows(2).find(|two| is_peak(two)).map(|two| two[0]);
        let peak = peak.or_else(|| profile.iter().copied().max()).unwrap_or_default();
        profile.iter().position(|&off| 2 * off >= peak).unwrap_or(0) as u32
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
        let strong = rows.flat_map(|row| row[3 * left..3 * right].as_chunks::<3>().0);
        let [width, height] = self.size();
        // Most cards show as much in their first rows.
        let least = ((LEAST * width * height).ceil() as usize).max(1);
        strong.filter(is_strong).nth(least - 1).is_some()
    }

    /// With its edges where the stock's colour ends: beside a soft edge no pixel is flat, and JPEG spoils the
    /// blocks of 8 x 8 pixels through which an edge goes.
    fn up_to_its_edges(self, pixels: &RgbImage) -> Self {
        let mut extended = self.clone();
        for axis in [0, 1] {
            extended.from[axis] -= self.beyond(pixels, axis, -1).min(self.from[axis]);
            extended.to[axis] += self.beyond(pixels, axis, 1);
        }
        extended
    }

    /// How many pixels of stock lie beyond a side: as long as most of what a line crosses is nearer to the stock
    /// than half of what differs further out.
    fn beyond(&self, pixels: &RgbImage, axis: usize, way: i64) -> u32 {
        const RIM_PX: u32 = 1;
        const BLOCK_PX: i64 = 8;
        const FURTHER_PX: i64 = 11;
        const LIKE_STOCK: u8 = 12;
        const MOST_OF_IT: f64 = 0.8;
        let across = 1 - axis;
        // Corners may be round.
        let inset = (self.to[across] - self.from[across]) * 15 / 100;
        let side = if way < 0 { i64::from(self.from[axis]) } else { i64::from(self.to[axis]) - 1 };
        let line = self.from[across] + inset..self.to[across] - inset;
        let offs = |step: i64| {
            let at = u32::try_from(side + way * step).ok()?;
            self.offs_along(pixels, axis, at, line.clone())
        };
        let Some(further) = offs(FURTHER_PX) else { return RIM_PX };
        let most = LIKE_STOCK.min(rank(further.into_iter(), 0.5) / 2);
        if most < 2 {
            return RIM_PX;
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

/// By how much two colours differ in the channel in which they differ most, in levels.
fn off(a: Rgb<u8>, b: Rgb<u8>) -> u8 {
    (0..3).fold(0, |off, c| off.max(a.0[c].abs_diff(b.0[c])))
}

/// The panels that occur several times in one size and colour, and those that differ little from them, such as
/// a chosen card that is drawn with a frame. Panels around smaller ones are dropped.
fn alike(panels: Vec<Panel>) -> Vec<Panel> {
    const SAME: f64 = 0.03;
    /// More are a pattern, and each would be compared with each.
    const MOST: usize = 500;
    if panels.len() > MOST {
        return Vec::new();
    }
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

/// Those panels whose size is the most frequent.
fn of_one_size(panels: Vec<Panel>) -> Vec<Panel> {
    let like = |one: &Panel| {
        panels.iter().filter(|other| other.has_size_of(one, FRAMED)).cloned().collect::<Vec<_>>()
    };
    panels.iter().map(like).max_by_key(Vec::len).unwrap_or_default()
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

/// Whether a box of so many pixels may be a card.
fn has_shape(width: usize, height: usize) -> bool {
    const ASPECT: RangeInclusive<f64> = 1.0..=2.1;
    let (long, short) = (width.max(height), width.min(height));
    short >= SMALLEST_PX as usize && ASPECT.contains(&(long as f64 / short as f64))
}

/// The panels that lie on a page of one colour or of a gradient, whatever they show: what interrupts the largest
/// flat area, where it fills a rectangle.
fn islands(steps: &Steps, pixels: &RgbImage) -> Vec<Panel> {
    /// A page may have been stored as JPEG, and soft shadows count as page.
    const PAGE: Flat = Flat { most: 6, has_rims: false };
    let areas = steps.areas(PAGE);
    let page = areas.areas().max_by_key(|area| extent(area).2).unwrap_or_default();
    let mut page = page.iter().peekable();
    let mut runs = Runs::default();
    for y in 0..pixels.height() {
        runs.start_row();
        let mut from = 0;
        while let Some(run) = page.next_if(|run| run.y == y) {
            if run.from > from {
                runs.add(y, from..run.from, |_| true);
            }
            from = run.to;
        }
        if from < pixels.width() {
            runs.add(y, from..pixels.width(), |_| true);
        }
    }
    runs.by_area().areas().filter_map(|area| Panel::of_island(area, pixels)).collect()
}

/// Whether an area is a card's stock: a rectangle of a card's shape, perhaps with round corners, whose sides are
/// blank and which is partly covered.
fn is_panel(area: &[Run]) -> bool {
    const STOCK: RangeInclusive<f64> = 0.25..=0.985;
    const BLANK: f64 = 0.9;
    // Most areas are this small.
    if area.len() < SMALLEST_PX as usize {
        return false;
    }
    let (columns, rows, count) = extent(area);
    let (long, short) = (columns.len().max(rows.len()), columns.len().min(rows.len()));
    let part = f64::from(count) / (columns.len() * rows.len()) as f64;
    if !has_shape(long, short) || !STOCK.contains(&part) {
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

/// Whether few neighbouring pixels differ, or many have one and the same colour, as in a picture that a program has
/// drawn.
pub(crate) fn is_drawing(picture: &RgbImage) -> bool {
    /// Share of neighbouring pixels of one colour: up to 0.68 in 93 photos, and 0.74 or more in drawings, also as
    /// JPEG. Of drawn photos one with white cards on white has 0.76.
    const LEAST_SAME: f32 = 0.71;
    /// Share of the most frequent colour: up to 0.21 in 93 photos. Small drawings have little else that is flat.
    const LEAST_PAGE: f32 = 0.3;
    alike_within(picture, 0) >= LEAST_SAME || most_frequent(picture) >= LEAST_PAGE
}

/// The share of the most frequent colour.
fn most_frequent(picture: &RgbImage) -> f32 {
    /// Places along each side that are looked at.
    const PLACES: usize = 96;
    let [columns, rows] =
        [picture.width(), picture.height()].map(|side| (side as usize).div_ceil(PLACES));
    let places = picture.rows().step_by(rows.max(1)).flat_map(|row| row.step_by(columns.max(1)));
    let mut colors: Vec<[u8; 3]> = places.map(|pixel| pixel.0).collect();
    colors.sort_unstable();
    let most = colors.chunk_by(|a, b| a == b).map(<[_]>::len).max();
    most.unwrap_or(0) as f32 / colors.len().max(1) as f32
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
        let found = panels(&board(INK, STOCK), 0);
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
        let found = panels(&stored, 0);
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
        let all = panels(&picture, 6);
        let expected = Quad::rectangle(60.0, 40.0).map(|p| p + Point::new(110.0, 110.0));
        assert_eq!(all.len(), 6, "{all:?}");
        assert!(all.iter().any(|quad| quad.corner_error(&expected) <= 1.0), "{all:?}");
    }

    #[test]
    fn frames_on_their_page_are_panels_where_nobody_detects_more() {
        let mut picture = RgbImage::from_pixel(300, 200, BOARD);
        for i in 0..6 {
            let (x, y) = (20 + 90 * (i % 3), 20 + 90 * (i / 3));
            fill(&mut picture, (x, y), (60, 40), INK);
            fill(&mut picture, (x + 1, y + 1), (58, 38), BOARD);
            // A bar from side to side, and a name that touches the frame from below.
            fill(&mut picture, (x, y + 15), (60, 10), INK);
            fill(&mut picture, (x + 25, y + 40), (9, 5), INK);
        }
        let found = panels(&picture, 5);
        assert_eq!(found.len(), 6, "{found:?}");
        let expected = Quad::rectangle(58.0, 38.0).map(|p| p + Point::new(21.0, 21.0));
        assert!(found.iter().any(|quad| quad.corner_error(&expected) <= 1.0), "{found:?}");
        assert_eq!(panels(&picture, 6), []);
    }

    #[test]
    fn a_pattern_of_very_many_frames_is_no_table() {
        let mut picture = RgbImage::from_pixel(570, 490, BOARD);
        for i in 0..40 * 40 {
            let (x, y) = (4 + 14 * (i % 40), 4 + 12 * (i / 40));
            fill(&mut picture, (x, y), (11, 9), INK);
            fill(&mut picture, (x + 1, y + 1), (9, 7), STOCK);
            fill(&mut picture, (x + 4, y + 3), (3, 3), INK);
        }
        assert_eq!(panels(&picture, 0), []);
    }

    #[test]
    fn a_page_of_one_colour_makes_a_drawing_and_noise_none() {
        let noise = |x: u32, y: u32| Rgb([(x * 7919 + y * 104_729) as u8, (x * y) as u8, x as u8]);
        let page =
            |part| RgbImage::from_fn(200, 200, |x, y| if y < part { BOARD } else { noise(x, y) });
        assert!(is_drawing(&page(80)));
        assert!(!is_drawing(&page(40)));
    }

    #[test]
    fn blank_panels_and_noise_are_no_cards() {
        assert!(panels(&board(STOCK, STOCK), 0).len() <= 1, "blank ones");
        let mut noisy = board(INK, STOCK);
        for (x, y, pixel) in noisy.enumerate_pixels_mut() {
            let noise = ((x * 7919 + y * 104_729) % 23) as u8;
            pixel.0 = pixel.0.map(|v| v.saturating_sub(noise));
        }
        assert!(panels(&noisy, 0).is_empty());
    }
}
