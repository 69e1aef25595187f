//! Finds the cards that a program has drawn: upright panels of one flat colour and of one size, with
//! something on them.
//!
//! The network was trained on photos. On a drawing it takes a striped symbol for a card, or overlooks
//! grey cards on black, where the panels themselves are exact to the pixel.

use image::{Rgb, RgbImage};
use setsight_photo::geometry::{Point, Quad};

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
    let pixels = RgbImage::from_fn(width, height, |x, y| *picture.get_pixel(x * step, y * step));
    let ways = FLAT.iter().filter(|flat| flat.most == EXACT || even >= EVEN_AS_JPEG);
    let found = ways.map(|flat| alike(areas(&pixels, *flat)));
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
        let (mut all, mut strong) = (0, 0);
        for y in self.from[1]..self.to[1] {
            for x in self.from[0]..self.to[0] {
                all += 1;
                strong += u32::from(off(self.color, *pixels.get_pixel(x, y)) >= STRONG);
            }
        }
        f64::from(strong) >= LEAST * f64::from(all)
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
        let most = LIKE_STOCK.min(further[further.len() / 2] / 2);
        if most < 2 {
            return rim;
        }
        (1..=BLOCK_PX)
            .take_while(|step| {
                offs(*step)
                    .is_some_and(|offs| offs[(offs.len() as f64 * MOST_OF_IT) as usize] <= most)
            })
            .count() as u32
    }

    /// By how much the pixels of a line across `axis` differ from the stock, the least first; `None` if the picture
    /// ends before.
    fn offs_along(
        &self,
        pixels: &RgbImage,
        axis: usize,
        at: u32,
        line: std::ops::Range<u32>,
    ) -> Option<Vec<u8>> {
        let offs = line.map(|along| {
            let (x, y) = if axis == 0 { (at, along) } else { (along, at) };
            Some(off(self.color, *pixels.get_pixel_checked(x, y)?))
        });
        let mut offs: Vec<u8> = offs.collect::<Option<_>>()?;
        offs.sort_unstable();
        Some(offs)
    }

    fn quad(&self) -> Quad {
        /// Up to this ratio of its sides a cell is square, and does not show how its symbols lie: as most do, in a
        /// row.
        const SQUARE: f64 = 1.12;
        let [width, height] = self.size();
        let corner = Point::new(f64::from(self.from[0]), f64::from(self.from[1]));
        let quad = Quad::rectangle(width, height).map(|p| p + corner);
        if height > SQUARE * width { quad.as_card() } else { quad }
    }
}

/// By how much two colours differ in the channel in which they differ most, in levels.
fn off(a: Rgb<u8>, b: Rgb<u8>) -> u8 {
    a.0.iter().zip(b.0).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0)
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

fn areas(pixels: &RgbImage, flat: Flat) -> Vec<Panel> {
    /// Part of a panel that has its very colour.
    const EVEN_PART: f64 = 0.95;
    let Flat { most, has_rims } = flat;
    let (width, height) = (pixels.width() as usize, pixels.height() as usize);
    let is_step = |a: usize, b: usize| {
        let raw = pixels.as_raw();
        (0..3).any(|c| raw[3 * a + c].abs_diff(raw[3 * b + c]) > most)
    };
    // The number of each pixel's area; 0 on rims, and before it is known.
    let mut area_of = vec![0u32; width * height];
    let mut is_flat = vec![true; width * height];
    for at in (0..width * height).filter(|_| has_rims) {
        for next in [(at % width + 1 < width).then_some(at + 1), Some(at + width)] {
            if let Some(next) = next.filter(|&next| next < width * height && is_step(at, next)) {
                (is_flat[at], is_flat[next]) = (false, false);
            }
        }
    }
    let mut panels = Vec::new();
    let mut number = 0;
    let mut queue = Vec::new();
    for start in 0..width * height {
        if !is_flat[start] || area_of[start] > 0 {
            continue;
        }
        number += 1;
        area_of[start] = number;
        queue.push(start);
        let (mut from, mut to, mut count) = ([width, height], [0, 0], 0usize);
        let mut sum = [0u64; 3];
        while let Some(at) = queue.pop() {
            let (x, y) = (at % width, at / width);
            (from, to) = ([from[0].min(x), from[1].min(y)], [to[0].max(x + 1), to[1].max(y + 1)]);
            count += 1;
            let pixel = &pixels.as_raw()[3 * at..3 * at + 3];
            sum.iter_mut().zip(pixel).for_each(|(sum, &level)| *sum += u64::from(level));
            let ways = [
                (x > 0).then(|| at - 1),
                (x + 1 < width).then_some(at + 1),
                (y > 0).then(|| at - width),
                (y + 1 < height).then_some(at + width),
            ];
            for next in ways.into_iter().flatten() {
                if is_flat[next] && area_of[next] == 0 && (has_rims || !is_step(at, next)) {
                    area_of[next] = number;
                    queue.push(next);
                }
            }
        }
        let is_inside = |x: usize, y: usize| area_of[y * width + x] == number;
        let color = Rgb(sum.map(|sum| (sum / count as u64) as u8));
        let pixel = |at: [usize; 2]| at.map(|v| v as u32);
        let panel = Panel { from: pixel(from), to: pixel(to), color };
        // Light makes a slope on the stock of a photo, however smooth it is.
        let is_even = || {
            let area = (from[1]..to[1]).flat_map(|y| (from[0]..to[0]).map(move |x| (x, y)));
            let even = area.filter(|&(x, y)| {
                is_inside(x, y) && off(color, *pixels.get_pixel(x as u32, y as u32)) <= most + 1
            });
            even.count() as f64 >= EVEN_PART * count as f64
        };
        if is_panel(from, to, count, is_inside) && is_even() && panel.has_ink(pixels) {
            panels.push(panel.up_to_its_edges(pixels, flat));
        }
    }
    panels
}

/// Whether an area of `count` pixels between two corners is a card's stock: a rectangle of a card's
/// shape, perhaps with round corners, whose sides are blank and which is partly covered.
fn is_panel(
    from: [usize; 2],
    to: [usize; 2],
    count: usize,
    is_inside: impl Fn(usize, usize) -> bool,
) -> bool {
    const SMALLEST_PX: usize = 8;
    const ASPECT: std::ops::RangeInclusive<f64> = 1.0..=2.1;
    const STOCK: std::ops::RangeInclusive<f64> = 0.25..=0.985;
    const BLANK: f64 = 0.9;
    let size = [to[0] - from[0], to[1] - from[1]];
    let (long, short) = (size[0].max(size[1]), size[0].min(size[1]));
    let part = count as f64 / (size[0] * size[1]) as f64;
    if short < SMALLEST_PX
        || !ASPECT.contains(&(long as f64 / short as f64))
        || !STOCK.contains(&part)
    {
        return false;
    }
    let inset = (short * 3 / 100).max(1);
    let corner = (short * 15 / 100).max(1);
    let blank = |along: usize, is_inside: &dyn Fn(usize) -> bool| {
        let (first, last) = (from[along] + corner, to[along] - corner);
        let inside = (first..last).filter(|&at| is_inside(at)).count();
        inside as f64 >= BLANK * (last - first) as f64
    };
    [from[1] + inset, to[1] - 1 - inset].iter().all(|&y| blank(0, &|x| is_inside(x, y)))
        && [from[0] + inset, to[0] - 1 - inset].iter().all(|&x| blank(1, &|y| is_inside(x, y)))
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
