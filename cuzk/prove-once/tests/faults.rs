//! What must fail does: the exact error, never a panic, a signal or a bad proof that passes.

mod program;

use std::fs;
use std::path::Path;

use program::{Outcome, params_dir, prove};
use tempfile::TempDir;

const WORKLOAD: &str = "chain/2^8";
const TRAILER_BYTES: usize = 148;

/// The error's kind and message, without names of folders.
fn error(outcome: &Outcome, dir: &Path) -> (String, String) {
    let error = &outcome.json["error"];
    let dir = format!("{}/", dir.display());
    let text = |field: &str| error[field].as_str().unwrap_or_default().replace(&dir, "");
    (text("kind"), text("message"))
}

/// A folder with a copy of the workload's parameters, changed.
fn bad_params(workload: &str, change: impl FnOnce(&mut Vec<u8>)) -> (TempDir, String) {
    let dir = params_dir();
    let args = ["params", "--workload", workload, "--params-dir", dir.to_str().expect("UTF-8")];
    let made = program::run(&args, |_| {});
    let mut bytes = fs::read(made.text("params")).expect("the parameters");
    change(&mut bytes);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bad.params");
    fs::write(&file, bytes).expect("a written file");
    let file = file.to_str().expect("UTF-8").to_owned();
    (folder, file)
}

fn with_params(file: &str, more: &[&str]) -> Outcome {
    prove(&[&["--workload", WORKLOAD, "--params", file], more].concat())
}

fn halve(bytes: &mut Vec<u8>) {
    bytes.truncate(bytes.len() / 2);
}

/// The first point of H: before it the verifying key's points, 3 inputs' points and two lengths.
const H: usize = 864 + 4 + 3 * POINT_BYTES + 4;
const POINT_BYTES: usize = 96;

fn flip_a_point(bytes: &mut [u8]) {
    bytes[H + 50] ^= 1;
}

/// Good points in each other's places.
fn swap_points(bytes: &mut [u8]) {
    bytes[H..H + 2 * POINT_BYTES].rotate_left(POINT_BYTES);
}

#[test]
fn a_flipped_witness_gives_no_valid_proof() {
    let outcome = prove(&["--workload", WORKLOAD, "--flip-witness", "3"]);
    assert_eq!(outcome.code, Some(1));
    assert_eq!(outcome.json["proofs"][0]["valid"], false);
    assert_eq!(outcome.json["snapshot"], serde_json::Value::Null);
    assert_eq!(
        error(&outcome, Path::new("no folder")),
        (
            "invalid-proof".to_owned(),
            "proof 1 of 1 does not verify against the public inputs: the witness does not satisfy the circuit, or the parameters or the prover are wrong".to_owned()
        )
    );
    let beyond = prove(&["--workload", WORKLOAD, "--flip-witness", "252"]);
    assert_eq!(beyond.code, Some(2));
    assert_eq!(error(&beyond, Path::new("no folder")).1, "there is no auxiliary value 252 to flip: chain/2^8 has 252");
}

#[test]
fn another_r_gives_another_valid_proof() {
    let [one, other] = ["1", "2"].map(|seed| prove(&["--workload", WORKLOAD, "--randomness", seed]));
    assert_eq!((one.code, other.code), (Some(0), Some(0)));
    let lines = |outcome: &Outcome| outcome.text("snapshot").lines().map(str::to_owned).collect::<Vec<_>>();
    let (one, other) = (lines(&one), lines(&other));
    for (ours, theirs) in one.iter().zip(&other) {
        assert_eq!(ours == theirs, !ours.starts_with("proof "), "{ours}");
    }
}

#[test]
fn truncated_parameters() {
    let (dir, file) = bad_params(WORKLOAD, halve);
    let length = fs::metadata(&file).expect("the file").len() as usize;
    let outcome = with_params(&file, &[]);
    assert_eq!(outcome.code, Some(2));
    assert_eq!(
        error(&outcome, dir.path()),
        (
            "parameters".to_owned(),
            format!(
                "bad.params has no mark of test parameters at byte {} of {length}: it is truncated, or not made by `prove-once params`; remove it and make it again",
                length - TRAILER_BYTES
            )
        )
    );
}

