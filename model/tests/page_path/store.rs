//! Files through firmware, codec, channel and dies, and back.

use floatgate_firmware::page::DecodedPage;
use floatgate_firmware::{Die, ProgramError, ReadError, bring_up, scan_bad_blocks};
use floatgate_hal::flash::address::{BlockIndex, DieIndex, LunIndex, PageIndex, RowAddress};
use floatgate_hal::flash::mode::TimingMode;
use floatgate_hal::units::{BitCount, Picoseconds};
use floatgate_model::channel::TransactionBus;
use floatgate_model::die::Settings;
use floatgate_model::sim::{Sim, Simulation};

use crate::{Memory, NV_DDR_5, SDR_4, Store, T, channel, ecc, errors, file, metadata, mount};

/// Where the pages of a file are.
pub(crate) type Map = Vec<RowAddress>;

/// Stores a file in the good blocks of LUN 0 from `first` on. Where a program fails, the pages that
/// the block holds are stored again in the next one.
pub(crate) async fn write_file(
    store: &mut Store<'_>,
    data: &[u8],
    first: u32,
) -> Result<Map, ProgramError> {
    let geometry = crate::part("ix64mlc2lun-a").geometry();
    let pages: Vec<&[u8]> = data.chunks(geometry.page_bytes.0 as usize).collect();
    let mut map = Map::new();
    let mut block = BlockIndex(first);
    let lun = LunIndex(0);
    while map.len() < pages.len() {
        let is_good = store.erase_block(lun, block).await.is_ok();
        let start = map.len();
        for page in (0..geometry.pages_per_block).filter(|_| is_good) {
            let Some(bytes) = pages.get(map.len()) else { break };
            let row = geometry.row(lun, block, PageIndex(page));
            match store.program_page(row, bytes, &metadata(map.len() as u32)).await {
                Ok(()) => map.push(row),
                Err(ProgramError::Relocate(_)) => {
                    map.truncate(start);
                    break;
                }
                Err(other) => return Err(other),
            }
        }
        block.0 += 1;
    }
    Ok(map)
}

/// Reads a file back; also the corrected bits of each codeword.
pub(crate) async fn read_file(
    store: &mut Store<'_>,
    map: &Map,
) -> Result<(Vec<u8>, Vec<BitCount>), ReadError> {
    let (mut data, mut counts) = (Vec::new(), Vec::new());
    for (index, &row) in map.iter().enumerate() {
        let start = data.len();
        data.resize(start + 8192, 0);
        match store.read_page(row, &mut data[start..]).await?.page {
            DecodedPage::Data { metadata: its, corrected, .. } => {
                assert_eq!(its, metadata(index as u32));
                counts.extend(corrected);
            }
            erased => panic!("page {index}: {erased:?}"),
        }
    }
    Ok((data, counts))
}

struct Outcome {
    data: Vec<u8>,
    corrected: Vec<BitCount>,
    end: Picoseconds,
    wrong: Vec<String>,
}

/// Stores a file on worn dies, lets days pass and reads it.
fn store_and_read(bytes: usize, settings: Settings, days: f64, mode: TimingMode) -> Outcome {
    let mut simulation = Simulation::new(settings.seed);
    let sim = simulation.sim();
    let firmware = async move {
        let (bus, ecc) = (channel(&sim, &[settings]), ecc(&sim));
        let die = Die::new(&bus, DieIndex(0));
        let description = bring_up(die, &sim, mode).await.unwrap();
        assert_eq!(description.timing.mode, mode);
        let mut memory = Memory::new();
        let mut store = mount(die, &description, &ecc, T, &mut memory);
        let map = write_file(&mut store, &file(bytes), 1).await.unwrap();
        bus.target_mut(DieIndex(0)).age(days);
        let (data, corrected) = read_file(&mut store, &map).await.unwrap();
        Outcome { data, corrected, end: sim.now(), wrong: errors(&bus) }
    };
    simulation.block_on("firmware", firmware).unwrap()
}

fn worn(cycles: u32) -> Settings {
    Settings { initial_cycles: cycles, factory_bad_blocks: Some(0), ..Settings::default() }
}

#[test]
fn a_file_comes_back_from_worn_and_old_cells() {
    let outcome = store_and_read(384 << 10, worn(3000), 60.0, NV_DDR_5);
    assert_eq!(outcome.data, file(384 << 10));
    assert_eq!(outcome.corrected.len(), 384);
    let total: u32 = outcome.corrected.iter().map(|bits| bits.0).sum();
    let most = outcome.corrected.iter().max().unwrap();
    assert!(total > 384, "{total} bits corrected in 384 codewords");
    assert!(most.0 <= 40);
    assert!(outcome.wrong.is_empty(), "{}", outcome.wrong.join("\n"));
}

