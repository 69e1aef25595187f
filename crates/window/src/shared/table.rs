//! What lies on a table, as read or as corrected by a person; and which of two cards that overlap lies on the
//! other, by the picture: of the upper one the edge is
//! seen, of the lower one there is but the other's face. So outlines go no further than the cards.

use crate::shared::{names, words::t};
use image::RgbImage;
use setsight_game::cards::{Card, Property};
use setsight_game::sets::{self, Chance};
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::numeric::median;
use setsight_vision::output::rows;
use setsight_vision::{Colors, PhotoReading, ReadCard, Reading, TableReading, Warning};
use std::ops::{Deref, DerefMut};

/// Guesses are equally likely if they differ by less than the one per cent that is shown.
const TIE: f32 = 0.01;
/// So many equally likely guesses are listed: the three colours of a card in a grey picture.
const MOST_TIED: usize = 3;

/// What was read in one picture, as corrected, and what the window knows of it beside that.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What is true of the table, as far as anybody knows.
    pub(crate) reading: TableReading,
    /// For each card the reader's result, where there is one.
    pub(crate) readings: Vec<Option<Reading>>,
    /// For each card whether a person has said what it is, or that it is right.
    pub confirmed: Vec<bool>,
    /// For each card the number by which people know it, from 1. It stays the card's when another one
    /// is struck or added.
    pub(crate) numbers: Vec<usize>,
    /// Whether a person has said that all cards in view are there, and right.
    pub(crate) checked: bool,
    /// Places of cards that are covered now, by a hand perhaps: their sets rest. They keep their
    /// numbers and colours, so that no other set takes them over for the moment.
    pub(crate) covered: Vec<usize>,
    /// Whether somebody else says how likely three more cards bring a set: who knows which cards the
    /// deck still holds.
    pub(crate) chance_shown_elsewhere: bool,
}

/// A table is looked at as what was read; corrections go through [`Table::with_cards`].
impl Deref for Table {
    type Target = TableReading;

    fn deref(&self) -> &TableReading {
        &self.reading
    }
}

impl DerefMut for Table {
    fn deref_mut(&mut self) -> &mut TableReading {
        &mut self.reading
    }
}

impl Table {
    /// What was read, with the reader's result for each card; a person has confirmed none yet.
    ///
    /// # Panics
    /// If there are not as many readings as cards.
    pub(crate) fn new(reading: TableReading, readings: Vec<Option<Reading>>) -> Self {
        assert_eq!(reading.cards.len(), readings.len(), "a reading, or none, for each card");
        let confirmed = vec![false; readings.len()];
        let numbers = (1..=readings.len()).collect();
        Self { reading, readings, confirmed, numbers, ..Self::default() }
    }

    /// What was read on a photo, in pixels of its picture.
    pub(crate) fn of_reading(reading: &PhotoReading) -> Self {
        let readings = reading.readings.iter().cloned().map(Some).collect();
        Self::new(reading.table_at_full_resolution().into_owned(), readings)
    }

    /// The same table with other cards, of which no person has said anything yet.
    pub(crate) fn with_cards(&self, cards: Vec<ReadCard>, readings: Vec<Option<Reading>>) -> Self {
        let mut reading = TableReading::new(cards, self.reading.size_px);
        reading.facts = self.reading.facts.clone();
        reading.warnings.clone_from(&self.reading.warnings);
        Self::new(reading, readings)
    }

