//! Pictures of each mistake: the part of the photo, the rectified card, the network's input and the
//! reader's output.

use super::matching::{Match, Verdict};
use image::{Rgb, RgbImage, imageops};
use setsight_game::cards::Card;
use setsight_nets::reader;
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::numeric::median;
use setsight_photo::{Frame, encode, labels::CardLabel};
use setsight_vision::{CardImage, CardOutline, PipelineOutput, ReadCard, Reading};
use setsight_vision::{classify::neural::input_of, output::overlay};

/// Half the side of the shown part of the photo, in long sides of the card. It fits a card at any
/// angle, with a margin.
const VIEW_REACH: f64 = 0.85;
/// Maximum side of that part in the report, in pixels.
const VIEW_PX: u32 = 220;
/// JPEG quality of the report's pictures, 1 to 100.
const QUALITY: u8 = 85;
const LABEL_COLOR: Rgb<u8> = Rgb([0, 114, 178]);
const READING_COLOR: Rgb<u8> = Rgb([230, 159, 0]);

/// A label that is not right, or a reading without a label.
#[derive(Clone, Debug)]
pub struct Mistake {
    /// The label's verdict; `None` for a reading without a label.
    pub verdict: Option<Verdict>,
    /// The label's code.
    pub labelled: Option<Card>,
    /// The reading: card, confidence, unsure.
    pub read: Option<(Card, f32, bool)>,
    /// The part of the photo around it as JPEG, the label in blue and the reading in orange.
    pub view: Vec<u8>,
    /// The rectified card that the reader got, as JPEG.
    pub card: Option<Vec<u8>>,
    /// The network's input, 96x64, as PNG.
    pub input: Option<Vec<u8>>,
    /// The reader's output.
    pub reading: Option<Reading>,
}

/// Every label that is not right and every reading without a label, with pictures.
pub fn of_photo(
    frame: &Frame,
    labels: &[CardLabel],
    output: &PipelineOutput,
    matched: &Match,
) -> Vec<Mistake> {
    let cards = &output.table.cards;
    let long_sides = labels.iter().filter_map(|label| Some(label.corners?.long_side()));
    let usual = median(long_sides).unwrap_or(f64::from(frame.width()) / 8.0);
    let mistake = |verdict, label, reading| mistake(frame, output, usual, verdict, label, reading);
    let mut found = Vec::new();
    for (i, label) in labels.iter().enumerate() {
        let verdict = matched.verdict(i, labels, cards);
        if verdict != Verdict::Right {
            found.extend(mistake(Some(verdict), Some(label), matched.reading_of_label[i]));
        }
    }
    found.extend(matched.false_cards.iter().filter_map(|&j| mistake(None, None, Some(j))));
    found
}

/// A mistake at a label, at a reading or at both; none without a place.
fn mistake(
    frame: &Frame,
    output: &PipelineOutput,
    usual: f64,
    verdict: Option<Verdict>,
    label: Option<&CardLabel>,
    reading: Option<usize>,
) -> Option<Mistake> {
    let read: Option<&ReadCard> = reading.map(|j| &output.table.cards[j]);
    let label_quad = label.and_then(|label| label.corners);
    let read_quad = read.map(|read| read.corners_in_image);
    let centre = label.map(|label| label.center).or(read_quad.map(|quad| quad.center()))?;
    let long = label_quad.or(read_quad).map_or(usual, |quad| quad.long_side());
    // A missed card is rectified by its label, to show what was visible.
    let card = match (reading, label_quad) {
        (Some(j), _) => Some(output.images[j].clone()),
        (None, Some(quad)) => Some(straightened(frame, quad)),
        (None, None) => None,
    };
    Some(Mistake {
        verdict,
        labelled: label.map(|label| label.code),
        read: read.map(|read| (read.card, read.confidence, read.unsure)),
        view: jpeg(&view(frame, centre, long, label_quad, read_quad)),
        input: card.as_ref().map(network_input),
        card: card.map(|card| jpeg(&card.pixels)),
        reading: reading.and_then(|j| output.readings.get(j)).cloned(),
    })
}

/// A crop whose reading differs from its label; crops are read together on one table.
pub fn of_crop(
    frame: &Frame,
    outline: &CardOutline,
    image: &CardImage,
    reading: &Reading,
    labelled: Card,
    read: Option<(Card, f32, bool)>,
) -> Mistake {
    let quad = outline.corners_in_image;
    Mistake {
        verdict: Some(match read {
            None => Verdict::Missed,
            Some((_, _, true)) => Verdict::Unsure,
            Some(_) => Verdict::Wrong,
        }),
        labelled: Some(labelled),
        read,
        view: jpeg(&view(frame, quad.center(), quad.long_side(), None, None)),
        card: Some(jpeg(&image.pixels)),
        input: Some(network_input(image)),
        reading: Some(reading.clone()),
    }
}

fn straightened(frame: &Frame, corners_in_image: Quad) -> CardImage {
    let outline = CardOutline::at(corners_in_image);
    CardImage::rectify(frame, &outline)
}

fn view(
    frame: &Frame,
    centre: Point,
    long: f64,
    label: Option<Quad>,
    reading: Option<Quad>,
) -> RgbImage {
    let reach = (VIEW_REACH * long).max(8.0);
    let (width, height) = frame.dimensions();
    // `as` clamps coordinates left of the photo to its border.
    let left = ((centre.x - reach) as u32).min(width - 1);
    let top = ((centre.y - reach) as u32).min(height - 1);
    let right = ((centre.x + reach) as u32).clamp(left + 1, width);
    let bottom = ((centre.y + reach) as u32).clamp(top + 1, height);
    let part = imageops::crop_imm(frame, left, top, right - left, bottom - top).to_image();
    let scale = f64::from(VIEW_PX) / (2.0 * reach);
    let [w, h] =
        [part.width(), part.height()].map(|side| ((f64::from(side) * scale).round() as u32).max(1));
    let mut picture = imageops::resize(&part, w, h, imageops::FilterType::Triangle);
    let corner = Point::new(left.into(), top.into());
    for (quad, color) in [(label, LABEL_COLOR), (reading, READING_COLOR)] {
        if let Some(quad) = quad {
            let quad = Quad::new(quad.0.map(|p| (p - corner) * scale));
            overlay::outline(&mut picture, &quad, 2.0, color, None);
        }
    }
    picture
}

/// The network's input as a picture.
fn network_input(card: &CardImage) -> Vec<u8> {
    let planes = input_of(card);
    let (width, height) = (reader::WIDTH as u32, reader::HEIGHT as u32);
    let picture = RgbImage::from_fn(width, height, |x, y| {
        let at = (y * width + x) as usize;
        let plane = (width * height) as usize;
        Rgb([0, 1, 2].map(|c| (planes[c * plane + at] / reader::INPUT_SCALE).round() as u8))
    });
    encode::png(&picture).expect("a picture with sides")
}

/// A picture as the pages show it.
pub fn jpeg(picture: &RgbImage) -> Vec<u8> {
    encode::jpeg(picture, QUALITY).expect("a picture with sides")
}
