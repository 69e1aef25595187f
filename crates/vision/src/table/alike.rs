//! Similarity of a table's cards: their properties measured, and grouped without names.
//!
//! A program draws all of its cards in one way, so the symbols of a table show at most three numbers,
//! inks, fillings and outlines, which lie well apart. Each property is measured and grouped by average
//! linkage (Sokal and Michener 1958) into at most three groups, by two measures, one of which is learnt
//! ([`Likeness`]). Both together are believed of the cards that one of them alone puts with the same others; the
//! rest belong to no set. If the deck is known, the readers' results replace the measure by hand. Then the rules of
//! the game count: no two cards are alike in all four properties, since a deck has each card once.
//!
//! Sets need only the groups. Each group gets one name: of the six ways to give three names to three groups
//! those count that agree with the readings of all cards.

mod measured;

use crate::card::Reading;
use crate::probability::softmax;
use kodama::Method;
pub use measured::{FILL, Measured, TEXTURE, measured};
pub(crate) use measured::{Printed, is_board};
use serde::{Deserialize, Serialize};
use setsight_game::cards::Property;
use std::collections::BTreeSet;

/// The group of a card in each property, in [`Property::ALL`] order, 0 to 2; of the number of symbols it is
/// the number less one.
pub type Class = [usize; 4];

/// Fewer cards show too little of a deck.
const LEAST_CARDS: usize = 6;
/// Groups whose members lie within this distance on average are one, in the units of [`Measured`]'s
/// filling, ink and outline: what drawing and scaling leave between two pictures of one print.
const ONE_FILL: f32 = 0.12;
const ONE_INK: f32 = 0.1;
const ONE_OUTLINE: f32 = 0.08;
/// Fillings of two groups that are less far apart, where one group lies within 1, may be one that outlines of
/// different shapes show differently.
const CLEAR_FILLS: f32 = 2.0;
/// A card that lies farther from the rest of its group, as a part of the distance between the nearest two, is not
/// clearly of it.
const MOST_SPREAD: f32 = 0.75;
/// Largest total variation between readers' probabilities of one value.
const ONE_NAME: f32 = 0.3;
/// Groups of a known deck are clear if every other grouping is worse by more than this. On drawn tables of another
/// seed three claimed sets of a thousand are then wrong, where seventeen were before.
const LEAST_MARGIN: f32 = 0.7;
/// Dimensions of the network's measures of how alike the fillings, inks and outlines of two cards are.
pub const LIKENESS: [usize; 3] = [8, 8, 12];
/// Groups by likeness whose members lie within this distance on average are one: about as far as two cards
/// alike lie apart.
const ONE_LIKENESS: f32 = 4.0;

/// Weight of the measurements beside the network's output, see [`Likeness`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredLikeness {
    /// Of the filling, see [`Measured::fill`], then of its texture, see [`Measured::texture`].
    pub filling: [[f32; FILL + TEXTURE]; LIKENESS[0]],
    /// Of the ink, see [`Measured::ink`].
    pub ink: [[f32; 5]; LIKENESS[1]],
}

/// The embedding of each card of a table, by filling, by ink and by outline: a second measure beside the one by
/// hand, linear in features of the networks that read screens and bad light, and fitted by linear discriminant
/// analysis (Fisher 1936, Rao 1948).
#[derive(Clone, Debug)]
pub struct Likeness {
    embeddings: Vec<[f32; LIKENESS[0] + LIKENESS[1] + LIKENESS[2]]>,
    measured: MeasuredLikeness,
}

impl Likeness {
    /// From what two networks give of each card besides their logits; `None` if they were not fitted to give it.
    pub(crate) fn new(
        more: &[Vec<f32>],
        second: &[Vec<f32>],
        measured: &MeasuredLikeness,
    ) -> Option<Self> {
        // What the second reader adds for places on photos follows.
        let embeddings = more
            .iter()
            .zip(second)
            .map(|(first, second)| {
                let sums: Vec<f32> = first.iter().zip(second).map(|(a, b)| a + b).collect();
                sums.try_into().ok()
            })
            .collect::<Option<_>>()?;
        Some(Self { embeddings, measured: measured.clone() })
    }

