//! Matches outlines with labels by their centres.

use crate::geometry::Point;

/// Maximum distance between the centres of an outline and its label, as a fraction of the card's
/// long side. Within it, both must mean the same card: the centres of neighbours that do not
/// overlap are at least a short side, 0.64, apart.
pub const MATCH_RADIUS: f64 = 0.35;

/// Matches labels with outlines one to one, nearest first (distance between centres in long sides
/// of the card), up to [`MATCH_RADIUS`]; returns the index of each label's outline. `long_side`
/// returns the card's long side for a pair of a label and an outline, by index. All coordinates are
/// in pixels of one picture.
pub fn nearest(
    labels: &[Point],
    outlines: &[Point],
    long_side: impl Fn(usize, usize) -> f64,
) -> Vec<Option<usize>> {
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (i, label) in labels.iter().enumerate() {
        for (j, outline) in outlines.iter().enumerate() {
            let distance = outline.distance(*label) / long_side(i, j).max(1.0);
            if distance <= MATCH_RADIUS {
                pairs.push((distance, i, j));
            }
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let mut outline_of_label = vec![None; labels.len()];
    let mut taken = vec![false; outlines.len()];
    for (_, i, j) in pairs {
        if outline_of_label[i].is_none() && !taken[j] {
            outline_of_label[i] = Some(j);
            taken[j] = true;
        }
    }
    outline_of_label
}
