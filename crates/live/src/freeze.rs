//! Writes a frame and its line of JSON to disk.

use super::view::LiveView;
use serde_json::json;
use setsight_files::whole_file::write_whole;
use setsight_photo::encode;
use setsight_track::TrackedTable;
use setsight_vision::output::line_of;
use std::io;
use std::path::{Path, PathBuf};

/// The line of JSON of a view: like a photo's, with `frame` and `time_ms` instead of `image`. Each
/// card also has its `id`, which is constant while it lies on the table, and whether it is
/// `hidden`. The line further holds the sets that are `resting` because one of their cards is
/// hidden; whether the table was `looked_at` at all; how many cards were `seen` and how many are
/// `left` in the deck; the sets `taken`, as codes; and `latency_ms`, the time from the frame to the
/// line.
pub fn line(view: &LiveView) -> serde_json::Value {
    let TrackedTable { table, tracks, resting, looked, .. } = &view.tracked;
    let rounded = |ms: f64| (ms * 100.0).round() / 100.0;
    let head = [("frame", json!(view.number)), ("time_ms", json!(rounded(view.time_ms)))];
    let head = head.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let mut line = line_of(head, table, &view.times);
    let cards = line["cards"].as_array_mut().into_iter().flatten();
    for (json, card) in cards.zip(tracks) {
        json["id"] = json!(card.id);
        json["hidden"] = json!(card.hidden);
    }
    let taken = view.score.taken.iter().map(|set| set.map(|card| card.to_string()));
    line["resting"] = json!(resting.iter().map(|set| set.0).collect::<Vec<_>>());
    line["looked_at"] = json!(looked);
    line["seen"] = json!(view.score.seen);
    line["left"] = json!(view.score.left);
    line["taken"] = json!(taken.collect::<Vec<_>>());
    line["latency_ms"] = json!(rounded(view.latency_ms));
    line
}

/// Writes the frame of a view, lossless, and its line of JSON, under the next free number:
/// `table-0001.png` and `table-0001.json`.
///
/// # Errors
/// There is no frame yet, or the folder is not writable.
pub fn save(view: &LiveView, folder: &Path) -> io::Result<(PathBuf, PathBuf)> {
    let Some(frame) = &view.frame else {
        return Err(io::Error::new(io::ErrorKind::NotFound, "there is no picture yet"));
    };
    std::fs::create_dir_all(folder)?;
    let paths = |n: u32| {
        let stem = folder.join(format!("table-{n:04}"));
        (stem.with_extension("png"), stem.with_extension("json"))
    };
    let (picture, record) = (1..)
        .map(paths)
        .find(|(picture, record)| !picture.exists() && !record.exists())
        .ok_or_else(|| io::Error::other("no number is free"))?;
    write_whole(&picture, &encode::png(frame).map_err(io::Error::other)?)?;
    write_whole(&record, format!("{}\n", line(view)).as_bytes())?;
    Ok((picture, record))
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};
    use setsight_vision::TableReading;
    use std::sync::Arc;

    #[test]
    fn nothing_is_written_over() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("kept");
        assert!(save(&LiveView::default(), &folder).is_err());
        let image = RgbImage::from_pixel(64, 48, Rgb([10, 200, 30]));
        let frame = Some(Arc::new(image));
        let table = TableReading::new(Vec::new(), (64, 48));
        let tracked = TrackedTable { table, ..TrackedTable::default() };
        let (number, time_ms) = (41, 1366.666);
        let view = LiveView { frame, number, time_ms, tracked, ..LiveView::default() };
        let (first, _) = save(&view, &folder).unwrap();
        let (second, record) = save(&view, &folder).unwrap();
        assert_ne!(first, second);
        assert_eq!(image::open(second).unwrap().into_rgb8()[(5, 5)], Rgb([10, 200, 30]));
        let text = std::fs::read_to_string(record).unwrap();
        assert!(
            text.starts_with(r#"{"version":1,"frame":41,"time_ms":1366.67,"width":64,"height":48"#),
            "{text}"
        );
    }
}
