//! Each operation of the table, at the pins of a die: the cycles are those of its line, and the die
//! does what it asks for.

use std::sync::Arc;

use floatgate_cosim::flash::{Gap, RawSequence};
use floatgate_hal::flash::address::RowAddress;
use floatgate_hal::flash::address::{BlockIndex, ColumnAddress, DieIndex, LunIndex, PageIndex};
use floatgate_hal::flash::mode::DataInterface;
use floatgate_hal::flash::op::{AddressForm, BusyPhase, DataPhase, OpKind};
use floatgate_hal::flash::timing::TimeLimit;
use floatgate_hal::flash::{BusOp, Outcome};
use floatgate_hal::units::{ByteCount, Cycles};
use floatgate_model::die::Part;
use floatgate_model::pins::{Transaction, TransactionKind};

use super::bench::{Bench, Plan, op, pattern};

/// The invented part: two LUNs, two planes, all optional commands.
fn full_part() -> Plan {
    Plan { part: "ix64mlc2lun-a", ..Plan::default() }
}

fn of(part: &Part, kind: OpKind, block: u32, page: u16, length: u32) -> BusOp {
    let row = part.geometry().row(LunIndex(0), BlockIndex(block), PageIndex(page));
    BusOp { row, length: ByteCount(length), ..op(kind, 0) }
}

/// What an operation puts on the bus, by its line of the table.
fn expected(
    op: &BusOp,
    data_in: &[u8],
    data_out: &[u8],
    status: u8,
) -> Vec<(TransactionKind, Vec<u8>)> {
    let form = op.kind.form();
    let column = op.column.0.to_le_bytes();
    let row = &op.row.0.to_le_bytes()[..3];
    let address = match form.address {
        AddressForm::None => Vec::new(),
        AddressForm::Byte => vec![row[0]],
        AddressForm::ColumnRow => [&column, row].concat(),
        AddressForm::Row => row.to_vec(),
        AddressForm::Column => column.to_vec(),
    };
    let mut cycles = vec![
        (TransactionKind::Command, vec![form.first]),
        (TransactionKind::Address, address),
        (TransactionKind::DataIn, data_in.to_vec()),
        (TransactionKind::Command, form.confirm.into_iter().collect()),
        (TransactionKind::DataOut, data_out.to_vec()),
    ];
    if form.busy == BusyPhase::WaitThenStatus {
        cycles.push((TransactionKind::Command, vec![0x70]));
        cycles.push((TransactionKind::DataOut, vec![status]));
    }
    cycles.retain(|(_, bytes)| !bytes.is_empty());
    cycles
}

/// Runs an operation and compares its cycles with its line; gives the data.
fn traced(bench: &mut Bench, op: &BusOp, data: &[u8]) -> Vec<u8> {
    let watched = |bench: &mut Bench| -> Vec<Transaction> {
        bench.rtl.wires().channel.drain_transactions(op.die)
    };
    watched(bench);
    let finished = bench.run(op, data);
    assert_eq!(finished.completion.outcome, Outcome::Done, "{op:?}");
    let takes_out = matches!(
        op.kind.form().data,
        DataPhase::OutAfterWhr | DataPhase::OutAfterCcs | DataPhase::OutAfterBusy
    );
    assert_eq!(finished.data.len(), if takes_out { op.length.0 as usize } else { 0 }, "{op:?}");
    let seen: Vec<_> = watched(bench).into_iter().map(|one| (one.kind, one.bytes)).collect();
    let wanted = expected(op, data, &finished.data, finished.completion.status);
    assert!(seen == wanted, "{op:?}: the bus carried {seen:?}");
    finished.data
}

