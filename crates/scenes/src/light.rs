//! Lighting: colour temperature, fall-off over the table, cast shadows and glare.

use super::{camera::View, paint::pixel_range, params::Params};
use setsight_photo::print::dice::{Dice, Span};
use setsight_photo::{geometry::Point, print::color::black_body};

/// A convex object between the lamp and the table.
#[derive(Clone, Debug)]
struct Caster {
    /// Sides as outward unit normals and offsets, on the table in millimetres.
    sides: Vec<(Point, f64)>,
    /// Width of the penumbra in millimetres.
    penumbra_mm: f64,
}

/// A reflection of the lamp, in pixels of the picture.
#[derive(Clone, Debug)]
struct Spot {
    center: Point,
    /// Unit vector of its long axis.
    axis: Point,
    /// Half-widths along and across.
    radii: (f64, f64),
    strength: f64,
}

impl Spot {
    /// Brightness on a mirror relative to white paper, flat in the middle with a soft edge.
    fn at(&self, image: Point) -> f64 {
        let off = image - self.center;
        let along = off.dot(self.axis) / self.radii.0;
        let across = off.cross(self.axis) / self.radii.1;
        let q = along * along + across * across;
        if q > 6.5 { 0.0 } else { self.strength * (-q * q.sqrt().max(0.6)).exp() }
    }
}

/// A symbol with this much added white, or more, cannot be read.
const BLEACHING: f64 = 0.7;
/// Maximum fraction of a card's symbols that may be bleached, so that every card stays readable.
const MOST_BLEACHED: f64 = 0.4;

/// The largest bleached fraction of any card's symbols.
fn bleached(spots: &[Spot], probes_in_image: &[Vec<Point>]) -> f64 {
    if spots.is_empty() {
        return 0.0;
    }
    probes_in_image
        .iter()
        .map(|probes| {
            probes
                .iter()
                .filter(|p| spots.iter().map(|s| s.at(**p)).sum::<f64>() > BLEACHING)
                .count() as f64
                / probes.len().max(1) as f64
        })
        .fold(0.0, f64::max)
}

#[derive(Clone, Debug)]
pub(super) struct Light {
    /// Colour of the lamp after white balance.
    lamp: [f32; 3],
    /// Colour of the ambient light, which also reaches shadows.
    ambient: [f32; 3],
    /// The ambient fraction of unshadowed light, 0 to 1.
    ambient_part: f64,
    /// The place on the table with the most light, in millimetres.
    center: Point,
    /// Distance from it at which the light has halved.
    reach_mm: f64,
    /// Linear gradient per millimetre.
    slope: Point,
    casters: Vec<Caster>,
    spots: Vec<Spot>,
    /// Unit vector on the table, away from the lamp, along which shadows fall.
    pub(super) away: Point,
    /// Length, softness and depth of a card's own shadow; the first two in millimetres.
    pub(super) card_shadow: (f64, f64, f64),
}

impl Light {
    /// Draws the lighting at random. `middle` and `extent_mm` are the centre of the cards and their
    /// extent; `long_px` is a card's long side in the picture, and `probes_in_image` are points on
    /// its symbols in the picture, card by card.
    pub(super) fn random(
        params: &Params,
        dice: &mut Dice,
        (middle, extent_mm): (Point, f64),
        long_px: f64,
        probes_in_image: &[Vec<Point>],
    ) -> Self {
        let (width, height) = (f64::from(params.size_px.0), f64::from(params.size_px.1));
        let kelvin = dice.within(params.kelvin);
        let lamp = black_body(kelvin);
        // The ambient light is nearer to daylight.
        let around = black_body(kelvin + (6_500.0 - kelvin) * dice.between(0.0, 0.6));
        let balance = dice.within(params.balance);
        let tint =
            [dice.normal(), dice.normal(), dice.normal()].map(|n| (1.0 + params.tint * n).max(0.5));
        let [lamp, ambient] = [lamp, around]
            .map(|color| [0, 1, 2].map(|c| (color[c] * lamp[c].powf(-balance) * tint[c]) as f32));
        let angle = dice.between(0.0, std::f64::consts::TAU);
        let away = Point::new(angle.cos(), angle.sin());
        let falloff = dice.within(params.falloff);
        let reach_mm = extent_mm / (falloff.max(0.02)).sqrt();
        let casters = if !dice.chance(params.cast_shadow) {
            Vec::new()
        } else if params.dappled > 0.0 && dice.chance(params.dappled) {
            dapple(dice, middle, extent_mm)
        } else {
            (0..1 + dice.below(3)).map(|_| caster(dice, middle, extent_mm)).collect()
        };
        let depth = dice.within(params.cast_depth);
        let mut spots: Vec<Spot> = if dice.chance(params.glare) {
            (0..1 + dice.below(3))
                .map(|_| {
                    let turn = dice.between(0.0, std::f64::consts::PI);
                    let wide = long_px * dice.between(0.35, 1.5);
                    let anywhere = Point::new(
                        width * dice.between(0.12, 0.88),
                        height * dice.between(0.12, 0.88),
                    );
                    let card = dice.below(probes_in_image.len());
                    let on_card = probes_in_image.get(card).and_then(|probes| {
                        let off = Point::new(dice.normal(), dice.normal()) * (0.4 * long_px);
                        Some(*probes.get(dice.below(probes.len()))? + off)
                    });
                    let center = if dice.chance(0.75) { on_card } else { None };
                    Spot {
                        center: center.unwrap_or(anywhere),
                        axis: Point::new(turn.cos(), turn.sin()),
                        radii: (wide, wide * dice.between(0.25, 0.9)),
                        strength: dice.within(params.glare_strength),
                    }
                })
                .collect()
        } else {
            Vec::new()
        };
        while bleached(&spots, probes_in_image) > MOST_BLEACHED {
            for spot in &mut spots {
                spot.radii = (spot.radii.0 * 0.9, spot.radii.1 * 0.9);
            }
        }
        Self {
            lamp,
            ambient,
            ambient_part: 1.0 - depth,
            center: middle - away * (extent_mm * dice.between(0.0, 0.9)),
            reach_mm,
            slope: Point::new(dice.normal(), dice.normal()) * (0.25 * falloff / extent_mm),
            casters,
            spots,
            away,
            card_shadow: (
                dice.within(Span::new(0.3, 2.5)),
                dice.within(Span::new(0.8, 5.0)),
                dice.within(params.card_shadow),
            ),
        }
    }

