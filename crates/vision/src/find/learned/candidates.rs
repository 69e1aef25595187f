//! The network's boundary: a photo goes in, cards and symbols come out as the network describes them.
//!
//! The photo is shrunk to a long side of 320 pixels, with its sides padded to a multiple of 16. Peaks in the
//! network's maps are cards and symbols; the cells around a card's peak describe its outline.

use super::Params;
use crate::{
    find::{
        FindError,
        working_image::{Working, scaled},
    },
    planes,
    probability::sigmoid,
};
use image::RgbImage;
use setsight_nets::{
    engine::{Network, NetworkError},
    finder,
};
use setsight_photo::Frame;
use setsight_photo::geometry::{Point, Quad, space};
use setsight_photo::numeric::median;

/// A card as the network describes it, by default in pixels of the network's input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate<S = space::Input> {
    /// The corners, clockwise, one of the card's true long sides first.
    pub quad: Quad<S>,
    /// The network's log odds of a card's centre.
    pub heat: f64,
}

/// A symbol as the network detects it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SymbolPeak {
    /// Its centre in pixels of the network's input.
    pub center: Point,
    /// The network's log odds.
    pub heat: f64,
}

const STRIDE: f64 = finder::STRIDE_PX as f64;

/// All cards whose log odds are at least `least_heat`, the likeliest first, after non-maximum
/// suppression: of two whose centres are closer than `apart` short sides, the likelier stays.
pub fn cards(maps: &Maps, least_heat: f64, apart: f64) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = peaks(maps, finder::CARD, least_heat)
        .into_iter()
        .filter_map(|(row, column, heat)| {
            Some(Candidate { quad: quad_around(maps, row, column)?, heat })
        })
        .collect();
    found.sort_by(|a, b| b.heat.total_cmp(&a.heat));
    let mut kept: Vec<Candidate> = Vec::new();
    for candidate in found {
        let center = candidate.quad.center();
        if !kept
            .iter()
            .any(|other| other.quad.center().distance(center) < apart * other.quad.short_side())
        {
            kept.push(candidate);
        }
    }
    kept
}

/// All symbols whose log odds are at least `least_heat`, in raster order. A parabola through each
/// peak and its neighbours refines its position.
pub(crate) fn symbols(maps: &Maps, least_heat: f64) -> Vec<SymbolPeak> {
    let peaks = peaks(maps, finder::SYMBOL, least_heat).into_iter();
    let symbols = peaks.map(|(row, column, heat)| {
        let value = |dy: isize, dx: isize| {
            let row = row.checked_add_signed(dy).filter(|&r| r < maps.rows)?;
            let column = column.checked_add_signed(dx).filter(|&c| c < maps.columns)?;
            Some(maps.at(finder::SYMBOL, row, column))
        };
        let center = Point::new(
            column as f64 + 0.5 + vertex(value(0, -1), heat, value(0, 1)),
            row as f64 + 0.5 + vertex(value(-1, 0), heat, value(1, 0)),
        );
        SymbolPeak { center: center * STRIDE, heat }
    });
    symbols.collect()
}

/// Offset of the maximum of a parabola through three neighbours from the middle one, -0.5 to 0.5.
fn vertex(before: Option<f64>, middle: f64, after: Option<f64>) -> f64 {
    let (Some(before), Some(after)) = (before, after) else { return 0.0 };
    let bend = before + after - 2.0 * middle;
    if bend > -1e-9 { 0.0 } else { ((before - after) / (2.0 * bend)).clamp(-0.5, 0.5) }
}

/// Local maxima, that is, cells that no neighbour exceeds: row, column, value.
fn peaks(maps: &Maps, output: usize, least: f64) -> Vec<(usize, usize, f64)> {
    let plane = maps.plane(output);
    let mut found = Vec::new();
    for row in 0..maps.rows {
        for column in 0..maps.columns {
            let value = plane[row * maps.columns + column];
            if f64::from(value) < least || !value.is_finite() {
                continue;
            }
            let highest =
                neighbours(maps, row, column).all(|(r, c)| plane[r * maps.columns + c] <= value);
            if highest {
                found.push((row, column, f64::from(value)));
            }
        }
    }
    found
}

/// A cell and those of its eight neighbours that exist.
fn neighbours(maps: &Maps, row: usize, column: usize) -> impl Iterator<Item = (usize, usize)> {
    let rows = row.saturating_sub(1)..(row + 2).min(maps.rows);
    let columns = column.saturating_sub(1)..(column + 2).min(maps.columns);
    rows.flat_map(move |r| columns.clone().map(move |c| (r, c)))
}

