//! Finds the cards of a photo with a network, and their corners by table, symbols and borders.
//!
//! The photo is shrunk until a card is about 52 pixels long ([`shrink`]), a network says where
//! cards and symbols are ([`network`], [`decode`]), each card is put in its exact place ([`place`]),
//! where a second network judges cards that do not show all their sides ([`refine`]) and says which
//! they are, and all that
//! speaks for or against it is weighed ([`evidence`]).

pub mod decode;
pub mod evidence;
pub mod network;
pub mod pictures;
pub mod place;
pub mod refine;
pub mod shrink;
pub mod weights;

pub use decode::{Candidate, SymbolPeak};
pub use network::{FinderNetwork, Input, Maps};
pub use place::Placed;
pub use refine::{Photo, RefinerNetwork};
pub use shrink::Look;

use crate::geometry::{Point, Quad};
use crate::pipeline::engine::NetworkError;
use crate::pipeline::overlap::tell_shared;
use crate::pipeline::segment::components::Components;
use crate::pipeline::segment::grouping::{self, Grouped};
use crate::pipeline::segment::maps::{Chosen, Working, for_chosen_maps};
use crate::pipeline::segment::symbols::{self, SymbolSearch};
use crate::pipeline::{CardOutline, Frame, InPlace, dump, segment};
use decode::sigmoid;
use image::RgbImage;

/// How cards are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Long side of the photo in the first look, in pixels.
    pub long_side_px: f64,
    /// Long side that a card should have in a look: the middle of what the network was trained on.
    pub card_px: f64,
    /// Lengths of the median card with which the first look is content.
    pub content_px: (f64, f64),
    /// How many looks may be taken: 1 for a film, where the card's size is known.
    pub looks: usize,
    /// Shortest and longest long side of the second look.
    pub second_look_px: (f64, f64),
    /// Long sides for the second look when the first saw nothing: small cards, or one that fills
    /// the photo. As many as looks are left.
    pub blind_looks_px: [f64; 2],
    /// Log odds, as the network gives them, below which a peak is not looked at.
    pub least_heat: f64,
    /// The same of a symbol.
    pub least_symbol_heat: f64,
    /// Two centres closer than this, in short sides, are one card.
    pub apart: f64,
    /// Log odds, all evidence weighed, below which a candidate is dropped. The reader has its say
    /// later, so what is more likely no card than a card may pass.
    pub least_score: f64,
    /// Weights of the evidence.
    pub weights: evidence::Weights,
    /// In which maps symbols are measured; `None`: the network's must do.
    pub measure: Option<Chosen>,
    /// What counts as a measured symbol.
    pub symbols: symbols::Params,
    /// What counts as a card's symbols.
    pub grouping: grouping::Params,
    /// How outlines are made exact.
    pub place: place::Params,
    /// Long side of the working image, in which the sides are looked for.
    pub working_px: f64,
    /// Shortest median card in the working image; smaller ones get a larger working image.
    pub smallest_working_card_px: f64,
    /// Longest side of the working image.
    pub largest_working_px: f64,
}

/// Six of the ten maps. On drawn tables they measure symbols as exactly as all ten, in two thirds of
/// the time: what the others add is votes, and here the network votes too.
const MEASURED: Chosen = Chosen {
    local_windows: &[0.018, 0.044],
    local_offsets: &[9],
    canny: &[(25.0, 70.0)],
    ink: &[20, 52],
    coarse_ink: &[26],
};

impl Default for Params {
    fn default() -> Self {
        Self {
            long_side_px: 384.0,
            card_px: 52.0,
            content_px: (40.0, 68.0),
            looks: 3,
            second_look_px: (128.0, 704.0),
            blind_looks_px: [640.0, 128.0],
            least_heat: -2.0,
            least_symbol_heat: -1.0,
            apart: 0.42,
            least_score: -2.0,
            weights: weights::WEIGHTS,
            measure: Some(MEASURED),
            symbols: symbols::Params::default(),
            grouping: grouping::Params::default(),
            place: place::Params::default(),
            working_px: 800.0,
            smallest_working_card_px: 75.0,
            largest_working_px: 1600.0,
        }
    }
}

/// Something that finds the cards of a photo.
pub trait CardFinder: Send + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// The cards of a photo, the likeliest first.
    ///
    /// # Errors
    /// [`FindError`].
    fn find(&self, frame: &Frame) -> Result<Vec<CardOutline>, FindError>;

    /// What a look in place says at those of some outlines that are `asked` for by number; nothing from a
    /// finder that has no such look.
    ///
    /// # Errors
    /// The network does not run.
    fn in_place(
        &self,
        _: &Frame,
        _: &[CardOutline],
        asked: &[usize],
    ) -> Result<Vec<Option<InPlace>>, NetworkError> {
        Ok(vec![None; asked.len()])
    }

    /// Pictures of what it sees on the way, each with its name, for people to look at.
    ///
    /// # Errors
    /// [`FindError`].
    fn pictures(&self, frame: &Frame) -> Result<Vec<(&'static str, RgbImage)>, FindError>;
}

/// The finder that needs no network.
impl CardFinder for segment::Params {
    fn name(&self) -> &'static str {
        "classical"
    }

    fn find(&self, frame: &Frame) -> Result<Vec<CardOutline>, FindError> {
        Ok(segment::segment(frame, self)?)
    }

    fn pictures(&self, frame: &Frame) -> Result<Vec<(&'static str, RgbImage)>, FindError> {
        Ok(vec![("maps", dump::maps(frame, self)?), ("symbols", dump::symbols(frame, self)?)])
    }
}

