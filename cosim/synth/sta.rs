//! OpenSTA's report of the longest path (`report_checks`) in, critical path out.

use super::job::Timing;

/// Reads the first path of a report; `None` where the design has no path between registers.
pub(super) fn parse(report: &str) -> Result<Option<Timing>, String> {
    // The analyzer goes on after an error, with the part of the netlist that it could read, and
    // ends well.
    if let Some(line) = report.lines().find(|line| line.starts_with("Error")) {
        return Err(line.to_string());
    }
    if report.contains("No paths found") {
        return Ok(None);
    }
    let start_point = point(report, "Startpoint:")?;
    let end_point = point(report, "Endpoint:")?;
    // The clock is ideal, so the path needs what the period leaves after the slack. The period is
    // read back from the second clock edge, that of the capturing register.
    let period_ns = numbers(report, "clock clk (rise edge)")
        .find(|&time_ns| time_ns > 0.0)
        .ok_or("no capturing clock edge in the report")?;
    let slack_ns = numbers(report, "slack (").next().ok_or("no slack in the report")?;
    // Rounded to the report's digits.
    let critical_path_ns = ((period_ns - slack_ns) * 1e4).round() / 1e4;
    if critical_path_ns <= 0.0 {
        return Err(format!("a path of {critical_path_ns} ns"));
    }
    Ok(Some(Timing {
        critical_path_ns,
        fmax_mhz: 1000.0 / critical_path_ns,
        start_point,
        end_point,
    }))
}

/// Signal of a register: area.tcl names registers `signal\CELL`, which is printed with a second
/// backslash, and followed by the kind of register here or on the next line.
fn point(report: &str, label: &str) -> Result<String, String> {
    let name = report
        .lines()
        .find_map(|line| line.strip_prefix(label))
        .and_then(|rest| rest.split_whitespace().next())
        .ok_or_else(|| format!("no {label} in the report"))?;
    Ok(name.split('\\').next().unwrap_or(name).to_string())
}

/// The last number before `description` of each line that has it: the time at that point.
fn numbers<'a>(report: &'a str, description: &'a str) -> impl Iterator<Item = f64> + 'a {
    report.lines().filter_map(move |line| {
        let (before, _) = line.split_once(description)?;
        before.split_whitespace().next_back()?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r"OpenSTA 2.0.17 GITDIR-NOT Copyright (c) 2019, Parallax Software, Inc.
Warning: ./netlist.v, line 3501 module bch_buffer not found.  Creating black box for u_buf.
Startpoint: u_sub.x_q[0]\\DFFPOSX1
            (rising edge-triggered flip-flop clocked by clk)
Endpoint: b_o[11]\\DFFSR (rising edge-triggered flip-flop clocked by clk)
Path Group: clk
Path Type: max

Fanout     Delay      Time   Description
------------------------------------------------------------------
         0.0000    0.0000   clock clk (rise edge)
         0.0000    0.0000   clock network delay (ideal)
         0.0000    0.0000 ^ u_sub.x_q[0]\\DFFPOSX1/CLK (DFFPOSX1)
         0.4032    0.4032 v u_sub.x_q[0]\\DFFPOSX1/Q (DFFPOSX1)
   18                       u_sub.x_q[0] (net)
         0.0000    2.8403 v b_o[11]\\DFFSR/D (DFFSR)
                   2.8403   data arrival time

        10.0000   10.0000   clock clk (rise edge)
         0.0000   10.0000   clock network delay (ideal)
        -0.0859    9.9141   library setup time
                   9.9141   data required time
------------------------------------------------------------------
                   9.9141   data required time
                  -2.8403   data arrival time
------------------------------------------------------------------
                   7.0738   slack (MET)
";

    #[test]
    fn the_path_is_what_the_period_leaves_after_the_slack() {
        let timing = parse(REPORT).unwrap().unwrap();
        assert_eq!(timing.critical_path_ns, 2.9262);
        assert!((timing.fmax_mhz - 1000.0 / 2.9262).abs() < 1e-6, "{timing:?}");
        assert_eq!(timing.start_point, "u_sub.x_q[0]");
        assert_eq!(timing.end_point, "b_o[11]");
    }

    #[test]
    fn a_violated_path_is_longer_than_the_period() {
        let report = REPORT.replace("7.0738   slack (MET)", "-2.5000   slack (VIOLATED)");
        assert_eq!(parse(&report).unwrap().unwrap().critical_path_ns, 12.5);
    }

    #[test]
    fn a_path_through_half_a_netlist_is_refused() {
        let report = format!("Error: netlist.v, line 7 syntax error\n{REPORT}");
        assert_eq!(parse(&report).unwrap_err(), "Error: netlist.v, line 7 syntax error");
    }

    #[test]
    fn no_path_is_no_timing_and_half_a_report_an_error() {
        assert_eq!(parse("OpenSTA\nNo paths found.\n"), Ok(None));
        assert_eq!(parse("OpenSTA\n").unwrap_err(), "no Startpoint: in the report");
        let cut = REPORT.split("library setup").next().unwrap();
        assert_eq!(parse(cut).unwrap_err(), "no slack in the report");
        let cut = REPORT.split("10.0000 ").next().unwrap();
        assert_eq!(parse(cut).unwrap_err(), "no capturing clock edge in the report");
    }
}
