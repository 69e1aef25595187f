//! Draws a photo's cards and sets on it.
//!
//! Every set has a colour and a number. A card in several sets carries one outline for each,
//! nested, and a numbered disc for each. The colours are Okabe and Ito's ("Color universal design",
//! 2008), which people with any kind of colour vision can distinguish. From the eighth set on they
//! repeat with a line in their middle, and the numbers remain unique. Probable sets are dashed, and
//! so are unsure cards, with a question mark, and with their likeliest name if a probable set depends on
//! them.

mod paint;

pub(crate) use paint::Dash;
pub(crate) use paint::{disc, rectangle, text, text_width};
pub use paint::{offset, outline, text_centred};

use super::{card::ReadCard, table_reading::TableReading};
use image::{Rgb, RgbImage, imageops};
use setsight_game::cards::Property;
use setsight_photo::geometry::{Homography, Point, Quad};

/// Okabe and Ito's colours, without black, because a table may be black.
pub const SET_COLORS: [Rgb<u8>; 7] = [
    Rgb([230, 159, 0]),   // orange
    Rgb([86, 180, 233]),  // sky blue
    Rgb([0, 158, 115]),   // bluish green
    Rgb([240, 228, 66]),  // yellow
    Rgb([0, 114, 178]),   // blue
    Rgb([213, 94, 0]),    // vermillion
    Rgb([204, 121, 167]), // reddish purple
];

const DARK: Rgb<u8> = Rgb([22, 24, 28]);
const LIGHT: Rgb<u8> = Rgb([245, 245, 245]);

/// What is drawn, and how large. Lengths without a unit are shares of a card's long side.
#[derive(Clone, Debug)]
pub struct Style {
    /// Whether each card's code is written on it.
    pub codes: bool,
    /// Whether a strip with all sets is added below the photo.
    pub legend: bool,
    /// Width of one set's outline.
    pub line: f64,
    /// Width of all outlines of a card together, so that its symbols stay visible. If more sets
    /// share a card, their outlines get narrower.
    pub all_lines: f64,
    /// Narrowest outline, in pixels: a narrower one loses its colour when a screen scales it.
    pub min_line_px: f64,
    /// Radius of the numbered discs.
    pub disc: f64,
    /// Smallest radius of the numbered discs, in pixels: on a smaller one the number is unreadable.
    pub min_disc_px: f64,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            codes: false,
            legend: true,
            line: 0.028,
            all_lines: 0.2,
            min_line_px: 2.0,
            disc: 0.075,
            min_disc_px: 8.0,
        }
    }
}

/// The colour of the set with this index.
pub fn set_color(place: usize) -> Rgb<u8> {
    SET_COLORS[place % SET_COLORS.len()]
}

/// A set as it is drawn, sure ones before probable ones.
struct Drawn {
    cards: [usize; 3],
    /// Its place, from which its colour and its number follow.
    place: usize,
    is_probable: bool,
}

impl Drawn {
    /// Its number, with a question mark if it is not sure.
    fn label(&self) -> String {
        format!("{}{}", self.place + 1, if self.is_probable { "?" } else { "" })
    }
}

fn drawn_sets(table: &TableReading) -> Vec<Drawn> {
    let sure = table.sets.iter().map(|set| (set.0, false));
    let all = sure.chain(table.probable_sets.iter().map(|set| (set.cards, true)));
    all.enumerate()
        .map(|(place, (cards, is_probable))| Drawn { cards, place, is_probable })
        .collect()
}

/// Draws the cards and sets of a table on its photo. With a legend, the result is higher than the
/// photo; the photo's pixels keep their coordinates.
pub fn draw(photo: &RgbImage, table: &TableReading, style: &Style) -> RgbImage {
    let sets = drawn_sets(table);
    let sets_of: Vec<Vec<&Drawn>> = (0..table.cards.len())
        .map(|card| sets.iter().filter(|set| set.cards.contains(&card)).collect())
        .collect();
    let mut picture = photo.clone();
    // Outlines first, then discs and codes, so that a neighbour's outline does not hide them.
    for (card, sets) in table.cards.iter().zip(&sets_of) {
        draw_outlines(&mut picture, card, sets, style);
    }
    for (card, sets) in table.cards.iter().zip(&sets_of) {
        draw_marks(&mut picture, card, sets, style);
    }
    // Cards may reach beyond the photo, their outlines do not.
    if style.legend { with_legend(photo, &picture, table, &sets, style) } else { picture }
}

/// Width of the dark rim between and around outlines, as a share of their width; it makes every
/// colour visible on every table.
const RIM: f64 = 0.3;

