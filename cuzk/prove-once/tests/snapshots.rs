//! One snapshot per workload: sizes, densities, proof. It holds for every arm, path, batch and thread count.
//!
//! `PROVE_ONCE_BIN` names another arm's binary, `PROVE_ONCE_PATH` another path than `cpu`; paths other than
//! `cpu` prove recordings, which this build's own binary makes.

mod program;

use std::process::Command;

use program::{prove, run};

/// Set by the twin, so that one bit of the text is wrong.
const FLIP: &str = "SNAPSHOT_TEST_FLIPS_A_BIT";

fn other_path() -> Option<String> {
    std::env::var("PROVE_ONCE_PATH").ok().filter(|path| path != "cpu")
}

/// Proves the circuit itself (batch, threads) times, then a recording of it, and holds all against the
/// snapshot.
fn holds(workload: &str, shapes: &[(&str, &str)]) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("recording");
    let file = file.to_str().expect("UTF-8");
    let made = Command::new(env!("CARGO_BIN_EXE_prove-once"))
        .args(["record", "--workload", workload, "--to", file])
        .output()
        .expect("the program starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let recorded = ["--recording", file];
    match other_path() {
        None => {
            for (batch, threads) in shapes {
                proves(workload, &["--workload", workload, "--batch", batch, "--threads", threads]);
            }
            proves(workload, &[&recorded[..], &["--threads", "1"]].concat());
        }
        Some(path) => {
            for (batch, threads) in shapes {
                let shape = ["--path", &path, "--batch", batch, "--threads", threads];
                proves(workload, &[&recorded[..], &shape].concat());
            }
        }
    }
}

fn proves(workload: &str, args: &[&str]) {
    let outcome = prove(args);
    assert_eq!(outcome.code, Some(0), "{}", outcome.json["error"]);
    let batch = &outcome.json["proofs"][0];
    assert_eq!(batch["valid"], true);
    let proofs = batch["proof_hex"].as_array().expect("a list");
    assert_eq!(outcome.json["batch"], proofs.len());
    assert!(proofs.iter().all(|proof| *proof == proofs[0]));
    matches_snapshot(workload, outcome.text("snapshot"));
}

fn matches_snapshot(workload: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let name = workload.replace(['/', '^'], "-");
    let text = if std::env::var_os(FLIP).is_some() { with_flipped_bit(text) } else { text.to_owned() };
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// The last hexadecimal digit of the proof, off by one bit.
fn with_flipped_bit(text: &str) -> String {
    let text = text.trim_end();
    let digit = text.chars().last().and_then(|c| c.to_digit(16)).expect("a digit");
    format!("{}{:x}\n", &text[..text.len() - 1], digit ^ 1)
}

#[test]
fn chain() {
    holds("chain/2^12", &[("1", "1"), ("1", "2"), ("3", "1"), ("3", "2")]);
}

#[test]
fn sha256() {
    holds("sha256/1", &[("1", "2"), ("3", "1")]);
}

#[cfg(feature = "filecoin")]
#[test]
fn winning_post() {
    holds("winning-post-2KiB", &[("3", "2")]);
}

/// The golden test's twin: with one bit wrong it must fail.
#[test]
fn chain_fails_when_one_bit_flips() {
    let itself = std::env::current_exe().expect("the test");
    let output = Command::new(itself)
        .args(["--exact", "chain"])
        .env(FLIP, "1")
        .env("INSTA_UPDATE", "no")
        .output()
        .expect("the test starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("snapshot assertion for 'chain-2-12' failed"), "{said}");
}

#[test]
fn a_size_hint_and_repetition_change_nothing() {
    let outcome = prove(&["--workload", "chain/2^12", "--presize", "--proofs", "2", "--synthesis-only", "3"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.json["error"]);
    matches_snapshot("chain/2^12", outcome.text("snapshot"));
    let synthesis = outcome.json["synthesis"].as_array().expect("a list");
    assert_eq!(synthesis.len(), 3);
    assert!(synthesis.iter().all(|run| run["phases"][0]["name"] == "synthesis"));
    let proofs = outcome.json["proofs"].as_array().expect("a list");
    assert_eq!(proofs[0]["proof_sha256"], proofs[1]["proof_sha256"]);
    for phase in ["synthesis", "prover", "dealloc", "verify"] {
        let phases = proofs[0]["phases"].as_array().expect("a list");
        assert!(phases.iter().any(|p| p["name"] == phase), "no phase {phase}");
    }
}

#[test]
fn the_text_is_written_where_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("snapshot.txt");
    let outcome = prove(&["--workload", "chain/2^12", "--snapshot", file.to_str().expect("UTF-8")]);
    let text = std::fs::read_to_string(file).expect("the snapshot");
    assert_eq!(text, outcome.text("snapshot"));
}

/// Neither settings in the environment nor a settings file in the current folder reach the circuit.
#[cfg(feature = "filecoin")]
#[test]
fn settings_of_storage_proofs_are_shut_out() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rust-fil-proofs.config.toml"), "rows_to_discard = \"none\"").expect("a file");
    let args = ["prove", "--workload", "winning-post-2KiB", "--warmups", "0", "--proofs", "0", "--synthesis-only", "1"];
    let plain = run(&args, |_| {});
    let hostile = run(&args, |command| {
        command.current_dir(folder.path()).env("FIL_PROOFS_WINDOW_POST_SYNTHESIS_NUM_CPUS", "0");
    });
    assert_eq!((plain.code, hostile.code), (Some(0), Some(0)), "{}", hostile.json["error"]);
    assert_eq!(plain.json["circuit_hash"], hostile.json["circuit_hash"]);
    assert_eq!(plain.json["constraints"], 90_750);
}
