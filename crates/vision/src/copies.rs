//! Cards that a picture shows more than once, and the sets of such a table.
//!
//! Found sets lie beside their board, or two games are played on one table. A set is three cards of
//! one board, and is listed once.

use super::{card::ReadCard, probability::median};
use setsight_game::cards::Card;
use setsight_game::sets::{self, Set};
use setsight_photo::geometry::{Point, Quad};
use std::collections::BTreeMap;

/// Where each sure card lies: one place, or several of its copies.
fn places_of(cards: &[ReadCard]) -> BTreeMap<Card, Vec<usize>> {
    let mut places: BTreeMap<Card, Vec<usize>> = BTreeMap::new();
    for (i, card) in cards.iter().enumerate().filter(|(_, card)| !card.unsure) {
        places.entry(card.card).or_default().push(i);
    }
    places
}

/// The sure cards that lie more than once, each as the indices of its places, ascending.
pub(crate) fn copies(cards: &[ReadCard]) -> Vec<Vec<usize>> {
    let mut copies: Vec<_> =
        places_of(cards).into_values().filter(|places| places.len() > 1).collect();
    copies.sort();
    copies
}

/// All sets among the sure cards, as indices into `cards`. Of three cards with copies, those of the
/// largest board that has all three make the set; of copies within one board, those that lie closest
/// together.
pub fn sets_of(cards: &[ReadCard]) -> Vec<Set> {
    let places = places_of(cards);
    let different: Vec<Card> = places.keys().copied().collect();
    if places.values().all(|places| places.len() == 1) {
        let mut sure: Vec<usize> = places.into_values().flatten().collect();
        sure.sort_unstable();
        let board: Vec<Card> = sure.iter().map(|&i| cards[i].card).collect();
        return sets::find_all(&board).into_iter().map(|s| Set(s.0.map(|k| sure[k]))).collect();
    }
    let boards = boards(cards);
    let sets = sets::find_all(&different).into_iter().filter_map(|set| {
        let three = set.0.map(|k| &places[&different[k]]);
        boards.iter().find_map(|board| {
            closest(
                cards,
                three.map(|places| places.iter().copied().filter(|i| board.contains(i)).collect()),
            )
        })
    });
    let mut sets: Vec<Set> = sets.collect();
    sets.sort_by_key(|set| set.0);
    sets
}

/// The places of three cards that lie closest together, ascending; `None` if a card has
/// none.
fn closest(cards: &[ReadCard], places: [Vec<usize>; 3]) -> Option<Set> {
    let [first, second, third] = &places;
    let all = first.iter().flat_map(|&i| second.iter().map(move |&j| (i, j)));
    let all = all.flat_map(|(i, j)| third.iter().map(move |&k| [i, j, k]));
    let around = |[i, j, k]: [usize; 3]| {
        let [a, b, c] = [i, j, k].map(|i| cards[i].corners_in_image.center());
        a.distance(b) + b.distance(c) + c.distance(a)
    };
    let mut set = all.min_by(|a, b| around(*a).total_cmp(&around(*b)))?;
    set.sort_unstable();
    Some(Set(set))
}

/// The parts of a table, the largest first: cards with a gap around them that is wide compared with the gaps among them.
pub(crate) fn parts(quads: &[&Quad]) -> Vec<Vec<usize>> {
    /// Least gap between parts: so many times the usual gap of neighbours, and so many short sides.
    const USUAL_GAPS: f64 = 2.0;
    const SHORT_SIDES: f64 = 0.2;
    let gaps: Vec<Vec<f64>> =
        quads.iter().map(|a| quads.iter().map(|b| gap(a, b)).collect()).collect();
    let usual = median((0..quads.len()).map(|i| {
        let to_neighbours = (0..quads.len()).filter(|&j| j != i).map(|j| gaps[i][j]);
        to_neighbours.fold(f64::MAX, f64::min)
    }));
    let short = median(quads.iter().map(|quad| quad.short_side()));
    let most = USUAL_GAPS * usual + SHORT_SIDES * short;
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for (i, gaps) in gaps.iter().enumerate() {
        let (near, mut apart): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|part| part.iter().any(|&j| gaps[j] <= most));
        let mut part = near.concat();
        part.push(i);
        apart.push(part);
        parts = apart;
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    parts
}

