//! `setsight simulate` as a user calls it.

use crate::common::World;
use serde_json::Value;

#[test]
fn the_figures_add_up() {
    for policy in ["random", "first", "listed"] {
        let call = ["simulate", "--games", "5000", "-f", "json", "--policy", policy];
        let line = &World::new().run(&call).expect(0).json()[0];
        assert_eq!((&line["games"], &line["policy"]), (&5000.into(), &policy.into()));
        let number = |value: &Value| value.as_u64().unwrap();
        let left = line["left"].as_array().unwrap();
        assert_eq!(left.iter().map(|l| number(&l["games"])).sum::<u64>(), 5000);
        let cards: u64 = left.iter().map(|l| number(&l["games"]) * number(&l["cards"])).sum();
        assert_eq!(3 * number(&line["sets"]) + cards, 5000 * 81);
        let boards = line["boards"].as_array().unwrap();
        // Every set is taken from a board that had one.
        let with: u64 = boards.iter().map(|b| number(&b["with_set"])).sum();
        assert_eq!(with, number(&line["sets"]));
        let ratio = |cards: u64| {
            let mut sizes = line["by_in_play"].as_array().unwrap().iter();
            sizes.find(|b| b["in_play"] == cards).unwrap()["fresh_ratio"].as_f64()
        };
        assert!(
            (ratio(12).unwrap() - 29.96).abs() < 0.01
                && (2740.0..2742.0).contains(&ratio(15).unwrap())
        );
        assert!(ratio(18).is_some() && ratio(21).is_none());
        // Every game begins with 12 cards on the table and 69 in the deck.
        let first = boards.iter().find(|b| b["in_play"] == 12 && b["in_deck"] == 69).unwrap();
        assert_eq!(number(&first["with_set"]) + number(&first["without_set"]), 5000);
    }
}
