//! Inputs and outputs for the board's self-test: drawn cards in 16 colours, to keep the file small
//! on the board's flash.
//!
//! Little endian: `SSG1`, the number of pictures and of outputs (16 bits each), the first 8 bytes
//! of the SHA-256 of `card.tflite`, the output's scale (32-bit float) and zero point (32 bits);
//! then for each picture its outputs (one byte each), the card's index (one byte), 16 colours
//! (RGB565, 16 bits each) and 96 x 64 pixels, two per byte, the left one in the lower four bits.

use super::{board::Rgb565, net::Net, reference};
use setsight_game::cards::Card;
use setsight_nets::reader;

/// The first bytes of the file.
const MAGIC: &[u8; 4] = b"SSG1";
const COLORS: usize = 16;
const PIXELS: usize = reader::WIDTH * reader::HEIGHT;

/// One picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Golden {
    /// 96 x 64, at most 16 colours.
    pub picture: Rgb565,
    /// The card drawn.
    pub card: Card,
}

/// Reduces the picture to 16 colours: k-means in RGB, with initial colours evenly spaced in
/// brightness.
pub(crate) fn in_few_colors(picture: &Rgb565) -> Rgb565 {
    let points: Vec<[i32; 3]> = picture.channels().map(|c| c.map(i32::from)).collect();
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|&i| points[i].iter().sum::<i32>());
    // Dark and mid-tone pixels are few but matter most: half of the initial colours come from the
    // darker quarter of the pixels.
    let begin = |k: usize| {
        let share = if k < COLORS / 2 { k * 4 } else { 32 + (k - COLORS / 2) * 12 };
        points[order[share * (order.len() - 1) / 128]]
    };
    let mut centres: Vec<[i32; 3]> = (0..COLORS).map(begin).collect();
    let nearest = |centres: &[[i32; 3]], p: &[i32; 3]| {
        let distance = |c: &[i32; 3]| -> i32 { c.iter().zip(p).map(|(a, b)| (a - b).pow(2)).sum() };
        (0..COLORS).min_by_key(|&k| distance(&centres[k])).expect("sixteen")
    };
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
        let place = |p: u16| colors.iter().position(|&c| c == p).expect("all are there") as u8;
        let pairs = golden.picture.pixels.chunks_exact(2);
        let pixels: Vec<u8> = pairs.map(|p| place(p[0]) | place(p[1]) << 4).collect();
        colors.resize(COLORS, 0);
        file.extend(colors.iter().flat_map(|c| c.to_le_bytes()));
        file.extend(pixels);
    }
    file
}

/// Formats bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantise::{ActivationRanges, Calibration, quantise};
    use crate::{board::fields, sample};
    use setsight_photo::print::card;

    const HEADER: usize = 4 + 2 + 2 + 8 + 4 + 4;
    const RECORD: usize = reader::OUTPUTS + 1 + 2 * COLORS + PIXELS / 2;

    fn picture(index: usize) -> Rgb565 {
        let print = card::Print::default();
        let face = card::picture(Card::from_index(index), &print, 96, 230, [0; 3]);
        let face = image::imageops::crop_imm(&face, 0, 0, 96, 61).to_image();
        let mut picture = Rgb565::of(&face);
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
