//! Which colour a card's ink has among the inks of its table.
//!
//! By itself a thin outline in warm light can be red as well as purple; beside the table's other
//! cards it is one of them. What an ink takes from the light of each channel, as shares of all that
//! it takes, hardly depends on how much of it there is: a blurred outline has the shares of a filled
//! symbol (Beer 1852). A camera and a lamp shift them, but those of a whole table alike.

use crate::cards::Color;
use crate::model::reader;
use crate::pipeline::CardImage;
use crate::pipeline::rectify::BALANCED_WHITE;
use std::sync::LazyLock;

/// Shares of what an ink takes from the light, in R and G; that in B is the rest.
pub type Ink = [f32; 2];

/// Mean shares of the three inks, in [`Color::ALL`] order, over drawn cards in all kinds of light.
const USUAL: [Ink; 3] = [[0.41, 0.24], [0.33, 0.41], [0.11, 0.45]];
/// Deviation of a card's shares among cards of one colour.
const DEVIATION: f32 = 0.07;
/// As many cards would tell a table's shift as well as it is known without any.
const SHIFT_KNOWN: f32 = 3.0;
/// The same of one colour's mean, the table's shift being known.
const MEAN_KNOWN: f32 = 2.0;
/// With as many cards beside it, a card's shares are believed half.
const TABLE_BELIEVED: f32 = 4.0;

/// What ink takes from the light where 0 to 255 is left of it: the negative natural logarithm. From a
/// table, since a logarithm for each pixel would cost more than the network does.
static TAKEN: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|v| {
        let light = v.max(6) as f32 / (255.0 * BALANCED_WHITE);
        (-light.ln()).max(0.0)
    })
});

/// The shares of a card's ink; `None` where it shows next to none.
pub fn ink_of(card: &CardImage) -> Option<Ink> {
    /// Where symbols are, in sides.
    const SYMBOLS: ((f32, f32), (f32, f32)) = ((0.06, 0.94), (0.12, 0.88));
    /// Less than this, as a sum of natural logarithms, is no ink.
    const LEAST: f32 = 0.25;
    let (width, height) = (card.pixels.width() as f32, card.pixels.height() as f32);
    let ((left, right), (top, bottom)) = SYMBOLS;
    let mut taken: Vec<[f32; 4]> = Vec::new();
    for y in (top * height) as u32..(bottom * height) as u32 {
        for x in (left * width) as u32..(right * width) as u32 {
            let [r, g, b] = card.pixels.get_pixel(x, y).0.map(|v| TAKEN[usize::from(v)]);
            taken.push([r + g + b, r, g, b]);
        }
    }
    let strong = taken.len() * 98 / 100;
    let strongest = taken.select_nth_unstable_by(strong, |a, b| a[0].total_cmp(&b[0])).1[0];
    if strongest < LEAST {
        return None;
    }
    let inked = taken.iter().filter(|taken| taken[0] > 0.5 * strongest);
    let sum = inked.fold([0.0f32; 4], |sum, taken| std::array::from_fn(|i| sum[i] + taken[i]));
    Some([sum[1] / sum[0], sum[2] / sum[0]])
}

/// For each card the log likelihood of each colour (in [`Color::ALL`] order, up to a constant) by its
/// ink beside the others', whose colours the network's `logits` tell; the less they are worth, the
/// nearer to nought, and nought for a card alone.
pub fn colors_beside(inks: &[Option<Ink>], logits: &[[f32; reader::OUTPUTS]]) -> Vec<[f32; 3]> {
    let thought: Vec<[f32; 3]> = inks
        .iter()
        .zip(logits)
        .map(|(ink, logits)| {
            let is_card = 1.0 / (1.0 + (-logits[reader::CARD]).exp());
            let at = 3 * crate::cards::Property::Color as usize;
            let scores = &logits[at..at + Color::ALL.len()];
            let most = scores.iter().copied().fold(f32::MIN, f32::max);
            let odds: [f32; 3] = std::array::from_fn(|c| (scores[c] - most).exp());
            let sum: f32 = odds.iter().sum();
            // A colour that is itself in doubt teaches nothing about that colour.
            let worth = if ink.is_some() { is_card } else { 0.0 };
            odds.map(|o| worth * (o / sum).powi(3))
        })
        .collect();
    (0..inks.len()).map(|i| beside(i, inks, &thought)).collect()
}

