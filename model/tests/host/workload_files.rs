//! Workload files: what they must say.

use std::fs;

use floatgate_model::config::ConfigError;
use floatgate_model::host::Capacity;
use floatgate_model::host::workload::Workload;

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

/// The line that refuses a changed file, without its folder.
#[track_caller]
fn refusal(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.ron");
    fs::write(&path, GOOD.replace(from, to)).unwrap();
    let error = match Workload::load(&path) {
        Err(error) => error,
        Ok(workload) => {
            let fault = workload.sources(Capacity::of_bytes(1 << 20)).expect_err("must be refused");
            ConfigError::at(&path, fault)
        }
    };
    let line = error.to_string();
    assert_eq!(line.lines().count(), 1, "{line}");
    line.replace(&format!("{}/", dir.path().display()), "")
}

#[test]
fn faults_are_refused_with_their_place() {
    let place = "w.ron:7:24: field `flows[0].phases[0]";
    for (from, to, expected) in [
        ("seed: 7,", "", "w.ron:1:1: field `seed`: missing".to_owned()),
        ("seed", "sed", "w.ron:2:5: field `sed`: unknown; the nearest name is `seed`".to_owned()),
        (
            "rate: R",
            "rat: R",
            format!("{place}.pace.Open.rat`: unknown; the nearest name is `rate`"),
        ),
    ] {
        assert_eq!(refusal(from, to), expected);
    }
}
