//! From a receipt to figures, as a pure function: paired log ratios within blocks, and what makes a row void.
//!
//! A row's effects come with intervals and without a verdict: without a noise floor from arms that are alike, an interval
//! off zero is not yet a difference. A campaign that has such arms and a positive control is attributed to its patches,
//! with verdicts. What makes a proof wrong is judged here in full.

mod attribution;
mod bootstrap;
mod control;
mod estimate;
mod floor;
mod gate;
mod holm;
mod linear;
mod metrics;
mod model;
pub mod power;
mod soundness;
mod stats;
mod student;
mod verdict;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::arm::{Arm, NONE, UPSTREAM};
use crate::receipt::{Receipt, Run};
use crate::role::Role;

pub use attribution::{Attribution, Basis, Figure, Fit, Interaction, Patch, Withheld};
pub use control::Control;
pub use estimate::Estimate;
pub use floor::Floor;
pub use gate::gate;
pub use metrics::Metric;
pub use model::LackOfFit;
pub use soundness::{Finding, Severity};
pub use stats::{Effect, FEWEST_BLOCKS};
pub use verdict::Verdict;

/// All that a report shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Analysis {
    /// One entry for each case of the plan.
    pub cases: Vec<CaseAnalysis>,
    /// What is wrong, worst first.
    pub findings: Vec<Finding>,
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CaseAnalysis {
    /// Workload, path and batch.
    pub title: String,
    /// The arm that the others are compared with: `upstream`, or `none` on a path that upstream lacks.
    pub base: Option<String>,
    /// One row for each arm of the plan.
    pub rows: Vec<Row>,
    /// What each patch is worth; absent in a benchmark without twins and controls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribution: Option<Attribution>,
}

/// One arm in one comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The arm.
    pub arm: String,
    /// Whether there is anything to show.
    pub state: RowState,
    /// Runs that count.
    pub runs: usize,
    /// Proofs in those runs, untimed ones included, each the same bytes as the reference.
    pub proofs: usize,
    /// Figures; empty unless measured.
    pub measures: Vec<Measure>,
}

/// Whether a row has figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RowState {
    /// It has.
    Measured,
    /// The arm's patches are in forks that this build does not use; the binary is another arm's.
    NotInThisBuild {
        /// The arm whose binary it is.
        same_as: String,
    },
    /// The arm has no binary for this path.
    NoBuild,
    /// Not run yet.
    NotRun,
    /// A proof was wrong: no time of this row is a result.
    Void,
    /// No run proved anything.
    Failed {
        /// The first failure.
        reason: String,
    },
}

/// One figure of a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measure {
    /// What was measured.
    pub metric: Metric,
    /// Mean over the runs, in the metric's unit.
    pub mean: f64,
    /// Against the case's base, paired within blocks; absent in the base's own row.
    pub vs_base: Option<Effect>,
    /// Against `none`, likewise; absent where `none` is the base or not in the plan.
    pub vs_none: Option<Effect>,
}

impl Analysis {
    /// The widest of the intervals that verdicts are on, in each metric that gates: half of it, as a part of 1. Absent
    /// until every one is there, with enough blocks.
    pub fn half_width(&self) -> Option<f64> {
        let attributions = self.cases.iter().map(|case| case.attribution.as_ref());
        let gating = attributions.collect::<Option<Vec<_>>>()?.into_iter().flat_map(Attribution::gating);
        let widths = gating.map(|figure| {
            let effect = figure.judged()?.effect;
            let (low, high) = effect.interval.filter(|_| effect.enough)?;
            Some((high / low).sqrt() - 1.0)
        });
        let widths = widths.collect::<Option<Vec<_>>>()?;
        widths.into_iter().reduce(f64::max)
    }

    /// Exit status of a benchmark with these findings: 4 proofs differ, 1 something failed, 0 otherwise.
    pub fn exit_code(&self) -> u8 {
        match self.findings.iter().map(|finding| finding.severity).max() {
            Some(Severity::ProofsDiffer) => 4,
            Some(Severity::Failure) => 1,
            Some(Severity::Note) | None => 0,
        }
    }
}