    /// The light at a place of the table (millimetres), as a factor for each channel. `pixel_mm` is
    /// the size of the pixel there.
    fn at(&self, place: Point, pixel_mm: f64) -> [f32; 3] {
        let off = place - self.center;
        let near = 1.0 / (1.0 + off.dot(off) / (self.reach_mm * self.reach_mm));
        let strength = (near + self.slope.dot(off)).max(0.12);
        let mut open = 1.0f64;
        for caster in &self.casters {
            let distance = caster
                .sides
                .iter()
                .map(|&(normal, offset)| normal.dot(place) - offset)
                .fold(f64::NEG_INFINITY, f64::max);
            let t = (0.5 + distance / caster.penumbra_mm.max(pixel_mm)).clamp(0.0, 1.0);
            open = open.min(t * t * (3.0 - 2.0 * t));
        }
        let direct = (strength * (1.0 - self.ambient_part) * open) as f32;
        let around = (strength * self.ambient_part) as f32;
        [0, 1, 2].map(|c| self.lamp[c] * direct + self.ambient[c] * around)
    }

    /// Lights a picture of reflectances, row by row.
    pub(super) fn shine(&self, pixels: &mut [[f32; 4]], width: usize, view: &View) {
        let at = |x: f64, y: f64| {
            let point = view.table_from_image(Point::new(x, y));
            self.at(point.place, point.size_mm)
        };
        if self.has_shadow() {
            for (i, pixel) in pixels.iter_mut().enumerate() {
                let lit = at((i % width) as f64 + 0.5, (i / width) as f64 + 0.5);
                pixel.iter_mut().zip(lit).for_each(|(value, lit)| *value *= lit);
            }
            return;
        }
        // Without shadows the light is so smooth that every eighth pixel is enough; the rest is
        // interpolated.
        const STEP: usize = 8;
        let height = pixels.len() / width;
        let columns = width / STEP + 2;
        let nodes: Vec<[f32; 3]> = (0..(height / STEP + 2) * columns)
            .map(|k| {
                let (i, j) = (k % columns, k / columns);
                at((i * STEP) as f64 + 0.5, (j * STEP) as f64 + 0.5)
            })
            .collect();
        for (y, row) in pixels.chunks_exact_mut(width).enumerate() {
            let (j, v) = (y / STEP, (y % STEP) as f32 / STEP as f32);
            for (i, block) in row.chunks_mut(STEP).enumerate() {
                let corner = |di: usize, dj: usize| nodes[(j + dj) * columns + i + di];
                let blend =
                    |a: [f32; 3], b: [f32; 3], t: f32| [0, 1, 2].map(|c| a[c] + (b[c] - a[c]) * t);
                let left = blend(corner(0, 0), corner(0, 1), v);
                let right = blend(corner(1, 0), corner(1, 1), v);
                for (x, pixel) in block.iter_mut().enumerate() {
                    let lit = blend(left, right, x as f32 / STEP as f32);
                    pixel.iter_mut().zip(lit).for_each(|(value, lit)| *value *= lit);
                }
            }
        }
    }

    /// Whether an object casts a shadow on the table.
    pub(super) fn has_shadow(&self) -> bool {
        !self.casters.is_empty()
    }

    /// Whether the lamp is reflected.
    pub(super) fn has_glare(&self) -> bool {
        !self.spots.is_empty()
    }

    /// Colour cast after white balance: half the natural logarithm of red over blue; positive is
    /// warm.
    pub(super) fn cast(&self) -> f64 {
        f64::from(self.lamp[0] / self.lamp[2]).ln() / 2.0
    }

