//! The board's path from a frame to the network's input, step by step as in its firmware, and
//! what it makes of one frame, the network's reading of each card: a frame
//! of 320 x 240 in RGB565, a window around the card, rectified by nearest-neighbour sampling, and
//! white-balanced on the card's own stock with integer gains.
//!
//! The scripts in `crates/h7/board` do the same with the firmware's functions. The firmware's
//! behaviour was read in its sources; nothing here was tested on a board.

use super::float::{Planes, card_of, int8_logits};
use super::{folder::SOURCES, net::Net};
use image::RgbImage;
use setsight_game::cards::Card;
use setsight_nets::reader;
use setsight_photo::geometry::{Homography, Point, Quad};

/// Width of a frame in pixels.
pub(crate) const FRAME_WIDTH: usize = 320;
/// Height of a frame in pixels.
pub(crate) const FRAME_HEIGHT: usize = 240;

/// An RGB565 picture: red in the five high bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rgb565 {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Row by row.
    pub pixels: Vec<u16>,
}

/// Red, green and blue in the board's precision: 5, 6 and 5 bits.
pub(crate) fn fields(pixel: u16) -> [u16; 3] {
    [pixel >> 11, pixel >> 5 & 63, pixel & 31]
}

fn pixel(red: u16, green: u16, blue: u16) -> u16 {
    red << 11 | green << 5 | blue
}

impl Rgb565 {
    /// Truncates each channel of a picture.
    pub(crate) fn from_image(image: &RgbImage) -> Self {
        let pixels = image
            .pixels()
            .map(|p| {
                let [r, g, b] = p.0.map(u16::from);
                pixel(r >> 3, g >> 2, b >> 3)
            })
            .collect();
        Self { width: image.width() as usize, height: image.height() as usize, pixels }
    }

    /// 8 bits per channel, with the upper bits repeated below: 0 stays 0, full scale becomes 255.
    pub fn channels(&self) -> impl Iterator<Item = [u8; 3]> {
        self.pixels.iter().map(|&p| {
            let [r, g, b] = fields(p);
            [r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2].map(|v| v as u8)
        })
    }

    /// What the firmware puts into the network: each byte XOR 0x80, pixel by pixel.
    pub(crate) fn network_input(&self) -> Vec<i8> {
        self.channels().flatten().map(|v| i8::from_le_bytes([v ^ 0x80])).collect()
    }

    /// The input of the floating-point network.
    pub(crate) fn planes(&self) -> Planes {
        let mut values = vec![0.0; 3 * self.pixels.len()];
        for (i, channels) in self.channels().enumerate() {
            for (c, v) in channels.into_iter().enumerate() {
                values[c * self.pixels.len() + i] = f32::from(v) * reader::INPUT_SCALE;
            }
        }
        Planes { channels: 3, rows: self.height, columns: self.width, values }
    }
}

/// The window of a frame that becomes a card's picture, and the card's corners in that picture.
struct View {
    /// Left, top, width, height in the frame.
    window: [usize; 4],
    /// In pixels of the picture of [`reader::WIDTH`] x [`reader::HEIGHT`], relative to pixel
    /// centres.
    corners: [(f64, f64); 4],
}

/// A window of the picture's own size if the card fits in it, so that nothing is resampled twice;
/// otherwise the card's bounding box.
fn view(frame: &Rgb565, corners: &[(i32, i32); 4]) -> View {
    let (across, down) = (corners.map(|c| c.0), corners.map(|c| c.1));
    let (x, width, fits_x) = bounds(across, frame.width, reader::WIDTH);
    let (y, height, fits_y) = bounds(down, frame.height, reader::HEIGHT);
    let window = if fits_x && fits_y {
        [x, y, width, height]
    } else {
        let ([left, right], [top, low]) = (ends(across, frame.width), ends(down, frame.height));
        [left, top, right - left + 1, low - top + 1].map(|v| v as usize)
    };
    View {
        window,
        corners: corners.map(|(x, y)| {
            (
                place(x, window[0], window[2], reader::WIDTH),
                place(y, window[1], window[3], reader::HEIGHT),
            )
        }),
    }
}