    /// What is unusual about it, in a sentence each.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let deck = match self.facts.deck() {
            None if self.cards.is_empty() => None,
            None => Some(t!("edition-unknown")),
            Some(deck) if deck.is_taught() || deck.is_classic() => None,
            Some(_) => Some(t!("edition-rectangles")),
        };
        let mirrored = self.is_mirrored().then(|| t!("mirrored-picture"));
        let colors = match self.colors() {
            Colors::Shown => None,
            Colors::Grey => Some(t!("colours-grey")),
            Colors::Alike => Some(t!("colours-alike")),
        };
        let warnings = self.warnings.iter().map(|warning| match warning {
            Warning::CutOff => t!("warning-cut-off"),
            Warning::Damaged => t!("warning-damaged"),
            Warning::TooDark => t!("warning-too-dark"),
            Warning::TooSmall { long_side_px } => t!("warning-too-small", n = *long_side_px),
            Warning::NothingRead => t!("warning-nothing-read"),
            Warning::CloseUp => t!("warning-close-up"),
            other => other.to_string(),
        });
        let copies = self.copies();
        let copies = (!copies.is_empty()).then(|| {
            let places: Vec<String> = copies
                .iter()
                .map(|places| {
                    let numbers: Vec<String> = places.iter().map(|i| (i + 1).to_string()).collect();
                    numbers.join(" = ")
                })
                .collect();
            t!("copies", n = copies.len(), places = places.join("; "))
        });
        warnings.chain(deck).chain(mirrored).chain(colors).chain(copies).collect()
    }

    /// The cards that are clearly read, with their places.
    pub(crate) fn sure(&self) -> Vec<(usize, Card)> {
        let cards = self.cards.iter().enumerate();
        cards.filter(|(_, c)| !c.unsure).map(|(i, c)| (i, c.card)).collect()
    }

    /// How many sets are shown: the sure ones, then the probable ones.
    pub(crate) fn shown_sets(&self) -> usize {
        self.sets.len() + self.probable_sets.len()
    }

    /// Whether the set at a place is a probable one only.
    fn is_probable(&self, place: usize) -> bool {
        place >= self.sets.len()
    }

    /// The cards of the set at a place, the sure ones before the probable ones.
    pub(crate) fn set_at(&self, place: usize) -> [usize; 3] {
        match self.sets.get(place) {
            Some(set) => set.0,
            None => self.probable_sets[place - self.sets.len()].cards,
        }
    }

    /// The number of the set at a place, with a question mark if it is probable only.
    pub(crate) fn set_label(&self, place: usize) -> String {
        format!("{}{}", place + 1, if self.is_probable(place) { "?" } else { "" })
    }

    /// Places of the sets that a card takes part in and that do not rest.
    pub(crate) fn sets_with(&self, card: usize) -> Vec<usize> {
        (0..self.shown_sets())
            .filter(|&place| self.set_at(place).contains(&card) && !self.rests(place))
            .collect()
    }

    /// The sets of a card, by their numbers: "In sets 1, 3?".
    pub(crate) fn sets_in_words(&self, card: usize) -> String {
        let sets: Vec<String> =
            self.sets_with(card).into_iter().map(|set| self.set_label(set)).collect();
        match sets.as_slice() {
            [] => t!("in-no-set"),
            several => t!("in-sets", n = several.len(), sets = several.join(", ")),
        }
    }

    /// What is alike in the set at a place and what differs, if its cards have no sure names: of a drawn deck
    /// that nobody knows.
    pub(crate) fn unnamed_in_words(&self, place: usize) -> Option<String> {
        let cards = self.set_at(place);
        let [a, b, _] = cards.map(|i| self.classes.get(i).copied().flatten());
        let (a, b) = a.zip(b).filter(|_| !self.is_named(cards))?;
        let is_alike = Property::ALL.map(|p| a[p as usize] == b[p as usize]);
        let lines = [true, false].into_iter().filter_map(|alike| alike_in_words(is_alike, alike));
        Some(lines.collect::<Vec<_>>().join("\n"))
    }

    /// Whether a card of a set is covered, so that the set may be no more.
    pub(crate) fn rests(&self, set: usize) -> bool {
        self.set_at(set).iter().any(|card| self.covered.contains(card))
    }

    /// How likely three more cards bring a set; `None` when the deck holds no three more.
    pub(crate) fn chance_of_three_more(&self) -> Option<Chance> {
        let board: Vec<Card> = self.sure().into_iter().map(|(_, card)| card).collect();
        sets::three_more(&board)
    }

    /// The first `step` cards (1 to 3) of a set: of the one that is easiest to see for `rank` 0, then of
    /// the next one; after the last one it begins again.
    pub(crate) fn hint(&self, rank: usize, step: usize) -> Option<Vec<usize>> {
        let sure = self.sure();
        let board: Vec<Card> = sure.iter().map(|&(_, card)| card).collect();
        let sets = sets::easiest_first(&board);
        let step = step.clamp(1, 3);
        if let Some(set) = sets.get(rank % sets.len().max(1)) {
            return Some(set.0[..step].iter().map(|&place| sure[place].0).collect());
        }
        Some(self.sets.get(rank % self.sets.len().max(1))?.0[..step].to_vec())
    }

    /// The cards row by row from the left, as one reads.
    pub(crate) fn reading_order(&self) -> Vec<usize> {
        let quads: Vec<Quad> = self.cards.iter().map(|card| card.corners_in_image).collect();
        rows(&quads).concat()
    }

    /// The nearest card in a direction, given in pixels of the picture (y down).
    pub(crate) fn towards(&self, from: usize, (dx, dy): (f64, f64)) -> Option<usize> {
        let start = self.cards[from].corners_in_image.center();
        let ways = self.cards.iter().map(|card| card.corners_in_image.center() - start);
        ways.enumerate()
            .filter_map(|(i, way)| {
                let (along, across) = (way.x * dx + way.y * dy, (way.x * dy - way.y * dx).abs());
                // Within a quarter circle, and rather straight ahead than near.
                (along > across && along > 0.0).then_some((i, along + 2.0 * across))
            })
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(i, _)| i)
    }

    /// The card under a point of the picture: of several the one whose centre is nearest.
    pub(crate) fn card_at(&self, at_in_image: Point) -> Option<usize> {
        let distance = |i: usize| self.cards[i].corners_in_image.center().distance(at_in_image);
        (0..self.cards.len())
            .filter(|&i| self.cards[i].corners_in_image.contains(at_in_image))
            .min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
    }

    /// A card in words, with its number: "Card 3: two striped purple diamonds". Of guesses that are
    /// as likely none is kept back.
    pub(crate) fn describe(&self, index: usize) -> String {
        let (n, deck) = (self.numbers[index], self.deck());
        if !self.cards[index].unsure {
            return t!("card-numbered", n = n, name = names::card(&deck, self.cards[index].card));
        }
        let guesses = self.likeliest(index);
        let names: Vec<String> = guesses.iter().map(|guess| names::card(&deck, *guess)).collect();
        t!("card-numbered-unsure", n = n, name = names::either(&names))
    }

    /// The best guess of a card, and those that are as likely.
    pub(crate) fn likeliest(&self, index: usize) -> Vec<Card> {
        let card = &self.cards[index];
        let tied = card.alternatives.iter();
        let tied = tied.filter(|guess| card.unsure && guess.confidence > card.confidence - TIE);
        let tied = tied.map(|guess| guess.card);
        let mut likeliest: Vec<Card> = std::iter::once(card.card).chain(tied).collect();
        if likeliest.len() > MOST_TIED {
            // A list of so many helps nobody.
            likeliest.truncate(1);
        }
        likeliest
    }

    /// The cards that are unsure, as one reads.
    pub(crate) fn to_check(&self) -> Vec<usize> {
        let mut cards = self.reading_order();
        cards.retain(|&card| self.cards[card].unsure);
        cards
    }

    /// The next card that is unsure after this one as one reads, round and round.
    pub(crate) fn next_to_check(&self, after: Option<usize>) -> Option<usize> {
        let order = self.reading_order();
        let place = |card: usize| order.iter().position(|&other| other == card);
        let start = after.and_then(place).map_or(0, |place| place + 1);
        let (before, behind) = order.split_at(start);
        behind
            .iter()
            .chain(before)
            .copied()
            .find(|card| self.cards[*card].unsure && Some(*card) != after)
    }
}

