//! A drawn table and its labels.

use image::RgbImage;
use setsight_game::cards::{Card, DECK_SIZE, Deck};
use setsight_photo::{
    encode,
    geometry::{Point, Quad},
    labels::{CardLabel, PhotoLabel, SaidBy},
};
use std::sync::Arc;

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
    pub others: Vec<Quad>,
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
    /// The card.
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
    pub symbols_seen: Vec<f64>,
}

/// Why a scene cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// More cards requested than a deck has.
    #[error("{0} cards on one table: a deck has {DECK_SIZE}, and a table holds each card once")]
    TooManyCards(usize),
    /// The picture is too small to show a table or too large for memory.
    #[error("a picture of {0}x{1} pixels: each side must be {MIN_SIDE_PX} to {MAX_SIDE_PX}")]
    Size(u32, u32),
}

/// Minimum side of a picture.
pub const MIN_SIDE_PX: u32 = 32;
/// Maximum side of a picture.
pub const MAX_SIDE_PX: u32 = 8192;

/// The corners in the mirrored picture, still clockwise and starting with the same edge.
pub(super) fn mirrored_quad(quad: Quad, width: f64) -> Quad {
    let [a, b, c, d] = quad.0.map(|p| Point::new(width - p.x, p.y));
    Quad::new([b, a, d, c])
}

impl DrawnCard {
    /// Moves its coordinates to the mirrored picture.
    pub(super) fn mirror(&mut self, width: f64) {
        let flipped = |p: Point| Point::new(width - p.x, p.y);
        self.corners_in_image = upper_first(mirrored_quad(self.corners_in_image, width).0);
        self.center_in_image = flipped(self.center_in_image);
        self.symbols_in_image.iter_mut().for_each(|p| *p = flipped(*p));
    }
}

/// Rotates by half a turn if that puts the higher of corners 0 and 2 first.
pub(super) fn upper_first(mut corners: [Point; 4]) -> Quad {
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
                    said_by: SaidBy::Person,
                })
                .collect(),
        }
    }
}
