//! The recommendation: the strength past which life costs more than it is worth.
//!
//! Rule. Life is the program/erase cycles survived under the first wear model that gains from a
//! stronger code. Cost is the plain mean of those of three costs that are known at every
//! strength and grow over the sweep: logic area of the codec, latency of a page read with t
//! errors in every codeword (without a page: of a decode), and parity overhead. Life and each
//! cost are scaled to 0 at the weakest and 1 at the strongest strength compared. The knee is the
//! strength with the largest distance above the chord between the two ends (the rule of Satopää
//! et al., "Finding a Kneedle in a Haystack", 2011, without its smoothing); equal distances go
//! to the weaker code. Where no strength lies above the chord there is no knee, and the
//! strongest code pays its way.
//!
//! A chip may need some correction to work at all. Strengths that give it no life are no choice,
//! so the scale starts at the strongest of them. It depends on the range swept: the sentence
//! names both ends.

use std::f64::consts::SQRT_2;

use floatgate_hal::units::Strength;

use crate::format;
use crate::model::{ErrorLoad, Point, Settings};

/// Distances closer than this are equal: far below what a measurement resolves.
const RESOLUTION: f64 = 1e-9;

/// One strength on the curve of life over cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TradeOff {
    /// The strength.
    pub t: Strength,
    /// Program/erase cycles survived.
    pub pe_cycles: f64,
    /// Share of the life gained over the strengths compared: 0 at the weakest, 1 at the strongest.
    pub life: f64,
    /// Share of the cost added over the strengths compared: 0 at the weakest, 1 at the strongest.
    pub cost: f64,
}

impl TradeOff {
    /// Distance above the chord from (0, 0) to (1, 1).
    pub fn distance(&self) -> f64 {
        (self.life - self.cost) / SQRT_2
    }
}

/// The strength to choose, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommendation {
    /// Life over cost, weakest strength first.
    pub curve: Vec<TradeOff>,
    /// Index of the chosen strength in `curve`.
    pub chosen: usize,
    /// Whether the chosen strength is a knee; otherwise it is the strongest.
    pub is_knee: bool,
    /// Wear model that gave the life.
    pub model: String,
    /// The costs that went into the mean, each with the strength it would choose alone.
    pub costs: Vec<(&'static str, Strength)>,
    uber_target: f64,
}

/// The recommendation over `points` of one configuration, weakest first. `None` when fewer than
/// two strengths were swept, or no wear model gains life, or nothing costs more.
pub fn recommend(points: &[&Point], settings: &Settings) -> Option<Recommendation> {
    assert!(points.is_sorted_by_key(|point| point.t), "points come weakest first");
    let (model, cycles, life, points) = settings.rber_models.iter().find_map(|model| {
        let cycles = figures(points, |point| pe_cycles(point, &model.name))?;
        let start = cycles.iter().rposition(|cycles| *cycles <= 0.0).unwrap_or(0);
        let life = scaled(&cycles[start..])?;
        Some((model.name.clone(), cycles[start..].to_vec(), life, &points[start..]))
    })?;
    let strengths: Vec<Strength> = points.iter().map(|point| point.t).collect();
    let costs = costs(points);
    if costs.is_empty() {
        return None;
    }
    let mean_cost =
        |index: usize| costs.iter().map(|(_, cost)| cost[index]).sum::<f64>() / costs.len() as f64;
    let curve: Vec<TradeOff> = (0..points.len())
        .map(|index| TradeOff {
            t: strengths[index],
            pe_cycles: cycles[index],
            life: life[index],
            cost: mean_cost(index),
        })
        .collect();
    let combined: Vec<f64> = curve.iter().map(|point| point.cost).collect();
    let knee = knee_index(&life, &combined);
    let alone = |cost: &[f64]| strengths[knee_index(&life, cost).unwrap_or(points.len() - 1)];
    Some(Recommendation {
        chosen: knee.unwrap_or(points.len() - 1),
        is_knee: knee.is_some(),
        costs: costs.iter().map(|(name, cost)| (*name, alone(cost))).collect(),
        curve,
        model,
        uber_target: settings.uber_target,
    })
}

impl Recommendation {
    /// The chosen point of the curve.
    pub fn choice(&self) -> &TradeOff {
        &self.curve[self.chosen]
    }

