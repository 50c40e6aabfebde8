//! Workload files: what they must say, and what is said of those that do not.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use floatgate_hal::units::Picoseconds;
use floatgate_model::config::ConfigError;
use floatgate_model::host::Capacity;
use floatgate_model::host::workload::Workload;

use crate::workload;

const GOOD: &str = "(
    seed: 7,
    flows: [(
        name: \"writer\",
        phases: [(
            until: Requests(10),
            pace: Open(rate: RequestsPerSecond(1000), gaps: Fixed),
            region: (offset: Fraction(0.5), size: Bytes(65536)),
            pattern: HotCold(space: 0.2, accesses: 0.8),
            sizes: Mix([(bytes: 4096, weight: 3), (bytes: 512, align_bytes: 4096)]),
            kinds: (write: 9, trim: 1),
            flush_every_writes: 4,
            fua_share: 0.25,
        )],
    )],
)
";

/// Changes to the good file, each of which is refused.
const FAULTS: [(&str, &str); 34] = [
    ("seed: 7,", ""),
    ("seed", "sed"),
    ("seed: 7", "seed: -7"),
    ("\"writer\"", "\"\""),
    ("flows: [(", "flows: [(name: \"writer\", phases: []), ("),
    (")],\n    )],", ")],\n    ), (name: \"writer\", phases: [])],"),
    ("Requests(10)", "Requests(0)"),
    ("Requests(10)", "Request(10)"),
    ("Requests(10)", "Microseconds(9000000000000000)"),
    ("Requests(10)", "Requests(100000000000000)"),
    ("rate: R", "rat: R"),
    ("RequestsPerSecond(1000)", "RequestsPerSecond(0)"),
    ("RequestsPerSecond(1000)", "RequestsPerSecond(2000000000000)"),
    ("RequestsPerSecond(1000)", "BytesPerSecond(1)"),
    ("Open(rate: RequestsPerSecond(1000), gaps: Fixed)", "Closed(queue_depth: 0)"),
    (
        "Open(rate: RequestsPerSecond(1000), gaps: Fixed)",
        "Closed(queue_depth: 1, think_ns: 4000000000000)",
    ),
    ("gaps: Fixed", "gaps: Regular"),
    ("Fraction(0.5)", "Fraction(1.5)"),
    ("Bytes(65536)", "Bytes(65537)"),
    ("Bytes(65536)", "Bytes(1048576)"),
    ("Bytes(65536)", "Bytes(512)"),
    ("space: 0.2", "space: 1.0"),
    ("space: 0.2", "space: 0.001"),
    ("accesses: 0.8", "accesses: -0.1"),
    ("HotCold(space: 0.2, accesses: 0.8)", "Zipf(theta: -1.0)"),
    ("HotCold(space: 0.2, accesses: 0.8)", "Zipf(theta: 0.9, space: 0.2)"),
    ("(bytes: 4096", "(bytes: 0"),
    ("(bytes: 4096", "(bytes: 1000"),
    ("(bytes: 512,", "(bytes: 2200000000000,"),
    ("align_bytes: 4096", "align_bytes: 4000"),
    ("weight: 3), (bytes: 512, align_bytes: 4096)", "weight: 0)"),
    ("[(bytes: 4096, weight: 3), (bytes: 512, align_bytes: 4096)]", "[]"),
    ("write: 9, trim: 1", ""),
    ("fua_share: 0.25", "fua_share: 25.0"),
];

/// The line that refuses a changed file, without its folder.
#[track_caller]
fn refusal(from: &str, to: &str) -> String {
    assert_eq!(GOOD.matches(from).count(), 1, "{from}");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.ron");
    fs::write(&path, GOOD.replace(from, to)).unwrap();
    let error = match Workload::load(&path) {
        Err(error) => error,
        Ok(workload) => {
            let sources = workload.sources(Capacity::of_bytes(1 << 20));
            let fault = sources.err().unwrap_or_else(|| panic!("not refused: {from} -> {to}"));
            ConfigError::at(&path, fault)
        }
    };
    let line = error.to_string();
    assert_eq!(line.lines().count(), 1, "{line}");
    line.replace(&format!("{}/", dir.path().display()), "")
}

#[test]
fn faults_are_refused_with_their_place() {
    let mut table = String::new();
    for (from, to) in FAULTS {
        writeln!(table, "{from:?} -> {to:?}\n    {}", refusal(from, to)).unwrap();
    }
    insta::assert_snapshot!(table);
}

#[test]
fn shipped_workloads_run_on_a_small_device() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/hosts");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let workload = Workload::load(&path).unwrap_or_else(|error| panic!("{error}"));
        for mut source in workload.sources(Capacity::of_bytes(4 << 30)).unwrap() {
            let requests: Vec<_> = (0..100).filter_map(|ns| source.next(ps(ns))).collect();
            assert_eq!(requests.len(), 100, "{}: {}", path.display(), source.name());
        }
        names.push(path.file_stem().unwrap().to_str().unwrap().to_owned());
    }
    names.sort_unstable();
    assert_eq!(names, ["database", "enterprise", "random-4k"]);
}

fn ps(ns: u64) -> Picoseconds {
    Picoseconds(ns * 1000)
}

#[test]
fn defaults_are_the_whole_device_and_no_flush() {
    let workload = workload(
        "(seed: 0, flows: [(name: \"a\", phases: [(until: Requests(1),
          pace: Closed(queue_depth: 1), pattern: Uniform, sizes: Bytes(512), kinds: (read: 1))])])",
    );
    let phase = &workload.flows[0].phases[0];
    let region = format!("{:?}", phase.region);
    assert_eq!(region, "Region { offset: Bytes(0), size: Fraction(1.0) }");
    assert_eq!((phase.flush_every_writes, phase.fua_share), (0, 0.0));
}

#[test]
fn a_workload_is_written_as_it_is_read() {
    let first = workload(GOOD);
    assert_eq!(workload(&ron::to_string(&first).unwrap()), first);
}
