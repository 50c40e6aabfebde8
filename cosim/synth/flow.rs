//! Jobs through the tools: sources, scripts and library are copied into a folder of their own, so
//! that what is run is what was hashed, even while somebody edits the RTL; Yosys makes the netlists
//! and counts their cells, OpenSTA times them. Netlists that differ only in the last mapping come
//! out of one run of Yosys.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

use super::{
    blocks::block_modules,
    cache::{Entry, Key, KeyBuilder},
    error::SynthError,
    job::{SynthJob, SynthResult, Timing, Variant},
    liberty::Liberty,
    process::ToolRun,
    sources::{Source, Sources},
    sta, stat,
    tools::{Tool, Toolchain},
};

/// The cell library in the work folder.
const LIBERTY: &str = "cells.lib";

/// A job with everything that its result depends on.
pub(super) struct Flow<'a> {
    pub(super) job: &'a SynthJob,
    /// What the result is kept by.
    pub(super) key: Key,
    /// Of what all variants have in common that one run of Yosys makes.
    pub(super) run_key: Key,
    yosys: &'a Tool,
    sta: Option<&'a Tool>, // only where timing is asked for
    recipe: Source,
    scripts: Vec<Source>, // of the variant alone
    sources: Sources,
    liberty_text: Vec<u8>,
    library: Liberty,
}

impl<'a> Flow<'a> {
    /// Reads all inputs of a job and hashes them.
    pub(super) fn prepare(
        job: &'a SynthJob,
        scripts_dir: &Path,
        tools: &'a Toolchain,
    ) -> Result<Self, SynthError> {
        let yosys = tools.yosys.as_ref().map_err(Clone::clone)?;
        let (sta, script_names) = match job.variant {
            Variant::Plain | Variant::Blocks => (None, [].as_slice()),
            Variant::Buffered => (
                Some(tools.sta.as_ref().map_err(Clone::clone)?),
                ["buffered.abc", "timing.tcl"].as_slice(),
            ),
        };
        let library = Liberty::read(&job.liberty)?;
        let liberty_text = fs::read(&job.liberty).map_err(SynthError::io(&job.liberty))?;
        let script = |name: &&str| {
            let path = scripts_dir.join(name);
            let text = fs::read_to_string(&path).map_err(SynthError::io(&path))?;
            Ok(Source { name: name.into(), text })
        };
        let recipe = script(&"area.tcl")?;
        let scripts = script_names.iter().map(script).collect::<Result<Vec<_>, SynthError>>()?;
        let sources = Sources::collect(&job.top, &job.files, &job.include_dirs)?;
        let run_key = KeyBuilder::new()
            .part("yosys", yosys.version.as_bytes())
            .part("liberty", &liberty_text)
            .part("top", job.top.as_bytes())
            .part("params", params_text(job).as_bytes())
            .part("blocks", blocks_text(job).as_bytes())
            .sources("script", std::slice::from_ref(&recipe))
            .sources("unit", &sources.units)
            .sources("include", &sources.includes)
            .finish();
        let key = KeyBuilder::new()
            .part("run", run_key.name().as_bytes())
            .part("variant", job.variant.name().as_bytes())
            .part("sta", sta.map_or("", |tool| &tool.version).as_bytes())
            .sources("script", &scripts)
            .finish();
        Ok(Self { job, key, run_key, yosys, sta, recipe, scripts, sources, liberty_text, library })
    }

    /// What is stored of a result.
    pub(super) fn entry(&self, result: SynthResult) -> Entry {
        let tools = [Some(self.yosys), self.sta].into_iter().flatten();
        Entry {
            top: self.job.top.clone(),
            variant: self.job.variant.name().into(),
            params: params_text(self.job),
            tools: tools.map(|tool| tool.version.as_str()).collect::<Vec<_>>().join(", "),
            result,
        }
    }

    /// Runs the tools over variants of one run, and returns their results in that order.
    /// `keep_log` moves the log of a failed tool to where it stays.
    ///
    /// # Panics
    /// Where the flows are none, or not of one run.
    pub(super) fn run(
        flows: &[&Self],
        interrupt: &AtomicBool,
        keep_log: impl Fn(&Path) -> PathBuf,
    ) -> Result<Vec<SynthResult>, SynthError> {
        let first = flows[0];
        assert!(flows.iter().all(|flow| flow.run_key == first.run_key), "variants of one run");
        let work = tempfile::Builder::new()
            .prefix("floatgate-synth-")
            .tempdir()
            .map_err(SynthError::io(std::env::temp_dir()))?;
        let stage = Stage { work_dir: work.path(), top: &first.job.top, interrupt, keep_log };
        let variants: Vec<&str> = flows.iter().map(|flow| flow.job.variant.name()).collect();
        let scripts = flows.iter().flat_map(|flow| &flow.scripts);
        let mut environment = first.lay_out(work.path(), scripts)?;
        environment.push(("VARIANTS", variants.join(" ")));
        stage.run("yosys", first.yosys, &["-c", "area.tcl"], &environment)?;
        flows.iter().map(|flow| flow.read(&stage)).collect()
    }

