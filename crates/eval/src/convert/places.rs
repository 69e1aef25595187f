//! Whether cards can be where labels say.

use super::account::{Account, Oddity};
use super::draft::{DraftPhoto, Unit};
use super::outline::Outline;
use setsight_photo::geometry::{Point, Quad};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How far outside of the picture a place may reach, in shares of the picture's sides: cards that
/// its edge cuts, and programs that round.
pub(super) const FAR: f64 = 0.25;

/// Finds the files whose places are shares of the picture although their form has pixels: no file of
/// pixels has all its cards in the first one, and no share is a whole number.
pub(super) fn find_units(drafts: &mut [DraftPhoto], account: &mut Account) {
    let mut files: BTreeMap<PathBuf, (f64, bool)> = BTreeMap::new();
    for draft in drafts.iter().filter(|draft| draft.unit == Unit::Pixels) {
        let (largest, has_fraction) = files.entry(draft.told_in.clone()).or_default();
        for v in draft.marks.iter().flat_map(|mark| mark.outline.points()).flat_map(|p| [p.x, p.y])
        {
            *largest = largest.max(v);
            *has_fraction |= v.fract() != 0.0;
        }
    }
    for draft in drafts.iter_mut().filter(|draft| draft.unit == Unit::Pixels) {
        let (largest, has_fraction) = files[&draft.told_in];
        if has_fraction && largest <= 1.0 + FAR && !draft.marks.is_empty() {
            draft.unit = Unit::Shares;
            account.add(Oddity::InShares, || draft.told_in.display().to_string());
        }
    }
}

/// How far outside of the picture rounding puts a corner, in pixels.
const ROUNDING_PX: f64 = 1.0;
/// How far outside of the picture a box may reach, in shares of the picture's sides: shares with two
/// decimals. Programs cut boxes at the edge, so one that reaches further lies elsewhere.
const EDGE: f64 = 0.01;

/// The centre and the corners of a card, in pixels of a picture of this size; `None` for what is left
/// out. `at` is where its label stands.
///
/// # Errors
/// A message if no card can be there.
pub(super) fn place_of(
    outline: Outline,
    name: &str,
    (w, h): (f64, f64),
    at: &str,
    account: &mut Account,
) -> Result<Option<(Point, Option<Quad>)>, String> {
    if let Outline::Box(a, b) = outline
        && (b.x < a.x || b.y < a.y)
    {
        let (width, height) = (b.x - a.x, b.y - a.y);
        return Err(format!(
            "the box of {name} has the size {width:.0}x{height:.0}; expected a width and a height \
             above 0, from its left top corner on; in {at}"
        ));
    }
    if outline.is_flat() {
        account.add(Oddity::NoArea, || at.to_owned());
        return Ok(None);
    }
    if let Some(why) = strange_place(&outline, name, (w, h)) {
        return Err(format!("{why}; in {at}"));
    }
    // A box keeps its size, for its middle is the card's.
    if let Outline::Polygon(points) = &outline {
        let within = |p: Point| Point::new(p.x.clamp(0.0, w), p.y.clamp(0.0, h));
        if points.iter().any(|&p| p.distance(within(p)) > ROUNDING_PX) {
            account.add(Oddity::Clipped, || at.to_owned());
        }
        return Ok(Some(outline.map(within).settle()));
    }
    Ok(Some(outline.settle()))
}

/// Why a card cannot be at a place, in pixels of a picture of this size.
fn strange_place(outline: &Outline, name: &str, (w, h): (f64, f64)) -> Option<String> {
    let (center, _) = outline.settle();
    if !((0.0..=w).contains(&center.x) && (0.0..=h).contains(&center.y)) {
        let center = told_place(center);
        return Some(format!(
            "the centre of {name}, {center}, lies outside of the picture ({w}x{h} pixels)"
        ));
    }
    let points = outline.points();
    let far = |p: &&Point| {
        let within = |v: f64, side: f64| (-FAR * side..=(1.0 + FAR) * side).contains(&v);
        !(within(p.x, w) && within(p.y, h))
    };
    if let Some(far) = points.iter().find(far) {
        let far = told_place(*far);
        return Some(format!(
            "a corner of {name}, {far}, lies far outside of the picture ({w}x{h} pixels); are these \
             other numbers than were expected, such as corners for a size?"
        ));
    }
    if let Outline::Box(a, b) = outline {
        let margin = |side: f64| (EDGE * side).max(ROUNDING_PX);
        let is_within =
            |from: f64, to: f64, side: f64| from >= -margin(side) && to <= side + margin(side);
        if !is_within(a.x, b.x, w) || !is_within(a.y, b.y, h) {
            let (a, b) = (told_place(*a), told_place(*b));
            return Some(format!(
                "the box of {name}, from {a} to {b}, leaves the picture ({w}x{h} pixels); is its middle \
                 taken for its left top corner, or the corner for the middle? Expected the middle in \
                 YOLO's files and in columns called x_center and y_center, the corner elsewhere"
            ));
        }
    }
    let largest = points.iter().map(|p| p.x.max(p.y)).fold(0.0, f64::max);
    (largest <= 1.0 && w.min(h) > 1.0).then(|| {
        format!(
            "{name} lies within the picture's first pixel; expected all places of a file in pixels, \
             or all in shares of the picture"
        )
    })
}

/// A point as it is told.
pub(super) fn told_place(p: Point) -> String {
    format!("({:.0}, {:.0})", p.x, p.y)
}
