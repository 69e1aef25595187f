//! The measured outlines of the three symbols and where they stand on a card.
//!
//! Space of every number here: x in card long sides, y in card short sides, the card lying with
//! its long side across, y down. One unit of x is therefore [`CARD_LONG_MM`] and one of y
//! [`CARD_SHORT_MM`]. The outlines are the outer edge of the print, measured on 243 photographed
//! symbols, 48 points each, closed (the last point joins the first), anticlockwise on the screen.
//! Each is its own image after half a turn; the squiggle is not its own mirror image.

use super::{Number, Shape};

/// Long side of a card in millimetres.
pub const CARD_LONG_MM: f64 = 89.0;
/// Short side of a card in millimetres.
pub const CARD_SHORT_MM: f64 = 57.0;
/// Distance between the centres of neighbouring symbols, in card long sides.
pub const SYMBOL_SPACING: f64 = 0.285;

/// The outline of a shape about its own centre (see the module's page for unit and order).
pub const fn symbol_outline(shape: Shape) -> &'static [(f64, f64); 48] {
    match shape {
        Shape::Diamond => &DIAMOND,
        Shape::Oval => &OVAL,
        Shape::Squiggle => &SQUIGGLE,
    }
}

/// Where the symbols of a card stand: the x of each centre relative to the card's centre, in card
/// long sides, from left to right. Their y is 0.
pub const fn symbol_centers(number: Number) -> &'static [f64] {
    match number {
        Number::One => &[0.0],
        Number::Two => &[-SYMBOL_SPACING / 2.0, SYMBOL_SPACING / 2.0],
        Number::Three => &[-SYMBOL_SPACING, 0.0, SYMBOL_SPACING],
    }
}

#[rustfmt::skip]
const DIAMOND: [(f64, f64); 48] = [
    (-0.0006, -0.3430), (-0.0118, -0.3158), (-0.0206, -0.2871), (-0.0298, -0.2587),
    (-0.0383, -0.2297), (-0.0475, -0.2013), (-0.0559, -0.1723), (-0.0651, -0.1439),
    (-0.0736, -0.1150), (-0.0826, -0.0864), (-0.0916, -0.0578), (-0.1005, -0.0291),
    (-0.1073, 0.0009), (-0.0997, 0.0303), (-0.0912, 0.0593), (-0.0820, 0.0877),
    (-0.0736, 0.1167), (-0.0646, 0.1453), (-0.0556, 0.1739), (-0.0467, 0.2025),
    (-0.0376, 0.2311), (-0.0290, 0.2599), (-0.0198, 0.2884), (-0.0114, 0.3173),
    (0.0006, 0.3430), (0.0118, 0.3158), (0.0206, 0.2871), (0.0298, 0.2587),
    (0.0383, 0.2297), (0.0475, 0.2013), (0.0559, 0.1723), (0.0651, 0.1439),
    (0.0736, 0.1150), (0.0826, 0.0864), (0.0916, 0.0578), (0.1005, 0.0291),
    (0.1073, -0.0009), (0.0997, -0.0303), (0.0912, -0.0593), (0.0820, -0.0877),
    (0.0736, -0.1167), (0.0646, -0.1453), (0.0556, -0.1739), (0.0467, -0.2025),
    (0.0376, -0.2311), (0.0290, -0.2599), (0.0198, -0.2884), (0.0114, -0.3173),
];

