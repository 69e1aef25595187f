//! Finds the symbols inside a straightened card, at any place.
//!
//! The ink map is cut at several levels. At each, the largest region below the level is the card's
//! stock; whatever it encloses is a blob, with holes filled. The second moments map each shape's
//! template onto the blob, and their IoU is measured. A true symbol appears at many levels, a
//! chance shape at few.

use super::ink::{ABOVE_SURROUNDINGS_ZERO, COARSE_HEIGHT, COARSE_WIDTH, HEIGHT, InkMap, WIDTH};
use super::template::{GRID_PX, Masks, Matrix2, Template, apply, determinant};
use crate::grid::Grid;
use crate::runs::{Run, extent};

/// Ink levels, 0 to 255, from the palest stripe tint above the noise to a solid symbol.
const LEVELS: [u8; 7] = [14, 22, 34, 52, 78, 112, 155];
/// Levels above the local mean, for faint prints and for symbols bleached on one side by glare.
const LOCAL_LEVELS: [u8; 3] = [3, 6, 12];
/// Range of a symbol's spread (root of the second moment) along x and y, relative to the oval's
/// 10.9 and 23.3 pixels of the card image. It allows for outlines that are off by a tenth.
const SPREAD_RANGE: (f32, f32) = (0.5, 1.6);
/// IoU from which a blob counts as a symbol. True symbols lie above 0.9, other shapes at most at
/// 0.82.
const LEAST_OVERLAP: f32 = 0.80;
/// Blobs of two levels nearer than this, in pixels, are one symbol; the symbols of a card are
/// farther apart.
const SAME_PX: f32 = 12.0;
/// Symbols lie on the card's middle line, within this share of the short side.
const OFF_MIDDLE: f32 = 0.2;

/// A symbol found on a card.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Centre in pixels of the card image.
    pub center: [f32; 2],
    /// Second moments of the filled symbol, in square pixels.
    pub covariance: Matrix2,
    /// Best IoU with each shape, then with the mirrored squiggle, 0 to 1.
    pub overlap: [f32; 4],
    /// Mean IoU with each of them over the levels at which the symbol was found.
    pub mean_overlap: [f32; 4],
    /// Number of levels at which the symbol was found.
    pub votes: usize,
}

impl Symbol {
    /// Index of the shape with the best IoU.
    pub(crate) fn shape(&self) -> usize {
        (0..3).max_by(|&a, &b| self.overlap[a].total_cmp(&self.overlap[b])).expect("three shapes")
    }

    fn quality(&self) -> f32 {
        self.overlap[self.shape()] + 0.02 * self.votes as f32
    }
}

/// The symbols of a card from left to right, at most three.
pub(super) fn find(map: &InkMap<'_>, masks: &Masks) -> Vec<Symbol> {
    let mut found: Vec<Symbol> = Vec::new();
    let local = map.above_surroundings();
    let cuts = LEVELS.map(|level| (&map.coarse, level));
    let local_cuts = LOCAL_LEVELS.map(|level| (&local, ABOVE_SURROUNDINGS_ZERO + level));
    for (ink, level) in cuts.into_iter().chain(local_cuts) {
        let labels = Labels::new(ink, level);
        for blob in &labels.blobs {
            let Some(symbol) = judge(&labels, blob, masks) else { continue };
            match found.iter_mut().find(|s| distance(s.center, symbol.center) < SAME_PX) {
                Some(kept) => merge(kept, symbol),
                None => found.push(symbol),
            }
        }
    }
    for symbol in &mut found {
        symbol.mean_overlap = symbol.mean_overlap.map(|sum| sum / symbol.votes as f32);
    }
    found.sort_by(|a, b| b.quality().total_cmp(&a.quality()));
    let mut kept: Vec<Symbol> = Vec::new();
    for symbol in found {
        // The symbols of one card have similar sizes and stand in a row.
        let fits = kept.iter().all(|k| {
            (k.center[0] - symbol.center[0]).abs() > 0.19 * WIDTH as f32
                && (0.6..1.6)
                    .contains(&(determinant(symbol.covariance) / determinant(k.covariance)).sqrt())
        });
        if fits && kept.len() < 3 {
            kept.push(symbol);
        }
    }
    kept.sort_by(|a, b| a.center[0].total_cmp(&b.center[0]));
    kept
}

fn distance(a: [f32; 2], b: [f32; 2]) -> f32 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// Merges a detection at another level into a symbol; the geometry of the better fit is kept.
fn merge(kept: &mut Symbol, detection: Symbol) {
    if detection.overlap[detection.shape()] > kept.overlap[kept.shape()] {
        kept.center = detection.center;
        kept.covariance = detection.covariance;
    }
    for k in 0..4 {
        kept.overlap[k] = kept.overlap[k].max(detection.overlap[k]);
        kept.mean_overlap[k] += detection.mean_overlap[k];
    }
    kept.votes += detection.votes;
}