    /// The places of a card by filling, ink and outline.
    fn places(&self, card: usize, measured: &Measured) -> [Vec<f32>; 3] {
        let (filling, rest) = self.embeddings[card].split_at(LIKENESS[0]);
        let (ink, outline) = rest.split_at(LIKENESS[1]);
        [
            shifted(filling, &self.measured.filling, &measured.filling()),
            shifted(ink, &self.measured.ink, &measured.ink),
            outline.to_vec(),
        ]
    }
}

/// A place that is shifted in each dimension by the measurements, times that dimension's weights.
fn shifted<const N: usize>(place: &[f32], weights: &[[f32; N]], measured: &[f32]) -> Vec<f32> {
    let along = |row: &[f32; N]| row.iter().zip(measured).map(|(a, b)| a * b).sum::<f32>();
    place.iter().zip(weights).map(|(value, row)| value + along(row)).collect()
}

/// Groups the cards of a drawn table that are [`measured()`]; `None` for the others, or for all if it is not clear
/// how most cards are grouped in a property.
/// If the deck is known, `named` is the readers' result for each card, which then replaces the measure by hand.
/// `board` are the cards of the largest board, by their indices: beside it a card may lie a second time.
pub(crate) fn classes(
    measured: &[Option<Measured>],
    likeness: &Likeness,
    named: Option<&[Reading]>,
    board: &[usize],
) -> Option<Vec<Option<Class>>> {
    let numbers: Vec<Option<usize>> =
        measured.iter().map(|card| card.as_ref().and_then(|card| card.number)).collect();
    let indices: Vec<usize> = (0..measured.len()).filter(|&i| numbers[i].is_some()).collect();
    let cards: Vec<&Measured> = indices.iter().filter_map(|&i| measured[i].as_ref()).collect();
    if cards.len() < LEAST_CARDS {
        return None;
    }
    let places = indices.iter().zip(&cards).map(|(&i, card)| likeness.places(i, card)).collect();
    let readings = named.map(|all| indices.iter().map(|&i| &all[i]).collect());
    let table = MeasuredTable { cards, places, readings };
    let inks = table.groups(1)?;
    let outlines = table.groups(2)?;
    let counted = numbers.into_iter().flatten().map(|number| number - 1);
    let numbers: Option<Vec<usize>> = match &table.readings {
        Some(readings) => settled_numbers(counted.zip(readings.iter().map(|r| r.values[0]))),
        None => Some(counted.collect()),
    };
    let numbers = numbers.filter(|all| all.iter().all(|&number| number < 3))?;
    let fills = table.groups(0)?;
    let varies = numbers.iter().any(|number| *number != numbers[0]);
    let mut by_card = vec![None; measured.len()];
    for (k, &i) in indices.iter().enumerate() {
        by_card[i] = Some([numbers[k], fills.of[k], inks.of[k], outlines.of[k]]);
    }
    // Cards that are not clear count here, too: two that are alike show that groups are wrong.
    let is_deck =
        are_different(by_card.iter().flatten().copied()) || adds_only_copies(&by_card, board);
    for (k, &i) in indices.iter().enumerate() {
        let is_clear = [&fills, &inks, &outlines].iter().all(|groups| groups.is_clear[k]);
        by_card[i] = by_card[i].filter(|_| is_clear);
    }
    (varies && is_deck).then_some(by_card)
}

/// Whether nothing lies outside the board but copies of its cards.
fn adds_only_copies(classes: &[Option<Class>], board: &[usize]) -> bool {
    let on_board: BTreeSet<Class> = board.iter().filter_map(|&i| classes[i]).collect();
    on_board.len() >= LEAST_CARDS
        && are_different(board.iter().filter_map(|&i| classes[i]))
        && classes.iter().enumerate().all(|(i, class)| {
            board.contains(&i) || class.is_none_or(|class| on_board.contains(&class))
        })
}

/// The group of each card, and whether it is clear.
struct Groups {
    of: Vec<usize>,
    is_clear: Vec<bool>,
}

/// Both measures of the cards of a table; a property is 0 for the filling, 1 for the ink, 2 for the outline.
struct MeasuredTable<'a> {
    cards: Vec<&'a Measured>,
    /// By the learnt measure.
    places: Vec<[Vec<f32>; 3]>,
    /// The readers' result for each card, if the deck is known.
    readings: Option<Vec<&'a Reading>>,
}

