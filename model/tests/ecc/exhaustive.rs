//! Small codes: every message, and every error pattern of weight up to t + 1; and every single
//! and double error of a sector-sized code.

use floatgate_model::ecc::{BchCode, BitIndex, Decoded, Kernels};

use super::vectors::{
    ExhaustiveFile, KERNELS, Pattern, code, files, generator_hex, left_aligned, positions,
};

#[test]
fn every_message_and_pattern_of_the_small_codes() {
    for (name, file) in files::<ExhaustiveFile>("bch", "exh_") {
        for kernels in KERNELS {
            let code = code(file.m, file.t, file.k, kernels);
            assert_eq!(code.codeword_bits().0, file.n, "{name}");
            assert_eq!(generator_hex(&code), file.generator_poly, "{name}");
            assert_eq!(file.parity_by_message.len(), 1 << file.k);
            for (message, hex) in file.parity_by_message.iter().enumerate() {
                let mut parity = vec![0; code.parity_len()];
                code.encode(&left_aligned(message as u64, file.k), &mut parity);
                let expected = u64::from_str_radix(hex, 16).unwrap();
                assert_eq!(parity, left_aligned(expected, file.n - file.k), "{name} {message}");
            }
            for pattern in &file.patterns {
                check_pattern(&code, pattern, &name);
            }
        }
    }
}

fn check_pattern(code: &BchCode, pattern: &Pattern, name: &str) {
    let (errors, flips, syndromes) = match pattern {
        Pattern::WithSyndromes(errors, flips, syndromes) => (errors, flips, Some(syndromes)),
        Pattern::Plain(errors, flips) => (errors, flips, None),
    };
    let (mut data, mut parity) = (vec![0; code.data_len()], vec![0; code.parity_len()]);
    code.flip(&mut data, &mut parity, &positions(errors));
    if let Some(expected) = syndromes {
        let found = code.odd_syndromes(&data, &parity);
        let found: Vec<String> = found.iter().map(|s| format!("{s:x}")).collect();
        assert_eq!(&found, expected, "{name} {errors:?}");
    }
    let expected = match flips {
        None => Decoded::Uncorrectable,
        Some(flips) if flips.is_empty() => Decoded::Clean,
        Some(flips) => Decoded::Corrected { positions: positions(flips) },
    };
    assert_eq!(code.decode(&mut data, &mut parity), expected, "{name} {errors:?}");
}

#[test]
fn every_single_and_double_error_of_a_sector() {
    let code = code(13, 2, 4096, Kernels::Detected);
    let n = code.codeword_bits().0;
    let (mut data, mut parity) = (vec![0; code.data_len()], vec![0; code.parity_len()]);
    for first in 0..n {
        for second in first..n {
            let mut errors = vec![BitIndex(first), BitIndex(second)];
            errors.dedup();
            code.flip(&mut data, &mut parity, &errors);
            let decoded = code.decode(&mut data, &mut parity);
            assert_eq!(decoded, Decoded::Corrected { positions: errors });
        }
    }
    assert!(data.iter().chain(&parity).all(|&byte| byte == 0));
}
