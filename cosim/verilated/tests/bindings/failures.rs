//! What the RTL and the runtime report becomes an error with its place and time, never an abort.

use verilated::{Error, Failure, FailureKind, Input, Model};
use verilated_echo::{ECHO_P8, EchoPorts, UNSTABLE};

use crate::echo;

/// Runs seven clocks, raises an input, and gives the failure of the next clock.
fn fail(pick: impl Fn(&EchoPorts) -> Input) -> (Model, Failure) {
    let (mut model, ports) = echo(ECHO_P8, 1);
    model.step_n(5).unwrap();
    assert_eq!(model.clock(), 7);
    model.set(ports.s_data_i, 42);
    model.set(pick(&ports), 1);
    match model.step_n(10) {
        Err(Error::Failed(failure)) => (model, *failure),
        other => panic!("expected a failure, got {other:?}"),
    }
}

/// The line of the RTL that holds a text.
fn line_of(text: &str) -> u32 {
    let source = include_str!("../rtl/echo.sv");
    let index = source.lines().position(|line| line.contains(text)).expect("the text is there");
    index as u32 + 1
}

#[test]
fn a_failed_assertion_is_an_error() {
    let (_, failure) = fail(|ports| ports.fail_assert_i);
    let expected = Failure {
        kind: FailureKind::Assertion,
        model: ECHO_P8.to_owned(),
        instance: "echo.Trip_A".to_owned(),
        message: "tripped with data 42".to_owned(),
        file: "../tests/rtl/echo.sv".to_owned(),
        line: line_of("tripped with data"),
        clock: 7,
        trace: None,
    };
    assert_eq!(failure, expected);
    assert_eq!(
        failure.to_string(),
        format!(
            "../tests/rtl/echo.sv:{}: tripped with data 42 \
             (model echo.p8, in echo.Trip_A, clock 7)",
            expected.line
        )
    );
}

#[test]
fn error_fatal_stop_and_finish_are_errors() {
    let (_, error) = fail(|ports| ports.fail_error_i);
    assert_eq!((error.kind, error.clock), (FailureKind::Assertion, 7));
    assert_eq!((error.message.as_str(), error.instance.as_str()), ("error with data 42", "echo"));
    assert_eq!(error.line, line_of("error with data"));

    let (_, fatal) = fail(|ports| ports.fail_fatal_i);
    assert_eq!((fatal.kind, fatal.clock), (FailureKind::Assertion, 7));
    assert_eq!((fatal.message.as_str(), fatal.instance.as_str()), ("fatal with data 42", "echo"));
    assert_eq!(fatal.line, line_of("fatal with data"));

    let (_, stop) = fail(|ports| ports.fail_stop_i);
    assert_eq!((stop.kind, stop.line, stop.clock), (FailureKind::Stop, line_of("$stop;"), 7));

    let (_, finish) = fail(|ports| ports.fail_finish_i);
    assert_eq!((finish.kind, finish.clock), (FailureKind::Finish, 7));
    assert_eq!((finish.line, finish.message.as_str()), (line_of("$finish;"), "$finish"));
}

#[test]
fn a_loop_that_never_settles_is_an_error() {
    let mut model = Model::new(UNSTABLE, 1).unwrap();
    model.tick().unwrap();
    model.set(model.input("loop_i").unwrap(), 1);
    let Err(Error::Failed(failure)) = model.eval() else { panic!("it cannot settle") };
    assert_eq!((failure.kind, failure.clock), (FailureKind::Runtime, 1));
    assert!(failure.message.contains("did not converge"), "{failure}");
    assert!(failure.file.ends_with("unstable.sv"), "{failure}");
    assert!(matches!(model.tick(), Err(Error::Poisoned(_))));
}

#[test]
fn a_failed_model_is_poisoned_and_others_go_on() {
    let (mut poisoned, failure) = fail(|ports| ports.fail_finish_i);
    let (mut healthy, _) = echo(ECHO_P8, 2);
    for _ in 0..3 {
        assert_eq!(poisoned.tick(), Err(Error::Poisoned(Box::new(failure.clone()))));
        assert_eq!(poisoned.eval(), Err(Error::Poisoned(Box::new(failure.clone()))));
        healthy.step_n(100).unwrap();
    }
    assert_eq!(poisoned.clock(), 7);
    assert_eq!(healthy.clock(), 302);
    drop(poisoned);
    healthy.step_n(100).unwrap();
}

#[test]
fn printed_text_is_kept_for_each_model() {
    let (mut first, ports) = echo(ECHO_P8, 1);
    let (mut second, _) = echo(ECHO_P8, 2);
    for (model, data) in [(&mut first, 1), (&mut second, 2)] {
        model.set(ports.say_i, 1);
        model.set(ports.s_data_i, data);
    }
    first.tick().unwrap();
    second.tick().unwrap();
    first.tick().unwrap();
    assert_eq!(first.take_log(), "echo says 1\necho says 1\n");
    assert_eq!(second.take_log(), "echo says 2\n");
    assert_eq!(first.take_log(), "");

    // A talkative model does not fill the memory.
    first.step_n(100_000).unwrap();
    let kept = first.take_log().len();
    assert!((64 * 1024..=128 * 1024).contains(&kept), "{kept}");
}
