//! `setsight general` as a user calls it.

use crate::common::World;
use setsight::general::{Card, Rules};

#[test]
fn the_sets_of_a_game_are_sets() {
    let call = ["general", "--values", "5", "--properties", "4", "--sets", "4", "--seed", "3"];
    let text = World::new().run(&call).expect(0).stdout;
    let rules = Rules::new(5, 4, 4).unwrap();
    let sets = text.lines().filter_map(|line| line.split_once("cards: "));
    let sets: Vec<Vec<Card>> = sets
        .map(|(_, set)| {
            set.split(' ').map(|card| rules.card(card.bytes().map(|b| b - b'0'))).collect()
        })
        .collect();
    assert_eq!(sets.len(), 4);
    assert!(sets.iter().all(|set| rules.is_set(set)));
}

#[test]
fn the_mean_time_is_that_of_the_games() {
    let call = ["general", "--values", "4", "--games", "5", "--format", "json"];
    let line = World::new().run(&call).expect(0).json().remove(0);
    let seconds: Vec<f64> = serde_json::from_value(line["seconds"].clone()).unwrap();
    let mean = seconds.iter().sum::<f64>() / 5.0;
    assert!((line["mean_seconds"].as_f64().unwrap() - mean).abs() <= mean * 1e-9);
}
