//! A frame and its line of JSON on disk.

use super::view::LiveView;
use crate::pipeline::record::PhotoRecord;
use crate::whole_file::write_whole;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use serde_json::json;
use std::io;
use std::path::{Path, PathBuf};

/// The line of JSON of a view: that of a photo with `frame` and `time_ms` for `image`.
pub fn line(view: &LiveView) -> serde_json::Value {
    let (width, height) = view.frame.as_ref().map_or((0, 0), |frame| frame.image.dimensions());
    let record = PhotoRecord {
        width,
        height,
        facts: Some(view.facts),
        scan: view.read_cards(),
        sets: view.sets.clone(),
        times: view.times.clone(),
    };
    let time_ms = (view.time_ms * 100.0).round() / 100.0;
    record.to_json([("frame", json!(view.number)), ("time_ms", json!(time_ms))])
}

/// Writes the frame of a view, without loss, and its line of JSON beside it, under the next free
/// number: `table-0001.png` and `table-0001.json`.
///
/// # Errors
/// There is no frame yet, or the folder cannot be written to.
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
    let mut bytes = Vec::new();
    let encoder =
        PngEncoder::new_with_quality(&mut bytes, CompressionType::Fast, FilterType::Adaptive);
    frame.image.write_with_encoder(encoder).map_err(io::Error::other)?;
    write_whole(&picture, &bytes)?;
    write_whole(&record, format!("{}\n", line(view)).as_bytes())?;
    Ok((picture, record))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Frame;
    use image::{Rgb, RgbImage};
    use std::sync::Arc;

    #[test]
    fn nothing_is_written_over() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("kept");
        assert!(save(&LiveView::default(), &folder).is_err());
        let image = RgbImage::from_pixel(64, 48, Rgb([10, 200, 30]));
        let frame = Some(Arc::new(Frame { image }));
        let view = LiveView { frame, number: 41, time_ms: 1366.666, ..LiveView::default() };
        let (first, _) = save(&view, &folder).unwrap();
        let (second, record) = save(&view, &folder).unwrap();
        assert_ne!(first, second);
        assert_eq!(image::open(second).unwrap().into_rgb8()[(5, 5)], Rgb([10, 200, 30]));
        let text = std::fs::read_to_string(record).unwrap();
        assert!(
            text.starts_with(r#"{"frame":41,"time_ms":1366.67,"width":64,"height":48"#),
            "{text}"
        );
    }
}
