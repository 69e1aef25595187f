//! Draws cards and whole tables as a camera would see them, with labels.
//!
//! A scene is drawn from a seed in this order: the table's material, other things, the cards from
//! the lowest to the highest, each with its shadow; then the lighting, the lamp's reflections, and
//! the effects of lens and sensor. Everything before the sensor is linear light in floating point.
//!
//! The same seed gives the same picture on any number of threads: every scene has its own random
//! generators, and nothing is kept between scenes. Across machines, pictures differ only as much as
//! the standard library's `sin`, `exp` and `powf` (some units in the last place of an `f64`): after
//! rounding to 8 bits, a few pixels differ by 1.
//!
//! | file | what it draws |
//! |---|---|
//! | [`setsight_photo::print`] | the face of a card of any deck |
//! | `table` | the layout of the cards |
//! | `background` | the table's surface |
//! | `distractors` | other objects beside, under and over the cards; marks drawn on the picture |
//! | `stack` | a deck or a pile, face up, that does not count as on the table |
//! | `paint` | rasterises table and cards |
//! | `camera` | perspective and lens distortion |
//! | [`light`] | lamp, shadows, glare |
//! | `cast` | tints, two lamps, coloured fringes |
//! | `sensor` | blur, noise, tone |
//! | `screen` | tables on a screen, as apps draw them |
//! | [`invented`] | boards of invented decks on a screen |
//! | [`film`] | a table over time, with labels for each frame |
//! | [`scenes`] | tables for training |
//! | [`suite`] | tables for evaluation, and those of `datasets/samples` |

#![allow(missing_docs, reason = "a name of the program's own crates need not be said twice")]

mod background;
mod camera;
mod cast;
mod distractors;
pub mod film;
mod light;
mod paint;
pub mod params;
pub mod scenes;
mod screen;
mod sensor;
mod stack;
pub mod suite;
mod table;
#[cfg(test)]
mod tests;

use background::Top;
use camera::View;
use cast::Cast;
use distractors::{Distractors, annotations};
use image::RgbImage;
use light::Light;
use paint::{Owner, draw_card, draw_coarse, hidden};
use setsight_game::cards::outline::{CARD_LONG_MM, CARD_SHORT_MM};
use setsight_game::cards::{Card, DECK_SIZE, Deck};
use setsight_photo::encode;
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::labels::{CardLabel, LabelledBy, PhotoLabel};
use setsight_photo::numeric::median;
use setsight_photo::print::card::{self, Print};
use setsight_photo::print::dice::{Dice, Purpose};
use stack::Stack;
use std::sync::Arc;
use table::{Lying, symbols_uncovered};

pub use background::Material;
pub use params::{DeckChoice, Kind, Params};
pub use screen::invented;
pub use table::Layout;

