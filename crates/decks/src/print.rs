//! From groups of cards to a deck: mean outlines, fills that look like those seen, inks.

use crate::fit;
use crate::group::{DeckCard, Groups, mean_mask};
use image::{GrayImage, Luma};
use imageproc::contours::{BorderType, find_contours};
use setsight_game::cards::Deck;
use setsight_game::cards::deck::invented::COLORS;
use setsight_game::cards::deck::{Fill, FillKind, Ink, MOST_REACH, NamedFill, Sides, Symbol};
use setsight_photo::numeric::median;
use setsight_photo::print::color::{linear_rgb, srgb_from_linear};
use setsight_vision::classify::taught::lab;
use setsight_vision::classify::taught::{HEIGHT, WIDTH};
use setsight_vision::classify::taught::{PATCH_HEIGHT, PATCH_WIDTH};
use std::collections::BTreeSet;

/// Which of the groups becomes which of the deck's values: the outline with the largest area first,
/// of fills the fullest, then the emptiest, then what is between; inks around the circle of hues.
pub(super) fn in_order(cards: &[DeckCard], groups: &mut Groups) {
    let areas = means(cards, &groups.shapes, |card| card.measured.mask.area_px() as f32);
    renumber(&mut groups.shapes, ascending(areas.map(|area| -area)));
    if !groups.one_fill {
        let [emptiest, middle, fullest] =
            ascending(means(cards, &groups.fills, |card| card.measured.fill[0]));
        renumber(&mut groups.fills, [fullest, emptiest, middle]);
    }
    let a = means(cards, &groups.inks, |card| card.measured.ink[1]);
    let b = means(cards, &groups.inks, |card| card.measured.ink[2]);
    let hues = [0, 1, 2].map(|g| b[g].atan2(a[g]).rem_euclid(std::f32::consts::TAU));
    renumber(&mut groups.inks, ascending(hues));
}

/// The mean of a value over the cards of each group.
fn means(cards: &[DeckCard], assigned: &[usize], value: impl Fn(&DeckCard) -> f32) -> [f32; 3] {
    [0, 1, 2].map(|g| {
        let group = cards.iter().zip(assigned).filter(|(_, group)| **group == g);
        let values: Vec<f32> = group.map(|(card, _)| value(card)).collect();
        values.iter().sum::<f32>() / values.len().max(1) as f32
    })
}

/// The three groups by a value, the lowest first.
fn ascending(values: [f32; 3]) -> [usize; 3] {
    let mut order = [0, 1, 2];
    order.sort_by(|&a: &usize, &b| values[a].total_cmp(&values[b]));
    order
}

/// Gives groups the number of their place in an order.
fn renumber(assigned: &mut [usize], order: [usize; 3]) {
    assigned.iter_mut().for_each(|g| *g = order.iter().position(|o| o == g).unwrap_or(0));
}

/// The deck that the groups show. `tell` is called with the part that is done, 0 to 1.
pub(super) fn deck(
    cards: &[DeckCard],
    groups: &Groups,
    name: &str,
    tell: &(dyn Fn(f64) + Sync),
) -> Deck {
    let words = ["first", "second", "third"];
    let mut shapes = Vec::new();
    for (g, word) in words.into_iter().enumerate() {
        let text = word.chars().next().unwrap_or('?');
        let (_, soft) = mean_mask(cards, groups, g);
        let points = contour(&soft);
        shapes.push(Symbol::new(format!("{word} shape"), [text; 2], Sides::Straight, points, None));
    }
    let Ok(shapes) = <[Symbol; 3]>::try_from(shapes) else { unreachable!("one for each word") };
    let inks = [0, 1, 2].map(|g| ink(cards, groups, g));
    let spacing = median(cards.iter().filter_map(|card| card.measured.spacing));
    let named = named_fill(fit::SOLID);
    let mut deck = Deck {
        name: name.to_owned(),
        title: format!("{name}, learnt from photos"),
        symbol_size: 1.0,
        symbol_spacing: f64::from(spacing.unwrap_or(0.26)).clamp(0.15, 0.33),
        shapes,
        fills: [named.clone(), named.clone(), named],
        inks: apart_in_name(without_shades(inks)),
    };
    let blur = median(cards.iter().map(|card| card.measured.blur_px)).unwrap_or(1.0);
    let count = if groups.one_fill { 1 } else { 3 };
    let fills: Vec<Fill> = (0..count)
        .map(|g| {
            fit::fill(cards, groups, g, &deck, 0.9 * blur, &|part: f64| {
                tell((g as f64 + part) / count as f64)
            })
        })
        .collect();
    for g in 0..3 {
        deck.fills[g] = named_fill(fills[g.min(count - 1)]);
    }
    let names: BTreeSet<&str> = deck.fills.iter().map(|fill| &*fill.name).collect();
    if count == 3 && names.len() < 3 {
        for (fill, word) in deck.fills.iter_mut().zip(words) {
            fill.name = format!("{word} {}", fill.name);
        }
    }
    deck
}

