//! Tables on a screen: pages of cards as apps draw them, and photos of such screens.
//!
//! One app draws all of its cards one way, so the style is chosen once for a table. A page is drawn
//! flat, without the camera. A photographed screen is that page as the table under the camera, with
//! the pattern of the screen's pixels and the reflections in its glass.

mod draw;
pub mod invented;
mod style;

use super::{DrawnCard, RenderError, Scene, is_inside, upper_first};
use super::{camera::View, cast::Cast, distractors::annotations, light::Light, params::Params};
use super::{deal, median_long_side, part_of_deck, sensor};
use image::RgbImage;
use setsight_game::cards::{Card, outline::CARD_LONG_MM};
use setsight_photo::geometry::{Point, Quad, grid_center};
use setsight_photo::print::color::linear_from_srgb;
use setsight_photo::print::dice::{Dice, Purpose};
use std::sync::LazyLock;
use style::Style;

/// A card on the page, in pixels.
#[derive(Clone, Copy, Debug)]
struct Placed {
    card: Card,
    center: Point,
    /// Unit vector along its long side.
    along: Point,
    chosen: bool,
    /// Whether it is drawn as the deck has no card.
    strange: bool,
}

impl Placed {
    /// The place at an offset from its centre along its long and its short side.
    fn at(&self, x: f64, y: f64) -> Point {
        self.center + self.along * x + self.along.perpendicular() * y
    }
}

/// Where everything is on the page, in pixels.
#[derive(Clone, Debug)]
struct Plan {
    cards: Vec<Placed>,
    short_px: f64,
    gap_px: f64,
    /// The upper left and the lower right corner of all cards together.
    bounds: (Point, Point),
}

/// Draws scene number `index` of a series.
pub(super) fn render(params: &Params, seed: u64, index: u64) -> Result<Scene, RenderError> {
    let dice = |purpose| Dice::new(seed, index, purpose);
    let mut deck_rng = dice(Purpose::Deck);
    let deck = params.deck(&mut deck_rng);
    let mirrored = deck_rng.chance(params.mirrored);
    let cards = match params.full_deck {
        Some(tables) => part_of_deck(&deck, tables, seed, index),
        None => deal(params, &deck, &mut dice(Purpose::Layout)),
    };
    let mut taste = dice(Purpose::Screen);
    let photographed = taste.chance(params.photographed);
    let (aspect, upright) = (taste.between(1.28, 1.68), taste.chance(0.4));
    let mut plan = Plan::random(params, &cards, aspect, upright, &mut taste);
    let strange = deck.is_classic() && taste.chance(params.strange);
    let style = Style::random(&deck, aspect, upright, plan.short_px, params.odd, &mut taste);
    plan.choose(&style, &mut taste);
    if strange {
        let part = taste.pick(&[(0.12, 2.0), (0.35, 2.0), (1.0, 1.0)]);
        plan.cards.iter_mut().for_each(|placed| placed.strange = taste.chance(part));
    }
    let mut image = draw::page(&plan.ground(&style), params.size_px, &mut taste);
    for placed in &plan.cards {
        draw::card(&mut image, placed, plan.short_px, &style);
    }
    let mut drawn: Vec<DrawnCard> =
        plan.cards.iter().map(|placed| plan.label(placed, &style)).collect();
    let mut tags = vec!["screen".to_owned()];
    let mut sensor_dice = dice(Purpose::Sensor);
    let jpeg = sensor_dice.within(params.jpeg).round().clamp(1.0, 100.0) as u8;
    let resaved = photographed || sensor_dice.chance(0.4);
    if photographed {
        image = photograph(&image, &mut drawn, &plan, params, (seed, index));
        tags.push("photographed_screen".to_owned());
    } else if resaved {
        image = sensor::halved_chroma(&image, sensor_dice.between(0.4, 1.5) as f32);
    }
    for card in &mut drawn {
        see(card, params.size_px);
    }
    drawn.retain(|card| params.keep_all || card.symbols_in_view >= params.symbols_in_view);
    if mirrored {
        image::imageops::flip_horizontal_in_place(&mut image);
        drawn.iter_mut().for_each(|card| card.mirror(f64::from(params.size_px.0)));
        tags.push("mirrored".to_owned());
    }
    let mut annotations_dice = dice(Purpose::Annotations);
    let annotations = params.annotations.0
        + annotations_dice.below(params.annotations.1 - params.annotations.0 + 1);
    annotations::draw(&mut image, &drawn, annotations, &mut annotations_dice);
    let more = [(annotations > 0, "drawn_on"), (!deck.is_classic(), "other_deck")];
    tags.extend(more.iter().filter(|tag| tag.0).map(|tag| tag.1.to_owned()));
    let jpeg_quality = if resaved { jpeg } else { 100 };
    Ok(Scene { image, cards: drawn, tags, lookalikes: Vec::new(), deck, mirrored, jpeg_quality })
}