impl MeasuredTable<'_> {
    fn by_hand(&self, property: usize, a: usize, b: usize) -> f32 {
        let (a, b) = (self.cards[a], self.cards[b]);
        match property {
            0 => distance(&a.fill, &b.fill) / ONE_FILL,
            1 => distance(&a.ink, &b.ink) / ONE_INK,
            _ => a.outline.distance(&b.outline) / ONE_OUTLINE,
        }
    }

    fn learnt(&self, property: usize, a: usize, b: usize) -> f32 {
        distance(&self.places[a][property], &self.places[b][property]) / ONE_LIKENESS
    }

    fn distances(&self, far: impl Fn(usize, usize) -> f32) -> Distances {
        Distances::new(self.cards.len(), &far)
    }

    /// `None` if the groups are not clear for most cards.
    fn groups(&self, property: usize) -> Option<Groups> {
        let Some(readings) = &self.readings else { return self.groups_by_measures(property) };
        let values: Vec<_> = readings.iter().map(|r| r.values[property + 1]).collect();
        let groups = self.groups_by_names(property, &values)?;
        let is_clear = vec![true; groups.len()];
        Some(Groups { of: groups, is_clear })
    }

    fn groups_by_measures(&self, property: usize) -> Option<Groups> {
        /// One of so many cards may be unclear.
        const ONE_UNCLEAR_OF: usize = 3;
        let by_hand = |a: usize, b: usize| self.by_hand(property, a, b);
        let learnt = |a: usize, b: usize| self.learnt(property, a, b);
        // Both measures together err least; a card is believed where one of them alone puts it with the same others:
        // of fillings the learnt one, of inks the one by hand.
        let both = self.distances(|a, b| f32::midpoint(by_hand(a, b), learnt(a, b)));
        let groups = both.linked();
        let apart = both.apart(&groups);
        if property == 0 && apart < CLEAR_FILLS {
            return None;
        }
        let alone = [
            (property != 1).then(|| self.distances(learnt).linked()),
            (property != 0).then(|| self.distances(by_hand).linked()),
        ];
        let agreed = alone.iter().flatten().map(|alone| agreed(&groups, alone));
        let agreed = agreed.max_by_key(|agreed| count(agreed))?;
        let spreads = both.spreads(&groups);
        if spreads.iter().any(|spread| *spread > apart) {
            return None;
        }
        let is_clear = agreed.iter().zip(spreads);
        let is_clear: Vec<bool> =
            is_clear.map(|(agreed, spread)| *agreed && spread <= MOST_SPREAD * apart).collect();
        let unclear = is_clear.len() - count(&is_clear);
        (ONE_UNCLEAR_OF * unclear <= is_clear.len()).then_some(Groups { of: groups, is_clear })
    }

    fn groups_by_names(&self, property: usize, values: &[[f32; 3]]) -> Option<Vec<usize>> {
        let learnt = |a: usize, b: usize| self.learnt(property, a, b);
        let both = self.distances(|a, b| {
            f32::midpoint(learnt(a, b), total_variation(values[a], values[b]) / ONE_NAME)
        });
        let groups = both.linked();
        let names: Vec<usize> = values.iter().filter_map(|three| likeliest(*three)).collect();
        let are_believed = both.margin(&groups) > LEAST_MARGIN
            || (are_one(&groups, &names) && are_one(&groups, &self.distances(learnt).linked()));
        are_believed.then_some(groups)
    }
}

fn total_variation(a: [f32; 3], b: [f32; 3]) -> f32 {
    a.into_iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f32>() / 2.0
}

/// Whether no two cards are alike in all.
fn are_different(classes: impl Iterator<Item = Class> + Clone) -> bool {
    classes.clone().collect::<BTreeSet<_>>().len() == classes.count()
}

/// The classes of the cards without those that lie twice: where there are any, those of this board.
pub(crate) fn without_copies(
    mut classes: Vec<Option<Class>>,
    board: &[usize],
) -> Vec<Option<Class>> {
    if !are_different(classes.iter().flatten().copied()) {
        let extra = classes.iter_mut().enumerate().filter(|(i, _)| !board.contains(i));
        extra.for_each(|(_, class)| *class = None);
    }
    classes
}

