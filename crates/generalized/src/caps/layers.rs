//! Every board without a set, layer by layer: the cards with each value of the first property are a
//! board of one property less, a set has a card of each layer or lies in one. The first layer is one of
//! each class, the last is not searched but looked up: which cards the other layers forbid says
//! how many boards of each size there are for it.
//!
//! That is for decks of which layers have at most 16 cards, so that tables hold all boards of a layer.

use super::symmetry::{Exchanges, Symmetry};
use super::{Counts, sets_by_card};
use crate::rules::{Card, Rules};
use crate::solver::{Budget, Stop};

/// Cards of a layer.
const MOST_CARDS: u64 = 16;

/// A board of a layer: a bit for each card.
type Layer = u16;

/// Whether a deck has such layers. Of two properties or three values the other search is as quick, and
/// distinguishes classes.
pub const fn fits(rules: &Rules) -> bool {
    rules.values() > 3
        && rules.properties() > 2
        && rules.deck() / (rules.values() as u64) <= MOST_CARDS
}

/// See [`super::count`].
pub fn count(
    rules: &Rules,
    budget: &Budget,
    counts: &mut Counts,
    see: &mut dyn FnMut(&Counts) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let layer = Rules::new(rules.values() as u64, rules.properties() as u64 - 1, 1)
        .expect("a layer of a deck is a smaller deck");
    let boards = boards(&layer);
    let (v, cards, masks) = (rules.values(), layer.deck() as usize, 1 << layer.deck());
    let within = within(cards, &boards);
    let most_within: Vec<u8> = within
        .chunks(cards + 1)
        .map(|sizes| sizes.iter().rposition(|&n| n > 0).unwrap_or(0) as u8)
        .collect();
    let most = usize::from(most_within[masks - 1]);
    let lines = lines(&layer);
    let mut sums = vec![0u128; v * most + 1];
    // How often the layers between the first and the last have so many cards and leave these free.
    let mut met = vec![0u64; ((v - 2) * most + 1) * masks];
    let mut search = Search { values: v, boards: &boards, forbidden: vec![0; masks] };
    for (first, alike) in classes(&layer, &boards) {
        met.fill(0);
        let mut best: Option<(usize, Vec<Layer>, usize)> = None;
        search.choose(
            &mut vec![first],
            &through(&lines, 0, first),
            &mut || {
                see(counts)?;
                budget.time()
            },
            &mut |layers, before_last, free, times| {
                let between = layers[1..].iter().map(|&layer| size(layer)).sum::<usize>();
                let between = between + size(before_last);
                let free = usize::from(free);
                met[between * masks + free] += times;
                let all = size(first) + between + usize::from(most_within[free]);
                if best.as_ref().is_none_or(|&(before, ..)| all > before) {
                    best = Some((all, [layers, &[before_last]].concat(), free));
                }
            },
        )?;
        for (place, &times) in met.iter().enumerate().filter(|(_, times)| **times > 0) {
            let (between, free) = (place / masks, place % masks);
            for (last, &n) in within[free * (cards + 1)..][..=cards].iter().enumerate() {
                if n > 0 {
                    sums[size(first) + between + last] += alike * u128::from(times) * u128::from(n);
                }
            }
        }
        if let Some((all, mut layers, free)) = best.filter(|best| best.0 > counts.largest.len()) {
            layers.extend(boards.iter().find(|layer| {
                usize::from(**layer) & !free == 0 && size(**layer) == usize::from(most_within[free])
            }));
            counts.largest = cards_of(&layers, cards);
            debug_assert_eq!(counts.largest.len(), all);
        }
    }
    sums.truncate(counts.largest.len() + 1);
    counts.boards = sums;
    Ok(())
}

fn size(layer: Layer) -> usize {
    layer.count_ones() as usize
}

fn cards_of(layers: &[Layer], cards: usize) -> Vec<Card> {
    layers
        .iter()
        .enumerate()
        .flat_map(|(at, &layer)| {
            let within = (0..cards).filter(move |card| layer >> card & 1 == 1);
            within.map(move |card| Card((at * cards + card) as u64))
        })
        .collect()
}

/// The boards of a layer without a set, ascending.
fn boards(layer: &Rules) -> Vec<Layer> {
    let sets: Vec<u128> = sets_by_card(layer).concat();
    let all = 0..=((1u32 << layer.deck()) - 1) as Layer;
    all.filter(|&board| sets.iter().all(|set| set & !u128::from(board) != 0)).collect()
}

