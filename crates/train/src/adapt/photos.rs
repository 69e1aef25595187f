//! A person's labelled photos and crops for training and evaluation.

use crate::reader::labelled_crops::{
    CropsError, LabelledTable, labelled_folders, samples_of_crops, samples_of_photo,
};
use crate::{adapt::table::OwnTable, reader::sample::Sample};
use rayon::prelude::*;
use setsight_game::cards::{Card, Edition};
use setsight_labels::{LabelledPhoto, checked_photos, compare};
use setsight_photo::{
    geometry::{Point, Quad},
    labels::{CROP_LABELS, CardLabel, DatasetError, PHOTO_LABELS, has_labels},
    source::{self, Photo, SourceError},
};
use setsight_vision::{Pipeline, PipelineError, TableReading, Trace};
use std::path::PathBuf;

/// Why photos cannot be used for training.
#[derive(Debug, thiserror::Error)]
pub enum OwnError {
    /// Labels are missing or wrong.
    #[error(transparent)]
    Labels(#[from] DatasetError),
    /// Crops that cannot be used.
    #[error(transparent)]
    Crops(#[from] CropsError),
    /// A photo that cannot be read.
    #[error("{}: {source}", .path.display())]
    Photo {
        /// The file.
        path: PathBuf,
        /// The reader's error.
        source: SourceError,
    },
    /// The labels belong to another picture.
    #[error(
        "{}: is {found_px:?} pixels as stored, but its labels are of {labelled_px:?}; they are of \
         another photo, or it was scaled: label it as it is", .path.display()
    )]
    OtherPhoto {
        /// The file.
        path: PathBuf,
        /// Width and height as stored.
        found_px: (u32, u32),
        /// Width and height according to the labels.
        labelled_px: (u32, u32),
    },
    /// One card is labelled as two.
    #[error(
        "{}: card {first} and card {second} are labelled at the same place, as {codes:?}: strike one of them",
        .path.display()
    )]
    Contradiction {
        /// The file.
        path: PathBuf,
        /// Index of one among its labels, counted from 1.
        first: usize,
        /// Index of the other.
        second: usize,
        /// Their codes.
        codes: [String; 2],
    },
    /// The pipeline fails on a photo.
    #[error("{}: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error.
        source: PipelineError,
    },
    /// There are too few cards or scenes.
    #[error(
        "labelled cards: {cards}, different tables: {scenes}; that is too little to learn from: label at least \
         {LEAST_CARDS} cards in {LEAST_SCENES} photos of different tables, or as many crops; a photo counts \
         once somebody has said that all its cards are right"
    )]
    TooFew {
        /// Cards with a known position.
        cards: usize,
        /// Number of different scenes.
        scenes: usize,
    },
}

/// Minimum number of cards. A gain on fewer could not be told from chance.
pub const LEAST_CARDS: usize = 12;
/// Minimum number of scenes: one for training, one held out.
pub const LEAST_SCENES: usize = 2;

/// A labelled photo or crop that is used for training or held out as a whole.
#[derive(Clone, Debug)]
pub struct OwnPhoto {
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
    pub table: Option<OwnTable>,
    /// Labelled cards that the finder missed, plus its detections without a label.
    pub finder_errors: usize,
    /// Labelled cards without corners at which no outline was found.
    pub without_place: usize,
}

impl OwnPhoto {
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
) -> Result<Vec<OwnPhoto>, OwnError> {
    let mut all = Vec::new();
    for folder in folders {
        for folder in labelled_folders(folder)? {
            let name = folder.file_name().map(|n| n.to_string_lossy().into_owned());
            let edition = edition_of(&name.unwrap_or_default());
            if has_labels(&folder, CROP_LABELS) {
                let (samples, _) = samples_of_crops(&folder, edition, seed)?;
                all.extend(samples.into_iter().map(|samples| of_crop(samples, edition)));
            }
            if has_labels(&folder, PHOTO_LABELS) {
                // Unchecked photos are not learnt from.
                let read = |(i, photo): (usize, LabelledPhoto)| {
                    of_photo(photo, pipeline, seed.wrapping_add(i as u64))
                };
                let photos = checked_photos(&folder)?.into_par_iter().enumerate().map(read);
                all.extend(photos.collect::<Result<Vec<_>, OwnError>>()?);
            }
        }
    }
    Ok(all)
}

