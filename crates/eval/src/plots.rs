//! Plots as SVG: curves and bars.
//!
//! Every plot is plain data ([`Curves`], [`Bars`]), which [`svg`] draws.

use plotters::coord::{Shift, ranged1d::ValueFormatter};
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};
use std::{ops::Range, path::PathBuf, sync::OnceLock};

/// Default size of a chart in pixels, width and height.
pub const SIZE_PX: (u32, u32) = (960, 600);

/// Why a chart was not written.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    #[error("the chart cannot be drawn: {0}")]
    Drawing(String),
    #[error("{path} cannot be written: {reason}")]
    Write { path: PathBuf, reason: String },
}

/// An 8-bit colour: red, green, blue.
pub type Rgb = (u8, u8, u8);

#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    pub color: Rgb,
    /// Its points (x, y), ascending in x.
    pub points: Vec<(f64, f64)>,
    /// Long dashes and hollow markers, for figures that were not measured here.
    pub dashed: bool,
}

/// Dotted curves with a marker at each point, and a legend.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// Title above the chart.
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    /// Whether the y axis is logarithmic; points with y <= 0 are then left out.
    pub log_y: bool,
    /// The curves, in the order of the legend.
    pub curves: Vec<Curve>,
}

/// Bars of equal width, side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// Title above the chart.
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    /// Height of each bar; bar i stands at `first + i`.
    pub heights: Vec<f64>,
    /// Position of the first bar on the x axis.
    pub first: i64,
    pub color: Rgb,
    /// A level drawn across the chart, such as the expected height.
    pub level: Option<f64>,
}

/// What [`svg`] draws.
pub trait Chart {
    /// Draws the chart over the whole area.
    fn draw<DB: DrawingBackend>(&self, area: &DrawingArea<DB, Shift>) -> Result<(), PlotError>;
}

/// The chart as SVG, to stand in a page.
pub fn svg(chart: &impl Chart, size_px: (u32, u32)) -> Result<String, PlotError> {
    register()?;
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, size_px).into_drawing_area();
        chart.draw(&area)?;
        area.present().map_err(drawing)?;
    }
    Ok(svg)
}

fn drawing(error: impl std::fmt::Display) -> PlotError {
    PlotError::Drawing(error.to_string())
}

/// The drawing library finds fonts by name only, so the bundled one is registered once.
fn register() -> Result<(), PlotError> {
    static DONE: OnceLock<bool> = OnceLock::new();
    let registered = *DONE.get_or_init(|| {
        register_font("sans-serif", FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT).is_ok()
    });
    if registered { Ok(()) } else { Err(PlotError::Drawing("the font cannot be read".into())) }
}

const TITLE_PX: i32 = 24;
const LABEL_PX: i32 = 18;

/// Height of a line of the legend. The legend is to the right of the curves, because inside the
/// chart it could cover one.
const LEGEND_LINE_PX: i32 = 28;

/// Width of the legend without its longest name.
const LEGEND_MARK_PX: u32 = 34;

impl Chart for Curves {
    fn draw<DB: DrawingBackend>(&self, area: &DrawingArea<DB, Shift>) -> Result<(), PlotError> {
        area.fill(&WHITE).map_err(drawing)?;
        let points = || {
            self.curves
                .iter()
                .flat_map(|c| c.points.iter().filter(|&&(_, y)| !self.log_y || y > 0.0))
        };
        let x = widened(extent(points().map(|p| p.0)));
        let mut y = extent(points().map(|p| p.1));
        if self.log_y && y.start <= 0.0 {
            // There are no points: any range will do that does not start at 0.
            y = 0.1..1.0;
        }
        // An axis of whole numbers has no ticks between them.
        let integer_axis = points().all(|p| p.0.fract() == 0.0);
        let area = self.legend(area)?;
        let mut builder = ChartBuilder::on(&area);
        builder
            .caption(&self.title, ("sans-serif", TITLE_PX))
            .margin(12)
            .x_label_area_size(48)
            .y_label_area_size(84);
        if self.log_y {
            let range = y.start / 2.0..y.end * 2.0;
            let chart = builder.build_cartesian_2d(x, range.log_scale()).map_err(drawing)?;
            self.fill(chart, integer_axis, &power_of_ten)
        } else {
            let chart = builder.build_cartesian_2d(x, widened(y)).map_err(drawing)?;
            self.fill(chart, integer_axis, &|y: &f64| format!("{y}"))
        }
    }
}

