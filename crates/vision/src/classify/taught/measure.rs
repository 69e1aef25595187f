//! Measures one card of any deck: the number of its symbols, their outline, filling and ink.

use super::face::{Face, PX_PER_MM, WIDTH};
use super::symbols::{self, PATCH_HEIGHT, PATCH_WIDTH, Symbol};

/// Pixels of a patch.
pub const PATCH: usize = PATCH_WIDTH * PATCH_HEIGHT;
/// Numbers that describe a fill.
pub const FILL_FEATURES: usize = 16;
/// Features of one print err together: each is worth this part of one that does not.
pub(super) const FEATURES_WORTH: f32 = 4.0 / FILL_FEATURES as f32;
/// What is printed within an outline, in shares of the symbol's own ink: its mean, deviation,
/// skewness (the cube root of the third moment), its growth along the short side over 10 mm
/// (without a sign), and for four distances along the long side, the short side and both diagonals
/// the covariance of the print with itself so far away (a signed square root). All kinds of patterns differ
/// in these, and detail that a photo does not resolve leaves the mean unchanged.
pub(super) type FillFeatures = [f32; FILL_FEATURES];

/// Distances at which a print is compared with itself, in pixels of the face: half a millimetre to
/// 2.3.
const LAGS: [i32; 4] = [2, 5, 7, 10];

/// A card as it was measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Number of symbols, 1 to 3.
    pub number: usize,
    /// Share of the symbols within whose outline a pixel lies, a patch about the centre of area.
    pub soft: Vec<f32>,
    /// The same as half of them see it.
    pub mask: Mask,
    /// See [`FillFeatures`].
    pub fill: FillFeatures,
    /// Of the strongest ink: lightness, green to red, blue to yellow (CIELAB on the card's own
    /// stock).
    pub ink: [f32; 3],
    /// The same as shares of the stock's light, linear R, G, B.
    pub light: [f32; 3],
    /// Width of the printed outline in millimetres, where the inside is paler.
    pub outline_mm: f32,
    /// From one symbol's centre to the next, in card long sides, where there are neighbours.
    pub spacing: Option<f32>,
    /// Deviation of the Gaussian that would blur an outline as much, in pixels of the face.
    pub blur_px: f32,
}

impl Measured {
    /// Measures a card; `None` where no row of symbols is visible.
    pub fn new(face: &Face) -> Option<Self> {
        let symbols = symbols::cut(face);
        if symbols.is_empty() {
            return None;
        }
        let n = symbols.len() as f32;
        let mut soft = vec![0.0; PATCH];
        for symbol in &symbols {
            for (sum, inside) in soft.iter_mut().zip(&symbol.mask) {
                *sum += f32::from(u8::from(*inside)) / n;
            }
        }
        let mask = Mask::from_pixels(soft.iter().map(|share| *share >= 0.5));
        let prints: Vec<Print> = symbols.iter().map(Print::new).collect();
        let mean = |value: &dyn Fn(&Print) -> f32| prints.iter().map(value).sum::<f32>() / n;
        let light = std::array::from_fn(|c| mean(&|print| print.light[c]));
        let (first, last) = (&symbols[0], &symbols[symbols.len() - 1]);
        let spacing = (symbols.len() > 1)
            .then(|| (last.center.0 - first.center.0) / (n - 1.0) / WIDTH as f32);
        Some(Self {
            number: symbols.len(),
            soft,
            mask,
            fill: std::array::from_fn(|i| mean(&|print| print.fill[i])),
            ink: lab(light),
            light,
            outline_mm: mean(&|print| print.outline_mm),
            spacing,
            blur_px: mean(&|print| print.blur_px),
        })
    }
}

/// Which pixels of a patch are within an outline.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask(Vec<u64>);

impl Mask {
    /// From the pixels of a patch, row by row.
    pub fn from_pixels(pixels: impl Iterator<Item = bool>) -> Self {
        let mut words = vec![0u64; PATCH.div_ceil(64)];
        for (i, _) in pixels.enumerate().filter(|(_, inside)| *inside) {
            words[i / 64] |= 1 << (i % 64);
        }
        Self(words)
    }

