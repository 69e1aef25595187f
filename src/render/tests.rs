//! Tests of whole scenes.

use super::dice::Span;
use super::light::linear_from_srgb;
use super::*;
use std::collections::BTreeSet;

fn small(kind: Kind) -> Params {
    let mut params = Params::of(kind);
    params.size_px = (320, 256);
    params
}

#[test]
fn same_seed_same_bytes_and_another_seed_another_picture() {
    for kind in Kind::ALL {
        let a = render(&small(kind), 5, 2).unwrap();
        let b = render(&small(kind), 5, 2).unwrap();
        assert_eq!(a.jpeg().unwrap(), b.jpeg().unwrap(), "{}", kind.name());
        assert_eq!(a.cards, b.cards);
        assert_ne!(a.image, render(&small(kind), 5, 3).unwrap().image);
        assert_ne!(a.image, render(&small(kind), 6, 2).unwrap().image);
    }
}

#[test]
fn labels_are_as_the_kind_promises() {
    for kind in Kind::ALL {
        let params = small(kind);
        for index in 0..4 {
            let scene = render(&params, 77, index).unwrap();
            let codes: BTreeSet<Card> = scene.cards.iter().map(|c| c.card).collect();
            assert_eq!(codes.len(), scene.cards.len(), "each card once");
            if !matches!(kind, Kind::Edge | Kind::Mixed) {
                assert_eq!(scene.cards.len(), params.cards.0, "{} {index}", kind.name());
            }
            for card in &scene.cards {
                assert!(card.symbols_in_view >= params.symbols_in_view);
                assert!(card.corners_in_image.is_convex());
                assert!(card.corners_in_image.signed_area() > 0.0, "clockwise");
                assert!(card.corners_in_image.contains(card.center_in_image));
                assert_eq!(card.symbols_in_image.len(), card.card.number.index() + 1);
            }
            let expected = match kind {
                Kind::White => "white_background",
                Kind::Heap => "overlap",
                Kind::Perspective => "perspective",
                Kind::Glare => "glare",
                Kind::Shadow => "hard_shadow",
                Kind::Clutter => "distractors",
                _ => continue,
            };
            assert!(scene.tags.iter().any(|t| t == expected), "{:?}", scene.tags);
        }
    }
}

/// The labelled corners are where the card ends: just inside it is white, outside black.
#[test]
fn corners_lie_on_the_border() {
    let mut params = Params::of(Kind::Black);
    params.curl_mm = Span::only(1.5);
    params.distortion = Span::only(0.04);
    params.tilt = Span::only(0.6);
    params.cards = (6, 6);
    params.defocus = Span::only(0.0);
    let scene = render(&params, 9, 0).unwrap();
    assert_eq!(scene.cards.len(), 6);
    for card in &scene.cards {
        let quad = card.corners_in_image;
        let middle = quad.center();
        for i in 0..4 {
            // Short sides, which curl leaves straight.
            if i % 2 == 0 {
                continue;
            }
            for t in [0.2, 0.5, 0.8] {
                let on_side = quad.0[i].lerp(quad.0[(i + 1) % 4], t);
                let inward = (middle - on_side) / middle.distance(on_side);
                let level = |p: Point| {
                    let [r, g, b] = scene.image.get_pixel(p.x as u32, p.y as u32).0;
                    (u32::from(r) + u32::from(g) + u32::from(b)) / 3
                };
                let (inside, outside) =
                    (level(on_side + inward * 3.0), level(on_side - inward * 3.0));
                assert!(inside > outside + 60, "{} side {i}: {inside} {outside}", card.card);
            }
        }
    }
}

#[test]
fn symbols_are_seen_where_the_label_says() {
    let mut params = Params::of(Kind::Plain);
    params.variety = 0.0;
    let mut filled = 0;
    let scenes = [0, 1, 2].map(|index| render(&params, 21, index).unwrap());
    for (scene, card) in scenes.iter().flat_map(|s| s.cards.iter().map(move |c| (s, c))) {
        if card.card.shading != crate::cards::Shading::Filled {
            continue;
        }
        for p in &card.symbols_in_image {
            let [r, g, b] = scene.image.get_pixel(p.x as u32, p.y as u32).0;
            let brightest = linear_from_srgb(f64::from(r.max(g).max(b)) / 255.0);
            let darkest = linear_from_srgb(f64::from(r.min(g).min(b)) / 255.0);
            assert!(darkest < 0.5 * brightest, "{}: {r} {g} {b}", card.card);
            filled += 1;
        }
    }
    assert!(filled > 6, "the seed deals some filled cards");
}

#[test]
fn a_table_without_cards_and_the_whole_deck() {
    let mut params = small(Kind::Mixed);
    params.cards = (0, 0);
    assert!(render(&params, 1, 0).unwrap().cards.is_empty());
    let mut params = small(Kind::Plain);
    params.cards = (81, 81);
    assert_eq!(render(&params, 1, 0).unwrap().cards.len(), 81);
    params.cards = (82, 82);
    assert_eq!(render(&params, 1, 0).unwrap_err(), RenderError::TooManyCards(82));
    params.cards = (3, 3);
    params.size_px = (31, 600);
    assert_eq!(render(&params, 1, 0).unwrap_err(), RenderError::Size(31, 600));
}

#[test]
fn what_is_not_drawn_under_cards_is_not_seen() {
    // A pixel of the table left out would be black; no card has black in its stock.
    for index in 0..12 {
        let mut params = small(Kind::Heap);
        params.size_px = (640, 480);
        params.cards = (8, 8);
        params.materials = vec![(Material::White, 1.0)];
        params.curl_mm = Span::new(-2.9, 2.9);
        params.card_shadow = Span::only(0.1);
        params.tilt = Span::only(0.8);
        params.noise = Span::only(0.0);
        let scene = render(&params, 31, index).unwrap();
        assert!(scene.image.pixels().all(|p| p.0.iter().any(|&v| v > 25)), "scene {index}");
    }
}