    /// The recommendation in one sentence.
    pub fn sentence(&self) -> String {
        let (first, last) = (&self.curve[0], &self.curve[self.curve.len() - 1]);
        let choice = self.choice();
        if !self.is_knee {
            return format!(
                "Choose t = {}: there is no knee from t = {} on, because no weaker code gives a \
                 larger share of the added life than it takes of the added cost.",
                last.t, first.t,
            );
        }
        let next = &self.curve[self.chosen + 1];
        format!(
            "Choose t = {}: it gives {} % of the life that t = {} adds over t = {} for {} % of the \
             added cost, while the next step, to t = {}, would pay {} % of the cost for {} % of \
             the life.",
            choice.t,
            percent(choice.life),
            last.t,
            first.t,
            percent(choice.cost),
            next.t,
            percent(next.cost - choice.cost),
            percent(next.life - choice.life),
        )
    }

    /// What the sentence means by life and by cost.
    pub fn basis(&self) -> String {
        let names: Vec<&str> = self.costs.iter().map(|(name, _)| *name).collect();
        format!(
            "Life: program/erase cycles under {} at an uncorrectable bit error rate of {}. Cost: \
             the mean of {}, each scaled from the weakest to the strongest strength that the \
             sentence compares.",
            self.model,
            format::power_in_text(self.uber_target),
            format::list(&names),
        )
    }
}

/// Index of the largest distance above the chord, the first of equals. `life` and `cost` are
/// scaled. `None` when nothing lies above the chord.
fn knee_index(life: &[f64], cost: &[f64]) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (index, distance) in life.iter().zip(cost).map(|(l, c)| l - c).enumerate() {
        if distance > best.map_or(0.0, |(_, known)| known) + RESOLUTION {
            best = Some((index, distance));
        }
    }
    best.map(|(index, _)| index)
}

/// The costs that are known at every point and grow from the first to the last, scaled.
fn costs(points: &[&Point]) -> Vec<(&'static str, Vec<f64>)> {
    let area = figures(points, |p| Some(p.build.as_ref()?.codec().nand2_equivalents));
    let page = figures(points, |p| p.page_read.as_ref().map(page_read_us));
    let decode = || figures(points, |p| Some(p.decode_at(ErrorLoad::Full)?.last_word.mean_clocks));
    let latency = match page {
        Some(page) => ("page read latency", Some(page)),
        None => ("decode latency", decode()),
    };
    let overhead = figures(points, |p| Some(p.overhead_percent()));
    [("area", area), latency, ("parity overhead", overhead)]
        .into_iter()
        .filter_map(|(name, cost)| Some((name, scaled(&cost?)?)))
        .collect()
}

fn page_read_us(page: &crate::model::PageRead) -> f64 {
    page.array_us + page.transfer_us + page.decode_full_us
}

fn pe_cycles(point: &Point, model: &str) -> Option<f64> {
    point.endurance.iter().find(|e| e.model == model).map(|e| e.pe_cycles)
}

fn figures(points: &[&Point], figure: impl Fn(&Point) -> Option<f64>) -> Option<Vec<f64>> {
    points.iter().map(|point| figure(point)).collect()
}

/// `values` scaled to 0 at the first and 1 at the last; `None` unless the last is larger.
fn scaled(values: &[f64]) -> Option<Vec<f64>> {
    let (first, last) = (*values.first()?, *values.last()?);
    (last > first).then(|| values.iter().map(|value| (value - first) / (last - first)).collect())
}

fn percent(share: f64) -> String {
    format::real(share * 100.0, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knee_is_farthest_above_the_chord() {
        // Distances over the diagonal: 0, 0.3, 0.4, 0.2, 0.
        let life = [0.0, 0.4, 0.7, 0.8, 1.0];
        let cost = [0.0, 0.1, 0.3, 0.6, 1.0];
        assert_eq!(knee_index(&life, &cost), Some(2));
    }

    #[test]
    fn equal_distances_go_to_the_weaker_code() {
        let life = [0.0, 0.5, 0.75, 1.0];
        let cost = [0.0, 0.25, 0.5, 1.0];
        assert_eq!(knee_index(&life, &cost), Some(1));
    }

    #[test]
    fn a_line_or_a_sag_has_no_knee() {
        let straight = [0.0, 0.25, 0.5, 1.0];
        assert_eq!(knee_index(&straight, &straight), None);
        let sag = [0.0, 0.1, 0.2, 1.0];
        assert_eq!(knee_index(&sag, &straight), None);
    }

    #[test]
    fn only_growth_can_be_scaled() {
        assert_eq!(scaled(&[2.0, 3.0, 6.0]), Some(vec![0.0, 0.25, 1.0]));
        assert_eq!(scaled(&[3.0, 3.0]), None);
        assert_eq!(scaled(&[5.0]), None);
        assert_eq!(scaled(&[]), None);
    }
}
