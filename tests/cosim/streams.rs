//! What the streams must bear beyond stalls: a reset in the middle of a codeword, statuses that
//! nobody takes, and commands of every kind in a row.

use floatgate_cosim::ecc::stimulus::GoldenCodes;
use floatgate_cosim::ecc::{Message, Received, RtlDecoder, RtlEncoder, Status};
use floatgate_hal::units::Strength;
use floatgate_model::config::NamedCode;
use floatgate_model::ecc::BitIndex;
use verilated::{Batch, Command, Stall, Stalls};

use crate::code;

fn message(code: &NamedCode, t: u16) -> Message {
    let bytes = code.config.k_max_bytes as usize;
    Message { strength: Strength(t), data: (0..bytes).map(|i| (i * 7 + 3) as u8).collect() }
}

/// The message's codeword with errors at its first `errors` odd bits.
fn received(code: &NamedCode, message: &Message, errors: u32) -> Received {
    let mut golden = GoldenCodes::new(&code.config);
    let mut received = golden.received(message);
    let positions: Vec<BitIndex> = (0..errors).map(|i| BitIndex(2 * i + 1)).collect();
    golden.flip(&mut received, &positions);
    received
}

/// Clocks at which the reset comes: among the data, in the parity, in the key equation, in the
/// search, and while words go out.
const RESET_CLOCKS: [u64; 6] = [3, 200, 514, 560, 800, 1_100];

#[test]
fn decoder_starts_anew_after_a_reset_anywhere() {
    let code = code("b512-m13-t24");
    let message = message(&code, 8);
    let received = received(&code, &message, 8);
    let command = Command { strength: 8, bytes: 512 };
    let words: Vec<u64> =
        received.message.iter().chain(&received.parity).map(|&byte| byte.into()).collect();
    for clocks in RESET_CLOCKS {
        let mut decoder = RtlDecoder::new(&code, clocks).unwrap();
        let commands = [command];
        let batch = Batch { limit_clocks: Some(clocks), ..Batch::new(&commands, &words) };
        let cut = decoder.model().stream(&batch).unwrap();
        assert!(!cut.complete, "{clocks} clocks are not a whole codeword");
        decoder.model().reset(1).unwrap();
        let decoded =
            decoder.decode(&[received.clone(), received.clone()], Stalls::default()).unwrap();
        for decoded in decoded {
            assert_eq!(decoded.status, Status::Ok { corrected_bits: 8 }, "after {clocks} clocks");
            assert_eq!(decoded.data, message.data, "after {clocks} clocks");
        }
    }
}

#[test]
fn encoder_starts_anew_after_a_reset_anywhere() {
    let code = code("b512-m13-t24");
    let message = message(&code, 24);
    let expected = received(&code, &message, 0);
    let words: Vec<u64> = message.data.iter().map(|&byte| byte.into()).collect();
    for clocks in [3, 200, 514, 530] {
        let mut encoder = RtlEncoder::new(&code, clocks).unwrap();
        let commands = [Command { strength: 24, bytes: 512 }];
        let batch = Batch { limit_clocks: Some(clocks), ..Batch::new(&commands, &words) };
        assert!(!encoder.model().stream(&batch).unwrap().complete);
        encoder.model().reset(1).unwrap();
        let encoded = encoder.encode(std::slice::from_ref(&message), Stalls::default()).unwrap();
        assert_eq!(encoded[0].parity, expected.parity, "after {clocks} clocks");
    }
}

/// A status that is not taken holds the pipeline, and loses nothing.
#[test]
fn statuses_may_wait() {
    let code = code("b512-m13-t24");
    let message = message(&code, 4);
    let codewords: Vec<Received> =
        (0..6).map(|errors| received(&code, &message, errors % 5)).collect();
    let stalls = Stalls { status: Stall { per_256: 255, seed: 5 }, ..Stalls::default() };
    let mut decoder = RtlDecoder::new(&code, 1).unwrap();
    let decoded = decoder.decode(&codewords, stalls).unwrap();
    for (errors, decoded) in decoded.iter().enumerate() {
        let corrected_bits = (errors % 5) as u8;
        assert_eq!(decoded.status, Status::Ok { corrected_bits });
        assert_eq!(decoded.data, message.data);
    }
}

#[test]
fn rejected_commands_take_no_words() {
    let code = code("k1-m14-t40");
    let good = message(&code, 40);
    let with = |strength, bytes| Message { strength: Strength(strength), data: vec![0x5a; bytes] };
    let messages = [
        with(0, 8),
        good.clone(),
        with(41, 8),
        with(8, 0),
        with(8, 1025),
        good.clone(),
        with(255, 8),
    ];
    let mut encoder = RtlEncoder::new(&code, 1).unwrap();
    let encoded = encoder.encode(&messages, Stalls::default()).unwrap();
    let statuses: Vec<Status> = encoded.iter().map(|encoded| encoded.status).collect();
    let ok = Status::Ok { corrected_bits: 0 };
    let expected = [
        Status::StrengthRange,
        ok,
        Status::StrengthRange,
        Status::LengthZero,
        Status::LengthOver,
        ok,
        Status::StrengthRange,
    ];
    assert_eq!(statuses, expected);
    let parity = received(&code, &good, 0).parity;
    assert_eq!((&encoded[1].parity, &encoded[5].parity), (&parity, &parity));
}

/// A build for one strength refuses all others.
#[test]
fn fixed_build_has_one_strength() {
    let code = code("b512-m13-t8-fixed");
    let messages = [message(&code, 7), message(&code, 8), message(&code, 9)];
    let encoded = RtlEncoder::new(&code, 1).unwrap().encode(&messages, Stalls::default()).unwrap();
    assert_eq!(encoded[0].status, Status::StrengthRange);
    assert_eq!(encoded[1].status, Status::Ok { corrected_bits: 0 });
    assert_eq!(encoded[2].status, Status::StrengthRange);
}
