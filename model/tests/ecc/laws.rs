//! Properties that hold for every code.

use bitvec::{order::Msb0, view::BitView};
use floatgate_hal::units::{BitCount, Strength};
use floatgate_model::ecc::{
    BchCode, BitIndex, CodeError, Decoded, Kernels, MAX_DEGREE, MIN_DEGREE,
};
use proptest::prelude::*;
use proptest::sample::subsequence;

use super::vectors::{KERNELS, code};

/// A code of any field, any strength up to 12, any length, data for it and error positions of
/// weight 0 to 2t.
fn codeword() -> impl Strategy<Value = (u32, u16, u32, Vec<u8>, Vec<u32>)> {
    let code = (MIN_DEGREE..=MAX_DEGREE, 1u16..=12, 1u32..3000).prop_map(|(m, t, k)| {
        // The longest that the field allows at most, with the shortest strength that leaves any.
        let order = (1 << m) - 1;
        let t = t.min(((order - 1) / m / 2).max(1) as u16);
        (m, t, k.min(order - m * u32::from(t)).max(1))
    });
    code.prop_flat_map(|(m, t, k)| {
        let n = k + m * u32::from(t);
        let data = prop::collection::vec(any::<u8>(), k.div_ceil(8) as usize);
        let n = n.min((1 << m) - 1) as usize;
        let errors = subsequence((0..n as u32).collect::<Vec<_>>(), 0..=n.min(2 * usize::from(t)));
        (Just(m), Just(t), Just(k), data, errors)
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400, failure_persistence: None, ..Default::default()
    })]

    #[test]
    fn up_to_t_errors_come_back((m, t, k, data, errors) in codeword()) {
        for kernels in KERNELS {
            let code = code(m, t, k, kernels);
            let mut sent = data.clone();
            sent.view_bits_mut::<Msb0>()[k as usize..].fill(false);
            let mut sent_parity = vec![0; code.parity_len()];
            code.encode(&sent, &mut sent_parity);
            let n = code.codeword_bits().0;
            let errors: Vec<_> = errors.iter().copied().filter(|&e| e < n).map(BitIndex).collect();

            let (mut data, mut parity) = (sent.clone(), sent_parity.clone());
            code.flip(&mut data, &mut parity, &errors);
            let location = code.locate(&data, &parity);
            let decoded = code.decode(&mut data, &mut parity);
            if errors.len() <= usize::from(t) {
                prop_assert_eq!(location.length, errors.len());
                prop_assert_eq!(&location.positions, &errors);
                prop_assert_eq!((&data, &parity), (&sent, &sent_parity));
                let expected = if errors.is_empty() { Decoded::Clean } else {
                    Decoded::Corrected { positions: errors }
                };
                prop_assert_eq!(decoded, expected);
            } else if let Decoded::Corrected { positions } = decoded {
                // A miscorrection lands on a codeword, within the strength.
                prop_assert!(positions.len() <= usize::from(t));
                prop_assert!(code.odd_syndromes(&data, &parity).iter().all(|&s| s == 0));
            } else {
                prop_assert_eq!(decoded, Decoded::Uncorrectable);
                prop_assert!(!location.is_correctable());
            }
        }
    }

    #[test]
    fn all_kernels_locate_the_same((m, t, k, data, errors) in codeword()) {
        let locations = KERNELS.map(|kernels| {
            let code = code(m, t, k, kernels);
            let n = code.codeword_bits().0;
            let (mut data, mut parity) = (data.clone(), vec![0x5a; code.parity_len()]);
            let errors: Vec<_> = errors.iter().copied().filter(|&e| e < n).map(BitIndex).collect();
            code.flip(&mut data, &mut parity, &errors);
            (code.odd_syndromes(&data, &parity), code.locate(&data, &parity))
        });
        prop_assert_eq!(&locations[0], &locations[1]);
        prop_assert_eq!(&locations[0], &locations[2]);
        // The roots are those of the locator, tried one by one.
        let code = code(m, t, k, Kernels::Portable);
        let location = &locations[0].1;
        if location.length <= usize::from(t) {
            prop_assert_eq!(&location.positions, &roots_one_by_one(&code, &location.locator));
        } else {
            prop_assert!(location.positions.is_empty());
        }
    }

    #[test]
    fn shortened_codes_share_the_tables_and_not_the_length(
        data in prop::collection::vec(any::<u8>(), 1..=512),
        t in 1u16..=24,
    ) {
        let k = BitCount(8 * data.len() as u32);
        let long = code(13, t, 4096, Kernels::Detected);
        let short = long.shortened(k);
        let fresh = BchCode::new(13, Strength(t), k).unwrap();
        let mut parities = [vec![0; long.parity_len()], vec![0; long.parity_len()]];
        short.encode(&data, &mut parities[0]);
        fresh.encode(&data, &mut parities[1]);
        prop_assert_eq!(&parities[0], &parities[1]);
        // Zeros before the data change nothing: that is what shortening means.
        let mut padded = vec![0; 512 - data.len()];
        padded.extend_from_slice(&data);
        long.encode(&padded, &mut parities[1]);
        prop_assert_eq!(&parities[0], &parities[1]);
    }
}

fn roots_one_by_one(code: &BchCode, locator: &[u16]) -> Vec<BitIndex> {
    let field = floatgate_model::ecc::Field::of_degree(code.m());
    let n = code.codeword_bits().0;
    let is_root = |position: &u32| {
        let degree = n - 1 - position;
        let root = field.exp((field.order() - degree) % field.order());
        let value = locator.iter().rev().fold(0, |value, &c| field.mul(value, root) ^ c);
        value == 0
    };
    (0..n).filter(is_root).map(BitIndex).collect()
}

#[test]
fn codes_that_do_not_exist_are_refused() {
    let refusal = |m, t, k| BchCode::new(m, Strength(t), BitCount(k)).unwrap_err();
    assert_eq!(refusal(3, 1, 1), CodeError::Field { m: 3 });
    assert_eq!(refusal(17, 1, 1), CodeError::Field { m: 17 });
    assert_eq!(refusal(13, 0, 8), CodeError::Strength { strength: Strength(0) });
    assert_eq!(refusal(16, 256, 8), CodeError::Strength { strength: Strength(256) });
    assert_eq!(refusal(13, 8, 0), CodeError::NoData);
    assert_eq!(
        refusal(13, 24, 7880).to_string(),
        "7880 bit of data and 312 bit of parity are more than the 8191 bit of GF(2^13)"
    );
    assert_eq!(code(13, 24, 7879, Kernels::Detected).codeword_bits(), BitCount(8191));
}

#[test]
fn bits_beyond_the_parity_are_ignored_and_written_zero() {
    for kernels in KERNELS {
        let code = code(13, 1, 64, kernels);
        let mut data = *b"floatgat";
        let mut parity = [0xff; 2];
        code.encode(&data, &mut parity);
        assert_eq!(parity[1] & 0b111, 0);
        parity[1] |= 0b101;
        assert_eq!(code.decode(&mut data, &mut parity), Decoded::Clean);
    }
}
