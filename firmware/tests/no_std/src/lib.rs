//! The firmware in a program that has neither the standard library nor a heap. Were either used,
//! by it or by what it depends on, this would not build: the standard library has a panic handler
//! of its own, and the heap wants a global allocator.
#![no_std]
#![forbid(unsafe_code)]

use core::cell::Cell;
use core::future::Future;

use floatgate_firmware::drive::{Drive, Worker};
use floatgate_firmware::policy::{FixedStrength, NoRetry};
use floatgate_firmware::{BringUpError, Die, DieDescription, FlashStore, bring_up};
use floatgate_hal::flash::mode::{BusTiming, TimingMode};
use floatgate_hal::{Clock, FlashArray, FlashBus, HostPort, Processor};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// The type of a mounted die on some bus and codec.
pub type Store<'a, B, E> = FlashStore<'a, B, E, FixedStrength, NoRetry>;

/// What a board would await first.
pub fn main<'a, B: FlashBus + BusTiming, C: Clock>(
    die: Die<'a, B>,
    clock: &'a C,
) -> impl Future<Output = Result<DieDescription, BringUpError>> + use<'a, B, C> {
    bring_up(die, clock, TimingMode::POWER_UP)
}

/// A task of a whole drive, whose tables are lent.
pub fn serve<'a, A: FlashArray, H: HostPort, P: Processor>(
    drive: &'a Drive<A, H, P, &'a [Cell<u32>]>,
    worker: Worker,
) -> impl Future<Output = ()> + use<'a, A, H, P> {
    drive.serve(worker)
}