#[test]
fn altered_parameters() {
    let (dir, file) = bad_params(WORKLOAD, |bytes| flip_a_point(bytes));
    let length = fs::metadata(&file).expect("the file").len() as usize;
    let outcome = with_params(&file, &[]);
    assert_eq!(outcome.code, Some(2));
    assert_eq!(
        error(&outcome, dir.path()),
        (
            "parameters".to_owned(),
            format!(
                "bad.params is damaged between bytes 0 and {}: their SHA-256 is not the one in the trailer; remove the file and make it again with `prove-once params`",
                length - TRAILER_BYTES
            )
        )
    );
}

#[test]
fn parameters_of_another_circuit() {
    let (dir, file) = bad_params("chain/2^7", |_| {});
    let outcome = with_params(&file, &[]);
    assert_eq!(outcome.code, Some(2));
    let (kind, message) = error(&outcome, dir.path());
    assert_eq!(kind, "parameters");
    let expected = outcome.text("circuit_hash");
    assert!(message.starts_with("bad.params is for the circuit "), "{message}");
    assert!(
        message.ends_with(&format!(
            ", not for {expected}: name the parameters of this circuit, or let `prove-once params` make them"
        )),
        "{message}"
    );
}

/// Past our checks: what bellperson makes of it, in every arm. Nothing passes for a proof.
#[test]
fn unchecked_parameters_reach_bellperson() {
    let invalid = "proof 1 of 1 does not verify against the public inputs: the witness does not satisfy the circuit, or the parameters or the prover are wrong";
    let too_few = "attempted to aggregate malformed proofs: Encountered a GPU Error: EC GPU error: Encountered an I/O error: Expected more bases from source.";
    let unreadable = |what: &str| format!("cannot read the parameters bad.params: {what}");
    type Change = fn(&mut Vec<u8>);
    let cases: [(&str, Change, i32, &str, String); 6] = [
        (WORKLOAD, halve, 2, "parameters", unreadable("failed to fill whole buffer")),
        (WORKLOAD, |bytes| flip_a_point(bytes), 2, "parameters", unreadable("not on curve")),
        (WORKLOAD, |bytes| swap_points(bytes), 1, "invalid-proof", invalid.to_owned()),
        ("chain/2^7", |_| {}, 1, "prover", too_few.to_owned()),
        ("chain/2^8,b-density=20", |_| {}, 1, "prover", too_few.to_owned()),
        ("chain/2^9", |_| {}, 1, "invalid-proof", invalid.to_owned()),
    ];
    for (workload, change, code, kind, message) in cases {
        let (dir, file) = bad_params(workload, change);
        let outcome = with_params(&file, &["--unchecked-params"]);
        let error = error(&outcome, dir.path());
        assert_eq!((outcome.code, error), (Some(code), (kind.to_owned(), message)), "{workload}");
    }
}

#[test]
fn bad_recordings_and_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("recording");
    fs::write(&file, b"CUZKR1CS").expect("a written file");
    let outcome = prove(&["--recording", file.to_str().expect("UTF-8")]);
    assert_eq!(outcome.code, Some(2));
    assert_eq!(
        error(&outcome, folder.path()),
        (
            "recording".to_owned(),
            "recording has 8 bytes, its header says 104: the copy is incomplete or damaged, copy or record it again"
                .to_owned()
        )
    );
    let outcome = prove(&["--workload", "porep"]);
    assert_eq!((outcome.code, error(&outcome, Path::new("no folder")).0.as_str()), (Some(2), "workload"));
}

#[test]
fn a_slowdown_shows_where_it_was_asked_for() {
    let seconds = |more: &[&str]| {
        let outcome = prove(&[&["--workload", "chain/2^12"], more].concat());
        assert_eq!(outcome.code, Some(0));
        let proof = &outcome.json["proofs"][0];
        let phases = proof["phases"].as_array().expect("phases");
        let synthesis = phases.iter().find(|phase| phase["name"] == "synthesis").expect("synthesis");
        let [start, end] = ["start_s", "end_s"].map(|at| synthesis[at].as_f64().expect("seconds"));
        (end - start, proof["wall_s"].as_f64().expect("seconds"), outcome.text("snapshot").to_owned())
    };
    let (synthesis, wall, proof) = seconds(&[]);
    let (slow_synthesis, _, same) = seconds(&["--slowed", "synthesis=10"]);
    let (_, slow_wall, same_again) = seconds(&["--slowed", "wall=4"]);
    assert!(slow_synthesis > 3.0 * synthesis, "{synthesis} s and {slow_synthesis} s");
    assert!(slow_wall > 2.0 * wall, "{wall} s and {slow_wall} s");
    assert!(same == proof && same_again == proof);
}