/// The least and the greatest of some coordinates, within the picture.
fn ends(values: [i32; 4], limit: usize) -> [i32; 2] {
    let [a, b, c, d] = values;
    [a.min(b).min(c).min(d), a.max(b).max(c).max(d)].map(|v| v.clamp(0, limit as i32 - 1))
}

/// Where a window begins and how long it is; whether it has the picture's own size.
fn bounds(values: [i32; 4], limit: usize, size: usize) -> (usize, usize, bool) {
    let [low, high] = ends(values, limit);
    let extent = (high - low + 1) as usize;
    if extent > size {
        return (low as usize, extent, false);
    }
    let last = limit as i32 - size as i32;
    ((low + high + 1 - size as i32).div_euclid(2).clamp(0, last) as usize, size, true)
}

/// A coordinate in the scaled window.
fn place(v: i32, first: usize, extent: usize, size: usize) -> f64 {
    if extent == size {
        return f64::from(v) - first as f64;
    }
    // The centre of the pixel in the scaled window, in whole pixels.
    let at =
        ((2 * i64::from(v) - 2 * first as i64 + 1) * size as i64).div_euclid(2 * extent as i64);
    at as f64
}

/// A card of a frame as a picture of [`reader::WIDTH`] x [`reader::HEIGHT`], without white balance.
/// Corners are whole pixels of the frame, clockwise, starting with a long side. A quadrilateral
/// with three collinear corners gives a black picture.
fn straighten(frame: &Rgb565, corners: &[(i32, i32); 4]) -> Rgb565 {
    let (width, height) = (reader::WIDTH, reader::HEIGHT);
    let view = view(frame, corners);
    let [left, top, window_width, window_height] = view.window;
    let mut card = Rgb565 { width, height, pixels: vec![0; width * height] };
    let full = Quad::rectangle((width - 1) as f64, (height - 1) as f64);
    let corners_in_window = Quad::new(view.corners.map(|(x, y)| Point::new(x, y)));
    let Some(window_from_card) = Homography::between(&full, &corners_in_window) else {
        return card;
    };
    for y in 0..height {
        for x in 0..width {
            let p = window_from_card.apply(Point::new(x as f64, y as f64));
            let (x_from, y_from) = ((p.x + 0.5).floor(), (p.y + 0.5).floor());
            if (0.0..width as f64).contains(&x_from) && (0.0..height as f64).contains(&y_from) {
                let left = left + x_from as usize * window_width / width;
                let top = top + y_from as usize * window_height / height;
                card.pixels[y * width + x] = frame.pixels[top * frame.width + left];
            }
        }
    }
    card
}

/// Step between the pixels sampled for the card's white, in both directions.
const WHITE_STEP: usize = 4;
/// Percentile of the sampled pixels that is taken as white. Symbols cover up to a third of a card,
/// as on the desktop.
const WHITE_PERCENT: usize = 85;
/// [`reader::WHITE`] as the firmware's gain numerators: in 64ths of the red and blue fields and
/// 32nds of the green one. Half a step above the value, because the product is rounded down.
const TARGET: [u32; 3] = [1818, 1830, 1818];
/// Maximum gains of the firmware: sixteenfold.
const LARGEST_FACTOR: [u32; 3] = [1024, 512, 1024];
/// Right shift of the product in each channel.
const FACTOR_BITS: [u32; 3] = [6, 5, 6];

/// Gains that bring a card's white to [`reader::WHITE`]: red and blue in 64ths, green in 32nds.
fn balance_factors(card: &Rgb565) -> [u32; 3] {
    let mut counts = [[0usize; 64]; 3];
    let mut looked_at = 0;
    for y in (WHITE_STEP / 2..card.height).step_by(WHITE_STEP) {
        for x in (WHITE_STEP / 2..card.width).step_by(WHITE_STEP) {
            for (counts, v) in counts.iter_mut().zip(fields(card.pixels[y * card.width + x])) {
                counts[usize::from(v)] += 1;
            }
            looked_at += 1;
        }
    }
    let rank = looked_at * WHITE_PERCENT / 100;
    let mut factors = [0; 3];
    for c in 0..3 {
        let mut count = 0;
        let white = counts[c].iter().position(|&n| {
            count += n;
            count > rank
        });
        let white = white.unwrap_or(63).max(1) as u32;
        factors[c] = ((TARGET[c] + white / 2) / white).min(LARGEST_FACTOR[c]);
    }
    factors
}

