//! Golden reports from fixture receipts, each with twins: a receipt with one thing changed, which must not pass.

use bench_core::analysis::{Analysis, RowState, analyse};
use bench_core::name::receipt_path;
use bench_core::output::Failure;
use bench_core::receipt::{Outcome, Receipt};
use bench_core::report::{Style, render};
use bench_core::schema::SchemaError;

fn quick() -> Receipt {
    Receipt::parse(include_str!("fixtures/quick.json")).unwrap()
}

fn gpu() -> Receipt {
    Receipt::parse(include_str!("fixtures/gpu.json")).unwrap()
}

fn state<'a>(analysis: &'a Analysis, case: usize, arm: &str) -> &'a RowState {
    &analysis.cases[case].rows.iter().find(|row| row.arm == arm).unwrap().state
}

fn messages(analysis: &Analysis) -> String {
    analysis.findings.iter().map(|finding| format!("{}\n", finding.message)).collect()
}

/// The hex digest with its last bit flipped.
fn flip(digest: &mut String) {
    let last = digest.pop().unwrap().to_digit(16).unwrap() ^ 1;
    digest.push(char::from_digit(last, 16).unwrap());
}

#[test]
fn quick_report() {
    let analysis = analyse(&quick());
    assert_eq!((analysis.exit_code(), analysis.findings.len()), (0, 0));
    insta::assert_snapshot!("quick-terminal", render(&analysis, Style::TERMINAL));
    insta::assert_snapshot!("quick-markdown", render(&analysis, Style::MARKDOWN));
}

#[test]
fn gpu_report() {
    let analysis = analyse(&gpu());
    assert_eq!((analysis.exit_code(), analysis.findings.len()), (0, 0));
    insta::assert_snapshot!("gpu-terminal", render(&analysis, Style::TERMINAL));
    insta::assert_snapshot!("gpu-markdown", render(&analysis, Style { vs_none: true, ..Style::MARKDOWN }));
}

#[test]
fn receipts_survive_a_round_trip() {
    for receipt in [quick(), gpu()] {
        assert_eq!(Receipt::parse(&receipt.to_text()).unwrap(), receipt);
    }
}

#[test]
fn one_bit_of_one_proof_voids_the_row() {
    let mut receipt = quick();
    let run = receipt.runs.iter_mut().rfind(|run| run.arm == "+a1").unwrap();
    flip(&mut run.proofs[0].proof_sha256);
    let analysis = analyse(&receipt);
    assert_eq!(analysis.exit_code(), 4);
    assert_eq!(*state(&analysis, 0, "+a1"), RowState::Void);
    assert_eq!(*state(&analysis, 0, "none"), RowState::Measured);
    let report = render(&analysis, Style::TERMINAL);
    let row = report.lines().find(|line| line.contains("+a1")).unwrap();
    assert!(row.contains("void: wrong proof") && !row.contains(" s "), "{row}");
    assert!(messages(&analysis).contains("+a1 in winning-post-2KiB (cpu), block 5: the proof differs from upstream's"));
}

#[test]
fn upstream_that_disagrees_with_itself_is_void_too() {
    let mut receipt = quick();
    flip(&mut receipt.runs.iter_mut().rfind(|run| run.arm == "upstream").unwrap().proofs[0].proof_sha256);
    let analysis = analyse(&receipt);
    assert_eq!((analysis.exit_code(), state(&analysis, 0, "upstream")), (4, &RowState::Void));
    assert!(analysis.cases[0].rows.iter().all(|row| row.measures.iter().all(|measure| measure.vs_base.is_none())));
}

#[test]
fn the_committed_snapshot_counts() {
    let mut receipt = quick();
    flip(receipt.plan.cases[0].snapshot_sha256.as_mut().unwrap());
    let analysis = analyse(&receipt);
    assert_eq!(analysis.exit_code(), 4);
    assert_eq!(*state(&analysis, 0, "upstream"), RowState::Void);
}

#[test]
fn an_invalid_proof_voids_the_row() {
    let mut receipt = quick();
    let run = receipt.runs.iter_mut().find(|run| run.arm == "none").unwrap();
    run.proofs[0].valid = false;
    run.outcome = Outcome::Failed { exit: 1, error: Failure { kind: "invalid".into(), message: "no".into() } };
    let analysis = analyse(&receipt);
    assert_eq!((analysis.exit_code(), state(&analysis, 0, "none")), (1, &RowState::Void));
}

