//! Lines with markers over a numeric axis.

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::cartesian::Cartesian2d;
use plotters::element::{Circle, PathElement, Polygon, Text};
use plotters::style::TRANSPARENT;
use plotters::style::text_anchor::{HPos, VPos};

use super::axis::{Axis, Ticked, spaced};
use super::{
    Canvas, INFALLIBLE, Ink, LINE_PX, LegendEntry, LegendLine, fill, stroke, text_px, text_style,
};
use crate::format;

type Plane = Cartesian2d<Ticked, Ticked>;
type Context<'a, 'b> = ChartContext<'a, plotters::backend::SVGBackend<'b>, Plane>;

const MARKER_RADIUS_PX: i32 = 4;
const LABEL_BAND_PX: u32 = 18;

/// Lines over a numeric axis.
#[derive(Clone, Debug)]
pub(crate) struct LineChart {
    pub(crate) x_title: &'static str,
    pub(crate) y_title: &'static str,
    /// Ticks of the horizontal axis; those without room are left out.
    pub(crate) x_ticks: Vec<f64>,
    pub(crate) x_label: fn(f64) -> String,
    pub(crate) y_scale: Scale,
    pub(crate) series: Vec<Series>,
    /// Labels of single points; those without room are left out, strong ones last.
    pub(crate) labels: Vec<PointLabel>,
    /// Vertical marks with their labels; labels without room are left out.
    pub(crate) marks: Vec<(f64, String)>,
}

/// How the vertical axis runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    FromZero,
    Fitted,
    Log,
}

/// One line.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) label: String,
    pub(crate) ink: Ink,
    pub(crate) stroke: Stroke,
    pub(crate) marker: Option<Marker>,
    pub(crate) points: Vec<(f64, f64)>,
}

/// How the points of a series are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stroke {
    /// Measured.
    Solid,
    /// Computed, or joined without points in between.
    Dashed,
    /// Not joined; the markers are larger instead.
    None,
}

/// Shape of a marker, so that series differ without colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
}

/// A label beside a point.
#[derive(Clone, Debug)]
pub(crate) struct PointLabel {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) text: String,
    pub(crate) strong: bool,
}

impl Marker {
    pub(crate) const ALL: [Self; 4] = [Self::Circle, Self::Square, Self::Triangle, Self::Diamond];

    /// Corners around the centre for a marker of `radius`; empty for the circle.
    pub(crate) fn corners(self, radius: i32) -> Vec<(i32, i32)> {
        let r = radius;
        match self {
            Self::Circle => Vec::new(),
            Self::Square => vec![(1 - r, 1 - r), (r - 1, 1 - r), (r - 1, r - 1), (1 - r, r - 1)],
            Self::Triangle => vec![(0, -r), (r, r - 1), (-r, r - 1)],
            Self::Diamond => vec![(0, -r - 1), (r + 1, 0), (0, r + 1), (-r - 1, 0)],
        }
    }
}

impl LineChart {
    pub(super) fn legend(&self) -> Vec<LegendEntry> {
        self.series
            .iter()
            .filter(|series| !series.label.is_empty())
            .map(|series| LegendEntry {
                label: series.label.clone(),
                ink: series.ink,
                line: Some(LegendLine { stroke: series.stroke, marker: series.marker }),
            })
            .collect()
    }

