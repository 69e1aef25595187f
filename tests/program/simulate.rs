//! `setsight simulate` as a user calls it.

use crate::common::World;
use serde_json::Value;
use setsight::general::{Budget, Rules, caps};
use setsight::sets::none_among;

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

#[test]
fn the_figures_add_up() {
    for policy in ["random", "first", "listed"] {
        let call = ["simulate", "--games", "5000", "-f", "json", "--policy", policy];
        let line = &World::new().run(&call).expect(0).json()[0];
        assert_eq!((&line["games"], &line["policy"]), (&5000.into(), &policy.into()));
        let left = line["left"].as_array().unwrap();
        assert_eq!(left.iter().map(|l| number(&l["games"])).sum::<u64>(), 5000);
        let cards: u64 = left.iter().map(|l| number(&l["games"]) * number(&l["cards"])).sum();
        assert_eq!(3 * number(&line["sets"]) + cards, 5000 * 81);
        let boards = line["boards"].as_array().unwrap();
        // Every set is taken from a board that had one.
        let with: u64 = boards.iter().map(|b| number(&b["with_set"])).sum();
        assert_eq!(with, number(&line["sets"]));
        let [of_12, of_15, of_18, of_21] = [12, 15, 18, 21].map(|cards| {
            let mut sizes = line["by_in_play"].as_array().unwrap().iter();
            sizes.find(|b| b["in_play"] == cards).unwrap()["fresh_ratio"].as_f64()
        });
        assert!((of_12.unwrap() - 29.96).abs() < 0.01);
        assert!((2740.0..2742.0).contains(&of_15.unwrap()));
        assert!(of_18.is_some() && of_21.is_none());
        // Every game begins with 12 cards on the table and 69 in the deck.
        let first = boards.iter().find(|b| b["in_play"] == 12 && b["in_deck"] == 69).unwrap();
        assert_eq!(number(&first["with_set"]) + number(&first["without_set"]), 5000);
    }
}

/// The search for boards without a set knows nothing of the ordinary game.
#[test]
fn boards_without_a_set_are_as_many_as_are_counted() {
    let (rules, mut counts) = (Rules::new(3, 4, 1).unwrap(), caps::Counts::default());
    caps::count(&rules, &Budget::unlimited(), &mut counts, &mut |_| Ok(())).unwrap();
    assert_eq!(counts.boards.len(), 21);
    for (cards, &boards) in counts.boards.iter().chain([&0]).enumerate().skip(12) {
        let chance = none_among(cards).unwrap();
        assert_eq!(u128::from(chance.favourable), boards, "{cards} cards");
        assert_eq!(caps::choose(81, cards as u64), Some(u128::from(chance.total)));
    }
}
