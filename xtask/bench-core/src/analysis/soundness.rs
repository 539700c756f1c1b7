//! Whether the runs may be compared at all: the same proofs as upstream, every proof valid, binaries that differ where
//! their patches do. A row whose proof differs is void, not slow.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::arm::{Arm, UPSTREAM};
use crate::receipt::{Outcome, Receipt, Run};
use crate::role;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// To be known when the figures are read.
    Note,
    /// A run failed, or the comparison is not one.
    Failure,
    /// A proof is not upstream's, or not the committed one.
    ProofsDiffer,
}

/// Something wrong with a benchmark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad.
    pub severity: Severity,
    /// One sentence.
    pub message: String,
}

pub(super) struct Judged {
    pub(super) findings: Vec<Finding>,
    void: BTreeSet<(usize, String)>,
}

impl Judged {
    pub(super) fn is_void(&self, case: usize, arm: &str) -> bool {
        self.void.contains(&(case, arm.to_owned()))
    }

    fn find(&mut self, severity: Severity, message: String) {
        let finding = Finding { severity, message };
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    fn condemn(&mut self, run: &Run, message: String) {
        self.void.insert((run.case, run.arm.clone()));
        self.find(Severity::ProofsDiffer, message);
    }
}

/// Whether a run's times are samples.
pub(super) fn counts(run: &Run) -> bool {
    run.outcome == Outcome::Proved && run.excluded.is_none()
}

pub(super) fn judge(receipt: &Receipt) -> Judged {
    let mut judged = Judged { findings: Vec::new(), void: BTreeSet::new() };
    let references = references(receipt);
    for run in &receipt.runs {
        judge_run(receipt, run, &references, &mut judged);
    }
    unreferenced(receipt, &references, &mut judged);
    alike(&receipt.arms, &mut judged);
    for fault in role::faults(&receipt.arms) {
        judged.find(Severity::Failure, fault);
    }
    judged.findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    judged
}

/// What decides the bytes of a batch's proofs: the workload (its recording proves the same) and the batch, whose proofs
/// are hashed together. Never the path.
type Key<'a> = (&'a str, usize);

/// For each key the first proof of upstream, whatever path it took.
fn references(receipt: &Receipt) -> BTreeMap<Key<'_>, &str> {
    let mut references = BTreeMap::new();
    for run in receipt.runs.iter().filter(|run| run.arm == UPSTREAM) {
        if let Some(proof) = run.proofs.iter().find(|proof| proof.valid) {
            references.entry((run.workload.as_str(), run.batch)).or_insert(proof.proof_sha256.as_str());
        }
    }
    references
}

fn judge_run(receipt: &Receipt, run: &Run, references: &BTreeMap<Key<'_>, &str>, judged: &mut Judged) {
    let case = &receipt.plan.cases[run.case];
    let place = format!("{} in {}, block {}", run.arm, case.title(), run.block);
    if run.outcome != Outcome::Proved {
        judged.find(Severity::Failure, format!("{place}: {}", run.outcome.describe()));
    }
    if run.proofs.iter().any(|proof| !proof.valid) {
        judged.void.insert((run.case, run.arm.clone()));
        judged.find(Severity::Failure, format!("{place}: a proof does not verify; the row is void"));
    }
    let reference = references.get(&(run.workload.as_str(), run.batch));
    let differs = |sha256: &str| reference.is_some_and(|&reference| reference != sha256);
    if run.proofs.iter().any(|proof| differs(&proof.proof_sha256)) {
        judged.condemn(run, format!("{place}: the proof differs from upstream's; the row is void"));
    }
    let snapshots = case.snapshot_sha256.as_ref().zip(run.snapshot_sha256.as_ref());
    if snapshots.is_some_and(|(committed, seen)| committed != seen) {
        judged.condemn(run, format!("{place}: the proof is not the committed snapshot's; the row is void"));
    }
}

/// Says once for each case that no proof of upstream stands behind it.
fn unreferenced(receipt: &Receipt, references: &BTreeMap<Key<'_>, &str>, judged: &mut Judged) {
    for (index, case) in receipt.plan.cases.iter().enumerate() {
        let ran = receipt.runs.iter().any(|run| run.case == index);
        if ran && !references.contains_key(&(case.workload.as_str(), case.batch)) {
            let missing = format!("{}: no proof of upstream to compare with", case.title());
            let severity = if case.snapshot_sha256.is_some() { Severity::Note } else { Severity::Failure };
            judged.find(severity, missing);
        }
    }
}

/// Two arms with different patches in a build and the same code: a patch was not compiled in.
fn alike(arms: &[Arm], judged: &mut Judged) {
    let builds = arms.iter().flat_map(|arm| arm.builds.iter().map(move |(kind, build)| (arm, kind, build)));
    let builds: Vec<_> = builds.collect();
    for (index, (arm, kind, build)) in builds.iter().enumerate() {
        for (other, other_kind, other_build) in &builds[..index] {
            let same_code =
                build.binary_sha256 == other_build.binary_sha256 || build.code_sha256 == other_build.code_sha256;
            if kind == other_kind && same_code && build.components.patches != other_build.components.patches {
                let message = format!(
                    "{} and {} differ in patches and have the same {kind} binary: a patch is not compiled in, or does nothing",
                    other.arm, arm.arm
                );
                judged.find(Severity::Failure, message);
            }
        }
    }
}