impl Curve {
    fn marker(&self) -> ShapeStyle {
        let color = RGBColor(self.color.0, self.color.1, self.color.2);
        if self.dashed { color.stroke_width(2) } else { color.filled() }
    }
}

impl Curves {
    fn fill<'a, DB, Y>(
        &self,
        mut chart: ChartContext<'a, DB, Cartesian2d<plotters::coord::types::RangedCoordf64, Y>>,
        integer_axis: bool,
        y_format: &dyn Fn(&f64) -> String,
    ) -> Result<(), PlotError>
    where
        DB: DrawingBackend + 'a,
        Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        // Ticks are sums of steps, so a whole number is one nearly.
        let x_format = |x: &f64| match (integer_axis, (x - x.round()).abs() < 1e-6) {
            (true, true) => format!("{}", x.round()),
            (true, false) => String::new(),
            _ => format!("{x}"),
        };
        let x = chart.x_range();
        let numbers = (x.end.floor() - x.start.ceil()) as usize + 1;
        chart
            .configure_mesh()
            .x_labels(if integer_axis { numbers.clamp(2, 10) } else { 10 })
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .label_style(("sans-serif", LABEL_PX))
            .x_label_formatter(&x_format)
            .y_label_formatter(y_format)
            .light_line_style(WHITE)
            .draw()
            .map_err(drawing)?;
        for curve in &self.curves {
            let color = RGBColor(curve.color.0, curve.color.1, curve.color.2);
            let points: Vec<(f64, f64)> =
                curve.points.iter().copied().filter(|p| !self.log_y || p.1 > 0.0).collect();
            let (line, style) = (points.iter().copied(), color.stroke_width(2));
            if curve.dashed {
                chart.draw_series(DashedLineSeries::new(line, 12, 6, style)).map_err(drawing)?;
            } else {
                chart.draw_series(LineSeries::new(line, style)).map_err(drawing)?;
            }
            chart
                .draw_series(points.iter().map(|&p| Circle::new(p, 4, curve.marker())))
                .map_err(drawing)?;
        }
        Ok(())
    }

    /// Draws the legend at the right and returns the area that is left.
    fn legend<DB: DrawingBackend>(
        &self,
        area: &DrawingArea<DB, Shift>,
    ) -> Result<DrawingArea<DB, Shift>, PlotError> {
        let font = ("sans-serif", LABEL_PX).into_text_style(area);
        let mut widest = 0;
        for curve in &self.curves {
            widest = widest.max(area.estimate_text_size(&curve.name, &font).map_err(drawing)?.0);
        }
        let left = area.dim_in_pixel().0.saturating_sub(widest + LEGEND_MARK_PX);
        let (charts, legend) = area.split_horizontally(left);
        for (curve, line) in self.curves.iter().zip(0..) {
            let y = 70 + line * LEGEND_LINE_PX;
            legend.draw(&Circle::new((6, y), 4, curve.marker())).map_err(drawing)?;
            let name = Text::new(curve.name.as_str(), (18, y - LABEL_PX / 2 + 4), font.clone());
            legend.draw(&name).map_err(drawing)?;
        }
        Ok(charts)
    }
}