fn draw_outlines(picture: &mut RgbImage, card: &ReadCard, member_of: &[&Drawn], style: &Style) {
    let quad = &card.corners_in_image;
    let long = quad.long_side();
    let room = style.all_lines * long / (member_of.len() as f64 * (1.0 + RIM) + RIM);
    let width = (style.line * long).max(style.min_line_px).min(room);
    let rim = width * RIM;
    if member_of.is_empty() {
        let dash = card.unsure.then_some(Dash { on_px: 4.0 * width, period_px: 7.0 * width });
        outline(picture, quad, 0.6 * width + 2.0 * rim, DARK, dash);
        outline(picture, quad, 0.6 * width, LIGHT, dash);
        return;
    }
    let step = width + rim;
    let total = step * member_of.len() as f64 + rim;
    // The dark ground of a probable set is dashed, too, unless a sure set shares it.
    let dashes = Dash { on_px: 5.0 * width, period_px: 9.0 * width };
    let all_probable = member_of.iter().all(|set| set.is_probable);
    outline(picture, quad, total, DARK, all_probable.then_some(dashes));
    for (rank, set) in member_of.iter().enumerate() {
        let band = offset(quad, total / 2.0 - rim - width / 2.0 - step * rank as f64);
        let dash = set.is_probable.then_some(dashes);
        outline(picture, &band, width, set_color(set.place), dash);
        if set.place >= SET_COLORS.len() {
            outline(picture, &band, 0.3 * width, DARK, dash);
        }
    }
}

/// Distance between the centres of neighbouring discs, in radii; leaves a gap of a tenth.
const DISC_STEP: f64 = 2.1;

fn draw_marks(picture: &mut RgbImage, card: &ReadCard, member_of: &[&Drawn], style: &Style) {
    let quad = &card.corners_in_image;
    let [start, end, ..] = quad.0;
    let edge = start.distance(end).max(1e-9);
    let along = (end - start) / edge;
    let marks = member_of.len() + usize::from(card.unsure);
    let radius = (style.disc * quad.long_side())
        .max(style.min_disc_px)
        .min(edge / (DISC_STEP * marks as f64).max(1.0));
    let mut at = start + along * radius;
    let mut mark = |color: Rgb<u8>, label: &str| {
        numbered_disc(picture, at, radius, color, label);
        at = at + along * (DISC_STEP * radius);
    };
    if card.unsure {
        mark(LIGHT, "?");
    }
    for set in member_of {
        mark(set_color(set.place), &set.label());
    }
    if style.codes || card.unsure && !member_of.is_empty() {
        let size = (0.13 * quad.long_side()).max(12.0);
        let label = code_of(card);
        // On the lowest side, where a reader expects a caption and no symbol is hidden.
        let sides = (0..4).map(|i| (quad.0[i] + quad.0[(i + 1) % 4]) / 2.0);
        let low = sides.max_by(|a, b| a.y.total_cmp(&b.y)).expect("four sides");
        let inward = quad.center() - low;
        let centre = low + inward / inward.norm().max(1e-9) * (0.25 * size);
        let width = text_width(&label, size);
        let corner = (centre.x - width / 2.0 - 0.2 * size, centre.y - 0.55 * size);
        rectangle(picture, corner, (width + 0.4 * size, 1.1 * size), DARK, 0.8);
        text_centred(picture, centre, size, LIGHT, &label);
    }
}

/// A card's code, with a question mark if it is unsure and instead of each property that is unknown.
fn code_of(card: &ReadCard) -> String {
    if !card.unsure {
        return card.card.to_string();
    }
    let letters = card.card.to_string();
    let is_known = Property::ALL.map(|property| card.property(property).is_some());
    let shown =
        letters.chars().zip(is_known).map(|(letter, is_known)| if is_known { letter } else { '?' });
    // With a single question mark at the end, the whole code is the guess.
    shown.chain(is_known.iter().all(|is_known| *is_known).then_some('?')).collect()
}

fn numbered_disc(picture: &mut RgbImage, at: Point, radius: f64, color: Rgb<u8>, label: &str) {
    disc(picture, at, radius * 1.12, DARK);
    disc(picture, at, radius * 0.95, color);
    let size = radius * if label.len() > 1 { 1.25 } else { 1.6 };
    text_centred(picture, at, size, text_color_on(color), label);
}

