//! The classical finder: detects cards by their symbols, and locates their corners by their
//! borders.
//!
//! Symbols stay readable where borders vanish: white cards on a white table, touching and
//! overlapping cards. So the stages are: binary [`maps`]; their [`contours`]; in its moment frame,
//! what each encloses is compared with the three shapes ([`shape`]); [`symbols`] by votes over the
//! maps; [`grouping`] into cards; the table as one [`plane`](super::plane); [`sides`] located at
//! border lines; and last, cards with only a visible contour.

pub(crate) mod contours;
mod covered;
pub(crate) mod grouping;
pub(crate) mod maps;
mod opencv_versions;
pub(crate) mod pictures;
pub(crate) mod shape;
pub(crate) mod symbols;

use self::grouping::Grouped;
use super::working_image::{Working, WorkingQuad};
use super::{CardFinder, FindError};
use super::{plane::TablePlane, sides};
use crate::overlap::{mark_shared, overlap};
use crate::{card::CardOutline, finder_and_reader::FinderError, trace::Trace};
use setsight_photo::{Frame, geometry::Quad};

/// The finder without networks: its parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SymbolFinder {
    /// Long side of the working image in the first pass, in pixels.
    pub long_side_px: f64,
    /// Long side of a card, in working pixels, below which there is a second pass at a larger
    /// scale; symbols are then 12 pixels wide.
    pub small_card_px: f64,
    /// Long side that cards should have in the second pass, in working pixels.
    pub closer_card_px: f64,
    /// Largest long side of the working image in the second pass, in pixels.
    pub closest_long_side_px: f64,
    /// Parameters of the symbol search.
    pub symbols: symbols::Params,
    /// Parameters of grouping symbols into cards.
    pub grouping: grouping::Params,
    /// Parameters for contours of cards whose symbols cannot be read.
    pub contours: contours::Params,
    /// Parameters for finding a card's sides.
    pub sides: sides::Params,
}

/// Loads the classical finder.
pub(crate) fn finder() -> Result<Box<dyn CardFinder>, FinderError> {
    // Pictures are read side by side, and OpenCV's own threads would only be in their way. It fails
    // where OpenCV has no threads to begin with.
    let _ = opencv::core::set_num_threads(1);
    Ok(Box::new(SymbolFinder::default()))
}

impl From<opencv::Error> for FindError {
    fn from(error: opencv::Error) -> Self {
        Self::OpenCv(Box::new(error))
    }
}

impl Default for SymbolFinder {
    fn default() -> Self {
        Self {
            long_side_px: 800.0,
            small_card_px: 60.0,
            closer_card_px: 100.0,
            closest_long_side_px: 1600.0,
            symbols: Default::default(),
            grouping: Default::default(),
            contours: Default::default(),
            sides: Default::default(),
        }
    }
}

impl CardFinder for SymbolFinder {
    fn name(&self) -> &'static str {
        "classical"
    }

    fn find(&self, frame: &Frame, trace: &mut Trace<'_>) -> Result<Vec<CardOutline>, FindError> {
        // In a smaller picture no symbol is recognisable, and the coarse maps would have no pixel.
        const SMALLEST_PX: f64 = 16.0;
        let (width, height) = frame.dimensions();
        let scale = (self.long_side_px / f64::from(width.max(height))).min(1.0);
        if f64::from(width.min(height)) * scale < SMALLEST_PX {
            return Ok(Vec::new());
        }
        let first = at_scale(frame, self, self.long_side_px, "", trace)?;
        let Some(closer) = closer_long_side_px(&first, self) else {
            return Ok(in_photo(first));
        };
        let second = at_scale(frame, self, closer, "-closer", trace)?;
        // The second pass detects more cards, unless it only resolved more texture.
        Ok(in_photo(if evidence_of(&second) > evidence_of(&first) { second } else { first }))
    }
}

fn evidence_of(detections: &Detections) -> f64 {
    detections.outlines.iter().map(|o| o.score.clamp(0.0, 8.0)).sum::<f64>()
}

/// The result of one pass.
struct Detections {
    outlines: Vec<Outline>,
    scale: f64,
    long_side_px: f64,
}

/// The outline of a card, and its log odds.
struct Outline {
    quad: WorkingQuad,
    score: f64,
}

fn in_photo(detections: Detections) -> Vec<CardOutline> {
    let mut outlines: Vec<CardOutline> = detections
        .outlines
        .into_iter()
        .map(|outline| {
            let quad: Quad = outline.quad.in_space(1.0 / detections.scale);
            CardOutline { score: outline.score, ..CardOutline::at(quad.higher_corner_first()) }
        })
        .collect();
    mark_shared(&mut outlines);
    outlines
}

/// The long side of the working image for a second pass, if the cards are too small in the first.
fn closer_long_side_px(detections: &Detections, params: &SymbolFinder) -> Option<f64> {
    let mut sizes: Vec<f64> = detections.outlines.iter().map(|o| o.quad.long_side()).collect();
    sizes.sort_by(f64::total_cmp);
    // The far cards of a tilted table decide: use the lower quartile.
    let wanted = match sizes.get(sizes.len() / 4) {
        Some(&size) if size >= params.small_card_px => return None,
        Some(&size) => detections.long_side_px * params.closer_card_px / size,
        None => f64::MAX,
    };
    let closer = wanted.min(params.closest_long_side_px);
    (closer > 1.2 * detections.long_side_px).then_some(closer)
}

