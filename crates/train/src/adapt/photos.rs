//! A person's labelled photos and crops for training and evaluation; for the finder each photo scaled and cropped
//! at random, with its cards.

use crate::finder::{scenes::Drawn, target::SeenCard};
use crate::reader::labelled_crops::{
    CropsError, LabelledTable, labelled_folders, samples_of_crops, samples_of_photo,
};
use crate::reader::sample::Sample;
use rayon::prelude::*;
use setsight_game::cards::{Card, Edition, deck::Deck};
use setsight_labels::{LabelledPhoto, checked_photos, compare};
use setsight_photo::geometry::{Homography, Point, Quad, grid_center};
use setsight_photo::labels::{CROP_LABELS, CardLabel, DatasetError, PHOTO_LABELS, has_labels};
use setsight_photo::numeric::median;
use setsight_photo::print::dice::{Dice, Purpose};
use setsight_photo::source::{self, Photo, SourceError};
use setsight_photo::{Frame, pixels::resized};
use setsight_vision::{Pipeline, PipelineError, TableReading, Trace};
use std::{path::PathBuf, sync::Arc};

/// Why photos cannot be used for training.
#[derive(Debug, thiserror::Error)]
pub enum PhotoError {
    /// Labels are missing or wrong.
    #[error("{0}")]
    Labels(#[from] DatasetError),
    /// Crops that cannot be used.
    #[error(transparent)]
    Crops(#[from] CropsError),
    /// A photo that cannot be read.
    #[error("{}: {source}", .path.display())]
    Photo { path: PathBuf, source: SourceError },
    #[error(
        "{}: is {found_px:?} pixels as stored, but its labels are of {labelled_px:?}; they are of \
         another photo, or it was scaled: label it as it is", .path.display()
    )]
    OtherPhoto { path: PathBuf, found_px: (u32, u32), labelled_px: (u32, u32) },
    #[error(
        "{}: card {first} and card {second} are labelled at the same place, as {codes:?}: remove one of them",
        .path.display()
    )]
    Contradiction { path: PathBuf, first: usize, second: usize, codes: [String; 2] },
    /// The pipeline fails on a photo.
    #[error("{}: {source}", .path.display())]
    Read { path: PathBuf, source: PipelineError },
    #[error(
        "labelled cards: {cards}, different tables: {scenes}; that is too little to learn from: label at least \
         {LEAST_CARDS} cards in {LEAST_SCENES} photos of different tables, or as many crops; a photo counts \
         once somebody has said that all its cards are right"
    )]
    TooFew { cards: usize, scenes: usize },
}

/// Minimum number of cards. A gain on fewer could be chance.
pub const LEAST_CARDS: usize = 12;
/// Minimum number of scenes: one for training, one held out.
pub const LEAST_SCENES: usize = 2;

/// A labelled photo or crop that is used for training or held out as a whole.
#[derive(Clone, Debug)]
pub struct TrainingPhoto {
    /// The photo and its labels; `None` for a crop.
    pub photo: Option<LabelledPhoto>,
    /// Its cards' codes.
    pub cards: Vec<Card>,
    /// The labelled edition; a detected one can replace the default.
    pub edition: Edition,
    /// Whether it is mirrored, according to the labels or the pipeline.
    pub mirrored: bool,
    /// The crops cut from it for training.
    pub samples: Vec<Sample>,
    /// The photo as training data for the finder; `None` for a crop.
    pub table: Option<TrainingTable>,
    /// Labelled cards that the finder missed, plus its detections without a label.
    pub finder_errors: usize,
    /// Labelled cards without corners at which no outline was found.
    pub without_place: usize,
}

impl TrainingPhoto {
    /// Its file as its labels name it; empty for a crop.
    pub fn file(&self) -> &str {
        self.photo.as_ref().map_or("", |photo| &photo.label.file)
    }
}

