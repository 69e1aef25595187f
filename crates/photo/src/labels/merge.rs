//! Two programs on one folder: what both have said of a photo, put together; and the labels nearest to outlines.

use super::{CardLabel, LabelledBy, PhotoEntry, PhotoLabel, UNCHECKED};
use crate::geometry::{Point, Quad};
use setsight_game::cards::Card;

/// Places that differ by less than this are the same: a file rounds. In pixels.
const SAME_PX: f64 = 0.01;

/// What cannot be put together: both say something else of the same card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clash {
    /// At how many cards.
    pub cards: usize,
}

/// A card and whether its code is a guess.
#[derive(Clone, Debug)]
struct Item {
    card: CardLabel,
    unsure: bool,
}

impl Item {
    fn says_as(&self, other: &Self) -> bool {
        (self.card.code, self.unsure, self.card.labelled_by)
            == (other.card.code, other.unsure, other.card.labelled_by)
    }

    fn lies_as(&self, other: &Self) -> bool {
        let alike = match (&self.card.corners, &other.card.corners) {
            (Some(a), Some(b)) => same_corners(a, b),
            (None, None) => true,
            _ => false,
        };
        alike && is_near(&self.card.center, &other.card.center)
    }

    fn is_as(&self, other: &Self) -> bool {
        self.says_as(other) && self.lies_as(other)
    }

    /// Of the same code, from the surer source.
    fn surer(mut self, other: &Self) -> Self {
        self.unsure &= other.unsure;
        if other.card.labelled_by == LabelledBy::Person {
            self.card.labelled_by = LabelledBy::Person;
        }
        self
    }
}

fn is_near(a: &Point, b: &Point) -> bool {
    a.distance(*b) < SAME_PX
}

fn same_corners(a: &Quad, b: &Quad) -> bool {
    a.0.iter().all(|p| b.0.iter().any(|q| is_near(p, q)))
}

fn items(written: &PhotoEntry) -> Vec<Item> {
    let sure = written.label.cards.iter().map(|card| (card, false));
    let guesses = written.unchecked.iter().flatten().map(|card| (card, true));
    sure.chain(guesses).map(|(card, unsure)| Item { card: card.clone(), unsure }).collect()
}

/// For each of `a` which of `b` is the same card.
fn pairs(a: &[Item], b: &[Item], width: u32) -> Vec<Option<usize>> {
    fn cards(items: &[Item]) -> Vec<&CardLabel> {
        items.iter().map(|item| &item.card).collect()
    }
    same_cards(&cards(a), &cards(b), width)
}

/// For each of `a` the index of the one of `b` that lies at its place, in a photo of this width in
/// pixels.
pub(super) fn same_cards(a: &[&CardLabel], b: &[&CardLabel], width: u32) -> Vec<Option<usize>> {
    nearest(&centers(a), &centers(b), |i, j| {
        long_side(a[i]).or_else(|| long_side(b[j])).unwrap_or(f64::from(width) / 8.0)
    })
}

fn centers(cards: &[&CardLabel]) -> Vec<Point> {
    cards.iter().map(|c| c.center).collect()
}

fn long_side(card: &CardLabel) -> Option<f64> {
    card.corners.map(|quad| quad.long_side())
}

/// Whether two say the same.
pub fn same(a: Option<&PhotoEntry>, b: Option<&PhotoEntry>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return a.is_none() && b.is_none() };
    let (x, y) = (items(a), items(b));
    let cards = x.len() == y.len() && x.iter().zip(&y).all(|(x, y)| x.is_as(y));
    let [a, b] = [a, b].map(|entry| (&entry.label.tags, &entry.label.deck, entry.label.mirrored));
    cards && a == b
}

