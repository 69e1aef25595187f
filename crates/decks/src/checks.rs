//! The cards of one photo as far as a deck can be learnt from them, and what is wrong with such photos, in words that
//! say what to do.

use crate::clusters::{self, Apart};
use crate::draft::{Note, Place, values_of};
use crate::group::{self, DeckCard, Groups};
use rayon::prelude::*;
use setsight_files::printable::counted;
use setsight_game::cards::Property;
use setsight_photo::Frame;
use setsight_photo::geometry::Quad;
use setsight_photo::numeric::median;
use setsight_vision::classify::taught::{Face, Measured, fill_point};
use setsight_vision::find::{CardFinder, FindError};
use setsight_vision::{Trace, output::rows};
use std::collections::{BTreeMap, BTreeSet};

/// The cards of one photo as far as a deck can be learnt from them.
#[derive(Clone, Debug)]
pub struct DeckPhoto {
    pub(super) name: String,
    pub(super) cards: Vec<SeenCard>,
    /// Outlines of cards on which no row of symbols was seen.
    pub(super) unclear: usize,
}

#[derive(Clone, Debug)]
pub(super) struct SeenCard {
    pub row: usize,
    pub column: usize,
    pub corners_in_image: Quad,
    pub measured: Measured,
}

impl DeckPhoto {
    /// Whether it is too blurred to learn from.
    pub fn is_blurred(&self) -> bool {
        /// Two thirds of a millimetre, in pixels of a face. Stripes are lost by then.
        const MOST_BLUR_PX: f32 = 3.6;
        let blur_px = median(self.cards.iter().map(|card| card.measured.blur_px));
        blur_px.is_some_and(|blur_px| blur_px > MOST_BLUR_PX)
    }

    /// For each card its row and its place in the row, from 1, and its corners in the image.
    pub fn cards(&self) -> impl Iterator<Item = (usize, usize, Quad)> {
        self.cards.iter().map(|card| (card.row, card.column, card.corners_in_image))
    }
}

/// Finds the cards of one photo and measures them.
pub fn detect(name: &str, frame: &Frame, finder: &dyn CardFinder) -> Result<DeckPhoto, FindError> {
    /// Log odds that an outline is a card: from the first it is measured, from the second it is
    /// missed where nothing can be measured.
    const LEAST_SCORE: f64 = -1.0;
    const MISSED_SCORE: f64 = 2.0;
    let outlines = finder.find(frame, &mut Trace::default())?;
    let measured: Vec<_> = outlines
        .par_iter()
        .filter(|outline| outline.score > LEAST_SCORE)
        .map(|outline| {
            let face = Face::straighten(frame, &outline.corners_in_image);
            (outline, face.as_ref().and_then(Measured::new))
        })
        .collect();
    let unclear = measured.iter().filter(|(o, m)| m.is_none() && o.score > MISSED_SCORE).count();
    let clear: Vec<(Quad, Measured)> =
        measured.into_iter().filter_map(|(o, m)| Some((o.corners_in_image, m?))).collect();
    let quads: Vec<Quad> = clear.iter().map(|card| card.0).collect();
    let mut cards = Vec::new();
    for (row, places) in rows(&quads).into_iter().enumerate() {
        for (column, i) in places.into_iter().enumerate() {
            let (corners_in_image, measured) = clear[i].clone();
            cards.push(SeenCard { row: row + 1, column: column + 1, corners_in_image, measured });
        }
    }
    Ok(DeckPhoto { name: name.to_owned(), cards, unclear })
}

/// Why no deck could be learnt.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    #[error(
        "no cards in {}: lay the cards face up and apart on a plain table, and photograph \
         them from above{}", counted(*photos, "photo"), list(notes)
    )]
    NoCards { photos: usize, notes: Vec<Note> },
    #[error(
        "{found} different cards of {of} are seen clearly, and {needed} at least are needed: add photos of the \
         others, each card face up and none on another{}",
        list(notes)
    )]
    TooFew { found: usize, of: usize, needed: usize, notes: Vec<Note> },
    #[error(
        "two {} cannot be told apart: {first} is taken for one, {second} for the other. Photograph the deck \
         once more by daylight and closer, all of it in the same light; if the two are one, cards of another are \
         missing{}", values_of(*property),
        if *more_than_a_deck { "; more cards are seen than a deck has: take away what is of another" } else { "" }
    )]
    Alike { property: Property, first: Place, second: Place, more_than_a_deck: bool },
    #[error(
        "one of the {} is on {} alone{}; at least {LEAST_OF_A_VALUE} different ones are needed: add \
         photos of others that have it, each face up and none on another",
        values_of(*property), counted(*found, "card"),
        card.as_ref().map_or(String::new(), |card| format!(", such as {card}"))
    )]
    Seldom { property: Property, card: Option<Place>, found: usize },
    #[error(
        "more than three {} are seen: {card} has none of the others'. A deck has three; take away what is \
         of another deck", values_of(*property)
    )]
    More { property: Property, card: Place },
    #[error(
        "{first} and {second} look the same, and a deck has each card once: take one away if it is of a second \
         deck; if they differ, photograph them closer and by daylight"
    )]
    Twice { first: Place, second: Place },
}

