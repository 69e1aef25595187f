use super::*;
use crate::find::drawn::{FlatCard, card_at, photo};
use image::RgbImage;
use setsight_nets::engine::NetworkError;
use setsight_nets::refiner::{HEIGHT, OUTPUTS, RIGHT, WIDTH};

/// A refiner that judges every outline right, and moves all corners by this share of a short side.
struct Moves([f32; 2]);

impl RefinerNetwork for Moves {
    fn answers(&self, _: Vec<f32>, crops: usize) -> Result<Vec<f32>, NetworkError> {
        let mut answer = [0.0; OUTPUTS];
        (0..4).for_each(|i| answer[2 * i..2 * i + 2].copy_from_slice(&self.0));
        answer[RIGHT] = 9.0;
        Ok(answer.repeat(crops))
    }
}

/// Six cards in two rows, each slightly turned.
fn cards() -> Vec<Quad> {
    (0..6).map(|i| card_at(place(i).0, place(i).1, 0.1 * i as f64 - 0.3)).collect()
}

fn place(i: usize) -> (f64, f64) {
    (60.0 + 140.0 * (i % 3) as f64, 60.0 + 130.0 * (i / 3) as f64)
}

/// The candidates with fitted corners, by these parameters.
fn fit(
    (frame, working): &(Frame, Working),
    candidates: &[Candidate<space::Working>],
    refiner: Option<&dyn RefinerNetwork>,
    params: &Params,
) -> FittedTable {
    PoseFitter { frame, working, symbols: &[], params }.fit(candidates, refiner).unwrap()
}

fn photo_of(cards: &[Quad]) -> (Frame, Working) {
    let cards: Vec<FlatCard> = cards.iter().copied().map(FlatCard::at).collect();
    let frame = photo((480, 340), &cards);
    let working = Working::new(&frame, 480.0);
    (frame, working)
}

/// The candidates that a network would detect for cards with these outlines.
fn candidates(outlines: impl IntoIterator<Item = Quad>) -> Vec<Candidate<space::Working>> {
    outlines.into_iter().map(|quad| Candidate { quad: quad.in_space(1.0), heat: 3.0 }).collect()
}

/// An outline off by a few hundredths of a card, like the network's; each in another direction.
fn rough(i: usize, quad: &Quad) -> Quad {
    let (sin, cos) = (i as f64 * 2.4).sin_cos();
    Quad::new(quad.0.map(|p| p + Point::new(3.0 * cos, 3.0 * sin)))
}

fn rough_cards() -> Vec<Candidate<space::Working>> {
    candidates(cards().iter().enumerate().map(|(i, quad)| rough(i, quad)))
}

/// Largest error of a corner, in pixels.
fn off(card: &FittedCard, corners: &Quad) -> f64 {
    let found = card.refined.quad.0;
    found.iter().zip(corners.0).map(|(a, b)| a.distance(b)).fold(0.0, f64::max)
}

#[test]
fn rough_outlines_become_exact() {
    let fitted = fit(&photo_of(&cards()), &rough_cards(), None, &Params::default());
    let table = fitted.table.expect("six cards show a table");
    for (card, corners) in fitted.cards.iter().zip(cards()) {
        assert_eq!(card.refined.sides_found(), 4);
        assert!(off(card, &corners) < 0.7, "{}", off(card, &corners));
        let fit = table.fit_of(&card.candidate.quad);
        assert!(fit.0 < 0.1 && fit.1.abs() < 0.1, "{fit:?}");
    }
}

#[test]
fn what_has_another_size_does_not_lie_on_the_table() {
    let mut candidates = rough_cards();
    // An outline much larger than a card, across two of them, and less likely than they are.
    let large = Quad::new(card_at(190.0, 60.0, 0.0).0.map(|p| p * 1.6));
    candidates.push(Candidate { quad: large.in_space(1.0), heat: -1.0 });
    let params = Params::default();
    let fitted = fit(&photo_of(&cards()), &candidates, None, &params);
    let table = fitted.table.unwrap();
    let [card, large] = [0, 6].map(|i| table.fit_of(&fitted.cards[i].candidate.quad));
    assert!(large.0 > params.sides.elsewhere && large.1 > 0.3, "{large:?}");
    assert!(card.0 < 0.1, "{card:?}");
    assert!(off(&fitted.cards[0], &cards()[0]) < 0.7, "the rest stay exact");
}

#[test]
fn two_cards_show_no_table_and_are_placed_all_the_same() {
    let two = &cards()[..2];
    let rough = candidates(two.iter().enumerate().map(|(i, quad)| rough(i, quad)));
    let fitted = fit(&photo_of(two), &rough, None, &Params::default());
    assert!(fitted.table.is_none());
    assert!(fitted.cards.iter().zip(two).all(|(card, corners)| off(card, corners) < 0.8));
}