/// Applies white balance, so that the card's stock becomes [`reader::WHITE`].
fn balance(card: &mut Rgb565) {
    let factors = balance_factors(card);
    for p in &mut card.pixels {
        let f = fields(*p);
        let full = [31, 63, 31];
        let [r, g, b] = [0, 1, 2]
            .map(|c| ((u32::from(f[c]) * factors[c]) >> FACTOR_BITS[c]).min(full[c]) as u16);
        *p = pixel(r, g, b);
    }
}

/// Rectifies and balances one card.
pub fn card(frame: &Rgb565, corners: &[(i32, i32); 4]) -> Rgb565 {
    let mut card = straighten(frame, corners);
    balance(&mut card);
    card
}

/// A photo as the board would take it: the part around the cards, rotated to landscape and scaled
/// down to a frame.
#[derive(Clone, Debug)]
pub struct Framed {
    /// 320 x 240.
    pub frame: Rgb565,
    /// The given quadrilaterals, in whole pixels of the frame, clockwise, starting with a long
    /// side.
    pub corners: Vec<[(i32, i32); 4]>,
}

/// Margin around the cards, as a fraction of their extent.
const FRAME_MARGIN: f64 = 0.06;

/// Frames a photo around some cards, as a person would aim the camera. `None` without cards.
pub fn frame_photo(photo: &RgbImage, cards: &[Quad]) -> Option<Framed> {
    let first = cards.first()?.0[0];
    let (mut low, mut high) = (first, first);
    for p in cards.iter().flat_map(|quad| quad.0) {
        low = Point::new(low.x.min(p.x), low.y.min(p.y));
        high = Point::new(high.x.max(p.x), high.y.max(p.y));
    }
    let margin = FRAME_MARGIN * (high.x - low.x).max(high.y - low.y);
    let upright = high.y - low.y > high.x - low.x;
    let aspect = FRAME_WIDTH as f64 / FRAME_HEIGHT as f64;
    let aspect = if upright { 1.0 / aspect } else { aspect };
    let (mut width, mut height) = (high.x - low.x + 2.0 * margin, high.y - low.y + 2.0 * margin);
    width = width.max(height * aspect);
    height = height.max(width / aspect);
    let center = (low + high) / 2.0;
    let (x, y) = (origin(center.x, width, photo.width()), origin(center.y, height, photo.height()));
    let (out_width, out_height) =
        if upright { (FRAME_HEIGHT, FRAME_WIDTH) } else { (FRAME_WIDTH, FRAME_HEIGHT) };
    let scale = out_width as f64 / width;
    let mut small = shrink(photo, x, y, 1.0 / scale, out_width as u32, out_height as u32);
    if upright {
        small = image::imageops::rotate90(&small);
    }
    let corners = cards
        .iter()
        .map(|quad| {
            quad.0.map(|p| {
                let (u, v) = ((p.x - x) * scale, (p.y - y) * scale);
                let (u, v) = if upright { (FRAME_WIDTH as f64 - v, u) } else { (u, v) };
                (u.floor() as i32, v.floor() as i32)
            })
        })
        .collect();
    Some(Framed { frame: Rgb565::from_image(&small), corners })
}

/// Where the frame begins. It lies inside the photo if the photo is large enough; outside it is black.
fn origin(center: f64, size: f64, limit: u32) -> f64 {
    let limit = f64::from(limit);
    if size >= limit {
        (limit - size) / 2.0
    } else {
        (center - size / 2.0).clamp(0.0, limit - size)
    }
}

