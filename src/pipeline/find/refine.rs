//! Whether an outline is right, and of which card, by a network that looks at one card at a time.
//!
//! The finder's network sees the whole photo small, and a side that is seen may be a neighbour's. Seen
//! straight and at its own size with what lies around it ([`view`]), a card shows better whether an
//! outline is its own, though half of it is covered; and how many symbols it has shows where they lie
//! on it, and what lies on them.

use crate::geometry::{Homography, Point, Quad};
use crate::model::refiner::{HEIGHT, OUTLINE_PX, OUTPUTS, RIGHT, VALUES, WIDTH};
use crate::pipeline::engine::{Network, NetworkError};
use crate::pipeline::rectify::straightened;
use crate::pipeline::segment::maps::Working;
use crate::pipeline::{InPlace, least_lead};
use image::RgbImage;
use opencv::prelude::*;

/// Something that says whether outlines are right: the network, or a fake in a test.
pub trait RefinerNetwork: Send + Sync {
    /// `outlines` views `[outlines, 3, 64, 96]` (see [`crate::model::refiner`]) to `[outlines, 21]`
    /// numbers, the last dimension fastest in both.
    ///
    /// # Errors
    /// The network does not run.
    fn answers(&self, input: Vec<f32>, outlines: usize) -> Result<Vec<f32>, NetworkError>;
}

impl RefinerNetwork for Network {
    fn answers(&self, input: Vec<f32>, outlines: usize) -> Result<Vec<f32>, NetworkError> {
        Ok(self.run(input, [outlines, 3, HEIGHT, WIDTH])?.values)
    }
}

/// A photo: R, G, B row by row, 8-bit.
#[derive(Clone, Copy, Debug)]
pub struct Photo<'a> {
    /// Three bytes a pixel.
    pub rgb: &'a [u8],
    /// Columns and rows.
    pub size_px: (u32, u32),
}

impl<'a> Photo<'a> {
    /// The photo at working resolution.
    ///
    /// # Errors
    /// Its pixels cannot be read.
    pub fn of(working: &'a Working) -> opencv::Result<Self> {
        let size_px = (working.width as u32, working.height as u32);
        Ok(Self { rgb: working.rgb.data_bytes()?, size_px })
    }
}

/// The outline's own corners, with (0, 0) in its middle and its short side for a unit.
pub fn outline_in_short_sides() -> Quad {
    let half = (OUTLINE_PX.0 / OUTLINE_PX.1 / 2.0, 0.5);
    Quad(
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .map(|(x, y)| Point::new(x * half.0, y * half.1)),
    )
}

/// The photo around an outline as the network takes it, see [`crate::model::refiner`]; `None` for an
/// outline without a surface or outside of the photo.
pub fn view(photo: &Photo, outline: &Quad) -> Option<RgbImage> {
    let image_from_outline = Homography::between(&outline_in_short_sides(), outline)?;
    let (x, y) = (WIDTH as f64 / OUTLINE_PX.1 / 2.0, HEIGHT as f64 / OUTLINE_PX.1 / 2.0);
    let around = Quad([(-x, -y), (x, -y), (x, y), (-x, y)].map(|(x, y)| Point::new(x, y)));
    let quad = image_from_outline.apply_quad(&around);
    // A steep outline's surroundings may lie beyond the horizon.
    if !quad.is_convex() || !outline.is_convex() {
        return None;
    }
    straightened(photo.rgb, photo.size_px, &quad, (WIDTH as u32, HEIGHT as u32))
}

/// `[3, 64, 96]`, 0 to 1.
pub fn input_of(view: &RgbImage) -> Vec<f32> {
    let mut input = Vec::with_capacity(3 * WIDTH * HEIGHT);
    push_input(view, false, &mut input);
    input
}

/// The same behind other views, as it is or turned by 180 degrees.
fn push_input(view: &RgbImage, turned: bool, input: &mut Vec<f32>) {
    let pixels = view.as_raw().chunks_exact(3);
    for channel in 0..3 {
        let value = |pixel: &[u8]| f32::from(pixel[channel]) / 255.0;
        if turned {
            input.extend(pixels.clone().rev().map(value));
        } else {
            input.extend(pixels.clone().map(value));
        }
    }
}

