//! Drawn tables in sequence, with replay.

use super::target::SeenCard;
use setsight_photo::geometry::{Point, Quad};
use setsight_photo::print::dice::{Dice, Purpose};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Increased whenever the same seed draws different tables, so that no run resumes with them.
pub(crate) const VERSION: u32 = 2;

/// A drawn table.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// Width and height in pixels.
    pub size_px: (usize, usize),
    /// R, G, B of each pixel, row by row, 8-bit sRGB.
    pub rgb: Arc<[u8]>,
    /// Gain of each channel, a lighting change after drawing.
    pub gain: [f32; 3],
    /// Whether it is mirrored: left to right, top to bottom. `cards` are mirrored already.
    pub mirrored: [bool; 2],
    /// Cards from the lowest to the highest, including those hardly in view.
    pub cards: Vec<SeenCard>,
    /// Corners of objects that resemble cards, see [`setsight_scenes::Scene::lookalikes`].
    pub lookalikes: Vec<Quad>,
}

/// Draws table number `index` of a series: seed, index, width and height in pixels.
pub(crate) type Draw = fn(u64, u64, (u32, u32)) -> Drawn;

/// Draws a table as in the training of the finder's shipped weights.
pub fn draw(seed: u64, index: u64, size_px: (u32, u32)) -> Drawn {
    drawn(
        setsight_scenes::scenes::finder(seed, index, size_px).expect("a size that can be drawn"),
        size_px,
    )
}

/// Draws a table as in the training of the refiner's shipped weights.
pub fn draw_covered(seed: u64, index: u64, size_px: (u32, u32)) -> Drawn {
    drawn(
        setsight_scenes::scenes::refiner(seed, index, size_px).expect("a size that can be drawn"),
        size_px,
    )
}

fn drawn(scene: setsight_scenes::Scene, size_px: (u32, u32)) -> Drawn {
    let cards = scene.cards.into_iter().map(|card| SeenCard {
        card: card.card,
        corners: card.corners_in_image,
        in_view: card.area_in_view,
        symbols: card.symbols_in_image.into_iter().zip(card.symbol_visibility).collect(),
    });
    Drawn {
        size_px: (size_px.0 as usize, size_px.1 as usize),
        rgb: scene.image.into_raw().into(),
        gain: [1.0; 3],
        mirrored: [false; 2],
        cards: cards.collect(),
        lookalikes: scene.lookalikes,
    }
}

const REPLAY: u64 = 0x7265_706c_6179;

impl Drawn {
    /// A table without mirroring, gain or objects other than cards.
    #[cfg(test)]
    pub(crate) fn plain(size_px: (usize, usize), rgb: Vec<u8>, cards: Vec<SeenCard>) -> Self {
        let (gain, mirrored) = ([1.0; 3], [false; 2]);
        Self { size_px, rgb: rgb.into(), gain, mirrored, cards, lookalikes: Vec::new() }
    }

    /// `[3, rows, columns]`, 0 to 1, with the mirroring and the gain applied.
    pub fn planes(&self) -> impl Iterator<Item = f32> + '_ {
        let (width, height) = self.size_px;
        (0..3).flat_map(move |channel| {
            let gain = self.gain[channel] / 255.0;
            (0..height).flat_map(move |y| {
                let y = if self.mirrored[1] { height - 1 - y } else { y };
                (0..width).map(move |x| {
                    let x = if self.mirrored[0] { width - 1 - x } else { x };
                    (f32::from(self.rgb[3 * (y * width + x) + channel]) * gain).min(1.0)
                })
            })
        })
    }

    /// The same table, mirrored.
    pub(crate) fn mirror(&self, sides: [bool; 2]) -> Self {
        let (width, height) = (self.size_px.0 as f64, self.size_px.1 as f64);
        let place = |p: Point| {
            let x = if sides[0] { width - p.x } else { p.x };
            Point::new(x, if sides[1] { height - p.y } else { p.y })
        };
        // Mirroring reverses the direction of the corners; the first edge stays a long one.
        let order = if sides[0] != sides[1] { [1, 0, 3, 2] } else { [0, 1, 2, 3] };
        let quad = |quad: &Quad| Quad::new(order.map(|i| place(quad.0[i])));
        let cards = self.cards.iter().map(|card| {
            let symbols = card.symbols.iter().map(|&(p, in_view)| (place(p), in_view)).collect();
            SeenCard { corners: quad(&card.corners), symbols, ..*card }
        });
        Self {
            cards: cards.collect(),
            lookalikes: self.lookalikes.iter().map(quad).collect(),
            mirrored: [self.mirrored[0] != sides[0], self.mirrored[1] != sides[1]],
            ..self.clone()
        }
    }
}