/// Dark or light, whichever is easier to read on a colour (by its luma, ITU-R BT.601).
fn text_color_on(color: Rgb<u8>) -> Rgb<u8> {
    let [r, g, b] = color.0.map(f64::from);
    if 0.299 * r + 0.587 * g + 0.114 * b > 110.0 { DARK } else { LIGHT }
}

/// The annotated picture with a strip below it: a summary line, then every set with its number and
/// its three cards cut out of the photo.
fn with_legend(
    photo: &RgbImage,
    annotated: &RgbImage,
    table: &TableReading,
    sets: &[Drawn],
    style: &Style,
) -> RgbImage {
    let width = f64::from(photo.width());
    // Cards in the legend are a sixteenth of the picture wide, within readable sizes.
    let card_width = (width / 16.0).clamp(40.0, 220.0);
    let card_height = (card_width / 1.5).round();
    let pad = (card_width * 0.16).round();
    let size = (card_width * 0.3).max(12.0);
    let radius = (card_width * 0.19).max(9.0);
    let entry_width = 2.0 * radius + 3.0 * (card_width + 0.5 * pad) + 2.5 * pad;
    let code_height = if style.codes { size * 1.1 } else { 0.0 };
    let entry_height = card_height + code_height + pad;
    let columns = (((width - pad) / entry_width) as usize).max(1);
    let rows = sets.len().div_ceil(columns);
    let head = size + 2.0 * pad;
    let foot = if rows == 0 { 0.0 } else { 0.5 * pad };
    let strip = (head + rows as f64 * entry_height + foot).ceil() as u32;
    let mut picture = RgbImage::from_pixel(photo.width(), photo.height() + strip, DARK);
    imageops::replace(&mut picture, annotated, 0, 0);

    let top = f64::from(photo.height());
    text(&mut picture, Point::new(pad, top + head / 2.0), size, LIGHT, &table.counts());
    for (entry, set) in sets.iter().enumerate() {
        let left = pad + (entry % columns) as f64 * entry_width;
        let y = top + head + (entry / columns) as f64 * entry_height;
        let at = Point::new(left + radius, y + card_height / 2.0);
        numbered_disc(&mut picture, at, radius, set_color(set.place), &set.label());
        for (i, &index) in set.cards.iter().enumerate() {
            let card = &table.cards[index];
            let x = left + 2.0 * radius + pad + i as f64 * (card_width + 0.5 * pad);
            let box_size = (card_width as u32, card_height as u32);
            let place = (x as u32, y as u32);
            paste_card(&mut picture, photo, &card.corners_in_image, place, box_size);
            if style.codes {
                let at = Point::new(x + card_width / 2.0, y + card_height + 0.6 * code_height);
                text_centred(&mut picture, at, size * 0.9, LIGHT, &code_of(card));
            }
        }
    }
    picture
}

