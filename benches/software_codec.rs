//! The software codec against the Linux kernel's, in one process, on one thread: the codes of the
//! published comparison, encoding and decoding at 0, 1, t/2 and t errors.
//!
//! Both decode in place from the same received words; each figure is the best of many rounds over
//! 64 codewords, the two codecs taking turns of a few rounds. Both must restore every codeword.
//! The argument `narrow` or `portable` limits what ours uses of the processor.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use floatgate_hal::units::{BitCount, Strength};
use floatgate_model::ecc::{BchCode, BitIndex, Decoded, Kernels};
use rand::seq::index;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

use self::kernel::KernelCodec;

/// Field degree, data bytes, strength.
const CODES: [(u32, usize, u16); 13] = [
    (13, 512, 1),
    (13, 512, 4),
    (13, 512, 8),
    (13, 512, 12),
    (13, 512, 16),
    (13, 512, 24),
    (14, 1024, 8),
    (14, 1024, 24),
    (14, 1024, 40),
    (15, 2048, 12),
    (15, 2048, 40),
    (15, 3072, 12),
    (15, 3072, 40),
];
const CODEWORDS: usize = 64;
const TURNS: usize = 12;
const ROUNDS: usize = 5;
/// How much faster than the kernel's the codec is meant to be.
const GOAL: f64 = 4.0;

fn main() -> ExitCode {
    let asks = |name| std::env::args().any(|argument| argument == name);
    let kernels = match (asks("portable"), asks("narrow")) {
        (true, _) => Kernels::Portable,
        (_, true) => Kernels::Narrow,
        _ => Kernels::Detected,
    };
    let library = match build_library() {
        Ok(library) => library,
        Err(error) => {
            eprintln!("software_codec: cannot build the kernel's codec: {error}");
            return ExitCode::FAILURE;
        }
    };
    println!("ns per codeword: ours ({kernels:?}) / the Linux kernel's = times faster");
    println!(
        "{:>2} {:>5} {:>3}  {:>22} {:>22} {:>22} {:>22} {:>22}",
        "m", "bytes", "t", "encode", "decode e=0", "e=1", "e=t/2", "e=t"
    );
    let mut short = 0;
    for (m, data_len, t) in CODES {
        print!("{m:>2} {data_len:>5} {t:>3} ");
        let mut pair = Pair::new(&library, kernels, m, data_len, t);
        let mut cells = vec![Some(pair.encode())];
        for (errors, repeats) in [(0, false), (1, false), (t / 2, t < 4), (t, t == 1)] {
            cells.push((!repeats).then(|| pair.decode(usize::from(errors))));
        }
        for cell in cells {
            print!(" {:>22}", cell.map_or("-".to_owned(), |cell| cell.to_string()));
            short += usize::from(cell.is_some_and(|cell| cell.ratio() < GOAL));
        }
        println!();
    }
    println!("{short} figures below {GOAL} (marked *)");
    ExitCode::SUCCESS
}

/// Times of one operation, in nanoseconds per codeword.
#[derive(Clone, Copy)]
struct Cell {
    ours: f64,
    kernel: f64,
}

impl Cell {
    fn ratio(self) -> f64 {
        self.kernel / self.ours
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mark = if self.ratio() < GOAL { "*" } else { "" };
        let Cell { ours, kernel } = self;
        f.pad(&format!("{ours:.0} / {kernel:.0} = {:.1}{mark}", self.ratio()))
    }
}

/// Both codecs of one code, and codewords that they agree on.
struct Pair {
    ours: BchCode,
    kernel: KernelCodec,
    rng: ChaCha8Rng,
    sent: Vec<Codeword>,
}

#[derive(Clone, PartialEq, Eq)]
struct Codeword {
    data: Vec<u8>,
    parity: Vec<u8>,
}

impl Pair {
    fn new(library: &Path, kernels: Kernels, m: u32, data_len: usize, t: u16) -> Self {
        let data = BitCount(8 * data_len as u32);
        let ours = BchCode::with_kernels(m, Strength(t), data, kernels).expect("a code");
        let kernel = KernelCodec::new(library, m, u32::from(t));
        let mut rng = ChaCha8Rng::seed_from_u64(u64::from(m) << 32 | u64::from(t));
        let sent = (0..CODEWORDS).map(|_| {
            let mut data = vec![0; data_len];
            rng.fill_bytes(&mut data);
            let mut parity = vec![0; ours.parity_len()];
            ours.encode(&data, &mut parity);
            let mut kernels = vec![0; parity.len()];
            kernel.encode(&data, &mut kernels);
            assert_eq!(parity, kernels, "parities differ");
            Codeword { data, parity }
        });
        let sent = sent.collect();
        Self { ours, kernel, rng, sent }
    }

    fn encode(&mut self) -> Cell {
        let Self { ours, kernel, sent, .. } = self;
        let mut parities = [vec![0; ours.parity_len()], vec![0; ours.parity_len()]];
        let [parity, kernels] = &mut parities;
        take_turns(
            || sent.iter().for_each(|word| ours.encode(&word.data, parity)),
            || sent.iter().for_each(|word| kernel.encode(&word.data, kernels)),
            |_| (),
        )
    }

