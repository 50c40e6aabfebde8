//! The key equation of a binary BCH code: odd syndromes enter, the error locator leaves.
//!
//! Berlekamp-Massey algorithm (Massey, Shift-Register Synthesis and BCH Decoding, IEEE Trans.
//! Information Theory 15, 1969) with the steps whose discrepancy is always zero for a binary code
//! left out (Berlekamp, Algebraic Coding Theory, section 7.6): t iterations for strength t.

use super::field::Field;

/// A solution of the key equation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyEquation {
    /// Length L of the shortest recurrence that yields the syndromes: the number of errors where
    /// the codeword is correctable. More than t says that it is not.
    pub(crate) length: usize,
    /// Error locator: coefficients of x^0 (which is 1), x^1 ... The last one is not zero. An error
    /// at the bit that is the coefficient of x^d makes alpha^-d a root.
    pub(crate) locator: Vec<u16>,
}

/// Solves the key equation for S_1, S_3 .. S_(2t-1).
pub(crate) fn solve(field: &Field, odd_syndromes: &[u16]) -> KeyEquation {
    let t = odd_syndromes.len();
    let terms = 2 * t + 2;
    let mut locator = vec![0u16; terms];
    locator[0] = 1;
    // One allocation for three lists of logarithms.
    let mut logs = vec![0u32; 2 * t + 2 * terms];
    let (syndrome_logs, logs) = logs.split_at_mut(2 * t);
    fill_syndrome_logs(field, odd_syndromes, syndrome_logs);
    // The locator's, and those of the locator before the length last changed, with 1 over the
    // discrepancy then.
    let (mut locator_logs, mut previous_logs) = logs.split_at_mut(terms);
    let mut previous_len = 1;
    let mut inverse_log = 0;
    let mut shift = 1;
    let mut length = 0;
    for i in 0..t {
        // Discrepancy: the syndrome S_(2i+1) against what the recurrence says.
        let mut discrepancy = odd_syndromes[i];
        let window = syndrome_logs[2 * i - length..2 * i].iter().rev();
        for ((&coefficient, log), &syndrome) in
            locator[1..=length].iter().zip(&mut locator_logs[1..=length]).zip(window)
        {
            *log = field.log(coefficient);
            discrepancy ^= field.exp(*log + syndrome);
        }
        if discrepancy == 0 {
            shift += 2;
            continue;
        }
        let log = field.log(discrepancy);
        let scale = field.add_logs(log, inverse_log);
        for (target, &term) in locator[shift..].iter_mut().zip(&previous_logs[..previous_len]) {
            *target ^= field.exp(term + scale);
        }
        if length <= i {
            std::mem::swap(&mut previous_logs, &mut locator_logs);
            previous_logs[0] = 0;
            previous_len = length + 1;
            length = 2 * i + 1 - length;
            inverse_log = field.order() - log;
            shift = 2;
        } else {
            shift += 2;
        }
    }
    locator.truncate(1 + locator.iter().rposition(|&c| c != 0).unwrap_or(0));
    KeyEquation { length, locator }
}

/// Logarithms of S_1 .. S_2t at indices 0 .. 2t - 1; S_2j is the square of S_j.
fn fill_syndrome_logs(field: &Field, odd: &[u16], logs: &mut [u32]) {
    for j in 1..=logs.len() {
        logs[j - 1] = if j % 2 == 1 {
            field.log(odd[j / 2])
        } else {
            let log = logs[j / 2 - 1];
            field.add_logs(log, log)
        };
    }
}