/// The index of the likeliest value.
fn likeliest(values: [f32; 3]) -> Option<usize> {
    (0..3).max_by(|&a, &b| values[a].total_cmp(&values[b]))
}

/// The index of each number as it was counted or read: counted, unless that is not what readers are sure of.
fn settled_numbers(all: impl Iterator<Item = (usize, [f32; 3])> + Clone) -> Option<Vec<usize>> {
    const SURE: f32 = 0.9;
    /// From here up a reading decides on a number by itself.
    const LIKELY: f32 = 0.6;
    if all.clone().any(|(counted, values)| likelier(values, SURE).is_some_and(|n| n != counted)) {
        return all.map(|(_, values)| likelier(values, LIKELY)).collect();
    }
    Some(all.map(|(counted, _)| counted).collect())
}

/// The index of the likeliest value, if its probability is above this.
fn likelier(values: [f32; 3], least: f32) -> Option<usize> {
    likeliest(values).filter(|&value| values[value] > least)
}

/// The ways to match three groups with three others, or with three names.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Gives each group its name: from the readings of its cards, and since no two groups of a property have
/// the same.
///
/// # Errors
/// The first property in which a reader is sure that a card is not what its group is called. One of both errs; the
/// readings stay as they are.
pub(crate) fn name(classes: &[Option<Class>], readings: &mut [Reading]) -> Result<(), Property> {
    /// Probability below which a reader is sure.
    const DENIED: f32 = 0.02;
    /// Probability left for other values: measurements err, too.
    const DOUBT: f32 = 0.01;
    /// Bound on what one reading counts against a value, natural logarithm.
    const LEAST_LOG: f32 = -6.0;
    let mut named = readings.to_vec();
    for property in Property::ALL {
        let p = property as usize;
        let mut logs = [[0.0f32; 3]; 3];
        let mut sizes = [0.0f32; 3];
        for (class, reading) in classes.iter().zip(&*readings) {
            let Some(class) = class else { continue };
            sizes[class[p]] += 1.0;
            for (log, value) in logs[class[p]].iter_mut().zip(reading.values[p]) {
                *log += value.ln().max(LEAST_LOG);
            }
        }
        // The readings of a group err together: it counts as the root of their number.
        for (logs, size) in logs.iter_mut().zip(sizes) {
            logs.iter_mut().for_each(|log| *log /= size.max(1.0).sqrt());
        }
        let mut probabilities = [[0.0f32; 3]; 3];
        if property == Property::Number {
            (0..3).for_each(|number| probabilities[number][number] = 1.0);
        } else {
            let chances =
                softmax(ORDERS.map(|order| (0..3).map(|group| logs[group][order[group]]).sum()));
            for (order, chance) in ORDERS.iter().zip(chances) {
                (0..3).for_each(|group| probabilities[group][order[group]] += chance);
            }
        }
        for ((class, named), reading) in classes.iter().zip(&mut named).zip(&*readings) {
            let Some(class) = class else { continue };
            let probabilities = probabilities[class[p]];
            if (0..3).any(|v| probabilities[v] > 0.5 && reading.values[p][v] < DENIED) {
                return Err(property);
            }
            named.values[p] = probabilities.map(|v| (1.0 - DOUBT) * v + DOUBT / 3.0);
        }
    }
    readings.clone_from_slice(&named);
    Ok(())
}

fn distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt()
}

/// Whether two ways to group the same cards put the same ones together.
fn are_one(a: &[usize], b: &[usize]) -> bool {
    let both = a.iter().zip(b).collect::<BTreeSet<_>>().len();
    both == group_count(a) && both == group_count(b)
}

/// Which cards two ways to group them put with the same others, once their groups are matched as well as they can be.
fn agreed(a: &[usize], b: &[usize]) -> Vec<bool> {
    let by = |order: &[usize; 3]| -> Vec<bool> {
        a.iter().zip(b).map(|(&a, &b)| order[a] == b).collect()
    };
    ORDERS.iter().map(by).max_by_key(|agreed| count(agreed)).unwrap_or_default()
}

