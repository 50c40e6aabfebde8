//! Tests of run folder and report, on a made-up sweep, stored file and run of a drive.

mod browser;
mod compare;
mod drive;
mod folder;
mod page;
mod recommendation;
mod store;
mod stored_forms;
mod synthetic;
mod synthetic_drive;
mod synthetic_store;
