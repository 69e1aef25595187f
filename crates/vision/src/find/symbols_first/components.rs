//! The connected components of a binary map, and how they are nested.
//!
//! Both colours are labelled: dark components 8-connected, light ones 4-connected. A component's
//! *filled* region is the component with everything that it encloses. So the filled region of an
//! outline is the shape that it draws, and the filled region of the hole inside it is the same
//! shape without the width of the line. Moments follow from the runs, without tracing contours.
//!
//! Run-based union-find labelling (He, Chao, Suzuki 2008); the enclosing component is the one to
//! the left of a component's first pixel in raster order (Suzuki, Abe 1985).

/// Raw moments of a region, about the origin of the map.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Moments {
    /// Area in pixels.
    pub area: f64,
    /// Sums of x and y of the pixel centres.
    pub first: [f64; 2],
    /// Sums of x^2, x y, y^2 of the pixel centres.
    pub second: [f64; 3],
}

impl Moments {
    /// A horizontal run of pixels `start..end` in row `y`.
    fn of_run(start: u32, end: u32, y: u32) -> Self {
        let (a, b, y) = (f64::from(start), f64::from(end), f64::from(y) + 0.5);
        let n = b - a;
        // Pixel centres a + 0.5 .. b - 0.5: mean and sum of squares in closed form.
        let mean = (a + b) / 2.0;
        let sum_xx = n * mean * mean + n * (n * n - 1.0) / 12.0;
        Self { area: n, first: [n * mean, n * y], second: [sum_xx, n * mean * y, n * y * y] }
    }

    fn add(&mut self, other: &Self) {
        self.area += other.area;
        for i in 0..2 {
            self.first[i] += other.first[i];
        }
        for i in 0..3 {
            self.second[i] += other.second[i];
        }
    }
}

/// One component with everything that it encloses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Component {
    /// Moments of the filled region.
    pub filled: Moments,
    /// Bounding box in pixels: left, top, right (exclusive), bottom (exclusive).
    pub bounds: [u32; 4],
    /// Whether it is a hole: a light component within a dark one.
    pub is_hole: bool,
    /// Range of the positions of this component and of those inside it, in nesting order.
    nested: (u32, u32),
}

/// The labelled map.
#[derive(Debug, Default)]
pub(crate) struct Components {
    width: usize,
    /// Every component, in raster order of its first pixel.
    pub all: Vec<Component>,
    /// For every pixel, the position of its component in nesting order.
    order_of_pixel: Vec<u32>,
    // Kept between maps, to allocate memory only once.
    runs: Vec<Run>,
    parent: Vec<u32>,
    row_starts: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    start: u32,
    end: u32,
    dark: bool,
}

fn root(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        let up = parent[parent[i as usize] as usize];
        parent[i as usize] = up;
        i = up;
    }
    i
}

fn unite(parent: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(parent, a), root(parent, b));
    // The earlier run becomes the root, so a root is its component's first run in raster order.
    if a < b {
        parent[b as usize] = a;
    } else {
        parent[a as usize] = b;
    }
}

impl Components {
    /// Labels a map of `width` columns in which dark pixels are 255 and light ones 0. Reuses the
    /// memory of earlier calls.
    ///
    /// # Panics
    /// The map's length is not a multiple of `width`.
    pub(crate) fn label(&mut self, map: &[u8], width: usize) {
        assert_eq!(map.len() % width, 0, "a map has whole rows");
        self.width = width;
        self.runs.clear();
        self.row_starts.clear();
        for row in map.chunks_exact(width) {
            self.row_starts.push(self.runs.len() as u32);
            push_runs(row, &mut self.runs);
        }
        self.row_starts.push(self.runs.len() as u32);
        self.join_rows();
        self.collect();
    }

    fn join_rows(&mut self) {
        let n = self.runs.len();
        self.parent.clear();
        self.parent.extend(0..n as u32);
        for window in self.row_starts.windows(3) {
            let (mut above, mut below) = (window[0] as usize, window[1] as usize);
            let (above_end, below_end) = (window[1] as usize, window[2] as usize);
            while above < above_end && below < below_end {
                // Runs fill their rows, so the two current runs always overlap.
                let (a, b) = (self.runs[above], self.runs[below]);
                if a.dark == b.dark {
                    unite(&mut self.parent, above as u32, below as u32);
                }
                // Advance the run that ends first. If both end together, first join dark runs that
                // touch diagonally, then advance both.
                match a.end.cmp(&b.end) {
                    std::cmp::Ordering::Less => above += 1,
                    std::cmp::Ordering::Greater => below += 1,
                    std::cmp::Ordering::Equal => {
                        for (i, j) in [(above + 1, below), (above, below + 1)] {
                            if i < above_end
                                && j < below_end
                                && self.runs[i].dark
                                && self.runs[j].dark
                            {
                                unite(&mut self.parent, i as u32, j as u32);
                            }
                        }
                        above += 1;
                        below += 1;
                    }
                }
            }
        }
    }