/// Runs one pass; the names of its pictures end with `ending`.
fn at_scale(
    frame: &Frame,
    params: &SymbolFinder,
    long_side_px: f64,
    ending: &str,
    trace: &mut Trace<'_>,
) -> Result<Detections, FindError> {
    let working = Working::new(frame, long_side_px);
    let long = working.width.max(working.height) as f64;
    let maps = maps::maps(&working)?;
    let contours = contours::contours(&maps, params.symbols.smallest_px)?;
    let symbols = symbols::symbols(&contours, &working, &params.symbols)?;
    if trace.shows_pictures() {
        let sheet = pictures::maps(&working, &maps)?;
        trace.picture(&format!("maps{ending}"), || sheet)?;
        trace.picture(&format!("symbols{ending}"), || {
            pictures::symbols(frame, &working, &symbols)
        })?;
    }
    let Grouped { cards, mut table } = grouping::group(symbols, long, &params.grouping);
    let mut refined = Vec::with_capacity(cards.len());
    for card in &cards {
        refined.push(sides::Refined::locate(&working, &card.quad, table.as_ref(), &params.sides));
    }
    // The sides found determine the table better than the symbols did. Refit the table, then search
    // again for the missing sides.
    if let Some(better) = table.and_then(|table| table.improved(&sure_quads(&refined))) {
        for card in &mut refined {
            *card = card.again(&working, &better, &params.sides);
        }
        let quads: Vec<WorkingQuad> = refined.iter().map(|card| card.quad).collect();
        let in_view = Quad::rectangle(working.width as f64, working.height as f64);
        for (i, (card, group)) in refined.iter_mut().zip(&cards).enumerate() {
            let covered = |quad: &WorkingQuad| {
                quads.iter().enumerate().any(|(j, other)| j != i && overlap(quad, other))
            };
            let heaped = covered(&card.quad);
            let contested = heaped || !card.quad.0.iter().all(|&corner| in_view.contains(corner));
            let (count, white, sides) = (group.count, group.white, &params.sides);
            let moved =
                covered::elsewhere_on_axis(card, &working, &better, count, white, contested, sides);
            // Outside a heap, a card must not move onto its neighbour.
            if heaped || !covered(&moved.quad) {
                *card = moved;
            }
        }
        table = Some(better);
    }
    let mut outlines: Vec<Outline> = cards
        .iter()
        .zip(&refined)
        .map(|(card, refined)| Outline { quad: refined.quad, score: card.score })
        .collect();
    let quads = contours::quadrangles(&contours, long, &params.contours)?;
    let on_table =
        table.map_or_else(Vec::new, |t| contours::cards_on(&t, &quads, &params.contours));
    if let Some(table) = &table {
        add_contours(&mut outlines, &on_table, &working, table, params)?;
    }
    trace.picture(&format!("contours{ending}"), || {
        pictures::contours(frame, &working, &quads, &on_table)
    })?;
    Ok(Detections { outlines, scale: working.scale, long_side_px: long })
}

/// Adds the quads with at least three sides found that do not lie on a card already found.
fn add_contours(
    outlines: &mut Vec<Outline>,
    quads: &[WorkingQuad],
    working: &Working,
    table: &TablePlane,
    params: &SymbolFinder,
) -> opencv::Result<()> {
    for quad in quads {
        let taken =
            |o: &Outline| o.quad.center().distance(quad.center()) < 0.5 * o.quad.short_side();
        if outlines.iter().any(taken) {
            continue;
        }
        let refined = sides::Refined::locate(working, quad, Some(table), &params.sides);
        if refined.sides_found() >= 3 {
            outlines.push(Outline { quad: refined.quad, score: CONTOUR_ONLY_SCORE });
        }
    }
    Ok(())
}

/// Log odds of a contour without readable symbols: it is more often a card in glare than another
/// object of exactly a card's size, but the reader must find ink on it.
const CONTOUR_ONLY_SCORE: f64 = 0.5;

/// Corners of the cards with at least two sides found, weighted by the number of sides.
fn sure_quads(cards: &[sides::Refined]) -> Vec<(WorkingQuad, f64)> {
    cards
        .iter()
        .filter_map(|card| match card.sides_found() {
            4 => Some((card.quad, 1.0)),
            3 => Some((card.quad, 0.5)),
            2 => Some((card.quad, 0.1)),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};

    #[test]
    fn small_cards_get_a_closer_look() {
        let params = SymbolFinder::default();
        assert_eq!(closer_long_side_px(&detections(120.0), &params), None);
        let closer = closer_long_side_px(&detections(56.0), &params).unwrap();
        assert!((closer - 800.0 * 100.0 / 56.0).abs() < 1e-9);
        assert_eq!(
            closer_long_side_px(&detections(8.0), &params),
            Some(params.closest_long_side_px)
        );
        let nothing = Detections { outlines: Vec::new(), ..detections(1.0) };
        assert_eq!(closer_long_side_px(&nothing, &params), Some(params.closest_long_side_px));
    }

    fn detections(card_px: f64) -> Detections {
        Detections {
            outlines: vec![Outline {
                quad: Quad::rectangle(card_px, card_px / 1.54).in_space(1.0),
                score: 5.0,
            }],
            scale: 1.0,
            long_side_px: 800.0,
        }
    }

    #[test]
    fn nothing_is_found_where_nothing_is() {
        for side in [1, 15, 16, 40, 300] {
            for (width, height) in [(side, side), (side, 700), (900, side)] {
                let plain = RgbImage::from_pixel(width, height, Rgb([90, 120, 60]));
                assert_eq!(
                    SymbolFinder::default().find(&plain, &mut Trace::default()).unwrap(),
                    []
                );
            }
        }
    }
}