/// The finder with networks.
pub struct Learned {
    /// The network that finds.
    pub network: Box<dyn FinderNetwork>,
    /// The one that judges places; without it the sides that are seen must do.
    pub refiner: Option<Box<dyn RefinerNetwork>>,
    /// How it is used.
    pub params: Params,
}

impl Learned {
    /// With the default parameters.
    pub fn new(network: Box<dyn FinderNetwork>, refiner: Option<Box<dyn RefinerNetwork>>) -> Self {
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

    fn find(&self, frame: &Frame) -> Result<Vec<CardOutline>, FindError> {
        Ok(self.see(frame)?.map_or_else(Vec::new, |seen| outlines(&seen, &self.params)))
    }

    fn in_place(
        &self,
        frame: &Frame,
        outlines: &[CardOutline],
        asked: &[usize],
    ) -> Result<Vec<Option<InPlace>>, NetworkError> {
        let Some(network) = &self.refiner else { return Ok(vec![None; asked.len()]) };
        let photo = Photo { rgb: frame.image.as_raw(), size_px: frame.image.dimensions() };
        let quads: Vec<Quad> = asked.iter().map(|&i| outlines[i].corners_in_image).collect();
        refine::in_place(&photo, &quads, &**network)
    }

    fn pictures(&self, frame: &Frame) -> Result<Vec<(&'static str, RgbImage)>, FindError> {
        Ok(match self.see(frame)? {
            Some(seen) => vec![
                ("heat", pictures::heat(&seen)),
                ("places", pictures::places(frame, &seen, &self.params)),
            ],
            None => Vec::new(),
        })
    }
}

/// Why cards could not be looked for.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// OpenCV gave up, for want of memory perhaps.
    #[error(transparent)]
    Image(#[from] opencv::Error),
    /// The network gave no answer.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

/// Everything that was seen on the way.
#[derive(Debug)]
pub struct Seen {
    /// The photo in which sides were looked for.
    pub working: Working,
    /// The look that counted.
    pub look: Look,
    /// What the network said to it.
    pub maps: Maps,
    /// Symbols in working pixels.
    pub symbols: Vec<SymbolPeak>,
    /// The candidates in their places.
    pub placed: Vec<Placed>,
    /// What speaks for each.
    pub signs: Vec<[f64; evidence::SIGNS]>,
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
    let (look, maps, mut cards) = looked(&working, network, params)?;
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
    for card in &mut cards {
        card.quad = Quad(card.quad.0.map(|p| look.working_from_input(p)));
    }
    for symbol in &mut symbols {
        symbol.center = look.working_from_input(symbol.center);
    }
    let groups = measured(&working, &symbols, params)?;
    let heat_at = |p: Point| decode::card_heat_at(&maps, look.input_from_working(p));
    let (placed, _) =
        place::place(&working, &cards, &symbols, &groups, &heat_at, refiner, &params.place)?;
    let signs = evidence::signs(&working, &maps, &look, &symbols, &placed)?;
    Ok(Some(Seen { working, look, maps, symbols, placed, signs }))
}

/// Cards as symbols measured in the photo show them. Where the network sees a symbol too, that
/// counts as further votes.
fn measured(working: &Working, peaks: &[SymbolPeak], params: &Params) -> opencv::Result<Grouped> {
    /// A full vote of all ten maps is what the weights of a symbol's evidence are for.
    const FULL: usize = 10;
    const VOTES_OF_NETWORK: usize = 3;
    let Some(chosen) = &params.measure else { return Ok(Grouped::default()) };
    let mut search = SymbolSearch::new(working, &params.symbols);
    let mut components = Components::default();
    for_chosen_maps(working, chosen, |map| {
        components.label(map.pixels, map.width);
        search.look(map, &components);
    })?;
    let mut symbols = search.finish(working)?;
    for symbol in &mut symbols {
        symbol.votes = symbol.votes * FULL / chosen.count().max(1);
        let reach = symbol.frame.minor.norm().max(4.0);
        if peaks.iter().any(|p| p.heat > 0.0 && p.center.distance(symbol.frame.center) < reach) {
            symbol.votes += VOTES_OF_NETWORK;
        }
    }
    let long = working.width.max(working.height) as f64;
    Ok(grouping::group(symbols, long, &params.grouping))
}

/// What the weighed evidence leaves.
pub fn outlines(seen: &Seen, params: &Params) -> Vec<CardOutline> {
    let mut outlines: Vec<CardOutline> = seen
        .placed
        .iter()
        .zip(&seen.signs)
        .map(|(card, signs)| CardOutline {
            corners_in_image: card
                .refined
                .quad
                .scaled(1.0 / seen.working.scale)
                .higher_corner_first(),
            score: evidence::log_odds(signs, &params.weights),
            symbols_seen: symbols_on(&card.refined.quad, &seen.symbols),
            shape_seen: card.group.map(|group| group.shape),
            in_place: card.in_place,
            shared: 0.0,
        })
        .filter(|outline| outline.score >= params.least_score)
        .collect();
    outlines.sort_by(|a, b| b.score.total_cmp(&a.score));
    tell_shared(&mut outlines);
    outlines
}

fn symbols_on(quad: &Quad, symbols: &[SymbolPeak]) -> usize {
    symbols.iter().filter(|s| s.heat > 0.0 && quad.contains(s.center)).count().min(3)
}

/// The look that shows cards at the size the network knows best.
fn looked(
    working: &Working,
    network: &dyn FinderNetwork,
    params: &Params,
) -> Result<(Look, Maps, Vec<Candidate>), FindError> {
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
        for long_side_px in params.blind_looks_px.into_iter().take(params.looks.saturating_sub(1)) {
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
