//! Labelled crops and corrected photos from folders, checked before anything is trained on them.

use super::{
    drawn::{holds, near_miss, outline},
    key,
    sample::{Group, Label, Sample},
};
use image::{Rgb, RgbImage, imageops};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;
use setsight_game::cards::{Card, Edition, Property, Shape};
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::labels::{
    self, CROP_LABELS, CardLabel, DatasetError, LabelFile, PHOTO_LABELS, check_crop_files,
    check_photo_files, has_labels, load_crop, read_crop_labels, with_corners,
};
use setsight_photo::{Frame, source};
use setsight_vision::{
    CardImage, CardOutline, Trace, board,
    classify::{Features, Masks},
    find::{CardFinder, FindError},
    table::{in_a_mirror, turned_back},
};
use std::path::{Path, PathBuf};

/// Number of times that each real card is cut, each time along another outline.
const COPIES: u64 = 3;

/// Why a folder cannot be used for training.
#[derive(Debug, thiserror::Error)]
pub enum CropsError {
    /// Labels are missing or wrong.
    #[error("{0}")]
    Labels(#[from] DatasetError),
    #[error("{}: {reason}; put a readable image there or take its labels out", .path.display())]
    Image { path: PathBuf, reason: String },
    #[error(
        "{}: none of the {cards} labelled cards is found in its photo, and no corners are labelled; \
         check these labels", .path.display()
    )]
    NoneFound { path: PathBuf, cards: usize },
    #[error("{}: its cards cannot be looked for: {source}", .path.display())]
    Finder { path: PathBuf, source: FindError },
    #[error(
        "{}: nobody has said of its photos that all their cards are right; say so in the window, under \
         Correct", .0.display()
    )]
    Unchecked(PathBuf),
    #[error("{}: no card is labelled there; label some or leave the folder out", .0.display())]
    Empty(PathBuf),
    #[error("no crop of any {value} card to learn from, in {places}; add such crops, or draw some")]
    EmptyClass { value: &'static str, places: String },
}

/// The data of one folder.
#[derive(Clone, Debug)]
pub struct Source {
    /// The folder's name.
    pub name: String,
    /// Cards in its labels.
    pub labelled: usize,
    /// Whether its crops were mirror images and have been mirrored back.
    pub mirrored: bool,
    /// Photos with cards that have only a labelled centre and no outline from the finder: file name
    /// and number of such cards. These cards are not learnt from.
    pub not_found: Vec<(String, usize)>,
    /// Photos whose labels have not been confirmed as complete. They are not learnt from.
    pub unchecked: Vec<String>,
    /// Crops of its cards.
    pub cards: Group,
    /// Crops without a card, cut beside its cards.
    pub negatives: Group,
}

/// Every source in a folder: the folder itself, or each of its direct subfolders that has labels.
/// `edition_of` returns the edition of a source's crops by its name; photos' labels state it
/// themselves. `finder` supplies outlines of cards that have only a labelled centre.
pub fn sources(
    folder: &Path,
    edition_of: &dyn Fn(&str) -> Edition,
    finder: &dyn CardFinder,
    seed: u64,
) -> Result<Vec<Source>, CropsError> {
    let folders = labelled_folders(folder)?;
    folders.iter().map(|path| source(path, edition_of, finder, seed)).collect()
}

/// The folder itself if it has labels, otherwise each of its direct subfolders that has, in the
/// order of their names.
pub(crate) fn labelled_folders(folder: &Path) -> Result<Vec<PathBuf>, CropsError> {
    let folders = labels::labelled_folders(folder, &[CROP_LABELS, PHOTO_LABELS])?;
    if folders.is_empty() {
        return Err(DatasetError::NoLabels(folder.to_path_buf()).into());
    }
    Ok(folders)
}

