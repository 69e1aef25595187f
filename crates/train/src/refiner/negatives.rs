//! Outlines under which no card lies: at random places, and from a finder's detections. These are the hardest to
//! judge, because the finder chose them for looking right to a network like the one to be trained.

use super::jitter;
use crate::finder::{scenes::Drawn, target::SeenCard};
use image::RgbImage;
use rand::RngExt;
use rand_pcg::Pcg64;
use setsight_photo::Frame;
use setsight_photo::geometry::{Point, Quad};
use setsight_vision::Trace;
use setsight_vision::find::{CardFinder, FindError};

/// Increased whenever the same seed gives other outlines.
pub(crate) const VERSION: u32 = 1;

/// An outline belongs to a card if their centres are closer than this many long sides.
const SAME_PLACE: f64 = 0.35;
/// A card with a smaller fraction in view does not count.
const BARELY_VISIBLE: f64 = 0.12;
/// Number of places tried.
const TRIES: usize = 20;
/// Maximum distance from a card's centre in x and in y, in its long sides.
const REACH: f64 = 1.2;

/// An outline of a card of the table, moved to where no card lies; `None` if no such place was
/// found.
///
/// Three in four lie where the table shows between cards: in a heap, dark patches of table resemble
/// a filled symbol on the white of the cards around. The others lie anywhere, across cards too.
pub(crate) fn outline(table: &Drawn, rng: &mut Pcg64) -> Option<Quad> {
    if table.cards.is_empty() {
        return None;
    }
    let is_between = rng.random_range(0..4) > 0;
    (0..TRIES).find_map(|_| {
        let (at, shape) = near_a_card(table, rng);
        if !in_picture(table, at) || is_between && on_card(table, at) {
            return None;
        }
        of_none(table, &moved(&shape, at), rng)
    })
}

/// Like [`outline`], but half of the outlines lie in the middle of a gap between cards and a
/// quarter on an object that resembles a card, where the table has such places.
pub(crate) fn harder(table: &Drawn, rng: &mut Pcg64) -> Option<Quad> {
    let kind = rng.random_range(0..4);
    if table.cards.is_empty() || kind == 3 || kind == 2 && table.lookalikes.is_empty() {
        return outline(table, rng);
    }
    (0..TRIES).find_map(|_| {
        let (at, shape) = near_a_card(table, rng);
        let outline = if kind < 2 {
            moved(&shape, gap(table, at, shape.long_side())?)
        } else {
            let other = table.lookalikes[rng.random_range(0..table.lookalikes.len())];
            // Aligned with the object, or shaped like a card of the table.
            if rng.random::<bool>() { other } else { moved(&shape, other.center()) }
        };
        of_none(table, &outline, rng)
    })
}

/// A point near a card, and the outline of a random card, which may lie at another angle.
fn near_a_card(table: &Drawn, rng: &mut Pcg64) -> (Point, Quad) {
    let pick = |rng: &mut Pcg64| table.cards[rng.random_range(0..table.cards.len())].corners;
    let (near, shape) = (pick(rng), pick(rng));
    let reach = REACH * near.long_side();
    let mut off = || reach * (2.0 * rng.random::<f64>() - 1.0);
    (near.center() + Point::new(off(), off()), shape)
}

fn in_picture(table: &Drawn, at: Point) -> bool {
    let (width, height) = (table.size_px.0 as f64, table.size_px.1 as f64);
    at.x > 0.0 && at.y > 0.0 && at.x < width && at.y < height
}

fn on_card(table: &Drawn, at: Point) -> bool {
    table.cards.iter().any(|card| card.corners.contains(at))
}

fn moved(quad: &Quad, center: Point) -> Quad {
    let by = center - quad.center();
    Quad::new(quad.0.map(|p| p + by))
}

/// The outline with a finder's error, unless it is an outline of a card.
fn of_none(table: &Drawn, outline: &Quad, rng: &mut Pcg64) -> Option<Quad> {
    let outline = jitter::outline(outline, rng)?;
    is_none(table, &outline).then_some(outline)
}