/// What one look at an outline says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// Log odds that the outline is right.
    pub right: f64,
    /// Where the corners of the card should be that it is of; `None` where they would be no card's.
    pub corrected: Option<Quad>,
}

/// What is said of each of some outlines (in pixels of the photo), all of them at once; nothing of those
/// that cannot be looked at.
///
/// # Errors
/// The network does not run.
pub fn judged(
    photo: &Photo,
    outlines: &[Quad],
    network: &dyn RefinerNetwork,
) -> Result<Vec<Option<Judged>>, NetworkError> {
    let own = outline_in_short_sides();
    let judged = |outline: &Quad, answer: Option<[f32; OUTPUTS]>| {
        let answer = answer?;
        let image_from_outline = Homography::between(&own, outline)?;
        let off = |i: usize| Point::new(f64::from(answer[2 * i]), f64::from(answer[2 * i + 1]));
        let corners = std::array::from_fn(|i| image_from_outline.apply(own.0[i] + off(i)));
        let corrected = Some(Quad(corners)).filter(Quad::is_convex);
        Some(Judged { right: f64::from(answer[RIGHT]), corrected })
    };
    let looks: Vec<Look> = outlines.iter().map(Look::at).collect();
    let answers = answers(photo, &looks, network)?;
    Ok(outlines.iter().zip(answers).map(|(outline, answer)| judged(outline, answer)).collect())
}

/// Log odds that each of some outlines is right by the mean of two looks, as it is and turned by 180
/// degrees, where it matters more.
///
/// # Errors
/// The network does not run.
pub fn right_both_ways(
    photo: &Photo,
    outlines: &[Quad],
    network: &dyn RefinerNetwork,
) -> Result<Vec<Option<f64>>, NetworkError> {
    let looks: Vec<Look> = outlines.iter().flat_map(as_it_lies).collect();
    let answers = answers(photo, &looks, network)?;
    let right = |answer: Option<[f32; OUTPUTS]>| answer.map(|answer| f64::from(answer[RIGHT]));
    let mean = |two: &[_]| Some((right(two[0])? + right(two[1])?) / 2.0);
    Ok(answers.chunks_exact(2).map(mean).collect())
}

/// For each of some cards the places that the network finds likeliest, of those given and of those to
/// which it leads from them: where it would put a card's corners, seen from there, again and again. Where
/// another card is known to lie (`taken`) none is looked for: a covered card's starts lead to those on it.
///
/// # Errors
/// The network does not run.
pub fn likely_places(
    photo: &Photo,
    starts: Vec<Vec<Quad>>,
    taken: &[Quad],
    network: &dyn RefinerNetwork,
) -> Result<Vec<Vec<Quad>>, NetworkError> {
    /// From how many of a card's likeliest places it goes on, step by step.
    const GOES_ON: [usize; 3] = [6, 4, 0];
    /// How many places are wanted of each card.
    const WANTED: usize = 4;
    let mut seen: Vec<Vec<(Quad, Judged)>> = vec![Vec::new(); starts.len()];
    let mut next = starts;
    let is_free = |place: &Quad| !taken.iter().any(|other| is_same_place(place, other));
    for goes_on in GOES_ON {
        next.iter_mut().for_each(|places| places.retain(is_free));
        let mut judged = judged(photo, &next.concat(), network)?.into_iter();
        for (seen, places) in seen.iter_mut().zip(&mut next) {
            let judged = judged.by_ref().take(places.len());
            let all = places.drain(..).zip(judged);
            let mut now: Vec<(Quad, Judged)> =
                all.filter_map(|(place, said)| Some((place, said?))).collect();
            likeliest_first(&mut now);
            *places = some_apart(now.iter().filter_map(|(_, said)| said.corrected), goes_on);
            seen.extend(now);
        }
    }
    let likeliest = |mut places: Vec<(Quad, Judged)>| {
        likeliest_first(&mut places);
        some_apart(places.into_iter().map(|(place, _)| place), WANTED)
    };
    Ok(seen.into_iter().map(likeliest).collect())
}

/// Whether two outlines would be of one card: two cards in a heap may have nearly the same middle, but then
/// they are turned otherwise.
pub fn is_same_place(one: &Quad, other: &Quad) -> bool {
    /// Mean distance of the corners, in short sides.
    const WITHIN: f64 = 0.3;
    let most = 4.0 * WITHIN * one.short_side();
    // A card looks alike after half a turn.
    [0, 2]
        .iter()
        .any(|turn| (0..4).map(|i| one.0[i].distance(other.0[(i + turn) % 4])).sum::<f64>() < most)
}

