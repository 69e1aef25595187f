//! Each stage alone and all stages together, on the drawn tables of `datasets/samples` and on one
//! drawn photo of two megapixels, enlarged to 12, 24 and 50, too: `cargo bench --bench pipeline`. One thread, but
//! for the tiles of a HEIC; the photos' bytes are in memory.

use criterion::{Criterion, criterion_group, criterion_main};
use image::RgbImage;
use setsight_nets::engine::Models;
use setsight_photo::{Frame, encode, pixels::resized, source};
use setsight_scenes::{Kind, Params, render};
use setsight_vision::{
    CardImage, Pipeline, ReadingPlan, TableFacts, Trace,
    board::{self, Board},
    classify::Cards,
    output::{Style, overlay},
    sets_of,
};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The tables of `datasets/samples`: names and contents.
fn samples() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/samples");
    let mut paths: Vec<PathBuf> = source::list_photos(&[folder], false, &[])
        .into_iter()
        .map(|path| path.expect("the samples are part of the project"))
        .collect();
    paths.sort();
    let samples = paths.iter().map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (name, std::fs::read(path).expect("a sample"))
    });
    samples.collect()
}

/// A plain table of twelve cards, 1632 x 1224: two megapixels.
fn two_megapixels() -> Vec<u8> {
    let params = Params { size_px: (1632, 1224), ..Params::for_kind(Kind::Plain) };
    let scene = render(&params, 1, 0).expect("parameters in range");
    scene.jpeg().expect("an encoder that works")
}

fn frame_of(bytes: &[u8]) -> Frame {
    source::decode(bytes).expect("a whole picture").frame
}

/// The same table with so many million pixels.
fn enlarged(frame: &Frame, megapixels: f64) -> Frame {
    let by = (megapixels * 1e6 / f64::from(frame.width() * frame.height())).sqrt();
    let [width, height] =
        [frame.width(), frame.height()].map(|side| (f64::from(side) * by).round() as u32);
    let rgb = resized(frame.as_raw(), frame.dimensions(), (width, height));
    Frame::from_raw(width, height, rgb.expect("three bytes a pixel")).expect("three bytes a pixel")
}

fn heic(frame: &Frame) -> Vec<u8> {
    let options = heifer::EncodeOptions { quality: 90, max_threads: 0 };
    let (width, height) = frame.dimensions();
    heifer::encode_rgb8(width, height, frame, &options).expect("an encoder that works")
}

fn read(pipeline: &Pipeline, bytes: &[u8]) -> usize {
    let photo = source::decode_to_read(bytes, &AtomicBool::new(false)).expect("a whole picture");
    let read = pipeline.read_photo(photo, &mut Trace::default()).expect("memory enough");
    read.table.cards.len()
}

fn stages(c: &mut Criterion) {
    let bytes = two_megapixels();
    let frame = frame_of(&bytes);
    let pipeline = Pipeline::classical().expect("a build with OpenCV");
    let outlines = pipeline.finder.find(&frame, &mut Trace::default()).expect("memory enough");
    let cards = Cards::straighten(&frame, &outlines);
    let look = || pipeline.reader.table_facts(&cards, TableFacts::default()).expect("no network");
    let readings = look().0.readings;
    let table = pipeline.read(&frame, &mut Trace::default()).expect("memory enough").table;
    assert_eq!(table.cards.len(), 12, "twelve cards are drawn");

    let mut group = c.benchmark_group("stage, 2 megapixels, 12 cards");
    group.sample_size(20);
    group.bench_function("load", |b| b.iter(|| frame_of(black_box(&bytes))));
    group.bench_function("segment", |b| {
        b.iter(|| {
            pipeline.finder.find(black_box(&frame), &mut Trace::default()).expect("memory enough")
        });
    });
    group.bench_function("rectify", |b| {
        b.iter(|| {
            let cards = outlines.iter().map(|outline| CardImage::rectify(&frame, outline));
            cards.collect::<Vec<_>>()
        });
    });
    group.bench_function("classify", |b| {
        b.iter(look);
    });
    group.bench_function("board", |b| {
        let params = board::Params::default();
        b.iter(|| Board::assign(black_box(&outlines), &readings, 1.0, &params));
    });
    group.bench_function("sets", |b| b.iter(|| sets_of(black_box(&table.cards))));
    group.bench_function("overlay", |b| {
        b.iter(|| -> RgbImage { overlay::draw(&frame, &table, &Style::default()) });
    });
    group.finish();
}

fn whole(c: &mut Criterion) {
    let pipeline = ReadingPlan::with_models(Models::Shipped).build().expect("the shipped weights");
    let mut group = c.benchmark_group("photo to sets");
    group.sample_size(20);
    let bytes = two_megapixels();
    let frame = frame_of(&bytes);
    for megapixels in [2, 12, 24, 50] {
        let frame = enlarged(&frame, f64::from(megapixels));
        let jpeg = encode::jpeg(&frame, 90).expect("an encoder that works");
        for (format, bytes) in [("JPEG", jpeg), ("HEIC", heic(&frame))] {
            let name = format!("{megapixels} megapixels, {format}");
            group.bench_function(name, |b| b.iter(|| read(&pipeline, black_box(&bytes))));
        }
    }
    for (name, bytes) in samples() {
        group.bench_function(name, |b| b.iter(|| read(&pipeline, black_box(&bytes))));
    }
    group.finish();
}

fn all(c: &mut Criterion) {
    stages(c);
    whole(c);
}

criterion_group!(benches, all);
criterion_main!(benches);
