//! Tests of the refiner's training as a whole; they take seconds.

use super::*;
use crate::{layers::tests::gradient_is_that_of_differences, net::run_graph, optimiser::Schedule};
use setsight_photo::{Frame, geometry::Point};
use setsight_vision::find::{CardFinder, FindError};
use setsight_vision::{CardOutline, Trace};

/// A white card with a dark symbol on grey; each table differs a little from the one before, and
/// every fifth one is empty.
fn simple(seed: u64, index: u64, (width, height): (u32, u32)) -> Drawn {
    let (w, h) = (width as usize, height as usize);
    let middle = Point::new(46.0 + ((seed + index) % 5) as f64, 40.0 + (index % 3) as f64);
    let corners = [(-32.0, -21.0), (32.0, -21.0), (32.0, 21.0), (-32.0, 21.0)]
        .map(|(x, y)| middle + Point::new(x, y));
    let card = SeenCard::uncovered(Quad::new(corners));
    let cards = if index % 5 == 4 { Vec::new() } else { vec![card] };
    let mut rgb = vec![90; 3 * w * h];
    for (i, pixel) in rgb.chunks_exact_mut(3).enumerate() {
        let p = Point::new((i % w) as f64 + 0.5, (i / w) as f64 + 0.5);
        match cards.first() {
            Some(_) if middle.distance(p) < 8.0 => pixel.copy_from_slice(&[150, 30, 40]),
            Some(card) if card.corners.contains(p) => pixel.fill(235),
            _ => {}
        }
    }
    Drawn::plain((w, h), rgb, cards)
}

fn task() -> Refiner {
    Refiner::with(4, simple, (96, 80), None, 6)
}

#[test]
fn a_batch_fingerprint_seed_and_step_alone() {
    let (batch, again, next) = (task().batch(3), task().batch(3), task().batch(4));
    assert!(batch.pixels == again.pixels && batch.wanted == again.wanted);
    assert!(batch.pixels != next.pixels);
    assert_eq!((batch.len(), batch.pixels.len()), (BATCH, BATCH * 3 * WIDTH * HEIGHT));
    let right = batch.wanted.chunks_exact(OUTPUTS).filter(|row| row[RIGHT] > 0.5).count();
    assert!((5..BATCH / 2).contains(&right), "{right}");
    // Right outlines have small errors, wrong ones larger errors.
    for row in batch.wanted.chunks_exact(OUTPUTS) {
        let most = row[..RIGHT].iter().fold(0.0f32, |most, v| most.max(v.abs()));
        assert!(if row[RIGHT] > 0.5 { most < 0.25 } else { most > 0.02 }, "{row:?}");
    }
}

#[test]
fn later_steps_ask_where_no_card_lies_too() {
    let counts = [NOTHING_FROM - 1, NOTHING_FROM]
        .map(|step| task().batch(step).rows().filter(|(_, is_card)| !is_card).count());
    assert_eq!(counts, [0, NOTHING]);
    let batch = task().batch(NOTHING_FROM);
    assert_eq!((batch.len(), batch.pixels.len()), (BATCH, BATCH * 3 * WIDTH * HEIGHT));
    // The loss of these crops depends only on whether the outline is right.
    let is_card: Vec<bool> = batch.rows().map(|(_, is_card)| is_card).collect();
    let loss = |spoil: fn(usize) -> f32| {
        loss(&task(), &batch, |row, k, v| v + if is_card[row] { 0.0 } else { spoil(k) })
    };
    assert!(loss(|_| 0.0) < 1e-3);
    assert!(loss(|k| if k == RIGHT { 0.0 } else { 5.0 + k as f32 }) < 1e-3);
    assert!(loss(|k| if k == RIGHT { 18.0 } else { 0.0 }) > 1.0);
}

/// The loss of right answers that are spoilt: a change gets the crop, the output and its value.
fn loss(task: &Refiner, batch: &Batch, spoil: impl Fn(usize, usize, f32) -> f32) -> f32 {
    let wanted = batch.wanted.iter().enumerate();
    let outputs = wanted.map(|(i, wanted)| match (i / OUTPUTS, i % OUTPUTS) {
        (row, k) if k >= RIGHT => spoil(row, k, if *wanted > 0.5 { 9.0 } else { -9.0 }),
        (row, k) => spoil(row, k, *wanted),
    });
    task.loss(&Tensor::new(outputs.collect(), &[BATCH, OUTPUTS]), batch).total
}

#[test]
fn a_run_that_goes_on_asks_where_no_card_lies_from_its_first_step() {
    let learnt = plan().init(7);
    let task = Refiner { first: First::Run(learnt.clone()), ..task() };
    assert_eq!(task.init(1), learnt);
    assert_eq!(task.batch(0).rows().filter(|(_, is_card)| !is_card).count(), NOTHING);
}

#[test]
fn cards_of_which_too_little_is_in_view_are_left_out() {
    assert!(learns(0.2, 0.5, 0.15) && !learns(0.2, 0.5, 0.3) && !learns(0.1, 0.5, 0.15));
    assert!(!learns(0.9, 0.3, 0.15));
}

