//! What is alike on a table: the cards' properties measured, and grouped without any name.
//!
//! A program draws all of its cards in one way, so the symbols of a table show at most three numbers,
//! inks, fillings and outlines, which lie well apart. Each property is measured and grouped by average
//! linkage (Sokal and Michener 1958) into at most three groups, by two measures, of which one is learnt
//! ([`Likeness`]). Both together are believed where one of them alone puts the same cards together. Where the
//! deck is known, what readers say of the cards takes the place of the measure by hand. Then
//! the game itself has its say: no two cards are alike in all four properties, since a deck has each card
//! once.
//!
//! A set needs no more than that. A name belongs to a whole group: of the six ways to give three names
//! to three groups those count that agree with what the readers say of all their cards.

use super::drawing::{Grid, Part, rank};
use crate::data::{CardImage, Reading};
use crate::probability::softmax;
use serde::{Deserialize, Serialize};
use setsight_game::cards::Property;
use std::collections::{BTreeMap, BTreeSet};

/// The group of a card in each property, in [`Property::ALL`] order, 0 to 2; of the number of symbols it is
/// the number less one.
pub type Class = [usize; 4];

/// Fewer cards tell too little of a deck.
const LEAST_CARDS: usize = 6;
/// Groups whose members lie within this distance on average are one, in the units of [`fill`],
/// [`ink_point`] and [`Outline::distance`]: what drawing and scaling leave between two pictures of one print.
const ONE_FILL: f32 = 0.12;
const ONE_INK: f32 = 0.1;
const ONE_OUTLINE: f32 = 0.08;
/// Fillings of two groups that are less far apart, where one group lies within 1, may be one that outlines of
/// different shapes show differently.
const CLEAR_FILLS: f32 = 2.0;
/// How far apart readers' probabilities of one value may lie, as their total variation.
const ONE_NAME: f32 = 0.3;
/// Groups of a known deck are clear if every other grouping is worse by more than this. On drawn tables of another
/// seed three claimed sets of a thousand are then wrong, where seventeen were before.
const LEAST_MARGIN: f32 = 0.7;
/// Fewest pixels of a symbol.
const LEAST_PX: usize = 60;

/// Numbers that are measured of a filling.
pub const FILL: usize = 7;
/// Further numbers of a filling, which only the second measure weighs.
pub const TEXTURE: usize = 19;

/// Dimensions in which the network tells how alike the fillings, inks and outlines of two cards are.
pub const LIKENESS: [usize; 3] = [8, 8, 12];
/// Groups by likeness whose members lie within this distance on average are one: about as far as two cards
/// alike lie apart.
const ONE_LIKENESS: f32 = 4.0;

/// How what is measured counts beside what the network tells, see [`Likeness`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredLikeness {
    /// Of the filling, see [`Measured::fill`], then of its texture, see [`Measured::texture`].
    pub filling: [[f32; FILL + TEXTURE]; LIKENESS[0]],
    /// Of the ink, see [`Measured::ink`].
    pub ink: [[f32; 5]; LIKENESS[1]],
}

/// Where each card of a table lies among prints, by filling, by ink and by outline: a second measure beside
/// the one by hand, linear in features of the networks that read screens and bad light, and fitted so that cards alike lie together
/// (linear discriminant analysis, Fisher 1936, Rao 1948).
#[derive(Clone, Debug)]
pub struct Likeness {
    of_cards: Vec<[f32; LIKENESS[0] + LIKENESS[1] + LIKENESS[2]]>,
    measured: MeasuredLikeness,
}

impl Likeness {
    /// From what two networks tell of each card beside their logits; `None` if they were not fitted to tell it.
    pub(crate) fn of(
        more: &[Vec<f32>],
        second: &[Vec<f32>],
        measured: &MeasuredLikeness,
    ) -> Option<Self> {
        // What the second reader tells of places on photos follows.
        let sum = |(own, second): (&Vec<f32>, &Vec<f32>)| {
            let sums: Vec<f32> = own.iter().zip(second).map(|(a, b)| a + b).collect();
            sums.try_into().ok()
        };
        let of_cards = more.iter().zip(second).map(sum).collect::<Option<_>>()?;
        Some(Self { of_cards, measured: measured.clone() })
    }

