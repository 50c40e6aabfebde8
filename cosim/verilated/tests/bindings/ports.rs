//! Ports by handle, in all storage sizes, and the errors of asking for the wrong ones.

use verilated::{Error, Input, Model, Ports, models};
use verilated_echo::{ECHO_COMB, ECHO_P8, ECHO_P64, EchoPorts, NAMES, UNSTABLE, UnstablePorts};

use crate::echo;

#[test]
fn all_rows_of_the_table_are_registered() {
    let found: Vec<String> = models().into_iter().map(|info| info.name).collect();
    assert_eq!(found, NAMES);
    assert_eq!(Model::new(ECHO_P8, 0).unwrap().info().module, EchoPorts::MODULE);
}

#[test]
fn a_name_that_is_not_there_lists_those_that_are() {
    let Err(error) = Model::new("echo.p9", 0) else { panic!("there is no such model") };
    assert_eq!(
        error.to_string(),
        "no model is called `echo.p9`; there are: echo.comb, echo.covered, echo.p64, echo.p8, \
         unstable"
    );
}

#[test]
fn inputs_are_zero_at_first_and_registers_random() {
    let digests: Vec<Vec<u32>> = (1..=3)
        .map(|seed| {
            let model = Model::new(ECHO_P64, seed).unwrap();
            let ports: EchoPorts = model.ports().unwrap();
            assert_eq!(model.get(ports.rst_ni), 0);
            assert_eq!(model.get(ports.fail_finish_i), 0);
            assert_eq!(model.get_wide(ports.key_i), [0, 0, 0]);
            model.get_wide(ports.digest_o)
        })
        .collect();
    assert_ne!(digests[0], digests[1]);
    assert_ne!(digests[1], digests[2]);
    let again = Model::new(ECHO_P64, 1).unwrap();
    assert_eq!(again.get_wide(again.output("digest_o").unwrap()), digests[0]);
}

#[test]
fn values_of_every_size_come_back() {
    let (mut model, ports) = echo(ECHO_P64, 1);
    model.set(ports.cmd_strength_i, 0xa5);
    model.set(ports.cmd_bytes_i, 0xbeef);
    model.set(ports.s_data_i, 0xfedc_ba98_7654_3210);
    model.set_wide(ports.key_i, &[1, 2, u32::MAX]);
    assert_eq!(model.get(ports.cmd_strength_i), 0xa5);
    assert_eq!(model.get(ports.cmd_bytes_i), 0xbeef);
    assert_eq!(model.get(ports.s_data_i), 0xfedc_ba98_7654_3210);
    assert_eq!(model.get_wide(ports.s_data_i), [0x7654_3210, 0xfedc_ba98]);
    assert_eq!(model.get_wide(ports.key_i), [1, 2, u32::MAX]);
    assert_eq!(model.bits(ports.digest_o), 400);

    // The key becomes the mixing register's value with the command.
    model.set(ports.cmd_valid_i, 1);
    model.tick().unwrap();
    let digest = model.get_wide(ports.digest_o);
    assert_eq!(digest[..3], [1, 2, u32::MAX]);
    assert!(digest[3..].iter().all(|&word| word == 0));
}

#[test]
fn an_evaluation_settles_what_has_no_register() {
    let (mut model, ports) = echo(ECHO_COMB, 1);
    model.set(ports.cmd_bytes_i, 8);
    model.set(ports.cmd_valid_i, 1);
    model.tick().unwrap();
    model.set(ports.cmd_valid_i, 0);
    model.set(ports.s_data_i, 0x1234);
    model.set(ports.s_valid_i, 1);
    assert_eq!(model.get(ports.m_valid_o), 0);
    model.eval().unwrap();
    assert_eq!(model.get(ports.m_valid_o), 1);
    assert_eq!(model.get(ports.m_data_o), 0x1234);
    assert_eq!(model.get(ports.s_ready_o), 0);
    model.set(ports.m_ready_i, 1);
    model.eval().unwrap();
    assert_eq!(model.get(ports.s_ready_o), 1);
    assert_eq!(model.clock(), 3);
}

#[test]
fn handles_fit_each_configuration_of_the_module() {
    let (_, ports) = echo(ECHO_P8, 1);
    let (mut wide, _) = echo(ECHO_P64, 1);
    wide.set(ports.s_data_i, u64::MAX);
    assert_eq!(wide.get(wide.input("s_data_i").unwrap()), u64::MAX);
}

#[test]
fn wrong_ports_are_errors() {
    let (model, _) = echo(ECHO_P8, 1);
    let message = |result: Result<Input, Error>| result.unwrap_err().to_string();
    assert_eq!(message(model.input("s_valid_o")), "echo.p8: no input port is called `s_valid_o`");
    assert_eq!(message(model.input("m_data_o")), "echo.p8: no input port is called `m_data_o`");
    let Err(error) = model.ports::<UnstablePorts>() else { panic!("an echo is not unstable") };
    assert_eq!(error.to_string(), "echo.p8: this is a `echo`, not a `unstable`");
    let mut unstable = Model::new(UNSTABLE, 1).unwrap();
    assert!(matches!(unstable.reset(1), Err(Error::NoSuchPort { .. })));
}

#[test]
#[should_panic(expected = "0x100 does not fit port s_data_i of 8 bits")]
fn a_value_that_does_not_fit_is_a_panic() {
    let (mut model, ports) = echo(ECHO_P8, 1);
    model.set(ports.s_data_i, 0x100);
}

#[test]
#[should_panic(expected = "port digest_o has 400 bits: read it with get_wide")]
fn a_wide_port_has_no_scalar_value() {
    let (model, ports) = echo(ECHO_P64, 1);
    model.get(ports.digest_o);
}
