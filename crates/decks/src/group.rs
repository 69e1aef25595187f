//! Groups the cards of a deck by outline, fill and ink, all of them together.
//!
//! Each property is grouped by itself first: outlines by partitioning around medoids (Kaufman and
//! Rousseeuw 1987), the others by k-means from the seeds that lie farthest apart. Then the deck's
//! own structure is brought in: every combination is printed once, so cards are given out over the
//! combinations at least cost (Kuhn 1955), the groups' means are taken anew, and so on until
//! nothing moves.

use crate::clusters::{ORDERS, apart, centred, k_means, k_means_within, mean_of, medoids, members};
use pathfinding::prelude::{Matrix, kuhn_munkres_min};
use setsight_vision::classify::taught::{FILL_FEATURES, Mask, Measured, PATCH, fill_point};

/// A card that was seen, and in which photo.
#[derive(Clone, Debug)]
pub(super) struct DeckCard {
    pub photo: usize,
    pub measured: Measured,
}

/// The photo that shows each card, which is one table in one light.
pub(super) fn tables(cards: &[DeckCard]) -> Vec<usize> {
    cards.iter().map(|card| card.photo).collect()
}

/// Which outline, fill and ink each card has, 0 to 2.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Groups {
    pub shapes: Vec<usize>,
    /// Whether a card's symbols stand on their heads, as far as the first of their group does not.
    pub turned: Vec<bool>,
    pub fills: Vec<usize>,
    pub inks: Vec<usize>,
    /// Whether the deck has one fill, hence 27 cards.
    pub one_fill: bool,
}

/// A person's corrections of a card: its outline, fill and ink, where given.
pub(super) type UserLabel = [Option<usize>; 3];

/// What is far beyond any measurement's error, so that one odd card does not rule: natural
/// logarithm.
const MOST_COST: f32 = 60.0;

/// One minus overlap, at the better of both turns, of all pairs; and whether it is the half turn.
pub(super) fn distances(masks: &[&Mask]) -> Vec<Vec<(f32, bool)>> {
    let turned: Vec<Mask> = masks.iter().map(|mask| mask.turned()).collect();
    let rows = masks.iter().map(|a| {
        let overlaps =
            masks.iter().zip(&turned).map(|(b, turned)| (a.overlap(b), a.overlap(turned)));
        overlaps.map(|(upright, half)| (1.0 - upright.max(half), half > upright)).collect()
    });
    rows.collect()
}

/// What distinguishes inks, in a unit that is about that of fills: the colour on the stock (lightness
/// counts less), and which share of the light that the print takes each channel loses. The latter
/// stays when thin or blurred lines let the stock through, which makes the colour pale.
pub(super) fn ink_point(measured: &Measured) -> [f32; 5] {
    /// What the channels lose differs little between a brown and a grey.
    const TAKEN: f32 = 3.0;
    let [l, a, b] = measured.ink;
    let taken = measured.light.map(|v| (1.0 - v).max(0.0));
    let all = taken.iter().map(|v| v * v).sum::<f32>().sqrt().max(0.05);
    let [red, green, blue] = taken.map(|v| TAKEN * v / all);
    let cross = (2.0 * green - red - blue) / 6.0f32.sqrt();
    [l / 160.0, a / 150.0, b / 150.0, (red - blue) / 2.0f32.sqrt(), cross]
}

/// Whether all cards have one fill: no two groups of them are apart, and there are no more cards
/// than a deck of 27 has, some seen twice.
pub(super) fn has_one_fill(cards: &[DeckCard]) -> bool {
    const MOST_CARDS: usize = 45;
    const LEAST_APART: f32 = 6.0;
    let fills: Vec<_> = cards.iter().map(|card| fill_point(&card.measured)).collect();
    let apart = apart(&fills, &k_means(&fills, 2), 2);
    cards.len() <= MOST_CARDS && apart.deviations < LEAST_APART
}

