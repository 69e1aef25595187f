//! The learned finder: a network detects cards; their borders and the table's plane give the
//! corners.
//!
//! A network detects cards and symbols ([`candidates`]). Each card's corners are fitted to the table's
//! plane and to its borders; for covered cards, other positions are tried ([`place`]). A
//! logistic regression on the features ([`evidence`]) gives each outline its log odds.

pub(crate) mod candidates;
pub mod evidence;
pub(crate) mod pictures;
pub(crate) mod place;

use super::{CardFinder, FindError, panels::panels};
use crate::{
    card::CardOutline, classify::fusion::Fusion, overlap::mark_shared, refiner::RefinerNetwork,
    trace::Trace,
};
use candidates::{FinderNetwork, Found};
use place::{FittedTable, PoseFitter};
use setsight_nets::Kind;
use setsight_nets::engine::{Models, ModelsError};
use setsight_photo::Frame;
use setsight_photo::geometry::Point;
use std::sync::Arc;

/// Sizes and thresholds of the learned finder.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Long side of the photo in the usual pass, in pixels.
    pub long_side_px: f64,
    /// Long sides of the photo, in pixels, in further passes if the first detects few cards: for those
    /// that fill much of the photo.
    pub near_passes_px: [f64; 3],
    /// The same if it detects few cards, or small ones: for small cards.
    pub far_passes_px: [f64; 1],
    /// Threshold of the network's log odds for a card's peak.
    pub least_heat: f64,
    /// Threshold of the network's log odds for a symbol's peak.
    pub least_symbol_heat: f64,
    /// Non-maximum suppression: two centres closer than this, in short sides, are one card.
    pub apart: f64,
    /// Threshold of a candidate's log odds given all features. It is below 0 because the reader
    /// judges each card again.
    pub least_score: f64,
    /// Parameters of fitting corners.
    pub place: place::Params,
    /// Long side of the working image, in which borders are fitted, in pixels.
    pub working_px: f64,
    /// Shortest median card in the working image, in pixels; for shorter cards the image is
    /// enlarged.
    pub smallest_working_card_px: f64,
    /// Longest side of the working image, in pixels.
    pub largest_working_px: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            long_side_px: 320.0,
            near_passes_px: [200.0, 120.0, 72.0],
            far_passes_px: [640.0],
            least_heat: -2.0,
            least_symbol_heat: -1.0,
            apart: 0.42,
            least_score: -2.0,
            place: place::Params::default(),
            working_px: 800.0,
            smallest_working_card_px: 75.0,
            largest_working_px: 1600.0,
        }
    }
}

/// All intermediate results of one photo.
#[derive(Debug)]
pub struct Detections {
    /// The network's description of the photo.
    pub found: Found,
    /// The candidates with their fitted corners, in the order of `found`.
    pub fitted: FittedTable,
    /// The features of each candidate.
    pub features: Vec<[f64; evidence::FEATURES]>,
}

/// The finder that uses networks.
pub struct Learned {
    /// The detector.
    pub network: Box<dyn FinderNetwork>,
    /// Corrects and scores outlines; without it, the borders alone decide.
    pub refiner: Option<Arc<dyn RefinerNetwork>>,
    /// Sizes and thresholds.
    pub params: Params,
    /// Weights of an outline's features.
    pub weights: evidence::Weights,
    /// Whether panels of a drawing are looked for.
    pub with_panels: bool,
}

impl Learned {
    /// With the default parameters.
    pub fn new(
        network: Box<dyn FinderNetwork>,
        refiner: Option<Arc<dyn RefinerNetwork>>,
        weights: evidence::Weights,
    ) -> Self {
        Self { network, refiner, params: Params::default(), weights, with_panels: true }
    }

    /// Loads its network and weights. `refiner` is the network that it shares with the reader.
    ///
    /// # Errors
    /// The finder network is missing, or it or the weights are broken.
    pub fn load(
        models: &Models,
        refiner: Option<Arc<dyn RefinerNetwork>>,
    ) -> Result<Self, ModelsError> {
        let network = Box::new(models.network(Kind::Finder)?);
        Ok(Self::new(network, refiner, Fusion::outline_weights(models)?))
    }

