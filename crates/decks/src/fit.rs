//! From what the cards of one fill show to the fill: the one that looks most like it when it is
//! drawn and measured the same way.

use crate::group::{DeckCard, Groups, mean_mask};
use crate::print::named_fill;
use rayon::prelude::*;
use setsight_game::cards::deck::{Fill, FillKind};
use setsight_game::cards::{Card, Color, Deck, Number, Shading, Shape};
use setsight_photo::numeric::median;
use setsight_photo::print::card::Print;
use setsight_vision::classify::taught::FILL_FEATURES;
use setsight_vision::classify::taught::drawn;
use setsight_vision::classify::taught::fill_point;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A plain print of what is solid.
pub(super) const SOLID: Fill =
    Fill { kind: FillKind::Solid, outline_mm: 0.0, pitch_mm: 1.0, duty: 1.0 };

/// Kinds that are tried in finer steps, the likeliest.
const KINDS_FITTED: usize = 4;
/// The finer steps: factors of the pitch and of the share of ink, and positions of the first
/// stripe, in pitches.
const PITCHES: [f64; 3] = [0.92, 1.0, 1.08];
const DUTIES: [f64; 3] = [0.88, 1.0, 1.12];
const PHASES: [f64; 4] = [0.0, 0.25, 0.5, 0.75];
/// Blurs that are tried, as factors of the photos' own, which is measured on few pixels.
const BLURS: [f32; 3] = [0.8, 1.0, 1.25];

/// A fill, and the position of its first stripe in pitches.
#[derive(Clone, Copy, Debug)]
struct Plan {
    fill: Fill,
    phase: f64,
}

/// What the cards of one fill show.
struct Shown {
    /// By outline the median of what is measured.
    points: [Option<[f32; FILL_FEATURES]>; 3],
    /// Inverse variances.
    weights: [f32; FILL_FEATURES],
    outline_mm: f64,
    blurs_px: [f32; BLURS.len()],
    /// The outline with the widest inside, which shows a fill best.
    widest: usize,
}

impl Shown {
    fn new(cards: &[DeckCard], groups: &Groups, g: usize, blur_px: f32) -> Self {
        /// What a drawn fill misses a photographed one by, beside what photos scatter.
        const LEAST_DEVIATION: f32 = 0.03;
        let group_cards: Vec<usize> =
            (0..cards.len()).filter(|i| groups.one_fill || groups.fills[*i] == g).collect();
        let by_shape = [0, 1, 2].map(|shape: usize| -> Vec<[f32; FILL_FEATURES]> {
            let of_the_shape = group_cards.iter().filter(|&&i| groups.shapes[i] == shape);
            of_the_shape.map(|&i| fill_point(&cards[i].measured)).collect()
        });
        let points = by_shape.each_ref().map(|points| {
            (!points.is_empty()).then(|| {
                std::array::from_fn(|d| median(points.iter().map(|p| p[d])).unwrap_or(0.0))
            })
        });
        let weights = std::array::from_fn(|d| {
            let (mut sum, mut n) = (0.0, 0.0f32);
            for (points, middle) in by_shape.iter().zip(&points) {
                if let Some(middle) = middle {
                    sum += points.iter().map(|p| (p[d] - middle[d]).powi(2)).sum::<f32>();
                    n += points.len() as f32;
                }
            }
            1.0 / (sum / n.max(1.0) + LEAST_DEVIATION * LEAST_DEVIATION)
        });
        let outline = median(group_cards.iter().map(|&i| cards[i].measured.outline_mm));
        Self {
            weights,
            outline_mm: f64::from(outline.unwrap_or(1.0)).clamp(0.3, 3.0),
            blurs_px: BLURS.map(|factor| factor * blur_px),
            widest: (0..3)
                .filter(|&shape| points[shape].is_some())
                .max_by_key(|shape| mean_mask(cards, groups, *shape).0.area_px())
                .unwrap_or(0),
            points,
        }
    }

    /// By how much a plan misses it in some outlines, at the blur that suits best.
    fn missed(&self, plan: &Plan, shapes: &[usize], print: &Print) -> f32 {
        /// Where a drawn card shows no symbol.
        const NOTHING: f32 = 1e4;
        let mut print = print.clone();
        print.fills = [plan.fill; 3];
        print.phase = plan.phase;
        let mut missed = [0.0; BLURS.len()];
        for &shape in shapes {
            let card = Card {
                number: Number::One,
                shading: Shading::from_index(0),
                color: Color::from_index(0),
                shape: Shape::from_index(shape),
            };
            let Some(point) = &self.points[shape] else { continue };
            let drawn = drawn::measure_blurred(card, &print, &self.blurs_px);
            for (missed, drawn) in missed.iter_mut().zip(drawn) {
                *missed += drawn.map_or(NOTHING, |drawn| {
                    let off = fill_point(&drawn);
                    (0..FILL_FEATURES).map(|d| (off[d] - point[d]).powi(2) * self.weights[d]).sum()
                });
            }
        }
        missed.into_iter().fold(f32::MAX, f32::min)
    }
}

