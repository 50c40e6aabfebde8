//! The batched call: data, clock numbers, stalls, limits and deadlocks.

use verilated::{Batch, Error, Stalls, StreamName, StreamOutput};
use verilated_echo::{ECHO_COMB, ECHO_P8, ECHO_P64, UNSTABLE};

use crate::{commands, echo, words};

/// Checks that an echo gave all words back, packet by packet, with a status each.
fn check_echo(output: &StreamOutput, lengths_words: &[usize], sent: &[u64]) {
    assert!(output.complete);
    assert_eq!(output.words, sent);
    let lengths: Vec<usize> = output.packets().map(<[u64]>::len).collect();
    assert_eq!(lengths, lengths_words);
    let expected: Vec<u16> = (1..=lengths_words.len() as u16).collect();
    assert_eq!(output.statuses, expected);
    assert_eq!(output.input_clocks.len(), sent.len());
    assert_eq!(output.word_clocks.len(), sent.len());
    for clocks in
        [&output.command_clocks, &output.input_clocks, &output.word_clocks, &output.status_clocks]
    {
        assert!(clocks.is_sorted_by(|a, b| a < b), "two beats in one clock");
    }
    for (sent_clock, clock) in output.input_clocks.iter().zip(&output.word_clocks) {
        assert!(sent_clock <= clock, "a word came out before it went in");
    }
}

#[test]
fn words_and_statuses_come_back_with_their_clocks() {
    let (mut model, _) = echo(ECHO_P8, 1);
    let sent = words(5, 8);
    let output = model.stream(&Batch::new(&commands(&[3, 2]), &sent)).unwrap();
    check_echo(&output, &[3, 2], &sent);
    // The reset took clocks 0 and 1. A word spends one clock in the queue; the command, the status
    // and the empty queue before it cost one each.
    assert_eq!(output.command_clocks, [2, 8]);
    assert_eq!(output.input_clocks, [3, 4, 5, 9, 10]);
    assert_eq!(output.word_clocks, [4, 5, 6, 10, 11]);
    assert_eq!(output.status_clocks, [7, 12]);
    assert_eq!(output.clocks, 11);
    assert_eq!(model.clock(), 13);
}

#[test]
fn a_path_without_registers_is_sampled_after_the_inputs_have_settled() {
    let (mut model, _) = echo(ECHO_COMB, 1);
    let sent = words(5, 16);
    let output = model.stream(&Batch::new(&commands(&[6, 4]), &sent)).unwrap();
    check_echo(&output, &[3, 2], &sent);
    assert_eq!(output.input_clocks, output.word_clocks);
    assert_eq!(output.command_clocks, [2, 7]);
    assert_eq!(output.word_clocks, [3, 4, 5, 8, 9]);
}

#[test]
fn stalls_change_the_clocks_and_nothing_else() {
    for name in [ECHO_P8, ECHO_COMB, ECHO_P64] {
        let (mut model, ports) = echo(name, 1);
        let bits = model.bits(ports.s_data_i);
        let bytes = [64, 8, 1024, 16, 512];
        let lengths: Vec<usize> =
            bytes.iter().map(|&b| (u32::from(b) * 8).div_ceil(bits) as usize).collect();
        let sent = words(lengths.iter().sum(), bits);
        let commands = commands(&bytes);
        let mut clocks = Vec::new();
        for per_256 in [0, 25, 128, 250] {
            let batch =
                Batch { stalls: Stalls::uniform(per_256, 7), ..Batch::new(&commands, &sent) };
            let output = model.stream(&batch).unwrap();
            check_echo(&output, &lengths, &sent);
            clocks.push(output.clocks);
        }
        assert!(clocks.is_sorted_by(|a, b| a < b), "{name}: {clocks:?}");
    }
}

#[test]
fn a_seed_gives_the_same_stalls_each_time() {
    let sent = words(300, 8);
    let commands = commands(&[300]);
    let run = |seed| {
        let (mut model, _) = echo(ECHO_P8, 1);
        let batch = Batch { stalls: Stalls::uniform(100, seed), ..Batch::new(&commands, &sent) };
        model.stream(&batch).unwrap()
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5).word_clocks, run(6).word_clocks);
}