    /// Detects cards and keeps all intermediate results. `None` for a photo too small to hold a
    /// card.
    ///
    /// # Errors
    /// See [`FindError`].
    pub fn detect(&self, frame: &Frame) -> Result<Option<Detections>, FindError> {
        const SMALLEST_PX: u32 = 16;
        if frame.width().min(frame.height()) < SMALLEST_PX {
            return Ok(None);
        }
        let found = Found::detect(frame, &*self.network, &self.params)?;
        let Found { working, symbols, .. } = &found;
        let fitter = PoseFitter { frame, working, symbols, params: &self.params.place };
        let fitted = fitter.fit(&found.cards, self.refiner.as_deref())?;
        let features = evidence::features(&found, &fitted);
        Ok(Some(Detections { found, fitted, features }))
    }
}

impl CardFinder for Learned {
    fn name(&self) -> &'static str {
        "learned"
    }

    fn find(&self, frame: &Frame, trace: &mut Trace<'_>) -> Result<Vec<CardOutline>, FindError> {
        let sections = Section::cut(frame.dimensions());
        let outlines = match &sections[..] {
            [_] => self.find_at_one_scale(frame, trace)?,
            _ => self.find_in_sections(frame, &sections, trace)?,
        };
        Ok(if self.with_panels { with_panels(outlines, frame) } else { outlines })
    }
}

impl Learned {
    fn find_at_one_scale(
        &self,
        frame: &Frame,
        trace: &mut Trace<'_>,
    ) -> Result<Vec<CardOutline>, FindError> {
        let Some(detections) = self.detect(frame)? else { return Ok(Vec::new()) };
        trace.picture("heat", || pictures::heat(&detections))?;
        trace.picture("places", || pictures::places(frame, &detections, &self.weights))?;
        Ok(outlines(&detections, &self.params, &self.weights))
    }

    /// Detects the cards of each section at a scale and on a plane that suit it. A card in the overlap of two
    /// sections counts where its centre is further inside.
    fn find_in_sections(
        &self,
        frame: &Frame,
        sections: &[Section],
        trace: &mut Trace<'_>,
    ) -> Result<Vec<CardOutline>, FindError> {
        /// Part of the smaller one that two outlines of one card have in common.
        const SAME: f64 = 0.5;
        let mut found: Vec<CardOutline> = Vec::new();
        for section in sections {
            let outlines = self.find_at_one_scale(&section.crop(frame), trace)?;
            let in_frame = outlines.into_iter().map(|outline| section.in_frame(outline));
            found.extend(in_frame.filter(|outline| section.is_nearest(outline)));
        }
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        let mut kept: Vec<CardOutline> = Vec::new();
        for outline in found {
            let quad = outline.corners_in_image;
            if kept.iter().all(|other| other.corners_in_image.shared_area(&quad) < SAME) {
                kept.push(outline);
            }
        }
        mark_shared(&mut kept);
        Ok(kept)
    }
}

/// Whether a picture is longer than any camera takes it and any phone's screen is, in pixels: it is read in sections.
pub(crate) fn is_long((width, height): (u32, u32)) -> bool {
    const MOST_ELONGATED: f64 = 2.5;
    let (long, short) = (width.max(height), width.min(height));
    short > 0 && f64::from(long) > MOST_ELONGATED * f64::from(short)
}

/// A part of a long picture, such as a screenshot of a page that was scrolled: at the scale of the whole picture
/// its cards are too small to be detected, and its boards need not lie on one plane.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Section {
    /// The first pixel.
    offset_px: (u32, u32),
    size_px: (u32, u32),
    /// From where to where along the long side a card's centre belongs to this section, in pixels of the picture.
    centres_px: (f64, f64),
}

