//! Parity, verdicts, flips and syndromes of the Linux kernel's codec and of galois.

use floatgate_model::ecc::{BchCode, Decoded};

use super::vectors::{
    CodecFile, CodecVector, KERNELS, MoreFile, ProgrammableFile, Status, bytes, code, files,
    generator_hex, positions,
};

#[test]
fn codec_vectors() {
    let mut seen = [0; 4];
    for (name, file) in files::<CodecFile>("bch", "bch_") {
        for kernels in KERNELS {
            let code = code(file.m, file.t, file.data_bits, kernels);
            assert_eq!(code.parity_bits().0, file.parity_bits, "{name}");
            assert_eq!(generator_hex(&code), file.generator_poly, "{name}");
            for vector in &file.vectors {
                check_codec_vector(&code, vector, &format!("{name} {} {kernels:?}", vector.id));
                seen[vector.status as usize] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "a status without vectors: {seen:?}");
}

fn check_codec_vector(code: &BchCode, vector: &CodecVector, place: &str) {
    let (sent, sent_parity) = (bytes(&vector.message), bytes(&vector.parity));
    let mut parity = vec![0xff; code.parity_len()];
    code.encode(&sent, &mut parity);
    assert_eq!(parity, sent_parity, "{place}: parity");

    let mut data = sent.clone();
    code.flip(&mut data, &mut parity, &positions(&vector.errors));
    let syndromes: Vec<String> =
        code.odd_syndromes(&data, &parity).iter().map(|s| format!("{s:x}")).collect();
    assert_eq!(syndromes, vector.syndromes_odd, "{place}: syndromes");

    let (received, received_parity) = (data.clone(), parity.clone());
    let decoded = code.decode(&mut data, &mut parity);
    let flipped = match vector.status {
        Status::Clean | Status::Corrected => &vector.errors,
        Status::Miscorrected => &vector.wrongly_flipped,
        Status::Uncorrectable => {
            assert_eq!(decoded, Decoded::Uncorrectable, "{place}");
            assert_eq!((data, parity), (received, received_parity), "{place}: touched");
            return;
        }
    };
    let mut flipped = flipped.clone();
    flipped.sort_unstable();
    assert_eq!(Some(flipped.len()), vector.nerr, "{place}");
    if flipped.is_empty() {
        assert_eq!(decoded, Decoded::Clean, "{place}");
    } else {
        assert_eq!(decoded, Decoded::Corrected { positions: positions(&flipped) }, "{place}");
    }
    if vector.status != Status::Miscorrected {
        assert_eq!((data, parity), (sent, sent_parity), "{place}: not restored");
    }
}

#[test]
fn every_strength_on_the_same_data() {
    for (name, file) in files::<ProgrammableFile>("bch", "prog_") {
        for (&t, expected) in &file.by_t {
            for kernels in KERNELS {
                let code = code(file.m, t, 8 * file.data_bytes, kernels);
                assert_eq!(code.parity_bits().0, expected.parity_bits, "{name} t={t}");
                if let Some(generator) = &expected.generator_poly {
                    assert_eq!(&generator_hex(&code), generator, "{name} t={t}");
                }
                for (message, hex) in file.messages.iter().zip(&expected.parity) {
                    let mut parity = vec![0; code.parity_len()];
                    code.encode(&bytes(message), &mut parity);
                    assert_eq!(parity, bytes(hex), "{name} t={t} {kernels:?}");
                }
            }
        }
    }
}

#[test]
fn other_lengths_and_the_largest_field() {
    for (name, file) in files::<MoreFile>("more", "m") {
        for kernels in KERNELS {
            let code = code(file.m, file.t, 8 * file.data_bytes, kernels);
            assert_eq!(code.parity_bits().0, file.parity_bits, "{name}");
            assert_eq!(generator_hex(&code), file.generator, "{name}");
            for message in &file.messages {
                let (sent, sent_parity) = (bytes(&message.data), bytes(&message.parity));
                let mut parity = vec![0; code.parity_len()];
                code.encode(&sent, &mut parity);
                assert_eq!(parity, sent_parity, "{name} {kernels:?}");
                for case in &message.cases {
                    let place = format!("{name} {} {:?} {kernels:?}", case.kind, case.flips);
                    let (mut data, mut parity) = (sent.clone(), sent_parity.clone());
                    code.flip(&mut data, &mut parity, &positions(&case.flips));
                    let count = match code.decode(&mut data, &mut parity) {
                        Decoded::Clean => Some(0),
                        Decoded::Corrected { positions } => Some(positions.len()),
                        Decoded::Uncorrectable => None,
                    };
                    assert_eq!(count, case.count, "{place}");
                    let restored = (&data, &parity) == (&sent, &sent_parity);
                    assert_eq!(restored, case.result == Status::Corrected, "{place}");
                }
            }
        }
    }
}