fn source(
    folder: &Path,
    edition_of: &dyn Fn(&str) -> Edition,
    finder: &dyn CardFinder,
    seed: u64,
) -> Result<Source, CropsError> {
    let name = folder
        .canonicalize()
        .ok()
        .and_then(|path| path.file_name().map(|name| name.to_string_lossy().into_owned()))
        .unwrap_or_else(|| folder.display().to_string());
    let crops = has_labels(folder, CROP_LABELS);
    let (mut not_found, mut unchecked) = (Vec::new(), Vec::new());
    let (labelled, mirrored, cut) = if crops {
        from_crops(folder, edition_of(&name), seed)?
    } else {
        let photos = from_photos(folder, finder, seed)?;
        (not_found, unchecked) = (photos.not_found, photos.unchecked);
        (photos.labelled, false, photos.cut)
    };
    if cut.is_empty() && !unchecked.is_empty() {
        return Err(CropsError::Unchecked(folder.to_path_buf()));
    }
    if cut.is_empty() {
        return Err(CropsError::Empty(folder.to_path_buf()));
    }
    let (cards, negatives) =
        cut.into_iter().partition(|sample: &Sample| sample.label != Label::NoCard);
    let group =
        |name: String, samples| Group { name, is_drawn: false, teaches_color: false, samples };
    Ok(Source {
        labelled,
        mirrored,
        not_found,
        unchecked,
        cards: group(name.clone(), cards),
        negatives: group(format!("{name}, no cards"), negatives),
        name,
    })
}

type Cut = (usize, bool, Vec<Sample>);

/// The crops of a labelled folder, rotated so that the long side is horizontal and mirrored back if
/// the source holds mirror images; and whether it does.
pub(crate) fn straight_crops(
    folder: &Path,
    edition: Edition,
) -> Result<(Vec<(RgbImage, Card)>, bool), CropsError> {
    let labels = read_crop_labels(folder)?;
    check_crop_files(folder, &labels)?;
    let crops: Vec<(RgbImage, Card)> = labels
        .par_iter()
        .map(|label| {
            let path = folder.join(&label.file);
            let crop = load_crop(&path);
            let crop =
                crop.map_err(|e| CropsError::Image { path: path.clone(), reason: e.to_string() })?;
            Ok((crop, label.code))
        })
        .collect::<Result<_, CropsError>>()?;
    let mirrored = are_mirrored(&crops, edition);
    Ok((
        crops
            .into_par_iter()
            .map(|(crop, card)| {
                (if mirrored { imageops::flip_horizontal(&crop) } else { crop }, card)
            })
            .collect(),
        mirrored,
    ))
}

fn from_crops(folder: &Path, edition: Edition, seed: u64) -> Result<Cut, CropsError> {
    let (samples, mirrored) = samples_of_crops(folder, edition, seed)?;
    Ok((samples.len(), mirrored, samples.concat()))
}

/// The samples from each crop of a labelled folder: the card along several outlines, and crops
/// beside it. Also returns whether the folder holds mirror images, which are mirrored back.
pub(crate) fn samples_of_crops(
    folder: &Path,
    edition: Edition,
    seed: u64,
) -> Result<(Vec<Vec<Sample>>, bool), CropsError> {
    let (crops, mirrored) = straight_crops(folder, edition)?;
    let cut = crops
        .into_par_iter()
        .enumerate()
        .map(|(i, (crop, card))| {
            let mut rng = Pcg64::seed_from_u64(key(seed, i as u64));
            let label = Label::for_card(edition, card);
            let mut out = vec![Sample::from_image(&CardImage::from_crop(crop.clone()), label)];
            let (frame, quad) = on_a_table(&crop, &mut rng);
            out.extend((1..COPIES).map(|_| cut_card(&frame, &quad, label, &mut rng)));
            out.extend(cut_near_miss(&frame, &[quad], &mut rng));
            out
        })
        .collect();
    Ok((cut, mirrored))
}

/// Whether a source's crops are mirror images, which only squiggles reveal. Each squiggle crop
/// votes: the classical reader's squiggle mask fits it better as it is, or better mirrored.
fn are_mirrored(crops: &[(RgbImage, Card)], edition: Edition) -> bool {
    let masks = Masks::of_edition(edition);
    let votes: i32 = crops
        .par_iter()
        .filter(|(_, card)| card.shape == Shape::Squiggle)
        .map(|(crop, _)| {
            let images = [imageops::flip_horizontal(crop), crop.clone()];
            let [mirrored, plain] = images.map(|image| {
                let symbols = Features::measure(&CardImage::from_crop(image), masks).symbols;
                symbols.iter().map(|s| s.overlap[Shape::Squiggle.index()]).fold(0.0, f32::max)
            });
            if mirrored > plain { 1 } else { -1 }
        })
        .sum();
    votes > 0
}

/// The data from labelled photos.
struct FromPhotos {
    /// Number of cards that are learnt from.
    labelled: usize,
    cut: Vec<Sample>,
    /// See [`Source::not_found`].
    not_found: Vec<(String, usize)>,
    /// See [`Source::unchecked`].
    unchecked: Vec<String>,
}