impl Plan {
    /// Rows and columns that fit the picture.
    fn random(
        params: &Params,
        cards: &[Card],
        aspect: f64,
        upright: bool,
        dice: &mut Dice,
    ) -> Self {
        let (width, height) = (f64::from(params.size_px.0), f64::from(params.size_px.1));
        let (wide, high) = if upright { (1.0, aspect) } else { (aspect, 1.0) };
        let gap = dice.between(0.04, 0.42);
        let gap = (gap, gap * dice.between(0.7, 1.4));
        let margin = (dice.between(0.05, 1.0), dice.between(0.1, 1.3));
        // One card, of no size that was asked for, fills the picture.
        let margin = match (cards.len(), params.long_side_px) {
            (1, None) => (dice.between(-0.1, 0.1), dice.between(-0.08, 0.1)),
            _ => margin,
        };
        let extent = |columns: usize| {
            let (columns, rows) = (columns as f64, cards.len().div_ceil(columns) as f64);
            let cells = (columns * (wide + gap.0) - gap.0, rows * (high + gap.1) - gap.1);
            (cells.0 + 2.0 * margin.0, cells.1 + 2.0 * margin.1)
        };
        let scale = |columns: usize| {
            let (x, y) = extent(columns);
            (width / x).min(height / y)
        };
        let columns = (1..=cards.len()).max_by(|&a, &b| scale(a).total_cmp(&scale(b))).unwrap_or(1);
        let asked = params.long_side_px.map_or(f64::MAX, |span| dice.within(span) / aspect);
        let short_px = scale(columns).min(asked);
        let (x, y) = extent(columns);
        let room = Point::new(width - x * short_px, height - y * short_px);
        let off = Point::new(dice.normal() * width, dice.normal() * height) * params.aim_off;
        let part = |dice: &mut Dice| dice.pick(&[(0.5, 3.0), (0.0, 1.0), (0.9, 0.3)]);
        let first = Point::new(
            room.x * part(dice) + (margin.0 + wide / 2.0) * short_px + off.x,
            room.y * part(dice) + (margin.1 + high / 2.0) * short_px + off.y,
        );
        let centers = (0..cards.len()).map(|i| {
            let (column, row) = ((i % columns) as f64, (i / columns) as f64);
            first + Point::new(column * (wide + gap.0), row * (high + gap.1)) * short_px
        });
        let placed = cards.iter().zip(centers).map(|(&card, center)| Placed {
            card,
            center,
            along: Point::new(1.0, 0.0),
            chosen: false,
            strange: false,
        });
        let low = Point::new(first.x - wide / 2.0 * short_px, first.y - high / 2.0 * short_px);
        let cells = Point::new(x - 2.0 * margin.0, y - 2.0 * margin.1);
        Self {
            cards: placed.collect(),
            short_px,
            gap_px: gap.1 * short_px,
            bounds: (low, low + cells * short_px),
        }
    }

    /// Turns the cards, and chooses some.
    fn choose(&mut self, style: &Style, dice: &mut Dice) {
        for placed in &mut self.cards {
            let angle = style::turn(style.upright, dice) + style.hasty * dice.normal();
            placed.along = Point::new(angle.cos(), angle.sin());
            placed.chosen = dice.chance(style.chosen.part);
        }
    }