#[test]
fn upstream_on_one_path_stands_behind_the_other() {
    let mut receipt = gpu();
    assert_eq!(*state(&analyse(&receipt), 1, "upstream"), RowState::NoBuild);
    for run in receipt.runs.iter_mut().filter(|run| run.path == "cuda") {
        flip(&mut run.proofs[0].proof_sha256);
    }
    let analysis = analyse(&receipt);
    assert_eq!((analysis.exit_code(), state(&analysis, 1, "none")), (4, &RowState::Void));
    assert_eq!(*state(&analysis, 0, "none"), RowState::Measured);

    receipt.runs.retain(|run| run.arm != "upstream");
    let analysis = analyse(&receipt);
    assert_eq!(analysis.exit_code(), 1);
    assert!(messages(&analysis).contains("no proof of upstream to compare with"));
}

#[test]
fn a_crash_is_a_failure_and_its_block_is_not_paired() {
    let mut receipt = quick();
    let run = receipt.runs.iter_mut().find(|run| run.arm == "+a1").unwrap();
    run.outcome = Outcome::Crashed { signal: 6 };
    run.proofs.clear();
    let analysis = analyse(&receipt);
    assert_eq!(analysis.exit_code(), 1);
    let row = analysis.cases[0].rows.iter().find(|row| row.arm == "+a1").unwrap();
    let effect = row.measures[0].vs_base.unwrap();
    assert_eq!((row.runs, effect.blocks, effect.enough), (5, 5, false));
    assert!(messages(&analysis).contains("block 0: crashed by signal 6 (abort)"));

    for run in receipt.runs.iter_mut().filter(|run| run.arm == "+a1") {
        run.outcome = Outcome::TimedOut { after_s: 9 };
    }
    let reason = "crashed".to_owned();
    assert_ne!(*state(&analyse(&receipt), 0, "+a1"), RowState::Failed { reason });
    assert_eq!(*state(&analyse(&receipt), 0, "+a1"), RowState::Failed { reason: "killed after 9 s".into() });
}

#[test]
fn one_binary_under_two_patch_sets_is_an_error() {
    // `+a4` shares `none`'s binary by right: its patch is in a fork that this build does not use.
    let mut receipt = quick();
    assert_eq!(*state(&analyse(&receipt), 0, "+a4"), RowState::NotInThisBuild { same_as: "none".into() });
    let code = receipt.arms[1].builds["cpu"].code_sha256.clone();
    receipt.arms[2].builds.get_mut("cpu").unwrap().code_sha256 = code;
    let analysis = analyse(&receipt);
    assert_eq!(analysis.exit_code(), 1);
    assert!(messages(&analysis).contains("none and +a1 differ in patches and have the same cpu binary"));
}

#[test]
fn other_schemas_are_refused_by_their_number() {
    let text = include_str!("fixtures/quick.json");
    let newer = text.replacen("\"schema\": 1", "\"schema\": 2", 1);
    assert!(matches!(Receipt::parse(&newer), Err(SchemaError::UnknownVersion { found: 2, .. })));
    let without = text.replacen("\"schema\": 1,", "", 1);
    assert!(matches!(Receipt::parse(&without), Err(SchemaError::Unversioned { .. })));
    let cut = &text[..text.len() / 2];
    assert!(matches!(Receipt::parse(cut), Err(SchemaError::NotJson { .. })));
    let renamed = text.replacen("\"slot\"", "\"place\"", 1);
    let message = Receipt::parse(&renamed).unwrap_err().to_string();
    assert!(message.contains("slot"), "{message}");
}

#[test]
fn file_names_hash_every_arm() {
    let mut receipt = quick();
    let before = receipt_path(&receipt);
    assert!(before.starts_with("winning-post-2KiB/Example-CPU-9000-2-cores/quick-"), "{before}");
    assert!(receipt_path(&gpu()).starts_with("winning-post-2KiB/NVIDIA-H200/gpu-"));
    flip(&mut receipt.arms.last_mut().unwrap().fingerprint);
    assert_ne!(receipt_path(&receipt), before);
}
