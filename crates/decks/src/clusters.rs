//! Groups of points and what lies between them: k-means, medoids, and how far groups are apart.
//!
//! Points of one group differ by their context, too: by the light of a table, or by the outline that
//! a fill is printed in. So some of these functions take the number of each point's context (a table,
//! a photo, an outline) and compare only points that share one.

/// How far apart the groups of one property are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Apart {
    /// The two groups that are nearest to one another.
    pub nearest: (usize, usize),
    /// Distance of their middles in deviations of their members along it.
    pub deviations: f32,
    /// The least distance of any two groups' middles.
    pub length: f32,
}

/// What no measurement is better than, in the points' unit.
const LEAST_DEVIATION: f32 = 0.01;

/// All orders of three groups.
pub(super) const ORDERS: [[usize; 3]; 6] =
    [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// `k` medoids of a table of distances, built greedily and then swapped as long as that helps.
pub(super) fn medoids(distance: &[Vec<(f32, bool)>], k: usize) -> Vec<usize> {
    let n = distance.len();
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < k.min(n) {
        let next = (0..n)
            .filter(|m| !chosen.contains(m))
            .map(|m| (cost_of_medoids(distance, &[&chosen[..], &[m]].concat()), m))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        chosen.extend(next.map(|(_, m)| m));
    }
    loop {
        let mut best = (cost_of_medoids(distance, &chosen), None);
        for place in 0..chosen.len() {
            for m in (0..n).filter(|m| !chosen.contains(m)) {
                let mut other = chosen.clone();
                other[place] = m;
                let other_cost = cost_of_medoids(distance, &other);
                if other_cost < best.0 - 1e-4 {
                    best = (other_cost, Some(other));
                }
            }
        }
        match best.1 {
            Some(better) => chosen = better,
            None => return chosen,
        }
    }
}

/// The sum of all distances to the nearest medoid.
fn cost_of_medoids(distance: &[Vec<(f32, bool)>], medoids: &[usize]) -> f32 {
    let nearest = |i: usize| medoids.iter().map(|&m| distance[m][i].0).fold(f32::MAX, f32::min);
    (0..distance.len()).map(nearest).sum()
}

/// Groups of points by k-means (Lloyd 1982), from the seeds that are farthest apart, begun at every
/// point in turn; the tightest is taken.
pub(super) fn k_means<const D: usize>(points: &[[f32; D]], k: usize) -> Vec<usize> {
    let mut best = (f32::MAX, vec![0; points.len()]);
    for start in 0..points.len() {
        let mut means = vec![points[start]];
        while means.len() < k {
            let farthest = points.iter().max_by(|a, b| {
                square_to_nearest(a, &means).total_cmp(&square_to_nearest(b, &means))
            });
            means.extend(farthest.copied());
        }
        let mut groups = vec![usize::MAX; points.len()];
        for _ in 0..30 {
            let next: Vec<usize> = points.iter().map(|p| nearest(p, &means)).collect();
            if next == groups {
                break;
            }
            groups = next;
            for (g, mean) in means.iter_mut().enumerate() {
                *mean = mean_of(members(points, &groups, g)).unwrap_or(*mean);
            }
        }
        let spread: f32 = points.iter().zip(&groups).map(|(p, g)| square(p, &means[*g])).sum();
        if spread < best.0 - 1e-6 {
            best = (spread, groups);
        }
    }
    best.1
}

/// The squared distance of two points.
fn square<const D: usize>(a: &[f32; D], b: &[f32; D]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

/// The squared distance of a point to the nearest mean.
fn square_to_nearest<const D: usize>(point: &[f32; D], means: &[[f32; D]]) -> f32 {
    means.iter().map(|mean| square(point, mean)).fold(f32::MAX, f32::min)
}

/// How far a point is from a mean along a direction.
fn along<const D: usize>(direction: &[f32; D], point: &[f32; D], mean: &[f32; D]) -> f32 {
    direction.iter().zip(point.iter().zip(mean)).map(|(w, (p, m))| w * (p - m)).sum()
}

fn nearest<const D: usize>(point: &[f32; D], means: &[[f32; D]]) -> usize {
    (0..means.len())
        .min_by(|a, b| square(point, &means[*a]).total_cmp(&square(point, &means[*b])))
        .unwrap_or(0)
}

/// The points of a group.
pub(super) fn members<'a, const D: usize>(
    points: &'a [[f32; D]],
    groups: &'a [usize],
    group: usize,
) -> impl Iterator<Item = &'a [f32; D]> {
    points.iter().zip(groups).filter(move |(_, value)| **value == group).map(|(point, _)| point)
}

