//! What reads bytes that others have made, one function each: for `fuzz/` and `tests/program/mutated.rs`, and nothing
//! else. None of them may panic, hang or fill the memory, whatever it is given.

use setsight_game::cards::{Card, Deck};
use setsight_game::game::parse_deals;
use setsight_labels::{check::plan, convert};
use setsight_live::films::AviReader;
use setsight_live::parts::jpeg::{self, Jpegs, Piece};
use setsight_nets::Kind;
use setsight_nets::engine::{FUSION, Models, Network};
use setsight_photo::labels::{CROP_LABELS, LabelFile, PHOTO_LABELS, read_crop_labels};
use setsight_photo::source;
use setsight_vision::classify::fusion::Fusion;
use setsight_window::settings::SettingsStore;
use std::io::{Cursor, Read};
use std::{path::Path, sync::LazyLock};

/// A target's name and what reads its bytes.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 11] = [
    ("photo", photo),
    ("photo_labels", photo_labels),
    ("crop_labels", crop_labels),
    ("foreign_labels", foreign_labels),
    ("deals", deals),
    ("codes", codes),
    ("onnx", onnx),
    ("fusion", fusion),
    ("settings", settings),
    ("avi", avi),
    ("mjpeg", mjpeg),
];

/// A photo, with the limits that hold for every photo.
pub fn photo(bytes: &[u8]) {
    let _ = source::decode(bytes);
}

/// labels.json.
pub fn photo_labels(bytes: &[u8]) {
    in_a_folder(PHOTO_LABELS, bytes, |folder| {
        let _ = LabelFile::read(folder).map(|labels| labels.photos());
        let _ = plan(&[folder.to_path_buf()]);
    });
}

/// labels.csv.
pub fn crop_labels(bytes: &[u8]) {
    in_a_folder(CROP_LABELS, bytes, |folder| {
        let _ = read_crop_labels(folder);
        let _ = plan(&[folder.to_path_buf()]);
    });
}

/// Labels of other programs, as each file that they may stand in.
pub fn foreign_labels(bytes: &[u8]) {
    for name in ["json.json", "xml.xml", "csv.csv", "yolo.txt"] {
        in_a_folder(name, bytes, |folder| {
            let _ = std::fs::write(folder.join("classes.txt"), "2spd\n1frs\n");
            for picture in ["a.png", "yolo.png"] {
                let _ = image::RgbImage::new(64, 48).save(folder.join(picture));
            }
            if let Ok(found) = convert::find(folder, None) {
                let _ = found.convert(&[], &mut || true);
            }
        });
    }
}

/// A file of the contest.
pub fn deals(bytes: &[u8]) {
    let _ = parse_deals(bytes);
}

/// The code or the name of a card, and a deck's file.
pub fn codes(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = (text.parse::<Card>(), Card::from_name(text));
    in_a_folder("deck.json", bytes, |folder| {
        let _ = Deck::open(&folder.join("deck.json").to_string_lossy());
    });
}

/// A network of each kind, run once if it loads.
pub fn onnx(bytes: &[u8]) {
    for kind in Kind::ALL {
        let _ = Network::load(bytes, "fuzz.onnx", kind);
    }
}

/// fusion.json.
pub fn fusion(bytes: &[u8]) {
    in_a_folder(FUSION, bytes, |folder| {
        let _ = Fusion::load(&Models::Folder(folder.to_path_buf()));
    });
}

/// The window's settings.
pub fn settings(bytes: &[u8]) {
    in_a_folder("window.json", bytes, |folder| {
        let _ = SettingsStore::at(&folder.join("window.json"));
    });
}

/// A film of Motion JPEG. Its frames are decoded by what [`mjpeg`] tries.
pub fn avi(bytes: &[u8]) {
    if let Ok(Some(mut film)) = AviReader::open(bytes) {
        while let Ok(Some(_)) = film.next_jpeg() {}
    }
}

/// What a camera of the network sends, in pieces as they come.
pub fn mjpeg(bytes: &[u8]) {
    let (first, rest) = bytes.split_at(bytes.len() / 3);
    let mut jpegs = Jpegs::new(Cursor::new(first).chain(rest));
    while let Ok(Some(piece)) = jpegs.next_piece() {
        if let Piece::Whole(bytes) = piece {
            let _ = jpeg::decode(&bytes);
        }
    }
}

/// Some things are read from files only.
fn in_a_folder(name: &str, bytes: &[u8], read: impl FnOnce(&Path)) {
    thread_local! {
        static FOLDER: LazyLock<tempfile::TempDir> =
            LazyLock::new(|| tempfile::tempdir().expect("a folder for temporary files"));
    }
    FOLDER.with(|folder| {
        let folder = folder.path().join(name).with_extension("of");
        std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
        std::fs::write(folder.join(name), bytes).expect("a temporary file can be written");
        read(&folder);
    });
}