/// All plans of a kind in coarse steps.
fn coarse(kind: FillKind, outline_mm: f64) -> Vec<Plan> {
    let plan = |pitch_mm: f64, duty: f64| Plan {
        fill: Fill { kind, outline_mm, pitch_mm, duty },
        phase: 0.0,
    };
    match kind {
        FillKind::Solid => vec![Plan { fill: SOLID, phase: 0.0 }],
        FillKind::None => vec![plan(1.0, 0.0)],
        FillKind::Gradient => [0.2, 0.3, 0.4, 0.5, 0.6].map(|duty| plan(1.0, duty)).to_vec(),
        // Their share of ink is a half.
        FillKind::Checks => (0..15).map(|k| plan(0.8 * 1.13f64.powi(k), 0.5)).collect(),
        _ => {
            let pitches = (0..9).map(|k| 0.8 * 1.22f64.powi(k));
            let duties = [0.2, 0.32, 0.45, 0.6];
            pitches.flat_map(|p| duties.map(|duty| plan(p, duty))).collect()
        }
    }
}

impl Plan {
    /// With its pitch and its share of ink times a factor, at another phase.
    fn scaled(&self, pitch: f64, share: f64, phase: f64) -> Self {
        let Fill { pitch_mm, duty, .. } = self.fill;
        let fill = Fill {
            pitch_mm: pitch_mm * pitch,
            duty: (duty * share).clamp(0.05, 0.95),
            ..self.fill
        };
        Self { fill, phase }
    }
}

/// Plans near another.
fn finer(near: &Plan) -> Vec<Plan> {
    match near.fill.kind {
        FillKind::Solid | FillKind::None => vec![*near],
        FillKind::Gradient => DUTIES.map(|share| near.scaled(1.0, share, 0.0)).to_vec(),
        FillKind::Checks => PITCHES
            .into_iter()
            .flat_map(|pitch| PHASES.map(|phase| near.scaled(pitch, 1.0, phase)))
            .collect(),
        _ => PITCHES
            .into_iter()
            .flat_map(|pitch| DUTIES.map(|share| (pitch, share)))
            .flat_map(|(pitch, share)| PHASES.map(|phase| near.scaled(pitch, share, phase)))
            .collect(),
    }
}

/// The fill of a group; `deck` has the outlines, and `blur_px` is how much the photos blur a face.
/// `tell` is called with the part that is done, 0 to 1, on several threads.
pub(super) fn fill(
    cards: &[DeckCard],
    groups: &Groups,
    g: usize,
    deck: &Deck,
    blur_px: f32,
    tell: &(dyn Fn(f64) + Sync),
) -> Fill {
    let shown = Shown::new(cards, groups, g, blur_px);
    let mut deck = deck.clone();
    deck.fills = [0, 1, 2].map(|_| named_fill(SOLID));
    let print = Print::new(Arc::new(deck));
    // Tried in one outline, the likeliest in finer steps, and what is left in all three.
    let tried = |plans, shapes: &[usize], from: f64, to: f64| {
        ranked(plans, &|plan| shown.missed(plan, shapes, &print), &|part| {
            tell(from + (to - from) * part)
        })
    };
    let plans = FillKind::ALL.into_iter().flat_map(|kind| coarse(kind, shown.outline_mm)).collect();
    let ranked = tried(plans, &[shown.widest], 0.0, 0.45);
    let best = best_of_kinds(&ranked, KINDS_FITTED);
    let ranked = tried(best.iter().flat_map(finer).collect(), &[shown.widest], 0.45, 0.9);
    let ranked = tried(best_of_kinds(&ranked, KINDS_FITTED), &[0, 1, 2], 0.9, 1.0);
    ranked.first().map_or(SOLID, |best| best.1.fill)
}

/// Plans by what each misses, the best first.
fn ranked(
    plans: Vec<Plan>,
    missed: &(dyn Fn(&Plan) -> f32 + Sync),
    tell: &(dyn Fn(f64) + Sync),
) -> Vec<(f32, Plan)> {
    let (all, done) = (plans.len(), AtomicUsize::new(0));
    let ranked = plans.into_par_iter().map(|plan| {
        let missed = missed(&plan);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        tell(done as f64 / all as f64);
        (missed, plan)
    });
    let mut ranked: Vec<(f32, Plan)> = ranked.collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked
}

/// The best plan of each of the likeliest kinds.
fn best_of_kinds(ranked: &[(f32, Plan)], kinds: usize) -> Vec<Plan> {
    let mut best: Vec<Plan> = Vec::new();
    for (_, plan) in ranked {
        if best.len() < kinds && best.iter().all(|other| other.fill.kind != plan.fill.kind) {
            best.push(*plan);
        }
    }
    best
}
