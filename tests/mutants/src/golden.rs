//! Golden vectors of independent implementations (`model/tests/vectors`) for the small
//! elaborations that have some.

use std::fs;
use std::path::Path;

use floatgate_cosim::ecc::{Message, Received, RtlDecoder, RtlEncoder, Status, Top};
use floatgate_model::config::NamedCode;
use serde::Deserialize;
use verilated::Stalls;

use crate::table::Elaboration;

/// `bch/bch_*.json`
#[derive(Deserialize)]
struct CodecFile {
    t: u16,
    vectors: Vec<CodecVector>,
}

#[derive(Deserialize)]
struct CodecVector {
    message: String,
    parity: String,
    errors: Vec<usize>,
    status: String,
    nerr: Option<u8>,
    #[serde(default)]
    wrongly_flipped: Vec<usize>,
}

/// `bch/exh_*.json`
#[derive(Deserialize)]
struct ExhaustiveFile {
    t: u16,
    k: usize,
    n: usize,
    parity_by_message: Vec<String>,
    patterns_pos_result: Vec<(Vec<usize>, Option<Vec<usize>>)>,
}

/// A codeword to encode, to corrupt, and what the decoder must make of it.
struct Vector {
    message: Vec<u8>,
    parity: Vec<u8>,
    errors: Vec<usize>,
    /// What the decoder flips; none where it must detect.
    flips: Option<Vec<usize>>,
}

/// Compares the RTL with the vectors.
pub(crate) fn check(
    elaboration: Elaboration,
    code: &NamedCode,
    tops: &[Top],
) -> Result<(), String> {
    let (t, vectors) = match elaboration {
        Elaboration::Narrow | Elaboration::Fixed => codec_vectors(),
        Elaboration::Tiny => exhaustive_vectors(),
        Elaboration::Wide => return Ok(()),
    };
    let strength = floatgate_hal::units::Strength(t);
    if tops.contains(&Top::Encoder) {
        let messages: Vec<Message> =
            vectors.iter().map(|v| Message { strength, data: v.message.clone() }).collect();
        let encoded = RtlEncoder::new(code, 1)
            .and_then(|mut encoder| encoder.encode(&messages, Stalls::default()))
            .map_err(|error| error.to_string())?;
        if let Some(at) = vectors.iter().zip(&encoded).position(|(v, rtl)| v.parity != rtl.parity) {
            return Err(format!("vector {at}: parity {:02x?}", encoded[at].parity));
        }
    }
    if tops.contains(&Top::Decoder) {
        let received: Vec<Received> = vectors
            .iter()
            .map(|v| {
                let (message, parity) = flipped(&v.message, &v.parity, &v.errors);
                Received { strength, message, parity }
            })
            .collect();
        let corrected = RtlDecoder::new(code, 1)
            .and_then(|mut decoder| decoder.decode(&received, Stalls::default()))
            .map_err(|error| error.to_string())?;
        for (at, (v, rtl)) in vectors.iter().zip(&corrected).enumerate() {
            let status = match &v.flips {
                Some(flips) => Status::Ok { corrected_bits: flips.len() as u8 },
                None => Status::Uncorrectable,
            };
            if rtl.status != status {
                return Err(format!("vector {at}: status {:?}, not {status:?}", rtl.status));
            }
            let Some(flips) = &v.flips else { continue };
            let Received { message, parity, .. } = &received[at];
            if rtl.data != flipped(message, parity, flips).0 {
                return Err(format!("vector {at}: data {:02x?}", rtl.data));
            }
        }
    }
    Ok(())
}

fn codec_vectors() -> (u16, Vec<Vector>) {
    let file: CodecFile = read("bch_m8_d16B_t4.json");
    let vector = |v: CodecVector| {
        let flips = match v.status.as_str() {
            "uncorrectable" => None,
            "miscorrected" => Some(v.wrongly_flipped),
            _ => Some(v.errors.clone()),
        };
        if let (Some(flips), Some(count)) = (&flips, v.nerr) {
            assert_eq!(flips.len(), usize::from(count), "the vector agrees with itself");
        }
        Vector { message: bytes(&v.message), parity: bytes(&v.parity), errors: v.errors, flips }
    };
    (file.t, file.vectors.into_iter().map(vector).collect())
}

/// Every message, and every error pattern of weight 0 to t + 1, the messages taking turns.
fn exhaustive_vectors() -> (u16, Vec<Vector>) {
    let file: ExhaustiveFile = read("exh_m5_n23_k8_t3.json");
    let fill = (file.n - file.k).next_multiple_of(8) - (file.n - file.k);
    let vectors =
        file.patterns_pos_result.into_iter().enumerate().map(|(index, (errors, flips))| {
            let message = index % file.parity_by_message.len();
            let parity = u16::from_str_radix(&file.parity_by_message[message], 16).expect("hex");
            let parity = (parity << fill).to_be_bytes().to_vec();
            Vector { message: vec![message as u8], parity, errors, flips }
        });
    (file.t, vectors.collect())
}

fn flipped(message: &[u8], parity: &[u8], positions: &[usize]) -> (Vec<u8>, Vec<u8>) {
    let mut codeword = [message, parity].concat();
    positions.iter().for_each(|position| codeword[position / 8] ^= 0x80 >> (position % 8));
    let parity = codeword.split_off(message.len());
    (codeword, parity)
}

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex");
    (0..hex.len()).step_by(2).map(byte).collect()
}

fn read<T: for<'a> Deserialize<'a>>(name: &str) -> T {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../model/tests/vectors/bch");
    let text = fs::read_to_string(dir.join(name)).expect("the golden vectors are there");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}