/// The card of a peak. The cells around it were trained to describe the same card, so their outputs
/// are averaged, if they agree on the mean of the corners. `None` if they describe no quadrilateral
/// with an area.
fn quad_around(maps: &Maps, row: usize, column: usize) -> Option<Quad<space::Input>> {
    /// Largest distance, in cells, between two cells' means of the corners for one card; neighbours
    /// in a heap differ by several cells.
    const AGREE: f64 = 1.0;
    let mean_of = |r: usize, c: usize| {
        let offset = Point::new(maps.at(finder::OFFSET, r, c), maps.at(finder::OFFSET + 1, r, c));
        Point::new(c as f64 + 0.5, r as f64 + 0.5) + offset
    };
    let peak_mean = mean_of(row, column);
    let (mut weights, mut mean) = (0.0, Point::default());
    let mut values = [0.0; 8];
    for (r, c) in neighbours(maps, row, column) {
        let cell_mean = mean_of(r, c);
        if cell_mean.distance(peak_mean) > AGREE {
            continue;
        }
        // The peak's cell was trained best.
        let weight =
            if (r, c) == (row, column) { 1.0 } else { 0.5 * sigmoid(maps.at(finder::CARD, r, c)) };
        weights += weight;
        mean = mean + cell_mean * weight;
        for (k, value) in values.iter_mut().enumerate() {
            *value += weight * maps.at(finder::LONG_AXIS + k, r, c);
        }
    }
    let values = values.map(|v| v / weights);
    let m = mean / weights;
    let a = half_axis(values[0], values[1], values[2])?;
    let mut b = half_axis(values[3], values[4], values[5])?;
    if a.cross(b) < 0.0 {
        b = -b;
    }
    let e = Point::new(values[6], values[7]);
    let quad = Quad::from_corners([m - a - b + e, m + a - b - e, m + a + b + e, m - a + b - e]);
    let quad = quad.scaled(STRIDE);
    (quad.is_convex() && quad.signed_area() > 1.0).then_some(quad)
}

/// Recovers v from v vT / |v|: the leading eigenvector, with its eigenvalue as length. `None` if it
/// is too short.
fn half_axis(xx: f64, yy: f64, xy: f64) -> Option<Point> {
    let length = f64::midpoint(xx, yy) + ((xx - yy) / 2.0).hypot(xy);
    let angle = 0.5 * f64::atan2(2.0 * xy, xx - yy);
    (length > 0.1 && length.is_finite()).then(|| Point::new(angle.cos(), angle.sin()) * length)
}

/// The highest log odds of a symbol in the cells next to a point of the input; `None` outside.
pub(crate) fn symbol_heat_at(maps: &Maps, at: Point) -> Option<f64> {
    heat_at(maps, finder::SYMBOL, at)
}

fn heat_at(maps: &Maps, output: usize, at: Point) -> Option<f64> {
    let (x, y) = (at.x / STRIDE - 0.5, at.y / STRIDE - 0.5);
    let inside =
        x > -0.5 && y > -0.5 && x < maps.columns as f64 - 0.5 && y < maps.rows as f64 - 0.5;
    if !inside {
        return None;
    }
    let mut best = f64::MIN;
    for row in cells_around(y, maps.rows) {
        for column in cells_around(x, maps.columns) {
            best = best.max(maps.at(output, row, column));
        }
    }
    Some(best)
}

fn cells_around(v: f64, n: usize) -> std::ops::RangeInclusive<usize> {
    let low = v.floor().max(0.0) as usize;
    low..=(low + 1).min(n - 1)
}

/// A scaled photo as the network's input (see [`setsight_nets::finder`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// All of R, then all of G, then all of B, each row by row; 8-bit sRGB divided by 255.
    pub pixels: Vec<f32>,
    /// Columns, a multiple of [`finder::SIDE_MULTIPLE_PX`].
    pub width: usize,
    /// Rows, a multiple of [`finder::SIDE_MULTIPLE_PX`].
    pub height: usize,
}

/// The network's output: [`finder::OUTPUTS`] planes of `rows` x `columns` cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Maps {
    /// Plane by plane, each row by row.
    pub values: Vec<f32>,
    /// Number of cells in a column.
    pub rows: usize,
    /// Number of cells in a row.
    pub columns: usize,
}

