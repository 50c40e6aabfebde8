//! The synthesis flow on a small design, with the real tools; skipped where they are absent.

use std::{
    collections::BTreeMap,
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use floatgate_cosim::synth::{
    Block, DEFAULT_LIBERTY, SynthError, SynthEvent, SynthJob, SynthObserver, SynthResult,
    SynthSetup, Tool, Toolchain, Variant, run_all,
};

const WIDTH: u64 = 12;
const DEPTH: u64 = 16;

fn project_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Scripts of the project, results and sources in a folder of the test's own.
struct Bench {
    dir: tempfile::TempDir,
    setup: SynthSetup,
}

impl Bench {
    /// `None`, with a line that says why, where a tool is missing.
    fn new() -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let mut setup = SynthSetup::in_project(project_root(), NonZeroUsize::new(2).unwrap());
        setup.cache_dir = dir.path().join("cache");
        let tools = [&setup.tools.yosys, &setup.tools.sta];
        if let Some(missing) = tools.into_iter().find_map(|tool| tool.as_ref().err()) {
            eprintln!("skipped: {missing}");
            return None;
        }
        if !Path::new(DEFAULT_LIBERTY).exists() {
            eprintln!("skipped: no {DEFAULT_LIBERTY}");
            return None;
        }
        let rtl_dir = project_root().join("tests/cosim/synth");
        for name in ["bch_buffer.sv", "bch_syndrome.sv", "probe.sv"] {
            fs::copy(rtl_dir.join(name), dir.path().join(name)).unwrap();
        }
        Some(Self { dir, setup })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn job(&self, variant: Variant) -> SynthJob {
        let files = ["bch_buffer.sv", "bch_syndrome.sv", "probe.sv"];
        SynthJob {
            top: "probe".into(),
            params: BTreeMap::from([
                ("W".to_string(), WIDTH as i64),
                ("DEPTH".to_string(), DEPTH as i64),
            ]),
            files: files.map(|name| self.path(name)).to_vec(),
            include_dirs: vec![],
            liberty: DEFAULT_LIBERTY.into(),
            variant,
        }
    }

    fn all_variants(&self) -> Vec<SynthJob> {
        [Variant::Buffered, Variant::Plain, Variant::Blocks].map(|v| self.job(v)).to_vec()
    }

    fn run(&self, jobs: &[SynthJob]) -> (Vec<Result<SynthResult, SynthError>>, Vec<String>) {
        let log = EventLog::default();
        let results = run_all(jobs, &self.setup, &log).unwrap();
        let mut events = log.0.into_inner().unwrap();
        events.sort();
        (results, events)
    }

    /// Results that a later run would find.
    fn cached_entries(&self) -> usize {
        let entries = fs::read_dir(&self.setup.cache_dir).unwrap();
        let is_json =
            |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
        entries.map(|entry| entry.unwrap().path()).filter(is_json).count()
    }
}

/// Notes the events as words.
#[derive(Default)]
struct EventLog(Mutex<Vec<String>>);

impl SynthObserver for EventLog {
    fn on_event(&self, job: &SynthJob, event: SynthEvent<'_>) {
        let word = match event {
            SynthEvent::Started => "started",
            SynthEvent::Cached => "cached",
            SynthEvent::Finished { .. } => "finished",
            SynthEvent::Failed(_) => "failed",
        };
        self.0.lock().unwrap().push(format!("{} {word}", job.variant.name()));
    }
}

#[test]
fn figures_of_a_known_design() {
    let Some(bench) = Bench::new() else { return };
    let (results, _) = bench.run(&bench.all_variants());
    let [buffered, plain, blocks] = <[_; 3]>::try_from(results).unwrap().map(Result::unwrap);

    let flip_flops = 2 * 2 * WIDTH + WIDTH + 3;
    for result in [&buffered, &plain, &blocks] {
        assert_eq!(result.area.flip_flops, flip_flops);
        assert_eq!(result.memory_bits, WIDTH * DEPTH);
        assert!(result.area.cells > flip_flops);
        assert_eq!(result.area.gate_equivalents, result.area.area_um2 / 24.0);
    }
    assert!(buffered.area.area_um2 > plain.area.area_um2, "buffers cost area");

    let timing = buffered.timing.expect("the buffered netlist is timed");
    assert_eq!(plain.timing, None);
    assert!((1.0..10.0).contains(&timing.critical_path_ns), "{timing:?}");
    assert_eq!(timing.fmax_mhz, 1000.0 / timing.critical_path_ns);
    for point in [&timing.start_point, &timing.end_point] {
        assert!(point.starts_with("u_left.") || point.starts_with("u_right."), "{point}");
    }
    assert!(timing.end_point.contains("product_"), "{timing:?}");

    assert_eq!(plain.blocks, []);
    let parts: Vec<_> = blocks.blocks.iter().map(|b| (b.block, b.area.flip_flops)).collect();
    assert_eq!(parts, [(Block::Syndrome, 2 * 2 * WIDTH), (Block::Control, WIDTH + 3)]);
    let apart = blocks.area.area_um2 / plain.area.area_um2;
    assert!((0.9..1.1).contains(&apart), "boundaries change the area by {apart}");
}

/// The script by hand, and Yosys' own sum of the area, agree with what the program computes; also
/// that another variant out of the same run changes nothing.
#[test]
fn the_script_runs_by_hand_and_gives_the_same_area() {
    let Some(bench) = Bench::new() else { return };
    let by_hand = bench.path("by-hand");
    fs::create_dir(&by_hand).unwrap();
    let job = bench.job(Variant::Buffered);
    let files: Vec<_> = job.files.iter().map(|file| file.display().to_string()).collect();
    let synth_dir = project_root().join("ecc-rtl/synth");
    let run = |program: &Path, arguments: &[&str], out: &Path| {
        let output = Command::new(program)
            .args(arguments)
            .env("TOP", &job.top)
            .env("PARAMS", format!("W={WIDTH} DEPTH={DEPTH}"))
            .env("FILES", files.join(" "))
            .env("VARIANTS", "plain buffered")
            .env("OUT", out)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let tools = &bench.setup.tools;
    let script = |name: &str| synth_dir.join(name).display().to_string();
    run(&tools.yosys.as_ref().unwrap().program, &["-c", &script("area.tcl")], &by_hand);
    let timing = ["-no_init", "-exit", &script("timing.tcl")];
    let buffered = by_hand.join("buffered");
    let report = run(&tools.sta.as_ref().unwrap().program, &timing, &buffered);

    let result = bench.run(std::slice::from_ref(&job)).0.remove(0).unwrap();
    let stat = fs::read_to_string(buffered.join("stat.txt")).unwrap();
    let chip_area = stat.lines().find_map(|line| line.trim().strip_prefix("Chip area for module"));
    let chip_area: f64 = chip_area.unwrap().split(": ").nth(1).unwrap().trim().parse().unwrap();
    assert_eq!(result.area.area_um2, chip_area);
    let end_point = result.timing.unwrap().end_point;
    assert!(report.contains(&format!("Endpoint: {end_point}\\")), "{end_point}: {report}");
}

#[test]
fn results_are_kept_by_content() {
    let Some(mut bench) = Bench::new() else { return };
    let jobs = [bench.job(Variant::Plain), bench.job(Variant::Blocks), bench.job(Variant::Plain)];
    let (first, events) = bench.run(&jobs);
    // Equal jobs are run once.
    assert_eq!(
        events,
        ["blocks finished", "blocks started", "plain cached", "plain finished", "plain started"]
    );
    assert_eq!(bench.cached_entries(), 2);

    // A file that the top does not need, another number of jobs at once, another order: all there.
    fs::write(bench.path("other.sv"), "module other;\nendmodule\n").unwrap();
    bench.setup.jobs = NonZeroUsize::MIN;
    let mut with_other = jobs.clone();
    with_other.reverse();
    with_other.iter_mut().for_each(|job| job.files.insert(0, bench.path("other.sv")));
    let (mut second, events) = bench.run(&with_other);
    assert_eq!(events, ["blocks cached", "plain cached", "plain cached"]);
    second.reverse();
    let plain = |results: &[Result<SynthResult, SynthError>]| -> Vec<SynthResult> {
        results.iter().map(|result| result.clone().unwrap()).collect()
    };
    assert_eq!(plain(&first), plain(&second));

    // The RTL or a parameter changes: run again.
    let rtl = fs::read_to_string(bench.path("bch_syndrome.sv")).unwrap();
    fs::write(bench.path("bch_syndrome.sv"), rtl.replace("* factor_q +", "* factor_q ^")).unwrap();
    let (third, events) = bench.run(&jobs[..1]);
    assert_eq!(events, ["plain finished", "plain started"]);
    assert_ne!(plain(&third)[0].area, plain(&first)[0].area);
    let mut wider = bench.job(Variant::Plain);
    wider.params.insert("DEPTH".into(), 2 * DEPTH as i64);
    let (fourth, _) = bench.run(&[wider]);
    assert_eq!(plain(&fourth)[0].memory_bits, 2 * WIDTH * DEPTH);
}

#[test]
fn an_interruption_leaves_the_cache_sound() {
    let Some(bench) = Bench::new() else { return };
    let done = bench.run(&[bench.job(Variant::Plain)]).0.remove(0).unwrap();
    let mut large = bench.job(Variant::Plain);
    large.params.insert("W".into(), 64);

    /// Interrupts once the tools are at work.
    struct Interrupter<'a>(&'a AtomicBool);
    impl SynthObserver for Interrupter<'_> {
        fn on_event(&self, _job: &SynthJob, event: SynthEvent<'_>) {
            if matches!(event, SynthEvent::Started) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
    }
    let interrupt = bench.setup.interrupt.clone();
    let jobs = [large.clone(), large.clone(), bench.job(Variant::Blocks)];
    let results = run_all(&jobs, &bench.setup, &Interrupter(&interrupt)).unwrap();
    for result in &results {
        assert!(matches!(result, Err(SynthError::Interrupted)), "{result:?}");
    }
    assert_eq!(bench.cached_entries(), 1);
    assert_eq!(fs::read_dir(&bench.setup.cache_dir).unwrap().count(), 1, "nothing half-written");

    // What was there before is still found, even while interrupted; the rest runs again.
    let (mut results, events) = bench.run(&[bench.job(Variant::Plain)]);
    assert_eq!(results.remove(0).unwrap(), done);
    assert_eq!(events, ["plain cached"]);
    interrupt.store(false, Ordering::Relaxed);
    let (results, _) = bench.run(&[bench.job(Variant::Blocks)]);
    assert!(results[0].is_ok());
}

#[test]
fn an_analyzer_that_reports_nothing_is_no_timing_of_zero() {
    let Some(mut bench) = Bench::new() else { return };
    bench.setup.tools.sta = Ok(Tool { program: "/bin/true".into(), version: "silent".into() });
    let error = bench.run(&[bench.job(Variant::Buffered)]).0.remove(0).unwrap_err().to_string();
    assert!(error.starts_with("sta failed on probe: no Startpoint: in the report"), "{error}");
    assert_eq!(bench.cached_entries(), 0);
}

#[test]
fn a_failing_tool_is_quoted_and_its_log_kept() {
    let Some(bench) = Bench::new() else { return };
    let rtl = fs::read_to_string(bench.path("bch_syndrome.sv")).unwrap();
    fs::write(bench.path("bch_syndrome.sv"), rtl.replace("assign product_o", "assign = ")).unwrap();
    let (results, events) = bench.run(&[bench.job(Variant::Plain)]);
    assert_eq!(events, ["plain failed", "plain started"]);
    let error = results[0].as_ref().unwrap_err();
    let SynthError::ToolFailed { tool: "yosys", top, reason, log } = error else {
        panic!("{error}");
    };
    assert_eq!(top, "probe");
    assert!(reason.contains("bch_syndrome.sv:23: ERROR: syntax error"), "{reason}");
    assert!(fs::read_to_string(log).unwrap().contains(reason));
    assert_eq!(error.to_string().lines().count(), 1);
    assert_eq!(bench.cached_entries(), 0);

    // A parameter that the module does not have is an error too, not a default.
    let mut job = bench.job(Variant::Plain);
    fs::write(bench.path("bch_syndrome.sv"), rtl).unwrap();
    job.params.insert("WIDHT".into(), 3);
    let error = bench.run(&[job]).0.remove(0).unwrap_err().to_string();
    assert!(error.contains("WIDHT"), "{error}");
}

#[test]
fn missing_tools_are_values_with_one_line() {
    let job = SynthJob {
        top: "probe".into(),
        params: BTreeMap::new(),
        files: vec![project_root().join("tests/cosim/synth/small.sv")],
        include_dirs: vec![],
        liberty: "/nowhere/cells.lib".into(),
        variant: Variant::Buffered,
    };
    let dir = tempfile::tempdir().unwrap();
    let mut setup = SynthSetup::in_project(project_root(), NonZeroUsize::MIN);
    setup.cache_dir = dir.path().into();
    let error = |setup: &SynthSetup| match run_all(std::slice::from_ref(&job), setup, &())
        .unwrap()
        .remove(0)
    {
        Err(SynthError::ToolMissing(missing)) => missing.to_string(),
        other => panic!("{other:?}"),
    };
    setup.tools = Toolchain::probe("/nowhere/yosys".into(), "/nowhere/sta".into());
    assert_eq!(error(&setup), "/nowhere/yosys not found: install the Debian package yosys");
    setup.tools.yosys = Ok(Tool { program: "yosys".into(), version: "Yosys 0.23".into() });
    assert_eq!(error(&setup), "/nowhere/sta not found: install the Debian package opensta");
    setup.tools.sta = setup.tools.yosys.clone().map_err(|_| unreachable!());
    assert!(error(&setup).starts_with("/nowhere/cells.lib not found: install"));
}
