//! The codec as a part of the simulated controller: results of the software codec, refusals of the
//! RTL's limits, and time that follows from the clocks.

use floatgate_hal::units::{BitCount, ByteCount, Cycles, Picoseconds, Strength};
use floatgate_hal::{Decoded, Ecc, EccRefusal};
use floatgate_model::config::CodeConfig;
use floatgate_model::ecc::{EccClocks, EccUnit};
use floatgate_model::sim::Simulation;

const CLOCK: Picoseconds = Picoseconds(5000);
/// Made up, so that each is seen in the sums.
const CLOCKS: EccClocks = EccClocks { encode: Cycles(4), decode: Cycles(8), correct: Cycles(6) };

fn config(name: &str) -> CodeConfig {
    let path = format!("{}/../configs/ecc/{name}.ron", env!("CARGO_MANIFEST_DIR"));
    CodeConfig::load(path).unwrap().config
}

/// Runs a process on the codec of a configuration.
fn on<T: 'static>(name: &str, process: impl AsyncFnOnce(EccUnit) -> T + 'static) -> T {
    let mut simulation = Simulation::new(1);
    let unit = EccUnit::new(&simulation.sim(), config(name), CLOCK, CLOCKS);
    simulation.block_on("firmware", async move { process(unit).await }).unwrap()
}

#[test]
fn codewords_are_corrected_with_and_without_crc() {
    for (name, parity_bytes) in [("k1-m14-t40", 70), ("k1-m14-t40-crc", 74)] {
        on(name, async move |unit| {
            let t = Strength(40);
            assert_eq!(unit.parity_bytes(t), ByteCount(parity_bytes));
            let data: Vec<u8> = (0..1024u32).map(|i| ((i * 7) >> 2) as u8).collect();
            let mut parity = vec![0; parity_bytes as usize];
            unit.encode(t, &data, &mut parity).await.unwrap();
            let mut received = data.clone();
            assert_eq!(
                unit.decode(t, &mut received, &parity).await,
                Ok(Decoded::Corrected(BitCount(0)))
            );
            (0..39).for_each(|i| received[i * 26] ^= 1);
            parity[2] ^= 0x80;
            assert_eq!(
                unit.decode(t, &mut received, &parity).await,
                Ok(Decoded::Corrected(BitCount(40)))
            );
            assert_eq!(received, data);
            (0..200).for_each(|i| received[i * 5] ^= 0x11);
            assert_eq!(unit.decode(t, &mut received, &parity).await, Ok(Decoded::Uncorrectable));
        });
    }
}

/// The tiny code of strength 3 takes many words of more errors for other codewords; with a CRC the
/// unit says so, and never gives other data for the right ones.
#[test]
fn a_crc_tells_miscorrection() {
    let mut tiny = config("n23-m5-t3");
    assert!(!tiny.crc);
    tiny = CodeConfig { m: 7, k_max_bytes: 4, t_max: 2, crc: true, ..tiny };
    let mut simulation = Simulation::new(1);
    let unit = EccUnit::new(&simulation.sim(), tiny, CLOCK, CLOCKS);
    let run = async move {
        let t = Strength(2);
        let data = [0x12, 0x34, 0x56, 0x78];
        let mut parity = vec![0; unit.parity_bytes(t).0 as usize];
        unit.encode(t, &data, &mut parity).await.unwrap();
        let mut verdicts = [0; 3];
        for i in 0..400u32 {
            let received = u32::from_be_bytes(data) ^ 0x8040_0101u32.rotate_left(i) ^ i << 3;
            let mut bytes = received.to_be_bytes();
            match unit.decode(t, &mut bytes, &parity).await.unwrap() {
                Decoded::Corrected(_) => {
                    assert_eq!(bytes, data);
                    verdicts[0] += 1;
                }
                Decoded::Uncorrectable => verdicts[1] += 1,
                Decoded::Miscorrected => verdicts[2] += 1,
            }
        }
        verdicts
    };
    let [_, uncorrectable, miscorrected] = simulation.block_on("firmware", run).unwrap();
    assert!(uncorrectable > 0 && miscorrected > 0, "{uncorrectable} and {miscorrected}");
}

#[test]
fn requests_beyond_the_rtl_are_refused() {
    on("b512-m13-t8-fixed", async |unit| {
        let (mut data, mut parity) = (vec![0; 513], vec![0; 13]);
        let long = unit.encode(Strength(8), &data, &mut parity).await;
        assert_eq!(long, Err(EccRefusal::Length(ByteCount(513))));
        let none = unit.decode(Strength(8), &mut [], &parity).await;
        assert_eq!(none, Err(EccRefusal::Length(ByteCount(0))));
        for t in [0, 7, 9] {
            let wrong = unit.decode(Strength(t), &mut data[..512], &parity).await;
            assert_eq!(wrong, Err(EccRefusal::Strength(Strength(t))));
        }
    });
}

/// 1 KiB at strength 40: 1024 data and 70 parity words of 8 bits in, 1024 out; the key equation has
/// 1 + 40 (ceil(41 / 2) + 1) + 1 = 882 clocks by its own formula.
#[test]
fn time_is_that_of_words_and_key_equation() {
    on("k1-m14-t40", async |unit| {
        let (t, length) = (Strength(40), ByteCount(1024));
        let Cycles(key_equation) = config("k1-m14-t40").key_equation(t);
        assert_eq!(unit.encode_clocks(t, length), Cycles(1094 + 4));
        let clocks = |wrong| unit.decode_clocks(t, length, BitCount(wrong));
        assert_eq!(clocks(0), Cycles(1094 + 8 + 1024));
        assert_eq!(clocks(1), Cycles(1094 + key_equation + 6 + 1024));
        // An error in the second word of the parity.
        assert_eq!(clocks(8192 + 9), Cycles(1094 + key_equation + 6 + 1026));
    });
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let unit = EccUnit::new(&sim, config("k1-m14-t40"), CLOCK, CLOCKS);
    let clock = sim.clone();
    let taken = async move {
        let (mut data, mut parity) = (vec![0; 1024], vec![0; 70]);
        unit.encode(Strength(40), &data, &mut parity).await.unwrap();
        let encoded = clock.now();
        data[0] = 1;
        unit.decode(Strength(40), &mut data, &parity).await.unwrap();
        let decoded = Picoseconds(clock.now().0 - encoded.0);
        let clocks = unit.decode_clocks(Strength(40), ByteCount(1024), BitCount(1));
        (encoded, decoded, clocks)
    };
    let (encoded, decoded, clocks) = simulation.block_on("firmware", taken).unwrap();
    assert_eq!(encoded, Picoseconds(1098 * CLOCK.0));
    assert_eq!(decoded, Picoseconds(clocks.0 * CLOCK.0));
}

/// Two codewords at once: the second enters while the first is searched.
#[test]
fn codewords_follow_each_other_through_the_stages() {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let unit = EccUnit::new(&sim, config("k1-m14-t40"), CLOCK, CLOCKS);
    let unit = std::rc::Rc::new(unit);
    for name in ["first", "second"] {
        let unit = std::rc::Rc::clone(&unit);
        sim.spawn(name, async move {
            let mut data = vec![0; 1024];
            data[5] = 0x10;
            unit.decode(Strength(40), &mut data, &[0; 70]).await
        });
    }
    let end = simulation.run().unwrap();
    let Cycles(one) = unit.decode_clocks(Strength(40), ByteCount(1024), BitCount(1));
    assert_eq!(end, Picoseconds((one + 1094) * CLOCK.0));
}