    /// Whether it holds a pixel, by its number.
    pub(crate) fn has(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }

    /// After half a turn.
    pub fn turned(&self) -> Self {
        Self::from_pixels((0..PATCH).map(|i| self.has(PATCH - 1 - i)))
    }

    /// Part of what either holds that both hold, 0 to 1.
    pub fn overlap(&self, other: &Self) -> f32 {
        let (mut both, mut either) = (0, 0);
        for (a, b) in self.0.iter().zip(&other.0) {
            both += (a & b).count_ones();
            either += (a | b).count_ones();
        }
        both as f32 / either.max(1) as f32
    }

    /// Number of pixels.
    pub fn area_px(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
}

/// The measurements of one symbol.
struct Print {
    fill: FillFeatures,
    light: [f32; 3],
    outline_mm: f32,
    blur_px: f32,
}

impl Print {
    fn new(symbol: &Symbol) -> Self {
        let depth = depths_mm(&symbol.mask);
        let within: Vec<usize> = (0..PATCH).filter(|&i| symbol.mask[i]).collect();
        let mut by_ink = within.clone();
        by_ink.sort_by(|&a, &b| symbol.ink[b].total_cmp(&symbol.ink[a]));
        // The strongest tenth, without the very strongest, which are noise.
        let (from, to) = (by_ink.len() / 100, (by_ink.len() / 9).max(2));
        let strongest = &by_ink[from..to.min(by_ink.len()).max(from + 1)];
        let n = strongest.len() as f32;
        let full = (strongest.iter().map(|&i| symbol.ink[i]).sum::<f32>() / n).max(0.02);
        let light =
            std::array::from_fn(|c| strongest.iter().map(|&i| symbol.light[i][c]).sum::<f32>() / n);
        let deepest = within.iter().map(|&i| depth[i]).fold(0.0, f32::max);
        let inner = (0.55 * deepest).min(2.6);
        let share: Vec<f32> = symbol.ink.iter().map(|ink| ink / full).collect();
        let inside: Vec<bool> = depth.iter().map(|mm| *mm >= inner).collect();
        let fill = fill_features(&share, &inside);
        Self {
            outline_mm: outline_mm(&share, &depth, fill[0]),
            blur_px: blur_px(&share, &symbol.mask),
            fill,
            light,
        }
    }
}

/// Distance of each pixel of a mask from the nearest pixel outside, in millimetres; 0 outside.
/// Distances are those of a chamfer (Borgefors 1986).
fn depths_mm(mask: &[bool]) -> Vec<f32> {
    let mut depth: Vec<f32> = mask.iter().map(|inside| if *inside { 1e6 } else { 0.0 }).collect();
    const SIDE: f32 = 0.955;
    const CORNER: f32 = 1.369;
    let (w, h) = (PATCH_WIDTH as i32, PATCH_HEIGHT as i32);
    for forward in [true, false] {
        let sign = if forward { -1 } else { 1 };
        for k in 0..PATCH as i32 {
            let i = if forward { k } else { PATCH as i32 - 1 - k };
            let (x, y) = (i % w, i / w);
            for (dx, dy, step) in [(1, 0, SIDE), (1, 1, CORNER), (0, 1, SIDE), (-1, 1, CORNER)] {
                let (u, v) = (x + sign * dx, y + sign * dy);
                let near = if u < 0 || v < 0 || u >= w || v >= h {
                    0.0
                } else {
                    depth[(v * w + u) as usize]
                };
                let current = &mut depth[i as usize];
                *current = current.min(near + step);
            }
        }
    }
    depth.iter().map(|px| (px - 0.5).max(0.0) / PX_PER_MM).collect()
}

/// See [`FillFeatures`]; `share` is the ink in shares of the symbol's own.
fn fill_features(share: &[f32], inside: &[bool]) -> FillFeatures {
    let places: Vec<usize> = (0..PATCH).filter(|&i| inside[i]).collect();
    let n = places.len().max(1) as f32;
    let mean_of = |value: &dyn Fn(usize) -> f32| places.iter().map(|&i| value(i)).sum::<f32>() / n;
    let mean = mean_of(&|i| share[i]);
    let (mx, my) = (mean_of(&|i| position(i).0), mean_of(&|i| position(i).1));
    // A slope along either side, of which only that along the short side is a fill's.
    let slope = |pick: &dyn Fn(usize) -> f32| {
        let spread = mean_of(&|i| pick(i).powi(2));
        mean_of(&|i| pick(i) * (share[i] - mean)) / spread.max(1.0)
    };
    let across = slope(&|i| position(i).0 - mx);
    let along = slope(&|i| position(i).1 - my);
    let rest: Vec<f32> = (0..PATCH)
        .map(|i| share[i] - mean - across * (position(i).0 - mx) - along * (position(i).1 - my))
        .collect();
    let variance = mean_of(&|i| rest[i].powi(2));
    let mut features = [0.0; FILL_FEATURES];
    features[0] = mean;
    features[1] = variance.sqrt();
    features[2] = mean_of(&|i| rest[i].powi(3)).cbrt();
    features[3] = (along * 10.0 * PX_PER_MM).abs();
    let covariance = |dx: i32, dy: i32| covariance(&rest, inside, (dx, dy));
    for (k, lag) in LAGS.into_iter().enumerate() {
        let diagonal = (0.7 * lag as f32).round() as i32;
        features[4 + 3 * k] = signed_root(covariance(lag, 0));
        features[5 + 3 * k] = signed_root(covariance(0, lag));
        let both = covariance(diagonal, diagonal) + covariance(diagonal, -diagonal);
        features[6 + 3 * k] = signed_root(both / 2.0);
    }
    features
}

fn position(i: usize) -> (f32, f32) {
    ((i % PATCH_WIDTH) as f32, (i / PATCH_WIDTH) as f32)
}

fn signed_root(v: f32) -> f32 {
    v.signum() * v.abs().sqrt()
}

/// The covariance of a patch inside an outline with itself, so far away.
fn covariance(patch: &[f32], inside: &[bool], (dx, dy): (i32, i32)) -> f32 {
    let (mut sum, mut count) = (0.0, 0u32);
    for i in (0..PATCH).filter(|&i| inside[i]) {
        let (x, y) = ((i % PATCH_WIDTH) as i32 + dx, (i / PATCH_WIDTH) as i32 + dy);
        if x < 0 || y < 0 || x >= PATCH_WIDTH as i32 || y >= PATCH_HEIGHT as i32 {
            continue;
        }
        let other = y as usize * PATCH_WIDTH + x as usize;
        if inside[other] {
            sum += patch[i] * patch[other];
            count += 1;
        }
    }
    if count < 30 { 0.0 } else { sum / count as f32 }
}

/// Width of the outline: what ink there is near the border beyond the inside's mean, as if it were
/// full. Blur moves ink but takes none away.
fn outline_mm(share: &[f32], depth: &[f32], tint: f32) -> f32 {
    /// As far as an outline may reach, in pixels.
    const REACH: usize = 15;
    let mut rings = [(0.0f32, 0u32); REACH];
    for (share, mm) in share.iter().zip(depth) {
        let ring = (mm * PX_PER_MM) as usize;
        if *mm > 0.0 && ring < REACH {
            rings[ring].0 += share;
            rings[ring].1 += 1;
        }
    }
    let width: f32 = rings
        .iter()
        .filter(|ring| ring.1 > 0)
        .map(|(sum, count)| ((sum / *count as f32 - tint) / (1.0 - tint).max(0.1)).clamp(-0.2, 1.0))
        .sum();
    (width / PX_PER_MM).max(0.0)
}

/// Of the Gaussian that makes the symbol's border as flat as it is.
fn blur_px(share: &[f32], mask: &[bool]) -> f32 {
    let mut steep = Vec::new();
    for y in 1..PATCH_HEIGHT - 1 {
        for x in 1..PATCH_WIDTH - 1 {
            let i = y * PATCH_WIDTH + x;
            let near = [i - 1, i + 1, i - PATCH_WIDTH, i + PATCH_WIDTH];
            if mask[i] && near.iter().any(|&j| !mask[j]) {
                let dx = (share[i + 1] - share[i - 1]) / 2.0;
                let dy = (share[i + PATCH_WIDTH] - share[i - PATCH_WIDTH]) / 2.0;
                steep.push(dx.hypot(dy));
            }
        }
    }
    if steep.is_empty() {
        return 9.0;
    }
    steep.sort_by(f32::total_cmp);
    // Corners are flatter than sides.
    let side = steep[steep.len() * 6 / 10].max(0.02);
    1.0 / (side * std::f32::consts::TAU.sqrt())
}

/// CIELAB of shares of the stock's light (CIE 15:2004), which takes the place of its white.
pub fn lab(light: [f32; 3]) -> [f32; 3] {
    let [r, g, b] = light.map(|v| v.clamp(0.0, 1.0));
    // sRGB's primaries, each row divided by its sum: the stock is (1, 1, 1).
    let x = 0.4339 * r + 0.3763 * g + 0.1898 * b;
    let y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    let z = 0.0178 * r + 0.1095 * g + 0.8727 * b;
    [
        116.0 * cielab_f(y) - 16.0,
        500.0 * (cielab_f(x) - cielab_f(y)),
        200.0 * (cielab_f(y) - cielab_f(z)),
    ]
}

fn cielab_f(t: f32) -> f32 {
    if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 }
}