/// Area averaging: each output pixel takes as many samples per side as the input pixels it covers.
fn shrink(photo: &RgbImage, x: f64, y: f64, step: f64, width: u32, height: u32) -> RgbImage {
    let samples = (step.ceil() as u32).clamp(1, 64);
    RgbImage::from_fn(width, height, |i, j| {
        let mut sum = [0.0f64; 3];
        for v in 0..samples {
            for u in 0..samples {
                let [px, py] = [(x, i, u), (y, j, v)].map(|(first, cell, part)| {
                    first + (f64::from(cell) + (f64::from(part) + 0.5) / f64::from(samples)) * step
                });
                if px >= 0.0
                    && py >= 0.0
                    && px < f64::from(photo.width())
                    && py < f64::from(photo.height())
                {
                    let p = photo.get_pixel(px as u32, py as u32).0;
                    sum = [0, 1, 2].map(|c| sum[c] + f64::from(p[c]));
                }
            }
        }
        let n = f64::from(samples * samples);
        image::Rgb(sum.map(|s| (s / n + 0.5) as u8))
    })
}

/// A card of a frame as the board reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardReading {
    /// The likeliest card.
    pub card: Card,
    /// Whether the board would write it with a question mark: by the limits of its script, or
    /// because another card of the frame is read as the same.
    pub unsure: bool,
}

/// The cards of a frame by one reading each. The board sums several frames, and weighs ink and the
/// rest of the table besides.
pub fn read_cards(net: &Net, framed: &Framed) -> Vec<BoardReading> {
    let mut cards: Vec<BoardReading> = framed
        .corners
        .iter()
        .map(|corners| {
            let logits = int8_logits(net, &card(&framed.frame, corners).network_input());
            BoardReading { card: card_of(&logits), unsure: is_unsure(&logits) }
        })
        .collect();
    let sure: Vec<Card> =
        cards.iter().filter(|reading| !reading.unsure).map(|reading| reading.card).collect();
    for reading in &mut cards {
        reading.unsure |= sure.iter().filter(|card| **card == reading.card).count() > 1;
    }
    cards
}

/// Whether logits are too weak for the script `card_reader.py`.
fn is_unsure(logits: &[f32]) -> bool {
    let margin = (0..reader::PROPERTIES)
        .map(|p| {
            let mut three = [logits[3 * p], logits[3 * p + 1], logits[3 * p + 2]];
            three.sort_by(f32::total_cmp);
            three[2] - three[1]
        })
        .fold(f32::INFINITY, f32::min);
    let card = logits[reader::CARD];
    margin < limit("MARGIN")
        || card < limit("SURE_LOGIT")
        || (margin < limit("WEAK_MARGIN") && card < limit("WEAK_LOGIT"))
}