#[test]
fn a_rejected_command_has_a_status_and_no_packet() {
    let (mut model, _) = echo(ECHO_P8, 1);
    let sent = words(2, 8);
    let commands = commands(&[1, 0, 1]);
    let batch = Batch { packets: 2, ..Batch::new(&commands, &sent) };
    let output = model.stream(&batch).unwrap();
    assert_eq!(output.statuses, [1, 0x402, 3]);
    assert_eq!(output.packet_ends, [1, 2]);
}

#[test]
fn the_next_batch_goes_on_where_the_last_one_stopped() {
    let (mut model, _) = echo(ECHO_P8, 1);
    let sent = words(40, 8);
    let commands = commands(&[40]);
    let limited = Batch { limit_clocks: Some(10), ..Batch::new(&commands, &sent) };
    let first = model.stream(&limited).unwrap();
    assert!(!first.complete);
    assert_eq!((first.clocks, first.input_clocks.len(), first.words.len()), (10, 9, 8));
    let rest = Batch { statuses: 1, packets: 1, ..Batch::new(&[], &sent[9..]) };
    let second = model.stream(&rest).unwrap();
    assert_eq!([first.words, second.words].concat(), sent);

    // A reset in mid-packet leaves nothing behind.
    model.stream(&limited).unwrap();
    model.reset(1).unwrap();
    let output = model.stream(&Batch::new(&commands, &sent)).unwrap();
    check_echo(&output, &[40], &sent);
}

#[test]
fn a_deadlock_names_the_streams_that_wait() {
    let (mut model, ports) = echo(ECHO_P8, 1);
    let sent = words(5, 8);
    // One word too few: the model waits for it.
    let six = commands(&[6]);
    let batch = Batch { idle_limit_clocks: 50, ..Batch::new(&six, &sent) };
    let mut output = StreamOutput::default();
    let Err(Error::Deadlock(deadlock)) = model.stream_into(&batch, &mut output) else {
        panic!("a word is missing")
    };
    assert_eq!(
        deadlock.to_string(),
        "echo.p8: nothing moved for 50 clocks, given up at clock 59: m waits (0 of 1 packets, \
         ready but not valid), sts waits (0 of 1 statuses, ready but not valid)"
    );
    assert_eq!(output.words, sent, "what came out until then is kept");

    // The model is stuck and not broken: it takes the word and finishes.
    let rest = Batch { statuses: 1, packets: 1, ..Batch::new(&[], &[7]) };
    assert_eq!(model.stream(&rest).unwrap().statuses, [1]);

    model.set(ports.hang_i, 1);
    let one = commands(&[1]);
    let stuck = Batch { idle_limit_clocks: 9, ..Batch::new(&one, &[1]) };
    let Err(Error::Deadlock(deadlock)) = model.stream(&stuck) else { panic!("it hangs") };
    assert_eq!(deadlock.idle_clocks, 9);
    let command = deadlock.streams[0];
    assert_eq!((command.stream, command.valid, command.ready), (StreamName::Command, true, false));
    assert!(deadlock.streams.iter().all(|stream| stream.waits()));
}

#[test]
fn a_failure_inside_a_batch_ends_it() {
    let (mut model, ports) = echo(ECHO_P8, 1);
    model.set(ports.fail_assert_i, 1);
    let error = model.stream(&Batch::new(&commands(&[1]), &[1])).unwrap_err();
    let Error::Failed(failure) = error else { panic!("{error}") };
    assert_eq!((failure.instance.as_str(), failure.clock), ("echo.Trip_A", 2));
}

#[test]
fn a_top_without_streams_says_so() {
    let mut model = verilated::Model::new(UNSTABLE, 1).unwrap();
    assert_eq!(
        model.stream(&Batch::new(&[], &[])).unwrap_err().to_string(),
        "unstable: the top does not have the streams cmd, s, m and sts"
    );
}

#[test]
fn the_reference_loop_takes_as_many_clocks_as_the_batch() {
    let sent = words(100, 64);
    let commands = commands(&[400, 400]);
    let batch = Batch::new(&commands, &sent);
    let (mut model, _) = echo(ECHO_P64, 1);
    let output = model.stream(&batch).unwrap();
    assert_eq!(model.reference_loop(&batch).unwrap(), output.clocks);
}