/// The boards of a table with copies, the largest first. A part that holds a card twice is no board, but
/// found sets that share a card; and if that is the largest part, it is not clear, and all are one board.
fn boards(cards: &[ReadCard]) -> Vec<Vec<usize>> {
    let quads: Vec<&Quad> = cards.iter().map(|card| &card.corners_in_image).collect();
    let mut boards = parts(&quads);
    if boards.first().is_some_and(|board| holds_copies(cards, board)) {
        return vec![(0..cards.len()).collect()];
    }
    boards.retain(|board| !holds_copies(cards, board));
    boards
}

fn holds_copies(cards: &[ReadCard], board: &[usize]) -> bool {
    let sure = board.iter().filter(|&&i| !cards[i].unsure);
    let mut names: Vec<Card> = sure.map(|&i| cards[i].card).collect();
    names.sort_unstable();
    names.windows(2).any(|two| two[0] == two[1])
}

/// Distance between two quads, from a corner of either to a side of the other; 0 if they overlap.
fn gap(a: &Quad, b: &Quad) -> f64 {
    let from_a = a.0.iter().map(|&p| distance_to(p, b));
    from_a.chain(b.0.iter().map(|&p| distance_to(p, a))).fold(f64::MAX, f64::min)
}

fn distance_to(p: Point, quad: &Quad) -> f64 {
    let sides = (0..4).map(|i| {
        let (from, along) = (quad.0[i], quad.0[(i + 1) % 4] - quad.0[i]);
        let t = ((p - from).dot(along) / along.dot(along).max(1e-9)).clamp(0.0, 1.0);
        p.distance(from + along * t)
    });
    if quad.contains(p) { 0.0 } else { sides.fold(f64::MAX, f64::min) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(code: &str, x: f64, y: f64) -> ReadCard {
        let quad = Quad::new(Quad::rectangle(90.0, 60.0).0.map(|p| p + Point::new(x, y)));
        ReadCard::new(quad, code.parse().unwrap(), 0.99, false)
    }

    fn board(codes: [&str; 4], left: f64) -> Vec<ReadCard> {
        let places = [(0.0, 0.0), (100.0, 0.0), (0.0, 70.0), (100.0, 70.0)];
        codes.iter().zip(places).map(|(code, (x, y))| card(code, left + x, y)).collect()
    }

    #[test]
    fn a_set_is_listed_once_by_the_cards_of_the_board() {
        let mut cards = board(["1frd", "2frd", "3frd", "1ogs"], 0.0);
        assert_eq!((copies(&cards), sets_of(&cards)), (vec![], vec![Set([0, 1, 2])]));
        // The found set lies beside it.
        cards.extend([card("3frd", 400.0, 0.0), card("2frd", 500.0, 0.0)]);
        cards.push(card("1frd", 600.0, 0.0));
        assert_eq!(copies(&cards), [[0, 6], [1, 5], [2, 4]]);
        assert_eq!(sets_of(&cards), [Set([0, 1, 2])]);
        // Another found set shares a card with it.
        cards.extend([card("1frd", 400.0, 70.0), card("1frs", 500.0, 70.0)]);
        assert_eq!(copies(&cards), [vec![0, 6, 7], vec![1, 5], vec![2, 4]]);
        assert_eq!(sets_of(&cards), [Set([0, 1, 2])]);
        cards.truncate(7);
        cards[5].unsure = true;
        assert_eq!(copies(&cards), [[0, 6], [2, 4]]);
        assert_eq!(sets_of(&cards), [Set([0, 1, 2])]);
    }

    #[test]
    fn cards_of_two_games_make_no_set() {
        let mut cards = board(["1frd", "2frd", "2sps", "1ogs"], 0.0);
        cards.extend(board(["3frd", "2frd", "1spo", "1ogo"], 500.0));
        assert_eq!(copies(&cards), [[1, 5]]);
        assert_eq!(sets_of(&cards), []);
        // Where nothing lies between them, they are one board, with a copy.
        let mut cards = board(["1frd", "2frd", "2sps", "1ogs"], 0.0);
        cards.extend(board(["3frd", "2frd", "1spo", "1ogo"], 200.0));
        assert_eq!(sets_of(&cards).len(), 3);
    }

    #[test]
    fn many_copies_make_no_more_sets() {
        let cards: Vec<ReadCard> =
            (0..600).map(|i| card(["1frd", "2frd", "3frd"][i % 3], i as f64 * 95.0, 0.0)).collect();
        assert_eq!(sets_of(&cards).len(), 1);
    }
}
