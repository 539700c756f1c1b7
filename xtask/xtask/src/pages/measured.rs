//! What the receipts say of one patch, a line for each case.

use bench_core::analysis::{Analysis, CaseAnalysis, Metric, Patch};
use bench_core::arm::Arm;
use bench_core::report::{effect_text, metric_text, verdict_text};
use forks::evidence::OfPatch;

use super::Kept;

/// How the lines are to be read.
pub(super) const NOTE: &str = "Effects come with half their 95 % interval. One without words has no verdict, one with a star fewer than six blocks.";

/// One case's verdicts on a patch.
pub(super) struct Line<'a> {
    pub(super) kept: &'a Kept,
    /// Workload, batch and path.
    pub(super) case: &'a str,
    /// In words, with the effect.
    pub(super) words: String,
    /// From a campaign, which gives verdicts.
    pub(super) is_judged: bool,
}

/// Every case of the receipts that are the patch's evidence, where its build has it.
pub(super) fn lines<'a>(patch: &OfPatch, kept: &'a [Kept]) -> Vec<Line<'a>> {
    let of_patch = kept.iter().filter(|kept| patch.evidence.on.iter().any(|place| place.receipt == kept.path));
    let cases = of_patch.flat_map(|kept| kept.analysis.cases.iter().map(move |case| (kept, case)));
    let line = |(kept, case): (&'a Kept, &'a CaseAnalysis)| {
        let words = words(&kept.receipt.arms, &patch.patch, case)?;
        Some(Line { kept, case: &case.title, words, is_judged: case.attribution.is_some() })
    };
    cases.filter_map(line).collect()
}

fn words(arms: &[Arm], patch: &str, case: &CaseAnalysis) -> Option<String> {
    let Some(attribution) = &case.attribution else { return without_verdict(arms, patch, case) };
    let found = attribution.patches.iter().find(|found| found.patch == patch && found.in_build)?;
    let words = gating(found);
    (!words.is_empty()).then(|| words.join("; "))
}

fn gating(patch: &Patch) -> Vec<String> {
    let gating = patch.figures.iter().filter(|figure| figure.gating);
    let words = gating.filter_map(|figure| {
        let effect = effect_text(&figure.judged()?.effect);
        let metric = metric_text(&figure.metric);
        Some(match figure.verdict {
            Some(verdict) if verdict.is_effect() => {
                format!("{metric} **{}** {effect}", verdict_text(&figure.metric, verdict))
            }
            Some(verdict) => format!("{metric} {} ({effect})", verdict_text(&figure.metric, verdict)),
            None => format!("{metric} {effect}"),
        })
    });
    words.collect()
}

/// From before there were twins and controls: the arm with this patch alone against `none`.
fn without_verdict(arms: &[Arm], patch: &str, case: &CaseAnalysis) -> Option<String> {
    let arm = arms.iter().find(|arm| arm.patches.as_slice() == [patch])?;
    let row = case.rows.iter().find(|row| row.arm == arm.arm)?;
    let wall = row.measures.iter().find(|measure| measure.metric == Metric::Wall)?;
    let effect = wall.vs_none.or(wall.vs_base)?;
    Some(format!("wall {}", effect_text(&effect)))
}

/// Whether every proof was the right one.
pub(super) fn proofs_word(analysis: &Analysis) -> &'static str {
    match analysis.exit_code() {
        0 => "all equal",
        4 => "**DIFFER**",
        _ => "some failed",
    }
}