fn list(notes: &[Note]) -> String {
    notes.iter().map(|note| format!("; {note}")).collect()
}

/// Different cards on which each value must be seen.
pub(super) const LEAST_OF_A_VALUE: usize = 4;
/// Deviations that the middles of two groups are apart, at least, to be two.
const LEAST_APART: f32 = 5.0;
/// A fourth group is one of its own if it lies this far from the others, as a part of what the
/// nearest two of the three are apart, and has this part of all cards.
const FOURTH_APART: f32 = 0.55;
const FOURTH_PART: f32 = 0.06;

/// Whether three groups of each property are seen, and no more; `of` cards make a deck. Of a
/// property in `confirmed` a person has confirmed the three groups.
pub(super) fn values(
    cards: &[DeckCard],
    groups: &Groups,
    of: usize,
    confirmed: &[Property],
    place: &dyn Fn(usize) -> Place,
) -> Result<(), LearnError> {
    // Some of a deck's cards are seen in two photos, seldom a third of them.
    let more_than_a_deck = cards.len() > of * 4 / 3;
    let member =
        |assigned: &[usize], g: usize| assigned.iter().position(|group| *group == g).unwrap_or(0);
    let alike = |property, assigned: &[usize], apart: Apart| {
        let (a, b) = apart.nearest;
        let (first, second) = (place(member(assigned, a)), place(member(assigned, b)));
        Err(LearnError::Alike { property, first, second, more_than_a_deck })
    };
    let open = |property| !confirmed.contains(&property);
    let shapes = shapes_apart(cards, &groups.shapes, 3);
    if open(Property::Shape) && shapes.deviations < LEAST_APART {
        return alike(Property::Shape, &groups.shapes, shapes);
    }
    let fills: Vec<_> = cards.iter().map(|card| fill_point(&card.measured)).collect();
    // Within each outline: what a fill looks like depends on the room that it has.
    let is_open = !groups.one_fill && open(Property::Shading);
    let within = clusters::apart_within(&fills, &groups.fills, 3, &groups.shapes);
    if is_open && within.deviations < LEAST_APART {
        return alike(Property::Shading, &groups.fills, within);
    }
    for shape in (0..3).filter(|_| is_open) {
        let cards_of_shape: Vec<usize> =
            (0..cards.len()).filter(|&i| groups.shapes[i] == shape).collect();
        let points: Vec<_> = cards_of_shape.iter().map(|&i| fills[i]).collect();
        let fills_of_shape: Vec<usize> = cards_of_shape.iter().map(|&i| groups.fills[i]).collect();
        // So few say little by themselves; they were compared with those of the other outlines.
        if (0..3)
            .any(|g| fills_of_shape.iter().filter(|fill| **fill == g).count() < LEAST_OF_A_VALUE)
        {
            continue;
        }
        let apart = clusters::apart(&points, &fills_of_shape, 3);
        if apart.deviations < LEAST_APART {
            let (a, b) = apart.nearest;
            let [first, second] = [a, b].map(|g| {
                let k = fills_of_shape.iter().position(|fill| *fill == g).unwrap_or(0);
                place(cards_of_shape[k])
            });
            let property = Property::Shading;
            return Err(LearnError::Alike { property, first, second, more_than_a_deck });
        }
    }
    let inks: Vec<_> = cards.iter().map(|card| group::ink_point(&card.measured)).collect();
    let tables = group::tables(cards);
    let apart = clusters::apart_within(&inks, &groups.inks, 3, &tables);
    if open(Property::Color) && apart.deviations < LEAST_APART {
        return alike(Property::Color, &groups.inks, apart);
    }
    let masks: Vec<_> = cards.iter().map(|card| &card.measured.mask).collect();
    let table = group::distances(&masks);
    let chosen = clusters::medoids(&table, 4);
    let four: Vec<usize> = (0..cards.len())
        .map(|i| {
            (0..chosen.len())
                .min_by(|a, b| table[chosen[*a]][i].0.total_cmp(&table[chosen[*b]][i].0))
                .unwrap_or(0)
        })
        .collect();
    if open(Property::Shape) {
        let ratio =
            shapes_apart(cards, &four, 4).length / shapes_apart(cards, &groups.shapes, 3).length;
        fourth(Property::Shape, &four, ratio, place)?;
    }
    let inks = clusters::in_one_light(&inks, &groups.inks, &tables);
    let four = clusters::k_means(&inks, 4);
    if open(Property::Color) {
        let ratio = clusters::apart(&inks, &four, 4).length
            / clusters::apart(&inks, &groups.inks, 3).length;
        fourth(Property::Color, &four, ratio, place)?;
    }
    Ok(())
}