/// The border of a mean mask as a polygon, in card sides about the middle of its bounding box.
fn contour(soft: &[f32]) -> Vec<(f64, f64)> {
    /// Between pixels the share is interpolated.
    const FINER: usize = 4;
    const POINTS: usize = 120;
    /// Blank pixels around it: a contour along the picture's own border is not found.
    const MARGIN: usize = 1;
    let (w, h) = (PATCH_WIDTH * FINER, PATCH_HEIGHT * FINER);
    let at =
        |x: usize, y: usize| share_at(soft, [x, y].map(|v| (v as f32 + 0.5) / FINER as f32 - 0.5));
    let size = [w, h].map(|side| (side + 2 * MARGIN) as u32);
    let picture = GrayImage::from_fn(size[0], size[1], |x, y| {
        let [x, y] = [x, y].map(|v| (v as usize).wrapping_sub(MARGIN));
        Luma([if x < w && y < h && at(x, y) >= 0.5 { 255 } else { 0 }])
    });
    let outer = find_contours::<u32>(&picture);
    let outer = outer.into_iter().filter(|contour| contour.border_type == BorderType::Outer);
    let longest = outer.max_by_key(|contour| contour.points.len());
    let points = longest.map(|contour| contour.points).unwrap_or_default();
    let raw: Vec<(f64, f64)> = points.iter().map(|p| (f64::from(p.x), f64::from(p.y))).collect();
    let n = raw.len();
    if n < 3 {
        return vec![(-0.05, -0.2), (-0.05, 0.2), (0.05, 0.2), (0.05, -0.2)];
    }
    // The steps of pixels are taken out, corners hardly: four fine pixels are a quarter of a
    // millimetre.
    let polygon = (0..POINTS).map(|k| {
        let near = (0..7).map(|d| raw[(k * n / POINTS + n + d - 3) % n]);
        let sum = near.fold((0.0, 0.0), |s, p| (s.0 + p.0, s.1 + p.1));
        (sum.0 / 7.0, sum.1 / 7.0)
    });
    let (xs, ys): (Vec<f64>, Vec<f64>) = polygon.unzip();
    let us = centred(&xs).into_iter().map(|v| v / (FINER * WIDTH) as f64);
    let vs = centred(&ys).into_iter().map(|v| v / (FINER * HEIGHT) as f64);
    us.zip(vs)
        .map(|(u, v)| (u.clamp(-MOST_REACH.0, MOST_REACH.0), v.clamp(-MOST_REACH.1, MOST_REACH.1)))
        .collect()
}

/// A contour's coordinates on one axis about their middle. A contour names the outermost pixels; the
/// border runs half a pixel beyond.
fn centred(values: &[f64]) -> Vec<f64> {
    let low = values.iter().copied().fold(f64::MAX, f64::min);
    let high = values.iter().copied().fold(f64::MIN, f64::max);
    let (middle, half) = ((low + high) / 2.0, (high - low) / 2.0);
    values.iter().map(|v| (v - middle) * (half + 0.5) / half.max(1.0)).collect()
}