/// Whether an outline belongs to no card of the table.
fn is_none(table: &Drawn, outline: &Quad) -> bool {
    !in_view(table.cards.iter()).any(|card| {
        let quad = &card.corners;
        quad.center().distance(outline.center()) < SAME_PLACE * quad.long_side()
    })
}

/// The cards with enough in view to count.
fn in_view<'a>(cards: impl Iterator<Item = &'a SeenCard>) -> impl Iterator<Item = &'a SeenCard> {
    cards.filter(|card| card.in_view > BARELY_VISIBLE)
}

/// The middle of the patch of table around a point, if cards with that long side surround it.
fn gap(table: &Drawn, at: Point, long_side: f64) -> Option<Point> {
    /// Number of search directions, their length in long sides, and the step.
    const WAYS: usize = 8;
    const FAR: f64 = 0.6;
    const STEP: f64 = 0.04;
    /// Minimum number of directions that must end on a card.
    const CLOSED: usize = 6;
    if !in_picture(table, at) || on_card(table, at) {
        return None;
    }
    let edges = (0..WAYS).filter_map(|way| {
        let angle = std::f64::consts::TAU * way as f64 / WAYS as f64;
        let along = Point::new(angle.cos(), angle.sin()) * long_side;
        let mut steps = (1..=(FAR / STEP) as usize).map(|k| at + along * (STEP * k as f64));
        steps.find(|p| on_card(table, *p))
    });
    let edges: Vec<Point> = edges.collect();
    let sum = edges.iter().fold(Point::default(), |sum, p| sum + *p);
    (edges.len() >= CLOSED).then(|| sum / edges.len() as f64)
}

/// Increased whenever the same seed takes other outlines.
pub(crate) const FOUND_VERSION: u32 = 1;

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
pub(crate) fn outline_of<'a>(
    found: &'a [Quad],
    table: &Drawn,
    card: &SeenCard,
) -> Option<&'a Quad> {
    let far = |outline: &Quad, card: &SeenCard| {
        outline.center().distance(card.corners.center()) / card.corners.long_side()
    };
    let nearest = found.iter().min_by(|a, b| far(a, card).total_cmp(&far(b, card)))?;
    let distance = far(nearest, card);
    let rest = table.cards.iter().filter(|other| *other != card);
    let is_anothers = in_view(rest).any(|other| far(nearest, other) < distance);
    (distance < SAME_PLACE && !is_anothers).then_some(nearest)
}