#[test]
fn new_cells_err_less() {
    let total = |settings, days| -> u32 {
        let outcome = store_and_read(256 << 10, settings, days, SDR_4);
        assert_eq!(outcome.data, file(256 << 10));
        assert!(outcome.wrong.is_empty(), "{}", outcome.wrong.join("\n"));
        outcome.corrected.iter().map(|bits| bits.0).sum()
    };
    let (new, old) = (total(worn(0), 0.0), total(worn(3000), 90.0));
    assert!(new < old, "{new} bits of new cells, {old} of old ones");
}

#[test]
fn one_seed_gives_one_result_and_another_gives_another() {
    let run = |seed| store_and_read(64 << 10, Settings { seed, ..worn(2000) }, 30.0, NV_DDR_5);
    let (first, again, other) = (run(1), run(1), run(2));
    assert_eq!((&first.corrected, first.end), (&again.corrected, again.end));
    assert_ne!(first.corrected, other.corrected);
}

#[test]
fn cells_beyond_the_strength_are_an_error_that_names_the_page() {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let firmware = async move {
        let (bus, ecc) = (channel(&sim, &[worn(3000)]), ecc(&sim));
        let die = Die::new(&bus, DieIndex(0));
        let description = bring_up(die, &sim, NV_DDR_5).await.unwrap();
        let mut memory = Memory::new();
        let mut store = mount(die, &description, &ecc, T, &mut memory);
        let map = write_file(&mut store, &file(8192), 1).await.unwrap();
        bus.target_mut(DieIndex(0)).age(3000.0);
        read_file(&mut store, &map).await.unwrap_err().to_string()
    };
    let line = simulation.block_on("firmware", firmware).unwrap();
    assert!(line.starts_with("row 000100h, read 1 times: "), "{line}");
    assert!(line.contains("has more errors than strength 40 corrects"), "{line}");
}

#[test]
fn erased_pages_and_factory_bad_blocks_are_recognised() {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let firmware = async move {
        let settings = Settings { initial_cycles: 3000, ..Settings::default() };
        let (bus, ecc) = (channel(&sim, &[settings]), ecc(&sim));
        let die = Die::new(&bus, DieIndex(0));
        let description = bring_up(die, &sim, NV_DDR_5).await.unwrap();
        let geometry = description.page.geometry;
        let mut storage = vec![0; 512];
        let mut table = floatgate_firmware::BadBlocks::new(geometry, &mut storage).unwrap();
        scan_bad_blocks(die, &mut table).await.unwrap();
        for lun in (0..geometry.luns).map(LunIndex) {
            let blocks = (0..geometry.blocks_per_lun).map(BlockIndex);
            let bad: Vec<BlockIndex> = blocks.filter(|&b| table.is_bad(lun, b)).collect();
            assert_eq!(bad, bus.target(DieIndex(0)).factory_bad_blocks(lun));
            assert!(!bad.is_empty());
        }
        let mut memory = Memory::new();
        let mut store = mount(die, &description, &ecc, T, &mut memory);
        store.erase_block(LunIndex(0), BlockIndex(0)).await.unwrap();
        let mut data = vec![0; 8192];
        let row = geometry.row(LunIndex(0), BlockIndex(0), PageIndex(0));
        let read = store.read_page(row, &mut data).await.unwrap();
        assert!(matches!(read.page, DecodedPage::Erased { .. }), "{read:?}");
        assert!(data.iter().all(|&byte| byte == 0xFF));
        errors(&bus)
    };
    let wrong = simulation.block_on("firmware", firmware).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The time that a number of dies take to store and read a file each, side by side.
fn side_by_side(dies: u32) -> Picoseconds {
    let mut simulation = Simulation::new(1);
    let sim = simulation.sim();
    let settings: Vec<Settings> =
        (0..dies).map(|target| Settings { target, ..worn(1000) }).collect();
    let bus = std::rc::Rc::new(channel(&sim, &settings));
    for index in 0..dies {
        let (bus, sim) = (std::rc::Rc::clone(&bus), sim.clone());
        simulation.sim().spawn(format!("firmware of die {index}"), async move {
            one_of_many(&bus, &sim, DieIndex(index as u8)).await;
        });
    }
    let end = simulation.run().unwrap();
    let wrong = errors(&bus);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    end
}

async fn one_of_many(bus: &TransactionBus, sim: &Sim, index: DieIndex) {
    let ecc = ecc(sim);
    let die = Die::new(bus, index);
    let description = bring_up(die, sim, NV_DDR_5).await.unwrap();
    let mut memory = Memory::new();
    let mut store = mount(die, &description, &ecc, T, &mut memory);
    let map = write_file(&mut store, &file(64 << 10), 1).await.unwrap();
    let (data, _) = read_file(&mut store, &map).await.unwrap();
    assert_eq!(data, file(64 << 10));
}

#[test]
fn four_dies_work_side_by_side() {
    let (one, four) = (side_by_side(1), side_by_side(4));
    assert!(four.0 < one.0 * 3 / 2, "one die takes {one}, four take {four}");
}
