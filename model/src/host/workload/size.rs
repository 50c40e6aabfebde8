//! The sizes of a phase's requests with their alignments.

use rand::distr::Distribution;
use rand_distr::weighted::{Error, WeightedAliasIndex};

use super::{SizeWeight, Sizes};
use crate::config::Fault;
use crate::host::SectorCount;
use crate::host::request::SECTOR_BYTES;
use crate::sim::RandomStream;

/// JESD219's sizes from 4 KiB on in KiB, with their shares in percent.
const JESD219_LARGE: [(u64, u32); 5] = [(4, 67), (8, 10), (16, 7), (32, 3), (64, 3)];

/// One size, in sectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) sectors: SectorCount,
    /// What starts are a multiple of.
    pub(super) align: u64,
}

/// The sizes of a phase, and how they are drawn.
#[derive(Debug)]
pub(super) struct SizeTable {
    sizes: Vec<Size>,
    weights: Vec<u32>,
    /// None where there is only one size.
    draw: Option<WeightedAliasIndex<u32>>,
}

impl SizeTable {
    /// Checks what the configuration says.
    pub(super) fn new(sizes: &Sizes) -> Result<Self, Fault> {
        let (entries, place) = match sizes {
            Sizes::Bytes(bytes) => {
                (vec![SizeWeight { bytes: *bytes, weight: 1, align_bytes: 0 }], "sizes".to_owned())
            }
            Sizes::Mix(entries) => (entries.clone(), "sizes[{}]".to_owned()),
            Sizes::Jesd219Enterprise => (jesd219_enterprise(), String::new()),
        };
        let place = |index: usize| place.replace("{}", &index.to_string());
        let table = entries.iter().enumerate().map(|(index, entry)| size(entry, &place(index)));
        let sizes = table.collect::<Result<Vec<_>, _>>()?;
        let weights: Vec<u32> = entries.iter().map(|entry| entry.weight).collect();
        let draw = match WeightedAliasIndex::new(weights.clone()) {
            Ok(_) if sizes.len() == 1 => None,
            Ok(draw) => Some(draw),
            Err(Error::InvalidInput) => return Err(Fault::new("sizes", "is empty")),
            Err(Error::InsufficientNonZero) => {
                return Err(Fault::new("sizes", "all weights are 0"));
            }
            Err(error) => return Err(Fault::new("sizes", format!("cannot be drawn: {error}"))),
        };
        Ok(Self { sizes, weights, draw })
    }

    /// Draws a size: its index.
    pub(super) fn draw(&self, random: &mut RandomStream) -> usize {
        self.draw.as_ref().map_or(0, |draw| draw.sample(random))
    }

    pub(super) fn get(&self, index: usize) -> Size {
        self.sizes[index]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Size> {
        self.sizes.iter().copied()
    }

    pub(super) fn largest_bytes(&self) -> u64 {
        self.iter().map(|size| size.sectors.bytes()).max().unwrap_or(0)
    }

    pub(super) fn mean_bytes(&self) -> f64 {
        let total: f64 = self.weights.iter().map(|&weight| f64::from(weight)).sum();
        let weighted = self.iter().zip(&self.weights);
        weighted.map(|(size, &weight)| size.sectors.bytes() as f64 * f64::from(weight)).sum::<f64>()
            / total
    }
}

fn size(entry: &SizeWeight, place: &str) -> Result<Size, Fault> {
    let &SizeWeight { bytes, align_bytes, .. } = entry;
    let field = |name: &str| match place {
        "sizes" => place.to_owned(),
        _ => format!("{place}.{name}"),
    };
    let sectors = u32::try_from(bytes / SECTOR_BYTES).unwrap_or(0);
    if sectors == 0 || bytes % SECTOR_BYTES != 0 {
        let message = format!("is {bytes}, must be whole sectors of 512, from 1 to 4294967295");
        return Err(Fault::new(field("bytes"), message));
    }
    if align_bytes % SECTOR_BYTES != 0 {
        let message = format!("is {align_bytes}, must be whole sectors of 512");
        return Err(Fault::new(field("align_bytes"), message));
    }
    let align = if align_bytes == 0 { u64::from(sectors) } else { align_bytes / SECTOR_BYTES };
    Ok(Size { sectors: SectorCount(sectors), align })
}

fn jesd219_enterprise() -> Vec<SizeWeight> {
    let small = (1..8).map(|sectors| SizeWeight {
        bytes: sectors * SECTOR_BYTES,
        weight: if sectors == 1 { 4 } else { 1 },
        align_bytes: SECTOR_BYTES,
    });
    let large = JESD219_LARGE.map(|(kib, weight)| SizeWeight {
        bytes: kib << 10,
        weight,
        align_bytes: 4 << 10,
    });
    small.chain(large).collect()
}