    fn ground(&self, style: &Style) -> draw::Ground {
        let down = if style.upright { 0.5 * style.aspect } else { 0.5 };
        let down = Point::new(0.0, down * self.short_px + 0.5 * self.gap_px);
        draw::Ground {
            page: style.page,
            dark: style.dark,
            unit: self.short_px,
            gap: self.gap_px,
            bounds: self.bounds,
            under: self.cards.iter().map(|card| card.center + down).collect(),
        }
    }

    fn label(&self, placed: &Placed, style: &Style) -> DrawnCard {
        let scale = self.short_px * if placed.chosen { style.chosen.grows } else { 1.0 };
        let (a, b) = (0.5 * style.aspect * scale, 0.5 * scale);
        let last = placed.card.number.index() as f64;
        let symbols = (0..=placed.card.number.index())
            .map(|k| placed.at(style.center(k as f64, last) * scale, 0.0));
        DrawnCard {
            card: placed.card,
            of_deck: !placed.strange,
            corners_in_image: upper_first(
                [(-a, -b), (a, -b), (a, b), (-a, b)].map(|(x, y)| placed.at(x, y)),
            ),
            center_in_image: placed.center,
            symbols_in_image: symbols.collect(),
            symbols_in_view: 1.0,
            area_in_view: 1.0,
            symbol_visibility: vec![1.0; placed.card.number.index() + 1],
        }
    }
}

/// Fills in the fractions of a card that are in the picture.
fn see(card: &mut DrawnCard, size: (u32, u32)) {
    const STEPS: usize = 10;
    let quad = card.corners_in_image;
    let inside_points = (0..STEPS * STEPS).filter(|&k| {
        let Point { x, y } = grid_center(k, STEPS);
        is_inside(quad.0[0].lerp(quad.0[1], x).lerp(quad.0[3].lerp(quad.0[2], x), y), size)
    });
    card.area_in_view = inside_points.count() as f64 / (STEPS * STEPS) as f64;
    // A symbol is about a fifth of the card wide and two thirds high.
    let (along, down) = ((quad.0[1] - quad.0[0]) * 0.2, (quad.0[3] - quad.0[0]) * 0.66);
    for (visibility, &center) in card.symbol_visibility.iter_mut().zip(&card.symbols_in_image) {
        let inside_probes = (0..STEPS * STEPS).filter(|&k| {
            let Point { x, y } = grid_center(k, STEPS);
            is_inside(center + along * (x - 0.5) + down * (y - 0.5), size)
        });
        *visibility = inside_probes.count() as f64 / (STEPS * STEPS) as f64;
    }
    card.symbols_in_view =
        card.symbol_visibility.iter().sum::<f64>() / card.symbol_visibility.len() as f64;
}

/// How a screen shines in a photo.
struct Glass {
    /// Linear light of white, and of black: the room's light in the glass.
    white: [f32; 3],
    black: f32,
    /// Period of the pattern that the screen's pixels make with the camera's, on the page.
    period: f64,
    turn: (f64, f64),
    /// Strength of the pattern across and down.
    depth: (f64, f64),
    bezel: f64,
    room: [f32; 3],
}

impl Glass {
    fn random(size: (u32, u32), dice: &mut Dice) -> Self {
        let moire = dice.chance(0.7);
        let angle: f64 = dice.between(0.0, 0.3);
        let tone = dice.between(0.02, 0.5) as f32;
        Self {
            white: [(0.74, 1.0), (0.82, 1.0), (0.9, 1.05)].map(|(a, b)| dice.between(a, b) as f32),
            black: dice.between(0.0, 0.09) as f32,
            period: dice.between(0.9, 3.2),
            turn: (angle.cos(), angle.sin()),
            depth: if moire {
                (dice.between(0.0, 0.28), dice.between(0.0, 0.18))
            } else {
                (0.0, 0.0)
            },
            bezel: dice.between(0.0, 0.08) * f64::from(size.0.min(size.1)),
            room: [
                tone,
                tone * dice.between(0.7, 1.1) as f32,
                tone * dice.between(0.5, 1.2) as f32,
            ],
        }
    }

