//! Finding cards on drawn tables, whose corners are known exactly.

use setsight_nets::engine::Models;
use setsight_scenes::Kind;
use setsight_vision::{FinderChoice, Trace};

/// Cards found, false ones, and the largest corner error in card long sides.
fn measure(kind: Kind, cards: usize, seed: u64) -> (usize, usize, f64) {
    let mut params = setsight_scenes::Params::for_kind(kind);
    params.cards = (cards, cards);
    let scene = setsight_scenes::render(&params, seed, 0).unwrap();
    let finder = FinderChoice::Classical.finder(&Models::Shipped, None, &[]).unwrap();
    let outlines = finder.find(&scene.image, &mut Trace::default()).unwrap();
    let mut worst: f64 = 0.0;
    let mut found = 0;
    for card in &scene.cards {
        let truth = card.corners_in_image;
        let Some(outline) = outlines.iter().find(|o| {
            o.corners_in_image.center().distance(truth.center()) < 0.3 * truth.short_side()
        }) else {
            continue;
        };
        found += 1;
        worst = worst.max(truth.corner_error(&outline.corners_in_image) / truth.long_side());
    }
    (found, outlines.len() - found, worst)
}

#[test]
fn white_cards_on_a_white_table_are_found_to_their_corners() {
    let (found, not_cards, worst) = measure(Kind::White, 12, 5);
    assert_eq!((found, not_cards), (12, 0));
    assert!(worst < 0.06, "{worst}");
}

#[test]
fn cards_at_a_flat_angle_keep_their_long_side_first() {
    let (found, _, worst) = measure(Kind::Perspective, 12, 3);
    assert_eq!(found, 12);
    assert!(worst < 0.06, "{worst}");
}

#[test]
fn touching_cards_are_separated_by_their_symbols() {
    let (found, not_cards, worst) = measure(Kind::Touching, 12, 8);
    assert_eq!((found, not_cards), (12, 0));
    assert!(worst < 0.06, "{worst}");
}
