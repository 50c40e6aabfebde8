//! The translation layer of a drive.

use floatgate_firmware::drive::journal_reserve;
use floatgate_firmware::ftl::{
    FtlConfig, JournalLayout, Metadata, Placement, Trims, VictimPolicy, WearLimits,
};
use serde::{Deserialize, Serialize};

use super::drive::holds;
use super::{DriveConfig, ErrorConfig, Fault};

/// The translation layer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TranslationConfig {
    /// Over-provisioning (T - U) / U in per cent, T being all pages of the flash and U those that
    /// the host sees.
    pub over_provisioning_percent: f64,
    /// Which block is collected.
    #[serde(with = "VictimPolicyConfig")]
    pub victim: VictimPolicy,
    /// A plane with fewer free blocks than this collects: more than the reserve.
    pub collect_below: u32,
    /// Free blocks of a plane that only moved pages may take, at least 1; 2 where power may be cut.
    pub reserve_blocks: u32,
    /// Whether moved pages have a block of their own.
    pub separate_moved: bool,
    /// To which plane pages go.
    #[serde(with = "PlacementConfig")]
    pub placement: Placement,
    /// What becomes of pages that the host gives up.
    #[serde(with = "TrimsConfig")]
    pub trims: Trims,
    /// Whether the least worn free block is written next.
    pub level_free_blocks: bool,
    /// How a mount finds out what is on the flash.
    #[serde(with = "MetadataConfig", default)]
    pub metadata: Metadata,
    /// When data are moved to save blocks.
    #[serde(with = "WearLimitsConfig", default)]
    pub wear: WearLimits,
    /// Pages of a unit that collection moves side by side.
    #[serde(default = "one")]
    pub moves_at_once: u32,
}

fn one() -> u32 {
    1
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Placement")]
enum PlacementConfig {
    Striped,
    RoundRobin,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Trims")]
enum TrimsConfig {
    InMemory,
    OnFlash,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Metadata", deny_unknown_fields)]
enum MetadataConfig {
    Scan,
    Journal {
        #[serde(rename = "blocks_per_plane")]
        blocks_per_unit: u32,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "VictimPolicy", deny_unknown_fields)]
enum VictimPolicyConfig {
    Greedy,
    WindowedGreedy { window: u32 },
    Choices { choices: u32 },
    Fifo,
    CostBenefit,
    Random,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "WearLimits", deny_unknown_fields)]
struct WearLimitsConfig {
    #[serde(default)]
    erase_spread: u32,
    #[serde(default)]
    block_reads: u32,
    #[serde(default)]
    corrected_bits: u16,
}

impl DriveConfig {
    /// The translation layer.
    pub fn ftl(&self, seed: u64) -> FtlConfig {
        let of = self.ftl;
        FtlConfig {
            user_pages: self.user_pages(),
            victim: of.victim,
            collect_below: of.collect_below,
            reserve_blocks: of.reserve_blocks,
            separate_moved: of.separate_moved,
            placement: of.placement,
            trims: of.trims,
            level_free_blocks: of.level_free_blocks,
            metadata: of.metadata,
            wear: of.wear,
            ladder: self.errors.as_ref().map(ErrorConfig::ladder).unwrap_or_default(),
            moves: of.moves_at_once,
            seed,
        }
    }

    /// The journal has room for the tables twice, and its pages for the changes under way.
    pub(super) fn check_journal(&self) -> Result<(), Fault> {
        let Metadata::Journal { blocks_per_unit } = self.ftl.metadata else { return Ok(()) };
        let geometry = self.topology().geometry();
        let layout = JournalLayout::new(&geometry, self.user_pages());
        let least = layout.least_segments;
        let message = format!("has {blocks_per_unit} blocks of each plane, needs {least}");
        holds("ftl.metadata", blocks_per_unit >= least, message)?;
        let reserve = journal_reserve(
            &geometry,
            self.firmware.workers,
            &self.buffer(),
            self.ftl.moves_at_once,
        );
        let message = format!(
            "has pages of {} changes, but {reserve} can be under way at a time",
            layout.changes
        );
        holds("ftl.metadata", layout.changes > reserve, message)
    }
}
