//! Cards as the board sees them: drawn cards, and photographs of single cards; and inputs and outputs for its
//! self-test: drawn cards in 16 colours, to keep the file small on the board's flash.
//!
//! Little endian: `SSG1`, the number of pictures and of outputs (16 bits each), the first 8 bytes
//! of the SHA-256 of `card.tflite`, the output's scale (32-bit float) and zero point (32 bits);
//! then for each picture its outputs (one byte each), the card's index (one byte), 16 colours
//! (RGB565, 16 bits each) and 96 x 64 pixels, two per byte, the left one in the lower four bits.

use super::board::{self, FRAME_HEIGHT, FRAME_WIDTH, Rgb565};
use super::{float::Planes, net::Net, reference};
use image::RgbImage;
use rayon::prelude::*;
use setsight_game::cards::Card;
use setsight_nets::reader;
use setsight_photo::geometry::{Homography, Point, Quad};
use setsight_photo::labels::{self, DatasetError};
use setsight_photo::print::dice::{Dice, Purpose};
use setsight_photo::source;
use setsight_scenes::{Kind, Params};
use std::path::Path;

/// A card's picture as network input, and the true card.
#[derive(Clone, Debug)]
pub struct Crop {
    /// Height x width x channels, each byte XOR 0x80.
    pub bytes: Vec<i8>,
    /// The input of the floating-point network.
    pub planes: Planes,
    /// The true card.
    pub card: Card,
}

impl Crop {
    /// From the board's RGB565 picture of a card.
    pub fn from_board(picture: &Rgb565, card: Card) -> Self {
        Self { bytes: picture.network_input(), planes: picture.planes(), card }
    }

    /// From a picture with 8 bits per channel.
    pub fn of_rgb(picture: &RgbImage, card: Card) -> Self {
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let mut values = vec![0.0; 3 * width * height];
        for (i, pixel) in picture.pixels().enumerate() {
            for (c, &v) in pixel.0.iter().enumerate() {
                values[c * width * height + i] = f32::from(v) / 255.0;
            }
        }
        let planes = Planes { channels: 3, rows: height, columns: width, values };
        Self { bytes: super::bytes_of(&planes), planes, card }
    }
}

/// The kinds of drawn tables, in turn: everything that a board on a stand may meet, without heaps.
const KINDS: [Kind; 10] = [
    Kind::Plain,
    Kind::Wood,
    Kind::Warm,
    Kind::Cloth,
    Kind::Shadow,
    Kind::Black,
    Kind::Scatter,
    Kind::Glare,
    Kind::Perspective,
    Kind::Blur,
];
/// Maximum error of the corners that the board finds, in pixels of its frame.
const CORNER_ERROR_PX: f64 = 1.2;

/// A drawn table as the board's frame, and its cards with exact corners.
pub fn drawn_table(kind: Kind, seed: u64, index: u64) -> (Rgb565, Vec<(Quad, Card)>) {
    let mut params = Params::for_kind(kind);
    params.size_px = (FRAME_WIDTH as u32, FRAME_HEIGHT as u32);
    let scene = setsight_scenes::render(&params, seed, index)
        .expect("a size and a count that can be drawn");
    let cards = scene.cards.iter().map(|c| (c.corners_in_image, c.card)).collect();
    (Rgb565::from_image(&scene.image), cards)
}

