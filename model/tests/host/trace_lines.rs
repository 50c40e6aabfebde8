//! Lines of traces: those that are malformed and what is said of them, and those that formats have
//! beside plain requests.

use std::fmt::Write;

use floatgate_model::host::RequestKind::{Flush, Read, Trim, Write as WriteKind};
use floatgate_model::host::trace::{
    BlkparseAction, FormatChoice, Skip, TraceConfig, TraceFormat, TraceSource,
};
use floatgate_model::host::{Capacity, Request};

use crate::{GIB, replay, requests, trace_file};

const V2: &str = "fio version 2 iolog\nf add\n";
const V3: &str = "fio version 3 iolog\n0 f add\n";
const HEADER: &str = "Timestamp,Response,IOType,LUN,Offset,Size\n";
const EVENT: &str = "8,0 0 1 0.0 9 D ";

/// Malformed files: their format, how they begin, and how they go on, which is at fault.
const MALFORMED: [(TraceFormat, &str, &[&str]); 11] = [
    (
        TraceFormat::MqSim,
        "",
        &[
            "1 0 0 8",
            "1 0 0 8 1 1",
            "1 0 0 8 2",
            "-1 0 0 8 1",
            "+1 0 0 8 1",
            "1.5 0 0 8 1",
            "1 a 0 8 1",
            "1 0 18446744073709551616 8 1",
            "1 0 36028797018963968 8 1",
            "1 0 0 0 1",
            "1 0 0 4294967296 1",
            "1 0 0 8 1\n\n2 0 0 8 1",
            "1 0 0 8 1\n \n",
            "1,0,0,8,1",
            "1 0 0 8 R",
            "1 0 0 8\u{e9} 1",
            "2 0 0 8 1\n1 0 0 8 1",
            "1 0 2097152 8 1",
            "1 0 0 4194304 1",
            "1 0 0 8 1\n1 1 0 8 1",
            "0 0 0 8 1\n9300000000000000 0 0 8 1",
        ],
    ),
    (
        TraceFormat::Msr,
        "",
        &[
            "1,h,0,Read,0,512",
            "1,h,0,Read,0,512,9,9",
            "x,h,0,Read,0,512,9",
            "1,,0,Read,0,512,9",
            "1,h,,Read,0,512,9",
            "1,h,0,R,0,512,9",
            "1,h,0,Flush,0,512,9",
            "1,h,0,Read,0,0,9",
            "1,h,0,Read,18446744073709551615,512,9",
            "1,h,0,Read,0,512,-9",
            "1,h,0,Read, 0,512,9",
        ],
    ),
    (
        TraceFormat::Spc1,
        "",
        &[
            "0,0,512,R",
            "a,0,512,R,0.0",
            "0,0,0,W,0.0",
            "0,0,512,X,0.0",
            "0,0,512,R,",
            "0,0,512,R,1.",
            "0,0,512,R,1e3",
            "0,0,512,R,0.0000000000001",
            "0,0,512,R,-1.0",
        ],
    ),
    (TraceFormat::Systor17, "", &["1.0,0.1,R,0,0,512", "Timestamp,Response,IOType,LUN,Offset"]),
    (
        TraceFormat::Systor17,
        HEADER,
        &["1.0,0.1,R,0,0", "1.0,0.1,X,0,0,512", "1.0,a,R,0,0,512", "t,0.1,R,0,0,512"],
    ),
    (
        TraceFormat::Fiu,
        "",
        &[
            "1 2",
            "1 2 p 0 8 W 8 0",
            "1 2 p 0 8 X 8 0 m",
            "1 p p 0 8 W 8 0 m",
            "1 2 p 0 8 W 8 x m",
            "1 2 two words 0 0 W 8 0 m",
        ],
    ),
    (
        TraceFormat::Blkparse,
        EVENT,
        &["W", "W 0 8 [p]", "W 0 + 0 [p]", "W x + 8 [p]", "Z 0 + 8 [p]", "WZ 0 + 8 [p]", "W 0 + 8"],
    ),
    (
        TraceFormat::Blkparse,
        "",
        &[
            "8 0 1 0.0 9 D W 0 + 8 [p]",
            "8,0 0 1 0.0 9",
            "8,0 x 1 0.0 9 D W 0 + 8 [p]",
            "8,0 0 1 0.0 9 Y W 0 + 8 [p]",
            "8,0 0 1 zero 9 D W 0 + 8 [p]",
            "CPU0 (8,0):\n Reads Queued: 0\n8,0 0 1 0.0 9 D W 0 + 8 [p]",
        ],
    ),
    (TraceFormat::Iolog, "", &["fio version 1 iolog", "f add"]),
    (
        TraceFormat::Iolog,
        V2,
        &[
            "f",
            "f read 0",
            "f read 0 512 9",
            "f move 0 512",
            "g read 0 512",
            "f open 1",
            "f wait x 0",
            "g close",
            "f read 0 0",
        ],
    ),
    (
        TraceFormat::Iolog,
        V3,
        &["x f read 0 512", "5 f", "5 f read 0 512 9", "5 f wait 100 0", "5 g sync 0 0"],
    ),
];

