//! Shares between none and all over two axes, as shades.

use plotters::chart::ChartBuilder;
use plotters::element::{Rectangle, Text};
use plotters::style::TRANSPARENT;
use plotters::style::text_anchor::{HPos, VPos};

use super::axis::{Ticked, spaced};
use super::{Canvas, INFALLIBLE, Ink, LegendEntry, fill, stroke, text_px, text_style};

/// Rows of shades over a numeric axis.
#[derive(Clone, Debug)]
pub(crate) struct HeatMap {
    pub(crate) x_title: &'static str,
    pub(crate) y_title: &'static str,
    /// Where the last column ends; the first begins at 0.
    pub(crate) x_high: f64,
    pub(crate) x_ticks: Vec<f64>,
    pub(crate) x_label: fn(f64) -> String,
    /// Names from the top, each with its shares from 0 to 1.
    pub(crate) rows: Vec<(String, Vec<f64>)>,
}

impl HeatMap {
    pub(super) fn legend() -> Vec<LegendEntry> {
        let steps = u32::from(Ink::HEAT_COUNT);
        let entry = |shade: u8| {
            let (from, to) = (100 * u32::from(shade) / steps, 100 * (u32::from(shade) + 1) / steps);
            LegendEntry { label: format!("{from}–{to} %"), ink: Ink::Heat(shade), line: None }
        };
        (0..Ink::HEAT_COUNT).map(entry).collect()
    }

    pub(super) fn draw(&self, canvas: &Canvas) {
        let count = self.rows.len();
        let label_px = self.rows.iter().map(|(name, _)| text_px(name)).fold(0.0, f64::max);
        let y_area_px = label_px as u32 + 14;
        let (width, height) = canvas.dim_in_pixel();
        let columns_px = f64::from(width - y_area_px - 16);
        let row_px = f64::from(height - 26 - 42) / count as f64;
        let x_sizes: Vec<_> =
            self.x_ticks.iter().map(|x| (*x, text_px(&(self.x_label)(*x)))).collect();
        let x_ticks = spaced(&x_sizes, 0..x_sizes.len(), columns_px / self.x_high, 8.0);
        let y_sizes: Vec<_> = (0..count).map(|row| (row as f64 + 0.5, 12.0)).collect();
        let y_ticks = spaced(&y_sizes, 0..count, row_px, 1.0);
        // The vertical axis runs upwards, rows from the top.
        let from_top = |y: f64| count as f64 - y;
        let mut chart = ChartBuilder::on(canvas)
            .margin_top(26)
            .margin_right(16)
            .x_label_area_size(42)
            .y_label_area_size(y_area_px)
            .build_cartesian_2d(
                Ticked { low: 0.0, high: self.x_high, ticks: x_ticks },
                Ticked {
                    low: 0.0,
                    high: count as f64,
                    ticks: y_ticks.into_iter().map(from_top).collect(),
                },
            )
            .expect(INFALLIBLE);
        let name = |y: &f64| self.rows[(from_top(*y) as usize).min(count - 1)].0.clone();
        chart
            .configure_mesh()
            .disable_mesh()
            .light_line_style(TRANSPARENT)
            .axis_style(stroke(Ink::Axis, false, 1))
            .label_style(text_style(Ink::Text, HPos::Center, VPos::Top))
            .x_label_formatter(&|x| (self.x_label)(*x))
            .y_label_formatter(&name)
            .x_desc(self.x_title)
            .axis_desc_style(text_style(Ink::Text, HPos::Center, VPos::Top))
            .draw()
            .expect(INFALLIBLE);
        let title = text_style(Ink::Text, HPos::Left, VPos::Top);
        canvas.draw(&Text::new(self.y_title, (2, 4), title)).expect(INFALLIBLE);
        for (row, (_, shares)) in self.rows.iter().enumerate() {
            let (top, bottom) = (from_top(row as f64), from_top(row as f64 + 1.0));
            let column = self.x_high / shares.len() as f64;
            let cells = runs(shares).into_iter().map(|(from, to, shade)| {
                let corners = [(from as f64 * column, top), (to as f64 * column, bottom)];
                Rectangle::new(corners, fill(Ink::Heat(shade)))
            });
            chart.draw_series(cells).expect(INFALLIBLE);
        }
    }
}

/// Neighbours of one shade together: first column, the one behind the last, shade.
fn runs(shares: &[f64]) -> Vec<(usize, usize, u8)> {
    let mut runs: Vec<(usize, usize, u8)> = Vec::new();
    for (column, share) in shares.iter().enumerate() {
        let shade = ((share * f64::from(Ink::HEAT_COUNT)) as u8).min(Ink::HEAT_COUNT - 1);
        match runs.last_mut() {
            Some((_, to, last)) if *last == shade => *to = column + 1,
            _ => runs.push((column, column + 1, shade)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_one_shade_are_drawn_together() {
        assert_eq!(runs(&[0.0, 0.1, 0.5, 1.0, 0.99]), [(0, 2, 0), (2, 3, 4), (3, 5, 7)]);
    }
}
