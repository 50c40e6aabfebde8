//! The RTL against vectors that other implementations made (`model/tests/vectors`).

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use floatgate_cosim::ecc::{Message, Received, RtlDecoder, RtlEncoder, Status};
use floatgate_hal::units::Strength;
use floatgate_model::config::NamedCode;
use rayon::prelude::*;
use serde_json::Value;
use verilated::Stalls;

use crate::codes;

/// A received codeword and what any bounded-distance decoder makes of it.
struct Vector {
    name: String,
    m: u32,
    strength: Strength,
    data: Vec<u8>,
    parity: Vec<u8>,
    flips: Vec<usize>,
    outcome: Outcome,
}

enum Outcome {
    Corrected,
    Uncorrectable,
    /// Taken for another codeword; which bits are flipped, where the file says so.
    Miscorrected(Option<Vec<usize>>),
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("model/tests/vectors")
}

fn hex(value: &Value) -> Vec<u8> {
    let digits = value.as_str().expect("hex digits");
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("hex digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn numbers(value: &Value) -> Vec<usize> {
    value.as_array().expect("positions").iter().map(|n| n.as_u64().unwrap() as usize).collect()
}

/// Every vector of both folders; the two have different field names.
fn vectors() -> Vec<Vector> {
    let mut vectors = Vec::new();
    for dir in ["bch", "more"] {
        let mut files: Vec<PathBuf> =
            fs::read_dir(folder().join(dir)).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        files.sort();
        for path in files {
            let json: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            if let Some(list) = json["vectors"].as_array() {
                vectors.extend(list.iter().map(|vector| of_codec(&name, &json, vector)));
            } else if json["messages"][0].is_object() {
                for message in json["messages"].as_array().unwrap() {
                    let cases = message["cases"].as_array().unwrap();
                    vectors.extend(cases.iter().map(|case| of_case(&name, &json, message, case)));
                }
            }
        }
    }
    vectors
}

fn of_codec(file: &str, json: &Value, vector: &Value) -> Vector {
    let outcome = match vector["status"].as_str().unwrap() {
        "clean" | "corrected" => Outcome::Corrected,
        "uncorrectable" => Outcome::Uncorrectable,
        "miscorrected" => Outcome::Miscorrected(Some(numbers(&vector["wrongly_flipped"]))),
        other => panic!("{file}: status {other}"),
    };
    Vector {
        name: format!("{file} {}", vector["id"].as_str().unwrap()),
        m: json["m"].as_u64().unwrap() as u32,
        strength: Strength(json["t"].as_u64().unwrap() as u16),
        data: hex(&vector["message"]),
        parity: hex(&vector["parity"]),
        flips: numbers(&vector["errors"]),
        outcome,
    }
}

fn of_case(file: &str, json: &Value, message: &Value, case: &Value) -> Vector {
    let outcome = match case["result"].as_str().unwrap() {
        "corrected" => Outcome::Corrected,
        "uncorrectable" => Outcome::Uncorrectable,
        "miscorrected" => Outcome::Miscorrected(None),
        other => panic!("{file}: result {other}"),
    };
    Vector {
        name: format!("{file} {}", case["kind"].as_str().unwrap()),
        m: json["m"].as_u64().unwrap() as u32,
        strength: Strength(json["t"].as_u64().unwrap() as u16),
        data: hex(&message["data"]),
        parity: hex(&message["parity"]),
        flips: numbers(&case["flips"]),
        outcome,
    }
}

/// Flips bits of data and parity, bit 0 being the first of the data.
fn flip(data: &mut [u8], parity: &mut [u8], positions: &[usize]) {
    for &position in positions {
        let (bytes, at) = match position.checked_sub(8 * data.len()) {
            None => (&mut *data, position),
            Some(at) => (&mut *parity, at),
        };
        bytes[at / 8] ^= 0x80 >> (at % 8);
    }
}

/// The vectors that a configuration without CRC can be given.
fn fitting<'a>(code: &NamedCode, vectors: &'a [Vector]) -> Vec<&'a Vector> {
    let config = &code.config;
    let fits = |vector: &&Vector| {
        vector.m == config.m
            && vector.data.len() <= config.k_max_bytes as usize
            && config.strengths().any(|strength| strength == vector.strength)
    };
    if config.crc { Vec::new() } else { vectors.iter().filter(fits).collect() }
}