    /// The places of a card by filling, ink and outline.
    fn places(&self, card: usize, measured: &Measured) -> [Vec<f32>; 3] {
        let (filling, rest) = self.of_cards[card].split_at(LIKENESS[0]);
        let (ink, outline) = rest.split_at(LIKENESS[1]);
        let with = |own: &[f32], rows: &[&[f32]], measured: &[f32]| {
            let along = |row: &&[f32]| row.iter().zip(measured).map(|(a, b)| a * b).sum::<f32>();
            own.iter().zip(rows).map(|(own, row)| own + along(row)).collect::<Vec<f32>>()
        };
        let fills: Vec<&[f32]> = self.measured.filling.iter().map(|row| &row[..]).collect();
        let inks: Vec<&[f32]> = self.measured.ink.iter().map(|row| &row[..]).collect();
        [
            with(filling, &fills, &measured.filling()),
            with(ink, &inks, &measured.ink),
            outline.to_vec(),
        ]
    }
}

/// Groups those cards of a drawn table that `counts`; `None` for a card that takes no part, or shows no symbol.
/// Where the deck is known, `named` is what readers say of each card, which then takes the place of the measure by
/// hand. `board` are the cards of the largest board, by their indices: beside it a card may lie a second time.
///
/// # Errors
/// A property in which the groups are not clear. Fillings come last: they seldom are.
pub(crate) fn classes(
    images: &[CardImage],
    likeness: &Likeness,
    named: Option<&[Reading]>,
    board: &[usize],
    counts: impl Fn(usize) -> bool,
) -> Result<Vec<Option<Class>>, Property> {
    let measured = measured(images, &counts);
    let seen: Vec<usize> = (0..images.len()).filter(|&i| measured[i].is_some()).collect();
    let own: Vec<&Measured> = measured.iter().flatten().collect();
    if own.len() < LEAST_CARDS {
        return Err(Property::Shading);
    }
    let places: Vec<[Vec<f32>; 3]> =
        seen.iter().zip(&own).map(|(&i, own)| likeness.places(i, own)).collect();
    let by_hand = |property: usize, a: usize, b: usize| match property {
        0 => distance(&own[a].fill, &own[b].fill) / ONE_FILL,
        1 => distance(&own[a].ink, &own[b].ink) / ONE_INK,
        _ => own[a].outline.distance(&own[b].outline) / ONE_OUTLINE,
    };
    let grouped = |property: usize| {
        let table = |far: &dyn Fn(usize, usize) -> f32| Distances::of(own.len(), far);
        let learnt = |a: usize, b: usize| {
            distance(&places[a][property], &places[b][property]) / ONE_LIKENESS
        };
        let by_learning = table(&learnt);
        if let Some(readings) = named {
            let values = |i: usize| readings[seen[i]].values[property + 1];
            let by_names = |a: usize, b: usize| {
                let both = values(a).into_iter().zip(values(b));
                both.map(|(a, b)| (a - b).abs()).sum::<f32>() / 2.0 / ONE_NAME
            };
            let both = table(&|a, b| f32::midpoint(learnt(a, b), by_names(a, b)));
            let groups = both.linked();
            let names: Vec<usize> = (0..own.len()).filter_map(|i| likeliest(values(i))).collect();
            let are_clear = both.margin(&groups) > LEAST_MARGIN;
            let alone = || [names, by_learning.linked()].iter().all(|own| are_one(&groups, own));
            return (are_clear || alone()).then_some(groups);
        }
        // Both measures together err least; they are believed where one of them alone makes the same groups: of
        // fillings the learnt one, of inks the one by hand.
        let hand = |a: usize, b: usize| by_hand(property, a, b);
        let both = table(&|a, b| f32::midpoint(hand(a, b), learnt(a, b)));
        let groups = both.linked();
        let alone = match property {
            0 => vec![by_learning],
            1 => vec![table(&hand)],
            _ => vec![by_learning, table(&hand)],
        };
        let are_clear = property != 0 || both.apart(&groups) >= CLEAR_FILLS;
        let are_found = alone.iter().any(|one| are_one(&groups, &one.linked()));
        (are_clear && are_found).then_some(groups)
    };
    let inks = grouped(1).ok_or(Property::Color)?;
    let outlines = grouped(2).ok_or(Property::Shape)?;
    let counted = own.iter().map(|own| own.number - 1);
    let numbers: Option<Vec<usize>> = match named {
        Some(readings) => settled_numbers(counted.zip(seen.iter().map(|&i| readings[i].values[0]))),
        None => Some(counted.collect()),
    };
    let numbers = numbers.filter(|all| all.iter().all(|&number| number < 3));
    let numbers = numbers.ok_or(Property::Number)?;
    let fills = grouped(0).ok_or(Property::Shading)?;
    let classes: Vec<Class> =
        (0..own.len()).map(|i| [numbers[i], fills[i], inks[i], outlines[i]]).collect();
    let varies = classes.iter().any(|class| class[0] != classes[0][0]);
    let mut of_all = vec![None; images.len()];
    seen.iter().zip(classes).for_each(|(&i, class)| of_all[i] = Some(class));
    let own: BTreeSet<Class> = board.iter().filter_map(|&i| of_all[i]).collect();
    // Beside the board lie copies, and nothing else.
    let are_copies = || {
        let is_known = |(i, class): (usize, &Option<Class>)| {
            board.contains(&i) || class.is_none_or(|class| own.contains(&class))
        };
        own.len() >= LEAST_CARDS
            && are_different(board.iter().filter_map(|&i| of_all[i]))
            && of_all.iter().enumerate().all(is_known)
    };
    let is_deck = are_different(of_all.iter().flatten().copied()) || are_copies();
    if varies && is_deck { Ok(of_all) } else { Err(Property::Shading) }
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
        let others = classes.iter_mut().enumerate().filter(|(i, _)| !board.contains(i));
        others.for_each(|(_, class)| *class = None);
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
    /// From here up a reading tells a number by itself.
    const LIKELY: f32 = 0.6;
    let read = |(_, values): &(usize, [f32; 3]), least: f32| {
        likeliest(*values).filter(|&number| values[number] > least)
    };
    let is_denied = |own: &(usize, _)| read(own, SURE).is_some_and(|number| number != own.0);
    if all.clone().any(|own| is_denied(&own)) {
        return all.map(|own| read(&own, LIKELY)).collect();
    }
    Some(all.map(|(counted, _)| counted).collect())
}

