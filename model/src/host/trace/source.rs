//! The requests of a trace on the simulated device and its clock.

use std::num::NonZeroU32;

use floatgate_hal::units::Picoseconds;

use super::fields::{LineFault, Timestamp};
use super::fold::AddressMap;
use super::order::{Sorter, TooOld};
use super::reader::{Reader, Recorded};
use super::{Counts, Devices, Skip, Timing, TraceConfig, TraceError, TraceFormat};
use crate::config::{Check, Fault};
use crate::host::{Capacity, Lba, Request, RequestKind, RequestSource, SectorCount};

/// The last time stamp that is taken: simulated time ends after 2^64 ps, 213 days.
const SPAN_MAX_PS: u64 = u64::MAX / 2;

/// A trace that is replayed.
#[derive(Debug)]
pub struct TraceSource {
    reader: Reader,
    devices: Devices,
    sorter: Sorter,
    timing: Timing,
    map: AddressMap,
    /// Time stamp of the first request, and when that was asked for.
    origin: Option<(Timestamp, Picoseconds)>,
    /// The write behind a flush that was made of the same line.
    behind_flush: Option<Request>,
}

impl TraceSource {
    /// Opens a trace for a device of this capacity.
    ///
    /// # Errors
    /// [`TraceError`] where an option is out of range, the file cannot be read or its format cannot
    /// be told; where the file is to be read twice, also where a line is malformed.
    pub fn open(config: &TraceConfig, capacity: Capacity) -> Result<Self, Box<TraceError>> {
        if let Err(Fault { field: option, message }) = config.check() {
            let path = config.path.clone();
            return Err(Box::new(TraceError::Option { path, option, message }));
        }
        Ok(Self {
            map: AddressMap::new(config, capacity)?,
            reader: Reader::open(config)?,
            devices: config.devices.clone(),
            sorter: Sorter::new(config.order),
            timing: config.timing,
            origin: None,
            behind_flush: None,
        })
    }

    /// The format of the file.
    pub fn format(&self) -> TraceFormat {
        self.reader.format()
    }

    /// What became of the lines read so far.
    pub fn counts(&self) -> &Counts {
        &self.reader.counts
    }

    /// The next request of the chosen devices in order of time.
    fn next_recorded(&mut self) -> Result<Option<Recorded>, Box<TraceError>> {
        while let Some(recorded) = self.reader.next()? {
            if !self.is_chosen(&recorded)? {
                self.reader.counts.skip(Skip::OtherDevice);
                continue;
            }
            let line = recorded.line;
            match self.sorter.push(recorded) {
                Ok(Some(oldest)) => return Ok(Some(oldest)),
                Ok(None) => {}
                Err(too_old) => return Err(self.too_old(line, &too_old)),
            }
        }
        Ok(self.sorter.pop())
    }

    fn is_chosen(&self, recorded: &Recorded) -> Result<bool, Box<TraceError>> {
        match &self.devices {
            Devices::Concatenated => Ok(true),
            Devices::One(name) => Ok(self.reader.devices.name(recorded.device) == name),
            Devices::Only if recorded.device.0 == 0 => Ok(true),
            Devices::Only => {
                let names = &self.reader.devices;
                let message = format!(
                    "is `{}` after `{}`; choose one device by `One`, or all by `Concatenated`",
                    names.name(recorded.device),
                    names.name(super::device::DeviceIndex(0)),
                );
                let field = Some(self.format().device_field());
                Err(self.reader.fault(recorded.line, LineFault { field, message }))
            }
        }
    }

    #[cold]
    fn too_old(&self, line: u64, &TooOld { by_ps, window }: &TooOld) -> Box<TraceError> {
        let by_ns = by_ps as f64 / 1000.0;
        let message = match window {
            0 => format!("is {by_ns} ns before that of a request above; `Reordered` sorts"),
            _ => format!("is {by_ns} ns too old for the window of {window} requests"),
        };
        self.reader.fault(line, LineFault { field: Some(self.format().time_field()), message })
    }

    fn arrival(
        &mut self,
        recorded: &Recorded,
        now: Picoseconds,
    ) -> Result<Picoseconds, Box<TraceError>> {
        match self.timing {
            Timing::Closed { think_ns, .. } => Ok(Picoseconds(now.0 + think_ns * 1000)),
            Timing::Recorded { factor } => {
                let &mut (first, begin) = self.origin.get_or_insert((recorded.time, now));
                let distance = recorded.time.0 - first.0;
                // Floating point would not keep every picosecond, so as recorded means untouched.
                let scaled = match u64::try_from(distance) {
                    Ok(distance) if factor == 1.0 => distance,
                    _ => (distance as f64 * factor).round() as u64,
                };
                match begin.0.checked_add(scaled).filter(|_| scaled <= SPAN_MAX_PS) {
                    Some(arrival) => Ok(Picoseconds(arrival)),
                    None => {
                        let field = Some(self.format().time_field());
                        let message = "is more than 106 days after the first one".to_owned();
                        Err(self.reader.fault(recorded.line, LineFault { field, message }))
                    }
                }
            }
        }
    }

    /// The request on the simulated device.
    fn request(
        &mut self,
        recorded: &Recorded,
        arrival: Picoseconds,
    ) -> Result<Request, Box<TraceError>> {
        let &Recorded { kind, fua, place, line, .. } = recorded;
        let counts = &mut self.reader.counts;
        counts.requests += 1;
        if kind == RequestKind::Flush {
            return Ok(Request::flush(arrival));
        }
        let (sector, is_folded): (Lba, bool) = match self.map.place(recorded) {
            Ok(placed) => placed,
            Err(message) => {
                let field = Some(self.format().address_field());
                return Err(self.reader.fault(line, LineFault { field, message }));
            }
        };
        counts.folded += u64::from(is_folded);
        counts.widened += u64::from(place.widened);
        let sectors: SectorCount = place.sectors;
        Ok(Request { arrival, kind, fua, sector, sectors })
    }

    #[cold]
    fn empty(&self) -> Box<TraceError> {
        let counts = self.counts();
        Box::new(TraceError::Empty {
            path: self.reader.path().to_owned(),
            which: match &self.devices {
                Devices::One(name) => format!(" of device `{name}`"),
                Devices::Only | Devices::Concatenated => String::new(),
            },
            lines: counts.lines,
            skipped: counts.to_string(),
        })
    }
}

impl RequestSource for TraceSource {
    fn queue_depth(&self) -> Option<NonZeroU32> {
        match self.timing {
            Timing::Closed { queue_depth, .. } => NonZeroU32::new(queue_depth),
            Timing::Recorded { .. } => None,
        }
    }

    fn next_request(&mut self, now: Picoseconds) -> Result<Option<Request>, Box<TraceError>> {
        if let Some(request) = self.behind_flush.take() {
            return Ok(Some(request));
        }
        let Some(recorded) = self.next_recorded()? else {
            return if self.counts().requests == 0 { Err(self.empty()) } else { Ok(None) };
        };
        let arrival = self.arrival(&recorded, now)?;
        let request = self.request(&recorded, arrival)?;
        if recorded.preflush {
            self.behind_flush = Some(request);
            return Ok(Some(Request::flush(arrival)));
        }
        Ok(Some(request))
    }
}
