//! What must not change a board: drawn tables are read turned, mirrored, smaller and brighter.

use image::{Rgb, RgbImage, imageops};
use setsight_game::cards::Card;
use setsight_nets::engine::Models;
use setsight_scenes::{Kind, Params, render, scenes};
use setsight_vision::{Pipeline, ReadingPlan, Trace};
use std::{collections::BTreeSet, sync::LazyLock};

static PIPELINE: LazyLock<Pipeline> =
    LazyLock::new(|| ReadingPlan::with_models(Models::Shipped).build().unwrap());

/// The cards that are surely read in a picture, and whether it is taken for a mirrored one.
fn board(image: RgbImage) -> (BTreeSet<Card>, bool) {
    let table = PIPELINE.read(&image, &mut Trace::default()).unwrap().table;
    let sure = table.cards.iter().filter(|card| !card.unsure).map(|card| card.card);
    (sure.collect(), table.facts.is_mirrored())
}

/// Pictures of tables, and what lies on each.
fn tables() -> Vec<(RgbImage, BTreeSet<Card>)> {
    [(Kind::Plain, 31), (Kind::Wood, 32), (Kind::Scatter, 33)]
        .map(|(kind, seed)| {
            let scene = render(&Params::for_kind(kind), seed, 0).unwrap();
            (scene.image, scene.cards.iter().map(|card| card.card).collect())
        })
        .into()
}

#[track_caller]
fn is_the_same(change: impl Fn(&RgbImage) -> RgbImage) {
    for (image, cards) in tables() {
        assert_eq!(board(change(&image)), (cards, false));
    }
}

#[test]
fn a_table_is_read_as_it_is_drawn() {
    is_the_same(RgbImage::clone);
}

#[test]
fn turned_it_is_the_same_board() {
    is_the_same(imageops::rotate90);
    is_the_same(imageops::rotate180);
    is_the_same(imageops::rotate270);
}

#[test]
fn smaller_or_larger_it_is_the_same_board() {
    for factor in [0.6, 1.5] {
        is_the_same(|image| {
            let [width, height] =
                [image.width(), image.height()].map(|px| (f64::from(px) * factor) as u32);
            imageops::resize(image, width, height, imageops::FilterType::Triangle)
        });
    }
}

#[test]
fn brighter_or_darker_it_is_the_same_board() {
    for factor in [0.7, 1.1] {
        is_the_same(|image| {
            let mut image = image.clone();
            image.iter_mut().for_each(|value| *value = (f32::from(*value) * factor) as u8);
            image
        });
    }
}

#[test]
fn mirrored_it_is_the_same_board_and_the_mirror_is_reported() {
    for (image, cards) in tables() {
        assert_eq!(board(imageops::flip_horizontal(&image)), (cards, true));
    }
}

#[test]
fn a_grey_copy_of_a_screen_tells_no_set() {
    let screens = (0..30).map(|i| scenes::screen(scenes::HELD_BACK + 61, i).unwrap().image);
    let sets_in =
        |image: &RgbImage| PIPELINE.read(image, &mut Trace::default()).unwrap().table.sets.len();
    let (mut coloured, mut grey) = (0, 0);
    for image in screens {
        coloured += sets_in(&image);
        let luma = imageops::grayscale(&image);
        grey += sets_in(&RgbImage::from_fn(luma.width(), luma.height(), |x, y| {
            Rgb([luma[(x, y)][0]; 3])
        }));
    }
    assert!(coloured > 20 && grey == 0, "{coloured} sets, {grey} of them in grey");
}