/// Measures those cards of a drawn table that `counts`; `None` for the others, and where nothing is printed.
pub fn measured(images: &[CardImage], counts: impl Fn(usize) -> bool) -> Vec<Option<Measured>> {
    let of = |i: usize| counts(i).then(|| Printed::of(&images[i])).flatten();
    let printed: Vec<Option<Printed>> = (0..images.len()).map(of).collect();
    let widths =
        printed.iter().flatten().flat_map(|card| &card.parts).map(|part| part.width as f32);
    // On a table there are some symbols that touch no other.
    let least_px = rank(widths.collect(), 0.05);
    let measure =
        |(card, image): (&Option<Printed>, &CardImage)| card.as_ref()?.measured(image, least_px);
    printed.iter().zip(images).map(measure).collect()
}

/// Gives each group its name: from the readings of its cards, and since no two groups of a property have
/// the same. Where a reader is sure that a card is none of what its group is called, one of both errs: the
/// readings stay as they are, and the answer is that the groups are not to be believed.
pub(crate) fn name(classes: &[Option<Class>], readings: &mut [Reading]) -> bool {
    /// Probability below which a reader is sure.
    const DENIED: f32 = 0.02;
    /// What is left for other values: measuring errs, too.
    const DOUBT: f32 = 0.01;
    /// Bound on what one reading tells against a value, natural logarithm.
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
        let mut told = [[0.0f32; 3]; 3];
        if property == Property::Number {
            (0..3).for_each(|number| told[number][number] = 1.0);
        } else {
            const ORDERS: [[usize; 3]; 6] =
                [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
            let chances =
                softmax(ORDERS.map(|order| (0..3).map(|group| logs[group][order[group]]).sum()));
            for (order, chance) in ORDERS.iter().zip(chances) {
                (0..3).for_each(|group| told[group][order[group]] += chance);
            }
        }
        for ((class, named), reading) in classes.iter().zip(&mut named).zip(&*readings) {
            let Some(class) = class else { continue };
            let told = told[class[p]];
            if (0..3).any(|v| told[v] > 0.5 && reading.values[p][v] < DENIED) {
                return false;
            }
            named.values[p] = told.map(|v| (1.0 - DOUBT) * v + DOUBT / 3.0);
        }
    }
    readings.clone_from_slice(&named);
    true
}