/// Draws scene number `index` of a series.
///
/// # Errors
/// `params` ask for more cards than a deck has, or for a size out of range.
#[expect(
    clippy::too_many_lines,
    reason = "throws all dice of a scene, in the order in which it is drawn"
)]
pub fn render(params: &Params, seed: u64, index: u64) -> Result<Scene, RenderError> {
    if params.cards.1 > DECK_SIZE {
        return Err(RenderError::TooManyCards(params.cards.1));
    }
    let (width, height) = params.size_px;
    if [width, height].iter().any(|side| !(MIN_SIDE_PX..=MAX_SIDE_PX).contains(side)) {
        return Err(RenderError::Size(width, height));
    }
    if params.asked == Kind::Screen {
        return screen::render(params, seed, index);
    }
    let dice = |purpose| Dice::new(seed, index, purpose);
    // One deck over several tables is one printing.
    let printing = if params.full_deck.is_some() { 0 } else { index };
    let mut deck_rng = Dice::new(seed, printing, Purpose::Deck);
    let deck = params.deck(&mut deck_rng);
    let mirrored = deck_rng.chance(params.mirrored);
    let mut print_rng = Dice::new(seed, printing, Purpose::Print);
    let mut print = Print::random(Arc::clone(&deck), &mut print_rng, params.variety);
    let mut wear_dice = dice(Purpose::Wear);
    print.wear = wear_dice.within(params.wear);
    if let Some(outline_mm) = params.outline_mm {
        print.draw_outline(outline_mm, &mut wear_dice);
    }
    if let Some(duty) = params.duty {
        print.draw_duty(duty, &mut wear_dice);
    }
    let mut layout_dice = dice(Purpose::Layout);
    let layout = layout_dice.pick(&params.layouts);
    let cards = match params.full_deck {
        Some(tables) => part_of_deck(&deck, tables, seed, index),
        None => deal(params, &deck, &mut layout_dice),
    };
    let aspect = f64::from(width) / f64::from(height);
    let mut lying =
        table::lay(layout, &cards, aspect, &print, params.symbols_in_view, &mut layout_dice);
    for card in &mut lying {
        card.curl_mm = layout_dice.within(params.curl_mm);
    }
    let corners: Vec<Quad> = lying.iter().map(Lying::corners).collect();
    let view = View::random(params, &corners, &mut dice(Purpose::Camera));
    let (lying, mut drawn) = in_view(lying, &view, &print, params);
    let long_px = median_long_side(&drawn, &view);

    let mut table_dice = dice(Purpose::Table);
    let material = table_dice.pick(&params.materials);
    let top = Top::random(material, print.stock, params.white_table, &mut table_dice);
    let probes: Vec<Vec<Point>> = lying
        .iter()
        .map(|card| {
            let probes = card::symbol_probes(card.card, &print);
            probes
                .into_iter()
                .map(|(x, y)| view.image_from_table(card.table_from_card(x, y), 0.0))
                .collect()
        })
        .collect();
    let (middle, reach_mm) = extent(&lying);
    // A lamp lights a room, so its reach does not shrink with a single card.
    let reach_mm = if params.keep_all { reach_mm.max(LAMP_MM) } else { reach_mm };
    let light =
        Light::random(params, &mut dice(Purpose::Light), (middle, reach_mm), long_px, &probes);
    let cast = Cast::random(&params.cast, &mut dice(Purpose::Cast), (middle, reach_mm));
    let distractors = Distractors::random(params, &view, &lying, &mut dice(Purpose::Distractors));
    let flyers = Distractors::printed(params, &view, &lying, &mut dice(Purpose::Flyers));

    let size = (width as usize, height as usize);
    let hidden = hidden(&lying, &view, size);
    let mut pixels = vec![[0.0; 4]; size.0 * size.1];
    let table_at = |i: usize, j: usize| {
        let point = view.table_from_image(Point::new(i as f64 + 0.5, j as f64 + 0.5));
        top.at(point.place.x, point.place.y, point.size_mm)
    };
    if params.coarse_table && material.is_smooth() {
        draw_coarse(&mut pixels, size, &hidden, table_at);
    } else {
        for (i, (pixel, hidden)) in pixels.iter_mut().zip(hidden).enumerate() {
            if !hidden {
                *pixel = table_at(i % size.0, i / size.0);
            }
        }
    }
    let mut owner = Owner::new(size);
    distractors.draw(&mut pixels, &mut owner, &view, &light);
    flyers.draw(&mut pixels, &mut owner, &view, &light);
    let gloss = dice(Purpose::Print).between(0.5, 1.0) as f32;
    for (i, card) in lying.iter().enumerate() {
        owner.next = i + 1;
        draw_card(&mut pixels, &mut owner, card, &print, gloss, &view, &light);
    }
    let stack = Stack::random(params, &view, &lying, &mut dice(Purpose::Stack));
    if let Some(stack) = &stack {
        stack.draw(&mut pixels, &mut owner, &print, gloss, &view, &light);
    }
    let covers = Distractors::over(params, &lying, &mut dice(Purpose::Covers));
    covers.draw(&mut pixels, &mut owner, &view, &light);
    for (i, (card, probes)) in drawn.iter_mut().zip(&probes).enumerate() {
        owner.see(card, i + 1, probes);
    }
    let like_cards = [distractors.like_cards(&view), flyers.like_cards(&view)].concat();
    let mut lookalikes = owner.uncovered(like_cards);
    light.shine(&mut pixels, size.0, &view);
    light.add_glare(&mut pixels, size.0);
    cast.tint(&mut pixels, size.0, &view);
    let mut sensor_dice = dice(Purpose::Sensor);
    let jpeg_quality = sensor_dice.within(params.jpeg).round().clamp(1.0, 100.0) as u8;
    let pixel_seed = dice(Purpose::Pixels).bits();
    let mut image = sensor::expose(pixels, params, long_px, &mut sensor_dice, pixel_seed);
    if mirrored {
        image::imageops::flip_horizontal_in_place(&mut image);
        let width = f64::from(width);
        drawn.iter_mut().for_each(|card| card.mirror(width));
        lookalikes = lookalikes.into_iter().map(|quad| mirrored_quad(quad, width)).collect();
    }
    let mut annotations_dice = dice(Purpose::Annotations);
    let annotations = params.annotations.0
        + annotations_dice.below(params.annotations.1 - params.annotations.0 + 1);
    annotations::draw(&mut image, &drawn, annotations, &mut annotations_dice);
    let with_objects = !distractors.is_empty() || !flyers.is_empty() || stack.is_some();
    let things = (with_objects, !covers.is_empty());
    let mut tags = tags(params, layout, material, &view, &light, things, long_px);
    let more =
        [(annotations > 0, "drawn_on"), (mirrored, "mirrored"), (!deck.is_classic(), "other_deck")];
    tags.extend(cast.tag().map(str::to_owned));
    tags.extend(more.iter().filter(|tag| tag.0).map(|tag| tag.1.to_owned()));
    Ok(Scene { image, cards: drawn, tags, lookalikes, deck, mirrored, jpeg_quality })
}

