//! Runs a detection on one frame: the finder on the whole frame, the reader on cards that need it.

use crate::card::Track;
use setsight_photo::Frame;
use setsight_photo::geometry::{Homography, Point, Quad};
use setsight_vision::{CardOutline, Pipeline, PipelineError, Reading, TableFacts, Trace};

/// Finds and reads the cards of frames: a [`Pipeline`], or a fake in a test.
pub trait Detector: Send + Sync {
    /// Finds all cards of a frame.
    fn find(&self, frame: &Frame) -> Result<Vec<CardOutline>, PipelineError>;
    /// Reads the cards at some outlines of a frame, given the prior for the table's facts; also returns
    /// the posterior.
    fn read(
        &self,
        frame: &Frame,
        outlines: &[CardOutline],
        before: TableFacts,
        trace: &mut Trace<'_>,
    ) -> Result<(Vec<Reading>, TableFacts), PipelineError>;
}

impl Detector for Pipeline {
    fn find(&self, frame: &Frame) -> Result<Vec<CardOutline>, PipelineError> {
        Ok(self.finder.find(frame, &mut Trace::default())?)
    }
    fn read(
        &self,
        frame: &Frame,
        outlines: &[CardOutline],
        before: TableFacts,
        trace: &mut Trace<'_>,
    ) -> Result<(Vec<Reading>, TableFacts), PipelineError> {
        let read = self.read_cards(frame, outlines, before, trace)?;
        Ok((read.readings, read.facts))
    }
}

/// A tracker's request for a detection.
#[derive(Clone, Debug)]
pub struct Request {
    /// Number that identifies the request.
    pub number: u64,
    /// The tracked cards.
    pub tracked: Vec<TrackedCard>,
    /// The prior for the table's facts.
    pub facts: TableFacts,
}

/// A tracked card.
#[derive(Clone, Copy, Debug)]
pub struct TrackedCard {
    /// The track's identity.
    pub id: u64,
    /// Its expected corners, in pixels of the frame.
    pub quad: Quad,
    /// Whether it should be read again.
    pub read: bool,
    /// Whether its picture is unchanged.
    pub unchanged: bool,
    /// Colour of the table around it.
    pub ground: Option<Ground>,
}

impl TrackedCard {
    /// A card that need not be read.
    pub(super) fn from_track(track: &Track) -> Self {
        let Track { id, quad, ground, hidden, .. } = *track;
        Self { id, quad, read: false, unchanged: !hidden, ground }
    }
}

/// The results of a detection.
#[derive(Clone, Debug)]
pub struct Detections {
    /// Number of the [`Request`].
    pub number: u64,
    /// The cards in the frame.
    pub cards: Vec<Detection>,
    /// Tracked cards that were not found and whose place resembles the table.
    pub bare: Vec<u64>,
    /// How many cards were read.
    pub read: usize,
    /// The table's facts given these readings.
    pub facts: TableFacts,
}

/// A detected card.
#[derive(Clone, Debug)]
pub struct Detection {
    /// Its outline, in pixels of the frame of the detection.
    pub outline: CardOutline,
    /// Identity of the tracked card at that place, if any.
    pub track: Option<u64>,
    /// Its reading, if the reader ran on it.
    pub reading: Option<Reading>,
    /// Colour of the table around it.
    pub ground: Option<Ground>,
}

/// Colour of a piece of table, 0 to 255 for each channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Mean of R, G, B.
    pub mean: [f32; 3],
    /// Standard deviation of R, G, B.
    pub spread: [f32; 3],
}

/// Number of other cards read along with a new one, for readers that judge the colours of cards
/// together.
const COMPANY: usize = 4;
/// Largest distance between a card and its expected place, as a share of its long side.
const NEAR: f64 = 0.42;

