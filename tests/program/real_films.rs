//! Films made of real photos: a camera in a hand looks at a photographed table. The photos belong to
//! their authors and are no part of the project: they are looked for in `../shared/photos`, or where
//! SETSIGHT_PHOTOS says.

use crate::common::photos;
use rayon::prelude::*;
use setsight::cards::Card;
use setsight_live::Watch;
use setsight_live::films::FILM_PACE;
use setsight_nets::engine::Models;
use setsight_photo::labels::{LabelFile, PhotoLabel};
use setsight_photo::source;
use setsight_scenes::film::FilmFrame;
use setsight_scenes::film::photo::{PhotoFilm, PhotoFilmParams};
use setsight_track::Params;
use setsight_vision::Pipeline;
use setsight_vision::ReadingPlan;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LONG_SIDE_PX: f64 = 1280.0;
const FPS: f64 = 15.0;
const SECONDS: f64 = 3.0;

/// What became of the cards of a film.
#[derive(Default, Debug)]
struct Tally {
    judged: usize,
    right: usize,
    wrong: Vec<String>,
    changed: Vec<String>,
}

fn watch(folder: &Path, label: &PhotoLabel, eyes: &Arc<Pipeline>, seed: u64, tally: &mut Tally) {
    let photo = source::load_photo(&folder.join(&label.file)).unwrap();
    let cards = label.upright_cards(photo.orientation);
    let image = photo.frame;
    let scale = LONG_SIDE_PX / f64::from(image.width().max(image.height()));
    let size_px = [image.width(), image.height()].map(|px| (f64::from(px) * scale).round() as u32);
    let params = PhotoFilmParams { size_px: size_px.into(), seconds: SECONDS, fps: FPS, dealt: 2 };
    let film = PhotoFilm::plan(&image, &cards, params, seed);
    let mut watch = Watch::new(eyes.clone(), Params::of(eyes), FILM_PACE).unwrap();
    let mut said: BTreeMap<Card, Card> = BTreeMap::new();
    // Since when each card lies open to view.
    let mut open: BTreeMap<Card, f64> = BTreeMap::new();
    let frames: Vec<FilmFrame> = (0..film.frames()).into_par_iter().map(|i| film.draw(i)).collect();
    for FilmFrame { image, label: now } in frames {
        let time_ms = now.time_ms;
        let table = watch.frame(&Arc::new(image), time_ms).unwrap().tracked.table;
        open.retain(|code, _| now.cards.iter().any(|card| card.code == *code));
        for card in &now.cards {
            if card.moving || card.in_view < 0.99 {
                open.remove(&card.code);
            } else {
                open.entry(card.code).or_insert(time_ms);
            }
            let since = open.get(&card.code).copied();
            if time_ms < 1_000.0 || since.is_none_or(|since| time_ms - since < 500.0) {
                continue;
            }
            let at = card.corners.center();
            tally.judged += 1;
            let there = table.cards.iter().find(|seen| seen.corners_in_image.contains(at));
            let Some(seen) = there.filter(|seen| !seen.unsure) else { continue };
            let code = seen.card;
            let name = format!("{} {} at {time_ms:.0} ms", folder.display(), label.file);
            if code == card.code {
                tally.right += 1;
            } else {
                tally.wrong.push(format!("{name}: {} is {code}", card.code));
            }
            if let Some(before) = said.insert(card.code, code).filter(|before| *before != code) {
                tally.changed.push(format!("{name}: {} from {before} to {code}", card.code));
            }
        }
    }
}

#[test]
fn a_second_after_the_start_no_card_is_wrong_and_none_changes() {
    let Some(photos) = photos() else { return };
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&photos)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("labels.json").is_file())
        .collect();
    folders.sort();
    assert!(!folders.is_empty(), "no labelled photos in {}", photos.display());
    let eyes = Arc::new(ReadingPlan::with_models(Models::Shipped).build().unwrap());
    let mut tally = Tally::default();
    let mut films = 0;
    for (seed, folder) in (1..).zip(folders.iter().take(10)) {
        let labels = LabelFile::read(folder).unwrap().photos().unwrap();
        // Other editions and mirrored pictures have tests of their own.
        let usual = |label: &&PhotoLabel| {
            !label.tags.iter().any(|tag| tag == "mirrored" || tag == "other_edition")
        };
        if let Some(label) = labels.iter().find(usual) {
            watch(folder, label, &eyes, seed, &mut tally);
            films += 1;
        }
    }
    eprintln!(
        "{films} films: of {} cards judged, frame by frame, {} are right, {} wrong, {} changed",
        tally.judged,
        tally.right,
        tally.wrong.len(),
        tally.changed.len()
    );
    assert!(tally.wrong.is_empty(), "{:#?}", tally.wrong);
    assert!(tally.changed.is_empty(), "{:#?}", tally.changed);
    assert!(tally.judged > 500 && tally.right * 100 >= tally.judged * 95, "{} right", tally.right);
}
