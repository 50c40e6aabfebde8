//! `floatgate encode` and `floatgate decode`: whole files through the codec.
//!
//! An encoded file is one line of JSON (configuration, strength, length of the data) and then the
//! codewords, each data, CRC where the configuration has it, and parity, in bytes. The last
//! codeword is as short as the rest of the file.

use std::fs;
use std::path::{Path, PathBuf};

use floatgate_cosim::ecc::lockstep::{errors_anywhere, expect};
use floatgate_cosim::ecc::stimulus::GoldenCodes;
use floatgate_cosim::ecc::{Corrected, Message, Passage, Received, RtlDecoder, RtlEncoder, Status};
use floatgate_hal::units::{ByteCount, Strength};
use floatgate_model::config::NamedCode;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use verilated::Stalls;

use crate::exit::{ExitCode, Failure, OrExit};
use crate::project;

/// Codewords that go through the RTL in one call.
const BATCH: usize = 64;

/// Which codec does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Engine {
    /// The SystemVerilog, in Verilator.
    Rtl,
    /// The software codec.
    Model,
}

/// What both commands are told.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Configuration of the codec (see `floatgate codes`)
    #[arg(long)]
    code: String,
    /// Strength: bits corrected in each codeword
    #[arg(short, long)]
    t: u16,
    /// Which codec does the work
    #[arg(long, value_enum, default_value_t = Engine::Rtl)]
    engine: Engine,
    /// Where the result goes [default: FILE.bch; for decode FILE without .bch, with .out]
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Bits to flip in each codeword (after encoding, or before decoding)
    #[arg(long, default_value_t = 0)]
    flip: usize,
    /// Seed of the flipped positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The file
    file: PathBuf,
}

/// First line of an encoded file.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    format: String,
    code: String,
    t: u16,
    bytes: u64,
}

const FORMAT: &str = "floatgate-codewords-1";

/// Encodes a file.
///
/// # Errors
/// What can't be read or written, and a strength that the configuration lacks.
pub(crate) fn encode(options: &Options) -> Result<(), Failure> {
    let code = checked_code(options)?;
    let data = read(&options.file)?;
    if data.is_empty() {
        let line = format!("{}: the file is empty", options.file.display());
        return Err(Failure::new(ExitCode::Input, line));
    }
    let strength = Strength(options.t);
    let messages: Vec<Message> = data
        .chunks(code.config.k_max_bytes as usize)
        .map(|chunk| Message { strength, data: chunk.to_vec() })
        .collect();
    let mut codewords = encode_all(&code, &messages, options.engine)?;
    flip(&code, &mut codewords, options)?;
    let head = Head {
        format: FORMAT.to_owned(),
        code: code.name.clone(),
        t: options.t,
        bytes: data.len() as u64,
    };
    let mut bytes = serde_json::to_vec(&head).expect("plain data");
    bytes.push(b'\n');
    for codeword in &codewords {
        bytes.extend_from_slice(&codeword.message);
        bytes.extend_from_slice(&codeword.parity);
    }
    let output = options.output.clone().unwrap_or_else(|| {
        let mut name = options.file.clone().into_os_string();
        name.push(".bch");
        name.into()
    });
    write(&output, &bytes)?;
    println!(
        "{}: {} bytes in {} codewords of {} at t = {}, {} bytes",
        output.display(),
        data.len(),
        codewords.len(),
        code.name,
        options.t,
        bytes.len()
    );
    Ok(())
}

/// Decodes a file that [`encode`] wrote.
///
/// # Errors
/// Besides those of reading and writing, the first codeword that is not restored.
pub(crate) fn decode(options: &Options) -> Result<(), Failure> {
    let code = checked_code(options)?;
    let (head, mut codewords) = split(&code, options)?;
    flip(&code, &mut codewords, options)?;
    let corrected = decode_all(&code, &codewords, options.engine)?;
    let mut corrected_bits = 0;
    let mut data = Vec::with_capacity(head.bytes as usize);
    let total = corrected.len();
    for (index, corrected) in corrected.iter().enumerate() {
        match corrected.status {
            Status::Ok { corrected_bits: bits } => corrected_bits += usize::from(bits),
            status => {
                let what = match status {
                    Status::CrcMismatch { .. } => "was corrected to other data, as its CRC shows",
                    _ => "has more errors than the code corrects",
                };
                let line = format!(
                    "{}: codeword {index} of {} (data byte {}) {what}; nothing was written",
                    options.file.display(),
                    total,
                    data.len(),
                );
                return Err(Failure::new(ExitCode::Uncorrectable, line));
            }
        }
        data.extend_from_slice(&corrected.data);
    }
    let output = options.output.clone().unwrap_or_else(|| match options.file.extension() {
        Some(extension) if extension == "bch" => options.file.with_extension("out"),
        _ => options.file.with_extension("decoded"),
    });
    write(&output, &data)?;
    println!(
        "{}: {} bytes from {} codewords, {corrected_bits} bits corrected",
        output.display(),
        data.len(),
        codewords.len(),
    );
    Ok(())
}

