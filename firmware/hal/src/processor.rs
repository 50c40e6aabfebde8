//! What firmware's tasks need of the processor that they share: events to wait for each other, and
//! the time that their own steps take.

/// A moment that tasks wait for. A notification ends the waits that have begun and is not
/// remembered for later ones.
#[expect(async_fn_in_trait, reason = "one executor, one thread: no future has to be Send")]
pub trait Event {
    /// Waits for the next notification.
    async fn wait(&self);

    /// Ends all waits that have begun.
    fn notify(&self);

    /// Ends the wait that began first.
    fn notify_one(&self);
}

/// What tasks of firmware wait for from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wait {
    /// Something to collect.
    Collectable,
    /// A free block.
    FreeBlock,
    /// The end of a write to the same page.
    SamePage,
    /// Something in the buffer to write to flash.
    Buffered,
    /// Room in the buffer.
    BufferRoom,
    /// The end of a flush.
    Flushed,
    /// Changes that the journal has to hold.
    Changes,
    /// A page of the journal.
    Journaled,
    /// The end of the program before in the same block.
    ProgramBefore,
    /// The other units of a mount.
    Mount,
}

impl Wait {
    /// As a report of what waits says it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Collectable => "blocks to collect",
            Self::FreeBlock => "a free block",
            Self::SamePage => "the end of a write to the same page",
            Self::Buffered => "pages in the buffer",
            Self::BufferRoom => "room in the buffer",
            Self::Flushed => "the end of a flush",
            Self::Changes => "changes for the journal",
            Self::Journaled => "a page of the journal",
            Self::ProgramBefore => "the end of the program before",
            Self::Mount => "the other units of the mount",
        }
    }
}

/// A step of firmware. Its cost stands in the configuration of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// A command is taken up, with its first piece.
    Command,
    /// A piece of a command is taken up.
    Accept,
    /// The mapping is looked up.
    Translate,
    /// A page to write to is chosen.
    Allocate,
    /// The mapping is changed after a program.
    Map,
    /// A block to collect is chosen.
    ChooseVictim,
    /// A page is moved.
    Move,
    /// A piece is reported.
    Report,
    /// A page of the journal is put together.
    Journal,
}

impl Step {
    /// All of them, in order.
    pub const ALL: [Self; 9] = [
        Self::Command,
        Self::Accept,
        Self::Translate,
        Self::Allocate,
        Self::Map,
        Self::ChooseVictim,
        Self::Move,
        Self::Report,
        Self::Journal,
    ];
}

/// The processor of the drive.
#[expect(async_fn_in_trait, reason = "one executor, one thread: no future has to be Send")]
pub trait Processor {
    /// Its events.
    type Event: Event;

    /// Makes an event; what it is for, is for whoever looks at what waits.
    fn event(&self, wait: Wait) -> Self::Event;

    /// Takes the time of a step, and waits for the processor where others have it. On a board the
    /// step takes its time by itself, so there is nothing to do.
    async fn work(&self, step: Step);
}
