//! Co-simulation regressions: one binary, one module for each subject.

mod synth;
