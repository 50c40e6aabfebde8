//! Write amplification of collection policies under uniform random writes, as the literature
//! derives it, for a drive of a = T/U times as many pages as the host sees.

/// LRU and FIFO (Desnoyers 2012): with u the valid share of a victim, u = exp(-a (1 - u)).
pub fn fifo(a: f64) -> f64 {
    let mut valid = 0.5;
    for _ in 0..10_000 {
        valid = f64::exp(-a * (1.0 - valid));
    }
    1.0 / (1.0 - valid)
}

/// The block with the fewest valid pages of `pages` (Desnoyers 2012): FIFO's with blocks that are
/// 1 + 1 / (2 pages) times as large.
pub fn desnoyers_greedy(a: f64, pages: u32) -> f64 {
    let k = 1.0 + 1.0 / (2.0 * f64::from(pages));
    fifo(k * a) / k
}

/// Any block (Van Houdt 2013, one choice).
pub fn random(a: f64) -> f64 {
    a / (a - 1.0)
}

/// The best of `choices` blocks of `pages` pages (Van Houdt 2013).
pub fn choices(a: f64, pages: u32, choices: u32) -> f64 {
    f64::from(pages) / freed_by_choices(a, pages, choices)
}

/// The shares of blocks with 0 to `pages` valid pages when the best of `choices` is to be collected
/// (Van Houdt 2013).
pub fn choices_occupancy(a: f64, pages: u32, choices: u32) -> Vec<f64> {
    let mut above = at_least(a, pages, choices, freed_by_choices(a, pages, choices));
    above.insert(0, 1.0);
    above.push(0.0);
    above.windows(2).map(|pair| pair[0] - pair[1]).collect()
}

/// Pages that a collection frees. The more it frees, the fewer are valid.
fn freed_by_choices(a: f64, pages: u32, choices: u32) -> f64 {
    let b = f64::from(pages);
    bisect(1e-3, b, |c| b / a - at_least(a, pages, choices, c).iter().sum::<f64>())
}

/// The shares S_i of blocks that have at least i valid pages, from 1 on, where a collection frees
/// c: with rho = 1/a they obey c i (S_i - S_(i+1)) / (b rho) = 1 - S_i^d, and sum S_i = b rho.
fn at_least(a: f64, pages: u32, choices: u32, c: f64) -> Vec<f64> {
    let per_page = c * a / f64::from(pages);
    let mut above = 0.0;
    let mut shares: Vec<f64> = (1..=pages)
        .rev()
        .map(|i| {
            // There is one root from `above` to 1.
            let excess =
                |s: f64| per_page * f64::from(i) * (s - above) - 1.0 + s.powi(choices as i32);
            above = bisect(above, 1.0, excess);
            above
        })
        .collect();
    shares.reverse();
    shares
}

/// The block with the fewest valid pages: the limit of many choices (Bux and Iliadis 2010).
pub fn greedy(a: f64, pages: u32) -> f64 {
    f64::from(pages) / greedy_steady_state(a, pages).1
}

/// The shares of blocks with 0 to `pages` valid pages when the one with the fewest is to be
/// collected: none has fewer than v, and above v shares fall as 1/i.
pub fn greedy_occupancy(a: f64, pages: u32) -> Vec<f64> {
    let (v, c) = greedy_steady_state(a, pages);
    let per_page = f64::from(pages) / (a * c);
    let share = |i: u32| if i > v { per_page / f64::from(i) } else { 0.0 };
    let mut shares: Vec<f64> = (0..=pages).map(share).collect();
    shares[v as usize] = 1.0 - shares.iter().sum::<f64>();
    shares
}

/// The fewest valid pages of a block, and the pages that a collection frees in the mean.
fn greedy_steady_state(a: f64, pages: u32) -> (u32, f64) {
    let (b, rho) = (f64::from(pages), 1.0 / a);
    let harmonic = |n: u32| (1..=n).map(|i| 1.0 / f64::from(i)).sum::<f64>();
    let solution = (0..pages).find_map(|v| {
        let (valid, tail) = (f64::from(v), harmonic(pages) - harmonic(v));
        let c = (b - valid - valid * tail) / (1.0 - valid / (b * rho));
        let share = 1.0 - b * rho / c * tail;
        let fits = (0.0..=1.0).contains(&share) && (b - valid..=b - valid + 1.0).contains(&c);
        fits.then_some((v, c))
    });
    solution.expect("there is one number of valid pages at which blocks are collected")
}