    /// Writes the inputs into the work folder and returns the variables that the scripts read.
    fn lay_out<'s>(
        &'s self,
        work_dir: &Path,
        scripts: impl Iterator<Item = &'s Source>,
    ) -> Result<Vec<(&'static str, String)>, SynthError> {
        let write = |path: PathBuf, content: &[u8]| {
            let parent = path.parent().expect("a file in the work folder has a parent");
            fs::create_dir_all(parent).map_err(SynthError::io(parent))?;
            // Two sources of one name would overwrite each other.
            fs::File::create_new(&path)
                .and_then(|mut file| std::io::Write::write_all(&mut file, content))
                .map_err(SynthError::io(&path))
        };
        write(work_dir.join(LIBERTY), &self.liberty_text)?;
        for Source { name, text } in scripts.chain([&self.recipe]) {
            write(work_dir.join(name), text.as_bytes())?;
        }
        for Source { name, text } in &self.sources.includes {
            write(work_dir.join("include").join(name), text.as_bytes())?;
        }
        let mut files = Vec::new();
        for Source { name, text } in &self.sources.units {
            let file = Path::new("rtl").join(name);
            write(work_dir.join(&file), text.as_bytes())?;
            files.push(format!("{{{}}}", file.display())); // one element of a Tcl list
        }
        Ok(vec![
            ("TOP", self.job.top.clone()),
            ("PARAMS", params_text(self.job)),
            ("FILES", files.join(" ")),
            ("INCLUDES", "include".into()),
            ("LIBERTY", LIBERTY.into()),
            ("BLOCKS", blocks_text(self.job)),
            ("OUT", ".".into()),
        ])
    }

    /// Reads what Yosys left of the variant, and times it.
    fn read<K: Fn(&Path) -> PathBuf>(
        &self,
        stage: &Stage<'_, K>,
    ) -> Result<SynthResult, SynthError> {
        let variant = self.job.variant.name();
        let result = self.read_yosys(&stage.work_dir.join(variant));
        let mut result = result.map_err(|reason| stage.failure("yosys", reason))?;
        if let Some(tool) = self.sta {
            let environment = [
                ("TOP", self.job.top.clone()),
                ("LIBERTY", LIBERTY.into()),
                ("OUT", variant.to_owned()),
            ];
            stage.run("sta", tool, &["-no_init", "-exit", "timing.tcl"], &environment)?;
            result.timing =
                read_sta(&stage.log("sta")).map_err(|reason| stage.failure("sta", reason))?;
        }
        Ok(result)
    }

    fn read_yosys(&self, dir: &Path) -> Result<SynthResult, String> {
        let read = |name: &str| {
            fs::read_to_string(dir.join(name)).map_err(|error| format!("{name}: {error}"))
        };
        let design = stat::DesignStat::parse(&read("stat.json")?)?;
        let blocks = match self.job.variant {
            Variant::Blocks => design.blocks(&self.job.top, &self.library)?,
            Variant::Plain | Variant::Buffered => Vec::new(),
        };
        Ok(SynthResult {
            area: design.total(&self.job.top, &self.library)?,
            memory_bits: stat::memory_bits(&read("memory.txt")?)?,
            blocks,
            timing: None,
        })
    }
}

fn read_sta(log: &Path) -> Result<Option<Timing>, String> {
    let report = fs::read_to_string(log).map_err(|error| error.to_string())?;
    sta::parse(&report)
}

fn params_text(job: &SynthJob) -> String {
    let pairs = job.params.iter().map(|(name, value)| format!("{name}={value}"));
    pairs.collect::<Vec<_>>().join(" ")
}

fn blocks_text(job: &SynthJob) -> String {
    match job.variant {
        Variant::Blocks => block_modules().collect::<Vec<_>>().join(" "),
        Variant::Plain | Variant::Buffered => String::new(),
    }
}

/// Where the tools of one run work, and what becomes of their logs.
struct Stage<'a, K> {
    work_dir: &'a Path,
    top: &'a str,
    interrupt: &'a AtomicBool,
    keep_log: K,
}

impl<K: Fn(&Path) -> PathBuf> Stage<'_, K> {
    fn log(&self, tool: &str) -> PathBuf {
        self.work_dir.join(format!("{tool}.log"))
    }

    fn run(
        &self,
        name: &'static str,
        tool: &Tool,
        arguments: &[&str],
        environment: &[(&'static str, String)],
    ) -> Result<(), SynthError> {
        let log = self.log(name);
        let run = ToolRun {
            program: &tool.program,
            arguments,
            environment,
            work_dir: self.work_dir,
            log: &log,
        };
        let status = run.run(self.interrupt)?;
        if status.success() {
            return Ok(());
        }
        let text = fs::read(&log).map_err(SynthError::io(&log))?;
        let reason = first_error(&String::from_utf8_lossy(&text));
        Err(self.failure(name, reason.unwrap_or_else(|| status.to_string())))
    }

    fn failure(&self, tool: &'static str, reason: String) -> SynthError {
        let log = (self.keep_log)(&self.log(tool));
        SynthError::ToolFailed { tool, top: self.top.into(), reason, log }
    }
}

/// The line that says what went wrong: the first with an error mark, else the last with any text.
fn first_error(log: &str) -> Option<String> {
    let is_error =
        |line: &&str| ["ERROR", "Error", "error:"].iter().any(|mark| line.contains(mark));
    let line = log
        .lines()
        .find(is_error)
        .or_else(|| log.lines().rev().find(|line| !line.trim().is_empty()))?;
    Some(line.trim().to_string())
}
