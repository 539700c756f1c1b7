//! The exit status of a gate: whether what ships may go on shipping.

use std::collections::BTreeSet;

use super::attribution::{Attribution, Figure};
use super::verdict::Verdict;
use super::{Analysis, CaseAnalysis};

/// Exit status of a benchmark that gates the patches in `shipped`: 4 proofs differ, 1 something failed or a shipped patch
/// is slower on a gating metric, 3 one of them is inconclusive or has no verdict (nor has any, where none was measured),
/// 0 otherwise. A patch that a case's build lacks is not asked for there.
pub fn gate(analysis: &Analysis, shipped: &BTreeSet<String>) -> u8 {
    let findings = analysis.exit_code();
    let verdicts: Vec<Option<Verdict>> =
        analysis.cases.iter().flat_map(|case| gating(case, shipped)).map(|figure| figure.verdict).collect();
    let open = |verdict: &Option<Verdict>| matches!(verdict, None | Some(Verdict::Inconclusive { .. }));
    match findings {
        0 if verdicts.contains(&Some(Verdict::Slower)) => 1,
        0 if verdicts.iter().any(open) || verdicts.is_empty() && !shipped.is_empty() => 3,
        found => found,
    }
}

fn gating<'a>(case: &'a CaseAnalysis, shipped: &BTreeSet<String>) -> Vec<&'a Figure> {
    let patches = case.attribution.as_ref().map_or(&[][..], |Attribution { patches, .. }| patches);
    let ours = patches.iter().filter(|patch| shipped.contains(&patch.patch));
    ours.flat_map(|patch| &patch.figures).filter(|figure| figure.gating).collect()
}