fn fourth(
    property: Property,
    four: &[usize],
    apart: f32,
    place: &dyn Fn(usize) -> Place,
) -> Result<(), LearnError> {
    let counts = [0, 1, 2, 3].map(|g| four.iter().filter(|group| **group == g).count());
    let smallest = (0..4).min_by_key(|&g| counts[g]).unwrap_or(0);
    let enough = counts[smallest] as f32 >= (FOURTH_PART * four.len() as f32).max(3.0);
    if enough && apart > FOURTH_APART {
        let card = place(four.iter().position(|group| *group == smallest).unwrap_or(0));
        return Err(LearnError::More { property, card });
    }
    Ok(())
}

/// Whether each value is on enough different cards to know what it looks like.
pub(super) fn often_enough(
    cards: &[DeckCard],
    groups: &Groups,
    place: &dyn Fn(usize) -> Place,
) -> Result<(), LearnError> {
    let numbers: Vec<usize> = cards.iter().map(|card| card.measured.number - 1).collect();
    let mut properties = vec![
        (Property::Number, &numbers),
        (Property::Shape, &groups.shapes),
        (Property::Color, &groups.inks),
    ];
    if !groups.one_fill {
        properties.push((Property::Shading, &groups.fills));
    }
    for (property, assigned) in properties {
        for value in 0..3 {
            let with: Vec<usize> = (0..cards.len()).filter(|&i| assigned[i] == value).collect();
            let different: BTreeSet<_> =
                with.iter().map(|&i| (numbers[i], groups.of_card(i))).collect();
            let found = different.len();
            if found < LEAST_OF_A_VALUE {
                let card = with.first().map(|&i| place(i));
                return Err(LearnError::Seldom { property, card, found });
            }
        }
    }
    Ok(())
}

/// How far apart groups of outlines are: what the mean outlines of two do not share, in root mean
/// squares of what a card does not share with its own.
fn shapes_apart(cards: &[DeckCard], assigned: &[usize], k: usize) -> Apart {
    let masks: Vec<_> = cards.iter().map(|card| &card.measured.mask).collect();
    let table = group::distances(&masks);
    let mut least = Apart { nearest: (0, 0), length: f32::MAX, deviations: f32::MAX };
    for a in 0..k {
        for b in a + 1..k {
            // Between groups as within them where they are one: then the ratio is 1.
            let [within_a, within_b, between] =
                [(a, a), (b, b), (a, b)].map(|(a, b)| mean_distance(&table, assigned, a, b));
            let within = ((within_a + within_b) / 2.0).max(0.01);
            let deviations = 2.5 * between / within;
            if deviations < least.deviations {
                (least.nearest, least.deviations) = ((a, b), deviations);
            }
            least.length = least.length.min(between);
        }
    }
    least
}

/// The mean distance of a card of one group to another card of a second group or of the same.
fn mean_distance(table: &[Vec<(f32, bool)>], assigned: &[usize], a: usize, b: usize) -> f32 {
    let (mut sum, mut n) = (0.0, 0.0f32);
    for i in (0..assigned.len()).filter(|&i| assigned[i] == a) {
        for j in (0..assigned.len()).filter(|&j| assigned[j] == b && i != j) {
            sum += table[i][j].0;
            n += 1.0;
        }
    }
    sum / n.max(1.0)
}

