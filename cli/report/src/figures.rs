//! The questions a sweep answers, each as a plot with its caption and its data.
//!
//! A figure that has no data (no synthesis, no page configured, a single strength) is left out;
//! the report says so where it matters. Captions quote measured figures, so they stay true.

mod latency;
mod life;
mod silicon;
mod throughput;

pub(crate) use silicon::area_table;

use crate::chart::{Chart, Ink, LineChart, Marker, Scale, Series, Stroke};
use crate::folder::CsvFile;
use crate::format;
use crate::knee::{Recommendation, recommend};
use crate::model::{Code, Point, SweepResult};
use crate::published::Published;
use crate::table::{Cell, Column, Table};

/// One plot of the report.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    /// Name, unique within a configuration or page; also that of its CSV file.
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// What to see, in one or two sentences.
    pub(crate) caption: String,
    pub(crate) chart: Chart,
    /// The data of the plot.
    pub(crate) table: Table,
}

impl Figure {
    /// The data of the plot as a file, in the folder of its group.
    pub(crate) fn csv(&self, group: &str) -> CsvFile {
        CsvFile::new(format!("{group}/{}.csv", self.id), &self.table)
    }
}

/// One configuration of a sweep, with what its figures need.
pub(crate) struct View<'a> {
    pub(crate) result: &'a SweepResult,
    pub(crate) published: &'a Published,
    pub(crate) code: &'a Code,
    /// Weakest first.
    pub(crate) points: Vec<&'a Point>,
    pub(crate) recommendation: Option<Recommendation>,
}

impl<'a> View<'a> {
    pub(crate) fn new(result: &'a SweepResult, published: &'a Published, code: &'a Code) -> Self {
        let points = result.points_of(&code.name);
        let recommendation = recommend(&points, &result.settings);
        Self { result, published, code, points, recommendation }
    }

    /// The point of the recommended strength, by its place in `points`: the recommendation's curve
    /// leaves out strengths that give no life.
    pub(crate) fn choice(&self) -> Option<usize> {
        let t = self.recommendation.as_ref()?.choice().t;
        self.points.iter().position(|point| point.t == t)
    }

    /// The figures that have data, in the order of the report. None for a single strength.
    pub(crate) fn figures(&self) -> Vec<Figure> {
        if self.points.len() < 2 {
            return Vec::new();
        }
        let all: [fn(&View) -> Option<Figure>; 14] = [
            life::cost_against_life,
            latency::encode,
            latency::first_word,
            latency::last_word,
            latency::against_limit,
            latency::against_published,
            throughput::throughput,
            silicon::area,
            silicon::critical_path,
            throughput::parity,
            life::max_rber,
            life::endurance,
            life::page_read,
            life::miscorrection,
        ];
        all.iter().filter_map(|figure| figure(self)).collect()
    }

    fn first(&self) -> &'a Point {
        self.points[0]
    }

    fn last(&self) -> &'a Point {
        self.points[self.points.len() - 1]
    }

    fn clock_mhz(&self) -> f64 {
        self.result.settings.clock_mhz
    }

    /// A line chart over the strengths, with the chosen one marked.
    fn over_strength(&self, y_title: &'static str, y_scale: Scale, series: Vec<Series>) -> Chart {
        let mark = self.recommendation.as_ref().filter(|r| r.is_knee).map(|r| r.choice().t);
        Chart::Lines(LineChart {
            x_title: "strength t (bit errors corrected per codeword)",
            y_title,
            x_ticks: self.points.iter().map(|point| f64::from(point.t.0)).collect(),
            x_label: format::whole,
            y_scale,
            series,
            labels: Vec::new(),
            marks: mark.map(|t| (f64::from(t.0), format!("knee t = {t}"))).into_iter().collect(),
        })
    }

    /// The points (t, figure) of those strengths for which the figure is known.
    fn line(&self, figure: impl Fn(&Point) -> Option<f64>) -> Vec<(f64, f64)> {
        let pair = |point: &&Point| Some((f64::from(point.t.0), figure(point)?));
        self.points.iter().filter_map(pair).collect()
    }

    /// A table with one row per strength, headed by t.
    fn table(&self, columns: Vec<Column>, row: impl Fn(&Point) -> Vec<Cell>) -> Table {
        let mut head = vec![Column::new("t", "t", "")];
        head.extend(columns);
        let mut table = Table::new(head);
        for point in &self.points {
            let mut cells = vec![Cell::Count(u64::from(point.t.0))];
            cells.extend(row(point));
            table.push(cells);
        }
        table.without_empty_columns()
    }
}

/// Says how many of the strengths miss a bound.
fn verdict(missed: usize) -> String {
    match missed {
        0 => "every strength keeps the bound".into(),
        1 => "one strength misses the bound".into(),
        _ => format!("{missed} strengths miss the bound"),
    }
}

/// An unordered series with its own colour and marker.
pub(crate) fn series(index: usize, label: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
    Series {
        label: label.into(),
        ink: Ink::Series((index % usize::from(Ink::SERIES_COUNT)) as u8),
        stroke: Stroke::Solid,
        marker: Some(Marker::ALL[index % Marker::ALL.len()]),
        points,
    }
}

/// A computed line to compare with: dashed and without markers.
pub(crate) fn reference(ink: Ink, label: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
    Series { label: label.into(), ink, stroke: Stroke::Dashed, marker: None, points }
}