/// Points that are looked at along each side.
const STEPS: usize = 40;
/// So far on both sides of an edge its contrast is looked for, in times the card's short side.
const REACH: f64 = 0.03;
/// So many points tell; fewer are a corner that hardly overlaps.
const LEAST_POINTS: usize = 4;
/// By so much one edge is clearer than the other, or the order stays open.
const CLEARLY: f64 = 1.6;

/// For each card those that lie on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Heap {
    quads: Vec<Quad>,
    on_it: Vec<Vec<usize>>,
}

impl Heap {
    /// That of these cards of a picture.
    pub(crate) fn new(picture: &RgbImage, quads: Vec<Quad>) -> Self {
        let mut on_it = vec![Vec::new(); quads.len()];
        for (i, a) in quads.iter().enumerate() {
            for (j, b) in quads.iter().enumerate().skip(i + 1) {
                if a.center().distance(b.center()) > a.long_side() + b.long_side() {
                    continue;
                }
                let (Some(of_a), Some(of_b)) = (contrast(picture, a, b), contrast(picture, b, a))
                else {
                    continue;
                };
                if of_a > CLEARLY * of_b {
                    on_it[j].push(i);
                } else if of_b > CLEARLY * of_a {
                    on_it[i].push(j);
                }
            }
        }
        Self { quads, on_it }
    }

    /// Whether it is that of these cards.
    pub(crate) fn is_of(&self, quads: impl Iterator<Item = Quad>) -> bool {
        quads.eq(self.quads.iter().copied())
    }

    /// The cards that lie on one.
    pub(crate) fn on(&self, card: usize) -> Vec<Quad> {
        let on_it = self.on_it.get(card).into_iter().flatten();
        on_it.map(|&other| self.quads[other]).collect()
    }
}