impl Maps {
    /// One plane.
    pub(crate) fn plane(&self, output: usize) -> &[f32] {
        let cells = self.rows * self.columns;
        &self.values[output * cells..(output + 1) * cells]
    }

    /// The value of one plane in one cell.
    pub(crate) fn at(&self, output: usize, row: usize, column: usize) -> f64 {
        f64::from(self.values[(output * self.rows + row) * self.columns + column])
    }
}

/// Detects cards in a scaled photo: the network, or a fake in a test.
pub trait FinderNetwork: Send + Sync {
    /// The maps for one picture.
    fn maps(&self, input: &Input) -> Result<Maps, NetworkError>;
}

impl FinderNetwork for Network {
    fn maps(&self, input: &Input) -> Result<Maps, NetworkError> {
        let output = self.run(input.pixels.clone(), [1, 3, input.height, input.width])?;
        // Loading the network has checked that its output has this size.
        let (rows, columns) = (input.height / finder::STRIDE_PX, input.width / finder::STRIDE_PX);
        Ok(Maps { values: output.values, rows, columns })
    }
}

/// The photo at the scale of one pass, and its relation to the working image.
#[derive(Clone, Debug)]
pub struct ScaledPhoto {
    /// The network's input.
    pub input: Input,
    /// Working pixels per pixel of the input, across and down; they differ by rounding.
    pub working_per_input: Point,
    /// Columns and rows of the input that show the photo; the rest repeats its border.
    pub size: (usize, usize),
    /// Long side of the photo in the input, in pixels.
    pub long_side_px: f64,
}

impl ScaledPhoto {
    /// Scales the working image to a long side of about `long_side_px`.
    pub(crate) fn new(working: &Working, long_side_px: f64) -> Self {
        let scale = long_side_px / working.width.max(working.height) as f64;
        let (width, height) =
            (scaled_side(working.width, scale), scaled_side(working.height, scale));
        let small = scaled(&working.rgb, (width, height));
        let padded = padded(small);
        let mut pixels = Vec::new();
        planes::push(&padded, &mut pixels);
        let (columns, rows) = (padded.width() as usize, padded.height() as usize);
        Self {
            input: Input { pixels, width: columns, height: rows },
            working_per_input: Point::new(
                working.width as f64 / f64::from(width),
                working.height as f64 / f64::from(height),
            ),
            size: (width as usize, height as usize),
            long_side_px: f64::from(width.max(height)),
        }
    }

    /// Maps a point of the input to the working image.
    pub(crate) fn working_from_input(&self, p: Point) -> Point {
        Point::new(p.x * self.working_per_input.x, p.y * self.working_per_input.y)
    }

    /// Maps a point of the working image to the input.
    pub(crate) fn input_from_working(&self, p: Point) -> Point {
        Point::new(p.x / self.working_per_input.x, p.y / self.working_per_input.y)
    }
}

fn scaled_side(px: usize, scale: f64) -> u32 {
    (px as f64 * scale).round().max(1.0) as u32
}

/// Repeats the last column and row until both sides are multiples of what the network takes.
fn padded(image: RgbImage) -> RgbImage {
    let (width, height) = image.dimensions();
    let size: (u32, u32) =
        [width, height].map(|px| px.next_multiple_of(finder::SIDE_MULTIPLE_PX as u32)).into();
    if size == (width, height) {
        return image;
    }
    RgbImage::from_fn(size.0, size.1, |x, y| *image.get_pixel(x.min(width - 1), y.min(height - 1)))
}

/// The network's description of a photo.
#[derive(Debug)]
pub struct Found {
    /// The working image, in which borders are fitted.
    pub working: Working,
    /// The pass that was chosen.
    pub scaled: ScaledPhoto,
    /// The network's output for it.
    pub maps: Maps,
    /// Cards in working pixels, the likeliest first.
    pub cards: Vec<Candidate<space::Working>>,
    /// Symbols in working pixels.
    pub symbols: Vec<SymbolPeak>,
}

