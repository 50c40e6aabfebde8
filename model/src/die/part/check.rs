//! Where a part file contradicts itself, or asks for what the model does not do.

use crate::config::{Check, Fault};

use super::pages::PageScheme;
use super::{Feature, OptionalCommand, PageOrder, PageType, Part};

impl Check for Part {
    fn check(&self) -> Result<(), Fault> {
        self.check_identity()?;
        self.check_layout()?;
        self.check_cells()?;
        self.check_rates()?;
        self.check_timing()?;
        self.check_interfaces()?;
        self.check_commands()?;
        self.check_parameter_page()
    }
}

/// Refuses `field` where `holds` is false.
fn ensure(
    holds: bool,
    field: impl Into<String>,
    message: impl FnOnce() -> String,
) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(Fault::new(field, message())) }
}

fn positive(field: String, value: f64) -> Result<(), Fault> {
    ensure(value.is_finite() && value > 0.0, field, || format!("is {value}, must be above 0"))
}

/// Bits that address `count` values.
fn bits(count: u32) -> u32 {
    count.next_power_of_two().trailing_zeros()
}

impl Part {
    fn check_identity(&self) -> Result<(), Fault> {
        let text = |field: &str, value: &str, most: usize| {
            ensure(value.is_ascii() && value.len() <= most, field, || {
                format!("is {value:?}, must be ASCII of at most {most} characters")
            })
        };
        text("identity.manufacturer", &self.identity.manufacturer, 12)?;
        text("identity.model", &self.identity.model, 20)?;
        ensure(!self.identity.id_bytes.is_empty(), "identity.id_bytes", || "is empty".into())
    }

    fn check_layout(&self) -> Result<(), Fault> {
        let layout = &self.layout;
        ensure(layout.page_bytes.is_power_of_two(), "layout.page_bytes", || {
            format!("is {}, must be a power of two", layout.page_bytes)
        })?;
        ensure((1..=8).contains(&layout.luns), "layout.luns", || {
            format!("is {}, must be 1 to 8", layout.luns)
        })?;
        ensure(layout.pages_per_block > 0, "layout.pages_per_block", || "is 0".into())?;
        let planes = layout.planes;
        ensure(planes.is_power_of_two() && planes <= 16, "layout.planes", || {
            format!("is {planes}, must be a power of two up to 16")
        })?;
        let blocks = layout.blocks_per_lun;
        ensure(
            blocks > 0 && blocks.is_multiple_of(planes.into()),
            "layout.blocks_per_lun",
            || format!("is {blocks}, must be a multiple of the {planes} planes"),
        )?;
        let column = bits(layout.page_bytes + u32::from(layout.spare_bytes));
        ensure(column <= 8 * u32::from(layout.column_cycles), "layout.column_cycles", || {
            format!("is {}, but columns have {column} bits", layout.column_cycles)
        })?;
        ensure(layout.column_cycles == 2, "layout.column_cycles", || {
            format!("is {}; the model decodes 2", layout.column_cycles)
        })?;
        let row = bits(layout.pages_per_block.into()) + bits(blocks) + bits(layout.luns.into());
        let row_cycles = layout.row_cycles;
        ensure(
            (2..=3).contains(&row_cycles) && row <= 8 * u32::from(row_cycles),
            "layout.row_cycles",
            || format!("is {row_cycles}, must be 2 or 3 and hold rows of {row} bits"),
        )
    }