#[test]
fn a_page_comes_back_as_it_was_programmed() {
    let mut bench = Bench::ready(&Plan::default());
    let data = pattern(1, bench.part.register_bytes());
    bench.good(&bench.page_op(OpKind::EraseBlock, 0, 4, 0), &[]);
    bench.good(&bench.page_op(OpKind::ProgramPage, 0, 4, 0), &data);
    let read = bench.good(&bench.page_op(OpKind::ReadPage, 0, 4, 0), &[]);
    assert!(read == data, "the page comes back as something else");
}

#[test]
fn registers_of_a_die_are_read_and_written() {
    let mut bench = Bench::ready(&full_part());
    bench.rtl.wires().channel.watch();
    let byte = |kind, address, length| BusOp {
        row: RowAddress(address),
        length: ByteCount(length),
        ..op(kind, 0)
    };
    let id = traced(&mut bench, &byte(OpKind::ReadId, 0, 5), &[]);
    assert_eq!(id, bench.part.identity.id_bytes[..5]);
    assert_eq!(traced(&mut bench, &byte(OpKind::ReadId, 0x20, 4), &[]), b"ONFI");
    let page = traced(&mut bench, &byte(OpKind::ReadParameterPage, 0, 256), &[]);
    assert_eq!(&page[..4], b"ONFI");
    let unique = traced(&mut bench, &byte(OpKind::ReadUniqueId, 0, 32), &[]);
    assert!((0..16).all(|i| unique[i] == !unique[16 + i]), "{unique:x?}");
    traced(&mut bench, &byte(OpKind::SetFeatures, 0x10, 4), &[1, 0, 0, 0]);
    assert_eq!(traced(&mut bench, &byte(OpKind::GetFeatures, 0x10, 4), &[]), [1, 0, 0, 0]);
    assert_eq!(traced(&mut bench, &byte(OpKind::ReadStatus, 0, 1), &[]), [0xE0]);
    let status = traced(&mut bench, &byte(OpKind::ReadStatusEnhanced, 0, 1), &[]);
    assert_eq!(status, [0xE0]);
    for kind in [OpKind::ResetLun, OpKind::SynchronousReset, OpKind::Reset] {
        traced(&mut bench, &op(kind, 0), &[]);
    }
}

#[test]
fn pages_are_programmed_in_parts_and_read_in_parts() {
    let mut bench = Bench::ready(&full_part());
    let part = Arc::clone(&bench.part);
    bench.rtl.wires().channel.watch();
    traced(&mut bench, &of(&part, OpKind::EraseBlock, 10, 0, 0), &[]);
    let (head, middle, tail) = (pattern(1, 64), pattern(2, 32), pattern(3, 16));
    let column = |op: BusOp, column| BusOp { column: ColumnAddress(column), ..op };
    traced(&mut bench, &of(&part, OpKind::LoadPage, 10, 0, 64), &head);
    let change = of(&part, OpKind::ChangeWriteColumn, 10, 0, 32);
    traced(&mut bench, &column(change, 512), &middle);
    let last = of(&part, OpKind::ChangeWriteColumnAndProgram, 10, 0, 16);
    traced(&mut bench, &column(last, 8_900), &tail);
    assert_eq!(traced(&mut bench, &of(&part, OpKind::ReadPage, 10, 0, 64), &[]), head);
    let change = of(&part, OpKind::ChangeReadColumn, 10, 0, 32);
    assert_eq!(traced(&mut bench, &column(change, 512), &[]), middle);
    let enhanced = of(&part, OpKind::ChangeReadColumnEnhanced, 10, 0, 16);
    assert_eq!(traced(&mut bench, &column(enhanced, 8_900), &[]), tail);
    // The same page again, by copyback into another block of the plane.
    traced(&mut bench, &of(&part, OpKind::EraseBlock, 12, 0, 0), &[]);
    traced(&mut bench, &of(&part, OpKind::CopybackRead, 10, 0, 0), &[]);
    traced(&mut bench, &of(&part, OpKind::CopybackProgram, 12, 0, 0), &[]);
    assert_eq!(traced(&mut bench, &of(&part, OpKind::ReadPage, 12, 0, 64), &[]), head);
}

