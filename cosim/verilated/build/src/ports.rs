//! Reads a top's ports from the header that Verilator generates for it.
//!
//! Each port is a line such as `VL_IN8(&clk_i,0,0);` or `VL_OUTW(&digest_o,399,0,13);`: the macro
//! names the direction and the storage, the arguments the name, most and least significant bit.

/// A port of a top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Port {
    pub(crate) name: String,
    pub(crate) input: bool,
    pub(crate) bits: u32,
}

/// The ports, sorted by name: Verilator sorts them by size, which differs between the rows of a
/// module. Unpacked arrays and inout ports are left out: the first have no single value, and of
/// the second Verilator 5.006 shows no output enable.
pub(crate) fn parse_header(header: &str) -> Vec<Port> {
    let mut ports: Vec<Port> = header.lines().filter_map(parse_line).collect();
    ports.sort_by(|a, b| a.name.cmp(&b.name));
    ports
}

fn parse_line(line: &str) -> Option<Port> {
    let line = line.trim();
    let (head, arguments) = line.strip_suffix(");")?.split_once('(')?;
    let input = match head.strip_prefix("VL_")? {
        "IN8" | "IN16" | "IN" | "IN64" | "INW" => true,
        "OUT8" | "OUT16" | "OUT" | "OUT64" | "OUTW" => false,
        _ => return None,
    };
    let mut arguments = arguments.split(',');
    let name = arguments.next()?.strip_prefix('&')?;
    let msb: u32 = arguments.next()?.parse().ok()?;
    let lsb: u32 = arguments.next()?.parse().ok()?;
    Some(Port { name: name.to_owned(), input, bits: msb.abs_diff(lsb) + 1 })
}

/// One line a port, for the cache.
pub(crate) fn to_text(ports: &[Port]) -> String {
    let line = |port: &Port| {
        format!("{} {} {}\n", if port.input { "in" } else { "out" }, port.bits, port.name)
    };
    ports.iter().map(line).collect()
}

/// The reverse of [`to_text`].
pub(crate) fn from_text(text: &str) -> Option<Vec<Port>> {
    text.lines()
        .map(|line| {
            let mut fields = line.split(' ');
            let input = fields.next()? == "in";
            let bits = fields.next()?.parse().ok()?;
            Some(Port { name: fields.next()?.to_owned(), input, bits })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Port, from_text, parse_header, to_text};

    #[test]
    fn a_header_gives_its_plain_ports_by_name() {
        let header = "\
    // PORTS
    VL_IN8(&clk_i,0,0);
    VL_OUTW(&digest_o,399,0,13);
    VL_IN(&word_i,31,0);
    VL_INOUT8(&dq,7,0);
    VL_IN8((&array_i)[4],7,0);
    VL_OUT64(&m_data_o,63,0);
    explicit Vecho(VerilatedContext* contextp, const char* name = \"TOP\");
";
        let port = |name: &str, input, bits| Port { name: name.to_owned(), input, bits };
        let ports = parse_header(header);
        assert_eq!(
            ports,
            [
                port("clk_i", true, 1),
                port("digest_o", false, 400),
                port("m_data_o", false, 64),
                port("word_i", true, 32),
            ]
        );
        assert_eq!(from_text(&to_text(&ports)), Some(ports));
    }
}