    /// The light of the pixel of the photo that shows this place of the page.
    fn at(&self, page: &RgbImage, p: Point) -> [f32; 4] {
        static LINEAR: LazyLock<Vec<f32>> = LazyLock::new(|| {
            (0..256).map(|v| linear_from_srgb(f64::from(v) / 255.0) as f32).collect()
        });
        let (width, height) = (f64::from(page.width()), f64::from(page.height()));
        let beyond = (-p.x).max(-p.y).max(p.x - width).max(p.y - height);
        if beyond > 0.0 {
            let [r, g, b] =
                if beyond < self.bezel { [self.black * 0.5 + 0.004; 3] } else { self.room };
            return [r, g, b, 0.0];
        }
        let (x, y) =
            ((p.x - 0.5).clamp(0.0, width - 1.001), (p.y - 0.5).clamp(0.0, height - 1.001));
        let (u, v) = (x.fract() as f32, y.fract() as f32);
        let row = (page.width() * 3) as usize;
        let at = y as usize * row + 3 * x as usize;
        let bytes: &[u8] = page;
        let across = p.x * self.turn.0 + p.y * self.turn.1;
        let down = p.y * self.turn.0 - p.x * self.turn.1;
        let wave = |v: f64| (std::f64::consts::TAU * v).cos();
        let rows = 1.0 + self.depth.1 * wave(down / self.period);
        let mut out = [0.0; 4];
        for c in 0..3 {
            let value = |k: usize| LINEAR[usize::from(bytes[k + c])];
            let top = value(at) + (value(at + 3) - value(at)) * u;
            let below = at + row;
            let bottom = value(below) + (value(below + 3) - value(below)) * u;
            let grid = rows * (1.0 + self.depth.0 * wave(across / self.period + c as f64 / 3.0));
            out[c] = (top + (bottom - top) * v) * self.white[c] * grid as f32 + self.black;
        }
        out
    }
}

/// The photo of a page on a screen; moves the labels there.
fn photograph(
    page: &RgbImage,
    drawn: &mut [DrawnCard],
    plan: &Plan,
    params: &Params,
    (seed, index): (u64, u64),
) -> RgbImage {
    let dice = |purpose| Dice::new(seed, index, purpose);
    let (width, height) = (f64::from(page.width()), f64::from(page.height()));
    let middle = Point::new(width / 2.0, height / 2.0);
    // The camera sees millimetres: a card is as long as one of paper.
    let mm = CARD_LONG_MM / (plan.short_px * 1.5);
    let (low, high) = plan.bounds;
    let corners = [low, Point::new(high.x, low.y), high, Point::new(low.x, high.y)];
    let cards = [Quad::new(corners.map(|p| (p - middle) * mm))];
    let view = View::random(params, &cards, &mut dice(Purpose::Camera));
    let moved = |p: Point| view.image_from_table((p - middle) * mm, 0.0);
    for card in drawn.iter_mut() {
        card.corners_in_image = upper_first(card.corners_in_image.0.map(moved));
        card.center_in_image = moved(card.center_in_image);
        card.symbols_in_image.iter_mut().for_each(|p| *p = moved(*p));
    }
    let long_px = median_long_side(drawn, &view);
    let probes: Vec<Vec<Point>> = drawn.iter().map(|card| card.symbols_in_image.clone()).collect();
    let reach_mm = 0.5 * (high - low).norm() * mm;
    let light = Light::random(
        params,
        &mut dice(Purpose::Light),
        (Point::default(), reach_mm),
        long_px,
        &probes,
    );
    let cast = Cast::random(&params.cast, &mut dice(Purpose::Cast), (Point::default(), reach_mm));
    let glass = Glass::random(params.size_px, &mut dice(Purpose::Table));
    let columns = params.size_px.0 as usize;
    let mut pixels: Vec<[f32; 4]> = (0..columns * params.size_px.1 as usize)
        .map(|i| {
            let at = Point::new((i % columns) as f64 + 0.5, (i / columns) as f64 + 0.5);
            glass.at(page, view.table_from_image(at).place / mm + middle)
        })
        .collect();
    light.add_glare(&mut pixels, columns);
    cast.tint(&mut pixels, columns, &view);
    let noise = dice(Purpose::Pixels).bits();
    let mut sensor_dice = dice(Purpose::Photograph);
    sensor::expose(pixels, params, long_px, &mut sensor_dice, noise)
}