/// What I and others have made of the same beginning. Of each card the change counts, from either side;
/// tags and the photo's other members are theirs.
///
/// # Errors
/// [`Clash`]: both have changed the same card, each otherwise.
pub fn merged(
    base: &PhotoEntry,
    mine: &PhotoEntry,
    theirs: &PhotoEntry,
) -> Result<PhotoEntry, Clash> {
    let width = mine.label.width;
    let [b, m, t] = [base, mine, theirs].map(items);
    let (b_in_m, b_in_t) = (pairs(&b, &m, width), pairs(&b, &t, width));
    let (mut all, mut clashes) = (Vec::new(), 0);
    for (i, before) in b.iter().enumerate() {
        let now = (b_in_m[i].map(|at| &m[at]), b_in_t[i].map(|at| &t[at]));
        match now {
            (Some(my), Some(their)) => match three_ways(before, my, their) {
                Some(item) => all.push(item),
                None => clashes += 1,
            },
            (Some(left), None) | (None, Some(left)) if !left.is_as(before) => clashes += 1,
            // Struck by one, left alone by the other.
            _ => {}
        }
    }
    let (my_new, their_new) = (unmatched(&m, &b_in_m), unmatched(&t, &b_in_t));
    let both = pairs(&my_new, &their_new, width);
    for (my, their) in my_new.iter().zip(&both) {
        match their.map(|at| &their_new[at]) {
            None => all.push(my.clone()),
            Some(their) if their.card.code == my.card.code => all.push(my.clone().surer(their)),
            Some(_) => clashes += 1,
        }
    }
    let alone = (0..their_new.len()).filter(|at| !both.contains(&Some(*at)));
    all.extend(alone.map(|at| their_new[at].clone()));
    if !theirs.label.has_copies() {
        clashes += twice(&all);
    }
    if clashes > 0 {
        return Err(Clash { cards: clashes });
    }
    let (unsure, sure): (Vec<Item>, Vec<Item>) = all.into_iter().partition(|item| item.unsure);
    let [unsure, sure] = [unsure, sure]
        .map(|items| items.into_iter().map(|item| item.card).collect::<Vec<CardLabel>>());
    let mut tags = theirs.label.tags.clone();
    tags.retain(|tag| tag != UNCHECKED);
    let checked = mine.label.is_checked() || theirs.label.is_checked();
    let unchecked = (!checked || !unsure.is_empty()).then_some(unsure);
    if unchecked.is_some() {
        tags.push(UNCHECKED.to_owned());
    }
    let label = PhotoLabel { tags, cards: sure, ..theirs.label.clone() };
    Ok(PhotoEntry { label, unchecked })
}

fn unmatched(items: &[Item], old: &[Option<usize>]) -> Vec<Item> {
    (0..items.len()).filter(|&at| !old.contains(&Some(at))).map(|at| items[at].clone()).collect()
}

/// A card that both still have.
fn three_ways(before: &Item, my: &Item, their: &Item) -> Option<Item> {
    let content = if my.says_as(their) || their.says_as(before) {
        my.clone()
    } else if my.says_as(before) {
        their.clone()
    } else if my.card.code == their.card.code {
        my.clone().surer(their)
    } else {
        return None;
    };
    let place = if my.lies_as(their) || their.lies_as(before) {
        &my.card
    } else if my.lies_as(before) {
        &their.card
    } else {
        return None;
    };
    let card = CardLabel { center: place.center, corners: place.corners, ..content.card };
    Some(Item { card, unsure: content.unsure })
}

/// How many sure cards are there more than once.
fn twice(items: &[Item]) -> usize {
    let mut sure: Vec<Card> =
        items.iter().filter(|item| !item.unsure).map(|item| item.card.code).collect();
    let all = sure.len();
    sure.sort_unstable();
    sure.dedup();
    all - sure.len()
}

/// Maximum distance between the centres of an outline and its label, as a fraction of the card's
/// long side. Within it, both must mean the same card: the centres of neighbours that do not
/// overlap are at least a short side, 0.64, apart.
pub const MATCH_RADIUS: f64 = 0.35;