/// Minimum reach of a lamp over a table for training.
const LAMP_MM: f64 = 260.0;

/// Deals the requested number of different cards, or all there are.
fn deal(params: &Params, deck: &Deck, dice: &mut Dice) -> Vec<Card> {
    let (fewest, most) = params.cards;
    let count = fewest + dice.below(most - fewest.min(most) + 1);
    let mut cards: Vec<Card> = deck.cards().collect();
    dice.shuffle(&mut cards);
    cards.truncate(count);
    cards
}

/// The share of one table when a deck is dealt evenly over several.
fn part_of_deck(deck: &Deck, tables: usize, seed: u64, index: u64) -> Vec<Card> {
    let mut cards: Vec<Card> = deck.cards().collect();
    Dice::new(seed, 0, Purpose::Layout).shuffle(&mut cards);
    let table = index as usize % tables.max(1);
    let [start, end] = [table, table + 1].map(|table| table * cards.len() / tables.max(1));
    cards[start..end].to_vec()
}

/// Removes cards with too little in view, and fills in the visible fractions of the others.
fn in_view(
    mut lying: Vec<Lying>,
    view: &View,
    print: &Print,
    params: &Params,
) -> (Vec<Lying>, Vec<DrawnCard>) {
    loop {
        let drawn: Vec<DrawnCard> = lying
            .iter()
            .enumerate()
            .map(|(i, card)| {
                let at = |x: f64, y: f64| {
                    view.image_from_table(card.table_from_card(x, y), card.height_mm(x))
                };
                let (a, b) = (CARD_LONG_MM / 2.0, CARD_SHORT_MM / 2.0);
                let probes = card::symbol_probes(card.card, print);
                let in_picture =
                    probes.iter().filter(|&&(x, y)| is_inside(at(x, y), params.size_px)).count();
                let uncovered = symbols_uncovered(card, &lying[i + 1..], print);
                DrawnCard {
                    of_deck: true,
                    card: card.card,
                    corners_in_image: upper_first(
                        [(-a, -b), (a, -b), (a, b), (-a, b)].map(|(x, y)| at(x, y)),
                    ),
                    center_in_image: at(0.0, 0.0),
                    symbols_in_image: print
                        .symbol_centers_mm(card.card.number)
                        .into_iter()
                        .map(|(x, y)| at(x, y))
                        .collect(),
                    // Assumes that covered parts and parts outside the picture never coincide.
                    symbols_in_view: (uncovered + in_picture as f64 / probes.len() as f64 - 1.0)
                        .max(0.0),
                    area_in_view: 1.0,
                    symbol_visibility: vec![1.0; card.card.number.index() + 1],
                }
            })
            .collect();
        let Some(hidden) = drawn
            .iter()
            .position(|c| !params.keep_all && c.symbols_in_view < params.symbols_in_view)
        else {
            return (lying, drawn);
        };
        lying.remove(hidden);
    }
}