/// How many different cards there are, and which were seen twice in two photos.
pub(super) fn copies(
    cards: &[DeckCard],
    groups: &Groups,
    place: &dyn Fn(usize) -> Place,
) -> Result<(usize, Vec<(usize, usize)>), LearnError> {
    let mut by_card: BTreeMap<[usize; 4], Vec<usize>> = BTreeMap::new();
    for (i, card) in cards.iter().enumerate() {
        let key = [card.measured.number, groups.fills[i], groups.inks[i], groups.shapes[i]];
        by_card.entry(key).or_default().push(i);
    }
    let mut copies = Vec::new();
    for same in by_card.values() {
        for (k, &a) in same.iter().enumerate() {
            for &b in &same[k + 1..] {
                if cards[a].photo == cards[b].photo {
                    return Err(LearnError::Twice { first: place(a), second: place(b) });
                }
                copies.push((a, b));
            }
        }
    }
    Ok((by_card.len(), copies))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::tests::{deck, deck_in_two_lights};

    fn somewhere(i: usize) -> Place {
        Place { photo: "a.jpg".into(), row: 1, column: i + 1 }
    }

    #[test]
    fn three_values_pass_and_a_fourth_is_named() {
        let (cards, groups) = deck();
        values(&cards, &groups, 81, &[], &somewhere).unwrap();
        // Two inks that light has made one.
        let mut dim = cards.clone();
        for (card, ink) in dim.iter_mut().zip(&groups.inks) {
            card.measured.light = if *ink == 0 { [0.6, 0.1, 0.1] } else { [0.1, 0.4, 0.1] };
            if *ink == 2 {
                card.measured.ink = [40.0 + card.measured.blur_px, 50.0, 30.0];
            } else if *ink == 1 {
                card.measured.ink = [40.0 - card.measured.blur_px, 50.0, 30.0];
            }
        }
        let error = values(&dim, &groups, 81, &[], &somewhere).unwrap_err().to_string();
        assert!(
            error.contains("two inks cannot be told apart: card ") && error.contains("daylight"),
            "{error}"
        );
        // A person who has the cards in hand knows better.
        values(&dim, &groups, 81, &[Property::Color], &somewhere).unwrap();
        // A fourth.
        let mut mixed = cards.clone();
        for card in mixed.iter_mut().step_by(4) {
            card.measured.ink = [90.0, 0.0, 80.0];
            card.measured.light = [0.8, 0.8, 0.0];
        }
        let groups = group::group(&mixed, false);
        let error = values(&mixed, &groups, 81, &[], &somewhere).unwrap_err().to_string();
        assert!(error.contains("inks"), "{error}");
    }

    #[test]
    fn inks_in_two_lights_are_three() {
        let (cards, groups) = deck_in_two_lights();
        values(&cards, &groups, 81, &[], &somewhere).unwrap();
    }

    #[test]
    fn a_value_on_too_few_cards_is_named() {
        let (cards, groups) = deck_in_two_lights();
        often_enough(&cards, &groups, &somewhere).unwrap();
        let mut kept = (Vec::new(), Groups::default());
        let mut seldom = 0;
        for (i, card) in cards.iter().enumerate() {
            seldom += usize::from(groups.inks[i] == 2);
            if groups.inks[i] != 2 || seldom <= 3 {
                kept.0.push(card.clone());
                kept.1.shapes.push(groups.shapes[i]);
                kept.1.fills.push(groups.fills[i]);
                kept.1.inks.push(groups.inks[i]);
            }
        }
        let error = often_enough(&kept.0, &kept.1, &somewhere).unwrap_err().to_string();
        assert!(error.starts_with("one of the inks is on 3 cards alone, such as card "), "{error}");
    }

    #[test]
    fn a_card_twice_in_one_photo_is_a_mistake_and_in_two_a_hint() {
        let (mut cards, mut groups) = deck();
        assert_eq!(copies(&cards, &groups, &somewhere).unwrap(), (27, Vec::new()));
        let mut again = cards[3].clone();
        again.photo = 1;
        cards.push(again);
        for list in [&mut groups.shapes, &mut groups.fills, &mut groups.inks] {
            list.push(list[3]);
        }
        assert_eq!(copies(&cards, &groups, &somewhere).unwrap(), (27, vec![(3, 27)]));
        cards[27].photo = 0;
        let error = copies(&cards, &groups, &somewhere).unwrap_err().to_string();
        assert!(error.starts_with("card 4 of row 1 in a.jpg and card 28 of row 1"), "{error}");
    }
}