impl Groups {
    /// Outline, fill and ink of a card.
    pub(crate) fn of_card(&self, card: usize) -> [usize; 3] {
        [self.shapes[card], self.fills[card], self.inks[card]]
    }

    fn lists(&mut self) -> [&mut Vec<usize>; 3] {
        [&mut self.shapes, &mut self.fills, &mut self.inks]
    }

    /// Numbers the groups so that as many as possible of the cards that `before` knows, which are
    /// the first ones, stay in the group of their number.
    pub(crate) fn numbered_like(&mut self, before: &Self) {
        let earlier = [&before.shapes, &before.fills, &before.inks];
        for (list, earlier) in self.lists().into_iter().zip(earlier) {
            let order = ORDERS
                .iter()
                .max_by_key(|order| {
                    list.iter().zip(earlier).filter(|(now, then)| order[**now] == **then).count()
                })
                .unwrap_or(&ORDERS[0]);
            list.iter_mut().for_each(|group| *group = order[*group]);
        }
    }

    /// Takes a card out.
    pub(crate) fn remove(&mut self, card: usize) {
        self.turned.remove(card);
        for list in self.lists() {
            list.remove(card);
        }
    }
}

/// Groups the cards: from several beginnings, of which the one is taken that explains the cards
/// best.
pub(super) fn group(cards: &[DeckCard], one_fill: bool) -> Groups {
    let masks: Vec<&Mask> = cards.iter().map(|card| &card.measured.mask).collect();
    let table = distances(&masks);
    let chosen = medoids(&table, 3);
    let mut groups = Groups { one_fill, ..Groups::default() };
    let of_medoids: Vec<&Vec<(f32, bool)>> = chosen.iter().map(|&medoid| &table[medoid]).collect();
    for i in 0..cards.len() {
        let shape = (0..of_medoids.len())
            .min_by(|a, b| of_medoids[*a][i].0.total_cmp(&of_medoids[*b][i].0))
            .unwrap_or(0);
        groups.shapes.push(shape);
        groups.turned.push(of_medoids[shape][i].1);
    }
    let fills: Vec<_> = cards.iter().map(|card| fill_point(&card.measured)).collect();
    let inks: Vec<_> = cards.iter().map(|card| ink_point(&card.measured)).collect();
    // Each outline has every fill as often, so what its cards have in common is the outline's.
    let by_shape = centred(&fills, &groups.shapes);
    let mean_alone: Vec<[f32; 1]> = by_shape.iter().map(|point| [point[0]]).collect();
    let by_fill = if one_fill {
        vec![vec![0; cards.len()]]
    } else {
        vec![
            k_means(&fills, 3),
            k_means(&by_shape, 3),
            k_means(&mean_alone, 3),
            k_means_within(&by_shape, &groups.shapes),
        ]
    };
    // Each table has its own light.
    let tables = tables(cards);
    let by_table = centred(&inks, &tables);
    let by_ink = [k_means(&inks, 3), k_means(&by_table, 3), k_means_within(&by_table, &tables)];
    let mut best: Option<(f32, Groups)> = None;
    for fill in by_fill {
        for ink in by_ink.iter().cloned().chain([k_means(&centred(&inks, &fill), 3)]) {
            let begun = Groups { fills: fill.clone(), inks: ink, ..groups.clone() };
            let (cost, settled) = refine_groups(cards, begun, &fills, &inks, &[]);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, settled));
            }
        }
    }
    best.map(|best| best.1).unwrap_or_default()
}

/// Moves corrected cards to their groups, and then the others as far as that changes what is likeliest for them.
pub(super) fn regroup(cards: &[DeckCard], mut groups: Groups, labels: &[UserLabel]) -> Groups {
    for (i, label) in labels.iter().enumerate() {
        if let Some(shape) = label[0].filter(|shape| *shape != groups.shapes[i]) {
            let mean = mean_mask(cards, &groups, shape).0;
            let mask = &cards[i].measured.mask;
            groups.turned[i] = mask.turned().overlap(&mean) > mask.overlap(&mean);
        }
        for (list, value) in groups.lists().into_iter().zip(label) {
            list[i] = value.unwrap_or(list[i]);
        }
    }
    let fills: Vec<_> = cards.iter().map(|card| fill_point(&card.measured)).collect();
    let inks: Vec<_> = cards.iter().map(|card| ink_point(&card.measured)).collect();
    refine_groups(cards, groups, &fills, &inks, labels).1
}

