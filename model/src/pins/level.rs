//! Levels of wires: what the host drives, what a die drives, and what the bus then carries.

/// Targets that share one channel at most.
pub const TARGETS_MAX: usize = 8;

/// The level of one wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Level {
    /// 0.
    Low,
    /// 1.
    High,
    /// Driven, but nobody knows to what: X.
    Unknown,
    /// Not driven: Z.
    #[default]
    Floating,
}

impl Level {
    /// Whether the wire is at 0.
    pub const fn is_low(self) -> bool {
        matches!(self, Self::Low)
    }

    /// Whether the wire is at 1.
    pub const fn is_high(self) -> bool {
        matches!(self, Self::High)
    }

    /// Whether the wire is at 0 or 1.
    pub const fn is_known(self) -> bool {
        matches!(self, Self::Low | Self::High)
    }
}

impl From<bool> for Level {
    fn from(bit: bool) -> Self {
        if bit { Self::High } else { Self::Low }
    }
}

/// The eight wires DQ\[7:0\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Octet {
    /// Their values. Of a wire that is driven but unknown this is the opposite of what it will
    /// carry, so that a host with two-valued logic that samples too early takes in wrong data.
    pub value: u8,
    /// The wires that are driven.
    pub driven: u8,
    /// The driven wires whose value is unknown.
    pub unknown: u8,
}

impl Octet {
    /// Nobody drives.
    pub const FLOATING: Self = Self { value: 0, driven: 0, unknown: 0 };

    /// All wires driven to the bits of `byte`.
    pub const fn driving(byte: u8) -> Self {
        Self { value: byte, driven: 0xFF, unknown: 0 }
    }

    /// All wires driven, on the way to the bits of `byte`.
    pub const fn changing_to(byte: u8) -> Self {
        Self { value: !byte, driven: 0xFF, unknown: 0xFF }
    }

    /// The byte, if every wire is driven and known.
    pub const fn byte(self) -> Option<u8> {
        if self.driven == 0xFF && self.unknown == 0 { Some(self.value) } else { None }
    }
}

/// The pins that a host drives. In NV-DDR WE# carries the clock CLK, and RE# the direction W/R#.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostPins {
    /// CE# of each target.
    pub ce_n: [Level; TARGETS_MAX],
    /// CLE.
    pub cle: Level,
    /// ALE.
    pub ale: Level,
    /// WE#, or CLK.
    pub we_n: Level,
    /// RE#, or W/R#.
    pub re_n: Level,
    /// WP#.
    pub wp_n: Level,
    /// DQ.
    pub dq: Octet,
    /// DQS; floating in SDR.
    pub dqs: Level,
}

impl HostPins {
    /// No target selected, no strobe active, nothing protected, DQ and DQS left alone.
    pub const IDLE: Self = Self {
        ce_n: [Level::High; TARGETS_MAX],
        cle: Level::Low,
        ale: Level::Low,
        we_n: Level::High,
        re_n: Level::High,
        wp_n: Level::High,
        dq: Octet::FLOATING,
        dqs: Level::Floating,
    };
}

/// What one target drives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiePins {
    /// DQ.
    pub dq: Octet,
    /// DQS.
    pub dqs: Level,
    /// R/B#, an open drain: low or floating.
    pub rb_n: Level,
}

/// What the wires of a channel carry once host, dies and pull-ups are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusLevels {
    /// DQ.
    pub dq: Octet,
    /// DQS.
    pub dqs: Level,
    /// R/B# of each target; a wire that no target pulls down is high.
    pub rb_n: [Level; TARGETS_MAX],
}

/// Two drivers on one wire: unknown where they differ.
pub(super) fn join(a: Level, b: Level) -> Level {
    match (a, b) {
        (Level::Floating, other) | (other, Level::Floating) => other,
        (a, b) if a == b => a,
        _ => Level::Unknown,
    }
}

/// Two drivers on DQ.
pub(super) fn join_octets(a: Octet, b: Octet) -> Octet {
    let clash = a.driven & b.driven & (a.value ^ b.value);
    Octet {
        value: (a.value & a.driven) | (b.value & b.driven),
        driven: a.driven | b.driven,
        unknown: a.unknown | b.unknown | clash,
    }
}