#[test]
fn cache_operations_stream_pages() {
    let mut bench = Bench::ready(&full_part());
    let part = Arc::clone(&bench.part);
    bench.rtl.wires().channel.watch();
    let pages: Vec<Vec<u8>> = (0..4).map(|page| pattern(page, 64)).collect();
    traced(&mut bench, &of(&part, OpKind::EraseBlock, 20, 0, 0), &[]);
    for (page, data) in pages.iter().enumerate() {
        let kind = if page == 3 { OpKind::ProgramPage } else { OpKind::ProgramPageCache };
        traced(&mut bench, &of(&part, kind, 20, page as u16, 64), data);
    }
    traced(&mut bench, &of(&part, OpKind::ReadPageToRegister, 20, 0, 0), &[]);
    let next = of(&part, OpKind::ReadCacheSequential, 20, 0, 64);
    assert_eq!(traced(&mut bench, &next, &[]), pages[0]);
    let jump = of(&part, OpKind::ReadCacheRandom, 20, 3, 64);
    assert_eq!(traced(&mut bench, &jump, &[]), pages[1]);
    let end = of(&part, OpKind::ReadCacheEnd, 20, 0, 64);
    assert_eq!(traced(&mut bench, &end, &[]), pages[3]);
}

#[test]
fn planes_work_together() {
    let mut bench = Bench::ready(&full_part());
    let part = Arc::clone(&bench.part);
    bench.rtl.wires().channel.watch();
    let (one, other) = (pattern(5, 64), pattern(6, 64));
    traced(&mut bench, &of(&part, OpKind::EraseBlockMultiPlane, 30, 0, 0), &[]);
    traced(&mut bench, &of(&part, OpKind::EraseBlock, 31, 0, 0), &[]);
    traced(&mut bench, &of(&part, OpKind::ProgramPageMultiPlane, 30, 0, 64), &one);
    traced(&mut bench, &of(&part, OpKind::ProgramPage, 31, 0, 64), &other);
    traced(&mut bench, &of(&part, OpKind::ReadPageMultiPlane, 30, 0, 0), &[]);
    traced(&mut bench, &of(&part, OpKind::ReadPageToRegister, 31, 0, 0), &[]);
    let choose = |block| of(&part, OpKind::ChangeReadColumnEnhanced, block, 0, 64);
    let (first, second) = (choose(30), choose(31));
    assert_eq!(traced(&mut bench, &first, &[]), one);
    assert_eq!(traced(&mut bench, &second, &[]), other);
}

/// Erase, program with a status, and read with a wait in the middle, in raw cycles.
#[test]
fn raw_sequences_do_what_they_spell() {
    for mode in [None, Some(DataInterface::Sdr), Some(DataInterface::NvDdr)] {
        let mut bench = Bench::ready(&Plan::default());
        if let Some(interface) = mode {
            bench.set_mode(0, interface, 5);
        }
        let data = pattern(8, 600);
        let row = bench.page_op(OpKind::ReadPage, 0, 7, 0).row.0.to_le_bytes();
        let address = [0, 0, row[0], row[1], row[2]];
        let erase = RawSequence::new().command(0x60).address(&row[..3]).command(0xD0);
        let erase = erase.wait(TimeLimit::Erase).command(0x70).status();
        let erased = bench.raw(0, &erase).completion;
        assert_eq!((erased.outcome, erased.status), (Outcome::Done, 0xE0));
        let program = RawSequence::new().command(0x80).address(&address);
        let program = program.data_in(Gap::Adl, &data).command(0x10).wait(TimeLimit::Program);
        assert_eq!(bench.raw(0, &program.command(0x70).status()).completion.status, 0xE0);
        let read = RawSequence::new().command(0x00).address(&address).command(0x30);
        let read = read.wait(TimeLimit::Read).data_out(Gap::Whr, 600);
        let read = bench.raw(0, &read);
        assert_eq!(read.completion.outcome, Outcome::Done);
        assert!(read.data == data, "{mode:?}: the page comes back as something else");
    }
}