/// Matches labels with outlines one to one, nearest first (distance between centres in long sides
/// of the card), up to [`MATCH_RADIUS`]; returns the index of each label's outline. `long_side`
/// returns the card's long side for a pair of a label and an outline, by index. All coordinates are
/// in pixels of one picture.
pub fn nearest(
    labels: &[Point],
    outlines: &[Point],
    long_side: impl Fn(usize, usize) -> f64,
) -> Vec<Option<usize>> {
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (i, label) in labels.iter().enumerate() {
        for (j, outline) in outlines.iter().enumerate() {
            let distance = outline.distance(*label) / long_side(i, j).max(1.0);
            if distance <= MATCH_RADIUS {
                pairs.push((distance, i, j));
            }
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let mut outline_of_label = vec![None; labels.len()];
    let mut taken = vec![false; outlines.len()];
    for (_, i, j) in pairs {
        if outline_of_label[i].is_none() && !taken[j] {
            outline_of_label[i] = Some(j);
            taken[j] = true;
        }
    }
    outline_of_label
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cards in a row; `1fgd?` is a guess, `1fgd!` said by a person, `-` no card there.
    fn written(codes: &str) -> PhotoEntry {
        let mut sure = Vec::new();
        let mut guesses = Vec::new();
        for (i, word) in codes.split_whitespace().enumerate().filter(|(_, word)| *word != "-") {
            let at = Point::new(110.0 * i as f64 + 20.0, 20.0);
            let corners = Quad::new(Quad::rectangle(90.0, 60.0).0.map(|p| p + at));
            let labelled_by =
                if word.ends_with('!') { LabelledBy::Person } else { LabelledBy::Reader };
            let code = word.trim_end_matches(['?', '!']).parse().unwrap();
            let card =
                CardLabel { code, center: corners.center(), corners: Some(corners), labelled_by };
            if word.ends_with('?') { guesses.push(card) } else { sure.push(card) }
        }
        let label = PhotoLabel {
            file: "a.jpg".into(),
            width: 900,
            height: 100,
            tags: vec![UNCHECKED.into()],
            deck: "classic".into(),
            mirrored: false,
            cards: sure,
        };
        PhotoEntry { label, unchecked: Some(guesses) }
    }

    #[track_caller]
    fn gives(base: &str, mine: &str, theirs: &str, all: &str) {
        for (mine, theirs) in [(mine, theirs), (theirs, mine)] {
            let merged = merged(&written(base), &written(mine), &written(theirs)).unwrap();
            let mut found = items(&merged);
            found.sort_by(|a, b| a.card.center.x.total_cmp(&b.card.center.x));
            let mut wanted = items(&written(all));
            wanted.sort_by(|a, b| a.card.center.x.total_cmp(&b.card.center.x));
            assert_eq!(found.len(), wanted.len(), "{found:?}");
            assert!(found.iter().zip(&wanted).all(|(a, b)| a.is_as(b)), "{found:?} {wanted:?}");
        }
    }

    #[test]
    fn changes_of_different_cards_come_together() {
        gives("1fgd 2fgd 3srs?", "1fgd 3fgd! 3srs?", "1fgd 2fgd 3srs!", "1fgd 3fgd! 3srs!");
        gives("1fgd 2fgd", "1fgd", "1ord! 2fgd", "1ord!");
        gives("1fgd", "1fgd 2fgd!", "1fgd - 3fgd!", "1fgd 2fgd! 3fgd!");
        gives("1fgd", "1fgd 2fgd?", "1fgd 2fgd!", "1fgd 2fgd!");
        gives("1fgd?", "1fgd!", "1fgd!", "1fgd!");
        gives("1fgd 2fgd", "1fgd", "1fgd", "1fgd");
    }

    #[test]
    fn what_contradicts_is_asked() {
        for (base, mine, theirs) in [
            ("1fgd", "1ord!", "1ogd!"),
            ("1fgd 2fgd", "1fgd", "1fgd 2ord!"),
            ("1fgd", "1fgd 2fgd!", "1fgd 3fgd!"),
            // The same card at two places: a deck holds it once.
            ("1fgd 2fgd", "3srs! 2fgd", "1fgd 3srs!"),
        ] {
            let clash = merged(&written(base), &written(mine), &written(theirs));
            assert_eq!(clash.unwrap_err().cards, 1, "{mine} {theirs}");
        }
    }

    #[test]
    fn a_corner_and_a_code_come_together_and_two_corners_do_not() {
        let base = written("1fgd");
        let [slightly, by_7, by_9] = [1e-9, 7.0, 9.0].map(|by| {
            let mut moved = base.clone();
            moved.label.cards[0].corners.as_mut().unwrap().0[0].x += by;
            moved
        });
        let both = merged(&base, &by_7, &written("2ord!")).unwrap();
        assert_eq!(both.label.cards[0].code.to_string(), "2ord");
        assert!((both.label.cards[0].corners.unwrap().0[0].x - 27.0).abs() < 1e-9);
        assert!(merged(&base, &by_7, &by_9).is_err());
        assert!(same(Some(&base), Some(&slightly)) && !same(Some(&base), None));
    }

    #[test]
    fn what_one_has_checked_is_checked_unless_a_guess_comes_to_it() {
        let base = written("1fgd 2fgd");
        let mut mine = written("1fgd! 2fgd!");
        mine.label.tags = vec!["glare".into()];
        mine.unchecked = None;
        let both = merged(&base, &mine, &base).unwrap();
        assert!(both.label.is_checked() && both.unchecked.is_none());
        assert!(both.label.tags.is_empty(), "tags are what lies on the disk now");
        let both = merged(&base, &mine, &written("1fgd 2fgd 3srs?")).unwrap();
        assert!(!both.label.is_checked() && both.unchecked.unwrap().len() == 1);
    }
}