/// The median long side of the cards in the picture; without cards, that of a card at the table's
/// origin.
fn median_long_side(drawn: &[DrawnCard], view: &View) -> f64 {
    median(drawn.iter().map(|c| c.corners_in_image.long_side())).unwrap_or_else(|| {
        let [left, right] = [-CARD_LONG_MM / 2.0, CARD_LONG_MM / 2.0]
            .map(|x| view.image_from_table(Point::new(x, 0.0), 0.0));
        left.distance(right)
    })
}

/// The centre of the cards and their extent around it.
fn extent(lying: &[Lying]) -> (Point, f64) {
    if lying.is_empty() {
        return (Point::default(), 250.0);
    }
    let sum = lying.iter().fold(Point::default(), |sum, card| sum + card.center);
    let middle = sum / lying.len() as f64;
    let reach = lying.iter().map(|c| c.center.distance(middle)).fold(0.0, f64::max);
    (middle, reach + CARD_LONG_MM / 2.0)
}

fn tags(
    params: &Params,
    layout: Layout,
    material: Material,
    view: &View,
    light: &Light,
    (distractors, covered): (bool, bool),
    long_px: f64,
) -> Vec<String> {
    let kind = params.asked;
    let tags = [
        ("white_background", material == Material::White),
        ("dark_background", material == Material::Black),
        ("wood_background", material == Material::Wood),
        (
            "patterned_background",
            matches!(
                material,
                Material::Cloth | Material::Mottled | Material::Printed | Material::Tiles
            ),
        ),
        ("touching_cards", layout == Layout::Touching),
        ("overlap", matches!(layout, Layout::Overlap | Layout::Heap | Layout::Fan)),
        ("heap", layout == Layout::Heap),
        ("distractors", distractors),
        ("things_on_cards", covered),
        ("perspective", view.tilt > 0.5),
        ("hard_shadow", light.has_shadow()),
        ("glare", light.has_glare()),
        ("warm_light", light.cast() > 0.12),
        ("cold_light", light.cast() < -0.12),
        ("low_light", kind == Kind::Dim),
        ("blur", kind == Kind::Blur),
        ("low_resolution", long_px < 100.0),
        ("cut_cards", kind == Kind::Edge),
    ];
    tags.iter().filter(|t| t.1).map(|t| t.0.to_owned()).collect()
}

/// A drawn table.
#[derive(Clone, Debug)]
pub struct Scene {
    /// 8-bit sRGB, before any JPEG.
    pub image: RgbImage,
    /// The labelled cards, from the lowest to the highest.
    pub cards: Vec<DrawnCard>,
    /// Tags for the labels that say why it is hard.
    pub tags: Vec<String>,
    /// Outlines of objects that resemble cards: backs, other games' cards, envelopes, papers,
    /// phones, boxes. Corners in pixels, clockwise, starting with a long side; only objects that
    /// are mostly in the picture and not covered.
    pub lookalikes: Vec<Quad>,
    /// Its deck; all cards of a table are of one deck.
    pub deck: Arc<Deck>,
    /// Whether the picture is mirrored left to right; coordinates are those of the mirrored
    /// picture.
    pub mirrored: bool,
    /// Quality of this camera's JPEG files, 1 to 100.
    pub jpeg_quality: u8,
}