/// The cards of `tables` drawn tables, twelve per table.
pub fn drawn(tables: usize, seed: u64) -> Vec<Crop> {
    (0..tables)
        .into_par_iter()
        .flat_map_iter(|index| {
            let kind = KINDS[index % KINDS.len()];
            let (frame, cards) = drawn_table(kind, seed, index as u64);
            let mut dice = Dice::new(seed, index as u64, Purpose::Sensor);
            cards
                .into_iter()
                .map(|(quad, card)| {
                    let corners = around(&quad, &mut dice);
                    Crop::from_board(&board::card(&frame, &corners), card)
                })
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Corners as the board finds them: whole pixels with a small error.
fn around(quad: &Quad, dice: &mut Dice) -> [(i32, i32); 4] {
    quad.0.map(|p| {
        let [x, y] = [p.x, p.y].map(|v| v + dice.between(-CORNER_ERROR_PX, CORNER_ERROR_PX));
        (x.floor() as i32, y.floor() as i32)
    })
}

/// Every `step`th labelled crop of a folder, laid on a dark table before the board's camera.
pub fn photographed(folder: &Path, step: usize, seed: u64) -> Result<Vec<Crop>, DatasetError> {
    let labels = labels::read_crop_labels(folder)?;
    let chosen: Vec<_> = labels.iter().enumerate().step_by(step.max(1)).collect();
    let crops = chosen.into_par_iter().filter_map(|(i, label)| {
        let picture = source::load(&folder.join(&label.file)).ok()?;
        let mut dice = Dice::new(seed, i as u64, Purpose::Camera);
        let (frame, quad) = on_a_table(&picture, &mut dice)?;
        let corners = around(&quad, &mut dice);
        Some(Crop::from_board(&board::card(&frame, &corners), label.code))
    });
    Ok(crops.collect())
}

/// Range of a card's long side in the board's frame, in pixels.
const CARD_PX: (f64, f64) = (52.0, 84.0);
/// Maximum rotation of a card from level, in radians.
const TURN: f64 = 0.2;

/// A frame with one card in the middle.
fn on_a_table(picture: &RgbImage, dice: &mut Dice) -> Option<(Rgb565, Quad)> {
    let (width, height) = (f64::from(picture.width()), f64::from(picture.height()));
    if width < 8.0 || height < 8.0 {
        return None;
    }
    let long = dice.between(CARD_PX.0, CARD_PX.1);
    let turn = dice.between(-TURN, TURN);
    let quarter = if dice.chance(0.3) { std::f64::consts::FRAC_PI_2 } else { 0.0 };
    let (sin, cos) = (turn + quarter).sin_cos();
    let scale = long / width.max(height);
    let middle = Point::new(
        FRAME_WIDTH as f64 / 2.0 + dice.between(-2.0, 2.0),
        FRAME_HEIGHT as f64 / 2.0 + dice.between(-2.0, 2.0),
    );
    let rectangle = Quad::rectangle(width, height);
    let quad = Quad::new(rectangle.0.map(|p| {
        let (x, y) = ((p.x - width / 2.0) * scale, (p.y - height / 2.0) * scale);
        middle + Point::new(x * cos - y * sin, x * sin + y * cos)
    }));
    let picture_from_frame = Homography::between(&quad, &rectangle)?;
    let table = [60 + dice.below(40), 50 + dice.below(30), 30 + dice.below(30)].map(|v| v as f64);
    // Each pixel of the frame is the mean of the picture's pixels in it.
    let samples = (1.0 / scale).ceil().clamp(2.0, 8.0) as usize;
    let image = RgbImage::from_fn(FRAME_WIDTH as u32, FRAME_HEIGHT as u32, |i, j| {
        let near = Point::new(f64::from(i), f64::from(j)).distance(middle) < 0.62 * long;
        let mut sum = [0.0; 3];
        for k in 0..if near { samples * samples } else { 0 } {
            let [u, v] =
                [k % samples, k / samples].map(|part| (part as f64 + 0.5) / samples as f64);
            let p = picture_from_frame.apply(Point::new(f64::from(i) + u, f64::from(j) + v));
            let inside = p.x >= 0.0 && p.y >= 0.0 && p.x < width && p.y < height;
            for (c, s) in sum.iter_mut().enumerate() {
                *s += if inside {
                    f64::from(picture.get_pixel(p.x as u32, p.y as u32)[c])
                } else {
                    table[c]
                };
            }
        }
        let n = (samples * samples) as f64;
        let color = if near { sum.map(|s| s / n) } else { table };
        image::Rgb(color.map(|v| (v + dice.normal() * 2.0 + 0.5).clamp(0.0, 255.0) as u8))
    });
    Some((Rgb565::from_image(&image), quad.as_card()))
}

/// The first bytes of the file.
const MAGIC: &[u8; 4] = b"SSG1";
const COLORS: usize = 16;
const PIXELS: usize = reader::WIDTH * reader::HEIGHT;

/// One picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Golden {
    /// 96 x 64, at most 16 colours.
    pub picture: Rgb565,
    pub card: Card,
}

/// The index of the colour that is nearest to another.
fn nearest(centres: &[[i32; 3]], color: &[i32; 3]) -> usize {
    let distances =
        centres.iter().map(|c| c.iter().zip(color).map(|(a, b)| (a - b).pow(2)).sum::<i32>());
    distances.enumerate().min_by_key(|&(_, distance)| distance).expect("sixteen").0
}

/// Reduces the picture to 16 colours: k-means in RGB, with initial colours evenly spaced in
/// brightness.
pub(crate) fn in_few_colors(picture: &Rgb565) -> Rgb565 {
    let points: Vec<[i32; 3]> = picture.channels().map(|c| c.map(i32::from)).collect();
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|&i| points[i].iter().sum::<i32>());
    // Dark and mid-tone pixels are few but matter most: half of the initial colours come from the
    // darker quarter of the pixels.
    let initial = (0..COLORS).map(|k| {
        let share = if k < COLORS / 2 { k * 4 } else { 32 + (k - COLORS / 2) * 12 };
        points[order[share * (order.len() - 1) / 128]]
    });
    let mut centres: Vec<[i32; 3]> = initial.collect();
    for _ in 0..12 {
        let mut sums = [[0i32; 4]; COLORS];
        for p in &points {
            let sum = &mut sums[nearest(&centres, p)];
            for c in 0..3 {
                sum[c] += p[c];
            }
            sum[3] += 1;
        }
        for (centre, sum) in centres.iter_mut().zip(sums) {
            if sum[3] > 0 {
                *centre = [0, 1, 2].map(|c| (sum[c] + sum[3] / 2) / sum[3]);
            }
        }
    }
    let pixels = points
        .iter()
        .map(|p| {
            let [r, g, b] = centres[nearest(&centres, p)].map(|v| v as u16);
            (r >> 3) << 11 | (g >> 2) << 5 | b >> 3
        })
        .collect();
    Rgb565 { pixels, ..picture.clone() }
}

/// The file's bytes.
///
/// # Panics
/// If a picture has another size than a card's or more than 16 colours.
pub(crate) fn write(net: &Net, model_sha256: &[u8; 32], goldens: &[Golden]) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    file.extend((goldens.len() as u16).to_le_bytes());
    file.extend((reader::OUTPUTS as u16).to_le_bytes());
    file.extend(&model_sha256[..8]);
    let quant = net.output().quant;
    file.extend(quant.scale.to_le_bytes());
    file.extend(quant.zero.to_le_bytes());
    for golden in goldens {
        assert_eq!(golden.picture.pixels.len(), PIXELS, "a card's picture");
        let outputs = reference::run(net, &golden.picture.network_input());
        file.extend(outputs.iter().flat_map(|v| v.to_le_bytes()));
        file.push(golden.card.index() as u8);
        let mut colors = golden.picture.pixels.clone();
        colors.sort_unstable();
        colors.dedup();
        assert!(colors.len() <= COLORS, "{} colours", colors.len());
        let pixels = golden.picture.pixels.iter();
        let places: Vec<u8> = pixels
            .map(|p| colors.binary_search(p).expect("each colour is one of the picture's") as u8)
            .collect();
        let pairs = places.chunks_exact(2).map(|pair| pair[0] | pair[1] << 4);
        colors.resize(COLORS, 0);
        file.extend(colors.iter().flat_map(|c| c.to_le_bytes()));
        file.extend(pairs);
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantise::{ActivationRanges, Calibration, quantise};
    use crate::{board::fields, sample};
    use setsight_photo::print::card;

    #[test]
    fn drawn_crops_show_balanced_cards_of_many_kinds() {
        let crops = drawn(10, 5);
        assert!(crops.len() > 100, "{}", crops.len());
        let mut bright = 0;
        for crop in &crops {
            assert_eq!(crop.bytes, super::super::bytes_of(&crop.planes));
            let mut green = crop.planes.values[96 * 64..2 * 96 * 64].to_vec();
            green.sort_by(f32::total_cmp);
            let white = green[green.len() * 85 / 100];
            bright += usize::from((0.8..=1.0).contains(&white));
        }
        assert!(bright * 100 >= crops.len() * 97, "{bright} of {}", crops.len());
        assert_eq!(drawn(3, 5)[7].bytes, crops[7].bytes, "the same seed, the same crops");
    }

    #[test]
    fn a_photographed_card_lies_straight_again() {
        // The left third is red, on white.
        let picture = RgbImage::from_fn(300, 200, |x, _| {
            image::Rgb(if x < 100 { [200, 30, 30] } else { [240, 235, 230] })
        });
        let mut dice = Dice::new(1, 2, Purpose::Camera);
        for _ in 0..6 {
            let (frame, quad) = on_a_table(&picture, &mut dice).unwrap();
            let card = board::card(&frame, &quad.0.map(|p| (p.x as i32, p.y as i32)));
            // In either direction, because a card looks the same after half a turn.
            let [left, middle, right] =
                [12, 48, 84].map(|x| board::fields(card.pixels[32 * 96 + x])[1]);
            assert!(middle > 50 && left.min(right) < 20 && left.max(right) > 50);
        }
        assert!(on_a_table(&RgbImage::new(2, 2), &mut dice).is_none());
    }

    const HEADER: usize = 4 + 2 + 2 + 8 + 4 + 4;
    const RECORD: usize = reader::OUTPUTS + 1 + 2 * COLORS + PIXELS / 2;

    fn picture(index: usize) -> Rgb565 {
        let print = card::Print::default();
        let face = card::picture(Card::from_index(index), &print, 96, 230, [0; 3]);
        let face = image::imageops::crop_imm(&face, 0, 0, 96, 61).to_image();
        let mut picture = Rgb565::from_image(&face);
        picture.pixels.resize(PIXELS, 0);
        picture.height = reader::HEIGHT;
        picture
    }

    #[test]
    fn sixteen_colors_keep_a_card_recognisable() {
        let full = picture(77);
        let few = in_few_colors(&full);
        let mut colors = few.pixels.clone();
        colors.sort_unstable();
        colors.dedup();
        assert!((4..=16).contains(&colors.len()), "{}", colors.len());
        let pairs = full.pixels.iter().zip(&few.pixels);
        let off: u32 =
            pairs.map(|(&a, &b)| u32::from(fields(a)[1].abs_diff(fields(b)[1])) * 4).sum();
        assert!(off < 6 * PIXELS as u32, "{off}");
    }

    #[test]
    fn a_record_holds_the_outputs_and_the_card() {
        let graph = sample::graph(1);
        let crops = [sample::crop(1), sample::crop(2)];
        let net =
            quantise(&graph, &ActivationRanges::over(&graph, &crops), Calibration::MinMax).unwrap();
        let golden =
            |i: usize| Golden { picture: in_few_colors(&picture(i)), card: Card::from_index(i) };
        let sha = [7; 32];
        let file = write(&net, &sha, &[golden(3), golden(80)]);
        assert_eq!((&file[..8], file.len()), (&b"SSG1\x02\0\x11\0"[..], HEADER + 2 * RECORD));
        for (i, card) in [3, 80].into_iter().enumerate() {
            let (outputs, rest) = file[HEADER + i * RECORD..].split_at(reader::OUTPUTS);
            let expected = reference::run(&net, &golden(card).picture.network_input());
            assert_eq!(outputs.iter().map(|&b| b.cast_signed()).collect::<Vec<_>>(), expected);
            assert_eq!(usize::from(rest[0]), card);
        }
    }
}