impl Chart for Bars {
    fn draw<DB: DrawingBackend>(&self, area: &DrawingArea<DB, Shift>) -> Result<(), PlotError> {
        area.fill(&WHITE).map_err(drawing)?;
        let first = self.first as f64 - 0.5;
        let end = first + self.heights.len().max(1) as f64;
        let highest = self.heights.iter().copied().chain(self.level).fold(0.0, f64::max);
        let top = if highest > 0.0 { highest * 1.08 } else { 1.0 };
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", TITLE_PX))
            .margin(12)
            .x_label_area_size(48)
            .y_label_area_size(84)
            .build_cartesian_2d(first..end, 0.0..top)
            .map_err(drawing)?;
        chart
            .configure_mesh()
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .label_style(("sans-serif", LABEL_PX))
            .disable_x_mesh()
            .light_line_style(WHITE)
            .x_label_formatter(&shortest)
            .y_label_formatter(&shortest)
            .draw()
            .map_err(drawing)?;
        let color = RGBColor(self.color.0, self.color.1, self.color.2);
        // A gap between bars only where the bars are wide enough.
        let gap = if self.heights.len() <= 100 { 0.08 } else { 0.0 };
        let bars = self.heights.iter().enumerate().map(|(i, &height)| {
            let left = first + i as f64;
            Rectangle::new([(left + gap, 0.0), (left + 1.0 - gap, height)], color.filled())
        });
        chart.draw_series(bars).map_err(drawing)?;
        if let Some(level) = self.level {
            let line = DashedLineSeries::new(
                [(first, level), (end, level)],
                6,
                4,
                BLACK.mix(0.7).stroke_width(1),
            );
            chart.draw_series(line).map_err(drawing)?;
        }
        Ok(())
    }
}

/// Formats 0.01 to 1000 as decimals, other values as 1e-6.
fn power_of_ten(y: &f64) -> String {
    if (0.005..5000.0).contains(y) { shortest(y) } else { format!("{y:.0e}") }
}

/// Without needless decimals, and without rounding errors.
fn shortest(x: &f64) -> String {
    format!("{}", (x * 1e6).round() / 1e6)
}

/// The smallest range that contains all values; 0..1 if there are none.
fn extent(values: impl Iterator<Item = f64>) -> Range<f64> {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low.is_finite() && high.is_finite() { low..high } else { 0.0..1.0 }
}

/// Adds a margin on both sides; a single value gets a range around it.
fn widened(range: Range<f64>) -> Range<f64> {
    let air = if range.end > range.start { (range.end - range.start) * 0.05 } else { 0.5 };
    range.start - air..range.end + air
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curves(log_y: bool) -> Curves {
        Curves {
            title: "time by sets".into(),
            x_label: "sets".into(),
            y_label: "seconds".into(),
            log_y,
            curves: vec![
                Curve {
                    name: "one".into(),
                    color: (200, 0, 0),
                    points: vec![(2.0, 1e-6), (3.0, 1e-3)],
                    dashed: false,
                },
                Curve { name: "none".into(), color: (0, 0, 200), points: vec![], dashed: true },
            ],
        }
    }

    #[test]
    fn curves_have_their_text_and_marks() {
        for log_y in [false, true] {
            let svg = svg(&curves(log_y), SIZE_PX).unwrap();
            assert!(svg.contains("time by sets") && svg.contains("seconds"));
            // Each whole number has its tick, however few they are.
            assert!(["2", "3"].iter().all(|number| svg.lines().any(|line| line == *number)));
            // Two markers and the one in the legend, and a hollow one there.
            assert_eq!(svg.matches("<circle").count(), 4, "{svg}");
        }
    }

    #[test]
    fn a_chart_without_points_is_still_a_chart() {
        for log_y in [false, true] {
            let mut empty = curves(log_y);
            empty.curves.iter_mut().for_each(|curve| curve.points.clear());
            assert!(svg(&empty, SIZE_PX).unwrap().contains("seconds"));
        }
    }

    #[test]
    fn every_bar_is_drawn() {
        let bars = Bars {
            title: "cards".into(),
            x_label: "card".into(),
            y_label: "times".into(),
            heights: vec![1.0; 200],
            first: 0,
            color: (0, 120, 0),
            level: Some(0.5),
        };
        assert_eq!(svg(&bars, SIZE_PX).unwrap().matches("fill=\"#007800\"").count(), 200);
    }
}
