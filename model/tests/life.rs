//! Error rates against tables that were computed elsewhere (`tests/facts`, mpmath and scipy).

use floatgate_hal::units::{BitCount, Strength};
use floatgate_model::die::rber::{RberModel, Stress};
use floatgate_model::ecc::uber::{CodeSize, ErrorSpread};

/// The rows of a table, without its head.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().skip(1).map(|line| line.trim().split(',').collect())
}

fn number(field: &str) -> f64 {
    field.parse().unwrap_or_else(|_| panic!("`{field}` is no number"))
}

fn size(data_bits: f64, codeword_bits: f64, strength: f64) -> CodeSize {
    CodeSize {
        data: BitCount(data_bits as u32),
        codeword: BitCount(codeword_bits as u32),
        strength: Strength(strength as u16),
    }
}

#[test]
fn uber_is_that_of_the_table() {
    let mut checked = 0;
    for row in rows(include_str!("facts/uber_table.csv")) {
        let code = size(number(row[1]), number(row[4]), number(row[3]));
        let rber = number(row[6]);
        let failure = code.ln_codeword_failure(rber, ErrorSpread::Binomial) / 10f64.ln();
        let uber = code.ln_uber(rber, ErrorSpread::Binomial) / 10f64.ln();
        assert!((failure - number(row[7])).abs() < 6e-5, "{row:?}: {failure}");
        assert!((uber - number(row[8])).abs() < 6e-5, "{row:?}: {uber}");
        checked += 1;
    }
    assert_eq!(checked, 544);
}

#[test]
fn largest_rber_is_that_of_the_table() {
    let mut checked = 0;
    for row in rows(include_str!("facts/max_rber.csv")) {
        let code = size(8.0 * number(row[0]), number(row[2]), number(row[1]));
        for (uber, column) in [(1e-15, 3), (1e-16, 4)] {
            let rber = code.max_rber(uber, ErrorSpread::Binomial);
            assert!((rber / number(row[column]) - 1.0).abs() < 1e-4, "{row:?} {uber}: {rber}");
        }
        checked += 1;
    }
    assert_eq!(checked, 32);
}

#[test]
fn required_strength_is_that_of_the_table() {
    for row in rows(include_str!("facts/required_t.csv")) {
        let (target, rber) = (number(row[0]), number(row[1]));
        for (bytes, m, column) in [(512, 13, 2), (1024, 14, 5), (2048, 15, 8), (4096, 16, 11)] {
            let enough = |t: u16| {
                let data = BitCount(8 * bytes);
                let codeword = BitCount(data.0 + m * u32::from(t));
                let code = CodeSize { data, codeword, strength: Strength(t) };
                code.ln_uber(rber, ErrorSpread::Binomial) <= target.ln()
            };
            let required: u16 = row[column].parse().unwrap();
            assert!(enough(required) && !enough(required - 1), "{bytes} B at {rber}: {required}");
        }
    }
}

#[test]
fn codewords_that_differ_in_their_rate_need_more() {
    let code = size(8192.0, 8192.0 + 14.0 * 24.0, 24.0);
    let rate = |spread| code.ln_uber(3e-4, spread);
    let binomial = rate(ErrorSpread::Binomial);
    let nearly = rate(ErrorSpread::BetaBinomial { rate_spread: 1e-3 });
    assert!((nearly - binomial).abs() < 1e-2, "{nearly} and {binomial}");
    let spread = rate(ErrorSpread::BetaBinomial { rate_spread: 0.3 });
    assert!(spread > binomial + 10f64.ln(), "over a decade: {spread} and {binomial}");
}

#[test]
fn rber_is_that_of_the_table() {
    for row in rows(include_str!("facts/rber_model.csv")) {
        let model = match row[0] {
            "2y-nm MLC" => RberModel::Mlc2yNm,
            "72L TLC" => RberModel::Tlc72Layer,
            other => panic!("no model {other}"),
        };
        let stress = Stress {
            pe_cycles: number(row[1]),
            retention_days: number(row[2]),
            reads: number(row[3]),
        };
        let rber = model.rber(stress);
        assert!((rber / number(row[4]) - 1.0).abs() < 1e-4, "{row:?}: {rber}");
    }
}

#[test]
fn cycles_reached_are_where_the_rate_is() {
    for model in RberModel::ALL {
        let stress = Stress { pe_cycles: 0.0, retention_days: 90.0, reads: 0.0 };
        let new = model.rber(stress);
        assert_eq!(model.pe_cycles_at(0.9 * new, stress), 0.0, "{model}: worse when new");
        let limit = 2.0 * new;
        let reached = model.pe_cycles_at(limit, stress);
        let at = |pe_cycles| model.rber(Stress { pe_cycles, ..stress });
        assert!(at(reached) <= limit && at(reached + 1.0) > limit, "{model}: {reached}");
        assert_eq!(model.pe_cycles_at(0.9, stress), {
            let end = model.end_of_data_cycles();
            if at(end) <= 0.9 { end } else { model.pe_cycles_at(0.9, stress) }
        });
    }
}
