//! Detects symbols: contours that resemble a symbol in their moment frame.

use super::contours::Contour;
use super::shape::{DIRECTION, MomentFrame, Signature, most_alike, template, turned};
use crate::find::{plane::CARD_ASPECT, working_image::Working};
use crate::probability::{median, rank};
use setsight_game::cards::{Shape, outline::symbol_outline};
use setsight_photo::geometry::Point;

/// A detected symbol. Coordinates are in working pixels.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub frame: MomentFrame,
    /// Rotation of the symbol in its frame, in radians, at which it matches best; a shear causes it.
    pub turn: f64,
    /// The shape that matches best.
    pub shape: Shape,
    /// IoU with that shape, 0 to 1.
    pub iou: f64,
    /// Number of contours that show it.
    pub votes: usize,
    /// The card's long side that this symbol implies.
    pub long_side: Point,
    /// The card's short side that this symbol implies.
    pub short_side: Point,
    pub colors: InkColors,
    /// Log odds that it is a symbol.
    pub quality: f64,
}

impl Symbol {
    /// Maps a vector of the image to the template's frame.
    pub(crate) fn template_from_image(&self, v: Point) -> Point {
        turned(self.frame.frame_from_image(v), -self.turn)
    }

    /// Long side, in working pixels, of a card with the area that this symbol implies; it is less
    /// sensitive to a wrong shear than either side alone.
    pub(crate) fn card_long_px(&self) -> f64 {
        (self.long_side.cross(self.short_side).abs() * CARD_ASPECT).sqrt()
    }
}

/// Colours in and around a symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct InkColors {
    /// White of the card around the symbol, R, G, B, 0 to 255.
    pub white: [f64; 3],
    /// Ink of the outline: 1 - intensity / white, R, G, B.
    pub ink: [f64; 3],
}

impl InkColors {
    /// The strongest ink of the three channels, 0 to 1.
    pub(crate) fn contrast(&self) -> f64 {
        self.ink.into_iter().fold(f64::MIN, f64::max)
    }
}

/// Thresholds for symbols.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Params {
    /// Shortest bounding box (longer side), in working pixels; the shape of a smaller one is
    /// unreliable.
    pub smallest_px: f64,
    /// Longest bounding box as a share of the working image's long side; a single card may fill the
    /// photo.
    pub largest: f64,
    /// IoU from which a region is a symbol: true symbols reach 0.95 to 0.98, other regions at most
    /// 0.82.
    pub iou: f64,
    /// Largest rotation in the frame that is tried on a sheared symbol, in radians.
    pub turn: f64,
    /// IoU that a rotation costs per radian: a smaller shear is likelier, and more attempts give more
    /// false matches.
    pub turn_cost: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self { smallest_px: 14.0, largest: 0.30, iou: 0.84, turn: 0.4, turn_cost: 0.1 }
    }
}

/// The symbols among contours, each once, with its colours.
pub(crate) fn symbols(
    contours: &[Contour],
    working: &Working,
    params: &Params,
) -> opencv::Result<Vec<Symbol>> {
    let largest_px = params.largest * working.width.max(working.height) as f64;
    let mut detections = Vec::new();
    for contour in contours {
        let [long, short] = contour.box_px;
        if (params.smallest_px..=largest_px).contains(&long)
            && short >= 0.35 * params.smallest_px
            && contour.is_complete
        {
            detections.extend(symbol(&contour.polygon(), params)?);
        }
    }
    let mut symbols = merge(detections);
    let rgb = working.rgb.as_raw();
    symbols.retain_mut(|symbol| {
        let colors = ink_colors(symbol, rgb, working.width, working.height);
        symbol.colors = colors.unwrap_or_default();
        symbol.quality = quality(symbol);
        colors.is_some()
    });
    Ok(symbols)
}

fn symbol(polygon: &[Point], params: &Params) -> opencv::Result<Option<Symbol>> {
    let Some(frame) = MomentFrame::new(polygon)? else { return Ok(None) };
    if frame.area < 0.3 * params.smallest_px.powi(2)
        || !(0.80..1.1).contains(&frame.compactness())
        || !(1.15..5.2).contains(&frame.elongation())
    {
        return Ok(None);
    }
    let signature = Signature::new(polygon, &frame);
    // Some rotation would make a rectangle a diamond.
    if most_alike(&signature, 0).is_none() {
        return Ok(None);
    }
    let most = (params.turn / DIRECTION) as i32;
    let best = (-most..=most)
        .filter_map(|turn| {
            let (shape, iou) = most_alike(&signature, turn)?;
            let turn = f64::from(turn) * DIRECTION;
            Some((iou - params.turn_cost * turn.abs(), turn, shape, iou))
        })
        .max_by(|a, b| a.0.total_cmp(&b.0));
    Ok(best.filter(|(score, ..)| *score >= params.iou).map(|(_, turn, shape, iou)| {
        let t = template(shape);
        let side = |v: Point| frame.image_from_frame(turned(v, turn));
        Symbol {
            long_side: side(t.long_side_in_frame),
            short_side: side(t.short_side_in_frame),
            frame,
            turn,
            shape,
            iou,
            votes: 1,
            colors: InkColors::default(),
            quality: 0.0,
        }
    }))
}

