# Area of one RTL top: generic synthesis, mapping to a liberty library, cell statistics.
#
# Run by hand, from the root of the project:
#   TOP=bch_encoder PARAMS="M=13 K_MAX=4096 T_MAX=24 P=8" OUT=enc yosys -c ecc-rtl/synth/area.tcl
# or by `floatgate sweep`, which sets the same environment variables:
#   TOP       module to synthesize
#   PARAMS    NAME=INTEGER pairs, given to the top
#   FILES     SystemVerilog files, packages first     (default: all of ecc-rtl and rtl/prim)
#   INCLUDES  folders for `include                    (default: ecc-rtl and rtl/prim)
#   LIBERTY   cell library                            (default: osu018, Debian qflow-tech-osu018)
#   VARIANTS  plain, buffered, both; or blocks        (default: plain)
#   BLOCKS    modules that keep their boundary in the variant `blocks`
#   OUT       folder for a folder of each variant     (default: .)
# Results of a variant: stat.txt (cells and area, for reading), stat.json (cell counts, for the
# program), memory.txt (instances of the data buffer with their parameters) and, for `buffered`,
# netlist.v, which timing.tcl reads.
#
# plain     logic as it is: the figure that gate counts are compared by
# buffered  nets of high fan-out are buffered and gates sized: the netlist that can be timed
# blocks    as plain, but the modules of BLOCKS are mapped apart: shares of the area, not totals
#
# plain and buffered differ in the last mapping alone, so both together take little more than one.

proc setting {name default} {
    if {[info exists ::env($name)]} { return $::env($name) }
    return $default
}

set script_dir [file dirname [file normalize [info script]]]
set rtl_dirs   [list $script_dir/.. $script_dir/../../rtl/prim]
set top        $::env(TOP)
set params     [setting PARAMS {}]
set includes   [setting INCLUDES $rtl_dirs]
set liberty    [setting LIBERTY /usr/share/qflow/tech/osu018/osu018_stdcells.lib]
set variants   [setting VARIANTS plain]
set blocks     [setting BLOCKS {}]
set out        [setting OUT .]

set all_files {}
foreach pattern {*_pkg.sv *.sv} {
    foreach dir $rtl_dirs {
        foreach file [lsort [glob -nocomplain -directory $dir $pattern]] {
            if {$file ni $all_files} { lappend all_files $file }
        }
    }
}
set files [setting FILES $all_files]

if {[lsort $variants] ni {plain buffered {buffered plain} blocks}} {
    error "VARIANTS is '$variants': plain, buffered, both, or blocks"
}

# The data buffer is a memory macro in silicon: its bits are counted, its logic is not synthesized.
set memory_module bch_buffer

set include_flags {}
foreach dir $includes { lappend include_flags -I$dir }
foreach file $files {
    if {[file tail $file] eq "$memory_module.sv"} {
        yosys read_verilog -sv {*}$include_flags -lib $file
    } else {
        # Deferred: a module is elaborated with the parameters in use only, not with its defaults.
        yosys read_verilog -sv -defer {*}$include_flags $file
    }
}

set top_params {}
foreach pair $params {
    lassign [split $pair =] name value
    lappend top_params -chparam $name $value
}
yosys hierarchy -check -top $top {*}$top_params

if {$variants eq "blocks"} {
    foreach block $blocks {
        # Parameterised modules carry their written name in the attribute hdlname.
        yosys select -set block_modules $block A:hdlname=\\$block %u
        yosys setattr -mod -set keep_hierarchy 1 @block_modules
    }
}

# Shares need no generic mapping of their own before the one to the library.
set generic [expr {$variants eq "blocks" ? "-noabc" : ""}]
yosys synth -flatten {*}$generic -top $top
yosys dfflibmap -liberty $liberty
# Maps what has been synthesized to the library, and writes the results of a variant.
proc map {variant dir} {
    global liberty script_dir memory_module top
    file mkdir $dir
    if {$variant eq "buffered"} {
        yosys abc -liberty $liberty -script $script_dir/buffered.abc
    } else {
        yosys abc -liberty $liberty
    }
    yosys opt_clean -purge
    yosys tee -q -o $dir/stat.txt stat -liberty $liberty
    yosys tee -q -o $dir/stat.json stat -json
    yosys tee -q -o $dir/memory.txt dump t:$memory_module
    if {$variant ne "buffered"} return

    # A register is named after the signal that it drives, so that paths can be read. The library's
    # port directions are needed to tell which signal that is.
    yosys read_liberty -lib -ignore_miss_func $liberty
    yosys select $top/*
    yosys rename -wire
    yosys select -clear
    # The timing analyzer's reader takes no signed parameters; to it the buffer is a black box.
    foreach param {WIDTH LANES DEPTH AW NW} { yosys setparam -unset $param t:$memory_module }
    yosys write_verilog -noattr -simple-lhs $dir/netlist.v
}

yosys design -save synthesized
foreach variant $variants {
    yosys design -load synthesized
    map $variant $out/$variant
}