/// How clearly a card's edge is seen where it runs over another card: the middle of the steps in
/// lightness across it. None where it does not.
fn contrast(picture: &RgbImage, card: &Quad, other: &Quad) -> Option<f64> {
    let reach = (REACH * card.short_side()).max(2.0);
    // Near its own edge the other card is dark, too.
    let inner = smaller(other, 1.0 - 2.5 * reach / other.short_side().max(1.0));
    let mut steps = Vec::new();
    for side in 0..4 {
        let (from, to) = (card.0[side], card.0[(side + 1) % 4]);
        let along = to - from;
        let across = Point::new(-along.y, along.x) * (reach / along.norm().max(1.0));
        for step in 1..STEPS {
            let at = from.lerp(to, step as f64 / STEPS as f64);
            if !inner.contains(at) {
                continue;
            }
            let parts = (-4..=4).map(|n| f64::from(n) / 4.0);
            let profile: Vec<f64> =
                parts.filter_map(|part| lightness(picture, at + across * part)).collect();
            let least = profile.iter().copied().fold(f64::INFINITY, f64::min);
            let most = profile.iter().copied().fold(0.0, f64::max);
            if !profile.is_empty() {
                steps.push(most - least);
            }
        }
    }
    if steps.len() < LEAST_POINTS { None } else { median(steps) }
}

/// A card that is smaller by a factor, at the same place.
fn smaller(card: &Quad, factor: f64) -> Quad {
    let center = card.center();
    card.map(|corner| center.lerp(corner, factor))
}

fn lightness(picture: &RgbImage, at: Point) -> Option<f64> {
    let pixel = picture.get_pixel_checked(at.x.max(0.0) as u32, at.y.max(0.0) as u32)?;
    let [r, g, b] = pixel.0.map(f64::from);
    Some(0.299 * r + 0.587 * g + 0.114 * b)
}