/// Merges detections of one symbol; the best one gives the geometry.
fn merge(mut detections: Vec<Symbol>) -> Vec<Symbol> {
    detections.sort_by(|a, b| b.iou.total_cmp(&a.iou));
    let mut symbols: Vec<Symbol> = Vec::new();
    for s in detections {
        match symbols.iter_mut().find(|other| {
            other.frame.center.distance(s.frame.center) < 0.5 * other.frame.minor.norm() + 1.5
                && (0.36..2.8).contains(&(s.frame.area / other.frame.area))
        }) {
            Some(other) => other.votes += 1,
            None => symbols.push(s),
        }
    }
    symbols
}

/// The evidence of a symbol alone: the log odds that it is one.
///
/// The weights were set by hand, in proportion to how well each feature alone separates symbols
/// from chance shapes: votes and IoU do so best (area under the curve 0.98 each), contrast less
/// (0.91).
fn quality(symbol: &Symbol) -> f64 {
    const VOTES_WEIGHT: f64 = 1.7;
    /// Number of votes that counts neither for nor against.
    const NEUTRAL_VOTES: f64 = 1.4;
    const IOU_WEIGHT: f64 = 12.0;
    /// IoU that counts neither for nor against; true symbols reach 0.95 and more.
    const NEUTRAL_IOU: f64 = 0.89;
    const CONTRAST_WEIGHT: f64 = 2.0;
    /// Higher contrast adds no evidence.
    const FULL_CONTRAST: f64 = 0.5;
    VOTES_WEIGHT * (symbol.votes as f64 / NEUTRAL_VOTES).ln()
        + IOU_WEIGHT * (symbol.iou - NEUTRAL_IOU)
        + CONTRAST_WEIGHT * (symbol.colors.contrast().min(FULL_CONTRAST) - FULL_CONTRAST / 2.0)
}

/// Samples a ring outside the outline (the card's white) and a band at the outline (the ink). `None`
/// if too little of the ring is in the picture.
fn ink_colors(symbol: &Symbol, rgb: &[u8], width: usize, height: usize) -> Option<InkColors> {
    let outline = symbol_outline(symbol.shape);
    let (mut ring, mut strokes) = (Vec::new(), Vec::new());
    for &(x, y) in outline {
        let towards = symbol.long_side * x + symbol.short_side * y;
        let scaled =
            |scale: &f64| color_at(symbol.frame.center + towards * *scale, rgb, (width, height));
        // The gap to the next symbol is a symbol's half width: sample less than half of it.
        ring.extend([1.25, 1.32, 1.4].iter().filter_map(scaled));
        // The region may be the hole inside the stroke or the stroke's outer edge; the darkest
        // point across it is on the stroke.
        let across = [0.8, 0.87, 0.94, 1.0, 1.06, 1.13, 1.2].iter().filter_map(scaled);
        strokes.extend(across.min_by(|a, b| lowest(a).total_cmp(&lowest(b))));
    }
    if ring.len() < outline.len() || 3 * strokes.len() < 2 * outline.len() {
        return None;
    }
    let white = [0, 1, 2].map(|c| rank(ring.iter().map(|px| px[c]), 0.70));
    let ink = [0, 1, 2].map(|c| 1.0 - median(strokes.iter().map(|px| px[c])) / white[c].max(8.0));
    Some(InkColors { white, ink })
}

fn color_at(p: Point, rgb: &[u8], (width, height): (usize, usize)) -> Option<[f64; 3]> {
    let (x, y) = (p.x.floor(), p.y.floor());
    if x < 0.0 || y < 0.0 || x >= width as f64 || y >= height as f64 {
        return None;
    }
    let i = 3 * (y as usize * width + x as usize);
    Some([rgb[i], rgb[i + 1], rgb[i + 2]].map(f64::from))
}

