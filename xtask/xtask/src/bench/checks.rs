//! The proofs and refusals that a bundle for a GPU host carries: every snapshot in other shapes, and their negative twins.

use bench_core::arm::UPSTREAM;
use bench_core::plan::{Check, Expect, Parameters};

use super::design::REAL;

/// Bytes before the first point of H in a file of parameters: the verifying key with its three inputs, and a length.
const IN_FIRST_POINT_OF_H: u64 = 864 + 4 + 3 * 96 + 4 + 50;

/// A workload that has a snapshot, and the circuits and threads in which it must hold.
const SHAPES: &[(&str, &[(usize, usize)])] = &[
    ("chain/2^12", &[(1, 1), (1, 16), (3, 4), (16, 16)]),
    ("sha256/1", &[(1, 4), (5, 16)]),
    (REAL, &[(1, 1), (4, 16)]),
];

/// The checks for one path; `recording` and `snapshot` give the files of a workload.
pub(crate) fn on_path(path: &str, recording: &dyn Fn(&str) -> String, snapshot: &dyn Fn(&str) -> String) -> Vec<Check> {
    let base = |name: String, workload: &str, args: &[&str], expect: Expect| Check {
        name,
        workload: workload.into(),
        path: path.into(),
        args: ["--warmups", "0"].iter().chain(args).map(|arg| (*arg).to_owned()).collect(),
        recording: Some(recording(workload)),
        parameters: None,
        expect,
        recorded_only: Vec::new(),
    };
    let shapes = SHAPES.iter().flat_map(|(workload, shapes)| shapes.iter().map(move |shape| (workload, shape)));
    let mut checks: Vec<Check> = shapes
        .map(|(workload, (batch, threads))| {
            let name = format!("{workload}: {batch} circuits, {threads} threads");
            let args = ["--batch", &batch.to_string(), "--threads", &threads.to_string()];
            base(name, workload, &args, Expect::Snapshot(snapshot(workload)))
        })
        .collect();
    let (workload, _) = SHAPES[0];
    checks.push(base(
        format!("{workload}: another r and s"),
        workload,
        &["--randomness", "2"],
        Expect::NotSnapshot(snapshot(workload)),
    ));
    let error = |kind: &str, message: &str| Expect::Error { kind: kind.into(), message: message.into() };
    // In upstream these may panic or abort: what happens is listed.
    let negative = |name: &str, args: &[&str], parameters: Option<Parameters>, expect| Check {
        parameters,
        recorded_only: vec![UPSTREAM.into()],
        ..base(format!("{workload}: {name}"), workload, args, expect)
    };
    let other = || Parameters::Of { workload: "sha256/1".into(), recording: Some(recording("sha256/1")) };
    checks.extend([
        negative(
            "one flipped value of the witness",
            &["--flip-witness", "3"],
            None,
            error("invalid-proof", "does not verify"),
        ),
        negative(
            "truncated parameters",
            &[],
            Some(Parameters::CutTo(100_000)),
            error("parameters", "no mark of test parameters"),
        ),
        negative(
            "altered parameters",
            &[],
            Some(Parameters::FlipBitAt(IN_FIRST_POINT_OF_H)),
            error("parameters", "is damaged"),
        ),
        negative("another circuit's parameters", &[], Some(other()), error("parameters", "is for the circuit")),
        negative(
            "truncated parameters, unchecked",
            &["--unchecked-params"],
            Some(Parameters::CutTo(100_000)),
            error("parameters", "is truncated: h at offset 1160"),
        ),
        negative(
            "altered parameters, unchecked",
            &["--unchecked-params"],
            Some(Parameters::FlipBitAt(IN_FIRST_POINT_OF_H)),
            error("parameters", "point 0 of section h, at offset 1160, is not on the curve"),
        ),
        negative(
            "another circuit's parameters, unchecked",
            &["--unchecked-params"],
            Some(other()),
            // bellperson calls the old name, which panics as upstream's does; prove-once catches it.
            error(if path == "stock" { "panic" } else { "prover" }, "aux assignment is 4092, the parameter file needs"),
        ),
    ]);
    checks
}

/// The workloads whose recordings and snapshots the checks need.
pub(crate) fn workloads() -> impl Iterator<Item = &'static str> {
    SHAPES.iter().map(|(workload, _)| *workload)
}
