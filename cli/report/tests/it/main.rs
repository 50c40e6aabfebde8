//! Tests of run folder and report, on a made-up sweep.

mod browser;
mod folder;
mod page;
mod recommendation;
mod stored_forms;
mod synthetic;