#[test]
fn a_raw_sequence_that_makes_no_sense_is_refused() {
    let mut bench = Bench::ready(&Plan::default());
    let truncated = RawSequence::from_bytes(&[3, 200, 1, 2]);
    assert_eq!(bench.raw(0, &truncated).completion.outcome, Outcome::Refused);
    let unknown = RawSequence::from_bytes(&[15, 0]);
    assert_eq!(bench.raw(0, &unknown).completion.outcome, Outcome::Refused);
    bench.good(&bench.page_op(OpKind::ReadPage, 0, 4, 0), &[]);
}

/// NV-DDR carries pairs; half a pair is refused before it is on the bus.
#[test]
fn an_odd_raw_burst_is_refused_in_nv_ddr() {
    let mut bench = Bench::ready(&Plan::default());
    let read = |bytes| {
        let read = RawSequence::new().command(0x00).address(&[0; 5]).command(0x30);
        read.wait(TimeLimit::Read).data_out(Gap::Whr, bytes)
    };
    let load = |bytes: usize| {
        let load = RawSequence::new().command(0x80).address(&[0; 5]);
        load.data_in(Gap::Adl, &pattern(1, bytes))
    };
    assert_eq!(bench.raw(0, &read(7)).completion.outcome, Outcome::Done);
    bench.set_mode(0, DataInterface::NvDdr, 5);
    bench.rtl.wires().channel.watch();
    for (bytes, outcome) in [(6, Outcome::Done), (7, Outcome::Refused), (257, Outcome::Refused)] {
        let ended = bench.raw(0, &read(bytes)).completion;
        assert_eq!(ended.outcome, outcome, "{bytes} bytes out");
        assert_eq!(bench.raw(0, &load(bytes)).completion.outcome, outcome, "{bytes} bytes in");
        bench.good(&op(OpKind::SynchronousReset, 0), &[]);
    }
    let bursts = bench.rtl.wires().channel.drain_transactions(DieIndex(0));
    let lengths = bursts.iter().filter_map(|one| match one.kind {
        TransactionKind::DataIn | TransactionKind::DataOut => Some(one.bytes.len()),
        _ => None,
    });
    // Of 257 bytes, a whole burst of 256 goes before the one that is refused.
    assert_eq!(lengths.collect::<Vec<_>>(), [6, 6, 256, 256]);
}

/// Without R/B#, with 70h and with 78h.
#[test]
fn polling_the_status_does_as_well_as_ready_busy() {
    for is_enhanced in [false, true] {
        let mut bench = Bench::ready(&full_part());
        bench.rtl.set_control(Some(Cycles(400)), is_enhanced, false).unwrap();
        for interface in [DataInterface::Sdr, DataInterface::NvDdr] {
            bench.set_mode(0, interface, 5);
            let data = pattern(4, bench.part.register_bytes());
            let block = 40 + interface as u32;
            bench.good(&bench.page_op(OpKind::EraseBlock, 0, block, 0), &[]);
            bench.good(&bench.page_op(OpKind::ProgramPage, 0, block, 0), &data);
            let read = bench.good(&bench.page_op(OpKind::ReadPage, 0, block, 0), &[]);
            assert!(read == data, "the page comes back as something else");
        }
        bench.good(&op(OpKind::Reset, 0), &[]);
    }
}

/// Operations on one die leave the other alone.
#[test]
fn dies_do_not_see_each_others_cycles() {
    let mut bench = Bench::ready(&Plan::default());
    bench.rtl.wires().channel.watch();
    bench.good(&bench.page_op(OpKind::EraseBlock, 0, 4, 0), &[]);
    let seen = bench.rtl.wires().channel.drain_transactions(DieIndex(1));
    assert!(seen.is_empty(), "{seen:?}");
}
