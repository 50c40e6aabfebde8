//! Plots as inline SVG: what is drawn, apart from how it is themed and laid out.
//!
//! Every plot is drawn twice, for a wide and for a narrow page, because text in a drawing that
//! is scaled down to a phone cannot be read. Legends are HTML, so that they wrap.

mod axis;
mod bars;
mod heat;
mod ink;
mod lines;

use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, ShapeStyle, TextStyle};

pub(crate) use axis::round_ticks;
pub(crate) use bars::{Layer, StackedBars};
pub(crate) use heat::HeatMap;
pub(crate) use ink::Ink;
pub(crate) use lines::{LineChart, Marker, PointLabel, Scale, Series, Stroke};

/// A drawing area without coordinates.
type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Width of an average character of the labels, in pixels.
const CHAR_PX: f64 = 6.6;
const LABEL_PX: f64 = 12.0;
/// The SVG back end divides font sizes by this factor.
const FONT_SCALE: f64 = 1.24;
const LINE_PX: u32 = 2;
/// Drawing into memory has no failure of its own.
const INFALLIBLE: &str = "drawing into a string cannot fail";

/// The room a plot has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// A column of a desktop page.
    Wide,
    /// A phone, or a column in print.
    Narrow,
}

impl Room {
    fn size_px(self) -> (u32, u32) {
        match self {
            Self::Wide => (540, 330),
            Self::Narrow => (350, 290),
        }
    }
}

/// A plot.
#[derive(Clone, Debug)]
pub(crate) enum Chart {
    Lines(LineChart),
    Bars(StackedBars),
    Heat(HeatMap),
}

/// One entry of a legend.
pub(crate) struct LegendEntry {
    pub(crate) label: String,
    pub(crate) ink: Ink,
    /// How the series is drawn; `None` for a filled area.
    pub(crate) line: Option<LegendLine>,
}

/// How a line series is drawn.
#[derive(Clone, Copy)]
pub(crate) struct LegendLine {
    pub(crate) stroke: Stroke,
    pub(crate) marker: Option<Marker>,
}

impl Chart {
    /// The plot as an SVG element that takes its colours from the page. `label` is what a
    /// screen reader says.
    pub(crate) fn svg(&self, room: Room, label: &str) -> String {
        let (width, height) = room.size_px();
        let mut svg = String::new();
        {
            let canvas = SVGBackend::with_string(&mut svg, (width, height)).into_drawing_area();
            match self {
                Self::Lines(chart) => chart.draw(&canvas),
                Self::Bars(chart) => chart.draw(&canvas),
                Self::Heat(chart) => chart.draw(&canvas),
            }
            canvas.present().expect(INFALLIBLE);
        }
        let (_, body) = svg.split_once('>').expect("a drawing starts with its svg tag");
        let label = maud::html! { (label) }.into_string();
        let body = ink::themed(body).replace(" font-family=\"sans-serif\"", "");
        format!("<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{label}\">{body}")
    }

    /// The legend, in drawing order. Empty for a single unnamed series.
    pub(crate) fn legend(&self) -> Vec<LegendEntry> {
        match self {
            Self::Lines(chart) => chart.legend(),
            Self::Bars(chart) => chart.legend(),
            Self::Heat(_) => HeatMap::legend(),
        }
    }
}

/// Style of labels in `ink`, anchored at `h` and `v`.
fn text_style(ink: Ink, h: HPos, v: VPos) -> TextStyle<'static> {
    let font = ("sans-serif", LABEL_PX * FONT_SCALE).into_font();
    let mut style = TextStyle::from(font).pos(Pos::new(h, v));
    style.color = ink.stand_in(false).to_backend_color();
    style
}

/// Style of a stroke in `ink`.
fn stroke(ink: Ink, dashed: bool, width_px: u32) -> ShapeStyle {
    ShapeStyle { color: ink.stand_in(dashed).into(), filled: false, stroke_width: width_px }
}

/// Style of a fill in `ink`.
fn fill(ink: Ink) -> ShapeStyle {
    ShapeStyle { color: ink.stand_in(false).into(), filled: true, stroke_width: 0 }
}

/// Pixels that `text` takes as a label.
fn text_px(text: &str) -> f64 {
    text.chars().count() as f64 * CHAR_PX
}