impl Section {
    /// Cuts a picture so that each section is twice as long as wide and shares half its length with the next one; a
    /// picture that is hardly longer than that stays whole.
    fn cut((width, height): (u32, u32)) -> Vec<Self> {
        /// Centres a little beyond the middle of an overlap belong to both sections, in short sides: the two
        /// detections of a card differ by less.
        const TOLERANCE: f64 = 0.05;
        let (long, short) = (width.max(height), width.min(height));
        let (count, length) = match is_long((width, height)) {
            true => ((long - short).div_ceil(short), 2 * short),
            false => (1, long),
        };
        let first = |i: u32| match count {
            1 => 0,
            _ => (u64::from(long - length) * u64::from(i) / u64::from(count - 1)) as u32,
        };
        let along = |along, across| if width > height { (along, across) } else { (across, along) };
        let border = |i: u32| f64::from(first(i) + first(i - 1) + length) / 2.0;
        let tolerance = TOLERANCE * f64::from(short);
        let sections = (0..count).map(|i| Self {
            offset_px: along(first(i), 0),
            size_px: along(length, short),
            centres_px: (
                if i == 0 { f64::MIN } else { border(i) - tolerance },
                if i + 1 == count { f64::MAX } else { border(i + 1) + tolerance },
            ),
        });
        sections.collect()
    }

    fn crop(&self, frame: &Frame) -> Frame {
        let ((x, y), (width, height)) = (self.offset_px, self.size_px);
        image::imageops::crop_imm(frame, x, y, width, height).to_image()
    }

    fn in_frame(&self, outline: CardOutline) -> CardOutline {
        let offset = Point::new(f64::from(self.offset_px.0), f64::from(self.offset_px.1));
        CardOutline { corners_in_image: outline.corners_in_image.map(|p| p + offset), ..outline }
    }

    fn is_nearest(&self, outline: &CardOutline) -> bool {
        let centre = outline.corners_in_image.center();
        let along = if self.size_px.0 > self.size_px.1 { centre.x } else { centre.y };
        (self.centres_px.0..self.centres_px.1).contains(&along)
    }
}

/// The candidates whose log odds reach the threshold, the likeliest first.
pub(crate) fn outlines(
    detections: &Detections,
    params: &Params,
    weights: &evidence::Weights,
) -> Vec<CardOutline> {
    let mut outlines: Vec<CardOutline> = detections
        .fitted
        .cards
        .iter()
        .zip(&detections.features)
        .map(|(card, features)| CardOutline {
            score: evidence::log_odds(features, weights),
            ..CardOutline::at(
                detections.found.working.in_image(&card.refined.quad).higher_corner_first(),
            )
        })
        .filter(|outline| outline.score >= params.least_score)
        .collect();
    outlines.sort_by(|a, b| b.score.total_cmp(&a.score));
    mark_shared(&mut outlines);
    outlines
}

/// Replaces the detections on a drawing's panels by the panels.
fn with_panels(mut outlines: Vec<CardOutline>, frame: &Frame) -> Vec<CardOutline> {
    /// Part of the smaller one that an outline and the panel that it means have in common.
    const SAME: f64 = 0.5;
    /// Log odds that a panel is a card: the reader must find ink on it.
    const PANEL_SCORE: f64 = 2.0;
    let likely = outlines.iter().filter(|outline| outline.score > 0.0).count();
    let panels = panels(frame, likely);
    for panel in &panels {
        let is_on = |outline: &CardOutline| outline.corners_in_image.shared_area(panel) >= SAME;
        let best = outlines.iter().filter(|outline| is_on(outline)).map(|outline| outline.score);
        let score = best.fold(PANEL_SCORE, f64::max);
        outlines.retain(|outline| !is_on(outline));
        outlines.push(CardOutline { score, ..CardOutline::at(panel.higher_corner_first()) });
    }
    outlines.sort_by(|a, b| b.score.total_cmp(&a.score));
    mark_shared(&mut outlines);
    outlines
}

#[cfg(test)]
mod tests;