/// Gives the cards out and takes the means anew until nothing moves; also what the end costs, as a
/// negative natural logarithm. Corrections of the first cards hold.
fn refine_groups(
    cards: &[DeckCard],
    mut groups: Groups,
    fills: &[[f32; FILL_FEATURES]],
    inks: &[[f32; 5]],
    labels: &[UserLabel],
) -> (f32, Groups) {
    /// No measurement outweighs a person's correction.
    const AGAINST_WORD: f32 = 1e4;
    let mut cost = f32::MAX;
    for _ in 0..8 {
        let (mut costs, spreads) = costs(cards, &groups, fills, inks);
        for (costs, label) in costs.iter_mut().zip(labels) {
            for (costs, value) in costs.iter_mut().zip(label) {
                for (g, cost) in costs.iter_mut().enumerate() {
                    *cost += if value.is_some_and(|value| value != g) { AGAINST_WORD } else { 0.0 };
                }
            }
        }
        let (next, given) = give_out(cards, &costs, groups.one_fill);
        cost = spreads + given;
        let mut moved = false;
        for (i, [shape, fill, ink]) in next.into_iter().enumerate() {
            moved |= [shape, fill, ink] != groups.of_card(i);
            (groups.shapes[i], groups.fills[i], groups.inks[i]) = (shape, fill, ink);
        }
        if !moved {
            break;
        }
    }
    (cost, groups)
}

/// For each card what outline, fill and ink of each group would cost: negative natural logarithms;
/// and what the groups' own spreads cost together.
fn costs(
    cards: &[DeckCard],
    groups: &Groups,
    fills: &[[f32; FILL_FEATURES]],
    inks: &[[f32; 5]],
) -> (Vec<[[f32; 3]; 3]>, f32) {
    let by_shape = shape_costs(cards, groups);
    // A fill looks a little different in each outline; an ink in each fill, as thin lines are
    // paler, and in each photo.
    let (by_fill, fill_spread) =
        point_costs(fills, &groups.fills, &[(3, &|i| groups.shapes[i])], 0.02);
    let photos = cards.iter().map(|card| card.photo + 1).max().unwrap_or(1);
    let (by_ink, ink_spread) = point_costs(
        inks,
        &groups.inks,
        &[(3, &|i| groups.fills[i]), (photos, &|i| cards[i].photo)],
        0.02,
    );
    (
        (0..cards.len()).map(|i| [by_shape[i], by_fill[i], by_ink[i]]).collect(),
        fill_spread + ink_spread,
    )
}

/// By how much each card's outline misses the mean outline of each group.
fn shape_costs(cards: &[DeckCard], groups: &Groups) -> Vec<[f32; 3]> {
    let means: Vec<Mask> = (0..3).map(|g| mean_mask(cards, groups, g).0).collect();
    let masks = cards.iter().map(|card| (&card.measured.mask, card.measured.mask.turned()));
    let misses: Vec<[f32; 3]> = masks
        .map(|(mask, turned)| {
            std::array::from_fn(|g| 1.0 - mask.overlap(&means[g]).max(turned.overlap(&means[g])))
        })
        .collect();
    let squares: f32 = misses.iter().zip(&groups.shapes).map(|(m, g)| m[*g].powi(2)).sum();
    let spread = (squares / cards.len().max(1) as f32).sqrt().max(0.02);
    misses.iter().map(|m| m.map(|v| (0.5 * (v / spread).powi(2)).min(MOST_COST))).collect()
}