/// Reads photos labelled by the window's corrections, or with centres only.
fn from_photos(
    folder: &Path,
    finder: &dyn CardFinder,
    seed: u64,
) -> Result<FromPhotos, CropsError> {
    let (photos, unchecked) = LabelFile::read(folder)?.checked_photos()?;
    check_photo_files(folder, &photos)?;
    let cut: Vec<(usize, usize, Vec<Sample>)> = photos
        .par_iter()
        .enumerate()
        .map(|(i, label)| {
            let path = folder.join(&label.file);
            let wrong = |reason: String| CropsError::Image { path: path.clone(), reason };
            let loaded = source::load_photo(&path).map_err(|e| wrong(format!("{e:#}")))?;
            let stored = (loaded.stored_width, loaded.stored_height);
            if stored != (label.width, label.height) {
                return Err(wrong(format!(
                    "is {}x{} pixels as stored, but its labels are of {}x{}",
                    stored.0, stored.1, label.width, label.height
                )));
            }
            let labels = label.cards_in(&loaded);
            let (labels, possible_cards) = outlined(&loaded.frame, labels, finder)
                .map_err(|source| CropsError::Finder { path: path.clone(), source })?;
            let cards: Vec<(Card, Quad)> =
                labels.iter().filter_map(|card| Some((card.code, card.corners?))).collect();
            let table = LabelledTable {
                cards: &cards,
                possible_cards: &possible_cards,
                edition: Edition::named(&label.deck).unwrap_or(Edition::Unknown),
                mirrored: label.mirrored,
            };
            let cut = samples_of_photo(&loaded.frame, &table, key(seed, i as u64));
            Ok((cards.len(), labels.len() - cards.len(), cut))
        })
        .collect::<Result<_, CropsError>>()?;
    let labelled = cut.iter().map(|photo| photo.0).sum();
    let not_found: Vec<(String, usize)> = photos
        .iter()
        .zip(&cut)
        .filter(|(_, photo)| photo.1 > 0)
        .map(|(label, photo)| (label.file.clone(), photo.1))
        .collect();
    if labelled == 0 && !not_found.is_empty() {
        let cards = not_found.iter().map(|photo| photo.1).sum();
        return Err(CropsError::NoneFound { path: folder.to_path_buf(), cards });
    }
    let cut = cut.into_iter().flat_map(|photo| photo.2).collect();
    Ok(FromPhotos { labelled, cut, not_found, unchecked })
}

/// Completes labels without corners with the finder's outlines, and returns all other places that
/// may hold a card, where no negative crops are cut. Labels that all have corners stay as they are.
fn outlined(
    frame: &Frame,
    labels: Vec<CardLabel>,
    finder: &dyn CardFinder,
) -> Result<(Vec<CardLabel>, Vec<Quad>), FindError> {
    if labels.iter().all(|label| label.corners.is_some()) {
        return Ok((labels, Vec::new()));
    }
    let mut outlines: Vec<Quad> = Vec::new();
    let one_card = board::Params::default().one_card_overlap;
    for outline in finder.find(frame, &mut Trace::default())? {
        // The finder returns the best outline of each card first.
        let quad = outline.corners_in_image;
        if !outlines.iter().any(|other| other.shared_area(&quad) >= one_card) {
            outlines.push(quad);
        }
    }
    let labels = with_corners(labels, &outlines);
    let labelled_quads: Vec<Quad> = labels.iter().filter_map(|label| label.corners).collect();
    let sizes: Vec<f64> =
        labelled_quads.iter().chain(&outlines).map(|quad| quad.signed_area().abs()).collect();
    let side = (sizes.iter().sum::<f64>() / sizes.len().max(1) as f64).sqrt();
    // Their orientation is unknown; one of three orientations is at most 30 degrees off.
    let missed = labels.iter().filter(|label| label.corners.is_none()).flat_map(|label| {
        [0.0, 60.0, 120.0].map(|degrees: f64| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            Quad::new(Quad::unit_card().0.map(|p| {
                Point::new(p.x * cos - p.y * sin, p.x * sin + p.y * cos) * side + label.center
            }))
        })
    });
    let possible_cards = outlines.iter().copied().filter(|quad| !labelled_quads.contains(quad));
    let possible_cards = possible_cards.chain(missed).collect();
    Ok((labels, possible_cards))
}

