//! Writes a frame and its line of JSON to disk.

use super::view::LiveView;
use serde_json::json;
use setsight_files::whole_file::write_whole;
use setsight_photo::encode;
use setsight_track::line_of;
use std::io;
use std::path::{Path, PathBuf};

/// The line of JSON of a view: that of its table, see [`line_of`], and `latency_ms`, the time from
/// the frame to the line.
pub fn line(view: &LiveView) -> serde_json::Value {
    let LiveView { number, time_ms, tracked, score, times, latency_ms, .. } = view;
    let mut line = line_of(*number, *time_ms, tracked, score, times);
    line["latency_ms"] = json!((latency_ms * 100.0).round() / 100.0);
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
    use setsight_track::TrackedTable;
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