/// Compares a blob with the templates; `None` if it is no symbol.
fn judge(labels: &Labels, blob: &Blob, masks: &Masks) -> Option<Symbol> {
    let n = blob.area as f32;
    let mean = [blob.sum[0] as f32 / n, blob.sum[1] as f32 / n];
    // Coarse pixel i is two pixels wide, with its centre at 2 i + 1; its own extent adds a variance
    // of 2^2 / 12.
    let second =
        |k: usize, a: usize, b: usize| 4.0 * (blob.square[k] as f32 / n - mean[a] * mean[b]);
    let covariance = [
        [second(0, 0, 0) + 1.0 / 3.0, second(1, 0, 1)],
        [second(1, 0, 1), second(2, 1, 1) + 1.0 / 3.0],
    ];
    let center = [2.0 * mean[0] + 1.0, 2.0 * mean[1] + 1.0];
    let (x, y) = (covariance[0][0].sqrt() / 10.9, covariance[1][1].sqrt() / 23.3);
    let off_middle = (center[1] / HEIGHT as f32 - 0.5).abs();
    if !is_plausible(x)
        || !is_plausible(y)
        || off_middle > OFF_MIDDLE
        || determinant(covariance) < 1.0
    {
        return None;
    }
    let mut overlap = [0.0; 4];
    for (k, overlap) in overlap.iter_mut().enumerate().take(3) {
        *overlap = template_overlap(&masks.templates[k], labels, blob, center, covariance);
    }
    if overlap.iter().all(|&v| v < LEAST_OVERLAP) {
        return None;
    }
    overlap[3] = template_overlap(&masks.templates[3], labels, blob, center, covariance);
    let best = overlap[..3].iter().copied().fold(0.0, f32::max);
    (best >= LEAST_OVERLAP && best >= overlap[3]).then_some(Symbol {
        center,
        covariance,
        overlap,
        mean_overlap: overlap,
        votes: 1,
    })
}

fn is_plausible(spread: f32) -> bool {
    (SPREAD_RANGE.0..SPREAD_RANGE.1).contains(&spread)
}

/// The IoU of a blob with a template that is mapped onto it.
fn template_overlap(
    template: &Template,
    labels: &Labels,
    blob: &Blob,
    center: [f32; 2],
    covariance: Matrix2,
) -> f32 {
    let m = template.image_from_template(covariance);
    let step = apply(m, [GRID_PX, 0.0]);
    let mut hits = 0;
    for &(first, count) in &template.rows {
        let [dx, dy] = apply(m, first);
        let (mut x, mut y) = (center[0] + dx, center[1] + dy);
        for _ in 0..count {
            hits += usize::from(labels.at(x, y) == blob.label);
            x += step[0];
            y += step[1];
        }
    }
    let hits = hits as f32;
    let blob_area = 4.0 * blob.area as f32 / (determinant(m) * GRID_PX * GRID_PX);
    hits / (template.inside.len() as f32 + blob_area - hits)
}

/// A region that the stock encloses, with its holes filled: sums over its coarse pixels.
struct Blob {
    label: u16,
    area: u32,
    sum: [u32; 2],
    /// x x, x y, y y.
    square: [u32; 3],
}

/// The coarse map, cut at one level.
struct Labels {
    /// 0: no blob.
    label: Vec<u16>,
    /// Those that do not touch the border.
    blobs: Vec<Blob>,
}

impl Labels {
    fn new(ink: &[u8], level: u8) -> Self {
        const LEAST_PX: u32 = 60;
        let inked = ink.iter().map(|ink| *ink >= level).collect();
        let inked = Grid { width: COARSE_WIDTH, values: inked };
        let mut labels = Self { label: vec![0; ink.len()], blobs: Vec::new() };
        // A smaller region is not a card's stock: almost everything would be ink at this level.
        let Some(rest) = inked.beside_stock(ink.len() / 5) else { return labels };
        for runs in rest.areas() {
            let (columns, rows, area) = extent(runs);
            let touches_border = columns.start == 0
                || rows.start == 0
                || columns.end as usize == COARSE_WIDTH
                || rows.end as usize == COARSE_HEIGHT;
            if area < LEAST_PX || touches_border {
                continue;
            }
            let label = labels.blobs.len() as u16 + 1;
            let mut blob = Blob { label, area, sum: [0; 2], square: [0; 3] };
            for run in runs {
                labels.label[run.pixels(COARSE_WIDTH)].fill(label);
                blob.add(run);
            }
            labels.blobs.push(blob);
        }
        labels
    }

    fn at(&self, x: f32, y: f32) -> u16 {
        // A negative number becomes 0 here: a border pixel, which belongs to no blob.
        let (x, y) = ((x / 2.0) as usize, (y / 2.0) as usize);
        if x >= COARSE_WIDTH || y >= COARSE_HEIGHT { 0 } else { self.label[y * COARSE_WIDTH + x] }
    }
}

impl Blob {
    fn add(&mut self, run: &Run) {
        // The sums of 0, 1, .. n - 1 and of their squares.
        let Run { from, to, y, .. } = *run;
        let (n, sum) = (to - from, sum_below(to) - sum_below(from));
        self.sum[0] += sum;
        self.sum[1] += n * y;
        self.square[0] += sum_of_squares_below(to) - sum_of_squares_below(from);
        self.square[1] += sum * y;
        self.square[2] += n * y * y;
    }
}

fn sum_of_squares_below(n: u32) -> u32 {
    n * n.saturating_sub(1) * (2 * n).saturating_sub(1) / 6
}

fn sum_below(n: u32) -> u32 {
    n * n.saturating_sub(1) / 2
}