/// Runs a detection on a frame.
///
/// # Errors
/// The finder or the reader failed.
pub fn detect(
    detector: &dyn Detector,
    frame: &Frame,
    ask: &Request,
    trace: &mut Trace<'_>,
) -> Result<Detections, PipelineError> {
    let outlines = trace.stage("segment", |_| detector.find(frame))?;
    let places = places(&outlines, &ask.tracked);
    let tracked = |i: usize| places[i].map(|k| &ask.tracked[k]);
    let mut wanted: Vec<usize> =
        (0..outlines.len()).filter(|&i| tracked(i).is_none_or(|card| card.read)).collect();
    if !wanted.is_empty() {
        let spare = (0..outlines.len())
            .filter(|&i| tracked(i).is_some_and(|card| !card.read && card.unchanged));
        let company: Vec<usize> = spare.take(COMPANY.saturating_sub(wanted.len() - 1)).collect();
        wanted.extend(company);
    }
    let chosen: Vec<CardOutline> = wanted.iter().map(|&i| outlines[i].clone()).collect();
    let (readings, facts) = detector.read(frame, &chosen, ask.facts.clone(), trace)?;
    let mut read: Vec<Option<Reading>> = vec![None; outlines.len()];
    for (&i, reading) in wanted.iter().zip(readings) {
        read[i] = Some(reading);
    }
    let unmatched = ask.tracked.iter().enumerate().filter(|(k, _)| !places.contains(&Some(*k)));
    let bare =
        unmatched.filter(|(_, card)| is_bare(frame, card)).map(|(_, card)| card.id).collect();
    let quads: Vec<Quad> = outlines.iter().map(|o| o.corners_in_image).collect();
    let cards = outlines
        .into_iter()
        .zip(&places)
        .zip(read)
        .enumerate()
        .map(|(i, ((outline, place), reading))| {
            let tracked = place.map(|k| &ask.tracked[k]);
            let is_unchanged = tracked.is_none_or(|card| card.unchanged);
            let ground = is_unchanged.then(|| ground_around(frame, i, &quads)).flatten();
            // Other cards are read only to support the new ones: discard their readings.
            let reading = reading.filter(|_| tracked.is_none_or(|card| card.read));
            Detection { outline, track: tracked.map(|card| card.id), reading, ground }
        })
        .collect();
    Ok(Detections { number: ask.number, cards, bare, read: wanted.len(), facts })
}

