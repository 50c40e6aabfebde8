//! One tool run: the child in a process group of its own, its output in a log, and the whole group
//! killed when the caller is interrupted.

use std::{
    fs::File,
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};

use super::error::SynthError;

const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A program with its arguments and where it runs.
pub(super) struct ToolRun<'a> {
    pub(super) program: &'a Path,
    pub(super) arguments: &'a [&'a str],
    pub(super) environment: &'a [(&'static str, String)],
    /// Working folder; temporary files of the tool stay in it.
    pub(super) work_dir: &'a Path,
    /// Receives both output streams.
    pub(super) log: &'a Path,
}

impl ToolRun<'_> {
    /// Runs to the end, or until `interrupt` is set.
    pub(super) fn run(&self, interrupt: &AtomicBool) -> Result<ExitStatus, SynthError> {
        let log = File::create(self.log).map_err(SynthError::io(self.log))?;
        let log_too = log.try_clone().map_err(SynthError::io(self.log))?;
        let child = Command::new(self.program)
            .args(self.arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("TMPDIR", self.work_dir)
            .current_dir(self.work_dir)
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(log_too)
            .process_group(0)
            .spawn()
            .map_err(SynthError::io(self.program))?;
        let mut group = ChildGroup { child, ended: false };
        loop {
            if let Some(status) = group.poll().map_err(SynthError::io(self.program))? {
                return Ok(status);
            }
            if interrupt.load(Ordering::Relaxed) {
                return Err(SynthError::Interrupted);
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }
}

/// A running child and all its descendants: killed when dropped before their end.
struct ChildGroup {
    child: Child,
    ended: bool,
}

impl ChildGroup {
    fn poll(&mut self) -> std::io::Result<Option<ExitStatus>> {
        let status = self.child.try_wait()?;
        self.ended = status.is_some();
        Ok(status)
    }
}

impl Drop for ChildGroup {
    fn drop(&mut self) {
        if !self.ended {
            // The child leads its group and is not yet waited for, so the number is still its own.
            // The results are ignored: it may have ended by itself a moment ago.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, thread, time::Instant};

    use super::*;

    fn shell(
        work_dir: &Path,
        script: &str,
        interrupt: &AtomicBool,
    ) -> Result<ExitStatus, SynthError> {
        let run = ToolRun {
            program: Path::new("/bin/sh"),
            arguments: &["-c", script],
            environment: &[("WORD", "hello".into())],
            work_dir,
            log: &work_dir.join("log"),
        };
        run.run(interrupt)
    }

    #[test]
    fn output_and_status_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let status = shell(dir.path(), "echo $WORD; echo err >&2; exit 3", &AtomicBool::new(false));
        assert_eq!(status.unwrap().code(), Some(3));
        assert_eq!(std::fs::read_to_string(dir.path().join("log")).unwrap(), "hello\nerr\n");
    }

    #[test]
    fn an_interruption_kills_grandchildren_too() {
        let dir = tempfile::tempdir().unwrap();
        let interrupt = Arc::new(AtomicBool::new(false));
        let setter = thread::spawn({
            let (interrupt, pid_file) = (interrupt.clone(), dir.path().join("pid"));
            move || {
                while !pid_file.exists() {
                    thread::sleep(POLL_INTERVAL);
                }
                interrupt.store(true, Ordering::Relaxed);
            }
        });
        let start = Instant::now();
        let script = "sleep 60 & echo $! > pid.new; mv pid.new pid; wait";
        let outcome = shell(dir.path(), script, &interrupt);
        setter.join().unwrap();
        assert!(matches!(outcome, Err(SynthError::Interrupted)), "{outcome:?}");
        assert!(start.elapsed() < Duration::from_secs(30));
        let grandchild = std::fs::read_to_string(dir.path().join("pid")).unwrap();
        let stat = Path::new("/proc").join(grandchild.trim()).join("stat");
        for _ in 0..100 {
            // Gone, or dead and waiting for its foster parent.
            match std::fs::read_to_string(&stat) {
                Ok(line) if !line.contains(") Z ") => thread::sleep(POLL_INTERVAL),
                _ => return,
            }
        }
        panic!("process {} is alive", grandchild.trim());
    }
}