    fn decode(&mut self, errors: usize) -> Cell {
        let n = self.ours.codeword_bits().0 as usize;
        let mut received = self.sent.clone();
        for word in &mut received {
            let flips = index::sample(&mut self.rng, n, errors).into_iter();
            let flips: Vec<_> = flips.map(|at| BitIndex(at as u32)).collect();
            self.ours.flip(&mut word.data, &mut word.parity, &flips);
        }
        let ours = std::cell::RefCell::new(received.clone());
        let kernels = std::cell::RefCell::new(received.clone());
        take_turns(
            || {
                for Codeword { data, parity } in ours.borrow_mut().iter_mut() {
                    assert!(self.ours.decode(data, parity) != Decoded::Uncorrectable);
                }
            },
            || {
                for Codeword { data, parity } in kernels.borrow_mut().iter_mut() {
                    assert_eq!(self.kernel.decode(data, parity), errors as i32);
                }
            },
            |codec| {
                let words = [&ours, &kernels][codec];
                assert!(*words.borrow() == self.sent, "codec {codec} did not restore");
                words.borrow_mut().clone_from(&received);
            },
        )
    }
}

/// Best times of the two, which take turns of several rounds; `restore` comes after each round.
fn take_turns(
    mut ours: impl FnMut(),
    mut kernel: impl FnMut(),
    mut restore: impl FnMut(usize),
) -> Cell {
    let mut best = [Duration::MAX; 2];
    let mut time = |codec: usize, round: &mut dyn FnMut()| {
        for _ in 0..ROUNDS {
            let start = Instant::now();
            round();
            best[codec] = best[codec].min(start.elapsed());
            restore(codec);
        }
    };
    for _ in 0..TURNS {
        time(0, &mut ours);
        time(1, &mut kernel);
    }
    let [ours, kernel] = best.map(|time| time.as_nanos() as f64 / CODEWORDS as f64);
    Cell { ours, kernel }
}

fn build_library() -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bchlib");
    let script = root.join("benches/bchlib.sh");
    let output = Command::new(&script)
        .arg(&folder)
        .output()
        .map_err(|error| format!("{}: {error}", script.display()))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// The kernel's codec through its C interface.
mod kernel {
    #![expect(unsafe_code, reason = "calls into C")]

    use std::ffi::{c_int, c_uint, c_void};
    use std::path::Path;
    use std::ptr::{NonNull, null};

    use libloading::Library;

    type Init = unsafe extern "C" fn(c_int, c_int, c_uint, bool) -> *mut c_void;
    type Free = unsafe extern "C" fn(*mut c_void);
    type Encode = unsafe extern "C" fn(*mut c_void, *const u8, c_uint, *mut u8);
    type Decode = unsafe extern "C" fn(
        *mut c_void,
        *const u8,
        c_uint,
        *const u8,
        *const u8,
        *const c_uint,
        *mut c_uint,
    ) -> c_int;

    pub(crate) struct KernelCodec {
        control: NonNull<c_void>,
        strength: usize,
        free: Free,
        encode: Encode,
        decode: Decode,
        /// Keeps the functions mapped.
        _library: Library,
    }

    impl KernelCodec {
        pub(crate) fn new(path: &Path, m: u32, t: u32) -> Self {
            // SAFETY: the library is bch.c alone, which runs nothing when loaded, and the types are
            // those of bch.h.
            unsafe {
                let library = Library::new(path).expect("the library loads");
                let init: Init = *library.get(b"bch_init").expect("bch_init");
                let free = *library.get(b"bch_free").expect("bch_free");
                let encode = *library.get(b"bch_encode").expect("bch_encode");
                let decode = *library.get(b"bch_decode").expect("bch_decode");
                let control = NonNull::new(init(m as c_int, t as c_int, 0, false));
                let control = control.expect("the kernel has this code");
                Self { control, strength: t as usize, free, encode, decode, _library: library }
            }
        }

        pub(crate) fn encode(&self, data: &[u8], parity: &mut [u8]) {
            // The codec goes on from the parity it is given.
            parity.fill(0);
            // SAFETY: the slices outlive the call and have the lengths of the code.
            unsafe {
                let length = data.len() as c_uint;
                (self.encode)(self.control.as_ptr(), data.as_ptr(), length, parity.as_mut_ptr());
            }
        }

        /// Corrects in place; the number of errors, or a negative number.
        pub(crate) fn decode(&self, data: &mut [u8], parity: &mut [u8]) -> i32 {
            let mut positions = [0; 64];
            assert!(self.strength <= positions.len());
            // SAFETY: the slices outlive the call and have the lengths of the code; there is room
            // for as many positions as the strength.
            let count = unsafe {
                (self.decode)(
                    self.control.as_ptr(),
                    data.as_ptr(),
                    data.len() as c_uint,
                    parity.as_ptr(),
                    null(),
                    null(),
                    positions.as_mut_ptr(),
                )
            };
            for &position in positions.iter().take(count.max(0) as usize) {
                // Bytes in order, bits from the least significant.
                let (byte, bit) = (position as usize / 8, position % 8);
                match byte.checked_sub(data.len()) {
                    None => data[byte] ^= 1 << bit,
                    Some(byte) => parity[byte] ^= 1 << bit,
                }
            }
            count
        }
    }

    impl Drop for KernelCodec {
        fn drop(&mut self) {
            // SAFETY: the control block comes from bch_init and is used no more.
            unsafe { (self.free)(self.control.as_ptr()) }
        }
    }
}
