//! Connected areas of pixels, by the runs of each row.
//!
//! Labels runs in place of pixels, and joins those of neighbouring rows by union-find (He, Chao, Suzuki: A Run-Based
//! Two-Scan Labeling Algorithm, IEEE Transactions on Image Processing, 2008).

use std::ops::Range;

/// Pixels of one row that lie next to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub y: u32,
    /// The first pixel and the one after the last.
    pub from: u32,
    pub to: u32,
    /// Index of an earlier run of the same area, or its own.
    area: u32,
}

impl Run {
    /// How many of its pixels are in these columns.
    pub(crate) fn count_in(&self, columns: &Range<u32>) -> u32 {
        self.to.min(columns.end).saturating_sub(self.from.max(columns.start))
    }

    /// The indices of its pixels in a picture.
    pub(crate) fn pixels(&self, width: usize) -> Range<usize> {
        let row = self.y as usize * width;
        row + self.from as usize..row + self.to as usize
    }
}

/// Collects a picture's runs, row by row from the top.
#[derive(Default)]
pub(crate) struct Runs {
    runs: Vec<Run>,
    /// The first run of the row above and of the current one.
    above: usize,
    row: usize,
}

impl Runs {
    pub(crate) fn start_row(&mut self) {
        (self.above, self.row) = (self.row, self.runs.len());
    }

    /// Adds a run to the right of the row's others, and joins it with the runs above that it touches: those with
    /// which it `joins` in the columns of both.
    pub(crate) fn add(
        &mut self,
        y: u32,
        columns: Range<u32>,
        joins: impl Fn(Range<usize>) -> bool,
    ) {
        let at = self.runs.len();
        self.runs.push(Run { y, from: columns.start, to: columns.end, area: at as u32 });
        while self.above < self.row && self.runs[self.above].to <= columns.start {
            self.above += 1;
        }
        for above in self.above..self.row {
            let Run { from, to, .. } = self.runs[above];
            if from >= columns.end {
                break;
            }
            let shared = from.max(columns.start) as usize..to.min(columns.end) as usize;
            if joins(shared) {
                self.join(above, at);
            }
        }
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.runs[a.max(b)].area = a.min(b) as u32;
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.runs[at].area as usize != at {
            let next = self.runs[at].area as usize;
            self.runs[at].area = self.runs[next].area;
            at = next;
        }
        at
    }

    /// The runs, area by area: in the order of the areas' first pixels, and the runs of each from the top.
    pub(crate) fn by_area(mut self) -> ByArea {
        let mut starts = vec![0; self.runs.len() + 1];
        for at in 0..self.runs.len() {
            // An earlier run already has its area's first one.
            let area = self.runs[self.runs[at].area as usize].area;
            self.runs[at].area = area;
            starts[area as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut sorted = self.runs.clone();
        for run in self.runs {
            let place = &mut starts[run.area as usize];
            sorted[*place] = run;
            *place += 1;
        }
        ByArea(sorted)
    }
}

/// Runs that are sorted by area.
pub(crate) struct ByArea(Vec<Run>);

impl ByArea {
    pub(crate) fn areas(&self) -> impl Iterator<Item = &[Run]> {
        self.0.chunk_by(|a, b| a.area == b.area)
    }
}

/// The columns and rows of an area, and its number of pixels.
pub(crate) fn extent(area: &[Run]) -> (Range<u32>, Range<u32>, u32) {
    let (mut left, mut right, mut count) = (u32::MAX, 0, 0);
    for run in area {
        (left, right) = (left.min(run.from), right.max(run.to));
        count += run.to - run.from;
    }
    (left..right, area[0].y..area[area.len() - 1].y + 1, count)
}