/// Reads all labelled data in some folders: crops, and photos with corners or with centres only.
/// Where corners are missing, the pipeline's outlines are used.
pub fn gather(
    folders: &[PathBuf],
    pipeline: &Pipeline,
    edition_of: &dyn Fn(&str) -> Edition,
    seed: u64,
) -> Result<Vec<TrainingPhoto>, PhotoError> {
    let mut all = Vec::new();
    for folder in folders {
        for folder in labelled_folders(folder)? {
            let name = folder.file_name().map(|n| n.to_string_lossy().into_owned());
            let edition = edition_of(&name.unwrap_or_default());
            if has_labels(&folder, CROP_LABELS) {
                let (samples, _) = samples_of_crops(&folder, edition, seed)?;
                all.extend(samples.into_iter().map(|samples| from_crop(samples, edition)));
            }
            if has_labels(&folder, PHOTO_LABELS) {
                // Unchecked photos are not learnt from.
                let photos = checked_photos(&folder)?.into_par_iter().enumerate();
                let photos = photos
                    .map(|(i, photo)| from_photo(photo, pipeline, seed.wrapping_add(i as u64)));
                all.extend(photos.collect::<Result<Vec<_>, PhotoError>>()?);
            }
        }
    }
    Ok(all)
}

fn from_crop(samples: Vec<Sample>, edition: Edition) -> TrainingPhoto {
    let cards = samples.iter().filter_map(|sample| sample.label.card()).take(1).collect();
    TrainingPhoto {
        photo: None,
        cards,
        edition,
        mirrored: false,
        samples,
        table: None,
        finder_errors: 0,
        without_place: 0,
    }
}

fn from_photo(
    photo: LabelledPhoto,
    pipeline: &Pipeline,
    seed: u64,
) -> Result<TrainingPhoto, PhotoError> {
    let (loaded, read) = load_and_read(&photo, pipeline)?;
    let labels = photo.label.cards_in(&loaded);
    let matched = compare(&labels, &read.cards);
    let places: Vec<Option<Quad>> = labels
        .iter()
        .zip(&matched.reading_of_label)
        .map(|(label, found)| label.corners.or(found.map(|j| read.cards[j].corners_in_image)))
        .collect();
    if let Some((first, second)) = at_one_place(&labels, &places) {
        let codes = [first, second].map(|i| labels[i].code.to_string());
        let (first, second) = (first + 1, second + 1);
        return Err(PhotoError::Contradiction { path: photo.path.clone(), first, second, codes });
    }
    let labelled = labels.iter().zip(&places);
    let placed: Vec<(Card, Quad)> =
        labelled.clone().filter_map(|(label, place)| Some((label.code, (*place)?))).collect();
    let unplaced: Vec<Point> =
        labelled.filter(|(_, place)| place.is_none()).map(|(label, _)| label.center).collect();
    let missed = matched.reading_of_label.iter().filter(|reading| reading.is_none()).count();
    // The classic edition is the labels' default, so a detection of rectangles overrides it. In a
    // deck that the program does not know, a person chose which codes the cards have.
    let edition = match (Edition::named(&photo.label.deck), read.edition()) {
        (Some(Edition::Classic), Edition::Rectangles) => Edition::Rectangles,
        (Some(labelled_edition), _) => labelled_edition,
        (None, _) => Edition::Unknown,
    };
    let mirrored = photo.label.mirrored || read.is_mirrored();
    let false_outlines: Vec<Quad> =
        matched.false_cards.iter().map(|&j| read.cards[j].corners_in_image).collect();
    let table =
        LabelledTable { cards: &placed, possible_cards: &false_outlines, edition, mirrored };
    let samples = samples_of_photo(&loaded.frame, &table, seed);
    let table = TrainingTable::new(&loaded.frame, &placed, &unplaced, edition);
    Ok(TrainingPhoto {
        cards: labels.iter().map(|label| label.code).collect(),
        without_place: labels.len() - placed.len(),
        edition,
        mirrored,
        samples,
        table,
        finder_errors: missed + matched.false_cards.len(),
        photo: Some(photo),
    })
}

