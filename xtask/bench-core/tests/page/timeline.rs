//! One run as events that Perfetto reads.

use std::collections::BTreeMap;

use bench_core::output::{Phase, Proof, Synthesis};
use bench_core::receipt::{Outcome, Receipt};
use bench_core::report::{Selector, trace};
use serde_json::Value;

use crate::receipts;

const NONE: Selector<'_> = Selector { arm: "none", case: 0, block: None };

fn phase(name: &str, lane: &str, start_s: f64, end_s: f64) -> Phase {
    Phase { name: name.into(), circuit: 2, lane: lane.into(), start_s, end_s }
}

/// A receipt whose first run of `none` has a synthesis alone, an untimed proof and two timed ones.
fn receipt() -> Receipt {
    let mut receipt = receipts::quick();
    let run = receipt.runs.iter_mut().find(|run| run.arm == "none").unwrap();
    let phases = vec![
        phase("synthesis", "host", 0.0, 1.0),
        phase("prover", "host", 1.0, 4.0),
        phase("prep", "host", 1.0, 1.25),
        phase("h_msm", "gpu0", 1.5, 3.0),
        phase("verify", "host", 4.0, 4.5),
    ];
    let proof = |warmup| Proof { warmup, wall_s: 4.0, phases: phases.clone(), proof_sha256: "p".into(), valid: true };
    run.synthesis = vec![Synthesis { wall_s: 0.5, phases: vec![] }];
    run.proofs = vec![proof(true), proof(false), proof(false)];
    receipt
}

fn events(receipt: &Receipt, selector: Selector<'_>) -> Vec<Value> {
    let document: Value = serde_json::from_str(&trace(receipt, selector).unwrap()).unwrap();
    document["traceEvents"].as_array().unwrap().clone()
}

fn of(events: &[Value], name: &str) -> Vec<(f64, f64)> {
    let named = events.iter().filter(|event| event["ph"] == "X" && event["name"] == name);
    named.map(|event| (event["ts"].as_f64().unwrap(), event["dur"].as_f64().unwrap())).collect()
}

#[test]
fn untimed_and_timed_proofs_are_on_one_axis() {
    let events = events(&receipt(), NONE);
    assert_eq!(of(&events, "synthesis alone 1"), [(0.0, 500_000.0)]);
    // A proof is verified after its wall time, so the next starts half a second later.
    assert_eq!(of(&events, "untimed proof"), [(500_000.0, 4_000_000.0)]);
    assert_eq!(of(&events, "proof 1"), [(5_000_000.0, 4_000_000.0)]);
    assert_eq!(of(&events, "proof 2"), [(9_500_000.0, 4_000_000.0)]);
    assert_eq!(
        of(&events, "h_msm"),
        [(2_000_000.0, 1_500_000.0), (6_500_000.0, 1_500_000.0), (11_000_000.0, 1_500_000.0)]
    );
}

#[test]
fn every_lane_has_a_name_and_no_events_overlap_on_it() {
    let events = events(&receipt(), NONE);
    let names: BTreeMap<u64, &str> = events
        .iter()
        .filter(|event| event["name"] == "thread_name")
        .map(|event| (event["tid"].as_u64().unwrap(), event["args"]["name"].as_str().unwrap()))
        .collect();
    assert_eq!(names.values().copied().collect::<Vec<_>>(), ["proofs", "host", "host (2)", "gpu0"]);
    let process = events.iter().find(|event| event["name"] == "process_name").unwrap();
    assert_eq!(process["args"]["name"], "none in winning-post-2KiB (cpu), block 0");
    let mut last: BTreeMap<u64, f64> = BTreeMap::new();
    for event in events.iter().filter(|event| event["ph"] == "X") {
        let thread = event["tid"].as_u64().unwrap();
        let start = event["ts"].as_f64().unwrap();
        assert!(names.contains_key(&thread));
        assert!(last.get(&thread).is_none_or(|end| *end <= start), "{event}");
        last.insert(thread, start + event["dur"].as_f64().unwrap());
    }
}

#[test]
fn a_timeline_in_full() {
    insta::assert_snapshot!("trace", trace(&receipt(), NONE).unwrap().replace("},{", "},\n{"));
}

#[test]
fn the_run_is_the_first_that_counts_or_of_the_block_asked_for() {
    let mut receipt = receipt();
    let process = |receipt: &Receipt, block| {
        let event = events(receipt, Selector { block, ..NONE }).into_iter().next().unwrap();
        event["args"]["name"].as_str().unwrap().to_owned()
    };
    assert!(process(&receipt, Some(3)).ends_with("block 3"));
    receipt.runs.iter_mut().find(|run| run.arm == "none").unwrap().excluded = Some("swap".into());
    assert!(process(&receipt, None).ends_with("block 1"));
    receipt
        .runs
        .iter_mut()
        .filter(|run| run.arm == "none" && run.block < 3)
        .for_each(|run| run.outcome = Outcome::Crashed { signal: 6 });
    assert!(process(&receipt, None).ends_with("block 3"));
}

#[test]
fn a_run_that_is_not_there_names_those_that_are() {
    let receipt = receipt();
    let says = |selector| trace(&receipt, selector).unwrap_err().to_string();
    let message = says(Selector { arm: "+c", ..NONE });
    assert!(message.starts_with("no run of +c that counts in case 0, winning-post-2KiB (cpu);"), "{message}");
    assert!(message.contains("+a1 in blocks 0 1 2 3 4 5"), "{message}");
    assert!(says(Selector { block: Some(9), ..NONE }).contains("(cpu), block 9; "));
    assert!(says(Selector { case: 7, ..NONE }).ends_with("case 7; the runs there that do are none"));
}