/// Analyses a receipt.
pub fn analyse(receipt: &Receipt) -> Analysis {
    let judged = soundness::judge(receipt);
    let cases = (0..receipt.plan.cases.len()).map(|case| analyse_case(receipt, case, &judged)).collect();
    Analysis { cases, findings: judged.findings }
}

fn analyse_case(receipt: &Receipt, case: usize, judged: &soundness::Judged) -> CaseAnalysis {
    let path = &receipt.plan.cases[case].path;
    let has = |name: &str| receipt.arms.iter().any(|arm| arm.arm == name && arm.builds.contains_key(path));
    let base = [UPSTREAM, NONE].into_iter().find(|name| has(name));
    let sound = |arm: &str| match judged.is_void(case, arm) {
        true => Vec::new(),
        false => proved(receipt, case, arm),
    };
    let base_runs = base.map(sound).unwrap_or_default();
    let none_runs = if base == Some(UPSTREAM) { sound(NONE) } else { Vec::new() };
    let row = |arm: &Arm| {
        let runs = sound(&arm.arm);
        let state = row_state(receipt, case, arm, judged);
        let measures = match state {
            RowState::Measured => measures(&arm.arm, base, &runs, &base_runs, &none_runs),
            _ => Vec::new(),
        };
        let proofs = runs.iter().map(|run| run.proofs.len()).sum();
        Row { arm: arm.arm.clone(), state, runs: runs.len(), proofs, measures }
    };
    let rows: Vec<Row> = receipt.arms.iter().map(row).collect();
    let measured = rows.iter().filter(|row| row.state == RowState::Measured);
    let runs: BTreeMap<&str, Vec<&Run>> = measured.map(|row| (row.arm.as_str(), sound(&row.arm))).collect();
    let attribution = attribution::attribute(receipt, case, &runs);
    CaseAnalysis { title: receipt.plan.cases[case].title(), base: base.map(str::to_owned), rows, attribution }
}

/// The runs of an arm that count.
fn proved<'a>(receipt: &'a Receipt, case: usize, arm: &str) -> Vec<&'a Run> {
    receipt.runs.iter().filter(|run| run.case == case && run.arm == arm && soundness::counts(run)).collect()
}

fn row_state(receipt: &Receipt, case: usize, arm: &Arm, judged: &soundness::Judged) -> RowState {
    let path = &receipt.plan.cases[case].path;
    let Some(build) = arm.builds.get(path) else {
        return RowState::NoBuild;
    };
    let first =
        receipt.arms.iter().find(|other| other.builds.get(path).is_some_and(|b| b.fingerprint == build.fingerprint));
    let is_control = matches!(arm.role, Role::Control { .. });
    if let Some(first) = first.filter(|first| first.arm != arm.arm && !is_control) {
        return RowState::NotInThisBuild { same_as: first.arm.clone() };
    }
    if judged.is_void(case, &arm.arm) {
        return RowState::Void;
    }
    let mut runs = receipt.runs.iter().filter(|run| run.case == case && run.arm == arm.arm).peekable();
    if runs.peek().is_none() {
        return RowState::NotRun;
    }
    match runs.clone().any(soundness::counts) {
        true => RowState::Measured,
        false => RowState::Failed { reason: runs.next().map(|run| run.outcome.describe()).unwrap_or_default() },
    }
}

fn measures(arm: &str, base: Option<&str>, runs: &[&Run], base_runs: &[&Run], none_runs: &[&Run]) -> Vec<Measure> {
    let against = |metric: &Metric, others: &[&Run], name: Option<&str>| {
        if name == Some(arm) { None } else { stats::paired(&metric.by_block(runs), &metric.by_block(others)) }
    };
    Metric::all(runs)
        .into_iter()
        .filter_map(|metric| {
            let mean = stats::mean(metric.by_block(runs).values().copied())?;
            let vs_base = against(&metric, base_runs, base);
            let vs_none = against(&metric, none_runs, Some(NONE)).filter(|_| arm != UPSTREAM);
            Some(Measure { metric, mean, vs_base, vs_none })
        })
        .collect()
}
