//! Writes the run folders of a made-up sweep, stored file and run of a drive, to look at them:
//! `cargo run -p floatgate-report --example synthetic -- DIR`.

#[path = "../tests/it/synthetic.rs"]
mod synthetic;
#[path = "../tests/it/synthetic_drive.rs"]
mod synthetic_drive;
#[path = "../tests/it/synthetic_store.rs"]
mod synthetic_store;

use std::path::PathBuf;

use floatgate_report::{Report, ReportError, RunFolder};

fn main() -> Result<(), ReportError> {
    let root = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("out"), PathBuf::from);
    let variants: [(&str, Report); 3] = [
        ("synthetic", synthetic::report()),
        ("synthetic-bare", synthetic::report_without_synthesis()),
        ("synthetic-many", synthetic::report_of_many_codes()),
    ];
    for (name, mut report) in variants {
        report.sweep.name = name.into();
        let folder = RunFolder::create(&root, name)?;
        let written = folder.finish(&report, &"a made-up configuration")?;
        println!("{}", written.join("report.html").display());
    }
    for report in [synthetic_store::report(), synthetic_store::report_of_one_engine()] {
        let folder = RunFolder::create(&root, &report.store.name)?;
        let written = folder.finish(&report, &"a made-up configuration")?;
        println!("{}", written.join("report.html").display());
    }
    for report in [synthetic_drive::report(), synthetic_drive::report_of_reads()] {
        let folder = RunFolder::create(&root, &report.drive.name)?;
        let written = folder.finish(&report, &"a made-up configuration")?;
        println!("{}", written.join("report.html").display());
    }
    Ok(())
}