/// A labelled photo, and its reading.
fn load_and_read(
    photo: &LabelledPhoto,
    pipeline: &Pipeline,
) -> Result<(Photo, TableReading), PhotoError> {
    let loaded = source::load_photo(&photo.path)
        .map_err(|source| PhotoError::Photo { path: photo.path.clone(), source })?;
    let (found_px, labelled_px) =
        ((loaded.stored_width, loaded.stored_height), (photo.label.width, photo.label.height));
    if found_px != labelled_px {
        return Err(PhotoError::OtherPhoto { path: photo.path.clone(), found_px, labelled_px });
    }
    let read = pipeline
        .read(&loaded.frame, &mut Trace::default())
        .map_err(|source| PhotoError::Read { path: photo.path.clone(), source })?;
    Ok((loaded, read.table))
}

/// Two labels at one place: their centres are closer than cards in a heap ever are.
fn at_one_place(labels: &[CardLabel], places: &[Option<Quad>]) -> Option<(usize, usize)> {
    /// Threshold relative to the card's long side.
    const APART: f64 = 0.08;
    let pairs = (0..labels.len()).flat_map(|i| (i + 1..labels.len()).map(move |j| (i, j)));
    pairs.into_iter().find(|&(i, j)| {
        let distance = labels[i].center.distance(labels[j].center);
        [i, j]
            .into_iter()
            .filter_map(|k| places[k].as_ref())
            .any(|quad| distance < APART * quad.long_side())
    })
}

/// The scene of each photo, counted from 0: photos that share most of their cards show one scene,
/// and each crop is a scene of its own.
pub fn scenes(photos: &[TrainingPhoto]) -> Vec<usize> {
    /// Intersection over union of two photos' cards from which they show the same scene.
    const SAME: f64 = 0.6;
    let mut scenes: Vec<usize> = Vec::with_capacity(photos.len());
    let mut count = 0;
    for (i, photo) in photos.iter().enumerate() {
        let same = (0..i).find(|&j| {
            let (a, b) = (&photo.cards, &photos[j].cards);
            let both = a.iter().filter(|card| b.contains(card)).count();
            let either = a.len() + b.len() - both;
            photo.photo.is_some() && photos[j].photo.is_some() && both as f64 > SAME * either as f64
        });
        scenes.push(same.map_or(count, |j| scenes[j]));
        count += usize::from(same.is_none());
    }
    scenes
}

/// Long side of the median card in the stored picture, in pixels: the largest size that is shown.
const KEPT_CARD_PX: f64 = 75.0;
/// Range of the median card's long side in training pictures, in pixels.
const SHOWN_CARD_PX: (f64, f64) = (34.0, 75.0);
/// Stated fraction in view of a card without known corners; at this value it is optional for the
/// finder.
const EITHER: f64 = 0.2;
/// Why resizing cannot fail.
const WHOLE: &str = "a picture holds all of its pixels";

/// A labelled photo, downscaled.
#[derive(Clone, Debug)]
pub struct TrainingTable {
    size_px: (u32, u32),
    rgb: Vec<u8>,
    /// Long side of its median card, in pixels of the stored picture.
    card_px: f64,
    cards: Vec<SeenCard>,
}

impl TrainingTable {
    /// From a photo with its cards' corners, and the centres of cards without known corners, in
    /// pixels of the upright photo. There is no table if no card has corners.
    pub(crate) fn new(
        frame: &Frame,
        placed: &[(Card, Quad)],
        unplaced: &[Point],
        edition: Edition,
    ) -> Option<Self> {
        let median = median(placed.iter().map(|(_, quad)| quad.long_side()))?;
        let scale = (KEPT_CARD_PX / median).min(1.0);
        let deck = edition.deck().unwrap_or_else(Deck::classic);
        let mut cards: Vec<SeenCard> =
            placed.iter().map(|(card, quad)| uncovered_card(*card, quad, &deck)).collect();
        cards.extend(unplaced.iter().map(|&center| {
            let corners = Quad::unit_card().map(|p| center + p * median);
            SeenCard { card: Card::from_index(0), corners, in_view: EITHER, symbols: Vec::new() }
        }));
        let (width, height) = frame.dimensions();
        let size_px = scaled_size((width, height), scale);
        let rgb = resized(frame.as_raw(), (width, height), size_px).expect(WHOLE);
        let cards = cards.iter().map(|card| moved(card, scale)).collect();
        Some(Self { size_px, rgb, card_px: median * scale, cards })
    }