/// A card in a drawn table. Coordinates in pixels of the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnCard {
    pub card: Card,
    /// Whether it is a card of the scene's deck. Games on a screen may hold others, of an ink, a shape
    /// or a number that the deck has not; `card` is then what it was made from.
    pub of_deck: bool,
    /// Exact corners of the card's rectangle (its rounded corners lie inside), clockwise. The first
    /// edge is a long side of the physical card, even if perspective makes it the shorter one. Of
    /// the two possible starting corners, the higher one is first.
    pub corners_in_image: Quad,
    /// Its centre in the picture.
    pub center_in_image: Point,
    /// The centre of each symbol in the picture.
    pub symbols_in_image: Vec<Point>,
    /// Fraction of its symbols that is in the picture and not covered by a card, 0 to 1.
    pub symbols_in_view: f64,
    /// Fraction of the card that is in the picture and not covered by anything, 0 to 1.
    pub area_in_view: f64,
    /// Fraction of each symbol that is in view, in the order of `symbols_in_image`.
    pub symbol_visibility: Vec<f64>,
}

/// Why a scene cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    #[error("{0} cards on one table: a deck has {DECK_SIZE}, and a table holds each card once")]
    TooManyCards(usize),
    #[error("a picture of {0}x{1} pixels: each side must be {MIN_SIDE_PX} to {MAX_SIDE_PX}")]
    Size(u32, u32),
}

/// Minimum side of a picture.
pub const MIN_SIDE_PX: u32 = 32;
/// Maximum side of a picture.
pub const MAX_SIDE_PX: u32 = 8192;

/// The corners in the mirrored picture, still clockwise and starting with the same edge.
fn mirrored_quad(quad: Quad, width: f64) -> Quad {
    let [a, b, c, d] = quad.0.map(|p| mirrored_point(p, width));
    Quad::new([b, a, d, c])
}

fn mirrored_point(p: Point, width: f64) -> Point {
    Point::new(width - p.x, p.y)
}

/// Whether a point is in a picture of this size.
fn is_inside(p: Point, (width, height): (u32, u32)) -> bool {
    p.x >= 0.0 && p.y >= 0.0 && p.x < f64::from(width) && p.y < f64::from(height)
}

impl DrawnCard {
    /// Moves its coordinates to the mirrored picture.
    pub(crate) fn mirror(&mut self, width: f64) {
        self.corners_in_image = upper_first(mirrored_quad(self.corners_in_image, width).0);
        self.center_in_image = mirrored_point(self.center_in_image, width);
        self.symbols_in_image.iter_mut().for_each(|p| *p = mirrored_point(*p, width));
    }
}

/// Rotates by half a turn if that puts the higher of corners 0 and 2 first.
pub(crate) fn upper_first(mut corners: [Point; 4]) -> Quad {
    if (corners[2].y, corners[2].x) < (corners[0].y, corners[0].x) {
        corners.rotate_left(2);
    }
    Quad::new(corners)
}

impl Scene {
    /// The picture as the camera's JPEG file.
    ///
    /// # Errors
    /// The encoder fails, in practice only for lack of memory.
    pub fn jpeg(&self) -> Result<Vec<u8>, image::ImageError> {
        encode::jpeg(&self.image, self.jpeg_quality)
    }

    /// The picture after its own JPEG compression, as a reader of the file sees it.
    ///
    /// # Errors
    /// As [`Self::jpeg`].
    pub fn through_jpeg(&self) -> Result<RgbImage, image::ImageError> {
        let bytes = self.jpeg()?;
        Ok(image::load_from_memory_with_format(&bytes, image::ImageFormat::Jpeg)?.into_rgb8())
    }

    /// Its label for a file of this name. Coordinates are rounded to hundredths of a pixel.
    pub fn label(&self, file: String) -> PhotoLabel {
        let round =
            |p: Point| Point::new((p.x * 100.0).round() / 100.0, (p.y * 100.0).round() / 100.0);
        PhotoLabel {
            file,
            width: self.image.width(),
            height: self.image.height(),
            tags: self.tags.clone(),
            deck: self.deck.name.clone(),
            mirrored: self.mirrored,
            cards: self
                .cards
                .iter()
                .map(|card| CardLabel {
                    code: card.card,
                    center: round(card.center_in_image),
                    corners: Some(Quad::new(card.corners_in_image.0.map(round))),
                    labelled_by: LabelledBy::Person,
                })
                .collect(),
        }
    }
}