fn distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt()
}

/// Whether two ways to group the same cards put the same ones together.
fn are_one(a: &[usize], b: &[usize]) -> bool {
    let count = |groups: &[usize]| groups.iter().collect::<BTreeSet<_>>().len();
    let both = a.iter().zip(b).collect::<BTreeSet<_>>().len();
    both == count(a) && both == count(b)
}

/// How far each two cards lie apart; members of one group lie within 1 on average.
struct Distances(Vec<Vec<f32>>);

impl Distances {
    fn of(n: usize, far: &dyn Fn(usize, usize) -> f32) -> Self {
        Self((0..n).map(|a| (0..n).map(|b| far(a, b)).collect()).collect())
    }

    /// Mean distance of the cards of two groups.
    fn between(&self, a: &[usize], b: &[usize]) -> f32 {
        let pairs = a.iter().flat_map(|&i| b.iter().map(move |&j| (i, j)));
        pairs.map(|(i, j)| self.0[i][j]).sum::<f32>() / (a.len() * b.len()) as f32
    }

    /// The group of each card by average linkage: three groups, fewer where two of these would lie within 1; a
    /// table without a value is rare.
    fn linked(&self) -> Vec<usize> {
        let mut groups: Vec<Vec<usize>> = (0..self.0.len()).map(|i| vec![i]).collect();
        while groups.len() > 1 {
            let mut nearest = (f32::INFINITY, 0, 0);
            for a in 0..groups.len() {
                for b in a + 1..groups.len() {
                    let own = self.between(&groups[a], &groups[b]);
                    if own < nearest.0 {
                        nearest = (own, a, b);
                    }
                }
            }
            let (next, a, b) = nearest;
            if groups.len() <= 3 && next > 1.0 {
                break;
            }
            let with = groups.remove(b);
            groups[a].extend(with);
        }
        let mut of = vec![0; self.0.len()];
        for (at, group) in groups.iter().enumerate() {
            group.iter().for_each(|&i| of[i] = at);
        }
        of
    }