fn of_crop(samples: Vec<Sample>, edition: Edition) -> OwnPhoto {
    let cards = samples.iter().filter_map(|sample| sample.label.card()).take(1).collect();
    OwnPhoto {
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

fn of_photo(photo: LabelledPhoto, pipeline: &Pipeline, seed: u64) -> Result<OwnPhoto, OwnError> {
    let path = || photo.path.clone();
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
        return Err(OwnError::Contradiction { path: path(), first, second, codes });
    }
    let of_labels = || labels.iter().zip(&places);
    let placed: Vec<(Card, Quad)> =
        of_labels().filter_map(|(label, place)| Some((label.code, (*place)?))).collect();
    let unplaced: Vec<Point> =
        of_labels().filter(|(_, place)| place.is_none()).map(|(label, _)| label.center).collect();
    let missed = matched.reading_of_label.iter().filter(|reading| reading.is_none()).count();
    // The classic edition is the labels' default, so a detection of rectangles overrides it. In a
    // deck that the program does not know, a person chose which codes the cards have.
    let edition = match (Edition::named(&photo.label.deck), read.edition()) {
        (Some(Edition::Classic), Edition::Rectangles) => Edition::Rectangles,
        (Some(told), _) => told,
        (None, _) => Edition::Unknown,
    };
    let mirrored = photo.label.mirrored || read.is_mirrored();
    let others: Vec<Quad> =
        matched.false_cards.iter().map(|&j| read.cards[j].corners_in_image).collect();
    let table = LabelledTable { cards: &placed, others: &others, edition, mirrored };
    let samples = samples_of_photo(&loaded.frame, &table, seed);
    let table = OwnTable::new(&loaded.frame, &placed, &unplaced, edition);
    Ok(OwnPhoto {
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

/// A labelled photo as it is, and as it is read.
fn load_and_read(
    photo: &LabelledPhoto,
    pipeline: &Pipeline,
) -> Result<(Photo, TableReading), OwnError> {
    let path = || photo.path.clone();
    let loaded = source::load_photo(&photo.path)
        .map_err(|source| OwnError::Photo { path: path(), source })?;
    let (found_px, labelled_px) =
        ((loaded.stored_width, loaded.stored_height), (photo.label.width, photo.label.height));
    if found_px != labelled_px {
        return Err(OwnError::OtherPhoto { path: path(), found_px, labelled_px });
    }
    let read = pipeline
        .read(&loaded.frame, &mut Trace::default())
        .map_err(|source| OwnError::Read { path: path(), source })?;
    Ok((loaded, read.table))
}

/// Two labels at one place: their centres are closer than cards in a heap ever are.
fn at_one_place(labels: &[CardLabel], places: &[Option<Quad>]) -> Option<(usize, usize)> {
    /// Threshold relative to the card's long side.
    const APART: f64 = 0.08;
    let pairs = (0..labels.len()).flat_map(|i| (i + 1..labels.len()).map(move |j| (i, j)));
    pairs.into_iter().find(|&(i, j)| {
        let distance = labels[i].center.distance(labels[j].center);
        let near = |quad: &Quad| distance < APART * quad.long_side();
        [i, j].into_iter().filter_map(|k| places[k].as_ref()).any(near)
    })
}

/// The scene of each photo, counted from 0: photos that share most of their cards show one scene,
/// and each crop is a scene of its own.
pub fn scenes(photos: &[OwnPhoto]) -> Vec<usize> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use setsight_photo::labels::PhotoLabel;

    fn photo(codes: &str) -> OwnPhoto {
        let label = PhotoLabel {
            file: "a.jpg".into(),
            width: 4,
            height: 3,
            tags: Vec::new(),
            deck: "classic".into(),
            mirrored: false,
            cards: Vec::new(),
        };
        OwnPhoto {
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
    fn photos_of_one_table_are_one_scene_and_crops_are_their_own() {
        let (one, again) = (photo("1fgd 2fgd 3fgd 1srd"), photo("1srd 3fgd 2fgd 1fgd 2srd"));
        let mut crop = photo("1fgd");
        crop.photo = None;
        let photos = [one, photo("1ord 2ord 3ord 1fgd"), again, crop.clone(), crop];
        assert_eq!(scenes(&photos), [0, 1, 0, 2, 3]);
    }
}
