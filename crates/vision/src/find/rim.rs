//! Measures the rim of a card, which is blank.

use super::working::{Working, WorkingQuad};

/// Position of the rim between the centre (0) and the side (1).
const INWARDS: f64 = 0.9;

/// Colours (R, G, B) of points on a card's rim, `count` along each side, from the position `first`
/// to its mirror image, in sides. Points outside the picture are left out.
pub(super) fn rim(quad: &WorkingQuad, working: &Working, first: f64, count: usize) -> Vec<[u8; 3]> {
    let (rgb, width, height) = (working.rgb.as_raw(), working.width, working.height);
    let center = quad.center();
    let mut seen = Vec::with_capacity(4 * count);
    for i in 0..4 {
        let (a, b) = (quad.0[i], quad.0[(i + 1) % 4]);
        for k in 0..count {
            let t = first + (1.0 - 2.0 * first) * k as f64 / (count - 1) as f64;
            let p = center.lerp(a.lerp(b, t), INWARDS);
            if p.x >= 0.0 && p.y >= 0.0 && p.x < width as f64 && p.y < height as f64 {
                let at = 3 * (p.y as usize * width + p.x as usize);
                seen.push([rgb[at], rgb[at + 1], rgb[at + 2]]);
            }
        }
    }
    seen
}

/// Share of the rim, just inside the sides (in working pixels), whose colour is close to the rim's
/// median, 0 to 1: a card is blank there, in one colour. Points outside the picture do not count.
pub(crate) fn even_rim(quad: &WorkingQuad, working: &Working) -> f64 {
    let seen = rim(quad, working, 0.08, 10);
    if seen.is_empty() {
        return 0.0;
    }
    let median = [0, 1, 2].map(|c| {
        let mut values: Vec<u8> = seen.iter().map(|px| px[c]).collect();
        let middle = values.len() / 2;
        f64::from(*values.select_nth_unstable(middle).1)
    });
    let alike = seen
        .iter()
        .filter(|px| (0..3).all(|c| (f64::from(px[c]) - median[c]).abs() < 0.12 * median[c] + 6.0));
    alike.count() as f64 / seen.len() as f64
}