fn count(agreed: &[bool]) -> usize {
    agreed.iter().filter(|agreed| **agreed).count()
}

fn group_count(groups: &[usize]) -> usize {
    groups.iter().collect::<BTreeSet<_>>().len()
}

/// Distances between cards; members of one group lie within 1 on average.
struct Distances(Vec<Vec<f32>>);

impl Distances {
    fn new(n: usize, far: &dyn Fn(usize, usize) -> f32) -> Self {
        Self((0..n).map(|a| (0..n).map(|b| far(a, b)).collect()).collect())
    }

    /// Mean distance of the cards of two groups.
    fn between(&self, a: &[usize], b: &[usize]) -> f32 {
        let pairs = a.iter().flat_map(|&i| b.iter().map(move |&j| (i, j)));
        pairs.map(|(i, j)| self.0[i][j]).sum::<f32>() / (a.len() * b.len()) as f32
    }

    /// The group of each card by average linkage: three groups, fewer where two of these lie near each other; a
    /// table without a value is rare.
    fn linked(&self) -> Vec<usize> {
        /// Of eight boards that two groups of fillings between this and 1 were made of, seven showed three.
        const NEAR: f32 = 0.85;
        let count = self.0.len();
        let pairs = self.0.iter().enumerate().flat_map(|(card, row)| &row[card + 1..]);
        let mut pairs: Vec<f32> = pairs.copied().collect();
        let linkage = kodama::linkage(&mut pairs, count, Method::Average);
        let mut groups: Vec<usize> = (0..count).collect();
        for (step, next) in linkage.steps().iter().enumerate() {
            if count - step <= 3 && next.dissimilarity > NEAR {
                break;
            }
            let merged = [next.cluster1, next.cluster2];
            let of_either = groups.iter_mut().filter(|group| merged.contains(group));
            of_either.for_each(|group| *group = count + step);
        }
        // Numbered by their first cards.
        let first_of = |group| groups.iter().position(|other| other == group);
        let firsts: Vec<Option<usize>> = groups.iter().map(first_of).collect();
        let distinct: BTreeSet<Option<usize>> = firsts.iter().copied().collect();
        firsts.iter().map(|first| distinct.range(..first).count()).collect()
    }

    /// Distance between the nearest two groups.
    fn apart(&self, groups: &[usize]) -> f32 {
        let members = members(groups);
        let pairs = (0..members.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let apart = pairs.map(|(a, b)| self.between(&members[a], &members[b]));
        apart.fold(f32::INFINITY, f32::min)
    }

    /// The distance of each card from the rest of its group.
    fn spreads(&self, groups: &[usize]) -> Vec<f32> {
        let members = members(groups);
        let distances = groups.iter().enumerate();
        distances.map(|(card, &at)| self.to_group(card, &members[at])).collect()
    }

    /// By how much the nearest other grouping is worse: with one card in another group, or two groups as one.
    fn margin(&self, groups: &[usize]) -> f32 {
        let members = members(groups);
        let costs = groups.iter().enumerate().map(|(card, &current_group)| {
            let elsewhere = (0..members.len()).filter(|&group| group != current_group);
            let current_distance = self.to_group(card, &members[current_group]);
            let costs =
                elsewhere.map(|group| self.to_group(card, &members[group]) - current_distance);
            costs.fold(f32::INFINITY, f32::min)
        });
        costs.fold(f32::INFINITY, f32::min).min(self.apart(groups) - 1.0)
    }

    /// Mean distance of a card from the rest of a group.
    fn to_group(&self, card: usize, group: &[usize]) -> f32 {
        let rest: Vec<usize> = group.iter().copied().filter(|&other| other != card).collect();
        // A card alone lies as far from its group as a group may reach.
        if rest.is_empty() { 1.0 } else { self.between(&[card], &rest) }
    }
}

/// The cards of each group.
fn members(groups: &[usize]) -> Vec<Vec<usize>> {
    let count = groups.iter().max().map_or(0, |last| last + 1);
    (0..count).map(|at| (0..groups.len()).filter(|&i| groups[i] == at).collect()).collect()
}

#[cfg(test)]
pub(crate) mod tests;
