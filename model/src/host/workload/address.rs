//! Which addresses a phase uses.

use rand::distr::{Distribution, Uniform};

use super::size::{Size, SizeTable};
use super::zipf::Zipf;
use super::{Extent, Pattern, Permutation, Region};
use crate::config::Fault;
use crate::host::request::SECTOR_BYTES;
use crate::host::{Capacity, Lba};
use crate::sim::RandomStream;

/// JESD219's zones: fraction of the region, and share of the accesses.
const JESD219_ZONES: [(f64, f64); 3] = [(0.05, 0.5), (0.15, 0.3), (0.8, 0.2)];
/// Draws the starts of a phase's requests.
#[derive(Debug)]
pub(super) struct Addresses {
    /// First sector of the region.
    base: u64,
    /// Its length in sectors.
    len: u64,
    /// Sectors of a unit.
    unit: u64,
    units: Units,
}

/// Picks a unit of the region.
#[derive(Debug)]
enum Units {
    /// With the sector, counted in the region, at which the last request ended.
    Sequential {
        end: u64,
    },
    Uniform(Uniform<u64>),
    Zipf {
        rank: Zipf,
        scattered: Permutation,
    },
    Zones {
        shares: Uniform<f64>,
        zones: Vec<Zone>,
    },
}

/// Units that are alike.
#[derive(Debug)]
struct Zone {
    /// The share of the accesses to this zone and those before it.
    shares_to_here: f64,
    units: Uniform<u64>,
}

impl Addresses {
    /// The addresses of a phase whose configuration was checked, on a device of this capacity.
    /// `ranks` keys the permutation of Zipf's ranks.
    pub(super) fn new(
        pattern: Pattern,
        region: Region,
        sizes: &SizeTable,
        capacity: Capacity,
        ranks: &mut RandomStream,
    ) -> Result<Self, Fault> {
        let largest_align = sizes.iter().map(|size| size.align).max().unwrap_or(1);
        let (base, len) = place(region, capacity, largest_align)?;
        let largest = sizes.largest_bytes() / SECTOR_BYTES;
        if len < largest {
            let message = format!("has {len} sectors, the largest request {largest}");
            return Err(Fault::new("region.size", message));
        }
        let unit = sizes.iter().map(|size| size.align).fold(0, gcd);
        let count = (len / unit).max(1);
        let units = match pattern {
            Pattern::Sequential => Units::Sequential { end: 0 },
            Pattern::Uniform => Units::Uniform(below(count)),
            Pattern::Zipf { theta } => Units::Zipf {
                rank: Zipf::new(count, theta),
                scattered: Permutation::new(count, ranks),
            },
            Pattern::HotCold { space, accesses } => {
                zones(count, &[(space, accesses), (1.0 - space, 1.0 - accesses)])?
            }
            Pattern::Jesd219Enterprise => zones(count, &JESD219_ZONES)?,
        };
        Ok(Self { base, len, unit, units })
    }

    /// Draws the start of a request of this size.
    pub(super) fn draw(&mut self, size: Size, random: &mut RandomStream) -> Lba {
        let sectors = u64::from(size.sectors.0);
        let last = self.len - sectors;
        let start = match &mut self.units {
            Units::Sequential { end } => {
                let next = end.next_multiple_of(size.align);
                let start = if next <= last { next } else { 0 };
                *end = start + sectors;
                return Lba(self.base + start);
            }
            Units::Uniform(units) => units.sample(random),
            Units::Zipf { rank, scattered } => scattered.apply(rank.sample(random) - 1),
            Units::Zones { shares, zones } => {
                let share = shares.sample(random);
                let is_in = |zone: &&Zone| share < zone.shares_to_here;
                let zone = zones.iter().find(is_in).or(zones.last()).expect("zones");
                zone.units.sample(random)
            }
        } * self.unit;
        let start = start.min(last);
        Lba(self.base + start - start % size.align)
    }
}

/// First sector and length of a region.
fn place(region: Region, capacity: Capacity, align: u64) -> Result<(u64, u64), Fault> {
    let sectors = |extent: Extent| match extent {
        Extent::Bytes(bytes) => bytes / SECTOR_BYTES,
        Extent::Fraction(fraction) => ((capacity.0 as f64 * fraction) as u64).min(capacity.0),
    };
    let mut base = sectors(region.offset);
    if matches!(region.offset, Extent::Fraction(_)) {
        base -= base % align;
    }
    let len = sectors(region.size);
    match base.checked_add(len) {
        Some(end) if end <= capacity.0 => Ok((base, len)),
        _ => {
            let capacity = capacity.0;
            let message = format!("{len} sectors from {base} exceed the device's {capacity}");
            Err(Fault::new("region.size", message))
        }
    }
}

/// Divides units among zones of (fraction of the units, share of the accesses). A zone that
/// rounding leaves without a unit is an error.
fn zones(count: u64, parts: &[(f64, f64)]) -> Result<Units, Fault> {
    let mut zones = Vec::new();
    let (mut space, mut shares_to_here, mut from) = (0.0, 0.0, 0);
    for (index, &(fraction, share)) in parts.iter().enumerate() {
        space += fraction;
        shares_to_here += share;
        let is_last = index + 1 == parts.len();
        let to = if is_last { count } else { (space * count as f64).round() as u64 };
        if from == to {
            let message = format!("part {} of {count} units is less than one", index + 1);
            return Err(Fault::new("pattern", message));
        }
        let units = Uniform::new(from, to).expect("not empty");
        zones.push(Zone { shares_to_here, units });
        from = to;
    }
    Ok(Units::Zones { shares: Uniform::new(0.0, 1.0).expect("not empty"), zones })
}

fn below(count: u64) -> Uniform<u64> {
    Uniform::new(0, count).expect("not empty")
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