#[rustfmt::skip]
const OVAL: [(f64, f64); 48] = [
    (-0.0118, -0.3325), (-0.0333, -0.3252), (-0.0528, -0.3105), (-0.0704, -0.2884),
    (-0.0848, -0.2611), (-0.0949, -0.2311), (-0.1006, -0.1981), (-0.1025, -0.1628),
    (-0.1028, -0.1264), (-0.1028, -0.0899), (-0.1023, -0.0544), (-0.1028, -0.0182),
    (-0.1028, 0.0184), (-0.1021, 0.0546), (-0.1028, 0.0901), (-0.1028, 0.1267),
    (-0.1024, 0.1630), (-0.1006, 0.1984), (-0.0949, 0.2314), (-0.0848, 0.2614),
    (-0.0703, 0.2885), (-0.0527, 0.3107), (-0.0332, 0.3254), (-0.0116, 0.3325),
    (0.0118, 0.3325), (0.0333, 0.3252), (0.0528, 0.3105), (0.0704, 0.2884),
    (0.0848, 0.2611), (0.0949, 0.2311), (0.1006, 0.1981), (0.1025, 0.1628),
    (0.1028, 0.1264), (0.1028, 0.0899), (0.1023, 0.0544), (0.1028, 0.0182),
    (0.1028, -0.0184), (0.1021, -0.0546), (0.1028, -0.0901), (0.1028, -0.1267),
    (0.1024, -0.1630), (0.1006, -0.1984), (0.0949, -0.2314), (0.0848, -0.2614),
    (0.0703, -0.2885), (0.0527, -0.3107), (0.0332, -0.3254), (0.0116, -0.3325),
];

#[rustfmt::skip]
const SQUIGGLE: [(f64, f64); 48] = [
    (-0.0489, -0.3167), (-0.0698, -0.3068), (-0.0884, -0.2883), (-0.0961, -0.2565),
    (-0.0887, -0.2245), (-0.0770, -0.1953), (-0.0669, -0.1651), (-0.0594, -0.1332),
    (-0.0556, -0.0989), (-0.0567, -0.0629), (-0.0624, -0.0298), (-0.0702, 0.0019),
    (-0.0778, 0.0338), (-0.0837, 0.0667), (-0.0871, 0.1013), (-0.0871, 0.1366),
    (-0.0837, 0.1711), (-0.0770, 0.2035), (-0.0680, 0.2344), (-0.0544, 0.2624),
    (-0.0365, 0.2834), (-0.0175, 0.3009), (0.0031, 0.3118), (0.0253, 0.3167),
    (0.0489, 0.3167), (0.0698, 0.3068), (0.0884, 0.2883), (0.0961, 0.2565),
    (0.0887, 0.2245), (0.0770, 0.1953), (0.0669, 0.1651), (0.0594, 0.1332),
    (0.0556, 0.0989), (0.0567, 0.0629), (0.0624, 0.0298), (0.0702, -0.0019),
    (0.0778, -0.0338), (0.0837, -0.0667), (0.0871, -0.1013), (0.0871, -0.1366),
    (0.0837, -0.1711), (0.0770, -0.2035), (0.0680, -0.2344), (0.0544, -0.2624),
    (0.0365, -0.2834), (0.0175, -0.3009), (-0.0031, -0.3118), (-0.0253, -0.3167),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_are_their_own_image_after_half_a_turn_and_fit_between_neighbours() {
        for shape in Shape::ALL {
            let outline = symbol_outline(shape);
            for (i, &(x, y)) in outline.iter().enumerate() {
                let (u, v) = outline[(i + 24) % 48];
                assert!((x + u).abs() < 2e-3 && (y + v).abs() < 2e-3, "{shape} {i}");
                assert!(x.abs() < SYMBOL_SPACING / 2.0 && y.abs() < 0.5);
            }
            let area: f64 = (0..48)
                .map(|i| (outline[i], outline[(i + 1) % 48]))
                .map(|(a, b)| a.0 * b.1 - b.0 * a.1)
                .sum::<f64>()
                / 2.0;
            assert!(area < 0.0, "{shape}: anticlockwise with y down");
        }
    }

    #[test]
    fn the_squiggle_has_a_handedness() {
        let outline = symbol_outline(Shape::Squiggle);
        let mirrored_is_near =
            outline.iter().all(|&(x, y)| outline.iter().any(|&(u, v)| (x + u).hypot(y - v) < 0.02));
        assert!(!mirrored_is_near);
    }
}
