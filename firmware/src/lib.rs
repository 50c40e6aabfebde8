//! Firmware of the controller: what brings a die up and carries pages to it and back, and what
//! makes a drive of many dies.
//!
//! It awaits the traits of `floatgate-hal` and knows no executor, so the same code runs on the
//! models, on the RTL and, under an embedded executor, on a board. Nothing here allocates: buffers
//! and tables are lent to it once, when a die is mounted.
//!
//! The path of a page, top to bottom: [`bring_up`] finds out what the die is and sets its timing;
//! [`scan_bad_blocks`] tells good blocks from bad ones; a [`FlashStore`] programs, reads and erases
//! with a code ([`page`]) whose strength a policy chooses ([`policy`]).
//!
//! A drive: [`ftl`] keeps the books of pages and blocks; the tasks of a [`drive`] serve the host,
//! collect blocks, and find out after a power cut what is there.
#![no_std]
#![forbid(unsafe_code)]

mod bad_blocks;
mod bring_up;
mod commands;
pub mod drive;
pub mod ftl;
pub mod onfi;
pub mod page;
pub mod policy;
mod store;

pub use bad_blocks::{BadBlocks, TableTooShort, scan_bad_blocks};
pub use bring_up::{BringUpError, DieDescription, bring_up};
pub use commands::{BusFault, Die};
pub use store::{EraseError, FlashStore, PageRead, ProgramError, ReadError};