/// The mean outline of a group: as most of its cards have it, and the share of them by pixel.
pub(super) fn mean_mask(cards: &[DeckCard], groups: &Groups, shape: usize) -> (Mask, Vec<f32>) {
    let mut sum = vec![0.0f32; PATCH];
    let mut n = 0.0f32;
    for (i, card) in cards.iter().enumerate().filter(|(i, _)| groups.shapes[*i] == shape) {
        let last = sum.len() - 1;
        for (k, sum) in sum.iter_mut().enumerate() {
            let from = if groups.turned[i] { last - k } else { k };
            *sum += card.measured.soft[from];
        }
        n += 1.0;
    }
    sum.iter_mut().for_each(|v| *v /= n.max(1.0));
    (Mask::from_pixels(sum.iter().map(|share| *share >= 0.5)), sum)
}

/// Half a squared distance to each group's mean in pooled deviations, the mean moved by what the
/// cards of the same context (of a property or a photo) are off it, as far as there are enough of
/// them.
fn point_costs<const D: usize>(
    points: &[[f32; D]],
    groups: &[usize],
    contexts: &[(usize, &dyn Fn(usize) -> usize)],
    least_deviation: f32,
) -> (Vec<[f32; 3]>, f32) {
    /// So many cards of a context count as much as all others.
    const PRIOR: f32 = 1.5;
    // No point is near a group that has none.
    let means =
        [0, 1, 2].map(|g| mean_of(members(points, groups, g)).unwrap_or([f32::MAX / 1e20; D]));
    let mut shifts: Vec<Vec<[f32; D]>> = Vec::new();
    for (count, context) in contexts {
        let mut sums = vec![([0.0f32; D], 0.0f32); 3 * count];
        for (i, point) in points.iter().enumerate() {
            let mean = shifted(means[groups[i]], contexts, &shifts, i, groups[i]);
            let (sum, n) = &mut sums[groups[i] * count + context(i)];
            sum.iter_mut().zip(point.iter().zip(mean)).for_each(|(s, (p, m))| *s += p - m);
            *n += 1.0;
        }
        shifts.push(sums.into_iter().map(|(sum, n)| sum.map(|v| v / (n + PRIOR))).collect());
    }
    let mut spread = [0.0f32; D];
    for (i, point) in points.iter().enumerate() {
        let mean = shifted(means[groups[i]], contexts, &shifts, i, groups[i]);
        spread.iter_mut().zip(point.iter().zip(mean)).for_each(|(s, (p, m))| *s += (p - m).powi(2));
    }
    let spread = spread.map(|s| (s / points.len().max(1) as f32).max(least_deviation.powi(2)));
    // Features of one print err together: so many are worth about this many that do not.
    let worth = (D as f32).min(5.0) / D as f32;
    let spreads = 0.5 * worth * points.len() as f32 * spread.iter().map(|s| s.ln()).sum::<f32>();
    let costs = points.iter().enumerate().map(|(i, point)| {
        std::array::from_fn(|g| {
            let mean = shifted(means[g], contexts, &shifts, i, g);
            let squares = point.iter().zip(mean).zip(spread).map(|((p, m), s)| (p - m).powi(2) / s);
            (0.5 * worth * squares.sum::<f32>()).min(MOST_COST)
        })
    });
    (costs.collect(), spreads)
}

/// The mean of group `g` as it is expected for card `i`: with the shifts of the card's contexts.
fn shifted<const D: usize>(
    mut mean: [f32; D],
    contexts: &[(usize, &dyn Fn(usize) -> usize)],
    shifts: &[Vec<[f32; D]>],
    i: usize,
    g: usize,
) -> [f32; D] {
    for ((count, context), table) in contexts.iter().zip(shifts) {
        let shift = table[g * count + context(i)];
        mean.iter_mut().zip(shift).for_each(|(m, s)| *m += s);
    }
    mean
}

