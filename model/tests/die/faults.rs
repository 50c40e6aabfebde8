//! Faults on purpose: dies that die, stay busy or fail.

use floatgate_hal::flash::address::{BlockIndex, LunIndex, PageIndex};
use floatgate_hal::units::Picoseconds;
use floatgate_model::die::{Fault, LunState, Settings};

use crate::host::{Host, MLC, SLC, sound};

fn with(name: &str, fault: Fault) -> Host {
    Host::with(name, Settings { faults: vec![fault], ..sound() })
}

#[test]
fn a_dead_target_answers_nothing() {
    let at = Picoseconds(2_000_000_000);
    let mut host = with(SLC, Fault::Dies { at });
    host.open(0x90, &[0]);
    assert_eq!(host.take(5).len(), 5);
    host.at_ps = at.0;
    host.open(0x90, &[0]);
    assert!(host.take(5).is_empty());
    assert!(host.target.is_ready(host.at()), "nothing pulls R/B# low");
    assert_eq!(host.target.lun_state(host.at(), LunIndex(0)), LunState::Dead);
    host.quiet();
}

#[test]
fn a_stuck_lun_leaves_the_other_one_working() {
    let mut host = with(MLC, Fault::StaysBusy { lun: LunIndex(1), at: Picoseconds(0) });
    for lun in [1, 0] {
        let address = host.address_of(lun, 1, 0, 0);
        host.open(0x00, &address);
        host.command(0x30);
    }
    host.skip_us(1_000.0);
    assert_eq!(host.status_of(1, 1), 0x80);
    assert_eq!(host.status_of(0, 1), 0xE0);
    assert!(!host.target.is_ready(host.at()));
    assert_eq!(host.target.next_change(host.at()), None);
}

#[test]
fn a_failing_program_says_so() {
    let (lun, block) = (LunIndex(0), BlockIndex(1));
    let mut host = with(SLC, Fault::FailsProgram { lun, block, page: PageIndex(1) });
    host.erase(1);
    assert_eq!(host.program(1, 0, &[0]), 0xE0);
    assert_eq!(host.program(1, 1, &[0; 2112]), 0xE1);
    assert_ne!(host.read(1, 1, 2112), vec![0; 2112]);
    assert_eq!(host.program(1, 2, &[0]), 0xE0, "the next one has a result of its own");
    assert_eq!(host.target.statistics().failed_programs, 1);
    host.quiet();
}

/// FAILC tells of the page before, FAIL of the last one when the array is idle.
#[test]
fn a_cache_program_tells_of_the_page_before() {
    for (failing, wanted) in
        [(0, [0xC0, 0xC2, 0xE0]), (1, [0xC0, 0xC0, 0xE2]), (2, [0xC0, 0xC0, 0xE1])]
    {
        let (lun, block) = (LunIndex(0), BlockIndex(1));
        let mut host = with(SLC, Fault::FailsProgram { lun, block, page: PageIndex(failing) });
        host.erase(1);
        for (page, wanted) in (0..3).zip(wanted) {
            let address = host.page_address(1, page);
            host.open(0x80, &address);
            host.data_in(&[0]);
            host.command(if page < 2 { 0x15 } else { 0x10 });
            host.wait();
            assert_eq!(host.status(), wanted, "page {page}, {failing} fails");
        }
        host.quiet();
    }
}

#[test]
fn a_plane_s_failure_is_its_own() {
    let (lun, block) = (LunIndex(0), BlockIndex(3));
    let mut host = with(MLC, Fault::FailsErase { lun, block });
    for (block, confirm) in [(2, 0xD1), (3, 0xD0)] {
        let row = host.row(0, block, 0);
        host.open(0x60, &row);
        host.command(confirm);
        host.wait();
    }
    assert_eq!(host.status(), 0xE1, "70h tells of both");
    assert_eq!((host.status_of(0, 2), host.status_of(0, 3)), (0xE0, 0xE1));
    assert_eq!(host.target.statistics().failed_erases, 1);
    host.quiet();
}
