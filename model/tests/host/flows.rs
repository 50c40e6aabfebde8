//! Flows and seeds: what depends on what.

use floatgate_model::host::workload::Workload;
use floatgate_model::host::{Capacity, Request};

use crate::{GIB, all, workload};

fn flow(name: &str, pattern: &str) -> String {
    let phase = |n: u32| {
        format!(
            "(until: Requests({n}), pace: Open(rate: RequestsPerSecond(1000), gaps: Exponential),
              pattern: {pattern}, sizes: Mix([(bytes: 4096), (bytes: 8192)]),
              kinds: (read: 1, write: 1), fua_share: 0.5)"
        )
    };
    format!("(name: \"{name}\", phases: [{}, {}])", phase(1000), phase(1000))
}

fn of(seed: u64, flows: &[String]) -> Workload {
    workload(&format!("(seed: {seed}, flows: [{}])", flows.join(", ")))
}

/// The requests of each flow.
fn drawn(workload: &Workload) -> Vec<(String, Vec<Request>)> {
    let sources = workload.sources(Capacity::of_bytes(GIB)).unwrap();
    sources.into_iter().map(|mut flow| (flow.name().to_owned(), all(&mut flow))).collect()
}

#[test]
fn a_seed_gives_the_same_requests_each_time() {
    let flows = [flow("a", "Zipf(theta: 0.9)"), flow("b", "Uniform")];
    assert_eq!(drawn(&of(5, &flows)), drawn(&of(5, &flows)));
    let (five, six) = (drawn(&of(5, &flows)), drawn(&of(6, &flows)));
    for ((_, five), (_, six)) in five.iter().zip(&six) {
        let equal = five.iter().zip(six).filter(|(a, b)| a.sector == b.sector).count();
        assert!(equal < 20, "{equal} of {} addresses are equal", five.len());
    }
}

#[test]
fn another_flow_does_not_change_a_flow() {
    let [a, b, c] = ["a", "b", "c"].map(|name| flow(name, "HotCold(space: 0.25, accesses: 0.75)"));
    let alone = drawn(&of(5, std::slice::from_ref(&b)));
    let among = drawn(&of(5, &[a, b, c]));
    assert_eq!(alone[0], among[1]);
    assert_ne!(among[0].1, among[1].1, "flows of other names differ");
}

#[test]
fn another_phase_does_not_change_a_phase() {
    let draw = |before: &str| {
        let flow = flow("a", "Uniform").replacen("phases: [", &format!("phases: [{before}, "), 1);
        drawn(&of(5, &[flow])).remove(0).1
    };
    let one = "(until: Requests(1000), pace: Closed(queue_depth: 1), pattern: Sequential,
                sizes: Bytes(512), kinds: (trim: 1))";
    let other = "(until: Requests(500), pace: Closed(queue_depth: 1), pattern: Uniform,
                  sizes: Bytes(4096), kinds: (read: 1))";
    let places = |requests: &[Request]| -> Vec<_> {
        requests.iter().map(|r| (r.kind, r.sector, r.sectors)).collect()
    };
    assert_eq!(places(&draw(one)[1000..]), places(&draw(other)[500..]));
}

/// Popular addresses stay so from one phase of a flow to the next.
#[test]
fn phases_of_a_flow_share_their_popular_addresses() {
    let requests = drawn(&of(5, &[flow("a", "Zipf(theta: 1.2)")])).remove(0).1;
    let popular = |requests: &[Request]| {
        // In steps of the larger size, to which its requests are moved down.
        let mut sectors: Vec<_> = requests.iter().map(|request| request.sector.0 / 16).collect();
        sectors.sort_unstable();
        let runs = sectors.chunk_by(|a, b| a == b);
        runs.max_by_key(|run| run.len()).map(|run| run[0])
    };
    assert_eq!(popular(&requests[..1000]), popular(&requests[1000..]));
}
