//! Tests on files made here: HEVC by the decoder's own encoder, AV1 by `ffmpeg`, each in a
//! container written below according to the standard, to cover every rotation and crop.

use super::super::{decode, load_photo, measure};
use super::*;
use heifer::heifer_isobmff::FourCC;
use image::Rgb;
use setsight_testkit::child::Start;
use std::{fs, process::Command};

/// A smooth picture with a different colour in every corner.
fn slope(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        Rgb([(255 * x / width) as u8, (255 * y / height) as u8, 128])
    })
}

fn heic(image: &RgbImage) -> Vec<u8> {
    let options = heifer::EncodeOptions { quality: 95, max_threads: 1 };
    heifer::encode_rgb8(image.width(), image.height(), image, &options).unwrap()
}

fn worst(a: &RgbImage, b: &RgbImage) -> u8 {
    assert_eq!(a.dimensions(), b.dimensions());
    a.iter().zip(b.iter()).map(|(a, b)| a.abs_diff(*b)).max().unwrap()
}

fn boxed(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u32 + 8).to_be_bytes();
    [&length[..], kind, content].concat()
}

/// A box with a version and no flags.
fn full(kind: &[u8; 4], version: u8, content: &[u8]) -> Vec<u8> {
    boxed(kind, &[&[version, 0, 0, 0], content].concat())
}

fn ispe(width: u32, height: u32) -> Vec<u8> {
    full(b"ispe", 0, &[width.to_be_bytes(), height.to_be_bytes()].concat())
}

/// An item: its kind, its properties, its data.
type TestItem<'a> = (&'a [u8; 4], Vec<Vec<u8>>, &'a [u8]);

/// A file with these items; the first is the photo, the others, if any, its tiles.
fn container(brand: &[u8; 4], items: &[TestItem]) -> Vec<u8> {
    let infos: Vec<u8> = (1..)
        .zip(items)
        .flat_map(|(id, item)| {
            full(b"infe", 2, &[&u16_of(id), &[0, 0], &item.0[..], &[0]].concat())
        })
        .collect();
    // What several items have in common is stored once.
    let mut kept: Vec<&[u8]> = Vec::new();
    let mut associations = (items.len() as u32).to_be_bytes().to_vec();
    for (id, item) in (1..).zip(items) {
        associations.extend(u16_of(id));
        associations.push(item.1.len() as u8);
        for property in &item.1 {
            associations.push(0x80 | (1 + index_of(&mut kept, property)) as u8);
        }
    }
    let all = kept.concat();
    let mut parts: Vec<&[u8]> = Vec::new();
    let at: Vec<usize> = items.iter().map(|item| index_of(&mut parts, item.2)).collect();
    let tiles: Vec<u8> = (2..=items.len()).flat_map(u16_of).collect();
    let references = boxed(b"dimg", &[&u16_of(1), &u16_of(items.len() - 1), &tiles[..]].concat());
    let head = boxed(b"ftyp", &[&brand[..], &[0; 4], b"mif1"].concat());
    let (mut first, mut meta) = (0, Vec::new());
    // The second time with the length of all that comes before the pictures.
    for _ in 0..2 {
        // Offsets and lengths have four bytes; each item has one extent.
        let mut locations = [&[0x44, 0][..], &u16_of(items.len())].concat();
        for (id, &part) in (1..).zip(&at) {
            locations.extend([&u16_of(id)[..], &[0, 0, 0, 1]].concat());
            let start = first + parts[..part].concat().len();
            let extent = [start, parts[part].len()].map(|n| (n as u32).to_be_bytes());
            locations.extend(extent.concat());
        }
        let boxes = [
            full(b"hdlr", 0, &[&[0; 4], &b"pict"[..], &[0; 13]].concat()),
            full(b"pitm", 0, &u16_of(1)),
            full(b"iinf", 0, &[&u16_of(items.len())[..], &infos].concat()),
            full(b"iloc", 0, &locations),
            if items.len() > 1 { full(b"iref", 0, &references) } else { Vec::new() },
            boxed(b"iprp", &[boxed(b"ipco", &all), full(b"ipma", 0, &associations)].concat()),
        ];
        meta = full(b"meta", 0, &boxes.concat());
        first = head.len() + meta.len() + 8;
    }
    [head, meta, boxed(b"mdat", &parts.concat())].concat()
}