    /// How far the nearest two groups lie apart.
    fn apart(&self, groups: &[usize]) -> f32 {
        let members = members(groups);
        let pairs = (0..members.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let apart = pairs.map(|(a, b)| self.between(&members[a], &members[b]));
        apart.fold(f32::INFINITY, f32::min)
    }

    /// By how much the nearest other grouping is worse: with one card in another group, or two groups as one.
    fn margin(&self, groups: &[usize]) -> f32 {
        let members = members(groups);
        let move_of = |(card, &own): (usize, &usize)| {
            let to = |group: usize| {
                let others: Vec<usize> =
                    members[group].iter().copied().filter(|&other| other != card).collect();
                // A card alone lies as far from its group as a group may reach.
                if others.is_empty() { 1.0 } else { self.between(&[card], &others) }
            };
            let others = (0..members.len()).filter(|&group| group != own);
            others.map(|group| to(group) - to(own)).fold(f32::INFINITY, f32::min)
        };
        let moved = groups.iter().enumerate().map(move_of).fold(f32::INFINITY, f32::min);
        moved.min(self.apart(groups) - 1.0)
    }
}

/// The cards of each group.
fn members(groups: &[usize]) -> Vec<Vec<usize>> {
    let count = groups.iter().max().map_or(0, |last| last + 1);
    (0..count).map(|at| (0..groups.len()).filter(|&i| groups[i] == at).collect()).collect()
}

/// What is measured of a card.
#[derive(Clone, Debug)]
pub struct Measured {
    number: usize,
    /// The outline's strongest ink: by how much it differs from the stock, and in which direction.
    pub ink: [f32; 5],
    /// What tells fillings apart, by shares of the outline's ink.
    pub fill: [f32; FILL],
    /// What else tells fillings apart, in the same shares.
    pub texture: [f32; TEXTURE],
    outline: Outline,
}

impl Measured {
    /// All that is measured of the filling.
    pub fn filling(&self) -> Vec<f32> {
        [&self.fill[..], &self.texture].concat()
    }
}

/// A symbol's outline: which part of each cell of its box it covers, row by row.
#[derive(Clone, Debug)]
struct Outline {
    cells: Vec<f32>,
    /// Natural logarithm of width by height.
    log_aspect: f32,
}

impl Outline {
    /// Cells along each side, and samples along each side of a cell.
    const CELLS: usize = 24;
    const SAMPLES: usize = 2;

    fn of(solid: &Grid<bool>, part: &Part) -> Self {
        let all = Self::CELLS * Self::SAMPLES;
        let mut cells = vec![0.0; Self::CELLS * Self::CELLS];
        for y in 0..all {
            for x in 0..all {
                let at = |k: usize, size: usize| (2 * k + 1) * size / (2 * all);
                let (px, py) = (part.left + at(x, part.width), part.top + at(y, part.height));
                if solid.values[py * solid.width + px] {
                    let cell = y / Self::SAMPLES * Self::CELLS + x / Self::SAMPLES;
                    cells[cell] += 1.0 / (Self::SAMPLES * Self::SAMPLES) as f32;
                }
            }
        }
        Self { cells, log_aspect: (part.width as f32 / part.height as f32).ln() }
    }

    /// What two outlines do not share, as a part of both, the smaller of either way round; and how
    /// differently long they are.
    fn distance(&self, other: &Self) -> f32 {
        /// Weight of the aspect.
        const ASPECT: f32 = 0.3;
        let apart = |others: &mut dyn Iterator<Item = &f32>| {
            let (mut both, mut either) = (0.0, 0.0);
            for (a, b) in self.cells.iter().zip(others) {
                both += a.min(*b);
                either += a.max(*b);
            }
            1.0 - both / either.max(1e-6f32)
        };
        let own = apart(&mut other.cells.iter()).min(apart(&mut other.cells.iter().rev()));
        own + ASPECT * (self.log_aspect - other.log_aspect).abs()
    }
}

/// What is printed on a card, and the connected parts of it that may be symbols.
pub(crate) struct Printed {
    /// By how much each pixel differs from the stock.
    ink: Grid<f32>,
    stock: [f32; 3],
    solid: Grid<bool>,
    pub parts: Vec<Part>,
}

impl Printed {
    pub(crate) fn of(image: &CardImage) -> Option<Self> {
        /// Part of the strongest ink from which a pixel is inked, and the least of it in levels.
        const INKED: f32 = 0.25;
        const LEAST_INK: f32 = 18.0;
        /// Smallest symbol, as a part of the largest, and narrowest, as a part of its height.
        const LEAST_PART: f32 = 0.3;
        const NARROWEST: f32 = 0.2;
        let (ink, stock) = Grid::ink_of(image);
        let full = ink.rank(0.995);
        let solid = ink.map(|ink| ink > (INKED * full).max(LEAST_INK)).without_holes();
        let mut parts = solid.parts();
        let largest = parts.iter().map(|part| part.count).max()? as f32;
        parts.retain(|part| {
            part.count > LEAST_PX
                && part.count as f32 > LEAST_PART * largest
                && part.width as f32 > NARROWEST * part.height as f32
        });
        (!parts.is_empty()).then_some(Self { ink, stock, solid, parts })
    }

