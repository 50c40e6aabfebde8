//! What the controller makes of a line of the table of operations: the cycles before its busy time,
//! and the outcome of its status.

use floatgate_hal::flash::op::{AddressForm, BusyPhase, DataPhase, OpKind};
use floatgate_hal::flash::{BusOp, Outcome, Transfer};

use super::phases::{Action, Visit, Wait};
use crate::die::Cycle;

/// 70h.
pub(super) const READ_STATUS: u8 = 0x70;
/// Status bits.
const STATUS_FAIL: u8 = 1 << 0;
const STATUS_FAILC: u8 = 1 << 1;
const STATUS_ARDY: u8 = 1 << 5;
const STATUS_RDY: u8 = 1 << 6;
/// The length has sixteen bits.
const LENGTH_MAX: u32 = 65_535;

/// Lays out the first visit of an operation: all of it up to its busy time.
pub(super) fn issue(visit: &mut Visit<'_>, op: &BusOp) {
    let form = op.kind.form();
    visit.latch(Cycle::Command(form.first));
    let [r1, r2, r3, _] = op.row.0.to_le_bytes();
    let [c1, c2] = op.column.0.to_le_bytes();
    let address: &[u8] = match form.address {
        AddressForm::None => &[],
        AddressForm::Byte => &[r1],
        AddressForm::ColumnRow => &[c1, c2, r1, r2, r3],
        AddressForm::Row => &[r1, r2, r3],
        AddressForm::Column => &[c1, c2],
    };
    address.iter().for_each(|&byte| visit.latch(Cycle::Address(byte)));
    let bytes = crossing(op, visit);
    match form.data {
        DataPhase::InAfterAdl => visit.data_in(bytes, Wait::Adl),
        DataPhase::InAfterCcs => visit.data_in(bytes, Wait::Ccs),
        _ => {}
    }
    if let Some(confirm) = form.confirm {
        visit.latch(Cycle::Command(confirm));
    }
    match form.data {
        DataPhase::OutAfterWhr => visit.data_out(bytes, Wait::Whr, Action::DataOut),
        DataPhase::OutAfterCcs => visit.data_out(bytes, Wait::Ccs, Action::DataOut),
        _ => {}
    }
}

/// Whether the first visit is over soon and the die is busy after it (`rtl/onfi_slot.sv`).
pub(super) fn issue_is_brief(kind: OpKind) -> bool {
    let form = kind.form();
    let has_no_data = matches!(form.data, DataPhase::None | DataPhase::OutAfterBusy);
    form.busy != BusyPhase::None && has_no_data
}

/// Bytes of an operation as they cross the bus.
pub(super) fn crossing(op: &BusOp, visit: &Visit<'_>) -> u64 {
    let times = if visit.is_ddr() && is_doubled(op.kind) { 2 } else { 1 };
    u64::from(op.length.0) * times
}

/// Whether the data of an operation are of its kind and length.
pub fn fits(op: &BusOp, data: &Transfer<'_>) -> bool {
    let given = match (op.kind.form().data, data) {
        (DataPhase::None, Transfer::None) => return op.length.0 == 0,
        (DataPhase::InAfterAdl | DataPhase::InAfterCcs, Transfer::In(bytes)) => bytes.len(),
        (
            DataPhase::OutAfterWhr | DataPhase::OutAfterCcs | DataPhase::OutAfterBusy,
            Transfer::Out(bytes),
        ) => bytes.len(),
        _ => return false,
    };
    (1..=LENGTH_MAX).contains(&op.length.0) && given == op.length.0 as usize
}

/// How an operation ended whose last visit read this status (0 where it read data): FAIL counts
/// once the array is idle; FAILC, of the page before, after a program.
pub(super) fn outcome(kind: OpKind, status: u8, was_driven: bool) -> Outcome {
    if !was_driven {
        return Outcome::TimedOut;
    }
    let form = kind.form();
    if form.busy != BusyPhase::WaitThenStatus {
        return Outcome::Done;
    }
    if status & STATUS_RDY == 0 {
        return Outcome::TimedOut;
    }
    let is_program = form.confirm.is_some_and(|confirm| confirm >> 4 == 1);
    let fail = status & STATUS_FAIL != 0 && status & STATUS_ARDY != 0;
    let fail_before = status & STATUS_FAILC != 0 && is_program;
    if fail || fail_before { Outcome::Failed } else { Outcome::Done }
}

/// Whether the bytes of a kind cross NV-DDR twice each: those of ID, status and features.
pub(super) fn is_doubled(kind: OpKind) -> bool {
    matches!(kind, OpKind::ReadId | OpKind::GetFeatures | OpKind::SetFeatures) || is_status(kind)
}

pub(super) fn is_status(kind: OpKind) -> bool {
    matches!(kind, OpKind::ReadStatus | OpKind::ReadStatusEnhanced)
}

pub(super) fn is_reset(kind: OpKind) -> bool {
    matches!(kind, OpKind::Reset | OpKind::SynchronousReset | OpKind::ResetLun)
}

/// What a stuck die still takes.
pub(super) fn is_rescue(kind: OpKind) -> bool {
    is_reset(kind) || is_status(kind)
}