    /// The `index`-th training picture, `size_px` columns and rows. The cards get a random size;
    /// the scaled photo is cropped if it is too large, and its border is repeated if it is too
    /// small.
    pub(crate) fn shown(&self, seed: u64, index: u64, size_px: (u32, u32)) -> Drawn {
        let mut dice = Dice::new(seed, index, Purpose::Ranges);
        let (low, high) = SHOWN_CARD_PX;
        let scale = dice.between(low.ln(), high.ln()).exp() / self.card_px;
        let scaled_px = scaled_size(self.size_px, scale);
        let pixels = resized(&self.rgb, self.size_px, scaled_px).expect(WHOLE);
        let [left, top] =
            [(scaled_px.0, size_px.0), (scaled_px.1, size_px.1)].map(|(scaled, shown)| {
                ((f64::from(scaled) - f64::from(shown)) * dice.unit()).round() as i64
            });
        let mut rgb = Vec::with_capacity(3 * (size_px.0 * size_px.1) as usize);
        for y in 0..i64::from(size_px.1) {
            let y = (y + top).clamp(0, i64::from(scaled_px.1) - 1);
            for x in 0..i64::from(size_px.0) {
                let x = (x + left).clamp(0, i64::from(scaled_px.0) - 1);
                let at = 3 * (y * i64::from(scaled_px.0) + x) as usize;
                rgb.extend_from_slice(&pixels[at..at + 3]);
            }
        }
        let shift = Point::new(-left as f64, -top as f64);
        Drawn {
            size_px: (size_px.0 as usize, size_px.1 as usize),
            rgb: Arc::from(rgb),
            gain: [1.0; 3],
            mirrored: [false; 2],
            cards: self
                .cards
                .iter()
                .map(|card| cropped(moved(card, scale), shift, size_px))
                .collect(),
            lookalikes: Vec::new(),
        }
    }

    /// The pixels, for a fingerprint.
    pub(crate) fn pixels(&self) -> &[u8] {
        &self.rgb
    }
}

/// An uncovered card, with symbols where its deck prints them.
fn uncovered_card(card: Card, quad: &Quad, deck: &Deck) -> SeenCard {
    let corners = quad.as_card();
    let symbols = Homography::between(&Quad::unit_card(), &corners).map(|image_from_card| {
        let centers = deck.symbol_centers(card.number).into_iter();
        centers.map(|x| (image_from_card.apply(Point::new(x, 0.0)), 1.0)).collect()
    });
    SeenCard { card, corners, in_view: 1.0, symbols: symbols.unwrap_or_default() }
}

fn moved(card: &SeenCard, scale: f64) -> SeenCard {
    let symbols = card.symbols.iter().map(|&(p, in_view)| (p * scale, in_view)).collect();
    SeenCard { corners: card.corners.scaled(scale), symbols, ..*card }
}

/// A card of a cropped picture: shifted, and in view where it lies inside.
fn cropped(card: SeenCard, shift: Point, size_px: (u32, u32)) -> SeenCard {
    let corners = card.corners.map(|p| p + shift);
    let points = card.symbols.iter().map(|&(p, _)| p + shift);
    let symbols = points.map(|p| (p, f64::from(u8::from(inside(p, size_px))))).collect();
    let in_view = card.in_view * part_inside(&corners, size_px);
    SeenCard { corners, symbols, in_view, ..card }
}

fn inside(p: Point, size_px: (u32, u32)) -> bool {
    p.x >= 0.0 && p.y >= 0.0 && p.x < f64::from(size_px.0) && p.y < f64::from(size_px.1)
}

fn scaled_size((width, height): (u32, u32), scale: f64) -> (u32, u32) {
    let [width, height] = [width, height].map(|px| (f64::from(px) * scale).round().max(1.0) as u32);
    (width, height)
}