fn u16_of(n: usize) -> [u8; 2] {
    (n as u16).to_be_bytes()
}

/// Where a part stands among those kept; it is added if it is new.
fn index_of<'a>(kept: &mut Vec<&'a [u8]>, part: &'a [u8]) -> usize {
    kept.iter().position(|&other| other == part).unwrap_or_else(|| {
        kept.push(part);
        kept.len() - 1
    })
}

/// The data of a grid of so many rows and columns that shows so many pixels.
fn grid_of(rows: u8, columns: u8, (width, height): (u16, u16)) -> Vec<u8> {
    [&[0, 0, rows - 1, columns - 1][..], &width.to_be_bytes(), &height.to_be_bytes()].concat()
}

/// The middle of a picture is what is seen of it.
fn clap(width: u32, height: u32) -> Vec<u8> {
    boxed(b"clap", &[width, 1, height, 1, 0, 1, 0, 1].map(u32::to_be_bytes).concat())
}

/// Configuration and data of a small picture, encoded with HEVC.
fn hevc(image: &RgbImage) -> (Vec<u8>, Vec<u8>) {
    let bytes = heic(image);
    let file = HeifFile::parse(&bytes).unwrap();
    let at = bytes.windows(4).position(|w| w == b"hvcC").unwrap() - 4;
    let length = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let data = file.item_data(file.primary_id).unwrap().into_owned();
    (bytes[at..at + length].to_vec(), data)
}