    pub(super) fn draw(&self, canvas: &Canvas) {
        let y_axis = self.y_axis();
        let y_label = |y: &f64| match y_axis.log {
            true => format::decade(*y as i32),
            false => format::real(*y, y_axis.decimals),
        };
        let y_label_px = y_axis.ticks.iter().map(|y| text_px(&y_label(y))).fold(0.0, f64::max);
        let (x_low, x_high) = self.x_range();
        let y_area_px = y_label_px as u32 + 14;
        let plot_px = f64::from(canvas.dim_in_pixel().0 - y_area_px - 16);
        let x_ticks = self.fitting_ticks(plot_px / (x_high - x_low));
        let band = if self.marks.is_empty() { 0 } else { LABEL_BAND_PX };
        let mut chart = ChartBuilder::on(canvas)
            .margin_top(26 + band)
            .margin_right(16)
            .x_label_area_size(42)
            .y_label_area_size(y_area_px)
            .build_cartesian_2d(
                Ticked { low: x_low, high: x_high, ticks: x_ticks },
                y_axis.ticked(),
            )
            .expect(INFALLIBLE);
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(stroke(Ink::Grid, false, 1))
            .light_line_style(TRANSPARENT)
            .axis_style(stroke(Ink::Axis, false, 1))
            .label_style(text_style(Ink::Text, HPos::Center, VPos::Top))
            .x_label_formatter(&|x| (self.x_label)(*x))
            .y_label_formatter(&y_label)
            .x_desc(self.x_title)
            .axis_desc_style(text_style(Ink::Text, HPos::Center, VPos::Top))
            .draw()
            .expect(INFALLIBLE);
        let title = text_style(Ink::Text, HPos::Left, VPos::Top);
        canvas.draw(&Text::new(self.y_title, (2, 4), title)).expect(INFALLIBLE);
        self.draw_marks(canvas, &mut chart, &y_axis);
        // Computed lines lie below measured ones.
        let (below, above): (Vec<&Series>, Vec<&Series>) =
            self.series.iter().partition(|series| series.stroke == Stroke::Dashed);
        for series in below.into_iter().chain(above) {
            draw_series(canvas, &mut chart, series, &y_axis);
        }
        self.draw_labels(canvas, &chart, &y_axis);
    }

    fn y_axis(&self) -> Axis {
        let values =
            self.series.iter().flat_map(|series| series.points.iter().map(|point| point.1));
        match self.y_scale {
            Scale::FromZero => Axis::linear(values, true, 5),
            Scale::Fitted => Axis::linear(values, false, 5),
            Scale::Log => Axis::log(values, 6),
        }
    }

    /// From zero to a little past the last value, so that the last marker is whole.
    fn x_range(&self) -> (f64, f64) {
        let values =
            self.series.iter().flat_map(|series| series.points.iter().map(|point| point.0));
        let high = values.chain(self.x_ticks.iter().copied()).fold(1.0, f64::max);
        (0.0, high * 1.03)
    }

    /// Ticks with room for their labels: the marked one first, then the ends, then the rest.
    fn fitting_ticks(&self, pixels_per_unit: f64) -> Vec<f64> {
        let width = |x: &f64| (*x, text_px(&(self.x_label)(*x)));
        let ticks: Vec<_> = self.x_ticks.iter().map(width).collect();
        let is_marked = |tick: &(f64, f64)| self.marks.iter().any(|(x, _)| *x == tick.0);
        let marked = ticks.iter().position(is_marked);
        let ends = ticks.len().checked_sub(1).into_iter().chain((!ticks.is_empty()).then_some(0));
        let order = marked.into_iter().chain(ends).chain(0..ticks.len());
        spaced(&ticks, order, pixels_per_unit, 5.0)
    }

    fn draw_marks(&self, canvas: &Canvas, chart: &mut Context, y_axis: &Axis) {
        let mut free_from = 0;
        for (x, label) in &self.marks {
            let line = vec![(*x, y_axis.low), (*x, y_axis.high)];
            let path = PathElement::new(line, stroke(Ink::Accent, true, 1));
            chart.draw_series([path]).expect(INFALLIBLE);
            let top = chart.backend_coord(&(*x, y_axis.high));
            let style = text_style(Ink::Accent, HPos::Center, VPos::Bottom);
            let half = (text_px(label) / 2.0) as i32 + 2;
            let right = (canvas.dim_in_pixel().0 as i32 - half).max(half);
            let at = (top.0.clamp(half, right), top.1 - 4);
            if at.0 - half >= free_from {
                canvas.draw(&Text::new(label.clone(), at, style)).expect(INFALLIBLE);
                free_from = at.0 + half + 4;
            }
        }
    }

