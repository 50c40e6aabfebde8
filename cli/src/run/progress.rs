//! How far runs are, on a terminal: a line for each, redrawn by a thread of its own.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use floatgate_model::ssd::Watch;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use super::Job;
use super::load::{Length, length};

const REDRAW: Duration = Duration::from_millis(100);

/// Lines that show progress until this is dropped.
pub(super) struct Progress {
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Shows how far the jobs are, where stderr is a terminal.
    pub(super) fn show(jobs: &[Job], watches: &[Arc<Watch>]) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        if !std::io::stderr().is_terminal() {
            return Self { done, thread: None };
        }
        let lines = MultiProgress::new();
        let bars: Vec<_> = jobs
            .iter()
            .zip(watches)
            .map(|(job, watch)| {
                let length = length(&job.config.load);
                (lines.add(bar(&job.name, length)), length, Arc::clone(watch))
            })
            .collect();
        let is_done = Arc::clone(&done);
        let thread = thread::spawn(move || {
            while !is_done.load(Ordering::Relaxed) {
                bars.iter().for_each(|(bar, length, watch)| update(bar, *length, watch));
                thread::sleep(REDRAW);
            }
            bars.iter().for_each(|(bar, ..)| bar.finish_and_clear());
        });
        Self { done, thread: Some(thread) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It has nothing to report.
            drop(thread.join());
        }
    }
}

fn bar(name: &str, length: Length) -> ProgressBar {
    let (total, template) = match length {
        Length::Requests(total) | Length::Microseconds(total) => {
            (Some(total), "{prefix} {bar:32} {percent:>3} %  {msg}, {eta} left")
        }
        Length::Unknown => (None, "{prefix} {spinner} {msg}, {elapsed}"),
    };
    let style = ProgressStyle::with_template(template).expect("a template that is right");
    let bar = ProgressBar::no_length().with_style(style).with_prefix(name.to_owned());
    if let Some(total) = total {
        bar.set_length(total);
    }
    bar
}

fn update(bar: &ProgressBar, length: Length, watch: &Watch) {
    let (requests, now_us) = (watch.requests(), watch.now().0 / 1_000_000);
    bar.set_position(match length {
        Length::Microseconds(_) => now_us,
        Length::Requests(_) | Length::Unknown => requests,
    });
    bar.set_message(format!("{requests} requests, {:.3} s simulated", now_us as f64 / 1e6));
}
