use super::*;
use crate::card::CardImage;
use image::{Rgb, RgbImage};

/// Cards with diamonds, ovals and triangles in three inks, full, striped or open.
fn card([number, fill, ink, outline]: Class, gap_px: u32) -> CardImage {
    const INKS: [[u8; 3]; 3] = [[20, 160, 170], [230, 120, 20], [60, 60, 70]];
    const SIDE_PX: u32 = 40;
    let mut pixels = RgbImage::from_pixel(192, 128, Rgb([230; 3]));
    let count = number as u32 + 1;
    let left = 96 - (count * SIDE_PX + number as u32 * gap_px) / 2;
    let is_on = |x, y| is_inside(outline, x, y);
    for at in 0..count {
        for (x, y) in (0..SIDE_PX).flat_map(|x| (0..70).map(move |y| (x, y))) {
            let edge = |x: i32, y: i32| {
                let inside = (0..SIDE_PX as i32).contains(&x) && (0..70).contains(&y);
                !inside || !is_on(x as u32, y as u32)
            };
            let (u, v) = (x as i32, y as i32);
            let is_rim =
                [(-3, 0), (3, 0), (0, -3), (0, 3)].iter().any(|(dx, dy)| edge(u + dx, v + dy));
            let is_full = fill == 0 || fill == 1 && y % 10 < 5;
            if is_on(x, y) && (is_rim || is_full) {
                pixels.put_pixel(left + at * (SIDE_PX + gap_px) + x, 29 + y, Rgb(INKS[ink]));
            }
        }
    }
    CardImage::from_crop(pixels)
}

fn is_inside(outline: usize, x: u32, y: u32) -> bool {
    let (u, v) = ((x as f32 - 19.5) / 20.0, (y as f32 - 34.5) / 35.0);
    match outline {
        0 => u.abs() + v.abs() < 1.0,
        1 => u * u + v * v < 1.0,
        _ => u.abs() < (v + 1.0) / 2.0,
    }
}

pub(crate) fn table(gap_px: u32) -> (Vec<Class>, Vec<CardImage>) {
    let all: Vec<Class> =
        (0..12).map(|i| [i % 3, i / 3 % 3, (i + i / 3) % 3, (2 * i + i / 4) % 3]).collect();
    let images = all.iter().map(|class| card(*class, gap_px)).collect();
    (all, images)
}

/// The groups of those cards that `counts`.
fn classes_of(
    images: &[CardImage],
    likeness: &Likeness,
    board: &[usize],
    counts: impl Fn(usize) -> bool,
) -> Option<Vec<Option<Class>>> {
    classes(&measured(images, counts), likeness, None, board)
}

/// A network that puts cards of these classes far apart.
pub(crate) fn likeness_of(classes: &[Class]) -> Likeness {
    let measured = MeasuredLikeness { filling: [[0.0; FILL + TEXTURE]; 8], ink: [[0.0; 5]; 8] };
    Likeness { embeddings: classes.iter().map(embedding).collect(), measured }
}

fn embedding(class: &Class) -> [f32; LIKENESS[0] + LIKENESS[1] + LIKENESS[2]] {
    let mut row = [0.0; LIKENESS[0] + LIKENESS[1] + LIKENESS[2]];
    let starts = [0, LIKENESS[0], LIKENESS[0] + LIKENESS[1]];
    for (at, group) in starts.into_iter().zip(&class[1..]) {
        row[at] = 10.0 * *group as f32;
    }
    row
}

#[test]
fn groups_are_one_that_put_the_same_cards_together() {
    assert!(are_one(&[0, 0, 1, 2], &[2, 2, 0, 1]));
    for other in [[0, 0, 1, 1], [0, 1, 2, 2], [0, 0, 0, 0]] {
        assert!(!are_one(&[0, 0, 1, 2], &other), "{other:?}");
    }
}

