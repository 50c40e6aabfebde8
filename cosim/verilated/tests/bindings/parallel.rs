//! Several instances at once: each has its own time, failures and text, on whatever thread.

use rayon::prelude::*;
use verilated::{Batch, Error, Model, Stalls, Trace, TraceFormat, TraceWindow};
use verilated_echo::{ECHO_P8, ECHO_P64};

use crate::{commands, echo, words};

/// A type that may move between threads; fails to compile otherwise.
fn assert_send<T: Send>(value: T) -> T {
    value
}

#[test]
fn a_model_made_on_one_thread_runs_on_others() {
    let (model, _) = echo(ECHO_P64, 3);
    let mut model = assert_send(model);
    let sent = words(50, 64);
    let commands = commands(&[400]);
    let batch = Batch::new(&commands, &sent);
    let here = model.stream(&batch).unwrap();
    for round in 1..=4_u64 {
        let there = std::thread::scope(|scope| {
            scope.spawn(|| model.stream(&batch).unwrap()).join().expect("no panic there")
        });
        assert_eq!(there.words, here.words);
        assert_eq!(there.word_clocks[0], here.word_clocks[0] + round * here.clocks);
    }
    // It may end on another thread as well, and this thread's next model is not confused by that.
    std::thread::spawn(move || drop(model)).join().unwrap();
    echo(ECHO_P64, 4).0.stream(&batch).unwrap();
}

#[test]
fn instances_in_parallel_give_what_they_give_alone() {
    let sent = words(500, 8);
    let commands = commands(&[100, 150, 250]);
    let run = |seed: u64| {
        let (mut model, ports) = echo(ECHO_P8, seed);
        let batch = Batch { stalls: Stalls::uniform(60, seed), ..Batch::new(&commands, &sent) };
        let output = model.stream(&batch).unwrap();
        (output, model.get_wide(ports.digest_o))
    };
    let alone: Vec<_> = (0..64).map(run).collect();
    let together: Vec<_> = (0..64).into_par_iter().map(run).collect();
    assert_eq!(alone, together);
}

#[test]
fn initial_values_depend_on_the_seed_alone() {
    let digest = |seed: u64| {
        let model = Model::new(ECHO_P64, seed).unwrap();
        model.get_wide(model.output("digest_o").unwrap())
    };
    let alone: Vec<_> = (0..200).map(digest).collect();
    let together: Vec<_> = (0..200).into_par_iter().map(digest).collect();
    assert_eq!(alone, together);
}

#[test]
fn failures_do_not_reach_other_instances() {
    let models: Vec<_> = (0..64).map(|seed| echo(ECHO_P8, seed)).collect();
    let results: Vec<_> = models
        .into_par_iter()
        .enumerate()
        .map(|(index, (mut model, ports))| {
            model.set(ports.s_data_i, index as u64);
            model.step_n(100 + index as u64).unwrap();
            model.set(ports.fail_assert_i, u64::from(index % 5 == 0));
            let result = model.step_n(100);
            model.set(ports.say_i, 1);
            let after = model.tick();
            (result, after, model.take_log())
        })
        .collect();
    for (index, (result, after, log)) in results.into_iter().enumerate() {
        if index % 5 == 0 {
            let Err(Error::Failed(failure)) = result else { panic!("{index} was to fail") };
            assert_eq!(failure.message, format!("tripped with data {index}"));
            assert_eq!(failure.clock, 102 + index as u64);
            assert!(matches!(after, Err(Error::Poisoned(_))));
        } else {
            assert_eq!((result, after), (Ok(()), Ok(())));
            assert_eq!(log, format!("echo says {index}\n"));
        }
    }
}

#[test]
fn instances_write_waveforms_in_parallel() {
    let dir = crate::traces::scratch("parallel");
    (0..8_u64).into_par_iter().for_each(|index| {
        let (mut model, ports) = echo(ECHO_P8, index);
        let format = if index % 2 == 0 { TraceFormat::Fst } else { TraceFormat::Vcd };
        let path = dir.join(format!("{index}"));
        let trace = Trace { path: path.clone(), format, window: TraceWindow::All };
        model.start_trace(&trace).unwrap();
        for clock in 0..50 {
            model.set(ports.s_data_i, (clock + index) % 256);
            model.tick().unwrap();
        }
        assert_eq!(model.end_trace().unwrap(), Some(path.clone()));
        let values = crate::traces::read(&path, "s_data_i");
        let expected: Vec<_> = (0..50).map(|clock| (20 + 10 * clock, clock + index)).collect();
        assert_eq!(values, expected);
    });
}