    fn collect(&mut self) {
        const NONE: u32 = u32::MAX;
        self.all.clear();
        // Component of each run; roots come first in raster order, so one pass numbers all
        // components.
        let mut component_of_run = vec![NONE; self.runs.len()];
        let mut enclosing: Vec<u32> = Vec::new();
        for (y, window) in self.row_starts.windows(2).enumerate() {
            for i in window[0]..window[1] {
                let run = self.runs[i as usize];
                let r = root(&mut self.parent, i);
                if r == i {
                    component_of_run[i as usize] = self.all.len() as u32;
                    enclosing.push(if run.start == 0 {
                        NONE
                    } else {
                        component_of_run[i as usize - 1]
                    });
                    self.all.push(Component {
                        filled: Moments::default(),
                        bounds: [run.start, y as u32, run.end, y as u32 + 1],
                        is_hole: !run.dark,
                        nested: (0, 0),
                    });
                }
                let c = component_of_run[r as usize];
                component_of_run[i as usize] = c;
                let component = &mut self.all[c as usize];
                component.filled.add(&Moments::of_run(run.start, run.end, y as u32));
                let bounds = &mut component.bounds;
                bounds[0] = bounds[0].min(run.start);
                bounds[2] = bounds[2].max(run.end);
                bounds[3] = y as u32 + 1;
            }
        }
        // A component that touches the map's edge has no enclosing component, whatever is to its
        // left.
        let n = self.all.len();
        let height = self.row_starts.len() as u32 - 1;
        for (component, outer) in self.all.iter().zip(&mut enclosing) {
            let [left, top, right, bottom] = component.bounds;
            if left == 0 || top == 0 || right == self.width as u32 || bottom == height {
                *outer = NONE;
            }
        }
        // An enclosing component has a smaller number than the components inside it.
        let mut size = vec![1u32; n];
        for i in (0..n).rev() {
            if enclosing[i] != NONE {
                let (outer, inner) = (enclosing[i] as usize, self.all[i].filled);
                self.all[outer].filled.add(&inner);
                size[outer] += size[i];
            }
        }
        let mut next_inside = vec![0u32; n];
        let mut next_root = 0;
        for i in 0..n {
            let cursor = if enclosing[i] == NONE {
                &mut next_root
            } else {
                &mut next_inside[enclosing[i] as usize]
            };
            let place = *cursor;
            *cursor += size[i];
            next_inside[i] = place + 1;
            self.all[i].nested = (place, place + size[i]);
        }
        self.order_of_pixel.clear();
        for (run, &c) in self.runs.iter().zip(&component_of_run) {
            let place = self.all[c as usize].nested.0;
            self.order_of_pixel.extend(std::iter::repeat_n(place, (run.end - run.start) as usize));
        }
    }

    /// Whether a pixel belongs to the filled region of a component; false outside the map.
    pub(crate) fn filled_contains(&self, component: &Component, x: i32, y: i32) -> bool {
        if x < 0 || y < 0 || x as usize >= self.width {
            return false;
        }
        self.order_of_pixel
            .get(y as usize * self.width + x as usize)
            .is_some_and(|&place| component.nested.0 <= place && place < component.nested.1)
    }
}

/// Splits a row into runs of one colour, comparing eight pixels at a time.
fn push_runs(row: &[u8], runs: &mut Vec<Run>) {
    let n = row.len();
    let mut start = 0;
    while start < n {
        let dark = row[start] != 0;
        let pattern = if dark { u64::MAX } else { 0 };
        let mut end = start + 1;
        loop {
            if let Some(chunk) = row.get(end..end + 8) {
                let word = u64::from_le_bytes(chunk.try_into().expect("eight bytes")) ^ pattern;
                if word == 0 {
                    end += 8;
                    continue;
                }
                end += word.trailing_zeros() as usize / 8;
                break;
            }
            while end < n && (row[end] != 0) == dark {
                end += 1;
            }
            break;
        }
        runs.push(Run { start: start as u32, end: end as u32, dark });
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn label(rows: &[&str]) -> Components {
        let map: Vec<u8> =
            rows.iter().flat_map(|r| r.bytes().map(|b| if b == b'#' { 255 } else { 0 })).collect();
        let mut components = Components::default();
        components.label(&map, rows[0].len());
        components
    }

    #[test]
    fn a_ring_holds_its_hole_and_what_lies_in_it() {
        let c = label(&["........", ".#####..", ".#...#..", ".#.#.#..", ".#...#..", ".#####.#"]);
        let areas: Vec<_> = c.all.iter().map(|c| (c.is_hole, c.filled.area)).collect();
        // In order: the ground except the ring's inside, the ring, its hole, the dot, the lone
        // pixel.
        assert_eq!(areas, [(true, 22.0), (false, 25.0), (true, 9.0), (false, 1.0), (false, 1.0)]);
        assert!(c.filled_contains(&c.all[1], 3, 3) && c.filled_contains(&c.all[2], 3, 3));
        assert!(!c.filled_contains(&c.all[2], 1, 1) && !c.filled_contains(&c.all[1], 7, 5));
    }

    #[test]
    fn dark_pixels_touch_at_corners_and_light_ones_do_not() {
        let c = label(&[".....", ".#.#.", "..#..", ".#.#.", "....."]);
        assert_eq!(c.all.iter().filter(|c| !c.is_hole).count(), 1);
        let c = label(&[".....", "..#..", ".#.#.", "..#..", "....."]);
        assert_eq!(c.all.iter().filter(|c| c.is_hole && c.filled.area == 1.0).count(), 1);
    }

    proptest! {
        #[test]
        fn moments_and_membership_agree_pixel_by_pixel(
            width in 1usize..20, bits in prop::collection::vec(any::<bool>(), 20..300),
        ) {
            let height = bits.len() / width;
            prop_assume!(height > 0);
            let map: Vec<u8> = bits[..width * height].iter().map(|&b| if b { 255 } else { 0 }).collect();
            let mut c = Components::default();
            c.label(&map, width);
            for component in &c.all {
                let mut sum = Moments::default();
                for y in 0..height as u32 {
                    for x in 0..width as u32 {
                        if c.filled_contains(component, x as i32, y as i32) {
                            sum.add(&Moments::of_run(x, x + 1, y));
                        }
                    }
                }
                prop_assert_eq!(sum.area, component.filled.area);
                prop_assert!((sum.second[1] - component.filled.second[1]).abs() < 1e-6);
                prop_assert!((sum.second[0] - component.filled.second[0]).abs() < 1e-6);
            }
        }
    }
}
