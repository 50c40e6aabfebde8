//! The table of operations. The controller RTL holds the same table in its package, in the same
//! order; a co-simulation test compares the two.

/// Address cycles of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressForm {
    /// None.
    None,
    /// One byte: the ID or feature address.
    Byte,
    /// Column, then row.
    ColumnRow,
    /// Row alone.
    Row,
    /// Column alone.
    Column,
}

/// Data of an operation, and what the bus waits for before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataPhase {
    /// No data.
    None,
    /// Into the die after tADL.
    InAfterAdl,
    /// Into the die after tCCS.
    InAfterCcs,
    /// Out of the die after tWHR.
    OutAfterWhr,
    /// Out of the die after tCCS.
    OutAfterCcs,
    /// Out of the die after its busy time and tRR.
    OutAfterBusy,
}

/// What the die does after the last command or data cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusyPhase {
    /// Nothing: it stays ready.
    None,
    /// It is busy; the controller waits for it.
    Wait,
    /// It is busy; the controller waits, then reads the status and looks at FAIL.
    WaitThenStatus,
}

/// One line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpForm {
    /// First command.
    pub first: u8,
    /// Address cycles after it.
    pub address: AddressForm,
    /// Data, before the confirming command if they go in, after the busy time if they come out.
    pub data: DataPhase,
    /// Confirming command.
    pub confirm: Option<u8>,
    /// Busy time.
    pub busy: BusyPhase,
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident = $code:literal:
        $first:literal $address:ident $data:ident $confirm:expr, $busy:ident;)*) => {
        /// The operations; the number is the one that the controller's command queue takes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum OpKind { $($(#[$doc])* $name = $code),* }

        impl OpKind {
            /// All of them, in order.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// This operation's line of the table.
            pub const fn form(self) -> OpForm {
                match self {
                    $(Self::$name => OpForm {
                        first: $first,
                        address: AddressForm::$address,
                        data: DataPhase::$data,
                        confirm: $confirm,
                        busy: BusyPhase::$busy,
                    }),*
                }
            }

            /// Whether it does not wait for what its die was asked for before: that ends at once,
            /// as timed out, or as soon as its cycles on the bus are over.
            pub const fn overtakes(self) -> bool {
                matches!(self, Self::Reset | Self::SynchronousReset)
            }
        }
    };
}

operations! {
    /// FFh: every LUN of the target, back to SDR mode 0. It [overtakes](OpKind::overtakes).
    Reset = 0: 0xFF None None None, Wait;
    /// FCh: every LUN of the target, interface and mode kept. It [overtakes](OpKind::overtakes).
    SynchronousReset = 1: 0xFC None None None, Wait;
    /// FAh: one LUN, when the operations before it have ended: others may be at work.
    ResetLun = 2: 0xFA Row None None, Wait;
    /// 90h.
    ReadId = 3: 0x90 Byte OutAfterWhr None, None;
    /// ECh.
    ReadParameterPage = 4: 0xEC Byte OutAfterBusy None, Wait;
    /// EDh.
    ReadUniqueId = 5: 0xED Byte OutAfterBusy None, Wait;
    /// EEh, four bytes out.
    GetFeatures = 6: 0xEE Byte OutAfterBusy None, Wait;
    /// EFh, four bytes in.
    SetFeatures = 7: 0xEF Byte InAfterAdl None, Wait;
    /// 70h, one byte out.
    ReadStatus = 8: 0x70 None OutAfterWhr None, None;
    /// 78h, one byte out.
    ReadStatusEnhanced = 9: 0x78 Row OutAfterWhr None, None;
    /// 00h-30h and the data.
    ReadPage = 10: 0x00 ColumnRow OutAfterBusy Some(0x30), Wait;
    /// 00h-30h, the data left in the register: the start of a cache read.
    ReadPageToRegister = 11: 0x00 ColumnRow None Some(0x30), Wait;
    /// 00h-32h: a plane of a multi-plane read.
    ReadPageMultiPlane = 12: 0x00 ColumnRow None Some(0x32), Wait;
    /// 31h and the data of the page before.
    ReadCacheSequential = 13: 0x31 None OutAfterBusy None, Wait;
    /// 00h-31h and the data of the page before.
    ReadCacheRandom = 14: 0x00 ColumnRow OutAfterBusy Some(0x31), Wait;
    /// 3Fh and the data of the last page.
    ReadCacheEnd = 15: 0x3F None OutAfterBusy None, Wait;
    /// 05h-E0h and the data.
    ChangeReadColumn = 16: 0x05 Column OutAfterCcs Some(0xE0), None;
    /// 06h-E0h and the data: any plane of any LUN.
    ChangeReadColumnEnhanced = 17: 0x06 ColumnRow OutAfterCcs Some(0xE0), None;
    /// 80h-10h.
    ProgramPage = 18: 0x80 ColumnRow InAfterAdl Some(0x10), WaitThenStatus;
    /// 80h-15h: busy only until the register is free again.
    ProgramPageCache = 19: 0x80 ColumnRow InAfterAdl Some(0x15), WaitThenStatus;
    /// 80h-11h: a plane of a multi-plane program.
    ProgramPageMultiPlane = 20: 0x80 ColumnRow InAfterAdl Some(0x11), Wait;
    /// 80h and data, left open for [`ChangeWriteColumn`](Self::ChangeWriteColumn).
    LoadPage = 21: 0x80 ColumnRow InAfterAdl None, None;
    /// 85h and data into the open page.
    ChangeWriteColumn = 22: 0x85 Column InAfterCcs None, None;
    /// 85h, data, 10h: the last part of an open page.
    ChangeWriteColumnAndProgram = 23: 0x85 Column InAfterCcs Some(0x10), WaitThenStatus;
    /// 60h-D0h.
    EraseBlock = 24: 0x60 Row None Some(0xD0), WaitThenStatus;
    /// 60h-D1h: a plane of a multi-plane erase.
    EraseBlockMultiPlane = 25: 0x60 Row None Some(0xD1), Wait;
    /// 00h-35h.
    CopybackRead = 26: 0x00 ColumnRow None Some(0x35), Wait;
    /// 85h-10h without data.
    CopybackProgram = 27: 0x85 ColumnRow None Some(0x10), WaitThenStatus;
}