/// The properties in which cards are alike, or those in which they differ, if any.
fn alike_in_words(is_alike: [bool; 4], alike: bool) -> Option<String> {
    let properties = Property::ALL.into_iter().zip(is_alike).filter(|(_, is)| *is == alike);
    let properties: Vec<String> = properties.map(|(p, _)| names::property(p)).collect();
    if properties.is_empty() {
        return None;
    }
    let what = properties.join(", ");
    Some(if alike { t!("set-alike", what = what) } else { t!("set-different", what = what) })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use image::Rgb;
    use setsight_game::cards::parse_codes;
    use setsight_vision::Guess;

    /// Cards in a row of four, each 90 x 60 pixels, 110 x 80 apart.
    pub(crate) fn table_of(codes: &str) -> Table {
        let cards: Vec<ReadCard> = parse_codes(codes)
            .unwrap()
            .into_iter()
            .enumerate()
            .map(|(i, card)| {
                let at = Point::new((i % 4) as f64 * 110.0 + 20.0, (i / 4) as f64 * 80.0 + 20.0);
                let quad = Quad::new(Quad::rectangle(90.0, 60.0).0.map(|p| p + at));
                ReadCard::new(quad, card, 0.98, false)
            })
            .collect();
        let readings = vec![None; cards.len()];
        Table::new(TableReading::new(cards, (480, 360)), readings)
    }

    #[test]
    fn a_card_is_found_where_it_lies() {
        let table = table_of("1fgd 2fgd 3fgd 1ord");
        assert_eq!(table.card_at(Point::new(135.0, 30.0)), Some(1));
        assert_eq!(table.card_at(Point::new(115.0, 30.0)), None);
        assert_eq!(table.sets_with(1), [0]);
        assert_eq!(table.describe(3), "Card 4: one open red diamond");
    }

    #[test]
    fn a_set_with_a_covered_card_rests_and_keeps_its_place() {
        let mut table = table_of("1ord 1fgd 2fgd 3fgd 2ord 3ord");
        assert_eq!(table.sets.len(), 2);
        let all = table.sets.clone();
        table.covered = vec![all[0].0[1]];
        assert!(table.rests(0) && !table.rests(1));
        assert!(table.sets_with(all[0].0[0]).is_empty());
        assert_eq!(table.sets_with(all[1].0[0]), [1]);
        assert_eq!(table.sets, all);
    }

    #[test]
    fn unsure_cards_take_no_part() {
        let mut table = table_of("1ord 1fgd 2fgd 3fgd");
        table.cards[0].unsure = true;
        assert_eq!(table.unsure(), 1);
        assert_eq!(table.hint(0, 2), Some(vec![1, 2]));
        assert_eq!(table.hint(1, 2), Some(vec![1, 2]), "there is but one");
        assert_eq!(table.describe(0), "Card 1: perhaps one open red diamond");
    }

    #[test]
    fn a_set_without_names_says_what_is_alike() {
        let mut table = table_of("1ord 1fgd 2fgd 3fgd");
        assert_eq!(table.unnamed_in_words(0), None);
        table.reading.cards.iter_mut().for_each(|card| card.unsure = true);
        table.reading.classes = (0..4).map(|i| Some([i % 3, 0, 1, 2])).collect();
        let words = table.unnamed_in_words(0).unwrap();
        assert_eq!(words, "the same: shading, colour, shape\ndifferent: number");
        assert_eq!(
            table.hint(0, 2),
            Some(table.sets[0].0[..2].to_vec()),
            "no sure card knows better"
        );
    }

    #[test]
    fn equally_likely_guesses_are_listed_together() {
        let mut table = table_of("1ord 1fgd 2fgd 3fgd");
        let guess = |code: &str, confidence| Guess { card: code.parse().unwrap(), confidence };
        let card = &mut table.reading.cards[1];
        (card.unsure, card.confidence) = (true, 0.41);
        card.alternatives = vec![guess("1fpd", 0.405), guess("1frd", 0.1)];
        let words = "Card 2: perhaps one filled green diamond or one filled purple diamond";
        assert_eq!(table.describe(1), words);
        table.cards[1].alternatives[1].confidence = 0.405;
        assert!(table.describe(1).contains("diamond, one filled purple diamond or one filled red"));
        table.cards[1].alternatives.push(guess("1fro", 0.405));
        assert_eq!(table.likeliest(1).len(), 1);
        table.cards[1].alternatives[0].confidence = 0.3;
        table.cards[1].alternatives.truncate(1);
        assert_eq!(table.describe(1), "Card 2: perhaps one filled green diamond");
    }

    #[test]
    fn cards_are_checked_one_after_the_other_as_one_reads() {
        let mut table = table_of("1ord 1fgd 2fgd 3fgd 2ord");
        assert_eq!(table.next_to_check(None), None);
        for card in [1, 4] {
            table.cards[card].unsure = true;
        }
        assert_eq!((table.to_check(), table.next_to_check(None)), (vec![1, 4], Some(1)));
        assert_eq!(
            (table.next_to_check(Some(1)), table.next_to_check(Some(4))),
            (Some(4), Some(1))
        );
        table.cards[1].unsure = false;
        assert_eq!(table.next_to_check(Some(4)), None, "there is no other");
    }

    #[test]
    fn arrows_go_to_the_next_card_that_way() {
        // Four in a row, three below.
        let table = table_of("1ord 1fgd 2fgd 3fgd 1sps 2sps 3sps");
        assert_eq!(table.reading_order(), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(table.towards(1, (1.0, 0.0)), Some(2));
        assert_eq!(table.towards(1, (0.0, 1.0)), Some(5));
        assert_eq!(table.towards(5, (0.0, -1.0)), Some(1));
        assert_eq!(table.towards(0, (-1.0, 0.0)), None);
    }

    /// Two white cards with grey edges on a green ground, the second on the first.
    #[test]
    fn the_card_whose_edge_is_visible_lies_above() {
        let card = |x: f64, y: f64| {
            Quad::new(Quad::rectangle(180.0, 120.0).0.map(|p| p + Point::new(x, y)))
        };
        let cards = vec![card(40.0, 40.0), card(120.0, 90.0), card(400.0, 60.0)];
        let mut picture = RgbImage::from_pixel(640, 360, Rgb([40, 110, 70]));
        for card in &cards {
            for (x, y, pixel) in picture.enumerate_pixels_mut() {
                let at = Point::new(x.into(), y.into());
                if card.contains(at) {
                    let is_edge = !smaller(card, 0.95).contains(at);
                    *pixel = Rgb([if is_edge { 190 } else { 245 }; 3]);
                }
            }
        }
        let heap = Heap::new(&picture, cards.clone());
        assert_eq!(heap.on(0), [cards[1]]);
        assert!(heap.on(1).is_empty() && heap.on(2).is_empty());
        assert!(heap.is_of(cards.iter().copied()) && !heap.is_of(cards.into_iter().take(2)));
        // Where the picture does not show it, no order is claimed.
        let blank = RgbImage::new(640, 360);
        assert!(Heap::new(&blank, vec![card(40.0, 40.0), card(120.0, 90.0)]).on(0).is_empty());
    }
}