fn checked_code(options: &Options) -> Result<NamedCode, Failure> {
    let code = project::code(&options.code)?;
    let config = &code.config;
    if !config.strengths().any(|strength| strength.0 == options.t) {
        let range =
            if config.fixed { config.t_max.to_string() } else { format!("1 to {}", config.t_max) };
        let line = format!("t = {}: {} has strengths {range}", options.t, code.name);
        return Err(Failure::new(ExitCode::Input, line));
    }
    Ok(code)
}

/// Takes an encoded file apart.
fn split(code: &NamedCode, options: &Options) -> Result<(Head, Vec<Received>), Failure> {
    let bytes = read(&options.file)?;
    let wrong =
        |what: &str| Failure::new(ExitCode::Input, format!("{}: {what}", options.file.display()));
    let end = bytes.iter().position(|&byte| byte == b'\n').ok_or_else(|| wrong(NO_HEAD))?;
    let head: Head = serde_json::from_slice(&bytes[..end]).map_err(|_| wrong(NO_HEAD))?;
    if head.format != FORMAT {
        return Err(wrong(NO_HEAD));
    }
    if head.code != code.name || head.t != options.t {
        let line = format!("was encoded by {} at t = {}", head.code, head.t);
        return Err(wrong(&line));
    }
    let strength = Strength(options.t);
    let parity_bytes = code.config.parity(strength).0.div_ceil(8) as usize;
    let mut rest = &bytes[end + 1..];
    let mut left = head.bytes as usize;
    let mut codewords = Vec::new();
    while left > 0 {
        let data_bytes = left.min(code.config.k_max_bytes as usize);
        let message_bytes = (code.config.message(ByteCount(data_bytes as u32)).0 / 8) as usize;
        if rest.len() < message_bytes + parity_bytes {
            return Err(wrong(&format!("ends within codeword {}", codewords.len())));
        }
        let (message, tail) = rest.split_at(message_bytes);
        let (parity, tail) = tail.split_at(parity_bytes);
        codewords.push(Received { strength, message: message.into(), parity: parity.into() });
        rest = tail;
        left -= data_bytes;
    }
    if !rest.is_empty() {
        return Err(wrong(&format!("has {} bytes behind its last codeword", rest.len())));
    }
    Ok((head, codewords))
}

const NO_HEAD: &str = "is not a file that `floatgate encode` wrote";

fn encode_all(
    code: &NamedCode,
    messages: &[Message],
    engine: Engine,
) -> Result<Vec<Received>, Failure> {
    if engine == Engine::Model {
        let mut golden = GoldenCodes::new(&code.config);
        return Ok(messages.iter().map(|message| golden.received(message)).collect());
    }
    let mut encoder = RtlEncoder::new(code, 1).or_exit(ExitCode::Unexpected)?;
    let mut codewords = Vec::with_capacity(messages.len());
    for batch in messages.chunks(BATCH) {
        let encoded = encoder.encode(batch, Stalls::default()).or_exit(ExitCode::Unexpected)?;
        codewords.extend(encoded.into_iter().zip(batch).map(|(encoded, message)| Received {
            strength: message.strength,
            message: encoded.message,
            parity: encoded.parity,
        }));
    }
    Ok(codewords)
}

fn decode_all(
    code: &NamedCode,
    codewords: &[Received],
    engine: Engine,
) -> Result<Vec<Corrected>, Failure> {
    if engine == Engine::Model {
        let mut golden = GoldenCodes::new(&code.config);
        let decoded = codewords.iter().map(|received| {
            let (status, data) = expect(code, &mut golden, received);
            Corrected { status, data, passage: Passage::default() }
        });
        return Ok(decoded.collect());
    }
    let mut decoder = RtlDecoder::new(code, 1).or_exit(ExitCode::Unexpected)?;
    let mut corrected = Vec::with_capacity(codewords.len());
    for batch in codewords.chunks(BATCH) {
        corrected.extend(decoder.decode(batch, Stalls::default()).or_exit(ExitCode::Unexpected)?);
    }
    Ok(corrected)
}

/// Flips bits of every codeword, at positions that the seed decides.
fn flip(code: &NamedCode, codewords: &mut [Received], options: &Options) -> Result<(), Failure> {
    if options.flip == 0 {
        return Ok(());
    }
    let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
    let mut golden = GoldenCodes::new(&code.config);
    for (index, codeword) in codewords.iter_mut().enumerate() {
        let bits = golden.code(codeword.strength, codeword.message.len()).codeword_bits().0;
        if options.flip > bits as usize {
            let line = format!("--flip {}: codeword {index} has {bits} bits", options.flip);
            return Err(Failure::new(ExitCode::Input, line));
        }
        golden.flip(codeword, &errors_anywhere(&mut rng, bits, options.flip));
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let fail = |error| Failure::new(ExitCode::Input, format!("{}: {error}", path.display()));
    fs::read(path).map_err(fail)
}

/// Writes a file whole or not at all.
///
/// # Errors
/// What the system says, with the file.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let fail = |error| Failure::new(ExitCode::Output, format!("{}: {error}", path.display()));
    let mut staging = path.as_os_str().to_owned();
    staging.push(".part");
    let staging = PathBuf::from(staging);
    fs::write(&staging, bytes).and_then(|()| fs::rename(&staging, path)).map_err(|error| {
        // What is left of a failed write; that it can't be removed either is no news.
        let _ = fs::remove_file(&staging);
        fail(error)
    })
}
