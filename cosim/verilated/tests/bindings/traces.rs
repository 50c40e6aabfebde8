//! Waveforms, read back with wellen: both formats, each window, and what a failure leaves.

use std::path::{Path, PathBuf};

use verilated::{Batch, Error, FailureKind, Model, Trace, TraceFormat, TraceWindow};
use verilated_echo::{ECHO_COVERED, ECHO_P8, ECHO_P64, EchoPorts};
use wellen::simple::{Waveform, read as read_wave};

use crate::{commands, echo, words};

const FORMATS: [TraceFormat; 2] = [TraceFormat::Vcd, TraceFormat::Fst];

/// A fresh directory for a test's files.
pub(crate) fn scratch(test: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("the target directory is writable");
    dir
}

fn open(path: &Path) -> Waveform {
    read_wave(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The changes of a port: time in ns and value.
pub(crate) fn read(path: &Path, port: &str) -> Vec<(u64, u64)> {
    changes(&mut open(path), port)
        .into_iter()
        .map(|(time, bits)| (time, u64::from_str_radix(&bits, 2).expect("no X in two states")))
        .collect()
}

/// The changes of a port: time in ns and value, one character a bit.
fn changes(wave: &mut Waveform, port: &str) -> Vec<(u64, String)> {
    let hierarchy = wave.hierarchy();
    let variable = hierarchy.lookup_var(&["TOP"], port).expect("the port is in the waveform");
    let signal = hierarchy[variable].signal_ref();
    wave.load_signals(&[signal]);
    let times = wave.time_table();
    wave.get_signal(signal)
        .expect("it was just loaded")
        .iter_changes()
        .map(|(index, value)| {
            (times[index as usize], value.to_bit_string().expect("it is a bit vector"))
        })
        .collect()
}

/// Runs clocks with their own number on s_data_i.
fn count(model: &mut Model, ports: &EchoPorts, clocks: std::ops::Range<u64>) {
    for clock in clocks {
        assert_eq!(model.clock(), clock);
        model.set(ports.s_data_i, clock % 256);
        model.tick().unwrap();
    }
}

fn expected(clocks: std::ops::Range<u64>) -> Vec<(u64, u64)> {
    clocks.map(|clock| (10 * clock, clock % 256)).collect()
}

#[test]
fn a_window_holds_its_clocks_and_no_others() {
    let dir = scratch("window");
    for format in FORMATS {
        let (mut model, ports) = echo(ECHO_P8, 1);
        let path = dir.join(format!("{format:?}"));
        let window = TraceWindow::Clocks(20..30);
        model.start_trace(&Trace { path: path.clone(), format, window }).unwrap();
        count(&mut model, &ports, 2..50);
        assert_eq!(read(&path, "s_data_i"), expected(20..30));

        let mut wave = open(&path);
        assert_eq!(wave.time_table().first(), Some(&200));
        assert_eq!(wave.time_table().last(), Some(&295));
        let clock: Vec<(u64, String)> = (40..60)
            .map(|half| (5 * half, if half % 2 == 1 { "1" } else { "0" }.to_owned()))
            .collect();
        assert_eq!(changes(&mut wave, "clk_i"), clock);
        let timescale = wave.hierarchy().timescale().expect("it has one");
        assert_eq!((timescale.factor, timescale.unit), (1, wellen::TimescaleUnit::NanoSeconds));
    }
}

#[test]
fn a_model_can_write_several_windows() {
    let dir = scratch("several");
    let (mut model, ports) = echo(ECHO_P8, 1);
    for (index, format) in [0, 1].into_iter().zip(FORMATS) {
        let path = dir.join(format!("{index}"));
        let window = TraceWindow::All;
        model.start_trace(&Trace { path: path.clone(), format, window }).unwrap();
        let start = 2 + 10 * index;
        count(&mut model, &ports, start..start + 10);
        assert_eq!(model.end_trace().unwrap(), Some(path.clone()));
        assert_eq!(read(&path, "s_data_i"), expected(start..start + 10));
    }
}

#[test]
fn both_formats_hold_the_same_values() {
    let dir = scratch("formats");
    let sent = words(40, 64);
    let mut waves = FORMATS.map(|format| {
        let (mut model, ports) = echo(ECHO_P64, 1);
        let path = dir.join(format!("{format:?}"));
        let window = TraceWindow::All;
        model.start_trace(&Trace { path: path.clone(), format, window }).unwrap();
        model.set_wide(ports.key_i, &[0x89ab_cdef, 0x0123_4567, 0xdead_beef]);
        model.stream(&Batch::new(&commands(&[320]), &sent)).unwrap();
        let digest = model.get_wide(ports.digest_o);
        model.end_trace().unwrap();
        (open(&path), digest)
    });
    for port in ["clk_i", "s_data_i", "m_data_o", "m_last_o", "digest_o", "key_i", "sts_data_o"] {
        let [(vcd, digest), (fst, _)] = &mut waves;
        let values = changes(vcd, port);
        assert!(!values.is_empty());
        assert_eq!(values, changes(fst, port), "{port}");
        if port == "digest_o" {
            let words = digest.iter().rev().map(|word| format!("{word:032b}"));
            let bits: String = words.collect();
            assert_eq!(values.last().unwrap().1, bits[bits.len() - 400..]);
        }
    }
    let scopes = |wave: &Waveform| -> Vec<String> {
        let hierarchy = wave.hierarchy();
        hierarchy.all_scopes().map(|scope| hierarchy[scope].full_name(hierarchy)).collect()
    };
    assert_eq!(scopes(&waves[0].0), scopes(&waves[1].0));
    assert!(scopes(&waves[0].0).contains(&"TOP.echo.gen_queue".to_owned()));
}

#[test]
fn the_last_clocks_are_written_when_the_model_fails() {
    let dir = scratch("last");
    for format in FORMATS {
        let (mut model, ports) = echo(ECHO_P8, 1);
        let path = dir.join(format!("{format:?}"));
        let window = TraceWindow::LastClocks(12);
        model.start_trace(&Trace { path: path.clone(), format, window }).unwrap();
        count(&mut model, &ports, 2..300);
        assert!(!path.exists(), "written before there was a reason");
        model.set(ports.fail_finish_i, 1);
        let Err(Error::Failed(failure)) = model.tick() else { panic!("it was to fail") };
        assert_eq!((failure.kind, failure.clock), (FailureKind::Finish, 300));
        assert_eq!(failure.trace, Some(path.clone()));
        let mut wave = open(&path);
        assert_eq!(wave.time_table().first(), Some(&(10 * 289)));
        assert_eq!(wave.time_table().last(), Some(&3005), "the failing edge is the last");
        assert_eq!(changes(&mut wave, "fail_finish_i").last().unwrap(), &(3000, "1".to_owned()));
        assert_eq!(read(&path, "s_data_i"), expected(289..300));
        // A value that has not changed for long is known all the same.
        assert_eq!(read(&path, "rst_ni"), [(2890, 1)]);
    }
}

#[test]
fn the_last_clocks_are_written_on_a_deadlock_and_on_request() {
    let dir = scratch("request");
    let (mut model, ports) = echo(ECHO_P8, 1);
    let trace = |name: &str| Trace {
        path: dir.join(name),
        format: TraceFormat::Vcd,
        window: TraceWindow::LastClocks(5),
    };
    model.start_trace(&trace("request.vcd")).unwrap();
    count(&mut model, &ports, 2..100);
    assert_eq!(model.end_trace().unwrap(), Some(dir.join("request.vcd")));
    assert_eq!(read(&dir.join("request.vcd"), "s_data_i"), expected(95..100));

    model.start_trace(&trace("deadlock.vcd")).unwrap();
    let two = commands(&[2]);
    let batch = Batch { idle_limit_clocks: 40, ..Batch::new(&two, &[1]) };
    let Err(Error::Deadlock(deadlock)) = model.stream(&batch) else { panic!("a word is missing") };
    assert_eq!(deadlock.trace, Some(dir.join("deadlock.vcd")));
    let last = *open(&dir.join("deadlock.vcd")).time_table().last().unwrap();
    assert_eq!(last, 10 * deadlock.clock - 5);
}

#[test]
fn nothing_is_left_where_nothing_fails() {
    let path = scratch("nothing").join("ring.fst");
    let (mut model, ports) = echo(ECHO_P8, 1);
    let window = TraceWindow::LastClocks(5);
    model.start_trace(&Trace { path: path.clone(), format: TraceFormat::Fst, window }).unwrap();
    count(&mut model, &ports, 2..100);
    drop(model);
    assert!(!path.exists());
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let (mut model, _) = echo(ECHO_P8, 1);
    for format in FORMATS {
        for window in [TraceWindow::All, TraceWindow::LastClocks(5)] {
            let trace = Trace { path: "/nowhere/at/all.wave".into(), format, window };
            assert_eq!(
                model.start_trace(&trace).unwrap_err().to_string(),
                "/nowhere/at/all.wave: cannot write the waveform: No such file or directory"
            );
        }
    }
    model.step_n(10).unwrap();
}

#[test]
fn coverage_is_written_by_models_that_have_it() {
    let path = scratch("coverage").join("coverage.dat");
    let (mut model, _) = echo(ECHO_COVERED, 1);
    model.stream(&Batch::new(&commands(&[3]), &words(3, 8))).unwrap();
    model.write_coverage(&path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("echo.sv"), "{text}");

    let (mut plain, _) = echo(ECHO_P8, 1);
    let error = plain.write_coverage(&path).unwrap_err().to_string();
    assert!(error.ends_with("the model was built without coverage"), "{error}");
}