/// One of each class of these boards, and how many are of it.
fn classes(layer: &Rules, boards: &[Layer]) -> Vec<(Layer, u128)> {
    let mut symmetry = Exchanges::new(layer);
    boards
        .iter()
        .filter_map(|&board| {
            let cards: Vec<u8> =
                (0..Layer::BITS as u8).filter(|card| board >> card & 1 == 1).collect();
            symmetry.fixing(&cards).map(|fixing| (board, symmetry.order() / fixing))
        })
        .collect()
}

/// For each choice of cards, how many of the boards lie within it, by their number of cards from 0 on.
fn within(cards: usize, boards: &[Layer]) -> Vec<u32> {
    let mut within = vec![0; (cards + 1) << cards];
    for &board in boards {
        within[usize::from(board) * (cards + 1) + size(board)] = 1;
    }
    for card in 0..cards {
        for choice in (0..1usize << cards).filter(|choice| choice >> card & 1 == 1) {
            for size in 0..=cards {
                within[choice * (cards + 1) + size] +=
                    within[(choice ^ 1 << card) * (cards + 1) + size];
            }
        }
    }
    within
}

/// Cards of a layer, one for each layer, that are a set if they come from different ones.
fn lines(layer: &Rules) -> Vec<Vec<u8>> {
    let v = layer.values();
    let mut columns: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..v {
        let longer = columns.iter().flat_map(|column| {
            let alike = column.iter().all(|&value| value == column[0]);
            let fitting = (0..v).filter(move |value| match column.len() {
                0 | 1 => true,
                _ if alike => *value == column[0],
                _ => !column.contains(value),
            });
            fitting.map(move |value| [&column[..], &[value]].concat())
        });
        columns = longer.collect();
    }
    let mut lines = vec![vec![0u8; v]];
    for _ in 0..layer.properties() {
        let longer = lines.iter().flat_map(|line| columns.iter().map(move |column| (line, column)));
        let longer = longer.map(|(line, column)| {
            let cards = line.iter().zip(column);
            cards.map(|(&card, &value)| card * v as u8 + value as u8).collect()
        });
        lines = longer.collect();
    }
    lines
}

/// Those with a card in a layer.
fn through<'a>(
    lines: impl IntoIterator<Item = &'a Vec<u8>>,
    at: usize,
    layer: Layer,
) -> Vec<&'a Vec<u8>> {
    lines.into_iter().filter(|line| layer >> line[at] & 1 == 1).collect()
}

struct Search<'a> {
    values: usize,
    boards: &'a [Layer],
    /// What each choice of the layer before the last forbids there.
    forbidden: Vec<Layer>,
}

impl Search<'_> {
    /// Chooses the layers that are missing but the last. `see` is called with those before, the one before
    /// the last, the cards that are free for the last, and how often that is meant.
    fn choose(
        &mut self,
        layers: &mut Vec<Layer>,
        lines: &[&Vec<u8>],
        pause: &mut impl FnMut() -> Result<(), Stop>,
        see: &mut impl FnMut(&[Layer], Layer, Layer, u64),
    ) -> Result<(), Stop> {
        let at = layers.len();
        if at + 2 < self.values {
            for &layer in self.boards {
                pause()?;
                layers.push(layer);
                self.choose(layers, &through(lines.iter().copied(), at, layer), pause, see)?;
                layers.pop();
            }
            return Ok(());
        }
        let mut by_card = [0; MOST_CARDS as usize];
        for line in lines {
            by_card[usize::from(line[at])] |= 1 << line[at + 1];
        }
        // Exchanging it with the layer before it is a symmetry, unless that is the first.
        let least = if at > 1 { layers[at - 1] } else { 0 };
        let all = (self.forbidden.len() - 1) as Layer;
        for &layer in self.boards {
            let forbidden = match layer.checked_sub(1) {
                None => 0,
                Some(less) => {
                    self.forbidden[usize::from(layer & less)]
                        | by_card[layer.trailing_zeros() as usize]
                }
            };
            self.forbidden[usize::from(layer)] = forbidden;
            if layer >= least {
                let times = if at > 1 && layer > least { 2 } else { 1 };
                see(layers, layer, all & !forbidden, times);
            }
        }
        Ok(())
    }
}