/// For each outline, the index of the tracked card at that place; the nearest pairs are matched
/// first.
pub(super) fn places(outlines: &[CardOutline], tracked: &[TrackedCard]) -> Vec<Option<usize>> {
    let mut pairs = Vec::new();
    for (i, outline) in outlines.iter().enumerate() {
        let quad = &outline.corners_in_image;
        for (k, card) in tracked.iter().enumerate() {
            let off = quad.center().distance(card.quad.center()) / card.quad.long_side().max(1.0);
            if off < NEAR {
                pairs.push((off, i, k));
            }
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut places = vec![None; outlines.len()];
    let mut taken = vec![false; tracked.len()];
    for (_, i, k) in pairs {
        if places[i].is_none() && !taken[k] {
            places[i] = Some(k);
            taken[k] = true;
        }
    }
    places
}

/// Colour at points of a quad's unit square, where (0, 0) and (1, 1) are opposite corners.
fn ground(frame: &Frame, quad: &Quad, points: impl Iterator<Item = Point>) -> Option<Ground> {
    let image_from_unit = Homography::between(&Quad::rectangle(1.0, 1.0), quad)?;
    let (width, height) = (f64::from(frame.width()), f64::from(frame.height()));
    let (mut n, mut sum, mut squares) = (0.0f32, [0.0f32; 3], [0.0f32; 3]);
    for point in points {
        let p = image_from_unit.apply(point);
        if !(p.x >= 0.0 && p.y >= 0.0 && p.x < width && p.y < height) {
            continue;
        }
        let pixel = frame.get_pixel(p.x as u32, p.y as u32).0;
        n += 1.0;
        for c in 0..3 {
            let v = f32::from(pixel[c]);
            sum[c] += v;
            squares[c] += v * v;
        }
    }
    if n < 12.0 {
        return None;
    }
    let mean = sum.map(|s| s / n);
    let spread = std::array::from_fn(|c| (squares[c] / n - mean[c] * mean[c]).max(0.0).sqrt());
    Some(Ground { mean, spread })
}

/// Colour of the table around a card: points slightly outside its border that lie in no other card.
fn ground_around(frame: &Frame, index: usize, quads: &[Quad]) -> Option<Ground> {
    const STEPS: usize = 16;
    let quad = &quads[index];
    let image_from_unit = Homography::between(&Quad::rectangle(1.0, 1.0), quad)?;
    let neighbours: Vec<&Quad> = quads
        .iter()
        .enumerate()
        .filter(|&(j, other)| {
            j != index && other.center().distance(quad.center()) < 2.5 * quad.long_side()
        })
        .map(|(_, other)| other)
        .collect();
    let ring = (0..STEPS).flat_map(|i| {
        let t = (i as f64 + 0.5) / STEPS as f64;
        // Far enough to be beyond the card's own shadow on either side.
        let (a, b) = (-0.09, 1.09);
        [Point::new(t, a), Point::new(t, b), Point::new(a, t), Point::new(b, t)]
    });
    let free = ring.filter(|&p| {
        let at = image_from_unit.apply(p);
        !neighbours.iter().any(|other| {
            let center = other.center();
            Quad::new(other.0.map(|c| center.lerp(c, 1.06))).contains(at)
        })
    });
    ground(frame, quad, free)
}

/// Whether the place of a card resembles the table around it.
fn is_bare(frame: &Frame, card: &TrackedCard) -> bool {
    const SIDE: usize = 10;
    let Some(around) = card.ground else { return false };
    let inner = (0..SIDE * SIDE).map(|i| {
        let at = |k: usize| 0.1 + 0.8 * (k as f64 + 0.5) / SIDE as f64;
        Point::new(at(i % SIDE), at(i / SIDE))
    });
    ground(frame, &card.quad, inner).is_some_and(|now| now.is_like(&around))
}

impl Ground {
    /// Whether this may be the same table: shadow changes the brightness, but hardly the colour.
    fn is_like(&self, table: &Self) -> bool {
        let sum = |ground: &Self| ground.mean.iter().sum::<f32>().max(3.0);
        let (here, around) = (sum(self), sum(table));
        let ratio = here / around;
        let spread = |ground: &Self| ground.spread.iter().sum::<f32>() / 3.0;
        // Tolerate a place in the sun or under a hand's shadow, and the table's own unevenness.
        let leeway = (1.25 + 2.0 * spread(table) * 3.0 / around).min(1.6);
        // As rough as the table, not rougher (a card's symbols) or smoother (a hand on a striped
        // cloth).
        let even =
            spread(self) < 1.8 * spread(table) + 9.0 && spread(self) > 0.45 * spread(table) - 4.0;
        let hue = (0..3)
            .map(|c| (self.mean[c] / here - table.mean[c] / around).abs())
            .fold(0.0, f32::max);
        even && hue < 0.035 && ratio < leeway && ratio > 0.55 / leeway
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};

    fn card(x: f64, y: f64) -> Quad {
        Quad::new(Quad::rectangle(90.0, 60.0).0.map(|p| p + Point::new(x, y)))
    }

    fn tracked(id: u64, quad: Quad, read: bool, ground: Option<Ground>) -> TrackedCard {
        TrackedCard { id, quad, read, unchanged: true, ground }
    }

    fn outline(quad: Quad) -> CardOutline {
        CardOutline { score: 3.0, ..CardOutline::at(quad) }
    }

    /// Finds the given quads, and counts the cards that it reads.
    struct FakeDetector(Vec<Quad>);
    impl Detector for FakeDetector {
        fn find(&self, _: &Frame) -> Result<Vec<CardOutline>, PipelineError> {
            Ok(self.0.iter().copied().map(outline).collect())
        }
        fn read(
            &self,
            _: &Frame,
            outlines: &[CardOutline],
            f: TableFacts,
            _: &mut Trace<'_>,
        ) -> Result<(Vec<Reading>, TableFacts), PipelineError> {
            Ok((vec![Reading::UNKNOWN; outlines.len()], f))
        }
    }

    #[test]
    fn only_new_and_unsettled_cards_are_read_and_new_ones_in_company() {
        let frame = RgbImage::from_pixel(640, 360, Rgb([60, 90, 50]));
        let here: Vec<Quad> = (0..4).map(|i| card(30.0 + 120.0 * f64::from(i), 40.0)).collect();
        let ask = |read: bool| Request {
            number: 7,
            tracked: (0..4).map(|i| tracked(i as u64, here[i], read, None)).collect(),
            facts: TableFacts::default(),
        };
        let mut trace = Trace::default();
        let settled = detect(&FakeDetector(here.clone()), &frame, &ask(false), &mut trace).unwrap();
        assert_eq!((settled.number, settled.read), (7, 0));
        assert!(settled.cards.iter().all(|card| card.reading.is_none()));
        let all = detect(&FakeDetector(here.clone()), &frame, &ask(true), &mut trace).unwrap();
        assert_eq!(all.read, 4);
        let mut more = here.clone();
        more.push(card(200.0, 200.0));
        let new = detect(&FakeDetector(more), &frame, &ask(false), &mut trace).unwrap();
        assert_eq!(new.read, 5, "one new card and company");
        let read: Vec<bool> = new.cards.iter().map(|card| card.reading.is_some()).collect();
        assert_eq!(read, [false, false, false, false, true]);
        assert_eq!(new.cards[4].track, None);
        let ids: Vec<_> = settled.cards.iter().map(|card| card.track).collect();
        assert_eq!(ids, [Some(0), Some(1), Some(2), Some(3)]);
    }

    #[test]
    fn the_bare_table_is_distinguished_from_a_hand() {
        let table = |x: u32, y: u32| Rgb([110 + ((x * 7 + y * 3) % 12) as u8, 80, 50]);
        let quad = card(200.0, 100.0);
        let with_card = RgbImage::from_fn(640, 360, |x, y| {
            let p = Point::new(f64::from(x), f64::from(y));
            if quad.contains(p) { Rgb([230; 3]) } else { table(x, y) }
        });
        let ground = ground_around(&with_card.clone(), 0, &[quad]);
        let card = tracked(1, quad, false, ground);
        assert!(ground.is_some());
        assert!(!is_bare(&with_card, &card));
        let bare = RgbImage::from_fn(640, 360, table);
        assert!(is_bare(&bare, &card));
        let hand = RgbImage::from_pixel(640, 360, Rgb([205, 150, 125]));
        assert!(!is_bare(&hand, &card));
    }
}
