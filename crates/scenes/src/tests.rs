//! Tests of whole scenes.

use super::*;
use setsight_game::cards::Deck;
use setsight_photo::print::{color::linear_from_srgb, dice::Span};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

fn small(kind: Kind) -> Params {
    let mut params = Params::for_kind(kind);
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
                Kind::Clutter | Kind::Print => "distractors",
                Kind::TwoLamps => "two_lamps",
                Kind::Writing => "drawn_on",
                Kind::Screen => "screen",
                _ => continue,
            };
            assert!(scene.tags.iter().any(|t| t == expected), "{:?}", scene.tags);
        }
    }
}

/// The labelled corners are at the card's border: white just inside, black outside.
#[test]
fn corners_lie_on_the_border() {
    let mut params = Params::for_kind(Kind::Black);
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
            // Short sides stay straight when a card curls.
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
fn symbols_are_visible_where_the_label_says() {
    let mut params = Params::for_kind(Kind::Plain);
    params.variety = 0.0;
    let mut filled = 0;
    let scenes = [0, 1, 2].map(|index| render(&params, 21, index).unwrap());
    for (scene, card) in scenes.iter().flat_map(|s| s.cards.iter().map(move |c| (s, c))) {
        if card.card.shading != setsight_game::cards::Shading::Filled {
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
fn a_table_without_cards_and_the_full_deck() {
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
fn what_is_not_drawn_under_cards_is_hidden() {
    // An undrawn pixel of the table would be black; no card's stock is black.
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

/// Suites and their results are compared over time, so the classic deck's tables must stay the same
/// bit for bit. The hashes are of the first version that drew them; on other platforms a few pixels
/// differ by 1.
#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn tables_of_a_seed_stay_as_they_are() {
    let hashes = [
        (Kind::Plain, 0, "f0a1894fef810e02"),
        (Kind::Heap, 0, "93d058d78ca28a55"),
        (Kind::Heap, 1, "07848576ce174391"),
        (Kind::Mixed, 0, "40306761fabc6fbc"),
        (Kind::Mixed, 1, "c4790b2205e739be"),
        (Kind::Clutter, 0, "0332a188a816945d"),
        (Kind::Glare, 0, "6bc015e7ce4fafc8"),
    ];
    for (kind, index, expected) in hashes {
        let mut params = Params::for_kind(kind);
        params.size_px = (320, 240);
        let jpeg = render(&params, 5, index).unwrap().jpeg().unwrap();
        let hash: String = Sha256::digest(&jpeg).iter().map(|b| format!("{b:02x}")).collect();
        assert!(hash.starts_with(expected), "{} {index}: {hash}", kind.name());
    }
}

#[test]
fn a_mirrored_table_is_the_same_table_flipped_with_its_labels() {
    let usual = small(Kind::Scatter);
    let mirrored = Params { mirrored: 1.0, ..usual.clone() };
    let (a, b) = (render(&usual, 8, 0).unwrap(), render(&mirrored, 8, 0).unwrap());
    assert!(!a.mirrored && b.mirrored);
    assert_eq!(image::imageops::flip_horizontal(&a.image), b.image);
    for (a, b) in a.cards.iter().zip(&b.cards) {
        assert_eq!((a.card, a.symbol_visibility.len()), (b.card, b.symbol_visibility.len()));
        let flipped = |p: Point| Point::new(320.0 - p.x, p.y);
        assert!(flipped(a.center_in_image).distance(b.center_in_image) < 1e-9);
        for (p, q) in a.symbols_in_image.iter().zip(&b.symbols_in_image) {
            assert!(flipped(*p).distance(*q) < 1e-9);
        }
        let quad = b.corners_in_image;
        assert!(
            quad.signed_area() > 0.0 && (quad.0[0].y, quad.0[0].x) <= (quad.0[2].y, quad.0[2].x)
        );
        assert!(
            a.corners_in_image
                .0
                .into_iter()
                .all(|p| quad.0.iter().any(|q| flipped(p).distance(*q) < 1e-9))
        );
        // A half turn may have put the opposite side first.
        let [c0, c1, c2, c3] = a.corners_in_image.0;
        let long = quad.0[0].distance(quad.0[1]);
        let as_before =
            [c0.distance(c1), c2.distance(c3)].iter().any(|side| (side - long).abs() < 1e-9);
        assert!(as_before, "a long side first");
    }
    let label = b.label("a.jpg".into());
    assert!(label.mirrored && label.deck == "classic");
}

fn table_of(deck: DeckChoice) -> Scene {
    let mut params = small(Kind::Plain);
    params.variety = 0.0;
    params.decks = vec![(deck, 1.0)];
    render(&params, 12, 0).unwrap()
}

#[test]
fn a_table_of_another_deck_has_its_cards_where_the_classic_one_has_them() {
    let classic = table_of(DeckChoice::Known(Deck::classic()));
    for choice in [DeckChoice::Known(Deck::rectangles()), DeckChoice::Invented] {
        let other = table_of(choice);
        assert_ne!(other.deck, classic.deck);
        assert_ne!(other.image, classic.image);
        assert!(other.tags.iter().any(|tag| tag == "other_deck"));
        for (a, b) in classic.cards.iter().zip(&other.cards) {
            assert_eq!((a.card, a.corners_in_image), (b.card, b.corners_in_image));
        }
    }
}