    fn check_cells(&self) -> Result<(), Fault> {
        let cells = &self.cells;
        let per_cell = usize::from(cells.bits_per_cell);
        ensure(cells.scheme.types() == per_cell, "cells.scheme", || {
            format!("is {:?}, which is not one of {per_cell} bits per cell", cells.scheme)
        })?;
        ensure(cells.page_types.len() == per_cell, "cells.page_types", || {
            format!("has {} types, but a cell has {per_cell} bits", cells.page_types.len())
        })?;
        let odd = cells.scheme == PageScheme::Distance3 && self.layout.pages_per_block % 2 == 1;
        ensure(!odd, "layout.pages_per_block", || {
            format!("is {}, but Distance3 pairs pages", self.layout.pages_per_block)
        })?;
        ensure(cells.programs_per_page > 0, "cells.programs_per_page", || "is 0".into())?;
        let blocks = self.layout.blocks_per_lun;
        ensure(u32::from(cells.max_bad_blocks) < blocks, "cells.max_bad_blocks", || {
            format!("is {}, but a LUN has {blocks} blocks", cells.max_bad_blocks)
        })?;
        ensure(
            cells.factory_bad_blocks <= cells.max_bad_blocks,
            "cells.factory_bad_blocks",
            || format!("is {}, above max_bad_blocks", cells.factory_bad_blocks),
        )?;
        let good = u32::from(cells.guaranteed_good_blocks);
        ensure(
            good + u32::from(cells.max_bad_blocks) <= blocks,
            "cells.guaranteed_good_blocks",
            || format!("is {good}, more than max_bad_blocks leaves"),
        )?;
        let encoded = crate::die::parameter_page::endurance(cells.endurance_cycles);
        ensure(encoded.is_some(), "cells.endurance_cycles", || {
            let cycles = cells.endurance_cycles;
            format!("is {cycles}, must be 1 to 255 times a power of ten")
        })
    }

    fn check_rates(&self) -> Result<(), Fault> {
        let cells = &self.cells;
        for (field, rate) in [
            ("cells.program_failure_rate", cells.program_failure_rate),
            ("cells.erase_failure_rate", cells.erase_failure_rate),
            ("cells.errors.erased_factor", cells.errors.erased_factor),
        ] {
            let holds = (0.0..=1.0).contains(&rate);
            ensure(holds, field, || format!("is {rate}, must be 0 to 1"))?;
        }
        positive("cells.errors.scale".into(), cells.errors.scale)?;
        positive("cells.errors.cycles_factor".into(), cells.errors.cycles_factor)?;
        let (first, last) = cells.wear_out;
        ensure(first > 0.0 && first <= last, "cells.wear_out", || {
            format!("is ({first}, {last}), must rise from above 0")
        })?;
        let Some(slc) = &cells.slc_mode else { return Ok(()) };
        ensure(slc.feature_address >= 0x80, "cells.slc_mode.feature_address", || {
            format!("is {:02X}h, must be a vendor address, 80h to FFh", slc.feature_address)
        })?;
        positive("cells.slc_mode.cycles_factor".into(), slc.cycles_factor)?;
        ensure(cells.bits_per_cell > 1, "cells.slc_mode", || {
            "is given, but a cell has one bit anyway".into()
        })
    }

    fn check_timing(&self) -> Result<(), Fault> {
        let timing = &self.timing;
        let slc = self.cells.slc_mode.as_ref().map(|slc| ("slc_mode.page_type".into(), slc));
        let slc = slc.map(|(name, slc): (String, _)| (name, &slc.page_type));
        let types = self.cells.page_types.iter().enumerate();
        let types = types.map(|(at, page_type)| (format!("page_types[{at}]"), page_type));
        for (name, page_type) in types.chain(slc) {
            self.check_page_type(&format!("cells.{name}"), page_type)?;
        }
        ensure(timing.t_bers_us <= f64::from(timing.t_bers_max_us), "timing.t_bers_us", || {
            format!("is {}, above t_bers_max_us", timing.t_bers_us)
        })?;
        for (name, value) in [
            ("t_bers_us", timing.t_bers_us),
            ("t_rst_idle_us", timing.t_rst_idle_us),
            ("t_rst_program_us", timing.t_rst_program_us),
            ("t_rst_erase_us", timing.t_rst_erase_us),
            ("t_rst_first_us", timing.t_rst_first_us),
            ("t_feat_us", timing.t_feat_us),
            ("t_itc_us", timing.t_itc_us),
            ("t_plane_busy_us", timing.t_plane_busy_us),
            ("t_rcbsy_us", timing.t_rcbsy_us),
            ("t_pcbsy_us", timing.t_pcbsy_us),
            ("t_power_up_us", timing.t_power_up_us),
        ] {
            positive(format!("timing.{name}"), value)?;
        }
        Ok(())
    }

