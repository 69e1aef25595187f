//! Reads one labelled photo and judges it.

use super::{Figures, LabelledPhoto, Match, compare, report};
use crate::dataset::CardLabel;
use crate::pipeline::{Pipeline, StageClock, source};

/// What became of one labelled photo.
#[derive(Clone, Debug)]
pub struct PhotoResult {
    /// Its figures alone.
    pub figures: Figures,
    /// CPU time of each stage in ms.
    pub stage_cpu_ms: Vec<(&'static str, f64)>,
    /// Every card that is not right, with pictures, if they were asked for.
    pub mistakes: Vec<report::Mistake>,
}

/// Reads a labelled photo and compares.
///
/// # Errors
/// Why it could not be read, or that its labels are of a picture of another size.
pub fn evaluate_photo(
    pipeline: &Pipeline,
    photo: &LabelledPhoto,
    with_pictures: bool,
) -> anyhow::Result<PhotoResult> {
    let mut clock = StageClock::default();
    let loaded = clock.time("load", || source::load_photo(&photo.path))?;
    let (stored, label) = ((loaded.stored_width, loaded.stored_height), &photo.label);
    if stored != (label.width, label.height) {
        anyhow::bail!(
            "is {}x{} pixels as stored, but its labels are of {}x{}; label the file as it is",
            stored.0,
            stored.1,
            label.width,
            label.height
        );
    }
    let scan = pipeline.read(&loaded.frame, &mut clock, None)?;
    let labels: Vec<CardLabel> = label.upright_cards(loaded.orientation);
    let photo_long_px = f64::from(stored.0.max(stored.1));
    let matched: Match = compare(&labels, &scan.cards, photo_long_px);
    let figures = Figures::of_photo(&labels, &scan.cards, &matched);
    let mistakes = if with_pictures {
        report::mistakes(&loaded.frame, &labels, &scan, &matched)
    } else {
        Vec::new()
    };
    let stage_cpu_ms = clock.times.iter().map(|time| (time.stage, time.cpu_ms)).collect();
    Ok(PhotoResult { figures, stage_cpu_ms, mistakes })
}