#[cfg(test)]
mod tests {
    use super::super::params::Kind;
    use super::*;
    use setsight_game::cards::{Number, Shading};

    fn level(image: &RgbImage, p: Point) -> [i32; 3] {
        image.get_pixel(p.x as u32, p.y as u32).0.map(i32::from)
    }

    fn apart(a: [i32; 3], b: [i32; 3]) -> i32 {
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
    }

    #[test]
    fn filled_symbols_are_inked_and_open_ones_show_the_card() {
        let params = Params { photographed: 0.0, ..Params::for_kind(Kind::Screen) };
        let mut counts = [0; 2];
        for index in 0..12 {
            let scene = render(&params, 4, index).unwrap();
            // Two and three symbols may reach the border; beside one there is no ink.
            for card in scene.cards.iter().filter(|card| card.card.number == Number::One) {
                let quad = card.corners_in_image;
                let bare = (quad.0[0] + quad.0[3]) / 2.0;
                let bare = bare.lerp(card.center_in_image, 0.3);
                let inked =
                    apart(level(&scene.image, card.symbols_in_image[0]), level(&scene.image, bare));
                match card.card.shading {
                    Shading::Filled => assert!(inked > 25, "{index} {}: {inked}", card.card),
                    Shading::Open => assert!(inked < 25, "{index} {}: {inked}", card.card),
                    Shading::Striped => continue,
                }
                counts[usize::from(card.card.shading == Shading::Open)] += 1;
            }
        }
        assert!(counts.iter().all(|count| *count > 5), "{counts:?}");
    }

    #[test]
    fn strange_cards_are_none_of_the_decks_and_look_otherwise() {
        let drawn = |strange: f64, index: u64| {
            let params = Params { strange, ..Params::for_kind(Kind::Screen) };
            render(&params, 3, index).unwrap()
        };
        let mut count = 0;
        for index in 0..12 {
            assert!(drawn(0.0, index).cards.iter().all(|card| card.of_deck));
            let scene = drawn(1.0, index);
            count += scene.cards.iter().filter(|card| !card.of_deck).count();
        }
        assert!(count > 20, "{count}");
        // What a card is made from is drawn in another way.
        let params = Params { strange: 1.0, ..Params::for_kind(Kind::Screen) };
        let deck = params.deck(&mut Dice::new(3, 0, Purpose::Deck));
        let style =
            Style::random(&deck, 1.5, false, 80.0, 1.0, &mut Dice::new(3, 0, Purpose::Screen));
        let [strange, plain] = [true, false].map(|strange| {
            let mut image = RgbImage::from_pixel(140, 100, image::Rgb([40; 3]));
            let card = "2frd".parse().unwrap();
            let (center, along) = (Point::new(70.0, 50.0), Point::new(1.0, 0.0));
            let placed = Placed { card, center, along, chosen: false, strange };
            draw::card(&mut image, &placed, 80.0, &style);
            image
        });
        assert_ne!(strange, plain);
    }

    #[test]
    fn corners_of_photographed_screens_lie_on_the_border() {
        let mut params = Params { photographed: 1.0, ..Params::for_kind(Kind::Screen) };
        params.defocus = setsight_photo::print::dice::Span::only(0.0);
        params.glare = 0.0;
        let mut count = 0;
        for index in 0..16 {
            let scene = render(&params, 6, index).unwrap();
            assert!(scene.tags.iter().any(|tag| tag == "photographed_screen"));
            for card in &scene.cards {
                let quad = card.corners_in_image;
                let side = quad.0[0].lerp(quad.0[1], 0.5);
                let inward = (card.center_in_image - side) / side.distance(card.center_in_image);
                let (near, far) = (side + inward * 0.5, side - inward * 2.5);
                if near.x > 3.0 && near.y > 3.0 && far.x > 0.0 && far.y > 0.0 {
                    count += usize::from(
                        apart(level(&scene.image, near), level(&scene.image, far)) > 40,
                    );
                }
            }
        }
        assert!(count > 60, "{count} borders");
    }
}