#[test]
fn malformed_lines_are_refused_with_line_and_field() {
    let mut table = String::new();
    let set = |format| move |config: &mut TraceConfig| config.format = FormatChoice::Named(format);
    for (format, head, cases) in MALFORMED {
        for case in cases {
            let text = format!("{head}{case}");
            let line = replay(&text, set(format)).expect_err(&text);
            writeln!(table, "{format} {text:?}\n    {line}").unwrap();
        }
    }
    insta::assert_snapshot!(table);
    let long = "1".repeat(70_000);
    let line = replay(long, set(TraceFormat::MqSim)).unwrap_err();
    assert_eq!(line, "t:1: is longer than 65535 bytes");
}

#[test]
fn files_that_are_no_trace_are_refused() {
    let mut table = String::new();
    for case in [
        "",
        "hello\n",
        "\n",
        "1 2 3 4 5 6\n",
        "0 8 1\n1 0 0 8 1\n",
        HEADER,
        V2,
        "CPU0 (8,0):\n Reads Queued: 0\n",
        "8,0 0 1 0.0 9 Q W 0 + 8 [p]\n",
    ] {
        writeln!(table, "{case:?}\n    {}", replay(case, |_| ()).expect_err(case)).unwrap();
    }
    insta::assert_snapshot!(table);
}

/// Where one line decides which format it is, the fault is that of the line that breaks it.
#[test]
fn a_format_is_recognised_in_spite_of_a_fault_further_down() {
    let line = replay("5 0 0 8 1\n6 0 0 8 1\n7 0 0 8 x\n", |_| ()).unwrap_err();
    assert_eq!(line, "t:3: field `type`: is `x`, must be 0 (write) or 1 (read)");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let config = TraceConfig::new("/nowhere/trace");
    let error = TraceSource::open(&config, Capacity(8)).unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/trace: cannot read: No such file"), "{error}");
}

/// Kind, FUA, sector and sectors of each request.
fn seen(requests: &[Request]) -> Vec<(floatgate_model::host::RequestKind, bool, u64, u32)> {
    requests.iter().map(|r| (r.kind, r.fua, r.sector.0, r.sectors.0)).collect()
}

#[test]
fn blkparse_letters_become_kinds_flushes_and_fua() {
    let text = "\
  8,0    0        1     0.000000000  1000  Q   W 64 + 8 [p]
  8,0    0        2     0.000000100  1000  D   W 64 + 8 [two words]
  8,0    0        3     0.000000200  1000  D RAM 72 + 16 [p]
  8,0    0        4     0.000000300  1000  D  DS 0 + 2048 [p]
  8,0    0        5     0.000000400  1000  D  FN [kworker/0:1H]
  8,0    0        6     0.000000500  1000  D FWFS 8 + 8 [p]
  8,0    0        7     0.000000600  1000  D WFS 16 + 8 [p]
  8,0    0        8     0.000000700  1000  D FWS [p]
  8,0    0        9     0.000000800  1000  D   R 36 (12 01 00 00 24 00) [p]
  8,0    0       10     0.000000900  1000  C   W 64 + 8 [0]
  8,0    0        0     0.000000950     0  m   N cfq1234 insert_request
  8,0    0       11     0.000001000  1000  D   N 0 [p]
  8,0    0       12     0.000001100  1000  D  FF (     120) [p]
  8,0    0       13     0.000001200  1000  D   W 24 + 8 (     120) [p]
  8,0    0       14     0.000001300  1000  D   W 36 [p]
CPU0 (8,0):
 Reads Queued:           1,        8KiB\t Writes Queued:           5,       20KiB

Total (8,0):
 Reads Queued:           1,        8KiB
";
    let (_dir, mut config) = trace_file(text);
    let mut source = TraceSource::open(&config, Capacity::of_bytes(GIB)).unwrap();
    let issued = requests(&mut source).unwrap();
    let expected = [
        (WriteKind, false, 64, 8),
        (Read, false, 72, 16),
        (Trim, false, 0, 2048),
        (Flush, false, 0, 0),
        (Flush, false, 0, 0),
        (WriteKind, true, 8, 8),
        (WriteKind, true, 16, 8),
        (Flush, false, 0, 0),
        (Flush, false, 0, 0),
        (WriteKind, false, 24, 8),
    ];
    assert_eq!(seen(&issued), expected);
    let arrivals: Vec<_> = issued.iter().map(|request| request.arrival.0 / 1000).collect();
    assert_eq!(arrivals, [0, 100, 200, 300, 400, 400, 500, 600, 1000, 1100]);
    let counts = source.counts();
    assert_eq!((counts.lines, counts.requests), (20, 9), "one line is flush and write");
    assert_eq!(counts.skipped(Skip::OtherAction), 3);
    assert_eq!(counts.skipped(Skip::NoOperation), 3);
    assert_eq!(counts.skipped(Skip::Summary), 5);
    config.blkparse_action = BlkparseAction::Queued;
    let mut source = TraceSource::open(&config, Capacity::of_bytes(GIB)).unwrap();
    assert_eq!(seen(&requests(&mut source).unwrap()), [(WriteKind, false, 64, 8)]);
}