/// Draws a card of the photo, straightened, at the given size. Each pixel is the mean of 3 x 3
/// samples; without that, the stripes of a large card would alias.
fn paste_card(
    picture: &mut RgbImage,
    photo: &RgbImage,
    corners_in_image: &Quad,
    (left, top): (u32, u32),
    (width, height): (u32, u32),
) {
    let target = Quad::rectangle(width.into(), height.into());
    let Some(image_from_target) = Homography::between(&target, corners_in_image) else { return };
    for y in 0..height {
        for x in 0..width {
            let mut sum = [0u32; 3];
            for (dx, dy) in (0..9).map(|i| (f64::from(i % 3), f64::from(i / 3))) {
                let (sx, sy) = ((dx + 0.5) / 3.0, (dy + 0.5) / 3.0);
                let p = image_from_target.apply(Point::new(f64::from(x) + sx, f64::from(y) + sy));
                // `as` maps negative numbers and NaN to 0.
                let px = (p.x as u32).min(photo.width() - 1);
                let py = (p.y as u32).min(photo.height() - 1);
                for (total, v) in sum.iter_mut().zip(photo[(px, py)].0) {
                    *total += u32::from(v);
                }
            }
            if left + x < picture.width() && top + y < picture.height() {
                picture[(left + x, top + y)] = Rgb(sum.map(|v| (v / 9) as u8));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::card::Guess;

    fn board(codes: &[&str], long: f64) -> Vec<ReadCard> {
        codes
            .iter()
            .enumerate()
            .map(|(i, code)| {
                let at = Point::new((i % 3) as f64, (i / 3) as f64) * (1.2 * long)
                    + Point::new(30.0, 30.0);
                let quad = Quad::new(Quad::rectangle(long, long / 1.5).0.map(|p| p + at));
                ReadCard::new(quad, code.parse().unwrap(), 0.9, false)
            })
            .collect()
    }

    fn table(cards: &[ReadCard]) -> TableReading {
        TableReading::new(cards.to_vec(), (440, 340))
    }

    fn has_color(picture: &RgbImage, color: Rgb<u8>) -> bool {
        picture.pixels().any(|&p| p == color)
    }

    const BARE: Style = Style {
        codes: false,
        legend: false,
        line: 0.028,
        all_lines: 0.2,
        min_line_px: 2.0,
        disc: 0.075,
        min_disc_px: 8.0,
    };

    /// How many pixels of the side without a disc have this colour.
    fn along_the_far_side(picture: &RgbImage, card: &ReadCard, color: Rgb<u8>) -> usize {
        let [_, _, c, d] = card.corners_in_image.0;
        (d.x as u32..c.x as u32)
            .map(|x| picture[(x, c.y as u32)])
            .filter(|p| p.0.iter().zip(color.0).all(|(a, b)| a.abs_diff(b) < 60))
            .count()
    }

    #[test]
    fn a_card_in_two_sets_shows_both() {
        // The first card forms a set with each of the two pairs that follow.
        let cards = board(&["1fgd", "2fgd", "3fgd", "1fpd", "1frd", "2ops"], 100.0);
        let table = table(&cards);
        assert_eq!(table.sets.len(), 2);
        let photo = RgbImage::from_pixel(440, 340, Rgb([250, 250, 250]));
        let picture = draw(&photo, &table, &BARE);
        assert_eq!(picture.dimensions(), photo.dimensions());
        let view = |card: &ReadCard| {
            let corner = card.corners_in_image.0[0];
            imageops::crop_imm(&picture, corner.x as u32 - 10, corner.y as u32 - 10, 120, 87)
                .to_image()
        };
        let (both, first, none) = (view(&cards[0]), view(&cards[1]), view(&cards[5]));
        assert!(has_color(&both, set_color(0)) && has_color(&both, set_color(1)));
        assert!(has_color(&first, set_color(0)) && !has_color(&first, set_color(1)));
        assert!(!has_color(&none, set_color(0)) && !has_color(&none, set_color(1)));
    }

    #[test]
    fn the_legend_leaves_the_photo_where_it_is_and_outlines_off_it() {
        let mut cards = board(&["1fgd", "2fgd", "3fgd"], 60.0);
        // One card reaches beyond the picture's lower edge.
        cards[0].corners_in_image =
            Quad::new(cards[0].corners_in_image.0.map(|p| p + Point::new(0.0, 120.0)));
        let photo = RgbImage::from_pixel(300, 200, Rgb([9, 90, 30]));
        for style in [Style::default(), Style { codes: true, ..Style::default() }] {
            let picture = draw(&photo, &table(&cards), &style);
            assert!(picture.width() == 300 && picture.height() > 250);
            assert_eq!(picture[(299, 199)], Rgb([9, 90, 30]));
            assert!((0..300).all(|x| picture[(x, 200)] == DARK));
        }
        assert!(draw(&photo, &table(&[]), &Style::default()).height() > 200);
    }

    #[test]
    fn unsure_cards_are_broken() {
        let mut cards = board(&["1fgd", "2fgd"], 100.0);
        cards[1].unsure = true;
        let photo = RgbImage::from_pixel(300, 200, Rgb([9, 90, 30]));
        let picture = draw(&photo, &table(&cards), &BARE);
        assert!(along_the_far_side(&picture, &cards[0], LIGHT) > 95);
        assert!(along_the_far_side(&picture, &cards[1], LIGHT) < 75);
    }

    #[test]
    fn a_probable_set_is_dashed_and_its_guess_is_written() {
        let mut cards = board(&["1fgd", "2fgd", "3fgd"], 100.0);
        let photo = RgbImage::from_pixel(440, 200, Rgb([9, 90, 30]));
        let share = |cards: &[ReadCard]| {
            along_the_far_side(&draw(&photo, &table(cards), &BARE), &cards[0], set_color(0))
        };
        let solid = share(&cards);
        (cards[2].confidence, cards[2].unsure) = (0.7, true);
        let dashed = share(&cards);
        assert!(solid > 90 && dashed > 20 && dashed < 75, "{solid} {dashed}");
        assert_eq!(code_of(&cards[2]), "3fgd?");
        let card = "3sgd".parse().unwrap();
        (cards[2].confidence, cards[2].alternatives) =
            (0.48, vec![Guess { card, confidence: 0.48 }]);
        assert_eq!(code_of(&cards[2]), "3?gd");
    }
}