fn learns(in_view: f64, of_symbol: f64, least_in_view: f64) -> bool {
    let mut drawn = simple(1, 0, (96, 80));
    (drawn.cards[0].in_view, drawn.cards[0].symbols[0].1) = (in_view, of_symbol);
    let table = FoundTable { drawn, found: Vec::new() };
    Batch::default().push(&table, least_in_view, &mut Pcg64::seed_from_u64(3))
}

#[test]
fn a_perfect_answer_costs_least() {
    let task = task();
    let batch = task.batch(0);
    assert!(loss(&task, &batch, |_, _, v| v) < 1e-3);
    assert!(loss(&task, &batch, |_, k, v| if k == RIGHT { -v } else { v }) > 5.0);
    let off = loss(&task, &batch, |_, k, v| if k == 0 { v + 0.8 } else { v });
    assert!((off - 0.8 / 8.0 * CORNERS_WEIGHT).abs() < 1e-2, "{off}");
    let values = VALUES..VALUES + 3;
    let misread = loss(&task, &batch, |_, k, v| if values.contains(&k) { -v } else { v });
    assert!((misread - 18.7 * VALUE_WEIGHT).abs() < 0.1, "{misread}");
}

#[test]
fn a_step_makes_the_network_better_and_the_graph_is_the_network() {
    let task = task();
    let weights = task.init(2);
    let batch = task.batch(0);
    let mut state = crate::optimiser::State::new(weights);
    let schedule = Schedule { warm_up: 1, learning_rate: 5e-3, ..settings(1, 40, false).schedule };
    let mut losses = Vec::new();
    for _ in 0..25 {
        let gradients = {
            let pass = task.plan().forward(&state.weights, task.input(&batch));
            let loss = task.loss(pass.output(), &batch);
            losses.push(loss.total);
            pass.gradients(loss.gradient)
        };
        assert!(state.step(&gradients, &schedule));
    }
    assert!(losses[24] < 0.5 * losses[0], "{losses:?}");
    let graph = task.plan().graph(&state.weights);
    assert_eq!(graph.parameters(), 701_349);
    let output = run_graph(&graph, task.input(&batch));
    assert_eq!(output.rows(), [BATCH, OUTPUTS]);
    let some: Vec<f32> =
        (0..output.values.len()).map(|i| ((i * 37) % 101) as f32 / 20.0 - 2.5).collect();
    gradient_is_that_of_differences(&some, 7, |values| {
        task.loss(&Tensor::new(values, &output.shape), &batch)
    });
    let judged = task.validate(&|input| run_graph(&graph, input));
    assert!(judged.loss.is_finite() && judged.figures.len() == 8);
}

/// A finder that puts every card a third of a card too far to the right, and one where none lies.
struct Astray;

impl CardFinder for Astray {
    fn name(&self) -> &'static str {
        "astray"
    }

    fn find(&self, frame: &Frame, _: &mut Trace<'_>) -> Result<Vec<CardOutline>, FindError> {
        let bright_pixels: Vec<(f64, f64)> = frame
            .enumerate_pixels()
            .filter_map(|(x, y, pixel): (u32, u32, &image::Rgb<u8>)| {
                (pixel.0[0] > 200).then_some((f64::from(x), f64::from(y)))
            })
            .collect();
        let (Some(first), Some(last)) = (bright_pixels.first(), bright_pixels.last()) else {
            return Ok(Vec::new());
        };
        let (left, top) = (last.0 - 63.0, first.1);
        let outlines = [left + 64.0 * ASTRAY, left - 50.0]
            .map(|x| Quad::rectangle(64.0, 42.0).map(|p| p + Point::new(x, top)))
            .map(CardOutline::at);
        Ok(outlines.to_vec())
    }
}

const ASTRAY: f64 = 0.3;

#[test]
fn half_of_the_outlines_are_those_that_a_finder_found() {
    let found = Found::by(Box::new(Astray), &simple(4, 0, (96, 80))).unwrap();
    let found = Refiner::with(4, simple, (96, 80), Some(found), 6);
    let batch = found.batch(NOTHING_FROM);
    // The card's left corners are at the detected place minus the error, whichever end is up.
    let astray = (ASTRAY * 64.0 / 42.0) as f32;
    let is_found = |row: &[f32]| {
        (0..4).all(|i| (row[2 * i].abs() - astray).abs() < 0.12 && row[2 * i + 1].abs() < 0.12)
    };
    let cards: Vec<&[f32]> =
        batch.rows().filter_map(|(row, is_card)| is_card.then_some(row)).collect();
    let number = cards.iter().filter(|row| is_found(row)).count();
    assert!(
        (cards.len() / 3..cards.len() * 2 / 3).contains(&number),
        "{number} of {}",
        cards.len()
    );
    assert!(cards.iter().filter(|row| is_found(row)).all(|row| row[RIGHT] < 0.5));
    let plain = task().batch(NOTHING_FROM);
    let number = plain.rows().filter(|(row, _)| is_found(row)).count();
    assert!(number < 6, "by chance {number}");
}
