//! Which trace is used, and how.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::config::{Check, Fault};

/// A trace and how its requests are used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceConfig {
    /// The file.
    pub path: PathBuf,
    /// Its format.
    #[serde(default)]
    pub format: FormatChoice,
    /// Which of its devices.
    #[serde(default)]
    pub devices: Devices,
    /// What to do about time stamps that go back.
    #[serde(default)]
    pub order: Order,
    /// When requests arrive.
    #[serde(default)]
    pub timing: Timing,
    /// What to do about addresses beyond the simulated device.
    #[serde(default)]
    pub fold: Fold,
    /// Which event of blkparse is a request.
    #[serde(default)]
    pub blkparse_action: BlkparseAction,
}

impl TraceConfig {
    /// A trace with all choices at their defaults.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            format: FormatChoice::default(),
            devices: Devices::default(),
            order: Order::default(),
            timing: Timing::default(),
            fold: Fold::default(),
            blkparse_action: BlkparseAction::default(),
        }
    }
}

/// A format of trace files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TraceFormat {
    /// MQSim and SSDSim: `arrival_ns device lba sectors type`, type 1 read, 0 write.
    MqSim,
    /// MSR Cambridge: `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`, the time stamp
    /// in units of 100 ns, Type `Read` or `Write`, Offset and Size in bytes.
    Msr,
    /// SPC-1: `ASU,LBA,Size,Opcode,Timestamp` and fields that are ignored; sectors, bytes, `R` or
    /// `W` in any case, seconds.
    Spc1,
    /// SYSTOR'17: a header, then `Timestamp,Response,IOType,LUN,Offset,Size`; seconds, IOType `R`,
    /// `W` or empty, bytes. Rows without a type are skipped.
    Systor17,
    /// FIU: `timestamp pid process lba size W|R major minor md5`, nanoseconds and sectors.
    Fiu,
    /// blkparse's default output: one kind of event is a request ([`BlkparseAction`]), others and
    /// the summary at the end are skipped.
    Blkparse,
    /// fio's iolog, version 2 or 3. Version 2 has no times but its `wait`s.
    Iolog,
}

impl TraceFormat {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::MqSim,
        Self::Msr,
        Self::Spc1,
        Self::Systor17,
        Self::Fiu,
        Self::Blkparse,
        Self::Iolog,
    ];
}

impl fmt::Display for TraceFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// How the format of a trace is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FormatChoice {
    /// From the first lines.
    #[default]
    Recognised,
    /// By its name.
    Named(TraceFormat),
}

/// Which devices of a trace are used. A device is called what the file calls it: the field of
/// MQSim, SPC-1 (ASU), SYSTOR'17 (LUN) and iolog (file), `host,disk` in MSR, `major minor` in FIU,
/// `major,minor` in blkparse.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Devices {
    /// The only one; a second one is an error.
    #[default]
    Only,
    /// The one of this name; requests of others are skipped.
    One(String),
    /// All, one behind the other in the order of their first requests, each as long as its last
    /// request needs and rounded up to 1 MiB. The file is read once more for that.
    Concatenated,
}

/// What to do about time stamps that go back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Order {
    /// They are errors.
    #[default]
    Strict,
    /// Requests are sorted; one that is older than those already given is an error.
    Reordered {
        /// Requests that are held back for it, from 1.
        window: usize,
    },
}

/// When requests arrive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Timing {
    /// As recorded: an open loop.
    Recorded {
        /// What the distances in time are multiplied by, above 0.
        factor: f64,
    },
    /// In a closed loop, whatever was recorded.
    Closed {
        /// Outstanding requests, from 1.
        queue_depth: u32,
        /// From a completion to the arrival of the next request.
        #[serde(default)]
        think_ns: u64,
    },
}

impl Default for Timing {
    fn default() -> Self {
        Self::Recorded { factor: 1.0 }
    }
}

/// What to do where the trace's addresses exceed the simulated device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fold {
    /// A request beyond the device is an error.
    #[default]
    Refuse,
    /// The address modulo the capacity; a request that would then run out of the device is moved
    /// down to end with it.
    Wrap,
    /// The whole address range of the trace is shrunk onto the device, in steps of 4 KiB, the
    /// position within 4 KiB kept; at the end of the device as with `Wrap`. The file is read once
    /// more for the range; where that fits the device, nothing changes.
    Scale,
}

/// The event of blkparse that counts as a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlkparseAction {
    /// `D`, issued to the driver: after merging and scheduling.
    #[default]
    Issued,
    /// `Q`, queued: as the file system asked.
    Queued,
}

impl Check for TraceConfig {
    fn check(&self) -> Result<(), Fault> {
        let one_or_more = |field: &str, value: u64| match value {
            0 => Err(Fault::new(field, "is 0, must be 1 or more")),
            _ => Ok(()),
        };
        if let Order::Reordered { window } = self.order {
            one_or_more("order.window", window as u64)?;
        }
        match self.timing {
            Timing::Closed { queue_depth, think_ns } => {
                one_or_more("timing.queue_depth", u64::from(queue_depth))?;
                if think_ns > 3_600_000_000_000 {
                    let message = format!("is {think_ns}, more than an hour");
                    return Err(Fault::new("timing.think_ns", message));
                }
                Ok(())
            }
            Timing::Recorded { factor } if factor > 0.0 && factor.is_finite() => Ok(()),
            Timing::Recorded { factor } => {
                Err(Fault::new("timing.factor", format!("is {factor}, must be above 0")))
            }
        }
    }
}