fn lowest(rgb: &[f64; 3]) -> f64 {
    rgb[0].min(rgb[1]).min(rgb[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::drawn::{FlatCard, GREEN, RED, WHITE, card_at, photo};
    use crate::find::symbols_first::{contours::contours, maps::maps};
    use setsight_game::cards::Number;
    use setsight_photo::{Frame, geometry::Quad};

    fn symbols_of(frame: &Frame) -> Vec<Symbol> {
        let long_side_px = f64::from(frame.width().max(frame.height()));
        let working = Working::new(frame, long_side_px);
        let found = contours(&maps(&working).unwrap(), 14.0).unwrap();
        symbols(&found, &working, &Params::default()).unwrap()
    }

    /// The symbols that many maps show. Of several at one place, which grouping would join, it
    /// keeps the best.
    fn clear(frame: &Frame) -> Vec<Symbol> {
        let mut symbols: Vec<Symbol> = Vec::new();
        for symbol in symbols_of(frame).into_iter().filter(|s| s.votes >= 3 && s.iou > 0.9) {
            let at = symbol.frame.center;
            match symbols.iter_mut().find(|s| s.frame.center.distance(at) < 3.0) {
                Some(other) if other.iou < symbol.iou => *other = symbol,
                Some(_) => {}
                None => symbols.push(symbol),
            }
        }
        symbols.sort_by(|a, b| a.frame.center.x.total_cmp(&b.frame.center.x));
        symbols
    }

    #[test]
    fn each_shape_is_found_where_it_lies_and_shows_how_its_card_lies() {
        for shape in Shape::ALL {
            for angle in [0.0, 0.4, -0.9] {
                let corners = card_at(180.0, 140.0, angle);
                let card = FlatCard { number: Number::One, shape, ink: RED, corners };
                let found = clear(&photo((400, 320), &[card]));
                let [symbol] = &found[..] else { panic!("{shape} {angle}: {found:?}") };
                assert_eq!(symbol.shape, shape);
                assert!(symbol.frame.center.distance(corners.center()) < 1.0, "{shape} {angle}");
                // The direction has no sign: a card looks the same after half a turn.
                let (long, short) = (corners.0[1] - corners.0[0], corners.0[3] - corners.0[0]);
                let off = symbol.long_side.cross(long).abs() / long.dot(long);
                assert!(off < 0.12, "{shape} {angle}: {symbol:?}");
                assert!((symbol.long_side.norm() / 90.0 - 1.0).abs() < 0.3, "{shape} {angle}");
                assert!((symbol.short_side.norm() / short.norm() - 1.0).abs() < 0.3, "{shape}");
            }
        }
    }

    #[test]
    fn the_three_symbols_of_a_card_are_three_places_with_its_colours() {
        let corners = card_at(150.0, 120.0, 0.3);
        let card = FlatCard { number: Number::Three, shape: Shape::Oval, ink: GREEN, corners };
        let found = clear(&photo((400, 300), &[card]));
        assert_eq!(found.len(), 3);
        for symbol in &found {
            let near = |a: [f64; 3], b: [f64; 3], by: f64| {
                a.iter().zip(b).all(|(a, b)| (a - b).abs() < by)
            };
            let ink = [0, 1, 2].map(|c| 1.0 - f64::from(GREEN[c]) / f64::from(WHITE[c]));
            assert!(near(symbol.colors.white, WHITE.map(f64::from), 6.0), "{:?}", symbol.colors);
            assert!(near(symbol.colors.ink, ink, 0.1), "{:?}", symbol.colors);
        }
    }

    #[test]
    fn a_sheared_symbol_is_still_its_shape() {
        let corners = Quad::new(
            [(120.0, 90.0), (210.0, 110.0), (245.0, 165.0), (155.0, 145.0)]
                .map(|(x, y)| Point::new(x, y)),
        );
        let card = FlatCard { number: Number::One, shape: Shape::Diamond, ink: RED, corners };
        let found = clear(&photo((400, 300), &[card]));
        assert_eq!(found.iter().map(|s| s.shape).collect::<Vec<_>>(), [Shape::Diamond]);
    }

    #[test]
    fn a_rectangle_is_no_symbol() {
        // A dark label on white paper, with a symbol's proportions.
        let mut frame = photo((400, 300), &[]);
        for (x, y, pixel) in frame.enumerate_pixels_mut() {
            let inside = |(left, top, right, bottom): (u32, u32, u32, u32)| {
                (left..right).contains(&x) && (top..bottom).contains(&y)
            };
            pixel.0 = if inside((170, 110, 220, 195)) {
                RED
            } else if inside((100, 60, 290, 250)) {
                WHITE
            } else {
                pixel.0
            };
        }
        assert_eq!(clear(&frame).len(), 0);
    }

    #[test]
    fn more_votes_iou_and_contrast_make_a_symbol_likelier() {
        let corners = card_at(150.0, 120.0, 0.1);
        let found =
            clear(&photo((400, 300), &[FlatCard { number: Number::One, ..FlatCard::at(corners) }]));
        let with = |change: &dyn Fn(&mut Symbol)| {
            let mut other = found[0].clone();
            change(&mut other);
            quality(&other)
        };
        let usual = quality(&found[0]);
        assert!(with(&|s| s.votes = 1) < usual - 2.0);
        assert!(with(&|s| s.iou -= 0.1) < usual - 1.0);
        assert!(with(&|s| s.colors.ink = [0.01; 3]) < usual - 0.5);
    }
}