/// Gives the cards of each number out over the combinations of outline, fill and ink. A second card
/// of one combination is the same card in another photo, or a mistake: it costs. Also what all of
/// it costs.
fn give_out(cards: &[DeckCard], costs: &[[[f32; 3]; 3]], one_fill: bool) -> (Vec<[usize; 3]>, f32) {
    const TWICE: f32 = 14.0;
    let fills = if one_fill { 1 } else { 3 };
    let cells: Vec<[usize; 3]> = (0..9 * fills).map(|k| [k % 3, k / 9, k / 3 % 3]).collect();
    let (mut chosen, mut total) = (vec![[0; 3]; cards.len()], 0.0);
    for number in 1..=3 {
        let rows: Vec<usize> =
            (0..cards.len()).filter(|&i| cards[i].measured.number == number).collect();
        if rows.is_empty() {
            continue;
        }
        // As often as it takes for all cards to find a place.
        let times = rows.len().div_ceil(cells.len()).max(2);
        let table = Matrix::from_rows(rows.iter().map(|&i| {
            let row = (0..times * cells.len()).map(|column| {
                let cell = cells[column % cells.len()];
                let cell_cost: f32 = (0..3).map(|p| costs[i][p][cell[p]]).sum();
                ((cell_cost + TWICE * (column / cells.len()) as f32) * 1e4) as i64
            });
            row.collect::<Vec<_>>()
        }))
        .expect("rows of one length");
        let (all, columns) = kuhn_munkres_min(&table);
        total += all as f32 / 1e4;
        for (&i, column) in rows.iter().zip(columns) {
            chosen[i] = cells[column % cells.len()];
        }
    }
    (chosen, total)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::clusters::{apart_within, in_one_light};
    use setsight_game::cards::{Card, Deck, Number};
    use setsight_photo::print::card::Print;
    use setsight_vision::classify::taught::drawn;

    /// The 27 cards of one symbol of an invented deck, as if photographed, and what they are.
    pub(crate) fn deck() -> (Vec<DeckCard>, Groups) {
        let print = Print::new(Deck::invented(31).into());
        let inks = [[40.0, 50.0, 30.0], [45.0, -45.0, 25.0], [35.0, 40.0, -60.0]];
        let (mut cards, mut groups) = (Vec::new(), Groups::default());
        for (i, card) in Card::deck().filter(|card| card.number == Number::One).enumerate() {
            let blur_px = 0.9 + 0.02 * (i * 7 % 11) as f32;
            let mut measured = drawn::measure(card, &print, blur_px).unwrap();
            let off = (i * 5 % 7) as f32 - 3.0;
            measured.ink = inks[card.color.index()].map(|v: f32| v + off);
            measured.light =
                [[0.6, 0.1, 0.1], [0.1, 0.4, 0.1], [0.1, 0.1, 0.6]][card.color.index()];
            cards.push(DeckCard { photo: 0, measured });
            groups.shapes.push(card.shape.index());
            groups.turned.push(false);
            groups.fills.push(card.shading.index());
            groups.inks.push(card.color.index());
        }
        (cards, groups)
    }

    /// Whether two groupings are the same but for the groups' order.
    pub(crate) fn same(a: &[usize], b: &[usize]) -> bool {
        a.iter().zip(b).all(|(a0, b0)| a.iter().zip(b).all(|(a1, b1)| (a0 == a1) == (b0 == b1)))
    }

    #[test]
    fn a_deck_is_grouped_by_what_it_is() {
        let (cards, truth) = deck();
        let groups = group(&cards, false);
        assert!(same(&groups.shapes, &truth.shapes), "{:?}", groups.shapes);
        assert!(same(&groups.fills, &truth.fills), "{:?}", groups.fills);
        assert!(same(&groups.inks, &truth.inks), "{:?}", groups.inks);
        assert!(!has_one_fill(&cards));
    }

    #[test]
    fn a_card_like_another_gets_the_free_cell() {
        let (mut cards, truth) = deck();
        // Nearer to another ink than to its own, by a little.
        let i = truth.inks.iter().position(|ink| *ink == 0).unwrap();
        cards[i].measured.ink = [37.4, 44.9, -16.0];
        cards[i].measured.light = [0.34, 0.1, 0.36];
        let groups = group(&cards, false);
        assert!(same(&groups.inks, &truth.inks), "{:?}", groups.inks);
    }

    /// The deck on three tables, a number on each, red and purple in the warm light of the second
    /// about where purple and blue are in the first.
    pub(crate) fn deck_in_two_lights() -> (Vec<DeckCard>, Groups) {
        let (one, of_one) = deck();
        let (mut cards, mut groups) = (Vec::new(), Groups::default());
        for table in 0..3 {
            for (i, card) in one.iter().enumerate() {
                let mut card = card.clone();
                (card.photo, card.measured.number) = (table, table + 1);
                let (ink, off) = (of_one.inks[i], (i * 5 % 7) as f32 - 3.0);
                let inks = [[45.0, 60.0, 40.0], [45.0, -45.0, 25.0], [42.0, 60.0, 0.0]];
                let lights = [[0.8, 0.1, 0.1], [0.1, 0.4, 0.1], [0.8, 0.1, 0.4]];
                card.measured.ink = inks[ink].map(|v: f32| v + off);
                card.measured.light = lights[ink];
                if table == 1 {
                    card.measured.ink[2] -= 40.0;
                    card.measured.light[2] += 0.3;
                }
                cards.push(card);
            }
            for (all, one) in
                groups.lists().into_iter().zip([&of_one.shapes, &of_one.fills, &of_one.inks])
            {
                all.extend(one);
            }
            groups.turned.extend(&of_one.turned);
        }
        (cards, groups)
    }

    #[test]
    fn inks_are_compared_in_one_light() {
        let (cards, truth) = deck_in_two_lights();
        let groups = group(&cards, false);
        assert!(same(&groups.inks, &truth.inks), "{:?}", groups.inks);
        let (inks, tables): (Vec<_>, _) =
            (cards.iter().map(|card| ink_point(&card.measured)).collect(), tables(&cards));
        assert!(apart(&inks, &truth.inks, 3).deviations < 5.0);
        assert!(apart_within(&inks, &truth.inks, 3, &tables).deviations > 5.0);
        let lit = in_one_light(&inks, &truth.inks, &tables);
        assert!(apart(&lit, &truth.inks, 3).deviations > 5.0);
        // What is one on each table is one.
        let halves: Vec<usize> = (0..cards.len()).map(|i| truth.inks[i] + 3 * (i % 2)).collect();
        assert!(apart_within(&inks, &halves, 6, &tables).deviations < 2.0);
    }

    #[test]
    fn what_a_person_says_holds_and_numbers_stay() {
        let (cards, truth) = deck();
        let mut wrong = truth.clone();
        // Two cards that have taken each other's place, of which a person moves one.
        let of =
            |shape, fill, ink| (0..27).find(|&i| truth.of_card(i) == [shape, fill, ink]).unwrap();
        let (a, b) = (of(1, 0, 0), of(1, 2, 0));
        (wrong.fills[a], wrong.fills[b]) = (2, 0);
        let mut labels = vec![UserLabel::default(); 27];
        labels[a][1] = Some(0);
        let mended = regroup(&cards, wrong, &labels);
        assert_eq!((mended.of_card(a), mended.of_card(b)), (truth.of_card(a), truth.of_card(b)));
        // Even against the measurements.
        labels[a] = [Some(2), None, Some(1)];
        let mended = regroup(&cards, truth.clone(), &labels);
        assert_eq!((mended.shapes[a], mended.inks[a]), (2, 1));
        let mut anew = group(&cards, false);
        anew.numbered_like(&truth);
        assert_eq!((anew.shapes, anew.fills, anew.inks), (truth.shapes, truth.fills, truth.inks));
    }
}
