//! Finds the cards of a photo with a network, and their corners by table and borders.
//!
//! The photo is shrunk until a card is about 52 pixels long ([`shrink`]), a network says where
//! cards and symbols are ([`network`], [`decode`]), each card is put in its exact place ([`place`]),
//! covered ones after a look at other places ([`search`]), and all that speaks for or against a card is
//! weighed ([`evidence`]).

pub mod decode;
pub mod evidence;
pub mod network;
pub mod pictures;
pub mod place;
pub mod placer;
pub mod search;
pub mod seen;
pub mod shrink;
pub mod weights;

use crate::geometry::{Point, Quad, space};
use crate::pipeline::data::{CardOutline, Frame};
use crate::pipeline::finder::{CardFinder, FindError};
use crate::pipeline::overlap::tell_shared;
use crate::pipeline::probability::sigmoid;
use crate::pipeline::refiner::RefinerNetwork;
use crate::pipeline::segment::maps::Working;
use crate::pipeline::stage::StageSink;
use decode::Candidate;
use network::{FinderNetwork, Maps};
pub use seen::{Params, Seen};
use shrink::Look;
use std::sync::Arc;

/// The finder with networks.
pub struct Learned {
    /// The network that finds.
    pub network: Box<dyn FinderNetwork>,
    /// The one that judges places; without it the sides that are seen must do.
    pub refiner: Option<Arc<dyn RefinerNetwork>>,
    /// How it is used.
    pub params: Params,
}

impl Learned {
    /// With the default parameters.
    pub fn new(network: Box<dyn FinderNetwork>, refiner: Option<Arc<dyn RefinerNetwork>>) -> Self {
        Self { network, refiner, params: Params::default() }
    }

    /// Looks, and keeps everything that was seen; `None` when the photo is too small to hold a card.
    ///
    /// # Errors
    /// [`FindError`].
    pub fn see(&self, frame: &Frame) -> Result<Option<Seen>, FindError> {
        see(frame, &*self.network, self.refiner.as_deref(), &self.params)
    }
}

impl CardFinder for Learned {
    fn name(&self) -> &'static str {
        "learned"
    }

    fn find(
        &self,
        frame: &Frame,
        sink: Option<&dyn StageSink>,
    ) -> Result<Vec<CardOutline>, FindError> {
        let Some(seen) = self.see(frame)? else { return Ok(Vec::new()) };
        if let Some(sink) = sink {
            sink.picture("heat", &pictures::heat(&seen))?;
            sink.picture("places", &pictures::places(frame, &seen, &self.params))?;
        }
        Ok(outlines(&seen, &self.params))
    }
}

fn see(
    frame: &Frame,
    network: &dyn FinderNetwork,
    refiner: Option<&dyn RefinerNetwork>,
    params: &Params,
) -> Result<Option<Seen>, FindError> {
    const SMALLEST_PX: u32 = 16;
    if frame.image.width().min(frame.image.height()) < SMALLEST_PX {
        return Ok(None);
    }
    let mut working = Working::new(frame, params.working_px)?;
    let (look, maps, cards) = looked(&working, network, params)?;
    let mut symbols = decode::symbols(&maps, params.least_symbol_heat);

    // The sides are looked for where the median card is large enough.
    let median_px = median_long_side(&cards).map(|px| px * look.working_per_input.x);
    let mut per_input = look.working_per_input;
    if let Some(px) = median_px
        && px < params.smallest_working_card_px
    {
        let wanted = params.working_px * params.smallest_working_card_px * 1.3 / px;
        let before = (working.width as f64, working.height as f64);
        working = Working::new(frame, wanted.min(params.largest_working_px))?;
        per_input.x *= working.width as f64 / before.0;
        per_input.y *= working.height as f64 / before.1;
    }
    let look = Look { working_per_input: per_input, ..look };
    let in_working = |card: &Candidate| Candidate {
        quad: Quad::of(card.quad.0.map(|p| look.working_from_input(p))),
        heat: card.heat,
    };
    let cards: Vec<Candidate<space::Working>> = cards.iter().map(in_working).collect();
    for symbol in &mut symbols {
        symbol.center = look.working_from_input(symbol.center);
    }
    let placed = place::place(frame, &working, &cards, &symbols, refiner, &params.place)?;
    let signs = evidence::signs(&maps, &look, &symbols, &placed);
    Ok(Some(Seen { working, look, maps, symbols, placed, signs }))
}

