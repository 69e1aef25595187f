//! Tests on files made here: HEVC by the decoder's own encoder, AV1 by `ffmpeg`, each in a
//! container written below according to the standard, to cover every rotation and crop.

use super::super::{decode, load_photo, measure};
use super::*;
use heifer::heifer_isobmff::FourCC;
use image::Rgb;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

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
    let u16_of = |n: usize| (n as u16).to_be_bytes();
    let infos: Vec<u8> = (1..)
        .zip(items)
        .flat_map(|(id, item)| {
            full(b"infe", 2, &[&u16_of(id), &[0, 0], &item.0[..], &[0]].concat())
        })
        .collect();
    let all: Vec<u8> = items.iter().flat_map(|item| item.1.concat()).collect();
    let mut number = 0;
    let mut associations = (items.len() as u32).to_be_bytes().to_vec();
    for (id, item) in (1..).zip(items) {
        associations.extend(u16_of(id));
        associations.push(item.1.len() as u8);
        for _ in &item.1 {
            number += 1;
            associations.push(0x80 | number);
        }
    }
    let tiles: Vec<u8> = (2..=items.len()).flat_map(u16_of).collect();
    let references = boxed(b"dimg", &[&u16_of(1), &u16_of(items.len() - 1), &tiles[..]].concat());
    let head = boxed(b"ftyp", &[&brand[..], &[0; 4], b"mif1"].concat());
    let meta = |first: usize| {
        let mut at = first;
        // Offsets and lengths have four bytes; each item has one extent.
        let mut locations = [&[0x44, 0][..], &u16_of(items.len())].concat();
        for (id, item) in (1..).zip(items) {
            locations.extend([&u16_of(id)[..], &[0, 0, 0, 1]].concat());
            locations
                .extend([(at as u32).to_be_bytes(), (item.2.len() as u32).to_be_bytes()].concat());
            at += item.2.len();
        }
        let parts = [
            full(b"hdlr", 0, &[&[0; 4], &b"pict"[..], &[0; 13]].concat()),
            full(b"pitm", 0, &u16_of(1)),
            full(b"iinf", 0, &[&u16_of(items.len())[..], &infos].concat()),
            full(b"iloc", 0, &locations),
            if items.len() > 1 { full(b"iref", 0, &references) } else { Vec::new() },
            boxed(b"iprp", &[boxed(b"ipco", &all), full(b"ipma", 0, &associations)].concat()),
        ];
        full(b"meta", 0, &parts.concat())
    };
    let first = head.len() + meta(0).len() + 8;
    let data: Vec<u8> = items.iter().flat_map(|item| item.2.to_vec()).collect();
    [head, meta(first), boxed(b"mdat", &data)].concat()
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
    let size = format!("{}x{}", image.width(), image.height());
    let mut command = Command::new("ffmpeg");
    command.args(["-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", &size]);
    command.args(["-i", "pipe:0", "-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "5"]);
    command.args(["-pix_fmt", "yuv444p", "-f", "obu", "pipe:1"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let made = command.spawn().and_then(|mut child| {
        child.stdin.take().expect("it was asked for").write_all(image)?;
        child.wait_with_output()
    });
    match made {
        Ok(output) if output.status.success() && output.stdout.len() > 2 => {
            // The container requires the data without the temporal delimiter.
            Some((boxed(b"av1C", &[0x81, 0x20, 0, 0]), output.stdout[2..].to_vec()))
        }
        _ => {
            setsight_testkit::not_run("there is no ffmpeg with libaom-av1, which makes AVIF");
            None
        }
    }
}

/// The container properties that correspond to each EXIF orientation.
fn turns() -> Vec<(u8, Vec<Vec<u8>>)> {
    let irot = |quarters: u8| boxed(b"irot", &[quarters]);
    let imir = |axis: u8| boxed(b"imir", &[axis]);
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
            let told = Heif::open(&bytes).unwrap().unwrap().upright_px().unwrap();
            assert_eq!(told, size, "{name}, EXIF {exif}");
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
    let grid = [&[0, 0, 1, 1][..], &120u16.to_be_bytes(), &90u16.to_be_bytes()].concat();
    let number = |n: u32| n.to_be_bytes();
    let clap =
        [number(100), number(1), number(80), number(1), [0; 4], number(1), [0; 4], number(1)];
    let mut items: Vec<TestItem> =
        vec![(b"grid", vec![ispe(120, 90), boxed(b"clap", &clap.concat())], &grid)];
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
    let says = |bytes: &[u8], part: &str| {
        let message = decode(bytes).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    };
    says(&item(b"jpeg"), "JPEG in HEIF picture, which is not read");
    says(&item(b"none"), "HEIF of a rare kind");
    says(&container(b"heic", &[(b"hvc1", vec![configuration.clone()], &data)]), "its size");
    let tiny = vec![configuration.clone(), ispe(9, 9)];
    says(&container(b"heic", &[(b"hvc1", tiny, &data)]), "9x9 pixels, too small");
    says(b"\0\0\0\x18ftypisom\0\0\0\0\0\0\0\0", "not a picture");
}

#[test]
fn crops_stay_within_the_picture() {
    let clap = |width, height| Property::CleanAperture {
        width: (width, 1),
        height: (height, 1),
        horiz_offset: (0, 1),
        vert_offset: (0, 1),
    };
    assert_eq!(aperture(&clap(90, 50), (100, 60)), Some((5, 5, 90, 50)));
    assert_eq!(aperture(&clap(900, 50), (100, 60)), Some((0, 5, 100, 50)));
    assert_eq!(aperture(&clap(0, 50), (100, 60)), None);
    let other = Property::Unknown(FourCC(*b"free"), Vec::new());
    assert_eq!(aperture(&other, (100, 60)), None);
}