#[test]
fn iolog_of_version_2_waits_and_has_all_actions() {
    let text = "fio version 2 iolog\n/dev/a add\n/dev/a open\n/dev/a read 0 4096\n\
                /dev/a wait 150 0\n/dev/a write 4096 512\n/dev/a wait 50 0\n/dev/a sync 0 0\n\
                /dev/a datasync 0 0\n/dev/a trim 1048576 65536\n/dev/a close\n";
    let (_dir, config) = trace_file(text);
    let mut source = TraceSource::open(&config, Capacity::of_bytes(GIB)).unwrap();
    let requests = requests(&mut source).unwrap();
    let expected = [
        (Read, false, 0, 8),
        (WriteKind, false, 8, 1),
        (Flush, false, 0, 0),
        (Flush, false, 0, 0),
        (Trim, false, 2048, 128),
    ];
    assert_eq!(seen(&requests), expected);
    let us: Vec<_> = requests.iter().map(|request| request.arrival.0 / 1_000_000).collect();
    assert_eq!(us, [0, 150, 200, 200, 200]);
    assert_eq!(source.counts().skipped(Skip::Wait), 2);
    assert_eq!(source.counts().skipped(Skip::FileAction), 3);
}

#[test]
fn rows_of_systor_without_a_type_are_counted() {
    let text = format!("{HEADER}1.5,0.1,R,0,0,512\n1.6,,,0,0,0\n1.7,,W,0,512,512\n");
    let (_dir, config) = trace_file(text);
    let mut source = TraceSource::open(&config, Capacity::of_bytes(GIB)).unwrap();
    let requests = requests(&mut source).unwrap();
    assert_eq!(seen(&requests), [(Read, false, 0, 1), (WriteKind, false, 1, 1)]);
    assert_eq!(requests[1].arrival.0, 200_000_000_000);
    assert_eq!(source.counts().skipped(Skip::NoOperation), 1);
}

#[test]
fn bytes_that_are_not_sectors_become_all_sectors_they_touch() {
    let (_dir, config) = trace_file("0,7,513,w,0.5,9,9\n0,8,1024,r,0.5\n");
    let mut source = TraceSource::open(&config, Capacity::of_bytes(GIB)).unwrap();
    let seen_spc = seen(&requests(&mut source).unwrap());
    assert_eq!(seen_spc, [(WriteKind, false, 7, 2), (Read, false, 8, 2)]);
    assert_eq!(source.counts().widened, 1);
    let msr = replay("1,h,0,Read,511,2,9\n2,h,0,write,512,1,9\n", |_| ()).unwrap();
    assert_eq!(seen(&msr), [(Read, false, 0, 2), (WriteKind, false, 1, 1)]);
}

#[test]
fn process_names_with_blanks_do_not_shift_fiu_fields() {
    let text = "5 9 two words 64 8 W 8 0 md5\n6 9 p 72 16 R 8 0 md5\n";
    let seen = seen(&replay(text, |_| ()).unwrap());
    assert_eq!(seen, [(WriteKind, false, 64, 8), (Read, false, 72, 16)]);
}
