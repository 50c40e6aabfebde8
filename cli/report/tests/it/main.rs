//! Tests of run folder and report, on a made-up sweep and a made-up stored file.

mod browser;
mod folder;
mod page;
mod recommendation;
mod store;
mod stored_forms;
mod synthetic;
mod synthetic_store;