/// A share between the pixels of a patch, bilinearly.
fn share_at(soft: &[f32], [x, y]: [f32; 2]) -> f32 {
    let [(i, fu), (j, fv)] = [(x, PATCH_WIDTH - 1), (y, PATCH_HEIGHT - 1)].map(|(v, last)| {
        let v = v.clamp(0.0, last as f32 - 1e-3);
        (v as usize, v.fract())
    });
    let [top, low] = [j, j + 1].map(|j| {
        let row = &soft[j * PATCH_WIDTH + i..][..2];
        row[0] + (row[1] - row[0]) * fu
    });
    top + (low - top) * fv
}

/// The ink of a group, as its most solid cards show it.
fn ink(cards: &[DeckCard], groups: &Groups, g: usize) -> Ink {
    // Thin lines are paler than what is solid: of each fill the median, then the strongest.
    let lights = (0..3).filter_map(|fill| {
        let lights: Vec<[f32; 3]> = (0..cards.len())
            .filter(|&i| groups.inks[i] == g && groups.fills[i] == fill)
            .map(|i| cards[i].measured.light)
            .collect();
        let [r, g, b] = [0, 1, 2].map(|c| median(lights.iter().map(|light| light[c])));
        Some([r?, g?, b?])
    });
    let light = lights.min_by(|a, b| a.iter().sum::<f32>().total_cmp(&b.iter().sum()));
    let light = light.unwrap_or([0.0; 3]);
    let srgb =
        light.map(|v| (255.0 * srgb_from_linear(f64::from(v.clamp(0.0, 1.0)))).round() as u8);
    Ink { name: color_name(light).to_owned(), printings: vec![srgb] }
}

/// The usual name of a colour, given as shares of the stock's light.
fn color_name(light: [f32; 3]) -> &'static str {
    let ink = lab(light);
    let nearest =
        COLORS.iter().min_by(|a, b| color_distance(ink, a.1).total_cmp(&color_distance(ink, b.1)));
    nearest.map_or("ink", |(name, _)| name)
}

/// How far an ink, in CIELAB, is from a colour of the catalogue.
fn color_distance(ink: [f32; 3], srgb: [u8; 3]) -> f32 {
    /// Lamps and the photo's exposure change lightness more than hue.
    const LIGHTNESS_WORTH: f32 = 0.5;
    /// The colours are given with the stock at this reflectance.
    const WHITE: f64 = 0.86;
    let color = lab(linear_rgb(srgb).map(|v| (v / WHITE) as f32));
    let [l, a, b]: [f32; 3] = std::array::from_fn(|d| ink[d] - color[d]);
    LIGHTNESS_WORTH * l * l + a * a + b * b
}

/// Names that people use beside the other one alone.
const SHADES: [(&str, &str); 2] = [("dark red", "red"), ("light green", "green")];

/// A red is dark beside another red alone: by itself it may be lit badly.
fn without_shades(mut inks: [Ink; 3]) -> [Ink; 3] {
    for (shade, plain) in SHADES {
        let mut of_both: Vec<&mut Ink> =
            inks.iter_mut().filter(|ink| ink.name == shade || ink.name == plain).collect();
        if let [only] = &mut of_both[..] {
            only.name = plain.to_owned();
        }
    }
    inks
}

/// Inks of one name get a number.
fn apart_in_name(mut inks: [Ink; 3]) -> [Ink; 3] {
    let names = inks.each_ref().map(|ink| ink.name.clone());
    for (g, ink) in inks.iter_mut().enumerate() {
        let like = |names: &[String]| names.iter().filter(|name| **name == ink.name).count();
        if like(&names) > 1 {
            ink.name = format!("{} {}", ink.name, like(&names[..=g]));
        }
    }
    inks
}

