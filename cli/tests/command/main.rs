//! Tests of the `floatgate` command as its user meets it: what it prints, the files that it leaves
//! and how it ends. One module for each subject.

mod characterize;
mod codes;
mod compare;
mod experiment;
mod files;
mod interrupt;
mod project;
mod run;
mod store;
mod sweep;
mod wrong_files;
mod wrong_sweeps;
mod yosys;

use assert_cmd::Command;

/// Exit codes, as `floatgate --help` lists them.
mod exit {
    pub(crate) const USAGE: i32 = 2;
    pub(crate) const INPUT: i32 = 3;
    pub(crate) const TOOL: i32 = 4;
    pub(crate) const OUTPUT: i32 = 5;
    pub(crate) const UNCORRECTABLE: i32 = 10;
    pub(crate) const DEVICE: i32 = 12;
    pub(crate) const UNREPRODUCED: i32 = 13;
    pub(crate) const INTERRUPTED: i32 = 130;
}

/// The command, in the project that it was built in.
fn floatgate() -> Command {
    Command::cargo_bin("floatgate").expect("cargo builds the command for its tests")
}

/// Runs a command that must end with `code`, print nothing on stdout and one line on stderr that
/// holds each of `parts`.
#[track_caller]
fn fails(command: &mut Command, code: i32, parts: &[&str]) {
    let output = command.output().expect("the command starts");
    let line = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(code), "{line}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    assert!(line.starts_with("floatgate: "), "{line}");
    assert_eq!(line.lines().count(), 1, "{line}");
    for part in parts {
        assert!(line.contains(part), "`{part}` is not in: {line}");
    }
}

/// Runs a command that must end well; returns what it prints on stdout and on stderr.
#[track_caller]
fn succeeds(command: &mut Command) -> (String, String) {
    let output = command.output().expect("the command starts");
    let [out, err] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text"));
    assert!(output.status.success(), "{}\n{out}\n{err}", output.status);
    (out, err)
}

#[test]
fn help_documents_every_exit_code() {
    let (help, _) = succeeds(floatgate().arg("--help"));
    let (_, codes) = help.split_once("Exit codes: 0 ").expect("help lists the exit codes");
    use exit::*;
    let own = [UNCORRECTABLE, 11, DEVICE, UNREPRODUCED, INTERRUPTED];
    for code in [1, USAGE, INPUT, TOOL, OUTPUT].into_iter().chain(own) {
        let separated = codes.split([' ', '\n', ',']).any(|word| word == code.to_string());
        assert!(separated, "{code} is not in: {codes}");
    }
}

#[test]
fn a_wrong_command_line_is_a_matter_of_usage() {
    for arguments in [&["swep"][..], &["encode", "--code", "n23-m5-t3", "x"], &["codes", "--xml"]] {
        floatgate().args(arguments).assert().code(exit::USAGE).stdout("");
    }
}
