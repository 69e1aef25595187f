//! Outlines from a finder's detections. These are the hardest to judge, because the finder chose
//! them for looking right to a network like the one to be trained.

use super::{jitter, negatives};
use crate::finder::{scenes::Drawn, target::SeenCard};
use image::RgbImage;
use rand::RngExt;
use rand_pcg::Pcg64;
use setsight_photo::{Frame, geometry::Quad};
use setsight_vision::Trace;
use setsight_vision::find::{CardFinder, FindError};

/// Increased whenever the same seed takes other outlines.
pub(crate) const VERSION: u32 = 1;

/// A drawn table and a finder's outlines on it.
#[derive(Clone)]
pub(crate) struct FoundTable {
    /// The table.
    pub drawn: Drawn,
    /// Outlines of cards and of objects that resemble cards, in pixels of the picture; empty
    /// without a finder.
    pub found: Vec<Quad>,
}

/// A finder that is known to run.
pub struct Found(Box<dyn CardFinder>);

impl Found {
    /// Tries the finder on a table first, because training cannot report its errors later.
    pub fn by(finder: Box<dyn CardFinder>, table: &Drawn) -> Result<Self, FindError> {
        finder.find(&frame(table), &mut Trace::default())?;
        Ok(Self(finder))
    }

    /// The finder's outlines on a table.
    pub(crate) fn on(&self, table: &Drawn) -> Vec<Quad> {
        let found = self
            .0
            .find(&frame(table), &mut Trace::default())
            .expect("a finder that ran on the first table");
        found.into_iter().map(|outline| outline.corners_in_image).collect()
    }
}

fn frame(table: &Drawn) -> Frame {
    let (width, height) = table.size_px;
    let image = RgbImage::from_raw(width as u32, height as u32, table.rgb.to_vec());
    image.expect("three bytes a pixel")
}

/// The outline of a card of the table: the nearest one, unless another card is nearer to it.
pub(crate) fn of<'a>(found: &'a [Quad], table: &Drawn, card: &SeenCard) -> Option<&'a Quad> {
    let far = |outline: &Quad, card: &SeenCard| {
        outline.center().distance(card.corners.center()) / card.corners.long_side()
    };
    let nearest = found.iter().min_by(|a, b| far(a, card).total_cmp(&far(b, card)))?;
    let own = far(nearest, card);
    let others = table.cards.iter().filter(|other| *other != card);
    let is_anothers = negatives::in_view(others).any(|other| far(nearest, other) < own);
    (own < negatives::SAME_PLACE && !is_anothers).then_some(nearest)
}

/// One of the outlines under which no card lies, if there is any.
pub(crate) fn of_none(found: &[Quad], table: &Drawn, rng: &mut Pcg64) -> Option<Quad> {
    let none: Vec<&Quad> =
        found.iter().filter(|outline| negatives::is_none(table, outline)).collect();
    if none.is_empty() {
        return None;
    }
    let outline = jitter::nearly(none[rng.random_range(0..none.len())], rng)?;
    negatives::is_none(table, &outline).then_some(outline)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use setsight_photo::geometry::Point;

    fn card_at(x: f64, y: f64) -> SeenCard {
        SeenCard::whole(quad_at(x, y))
    }

    fn quad_at(x: f64, y: f64) -> Quad {
        Quad::new(Quad::rectangle(62.0, 40.0).0.map(|p| p + Point::new(x, y)))
    }

    fn table(cards: Vec<SeenCard>) -> Drawn {
        Drawn::plain((320, 160), vec![0; 3 * 320 * 160], cards)
    }

    #[test]
    fn an_outline_is_of_the_card_that_it_is_nearest_to() {
        let (one, other) = (card_at(20.0, 20.0), card_at(44.0, 20.0));
        let table = table(vec![one.clone(), other.clone()]);
        let found = [quad_at(200.0, 20.0), quad_at(40.0, 24.0)];
        assert_eq!(of(&found, &table, &other), Some(&found[1]));
        assert_eq!(of(&found, &table, &one), None, "it is the other's");
        assert_eq!(of(&found[..1], &table, &one), None, "it is far off");
        assert_eq!(of(&[], &table, &one), None);
        // A card that is hardly in view does not count.
        let hidden = SeenCard { in_view: 0.05, ..other };
        let table = self::table(vec![one.clone(), hidden]);
        assert_eq!(of(&found, &table, &one), Some(&found[1]));
    }

    #[test]
    fn where_no_card_lies_is_told_of_the_outlines_found() {
        let table = table(vec![card_at(20.0, 20.0), card_at(100.0, 20.0)]);
        let found = [quad_at(22.0, 20.0), quad_at(200.0, 60.0), quad_at(98.0, 22.0)];
        let mut rng = Pcg64::seed_from_u64(5);
        for _ in 0..20 {
            let outline = of_none(&found, &table, &mut rng).unwrap();
            assert!(outline.center().distance(found[1].center()) < 5.0);
            assert_ne!(outline, found[1], "never quite the same");
        }
        assert_eq!(of_none(&found[..1], &table, &mut rng), None);
    }
}