/// SHA-256, in hexadecimal digits, of a seed, a number that stands for the length of a run, and the
/// contents of its first tables.
pub(crate) fn fingerprint(
    seed: u64,
    number: u64,
    first: impl IntoIterator<Item = Drawn>,
) -> String {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update(number.to_le_bytes());
    first.into_iter().for_each(|table| hash.update(&table.rgb));
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Number of tables kept for replay: 250 kilobytes each.
const KEPT: u64 = 800;
/// Number of first steps without replay.
const FIRST_STEPS: u64 = 30;

/// An endless sequence of tables, or of data derived from them. The latest items are cached, so
/// that replaying them costs nothing.
pub(crate) struct Kept<T> {
    make: Box<dyn Fn(u64) -> T + Send + Sync>,
    most: usize,
    lately: Mutex<BTreeMap<u64, T>>,
}

impl<T: Clone> Kept<T> {
    /// The sequence that `make` returns by index, with the last `most` items cached.
    pub(crate) fn new(most: usize, make: impl Fn(u64) -> T + Send + Sync + 'static) -> Self {
        Self { make: Box::new(make), most, lately: Mutex::default() }
    }

    pub(crate) fn at(&self, index: u64) -> T {
        let lately = || self.lately.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = lately().get(&index) {
            return cached.clone();
        }
        let made = (self.make)(index);
        let mut lately = lately();
        lately.insert(index, made.clone());
        while lately.len() > self.most {
            lately.pop_first();
        }
        made
    }
}

/// The tables of the finder's steps; they depend on the seed and the step alone.
pub(crate) struct Stream {
    seed: u64,
    tables: Kept<Drawn>,
}

impl Stream {
    /// The sequence that `table` returns by index; the seed decides which tables are replayed.
    pub(crate) fn new(seed: u64, table: impl Fn(u64) -> Drawn + Send + Sync + 'static) -> Self {
        Self { seed, tables: Kept::new(KEPT as usize + 64, table) }
    }

    /// The `batch` tables of a step; the last `replayed` of them are replays.
    pub(crate) fn step(&self, step: u64, batch: usize, replayed: usize) -> Vec<Drawn> {
        let [first, next] = [step, step + 1].map(|step| {
            let early = step.min(FIRST_STEPS) * batch as u64;
            early + step.saturating_sub(FIRST_STEPS) * (batch - replayed) as u64
        });
        let mut tables: Vec<Drawn> = (first..next).map(|index| self.tables.at(index)).collect();
        let mut dice = Dice::new(self.seed ^ REPLAY, step, Purpose::Layout);
        while tables.len() < batch {
            let past = first.min(KEPT);
            let index = first - 1 - dice.below(past as usize) as u64;
            let sides =
                dice.pick(&[([true, false], 1.0), ([false, true], 1.0), ([true, true], 1.0)]);
            let mut table = self.tables.at(index).mirror(sides);
            let light = (0.1 * dice.normal()).exp();
            table.gain = [0; 3].map(|_| (light * (0.07 * dice.normal()).exp()) as f32);
            tables.push(table);
        }
        tables
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table with one grey card whose position encodes the table's index.
    fn plain(seed: u64, index: u64, (width, height): (u32, u32)) -> Drawn {
        let (w, h) = (width as usize, height as usize);
        let (x, y) = ((index % w as u64) as f64, (seed % h as u64) as f64);
        let corner = Point::new(x, y);
        let corners = Quad::new(Quad::rectangle(20.0, 10.0).0.map(|p| p + corner));
        let rgb: Vec<u8> = (0..3 * w * h).map(|i| (i as u64 + index) as u8).collect();
        let cards = vec![SeenCard::uncovered(corners)];
        Drawn::plain((w, h), rgb, cards)
    }

    #[test]
    fn a_step_gets_the_same_tables_whatever_came_before() {
        let size = (48, 32);
        let on = Stream::new(3, move |index| plain(3, index, size));
        let past: Vec<_> = (0..60).map(|step| on.step(step, 8, 3)).collect();
        let anew = Stream::new(3, move |index| plain(3, index, size));
        for step in [0, 29, 30, 59] {
            assert_eq!(anew.step(step, 8, 3), past[step as usize], "step {step}");
        }
        assert_ne!(past[40], past[41]);
        assert_eq!(past[40].iter().filter(|t| t.mirrored != [false; 2]).count(), 3);
        assert!(past[0].iter().all(|t| t.mirrored == [false; 2]));
        assert!(on.tables.lately.lock().unwrap().len() <= KEPT as usize + 64);
    }

    #[test]
    fn a_mirrored_table_is_its_picture_mirrored() {
        let table = plain(5, 7, (48, 32));
        for sides in [[true, false], [false, true], [true, true]] {
            let mirrored = table.mirror(sides);
            assert_eq!(mirrored.mirror(sides), table);
            let corners = &mirrored.cards[0].corners;
            assert!(corners.signed_area() > 0.0, "clockwise");
            assert!((corners.0[0].distance(corners.0[1]) - 20.0).abs() < 1e-9, "long side first");
            let planes: Vec<f32> = mirrored.planes().collect();
            let x = if sides[0] { 47 - 9 } else { 9 };
            let y = if sides[1] { 31 - 4 } else { 4 };
            let drawn = f32::from(table.rgb[3 * (4 * 48 + 9) + 1]) / 255.0;
            assert!((planes[48 * 32 + y * 48 + x] - drawn).abs() < 1e-6);
        }
    }

    #[test]
    fn tables_are_drawn_as_asked() {
        let table = draw(1, 2, (96, 80));
        assert_eq!(table, draw(1, 2, (96, 80)));
        assert_eq!(table.planes().count(), 3 * 96 * 80);
        assert!(table.planes().all(|v| (0.0..=1.0).contains(&v)));
        assert!((0..20).any(|i| draw(1, i, (96, 80)).cards.len() > 5));
    }
}