#[test]
fn parity_is_that_of_other_encoders() {
    let vectors = vectors();
    let checked: usize = codes()
        .par_iter()
        .map(|code| {
            let wanted = fitting(code, &vectors);
            let messages: Vec<Message> = wanted
                .iter()
                .map(|v| Message { strength: v.strength, data: v.data.clone() })
                .collect();
            let mut encoder = RtlEncoder::new(code, 1).unwrap();
            let encoded = encoder.encode(&messages, Stalls::uniform(40, 7)).unwrap();
            for (vector, encoded) in wanted.iter().zip(encoded) {
                assert_eq!(encoded.parity, vector.parity, "{}: {}", code.name, vector.name);
            }
            wanted.len()
        })
        .sum();
    assert!(checked > 1_000, "only {checked} vectors fit");
}

#[test]
fn outcomes_are_those_of_other_decoders() {
    let vectors = vectors();
    let checked: usize = codes()
        .par_iter()
        .map(|code| {
            let wanted = fitting(code, &vectors);
            let received: Vec<Received> = wanted
                .iter()
                .map(|vector| {
                    let (mut message, mut parity) = (vector.data.clone(), vector.parity.clone());
                    flip(&mut message, &mut parity, &vector.flips);
                    Received { strength: vector.strength, message, parity }
                })
                .collect();
            let mut decoder = RtlDecoder::new(code, 1).unwrap();
            let decoded = decoder.decode(&received, Stalls::uniform(40, 7)).unwrap();
            for ((vector, received), decoded) in wanted.iter().zip(&received).zip(decoded) {
                let place = format!("{}: {}", code.name, vector.name);
                check(&place, vector, received, decoded.status, &decoded.data);
            }
            wanted.len()
        })
        .sum();
    assert!(checked > 1_000, "only {checked} vectors fit");
}

fn check(place: &str, vector: &Vector, received: &Received, status: Status, data: &[u8]) {
    match &vector.outcome {
        Outcome::Corrected => {
            let corrected_bits = vector.flips.len() as u8;
            assert_eq!(status, Status::Ok { corrected_bits }, "{place}");
            assert_eq!(data, vector.data, "{place}");
        }
        Outcome::Uncorrectable => assert_eq!(status, Status::Uncorrectable, "{place}"),
        Outcome::Miscorrected(flipped) => {
            assert!(matches!(status, Status::Ok { .. }), "{place}: {status:?}");
            assert_ne!(data, vector.data, "{place}");
            if let Some(flipped) = flipped {
                let mut expected = received.clone();
                flip(&mut expected.message, &mut expected.parity, flipped);
                assert_eq!(data, expected.message, "{place}");
            }
        }
    }
}

/// The same messages at every strength, the strengths in turn, without a pause.
#[test]
fn parity_of_every_strength_is_that_of_other_encoders() {
    let mut checked = 0;
    for code in codes().iter().filter(|code| !code.config.crc) {
        let config = &code.config;
        let file =
            format!("bch/prog_m{}_d{}B_t1_{}.json", config.m, config.k_max_bytes, config.t_max);
        let Ok(text) = fs::read(folder().join(file)) else { continue };
        let json: Value = serde_json::from_slice(&text).unwrap();
        let messages: Vec<Vec<u8>> = json["messages"].as_array().unwrap().iter().map(hex).collect();
        let by_t: HashMap<u16, Vec<Vec<u8>>> = json["by_t"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(t, entry)| {
                let parity = entry["parity"].as_array().unwrap().iter().map(hex).collect();
                (t.parse().unwrap(), parity)
            })
            .collect();
        let mut order: Vec<(u16, usize)> = config
            .strengths()
            .flat_map(|t| (0..messages.len()).map(move |message| (t.0, message)))
            .collect();
        order.sort_by_key(|&(t, message)| (message, t % 7, t));
        let sent: Vec<Message> = order
            .iter()
            .map(|&(t, message)| Message { strength: Strength(t), data: messages[message].clone() })
            .collect();
        let encoded = RtlEncoder::new(code, 1).unwrap().encode(&sent, Stalls::default()).unwrap();
        for (&(t, message), encoded) in order.iter().zip(encoded) {
            assert_eq!(encoded.parity, by_t[&t][message], "{} t = {t}", code.name);
            checked += 1;
        }
    }
    assert!(checked > 300, "only {checked} codewords");
}

