//! Outlines under which no card lies.

use super::rough;
use crate::geometry::{Point, Quad};
use crate::train::finder::scenes::Drawn;
use rand::RngExt;
use rand_pcg::Pcg64;

/// Grows when they lie otherwise for the same seed.
pub const VERSION: u32 = 1;

/// A card whose centre is nearer than this, in its long sides, is what an outline is of.
const SAME_PLACE: f64 = 0.35;
/// Of a card with less of it in view nothing is known.
const HARDLY_THERE: f64 = 0.12;

/// An outline of a card of the table, moved to where none lies; `None` where no such place was found.
///
/// Three of four are put where the table shows between cards: in a heap its dark patches pass for a
/// filled symbol on the white of the cards around them. The others lie anywhere, across the cards.
pub fn outline(table: &Drawn, rng: &mut Pcg64) -> Option<Quad> {
    /// Places tried.
    const TRIES: usize = 20;
    /// How far from a card's centre, in its long sides.
    const REACH: f64 = 1.2;
    if table.cards.is_empty() {
        return None;
    }
    let (width, height) = (table.size_px.0 as f64, table.size_px.1 as f64);
    let is_between = rng.random_range(0..4) > 0;
    for _ in 0..TRIES {
        let pick = |rng: &mut Pcg64| table.cards[rng.random_range(0..table.cards.len())].corners;
        // Of another card, which may lie turned otherwise.
        let (near, own) = (pick(rng), pick(rng));
        let reach = REACH * near.long_side();
        let mut off = || reach * (2.0 * rng.random::<f64>() - 1.0);
        let at = near.center() + Point::new(off(), off());
        let in_picture = at.x > 0.0 && at.y > 0.0 && at.x < width && at.y < height;
        let on_card = || table.cards.iter().any(|card| card.corners.contains(at));
        if !in_picture || is_between && on_card() {
            continue;
        }
        let by = at - own.center();
        let Some(outline) = rough::outline(&Quad(own.0.map(|p| p + by)), rng) else { continue };
        let is_of =
            |quad: &Quad| quad.center().distance(outline.center()) < SAME_PLACE * quad.long_side();
        let in_view = table.cards.iter().filter(|card| card.in_view > HARDLY_THERE);
        if !in_view.map(|card| card.corners).any(|quad| is_of(&quad)) {
            return Some(outline);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::finder::target::SeenCard;
    use rand::SeedableRng;

    #[test]
    fn no_card_lies_there_and_the_table_often_shows() {
        let at = |x: f64, y: f64| {
            SeenCard::whole(Quad(Quad::rectangle(62.0, 40.0).0.map(|p| p + Point::new(x, y))))
        };
        let cards = vec![at(20.0, 20.0), at(120.0, 20.0), at(70.0, 100.0)];
        let table = Drawn {
            size_px: (220, 160),
            rgb: vec![0; 3 * 220 * 160].into(),
            gain: [1.0; 3],
            mirrored: [false; 2],
            cards,
        };
        let mut rng = Pcg64::seed_from_u64(9);
        let found: Vec<Quad> = (0..200).filter_map(|_| outline(&table, &mut rng)).collect();
        assert!(found.len() > 180, "{}", found.len());
        for quad in &found {
            for card in &table.cards {
                assert!(quad.center().distance(card.corners.center()) > 21.0);
            }
        }
        let on_card = |quad: &&Quad| table.cards.iter().any(|c| c.corners.contains(quad.center()));
        let on_card = found.iter().filter(on_card).count();
        assert!((10..120).contains(&on_card), "{on_card}");
        let bare = Drawn { cards: Vec::new(), ..table };
        assert_eq!(outline(&bare, &mut rng), None);
    }
}