    /// Measures the card. `least_px` is the width of the table's narrowest symbols.
    fn measured(&self, image: &CardImage, least_px: f32) -> Option<Measured> {
        let symbols = self.one_by_one(least_px);
        let inks_and_fills: Vec<_> =
            symbols.iter().filter_map(|part| self.ink_and_fill(image, part)).collect();
        let (inks, fills): (Vec<_>, Vec<_>) =
            inks_and_fills.iter().map(|own| (own.0, own.1)).unzip();
        let textures: Vec<_> = inks_and_fills.iter().map(|own| own.2).collect();
        let largest = symbols.iter().max_by_key(|part| part.width * part.height)?;
        let outline = Outline::of(&self.solid, largest);
        let is_measured = !inks.is_empty();
        is_measured.then(|| Measured {
            number: symbols.len(),
            ink: middle(&inks),
            fill: middle(&fills),
            texture: middle(&textures),
            outline,
        })
    }

    /// Parts each with one symbol: those that touch are cut where the part is narrowest.
    fn one_by_one(&self, least_px: f32) -> Vec<Part> {
        let mut all = Vec::new();
        for part in &self.parts {
            let count = self.count_in(part, least_px);
            let width = part.width / count;
            all.extend((0..count).map(|k| Part { left: part.left + k * width, width, ..*part }));
        }
        all
    }

    /// How many symbols touch in a part. They are copies of one: as many as make the ink repeat itself best.
    fn count_in(&self, part: &Part, least_px: f32) -> usize {
        /// Widest and narrowest symbol of a table by its narrowest ones.
        const WIDEST: f32 = 1.75;
        const NARROWEST: f32 = 0.8;
        if (part.width as f32) < WIDEST * least_px {
            return 1;
        }
        let ink = |x: usize, y: usize| self.ink.values[y * self.ink.width + x];
        // Outlines that overlap make the period shorter, gaps longer.
        let unlike = |count: usize| {
            let (period, reach) = (part.width / count, part.width / 12 / count);
            let at = |shift: usize| {
                let (mut off, mut all) = (0.0, 0.0);
                for y in part.top..part.top + part.height {
                    for x in part.left..part.left + part.width - shift {
                        let (a, b) = (ink(x, y), ink(x + shift, y));
                        off += (a - b).abs();
                        all += a + b;
                    }
                }
                off / f32::max(all, 1.0)
            };
            (period - reach..=period + reach).map(at).fold(f32::INFINITY, f32::min)
        };
        let fits = |count: &usize| {
            let one = part.width as f32 / *count as f32;
            (NARROWEST * least_px..WIDEST * least_px).contains(&one)
        };
        (2..=3).filter(fits).min_by(|&a, &b| unlike(a).total_cmp(&unlike(b))).unwrap_or(1)
    }

