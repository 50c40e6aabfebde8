//! Bars that show how far a command is; there are none where nobody looks.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar for so many steps of something.
pub(crate) fn progress(length: usize, what: &'static str) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{prefix:>12} [{bar:30}] {pos}/{len} {wide_msg} {elapsed}")
            .expect("a fixed template")
            .progress_chars("=> ");
    let bar = ProgressBar::new(length as u64).with_style(style).with_prefix(what);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