/// The (23, 8) code of strength 3: all messages, and every error pattern of weight up to 4.
#[test]
fn small_code_is_right_on_every_pattern() {
    let text = fs::read(folder().join("bch/exh_m5_n23_k8_t3.json")).unwrap();
    let json: Value = serde_json::from_slice(&text).unwrap();
    let code = crate::code("n23-m5-t3");
    let strength = Strength(3);
    // The file gives the 15 bits of the parity as a number; in bytes they stand to the left.
    let left_aligned = |number: &Value| {
        let bits = u16::from_str_radix(number.as_str().unwrap(), 16).unwrap() << 1;
        bits.to_be_bytes().to_vec()
    };
    let parities: Vec<Vec<u8>> =
        json["parity_by_message"].as_array().unwrap().iter().map(left_aligned).collect();
    let messages: Vec<Message> =
        (0..=255).map(|byte| Message { strength, data: vec![byte] }).collect();
    let encoded = RtlEncoder::new(&code, 1).unwrap().encode(&messages, Stalls::default()).unwrap();
    for (message, encoded) in messages.iter().zip(&encoded) {
        assert_eq!(encoded.parity, parities[usize::from(message.data[0])], "{message:?}");
    }
    let patterns = json["patterns_pos_result"].as_array().unwrap();
    let received: Vec<Received> = patterns
        .iter()
        .enumerate()
        .map(|(index, pattern)| {
            let byte = (index % 256) as u8;
            let mut message = vec![byte];
            let mut parity = parities[usize::from(byte)].clone();
            flip(&mut message, &mut parity, &numbers(&pattern[0]));
            Received { strength, message, parity }
        })
        .collect();
    let decoded = RtlDecoder::new(&code, 1).unwrap().decode(&received, Stalls::default()).unwrap();
    for ((pattern, received), decoded) in patterns.iter().zip(&received).zip(decoded) {
        if pattern[1].is_null() {
            assert_eq!(decoded.status, Status::Uncorrectable, "{pattern}");
            continue;
        }
        let flipped = numbers(&pattern[1]);
        let mut expected = received.clone();
        flip(&mut expected.message, &mut expected.parity, &flipped);
        let corrected_bits = flipped.len() as u8;
        assert_eq!(decoded.status, Status::Ok { corrected_bits }, "{pattern}");
        assert_eq!(decoded.data, expected.message, "{pattern}");
    }
    assert_eq!(patterns.len(), 1 + 23 + 253 + 1771 + 8855);
}

/// Every single error of the 512 B code of strength 2, and double errors that cover each position.
#[test]
fn every_single_error_is_corrected() {
    let code = crate::code("b512-m13-t24");
    let strength = Strength(2);
    let data: Vec<u8> = (0..512_u32).map(|i| (i * 37 + 11) as u8).collect();
    let message = Message { strength, data: data.clone() };
    let encoded = RtlEncoder::new(&code, 1).unwrap().encode(&[message], Stalls::default()).unwrap();
    let parity = encoded[0].parity.clone();
    let bits = 8 * 512 + 26;
    (0..8_usize).into_par_iter().for_each(|part| {
        let mut decoder = RtlDecoder::new(&code, 1).unwrap();
        let positions: Vec<usize> = (part..bits).step_by(8).collect();
        for batch in positions.chunks(64) {
            let second = |position: usize| (position * 2741 + 977) % bits;
            let errors = |position: usize| match second(position) == position {
                true => vec![position],
                false => vec![position, second(position)],
            };
            let cases: Vec<Vec<usize>> =
                batch.iter().flat_map(|&position| [vec![position], errors(position)]).collect();
            let received: Vec<Received> = cases
                .iter()
                .map(|flips| {
                    let (mut message, mut parity) = (data.clone(), parity.clone());
                    flip(&mut message, &mut parity, flips);
                    Received { strength, message, parity }
                })
                .collect();
            let decoded = decoder.decode(&received, Stalls::default()).unwrap();
            for (flips, decoded) in cases.iter().zip(decoded) {
                let corrected_bits = flips.len() as u8;
                assert_eq!(decoded.status, Status::Ok { corrected_bits }, "{flips:?}");
                assert_eq!(decoded.data, data, "{flips:?}");
            }
        }
    });
}
