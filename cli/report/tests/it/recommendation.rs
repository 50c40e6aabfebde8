//! The knee of a whole sweep, and what it says.

use floatgate_report::derived::nanoseconds;
use floatgate_report::model::SweepResult;
use floatgate_report::{Recommendation, recommend};

use crate::synthetic;

fn recommended(sweep: &SweepResult) -> Option<Recommendation> {
    recommend(&sweep.points_of(&sweep.points[0].code.name), &sweep.settings)
}

#[test]
fn the_first_wear_model_that_gains_decides() {
    // No strength is enough for the first model of the sample.
    let found = recommended(&synthetic::report().sweep).unwrap();
    assert_eq!(found.model, "2y-nm MLC");
    assert!(found.is_knee);
    let best = found.curve.iter().map(|point| point.distance()).fold(f64::MIN, f64::max);
    assert_eq!(found.choice().distance(), best);
    let names: Vec<&str> = found.costs.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["area", "page read latency", "parity overhead"]);
}

#[test]
fn strengths_without_life_are_no_choice() {
    let mut sweep = synthetic::report_without_synthesis().sweep;
    let dead = sweep.points.len() - 3;
    for (index, point) in sweep.points.iter_mut().enumerate() {
        point.endurance[1].pe_cycles = index.saturating_sub(dead) as f64 * 1000.0;
    }
    let found = recommended(&sweep).unwrap();
    assert_eq!(found.curve.len(), 3);
    assert_eq!(found.curve[0].pe_cycles, 0.0);
    assert_eq!(found.curve[0].t, sweep.points[dead].t);
}

#[test]
fn costs_that_are_unknown_do_not_count() {
    let found = recommended(&synthetic::report_without_synthesis().sweep).unwrap();
    let names: Vec<&str> = found.costs.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["decode latency", "parity overhead"]);
}

#[test]
fn the_sentence_names_both_ends_and_the_next_step() {
    let mut sweep = synthetic::report_without_synthesis().sweep;
    // Life jumps early, so the second strength is the knee.
    for (index, point) in sweep.points.iter_mut().enumerate() {
        point.endurance[1].pe_cycles = if index == 0 { 0.0 } else { 900.0 + index as f64 };
    }
    let found = recommended(&sweep).unwrap();
    assert_eq!(found.choice().t.0, 2);
    let sentence = found.sentence();
    let start = "Choose t = 2: it gives 99.3 % of the life that t = 40 adds over t = 1 for ";
    assert!(sentence.starts_with(start), "{sentence}");
    assert!(sentence.contains("the next step, to t = 4, would pay "), "{sentence}");
    assert!(found.basis().contains("2y-nm MLC") && found.basis().contains("10⁻¹⁵"));
}

#[test]
fn without_a_knee_the_strongest_code_is_chosen() {
    let mut sweep = synthetic::report_without_synthesis().sweep;
    for point in &mut sweep.points {
        point.endurance[1].pe_cycles = f64::from(point.t.0).powi(3);
    }
    let found = recommended(&sweep).unwrap();
    assert!(!found.is_knee);
    assert_eq!(found.choice().t.0, 40);
    assert!(found.sentence().starts_with("Choose t = 40: there is no knee from t = 1 on"));
}

#[test]
fn without_gain_or_choice_nothing_is_recommended() {
    let mut sweep = synthetic::report().sweep;
    for endurance in sweep.points.iter_mut().flat_map(|point| &mut point.endurance) {
        endurance.pe_cycles = 0.0;
    }
    assert_eq!(recommended(&sweep), None);
    let mut single = synthetic::report().sweep;
    single.points.truncate(1);
    assert_eq!(recommended(&single), None);
}

#[test]
fn limits_follow_the_parameters() {
    // 1 KiB, m = 14, t = 40, 8 bits per clock: 1,024 search words and 1,094 codeword words.
    let sweep = synthetic::report().sweep;
    let point = sweep.points.last().unwrap();
    assert_eq!(point.limit_clocks().0, 40 + 1 + 1024 + 2);
    assert_eq!(point.bound_clocks().0, point.key_equation_clocks.0 + 1024 + 8);
    assert_eq!(point.period_bound_clocks().0, 1094 + 4);
    assert_eq!(point.parity_bytes().0, 70);
    assert!((point.code_rate() - 8192.0 / 8752.0).abs() < 1e-12);
    assert_eq!(nanoseconds(1054.0, 100.0), 10_540.0);
    // The CRC's 32 bits are searched too.
    let mut with_crc = point.clone();
    with_crc.code.crc = true;
    assert_eq!(with_crc.limit_clocks().0, point.limit_clocks().0 + 4);
    assert!(with_crc.code_rate() < point.code_rate());
}