/// What the weighed evidence leaves.
pub fn outlines(seen: &Seen, params: &Params) -> Vec<CardOutline> {
    let mut outlines: Vec<CardOutline> = seen
        .placed
        .iter()
        .zip(&seen.signs)
        .map(|(card, signs)| CardOutline {
            score: evidence::log_odds(signs, &params.weights),
            ..CardOutline::at(seen.working.in_image(&card.refined.quad).higher_corner_first())
        })
        .filter(|outline| outline.score >= params.least_score)
        .collect();
    outlines.sort_by(|a, b| b.score.total_cmp(&a.score));
    tell_shared(&mut outlines);
    outlines
}

/// The look that shows cards at the size the network knows best.
fn looked(
    working: &Working,
    network: &dyn FinderNetwork,
    params: &Params,
) -> Result<(Look, Maps, Vec<Candidate>), FindError> {
    // Enlarged further a photo shows nothing more, and the look costs as much as that of a large one.
    const MOST_ENLARGED: f64 = 2.0;
    let enlarged_px = working.width.max(working.height) as f64 / working.scale * MOST_ENLARGED;
    let take = |long_side_px: f64| -> Result<(Look, Maps, Vec<Candidate>), FindError> {
        let look = Look::new(working, long_side_px)?;
        let maps = network.maps(&look.input)?;
        let inside = |c: &Candidate| {
            let Point { x, y } = c.quad.center();
            x < look.size.0 as f64 && y < look.size.1 as f64
        };
        let mut cards = decode::cards(&maps, params.least_heat, params.apart);
        cards.retain(inside);
        Ok((look, maps, cards))
    };
    let mut best = take(params.long_side_px)?;
    let likely = |cards: &[Candidate]| cards.iter().filter(|c| c.heat > 0.0).count();
    if likely(&best.2) == 0 {
        let looks = params.blind_looks_px.into_iter().take(params.looks.saturating_sub(1));
        for long_side_px in looks.filter(|&px| px < params.long_side_px.max(enlarged_px)) {
            let next = take(long_side_px)?;
            if likely(&next.2) > likely(&best.2) {
                best = next;
            }
        }
        return Ok(best);
    }
    if params.looks < 2 {
        return Ok(best);
    }
    let median = median_long_side(&best.2).unwrap_or(params.card_px);
    if (params.content_px.0..params.content_px.1).contains(&median) {
        return Ok(best);
    }
    let (least, most) = params.second_look_px;
    let most = most.min(params.long_side_px.max(enlarged_px));
    // The embedded engine prepares itself for each size: few sizes.
    const STEP_PX: f64 = 32.0;
    let wanted = best.0.long_side_px * params.card_px / median;
    let wanted = ((wanted / STEP_PX).round() * STEP_PX).clamp(least, most);
    let second = take(wanted)?;
    // A look that shows the cards larger or smaller than the network knows shows fewer.
    let expected = |cards: &[Candidate]| cards.iter().map(|c| sigmoid(c.heat)).sum::<f64>();
    Ok(if expected(&second.2) >= 0.8 * expected(&best.2) { second } else { best })
}

/// Long side of the median likely card, in pixels of the input.
fn median_long_side(cards: &[Candidate]) -> Option<f64> {
    let mut sizes: Vec<f64> = cards
        .iter()
        .filter(|c| c.heat > -0.4)
        .map(|c| c.quad.long_side().max(c.quad.short_side()))
        .collect();
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() / 2).copied()
}