impl Found {
    /// Takes the usual pass, or the one at another scale that shows cards best if that shows few, or small ones.
    pub(crate) fn detect(
        frame: &Frame,
        network: &dyn FinderNetwork,
        params: &Params,
    ) -> Result<Self, FindError> {
        // Enlarged further, a photo shows nothing more, and the pass costs as much as one of a large photo.
        const MOST_ENLARGED: f64 = 2.0;
        // Fewer likely cards may be parts of one that is near.
        const FEW: usize = 3;
        // Of this length it may be two cards side by side, each so small that its symbols are a pixel wide.
        const SMALL_PX: f64 = 30.0;
        let working = Working::new(frame, params.working_px);
        let frame_px = f64::from(frame.width().max(frame.height()));
        let largest_px = params.long_side_px.max(frame_px * MOST_ENLARGED);
        let mut best = Pass::run(&working, network, params.long_side_px, params)?;
        let is_few = best.likely() < FEW;
        let is_small = median_long_side(&best.cards).is_none_or(|px| px < SMALL_PX);
        let near = params.near_passes_px.iter().filter(|_| is_few);
        let far = params.far_passes_px.iter().filter(|_| is_few || is_small);
        for &long_side_px in near.chain(far).filter(|&&px| px < largest_px) {
            let next = Pass::run(&working, network, long_side_px, params)?;
            if next.best_heat() > best.best_heat() {
                best = next;
            }
        }
        Ok(best.in_working(frame, working, params))
    }
}

/// One run of the network. Outlines are in pixels of its input.
struct Pass {
    scaled: ScaledPhoto,
    maps: Maps,
    cards: Vec<Candidate>,
}

impl Pass {
    fn run(
        working: &Working,
        network: &dyn FinderNetwork,
        long_side_px: f64,
        params: &Params,
    ) -> Result<Self, FindError> {
        let scaled = ScaledPhoto::new(working, long_side_px);
        let maps = network.maps(&scaled.input)?;
        let mut cards = cards(&maps, params.least_heat, params.apart);
        cards.retain(|c| {
            let Point { x, y } = c.quad.center();
            x < scaled.size.0 as f64 && y < scaled.size.1 as f64
        });
        cards.truncate(worth_a_look(cards.iter().filter(|c| c.heat > 0.0).count()));
        Ok(Self { scaled, maps, cards })
    }

    /// Number of likely cards.
    fn likely(&self) -> usize {
        self.cards.iter().filter(|card| card.heat > 0.0).count()
    }

    /// Log odds of the likeliest card: at the wrong scale they are low.
    fn best_heat(&self) -> f64 {
        self.cards.first().map_or(f64::MIN, |card| card.heat)
    }

    /// In pixels of a working image in which the median card is large enough for its borders.
    fn in_working(self, frame: &Frame, mut working: Working, params: &Params) -> Found {
        let Self { mut scaled, maps, cards } = self;
        let median_px = median_long_side(&cards).map(|px| px * scaled.working_per_input.x);
        if let Some(px) = median_px
            && px < params.smallest_working_card_px
        {
            let wanted = params.working_px * params.smallest_working_card_px * 1.3 / px;
            let before = (working.width as f64, working.height as f64);
            working = Working::new(frame, wanted.min(params.largest_working_px));
            scaled.working_per_input.x *= working.width as f64 / before.0;
            scaled.working_per_input.y *= working.height as f64 / before.1;
        }
        let cards = cards
            .iter()
            .map(|card| Candidate {
                quad: Quad::from_corners(card.quad.0.map(|p| scaled.working_from_input(p))),
                heat: card.heat,
            })
            .collect();
        let mut symbols = symbols(&maps, params.least_symbol_heat);
        for symbol in &mut symbols {
            symbol.center = scaled.working_from_input(symbol.center);
        }
        Found { working, scaled, maps, cards, symbols }
    }
}

/// How many candidates are looked at where so many are likely. Each costs as much as a card, and a
/// picture without cards, such as a page of text, has unlikely ones without end; a table has fewer
/// than likely ones, and most of those in a heap.
const fn worth_a_look(likely: usize) -> usize {
    /// As many as lie on a table, for those on which none is likely.
    const UNLIKELY: usize = 12;
    /// More than a deck and its surroundings.
    const MOST: usize = 120;
    let some = UNLIKELY + 2 * likely;
    if some < MOST { some } else { MOST }
}