/// Fraction of a card inside the picture, measured on a grid of points.
fn part_inside(quad: &Quad, size_px: (u32, u32)) -> f64 {
    const GRID: usize = 8;
    let Some(image_from_card) = Homography::between(&Quad::unit_card(), quad) else {
        return 0.0;
    };
    let points = (0..GRID * GRID).map(|i| grid_center(i, GRID) - Point::new(0.5, 0.5));
    let count = points.filter(|p| inside(image_from_card.apply(*p), size_px)).count();
    count as f64 / (GRID * GRID) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};
    use setsight_photo::labels::PhotoLabel;

    fn photo(codes: &str) -> TrainingPhoto {
        let label = PhotoLabel {
            file: "a.jpg".into(),
            width: 4,
            height: 3,
            tags: Vec::new(),
            deck: "classic".into(),
            mirrored: false,
            cards: Vec::new(),
        };
        TrainingPhoto {
            photo: Some(LabelledPhoto { path: "a.jpg".into(), label, source: "own".into() }),
            cards: codes.split(' ').map(|code| code.parse().unwrap()).collect(),
            edition: Edition::Classic,
            mirrored: false,
            samples: Vec::new(),
            table: None,
            finder_errors: 0,
            without_place: 0,
        }
    }

    #[test]
    fn photos_of_one_table_share_a_scene_and_each_crop_is_one() {
        let (one, again) = (photo("1fgd 2fgd 3fgd 1srd"), photo("1srd 3fgd 2fgd 1fgd 2srd"));
        let mut crop = photo("1fgd");
        crop.photo = None;
        let photos = [one, photo("1ord 2ord 3ord 1fgd"), again, crop.clone(), crop];
        assert_eq!(scenes(&photos), [0, 1, 0, 2, 3]);
    }

    /// A grey table of 1,200 x 900 pixels with a white card of 200 x 128 at (500, 400).
    fn table() -> TrainingTable {
        let mut image = RgbImage::from_pixel(1_200, 900, Rgb([90; 3]));
        let corner = Point::new(500.0, 400.0);
        for (x, y, pixel) in image.enumerate_pixels_mut() {
            if (500..700).contains(&x) && (400..528).contains(&y) {
                *pixel = Rgb([250; 3]);
            }
        }
        let quad = Quad::rectangle(200.0, 128.0).map(|p| p + corner);
        let card = "3fgd".parse().unwrap();
        let unplaced = [Point::new(900.0, 200.0)];
        TrainingTable::new(&image, &[(card, quad)], &unplaced, Edition::Classic).unwrap()
    }

    #[test]
    fn a_card_is_shown_where_its_label_says() {
        let table = table();
        let (mut complete, mut cut) = (0, 0);
        for index in 0..40 {
            let shown = table.shown(1, index, (320, 256));
            assert_eq!(shown, table.shown(1, index, (320, 256)), "by seed and index");
            let card = &shown.cards[0];
            let long = card.corners.long_side();
            assert!((SHOWN_CARD_PX.0 - 1.0..SHOWN_CARD_PX.1 + 1.0).contains(&long), "{long}");
            if card.in_view < 1.0 {
                cut += 1;
                continue;
            }
            complete += 1;
            assert_eq!(card.symbols.len(), 3);
            let brightness = |p: Point| shown.rgb[3 * (p.y as usize * 320 + p.x as usize)];
            let within = card.corners.map(|p| card.corners.center().lerp(p, 0.85));
            assert!(within.0.iter().all(|p| brightness(*p) > 200), "the card");
            let outside = card.corners.map(|p| card.corners.center().lerp(p, 1.2));
            let on_picture: Vec<_> = outside.0.iter().filter(|p| inside(**p, (320, 256))).collect();
            assert!(on_picture.iter().all(|p| brightness(**p) < 120), "the table");
        }
        assert!(complete > 5, "{complete} whole, {cut} cut");
    }

    #[test]
    fn a_card_without_a_place_may_be_found_or_not() {
        let shown = table().shown(1, 0, (320, 256));
        assert!(shown.cards[1].in_view <= EITHER);
    }
}
