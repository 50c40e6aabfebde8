//! Stacked bars over categories.

use plotters::chart::ChartBuilder;
use plotters::element::{Rectangle, Text};
use plotters::style::TRANSPARENT;
use plotters::style::text_anchor::{HPos, VPos};

use super::axis::{Axis, Ticked, spaced};
use super::{Canvas, INFALLIBLE, Ink, LegendEntry, fill, stroke, text_px, text_style};
use crate::format;

/// Share of a category that its bar takes.
const BAR_SHARE: f64 = 0.68;
/// Widest bar, for charts with few of them.
const BAR_PX_MAX: f64 = 72.0;

/// Stacked bars.
#[derive(Clone, Debug)]
pub(crate) struct StackedBars {
    pub(crate) x_title: &'static str,
    pub(crate) y_title: &'static str,
    pub(crate) categories: Vec<String>,
    /// Layers from the bottom, each with one value per category.
    pub(crate) layers: Vec<Layer>,
    /// Writes the sum above a bar.
    pub(crate) total: fn(f64) -> String,
    /// The category to point out.
    pub(crate) marked: Option<usize>,
}

/// One layer of all bars.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub(crate) label: String,
    pub(crate) ink: Ink,
    pub(crate) values: Vec<f64>,
}

impl StackedBars {
    /// Legend from the top of the stack, as the eye meets it.
    pub(super) fn legend(&self) -> Vec<LegendEntry> {
        let entry =
            |layer: &Layer| LegendEntry { label: layer.label.clone(), ink: layer.ink, line: None };
        self.layers.iter().rev().map(entry).collect()
    }

    pub(super) fn draw(&self, canvas: &Canvas) {
        let count = self.categories.len();
        let sums: Vec<f64> =
            (0..count).map(|i| self.layers.iter().map(|layer| layer.values[i]).sum()).collect();
        let y_axis = Axis::linear(sums.iter().copied(), true, 5);
        let y_label = |y: &f64| format::real(*y, y_axis.decimals);
        let y_label_px = y_axis.ticks.iter().map(|y| text_px(&y_label(y))).fold(0.0, f64::max);
        let y_area_px = y_label_px as u32 + 14;
        let category_px = f64::from(canvas.dim_in_pixel().0 - y_area_px - 8) / count as f64;
        let named = self.with_room(&self.categories, category_px);
        let totals: Vec<String> = sums.iter().map(|sum| (self.total)(*sum)).collect();
        let totalled = self.with_room(&totals, category_px);
        let mut chart = ChartBuilder::on(canvas)
            .margin_top(40)
            .margin_right(8)
            .x_label_area_size(42)
            .y_label_area_size(y_area_px)
            .build_cartesian_2d(
                Ticked { low: 0.0, high: count as f64, ticks: named },
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
            .x_label_formatter(&|x| self.categories[*x as usize].clone())
            .y_label_formatter(&y_label)
            .x_desc(self.x_title)
            .axis_desc_style(text_style(Ink::Text, HPos::Center, VPos::Top))
            .draw()
            .expect(INFALLIBLE);
        let title = text_style(Ink::Text, HPos::Left, VPos::Top);
        canvas.draw(&Text::new(self.y_title, (2, 4), title)).expect(INFALLIBLE);
        let half = BAR_SHARE.min(BAR_PX_MAX / category_px) / 2.0;
        for (index, total) in totals.into_iter().enumerate() {
            let centre = index as f64 + 0.5;
            let (left, right) = (centre - half, centre + half);
            let mut base = 0.0;
            for layer in &self.layers {
                let top = base + layer.values[index];
                let bar = Rectangle::new([(left, base), (right, top)], fill(layer.ink));
                let rim =
                    Rectangle::new([(left, base), (right, top)], stroke(Ink::Surface, false, 1));
                chart.draw_series([bar, rim]).expect(INFALLIBLE);
                base = top;
            }
            if totalled.contains(&centre) {
                let (x, y) = chart.backend_coord(&(centre, base));
                let ink = if self.marked == Some(index) { Ink::Accent } else { Ink::Text };
                let style = text_style(ink, HPos::Center, VPos::Bottom);
                canvas.draw(&Text::new(total, (x, y - 3), style)).expect(INFALLIBLE);
            }
        }
    }

    /// Centres of the categories whose label has room: the marked one first, then the ends.
    fn with_room(&self, labels: &[String], category_px: f64) -> Vec<f64> {
        let centred = |(index, label): (usize, &String)| (index as f64 + 0.5, text_px(label));
        let ticks: Vec<_> = labels.iter().enumerate().map(centred).collect();
        let ends = labels.len().checked_sub(1).into_iter();
        let order = self.marked.into_iter().chain(ends).chain(0..labels.len());
        spaced(&ticks, order, category_px, 6.0)
    }
}