    /// The strongest ink of a symbol's outline and the filling; `None` if it is too small.
    fn ink_and_fill(
        &self,
        image: &CardImage,
        part: &Part,
    ) -> Option<([f32; 5], [f32; FILL], [f32; TEXTURE])> {
        /// Width of an outline, in pixels, and of its outer half.
        const OUTLINE_PX: usize = 5;
        const OUTER_PX: usize = 2;
        /// Fewest pixels that tell a filling.
        const LEAST_INSIDE_PX: usize = 30;
        /// Share of the outline's pixels that are not its strongest.
        const WEAKER: f64 = 0.6;
        let mask = self.solid.of_parts(&[*part]).between(part.left, part.left + part.width);
        let without_rim = |px: usize| (0..px).fold(mask.clone(), |inside, _| inside.eroded());
        let near_rim = without_rim(OUTER_PX);
        let rim: Vec<usize> =
            (0..mask.values.len()).filter(|&at| mask.values[at] && !near_rim.values[at]).collect();
        let strong = rank(rim.iter().map(|&at| self.ink.values[at]).collect(), WEAKER);
        let color = |at: usize| -> [f32; 3] {
            let pixel = image.pixels.get_pixel((at % mask.width) as u32, (at / mask.width) as u32);
            std::array::from_fn(|c| f32::from(pixel[c]) - self.stock[c])
        };
        let strongest = rim.iter().filter(|&&at| self.ink.values[at] >= strong);
        let ink = middle(&strongest.map(|&at| color(at)).collect::<Vec<_>>());
        let square: f32 = ink.iter().map(|v| v * v).sum::<f32>().max(1.0);
        let share = |at: usize| {
            let along = color(at).iter().zip(&ink).map(|(a, b)| a * b).sum::<f32>();
            (along / square).clamp(0.0, 1.3)
        };
        let mut inside = without_rim(OUTLINE_PX);
        if inside.count() < LEAST_INSIDE_PX {
            inside = near_rim;
        }
        let places: Vec<usize> = (0..inside.values.len()).filter(|&at| inside.values[at]).collect();
        let shares: Vec<f32> = (0..mask.values.len()).map(share).collect();
        let other = |at: &usize| {
            let own = color(*at);
            let off = (0..3).map(|c| (own[c] - shares[*at] * ink[c]).powi(2)).sum::<f32>();
            (off / square).sqrt()
        };
        let other_ink = places.iter().map(other).sum::<f32>() / places.len().max(1) as f32;
        (!places.is_empty()).then(|| {
            let fill = fill(&shares, mask.width, &places);
            (ink_point(ink), fill, texture(&shares, &inside, &places, other_ink))
        })
    }
}

/// What tells inks apart: by how much they differ from the stock, R, G, B in levels, as parts of 255; and in
/// which direction, which stays when thin or blurred lines let the stock through.
fn ink_point(ink: [f32; 3]) -> [f32; 5] {
    const DIRECTION: f32 = 0.5;
    let length = ink.iter().map(|v| v * v).sum::<f32>().sqrt().max(1.0);
    let [r, g, b] = ink.map(|v| DIRECTION * v / length);
    let [red, green, blue] = ink.map(|v| 0.5 * v / 255.0);
    [red, green, blue, (r - b) / 2.0f32.sqrt(), (2.0 * g - r - b) / 6.0f32.sqrt()]
}

/// The median of each component.
fn middle<const D: usize>(all: &[[f32; D]]) -> [f32; D] {
    std::array::from_fn(|d| rank(all.iter().map(|own| own[d]).collect(), 0.5))
}

/// What tells fillings apart, by shares of the outline's ink in some places: mean, deviation, deviation from what is
/// around, differences of the halves by rows and by columns, mean differences of neighbours in both directions. The
/// factors were chosen by hand on drawn tables; they are not fitted.
fn fill(shares: &[f32], width: usize, places: &[usize]) -> [f32; FILL] {
    const REACH_PX: usize = 4;
    let mean_of = |values: &mut dyn Iterator<Item = f32>| {
        let (sum, n) = values.fold((0.0, 0), |(sum, n), v| (sum + v, n + 1));
        sum / (n as f32).max(1.0)
    };
    let deviation_of = |values: &[f32]| {
        let mean = mean_of(&mut values.iter().copied());
        mean_of(&mut values.iter().map(|v| (v - mean).powi(2))).sqrt()
    };
    let own: Vec<f32> = places.iter().map(|&at| shares[at]).collect();
    let height = shares.len() / width;
    let around = |at: usize| {
        let near = |v: usize, size: usize| v.saturating_sub(REACH_PX)..(v + REACH_PX + 1).min(size);
        let columns = near(at % width, width);
        let rows = near(at / width, height);
        mean_of(
            &mut rows
                .flat_map(|y| columns.clone().map(move |x| y * width + x))
                .map(|at| shares[at]),
        )
    };
    let fine: Vec<f32> = places.iter().map(|&at| shares[at] - around(at)).collect();
    let halves = |of: &dyn Fn(usize) -> usize| {
        let middle = rank(places.iter().map(|&at| of(at) as f32).collect(), 0.5) as usize;
        let half = |second: bool| {
            let places = places.iter().filter(|&&at| (of(at) >= middle) == second);
            mean_of(&mut places.map(|&at| shares[at]))
        };
        half(false) - half(true)
    };
    let steep = |step: usize| {
        let differences = places.iter().filter(|&&at| at >= step);
        mean_of(&mut differences.map(|&at| (shares[at] - shares[at - step]).abs()))
    };
    [
        mean_of(&mut own.iter().copied()),
        deviation_of(&own),
        1.5 * deviation_of(&fine),
        0.8 * halves(&|at| at / width),
        0.4 * halves(&|at| at % width),
        1.5 * steep(width),
        1.5 * steep(1),
    ]
}

/// What else tells fillings apart: ranks of the shares; mean differences of pixels 2, 4 and 8 apart in rows, in
/// columns and along both diagonals; how much rows and columns differ; the means of the outer, middle and inner
/// third; and how much of another colour there is.
fn texture(
    shares: &[f32],
    inside: &Grid<bool>,
    places: &[usize],
    other_ink: f32,
) -> [f32; TEXTURE] {
    const RANKS: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];
    const LAGS: [usize; 3] = [2, 4, 8];
    const DIAGONAL: usize = 3;
    let width = inside.width;
    let mean_of = |values: &mut dyn Iterator<Item = f32>| {
        let (sum, n) = values.fold((0.0, 0), |(sum, n), v| (sum + v, n + 1));
        sum / (n as f32).max(1.0)
    };
    let apart = |step: usize| {
        let pairs = places.iter().filter(|&&at| at >= step && inside.values[at - step]);
        mean_of(&mut pairs.map(|&at| (shares[at] - shares[at - step]).abs()))
    };
    let lines = |of: &dyn Fn(usize) -> usize| {
        let mut lines: BTreeMap<usize, Vec<f32>> = BTreeMap::new();
        places.iter().for_each(|&at| lines.entry(of(at)).or_default().push(shares[at]));
        let means: Vec<f32> =
            lines.values().map(|line| mean_of(&mut line.iter().copied())).collect();
        let mean = mean_of(&mut means.iter().copied());
        mean_of(&mut means.iter().map(|v| (v - mean).powi(2))).sqrt()
    };
    let mut depths = vec![0usize; shares.len()];
    let mut left = inside.clone();
    while left.count() > 0 {
        (0..shares.len()).filter(|&at| left.values[at]).for_each(|at| depths[at] += 1);
        left = left.eroded();
    }
    let mut inwards = places.to_vec();
    inwards.sort_by_key(|&at| (depths[at], at));
    let third = |k: usize| {
        let own = &inwards[k * inwards.len() / 3..(k + 1) * inwards.len() / 3];
        mean_of(&mut own.iter().map(|&at| shares[at]))
    };
    let own: Vec<f32> = places.iter().map(|&at| shares[at]).collect();
    let ranks = RANKS.map(|part| rank(own.clone(), part));
    let [a, b, c] = LAGS.map(apart);
    let [d, e, f] = LAGS.map(|lag| apart(lag * width));
    let diagonals = [DIAGONAL * width + DIAGONAL, DIAGONAL * width - DIAGONAL].map(apart);
    let of_lines = [lines(&|at| at / width), lines(&|at| at % width)];
    let rest = [a, b, c, d, e, f];
    let mut all = ranks.into_iter().chain(rest).chain(diagonals).chain(of_lines);
    let mut all = all.by_ref().chain([third(0), third(1), third(2), other_ink]);
    std::array::from_fn(|_| all.next().unwrap_or_default())
}

#[cfg(test)]
mod tests;