/// Whether two groupings are one, whatever the groups are called.
fn same(a: &[Class], b: &[Class]) -> bool {
    let pairs = (0..a.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.into_iter().all(|(i, j)| (0..4).all(|p| (a[i][p] == a[j][p]) == (b[i][p] == b[j][p])))
}

#[test]
fn cards_of_any_deck_are_grouped_even_if_their_symbols_touch() {
    for gap_px in [8, 0] {
        let (all, images) = table(gap_px);
        let found = classes_of(&images, &likeness_of(&all), &[], |_| true).expect("clear");
        let found: Vec<Class> = found.into_iter().flatten().collect();
        assert!(same(&found, &all), "{gap_px}: {found:?} {all:?}");
    }
}

#[test]
fn two_cards_alike_in_all_make_the_groups_doubtful() {
    let (all, mut images) = table(8);
    images.push(card(all[3], 8));
    let all = [&all[..], &all[3..4]].concat();
    let likeness = likeness_of(&all);
    assert!(classes_of(&images, &likeness, &[], |_| true).is_none());
    assert!(classes_of(&images, &likeness, &[], |i| i < 12).expect("clear")[12].is_none());
    let mut unclear = all.clone();
    unclear[12][1] = (unclear[12][1] + 1) % 3;
    let found = classes_of(&images, &likeness_of(&unclear), &[], |_| true);
    assert_eq!(found, None, "nor where one of them is not clear");
    // Beside the board it is a copy.
    let board: Vec<usize> = (0..12).collect();
    let found = classes_of(&images, &likeness, &board, |_| true).expect("clear");
    assert_eq!(found[12], found[3]);
    assert_eq!(without_copies(found, &board)[12], None);
}

#[test]
fn only_what_the_better_measure_puts_alike_is_believed() {
    let (all, images) = table(8);
    // The learnt one puts cards elsewhere, which counts with fillings.
    let found = |property: usize, elsewhere: &[usize]| {
        let mut other = all.clone();
        elsewhere.iter().for_each(|&i| other[i][property] = (other[i][property] + 1) % 3);
        let mut likeness = likeness_of(&other);
        for row in &mut likeness.embeddings {
            row[LIKENESS[0]] *= 0.4;
        }
        classes_of(&images, &likeness, &[], |_| true)
    };
    for (property, believed) in [(1, 11), (2, 12), (3, 12)] {
        let found = found(property, &[5]).expect("clear");
        let (cards, groups): (Vec<usize>, Vec<Class>) =
            found.iter().enumerate().filter_map(|(i, class)| Some((i, (*class)?))).unzip();
        assert_eq!(cards.len(), believed, "{property}");
        assert!(same(&groups, &cards.iter().map(|&i| all[i]).collect::<Vec<_>>()), "{property}");
    }
    assert_eq!(found(1, &[0, 3, 6, 7, 11]), None, "too many");
    // What is measured counts beside it.
    let mut blind = likeness_of(&[[0; 4]; 12]);
    assert!(classes_of(&images, &blind, &[], |_| true).is_none());
    blind.measured.filling[0][0] = 30.0;
    for (row, class) in blind.embeddings.iter_mut().zip(&all) {
        row[LIKENESS[0] + LIKENESS[1]] = 10.0 * class[3] as f32;
    }
    assert!(classes_of(&images, &blind, &[], |_| true).is_some());
}

#[test]
fn two_ways_to_group_agree_on_what_they_put_alike() {
    assert_eq!(agreed(&[0, 0, 1, 2, 2], &[1, 1, 2, 0, 2]), [true, true, true, true, false]);
    assert_eq!(agreed(&[0, 0, 0, 1], &[2, 2, 0, 1]), [true, true, false, true]);
}

#[test]
fn names_group_the_cards_of_a_deck_with_names() {
    let (all, images) = table(8);
    // By hand these would not be believed: what is learnt puts a card elsewhere.
    let mut misplaced = all.clone();
    misplaced[5][2] = (misplaced[5][2] + 1) % 3;
    let found = |readings: &[Reading]| {
        classes(&measured(&images, |_| true), &likeness_of(&misplaced), Some(readings), &[])
    };
    assert_eq!(found(&readings_of(&all, 0.95)), None);
    let found =
        found(&readings_of(&misplaced, 0.95)).map(|found| found.into_iter().flatten().collect());
    assert!(found.is_some_and(|found: Vec<Class>| same(&found, &misplaced)));
}

pub(crate) fn readings_of(classes: &[Class], sure: f32) -> Vec<Reading> {
    let triple =
        |value| std::array::from_fn(|v| if v == value { sure } else { (1.0 - sure) / 2.0 });
    classes.iter().map(|class| Reading { values: class.map(triple), is_card: 1.0 }).collect()
}

#[test]
fn counted_numbers_give_way_where_readers_are_sure_of_another() {
    let cases = [
        ([counted_as_first(0, 0.98), counted_as_first(1, 0.8)], Some(vec![0, 0])),
        ([counted_as_first(2, 0.98), counted_as_first(1, 0.8)], Some(vec![2, 1])),
        ([counted_as_first(2, 0.98), counted_as_first(1, 0.5)], None),
    ];
    for (all, expected) in cases {
        assert_eq!(settled_numbers(all.into_iter()), expected, "{all:?}");
    }
}

fn counted_as_first(number: usize, probability: f32) -> (usize, [f32; 3]) {
    let mut values = [(1.0 - probability) / 2.0; 3];
    values[number] = probability;
    (0, values)
}

#[test]
fn the_margin_is_what_the_nearest_other_grouping_costs() {
    let places: [f32; 5] = [0.0, 0.2, 3.0, 3.2, 6.0];
    let distances = Distances::new(5, &|a, b| (places[a] - places[b]).abs());
    let groups = distances.linked();
    assert!(are_one(&groups, &[0, 0, 1, 1, 2]), "{groups:?}");
    // The last two groups as one would lie 2.9 apart, 1.9 more than may be.
    assert!((distances.margin(&groups) - 1.9).abs() < 1e-5, "{}", distances.margin(&groups));
    assert!((distances.apart(&groups) - 2.9).abs() < 1e-5);
    let groups_at =
        |places: [f32; 3]| Distances::new(3, &|a, b| (places[a] - places[b]).abs()).linked();
    assert_eq!(groups_at([0.0, 3.0, 3.8]), [0, 1, 1]);
    // What is neither one group nor two clear ones leaves no margin.
    assert_eq!(groups_at([0.0, 3.0, 3.9]), [0, 1, 2]);
}

#[test]
fn a_group_takes_the_name_that_is_left() {
    let shape = Property::Shape as usize;
    let mut readings = vec![Reading { is_card: 1.0, ..Reading::UNKNOWN }; 6];
    for (i, reading) in readings.iter_mut().enumerate().take(4) {
        reading.values[shape] = [0.01; 3];
        reading.values[shape][i % 2] = 0.98;
    }
    let classes = [0, 1, 0, 1, 2, 2].map(|shape| Some([shape, 0, 0, shape]));
    assert_eq!(name(&classes, &mut readings), Ok(()));
    assert!(readings[4].values[shape][2] > 0.8, "{:?}", readings[4]);
    readings[0].values[shape] = [0.01, 0.01, 0.98];
    let before = readings.clone();
    assert_eq!(
        name(&classes, &mut readings),
        Err(Property::Shape),
        "its group is called otherwise"
    );
    assert_eq!(readings, before);
}

/// A card with symbols of bars, which no outline holds together.
fn barred(count: u32) -> CardImage {
    let mut pixels = RgbImage::from_pixel(192, 128, Rgb([230; 3]));
    let left = 96 - (count * 50 - 10) / 2;
    for at in 0..count {
        for (x, y) in (0..40).flat_map(|x| (0..64).map(move |y| (x, y))) {
            if y % 8 < 4 {
                pixels.put_pixel(left + at * 50 + x, 34 + y, Rgb([20, 90, 200]));
            }
        }
    }
    CardImage::from_crop(pixels)
}

#[test]
fn bars_without_an_outline_are_one_symbol() {
    let images: Vec<CardImage> = (1..=3).map(barred).collect();
    let numbers = measured(&images, |_| true).into_iter().flatten().map(|card| card.number);
    assert_eq!(numbers.collect::<Vec<_>>(), [1, 2, 3].map(Some));
}

#[test]
fn symbols_that_touch_are_counted_only_where_that_is_clear() {
    // Triangles repeat themselves; two squares full of ink are as well three narrower ones.
    let rows = [card([1, 0, 0, 2], 0), card([2, 0, 0, 2], 0)];
    let counted = rows.map(|row| Printed::detect(&row).unwrap().one_by_one(60.0));
    assert_eq!(counted.map(|(all, is_clear)| (all.len(), is_clear)), [(2, true), (3, true)]);
    let mut block = barred(2);
    for (x, y) in (40..152).flat_map(|x| (36..92).map(move |y| (x, y))) {
        block.pixels.put_pixel(x, y, Rgb([20, 90, 200]));
    }
    let (_, is_clear) = Printed::detect(&block).unwrap().one_by_one(42.0);
    assert!(!is_clear);
}

#[test]
fn a_board_shows_copies_and_several_of_them() {
    let (all, images) = table(8);
    let is_board = |images: &[CardImage]| is_board(&measured(images, |_| true));
    assert!(is_board(&images) && !is_board(&images[..5]));
    // Keys of a keyboard have one sign each.
    let single: Vec<CardImage> =
        all.iter().map(|class| card([0, class[1], class[2], class[3]], 8)).collect();
    assert!(!is_board(&single));
    // Signs that differ are no copies, and no cards either where most places are.
    let mut words = images.clone();
    for (image, other) in words.iter_mut().zip(&single).take(2) {
        image.pixels = RgbImage::from_fn(192, 128, |x, y| {
            let shown = if x < 96 { (x + 40, y) } else { (96, 70) };
            let pixel = *other.pixels.get_pixel(shown.0, shown.1);
            if (120..180).contains(&x) && (60..70).contains(&y) { Rgb([0; 3]) } else { pixel }
        });
    }
    let found = measured(&words, |_| true);
    assert!(found[..2].iter().all(Option::is_none), "{found:?}");
    assert!(super::is_board(&found));
}

#[test]
fn the_spreads_are_how_far_cards_lie_from_the_rest_of_their_groups() {
    let places: [f32; 5] = [0.0, 0.25, 3.0, 5.5, 8.0];
    let distances = Distances::new(5, &|a, b| (places[a] - places[b]).abs());
    let groups = distances.linked();
    assert!(are_one(&groups, &[0, 0, 1, 1, 2]), "{groups:?}");
    assert_eq!(distances.spreads(&groups), [0.25, 0.25, 2.5, 2.5, 1.0]);
}