/// Long side of the median likely card, in pixels of the input.
fn median_long_side(cards: &[Candidate]) -> Option<f64> {
    let likely = cards.iter().filter(|c| c.heat > -0.4);
    median(likely.map(|c| c.quad.long_side().max(c.quad.short_side())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Draws the maps that a perfect network would give: every cell within one of a card's centre
    /// describes the card.
    pub(crate) fn drawn(rows: usize, columns: usize, cards: &[Quad]) -> Maps {
        let cells = rows * columns;
        let mut values = vec![0.0; finder::OUTPUTS * cells];
        values[..2 * cells].fill(-8.0);
        let mut maps = Maps { values, rows, columns };
        for card in cards {
            let q = card.scaled(1.0 / STRIDE).0;
            let center = card.center() / STRIDE;
            let m = (q[0] + q[1] + q[2] + q[3]) / 4.0;
            let a = (q[1] + q[2] - q[0] - q[3]) / 4.0;
            let b = (q[2] + q[3] - q[0] - q[1]) / 4.0;
            let e = (q[0] - q[1] + q[2] - q[3]) / 4.0;
            let (row, column) = (center.y as usize, center.x as usize);
            for (r, c) in neighbours(&maps, row, column).collect::<Vec<_>>() {
                let here = Point::new(c as f64 + 0.5, r as f64 + 0.5);
                let heat = 3.0 - 4.0 * here.distance(center);
                let offset = m - here;
                let mut planes = vec![(finder::CARD, heat)];
                planes.extend([(2, offset.x), (3, offset.y)]);
                planes.extend((0..3).map(|k| (finder::LONG_AXIS + k, outer(a)[k])));
                planes.extend((0..3).map(|k| (finder::SHORT_AXIS + k, outer(b)[k])));
                planes.extend([(finder::BILINEAR, e.x), (finder::BILINEAR + 1, e.y)]);
                for (plane, value) in planes {
                    maps.values[(plane * rows + r) * columns + c] = value as f32;
                }
            }
        }
        maps
    }

    fn outer(v: Point) -> [f64; 3] {
        [v.x * v.x, v.y * v.y, v.x * v.y].map(|x| x / v.norm())
    }

    fn card(x: f64, y: f64, angle: f64, long: f64, squeeze: f64) -> Quad {
        let (sin, cos) = angle.sin_cos();
        let (a, b) = (long / 2.0, long / 1.54 / 2.0);
        Quad::new([(-a, -b), (a, -b), (a, b), (-a, b)].map(|(u, v)| {
            // Adds a little perspective: the end at +u is nearer and larger.
            let depth = 1.0 + squeeze * u / long;
            let (u, v) = (u / depth, v / depth);
            Point::new(x + u * cos - v * sin, y + u * sin + v * cos)
        }))
    }

    proptest! {
        #[test]
        fn what_the_maps_describe_is_what_is_decoded(
            x in 80.0..240.0f64, y in 80.0..180.0f64, angle in 0.0..6.3f64, long in 30.0..75.0f64,
            squeeze in -0.3..0.3f64,
        ) {
            let truth = card(x, y, angle, long, squeeze);
            let found = cards(&drawn(64, 80, &[truth]), 0.0, 0.42);
            prop_assert_eq!(found.len(), 1);
            let error = found[0].quad.corner_error(&truth);
            prop_assert!(error < 1e-3, "{:?} is not {:?}", found[0], truth);
        }
    }

    #[test]
    fn neighbours_are_kept_and_doubles_are_not() {
        let neighbours = [card(100.0, 100.0, 0.0, 52.0, 0.0), card(156.0, 100.0, 1.2, 52.0, 0.0)];
        assert_eq!(cards(&drawn(64, 80, &neighbours), 0.0, 0.42).len(), 2);
        let double = [card(100.0, 100.0, 0.0, 52.0, 0.0), card(112.5, 100.0, 0.1, 52.0, 0.0)];
        assert_eq!(cards(&drawn(64, 80, &double), 0.0, 0.42).len(), 1);
        assert_eq!(cards(&drawn(64, 80, &[]), 0.0, 0.42), []);
    }

    #[test]
    fn a_symbol_lies_between_the_cells_that_show_it() {
        let mut maps = drawn(16, 16, &[]);
        // A parabola with its vertex a quarter of a cell to the right of cell (5, 7), where its
        // value is 2.
        for row in 0..16 {
            for column in 0..16 {
                let (dy, dx) = (row as f64 - 5.0, column as f64 - 7.25);
                let value = 2.0 - dy * dy - dx * dx;
                maps.values[(finder::SYMBOL * 16 + row) * 16 + column] = value as f32;
            }
        }
        let found = symbols(&maps, 0.0);
        assert_eq!(found.len(), 1);
        assert!(found[0].center.distance(Point::new(4.0 * 7.75, 4.0 * 5.5)) < 1e-3, "{found:?}");
        let heat = symbol_heat_at(&maps, Point::new(31.0, 22.0)).unwrap();
        assert!((heat - 1.9375).abs() < 1e-3, "{heat}");
        assert_eq!(symbol_heat_at(&maps, Point::new(-3.0, 22.0)), None);
    }
}