/// A share `r` of the pages gets a share `s` of the writes, all in the same blocks, FIFO.
pub fn hot_and_cold(a: f64, r: f64, s: f64) -> f64 {
    let part =
        |share: f64, pages: f64, wa: f64| share / (1.0 - f64::exp(-share * a / (pages * wa)));
    bisect(1.0, 1e3, |wa| wa - part(s, r, wa) - part(1.0 - s, 1.0 - r, wa))
}

/// The root of a function that is negative below it and positive above.
fn bisect(mut low: f64, mut high: f64, function: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if function(middle) < 0.0 { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of the literature's values for blocks of 64 pages: over-provisioning in per cent,
    /// FIFO, greedy, 2, 5 and 10 choices, random, 20/80 and 10/90 hot and cold.
    const TABLE: [(f64, [f64; 8]); 4] = [
        (7.0, [7.817, 7.010, 10.277, 7.875, 7.323, 15.286, 8.182, 8.866]),
        (15.0, [4.016, 3.801, 5.312, 4.185, 3.930, 7.667, 4.370, 4.957]),
        (28.0, [2.481, 2.403, 3.245, 2.612, 2.471, 4.571, 2.820, 3.296]),
        (50.0, [1.716, 1.681, 2.190, 1.806, 1.721, 3.000, 2.029, 2.384]),
    ];

    #[test]
    fn formulas_give_the_published_values() {
        for (percent, values) in TABLE {
            let a = 1.0 + percent / 100.0;
            let ours = [
                fifo(a),
                greedy(a, 64),
                choices(a, 64, 2),
                choices(a, 64, 5),
                choices(a, 64, 10),
                random(a),
                hot_and_cold(a, 0.2, 0.8),
                hot_and_cold(a, 0.1, 0.9),
            ];
            for (place, (ours, value)) in ours.into_iter().zip(values).enumerate() {
                assert!(
                    (ours - value).abs() < 0.001,
                    "{percent} %, column {place}: {ours}, {value}"
                );
            }
        }
    }

    /// All blocks have some number of valid pages, and all pages are somewhere: b / a for a block.
    #[test]
    fn occupancies_are_of_all_blocks_and_all_pages() {
        for (percent, _) in TABLE {
            let (a, pages) = (1.0 + percent / 100.0, 64);
            let few = choices_occupancy(a, pages, 2);
            for shares in [greedy_occupancy(a, pages), choices_occupancy(a, pages, 1), few] {
                let blocks: f64 = shares.iter().sum();
                let valid: f64 = (0..).zip(&shares).map(|(i, share)| f64::from(i) * share).sum();
                assert!(shares.iter().all(|share| *share > -1e-9), "{percent} %: {shares:?}");
                assert!((blocks - 1.0).abs() < 1e-9, "{percent} %: {blocks}");
                assert!((valid * a / f64::from(pages) - 1.0).abs() < 1e-6, "{percent} %: {valid}");
            }
        }
    }

    /// What is collected frees what the mean field says, and many choices are greedy.
    #[test]
    fn occupancies_lead_to_the_write_amplification() {
        let (a, pages) = (1.15, 64);
        // Any block is as likely as another, so its valid pages are those of all in the mean.
        let any = choices_occupancy(a, pages, 1);
        let valid: f64 = (0..).zip(&any).map(|(i, share)| f64::from(i) * share).sum();
        assert!((64.0 / (64.0 - valid) / random(a) - 1.0).abs() < 1e-6, "{valid}");
        let many = choices_occupancy(a, pages, 2000);
        for (i, (many, greedy)) in many.iter().zip(greedy_occupancy(a, pages)).enumerate() {
            assert!((many - greedy).abs() < 2e-3, "{i} valid pages: {many}, {greedy}");
        }
    }

    /// Desnoyers' greedy for blocks of 64, 128 and 256 pages, of which the literature has a table.
    #[test]
    fn desnoyers_greedy_gives_the_published_values() {
        let table = [
            (0.07, [7.001, 7.386, 7.595]),
            (0.10, [5.242, 5.451, 5.562]),
            (0.30, [2.293, 2.328, 2.346]),
            (0.50, [1.681, 1.698, 1.707]),
        ];
        for (rho, values) in table {
            for (pages, value) in [64, 128, 256].into_iter().zip(values) {
                let ours = desnoyers_greedy(1.0 + rho, pages);
                assert!((ours - value).abs() < 0.001, "{rho}, {pages} pages: {ours}, {value}");
            }
        }
    }
}
