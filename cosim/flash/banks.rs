//! Banks of timing registers in the RTL: a die's timing in, the registers to write out.

use floatgate_hal::flash::address::DieIndex;
use floatgate_hal::flash::mode::DieTiming;
use floatgate_hal::flash::timing::TimingRegisters;

/// Banks of the RTL; bank 0 stays at SDR mode 0.
const BANKS: usize = 4;

/// The address of the first die's bank (rtl/onfi_timing.sv).
const REG_DIE_BANK: u16 = 0x90;

/// Which timing is in which bank, and which bank each die has.
pub(super) struct Banks {
    /// Timings in the banks behind the first.
    held: [Option<DieTiming>; BANKS - 1],
    of_die: Vec<usize>,
}

impl Banks {
    pub(super) fn new(dies: usize) -> Self {
        Self { held: [None; BANKS - 1], of_die: vec![0; dies] }
    }

    /// All dies are in SDR mode 0 again.
    pub(super) fn clear(&mut self) {
        self.held = [None; BANKS - 1];
        self.of_die.fill(0);
    }

    /// The registers to write, with their values, so that a die has this timing.
    ///
    /// # Panics
    /// If dies are in more modes than there are banks.
    pub(super) fn follow(
        &mut self,
        die: DieIndex,
        timing: &DieTiming,
        values: &TimingRegisters,
    ) -> Vec<(u16, u16)> {
        let die = usize::from(die.0);
        self.of_die[die] = 0;
        let is_in_use = |bank: usize| self.of_die.contains(&(bank + 1));
        let there = self.held.iter().position(|held| held.as_ref() == Some(timing));
        let bank = there
            .or_else(|| (0..BANKS - 1).find(|&bank| !is_in_use(bank)))
            .expect("dies are in more modes than there are banks");
        let mut all = Vec::new();
        if there.is_none() {
            all.extend(writes(bank + 1, values));
            self.held[bank] = Some(*timing);
        }
        self.of_die[die] = bank + 1;
        all.push((REG_DIE_BANK + die as u16, (bank + 1) as u16));
        all
    }
}

/// The registers of a bank, with their values.
pub(super) fn writes(
    bank: usize,
    values: &TimingRegisters,
) -> impl Iterator<Item = (u16, u16)> + use<> {
    let values = values.0;
    values.into_iter().enumerate().map(move |(index, value)| ((32 * bank + index) as u16, value))
}