fn beside(i: usize, inks: &[Option<Ink>], thought: &[[f32; 3]]) -> [f32; 3] {
    let Some(own) = inks[i] else { return [0.0; 3] };
    // Sums over the other cards: how many of each colour, and their shares.
    let (mut count, mut sums) = ([0.0f32; 3], [[0.0f32; 2]; 3]);
    for (k, (ink, thought)) in inks.iter().zip(thought).enumerate() {
        let Some(ink) = ink.filter(|_| k != i) else { continue };
        for c in 0..3 {
            count[c] += thought[c];
            (0..2).for_each(|d| sums[c][d] += thought[c] * ink[d]);
        }
    }
    let all: f32 = count.iter().sum();
    let shift: [f32; 2] = std::array::from_fn(|d| {
        let off: f32 = (0..3).map(|c| sums[c][d] - count[c] * USUAL[c][d]).sum();
        off / (all + SHIFT_KNOWN)
    });
    let believed = all / (all + TABLE_BELIEVED);
    std::array::from_fn(|c| {
        let off: f32 = (0..2)
            .map(|d| {
                let expected = USUAL[c][d] + shift[d];
                let mean = (sums[c][d] + MEAN_KNOWN * expected) / (count[c] + MEAN_KNOWN);
                (own[d] - mean).powi(2)
            })
            .sum();
        // Far from all of them, shares tell little of which is nearest.
        -believed * (off / (2.0 * DEVIATION * DEVIATION)).min(8.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::{CARD_LONG_PX, CARD_SHORT_PX};
    use image::{Rgb, RgbImage};

    fn card(ink: [u8; 3]) -> CardImage {
        let white = (255.0 * BALANCED_WHITE) as u8;
        let mut pixels = RgbImage::from_pixel(CARD_LONG_PX, CARD_SHORT_PX, Rgb([white; 3]));
        for y in 40..80 {
            for x in 80..110 {
                pixels.put_pixel(x, y, Rgb(ink));
            }
        }
        CardImage {
            pixels,
            white_in_image: [200.0; 3],
            light_cast: 0.0,
            long_side_in_image_px: 110.0,
            in_place: None,
            shared: 0.0,
        }
    }

    fn logits(color: usize) -> [f32; reader::OUTPUTS] {
        let mut logits = [0.0; reader::OUTPUTS];
        logits[6 + color] = 8.0;
        logits[reader::CARD] = 8.0;
        logits
    }

    #[test]
    fn shares_do_not_depend_on_how_much_ink_there_is() {
        let full = ink_of(&card([60, 30, 110])).unwrap();
        // Half of every logarithm.
        let half = [60.0f32, 30.0, 110.0].map(|v| (v / 229.5).sqrt() * 229.5);
        let pale = ink_of(&card(half.map(|v| v as u8))).unwrap();
        assert!((full[0] - pale[0]).abs() < 0.01 && (full[1] - pale[1]).abs() < 0.01);
        assert!((full[0] + full[1] + (110f32 / 229.5).ln() / -4.1) > 0.8);
        assert_eq!(ink_of(&card([229; 3])), None);
    }

    #[test]
    fn a_doubtful_ink_is_that_of_its_like_on_the_table() {
        // Between red and purple as inks usually are.
        let doubtful = [0.21, 0.43];
        let unsure = [0.0; reader::OUTPUTS];
        let table = |shift: f32| -> [f32; 3] {
            let mut inks = vec![Some(doubtful)];
            let mut said = vec![unsure];
            for (color, [r, g]) in USUAL.into_iter().enumerate() {
                for _ in 0..4 {
                    inks.push(Some([r + shift, g]));
                    said.push(logits(color));
                }
            }
            colors_beside(&inks, &said)[0]
        };
        let (cold, warm) = (table(0.1), table(-0.1));
        assert!(cold[2] > cold[1] + 1.0, "{cold:?}");
        assert!(warm[1] > warm[2] + 1.0, "{warm:?}");
        let alone = colors_beside(&[Some(doubtful)], &[unsure])[0];
        assert_eq!(alone, [0.0; 3]);
    }
}
