//! Warnings: what ONFI allows, and a careful host does not do.

use std::ops::Range;

use floatgate_hal::flash::address::LunIndex;

use super::Target;
use crate::die::lun::{Looked, Lun};
use crate::die::parameter_page::PAGE_BYTES;
use crate::die::rules::{Diagnostic, Quantity, Rule};

/// Commands that look or start afresh, whatever else is open: status, resets.
const LOOKS: [u8; 5] = [0x70, 0x78, 0xFA, 0xFC, 0xFF];
/// Commands after which the parameter page still goes out, or goes out again.
const STAYS_AT_PAGE: [u8; 4] = [0x00, 0x05, 0xE0, 0xEC];
const GET_FEATURES: u8 = 0xEE;

impl Target {
    /// A command comes: what should have come before it?
    pub(super) fn check_habits(&mut self, opcode: u8) {
        if LOOKS.contains(&opcode) {
            return;
        }
        if opcode != GET_FEATURES && std::mem::take(&mut self.mode_is_unchecked) {
            let text = "MODE-UNCHECKED: no Get Features after Set Features".to_owned();
            self.tell_rule(Rule::I19, None, text);
        }
        if let Some((taken, wanted)) = self.parameter_page_taken()
            && !STAYS_AT_PAGE.contains(&opcode)
            && (PAGE_BYTES..wanted).contains(&taken)
        {
            let text = "PP-CRC: host used a page whose CRC is wrong".to_owned();
            let figures = (Quantity::Count(taken as u64), Quantity::Count(wanted as u64));
            self.tell(Diagnostic::new(Rule::I23, self.now, text).with(figures.0, figures.1));
        }
    }

    /// 78h to a LUN that has nothing to tell, while another one has.
    pub(super) fn check_lun_is_meant(&mut self, lun: LunIndex) {
        let now = self.now;
        let is_pending = |one: &Lun| !one.is_array_ready(now) || one.looked != Looked::Enough;
        if is_pending(self.lun(lun)) || self.lun(lun).has_unread_data() {
            return;
        }
        if let Some(other) = self.luns.iter().find(|other| is_pending(other)) {
            let other = other.index.0;
            let text = format!("78H-LUN: status of idle LUN {} read, LUN {other} pending", lun.0);
            self.tell_rule(Rule::S08, Some(lun), text);
        }
    }

    /// 05h-E0h after a read of several planes goes to whichever was last.
    pub(super) fn check_plane_is_chosen(&mut self, lun: LunIndex) {
        let output = self.lun_mut(lun).output.as_mut();
        if output.is_some_and(|output| std::mem::take(&mut output.of_several)) {
            let text = "MP-COL: 05-E0 cannot pick the plane".to_owned();
            self.tell_rule(Rule::M07, Some(lun), text);
        }
    }

    /// A block that came bad is erased, and nobody has looked for its mark.
    pub(super) fn check_scanned(&mut self, lun: LunIndex, block: u32) {
        if !self.lun(lun).scanned.contains(&block) {
            let text = format!("BADMARK-LOST: block {block} never scanned");
            self.tell_rule(Rule::R07, Some(lun), text);
        }
    }

    /// A page gets data that were loaded for another one.
    pub(super) fn check_earlier_load(&mut self, lun: LunIndex, earlier: &[Range<usize>]) {
        if let Some(Range { start, end }) = earlier.first() {
            let last = end - 1;
            let text = format!("REG-STALE: bytes {start}-{last} came from an earlier load");
            self.tell_rule(Rule::R12, Some(lun), text);
        }
    }
}

/// What is left of ranges where one is cut out.
pub(super) fn without(ranges: &[Range<usize>], cut: &Range<usize>) -> Vec<Range<usize>> {
    let rests = ranges.iter().flat_map(|range| {
        [range.start..range.end.min(cut.start), range.start.max(cut.end)..range.end]
    });
    rests.filter(|rest| !rest.is_empty()).collect()
}
