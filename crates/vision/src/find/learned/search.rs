//! Searches for other places of covered cards.
//!
//! A side that was found may be a neighbour's: a card of three symbols that is partly covered can
//! pass for a card of one symbol. The refiner judges which of the possible places is right, and its
//! corrected corners lead to better ones.

use super::placer::{Placed, Placer};
use crate::{
    find::{FindError, working::WorkingQuad},
    overlap::is_overlapped,
    refiner::{self, Answer, RefinerNetwork},
};
use setsight_game::cards::outline::SYMBOL_SPACING;
use setsight_photo::Frame;
use setsight_photo::geometry::{Homography, Point, Quad};

/// Thresholds for searching other places of a covered card.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Log odds that a place is right from which no other is tried, by one crop.
    pub right_enough: f32,
    /// The corresponding threshold with test-time augmentation.
    pub right_enough_both_ends: f32,
    /// Most cards that other places are searched for, each of which costs as much as reading a
    /// table. Boxes on a screen overlap each other without end.
    pub most_searched: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { right_enough: 4.0, right_enough_both_ends: 2.5, most_searched: 12 }
    }
}

/// Moves each doubtful card to its likeliest place. A card is doubtful if another card covers it,
/// not all its sides were found, and the refiner does not confirm its place. All places are judged
/// in one batch, which costs little more than one place. Each place is given to one card only, and
/// to none if a card without doubt lies there, unless a card has no other place.
pub(crate) fn settle_covered(
    frame: &Frame,
    placer: &Placer,
    cards: &mut [Placed],
    network: &dyn RefinerNetwork,
    params: &Params,
) -> Result<(), FindError> {
    let quads: Vec<WorkingQuad> = cards.iter().map(|card| card.refined.quad).collect();
    let in_image = |i: &usize| placer.working.in_image(&quads[*i]);
    let mut doubtful: Vec<usize> = (0..cards.len())
        .filter(|&i| cards[i].refined.confirmed != [true; 4] && is_overlapped(i, &quads))
        .collect();
    // Test-time augmentation runs only where a single crop leaves a doubt.
    let places: Vec<Quad> = doubtful.iter().map(in_image).collect();
    let mut said = refiner::classify(frame, &places, network)?;
    let leaves_doubt =
        |said: &Option<Answer>| said.is_none_or(|said| said.right < params.right_enough);
    let mut is_doubtful = said.iter().map(leaves_doubt);
    doubtful.retain(|_| is_doubtful.next().unwrap_or(true));
    said.retain(leaves_doubt);
    let places: Vec<Quad> = doubtful.iter().map(in_image).collect();
    let mut said = refiner::augmented(frame, &places, &said, network)?.into_iter();
    doubtful.retain(|_| {
        !said.next().flatten().is_some_and(|said| said.right >= params.right_enough_both_ends)
    });
    // The likeliest come first; the others stay where they are.
    doubtful.truncate(params.most_searched);
    let is_settled = |i: &usize| !doubtful.contains(i);
    let mut taken: Vec<Quad> = (0..quads.len()).filter(is_settled).map(|i| in_image(&i)).collect();
    let starts = doubtful.iter().map(|&i| starts(placer, &cards[i])).collect();
    let likely = likely_places(frame, starts, &taken, network)?;

    let mut tried: Vec<(usize, Placed)> = Vec::new();
    for (&i, places) in doubtful.iter().zip(likely) {
        // A card without a context crop stays where it is.
        tried.push((i, cards[i]));
        for place in places {
            let place = placer.working.in_working(&place);
            tried.push((i, placer.put(&cards[i].candidate, &place)));
        }
    }
    let places: Vec<Quad> =
        tried.iter().map(|(_, card)| placer.working.in_image(&card.refined.quad)).collect();
    let judged = refiner::classify_augmented(frame, &places, network)?;
    let merits = judged.iter().zip(&tried).map(|(said, (_, card))| {
        said.map_or(f64::MIN, |said| f64::from(said.right) + seen_of(card))
    });
    let mut order: Vec<(f64, usize)> = merits.zip(0..).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut unplaced = doubtful;
    for must_be_free in [true, false] {
        for &(_, k) in &order {
            let (i, card) = &tried[k];
            let is_free = || !taken.iter().any(|other| places[k].is_same_place(other));
            if let Some(at) = unplaced.iter().position(|card| card == i)
                && (!must_be_free || is_free())
            {
                unplaced.swap_remove(at);
                taken.push(places[k]);
                cards[*i] = *card;
            }
        }
    }
    Ok(())
}

/// The visible evidence for a place, on the scale of the refiner's log odds: sides found, and an
/// even rim, which a place half off a card lacks.
fn seen_of(card: &Placed) -> f64 {
    const SIDE: f64 = 0.5;
    const RIM: f64 = 2.0;
    SIDE * card.refined.sides_seen() as f64 + RIM * card.rim
}

