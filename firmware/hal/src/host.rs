//! The host interface of a drive as its firmware sees it: pieces of commands, cut at pages by the
//! interface's hardware, the way of their data, and the report that a piece is done.

use crate::array::{Extent, Lpn, Slot};

/// What the host wants done with a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Its data.
    Read,
    /// New data.
    Write,
    /// New data that are on flash when the command is complete (FUA).
    WriteThrough,
    /// The data are of no use any more.
    Trim,
    /// All that was written before is on flash when the command is complete. It has no data.
    Flush,
}

/// A command of the host, by the place where the interface keeps it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CommandTag(pub u32);

/// The part of a command that concerns one logical page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostPage {
    /// Its command.
    pub tag: CommandTag,
    /// What is wanted.
    pub access: Access,
    /// The page.
    pub lpn: Lpn,
    /// What of it; nothing of a flush.
    pub part: Extent,
    /// Whether it is the command's first piece.
    pub is_first: bool,
}

/// How a piece ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PageStatus {
    /// As wanted.
    Done,
    /// The data cannot be read.
    Unreadable,
}

/// The host interface.
#[expect(async_fn_in_trait, reason = "one executor, one thread: no future has to be Send")]
pub trait HostPort {
    /// Waits for the next piece.
    async fn next(&self) -> HostPage;

    /// Brings the data of a write into a slot, at the place of its sectors; of a trim, which has no
    /// data, the description of what is given up.
    async fn receive(&self, page: HostPage, into: Slot);

    /// Sends the data of a read from a slot; from none, the zeros of a page that is not mapped.
    async fn send(&self, page: HostPage, from: Option<Slot>);

    /// Reports the end of a piece; the last one completes its command.
    fn complete(&self, page: HostPage, status: PageStatus);
}