/// Configuration and data of a picture encoded with AV1, if this machine has an encoder.
fn av1(image: &RgbImage) -> Option<(Vec<u8>, Vec<u8>)> {
    let none = || {
        setsight_testkit::not_run("there is no ffmpeg with libaom-av1, which makes AVIF");
        None
    };
    if !setsight_testkit::on_path("ffmpeg") {
        return none();
    }
    let size = format!("{}x{}", image.width(), image.height());
    let mut command = Command::new("ffmpeg");
    command.args(["-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", &size]);
    command.args(["-i", "pipe:0", "-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "5"]);
    command.args(["-pix_fmt", "yuv444p", "-f", "obu", "pipe:1"]);
    let made = command.fed(image);
    if !made.status.success() || made.stdout.len() <= 2 {
        return none();
    }
    // The container requires the data without the temporal delimiter.
    Some((boxed(b"av1C", &[0x81, 0x20, 0, 0]), made.stdout[2..].to_vec()))
}

/// The container properties that correspond to each EXIF orientation.
fn turns() -> Vec<(u8, Vec<Vec<u8>>)> {
    vec![
        (1, vec![]),
        (2, vec![imir(1)]),
        (3, vec![irot(2)]),
        (4, vec![imir(0)]),
        (5, vec![irot(1), imir(0)]),
        (6, vec![irot(3)]),
        (7, vec![irot(3), imir(0)]),
        (8, vec![irot(1)]),
    ]
}

fn imir(axis: u8) -> Vec<u8> {
    boxed(b"imir", &[axis])
}

fn irot(quarters: u8) -> Vec<u8> {
    boxed(b"irot", &[quarters])
}

#[test]
fn every_turn_is_made_once() {
    let drawn = slope(96, 64);
    let kinds =
        [Some((b"heic", b"hvc1", hevc(&drawn))), av1(&drawn).map(|a| (b"avif", b"av01", a))];
    for (brand, kind, (configuration, data)) in kinds.into_iter().flatten() {
        for (exif, turn) in turns() {
            let properties = [vec![configuration.clone(), ispe(96, 64)], turn].concat();
            let bytes = container(brand, &[(kind, properties, &data)]);
            let photo = decode(&bytes).unwrap();
            let expected = turn_upright(drawn.clone(), Orientation::from_exif(exif).unwrap());
            let name = String::from_utf8_lossy(brand);
            let difference = worst(&photo.frame, &expected);
            assert!(difference <= 24, "{name}, EXIF {exif}: {difference}");
            let size = photo.frame.dimensions();
            let size_px = Heif::open(&bytes).unwrap().unwrap().upright_px().unwrap();
            assert_eq!(size_px, size, "{name}, EXIF {exif}");
            assert_eq!((photo.stored_width, photo.stored_height), size);
            assert_eq!(photo.orientation, Orientation::NoTransforms);
        }
    }
}

#[test]
fn tiles_are_put_together_and_cropped() {
    let drawn = slope(700, 520);
    let photo = decode(&heic(&drawn)).unwrap();
    assert!(worst(&photo.frame, &drawn) <= 10);

    let drawn = slope(120, 90);
    // The tiles extend past the right and the lower border; the surplus must not be visible.
    let mut padded = RgbImage::new(128, 128);
    image::imageops::replace(&mut padded, &drawn, 0, 0);
    let tiles: Option<Vec<_>> = [(0, 0), (64, 0), (0, 64), (64, 64)]
        .iter()
        .map(|&(x, y)| av1(&crop_imm(&padded, x, y, 64, 64).to_image()))
        .collect();
    let Some(tiles) = tiles else { return };
    let grid = grid_of(2, 2, (120, 90));
    let mut items: Vec<TestItem> = vec![(b"grid", vec![ispe(120, 90), clap(100, 80)], &grid)];
    for (configuration, data) in &tiles {
        items.push((b"av01", vec![configuration.clone(), ispe(64, 64)], data));
    }
    let bytes = container(b"avif", &items);
    let photo = decode(&bytes).unwrap();
    let expected = crop_imm(&drawn, 10, 5, 100, 80).to_image();
    let difference = worst(&photo.frame, &expected);
    assert!(difference <= 24, "{difference}");
    assert_eq!(Heif::open(&bytes).unwrap().unwrap().upright_px().unwrap(), (100, 80));
}

/// A photo of tiles of HEVC, with these properties of the whole beside its size.
fn tiled(
    (rows, columns): (u8, u8),
    (width, height): (u16, u16),
    properties: &[Vec<u8>],
    tiles: &[(&[Vec<u8>], &[u8])],
) -> Vec<u8> {
    let grid = grid_of(rows, columns, (width, height));
    let of_all = [&[ispe(width.into(), height.into())], properties].concat();
    let mut items: Vec<TestItem> = vec![(b"grid", of_all, &grid)];
    items.extend(tiles.iter().map(|&(properties, data)| (b"hvc1", properties.to_vec(), data)));
    container(b"heic", &items)
}

#[test]
fn tiles_join_to_what_decoding_at_once_gives() {
    let at_once = |bytes: &[u8]| {
        let decoded = heifer::decode_rgba8(bytes, &heifer::Options::default()).unwrap();
        rgba_on_white(decoded.width, decoded.height, &decoded.data)
    };
    let pattern = RgbImage::from_fn(560, 80, |x, y| {
        Rgb([(x * x / 50) as u8, (7 * y) as u8, if (x / 9 + y / 5) % 2 == 0 { 30 } else { 220 }])
    });
    let bytes = heic(&crop_imm(&pattern, 0, 0, 530, 48).to_image());
    assert!(Heif::open(&bytes).unwrap().unwrap().grid.is_some());
    assert!(decode(&bytes).unwrap().frame == at_once(&bytes));

    let (configuration, data) = hevc(&crop_imm(&pattern, 0, 0, 64, 64).to_image());
    let (_, other) = hevc(&crop_imm(&pattern, 400, 16, 64, 64).to_image());
    let plain = [configuration, ispe(64, 64)];
    let tiles = [data, other].map(|data| (plain.clone(), data));
    let tiles = [0, 1, 1, 0, 1, 0].map(|i: usize| (&tiles[i].0[..], &tiles[i].1[..]));
    for (exif, turn) in turns() {
        for crop in [vec![], vec![clap(100, 70)]] {
            let bytes = tiled((2, 3), (161, 99), &[crop, turn.clone()].concat(), &tiles);
            assert!(Heif::open(&bytes).unwrap().unwrap().grid.is_some());
            assert!(decode(&bytes).unwrap().frame == at_once(&bytes), "EXIF {exif}");
        }
    }
}

#[test]
fn more_than_64_megapixels_in_tiles_come_smaller() {
    let drawn = slope(512, 512);
    let (configuration, data) = hevc(&drawn);
    let tile = [configuration, ispe(512, 512)];
    let bytes =
        tiled((17, 16), (8190, 8501), &[boxed(b"irot", &[1])], &[(&tile[..], &data[..]); 272]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.heic");
    fs::write(&path, &bytes).unwrap();
    let stored = measure(&path).unwrap();
    assert_eq!((stored.width, stored.height), (8501, 8190));
    // The result, itself turned, and no picture of 70 megapixels beside them.
    let (pixels, bytes_needed) = Heif::open(&bytes).unwrap().unwrap().decoding_bytes().unwrap();
    assert_eq!(pixels, 4095 * 4251);
    assert!(bytes_needed < 2 * 3 * pixels + (64 << 20), "{bytes_needed}");

    let photo = decode(&bytes).unwrap();
    assert_eq!((photo.stored_width, photo.stored_height, photo.reduced), (8501, 8190, 2));
    assert_eq!(photo.frame.dimensions(), (4251, 4095));
    let upright = turn_upright(photo.frame, Orientation::Rotate90);
    for (x, y, pixel) in upright.enumerate_pixels().step_by(7) {
        let in_tile = (2 * x % 512, 2 * y % 512);
        let apart = pixel.0.iter().zip(drawn[in_tile].0).map(|(a, b)| a.abs_diff(b));
        assert!(apart.max() <= Some(12), "{x}, {y}");
    }
}

#[test]
fn small_files_that_cost_much_are_refused() {
    let (configuration, data) = hevc(&slope(64, 64));
    let plain = [configuration.clone(), ispe(64, 64)];
    let tile = (&plain[..], &data[..]);
    assert!(decode(&tiled((2, 2), (128, 128), &quarter_turns(6), &[tile; 4])).is_ok());
    assert_refused(
        &tiled((2, 2), (128, 128), &quarter_turns(250), &[tile; 4]),
        "is turned and cropped 250 times",
    );
    let turned = [&plain[..], &quarter_turns(250)].concat();
    assert_refused(
        &container(b"heic", &[(b"hvc1", turned.clone(), &data)]),
        "is turned and cropped 250 times",
    );
    let tiles = [(&turned[..], &data[..]); 4];
    assert_refused(&tiled((2, 2), (128, 128), &[], &tiles), "is turned and cropped 250 times");

    // The whole is a tile of itself, and a large picture is laid on it a thousand times.
    let mut looped = tiled((2, 2), (128, 128), &[], &[tile; 4]);
    let at = looped.windows(4).position(|w| w == b"dimg").unwrap() + 8;
    looped[at + 3] = 1;
    assert_refused(&looped, "megapixels together");
    let large = [configuration, ispe(600, 600)];
    let mut layers = tiled((32, 32), (128, 128), &[], &[(&large[..], &data[..]); 1024]);
    let at = layers.windows(5).position(|w| w == b"grid\0").unwrap();
    layers[at..at + 4].copy_from_slice(b"iovl");
    assert_refused(&layers, "have more than 256 megapixels together");
}

fn assert_refused(bytes: &[u8], part: &str) {
    let message = decode(bytes).unwrap_err().to_string();
    assert!(message.contains(part), "{message}");
}

fn quarter_turns(count: usize) -> Vec<Vec<u8>> {
    vec![boxed(b"irot", &[1]); count]
}

#[test]
fn tiles_that_are_broken_missing_or_of_another_size_are_named() {
    let (configuration, data) = hevc(&slope(64, 64));
    let (small_configuration, small) = hevc(&slope(32, 64));
    let plain = [configuration.clone(), ispe(64, 64)];
    let tile = (&plain[..], &data[..]);
    let good = tiled((2, 2), (128, 128), &[], &[tile; 4]);
    assert_eq!(decode(&good).unwrap().frame.dimensions(), (128, 128));

    let mut broken = data.clone();
    let middle = broken.len() / 2;
    broken[6..middle].fill(0xff);
    let bytes = tiled((2, 2), (128, 128), &[], &[tile, tile, (&plain, &broken), tile]);
    assert_refused(&bytes, "cannot be decoded as HEIC: tile 3 of 4: ");

    assert_refused(
        &tiled((2, 2), (128, 128), &[], &[tile; 3]),
        "it has 3 tiles; expected 2 rows of 2",
    );
    let mut lost = good.clone();
    let at = lost.windows(4).position(|w| w == b"dimg").unwrap();
    lost[at + 8 + 3] = 99;
    assert_refused(&lost, "tile 2 of 4 is not there");

    // Whatever it says of itself.
    let other = [small_configuration, ispe(64, 64)];
    let bytes = tiled((2, 2), (128, 128), &[], &[tile, tile, tile, (&other, &small)]);
    assert_refused(&bytes, "tile 4 of 4 has 32x64 pixels; expected 64x64");
    let bytes = tiled((2, 2), (129, 128), &[], &[tile; 4]);
    assert_refused(&bytes, "its tiles, 2 rows of 2 of 64x64 pixels, do not cover its 129x128");
    let vast = [configuration, ispe(30_000, 30_000)];
    assert_refused(
        &tiled((1, 1), (128, 128), &[], &[(&vast, &data)]),
        "30000x30000, 900 megapixels",
    );
    let large = [plain[0].clone(), ispe(8000, 8000)];
    let bytes = tiled((1, 2), (12_000, 8000), &[], &[(&large[..], &data[..]); 2]);
    assert_refused(&bytes, "its tiles have 8000x8000 pixels; expected at most 32 megapixels");

    // Each would be looked up among all.
    let endless = tiled((160, 160), (10_240, 10_240), &[], &[tile; 160 * 160]);
    assert_refused(&endless, "the list of its items has 1");

    let cut = decode(&good[..good.len() - 1]);
    assert!(matches!(cut, Err(SourceError::Truncated { format: "HEIC" })));
}

#[test]
fn what_is_cut_off_enormous_or_of_another_kind_is_refused_by_name() {
    let bytes = heic(&slope(96, 64));
    for length in [bytes.len() / 2, bytes.len() - 1] {
        let result = decode(&bytes[..length]);
        assert!(matches!(result, Err(SourceError::Truncated { format: "HEIC" })), "{length}");
    }
    // Change the stated size, wherever it is stored.
    let mut huge = bytes.clone();
    for at in 0..huge.len() - 16 {
        if &huge[at..at + 4] == b"ispe" {
            huge[at + 8..at + 16].copy_from_slice(&[0, 0, 0x40, 0, 0, 0, 0x40, 0]);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("huge.jpg");
    fs::write(&path, &huge).unwrap();
    for error in [load_photo(&path).unwrap_err(), measure(&path).unwrap_err()] {
        assert!(error.to_string().contains("16384x16384, 269 megapixels"), "{error}");
    }
    let (configuration, data) = hevc(&slope(96, 64));
    let item =
        |kind| container(b"heic", &[(kind, vec![configuration.clone(), ispe(96, 64)], &data)]);
    assert!(decode(&item(b"hvc1")).is_ok());
    assert_refused(&item(b"jpeg"), "JPEG in HEIF picture, which is not read");
    assert_refused(&item(b"none"), "HEIF of a rare kind");
    assert_refused(
        &container(b"heic", &[(b"hvc1", vec![configuration.clone()], &data)]),
        "its size",
    );
    let tiny = vec![configuration.clone(), ispe(9, 9)];
    assert_refused(&container(b"heic", &[(b"hvc1", tiny, &data)]), "9x9 pixels, too small");
    assert_refused(b"\0\0\0\x18ftypisom\0\0\0\0\0\0\0\0", "not a picture");
}

#[test]
fn crops_stay_within_the_picture() {
    for (width, part) in [(90, Some((5, 5, 90, 50))), (900, Some((0, 5, 100, 50))), (0, None)] {
        let clap = Property::CleanAperture {
            width: (width, 1),
            height: (50, 1),
            horiz_offset: (0, 1),
            vert_offset: (0, 1),
        };
        assert_eq!(aperture(&clap, (100, 60)), part);
    }
    let other = Property::Unknown(FourCC(*b"free"), Vec::new());
    assert_eq!(aperture(&other, (100, 60)), None);
}

#[test]
fn without_programs_the_format_is_not_read_here() {
    for (kind, word) in [
        (ErrorKind::NotFound, "format"),
        (ErrorKind::Unsupported, "format"),
        (ErrorKind::PermissionDenied, "unreadable"),
    ] {
        assert_eq!(not_run(&kind.into()).word(), word, "{kind}");
    }
}