/// The mean of points, if there are any.
pub(super) fn mean_of<'a, const D: usize>(
    points: impl Iterator<Item = &'a [f32; D]>,
) -> Option<[f32; D]> {
    let (mut sum, mut n) = ([0.0; D], 0);
    for point in points {
        sum.iter_mut().zip(point).for_each(|(sum, v)| *sum += v);
        n += 1;
    }
    (n > 0).then(|| sum.map(|v| v / n as f32))
}

/// How far apart groups of points are, see [`Apart`].
pub(super) fn apart<const D: usize>(points: &[[f32; D]], groups: &[usize], k: usize) -> Apart {
    let mut least = Apart { nearest: (0, 0), length: f32::MAX, deviations: f32::MAX };
    for a in 0..k {
        for b in a + 1..k {
            let [Some(ma), Some(mb)] = [a, b].map(|g| mean_of(members(points, groups, g))) else {
                return Apart { nearest: (a, b), length: 0.0, deviations: 0.0 };
            };
            let length = square(&ma, &mb).sqrt().max(1e-6);
            let way: [f32; D] = std::array::from_fn(|d| (mb[d] - ma[d]) / length);
            let [first, second] = [(a, &ma), (b, &mb)].map(|(g, mean)| {
                let (mut sum, mut n) = (0.0, 0.0f32);
                for p in members(points, groups, g) {
                    sum += along(&way, p, mean).powi(2);
                    n += 1.0;
                }
                (sum / n.max(1.0)).sqrt()
            });
            let spread = (first + second) / 2.0;
            let deviations = length / spread.max(LEAST_DEVIATION);
            if deviations < least.deviations {
                (least.nearest, least.deviations) = ((a, b), deviations);
            }
            least.length = least.length.min(length);
        }
    }
    least
}

/// How far apart groups of points are within tables, as [`apart`] has it: light is one matter per
/// table, so only what lies on one is compared. Two groups that are on no table together are
/// compared over all of them.
pub(super) fn apart_within<const D: usize>(
    points: &[[f32; D]],
    groups: &[usize],
    k: usize,
    tables: &[usize],
) -> Apart {
    let count = tables.iter().map(|table| table + 1).max().unwrap_or(0);
    let members_on = |g: usize, t: usize| {
        (0..points.len()).filter(move |i| groups[*i] == g && tables[*i] == t).map(|i| &points[i])
    };
    let mut least = Apart { nearest: (0, 0), length: f32::MAX, deviations: f32::MAX };
    for a in 0..k {
        for b in a + 1..k {
            let both: Vec<(f32, [f32; D], [f32; D], usize)> = (0..count)
                .filter_map(|t| {
                    let weight = members_on(a, t).count().min(members_on(b, t).count()) as f32;
                    Some((weight, mean_of(members_on(a, t))?, mean_of(members_on(b, t))?, t))
                })
                .collect();
            let weight: f32 = both.iter().map(|(weight, ..)| weight).sum();
            if weight < 3.0 {
                let groups: Vec<usize> = groups
                    .iter()
                    .map(|g| if *g == a { 0 } else { 1 + usize::from(*g != b) })
                    .collect();
                let pair = apart(points, &groups, 2);
                if pair.deviations < least.deviations {
                    (least.nearest, least.deviations) = ((a, b), pair.deviations);
                }
                least.length = least.length.min(pair.length);
                continue;
            }
            // The mean way from one to the other: what is only noise goes elsewhere on each table.
            let way: [f32; D] = std::array::from_fn(|d| {
                both.iter().map(|(w, ma, mb, _)| w * (mb[d] - ma[d])).sum::<f32>() / weight
            });
            let length = way.iter().map(|v| v * v).sum::<f32>().sqrt().max(1e-6);
            let (mut sum, mut free) = (0.0, 0.0f32);
            for (_, ma, mb, t) in &both {
                for (g, mean) in [(a, ma), (b, mb)] {
                    for p in members_on(g, *t) {
                        sum += (along(&way, p, mean) / length).powi(2);
                        free += 1.0;
                    }
                    free -= 1.0;
                }
            }
            let deviations = length / (sum / free.max(1.0)).sqrt().max(LEAST_DEVIATION);
            if deviations < least.deviations {
                (least.nearest, least.deviations) = ((a, b), deviations);
            }
            least.length = least.length.min(length);
        }
    }
    least
}

