//! Whether a receipt can be what a benchmark wrote: runs of arms and cases that it has, every block whole, times that are
//! times, fingerprints that are over what they stand beside. It finds slips and cuts, not a forger.

use std::collections::BTreeSet;

use crate::arm::{self, Arm};
use crate::receipt::{Receipt, Run};
use crate::schema::SCHEMA;

/// The first contradiction.
pub(crate) fn contradiction(receipt: &Receipt) -> Option<String> {
    if receipt.schema != SCHEMA {
        return Some(format!("schema {} instead of {SCHEMA}", receipt.schema));
    }
    arms(&receipt.arms)
        .or_else(|| receipt.runs.iter().find_map(|run| run_of(receipt, run)))
        .or_else(|| twice(receipt))
        .or_else(|| cut_block(receipt))
}

fn arms(arms: &[Arm]) -> Option<String> {
    let mut names = BTreeSet::new();
    arms.iter().find_map(|arm| {
        let name = &arm.arm;
        if !names.insert(name) {
            return Some(format!("the arm {name} is there twice"));
        }
        let other = |build: &arm::Build| build.components.fingerprint() != build.fingerprint;
        if arm.builds.values().any(other) || Arm::fingerprint_of(&arm.builds) != arm.fingerprint {
            return Some(format!("the fingerprint of {name} is not that of its components"));
        }
        let unasked = |build: &arm::Build| build.patches.iter().any(|patch| !arm.patches.contains(patch));
        if arm.builds.values().any(unasked) {
            return Some(format!("the patches of {name} are fewer than those of its builds"));
        }
        None
    })
}

fn run_of(receipt: &Receipt, run: &Run) -> Option<String> {
    let Some(case) = receipt.plan.cases.get(run.case) else {
        return Some(format!("a run of {} is of case {}, of {}", run.arm, run.case, receipt.plan.cases.len()));
    };
    let place = format!("the run of {} in {}, block {}", run.arm, case.title(), run.block);
    if (&run.workload, &run.path, run.batch) != (&case.workload, &case.path, case.batch) {
        return Some(format!("{place} says {} × {} ({})", run.workload, run.batch, run.path));
    }
    if !arm::with_own_binary(&receipt.arms, &case.path).iter().any(|arm| arm.arm == run.arm) {
        return Some(format!("{place} is of an arm that has nothing to run there"));
    }
    let walls = run.proofs.iter().map(|proof| proof.wall_s).chain(run.synthesis.iter().map(|one| one.wall_s));
    let phases = run.proofs.iter().flat_map(|proof| &proof.phases);
    let phases =
        phases.chain(run.synthesis.iter().flat_map(|one| &one.phases)).map(|phase| phase.end_s - phase.start_s);
    if let Some(seconds) = walls.chain(phases).chain([run.cpu_s]).find(|seconds| *seconds < 0.0) {
        return Some(format!("{place} took {seconds} s"));
    }
    None
}

/// Blocks that were run again stand beside the runs that do not count.
fn twice(receipt: &Receipt) -> Option<String> {
    let mut seen = BTreeSet::new();
    let run = receipt
        .runs
        .iter()
        .filter(|run| run.excluded.is_none())
        .find(|run| !seen.insert((run.case, run.block, run.arm.as_str())))?;
    Some(format!("{} in {}, block {} is there twice", run.arm, receipt.plan.cases[run.case].title(), run.block))
}

fn cut_block(receipt: &Receipt) -> Option<String> {
    let ran: BTreeSet<_> = receipt.runs.iter().map(|run| (run.case, run.block, run.arm.as_str())).collect();
    receipt.blocks.iter().find_map(|state| {
        let (index, block) = (state.case, state.block);
        let Some(case) = receipt.plan.cases.get(index) else {
            return Some(format!("a block is of case {index}, of {}", receipt.plan.cases.len()));
        };
        let arms = arm::with_own_binary(&receipt.arms, &case.path);
        let missing = arms.into_iter().find(|arm| !ran.contains(&(index, block, arm.arm.as_str())))?;
        Some(format!("block {block} of {} has no run of {}", case.title(), missing.arm))
    })
}