    fn check_page_type(&self, place: &str, page_type: &PageType) -> Result<(), Fault> {
        let limits = &self.timing;
        for (name, typical, most) in [
            ("t_r_us", page_type.t_r_us, limits.t_r_max_us),
            ("t_prog_us", page_type.t_prog_us, limits.t_prog_max_us),
        ] {
            positive(format!("{place}.{name}"), typical)?;
            ensure(typical <= f64::from(most), format!("{place}.{name}"), || {
                format!("is {typical}, above the part's largest, {most}")
            })?;
        }
        positive(format!("{place}.rber_factor"), page_type.rber_factor)
    }

    fn check_interfaces(&self) -> Result<(), Fault> {
        let interfaces = &self.interfaces;
        for (field, modes) in [
            ("interfaces.sdr_modes", &interfaces.sdr_modes),
            ("interfaces.nv_ddr_modes", &interfaces.nv_ddr_modes),
        ] {
            let ascending = modes.is_sorted_by(|a, b| a < b);
            ensure(ascending && modes.iter().all(|&mode| mode <= 5), field, || {
                format!("is {modes:?}, must ascend within 0 to 5")
            })?;
        }
        ensure(interfaces.sdr_modes.first() == Some(&0), "interfaces.sdr_modes", || {
            "lacks mode 0, in which every part starts".into()
        })?;
        let modes = interfaces.sdr_modes.len() + interfaces.nv_ddr_modes.len();
        let needs_features = modes > 1 && !self.knows(OptionalCommand::GetSetFeatures);
        ensure(!needs_features, "optional_commands", || {
            "lacks GetSetFeatures, by which the timing mode is chosen".into()
        })
    }

    fn check_commands(&self) -> Result<(), Fault> {
        let fault = |message: &str| Err(Fault::new("optional_commands", message));
        if self.layout.luns > 1 && !self.knows(OptionalCommand::ReadStatusEnhanced) {
            return fault("lacks ReadStatusEnhanced, which several LUNs need");
        }
        let multi_plane_read = self.has(Feature::MultiPlaneRead);
        if multi_plane_read && !self.knows(OptionalCommand::ChangeReadColumnEnhanced) {
            return fault("lacks ChangeReadColumnEnhanced, which MultiPlaneRead needs");
        }
        let multi_plane = multi_plane_read || self.has(Feature::MultiPlaneProgram);
        ensure(!multi_plane || self.layout.planes > 1, "features", || {
            "has a multi-plane operation, but a LUN has one plane".into()
        })?;
        let repeats = self.cells.programs_per_page > 1 && self.cells.bits_per_cell > 1;
        ensure(!repeats, "cells.programs_per_page", || {
            format!("is {}, but cells of several bits take one", self.cells.programs_per_page)
        })?;
        let any = self.cells.page_order == PageOrder::Any && self.cells.bits_per_cell > 1;
        ensure(!any, "cells.page_order", || "is Any, but the pages share cells".into())
    }

    fn check_parameter_page(&self) -> Result<(), Fault> {
        let page = &self.parameter_page;
        ensure(page.copies >= 3, "parameter_page.copies", || {
            format!("is {}, must be at least 3", page.copies)
        })?;
        let extended = page.ecc_bits_per_512 == 0xFF;
        ensure(extended == page.extended.is_some(), "parameter_page.extended", || {
            "is given where ecc_bits_per_512 is 255, and only there".into()
        })?;
        for (offset, bytes) in &page.vendor {
            let end = usize::from(*offset) + bytes.len();
            ensure(*offset >= 166 && end <= 254, "parameter_page.vendor", || {
                format!("has bytes {offset} to {end}, must lie in 166 to 253")
            })?;
        }
        Ok(())
    }
}