/// Points less what the light of their table adds: the mean by which its cards are off their groups.
pub(super) fn in_one_light<const D: usize>(
    points: &[[f32; D]],
    groups: &[usize],
    tables: &[usize],
) -> Vec<[f32; D]> {
    let mut lit = points.to_vec();
    for _ in 0..3 {
        let off = centred(&lit, groups);
        let shifts = means(&off, tables);
        for (point, table) in lit.iter_mut().zip(tables) {
            point.iter_mut().zip(shifts[*table]).for_each(|(v, shift)| *v -= shift);
        }
    }
    lit
}

/// Three groups within each context, linked so that the groups' middles lie nearest to those of the
/// first context.
pub(super) fn k_means_within<const D: usize>(
    points: &[[f32; D]],
    contexts: &[usize],
) -> Vec<usize> {
    let mut groups = vec![0; points.len()];
    let mut first: Option<[[f32; D]; 3]> = None;
    let count = contexts.iter().map(|context| context + 1).max().unwrap_or(0);
    for context in 0..count {
        let places: Vec<usize> = (0..points.len()).filter(|&i| contexts[i] == context).collect();
        let chosen: Vec<[f32; D]> = places.iter().map(|&i| points[i]).collect();
        let chosen_groups = k_means(&chosen, 3);
        let means =
            [0, 1, 2].map(|g| mean_of(members(&chosen, &chosen_groups, g)).unwrap_or([0.0; D]));
        let like = first.get_or_insert(means);
        let shifts =
            ORDERS.map(|order| (0..3).map(|g| square(&means[g], &like[order[g]])).sum::<f32>());
        let best = (0..ORDERS.len()).min_by(|&a, &b| shifts[a].total_cmp(&shifts[b]));
        let order = ORDERS[best.unwrap_or(0)];
        for (&i, &group) in places.iter().zip(&chosen_groups) {
            groups[i] = order[group];
        }
    }
    groups
}

/// The mean of each group; 0 of an empty one.
fn means<const D: usize>(points: &[[f32; D]], groups: &[usize]) -> Vec<[f32; D]> {
    let count = groups.iter().map(|group| group + 1).max().unwrap_or(0);
    (0..count).map(|g| mean_of(members(points, groups, g)).unwrap_or([0.0; D])).collect()
}

/// Points less the mean of their group.
pub(super) fn centred<const D: usize>(points: &[[f32; D]], groups: &[usize]) -> Vec<[f32; D]> {
    let means = means(points, groups);
    points
        .iter()
        .zip(groups)
        .map(|(point, g): (&[f32; D], &usize)| -> [f32; D] {
            std::array::from_fn(|d| point[d] - means[*g][d])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::tests::same;

    #[test]
    fn points_fall_into_the_groups_that_they_make() {
        let points = [[0.0, 0.0], [5.0, 5.0], [0.1, 0.0], [9.0, 0.0], [5.1, 5.0], [9.0, 0.2]];
        assert!(same(&k_means(&points, 3), &[0, 1, 0, 2, 1, 2]));
        assert!(apart(&points, &[0, 1, 0, 2, 1, 2], 3).deviations > 50.0);
        assert!(apart(&points, &[0, 1, 1, 2, 0, 2], 3).deviations < 5.0);
    }
}