/// A limit as the board's script has it.
fn limit(name: &str) -> f32 {
    let scripts = SOURCES.iter().flat_map(|(_, text)| text.lines());
    let mut values = scripts.filter_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
    values.next().and_then(|value| value.parse().ok()).expect("a number in the script")
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::Rgb;

    #[test]
    fn fields_widen_to_full_bytes() {
        let image = RgbImage::from_pixel(2, 1, Rgb([255, 128, 7]));
        let small = Rgb565::from_image(&image);
        assert_eq!(fields(small.pixels[0]), [31, 32, 0]);
        assert_eq!(small.channels().next(), Some([255, 130, 0]));
        assert_eq!(small.network_input()[..3], [127, 2, -128]);
    }

    fn frame_with_card(corners: [(i32, i32); 4]) -> Rgb565 {
        let quad = Quad::new(corners.map(|(x, y)| Point::new(f64::from(x), f64::from(y))));
        let unit = Quad::rectangle(1.0, 1.0);
        let card_from_frame = Homography::between(&quad, &unit).unwrap();
        Rgb565::from_image(&RgbImage::from_fn(320, 240, |x, y| {
            let p = card_from_frame.apply(Point::new(f64::from(x), f64::from(y)));
            let inside = (-0.01..=1.01).contains(&p.x) && (-0.01..=1.01).contains(&p.y);
            match (inside, p.x < 0.25, p.y < 0.5) {
                (false, ..) => Rgb([20, 60, 20]),
                (true, true, true) => Rgb([120, 20, 20]),
                _ => Rgb([200, 180, 140]),
            }
        }))
    }

    #[test]
    fn a_card_is_straightened_and_its_white_balanced() {
        // One fits the window, one is upright and larger, one is at the frame's edge.
        for corners in [
            [(100, 100), (170, 104), (168, 148), (97, 144)],
            [(60, 190), (62, 40), (160, 44), (156, 196)],
            [(2, 3), (70, 1), (71, 40), (4, 44)],
        ] {
            let card = card(&frame_with_card(corners), &corners);
            let at = |x: usize, y: usize| fields(card.pixels[y * 96 + x]);
            for (x, y) in [(40, 10), (90, 58), (5, 58), (60, 32)] {
                for (v, full) in at(x, y).into_iter().zip([31.0, 63.0, 31.0]) {
                    let share = f32::from(v) / full;
                    assert!((share - reader::WHITE).abs() < 0.05, "{x},{y}: {share} {corners:?}");
                }
            }
            let [r, g, b] = at(8, 8);
            assert!(r >= 15 && g < 10 && b < 8, "{:?} {corners:?}", [r, g, b]);
        }
    }

    #[test]
    fn impossible_corners_give_a_black_card() {
        let frame = Rgb565 { width: 320, height: 240, pixels: vec![0xffff; 320 * 240] };
        let card = straighten(&frame, &[(10, 10), (20, 20), (30, 30), (40, 40)]);
        assert!(card.pixels.iter().all(|&p| p == 0));
        // Far outside the frame.
        let card = straighten(&frame, &[(900, 900), (960, 900), (960, 940), (900, 940)]);
        assert_eq!(card.pixels.len(), 96 * 64);
    }

    #[test]
    fn a_photo_is_framed_around_its_cards_and_turned() {
        let photo = RgbImage::from_fn(600, 1200, |x, y| Rgb([(x / 4) as u8, (y / 8) as u8, 0]));
        let quad =
            |x: f64, y: f64| Quad::new(Quad::rectangle(90.0, 60.0).0.map(|p| p + Point::new(x, y)));
        let framed = frame_photo(&photo, &[quad(100.0, 100.0), quad(400.0, 1000.0)]).unwrap();
        assert_eq!((framed.frame.width, framed.frame.height), (320, 240));
        for (corners, (x, y)) in framed.corners.iter().zip([(100.0, 100.0), (400.0, 1000.0)]) {
            let (u, v) = corners[0];
            let [r, g, _] = fields(framed.frame.pixels[v as usize * 320 + u as usize]);
            assert!((f64::from(r) * 8.0 - x / 4.0).abs() < 10.0, "{r} {x}");
            assert!((f64::from(g) * 4.0 - y / 8.0).abs() < 6.0, "{g} {y}");
        }
        assert!(frame_photo(&photo, &[]).is_none());
    }

    /// Logits with this margin in each property, and this one for a card.
    fn logits(margin: f32, card: f32) -> Vec<f32> {
        let mut logits = vec![0.0; reader::OUTPUTS];
        (0..reader::PROPERTIES).for_each(|p| logits[3 * p] = margin);
        logits[reader::CARD] = card;
        logits
    }

    #[test]
    fn the_limits_of_the_script_decide() {
        let (margin, card) = (limit("MARGIN"), limit("SURE_LOGIT"));
        let (weak_margin, weak_card) = (limit("WEAK_MARGIN"), limit("WEAK_LOGIT"));
        assert!(!is_unsure(&logits(weak_margin + 0.1, card + 0.1)));
        assert!(!is_unsure(&logits(margin + 0.1, weak_card + 0.1)));
        assert!(is_unsure(&logits(margin - 0.1, 9.0)));
        assert!(is_unsure(&logits(9.0, card - 0.1)));
        assert!(is_unsure(&logits(margin + 0.1, card + 0.1)));
    }
}
