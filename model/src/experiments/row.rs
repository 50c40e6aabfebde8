//! A published figure, ours, and whether ours is as it must be.

use serde::{Deserialize, Serialize};

/// What a figure of ours must be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expectation {
    /// So near to a figure, as a fraction of it.
    Near {
        /// The figure.
        figure: f64,
        /// How far it may be away.
        tolerance: f64,
    },
    /// From one figure to another.
    Between(f64, f64),
    /// This or less.
    AtMost(f64),
    /// This or more.
    AtLeast(f64),
}

/// Where a figure of ours comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Basis {
    /// A parameter that the publication leaves open was set to meet it.
    Calibrated,
    /// It follows.
    Predicted,
}

/// A row of an experiment's table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its name, such as C-1.
    pub id: String,
    /// What is measured.
    pub what: String,
    /// Its unit; empty for a ratio.
    pub unit: String,
    /// The published figure, where there is one.
    pub published: Option<f64>,
    /// Ours.
    pub ours: f64,
    /// What ours must be.
    pub expectation: Expectation,
    /// Where ours comes from.
    pub basis: Basis,
}

impl Expectation {
    /// Whether a figure is as it must be.
    pub fn holds(&self, ours: f64) -> bool {
        let (low, high) = self.bounds();
        (low..=high).contains(&ours)
    }

    /// The least and the greatest figure that will do; infinite where there is none.
    pub fn bounds(&self) -> (f64, f64) {
        match *self {
            Self::Near { figure, tolerance } => {
                (figure * (1.0 - tolerance), figure * (1.0 + tolerance))
            }
            Self::Between(low, high) => (low, high),
            Self::AtMost(high) => (f64::NEG_INFINITY, high),
            Self::AtLeast(low) => (low, f64::INFINITY),
        }
    }
}

impl Row {
    /// A row whose figure follows.
    pub fn predicted(
        id: &str,
        what: &str,
        unit: &str,
        ours: f64,
        expectation: Expectation,
    ) -> Self {
        let published = match expectation {
            Expectation::Near { figure, .. } => Some(figure),
            _ => None,
        };
        let [id, what, unit] = [id, what, unit].map(str::to_owned);
        Self { id, what, unit, published, ours, expectation, basis: Basis::Predicted }
    }

    /// A row whose figure a parameter was set for.
    pub fn calibrated(
        id: &str,
        what: &str,
        unit: &str,
        ours: f64,
        expectation: Expectation,
    ) -> Self {
        Self { basis: Basis::Calibrated, ..Self::predicted(id, what, unit, ours, expectation) }
    }

    /// Whether ours is as it must be.
    pub fn holds(&self) -> bool {
        self.expectation.holds(self.ours)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_hold_up_to_their_bounds() {
        let cases = [
            (Expectation::Near { figure: 72.0, tolerance: 0.05 }, [68.5, 75.5], [68.3, 75.7]),
            (Expectation::Between(1.0, 1.02), [1.0, 1.02], [0.99, 1.03]),
            (Expectation::AtMost(2.0), [0.0, 2.0], [2.1, f64::NAN]),
            (Expectation::AtLeast(2.0), [2.0, 9.0], [1.9, f64::NAN]),
        ];
        for (expectation, good, bad) in cases {
            assert!(good.into_iter().all(|figure| expectation.holds(figure)), "{expectation:?}");
            assert!(!bad.into_iter().any(|figure| expectation.holds(figure)), "{expectation:?}");
        }
    }
}