    /// Draws the labels that find a free place beside their point, strong ones first.
    fn draw_labels(&self, canvas: &Canvas, chart: &Context, y_axis: &Axis) {
        let width = canvas.dim_in_pixel().0 as i32;
        let (columns, rows) = chart.plotting_area().get_pixel_range();
        let mut order: Vec<&PointLabel> = self.labels.iter().collect();
        order.sort_by_key(|label| !label.strong);
        let place = |x: f64, y: f64| Some(chart.backend_coord(&(x, y_axis.place(y)?)));
        let mut taken: Vec<Block> = Vec::new();
        for series in &self.series {
            let dots: Vec<(i32, i32)> =
                series.points.iter().filter_map(|(x, y)| place(*x, *y)).collect();
            taken.extend(dots.iter().map(|dot| Block::around(*dot, 5)));
            for ends in dots.windows(2) {
                taken.extend(along(ends[0], ends[1]).map(|at| Block::around(at, 2)));
            }
        }
        for label in order {
            let Some((x, y)) = place(label.x, label.y) else { continue };
            let label_px = text_px(&label.text) as i32;
            let candidates =
                [(-label_px - 8, -16), (8, 4), (-label_px / 2, -22), (4, -22), (-label_px - 8, 4)];
            let free = candidates.into_iter().map(|(dx, dy)| Block {
                left: x + dx,
                top: y + dy,
                right: x + dx + label_px,
                bottom: y + dy + 14,
            });
            let inside =
                |b: &Block| b.left > columns.start && b.right < width && b.bottom < rows.end;
            let fits = |b: &Block| inside(b) && taken.iter().all(|other| !b.overlaps(other));
            let Some(block) = free.into_iter().find(fits) else { continue };
            let ink = if label.strong { Ink::Accent } else { Ink::Text };
            let style = text_style(ink, HPos::Left, VPos::Top);
            let text = Text::new(label.text.clone(), (block.left, block.top), style);
            canvas.draw(&text).expect(INFALLIBLE);
            taken.push(Block { left: block.left - 6, right: block.right + 6, ..block });
        }
    }
}

/// A rectangle in pixels.
struct Block {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl Block {
    fn around((x, y): (i32, i32), radius: i32) -> Self {
        Self { left: x - radius, top: y - radius, right: x + radius, bottom: y + radius }
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

/// Points of the line from `a` to `b`, close enough that no label slips through.
fn along(a: (i32, i32), b: (i32, i32)) -> impl Iterator<Item = (i32, i32)> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let steps = (dx.abs().max(dy.abs()) / 4).max(1);
    (0..=steps).map(move |step| (a.0 + dx * step / steps, a.1 + dy * step / steps))
}

fn draw_series(canvas: &Canvas, chart: &mut Context, series: &Series, y_axis: &Axis) {
    let points: Vec<(f64, f64)> =
        series.points.iter().filter_map(|(x, y)| Some((*x, y_axis.place(*y)?))).collect();
    if series.stroke != Stroke::None {
        let style = stroke(series.ink, series.stroke == Stroke::Dashed, LINE_PX);
        chart.draw_series([PathElement::new(points.clone(), style)]).expect(INFALLIBLE);
    }
    let Some(marker) = series.marker else { return };
    let radius = MARKER_RADIUS_PX + if series.stroke == Stroke::None { 2 } else { 0 };
    for point in points {
        // Drawn on the canvas, because a chart flattens what reaches over its border.
        let (x, y) = chart.backend_coord(&point);
        let corners: Vec<(i32, i32)> =
            marker.corners(radius).iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
        match marker {
            Marker::Circle => canvas.draw(&Circle::new((x, y), radius, fill(series.ink))),
            _ => canvas.draw(&Polygon::new(corners, fill(series.ink))),
        }
        .expect(INFALLIBLE);
    }
}