    /// Adds the lamp's reflections to a picture of linear light whose fourth channel is the
    /// surface's gloss.
    pub(super) fn add_glare(&self, pixels: &mut [[f32; 4]], width: usize) {
        let height = pixels.len() / width;
        for spot in &self.spots {
            let reach = 2.6 * spot.radii.0.max(spot.radii.1);
            for y in pixel_range(spot.center.y - reach, spot.center.y + reach, height) {
                for x in pixel_range(spot.center.x - reach, spot.center.x + reach, width) {
                    let shine = spot.at(Point::new(x as f64 + 0.5, y as f64 + 0.5));
                    if shine == 0.0 {
                        continue;
                    }
                    let pixel = &mut pixels[y * width + x];
                    let shine = shine as f32 * pixel[3];
                    for (value, lamp) in pixel.iter_mut().zip(self.lamp) {
                        *value += shine * lamp;
                    }
                }
            }
        }
    }
}

/// The shadow of a hand, a lamp's arm or a window frame: a convex polygon across the cards.
fn caster(dice: &mut Dice, middle: Point, extent_mm: f64) -> Caster {
    let center =
        middle + Point::new(dice.between(-1.0, 1.0), dice.between(-1.0, 1.0)) * (0.6 * extent_mm);
    let turn = dice.between(0.0, std::f64::consts::TAU);
    let corners = 3 + dice.below(3);
    let sides = (0..corners)
        .map(|i| {
            let angle = turn
                + std::f64::consts::TAU * (i as f64 + dice.between(-0.3, 0.3)) / corners as f64;
            let normal = Point::new(angle.cos(), angle.sin());
            (normal, normal.dot(center) + extent_mm * dice.between(0.12, 0.7))
        })
        .collect();
    // From a small, sharp lamp to a window.
    let penumbra_mm =
        if dice.chance(0.6) { dice.between(0.5, 6.0) } else { dice.between(6.0, 60.0) };
    Caster { sides, penumbra_mm }
}

/// Leaves, the fingers of a hand, the slats of a blind: many shadows smaller than a card, so that
/// one card has several shadow edges.
fn dapple(dice: &mut Dice, middle: Point, extent_mm: f64) -> Vec<Caster> {
    let penumbra_mm = either(dice, (0.5, 5.0), (5.0, 14.0));
    if dice.chance(0.4) {
        return slats(dice, middle, extent_mm, penumbra_mm);
    }
    // As many as cover about a third of the cards.
    let size_mm = dice.between(8.0, 32.0);
    let count = ((0.4 * extent_mm / size_mm).powi(2) as usize).clamp(5, 40);
    (0..count)
        .map(|_| {
            let off = Point::new(dice.between(-1.0, 1.0), dice.between(-1.0, 1.0));
            let radius_mm = size_mm * dice.between(0.6, 1.6);
            let slender = dice.between(0.3, 1.0);
            let turn = dice.between(0.0, std::f64::consts::TAU);
            let corners = 4 + dice.below(3);
            let (sin, cos) = turn.sin_cos();
            let center = middle + off * extent_mm;
            let sides = (0..corners).map(|i| {
                let angle =
                    std::f64::consts::TAU * (i as f64 + dice.between(-0.3, 0.3)) / corners as f64;
                // The outline of an ellipse, as an envelope of tangents.
                let (x, y) = (angle.cos(), angle.sin());
                let reach = radius_mm * x.hypot(slender * y);
                let normal = Point::new(x * cos - y * sin, x * sin + y * cos);
                (normal, normal.dot(center) + reach)
            });
            Caster { sides: sides.collect(), penumbra_mm }
        })
        .collect()
}

/// Parallel stripes of shadow over a part of the table.
fn slats(dice: &mut Dice, middle: Point, extent_mm: f64, penumbra_mm: f64) -> Vec<Caster> {
    let turn = dice.between(0.0, std::f64::consts::TAU);
    let across = Point::new(turn.cos(), turn.sin());
    let half_mm = dice.between(3.0, 14.0);
    let pitch_mm = 2.0 * half_mm * dice.between(1.5, 3.5);
    let count = ((2.0 * extent_mm / pitch_mm) as usize).clamp(2, 2 + dice.below(14));
    let first_mm = -extent_mm * dice.between(0.0, 1.0);
    (0..count)
        .map(|i| {
            let lean = 0.06 * dice.normal();
            let normal = Point::new((turn + lean).cos(), (turn + lean).sin());
            let place = middle + across * (first_mm + i as f64 * pitch_mm);
            let half_mm = half_mm * dice.between(0.8, 1.25);
            let along = normal.perpendicular();
            let reach = extent_mm * dice.between(0.2, 1.2);
            let end = middle.dot(along) + extent_mm * dice.between(-0.4, 0.4);
            let sides = vec![
                (normal, normal.dot(place) + half_mm),
                (-normal, half_mm - normal.dot(place)),
                (along, end + reach),
                (-along, reach - end),
            ];
            Caster { sides, penumbra_mm }
        })
        .collect()
}

/// A length from the first range with a probability above one half, otherwise from the second.
fn either(dice: &mut Dice, usual: (f64, f64), rare: (f64, f64)) -> f64 {
    let (low, high) = if dice.chance(0.7) { usual } else { rare };
    dice.between(low, high)
}