/// Start places of the search for a covered card, in pixels of the photo: the fitted outline, moved
/// so that its symbols would be others of the card's, and turned to either side; and the same for
/// the network's own outline.
fn starts(placer: &Placer, card: &Placed) -> Vec<Quad> {
    const HALF: f64 = SYMBOL_SPACING / 2.0;
    /// In radians. Of misplaced covered cards, one in two is off by 4 to 30 degrees.
    const TURN: f64 = 15.0 * std::f64::consts::PI / 180.0;
    let about = |base: WorkingQuad| {
        let moved = [0.0, -1.0, 1.0, -2.0, 2.0].map(|steps| shifted(&base, steps * HALF));
        moved.into_iter().chain([-TURN, TURN].map(|angle| turned(&base, angle)))
    };
    let bases = [card.refined.quad, placer.expected(&card.candidate.quad)];
    bases.into_iter().flat_map(about).map(|quad| placer.working.in_image(&quad)).collect()
}

/// The likeliest places of each card, by the refiner: of the start places and of the corrected
/// places that the refiner leads to, step by step. Places in `taken`, where other cards lie, are
/// excluded, because a covered card's start places lead to the cards on top of it.
fn likely_places(
    frame: &Frame,
    starts: Vec<Vec<Quad>>,
    taken: &[Quad],
    network: &dyn RefinerNetwork,
) -> Result<Vec<Vec<Quad>>, FindError> {
    /// Number of each card's likeliest places that each step continues from.
    const GOES_ON: [usize; 3] = [6, 4, 0];
    /// Number of places returned for each card.
    const WANTED: usize = 4;
    let mut seen: Vec<Vec<(Quad, f32)>> = vec![Vec::new(); starts.len()];
    let mut next = starts;
    let is_free = |place: &Quad| !taken.iter().any(|other| place.is_same_place(other));
    for goes_on in GOES_ON {
        next.iter_mut().for_each(|places| places.retain(is_free));
        let mut answers = refiner::classify(frame, &next.concat(), network)?.into_iter();
        for (seen, places) in seen.iter_mut().zip(&mut next) {
            let answers = answers.by_ref().take(places.len());
            let mut now: Vec<_> = places
                .drain(..)
                .zip(answers)
                .filter_map(|(place, said)| Some((place, said?)))
                .collect();
            now.sort_by(|a, b| b.1.right.total_cmp(&a.1.right));
            *places = some_apart(now.iter().filter_map(|(_, said)| said.corrected), goes_on);
            seen.extend(now.into_iter().map(|(place, said)| (place, said.right)));
        }
    }
    let likeliest = |mut places: Vec<(Quad, f32)>| {
        places.sort_by(|a, b| b.1.total_cmp(&a.1));
        some_apart(places.into_iter().map(|(place, _)| place), WANTED)
    };
    Ok(seen.into_iter().map(likeliest).collect())
}

/// The first `most` places, without those nearly equal to an earlier one.
fn some_apart(places: impl Iterator<Item = Quad>, most: usize) -> Vec<Quad> {
    /// Distance of a corner, in short sides: at nearer places, the same sides would be found.
    const APART: f64 = 0.04;
    let mut kept: Vec<Quad> = Vec::with_capacity(most);
    for place in places {
        let apart = APART * place.short_side();
        let is_near = |other: &Quad| {
            place.0.iter().zip(&other.0).all(|(own, other)| own.distance(*other) < apart)
        };
        if kept.len() < most && !kept.iter().any(is_near) {
            kept.push(place);
        }
    }
    kept
}

/// The card moved along its long side, by a share of that side.
fn shifted(quad: &WorkingQuad, shift: f64) -> WorkingQuad {
    let unit = Quad::unit_card();
    let moved = Quad::new(unit.0.map(|p| p + Point::new(shift, 0.0)));
    Homography::between(&unit, quad).map_or(*quad, |h| h.apply_quad(&moved))
}

/// The card turned about its centre in the picture, by an angle in radians.
fn turned(quad: &WorkingQuad, angle: f64) -> WorkingQuad {
    let (sin, cos) = angle.sin_cos();
    let center = quad.center();
    WorkingQuad::of(quad.0.map(|p| {
        let Point { x, y } = p - center;
        center + Point::new(x * cos - y * sin, x * sin + y * cos)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::RgbImage;
    use setsight_nets::engine::NetworkError;
    use setsight_nets::refiner::{HEIGHT, OUTPUTS, RIGHT, WIDTH};

    /// Works on photos whose red value is the column: leads each outline towards column 130, by at
    /// most a tenth of its short side of 50 pixels per step.
    struct TowardsColumn130;

    impl RefinerNetwork for TowardsColumn130 {
        fn answers(&self, input: Vec<f32>, _: usize) -> Result<Vec<f32>, NetworkError> {
            let of = |view: &[f32]| {
                let red = &view[..WIDTH * HEIGHT];
                let column = 255.0 * red.iter().sum::<f32>() / red.len() as f32;
                let off = (130.0 - column) / 50.0;
                let mut answer = [0.0; OUTPUTS];
                (0..4).for_each(|i| answer[2 * i] = off.clamp(-0.1, 0.1));
                answer[RIGHT] = -off.abs();
                answer
            };
            Ok(input.chunks_exact(3 * WIDTH * HEIGHT).flat_map(of).collect())
        }
    }

    #[test]
    fn where_the_network_leads_is_likelier_than_where_it_began() {
        let frame = RgbImage::from_fn(256, 160, |x, _| image::Rgb([x as u8, 0, 0]));
        let at = |x: f64| {
            Quad::new(Quad::rectangle(77.0, 50.0).0.map(|p| p + Point::new(x - 38.5, 55.0)))
        };
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
}
