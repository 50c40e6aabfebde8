//! Transactions as a reader of a waveform wants them.

use floatgate_hal::flash::address::DieIndex;
use floatgate_hal::units::Picoseconds;
use floatgate_model::pins::{PinOptions, Transaction, TransactionKind};

use crate::plain::{host, nvddr, sdr};

fn shape(transactions: &[Transaction]) -> Vec<(TransactionKind, &[u8])> {
    transactions.iter().map(|one| (one.kind, one.bytes.as_slice())).collect()
}

#[test]
fn cycles_are_put_together_to_commands_addresses_and_bursts() {
    for mode in [sdr(0), sdr(5), nvddr(0), nvddr(5)] {
        let mut host = host(2, mode, PinOptions::default());
        host.channel_mut().watch();
        host.select(DieIndex(1));
        host.command(0x80);
        host.address(&[1, 2, 3, 4, 5]);
        host.data_in(&[6, 7, 8, 9]);
        host.command(0x10);
        host.wait_ready();
        host.command(0x00);
        host.data_out(4);
        host.flush();
        let found = host.channel_mut().drain_transactions(DieIndex(1));
        let expected: [(TransactionKind, &[u8]); 6] = [
            (TransactionKind::Command, &[0x80]),
            (TransactionKind::Address, &[1, 2, 3, 4, 5]),
            (TransactionKind::DataIn, &[6, 7, 8, 9]),
            (TransactionKind::Command, &[0x10]),
            (TransactionKind::Command, &[0x00]),
            (TransactionKind::DataOut, &[0, 1, 2, 3]),
        ];
        assert_eq!(shape(&found), expected, "{mode:?}");
        assert!(found.is_sorted_by(|a, b| a.start <= a.end && a.end < b.start), "{mode:?}");
        assert_eq!(host.channel_mut().drain_transactions(DieIndex(0)), []);
        assert_eq!(host.channel_mut().drain_transactions(DieIndex(1)), [], "taken out once");
    }
}

/// In SDR mode 0 at its bounds: five address cycles of 100 ns, then tADL and four of data.
#[test]
fn bursts_have_the_times_of_their_first_and_last_cycle() {
    let mut host = host(1, sdr(0), PinOptions::default());
    host.channel_mut().watch();
    host.select(DieIndex(0));
    host.command(0x80);
    host.address(&[0; 5]);
    host.data_in(&[0; 4]);
    host.flush();
    let found = host.channel_mut().drain_transactions(DieIndex(0));
    let span = |one: &Transaction| Picoseconds(one.end.0 - one.start.0);
    let spans: Vec<_> = found.iter().map(span).collect();
    assert_eq!(spans, [0, 400_000, 300_000].map(Picoseconds));
    assert_eq!(found[2].start.0 - found[1].end.0, 400_000);
}