#[test]
fn a_symbol_off_the_middle_moves_its_card() {
    let one = [cards()[0]];
    let working = Working::new(&photo((480, 340), &[]), 480.0);
    let frame = photo((480, 340), &[]);
    let shift = Point::new(4.0, 2.0);
    // Two symbols, each half a spacing from the middle; nothing else is visible.
    let along = (one[0].0[1] - one[0].0[0]) * (setsight_game::cards::outline::SYMBOL_SPACING / 2.0);
    let peaks =
        [along, -along].map(|at| SymbolPeak { center: one[0].center() + at + shift, heat: 2.0 });
    let params = &Params::default();
    let fitter = PoseFitter { frame: &frame, working: &working, symbols: &peaks, params };
    let refined = fitter.fit(&candidates(one), None).unwrap().cards[0].refined;
    let moved = refined.quad.center() - one[0].center();
    assert_eq!(refined.sides_found(), 0);
    // The predicted centre has the weight of half a symbol.
    assert!(moved.distance(shift * (2.0 / 2.5)) < 0.2, "{moved:?}");
}

#[test]
fn the_refiner_names_corners_only_where_too_few_sides_were_found() {
    let photo = photo_of(&cards());
    // Off by three tenths of a short side in both directions, beyond the reach of the search.
    let far = candidates(cards().iter().map(|quad| {
        let along = (quad.0[1] - quad.0[0]) / quad.long_side();
        let off = (along + along.perpendicular()) * (0.3 * quad.short_side());
        Quad::new(quad.0.map(|p| p - off))
    }));
    let params = Params { most_searched: 0, ..Params::default() };
    assert!(fit(&photo, &far, None, &params).sides_of_likely() < params.enough_sides);
    // The refiner moves them half of the way, in each of two steps.
    let with = fit(&photo, &far, Some(&Moves([0.15, 0.15])), &params);
    for (card, corners) in with.cards.iter().zip(cards()) {
        assert!(off(card, &corners) < 0.8, "{}", off(card, &corners));
    }
    // If all sides are found, the refiner does not run: its bad answer has no effect.
    let good = fit(&photo, &rough_cards(), Some(&Moves([0.5, 0.5])), &params);
    assert!(good.cards.iter().zip(cards()).all(|(card, corners)| off(card, &corners) < 0.8));
}

/// Works on photos whose red value is the column: leads each outline towards column 130, by at
/// most a tenth of its short side of 50 pixels per step.
struct TowardsColumn130;

impl RefinerNetwork for TowardsColumn130 {
    fn answers(&self, input: Vec<f32>, _: usize) -> Result<Vec<f32>, NetworkError> {
        let answers = input.chunks_exact(3 * WIDTH * HEIGHT).flat_map(|view| {
            let red = &view[..WIDTH * HEIGHT];
            let column = 255.0 * red.iter().sum::<f32>() / red.len() as f32;
            let off = (130.0 - column) / 50.0;
            let mut answer = [0.0; OUTPUTS];
            (0..4).for_each(|i| answer[2 * i] = off.clamp(-0.1, 0.1));
            answer[RIGHT] = -off.abs();
            answer
        });
        Ok(answers.collect())
    }
}

#[test]
fn where_the_network_leads_is_likelier_than_where_it_began() {
    let frame = RgbImage::from_fn(256, 160, |x, _| image::Rgb([x as u8, 0, 0]));
    let at =
        |x: f64| Quad::new(Quad::rectangle(77.0, 50.0).0.map(|p| p + Point::new(x - 38.5, 55.0)));
    let starts = vec![vec![at(90.0), at(100.0), at(100.5)], Vec::new(), vec![at(128.0)]];
    let found = likely_places(&frame, starts, &[], &TowardsColumn130).unwrap();
    let columns = |i: usize| found[i].iter().map(|q| q.center().x).collect::<Vec<f64>>();
    // Two steps of five pixels from the nearer start; places less than two pixels apart are
    // merged.
    let first = columns(0);
    assert!((first[0] - 110.0).abs() < 1.5 && first.len() == 4, "{first:?}");
    assert!(first.windows(2).all(|two| two[0] > two[1] + 2.0), "{first:?}");
    assert!(columns(1).is_empty());
    assert!((columns(2)[0] - 130.0).abs() < 1.0, "{found:?}");
    // Another card lies 14 pixels to the right of the first start, turned by half a turn.
    let taken = at(104.0);
    let taken = Quad::new([2, 3, 0, 1].map(|i| taken.0[i]));
    let starts = vec![vec![at(85.0), at(100.0)]];
    let found = likely_places(&frame, starts, &[taken], &TowardsColumn130).unwrap();
    assert_eq!(found[0], [at(85.0)]);
}