/// The features of fills; the mean is measured best.
pub fn fill_point(measured: &Measured) -> [f32; FILL_FEATURES] {
    let mut point = measured.fill;
    point[3] *= 0.7;
    point
}

#[cfg(test)]
mod tests {
    use super::super::drawn;
    use super::*;
    use setsight_game::cards::Deck;
    use setsight_photo::print::card::Print;

    #[test]
    fn what_is_drawn_is_measured() {
        let print = Print::new(Deck::classic());
        let of = |code: &str, blur| drawn::measure(code.parse().unwrap(), &print, blur).unwrap();
        let (solid, open, striped) = (of("1fro", 0.8), of("1oro", 0.8), of("1sro", 0.8));
        assert!([&solid, &open, &striped].iter().all(|card| card.number == 1));
        assert!(solid.fill[0] > 0.95 && open.fill[0] < 0.05, "{:?} {:?}", solid.fill, open.fill);
        assert!(
            (0.1..0.6).contains(&striped.fill[0]) && striped.fill[1] > 0.1,
            "{:?}",
            striped.fill
        );
        // Stripes along the long side: the same again beside, another below.
        assert!(striped.fill[4] > striped.fill[5] + 0.05, "{:?}", striped.fill);
        let drawn_mm = print.fills[1].outline_mm as f32;
        assert!((open.outline_mm - drawn_mm).abs() < 0.35, "{} {drawn_mm}", open.outline_mm);
        assert!(solid.mask.overlap(&open.mask) > 0.97);
        assert!(solid.mask.overlap(&of("1frd", 0.8).mask) < 0.85);
        assert!(of("1fro", 2.5).blur_px > 1.5 * solid.blur_px);
        let ink = lab([1.0; 3]);
        assert!((ink[0] - 100.0).abs() < 0.1 && ink[1].abs() < 0.1 && ink[2].abs() < 0.1);
    }

    #[test]
    fn half_a_turn_is_undone() {
        let mask = Mask::from_pixels((0..PATCH).map(|i| i % 7 == 3 && i < PATCH / 3));
        assert_eq!(mask.turned().turned(), mask);
        assert!(mask.overlap(&mask) == 1.0 && mask.overlap(&mask.turned()) < 0.5);
    }
}