/// One of the outlines under which no card lies, if there is any.
pub(crate) fn of_none_found(found: &[Quad], table: &Drawn, rng: &mut Pcg64) -> Option<Quad> {
    let none: Vec<&Quad> = found.iter().filter(|outline| is_none(table, outline)).collect();
    if none.is_empty() {
        return None;
    }
    let outline = jitter::nearly(none[rng.random_range(0..none.len())], rng)?;
    is_none(table, &outline).then_some(outline)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    /// Cards around an empty middle, and an object that resembles a card beside them.
    fn table() -> Drawn {
        let at = |x: f64, y: f64| {
            SeenCard::uncovered(Quad::new(
                Quad::rectangle(62.0, 40.0).0.map(|p| p + Point::new(x, y)),
            ))
        };
        let cards = vec![at(20.0, 20.0), at(80.0, 20.0), at(20.0, 90.0), at(80.0, 90.0)];
        let cards = [cards, vec![at(-20.0, 55.0), at(110.0, 55.0)]].concat();
        let lookalikes = vec![at(220.0, 40.0).corners];
        Drawn { lookalikes, ..Drawn::plain((320, 160), vec![0; 3 * 320 * 160], cards) }
    }

    #[test]
    fn negatives_hold_no_card_but_resemble_one() {
        let table = table();
        let mut rng = Pcg64::seed_from_u64(9);
        let (easy, hard) = (shares(&table, outline, &mut rng), shares(&table, harder, &mut rng));
        assert!(hard[0] > 0.15 && hard[1] > 0.08, "{hard:?}");
        assert!(hard[0] > 1.5 * easy[0] && hard[1] > 1.5 * easy[1], "{easy:?} {hard:?}");
        let bare = Drawn { cards: Vec::new(), ..table };
        assert_eq!(outline(&bare, &mut rng), None);
        assert_eq!(harder(&bare, &mut rng), None);
    }

    /// The shares of outlines near the gap and near the object that resembles a card.
    fn shares(
        table: &Drawn,
        which: fn(&Drawn, &mut Pcg64) -> Option<Quad>,
        rng: &mut Pcg64,
    ) -> [f64; 2] {
        let found: Vec<Quad> = (0..400).filter_map(|_| which(table, rng)).collect();
        assert!(found.len() > 300, "{}", found.len());
        for (quad, card) in found.iter().flat_map(|quad| table.cards.iter().map(move |c| (quad, c)))
        {
            assert!(quad.center().distance(card.corners.center()) > 21.0);
        }
        let on_card = found.iter().filter(|quad| on_card(table, quad.center())).count();
        assert!((10..200).contains(&on_card), "{on_card}");
        [Point::new(81.0, 75.0), table.lookalikes[0].center()].map(|at| {
            let near = found.iter().filter(|quad| quad.center().distance(at) < 15.0).count();
            near as f64 / found.len() as f64
        })
    }

    #[test]
    fn a_gap_is_a_patch_that_cards_surround() {
        let table = table();
        let middle = gap(&table, Point::new(84.0, 70.0), 62.0).expect("cards on all sides");
        assert!(middle.distance(Point::new(81.0, 75.0)) < 8.0, "{middle:?}");
        assert_eq!(gap(&table, Point::new(210.0, 100.0), 62.0), None);
        assert_eq!(gap(&table, table.cards[0].corners.center(), 62.0), None);
    }

    fn card_at(x: f64, y: f64) -> SeenCard {
        SeenCard::uncovered(quad_at(x, y))
    }

    fn quad_at(x: f64, y: f64) -> Quad {
        Quad::new(Quad::rectangle(62.0, 40.0).0.map(|p| p + Point::new(x, y)))
    }

    fn table_of(cards: Vec<SeenCard>) -> Drawn {
        Drawn::plain((320, 160), vec![0; 3 * 320 * 160], cards)
    }

    #[test]
    fn an_outline_is_of_the_card_that_it_is_nearest_to() {
        let (one, other) = (card_at(20.0, 20.0), card_at(44.0, 20.0));
        let table = table_of(vec![one.clone(), other.clone()]);
        let found = [quad_at(200.0, 20.0), quad_at(40.0, 24.0)];
        assert_eq!(outline_of(&found, &table, &other), Some(&found[1]));
        assert_eq!(outline_of(&found, &table, &one), None, "it is the other's");
        assert_eq!(outline_of(&found[..1], &table, &one), None, "it is far off");
        assert_eq!(outline_of(&[], &table, &one), None);
        // A card that is hardly in view does not count.
        let hidden = SeenCard { in_view: 0.05, ..other };
        let table = table_of(vec![one.clone(), hidden]);
        assert_eq!(outline_of(&found, &table, &one), Some(&found[1]));
    }

    #[test]
    fn negatives_come_from_the_outlines_found() {
        let table = table_of(vec![card_at(20.0, 20.0), card_at(100.0, 20.0)]);
        let found = [quad_at(22.0, 20.0), quad_at(200.0, 60.0), quad_at(98.0, 22.0)];
        let mut rng = Pcg64::seed_from_u64(5);
        for _ in 0..20 {
            let outline = of_none_found(&found, &table, &mut rng).unwrap();
            assert!(outline.center().distance(found[1].center()) < 5.0);
            assert_ne!(outline, found[1], "never quite the same");
        }
        assert_eq!(of_none_found(&found[..1], &table, &mut rng), None);
    }
}
