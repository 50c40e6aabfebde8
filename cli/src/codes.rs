//! `floatgate codes`: the configurations that are built in.

use floatgate_hal::units::Strength;
use serde_json::json;

use crate::exit::Failure;
use crate::project;

/// Prints the configurations as a table, or as JSON.
///
/// # Errors
/// A configuration file that is wrong.
pub(crate) fn list(as_json: bool) -> Result<(), Failure> {
    let codes = project::codes()?;
    if as_json {
        let all: Vec<_> =
            codes.iter().map(|code| json!({ "name": code.name, "config": code.config })).collect();
        println!("{}", serde_json::to_string_pretty(&all).expect("plain data"));
        return Ok(());
    }
    println!(
        "{:<20} {:>5} {:>10} {:>9} {:>7} {:>5} {:>4} {:>5} {:>4}",
        "code", "field", "data bytes", "t", "parity", "P", "P_C", "lanes", "CRC"
    );
    for code in codes {
        let config = &code.config;
        let strengths =
            if config.fixed { config.t_max.to_string() } else { format!("1..{}", config.t_max) };
        let parity = config.parity(Strength(config.t_max as u16)).0.div_ceil(8);
        println!(
            "{:<20} {:>5} {:>10} {:>9} {:>5} B {:>5} {:>4} {:>5} {:>4}",
            code.name,
            format!("2^{}", config.m),
            config.k_max_bytes,
            strengths,
            parity,
            config.p,
            config.p_c,
            config.kes_lanes,
            if config.crc { "yes" } else { "no" },
        );
    }
    Ok(())
}