pub(super) fn named_fill(fill: Fill) -> NamedFill {
    let (name, text) = match fill.kind {
        FillKind::Solid => ("solid", '#'),
        FillKind::None => ("open", ' '),
        FillKind::Stripes => ("striped", '-'),
        FillKind::Bars => ("barred", '|'),
        FillKind::Crosshatch => ("hatched", 'x'),
        FillKind::Dots => ("dotted", '.'),
        FillKind::Strokes => ("dashed", '\''),
        FillKind::Checks => ("chequered", '%'),
        FillKind::Gradient => ("shaded", ':'),
    };
    NamedFill { name: name.to_owned(), text, fill }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::tests::deck as photographed;

    /// How far points are from the middle, at the most, across and down.
    fn reach(points: &[(f64, f64)]) -> (f64, f64) {
        points
            .iter()
            .fold((0.0, 0.0), |most: (f64, f64), p| (most.0.max(p.0.abs()), most.1.max(p.1.abs())))
    }

    /// What an ink of a catalogue colour is called, with this part of its light left.
    fn called(name: &str, part: f32) -> &'static str {
        let (_, srgb) = COLORS.iter().find(|color| color.0 == name).unwrap();
        color_name(linear_rgb(*srgb).map(|v| part * v as f32 / 0.86))
    }

    #[test]
    fn inks_are_called_what_people_call_them() {
        for (name, _) in COLORS {
            for part in [0.8, 1.0, 1.15] {
                assert_eq!(called(name, part), name, "{part}");
            }
        }
        let named = |names: [&str; 3]| {
            let inks = names.map(|name| Ink { name: name.to_owned(), printings: vec![[0; 3]] });
            apart_in_name(without_shades(inks)).map(|ink| ink.name)
        };
        // A red in bad light is a red, unless there is another.
        assert_eq!(called("red", 0.4), "dark red");
        assert_eq!(named(["dark red", "light green", "blue"]), ["red", "green", "blue"]);
        assert_eq!(named(["dark red", "red", "blue"]), ["dark red", "red", "blue"]);
        assert_eq!(named(["red", "blue", "red"]), ["red 1", "blue", "red 2"]);
        assert_eq!(named(["dark red", "dark red", "blue"]), ["dark red 1", "dark red 2", "blue"]);
    }

    /// As the foot of an L does, whose middle of area is near its stem.
    #[test]
    fn an_outline_that_reaches_the_border_of_its_patch_keeps_its_size() {
        let (width, top, height) = (30, 20, 150);
        for columns in [0..width, PATCH_WIDTH - width..PATCH_WIDTH] {
            let inside = (0..PATCH_WIDTH * PATCH_HEIGHT).map(|k| {
                columns.contains(&(k % PATCH_WIDTH))
                    && (top..top + height).contains(&(k / PATCH_WIDTH))
            });
            let soft: Vec<f32> = inside.map(|inside| f32::from(u8::from(inside))).collect();
            let points = contour(&soft);
            let half =
                [width as f64 / WIDTH as f64, height as f64 / HEIGHT as f64].map(|v| v / 2.0);
            assert!((reach(&points).0 - half[0]).abs() < 0.004, "{points:?}");
            assert!((reach(&points).1 - half[1]).abs() < 0.006, "{points:?}");
        }
    }

    #[test]
    fn the_deck_that_was_photographed_comes_out() {
        let (cards, groups) = photographed();
        let truth = Deck::invented(31);
        let progress = std::sync::Mutex::new(Vec::new());
        let learnt =
            deck(&cards, &groups, "ours", &|part: f64| progress.lock().unwrap().push(part));
        let progress = progress.into_inner().unwrap();
        // In about as many steps as are drawn, to the end.
        assert!(progress.len() > 500 && progress.iter().all(|part| (0.0..=1.0).contains(part)));
        assert!(progress.contains(&1.0));
        for (found, drawn) in learnt.shapes.iter().zip(&truth.shapes) {
            let [found, wanted] = [found, drawn].map(|symbol| reach(symbol.outline()));
            assert!((found.0 - wanted.0).abs() < 0.006, "{}", drawn.name);
            assert!((found.1 - wanted.1).abs() < 0.012, "{}", drawn.name);
        }
        for (found, drawn) in learnt.fills.iter().zip(&truth.fills) {
            assert_eq!(found.fill.kind, drawn.fill.kind);
            // Little of one stroke and much of the other may look the same; how often they come does not.
            let pitch = found.fill.pitch_mm / drawn.fill.pitch_mm;
            assert!((0.8..1.25).contains(&pitch), "{found:?} {drawn:?}");
        }
        // Its file is a deck's file.
        let text = learnt.to_text();
        assert_eq!(Deck::parse("ours.json", &text).unwrap().to_text(), text);
    }
}
