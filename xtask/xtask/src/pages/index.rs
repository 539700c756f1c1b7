//! The index of the evidence: every receipt, and of every patch the prediction beside what was measured.

use std::path::Path;

use forks::evidence::State;

use super::measured::{NOTE, lines, proofs_word};
use super::{Described, Kept, repeat};

pub(super) fn index(patches: &[Described], kept: &[Kept]) -> String {
    let mut text = "# Evidence\n\nWritten by `cargo xtask report` from the receipts below; each has every raw sample, and a page made of it. \
        What the verdicts mean stands in [docs/benchmarking.md](../docs/benchmarking.md).\n\n"
        .to_owned();
    text += "| receipt | page | device | arms | blocks | proofs |\n| --- | --- | --- | --- | --- | --- |\n";
    kept.iter().for_each(|kept| text += &row(kept));
    text += &format!("\n## Predicted and measured\n\n{NOTE}\n");
    patches.iter().for_each(|patch| text += &section(patch, kept));
    text += "\n## Again\n\n";
    kept.iter().for_each(|kept| text += &format!("- {}: `{}`\n", name(&kept.path), repeat(&kept.receipt)));
    text
}

fn row(Kept { path, receipt, analysis }: &Kept) -> String {
    let name = name(path);
    let link = |path: &Path| path.strip_prefix("evidence").unwrap_or(path).display().to_string();
    let (json, html) = (link(path), link(&path.with_extension("html")));
    let device = device(path);
    let blocks =
        receipt.blocks.iter().filter(|state| state.disturbed.is_none()).count() / receipt.plan.cases.len().max(1);
    let (arms, proofs) = (receipt.arms.len(), proofs_word(analysis));
    format!("| [{name}]({json}) | [report]({html}) | {device} | {arms} | {blocks} | {proofs} |\n")
}

/// The receipt's name, which is its file's stem.
fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The receipt's folder is named by the device.
fn device(path: &Path) -> String {
    path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().replace('-', " ")
}

fn section(patch: &Described, kept: &[Kept]) -> String {
    let id = &patch.evidence;
    let mut text = format!("\n### `{}` ({})\n\n{}.\n\n", id.patch, id.fork, patch.subject);
    text += &format!("Predicted: {}\n\n", patch.prediction);
    let lines = lines(id, kept);
    for line in &lines {
        let (device, name) = (device(&line.kept.path), name(&line.kept.path));
        text += &format!("- {}, {device}: {} ({name})\n", line.case, line.words);
    }
    if lines.is_empty() {
        text += "Not measured yet.\n";
    }
    if let State::Stale { changed } = &id.evidence.state {
        text += &format!("\nStale: {} changed since.\n", changed.join(", "));
    }
    let ships = if patch.ships { "It ships" } else { "It does not ship" };
    let because = patch.because.as_ref().map(|because| format!(": {because}")).unwrap_or_default();
    text + &format!("\n{ships}{because}.\n")
}
