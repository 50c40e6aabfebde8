//! Whole drives at transaction level.

mod breakdown;
mod contract;
mod die_suspend;
mod die_turns;
mod drive_files;
mod faults;
mod full_contents;
mod journal;
mod ladder;
mod late_reads;
mod memory;
mod peers;
mod power_cuts;
mod precondition;
mod read_errors;
mod reported;
mod series;
mod timing;
mod wear;
mod write_amplification;
