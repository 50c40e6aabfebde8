//! Colours by role, so that one drawing serves light, dark and print.
//!
//! The plotting library takes fixed colours. Each role is drawn in a colour that no theme uses,
//! and [`themed`] replaces it by the CSS variable of that role.

use plotters::style::RGBColor;

/// Red part of all stand-in colours.
const MARK: u8 = 0xE7;

/// The role of a stroke or a fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// Tick labels and titles.
    Text,
    /// Horizontal grid lines.
    Grid,
    /// Axis lines.
    Axis,
    /// The paper, for gaps between bars and rims of markers.
    Surface,
    /// The chosen strength.
    Accent,
    /// One of unordered series.
    Series(u8),
    /// One of ordered series, 0 the faintest.
    Ramp(u8),
    /// A part of a whole that has many.
    Part(u8),
    /// A share, 0 the least.
    Heat(u8),
}

impl Ink {
    pub(crate) const SERIES_COUNT: u8 = 6;
    pub(crate) const RAMP_COUNT: u8 = 4;
    pub(crate) const PART_COUNT: u8 = 13;
    pub(crate) const HEAT_COUNT: u8 = 8;

    /// The CSS variable of the role.
    pub(crate) fn variable(self) -> String {
        match self {
            Self::Text => "var(--chart-text)".into(),
            Self::Grid => "var(--chart-grid)".into(),
            Self::Axis => "var(--chart-axis)".into(),
            Self::Surface => "var(--surface)".into(),
            Self::Accent => "var(--accent)".into(),
            Self::Series(index) => format!("var(--series-{index})"),
            Self::Ramp(index) => format!("var(--ramp-{index})"),
            Self::Part(index) => format!("var(--part-{index})"),
            Self::Heat(index) => format!("var(--heat-{index})"),
        }
    }

    /// The stand-in colour; a dashed stroke has one of its own.
    pub(crate) fn stand_in(self, dashed: bool) -> RGBColor {
        RGBColor(MARK, self.code(), u8::from(dashed))
    }

    fn code(self) -> u8 {
        match self {
            Self::Text => 0,
            Self::Grid => 1,
            Self::Axis => 2,
            Self::Surface => 3,
            Self::Accent => 4,
            Self::Series(index) => 16 + index,
            Self::Ramp(index) => 32 + index,
            Self::Part(index) => 48 + index,
            Self::Heat(index) => 64 + index,
        }
    }

    fn all() -> impl Iterator<Item = Self> {
        [Self::Text, Self::Grid, Self::Axis, Self::Surface, Self::Accent]
            .into_iter()
            .chain((0..Self::SERIES_COUNT).map(Self::Series))
            .chain((0..Self::RAMP_COUNT).map(Self::Ramp))
            .chain((0..Self::PART_COUNT).map(Self::Part))
            .chain((0..Self::HEAT_COUNT).map(Self::Heat))
    }
}

/// Replaces the stand-in colours of `svg` by CSS variables.
pub(crate) fn themed(svg: &str) -> String {
    let mut out = svg.to_owned();
    for ink in Ink::all() {
        for dashed in [false, true] {
            let RGBColor(r, g, b) = ink.stand_in(dashed);
            let stand_in = format!("\"#{r:02X}{g:02X}{b:02X}\"");
            let dashes = if dashed { " stroke-dasharray=\"5 4\"" } else { "" };
            out = out.replace(&stand_in, &format!("\"{}\"{dashes}", ink.variable()));
        }
    }
    assert!(!out.contains("\"#"), "every colour of a plot has a role: {out}");
    out
}
