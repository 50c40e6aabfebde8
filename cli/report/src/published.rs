//! Published figures to stand beside ours, read from `data/published.ron` with their sources.

use serde::Deserialize;

use crate::model::{Build, Code};

const TEXT: &str = include_str!("../data/published.ron");

/// Everything in `data/published.ron`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Published {
    pub(crate) designs: Vec<Design>,
    pub(crate) goals: Goals,
    area_m: u32,
    area_data_bytes: u32,
    area_p: u32,
    pub(crate) decode_clocks: Vec<DecodeClocks>,
    pub(crate) latency: PublishedLatency,
}

/// Area of a published design, in NAND2 equivalents.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Design {
    pub(crate) design: String,
    pub(crate) t: u16,
    /// Whether it serves every strength from 1 to `t`.
    pub(crate) programmable: bool,
    pub(crate) encoder: Option<u32>,
    pub(crate) decoder: Option<u32>,
    pub(crate) codec: Option<u32>,
    pub(crate) decoder_mhz: Option<u32>,
    /// Whether the figure comes from the flow that synthesises our builds.
    pub(crate) same_flow: bool,
    pub(crate) source: String,
}

/// What our builds are to reach.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Goals {
    /// Of the serial decoder with the same fixed strength.
    pub(crate) fixed_decoder_share: f64,
    /// NAND2 equivalents of the programmable decoder.
    pub(crate) programmable_decoder: u32,
    /// NAND2 equivalents of programmable encoder and decoder.
    pub(crate) programmable_codec: u32,
}

/// Clocks of a published decoder after the last word in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecodeClocks {
    pub(crate) t: u16,
    pub(crate) clocks: u32,
}

/// Decode latency of a published controller.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PublishedLatency {
    /// The design with its conditions and source.
    pub(crate) design: String,
    pub(crate) points: Vec<LatencyPoint>,
}

/// Decode latency at one strength.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LatencyPoint {
    pub(crate) t: u16,
    pub(crate) us: f64,
}

impl Published {
    pub(crate) fn load() -> Self {
        ron::from_str(TEXT).expect("the embedded table of published figures is well formed")
    }

    /// Whether `code` has the field, length and width of the published areas.
    pub(crate) fn is_comparable(&self, code: &Code) -> bool {
        code.m == self.area_m
            && code.data_bytes_max.0 == self.area_data_bytes
            && code.p == self.area_p
            && code.p_c == self.area_p
            && !code.crc
    }

    /// Our build to stand beside a published one of strength `t`.
    pub(crate) fn ours<'a>(
        &self,
        builds: &[&'a Build],
        t: u16,
        programmable: bool,
    ) -> Option<&'a Build> {
        let same = |code: &Code| code.t_max.0 == t && code.fixed != programmable;
        builds.iter().find(|b| self.is_comparable(&b.code) && same(&b.code)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_table_is_complete() {
        let published = Published::load();
        assert_eq!(published.designs.len(), 7);
        for design in &published.designs {
            assert!(design.codec.is_some() != design.decoder.is_some(), "{}", design.design);
            assert!(!design.source.is_empty());
        }
        assert!(published.decode_clocks.is_sorted_by_key(|row| row.t));
    }
}
