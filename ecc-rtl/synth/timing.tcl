# Longest register-to-register path of the netlist that area.tcl leaves in its variant `buffered`.
#
# Run by hand:
#   TOP=bch_encoder OUT=/tmp/enc/buffered sta -no_init -exit ecc-rtl/synth/timing.tcl
# or by `floatgate sweep`, which sets the same environment variables:
#   TOP      module to time
#   LIBERTY  cell library         (default: OSU 0.18 um, Debian qflow-tech-osu018)
#   OUT      folder of netlist.v  (default: .)
# The path goes to stdout. The clock is ideal and wires have no load: compare designs by the result,
# do not promise a frequency with it. Paths through the data buffer are not timed (a black box).

proc setting {name default} {
    if {[info exists ::env($name)]} { return $::env($name) }
    return $default
}

set out [setting OUT .]
read_liberty [setting LIBERTY /usr/share/qflow/tech/osu018/osu018_stdcells.lib]
read_verilog $out/netlist.v
link_design $::env(TOP)
set_cmd_units -time ns
set clock_port [get_ports clk_i]
if {$clock_port eq ""} { error "$::env(TOP) has no clock port clk_i" }
# So short that whole periods, not half ones, have the least slack: a register on the falling edge
# would look the worst although its path is not.
create_clock -name clk -period 1 $clock_port
report_checks -path_delay max -digits 4 -fields {input_pin net fanout} \
    -from [all_registers -clock_pins] -to [all_registers -data_pins]