fn likeliest_first(places: &mut [(Quad, Judged)]) {
    places.sort_by(|a, b| b.1.right.total_cmp(&a.1.right));
}

/// The first `most` of some places, those left out that are as good as another before them.
fn some_apart(places: impl Iterator<Item = Quad>, most: usize) -> Vec<Quad> {
    /// Of one corner, in short sides: what is nearer has the same sides to look for.
    const APART: f64 = 0.04;
    let mut kept: Vec<Quad> = Vec::with_capacity(most);
    for place in places {
        let apart = APART * place.short_side();
        let is_near = |other: &Quad| {
            place.0.iter().zip(&other.0).all(|(own, other)| own.distance(*other) < apart)
        };
        if kept.len() < most && !kept.iter().any(is_near) {
            kept.push(place);
        }
    }
    kept
}

/// What lies under each of some outlines (in pixels of the photo), all of them at once; of those that
/// cannot be looked at nothing is said. It is looked at from either end; where that leaves a doubt, as with the
/// reader, also moved by as much as a place that was found is off, and the mean counts.
///
/// # Errors
/// The network does not run.
pub fn in_place(
    photo: &Photo,
    outlines: &[Quad],
    network: &dyn RefinerNetwork,
) -> Result<Vec<Option<InPlace>>, NetworkError> {
    let from_either_end: Vec<Look> = outlines.iter().flat_map(as_it_lies).collect();
    let answers_to_two = answers(photo, &from_either_end, network)?;
    let mut seen: Vec<Option<Vec<[f32; OUTPUTS]>>> =
        answers_to_two.chunks_exact(2).map(|two| two.iter().copied().collect()).collect();
    let is_doubtful = |seen: &Option<Vec<_>>| seen.as_ref().is_some_and(|two| !is_clear(two));
    let doubtful: Vec<usize> = (0..seen.len()).filter(|&i| is_doubtful(&seen[i])).collect();
    let more: Vec<Look> = doubtful.iter().flat_map(|&i| moved(&outlines[i])).collect();
    let answers_to_more = answers(photo, &more, network)?;
    for (i, two) in doubtful.into_iter().zip(answers_to_more.chunks_exact(2)) {
        seen[i].iter_mut().for_each(|seen| seen.extend(two.iter().flatten()));
    }
    Ok(seen.iter().map(|seen| seen.as_deref().map(mean_of)).collect())
}

/// Of answers to looks, the first two of which are at the place itself.
fn mean_of(seen: &[[f32; OUTPUTS]]) -> InPlace {
    let mean = |i: usize, seen: &[[f32; OUTPUTS]]| {
        seen.iter().map(|answer| answer[i]).sum::<f32>() / seen.len() as f32
    };
    let right = mean(RIGHT, &seen[..2]);
    let values = std::array::from_fn(|i| mean(VALUES + i, seen));
    InPlace { misplaced: 1.0 / (1.0 + right.exp()), values }
}

/// Whether the answers to two looks leave no doubt of the place nor of any property.
fn is_clear(two: &[[f32; OUTPUTS]]) -> bool {
    /// Odds of about fifty to one.
    const LEAD: f32 = 4.0;
    let said = mean_of(two);
    said.misplaced < 1.0 / (1.0 + LEAD.exp()) && least_lead(&said.values) >= LEAD
}

/// From either end.
fn as_it_lies(outline: &Quad) -> [Look; 2] {
    let as_is = Look::at(outline);
    [as_is, as_is.turned()]
}

/// The same, moved along the card to either side.
fn moved(outline: &Quad) -> [Look; 2] {
    /// In long sides.
    const BY: f64 = 0.02;
    let [a, b, c, d] = outline.0;
    let along = (b - a + c - d) * (BY / 2.0);
    let moved = |by: Point| Look::at(&Quad(outline.0.map(|p| p + by)));
    [moved(along), moved(along * -1.0).turned()]
}

/// From which end an outline is looked at.
#[derive(Clone, Copy)]
struct Look {
    outline: Quad,
    is_turned: bool,
}