/// Labels of a photo's table; coordinates are in pixels of the upright photo.
#[derive(Clone, Copy)]
pub(crate) struct LabelledTable<'a> {
    /// The cards with their corners.
    pub cards: &'a [(Card, Quad)],
    /// Other places that may hold a card; no negative crops are cut there.
    pub possible_cards: &'a [Quad],
    pub edition: Edition,
    /// Whether the photo is mirrored; it is mirrored back first, as for inference.
    pub mirrored: bool,
}

/// The samples from a photo: each card along several outlines, and crops beside the cards.
pub(crate) fn samples_of_photo(frame: &Frame, table: &LabelledTable, seed: u64) -> Vec<Sample> {
    let mut rng = Pcg64::seed_from_u64(seed);
    let turned_back = table.mirrored.then(|| turned_back(frame));
    let width = f64::from(frame.width());
    let frame = turned_back.as_ref().unwrap_or(frame);
    let place = |quad: &Quad| if table.mirrored { in_a_mirror(quad, width) } else { *quad };
    let cards: Vec<(Card, Quad)> =
        table.cards.iter().map(|(card, quad)| (*card, place(quad))).collect();
    let all: Vec<Quad> =
        cards.iter().map(|card| card.1).chain(table.possible_cards.iter().map(place)).collect();
    let mut out = Vec::new();
    for (card, quad) in &cards {
        let label = Label::for_card(table.edition, *card);
        out.extend((0..COPIES).map(|_| cut_card(frame, quad, label, &mut rng)));
        out.extend(cut_near_miss(frame, &all, &mut rng));
    }
    out
}

fn straighten(frame: &Frame, quad: Quad, label: Label) -> Sample {
    let outline = CardOutline::at(quad);
    Sample::from_image(&CardImage::rectify(frame, &outline), label)
}

fn cut_card(frame: &Frame, quad: &Quad, label: Label, rng: &mut Pcg64) -> Sample {
    straighten(frame, outline(quad, rng), label)
}

/// A crop near one of the cards that contains no card.
fn cut_near_miss(frame: &Frame, cards: &[Quad], rng: &mut Pcg64) -> Option<Sample> {
    (0..10).find_map(|_| {
        let quad = near_miss(&cards[rng.random_range(0..cards.len())], rng);
        let free = !cards.iter().any(|card| holds(&quad, card));
        free.then(|| straighten(frame, quad, Label::NoCard))
    })
}

/// The crop on a table half as large again in each direction, of one colour with grain, so that an
/// outline with an error shows some table.
pub(crate) fn on_a_table(crop: &RgbImage, rng: &mut Pcg64) -> (RgbImage, Quad) {
    let (w, h) = crop.dimensions();
    let (mx, my) = (w / 4, h / 4);
    let base: [f32; 3] = if rng.random_bool(0.3) {
        let light = rng.random_range(150.0..255.0f32);
        [light, light * rng.random_range(0.93..1.0), light * rng.random_range(0.85..1.02)]
    } else {
        std::array::from_fn(|_| rng.random_range(10.0..190.0))
    };
    let grain = rng.random_range(0.0..25.0f32);
    let mut photo = RgbImage::from_fn(w + 2 * mx, h + 2 * my, |_, _| {
        let off = grain * (rng.random::<f32>() - 0.5);
        Rgb(base.map(|v| (v + off).clamp(0.0, 255.0) as u8))
    });
    imageops::replace(&mut photo, crop, i64::from(mx), i64::from(my));
    let corner = Point::new(f64::from(mx), f64::from(my));
    let quad = Quad::new(Quad::rectangle(f64::from(w), f64::from(h)).0.map(|p| p + corner));
    (photo, quad)
}

/// Checks that every value of every property has a crop.
pub fn check_classes<'a>(
    groups: impl Iterator<Item = &'a Group> + Clone,
) -> Result<(), CropsError> {
    for property in Property::ALL {
        for value in 0..3 {
            if !groups.clone().any(|group| {
                group.samples.iter().any(|sample| {
                    sample.label.card().is_some_and(|card| card.value(property) == value)
                })
            }) {
                let places: Vec<&str> = groups.map(|group| group.name.as_str()).collect();
                let value = property.value_word(value);
                return Err(CropsError::EmptyClass { value, places: places.join(", ") });
            }
        }
    }
    Ok(())
}