impl Look {
    fn at(outline: &Quad) -> Self {
        Self { outline: *outline, is_turned: false }
    }

    fn turned(self) -> Self {
        Self { is_turned: !self.is_turned, ..self }
    }
}

fn answers(
    photo: &Photo,
    looks: &[Look],
    network: &dyn RefinerNetwork,
) -> Result<Vec<Option<[f32; OUTPUTS]>>, NetworkError> {
    /// Of a deck in a heap there are more than a thousand; together they would fill a hundred megabytes.
    const AT_ONCE: usize = 64;
    let mut all = Vec::with_capacity(looks.len());
    for looks in looks.chunks(AT_ONCE) {
        let mut input = Vec::with_capacity(looks.len() * 3 * WIDTH * HEIGHT);
        let mut seen = Vec::with_capacity(looks.len());
        // Looks from either end follow each other and share the view.
        let mut last: Option<(Quad, Option<RgbImage>)> = None;
        for Look { outline, is_turned } in looks {
            let (_, view) = match last {
                Some(ref kept) if kept.0 == *outline => kept,
                _ => last.insert((*outline, view(photo, outline))),
            };
            seen.push(view.is_some());
            if let Some(view) = view {
                push_input(view, *is_turned, &mut input);
            }
        }
        let count = seen.iter().filter(|seen| **seen).count();
        let numbers = if count == 0 { Vec::new() } else { network.answers(input, count)? };
        let mut rows = numbers.chunks_exact(OUTPUTS);
        let row = |seen: bool| if seen { rows.next()?.try_into().ok() } else { None };
        all.extend(seen.into_iter().map(row));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says the same of every outline.
    struct Says([f32; OUTPUTS]);

    impl RefinerNetwork for Says {
        fn answers(&self, input: Vec<f32>, outlines: usize) -> Result<Vec<f32>, NetworkError> {
            assert_eq!(input.len(), outlines * 3 * WIDTH * HEIGHT);
            Ok(self.0.repeat(outlines))
        }
    }

    fn card(x: f64, y: f64) -> Quad {
        Quad(
            [(0.0, 0.0), (90.0, 10.0), (84.0, 66.0), (-6.0, 58.0)]
                .map(|(u, v)| Point::new(x + u, y + v)),
        )
    }

    #[test]
    fn the_outline_fills_the_middle_of_its_view() {
        let outline = card(60.0, 50.0);
        let photo = RgbImage::from_fn(220, 180, |x, y| {
            let inside = outline.contains(Point::new(f64::from(x) + 0.5, f64::from(y) + 0.5));
            image::Rgb([if inside { 220 } else { 20 }, 0, 255])
        });
        let photo = Photo { rgb: photo.as_raw(), size_px: photo.dimensions() };
        let view = view(&photo, &outline).unwrap();
        assert_eq!(view.dimensions(), (WIDTH as u32, HEIGHT as u32));
        let (left, top) = ((96.0 - OUTLINE_PX.0) / 2.0, (64.0 - OUTLINE_PX.1) / 2.0);
        for (x, y, pixel) in view.enumerate_pixels() {
            let (x, y) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
            let depth = (x - left).min(96.0 - left - x).min(y - top).min(64.0 - top - y);
            if depth.abs() > 1.5 {
                assert_eq!(pixel.0[0] > 120, depth > 0.0, "{x} {y}");
            }
        }
        let planes = input_of(&view);
        assert_eq!(planes.len(), 3 * WIDTH * HEIGHT);
        assert_eq!((planes[WIDTH * HEIGHT], planes[2 * WIDTH * HEIGHT]), (0.0, 1.0));
    }

    #[test]
    fn only_what_can_be_looked_at_is_judged() {
        let image = RgbImage::new(300, 200);
        let photo = Photo { rgb: image.as_raw(), size_px: image.dimensions() };
        let outline = Quad(Quad::rectangle(77.0, 50.0).0.map(|p| p + Point::new(80.0, 60.0)));
        let far = Quad(outline.0.map(|p| p + Point::new(5e3, 0.0)));
        let line = Quad([0.0, 10.0, 20.0, 30.0].map(|v| Point::new(v, v)));
        let mut numbers = [0.0; OUTPUTS];
        numbers[RIGHT] = 1.5;
        let says = Says(numbers);
        let found = judged(&photo, &[line, outline, far, outline], &says).unwrap();
        assert_eq!(
            found.iter().map(|j| Some(j.as_ref()?.right)).collect::<Vec<_>>(),
            [None, Some(1.5), None, Some(1.5)]
        );
        assert_eq!(judged(&photo, &[], &says).unwrap(), []);
        let found = in_place(&photo, &[line, outline, far], &says).unwrap();
        let misplaced = 1.0 / (1.0 + 1.5f32.exp());
        assert_eq!(found, [None, Some(InPlace { misplaced, values: [0.0; 12] }), None]);
        assert_eq!(in_place(&photo, &[], &says).unwrap(), []);
    }

    /// Says of each view what a function of its three planes says.
    struct OfView<F>(F);

    impl<F: Fn(&[f32]) -> [f32; OUTPUTS] + Send + Sync> RefinerNetwork for OfView<F> {
        fn answers(&self, input: Vec<f32>, outlines: usize) -> Result<Vec<f32>, NetworkError> {
            let views = input.chunks_exact(3 * WIDTH * HEIGHT);
            assert_eq!(views.len(), outlines);
            Ok(views.flat_map(&self.0).collect())
        }
    }

    /// How bright the left half of a view is, as the log odds and as the first value.
    fn brightness_on_the_left(view: &[f32]) -> [f32; OUTPUTS] {
        let left = view.iter().enumerate().filter(|(i, _)| i % WIDTH < WIDTH / 2);
        let bright = left.map(|(_, v)| v).sum::<f32>() / (1.5 * (WIDTH * HEIGHT) as f32);
        let mut answer = [0.0; OUTPUTS];
        (answer[RIGHT], answer[VALUES]) = (bright, bright);
        answer
    }

    #[test]
    fn corners_are_corrected_where_the_outline_lies() {
        let image = RgbImage::new(300, 200);
        let photo = Photo { rgb: image.as_raw(), size_px: image.dimensions() };
        let outline = Quad(Quad::rectangle(77.0, 50.0).0.map(|p| p + Point::new(80.0, 60.0)));
        let line = Quad([0.0, 10.0, 20.0, 30.0].map(|v| Point::new(v, v)));
        let mut numbers = [0.0; OUTPUTS];
        // All corners a fifth of a short side along the first edge, the third half of one down.
        (0..4).for_each(|i| numbers[2 * i] = 0.2);
        numbers[5] = 0.5;
        let standing = Quad([1, 2, 3, 0].map(|i| outline.0[i]));
        let many = [vec![line, outline, standing], vec![outline; 70]].concat();
        let found = judged(&photo, &many, &Says(numbers)).unwrap();
        let found: Vec<Option<Quad>> = found.into_iter().map(|said| said?.corrected).collect();
        assert_eq!((found[0], found.len()), (None, 73));
        let off = |i: usize, k: usize| found[i].unwrap().0[k] - many[i].0[k];
        let near = |p: Point, x: f64, y: f64| p.distance(Point::new(x, y)) < 0.05;
        assert!(near(off(1, 0), 10.0, 0.0) && near(off(1, 2), 10.0, 25.0), "{found:?}");
        assert!(near(off(72, 0), 10.0, 0.0), "{found:?}");
        // Along the edge that comes first, whichever way that goes; what is stretched counts so.
        assert!(near(off(2, 0), 0.0, 0.2 / 1.54 * 50.0), "{found:?}");
    }

    /// On a photo whose red is the column: that a card belongs about column 130, by at most a tenth of a
    /// short side of 50 pixels at a time.
    fn towards_column_130(view: &[f32]) -> [f32; OUTPUTS] {
        let red = &view[..WIDTH * HEIGHT];
        let column = 255.0 * red.iter().sum::<f32>() / red.len() as f32;
        let off = (130.0 - column) / 50.0;
        let mut answer = [0.0; OUTPUTS];
        (0..4).for_each(|i| answer[2 * i] = off.clamp(-0.1, 0.1));
        answer[RIGHT] = -off.abs();
        answer
    }

    #[test]
    fn where_the_network_leads_is_likelier_than_where_it_began() {
        let photo = RgbImage::from_fn(256, 160, |x, _| image::Rgb([x as u8, 0, 0]));
        let photo = Photo { rgb: photo.as_raw(), size_px: photo.dimensions() };
        let at =
            |x: f64| Quad(Quad::rectangle(77.0, 50.0).0.map(|p| p + Point::new(x - 38.5, 55.0)));
        let starts = vec![vec![at(90.0), at(100.0), at(100.5)], Vec::new(), vec![at(128.0)]];
        let found = likely_places(&photo, starts, &[], &OfView(towards_column_130)).unwrap();
        let columns = |i: usize| found[i].iter().map(|q| q.center().x).collect::<Vec<f64>>();
        // Two steps of five pixels from the nearer start; what is less than two apart is one place.
        let first = columns(0);
        assert!((first[0] - 110.0).abs() < 1.5 && first.len() == 4, "{first:?}");
        assert!(first.windows(2).all(|two| two[0] > two[1] + 2.0), "{first:?}");
        assert!(columns(1).is_empty());
        assert!((columns(2)[0] - 130.0).abs() < 1.0, "{found:?}");
        // Another card lies 14 pixels to the right of the first start, its ends exchanged.
        let taken = at(104.0);
        let taken = Quad([2, 3, 0, 1].map(|i| taken.0[i]));
        let starts = vec![vec![at(85.0), at(100.0)]];
        let found = likely_places(&photo, starts, &[taken], &OfView(towards_column_130)).unwrap();
        assert_eq!(found[0], [at(85.0)]);
    }

    #[test]
    fn a_card_in_its_place_is_seen_from_both_ends() {
        // White to the left of x = 100, where the card's middle lies.
        let photo =
            RgbImage::from_fn(200, 200, |x, _| image::Rgb([if x < 100 { 255 } else { 0 }; 3]));
        let photo = Photo { rgb: photo.as_raw(), size_px: photo.dimensions() };
        let outline = Quad(Quad::rectangle(77.0, 50.0).0.map(|p| p + Point::new(61.5, 75.0)));
        let said =
            in_place(&photo, &[outline], &OfView(brightness_on_the_left)).unwrap()[0].unwrap();
        let near = |a: f32, b: f32| (a - b).abs() < 0.02;
        assert!(near(said.misplaced, 1.0 / (1.0 + 0.5f32.exp())), "{said:?}");
        assert!(near(said.values[0], 0.5), "{said:?}");
        let one_way =
            judged(&photo, &[outline], &OfView(brightness_on_the_left)).unwrap()[0].unwrap().right;
        let both_ways = right_both_ways(&photo, &[outline], &OfView(brightness_on_the_left))
            .unwrap()[0]
            .unwrap();
        assert!(near(one_way as f32, 1.0) && near(both_ways as f32, 0.5));
        let ([as_is, turned], [right, left]) = (as_it_lies(&outline), moved(&outline));
        assert_eq!((as_is.outline, turned.outline), (outline, outline));
        assert_eq!([as_is, turned, right, left].map(|l| l.is_turned), [false, true, false, true]);
        // A fiftieth of the long side either way.
        let by = |look: Look| look.outline.center().x - outline.center().x;
        assert!((by(right) - 1.54).abs() < 1e-9 && (by(left) + 1.54).abs() < 1e-9);
    }

    #[test]
    fn only_what_is_doubtful_is_looked_at_again_a_little_aside() {
        let image = RgbImage::new(300, 200);
        let photo = Photo { rgb: image.as_raw(), size_px: image.dimensions() };
        let outline = Quad(Quad::rectangle(77.0, 50.0).0.map(|p| p + Point::new(80.0, 60.0)));
        let looks_at = |right: f32, leads: f32| {
            let mut numbers = [0.0; OUTPUTS];
            numbers[RIGHT] = right;
            (0..4).for_each(|p| numbers[VALUES + 3 * p] = 9.0);
            numbers[VALUES + 4] = 9.0 - leads;
            let looks = std::sync::atomic::AtomicUsize::new(0);
            let says = OfView(|_: &[f32]| {
                looks.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                numbers
            });
            let said = in_place(&photo, &[outline], &says).unwrap()[0].unwrap();
            assert_eq!(said.values, numbers[VALUES..]);
            looks.into_inner()
        };
        assert_eq!(looks_at(6.0, 6.0), 2);
        assert_eq!(looks_at(3.0, 6.0), 4, "it may lie elsewhere");
        assert_eq!(looks_at(6.0, 3.0), 4, "it may be another");
    }
}
